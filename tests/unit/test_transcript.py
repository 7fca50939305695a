"""Turns and transcripts (contracts T1 to T5)."""

import json
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from tests.oracles import content_sha256
from tests.strategies import turn
from turnfold import InvalidTranscript, Role, Transcript, TranscriptTurn


def test_a_role_is_its_wire_form() -> None:
    """T1."""
    assert [role.value for role in Role] == ["system", "user", "assistant", "tool"]
    assert Role("tool") is Role.TOOL
    assert str(Role.SYSTEM) == "system"
    assert json.dumps(Role.USER) == '"user"'


def test_the_first_four_fields_of_a_turn_are_positional_and_the_others_are_not() -> None:
    """T2."""
    made = TranscriptTurn("a", Role.USER, "text", 3)
    assert (made.turn_id, made.role, made.content, made.token_estimate) == ("a", "user", "text", 3)
    assert (made.tool_call_id, made.pinned, dict(made.metadata)) == (None, False, {})
    with pytest.raises(TypeError):
        TranscriptTurn("a", Role.USER, "text", 3, "call")  # type: ignore[call-arg]


def test_a_role_may_be_given_by_its_value() -> None:
    """T1, T2."""
    assert TranscriptTurn("a", "tool", "", 0).role is Role.TOOL


@pytest.mark.parametrize(
    "wrong",
    [
        {"turn_id": ""},
        {"turn_id": 5},
        {"turn_id": None},
        {"role": "robot"},
        {"role": None},
        {"role": ["user"]},
        {"content": None},
        {"content": b"bytes"},
        {"token_estimate": -1},
        {"token_estimate": True},
        {"token_estimate": 1.0},
        {"token_estimate": "1"},
        {"token_estimate": None},
        {"tool_call_id": 5},
        {"pinned": 1},
        {"pinned": None},
        {"metadata": None},
        {"metadata": [("a", "b")]},
        {"metadata": {"a": 1}},
        {"metadata": {1: "a"}},
    ],
    ids=str,
)
def test_a_turn_refuses_a_value_that_it_cannot_have(wrong: dict[str, Any]) -> None:
    """T2."""
    right: dict[str, Any] = {
        "turn_id": "a",
        "role": "user",
        "content": "the secret content",
        "token_estimate": 1,
    }
    with pytest.raises(InvalidTranscript) as refused:
        TranscriptTurn(**{**right, **wrong})
    assert "secret" not in refused.value.message
    with pytest.raises(InvalidTranscript):
        replace(TranscriptTurn(**right), **wrong)


def test_a_turn_cannot_be_changed() -> None:
    """T2."""
    made = turn("a")
    with pytest.raises(FrozenInstanceError):
        made.content = "other"  # type: ignore[misc]
    with pytest.raises((AttributeError, TypeError)):
        made.note = "new"  # type: ignore[attr-defined]


def test_metadata_is_a_copy_that_nobody_can_change() -> None:
    """T2."""
    given = {"b": "2", "a": "1"}
    made = TranscriptTurn("a", "user", "", 0, metadata=given)
    given["a"] = "changed"
    assert made.metadata == {"a": "1", "b": "2"}
    assert list(made.metadata) == ["a", "b"]
    with pytest.raises(TypeError):
        made.metadata["a"] = "3"  # type: ignore[index]
    with pytest.raises(AttributeError):
        made.metadata.extra = "3"  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        delattr(made.metadata, "_pairs")
    with pytest.raises(KeyError):
        made.metadata["none"]


def test_a_turn_and_its_dictionary_are_inverse() -> None:
    """T2."""
    made = TranscriptTurn(
        "a", "tool", "\ud800 text", 4, tool_call_id="x", pinned=True, metadata={"k": "v"}
    )
    assert TranscriptTurn.from_dict(json.loads(json.dumps(made.to_dict()))) == made
    assert TranscriptTurn.from_dict(made.to_dict()).to_dict() == made.to_dict()


@pytest.mark.parametrize(
    "record", [{}, [], None, "text", {"turn_id": "a", "role": "user"}], ids=str
)
def test_a_record_that_is_no_turn_is_refused(record: Any) -> None:  # noqa: ANN401  Anything.
    """T2."""
    with pytest.raises(InvalidTranscript):
        TranscriptTurn.from_dict(record)


def test_a_digest_covers_id_role_content_and_call_and_nothing_else() -> None:
    """T3."""
    made = turn("a", "user", 10, "x", "text")
    same = [
        replace(made, token_estimate=99),
        replace(made, pinned=True),
        replace(made, metadata={"a": "b"}),
    ]
    other = [
        replace(made, turn_id="b"),
        replace(made, role=Role.TOOL),
        replace(made, content="text "),
        replace(made, tool_call_id="y"),
        replace(made, tool_call_id=None),
    ]
    assert {each.digest() for each in same} == {made.digest()}
    assert len({each.digest() for each in (made, *other)}) == 6


def test_digests_do_not_confuse_where_one_field_ends_and_the_next_begins() -> None:
    """T3."""
    shapes = [
        turn("a", "user", 1, None, "b"),
        turn("ab", "user", 1, None, ""),
        turn("a", "user", 1, "b", ""),
        turn("a", "user", 1, "", "b"),
        turn("a+b", "user", 1, None, ""),
        turn("a-", "user", 1, None, ""),
        turn("a", "user", 1, "-", ""),
        turn("a", "user", 1, None, "user:1:a-"),
        turn("\ud83d\ude00", "user", 1, None, ""),
        turn("\U0001f600", "user", 1, None, ""),
    ]
    assert len({each.digest() for each in shapes}) == len(shapes)


def test_a_content_digest_is_the_sha256_of_the_whole_content() -> None:
    """L1, T3."""
    text = "line\n\ud800\U0001f600" * 1000
    assert turn("a", content=text).content_digest() == content_sha256(text)


def test_a_transcript_gives_ids_size_length_turns_and_lookup() -> None:
    """T3, T5."""
    turns = [turn("a", tokens=1), turn("b", tokens=2), turn("c", tokens=0)]
    transcript = Transcript(tuple(turns))
    assert transcript.turn_ids() == ("a", "b", "c")
    assert transcript.token_estimate() == 3
    assert len(transcript) == 3
    assert list(transcript) == turns
    assert transcript.turn("b") is turns[1]
    assert transcript.position("c") == 2
    with pytest.raises(KeyError):
        transcript.turn("d")


def test_a_transcript_may_be_empty() -> None:
    """T3."""
    assert Transcript().turn_ids() == ()
    assert Transcript(()).token_estimate() == 0
    assert Transcript().digest() == Transcript(()).digest()


def test_repeated_ids_are_named_once_and_at_most_ten() -> None:
    """T3, E1, known failure L5."""
    turns = [turn(f"t{number}", content="secret") for number in range(15) for _ in range(3)]
    with pytest.raises(InvalidTranscript) as refused:
        Transcript(tuple(turns))
    assert refused.value.details["turn_ids"] == [f"t{number}" for number in range(10)]
    assert "and 5 more" in refused.value.message
    assert "secret" not in refused.value.message


def test_two_equal_messages_stay_two() -> None:
    """T3, known failure L5."""
    transcript = Transcript((turn("a", content="continue"), turn("b", content="continue")))
    assert len(transcript) == 2
    assert transcript.turns[0].digest() != transcript.turns[1].digest()


@pytest.mark.parametrize("stranger", [{"turn_id": "a"}, "a", None])
def test_a_transcript_holds_turns_only(stranger: Any) -> None:  # noqa: ANN401  Anything.
    """T3."""
    with pytest.raises(InvalidTranscript):
        Transcript((stranger,))


def test_the_digest_of_a_transcript_depends_on_the_order() -> None:
    """T3."""
    first, second = turn("a"), turn("b")
    assert Transcript((first, second)).digest() != Transcript((second, first)).digest()
    assert Transcript((first,)).digest() != first.digest()


def test_a_transcript_and_its_dictionary_are_inverse_and_name_their_schema() -> None:
    """T3, P7."""
    transcript = Transcript((turn("a"), turn("b", "tool", 3, "x", "\udfff")))
    record = json.loads(json.dumps(transcript.to_dict()))
    assert record["schema"] == "turnfold.transcript/1"
    assert Transcript.from_dict(record) == transcript


@pytest.mark.parametrize(
    "record",
    [
        None,
        [],
        {},
        {"turns": "text"},
        {"turns": None},
        {"schema": "turnfold.transcript/1", "turns": [5]},
        {"schema": "turnfold.transcript/99", "turns": []},
    ],
    ids=str,
)
def test_a_record_that_is_no_transcript_is_refused(record: Any) -> None:  # noqa: ANN401  Anything.
    """T3, P7."""
    with pytest.raises(InvalidTranscript):
        Transcript.from_dict(record)


def test_turnfold_does_not_re_estimate_a_turn() -> None:
    """T5."""
    assert Transcript((turn("a", content="x" * 10_000, tokens=1),)).token_estimate() == 1
