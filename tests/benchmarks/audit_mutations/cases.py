"""Cases: one session, one change, one right verdict; all of it from a seed."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from tests.benchmarks.audit_mutations.chinese import CHINESE
from tests.benchmarks.audit_mutations.classes import CLASSES, Class
from tests.benchmarks.audit_mutations.own import OWN
from tests.benchmarks.audit_mutations.sessions import Session, session_of
from tests.benchmarks.audit_mutations.unseen import UNSEEN
from turnfold import Transcript, TranscriptTurn

SPLITS: Final = {"own": OWN, "unseen": UNSEEN, "chinese": CHINESE}


@dataclass(frozen=True)
class Case:
    """A changed summary and what is known of the change.

    Args:
        split: The wording.
        name: The class.
        seed: The number that all of it comes from.
        transcript: The original turns.
        session: Where the clean summary comes from.
        clean: The clean summary.
        changed: The summary under audit.
        before: What stood there (see `changes.Changed`).
        after: What stands there now.
        flag: The right verdict.
        value: Whether taking it for kept is a false certification.
        any_severity: Whether a finding of any severity counts.
    """

    split: str
    name: str
    seed: int
    transcript: Transcript
    session: Session
    clean: str
    changed: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    flag: bool
    value: bool
    any_severity: bool


@cache
def session(split: str, shape: str, seed: int) -> Session:
    """Return the session of a split, a shape and a seed."""
    return session_of(SPLITS[split], shape, f"{split}/{seed}")


def case_of(split: str, kind: Class, seed: int) -> Case:
    """Make the case of a class and a seed; the same every time."""
    pick = random.Random(f"{split}/{seed}/{kind.name}")  # noqa: S311  Cases are no secret.
    chosen = session(split, pick.choice(kind.shapes), seed)
    changed = kind.change(chosen, pick)
    transcript = chosen.transcript
    if changed.earlier_summary is not None:
        transcript = with_summary(transcript, changed.earlier_summary)
    return Case(
        *(split, kind.name, seed, transcript, chosen, chosen.clean, changed.text),
        *(changed.before, changed.after, kind.flag, kind.value, kind.any_severity),
    )


def with_summary(transcript: Transcript, text: str) -> Transcript:
    """Return the turns with an earlier summary behind the opening."""
    summary = TranscriptTurn(
        *("earlier", "user", text, len(text) // 4), metadata={"turnfold.kind": "summary"}
    )
    turns = list(transcript)
    return Transcript([*turns[:2], summary, *turns[2:]])


def cases(split: str, seeds: range, only: str | None = None) -> Iterator[Case]:
    """Yield the cases of a split, seed by seed."""
    for seed in seeds:
        for kind in CLASSES:
            if only in (None, kind.name):
                yield case_of(split, kind, seed)
