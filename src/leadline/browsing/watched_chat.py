"""The chat of a worker, watched: a stop holds it back, and errors that end the run are kept.

browser-use's agent takes every exception of a step for a failure of that step and goes on. An
error that no further call could mend must not be lost that way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from browser_use.llm.base import BaseChatModel
from browser_use.llm.messages import BaseMessage
from browser_use.llm.views import ChatInvokeCompletion

from leadline.browsing.card import WorkerCard
from leadline.browsing.state import WorkerState
from leadline.errors import LimitReached, ModelRejected, ModelUnavailable


class WatchedChat(BaseChatModel):
    """Passes each call on to ``chat``, unless the worker is to stop."""

    _verified_api_keys = True

    def __init__(
        self,
        chat: BaseChatModel,
        *,
        state: WorkerState,
        card: WorkerCard,
        should_stop: Callable[[], bool],
    ) -> None:
        self._chat = chat
        self._state = state
        self._card = card
        self._should_stop = should_stop
        self.model = chat.model
        self.calls = 0

    @property
    def provider(self) -> str:
        """As the chat says, but never the name that makes browser-use change its own settings."""
        return "leadline" if self._chat.provider == "browser-use" else self._chat.provider

    @property
    def name(self) -> str:
        """The chat's name."""
        return self._chat.name

    @property
    def model_name(self) -> str:
        """The chat's model."""
        return self.model

    async def ainvoke(
        self, messages: list[BaseMessage], output_format: Any = None, **kwargs: Any
    ) -> ChatInvokeCompletion[Any]:
        """One model call. Raises ``InterruptedError`` instead of calling when it is to stop."""
        if self._should_stop() or self._state.fatal is not None:
            raise InterruptedError
        self._card.moved("thinking")
        self.calls += 1
        try:
            answer: ChatInvokeCompletion[Any] = await self._chat.ainvoke(
                messages, output_format, **kwargs
            )
        except (LimitReached, ModelRejected, ModelUnavailable) as error:
            self._state.fatal = error
            raise
        return answer
