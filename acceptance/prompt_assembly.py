"""Assembles a prompt from documents, and checks that it is reduced in the agreed order.

A writing assistant drafts one chapter. It is given a system prompt and the chapter's
specification, which are never touched, and context that may be reduced: research notes first,
then summaries of distant chapters, then those of adjacent ones.

A transcript says that by its order. What may go first stands first, each document is a turn, and
what must stay is a SYSTEM turn or is pinned. The order of the finished prompt is another matter:
it is put together from the view, by the kind of each document.

    python acceptance/prompt_assembly.py
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from turnfold import (
    BudgetUnsatisfiable,
    CharRatioEstimator,
    CompactedView,
    CompactionBudget,
    CompactionExecutor,
    CompactionPolicy,
    DropOldestPolicy,
    PolicyChain,
    Role,
    SummarizingPolicy,
    Transcript,
    TranscriptTurn,
)

KIND = "mill_book.kind"
SYSTEM, SPECIFICATION = "system prompt", "specification"
RESEARCH, DISTANT, ADJACENT = "research note", "distant chapter", "adjacent chapter"
REDUCED_IN_THIS_ORDER = (RESEARCH, DISTANT, ADJACENT)
HEADINGS = (
    (SPECIFICATION, "What to write"),
    (ADJACENT, "The chapters before and after"),
    (DISTANT, "Earlier chapters"),
    (RESEARCH, "Research notes"),
)
CONDENSED = "Condensed context"
FOLDED = "Notes and early chapters in short: mills at Eling and Woodbridge, ponds of 2 to 4 ha."


@dataclass(frozen=True)
class Document:
    """A piece of the prompt."""

    name: str
    kind: str
    text: str


DOCUMENTS = (
    Document(
        "system",
        SYSTEM,
        "You draft chapters of a field guide to tide mills. Write for walkers who can read a map "
        "and know no engineering. Give measures in metric units. Invent no dates.",
    ),
    Document(
        "chapter-7-spec",
        SPECIFICATION,
        "Chapter 7, The sluice gates. About 1,800 words. Explain how the sea hatches let the tide "
        "into the pond and close by themselves when it turns, why the wheel stands still for "
        "seven hours of twelve, and what a visitor can see of it at low water. Do not repeat the "
        "dam (chapter 6), and leave the millstones to chapter 8. Requirement R4: every gate that "
        "is named must have a place where it can be seen. Requirement R7: no more than three "
        "terms that the glossary does not have.",
    ),
    Document(
        "note-eling",
        RESEARCH,
        "Visit to Eling. Two sea hatches of elm, hinged at the top, each 1.4 m by 1.1 m. The "
        "keeper says that the leather seals are renewed every third winter. At neaps the pond "
        "fills to 1.9 m at the gauge and the wheel turns for four hours and ten minutes.",
    ),
    Document(
        "note-woodbridge",
        RESEARCH,
        "Woodbridge. The pond was 3 ha and is a marina now; a smaller pond of 0.4 ha feeds the "
        "wheel. The hatch is worked by a windlass because the new pond is too shallow for the "
        "flap to close on its own. Milling days are published by the trust.",
    ),
    Document(
        "note-gauges",
        RESEARCH,
        "On gauges. Staff gauges at three mills start at the sill and not at datum, so figures of "
        "different mills cannot be compared. Use 'above the sill' throughout.",
    ),
    Document(
        "note-wheels",
        RESEARCH,
        "Undershot wheels need about 0.9 m of head. With a range of 3.5 m and a pond that keeps "
        "two thirds of it, milling begins some two hours after high water and ends when the tide "
        "is back at the tail race: five hours of each tide at best.",
    ),
    Document(
        "chapter-1",
        DISTANT,
        "Chapter 1 defines the tide mill, the pond, the dam and the tail race, and promises that "
        "each later chapter begins at something the reader can stand in front of.",
    ),
    Document(
        "chapter-2",
        DISTANT,
        "Chapter 2 explains springs and neaps with a bathtub and a bucket. It introduces 'range' "
        "and 'stand', which later chapters may use without a definition.",
    ),
    Document(
        "chapter-3",
        DISTANT,
        "Chapter 3 walks around a pond at low water. It says that ponds of 2 to 4 ha were usual, "
        "and that silt is why half of them were lost.",
    ),
    Document(
        "chapter-6",
        ADJACENT,
        "Chapter 6 ends on the crest of the dam, looking down at the sea hatches. It has named "
        "the sill, the apron and the culvert, and leaves open how the water gets in.",
    ),
    Document(
        "chapter-8",
        ADJACENT,
        "Chapter 8 begins in the wheel pit, once the hatches are shut, and follows the water to "
        "the stones. It takes for granted that the reader knows why milling starts two hours "
        "after high water.",
    ),
)


def transcript_of(documents: tuple[Document, ...]) -> Transcript:
    """Return documents as turns: what is reduced first stands first, what stays is pinned."""
    rank = {kind: place for place, kind in enumerate(REDUCED_IN_THIS_ORDER)}
    ordered = sorted(documents, key=lambda each: rank.get(each.kind, -1))
    count = CharRatioEstimator().estimate_tokens
    return Transcript(
        tuple(
            TranscriptTurn(
                each.name,
                Role.SYSTEM if each.kind == SYSTEM else Role.USER,
                each.text,
                count(each.text),
                pinned=each.kind == SPECIFICATION,
                metadata={KIND: each.kind},
            )
            for each in ordered
        )
    )


def prompt_of(view: CompactedView) -> tuple[str, str]:
    """Return the system message and the user message of a view."""
    sections: dict[str, list[str]] = {}
    for turn in view.transcript:
        kind = turn.metadata.get(KIND, CONDENSED)
        sections.setdefault(kind, []).append(turn.content)
    (system,) = sections.pop(SYSTEM)
    parts = [
        f"# {heading}\n\n" + "\n\n".join(sections[kind])
        for kind, heading in (*HEADINGS, (CONDENSED, CONDENSED))
        if kind in sections
    ]
    return system, "\n\n".join(parts)


def assemble(policy: CompactionPolicy, max_tokens: int) -> CompactedView:
    """Return what is left of the documents in a window; no turn is protected for being recent."""
    transcript = transcript_of(DOCUMENTS)
    plan = policy.decide(transcript, CompactionBudget(max_tokens, protected_recent_turns=0))
    summaries = {request.group_id: FOLDED for request in plan.summarization_requests}
    return CompactionExecutor().apply(transcript, plan, summaries)


DROPPING = DropOldestPolicy()
FOLDING = PolicyChain(
    (SummarizingPolicy("notes/1", min_span_turns=1, extent="until_it_fits"), DropOldestPolicy())
)
PINNED = tuple(each for each in DOCUMENTS if each.kind in (SYSTEM, SPECIFICATION))
REDUCIBLE = tuple(
    each.name for kind in REDUCED_IN_THIS_ORDER for each in DOCUMENTS if each.kind == kind
)
TEXTS: Mapping[str, str] = {each.name: each.text for each in DOCUMENTS}


def size(*names: str) -> int:
    """Return the estimate of documents, in tokens."""
    return sum(CharRatioEstimator().estimate_tokens(TEXTS[name]) for name in names)


FLOOR = size(*(each.name for each in PINNED))
TOTAL = size(*TEXTS)


def views(policy: CompactionPolicy) -> Iterator[tuple[int, CompactedView]]:
    """Yield the view at every budget, from the floor to more than enough."""
    for tokens in range(FLOOR, TOTAL + 20):
        yield tokens, assemble(policy, tokens)


def removed(view: CompactedView) -> tuple[str, ...]:
    """Return the documents that no longer stand in a view, in transcript order."""
    return tuple(name for name in REDUCIBLE if name not in view.transcript.turn_ids())


def everything_fits() -> bool:
    """Assemble with room for all."""
    view = assemble(DROPPING, TOTAL)
    prompt = "\n".join(prompt_of(view))
    return not removed(view) and all(text in prompt for text in TEXTS.values())


def the_pinned_stay(policy: CompactionPolicy) -> bool:
    """Look for the system prompt and the specification, word for word, at every budget."""
    for _, view in views(policy):
        system, user = prompt_of(view)
        if TEXTS["system"] != system or TEXTS["chapter-7-spec"] not in user:
            return False
    return True


def the_order_holds(policy: CompactionPolicy) -> bool:
    """What is gone is a beginning of the order of reduction, at every budget."""
    gone = [removed(view) for _, view in views(policy)]
    return all(each == REDUCIBLE[: len(each)] for each in gone)


def a_roomier_window_keeps_more() -> bool:
    """Compare each window with the one that is a token larger."""
    gone = [len(removed(view)) for _, view in views(DROPPING)]
    return all(tighter >= roomier for tighter, roomier in pairwise(gone))


def budgets_are_met(policy: CompactionPolicy) -> bool:
    """Add up every view."""
    return all(
        sum(turn.token_estimate for turn in view.transcript) <= tokens
        and not view.report.budget_unmet
        for tokens, view in views(policy)
    )


def nothing_goes_for_nothing() -> bool:
    """Put the last document that was dropped back, at every budget."""
    return all(
        size(*TEXTS) - size(*removed(view)[:-1]) > tokens
        for tokens, view in views(DROPPING)
        if removed(view)
    )


def what_is_gone_is_gone(policy: CompactionPolicy) -> bool:
    """Look for the text of what was removed."""
    return all(
        TEXTS[name] not in "\n".join(prompt_of(view))
        for _, view in views(policy)
        for name in removed(view)
    )


def a_fold_is_condensed() -> bool:
    """Where documents were folded, one condensed section stands for them and says how many."""
    folds = [view for _, view in views(FOLDING) if view.report.summary_turn_ids]
    return bool(folds) and all(
        prompt_of(view)[1].count(f"# {CONDENSED}") == 1
        and f'turns="{len(view.report.summarized_turn_ids)}"' in prompt_of(view)[1]
        and view.ledger.leaves_of(view.report.summary_turn_ids[0])
        == view.report.summarized_turn_ids
        for view in folds
    )


def too_little_is_refused() -> bool:
    """Ask for one token less than the pinned documents need."""
    for policy in (DROPPING, FOLDING):
        try:
            assemble(policy, FLOOR - 1)
        except BudgetUnsatisfiable as refused:
            causes = refused.details["floor_by_cause"]
            expected = {
                "system": size("system"),
                "pinned": size("chapter-7-spec"),
                "tail": 0,
            }
            if causes != expected or refused.details["limit"] != FLOOR - 1:
                return False
        else:
            return False
    return True


def prompts_are_reproducible() -> bool:
    """Assemble twice."""
    return all(
        prompt_of(assemble(FOLDING, tokens)) == prompt_of(view) for tokens, view in views(FOLDING)
    )


CLAIMS: tuple[tuple[str, Callable[[], bool]], ...] = (
    ("with room for everything, every document stands in the prompt", everything_fits),
    (
        "dropping: the system prompt and the specification stay word for word",
        lambda: the_pinned_stay(DROPPING),
    ),
    (
        "dropping: notes go first, then distant chapters, then adjacent ones",
        lambda: the_order_holds(DROPPING),
    ),
    ("dropping: every budget above the floor is met", lambda: budgets_are_met(DROPPING)),
    ("dropping: no document goes that there is room for", nothing_goes_for_nothing),
    ("dropping: a roomier window never keeps less", a_roomier_window_keeps_more),
    (
        "dropping: the prompt holds nothing that was removed",
        lambda: what_is_gone_is_gone(DROPPING),
    ),
    (
        "folding: the system prompt and the specification stay word for word",
        lambda: the_pinned_stay(FOLDING),
    ),
    (
        "folding: notes go first, then distant chapters, then adjacent ones",
        lambda: the_order_holds(FOLDING),
    ),
    ("folding: every budget above the floor is met", lambda: budgets_are_met(FOLDING)),
    (
        "folding: the prompt holds nothing that was removed",
        lambda: what_is_gone_is_gone(FOLDING),
    ),
    ("folding: one condensed section stands for what it replaces", a_fold_is_condensed),
    ("a window below the floor is refused, and the floor is named by cause", too_little_is_refused),
    ("the same documents and window give the same prompt", prompts_are_reproducible),
)


def show() -> None:
    """Print what is left of each kind at a few budgets."""
    print(f"  {TOTAL} tokens of documents, {FLOOR} of them pinned")
    for share in (100, 75, 50, 25, 0):
        tokens = FLOOR + (TOTAL - FLOOR) * share // 100
        view = assemble(DROPPING, tokens)
        left = ", ".join(
            f"{sum(turn.metadata[KIND] == kind for turn in view.transcript)} of "
            f"{sum(each.kind == kind for each in DOCUMENTS)} {kind}s"
            for kind in REDUCED_IN_THIS_ORDER
        )
        print(f"  window {tokens:>4}: {left}")


def main() -> int:
    """Check every claim, print a line for each, and return the exit code."""
    show()
    failed = 0
    for sentence, check in CLAIMS:
        try:
            holds, why = check(), ""
        except Exception as error:  # noqa: BLE001  Whatever is raised, the claim does not hold.
            holds, why = False, f" ({type(error).__name__}: {error})"
        failed += not holds
        print(f"{'ok' if holds else 'FAIL':<4} {sentence}{why}")
    print(f"{len(CLAIMS) - failed} of {len(CLAIMS)} claims hold")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
