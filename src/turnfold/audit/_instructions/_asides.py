"""What tells that a sentence of a user is no standing rule."""

import re
from typing import Final

_OPENINGS: Final = r"(?:so |and |but |ok(?:ay)?,? |hm+,? |wait,? |also,? )"
QUESTION: Final = re.compile(
    r"[?\uff1f][\"')*_\s]{0,6}\Z|[吗呢][?\uff1f。]?\Z|是否|为什么|怎么|能不能"
    rf"|可不可以|要不要|是不是|(?:^|, ){_OPENINGS}*"
    r"(?:why|how|what(?! must (?:not|never) happen)|when(?= (?:is|do|does|did|was|will|should|can"
    r"|are))"
    r"|should|shouldn['\u2019]?t|can|can['\u2019]t|could|couldn['\u2019]t"
    r"|would|wouldn['\u2019]t|will"
    r"|do(?= (?:we|you|i|they|the|any)\b)|don['\u2019]t (?:we|you|i|they)\b|does|did"
    r"|is|isn['\u2019]t|are|aren['\u2019]t|was|were|has|have)\s(?!to\b)"
    # Behind a comma alone these three go on with what was said: `to main, which is protected`.
    rf"|(?:^|, {_OPENINGS}){_OPENINGS}*(?:where|who|which)\s(?!to\b)"
)
_TAG: Final = re.compile(
    r",? (?:ok(?:ay)?|alright|please|got (?:it|that)|understood|clear|deal"
    r"|agreed)\s?\?[?!]{0,3}\s*\Z"
)
_STRESSED: Final = re.compile(
    r"(?<![\w-])(?:do not|don['\u2019]?t) (?:you (?:dare(?: to)?|ever)(?! (?:need|have|want|get|see"
    r"|use|think|wonder|feel)(?!\w))|even (?:think (?:of|about)|try to))(?!\w)"
)


_HAVE: Final = re.compile(r"\A\W{0,4}have (?=(?:no|at) (?:more|fewer|less|least|most)(?!\w))")


def without_stress(low: str) -> str:
    """Return a sentence in lower case, with a plain word for what only looks like a question."""
    return _HAVE.sub("keep ", _STRESSED.sub("never", _TAG.sub(".", low)))


OTHERS: Final = re.compile(
    r"(?<!\w)(?:docs?|documentation|readme|manual|article|guide|guidelines|spec"
    r"|specification|comments?|errors?|logs?|message|output|reviewers?|bot|bugbot"
    r"|he|she|they"
    r"|someone|somebody|wiki|linter|compiler|page|book|pr|issue|colleague|boss"
    r"|manager|vendor|blog|post|tutorial|policy|license|copilot|chatgpt|claude|gpt"
    r"|it|ticket|rfc|review)"
    r"(?: \w{1,20}){0,2}? (?:says?|said|states?|stated|claims?|claimed|tells?|told"
    r"|writes|wrote|recommends?|recommended|suggests?|suggested|reads|warns?"
    r"|insists?|argues?|complains?|thinks?)(?!\w)"
    r"|(?<!\w)(?:according to|quote:|quoting|supposedly|allegedly)|(?:文档|手册"
    r"|官方|他|她|他们|有人|同事|教程|文章|评论|说明书)[^\uff0c。]{0,8}?(?:说|写"
    r"|建议|表示|认为|提到)|据说|听说"
)
MOMENT: Final = re.compile(
    r"(?<!\w)line \d|(?<!\w)(?:you|we) must (?:update|fix|implement|create|add|rewrite"
    r"|finish|complete|look|read) (?:all|at|the|this|these|my|a|an) "
    r"(?!.{0,200}(?<!\w)(?:always|every"
    r"|each|before|after|when\w{0,4})(?!\w))|"
    r"(?<!\w)(?:yet|for now|right now|this time|at the moment|just now|for the "
    r"moment|today|tonight|anymore\?|(?:do|does|did)n['\u2019]t (?:work|exist|show"
    r"|seem|appear|look|match|matter|help|make sense|happen))(?!\w)|暂时|先不|这次"
    r"|目前|现在先|今天"
)
UNSURE: Final = re.compile(
    r"(?<!\w)(?:i think|i guess|i suppose|maybe|perhaps|probably|i feel|i wonder"
    r"|wondering|not sure|i suspect|seems?|it looks like|apparently)(?!\w)|可能"
    r"|也许|大概|我觉得"
)
TOLD: Final = re.compile(
    r"(?<!\w)(?:was|were|had|took|failed|fails|got|saw"
    r"|(?<!as you )(?<!as we )(?<!as i )found|ran|passed|been|there "
    r"(?:is|are|were|was)|happened|happens|crashes|crashed|returned|broke|went"
    r"|keeps|(?<!is )(?<!are )(?<!be )kept|used to|worked|works|tried|thought|showed|shows)(?!\w)"
    r"|了(?:[\uff0c。,.]|\Z)"
)
MISREAD: Final = re.compile(
    r"(?<!\w)(?:it|that|this|there(?! must (?:be no|never|not))|something|he|she|they|which) must"
    r"(?!\w)"
    r"|(?<!\w)this (?:\w{1,20} ){1,2}must(?!\w)|(?<!\w)must have(?!\w)|must be (?:a"
    r"|an|the|some|something|because|due|wrong|missing|broken)(?!\w)"
    r"|never ?mind|at least (?:it|that|this|now|we|i|the|for|some)(?!\w)|as always"
    r"|not only|only (?:\w{1,12} ){0,2}(?:problem|issue|thing|question|difference"
    r"|reason|way|one|downside)(?!s? (?:you|we|agents?) (?:may|can|must|should|are allowed)(?!\w))"
)
