"""The formats by name: what each is read from, and by which keys it is ruled out at a glance."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Final, NamedTuple

JSON: Final = "json"
LINES: Final = "lines"
BOTH: Final = "json or lines"
TEXT: Final = "text"


class _Form(NamedTuple):
    """What a format is read from.

    Args:
        reads: A JSON document, JSON Lines, either of them, or text.
        marks: Keys of which a document of the format has at least one: the object itself, or
            something in the list. Empty where a document can do without.
    """

    reads: str
    marks: frozenset[str] = frozenset()


def _json(*marks: str, reads: str = JSON) -> _Form:
    return _Form(reads, frozenset(marks))


_FORMS: Final[Mapping[str, _Form]] = MappingProxyType(
    {
        # Sessions that agents write.
        "claude-code": _Form(LINES),
        "codex": _Form(LINES),
        "pi": _Form(LINES),
        "gemini-cli": _json("sessionId", reads=BOTH),
        "openhands": _json("history", "events", "source", reads=BOTH),
        "swe-agent": _json("history"),
        "mini-swe-agent": _json("trajectory_format", "info"),
        "adk": _json("events"),
        # What frameworks, benchmarks and telemetry keep.
        "inspect-ai": _json("epoch", "samples"),
        "atif": _json("schema_version"),
        "pydantic-ai": _json("kind", "messages", "all_messages"),
        "langchain": _json(),
        "otel-genai": _json(
            *("parts", "gen_ai.input.messages", "pydantic_ai.all_messages", "attributes")
        ),
        "toolbench": _json("answer_generation"),
        "sharegpt": _json("from", "conversations", reads=BOTH),
        # What is sent to a provider; a plain list of messages is looked at last.
        "openai-responses": _json(reads=BOTH),
        "gemini-contents": _json("parts", "contents"),
        "openai-chat": _json(),
        "anthropic-messages": _json(),
        "plain-text": _Form(TEXT),
    }
)
"""The formats in the order in which a source is held against them."""


class _Formats(Mapping[str, ModuleType]):
    """The formats by name; a module is imported when it is first asked for."""

    def __init__(self) -> None:
        self._imported: dict[str, ModuleType] = {}

    def __getitem__(self, name: str) -> ModuleType:
        module = self._imported.get(name)
        if module is None:
            if name not in _FORMS:
                raise KeyError(name)
            module = import_module(f"turnfold.formats.{name.replace('-', '_')}")
            self._imported[name] = module
        return module

    def __iter__(self) -> Iterator[str]:
        return iter(_FORMS)

    def __len__(self) -> int:
        return len(_FORMS)

    def __repr__(self) -> str:
        return f"<formats {', '.join(self)}>"


FORMATS: Final[Mapping[str, ModuleType]] = _Formats()
"""The formats by name, in the order in which a source is held against them."""

OF_LINES: Final = tuple(name for name, form in _FORMS.items() if form.reads in (LINES, BOTH))
"""The formats that are read from JSON Lines, in that order."""


def reads_of(name: str) -> str:
    """Return what a format is read from."""
    return _FORMS[name].reads


def candidates(document: object) -> Iterator[str]:
    """Yield the formats of JSON documents that a document can be in, judged by its keys."""
    known = _keys_in(document)
    for name, form in _FORMS.items():
        if form.reads in (JSON, BOTH) and not (form.marks and form.marks.isdisjoint(known)):
            yield name


def _keys_in(document: object) -> set[str]:
    """Return the keys of an object, or of the objects in a list and in the lists in it."""
    known: set[str] = set()
    if isinstance(document, dict):
        known.update(document)
    for each in document if isinstance(document, list) else ():
        if isinstance(each, dict):
            known.update(each)
        elif isinstance(each, list):
            known.update(*[inner for inner in each if isinstance(inner, dict)])
    return known
