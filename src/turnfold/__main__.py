"""The command `turnfold`, which needs the extra `cli`."""

import sys

_EXTRA = frozenset({"rich", "typer"})
_HINT = "turnfold's command line is an extra; install it with: pip install 'turnfold[cli]'\n"
_INTERRUPTED = 130
_UNUSABLE = 2
_AT_EVERY_PROMPT = ["hook", "claude-code"]


def main() -> int:
    """Run the command line on the arguments of the process, and return its exit code."""
    try:
        if sys.argv[1:3] == _AT_EVERY_PROMPT:
            from turnfold.cli.hook import run_hook  # noqa: PLC0415  Loads no other command.

            return run_hook(sys.argv[2:])
        from turnfold.cli import run  # noqa: PLC0415  The extra may not be installed.
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in _EXTRA:
            raise
        sys.stderr.write(_HINT)
        return _UNUSABLE
    except KeyboardInterrupt:
        return _INTERRUPTED
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
