"""The audit at the end of a compaction."""

from typing import Any

from turnfold.audit import audit_safely
from turnfold.audit._report import SCHEMA
from turnfold.cli._audit_runs import without_secrets
from turnfold.formats import Session
from turnfold.view import CompactedView


def audit_record(session: Session, view: CompactedView) -> dict[str, Any]:
    """Return the audit of a view as plain JSON values; a fault in it is named there.

    Where the view is the session there is nothing to audit, and `skipped` says so.
    """
    done = view.report
    if not (done.masked_turn_ids or done.summarized_turn_ids or done.dropped_turn_ids):
        return {"schema": SCHEMA, "skipped": "nothing was compacted"}
    return without_secrets(audit_safely(session.transcript, view)).to_dict()
