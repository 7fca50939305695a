"""`Transcript.from_calls` by example (contract T4, known failures A4, A7, A9, A10)."""

import json
from collections.abc import Sequence

import pytest

from tests.strategies import turn
from turnfold import (
    CompactionBudget,
    DropOldestPolicy,
    InvalidTranscript,
    Role,
    Transcript,
    TranscriptTurn,
)

ROLES = {"c": Role.ASSISTANT, "r": Role.TOOL, "u": Role.USER}


def build(*rows: tuple[str, Sequence[str]]) -> Transcript:
    """Make turns whose ids begin with what they are: c calls, r results, u neither."""
    turns = [TranscriptTurn(name, ROLES[name[0]], "", 10) for name, _ in rows]
    return Transcript.from_calls(turns, {name: ids for name, ids in rows if name[0] != "u"})


def exchanges(transcript: Transcript) -> dict[str, str | None]:
    return {each.turn_id: each.tool_call_id for each in transcript}


def damaged(transcript: Transcript) -> list[str]:
    return [each.turn_id for each in transcript if "turnfold.damage" in each.metadata]


def test_a_batch_and_its_results_are_one_exchange() -> None:
    """T4, A4."""
    transcript = build(("c1", ["a", "b", "c"]), ("r1", ["a"]), ("r2", ["b"]), ("r3", ["c"]))
    assert set(exchanges(transcript).values()) == {"c1"}
    assert damaged(transcript) == []


def test_ids_that_are_reused_make_an_exchange_each_time() -> None:
    """T4, A7."""
    rows = [("c1", ["call_0"]), ("r1", ["call_0"]), ("c2", ["call_0"]), ("r2", ["call_0"])]
    assert exchanges(build(*rows)) == {"c1": "c1", "r1": "c1", "c2": "c2", "r2": "c2"}


def test_a_result_whose_call_is_gone_is_an_orphan_although_another_round_had_its_id() -> None:
    """T4, T7, A7."""
    transcript = build(("c1", ["call_0"]), ("r1", ["call_0"]), ("u2", []), ("r2", ["call_0"]))
    assert exchanges(transcript)["r2"] == "r2"
    assert damaged(transcript) == ["r2"]


def test_empty_ids_are_ids_like_others() -> None:
    """T4."""
    transcript = build(("c1", ["", ""]), ("r1", [""]), ("r2", [""]), ("r3", [""]))
    assert exchanges(transcript) == {"c1": "c1", "r1": "c1", "r2": "c1", "r3": "r3"}
    assert damaged(transcript) == ["r3"]


def test_a_doubled_result_is_an_orphan() -> None:
    """T4, T7."""
    transcript = build(("c1", ["a"]), ("r1", ["a"]), ("r2", ["a"]))
    assert exchanges(transcript)["r2"] == "r2"
    assert damaged(transcript) == ["r2"]


def test_a_result_before_its_call_is_an_orphan() -> None:
    """T4, T7."""
    transcript = build(("r1", ["a"]), ("c1", ["a"]))
    assert exchanges(transcript) == {"r1": "r1", "c1": "c1"}
    assert damaged(transcript) == ["r1"]


def test_exchanges_may_interleave() -> None:
    """T4."""
    rows = [("c1", ["a"]), ("c2", ["b"]), ("r2", ["b"]), ("u1", []), ("r1", ["a"])]
    expected = {"c1": "c1", "c2": "c2", "r2": "c2", "u1": None, "r1": "c1"}
    assert exchanges(build(*rows)) == expected


def test_a_batch_that_repeats_a_waiting_id_joins_its_exchange() -> None:
    """T4: the next result could belong to either, so that they are never split."""
    transcript = build(("c1", ["a"]), ("c2", ["a"]), ("r1", ["a"]), ("r2", ["a"]))
    assert set(exchanges(transcript).values()) == {"c1"}
    assert damaged(transcript) == []


def test_results_find_every_exchange_whose_ids_a_batch_repeats() -> None:
    """T4, A1: each exchange has as many results as calls of an id."""
    transcript = build(
        ("c1", ["b"]),
        ("c2", ["a"]),
        ("c3", ["a", "b"]),
        ("r1", ["b"]),
        ("r2", ["b"]),
        ("r3", ["a"]),
        ("r4", ["a"]),
    )
    assert exchanges(transcript)["r2"] == "c1"
    assert damaged(transcript) == []


def test_a_call_without_a_result_is_an_exchange_like_others() -> None:
    """T4, A9: it does not stand in the way of dropping what is old."""
    rows: list[tuple[str, Sequence[str]]] = [("c0", ["dead"])]
    for number in range(1, 20):
        rows += [(f"c{number}", ["x"]), (f"r{number}", ["x"])]
    transcript = build(*rows)
    plan = DropOldestPolicy().decide(transcript, CompactionBudget(100))
    assert not plan.budget_unmet
    assert plan.actions.startswith(b"DDD")


def test_the_callers_ids_stand_in_the_metadata() -> None:
    """T4, T6."""
    transcript = build(("c1", ["a", "\ud800"]), ("r1", ["a"]))
    assert json.loads(transcript.turns[0].metadata["turnfold.call_ids"]) == ["a", "\ud800"]
    assert json.loads(transcript.turns[1].metadata["turnfold.call_ids"]) == ["a"]


def test_what_a_turn_already_says_is_kept() -> None:
    """T4, T6."""
    call = TranscriptTurn("c1", "assistant", "", 1, pinned=True, metadata={"k": "v"})
    (made,) = Transcript.from_calls([call], {"c1": ["a"]})
    assert (made.pinned, made.metadata["k"]) == (True, "v")


def test_an_exchange_id_that_a_turn_brought_is_replaced() -> None:
    """T4."""
    (made,) = Transcript.from_calls([turn("u1", call="mine")], {})
    assert made.tool_call_id is None


def test_a_call_of_an_unknown_turn_is_refused() -> None:
    """T4, E1."""
    with pytest.raises(InvalidTranscript, match="'c9'"):
        Transcript.from_calls([turn("u1")], {"c9": ["a"]})


@pytest.mark.parametrize("role", ["user", "system"])
def test_only_an_assistant_calls_and_only_a_tool_answers(role: str) -> None:
    """T4."""
    with pytest.raises(InvalidTranscript, match=role):
        Transcript.from_calls([turn("u1", role)], {"u1": ["a"]})


def test_a_result_goes_to_an_older_call_once_the_latest_is_answered() -> None:
    """T4. Would catch: a call that is forgotten because its id was used again and answered."""
    rows = [
        ("c1", ["x"]),
        ("c2", ["x"]),
        ("r1", ["x"]),
        ("c3", ["x"]),
        ("r2", ["x"]),
        ("r3", ["x"]),
    ]
    transcript = build(*rows)
    assert exchanges(transcript) == {
        **dict.fromkeys(("c1", "c2", "r1", "r3"), "c1"),
        **dict.fromkeys(("c3", "r2"), "c3"),
    }
    assert damaged(transcript) == []


def test_one_string_is_no_list_of_call_ids() -> None:
    """T4, E1."""
    turns = [TranscriptTurn("c1", Role.ASSISTANT, "", 1)]
    with pytest.raises(InvalidTranscript, match="not to one string: 'c1'"):
        Transcript.from_calls(turns, {"c1": "call_0"})
