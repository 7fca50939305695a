"""The changes with a known right verdict: one function a class, named as the page names it.

Each takes a session and a source of draws, and returns the changed summary with the values and
the places that tell whether a finding is about it.
"""

import json
import random
import re
import textwrap
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tests.benchmarks.audit_mutations import values
from tests.benchmarks.audit_mutations.sessions import Line, Maker, Session, listed, sentence
from tests.benchmarks.audit_mutations.wording import unscoped

Pick = random.Random


@dataclass(frozen=True)
class Changed:
    """A changed summary.

    Args:
        text: All of it.
        before: What stood there: values and sentences of the original and of the clean summary.
        after: What stands there now; empty for what was taken away.
        earlier_summary: What an earlier summary among the turns says; None if there is none.
    """

    text: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    earlier_summary: str | None = field(default=None)


Change = Callable[[Session, Pick], Changed]

_PATHS: Final = ("path", "root", "edit")
_NAMES: Final = ("env", "identifier")
_DIGITS: Final = (
    *("url", "measure", "count", "version", "hash", "address"),
    *("ticket", "uuid", "email"),
)
_LONG: Final = (*_DIGITS[:-4], "address", "ticket", "path", "root", "edit", *_NAMES, "flag")
_EDGES: Final = tuple(dict.fromkeys(each for each in _LONG if each != "hash"))


def _put(session: Session, at: int, line: Line) -> str:
    lines = list(session.lines)
    lines[at] = line
    return session.render(lines)


def _out(session: Session, at: int) -> Changed:
    """Take a line away."""
    line = session.lines[at]
    lines = [each for place, each in enumerate(session.lines) if place != at]
    return Changed(session.render(lines), (line.said, line.text, *_values(line)))


def _values(line: Line) -> tuple[str, ...]:
    named = [line.value] if line.kind != "items" else []
    named += [line.slots[each] for each in ("first", "middle", "last", "old") if each in line.slots]
    return tuple(each for each in named if each)


def _told(session: Session, at: int, template: str) -> Changed:
    """Tell a line in another way."""
    line = session.lines[at]
    told = line.retold(template)
    return Changed(_put(session, at, told), (line.said, line.text, *_values(line)), (told.text,))


def _mutate(
    session: Session, pick: Pick, kinds: Sequence[str], step: Callable[..., str]
) -> Changed:
    """Change the value of a line by a step, to one that the transcript does not say."""
    for _ in range(200):
        at = pick.choice(session.of_kind(*kinds))
        line = session.lines[at]
        changed = step(pick, "path" if line.kind == "root" else line.kind, line.value)
        if changed != line.value and not session.says(changed):
            return Changed(_put(session, at, line.with_value(changed)), (line.value,), (changed,))
    msg = f"no change of {kinds} is new to the transcript"
    raise RuntimeError(msg)


def fact_deleted(session: Session, pick: Pick) -> Changed:
    groups = ("rule", "limit", "list", "decision", "error", "todo", "edit")
    return _out(session, pick.choice(session.of(*groups)))


def value_deleted(session: Session, pick: Pick) -> Changed:
    return _out(session, pick.choice(session.of("neutral")))


def one_digit_changed(session: Session, pick: Pick) -> Changed:
    return _mutate(session, pick, _DIGITS, values.another_digit)


def path_to_an_invented_sibling(session: Session, pick: Pick) -> Changed:
    kinds = (*_PATHS, "home")
    return _mutate(session, pick, kinds, lambda p, _, value: values.sibling(p, value))


def path_swapped_with_another_true_one(session: Session, pick: Pick) -> Changed:
    at = pick.choice(session.of_kind(*_PATHS))
    line = session.lines[at]
    true = sorted(set(re.findall(r"(?<![\w/])src/\w+/\w+\.py\b(?!:)", session.text)))
    other = pick.choice([each for each in true if each not in line.value])
    return Changed(_put(session, at, line.with_value(other)), (line.value, line.text), (other,))


def negation_added_or_removed(session: Session, pick: Pick) -> Changed:
    at = pick.choice(session.of("rule", "limit", "decision"))
    wording: Any = session.lines[at].wording
    return _told(session, at, getattr(wording, "negated", "") or wording.turned)


def unit_changed(session: Session, pick: Pick) -> Changed:
    return _mutate(session, pick, ("measure",), lambda _p, _k, value: values.another_unit(value))


def extended_by_a_character(session: Session, pick: Pick) -> Changed:
    return _mutate(session, pick, _LONG, values.longer)


def cut_by_a_character(session: Session, pick: Pick) -> Changed:
    return _mutate(session, pick, _EDGES, values.shorter)


def invented_fact(session: Session, pick: Pick) -> Changed:
    line = _invented(session, pick, values.KINDS)
    lines = list(session.lines)
    lines.insert(pick.randint(session.prose, len(lines)), line)
    return Changed(session.render(lines), (), (line.value,))


def _invented(session: Session, pick: Pick, kinds: Sequence[str]) -> Line:
    maker = Maker(session.wordings, session.shape, f"invented {pick.random()}")
    kind = pick.choice([each for each in kinds if each in session.wordings.neutral])
    while True:
        if not maker.topics:
            maker.topics = list(session.wordings.topics)
        line = maker.neutral(kind)
        if not session.says(line.value):
            return line


def value_left_out(session: Session, pick: Pick) -> Changed:
    stand_ins = session.wordings.stand_ins
    places = [
        at for at in session.of("rule", "limit", "decision") if session.lines[at].kind in stand_ins
    ]
    at = pick.choice(places)
    line = session.lines[at]
    bare = f"`{line.value}`" if f"`{line.value}`" in line.text else line.value
    text = line.text.replace(bare, stand_ins[line.kind])
    told = Line(line.group, text[:1].upper() + text[1:], line.said, line.wording, line.slots)
    return Changed(_put(session, at, told), (line.value, line.said, line.text), (told.text,))


def strength_weakened(session: Session, pick: Pick) -> Changed:
    at = pick.choice(session.of("rule", "limit"))
    wording: Any = session.lines[at].wording
    return _told(session, at, wording.weakened)


def scope_left_out(session: Session, pick: Pick) -> Changed:
    at = pick.choice(session.of("rule", "limit"))
    wording: Any = session.lines[at].wording
    changed = _told(session, at, unscoped(wording.kept))
    return Changed(changed.text, (*changed.before, session.lines[at].slots["scope"]), changed.after)


def _stale(line: Line) -> Line:
    slots = {**line.slots, "old": line.slots["new"], "new": line.slots["old"]}
    wording: Any = line.wording
    return Line(line.group, sentence(wording.kept, slots), line.said, wording, slots, "new")


def stale_value(session: Session, pick: Pick) -> Changed:
    at = pick.choice(session.of("correction"))
    line = session.lines[at]
    stale = _stale(line)
    return Changed(
        _put(session, at, stale), (*_values(line), line.said, line.text), (stale.text, stale.value)
    )


def old_and_new_together(session: Session, pick: Pick) -> Changed:
    line = session.lines[pick.choice(session.of("correction"))]
    wording: Any = line.wording
    stale = _stale(line)
    if "{old}" in wording.kept:
        stale = Line(line.group, sentence(wording.before, line.slots), "", wording, line.slots)
    lines = [*session.lines, stale]
    return Changed(session.render(lines), (*_values(line), line.said), (stale.text, line.text))


def case_of_an_identifier(session: Session, pick: Pick) -> Changed:
    return _mutate(session, pick, _NAMES, lambda p, _, value: values.another_case(p, value))


def parts_of_an_identifier_swapped(session: Session, pick: Pick) -> Changed:
    kinds = (*_NAMES, "flag")
    return _mutate(session, pick, kinds, lambda p, _, value: values.parts_swapped(p, value))


def two_true_values_exchanged(session: Session, pick: Pick) -> Changed:
    pairs = [session.of_kind("measure")[:2], session.of_kind("address")[:2]]
    one, two = pick.choice([pair for pair in pairs if len(pair) == 2])
    lines = list(session.lines)
    first, second = lines[one], lines[two]
    lines[one] = first.with_value(second.value)
    lines[two] = second.with_value(first.value)
    both = (first.value, second.value)
    return Changed(
        session.render(lines), (*both, first.text, second.text), (lines[one].text, lines[two].text)
    )


def _turned(session: Session, pick: Pick, *groups: str) -> Changed:
    at = pick.choice(session.of(*groups))
    wording: Any = session.lines[at].wording
    return _told(session, at, wording.turned)


def who_said_it_swapped(session: Session, pick: Pick) -> Changed:
    return _turned(session, pick, "speaker")


def status_flipped(session: Session, pick: Pick) -> Changed:
    return _turned(session, pick, "status", "todo")


def comparator_flipped(session: Session, pick: Pick) -> Changed:
    at = pick.choice(session.of("limit"))
    wording: Any = session.lines[at].wording
    return _told(session, at, wording.flipped)


def list_item_lost(session: Session, pick: Pick) -> Changed:
    at = pick.choice(session.of("list"))
    line = session.lines[at]
    items = [line.slots[each] for each in ("first", "middle", "last")]
    lost = items.pop(pick.randrange(3))
    told = line.with_value(listed(items))
    return Changed(_put(session, at, told), (lost, line.said, line.text), (told.text,))


def hypothesis_made_a_fact(session: Session, pick: Pick) -> Changed:
    return _turned(session, pick, "guess")


def homoglyph(session: Session, pick: Pick) -> Changed:
    kinds = (*_NAMES, *_PATHS)
    return _mutate(session, pick, kinds, lambda p, _, value: values.lookalike(p, value))


def sign_or_exponent(session: Session, pick: Pick) -> Changed:
    at = pick.choice(session.of_kind("signed"))
    line = session.lines[at]
    changed = values.another_sign(pick, line.value)
    return Changed(_put(session, at, line.with_value(changed)), (line.value,), (changed,))


def date_shifted(session: Session, pick: Pick) -> Changed:
    return _mutate(session, pick, ("date",), lambda p, _, value: values.shifted(p, value))


def url_query_dropped(session: Session, pick: Pick) -> Changed:
    at = pick.choice(session.of_kind("url"))
    line = session.lines[at]
    changed = line.value.partition("?")[0]
    return Changed(_put(session, at, line.with_value(changed)), (line.value,), (changed,))


def supported_only_by_an_earlier_summary(session: Session, pick: Pick) -> Changed:
    kinds = ("path", "measure", "version", "ticket", "address", "env", "identifier")
    line = _invented(session, pick, kinds)
    text = session.render([*session.lines, line])
    return Changed(text, (), (line.value,), earlier_summary=line.text)


def correction_lost(session: Session, pick: Pick) -> Changed:
    return _out(session, pick.choice(session.of("correction")))


def clean(session: Session, pick: Pick) -> Changed:
    del pick
    return Changed(session.clean)


def reordered(session: Session, pick: Pick) -> Changed:
    lines = list(session.lines)
    while tuple(lines) == session.lines:
        pick.shuffle(lines)
    return Changed(session.render(lines))


def _formatted(session: Session, pick: Pick, form: Callable[[str], str], *kinds: str) -> Changed:
    """Write the values of up to three ordinary facts in another form."""
    places = session.of_kind(*kinds) if kinds else session.of("neutral")
    lines = list(session.lines)
    for at in pick.sample(places, min(3, len(places))):
        lines[at] = lines[at].with_value(form(lines[at].value))
    return Changed(session.render(lines))


def markdown_wrapped(session: Session, pick: Pick) -> Changed:
    around = pick.choice(["**{}**", "`{}`", "*{}*", "**`{}`**", "[{}]"])
    return _formatted(session, pick, around.format)


def thousands(session: Session, pick: Pick) -> Changed:
    return _formatted(session, pick, lambda value: f"{int(value):,}", "count")


def home_to_tilde(session: Session, pick: Pick) -> Changed:
    return _formatted(session, pick, lambda value: re.sub("^/home/[a-z]+", "~", value), "home")


def paraphrase(session: Session, pick: Pick) -> Changed:
    at = pick.choice(session.of("neutral", "edit", "rule", "limit"))
    line = session.lines[at]
    wording: Any = line.wording
    if line.group == "neutral":
        return Changed(_put(session, at, line.retold(wording.again)))
    if line.group == "edit":
        return Changed(_put(session, at, line.retold(wording.turned)))
    words = line.text.rstrip(".。")
    if words.startswith(("The ", "No ", "All ", "There ", "It ", "Requests ", "Logs ", "A ")):
        words = words[:1].lower() + words[1:]
    framed = pick.choice(session.wordings.frames).format(rule=words)
    return Changed(_put(session, at, Line(line.group, framed, line.said, wording, line.slots)))


def unit_joined(session: Session, pick: Pick) -> Changed:
    return _formatted(session, pick, lambda value: value.replace(" ", ""), "measure")


def hash_prefix(session: Session, pick: Pick) -> Changed:
    size = pick.randint(7, 12)
    return _formatted(session, pick, lambda value: value[:size], "hash")


def repo_relative(session: Session, pick: Pick) -> Changed:
    return _formatted(session, pick, lambda value: value[value.index("src/") :], "root")


def line_number_left_off(session: Session, pick: Pick) -> Changed:
    return _formatted(session, pick, lambda value: value.partition(":")[0], "line")


def quotes_and_punctuation(session: Session, pick: Pick) -> Changed:
    around = pick.choice(['"{}"', "'{}'", "({})", "“{}”", "«{}»", "<{}>", "{},", "({});"])
    kinds = [kind for kind in (*values.KINDS, "root") if kind != "quoted"]
    return _formatted(session, pick, around.format, *kinds)


def table_cell(session: Session, pick: Pick) -> Changed:
    places = sorted(pick.sample(session.of("neutral"), 2))
    rows = [session.lines[at] for at in places]
    others = [line for at, line in enumerate(session.lines) if at not in places]
    cells = "\n".join(f"| {row.slots['topic']} | {row.value} |" for row in rows)
    text = session.render(others)
    return Changed(f"{text}\n\n| what | value |\n|---|---|\n{cells}")


def backslash_for_slash(session: Session, pick: Pick) -> Changed:
    return _formatted(session, pick, lambda value: value.replace("/", "\\"), *_PATHS)


def nfc_and_smart_quotes(session: Session, pick: Pick) -> Changed:
    at = pick.choice(session.of_kind("quoted"))
    line = session.lines[at]
    how = pick.choice(["quotes", "decomposed", "both"])
    value = line.value if how == "quotes" else unicodedata.normalize("NFD", line.value)
    text = line.with_value(value).text
    if how != "decomposed":
        text = text.replace(f'"{value}"', f"“{value}”")
    told = Line(line.group, text, line.said, line.wording, line.slots)
    return Changed(_put(session, at, told))


def line_wrap(session: Session, pick: Pick) -> Changed:
    width = pick.randint(36, 60)
    wrapped = [
        textwrap.fill(
            line, width, break_long_words=False, break_on_hyphens=False, subsequent_indent="  "
        )
        for line in session.clean.split("\n")
    ]
    return Changed("\n".join(wrapped))


def mentioned_twice(session: Session, pick: Pick) -> Changed:
    line = session.lines[pick.choice(session.of("neutral", "rule", "decision", "edit"))]
    if line.group == "neutral" and pick.random() < 0.5:
        wording: Any = line.wording
        line = line.retold(wording.again)
    return Changed(session.render([*session.lines, line]))


def json_escapes(session: Session, pick: Pick) -> Changed:
    how = pick.choice(["newline", "line"])
    if how == "newline":
        head, _, tail = session.clean.rpartition("\n")
        return Changed(f"{head}\\n{tail}")
    places = session.of_kind("quoted", "url", *_PATHS)
    at = pick.choice(places)
    line = session.lines[at]
    text = json.dumps(line.text, ensure_ascii=False)[1:-1]
    if text == line.text:
        text = text.replace("/", "\\/")
    told = Line(line.group, text, line.said, line.wording, line.slots)
    return Changed(_put(session, at, told))


def ansi_colours(session: Session, pick: Pick) -> Changed:
    colour = pick.choice(["32", "1;31", "0;36"])
    return _formatted(session, pick, f"\x1b[{colour}m{{}}\x1b[0m".format)


def percent_encoding(session: Session, pick: Pick) -> Changed:
    return _formatted(session, pick, lambda value: value.replace("~", "%7E"), "url")
