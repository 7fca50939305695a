"""Orders and statements of users that are no standing rules, yet can be turned round.

What a user orders once is no rule that a summary has to repeat. A summary that prescribes the
opposite is wrong all the same.
"""

import re
from typing import Final

from turnfold.audit._instructions._asides import TOLD

_VERBS: Final = (
    "add answer apply assume back base bump build call change check choose clean commit compile "
    "compute configure confine convert copy create declare define delete deploy derive "
    "disable document drop edit enable encode encrypt ensure escape exclude expose extend "
    "fetch fix flag follow format generate give group guard handle hide host ignore implement "
    "import include indent inject install introduce isolate keep leave limit link list load lock "
    "log maintain make map mark mask match merge migrate mock mount move name omit open order "
    "override pass patch persist pick pin place prefix preserve print process protect provide "
    "publish push put quote raise read rebuild record redact refactor register reject release "
    "remove rename render replace report require reserve reset respect retry return reuse "
    "revert rewrite rotate route run sample save send separate serve set share ship show sign "
    "skip sort split spell squash stage start stick stop store strip support suppress switch "
    "sync tag target test throw track translate treat trim trust turn type update upgrade use "
    "validate verify version wait warn wire work wrap write"
)
_ORDER: Final = re.compile(
    r"(?:(?:please|and|so|then|also|just|now|ok|okay|for \S{1,20}|in \S{1,40}),? ){0,2}"
    rf"(?:{'|'.join(_VERBS.split())})(?= [^\s:=-])"
)
_PRESCRIBES: Final = re.compile(
    r"(?<![\w-])(?:must|shall|should|ought|may|might|can|could|cannot|need not|ha(?:s|ve) to"
    r"|needs? to|allowed|permitted|forbidden|prohibited|required|optional|preferred|preferably"
    r"|(?:is|are) (?:not )?to (?:be|stay|remain|go)|never|always|only|do not|don['\u2019]?t|avoid"
    r"|no need|free to|fine|okay|ok|welcome|recommended|encouraged|discouraged|nice to have"
    r"|ideally|off[- ]limits|no longer|wants?|try|would)(?![\w-])"
    r"|不要|不能|不得|必须|可以|禁止|应该|应当|尽量|最好"
)
_SO_FAR: Final = re.compile(
    r"(?<!\w)(?:yet|still|so far|not been|was not|were not|wasn['\u2019]t|weren['\u2019]t"
    r"|did(?: not"
    r"|n['\u2019]t)|failed|fails|cannot be found|could not|couldn['\u2019]t|has not|have not)(?!\w)"
)
_NAMED: Final = re.compile(
    r"`[^`\s]{1,80}`|(?<![\w-])--?[a-z][\w-]+|\w[/._]\w|(?<!\w)[A-Z][A-Z\d]*_[A-Z\d_]+"
    r"|[a-z\d][A-Z]\w"
)


def is_ordered(text: str) -> bool:
    """Whether a part of what a user says starts with an order."""
    return _ORDER.match(text.lower().lstrip(" *_-")) is not None


def is_stated(text: str) -> bool:
    """Whether a part of what a user says is in the present and names something."""
    return _NAMED.search(text) is not None and not TOLD.search(text.lower())


def prescribes(text: str) -> bool:
    """Whether a sentence of a summary tells what is to be done, and not what was."""
    low = text.lower()
    is_prescribed = _PRESCRIBES.search(low) or _ORDER.match(low.lstrip(" *_-"))
    return bool(is_prescribed) and not _SO_FAR.search(low)
