"""Who a sentence says asked, proposed, decided or found something."""

import re
from functools import lru_cache
from typing import Final

from turnfold.audit._sentences import apart
from turnfold.transcript import Role

_START: Final = (
    r"(?:(?:^|(?<=[-*.,;:(>] )|(?<=[(*\n]))|(?<!\w)(?:the|by|that|and|as|per|when|while|for|of) )"
)
_USERS: Final = rf"(?:{_START}(?:user|developer|human|customer|client))"
_ASSISTANTS: Final = rf"(?:{_START}(?:assistant|agent|model|ai|bot))"
_SAID: Final = (
    r"ask|order|request|suggest|propos|want|tell|told|say|said|insist|recommend|decid|demand"
    r"|instruct"
    r"|advis|mention|stat|prefer|requir|chose|choos|agree|lik|wish|report|notic|observ|found"
    r"|find|discover"
    r"|point|rais|brought|bring|offer|pick|consider|complain|claim|confirm|warn|note|explain"
    r"|clarif|plan"
    r"|opt|remind|hint|urg|push|call|need|express|favou?r|approv|reject|accept|specif|voic"
    r"|identif|think"
    r"|thought|believ|felt|feel|argu|commit|promis|wrote|writ|gave|giv|spott|came|volunteer"
    r"|select|settl|sign|lean|float|rather|measur|determin|diagnos|conclud|would|came|comes|come"
)
_OWNED: Final = (
    r"request|idea|suggestion|proposal|demand|preference|initiative|wish(?:es)?|instruction"
    r"|order|decision"
    r"|choice|recommendation|plan|call|advice|observation|finding|opinion|insistence|behest"
    r"|view|pick"
    r"|requirement|ask|report|complaint|instigation"
)
_PARTY: Final = rf"(?P<user>{_USERS})|(?P<assistant>{_ASSISTANTS})|(?P<you>you)|(?P<me>i)"
_MEANWHILE: Final = (
    r"(?:[a-z]{2,12}ly|also|then|now|once|twice|first|later|here|again|just|still|even|only|already"
    r"|ha[sd]|have|did|do|does|was|were|is|are|am|be|been|would|will|could|should|might|may|can|to"
    r"|not|never|\w{2,6}n['\u2019]t|did|who|since|therefore|thus|instead|rather|themselves|itself"
    r"|himself|herself|had|in turn|at first|so far)"
)
"""What may stand between who says something and that it is said."""

_SUBJECT: Final = re.compile(
    rf"(?<![\w.-])(?:{_PARTY})(?:['\u2019](?:d|ve|s))? (?:{_MEANWHILE} ){{0,3}}?"
    rf"(?:{_SAID})\w{{0,5}}(?!\w)",
    re.IGNORECASE,
)
_DID: Final = re.compile(
    rf"(?:{_USERS}) (?:also |then |first )?\w{{2,20}}(?<!e)ed(?!\w)", re.IGNORECASE
)
"""Any deed that is told of the user; the assistant's deeds can be on the user's word."""

_OWNER: Final = re.compile(
    rf"(?<![\w.-])(?:(?:{_PARTY.replace('|(?P<me>i)', '')})(?:['\u2019]s?)? "
    r"|(?P<your>your)|(?P<my>my)) ?(?:own |explicit |first |original )?"
    rf"(?:{_OWNED})s?(?!\w)",
    re.IGNORECASE,
)
_BY: Final = re.compile(
    r"(?<!\w)(?P<how>by|per|from|according to|as) (?:the |an? )?(?:(?P<user>user|developer|human"
    r"|customer|client)|(?P<assistant>assistant|agent|model|ai|bot)|(?P<you>you)"
    r"|(?P<me>me))(?=[\s,.;:)]|['\u2019]s|\Z)",
    re.IGNORECASE,
)
_TO_BY: Final = re.compile(
    rf"(?<!\w)(?:(?:{_SAID})\w{{0,5}}(?: \w{{1,12}})? by|(?:came|comes|stems"
    rf"|originat\w{{1,3}}) from)(?!\w)",
    re.IGNORECASE,
)
_HAN: Final = re.compile(
    "(?:(?P<user>用户|客户|开发者)|(?P<assistant>助手|模型|智能体))"
    "(?:还|也|又|则|再次|曾|明确|特别|最初|后来|一开始|的){0,3}"
    "(?:要求|请求|建议|提出|提议|希望|说|想要?|认为|决定|指出|表示|推荐|主张|坚持|强调|同意|拒绝|选择|反馈"
    "|意见|意思|指示|想法|方案|询问|提到|让)"
)
_NAMES: Final = re.compile(
    r"`[^`\n]{1,200}`|[^\s\uff0c\u3002\uff1b\uff1a\u3001]{0,200}[\w)][/_@=\\][^\s\uff0c\u3002\uff1b\uff1a\u3001]{0,200}"
)
_IN_NAMES: Final = re.compile(r"[`/_@=\\]")
"""Every name has one of these, and looking for them is faster than for the pattern."""


_BOUND: Final = re.compile(
    r"(?<!\w)(?:assistant|agent|model|ai|bot)s? (?:(?:always|never|also|only) )?"
    r"(?:must|may|shall|should|can|cannot|needs? to|ha(?:s|ve) to"
    r"|(?:is|are) (?:not |never |only )?(?:to|allowed|permitted|required|obliged|expected"
    r"|forbidden))(?!\w)",
    re.IGNORECASE,
)
"""Whom a rule binds says nothing of it: `the agent may not commit`."""


@lru_cache(maxsize=4_000)
def speaker_of(sentence: str) -> Role | None:
    """Return the only party of whom a sentence says that it said or wanted something.

    `You` is the user and `I` the assistant, as in what an assistant writes.
    """
    text = sentence if sentence.isascii() else apart(sentence)
    text = _NAMES.sub("#", text) if _IN_NAMES.search(text) else text
    text = _BOUND.sub("#", text)
    parties = {_role(found.groupdict()) for found in _SUBJECT.finditer(text)}
    parties |= {_role(found.groupdict()) for found in _OWNER.finditer(text)}
    if _DID.search(text):
        parties.add(Role.USER)
    for found in _BY.finditer(text):
        if found["how"].lower() in ("per", "according to") or _TO_BY.search(text):
            parties.add(_role(found.groupdict()))
    parties |= {_role(found.groupdict()) for found in _HAN.finditer(text)}
    return parties.pop() if len(parties) == 1 else None


def _role(found: dict[str, str | None]) -> Role:
    is_user = any(found.get(name) for name in ("user", "you", "your"))
    return Role.USER if is_user else Role.ASSISTANT


@lru_cache(maxsize=4_000)
def voice_of(sentence: str, role: Role) -> Role:
    """Return whose a sentence of a turn is: of the other party where it reports what that said."""
    told = speaker_of(sentence)
    if told is None or _IS_ASIDE.search(sentence):
        return role
    if role is Role.USER:
        return Role.ASSISTANT if told is Role.USER else role
    return told


_IS_ASIDE: Final = re.compile(r"(?<!\w)if you (?:want|like|prefer|wish)(?!\w)", re.IGNORECASE)


VOCABULARY: Final = (_SAID, _OWNED, "user|assistant|agent|you|your|my|please|initiative")
"""The patterns whose words say who said something."""

HAN: Final = "用户|客户|助手|模型|智能体|要求|请求|建议|提出|提议|希望|请"
"""The same in Chinese."""
