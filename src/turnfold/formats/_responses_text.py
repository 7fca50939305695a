"""What the items of OpenAI's Responses say and cost: their text, their hidden text, their media."""

from collections.abc import Callable
from typing import Final

from turnfold.formats._blank_image import text_in
from turnfold.formats._parts import Gathered, text_of
from turnfold.formats._responses_items import HOSTED, Item, input_of, is_call, kind_of, tool_of

_MEDIA: Final = {
    "input_image": "image",
    "output_image": "image",
    "computer_screenshot": "image",
    "input_file": "file",
    "input_audio": "audio",
    "output_audio": "audio",
}
_TEXTS: Final = frozenset(
    {"input_text", "output_text", "text", "summary_text", "reasoning_text", "refusal"}
)


def with_care(gather: Callable[..., None], item: Item, gathered: Gathered, *more: object) -> None:
    """Gather an item; one that nests too deeply counts as a mark."""
    try:
        gather(item, gathered, *more)
    except RecursionError:
        gathered.add("[an item that nests too deeply to be read]")


def gather_content(content: object, gathered: Gathered) -> None:
    """Gather a content: a string, or a list of parts; anything else by its JSON."""
    if isinstance(content, str):
        gathered.add(content)
    elif isinstance(content, list):
        for part in content:
            _gather_part(part, gathered)
    elif content is not None:
        gathered.add_unknown(content)


def _gather_part(part: object, gathered: Gathered) -> None:
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(part, dict) or not isinstance(kind, str):
        gathered.add_unknown(part)
    elif kind in _MEDIA:
        gathered.add_media(_MEDIA[kind], part.get("filename"))
    elif kind in _TEXTS and isinstance(part.get(text_key(kind)), str):
        gathered.add(part[text_key(kind)])
    elif kind == "encrypted_content" and isinstance(part.get(kind), str):
        gathered.hidden.append(part[kind])
    else:
        gathered.add_unknown(part)


def text_key(kind: str) -> str:
    """Return the key of the text of a part."""
    return "refusal" if kind == "refusal" else "text"


def gather_model_item(item: Item, gathered: Gathered) -> None:
    """Gather an item of a model response: reasoning is hidden, what tools were asked is not."""
    kind = kind_of(item)
    if kind == "message":
        gather_content(item.get("content"), gathered)
    elif kind == "reasoning":
        gathered.hidden.append(_reasoning_text(item))
    elif is_call(item):
        gathered.add_call(tool_of(item), input_of(item))
    elif kind in HOSTED:
        _gather_hosted(item, gathered)
    else:
        gathered.add_unknown(item)


def _reasoning_text(item: Item) -> str:
    """Return what reasoning costs: the longest of its forms, or its JSON where all are empty."""
    spoken = Gathered()
    gather_content(item.get("summary"), spoken)
    gather_content(item.get("content"), spoken)
    longest = max(text_of(item.get("encrypted_content")), spoken.content, key=len)
    if longest:
        return longest
    whole = Gathered()
    whole.add_unknown(item)
    return whole.content


def _gather_hosted(item: Item, gathered: Gathered) -> None:
    """What the provider's own tool was asked and said; a picture is media (F2)."""
    kind = item["type"].removesuffix("_call")
    body = {key: each for key, each in item.items() if key not in ("id", "type", "status")}
    if kind == "image_generation" and isinstance(body.pop("result", None), str):
        gathered.add_media("image")
    whole = Gathered()
    whole.add_unknown(body)
    gathered.media += whole.media
    gathered.add_call(kind, whole.content)


def gather_result(item: Item, gathered: Gathered) -> None:
    """Gather what a result says."""
    kind = item["type"]
    if kind == "computer_call_output":
        _gather_screenshot(item.get("output"), gathered)
    elif kind == "mcp_approval_response":
        gathered.add(text_of(item.get("reason")) or ("denied" if has_failed(item) else "approved"))
    elif kind == "tool_search_output":
        gathered.add_unknown(item.get("tools"))
    elif kind == "program_output":
        gather_content(item.get("result"), gathered)
    elif kind == "shell_call_output" and isinstance(item.get("output"), list):
        for chunk in item["output"]:
            _gather_chunk(chunk, gathered)
    else:
        output = item.get("output")
        if isinstance(output, dict) and isinstance(output.get("content"), str):
            output = output["content"]
        gather_content(output, gathered)


def _gather_chunk(chunk: object, gathered: Gathered) -> None:
    if not isinstance(chunk, dict):
        gathered.add_unknown(chunk)
        return
    gathered.add(text_of(chunk.get("stdout")))
    gathered.add(text_of(chunk.get("stderr")))


def has_failed(item: Item) -> bool:
    """Whether a result says by its form that it is no success; most have no flag for that."""
    kind = item["type"]
    if kind == "shell_call_output" and isinstance(item.get("output"), list):
        outcomes = [each.get("outcome") for each in item["output"] if isinstance(each, dict)]
        return any(isinstance(each, dict) and each.get("exit_code") != 0 for each in outcomes)
    if kind == "mcp_approval_response":
        return item.get("approve") is False
    return kind == "apply_patch_call_output" and item.get("status") == "failed"


def is_closed_search(item: Item) -> bool:
    """Whether turnfold closed a search for tools; its result has no room for a text."""
    is_search = item.get("type") == "tool_search_output"
    return is_search and item.get("status") == "incomplete" and item.get("tools") == []


def _gather_screenshot(output: object, gathered: Gathered) -> None:
    text = text_in(output.get("image_url")) if isinstance(output, dict) else None
    if text is None:
        _gather_part(output, gathered)
    else:
        gathered.add(text)
