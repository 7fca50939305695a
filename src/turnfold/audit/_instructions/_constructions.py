"""How people word rules without the words of rule-making: leave it alone, off limits, hands off.

Each group is one kind of construction. They are read in lower case, with quoted names crossed out.
"""

import re
from typing import Final

from turnfold.audit._instructions._alternatives import any_of
from turnfold.audit._instructions._habits import HABITS, INSISTED, INSISTED_WORDS, MARKED
from turnfold.audit._instructions._triggers import BEGINNINGS, FEW, ORDER, SOME, START

_BE: Final = (
    r"(?<!\w)(?:is|are|be|stays?|remains?|counts? as|['\u2019]s|considered|treated as|declared)"
)
_VERY: Final = (
    r"(?: (?:a|an|the|strictly|absolutely|always|completely|totally|all|hard|now|also|still))*? "
)
_SETTLED: Final = (
    r"(?:stored|kept|written|sent|logged|named|prefixed|signed|hashed|encrypted|encoded|formatted"
    r"|validated|serialized|serialised|versioned|documented|reviewed|tested|wrapped|routed|handled"
    r"|returned|expressed|done|built|deployed|run|configured|declared|defined|placed|put|made"
    r"|passed|escaped|checked|approved|sorted|rounded|quoted|tagged|squashed|released)"
)
"""What is done to things by a rule, where all of them or each is meant."""

_KEEPING: Final = (
    ORDER + r"keep (?!going|it up|up(?! to)|me |us |trying|in mind|an eye|track|looking|working on"
    r"|at it|calm|getting|having|seeing|on \w+ing|this in mind|that in mind)"
    + FEW
    + r"(?:\S{0,60}(?:`|\w[_/.]\w|--\w)|(?:in|into|on|at|out|off|away|under|within|inside|below"
    r"|above"
    r"|between|from|for|to|as|with|free|short|small|minimal|simple|stable|green|working|private"
    r"|secret|disabled|enabled|consistent|focused|compatible|backwards?|sorted|pinned|separate"
    r"|synced|secure|clean|alive|strict|every|all|each)(?!\w))",
    ORDER + r"leave (?!it (?:to|for|there)|me|us|comments?|a (?:comment|note|message)|feedback|now"
    r"|for now)" + FEW + r"\S",
    ORDER + r"(?:stay|stick|steer|remain|adhere|conform|abide|comply|refrain|abstain)"
    r" (?!tuned|here|put with|calm)(?:\w{1,12} )?(?:on|to|with|within|in|inside|under|below|above"
    r"|over|at|off|out|away|clear|by|from|put|strictly)(?!\w)",
    r"(?<!\w)(?:hands|paws)[- ]off(?! (?:to|the (?:work|task)))(?!\w)|(?<!\w)eyes off(?!\w)",
    ORDER + r"(?:hold off|hold back|lay off|back off|keep out|keep away|keep off)(?!\w)",
    ORDER
    + r"(?:resist|forgo|desist from|do without|have nothing to do with) (?!it|is|that|this)\S",
    ORDER
    + r"(?:stop|quit|cease) (?!it|that|this|the|being|trying|thinking|\w+ing (?:it|that|this)\b)"
    r"\w{2,20}ing(?!\w)",
    ORDER + r"(?:preserve|retain|respect|hono[u]?r|obey|reserve|restrict|confine|limit|cap"
    r"|default to|insist on|treat) " + FEW + r"\S",
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
    _BE
    + _VERY
    + r"(?:off[- ](?:limits|bounds)|hands[- ]off|out of (?:bounds|the question)|no[- ]go"
    r"|not an option"
    r"|off the table|illegal|untouchable|sacred|sacrosanct|banned|verboten|taboo|forbidden(?: \w+)?"
    r"|prohibited|non[- ]negotiable|not negotiable|not up for|red line|deal[- ]?breaker|must"
    r"|(?:hard |strict |firm )(?:requirement|rule|limit|constraint|no|cap|ceiling|floor|stop)"
    r"|requirement|mandatory|compulsory|obligatory|set in stone|reserved|restricted|limited to"
    r"|confined|immutable|verbatim|not tolerated|not (?:my|your) call|for (?:me"
    r"|us) (?:only )?to \w+"
    r"|not to (?:be|go|have|leave|run|get|exceed|fall)"
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
    + FEW
    + r"(?:touch|edit|chang|ship|merg|go|get|leav|land|deploy|push|writ|call|read|us|enter|run|mov"
    r"|may|can|should|must|shall|is allowed|is to|are to|renam|remov|delet|log)(?:e?s|es)?(?!\w)",
    START
    + r"(?:nobody|no[- ]one)(?: (?:but|except|other than|besides) \S{1,60}(?: \S{1,40}){0,2}?)?"
    r" (?:ever )?(?!knows|cares|works|seems|needs|wants|likes|uses|thinks|believes|is|was|has|does"
    r"|sees|says|reads|notices|understands|remembers|complains|minds|answers|replies|responds"
    r"|asks|gets|looks|owns|reports|expects)\w{2,20}s(?!\w)",
    START + r"nothing (?!works?|happen|chang|else|new(?! (?:uses|calls|goes|may|can|should"
    r"|must|lands))|is |was |to |but|seems?|in the logs?)"
    + FEW
    + r"(?:uses|calls|ships?|merges?|goes|gets|leaves|lands|deploys?|may|can|should|must"
    r"|shall|enters|runs|moves|is (?:merged|deployed|shipped|released|pushed|deleted))(?!\w)",
    START
    + r"(?:each|every|any) (?:time|single )?"
    + SOME
    + r"(?:gets?|needs?|requires?|must|ha(?:s|ve) to|(?:goes|go) (?:through|in|to|via|into|under)"
    r"|is to|are to|stays?|remains?|belongs?|carr(?:y|ies)|lives? (?:in|under)|uses?|comes? with"
    r"|takes? (?:at|no)|runs? (?:in|on|with|under|through|inside)|begins? with|starts? with"
    r"|ends? (?:with|in))(?!\w)",
    START
    + r"(?:all|any(?:thing|one|body)?|everything|everybody|everyone|both) "
    + FEW
    + r"(?:needs?|requires?|must|ha(?:s|ve) to|(?:goes|go) (?:through|in|to|via|into|under)|is to"
    r"|are to|stays?|remains?|belongs?|lives? (?:in|under)|gets? (?:a|an|its|their|reviewed|tested"
    r"|logged|signed))(?!\w)",
    START
    + r"(?:all|each|every) (?!the |of |these |those |this |that |my )(?:\S{1,60} ){1,5}?(?:is|are)"
    r" (?:always )?"
    + _SETTLED
    + r" (?:\w{3,15}ly )?(?:as|in|with|via|through|by|using|under|at|to|from|before|on)(?!\w)"
    r"(?! (?:the|a) (?:moment|time))",
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
_KEEPING_WORDS: Final = (
    "keep leave stay stays stick steer remain remains adhere conform abide comply refrain abstain "
    "hands eyes paws resist forgo desist do have hold lay back stop quit cease preserve retain "
    "respect honor honour obey reserve restrict confine limit cap default insist treat"
)
_WHO_WORDS: Final = (
    "nobody no none neither nothing each every any all anything anyone anybody everything "
    "everybody everyone both must need have ha has are is stay remain"
)
_GROUPS: Final = (
    (_KEEPING_WORDS, _KEEPING),
    ("", _VERDICTS),
    (_WHO_WORDS, _WHO),
    ("", HABITS),
    ("", MARKED),
    (INSISTED_WORDS, INSISTED),
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
