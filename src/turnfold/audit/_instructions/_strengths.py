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
    r"(?:circumstances?|conditions?)|strictly|absolutely|at all times|critical",
    r"insist(?:s|ed)?|banned|off[- ]limits|no",
    han=(
        "必须|务必|一定|只能|只用|始终|总是|确保|保证|不要|不能|不得|不可|不许|不准"
        "|不允许|禁止|切勿|请勿|绝不|严禁|永远|一律|须"
    ),
)

_IF_CAN: Final = (
    r"(?:if|when(?:ever)?|where(?:ver)?|in ?so ?far as|as far as)(?: at all| it is| it['\u2019]s"
    r"| that is)? (?:at all )?(?:possible"
    r"|feasible|practical|practicable|convenient|reasonable|reasonably possible|sensible"
    r"|appropriate|available|applicable|worthwhile|easy|handy|doable|manageable|affordable"
    r"|it helps|it matters|it makes sense|it (?:suits|works for) \w{1,10}|(?:that|this|it) works"
    r"(?=[.,;]|\Z)|(?:you|we|they|one|someone|anyone)(?:['\u2019]re| are| is)? (?:(?:really |ever"
    r" )?(?:can|able|like|want|wish|prefer|remembers?|thinks? of it|cares?|ha(?:ve|s) (?:the )?time"
    r"|feels? like it|gets? (?:a chance|round|around|the chance)))"
    r"|(?:it|this|that) can be (?:helped|avoided)|(?:all|everything) goes (?:well|right|to plan)"
    r"|(?:time|budget|capacity) (?:allows|permits)"
    r"|there is time)"
    r"|as (?:time|budget|capacity|circumstances?) (?:allows?|permits?)"
    r"|(?:time|budget|capacity|circumstances|schedule|weather) (?:permitting|allowing)"
)
_MODALS: Final = (
    r"should(?:n['\u2019]?t| not)?|shouldnt|ought(?: not)?(?: to)?"
    r"|(?:would|had|(?:i|we|you|he|she|they|it|that|user|team)['\u2019]d)"
    r" (?:(?:also|really|very much|much|only) )?(?:rather|appreciate|welcome|value|go a long way"
    r"|better|best|ideally|preferably|sooner|(?:\w{1,12} )?want|be (?:nice|good|great"
    r"|neat|best|better|ideal"
    r"|helpful|preferable|useful|welcome|wise)|like|prefer|love|help)"
)
_EFFORTS: Final = (
    r"tr(?:y|ies|ied|ying)(?: not)? to|try(?![/-]| (?:block|catch|except|clause|statement))"
    r"|attempts? to|aim(?:s|ing|ed)? (?:not )?(?:to|for|at)|striv(?:e|es"
    r"|ing)|seeks? to|hop(?:e|es|ing)|hopefully|wish(?:es)?|intends? to|lean(?:s|ing)? towards?"
    r"|tends? to|best[- ]effort|make an effort|do (?:your|its|our) best|minimi[sz]e[sd]?"
    r"|kept? to a minimum|go easy on|think twice|be (?:wary|careful|cautious|mindful)"
    r"|(?:be )?careful with|watch out|take it easy"
)
_TASTES: Final = (
    r"prefer(?:s|red|ably|ring|able)?|favou?r(?:s|ed|ing)?"
    r"|(?<!not )(?<!to be )(?<!must )(?<!must be )(?<!always )(?<!always be )"
    r"(?<!has to )(?<!have to )avoid(?:s|ing|ed)?"
    r"|(?:a|the|mild|strong|weak|slight|personal|user['\u2019]s) (?:preference|recommendation"
    r"|suggestion)(?! (?:service|page|panel|engine|store|table|list|box|model))"
    r"|(?:preference|recommendation|suggestion) (?:is|for|to|not|rather|only)"
    r"|consider|be considered(?=[.,;]|\Z)|considered (?:bad|good|poor|best|better|harmful"
    r"|preferable|nice)"
    r"|recommend(?:s|ed)?|suggest(?:s|ed)?|advis(?:e|es|ed"
    r"|able)|inadvisable|encourag(?:e|es|ed)|discourag(?:e|es|ed)|frown(?:s|ed) (?:up)?on"
    r"|reluctant(?:ly)?|appreciated|unwise"
    r"|(?:not|less than|isn['\u2019]t|far from) ideal|(?:not |isn['\u2019]t )?(?:really )?(?:a "
    r"|the )?(?:good|great"
    r"|best|bad) (?:idea|practice|thing|style)|it['\u2019]?s (?:good|nice|best|better) to"
    r"|it (?:is|would be) (?:good|nice|better|best|helpful|useful|neat|great|wise|sensible|unwise"
    r"|preferable)(?: not)? (?:to|if|that)|it helps|better (?:to|not|off|left|kept|avoided|be)"
    r"|best (?:to|left|kept|avoided|practice|used|not)|worth \w{1,15}ing|benefits? from"
    r"|nice[- ]to[- ]haves?|nice to|a (?:plus|bonus)|not a priority|(?:a )?last resort"
    r"|gr[ae]y area|not (?:a )?(?:strict|hard|firm|binding)(?: \w{1,12})?"
    r"|(?<!not )(?<!not be )(?<!never )(?<!never be )tolerated"
    r"|(?:not )?really (?:belong|need|have|want)|suboptimal|a bit|a bonus|a shame|a smell"
    r"|good (?:form|manners|taste|style)|aspirational?|a warning"
    r"|(?:just|only|merely|more of|more|no more than) an? (?:suggestion|preference|guideline|hint"
    r"|wish|recommendation|idea|target|goal|default|convention|habit|nicety|courtesy|request|tip"
    r"|guide|reminder|aspiration|plan|hope|proposal|nuisance|concern|detail|formality|matter)"
)
_IS: Final = (
    r"(?:is|are|be|been|being|was|(?:it|that|this)['\u2019]s|seems?|looks?|feels?|considered"
    r"|deemed|regarded as"
    r"|find|finds|found(?: it)?|makes? it|(?<!and )not|(?:is|are) (?:\w{1,12} ){1,2})"
)
_VALUED: Final = (
    rf"{_IS} (?:(?:very|quite|rather|really|more|a bit|only|also|still|often|just|somewhat) )?"
    r"(?:(?:un)?wise|useful|helpful|handy|sensible|smart|(?:un)?customary|(?:un)?common"
    r"|(?:un)?usual"
    r"|unfortunate|polite|risky|(?:un)?desir(?:ed|able)|normal|typical|loose|rough|soft"
    r"|low priority|a low priority|conventional|traditional|voluntary|worth (?:it|the|a|your|our)"
    r"|(?:good|useful|nice|helpful) to (?:have|know|do)|(?:standard|common|usual) practice"
    r"|the ideal(?! \w)|a matter of \w{3,12}|not the (?:done thing|way to go)|left open)(?!\w)"
)
"""What is said of a rule; before a noun, as in `the common module`, such a word is of the thing."""

_RULES_OF_THUMB: Final = (
    r"(?:a|rough|loose|general|as|only|just|merely|soft|are) guidelines?(?! (?:file|document"
    r"|page))"
    r"|rule of thumb|(?:soft|loose|rough|general|usual|common|typical|normal) (?:limit|rule|cap"
    r"|target|guide\w{0,5}|requirement|ceiling|deadline|goal|maximum|minimum|preference"
    r"|constraint"
    r"|floor|budget|practice|way|habit|approach|idea|advice|convention|wish|aim|ban|no)"
    r"|loosely|roughly|(?:is|are|as|of|was|be) (?:more |rather |only )?an? (?:goal|target"
    r"|wish|habit|convention|courtesy|default)(?! (?:value|setting|branch|port|timeout|argument))"
    r"|the (?:default|goal|aim|habit|target|wish|hope|intention|intent|idea|advice|recommendation"
    r"|suggestion|guidance|inclination|tendency) is"
    r"|(?:one|an|another|a (?:good|possible|sensible|viable)) (?:option|approach|way|possibility)"
    r" (?:is|would be)"
    r"|is the (?:default(?=[.,;)]|\Z| (?:but|not|and|unless))|preference|preferred \w{1,12})"
    r"|as (?:a|the) default"
    r"|ideally|probably|perhaps|possibly|usually|as usual|normally|generally|typically|mostly"
    r"|mainly|largely"
    r"|primarily|commonly|customarily|often|sometimes|occasional(?:ly)?|rarely|seldom|hardly ever"
    r"|sparingly|more or less|or so|for the most part|by and large|in (?:(?:most|many|some"
    r"|typical|normal|ordinary) (?:cases|situations"
    r"|circumstances)|the (?:normal|usual|typical|general) case|general"
    r"|principle|theory)|under (?:normal|ordinary|most) circumstances|by convention|as a rule(?!"
    r" that|:)"
    r"|out of courtesy|most of the time|as (?:much|far|often|little) as"
    r" (?:possible|practical"
    r"|feasible)|within reason|(?:about|around|approximately|somewhere near"
    r"|in the region of|near|close to|some) (?:[$\u20ac]?\d[\w.,]{0,15}|an? (?:hour|minute|second"
    r"|day"
    r"|week)(?!\w)|(?:two|three|four|five|six|seven|eight|nine|ten|twelve|[a-z]{1,12}ty)(?!\w))"
    r"|give or take|thereabouts|an? (?:fine|good|nice|decent|reasonable|healthy|sensible|rough"
    r"|loose"
    r"|soft|worthy) (?:goal|target|aim|benchmark|guide|ballpark)"
)
_LEANINGS: Final = (
    r"(?:is|are)(?: not|n['\u2019]t)? (?:meant|supposed|intended|expected|urged|invited) to"
    r"|(?:almost|nearly|practically|virtually|not quite) (?:always|never|all|every|exclusively"
    r"|only)"
    r"|by preference|at (?:\S{1,20} ){1,3}(?:discretion|option|convenience|leisure)"
    r"|(?:is|are|be) (?:left|up) to (?:the |your |their |each |our |personal )?(?:developers?"
    r"|authors?"
    r"|taste|discretion|judge?ment|agents?|team|implementers?|readers?|reviewers?|maintainers?"
    r"|you|them"
    r"|callers?|preference|whoever|individual)|(?:keep|bear)(?: \S{1,80}){1,8}? in mind|as"
    r" (?:appropriate|you see fit)"
    r"|when in doubt|ha(?:s|ve) (?:some )?merits?|to the extent (?:possible|practical|feasible)"
    r"|(?:if|when) (?:desired|wanted|easy)|when it is easy|depending on (?:the|what|how)"
    r"|makes sense to|the idea is to|do(?:es)? well to|think about|be beneficial|is beneficial"
    r"|the norm"
    r"|(?:we|i) (?:\w{1,12}ly |do )?like to|(?:user|team|they|he|she) (?:\w{1,12}"
    r" ){0,2}?(?:mentioned|asked about|brought up|likes?"
    r"|enjoys?)"
)
_OFF_AND_ON: Final = (
    r"at times|over time|as a matter of (?:routine|course|habit|taste|form)"
    r"|in the (?:ordinary|normal|usual|natural) course of \w{3,10}"
    r"|in (?:small|moderate|careful|limited) (?:doses|amounts)|with a heavy heart"
    r"|(?:would|does|do|can|could)(?: not|n['\u2019]t|not) (?:go amiss|hurt|harm)"
    r"|an? (?:kindness|nicety|luxury|boon)|deserves?|(?:do|does)(?: not|n['\u2019]t) really"
    r"|(?:where|if|when) (?:that|this|it) (?:suits|fits|helps)(?=[.,;]|\Z)"
)
"""What happens now and then, or does no harm."""

_RESERVATIONS: Final = (
    r"(?:not|n['\u2019]t) (?:\w{1,12} )?(?:great|good|keen|fond|thrilled|happy about|a fan"
    r"|advisable|pretty|lightly|needlessly|unnecessarily|overly|too (?:often|much|many))"
    r"|at (?:the|your|its|their|his|her|our|whose|one['\u2019]s) (?:own )?discretion"
    r"|at the discretion|discretionary|(?<!be )(?:is|are) available (?:to|for)"
    r"|helps?(?: with| to(?! \w+ing)|(?=[.,;]|\Z))|worthwhile|pays to|nice touch|good hygiene"
    r"|an? (?:\w{3,12}ly )?(?:sound|sensible|reasonable|decent|good|wise|smart|fair|safe|popular"
    r"|handy|useful) (?:choice|option|move|precaution|habit|bet|call|practice|thing|plan|measure"
    r"|pick|idea|starting point)|(?:the )?first choice|aspir(?:es?|ing) to|endeavou?rs?(?: to)?"
    r"|work(?:s|ing)? towards?|mindful of|bear in mind|can do with(?:out)?|could do with(?:out)?"
    r"|(?:may|might) as well|would do well to|advised against|advise(?:s|d)? against"
    r"|(?:a|slight|mild|general) reluctance|fairly|somewhat|by (?:much|a lot|far)|much (?:more"
    r"|less|longer|shorter|higher|lower|over"
    r"|above|below) (?:than)?"
    r"|to (?:some|a certain) (?:degree|extent)"
)
_EXCEPTIONS: Final = (
    r"more often than not|most of(?= the (?:time|cases))|nine times out of ten|now and then"
    r"|with (?:the odd|some|a few|few|occasional|rare) exceptions?|without (?:much |due |really"
    r" )?(?:thinking|thought|care|consideration)|needlessly|unnecessarily|carelessly"
    r"|more than (?:needed|necessary|you must|you have to|strictly \w{1,10})"
    r"|once in a while|on occasion|from time to time|every so often|few and far between"
    r"|be (?:the|an) exception(?! (?:to|is|class|type|that))|exceptionally"
    r"|only in (?:rare|exceptional|special) (?:cases|circumstances)|in (?:rare|exceptional) cases"
    r"|unless (?:there is|there['\u2019]s|you have|for) (?:a |an )?(?:good |strong |pressing "
    r"|clear )?(?:reason|cause|need)|unless (?:really |absolutely |strictly |truly )?(?:necessary"
    r"|needed|unavoidable)|without (?:a )?(?:good |strong )?(?:reason|cause|need)"
    r"|(?:if|when|where|as) (?:really |absolutely |strictly )?(?:necessary|needed)"
    r"|few (?!days|hours|minutes|seconds|weeks)[a-z]{3,15}s|most (?!recent|of)[a-z]{3,15}s"
    r"|(?<!on )(?<!off )(?<!abled )(?<!set )(?<!active )by default"
)
SHOULD: Final = words(
    _MODALS,
    _EFFORTS,
    _TASTES,
    _VALUED,
    _RULES_OF_THUMB,
    _OFF_AND_ON,
    _RESERVATIONS,
    _LEANINGS,
    _EXCEPTIONS,
    _IF_CAN,
    han="尽量|最好|建议|应该|应当|不应|推荐|尽可能|优先|通常|一般|倾向|避免",
)
AVOIDS: Final = words(
    r"avoid(?:s|ed|ing)?|steer(?:ing)? clear|stay(?:s|ing)? (?:away|clear)|refrain(?:s|ing)?"
    r"|abstain(?:s|ing)?|shun(?:s|ned)?"
)
"""What is no weaker when one stands for another."""

BINDING: Final = words(
    r"must|shall|always|never|requir(?:e|es|ed|ement|ements)|mandatory|ha(?:s|ve) to|needs? to"
    r"|ensure|make sure|forbid(?:s|den)?|prohibit(?:s|ed)?|only|cannot|can['\u2019]t|not allowed"
    r"|under no (?:circumstances?|conditions?)|strictly|absolutely|at all times|critical"
    r"|insist(?:s|ed)?|banned|disallowed|unacceptable|non[- ]negotiable|essential|imperative"
    r"|off[- ]limits|every time|without exception|no exceptions?|ever|at all",
    han="必须|务必|一定|只能|始终|总是|不得|不可|不许|不准|不允许|禁止|绝不|严禁|永远|一律|须",
)
"""What says of itself how binding it is; a bare `do not` leaves that open."""

_REPORTED: Final = words(
    r"should(?:n['\u2019]?t| not)?|shouldnt|ought(?: not)?(?: to)?"
    r"|(?:is|are)(?: not|n['\u2019]t)? (?:meant|supposed|intended|expected) to"
    r"|(?:user|they|he|she|team|owner|maintainers?)(?: would|['\u2019]d)"
    r"(?: (?:rather|like|prefer|love|sooner))?",
    han="应该|应当|不应",
)
"""How a report words a bare order of somebody else; it weakens only what was said to bind."""

FIRM_SHOULD: Final = words(
    r"should (?:\w{1,12} )?(?:never|always|only|under no circumstances"
    r"|not (?:\w{1,12} )?under any"
    r"|not ever|at all times)"
    r"|(?:under no (?:circumstances?|conditions?)|in no case|never|at no time|nothing|nobody"
    r"|no one) should"
    r"|only (?:\S{1,40} ){1,6}?should"
)
"""What binds as much as a must, in the words of a report."""

MAY: Final = words(
    r"may(?! only)|might|can(?! only)|could|allowed|permitted|permissible|optional(?:ly)?"
    r"|free to",
    han="(?<!不)可以|(?<!不)允许|随意|可选",
)
SOFTENED: Final = words(
    _IF_CAN,
    r"usually|normally|generally|typically|mostly|ideally|preferably|as far as possible",
    r"(?:in (?:general|principle|theory|most cases)|as a rule|by convention)(?=,)",
    r"(?<=, )(?:in (?:general|principle|theory|most cases)|as a rule|by convention|usually"
    r"|with (?:the odd|some|a few|few|occasional|rare) exceptions?)(?=[.!;]|\Z)",
    han="尽量|尽可能|最好|如果可以",
)
POSSIBLE: Final = re.compile(_IF_CAN)


def is_as_binding(said: str, told: str, *, is_exclusive: bool) -> bool:
    """Whether a report that says `should` or `avoid` binds no less than what it reports.

    A bare order may be told as what should be done or what the user wants; `must` and `never` not.

    Args:
        said: The rule in lower case.
        told: The sentence of the summary in lower case.
        is_exclusive: Whether the rule allows one thing only.
    """
    if FIRM_SHOULD.search(told) and not SHOULD.search(FIRM_SHOULD.sub(" ", told)):
        return True
    is_bare = not is_exclusive and not BINDING.search(said)
    if is_bare and not SHOULD.search(_REPORTED.sub(" ", told)):
        return True
    return bool(AVOIDS.search(said)) and not SHOULD.search(AVOIDS.sub(" ", told))
