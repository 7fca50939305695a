"""How far something is, and whether it was taken or turned down, as a sentence has it.

Words of four closed groups carry a sign, and a negation before one of them turns it round. A
sentence with both signs says neither.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from turnfold.audit._sentences import apart
from turnfold.audit._states_english import (
    AHEAD,
    FAILING,
    FINISHED,
    HEALTHY,
    NEGATION,
    NOT_YET,
    PASSIVE,
    SOON,
    TAKEN,
    TURNED_DOWN,
    UNFINISHED,
)
from turnfold.audit._states_han import DONE_MARK, HAN_DONE, HAN_OPEN, HAN_WELL, OPEN_MARK

_WORDS: Final = re.compile(
    r"(?<![\w.-])(?:"
    rf"(?P<soon>{SOON})|(?P<ahead>{AHEAD})|(?P<not_yet>{NOT_YET})|(?P<passive>{PASSIVE})"
    rf"|(?:(?P<turned_down>{TURNED_DOWN})|(?P<unfinished>{UNFINISHED}|{FAILING})"
    rf"|(?P<taken>{TAKEN})|(?P<finished>{FINISHED}|{HEALTHY})"
    rf"|(?P<negation>{NEGATION}))(?![\w-]))"
    rf"|(?P<mark_open>{OPEN_MARK})|(?P<mark_done>{DONE_MARK})"
    rf"|(?P<han_well>{HAN_WELL})|(?P<han_open>{HAN_OPEN})|(?P<han_done>{HAN_DONE})"
)
_NAMES: Final = re.compile(
    r"`[^`\n]{1,200}`|[^\s\uff0c\u3002\uff1b\uff1a\u3001]{0,200}[\w)][/_@=\\][^\s\uff0c\u3002\uff1b\uff1a\u3001]{0,200}|\b[a-z]+[A-Z]\w{0,80}"
)
_IN_NAMES: Final = re.compile(r"[`/_@=\\]|[a-z][A-Z]")
"""Every name has one of these, and looking for them is faster than for the pattern."""

_CLAUSE: Final = re.compile(
    r"[,;:()\uff0c\uff1b\uff1a\uff08\uff09]|\s[-\u2013\u2014]\s|(?<!anything)\s(?:but|and|while"
    r"|whereas|although)\s"
)
_FAR: Final = 10_000
_REACH: Final = 32
"""A negation turns round a word that stands so many characters behind it, in the same clause."""

_CLAUSE_WORDS: Final = 4
_BARE_NO: Final = re.compile(
    r"\W{0,4}(?:and |so )?(?:no|without|nothing|none)(?!\w)", re.IGNORECASE
)
_DENIED: Final = re.compile(r"(?<!\w)(?:not|never)(?!\w)")
_ONCE: Final = re.compile(
    r"(?<!\w)(?:at first|initially|originally|previously|before|until"
    r"|(?<!be )(?<!is )(?<!are )used to|if|when|whenever|once|unless"
    r"|would|earlier|(?<!shipped )(?<!merged )(?<!deployed )(?<!released )(?<!landed )(?<!fixed )"
    r"yesterday|except|apart from|other than|first)(?!\w)"
    "|之前|以前|如果|若|除非|直到|原来|最初|起初|曾经|一旦",
    re.IGNORECASE,
)


_NO_DENIAL: Final = re.compile(
    r"(?<![\w-])(?:(?:no|not|never|cannot|\w{2,8}n['\u2019]t)(?: (?!but |and )[\w'-]{1,15}){0,3}?"
    r" (?:(?:more|less|fewer|longer|larger|bigger|smaller|higher|lower|greater|later|earlier|slower"
    r"|faster|older|newer|shorter|other) than|exceed\w{0,3}|(?:go |going |run |rise |fall )?(?:over"
    r"|above|below|under|beyond|past)(?= ?[~`]?\d))"
    r"|(?:nothing|nobody|none|no ?one|nowhere)(?: else| other)? (?:than|but|except)"
    r"|not only)(?!\w)",
    re.IGNORECASE,
)
"""A limit, or what only one thing is or does: it denies neither."""


class State(NamedTuple):
    """What a sentence says of the state of a thing; each sign is 1, -1, or 0 for neither.

    Args:
        progress: 1 for done and well, -1 for open or failing.
        choice: 1 for taken, -1 for turned down.
        is_denied: Whether a negation turns round something else.
        is_mixed: Whether it says both of a kind, or says it of a time or a case.
    """

    progress: int
    choice: int
    is_denied: bool
    is_mixed: bool

    @property
    def polarity(self) -> int:
        """Whether it is affirmed or denied, whatever it is; 0 where it turns down and denies."""
        if self.choice < 0 and self.is_denied:
            return 0
        return (self.choice or 1) * (-1 if self.is_denied else 1)


@lru_cache(maxsize=4_000)
def state_of(sentence: str) -> State:
    """Return what a sentence says of the state of a thing."""
    text = sentence if sentence.isascii() else apart(sentence)
    if _IN_NAMES.search(text):
        text = _NAMES.sub(lambda found: "#" * len(found[0]), text)
    text = _NO_DENIAL.sub(" ", text)
    progress: set[int] = set()
    choice: set[int] = set()
    denied = False
    is_open = False
    for clause in _CLAUSE.split(text):
        for axis, sign in _signs(clause.lower()):
            if axis == "progress":
                progress.add(sign)
            elif axis == "choice":
                choice.add(sign)
            elif axis == "open":
                is_open = True
            elif len(clause.split()) >= (_CLAUSE_WORDS if _BARE_NO.match(clause) else 2):
                denied = True
    mixed = len(progress) > 1 or len(choice) > 1
    mixed |= not is_open and _ONCE.search(text) is not None
    return State(
        progress.pop() if len(progress) == 1 else 0,
        choice.pop() if len(choice) == 1 else 0,
        denied,
        mixed,
    )


def _signs(clause: str) -> Iterator[tuple[str, int]]:
    """Yield the axes and signs of the words of a clause; a negation that turns nothing is left."""
    reading = _Reading()
    for found in _WORDS.finditer(clause):
        yield from reading.take(found)
    yield from reading.end()


class _Reading:
    """A clause as it is read, word by word: what was negated, lies ahead, or is in the passive."""

    def __init__(self) -> None:
        self._negations: dict[int, bool] = {}
        self._passive: tuple[int, int] | None = None
        self._soon = -_FAR

    def take(self, found: re.Match[str]) -> Iterator[tuple[str, int]]:
        """Yield what a word says, with the words before it."""
        group, at, end = found.lastgroup or "", found.start(), found.end()
        if self._passive and at > self._passive[0]:
            yield from self._deed(self._passive[1], self._passive[0])
            self._passive = None
        turned = self._turned(group, at)
        passive, self._passive = self._passive, None
        sign = passive[1] if passive else turned
        if group == "negation":
            self._negations[end] = False
        elif group == "passive":
            is_denied = turned < 0 or _DENIED.search(found[0])
            self._passive = end, -1 if is_denied else 1
        elif group == "soon":
            self._soon = end
        elif group in _OPEN_GROUPS:
            yield from self._open(group, end, turned)
        elif group in _DONE_GROUPS:
            yield from self._deed(sign, at)
        else:
            yield "choice", sign if group == "taken" else -sign
            if passive and group == "taken":
                yield from self._deed(sign, at)

    def end(self) -> Iterator[tuple[str, int]]:
        """Yield what is left at the end of the clause."""
        if self._passive:
            yield from self._deed(self._passive[1], self._passive[0])
        for end, used in self._negations.items():
            if not used:
                yield "denied", end

    def _turned(self, group: str, at: int) -> int:
        near = [end for end in self._negations if at - end <= _REACH]
        if not near or group in ("soon", "negation"):
            return 1
        self._negations.update(dict.fromkeys(near, True))
        return -1

    def _open(self, group: str, end: int, turned: int) -> Iterator[tuple[str, int]]:
        if group == "not_yet":
            self._negations[end] = True
            turned = 1
        if group == "ahead":
            self._soon = end
            if turned < 0:
                yield "denied", end
                return
        yield "open", -1
        yield "progress", -turned

    def _deed(self, sign: int, at: int) -> Iterator[tuple[str, int]]:
        """Yield what a deed says: one that lies ahead says nothing, or that it is denied."""
        if at - self._soon > _REACH:
            yield "progress", sign
        elif sign < 0:
            yield "denied", sign


_OPEN_GROUPS: Final = ("ahead", "not_yet", "unfinished", "mark_open", "han_open")
_DONE_GROUPS: Final = ("finished", "mark_done", "han_well", "han_done")


def denied_in(sentence: str) -> str:
    """Return what stands right behind the negations of a sentence."""
    return " ".join(_REFERRING.sub("", found[1]) for found in _DENIES.finditer(sentence))


_REFERRING: Final = re.compile(
    r"\A\s(?:do|does|did|done|doing) (?:it|this|that|so)(?!\w).*", re.DOTALL
)
"""What was said before is denied, and not what follows."""

_DENIES: Final = re.compile(
    rf"(?<![\w.-])(?:{NEGATION})(?![\w-])((?:[ `\"'*]+[^\s,;]{{1,80}}){{1,5}})", re.IGNORECASE
)


def denies_another(sentence: str) -> bool:
    """Whether a sentence denies what another one says: `it does not do that`."""
    return any(_REFERRING.match(found[1]) for found in _DENIES.finditer(sentence))


def replaced_in(sentence: str) -> str:
    """Return what a sentence says that something else stands in place of."""
    return " ".join(found[1] for found in _REPLACES.finditer(sentence))


_REPLACES: Final = re.compile(
    r"(?<![\w.-])(?:instead of|rather than|in (?:place|lieu) of|in favou?r of|over|replacing"
    r"|formerly|previously|(?:corrected|changed|moved|switched|away|renamed) from"
    r"|no longer)(?![\w-])((?:[ `\"'*]+[^\s,;]{1,80}){1,5})",
    re.IGNORECASE,
)

VOCABULARY: Final = (
    *(TURNED_DOWN, UNFINISHED, FAILING, TAKEN, FINISHED, HEALTHY, NEGATION, AHEAD),
    "settled|later|half|next|step|work",
)
"""The patterns whose words say how far something is."""
