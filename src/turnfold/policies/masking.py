"""Masking tool results: a stub in the place of the text, the turn and its exchange stay.

On demand the inputs of their calls are masked too: whole files and scripts that the model wrote.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import compress
from typing import Final, Literal

from turnfold._columns import FREE, ROLE_CODES
from turnfold._metadata import (
    KIND,
    KIND_MASKED,
    STATUS,
    STATUS_ERROR,
    TOOL_NAME,
    call_ids_of,
    own,
)
from turnfold.budget import CompactionBudget
from turnfold.decision import KEEP, MASK, Reason
from turnfold.errors import InvalidConfiguration
from turnfold.plan import CompactionPlan
from turnfold.policies._draft import PlanDraft
from turnfold.protocols import Estimator
from turnfold.tokens import counter_of, ratio_of
from turnfold.tokens._inputs import short_inputs
from turnfold.transcript import Transcript, TranscriptTurn

DEFAULT_PLACEHOLDER: Final = "[tool result removed to save space]"

Candidates = Iterable[tuple[int, str, int]]
"""What may be masked: its position, what stands in, and what stays beside that, in tokens."""

_IS_TOOL: Final = bytes(code == ROLE_CODES["tool"] for code in range(256))
_ASSISTANT: Final = ROLE_CODES["assistant"]
_LONGEST_NAME: Final = 80


class ObservationMaskingPolicy:
    """Replaces the content of old tool results by a stub, until the transcript fits (contract M1).

    The stub is the label, the tool's name and whether it failed, the original's size and the
    beginning of the SHA-256 of its complete content. It never holds an excerpt: a preview can
    hold a secret. The whole digest is in the ledger.

    With `mask_inputs` the calls follow where that is not enough: of an exchange all of whose
    results are masked, or are too small for a stub, the model's turn keeps its words, its calls
    and every short value in them; of a long value only its length is left (known failure G2).

    What it will not do: touch any turn but TOOL turns and, with `mask_inputs`, turns that call
    tools; the newest `keep_recent_results` results and their calls; untouchable turns; results of
    `protect_tools`; mask where the stub would not be smaller, or what an earlier round masked: its
    stub says the size and digest of the original; mask more than the budget asks for.

    Reasons it gives: `mask: oldest_result`, `mask: largest_result`, `mask: call_input`,
    `keep: recent_result`, `keep: protected_tool`, `keep: stub_not_smaller`.

    Args:
        keep_recent_results: How many of the newest results are never masked.
        placeholder: The label of the stub; not blank.
        order: `oldest` first, or `largest` first (ties by age).
        protect_tools: Names of tools whose results are never masked (`turnfold.tool_name`).
        mask_inputs: Whether the inputs of calls are masked too. They are told from the words as
            the loaders write them: `[call NAME] ARGUMENTS`.
        estimator: What sizes the stub; the built-in character ratio when absent.

    Raises:
        InvalidConfiguration: An option has a value that it cannot have.
    """

    name = "observation_masking"
    version = "1"

    def __init__(
        self,
        keep_recent_results: int = 2,
        placeholder: str = DEFAULT_PLACEHOLDER,
        *,
        order: Literal["oldest", "largest"] = "oldest",
        protect_tools: Collection[str] = (),
        mask_inputs: bool = False,
        estimator: Estimator | None = None,
    ) -> None:
        if type(keep_recent_results) is not int or keep_recent_results < 0:
            msg = f"keep_recent_results must be an integer of at least 0: {keep_recent_results!r}"
            raise InvalidConfiguration(msg, {"keep_recent_results": repr(keep_recent_results)})
        if not isinstance(placeholder, str) or not placeholder.strip():
            msg = f"placeholder must be a string that is not blank; got {placeholder!r}"
            raise InvalidConfiguration(msg, {"placeholder": repr(placeholder)})
        if order not in ("oldest", "largest"):
            msg = f"order must be 'oldest' or 'largest'; got {order!r}"
            raise InvalidConfiguration(msg, {"order": repr(order)})
        if isinstance(protect_tools, str):
            msg = "protect_tools is a collection of tool names, not one string"
            raise InvalidConfiguration(msg, {"protect_tools": protect_tools})
        self.keep_recent_results = keep_recent_results
        self.placeholder = placeholder
        self.order = order
        self.protect_tools = frozenset(protect_tools)
        self.mask_inputs = mask_inputs
        self._count = counter_of(estimator)
        self._ratio = ratio_of(estimator)

    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        """Return the plan.

        Raises:
            BudgetUnsatisfiable: The untouchable turns alone exceed the limit.
        """
        draft = PlanDraft(transcript, budget)
        self.revise(draft)
        return draft.seal(self.name, self.version)

    def revise(self, draft: PlanDraft) -> None:
        """Mask results of a draft, and the inputs of their calls, until it fits."""
        if not draft.excess:
            return
        reason = Reason.MASK_OLDEST if self.order == "oldest" else Reason.MASK_LARGEST
        tiny = self._mask(draft, self._stand_ins(draft), reason)
        if self.mask_inputs and draft.excess:
            self._mask(draft, self._short_calls(draft, tiny), Reason.MASK_CALL_INPUT)

    def _mask(self, draft: PlanDraft, stand_ins: Candidates, reason: str) -> set[int]:
        """Mask turns in this order until the draft fits; return those left as they are too small.

        Where the draft does not fit in the end, every turn was looked at.
        """
        excess, ratio, originals = draft.excess, self._ratio, draft.columns.tokens
        count = self._count if ratio else cache(self._count)
        texts: dict[int, str] = {}
        sizes: list[int] = []
        tiny: set[int] = set()
        for position, text, beside in stand_ins:
            size, tokens = originals[position], count(text) + beside
            if tokens >= size:
                draft.give_reason(position, Reason.KEEP_NOT_SMALLER)
                tiny.add(position)
                continue
            texts[position] = text
            sizes.append(tokens)
            excess -= size - tokens
            if excess <= 0:
                break
        draft.mask_all(texts, sizes, reason, ratio=ratio, owner=self)
        return tiny

    def relax(self, draft: PlanDraft) -> None:
        """Unmask what was masked last and the draft has room for by now: inputs, then results."""
        roles = draft.columns.roles
        masked = self._ordered(draft, draft.masked_by(self), MASK)
        masked.sort(key=lambda position: not _IS_TOOL[roles[position]])
        for position in reversed(masked):
            if draft.columns.tokens[position] - draft.cost(position) > draft.slack:
                return
            draft.unmask(position)

    def _candidates(self, draft: PlanDraft) -> list[int]:
        """Return the results that may be masked, in masking order; say why others may not."""
        protections, turns = draft.protections, draft.transcript.turns
        older, recent = self._results(draft)
        free = [each for each in self._ordered(draft, older, KEEP) if protections[each] == FREE]
        for position in recent:
            if draft.actions[position] == KEEP and protections[position] == FREE:
                draft.give_reason(position, Reason.KEEP_RECENT_RESULT)
        if not self.protect_tools:
            return free
        protected = {each for each in free if self._is_protected(turns[each])}
        for position in protected:
            draft.give_reason(position, Reason.KEEP_PROTECTED_TOOL)
        return [position for position in free if position not in protected]

    def _results(self, draft: PlanDraft) -> tuple[list[int], list[int]]:
        """Return the tool results, oldest first: the older ones, and the newest."""
        flags = draft.columns.roles.translate(_IS_TOOL)
        results = list(compress(range(len(flags)), flags))
        newest = max(0, len(results) - self.keep_recent_results)
        return results[:newest], results[newest:]

    def _ordered(self, draft: PlanDraft, results: Sequence[int], action: int) -> list[int]:
        """Return those with this action so far, in masking order."""
        ordered = [position for position in results if draft.actions[position] == action]
        if self.order == "largest":
            ordered.sort(key=draft.columns.tokens.__getitem__, reverse=True)
        return ordered

    def _is_protected(self, turn: TranscriptTurn) -> bool:
        return turn.metadata.get(TOOL_NAME) in self.protect_tools

    def _stand_ins(self, draft: PlanDraft) -> Iterator[tuple[int, str, int]]:
        """Yield the results that may be masked, each with its stub (contract M2).

        What stands in for a result already stays as it is, and costs what it costs.
        """
        turns, sizes, digests = draft.transcript.turns, draft.columns.tokens, draft.columns.digests
        label = self.placeholder
        for position in self._candidates(draft):
            metadata, size = turns[position].metadata, sizes[position]
            if metadata.get(KIND) == KIND_MASKED:
                yield position, "", size
                continue
            origin, digest = _origin(metadata), digests[position][:8].hex()
            yield position, f"{label} ({origin}, {size} tokens, sha256:{digest})", 0

    def _short_calls(self, draft: PlanDraft, tiny: set[int]) -> Iterator[tuple[int, str, int]]:
        """Yield the turns whose inputs may be masked, each with its words and short calls.

        What a turn costs besides its content, reasoning say, is no input and stays.
        """
        turns, sizes = draft.transcript.turns, draft.columns.tokens
        for position in self._ordered(draft, self._callers(draft, tiny), KEEP):
            turn = turns[position]
            short = short_inputs(turn.content, len(call_ids_of(turn.metadata)))
            if short is not None:
                beside = max(0, sizes[position] - self._count(turn.content))
                yield position, short.content, beside

    def _callers(self, draft: PlanDraft, tiny: set[int]) -> list[int]:
        """Return the turns that made calls of which every result is masked or tiny."""
        exchanges, actions = draft.columns.exchanges, draft.actions
        older, recent = self._results(draft)
        answered = {exchanges[each] for each in older}
        answered.difference_update(exchanges[each] for each in recent)
        answered.difference_update(
            exchanges[each] for each in older if actions[each] == KEEP and each not in tiny
        )
        return [
            position
            for position, role in enumerate(draft.columns.roles)
            if role == _ASSISTANT
            and exchanges[position] in answered
            and draft.protections[position] == FREE
        ]


def _origin(metadata: Mapping[str, str]) -> str:
    return _origin_of(own(metadata).pairs)


@lru_cache(maxsize=512)
def _origin_of(pairs: tuple[tuple[str, str], ...]) -> str:
    named = dict(pairs)
    outcome = "failed" if named.get(STATUS) == STATUS_ERROR else "ok"
    name = named.get(TOOL_NAME)
    return f"{_printable(name)}, {outcome}" if name else outcome


def _printable(name: str) -> str:
    if len(name) <= _LONGEST_NAME and name.isprintable():
        return name
    return "".join(filter(str.isprintable, name))[:_LONGEST_NAME]
