"""Runs loops of OpenAI's own client against a provider that refuses what OpenAI refuses.

It uses the installed turnfold, the package `openai`, and nothing of turnfold's tests. One line is
printed for each claim, `ok` or `FAIL`. The exit code is 1 if a claim fails.

    python acceptance/runtimes/openai_client.py
"""

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

from openai import AsyncOpenAI, BadRequestError, OpenAI

from turnfold import CompactionBudget
from turnfold.fulfil import SummaryJob, render_prompt
from turnfold.integrations import Event
from turnfold.integrations.openai import compacting
from turnfold.testing.provider import FakeProvider, Reply, Request, tool_loop

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


def faults_of(provider: FakeProvider, events: list[Event]) -> list[str]:
    """Return what is wrong with a run that has come to its end."""
    faults = [f"request {each.number} was refused: {each.error}" for each in provider.refused]
    asked = [json.dumps(each.body) for each in provider.requests if each.tools]
    faults += [
        f"request {number} lacks the prompt or the task"
        for number, body in enumerate(asked)
        if SYSTEM not in body or TASK not in body
    ]
    if len(asked) != TURNS + 1:
        faults.append(f"{len(asked)} requests, and {TURNS + 1} were expected")
    if TURNS * len(RESULT) / 4 < OVERFLOWS * WINDOW:
        faults.append("the loop is too short")
    names = {each.name for each in events}
    if names != {"context.compacted", "audit.signals"}:
        faults.append(f"the events are {sorted(names)}")
    return faults


def chat_completions() -> list[str]:
    """`chat.completions.create`, verbatim digests."""
    events: list[Event] = []
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


def replies_with_summaries() -> tuple[Callable[[Request], Reply], list[Request]]:
    """Return a model that drives a loop and writes summaries, and the requests for those."""
    loop, summaries = tool_loop(TURNS, reasoning=True), []

    def reply(request: Request) -> Reply:
        if request.tools:
            return loop(request)
        summaries.append(request)
        return Reply(SUMMARY)

    return reply, summaries


def responses_with_reasoning_and_a_model_that_writes() -> list[str]:
    """`responses.stream`, asynchronous; the same client writes the summaries."""
    events: list[Event] = []
    reply, summaries = replies_with_summaries()
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
    without_turnfold_the_window_is_full,
)


def main() -> int:
    """Check every claim; return the exit code."""
    failed = 0
    for claim in CLAIMS:
        faults = claim()
        failed += bool(faults)
        name = claim.__name__.replace("_", " ")
        print(f"FAIL {name}: {'; '.join(faults[:3])}" if faults else f"ok   {name}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
