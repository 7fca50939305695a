"""Compacting a view again: one ledger to the original turns, through any number of rounds."""

from collections.abc import Sequence

from turnfold.errors import LedgerMismatch, name_some, some
from turnfold.ledger import KEPT, MASKED, Ledger, describe_view_change
from turnfold.transcript import Transcript


def continued(
    earlier: Ledger,
    transcript: Transcript,
    actions: bytes,
    folded: Sequence[tuple[str, Sequence[int]]],
    *,
    view: Transcript,
) -> Ledger:
    """Carry decisions about the turns of an earlier view over to the leaves behind them (L2).

    Args:
        earlier: The ledger of the view that the transcript continues.
        transcript: What was compacted now: the earlier view, and turns that came since.
        actions: A byte a turn of the transcript: `K`, `M`, `S` or `D`.
        folded: The id of each new summary, and the positions of its turns in the transcript.
        view: The view that came of it.

    Raises:
        LedgerMismatch: The transcript does not begin with the turns of the earlier view.
    """
    leaves = _leaves_by_position(earlier, transcript)
    ids, digests = transcript.turn_ids(), transcript.columns().digests
    start = len(earlier.view_turn_ids())
    summaries = {name for name, _ in earlier.groups}
    fates = bytearray(earlier.fates + b"K" * (len(ids) - start))
    for position, code in enumerate(actions):
        stays_as_it_was = code == MASKED and ids[position] in summaries
        if code != KEPT and not stays_as_it_was:
            for leaf in leaves[position]:
                fates[leaf] = code
    gone = {ids[position] for position, code in enumerate(actions) if code not in (KEPT, MASKED)}
    groups: list[tuple[str, Sequence[int]]] = [
        (name, positions) for name, positions in earlier.groups if name not in gone
    ]
    groups += [
        (name, tuple(sorted(leaf for position in positions for leaf in leaves[position])))
        for name, positions in folded
    ]
    return Ledger(
        earlier.leaf_ids + ids[start:],
        earlier.leaf_digests + digests[start:],
        bytes(fates),
        tuple(sorted(groups, key=lambda group: group[1][0])),
        view,
    )


def _leaves_by_position(earlier: Ledger, transcript: Transcript) -> list[Sequence[int]]:
    """Return for each turn of a transcript the positions of the leaves that it stands for."""
    ids, view_ids = transcript.turn_ids(), earlier.view_turn_ids()
    if ids[: len(view_ids)] != view_ids:
        present = set(ids)
        missing = [each for each in view_ids if each not in present]
        msg = (
            "the ledger is of another view: the transcript does not begin with its "
            f"{len(view_ids)} turns (missing: {name_some(missing) or 'none'}); pass the ledger "
            "that came with this view, or none"
        )
        raise LedgerMismatch(msg, {"missing": some(missing)})
    view = Transcript(transcript.turns[: len(view_ids)])
    if view.digest() != earlier.view_digest:
        change = describe_view_change(view, earlier)
        msg = (
            f"the earlier view is no more what its ledger says, which cannot be continued: {change}"
        )
        raise LedgerMismatch(msg, {"missing": []})
    known: dict[str, Sequence[int]] = {
        turn_id: (place,) for place, turn_id in enumerate(earlier.leaf_ids)
    }
    known.update(dict(earlier.groups))
    count = len(earlier.leaf_ids)
    fresh = range(count, count + len(ids) - len(view_ids))
    return [*(known[turn_id] for turn_id in view_ids), *((place,) for place in fresh)]
