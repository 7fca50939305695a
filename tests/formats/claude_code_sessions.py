"""Claude Code sessions written line by line, and what a provider makes of one (no turnfold)."""

import json
from collections.abc import Iterable
from typing import Any

Object = dict[str, Any]


def text(words: str) -> Object:
    return {"type": "text", "text": words}


def call(call_id: str, name: str = "Bash", **arguments: Any) -> Object:  # noqa: ANN401
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments or {"command": "x"}}


def answer(call_id: str, content: object = "ok", **more: object) -> Object:
    return {"tool_use_id": call_id, "type": "tool_result", "content": content, **more}


class Log:
    """Appends records as the client does; `uuid` and `parentUuid` follow the order."""

    def __init__(self) -> None:
        self.records: list[Object] = []

    def add(self, kind: str, message: Object | None = None, **more: Any) -> str:  # noqa: ANN401
        uuid = more.pop("uuid", f"u{len(self.records) + 1}")
        record = {
            "parentUuid": self.records[-1]["uuid"] if self.records else None,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/dev/src",
            "sessionId": "561b1172-190f-4327-900e-58363dadf2e8",
            "version": "2.1.42",
            "gitBranch": "main",
            "type": kind,
            **({} if message is None else {"message": message}),
            "uuid": uuid,
            "timestamp": f"2026-04-14T12:{len(self.records) // 60:02}:{len(self.records) % 60:02}Z",
            **more,
        }
        self.records.append(record)
        return str(uuid)

    def user(self, content: object, **more: Any) -> str:  # noqa: ANN401
        return self.add("user", {"role": "user", "content": content}, **more)

    def result(self, call_id: str, content: object = "ok", **more: Any) -> str:  # noqa: ANN401
        more.setdefault("toolUseResult", {"stdout": content})
        is_error = more.pop("is_error", None)
        block = answer(call_id, content, **({} if is_error is None else {"is_error": is_error}))
        return self.user([block], **more)

    def assistant(self, message_id: str | None, *blocks: Object, **more: Any) -> str:  # noqa: ANN401
        """One record a block, as the client writes them."""
        uuid = ""
        for block in blocks:
            uuid = self.snapshot(message_id, block, **more)
        return uuid

    def snapshot(self, message_id: str | None, *blocks: Object, **more: Any) -> str:  # noqa: ANN401
        message: Object = {"model": "claude-opus-4-6", "role": "assistant", "content": list(blocks)}
        if message_id is not None:
            message["id"] = message_id
        message["model"] = more.pop("model", message["model"])
        return self.add("assistant", message, **more)

    def queued(self, prompt: object, **more: Any) -> str:  # noqa: ANN401
        """What is typed while the agent works."""
        uuid = more.pop("uuid", f"u{len(self.records) + 1}")
        base = {"type": "queued_command", "prompt": prompt, "commandMode": "prompt"}
        return self.add("attachment", uuid=uuid, attachment=base | more)

    def boundary(self, **metadata: object) -> str:
        return self.add(
            "system",
            subtype="compact_boundary",
            content="Conversation compacted",
            parentUuid=None,
            compactMetadata={"trigger": "auto", "preTokens": 1000, **metadata},
        )

    def summary(self, words: str, **more: Any) -> str:  # noqa: ANN401
        return self.user(words, isCompactSummary=True, isVisibleInTranscriptOnly=True, **more)

    def data(self) -> bytes:
        return b"".join(map(line_of, self.records))


def line_of(record: object) -> bytes:
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def small_session() -> Log:
    """A task, single and parallel calls with interleaved results, an injected row, a last word."""
    log = Log()
    log.user("Rotate the certificate of staging. " + "Never restart the gateway. " * 5)
    log.assistant("m1", text("I look at it."), call("c1"), call("c2"), call("c3"))
    log.result("c3", "SECOND-UNIT " * 30)
    log.result("c1", "FIRST-UNIT " * 60)
    log.result("c2", "")
    log.assistant("m2", {"type": "thinking", "thinking": "hm " * 20, "signature": "c2ln"})
    log.assistant("m2", text("Now the log."), call("c4"))
    log.result("c4", "LOG-LINE " * 50, is_error=True)
    log.assistant("m2", call("c5"))
    log.user([text("Base directory of this skill " * 4)], isMeta=True)
    log.result("c5", "LAST-LINE " * 40)
    log.queued("And tell me when.", origin={"kind": "human"})
    log.assistant("m3", text("It expires in May."))
    log.user("Good. Do it on Friday.")
    log.assistant("m4", call("c6"))
    log.result("c6", "SCHEDULED " * 20)
    log.assistant("m5", text("Done."))
    return log


def records_of(data: bytes) -> list[Object]:
    return [json.loads(line) for line in data.split(b"\n") if line]


def messages_of(data: bytes) -> list[Object]:
    """What is sent: one message per `message.id`, user records next to each other joined."""
    messages: list[Object] = []
    for record in records_of(data):
        if record["type"] == "attachment" and "prompt" in record["attachment"]:
            message = {"role": "user", "content": record["attachment"]["prompt"]}
        elif record["type"] in ("user", "assistant"):
            message = record["message"]
        else:
            continue
        content = message["content"]
        blocks = [text(content)] if isinstance(content, str) else list(content)
        if messages and messages[-1]["role"] == message["role"]:
            messages[-1]["content"] += blocks
        else:
            messages.append({"role": message["role"], "content": blocks})
    return messages


def faults_of(data: bytes) -> list[str]:
    """What a provider would refuse; calls that nothing follows may be open."""
    messages = messages_of(data)
    faults = []
    for at, message in enumerate(messages):
        calls = [each["id"] for each in message["content"] if each["type"] == "tool_use"]
        following = messages[at + 1]["content"] if at + 1 < len(messages) else []
        answers = list(_leading_results(following))
        words = [each for each in following if each["type"] != "tool_result"]
        is_last = at + 1 == len(messages) or (at + 2 == len(messages) and not words)
        if message["role"] == "assistant":
            faults += [f"{at}: {each} open" for each in set(calls) - set(answers) if not is_last]
            faults += [f"{at}: {each} answers none" for each in set(answers) - set(calls)]
            faults += [f"{at}: ids repeat"] * (len(set(answers)) != len(answers))
        elif at == 0:
            faults += [f"0: {each} answers none" for each in _leading_results(message["content"])]
        results = [each for each in message["content"] if each["type"] == "tool_result"]
        if len(list(_leading_results(message["content"]))) != len(results):
            faults.append(f"{at}: a result stands behind words")
    uuids = [record["uuid"] for record in records_of(data)]
    parents = [record["parentUuid"] for record in records_of(data)]
    if len(set(uuids)) != len(uuids) or parents != [None, *uuids[:-1]]:
        faults.append("the records are no chain")
    return faults


def _leading_results(content: Iterable[Object]) -> Iterable[str]:
    for block in content:
        if block["type"] != "tool_result":
            return
        yield block["tool_use_id"]
