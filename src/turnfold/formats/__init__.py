"""Reading sessions in the formats that people have, and writing them back (contract section 8)."""

from turnfold.formats._alternation import Alternation
from turnfold.formats._faults import Fault
from turnfold.formats._reasoning import Reasoning
from turnfold.formats._registry import FORMATS
from turnfold.formats._session import Damage, Pins, Session, Usage, repaired, repairs
from turnfold.formats.convert import Converted, Loss, convert
from turnfold.formats.detect import check, detect, parse, render, to_bytes

__all__ = [
    "FORMATS",
    "Alternation",
    "Converted",
    "Damage",
    "Fault",
    "Loss",
    "Pins",
    "Reasoning",
    "Session",
    "Usage",
    "check",
    "convert",
    "detect",
    "parse",
    "render",
    "repaired",
    "repairs",
    "to_bytes",
]
