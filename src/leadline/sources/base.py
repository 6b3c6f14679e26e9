"""What a search back end is: a query goes in, rows of title, address and snippet come out.

A hit says where to look. Its snippet is never evidence: only a page that was opened and stored is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from leadline.domain.config import SearchEngine


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One row of a result page; ``url`` is the page itself, never the engine's redirect to it."""

    title: str
    url: str
    snippet: str = ""
    date: str = ""
    """ISO date, as far as the engine shows one."""


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page as the browser shows it: the final address, HTTP status (0: unknown), its HTML."""

    url: str
    status: int
    html: str


OpenPage = Callable[[str], Awaitable[RenderedPage]]
"""Opens an address in the worker's browser. Raises ``PageError``, ``EgressRefused`` or
``BrowserError``."""


class SearchBackend(Protocol):
    """One way to search. It keeps no state about failures: the router decides what to try."""

    @property
    def engine(self) -> SearchEngine:
        """Which engine this is."""

    @property
    def label(self) -> str:
        """Its name for people, as in "DuckDuckGo"."""

    @property
    def site_operator(self) -> bool:
        """Whether ``site:example.org`` in a query narrows it."""

    async def search(self, query: str, limit: int, *, open_page: OpenPage) -> list[SearchHit]:
        """Up to ``limit`` hits, best first; an empty list when the engine knows nothing.

        Raises ``SearchBlocked`` (captcha, 429) or ``SearchUnavailable`` (no answer, or one that
        cannot be read), each with one sentence that begins with its name. ``BrowserError``
        passes through: a dead browser is not the engine's fault.
        """
