"""The chains that turnfold recommends."""

from typing import Literal

from turnfold.policies.chain import PolicyChain
from turnfold.policies.drop_oldest import DropOldestPolicy
from turnfold.policies.masking import ObservationMaskingPolicy
from turnfold.policies.summarizing import MINIMUM_TARGET, SummarizingPolicy
from turnfold.protocols import Estimator


def default_chain(
    *,
    prompt_id: str = "turnfold.summary/1",
    keep_recent_results: int = 2,
    mask_order: Literal["oldest", "largest"] = "oldest",
    mask_inputs: bool = False,
    target_ratio: float = 0.2,
    min_span_turns: int = 4,
    min_target_tokens: int = 1,
    estimator: Estimator | None = None,
) -> PolicyChain:
    """Return masking, then summarising until it fits, then dropping the oldest (contract H2).

    Masking is free and keeps the reasoning; a summary costs a model call and keeps the substance;
    dropping keeps nothing. The chain does not over-compact: where it changed anything and fits,
    putting back the last removed exchange or unmasking the last masked result would not.

    Args:
        prompt_id: The name of the prompt for summaries.
        keep_recent_results: See `ObservationMaskingPolicy`.
        mask_order: Its `order`.
        mask_inputs: See `ObservationMaskingPolicy`.
        target_ratio: See `SummarizingPolicy`.
        min_span_turns: See `SummarizingPolicy`.
        min_target_tokens: See `SummarizingPolicy`; extracts need about 64.
        estimator: What sizes the stubs.
    """
    return PolicyChain(
        (
            ObservationMaskingPolicy(
                keep_recent_results,
                order=mask_order,
                mask_inputs=mask_inputs,
                estimator=estimator,
            ),
            SummarizingPolicy(
                prompt_id,
                target_ratio,
                min_span_turns,
                extent="until_it_fits",
                min_target_tokens=min_target_tokens,
            ),
            DropOldestPolicy(),
        )
    )


def digest_chain(
    *,
    prompt_id: str = "turnfold.summary/1",
    target_ratio: float = 0.15,
    min_span_turns: int = 4,
    min_target_tokens: int = MINIMUM_TARGET,
) -> PolicyChain:
    """Return summarising until it fits, then dropping the oldest: for summaries that are extracts.

    A stub says that something was there; a line of it says what. Where the extractive fulfilment
    writes, folding first keeps more of what is used later than masking first does.

    Args:
        prompt_id: The name of the prompt for summaries.
        target_ratio: See `SummarizingPolicy`.
        min_span_turns: Its `min_span_turns`.
        min_target_tokens: Its `min_target_tokens`: an extract needs room for its header and marks.
    """
    return PolicyChain(
        (
            SummarizingPolicy(
                prompt_id,
                target_ratio,
                min_span_turns,
                extent="until_it_fits",
                min_target_tokens=min_target_tokens,
            ),
            DropOldestPolicy(),
        )
    )
