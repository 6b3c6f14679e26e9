"""browser-use's chat protocol with the run's budget in front of each call."""

from __future__ import annotations

from typing import Any

from browser_use.llm.base import BaseChatModel
from browser_use.llm.messages import BaseMessage
from browser_use.llm.views import ChatInvokeCompletion

from leadline.domain.budget import Budget


class BudgetedChat(BaseChatModel):
    """Passes calls on while the run may spend; else raises :class:`LimitReached`."""

    _verified_api_keys = True

    def __init__(self, chat: BaseChatModel, budget: Budget) -> None:
        self._chat = chat
        self._budget = budget
        self.model = chat.model

    @property
    def provider(self) -> str:
        """Who answers."""
        return self._chat.provider

    @property
    def name(self) -> str:
        """What a person calls the model."""
        return self._chat.name

    async def ainvoke(
        self, messages: list[BaseMessage], output_format: Any = None, **kwargs: Any
    ) -> ChatInvokeCompletion[Any]:
        """One call, if the budget allows it."""
        self._budget.check()
        answer: ChatInvokeCompletion[Any] = await self._chat.ainvoke(
            messages, output_format, **kwargs
        )
        return answer
