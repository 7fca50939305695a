"""Runs loops of Anthropic's own client against a provider that refuses what Anthropic refuses.

It uses the installed turnfold, the package `anthropic`, and nothing of turnfold's tests. One line
is printed for each claim, `ok` or `FAIL`. The exit code is 1 if a claim fails.

    python acceptance/runtimes/anthropic_client.py
"""

import asyncio
import sys
from typing import Any

from anthropic import Anthropic, AsyncAnthropic, BadRequestError

from turnfold import CompactionBudget
from turnfold.fulfil import Answer, SummaryJob, render_prompt
from turnfold.integrations.anthropic import compacting
from turnfold.testing.provider import FakeProvider, tool_loop
from turnfold.testing.runs import check, faults_of_events, faults_of_requests, with_summaries
from turnfold.tokens import MessageEstimator

WINDOW = 6_000
BUDGET = CompactionBudget(5_500, target_tokens=4_000)
TURNS = 200
OVERFLOWS = 8
SYSTEM = "You port parsers."
TASK = "Port the parser to Rust. Never push to main."
SUMMARY = "Some parts of the parser were read. Never push to main."
RESULT = "value = compute(table, row)\n" * 40
ASK: Any = {
    "model": "any",
    "max_tokens": 200,
    "system": SYSTEM,
    "tools": [{"name": "read_file", "input_schema": {"type": "object"}}],
}


def settings(provider: FakeProvider) -> dict[str, Any]:
    """Return how a client finds the provider."""
    return {"base_url": provider.base_url, "api_key": "any", "max_retries": 0}


def take(answer: Any, history: list[Any]) -> bool:  # noqa: ANN401
    """Do what a message of the model asks for; whether it asks for anything."""
    history.append({"role": "assistant", "content": answer.content})
    calls = [block for block in answer.content if block.type == "tool_use"]
    if calls:
        content = [
            {"type": "tool_result", "tool_use_id": call.id, "content": RESULT} for call in calls
        ]
        history.append({"role": "user", "content": content})
    return bool(calls)


def faults_of(provider: FakeProvider, events: list[Any]) -> list[str]:
    """Return what is wrong with a run that has come to its end."""
    faults = faults_of_requests(provider, at_least=1, holding=(SYSTEM, TASK))
    if TURNS * len(RESULT) / 4 < OVERFLOWS * WINDOW:
        faults.append("the loop is too short")
    return faults + faults_of_events(events)


def too_low(text: str) -> int:
    """Estimate half of what the provider counts."""
    return MessageEstimator().estimate_tokens(text) // 2


def messages() -> list[str]:
    """`messages.create`, verbatim digests."""
    events: list[Any] = []
    with FakeProvider(tool_loop(TURNS), window=WINDOW) as provider:
        client = compacting(Anthropic(**settings(provider)), BUDGET, observers=[events.append])
        history: list[Any] = [{"role": "user", "content": TASK}]
        while take(client.messages.create(messages=history, **ASK), history):
            pass
        faults = faults_of(provider, events)
    whole = 2 * TURNS + 2
    return faults + ([] if len(history) == whole else [f"{len(history)} messages are left"])


def streams_of_parallel_calls_and_a_model_that_writes() -> list[str]:
    """`messages.stream`, asynchronous; the same client writes the summaries."""
    events: list[Any] = []
    reply, written = with_summaries(tool_loop(TURNS, parallel=2), SUMMARY)
    with FakeProvider(reply, window=WINDOW) as provider:

        async def main() -> None:
            plain = AsyncAnthropic(**settings(provider))

            async def write(job: SummaryJob) -> Answer:
                prompt: Any = {"role": "user", "content": render_prompt(job)}
                answer = await plain.messages.create(model="any", max_tokens=500, messages=[prompt])
                text = "".join(block.text for block in answer.content if block.type == "text")
                return Answer(text, answer.stop_reason)

            client = compacting(plain, BUDGET, write=write, observers=[events.append])
            history: list[Any] = [{"role": "user", "content": TASK}]
            goes_on = True
            while goes_on:
                async with client.messages.stream(messages=history, **ASK) as stream:
                    goes_on = take(await stream.get_final_message(), history)

        asyncio.run(main())
        faults = faults_of(provider, events)
    return faults + ([] if written else ["no summary was asked for"])


def thinking_that_is_bound_to_its_prefix() -> list[str]:
    """No thinking is sent behind an edit that it was not made with."""
    events: list[Any] = []
    replies = tool_loop(TURNS, reasoning=True)
    with FakeProvider(replies, window=WINDOW, bound_reasoning=True) as provider:
        client = compacting(Anthropic(**settings(provider)), BUDGET, observers=[events.append])
        history: list[Any] = [{"role": "user", "content": TASK}]
        thinking: Any = {"type": "adaptive"}
        while take(client.messages.create(messages=history, thinking=thinking, **ASK), history):
            pass
        return faults_of(provider, events)


def an_estimate_that_is_too_low_costs_one_request_more() -> list[str]:
    """What Anthropic refuses as too long is sent again, with less."""
    turns = 40
    with FakeProvider(tool_loop(turns), window=WINDOW) as provider:
        plain = Anthropic(**settings(provider))
        client = compacting(plain, BUDGET, estimator=too_low, observers=[])
        history: list[Any] = [{"role": "user", "content": TASK}]
        while take(client.messages.create(messages=history, **ASK), history):
            pass
        faults = faults_of_requests(
            provider, at_least=turns + 1, holding=(SYSTEM, TASK), too_long=3
        )
        return faults + ([] if provider.refused else ["nothing was refused"])


def without_turnfold_the_window_is_full() -> list[str]:
    """The same loop with the plain client ends with the provider's error."""
    with FakeProvider(tool_loop(TURNS), window=WINDOW) as provider:
        client = Anthropic(**settings(provider))
        history: list[Any] = [{"role": "user", "content": TASK}]
        try:
            while take(client.messages.create(messages=history, **ASK), history):
                pass
        except BadRequestError as refusal:
            return [] if "prompt is too long" in str(refusal) else [str(refusal)]
    return ["the loop ran to its end"]


CLAIMS = (
    messages,
    streams_of_parallel_calls_and_a_model_that_writes,
    thinking_that_is_bound_to_its_prefix,
    an_estimate_that_is_too_low_costs_one_request_more,
    without_turnfold_the_window_is_full,
)


if __name__ == "__main__":
    sys.exit(check(CLAIMS))
