"""All files that turnfold reads and writes. Nothing else in the package opens one."""

import json
import os
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from turnfold.cli._errors import CommandError, from_os_error
from turnfold.cli._show import clean

STANDARD: Final = "-"

_NEW_FILE: Final = 0o666
_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Turn what the system says about a file into an error that names the file."""
    try:
        yield
    except (BrokenPipeError, CommandError):
        raise
    except OSError as fault:
        raise from_os_error(fault, path) from fault
    except ValueError as fault:  # A path with a NUL.
        message = f"{clean(path)}: not a path: {fault}"
        raise CommandError(message, {"file": path}, "file_error") from fault


@dataclass(slots=True)
class Source:
    """A file to read, or standard input, which is kept so that it can be read again."""

    path: str
    _kept: bytes | None = field(default=None, repr=False)

    @property
    def is_standard(self) -> bool:
        """Whether it is standard input."""
        return self.path == STANDARD

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return "standard input" if self.is_standard else self.path

    def size(self) -> int | None:
        """Return how many bytes there are, where that is known."""
        if self.is_standard:
            return None if self._kept is None else len(self._kept)
        with suppress(OSError, ValueError):
            found = Path(self.path).stat()
            return found.st_size if stat.S_ISREG(found.st_mode) else None
        return None

    def exists(self) -> bool:
        """Whether there is such a file; one that cannot be looked at is none."""
        with suppress(OSError, ValueError):
            return self.is_standard or Path(self.path).exists()
        return False

    def lines(self) -> Iterator[bytes]:
        """Yield the lines, however long they are, one at a time."""
        with _naming(self.name):
            if self.is_standard:
                yield from _lines_of(self._whole())
            else:
                with Path(self.path).open("rb") as handle:
                    yield from handle

    def read(self) -> bytes:
        """Return all of it."""
        with _naming(self.name):
            return self._whole() if self.is_standard else Path(self.path).read_bytes()

    def _whole(self) -> bytes:
        if self._kept is None:
            self._kept = sys.stdin.buffer.read()
        return self._kept


def _lines_of(whole: bytes) -> Iterable[bytes]:
    start = 0
    while start < len(whole):
        end = whole.find(b"\n", start) + 1 or len(whole)
        yield whole[start:end]
        start = end


def require_one_standard_input(sources: Iterable[Source]) -> None:
    """Refuse to read standard input twice."""
    if sum(source.is_standard for source in sources) > 1:
        message = "standard input can stand for one file only; name the others"
        raise CommandError(message, {"path": STANDARD})


def read_json_object(source: Source, what: str) -> dict[str, Any]:
    """Read a JSON object, in any Unicode encoding that JSON has.

    Args:
        source: The file.
        what: What the object is, for the message.

    Raises:
        CommandError: The file cannot be read, or holds no JSON, or no object.
    """
    name = clean(source.name)
    content = source.read()
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as fault:
        said = "nested too deeply" if isinstance(fault, RecursionError) else str(fault)
        message = f"{name}: not JSON, so it is no {what}: {clean(said)}"
        raise CommandError(message, {"file": source.name}, "broken_json") from fault
    if not isinstance(value, dict):
        message = f"{name}: no {what}: a JSON object is expected, not a {type(value).__name__}"
        raise CommandError(message, {"file": source.name}, "no_object")
    return value


@dataclass(frozen=True, slots=True)
class Destination:
    """Where results go: files that are written all or not at all, or standard output.

    Args:
        path: The file, or `-`.
        suffixes: What stands beside it, by what is appended to its name.
        sources: What is read for it, and therefore never overwritten.
        force: Whether files that exist may be replaced.
    """

    path: str
    suffixes: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    force: bool = False

    @property
    def is_standard(self) -> bool:
        """Whether it is standard output."""
        return self.path == STANDARD

    def paths(self) -> tuple[str, ...]:
        """Return every file that would be written, the result itself last."""
        if self.is_standard:
            return ()
        return (*(self.path + suffix for suffix in self.suffixes), self.path)

    def require_free(self) -> None:
        """Refuse, before any work, what could not be written in the end.

        Raises:
            CommandError: An input would be overwritten, a file exists, or its folder does not.
        """
        for path in reversed(self.paths()):
            with _naming(path):
                _require_folder(path)
                for source in self.sources:
                    _require_other(path, source)
                self._require_replaceable(path)

    def _require_replaceable(self, path: str) -> None:
        target = Path(path)
        if not target.exists():
            return
        details = {"file": path}
        if not target.is_file():
            kind = "a folder" if target.is_dir() else "no regular file"
            message = f"{clean(path)} is {kind}; name a file, or - for standard output"
            raise CommandError(message, details, "output_is_no_file")
        if not self.force:
            message = f"{clean(path)} exists; name another file, or pass --force to replace it"
            raise CommandError(message, details, "output_exists")

    def write(self, contents: Mapping[str, bytes]) -> None:
        """Write every file, or none where one cannot be written.

        Args:
            contents: By suffix; the result itself under the empty suffix.
        """
        if self.is_standard:
            _write_standard(contents[""])
            return
        mode = _mode_of(self.sources)
        with ExitStack() as stack:
            written = []
            for path in self.paths():
                with _naming(path):
                    target = os.path.realpath(path)
                    spare = _spare_beside(Path(target))
                    stack.callback(_discard, spare)
                    _write_new(spare, contents[path[len(self.path) :]], mode)
                    written.append((spare, target))
            self.require_free()
            for spare, target in written:
                with _naming(target):
                    spare.replace(target)


def put(target: Path, content: bytes, mode: int) -> None:
    """Write a file, all of it or nothing; whoever reads it meanwhile reads the old one.

    Args:
        target: The file; one that is there is replaced.
        content: What will stand in it.
        mode: Its permissions.

    Raises:
        OSError: It cannot be written.
    """
    spare = _spare_beside(target)
    try:
        _write_new(spare, content, mode)
        spare.replace(target)
    finally:
        _discard(spare)


def _spare_beside(target: Path) -> Path:
    return target.with_name(f".turnfold-{secrets.token_hex(8)}.tmp")


def _require_folder(path: str) -> None:
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        message = f"{clean(path)}: its folder {clean(str(folder))} does not exist; create it first"
        raise CommandError(message, {"file": path, "folder": str(folder)}, "file_not_found")


def _require_other(path: str, source: Source) -> None:
    if source.is_standard:
        return
    same = os.path.realpath(path) == os.path.realpath(source.path)
    with suppress(OSError):
        same = same or Path(path).samefile(source.path)
    if same:
        message = (
            f"{clean(path)} is an input ({clean(source.path)}), and turnfold never overwrites its "
            "input; name another output"
        )
        raise CommandError(message, {"file": path, "input": source.path}, "output_is_input")


def _mode_of(sources: Sequence[Source]) -> int:
    """Return the permissions of the first input: a private session stays private."""
    for source in sources[:1]:
        with suppress(OSError):
            if not source.is_standard:
                return (Path(source.path).stat().st_mode & _NEW_FILE) | stat.S_IWUSR
    return _NEW_FILE


def _write_new(path: Path, content: bytes, mode: int) -> None:
    with os.fdopen(os.open(path, _FLAGS, mode), "wb") as handle:
        handle.write(content)
        handle.flush()
        os.fsync(handle.fileno())


def _write_standard(content: bytes) -> None:
    """Write all of it: an unbuffered stream may take less than it is handed."""
    sys.stdout.flush()
    rest = memoryview(content)
    while rest:
        rest = rest[sys.stdout.buffer.write(rest) or 0 :]


def _discard(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
