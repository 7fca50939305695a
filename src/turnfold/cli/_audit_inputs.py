"""What `turnfold audit` reads: transcripts, summaries, terms and configurations."""

import codecs
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Final

from turnfold._metadata import ORIGIN
from turnfold.audit import AuditConfig, Vocabulary
from turnfold.cli._audit_names import Wanted
from turnfold.cli._errors import CommandError
from turnfold.cli._files import Source
from turnfold.cli._show import Screen, clean
from turnfold.cli._values import NO_PINS, Reading, Scope
from turnfold.errors import UnreadableTranscript
from turnfold.transcript import Role, Transcript, TranscriptTurn

_TEXT_SUFFIXES: Final = (".markdown", ".md", ".txt")
_RECORD_SUFFIXES: Final = (".json", ".jsonl")
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_PARAGRAPH: Final = re.compile(r"(?:[^\n]*\S[^\n]*(?:\n|\Z))+")
_LINE: Final = re.compile(r"lines? (\d{1,9})")


@dataclass(frozen=True, slots=True)
class Asked:
    """How an audit was asked for.

    Args:
        config: The options of the audit.
        notes: What of the configuration or the terms could not be used.
        format: The transcript's format, where it is not to be detected.
        scope: How much of the transcript counts; None where the summary decides.
    """

    config: AuditConfig
    notes: tuple[str, ...] = ()
    format: str | None = None
    scope: Scope | None = None

    def reading(self, scope: Scope) -> Reading:
        """Return how the transcript is read in a scope; refuses an unknown format."""
        return Reading(self.format, scope, NO_PINS)


def config_of(wanted: Wanted, screen: Screen) -> tuple[AuditConfig, tuple[str, ...]]:
    """Return the configuration, and a sentence for each part that could not be used.

    Raises:
        CommandError: A file cannot be read, or the configuration is neither JSON nor TOML.
    """
    config, problems = AuditConfig(), tuple[str, ...]()
    if wanted.config is not None:
        config, problems = AuditConfig.from_dict(_read_config(Source(wanted.config)))
    if wanted.vocabulary is not None:
        terms, wrong = _read_vocabulary(Source(wanted.vocabulary))
        config, problems = replace(config, compliance_vocabulary=terms), problems + wrong
    if wanted.profile is not None:
        config = replace(config, profile=wanted.profile.value)
    if wanted.min_severity is not None:
        config = replace(config, min_severity=wanted.min_severity.value)
    for problem in problems:
        screen.warn("configuration", problem)
    return config, problems


def _read_config(source: Source) -> object:
    text = read_text(source, "configuration")
    if PurePath(source.path).suffix == ".json" or text.lstrip().startswith("{"):
        return _as_json(text, source, "configuration")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as fault:
        message = f"{clean(source.name)}: neither JSON nor TOML, so it is no configuration"
        details = {"file": source.name, "reason": clean(str(fault))}
        raise CommandError(message, details, "broken_config") from fault


def _read_vocabulary(source: Source) -> tuple[Vocabulary, tuple[str, ...]]:
    """Read the terms; what is no vocabulary is an empty one, and is said (never raised)."""
    content = source.read()
    try:
        record = _as_json(decoded(content, source, "vocabulary"), source, "vocabulary")
    except CommandError as error:
        return Vocabulary(), (f"{error.message}: the vocabulary is empty, no term was checked",)
    return Vocabulary.from_dict(record)


def _as_json(text: str, source: Source, what: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as fault:
        message = f"{clean(source.name)}: not JSON, so it is no {what}"
        details = {"file": source.name, "reason": clean(str(fault))}
        raise CommandError(message, details, "broken_json") from fault


def read_text(source: Source, what: str) -> str:
    """Read a text.

    Raises:
        CommandError: The file cannot be read, or holds no text, or nothing but space.
    """
    text = decoded(source.read(), source, what)
    if not text.strip():
        message = f"{clean(source.name)}: the {what} is empty; name a file with text"
        raise CommandError(message, {"file": source.name}, "empty_text")
    return text


def decoded(content: bytes, source: Source, what: str) -> str:
    """Return bytes as text, its line ends as they are and without a byte order mark.

    Raises:
        CommandError: They are none.
    """
    encoding = "utf-16" if content.startswith(_UTF_16) else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as fault:
        message = f"{clean(source.name)}: no text in UTF-8 (byte {fault.start}), so no {what}"
        raise CommandError(message, {"file": source.name}, "no_text") from fault
    if "\0" in text:
        message = f"{clean(source.name)}: binary (a NUL at {text.index(chr(0))}), so no {what}"
        raise CommandError(message, {"file": source.name}, "no_text")
    return text


def is_text_file(source: Source) -> bool:
    """Whether a file is text by its name."""
    return PurePath(source.path).suffix.lower() in _TEXT_SUFFIXES


def is_record_file(source: Source) -> bool:
    """Whether a file holds records by its name, so that it is never read as a text."""
    return PurePath(source.path).suffix.lower() in _RECORD_SUFFIXES


def text_instead(source: Source, error: UnreadableTranscript, screen: Screen) -> Transcript:
    """Read as text what no format recognises, and warn of it.

    Raises:
        UnreadableTranscript: It is no text either, or its name says that it is none.
    """
    if is_record_file(source):
        raise error
    try:
        text = read_text(source, "transcript")
    except CommandError:
        raise error from None
    message = f"{clean(source.name)}: no format that turnfold reads; all of it counts as the user's"
    screen.warn("read_as_text", message, {"file": source.name})
    return transcript_of_text(text)


def transcript_of_text(text: str) -> Transcript:
    """Return a text without roles as the user's: a turn a paragraph, named after its line."""
    return Transcript(_paragraphs(text))


def _paragraphs(text: str) -> Iterator[TranscriptTurn]:
    line, reached = 1, 0
    for found in _PARAGRAPH.finditer(text):
        line += text.count("\n", reached, found.start())
        reached = found.start()
        place = f"line {line}"
        yield TranscriptTurn(place, Role.USER, found[0], 0, metadata={ORIGIN: place})


def line_of(turn: TranscriptTurn) -> int | None:
    """Return the line of its file that a turn begins on, where it has one."""
    matched = _LINE.match(turn.metadata.get(ORIGIN, ""))
    return int(matched[1]) if matched else None


def lines_of(turns: Transcript) -> Mapping[str | None, int]:
    """Return the lines of those turns that have one."""
    known = ((turn.turn_id, line_of(turn)) for turn in turns)
    return {turn_id: line for turn_id, line in known if line is not None}
