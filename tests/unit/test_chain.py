"""Chains (contracts H1, H2)."""

from dataclasses import replace
from typing import Any

import pytest

from tests.strategies import OURS, five, session, summaries_for, turn
from turnfold import (
    Action,
    CompactionBudget,
    CompactionExecutor,
    CompactionPlan,
    DropOldestPolicy,
    ObservationMaskingPolicy,
    PlanDraft,
    PolicyChain,
    SummarizingPolicy,
    Transcript,
    default_chain,
)
from turnfold.errors import InvalidConfiguration, InvalidPlan


def letters(plan: CompactionPlan) -> str:
    return "".join(each.action.value[0] for each in plan.decisions)


def test_the_name_lists_the_members_and_their_versions() -> None:
    """H1."""
    chain = PolicyChain([DropOldestPolicy(), SummarizingPolicy("p")])
    assert chain.name == "chain(drop_oldest@1+summarizing@1)"
    plan = chain.decide(session(), CompactionBudget(10**6))
    assert (plan.policy_name, plan.policy_version) == (chain.name, chain.version)


def test_a_policy_that_is_not_needed_is_not_asked() -> None:
    """H1: stopping when it fits."""

    class NeverAsked:
        name = "never"
        version = "1"

        def decide(self, _transcript: Transcript, _budget: CompactionBudget) -> CompactionPlan:
            raise AssertionError

    chain = PolicyChain([ObservationMaskingPolicy(0, estimator=five), NeverAsked()])
    assert "m" in letters(chain.decide(session(rounds=4), CompactionBudget(300)))
    assert "m" not in letters(chain.decide(session(rounds=4), CompactionBudget(10**6)))


def test_a_stranger_sees_the_projection() -> None:
    """H1."""
    seen: list[Transcript] = []

    class Watching:
        name = "watching"
        version = "1"

        def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
            seen.append(transcript)
            return PlanDraft(transcript, budget).seal(self.name, self.version)

    chain = PolicyChain([SummarizingPolicy("p"), Watching()])
    transcript = session(rounds=4)
    chain.decide(transcript, CompactionBudget(30, 1))
    (projection,) = seen
    assert projection.turn_ids()[0] == "sys"
    assert projection.turn_ids()[1].startswith("summary:span-")
    assert projection.turns[1].token_estimate == 86


def test_a_planned_summary_that_is_dropped_takes_all_its_turns_along() -> None:
    """H1."""
    chain = PolicyChain([SummarizingPolicy("p"), DropOldestPolicy()])
    plan = chain.decide(session(rounds=4), CompactionBudget(20, 1))
    assert letters(plan) == "k" + "d" * 9 + "k"
    assert plan.summarization_requests == ()


def test_a_planned_summary_that_is_folded_again_is_one_summary_of_all_its_turns() -> None:
    """H1, L2."""
    turns = [turn(f"t{number}", tokens=100) for number in range(12)]
    chain = PolicyChain([SummarizingPolicy("a", 0.5), SummarizingPolicy("b", 0.1, 1)])
    plan = chain.decide(Transcript(tuple(turns)), CompactionBudget(480))
    (request,) = plan.summarization_requests
    assert request.prompt_id == "b"
    assert len(request.turn_ids) == 8


def test_a_planned_summary_ends_where_it_stands_and_not_where_its_last_turn_stood() -> None:
    """H1, S1: its exchange lies inside of it, so that nothing reaches out of the next span."""
    turns = [
        turn("sys", "system", 10),
        turn("call", "assistant", 100, "x"),
        turn("between", "user", 100),
        turn("result", "tool", 100, "x"),
    ]
    chain = PolicyChain([SummarizingPolicy("a", 0.5, 2), SummarizingPolicy("b", 0.2, 1)])
    plan = chain.decide(Transcript(tuple(turns)), CompactionBudget(60, 0))
    (request,) = plan.summarization_requests
    assert (request.prompt_id, request.target_tokens) == ("b", 30)
    assert request.turn_ids == ("call", "between", "result")


def test_masks_that_a_later_policy_made_unnecessary_are_given_back() -> None:
    """H2."""
    turns = [
        turn("old", "user", 400),
        turn("call", "assistant", 5, "x"),
        turn("result", "tool", 40, "x"),
        turn("end", "user", 5),
    ]
    chain = PolicyChain([ObservationMaskingPolicy(0, estimator=five), DropOldestPolicy()])
    plan = chain.decide(Transcript(tuple(turns)), CompactionBudget(100, 1))
    assert letters(plan) == "dkkk"


def test_the_default_chain_masks_then_folds_then_drops() -> None:
    """H2: free first, then what keeps the substance, then what keeps nothing."""
    transcript = session(rounds=10)
    chain = default_chain(keep_recent_results=0)
    assert chain.name == "chain(observation_masking@1+summarizing@1+drop_oldest@1)"
    seen = {
        limit: set(letters(chain.decide(transcript, CompactionBudget(limit, 1))))
        for limit in (900, 200, 30)
    }
    assert seen[900] == {"k", "m"}
    assert "s" in seen[200]
    assert "d" not in seen[200]
    assert seen[30] >= {"d"}


def test_the_default_chain_asks_for_the_prompt_that_it_is_given() -> None:
    """H2."""
    plan = default_chain(prompt_id="mine").decide(session(rounds=30), CompactionBudget(600))
    assert [each.prompt_id for each in plan.summarization_requests] == ["mine"]


def test_the_summary_of_the_default_chain_is_not_dropped_by_it() -> None:
    """S1, H2."""
    transcript = session(rounds=20)
    for limit in range(250, 2000, 50):
        plan = default_chain().decide(transcript, CompactionBudget(limit))
        if Action.DROP in {each.action for each in plan.decisions}:
            continue
        view = CompactionExecutor().apply(transcript, plan, summaries_for(plan))
        assert view.report.tokens_after <= limit


@pytest.mark.parametrize("name", sorted(OURS))
def test_a_pinned_live_message_stays_verbatim_whatever_the_policy(name: str) -> None:
    """B2, known failure C8: what follows it may be reduced."""
    live = turn("live", "user", 20, content="do this now", pinned=True)
    loop = session(rounds=6).turns[2:-1]
    transcript = Transcript((*session().turns[:2], live, *loop))
    plan = OURS[name]().decide(transcript, CompactionBudget(250, 1))
    assert not plan.changes_nothing
    view = CompactionExecutor().apply(transcript, plan, summaries_for(plan))
    assert view.transcript.turn("live") is live


@pytest.mark.parametrize(
    "members", [[], [5], [None], [object()]], ids=["none", "number", "None", "object"]
)
def test_a_chain_needs_policies(members: list[Any]) -> None:
    """H1, E1."""
    with pytest.raises(InvalidConfiguration):
        PolicyChain(members)


@pytest.mark.parametrize(
    ("planned", "said"),
    [
        (lambda turns: turns[1:], "planned 8 turns of 9"),
        (lambda turns: (*turns[:-1], replace(turns[-1], turn_id="x")), "planned 'x' where turn 8"),
    ],
)
def test_a_stranger_that_plans_other_turns_is_refused(planned: Any, said: str) -> None:  # noqa: ANN401
    """H1, P6. Would catch: a plan for as many other turns, taken by position."""

    class Forgetful:
        name = "forgetful"
        version = "1"

        def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
            return DropOldestPolicy().decide(Transcript(planned(transcript.turns)), budget)

    with pytest.raises(InvalidPlan, match=f"P1.*{said}"):
        PolicyChain([Forgetful()]).decide(session(), CompactionBudget(100, 1))


def test_a_result_that_is_unmasked_in_a_locked_exchange_says_so() -> None:
    """H1. Would catch: a turn that was masked for a while and is said to fit."""
    caller = turn("a", "assistant", call="x", pinned=True)
    draft = PlanDraft(
        Transcript((caller, turn("t", "tool", call="x"), turn("u"))),
        CompactionBudget(10**6, 1),
    )
    never = draft.seal("p", "1").decisions[1].reason
    draft.mask(1, ("-", 1, None), "mask: x")
    draft.unmask(1)
    assert draft.seal("p", "1").decisions[1].reason == never == "keep: exchange_locked"


def test_a_stranger_that_masks_a_planned_summary_is_refused() -> None:
    """H1: what is not written yet has no content."""

    class MasksSummaries:
        name = "masks_summaries"
        version = "1"

        def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
            draft = PlanDraft(transcript, budget)
            for position, each in enumerate(transcript):
                if each.metadata.get("turnfold.kind") == "summary":
                    draft.mask(position, ("[gone]", 1, None), "mask: summary")
            return draft.seal(self.name, self.version)

    chain = PolicyChain([SummarizingPolicy("p"), MasksSummaries()])
    with pytest.raises(InvalidPlan, match="P2"):
        chain.decide(session(rounds=4), CompactionBudget(60, 1))
