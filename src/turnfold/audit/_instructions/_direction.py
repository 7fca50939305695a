"""Whether a sentence gives a value as the one of before, whatever its words are.

What stands beside a value decides: `not 30 s`, `from 30 s`, `30 s was wrong`, `30 s -> 45 s`.
"""

import re
from functools import lru_cache
from typing import Final

_NEAR: Final = 60
"""So many characters on each side of a value are read."""

_DETERMINERS: Final = (
    r"(?:(?:the|a|an|our|my|your|its|port|version|value|address|being|at|on|as|with|using|of"
    r"|in|about"
    r"|for|old|plain|just|be|use|call|said) ){0,3}"
)
_ADJACENT: Final = (
    r"instead of|rather than|in (?:place|lieu) of|not|n['\u2019]t|was|were|had been|over"
    r"|previous(?:ly)?|former(?:ly)?|original(?:ly)?|initial(?:ly)?|earlier|prior|old|older|stale"
    r"|wrong|incorrect|outdated|obsolete|legacy|deprecated|mistaken|no longer|replac(?:es|ing|e)"
    r"|replacement (?:for|of)|supersed(?:es|ing|e)|forget|ignore|disregard|drop(?:ped|ping)?"
    r"|scrap"
    r"|retired?|revert(?:ed)?|undo|never|against|away from|off|first said|i said|used to"
    r"|moved on from|stop using|scratch|strike|unpin|swap|swapped|remove|give up|where i wrote"
    r"|i told you|told you|corrected|amended|overrides?|overriding|versus|vs\.?"
)
_STRONG: Final = (
    r"no longer|previously|formerly|originally|initially|used to|at first|first (?:said|asked"
    r"|gave)"
    r"|stop(?:ped)? using|instead of|rather than|in place of|forget|ignore|disregard|earlier"
    r"|(?:do|does|ca|wo|should|must)(?: not|n['\u2019]?t|nnot) (?:use|call|run|point|reach"
    r"|take|pick"
    r"|go|need|want|rely|hit|be|have)"
)
_STILL: Final = r"(?![ ,]{1,2}(?:to|now|but|rather|instead|it['\u2019]s|should)(?!\w))"
_PAST_BEFORE: Final = re.compile(
    rf"(?:(?<!\w)|(?=n['\u2019]))(?:(?:{_ADJACENT})[ `\"'*(\[]{{0,4}}{_DETERMINERS}"
    rf"|(?:{_STRONG})(?:{_STILL}[ ,]{{1,2}}[\w'\u2019/-]{{1,30}}){{0,7}} )[`\"'*(\[]{{0,4}}\Z"
    r"|(?:不是|并非|而不是|代替|取代|替换|原来(?:是|用)?|从|不用|不要用|别用"
    r"|之前(?:是|用)?)[ `\"']{0,3}\Z",
    re.IGNORECASE,
)
_BETWEEN: Final = (
    r"(?:(?:is|was|are|were|has|have|had|been|got|gets|turned|out|to|be|being|now|a|an|the"
    r"|just|my|far"
    r"|simply|plain|completely|already|which|that|user|seems|looks|really|since|long|should"
    r"|value|as"
    r"|one|default|number|version|your) ){0,5}"
)
_OVER: Final = (
    r"wrong|out[ -]of[ -]date|outdated|obsolete|stale|dead|gone|history|typo|mistaken?"
    r"|incorrect|void"
    r"|too (?:small|big|large|low|high|short|long|old|slow|much|little|few|many)|no longer"
    r"|off the table"
    r"|(?:not|n['\u2019]t) (?:be )?(?:enough|sufficient|used|right|it|valid|correct|what"
    r"|the one|good|ok)"
    r"|(?:wo|does)n['\u2019]t (?:do|work|fit|suffice|cut it)|(?:will|does) not (?:do|work|fit"
    r"|suffice)"
    r"|overkill|my (?:error|mistake|typo)|a (?:mistake|slip|typo|misread)"
    r"|must not|off|nonsense|out(?= (?:for|and|in favou?r))"
    r"|invalid|shut down|turned off|any ?more"
)
_ENDED: Final = (
    r"deprecated|removed|replaced|superseded|decommissioned|retired|moved|dropped|abandoned"
    r"|changed"
    r"|corrected|swapped|overridden|reverted|discarded|rejected"
)
_THEN: Final = (
    r"previously|originally|initially|formerly|earlier|old|before|at first|first|in the past"
)
_PAST_AFTER: Final = re.compile(
    r"[`\"'*)\]]{0,4}(?: ?(?:->|\u2192|=>|\u27a1)|[ ,]{0,2}(?:[(\u2013\u2014-] ?)?"
    rf"(?:{_BETWEEN}(?:{_OVER})(?!\w)|(?:{_THEN})(?=[.,;)]|\Z)"
    rf"|{_BETWEEN}(?<=\w )(?<!which )(?<!that )(?:{_ENDED})(?! (?:it |this |that )?from)(?!\w))"
    r"|(?: (?:to|into|with|by|in favou?r of|becomes?|became"
    r"|gave way to))(?= [`\"'*]{0,3}[\w$/.-]))"
    r"|[`\"' ]{0,3}(?:\u6539\u6210|\u6539\u4e3a|\u6362\u6210|\u6362\u4e3a"
    r"|\u5df2\u7ecf?(?:\u8fc7\u65f6|\u4f5c\u5e9f)|\u4e0d\u5bf9|\u9519\u4e86)",
    re.IGNORECASE,
)
_CHANGE: Final = re.compile(
    r"(?<!\w)(?:chang|switch|mov|bump|rais|lower|updat|upgrad|downgrad|renam|replac|correct"
    r"|migrat"
    r"|convert|swap|increas|decreas|reduc|adjust|went|go|goes|turn|revis|amend"
    r"|transition)\w{0,5}(?!\w)",
    re.IGNORECASE,
)
_FROM: Final = re.compile(rf"(?<!\w)from[ `\"'*(\[]{{1,4}}{_DETERMINERS}[`\"'*(\[]{{0,4}}\Z")
_LEADS: Final = re.compile(
    r"[ `\"'*(\[]{0,4}(?:(?:at|on|in|to|with|using|the|from|by) ){0,2}[`\"'*]{0,3}"
)
_NEGATES: Final = re.compile(r"(?<!\w)(?:no longer|not)\Z|n['\u2019]t\Z")
_TO: Final = re.compile(r"[`\"'*)\]]{0,4} (?:to|into|with|by|in favou?r of)(?!\w)", re.IGNORECASE)
_CUT: Final = re.compile(r"[;:!?\n]|\.(?=\s)|\s[-\u2013\u2014]\s|[\uff0c。\uff1b]")
_CLAUSE: Final = re.compile(
    r"[,;:!?()\n]|\.(?=\s)|\s[-\u2013\u2014]\s|\s(?:but|and|while|because)\s|[\uff0c\u3002\uff1b]"
)
_LONGEST_CLAUSE: Final = 160
_PLACED: Final = re.compile(
    r"(?<!\w)(?:to|into|now|becomes?|became|is|are|uses?|using)[ `\"'*(]{1,4}\Z", re.IGNORECASE
)
_EDGE: Final = re.compile(r"[\w./:@-]")


@lru_cache(maxsize=4_000)
def is_past(text: str, value: str, other: str = "") -> bool:
    """Whether a text gives a value as the one that held before, at each place where it stands.

    Args:
        text: A sentence.
        value: As it stands there.
        other: A value beside it; words that lead up to that one say nothing of the first.
    """
    sides = list(_sides(text, value))
    return bool(sides) and all(_is_past(*each, other.lower()) for each in sides)


def is_placed(text: str, value: str) -> bool:
    """Whether a text says that something is or became a value: `was switched to 30 s`."""
    return any(_PLACED.search(before) for before, _ in _sides(text, value))


def stands(text: str, value: str) -> bool:
    """Whether a value stands in a text, with a boundary on both sides."""
    return next(iter(_sides(text, value)), None) is not None


def clause_of(text: str, value: str) -> str:
    """Return the clause of a sentence in which a value stands; all of it where it does not."""
    at = text.lower().find(value.lower())
    if at < 0:
        return text
    before = _CLAUSE.split(text[max(0, at - _LONGEST_CLAUSE) : at])[-1]
    after = _CLAUSE.split(text[at + len(value) : at + _LONGEST_CLAUSE])[0]
    return before + text[at : at + len(value)] + after


def _sides(text: str, value: str) -> list[tuple[str, str]]:
    """Return what stands before and after a value within its clause, for each of its places."""
    low, sought = text.lower(), value.lower()
    found: list[tuple[str, str]] = []
    at = low.find(sought) if sought else -1
    while at >= 0 and len(found) <= 3:  # noqa: PLR2004  A value stands in a sentence once or twice.
        end = at + len(sought)
        if not (at and _EDGE.match(low[at - 1])) and not _continues(low, end):
            before, after = low[max(0, at - _NEAR) : at], low[end : end + _NEAR]
            before = _CUT.split(before)[-1]
            found.append((before, after))
        at = low.find(sought, end)
    return found


def _continues(text: str, end: int) -> bool:
    """Whether a name goes on where a value ends."""
    return bool(re.match(r"[\w/@-]|[.:]\w", text[end : end + 2])) and not text.startswith("->", end)


def _is_past(before: str, after: str, other: str) -> bool:
    if other and other in before:
        before = before[before.rindex(other) + len(other) :]
    if _PAST_BEFORE.search(before):
        return True
    if _FROM.search(before):
        return _CHANGE.search(before) is not None or _TO.match(after) is not None
    if _TO.match(after):
        return _CHANGE.search(before) is not None or "in fav" in after[:12]
    found = _PAST_AFTER.match(after)
    if found is None:
        return False
    if not _NEGATES.search(found[0]):
        return True
    rest = after[found.end() :]
    return not other or other not in rest or not _LEADS.fullmatch(rest[: rest.index(other)])
