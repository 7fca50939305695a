"""The words that say how a sentence rules, in English and Chinese."""

import re
from enum import StrEnum
from typing import Final

_NUMBER: Final = (
    r"(?=[ `*~]{0,4}(?:a |an |the )?[$\u20ac]?\d|[ `*]{0,4}(?:zero|one|two|three"
    r"|four|five|six|seven|eight"
    r"|nine|ten|[a-z]{1,12}ty|hundred|half)\b)"
)


class Comparator(StrEnum):
    """How a number limits."""

    AT_LEAST = "at_least"
    AT_MOST = "at_most"
    LESS = "less"
    MORE = "more"
    EXACTLY = "exactly"


UPPER: Final = frozenset({Comparator.AT_MOST, Comparator.LESS})
LOWER: Final = frozenset({Comparator.AT_LEAST, Comparator.MORE})


def _words(*listed: str, han: str = "") -> re.Pattern[str]:
    english = rf"(?<![\w-])(?:{'|'.join(listed)})(?!\w)"
    return re.compile(english + (f"|{han}" if han else ""))


COMPARATORS: Final = (
    (
        Comparator.AT_MOST,
        re.compile(
            r"(?<!\w)(?:no (?:more|greater|longer|later|higher|larger|bigger) than|not "
            r"(?:more|over|above)"
            r"(?: than)?|at (?:the )?most|up to|a? ?max(?:imum)?(?: of| is|:)?|max\.|capped "
            r"at|cap(?:ped)? (?:of|at)"
            r"|limit(?:ed)? (?:is|of|to)|upper (?:limit|bound)(?: of| is|:)?|within)"
            + _NUMBER
            + r"|(?:must|may|should|shall|can|do|does|will|to)(?: ?n['\u2019]t| not|not)(?: "
            r"ever)? (?:exceed|go (?:over|above|beyond)|surpass)|never (?:\w{1,12} "
            r"){0,2}(?:exceeds?|over|above|more than|beyond)"
            r"|cannot exceed|(?<!\w)\d[\w.]{0,12} (?:\w{1,12} ){0,2}(?:or (?:less|fewer"
            r"|lower|below|under)|(?:at )?(?:max|most|tops)\b|maximum)"
            r"|<=|\u2264|\u4e0d(?:\u80fd|\u5f97|\u53ef|\u8981)?(?:\u8d85\u8fc7|\u591a\u4e8e"
            r"|\u5927\u4e8e|\u9ad8\u4e8e)|\u81f3\u591a|\u6700\u591a|\u4ee5\u5185"
            r"|\u4e0a\u9650|\u6700\u5927"
        ),
    ),
    (
        Comparator.AT_LEAST,
        re.compile(
            r"(?<!\w)(?:no (?:less|fewer|lower|shorter|smaller|earlier|sooner) than|not "
            r"(?:less|fewer|under|below)(?: than)?"
            r"|at (?:the )?least|a? ?min(?:imum)?(?: of| is|:)?|min\.|lower (?:limit"
            r"|bound)(?: of| is|:)?)"
            + _NUMBER
            + r"|(?:must|may|should|shall|can|do|does)(?: ?n['\u2019]t| not|not) (?:fall|go"
            r"|drop) (?:below|under)"
            r"|never (?:\w{1,12} ){0,2}(?:below|under|less than|fewer than)"
            r"|(?<!\w)\d[\w.]{0,12}(?:\+(?!\w)| (?:\w{1,12} ){0,2}(?:or (?:more|greater"
            r"|higher|above|over)|(?:at )?(?:min|least)\b|minimum))"
            r"|>=|\u2265|\u4e0d(?:\u80fd|\u5f97|\u53ef|\u8981)?(?:\u5c11\u4e8e|\u4f4e\u4e8e"
            r"|\u5c0f\u4e8e)|\u81f3\u5c11|\u6700\u5c11|\u4ee5\u4e0a|\u4e0b\u9650"
            r"|\u6700\u5c0f"
        ),
    ),
    (
        Comparator.LESS,
        re.compile(
            r"(?<!\w)(?:less|fewer|lower|smaller|shorter|earlier|sooner) than"
            + _NUMBER
            + rf"|(?<!\w)(?:under|below){_NUMBER}|<(?= ?\d)|\u5c11\u4e8e|\u4f4e\u4e8e"
            r"|\u5c0f\u4e8e|\u4ee5\u4e0b"
        ),
    ),
    (
        Comparator.MORE,
        re.compile(
            r"(?<!\w)(?:more|greater|higher|larger|longer|bigger|later) than"
            + _NUMBER
            + rf"|(?<!\w)(?:over|above|exceeds?|exceeding|beyond){_NUMBER}|(?<!-)>(?= ?\d)"
            r"|\u8d85\u8fc7|\u591a\u4e8e|\u5927\u4e8e|\u9ad8\u4e8e"
        ),
    ),
    (
        Comparator.EXACTLY,
        re.compile(rf"(?<!\w)(?:exactly|precisely){_NUMBER}|\u6070\u597d|\u6b63\u597d"),
    ),
)
FREES: Final = _words(
    r"(?:do|does|did) not (?:have|need) to|(?:don|doesn)['\u2019]?t (?:have|need) "
    r"to|need not|needn['\u2019]?t"
    r"|no need|not (?:required|necessary|mandatory|needed|obligatory)|isn['\u2019]t "
    r"(?:required|necessary|needed)"
    r"|(?:is|are) (?:now )?(?:ok|okay|fine)|free to|optional(?:ly)?|unnecessary"
    r"|feel free|no longer (?:required|necessary|forbidden|needed)",
    han="不必|不需要|无需|不用|可选|随意",
)
FORBIDS: Final = _words(
    r"never|must ?n['\u2019]?t|mustnt|cannot|can['\u2019]?t|(?:do|does|shall|should"
    r"|wo|must|is|are|need|ca|was|were|did|would|could|may|might)n['\u2019]?t",
    r"dont|doesnt|shouldnt|not(?! only)|no(?! (?:later|sooner|matter|one else"
    r"|problem|worries|longer than)|,)",
    r"nothing|none|nobody|no[- ]one|neither|nor|without|forbid(?:s|den)?"
    r"|prohibit(?:s|ed)?|prohibition|ban(?:s|ned)?",
    r"disallow(?:s|ed)?|avoid(?:s|ed|ing)?|refrain(?:s|ing)?|off[- ]limits|out of "
    r"bounds|steer clear|stay away|keep (?:away|off|out)",
    r"stop|unchanged|untouched|intact|as[- ]is|alone|read[- ]only|frozen|hands off"
    r"|skip|exclud(?:e|es|ed|ing)|reject(?:s|ed)?|refuse(?:s|d)?|ruled out|on no "
    r"account|rather than|instead of",
    han=(
        "不要|不能|不得|不可|不许|不准|不允许|不应|禁止|切勿|请勿|勿|别(?!的|人|处)"
        "|绝不|从不|决不|严禁|避免|不再|永不|没有|不用"
    ),
)
REQUIRES: Final = _words(
    r"must|shall|always|requir(?:e|es|ed|ement|ements|ing)|mandatory|ha(?:s|ve) to"
    r"|needs? to|ensur(?:e|es|ing)|make sure|be sure",
    r"obligatory|compulsory|necessary|essential|imperative|insist(?:s|ed)?"
    r"|enforce[sd]?|every time|only|solely|exclusively|just|nothing but",
    r"should|ought to|prefer(?:s|red|ably|ring)?|ideally|recommend(?:s|ed)?|(?:is"
    r"|are) to|allowed|permitted|may|can|could|might|will|want(?:s|ed)?",
    han=(
        "必须|务必|一定|只能|只用|只在|仅|只|始终|总是|确保|保证|需要|应该|应当|应|须"
        "|要求|尽量|最好|可以|永远|一律"
    ),
)
MUST: Final = _words(
    r"must|shall|always|never|requir(?:e|es|ed|ement|ements)|mandatory|ha(?:s|ve) "
    r"to|needs? to|ensure|make sure|forbid(?:s|den)?|prohibit(?:s|ed)?",
    r"only|cannot|can['\u2019]t|not allowed|do not|don['\u2019]?t|dont|under no "
    r"circumstances|strictly|absolutely|at all times|critical",
    r"insist(?:s|ed)?|banned|off[- ]limits|no",
    han=(
        "必须|务必|一定|只能|只用|始终|总是|确保|保证|不要|不能|不得|不可|不许|不准"
        "|不允许|禁止|切勿|请勿|绝不|严禁|永远|一律|须"
    ),
)
SHOULD: Final = _words(
    r"should(?:n['\u2019]?t| not)?|shouldnt|ought to|tr(?:y|ies|ying)(?: not)? to"
    r"|try|prefer(?:red|ably|ring)?|(?:is|are) preferred|ideally|where(?:ver)? "
    r"(?:possible|practical|feasible)|if (?:at all )?(?:possible|feasible"
    r"|practical)|when(?:ever)? (?:possible|feasible|practical)",
    r"avoid(?:s|ing)?|consider|recommend(?:s|ed)?|suggest(?:s|ed)?|aims? (?:to|for)"
    r"|generally|usually|normally|typically|mostly|nice to have|would (?:be nice"
    r"|like)|better (?:to|not)|best to|encouraged|discouraged|rarely|seldom"
    r"|sparingly|as much as possible|leans? towards?|tends? to|minimi[sz]e"
    r"|attempt(?:s)? to|best[- ]effort|it['\u2019]?s good to|good idea|if you can"
    r"|hopefully|guideline|preference for|reluctant",
    han="尽量|最好|建议|应该|应当|不应|推荐|尽可能|优先|通常|一般|倾向|避免",
)
MAY: Final = _words(
    r"may(?! only)|might|can(?! only)|could|allowed|permitted|optional(?:ly)?|free to",
    han="(?<!不)可以|(?<!不)允许|随意|可选",
)
DENIED: Final = _words(
    r"(?:may|can|could|might|must|shall|should|is|are|was|were|do|does|will|would"
    r"|has|have|been) not(?: be)?(?: (?:allowed|permitted))?|cannot|can['\u2019]?t"
    r"|not (?:allowed|permitted)|(?:is|are)n['\u2019]t (?:allowed|permitted)|not be "
    r"(?:allowed|permitted)|(?:is|are|be)? ?only (?:allowed|permitted)|(?:nothing"
    r"|nobody|no one|none)(?: [\w/.`-]{1,30}){0,6}? (?:may|can|could|is|are)(?: "
    r"be)?(?: allowed| permitted)?|no \w{1,20} (?:is|are|may|can)(?: be)?(?: "
    r"allowed| permitted)?"
)
EXCLUSIVE: Final = _words(
    r"(?<!not )only|solely|exclusively|nothing but|(?:anything|anyone|any|none|other|nothing"
    r"|no one|nobody)(?: \w{1,20})? (?:but|except|other than|else|than)|other than",
    han="只|仅",
)
POSITIVE: Final = _words(
    r"only(?! (?:allowed|permitted))|solely|exclusively|always|ensure|make sure"
    r"|(?<!not )must(?! (?:not|never))",
    han="必须|务必|只能|只用|始终|总是",
)
HEDGES: Final = _words(
    r"might|maybe|perhaps|possibly|probably|likely|i think|i guess|i suspect"
    r"|suspects?|suspected|could be|may be|may have|seems?|apparently|presumably"
    r"|hypothes[ie]s|theory|unconfirmed|not sure|unclear|appears? to|assum(?:e|ed"
    r"|ing|ption)|potential(?:ly)?|candidate|speculat\w{1,8}|guess|unverified"
    r"|suggest(?:s|ed|ion)?|propos(?:es|ed|al)|recommend(?:s|ed|ation)",
    han="建议|提议|可能|也许|或许|大概|猜测|怀疑|似乎|估计|应该是|不确定|假设",
)
_STRICT_WORDS: Final = (
    r"except(?:ing|ion)?(?: (?:for|in|on|when|if|during|that|to))?|unless|until"
    r"|till|outside(?: of)?|excluding|other than|apart from"
    r"|only (?:on|in|for|when|if|during|after|before|with|at|inside|within|from|by)"
    r"|as long as|provided(?: that)?|besides|aside from|save for"
)
SCOPE: Final = re.compile(
    rf"(?<![\w-])(?:(?P<strict>{_STRICT_WORDS})|in(?:side| the case of)?|on|for"
    r"|during|when(?:ever)?|while|if|at(?! (?:most|least|all)\b)|after|before"
    r"|under(?! ?\d)|within(?! ?\d)|without)\s"
)
SCOPE_END: Final = re.compile(
    r"\.(?=\s|\Z)|[;:()\u3002\uff1b\uff0c\uff1a\n]|,(?=\s)|\s(?:and|but|or)\s"
    r"|\s[-\u2013\u2014]\s|\Z"
)
HAN_SCOPE: Final = re.compile(
    "(?P<strict>除非|除了|除|直到|仅在|只在"
    "|仅限)(?P<rest>[^\uff0c。\uff1b\uff1a、,;]{1,24}?)(?:以外|之外|外|时|前|后"
    "|(?=[\uff0c。\uff1b\uff1a,;])|$)"
    "|(?:在|对于|对|当)(?P<plain>[^\uff0c。\uff1b\uff1a、,;]{1,16}?)(?:上|中|里|内"
    "|时|期间|环境|之前|之后|前|后)"
)
SOFTENED: Final = _words(
    r"(?:if|when(?:ever)?|where(?:ver)?)(?: at all)? (?:possible|feasible|practical"
    r"|you can)|usually|normally|generally|typically|mostly|ideally|preferably|as far as possible",
    han="尽量|尽可能|最好|如果可以",
)
POSSIBLE: Final = re.compile(
    r"(?:if|when(?:ever)?|where(?:ver)?)(?: at all)? (?:possible|feasible|practical|you can)"
)
