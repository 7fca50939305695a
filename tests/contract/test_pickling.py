"""Every frozen type: pickle, copy, replace, hash, asdict (contracts T2, P6, E1).

The types are found by walking the package, so that a new one is covered when it is written. An
example of each comes from running turnfold, or from `MORE` where no run makes one.
"""

import copy
import dataclasses
import pickle
import pkgutil
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

import pytest

import turnfold
from tests.strategies import session, summaries_for, turn, unpickle
from turnfold import (
    CharRatioEstimator,
    CompactionBudget,
    CompactionExecutor,
    DropOldestPolicy,
    PlanDraft,
    Summary,
    Transcript,
    TranscriptTurn,
)
from turnfold._record import sealed
from turnfold.audit import AuditConfig, CheckFault, Vocabulary, audit
from turnfold.audit._evidence import texts_of
from turnfold.audit.surface import audit_surface, read_source
from turnfold.formats import Fault
from turnfold.plan import diff
from turnfold.tokenizers import O200kEstimator
from turnfold.tokens import MessageEstimator, ScriptEstimator

EDGES = ("turnfold.cli", "turnfold.__main__", "turnfold.integrations", "turnfold.batch")


def modules() -> Iterator[Any]:
    for found in pkgutil.walk_packages(turnfold.__path__, "turnfold."):
        if not found.name.startswith(EDGES):
            yield import_module(found.name)


def frozen_types() -> list[type[Any]]:
    """Return the public frozen dataclasses of the package."""
    found = {
        value
        for module in modules()
        for value in vars(module).values()
        if isinstance(value, type)
        and dataclasses.is_dataclass(value)
        and value.__module__.startswith("turnfold.")
        and value.__dataclass_params__.frozen  # type: ignore[attr-defined]
        and not value.__name__.startswith("_")
    }
    return sorted(found, key=lambda each: f"{each.__module__}.{each.__name__}")


def core(types: Iterable[type[Any]]) -> list[type[Any]]:
    rooms = {
        *("budget", "decision", "executor", "ledger", "plan", "transcript", "view"),
        *("invariants", "protocols", "tokens", "audit"),
    }
    return [each for each in types if each.__module__.split(".")[1] in rooms]


CORE = core(frozen_types())


def examples() -> dict[type[Any], Any]:
    """Return one value of each core type, from a run that uses them all."""
    first = session(rounds=4)
    named = TranscriptTurn("named", "tool", "\ud800", 50, metadata={"k": "v"}, tool_call_id="n")
    transcript = Transcript((*first.turns, named, turn("end")))
    draft = PlanDraft(transcript, CompactionBudget(400, 1, target_tokens=300))
    draft.summarize([2, 3], 20, "p", reason="summarize: because")
    draft.mask(5, ("[stub]", 5, 4.0), "mask: because")
    draft.drop([1], "drop: because")
    plan = draft.seal("hand", "1")
    view = CompactionExecutor().apply(transcript, plan, summaries_for(plan))
    other = DropOldestPolicy().decide(transcript, CompactionBudget(400, 1))
    values = [
        named,
        transcript,
        plan.budget,
        plan,
        plan.decisions[0],
        plan.summarization_requests[0],
        plan.edit_cost,
        diff(other, plan)[0],
        view,
        view.report,
        view.ledger,
        next(view.ledger.entries()),
        Summary("text", ("a",)),
        CharRatioEstimator(3.5),
        MessageEstimator(),
        ScriptEstimator(),
        O200kEstimator(),
        Fault("messages[0]", "role", "a message has a role"),
    ]
    values += audits()
    return {type(value): value for value in values}


def audits() -> list[Any]:
    """Return one value of each type of the audit."""
    original = Transcript([TranscriptTurn("u", "user", "port 8443; decided to use src/a.py", 9)])
    vocabulary = Vocabulary(keep=("port",))
    config = AuditConfig(compliance_vocabulary=vocabulary)
    report = audit(original, "port 8444", config)
    source = read_source(b'{"content": "decided to ship"}\nbroken', jsonl=True)
    surface = audit_surface(source, "nothing")
    (text,) = texts_of("port 8444")
    placed = next(each for each in report.findings if each.place)
    return [
        vocabulary,
        config,
        report,
        placed,
        placed.place,
        report.coverage[0],
        CheckFault("rules", "ValueError"),
        text,
        source,
        source.parse_errors[0],
        surface,
        surface.dropped[0],
        surface.totals[0],
    ]


EXAMPLES = examples()
PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
named = pytest.mark.parametrize("kind", CORE, ids=lambda kind: kind.__name__)


@named
def test_every_frozen_type_of_the_core_has_an_example(kind: type[Any]) -> None:
    assert kind in EXAMPLES, "make one in examples()"


@named
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_record_survives_pickle_at_every_protocol(kind: type[Any], protocol: int) -> None:
    value = EXAMPLES[kind]
    read = unpickle(pickle.dumps(value, protocol))
    assert read == value
    assert type(read) is kind
    assert hash(read) == hash(value)


@named
def test_a_record_can_be_copied_deeply_and_not(kind: type[Any]) -> None:
    value = EXAMPLES[kind]
    for made in (copy.copy(value), copy.deepcopy(value)):
        assert made == value
        assert hash(made) == hash(value)
        assert type(made) is kind


@named
def test_a_record_can_be_replaced_and_given_as_a_dictionary(kind: type[Any]) -> None:
    value = EXAMPLES[kind]
    assert dataclasses.replace(value) == value
    names = [field.name for field in dataclasses.fields(value)]
    assert list(dataclasses.asdict(value)) == names
    assert len(dataclasses.astuple(value)) == len(names)


@named
def test_a_record_cannot_be_changed_and_has_no_dictionary(kind: type[Any]) -> None:
    value = EXAMPLES[kind]
    for field in dataclasses.fields(value):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, field.name, None)
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(value, field.name)
    assert not hasattr(value, "__dict__")


@named
def test_a_record_takes_no_state_past_its_checks(kind: type[Any]) -> None:
    """P6, T2: bytes that were edited go through the constructor, or nowhere."""
    value = EXAMPLES[kind]
    with pytest.raises(TypeError):
        value.__setstate__({"anything": 1})
    with pytest.raises(TypeError):
        value.__setstate__([None])


class Smuggler:
    """Pickles as an instance of a record that its constructor has not seen."""

    def __init__(self, kind: type[Any], state: object) -> None:
        self._kind = kind
        self._state = state

    def __reduce__(self) -> tuple[Any, ...]:
        return object.__new__, (self._kind,), self._state


@named
def test_bytes_cannot_set_the_state_of_a_record(kind: type[Any]) -> None:
    """P6, T2."""
    smuggled = pickle.dumps(Smuggler(kind, (None, {"turn_id": ""})))
    with pytest.raises(TypeError):
        unpickle(smuggled)


def reduced_with(value: object, **changes: object) -> bytes:
    """Pickle a record as if it had other values."""
    reduction: Any = value.__reduce__()
    rebuild, (kind, values) = reduction
    edited = {**values, **changes}

    class Edited:
        def __reduce__(self) -> tuple[Any, ...]:
            return rebuild, (kind, edited)

    return pickle.dumps(Edited())


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        (TranscriptTurn, {"token_estimate": -1}),
        (TranscriptTurn, {"turn_id": ""}),
        (Transcript, {"turns": (turn("a"), turn("a"))}),
        (CompactionBudget, {"max_tokens": -1}),
        (turnfold.CompactionPlan, {"reasons": ()}),
        (turnfold.CompactionPlan, {"actions": b""}),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_edited_bytes_are_refused_by_the_constructor(
    kind: type[Any], changes: dict[str, object]
) -> None:
    """P6, T2."""
    data = reduced_with(EXAMPLES[kind], **changes)
    with pytest.raises(turnfold.TurnfoldError):
        unpickle(data)


def test_what_is_derived_late_is_not_pickled() -> None:
    """U3: a plan in a queue is no larger after it was read."""
    plan = EXAMPLES[turnfold.CompactionPlan]
    fresh = turnfold.CompactionPlan.from_dict(plan.to_dict())
    before = pickle.dumps(fresh)
    _ = fresh.plan_hash(), fresh.tokens_before, fresh.tokens_after_estimate
    assert len(pickle.dumps(fresh)) == len(before)


def test_metadata_survives_pickle_copy_and_hash() -> None:
    """T2."""
    metadata = EXAMPLES[TranscriptTurn].metadata
    for protocol in PROTOCOLS:
        assert unpickle(pickle.dumps(metadata, protocol)) == metadata
    assert copy.deepcopy(metadata) == copy.copy(metadata) == metadata == {"k": "v"}
    assert hash(copy.copy(metadata)) == hash(metadata)


@pytest.mark.parametrize(
    "kind", [each for each in frozen_types() if each not in CORE], ids=lambda kind: kind.__name__
)
def test_a_frozen_type_of_an_edge_refuses_state_or_has_nothing_to_check(kind: type[Any]) -> None:
    """P6: what validates itself when it is made must not be made another way."""
    validates = "__post_init__" in vars(kind)
    refuses = getattr(kind, "__setstate__", None) is not None and "_refuse_state" in repr(
        kind.__setstate__
    )
    assert refuses or not validates


def test_the_decorator_keeps_a_reduction_of_its_own() -> None:
    """P6."""

    @sealed
    @dataclasses.dataclass(frozen=True, slots=True)
    class Own:
        value: int

        def __reduce__(self) -> tuple[Any, ...]:
            return Own, (self.value + 1,)

    assert copy.copy(Own(1)) == Own(2)
