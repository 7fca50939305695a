"""What the summaries of a plan are audited against, by all of their tries (contract F3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from turnfold.fulfil._job import SummaryJob
from turnfold.transcript import Transcript

if TYPE_CHECKING:
    from turnfold.audit import AuditConfig, AuditMemory, AuditReport


@dataclass(eq=False)
class Ground:
    """The original turns; each is read once, whatever the number of summaries and of tries.

    Args:
        originals: The original turns, through all rounds.
        groups: For each earlier summary the ids of the turns that it stands for.
    """

    originals: Transcript
    groups: Mapping[str, Sequence[str]]
    _memory: "AuditMemory | None" = field(init=False, default=None)
    _lock: Lock = field(init=False, default_factory=Lock)

    def audited(self, text: str, job: SummaryJob, config: "AuditConfig | None") -> "AuditReport":
        """Return the audit of a summary of a job alone; every other turn counts as staying.

        Args:
            text: The summary.
            job: The job.
            config: The options of the audit.
        """
        from turnfold.audit import AuditMemory, audit_safely  # noqa: PLC0415  Large.

        replaced = set(job.request.turn_ids)
        replaced.update(*(self.groups.get(name, ()) for name in job.request.turn_ids))
        staying = [name for name in self.originals.turn_ids() if name not in replaced]
        # Summaries are judged in several threads, and a memory is for one at a time.
        with self._lock:
            self._memory = self._memory or AuditMemory()
            return audit_safely(self.originals, text, config, staying=staying, memory=self._memory)
