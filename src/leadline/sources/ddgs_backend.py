"""The ``ddgs`` library: result pages fetched without a browser, from one engine after another.

It connects on its own, past the egress proxy, to the addresses of these search engines alone.
Engines are asked one at a time, so that the log names each host that was contacted and a stop
takes effect between two of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from leadline.domain.config import SearchEngine
from leadline.errors import SearchUnavailable
from leadline.sources.base import OpenPage, SearchHit

ENGINE_HOSTS: Mapping[str, str] = {
    "duckduckgo": "html.duckduckgo.com",
    "brave": "search.brave.com",
    "mojeek": "www.mojeek.com",
    "yahoo": "search.yahoo.com",
    "startpage": "www.startpage.com",
}
"""Which engines of the library are asked, in order, and where each one is."""

_CONNECTION_SECONDS = 5
_ENGINE_SECONDS = 8.0

Row = Mapping[str, object]
TextSearch = Callable[[str, str, int], Sequence[Row]]
"""``(query, engine, limit) -> rows`` with ``title``, ``href``, ``body``. Blocking."""


@dataclass(frozen=True, slots=True)
class DdgsBackend:
    """The library as a back end; ``on_host`` is told of each host before it is contacted."""

    on_host: Callable[[str], None]
    text_search: TextSearch | None = None
    """In place of the library, for tests."""
    engine_seconds: float = _ENGINE_SECONDS

    engine: SearchEngine = SearchEngine.DDGS
    label: str = "ddgs"
    site_operator: bool = True

    async def search(self, query: str, limit: int, *, open_page: OpenPage) -> list[SearchHit]:
        """See ``SearchBackend.search``; ``open_page`` is not used."""
        from ddgs.exceptions import DDGSException

        text_search = self.text_search or _library_search
        answered = False
        for name, host in ENGINE_HOSTS.items():
            self.on_host(host)
            try:
                async with asyncio.timeout(self.engine_seconds):
                    rows = await asyncio.to_thread(text_search, query, name, limit)
            except TimeoutError:
                continue
            except DDGSException as error:
                # The library says the same for an empty list and for a refusal (HTTP 429); the
                # router rests a back end that stays empty.
                answered = answered or str(error).startswith("No results found")
                continue
            answered = True
            if hits := _hits(rows):
                return hits[:limit]
        if answered:
            return []
        raise SearchUnavailable("ddgs reached none of its search engines.")


def _library_search(query: str, engine: str, limit: int) -> Sequence[Row]:
    from ddgs import DDGS

    rows: Sequence[Row] = DDGS(timeout=_CONNECTION_SECONDS).text(
        query, max_results=limit, backend=engine
    )
    return rows


def _hits(rows: Sequence[Row]) -> list[SearchHit]:
    return [
        SearchHit(
            title=_line(row.get("title")),
            url=_line(row.get("href")),
            snippet=_line(row.get("body")),
        )
        for row in rows
        if row.get("href") and row.get("title")
    ]


def _line(value: object) -> str:
    return " ".join(str(value or "").split())
