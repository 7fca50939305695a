"""What a writer gave, and whether it can be a summary at all (contract F1)."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from turnfold._record import sealed
from turnfold.decision import SummarizationRequest
from turnfold.executor import Summary, mark_summary

_REFUSED: Final = """
refusal content_filter content_filtered safety prohibited_content blocklist recitation spii
guardrail_intervened
"""
_CUT_OFF: Final = """
length max_tokens max_output_tokens max_length incomplete model_context_window_exceeded model_length
"""
_CALLED: Final = """
tool_calls tool_use tool_call function_call unexpected_tool_call malformed_function_call
"""
_STOPS: Final = {
    word: code
    for words, code in (
        (_REFUSED, "summary_refused"),
        (_CUT_OFF, "summary_cut_off"),
        (_CALLED, "summary_tool_call"),
    )
    for word in words.split()
}
"""How OpenAI, Anthropic, Gemini, Bedrock and compatible servers say why a model stopped; compared
in lower case."""

_SAID: Final = {
    "summary_refused": "it refuses to summarize; nothing is asked for but a record of the turns",
    "summary_tool_call": "it is a tool call; write the summary as text",
    "summary_cut_off": "it was cut off; write a shorter one, and finish it",
    "summary_blank": "it is blank",
}
_LONGEST_REFUSAL: Final = 600
_SORRY: Final = (
    r"(?:(?:i['\u2019]m|i am) (?:very |really |so )?sorry|i apologi[sz]e|(?:my )?apologies|sorry)"
    r"[,.;:]? ?(?:but |however,? )?"
)
_REFUSAL: Final = re.compile(
    rf"\W{{0,4}}(?:{_SORRY}|unfortunately,? |as an ai(?: language model| assistant)?,? )?"
    r"(?:i(?:['\u2019]m| am) (?:not able|unable) to|i (?:can(?:not|['\u2019]t)|won['\u2019]t|"
    r"will not|must decline to)) "
    r"(?:assist|help|comply|fulfil|fulfill|provide|process|summari[sz]e|continue|engage|do that)\b"
    r"|\W{0,4}(?:(?:很|非常|十分|实在)?抱歉|对不起|不好意思)[\uff0c,\u3002 ]{0,2}"
    r"(?:但|不过)?我?(?:不能|无法|没法|不便)",
    re.IGNORECASE,
)
_CALL_MARKS: Final = ("<tool_call", "<function_call", "<|tool_call", "[TOOL_CALLS]", "<invoke ")


@sealed
@dataclass(frozen=True, slots=True)
class Answer:
    """What a model wrote, from a writer that knows why it stopped.

    Args:
        text: The text of the answer; tool calls and reasoning left out.
        stop_reason: The provider's own word, such as `length`, `max_tokens`, `refusal`,
            `tool_calls`; None where it is not known.
        unseen_turn_ids: Turns of the job that the model was not shown.
    """

    text: str
    stop_reason: str | None = None
    unseen_turn_ids: tuple[str, ...] = ()


@sealed
@dataclass(frozen=True, slots=True)
class Rejection:
    """One try that was not accepted.

    Args:
        code: A stable word: `summary_blank`, `summary_refused`, `summary_tool_call`,
            `summary_cut_off`, `summary_over_target`, `summary_not_smaller`,
            `summary_audit_failed`, `writer_failed`, `writer_timed_out`, `writer_overflowed`,
            `writer_gave_no_text`.
        problems: What is to be mended, a sentence each.
        text: What was written; empty where nothing was.
    """

    code: str
    problems: tuple[str, ...]
    text: str = ""


def answer_of(given: object) -> Answer | Rejection:
    """Return what a writer gave in one shape."""
    if isinstance(given, Answer):
        answer = given
    elif isinstance(given, Summary):
        answer = Answer(given.text, None, tuple(given.unseen_turn_ids))
    elif isinstance(given, str):
        answer = Answer(given)
    else:
        problem = (
            "a writer returns a text, a Summary or an Answer; this one returned a "
            f"{type(given).__name__}"
        )
        return Rejection("writer_gave_no_text", (problem,))
    text: object = answer.text
    if not isinstance(text, str):
        kind = type(text).__name__
        return Rejection("writer_gave_no_text", (f"the text of the answer is a {kind}",))
    stopped: object = answer.stop_reason
    if stopped is not None and not isinstance(stopped, str):
        # Some clients give a member of an enumeration of numbers, whose name is the word.
        name = getattr(stopped, "name", None)
        answer = replace(answer, stop_reason=name if isinstance(name, str) else None)
    return answer


def fault_of(
    answer: Answer,
    request: SummarizationRequest,
    *,
    replaced: int,
    count: Callable[[str], int],
    tolerance: float,
) -> Rejection | None:
    """Return why an answer cannot be the summary that was asked for; None where it can.

    Args:
        answer: The answer.
        request: What was asked for.
        replaced: What the turns of the request cost, in tokens.
        count: Measures a text, in tokens.
        tolerance: By which share the target may be exceeded.
    """
    kind = _kind_of(answer)
    if kind is not None:
        code, problem = kind
        return Rejection(code, (problem,), answer.text)
    measured = count(mark_summary(answer.text, len(request.turn_ids)))
    target = request.target_tokens
    if measured >= replaced:
        problem = (
            f"it is {measured:,} tokens with the marks around it, and what it replaces is "
            f"{replaced:,}: it has to be smaller, at most {target:,}"
        )
        return Rejection("summary_not_smaller", (problem,), answer.text)
    if measured > target * (1 + tolerance):
        problem = (
            f"it is {measured:,} tokens with the marks around it, and at most {target:,} were "
            "asked for: write less"
        )
        return Rejection("summary_over_target", (problem,), answer.text)
    return None


def _kind_of(answer: Answer) -> tuple[str, str] | None:
    """Return what an answer is instead of a summary, and the sentence that says so."""
    text = answer.text.strip()
    stopped = (answer.stop_reason or "").strip().lower()
    code = _STOPS.get(stopped)
    if code is None and _is_call(text):
        code = "summary_tool_call"
    elif code is None and len(text) <= _LONGEST_REFUSAL and _REFUSAL.match(text):
        code = "summary_refused"
    if code is None and not text:
        code = "summary_blank"
    return None if code is None else (code, _SAID[code])


def _is_call(text: str) -> bool:
    """Whether the whole text is a call that a model wrote out instead of making it."""
    if text.startswith(_CALL_MARKS):
        return True
    if not (text.startswith("{") and text.endswith("}")):
        return False
    try:
        made = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(made, dict):
        return False
    return bool({"name", "function", "tool", "recipient_name"} & made.keys()) and bool(
        {"arguments", "parameters", "input"} & made.keys() or isinstance(made.get("function"), dict)
    )
