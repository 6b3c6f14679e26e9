"""The ddgs library as a back end; the library itself is replaced, it would need the web."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest
from ddgs.ddgs import ENGINES
from ddgs.exceptions import DDGSException

from leadline.errors import SearchUnavailable
from leadline.sources.base import RenderedPage
from leadline.sources.ddgs_backend import ENGINE_HOSTS, DdgsBackend, Row


async def no_page(url: str) -> RenderedPage:
    raise AssertionError("ddgs opens no page in the browser")


def test_the_library_knows_every_engine_that_we_name() -> None:
    assert set(ENGINE_HOSTS) <= set(ENGINES["text"])
    for name, host in ENGINE_HOSTS.items():
        assert f"//{host}/" in ENGINES["text"][name].search_url


async def test_engines_are_asked_in_turn_and_each_host_is_noted_before() -> None:
    """safety 22: the log lists every host."""
    hosts: list[str] = []

    def text(query: str, engine: str, limit: int) -> Sequence[Row]:
        if engine == "duckduckgo":
            raise DDGSException("RequestError: connection refused")
        return [{"title": "A  page", "href": "https://a.example/", "body": "text"}, {"title": "no"}]

    hits = await DdgsBackend(on_host=hosts.append, text_search=text).search(
        "x", 5, open_page=no_page
    )
    assert [(hit.title, hit.url, hit.snippet) for hit in hits] == [
        ("A page", "https://a.example/", "text")
    ]
    assert hosts == ["html.duckduckgo.com", "search.brave.com"]


async def test_an_empty_answer_is_none_and_no_answer_is_unavailable() -> None:
    def empty(query: str, engine: str, limit: int) -> Sequence[Row]:
        raise DDGSException("No results found.")

    def broken(query: str, engine: str, limit: int) -> Sequence[Row]:
        raise DDGSException("RequestError")

    backend = DdgsBackend(on_host=lambda host: None, text_search=empty)
    assert await backend.search("x", 5, open_page=no_page) == []
    backend = DdgsBackend(on_host=lambda host: None, text_search=broken)
    with pytest.raises(SearchUnavailable, match=r"^ddgs"):
        await backend.search("x", 5, open_page=no_page)


async def test_an_engine_that_hangs_costs_its_own_time_only() -> None:
    release = threading.Event()

    def hangs(query: str, engine: str, limit: int) -> Sequence[Row]:
        if engine == "duckduckgo":
            release.wait(10)
        return [{"title": "A", "href": "https://a.example/", "body": ""}]

    backend = DdgsBackend(on_host=lambda host: None, text_search=hangs, engine_seconds=0.05)
    try:
        assert len(await backend.search("x", 5, open_page=no_page)) == 1
    finally:
        release.set()
