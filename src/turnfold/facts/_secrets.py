"""Credential-shaped strings: found and replaced, whatever they are; a match never aborts (F5).

Shapes, not knowledge: a placeholder that looks like a key is replaced as well, and a password that
is a plain word in a sentence is not found.
"""

import re
from collections.abc import Iterator
from typing import Final

SECRET: Final = "[secret]"  # noqa: S105  What stands in for one.

# A prefix that a vendor reserves says enough; what follows it is bounded below only, and nothing
# follows that, so that no pattern here goes back.
_KNOWN: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?:sk|pk|rk)[-_](?=[\w-]{0,40}\d)[A-Za-z0-9_-]{16,}"
    r"|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[\w-]{16,}"
    r"|(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}|xox[a-z]-[A-Za-z0-9-]{8,}|xapp-[A-Za-z0-9-]{8,}"
    r"|AIza[\w-]{30,}|ya29\.[\w-]{16,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{24,}|pypi-[\w-]{24,}"
    r"|dop_v1_[a-f0-9]{24,}|SG\.[\w-]{16,}\.[\w-]{16,}|shpat_[a-f0-9]{24,}|AC[a-f0-9]{32}"
    r"|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?)",
    re.ASCII,
)
# How each of these begins: a search for fixed strings is faster than one for the pattern.
_RESERVED: Final = (
    "sk- sk_ pk- pk_ rk- rk_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- AKIA ASIA AROA AIDA xox "
    "xapp- AIza ya29. hf_ npm_ pypi- dop_v1_ SG. shpat_ AC eyJ"
)
_BEGINNINGS: Final = tuple(_RESERVED.split())
_QUOTE: Final = r"(\\?[\"'`])?"
_SCHEME: Final = re.compile(r"[ :]{1,3}([\w+/=.~-]{12,})")
_USER: Final = re.compile(r"[^\s/:@\"'<>]{0,100}:([^\s/@\"'<>\[]{3,200})@")
_ASSIGNMENT: Final = re.compile(
    rf"(word|wd|phrase|code)?s?{_QUOTE}[ \t]{{0,4}}(?::=|=>|[:=\uff1a])[ \t]{{0,4}}{_QUOTE}"
    r"([^\s\"'`,;<>(){}\[\]\\]+)(.?)",
    re.IGNORECASE,
)
_STEMS: Final = ("pass", "pwd", "secret", "token", "credential", "cookie", "key")
_STEMS_ELSEWHERE: Final = ("密码", "口令", "密钥", "令牌")
_KEYS: Final = (
    *("api", "access", "secret", "private", "signing", "encryption", "account", "client", "auth"),
    *("deploy", "master"),
)
_LONGEST_KEY: Final = 12
_STRONG: Final = ("pass", "pwd", "密码", "口令", "密钥")
_CODE_WORDS: Final = (
    "any auto bool boolean bytes const default empty env false int invalid missing nil none null "
    "number optional redacted required self str string true undefined unset xxx"
)
_NO_VALUE: Final = frozenset(_CODE_WORDS.split())
_LONGEST_CODE_WORD: Final = max(map(len, _NO_VALUE))
_SCHEMES: Final = ("bearer", "basic")
_AUTHORITY: Final = "://"
_SOUGHT: Final = {
    **dict.fromkeys(_SCHEMES, _SCHEME),
    _AUTHORITY: _USER,
    **dict.fromkeys((*_STEMS, *_STEMS_ELSEWHERE), _ASSIGNMENT),
}
_LONGEST_STEM: Final = max(map(len, _SOUGHT))
_PIECE: Final = 1 << 16
_BEGIN: Final = "-----BEGIN "
_END: Final = "-----END "
_PEM_BODY: Final = re.compile(r"(?:[A-Za-z0-9+/=\s:,-]|\\[nr])*")
_PRIVATE: Final = re.compile(r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_ENDING: Final = re.compile(r"-----END [A-Z0-9 ]{0,60}-----")
_SHORTEST_WEAK: Final = 8
_SHORTEST: Final = 4
_DENSE: Final = 24
_LONGEST_PHRASE: Final = 200


def secrets(text: str) -> tuple[str, ...]:
    """Return the distinct credential-shaped strings of a text, by first occurrence."""
    return tuple(dict.fromkeys(text[start:end] for start, end in _spans(text)))


def redact(text: str) -> str:
    """Return the text with each credential-shaped string replaced by `[secret]`; linear.

    Example:
        >>> redact("export DB_PASSWORD=hunter2 # see docs")
        'export DB_PASSWORD=[secret] # see docs'
    """
    pieces = []
    at = 0
    for start, end in _spans(text):
        pieces.append(text[at:start])
        pieces.append(SECRET)
        at = end
    pieces.append(text[at:])
    return "".join(pieces) if at else text


def _spans(text: str) -> list[tuple[int, int]]:
    """Return where the secrets stand, in order, without overlaps."""
    found = sorted((*_pem(text), *_known(text)))
    merged: list[tuple[int, int]] = []
    for start, end in found:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _pem(text: str) -> Iterator[tuple[int, int]]:
    """Yield private key blocks, also those whose end is missing."""
    at = text.find(_BEGIN)
    while at >= 0:
        after = at + len(_BEGIN)
        if opening := _PRIVATE.match(text, after):
            body = _PEM_BODY.match(text, opening.end())
            after = body.end() if body else opening.end()
            dashes = text.rfind(_END, at, after + len(_END))
            closing = _ENDING.match(text, dashes) if dashes >= 0 else None
            after = closing.end() if closing else after
            yield at, after
        at = text.find(_BEGIN, after)


def _known(text: str) -> Iterator[tuple[int, int]]:
    yield from _reserved(text)
    for stem, at, found in _behind_stems(text):
        if stem in _SCHEMES:
            if _has_digit(found[1]):
                yield found.span(1)
        elif stem == _AUTHORITY:
            yield found.span(1)
        elif _is_value(stem, _lowered(text[max(0, at - _LONGEST_KEY) : at]), found):
            yield found.start(4), _end_of_value(stem, found)


def _reserved(text: str) -> Iterator[tuple[int, int]]:
    """Yield what begins as a vendor reserved it, the leftmost first, without overlaps."""
    end = 0
    for at in sorted(at for beginning in _BEGINNINGS for at in _places(text, beginning)):
        if at >= end and (found := _KNOWN.match(text, at)):
            end = found.end()
            yield found.span()


def _places(text: str, sought: str) -> Iterator[int]:
    at = text.find(sought)
    while at >= 0:
        yield at
        at = text.find(sought, at + 1)


def _end_of_value(stem: str, found: re.Match[str]) -> int:
    """Return where a value ends: that of a quoted password at its quote, spaces and all."""
    if found[3] and stem in _STRONG:
        start = found.start(4)
        line = found.string[start : start + _LONGEST_PHRASE].partition("\n")[0]
        closing = line.find(found[3][-1])
        if closing > 0:
            return start + len(line[:closing].rstrip("\\"))
    return found.end(4)


def _lowered(text: str) -> str:
    """Return the text in lower case, every character where it was."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(each if len(low := each.lower()) > 1 else low for each in text)


def _behind_stems(text: str) -> Iterator[tuple[str, int, re.Match[str]]]:
    """Yield each stem that its pattern matches behind, where it stands, and the match; linear.

    A search for a fixed string is far faster than a pattern of alternatives over the whole text.
    What is in lower case is a piece of the text at a time: Python needs twelve bytes a character
    to lower what is not ASCII.
    """
    ends = dict.fromkeys(_SOUGHT, 0)
    for start in range(0, len(text), _PIECE):
        piece = _lowered(text[start : start + _PIECE + _LONGEST_STEM])
        for stem, pattern in _SOUGHT.items():
            at = piece.find(stem, max(0, ends[stem] - start))
            while at >= 0:
                end = start + at + len(stem)
                if found := pattern.match(text, end):
                    yield stem, start + at, found
                    end = found.end()
                ends[stem] = end
                at = piece.find(stem, end - start)


def _is_value(stem: str, before: str, found: re.Match[str]) -> bool:
    """Whether what is assigned is a value rather than code that computes it."""
    suffix, _, quote, value, after = found.groups()
    if len(value) < _SHORTEST or value[0] in "$%*&/.":
        return False
    if len(value) <= _LONGEST_CODE_WORD and value.lower() in _NO_VALUE:
        return False
    if stem == "key" and not before.rstrip("_-").endswith(_KEYS):
        return not before[-1:].isalpha() and _is_dense(value)
    if stem == "pass" and not suffix and before[-1:].isalpha():
        return False
    mixed = _has_digit(value) and any(map(str.isalpha, value))
    if stem in _STRONG:
        plain = value.islower() and "." not in value and after not in ("(", "[")
        return bool(quote) or _has_digit(value) or plain
    return len(value) >= _SHORTEST_WEAK and mixed and (bool(quote) or "." not in value)


def _has_digit(value: str) -> bool:
    return any(map(str.isdigit, value))


def _is_dense(value: str) -> bool:
    """Whether a long token mixes letters of both cases and digits, as keys do and hashes do not."""
    return (
        len(value) >= _DENSE
        and _has_digit(value)
        and any(map(str.isupper, value))
        and any(map(str.islower, value))
    )
