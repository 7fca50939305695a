"""How people word rules without the words of rule-making: leave it alone, off limits, hands off.

Each group is one kind of construction. They are read in lower case, with quoted names crossed out.
"""

import re
from typing import Final

from turnfold.audit._instructions._alternatives import any_of
from turnfold.audit._instructions._triggers import BEGINNINGS, LEAD, ORDER, START

_FEW: Final = r"(?:\S{1,80} ){0,8}?"
"""Some words in between: the thing that a rule is about."""

_SOME: Final = r"(?:\S{1,80} ){1,8}?"
_BE: Final = (
    r"(?<!\w)(?:is|are|be|stays?|remains?|counts? as|['\u2019]s|considered|treated as|declared)"
)
_VERY: Final = (
    r"(?: (?:a|an|the|strictly|absolutely|always|completely|totally|all|hard|now|also|still))*? "
)
_ACTS: Final = (
    r"(?:add|allow|accept|build|bump|call|change|check in|commit|copy|create|delete|deploy|disable"
    r"|drop|edit|enable|expose|force|hard-?code|import|include|install|invent|introduce|leak"
    r"|link|log|make|mention|merge|mix|mock|modify|move|mutate|override|paste|pin|print|publish"
    r"|push|put|read|rebase|release|remove|rename|reorder|replace|return|rely|rewrite|run|save|send"
    r"|share|ship|skip|squash|store|swallow|tag|touch|trust|upgrade|use|vendor|write)"
)
_KEEPING: Final = (
    ORDER + r"keep (?!going|it up|up(?! to)|me |us |trying|in mind|an eye|track|looking|working on"
    r"|at it|calm|getting|having|seeing|on \w+ing|this in mind|that in mind)"
    + _FEW
    + r"(?:\S{0,60}(?:`|\w[_/.]\w|--\w)|(?:in|into|on|at|out|off|away|under|within|inside|below"
    r"|above"
    r"|between|from|for|to|as|with|free|short|small|minimal|simple|stable|green|working|private"
    r"|secret|disabled|enabled|consistent|focused|compatible|backwards?|sorted|pinned|separate"
    r"|synced|secure|clean|alive|strict|every|all|each)(?!\w))",
    ORDER + r"leave (?!it (?:to|for|there)|me|us|comments?|a (?:comment|note|message)|feedback|now"
    r"|for now)" + _FEW + r"\S",
    ORDER + r"(?:stay|stick|steer|remain|adhere|conform|abide|comply|refrain|abstain)"
    r" (?!tuned|here|put with|calm)(?:\w{1,12} )?(?:on|to|with|within|in|inside|under|below|above"
    r"|over|at|off|out|away|clear|by|from|put|strictly)(?!\w)",
    ORDER + r"(?:hands|eyes|paws) off(?!\w)",
    ORDER + r"(?:hold off|hold back|lay off|back off|keep out|keep away|keep off)(?!\w)",
    ORDER
    + r"(?:stop|quit|cease) (?!it|that|this|the|being|trying|thinking|\w+ing (?:it|that|this)\b)"
    r"\w{2,20}ing(?!\w)",
    ORDER + r"(?:preserve|retain|respect|hono[u]?r|obey|reserve|restrict|confine|limit|cap"
    r"|default to|insist on|treat) " + _FEW + r"\S",
    (
        r"(?<!\w)(?:stays?|remains?) (?:\w{1,12} )?(?:out of|off|away|untouched|unchanged|private"
        r"|secret"
        r"|put|where (?:it|they)|as (?:it|they|is)|intact|on(?=[ .,]|\Z)(?! screen)|disabled"
        r"|enabled"
        r"|in place|within|below|under|above|at|closed|green|internal|the way)(?!\w)"
    ),
    r"(?<!\w)(?:all|each|these|those|three|both|they|\S*x|and \S{1,60}) stay(?=[.!]|\Z)",
)
_VERDICTS: Final = (
    _BE + _VERY + r"(?:off[- ]limits|out of (?:bounds|the question)|no[- ]go|not an option"
    r"|off the table|untouchable|sacred|sacrosanct|banned|verboten|taboo|forbidden(?: \w+)?"
    r"|prohibited|non[- ]negotiable|not negotiable|not up for|red line|deal[- ]?breaker|must"
    r"|(?:hard |strict |firm )(?:requirement|rule|limit|constraint|no|cap|ceiling|floor|stop)"
    r"|requirement|mandatory|compulsory|obligatory|set in stone|reserved|restricted|limited to"
    r"|confined|immutable|verbatim|not to (?:be|go|have|leave|run|get|exceed|fall)"
    r"|to (?:be left|be kept|stay|remain|go through)|not for|not acceptable|unacceptable"
    r"|not ok(?:ay)?|not fine|never (?:ok|okay|fine|acceptable|allowed|an option)|protected"
    r"|part of the (?:public )?(?:api|contract|interface))(?! by \w+ing)(?!\w)",
    (
        r"(?<!\w)(?:(?:is|are|stays?|remains?|be) )?(?:frozen|locked|fixed|closed|read[- ]only"
        r"|final)"
        r" (?:until|till|during|while|for|unless|throughout|as long|because)(?!\w)"
    ),
    (
        r"(?<!\w)(?:frozen|protected|mandatory|forbidden|banned|required|off[- ]limits|allowed"
        r"|reserved|untouchable)(?: (?:ones|files|names|items|parts|for|in|on|at|by)"
        r"(?: \S{1,40}){0,3}?)?(?: (?:is|are))?:"
    ),
    (
        r"(?<!\w)(?:frozen|protected|mandatory|forbidden|banned|required|allowed"
        r"|untouchable) (?:ones"
        r"|files|names|items|parts|paths|flags|variables) (?:is|are)(?!\w)"
    ),
    (
        r"(?<!\w)(?:it|that)(?: is|['\u2019]s) (?:\w{1,12} )?(?:essential|vital|crucial|imperative"
        r"|critical|mandatory|forbidden|prohibited|required|a must|not allowed|not ok(?:ay)?"
        r"|important|key|unacceptable|non[- ]negotiable)(?: for \S{1,40})? (?:that|to)(?!\w)"
    ),
    (
        r"(?<!\w)(?:zero tolerance|no place|no business|not welcome|belongs? (?:in|to|on|under|with"
        r"|nowhere)|(?:do|does)(?: not|n['\u2019]t) belong|has no place|not my call|not your call"
        r"|(?:do|does)(?: not|n['\u2019]t) go (?:in|into|to|on|out|through|past|over|under))(?!\w)"
    ),
    (
        r"(?<!\w)(?:gets?|will be|are|is) (?:rejected|refused|turned down|sent back|reverted"
        r"|bounced)(?! by the)(?: (?:in|at|on|by|if|when|unless|without))?(?=[ .,]|\Z)"
    ),
)
_WHO: Final = (
    START
    + r"(?:nobody|no[- ]one|none of (?:you|us|them|the|these|those|\S{1,60},)|neither(?: of)?)"
    r" (?!knows?|cares?|works?|seems?|of them works?|else is)"
    + _FEW
    + r"(?:touch|edit|chang|ship|merg|go|get|leav|land|deploy|push|writ|call|read|us|enter|run|mov"
    r"|may|can|should|must|shall|is allowed|is to|are to|renam|remov|delet|log)(?:e?s|es)?(?!\w)",
    START + r"nothing (?!works?|happen|chang|else|new(?! (?:uses|calls|goes|may|can|should"
    r"|must|lands))|is |was |to |but|seems?|in the logs?)"
    + _FEW
    + r"(?:uses|calls|ships?|merges?|goes|gets|leaves|lands|deploys?|may|can|should|must"
    r"|shall|enters|runs|moves|is (?:merged|deployed|shipped|released|pushed|deleted))(?!\w)",
    START
    + r"(?:each|every|any) (?:time|single )?"
    + _SOME
    + r"(?:gets?|needs?|requires?|must|ha(?:s|ve) to|(?:goes|go) (?:through|in|to|via|into|under)"
    r"|is to|are to|stays?|remains?|belongs?|carr(?:y|ies)|lives? (?:in|under)|uses?|comes? with"
    r"|takes? (?:at|no)|runs? (?:in|on|with|under|through|inside)|begins? with|starts? with"
    r"|ends? (?:with|in))(?!\w)",
    START
    + r"(?:all|any(?:thing|one|body)?|everything|everybody|everyone|both) "
    + _FEW
    + r"(?:needs?|requires?|must|ha(?:s|ve) to|(?:goes|go) (?:through|in|to|via|into|under)|is to"
    r"|are to|stays?|remains?|belongs?|lives? (?:in|under)|gets? (?:a|an|its|their|reviewed|tested"
    r"|logged|signed))(?!\w)",
    START + r"(?:each|every) \S{1,60}(?: \S{1,60}){0,3}? (?:in|under|behind|with|through) \S",
    (
        r"(?<!\w)all (?:of )?(?:them|these|those|three|two|four)(?:(?: of them)? (?:are "
        r"|is )?(?:needed|required"
        r"|mandatory|must|have|need|stay))(?!\w)"
    ),
    (
        r"(?<!\w)(?:\S{1,80}, ){2}(?:and )?\S{1,80} (?:all |each |both |always )?(?:have to|need to"
        r"|must"
        r"|are to|ha(?:s|ve) to|stay|remain|need(?! \w+ing)|are (?:required|needed|mandatory"
        r"|part of))"
        r"(?!\w)"
    ),
)
_HABITS: Final = (
    r"(?<!\w)(?:we|you) (?:do not|don['\u2019]?t|never|will not|won['\u2019]t|do n['\u2019]t)"
    r" (?:ever |want to |just |directly )?"
    + _ACTS
    + r"(?! (?:it|that|this|them)(?=[ .,]|\Z))(?!\w)",
    r"(?<!\w)we need (?:all|both|each|every)(?!\w)",
    LEAD
    + r"(?:make sure|ensure|be sure|see to it|take care)(?: that)? (?=[^.]{0,80}(?:`|\w[_/.-]\w"
    r"|--))",
    (
        r"(?<!\w)we (?:only|always|exclusively|support(?!ed)|insist on|stick (?:to|with)|stay (?:on"
        r"|with)|require"
        r"|expect)(?!ed)(?!\w)"
    ),
    (
        r"(?<!\w)(?:we|you)(?: are|['\u2019]re) (?:not |never |only )?(?:allowed|permitted|required"
        r"|expected|obliged|supposed|to)(?! (?:be able|go|get|see|have been|do next))(?!\w)"
    ),
    (
        r"(?<!\w)(?:we|you)(?: all)? (?:need|have|must|got|want) (?:to )?(?:a )?(?:keep|stay|stick"
        r"|leave"
        r"|remain|preserve|avoid|ensure|make sure|respect|maintain|minimum|maximum|at least|at most"
        r"|have (?:at|no))(?!\w)"
    ),
    (
        r"(?<!\w)(?:i|we)(?: would|['\u2019]d)? (?:like|love|prefer|want"
        r"|need) (?:\w{1,12} ){0,2}(?:to )?"
        r"(?:never|always|not|only)(?!\w)"
    ),
    ORDER + r"(?:make|do|add|introduce|allow|accept|write|create|use|leave|put|store) no (?!sense"
    r"|difference)\w",
    r"(?<!\w)(?:needs?|requires?|wants?) (?:all|each|every|both)(?: of)?(?!\w)",
    (
        r"(?<!\w)(?:these|those|the following|the rest)(?: \w{1,15}){0,3}? (?:stay|remain|are|must"
        r"|need)"
        r"(?: \S{1,30}){0,4}?:"
    ),
    START
    + r"(?!(?:it|this|that|they|he|she|we|i) )(?:\S{1,60} ){0,5}?\w{2,30}s (?:go|live|belong|come"
    r"|stay) (?:to|in|into|under|through|on|from|with|via|inside) (?=`)",
    (
        r"(?<!\w)i (?:insist|expect|require|demand|forbid|won['\u2019]t (?:accept|tolerate|merge"
        r"|allow)"
        r"|will not (?:accept|tolerate|merge|allow)|(?:do not|don['\u2019]?t) (?:ever )?(?:want"
        r"|accept"
        r"|allow|tolerate)(?! (?:to|me)))(?!ed)(?!\w)"
    ),
    (
        r"(?<!\w)(?:my|our|one|another|the|golden|ground|house|hard) (?:hard |only |golden |first "
        r"|main )?"
        r"(?:rule|policy|requirement|constraint|condition|limit|convention|invariant|demand|ask)"
        r"(?: (?:for|on|about|here|in|of|with) \S{1,60}(?: \S{1,30}){0,3}?)?(?: is)?(?: that"
        r"|:)(?!\w)"
    ),
    START + r"(?:hard rule|hard requirement|requirement|constraint|policy|non-negotiable|house rule"
    r"|ground rule|strict rule|mandatory|reminder|caution|warning)s?(?: [\w ]{1,30})?:",
)
_MARKED: Final = (
    (
        r"(?<!\w)(?:no exceptions?|without (?:exception|fail)|no matter (?:what|how|who)|whatever"
        r" (?:you do|happens)|and i mean it|full stop|under any circumstances?|in no case"
        r"|by no means"
        r"|at no (?:point|time)|no way around|don['\u2019]?t you dare|not even (?:in|for|on|if"
        r"|once)"
        r"|nowhere else|nothing else|no other \S{1,40} (?!(?:problem|issue|way|reason|question"
        r"|error))"
        r"|nothing (?:newer|older|more|less|bigger|smaller|fancier|beyond|besides)|exclusively"
        r"|strictly (?:on|in|within|inside|to|for|with|from)|what must (?:not|never) happen"
        r"|everything else (?:is|stays|must))(?!\w)"
    ),
    (
        r", (?:ever|always|period)[.!]?\Z|(?<!\w)(?:not otherwise|explicitly asked"
        r"|unless told otherwise)(?!\w)"
    ),
    ORDER + r"use (?:only )?(?=[^\s]{0,60}(?:`|\w[_/.]\w|--\w))[^.]{1,120}? (?:for \w+ing"
    r"|for (?:all|every|any|each)"
    r"|in this (?:repo|project|codebase)|everywhere|throughout|whenever)(?!\w)",
    ORDER + r"(?:do|store|write|send|handle|express|compute|serve|format|pass|return|log) (?:all"
    r"|every|each)"
    r" [^.]{1,80}? (?:in|with|on|through|via|as|under|to|from|by|inside)"
    r" (?=[^\s]{0,40}(?:`|\w[_/.]\w))",
    ORDER + r"(?:ignore|skip|exclude|assume|trust|treat|use|read|touch|edit|change|run|ask|include)"
    r" [^.]{1,160}? (?:unless|except|other than|apart from)(?!\w)",
    (
        r"(?<!\w)without (?:\w{1,12} ){0,2}(?:approvals?|permission|consent|asking|confirmation"
        r"|sign-?offs?|checking (?:with)|consulting|telling|(?:an? )?(?:backup|review|rfc|ticket"
        r"|okay"
        r"|ok|go-ahead|test|tests))(?!\w)"
    ),
    ORDER + r"(?:ask|check with|consult|tell|notify|ping|wait for) (?:me|us|\w{2,20}) (?:first"
    r"|before|for|whenever|prior)(?!\w)",
    ORDER + r"(?:get|obtain|wait for|ask for) (?:\w{1,12} ){0,2}(?:approval|permission|sign-?off"
    r"|confirmation|consent|ok|okay|go-ahead)(?!\w)",
    (
        r"(?<!\w)(?:needs?|requires?) (?:\w{1,12} ){0,3}(?:approvals?|review|reviews|sign-?offs?"
        r"|permission"
        r"|tests?|owner|confirmation|rollback|ticket|migration|changelog entry)(?!\w)(?! (?:is"
        r"|are) )"
    ),
    ORDER + _ACTS[:-1] + r"|verify|validate|test|lint|format|set|mask|redact|encrypt|escape|exclude"
    r"|document|update|double-check|confirm|sign|regenerate|back up) " + _FEW + r"(?:before|after"
    r"|on|for|in|with|at|whenever|prior to) (?:each|every|any|all|you|we)(?!\w)",
    START + r"(?:before|after|on|for|in|with|at|whenever|prior to) (?:each|every|any|all|a|you|we"
    r"|\w+ing)(?!\w)[^,]{0,80}, (?:\w{1,12} ){0,2}" + _ACTS[:-1] + r"|verify|validate|test|lint"
    r"|format|set|double-check|confirm|ask|update|regenerate|back up|check)(?!\w)",
    ORDER
    + r"(?:mask|redact|encrypt|escape|sanitize|exclude|protect|guard|pin) "
    + _FEW
    + r"(?:in|from|to|on|at|for|before|against) ",
    START + r"only \S{1,40} (?:\w{2,20}s|may|can|should|must)(?! (?:like|only))(?!\w)(?= )",
    (
        r"(?<!\w)(?:has|have|needs?|is|are) to (?:be (?:\w{2,15}ly )?\w{2,15}(?:ed|en|t"
        r"|n) (?:before"
        r"|by|in|on"
        r"|at|with|for|through|under|within|unless|from|to)|stay|remain|go through|pass|match"
        r"|survive"
        r"|carry|live|fit|come (?:from|in|with|through|under)|keep|end|start with|run (?:on|in"
        r"|under"
        r"|inside|through|with))(?!\w)"
    ),
)
_INSISTED: Final = (
    r"(?<!\w)make (?:absolutely|very|really|dead|doubly) (?:sure|certain)(?!\w)",
    ORDER
    + r"remember to (?!self)\w{2,20} "
    + _FEW
    + r"(?:before|after|whenever|when|each|every|if|on"
    r"|in|for|while|until) \w",
    r"(?<!\w)(?:i|we) (?:want|need|expect|require) "
    + _SOME
    + r"(?:\w{2,20}ed|run|rerun|built|kept|sent"
    r"|written|put|done) (?:before|after|on|for|with|at|whenever|in) (?:each|every|any|all)(?!\w)",
    r"(?<!\w)(?:you|we) (?:cannot|can['\u2019]?t) (?:ever |just |simply )?"
    + _ACTS
    + r" (?!it |that |this |anything|both|more than one)\S",
    r"(?<!\w)should(?: not|n['\u2019]t) (?:ever (?=\w)|(?:\S{1,80} ){1,8}?(?:at all|ever)(?!\w))",
    r"(?<!\w)there (?:must|shall|may|can) (?:be no|never be|not be)(?!\w)",
)
_INSISTED_WORDS: Final = (
    "sure certain remember want need expect require cannot can should shouldn there"
)
_KEEPING_WORDS: Final = (
    "keep leave stay stays stick steer remain remains adhere conform abide comply refrain abstain "
    "hands eyes paws hold lay back stop quit cease preserve retain respect honor honour obey "
    "reserve restrict confine limit cap default insist treat"
)
_WHO_WORDS: Final = (
    "nobody no none neither nothing each every any all anything anyone anybody everything "
    "everybody everyone both must need have ha has are stay remain"
)
_GROUPS: Final = (
    (_KEEPING_WORDS, _KEEPING),
    ("", _VERDICTS),
    (_WHO_WORDS, _WHO),
    ("", _HABITS),
    ("", _MARKED),
    (_INSISTED_WORDS, _INSISTED),
)
_COMPILED: Final = tuple(
    (frozenset(words.split()), any_of(group, BEGINNINGS)) for words, group in _GROUPS
)
_WORD: Final = re.compile(r"[a-z]+")


def is_construction(low: str) -> bool:
    """Whether a sentence, in lower case, is worded like a rule; a group needs one of its words."""
    found = frozenset(_WORD.findall(low))
    return any(
        pattern.search(low)
        for words, pattern in _COMPILED
        if not words or not words.isdisjoint(found)
    )
