"""Small sessions as files."""

import json
from pathlib import Path

import pytest

from tests.cli.console import chat, compacted_before, lines


@pytest.fixture
def chat_file(tmp_path: Path) -> Path:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(chat(12)), encoding="utf-8")
    return path


@pytest.fixture
def code_file(tmp_path: Path) -> Path:
    path = tmp_path / "code.jsonl"
    path.write_bytes(b"".join(lines(12)))
    return path


@pytest.fixture
def compacted_file(tmp_path: Path) -> Path:
    path = tmp_path / "compacted.jsonl"
    path.write_bytes(b"".join(compacted_before(6)))
    return path
