"""Sessions: a transcript with typed facts, and a clean summary that keeps every one of them."""

import json
import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from tests.benchmarks.audit_mutations import values
from tests.benchmarks.audit_mutations.wording import Wordings
from turnfold import Transcript, TranscriptTurn

SHAPES: Final = ("paths", "numbers", "rules")
"""What the facts of a session are mostly about; each seed gives one session of each."""

_ORDINARY: Final = {
    "paths": ("path", "root", "home", "line", "env", "identifier"),
    "numbers": (
        *("url", "measure", "measure", "count", "version", "hash"),
        *("address", "address", "quoted", "date", "signed"),
    ),
    "rules": (),
}
_MORE: Final = ("flag", "ticket", "uuid", "email", "version", "path", "identifier", "measure")
_ROOTS: Final = ("/srv/app", "/workspace/app", "/opt/checkout")
_RULED: Final = re.compile(r"\{(path|env|flag|identifier|address|version|span|size|error|edit)\}")


@dataclass(frozen=True)
class Line:
    """A sentence of the clean summary, and where it comes from.

    Args:
        group: `neutral`, `edit`, `rule`, `limit`, `list`, `decision`, `correction`, `guess`,
            `speaker`, `status`, `error` or `todo`.
        text: The sentence.
        said: What the transcript says.
        wording: The templates that both come from.
        slots: What the templates' slots hold.
        kind: The kind of the sentence's value; empty if it has none.
        role: Who said it.
    """

    group: str
    text: str
    said: str
    wording: object
    slots: dict[str, str] = field(hash=False)
    kind: str = ""
    role: str = "user"

    @property
    def value(self) -> str:
        """The value that the sentence is about; empty if there is none."""
        return self.slots.get(self.kind, "")

    def retold(self, template: str) -> "Line":
        """Return the line with another sentence for the same slots."""
        return replace(self, text=sentence(template, self.slots))

    def with_value(self, changed: str) -> "Line":
        """Return the line with another value in its sentence."""
        return replace(self, text=self.text.replace(self.value, changed))


@dataclass(frozen=True)
class Session:
    """A transcript, and the lines of its clean summary: `prose` of them run on, then bullets."""

    shape: str
    transcript: Transcript
    lines: tuple[Line, ...]
    prose: int
    heading: str
    wordings: Wordings = field(repr=False)

    def of(self, *groups: str) -> list[int]:
        """Return the places of the lines of these groups."""
        return [at for at, line in enumerate(self.lines) if line.group in groups]

    def of_kind(self, *kinds: str) -> list[int]:
        """Return the places of the ordinary facts and edits of these kinds."""
        places = self.of("neutral", "edit")
        return [at for at in places if self.lines[at].kind in kinds]

    @cached_property
    def text(self) -> str:
        """All that the transcript says."""
        return "\n".join(turn.content for turn in self.transcript)

    @cached_property
    def clean(self) -> str:
        """The clean summary."""
        return self.render(self.lines)

    def render(self, lines: Sequence[Line]) -> str:
        """Return a summary of these lines."""
        prose = " ".join(line.text for line in lines[: self.prose])
        bullets = "\n".join(f"- {line.text}" for line in lines[self.prose :])
        return f"{prose}\n\n{self.heading}\n{bullets}"

    def says(self, value: str) -> bool:
        """Whether the transcript says a value, with a boundary on both sides."""
        return bool(re.search(rf"(?<![A-Za-z0-9_]){re.escape(value)}(?![A-Za-z0-9_])", self.text))


def sentence(template: str, slots: dict[str, str]) -> str:
    """Fill a template; a sentence starts with a capital unless a value starts it."""
    filled = template.format_map(slots)
    return filled[:1].upper() + filled[1:] if not template.startswith("{") else filled


class Maker:
    """Makes one session; every draw comes from the seed."""

    def __init__(self, wordings: Wordings, shape: str, seed: str) -> None:
        self.pick = random.Random(f"{seed}/{shape}")  # noqa: S311  Cases are no secret.
        self.wordings, self.shape = wordings, shape
        self.topics = self.pick.sample(wordings.topics, len(wordings.topics))
        self.root = self.pick.choice(_ROOTS)
        self.used: list[str] = []
        self.turns: list[TranscriptTurn] = []
        self.corrections: list[Line] = []

    def value(self, kind: str) -> str:
        """Return a new value that neither contains nor is contained in one that was made."""
        while True:
            made = values.MAKERS["path" if kind == "root" else kind](self.pick)
            if kind == "root":
                made = f"{self.root}/{made}"
            bare = made
            if kind in ("path", "root", "edit", "home", "line"):
                bare = made.rpartition("/")[2].partition(":")[0]
            if not any(bare in each or each in made for each in self.used):
                self.used.append(bare)
                return made

    def session(self) -> Session:
        """Return the session."""
        lines = self._lines()
        self._open()
        for at in range(0, len(lines), 3):
            self._tell(lines[at : at + 3])
            if self.pick.random() < 0.3 and len(self.turns) < 30:
                self._noise()
        self._noise()
        told = self.pick.sample(lines, len(lines))
        return Session(
            self.shape,
            Transcript(self.turns),
            tuple(told),
            self.pick.randint(2, len(told) - 3),
            self.pick.choice(self.wordings.headings),
            self.wordings,
        )

    def neutral(self, kind: str) -> Line:
        """Return an ordinary fact."""
        slot = "path" if kind == "root" else kind
        wording = self.pick.choice(self.wordings.neutral[slot])
        slots = {slot: self.value(kind), "topic": self.topics.pop(), "root": ""}
        if kind == "root":
            slots["root"] = slots["path"]
        said, told = sentence(wording.said, slots), sentence(wording.told, slots)
        role = self.pick.choice(["user", "assistant", "tool"])
        return Line("neutral", told, said, wording, slots, kind, role)

    def _lines(self) -> list[Line]:
        made = [self.neutral(kind) for kind in _ORDINARY[self.shape]]
        made += [self.neutral(kind) for kind in self.pick.sample(_MORE, self.pick.randint(1, 2))]
        if self.shape == "paths":
            made += [self._edit(), self._edit()]
        if self.shape == "rules":
            made += self._rules()
        return self.pick.sample(made, len(made))

    def _edit(self) -> Line:
        wording = self.pick.choice(self.wordings.edits)
        slots = {"edit": self.value("edit"), "topic": self.topics.pop()}
        said, told = sentence(wording.said, slots), sentence(wording.kept, slots)
        return Line("edit", told, said, wording, slots, "edit", "assistant")

    def _rules(self) -> list[Line]:
        words, draw = self.wordings, self.pick.choice
        role, speaker = draw(words.speakers)
        made = [self._ruled("rule", each) for each in self.pick.sample(words.rules, 2)]
        made.append(self._ruled("limit", draw(words.limits)))
        made.append(self._list())
        made.append(self._ruled("decision", draw(words.decisions), draw(("user", "assistant"))))
        made.append(self._correction())
        made.append(self._ruled("guess", draw(words.guesses), "assistant"))
        made.append(self._ruled("speaker", speaker, role))
        made.append(self._ruled("status", draw(words.statuses), "assistant"))
        made.append(self._ruled("error", draw(words.errors), "assistant"))
        made.append(self._ruled("todo", draw(words.todos), draw(("user", "assistant"))))
        return made

    def _ruled(self, group: str, wording: object, role: str = "user") -> Line:
        said, kept = wording.said, wording.kept  # type: ignore[attr-defined]
        kind = next(iter(_RULED.findall(said)), "")
        slots = {"topic": self.topics.pop(), "scope": self.pick.choice(self.wordings.scopes)}
        if kind:
            slots[kind] = self.value(kind)
        texts = sentence(kept, slots), sentence(said, slots)
        return Line(group, *texts, wording, slots, kind, role)

    def _list(self) -> Line:
        wording = self.pick.choice(self.wordings.lists)
        kind = self.pick.choice(("env", "identifier", "path"))
        items = [self.value(kind) for _ in range(3)]
        slots = {"items": listed(items), "first": items[0], "middle": items[1], "last": items[2]}
        said, told = sentence(wording.said, slots), sentence(wording.kept, slots)
        return Line("list", told, said, wording, slots, "items")

    def _correction(self) -> Line:
        wording = self.pick.choice(self.wordings.corrections)
        kind = self.pick.choice(("version", "address", "identifier", "measure"))
        slots = {"old": self.value(kind), "new": self.value(kind), "topic": self.topics.pop()}
        said, told = sentence(wording.said, slots), sentence(wording.kept, slots)
        made = Line("correction", told, said, wording, slots, "new")
        self.corrections.append(made)
        return made

    def _add(self, role: str, content: str, call: str | None = None) -> None:
        number = len(self.turns) + 1
        size = len(content) // 4
        self.turns.append(TranscriptTurn(f"t{number}", role, content, size, tool_call_id=call))

    def _open(self) -> None:
        self._add("system", "You are a coding agent. Answer briefly.")
        asked = self.pick.choice(self.wordings.opening).format(topic=self.topics.pop())
        self._add("user", asked)
        for line in self.corrections:
            before = sentence(line.wording.before, line.slots)  # type: ignore[attr-defined]
            self._add("assistant", "Starting.")
            self._add("user", before)

    def _tell(self, lines: Iterable[Line]) -> None:
        """Let the transcript say some lines, each by its role."""
        lines = list(lines)
        shown = [line for line in lines if line.role in ("assistant", "tool")]
        asked = [line.said for line in lines if line.role == "user"]
        if asked:
            joint = self.pick.choice([" ", "\n", "\n- "])
            self._add("user", ("- " if joint == "\n- " else "") + joint.join(asked))
        if shown:
            edits = [line for line in shown if line.group == "edit"]
            for line in edits:
                self._call("Edit", {"file_path": f"{self.root}/{line.value}"}, "ok")
            outputs = [self._raw(line) for line in shown if line.kind and line.group == "neutral"]
            if outputs:
                self._call("Bash", {"command": self._command()}, "\n".join(outputs))
            self._add("assistant", " ".join(line.said for line in shown))

    def _call(self, tool: str, arguments: dict[str, str], output: str) -> None:
        call = f"c{len(self.turns)}"
        self._add("assistant", f"[call {tool}] {json.dumps(arguments)}", call)
        self._add("tool", output, call)

    def _command(self) -> str:
        return self.pick.choice(("make report", "git log -1", "cat report.txt", "./tools/show"))

    def _raw(self, line: Line) -> str:
        forms = (f"value={line.value}", json.dumps({"value": line.value}, ensure_ascii=False))
        return self.pick.choice((*forms, f"found: {line.value}"))

    def _noise(self) -> None:
        """Let a tool print other true values, and let somebody say what binds nobody."""
        pairs = [(kind, self.value(kind)) for kind in self.pick.sample(_MORE, 3)]
        paths = [self.value("path") for _ in range(2)]
        shown = [*(f"{kind}: {value}" for kind, value in pairs), *paths]
        self._call("Bash", {"command": "ls; env; date"}, "\n".join(shown))
        role, said = self.pick.choice(self.wordings.idle)
        said = said.format(topic=self.topics.pop())
        if role == "tool":
            self._call("Read", {"file_path": f"{self.root}/README"}, said)
        else:
            self._add(role, said)
        self._add("assistant", "Noted.")


def listed(items: Sequence[str]) -> str:
    """Return items as a sentence lists them."""
    return ", ".join(items)


def session_of(wordings: Wordings, shape: str, seed: str) -> Session:
    """Make the session of a shape and a seed; the same every time."""
    return Maker(wordings, shape, seed).session()
