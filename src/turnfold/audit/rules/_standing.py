"""The standing rules that users state, and no request of the moment."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from turnfold.audit.rules._modes import Mode, Scope, mode_of, scopes_of
from turnfold.audit.rules._prose import Sentence
from turnfold.audit.rules._terms import terms, total
from turnfold.audit.rules._vocabulary import Comparator

_START: Final = (
    r"(?:^|[,;:(\u2013\u2014\uff0c\uff1b\uff1a-] ?|(?<!\w)(?:and|but|so|then|also"
    r"|please|pls|remember(?: to)?"
    r"|note(?: that)?|important|that|just|ok(?:ay)?|rule|either|further|moreover"
    r"|furthermore|finally) )"
)
_LEAD: Final = _START + r"(?:please |also |just |you |we |then |and |but |so )?"
_ORDER: Final = _START + r"(?:please |also |just |then |and |but |so )?"
_QUESTION: Final = re.compile(
    r"[?\uff1f][\"')*_\s]{0,6}\Z|[吗呢][?\uff1f。]?\Z|是否|为什么|怎么|能不能"
    r"|可不可以|要不要|是不是|(?:^|, )(?:so |and |but |ok(?:ay)?,? |hm+,? |wait,? "
    r"|also,? )*"
    r"(?:why|how|what|when(?= (?:is|do|does|did|was|will|should|can|are))|where|who"
    r"|which|should|shouldn['\u2019]?t|can|can['\u2019]t|could|couldn['\u2019]t"
    r"|would|wouldn['\u2019]t|will"
    r"|do(?= (?:we|you|i|they|the|any))|don['\u2019]t (?:we|you|i|they)\b|does|did"
    r"|is|isn['\u2019]t|are|aren['\u2019]t|was|were|has|have)\s(?!to\b)"
)
_OTHERS: Final = re.compile(
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
_MOMENT: Final = re.compile(
    r"(?<!\w)line \d|(?<!\w)(?:you|we) must (?:update|fix|implement|create|add|rewrite"
    r"|finish|complete|look|read) (?:all|at|the|this|these|my|a|an) "
    r"(?!.{0,200}(?<!\w)(?:always|every"
    r"|each|before|after|when\w{0,4})(?!\w))|"
    r"(?<!\w)(?:yet|for now|right now|this time|at the moment|just now|for the "
    r"moment|today|tonight|anymore\?|(?:do|does|did)n['\u2019]t (?:work|exist|show"
    r"|seem|appear|look|match|matter|help|make sense|happen))(?!\w)|暂时|先不|这次"
    r"|目前|现在先|今天"
)
_UNSURE: Final = re.compile(
    r"(?<!\w)(?:i think|i guess|i suppose|maybe|perhaps|probably|i feel|i wonder"
    r"|wondering|not sure|i suspect|seems?|it looks like|apparently)(?!\w)|可能"
    r"|也许|大概|我觉得"
)
_TOLD: Final = re.compile(
    r"(?<!\w)(?:was|were|had|took|failed|fails|got|saw|found|ran|passed|been|there "
    r"(?:is|are|were|was)|happened|happens|crashes|crashed|returned|broke|went"
    r"|keeps|kept|used to|worked|works|tried|thought|showed|shows)(?!\w)"
    r"|了(?:[\uff0c。,.]|\Z)"
)
_MISREAD: Final = re.compile(
    r"(?<!\w)(?:it|that|this|there|something|he|she|they|which) must(?!\w)"
    r"|(?<!\w)this (?:\w{1,20} ){1,2}must(?!\w)|(?<!\w)must have(?!\w)|must be (?:a"
    r"|an|the|some|something|because|due|wrong|missing|broken)(?!\w)"
    r"|never ?mind|at least (?:it|that|this|now|we|i|the|for|some)(?!\w)|as always"
    r"|not only|only (?:\w{1,12} ){0,2}(?:problem|issue|thing|question|difference"
    r"|reason|way|one|downside)"
)
_AFTER_NOT: Final = (
    r"(?!(?:know|think|see|understand|worry|care|mind|forget|remember|have|need|get"
    r"|like|believe|want|bother|feel|we|i|you|hesitate|do (?:that|this|it|anything)"
    r"|stop|panic|give up|quote me|love|hate|really|seem|recall|agree|exist|work"
    r"|matter|look|mean|support|even|currently|actually|use any|proceed|continue"
    r"|rush|wait|start|let (?:me|us)|[a-z]{2,15} (?:it|that|this|them|those)"
    r"|[a-z]{2,15} (?:the|this) (?:full|whole|entire))(?!\w))"
)
_ENGLISH: Final = re.compile(
    "|".join(
        (
            _LEAD + r"(?:never|always) (?!(?:mind|works?|worked|fails?|failed|happens?|happened"
            r"|been|seen|heard|was|were|is|are|had|has|got|did|a|the|an|again|until|if|when)(?!\w))\w",
            _ORDER + r"(?:do not|don['\u2019]?t|do n['\u2019]t) (?:ever )?" + _AFTER_NOT + r"\w",
            r"(?<!\w)(?:must|shall)(?: ?n['\u2019]?t| never| not| always| only)?(?!\w)",
            (
                r"(?<!\w)(?:is|are|be|remains?) (?:strictly |absolutely |always |explicitly "
                r")?(?:required|mandatory|forbidden|prohibited|not allowed|not permitted|never "
                r"allowed|off[- ]limits|banned|disallowed|not acceptable|obligatory|read[- "
                r"]only)(?! by)(?!\w)"
            ),
            _ORDER + r"only (?!(?:one|a|an|the|see|saw|because|thing|problem|issue|if you want"
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
            _LEAD + r"(?:make sure|ensure|be sure|see to it|remember)(?=[^.]{0,200}(?<!\w)(?:always"
            r"|never|only|every|no|at (?:most|least))(?!\w))",
            _ORDER + r"avoid (?=\w)",
            _ORDER + r"prefer \w",
            _ORDER + r"refrain from(?!\w)",
            _LEAD + r"(?:keep|leave) [^.]{1,60} (?:unchanged|as[- ]is|untouched|alone|intact|the "
            r"same)(?!\w)",
            (
                r"^no (?!(?:problem|need|worries|idea|luck|errors?|changes?|difference|way|that"
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
                r"under no circumstances|at all times|on no account|(?<!\w)from now on"
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
        )
    )
)
_PLURAL_NEVER: Final = re.compile(
    r"^(?!(?:i|it|he|she|that|this|the|they|there|which|if|when|because|since|my"
    r"|our)\b)(?:[\w`./-]{1,40} ){1,3}(?:never|always) (?!(?:been|was|were|had|got"
    r"|did|a|the|an|again|seem)\b)[a-z]{2,20}(?<!ed)(?<![^s]s)\b"
)
_HAN: Final = re.compile(
    "不要(?!担心|紧张|急|说|紧)|不得(?!不|了)|不许|不准|不允许|禁止|切勿|请勿|严禁"
    "|绝不|决不|必须(?!的)|务必|一定要|只能(?!说)|只用|只允许|仅限|仅允许"
    "|不能(?!运行|工作|启动|用了|正常|打开|连接|访问|理解|确定|编译)"
    "|(?:始终|总是|永远)(?!失败|报错|出错|是|返回|显示|不对|会|有)|别再|(?:^"
    "|[\uff0c。\uff1b\uff1a,;!\uff01 ])(?:请)?别(?!的|人|处|担心|急)|避免|一律"
    "|不可(?!能|以)|从不|以后(?:都|不)"
)
_LIMIT: Final = re.compile(
    r"(?<!\w)(?:must|should|shall|may|can|keep|stay|ensure|use|limit|limits|no "
    r"(?:more|less|fewer|longer|later)|at (?:most|least)|max|maximum|min|minimum"
    r"|cap|capped|up to|never|not exceed|set|allow|retry|within|only)(?!\w)"
    "|至少|至多|最多|不超过|不少于|不能|不得|以内|以下|以上|上限|下限"
)
_PLAIN_LIMIT: Final = re.compile(
    r"(?<!\w)(?:no (?:more|less|fewer|longer|later)|at (?:most|least)|max|maximum"
    r"|min|minimum|capped|not exceed|must|should|shall|keep|limit)(?!\w)|至少|至多"
    r"|最多|不超过|不少于|以内|上限|下限"
)
_QUOTED: Final = re.compile(
    r"`[^`\n]{1,300}`|\"[^\"\n]{1,300}\"|\u201c[^\u201d\n]{1,300}\u201d|「[^」\n]{1,300}」"
)
_PARTS: Final = re.compile(r"[;()\u2014\uff1b\uff08\uff09]|\s-{1,2}\s|\.{3}")
_LONG: Final = 160
_AFTER_LEAD: Final = ": *_\uff1a"
_PART_OF_LONG: Final = re.compile(r",\s(?=(?:but|and|so|also|then)\s)")
_BARE_LEAD: Final = 60
_LONGEST_NO: Final = 90
_SEEN: Final = re.compile(
    r"(?<!\w)(?:found|included|provided|returned|made|exists?|available|detected"
    r"|left|given|specified|seen|was|were|is|are|has|had|yet|needed)(?!\w)"
)
_LEAST_WORDS: Final = 3
_LEAST_WEIGHT: Final = 1.2
_NUMERIC: Final = re.compile(
    r"\d|(?<!\w)(?:one|two|three|four|five|six|seven|eight|nine|ten)(?!\w)"
    r"|[一二两三四五六七八九十百千]"
)


@dataclass(slots=True)
class Rule:
    """A standing rule of a user.

    Args:
        text: The sentence, or the part of it that rules.
        mode: Its polarity, strength and comparators.
        scopes: Where and when it holds.
        terms: What it is about, with its scopes.
        context: What the turn that states it is about.
        turn_ids: Who said it, in order.
        is_standing: Whether a turn that stays says it.
    """

    text: str
    mode: Mode
    scopes: tuple[Scope, ...]
    terms: frozenset[str]
    context: frozenset[str]
    turn_ids: list[str] = field(default_factory=list)
    is_standing: bool = False

    @property
    def core(self) -> frozenset[str]:
        """What it is about, without its scopes; all of it where nothing else is left."""
        scoped = frozenset().union(*(scope.terms for scope in self.scopes))
        return (self.terms - scoped) or self.terms

    @property
    def numbers(self) -> frozenset[str]:
        """Its numbers."""
        return frozenset(term for term in self.terms if is_number(term))


def is_number(term: str) -> bool:
    """Whether a term is a number."""
    return term.lstrip("-").replace(".", "", 1).isdigit()


def rules_of(said: tuple[Sentence, ...]) -> Iterator[Rule]:
    """Yield the standing rules among what a user says in a turn."""
    context: frozenset[str] | None = None
    for sentence in said:
        for text in _readings(sentence):
            if not is_rule(text):
                continue
            found = terms(text)
            if not found or (total(found) < _LEAST_WEIGHT and len(text.split()) < _LEAST_WORDS):
                continue
            if context is None:
                context = frozenset().union(*(terms(each.text) for each in said))
            yield Rule(text, mode_of(text), scopes_of(text), found, context)


def _readings(sentence: Sentence) -> Iterator[str]:
    """Yield the parts of a sentence that can rule, each with the bare lead of its list."""
    lead = sentence.lead
    if lead and len(lead) < _BARE_LEAD and not terms(lead) and mode_of(lead).polarities:
        yield " ".join((lead.rstrip(_AFTER_LEAD), sentence.text))
        return
    if is_asked_or_told(sentence.text):
        return
    cut = _QUOTED.sub(lambda found: "x" * len(found[0]), sentence.text)
    pattern = (
        _PARTS if len(cut) < _LONG else re.compile(f"{_PARTS.pattern}|{_PART_OF_LONG.pattern}")
    )
    at = 0
    for found in pattern.finditer(cut):
        yield sentence.text[at : found.start()].strip()
        at = found.end()
    yield sentence.text[at:].strip()


@lru_cache(maxsize=4_000)
def is_asked_or_told(text: str) -> bool:
    """Whether a sentence is a question, a guess, or what somebody else says."""
    low = text.lower()
    return any(each.search(low) for each in (_QUESTION, _OTHERS, _UNSURE))


def is_rule(text: str) -> bool:
    """Whether a part of what a user says is a standing rule; precise rather than complete."""
    low = _QUOTED.sub(
        lambda found: f"{found[0][0]}{'x' * (len(found[0]) - 2)}{found[0][-1]}", text.lower()
    )
    if low.count('"') % 2:
        return False
    low = low.replace("**", "").replace("__", "").strip(" *_-")
    if any(each.search(low) for each in (_QUESTION, _MOMENT, _MISREAD)):
        return False
    if found := _ENGLISH.search(low):
        return not found[0].startswith("no ") or not (len(low) > _LONGEST_NO or _SEEN.search(low))
    if _PLURAL_NEVER.search(low) or _HAN.search(low):
        return not _TOLD.search(low)
    return _is_limit(low)


def _is_limit(low: str) -> bool:
    if not _NUMERIC.search(low) or _TOLD.search(low):
        return False
    found = mode_of(low).comparators
    firm = found & {Comparator.AT_LEAST, Comparator.AT_MOST}
    return bool(found) and bool((_PLAIN_LIMIT if firm else _LIMIT).search(low))
