"""How users word a correction, and how a summary words what was before it."""

import re
from typing import Final, NamedTuple

from turnfold.audit._terms import STOP_WORDS, terms

_UNIT: Final = (
    r"(?: ?(?:ms|s|sec|secs|seconds?|min|mins|minutes?|h|hours?|days?|weeks?"
    r"|[KMGTkmgt]i?[Bb]|bytes|%|percent|px|tokens|lines)(?!\w))?"
)
_VALUE: Final = (
    rf"(?:`[^`\n]{{1,80}}`|\"[^\"\n]{{1,60}}\""
    rf"|(?:[$~/.@]|#(?=\d))?[A-Za-z0-9](?:[\w./:@%+#-]{{0,80}}[\w%+#])?{_UNIT})"
)
_THE: Final = r"(?:the |a |an |our |using |to |on |with |in )?"


class Pattern(NamedTuple):
    """How a correction is worded; an edit asks for a change and need not correct anything."""

    regex: re.Pattern[str]
    is_edit: bool
    must_be_names: bool


def _pattern(regex: str, *, is_edit: bool = False, must_be_names: bool = False) -> Pattern:
    made = regex.replace("<X>", f"(?P<new>{_VALUE})").replace("<Y>", f"(?P<old>{_VALUE})")
    return Pattern(re.compile(made.replace("<the>", _THE), re.IGNORECASE), is_edit, must_be_names)


_USE: Final = (
    r"(?<!\w)(?:use|using|with|it['\u2019]s|its|is|be|pick|choose|want|need|prefer"
    r"|to|at|on|in|by|via|try|put|run|call|take|set)"
)
_EDIT: Final = (
    r"(?<!\w)(?:change|switch|rename|update|bump|move|migrate|convert|correct"
    r"|replace|swap|upgrade|downgrade|raise|lower|increase|decrease|reduce)d?"
)
_COUNT: Final = r"\d{1,9}"
_WANTED: Final = (
    r"(?:\A\W{0,3}(?:no,? )?|(?<!\w)(?:need|want|use|set|it['\u2019]s|be|make it|no,|with|only"
    r"|allow|keep|try) (?:exactly |only )?)"
)
"""Before a count that is asked for, where another word reports one: `it printed 3 rows, not 5`."""

PATTERNS: Final = (
    _pattern(rf"{_USE} <the><X>,? (?:instead of|rather than|in place of|in lieu of) <the><Y>"),
    _pattern(
        r"(?<![\w`])<X>,? (?:instead of|rather than|in place of) <the><Y>", must_be_names=True
    ),
    _pattern(
        r"(?:instead of|rather than) <the><Y>,? (?:please |we |you |you should |we "
        r"should |let['\u2019]s )?(?:use|go with|pick|take|choose|want) <the><X>"
    ),
    _pattern(rf"{_USE} <the><X>(?: here| now)?,? (?:and )?not <the><Y>"),
    _pattern(rf"{_USE} the <X> [a-z]{{3,15}},? (?:and )?not the <Y>"),
    _pattern(r"<X> ?[\u4e00-\u9fff]{0,2} ?[\uff0c,] ?(?:而)?不是 ?<Y>", must_be_names=True),
    _pattern(r"(?<![\w`])<X>,? (?:please,? )?(?:and )?not <the><Y>", must_be_names=True),
    _pattern(
        rf"{_WANTED}(?P<new>{_COUNT}) [a-z]{{3,15}}(?: [a-z]{{3,15}})?,? (?:and )?not "
        rf"(?P<old>{_COUNT})(?![\w%]|[.,]\d)",
        must_be_names=True,
    ),
    _pattern(
        r"(?<!\w)not <the><Y>,? (?:but|but rather|rather|it['\u2019]s|it is|use|should "
        r"be|make it) <the><X>"
    ),
    _pattern(
        r"(?:do not|don['\u2019]?t|never|stop) (?P<verb>[a-z]{2,15})(?:[ a-z`/_-]{0,40}?"
        r" (?P<how>at|in|into|to|on|with|via|through|from|by|under"
        r"|as))? <Y>[,;.\u2014-]{1,2} ?(?:but |please"
        r" |instead,? |rather |just )?(?:(?P=verb)|use)(?: (?:it|them|that|this"
        r"|those))?(?: (?P=how))? <X>",
        must_be_names=True,
    ),
    _pattern(r"(?<!\w)not <the><Y>, <the><X>(?=\s*(?:[.!](?!\w)|\Z))", must_be_names=True),
    _pattern(
        rf"{_EDIT}(?!\w)[^.,;\n]{{0,60}}? from <the><Y> (?:to|into) <the><X>",
        is_edit=True,
        must_be_names=True,
    ),
    _pattern(
        rf"{_EDIT} <the><Y> (?:to|into|with|by|for) <the><X>", is_edit=True, must_be_names=True
    ),
    _pattern(r"(?:不是|并非) ?<Y> ?[\uff0c,]? ?(?:而)?(?:是|用) ?<X>"),
    _pattern(
        r"(?:把|将) ?[\u4e00-\u9fff]{0,8}? ?(?:从)? ?<Y> ?(?:改成|改为|换成|换为|替换为"
        r"|替换成|改到) ?<X>"
    ),
    _pattern(r"从 ?<Y> ?(?:改成|改为|换成|换到|改到|升级到|切换到) ?<X>"),
    _pattern(
        r"(?:用|使用|是) ?<X> ?(?:来)?(?:代替|替换|取代|替代|而不是|而非|[\uff0c,] "
        r"?(?:不要用|不用|别用|不是)) ?<Y>"
    ),
    _pattern(r"(?:不要|别|不)用 ?<Y> ?[\uff0c,] ?(?:请|要)?(?:改)?用 ?<X>"),
)
ALONE: Final = (
    _pattern(
        r"(?:^|[.,;!\u2014-] ?)(?:no|nope|wrong|actually|correction|sorry|wait|oops|i "
        r"said|i meant|as i said|that['\u2019]s wrong|not quite|incorrect),? (?:please "
        r"|actually |i said |i meant |that |to )?"
        r"(?:use|it['\u2019]s|it is|it should be|should be|the \w{1,20} (?:is|should "
        r"be)|make it|set it to|go with|we use|we['\u2019]re using|put it in|we want to "
        r"put it in|(?:call|name) it|rename it to) <the><X>",
        must_be_names=True,
    ),
    _pattern(
        r"(?:^|[.,;!] ?)(?:i said|i meant) <the><X>(?: [a-z]{3,15})?(?=\s*(?:[.!,](?!\w)|\Z))",
        must_be_names=True,
    ),
    _pattern(
        r"(?:^|[.,;!\u2014-] ?)wrong (?:branch|service|ticket|issue|image|package|repo|repository"
        r"|cluster|namespace|module|database|project|bucket|queue|topic|region|profile)"
        r"[,;:.!\u2014-]{1,2} ?(?:use|it['\u2019]s|it is|it should be|should be|take) <the><X>"
    ),
    _pattern(
        r"(?:改成|改为|应该是|应为|换成|改用|我说的是|其实是|实际是) ?<X>", must_be_names=True
    ),
)
ASSIGNED: Final = re.compile(
    rf"(?P<key>(?:[A-Za-z][\w-]{{1,30}} ){{1,4}}?)(?:is|are|=|should be|must be|will "
    r"be|is now|is set to|has to be|to be) (?:now |at |set to |actually |really "
    rf")?(?P<new>{_VALUE})"
    rf"|(?P<han>[\u4e00-\u9fff]{{1,8}}?) ?(?:应该是|改成|改为|设为|设置为|应为|是|为"
    rf"|用) ?(?P<value>{_VALUE})"
)
HISTORY: Final = re.compile(
    r"(?<!\w)(?:was|were|old|older|previous|previously|original|originally|initial"
    r"|initially|earlier|before|former|formerly|legacy|no longer|not|never"
    r"|don['\u2019]?t|isn['\u2019]t|instead|rather|replac\w{1,4}|chang\w{1,4}"
    r"|renam\w{1,4}|switch\w{0,4}|mov(?:ed?|ing)|migrat\w{1,4}|updat\w{1,4}"
    r"|correct\w{0,6}|supersed\w{1,4}|deprecat\w{1,4}|from|avoid|removed?|wrong"
    r"|mistaken\w{0,2}|incorrect\w{0,2}|against|rejected|without|no|used to"
    r"|bump\w{0,4}|upgrad\w{1,4}|convert\w{0,4}|past|over|swap\w{0,4})(?!\w)"
    r"|n['\u2019]t(?!\w)"
    r"|->|\u2192|=>|之前|原来|旧|不再|不用|改|替换|不是|而非|而不是|代替|取代|曾"
    r"|换成|不要|原先|错误"
)
BYGONE: Final = re.compile(
    r"(?<!\w)(?:old|older|previous|previously|original|originally|initial|initially|earlier"
    r"|before"
    r"|former|formerly|legacy|no longer|not|never|instead|rather|replac\w{1,4}|supersed\w{1,4}"
    r"|deprecat\w{1,4}|removed?|wrong|mistaken\w{0,2}|incorrect\w{0,2}|against|rejected|avoid"
    r"|used to|at first|corrected|forbidden|first)(?!\w)|n['\u2019]t(?!\w)"
    r"|之前|原来|旧|不再|不用|替换|不是|而非|代替|取代|曾|不要|原先|错误"
)
"""What says in the clause of a value, the current one not beside it, that it is of the past."""

CURRENT: Final = re.compile(
    r"(?<!\w)(?:is|are|uses?|using|set|now|runs?|running|listens?|listening"
    r"|currently|must|should|will|serves?|on|at|:|=)(?!\w)|[:=]|是|用(?![时户法途意])|为|使用"
)
NOT_VALUES: Final = STOP_WORDS | frozenset(
    [
        "sure",
        "wrong",
        "right",
        "good",
        "bad",
        "fine",
        "true",
        "false",
        "null",
        "none",
        "working",
        "broken",
        "able",
        "ready",
        "done",
        "correct",
        "first",
        "second",
        "last",
        "next",
        "work",
        "works",
        "here",
        "there",
        "better",
        "best",
        "easier",
        "hard",
        "needed",
        "only",
        "well",
        "yet",
        "already",
        "also",
        "because",
        "clear",
        "enough",
        "worth",
        "part",
        "both",
        "available",
        "necessary",
        "safe",
        "possible",
        "used",
        "called",
        "based",
        "related",
        "supposed",
        "going",
        "getting",
        "allowed",
        "file",
        "files",
        "code",
        "test",
        "tests",
        "branch",
        "main",
        "change",
        "changes",
        "case",
        "name",
        "value",
        "version",
        "number",
        "way",
        "place",
        "time",
        "day",
        "everything",
        "something",
        "it",
    ]
)
ORDERED: Final = re.compile(
    rf"\W{{0,4}}(?:(?:please|now|then|also|and|can you"
    rf"|let's) ){{0,2}}{_EDIT}(?!\w)",
    re.IGNORECASE,
)
VERBS: Final = terms(
    "use change switch set replace move update rename go choose pick correct make convert"
)


TRIGGER: Final = re.compile(
    r"(?<!\w)(?:instead|rather|place|lieu|not|no|nope|wrong|actually|correction"
    rf"|sorry|wait|oops|said|meant|incorrect|never|stop)(?!\w)|n['\u2019]t(?!\w)|{_EDIT}"
    rf"|that['\u2019]s"
    r"|[不并改换用是为升]",
    re.IGNORECASE,
)
