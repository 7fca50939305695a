"""The text of a message, gathered from its parts: lines, hidden text, and a count of media.

A picture costs what a picture costs, whatever the length and the encoding of its payload (F2);
every other part counts, a part of an unknown kind by its JSON (F3).
"""

import json
import re
from dataclasses import dataclass, field

_PAYLOAD_KEYS = frozenset({"data", "bytes", "file_data"})
_TYPE_KEYS = frozenset({"format", "media_type", "mediaType", "mime_type", "mimeType", "filename"})
_URI_HEAD = 200
_ENCODED = re.compile(r"[\w+/=\r\n-]{0,200}", re.ASCII)
"""How the head of a payload is spelled in JSON; words, a page that was fetched, are not."""


@dataclass(slots=True)
class Gathered:
    """What the parts of one turn amount to."""

    lines: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    media: int = 0

    def add(self, text: str) -> None:
        """Add a line, unless it is empty."""
        if text:
            self.lines.append(text)

    def add_media(self, kind: str, name: object = None) -> None:
        """Add a picture, a recording or a document as a mark."""
        self.media += 1
        self.lines.append(f"[{kind} {name}]" if isinstance(name, str) and name else f"[{kind}]")

    def add_call(self, name: object, arguments: object) -> None:
        """Add a call, its arguments as the model wrote them."""
        self.lines.append(f"[call {text_of(name)}] {text_of(arguments)}")

    def add_unknown(self, part: object) -> None:
        """Add a part of an unknown kind by its JSON, payloads as media."""
        self.add(json_of(self._without_payloads(part)))

    @property
    def content(self) -> str:
        """The text that the model reads."""
        lines = self.lines
        return lines[0] if len(lines) == 1 else "\n".join(lines)

    @property
    def hidden_text(self) -> str:
        """The text that costs tokens and is no content."""
        hidden = self.hidden
        return "\n".join(hidden) if hidden else ""

    def _without_payloads(self, value: object) -> object:
        if isinstance(value, dict):
            typed = bool(_TYPE_KEYS & value.keys())
            return {
                key: self._payload()
                if typed and key in _PAYLOAD_KEYS and _is_encoded(each)
                else self._without_payloads(each)
                for key, each in value.items()
            }
        if isinstance(value, list | tuple):
            return [self._without_payloads(each) for each in value]
        if isinstance(value, bytes | bytearray | memoryview) or _is_data_uri(value):
            return self._payload()
        return value

    def _payload(self) -> str:
        self.media += 1
        return "[data]"


def _is_encoded(value: object) -> bool:
    return isinstance(value, str) and _ENCODED.fullmatch(value, 0, _URI_HEAD) is not None


def _is_data_uri(value: object) -> bool:
    return isinstance(value, str) and value.startswith("data:") and ";base64," in value[:_URI_HEAD]


def json_of(value: object) -> str:
    """Spell a value as JSON in its own key order; what JSON has no word for, by its type."""
    return _spell(value)


def text_of(value: object) -> str:
    """Return a string as it is, nothing for None, and anything else as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else json_of(value)


def _type_name(value: object) -> str:
    return f"[{type(value).__name__}]"


_spell = json.JSONEncoder(ensure_ascii=False, default=_type_name).encode
