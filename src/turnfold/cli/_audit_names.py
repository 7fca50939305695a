"""What can be asked of `turnfold audit`; nothing of the audit itself is loaded for it."""

from dataclasses import dataclass
from enum import StrEnum

from turnfold.cli._values import Scope


class ProfileName(StrEnum):
    """The profiles that the command line offers."""

    DEFAULT = "default"
    SURFACE = "surface"


class Threshold(StrEnum):
    """From which severity on an audit fails."""

    HIGH = "high"
    MEDIUM = "medium"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The arguments and options of one run, as they were given."""

    files: tuple[str, ...]
    min_severity: Threshold | None = None
    profile: ProfileName | None = None
    vocabulary: str | None = None
    config: str | None = None
    scope: Scope | None = None
    format_name: str | None = None
    sarif: str | None = None
    junit: str | None = None
    force: bool = False
    jsonl: bool = False
    as_json: bool = False
    quiet: bool = False
