"""The words that say what a sentence asks for, rules out or leaves free, by kinds."""

import re
from typing import Final

from turnfold.audit._instructions._strengths import words

_FREE_TO: Final = (
    r"free to|feel free|go(?:es)? ahead|at (?:liberty|will|your discretion)|fair game"
    r"|by all means"
    r"|no (?:problem|harm|objection)s? (?:to|in|with)|(?:has|have) (?:permission|leave) to"
    r"|optional(?:ly)?|unnecessary|superfluous|negotiable|as (?:you|they) (?:like|please|wish)"
    r"|up to (?:you|them|the agent|each)|up for (?:debate|discussion|grabs|negotiation)"
    r"|(?:back )?on the table|freely|writable|mutable|flexible|lifted|waived"
)
_NO_NEED: Final = (
    r"(?:do|does|did) not (?:really )?(?:have|need) to|(?:don|doesn)['\u2019]?t (?:have|need) to"
    r"|(?:do|does) not need|(?:don|doesn)['\u2019]t need|need not|needn['\u2019]?t|no need"
    r"|(?:is|are) (?:not|no longer) (?:\w{1,12} )?(?:required|necessary|mandatory|needed"
    r"|obligatory|compulsory|binding|capped|limited|restricted|bound|confined|reserved|enforced)"
    r"|(?:is|are)n['\u2019]t (?:required|necessary|needed|mandatory|capped|limited|restricted)"
    r"|not (?:required|necessary|mandatory|needed|obligatory|compulsory)|without limit|unlimited"
    r"|no (?:longer|more) (?:required|necessary|forbidden|needed|off[- ]limits|banned|frozen)"
    r"|no (?:such )?(?:limit|cap|ceiling|floor|deadline|minimum|maximum|restriction|budget|rule"
    r"|ban|bar)s?(?! (?:than|is|are|may|must))"
    r"|(?:no|nothing)(?: [\w./`*-]{1,60}){0,4} (?:is|are) (?:required|needed|necessary|mandatory)"
    r"|(?:no|nothing)(?: [\w./`*-]{1,60}){0,4} (?:needs|requires?)"
    r"|requires? no(?:ne)?|needs? no(?:ne)?"
)
_IS_FINE: Final = (
    r"(?:is|are|be|['\u2019]s|seems?|was|were) (?:now |perfectly |also |again |totally |quite "
    r"|all "
    r")?(?:ok|okay|fine|acceptable|welcome|open(?! to)|alright|all right|accepted|possible"
    r"|legitimate|unrestricted|safe to|not (?:a problem|an issue|a violation))"
)
FREES: Final = words(
    _FREE_TO, _NO_NEED, _IS_FINE, han="不必|不需要|无需|不用|可以不|可不|可选|随意|没必要"
)
CASE: Final = re.compile(
    r"(?<![\w-])(?:(?:as|so) long as|while|until|till|when|whenever|once|after|before|because)"
    r" (?:(?!(?:must|should|shall|may|can|will)(?!\w))[^\s,;:.]{1,40} ){1,3}?(?:is|are|be"
    r"|has been|have been|stays?|remains?) (?:not |still "
    r"|now )?"
    r"[a-z]{2,20}"
)
"""A clause that says when something holds: what is open or fine there leaves nothing free."""

_NEGATORS: Final = (
    r"never|must ?n['\u2019]?t|mustnt|cannot|can['\u2019]?t|(?:do|does|shall|should|wo|must|is"
    r"|are"
    r"|need|ca|was|were|did|would|could|may|might|has|have)n['\u2019]?t|dont|doesnt|shouldnt|wont"
    r"|cant|not(?! only)|no(?! (?:later|sooner|matter|one else|problem|worries|longer than)|,)"
    r"|nothing|none|nobody|no[- ]one|neither|nor|nowhere"
)
_BANS: Final = (
    r"forbid(?:s|den)?|forbade|prohibit(?:s|ed|ion)?|ban(?:s|ned)?|bar(?:s|red)(?! (?:of|chart))"
    r"|disallow(?:s|ed)?|outlaw(?:s|ed)?|veto(?:es|ed)?|illegal|verboten|taboo|unacceptable"
    r"|inadmissible|impermissible|unwelcome|reject(?:s|ed|ing)?|refuse(?:s|d)?|ruled out|denied"
    r"|no[- ]go|off[- ](?:limits|bounds)|out of (?:bounds|scope|the question)|off the table"
    r"|red line"
    r"|deal[- ]?breaker|non[- ]starter|a no\b"
)
_AVOIDANCE: Final = (
    r"avoid(?:s|ed|ing)?|refrain(?:s|ing)?|abstain(?:s|ing)?|resist(?:s|ing)?|forgo(?:es|ing)?"
    r"|desist(?:s|ing)?"
    r"|steer(?:s|ing)? clear|shun(?:s|ned)?"
    r"|stay(?:s|ing)? (?:away|out|clear|off(?= (?!in |on |at |until |till |unless |for |by "
    r"|during "
    r"|while |when |everywhere |there )\S))|(?:keep|kept|keeps|keeping)"
    r"(?: \S{1,80}){0,8}? (?:away|out|clear|off(?= \w))|hands[- ]off|hold(?:ing)? (?:off|back)"
    r"|(?:leave|left)(?: \S{1,80}){0,8}? out of"
    r"|lay off|back off|stop|cease|quit|on no account|(?:is|are|remains?|stays?) out of"
)
_OTHERWISE: Final = r"skip(?:s|ped|ping)?|exclud(?:e|es|ed|ing)|rather than|instead of"
_LEFT_AS_IS: Final = (
    r"unchanged|unmodified|untouched|intact|as[- ]is|as (?:it|they) (?:is|are|was|were|stands?)"
    r"|as (?:you|we|i) (?:found|left|got) (?:it|them)"
    r"|alone|free (?:of|from)|read[- ]only|frozen|immutable|untouchable|sacred|sacrosanct"
    r"|set in stone"
    r"|(?:is|are|stays?|remains?) (?:locked|fixed|closed|final)"
)
FORBIDS: Final = words(
    _NEGATORS,
    _BANS,
    han=(
        "不要|不能|不得|不可|不许|不准|不允许|不应|禁止|切勿|请勿|勿|别(?!的|人|处)"
        "|绝不|从不|决不|严禁|避免|不再|永不|没有|不用"
    ),
)
KEEPS_OFF: Final = words(_AVOIDANCE, _OTHERWISE, _LEFT_AS_IS)
"""What rules out without a negation."""

NEGATES: Final = words(
    _NEGATORS, _BANS, _AVOIDANCE, han="不(?!过|但|仅|只|止)|没有|禁止|切勿|请勿|放弃|拒绝|否决"
)
"""What turns a verb round that stands beside it."""

REQUIRES: Final = words(
    r"must|shall|always|requir(?:e|es|ed|ement|ements|ing)|mandatory|ha(?:s|ve) to|needs?(?: to)?"
    r"|needed|ensur(?:e|es|ing)|make sure|be sure|see to it|prerequisite|precondition",
    r"obligatory|compulsory|necessary|essential|imperative|vital|crucial|insist(?:s|ed)?"
    r"|enforce[sd]?|every time|only|solely|exclusively|just|nothing but|reserved|restricted"
    r"|limited|confined|(?:stick|sticks|stuck|sticking) (?:to|with)|adheres?|compl(?:y|ies) with"
    r"|a must|non[- ]negotiable|not negotiable|not up for|stays?|remains?|keep|keeps|kept",
    r"should|ought to|prefer(?:s|red|ably|ring)?|ideally|recommend(?:s|ed)?|(?:is|are|am) to"
    r"|allowed|permitted|may|can|could|might|will|want(?:s|ed)?|expects?|expected|try|tries"
    r"|nice to have|desirable|encouraged|better|best|appreciated|helpful|useful|helps"
    r"|consider(?:s|ed)?|suggest(?:s|ed)?|optional",
    han=(
        "必须|务必|一定|只能|只用|只在|仅|只|始终|总是|确保|保证|需要|应该|应当|应|须"
        "|要求|尽量|最好|可以|永远|一律"
    ),
)
DENIED: Final = words(
    r"(?:may|can|could|must|shall|should|is|are|was|were|do|does|will|would"
    r"|has|have|been) not(?: be)?(?: (?:allowed|permitted))?|cannot|can['\u2019]?t"
    r"|not (?:allowed|permitted)|(?:is|are)n['\u2019]t (?:allowed|permitted)|not be "
    r"(?:allowed|permitted)|(?:is|are|be)? ?only (?:allowed|permitted)|(?:nothing"
    r"|nobody|no one|none)(?: [^\s,;]{1,80}){0,6}? (?:may|can|could|is|are)(?: "
    r"be)?(?: allowed| permitted)?|(?:no|neither) [^\s,]{1,60}(?: [^\s,]{1,30}){0,3}? (?:is|are"
    r"|may|can)(?: be)?(?: allowed| permitted)?|(?:may|can|must) never|(?:may|can) be \w{1,20} "
    r"only|(?:may|can) only|only [^,]{1,60}? (?:may|can)(?: be)?|nor (?:may|can|is|are)"
    r"|neither(?: [^\s]{1,60}){1,8}? (?:may|can)(?: be)?"
)
EXCLUSIVE: Final = words(
    r"(?<!not )(?<!not just )only(?! because)|solely|exclusively|nothing but|(?:anything|anyone"
    r"|any|none|other|nothing|no one|nobody)(?: \w{1,20})? (?:but|except|other than|else|than)"
    r"|other than|(?:reserved|restricted|limited|confined) (?:to|for)|nowhere else|no other"
    r"|strictly (?:on|in|to|for)|everything else|and nothing|alone|stick(?:s|ing)? (?:to|with)"
    r"|sole|the one(?! thing)",
    han="只|仅",
)
POSITIVE: Final = words(
    r"only(?! (?:allowed|permitted))|solely|exclusively|always|ensure|make sure"
    r"|(?<!not )must(?! (?:not|never))|(?<!not )(?:ha(?:s|ve)|needs?) to(?! (?:not|never))",
    han="必须|务必|只能|只用|始终|总是",
)
HEDGES: Final = words(
    r"might|maybe|perhaps|possibly|probably|likely|i think|i guess|i suspect"
    r"|suspects?|suspected|could be|may be(?! (?:touched|edited|changed|logged|used|renamed"
    r"|removed|deleted|committed|exceeded|run|added|merged|deployed|written|read|set|called"
    r"|lowered|raised|skipped|retried|stored|sent|pushed|modified|moved|exposed|dropped))"
    r"|may have|seems?|apparently|presumably"
    r"|hypothes[ie]s|theory|unconfirmed|not sure|unclear|appears? to|assum(?:e|ed"
    r"|ing|ption)|potential(?:ly)?|candidate|speculat\w{1,8}|guess|unverified"
    r"|suggest(?:s|ed|ion)?|propos(?:es|ed|al)|recommend(?:s|ed|ation)",
    han="建议|提议|可能|也许|或许|大概|猜测|怀疑|似乎|估计|应该是|不确定|假设",
)
ASIDE: Final = re.compile(
    r"(?<![\w-])(?:no exceptions?(?: \w{1,12}){0,3}|without (?:exception|fail)|no matter (?:what"
    r"|how|who)|whatever (?:you do|happens)|and (?:i mean it|that['\u2019]?s (?:final|that))"
    r"|full stop|not (?:now|even)|if not)(?!\w)"
)
"""What stresses a rule, and is no negation of it."""

ASKING: Final = re.compile(
    r"(?<!\w)(?:ask\w{0,3}|tell\w{0,3}|told|inform\w{0,3}|notif\w{1,5}|consult\w{0,3}"
    r"|approv\w{1,3}"
    r"|permission|consent|confirm\w{0,7}|sign\w{0,3}[- ]off|agree\w{0,4}|say[- ]so|go[- ]ahead"
    r"|check(?:ing|s|ed)? with)(?!\w)"
)
"""Words for one thing: that somebody has to be asked or told."""

REASON: Final = re.compile(
    r",? (?<!not )(?:(?:because|since|given that|due to|owing to"
    r"|(?<=, )as (?:it|they|that|this) (?:is|are|was|would|can|could|will|does|do)"
    r"|(?<=, )which (?:is|are|was|would))(?!\w)"
    r"|(?<!want )(?<!wants )(?<!asked )(?<!told )(?<!try )(?<!tries )(?<!need )(?<!needs )(?<!has )"
    r"(?<!have )(?<!is )(?<!are )(?<!ought )(?<!aim )(?<!aims )(?<!hope )(?<!hopes )(?<!seek )"
    r"(?<!like )(?<!likes )(?<!tend )(?<!tends )(?<!prefers )(?<!careful )(?<!sure )(?<!thing )"
    r"(?<!things )(?<!one )(?<!best )(?<!better )(?<!good )(?<!wise )"
    r"to (?:avoid|prevent)(?= (?!if |when |where)))[^.;:\n]{0,300}"
)
"""Why a rule holds: what is said there rules nothing."""

_THREAT: Final = re.compile(
    r"(?<![\w-])(?:(?:do not|don['\u2019]?t) (?:you (?:dare(?: to)?|ever)|even (?:think (?:of"
    r"|about)"
    r"|try to))|never,? ever)(?!\w)"
)
"""Another never."""

_DUTY: Final = re.compile(
    r"(?<![\w-])(?:(?:do not|don['\u2019]?t|never|must not) (?:ever )?(?:forget|fail|neglect"
    r"|omit) to"
    r"|there(?: is|['\u2019]s) no way around)(?!\w)"
)
"""Another must, worded as what one does not do."""


def plainly(text: str) -> str:
    """Return a text in lower case with a plain `never` or `must` for what only stresses one."""
    return _DUTY.sub("must", _THREAT.sub("never", text))


CONTRAST: Final = re.compile(
    r",(?: and)? (?:not|never) (?!to |be |even |a |one "
    r"|\w{2,20} (?:it|them|those|these)(?!\w)|(?:more|less|fewer|longer|shorter|later|earlier"
    r"|sooner"
    r"|higher|lower|larger|smaller|bigger|slower|faster|older|newer)(?!\w))[^,;:]{1,60}\Z"
)
"""What a rule is set off against, as in `call it once, not per row`."""
