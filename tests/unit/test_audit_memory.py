"""What audits keep of the turns that they read."""

from turnfold import Transcript, TranscriptTurn
from turnfold.audit import AuditMemory, audit, audit_safely


def session(*said: str) -> Transcript:
    return Transcript(
        TranscriptTurn(f"t{number}", "user", text, 5) for number, text in enumerate(said)
    )


def test_a_turn_is_read_once_while_the_session_grows(names_read: list[str]) -> None:
    """Would catch: audits whose time is the length of the session times their number."""
    memory = AuditMemory()
    audit(session("Serve it on port 8443."), "Port 8443.", memory=memory)
    audit_safely(session("Serve it on port 8443.", "Never push."), "Port 8444.", memory=memory)
    assert names_read == ["Serve it on port 8443.", "Never push."]


def test_without_a_memory_nothing_is_kept(names_read: list[str]) -> None:
    """Would catch: a memory that all audits of a process share and nobody lets go of."""
    for _ in range(2):
        audit(session("Serve it on port 8443."), "Port 8443.")
    assert names_read == ["Serve it on port 8443."] * 2


def test_what_is_made_is_told_apart_by_the_function_and_by_what_was_asked() -> None:
    """Would catch: one answer for two questions about a text, and None that is made again."""
    memory = AuditMemory()
    made = []

    def nothing(text: str) -> None:
        made.append(text)

    assert memory.of(len, "abc") == 3
    assert memory.of(str.upper, "abc") == "ABC"
    assert memory.of(nothing, "abc") is memory.of(nothing, "abc") is None
    assert made == ["abc"]
