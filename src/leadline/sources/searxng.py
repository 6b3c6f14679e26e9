"""A SearXNG instance by its JSON API. Its address is the user's own and may be private."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

import httpx

from leadline.domain.config import SearchEngine
from leadline.errors import SearchBlocked, SearchMisconfigured, SearchUnavailable
from leadline.sources.base import OpenPage, SearchHit
from leadline.sources.urls import host_of

_SECONDS = 15.0
_BYTES_MOST = 5_000_000
_NO_JSON = (
    "SearXNG does not give JSON; add json to search.formats in its settings.yml and restart it."
)


@dataclass(frozen=True, slots=True)
class SearxngBackend:
    """``base_url`` as configured; ``on_host`` is told of the host before it is contacted."""

    base_url: str
    on_host: Callable[[str], None]
    transport: httpx.AsyncBaseTransport | None = None
    """In place of the network, for tests."""

    engine: SearchEngine = SearchEngine.SEARXNG
    label: str = "SearXNG"
    site_operator: bool = True

    async def search(self, query: str, limit: int, *, open_page: OpenPage) -> list[SearchHit]:
        """See ``SearchBackend.search``; ``open_page`` is not used."""
        self.on_host(host_of(self.base_url))
        try:
            status, kind, body = await self._fetch(query)
        except httpx.TimeoutException as error:
            raise SearchUnavailable(
                f"SearXNG at {self._place} did not answer within {_SECONDS:.0f} s."
            ) from error
        except httpx.HTTPError as error:
            raise SearchUnavailable(
                f"SearXNG at {self._place} cannot be reached; check that it runs."
            ) from error
        if status == HTTPStatus.FORBIDDEN:
            raise SearchMisconfigured(_NO_JSON)
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            raise SearchBlocked("SearXNG refuses searches for now (HTTP 429).")
        if status != HTTPStatus.OK:
            raise SearchUnavailable(f"SearXNG at {self._place} answered with HTTP {status}.")
        if "html" in kind:
            raise SearchMisconfigured(_NO_JSON)
        return parse_answer(body)[:limit]

    @property
    def _place(self) -> str:
        return urlsplit(self.base_url).netloc

    async def _fetch(self, query: str) -> tuple[int, str, bytes]:
        """Status, content type and body, cut off (and so unreadable) beyond the size limit."""
        address = self.base_url.rstrip("/").removesuffix("/search") + "/search"
        async with (
            httpx.AsyncClient(transport=self.transport, timeout=_SECONDS) as client,
            client.stream("GET", address, params={"q": query, "format": "json"}) as response,
        ):
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > _BYTES_MOST:
                    break
            return (
                response.status_code,
                response.headers.get("content-type", ""),
                bytes(body[:_BYTES_MOST]),
            )


def parse_answer(body: bytes) -> list[SearchHit]:
    """The hits of a JSON answer; raises ``SearchUnavailable`` when it is none."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise SearchUnavailable("SearXNG gave an answer that is not JSON.") from error
    if not isinstance(answer, dict) or not isinstance(answer.get("results"), list):
        raise SearchUnavailable("SearXNG gave an answer without a list of results.")
    hits = [_hit(row) for row in answer["results"] if isinstance(row, dict)]
    found = [hit for hit in hits if hit.url and hit.title]
    if not found and answer.get("unresponsive_engines"):
        raise SearchUnavailable("SearXNG reached none of its search engines.")
    return found


def _hit(row: Mapping[str, object]) -> SearchHit:
    return SearchHit(
        title=_line(row.get("title")),
        url=_line(row.get("url")),
        snippet=_line(row.get("content")),
        date=_line(row.get("publishedDate"))[:10],
    )


def _line(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
