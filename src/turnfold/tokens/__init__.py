"""Estimating tokens: by a ratio, by what a text is made of, or as a caller does."""

from turnfold.tokens._adapt import counter_of, ratio_of
from turnfold.tokens.char_ratio import CharRatioEstimator
from turnfold.tokens.message import MESSAGE_TOKENS, MessageEstimator, text_tokens
from turnfold.tokens.script import ScriptEstimator

__all__ = [
    "MESSAGE_TOKENS",
    "CharRatioEstimator",
    "MessageEstimator",
    "ScriptEstimator",
    "counter_of",
    "ratio_of",
    "text_tokens",
]
