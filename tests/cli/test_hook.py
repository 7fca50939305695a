"""`turnfold hook`: what an agent is answered, and what becomes of its settings."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.console import Outcome, process, turnfold
from tests.formats.claude_code_sessions import Log, text
from turnfold.cli import _hook_settings, hook
from turnfold.integrations import claude_code
from turnfold.integrations.claude_code import LONGEST

OURS = {
    "matcher": "compact",
    "hooks": [{"type": "command", "command": "turnfold hook claude-code", "timeout": 60}],
}


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


def event(transcript: object, **changed: object) -> bytes:
    fields = {"hook_event_name": "SessionStart", "source": "compact", "session_id": "s"}
    return json.dumps(fields | {"transcript_path": str(transcript)} | changed).encode()


def answer(stdin: bytes, *options: str) -> Outcome:
    return turnfold("hook", "claude-code", *options, stdin=stdin)


def context_of(done: Outcome) -> str:
    """The context of an answer; empty where there is none."""
    assert done.code == 0
    if not done.stdout:
        return ""
    (key, specific), *more = json.loads(done.stdout).items()
    assert (key, more) == ("hookSpecificOutput", [])
    assert specific["hookEventName"] == "SessionStart"
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
    done = answer(event(transcript))
    assert (done.code, done.out) == (0, "")
    assert done.err == "turnfold hook: RuntimeError: over the [secret]\n"


@given(
    stdin=st.binary(max_size=200)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["hook_event_name", "source", "transcript_path"]), inner, max_size=3
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
    context_of(answer(event(path)))


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
    assert json.loads(project.read_bytes()) == {"hooks": {"SessionStart": [OURS]}}
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
    start, end = before.split("[]}]")
    assert after.startswith(start + '[]},\n            {\n                "matcher": "compact",')
    assert after.endswith("\n            }]" + end)
    assert '+                "matcher": "compact",' in done.out.splitlines()
    expected = json.loads(before)
    expected["hooks"]["SessionStart"].append(OURS)
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
    before = json.dumps({"hooks": {"SessionStart": [{"matcher": "compact", "hooks": [own]}]}})
    project.write_text(before, encoding="utf-8")
    assert "nothing to change" in change("install", "--yes").out
    assert project.read_text("utf-8") == before


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
        st.sampled_from(["Stop", "SessionStart", "PreCompact"]),
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
    expected.setdefault("hooks", {}).setdefault("SessionStart", []).append(OURS)
    assert json.dumps(json.loads(after.removeprefix(mark))) == json.dumps(expected)
    assert (newline == "\r\n") <= ("\n" not in after.replace("\r\n", ""))
    assert _hook_settings.with_hook(after, "settings.json") == after
    assert _hook_settings.without_hook(after, "settings.json") == before


def test_a_handler_beside_others_is_taken_out_alone() -> None:
    other = {"type": "command", "command": "x"}
    for listed in ([OURS["hooks"][0], other], [other, OURS["hooks"][0]]):
        before = json.dumps({"hooks": {"SessionStart": [{"hooks": listed}]}})
        after = json.loads(_hook_settings.without_hook(before, "settings.json"))
        assert after == {"hooks": {"SessionStart": [{"hooks": [other]}]}}


def test_all_of_several_are_taken_out() -> None:
    before = json.dumps({"a": 1, "hooks": {"SessionStart": [OURS, OURS]}})
    assert json.loads(_hook_settings.without_hook(before, "settings.json")) == {"a": 1}
