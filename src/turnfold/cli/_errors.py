"""What can go wrong between a person and a command, as errors with a code and as exit codes."""

import errno
import os
import sys
import traceback
from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from turnfold.cli import _show
from turnfold.errors import TurnfoldDefect, TurnfoldError

_OS_CODES: Mapping[int, str] = {
    errno.EACCES: "permission_denied",
    errno.EISDIR: "is_a_directory",
    errno.ENOENT: "file_not_found",
    errno.ENOSPC: "disk_full",
    errno.EPERM: "permission_denied",
}
_WHAT_TO_DO: Mapping[str, str] = {
    "disk_full": "; free some space, and run it again",
    "file_not_found": "; check the path",
    "is_a_directory": "; name a file in it",
    "permission_denied": "; check its permissions",
}


class ExitCode(IntEnum):
    """How a command ends."""

    FITS = 0
    UNMET = 1
    UNUSABLE = 2
    INTERRUPTED = 130
    READER_LEFT = 141


class CommandError(TurnfoldDefect):
    """Something that was asked for on the command line cannot be done."""

    default_code = "usage"


def place_of(error: TurnfoldError, name: str) -> TurnfoldError:
    """Return the same error, saying which file it is about."""
    shown = _show.clean(name)
    return type(error)(f"{shown}: {error.message}", {**error.details, "file": name}, error.code)


def from_os_error(fault: OSError, name: str | None = None) -> CommandError:
    """Return what the system said as an error that names the file."""
    path = name or os.fsdecode(fault.filename or "") or None
    code = _OS_CODES.get(fault.errno or 0, "file_error")
    said = fault.strerror or str(fault)
    where = f"{_show.clean(path)}: " if path else ""
    message = f"{where}{said}{_WHAT_TO_DO.get(code, '')}"
    return CommandError(message, {"file": path, "errno": fault.errno}, code)


def unexpected(fault: BaseException) -> CommandError:
    """Return the apology for a defect of turnfold itself; the traceback only where asked for."""
    if os.environ.get("TURNFOLD_DEBUG", "") not in ("", "0"):
        traceback.print_exception(fault, file=sys.stderr)
    kind = type(fault).__name__
    message = (
        f"turnfold failed unexpectedly ({kind}), and is sorry; "
        "set TURNFOLD_DEBUG=1 to see the traceback, and report it"
    )
    return CommandError(message, {"type": kind}, "internal_error")


def record_of(error: TurnfoldError) -> dict[str, Any]:
    """Return an error as a JSON line has it."""
    return {"schema": "turnfold.error/1", "error": error.to_dict()}
