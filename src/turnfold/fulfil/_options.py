"""How summaries are asked for, judged and replaced where they fail (contracts F1, F3, F5)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

from turnfold._record import sealed
from turnfold.errors import InvalidConfiguration
from turnfold.facts import redact as redact_secrets
from turnfold.fulfil._job import Redactor
from turnfold.protocols import Estimator

if TYPE_CHECKING:
    from turnfold.audit import AuditConfig

Gate = Literal["strict", "repair", "warn", "off"]
Digest = Literal["fallback", "append", "never"]

_MOST_TRIES: Final = 10


@sealed
@dataclass(frozen=True, slots=True)
class FulfilOptions:
    """How a plan's summaries are written.

    Args:
        tries: How often a writer is asked for one summary, the first time included.
        timeout: After how many seconds a try is given up; None waits for ever.
        concurrency: How many summaries are written at once.
        gate: What the audit of a summary decides. `strict`: no summary stands whose audit fails,
            the digest included. `repair`: its findings go back to the writer while there are
            tries, then the digest stands in. `warn`: it is accepted, and the report is there to
            be read. `off`: no audit.
        digest: Whether the digest that needs no model stands in where a writer fails
            (`fallback`), stands behind every summary as well (`append`), or not at all (`never`).
        tolerance: By which share a summary may exceed its target, since models count badly; one
            that is not smaller than what it replaces is never accepted.
        window: What the turns of a job may take up together, in tokens of the estimator; more is
            clipped, and recorded. None: no limit.
        estimator: Measures texts; the built-in character ratio when absent.
        redact: Runs over all that a writer reads and over what it writes; None passes
            credentials on.
        audit: The options of the audit.

    Raises:
        InvalidConfiguration: A value is one that the option cannot have.
    """

    tries: int = 2
    timeout: float | None = 120.0
    concurrency: int = 4
    gate: Gate = "repair"
    digest: Digest = "fallback"
    tolerance: float = 0.25
    window: int | None = None
    estimator: Estimator | None = None
    redact: Redactor | None = redact_secrets
    audit: "AuditConfig | None" = None

    def __post_init__(self) -> None:
        _require_count("tries", self.tries, at_most=_MOST_TRIES)
        _require_count("concurrency", self.concurrency)
        if self.window is not None:
            _require_count("window", self.window)
        _require_choice("gate", self.gate, get_args(Gate))
        _require_choice("digest", self.digest, get_args(Digest))
        if self.timeout is not None and not (_is_number(self.timeout) and self.timeout > 0):
            msg = f"timeout is a number of seconds above 0, or None; got {self.timeout!r}"
            raise InvalidConfiguration(msg, {"timeout": repr(self.timeout)})
        if not (_is_number(self.tolerance) and 0 <= self.tolerance <= 1):
            msg = f"tolerance is a share from 0 to 1; got {self.tolerance!r}"
            raise InvalidConfiguration(msg, {"tolerance": repr(self.tolerance)})


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _require_count(name: str, value: object, *, at_most: int | None = None) -> None:
    if type(value) is not int or value < 1 or (at_most is not None and value > at_most):
        most = "" if at_most is None else f" and at most {at_most}"
        msg = f"{name} is an integer of at least 1{most}; got {value!r}"
        raise InvalidConfiguration(msg, {name: repr(value)})


def _require_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        msg = f"{name} is one of {', '.join(choices)}; got {value!r}"
        raise InvalidConfiguration(msg, {name: repr(value)})
