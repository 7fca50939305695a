"""A session whose items fit."""

import asyncio
import inspect
import json
from typing import Any, Final

from agents import OpenAIConversationsSession
from agents.memory import Session, SessionSettings
from agents.models.interface import Model
from agents.run import CallModelData, ModelInputData

from turnfold.budget import CompactionBudget
from turnfold.errors import InvalidConfiguration, TurnfoldDefect
from turnfold.fulfil import Writer
from turnfold.integrations._compactor import Compactor
from turnfold.integrations._conversation import Conversation
from turnfold.integrations._ends import to_its_end
from turnfold.integrations._writers import one_writer
from turnfold.integrations.events import FAILED, Event, tell
from turnfold.integrations.openai_agents._filter import Histories, is_ours
from turnfold.integrations.openai_agents._items import AgentItems, Item, room_beside, without_notes
from turnfold.integrations.openai_agents._writer import model_writer

_METHODS: Final = ("get_items", "add_items", "pop_item", "clear_session")


class CompactingSession:
    """A session that gives what fits, around one that keeps everything.

    Within a run, items are added that no session sees before the next: use its filter as well.

    Example:
        >>> from agents import RunConfig, SQLiteSession
        >>> session = CompactingSession(SQLiteSession("user-1", "chat.db"), 100_000)
        >>> config = RunConfig(call_model_input_filter=session.model_input_filter)

    Args:
        session: What keeps the items. They are not changed, unless `rewrite` says so.
        budget: As for `Compactor`: a budget, or a number of tokens.
        state_session: Keeps what was compacted, beside the items: a session with another
            `session_id`, of any kind. Without it, a new process compacts again.
        rewrite: Replace the items that are kept by those that fit; nothing else is kept then.
        model: A model of the SDK that writes the summaries, or its name; without one, and without
            `write`, they are verbatim digests.
        write: A writer instead of a model.
        **options: What else a `Compactor` takes.

    Raises:
        InvalidConfiguration: The session compacts or keeps its history elsewhere, or an option has
            a value that it cannot have.
    """

    def __init__(
        self,
        session: Session,
        budget: CompactionBudget | int,
        *,
        state_session: Session | None = None,
        rewrite: bool = False,
        model: Model | str | None = None,
        write: Writer | None = None,
        **options: Any,  # noqa: ANN401  Those of `Compactor`.
    ) -> None:
        _require_plain(session)
        self.underlying_session = session
        self._state_session = state_session
        self._rewrites = rewrite
        self._compactor: Compactor[Item] = Compactor(
            AgentItems(), budget, write=one_writer(model, write, model_writer), **options
        )
        self._histories = Histories(self._compactor)
        self._conversation: Conversation[Item] | None = None
        self._saved: object = None
        self._stored: list[Item] = []
        self._given: list[Item] = []
        self._awaits_run = False
        self._writing = asyncio.Lock()
        self._takes_wrapper = all(
            "wrapper" in inspect.signature(getattr(session, name)).parameters for name in _METHODS
        )

    @property
    def session_id(self) -> str:
        """The id of the session that keeps the items."""
        return str(self.underlying_session.session_id)

    @property
    def session_settings(self) -> SessionSettings | None:
        """The settings of the session that keeps the items."""
        return getattr(self.underlying_session, "session_settings", None)

    @session_settings.setter
    def session_settings(self, settings: SessionSettings | None) -> None:
        self.underlying_session.session_settings = settings

    async def get_items(self, limit: int | None = None, *, wrapper: object = None) -> list[Item]:
        """Return what fits; with a limit, the latest items as they are kept."""
        more = self._more(wrapper)
        if limit is not None:
            latest: list[Item] = await self.underlying_session.get_items(limit, **more)
            return latest
        stored = await self.underlying_session.get_items(**more)
        history = without_notes(stored)
        conversation = await self._begun()
        given = await self._histories.fit(history, 0, conversation)
        if not self._rewrites:
            await self._save(conversation)
        elif (
            conversation.state is not None and getattr(self.session_settings, "limit", None) is None
        ):
            await to_its_end(self._replace(stored, given, more))
        self._stored, self._given, self._awaits_run = history, given, True
        return list(given)

    async def add_items(self, items: list[Item], *, wrapper: object = None) -> None:
        """Keep items."""
        async with self._writing:
            await self.underlying_session.add_items(items, **self._more(wrapper))

    async def pop_item(self, *, wrapper: object = None) -> Item | None:
        """Remove the latest item, and return it."""
        async with self._writing:
            return await self.underlying_session.pop_item(**self._more(wrapper))

    async def clear_session(self, *, wrapper: object = None) -> None:
        """Remove all items, and what was compacted."""
        async with self._writing:
            await self.underlying_session.clear_session(**self._more(wrapper))
            if self._state_session is not None:
                await self._state_session.clear_session()
            self._conversation = self._compactor.conversation(name=self.session_id)
            self._saved = None
            self._stored, self._given = [], []

    async def model_input_filter(self, data: CallModelData[Any]) -> ModelInputData:
        """Do within a run what `get_items` does before it.

        For `RunConfig(call_model_input_filter=session.model_input_filter)`.
        """
        model_input = data.model_data
        if not is_ours(data):
            return model_input
        conversation, history = await self._history_of(model_input.input)
        beside = room_beside(data.agent, model_input.instructions)
        sent = await self._histories.fit(history, beside, conversation)
        if conversation is not None and not self._rewrites:
            await self._save(conversation)
        return ModelInputData(input=sent, instructions=model_input.instructions)

    async def _history_of(self, items: list[Item]) -> tuple[Conversation[Item] | None, list[Item]]:
        """Return the conversation that an input goes on, and its whole history.

        An agent that is a tool, or whose history a handoff has changed, has one of its own.
        """
        count = len(self._given)
        if items[:count] == self._given:
            conversation = await self._begun()
            history = [*self._stored, *items[count:]]
            if self._awaits_run or conversation.knows(history):
                self._awaits_run = False
                return conversation, history
        return None, items

    async def _begun(self) -> Conversation[Item]:
        if self._conversation is None:
            name = self.session_id
            self._conversation = self._compactor.conversation(name=name)
            if self._state_session is not None and not self._rewrites:
                try:
                    latest = await self._state_session.get_items(1)
                    state = json.loads(latest[-1]["content"]) if latest else None
                    self._conversation = self._compactor.conversation(state, name=name)
                except Exception as fault:  # noqa: BLE001  It can be made again from the items.
                    self._failed(fault)
            self._saved = self._conversation.state
        return self._conversation

    async def _save(self, conversation: Conversation[Item]) -> None:
        """Keep the state of a conversation, where it is new."""
        state = conversation.state
        if state is self._saved or self._state_session is None:
            return
        try:
            await self._state_session.clear_session()
            if state is not None:
                content = json.dumps(state.to_dict(), ensure_ascii=False)
                await self._state_session.add_items([{"role": "system", "content": content}])
            self._saved = state
        except Exception as fault:  # noqa: BLE001  As in `_begun`.
            self._failed(fault)

    async def _replace(self, before: list[Item], items: list[Item], more: dict[str, Any]) -> None:
        """Replace what is kept."""
        session = self.underlying_session
        async with self._writing:
            kept = await session.get_items(**more)
            if kept[: len(before)] != before:
                return
            try:
                await session.clear_session(**more)
                await session.add_items([*items, *kept[len(before) :]], **more)
            except Exception as fault:  # noqa: BLE001  As in `_begun`.
                self._failed(fault)
                if await session.get_items(**more) != kept:
                    await session.clear_session(**more)
                    await session.add_items(kept, **more)

    def _failed(self, fault: Exception) -> None:
        said = fault.to_dict() if isinstance(fault, TurnfoldDefect) else None
        message = f"a session failed with {type(fault).__name__}; the conversation goes on"
        body = said or {"code": "session_failed", "message": message, "details": {}}
        tell(self._compactor.observers, Event(FAILED, body, self.session_id))

    def _more(self, wrapper: object) -> dict[str, Any]:
        return {"wrapper": wrapper} if wrapper is not None and self._takes_wrapper else {}


def _require_plain(session: Session) -> None:
    if isinstance(session, OpenAIConversationsSession) or hasattr(session, "run_compaction"):
        name = type(session).__name__
        msg = f"{name} keeps or compacts its history itself; wrap the session that it is made of"
        raise InvalidConfiguration(msg, {"type": name})
