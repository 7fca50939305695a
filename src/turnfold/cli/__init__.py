"""The command line: one command, one file; all file I/O of the package lives in `_files`.

Exit codes: 0 the result fits, 1 it is over the budget and was written all the same, 2 the input,
the options or the budget cannot be used, 130 interrupted, 141 the reader of the output left.
With `--json`, standard output holds the result alone, and each line of standard error is an
object with one of `error`, `warning` and `report`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turnfold.cli._app import app, run

__all__ = ["app", "run"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from turnfold.cli import _app  # noqa: PLC0415  Loads all commands.

    return getattr(_app, name)
