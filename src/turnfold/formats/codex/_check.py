"""What is wrong with a rollout: as a history that Codex sends, and as a file that it reads."""

from collections.abc import Iterable

from turnfold.formats._document import Found
from turnfold.formats._faults import Fault
from turnfold.formats._rules.responses import check_responses
from turnfold.formats.codex._records import scan
from turnfold.formats.codex._scope import select


def check(source: bytes | Iterable[bytes], *, pending_ok: bool = False) -> list[Fault]:
    """Return every fault of the history that Codex would replay; empty where there is none.

    Codex itself answers calls without a result as aborted before it sends them; the provider
    refuses them.

    Args:
        source: The file's bytes, or its lines or chunks in order.
        pending_ok: Whether the calls at the very end may wait for their results.
    """
    scanned = scan(source)
    faults = [Fault(each.place, each.code, each.message) for each in scanned.damage]
    records = scanned.records
    if not records or records[0].part != "meta":
        faults.append(Fault("line 1", "no_head", "a rollout begins with the head of its session"))
    found = Found()
    live, _ = select(records, "live", found)
    faults += [Fault(each.place, each.code, each.message) for each in found.damage]
    items = [each.item for each in live]
    kept = [number for number, item in enumerate(items) if not _is_unsent(item)]
    places = [live[number].entry.origin for number in kept]
    sent = [items[number] for number in kept]
    return faults + check_responses(sent, places=places, pending_ok=pending_ok)


def _is_unsent(item: object) -> bool:
    """Whether Codex leaves an item out of what it sends."""
    return isinstance(item, dict) and item.get("type") == "ghost_snapshot"
