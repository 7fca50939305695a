"""The words by which a user takes a value back, or puts another in its place."""

import re
from typing import Final

from turnfold.audit._terms import terms

SLIPS: Final = (
    r"wrong\w{0,2}|incorrect\w{0,2}|mistak\w{0,3}|mistyped|misspoke|misread|misremember\w{0,3}"
    r"|typos?|mix(?:ed)?[ -]?up|backwards|confus\w{1,4}|meant|mean|oops|whoops|sorry"
    r"|apolog\w{1,5}"
    r"|my bad|nonsense|rubbish|garbage|contrary|is off|was off|slipp?e?d?|fat[ -]fingered|bogus"
)
TAKING_BACK: Final = (
    r"outdated|out[ -]of[ -]date|stale|obsolete|make (?:it|that)|scratch|strike|forget|ignore"
    r"|disregard|revert|undo|hold on|wait|nope"
    r"|no(?= ?[,.;:!\u2014-]| wait)|not|cannot"
    r"|never ?mind"
    r"|on second thoughts?|chang\w{1,3} (?:my|our) minds?|change of (?:plan|mind|heart)"
    r"|take (?:that|it) back"
    r"|reconsider\w{0,3}|rethink\w{0,3}|rethought|rephras\w{1,3}|instead|rather|in place of"
    r"|in lieu of|actually|in fact|in reality|really|turns? out|turned out|as it happens"
    r"|after all|correct\w{0,6}"
    r"|amend\w{0,4}|revis\w{1,4}|should (?:read|say)|fix(?: for| to)|double[- ]check\w{0,3}|after"
    r" checking"
    r"|clarif\w{1,7}"
    r"|(?:i|we) (?:said|told|wrote|gave|mentioned|asked|claimed|quoted)|the (?:right|real|true"
    r"|actual) \w{1,20}"
)
MOVING_ON: Final = (
    r"old|no longer|any ?more|these days|as of \w{1,12}"
    r"|from (?:now|today|here) on|now|by now|update[sd]?|bump\w{0,4}|switch\w{0,4}|rais\w{1,3}"
    r"|lower\w{0,3}|cut|shr[iau]nk\w{0,3}|shorten\w{0,3}|extend\w{0,3}|postpon\w{1,3}|slipp?\w{0,3}"
    r"|doubl\w{1,3}|halv\w{1,3}|trimm?\w{0,3}|chang\w{1,4}|replac\w{1,4}|supersed\w{1,4}"
    r"|mov(?:ed?|ing)|migrat\w{1,4}"
    r"|swap\w{0,4}"
    r"|upgrad\w{1,4}|downgrad\w{1,4}|increas\w{1,3}|decreas\w{1,3}|reduc\w{1,3}|retired?|gone"
    r"|dead"
    r"|should(?: have been| be)?|has to|have to|new(?: one)?|too \w{2,6}|better"
    r"|let['\u2019]?s (?:do|make|go)|used to|previously|originally|formerly|earlier|enough"
    r"|unpin|until now"
    r"|last (?:week|month|quarter|year|time)|yesterday"
)
MARKED: Final = re.compile(
    rf"(?<!\w)(?:{SLIPS}|{TAKING_BACK}|{MOVING_ON})(?!\w)|n['\u2019]t(?!\w)|->|\u2192"
    "|不是|不对|错|改|更正|而是|应"
)
TAKEN_BACK: Final = re.compile(
    rf"(?<!\w)(?:{SLIPS}|{TAKING_BACK})(?!\w)|不是|不对|错|更正|改成|改为|改用|而是|应",
    re.IGNORECASE,
)
"""What corrects even where several things of a kind are about, as files are."""

LEANS: Final = re.compile(
    r"\W{0,3}(?:(?:and|so|but|oh|ok(?:ay)?|please|rather|actually|well),? ){0,2}"
    r"(?:it|that|this|they|those|these|make|should|has|must|the (?:new|right|correct|real|actual)"
    r"|use|try|take|go|set|put)(?!\w)",
    re.IGNORECASE,
)
SURELY: Final = re.compile(
    r"(?<!\w)(?:i (?:think|guess|believe|suppose|feel)|apparently)(?!\w)", re.IGNORECASE
)
BESIDE: Final = re.compile(
    r"(?<!\w)(?:also|as well|both|either|another|second|other|too|backup|respectively"
    r"|compare[ds]?"
    r"|versus|vs|or|if|when|while|until|staging|production|locally)(?!\w)",
    re.IGNORECASE,
)
PLACING: Final = terms(
    "belong live put store save write send place sit point listen serve call name give take land "
    "end reside come run favour favor"
)
"""What is done with a value, whatever it is of; one verb here, another there."""

OF_VALUES: Final = terms(
    "value number figure one thing setting right correct actual real read give get got say earlier "
    "before wrong mistake error typo answer hm hmm oh ah ok okay well please"
)
"""What is said of any value, and names no thing: `the right number is 45`."""

UNCHANGED: Final = re.compile(
    r"(?<!\w)(?:(?:do|does|must|may|should|can|shall)(?: not|n['\u2019]t)|cannot|can['\u2019]t"
    r"|never"
    r"|not to be|nobody|no one)(?: \w{1,12})?? (?:bump|switch|rais|lower|chang|replac|mov|migrat"
    r"|swap"
    r"|upgrad|downgrad|increas|decreas|reduc|updat|correct|revis|amend|fix|cut|shrink"
    r"|extend)\w{0,4}"
)
"""What must stay as it is corrects nothing."""
