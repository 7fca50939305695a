"""English words that say how far something is, or whether it was taken, by kinds."""

from typing import Final

FAILING: Final = (
    r"fail(?:s|ed|ing|ures?)?|red|broken|breaks?|broke|crash(?:es|ed|ing)|hangs?|hanging|flaky"
    r"|unstable"
    r"|tim(?:es|ed|ing) out|abort(?:s|ed|ing)?|errors? out|errored|regress(?:es|ed|ing)?"
    r"|persists?|persisted"
    r"|unhappy|died|fell over|falls over|blows? up|blew up|bails? out|hits? (?:errors?|problems?"
    r"|a snag)|(?:bug|issue|problem|error|failure|leak"
    r"|crash) (?:\w{1,20} ){0,3}?remains|returns? (?:a )?[45]\d\d|problems?|complaints?"
    r"|unhealthy|down(?=[.,;]|\Z)|worse|wedged"
)
UNFINISHED: Final = (
    r"to be (?:done|fixed|resolved)|unresolved|unfixed|unsolved|unfinished|incomplete|unmerged"
    r"|undeployed|untested|unimplemented"
    r"|undocumented|pending|todos?|to-do|fixme|un(?!used|changed|ited|blocked|locked|expected"
    r"|limited"
    r"|affected|related|defined|authori[sz]ed|wanted|needed|signed|typed|named|ordered|sorted"
    r"|quoted|escaped|nested|shared|bounded)\w{3,15}ed|half-?way"
    r"|(?:far from|nowhere near|not even close to|short of) (?:being )?(?:done|finished|complete"
    r"|completed|ready|fixed|working|stable)|stalled|delayed|overdue|held up|not started|unstarted"
    r"|(?:has|have|is|are|was|were)(?: not|n['\u2019]t) (?:yet )?(?:been )?(?:started|begun)"
    r"|(?:still )?being (?:worked on|reviewed|tested|investigated|debugged|fixed)"
    r"|(?:still |currently )?working on|(?:work|effort)s? (?:on .{1,60}? )?(?:continues?|goes on)"
    r"|(?:under|in) (?:active )?(?:review|development|investigation)|scheduled for"
    r"|(?:is|are|was|were) planned"
    r"|circle back|(?:next )?on (?:the|my|our) list|not (?:right )?now|reminder|owe[sd]?"
    r"|punted|hold(?:ing)? off|left(?=[.,;:]|\Z| is)|needs? (?:an?|its|some|more|further)(?= )"
    r"|open(?= ?(?:[:.,;]|item|task|point|question|\Z))|blocked"
    r"|blockers?|stuck|in progress|under ?way|ongoing|wip|await\w{0,3}|waiting (?:for|on)"
    r"|wait(?:s)? for"
    r"|on hold|held back|paused|postponed|deferred|parked|shelved|outstanding|no idea|no clue"
    r"|unknown|unexplained|remaining(?= ?:| work| is| are| to|[.,;]|\Z)"
    r"|remains? (?:to|open|un\w+|broken|missing)|left (?:to|for|open|undone)|missing|backlog"
    r"|still(?= ?:)|(?<=\w )next(?=\.|\Z)|what remains|(?<!as )planned(?=[.,;]|\Z)|will"
    r" follow(?=[.,;]"
    r"|\Z)|leftovers?"
    r"|(?:not|n['\u2019]t|never) (?:yet )?(?:gotten|got) (?:a)?round to"
    r"|next (?:steps?|up|session)|follow[- ]?ups?|action items?|off(?=[.,;]|\Z| in)"
    r"|rolled back|work in progress"
    r"|no (?:fix|solution|progress|tests?) yet|still (?:open|missing)"
    r"|needs? (?:work|attention|investigation|doing)|(?:do not|don['\u2019]t) forget to"
    r"|what['\u2019]s left|come back to|later(?! than)|afterwards"
)
AHEAD: Final = (
    r"(?:yet|still|needs?|ha(?:s|ve)|ought|remains?|left|want|plan) to(?: be)?"
    r"|someone needs to|needed to"
)
FINISHED: Final = (
    r"done|finished|finali[sz]ed|completed?|complete|fixed|resolved|solved|deployed|merged"
    r"|shipped|released"
    r"|landed(?! on)|up and running|implemented|closed|verified|confirmed|validated|(?:is|are|was"
    r"|now|went"
    r"|go(?:es|ing)?|gone) live|gone|cleared|in place"
    r"|rolled out|(?:went|go|goes|gone) (?:out|through|live)|(?:is|are|was|now) (?:out"
    r"|through)(?=[.,;]|\Z)|happened|handled|sorted|exists?|to completion|nothing (?:is |was "
    r"|else )?left(?: to do)?|nothing more|no longer (?:open|an issue|a problem)|covered"
    r"|dealt with|taken care of|looked at|wrapped up|ticked off|no more work|is in(?=[.,;]|\Z)"
    r"|rebuilt|applied|managed to|off the list|(?:is|are|was|were|been) (?:checked|crossed) off"
    r"|(?:is|are|now) in"
    r" prod(?:uction)?"
    r"(?=[.,;]|\Z)|in the bag|behind us|(?:made|makes) it in(?:to)?|unblocked"
)
HEALTHY: Final = (
    r"pass(?:e[sd]|ing)?|green|succe(?:eds?|eded|ssful(?:ly)?)|works|worked"
    r"|working(?! (?:on|hyp))"
    r"|healthy|stable|clean(?! ?up)|ready|happy|up and running|is up|fine|improved|better"
    r"|check(?:s|ed)? out|runs? fine|(?:is|are) on(?=[.,;]|\Z| in)|correctly|properly"
    r"|ok(?:ay)?|sound|renders?|good to go|all set|operational|back to normal"
)
TAKEN: Final = (
    r"adopt\w{0,3}|approv\w{1,3}|chose|chosen|choos\w{1,3}|choice|pick(?:ed|ing|s)?"
    r"|select(?:ed|ing|s|ion)?|kept|keep(?:s|ing)?"
    r"|retain\w{0,3}|stay(?:s|ed|ing)?(?! out)|stick(?:s|ing)? (?:with|to)|stuck with"
    r"|enabl\w{1,3}|accept\w{0,3}"
    r"|agree[ds]?|agreed|settl\w{1,3}|in favou?r|includ\w{1,3}|commit(?:s|ted|ting)? to"
    r"|opt(?:s|ed|ing)? for"
    r"|voted in|green light|standardi[sz]\w{1,3}|proceed\w{0,3}|land(?:ed)? on|sign(?:ed)? off"
    r"|go(?:es|ing)? (?:with|for)"
    r"|went (?:with|for)|will use|are using|use it|decided on|embrac\w{1,3}|endors\w{1,3}"
)
TURNED_DOWN: Final = (
    r"reject\w{0,3}|drop(?:s|ped|ping)?|abandon\w{0,3}|discard\w{0,3}|disabl\w{1,3}"
    r"|exclud\w{1,3}|declin\w{1,3}"
    r"|veto\w{0,3}|rul(?:e|ed|es|ing) out|ruled \S{1,60} out|turn(?:s|ed|ing)? down"
    r"|(?:(?<=we )|(?<=will )|(?<=re )|^)"
    r"pass(?:es|ed|ing)? on"
    r"|phas(?:e|ed|es|ing) out|back(?:s|ed|ing)? out|opt(?:s|ed|ing)? out|dismiss\w{0,3}"
    r"|reverted|(?:decided|voted|advised|are|is|was|were|be) against"
    r"|retir\w{1,3}|deprecat\w{1,3}|mov(?:e|ed|es|ing) away|leaves|refus\w{1,3}|skip\w{0,4}"
    r"|scrap\w{0,4}"
    r"|stay(?:s|ed|ing)? out|voted \S{0,60} ?down|disagree[ds]?|off the table"
    r"|out of the question|blocked for|goes from|gone from|avoid\w{0,3}|shelv\w{1,3}"
    r"|steer\w{0,3} clear"
)
NEGATION: Final = (
    r"not|never|no|none|nothing|neither|nor|cannot|without|hardly|barely|half|part(?:ly|ially)"
    r"|almost|nearly|\w{2,8}n['\u2019]t|unable to|fail(?:s|ed) to|refus(?:es|ed) to|zero|lacks?"
    r"|anything but|anything except|alone|untouched|unchanged|intact|as[- ]is|free of"
    r"|stop\w{0,4}|prevent\w{0,3}"
)
SOON: Final = (
    r"(?:will|should|must|shall|can|could|may|might|is to|are to|going to|to)"
    r"(?= (?:still |also |all |then |now |first |both |only )?be(?! done| resolved| fixed)(?!\w))"
)
NOT_YET: Final = r"(?:\w{2,8}n['\u2019]t|not|never)(?= (?:[\w#'-]{1,30} ){0,8}?yet(?!\w))|not yet"
DEED: Final = (
    r"(?!(?:planned|scheduled|worked on|(?:checked|crossed) off)(?!\w))"
    r"(?:\w{3,20}(?<!e)ed|written|rewritten|built|sent|split|made|put|done|run|set|cut|begun"
    r"|taken)"
)
PASSIVE: Final = (
    r"(?:is|are|was|were|be|been|got|gets"
    r"|being(?! (?:reviewed|tested|investigated|debugged|fixed)(?!\w)))(?: (?:now|already|all"
    r"|fully|just|since"
    r"|finally|also"
    rf"|both|successfully|completely|not|never)){{0,3}} (?={DEED}(?!\w))"
)
