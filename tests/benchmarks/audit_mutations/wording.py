"""What a split of wording holds: how people say things, and how a summary says them again.

A template has slots: `{path}`, `{span}` and the other kinds of `values.KINDS`; `{topic}` for
what it is about; `{scope}` for where or when a rule holds; `{old}` and `{new}` for a correction;
`{items}` for a list.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """A constraint of the user's, and what a summary makes of it: right, and wrong in two ways."""

    said: str
    kept: str
    negated: str
    weakened: str


@dataclass(frozen=True)
class Limit(Rule):
    """A constraint with a comparator and a value."""

    flipped: str = ""


@dataclass(frozen=True)
class Turned:
    """A thing that is said, told rightly, and told the other way round."""

    said: str
    kept: str
    turned: str


@dataclass(frozen=True)
class Neutral:
    """A fact that is said, told in the summary, and told in other words."""

    said: str
    told: str
    again: str


@dataclass(frozen=True)
class Correction:
    """A value, the user's correction of it, and the summary that keeps the new one."""

    before: str
    said: str
    kept: str


@dataclass(frozen=True)
class Wordings:
    """All the wording of a split.

    Args:
        opening: What the user asks for first.
        rules: Constraints; each with a scope.
        limits: Constraints with a comparator.
        lists: Constraints over several values.
        decisions: What was decided, and its opposite.
        corrections: The user corrects a value.
        guesses: A hypothesis, told as one, and told as a fact.
        speakers: Who said it, told rightly, and swapped; by the role that said it.
        statuses: A state, told rightly, and flipped.
        errors: An unresolved error; `turned` is empty.
        todos: What is left to do; `turned` says that it is done.
        edits: A file that was edited; `turned` tells it in other words.
        neutral: Facts by kind.
        frames: Other words for a rule: around `{rule}`.
        scopes: Where or when a rule holds.
        stand_ins: What stands for a value that was left out, by kind.
        topics: What a fact is about.
        idle: Words in a transcript that bind nobody: questions, and third parties quoted.
        headings: Over the bullets of a summary.
    """

    opening: tuple[str, ...]
    rules: tuple[Rule, ...]
    limits: tuple[Limit, ...]
    lists: tuple[Rule, ...]
    decisions: tuple[Turned, ...]
    corrections: tuple[Correction, ...]
    guesses: tuple[Turned, ...]
    speakers: tuple[tuple[str, Turned], ...]
    statuses: tuple[Turned, ...]
    errors: tuple[Turned, ...]
    todos: tuple[Turned, ...]
    edits: tuple[Turned, ...]
    neutral: Mapping[str, tuple[Neutral, ...]]
    frames: tuple[str, ...]
    scopes: tuple[str, ...]
    stand_ins: Mapping[str, str]
    topics: tuple[str, ...]
    idle: tuple[tuple[str, str], ...]
    headings: tuple[str, ...]


def unscoped(template: str) -> str:
    """Return a template without its scope."""
    for piece in (", {scope},", ", {scope}", " {scope}", "{scope}\uff0c", "{scope}"):
        if piece in template:
            return template.replace(piece, "", 1)
    return template
