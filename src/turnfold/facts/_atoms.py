"""Classifying one atom: a piece of a token between brackets, quotes and separators."""

import re
from enum import StrEnum
from functools import partial
from itertools import chain
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


fact_of: Final = partial(tuple.__new__, Fact)
"""Makes a fact of a kind and a text, in a pair, in a third of the time that the class takes."""

# A member of an enumeration is looked up slowly.
_PATH: Final = Kind.PATH
_IDENTIFIER: Final = Kind.IDENTIFIER
_NUMBER_KIND: Final = Kind.NUMBER
_HASH_KIND: Final = Kind.HASH
_EMAIL_KIND: Final = Kind.EMAIL
_ENVIRONMENT: Final = Kind.ENVIRONMENT
_HYPHENATED_KIND: Final = Kind.HYPHENATED

_SUFFIX_WORDS: Final = (
    "bash bat bin c cc cfg clj conf cpp cs css csv cxx dart db diff dll dockerfile ejs env erl ex "
    "exe exs fish gif go gradle graphql gz h hcl hpp hs htm html ico ini ipynb java jpeg jpg js "
    "json jsonl jsx kt lock log lua m md mdx mjs mod nix out patch pdf php pl plist png po proto "
    "properties ps1 py pyi r rb rs rst sass scala scss sh sql sqlite sum svelte svg swift tar tex "
    "tf tmpl toml ts tsv tsx txt vue wasm webp xml yaml yml zig zip zsh"
)
SUFFIXES: Final = frozenset(_SUFFIX_WORDS.split())
"""What files of these names end in; other names with a dot may be of anything."""

_ROOT_WORDS: Final = (
    "app apps bin cmd config crates doc docs etc examples home internal lib opt packages pkg "
    "scripts src test tests tmp usr var vendor"
)
_ROOTS: Final = frozenset(_ROOT_WORDS.split())
_PLACE: Final = re.compile(r"(?::\d+){1,2}\Z")
_WORDLIKE: Final = re.compile(r"[^\W\d]\w")
_EMAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
# The names of POSIX errors that tools print, without their E; other words begin like this too.
_ERROR_NAMES: Final = (
    "2BIG ACCES ADDRINUSE ADDRNOTAVAIL AFNOSUPPORT AGAIN ALREADY BADF BADMSG BUSY CANCELED CHILD "
    "CONNABORTED CONNREFUSED CONNRESET DEADLK DESTADDRREQ DQUOT EXIST FAULT FBIG HOSTDOWN "
    "HOSTUNREACH IDRM ILSEQ INPROGRESS INTR INVAL ISCONN ISDIR LOOP MFILE MLINK MSGSIZE "
    "NAMETOOLONG NETDOWN NETRESET NETUNREACH NFILE NOBUFS NODEV NOENT NOEXEC NOLCK NOLINK NOMEM "
    "NOPROTOOPT NOSPC NOSYS NOTBLK NOTCONN NOTDIR NOTEMPTY NOTFOUND NOTSOCK NOTSUP NXIO "
    "OPNOTSUPP OVERFLOW PERM PIPE PROTO PROTONOSUPPORT PROTOTYPE RANGE ROFS SHUTDOWN SPIPE SRCH "
    "STALE TIMEDOUT TIMEOUT TXTBSY USERS WOULDBLOCK XDEV"
)
_ERROR_WORDS: Final = frozenset(f"E{name}" for name in _ERROR_NAMES.split())
# What is one fact as a whole, each in a group, in the order of `_WHOLE_KINDS`.
_WHOLE: Final = re.compile(
    r"([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})"
    r"|(\d{4}-\d{2}-\d{2}(?:T[\d:.]{4,18}(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)"
    r"|(\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5}|/\d{1,2})?|localhost:\d{1,5})"
    r"|([vV]\d{1,6}(?:\.\d+){0,5}(?:[-+.][\w.+-]*)?|\d+(?:\.\d+){2,5})"
    r"|([A-Z][A-Z0-9]{1,9}-\d+|#\d{2,8})"
    rf"|([A-Z]{{1,5}}\d{{2,6}}|E(?:{_ERROR_NAMES.replace(' ', '|')}))"
)
_WHOLE_KINDS: Final = (
    *(Kind.UUID, Kind.DATE, Kind.ADDRESS, Kind.VERSION, Kind.TICKET, Kind.ERROR),
)
_HASH: Final = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,128}")
_NUMBER: Final = re.compile(
    r"[+-]?(\d[\d,._]*(?:[eE][+-]?\d{1,4})?)([%A-Za-z\u00b5]{0,8}(?:/[a-z]{1,4})?)"
)
_ORDINALS: Final = frozenset(("st", "nd", "rd", "th"))
_GROUP: Final = r"[0-9a-fA-F]{1,4}"
_IPV6: Final = re.compile(
    rf"(?:{_GROUP}(?::{_GROUP}){{7}}|(?:{_GROUP}(?::{_GROUP}){{0,6}})?::"
    rf"(?:(?:{_GROUP}:){{0,6}}(?:{_GROUP}|\d{{1,3}}(?:\.\d{{1,3}}){{3}}))?)"
    r"(?:%[\w.-]{1,15})?(?:/\d{1,3})?"
)
_LOOPBACK: Final = "::1"
_HOST: Final = re.compile(r"[A-Za-z][\w.-]{0,100}:\d{4,5}")
_FLAG: Final = re.compile(r"--?[A-Za-z][\w-]+")
_BETWEEN_NAMES: Final = re.compile(r"[\\/ ]+")
_DOTTED: Final = re.compile(r"[^\W\d][\w-]*(?:\.[^\W\d][\w-]*)+")
_SNAKE: Final = re.compile(r"_*[^\W_]+(?:_+[^\W_]+)+_*|__[^\W_]+__|_[^\W\d_][^\W_]{2,}")
_CAMEL: Final = re.compile(r"[^\W\d_]*[a-z\d][A-Z][^\W_]*|[A-Z]{2,}[a-z][^\W_]*")
_SHOUTED: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_HYPHENATED: Final = re.compile(r"[^\W_]+(?:-[^\W_]+)+")
_OF_THE_DAY: Final = ("a.m", "p.m")
"""Abbreviations that end like the name of a file; `e.g` and the like do not."""

_RANGE: Final = re.compile(r"\.{2,}")
"""Between two commits, or the ends of a range of numbers."""

_NUMBERED: Final = re.compile(r"\d[\w-]*[_-][\w-]*(?:\.[\w-]+)*\.([^\W_]{1,10})")
"""A file whose name begins with its number or date: `0041_add_index.sql`."""

_SHORTEST: Final = 2
_DIGITS_ALONE: Final = 3
_CHOICE: Final = 2
"""`and/or` is a choice between two words; `a/b/c` is a path."""
_SHORTEST_IDENTIFIER: Final = 4
_MONTHS: Final = 12
_DAYS: Final = 31
_COLONS: Final = 7
"""An address that leaves out no zeros has so many."""


def facts_of_atom(atom: str, known: dict[str, tuple[Fact, ...]]) -> tuple[Fact, ...]:
    """Return the facts of one atom, the largest first; parts that are names follow their whole.

    Its characters say which patterns could match.

    Args:
        atom: The atom.
        known: What the pieces of earlier atoms are; what is new here is added.
    """
    atom = atom.rstrip(".:-+~")
    if not _SHORTEST <= len(atom) <= LONGEST_ATOM:
        return ()
    if atom.isalpha():
        return _facts_of_letters(atom)
    if atom.isdecimal():
        return (fact_of((_NUMBER_KIND, atom)),) if len(atom) >= _DIGITS_ALONE else ()
    if atom[0] == "-":
        return _facts_of_signed(atom)
    if ".." in atom and "/" not in atom:
        ends = (facts_of_atom(end, known) for end in _RANGE.split(atom))
        return distinct(tuple(chain.from_iterable(ends)))
    whole = None if "/" in atom and not atom[0].isdigit() else _fact_of_whole(atom)
    return (whole,) if whole else _facts_of_parts(atom, known)


def _fact_of_whole(atom: str) -> Fact | None:
    if whole := _WHOLE.fullmatch(atom):
        return fact_of((_WHOLE_KINDS[(whole.lastindex or 1) - 1], atom))
    return fact_of((_EMAIL_KIND, atom)) if "@" in atom and _EMAIL.fullmatch(atom) else None


def _facts_of_letters(atom: str) -> tuple[Fact, ...]:
    if atom[1:].islower():
        return ()
    if atom in _ERROR_WORDS:
        return (fact_of((Kind.ERROR, atom)),)
    is_name = len(atom) >= _SHORTEST_IDENTIFIER and _CAMEL.fullmatch(atom)
    return (fact_of((_IDENTIFIER, atom)),) if is_name else ()


def _facts_of_signed(atom: str) -> tuple[Fact, ...]:
    """Return the flag or the negative number that an atom with a leading minus is."""
    if "@" in atom and _EMAIL.fullmatch(atom):
        return (fact_of((_EMAIL_KIND, atom)),)
    if _FLAG.fullmatch(atom):
        return (fact_of((Kind.FLAG, atom)),)
    number = _NUMBER.fullmatch(atom, 1) if atom[1].isdigit() else None
    return (fact_of((_NUMBER_KIND, atom)),) if number and _tells(number) else ()


def _is_ipv6(atom: str) -> bool:
    """Whether an atom with a colon is an address: what slices and scopes look like is none."""
    if "::" not in atom and atom.count(":") < _COLONS:
        return False
    if not _IPV6.fullmatch(atom):
        return False
    address = atom.partition("/")[0].partition("%")[0]
    groups = [each for each in address.split(":") if each]
    is_mixed = not address.replace(":", "").isdecimal() and any(map(str.isdecimal, address))
    return is_mixed or len(groups) > _CHOICE or address == _LOOPBACK


def _facts_of_parts(atom: str, known: dict[str, tuple[Fact, ...]]) -> tuple[Fact, ...]:
    if ":" in atom and _is_ipv6(atom):
        return (fact_of((Kind.ADDRESS, atom)),)
    if "/" in atom:
        # Many places are in one file; no piece has a slash, so that files can be among them.
        path = _PLACE.sub("", atom) if ":" in atom else atom
        facts = known.get(path)
        if facts is None:
            facts = known[path] = _facts_of_path(path, known)
        return facts
    if ":" in atom:
        host, _, port = atom.partition(":")
        if _HOST.fullmatch(atom) and host.rpartition(".")[2] not in SUFFIXES:
            return _facts_of_pieces(fact_of((Kind.ADDRESS, atom)), [host, port], known)
        atom = _PLACE.sub("", atom)
    atom = atom.lstrip("@#~")
    if ":" in atom:
        return _facts_of_pieces(None, atom.split(":"), known)
    return _facts_of_piece(atom)


def _facts_of_path(atom: str, known: dict[str, tuple[Fact, ...]]) -> tuple[Fact, ...]:
    if (atom[0] == "+" or atom[0].isdigit()) and _NUMBER.fullmatch(atom):
        return (fact_of((_NUMBER_KIND, atom)),)
    if atom[0].isdigit() and _is_count_of(atom):
        return (fact_of((_NUMBER_KIND, atom)),)
    segments = [each for each in atom.split("/") if each]
    whole = fact_of((_PATH, atom)) if _is_path(atom, segments) else None
    return _facts_of_pieces(whole, segments, known)


def _is_count_of(atom: str) -> bool:
    """Whether an atom says how many of how many: `17/20`, which is no date and no choice."""
    some, _, all_of_them = atom.partition("/")
    if not (some.isdecimal() and all_of_them.isdecimal() and len(some) < _DIGITS_ALONE):
        return False
    if len(all_of_them) > _DIGITS_ALONE or int(some) > int(all_of_them):
        return False
    return int(some) > _MONTHS or int(all_of_them) > _DAYS


def facts_of_spaced_path(path: str) -> tuple[Fact, ...]:
    """Return the facts of a path that has blanks: the path, and the names in it."""
    return _facts_of_pieces(fact_of((_PATH, path)), _BETWEEN_NAMES.split(path), {})


def _facts_of_pieces(
    whole: Fact | None, pieces: list[str], known: dict[str, tuple[Fact, ...]]
) -> tuple[Fact, ...]:
    found: tuple[Fact, ...] = (whole,) if whole else ()
    for piece in pieces:
        if piece.isalpha() and piece.islower():
            continue
        facts = known.get(piece)
        if facts is None:
            facts = known[piece] = _facts_of_piece(piece)
        if facts:
            found += facts
    return distinct(found)


def distinct(found: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Return facts in their order, each once."""
    return found if len(found) <= 1 else tuple(dict.fromkeys(found))


def _is_path(atom: str, segments: list[str]) -> bool:
    if not any(map(_WORDLIKE.search, segments)):
        return False
    if atom[0] in "/.~" or len(segments) > _CHOICE:
        return True
    telling = "." in atom or "_" in atom or "-" in atom or segments[0] in _ROOTS
    return telling and len(segments) > 1


def _facts_of_piece(piece: str) -> tuple[Fact, ...]:
    piece = piece.strip(".-+")
    if len(piece) < _SHORTEST:
        return ()
    if piece[0].isdigit():
        return _facts_of_digits(piece)
    if "." not in piece or not _DOTTED.fullmatch(piece):
        return _facts_of_word(piece)
    parts = piece.split(".")
    if max(map(len, parts)) == 1 and (parts[-1] not in SUFFIXES or piece.lower() in _OF_THE_DAY):
        return ()
    kind = _PATH if parts[-1] in SUFFIXES else _IDENTIFIER
    found: tuple[Fact, ...] = (fact_of((kind, piece)),)
    for part in parts:
        if len(part) >= _SHORTEST_IDENTIFIER:
            found += _facts_of_word(part)
    return distinct(found)


def _facts_of_digits(piece: str) -> tuple[Fact, ...]:
    if _HASH.fullmatch(piece):
        return (fact_of((_HASH_KIND, piece)),)
    number = _NUMBER.fullmatch(piece)
    if number is None:
        numbered = _NUMBERED.fullmatch(piece) if "." in piece else None
        is_file = numbered is not None and numbered[1] in SUFFIXES
        return (fact_of((_PATH, piece)),) if is_file else _facts_of_word(piece)
    return (fact_of((_NUMBER_KIND, piece)),) if _tells(number) else ()


def _tells(number: re.Match[str]) -> bool:
    """Whether a number says enough to be looked for: a unit, a fraction, or digits."""
    figures, unit = number.groups()
    if unit in _ORDINALS:
        return False
    return bool(unit) or not figures.isdigit() or len(figures) >= _DIGITS_ALONE


def _facts_of_word(word: str) -> tuple[Fact, ...]:
    """Return what a word is, if anything; its characters say which patterns could match."""
    word = word.strip("-")
    if len(word) < _SHORTEST_IDENTIFIER:
        return ()
    if "_" in word:
        if _SHOUTED.fullmatch(word):
            return (fact_of((_ENVIRONMENT, word)),)
        return (fact_of((_IDENTIFIER, word)),) if _SNAKE.fullmatch(word) else ()
    if "-" in word:
        return (fact_of((_HYPHENATED_KIND, word)),) if _HYPHENATED.fullmatch(word) else ()
    if word.islower():
        is_hash = not word.isalpha() and _HASH.fullmatch(word)
        return (fact_of((_HASH_KIND, word)),) if is_hash else ()
    return (fact_of((_IDENTIFIER, word)),) if _CAMEL.fullmatch(word) else ()
