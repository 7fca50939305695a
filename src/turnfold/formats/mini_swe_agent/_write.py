"""Writing the messages of mini-SWE-agent: chat messages, or those of OpenAI's Responses."""

from turnfold.formats._document import Message
from turnfold.formats._marks import CLOSED_CALL
from turnfold.formats._rewrite import call_id_of, without_signed_reasoning
from turnfold.formats.mini_swe_agent._read import as_chat
from turnfold.transcript import TranscriptTurn


def summary(turn: TranscriptTurn) -> Message:
    """Return the message of a summary."""
    return {"role": "user", "content": turn.content}


def masked(message: Message, text: str) -> Message:
    """Return a message that says another text: its calls stay, signed reasoning goes (B1)."""
    if message.get("object") == "response":
        content = [{"type": "output_text", "text": text, "annotations": []}]
        calls = [
            item
            for item in without_reasoning(message)["output"]
            if isinstance(item, dict) and item.get("type") == "function_call"
        ]
        said = {"type": "message", "role": "assistant", "content": content}
        changed = {**message, "output": [said, *calls]}
    else:
        key = "output" if message.get("type") == "function_call_output" else "content"
        changed = without_signed_reasoning({**message, key: text})
    if isinstance(message.get("extra"), dict):
        short = (int, float, type(None))
        extra = {key: value for key, value in message["extra"].items() if isinstance(value, short)}
        changed["extra"] = extra
    return changed


def closing(message: Message, number: int) -> Message:
    """Return the message that closes a call of a message, never as a success (A12)."""
    call_id = call_id_of(as_chat(message), number)
    if call_id is None:
        return {"role": "user", "content": CLOSED_CALL}
    if message.get("object") == "response":
        return {"type": "function_call_output", "call_id": call_id, "output": CLOSED_CALL}
    return {"role": "tool", "tool_call_id": call_id, "content": CLOSED_CALL}


def without_reasoning(message: Message) -> Message:
    """Leave out signed reasoning; items that followed it lose their ids, which would miss it."""
    output = message.get("output")
    if message.get("object") != "response" or not isinstance(output, list):
        return without_signed_reasoning(message)
    if not any(isinstance(item, dict) and item.get("type") == "reasoning" for item in output):
        return message
    kept = [
        {key: value for key, value in item.items() if key != "id"}
        for item in output
        if isinstance(item, dict) and item.get("type") != "reasoning"
    ]
    return {**message, "output": kept}
