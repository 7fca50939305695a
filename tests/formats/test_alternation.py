"""Speakers that alternate on demand (known failure C4)."""

import copy
import json
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats import test_anthropic_messages as anthropic_tests
from tests.formats import test_openai_chat as openai_tests
from tests.formats.gemini_histories import contents
from tests.formats.json_histories import (
    NO_PINS,
    POLICIES,
    Json,
    compact,
    cuts,
    has_conversation,
    histories,
)
from turnfold import (
    CompactedView,
    CompactionBudget,
    CompactionExecutor,
    SummarizingPolicy,
    Transcript,
    formats,
)
from turnfold.errors import InvalidConfiguration
from turnfold.formats import FORMATS, Pins, Session, check, parse, repaired
from turnfold.formats._marks import BRIDGE

NAMES = ("openai-chat", "anthropic-messages", "gemini-contents")
PROSE = "We looked at the log of the deploy. " * 30


def render(view: Json, session: Session, **options: Json) -> Json:
    return formats.render(view, session, **options)


def said(name: str, role: str, text: str) -> Json:
    if name == "gemini-contents":
        return {"role": "model" if role == "assistant" else role, "parts": [{"text": text}]}
    return {"role": role, "content": text}


def document_of(name: str, *messages: tuple[str, str]) -> list[Json]:
    return [said(name, role, text) for role, text in messages]


def folded(session: Session, recent: int) -> CompactedView:
    """Fold all that is not protected into a summary."""
    policy = SummarizingPolicy("any/1", min_span_turns=1)
    tokens = session.transcript.token_estimate() // 2
    plan = policy.decide(session.transcript, CompactionBudget(tokens, recent))
    summaries = {each.group_id: "SUMMARY" for each in plan.summarization_requests}
    return CompactionExecutor().apply(session.transcript, plan, summaries)


def rows_of(rendered: Json) -> list[Json]:
    """Return the messages of a rendering, without results that stand in a row."""
    return [each for each in rendered if each["role"] not in ("tool", "function")]


def spelled(message: Json) -> str:
    return json.dumps(message, ensure_ascii=False)


@pytest.mark.parametrize("name", NAMES)
def test_a_summary_and_the_words_behind_it_are_one_message(name: str) -> None:
    """C4: [summary, user, assistant]. Would catch: two user messages, or a summary that is gone."""
    turns = [("user", PROSE), ("assistant", PROSE), ("user", "q"), ("assistant", "a")]
    session = parse(document_of(name, *turns), format=name, pins=NO_PINS)
    view = folded(session, 2)
    plain = render(view, session)
    assert [each["role"] for each in plain[:2]] == ["user", "user"]
    assert check(plain, format=name) == ()
    (fault,) = check(plain, format=name, alternation="strict")
    assert (fault.rule, fault.place.rpartition("[")[2]) == ("alternation", "1]")
    assert "alternate" in fault.provider_error
    rendered = render(view, session, alternation="strict")
    assert len(rendered) == len(plain) - 1
    first = spelled(rendered[0])
    assert first.index("SUMMARY") < first.index("</conversation_summary>") < first.index('q"')
    assert check(rendered, format=name, alternation="strict") == ()
    assert rendered[1] is session.source.messages[3]


@pytest.mark.parametrize("name", NAMES)
def test_a_summary_behind_an_answer_and_before_a_question_is_one_message(name: str) -> None:
    """C4: [assistant, summary, user]."""
    turns = [
        ("user", "task"),
        ("assistant", "first"),
        ("user", PROSE),
        ("assistant", PROSE),
        ("user", "q"),
    ]
    session = parse(document_of(name, *turns), format=name, pins=NO_PINS)
    first, answer, *others = session.transcript
    fixed = (replace(first, pinned=True), replace(answer, pinned=True))
    pinned = Transcript((*fixed, *others))
    view = folded(replace(session, transcript=pinned), 1)
    assert [turn.role for turn in view.transcript][-3:] == ["assistant", "user", "user"]
    rendered = render(view, session, alternation="strict")
    assert check(rendered, format=name, alternation="strict") == ()
    last = spelled(rendered[-1])
    assert last.index("SUMMARY") < last.index('q"')


def test_results_still_lead_a_message_with_a_summary() -> None:
    """C4. Would catch: a summary in front of the results that Anthropic wants first."""
    use = {"type": "tool_use", "id": "t", "name": "run", "input": {}}
    document = [
        {"role": "user", "content": "task"},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]},
        {"role": "user", "content": PROSE},
        {"role": "assistant", "content": PROSE},
        {"role": "user", "content": "q"},
    ]
    session = parse(document, format="anthropic-messages", pins=NO_PINS)
    turns = session.transcript.turns
    pins = [each.turn_id for each in turns[:3]]
    kept = [turn if turn.turn_id not in pins else replace(turn, pinned=True) for turn in turns]
    view = folded(replace(session, transcript=Transcript(tuple(kept))), 1)
    rendered = render(view, session, alternation="strict")
    assert [each["role"] for each in rendered] == ["user", "assistant", "user"]
    kinds = [block["type"] for block in rendered[2]["content"]]
    assert kinds == ["tool_result", "text", "text"]
    assert check(rendered, format="anthropic-messages", alternation="strict") == ()


@pytest.mark.parametrize("name", NAMES)
def test_what_alternates_comes_back_as_it_was(name: str) -> None:
    """R2."""
    document = document_of(name, ("user", "a"), ("assistant", "b"), ("user", "c"))
    session = parse(document, format=name)
    assert render(session.transcript, session, alternation="strict") is document
    twice = document_of(name, ("user", "a"), ("user", "b"), ("assistant", "c"))
    session = parse(twice, format=name)
    assert render(session.transcript, session) is twice
    merged = render(session.transcript, session, alternation="strict")
    assert [each["role"] for each in merged] == [each["role"] for each in document[:2]]


def test_a_chat_that_the_model_would_open_has_a_bridge() -> None:
    document = document_of("openai-chat", ("system", "s"), ("assistant", "a"), ("user", "b"))
    session = parse(document, format="openai-chat")
    merged = render(session.transcript, session, alternation="strict")
    assert merged == [document[0], {"role": "user", "content": BRIDGE}, *document[1:]]


def test_messages_keep_their_parts_their_calls_and_their_reasoning() -> None:
    """Would catch: a picture, a call or a reasoning that a merge leaves out."""
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    document = [
        {"role": "user", "content": "a"},
        {"role": "user", "content": [picture], "name": "ann"},
        {"role": "assistant", "content": "b", "reasoning_content": "r1"},
        {"role": "assistant", "content": None, "reasoning_content": "r2", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
    ]
    session = parse(document, format="openai-chat")
    assert render(session.transcript, session, alternation="strict") == [
        {"role": "user", "content": [{"type": "text", "text": "a"}, picture], "name": "ann"},
        {
            "role": "assistant",
            "content": "b",
            "reasoning_content": "r1\n\nr2",
            "tool_calls": [call],
        },
        document[4],
    ]


def test_a_format_without_it_and_a_strange_value_are_refused() -> None:
    """E1."""
    record = {"type": "user", "message": {"role": "user", "content": "a"}, "uuid": "u"}
    session = parse(json.dumps(record).encode() + b"\n", format="claude-code")
    with pytest.raises(InvalidConfiguration, match="the formats that have it are") as caught:
        render(session.transcript, session, alternation="strict")
    assert caught.value.details["formats"] == ["sharegpt", "gemini-contents", *NAMES[:2]]
    chat = parse([{"role": "user", "content": "a"}])
    with pytest.raises(InvalidConfiguration, match="alternation is 'strict' or None"):
        render(chat.transcript, chat, alternation="loose")


def test_a_conversation_for_training_alternates_on_demand() -> None:
    items = [{"from": "human", "value": "a"}, {"from": "human", "value": "b"}]
    document = {"conversations": [*items, {"from": "gpt", "value": "c"}]}
    session = parse(document, format="sharegpt")
    assert render(session.transcript, session) is document
    rendered = render(session.transcript, session, alternation="strict")
    assert check(document, format="sharegpt", alternation="strict") != ()
    assert check(rendered, format="sharegpt", alternation="strict") == ()


def _pieces(name: str, message: Json) -> list[Json]:
    """Return what a message says, piece by piece."""
    if name == "gemini-contents":
        return list(message["parts"])
    content = message.get("content")
    whole = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    pieces = [
        {**each, "text": line} if each.get("type") == "text" else each
        for each in whole
        for line in (each["text"].split("\n\n") if each.get("type") == "text" else [""])
        if line or each.get("type") != "text"
    ]
    return [*pieces, *(message.get("tool_calls") or [])]


@settings(max_examples=60)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("policy", ["summarizing", "default_chain", "masking_inputs"])
@given(data=st.data(), cut=cuts())
def test_strict_output_alternates_and_loses_nothing(
    name: str, policy: str, *, data: st.DataObject, cut: tuple[int, int, Pins]
) -> None:
    """C4. Would catch: two of one role in a row, a piece that is gone, a result behind a text."""
    built = {
        "openai-chat": histories(openai_tests.built),
        "anthropic-messages": histories(partial(anthropic_tests.built, own_ids=True)),
        "gemini-contents": contents(),
    }
    document = data.draw(built[name])
    share, recent, pins = cut
    session = parse(document, format=name, pins=pins)
    view = compact(
        session, POLICIES[policy], session.transcript.token_estimate() * share // 100, recent
    )
    if view is None or not has_conversation(repaired(view, session)):
        return
    before = copy.deepcopy(document)
    plain = render(view, session)
    rendered = render(view, session, alternation="strict")
    assert document == before
    assert check(rendered, format=name, pending_ok=True, alternation="strict") == ()
    lost = [piece for each in plain for piece in _pieces(name, each)]
    for piece in (piece for each in rendered for piece in _pieces(name, each)):
        if piece in lost:
            lost.remove(piece)
    assert lost == []


def test_every_format_that_alternates_is_tried_here() -> None:
    able = {name for name in FORMATS if getattr(FORMATS[name], "ALTERNATES", False)}
    assert able == {*NAMES, "sharegpt"}


@pytest.mark.parametrize("calls", [False, True])
def test_a_key_without_a_value_hides_none(calls: bool) -> None:  # noqa: FBT001
    """Would catch: a call that is lost, or an empty list of calls, as clients write their nulls."""
    nulls: Json = {"refusal": None, "tool_calls": None, "function_call": None}
    made = {"function_call": {"name": "f", "arguments": "{}"}} if calls else {"refusal": "No."}
    messages = [
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": "I look.", **nulls},
        {"role": "assistant", "content": None, **nulls, **made},
        *[{"role": "function", "name": "f", "content": "It is there."}] * calls,
    ]
    session = parse(messages, format="openai-chat")
    strict = render(session.transcript, session, alternation="strict")
    assert strict[1] == {"role": "assistant", "content": "I look.", **nulls, **made}
    assert check(strict, format="openai-chat", alternation="strict") == ()
