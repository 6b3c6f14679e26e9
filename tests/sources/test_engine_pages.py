"""Search engines opened in the browser."""

from __future__ import annotations

import pytest

from leadline.errors import (
    BrowserFailed,
    EgressRefused,
    PageBlocked,
    PageUnreadable,
    SearchBlocked,
    SearchUnavailable,
)
from leadline.sources.base import OpenPage, RenderedPage
from leadline.sources.engine_pages import bing, duckduckgo, template_engine
from tests.sources import pages


def shows(html: str, status: int = 200) -> OpenPage:
    async def open_page(url: str) -> RenderedPage:
        return RenderedPage(url=url, status=status, html=html)

    return open_page


def fails(error: Exception) -> OpenPage:
    async def open_page(url: str) -> RenderedPage:
        raise error

    return open_page


def test_the_query_is_quoted_into_the_address() -> None:
    assert bing().address("a&b=c #1 中") == "https://www.bing.com/search?q=a%26b%3Dc+%231+%E4%B8%AD"


async def test_hits_are_cut_at_the_limit() -> None:
    rows = [pages.bing_row(f"Page {n}", f"https://a{n}.example/", "text") for n in range(8)]
    hits = await bing().search("x", 3, open_page=shows(pages.bing_page(*rows)))
    assert [hit.title for hit in hits] == ["Page 0", "Page 1", "Page 2"]


async def test_no_results_is_an_answer() -> None:
    assert await duckduckgo().search("x", 5, open_page=shows(pages.DUCKDUCKGO_NONE)) == []


@pytest.mark.parametrize(
    ("html", "status"),
    [
        (pages.DUCKDUCKGO_CHALLENGE, 202),
        ("<html><body>no</body></html>", 429),
        ("<html><body>no</body></html>", 403),
    ],
)
async def test_a_captcha_or_a_refusal_is_a_block(html: str, status: int) -> None:
    with pytest.raises(SearchBlocked, match=r"^DuckDuckGo"):
        await duckduckgo().search("x", 5, open_page=shows(html, status))


async def test_a_page_that_is_no_result_list_is_not_taken_for_an_empty_one() -> None:
    with pytest.raises(SearchUnavailable, match="not a list of results"):
        await duckduckgo().search("x", 5, open_page=shows("<html><body>Welcome</body></html>"))


async def test_a_server_error_is_unavailable() -> None:
    with pytest.raises(SearchUnavailable, match="HTTP 500"):
        await bing().search("x", 5, open_page=shows("<html><body>oops</body></html>", 500))


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (PageBlocked("The page asks for a captcha.", reason="captcha"), SearchBlocked),
        (PageBlocked("The page is gone.", reason="not_found"), SearchUnavailable),
        (PageUnreadable("It took longer than 25 s."), SearchUnavailable),
        (EgressRefused("A private address."), SearchUnavailable),
    ],
)
async def test_a_page_that_fails_is_a_search_that_fails(
    error: Exception, expected: type[Exception]
) -> None:
    with pytest.raises(expected) as caught:
        await bing().search("x", 5, open_page=fails(error))
    assert str(caught.value).startswith("Bing ")
    assert "\n" not in str(caught.value)


async def test_a_dead_browser_is_not_the_fault_of_the_engine() -> None:
    with pytest.raises(BrowserFailed):
        await bing().search("x", 5, open_page=fails(BrowserFailed("gone")))


async def test_a_template_is_named_by_its_host() -> None:
    engine = template_engine("https://find.example.net/s?q={query}")
    with pytest.raises(SearchBlocked, match=r"find\.example\.net"):
        await engine.search("x", 5, open_page=shows("<p>Are you a robot?</p>"))
