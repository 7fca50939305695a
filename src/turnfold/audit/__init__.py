"""Is what is left of a transcript true, enough and within the rules? (see the audit's pages).

Deterministic, offline and without a model. An audit only reads: it changes no compaction.

Example:
    >>> from turnfold import Transcript, TranscriptTurn
    >>> from turnfold.audit import audit
    >>> original = Transcript([TranscriptTurn("u", "user", "Serve it on port 8443.", 9)])
    >>> audit(original, "The service listens on port 8444.").verdict.value
    'FAIL'
"""

from turnfold.audit._config import AuditConfig, Vocabulary
from turnfold.audit._evidence import NotAuditable
from turnfold.audit._finding import Axis, Finding, Place, Severity, Status
from turnfold.audit._memory import AuditMemory
from turnfold.audit._report import AuditReport, CheckFault, CoverageShare, Verdict
from turnfold.audit._run import audit, audit_safely, is_about

__all__ = [
    "AuditConfig",
    "AuditMemory",
    "AuditReport",
    "Axis",
    "CheckFault",
    "CoverageShare",
    "Finding",
    "NotAuditable",
    "Place",
    "Severity",
    "Status",
    "Verdict",
    "Vocabulary",
    "audit",
    "audit_safely",
    "is_about",
]
