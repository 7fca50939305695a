"""The classes of the benchmark, named as the audit's page names them, with their targets."""

from dataclasses import dataclass
from typing import Final

from tests.benchmarks.audit_mutations import changes
from tests.benchmarks.audit_mutations.changes import Change


@dataclass(frozen=True)
class Class:
    """A class of changes with one right verdict.

    Args:
        name: As the page has it.
        change: Makes the change.
        shapes: The sessions that have what is changed.
        flag: Whether it must be flagged.
        value: Whether a false certification counts: 0 are allowed.
        recall: The target; None if the page sets none.
        unseen_recall: The target on unseen wording, where it is another one.
        most_wrong: For what must not be flagged, the highest rate that is allowed.
        any_severity: Whether a finding of any severity flags it (see `judge`).
    """

    name: str
    change: Change
    shapes: tuple[str, ...]
    flag: bool = True
    value: bool = False
    recall: float | None = None
    unseen_recall: float | None = None
    most_wrong: float = 0.0
    any_severity: bool = False

    def target(self, split: str) -> float | None:
        """Return the target of a split: the lowest recall, or the highest rate of errors."""
        if not self.flag:
            return self.most_wrong
        if split == "unseen" and self.unseen_recall is not None:
            return self.unseen_recall
        return self.recall


_ANY: Final = ("paths", "numbers", "rules")
_FACTS: Final = ("paths", "numbers")
_RULES: Final = ("rules",)


def _value(name: str, change: Change, *shapes: str) -> Class:
    return Class(name, change, shapes, value=True, recall=0.99)


def _rule(name: str, change: Change) -> Class:
    return Class(name, change, _RULES, recall=0.95, unseen_recall=0.70)


def _good(name: str, change: Change, *shapes: str) -> Class:
    return Class(name, change, shapes, flag=False)


MUST_FLAG: Final = (
    _value("fact deleted", changes.fact_deleted, "rules", "rules", "paths"),
    _value("one digit changed", changes.one_digit_changed, "numbers"),
    _value("path to an invented sibling", changes.path_to_an_invented_sibling, "paths"),
    _value(
        "path swapped with another true one", changes.path_swapped_with_another_true_one, "paths"
    ),
    _rule("negation added or removed", changes.negation_added_or_removed),
    _value("unit changed", changes.unit_changed, "numbers"),
    _value("extended by a character", changes.extended_by_a_character, *_FACTS),
    _value("cut by a character", changes.cut_by_a_character, *_FACTS),
    _value("invented fact", changes.invented_fact, *_ANY),
    _value("value left out", changes.value_left_out, *_RULES),
    _rule("strength weakened", changes.strength_weakened),
    _rule("scope left out", changes.scope_left_out),
    Class("stale value", changes.stale_value, _RULES, recall=0.95),
    Class("old and new together", changes.old_and_new_together, _RULES, recall=0.95),
    _value("case of an identifier", changes.case_of_an_identifier, "paths"),
    _value("parts of an identifier swapped", changes.parts_of_an_identifier_swapped, "paths"),
    Class(
        "two true values exchanged", changes.two_true_values_exchanged, ("numbers",), recall=0.95
    ),
    Class("who said it swapped", changes.who_said_it_swapped, _RULES),
    Class("status flipped", changes.status_flipped, _RULES),
    Class("comparator flipped", changes.comparator_flipped, _RULES),
    Class("list item lost", changes.list_item_lost, _RULES),
    Class("hypothesis made a fact", changes.hypothesis_made_a_fact, _RULES),
    Class("homoglyph", changes.homoglyph, ("paths",), value=True),
    Class("sign or exponent", changes.sign_or_exponent, ("numbers",), value=True),
    Class("date shifted", changes.date_shifted, ("numbers",), value=True),
    Class("URL query dropped", changes.url_query_dropped, ("numbers",), value=True),
    Class(
        "supported only by an earlier summary",
        changes.supported_only_by_an_earlier_summary,
        _ANY,
        value=True,
        any_severity=True,
    ),
    Class("correction lost", changes.correction_lost, _RULES),
)

MUST_NOT_FLAG: Final = (
    _good("clean", changes.clean, *_ANY),
    _good("reordered", changes.reordered, *_ANY),
    _good("markdown wrapped", changes.markdown_wrapped, *_ANY),
    _good("12345 to 12,345", changes.thousands, "numbers"),
    _good("home to ~", changes.home_to_tilde, "paths"),
    Class(
        "paraphrase with the value verbatim", changes.paraphrase, _ANY, flag=False, most_wrong=0.05
    ),
    _good("250 ms to 250ms", changes.unit_joined, "numbers"),
    _good("hash prefix", changes.hash_prefix, "numbers"),
    _good("repo-relative", changes.repo_relative, "paths"),
    _good("line number left off", changes.line_number_left_off, "paths"),
    _good("quotes and punctuation", changes.quotes_and_punctuation, *_FACTS),
    _good("table cell", changes.table_cell, *_FACTS),
    _good("\\ for /", changes.backslash_for_slash, "paths"),
    _good("NFC and smart quotes", changes.nfc_and_smart_quotes, "numbers"),
    _good("line wrap", changes.line_wrap, *_ANY),
    _good("mentioned twice", changes.mentioned_twice, *_ANY),
    _good("JSON escapes", changes.json_escapes, *_FACTS),
    _good("ANSI colours", changes.ansi_colours, *_FACTS),
    _good("percent-encoding", changes.percent_encoding, "numbers"),
)

APART: Final = (
    Class("value deleted (any severity)", changes.value_deleted, _FACTS, any_severity=True),
)
"""Reported and never part of a verdict: losing an ordinary value is a weight, and no finding
above INFO."""

CLASSES: Final = MUST_FLAG + MUST_NOT_FLAG + APART
