"""Anthropic's rules of thinking blocks: signatures, the current tool loop, bound prefixes.

A signature says what was signed, so that any server of this kind can hold a block against it:
`fake.NUMBER.TEXT.PREFIX`, the last two being digests.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from turnfold.formats import Fault
from turnfold.testing.provider._memory import Prefix, plain, prefix_of

THINKING: Final = ("thinking", "redacted_thinking")
_PREFIX: Final = "fake"
_FIELDS: Final = 4
_DIGITS: Final = 32
_INVALID: Final = "{place}: Invalid `signature` in `thinking` block"
_BOUND: Final = (
    "{place}: Invalid `signature` in `thinking` block. The block is bound to a different "
    "conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "
    '"drop_block".'
)
_MODIFIED: Final = (
    "{place}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be "
    "modified. These blocks must remain as they were in the original response."
)
_EXPECTED: Final = (
    "{place}.type: Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking`"
    " is enabled, a final `assistant` message must start with a thinking block (preceeding the "
    "lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking "
    "blocks from previous turns. To avoid this requirement, disable `thinking`. Please consult our "
    "documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
)


@dataclass(slots=True)
class Block:
    """A block of a request.

    Args:
        message: The number of its message.
        number: Its number in the message.
        role: The role of the message.
        value: The block; a string as a block of text.
    """

    message: int
    number: int
    role: object
    value: Any

    @property
    def place(self) -> str:
        """Its place, as turnfold spells it."""
        return f"messages[{self.message}].content[{self.number}]"

    @property
    def path(self) -> str:
        """Its place, as Anthropic spells it."""
        return f"messages.{self.message}.content.{self.number}"

    @property
    def kind(self) -> str:
        """Its type."""
        return str(self.value.get("type")) if isinstance(self.value, dict) else ""


def blocks_of(messages: Sequence[Any]) -> list[Block]:
    """Return all blocks of a list of messages, in order."""
    return [
        Block(index, number, message.get("role"), value)
        for index, message in enumerate(messages)
        if isinstance(message, dict)
        for number, value in enumerate(_listed(message.get("content")))
    ]


def _listed(content: object) -> list[Any]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if isinstance(content, list) else []


def request_prefix(body: dict[str, Any], blocks: Sequence[Block]) -> Prefix:
    """Return what each block of a request stands behind: system, tools, and the blocks before."""
    head = [_listed(body.get("system")), body.get("tools") or []]
    return prefix_of([head, *([block.role, _comparable(block.value)] for block in blocks)])


def _comparable(value: Any) -> Any:  # noqa: ANN401
    """Return a block with what may be spelled in two ways spelled in one."""
    value = plain(value)
    if isinstance(value, dict) and value.get("type") == "tool_result":
        kept = {key: each for key, each in value.items() if (key, each) != ("is_error", False)}
        return {**kept, "content": _listed(value.get("content"))}
    return value


def signature_of(text: str, prefix: str, number: int) -> str:
    """Return the signature of a thinking block that stands behind a prefix."""
    return f"{_PREFIX}.{number}.{_digest(text)}.{prefix[:_DIGITS]}"


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def thinking_faults(
    body: dict[str, Any], blocks: Sequence[Block], prefix: Prefix, *, is_bound: bool
) -> Iterator[Fault]:
    """Yield each thinking block that Anthropic refuses, and the one that is missing.

    Args:
        body: The request.
        blocks: Its blocks.
        prefix: What each of them stands behind.
        is_bound: Whether a block holds only behind the prefix that it was made with; then a
            signature of another's is refused as well.
    """
    spoken = [block.message for block in blocks if block.role == "assistant"]
    latest = spoken[-1] if spoken else -1
    for at, block in enumerate(blocks):
        if block.kind == "thinking":
            rule, words = _fault_of(block, prefix.digests[at + 1], latest, is_bound)
            if rule:
                said = "the thinking block is not as it was made"
                yield Fault(block.place, rule, said, words.format(place=block.path))
    yield from _missing(body, blocks, latest)


def _fault_of(block: Block, prefix: str, latest: int, is_bound: bool) -> tuple[str, str]:  # noqa: FBT001
    signed = str(block.value.get("signature")).split(".")
    if len(signed) != _FIELDS or signed[0] != _PREFIX:
        return ("signature", _INVALID) if is_bound else ("", "")
    is_latest = block.message == latest
    is_same = signed[2] == _digest(str(block.value.get("thinking")))
    if is_latest and (not is_same or block.number):
        return "modified_thinking", _MODIFIED
    if not is_same:
        return "signature", _INVALID
    is_moved = is_bound and signed[3] != prefix[:_DIGITS]
    return ("bound_thinking", _BOUND) if is_moved else ("", "")


def _missing(body: dict[str, Any], blocks: Sequence[Block], latest: int) -> Iterator[Fault]:
    """Yield the fault of a current tool loop without thinking, where thinking is manual."""
    thinking = body.get("thinking")
    if not isinstance(thinking, dict) or thinking.get("type") != "enabled":
        return
    after = [block for block in blocks if block.message > latest]
    in_loop = not after or after[0].kind == "tool_result"
    first = next((block for block in blocks if block.message == latest), None)
    if first is not None and in_loop and first.kind not in THINKING:
        words = _EXPECTED.format(place=first.path, found=first.kind)
        yield Fault(first.place, "expected_thinking", "a tool loop begins with thinking", words)


def drops_mismatches(body: dict[str, Any]) -> bool:
    """Whether a request asks for blocks that are bound elsewhere to be left out."""
    thinking = body.get("thinking")
    binding = thinking.get("block_binding") if isinstance(thinking, dict) else None
    return isinstance(binding, dict) and binding.get("prefix_mismatch_behavior") == "drop_block"
