"""What the agent needed after a cut, and whether it still stands in a view.

The fact extractor here is written for this replay alone and shares nothing with `turnfold.facts`:
a digest that ranks lines with one extractor is to be judged by another.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

FACT = re.compile(
    r"https?://[^\s\"'<>)\]]{4,200}"
    r"|(?<![\w/.-])(?:~|\.{1,2})?(?:/[\w.@+-]{1,80}){2,12}"
    r"|(?<![\w/.-])[\w.@+-]{1,60}(?:/[\w.@+-]{1,80}){1,12}\.[A-Za-z]\w{0,7}"
    r"|(?<![\w.-])[A-Za-z][\w-]{1,60}\.(?:go|py|ts|tsx|js|jsx|md|json|ya?ml|toml|rs|sh|mod|txt|lock|sql)\b"
    r"|(?<![\w-])--[a-z][a-z0-9-]{1,40}"
    r"|\b[0-9a-f]{7,40}\b"
    r"|\b[A-Za-z]\w{0,60}_\w{1,60}\b"
    r"|\b[A-Za-z]+[a-z0-9]+[A-Z]\w{0,60}\b"
    r"|(?<![\w.])\d{3,12}(?![\w.])"
    r"|(?<=\")[^\"\s\\]{4,40}(?=\")"
)
WORD = re.compile(r"\w{2,}")
EXACT = 25


def facts_in(text: str) -> set[str]:
    """Return the facts of a text."""
    found = (each.rstrip(".:,-/") for each in FACT.findall(text))
    return {each for each in found if len(each) > 2 and re.search(r"[A-Za-z0-9]", each)}


@dataclass
class Passage:
    """Text of one turn or one block: its lines, and the file that it is about."""

    lines: list[str]
    file: str = ""

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def passages(contents: Iterable[tuple[str, str, str | None]]) -> list[Passage]:
    """Return (role, content, exchange) turns as passages, calls decoded."""
    found: list[Passage] = []
    files: dict[str, list[str]] = {}
    answered: dict[str, int] = {}
    for role, content, exchange in contents:
        if role == "tool":
            known = files.get(exchange or "", [])
            at = answered.get(exchange or "", 0)
            answered[exchange or ""] = at + 1
            found.append(Passage(content.splitlines(), known[at] if at < len(known) else ""))
        elif content.startswith("<conversation_summary"):
            found.extend(_blocks(content))
        else:
            for passage in _turn(content):
                found.append(passage)
                if passage.lines[:1] and passage.lines[0].startswith("[call "):
                    files.setdefault(exchange or "", []).append(passage.file)
    return found


def _turn(content: str) -> Iterator[Passage]:
    plain = []
    for line in content.splitlines():
        if line.startswith("[call ") and "] {" in line:
            head, _, body = line.partition("] ")
            try:
                arguments = json.loads(body)
            except ValueError:
                plain.append(line)
                continue
            texts = list(_texts(arguments))
            file = str(arguments.get("file_path") or arguments.get("path") or "")
            lines = [each for text in texts for each in text.splitlines()]
            yield Passage([head + "]", *lines], file)
        else:
            plain.append(line)
    yield Passage(plain)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


def _blocks(content: str) -> Iterator[Passage]:
    """Take a digest apart at its labels; the label tells the file."""
    block = Passage([])
    for line in content.splitlines():
        if line.startswith("@ "):
            yield block
            block = Passage([line], line)
        else:
            block.lines.append(line[1:] if line[:1] in "|:" else line)
    yield block


@dataclass
class Need:
    """What was needed after a cut: facts with the places that they had, and whole lines."""

    facts: dict[str, list[tuple[str, str]]]
    lines: set[str]


def needed(before: list[Passage], free: str, after: list[tuple[str, list[Passage]]]) -> Need:
    """Return what later turns of the agent use that stood before and was not supplied anew.

    Args:
        before: The prefix, what is free left out.
        free: The text of what any view holds.
        after: (role, passages) of the turns after the cut, in order.
    """
    supplied: set[str] = set()
    texts: list[str] = []
    used: set[str] = set()
    lines: set[str] = set()
    for role, parts in after:
        text = "\n".join(part.text for part in parts)
        if role == "assistant":
            used |= facts_in(text) - supplied
            calls = (part for part in parts if part.lines and part.lines[0].startswith("[call "))
            for line in (each.strip() for part in calls for each in part.lines[1:]):
                if len(line) >= EXACT and not any(line in earlier for earlier in texts):
                    lines.add(line)
        else:
            supplied |= facts_in(text)
        texts.append(text)
    whole = "\n".join(part.text for part in before)
    places: dict[str, list[tuple[str, str]]] = {}
    wanted = {fact for fact in used if stands(fact, whole) and not stands(fact, free)}
    for part in before:
        for line in part.lines:
            for fact in facts_in(line) & wanted:
                places.setdefault(fact, []).append((line, part.file))
    return Need(places, {line for line in lines if line in whole and line not in free})


def stands(fact: str, text: str) -> bool:
    """Whether a fact stands in a text with no word character beside it."""
    at = text.find(fact)
    while at >= 0:
        end = at + len(fact)
        left = at == 0 or not (text[at - 1].isalnum() or text[at - 1] == "_")
        if left and (end == len(text) or not (text[end].isalnum() or text[end] == "_")):
            return True
        at = text.find(fact, at + 1)
    return False


def readings(need: Need, view: list[Passage]) -> tuple[float | None, float | None, float | None]:
    """Return the shares NAME, USABLE and EXACT LINE; None where nothing was needed."""
    whole = "\n".join(part.text for part in view)
    named = {fact for fact in need.facts if stands(fact, whole)}
    usable = sum(_is_usable(fact, need.facts[fact], view) for fact in named)
    exact = sum(line in whole for line in need.lines)
    facts, lines = len(need.facts), len(need.lines)
    return (
        len(named) / facts if facts else None,
        usable / facts if facts else None,
        exact / lines if lines else None,
    )


def _is_usable(fact: str, places: list[tuple[str, str]], view: list[Passage]) -> bool:
    files = {file.rpartition("/")[2] for _, file in places if file}
    words = [set(WORD.findall(line)) for line, _ in places]
    for part in view:
        if fact not in part.text:
            continue
        if any(file in part.file for file in files):
            return True
        for line in part.lines:
            if fact in line:
                there = set(WORD.findall(line))
                if any(2 * len(each & there) >= len(each) for each in words):
                    return True
    return False
