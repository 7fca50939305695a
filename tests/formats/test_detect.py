"""One door to all formats, and which one a source is in."""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import ROOT
from tests.formats.json_histories import FIXTURES, POLICIES, Json, compact
from turnfold import UnreadableTranscript
from turnfold.errors import InvalidConfiguration
from turnfold.formats import FORMATS, Session, detect, parse, render, to_bytes

NAMES = {
    "openai_chat": "openai-chat",
    "anthropic_messages": "anthropic-messages",
    "claude_code": "claude-code",
}
FILES = [
    pytest.param(path, name, id=f"{folder}/{path.stem}")
    for folder, name in NAMES.items()
    for path in sorted((FIXTURES / folder).glob("*.json*"))
]
CHAT = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes"}]


def test_each_format_is_whole_and_has_a_page() -> None:
    """Would catch: a format that cannot be checked, or that no user can read about."""
    assert set(NAMES.values()) <= set(FORMATS)
    for name, module in FORMATS.items():
        assert name == module.NAME
        assert isinstance(module.LINES, bool)
        for function in ("matches", "parse", "render", "check"):
            assert callable(getattr(module, function)), (name, function)
        assert (ROOT / "docs/formats" / f"{name}.md").is_file(), name


@pytest.mark.parametrize(("path", "name"), FILES)
def test_a_fixture_is_recognized_from_its_content(path: Path, name: str) -> None:
    """R1."""
    data = path.read_bytes()
    assert detect(data) == name
    assert detect(b"\xef\xbb\xbf" + data.removeprefix(b"\xef\xbb\xbf")) == name
    assert detect(io.BytesIO(data)) == name
    assert detect(data[at : at + 7] for at in range(0, len(data), 7)) == name


@pytest.mark.parametrize(("path", "name"), FILES)
def test_an_unchanged_session_comes_back_as_it_was(path: Path, name: str) -> None:
    """R2."""
    data = path.read_bytes()
    for source in (data, io.BytesIO(data)):
        session = parse(source)
        assert session.format == name
        rendered = render(session.transcript, session)
        if isinstance(rendered, bytes):
            assert rendered == data == to_bytes(rendered)
        else:
            assert rendered == json.loads(data)
            assert json.loads(to_bytes(rendered)) == rendered
            assert list(map(list, messages(rendered))) == list(
                map(list, messages(json.loads(data)))
            )


def messages(document: Json) -> list[Json]:
    found: list[Json] = document["messages"] if isinstance(document, dict) else document
    return found


@pytest.mark.parametrize(
    ("document", "name"),
    [
        (CHAT, "openai-chat"),
        ({"messages": CHAT, "model": "m"}, "openai-chat"),
        ([{"role": "system", "content": "s"}, *CHAT], "openai-chat"),
        ({"system": "s", "messages": CHAT}, "anthropic-messages"),
        ({"system": [], "messages": CHAT}, "anthropic-messages"),
        ({"system": None, "messages": CHAT}, "openai-chat"),
        ([*CHAT, {"role": "tool", "content": "x", "tool_call_id": "c"}], "openai-chat"),
        ([*CHAT, {"role": "assistant", "tool_calls": []}], "openai-chat"),
        ([{"role": "user", "content": [{"type": "text", "text": "x"}]}], "openai-chat"),
        ([{"role": "user", "content": [{"type": "image_url"}]}], "openai-chat"),
        ([{"role": "user", "content": [{"type": "image", "source": {}}]}], "anthropic-messages"),
        ([{"role": "assistant", "content": [{"type": "thinking"}]}], "anthropic-messages"),
        ([{"role": "assistant", "content": [{"type": "tool_use"}]}], "anthropic-messages"),
        ([{"role": "user", "content": [{"type": "tool_result"}]}], "anthropic-messages"),
        ([{"role": "assistant", "content": [{"type": "mcp_tool_result"}]}], "anthropic-messages"),
        (["broken", 7, *CHAT], "openai-chat"),
    ],
)
def test_messages_are_told_apart_by_their_structure(document: Json, name: str) -> None:
    assert detect(document) == name
    assert detect(json.dumps(document)) == name
    assert detect(json.dumps(document, indent=1).encode()) == name


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (b"", "nothing"),
        (b" \r\n\t", "nothing"),
        (b"\xef\xbb\xbf", "nothing"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a NUL byte at 8"),
        ('[{"role": "user"}]'.encode("utf-16"), "a NUL byte"),
        (b'["\xff"]', "not UTF-8, at 2"),
        (b"some words", "no valid JSON"),
        (b'[{"role": "user", "content": "x"}', "no valid JSON: .* line 1, column"),
        (b"[" * 100_000, "nested too deeply"),
        (b'[{"role": "user", "content": ' + b"[" * 90_000 + b"]" * 90_000 + b"}]", "too deeply"),
        (b"[" + b"1" * 5_000 + b"]", "number that is too long"),
        (b"[]", "an empty list"),
        (b"{}", "keys none"),
        (b'{"b": 1, "a": 2}', "keys a, b"),
        (b'"text"', "kind str"),
        (b"[1, 2]", "a list of 2 values"),
        (b'{"messages": []}', "keys messages"),
        (b'{"a": 1}\n{"b": 2}\n', "no valid JSON"),
        ([], "an empty list"),
        ({}, "keys none"),
        ({1: 2, "a": 3}, "keys 1, a"),
    ],
)
def test_what_is_no_session_is_said_to_be_what_it_is(source: Json, found: str) -> None:
    """E1."""
    for each in (source, io.BytesIO(source)) if isinstance(source, bytes) else (source,):
        with pytest.raises(UnreadableTranscript, match=found) as caught:
            parse(each)
        assert re.search("It reads claude-code, codex, ", str(caught.value))


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """E1. Would catch: another error than the one for sources."""
    try:
        parse(data)
    except UnreadableTranscript:
        return


def test_a_deep_document_that_is_handed_in_parsed_is_refused() -> None:
    deep: Json = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(UnreadableTranscript, match="nested too deeply"):
        parse([{"role": "user", "content": [{"type": "odd", "value": deep}]}])


def test_a_line_format_is_recognized_without_reading_all_of_it() -> None:
    """K5."""
    path = next(iter(sorted((FIXTURES / "claude_code").glob("parallel*.jsonl"))))
    lines = path.read_bytes().splitlines(keepends=True)
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            for line in lines:
                taken += 1
                yield line

    assert detect(endless()) == "claude-code"
    assert taken <= 20


def test_lines_in_a_list_are_a_source_and_text_lines_are_refused() -> None:
    path = next(iter(sorted((FIXTURES / "claude_code").glob("parallel*.jsonl"))))
    assert detect(path.read_bytes().splitlines(keepends=True)) == "claude-code"
    with pytest.raises(InvalidConfiguration, match="binary"):
        detect(io.StringIO("[]"))  # type: ignore[arg-type]


def test_a_named_format_is_not_detected() -> None:
    assert parse(CHAT, format="anthropic-messages").format == "anthropic-messages"
    assert parse(json.dumps(CHAT), format="anthropic-messages").format == "anthropic-messages"
    with pytest.raises(InvalidConfiguration, match="no format is named 'yaml'"):
        parse(CHAT, format="yaml")
    with pytest.raises(UnreadableTranscript, match="line format"):
        parse(CHAT, format="claude-code")
    with pytest.raises(InvalidConfiguration, match="scope"):
        parse(CHAT, scope="all")  # type: ignore[arg-type]
    session = parse(CHAT)
    with pytest.raises(InvalidConfiguration, match="no format"):
        render(session.transcript, Session("yaml", session.transcript, None))


def test_bytes_of_json_end_in_a_line_break_and_hold_any_string() -> None:
    assert to_bytes([{"a": "ü"}]) == '[\n  {\n    "a": "ü"\n  }\n]\n'.encode()
    lone = [{"role": "user", "content": "\ud83d"}]
    assert json.loads(to_bytes(lone)) == lone
    session = parse(to_bytes(lone))
    assert render(session.transcript, session) == lone


@pytest.mark.parametrize(("path", "name"), FILES)
def test_a_compacted_session_is_read_again_in_its_own_format(path: Path, name: str) -> None:
    session = parse(path.read_bytes())
    tokens = session.transcript.token_estimate() * 8 // 10
    view = compact(session, POLICIES["drop_oldest"], tokens)
    if view is None:
        return
    rendered = render(view, session)
    if not isinstance(rendered, bytes) and all(
        isinstance(each["content"], str) for each in messages(rendered)
    ):
        return  # Plain texts are valid in both formats.
    assert detect(to_bytes(rendered)) == name


ITEM = '{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}'


@pytest.mark.parametrize(
    "opening", ['{\n "model": "m",\n "input": [', '{"model": "m",\n"input": [']
)
@pytest.mark.parametrize("count", [1, 2])
def test_a_document_with_an_object_on_a_line_is_no_line_format(opening: str, count: int) -> None:
    """Would catch: a request that a formatter laid out, taken for a damaged rollout."""
    spelled = f"{opening}\n  " + f",\n  {ITEM}".join([""] * (count + 1)).removeprefix(",\n  ")
    document = f"{spelled}\n]}}\n"
    assert len(json.loads(document)["input"]) == count
    for source in (document, iter(document.encode().splitlines(keepends=True))):
        session = parse(source)
        assert session.format == "openai-responses"
        assert len(session.transcript) == count
        assert session.damage == ()


def test_a_first_line_that_was_cut_where_an_object_opens_costs_only_itself() -> None:
    """K1."""
    cut = b'{"timestamp": "t", "type": "session_meta", "payload": {\n'
    record = f'{{"timestamp": "t", "type": "response_item", "payload": {ITEM}}}\n'.encode()
    for source in (cut + record, iter([cut, record])):
        session = parse(source)
        assert session.format == "codex"
        assert len(session.transcript) == 1
        assert [each.place for each in session.damage] == ["line 1"]
