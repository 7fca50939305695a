"""The files that both tools audit: some by hand, thousands by a seed."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

Suffix = Literal[".txt", ".md", ".jsonl"]
Severity = Literal["high", "medium"]


@dataclass(frozen=True)
class Case:
    """A transcript file, the summary of it, and the threshold."""

    label: str
    suffix: Suffix
    source: bytes
    summary: str
    min_severity: Severity = "high"
    hidden: str | None = None


_SUFFIXES: Final[tuple[Suffix, ...]] = (".txt", ".md", ".jsonl", ".jsonl")
_SEVERITIES: Final[tuple[Severity, ...]] = ("high", "medium")
_TRIGGERS: Final = (
    *("decision:", "Decision \t:", "decision", "decided to", "decided  to", "we will use"),
    *("chosen", "agreed to", "going with", "agreed", "predecided to", "decided_to"),
    *("must not", "must", "never", "never ever", "do not", "must always", "only", "only one"),
    *("required", "requires", "must\tnot", "error", "errors", "Error:", "traceback", "failed"),
    *("failed with", "exit code 1", "exit code 0", "exit code: -12", "exit code = 007"),
    *("edited", "changed", "created", "deleted", "modified", "wrote", "rewrote", "updated"),
    *("updated_", "unedited", "todo", "TODO:", "fixme", "not done", "remaining", "next step"),
    *("next steps", "still need", "still needs", "todo1", "tödo", "error_", "ERROR42"),
)
_WORDS: Final = (
    *("the", "parser", "SQLite", "port 8443", "v1.2.3", "42", "2026-01-02", "x_y__z", "naïve"),
    *("Straße", "İstanbul", "ΟΔΟΣ", "必须", "我们决定用 SQLite", "数据", "e\u0301", "\u0301", "٣٤"),
    *("\U0001f600", "—", "…", "###", "- [ ]", "```", "|", '"', "\\n", "\0", "\x1b[31m", "½", "x²"),
    *("\u00a0", "\u3000", "\u200b", "ﬁne", "Ωmega", "_", "a-b", "(c)", "don't", "\ufeff"),
)
_PATHS: Final = (
    *("src/app.py", "tests/test_app.py", "docs/", "docs/a b", "a/b/c.json", "./x.py", "../y.ts"),
    *("/abs/z.go", "README.md", "a.py.bak", "a.py/b", "src//", "src", "x/src/y", "lib/x.rb"),
    *(
        ".py",
        "..py",
        "src/a.pyx",
        "C:\\x.py",
        "数据/模型.py",
        "src/\u017f.rs",
        "`src/q.toml`",
        "x.YAML,",
    ),
    *(
        "https://h.io/a.js",
        "src/…",
        "tests/--",
        "a//b.py",
        "a.json5",
        "te\u017fts/x",
        "docs/x.",
        "x.py.",
    ),
)
_PATH_BITS: Final = (
    *("/", "/", ".", ".", "-", "_", "a", "B", "9", "é", "中", " ", ",", "//", "\u0301", "py", "js"),
    *("json", "md", "rs", "go", "ts", "src", "tests", "docs", "SRC", "yaml", "toml", ".py", ".js"),
)
_EXIT_BITS: Final = (" ", " ", "  ", "\t", ":", "=", "-", "0", "00", "1", "9", "٣", "a", "_", ".")
_BREAKS: Final = (*("\n",) * 12, *("\r\n",) * 4, *("\r", "\x0b", "\x0c", "\x1c", "\x1e", "\n\n"))
_TEXT_BREAKS: Final = ("\u2028", "\u2029", "\x85")
_FOLDED: Final = {
    "s": "sS\u017f",
    "k": "kK\u212a",
    "i": "iIİ\u0131",
    "d": "dD",
    "e": "eE",
    "t": "tT",
}
_MALFORMED: Final = (
    *("{", "[]", "null", "7", '"text"', '{"content": "x"', '{"content": "never x"},', "nope"),
    *('{"content": 1}', '{"content": null, "text": "do not"}', '{"text": ["do not"]}', "{'a': 1}"),
    *('{"message": {"content": "never x"}}', '{"a": NaN}', '{"a": 1} {"b": 2}', "\0\0\0"),
    *('{"content": "raw\ttab"}', '{"content": "\\x"}', '{"role": "user"}', "{}", "  ", "\u3000"),
    *('{"n": ' + "9" * 5000 + "}", '{"content": "a", "content": "never b"}', '\u00a0{"text": "x"}'),
)


def by_hand() -> Iterator[Case]:
    """Yield the files that a person would think of first."""
    decided = '{"content": "We decided to use A"}\n'
    yield Case("an empty file", ".txt", b"", "")
    yield Case("no record", ".jsonl", b"", "all")
    yield Case("an empty summary", ".md", b"We decided to use A\n", "")
    yield Case("kept", ".jsonl", decided.encode(), "* we DECIDED-to use a.")
    yield Case("a byte order mark", ".jsonl", b"\xef\xbb\xbf" + decided.encode(), "")
    yield Case("a marked text", ".md", b"\xef\xbb\xbfWe decided to use A", "")
    yield Case("nothing but a mark", ".jsonl", b"\xef\xbb\xbf", "")
    yield Case("U+2028 in a record", ".jsonl", '{"text": "never a\u2028b"}'.encode(), "")
    yield Case("U+0085 in a text", ".txt", "never a\x85do not".encode(), "never a")
    yield Case("nested too deeply", ".jsonl", b"[" * 100_000, "")
    yield Case("nested in a record", ".jsonl", b'{"a":' + b"[" * 100_000 + b"}", "")
    yield Case("a lone surrogate", ".jsonl", b'{"text": "never \\ud800"}', "")
    yield Case("no UTF-8", ".txt", b"never \xff\xfe", "")
    yield Case("UTF-16", ".txt", "never x\ndo not".encode("utf-16"), "")
    lines = [f"never do {number}\n" for number in range(501)]
    for count in (499, 500, 501):
        text = "".join(lines[:count])
        yield Case(f"{count} items", ".txt", text.encode(), text)
    yield Case("an item again after 500", ".txt", "".join([*lines[:500], lines[0]]).encode(), "")
    yield Case("a password", ".txt", b"never print password=hunter2", "", hidden="hunter2")
    wrote = b"wrote src/app.py with token=ab12cd34ef56; TODO"
    yield Case("a token", ".md", wrote, "nothing", hidden="ab12cd34ef56")


def generated(count: int, seed: int) -> Iterator[Case]:
    """Yield `count` cases; a case depends on the seed and its number alone."""
    for number in range(count):
        pick = random.Random(f"{seed}:{number}")  # noqa: S311  No secret.
        suffix = pick.choice(_SUFFIXES)
        most = 2500 if pick.random() < 0.01 else 14
        lines = [_line(pick) for _ in range(pick.randint(0, most))]
        source = _records(pick, lines) if suffix == ".jsonl" else _joined(pick, lines)
        yield Case(
            f"seed {seed}, case {number}",
            suffix,
            source.encode(),
            _summary(pick, lines),
            pick.choice(_SEVERITIES),
        )


def _line(pick: random.Random) -> str:
    kind = pick.random()
    if kind < 0.1:
        return f"exit code{''.join(pick.choices(_EXIT_BITS, k=pick.randint(0, 7)))}"
    if kind < 0.3:
        made = "".join(pick.choices(_PATH_BITS, k=pick.randint(1, 12)))
        return f"{pick.choice(('edited', 'Wrote', 'x'))} {made} {pick.choice(_PATHS)}"
    pools = pick.choices((_TRIGGERS, _WORDS, _PATHS), (3, 4, 1), k=pick.randint(1, 7))
    glue = pick.choice((" ", " ", " ", "  ", "\t", "\u2003", ""))
    line = glue.join(pick.choice(pool) for pool in pools)
    if pick.random() < 0.02:
        line += " padded" * 100
    return _refolded(pick, line) if pick.random() < 0.2 else line


def _refolded(pick: random.Random, line: str) -> str:
    """Write letters as others that are the same in any case."""
    return "".join(pick.choice(_FOLDED.get(each.lower(), each)) for each in line)


def _joined(pick: random.Random, lines: list[str]) -> str:
    breaks = (*_BREAKS, *_TEXT_BREAKS) if pick.random() < 0.05 else _BREAKS
    return "".join(line + pick.choice(breaks) for line in lines)


def _records(pick: random.Random, lines: list[str]) -> str:
    written = []
    while lines:
        size = pick.choice((1, 1, 1, 2, 4))
        text, lines = _joined(pick, lines[:size]), lines[size:]
        fields = pick.sample(("content", "text", "message"), k=pick.choice((0, 1, 1, 1, 2, 3)))
        record: dict[str, object] = {"role": "user", **dict.fromkeys(fields, "never mind")}
        if fields:
            record[pick.choice(fields)] = text
        written.append(json.dumps(record, ensure_ascii=pick.random() < 0.5))
        if pick.random() < 0.04:
            written.append(pick.choice(_MALFORMED))
    return "".join(each + pick.choice(("\n", "\n", "\n", "\r\n", "\n \n")) for each in written)


def _summary(pick: random.Random, lines: list[str]) -> str:
    """Return some lines of the transcript, as they are or changed, among other text."""
    share = pick.choice((0, 0.3, 0.7, 1, 1))
    held = [_retold(pick, line) for line in lines if pick.random() < share]
    return pick.choice(("\n", " ", "\r\n", "; ")).join([*held, pick.choice(_WORDS)])


def _retold(pick: random.Random, line: str) -> str:
    way = pick.random()
    if way < 0.5:
        return line
    if way < 0.6:
        return line.upper()
    if way < 0.7:
        return line.replace(" ", pick.choice(("_", " - ", "\n", ""))) + "!"
    if way < 0.8:
        return "".join(str(pick.randint(0, 99)) if each.isdigit() else each for each in line)
    if way < 0.9:
        return " ".join(word.rsplit("/", 1)[-1] for word in line.split(" "))
    return line[: len(line) // 2]
