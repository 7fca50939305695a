"""Where a sentence ends: the same for facts, statements and rules."""

import pytest

from turnfold.audit._instructions._prose import sentences
from turnfold.audit._sentences import Sentences


@pytest.mark.parametrize(
    "said",
    [
        ["Keep it small."],
        ["It reads e.g. app.py, i.e. the file, vs. the rest.", "Then it stops."],
        ['The check said "no rows."', "Then it stopped."],
        ["Added a rule (see above.) to prevent it.", "Done!"],
        ["**Never push.**", "Ask first."],
        ["One thing;", "another one.", "Why?"],
        ["他说\u201c好。\u201d", "然后走了。", "完了\uff01"],
    ],
)
def test_every_reader_ends_a_sentence_at_the_same_place(said: list[str]) -> None:
    """Would catch: a sentence that is whole for one check and cut in two for another."""
    text = " ".join(said)
    assert [each.strip() for each in Sentences(text)] == said
    assert [each.text for each in sentences(text)] == said
