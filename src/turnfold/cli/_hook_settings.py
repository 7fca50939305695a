"""The hook in a settings file of Claude Code: put in, taken out, and nothing else touched.

The file is changed as text, at one place: order, indentation, escapes and numbers of everything
else stay as they are.
"""

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from turnfold.cli._errors import CommandError
from turnfold.cli._files import Source, _naming, put
from turnfold.cli._show import clean

COMMAND: Final = "turnfold hook claude-code"
GROUPS: Final[Mapping[str, Mapping[str, Any]]] = {
    "SessionStart": {
        "matcher": "compact",
        "hooks": [{"type": "command", "command": COMMAND, "timeout": 60}],
    },
    "UserPromptSubmit": {"hooks": [{"type": "command", "command": COMMAND, "timeout": 30}]},
}
"""What is put in, by the event; the others have no answer that Claude sees."""

BACKUP_SUFFIX: Final = ".turnfold-backup"

_NEW_FILE: Final = 0o666
_BOM: Final = "\ufeff"
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_INDENT: Final = re.compile(r"\n([ \t]+)\S")
_OF_A_GROUP: Final = 4
"""The level of a group's own members: what is left of one without handlers is of no use."""

_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an object, or an element of a list: where it and its value stand in the text."""

    start: int
    value: int
    end: int
    key: str = ""


@dataclass(frozen=True, slots=True)
class _Handler:
    """A handler, and where it stands: its event, its group, its number in it."""

    event: str
    group: int
    number: int
    handler: Any


def with_hook(text: str, name: str) -> str:
    """Return the settings with the hook at each event; as they are where it is there already.

    Where it is at some event, it is put to the others with the same options.

    Args:
        text: The file's text; empty where there is no file.
        name: The file, for messages.

    Raises:
        CommandError: It is no JSON, or has something else where hooks belong; says where.
    """
    listed = [each for each in _handlers(_settings(text, name)) if _is_ours(each.handler)]
    there = {each.event for each in listed}
    command = next((each.handler["command"] for each in listed), COMMAND)
    for event, group in GROUPS.items():
        if event not in there:
            handlers = [each | {"command": command} for each in group["hooks"]]
            text = _with_group(text, event, {**group, "hooks": handlers})
    return text


def _with_group(text: str, event: str, group: Mapping[str, Any]) -> str:
    wanted: Any = {"hooks": {event: [group]}}
    if "{" not in text:
        return json.dumps(wanted, indent=2) + "\n"
    at = text.index("{")
    path = ("hooks", event)
    for depth, key in enumerate(path, 1):
        member = _find(text, at, key)
        wanted = wanted[key]
        if member is None:
            return _insert(text, at, f"{json.dumps(key)}: ", wanted, depth=depth)
        at = member.value
    return _insert(text, at, "", group, depth=len(path) + 1)


def without_hook(text: str, name: str) -> str:
    """Return the settings without the hook; a list or object that only it stood in goes with it.

    Raises:
        CommandError: It is no JSON, or has something else where hooks belong; says where.
    """
    for each in reversed(list(_handlers(_settings(text, name)))):
        if _is_ours(each.handler):
            text = _remove(text, ("hooks", each.event, each.group, "hooks", each.number))
    return text


def _is_ours(handler: object) -> bool:
    command = handler.get("command") if isinstance(handler, dict) else None
    return isinstance(command, str) and (command == COMMAND or command.startswith(COMMAND + " "))


def _settings(text: str, name: str) -> dict[str, Any]:
    """Read the settings, and make sure that hooks can be put where they belong."""
    bare = text.removeprefix(_BOM)
    try:
        settings = json.loads(bare) if bare.strip() else {}
    except (ValueError, RecursionError) as fault:
        said = "nested too deeply" if isinstance(fault, RecursionError) else str(fault)
        raise _refused(name, f"not JSON: {said}", "broken_json") from fault
    if not isinstance(settings, dict):
        raise _refused(name, f"a JSON object is expected, not a {type(settings).__name__}")
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise _refused(name, f"hooks must be an object, not a {type(hooks).__name__}")
    for event in GROUPS:
        groups = hooks.get(event, [])
        if not isinstance(groups, list):
            raise _refused(name, f"hooks.{event} must be a list, not a {type(groups).__name__}")
    return settings


def _refused(name: str, why: str, code: str = "unusable_settings") -> CommandError:
    message = f"{clean(name)}: {clean(why)}; nothing was changed, repair the file first"
    return CommandError(message, {"file": name}, code)


def _handlers(settings: dict[str, Any]) -> Iterator[_Handler]:
    """Yield every handler of every event, in order."""
    for event, groups in settings.get("hooks", {}).items():
        for place, group in enumerate(groups if isinstance(groups, list) else ()):
            listed = group.get("hooks") if isinstance(group, dict) else None
            for number, handler in enumerate(listed if isinstance(listed, list) else ()):
                yield _Handler(event, place, number, handler)


def _members(text: str, at: int) -> Iterator[_Member]:
    """Yield what stands in the object or list that begins at a place of valid JSON."""
    is_object = text[at] == "{"
    at = _skip(text, at + 1)
    while text[at] not in "]}":
        start, key = at, ""
        if is_object:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        value = at
        _, at = _DECODER.raw_decode(text, at)
        yield _Member(start, value, at, key)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _find(text: str, at: int, key: str) -> _Member | None:
    """Return the member with this key; of several the last, which is the one that counts."""
    return next((each for each in reversed(list(_members(text, at))) if each.key == key), None)


def _insert(text: str, at: int, prefix: str, value: object, *, depth: int) -> str:
    """Put a member or an element behind the others of the object or list at a place.

    Args:
        text: The settings.
        at: Where the object or list begins.
        prefix: The key and its colon, of a member.
        value: What is put in.
        depth: How far its members are indented.
    """
    found = _INDENT.search(text)
    unit = found[1] if found else "  "
    printed = prefix + json.dumps(value, indent=unit)
    inner = _with_ends("\n" + unit * depth + printed.replace("\n", "\n" + unit * depth), text)
    members = list(_members(text, at))
    if members:
        end = members[-1].end
        return f"{text[:end]},{inner}{text[end:]}"
    close = _skip(text, at + 1)
    return text[: at + 1] + inner + _with_ends("\n" + unit * (depth - 1), text) + text[close:]


def _with_ends(added: str, text: str) -> str:
    return added.replace("\n", "\r\n") if "\r\n" in text else added


def _remove(text: str, path: Sequence[str | int]) -> str:
    """Take out the handler at a path, and each list or object that only it stood in."""
    levels = []
    at = text.index("{")
    for step in path:
        members = list(_members(text, at))
        number = max(n for n, each in enumerate(members) if step in (n, each.key))
        levels.append((at, members, number))
        at = members[number].value
    while len(levels) > 1 and (len(levels[-1][1]) == 1 or len(levels) == _OF_A_GROUP):
        levels.pop()
    at, members, number = levels[-1]
    if number:
        return text[: members[number - 1].end] + text[members[number].end :]
    if len(members) > 1:
        return text[: members[0].start] + text[members[1].start :]
    return text[: at + 1] + text[_skip(text, members[0].end) :]


def path_of(scope: str) -> Path:
    """Return the settings file of a scope: `user`, `project` or `local`."""
    if scope == "user":
        folder = os.environ.get("CLAUDE_CONFIG_DIR")
        return (Path(folder) if folder else Path.home() / ".claude") / "settings.json"
    return Path(".claude") / ("settings.json" if scope == "project" else "settings.local.json")


def read(path: Path) -> str:
    """Return the text of a settings file; empty where there is none.

    Raises:
        CommandError: It cannot be read, or is no text in UTF-8.
    """
    source = Source(str(path))
    try:
        return source.read().decode() if source.exists() else ""
    except UnicodeDecodeError as fault:
        raise _refused(source.name, f"no text in UTF-8 (byte {fault.start})", "no_text") from fault


def write(path: Path, text: str, before: str) -> None:
    """Replace a settings file at once, and leave what it was beside it.

    Args:
        path: The file; a link to one is followed.
        text: What it becomes.
        before: What it was when the change was made.

    Raises:
        CommandError: It cannot be written, or is no longer what it was.
    """
    with _naming(str(path)):
        path.parent.mkdir(parents=True, exist_ok=True)
        if read(path) != before:
            message = f"{clean(str(path))} changed meanwhile; nothing was written, run it again"
            raise CommandError(message, {"file": str(path)}, "settings_changed")
        target = Path(os.path.realpath(path))
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else _NEW_FILE
        if before:
            put(target.with_name(target.name + BACKUP_SUFFIX), before.encode(), mode)
        put(target, text.encode(), mode)
