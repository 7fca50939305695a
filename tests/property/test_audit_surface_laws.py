"""Laws of the surface profile; what a line has to give is known from how it was made."""

import json
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from turnfold.audit.surface import SurfaceReport, audit_surface, read_source

PHRASES = {
    "decision": ("Decision:", "decided to", "WE WILL USE", "chosen", "agreed to", "going with"),
    "constraint": ("must not", "Never x", "do not", "must always", "only y", "REQUIRED"),
    "error": ("error", "Traceback", "FAILED", "failed with", "exit code 1", "exit code: -02"),
    "todo": ("TODO", "fixme", "not done", "Remaining", "next step", "still need"),
}
NEUTRAL = ("alpha", "数据", "Straße", "v1.2", "(x)", "—", "a_b", "\u0301", "42", '"q"', "ﬁ")
HOSTILE = (
    *("exit code", " ", "edited ", "src/", "/", ".", "-", "a.py", "never ", "\ud800", "\udcff"),
    *("\u2028", "\x85", "\r", "\x0b", "\0", "\ufeff", "İ", "Σ", "ß", "{", '{"content": "', '"}'),
    *("password=hunter2", "\n", "[", '{"text": 1}', "TODO", "error 7"),
)

severities: st.SearchStrategy[Literal["high", "medium"]] = st.sampled_from(("high", "medium"))
words = st.lists(st.sampled_from(NEUTRAL), min_size=1, max_size=4).map(" ".join)
names = st.lists(st.sampled_from(sorted(PHRASES)), max_size=4, unique=True)
Made = tuple[str, frozenset[str]]


@st.composite
def lines_of_phrases(draw: st.DrawFn) -> Made:
    """A line with a phrase of some categories, and which those are."""
    chosen = draw(names)
    phrases = [draw(st.sampled_from(PHRASES[name])) for name in chosen]
    return " ".join((draw(words), *phrases, draw(words))), frozenset(chosen)


made_lines = st.lists(lines_of_phrases(), max_size=6)
hostile = st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=9)), max_size=12).map(
    "".join
)


def words_of(text: str) -> str:
    """The words of a text, spelled again: letters and digits, one space between words."""
    return " ".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


def audited(text: str, summary: str) -> SurfaceReport:
    return audit_surface(read_source(text, jsonl=False), summary)


@given(made_lines)
def test_a_line_gives_the_categories_that_it_was_made_of(
    lines: list[Made],
) -> None:
    """Would catch: a trigger lost beside another; keys, order or uniqueness of another kind."""
    expected: dict[tuple[str, str], str] = {}
    for line, chosen in lines:
        for name in PHRASES:
            if name in chosen:
                kept = "".join(c for c in line if not c.isdecimal()) if name == "error" else line
                expected.setdefault((name, words_of(kept)), line)
    found = audited("\n".join(line for line, _ in lines), "").dropped
    assert [((item.category, item.key), item.text) for item in found] == list(expected.items())


@given(st.lists(st.sampled_from(NEUTRAL), max_size=5), st.sampled_from(("py", "RS", "json")))
def test_a_path_is_kept_by_its_last_part(folders: list[str], ending: str) -> None:
    """Would catch: a path that is cut, a last part that is not looked for."""
    plain = [words_of(each).replace(" ", "") or "x" for each in folders]
    path = "/".join([*plain, f"name.{ending}"])
    line = f"Edited `{path}`, see there"
    (item,) = audited(line, "").dropped
    assert (item.category, item.key) == ("file_edit", words_of(path))
    assert audited(line, f"the NAME.{ending.upper()}").exit_code == 0


@given(made_lines, severities)
def test_what_repeats_every_line_passes(
    lines: list[Made], severity: Literal["high", "medium"]
) -> None:
    text = "\n".join(line for line, _ in lines)
    report = audit_surface(read_source(text, jsonl=False), text, min_severity=severity)
    assert (report.dropped, report.exit_code) == ((), 0)


@given(made_lines, st.data())
def test_more_summary_never_drops_more(lines: list[Made], data: st.DataObject) -> None:
    """Would catch: a summary that is not examined to its end."""
    texts = [line for line, _ in lines]
    some = "\n".join(data.draw(st.lists(st.sampled_from(texts), max_size=3)) if texts else [])
    more = data.draw(words)
    before = audited("\n".join(texts), some)
    after = audited("\n".join(texts), f"{some}\n{more}")
    assert set(after.dropped) <= set(before.dropped)


@given(made_lines)
def test_records_and_lines_give_the_same(
    lines: list[Made],
) -> None:
    texts = [line for line, _ in lines]
    fields = ("content", "text", "message")
    records = [json.dumps({fields[at % 3]: text}) for at, text in enumerate(texts)]
    assert read_source("\n".join(records).encode(), jsonl=True) == read_source(
        "\n".join(texts), jsonl=False
    )


@given(text=hostile, summary=hostile, jsonl=st.booleans(), severity=severities)
def test_any_text_gives_a_report_that_can_be_written(
    text: str, summary: str, *, jsonl: bool, severity: Literal["high", "medium"]
) -> None:
    """Would catch: an exception, a surrogate or a credential in the report, counts that differ."""
    data = text.encode("utf-8", "surrogatepass")
    source = read_source(data, jsonl=jsonl)
    report = audit_surface(source, summary, min_severity=severity)
    made = report.to_dict()
    written = json.dumps(made, ensure_ascii=False).encode()
    assert b"password=hunter2" not in written
    totals = made["totals"].values()
    assert sum(each["kept"] for each in totals) == made["kept"]
    assert sum(each["dropped"] for each in totals) == made["dropped_count"] == len(made["dropped"])
    assert made["total_items"] == made["kept"] + made["dropped_count"]
    grave = any(item["severity"] == "HIGH" for item in made["dropped"])
    failed = made["parse_errors"] or grave or (made["dropped"] and severity == "medium")
    assert made["exit_code"] == (2 if failed else 1 if made["dropped"] else 0)
    assert made["verdict"] == ("PASS", "WARN", "FAIL")[made["exit_code"]]


@given(data=st.binary(max_size=60), jsonl=st.booleans())
def test_any_bytes_are_read_or_named(data: bytes, *, jsonl: bool) -> None:
    source = read_source(data, jsonl=jsonl)
    numbers = [fault.line for fault in source.parse_errors]
    assert numbers == sorted(set(numbers))
    assert all(line.strip() for line in source.lines)
    "".join(source.lines).encode()
