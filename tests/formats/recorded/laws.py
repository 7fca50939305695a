"""What holds for a history that a framework wrote itself, whatever its format."""

import json
from collections.abc import Callable, Iterator
from itertools import product

from tests.formats.json_histories import NO_PINS, POLICIES, Json, compact, has_conversation
from turnfold.formats import Pins, Reasoning, check, detect, parse, render, repaired
from turnfold.testing.provider import Replies, Reply, scripted

PIXEL = "R0lGODlhAQABAAAAACwAAAAAAQABAAA="
"""A GIF of one point."""
SHARES = (25, 60)
"""Budgets, in percent of a history."""

Accept = Callable[[Json], object]


def script(picture: str) -> Replies:
    """Two calls at once, of which one fails, then a picture, one more call, and the answer.

    Args:
        picture: The tool that looks at a picture.
    """
    both = [("read", {"path": "a"}), ("read", {"path": "missing"})]
    return scripted(
        Reply("I read two.", both),
        Reply("", [(picture, {"path": "b"})]),
        Reply("", [("read", {"path": "c"})]),
        Reply("It is fine. " * 5),
    )


def file_text(path: str) -> str:
    """What the tool `read` gives."""
    return f"{path}: " + "line\n" * 60


def check_recording(
    document: Json,
    name: str,
    *,
    validate: Accept,
    resume: Accept,
    reasoning: Reasoning | None = None,
) -> None:
    """R1, R2, A1: what was written is known, comes back, and is taken again once it is shorter.

    Args:
        document: What the framework wrote.
        name: The format.
        validate: The framework's own types; raises where they do not fit.
        resume: Goes on with a compacted history; raises where it is refused.
        reasoning: What becomes of reasoning behind an edit; None is the format's default.
    """
    before = json.dumps(document)
    assert detect(document) == detect(before) == name
    for scope in ("live", "full"):
        session = parse(document, scope=scope)
        assert session.damage == ()
        assert render(session.transcript, session) is document
    assert check(document) == ()
    validate(document)
    written = list(_compacted(document, reasoning))
    assert len(written) > 2
    for each in written:
        assert check(each, format=name, pending_ok=True) == ()
        validate(each)
        resume(each)
    assert json.dumps(document) == before


def _compacted(document: Json, reasoning: Reasoning | None) -> Iterator[Json]:
    """Yield each history that the policies make of a recorded one, once."""
    seen: set[str] = set()
    for pins, policy, share in product((Pins(), NO_PINS), POLICIES.values(), SHARES):
        session = parse(document, pins=pins)
        view = compact(session, policy, session.transcript.token_estimate() * share // 100)
        if view is None or not has_conversation(view):
            continue
        written = json.dumps(render(view, session, reasoning=reasoning))
        again = parse(json.loads(written), format=session.format, pins=pins, ledger=view.ledger)
        assert again.transcript.digest() == repaired(view, session).transcript.digest()
        if written not in seen:
            seen.add(written)
            yield json.loads(written)
