"""One page store a run: read once, failures remembered, walls kept out (users.md "Browsing")."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from leadline.browsing.egress import EgressGuard
from leadline.browsing.egress_rules import AddressRules
from leadline.browsing.pages import PER_HOST, RETRY_SECONDS, PageReader, normalise_url
from leadline.browsing.tabs import TabResult
from leadline.domain.events import PageFailed, PageRead
from leadline.domain.evidence import SourceKind
from leadline.domain.limits import Limits
from leadline.errors import EgressRefused, PageBlocked, PageUnreadable
from tests.browsing.web import Answer, serving, small_pdf
from tests.doubles import MemoryRun

TEXT = " ".join(f"Sentence {i} tells of the harbour and its boats." for i in range(12))


def html(text: str = TEXT, title: str = "Harbour") -> str:
    head = f"<head><title>{title}</title></head>"
    return (
        f"<html lang=en>{head}<body><article><h1>{title}</h1><p>{text}</p></article></body></html>"
    )


@dataclass
class FakeTabs:
    """A browser that answers from a function; counts what was opened."""

    answer: Callable[[str], TabResult | Exception] = lambda url: TabResult(url, 200, html())
    opened: list[str] = field(default_factory=list)
    busy: int = 0
    peak: int = 0
    gate: asyncio.Event | None = None
    current: TabResult | None = None

    async def read_tab(self, url: str) -> TabResult:
        self.opened.append(url)
        self.busy += 1
        self.peak = max(self.peak, self.busy)
        try:
            if self.gate:
                await self.gate.wait()
            await asyncio.sleep(0)
            result = self.answer(url)
        finally:
            self.busy -= 1
        if isinstance(result, Exception):
            raise result
        return result

    async def current_page(self) -> TabResult:
        assert self.current is not None
        return self.current


def reader(run: MemoryRun, guard: EgressGuard | None = None, **options: object) -> PageReader:
    return PageReader(
        shelf=run,
        guard=guard or EgressGuard(AddressRules()),
        limits=Limits(),
        sink=run,
        **options,  # type: ignore[arg-type]
    )


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leadline.browsing.pages._RETRY_PAUSE", 0)


async def test_a_page_becomes_a_source_with_passages() -> None:
    run, tabs = MemoryRun(), FakeTabs()
    snapshot = await reader(run).read("https://A.example/x?utm_source=n#part", tabs, task="t1")
    assert snapshot.source.url == "https://a.example/x"
    assert snapshot.source.title == "Harbour"
    assert snapshot.source.language == "en"
    assert snapshot.passages[0].text == "Sentence 0 tells of the harbour and its boats."
    assert snapshot.passages[0].heading == "Harbour"
    assert tabs.opened == ["https://a.example/x"]


async def test_the_same_page_is_opened_once_for_all_tasks() -> None:
    """S3-22, W3-9: the store is asked inside the tool."""
    run, tabs = MemoryRun(), FakeTabs()
    pages = reader(run)
    first, second = await asyncio.gather(
        pages.read("https://a.example/x", tabs, task="t1"),
        pages.read("https://a.example/x#y", tabs, task="t2"),
    )
    third = await pages.read("https://a.example/x?fbclid=1", tabs, task="t3")
    assert first == second == third
    assert len(tabs.opened) == 1
    assert [(task, e.cached) for task, e in run.events if isinstance(e, PageRead)] == [
        ("t1", False),
        ("t2", True),
        ("t3", True),
    ]


async def test_a_redirect_is_known_by_both_addresses() -> None:
    run = MemoryRun()
    tabs = FakeTabs(lambda url: TabResult("https://b.example/final", 200, html()))
    pages = reader(run)
    snapshot = await pages.read("https://a.example/old", tabs, task="t1")
    assert snapshot.source.url == "https://b.example/final"
    assert snapshot.source.requested_url == "https://a.example/old"
    await pages.read("https://b.example/final", tabs, task="t1")
    await pages.read("https://a.example/old", tabs, task="t1")
    assert len(tabs.opened) == 1


async def test_a_stopped_worker_does_not_take_the_page_from_another() -> None:
    run, tabs = MemoryRun(), FakeTabs(gate=asyncio.Event())
    pages = reader(run)
    leader = asyncio.create_task(pages.read("https://a.example/x", tabs, task="t1"))
    await asyncio.sleep(0)
    follower = asyncio.create_task(pages.read("https://a.example/x", tabs, task="t2"))
    for _ in range(3):
        await asyncio.sleep(0)
    leader.cancel()
    assert tabs.gate is not None
    tabs.gate.set()
    assert (await follower).source.url == "https://a.example/x"
    with pytest.raises(asyncio.CancelledError):
        await leader


async def test_failures_are_remembered_and_told_once_a_task() -> None:
    run = MemoryRun()
    tabs = FakeTabs(lambda url: PageUnreadable("The page crashed its tab."))
    pages = reader(run)
    for task in ("t1", "t1", "t2"):
        with pytest.raises(PageUnreadable):
            await pages.read("https://a.example/x", tabs, task=task)
    assert len(tabs.opened) == 1
    assert [(task, e.reason) for task, e in run.events if isinstance(e, PageFailed)] == [
        ("t1", "The page crashed its tab."),
        ("t2", "The page crashed its tab."),
    ]
    assert run.snapshots == {}


class Clock:
    """Time that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


PASSING = [
    PageUnreadable("The page did not come up within 20 seconds.", transient=True),
    TabResult("", 429, html()),
    TabResult("", 503, html()),
]
LASTING = [
    PageUnreadable("The page crashed its tab."),
    TabResult("", 404, html()),
    TabResult("", 403, html()),
    TabResult("", 200, "<body></body>"),
]


def answering(*answers: TabResult | Exception) -> FakeTabs:
    """Tabs that give the first answer as long as it is the only one, then the next."""
    left = list(answers)

    def answer(url: str) -> TabResult | Exception:
        given = left[0]
        if isinstance(given, Exception):
            return given
        return TabResult(url, given.status, given.html)

    tabs = FakeTabs(answer)
    tabs.forward = lambda: left.pop(0)  # type: ignore[attr-defined]
    return tabs


@pytest.mark.parametrize("failure", PASSING)
async def test_a_failure_of_the_moment_is_asked_again_after_its_time(
    failure: TabResult | Exception,
) -> None:
    """S3-22, W3-9: negative entries have a life of 300 s."""
    run, clock = MemoryRun(), Clock()
    tabs = answering(failure, TabResult("", 200, html()))
    pages = reader(run, clock=clock)
    with pytest.raises((PageBlocked, PageUnreadable)):
        await pages.read("https://a.example/x", tabs, task="t1")
    opened = len(tabs.opened)
    tabs.forward()  # type: ignore[attr-defined]
    clock.now += RETRY_SECONDS - 1
    with pytest.raises((PageBlocked, PageUnreadable)):
        await pages.read("https://a.example/x", tabs, task="t2")
    assert len(tabs.opened) == opened
    clock.now += 1
    assert (await pages.read("https://a.example/x", tabs, task="t2")).passages
    assert len(tabs.opened) == opened + 1


@pytest.mark.parametrize("failure", LASTING)
async def test_walls_and_faults_of_the_page_stay_for_the_run(
    failure: TabResult | Exception,
) -> None:
    run, clock = MemoryRun(), Clock()
    tabs = answering(failure)
    pages = reader(run, clock=clock)
    for _ in range(2):
        with pytest.raises((PageBlocked, PageUnreadable)):
            await pages.read("https://a.example/x", tabs, task="t1")
        clock.now += 100 * RETRY_SECONDS
    first = len(tabs.opened)
    assert first == (2 if isinstance(failure, TabResult) and failure.status == 200 else 1)


async def test_a_failure_is_shared_by_those_who_wait_and_is_one_request() -> None:
    """S3-22, W3-9: single flight, for failures too."""
    run, tabs = MemoryRun(), FakeTabs(lambda url: TabResult(url, 404, html()))
    tabs.gate = asyncio.Event()
    pages = reader(run)
    asked = [
        asyncio.create_task(pages.read("https://a.example/x", tabs, task=f"t{n}")) for n in range(3)
    ]
    for _ in range(3):
        await asyncio.sleep(0)
    tabs.gate.set()
    results = await asyncio.gather(*asked, return_exceptions=True)
    assert [r.reason for r in results if isinstance(r, PageBlocked)] == ["not_found"] * 3
    assert len(tabs.opened) == 1
    assert [task for task, e in run.events if isinstance(e, PageFailed)] == ["t0", "t1", "t2"]


async def test_a_wall_is_no_source() -> None:
    """safety 47: a wall page is never evidence."""
    run = MemoryRun()
    tabs = FakeTabs(lambda url: TabResult(url, 403, html()))
    with pytest.raises(PageBlocked) as error:
        await reader(run).read("https://a.example/x", tabs, task="t1")
    assert error.value.reason == "forbidden"
    assert run.snapshots == {}
    assert [(e.reason, e.blocked) for e in run.of(PageFailed)] == [("forbidden", True)]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "stumble", [TabResult("", 200, "<body></body>"), TabResult("", 503, html())]
)
async def test_an_empty_page_and_a_stumbling_server_get_a_second_try(stumble: TabResult) -> None:
    run = MemoryRun()
    results = iter([stumble])

    def answer(url: str) -> TabResult:
        first = next(results, None)
        return TabResult(url, first.status, first.html) if first else TabResult(url, 200, html())

    tabs = FakeTabs(answer)
    assert (await reader(run).read("https://a.example/x", tabs, task="t1")).passages
    assert len(tabs.opened) == 2
    always = FakeTabs(lambda url: TabResult(url, stumble.status, stumble.html))
    with pytest.raises(PageUnreadable):
        await reader(run).read("https://a.example/y", always, task="t1")
    assert len(always.opened) == 2


async def test_hosts_are_not_hurried() -> None:
    run, tabs = MemoryRun(), FakeTabs()
    pages = reader(run)
    await asyncio.gather(*(pages.read(f"https://a.example/{i}", tabs, task="t1") for i in range(6)))
    assert tabs.peak == PER_HOST
    tabs.peak = 0
    await asyncio.gather(*(pages.read(f"https://{c}.example/", tabs, task="t1") for c in "bcdefg"))
    assert tabs.peak > PER_HOST


async def test_the_settings_name_the_sites() -> None:
    run, tabs = MemoryRun(), FakeTabs()
    pages = reader(
        run, only_domains=["Example.org", "https://b.net/"], without_domains=["bad.example.org"]
    )
    await pages.read("https://www.example.org/", tabs, task="t1")
    await pages.read("https://b.net/", tabs, task="t1")
    for url in ("https://other.com/", "https://notexample.org/", "https://x.bad.example.org/"):
        with pytest.raises(PageBlocked) as error:
            await pages.read(url, tabs, task="t1")
        assert error.value.reason == "not_allowed"
    assert len(tabs.opened) == 2


async def test_a_redirect_out_of_the_allowed_sites_is_not_kept() -> None:
    run = MemoryRun()
    tabs = FakeTabs(lambda url: TabResult("https://other.com/", 200, html()))
    with pytest.raises(PageBlocked):
        await reader(run, only_domains=["a.example"]).read("https://a.example/", tabs, task="t1")
    assert run.snapshots == {}


@pytest.mark.parametrize(
    "url", ["http://10.0.0.1/", "file:///etc/passwd", "http://u:p@a.example/", "javascript:1", ""]
)
async def test_refused_addresses_are_never_opened(url: str) -> None:
    """safety 17, 19, W3-10"""
    run, tabs = MemoryRun(), FakeTabs()
    with pytest.raises(EgressRefused):
        await reader(run).read(url, tabs, task="t1")
    assert tabs.opened == []
    assert len(run.of(PageFailed)) == 1


async def test_a_document_is_fetched_through_the_guard_and_read_by_page() -> None:
    run = MemoryRun()
    pdf = small_pdf("Report", ["The harbour has two quays.", "It has seven ships."])
    async with serving(lambda path, _: Answer(pdf, content_type="application/pdf")) as web:
        guard = EgressGuard(AddressRules([web.allow]))
        await guard.start()
        tabs = FakeTabs(lambda url: TabResult(url, 200, document=True))
        snapshot = await reader(run, guard).read(web.url("/r.pdf"), tabs, task="t1")
        await guard.stop()
    assert snapshot.source.kind is SourceKind.PDF
    assert snapshot.source.title == "Report"
    assert [(p.number, p.page, p.text) for p in snapshot.passages] == [
        (1, 1, "The harbour has two quays."),
        (2, 2, "It has seven ships."),
    ]


async def test_the_workers_own_page_is_stored_again_when_clicks_added_to_it() -> None:
    run, tabs = MemoryRun(), FakeTabs()
    pages = reader(run)
    url = "https://a.example/list"
    first = await pages.read(url, tabs, task="t1")
    tabs.current = TabResult(url, 0, html())
    assert (await pages.read_current(tabs, task="t1")).source.id == first.source.id
    tabs.current = TabResult(url, 0, html(TEXT + " And one more boat came."))
    more = await pages.read_current(tabs, task="t1")
    assert more.source.id != first.source.id
    assert more.source.url == f"{url}#:~:state=2"
    assert more.passages[-1].text == "And one more boat came."
    assert (await pages.read_current(tabs, task="t1")).source.id == more.source.id


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTP://Example.ORG:80", "http://example.org/"),
        ("https://example.org:443/a?b=1&utm_medium=x#f", "https://example.org/a?b=1"),
        ("https://example.org/?q=a+b&q=%C3%A4", "https://example.org/?q=a+b&q=%C3%A4"),
        ("https://[2606:4700::1]:8443/x", "https://[2606:4700::1]:8443/x"),
        ("mailto:x", "mailto:x"),
        ("http://user@example.org/", "http://user@example.org/"),
        ("http://[bad", "http://[bad"),
    ],
)
def test_one_spelling_for_one_page(url: str, expected: str) -> None:
    assert normalise_url(url) == expected
    assert normalise_url(expected) == expected
