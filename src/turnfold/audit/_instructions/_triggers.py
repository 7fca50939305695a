"""The words of rule-making: never, always, must, only, do not, and their like."""

import re
from typing import Final

from turnfold.audit._instructions._alternatives import any_of

START: Final = (
    r"(?:^|[,;:(\u2013\u2014\uff0c\uff1b\uff1a-] ?|(?<!\w)(?:and|but|so|then|also"
    r"|please|pls|remember(?: to)?"
    r"|note(?: that)?|important|that|just|ok(?:ay)?|rule|either|further|moreover"
    r"|furthermore|finally) )"
)
LEAD: Final = START + r"(?:please |also |just |you |we |then |and |but |so )?"
ORDER: Final = START + r"(?:please |also |just |then |and |but |so )?"
BEGINNINGS: Final = (LEAD, ORDER, START, r"(?<!\w)")
"""How wordings begin: at a word, at a clause, or at one with a word or two before the order."""

FEW: Final = r"(?:\S{1,80} ){0,8}?"
"""Some words in between: the thing that a rule is about."""

SOME: Final = r"(?:\S{1,80} ){1,8}?"
ACTS: Final = (
    r"(?:add|allow|accept|build|bump|call|change|check in|commit|copy|create|delete|deploy|disable"
    r"|drop|edit|enable|expose|force|hard-?code|import|include|install|invent|introduce|leak"
    r"|link|log|make|mention|merge|mix|mock|modify|move|mutate|override|paste|pin|print|publish"
    r"|push|put|read|rebase|release|remove|rename|reorder|replace|return|rely|rewrite|run|save|send"
    r"|share|ship|skip|squash|store|swallow|tag|touch|trust|upgrade|use|vendor|write)"
)
"""What is done to code, files and the like: the verbs that most rules are about."""

_AFTER_NOT: Final = (
    r"(?!(?:know|think|see|understand|worry|care|mind|forget|remember|have|need|get"
    r"|like|believe|want|bother|feel|we|i|you|hesitate|do (?:that|this|it|anything)"
    r"|stop|panic|give up|quote me|love|hate|really|seem|recall|agree|exist|work"
    r"|matter|look|mean|support|even|currently|actually|use any tools?|proceed|continue"
    r"|rush|wait|start|let (?:me|us)|[a-z]{2,15} (?:it|that|this|them|those)"
    r"|[a-z]{2,15} (?:the|this) (?:full|whole|entire))(?!\w))"
)
ENGLISH: Final = any_of(
    (
        LEAD + r"(?:never,? ever,?|never|always) (?!(?:mind|works?|worked|fails?|failed|happens?"
        r"|happened"
        r"|been|seen|heard|was|were|is|are|had|has|got|did|a|the|an|again|until|if"
        r"|when)(?!\w))\w",
        ORDER + r"(?:do not|don['\u2019]?t|do n['\u2019]t) (?:ever )?" + _AFTER_NOT + r"\w",
        r"(?<!\w)(?:must|shall)(?: ?n['\u2019]?t| never| not| always| only)?(?!\w)",
        (
            r"(?<!\w)(?:is|are|be|remains?) (?:strictly |absolutely |always |explicitly "
            r")?(?:required|mandatory|forbidden|prohibited|not allowed|not permitted|never "
            r"allowed|off[- ]limits|banned|disallowed|not acceptable|obligatory|read[- "
            r"]only)(?! by)(?!\w)"
        ),
        ORDER + r"only (?!(?:one|a|an|the|see|saw|because|thing|problem|issue|if you want"
        r"|question|that|this|it|just|got|had|getting|works?|happens?|my|your|his|their"
        r"|our|some|certain|those|these|suitable|available|valid|two|three)(?!\w))\w",
        (
            r"(?<!\w)(?:use|using|support|target|run|touch|edit|change|commit|accept|allow"
            r"|deploy|read|write|test|include|return|respond|reply|answer|output|import"
            r"|call) (?:[\w.+`/-]{1,40} ){0,3}(?:only|exclusively|solely)(?!\w)"
        ),
        (
            r"(?<!\w)(?:may|can|should|must) only(?!\w)|(?<!\w)only [^.,]{1,40} (?:may|can"
            r"|must|should)(?!\w)"
        ),
        (
            r"(?<!\w)we only (?:want|use|support|deploy|ship|accept|allow|target|push|merge"
            r"|release)(?!\w)"
        ),
        (
            r"(?<!\w)(?:i|we)(?: would|['\u2019]d)?(?: really| also| still| actually)? "
            r"(?:do not|don['\u2019]?t|never|only|always|wouldn['\u2019]t) (?:ever "
            r")?want(?!ed)(?! (?:me|to (?:know|ask|answer|be|think|talk"
            r"|hear|see)))(?!\w)"
        ),
        r"(?<!\w)(?:i|we) want (?:you )?to (?:always|never|only|not)(?!\w)",
        LEAD + r"(?:make sure|ensure|be sure|see to it|remember)(?=[^.]{0,200}(?<!\w)(?:always"
        r"|never|only|every|no|at (?:most|least))(?!\w))",
        ORDER + r"avoid (?=\w)",
        ORDER + r"prefer \w",
        ORDER + r"refrain from(?!\w)",
        LEAD + r"(?:keep|leave) [^.]{1,60} (?:unchanged|as[- ]is|untouched|alone|intact|the "
        r"same)(?!\w)",
        (
            r"^(?:(?:strictly|absolutely|definitely|please),? |rule: )no `\S|^(?:(?:strictly"
            r"|absolutely"
            r"|definitely|please|also|and|again|so|but|rule),? |rule: )?no (?!(?:problem|need"
            r"|worries|idea|luck|errors?|changes?|difference|way|that"
            r"|it|its|this|i|we|you|one|matter|longer|more than|thanks|sorry|wait|just|not"
            r"|but|the|other|such|file|matching|output|results?|doubt|clue|rush|big deal|please"
            r"|go|use|keep|do|more)(?!\w))[a-z][a-z-]*(?!\w) ?[\w./`-]"
        ),
        (
            r"(?<!\w)should (?:always|never|only)(?!\w)|(?<!\w)(?:you|we) should(?: not"
            r"|n['\u2019]t)(?! (?:need|have|be able)(?!\w))(?!\w)"
        ),
        (
            r"(?<!\w)(?:needs? to|has to|have to) (?:always|never|only)(?!\w)"
            r"|(?<!\w)(?:always|never) (?:needs? to|has to|have to)(?!\w)"
        ),
        (
            r"under no (?:circumstances?|conditions?)|at all times|on no account"
            r"|(?<!\w)from (?:now|here|today|this point) on(?!\w)"
            r"|(?<!\w)going forward|in (?:the )?future,|(?<!\w)as a rule(?!\w)|every time "
            r"(?:you|we)"
        ),
        (
            r"(?<!\w)(?:you|nobody|no one|anyone|agents?|tests?|code|users?|we) (?:may not"
            r"|must|are not to|is not to|are not allowed|aren['\u2019]t allowed)(?!\w)"
            r"|(?<!\w)you (?:cannot|can['\u2019]?t) (?!see|know|find)(?!\w)"
            r"|(?<!\w)(?:nobody|no one) (?:may|can|should|is allowed)"
        ),
        (
            r"(?<!\w)(?:may|must|can) not be(?!\w)|(?<!\w)cannot be (?:changed|modified"
            r"|edited|removed|deleted|renamed|exceeded|used|committed|skipped"
            r"|disabled)(?!\w)"
        ),
    ),
    BEGINNINGS,
)
PLURAL_NEVER: Final = re.compile(
    r"^(?!(?:i|it|he|she|that|this|the|they|there|which|if|when|because|since|my"
    r"|our)\b)(?:[\w`./-]{1,40} ){1,7}?(?:never|always) (?!(?:been|was|were|had|got"
    r"|did|a|the|an|again|seem|fail|crash|time|hang|throw|break|die|get|show|end(?! up)|give"
    r"|happen|work"
    r"|look|feel|want|need|know|think)\b)[a-z]{2,20}(?<!ed)(?<![^s]s)\b"
)
HAN: Final = re.compile(
    "不要(?!担心|紧张|急|说|紧)|不得(?!不|了)|不许|不准|不允许|禁止|切勿|请勿|严禁"
    "|绝不|决不|必须(?!的)|务必|一定要|只能(?!说)|只用|只允许|仅限|仅允许"
    "|不能(?!运行|工作|启动|用了|正常|打开|连接|访问|理解|确定|编译)"
    "|(?:始终|总是|永远)(?!失败|报错|出错|是|返回|显示|不对|会|有)|别再|(?:^"
    "|[\uff0c。\uff1b\uff1a,;!\uff01 ])(?:请)?别(?!的|人|处|担心|急)|避免|一律"
    "|不可(?!能|以)|从不|以后(?:都|不)"
)
