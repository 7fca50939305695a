"""Laws of the fast paths over columns, against the slow spelling of the same."""

import json
from itertools import compress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold import InvalidTranscript, Transcript, TranscriptTurn
from turnfold._canonical import canonical_pieces
from turnfold._columns import as_range, flagged

ids = st.text(st.sampled_from('ab"\\\n\x7fé\ud800😀'), max_size=3)
columns = st.one_of(
    st.lists(ids, max_size=6).map(lambda each: each * 500),
    st.lists(st.integers(), max_size=6),
    st.lists(st.none() | ids, max_size=3).map(tuple),
    st.lists(st.dictionaries(ids, ids, max_size=2), max_size=3),
)


@given(
    st.dictionaries(
        ids,
        columns | ids | st.none() | st.floats(allow_nan=False, allow_infinity=False),
        max_size=4,
    )
)
def test_pieces_spell_what_json_spells(record: dict[str, object]) -> None:
    """P7. Would catch: a string that needs an escape taken for a plain one, a lost comma."""
    spelled = json.dumps(record, sort_keys=True, separators=(",", ":"), allow_nan=False)
    assert "".join(canonical_pieces(record)) == spelled


@given(st.binary(max_size=5_000))
def test_bytes_are_spelled_in_hex(column: bytes) -> None:
    """P7. Would catch: a slice that is spelled twice or left out."""
    assert json.loads("".join(canonical_pieces({"digests": column}))) == {"digests": column.hex()}


@given(st.lists(st.booleans(), max_size=12))
def test_flagged_positions_are_those_with_a_flag(flags: list[bool]) -> None:
    """Would catch: a range over a gap, and an end that is one off."""
    expected = [place for place, flag in enumerate(flags) if flag]
    assert list(flagged(bytes(flags))) == expected
    assert list(as_range(expected)) == expected


names = st.sampled_from("abcdef")
transcripts = st.lists(names, unique=True, min_size=1).map(
    lambda given_ids: Transcript(TranscriptTurn(each, "user", each, 1) for each in given_ids)
)


@given(transcripts, st.data())
def test_a_revised_transcript_is_the_one_built_anew(
    transcript: Transcript, data: st.DataObject
) -> None:
    """T3. Would catch: an id that comes to stand twice, and a cache of the old turns."""
    transcript.columns()
    places = st.integers(0, len(transcript) - 1)
    fresh = st.builds(lambda name: TranscriptTurn(name, "tool", "new", 2), names)
    replaced = data.draw(st.dictionaries(places, fresh, max_size=3))
    flags = st.lists(st.booleans(), min_size=len(transcript), max_size=len(transcript))
    kept = bytes(data.draw(flags))
    turns = list(transcript.turns)
    for place, turn in replaced.items():
        turns[place] = turn
    chosen = tuple(compress(turns, kept))
    if len({turn.turn_id for turn in chosen}) < len(chosen):
        with pytest.raises(InvalidTranscript):
            transcript.revised(replaced.items(), kept)
        return
    revised = transcript.revised(replaced.items(), kept)
    expected = Transcript(chosen)
    assert revised == expected
    assert revised.turn_ids() == expected.turn_ids()
    assert revised.digest() == expected.digest()
    assert revised.token_estimate() == expected.token_estimate()
