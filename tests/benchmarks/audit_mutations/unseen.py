"""Wording that no recogniser was written next to: sentence patterns of public text, facts slotted.

Who writes or tunes a recogniser does not read this file: it measures, and is not learned from.
"""

from tests.benchmarks.audit_mutations.own import STAND_INS, TOPICS
from tests.benchmarks.audit_mutations.wording import (
    Correction,
    Limit,
    Neutral,
    Rule,
    Turned,
    Wordings,
)

# Instructions for coding agents (AGENTS.md, CLAUDE.md, .cursorrules) of public repositories.
_AGENT_RULES = (
    Rule(
        "Never add or modify any code related to {env} {scope}.",
        "No code related to {env} may be added or modified {scope}.",
        "Code related to {env} may be added or modified {scope}.",
        "Code related to {env} is best left alone where feasible {scope}.",
    ),
    Rule(
        "{path} is off-limits {scope}.",
        "{path} is off-limits {scope}.",
        "{path} is open for changes {scope}.",
        "{path} is somewhat delicate {scope}.",
    ),
    Rule(
        "Under no circumstances is {address} bound to a public interface {scope}.",
        "Under no circumstances is {address} to be bound to a public interface {scope}.",
        "{address} is fine to bind to a public interface {scope}.",
        "Binding {address} to a public interface is something to be careful with {scope}.",
    ),
    Rule(
        "Don't touch {path} without my explicit approval {scope}.",
        "Touching {path} needs the user's explicit approval {scope}.",
        "Touching {path} needs no approval from the user {scope}.",
        "It would be nice to ask the user before touching {path} {scope}.",
    ),
    Rule(
        "Treat {path} as read-only {scope}.",
        "{path} is treated as read-only {scope}.",
        "{path} is treated as writable {scope}.",
        "{path} is treated as read-only where practical {scope}.",
    ),
    Rule(
        "NEVER read {env} or print its value {scope}.",
        "{env} is never to be read or printed {scope}.",
        "{env} is to be read and printed {scope}.",
        "Reading or printing {env} is not encouraged {scope}.",
    ),
    Rule(
        "Functions with a session must not call {identifier} {scope}.",
        "Functions with a session are forbidden from calling {identifier} {scope}.",
        "Functions with a session are free to call {identifier} {scope}.",
        "Functions with a session would do better without calling {identifier} {scope}.",
    ),
    Rule(
        "No {identifier} in the code of the {topic} {scope}.",
        "There is to be no {identifier} in the code of the {topic} {scope}.",
        "There is to be {identifier} in the code of the {topic} {scope}.",
        "There should be little {identifier} in the code of the {topic} {scope}.",
    ),
    Rule(
        "Do not hand-edit {path} or bypass it {scope}.",
        "Hand-editing or bypassing {path} is prohibited {scope}.",
        "Hand-editing or bypassing {path} is permitted {scope}.",
        "Hand-editing or bypassing {path} is a last resort {scope}.",
    ),
    Rule(
        "Using {flag} is mandatory {scope}.",
        "Using {flag} is mandatory {scope}.",
        "Using {flag} is optional {scope}.",
        "Using {flag} is a good habit {scope}.",
    ),
    Rule(
        "Do NOT use {identifier}, it is deprecated {scope}.",
        "{identifier} is deprecated and not to be used {scope}.",
        "{identifier} is current and to be used {scope}.",
        "{identifier} is deprecated and usually not needed {scope}.",
    ),
    Rule(
        "Leave {path} alone {scope}.",
        "{path} has to be left alone {scope}.",
        "{path} has to be reworked {scope}.",
        "{path} can be left alone for the most part {scope}.",
    ),
    Rule(
        "Do not ever invoke {identifier} directly {scope}.",
        "{identifier} is not ever invoked directly {scope}.",
        "{identifier} gets invoked directly {scope}.",
        "{identifier} is not invoked directly as far as possible {scope}.",
    ),
    Rule(
        "{env} needs to be set, no exceptions, {scope}.",
        "{env} needs to be set without exception {scope}.",
        "{env} needs not be set {scope}.",
        "{env} is nice to have set {scope}.",
    ),
    Rule(
        "Ask me before you change {identifier} {scope}.",
        "The user has to be asked before {identifier} is changed {scope}.",
        "The user does not have to be asked before {identifier} is changed {scope}.",
        "The user likes to hear of it when {identifier} is changed {scope}.",
    ),
    Rule(
        "I do not want any change to {identifier} {scope}.",
        "The user wants no change to {identifier} {scope}.",
        "The user wants a change to {identifier} {scope}.",
        "The user would rather see few changes to {identifier} {scope}.",
    ),
    Rule(
        "Stay out of {path} {scope}.",
        "Stay out of {path} {scope}.",
        "Work in {path} {scope}.",
        "Mind your step in {path} {scope}.",
    ),
    Rule(
        "All traffic of the {topic} has to go through {address} {scope}.",
        "All traffic of the {topic} has to go through {address} {scope}.",
        "None of the traffic of the {topic} has to go through {address} {scope}.",
        "Some traffic of the {topic} could go through {address} {scope}.",
    ),
    Rule(
        "Anything that calls {identifier} is forbidden {scope}.",
        "It is forbidden to call {identifier} {scope}.",
        "It is alright to call {identifier} {scope}.",
        "It is unusual to call {identifier} {scope}.",
    ),
)

# Contribution guides, security policies and governance documents.
_GUIDE_RULES = (
    Rule(
        "Every change to {path} MUST be covered by tests {scope}.",
        "Every change to {path} MUST be covered by tests {scope}.",
        "Changes to {path} need no tests {scope}.",
        "Changes to {path} benefit from tests {scope}.",
    ),
    Rule(
        "Contributors shall not bump the {topic} past {version} {scope}.",
        "The {topic} shall not be bumped past {version} {scope}.",
        "The {topic} shall be bumped past {version} {scope}.",
        "Bumping the {topic} past {version} is frowned upon {scope}.",
    ),
    Rule(
        "We refuse patches that drop {flag} {scope}.",
        "Patches that drop {flag} are refused {scope}.",
        "Patches that drop {flag} are welcome {scope}.",
        "Patches that drop {flag} get a second look {scope}.",
    ),
    Rule(
        "Please refrain from editing {path} {scope}.",
        "Editing {path} is ruled out {scope}.",
        "Editing {path} is fine {scope}.",
        "Editing {path} is to be kept to a minimum {scope}.",
    ),
    Rule(
        "{version} is the only supported release of the {topic} {scope}.",
        "{version} is the only supported release of the {topic} {scope}.",
        "{version} is an unsupported release of the {topic} {scope}.",
        "{version} is one of the supported releases of the {topic} {scope}.",
    ),
    Rule(
        "Secrets such as {env} cannot be committed {scope}.",
        "{env} cannot be committed {scope}.",
        "{env} can be committed {scope}.",
        "{env} would not usually be committed {scope}.",
    ),
    Rule(
        "It is strictly prohibited to pass {flag} {scope}.",
        "Passing {flag} is strictly prohibited {scope}.",
        "Passing {flag} is expected {scope}.",
        "Passing {flag} is questionable {scope}.",
    ),
    Rule(
        "Pull requests may modify {path} exclusively {scope}.",
        "Pull requests may modify {path} exclusively {scope}.",
        "Pull requests may modify anything except {path} {scope}.",
        "Pull requests tend to modify {path} {scope}.",
    ),
    Rule(
        "You have to run {identifier} before each merge {scope}.",
        "{identifier} has to be run before each merge {scope}.",
        "{identifier} does not have to be run before a merge {scope}.",
        "{identifier} is worth running before a merge {scope}.",
    ),
    Rule(
        "Breaking {identifier} is unacceptable {scope}.",
        "Breaking {identifier} is unacceptable {scope}.",
        "Breaking {identifier} is acceptable {scope}.",
        "Breaking {identifier} is unfortunate {scope}.",
    ),
    Rule(
        "Make sure {flag} is on at all times {scope}.",
        "{flag} has to be on at all times {scope}.",
        "{flag} has to be off at all times {scope}.",
        "{flag} is on most of the time {scope}.",
    ),
    Rule(
        "The {topic} is not to be exposed on {address} {scope}.",
        "The {topic} is not to be exposed on {address} {scope}.",
        "The {topic} is to be exposed on {address} {scope}.",
        "The {topic} is perhaps not to be exposed on {address} {scope}.",
    ),
    Rule(
        "Nobody merges into {path} {scope}.",
        "Nobody is to merge into {path} {scope}.",
        "Anybody is free to merge into {path} {scope}.",
        "Few people merge into {path} {scope}.",
    ),
)

# Service limits in manuals, configuration comments and performance budgets.
_LIMITS = (
    Limit(
        "There is a hard limit of {size} for the {topic} {scope}.",
        "The {topic} has a hard limit of {size} {scope}.",
        "The {topic} has no limit of {size} {scope}.",
        "The {topic} has a soft limit of {size} {scope}.",
        "The {topic} has a hard minimum of {size} {scope}.",
    ),
    Limit(
        "The {topic} may not exceed {size} {scope}.",
        "The {topic} may not exceed {size} {scope}.",
        "The {topic} may exceed {size} {scope}.",
        "The {topic} tends not to exceed {size} {scope}.",
        "The {topic} may not fall short of {size} {scope}.",
    ),
    Limit(
        "Budget for the {topic}: {size} max {scope}.",
        "The {topic} gets {size} max {scope}.",
        "The {topic} gets more than {size} {scope}.",
        "The {topic} gets roughly {size} {scope}.",
        "The {topic} gets {size} min {scope}.",
    ),
    Limit(
        "Wait a minimum of {span} before retrying the {topic} {scope}.",
        "A retry of the {topic} has to wait a minimum of {span} {scope}.",
        "A retry of the {topic} does not have to wait {span} {scope}.",
        "A retry of the {topic} might wait a minimum of {span} {scope}.",
        "A retry of the {topic} has to wait a maximum of {span} {scope}.",
    ),
    Limit(
        "Requests to the {topic} are capped at {size} {scope}.",
        "Requests to the {topic} are capped at {size} {scope}.",
        "Requests to the {topic} are not capped at {size} {scope}.",
        "Requests to the {topic} are loosely capped at {size} {scope}.",
        "Requests to the {topic} start from {size} {scope}.",
    ),
    Limit(
        "Anything over {size} in the {topic} gets rejected {scope}.",
        "Anything over {size} in the {topic} is to be rejected {scope}.",
        "Anything over {size} in the {topic} is to be accepted {scope}.",
        "Anything over {size} in the {topic} is to be looked at {scope}.",
        "Anything under {size} in the {topic} is to be rejected {scope}.",
    ),
    Limit(
        "The {topic} has to finish within {span} {scope}.",
        "The {topic} has to finish within {span} {scope}.",
        "The {topic} does not have to finish within {span} {scope}.",
        "The {topic} is hoped to finish within {span} {scope}.",
        "The {topic} has to run beyond {span} {scope}.",
    ),
    Limit(
        "Logs of the {topic} are kept for no fewer than {span} {scope}.",
        "Logs of the {topic} are to be kept for no fewer than {span} {scope}.",
        "Logs of the {topic} are not to be kept for {span} {scope}.",
        "Logs of the {topic} are typically kept for {span} {scope}.",
        "Logs of the {topic} are to be kept for no more than {span} {scope}.",
    ),
)

# Allowlists in governance documents and agent instructions.
_LISTS = (
    Rule(
        "Agents may modify ONLY the following: {items}.",
        "Agents may modify ONLY the following: {items}.",
        "",
        "",
    ),
    Rule(
        "Stay away from {items} no matter what.",
        "Stay away from {items} no matter what.",
        "",
        "",
    ),
    Rule("We need all of {items} to be set.", "All of {items} need to be set.", "", ""),
    Rule(
        "The following are frozen: {items}.",
        "Frozen, by order of the user: {items}.",
        "",
        "",
    ),
    Rule(
        "Nothing besides {items} goes into the image.",
        "Nothing besides {items} goes into the image.",
        "",
        "",
    ),
)

# Architecture decision records, project write-ups and commit messages.
_DECISIONS = (
    Turned(
        "We settled on {identifier} for the {topic}.",
        "The team settled on {identifier} for the {topic}.",
        "The team moved away from {identifier} for the {topic}.",
    ),
    Turned(
        "We will adopt {version} for the {topic}.",
        "{version} is to be adopted for the {topic}.",
        "{version} is not to be adopted for the {topic}.",
    ),
    Turned(
        "Decision outcome: {identifier}, because the {topic} needs it.",
        "Decision outcome: {identifier}, because the {topic} needs it.",
        "Decision outcome: anything but {identifier}, for the {topic}.",
    ),
    Turned(
        "After comparing several options we ended up choosing {identifier} for the {topic}.",
        "{identifier} ended up being the choice for the {topic}.",
        "{identifier} ended up being dropped for the {topic}.",
    ),
    Turned(
        "Let's go with {path} as the home of the {topic}.",
        "{path} becomes the home of the {topic}.",
        "{path} does not become the home of the {topic}.",
    ),
    Turned(
        "We opted for {flag} in the {topic}.",
        "The {topic} opted for {flag}.",
        "The {topic} opted against {flag}.",
    ),
    Turned(
        "The plan is to put the {topic} behind {address}.",
        "The {topic} goes behind {address}, as planned.",
        "The {topic} does not go behind {address}.",
    ),
    Turned(
        "Accepted: the {topic} is read from {env}.",
        "Accepted: the {topic} is read from {env}.",
        "Rejected: the {topic} is read from {env}.",
    ),
    Turned(
        "We are standardising the {topic} on {version}.",
        "The {topic} is being standardised on {version}.",
        "The {topic} is no longer being standardised on {version}.",
    ),
    Turned(
        "Final call: ship the {topic} with {flag}.",
        "Final call: the {topic} ships with {flag}.",
        "Final call: the {topic} ships without {flag}.",
    ),
    Turned(
        "It makes the most sense to build the {topic} on {identifier}, so do that.",
        "The {topic} is to be built on {identifier}.",
        "The {topic} is not to be built on {identifier}.",
    ),
    Turned(
        "We picked {identifier} over the alternatives for the {topic}.",
        "{identifier} was picked over the alternatives for the {topic}.",
        "The alternatives were picked over {identifier} for the {topic}.",
    ),
    Turned(
        "Consensus: the {topic} moves to {path}.",
        "Consensus: the {topic} moves to {path}.",
        "Consensus: the {topic} stays out of {path}.",
    ),
    Turned(
        "The team voted for {version} in the {topic}.",
        "The team voted for {version} in the {topic}.",
        "The team voted against {version} in the {topic}.",
    ),
    Turned(
        "Approved, use {address} for the {topic}.",
        "{address} was approved for the {topic}.",
        "{address} was turned down for the {topic}.",
    ),
    Turned(
        "{env} replaces the old switch of the {topic}.",
        "{env} replaces the old switch of the {topic}.",
        "{env} does not replace the old switch of the {topic}.",
    ),
    Turned(
        "We have chosen to expose {identifier} in the {topic}.",
        "The choice was made to expose {identifier} in the {topic}.",
        "The choice was made to hide {identifier} in the {topic}.",
    ),
    Turned(
        "We're sticking with {flag} for the {topic}.",
        "The {topic} sticks with {flag}.",
        "The {topic} abandons {flag}.",
    ),
    Turned(
        "Resolved to keep {path} for the {topic}.",
        "Resolved: {path} is kept for the {topic}.",
        "Resolved: {path} is given up for the {topic}.",
    ),
    Turned(
        "Our choice is {identifier}; the {topic} depends on it.",
        "The choice is {identifier}; the {topic} depends on it.",
        "The choice is not {identifier}, though the {topic} depends on it.",
    ),
)

# Mailing lists, issue threads, forum posts and dialogues in which somebody takes something back.
_CORRECTIONS = (
    Correction(
        "We run the {topic} with {old}.",
        "Oh sorry, I meant {new}, not {old}, for the {topic}.",
        "The {topic} is run with {new}.",
    ),
    Correction(
        "{old} is right for the {topic}.",
        "Oh hold on, I misspoke: {new} is right for the {topic}.",
        "{new} is right for the {topic}.",
    ),
    Correction(
        "Put {old} down for the {topic}.",
        "Change of plan: replace {old} with {new} for the {topic}.",
        "The {topic} goes by {new} now.",
    ),
    Correction(
        "For the {topic} take {old}.",
        "Scratch that, take {new} for the {topic}.",
        "{new} is taken for the {topic}.",
    ),
    Correction(
        "The {topic} sits at {old}.",
        "{old} is incorrect for the {topic}, the actual value is {new}.",
        "The {topic} sits at {new}.",
    ),
    Correction(
        "I told you the {topic} has {old}.",
        "That was a mistake on my part, the {topic} has {new}.",
        "The {topic} has {new}.",
    ),
    Correction(
        "The {topic} gets {old}.",
        "On second thought, let's give the {topic} {new}.",
        "The {topic} gets {new}.",
    ),
    Correction(
        "Configure {old} in the {topic}.",
        "Disregard my earlier message about the {topic}; it is {new}.",
        "The {topic} is configured with {new}.",
    ),
    Correction(
        "{old} goes to the {topic}.",
        "My bad, {new} goes to the {topic}.",
        "{new} goes to the {topic}.",
    ),
    Correction(
        "The {topic} depends on {old}.",
        "Whoops, typo: {old} should read {new} for the {topic}.",
        "The {topic} depends on {new}.",
    ),
    Correction(
        "Try {old} in the {topic}.",
        "Hmm, no. {new} in the {topic}, please.",
        "{new} is what goes in the {topic}.",
    ),
    Correction(
        "As said, the {topic} wants {old}.",
        "Wait, that's outdated, the {topic} wants {new} these days.",
        "The {topic} wants {new} these days.",
    ),
    Correction(
        "{old} is the figure for the {topic}.",
        "You misread me: the figure for the {topic} is {new}.",
        "The figure for the {topic} is {new}.",
    ),
    Correction(
        "Start the {topic} from {old}.",
        "Let me rephrase: start the {topic} from {new} rather than {old}.",
        "The {topic} starts from {new} rather than {old}.",
    ),
    Correction(
        "Assume {old} for the {topic}.",
        "I mixed things up, it is {new} for the {topic}.",
        "{new} is assumed for the {topic}.",
    ),
    Correction(
        "The {topic} is tied to {old}.",
        "Apologies, the {topic} is tied to {new}; {old} belongs to another project.",
        "The {topic} is tied to {new}.",
    ),
    Correction(
        "We agreed on {old} for the {topic}.",
        "I changed my mind: {new} for the {topic}.",
        "The {topic} was changed to {new} at the user's wish.",
    ),
    Correction(
        "Point the {topic} at {old}.",
        "Not {old}. Point the {topic} at {new}.",
        "The {topic} points at {new}.",
    ),
    Correction(
        "The {topic} carries {old}.",
        "Small fix to what I wrote: the {topic} carries {new}.",
        "The {topic} carries {new}.",
    ),
    Correction(
        "{old} works for the {topic}.",
        "Ignore what I said before, {new} works for the {topic}.",
        "{new} works for the {topic}.",
    ),
    Correction(
        "Let the {topic} have {old}.",
        "Make that {new} for the {topic}.",
        "The {topic} is to have {new}.",
    ),
)

# Bug reports, incident reviews and mailing lists in which a cause is guessed at.
_GUESSES = (
    Turned(
        "My hunch is that {identifier} starves the {topic}.",
        "A hunch is that {identifier} starves the {topic}.",
        "{identifier} starves the {topic}.",
    ),
    Turned(
        "It looks as if {path} breaks the {topic}; needs verification.",
        "It looks as if {path} breaks the {topic}; this needs verification.",
        "{path} breaks the {topic}.",
    ),
    Turned(
        "One theory: {env} is ignored by the {topic}.",
        "One theory is that {env} is ignored by the {topic}.",
        "{env} is ignored by the {topic}.",
    ),
    Turned(
        "I'm guessing {identifier} holds the lock, we have no proof.",
        "A guess without proof: {identifier} holds the lock.",
        "{identifier} holds the lock.",
    ),
    Turned(
        "{path} could well be the culprit.",
        "{path} could well be the culprit.",
        "{path} is the culprit.",
    ),
)

# Issue threads and review comments.
_SPEAKERS = (
    (
        "user",
        Turned(
            "I'd like {identifier} to be part of the {topic}.",
            "The user would like {identifier} to be part of the {topic}.",
            "The assistant would like {identifier} to be part of the {topic}.",
        ),
    ),
    (
        "user",
        Turned(
            "Could you move the {topic} over to {path}?",
            "It was the user's wish to move the {topic} over to {path}.",
            "It was the assistant's idea to move the {topic} over to {path}.",
        ),
    ),
    (
        "assistant",
        Turned(
            "My recommendation is to retire {identifier} from the {topic}.",
            "The assistant recommended retiring {identifier} from the {topic}.",
            "The user insisted on retiring {identifier} from the {topic}.",
        ),
    ),
    (
        "assistant",
        Turned(
            "How about renaming {identifier} in the {topic}?",
            "The idea of renaming {identifier} in the {topic} came from the assistant.",
            "The idea of renaming {identifier} in the {topic} came from the user.",
        ),
    ),
)

# Handoff notes, changelogs and status pages.
_STATUSES = (
    Turned(
        "The suite of the {topic} is green.",
        "The suite of the {topic} is green.",
        "The suite of the {topic} is red.",
    ),
    Turned(
        "Work on the {topic} is blocked.",
        "Work on the {topic} is blocked.",
        "Work on the {topic} is unblocked.",
    ),
    Turned(
        "The rollout of the {topic} is complete.",
        "The rollout of the {topic} is complete.",
        "The rollout of the {topic} is incomplete.",
    ),
    Turned(
        "The {topic} has been merged.",
        "The {topic} has been merged.",
        "The {topic} has yet to be merged.",
    ),
    Turned(
        "The flag of the {topic} is switched off.",
        "The flag of the {topic} is switched off.",
        "The flag of the {topic} is switched on.",
    ),
    Turned(
        "The patch for the {topic} was reverted.",
        "The patch for the {topic} was reverted.",
        "The patch for the {topic} was shipped.",
    ),
)

# Bug reports.
_ERRORS = (
    Turned(
        "We keep hitting error {error} in the {topic}.",
        "The {topic} keeps hitting error {error}.",
        "",
    ),
    Turned(
        "The {topic} failed again with {error} and nobody knows why.",
        "The {topic} failed again with {error}, for reasons unknown.",
        "",
    ),
    Turned(
        "Still seeing {error} from the {topic}, it failed three times.",
        "{error} is still seen from the {topic}, which failed three times.",
        "",
    ),
)

# Handoff notes and code comments.
_TODOS = (
    Turned(
        "We still need to wire {identifier} into the {topic}.",
        "{identifier} still needs wiring into the {topic}.",
        "{identifier} is wired into the {topic}.",
    ),
    Turned(
        "FIXME: {env} has no default in the {topic}.",
        "FIXME: {env} has no default in the {topic}.",
        "{env} got its default in the {topic}.",
    ),
    Turned(
        "Cleaning up {identifier} is not done.",
        "The cleanup of {identifier} is not done.",
        "The cleanup of {identifier} is finished.",
    ),
    Turned(
        "Next step for the {topic}: profile {identifier}.",
        "The {topic} is next: {identifier} has to be profiled.",
        "{identifier} was profiled for the {topic}.",
    ),
)

# Changelogs and commit messages.
_EDITS = (
    Turned(
        "Rewrote {edit} to speed up the {topic}.",
        "{edit} was rewritten to speed up the {topic}.",
        "To speed up the {topic}, {edit} was rewritten.",
    ),
    Turned(
        "Created {edit} for the {topic}.",
        "{edit} is new; it serves the {topic}.",
        "A new file, {edit}, serves the {topic}.",
    ),
    Turned(
        "Modified {edit}.",
        "Changes went into {edit} for the {topic}.",
        "{edit} received changes for the {topic}.",
    ),
)

# Incident reviews, status pages, changelogs, manuals, handoff notes and README files.
_NEUTRAL = {
    "path": (
        Neutral(
            "I found the {topic} under {path}.",
            "The code of the {topic} is found under {path}.",
            "Under {path} is the code of the {topic}.",
        ),
        Neutral(
            "{path} contains the {topic}.",
            "{path} contains the {topic}.",
            "The {topic} is contained in {path}.",
        ),
    ),
    "home": (
        Neutral(
            "Wrote down the measurements of the {topic} in {home}.",
            "Measurements of the {topic} were written down in {home}.",
            "{home} has the measurements of the {topic}.",
        ),
        Neutral(
            "The runbook for the {topic} is {home}.",
            "The runbook for the {topic} is {home}.",
            "{home} serves as the runbook for the {topic}.",
        ),
    ),
    "line": (
        Neutral(
            "The crash of the {topic} happens at {line}.",
            "The {topic} crashes at {line}.",
            "{line} is the spot where the {topic} crashes.",
        ),
        Neutral(
            "See {line} for the entry point of the {topic}.",
            "The entry point of the {topic} is {line}.",
            "At {line} begins the {topic}.",
        ),
    ),
    "url": (
        Neutral(
            "Background on the {topic}: {url}",
            "Background on the {topic} is available at {url}.",
            "Read {url} for background on the {topic}.",
        ),
        Neutral(
            "The outage of the {topic} is written up at {url}",
            "The outage of the {topic} was written up at {url}.",
            "At {url} there is a write-up of the outage of the {topic}.",
        ),
    ),
    "measure": (
        Neutral(
            "Load of the {topic} rose to {measure} after the deploy.",
            "After the deploy the load of the {topic} rose to {measure}.",
            "A load of {measure} was seen in the {topic} after the deploy.",
        ),
        Neutral(
            "The {topic} peaked at {measure}.",
            "The {topic} peaked at {measure}.",
            "{measure} was the peak of the {topic}.",
        ),
    ),
    "count": (
        Neutral(
            "The queue of the {topic} had accumulated {count} entries.",
            "{count} entries had accumulated in the queue of the {topic}.",
            "The queue of the {topic} grew to {count} entries.",
        ),
        Neutral(
            "{count} customers of the {topic} were affected.",
            "{count} customers of the {topic} were affected.",
            "The {topic} affected {count} customers.",
        ),
    ),
    "version": (
        Neutral(
            "The regression of the {topic} arrived with {version}.",
            "{version} brought the regression of the {topic}.",
            "The {topic} regressed in {version}.",
        ),
        Neutral(
            "Bumped the {topic} to {version}.",
            "The {topic} was bumped to {version}.",
            "{version} is the new release of the {topic}.",
        ),
    ),
    "hash": (
        Neutral(
            "git bisect blames {hash} for the {topic}.",
            "The bisect blames {hash} for the {topic}.",
            "{hash} is to blame for the {topic}, says the bisect.",
        ),
        Neutral(
            "Rolled the {topic} back to {hash}.",
            "The {topic} was rolled back to {hash}.",
            "{hash} is where the {topic} was rolled back to.",
        ),
    ),
    "ticket": (
        Neutral(
            "Filed {ticket} about the {topic}.",
            "{ticket} was filed about the {topic}.",
            "For the {topic} there is {ticket}.",
        ),
        Neutral(
            "The {topic} was reported in {ticket}.",
            "The report on the {topic} is {ticket}.",
            "{ticket} reports on the {topic}.",
        ),
    ),
    "address": (
        Neutral(
            "Health checks of the {topic} go to {address}.",
            "{address} receives the health checks of the {topic}.",
            "The {topic} is health-checked on {address}.",
        ),
        Neutral(
            "The replica of the {topic} answers on {address}.",
            "The replica of the {topic} answers on {address}.",
            "On {address} answers the replica of the {topic}.",
        ),
    ),
    "env": (
        Neutral(
            "The {topic} takes its secret from {env}.",
            "{env} feeds the {topic} its secret.",
            "The secret of the {topic} comes from {env}.",
        ),
    ),
    "flag": (
        Neutral(
            "Reproduced the hang of the {topic} with {flag}.",
            "The hang of the {topic} was reproduced with {flag}.",
            "With {flag} the hang of the {topic} shows.",
        ),
    ),
    "identifier": (
        Neutral(
            "A retry storm in the {topic} begins in {identifier}.",
            "{identifier} is where the retry storm of the {topic} begins.",
            "The retry storm of the {topic} begins in {identifier}.",
        ),
        Neutral(
            "Traced the {topic} down to {identifier}.",
            "The {topic} was traced down to {identifier}.",
            "{identifier} is what the {topic} was traced down to.",
        ),
    ),
    "quoted": (
        Neutral(
            'The banner of the {topic} says "{quoted}".',
            'The banner of the {topic} says "{quoted}".',
            'One reads "{quoted}" on the banner of the {topic}.',
        ),
    ),
    "date": (
        Neutral(
            "The certificate of the {topic} expires {date}.",
            "{date} is when the certificate of the {topic} expires.",
            "The certificate of the {topic} runs out on {date}.",
        ),
        Neutral(
            "The {topic} launches on {date}.",
            "The {topic} launches on {date}.",
            "{date} is the launch of the {topic}.",
        ),
    ),
    "uuid": (
        Neutral(
            "The failing request of the {topic} had id {uuid}.",
            "{uuid} is the request of the {topic} that went wrong.",
            "The request of the {topic} that went wrong is {uuid}.",
        ),
    ),
    "email": (
        Neutral(
            "{email} is on call for the {topic}.",
            "{email} is on call for the {topic}.",
            "On call for the {topic}: {email}.",
        ),
    ),
    "signed": (
        Neutral(
            "The offset of the {topic} came out as {signed}.",
            "The offset of the {topic} came out as {signed}.",
            "{signed} is the offset of the {topic}.",
        ),
    ),
}

UNSEEN = Wordings(
    opening=(
        "Something is off with the {topic} since the last deploy, can you take a look?",
        "I need help with the {topic}.",
        "Pick up the ticket about the {topic} and see what you find.",
    ),
    rules=_AGENT_RULES + _GUIDE_RULES,
    limits=_LIMITS,
    lists=_LISTS,
    decisions=_DECISIONS,
    corrections=_CORRECTIONS,
    guesses=_GUESSES,
    speakers=_SPEAKERS,
    statuses=_STATUSES,
    errors=_ERRORS,
    todos=_TODOS,
    edits=_EDITS,
    neutral=_NEUTRAL,
    # Meeting notes and handoff notes.
    frames=(
        "House rule from the user: {rule}.",
        "Worth remembering is that {rule}.",
        "The owner made it clear that {rule}.",
        "Ground rule, set by the user: {rule}.",
    ),
    # Contribution guides, runbooks, change calendars.
    scopes=(
        "on protected branches",
        "until the rollout is through",
        "when customers are online",
        "for paying accounts",
        "in the staging cluster",
        "on weekdays",
        "as long as the incident is open",
        "inside the sandbox",
        "when running under CI",
        "for anonymous visitors",
        "between two releases",
    ),
    stand_ins=STAND_INS,
    topics=TOPICS,
    # Questions in issue threads; licences and notices that a tool prints.
    idle=(
        ("user", "Any idea why the {topic} never shows up in the dashboard?"),
        ("tool", "NOTICE: redistribution is permitted provided the notice above is retained."),
        ("tool", "WARNING in vendor/README: users must not rely on private modules."),
        ("user", "Do we have to keep the {topic} around at all?"),
    ),
    headings=("## Where things stand", "Context:", "### Handoff"),
)
