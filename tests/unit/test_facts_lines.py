"""Lines that matter: triggers in English and Chinese."""

import pytest

from turnfold.facts import Trigger, critical_lines, triggers


@pytest.mark.parametrize(
    ("line", "trigger"),
    [
        ("Decision: sqlite", Trigger.DECISION),
        ("we decided to wait", Trigger.DECISION),
        ("Going with plan B", Trigger.DECISION),
        ("我们决定用 SQLite", Trigger.DECISION),
        ("You MUST NOT push", Trigger.CONSTRAINT),
        ("never force-push", Trigger.CONSTRAINT),
        ("don’t touch it", Trigger.CONSTRAINT),  # noqa: RUF001  As people type it.
        ("only tests may change", Trigger.CONSTRAINT),
        ("不要修改配置", Trigger.CONSTRAINT),
        ("No, use the other one", Trigger.CORRECTION),
        ("that's wrong", Trigger.CORRECTION),
        ("不对\uff0c应该是 8080", Trigger.CORRECTION),
        ("exit code 2", Trigger.ERROR),
        ("ValueError: x", Trigger.ERROR),
        ("the build failed", Trigger.ERROR),
        ("构建失败", Trigger.ERROR),
        ("TODO: docs", Trigger.TODO),
        ("still need a test", Trigger.TODO),
        ("下一步\uff1a写测试", Trigger.TODO),
    ],
)
def test_a_trigger_is_seen(line: str, trigger: Trigger) -> None:
    assert trigger in triggers(line)


@pytest.mark.parametrize(
    "line", ["", "exit code 0", "terror", "neverland", "mastodon", "a nice day", "今天天气好"]
)
def test_nothing_is_seen_where_nothing_stands(line: str) -> None:
    assert triggers(line) == ()


def test_critical_lines_carry_their_place() -> None:
    found = critical_lines("fine\nnever do it\nfine\nTODO")
    assert [(line.number, line.text) for line in found] == [(1, "never do it"), (3, "TODO")]
    assert found[0].triggers == (Trigger.CONSTRAINT,)
