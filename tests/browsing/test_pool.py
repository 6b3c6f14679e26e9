"""Real browsers: lent, cleaned, reused and ended (safety 17 to 21, 43, 46, 47)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from leadline.browsing.egress import EgressGuard
from leadline.browsing.egress_rules import AddressRules
from leadline.browsing.pool import BrowserPool
from leadline.domain.config import BrowserConfig
from leadline.domain.events import BrowserClosed, BrowserOpened
from leadline.domain.limits import Limits
from leadline.errors import BrowserFailed, BrowserMissing, EgressRefused, PageUnreadable
from tests.browsing.web import Answer, Web, serving, small_pdf
from tests.doubles import MemoryRun

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

HAN = "布林德尔灯塔高六十一米，建于一八七四年，由花岗岩砌成。"

PAGES = {
    "/js": "<div id=a>Loading</div><script>setTimeout(() => {a.textContent = 'Drawn ' + 'late'},"
    " 400)</script>",
    "/loop": "before<script>while (1);</script>",
    "/alert": "<p>before</p><script>alert('hi'); document.write('<p>answer ' + confirm('ok?'));"
    "</script>",
    "/alerts": "<script>while (1) alert('again')</script>",
    "/storm": "<p>storm</p><script>for (let i = 0; i < 20; i++) window.open('/p' + i)</script>",
    "/unload": "<p>stay</p><script>onbeforeunload = () => 'no'</script>",
    "/frames": "<p>self</p><iframe src='/frames'></iframe>",
    "/remember": "<p id=a></p><script>a.textContent = 'seen: ' + document.cookie + '|' +"
    " localStorage.getItem('k'); document.cookie = 'k=v; max-age=999';"
    " localStorage.setItem('k', 'v')</script>",
    "/spy": "<p id=a>none</p><script>fetch('http://127.0.0.1:{port}/').then(r => r.text())"
    ".then(t => a.textContent = 'status ' + t, e => a.textContent = 'refused')</script>",
    "/hidden": "<style>.x{display:none}</style><p>seen</p><p class=x>planted</p>",
    "/on": "<p>before</p><script>setTimeout(() => { location = '/one' }, 300)</script>",
    "/meta": "<meta http-equiv=refresh content='0; url=/one'><p>before</p>",
    "/metaprivate": "<meta http-equiv=refresh content='0; url=http://10.0.0.1/'><p>before</p>",
    "/reload": "<meta http-equiv=refresh content='0; url=/reload'><p>again and again</p>",
    "/popup": "<a id=l target=_blank href='/js'>go</a>",
}


def _site(path: str, cookies: str) -> Answer:
    if path == "/file.pdf":
        return Answer(small_pdf("R", ["x"]), content_type="application/pdf")
    if path == "/download":
        return Answer("a,b", content_type="text/csv", headers={"Content-Disposition": "attachment"})
    if path == "/circle":
        return Answer(status=302, headers={"Location": "/circle"})
    if path == "/huge":
        return Answer("<p>" + "x" * 3_000_000)
    if path == "/hang":
        return Answer(hang=True)
    if path == "/gbk-as-utf8":
        return Answer(f"<p class=x>{HAN}</p>".encode("gbk"))
    if path == "/utf8-as-gbk":
        return Answer(f"<p>{HAN}</p>", content_type="text/html; charset=gbk")
    if path == "/utf8-as-nonsense":
        return Answer(f"<p>{HAN}</p>", content_type="text/html; charset=nonsense")
    if path == "/to-file":
        return Answer(status=302, headers={"Location": "file:///etc/passwd"})
    if path == "/away":
        return Answer(status=302, headers={"Location": "http://10.0.0.1/"})
    if path in PAGES:
        return Answer(f"<!doctype html><title>{path}</title><body>{PAGES[path]}</body>")
    return Answer(f"<!doctype html><title>Page</title><body><p>This is {path}.</p></body>")


@dataclass
class Slots:
    held: int = 0
    peak: int = 0

    async def acquire(self) -> Slots:
        self.held += 1
        self.peak = max(self.peak, self.held)
        return self

    def release(self) -> None:
        self.held -= 1


@dataclass
class Watched:
    pids: set[int] = field(default_factory=set)

    def watch(self, pid: int) -> None:
        self.pids.add(pid)

    def unwatch(self, pid: int) -> None:
        self.pids.discard(pid)


@dataclass
class Rig:
    web: Web
    pool: BrowserPool
    run: MemoryRun
    slots: Slots
    guardian: Watched
    guard: EgressGuard
    asked_names: list[str]


@asynccontextmanager
async def rig(
    work: Path, chromium: Path, *, config: BrowserConfig | None = None, **limits: float
) -> AsyncIterator[Rig]:
    async with serving(_site) as web:
        PAGES["/spy"] = PAGES["/spy"].replace("{port}", str(web.port))
        run, slots, guardian = MemoryRun(), Slots(), Watched()
        asked_names: list[str] = []

        async def resolver(name: str) -> list[str]:
            asked_names.append(name)
            return []

        guard = EgressGuard(AddressRules([web.allow]), resolver=resolver)
        await guard.start()
        pool = BrowserPool(
            config=config or BrowserConfig(executable=str(chromium)),
            limits=Limits(**{"page_seconds": 20, **limits}),  # type: ignore[arg-type]
            guard=guard,
            slots=slots,
            sink=run,
            guardian=guardian,
            work_dir=work,
        )
        try:
            yield Rig(web, pool, run, slots, guardian, guard, asked_names)
        finally:
            await pool.close()
            await guard.stop()


def family() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


async def settled(before: set[int]) -> set[int]:
    """The family once it is as before, or after the seconds that a busy machine may need."""
    for _ in range(100):
        if family() == before:
            break
        await asyncio.sleep(0.05)
    return family()


def leftovers(work: Path) -> list[str]:
    return [p.name for p in work.iterdir() if p.name != "browser-use"]


async def test_pages_are_read_side_by_side_and_sick_ones_fail_alone(
    tmp_path: Path, chromium: Path
) -> None:
    """safety 47: each ends in its time; its siblings go on."""
    limits = {"page_seconds": 9, "page_bytes": 1_000_000}
    async with rig(tmp_path, chromium, **limits) as r, r.pool.lease("t1") as lease:
        await lease.read_tab(r.web.url("/warm-up"))
        good = ("/one", "/js", "/alert", "/storm", "/unload", "/frames", "/hidden", "/spy")
        read = await asyncio.gather(*(lease.read_tab(r.web.url(p)) for p in good))
        html = {path: result.html for path, result in zip(good, read, strict=True)}
        assert "This is /one." in html["/one"]
        assert ">Drawn late<" in html["/js"]
        assert "answer false" in html["/alert"], "a confirm is dismissed, never agreed to"
        assert "storm" in html["/storm"]
        assert "stay" in html["/unload"]
        assert "self" in html["/frames"]
        assert 'class="x" data-leadline-hidden=""' in html["/hidden"]
        assert "refused" in html["/spy"] or "status 127.0.0.1 is this" in html["/spy"]
        sick = ("/loop", "/alerts", "/circle", "/huge", "/hang", "/one")
        results = await asyncio.gather(
            *(lease.read_tab(r.web.url(p)) for p in sick), return_exceptions=True
        )
        assert [type(x) for x in results[:-1]] == [PageUnreadable] * 5, results
        assert not isinstance(results[-1], BaseException)
        for path in ("/file.pdf", "/download"):
            result = await lease.read_tab(r.web.url(path))
            assert result.document, path
        assert r.asked_names == [], "the browser calls nobody by itself (safety 22)"


async def test_pages_that_lead_on_by_themselves_are_followed(
    tmp_path: Path, chromium: Path
) -> None:
    """safety 18, 47: to a page, to a private address, to themselves without end."""
    async with rig(tmp_path, chromium) as r, r.pool.lease("t1") as lease:
        for path in ("/on", "/meta"):
            result = await lease.read_tab(r.web.url(path))
            assert result.url == r.web.url("/one")
            assert "This is /one." in result.html
        with pytest.raises(EgressRefused):
            await lease.read_tab(r.web.url("/metaprivate"))
        with pytest.raises(PageUnreadable, match="no page may open"):
            await lease.read_tab(r.web.url("/to-file"))
        result = await lease.read_tab(r.web.url("/reload"))
        assert "again and again" in result.html


async def test_pages_in_another_charset_than_they_say_are_read(
    tmp_path: Path, chromium: Path
) -> None:
    async with rig(tmp_path, chromium) as r, r.pool.lease("t1") as lease:
        for path in ("/gbk-as-utf8", "/utf8-as-gbk", "/utf8-as-nonsense"):
            result = await lease.read_tab(r.web.url(path))
            assert HAN in result.html
            assert result.status == 200
            assert [line.split()[1] for line in r.web.asked].count(path) == 1


async def test_a_crowded_browser_does_not_count_against_a_page(
    tmp_path: Path, chromium: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page's seconds begin when its tab is open."""
    async with rig(tmp_path, chromium, page_seconds=6) as r, r.pool.lease("t1") as lease:
        await lease.read_tab(r.web.url("/one"))
        browser = type(lease._browser.remote)
        opened = browser.new_context

        async def slow(self: object, **options: object) -> object:
            await asyncio.sleep(7)
            return await opened(self, **options)  # type: ignore[arg-type]  # as Playwright calls it

        monkeypatch.setattr(browser, "new_context", slow)
        assert "This is /two." in (await lease.read_tab(r.web.url("/two"))).html


async def test_private_addresses_are_out_of_reach(tmp_path: Path, chromium: Path) -> None:
    """safety 17, 18, 19, 21"""
    async with rig(tmp_path, chromium) as r, r.pool.lease("t1") as lease:
        debugging = next(int(port) for port in _listening(lease.pid))
        for url in (
            f"http://127.0.0.1:{r.web.port}/",
            f"http://[::1]:{r.web.port}/",
            f"http://localhost:{debugging}/json",
            r.web.url("/away"),
            "file:///etc/passwd",
            "chrome://version",
        ):
            with pytest.raises(EgressRefused):
                await lease.read_tab(url)
        with pytest.raises(EgressRefused):
            await lease.session.navigate_to("file:///etc/passwd")
        with contextlib.suppress(EgressRefused, RuntimeError):
            await lease.session.navigate_to(f"http://a.localhost:{debugging}/json")
        assert "webSocketDebuggerUrl" not in (await lease.current_page()).html
        with pytest.raises(EgressRefused):
            r.guard.rules.check_address("site.localhost", debugging, "127.0.0.1")
    assert all("127.0.0.1" not in line for line in r.web.asked)


async def test_nothing_passes_from_task_to_task_and_the_browser_stays_warm(
    tmp_path: Path, chromium: Path
) -> None:
    async with rig(tmp_path, chromium, max_parallel_browsers=1) as r:
        seen = []
        pids = []
        for task in ("t1", "t2"):
            async with r.pool.lease(task) as lease:
                pids.append(lease.pid)
                page = r.web.url("/remember")
                await lease.session.navigate_to(page)
                seen.append((await lease.current_page()).html)
                seen.append((await lease.read_tab(page)).html)
                seen.append((await lease.read_tab(page)).html)
                tabs = await lease.session.get_tabs()
                assert [tab.url for tab in tabs] == [page], "reading tabs stay out of its way"
                assert (await lease.screenshot_jpeg())[:2] == b"\xff\xd8"
        assert all("seen: |null" in html for html in seen)
        assert pids[0] == pids[1]
        assert len(r.run.of(BrowserOpened)) == 1


async def test_browsers_stay_within_the_limit_and_all_are_gone_at_the_end(
    tmp_path: Path, chromium: Path
) -> None:
    """safety 43, 46: checked by pid, with profiles, slots and the driver."""
    before = family()
    async with rig(tmp_path, chromium, max_parallel_browsers=2) as r:

        async def work(number: int) -> None:
            async with r.pool.lease(f"t{number}") as lease:
                await lease.read_tab(r.web.url(f"/{number}"))
                assert r.guardian.pids

        await asyncio.gather(*(work(n) for n in range(5)))
        assert r.slots.peak == 2
        assert r.pool.live == 2
        assert max(e.live for e in r.run.of(BrowserOpened)) == 2  # type: ignore[union-attr]
        begun = asyncio.get_running_loop().time()
        await r.pool.close()
        assert asyncio.get_running_loop().time() - begun < 8
        await r.pool.close()
        assert r.pool.live == 0
        assert r.slots.held == 0
        assert r.guardian.pids == set()
        assert len(r.run.of(BrowserClosed)) == 2
        assert leftovers(tmp_path) == []
        assert await settled(before) == before
        with pytest.raises(BrowserFailed):
            async with r.pool.lease("t9"):
                pass


async def test_a_browser_that_dies_fails_its_lease_and_is_replaced(
    tmp_path: Path, chromium: Path
) -> None:
    async with rig(tmp_path, chromium, max_parallel_browsers=1) as r:
        async with r.pool.lease("t1") as lease:
            first = lease.pid
            psutil.Process(first).kill()
            with pytest.raises((BrowserFailed, PageUnreadable)):
                await lease.read_tab(r.web.url("/a"))
        async with r.pool.lease("t2") as lease:
            assert lease.pid != first
            assert "This is /b" in (await lease.read_tab(r.web.url("/b"))).html
        assert len(r.run.of(BrowserClosed)) == 1


@pytest.mark.parametrize("after", [0.0, 0.3, 1.5])
async def test_closing_during_a_start_leaves_nothing(
    tmp_path: Path, chromium: Path, after: float
) -> None:
    """safety 40"""
    before = family()
    async with rig(tmp_path, chromium) as r:

        async def work() -> None:
            async with r.pool.lease("t1") as lease:
                await lease.read_tab(r.web.url("/hang"))

        worker = asyncio.create_task(work())
        await asyncio.sleep(after)
        await asyncio.gather(r.pool.close(), _cancelled(worker))
        assert r.pool.live == 0
        assert r.slots.held == 0
        assert leftovers(tmp_path) == []
    assert await settled(before) == before


async def test_a_cancelled_worker_gives_its_browser_back(tmp_path: Path, chromium: Path) -> None:
    async with rig(tmp_path, chromium, max_parallel_browsers=1) as r:
        ready = asyncio.Event()

        async def work() -> None:
            async with r.pool.lease("t1") as lease:
                await lease.read_tab(r.web.url("/a"))
                ready.set()
                await lease.read_tab(r.web.url("/hang"))

        worker = asyncio.create_task(work())
        await ready.wait()
        await _cancelled(worker)
        async with r.pool.lease("t2") as lease:
            assert "This is /b" in (await lease.read_tab(r.web.url("/b"))).html


async def test_a_browser_that_cannot_start_is_said(tmp_path: Path) -> None:
    before = family()
    config = BrowserConfig(executable="/no/such/browser")
    async with rig(tmp_path, tmp_path, config=config) as r:
        with pytest.raises(BrowserMissing, match="/no/such/browser"):
            async with r.pool.lease("t1"):
                pass
        assert r.slots.held == 0
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    async with rig(tmp_path / "w", broken) as r:
        with pytest.raises(BrowserFailed, match="ended right after its start"):
            async with r.pool.lease("t1"):
                pass
        assert r.slots.held == 0
        assert leftovers(tmp_path / "w") == []
    assert await settled(before) == before


async def test_an_own_profile_is_used_and_kept(tmp_path: Path, chromium: Path) -> None:
    profile = tmp_path / "mine"
    profile.mkdir()
    config = BrowserConfig(executable=str(chromium), user_data_dir=str(profile))
    async with rig(tmp_path / "w", chromium, config=config) as r, r.pool.lease("t1") as lease:
        assert "This is /a" in (await lease.read_tab(r.web.url("/a"))).html
        await lease.session.navigate_to(r.web.url("/b"))
        assert (await lease.current_page()).url == r.web.url("/b")
        with pytest.raises(EgressRefused):
            await lease.read_tab("http://10.0.0.1/")
    assert (profile / "Default").is_dir()
    assert list(profile.iterdir())


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError, BrowserFailed, PageUnreadable):
        await task


def _listening(pid: int) -> list[int]:
    return [
        c.laddr.port
        for c in psutil.Process(pid).net_connections("tcp")
        if c.status == psutil.CONN_LISTEN
    ]
