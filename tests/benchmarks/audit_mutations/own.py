"""The wording that the recognisers may be written next to."""

from tests.benchmarks.audit_mutations.wording import (
    Correction,
    Limit,
    Neutral,
    Rule,
    Turned,
    Wordings,
)

_RULES = (
    Rule(
        "Never write to {path} {scope}.",
        "Never write to `{path}` {scope}.",
        "Write to `{path}` freely {scope}.",
        "Preferably avoid writing to `{path}` {scope}.",
    ),
    Rule(
        "You must not change {identifier} {scope}.",
        "`{identifier}` must not be changed {scope}.",
        "`{identifier}` may be changed {scope}.",
        "`{identifier}` should ideally not be changed {scope}.",
    ),
    Rule(
        "Do not restart the {topic} {scope}.",
        "Do not restart the {topic} {scope}.",
        "Restart the {topic} {scope}.",
        "Try not to restart the {topic} {scope}.",
    ),
    Rule(
        "Only use {flag} {scope}.",
        "Only `{flag}` is allowed {scope}.",
        "Anything but `{flag}` is allowed {scope}.",
        "`{flag}` is the preferred option {scope}.",
    ),
    Rule(
        "Always set {env} {scope}.",
        "`{env}` must always be set {scope}.",
        "`{env}` must never be set {scope}.",
        "`{env}` can be set {scope}.",
    ),
    Rule(
        "{path} must stay as it is {scope}.",
        "`{path}` must stay as it is {scope}.",
        "`{path}` need not stay as it is {scope}.",
        "`{path}` should mostly stay as it is {scope}.",
    ),
    Rule(
        "Calls to {identifier} are not allowed {scope}.",
        "Calls to `{identifier}` are not allowed {scope}.",
        "Calls to `{identifier}` are allowed {scope}.",
        "Calls to `{identifier}` are discouraged {scope}.",
    ),
    Rule(
        "A review is required for {path} {scope}.",
        "A review is required for `{path}` {scope}.",
        "No review is required for `{path}` {scope}.",
        "A review is recommended for `{path}` {scope}.",
    ),
    Rule(
        "Do not expose {address} {scope}.",
        "Do not expose {address} {scope}.",
        "Expose {address} {scope}.",
        "Avoid exposing {address} if possible {scope}.",
    ),
    Rule(
        "Never deploy the {topic} with {flag} {scope}.",
        "The {topic} must never be deployed with `{flag}` {scope}.",
        "The {topic} must be deployed with `{flag}` {scope}.",
        "The {topic} should rarely be deployed with `{flag}` {scope}.",
    ),
    Rule(
        "You must pin the {topic} to {version} {scope}.",
        "The {topic} must be pinned to {version} {scope}.",
        "The {topic} must not be pinned to {version} {scope}.",
        "The {topic} could be pinned to {version} {scope}.",
    ),
    Rule(
        "Do not delete rows of {identifier} {scope}.",
        "Rows of `{identifier}` must not be deleted {scope}.",
        "Rows of `{identifier}` can be deleted {scope}.",
        "Rows of `{identifier}` should not normally be deleted {scope}.",
    ),
)

_LIMITS = (
    Limit(
        "The {topic} must answer in at most {span} {scope}.",
        "The {topic} must answer in at most {span} {scope}.",
        "The {topic} need not answer in at most {span} {scope}.",
        "The {topic} should try to answer in at most {span} {scope}.",
        "The {topic} must answer in at least {span} {scope}.",
    ),
    Limit(
        "Use no more than {size} for the {topic} {scope}.",
        "The {topic} must use no more than {size} {scope}.",
        "The {topic} may use more than {size} {scope}.",
        "The {topic} should preferably use no more than {size} {scope}.",
        "The {topic} must use no less than {size} {scope}.",
    ),
    Limit(
        "Keep at least {size} free for the {topic} {scope}.",
        "At least {size} must stay free for the {topic} {scope}.",
        "It is not required that at least {size} stay free for the {topic} {scope}.",
        "At least {size} should ideally stay free for the {topic} {scope}.",
        "At most {size} must stay free for the {topic} {scope}.",
    ),
    Limit(
        "The {topic} must never take longer than {span} {scope}.",
        "The {topic} must never take longer than {span} {scope}.",
        "The {topic} can take longer than {span} {scope}.",
        "The {topic} should seldom take longer than {span} {scope}.",
        "The {topic} must never take less than {span} {scope}.",
    ),
    Limit(
        "The cache of the {topic} must stay below {size} {scope}.",
        "The cache of the {topic} must stay below {size} {scope}.",
        "The cache of the {topic} need not stay below {size} {scope}.",
        "The cache of the {topic} would best stay below {size} {scope}.",
        "The cache of the {topic} must stay above {size} {scope}.",
    ),
)

_LISTS = (
    Rule("Only touch {items}.", "Only {items} may be touched.", "", ""),
    Rule("{items} are required.", "{items} are required.", "", ""),
    Rule("Never rename {items}.", "{items} must never be renamed.", "", ""),
    Rule("Do not log {items}.", "Do not log {items}.", "", ""),
)

_DECISIONS = (
    Turned(
        "Decision: we will use {identifier} for the {topic}.",
        "Decision: use `{identifier}` for the {topic}.",
        "Decision: do not use `{identifier}` for the {topic}.",
    ),
    Turned(
        "We decided to keep the {topic} on {version}.",
        "It was decided to keep the {topic} on {version}.",
        "It was decided not to keep the {topic} on {version}.",
    ),
    Turned(
        "We are going with {flag} for the {topic}.",
        "Going with `{flag}` for the {topic}.",
        "Not going with `{flag}` for the {topic}.",
    ),
    Turned(
        "We agreed to move the {topic} into {path}.",
        "Agreed to move the {topic} into `{path}`.",
        "Agreed not to move the {topic} into `{path}`.",
    ),
    Turned(
        "We will use {address} for the {topic}.",
        "We will use {address} for the {topic}.",
        "We will not use {address} for the {topic}.",
    ),
    Turned(
        "{identifier} was chosen for the {topic}.",
        "`{identifier}` was chosen for the {topic}.",
        "`{identifier}` was rejected for the {topic}.",
    ),
)

_CORRECTIONS = (
    Correction(
        "The {topic} uses {old}.",
        "No, that is wrong: the {topic} uses {new}, not {old}.",
        "The {topic} uses {new}.",
    ),
    Correction(
        "Set the {topic} to {old}.",
        "Actually, set the {topic} to {new} instead of {old}.",
        "The {topic} is set to {new}.",
    ),
    Correction(
        "The value for the {topic} is {old}.",
        "Correction: the value for the {topic} is {new}.",
        "The value for the {topic} is {new}.",
    ),
    Correction(
        "Use {old} for the {topic}.",
        "I was wrong, use {new} for the {topic}.",
        "Use {new} for the {topic}, as the user corrected.",
    ),
    Correction(
        "The {topic} should get {old}.",
        "Sorry, I meant {new} for the {topic}, not {old}.",
        "The {topic} gets {new} (the user corrected it from {old}).",
    ),
)

_GUESSES = (
    Turned(
        "The slow {topic} might come from {identifier}; this is not confirmed.",
        "The slow {topic} might come from `{identifier}` (not confirmed).",
        "The slow {topic} comes from `{identifier}`.",
    ),
    Turned(
        "Perhaps {path} leaks memory, but I have not checked.",
        "Perhaps `{path}` leaks memory; this was not checked.",
        "`{path}` leaks memory.",
    ),
    Turned(
        "I suspect that {env} is read too late.",
        "It is suspected that `{env}` is read too late.",
        "`{env}` is read too late.",
    ),
)

_SPEAKERS = (
    (
        "user",
        Turned(
            "Please cache the answers of the {topic} in {identifier}.",
            "The user asked for the answers of the {topic} to be cached in `{identifier}`.",
            "The assistant proposed that the answers of the {topic} be cached in `{identifier}`.",
        ),
    ),
    (
        "assistant",
        Turned(
            "I suggest splitting the {topic} along {identifier}.",
            "The assistant suggested splitting the {topic} along `{identifier}`.",
            "The user ordered splitting the {topic} along `{identifier}`.",
        ),
    ),
)

_STATUSES = (
    Turned(
        "All tests of the {topic} pass.",
        "All tests of the {topic} pass.",
        "The tests of the {topic} fail.",
    ),
    Turned(
        "The migration of the {topic} is done.",
        "The migration of the {topic} is done.",
        "The migration of the {topic} is still open.",
    ),
    Turned(
        "The {topic} is not deployed yet.",
        "The {topic} is not deployed yet.",
        "The {topic} is deployed.",
    ),
    Turned(
        "The build of the {topic} succeeded.",
        "The build of the {topic} succeeded.",
        "The build of the {topic} broke.",
    ),
)

_ERRORS = (
    Turned(
        "The {topic} still stops with error {error}.",
        "Unresolved: the {topic} stops with error {error}.",
        "",
    ),
    Turned(
        "The run of the {topic} failed with {error}, cause unknown.",
        "The run of the {topic} failed with {error}; the cause is unknown.",
        "",
    ),
)

_TODOS = (
    Turned(
        "TODO: add a retry to {identifier}.",
        "TODO: add a retry to `{identifier}`.",
        "Done: a retry was added to `{identifier}`.",
    ),
    Turned(
        "Remaining: document {env} for the {topic}.",
        "Remaining: document `{env}` for the {topic}.",
        "`{env}` is documented for the {topic}.",
    ),
    Turned(
        "The next step is to benchmark {identifier}.",
        "Next step: benchmark `{identifier}`.",
        "`{identifier}` was benchmarked.",
    ),
)

_EDITS = (
    Turned("Edited {edit}.", "Edited `{edit}` for the {topic}.", "`{edit}` was edited."),
    Turned(
        "Updated {edit} for the {topic}.",
        "Updated `{edit}` for the {topic}.",
        "The {topic} needed changes in `{edit}`.",
    ),
)

_NEUTRAL = {
    "path": (
        Neutral(
            "The {topic} lives in {path}.",
            "The {topic} lives in {path}.",
            "{path} is where the {topic} lives.",
        ),
    ),
    "home": (
        Neutral(
            "The notes on the {topic} are in {home}.",
            "The notes on the {topic} are in {home}.",
            "See {home} for the notes on the {topic}.",
        ),
    ),
    "line": (
        Neutral(
            "The {topic} starts at {line}.",
            "The {topic} starts at {line}.",
            "{line} is where the {topic} starts.",
        ),
    ),
    "url": (
        Neutral(
            "The dashboard of the {topic} is {url}",
            "The dashboard of the {topic} is {url}.",
            "See {url} for the dashboard of the {topic}.",
        ),
    ),
    "measure": (
        Neutral(
            "The {topic} takes {measure}.",
            "The {topic} takes {measure}.",
            "We measured {measure} for the {topic}.",
        ),
        Neutral(
            "The {topic} was given {measure}.",
            "The {topic} was given {measure}.",
            "{measure} went to the {topic}.",
        ),
    ),
    "count": (
        Neutral(
            "The {topic} holds {count} rows.",
            "The {topic} holds {count} rows.",
            "There are {count} rows in the {topic}.",
        ),
    ),
    "version": (
        Neutral(
            "The {topic} runs {version}.",
            "The {topic} runs {version}.",
            "Version {version} is what the {topic} runs.",
        ),
    ),
    "hash": (
        Neutral(
            "The {topic} was fixed in commit {hash}.",
            "The {topic} was fixed in commit {hash}.",
            "Commit {hash} fixed the {topic}.",
        ),
    ),
    "ticket": (
        Neutral(
            "{ticket} tracks the {topic}.",
            "{ticket} tracks the {topic}.",
            "The {topic} is tracked in {ticket}.",
        ),
    ),
    "address": (
        Neutral(
            "The {topic} listens on {address}.",
            "The {topic} listens on {address}.",
            "{address} is the address of the {topic}.",
        ),
    ),
    "env": (
        Neutral(
            "The {topic} reads {env}.",
            "The {topic} reads {env}.",
            "{env} is read by the {topic}.",
        ),
    ),
    "flag": (
        Neutral(
            "The {topic} was started with {flag}.",
            "The {topic} was started with {flag}.",
            "{flag} was passed to the {topic}.",
        ),
    ),
    "identifier": (
        Neutral(
            "The {topic} calls {identifier}.",
            "The {topic} calls {identifier}.",
            "{identifier} is called by the {topic}.",
        ),
    ),
    "quoted": (
        Neutral(
            'The {topic} shows "{quoted}".',
            'The {topic} shows "{quoted}".',
            '"{quoted}" is what the {topic} shows.',
        ),
    ),
    "date": (
        Neutral(
            "The {topic} is due on {date}.",
            "The {topic} is due on {date}.",
            "{date} is the day on which the {topic} is due.",
        ),
    ),
    "uuid": (
        Neutral(
            "The job of the {topic} is {uuid}.",
            "The job of the {topic} is {uuid}.",
            "Job {uuid} belongs to the {topic}.",
        ),
    ),
    "email": (
        Neutral(
            "{email} owns the {topic}.",
            "{email} owns the {topic}.",
            "The {topic} is owned by {email}.",
        ),
    ),
    "signed": (
        Neutral(
            "The drift of the {topic} is {signed}.",
            "The drift of the {topic} is {signed}.",
            "We saw a drift of {signed} in the {topic}.",
        ),
    ),
}

TOPICS = (
    "importer",
    "scheduler",
    "search page",
    "nightly export",
    "login form",
    "invoice service",
    "webhook relay",
    "image cache",
    "rate limiter",
    "audit log",
    "report builder",
    "job queue",
    "session store",
    "mail gateway",
    "price feed",
    "backup task",
    "token refresh",
    "upload worker",
    "health probe",
    "archive reader",
    "feature switch",
    "message bus",
    "load balancer",
    "metrics agent",
    "admin console",
    "thumbnail job",
    "geo lookup",
    "consent banner",
)

STAND_INS = {
    "path": "that file",
    "env": "that variable",
    "flag": "that option",
    "identifier": "that function",
    "address": "that address",
    "version": "a fixed version",
    "span": "the agreed time",
    "size": "the agreed amount",
}

OWN = Wordings(
    opening=(
        "Please look into the {topic}; it is slower than last week.",
        "Let us work on the {topic} today.",
    ),
    rules=_RULES,
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
    frames=(
        "The user requires: {rule}.",
        "Rule from the user: {rule}.",
        "As the user said, {rule}.",
    ),
    scopes=(
        "in production",
        "during the freeze",
        "on the release branch",
        "while the migration runs",
        "before the audit",
        "outside the maintenance window",
        "for the EU tenants",
        "unless the owner approves it",
    ),
    stand_ins=STAND_INS,
    topics=TOPICS,
    idle=(
        ("user", "Should we always run the {topic} twice?"),
        ("tool", "README: contributors must not open requests on Sundays."),
        ("user", "Is it true that the {topic} never sleeps?"),
    ),
    headings=("## Constraints and facts", "## State", "Notes:"),
)
