"""`turnfold hook`: what an agent is answered, and what becomes of its settings."""

import json
import os
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.console import Outcome, process, turnfold
from tests.formats.claude_code_sessions import Log, line_of, text
from turnfold.cli import _hook_memory, _hook_settings, _hook_tail, hook
from turnfold.cli._hook_event import HookEvent, output_of, read_event
from turnfold.integrations import claude_code
from turnfold.integrations.claude_code import LONGEST

HANDLER = {"type": "command", "command": "turnfold hook claude-code", "timeout": 60}
OURS = {"matcher": "compact", "hooks": [HANDLER]}
OURS_AT_PROMPTS = {"hooks": [HANDLER | {"timeout": 30}]}


def session() -> Log:
    log = Log()
    log.user("Serve it on port 8443. Never push to main.")
    log.assistant("m1", text("It is served."))
    log.boundary()
    log.summary("It is served on port 8443.")
    return log


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_bytes(session().data())
    return path


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the hook keeps what it remembers: a folder that does not exist yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


# What Claude Code 2.1.332 sent, but for the folders.
_COMPACTED = {
    "session_id": "cdcae5b5-628c-465c-bed1-8980c4696769",
    "transcript_path": "",
    "cwd": "/home/dev/src",
    "prompt_id": "b5fd1623-613a-4338-85b3-50eab4a15061",
    "hook_event_name": "SessionStart",
    "source": "compact",
    "model": "claude-opus-5-5",
}
_PROMPTED = {
    "session_id": "cdcae5b5-628c-465c-bed1-8980c4696769",
    "transcript_path": "",
    "cwd": "/home/dev/src",
    "prompt_id": "1f4a02d1-235c-4799-aa52-84d921facaba",
    "permission_mode": "default",
    "hook_event_name": "UserPromptSubmit",
    "prompt": "Go on.",
}


def event(transcript: object, **changed: object) -> bytes:
    return json.dumps(_COMPACTED | {"transcript_path": str(transcript)} | changed).encode()


def prompted(transcript: object, **changed: object) -> bytes:
    return json.dumps(_PROMPTED | {"transcript_path": str(transcript)} | changed).encode()


def answer(stdin: bytes, *options: str) -> Outcome:
    return turnfold("hook", "claude-code", *options, stdin=stdin)


def context_of(done: Outcome, name: str = "SessionStart") -> str:
    """The context of an answer; empty where there is none."""
    assert done.code == 0
    if not done.stdout:
        return ""
    (key, specific), *more = json.loads(done.stdout).items()
    assert (key, more) == ("hookSpecificOutput", [])
    assert specific["hookEventName"] == name
    context: str = specific["additionalContext"]
    assert 0 < len(context) <= LONGEST
    return context


def test_a_lost_rule_is_handed_back(transcript: Path) -> None:
    done = answer(event(transcript))
    assert "Never push to main." in context_of(done)
    assert done.err == ""


def test_it_works_as_the_agent_runs_it(transcript: Path) -> None:
    done = process("hook", "claude-code", stdin=event(transcript))
    assert "Never push to main." in context_of(done)


@pytest.mark.parametrize(
    "changed",
    [
        {"hook_event_name": "PreCompact", "trigger": "auto", "source": None},
        {"agent_id": "a1"},
        {"hook_event_name": "UserPromptSubmit", "agent_id": "a1"},
        {"hook_event_name": "UserPromptSubmit", "prompt": "/compact keep the rules"},
        {"hook_event_name": "UserPromptSubmit", "prompt": " /clear"},
        {"source": "startup"},
        {"source": "resume"},
        {"hook_event_name": "Stop"},
        {"hook_event_name": None},
    ],
)
def test_other_events_have_no_answer(transcript: Path, changed: dict[str, Any]) -> None:
    done = answer(event(transcript, **changed))
    assert (done.code, done.out, done.err) == (0, "", "")
    assert "nothing to do" in answer(event(transcript, **changed), "--debug").err


@pytest.mark.parametrize("name", ["", "missing.jsonl", ".", "empty.jsonl", "\0", "/dev/zero", "-"])
def test_a_transcript_that_cannot_be_read_costs_nothing(tmp_path: Path, name: str) -> None:
    """Would catch: a session that stops because a hook did, or reads a device for ever."""
    (tmp_path / "empty.jsonl").touch()
    path = name if name in ("", "-", "/dev/zero") else str(tmp_path / name)
    done = answer(event(path))
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("turnfold hook: ")
    assert done.err.count("\n") == 1


def test_a_huge_transcript_is_left_alone(transcript: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook, "LARGEST", 100)
    done = answer(event(transcript))
    assert (done.code, done.out) == (0, "")
    assert f"{transcript.stat().st_size:,} bytes, over 100" in done.err


@pytest.mark.parametrize(
    "options",
    [
        ("--max-tokens",),
        ("--max-tokens", "many"),
        ("--max-tokens", "-1"),
        ("--max-tokens", "30%"),
        ("--what",),
        ("more",),
    ],
)
def test_wrong_options_cost_nothing(transcript: Path, options: tuple[str, ...]) -> None:
    """Would catch: exit code 2, which tells the agent to stop what it does."""
    done = answer(event(transcript), *options)
    assert (done.code, done.out) == (0, "")
    assert done.err.count("\n") == 1


def test_a_defect_of_turnfold_costs_nothing(
    transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F5; would catch: a fault whose message carries what stands in the session to a log."""
    secret = "sk-" + "a1" * 16

    def fail(*_: object, **__: object) -> str:
        message = f"over\nthe {secret}"
        raise RuntimeError(message)

    monkeypatch.setattr(claude_code, "context_after_compaction", fail)
    monkeypatch.setattr(claude_code, "context_at_prompt", fail)
    for sent in (event(transcript), prompted(transcript, session_id="t")):
        done = answer(sent)
        assert (done.code, done.out) == (0, "")
        assert done.err == "turnfold hook: RuntimeError: over the [secret]\n"


@given(
    stdin=st.binary(max_size=200)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["hook_event_name", "prompt", "transcript_path"]), inner, max_size=3
            )
        ),
        max_leaves=6,
    ).map(lambda value: json.dumps(value).encode())
)
def test_whatever_comes_in_nothing_breaks(stdin: bytes) -> None:
    assert context_of(answer(stdin)) == ""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_stands_in_the_transcript_nothing_breaks(
    tmp_path: Path, data: st.DataObject
) -> None:
    """Would catch: a damaged session that ends the agent's."""
    path = tmp_path / "damaged.jsonl"
    whole = session().data()
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, len(whole)))
    noise = data.draw(st.binary(max_size=50) | st.sampled_from([b"{}\n", b"[]\n", b"\n" * 9]))
    path.write_bytes(whole[:start] + noise + whole[end:])
    context_of(answer(prompted(path)), "UserPromptSubmit")
    context_of(answer(event(path)))


# At a prompt.


def at_prompt(transcript: Path, *options: str, **changed: object) -> str:
    done = answer(prompted(transcript, **changed), *options)
    assert done.err == ""
    return context_of(done, "UserPromptSubmit")


def test_the_first_prompt_after_a_compaction_is_answered_and_no_other(transcript: Path) -> None:
    """Would catch: 1,500 tokens at every prompt of a session."""
    assert "Never push to main." in at_prompt(transcript)
    assert at_prompt(transcript) == ""
    assert "answered already" in answer(prompted(transcript), "--debug").err


def test_a_prompt_is_answered_as_the_agent_runs_it(transcript: Path) -> None:
    done = process("hook", "claude-code", stdin=prompted(transcript))
    assert "Never push to main." in context_of(done, "UserPromptSubmit")


def test_a_session_that_was_not_compacted_costs_a_prompt_nothing(
    transcript: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Would catch: an audit, or a file that is written, at each of a day's prompts."""
    log = session()
    del log.records[-1]
    log.user('Look for "isCompactSummary":true in the file.')
    log.summary("A subagent's own.", isSidechain=True)
    transcript.write_bytes(log.data())
    monkeypatch.setattr(claude_code, "context_at_prompt", None)
    assert at_prompt(transcript) == ""
    assert not cache.exists()


def test_a_prompt_without_an_answer_loads_neither_formats_nor_audit(transcript: Path) -> None:
    """Would catch: half a second at each prompt for modules that nothing needs."""
    assert at_prompt(transcript)
    done = process("hook", "claude-code", stdin=prompted(transcript), PYTHONPROFILEIMPORTTIME="1")
    assert (done.code, done.out) == (0, "")
    assert "turnfold.cli.hook" in done.err
    for each in ("turnfold.formats", "turnfold.audit", "turnfold.facts", "turnfold.cli.compact"):
        assert each not in done.err


@pytest.mark.parametrize("arguments", [("--what",), ("more",), ("--help",), ("--max-tokens",)])
def test_the_way_in_of_its_own_ends_well_too(transcript: Path, arguments: tuple[str, ...]) -> None:
    done = process("hook", "claude-code", *arguments, stdin=prompted(transcript))
    assert done.code == 0
    assert ("Usage: turnfold hook claude-code" in done.out) == (arguments == ("--help",))
    assert done.err.count("\n") == (arguments != ("--help",))


def test_what_the_compaction_was_answered_with_is_not_repeated(transcript: Path) -> None:
    """Would catch: the digest and the audit side by side with the same lines."""
    whole = transcript.read_bytes().splitlines(keepends=True)
    transcript.write_bytes(b"".join(whole[:2]))
    digest = context_of(answer(event(transcript)))
    assert digest.startswith("This session was just compacted.")
    assert at_prompt(transcript) == ""
    log = session()
    log.records[-1]["message"]["content"] = "It is served on port 8444."
    transcript.write_bytes(log.data())
    context = at_prompt(transcript)
    assert "is not repeated." in context
    assert "Never push to main." in digest
    assert "\n|Never push to main.\n" not in context
    assert 'number mutated; the summary says "8444"' in context


def test_a_client_that_writes_the_summary_first_is_answered_once(transcript: Path) -> None:
    """Would catch: the same audit at the compaction and at the prompt after it."""
    assert "Never push to main." in context_of(answer(event(transcript)))
    assert at_prompt(transcript) == ""


@pytest.mark.parametrize("trigger", ["auto", "manual"])
def test_each_compaction_of_a_session_is_answered(transcript: Path, trigger: str) -> None:
    """Would catch: what was handed back before the last compaction counted as known after it."""
    log = session()
    assert "Never push to main." in at_prompt(transcript)
    log.user("Never rename the table orders_v2.")
    log.assistant("m2", text("It stays."))
    log.boundary(trigger=trigger)
    log.summary("It is served on port 8443; the table stays.")
    transcript.write_bytes(log.data())
    second = at_prompt(transcript)
    assert "Some of it may have been handed back" in second
    assert "Never push to main." in second
    assert "|Never rename the table orders_v2." in second
    assert at_prompt(transcript) == ""


def test_two_compactions_without_a_prompt_between_are_answered_once(transcript: Path) -> None:
    """Would catch: the digest of the first, which the second replaced, counted as known."""
    log = session()
    transcript.write_bytes(b"".join(line_of(each) for each in log.records[:2]))
    assert "Never push to main." in context_of(answer(event(transcript)))
    log.assistant("m2", text("It stays."))
    log.boundary()
    log.summary("It is served on port 8443 still.")
    transcript.write_bytes(log.data())
    assert "Never push to main." in at_prompt(transcript)
    assert at_prompt(transcript) == ""


def test_a_summary_that_is_half_written_is_waited_for(transcript: Path) -> None:
    whole = transcript.read_bytes()
    transcript.write_bytes(whole[:-40])
    assert at_prompt(transcript) == ""
    transcript.write_bytes(whole + b'{"type":"user","mess')
    assert "Never push to main." in at_prompt(transcript)


def test_a_session_that_goes_on_in_another_file_is_answered_there(transcript: Path) -> None:
    """Would catch: a fork that learns nothing since the session that it left was told."""
    assert at_prompt(transcript)
    fork = transcript.with_name("fork.jsonl")
    fork.write_bytes(transcript.read_bytes())
    assert "Never push to main." in at_prompt(fork)
    assert at_prompt(fork) == ""
    assert at_prompt(transcript) == ""


def test_a_file_is_one_file_however_it_is_named(
    transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(transcript.parent)
    monkeypatch.setenv("HOME", str(transcript.parent))
    monkeypatch.setenv("USERPROFILE", str(transcript.parent))
    assert at_prompt(Path("~") / transcript.name)
    assert at_prompt(Path(transcript.name)) == ""
    assert at_prompt(transcript) == ""


@pytest.mark.parametrize(
    "path",
    ["", "missing.jsonl", "C:\\Users\\dev\\.claude\\projects\\x\\s.jsonl", "\0", "/dev/zero", "-"],
)
def test_a_prompt_without_a_transcript_is_answered_with_nothing(cache: Path, path: str) -> None:
    """Would catch: noise at the first prompt of a session, whose file is not there yet."""
    done = answer(prompted(path))
    assert (done.code, done.out, done.err) == (0, "", "")
    assert "no such transcript" in answer(prompted(path), "--debug").err
    assert not cache.exists()


def test_what_fails_is_not_tried_again_at_every_prompt(
    transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Would catch: a session that is slow at each prompt since an audit of it takes too long."""

    def fail(*_: object, **__: object) -> str:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(claude_code, "context_at_prompt", fail)
        assert "MemoryError" in answer(prompted(transcript)).err
    assert at_prompt(transcript) == ""


def test_of_two_hooks_that_run_at_once_one_answers(transcript: Path) -> None:
    """Would catch: a hook in the user's settings and one in the project's that answer both."""
    memory = _hook_memory.Memory(str(transcript))
    assert [memory.claim("s"), memory.claim("s"), memory.claim("t")] == [True, False, True]


def test_nothing_is_handed_back_at_prompts_where_nothing_can_be_remembered(
    transcript: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Would catch: the same context at every prompt; a digest that is lost for want of a cache."""
    cache.write_bytes(b"a file where the folder belongs")
    done = answer(prompted(transcript))
    assert (done.code, done.out) == (0, "")
    assert done.err.count("\n") == 1

    def homeless() -> Path:
        message = "there is no home"
        raise RuntimeError(message)

    for folder in (str(cache), ""):
        monkeypatch.setenv("XDG_CACHE_HOME", folder)
        monkeypatch.setattr(Path, "home", homeless)
        done = answer(event(transcript))
        assert "Never push to main." in context_of(done)
        assert "cannot be remembered" in done.err


def test_a_damaged_memory_is_none(transcript: Path, cache: Path) -> None:
    whole = transcript.read_bytes().splitlines(keepends=True)
    transcript.write_bytes(b"".join(whole[:2]))
    answer(event(transcript))
    (file,) = (cache / "turnfold" / "claude-code").iterdir()
    file.write_bytes(b"\xff\x00\n\xf0" * 99)
    transcript.write_bytes(b"".join(whole))
    assert "Never push to main." in at_prompt(transcript)


def test_what_is_remembered_is_private_small_and_not_for_ever(
    transcript: Path, cache: Path
) -> None:
    """Would catch: a user's words in a cache; a folder that only grows."""
    folder = cache / "turnfold" / "claude-code"
    folder.mkdir(parents=True)
    for name, age in (("old", _hook_memory.FORGOTTEN_AFTER + 60), ("young", 60)):
        (folder / name).touch()
        os.utime(folder / name, (time.time() - age,) * 2)
    transcript.write_bytes(b"".join(transcript.read_bytes().splitlines(keepends=True)[:2]))
    answer(event(transcript))
    transcript.write_bytes(session().data())
    at_prompt(transcript)
    files = [each for each in folder.iterdir() if each.name != "young"]
    assert len(files) == 2
    for each in files:
        assert stat.S_IMODE(each.stat().st_mode) & 0o077 == 0
        assert b"main" not in each.read_bytes()
    assert (folder / "young").exists()
    assert not (folder / "old").exists()


@pytest.mark.parametrize("name", ["XDG_CACHE_HOME", "LOCALAPPDATA", ""])
def test_the_cache_is_where_the_system_wants_it(
    transcript: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    if name:
        monkeypatch.setenv(name, str(tmp_path / "named"))
    at_prompt(transcript)
    expected = tmp_path / "named" if name else tmp_path / "home" / ".cache"
    assert len(list((expected / "turnfold" / "claude-code").iterdir())) == 1


@settings(max_examples=60)
@given(
    words=st.lists(st.text(max_size=40), max_size=6),
    marked=st.lists(st.integers(0, 5), max_size=3),
    block=st.integers(1, 400),
    cut=st.integers(0, 30),
)
def test_summaries_are_found_from_the_end_whatever_is_read_at_once(
    words: list[str], marked: list[int], block: int, cut: int
) -> None:
    """Would catch: a key or a line across two reads that is missed, or found twice."""
    log = Log()
    for number, each in enumerate(words):
        (log.summary if number in marked else log.user)(f'{each} "isCompactSummary":true')
    data = log.data()[: len(log.data()) - cut]
    complete = []
    for line in data.split(b"\n"):
        with suppress(ValueError):
            complete.append(json.loads(line))
    expected = [each["uuid"] for each in reversed(complete) if each.get("isCompactSummary")]
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        path = Path(folder) / "s.jsonl"
        path.write_bytes(data)
        patched.setattr(_hook_tail, "_BLOCK", block)
        assert list(_hook_tail.summaries(str(path))) == expected


# The protocol.


@given(st.binary(max_size=80))
def test_any_bytes_are_an_event_or_a_fault_with_a_name(content: bytes) -> None:
    try:
        read = read_event(content)
    except ValueError:
        return
    assert isinstance(read, HookEvent)


@pytest.mark.parametrize("name", ["PreCompact", "PostCompact", "UserPromptSubmit", "SessionStart"])
@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact", 1, None])
def test_two_events_are_answered(name: str, source: object) -> None:
    read = read_event(json.dumps({"hook_event_name": name, "source": source}).encode())
    assert read.is_after_compaction == ((name, source) == ("SessionStart", "compact"))
    assert read.is_prompt == (name == "UserPromptSubmit")


@pytest.mark.parametrize("prompt", ["", "Go on.", "/compactor", "Why /compact?", "/review a"])
def test_a_prompt_is_whatever_does_not_empty_the_context(prompt: str) -> None:
    assert HookEvent("UserPromptSubmit", prompt=prompt).is_prompt


def test_the_output_is_what_the_agent_documents() -> None:
    assert output_of("SessionStart", "") == ""
    assert json.loads(output_of("UserPromptSubmit", "é\ud800")) == {
        "hookSpecificOutput": {
            "hookEventName": "UserPromptSubmit",
            "additionalContext": "é\ud800",
        }
    }


# The settings of the agent.


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that the command runs in; returns its settings file, which does not exist."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path / ".claude" / "settings.json"


def change(command: str, *options: str | Path) -> Outcome:
    return turnfold("hook", command, "claude-code", "--scope", "project", *options)


def test_the_hook_is_put_into_settings_that_do_not_exist(project: Path) -> None:
    done = change("install", "--yes")
    assert done.code == 0, done.err
    assert json.loads(project.read_bytes()) == {
        "hooks": {"SessionStart": [OURS], "UserPromptSubmit": [OURS_AT_PROMPTS]}
    }
    assert "written: " in done.out
    assert [each.name for each in project.parent.iterdir()] == ["settings.json"]


def test_the_change_is_shown_and_nothing_else_is_touched(project: Path) -> None:
    """Would catch: a file written anew, in another indentation, order and spelling."""
    before = (
        '{\n    "model": "opus", "cost": 1.50e3,\n    "name": "caf\\u00e9",\n    "hooks": {\n'
        '        "Stop": [],\n        "SessionStart": [{"matcher": "startup", "hooks": []}]\n'
        '    },\n    "z": ["a",  "b"]\n}'
    )
    project.parent.mkdir()
    project.write_text(before, encoding="utf-8")
    done = change("install", "--yes")
    after = project.read_text(encoding="utf-8")
    start, end = before.split("[]}]\n")
    assert after.startswith(start + '[]},\n            {\n                "matcher": "compact",')
    assert '\n            }],\n        "UserPromptSubmit": [\n            {\n' in after
    assert after.endswith("\n        ]\n" + end)
    assert '+                "matcher": "compact",' in done.out.splitlines()
    expected = json.loads(before)
    expected["hooks"]["SessionStart"].append(OURS)
    expected["hooks"]["UserPromptSubmit"] = [OURS_AT_PROMPTS]
    assert json.dumps(json.loads(after)) == json.dumps(expected)
    assert project.with_name("settings.json.turnfold-backup").read_text("utf-8") == before


def test_a_dry_run_shows_the_change_and_makes_none(project: Path) -> None:
    done = change("install", "--dry-run")
    assert done.code == 0
    assert '+            "command": "turnfold hook claude-code"' in done.out
    assert not project.exists()


def test_nothing_is_written_where_nobody_can_be_asked(project: Path) -> None:
    done = change("install")
    assert done.code == 2
    assert "pass --yes" in done.err
    assert not project.exists()


@pytest.mark.parametrize(("said", "code"), [("y\n", 0), ("n\n", 1)])
def test_the_person_decides(
    project: Path, monkeypatch: pytest.MonkeyPatch, said: str, code: int
) -> None:
    monkeypatch.setattr(hook, "_is_asked", lambda: True)
    done = turnfold("hook", "install", "claude-code", "--scope", "project", stdin=said.encode())
    assert done.code == code
    assert project.exists() == (code == 0)


def test_what_is_there_is_not_put_in_again(project: Path) -> None:
    """Would catch: a session that is answered twice."""
    project.parent.mkdir()
    own = {"type": "command", "command": "turnfold hook claude-code --max-tokens 500"}
    groups = {"SessionStart": [{"hooks": [own]}], "UserPromptSubmit": [{"hooks": [own]}]}
    before = json.dumps({"hooks": groups})
    project.write_text(before, encoding="utf-8")
    assert "nothing to change" in change("install", "--yes").out
    assert project.read_text("utf-8") == before


def test_an_installation_without_prompts_is_brought_up_to_date(project: Path) -> None:
    """Would catch: an update that leaves a person's options behind, or others' hooks out."""
    project.parent.mkdir()
    own = {"type": "command", "command": "turnfold hook claude-code --max-tokens 500"}
    other = {"hooks": [{"type": "command", "command": "notify"}]}
    start = [{"matcher": "compact", "hooks": [own]}]
    before: dict[str, Any] = {"PreCompact": [{"hooks": [own]}], "SessionStart": start}
    before["UserPromptSubmit"] = [other]
    project.write_text(json.dumps({"hooks": before}), encoding="utf-8")
    assert change("install", "--yes").code == 0
    ours = {"hooks": [own | {"timeout": 30}]}
    after = before | {"UserPromptSubmit": [other, ours]}
    assert json.loads(project.read_bytes()) == {"hooks": after}
    assert change("uninstall", "--yes").code == 0
    assert json.loads(project.read_bytes()) == {"hooks": {"UserPromptSubmit": [other]}}


def test_what_is_not_there_is_not_taken_out(project: Path) -> None:
    assert "nothing to change" in change("uninstall", "--yes").out
    assert not project.exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{\n"a": ,}', "line 2 column 6"),
        (b"[1]", "a JSON object is expected, not a list"),
        (b'{"hooks": []}', "hooks must be an object, not a list"),
        (b'{"hooks": {"SessionStart": {}}}', "hooks.SessionStart must be a list, not a dict"),
        (b'{"hooks": {"UserPromptSubmit": 1}}', "hooks.UserPromptSubmit must be a list, not a int"),
        (b'{"a": "\xff"}', "no text in UTF-8 (byte 7)"),
        (b'{"a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "not JSON"),
    ],
)
@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_broken_settings_are_refused_and_left(
    project: Path, command: str, content: bytes, said: str
) -> None:
    """Would catch: a person's settings replaced because of a comma too many."""
    project.parent.mkdir()
    project.write_bytes(content)
    done = change(command, "--yes")
    assert done.code == 2
    assert said in done.err.replace("\n", " ")
    assert project.read_bytes() == content


def test_permissions_and_links_stay(project: Path, tmp_path: Path) -> None:
    """Would catch: private settings that everybody can read afterwards."""
    real = tmp_path / "dotfiles.json"
    real.write_text('{"env": {}}', encoding="utf-8")
    real.chmod(0o600)
    project.parent.mkdir()
    project.symlink_to(real)
    assert change("install", "--yes").code == 0
    assert project.is_symlink()
    for each in (real, real.with_name(real.name + _hook_settings.BACKUP_SUFFIX)):
        assert stat.S_IMODE(each.stat().st_mode) == 0o600


def test_settings_that_changed_meanwhile_are_left(project: Path) -> None:
    """Would catch: a change of the agent's own that is lost while a person makes up their mind."""
    project.parent.mkdir()
    project.write_text("{}", encoding="utf-8")
    with pytest.raises(Exception, match="changed meanwhile"):
        _hook_settings.write(project, "new", before='{"other": 1}')
    assert project.read_text("utf-8") == "{}"


def test_each_scope_has_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    for scope in ("user", "project", "local"):
        assert turnfold("hook", "install", "claude-code", "--scope", scope, "--yes").code == 0
    found = {each.relative_to(tmp_path).as_posix() for each in tmp_path.rglob("*.json")}
    assert found == {
        "config/settings.json",
        ".claude/settings.json",
        ".claude/settings.local.json",
    }
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    assert _hook_settings.path_of("user") == tmp_path / "home" / ".claude" / "settings.json"


def test_a_command_that_the_agent_will_not_find_is_said(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(project))
    assert "not on the PATH" in change("install", "--yes").err


HANDLERS = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.text(max_size=8)},
    optional={"timeout": st.integers(1, 9)},
)
GROUPS = st.fixed_dictionaries(
    {"hooks": st.lists(HANDLERS, max_size=2)},
    optional={"matcher": st.sampled_from(["*", "compact"])},
)
VALUES = st.none() | st.floats(allow_nan=False) | st.text(max_size=6) | st.lists(st.integers())
SETTINGS = st.builds(
    lambda others, hooks: dict(
        [*others.items(), ("hooks", hooks), ("last", [])] if hooks else others
    ),
    st.dictionaries(st.text(max_size=5).filter(lambda key: key not in ("hooks", "last")), VALUES),
    st.dictionaries(
        st.sampled_from(["Stop", "SessionStart", "UserPromptSubmit"]),
        st.lists(GROUPS, min_size=1, max_size=3),
        max_size=3,
    ),
)


@given(
    given_settings=SETTINGS,
    indent=st.sampled_from([None, 1, 2, 4, "\t"]),
    ascii_only=st.booleans(),
    newline=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from(["", "\ufeff"]),
)
def test_taking_out_gives_back_every_byte(
    *, given_settings: object, indent: int | str | None, ascii_only: bool, newline: str, mark: str
) -> None:
    """Would catch: settings that are not what they were once the hook is gone."""
    dumped = json.dumps(given_settings, indent=indent, ensure_ascii=ascii_only)
    before = mark + dumped.replace("\n", newline) + newline
    after = _hook_settings.with_hook(before, "settings.json")
    expected = json.loads(dumped)
    hooks = expected.setdefault("hooks", {})
    hooks.setdefault("SessionStart", []).append(OURS)
    hooks.setdefault("UserPromptSubmit", []).append(OURS_AT_PROMPTS)
    assert json.dumps(json.loads(after.removeprefix(mark))) == json.dumps(expected)
    assert (newline == "\r\n") <= ("\n" not in after.replace("\r\n", ""))
    assert _hook_settings.with_hook(after, "settings.json") == after
    assert _hook_settings.without_hook(after, "settings.json") == before


def test_a_handler_beside_others_is_taken_out_alone() -> None:
    other = {"type": "command", "command": "x"}
    for listed in ([HANDLER, other], [other, HANDLER]):
        before = json.dumps({"hooks": {"SessionStart": [{"hooks": listed}]}})
        after = json.loads(_hook_settings.without_hook(before, "settings.json"))
        assert after == {"hooks": {"SessionStart": [{"hooks": [other]}]}}


def test_all_of_several_are_taken_out() -> None:
    before = json.dumps({"a": 1, "hooks": {"SessionStart": [OURS, OURS], "PreCompact": [OURS]}})
    assert json.loads(_hook_settings.without_hook(before, "settings.json")) == {"a": 1}
