"""Reading sessions in the formats that people have, and writing them back (contract section 8)."""

from turnfold.formats._session import Damage, Pins, Session, repaired, repairs
from turnfold.formats.detect import FORMATS, detect, parse, render, to_bytes

__all__ = [
    "FORMATS",
    "Damage",
    "Pins",
    "Session",
    "detect",
    "parse",
    "render",
    "repaired",
    "repairs",
    "to_bytes",
]
