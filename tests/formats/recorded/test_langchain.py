"""Histories that LangChain's own agents wrote, in each of its serial forms."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.formats.json_histories import Json
from tests.formats.recorded.laws import PIXEL, check_recording, file_text, script
from turnfold.formats import Reasoning, check, parse
from turnfold.testing.provider import FakeProvider, Reply

agents = pytest.importorskip("langchain.agents")
middleware = pytest.importorskip("langchain.agents.middleware")
anthropic = pytest.importorskip("langchain_anthropic")
core = pytest.importorskip("langchain_core.messages")
load = pytest.importorskip("langchain_core.load")
tools = pytest.importorskip("langchain_core.tools")
openai = pytest.importorskip("langchain_openai")
memory = pytest.importorskip("langgraph.checkpoint.memory")

pytestmark = pytest.mark.filterwarnings("ignore:The function `load` is in beta")

MODELS = ["chat", "responses", "responses_v1", "anthropic", "anthropic_v1"]
THINKING = {"type": "enabled", "budget_tokens": 2_000}
IMAGE = {"type": "image", "base64": PIXEL, "mime_type": "image/gif"}


def model(kind: str, url: str) -> Any:  # noqa: ANN401
    api, _, version = kind.partition("_")
    options: dict[str, Any] = {"api_key": "any", "max_retries": 0, "model": "any-1"}
    options |= {"output_version": version} if version else {}
    if api == "anthropic":
        return anthropic.ChatAnthropic(base_url=url, thinking=THINKING, max_tokens=4_000, **options)
    if api == "responses":
        options |= {"reasoning": {"effort": "low"}, "include": ["reasoning.encrypted_content"]}
        options |= {"store": False}
    return openai.ChatOpenAI(base_url=f"{url}/v1", use_responses_api=api == "responses", **options)


def read(path: str) -> str:
    """Read a file."""
    if path == "missing":
        msg = "there is no such file"
        raise FileNotFoundError(msg)
    return file_text(path)


def look(path: str) -> tuple[Json, Json]:
    """Look at a picture."""
    return [{"type": "text", "text": path}, IMAGE], {"raw": "z" * 300}


def failing_softly(request: Any, handler: Callable[[Any], Any]) -> Any:  # noqa: ANN401
    """Give an error to the model instead of ending the run."""
    try:
        return handler(request)
    except FileNotFoundError as fault:
        call_id = request.tool_call["id"]
        return core.ToolMessage(str(fault), tool_call_id=call_id, status="error")


def agent(kind: str, url: str, **options: object) -> Any:  # noqa: ANN401
    shown = tools.tool(response_format="content_and_artifact")(look)
    guard = middleware.wrap_tool_call(failing_softly)
    given = [tools.tool(read), tools.tool(read) if kind == "chat" else shown][
        : 1 + (kind != "chat")
    ]
    return agents.create_agent(model(kind, url), given, middleware=[guard], **options)


def recorded(kind: str, url: str) -> list[Any]:
    """A run with an image, calls at once, an error, reasoning and an answer, and a new question."""
    asked = [{"type": "text", "text": "What do you see?"}, IMAGE]
    start = [core.SystemMessage("Be brief."), core.HumanMessage(asked)]
    messages: list[Any] = agent(kind, url).invoke({"messages": start})["messages"]
    return messages


@pytest.mark.parametrize("ends", ["answered", "in a tool loop"])
@pytest.mark.parametrize("kind", MODELS)
def test_a_run_is_read_shortened_and_gone_on_with(kind: str, ends: str) -> None:
    """A1, B3, B4. Would catch: a history that the provider behind the framework refuses."""
    with FakeProvider(script("read" if kind == "chat" else "look")) as provider:
        messages = recorded(kind, provider.base_url)
        messages[-1:] = [messages[-1], core.HumanMessage("And now?")] if ends == "answered" else []
        provider.replies = lambda _: Reply("ok")

        # A fixed budget of thinking wants that of the current loop.
        keeps = kind.startswith("anthropic") and ends != "answered"
        reasoning: Reasoning | None = "keep" if keeps else None

        def resume(written: Json) -> None:
            given = core.messages_from_dict(written)
            agent(kind, provider.base_url).invoke({"messages": given})

        check_recording(
            json.loads(json.dumps(core.messages_to_dict(messages))),
            "langchain",
            validate=core.messages_from_dict,
            resume=resume,
            reasoning=reasoning,
        )
    assert provider.refused == []


def dumped(messages: list[Any]) -> Json:
    return json.loads(load.dumps(messages))


def loaded(document: Json) -> Json:
    return load.load(document, allowed_objects="messages")


def flat(messages: list[Any]) -> Json:
    return [each.model_dump(mode="json") for each in messages]


@pytest.mark.parametrize(
    ("write", "read_back"),
    [(dumped, loaded), (flat, core.convert_to_messages)],
    ids=["dumps", "model_dump"],
)
@pytest.mark.parametrize("kind", ["responses_v1", "anthropic"])
def test_each_serial_form_is_taken_back_by_the_framework(
    kind: str, write: Callable[[list[Any]], Json], read_back: Callable[[Json], Json]
) -> None:
    with FakeProvider(script("read" if kind == "chat" else "look")) as provider:
        messages = recorded(kind, provider.base_url)
    check_recording(write(messages), "langchain", validate=read_back, resume=read_back)


def test_a_checkpoint_is_read() -> None:
    """R1. Would catch: what a saver returns, and no messages in it."""
    saver = memory.InMemorySaver()
    config = {"configurable": {"thread_id": "1"}}
    with FakeProvider(script("look")) as provider:
        made = agent("anthropic", provider.base_url, checkpointer=saver)
        made.invoke({"messages": [core.HumanMessage("What do you see?")]}, config)
    saved = saver.get_tuple(config)
    state = made.get_state(config)
    lengths = set()
    for each in (saved.checkpoint, saved._asdict(), state._asdict()):
        document = json.loads(load.dumps(each))
        assert check(document) == ()
        lengths.add(len(parse(document, format="langchain").transcript))
    assert lengths == {len(state.values["messages"])}


def test_chunks_of_a_stream_that_were_put_together_are_messages() -> None:
    with FakeProvider(script("look")) as provider:
        chat = model("anthropic", provider.base_url).bind_tools([tools.tool(read)])
        history = [core.HumanMessage("Read both. " * 9)]
        whole: Any = None
        for chunk in chat.stream(history):
            whole = chunk if whole is None else whole + chunk
        results = [core.ToolMessage("y " * 200, tool_call_id=c["id"]) for c in whole.tool_calls]
        history += [whole, *results]
        provider.replies = lambda _: Reply("ok")
        check_recording(
            json.loads(json.dumps(core.messages_to_dict(history))),
            "langchain",
            validate=core.messages_from_dict,
            resume=lambda written: chat.invoke(core.messages_from_dict(written)),
            reasoning="keep",
        )


def test_the_updates_of_a_run_that_was_summarised_are_live_from_the_summary_on() -> None:
    """Would catch: a fault for the `RemoveMessage` that the framework's own summary writes."""
    with FakeProvider(script("read")) as provider:
        summary = middleware.SummarizationMiddleware(
            model=model("chat", provider.base_url), trigger=("messages", 4), keep=("messages", 2)
        )
        guard = middleware.wrap_tool_call(failing_softly)
        made = agents.create_agent(
            model("chat", provider.base_url), [tools.tool(read)], middleware=[guard, summary]
        )
        asked = core.HumanMessage("Read both.", id="h1")
        steps = made.stream({"messages": [asked]}, stream_mode="updates")
        updates = [step for each in steps for step in each.values() if step]
    messages = [asked, *(each for update in updates for each in update.get("messages", ()))]
    assert any(each.type == "remove" for each in messages)
    document = core.messages_to_dict(messages)
    assert check(document) == ()
    assert "h1" not in parse(document).transcript.turn_ids()
