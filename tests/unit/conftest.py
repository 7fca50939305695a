"""What the tests of units share."""

import pytest

from turnfold.facts import NameReader, Telling


@pytest.fixture
def names_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the texts whose names are read."""
    read: list[str] = []
    telling = NameReader.telling

    def noted(reader: NameReader, text: str) -> Telling:
        read.append(text)
        return telling(reader, text)

    monkeypatch.setattr(NameReader, "telling", noted)
    return read
