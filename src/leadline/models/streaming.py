"""One streamed answer, read piece by piece under its time limits, free of think sections.

The whole answer may take ``seconds``; so may the silence before its first piece. When the time is
up after something was shown, the stream ends where it is and ``ended_early`` says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

from leadline.models.content import text_of
from leadline.models.think import ThinkFilter

_LONGEST_SILENCE = 60.0
_MOST_HIDDEN_CHARS = 400_000


class OpenStream:
    """A stream of LangChain chunks; ``usage`` is what the endpoint counted, if it did."""

    def __init__(self, chunks: AsyncIterator[Any], seconds: float) -> None:
        self._chunks = chunks
        self._filter = ThinkFilter()
        self._seconds = seconds
        self._deadline = asyncio.get_running_loop().time() + seconds
        self._over = False
        self._hidden = 0
        self.first = ""
        self.seen = ""
        self.usage: Any = None
        self.ended_early = ""

    async def start(self) -> None:
        """Read until something visible came or the stream ended."""
        while not self.first and not self._over:
            self.first = await self._piece(self._deadline) or ""

    async def next(self) -> str | None:
        """The next visible piece (it may be empty), or None at the end."""
        if self._over:
            return None
        now = asyncio.get_running_loop().time()
        if now >= self._deadline:
            self._stop("cut at the time limit")
            return None
        try:
            return await self._piece(min(self._deadline, now + _LONGEST_SILENCE))
        except TimeoutError:
            if asyncio.get_running_loop().time() >= self._deadline:
                self._stop("cut at the time limit")
                return None
            raise

    async def aclose(self) -> None:
        """Let go of the connection."""
        if isinstance(self._chunks, AsyncGenerator):
            await self._chunks.aclose()

    async def _piece(self, until: float) -> str | None:
        async with asyncio.timeout_at(until):
            chunk = await anext(self._chunks, None)
        if chunk is None:
            self._over = True
            return self._shown(self._filter.close()) or None
        if chunk.usage_metadata:
            self.usage = chunk.usage_metadata
        text = text_of(chunk.content)
        piece = self._shown(self._filter.feed(text))
        self._hidden += len(text) - len(piece)
        if self._hidden > _MOST_HIDDEN_CHARS:
            self._stop("cut: it thought without end")
        return piece

    def _shown(self, piece: str) -> str:
        self.seen += piece
        return piece

    def _stop(self, reason: str) -> None:
        self._over = True
        self.ended_early = reason
