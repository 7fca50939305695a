"""What a source is told apart by before it is parsed; nothing is read that need not be."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold._canonical import canonical_json, canonical_strings
from turnfold.formats import detect, parse
from turnfold.formats._source import first_records, spelled_whole
from turnfold.tokens import text_tokens
from turnfold.tokens.script import other_scripts

CHAT = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes"}]


def _records(data: bytes) -> list[dict[str, object]]:
    return list(first_records(iter((data,)), of_document=True))


@given(
    st.lists(
        st.one_of(
            st.dictionaries(st.text(max_size=4), st.integers(), max_size=2).map(json.dumps),
            st.sampled_from(
                ["{", "}", "{}", "[]", "", " ", '"a": {}', '{"a": 1} x', "{]}", "\ufeff{}"]
            ),
        ),
        max_size=6,
    )
)
def test_only_lines_that_cannot_be_objects_are_passed_over(lines: list[str]) -> None:
    """Would catch: a record that is overlooked because of how its line begins or ends."""
    expected = []
    for line in lines:
        try:
            value = json.loads(line.encode().removeprefix(b"\xef\xbb\xbf"))
        except ValueError:
            if line.strip().startswith("["):
                break
            continue
        if isinstance(value, list):
            break
        if isinstance(value, dict):
            expected.append(value)
    assert _records("\n".join(lines).encode()) == expected


@pytest.mark.parametrize("end", [b"", b"\n", b" \r\n\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_document_on_one_line_is_the_document_on_many(mark: bytes, end: bytes) -> None:
    """Would catch: another session where the first line is all that there is."""
    document = {"messages": CHAT}
    plain = mark + json.dumps(document).encode() + end
    spread = mark + json.dumps(document, indent=1).encode() + end
    assert spelled_whole(plain)
    assert not spelled_whole(spread)
    assert detect(plain) == detect(spread) == "openai-chat"
    assert parse(plain).transcript == parse(spread).transcript


@pytest.mark.parametrize("data", [b'{"a": 1}\n{"b": 2}', b'{"a": "\0"}', b"[1]", b"", b"words"])
def test_more_than_a_line_or_no_object_is_not_all(data: bytes) -> None:
    assert not spelled_whole(data)


@given(st.lists(st.text(st.characters(exclude_categories=[]), max_size=8), max_size=4))
def test_strings_are_spelled_as_canonical_json_spells_them(strings: list[str]) -> None:
    """P7. Would catch: call ids whose spelling depends on how many there are."""
    assert canonical_strings(strings) == canonical_json(strings)


@given(st.text(st.characters(exclude_categories=[]), max_size=60))
def test_a_character_is_ascii_or_of_a_script(text: str) -> None:
    """Would catch: characters that cost nothing, or twice."""
    others, cost = other_scripts(text.encode("utf-8", "surrogatepass"))
    assert others == sum(not each.isascii() for each in text)
    assert (cost > 0) == (others > 0)
    assert bool(text_tokens(text)) == bool(text)
