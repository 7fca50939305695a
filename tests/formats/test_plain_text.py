"""Reading and rendering plain text and Markdown."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.format_laws import every_cut_is_taken, is_compacted, kinds_of, reads_back
from tests.formats.json_histories import NO_PINS, POLICIES, compact, cuts
from turnfold import (
    DropOldestPolicy,
    ObservationMaskingPolicy,
    Role,
    SummarizingPolicy,
    UnreadableTranscript,
)
from turnfold.formats import Pins, plain_text
from turnfold.formats.plain_text import check, matches, matches_text, parse, render
from turnfold.formats.plain_text._speakers import mark_of, segments_of

LONG = "out line\n" * 90
STYLES = {
    "colon": ("User: {}\n", "Assistant: {}\n", "Tool: {}\n"),
    "heading": ("### User\n\n{}\n\n", "### Assistant\n\n{}\n\n", "### Tool (bash)\n\n{}\n\n"),
    "bold": ("**Human**: {}\n\n", "**Assistant:** {}\n\n", "**Tool**: {}\n\n"),
    "brackets": ("[user]\n{}\n", "[assistant]\n{}\n", "[tool: bash]\n{}\n"),
    "mixed": ("User: {}\n\n", "Assistant: {}\n\n", "[tool: bash] {}\n\n"),
    "chinese": ("用户：{}\n", "助手：{}\n", "工具：{}\n"),  # noqa: RUF001
}


def chat(style: str, output: str = LONG) -> bytes:
    user, model, tool = STYLES[style]
    return (
        user.format("Start the stub.")
        + model.format("I run it.")
        + tool.format(output)
        + model.format("It runs.\nAll is well.")
        + user.format("And the smoke test?")
    ).encode()


@pytest.mark.parametrize("style", STYLES)
def test_a_mark_begins_a_turn(style: str) -> None:
    session = parse(chat(style))
    assert [role for role, _ in kinds_of(session)] == [
        *("user", "assistant", "tool", "assistant", "user")
    ]
    turns = session.transcript.turns
    assert [turn.tool_call_id for turn in turns] == [None, "t1", "t1", None, None]
    assert turns[3].content == "It runs.\nAll is well."
    assert turns[2].content == LONG.strip()
    if style in ("heading", "brackets", "mixed"):
        assert turns[2].metadata["turnfold.tool_name"] == "bash"
    assert matches_text(chat(style).decode())


@pytest.mark.parametrize(
    ("line", "role"),
    [
        ("User: hi", Role.USER),
        ("user:", Role.USER),
        ("Human: x", Role.USER),
        ("## Assistant:", Role.ASSISTANT),
        ("# **System**", Role.SYSTEM),
        ("__AI__: x", Role.ASSISTANT),
        ("[TOOL] x", Role.TOOL),
        ("[tool: read_file]", Role.TOOL),
        ("### Tool: grep", Role.TOOL),
        ("Users: 3", None),
        ("The user: he", None),
        ("##User", None),
        ("## User guide", None),
        ("[user: ann]", None),
        ("[tool", None),
        ("**User** said", None),
        ("", None),
        ("[tool result removed to save space] (bash, ok, 9 tokens)", None),
        ("#" * 90, None),
    ],
)
def test_what_is_a_mark(line: str, role: Role | None) -> None:
    mark = mark_of(line)
    assert (mark.role if mark else None) is role


def test_the_first_mark_decides_which_way_of_marking_counts() -> None:
    text = "### User\nWhat is it?\n\nSystem: Linux\n\n### Assistant\nIt is\nUser: ann\n"
    assert [turn.role for turn in parse(text).transcript] == [Role.USER, Role.ASSISTANT]


def test_a_fenced_block_holds_no_mark_unless_nothing_closes_it() -> None:
    text = "User: see\n```\nAssistant: no\n```\nAssistant: yes\n```\nUser: open\n"
    assert [turn.content for turn in parse(text).transcript] == [
        *("see\n```\nAssistant: no\n```", "yes\n```", "open")
    ]


def test_what_stands_before_the_first_mark_is_no_persons_word() -> None:
    """C9."""
    session = parse("Export of a chat\n\nUser: hi\nAssistant: yes\n")
    assert kinds_of(session) == [("user", "injected"), ("user", None), ("assistant", None)]
    assert session.transcript.turn("t1").pinned
    assert [turn.turn_id for turn in parse("\n\nUser: hi\n").transcript] == ["t0"]


def test_text_without_marks_is_a_turn_for_each_paragraph_or_heading() -> None:
    text = "# Title\n\nFirst.\n\nSecond,\non two lines.\n## Next\n```\na\n\nb\n```\n\nLast."
    session = parse(text)
    assert [turn.content for turn in session.transcript] == [
        *("# Title\n\nFirst.", "Second,\non two lines.", "## Next\n```\na\n\nb\n```", "Last.")
    ]
    assert {turn.role for turn in session.transcript} == {Role.USER}
    assert not matches_text(text)
    assert not matches(text)
    assert matches("User: a\nAssistant: b")
    assert not matches([{"role": "user", "content": "User: a\nAssistant: b"}])


@pytest.mark.parametrize("source", [b"", "", " \n\t\n", [b"\n"], 7, None, ["x"]])
def test_what_is_no_text_is_unreadable(source: Any) -> None:  # noqa: ANN401
    with pytest.raises(UnreadableTranscript):
        parse(source)


@pytest.mark.parametrize(
    "data",
    [
        b"User: a\r\nAssistant: b\r\n",
        b"\xef\xbb\xbfUser: a\nAssistant: b",
        b"User: a\xff\xfe\nAssistant: b\0\0\n",
        "User: a\u2028Assistant: b\x0b\x85\n".encode(),
        b"one\n\n\n\ntwo\n\n",
        b"\n\nUser:\n\nAssistant:\n\n",
    ],
)
def test_the_bytes_come_back(data: bytes) -> None:
    """R2, K1."""
    session = parse(data)
    assert render(session.transcript, session) == data
    assert b"".join(each.raw for each in segments_of(data)) == data
    assert parse([data[:3], data[3:]]).transcript == session.transcript


def test_bytes_that_are_no_text_are_damage() -> None:
    session = parse(b"User: a\xff\nAssistant: " + b"b" * 900 + b"\nUser: c\n")
    assert [damage.code for damage in session.damage] == ["invalid_utf8"]
    assert session.transcript.turn("t0").content == "a\ufffd"
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1)
    assert view is not None
    assert render(view, session) == b"User: a\xff\nUser: c\n"


@pytest.mark.parametrize("style", STYLES)
def test_a_masked_output_keeps_its_mark(style: str) -> None:
    """D1."""
    data = chat(style)
    session = parse(data)
    view = compact(session, ObservationMaskingPolicy(0), session.transcript.token_estimate() - 1)
    assert view is not None
    written = render(view, session)
    masked = view.transcript.turn("t2").content
    assert written.startswith(data[: data.index(b"out line")])
    assert masked in written.decode()
    assert b"out line" not in written
    reads_back(plain_text, written, view)


@pytest.mark.parametrize("style", STYLES)
def test_a_summary_is_written_with_the_users_mark_whatever_it_holds(style: str) -> None:
    """C6. Would catch: a summary whose lines are taken for turns."""
    session = parse(chat(style) + chat(style), pins=NO_PINS)
    policy = SummarizingPolicy("any/1", min_span_turns=1)
    view = compact(session, policy, session.transcript.token_estimate() - 1)
    assert view is not None
    summary = view.transcript.turns[0]
    held = summary.content.replace("What happened", "User: x\n\n```\n### User\nAssistant: what")
    turns = [turn for turn in view.transcript]  # noqa: C416
    turns[0] = type(summary)(
        summary.turn_id, summary.role, held, 9, metadata=dict(summary.metadata)
    )
    written = render(type(view.transcript)(turns), session)
    again = parse(written)
    assert [turn.content for turn in again.transcript] == [turn.content for turn in turns]
    assert kinds_of(again)[0] == ("user", "summary")


def test_paragraphs_stay_apart_where_a_heading_between_them_goes() -> None:
    """Would catch: two paragraphs that become one, since no blank line stood behind the first."""
    session = parse("First.\n## Next\n\n" + "body " * 90 + "\n\nLast.", pins=NO_PINS)
    turns = session.transcript.turns
    written = render(type(session.transcript)((turns[0], turns[2])), session)
    assert written == b"First.\n\nLast."


def test_output_behind_no_models_turn_is_kept() -> None:
    data = b"User: a\nTool: x\nAssistant: " + b"b" * 900 + b"\nUser: c\n"
    session = parse(data)
    assert not session.damage
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 20)
    assert view is not None
    assert "t1" not in view.transcript.turn_ids() or b"Tool: x" in render(view, session)


def test_a_text_of_instructions_alone_is_a_fault() -> None:
    assert [fault.rule for fault in check("System: be brief\n")] == ["only_system"]
    assert [fault.rule for fault in check("\n")] == ["no_text"]
    assert check("System: be brief\nUser: hi\n") == []


@pytest.mark.parametrize("pins", [Pins(), NO_PINS], ids=["pins", "no_pins"])
@pytest.mark.parametrize("policy", POLICIES)
def test_every_cut_and_every_budget_is_taken(policy: str, pins: Pins) -> None:
    """A1, C7."""
    every_cut_is_taken(plain_text, chat("heading", "z" * 90), policy, pins)


WORDS = st.sampled_from(["go on", "a\n\nb", "x" * 300, "```\nUser: no\n```", "", "🟥 ok"])


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    style = draw(st.sampled_from([None, *STYLES]))
    size = draw(st.integers(1, 8))
    if style is None:
        return "\n\n".join(draw(WORDS) or "p" for _ in range(size)).encode()
    said = [draw(st.sampled_from(STYLES[style])).format(draw(WORDS)) for _ in range(size)]
    return (draw(st.sampled_from(["", "Title\n\n"])) + "".join(said)).encode()


@pytest.mark.parametrize("policy", POLICIES)
@given(data=texts(), cut=cuts())
@settings(max_examples=40)
def test_any_text_at_any_cut_reads_back(
    policy: str, data: bytes, cut: tuple[int, int, Pins]
) -> None:
    """Would catch: a turn that runs into the next, a mark that is lost, a summary in pieces."""
    session = parse(data)
    assert render(session.transcript, session) == data
    is_compacted(plain_text, data, policy, cut)


@given(
    data=st.binary(max_size=80)
    | st.text(max_size=80).map(lambda each: each.encode("utf-8", "replace"))
)
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """R4, F6."""
    try:
        session = parse(data)
    except UnreadableTranscript:
        return
    assert render(session.transcript, session) == data
    assert matches_text(data.decode("utf-8", "replace")) in (True, False)


def test_a_real_document_comes_back() -> None:
    for name in ("README.md", "docs/README.md"):
        data = (Path(__file__).parents[2] / name).read_bytes()
        session = parse(data)
        assert render(session.transcript, session) == data
        assert len(session.transcript) > 3
