"""How people word rules by habit and by stress: we never do that, on every push, no exceptions.

They are read as those of `_constructions`, in lower case, with quoted names crossed out.
"""

from typing import Final

from turnfold.audit._instructions._triggers import ACTS, FEW, LEAD, ORDER, SOME, START

HABITS: Final = (
    r"(?<!\w)(?:we|you) (?:do not|don['\u2019]?t|never|will not|won['\u2019]t|do n['\u2019]t)"
    r" (?:ever |want to |just |directly )?"
    + ACTS
    + r"(?! (?:it|that|this|them)(?=[ .,]|\Z))(?!\w)",
    r"(?<!\w)we need (?:all|both|each|every)(?!\w)",
    (
        r"(?<!\w)(?:we|i|you) (?:ever )?(?:write|use|do|make|allow|add|ship|keep|store|log|accept"
        r"|take|import|call|commit|send|put|introduce|mix|leave|merge|push|tolerate|want|permit)"
        r" no (?!sense|difference|longer|idea|problem|more|time|one|harm|note|notice)\w"
    ),
    (
        r"(?<!\w)(?:we|i) (?:cannot|can['\u2019]?t|won['\u2019]?t|will not|must not|do not"
        r"|don['\u2019]t) (?:have|let|allow|accept|tolerate|permit|want|risk)"
        r" (?!to |it |that |this |been |had |me )(?:\S{1,60} ){1,5}?"
        r"(?!being|anything|something|nothing|everything)\w{2,20}ing(?!\w)"
    ),
    (
        r"(?<!\w)(?:i|we) (?:never|do not|don['\u2019]t) (?:ever )?(?:want|wish|like"
        r"|expect) to (?:see"
        r"|find|have|end up with) (?!you|it|this|that|me|how|what|if|why|where|the (?:error"
        r"|output))"
        r"\S"
    ),
    (
        r"(?<!\w)(?:i|we)(?: would|['\u2019]d)?(?: like| want| need| expect) (?:\S{1,60} ){1,6}?"
        r"(?:to )?(?:stay|remain|be left|be kept|left alone|never|not)(?! (?:with me"
        r"|on the line))(?!\w)"
    ),
    ORDER + r"let (?:nobody|no[- ]one|nothing|none)(?!\w)",
    r"(?<!\w)rule (?:number |no\.? |#)?(?:\d|one|two|three)\s?:",
    r"(?<!\w)(?:you|agents?) (?:may|can) (?:\S{1,60} ){1,8}?but (?:must |may |can )?not(?!\w)",
    r": [^\s,;]{1,60} only(?=[,.;!]|\Z)",
    (
        r"(?<!\w)make (?:it|this|that) (?:a|the|our) (?:\w{1,12} )?(?:rule|habit|point|policy"
        r"|requirement|condition|convention)(?!\w)"
    ),
    ORDER
    + r"(?:require|forbid|disallow|prohibit|ban|enforce|mandate|insist on|guarantee) (?!a lot|more"
    r"|(?:\S{1,60} ){1,4}?(?:is|are|was|were|has|have|slows?|breaks?|fails?)(?!\w))"
    r"(?:\S{1,60} ){1,8}?(?:before|after|for|from|on|in|at|with|to|when|whenever|unless|prior"
    r"|everywhere)(?!\w)",
    (
        r"(?<!\w)only [^.;]{1,200}? (?:may|must|shall|should) (?:ever )?(?:be|use|touch|call|edit"
        r"|import|read|write|run|access|change)(?!\w)"
        r"|(?<!\w)the only \w{3,20} (?:that )?(?:you|we|agents?) (?:may|should|must"
        r"|are allowed to)(?!\w)"
        r"|(?<!\w)always (?:go|move|change|ship|stay|travel|come) (?:together|along|in sync"
        r"|in pairs|in tandem)(?!\w)"
    ),
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
MARKED: Final = (
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
        r", (?:ever|always)(?=[,.!;]|\Z)|, period[.!]?\Z|(?<!\w)(\S{2,80}),? and only \1(?!\w)"
        r"|(?<!\w)(?:not otherwise|explicitly asked"
        r"|unless told otherwise)(?!\w)"
    ),
    (
        r"(?<!\w)(?:gets?|takes?|accepts?|allows?|receives?|permits?|tolerates?) (?:\S{1,40} ){1,3}"
        r"only(?=[.!;,]|\Z)"
    ),
    (
        r"(?<!\w)(?:is|are|stays?|remains?) the (?:one|only|sole) (?:\S{1,40} ){1,4}?(?:we|you|i)"
        r" (?:ever )?(?:use|raise|throw|accept|allow|support|ship|call|import|write|touch|deploy"
        r"|trust|want|return|run|target|log|send|store|may|can|should|must)(?!\w)"
    ),
    ORDER
    + ACTS[:-1]
    + r"|do|fix|make|solve|implement|get|refactor|achieve|finish|extend|support|handle) "
    + FEW
    + r"without (?:ever )?(?:touching|changing|breaking|modifying|editing|altering|renaming"
    r"|removing|adding|introducing|using|calling|restarting|disabling|deleting|writing|moving"
    r"|importing|loading|locking|bumping|dropping|exposing|pulling)(?!\w)",
    START + r"(?:whenever|(?:any|each|every) ?time) (?:you|we|anyone|anybody|someone|somebody"
    r"|they) (?!see"
    r"|have|want|need|notice|find|get)(?:\S{1,60} ){1,8}?(?<=, )(?:then |please |also |always |you"
    r" |we )?(?:must |have to |need to |should )?"
    + ACTS[:-1]
    + r"|verify|validate|test|lint|format|set|tag|ask|regenerate|rebuild|back up|check|bump)(?!\w)",
    START + r"(?:if|when) (?:you|we|anyone|anybody|someone|somebody) (?:ever )?(?:touch|change|edit"
    r"|modify"
    r"|alter|bump|rename|move|delete|remove|upgrade"
    r"|add to)(?:e?s)? (?:\S{1,60} ){1,6}?(?<=, )(?:then"
    r" |please |also |always |you |we )?(?:must |have to |need to |should )?"
    + ACTS[:-1]
    + r"|verify|validate|test|lint|format|set|tag|ask|regenerate|rebuild|back up|check|bump)(?!\w)",
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
    START
    + r"(?:if|when|whenever) (?:any|a|an|the|your|there|\S{0,40}`)"
    + r"(?: \S{1,60}){1,8}?(?<=,) (?:then |please |always |immediately )?"
    r"(?:stop(?! using)|abort|bail out|halt|ask (?:me|us|first|before))(?!\w)",
    (
        r"(?<!\w)(?:do|does)(?: not|n['\u2019]t) (?:ever )?get (?:\w{3,15}ed|written|put|sent|built"
        r"|run)"
        r"(?!\w)(?! (?:when|if|because|any))"
    ),
    r", so no (?!problem|need|worries|idea|luck|rush|harm|wonder|way|point|surprise|one|big)\S",
    (
        r"(?<!\w)(?:has|have|needs?) to be (?!able|sure|something|some|done|redone|made|a|an|the"
        r"|there"
        r"|more|in sync|honest|fair|clear|careful|that|this|my|your|it|someone)(?!\w{1,15}(?:ed|wn"
        r"|ilt|ought|itten|aken|iven|oken|osen|idden|otten|seen|ing)(?!\w))\S"
    ),
    (
        r"(?<!\w)(?:reviews?|approvals?|sign-?offs?|permission|confirmation|consent|tickets?"
        r"|backups?"
        r"|changelog entry|ok|okay|ack)(?: \S{1,40}){0,4}? (?:is|are) (?:needed|necessary|due"
        r"|a must)"
        r"(?! (?:now|here|right))(?!\w)"
    ),
    ORDER + ACTS[:-1] + r"|do|fix|store|answer|return|query|fetch|cover|test"
    r"|format) (?:\S{1,60} ){1,5}?only(?=[.!;]|\Z)",
    ORDER + r"(?:ask|check|confirm)(?: with)?(?: \w{2,20})? (?:first|before|beforehand)(?!\w)",
    r", so (?:please )?(?:do not|don['\u2019]?t|never)(?: \w{2,20}){0,2}[.!]?\Z",
    (
        r"(?<!\w)(?!(?:i|we|you|it|that|this|these|those|he|she|they|there|which|who|what|also"
        r"|still"
        r"|just|really|probably|not|to|would|will|may|might|someone|somebody|then|and|or|but|yes"
        r"|no|ok|okay|so|now|maybe|if) )\S{2,80} (?:has|have"
        r"|needs?) to (?!be |do |get |go |come|fix|change|update|wait|start|look|try|find|figure"
        r"|redo|rewrite|think|admit|say|happen|end |deal|learn|know|see|leave|finish|move on|catch"
        r"|decide|agree)\w"
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
    ORDER + ACTS[:-1] + r"|verify|validate|test|lint|format|set|mask|redact|encrypt|escape|exclude"
    r"|document|update|double-check|confirm|sign|regenerate|back up) " + FEW + r"(?:before|after"
    r"|on|for|in|with|at|whenever|prior to) (?:each|every|any|all|you|we)(?!\w)",
    START + r"(?:before|after|on|for|in|with|at|whenever|prior to) (?:each|every|any|all|a|you|we"
    r"|\w+ing)(?!\w)[^,]{0,80}, (?:\w{1,12} ){0,2}" + ACTS[:-1] + r"|verify|validate|test|lint"
    r"|format|set|double-check|confirm|ask|update|regenerate|back up|check)(?!\w)",
    ORDER
    + r"(?:mask|redact|encrypt|escape|sanitize|exclude|protect|guard|pin) "
    + FEW
    + r"(?:in|from|to|on|at|for|before|against) ",
    START + r"only (?:\S{1,60} ){1,5}?(?:is|are|gets?) (?:allowed|permitted|entitled|authori[sz]ed"
    r"|trusted"
    r"|supposed|to)(?!\w)",
    START + r"only \S{1,40} (?:\w{2,20}s|may|can|should|must)(?! (?:like|only))(?!\w)(?= )",
    (
        r"(?<!\w)(?:has|have|needs?|is|are) to (?:be (?:\w{2,15}ly )?\w{2,15}(?:ed|en|t"
        r"|n) (?:before"
        r"|by|in|on|except|when|whenever|while|during|only|until|after|everywhere|always"
        r"|at|with|for|through|under|within|unless|from|to)|stay|remain|go through|pass|match"
        r"|survive"
        r"|carry|live|fit|come (?:from|in|with|through|under)|keep|end|start with|run (?:on|in"
        r"|under"
        r"|inside|through|with))(?!\w)"
    ),
)
INSISTED: Final = (
    r"(?<!\w)make (?:absolutely|very|really|dead|doubly) (?:sure|certain)(?!\w)",
    ORDER
    + r"remember to (?!self)\w{2,20} "
    + FEW
    + r"(?:before|after|whenever|when|each|every|if|on"
    r"|in|for|while|until) \w",
    (
        r"(?<!\w)(?:i|we) (?:want|need|expect|require|ask"
        r"|would like) (?!to )(?:\S{1,60} ){2,12}?(?:before"
        r"|after|prior to|on|for|with|at|in|of|upon) (?:each|every|any|all)(?! (?:of )?(?:these"
        r"|this"
        r"|that|those|the))(?!\w)"
    ),
    r"(?<!\w)(?:i|we) (?:want|need|expect|require) "
    + SOME
    + r"(?:\w{2,20}ed|run|rerun|built|kept|sent"
    r"|written|put|done) (?:before|after|on|for|with|at|whenever|in) (?:each|every|any|all)(?!\w)",
    r"(?<!\w)(?:you|we) (?:cannot|can['\u2019]?t) (?:ever |just |simply )?"
    + ACTS
    + r" (?!it |that |this |anything|both|more than one)\S",
    r"(?<!\w)should(?: not|n['\u2019]t) (?:ever (?=\w)|(?:\S{1,80} ){1,8}?(?:at all|ever)(?!\w))",
    r"(?<!\w)there (?:must|shall|may|can) (?:be no|never be|not be)(?!\w)",
)
INSISTED_WORDS: Final = (
    "sure certain remember want need expect require cannot can should shouldn there"
)
