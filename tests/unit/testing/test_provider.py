"""Every error of the providers that is known, provoked by a bad history through real HTTP."""

import pytest

from tests.unit.testing.provider_client import (
    CHAT,
    MESSAGES,
    RESPONSES,
    Body,
    chat,
    chat_calls,
    chat_result,
    item_call,
    item_output,
    messages,
    post,
    responses,
    result,
    said,
    text,
    thinking,
    use,
    user,
    words_of,
)
from tests.unit.testing.provider_errors import CHAT_ROWS, GOOD_CHAT, IMAGE, RESPONSES_ROWS, Row
from tests.unit.testing.provider_errors_anthropic import EXPECTED, MESSAGES_ROWS
from turnfold.testing.provider import FakeProvider

_ROWS = [*CHAT_ROWS, *RESPONSES_ROWS, *MESSAGES_ROWS]


@pytest.mark.parametrize("row", _ROWS, ids=[f"{each.path[4:8]} {each.name}" for each in _ROWS])
def test_a_bad_history_gets_the_words_of_the_provider_and_the_mended_one_passes(row: Row) -> None:
    """Would catch: a rule that is not enforced, and one that refuses what is right."""
    with FakeProvider(**row.options) as provider:
        status, answer = post(provider, row.path, row.bad)
        mended, reply = post(provider, row.path, row.good)
    assert status == (404 if "not found" in row.words and not row.code else 400)
    found = words_of(answer)
    assert found.startswith(row.words) if row.words is EXPECTED else found == row.words
    assert answer["error"]["type"] == "invalid_request_error" or status == 404
    if row.path == MESSAGES:
        assert (answer["type"], answer["request_id"]) == ("error", "req_000001")
        assert answer["error"].keys() == {"type", "message"}
    else:
        assert answer["error"].keys() == {"message", "type", "param", "code"}
        assert (answer["error"]["param"], answer["error"]["code"]) == (row.param, row.code)
    assert mended == 200, words_of(reply)
    assert [each.status for each in provider.requests] == [status, 200]
    assert provider.refused[0].error == found


_ANTHROPIC = {"anthropic-version": "2023-06-01"}


@pytest.mark.parametrize(
    ("path", "body", "headers", "error"),
    [
        (CHAT, chat(user()), {}, (401, "invalid_request_error", "You didn't provide an API key.")),
        (RESPONSES, responses(user()), {}, (401, "invalid_request_error", "You didn't provide")),
        (MESSAGES, messages(user()), {}, (401, "authentication_error", "x-api-key header is")),
        (CHAT, b"{", None, (400, "invalid_request_error", "We could not parse the JSON body")),
        (RESPONSES, b"[]", None, (400, "invalid_request_error", "We could not parse the JSON")),
        (MESSAGES, b"[" * 9999, None, (400, "invalid_request_error", "The request body is not")),
        (
            f"{MESSAGES}/count_tokens",
            {"model": "m"},
            None,
            (400, "invalid_request_error", "messages: Field required"),
        ),
        ("/v1/engines", {}, None, (404, "invalid_request_error", "Invalid URL (POST /v1/engines)")),
        ("/v1/complete", {}, _ANTHROPIC, (404, "not_found_error", "Not Found")),
    ],
)
def test_a_request_that_cannot_be_looked_at_is_refused_as_the_provider_does(
    path: str, body: Body | bytes, headers: dict[str, str] | None, error: tuple[int, str, str]
) -> None:
    with FakeProvider() as provider:
        found, answer = post(provider, path, body, headers)
    assert (found, answer["error"]["type"]) == error[:2]
    assert words_of(answer).startswith(error[2])


def test_a_key_of_either_kind_will_do() -> None:
    with FakeProvider() as provider:
        assert post(provider, MESSAGES, messages(user()), {"x-api-key": "k"})[0] == 200
        assert post(provider, CHAT, chat(user()), {"Authorization": "Bearer k"})[0] == 200
        assert post(provider, CHAT, chat(user()), {"Authorization": "Bearer "})[0] == 401


def test_the_route_may_stand_without_its_version() -> None:
    """One address serves the clients of both providers."""
    with FakeProvider() as provider:
        assert post(provider, CHAT.removeprefix("/v1") + "?beta=true", chat(user()))[0] == 200


@pytest.mark.parametrize(
    "body",
    [
        (CHAT, GOOD_CHAT),
        (CHAT, chat(user([text(), IMAGE]), said(""), user())),
        (CHAT, chat({"role": "developer", "content": "d"}, user(), chat_calls("a", content="so"),
                    chat_result("a", [text()]), said(), user())),
        (RESPONSES, responses(user(), item_call("a"), item_call("b"), item_output("b"),
                              item_output("a"), said(), user())),
        (RESPONSES, {"model": "m", "input": "hello", "instructions": "be brief"}),
        (MESSAGES, messages(user(), user(), said([text(), use("a")]),
                            user([result("a", [text()]), text()]))),
        (MESSAGES, messages(user(), said([thinking("hm", "sig"), text()]), user())),
    ],
)  # fmt: skip
def test_a_good_history_passes(body: tuple[str, Body]) -> None:
    with FakeProvider() as provider:
        status, answer = post(provider, *body)
    assert status == 200, words_of(answer)
    assert provider.requests[0].faults == ()
