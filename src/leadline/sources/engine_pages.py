"""Search engines used as a person would: their result page is opened in the worker's browser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote_plus

from leadline.domain.config import SearchEngine
from leadline.errors import EgressRefused, PageBlocked, PageError, SearchBlocked, SearchUnavailable
from leadline.sources.base import OpenPage, SearchHit
from leadline.sources.result_html import ResultPage, parse_any, parse_bing, parse_duckduckgo
from leadline.sources.urls import host_of

_REFUSALS = frozenset({401, 403, 418, 429, 503})


@dataclass(frozen=True, slots=True)
class EnginePage:
    """A back end that is a result page: an address with ``{query}`` and a parser for it."""

    engine: SearchEngine
    label: str
    template: str
    parse: Callable[[str, str], ResultPage]
    site_operator: bool = True
    says_when_none: bool = False
    """Whether the parser knows the engine's words for "no results", so that a page with neither
    rows nor those words is one that cannot be read."""

    def address(self, query: str) -> str:
        """The result page for ``query``."""
        return self.template.replace("{query}", quote_plus(query))

    async def search(self, query: str, limit: int, *, open_page: OpenPage) -> list[SearchHit]:
        """See ``SearchBackend.search``."""
        address = self.address(query)
        try:
            page = await open_page(address)
        except PageBlocked as error:
            if error.reason == "not_found":
                raise SearchUnavailable(
                    f"{self.label} has no result page at its address."
                ) from error
            raise SearchBlocked(
                f"{self.label} refuses searches for now ({error.reason})."
            ) from error
        except PageError as error:
            why = str(error).rstrip(". ")
            raise SearchUnavailable(f"{self.label} did not answer ({why}).") from error
        except EgressRefused as error:
            raise SearchUnavailable(
                f"{self.label} is at an address that pages may not be read from;"
                " allow its host in allow_private_hosts."
            ) from error
        found = self.parse(page.html, page.url or address)
        if found.hits:
            return list(found.hits[:limit])
        if found.challenge:
            raise SearchBlocked(f"{self.label} asks whether we are a robot.")
        # DuckDuckGo answers a challenge with 202, so a status alone says little.
        if page.status in _REFUSALS:
            raise SearchBlocked(f"{self.label} refuses searches for now (HTTP {page.status}).")
        if page.status >= 400:
            raise SearchUnavailable(f"{self.label} answered with HTTP {page.status}.")
        if self.says_when_none and not found.says_none:
            raise SearchUnavailable(f"{self.label} shows a page that is not a list of results.")
        return []


def duckduckgo() -> EnginePage:
    """DuckDuckGo's page without scripts."""
    return EnginePage(
        engine=SearchEngine.DUCKDUCKGO,
        label="DuckDuckGo",
        template="https://html.duckduckgo.com/html/?q={query}",
        parse=parse_duckduckgo,
        says_when_none=True,
    )


def bing() -> EnginePage:
    """Bing's result page."""
    return EnginePage(
        engine=SearchEngine.BING,
        label="Bing",
        template="https://www.bing.com/search?q={query}",
        parse=parse_bing,
        says_when_none=True,
    )


def template_engine(template: str) -> EnginePage:
    """Any engine, by the address of its result page with ``{query}`` in it."""
    return EnginePage(
        engine=SearchEngine.TEMPLATE,
        label=f"The search at {host_of(template)}",
        template=template,
        parse=parse_any,
    )


def demo_engine(template: str) -> EnginePage:
    """The result page of the demo web; it knows no ``site:`` operator."""
    return EnginePage(
        engine=SearchEngine.DEMO,
        label="The demo web's search",
        template=template,
        parse=parse_any,
        site_operator=False,
    )
