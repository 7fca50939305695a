"""Classifying one atom: a piece of a token between brackets, quotes and separators."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple

LONGEST_ATOM: Final = 256
"""An atom with more characters is not examined; nothing that people write is longer."""


class Kind(StrEnum):
    """What a fact is; the value is the wire form."""

    PATH = "path"
    URL = "url"
    EMAIL = "email"
    ADDRESS = "address"
    IDENTIFIER = "identifier"
    HYPHENATED = "hyphenated"
    ENVIRONMENT = "environment"
    FLAG = "flag"
    HASH = "hash"
    UUID = "uuid"
    VERSION = "version"
    DATE = "date"
    NUMBER = "number"
    TICKET = "ticket"
    ERROR = "error"
    QUOTED = "quoted"


class Fact(NamedTuple):
    """A verifiable name as it stands in the text, and what kind it is."""

    kind: Kind
    text: str


_SUFFIX_WORDS: Final = (
    "bash bat bin c cc cfg clj conf cpp cs css csv cxx dart db diff dockerfile ejs env erl ex exs "
    "fish gif go gradle graphql gz h hcl hpp hs htm html ico ini ipynb java jpeg jpg js json jsonl "
    "jsx kt lock log lua m md mdx mjs mod nix out patch pdf php pl plist png po properties proto "
    "ps1 py pyi r rb rs rst sass scala scss sh sql sqlite sum svelte svg swift tar tex tf tmpl "
    "toml ts tsv tsx txt vue wasm webp xml yaml yml zig zip zsh"
)
_SUFFIXES: Final = frozenset(_SUFFIX_WORDS.split())
_ROOT_WORDS: Final = (
    "app apps bin cmd config crates doc docs etc examples home internal lib opt packages pkg "
    "scripts src test tests tmp usr var vendor"
)
_ROOTS: Final = frozenset(_ROOT_WORDS.split())
_PLACE: Final = re.compile(r"(?::\d+){1,2}\Z")
_WORDLIKE: Final = re.compile(r"[^\W\d]\w")
_SIMPLE: Final = (
    (
        Kind.UUID,
        re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"),
    ),
    (Kind.DATE, re.compile(r"\d{4}-\d{2}-\d{2}(?:T[\d:.]{4,18}(?:Z|[+-]\d\d:?\d\d)?)?")),
    (Kind.ADDRESS, re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5}|/\d{1,2})?|localhost:\d{1,5}")),
    (Kind.VERSION, re.compile(r"[vV]\d{1,6}(?:\.\d+){0,5}(?:[-+.][\w.+-]*)?|\d+(?:\.\d+){2,5}")),
    (Kind.EMAIL, re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    (Kind.TICKET, re.compile(r"[A-Z][A-Z0-9]{1,9}-\d+|#\d{2,8}")),
    (Kind.ERROR, re.compile(r"[A-Z]{1,5}\d{2,6}|E[A-Z]{4,12}")),
)
_HASH: Final = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,128}")
_NUMBER: Final = re.compile(r"[+-]?(\d[\d,._]*)([%A-Za-z\u00b5]{0,8}(?:/[a-z]{1,4})?)")
_FLAG: Final = re.compile(r"--?[A-Za-z][\w-]+")
_DOTTED: Final = re.compile(r"[^\W\d][\w-]*(?:\.[^\W\d][\w-]*)+")
_SNAKE: Final = re.compile(r"_*[^\W_]+(?:_+[^\W_]+)+_*|__[^\W_]+__|_[^\W\d_][^\W_]{2,}")
_CAMEL: Final = re.compile(r"[^\W\d_]*[a-z\d][A-Z][^\W_]*|[A-Z]{2,}[a-z][^\W_]*")
_SHOUTED: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_HYPHENATED: Final = re.compile(r"[^\W_]+(?:-[^\W_]+)+")
_SHORTEST: Final = 2
_DIGITS_ALONE: Final = 3
_CHOICE: Final = 2
"""`and/or` is a choice between two words; `a/b/c` is a path."""
_SHORTEST_IDENTIFIER: Final = 4


def facts_of_atom(atom: str) -> Iterator[Fact]:
    """Yield the facts of one atom, the largest first; parts that are names follow their whole."""
    atom = atom.rstrip(".:-+~")
    if not _SHORTEST <= len(atom) <= LONGEST_ATOM:
        return
    for kind, pattern in _SIMPLE:
        if pattern.fullmatch(atom):
            yield Fact(kind, atom)
            return
    if atom[0] == "-":
        if _FLAG.fullmatch(atom):
            yield Fact(Kind.FLAG, atom)
        return
    bare = _PLACE.sub("", atom)
    if "/" in bare:
        yield from _facts_of_path(bare)
        return
    for piece in bare.lstrip("@#~").split(":"):
        yield from _facts_of_piece(piece)


def _facts_of_path(atom: str) -> Iterator[Fact]:
    if _NUMBER.fullmatch(atom):
        yield Fact(Kind.NUMBER, atom)
        return
    segments = [each for each in atom.split("/") if each]
    if _is_path(atom, segments):
        yield Fact(Kind.PATH, atom)
    for segment in segments:
        yield from _facts_of_piece(segment)


def _is_path(atom: str, segments: list[str]) -> bool:
    if not any(map(_WORDLIKE.search, segments)):
        return False
    marked = atom[0] in "/.~" or len(segments) > _CHOICE
    telling = segments[0] in _ROOTS or any(mark in atom for mark in "._-")
    return marked or (len(segments) > 1 and telling)


def _facts_of_piece(piece: str) -> Iterator[Fact]:
    piece = piece.strip(".-+")
    if len(piece) < _SHORTEST:
        return
    if piece[0].isdigit():
        yield from _facts_of_digits(piece)
        return
    if _DOTTED.fullmatch(piece):
        suffix = piece.rpartition(".")[2]
        yield Fact(Kind.PATH if suffix in _SUFFIXES else Kind.IDENTIFIER, piece)
        for part in piece.split("."):
            yield from _facts_of_word(part)
        return
    yield from _facts_of_word(piece)


def _facts_of_digits(piece: str) -> Iterator[Fact]:
    if _HASH.fullmatch(piece):
        yield Fact(Kind.HASH, piece)
    elif found := _NUMBER.fullmatch(piece):
        digits = sum(map(str.isdigit, found[1]))
        if found[2] or digits >= _DIGITS_ALONE or "." in found[1]:
            yield Fact(Kind.NUMBER, piece)
    else:
        yield from _facts_of_word(piece)


def _facts_of_word(word: str) -> Iterator[Fact]:
    word = word.strip("-")
    if len(word) < _SHORTEST_IDENTIFIER:
        return
    if _SHOUTED.fullmatch(word):
        yield Fact(Kind.ENVIRONMENT, word)
    elif _SNAKE.fullmatch(word) or _CAMEL.fullmatch(word):
        yield Fact(Kind.IDENTIFIER, word)
    elif _HASH.fullmatch(word):
        yield Fact(Kind.HASH, word)
    elif _HYPHENATED.fullmatch(word):
        yield Fact(Kind.HYPHENATED, word)
