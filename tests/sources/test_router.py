"""One search over several back ends."""

from __future__ import annotations

import asyncio

import pytest

from leadline.domain.config import SearchEngine
from leadline.domain.events import Notice, SearchDone
from leadline.errors import (
    BrowserFailed,
    SearchBlocked,
    SearchError,
    SearchMisconfigured,
    SearchUnavailable,
)
from leadline.sources.base import OpenPage, RenderedPage, SearchHit
from leadline.sources.router import (
    BLOCKED_SECONDS,
    EMPTY_ANSWERS_MOST,
    UNAVAILABLE_SECONDS,
    SearchRouter,
    clean_query,
)
from tests.doubles import MemoryRun


async def open_page(url: str) -> RenderedPage:
    return RenderedPage(url=url, status=200, html="")


class FakeBackend:
    """Answers with what is set: hits, or an error."""

    site_operator = True

    def __init__(self, engine: SearchEngine, *urls: str, error: Exception | None = None) -> None:
        self.engine = engine
        self.label = engine.value.title()
        self.urls = urls
        self.error = error
        self.queries: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def search(self, query: str, limit: int, *, open_page: OpenPage) -> list[SearchHit]:
        self.queries.append(query)
        await self.gate.wait()
        if self.error:
            raise self.error
        return [SearchHit(title=url, url=url) for url in self.urls]


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Bench:
    """A router over fakes, with its log and clock."""

    def __init__(
        self,
        *backends: FakeBackend,
        only_domains: tuple[str, ...] = (),
        without_domains: tuple[str, ...] = (),
    ) -> None:
        self.run = MemoryRun()
        self.clock = Clock()
        self.router = SearchRouter(
            backends,
            sink=self.run,
            clock=self.clock,
            only_domains=only_domains,
            without_domains=without_domains,
        )

    async def urls(self, query: str, limit: int = 5) -> list[str]:
        hits = await self.router.search(query, limit, open_page=open_page, task="t1")
        return [hit.url for hit in hits]

    @property
    def notices(self) -> list[str]:
        return [e.message for e in self.run.of(Notice) if isinstance(e, Notice)]

    @property
    def done(self) -> list[tuple[str, int, bool]]:
        return [
            (e.engine, e.results, e.cached)
            for e in self.run.of(SearchDone)
            if isinstance(e, SearchDone)
        ]


A, B = "https://a.example/", "https://b.example/"


def blocked() -> SearchBlocked:
    return SearchBlocked("Bing asks whether we are a robot.")


async def test_the_first_back_end_that_answers_is_used_and_said() -> None:
    first, second = FakeBackend(SearchEngine.BING, A), FakeBackend(SearchEngine.DDGS, B)
    bench = Bench(first, second)
    assert await bench.urls("tides") == [A]
    assert second.queries == []
    assert bench.done == [("bing", 1, False)]
    assert bench.notices == []


async def test_a_captcha_falls_back_and_the_log_says_so() -> None:
    """S0-29, users.md "search engine shows a captcha" """
    first = FakeBackend(SearchEngine.BING, error=blocked())
    bench = Bench(first, FakeBackend(SearchEngine.DDGS, B))
    assert await bench.urls("one") == [B]
    assert bench.notices == ["Bing asks whether we are a robot.", "Searching with Ddgs instead."]
    assert await bench.urls("two") == [B]
    assert first.queries == ["one"]
    assert len(bench.notices) == 2


async def test_a_block_rests_longer_each_time_and_is_forgotten_after_an_answer() -> None:
    """S3-19, W3-11: a rest has an end."""
    first = FakeBackend(SearchEngine.BING, A, error=blocked())
    bench = Bench(first, FakeBackend(SearchEngine.DDGS, B))
    await bench.urls("one")
    bench.clock.now += BLOCKED_SECONDS + 1
    await bench.urls("two")
    assert first.queries == ["one", "two"]
    bench.clock.now += BLOCKED_SECONDS + 1
    await bench.urls("three")
    assert first.queries == ["one", "two"]
    bench.clock.now += BLOCKED_SECONDS
    first.error = None
    assert await bench.urls("four") == [A]
    first.error = blocked()
    await bench.urls("five")
    bench.clock.now += BLOCKED_SECONDS + 1
    await bench.urls("six")
    assert first.queries[-1] == "six"


async def test_what_does_not_answer_rests_a_minute_and_is_still_the_last_resort() -> None:
    down = SearchUnavailable("Bing did not answer.")
    first = FakeBackend(SearchEngine.BING, A, error=down)
    second = FakeBackend(SearchEngine.DDGS, B)
    bench = Bench(first, second)
    await bench.urls("one")
    await bench.urls("two")
    assert first.queries == ["one"]
    bench.clock.now += UNAVAILABLE_SECONDS + 1
    first.error = None
    assert await bench.urls("three") == [A]
    # Both fail: the resting one is asked all the same, for it is better than nothing.
    first.error = down
    await bench.urls("four")
    first.error, second.error = None, blocked()
    assert await bench.urls("five") == [A]


async def test_what_is_set_up_wrongly_is_not_asked_again() -> None:
    """S3-19, W3-11: unrecoverable errors disable it, for this run alone."""
    first = FakeBackend(SearchEngine.SEARXNG, A, error=SearchMisconfigured("SearXNG: no JSON."))
    bench = Bench(first, FakeBackend(SearchEngine.DDGS, B))
    await bench.urls("one")
    bench.clock.now += 1e6
    first.error = None
    assert await bench.urls("two") == [B]
    assert await Bench(first).urls("two") == [A], "another run asks it again"


@pytest.mark.parametrize("words", ["HTTP 403", "no credit left", "the certificate has expired"])
async def test_w3_11_words_of_a_message_disable_nothing(words: str) -> None:
    """The type of an error decides, and how long."""
    first = FakeBackend(SearchEngine.BING, A, error=SearchUnavailable(f"Bing: {words}."))
    bench = Bench(first, FakeBackend(SearchEngine.DDGS, B))
    await bench.urls("one")
    first.error = None
    bench.clock.now += UNAVAILABLE_SECONDS + 1
    assert await bench.urls("two") == [A]


async def test_when_all_fail_one_sentence_names_each_and_why() -> None:
    bench = Bench(
        FakeBackend(SearchEngine.BING, error=blocked()),
        FakeBackend(SearchEngine.DDGS, error=SearchUnavailable("ddgs reached none.")),
    )
    for query in ("one", "two"):
        with pytest.raises(SearchUnavailable) as caught:
            await bench.urls(query)
        text = str(caught.value)
        assert "Bing asks whether we are a robot (rests for 300 s)" in text
        assert "ddgs reached none" in text
    assert bench.done == []


async def test_an_empty_answer_is_no_error_and_one_more_back_end_is_asked() -> None:
    """S0-19: nothing found is not a failure."""
    backends = [FakeBackend(e) for e in (SearchEngine.BING, SearchEngine.DDGS, SearchEngine.DEMO)]
    bench = Bench(*backends)
    assert await bench.urls("zxqv") == []
    assert [len(backend.queries) for backend in backends] == [1, 1, 0]
    assert bench.done == [("bing", 0, False)]
    found = Bench(FakeBackend(SearchEngine.BING), FakeBackend(SearchEngine.DDGS, B))
    assert await found.urls("tides") == [B]


async def test_an_empty_answer_stands_when_the_others_fail() -> None:
    bench = Bench(FakeBackend(SearchEngine.BING), FakeBackend(SearchEngine.DDGS, error=blocked()))
    assert await bench.urls("zxqv") == []


async def test_a_back_end_that_stays_empty_is_rested() -> None:
    """S3-19: a breaker for empty results."""
    first = FakeBackend(SearchEngine.BING)
    bench = Bench(first, FakeBackend(SearchEngine.DDGS, B))
    for number in range(EMPTY_ANSWERS_MOST + 3):
        await bench.urls(f"query {number}")
    assert len(first.queries) == EMPTY_ANSWERS_MOST


async def test_the_same_query_is_sent_once_a_run() -> None:
    """users.md "repeat the same searches" """
    backend = FakeBackend(SearchEngine.BING, A, B)
    bench = Bench(backend)
    assert await bench.urls("Tidal  ferry") == [A, B]
    assert await bench.urls("tidal ferry ", limit=1) == [A]
    assert len(backend.queries) == 1
    assert bench.done == [("bing", 2, False), ("bing", 1, True)]


async def test_workers_that_ask_at_once_share_one_search() -> None:
    backend = FakeBackend(SearchEngine.BING, A)
    backend.gate.clear()
    bench = Bench(backend)
    tasks = [asyncio.create_task(bench.urls("tides")) for _ in range(3)]
    await asyncio.sleep(0)
    backend.gate.set()
    assert await asyncio.gather(*tasks) == [[A]] * 3
    assert len(backend.queries) == 1


async def test_a_cancelled_worker_does_not_take_the_others_with_it() -> None:
    backend = FakeBackend(SearchEngine.BING, A)
    backend.gate.clear()
    bench = Bench(backend)
    first = asyncio.create_task(bench.urls("tides"))
    second = asyncio.create_task(bench.urls("tides"))
    await asyncio.sleep(0)
    first.cancel()
    backend.gate.set()
    assert await second == [A]
    assert first.cancelled()


async def test_duplicates_and_what_is_no_page_are_dropped() -> None:
    """S0-30"""
    bench = Bench(
        FakeBackend(
            SearchEngine.BING,
            "https://a.example/x?utm_source=s",
            "http://www.a.example/x/",
            "javascript:alert(1)",
            "https://user:pw@b.example/",
            B,
        )
    )
    assert await bench.urls("tides") == ["https://a.example/x?utm_source=s", B]


async def test_only_the_wanted_sites_come_back() -> None:
    """users.md "no domain filter": scopes are hard."""
    backend = FakeBackend(SearchEngine.BING, A, "https://news.b.example/1", B)
    bench = Bench(backend, only_domains=("https://www.b.example",))
    assert await bench.urls("tides") == ["https://news.b.example/1", B]
    assert backend.queries == ["tides site:b.example"]
    excluding = Bench(FakeBackend(SearchEngine.BING, A, B), without_domains=("b.example",))
    assert await excluding.urls("tides") == [A]


@pytest.mark.parametrize("query", ["", "   ", "\n\t\x00"])
async def test_an_empty_query_is_said(query: str) -> None:
    bench = Bench(FakeBackend(SearchEngine.BING, A))
    with pytest.raises(SearchUnavailable, match="query is empty"):
        await bench.urls(query)


def test_a_query_is_one_line_of_bounded_length() -> None:
    """safety 48"""
    assert clean_query(" a\n\x07b\ud800 c") == "a b c"
    assert len(clean_query("x" * 1_000_000)) == 400


async def test_a_dead_browser_passes_through_and_costs_the_engine_nothing() -> None:
    backend = FakeBackend(SearchEngine.BING, A, error=BrowserFailed("gone"))
    bench = Bench(backend)
    with pytest.raises(BrowserFailed):
        await bench.urls("tides")
    backend.error = None
    assert await bench.urls("tides") == [A]


async def test_only_search_errors_count_as_failures_of_an_engine() -> None:
    assert issubclass(SearchMisconfigured, SearchError)
    backend = FakeBackend(SearchEngine.BING, error=RuntimeError("a bug"))
    with pytest.raises(RuntimeError):
        await Bench(backend).urls("tides")
