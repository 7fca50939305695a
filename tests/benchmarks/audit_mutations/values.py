"""Typed values: how one is made, and how each kind is changed by one step."""

import datetime as dt
import random
import re
import uuid
from collections.abc import Callable
from typing import Final

_STEMS: Final = [
    "loader",
    "parser",
    "router",
    "ledger",
    "broker",
    "scanner",
    "planner",
    "builder",
    "packer",
    "indexer",
    "mailer",
    "sampler",
    "tracer",
    "watcher",
    "fetcher",
    "merger",
    "splitter",
    "locker",
    "signer",
    "walker",
]
_PACKAGES: Final = [
    "billing",
    "search",
    "ingest",
    "auth",
    "reports",
    "catalog",
    "gateway",
    "exports",
]
_VERBS: Final = ["fetch", "build", "parse", "merge", "drain", "flush", "resolve", "collect"]
_NOUNS: Final = [
    "user",
    "order",
    "batch",
    "token",
    "queue",
    "invoice",
    "shard",
    "window",
    "cursor",
    "retry",
]
_QUOTED: Final = (
    "café à emporter",
    "résumé déjà envoyé",
    "Größe nicht verfügbar",
    "señal perdida en línea",
    "naïve façade rendered",
    "crème brûlée sold out",
)
_UNITS: Final = {
    "ms": "s",
    "s": "ms",
    "seconds": "minutes",
    "minutes": "seconds",
    "MB": "GB",
    "GB": "MB",
    "KB": "MB",
    "days": "hours",
    "hours": "days",
    "%": "ms",
}
LOOKALIKES: Final = str.maketrans("aeopcxy", "аеорсху")  # noqa: RUF001  Cyrillic on purpose.
_CAPITALS: Final = str.maketrans("AEOPCTH", "АЕОРСТН")  # noqa: RUF001  Cyrillic on purpose.

Pick = random.Random


def _digits(pick: Pick, count: int) -> str:
    """Return digits without a repeat beside each other: a cut or a swap always shows."""
    found = pick.choice("123456789")
    while len(found) < count:
        found += pick.choice([each for each in "0123456789" if each != found[-1]])
    return found


def _hexes(pick: Pick, count: int) -> str:
    letters = "".join(pick.choice("0123456789abcdef") for _ in range(count - 2))
    return f"{pick.choice('abcdef')}{letters}{pick.choice('123456789')}"


def _stem(pick: Pick) -> str:
    return f"{pick.choice(_NOUNS)}_{pick.choice(_STEMS)}"


def _relative(pick: Pick) -> str:
    return f"src/{pick.choice(_PACKAGES)}/{_stem(pick)}.py"


def _snake(pick: Pick) -> str:
    first, second = pick.sample(_NOUNS, 2)
    return f"{pick.choice(_VERBS)}_{first}_{second}"


def _camel(pick: Pick) -> str:
    first, second = pick.sample(_NOUNS, 2)
    return f"{pick.choice(_VERBS)}{first.title()}{second.title()}"


def _url(pick: Pick) -> str:
    query = f"{pick.choice(_NOUNS)}={pick.choice(_NOUNS)}&limit={_digits(pick, 3)}"
    place = f"~{pick.choice(_PACKAGES)}/{pick.choice(_NOUNS)}-{pick.choice(_STEMS)}"
    return f"https://{pick.choice(_STEMS)}.example.org/{place}?{query}"


def _date(pick: Pick) -> str:
    return str(dt.date(2026, 1, 11) + dt.timedelta(pick.randrange(330)))


def _signed(pick: Pick) -> str:
    if pick.random() < 0.5:
        return f"-0.{_digits(pick, 2)}"
    return f"{_digits(pick, 1)}.{_digits(pick, 1)}e-{pick.randint(3, 9)}"


def _error(pick: Pick) -> str:
    if pick.random() < 0.5:
        return f"E{_digits(pick, 4)}"
    return f"{pick.choice(_NOUNS).title()}{pick.choice(_STEMS).title()}Error"


MAKERS: Final[dict[str, Callable[[Pick], str]]] = {
    "path": _relative,
    "edit": _relative,
    "home": lambda p: f"/home/{p.choice(('dana', 'kim', 'lee'))}/notes/{_stem(p)}.md",
    "line": lambda p: f"{_relative(p)}:{_digits(p, 3)}",
    "url": _url,
    "measure": lambda p: (
        f"{_digits(p, p.randint(2, 3))} {p.choice(['ms', 'MB', 'seconds', 'minutes', 'GB', 'KB'])}"
    ),
    "span": lambda p: f"{_digits(p, p.randint(2, 3))} {p.choice(['ms', 'seconds', 'minutes'])}",
    "size": lambda p: f"{_digits(p, p.randint(2, 3))} {p.choice(['KB', 'MB', 'GB'])}",
    "count": lambda p: _digits(p, p.randint(5, 6)),
    "version": lambda p: f"{p.randint(1, 9)}.{p.randint(1, 30)}.{_digits(p, 2)}",
    "hash": lambda p: _hexes(p, 40),
    "ticket": lambda p: f"{p.choice(('OPS', 'PAY', 'CORE', 'WEB'))}-{_digits(p, 4)}",
    "address": lambda p: (
        f"10.{p.randint(1, 250)}.{p.randint(1, 250)}.{_digits(p, 2)}:8{_digits(p, 3)}"
    ),
    "env": lambda p: "_".join(p.sample(_NOUNS, 3)).upper(),
    "flag": lambda p: "--" + "-".join(p.sample(_NOUNS, 3)),
    "error": _error,
    "identifier": lambda p: p.choice((_snake, _camel))(p),
    "quoted": lambda p: p.choice(_QUOTED),
    "date": _date,
    "uuid": lambda p: str(uuid.UUID(bytes=p.randbytes(16), version=4)),
    "email": lambda p: f"{p.choice(_NOUNS)}.{p.choice(_STEMS)}{_digits(p, 2)}@example.org",
    "signed": _signed,
}
KINDS: Final = tuple(MAKERS)


def another_digit(pick: Pick, kind: str, value: str) -> str:
    """Change one digit (of a hash or a UUID one hexadecimal digit) to another."""
    letters = "0123456789abcdef" if kind in ("hash", "uuid") else "0123456789"
    places = [at for at, letter in enumerate(value) if letter in letters]
    if kind == "uuid":
        places = [at for at in places if at not in (14, 19)]
    if kind == "url":
        places = places[-3:]
    at = pick.choice(places)
    others = [each for each in letters if each != value[at] and (each != "0" or at > 0)]
    return value[:at] + pick.choice(others) + value[at + 1 :]


def longer(pick: Pick, kind: str, value: str) -> str:
    """Extend a value by one character of its own alphabet, where a real one could end so."""
    if kind == "measure":
        number, _, unit = value.partition(" ")
        return f"{number}{pick.randint(1, 9)} {unit}"
    stem, dot, suffix = _stem_of(kind, value)
    last = stem[-1]
    if last.isdigit():
        return f"{stem}{pick.randint(1, 9)}{dot}{suffix}"
    return f"{stem}{'S' if last.isupper() else 's'}{dot}{suffix}"


def shorter(pick: Pick, kind: str, value: str) -> str:
    """Cut a value by one character, never at a place where the rest is a legal short form."""
    del pick
    if kind == "measure":
        number, _, unit = value.partition(" ")
        return f"{number[:-1]} {unit}"
    stem, dot, suffix = _stem_of(kind, value)
    return f"{stem[:-1]}{dot}{suffix}"


def _stem_of(kind: str, value: str) -> tuple[str, str, str]:
    if kind in ("path", "edit", "home"):
        return value.rpartition(".")
    if kind == "email":
        stem, _, host = value.partition("@")
        return stem, "@", host
    return value, "", ""


def sibling(pick: Pick, value: str) -> str:
    """Return another file of the same folder."""
    folder, _, name = value.rpartition("/")
    suffix = name.rpartition(".")[2]
    return f"{folder}/{_stem(pick)}.{suffix}"


def another_unit(value: str) -> str:
    """Return a number with another unit."""
    number, _, unit = value.partition(" ")
    return f"{number} {_UNITS[unit]}"


def another_case(pick: Pick, value: str) -> str:
    """Return an identifier in another case."""
    forms = [value.lower(), value.upper(), value[:1].upper() + value[1:], value.swapcase()]
    return pick.choice([each for each in dict.fromkeys(forms) if each != value])


def parts_swapped(pick: Pick, value: str) -> str:
    """Return an identifier with two of its parts exchanged."""
    lead = "--" if value.startswith("--") else ""
    joint = "-" if lead else "_" if "_" in value else ""
    body = value.removeprefix(lead)
    parts = body.split(joint) if joint else re.findall("[A-Z]?[a-z]+", body)
    at = pick.randrange(len(parts) - 1)
    if not joint:
        at = len(parts) - 2  # The humps of camel case; its first part is another case.
    parts[at], parts[at + 1] = parts[at + 1], parts[at]
    return lead + joint.join(parts)


def lookalike(pick: Pick, value: str) -> str:
    """Replace one letter by one of another script that looks the same."""
    places = [at for at, letter in enumerate(value) if letter.translate(LOOKALIKES) != letter] or [
        at for at, letter in enumerate(value) if letter.translate(_CAPITALS) != letter
    ]
    at = pick.choice(places)
    return value[:at] + value[at].translate(LOOKALIKES).translate(_CAPITALS) + value[at + 1 :]


def another_sign(pick: Pick, value: str) -> str:
    """Change the sign, or the exponent."""
    if value.startswith("-"):
        return value[1:]
    base, _, power = value.partition("e-")
    return pick.choice([f"{base}e{power}", f"{base}e-{int(power) + 2}"])


def shifted(pick: Pick, value: str) -> str:
    """Shift a date by a few days."""
    days = pick.choice([-7, -3, -2, -1, 1, 2, 3, 7])
    return str(dt.date.fromisoformat(value) + dt.timedelta(days))
