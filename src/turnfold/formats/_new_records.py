"""What a new file needs: ids that are derived, never random, and records as lines."""

from collections.abc import Mapping
from json import JSONEncoder
from typing import Any

from turnfold._canonical import sha256_of_text
from turnfold.errors import UnrenderableView

_plain = JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
_escaped = JSONEncoder(separators=(",", ":"), ensure_ascii=True).encode


def derived_uuid(name: str) -> str:
    """Return an id in the shape of a UUID, made of a name."""
    digest = sha256_of_text(name)
    return f"{digest[:8]}-{digest[8:12]}-5{digest[13:16]}-a{digest[17:20]}-{digest[20:32]}"


def line_of(
    record: object, called: str = "a record", details: Mapping[str, Any] | None = None
) -> bytes:
    """Return a record as a line, without spaces; clients look for that spelling.

    Args:
        record: The record.
        called: What it is called in the error.
        details: What the error says of it for a program.

    Raises:
        UnrenderableView: It nests too deeply.
    """
    try:
        return _plain(record).encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return _escaped(record).encode("ascii") + b"\n"
    except RecursionError as fault:
        msg = f"{called} nests too deeply to be written; drop its turn"
        raise UnrenderableView(msg, dict(details or {})) from fault
