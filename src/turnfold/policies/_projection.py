"""How a policy that reads transcripts takes part in a chain: over a projection of the draft."""

from turnfold._metadata import KIND, KIND_SUMMARY
from turnfold.decision import KEEP, Action
from turnfold.errors import InvalidPlan
from turnfold.plan import CompactionPlan
from turnfold.policies._draft import PlanDraft
from turnfold.transcript import Role, Transcript, TranscriptTurn


def project(draft: PlanDraft) -> Transcript:
    """Return the view that a draft would give, planned summaries included."""
    return Transcript(_projected(draft, each) for each in draft.view_positions())


def _id_at(draft: PlanDraft, position: int) -> str:
    request = draft.request_at(position)
    return draft.columns.ids[position] if request is None else request.summary_turn_id


def _told_apart(plan: CompactionPlan, ids: tuple[str, ...]) -> str:
    """Return how the turns of a plan differ from those that it was to be for."""
    planned = plan.turn_ids
    if len(planned) != len(ids):
        return f"{plan.policy_name} planned {len(planned)} turns of {len(ids)}"
    at = next(at for at, pair in enumerate(zip(planned, ids, strict=True)) if len(set(pair)) > 1)
    return f"{plan.policy_name} planned {planned[at]!r} where turn {at} is {ids[at]!r}"


def _projected(draft: PlanDraft, position: int) -> TranscriptTurn:
    request = draft.request_at(position)
    if request is not None:
        return TranscriptTurn(
            request.summary_turn_id,
            Role.USER,
            "(a summary that is planned and not written yet)",
            request.target_tokens,
            metadata={KIND: KIND_SUMMARY},
        )
    turn = draft.transcript.turns[position]
    stub = draft.stub_at(position)
    return turn if stub is None else turn.masked(*stub[:2])


def absorb(draft: PlanDraft, plan: CompactionPlan) -> None:
    """Take over the decisions of a plan over the projection of a draft.

    Raises:
        InvalidPlan: The plan is for other turns, or masks a summary that is only planned.
    """
    positions = draft.view_positions()
    ids = tuple(_id_at(draft, each) for each in positions)
    if ids != tuple(plan.turn_ids):
        raise InvalidPlan.from_violations([f"P1 {_told_apart(plan, ids)}"])
    standing = [draft.standing_at(position) for position in positions]
    dropped = []
    for decision, position in zip(plan.decisions, positions, strict=True):
        if decision.replacement is not None and decision.replacement_tokens is not None:
            if draft.request_at(position) is not None:
                raise InvalidPlan.from_violations(
                    [f"P2 {plan.policy_name} masks {decision.turn_id!r}, which is not written"]
                )
            stub = (decision.replacement, decision.replacement_tokens, plan.estimator_ratio)
            draft.mask(position, stub, decision.reason)
        elif decision.action is Action.DROP:
            dropped.append(position)
    draft.drop(dropped, "")
    place = dict(zip(plan.turn_ids, positions, strict=True))
    for request in plan.summarization_requests:
        folded = [place[turn_id] for turn_id in request.turn_ids]
        draft.summarize(folded, request.target_tokens, request.prompt_id, reason="")
    # What this plan keeps keeps the reason that an earlier policy gave it.
    for code, reason, members in zip(plan.actions, plan.reasons, standing, strict=True):
        for position in members:
            if code != KEEP or draft.has_first_reason(position):
                draft.give_reason(position, reason)
