"""What a spoken sentence decides, leaves to do, or says of an error that is not solved."""

import re
from functools import lru_cache
from typing import Final

from turnfold.audit._sentences import words_of
from turnfold.audit._states import state_of
from turnfold.transcript import Role

_WE: Final = r"(?:we|i|they|the team|team|everybody|everyone|user)"
_HAVE: Final = (
    r"(?:['\u2019](?:ve|re|ll|m|d)| have| had| are| were| will| also| all| then| finally"
    r"| just){0,2}"
)
_DECIDED: Final = (
    r"decision ?:|decid(?:ed?|es|ing) (?:to|on|that|against|in favou?r|for|not)|(?:was|were|is"
    r"|been|that['\u2019]s)"
    r" (?:decided|settled|final|agreed)|decided ?[:,]|agreed(?: ?[:,]| to| on| that| upon)"
    r"|settl(?:e|ed|es|ing) (?:on|for)"
    r"|chosen|(?:was|were|is|are|got) (?:picked|selected|adopted|ruled out|voted|turned down"
    r"|signed off|dropped)"
    r"|verdict ?:|final (?:call|answer|decision|choice|word|version)|resolved ?:|approved ?:"
    r"|rejected ?:|(?:design )?choice ?:"
    r"|our (?:pick|choice|decision)(?! of)|consensus|conclu(?:ded|sion) (?:is )?(?:that|to)"
    r"|made up (?:my|our) mind"
    r"|end of (?:discussion|story)|(?:it|that) is for|the way to go|green light|signed off on"
    r"|we['\u2019]re done deciding"
    r"|rul(?:e|ed|ing) (?:\S{1,60} )?out|voted? (?:\S{1,60} )?(?:down|in|for|against)"
    r"|out of the question"
    r"|off the table|standardi[sz]\w{1,3} on|(?<!keep )(?<!keep on )going with|went with"
    r"|no longer considering|(?:wins?|won) (?:out|over)|(?:call|choice) (?:was|has been"
    r"|is) made (?:to|for|in)|made the call (?:to|on)"
    r"|(?:both|all) of us agree[ds]?|(?:everyone|everybody|the team) agree[ds]?(?: ?[:,]| to| on"
    r"| that)"
    r"|that['\u2019]s (?:the decision|settled|decided|final)"
)
_BY_US: Final = (
    rf"{_WE}{_HAVE} (?:gone (?:with|for)|cho[os]\w{{1,3}}|pick\w{{0,3}}|select\w{{0,3}}|opt(?:ed"
    rf"|ing)? for"
    rf"|reject\w{{0,3}}|abandon\w{{0,3}}"
    r"|drop(?:ped|ping)?|adopt\w{0,3}|land(?:ed)? on|commit(?:ted|ting)? to"
    r"|stick(?:ing)? (?:with|to)|agree[ds]?"
    r"|go(?:ing)? (?:for|with)|keep(?:ing)?|kept|approv\w{1,3}|proceed(?:ing)? with"
    r"|turn(?:ed)? down|scrapp?\w{0,3})"
    rf"|{_WE} (?:will not|won['\u2019]t|are not going to|aren['\u2019]t going to"
    rf"|shall not) (?:use|adopt|support|keep"
    r"|build|do|ship|migrate|switch|move|go)"
    rf"|{_WE}(?:['\u2019]ll| will| shall) (?:use|keep|adopt|take|run|target|support)"
    r"|we(?:['\u2019]re| are) (?:doing|using|moving(?! on)|switching|dropping|keeping|building"
    r"|adopting|shipping)"
    r"|the (?:plan|idea|agreement) is to|opted for"
)
_LETS: Final = (
    r"let['\u2019]?s (?:drop|go (?:for|with)|use|settle|stick|keep|adopt|move|switch)"
    r"|(?:^|(?<=[,.;:] ))(?:go|stick) (?:for|with)|(?:^|(?<=[.;:] ))keeping|final ?:"
    r"|(?:i|we) (?:prefer|want to go)"
)
_DECISION: Final = re.compile(
    rf"(?<!\w)(?:{_DECIDED}|{_BY_US})(?!\w)|decision ?:|(?<=decided) ?:"
    "|决定|选定|敲定|商定|我们用|改用|采用"
)
_CHOICES: Final = (
    "use store keep put save write build host ship serve drop leave rewrite replace rename split "
    "merge move migrate deploy release cut freeze retire deprecate remove delete switch adopt "
    "take target support standardize standardise base model cache index route proxy publish "
    "expose implement introduce extract inline convert port pin upgrade downgrade enable disable "
    "stick roll treat handle require"
)
_DOUBLED: Final = ("put", "ship", "drop", "split", "cut", "pin")


def _going_on(verb: str) -> str:
    """Return the form of a verb that ends in -ing."""
    if verb in _DOUBLED:
        return f"{verb}{verb[-1]}ing"
    return f"{verb.removesuffix('e')}ing"


_CHOOSE: Final = rf"(?:{'|'.join(_CHOICES.split())}|go (?:with|for|ahead)|be (?:the|our))(?!\w)"
_CHOOSING: Final = rf"(?:{'|'.join(map(_going_on, _CHOICES.split()))}|going (?:with|for))(?!\w)"
_PLAN: Final = re.compile(
    r"(?<!\w)(?:we|(?:the|our) team)(?:['\u2019]ll| will| shall| won['\u2019]t| will not"
    r"|(?: are|['\u2019]re| is)(?: not|n['\u2019]t)? going to)(?: (?:just|simply|also|then|now"
    r"|all|only"
    rf"|both|take the hit and|go ahead and)){{0,2}} (?=(?:{_CHOOSE}|be {_CHOOSING}))"
    rf"|(?<!\w)(?:we|(?:the|our) team)(?: are|['\u2019]re| is) (?=(?:{_CHOOSING}))(?!moving on)"
    r"|(?<!\w)let['\u2019]?s (?=(?:have(?! (?:a|an|another|the)(?!\w))|put|store|roll with|host"
    r"|base"
    r"|route|pin|serve)(?!\w))"
    r"|(?:^|[.;] )(?:(?:so|and),? )?(?:(?:the|our|final|overall|team) ){0,2}(?:(?<=the )plan"
    r"|(?<=our )plan|(?<=team )vote|conclusion|outcome|signed off|resolution"
    r"|ruling|bottom line) ?:"
    r"|(?:^|[,;:] )(?:(?:so|then|ok(?:ay)?|alright|right|fine|well),? )?"
    r"(?!(?:what|how|as|where|that|whatever|like|because|if|when|since|which|who|and|but|than|think"
    r"|while|though|although|before|until|unless|then|so)(?!\w))[^\s,]{2,60} it"
    r"(?:['\u2019]ll be| is| shall be| will be)(?= for| in| as| then|[,.!]|\Z)"
    r"|, (?:final|(?:it['\u2019]s |that['\u2019]s |as |already )?decided(?: \w{2,12}){0,2}|settled"
    r"|no more (?:debate|discussion)|end of (?:story|debate|discussion))[.!]?\Z",
    re.IGNORECASE,
)
"""How a team lays down what it will do; said of later or of a case it is none."""

_NO_PLAN: Final = re.compile(
    r"(?<!\w)(?:later|tomorrow|afterwards|eventually|at some point|soon|next (?:week|month|time)"
    r"|someday|if|whether|maybe|perhaps|might|could|should we|unless|at the moment|right now"
    r"|currently|have to|need to)(?!\w)",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(r"`\S|\w[/_.]\w|--\w|\d|(?<=[\w,:] )[A-Z]\w|[a-z][A-Z]")
_USERS_DECISION: Final = re.compile(rf"(?<!\w)(?:{_LETS})(?!\w)", re.IGNORECASE)
_PASSING: Final = re.compile(
    r"(?<!\w)(?:let me|i['\u2019]ll|i will|thinking|i think|i['\u2019]m going to|now i"
    r"|first,? i|maybe|perhaps|could|should we|whether|if)"
    r"(?!\w)",
    re.IGNORECASE,
)
_NOTED: Final = (
    r"todos?|to-dos?|circle back|next on (?:the|my|our) list|on (?:my|the|our) list"
    r"|not (?:right )?now(?=[,.; ]|\Z)|open(?= ?:)|parked|punted|reminder|owe[sd]?|(?:thing"
    r"|item|piece|bit|part)s? left|left(?= is)|not \w{3,20} so far|missing(?= ?:)|to do(?= ?:)"
    r"|fixme|xxx|next (?:steps?|up)|follow[- ]?ups?|action items?|open (?:item|task|point"
    r"|issue|question)s?"
    r"|backlog|deferred|outstanding|pending|remaining(?= ?:| work(?: is| are| ?:)| is| are| to"
    r"|[.,;]|\Z)|left (?:to do|for later|undone|over)"
    r"|remains? (?:to|open|undone)|still (?:to|needs?|need|missing|open|left|has to|have to"
    r"|must|not)|yet to|to be done"
    r"|not (?:done|started|finished|complete[d]?|implemented|written|tested) ?(?:yet)?"
    r"|unfinished|what['\u2019]s (?:left|missing)"
    r"|is missing|are missing|for (?:later|another (?:day|time|session|pr))|(?:in|for) (?:the"
    r"|a) (?:next|later|future|follow-up)"
    r" (?:session|step|pr|release|sprint|iteration|commit)|come back to|get back to|revisit"
    r"|don['\u2019]t forget to"
    r"|(?:do not|must not) forget to|remember to|wip|work in progress|half[- ]done"
    r"|not there yet|someone (?:needs|has|should|must)(?= )"
    r"|(?:needs?|ha(?:s|ve)) to be (?:done|\w{3,20}ed) (?:later|afterwards|eventually"
    r"|at some point|soon)"
    r"|(?:later|afterwards|eventually|at some point),? (?:we|i|you|someone)"
    r"|after (?:this|that),? (?:\S{1,60} ){1,6}?(?:needs?|ha(?:s|ve) to)"
    r"|once [^.]{1,80} (?:we|you|i) (?:need|have|should|must|want|can)(?= )"
)
_NOT_YET: Final = (
    r"(?:(?:have|has|had|is|are|did|do|does)n['\u2019]t|(?:have|has|is|are"
    r"|did) not) (?:[^.\s]{1,60} ){1,10}?yet"
    r"|(?:need|needs|have|has) (?:[^.\s]{1,60} ){0,8}?(?:later|afterwards)(?=[.,;]|\Z)"
    r"|(?:later|tomorrow|afterwards)(?=[.,;]|\Z)|not (?:yet )?(?:finished|done)"
)
_TODO: Final = re.compile(
    rf"(?<![\w-])(?:{_NOTED}|{_NOT_YET})(?![\w-])|^\W{{0,4}}(?:\d{{1,3}}[.)] )?\[ \] "
    "|待办|未完成|尚未|下一步|还需要|还没(?:有)?(?:做|写|测|改|加|更新|完成|处理|通知|实现|修)"
)
_CONTENTS: Final = re.compile(r"(?<!\w)what (?:still )?needs to be (?:done|fixed)(?!\w)")
"""What a list or a part of a document tells of, which says nothing of what is left."""

_UNSOLVED: Final = re.compile(
    r"(?<![\w-])(?:still|un(?:re)?solved|unfixed|unexplained|unknown|unclear|block(?:s|ed|ing"
    r"|er)|keeps?|keep on|stuck"
    r"|persist(?:s|ed|ent|ing)?|remains?|can['\u2019]t|(?:can|could|did|do|does|have|has|was"
    r"|is)(?:n['\u2019]t| not|not)|unable"
    r"|no (?:fix|idea|clue|root cause|luck|solution|progress|explanation|way)|not (?:yet|fixed"
    r"|solved|resolved|properly"
    r"|known|sure|clear|understood)|again|came back|comes back|recur\w{0,4}|reappear\w{0,3}"
    r"|every time|whenever"
    r"|intermittent\w{0,2}|sporadic\w{0,4}|investigat\w{0,4}|look into|workaround|never (?:got"
    r"|found|solved|fixed|went)"
    r"|open(?! (?:the|a|source))|outstanding|fail(?:s|ing)? (?:with|on)|dies|aborts|throws"
    r"|ends in|ends with|stops with"
    r"|crash(?:es|ing)|seeing|getting|reproduc\w{1,4}|at a loss|mystery|pending"
    r"|unhandled)(?![\w-])"
    "|仍然|还是|未解决"
)
_SETTLED: Final = re.compile(
    r"(?<![\w-])(?:fixed|resolved|solved|no longer|gone|went away|fixes|fixing|handled"
    r"|by adding|let me|if|unless|when it"
    r"|passes now|expected|on purpose|intentional\w{0,2})(?![\w-])",
    re.IGNORECASE,
)
_NEGATED_SETTLED: Final = re.compile(
    r"(?:not|n['\u2019]t|never|un|no|yet)[ -]?(?:\w{1,12} ){0,2}"
    r"(?:fixed|(?:re)?solved|gone|handled)",
    re.IGNORECASE,
)


_AGREEMENT: Final = (
    "yeah yes yep yup sure fine good great nice cool right correct agree agreed agreement exactly "
    "absolutely definitely totally fully completely sounds sound makes make sense thanks thank "
    "ok okay alright indeed point fair perfect think thing let lets really well ve re ll go done "
    "decision decided final settled"
)
_OBJECTLESS: Final = words_of(_AGREEMENT) | frozenset(_AGREEMENT.split())
_PROGRESS: Final = re.compile(
    r"\W{0,4}(?:(?:now|next|first|ok(?:ay)?|then|and|so|also|meanwhile),? ){0,2}"
    r"(?:i['\u2019]m|i am|we['\u2019]re|we are) (?:\w{2,12}ly |now |also |just |still )?\w{2,20}ing"
    r"(?! to do| on for later)(?!\w)",
    re.IGNORECASE,
)


def has_object(sentence: str) -> bool:
    """Whether a sentence that decides says of what; a bare agreement decides nothing."""
    return bool(words_of(without_triggers(sentence)) - _OBJECTLESS)


def is_progress(sentence: str) -> bool:
    """Whether a sentence tells what its speaker is at right now, which leaves nothing to do."""
    return _PROGRESS.match(sentence) is not None


@lru_cache(maxsize=4_000)
def is_decision(sentence: str, role: Role = Role.USER) -> bool:
    """Whether a sentence decides; an assistant has to say so, and not of what it does next."""
    if _DECISION.search(sentence.lower()):
        return role is Role.USER or _PASSING.search(sentence) is None
    if _is_plan(sentence):
        return role is Role.USER or _PASSING.search(sentence) is None
    return role is Role.USER and _USERS_DECISION.search(sentence) is not None


def _is_plan(sentence: str) -> bool:
    """Whether a sentence lays down what will be done, of something that it names."""
    if not _PLAN.search(sentence) or _NO_PLAN.search(sentence):
        return False
    return _NAMED.search(sentence) is not None


def is_todo(sentence: str) -> bool:
    """Whether a sentence says that something is left to do."""
    low = _CONTENTS.sub(" ", sentence.lower())
    return _TODO.search(low) is not None and state_of(sentence).progress <= 0


def is_unsolved(sentence: str, after: str) -> bool:
    """Whether a sentence that names an error, or the next one, says that it is there still."""
    both = f"{sentence} {after}"
    if _SETTLED.search(_NEGATED_SETTLED.sub(" ", both)):
        return False
    return _UNSOLVED.search(both.lower()) is not None


def without_triggers(sentence: str) -> str:
    """Return a sentence without the words that make it an item."""
    low = sentence.lower()
    for triggers in (_PLAN, _USERS_DECISION, _DECISION, _TODO):
        low = triggers.sub(" ", low)
    return low
