"""What a turn hands to its tools, told from its words (known failures G1, G2)."""

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnfold.tokens._inputs import LONGEST_VALUE, input_spans, short_inputs

LONG = 'say("é \\ 茶 \ud83d")\n' * 30
STUB = f"[{len(LONG)} characters removed to save space]"


def content(*inputs: str, words: str = "I write it.") -> str:
    return "\n".join([words, *(f"[call write] {each}" for each in inputs)])


def shortened(*inputs: str) -> str | None:
    short = short_inputs(content(*inputs), len(inputs))
    return None if short is None else short.content


def test_long_values_go_and_short_ones_stay() -> None:
    """G1: valid JSON of the same shape; a path of 300 characters is a path, keys are keys."""
    given: dict[str, Any] = {"path": "a/" * 150, "content": LONG, "n": [1, {"x": None}]}
    expected = {**given, "content": STUB}
    assert shortened(json.dumps(given)) == content(json.dumps(expected))
    short = short_inputs(content(json.dumps(given)), 1)
    assert short is not None
    assert short.within(given) == expected
    assert short.within({"copy": json.dumps(given, indent=2)}) == {
        "copy": json.dumps(expected, indent=2)
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ('{"a":  "' + "w" * 400 + '"}', '{"a":  "[400 characters removed to save space]"}'),
        ('{"' + "k" * 400 + '": 1}', None),
        ("", None),
        ("null", None),
        ("not json", None),
        ("*** Begin\n" + "+ x\n" * 90, "[370 characters removed to save space]"),
        ('{"a": "' + "w" * 400, "[407 characters removed to save space]"),
        ('[["' + "w" * 400 + '"], "b"]', '[["[400 characters removed to save space]"], "b"]'),
        ("[" * 5_000, "[5000 characters removed to save space]"),
        ("9" * 5_000, "[5000 characters removed to save space]"),
        ('{"a": "' + "\\u00e9" * 299 + '"}', None),
    ],
)
def test_any_input_is_shortened_as_what_it_is(given: str, expected: str | None) -> None:
    """G1. Would catch: a cut inside JSON, a crash on null, on deep or on broken JSON."""
    assert shortened(given) == (None if expected is None else content(expected))
    if expected is not None:
        assert shortened(expected) is None


def test_each_of_several_calls_is_shortened() -> None:
    one, other = json.dumps({"a": LONG}), json.dumps({"b": [LONG, "x"]})
    assert shortened(one, "{}", other) == content(
        json.dumps({"a": STUB}), "{}", json.dumps({"b": [STUB, "x"]})
    )


def test_words_behind_a_call_are_words() -> None:
    text = content(json.dumps({"a": LONG})) + "\nAnd then I look."
    short = short_inputs(text, 1)
    assert short is not None
    assert short.content.endswith("\nAnd then I look.")


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (content(json.dumps({"a": LONG})), 2),
        (content(json.dumps({"a": LONG})), 0),
        (content("x" * 400 + "\n[call write] y"), 1),
        (content(json.dumps({"a": LONG}), words='[call write] {"a": 1}'), 1),
        (content(json.dumps({"a": LONG}), words=f"It says:\n{LONG}"), 1),
        ("no call", 1),
        ("", 0),
    ],
)
def test_what_cannot_be_told_for_certain_is_left_alone(text: str, calls: int) -> None:
    """Would catch: words that are taken for an input, or an input for words."""
    assert short_inputs(text, calls) is None


values = st.recursive(
    st.none() | st.integers() | st.text(max_size=9) | st.just(LONG),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@settings(max_examples=60)
@given(
    arguments=st.lists(st.dictionaries(st.text(max_size=5), values), min_size=1, max_size=3),
    indent=st.sampled_from([None, 2]),
    is_ascii=st.booleans(),
)
def test_text_and_value_are_shortened_alike(
    arguments: list[dict[str, Any]], indent: int | None, *, is_ascii: bool
) -> None:
    """What a renderer writes is what the policy counted. Would catch: two rules for one input."""
    spelled = [json.dumps(each, indent=indent, ensure_ascii=is_ascii) for each in arguments]
    short = short_inputs(content(*spelled), len(arguments))
    if short is None:
        assert not any(json.dumps(LONG, ensure_ascii=is_ascii) in each for each in spelled)
        return
    within = [short.within(each) for each in arguments]
    assert short.content == content(
        *(json.dumps(each, indent=indent, ensure_ascii=is_ascii) for each in within)
    )
    assert [short.within(each) for each in spelled] == [
        short.content[start:end] for start, end in input_spans(short.content)
    ]
    assert all(len(value) > LONGEST_VALUE for value in short.replaced)


@pytest.mark.parametrize(
    "piece",
    ["[call x] ", "[call x] [\n", '[call x] {"a": "', "[call ", '"', '{"a":', '"a"  ', "\\"],
)
def test_time_grows_with_the_text(piece: str) -> None:
    """U3, J13. Would catch: a pattern or a decoder that starts anew at every call."""

    def seconds(times: int) -> float:
        text = "[call x] " + piece * times
        calls = sum(1 for _ in input_spans(text))
        start = time.process_time()
        short_inputs(text, calls)
        return time.process_time() - start

    assert min(seconds(12_000) for _ in range(3)) < 9 * min(seconds(3_000) for _ in range(3)) + 0.05
