"""What every chat model of Leadline can do, whatever is behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Protocol, TypeVar

from leadline.domain.events import ModelCalled
from leadline.models.requests import ModelRequest, TextRequest

R = TypeVar("R")

OnCall = Callable[[ModelCalled], None]
"""Told once of each model call when it is over, well or not. It must not raise."""


class Model(Protocol):
    """A chat model: typed questions get typed answers, text is streamed.

    Every method raises a :class:`~leadline.errors.ModelError` when it fails for good:
    ``ModelUnavailable`` (nobody answers), ``ModelRejected`` (key, model name or request refused),
    ``ModelAnswerInvalid`` (an answer that could not be read).
    """

    @property
    def name(self) -> str:
        """What a person calls it, for example ``gpt-5-mini`` or ``offline``."""

    @property
    def host(self) -> str:
        """``host:port`` that its calls go to; empty when it needs no network."""

    async def ask(self, request: ModelRequest[R]) -> R:
        """Put one question and return its parsed answer."""

    def write(self, request: TextRequest) -> AsyncIterator[str]:
        """Stream the text, free of think sections and tool-call text.

        An empty text is a ``ModelAnswerInvalid``; pieces that were given out already stay valid.
        """

    async def check(self) -> None:
        """One tiny call; returns when the model answers and raises a ``ModelError`` otherwise."""

    async def aclose(self) -> None:
        """Close its connections; calls under way end with ``ModelUnavailable``."""
