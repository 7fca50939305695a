"""What a conversation was compacted to, without the turns that its history still holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final, Self

from turnfold._metadata import KIND, KIND_SUMMARY
from turnfold._record import sealed
from turnfold.errors import TurnfoldDefect
from turnfold.integrations._budgets import Lowered
from turnfold.ledger import Fate, Ledger
from turnfold.transcript import Role, Transcript, TranscriptTurn
from turnfold.view import CompactedView

SCHEMA: Final = "turnfold.conversation/1"


@sealed
@dataclass(frozen=True, slots=True)
class CompactionState:
    """The last compaction of a conversation, for its history and for a checkpoint.

    A history is its messages in full. The state holds what stands for the first of them: which
    turns are gone, and the texts of summaries and stubs. Turns that were kept are taken from the
    history each time.

    Args:
        covered: How many messages of the history it stands for.
        ledger: The ledger of these messages' turns; leading SYSTEM turns are not among them.
        texts: For each summary and each masked turn its text and its size in tokens.
        lowered: What refusals of a provider made of the budget; None where there was none.
    """

    covered: int
    ledger: Ledger
    texts: Mapping[str, tuple[str, int]]
    lowered: Lowered | None = None

    @classmethod
    def of(cls, view: CompactedView, covered: int, lowered: Lowered | None = None) -> Self:
        """Return the state of a view."""
        named = {name for name, _ in view.ledger.groups}
        named |= {each.turn_id for each in view.ledger.entries() if each.fate is Fate.MASKED}
        texts = {
            turn.turn_id: (turn.content, turn.token_estimate)
            for turn in view.transcript
            if turn.turn_id in named
        }
        return cls(covered, view.ledger, texts, lowered)

    def turns_now(self, history: Transcript) -> tuple[TranscriptTurn, ...] | None:
        """Return the view, with the turns that came since; None where the history is another.

        Args:
            history: The turns of the whole history, leading SYSTEM turns left out.
        """
        ledger = self.ledger
        if history.turn_ids()[: len(ledger.leaf_ids)] != ledger.leaf_ids:
            return None
        for turn, digests in zip(history, ledger.leaf_digests, strict=False):
            if turn.digest() != digests[32:].hex():
                return None
        summaries = {name for name, _ in ledger.groups}
        turns = []
        for turn_id in ledger.view_turn_ids():
            if turn_id in summaries:
                text, tokens = self.texts[turn_id]
                metadata = {KIND: KIND_SUMMARY}
                turns.append(TranscriptTurn(turn_id, Role.USER, text, tokens, metadata=metadata))
            elif turn_id in self.texts:
                turns.append(history.turn(turn_id).masked(*self.texts[turn_id]))
            else:
                turns.append(history.turn(turn_id))
        return (*turns, *history.turns[len(ledger.leaf_ids) :])

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain JSON values; it holds the texts of summaries."""
        record = {
            "schema": SCHEMA,
            "covered": self.covered,
            "ledger": self.ledger.to_dict(),
            "texts": {name: [text, tokens] for name, (text, tokens) in self.texts.items()},
        }
        return record if self.lowered is None else {**record, "lowered": self.lowered.to_dict()}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read back what `to_dict` gave.

        Raises:
            TurnfoldDefect: The record is no state.
        """
        if not isinstance(record, Mapping) or record.get("schema") != SCHEMA:
            found = record.get("schema") if isinstance(record, Mapping) else type(record).__name__
            msg = f"not a state that this version reads: its schema is {found!r}, not {SCHEMA!r}"
            raise TurnfoldDefect(msg, {"schema": repr(found)})
        try:
            texts = {name: (str(text), int(size)) for name, (text, size) in record["texts"].items()}
            ledger, told = Ledger.from_dict(record["ledger"]), record.get("lowered")
            lowered = None if told is None else Lowered.from_dict(told)
            state = cls(int(record["covered"]), ledger, texts, lowered)
        except (KeyError, TypeError, ValueError, AttributeError) as fault:
            msg = f"a part of the state is missing or of another kind: {fault!r:.200}"
            raise TurnfoldDefect(msg) from fault
        missing = [name for name, _ in state.ledger.groups if name not in texts]
        if missing:
            msg = f"the state lacks the text of {len(missing)} summaries"
            raise TurnfoldDefect(msg, {"missing": missing[:10]})
        return state


def without_lead(transcript: Transcript) -> tuple[tuple[TranscriptTurn, ...], Transcript]:
    """Return the leading SYSTEM turns, and all others.

    Nobody may touch them, and frameworks write them anew for each call: they are no part of what
    a state stands for.
    """
    lead = tuple(takewhile(lambda turn: turn.role is Role.SYSTEM, transcript))
    return lead, Transcript(transcript.turns[len(lead) :]) if lead else transcript
