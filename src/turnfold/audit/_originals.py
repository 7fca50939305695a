"""The facts of the original turns, and how a fact of a summary relates to them.

Support is asymmetric: a summary may shorten what the original spells out, never the reverse.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Final, NamedTuple

from turnfold.audit._boundaries import holds_folder, stands_in
from turnfold.audit._finding import Status
from turnfold.audit._indices import MEASURED, Indices
from turnfold.audit._memory import AuditMemory
from turnfold.audit._seen import SPOKEN, Seen, read
from turnfold.audit._sentences import words_beside
from turnfold.audit._spelling import canonical, flattened
from turnfold.audit._surroundings import Surroundings
from turnfold.facts import Fact, Kind, NameReader, secrets
from turnfold.transcript import Role, TranscriptTurn

_MOST_ALIKE: Final = 200
_MOST_SEARCHES: Final = 500
"""So many phrases are looked for in the whole text, which keeps the audit linear."""
_HAN_UNITS: Final[Mapping[str, tuple[str, ...]]] = {
    "毫秒": ("ms", "msec", "milliseconds"),
    "微秒": ("us", "\u00b5s", "microseconds"),
    "秒": ("s", "sec", "secs", "second", "seconds"),
}
"""Units of time in Chinese, as tools print them."""

_WRAPPING: Final = " \t\r\n[]()*_~"
_CHOICE: Final = re.compile(r"[A-Za-z_]\w{0,40}(?:/[A-Za-z_]\w{0,40}){1,5}")
_SHORTEST_HASH: Final = 7
_HEX: Final = re.compile(r"[0-9a-f-]{7,}", re.IGNORECASE)


class Relation(NamedTuple):
    """How a fact of a summary stands to the originals."""

    status: Status
    nearest: str | None = None
    rule: str | None = None


_TIME: Final = re.compile(r"\d{1,2}:\d\d(?::\d\d)?")
_EXACT: Final = Relation(Status.EXACT)


class Originals:
    """All facts of the leaves, by the indices that relations are looked up in.

    Indices are made when they are first asked for; a lookup never scans the names.

    Args:
        leaves: The original turns, oldest first.
        is_replaced: For each whether it stands verbatim in the view no more.
        memory: What was read of turns before.
        path_markers: What begins like this is a path; `a/b/c` may be a choice between words.
    """

    def __init__(
        self,
        leaves: Sequence[TranscriptTurn],
        is_replaced: Sequence[bool],
        memory: AuditMemory,
        path_markers: tuple[str, ...] = (),
    ) -> None:
        self.leaves = leaves
        self._memory = memory
        self._path_markers = path_markers
        self.reader = NameReader()
        self._searches = 0
        self._surroundings = Surroundings(leaves)
        self._of_kind: dict[Kind, list[str]] = {}
        self._contexts: dict[str, tuple[frozenset[str], ...]] = {}
        numbered = list(zip(enumerate(leaves), is_replaced, strict=True))
        self.replaced = read((each for each, gone in numbered if gone), self._memory)
        self.standing = read((each for each, gone in numbered if not gone), self._memory)

    @property
    def not_looked_for(self) -> int:
        """How many phrases were not looked for, because there were too many."""
        return max(0, self._searches - _MOST_SEARCHES)

    def seen(self, name: str) -> Seen | None:
        """Return where a name stands exactly like this, the replaced turns first."""
        return self.replaced.get(name) or self.standing.get(name)

    def leaf_ids(self, name: str | None) -> tuple[str, ...]:
        """Return the ids of the first and the last turn that has a name."""
        known = self.seen(name) if name else None
        return tuple(self.leaves[at].turn_id for at in known.positions()) if known else ()

    def _alike(self, kind: Kind) -> Sequence[str]:
        """Return names of one kind that replaced turns have, the latest first, a limited number."""
        if not self._of_kind:
            for name, seen in reversed(self.replaced.items()):
                found = self._of_kind.setdefault(seen.kind, [])
                if len(found) < _MOST_ALIKE:
                    found.append(name)
        return self._of_kind.get(kind, ())

    def relate(self, fact: Fact) -> Relation:
        """Return how a fact of a summary stands to the originals, the best relation first."""
        name = fact.text
        if self.seen(name):
            return _EXACT
        for relation in (self._reformatted, self._shortened, self._measured, self._cased):
            if found := relation(fact):
                return found
        if fact.kind is not Kind.URL and (self.stands_within(name) or self._says(fact)):
            return _EXACT
        nearest = self.nearest(fact)
        if nearest and nearest.lower().endswith(name.lower()):
            return Relation(Status.CASE_ONLY, nearest, "case")
        if nearest is None and self._is_member(fact):
            return Relation(Status.REFORMATTED, None, "member")
        return Relation(Status.UNVERIFIED, nearest)

    def _is_member(self, fact: Fact) -> bool:
        """Whether the owner of a name like `Owner.member` stands shortly before the member."""
        owner, _, member = fact.text.rpartition(".")
        known = self.seen(member)
        if fact.kind is not Kind.IDENTIFIER or known is None or self.seen(owner) is None:
            return False
        return any(
            0 <= text.find(owner) < text.rfind(member)
            for text in map(self._with_the_one_before, known.positions())
        )

    def _with_the_one_before(self, at: int) -> str:
        return "\n".join(turn.content for turn in self.leaves[max(0, at - 1) : at + 1])

    def _reformatted(self, fact: Fact) -> Relation | None:
        spelled = canonical(fact)
        original = spelled if self.seen(spelled) else self._indices.by_canonical.get(spelled)
        return Relation(Status.REFORMATTED, original, "spelling") if original else None

    def _shortened(self, fact: Fact) -> Relation | None:
        name = canonical(fact)
        if fact.kind in (Kind.HASH, Kind.UUID) or _HEX.fullmatch(name):
            original = self._indices.hash_beginning(name.lower())
            if len(name) >= _SHORTEST_HASH and original:
                return Relation(Status.SHORTENED, original, "prefix")
        if name.isdigit() and self._numbers_a_file(name):
            return Relation(Status.SHORTENED, None, "number of a file")
        if fact.kind is Kind.DATE and _TIME.fullmatch(name) and self._has_time(name):
            return Relation(Status.SHORTENED, None, "time")
        if fact.kind in (Kind.PATH, Kind.URL):
            tail = name.removeprefix("~/")
            if original := self._indices.path_ending(tail):
                rule = "home" if name.startswith("~/") else "leading folders"
                return Relation(Status.SHORTENED, original, rule)
            if fact.kind is Kind.PATH and holds_folder(self._tokens, tail):
                return Relation(Status.SHORTENED, None, "folder")
        return None

    def _numbers_a_file(self, number: str) -> bool:
        """Whether a token begins with a number: that of a file, or of a migration."""
        # Looking for the text first is several times faster, and nearly always enough.
        if f"{number}_" not in self._tokens and f"{number}-" not in self._tokens:
            return False
        return re.search(rf"(?<![\w.]){number}[_-](?=[A-Za-z])", self._tokens) is not None

    def _has_time(self, time: str) -> bool:
        """Whether a time stands with a date, with seconds, or with a zero before its hour."""
        return re.search(rf"(?<!\d)0?{time.removeprefix('0')}(?!\d)", self._tokens) is not None

    def _measured(self, fact: Fact) -> Relation | None:
        """Let a unit be added to a number that has none, and none to one that has another."""
        found = MEASURED.fullmatch(canonical(fact)) if fact.kind is Kind.NUMBER else None
        if found is None:
            return None
        figures, unit = found.groups()
        spelled = self._indices.by_canonical
        for name in (f"{figures}{other}" for other in _HAN_UNITS.get(unit, ())):
            if self.seen(name) or name in spelled:
                return Relation(Status.REFORMATTED, spelled.get(name, name), "unit")
        is_there = self.seen(figures) or figures in spelled
        if is_there and figures not in self._indices.with_units:
            return Relation(Status.REFORMATTED, figures, "unit added")
        return None

    def has_sentence(self, sentence: str) -> bool:
        """Whether the leaves have a sentence word for word."""
        return self._has_phrase(sentence)

    def _cased(self, fact: Fact) -> Relation | None:
        original = self._indices.by_lower.get(fact.text.lower())
        return Relation(Status.CASE_ONLY, original, "case") if original else None

    def flattened_name(self, word: str) -> str | None:
        """Return the name that a word of one case was, where no leaf has the word itself."""
        name = self._indices.by_lower.get(word.lower())
        if name is None or name == word or self.not_looked_for:
            return None
        self._searches += 1
        stands = any(
            stands_in(f" {turn.content} ", word) for turn in self.leaves if word in turn.content
        )
        return None if stands else name

    def nearest(self, fact: Fact) -> str | None:
        """Return the original that a fact was most likely taken from, where one is near.

        Of several that are as near it is what somebody said, rather than what a tool printed.
        """
        near = self._indices.near.of(fact)
        tried = {name: slips for name, slips in near.items() if not self.is_credential(name)}

        def likeliness(name: str) -> tuple[int, bool, int, str]:
            is_printed = not self._everything[name].voice & SPOKEN
            return tried[name], is_printed, abs(len(name) - len(fact.text)), name

        return min(tried, key=likeliness, default=None)

    def _says(self, fact: Fact) -> bool:
        """Whether the leaves have a phrase, a path that they escape, or all parts of a choice."""
        kind, name = fact
        if kind is Kind.NUMBER and "/" in name:
            return all(self._has_phrase(each) and self._stands(each) for each in name.split("/"))
        if kind is Kind.QUOTED:
            return self._has_phrase(name)
        if kind is not Kind.PATH:
            return False
        spelled = canonical(fact)
        if self._has_phrase(spelled) and self._stands(flattened(spelled)):
            return True
        if name.startswith(self._path_markers) or not _CHOICE.fullmatch(name):
            return False
        return all(map(self._has_phrase, name.split("/")))

    def _has_phrase(self, phrase: str) -> bool:
        """Whether the leaves have a phrase, whatever its quotes, escapes and line breaks."""
        self._searches += 1
        if self._searches > _MOST_SEARCHES:
            return False
        phrase = flattened(phrase.strip(_WRAPPING))
        return any(phrase in text for text in self._texts)

    def _stands(self, name: str) -> bool:
        """Whether the leaves have a flattened name with boundaries on both sides."""
        return any(stands_in(f"\n{text}\n", name) for text in self._texts if name in text)

    @cached_property
    def _texts(self) -> list[str]:
        """What the leaves say, flattened."""
        return [self._memory.of(flattened, turn.content) for turn in self.leaves]

    def is_credential(self, name: str) -> bool:
        """Whether a name is, or is part of, a credential where it stands."""
        known = self.seen(name)
        return known is not None and any(
            name in secret
            for at in known.positions()
            for secret in self._memory.of(secrets, self.leaves[at].content)
        )

    def contexts(self, name: str) -> tuple[frozenset[str], ...]:
        """Return the content words of sentences that have a name: in its first and last turn."""
        known = self.seen(name)
        if known is None:
            return ()
        if name not in self._contexts:
            self._contexts[name] = tuple(words_beside(name, each) for each in self.sentences(name))
        return self._contexts[name]

    def sentences(self, name: str, *, spoken: bool = False) -> Iterator[str]:
        """Yield sentences that have a name: in its first and last turn, a few of each.

        Args:
            name: As it stands there.
            spoken: Leave out those of tools and systems.
        """
        known = self.seen(name)
        for at in known.positions() if known else ():
            if not spoken or self.leaves[at].role in (Role.USER, Role.ASSISTANT):
                yield from self._surroundings.sentences(at, name)

    def saying(self, kind: Kind, words: frozenset[str]) -> Iterator[str]:
        """Yield names of a kind that stand in one sentence with all of these words.

        Only names of replaced turns, in their first and last turn, and a limited number.
        """
        has_all: dict[int, bool] = {}
        for name in self._alike(kind):
            for at in self.replaced[name].positions():
                if at not in has_all:
                    has_all[at] = self._surroundings.has_all(at, words)
                if has_all[at] and any(
                    words <= words_beside(name, sentence)
                    for sentence in self._surroundings.sentences_with(at, name, words)
                ):
                    yield name
                    break

    def stands_within(self, name: str) -> bool:
        """Whether a name stands within a larger token, with boundaries on both sides."""
        return stands_in(self._tokens, name)

    @cached_property
    def _tokens(self) -> str:
        """All distinct tokens of the leaves with a fact, and paths as no token has them."""
        telling = (self._memory.names(turn.content).tokens for turn in self.leaves)
        paths = (
            canonical(Fact(Kind.PATH, name))
            for name, seen in self._everything.items()
            if seen.kind is Kind.PATH and ("\\" in name or " " in name)
        )
        return "\n".join(["", *dict.fromkeys(chain.from_iterable(telling)), *paths, ""])

    @cached_property
    def _everything(self) -> Mapping[str, Seen]:
        return {**self.standing, **self.replaced}

    @cached_property
    def _indices(self) -> Indices:
        return Indices(self._everything)
