"""Estimating tokens: the built-in character ratio, and whatever a caller brings."""

from turnfold.tokens._adapt import counter_of, ratio_of
from turnfold.tokens.char_ratio import CharRatioEstimator
from turnfold.tokens.message import MESSAGE_TOKENS, MessageEstimator

__all__ = ["MESSAGE_TOKENS", "CharRatioEstimator", "MessageEstimator", "counter_of", "ratio_of"]
