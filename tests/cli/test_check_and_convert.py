"""`turnfold check` and `turnfold convert`: what a provider refuses, and what it can be given."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import RECORDED, chat, turnfold
from turnfold.formats.convert import TARGETS


def written(folder: Path, messages: list[dict[str, Any]]) -> Path:
    file = folder / "chat.json"
    file.write_text(json.dumps(messages), encoding="utf-8")
    return file


def faults(*arguments: str | Path, code: int) -> list[dict[str, Any]]:
    done = turnfold("check", *arguments, "--json")
    assert done.code == code, done.err
    record = json.loads(done.stdout)
    assert record["schema"] == "turnfold.check/1"
    (history,) = record["histories"]
    found: list[dict[str, Any]] = history["faults"]
    return found


def test_a_whole_history_passes(chat_file: Path) -> None:
    assert faults(chat_file, code=0) == []
    assert "no fault" in turnfold("check", chat_file).out


def test_a_fault_has_its_place_and_the_providers_words(tmp_path: Path) -> None:
    """A1; would catch: a checker that says that something is wrong, and not what or where."""
    messages = chat(3)
    del messages[3]
    (fault,) = faults(written(tmp_path, messages), code=1)
    assert (fault["place"], fault["rule"]) == ("messages[3]", "unanswered_call")
    assert "did not have response messages: call_0" in fault["provider_error"]
    said = turnfold("check", tmp_path / "chat.json")
    assert said.code == 1
    assert "messages[3]" in said.out
    assert "must be followed by tool messages" in said.out


def test_a_call_at_the_end_may_wait_if_that_is_said(tmp_path: Path) -> None:
    file = written(tmp_path, chat(3)[:7])
    assert [each["rule"] for each in faults(file, code=1)] == ["unanswered_call"]
    assert faults(file, "--pending", code=0) == []


def test_messages_are_held_against_another_providers_rules(tmp_path: Path) -> None:
    """Would catch: a list of messages that passes because nobody looked at its blocks."""
    block = {"type": "tool_use", "id": "t1", "name": "run", "input": {}}
    history: list[dict[str, Any]] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [block]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}]},
    ]
    file = written(tmp_path, history)
    assert faults(file, code=0) == []
    assert {each["rule"] for each in faults(file, "--provider", "openai", code=1)} == {
        "foreign_part"
    }


def test_a_session_of_another_provider_is_to_be_converted_first() -> None:
    done = turnfold("check", RECORDED, "--provider", "gemini")
    assert done.code == 2
    assert "turnfold convert FILE --to gemini-contents" in done.err.replace("\n", " ")


def test_files_that_cannot_be_read_do_not_stop_the_others(tmp_path: Path, chat_file: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    done = turnfold("check", broken, chat_file)
    assert done.code == 2
    assert "broken.json" in done.err
    assert "no fault" in done.out


@pytest.mark.parametrize("target", [each for each in TARGETS if each != "plain-text"])
def test_a_recorded_session_becomes_what_a_provider_takes(target: str, tmp_path: Path) -> None:
    """R2; would catch: a conversion that its own provider refuses."""
    out = tmp_path / "out.json"
    done = turnfold("convert", RECORDED, "--to", target, "-o", out)
    assert done.code == 0, done.err
    assert faults(out, "--format", target, "--pending", code=0) == []


def test_what_is_lost_is_said(tmp_path: Path) -> None:
    done = turnfold("convert", RECORDED, "--to", "plain-text", "-o", tmp_path / "o.txt", "--json")
    record = json.loads(done.stdout)
    assert (record["schema"], record["from"], record["to"]) == (
        "turnfold.convert/1",
        "claude-code",
        "plain-text",
    )
    assert any("reasoning" in each["what"] for each in record["losses"])
    text = (tmp_path / "o.txt").read_text(encoding="utf-8")
    assert text.startswith("User: ")
    assert "\n\nTool: " in text


def test_an_output_that_exists_stays_unless_forced(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    out.write_text("mine", encoding="utf-8")
    assert turnfold("convert", RECORDED, "--to", "openai-chat", "-o", out).code == 2
    assert out.read_text(encoding="utf-8") == "mine"
    assert turnfold("convert", RECORDED, "--to", "openai-chat", "-o", out, "--force").code == 0


def test_one_of_several_conversations_is_named(tmp_path: Path) -> None:
    """Would catch: a file of many rollouts of which nobody can say which one was compacted."""
    spoken = [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "hello"}]
    file = tmp_path / "many.json"
    file.write_text(json.dumps([{"conversations": spoken}] * 3), encoding="utf-8")
    refused = turnfold("inspect", file)
    assert refused.code == 2
    assert "conversation=2" in refused.err
    assert "2 turns" in turnfold("inspect", file, "--conversation", "2").out
    done = turnfold(
        "convert", file, "--conversation", "1", "--to", "openai-chat", "-o", tmp_path / "one.json"
    )
    assert done.code == 0, done.err


def test_reasoning_is_left_out_where_that_is_asked_for(tmp_path: Path) -> None:
    """B1; would catch: an option that never reaches the renderer."""
    kept = {}
    for mode in ("keep", "strip_all"):
        out = tmp_path / f"{mode}.jsonl"
        done = turnfold(
            "compact", RECORDED, "--max-tokens", "70%", "--reasoning", mode, "-o", out, "-q"
        )
        assert done.code == 0, done.err
        kept[mode] = out.read_bytes().count(b'"type":"thinking"')
    assert kept["keep"] > kept["strip_all"] == 0
