"""What a script learns of a run: each fault is one, and a claim that fails is seen."""

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from turnfold.integrations import Event
from turnfold.testing.provider import FakeProvider, Reply, scripted
from turnfold.testing.runs import check, faults_of_events, faults_of_requests, with_summaries

TOOL = {"type": "function", "function": {"name": "read_file", "parameters": {}}}


def ask(provider: FakeProvider, text: str, *, tools: bool = True) -> Any:  # noqa: ANN401
    body: dict[str, Any] = {"model": "any", "messages": [{"role": "user", "content": text}]}
    request = urllib.request.Request(  # noqa: S310  A server of this process.
        f"{provider.base_url}/v1/chat/completions",
        json.dumps({**body, "tools": [TOOL]} if tools else body).encode(),
        {"Authorization": "Bearer any"},
    )
    try:
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            return json.load(answer)["choices"][0]["message"]["content"]
    except urllib.error.HTTPError as refusal:
        refusal.close()
        return refusal.code


def test_requests_are_counted_and_hold_what_they_must() -> None:
    """Would catch: a run that asked too little, or lost its task."""
    with FakeProvider() as provider:
        ask(provider, "Portez le parseur: été.")
        ask(provider, "Something else.")
        ask(provider, "A summary.", tools=False)
    assert faults_of_requests(provider, at_least=2) == []
    assert faults_of_requests(provider, at_least=3, holding=["été"]) == [
        "request 2 lacks 'été'",
        "2 requests of the agent, and at least 3 were expected",
    ]


def test_a_refusal_for_length_is_forgiven_once_and_not_twice_in_a_row() -> None:
    """Would catch: a retry that is refused as well and counts for nothing."""
    with FakeProvider(window=100) as provider:
        for words in (500, 5, 500, 500, 5, 500):
            ask(provider, "word " * words)
    assert [each.number for each in provider.refused] == [1, 3, 4, 6]
    faults = faults_of_requests(provider, at_least=1, too_long=3)
    assert [each[:23] for each in faults] == ["request 4 was refused: "]
    assert len(faults_of_requests(provider, at_least=1, too_long=1)) == 3
    assert len(faults_of_requests(provider, at_least=1)) == 4


def test_any_other_refusal_is_a_fault() -> None:
    with FakeProvider() as provider:
        ask(provider, "")
        provider.replies = scripted()
        ask(provider, "Go on.")
    assert provider.refused
    faults = faults_of_requests(provider, at_least=1, too_long=9)
    assert len([each for each in faults if "refused" in each]) == len(provider.refused)


def test_events_that_are_missing_failed_or_nameless_are_faults() -> None:
    compacted, audited = Event("context.compacted", {}, "t"), Event("audit.signals", {})
    assert faults_of_events([compacted, audited]) == []
    assert faults_of_events([compacted, audited], named=True) == [
        "an event that names no conversation"
    ]
    failed = Event("context.compaction_failed", {"code": "x"})
    assert faults_of_events([compacted, failed]) == ["no event audit.signals", "{'code': 'x'}"]


def test_a_request_without_tools_is_for_a_summary() -> None:
    replies, asked = with_summaries(lambda _: Reply("The agent's."), "Short.")
    with FakeProvider(replies) as provider:
        assert ask(provider, "Work.") == "The agent's."
        assert ask(provider, "Sum it up.", tools=False) == "Short."
    assert [each.number for each in asked] == [2]


def test_a_claim_that_fails_or_breaks_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """Would catch: an exit code of 0 behind a line with FAIL."""

    def all_is_well() -> list[str]:
        return []

    def much_is_wrong() -> list[str]:
        return ["a", "b", "c", "d"]

    def it_breaks() -> list[str]:
        raise ValueError("no")  # noqa: EM101

    assert check([all_is_well]) == 0
    assert check([much_is_wrong, it_breaks, all_is_well]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "ok   all is well",
        "FAIL much is wrong: a; b; c",
        "FAIL it breaks: ValueError: no",
        "ok   all is well",
    ]
