"""The words that say how binding a sentence is, by kinds, in English and Chinese."""

import re
from typing import Final


def words(*listed: str, han: str = "") -> re.Pattern[str]:
    """Return the pattern of whole words and phrases, and of Han words anywhere."""
    english = rf"(?<![\w-])(?:{'|'.join(listed)})(?!\w)"
    return re.compile(english + (f"|{han}" if han else ""))


MUST: Final = words(
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

_IF_CAN: Final = (
    r"(?:if|when(?:ever)?|where(?:ver)?)(?: at all| it is| it['\u2019]s| that is)? (?:possible"
    r"|feasible|practical|practicable|convenient|reasonable|reasonably possible|sensible"
    r"|appropriate|it helps|it matters|it makes sense|it suits \w{1,10}|(?:you|we|they|one) (?:can"
    r"|like|want|wish|prefer)|(?:it|this|that) can be (?:helped|avoided)|time (?:allows|permits)"
    r"|there is time)"
)
_MODALS: Final = (
    r"should(?:n['\u2019]?t| not)?|shouldnt|ought(?: not)?(?: to)?|(?:would|['\u2019]d|had)"
    r" (?:rather|better|best|ideally|preferably|sooner|(?:\w{1,12} )?want|be (?:nice|good|great"
    r"|neat|best|better|ideal"
    r"|helpful|preferable|useful|welcome|wise)|like|prefer|love|help)"
)
_EFFORTS: Final = (
    r"tr(?:y|ies|ied|ying)(?: not)? to|try|attempts? to|aim(?:s|ing|ed)? (?:to|for|at)|striv(?:e|es"
    r"|ing)|seeks? to|hop(?:e|es|ing)|hopefully|wish(?:es)?|intends? to|lean(?:s|ing)? towards?"
    r"|tends? to|best[- ]effort|make an effort|do (?:your|its|our) best|minimi[sz]e[sd]?"
    r"|kept? to a minimum|go easy on|think twice|be (?:wary|careful|cautious|mindful)"
    r"|(?:be )?careful with|watch out|take it easy"
)
_TASTES: Final = (
    r"prefer(?:s|red|ably|ring|able|ence|ences)?|favou?r(?:s|ed|ing)?|(?<!not )avoid(?:s|ing|ed)?"
    r"|consider(?:s|ed)?|recommend(?:s|ed|ation|ations)?|suggest(?:s|ed|ion|ions)?|advis(?:e|es|ed"
    r"|able)|inadvisable|encourag(?:e|es|ed)|discourag(?:e|es|ed)|frown(?:s|ed) (?:up)?on"
    r"|reluctant(?:ly)?|desir(?:ed|able)|undesirable|appreciated|unwise|risky"
    r"|(?:not|less than|isn['\u2019]t|far from) ideal|(?:not |isn['\u2019]t )?(?:really )?(?:a "
    r"|the )?(?:good|great"
    r"|best|bad) (?:idea|practice|thing|style)|it['\u2019]?s (?:good|nice|best|better) to"
    r"|it (?:is|would be) (?:good|nice|better|best|helpful|useful|neat|great|wise|sensible|unwise"
    r"|preferable)(?: not)? (?:to|if|that)|it helps|better (?:to|not|off|left|kept|avoided|be)"
    r"|best (?:to|left|kept|avoided|practice|used|not)|worth \w{1,15}ing|benefits? from"
    r"|nice[- ]to[- ]haves?|nice to|a (?:plus|bonus)|low priority|not a priority|(?:a )?last resort"
    r"|gr[ae]y area|not (?:a )?(?:strict|hard|firm|binding)(?: \w{1,12})?|tolerated"
    r"|(?:not )?really (?:belong|need|have|want)|(?:un)?wise|useful|helpful|handy|sensible|smart"
    r"|(?:un)?customary|(?:un)?common|unusual|unfortunate|suboptimal|a bit|a bonus|a shame|a smell"
    r"|good (?:form|manners|taste|style)|polite|aspirational?|(?:just|only|merely) a \w{1,15}"
    r"|a warning"
)
_RULES_OF_THUMB: Final = (
    r"guidelines?|rule of thumb|soft(?: \w{1,10})?|loose(?:ly)?|rough(?:ly)?|a (?:goal|target"
    r"|wish|habit|convention|preference|suggestion|recommendation|courtesy|default)|the (?:default"
    r"|goal|aim|habit) is|is the (?:default|preference|preferred \w{1,12})|as (?:a|the) default"
    r"|ideally|usual(?:ly)?|normal(?:ly)?|general(?:ly)?|typical(?:ly)?|mostly|mainly|largely"
    r"|primarily|commonly|customarily|often|sometimes|occasional(?:ly)?|rarely|seldom|hardly ever"
    r"|sparingly|more or less|or so|for the most part|by and large|in (?:most cases|general"
    r"|principle|theory)|most of the time|as (?:much|far|often|little) as (?:possible|practical"
    r"|feasible)|within reason|(?:about|around|approximately|somewhere near) [$\u20ac]?\d"
)
SHOULD: Final = words(
    _MODALS,
    _EFFORTS,
    _TASTES,
    _RULES_OF_THUMB,
    _IF_CAN,
    han="尽量|最好|建议|应该|应当|不应|推荐|尽可能|优先|通常|一般|倾向|避免",
)
AVOIDS: Final = words(
    r"avoid(?:s|ed|ing)?|steer(?:ing)? clear|stay(?:s|ing)? (?:away|clear)|refrain(?:s|ing)?"
    r"|abstain(?:s|ing)?|shun(?:s|ned)?"
)
"""What is no weaker when one stands for another."""

MAY: Final = words(
    r"may(?! only)|might|can(?! only)|could|allowed|permitted|permissible|optional(?:ly)?|free to",
    han="(?<!不)可以|(?<!不)允许|随意|可选",
)
SOFTENED: Final = words(
    _IF_CAN,
    r"usually|normally|generally|typically|mostly|ideally|preferably|as far as possible",
    han="尽量|尽可能|最好|如果可以",
)
POSSIBLE: Final = re.compile(_IF_CAN)
