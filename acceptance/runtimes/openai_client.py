"""Runs loops of OpenAI's own client against a provider that refuses what OpenAI refuses.

It uses the installed turnfold, the package `openai`, and nothing of turnfold's tests. One line is
printed for each claim, `ok` or `FAIL`. The exit code is 1 if a claim fails.

    python acceptance/runtimes/openai_client.py
"""

import asyncio
import sys
from typing import Any

from openai import AsyncOpenAI, BadRequestError, OpenAI

from turnfold import CompactionBudget
from turnfold.fulfil import SummaryJob, render_prompt
from turnfold.integrations.openai import compacting
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
CHAT_TOOLS: Any = [{"type": "function", "function": {"name": "read_file", "parameters": {}}}]
TOOLS: Any = [{"type": "function", "name": "read_file", "parameters": {}}]


def settings(provider: FakeProvider) -> dict[str, Any]:
    """Return how a client finds the provider."""
    return {"base_url": f"{provider.base_url}/v1", "api_key": "any", "max_retries": 0}


def take_chat(answer: Any, history: list[Any]) -> bool:  # noqa: ANN401
    """Do what a message of the model asks for; whether it asks for anything."""
    message = answer.choices[0].message
    history.append(message)
    history += [
        {"role": "tool", "tool_call_id": call.id, "content": RESULT}
        for call in message.tool_calls or ()
    ]
    return bool(message.tool_calls)


def take(answer: Any, history: list[Any]) -> bool:  # noqa: ANN401
    """Do what the items of the model ask for; whether they ask for anything."""
    history += answer.output
    calls = [each for each in answer.output if each.type == "function_call"]
    history += [
        {"type": "function_call_output", "call_id": call.call_id, "output": RESULT}
        for call in calls
    ]
    return bool(calls)


def faults_of(provider: FakeProvider, events: list[Any]) -> list[str]:
    """Return what is wrong with a run that has come to its end."""
    faults = faults_of_requests(provider, at_least=TURNS + 1, holding=(SYSTEM, TASK))
    asked = sum(bool(each.tools) for each in provider.requests)
    if asked > TURNS + 1:
        faults.append(f"{asked} requests of the agent, and {TURNS + 1} were expected")
    if TURNS * len(RESULT) / 4 < OVERFLOWS * WINDOW:
        faults.append("the loop is too short")
    return faults + faults_of_events(events)


def too_low(text: str) -> int:
    """Estimate half of what the provider counts."""
    return MessageEstimator().estimate_tokens(text) // 2


def chat_completions() -> list[str]:
    """`chat.completions.create`, verbatim digests."""
    events: list[Any] = []
    with FakeProvider(tool_loop(TURNS), window=WINDOW) as provider:
        client = compacting(OpenAI(**settings(provider)), BUDGET, observers=[events.append])
        history: list[Any] = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": TASK},
        ]
        while take_chat(
            client.chat.completions.create(model="any", messages=history, tools=CHAT_TOOLS), history
        ):
            pass
        faults = faults_of(provider, events)
    whole = 2 * TURNS + 3
    return faults + ([] if len(history) == whole else [f"{len(history)} messages are left"])


def responses_with_reasoning_and_a_model_that_writes() -> list[str]:
    """`responses.stream`, asynchronous; the same client writes the summaries."""
    events: list[Any] = []
    reply, summaries = with_summaries(tool_loop(TURNS, reasoning=True), SUMMARY)
    with FakeProvider(reply, window=WINDOW) as provider:

        async def main() -> None:
            plain = AsyncOpenAI(**settings(provider))

            async def write(job: SummaryJob) -> str:
                answer = await plain.responses.create(model="any", input=render_prompt(job))
                return str(answer.output_text)

            client = compacting(plain, BUDGET, write=write, observers=[events.append])
            history: list[Any] = [{"role": "user", "content": TASK}]
            goes_on = True
            while goes_on:
                async with client.responses.stream(
                    model="any", input=history, instructions=SYSTEM, tools=TOOLS
                ) as stream:
                    goes_on = take(await stream.get_final_response(), history)

        asyncio.run(main())
        faults = faults_of(provider, events)
    return faults + ([] if summaries else ["no summary was asked for"])


def an_estimate_that_is_too_low_costs_one_request_more() -> list[str]:
    """What OpenAI refuses as too long is sent again, with less."""
    turns = 40
    with FakeProvider(tool_loop(turns), window=WINDOW) as provider:
        client = compacting(OpenAI(**settings(provider)), BUDGET, estimator=too_low, observers=[])
        history: list[Any] = [{"role": "user", "content": TASK}]
        while take(client.responses.create(model="any", input=history, tools=TOOLS), history):
            pass
        faults = faults_of_requests(provider, at_least=turns + 1, holding=[TASK], too_long=3)
        return faults + ([] if provider.refused else ["nothing was refused"])


def without_turnfold_the_window_is_full() -> list[str]:
    """The same loop with the plain client ends with the provider's error."""
    with FakeProvider(tool_loop(TURNS), window=WINDOW) as provider:
        client = OpenAI(**settings(provider))
        history: list[Any] = [{"role": "user", "content": TASK}]
        try:
            while take(client.responses.create(model="any", input=history, tools=TOOLS), history):
                pass
        except BadRequestError as refusal:
            return [] if refusal.code == "context_length_exceeded" else [str(refusal)]
    return ["the loop ran to its end"]


CLAIMS = (
    chat_completions,
    responses_with_reasoning_and_a_model_that_writes,
    an_estimate_that_is_too_low_costs_one_request_more,
    without_turnfold_the_window_is_full,
)


if __name__ == "__main__":
    sys.exit(check(CLAIMS))
