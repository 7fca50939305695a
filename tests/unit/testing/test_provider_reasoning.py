"""Reasoning that the fake provider gave: what holds it together, and what it is bound to."""

import copy

import pytest

from tests.unit.testing.provider_client import (
    CHAT,
    MESSAGES,
    RESPONSES,
    Body,
    chat,
    chat_result,
    item_output,
    messages,
    post,
    responses,
    result,
    said,
    text,
    user,
    words_of,
)
from turnfold.testing.provider import FakeProvider, Reply, scripted

_CALL = [("read_file", {"path": "a.py"})]
_BOUND = (
    "messages.3.content.0: Invalid `signature` in `thinking` block. The block is bound to a "
    "different conversation. Remove the block, or set "
    '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)
_MODIFIED = (
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. "
    "These blocks must remain as they were in the original response."
)
_DROP = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}


def thinking_calls() -> FakeProvider:
    return FakeProvider(lambda _: Reply(calls=_CALL, reasoning=True), bound_reasoning=True)


def two_steps(provider: FakeProvider) -> list[Body]:
    """Return a history of two steps of a tool loop, each with thinking that the server made."""
    history: list[Body] = [user("the task")]
    for step in range(2):
        status, answer = post(provider, MESSAGES, messages(*history))
        assert status == 200, words_of(answer)
        call = answer["content"][-1]["id"]
        history += [said(answer["content"]), user([result(call, f"the text of file {step}")])]
    return history


def send(provider: FakeProvider, history: list[Body], **options: object) -> tuple[int, str]:
    status, answer = post(provider, MESSAGES, messages(*history, **options))
    return status, "" if status == 200 else words_of(answer)


def test_a_history_that_is_sent_back_as_it_was_keeps_its_thinking() -> None:
    with thinking_calls() as provider:
        history = two_steps(provider)
        assert send(provider, history) == (200, "")
        spelled = copy.deepcopy(history)
        spelled[0]["content"] = [text("the task", cache_control={"type": "ephemeral"})]
        spelled[2]["content"][0] |= {"is_error": False, "content": [text("the text of file 0")]}
        assert send(provider, spelled) == (200, ""), "what means the same is the same prefix"


def masked(history: list[Body]) -> list[Body]:
    edited = copy.deepcopy(history)
    edited[2]["content"][0]["content"] = "[cleared]"
    return edited


def test_thinking_behind_an_edit_is_refused_and_thinking_before_it_is_not() -> None:
    """Would catch: a compaction that masks a result and keeps the thinking behind it."""
    with thinking_calls() as provider:
        history = masked(two_steps(provider))
        assert send(provider, history) == (400, _BOUND)
        without = copy.deepcopy(history)
        without[3]["content"] = without[3]["content"][1:]
        assert send(provider, without) == (200, "")


@pytest.mark.parametrize("change", ["system", "tools", "a thinking block before it"])
def test_thinking_is_bound_to_the_system_prompt_the_tools_and_the_thinking_before(
    change: str,
) -> None:
    with thinking_calls() as provider:
        history = two_steps(provider)
        options: dict[str, object] = {}
        if change == "system":
            options["system"] = "be brief"
        elif change == "tools":
            options["tools"] = [{"name": "read_file", "input_schema": {"type": "object"}}]
        else:
            history[1]["content"] = history[1]["content"][1:]
        status, words = send(provider, history, **options)
        assert status == 400
        assert "bound to a different conversation" in words


def test_thinking_behind_an_edit_is_dropped_where_the_request_asks_for_it() -> None:
    with thinking_calls() as provider:
        history = masked(two_steps(provider))
        status, answer = post(provider, MESSAGES, messages(*history, thinking=_DROP))
    assert status == 200
    assert answer["input_transformations"] == [
        {
            "type": "thinking_dropped",
            "path": "messages.3.content.0",
            "reason": "prefix_binding_mismatch",
        }
    ]
    assert provider.requests[-1].dropped == ("messages[3].content[0]",)


def test_without_the_option_no_thinking_is_bound() -> None:
    with FakeProvider(lambda _: Reply(calls=_CALL, reasoning=True)) as provider:
        assert send(provider, masked(two_steps(provider))) == (200, "")


@pytest.mark.parametrize("kind", ["other words", "emptied", "moved"])
def test_the_latest_thinking_cannot_be_modified(kind: str) -> None:
    """Would catch: a redaction that empties the text and keeps the signature."""
    with FakeProvider(lambda _: Reply("so", calls=_CALL, reasoning=True)) as provider:
        history = two_steps(provider)
        content = history[3]["content"]
        if kind == "moved":
            content[0], content[1] = content[1], content[0]
        else:
            content[0]["thinking"] = "" if kind == "emptied" else "other words"
        at = 1 if kind == "moved" else 0
        assert send(provider, history) == (400, f"messages.3.content.{at}: {_MODIFIED}")


def test_older_thinking_with_other_words_has_a_wrong_signature() -> None:
    with FakeProvider(lambda _: Reply(calls=_CALL, reasoning=True)) as provider:
        history = two_steps(provider)
        history[1]["content"][0]["thinking"] = "other words"
        words = "messages.1.content.0: Invalid `signature` in `thinking` block"
        assert send(provider, history) == (400, words)


def test_another_server_of_the_kind_knows_the_thinking() -> None:
    """A session that is taken up again goes on, as with the provider."""
    with thinking_calls() as first:
        history = two_steps(first)
    with thinking_calls() as second:
        assert send(second, history) == (200, "")


def output_of(provider: FakeProvider, *items: Body, **options: object) -> list[Body]:
    status, answer = post(provider, RESPONSES, responses(*items, **options))
    assert status == 200, words_of(answer)
    output: list[Body] = answer["output"]
    return output


def refusal(provider: FakeProvider, *items: Body, **options: object) -> tuple[int, str]:
    status, answer = post(provider, RESPONSES, responses(*items, **options))
    return status, "" if status == 200 else words_of(answer)


def test_an_item_needs_the_reasoning_that_led_to_it() -> None:
    """Would catch: a compaction that drops reasoning and keeps the ids behind it."""
    with thinking_calls() as provider:
        reasoning, call = output_of(provider, user())
        output = item_output(call["call_id"])
        words = (
            "Item 'fc_000001' of type 'function_call' was provided without its required "
            "'reasoning' item: 'rs_000001'."
        )
        assert refusal(provider, user(), call, output) == (400, words)
        assert refusal(provider, user(), reasoning, call, output) == (200, "")
        without_id = {key: each for key, each in call.items() if key != "id"}
        assert refusal(provider, user(), without_id, output) == (200, "")


def test_reasoning_of_a_response_that_was_not_stored_carries_its_content() -> None:
    with thinking_calls() as provider:
        reasoning, call = output_of(provider, user(), store=False)
        output = item_output(call["call_id"])
        assert refusal(provider, user(), reasoning, call, output) == (200, "")
        bare = {key: each for key, each in reasoning.items() if key != "encrypted_content"}
        status, words = refusal(provider, user(), bare, call, output)
        assert status == 404
        assert words.startswith("Item with id 'rs_000001' not found. Items are not persisted when")


def test_stored_items_are_found_by_reference_and_by_their_response() -> None:
    with thinking_calls() as provider:
        status, answer = post(provider, RESPONSES, responses(user()))
        assert status == 200
        output = item_output(answer["output"][-1]["call_id"])
        references = [{"type": "item_reference", "id": each["id"]} for each in answer["output"]]
        assert refusal(provider, user(), *references, output) == (200, "")
        chained = {"previous_response_id": answer["id"]}
        assert refusal(provider, output, **chained) == (200, "")
        words = f"No tool output found for function call {output['call_id']}."
        assert refusal(provider, user(), **chained) == (400, words)


def test_a_conversation_holds_what_was_said_in_it() -> None:
    """Would catch: a result whose call stands in a conversation, refused or taken unseen."""
    with thinking_calls() as provider:
        status, begun = post(provider, "/v1/conversations", {"items": [user("the task")]})
        assert (status, begun["object"], provider.requests[0].reply) == (200, "conversation", None)
        held = {"conversation": begun["id"]}
        status, answer = post(provider, RESPONSES, responses(user("Go on."), **held))
        assert (status, answer["conversation"]) == (200, {"id": begun["id"]})
        call_id = answer["output"][-1]["call_id"]
        words = f"No tool output found for function call {call_id}."
        assert refusal(provider, user(), **held) == (400, words)
        held = {"conversation": {"id": begun["id"]}}
        assert refusal(provider, item_output(call_id), **held) == (200, "")
        assert refusal(provider, item_output(call_id))[0] == 400


def test_reasoning_behind_an_edit_is_left_out_in_silence_and_recorded() -> None:
    """As OpenAI does: no error, and the model reasons anew."""
    with thinking_calls() as provider:
        first = output_of(provider, user("the task"))
        items = [user("the task"), *first, item_output(first[-1]["call_id"])]
        items += output_of(provider, *items)
        items.append(item_output(items[-1]["call_id"]))
        assert refusal(provider, *items) == (200, "")
        assert not provider.requests[-1].dropped
        items[3] = {**items[3], "output": "[cleared]"}
        assert refusal(provider, *items) == (200, "")
    assert provider.requests[-1].dropped == ("input[4]",)


def test_the_chat_of_deepseek_wants_its_reasoning_back() -> None:
    with FakeProvider(scripted(Reply(calls=_CALL), Reply("so")), dialect="deepseek") as provider:
        _, answer = post(provider, CHAT, chat(user()))
        message = answer["choices"][0]["message"]
        tool = chat_result(message["tool_calls"][0]["id"])
        assert post(provider, CHAT, chat(user(), message, tool))[0] == 200
        del message["reasoning_content"]
        status, answer = post(provider, CHAT, chat(user(), message, tool))
    assert status == 400
    assert words_of(answer) == (
        "Missing `reasoning_content` field in the assistant message at message index 1. For more "
        "information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls"
    )
