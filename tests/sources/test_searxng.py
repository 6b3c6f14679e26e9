"""SearXNG by its JSON API, with httpx's own transport double."""

from __future__ import annotations

import json
from collections.abc import Callable

import httpx
import pytest

from leadline.errors import SearchBlocked, SearchMisconfigured, SearchUnavailable
from leadline.sources.base import RenderedPage
from leadline.sources.searxng import SearxngBackend, parse_answer


async def no_page(url: str) -> RenderedPage:
    raise AssertionError("SearXNG opens no page in the browser")


def backend(
    answer: Callable[[httpx.Request], httpx.Response], base: str = "http://10.0.0.5:8888"
) -> SearxngBackend:
    return SearxngBackend(
        base_url=base, on_host=lambda host: None, transport=httpx.MockTransport(answer)
    )


async def test_rows_become_hits() -> None:
    """S0-28, S0-29"""
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        rows = [
            {"title": "A", "url": "https://a.example/", "content": "x\n y", "publishedDate": None},
            {"title": "B", "url": "https://b.example/", "publishedDate": "2024-03-05T10:00:00"},
            {"title": "no address"},
            "not a row",
        ]
        return httpx.Response(200, json={"results": rows})

    hits = await backend(answer, "http://10.0.0.5:8888/searx/").search("a b", 5, open_page=no_page)
    assert [(hit.title, hit.snippet, hit.date) for hit in hits] == [
        ("A", "x y", ""),
        ("B", "", "2024-03-05"),
    ]
    assert asked[0].url.path == "/searx/search"
    assert dict(asked[0].url.params) == {"q": "a b", "format": "json"}


async def test_json_switched_off_says_how_to_switch_it_on() -> None:
    for response in (
        httpx.Response(403),
        httpx.Response(200, html="<html>results</html>"),
    ):
        with pytest.raises(SearchMisconfigured, match=r"search\.formats in its settings\.yml"):
            await backend(lambda request, r=response: r).search("x", 5, open_page=no_page)


async def test_too_many_requests_is_a_block() -> None:
    with pytest.raises(SearchBlocked):
        await backend(lambda request: httpx.Response(429)).search("x", 5, open_page=no_page)


@pytest.mark.parametrize("error", [httpx.ConnectError("no"), httpx.ReadTimeout("slow")])
async def test_an_instance_that_is_down_is_named(error: httpx.HTTPError) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise error

    with pytest.raises(SearchUnavailable, match=r"10\.0\.0\.5:8888"):
        await backend(answer).search("x", 5, open_page=no_page)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"results": 3}', b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_answer_is_said(body: bytes) -> None:
    with pytest.raises(SearchUnavailable):
        parse_answer(body)


def test_no_rows_because_its_engines_are_down_is_not_an_empty_answer() -> None:
    assert parse_answer(json.dumps({"results": []}).encode()) == []
    with pytest.raises(SearchUnavailable, match="none of its search engines"):
        parse_answer(json.dumps({"results": [], "unresponsive_engines": [["bing", "x"]]}).encode())


async def test_an_endless_answer_is_cut_and_refused() -> None:
    """safety 47"""
    big = b'{"results": [' + b" " * 6_000_000 + b"]}"
    with pytest.raises(SearchUnavailable):
        await backend(lambda request: httpx.Response(200, content=big)).search(
            "x", 5, open_page=no_page
        )
