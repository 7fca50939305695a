"""The summaries in a session of Claude Code, found from the end of its file."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

_KEY: Final = b'"isCompactSummary"'
"""Within a string of JSON its marks would be escaped: it is a key wherever it stands."""

_BLOCK: Final = 1 << 20


def summaries(path: str) -> Iterator[str]:
    """Yield an id of each summary that a compaction wrote, the newest first.

    What stands before the last one that is asked for is not read. A line that is damaged or half
    written counts for nothing, and neither does a subagent's.

    Args:
        path: The session's file.

    Raises:
        OSError: It cannot be read.
    """
    with Path(path).open("rb") as handle:
        for at, line in _lines_with_key(handle):
            record = _record(line)
            if _is_summary(record):
                uuid = record.get("uuid")
                yield uuid if isinstance(uuid, str) and uuid else f"byte {at}"


def _lines_with_key(handle: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that hold the key, the last first, each with the byte that it begins at."""
    start = handle.seek(0, os.SEEK_END)
    beheaded = b""
    """The end of a line that begins before what was read."""
    while start > 0:
        size = min(start, _BLOCK)
        start -= size
        handle.seek(start)
        block = handle.read(size) + beheaded
        first = block.find(b"\n") + 1 if start else 0
        if start and not first:
            beheaded = block
            continue
        beheaded = block[:first]
        end = len(block)
        while (at := block.rfind(_KEY, first, end)) >= 0:
            end = max(block.rfind(b"\n", first, at) + 1, first)
            yield start + end, block[end:].partition(b"\n")[0]


def _record(line: bytes) -> dict[str, object]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _is_summary(record: dict[str, object]) -> bool:
    is_subagent = record.get("isSidechain") or record.get("parent_tool_use_id")
    return record.get("type") == "user" and bool(record.get("isCompactSummary")) and not is_subagent
