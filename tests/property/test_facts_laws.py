"""Laws of finding names: its shortcuts, its memory and its patterns change nothing."""

# ruff: noqa: SLF001  The patterns are private, and what they match is the promise.

import re
from collections import Counter
from collections.abc import Iterator
from types import ModuleType
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from turnfold.facts import (
    Fact,
    Kind,
    NameReader,
    _amounts,
    _atoms,
    _lines,
    _names,
    _paths,
    _secrets,
    _spaced,
    _tokens,
    find,
)
from turnfold.facts._spaced import spaced_facts

_JOINED: Final = (
    'A a b E e F 0 1 12 123 1234 - -- . .. / // : :: :// :\\ _ __ @ # $ ${ \\ \\n \\" ~ + , ,000 '
    ",123 ; ( ) [ ] { } < > | = ! * ^ & ? ' \" ` % \u00b5 \u00e9 \u4e0d \uff08 \u2192 \u00b2 "
    "::1 2001:db8:: /32 17/20 1,5GB \u20ac $ 1.299,00 "
    "\u0661 localhost http ENOENT EABCD ABCDE E0308 ABC-123 src app.py foo.bar foo_bar getValue "
    "v1 .5 0041_a.sql 2024-05-01 T10:00:00Z 10.0.0.1 me@x.org C:\\ 1a2b3c4 deadbeef --no-x MAX_X "
    "a-b ms GB"
)
_BITS: Final = _JOINED.split()
TOKENS: Final = st.lists(st.sampled_from([*_BITS, "a" * 260]), min_size=1, max_size=9).map("".join)
TEXTS: Final = st.lists(
    st.sampled_from([*_BITS, " ", "  ", "\n", " ms", '"a b"', '"/aa/bb', " Ab/cd", '.py"']),
    max_size=20,
).map("".join)
ASCII: Final = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=40)


def _plainly(atom: str) -> Iterator[Fact]:
    """Try every pattern in its order, without a shortcut."""
    atom = atom.rstrip(".:-+~")
    if not 2 <= len(atom) <= 256:
        return
    if ".." in atom and "/" not in atom and atom[0] != "-":
        for end in re.split(r"\.\.+", atom):
            yield from _plainly(end)
    elif found := _atoms._WHOLE.fullmatch(atom):
        yield Fact(_atoms._WHOLE_KINDS[(found.lastindex or 1) - 1], atom)
    elif _atoms._EMAIL.fullmatch(atom):
        yield Fact(Kind.EMAIL, atom)
    elif atom[0] != "-":
        yield from _plain_host(atom)
    elif _atoms._FLAG.fullmatch(atom):
        yield Fact(Kind.FLAG, atom)
    elif atom[1].isdigit() and any(kind is Kind.NUMBER for kind, _ in _plain_number(atom[1:])):
        yield Fact(Kind.NUMBER, atom)


def _plain_host(atom: str) -> Iterator[Fact]:
    host, _, port = atom.partition(":")
    if _is_plainly_ipv6(atom):
        yield Fact(Kind.ADDRESS, atom)
    elif _atoms._HOST.fullmatch(atom) and host.split(".")[-1] not in _atoms.SUFFIXES:
        yield Fact(Kind.ADDRESS, atom)
        yield from _plain_piece(host)
        yield from _plain_piece(port)
    else:
        yield from _plain_parts(_atoms._PLACE.sub("", atom))


def _is_plainly_ipv6(atom: str) -> bool:
    """Ask whether enough groups or digits are there, one after the other."""
    bare = atom.partition("/")[0].partition("%")[0]
    digits = bare.replace(":", "").replace(".", "")
    if not _atoms._IPV6.fullmatch(atom):
        return False
    few = len([each for each in bare.split(":") if each]) < 3
    return bare == "::1" or not few or (not digits.isdecimal() and any(map(str.isdecimal, digits)))


def _plain_number(piece: str) -> Iterator[Fact]:
    if number := _atoms._NUMBER.fullmatch(piece):
        figures, unit = number[1], number[2]
        if unit in {"st", "nd", "rd", "th"}:
            return
        if unit or set(figures) & set(",._eE") or sum(map(str.isdigit, figures)) > 2:
            yield Fact(Kind.NUMBER, piece)


def _plain_parts(bare: str) -> Iterator[Fact]:
    counted = re.fullmatch(r"([0-9]{1,2})/([0-9]{1,3})", bare)
    some, whole = map(int, counted.groups()) if counted else (1, 0)
    if some <= whole and (some > 12 or whole > 31):
        yield Fact(Kind.NUMBER, bare)
        return
    if "/" not in bare:
        for piece in bare.lstrip("@#~").split(":"):
            yield from _plain_piece(piece)
    elif _atoms._NUMBER.fullmatch(bare):
        yield Fact(Kind.NUMBER, bare)
    else:
        segments = [each for each in bare.split("/") if each]
        if _atoms._is_path(bare, segments):
            yield Fact(Kind.PATH, bare)
        for segment in segments:
            yield from _plain_piece(segment)


def _plain_piece(piece: str) -> Iterator[Fact]:
    piece = piece.strip(".-+")
    if len(piece) < 2:
        return
    if piece[0].isdigit():
        if _atoms._HASH.fullmatch(piece):
            yield Fact(Kind.HASH, piece)
        elif _atoms._NUMBER.fullmatch(piece):
            yield from _plain_number(piece)
        elif _atoms._NUMBERED.fullmatch(piece) and piece.split(".")[-1] in _atoms.SUFFIXES:
            yield Fact(Kind.PATH, piece)
        else:
            yield from _plain_word(piece)
    elif _atoms._DOTTED.fullmatch(piece):
        is_file = piece.rpartition(".")[2] in _atoms.SUFFIXES
        is_short = re.fullmatch(r"\w(?:\.\w)+", piece) is not None
        if is_short and (not is_file or piece.lower() in {"a.m", "p.m"}):
            return
        yield Fact(Kind.PATH if is_file else Kind.IDENTIFIER, piece)
        for part in piece.split("."):
            yield from _plain_word(part)
    else:
        yield from _plain_word(piece)


def _plain_word(word: str) -> Iterator[Fact]:
    word = word.strip("-")
    if len(word) >= 4:
        for pattern, kind in (
            (_atoms._SHOUTED, Kind.ENVIRONMENT),
            (_atoms._SNAKE, Kind.IDENTIFIER),
            (_atoms._CAMEL, Kind.IDENTIFIER),
            (_atoms._HASH, Kind.HASH),
            (_atoms._HYPHENATED, Kind.HYPHENATED),
        ):
            if pattern.fullmatch(word):
                yield Fact(kind, word)
                return


def _slowly(token: str) -> tuple[Fact, ...]:
    """Cut a token into atoms, whatever it looks like, and try every pattern on each."""
    found, rest = _tokens._facts_across(token)
    facts = [*found, *(fact for atom in _tokens._ATOM.findall(rest) for fact in _plainly(atom))]
    return tuple(dict.fromkeys(facts))


def _rest_of(text: str) -> str:
    """Blank the paths that have blanks, of which no token is a part."""
    for start, end in _paths.spaced_paths(text):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


@given(st.lists(TOKENS | ASCII.map(lambda text: text.replace(" ", "")), min_size=1, max_size=8))
def test_shortcuts_find_what_every_pattern_in_turn_finds(tokens: list[str]) -> None:
    """Would catch: a character test that rules out a pattern which could match; a stale memo."""
    reader = NameReader()
    for token in tokens:
        assert reader.of_token(token) == _slowly(token)


@example(["localhost://", "localhost://(="])
@given(st.lists(TEXTS, max_size=6))
def test_what_was_read_before_changes_nothing(texts: list[str]) -> None:
    """Would catch: an atom remembered for a token that has more around it."""
    reader = NameReader()
    for text in texts:
        assert list(reader.facts(text).items()) == [(name, kind) for kind, name in find(text).facts]


@given(st.lists(TEXTS, max_size=6))
def test_forgetting_and_reading_in_pieces_change_nothing(texts: list[str]) -> None:
    """Would catch: a token cut in two by a piece; names that are lost with the memory."""
    whole, piecewise = NameReader(), NameReader()
    expected = [list(whole.facts(text).items()) for text in texts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_names, "_BATCH", 3)
        patch.setattr(_tokens, "_MOST_REMEMBERED", 1)
        assert [list(piecewise.facts(text).items()) for text in texts] == expected
    assert piecewise.not_examined == whole.not_examined
    assert [set(piecewise.telling(text).tokens) for text in texts] == [
        set(whole.telling(text).tokens) for text in texts
    ]


@given(TEXTS)
def test_facts_are_counted_as_often_as_their_tokens_stand(text: str) -> None:
    """Would catch: a token counted once; facts given to the wrong count."""
    expected = Counter(fact for fact, _ in spaced_facts(text))
    for token in _rest_of(text).split():
        expected.update(_slowly(token))
    telling = NameReader().telling(text)
    counted = Counter(telling.spaced)
    for token, facts, count in zip(*telling[:3], strict=True):
        assert set(facts) == set(_slowly(token))
        counted.update(dict.fromkeys(facts, count))
    assert counted == expected


@given(st.lists(TOKENS, min_size=1, max_size=30))
def test_tokens_examined_together_have_the_facts_that_each_has_alone(tokens: list[str]) -> None:
    """Would catch: facts given to a neighbour, an escape that goes over the end of a token."""
    text = " ".join(tokens)
    expected = dict.fromkeys(fact for token in text.split() for fact in _slowly(token))
    known = _tokens.Tokens()
    facts = known.facts_of(dict.fromkeys(text.split()))
    assert list(dict.fromkeys(fact for each in facts for fact in each)) == list(expected)
    assert list(known) == [token for token in dict.fromkeys(text.split()) if token in known]


@given(st.lists(TOKENS | st.sampled_from(["\t", "\n ", "\u00a0", "\u2028", "  "]), max_size=12))
def test_every_fact_is_where_its_token_stands(bits: list[str]) -> None:
    """Would catch: white space that moves what follows it."""
    text = " ".join(bits)
    expected = [
        (fact, token.start() + max(0, token[0].find(fact.text)))
        for token in re.finditer(r"\S+", _rest_of(text))
        for fact in _slowly(token[0])
    ]
    assert list(NameReader().located(text)) == [*expected, *spaced_facts(text)]


_MARKED: Final = st.lists(
    st.sampled_from(['"', "`", "a", "b", "\n", "\\", "abc", " "]), max_size=40
)


@given(_MARKED.map("".join))
def test_quotations_are_those_that_one_pattern_for_both_marks_finds(text: str) -> None:
    """Would catch: a mark of one kind that closes within a quotation of the other."""
    found = [each.span() for each in _spaced._quotations(text)]
    assert found == [each.span() for each in _spaced._QUOTED.finditer(text)]


_RUNS: Final = st.text("12,.\u0661", max_size=25)
_UNITS: Final = st.sampled_from([" ms", " %", " \u00b5s", " h", "x", " "])


@given(st.lists(_RUNS | _UNITS, max_size=12).map("".join))
def test_a_quantity_is_what_one_pattern_for_number_and_unit_finds(text: str) -> None:
    """Would catch: a number that is cut on its left, or begins within a name."""
    found = [(fact.text, at) for fact, at in spaced_facts(text)]
    assert found == [(each[0], each.start()) for each in _spaced._MEASURED.finditer(text)]


@given(
    st.lists(st.sampled_from(["sk-", "ghp_", "eyJ", "AC", "a1" * 10, "A", ".", " "])).map("".join)
)
def test_reserved_beginnings_are_those_that_one_search_finds(text: str) -> None:
    """Would catch: a beginning that is not searched for; a secret within another."""
    found = list(_secrets._reserved(text))
    assert found == [each.span() for each in _secrets._KNOWN.finditer(text)]


_MODULES: Final = (_amounts, _atoms, _names, _paths, _tokens, _spaced, _lines, _secrets)
# Lookarounds, which re2 does not have.
_LEFT_OUT: Final = frozenset(
    {
        *("_HASH", "_URL", "_WINDOWS", "_GROUPED", "_MEASURED", "_UNIT", "_FIGURES", "_KNOWN"),
        *("_ACROSS", "_DIGIT_GROUPS"),
        *("_ROOT", "_DRIVE", "_DRIVEN", "_ESCAPE", "_BEFORE_ESCAPE", "_TOLD", "_SEGMENT"),
        *("_ANY_SEGMENT", "_DOLLARS", "_OF_DOLLARS", "_BEFORE_SIGN", "_AFTER_SIGN", "_BRACKET"),
        *("_OPENED", "_DECIMAL_COMMA", "_HAN_MEASURED"),
        *("DECISION", "CONSTRAINT", "CORRECTION", "ERROR", "TODO"),
    }
)


def _patterns(module: ModuleType) -> dict[str, re.Pattern[str]]:
    found = {name: each for name, each in vars(module).items() if isinstance(each, re.Pattern)}
    return {**found, **{kind.name: each for kind, each in getattr(module, "_PATTERNS", ())}}


_ALL: Final = {name: each for module in _MODULES for name, each in _patterns(module).items()}


def _for_re2(pattern: re.Pattern[str]) -> str:
    """Spell a pattern as re2 does."""
    spelled = re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), pattern.pattern)
    # Nothing follows the possessive repeat that there is, so it matches what a plain one does.
    spelled = spelled.replace(r"\Z", r"\z").replace(")++", ")+")
    return f"(?i){spelled}" if pattern.flags & re.IGNORECASE else spelled


def test_the_patterns_that_re2_cannot_express_are_those_with_lookarounds() -> None:
    """Would catch: a new pattern that no second engine checks, without a word about it."""
    lookaround = re.compile(r"\(\?<?[=!]")
    assert {name for name, each in _ALL.items() if lookaround.search(each.pattern)} == _LEFT_OUT


@pytest.mark.parametrize("name", sorted(_ALL.keys() - _LEFT_OUT))
def test_re2_finds_the_same_matches(name: str) -> None:
    """Would catch: a match that depends on how `re` goes back."""
    re2 = pytest.importorskip("re2", reason="google-re2 is not installed")
    pattern, other = _ALL[name], re2.compile(_for_re2(_ALL[name]))

    @given(ASCII | TEXTS.filter(str.isascii))
    def compare(text: str) -> None:
        spans = [each.span() for each in pattern.finditer(text) if each[0]]
        assert [each.span() for each in other.finditer(text) if each.group()] == spans
        whole, other_whole = pattern.fullmatch(text), other.fullmatch(text)
        assert (whole and whole.groups()) == (other_whole and other_whole.groups())

    compare()
