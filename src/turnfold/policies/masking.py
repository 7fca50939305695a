"""Masking tool results: a stub in the place of the text, the turn and its exchange stay."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import compress
from typing import Final, Literal

from turnfold._columns import FREE, ROLE_CODES
from turnfold._metadata import STATUS, STATUS_ERROR, TOOL_NAME, own
from turnfold.budget import CompactionBudget
from turnfold.decision import KEEP, MASK, Reason
from turnfold.errors import InvalidConfiguration
from turnfold.plan import CompactionPlan
from turnfold.policies._draft import PlanDraft
from turnfold.protocols import Estimator
from turnfold.tokens import counter_of, ratio_of
from turnfold.transcript import Transcript, TranscriptTurn

DEFAULT_PLACEHOLDER: Final = "[tool result removed to save space]"

_IS_TOOL: Final = bytes(code == ROLE_CODES["tool"] for code in range(256))
_LONGEST_NAME: Final = 80


class ObservationMaskingPolicy:
    """Replaces the content of old tool results by a stub, until the transcript fits (contract M1).

    The stub is the label, the tool's name and whether it failed, the original's size and the
    beginning of the SHA-256 of its complete content. It never holds an excerpt: a preview can
    hold a secret. The whole digest is in the ledger.

    What it will not do: touch any turn but TOOL turns, the newest `keep_recent_results` results,
    untouchable turns, or results of `protect_tools`; mask where the stub would not be smaller;
    mask more than the budget asks for.

    Reasons it gives: `mask: oldest_result`, `mask: largest_result`, `keep: recent_result`,
    `keep: protected_tool`, `keep: stub_not_smaller`.

    Args:
        keep_recent_results: How many of the newest results are never masked.
        placeholder: The label of the stub; not blank.
        order: `oldest` first, or `largest` first (ties by age).
        protect_tools: Names of tools whose results are never masked (`turnfold.tool_name`).
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
        """Mask results of a draft until it fits."""
        excess = draft.excess
        if not excess:
            return
        reason = Reason.MASK_OLDEST if self.order == "oldest" else Reason.MASK_LARGEST
        ratio = self._ratio
        count = self._count if ratio else cache(self._count)
        texts: dict[int, str] = {}
        sizes = []
        for position, size, text in self._stand_ins(draft):
            tokens = count(text)
            if tokens >= size:
                draft.give_reason(position, Reason.KEEP_NOT_SMALLER)
                continue
            texts[position] = text
            sizes.append(tokens)
            excess -= size - tokens
            if excess <= 0:
                break
        draft.mask_all(texts, sizes, reason, ratio=ratio, owner=self)

    def relax(self, draft: PlanDraft) -> None:
        """Unmask the latest masked results that the draft has room for by now."""
        for position in reversed(self._ordered(draft, draft.masked_by(self), MASK)):
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

    def _stand_ins(self, draft: PlanDraft) -> Iterator[tuple[int, int, str]]:
        """Yield the position, the size and the stub of each candidate (contract M2)."""
        turns, sizes, digests = draft.transcript.turns, draft.columns.tokens, draft.columns.digests
        label = self.placeholder
        for position in self._candidates(draft):
            origin = _origin(turns[position].metadata)
            size, digest = sizes[position], digests[position][:8].hex()
            yield position, size, f"{label} ({origin}, {size} tokens, sha256:{digest})"


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
