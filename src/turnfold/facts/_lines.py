"""Lines that matter whatever names they hold: decisions, constraints, corrections, errors, todos.

Surface triggers in English and Chinese, one line at a time. They rank lines; whether a rule was
kept is for the audit to judge.
"""

import re
from enum import StrEnum
from typing import Final, NamedTuple

_LONGEST_EXAMINED: Final = 2_000


class Trigger(StrEnum):
    """Why a line matters; the value is the wire form."""

    DECISION = "decision"
    CONSTRAINT = "constraint"
    CORRECTION = "correction"
    ERROR = "error"
    TODO = "todo"


class CriticalLine(NamedTuple):
    """A line with its triggers, in the order of `Trigger`, and where it stands, from 0."""

    number: int
    text: str
    triggers: tuple[Trigger, ...]


def _any_of(english: tuple[str, ...], chinese: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for whole English words or parts of Chinese text; nothing in it repeats."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(english)})(?!\w)|{'|'.join(chinese)}", re.IGNORECASE)


_PATTERNS: Final = (
    (
        Trigger.DECISION,
        _any_of(
            (
                r"decision(?= ?:)",
                r"(?:decided|agreed) (?:to|on|that)",
                r"we(?:[\u2019']ll| will) use",
                r"chosen|we chose|going with|settled on|let[\u2019']s use",
                r"use \S{1,80} instead",
            ),
            ("决定", "选定", "选择了", "敲定", "我们用", "改用", "采用", "商定", "确定用"),
        ),
    ),
    (
        Trigger.CONSTRAINT,
        _any_of(
            (
                r"must(?:n[\u2019']t)?|never(?= \S)|always|only(?= \S)|without(?= \S)",
                r"do not|don[\u2019']t|shall not|should not|cannot|can[\u2019']t",
                r"required?|requirement|forbidden|not allowed|at most|at least|no more than",
                r"make sure|ensure|keep \S{1,80} (?:unchanged|as is|the same)",
            ),
            (
                *("不要", "不能", "不得", "不许", "禁止", "必须", "务必", "一定要", "只能", "只用"),
                *("仅限", "切勿", "始终", "总是", "至少", "至多", "最多", "不超过", "确保", "保证"),
                "别再",
            ),
        ),
    ),
    (
        Trigger.CORRECTION,
        _any_of(
            (
                r"no(?=,)|actually|instead|rather than|wrong|incorrect|not what|i meant|i said",
                r"revert|undo|should have|stop \S{1,40}ing|that[\u2019']s not|correction",
            ),
            (
                *("不对", "错了", "有误", "改成", "改为", "而不是", "应该是", "我的意思", "撤销"),
                *("回退", "更正", "纠正"),
            ),
        ),
    ),
    (
        Trigger.ERROR,
        _any_of(
            (
                r"errors?|traceback|failed|failures?|panic|exit (?:code|status)[ :=]{0,3}[1-9]\d*",
                r"(?-i:\w{1,80}(?:Error|Exception))",
            ),
            ("错误", "失败", "报错", "异常", "崩溃"),
        ),
    ),
    (
        Trigger.TODO,
        _any_of(
            (
                r"todos?|fixme|not done|not yet|remaining|next steps?|still needs?|still to do",
                r"left to do|pending|follow[- ]up",
            ),
            (
                *("待办", "待做", "未完成", "还没", "尚未", "下一步", "接下来", "剩下", "剩余"),
                *("还需", "还要", r"\[ \]"),
            ),
        ),
    ),
)


def triggers(line: str) -> tuple[Trigger, ...]:
    """Return why a line matters, in the order of `Trigger`; empty where nothing says so.

    Only the first 2,000 characters are examined.

    Example:
        >>> [str(each) for each in triggers("Never push to main; TODO: tell the others")]
        ['constraint', 'todo']
    """
    start = line[:_LONGEST_EXAMINED]
    return tuple(trigger for trigger, pattern in _PATTERNS if pattern.search(start))


def critical_lines(text: str) -> tuple[CriticalLine, ...]:
    """Return the lines of a text that have a trigger, in order; linear in the text."""
    return tuple(
        CriticalLine(number, line, found)
        for number, line in enumerate(text.splitlines())
        if (found := triggers(line))
    )
