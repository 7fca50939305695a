"""How an audit is configured, and the terms that it holds a summary to."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Literal, Self

from turnfold._canonical import sha256_of_record
from turnfold._record import sealed
from turnfold.errors import InvalidConfiguration

_LISTS: Final = ("keep", "drop", "scope")
_HEAVIEST: Final = 1_000_000
"""A weight; with any of these a sum of weights is a number that JSON has."""


@sealed
@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Terms that a summary is held to, literally.

    Args:
        keep: What must stand in the summary if the transcript has it.
        drop: What must not stand in the summary.
        scope: Limits that must stand in the summary if the transcript has them.

    Raises:
        InvalidConfiguration: A list is no tuple of texts, or has a blank one.
    """

    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in _LISTS:
            terms: object = getattr(self, name)
            if not _are_texts(terms):
                msg = f"{name} must be a tuple of texts that are not blank; got {terms!r:.80}"
                raise InvalidConfiguration(msg, {name: repr(terms)[:80]})

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
            f"the vocabulary has no list {str(name)[:40]!r}: it was left out"
            for name in record
            if name not in _LISTS
        ]
        terms: dict[str, tuple[str, ...]] = {}
        for name in _LISTS:
            listed = record.get(name, [])
            if not isinstance(listed, list | tuple):
                problems.append(f"the vocabulary's {name} is no list: it is empty")
                listed = []
            good = [each.strip() for each in listed if isinstance(each, str) and each.strip()]
            if len(good) != len(listed):
                wrong = len(listed) - len(good)
                problems.append(f"{wrong} terms of the vocabulary's {name} are no text: left out")
            terms[name] = tuple(dict.fromkeys(good))
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
        weights: The weight of a lost fact by its class, up to a million; 1 where it is not named.

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
                value = getattr(self, name)
                msg = f"{name} must be {rule}; got {value!r:.80}"
                raise InvalidConfiguration(msg, {name: repr(value)[:80]})

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
                problems.append(f"there is no option {str(name)[:40]!r}: it was left out")
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
        return tuple(sorted(given.items(), key=lambda pair: str(pair[0]))), ()
    return (tuple(given) if isinstance(given, list) else given), ()


def _rules(config: AuditConfig) -> tuple[tuple[str, bool, str], ...]:
    weights: Any = config.weights
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
            type(config.compliance_fingerprint_version) is int,
            "an integer",
        ),
        ("critical_number_count", _is_count(config.critical_number_count), "at least 1"),
        (
            "path_markers",
            type(config.path_markers) is tuple
            and all(type(each) is str and each for each in config.path_markers),
            "texts that are not empty",
        ),
        ("max_facts_per_category", _is_count(config.max_facts_per_category), "at least 1"),
        ("weights", _are_weights(weights), f"numbers from 0 to {_HEAVIEST:,} by class"),
    )


def _are_texts(value: object) -> bool:
    return type(value) is tuple and all(isinstance(each, str) and each.strip() for each in value)


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 1


def _are_weights(weights: object) -> bool:
    return type(weights) is tuple and all(
        type(pair) is tuple
        and len(pair) == 2  # noqa: PLR2004  A pair.
        and type(pair[0]) is str
        and type(pair[1]) in (int, float)
        and 0 <= pair[1] <= _HEAVIEST
        for pair in weights
    )
