"""How a number limits: at most, at least, less, more, exactly; in English and Chinese."""

import re
from enum import StrEnum
from typing import Final

_NUMBER: Final = (
    r"(?=[ `*~]{0,4}(?:a |an |the |about |around |roughly )?[$\u20ac]?\d|[ `*]{0,4}(?:zero|one"
    r"|two"
    r"|three|four|five|six|seven|eight|nine|ten|twelve|[a-z]{1,12}ty|hundred|half|a (?:second"
    r"|minute|hour|day|week))\b)"
)
_FIGURE: Final = (
    r"(?:[$\u20ac]?\d[\w.,]{0,12}%?|one|two|three|four|five|six|seven|eight|nine|ten|[a-z]{1,12}ty)"
)
_OF_THING: Final = (
    r"(?: (?:for|of|on|in|per|by|here|there|now|currently|still|stays?|remains?|must|should|shall"
    r"|will|value|size|time|set)(?: [\w`./-]{1,40}){0,4}?)?"
)
"""What a limit is of; another noun makes it the name of a thing, as in `the quota job`."""

_GAP: Final = r"(?: [a-z%-]{1,15}){0,4}?"


class Comparator(StrEnum):
    """How a number limits."""

    AT_LEAST = "at_least"
    AT_MOST = "at_most"
    LESS = "less"
    MORE = "more"
    EXACTLY = "exactly"


UPPER: Final = frozenset({Comparator.AT_MOST, Comparator.LESS})
LOWER: Final = frozenset({Comparator.AT_LEAST, Comparator.MORE})

_NOT: Final = (
    r"(?:(?:must|may|should|shall|can|could|do|does|will|is|are|ever)(?: ?n['\u2019]t| not|not)"
    r"|cannot|never|not|nor|n['\u2019]t)(?: ever| to| be| have to)?"
)
_TOO_MUCH: Final = (
    r"(?:more|newer|greater|longer|later|higher|larger|bigger|slower|wider|deeper|heavier"
    r"|costlier)"
)
_TOO_LITTLE: Final = (
    r"(?:less|fewer|lower|shorter|smaller|earlier|sooner|faster|younger|lighter|older|narrower)"
)
_REFUSED: Final = (
    r"(?: (?!(?:until|till|unless|when|while|if|as|because|since|once|before|after|but)(?!\w))"
    r"[\w%'\u2019`./-]{1,40}){0,9}? (?:(?:is|are|gets?|(?:will|must|should|is to|are to|has to"
    r"|have to) be) (?:too|not"
    r"|unacceptable|rejected|refused|forbidden|banned|off|out|a no|wrong|over|a failure|a bug"
    r"|a regression|blocked|considered|never)|fails|won['\u2019]t"
    r"|(?:must|may|should|can|shall|do|does|will)(?: not|n['\u2019]t)|cannot|never|breaks?"
    r"|violates?|blocks?|stops?|aborts?|halts?|kills?"
    r"|(?:is|are|be|counts? as|would be|means|remains?|stays?)(?: (?:an?|the|considered|seen as"
    r"|treated as|strictly|simply))*? (?:disallowed|prohibited|unwanted|intolerable|excessive"
    r"|failures?|bugs?|violations?|problems?|defects?|blockers?|no[- ]go|deal[- ]?breaker"
    r"|ruled out"
    r"|off[- ]limits|out|declined|denied|refused|rejected|inadmissible|impermissible))"
)
_TOP: Final = r"(?:ceiling|cap|maximum|max|upper (?:limit|bound)|limit|budget|most|quota|deadline)"
_BOTTOM: Final = r"(?:floor|minimum|min|lower (?:limit|bound)|least)"

_ALONE: Final = (
    r"(?=[.,;:!)]|\Z| (?:for|of|on|in|per|and|but|until|till|unless|when|while|during|at|by|with"
    r"|here|now|as|within|except|after|before|that|to|from)(?!\w))"
)
"""What stands behind a limit; another noun makes it the name of a thing."""

_AT_MOST: Final = (
    rf"(?<!\w)(?:no {_TOO_MUCH} than(?: the (?:last|first|next|top))?|not (?:more|over|above"
    rf"|past|beyond)(?: than)?"
    r"|at (?:the )?(?:very )?most(?: the (?:last|first|next|top))?|up to|a? ?max(?:imum)?(?: of"
    r"| is| at|:)?|max\."
    r"|(?:cap(?:s|ped)?|top(?:s|ped)?|max(?:es|ed)?)(?: out)? (?:of|at)"
    r"|limit(?:ed|s)?(?: \w{1,12}){0,3}? (?:is|of|to|at)"
    r"|(?:cap|limit|restrict|clamp|throttle|confine)(?:p?ed|d|s)?(?: \S{1,40}){1,6}? (?:at|to)"
    r"|upper (?:limit|bound)(?: of| is|:)?"
    rf"|(?:ceiling|cap|budget|quota|deadline|maximum|limit){_OF_THING}(?: (?:of|is|at|to)|:)"
    r"|within"
    r"|inside(?: of)?|fits? (?:in|into)|by no more than|at or (?:under|below)"
    r"|(?:be|is|are) (?:over|done|finished|through|complete|ready) in"
    r"|(?:stops?|halts?|ends?|cut off|cuts off|maxes out|tops out) at"
    r"|(?:keep|bring|get|cut|trim|hold)(?: [^\s,;]{1,40}){0,6}? down to"
    rf"|{_NOT} (?:pass|cross|top|overshoot|overrun|outlast))"
    + _NUMBER
    + rf"|{_NOT} (?:exceed|surpass|(?:go|grow|get|rise|run|take|last|climb|reach)"
    r" (?:over|above|beyond|past|longer|more))"
    rf"|{_NOT} (?:[\w`./-]{{1,40}} ){{0,6}}(?:exceeds?|(?:over|above|beyond|past|{_TOO_MUCH} than)"
    rf"{_NUMBER})"
    rf"|(?<!\w)(?:reject|refus|block|den(?:y|ie)|forbid|disallow|ban|abort|kill|fail|drop|discard"
    rf"|exclud)\w{{0,3}} "
    rf"(?:[\w-]{{1,15}} ){{0,4}}?(?:over|above|beyond|past|exceeding|{_TOO_MUCH} than){_NUMBER}"
    r"|not (?:a|one|another) (?:(?:single )?\w{1,12} )?(?:more|longer|over|later)(?!\w)"
    rf"|(?<!\w)no (?:[\w-]{{1,20}} ){{1,3}}?(?:reach|hit|pass|top|cross)(?:es|s)?{_NUMBER}"
    rf"|(?<!\w){_FIGURE},? or older(?!\w)"
    rf"|, (?:and |but )?(?:not|no) {_TOO_MUCH}(?! than)(?!\w)"
    rf"|(?<!\w){_FIGURE}{_GAP} (?:and|but) (?:not|no) {_TOO_MUCH}(?! than)(?!\w)"
    rf"|(?<!\w){_FIGURE}{_GAP} and (?:under|below|down|less|fewer)(?!\w)"
    rf"|(?<!\w){_FIGURE}[^.;\d]{{1,30}},? (?:and )?that['\u2019]s (?:it"
    rf"|all)"
    r"|(?<!\w)at (?:a maximum|the outside|the latest)(?!\w)|at least (?:once )?every"
    rf"|(?<!\w)(?:nothing|none) (?:[\w-]{{1,20}} ){{0,3}}(?:over|above|beyond|past"
    rf"|{_TOO_MUCH} than)"
    rf" {_FIGURE}"
    rf"|(?<!\w)no (?:[\w-]{{1,20}} ){{1,3}}(?:over|above|beyond|past|{_TOO_MUCH} than) {_FIGURE}"
    rf"|(?<!\w){_FIGURE}[^.;\d]{{1,30}} (?:that|this|which)(?: is"
    rf"|['\u2019]s) (?:\w{{1,12}} ){{0,2}}?{_TOP}{_ALONE}"
    rf"|(?<!\w)(?:anything|whatever|everything)(?: \w{{1,15}}){{0,3}}? (?:over|above|beyond|past"
    rf"|{_TOO_MUCH} than) {_FIGURE}{_REFUSED}"
    rf"|(?<!\w)(?:over|above|beyond|past|exceed\w{{0,3}}|going over|{_TOO_MUCH} than) {_FIGURE}"
    rf"{_REFUSED}"
    rf"|(?<!\w){_FIGURE}{_GAP},? (?:or (?:less(?! often| freq)|fewer|lower|below|under|shorter"
    rf"|smaller|faster"
    r"|more often|more frequently"
    r"|earlier|sooner)"
    rf"|(?:at )?(?:the )?(?:max|most|tops)\b|maximum|ceiling|cap\b"
    rf"|(?:is|are|as|being)(?: [\w-]{{1,12}}){{0,3}}? {_TOP}{_ALONE}"
    r"|(?:and )?(?:not? (?:a|one) \w{1,12} (?:more|longer|over)|no more))"
    r"|<=|\u2264|\u4e0d(?:\u80fd|\u5f97|\u53ef|\u8981)?(?:\u8d85\u8fc7|\u591a\u4e8e"
    r"|\u5927\u4e8e|\u9ad8\u4e8e)|\u81f3\u591a|\u6700\u591a|\u4ee5\u5185"
    r"|\u4e0a\u9650|\u6700\u5927"
)
_AT_LEAST: Final = (
    rf"(?<!\w)(?:no {_TOO_LITTLE} than|not (?:less|fewer|under|below)(?: than)?"
    r"|at (?:the )?(?:very )?least|a? ?min(?:imum)?(?: of| is| at|:)?|min\."
    r"|lower (?:limit|bound)(?: of| is|:)?|"
    rf"(?:floor|minimum){_OF_THING}(?: (?:of|is|at)|:)"
    r"|at or (?:over|above)"
    r"|(?:must|should|ha(?:s|ve) to|needs? to|(?:is|are) to) (?:reach|hit|attain|meet|clear))"
    + _NUMBER
    + rf"|(?<!\w){_FIGURE}{_GAP} (?:and|but) (?:not|no) {_TOO_LITTLE}(?! than)(?!\w)"
    rf"|(?<!\w){_FIGURE}{_GAP} and (?:up|upwards?|above|over|higher|more)(?=[.,;:)]|\Z| (?:for|on"
    rf"|in))"
    rf"|(?<!\w)(?:nothing|none) (?:[\w-]{{1,20}} ){{0,3}}(?:under|below|{_TOO_LITTLE} than)"
    rf" {_FIGURE}"
    rf"|{_NOT} (?:fall|go|drop|dip|sink|get|run|shrink|come) (?:below|under|short of|less|lower)"
    rf"|{_NOT} (?:[\w`./-]{{1,40}} ){{0,6}}(?:below|under|{_TOO_LITTLE} than|short of){_NUMBER}"
    rf"|(?<!\w)(?:reject|refus|block|den(?:y|ie)|forbid|disallow|ban|abort|kill|fail|drop|discard"
    rf"|exclud)\w{{0,3}} "
    rf"(?:[\w-]{{1,15}} ){{0,4}}?(?:under|below|{_TOO_LITTLE} than|short of){_NUMBER}"
    r"|(?<!\w)at (?:a minimum|the earliest)(?!\w)"
    r"|(?<!\w)at (?:the )?(?:very )?least [a-z][\w.]{1,15} v?(?=\d)"
    rf"|, (?:and |but )?(?:not|no) {_TOO_LITTLE}(?! than)(?!\w)"
    rf"|(?<!\w)no (?:[\w-]{{1,20}} ){{1,3}}(?:under|below|{_TOO_LITTLE} than) {_FIGURE}"
    r"|not (?:a|one) (?:single )?\w{1,12} (?:less|shorter|under|earlier|fewer)(?!\w)"
    rf"|(?<!\w){_FIGURE}[^.;\d]{{1,30}} (?:that|this|which)(?: is"
    rf"|['\u2019]s) (?:\w{{1,12}} ){{0,2}}?{_BOTTOM}{_ALONE}"
    rf"|(?<!\w)(?:anything|whatever|everything)(?: \w{{1,15}}){{0,3}}? (?:under|below"
    rf"|{_TOO_LITTLE} than) {_FIGURE}{_REFUSED}"
    rf"|(?<!\w)(?:under|below|{_TOO_LITTLE} than) {_FIGURE}{_REFUSED}"
    rf"|(?<!\w){_FIGURE}(?:\+(?!\w)|{_GAP},? (?:or (?:more(?! often| freq)|newer|greater|higher"
    rf"|above"
    rf"|over|longer|better"
    r"|bigger|larger|later)"
    rf"|(?:at )?(?:the )?(?:min|least)\b|minimum|floor"
    rf"|(?:is|are|as|being)(?: [\w-]{{1,12}}){{0,3}}? {_BOTTOM}{_ALONE}))"
    r"|>=|\u2265|\u4e0d(?:\u80fd|\u5f97|\u53ef|\u8981)?(?:\u5c11\u4e8e|\u4f4e\u4e8e"
    r"|\u5c0f\u4e8e)|\u81f3\u5c11|\u6700\u5c11|\u4ee5\u4e0a|\u4e0b\u9650"
    r"|\u6700\u5c0f"
)
COMPARATORS: Final = (
    (Comparator.AT_MOST, re.compile(_AT_MOST)),
    (Comparator.AT_LEAST, re.compile(_AT_LEAST)),
    (
        Comparator.LESS,
        re.compile(
            rf"(?<!\w){_TOO_LITTLE} than{_NUMBER}|(?<!\w)(?:under|below|short of|south of"
            rf"|inside){_NUMBER}"
            r"|<(?= ?\d)|\u5c11\u4e8e|\u4f4e\u4e8e|\u5c0f\u4e8e|\u4ee5\u4e0b"
        ),
    ),
    (
        Comparator.MORE,
        re.compile(
            rf"(?<!\w){_TOO_MUCH} than{_NUMBER}"
            rf"|(?<!\w)(?:over|above|exceeds?|exceeding|beyond|past|north of|upwards? of|in"
            rf" excess of){_NUMBER}|(?<!-)>(?= ?\d)"
            r"|\u8d85\u8fc7|\u591a\u4e8e|\u5927\u4e8e|\u9ad8\u4e8e"
        ),
    ),
    (
        Comparator.EXACTLY,
        re.compile(rf"(?<!\w)(?:exactly|precisely){_NUMBER}|\u6070\u597d|\u6b63\u597d"),
    ),
)
_MAY_LIMIT: Final = re.compile(
    r"\d|(?<!\w)(?:two|three|four|five|six|seven|eight|nine|ten|one|zero|half|hundred|twelve|than"
    r"|exceed|exceeds|exceeding|excess|upwards?|north|south|surpass|over|above|beyond|past|below"
    r"|under|short|more"
    r"|less|an? (?:second"
    r"|minute|hour|day|week)|[a-z]{1,12}ty|maximum|minimum|least|latest|earliest|outside)(?!\w)"
    r"|[<>\u2264\u2265\u8d85\u4e8e\u81f3\u6700\u4ee5\u4e0a\u4e0b\u6070\u6b63]"
)
FIRM: Final = frozenset({Comparator.AT_LEAST, Comparator.AT_MOST})
LIMITED: Final = re.compile(
    r"(?<!\w)(?:ceilings?|floors?|caps?|capped|budgets?|quotas?|deadlines?|limits?|limited"
    r"|maximum|max|minimum|min|tops|bounds?|or (?:less|fewer|more|lower|higher|under|over|longer"
    r"|shorter|better)|(?:cannot|can['\u2019]?t) (?:ever )?(?:take|use|have|be|exceed|last|run"
    r"|hold|need"
    r"|cost|spend|consume|grow|go)|no (?:more|less|fewer|longer|later|sooner|greater|higher|lower"
    r"|slower"
    r"|bigger|larger)|not? (?:a|one) \w{1,12} (?:more|longer|over)|at (?:the )?(?:very )?(?:most"
    r"|least)|at (?:the (?:latest|earliest|outside)|a (?:maximum|minimum))|(?:block|stop|abort"
    r"|halt)s?|exceed(?:s|ing)?|fits? in|unacceptable|too (?:slow|long|much|many|big|large|old)"
    r"|(?:is|are) (?:out|off|a no)"
    r"|(?:have|has|need|needs|is|are|want|wants|got) to|needs?|must|should|shall|keep|stay|stays"
    r"|remain|remains|never|not|gets?|let)(?!\w)"
    r"|(?:^|[,;:] )(?:please |also )?(?:reject|refuse|block|drop|discard|exclude|kill|abort)"
    r" (?:any|all|every|each|\w{3,20}s)(?!\w)"
    "|至少|至多|最多|不超过|不少于|以内|上限|下限"
)
"""What tells a limit from a measurement, beside a comparator."""


KEPT_WITHIN: Final = re.compile(
    r"(?<!\w)(?:must|should|shall|keep|stay|stays|remain|remains|never|(?:has|have|need|needs) to"
    r"|(?:is|are) to|not|limit|set|allow|retry|only|or (?:we|it|else)|come in)(?!\w)"
    r"|不能|不得|以内|以下|以上"
)
"""What tells a limit from a comparison that reports, as with `under 2 s`."""


_ENDS: Final = re.compile(
    r"(?<!\w)(?:stops?|ends?|expires?|finish(?:es)?|times? out|aborts?|gives? up|be (?:killed"
    r"|stopped"
    r"|aborted|closed|cancelled|dropped|deleted|purged)|closes?)(?: \w{2,15}ing)? after(?= ~?\d)"
)


def implied_by(low: str) -> frozenset[Comparator]:
    """Return how a text in lower case limits without a word for it: what stops after 5 minutes."""
    return frozenset({Comparator.AT_MOST}) if _ENDS.search(low) else frozenset()


def comparators_of(low: str) -> frozenset[Comparator]:
    """Return the comparators of a text in lower case."""
    return without_comparators(low)[0]


_RAISED: Final = re.compile(
    r"(?<!\w)((?:bump|rais|increas|mov|go|scal|crank|turn|push|upgrad|updat|lift)\w{0,4}"
    r" (?:\S{1,40} ){0,6}?)up (?=to(?!\w))"
)
"""What goes up to a number is no limit: `bump the pool up to 20`."""


_TIME: Final = (
    r"(?= (?:\d[\w.,]{0,8}|one|two|three|four|five|six|seven|ten|an?|[a-z]{1,12}ty) ?"
    r"(?:s|secs?|seconds?|mins?|minutes?|h|hours?|days?|weeks?|months?|years?)(?!\w))"
)
_OLDER: Final = re.compile(rf"(?<!\w)older than{_TIME}")
_YOUNGER: Final = re.compile(rf"(?<!\w)(?:younger|newer|fresher) than{_TIME}")
"""Of an age; of a version, what is older is less."""


def without_comparators(low: str) -> tuple[frozenset[Comparator], str]:
    """Return the comparators of a text in lower case, and the text without them."""
    found = set()
    if "up to" in low:
        low = _RAISED.sub(r"\1", low)
    if "er than" in low:
        low = _OLDER.sub("more than", _YOUNGER.sub("less than", low))
    if _MAY_LIMIT.search(low):
        for name, pattern in COMPARATORS:
            if pattern.search(low):
                found.add(name)
                low = pattern.sub(" # ", low)
    return frozenset(found), low


def opposite(first: frozenset[Comparator], second: frozenset[Comparator]) -> bool:
    """Whether two limits point in opposite directions."""
    upper = bool(first & UPPER) and not first & LOWER
    lower = bool(first & LOWER) and not first & UPPER
    return (upper and bool(second & LOWER) and not second & UPPER) or (
        lower and bool(second & UPPER) and not second & LOWER
    )
