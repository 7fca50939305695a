"""A provider has the last word on length: what it says is read, and taken to heart."""

import asyncio
import json
from typing import Any

import pytest

from tests.integration.watcher import Watcher, too_low
from turnfold import CompactionBudget, formats
from turnfold.errors import TurnfoldDefect
from turnfold.fulfil import FulfilOptions, SummaryJob
from turnfold.integrations import Compactor, Conversation, PlainDialect
from turnfold.integrations.overflow import Overflow, overflow_of

OPENAI = (
    "Error code: 400 - {'error': {'message': \"This model's maximum context length is 128000 "
    "tokens. However, your messages resulted in 130512 tokens. Please reduce the length of the "
    "messages.\", 'type': 'invalid_request_error', 'code': 'context_length_exceeded'}}"
)
REQUESTED = (
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens "
    "(4000 in the messages, 1000 in the completion). Please reduce the length."
)
RESPONSES = "Your input exceeds the context window of this model. Please adjust your input."
ANTHROPIC = "prompt is too long: 210000 tokens > 200000 maximum"
WITH_ANSWER = (
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input"
)


class StatusError(Exception):
    """An error of a provider, as its client raises it."""

    def __init__(self, said: str, status: int = 400, code: str | None = None) -> None:
        super().__init__(said)
        self.status_code, self.code = status, code


@pytest.mark.parametrize(
    ("fault", "wanted"),
    [
        (StatusError(OPENAI), Overflow(130_512, 128_000)),
        (StatusError(REQUESTED), Overflow(5_000, 4_096)),
        (StatusError(RESPONSES), Overflow()),
        (StatusError("no", code="context_length_exceeded"), Overflow()),
        (StatusError(ANTHROPIC), Overflow(210_000, 200_000)),
        (StatusError(WITH_ANSWER), Overflow(210_000, 200_000)),
        (StatusError("prompt is too long: 10 tokens > 200000 maximum"), Overflow()),
        (ValueError(ANTHROPIC), Overflow(210_000, 200_000)),
        (StatusError("This model's maximum prompt length is 131072 but it has 211231"), Overflow()),
        (StatusError("the request exceeds the available context size"), Overflow()),
        (StatusError(ANTHROPIC, status=429), None),
        (StatusError("Invalid parameter: messages with role 'tool' must follow"), None),
        (StatusError(""), None),
    ],
)
def test_what_a_provider_says_is_read(fault: Exception, wanted: Overflow | None) -> None:
    """Would catch: words that are not known, or numbers that are mixed up."""
    assert overflow_of(fault) == wanted


def test_an_error_of_a_framework_is_known_by_its_class() -> None:
    assert overflow_of(KeyError("x"), LookupError) == Overflow()
    assert overflow_of(KeyError("x"), OSError) is None


WINDOW = 3_000


def history(steps: int) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Port it. Never push to main."}]
    for number in range(steps):
        said = f"Part {number} is ported. " * 30
        messages.append({"role": "assistant", "content": said})
        messages.append({"role": "user", "content": f"Go on with part {number + 1}."})
    return messages


def conversation(watcher: Watcher, **options: Any) -> Conversation[Any]:  # noqa: ANN401
    return Compactor(
        PlainDialect("openai-chat"), options.pop("budget", WINDOW), observers=[watcher], **options
    ).conversation()


def size(messages: list[Any]) -> int:
    return formats.parse(messages, format="openai-chat").transcript.token_estimate()


def refitted(talk: Conversation[Any], overflow: Overflow, *, is_async: bool = False) -> Any:  # noqa: ANN401
    if is_async:
        return asyncio.run(talk.refit_async(MESSAGES, overflow))
    return talk.refit(MESSAGES, overflow)


MESSAGES = history(20)
both = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])


@both
def test_a_refusal_lowers_the_budget_by_what_was_counted(is_async: bool) -> None:  # noqa: FBT001
    """Would catch: a second request that is refused as well, and so each one after it."""
    watcher = Watcher()
    talk = conversation(watcher, estimator=too_low)
    assert talk.fit(MESSAGES) == MESSAGES
    counted = size(MESSAGES)
    sent = refitted(talk, Overflow(counted, WINDOW), is_async=is_async)
    assert size(sent) <= WINDOW
    assert formats.check(sent, format="openai-chat") == ()
    (told,) = watcher.overflows
    assert told["tokens"] == counted
    assert told["window"] == WINDOW
    assert told["tokens_estimated"] * 2 == pytest.approx(counted, rel=0.2)
    more = MESSAGES
    for number in range(30):
        more = [*more, {"role": "assistant", "content": f"Line {number}. " * 40}]
        assert size(talk.fit(more)) <= WINDOW
    assert len(watcher.overflows) == 1


def restarted(talk: Conversation[Any], budget: int = WINDOW) -> Conversation[Any]:
    """The conversation as another process goes on with it, from JSON."""
    compactor = Compactor(PlainDialect("openai-chat"), budget, estimator=too_low, observers=[])
    return compactor.conversation(json.loads(json.dumps(talk.to_dict())))


def test_a_restart_remembers_the_lowered_budget() -> None:
    """Would catch: a process that hits the same refusal again, once after each restart."""
    talk = conversation(Watcher(), estimator=too_low)
    talk.fit(MESSAGES)
    assert refitted(talk, Overflow(size(MESSAGES), WINDOW)) is not None
    more = MESSAGES
    for number in range(60):
        more = [*more, {"role": "assistant", "content": f"Line {number}. " * 40}]
        talk = restarted(talk)
        assert size(talk.fit(more)) <= WINDOW


def test_a_budget_that_was_raised_since_is_taken_as_it_is() -> None:
    """Would catch: a larger window that a user pays for and never gets."""
    talk = conversation(Watcher(), estimator=too_low)
    talk.fit(MESSAGES)
    refitted(talk, Overflow(size(MESSAGES), WINDOW))
    more = [*MESSAGES, *history(12)]
    assert size(restarted(talk).fit(more)) <= WINDOW
    assert size(restarted(talk, 10 * WINDOW).fit(more)) > WINDOW


def test_a_refusal_that_nothing_could_be_done_about_is_remembered_too() -> None:
    """Would catch: a budget that is lowered in the process only, as nothing was compacted."""
    talk = conversation(Watcher(), budget=CompactionBudget(WINDOW, 2), estimator=too_low)
    talk.fit(MESSAGES)
    refitted(talk, Overflow(size(MESSAGES), WINDOW))
    assert (state := talk.to_dict()) is not None
    assert refitted(talk, Overflow(10 * WINDOW, 10)) is None
    assert (lower := talk.to_dict()) is not None
    assert lower["lowered"]["limit"] < state["lowered"]["limit"] < WINDOW
    assert {**lower, "lowered": None} == {**state, "lowered": None}


def test_a_state_without_a_refusal_names_none_and_an_older_one_is_read() -> None:
    """Would catch: a checkpoint of an earlier version that is refused for want of a key."""
    talk = conversation(Watcher())
    sent = talk.fit([*MESSAGES, *MESSAGES])
    assert (state := talk.to_dict()) is not None
    assert state.keys() == {"schema", "covered", "ledger", "texts"}
    compactor = Compactor(PlainDialect("openai-chat"), WINDOW)
    assert compactor.conversation(state).fit([*MESSAGES, *MESSAGES]) == sent


@pytest.mark.parametrize("lowered", [7, {}, {"limit": "x", "configured": 9}, {"limit": -1}])
def test_a_lowered_budget_that_is_none_is_refused(lowered: Any) -> None:  # noqa: ANN401
    talk = conversation(Watcher())
    talk.fit([*MESSAGES, *MESSAGES])
    state = {**(talk.to_dict() or {}), "lowered": lowered}
    with pytest.raises(TurnfoldDefect):
        Compactor(PlainDialect("openai-chat"), WINDOW).conversation(state)


def test_a_refusal_without_numbers_halves_what_was_sent() -> None:
    watcher = Watcher()
    talk = conversation(watcher, budget=CompactionBudget(10_000, target_tokens=9_000))
    sent = refitted(talk, Overflow())
    assert sent is not None
    assert size(sent) <= size(MESSAGES) // 2
    assert watcher.overflows == [{"tokens_estimated": size(MESSAGES), "limit": size(MESSAGES) // 2}]


@both
def test_where_no_less_is_possible_the_refusal_stands(is_async: bool) -> None:  # noqa: FBT001
    """Would catch: a history that is sent again as it was."""

    def write(job: SummaryJob) -> str:
        raise ConnectionError(job)

    watcher = Watcher()
    options = FulfilOptions(digest="never", tries=1)
    talk = conversation(watcher, write=write, options=options)
    overflow = Overflow(2 * size(MESSAGES), WINDOW)
    assert refitted(talk, overflow, is_async=is_async) is None
    assert [each["code"] for each in watcher.failures] == ["fulfilment_failed"]
    watcher = Watcher()
    budget = CompactionBudget(WINDOW, protected_recent_turns=1_000)
    assert refitted(conversation(watcher, budget=budget), overflow, is_async=is_async) is None
    assert len(watcher.overflows) == 1
    assert watcher.compactions == []


def test_what_fits_the_lowered_budget_already_is_not_compacted() -> None:
    """A refusal is the provider's; nothing is summarized where that would not help."""
    watcher = Watcher()
    talk = conversation(watcher, budget=100_000)
    sent = talk.refit([{"role": "user", "content": "Hi."}], Overflow(9, 8))
    assert sent is None
    assert watcher.compactions == []


@pytest.mark.parametrize("is_refused", [True, False])
def test_what_failed_once_is_not_waited_for_after_it_went_well(is_refused: bool) -> None:  # noqa: FBT001
    """Would catch: a conversation that outgrows its budget because an earlier try failed."""
    is_down = True

    def write(_job: SummaryJob) -> str:
        if is_down:
            raise ConnectionError
        return "Parts were ported."

    watcher = Watcher()
    options = FulfilOptions(digest="never", tries=1, gate="off")
    talk = conversation(watcher, budget=WINDOW, write=write, options=options)
    assert talk.fit(MESSAGES) == MESSAGES
    assert len(watcher.failures) == 1
    is_down, limit = False, WINDOW
    if is_refused:
        sent = talk.refit(MESSAGES, Overflow(2 * size(MESSAGES), size(MESSAGES)))
        assert sent is not None
        limit = watcher.overflows[0]["limit"]
    more = MESSAGES
    for number in range(30 if is_refused else 60):
        more = [*more, {"role": "assistant", "content": f"Line {number}. " * 40}]
        sent = talk.fit(more)
        if watcher.compactions:
            assert size(sent) <= limit
    assert len(watcher.compactions) > 1
