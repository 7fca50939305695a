"""What a sentence is about: lightly stemmed words, names and numbers, pairs of Han characters."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from turnfold.audit._spelling import readable

_TOKEN: Final = re.compile(
    r"(?P<number>(?<![\w.])[-+]?\d[\d,_]{0,20}(?:\.\d+)?(?=\.?(?![\w.])|[A-Za-z\u00b5]{1,8}(?!\w)))"
    r"|(?P<name>[A-Za-z\d_]+(?:[./:@-]+[A-Za-z\d_]+)*)"
    r"|(?P<han>[\u3400-\u9fff]+)|(?P<other>[^\W\d_]+)|%"
)
_NAME: Final = re.compile(r"[A-Za-z_]+(?:[./:@-]+[A-Za-z_]+)*")
_NO_NAME: Final = re.compile(r"[\d%]")
"""An ASCII text with none of these has no tokens but names."""

_STOP_WORDS: Final = (
    "a an the this that these those it its i me my you your we our us they them their he she his "
    "her is are was were be been being am do does did done doing don doesn didn "
    "isn aren wasn won wouldn couldn shouldn mustn cannot "
    "have has had having to of and or but so as by with from into than then also please just very "
    "too not no never must shall should would will can could may might always only ever "
    "need needs needed require requires required requirement requirements mandatory ensure make "
    "sure makes made forbidden prohibited allowed permitted avoid try tries prefer prefers "
    "preferred user users want wants wanted said says say told leave left like ok "
    "okay ideally possible "
    "there here what which who whom whose how when where why if unless until except in on at for "
    "during while before after within without under over up out about more less most least fewer "
    "many much any some all each every other another anything everything else rule rules "
    "constraint constraints note important remember instruction instructions explicitly "
    "strictly circumstances supposed maximum minimum max min exceed limit stay keep using get "
    "optional optionally free feel ought sometimes usually generally typically normally never "
    "maybe perhaps possibly probably likely think thinks guess suspect seems apparently "
    "got let lets going go remain new now still again one thing things etc way via per least "
    "use used uses utilize utilise employ recommended consider necessary actually "
    "instead rather own such "
    "nobody nothing none neither nor nowhere anywhere everywhere anybody everybody both following "
    "hands exception exceptions sacred sacrosanct untouchable verboten taboo immutable banned "
    "stick sticks sticking stuck stays stayed staying remain remains remained leaves leaving keeps "
    "keeping kept goes refrain refrains abstain ceiling floor cap caps capped budget deadline tops "
    "limited limits limiting unacceptable acceptable essential vital crucial imperative compulsory "
    "obligatory negotiable non-negotiable no-go off-limits above below within beyond past better "
    "best nice ideal permission permitted permits allow allows insist insists insisted expect "
    "expects expected demand demands unchanged untouched intact frozen forbid forbids okay fine "
    "behind among between against throughout across through upon beneath near pending prior ahead "
    "besides apart barring whilst once since wherever whenever outside inside latest earliest "
    "hopefully mostly mainly rarely seldom desirable advised advise recommend recommends "
    "encouraged discouraged welcome target goal"
)
STOP_WORDS: Final = frozenset(_STOP_WORDS.split())
_SAME_GROUPS: Final = (
    "delete remove erase drop deletion removal",
    "change modify edit alter touch update modification tweak amend unmodified mutate",
    "add introduce addition",
    "run ran execute execution",
    "deploy release ship deployment",
    "production prod",
    "database db",
    "configuration config",
    "dependency dep",
    "directory dir folder",
    "repository repo",
    "documentation doc docs document",
    "environment env",
    "approval approve sign-off",
    "authentication auth",
    "message msg",
    "parameter param",
    "credential creds cred",
    "end-to-end e2e",
    "seconds second sec secs s",
    "milliseconds millisecond ms msec",
    "minutes minute mins min",
    "hours hour hrs h",
    "percent % percentage",
    "write wrote written",
    "keep kept",
    "build built",
    "send sent",
    "hold held",
    "break broke broken",
    "choose chose chosen",
    "megabytes megabyte mb",
    "kilobytes kilobyte kb",
    "gigabytes gigabyte gb",
    "proper properly appropriate appropriately",
    "indentation indent",
    "cancel cancelled canceled cancelling canceling cancellation",
)
_NUMBER_WORDS: Final = "zero one two three four five six seven eight nine ten"
_HAN_FILLERS: Final = re.compile(
    "每个|所有|任何|不是|而是|代替|替换|取代|改成|改为|换成|改用|换为|不要|不能"
    "|不得|不可以|不可|不许|不准|禁止|必须|务必|一定要|一定|只能|只用|仅限|切勿"
    "|始终|总是|至少|至多|最多|最少"
    "|不超过|不少于|不多于|确保|保证|别再|绝不|从不|永远|应该|应当|可以|尽量|最好"
    "|建议|需要|用户|请|要求|如果|除非|除了"
    "|以外|之外|直到|的|了|都|在|上|中|里|时|也|就|把|被|是|和|与|或|我们|我|你|要"
    "|别|勿|只|仅|不|而|用"
)
_ENDINGS: Final = re.compile(r"['\u2019](?:s|t|re|ll|ve|m|d)\b", re.IGNORECASE)
_IDIOMS: Final = re.compile(
    r"(?<![\w-])(?:out of (?:the question|bounds)|off the table|on the table|not an option"
    r"|off[- ]limits|up for (?:debate|discussion)|fair game|last resort|red line|hard rule"
    r"|(?:hard|soft|strict|firm) (?:requirement|limit|constraint|cap|ceiling|floor|rule)"
    r"|a must|set in stone|gr[ae]y area|good idea|great idea|nice[- ]to[- ]have|steer(?:ing)? clear"
    r"|i mean it|whatever you do|no matter what|as (?:it|they) (?:is|are)|in place"
    r"|(?:is|are) part of)(?![\w-])",
    re.IGNORECASE,
)
_IDIOM_MARKS: Final = (
    *("out of ", "the table", "not an ", "limits", "up for ", "fair ", "resort", "red line"),
    *("hard ", "soft ", "strict ", "firm ", "a must", "stone", "area", "idea", "nice", "steer"),
    *("mean it", "whatever ", "no matter", "as it ", "as they ", "in place", " part of"),
)
"""Every set phrase has one of these, and looking for them is faster than for the pattern."""

_LONGEST_REMEMBERED: Final = 80
MARKS: Final = '.,;:!?()*"`'
_NOTHING: Final[frozenset[str]] = frozenset()
_HAN_PAIR: Final = 2
_SHORTEST_STEMMED: Final = 4


_ENDED: Final = (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("ly", ""))
_ENDS: Final = tuple(ending for ending, _ in _ENDED)


def _canonical_words() -> dict[str, str]:
    table = {_cut(word): _cut(group.split()[0]) for group in _SAME_GROUPS for word in group.split()}
    table.update({word: str(at) for at, word in enumerate(_NUMBER_WORDS.split()) if at != 1})
    return table


def _cut(word: str) -> str:
    """Return a word without its ending: `committing`, `commits` and `commit` are one."""
    if len(word) < _SHORTEST_STEMMED or not word.isalpha():
        return word
    for ending, put in _ENDED if word.endswith(_ENDS) else ():
        if word.endswith(ending) and len(word) - len(ending) >= 3:  # noqa: PLR2004
            word = word[: -len(ending)] + put
            break
    else:
        if word.endswith("s") and not word.endswith(("ss", "us", "is")):
            word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "sl":  # noqa: PLR2004
        word = word[:-1]
    return word[:-1] if word.endswith("e") and len(word) > 3 else word  # noqa: PLR2004


_CANONICAL: Final = _canonical_words()


@lru_cache(maxsize=20_000)
def term_of(token: str) -> str:
    """Return the term of a token: its last part if it is a path, its stem if it is a word."""
    low = token.lower().strip("_")
    if low in STOP_WORDS:
        return ""
    if "/" in low:
        low = low.rstrip("/").rpartition("/")[2]
    low = low.strip(".:-@")
    cut = _cut(low)
    return _CANONICAL.get(low) or _CANONICAL.get(cut) or cut


def listed_terms(text: str) -> Iterator[tuple[str, int]]:
    """Yield the terms of a text in order, each with its place; linear in the text."""
    return _listed(without_idioms(_ENDINGS.sub(_blank, text)))


def _listed(plain: str) -> Iterator[tuple[str, int]]:
    for found in _TOKEN.finditer(plain):
        kind = found.lastgroup
        if kind == "number":
            yield found[0].replace(",", "").replace("_", "").lstrip("+"), found.start()
        elif kind == "name":
            if term := term_of(found[0][:256]):
                yield term, found.start()
        elif kind == "han":
            yield from _pairs(found[0], found.start())
        elif kind == "other":
            yield found[0].lower(), found.start()
        else:
            yield _CANONICAL["%"], found.start()


def without_idioms(text: str) -> str:
    """Return a text with set phrases of rule-making blanked out, every place kept."""
    return _IDIOMS.sub(_blank, text) if has_idiom_mark(text) else text


def has_idiom_mark(text: str) -> bool:
    """Whether a text may have a set phrase: true too often, but never left out."""
    if " " not in text and "-" not in text:
        return False
    low = text.lower()
    return any(map(low.__contains__, _IDIOM_MARKS))


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _pairs(run: str, start: int) -> Iterator[tuple[str, int]]:
    spaced = _HAN_FILLERS.sub(lambda found: " " * len(found[0]), run)
    for at in range(len(spaced) - 1):
        pair = spaced[at : at + _HAN_PAIR]
        if " " not in pair:
            yield pair, start + at
    for at, each in enumerate(spaced):
        alone = spaced[max(at - 1, 0) : at + _HAN_PAIR].strip()
        if each != " " and alone == each:
            yield each, start + at


def terms(text: str) -> frozenset[str]:
    """Return the distinct terms of a text.

    Only set phrases go over white space; what stands between is looked up where it is known.
    """
    return terms_of_pieces(without_idioms(readable(text)).split())


def terms_of_pieces(pieces: Iterable[str]) -> frozenset[str]:
    """Return the distinct terms of pieces without white space that are readable and no idioms."""
    return _NOTHING.union(*map(_of_piece, pieces))


def _of_piece(piece: str) -> frozenset[str]:
    return _remembered(piece) if len(piece) <= _LONGEST_REMEMBERED else _read(piece)


def _read(piece: str) -> frozenset[str]:
    if word := plain_word(piece):
        return frozenset((term,)) if (term := term_of(word)) else _NOTHING
    if "'" in piece or "\u2019" in piece:
        piece = _ENDINGS.sub(_blank, piece)
    if piece.isascii() and not _NO_NAME.search(piece):
        found = {term_of(each[:256]) for each in _NAME.findall(piece)}
        found.discard("")
        return frozenset(found)
    return frozenset(term for term, _ in _listed(piece))


_remembered: Final = lru_cache(maxsize=20_000)(_read)


def plain_word(piece: str) -> str:
    """Return the one plain word of ASCII that a piece of a text is, without its marks; or none."""
    word = piece.strip(MARKS)
    is_plain = word.isalpha() and word.isascii() and (word.islower() or word.istitle())
    return word if is_plain and len(word) <= _LONGEST_REMEMBERED else ""


_NAMED: Final = re.compile(
    r"(?<!`)`([^`\s]{1,120})`(?!`)|(?<!\S)([^\s`]{0,60}(?:\w[/._]\w|--\w|_\w|\w::\w"
    r"|[a-z\d][A-Z])[^\s`]{0,60})"
)


@lru_cache(maxsize=4_000)
def names(text: str) -> frozenset[str]:
    """Return the terms of what a text marks as a name, or what looks like one."""
    return terms(" ".join(each[1] or each[2] for each in _NAMED.finditer(text)))


@lru_cache(maxsize=20_000)
def weight(term: str) -> float:
    """Return how telling a term is: a name or number more than a word, a Han pair less."""
    if "\u3400" <= term[0] <= "\u9fff":
        return 0.6
    return 1.0 if term.isalpha() else 2.0


def total(found: Iterable[str]) -> float:
    """Return the weight of terms together."""
    return sum(map(weight, found))
