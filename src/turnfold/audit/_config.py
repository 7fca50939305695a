"""How an audit is configured, and the terms that it holds a summary to."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from operator import itemgetter
from typing import Any, Final, Literal, Self

from turnfold._canonical import sha256_of_record
from turnfold._record import sealed
from turnfold.errors import InvalidConfiguration, name_some, shown, some
from turnfold.facts import Kind

_LISTS: Final = ("keep", "drop", "scope")
_HEAVIEST: Final = 1_000_000
"""A weight; with any of these a sum of weights is a number that JSON has."""

_LARGEST: Final = 2**53 - 1
"""An integer; every reader of JSON has it as it was written."""

_CLASSES: Final = frozenset(kind.value for kind in Kind)
_INVISIBLE: Final = "\u200b\u2060\ufeff"


@sealed
@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Terms that a summary is held to, literally.

    Args:
        keep: What must stand in the summary if the transcript has it.
        drop: What must not stand in the summary.
        scope: Limits that must stand in the summary if the transcript has them.

    Raises:
        InvalidConfiguration: A list is no tuple of texts; one of them is blank, is there twice, or
            has white space or a byte order mark around it, with which it would never be found; or
            a term is to be kept and dropped.
    """

    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in _LISTS:
            terms: object = getattr(self, name)
            if not _are_terms(terms):
                msg = (
                    f"{name} must be a tuple of texts that are not blank, each once and with no "
                    f"white space around it; got {shown(terms)}"
                )
                raise InvalidConfiguration(msg, {name: shown(terms)})
        if both := sorted(_folded(self.keep) & _folded(self.drop)):
            msg = f"a term is to be kept or to be dropped, not both: {name_some(both)}"
            raise InvalidConfiguration(msg, {"terms": some(both)})

    @property
    def is_empty(self) -> bool:
        """Whether there is no term to check."""
        return not (self.keep or self.drop or self.scope)

    def fingerprint(self, version: int = 1) -> str:
        """Return a short digest of the terms, for telling two vocabularies apart."""
        return sha256_of_record({"version": version, **self.to_dict()})[:16]

    def to_dict(self) -> dict[str, Any]:
        """Return the vocabulary as plain JSON values."""
        return {name: list(getattr(self, name)) for name in _LISTS}

    @classmethod
    def from_dict(cls, record: object) -> tuple[Self, tuple[str, ...]]:
        """Read a vocabulary; what cannot be used is left out and named, never raised.

        Returns:
            The vocabulary, and a sentence for each thing that was left out.
        """
        if not isinstance(record, Mapping):
            return cls(), (
                f"the vocabulary is a {type(record).__name__}, not an object: it is empty",
            )
        problems = [
            f"the vocabulary has no list {shown(name, 40)}: it was left out"
            for name in record
            if name not in _LISTS
        ]
        terms: dict[str, tuple[str, ...]] = {}
        for name in _LISTS:
            listed = record.get(name, [])
            if not isinstance(listed, list | tuple):
                problems.append(f"the vocabulary's {name} is no list: it is empty")
                listed = []
            texts = [each for each in map(_trimmed, listed) if each]
            if wrong := len(listed) - len(texts):
                problems.append(f"{wrong} terms of the vocabulary's {name} are no text: left out")
            distinct: dict[str, str] = {}
            for each in texts:
                distinct.setdefault(each.casefold(), each)
            terms[name] = tuple(distinct.values())
        kept = _folded(terms["keep"])
        if both := [each for each in terms["drop"] if each.casefold() in kept]:
            problems.append(f"to be kept and to be dropped: {name_some(both)}; each is kept")
            terms["drop"] = tuple(each for each in terms["drop"] if each not in both)
        made = cls(**terms)
        if made.is_empty:
            problems.append("the vocabulary is empty: no term was checked")
        return made, tuple(problems)


DEFAULT_WEIGHTS: Final[Mapping[str, float]] = {
    "path": 2.0,
    "url": 2.0,
    "hash": 1.0,
    "ticket": 2.0,
    "error": 1.5,
    "number": 1.0,
    "quoted": 0.5,
}


@sealed
@dataclass(frozen=True, slots=True)
class AuditConfig:
    """What an audit checks and how it weighs; every option has a default.

    Args:
        profile: `default`, or `surface` for totals as `compact-audit` has them.
        min_severity: The threshold of FAIL: `high` or `medium`.
        check_compliance: Whether the vocabulary's terms and the user's rules are checked.
        compliance_vocabulary: The terms.
        compliance_fingerprint_version: Which spelling of the vocabulary's fingerprint.
        critical_number_count: A number that occurs so often is a key fact.
        path_markers: First segments that make a relative path a path of the project.
        max_facts_per_category: How many lost facts of a class are listed; a report says what was
            left out.
        weights: The weight of a lost fact by its class, a `turnfold.facts.Kind`, up to a million; 1
            where it is not named.

    Raises:
        InvalidConfiguration: An option has a value that it cannot have.
    """

    profile: Literal["default", "surface"] = "default"
    min_severity: Literal["high", "medium"] = "high"
    check_compliance: bool = True
    compliance_vocabulary: Vocabulary = field(default_factory=Vocabulary)
    compliance_fingerprint_version: int = 1
    critical_number_count: int = 3
    path_markers: tuple[str, ...] = ("src/", "tests/", "docs/")
    max_facts_per_category: int = 200
    weights: tuple[tuple[str, float], ...] = tuple(sorted(DEFAULT_WEIGHTS.items()))

    def __post_init__(self) -> None:
        for name, holds, rule in _rules(self):
            if not holds:
                given = shown(getattr(self, name))
                msg = f"{name} must be {rule}; got {given}"
                raise InvalidConfiguration(msg, {name: given})

    def weight_of(self, kind: str) -> float:
        """Return what losing a fact of this class weighs."""
        return next((weight for name, weight in self.weights if name == kind), 1.0)

    def fingerprint(self) -> str:
        """Return a short digest of all options, for telling two configurations apart."""
        return sha256_of_record(self.to_dict())[:16]

    def to_dict(self) -> dict[str, Any]:
        """Return the configuration as plain JSON values."""
        return {
            **{each.name: getattr(self, each.name) for each in fields(self)},
            "compliance_vocabulary": self.compliance_vocabulary.to_dict(),
            "path_markers": list(self.path_markers),
            "weights": dict(self.weights),
        }

    @classmethod
    def from_dict(cls, record: object) -> tuple[Self, tuple[str, ...]]:
        """Read a configuration from what JSON or TOML gives; what cannot be used is the default.

        Returns:
            The configuration, and a sentence for each option that could not be used.
        """
        made = cls()
        if not isinstance(record, Mapping):
            return made, (f"the configuration is a {type(record).__name__}, not a table: defaults",)
        problems: list[str] = []
        known = {each.name for each in fields(cls)}
        for name, given in record.items():
            if name not in known:
                problems.append(f"there is no option {shown(name, 40)}: it was left out")
                continue
            value, found = _read(name, given)
            problems += found
            try:
                made = replace(made, **{name: value})
            except (InvalidConfiguration, TypeError) as fault:
                problems.append(f"{fault}: the default is used")
        return made, tuple(problems)


def _read(name: str, given: object) -> tuple[Any, tuple[str, ...]]:
    """Return an option as its type has it, and what was left out of it."""
    if name == "compliance_vocabulary":
        return Vocabulary.from_dict(given)
    if name == "weights" and isinstance(given, Mapping):
        named = [pair for pair in given.items() if isinstance(pair[0], str)]
        others = [pair for pair in given.items() if not isinstance(pair[0], str)]
        return (*sorted(named, key=itemgetter(0)), *others), ()
    return (tuple(given) if isinstance(given, list) else given), ()


def _rules(config: AuditConfig) -> tuple[tuple[str, bool, str], ...]:
    weights: Any = config.weights
    count = f"an integer from 1 to {_LARGEST:,}"
    classes = ", ".join(sorted(_CLASSES))
    return (
        ("profile", config.profile in ("default", "surface"), "'default' or 'surface'"),
        ("min_severity", config.min_severity in ("high", "medium"), "'high' or 'medium'"),
        ("check_compliance", type(config.check_compliance) is bool, "true or false"),
        (
            "compliance_vocabulary",
            type(config.compliance_vocabulary) is Vocabulary,
            "a Vocabulary",
        ),
        (
            "compliance_fingerprint_version",
            _is_count(config.compliance_fingerprint_version),
            count,
        ),
        ("critical_number_count", _is_count(config.critical_number_count), count),
        (
            "path_markers",
            type(config.path_markers) is tuple
            and all(type(each) is str and each.strip() for each in config.path_markers),
            "a tuple of texts that are not blank",
        ),
        ("max_facts_per_category", _is_count(config.max_facts_per_category), count),
        (
            "weights",
            _are_weights(weights),
            f"pairs of a class and a number from 0 to {_HEAVIEST:,}, each class once, of {classes}",
        ),
    )


def _are_terms(value: object) -> bool:
    return (
        type(value) is tuple
        and all(isinstance(each, str) and each and _trimmed(each) == each for each in value)
        and len(_folded(value)) == len(value)
    )


def _trimmed(term: object) -> str:
    """Return a term without what cannot be seen around it; nothing for what is no text."""
    return term.strip().strip(_INVISIBLE).strip() if isinstance(term, str) else ""


def _folded(terms: Iterable[str]) -> frozenset[str]:
    return frozenset(each.casefold() for each in terms)


def _is_count(value: object) -> bool:
    return type(value) is int and 1 <= value <= _LARGEST


def _are_weights(weights: object) -> bool:
    return (
        type(weights) is tuple
        and all(map(_is_weight, weights))
        and len(dict(weights)) == len(weights)
    )


def _is_weight(pair: object) -> bool:
    return (
        type(pair) is tuple
        and len(pair) == 2  # noqa: PLR2004  A pair.
        and isinstance(pair[0], str)
        and pair[0] in _CLASSES
        and type(pair[1]) in (int, float)
        and 0 <= pair[1] <= _HEAVIEST
    )
