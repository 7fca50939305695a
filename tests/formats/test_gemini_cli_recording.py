"""Gemini CLI's recordings in lines: what is read, what was taken back, what is written."""

import json
from typing import Any

import pytest

from turnfold.errors import UnreadableTranscript
from turnfold.formats import check, detect, gemini_cli, parse, render, to_bytes
from turnfold.transcript import Transcript

HEAD = {"sessionId": "s", "projectHash": "p", "startTime": "t", "lastUpdated": "t", "kind": "main"}


def said(message_id: str, kind: str, words: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {
        "id": message_id,
        "timestamp": "t",
        "type": kind,
        "content": [{"text": words}],
        **more,
    }


def called(call_id: str, output: str | None = None) -> dict[str, Any]:
    call: dict[str, Any] = {"id": call_id, "name": "ls", "args": {"path": "."}}
    if output is None:
        return {**call, "status": "executing"}
    response = {"id": call_id, "name": "ls", "response": {"output": output}}
    return {**call, "status": "success", "result": [{"functionResponse": response}]}


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(each, separators=(",", ":")).encode() + b"\n" for each in records)


def recording() -> tuple[dict[str, Any], ...]:
    """Return a session whose one model message is written three times."""
    asked = said("g1", "gemini", "I look.", toolCalls=[called("c1")])
    done = said("g1", "gemini", "I look.", toolCalls=[called("c1", "a.py")])
    counted = {**done, "tokens": {"input": 90, "output": 8, "cached": 80, "total": 100}}
    return (
        HEAD,
        said("u1", "user", "What is here?"),
        {"$set": {"lastUpdated": "t2"}},
        asked,
        done,
        counted,
        said("u2", "user", "And above?"),
        said("g2", "gemini", "Nothing."),
    )


def contents(source: bytes, scope: Any = "live") -> list[str]:  # noqa: ANN401  A literal.
    return [turn.content for turn in parse(source, scope=scope).transcript]


def test_the_last_writing_of_a_message_counts_at_its_first_place() -> None:
    """Would catch: a call for each time that its message was written."""
    data = lines(*recording())
    session = parse(data)
    assert (session.format, session.damage) == ("gemini-cli", ())
    assert session.transcript.turn_ids() == ("u1", "g1", "g1.r0", "u2", "g2")
    assert session.transcript.turn("g1.r0").content == "a.py"
    assert session.usage is not None
    assert (session.usage.context_tokens, session.usage.turn_id) == (100, "g1")
    assert gemini_cli.parse(data).transcript == session.transcript
    assert check(data) == ()


def test_a_message_written_anew_after_others_keeps_its_place() -> None:
    first = said("g1", "gemini", "one")
    data = lines(HEAD, said("u1", "user", "go"), first, said("u2", "user", "on"), first)
    assert parse(data).transcript.turn_ids() == ("u1", "g1", "u2")


def test_what_was_taken_back_is_not_live() -> None:
    """Would catch: a rewind that leaves its target, or one that full does not show."""
    data = lines(*recording(), {"$rewindTo": "u2"}, said("u3", "user", "Thanks."))
    assert parse(data).transcript.turn_ids() == ("u1", "g1", "g1.r0", "u3")
    full = parse(data, scope="full").transcript.turn_ids()
    assert full == ("u1", "g1", "g1.r0", "u2", "g2", "u3")


def test_a_rewind_to_what_is_not_there_takes_everything_back() -> None:
    data = lines(*recording(), {"$rewindTo": "u9"}, said("u3", "user", "Anew."))
    assert parse(data).transcript.turn_ids() == ("u3",)


def test_a_compression_replaces_the_messages_before_it_only() -> None:
    """Would catch: a summary beside what it replaced, or messages after it that are lost."""
    replaced = {"$set": {"messages": [said("s1", "user", "So far: a.py.")], "lastUpdated": "t3"}}
    data = lines(*recording(), replaced, said("g3", "gemini", "Go on."))
    assert contents(data) == ["So far: a.py.", "Go on."]
    assert parse(data, scope="full").transcript.turn_ids() == (
        *("u1", "g1", "g1.r0", "u2", "g2"),
        *("s1", "g3"),
    )


@pytest.mark.parametrize("scope", ["live", "full"])
def test_an_unchanged_recording_is_the_very_bytes(scope: Any) -> None:  # noqa: ANN401
    data = lines(*recording(), {"$rewindTo": "u2"}, said("u3", "user", "Thanks."))
    session = parse(data, scope=scope)
    assert render(session.transcript, session) == data
    streamed = parse(iter(data.splitlines(keepends=True)), scope=scope)
    assert streamed.transcript == session.transcript
    assert render(streamed.transcript, streamed) == data


def test_a_changed_recording_is_lines_that_read_back() -> None:
    """Would catch: superseded writings that come back, a head that is lost, a kept line changed."""
    data = lines(*recording(), {"$rewindTo": "u2"}, said("u3", "user", "Thanks."))
    session = parse(data)
    written = to_bytes(render(Transcript(session.transcript.turns[1:]), session))
    records = [json.loads(line) for line in written.splitlines()]
    assert records[0].keys() == HEAD.keys()
    assert (records[0]["projectHash"], records[0]["lastUpdated"]) == ("p", "t2")
    assert records[0]["sessionId"] != "s"
    kept = lines(recording()[5], said("u3", "user", "Thanks."))
    assert written.endswith(kept)
    assert detect(written) == "gemini-cli"
    assert check(written) == ()
    assert parse(written).transcript.turn_ids() == ("g1", "g1.r0", "u3")


def test_a_call_without_a_result_is_closed_in_lines_too() -> None:
    open_call = said("g1", "gemini", "I look.", toolCalls=[called("c1")])
    data = lines(
        HEAD, said("u1", "user", "go"), open_call, said("u2", "user", "on"), said("u3", "user", "!")
    )
    session = parse(data)
    turns = session.transcript.turns
    written = to_bytes(render(Transcript((turns[0], *turns[1:3])), session))
    call = json.loads(written.splitlines()[2])["toolCalls"][0]
    assert call["status"] == "error"
    assert check(written) == ()


def test_the_summary_of_a_compression_is_one() -> None:
    """Would catch: a model's words taken for the user's."""
    snapshot = said("s1", "user", "<state_snapshot>So far: a.py.</state_snapshot>")
    data = lines(*recording(), {"$set": {"messages": [snapshot, said("g3", "gemini", "Got it.")]}})
    turns = parse(data).transcript.turns
    assert [turn.metadata.get("turnfold.kind") for turn in turns] == ["summary", None]


def doubled() -> bytes:
    """A session of a client that writes each result a second time, as a message of its own."""
    calls = [called("c1", "ONE"), called("c2", "TWO")]
    both = [part for call in calls for part in call["result"]]
    return lines(
        HEAD,
        said("u1", "user", "What is here?"),
        said("g1", "gemini", "I look.", toolCalls=calls),
        {**said("u2", "user", ""), "content": both},
        said("g2", "gemini", "Two files."),
        said("u3", "user", "Thanks."),
    )


def test_results_that_are_written_twice_are_read_once() -> None:
    """Would catch: an output that stays in the file, as a user's words, when it was masked."""
    session = parse(doubled())
    assert session.transcript.turn_ids() == ("u1", "g1", "g1.r0", "g1.r1", "g2", "u3")
    assert render(session.transcript, session) == doubled()
    kept = Transcript(turn for turn in session.transcript if turn.turn_id != "u1")
    written = to_bytes(render(kept, session))
    assert (written.count(b"ONE"), written.count(b"TWO")) == (1, 1)
    assert check(written) == ()


def test_results_that_are_written_twice_are_a_fault() -> None:
    """The client sends both when it resumes, and Gemini refuses them."""
    (fault,) = check(doubled())
    assert (fault.rule, fault.place) == ("repeated_response", "messages[2]")


def test_a_result_without_its_call_is_no_repetition() -> None:
    """Would catch: results that stand nowhere else, left out."""
    call = called("c1")
    response = called("c1", "a.py")["result"]
    data = lines(
        HEAD,
        said("u1", "user", "go"),
        said("g1", "gemini", "I look.", toolCalls=[call]),
        {**said("u2", "user", ""), "content": response},
    )
    assert "a.py" in contents(data)[-1]


def test_responses_of_other_calls_are_not_read_with_a_call() -> None:
    """Would catch: what a resumed client writes with each of two calls, sent four times."""
    calls = [called("c1", "one"), called("c2", "two")]
    both = [part for call in calls for part in call["result"]]
    mixed = [{**call, "result": both} for call in calls]
    data = lines(
        HEAD,
        said("u1", "user", "go"),
        said("g1", "gemini", "I look.", toolCalls=mixed),
        said("u2", "user", "on"),
        said("g2", "gemini", "Done."),
    )
    session = parse(data)
    assert [turn.content for turn in session.transcript][2:4] == ["one", "two"]
    assert check(data) != ()
    written = to_bytes(render(Transcript(session.transcript.turns[:-1]), session))
    assert check(written) == ()
    assert contents(written)[2:4] == ["one", "two"]


def test_what_is_no_record_is_reported_and_the_rest_is_kept() -> None:
    damaged = lines(*recording()) + lines({"note": 1}, {"$set": 5}) + b'{"id": "u3", "ty'
    session = parse(damaged)
    assert [each.code for each in session.damage] == [
        "unreadable_record",
        "unknown_record",
        "unknown_record",
    ]
    assert len(session.transcript) == 5
    assert render(session.transcript, session) == damaged


def test_a_whole_session_on_one_line_is_the_older_file_or_a_head() -> None:
    """Would catch: messages of a head that are lost."""
    document = {**HEAD, "messages": [said("u1", "user", "go")]}
    session = parse(json.dumps(document).encode())
    assert session.transcript.turn_ids() == ("u1",)
    assert render(session.transcript, session) == document
    assert contents(lines(document, said("g1", "gemini", "done"))) == ["go", "done"]


def test_a_head_alone_holds_nothing_to_read() -> None:
    with pytest.raises(UnreadableTranscript):
        parse(lines(HEAD))
    with pytest.raises(UnreadableTranscript):
        parse(lines(HEAD, {"$set": {"lastUpdated": "t"}}))
