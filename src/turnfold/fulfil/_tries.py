"""One summary, from its job to what stands in the view: no I/O, no clock (contracts F1, F3).

`tries` is a generator: it yields the job to hand to a writer, is sent what came of it, and returns
a `Fulfilment`. Who drives it decides about threads, tasks and time limits.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from turnfold._record import sealed
from turnfold.errors import FulfilmentFailed
from turnfold.executor import Summary
from turnfold.fulfil._answer import Answer, Rejection, answer_of, fault_of
from turnfold.fulfil._clip import UNSEEN, clipped
from turnfold.fulfil._ground import Ground
from turnfold.fulfil._job import Redactor, SummaryJob, passed
from turnfold.fulfil._options import FulfilOptions
from turnfold.fulfil.extractive import extractive
from turnfold.tokens import counter_of
from turnfold.transcript import Role, TranscriptTurn

if TYPE_CHECKING:
    from turnfold.audit import AuditReport

Source = Literal["writer", "digest", "writer_and_digest"]

_SHARE_OF_WRITER: Final = 0.6
"""What a writer is asked for, as a share of the target, where a digest stands behind it."""

_FAIL: Final = "FAIL"
_BETWEEN: Final = "\n\n"
_NO_DIGEST: Final = "and no digest is to stand in for it"
_DIGEST_FAILS: Final = "and the audit fails the digest as well"


class InputTooLong(Exception):  # noqa: N818  Named after what happened, as in `errors`.
    """The model refused the prompt as too long: what a writer raises then.

    It is asked again, with the turns clipped to half of what they were.
    """


@sealed
@dataclass(frozen=True, slots=True)
class Fulfilment:
    """How one summary came about.

    Args:
        group_id: The group that it stands for.
        summary: What stands in the view.
        source: Whether a writer wrote it, the digest stands in, or both.
        rejected: The tries that were not accepted, oldest first.
        report: The audit of the text; None where the gate is off.
        seen: What the last writer was shown of each turn: `whole`, `clipped` or `unseen`; of a
            digest every turn is read whole.
    """

    group_id: str
    summary: Summary
    source: Source
    rejected: tuple[Rejection, ...] = ()
    report: "AuditReport | None" = None
    seen: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values; no text of a summary or a turn."""
        return {
            "group_id": self.group_id,
            "source": self.source,
            "rejected": [each.code for each in self.rejected],
            "verdict": None if self.report is None else self.report.verdict.value,
            "seen": {
                state: [name for name, shown in self.seen if shown == state]
                for state in sorted({shown for _, shown in self.seen})
            },
        }


Tries = Generator[SummaryJob, object, Fulfilment]


def tries(job: SummaryJob, ground: Ground, options: FulfilOptions) -> Tries:
    """Ask for a summary until one is accepted; then, or instead, take the digest.

    Yields the job for the writer; is sent what it returned, or the exception that it raised.

    Raises:
        FulfilmentFailed: None was accepted, and there is no digest, or the gate is strict and
            fails it too.
    """
    run = _Run(job, ground, options)
    window = options.window
    for _ in range(options.tries):
        shown, seen = run.shown(window)
        given = yield shown
        if isinstance(given, InputTooLong):
            window = max(1, run.size(shown) // 2)
        accepted = run.judged(given, seen)
        if accepted is not None:
            return accepted
        if options.gate == "strict" and run.rejected[-1].code == "summary_audit_failed":
            break
    return run.digested()


class _Run:
    """The tries at one summary."""

    def __init__(self, job: SummaryJob, ground: Ground, options: FulfilOptions) -> None:
        self.rejected: list[Rejection] = []
        self._cause: BaseException | None = None
        self._job = job
        self._ground = ground
        self._options = options
        self._count = counter_of(options.estimator)
        self._appends = options.digest == "append"
        asked = job.request
        if self._appends:
            target = max(1, int(asked.target_tokens * _SHARE_OF_WRITER))
            asked = replace(asked, target_tokens=target)
        self._asked = replace(
            job,
            request=asked,
            turns=_redacted(job.turns, options.redact),
            staying=_redacted(job.staying, options.redact),
        )

    def shown(self, window: int | None) -> tuple[SummaryJob, dict[str, str]]:
        """Return what the writer gets to see."""
        job, seen = clipped(self._asked, window, self._count)
        return replace(job, rejected=tuple(self.rejected)), seen

    def size(self, job: SummaryJob) -> int:
        """Return what the turns of a job take up, in tokens."""
        return sum(self._count(turn.content) for turn in job.turns)

    def judged(self, given: object, seen: dict[str, str]) -> Fulfilment | None:
        """Return the fulfilment that an answer makes; None where it is rejected."""
        if isinstance(given, BaseException):
            self._cause = given
            self.rejected.append(_failure(given))
            return None
        answer = answer_of(given)
        if isinstance(answer, Answer):
            text = passed(answer.text, self._options.redact)
            answer = replace(answer, text=text)
            replaced = sum(turn.token_estimate for turn in self._job.turns)
            fault = fault_of(
                answer,
                self._asked.request,
                replaced=replaced,
                count=self._count,
                tolerance=self._options.tolerance,
            )
            if fault is None:
                return self._audited(answer, seen)
            answer = fault
        self.rejected.append(answer)
        return None

    def _audited(self, answer: Answer, seen: dict[str, str]) -> Fulfilment | None:
        seen = {**seen, **dict.fromkeys(set(answer.unseen_turn_ids) & seen.keys(), UNSEEN)}
        text = self._with_digest(answer.text) if self._appends else answer.text
        report = self._report(text)
        if report is not None and report.verdict == _FAIL and self._options.gate != "warn":
            from turnfold.fulfil._gate import problems_of  # noqa: PLC0415  See there.

            problems = problems_of(report)
            self.rejected.append(Rejection("summary_audit_failed", problems, answer.text))
            return None
        has_digest = text != answer.text
        unseen = () if has_digest else tuple(name for name in seen if seen[name] == UNSEEN)
        source: Source = "writer_and_digest" if has_digest else "writer"
        return self._fulfilment(Summary(text, unseen), source, report, tuple(seen.items()))

    def digested(self) -> Fulfilment:
        """Return the digest in the place of what was not accepted.

        Raises:
            FulfilmentFailed: There is to be none, or the strict gate fails it.
        """
        if self._options.digest == "never":
            raise self._failed(_NO_DIGEST) from self._cause
        summary = extractive(
            self._job, estimator=self._options.estimator, redact=self._options.redact
        )
        report = self._report(summary.text)
        if self._options.gate == "strict" and report is not None and report.verdict == _FAIL:
            raise self._failed(_DIGEST_FAILS) from self._cause
        return self._fulfilment(summary, "digest", report, ())

    def _fulfilment(
        self,
        summary: Summary,
        source: Source,
        report: "AuditReport | None",
        seen: tuple[tuple[str, str], ...],
    ) -> Fulfilment:
        group_id = self._job.request.group_id
        return Fulfilment(group_id, summary, source, tuple(self.rejected), report, seen)

    def _report(self, text: str) -> "AuditReport | None":
        if self._options.gate == "off":
            return None
        return self._ground.audited(text, self._job, self._options.audit)

    def _with_digest(self, text: str) -> str:
        """Return the summary with a digest behind it of what it does not name itself.

        Where there is no room for one it is the summary alone.
        """
        request = self._job.request
        room = request.target_tokens - self._count(text + _BETWEEN)
        if room < 1:
            return text
        job = replace(
            self._job,
            request=replace(request, target_tokens=room),
            staying=(*self._job.staying, TranscriptTurn("summary", Role.USER, text, 1)),
        )
        digest = extractive(
            job, estimator=self._options.estimator, redact=self._options.redact
        ).text
        return f"{text.rstrip()}{_BETWEEN}{digest}" if "\n" in digest else text

    def _failed(self, why: str) -> FulfilmentFailed:
        request = self._job.request
        codes = [each.code for each in self.rejected]
        msg = (
            f"group {request.group_id} got no summary in {len(codes)} tries "
            f"({', '.join(codes)}), {why}; the transcript is as it was. The target was "
            f"{request.target_tokens:,} tokens for {len(request.turn_ids)} turns"
        )
        details = {
            "group_id": request.group_id,
            "rejected": codes,
            "target_tokens": request.target_tokens,
        }
        return FulfilmentFailed(msg, details)


def _failure(fault: BaseException) -> Rejection:
    """Name what a writer raised by its type; its text could quote a turn."""
    if isinstance(fault, InputTooLong):
        return Rejection("writer_overflowed", ("the prompt was too long for the model",))
    if isinstance(fault, TimeoutError):
        return Rejection("writer_timed_out", ("no answer came in time",))
    return Rejection("writer_failed", (f"the writer raised {type(fault).__name__}",))


def _redacted(
    turns: Sequence[TranscriptTurn], redact: Redactor | None
) -> tuple[TranscriptTurn, ...]:
    made = []
    for turn in turns:
        content = passed(turn.content, redact)
        made.append(turn if content == turn.content else replace(turn, content=content))
    return tuple(made)
