"""The surface profile: items, keys, reading, verdicts, hidden credentials, cost.

Expected values are written by hand from the audit's rules.
"""

import json
import pickle
import time
from typing import Literal

import pytest

from turnfold.audit.surface import (
    SurfaceParseError,
    SurfaceReport,
    audit_surface,
    read_source,
)
from turnfold.errors import InvalidConfiguration


def audited(text: str, summary: str = "") -> SurfaceReport:
    return audit_surface(read_source(text, jsonl=False), summary)


def dropped(text: str, summary: str = "") -> list[tuple[str, str]]:
    return [(item.category, item.key) for item in audited(text, summary).dropped]


@pytest.mark.parametrize(
    ("line", "categories"),
    [
        ("Decision: SQLite", ["decision"]),
        ("DECISION \t : SQLite", ["decision"]),
        ("a decision on SQLite", []),
        ("we decided to wait", ["decision"]),
        ("undecided to wait", []),
        ("We Will Use it", ["decision"]),
        ("the chosen one", ["decision"]),
        ("agreed to it, going with it", ["decision"]),
        ("agreed together", []),
        ("you must not", ["constraint"]),
        ("you must", []),
        ("must always pass", ["constraint"]),
        ("never push", ["constraint"]),
        ("never   ", []),
        ("nevermind", []),
        ("only this", ["constraint"]),
        ("this only", []),
        ("do not; required_", ["constraint"]),
        ("required_, requires", []),
        ("an Error: x", ["error"]),
        ("errors, ValueError", []),
        ("Traceback and FAILED", ["error"]),
        ("exit code 1", ["error"]),
        ("exit code  :  -007.", ["error"]),
        ("exit code=12", ["error"]),
        ("exit code 0, exit code 00", []),
        ("exit code 1a", []),
        ("exit code := 1", []),
        ("exit code", []),
        ("TODO write docs", ["todo"]),
        ("todos, next steps", []),
        ("not done, remaining, next step, still need", ["todo"]),
        ("必须TODO", []),
        ("必须 TODO", ["todo"]),
        ("FİXME", ["todo"]),
        (
            "TODO: never ignore the error, decided to go",
            ["decision", "constraint", "error", "todo"],
        ),
    ],
)
def test_a_line_is_an_item_of_each_category_that_it_triggers(
    line: str, categories: list[str]
) -> None:
    """Would catch: a trigger too many or too few, a lost boundary, another order in a line."""
    assert [category for category, _ in dropped(line)] == categories


@pytest.mark.parametrize(
    ("run", "key"),
    [
        ("src/app.py", "src app py"),
        ("README.md", "readme md"),
        ("./a-b_c.Json", "a b c json"),
        ("../x.toml", "x toml"),
        ("a.py.bak", "a py"),
        ("a.py/b.py/c", "a py b py"),
        ("a.py.js-x", "a py js"),
        ("lib/x.rb", None),
        ("a.pyx", None),
        (".py", None),
        ("..py", "py"),
        ("/etc/x.yaml", None),
        ("a//b.py", None),
        ("src//b.py", "src b py"),
        ("src/", None),
        ("src", None),
        ("x/docs/y/", "x docs y"),
        ("tests/...", "tests"),
        ("mytests/x", None),
        ("SRC/x", "src x"),
        ("请修改src/app.py的", None),
        ("请修改 src/app.py的", "src app py的"),
        ("(src/app.py:12)", "src app py"),
        ("https://h.io/a.js", None),
    ],
)
def test_a_file_edit_is_a_recognised_path_of_a_line_that_edits(run: str, key: str | None) -> None:
    """Would catch: the wrong end of a path, an absolute path, a root without anything in it."""
    assert dropped(f"updated {run} !") == ([("file_edit", key)] if key else [])
    assert dropped(f"read {run} !") == []


def test_a_folder_is_kept_by_its_name() -> None:
    """Would catch: a slash at the end of a path that hides its last part."""
    found = audited("created src/cache/, tests/x..").dropped
    assert [item.basename for item in found] == ["cache", "x"]
    assert dropped("created src/cache/", "a cache") == []


def test_each_path_is_an_item_kept_on_its_whole_or_its_last_part() -> None:
    line = "Rewrote src/a/one.py, src/b/two.py and docs/three.md"
    assert dropped(line, "one.py; SRC-B-TWO-PY; and three md") == []
    assert dropped(line, "one py") == [
        ("file_edit", "src b two py"),
        ("file_edit", "docs three md"),
    ]
    assert [item.basename for item in audited(line).dropped] == ["one py", "two py", "three md"]


@pytest.mark.parametrize(
    ("line", "summary", "is_kept"),
    [
        ("We decided to use A_B.", "** we DECIDED\tto use: (a-b) **", True),
        ("We decided to use AB", "We decided to use A B", False),
        ("never use 1.2", "never use 1.3", False),
        ("only İstanbul", "ONLY i\u0307stanbul", True),
        ("only STRASSE", "only Straße", False),
        ("must not stop", "must not stopping", True),
        ("error 404 at 10:20", "error at", True),
        ("error 404 at 10:20", "an error 7 at 1", True),
        ("error 404 not found", "error not there", False),
        ("error4 failed", "e1rror 2 failed", True),
        ("failed ٣ times", "failed times", True),
    ],
)
def test_a_line_is_kept_where_its_words_stand_in_the_summary(
    line: str, summary: str, *, is_kept: bool
) -> None:
    """Would catch: digits kept in errors or lost elsewhere, a fold that is no lower case."""
    assert (audited(line, summary).dropped == ()) is is_kept


def test_items_are_unique_by_category_and_key() -> None:
    assert dropped("Never A-B!\nnever a b\nTODO: never a b") == [
        ("constraint", "never a b"),
        ("constraint", "todo never a b"),
        ("todo", "todo never a b"),
    ]


@pytest.mark.parametrize(("count", "truncated"), [(499, False), (500, False), (501, True)])
def test_the_first_five_hundred_items_are_examined(count: int, *, truncated: bool) -> None:
    report = audited("".join(f"never do {number}\n" for number in range(count)))
    assert report.truncated is truncated
    assert len(report.dropped) == min(count, 500)
    assert report.dropped[-1].key == f"never do {min(count, 500) - 1}"


def test_a_repeated_item_truncates_nothing() -> None:
    """Would catch: counting what is no new item."""
    lines = "".join(f"never do {number}\n" for number in range(500))
    assert not audited(lines + "never do 7\nfine").truncated


def test_a_text_is_cut_and_its_key_is_not() -> None:
    item = audited("never " + "ab " * 400).dropped[0]
    assert len(item.text) == 500
    assert item.key == "never" + " ab" * 400


@pytest.mark.parametrize(
    ("text", "summary", "ends"),
    [
        ("", "", {"high": ("PASS", 0), "medium": ("PASS", 0)}),
        ("never x\nTODO y", "never x, todo y", {"high": ("PASS", 0), "medium": ("PASS", 0)}),
        ("never x\nTODO y", "never x", {"high": ("WARN", 1), "medium": ("FAIL", 2)}),
        ("never x\nTODO y", "todo y", {"high": ("FAIL", 2), "medium": ("FAIL", 2)}),
        ("wrote src/a.py", "", {"high": ("WARN", 1), "medium": ("FAIL", 2)}),
        ("failed", "", {"high": ("FAIL", 2), "medium": ("FAIL", 2)}),
    ],
)
def test_the_verdict_is_that_of_the_worst_dropped_item(
    text: str, summary: str, ends: dict[Literal["high", "medium"], tuple[str, int]]
) -> None:
    for threshold, end in ends.items():
        report = audit_surface(read_source(text, jsonl=False), summary, min_severity=threshold)
        assert (report.verdict.value, report.exit_code) == end


def test_a_parse_error_fails_the_audit() -> None:
    report = audit_surface(read_source(b"{\n", jsonl=True), "")
    assert (report.dropped, report.verdict.value, report.exit_code) == ((), "FAIL", 2)


def test_another_threshold_is_refused() -> None:
    with pytest.raises(InvalidConfiguration, match="min_severity"):
        audit_surface(read_source("", jsonl=False), "", min_severity="low")  # type: ignore[arg-type]


def test_the_dictionary_has_the_keys_of_the_format() -> None:
    source = read_source(b'{"content": "Never X. Updated src/a.py"}\n[]', jsonl=True)
    made = audit_surface(source, "never x updated src a py?").to_dict()
    assert made.pop("limitation")
    zero = {"kept": 0, "dropped": 0}
    assert made == {
        "totals": {
            "decision": zero,
            "constraint": {"kept": 1, "dropped": 0},
            "error": zero,
            "file_edit": {"kept": 1, "dropped": 0},
            "todo": zero,
        },
        "total_items": 2,
        "kept": 2,
        "dropped_count": 0,
        "dropped": [],
        "parse_errors": 1,
        "truncated": False,
        "min_severity": "high",
        "verdict": "FAIL",
        "exit_code": 2,
    }
    assert audited("edited ./a.md").to_dict()["dropped"] == [
        {
            "category": "file_edit",
            "key": "a md",
            "text": "edited ./a.md",
            "severity": "MEDIUM",
            "basename": "a md",
        }
    ]


def test_a_record_gives_the_first_of_its_fields_that_is_there() -> None:
    records = [
        {"message": "m", "text": "t", "content": "c"},
        {"message": "m2", "text": "t2"},
        {"message": "m3"},
        {"content": "", "text": "not read"},
        {"role": "user"},
        {"content": "one\r\n\n  \ntwo"},
    ]
    data = "\r\n".join(map(json.dumps, records)).encode()
    source = read_source(data, jsonl=True)
    assert source.lines == ("c", "t2", "m3", "one", "two")
    assert source.parse_errors == ()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ('{"content": "x"},', "not JSON"),
        ('{"content": "a"} {"content": "b"}', "not JSON"),
        ('{"n": ' + "9" * 5000 + "}", "not JSON"),
        ("\0\0", "not JSON"),
        ("[1]", "not an object"),
        ("null", "not an object"),
        ('{"content": null, "text": "x"}', "its text is not a string"),
        ('{"content": [{"text": "x"}]}', "its text is not a string"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": ' + "[" * 100_000, "nested too deeply"),
        ('{"content": "never \\ud800"}', "not UTF-8"),
    ],
)
def test_what_is_no_record_is_named_with_its_line(line: str, reason: str) -> None:
    """Would catch: an exception, a wrong line number, a broken line that costs its neighbours."""
    good = '{"content": "fine"}'
    source = read_source(f"{good}\n\n{line}\n{good}\n", jsonl=True)
    assert source.parse_errors == (SurfaceParseError(3, reason),)
    assert source.lines == ("fine", "fine")


def test_bytes_that_are_no_utf_8_cost_their_line() -> None:
    data = b"never x\r\nnever \xff\r\nnever \xed\xa0\x80\nnever z"
    source = read_source(data, jsonl=False)
    assert source.lines == ("never x", "never z")
    assert [fault.line for fault in source.parse_errors] == [2, 3]


def test_a_byte_order_mark_is_no_damage() -> None:
    data = b'\xef\xbb\xbf{"content": "never x"}\n\xef\xbb\xbf{"content": "y"}'
    assert read_source(data, jsonl=True).lines == ("never x", "y")
    assert read_source(data, jsonl=True).parse_errors == ()
    assert read_source(b"\xef\xbb\xbf", jsonl=True).parse_errors == ()
    marked = read_source(b"\xef\xbb\xbfnever x", jsonl=False)
    assert audit_surface(marked, "never x").exit_code == 0


@pytest.mark.parametrize("text", ["never a\u2028b", "never a\u2029b", "never a\x85b"])
def test_separators_that_json_strings_hold_end_no_line(text: str) -> None:
    """Would catch: a record cut in two by its own text."""
    record = json.dumps({"content": text}, ensure_ascii=False)
    for source in (
        read_source(record.encode(), jsonl=True),
        read_source(json.dumps({"content": text}), jsonl=True),
        read_source(text, jsonl=False),
    ):
        assert (source.lines, source.parse_errors) == ((text,), ())


def test_lines_end_where_python_ends_them_otherwise() -> None:
    text = "a\r\nb\rc\x0bd\x0ce\x1cf\x1dg\x1eh\n\n i "
    assert read_source(text, jsonl=False).lines == (*"abcdefgh", " i ")
    assert read_source(text + "\u2028j", jsonl=False).lines == (*"abcdefgh", " i \u2028j")


def test_a_nul_is_text() -> None:
    assert dropped("never a\0b") == [("constraint", "never a b")]


HIDDEN = "hunter2"


@pytest.mark.parametrize(
    "line",
    [
        f"never print password={HIDDEN}",
        f"error: password={HIDDEN} was wrong",
        f"TODO: edited src/a.py, password={HIDDEN}",
        f"wrote password=src/{HIDDEN}.py",
        "never " + "x" * 481 + f" password={HIDDEN}",
    ],
)
def test_a_credential_is_matched_and_not_shown(line: str) -> None:
    """Would catch: a key or a path that shows what the text hides; redacting before comparing."""
    report = audited(line)
    assert report.dropped
    assert "hun" not in json.dumps(report.to_dict())
    assert any("secret" in item.key for item in report.dropped)
    assert audited(line, line).dropped == ()
    assert audited(line, line.replace(HIDDEN, "other")).dropped


def test_reports_and_sources_pickle() -> None:
    source = read_source("never x", jsonl=False)
    report = audit_surface(source, "")
    assert pickle.loads(pickle.dumps((source, report))) == (source, report)  # noqa: S301


HOSTILE = (
    "exit code",
    "exit code ",
    " ",
    "A-A-A-",
    "////",
    "a.a.",
    "[",
    "a/",
    "a.py/",
    "src/",
    ".",
)


@pytest.mark.parametrize("start", ["exit code", "edited "])
@pytest.mark.parametrize("unit", HOSTILE)
def test_four_times_the_text_costs_about_four_times(start: str, unit: str) -> None:
    """Would catch: a pattern that goes back; it would cost sixteen times, and half is slack."""

    def seconds(length: int) -> float:
        text = start + unit * (length // len(unit)) + "!"
        best = float("inf")
        for _ in range(3):
            begun = time.process_time()
            audited(text, text)
            best = min(best, time.process_time() - begun)
        return best

    assert seconds(16_000) < 8 * seconds(4_000) + 0.02
