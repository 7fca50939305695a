"""The policies: observation masking, summarising, drop-oldest, and the chain.

Each policy says what it does and what it will not do in its docstring. `PlanDraft` is what a
policy of your own works on.
"""

from turnfold.policies._default import default_chain, digest_chain
from turnfold.policies._draft import PlanDraft, Stub
from turnfold.policies.chain import PolicyChain
from turnfold.policies.drop_oldest import DropOldestPolicy
from turnfold.policies.masking import DEFAULT_PLACEHOLDER, ObservationMaskingPolicy
from turnfold.policies.summarizing import MINIMUM_TARGET, SummarizingPolicy

__all__ = [
    "DEFAULT_PLACEHOLDER",
    "MINIMUM_TARGET",
    "DropOldestPolicy",
    "ObservationMaskingPolicy",
    "PlanDraft",
    "PolicyChain",
    "Stub",
    "SummarizingPolicy",
    "default_chain",
    "digest_chain",
]
