"""What audits read of texts, kept for whoever asks next: another check, or the next audit."""

from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar, cast

from turnfold.audit._spelling import readable
from turnfold.facts import NameReader, Telling

AskedT = TypeVar("AskedT", bound=Hashable)
MadeT = TypeVar("MadeT")

_MISSING: Final = object()


class AuditMemory:
    """What audits read of turns; those that share one read a turn once.

    For the audits of one session as it grows: of each of its compactions, or of one summary that
    is tried again. What an audit finds is the same with it and without. It holds what stands in
    every text that was read, so let go of it with the session; and one thread uses it at a time.

    Example:
        >>> from turnfold import Transcript, TranscriptTurn
        >>> from turnfold.audit import AuditMemory, audit
        >>> original = Transcript([TranscriptTurn("u", "user", "Serve it on port 8443.", 9)])
        >>> memory = AuditMemory()
        >>> audit(original, "It listens on port 8444.", memory=memory).verdict.value
        'FAIL'
        >>> audit(original, "It listens on port 8443.", memory=memory).verdict.value
        'PASS'
    """

    __slots__ = ("_made", "_reader")

    def __init__(self) -> None:
        self._made: dict[Callable[[Any], Any], dict[Any, Any]] = {}
        self._reader = NameReader()

    def of(self, make: Callable[[AskedT], MadeT], asked: AskedT) -> MadeT:
        """Return what a function makes of a text, made when it is first asked for.

        Args:
            make: The function; it depends on nothing else.
            asked: The text, or the text and whose it is.
        """
        made = self._made.setdefault(make, {})
        found = made.get(asked, _MISSING)
        if found is _MISSING:
            found = made[asked] = make(asked)
        return cast("MadeT", found)

    def names(self, text: str) -> Telling:
        """Return the tokens of a text that have a fact, and what no token holds whole."""
        return self.of(self._names, text)

    def _names(self, text: str) -> Telling:
        return self._reader.telling(readable(text))
