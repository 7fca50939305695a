"""LangChain's messages are weighed, written and read; what is known is not looked at again."""

# ruff: noqa: ANN401  The states and configs of the framework are dicts.

import copy
from typing import Any

import pytest

pytest.importorskip("langchain")

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.tools import tool

from tests.integration.langchain.fakes import read_file
from turnfold import formats
from turnfold.integrations.langchain import Compaction, LangChainMessages
from turnfold.integrations.langchain._messages import Besides

CALL: Any = {"name": "read_file", "args": {"path": "日本/part.py", "deep": {"n": 1}}, "id": "c1"}
MESSAGES: list[Any] = [
    SystemMessage("You port parsers.", id="s"),
    HumanMessage("Port the parser.", id="h"),
    HumanMessage([{"type": "text", "text": "Look."}, {"type": "image", "base64": "A" * 9_000}]),
    AIMessage("", tool_calls=[CALL], id="a"),
    ToolMessage("row\n" * 80, tool_call_id="c1", name="read_file", artifact=object()),
    AIMessage(
        [
            {"type": "thinking", "thinking": "hm " * 50, "signature": "s" * 300},
            {"type": "text", "text": "Reading on."},
            {"type": "tool_use", "id": "c2", "name": "read_file", "input": {"path": "b"}},
        ],
        tool_calls=[{"name": "read_file", "args": {"path": "b"}, "id": "c2"}],
        response_metadata={"model": "m", "logprobs": ["x" * 500] * 10},
    ),
    ToolMessage([{"type": "text", "text": "abc def " * 30}], tool_call_id="c2", status="error"),
    AIMessageChunk("Done.", additional_kwargs={"reasoning_content": "so " * 90}),
]


def test_a_weight_is_no_less_than_what_the_format_counts() -> None:
    """Would catch: a window that is passed before anybody looks, or a look at every call."""
    dialect = LangChainMessages()
    session = formats.parse(dialect.dump(MESSAGES), format="langchain")
    for message, turn in zip(MESSAGES, session.transcript, strict=True):
        assert turn.token_estimate <= dialect.weight(message) <= 1.5 * turn.token_estimate + 8


def test_messages_are_written_and_read_back() -> None:
    dialect = LangChainMessages()
    before = [each.model_copy(deep=False) for each in MESSAGES]
    back = dialect.load(dialect.dump(MESSAGES))
    assert before == MESSAGES
    for message, read in zip(MESSAGES, back, strict=True):
        assert type(read) is type(message)
        assert read.content == message.content
        assert read.id == message.id
    assert back[4].artifact is None


def test_a_prompt_and_tools_take_up_room() -> None:
    """Would catch: a window that is full of tools that nobody counted."""
    besides = Besides()
    assert besides.of(None, []) == 0
    short = besides.of(SystemMessage("It is Monday."), [])
    assert 0 < short < besides.of(SystemMessage("It is Monday. " * 100), [])
    assert besides.of(SystemMessage("It is Monday."), [read_file]) > short + 20


def test_the_schemas_of_the_same_tools_are_written_once() -> None:
    calls = []

    @tool  # type: ignore[untyped-decorator]
    def other(path: str) -> str:
        """Do something else."""
        return path

    class Counted(dict[str, Any]):
        def items(self) -> Any:
            calls.append(1)
            return super().items()

    besides = Besides()
    schema = Counted(name="x", description="y")
    for _ in range(5):
        assert besides.of(None, [other, schema])
    assert len(calls) <= 1


def history(count: int) -> list[Any]:
    messages: list[Any] = [HumanMessage("Port the parser.", id="h")]
    for number in range(count // 2):
        call = {"name": "read_file", "args": {"path": f"{number}"}, "id": f"c{number}"}
        messages.append(AIMessage("", tool_calls=[call], id=f"a{number}"))
        messages.append(ToolMessage("row\n" * 60, tool_call_id=f"c{number}", id=f"t{number}"))
    return messages


def test_what_was_seen_is_not_looked_at_again() -> None:
    """Would catch: overhead that grows with the history, call by call."""
    compaction = Compaction(10**7)
    dialect: Any = compaction.compactor.dialect
    weighed: list[Any] = []
    weigh = dialect.weight

    def counting(message: Any) -> int:
        weighed.append(message)
        return int(weigh(message))

    dialect.weight = counting
    messages = history(1_000)
    compaction.fit(messages)
    weighed.clear()
    compaction.fit([*messages, HumanMessage("And now?", id="n")])
    assert len(weighed) == 1


def test_messages_from_a_checkpoint_are_other_objects_and_the_same_conversation() -> None:
    """Would catch: a conversation that is begun anew, because its messages were read again."""
    compaction = Compaction(3_000)
    messages = history(100)
    sent, state = compaction.fit(messages)
    assert state is not None
    stored = copy.deepcopy(state)
    again, same = compaction.fit(copy.deepcopy(messages), stored)
    assert again == sent
    assert same is stored, "what did not change is not written again"


def test_messages_without_ids_are_kept_apart_by_what_they_say() -> None:
    """Would catch: one conversation taken for another, where nothing names them."""
    compaction = Compaction(1_000)
    states: list[Any] = [None, None]
    tasks = ["Port the parser.", "Write the tests."]
    for count in range(2, 60, 2):
        for number, task in enumerate(tasks):
            messages = [
                HumanMessage(task),
                *(AIMessage(f"{task} step {n} " * 8) for n in range(count)),
            ]
            sent, states[number] = compaction.fit(messages, states[number])
            assert sent[0].text == task
            assert tasks[1 - number] not in str(sent)
