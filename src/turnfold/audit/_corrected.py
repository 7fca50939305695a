"""Whether a later sentence may have put a value in the place of another one.

Such a sentence says little of its own: `It should be X.`, `No, that moved to X.` What it is about
stands in the sentence that it corrects, so a summary rightly tells the new value in the old words.
"""

import re
from typing import Final

from turnfold.audit._originals import Originals
from turnfold.audit._sentences import words_beside

_FEW: Final = 2
"""With so many words of its own a sentence is about another thing."""

_MARKS: Final = (
    r"no|nope|not|actually|sorry|oops|wait|please|now|instead|rather|again|really|wrong|incorrect"
    r"|mistak\w{1,3}|correct\w{0,6}|old|new|former\w{0,2}|previous\w{0,2}|current\w{0,2}|should"
    r"|must|longer|gone|dead|renam\w{1,3}|replac\w{1,4}|mov(?:ed?|es|ing)|switch\w{0,4}"
    r"|chang\w{1,4}|swap\w{0,4}|updat\w{1,4}|bump\w{0,4}|upgrad\w{1,4}|migrat\w{1,4}"
)
_POINTING: Final = r"it|its|that|this|there|one|those|these"
_EMPTY: Final = (
    r"has|have|had|let|make|made|put|take|use[sd]?|using|call(?:s|ed)?|go|going|want|need|mean"
    r"|meant|said|says|say|look(?:ed|ing)?|read(?:ing)?|check(?:ed|ing)?|see|saw|turns? out"
    r"|refactor\w{0,3}|fix(?:ed)?|last|week|month|today|yesterday|right|better|code|file|path|host"
    r"|port|branch|version|name|value|url|address|function|class|table|folder|flag|variable"
)
_HAN_MARKS: Final = "不对|不是|应该|应为|改为|改成|换成"
_MARKED: Final = re.compile(
    rf"(?<!\w)(?:{_MARKS}|{_POINTING})(?!\w)|n['\u2019]t(?!\w)|{_HAN_MARKS}", re.IGNORECASE
)
_CORRECTING: Final = re.compile(
    rf"(?<!\w)(?:{_MARKS}|{_EMPTY})(?!\w)|n['\u2019]t(?!\w)|{_HAN_MARKS}|写|用|是|对|该",
    re.IGNORECASE,
)


def may_correct(name: str, before: str, words: frozenset[str], originals: Originals) -> bool:
    """Whether a value was said later than another one, as what it corrects or points to is said.

    Args:
        name: The value that a summary tells.
        before: The one that the originals have in the place of it.
        words: What stands beside the value in the summary.
        originals: The turns.
    """
    known, earlier = originals.seen(name), originals.seen(before)
    if known is None or earlier is None or known.first <= earlier.first:
        return False
    return any(
        _MARKED.search(said) and len(words_beside(name, _CORRECTING.sub(" ", said)) - words) < _FEW
        for said in originals.sentences(name, spoken=True)
        if not said.startswith("[call ")
    )
