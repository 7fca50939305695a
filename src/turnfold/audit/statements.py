"""Statements: who said something, and whether it is done; as the latest such turn has it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from turnfold._metadata import KIND, KIND_INJECTED
from turnfold.audit._config import AuditConfig
from turnfold.audit._evidence import Evidence, Outcome, SummaryText
from turnfold.audit._finding import Axis, Finding, Place, Severity, Status
from turnfold.audit._sentences import Sentences, words_of
from turnfold.audit._spelling import readable
from turnfold.facts import redact
from turnfold.transcript import Role, TranscriptTurn

_ENOUGH: Final = 0.75
_FEWEST_WORDS: Final = 2
_RARE: Final = 3
"""A word in no more sentences than this binds alone."""

_LONGEST: Final = 300
_COMMON_WORD: Final = 400
"""A word in more sentences than this binds nothing, which keeps the search linear."""

_DONE: Final = re.compile(
    r"(?<!\w)(?:done|pass(?:e[sd])?|succe(?:eds?|eded|ssful)|works|fixed|resolved|completed?"
    r"|finished|deployed|merged|decided|chosen|adopted|approved"
    r"|(?:is|are|was|were|been|got) (?:now |already )?\w{3,20}ed)(?!\w)"
    "|已完成|通过|成功|修复了",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(
    r"(?<!\w)(?:fail(?:s|ed|ing|ures?)?|broken|pending|unresolved|todo|open|unfixed|blocked|not"
    r"|never|isn[\u2019']t|doesn[\u2019']t|aren[\u2019']t|next step|still|remaining|rejected"
    r"|declined|discarded|ruled out|against|without)(?!\w)"
    "|未完成|失败|尚未|没有|待办|还没",
    re.IGNORECASE,
)
_SPEAKER: Final = re.compile(
    r"(?<![\w/.-])(?:the )?(user|assistant|agent|model)(?:[\u2019']s)?(?![\w/-]|\.\w)"
    "|(用户|助手|模型)",
    re.IGNORECASE,
)
_SAYING: Final = re.compile(
    r"(?<!\w)(?:ask|order|request|suggest|propos|want|tell|told|say|said|insist|recommend|decid"
    r"|demand|instruct|please|advis|mention|state|prefer|requir|chose|choos|agree)"
    r"\w{0,4}(?!\w)|要求|建议|提出|希望|说",
    re.IGNORECASE,
)
_USERS: Final = ("user", "用户")
_SPEAKERS: Final = (Role.USER, Role.ASSISTANT)


class _Said(NamedTuple):
    """A sentence of a spoken turn."""

    position: int
    role: Role
    text: str
    words: frozenset[str]


def check(evidence: Evidence, config: AuditConfig) -> Outcome:
    """Hold what the summaries say was done, and by whom, against the turns that say it.

    A statement is bound to sentences of user and assistant turns by its words and facts. One that
    turns the latest of them around is `negated`, one that is ascribed to the other side is
    `exchanged`; both are MEDIUM, because words can bind wrongly.
    """
    del config
    stated = [
        (place, sentence, speaker, sign)
        for summary in evidence.summaries
        for place, sentence in _sentences(summary)
        if not sentence.endswith("?")
        and ((speaker := _speaker(sentence)), (sign := _sign(sentence))) != (None, 0)
    ]
    said = _Index(evidence.leaves, [_binding(sentence) for _, sentence, _, _ in stated])
    findings = []
    for place, sentence, speaker, sign in stated:
        bound = said.like(sentence)
        if not bound:
            continue
        found = _finding(sentence, place, bound[-1], evidence)
        if speaker and all(each.role is not speaker for each in bound):
            findings.append(found)
        elif sign and {_sign(each.text) for each in bound} == {-sign}:
            findings.append(
                replace(found, kind="status", status=Status.NEGATED, rule="turned around")
            )
    return Outcome(findings, len(stated))


def _sentences(summary: SummaryText) -> Iterator[tuple[Place, str]]:
    sentences = Sentences(summary.text)
    for number in range(len(sentences)):
        start, end = sentences.span(number)
        text = sentences.text[start:end]
        stripped = text.strip()
        if stripped and len(stripped) <= _LONGEST:
            start += text.find(stripped)
            yield Place(start, start + len(stripped), summary.turn_id), stripped


def _sign(sentence: str) -> int:
    """Return 1 for what is done, -1 for what is open or failed, 0 for neither."""
    if _OPEN.search(sentence):
        return -1
    return 1 if _DONE.search(sentence) else 0


def _speaker(sentence: str) -> Role | None:
    """Return the only party that a sentence names, if it says that somebody said something."""
    named = {(each[1] or each[2]).lower() for each in _SPEAKER.finditer(sentence)}
    parties = {Role.USER if each in _USERS else Role.ASSISTANT for each in named}
    return parties.pop() if len(parties) == 1 and _SAYING.search(sentence) else None


def _finding(sentence: str, place: Place, said: _Said, evidence: Evidence) -> Finding:
    return Finding(
        Axis.FIDELITY,
        "attribution",
        Status.EXCHANGED,
        Severity.MEDIUM,
        redact(sentence),
        (evidence.leaves[said.position].turn_id,),
        place,
        redact(said.text),
        "who said it",
    )


class _Index:
    """The sentences of spoken turns by their words, of turns that have a statement's words."""

    def __init__(
        self, leaves: Iterable[TranscriptTurn], statements: Sequence[frozenset[str]]
    ) -> None:
        self._said: list[_Said] = []
        self._by_word: dict[str, list[int]] = {}
        for position, turn in enumerate(leaves):
            if turn.role in _SPEAKERS and turn.metadata.get(KIND) != KIND_INJECTED:
                text = turn.content.lower()
                if any(
                    sum(map(text.__contains__, words)) >= _ENOUGH * len(words)
                    for words in statements
                ):
                    self._add(position, turn)

    def _add(self, position: int, turn: TranscriptTurn) -> None:
        for sentence in Sentences(readable(turn.content)):
            text = sentence.strip()
            if not text or len(text) > _LONGEST or text.startswith("[call ") or text.endswith("?"):
                continue
            words = _binding(text)
            if words:
                for word in words:
                    self._by_word.setdefault(word, []).append(len(self._said))
                self._said.append(_Said(position, turn.role, text, words))

    def like(self, sentence: str) -> list[_Said]:
        """Return the sentences that say nearly the same of the same thing, oldest first."""
        words = _binding(sentence)
        if len(words) < _FEWEST_WORDS and all(
            len(self._by_word.get(word, ())) > _RARE for word in words
        ):
            return []
        tally: dict[int, int] = {}
        for word in words:
            places = self._by_word.get(word, ())
            for number in places if len(places) <= _COMMON_WORD else ():
                tally[number] = tally.get(number, 0) + 1
        found = [
            number
            for number, count in sorted(tally.items())
            if count >= _ENOUGH * max(len(words), len(self._said[number].words))
        ]
        return [self._said[number] for number in found]


def _binding(sentence: str) -> frozenset[str]:
    """Return the words that a statement is bound by: not its status, nor who said it."""
    for pattern in (_SPEAKER, _SAYING, _DONE, _OPEN):
        sentence = pattern.sub(" ", sentence)
    return words_of(sentence)
