"""Whether a text is in a language that rules are known for."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

_SAMPLE: Final = 20_000
_OF_EACH: Final = 2_000
_CLEARLY: Final = 1.5
_LEAST_KNOWN: Final = 3
_SHARE: Final = 0.3
_SCRIPTS: Final = (
    ("Cyrillic", re.compile("[\u0400-\u052f]")),
    ("Arabic", re.compile("[\u0600-\u06ff\u0750-\u077f]")),
    ("Hebrew", re.compile("[\u0590-\u05ff]")),
    ("Greek", re.compile("[\u0370-\u03ff]")),
    ("Devanagari", re.compile("[\u0900-\u097f]")),
    ("Thai", re.compile("[\u0e00-\u0e7f]")),
    ("Japanese", re.compile("[\u3040-\u30ff]")),
    ("Korean", re.compile("[\uac00-\ud7af\u1100-\u11ff]")),
)
_HAN: Final = re.compile("[\u3400-\u9fff]")
_HARDLY: Final = 0.05
_LETTER: Final = re.compile(r"[^\W\d_]")
_WORD: Final = re.compile(r"[^\W\d_]+")
_FREQUENT: Final = {
    "English": "the and of to in is that it for on with this not be are you we have do can if "
    "but my please",
    "German": "der die das und ist nicht ein eine mit auf f\u00fcr den dem von zu wir ich "
    "sie auch wenn bitte kein keine muss immer niemals",
    "French": "le la les des et est pas une un dans pour que qui sur avec nous vous ne du au "
    "jamais toujours doit sans",
    "Spanish": "el la los las de y que en es no un una para por con del se nunca siempre debe "
    "sin pero como",
    "Portuguese": "o os as de e que em n\u00e3o um uma para por com do da se nunca sempre deve "
    "sem mas",
    "Italian": "il lo la gli di e che in non un una per con del si mai sempre deve senza ma sono",
    "Dutch": "de het een en van is niet dat op voor met zijn wij je maar ook nooit altijd "
    "moet zonder",
}
_WORDS: Final = {name: frozenset(listed.split()) for name, listed in _FREQUENT.items()}


def unknown_languages(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the languages or scripts that texts are mostly in and that no rules are known for."""
    found: dict[str, None] = {}
    latin: list[str] = []
    room = _SAMPLE
    for text in texts:
        sample = text[:_SAMPLE]
        if not sample.isascii() and (script := _script(sample)):
            found[script] = None
        elif room > 0:
            latin.append(sample[: min(room, _OF_EACH)])
            room -= len(latin[-1])
    if other := _latin(" ".join(latin)):
        found[other] = None
    return tuple(found)


def is_foreign(text: str, other: str) -> bool:
    """Whether one of two texts is in Han characters and the other is hardly."""
    shares = [_share_of_han(each[:_SAMPLE]) for each in (text, other)]
    return max(shares) >= _SHARE > _HARDLY >= min(shares)


def _share_of_han(text: str) -> float:
    han = 0 if text.isascii() else len(_HAN.findall(text))
    return han / max(len(_WORD.findall(text)) + han, 1)


def _script(sample: str) -> str | None:
    letters = len(_LETTER.findall(sample))
    for name, pattern in _SCRIPTS:
        found = len(pattern.findall(sample))
        if found >= _SHARE * letters and found > 1:
            return name
    return None


def _latin(sample: str) -> str | None:
    counts = Counter(each.lower() for each in _WORD.findall(sample))
    scores = {name: sum(counts[word] for word in listed) for name, listed in _WORDS.items()}
    best = max(scores, key=lambda name: (scores[name], name == "English"))
    is_other = best != "English" and scores[best] > _CLEARLY * scores["English"]
    known = len({word for word in _WORDS[best] if counts[word]})
    return best if is_other and known >= _LEAST_KNOWN else None
