"""Having a caller's model write the summaries of a plan: the one way to a model (contract F1)."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import (
    FIRST_COMPLETED,
    FIRST_EXCEPTION,
    CancelledError,
    Future,
    InvalidStateError,
    ThreadPoolExecutor,
    wait,
)
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from threading import TIMEOUT_MAX, Thread
from typing import Any, Final

from turnfold._record import sealed
from turnfold.errors import InvalidConfiguration
from turnfold.executor import Summary
from turnfold.fulfil._answer import Answer
from turnfold.fulfil._ground import Ground
from turnfold.fulfil._job import SummaryJob, jobs
from turnfold.fulfil._options import FulfilOptions
from turnfold.fulfil._tries import Fulfilment, Tries, tries
from turnfold.ledger import Ledger
from turnfold.plan import CompactionPlan
from turnfold.transcript import Transcript

Written = str | Summary | Answer
Writer = Callable[[SummaryJob], Written | Awaitable[Written]]
"""Writes one summary, sync or async. `render_prompt(job)` makes a prompt of its job."""

_Over = Future[BaseException | None]
"""Is done when nobody waits for a summary any more, with the failure that was the first."""

_DEFAULTS: Final = FulfilOptions()


@sealed
@dataclass(frozen=True, slots=True)
class Fulfilled:
    """The summaries of a plan, and how each came about."""

    fulfilments: tuple[Fulfilment, ...]

    @property
    def summaries(self) -> Mapping[str, Summary]:
        """What `CompactionExecutor.apply` takes: each summary by its group."""
        return {each.group_id: each.summary for each in self.fulfilments}

    def to_dict(self) -> list[dict[str, Any]]:
        """Return how each summary came about as plain JSON values; no text."""
        return [each.to_dict() for each in self.fulfilments]


def fulfil(
    transcript: Transcript,
    plan: CompactionPlan,
    write: Writer,
    options: FulfilOptions = _DEFAULTS,
    *,
    originals: Transcript | None = None,
    ledger: Ledger | None = None,
) -> Fulfilled:
    """Have every summary of a plan written, judged, and replaced by a digest where it fails.

    A writer is called from worker threads, several at once. One that is over its time is left to
    itself: a thread cannot be stopped, and what it returns later is not looked at. So are all
    others once a summary has failed for good: none is asked any more, nobody waits for them, and
    an awaitable that one has returned is cancelled.

    Args:
        transcript: What the plan was made for; turns may have been appended.
        plan: The plan; one that asks for no summary calls no writer.
        write: The writer.
        options: How often, how long, how strict.
        originals: The original turns of all rounds, where the transcript holds earlier summaries:
            those are no evidence for the audit.
        ledger: The ledger of the earlier rounds, which leads to these.

    Raises:
        FulfilmentFailed: A summary was not accepted and nothing may stand in for it. Nothing was
            changed.
        PlanTranscriptMismatch: The plan is for other turns.
        InvalidConfiguration: The writer is asynchronous and an event loop runs in this thread.
    """
    listed = jobs(transcript, plan)
    if not listed:
        return Fulfilled(())
    if _is_async(write):
        _require_no_loop()
        return asyncio.run(
            fulfil_async(transcript, plan, write, options, originals=originals, ledger=ledger)
        )
    ground = _ground(transcript, originals, ledger)
    runs = [tries(job, ground, options) for job in listed]
    over: _Over = Future()
    driven = partial(_driven, write=write, options=options, over=over)
    pool = ThreadPoolExecutor(min(options.concurrency, len(runs)))
    try:
        futures = [pool.submit(copy_context().run, driven, run) for run in runs]
        wait(futures, return_when=FIRST_EXCEPTION)
        if over.done() and (fault := over.result()) is not None:
            raise fault
        return Fulfilled(tuple(each.result() for each in futures))
    finally:
        _end(over)
        pool.shutdown(wait=False, cancel_futures=True)


async def fulfil_async(
    transcript: Transcript,
    plan: CompactionPlan,
    write: Writer,
    options: FulfilOptions = _DEFAULTS,
    *,
    originals: Transcript | None = None,
    ledger: Ledger | None = None,
) -> Fulfilled:
    """Do what `fulfil` does with a running event loop.

    An asynchronous writer is awaited, and cancelled when its time is over or when this call is; a
    synchronous one is called in a thread of its own, and left to itself then.

    Args:
        transcript: As in `fulfil`.
        plan: As in `fulfil`.
        write: The writer.
        options: As in `fulfil`.
        originals: As in `fulfil`.
        ledger: As in `fulfil`.

    Raises:
        FulfilmentFailed: A summary was not accepted and nothing may stand in for it; the other
            writers are cancelled, and nothing was changed.
        PlanTranscriptMismatch: The plan is for other turns.
    """
    listed = jobs(transcript, plan)
    if not listed:
        return Fulfilled(())
    ground = _ground(transcript, originals, ledger)
    slots = asyncio.Semaphore(options.concurrency)

    async def one(job: SummaryJob) -> Fulfilment:
        async with slots:
            return await _driven_async(tries(job, ground, options), write, options)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(job)) for job in listed]
    except ExceptionGroup as failed:
        # The first says what happened; the others were cancelled or failed after it.
        raise failed.exceptions[0] from failed.exceptions[0].__cause__
    return Fulfilled(tuple(task.result() for task in tasks))


def _ground(transcript: Transcript, originals: Transcript | None, ledger: Ledger | None) -> Ground:
    """Return what summaries are audited against: the leaves, by the ledger where there is one."""
    groups: dict[str, tuple[str, ...]] = {}
    if ledger is not None:
        leaf = ledger.leaf_ids.__getitem__
        groups = {name: tuple(map(leaf, positions)) for name, positions in ledger.groups}
    return Ground(originals or transcript, groups)


def _step(run: Tries, given: object) -> SummaryJob | Fulfilment:
    """Hand on what came of a job; return the next one, or what it all came to."""
    try:
        return run.send(given)
    except StopIteration as done:
        ended: Fulfilment = done.value
        return ended


def _driven(run: Tries, *, write: Writer, options: FulfilOptions, over: _Over) -> Fulfilment:
    try:
        step = _step(run, None)
        while isinstance(step, SummaryJob):
            step = _step(run, _written(write, step, options.timeout, over))
    except BaseException as fault:
        # Here, as this thread would begin with the next summary before anybody else knows.
        _end(over, fault)
        raise
    return step


def _end(over: _Over, fault: BaseException | None = None) -> None:
    with suppress(InvalidStateError):
        over.set_result(fault)


def _written(write: Writer, job: SummaryJob, timeout: float | None, over: _Over) -> object:
    """Return what a writer returned or raised, or the error of one that is over its time.

    Raises:
        CancelledError: Nobody wants a summary any more.
    """

    def call() -> object:
        given = write(job)
        if inspect.isawaitable(given):
            return asyncio.run(_awaited(given, timeout, over))
        return given

    if not over.done():
        answer = _begun(call)
        either: tuple[Future[Any], ...] = (answer, over)
        limit = None if timeout is None else min(timeout, TIMEOUT_MAX)
        wait(either, timeout=limit, return_when=FIRST_COMPLETED)
    if over.done():
        raise CancelledError
    return answer.result() if answer.done() else TimeoutError(f"no answer in {timeout} seconds")


def _begun(call: Callable[[], object]) -> Future[object]:
    """Call something in a thread that does not keep the process alive.

    What it raises is a result as well: a writer may raise anything, an exit too.
    """
    answer: Future[object] = Future()
    answer.set_running_or_notify_cancel()

    def run() -> None:
        try:
            given = call()
        except BaseException as fault:  # noqa: BLE001  See above.
            given = fault
        answer.set_result(given)

    Thread(target=copy_context().run, args=(run,), daemon=True).start()
    return answer


async def _awaited(
    given: Awaitable[Written],
    timeout: float | None,  # noqa: ASYNC109  The limit is the caller's option.
    over: _Over,
) -> Written:
    """Await what a writer returned; what is not done in time is cancelled as the loop ends."""
    task = asyncio.ensure_future(given)
    either: tuple[asyncio.Future[Any], ...] = (task, asyncio.wrap_future(over))
    await asyncio.wait(either, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    if not task.done():
        raise TimeoutError
    return await task


async def _driven_async(run: Tries, write: Writer, options: FulfilOptions) -> Fulfilment:
    # Judging reads whole transcripts, and the loop has other things to do meanwhile.
    step = await asyncio.to_thread(_step, run, None)
    while isinstance(step, SummaryJob):
        given = await _written_async(write, step, options.timeout)
        step = await asyncio.to_thread(_step, run, given)
    return step


async def _written_async(write: Writer, job: SummaryJob, timeout: float | None) -> object:  # noqa: ASYNC109  The limit is the caller's option.
    try:
        async with asyncio.timeout(timeout):
            if _is_async(write):
                given: object = write(job)
            else:
                given = await asyncio.wrap_future(_begun(partial(write, job)))
            return await given if inspect.isawaitable(given) else given
    except asyncio.CancelledError as fault:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        # Nobody cancelled this call: it is the writer's own, out of its client say.
        return fault
    except Exception as fault:  # noqa: BLE001  A writer may raise anything.
        return fault


def _is_async(write: Writer) -> bool:
    called = getattr(type(write), "__call__", None)  # noqa: B004  Asked for what it is.
    return inspect.iscoroutinefunction(write) or inspect.iscoroutinefunction(called)


def _require_no_loop() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    msg = "an event loop runs in this thread: await fulfil_async with an asynchronous writer"
    raise InvalidConfiguration(msg, {"use": "fulfil_async"})
