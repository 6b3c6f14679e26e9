"""The browsers of a run: never more than allowed, warm between tasks, gone at its end.

Invariant: a live browser holds a machine slot and is counted from before its process starts until
its process tree is gone. A lease gets a context of its own, so nothing passes from task to task.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

from playwright.async_api import Browser
from playwright.async_api import Error as PlaywrightError

from leadline.browsing.browser import PooledBrowser
from leadline.browsing.browser_use_env import prepare_browser_use
from leadline.browsing.chromium import find_chromium, launch_args, needs_no_sandbox
from leadline.browsing.chromium_process import ChromiumProcess, remove_profile, start_chromium
from leadline.browsing.driver import Driver
from leadline.browsing.egress import EgressGuard
from leadline.browsing.lease import Lease
from leadline.domain.config import BrowserConfig
from leadline.domain.events import BrowserClosed, BrowserOpened, Notice
from leadline.domain.limits import Limits
from leadline.domain.ports import EventSink
from leadline.errors import BrowserFailed

_START_SECONDS = 25.0
_IDLE_SECONDS = 15.0


class Slot(Protocol):
    """One browser's place on this machine."""

    def release(self) -> None:
        """Give it back."""


class SlotSource(Protocol):
    """Places for browsers, shared by all runs of this machine."""

    async def acquire(self) -> Slot:
        """Wait for a place."""


class Guardian(Protocol):
    """Ends processes whose run was killed before it could."""

    def watch(self, pid: int) -> None:
        """Take a browser into care."""

    def unwatch(self, pid: int) -> None:
        """It is gone."""


class BrowserPool:
    """Lends browsers to workers."""

    def __init__(
        self,
        *,
        config: BrowserConfig,
        limits: Limits,
        guard: EgressGuard,
        slots: SlotSource,
        sink: EventSink,
        guardian: Guardian,
        work_dir: Path,
        idle_seconds: float = _IDLE_SECONDS,
    ) -> None:
        self._config = config
        self._limits = limits
        self._guard = guard
        self._slots = slots
        self._sink = sink
        self._guardian = guardian
        self._work_dir = work_dir
        self._idle_seconds = idle_seconds
        own = bool(config.cdp_url or config.user_data_dir)
        self._permits = asyncio.Semaphore(1 if own else limits.max_parallel_browsers)
        self._live: set[PooledBrowser] = set()
        self._idle: dict[PooledBrowser, asyncio.TimerHandle] = {}
        self._returning: set[asyncio.Task[None]] = set()
        self._ending: dict[PooledBrowser, asyncio.Task[None]] = {}
        self._starting: set[asyncio.Task[PooledBrowser]] = set()
        self._driver = Driver()
        self._noticed: set[str] = set()
        self._closed = False

    @property
    def live(self) -> int:
        """How many browsers are up."""
        return len(self._live)

    @asynccontextmanager
    async def lease(self, task: str) -> AsyncIterator[Lease]:
        """A clean browser for ``task``; waits until one may be used.

        Raises ``BrowserMissing`` or ``BrowserFailed`` when none can be had.
        """
        await self._permits.acquire()
        try:
            browser, lease = await self._take(task)
        except BaseException:
            self._permits.release()
            raise
        try:
            yield lease
        finally:
            # A task of its own: a worker that is cancelled leaves at once, while the cleaning goes
            # on and keeps the permit, so that no further browser takes its place meanwhile.
            returning = asyncio.get_running_loop().create_task(self._give_back(browser))
            self._returning.add(returning)
            returning.add_done_callback(self._returned)
            await asyncio.shield(returning)

    async def close(self) -> None:
        """End every browser and the driver, within seconds, at any moment. Safe to call twice."""
        self._closed = True
        for handle in self._idle.values():
            handle.cancel()
        self._idle.clear()
        for task in (*self._starting, *self._returning):
            _cancel_once(task)
        await asyncio.gather(*self._starting, *self._returning, return_exceptions=True)
        await asyncio.gather(*(self._end(browser) for browser in list(self._live)))
        await self._driver.stop()

    async def _take(self, task: str) -> tuple[PooledBrowser, Lease]:
        """An idle browser, or a new one; another one if the first does not obey."""
        failure: BrowserFailed | None = None
        for _ in range(2):
            browser = self._idle_one()
            if browser is None:
                await asyncio.gather(*(asyncio.shield(end) for end in self._ending.values()))
                browser = await self._started()
            try:
                return browser, await browser.open_lease(task)
            except BrowserFailed as error:
                failure = error
                await self._end(browser)
            except BaseException:
                await self._end(browser)
                raise
        raise failure or BrowserFailed("No browser could be used.")

    def _idle_one(self) -> PooledBrowser | None:
        while self._idle:
            browser, handle = self._idle.popitem()
            handle.cancel()
            if browser.alive and not browser.suspect:
                return browser
            self._end_soon(browser)
        return None

    async def _started(self) -> PooledBrowser:
        """Start a browser; one retry. The start is a task of its own, so that close() ends it."""
        for attempt in (1, 2):
            if self._closed:
                raise BrowserFailed("The run is ending; no browser is started any more.")
            start = asyncio.get_running_loop().create_task(self._start())
            self._starting.add(start)
            start.add_done_callback(self._starting.discard)
            try:
                return await asyncio.shield(start)
            except BrowserFailed:
                if attempt == 2:
                    raise
            except asyncio.CancelledError:
                if start.cancelled():
                    raise BrowserFailed("The run is ending; its browsers are closed.") from None
                _cancel_once(start)
                await asyncio.wait([start])
                if not start.cancelled() and start.exception() is None:
                    self._keep_idle(start.result())  # it came up in the very moment
                raise
        raise AssertionError("a start either returns or raises")

    async def _start(self) -> PooledBrowser:
        prepare_browser_use(self._work_dir)
        if self._config.cdp_url:
            return await self._connect_to_users()
        slot = await self._slots.acquire()
        try:
            return await self._launch(slot.release)
        except BaseException:
            slot.release()
            raise

    async def _launch(self, release: Callable[[], None]) -> PooledBrowser:
        own = not self._config.user_data_dir
        self._work_dir.mkdir(parents=True, exist_ok=True)
        if own:
            profile = Path(tempfile.mkdtemp(prefix="browser-", dir=self._work_dir))
        else:
            profile = await asyncio.to_thread(Path(self._config.user_data_dir).expanduser)
        process: ChromiumProcess | None = None
        self._driver.start_soon()  # it takes as long as the browser
        try:
            process = await start_chromium(
                find_chromium(self._config),
                self._switches(profile, own),
                profile=profile,
                log=(profile if own else self._work_dir) / "leadline-browser.log",
                seconds=_START_SECONDS,
            )
            self._guardian.watch(process.pid)
            self._guard.rules.deny_port(process.port)
            remote = await self._connect(process.ws_url)
            agent = await _user_agent(remote)
        except BaseException:
            if process is not None:
                await asyncio.shield(process.end(grace=0 if own else 2.0))
                self._guardian.unwatch(process.pid)
                self._guard.rules.permit_port(process.port)
            if own:
                remove_profile(profile)
            raise
        browser = PooledBrowser(
            remote=remote,
            ws_url=process.ws_url,
            process=process,
            profile=profile if own else None,
            config=self._config,
            limits=self._limits,
            guard=self._guard,
            work_dir=self._work_dir,
            user_agent=agent,
            shared_context=None if own else remote.contexts[0],
            release=release,
        )
        self._live.add(browser)
        self._sink.emit(BrowserOpened(pid=process.pid, live=self.live))
        return browser

    def _switches(self, profile: Path, own: bool) -> list[str]:
        sandbox = not needs_no_sandbox()
        if not sandbox:
            self._notice_once(
                "Chromium runs without its sandbox: as root or in a container it has none."
            )
        return launch_args(
            self._config,
            profile=profile,
            proxy_url=self._guard.proxy_url,
            sandbox=sandbox,
            own_profile=own,
        )

    async def _connect_to_users(self) -> PooledBrowser:
        """Use a browser that the user started. It is never ended, and its network is its own."""
        remote = await self._connect(self._config.cdp_url)
        self._notice_once(
            "Pages are opened in your own browser: they do not pass Leadline's address guard."
        )
        browser = PooledBrowser(
            remote=remote,
            ws_url=self._config.cdp_url,
            process=None,
            profile=None,
            config=self._config,
            limits=self._limits,
            guard=self._guard,
            work_dir=self._work_dir,
            user_agent=await _user_agent(remote),
            shared_context=remote.contexts[0] if remote.contexts else None,
        )
        self._live.add(browser)
        self._sink.emit(BrowserOpened(pid=0, live=self.live))
        return browser

    async def _connect(self, address: str) -> Browser:
        driver = await self._driver.get()
        try:
            async with asyncio.timeout(_START_SECONDS):
                return await driver.chromium.connect_over_cdp(
                    address, timeout=_START_SECONDS * 1000
                )
        except (PlaywrightError, TimeoutError, OSError) as error:
            if self._config.cdp_url:
                raise BrowserFailed(
                    "Your browser does not answer at its debugging address; start it with "
                    "--remote-debugging-port and check the address."
                ) from error
            raise BrowserFailed("The browser does not answer after its start.") from error

    async def _give_back(self, browser: PooledBrowser) -> None:
        try:
            await browser.close_lease()
        except BaseException:
            browser.suspect = True
            raise
        finally:
            if browser.suspect or self._closed or not browser.alive:
                await self._end(browser)
            else:
                self._keep_idle(browser)

    def _returned(self, returning: asyncio.Task[None]) -> None:
        self._returning.discard(returning)
        self._permits.release()
        if not returning.cancelled() and (error := returning.exception()) is not None:
            self._notice_once(f"A browser could not be cleaned and was closed ({error}).")

    def _keep_idle(self, browser: PooledBrowser) -> None:
        """Keep it warm for the next task; after a while it makes room for other runs."""
        loop = asyncio.get_running_loop()
        self._idle[browser] = loop.call_later(self._idle_seconds, self._expire, browser)

    def _expire(self, browser: PooledBrowser) -> None:
        if self._idle.pop(browser, None) is not None:
            self._end_soon(browser)

    def _end_soon(self, browser: PooledBrowser) -> asyncio.Task[None]:
        ending = self._ending.get(browser)
        if ending is None:
            ending = asyncio.get_running_loop().create_task(self._end_now(browser))
            self._ending[browser] = ending
        return ending

    async def _end(self, browser: PooledBrowser) -> None:
        """End a browser once; a caller that is cancelled does not stop it."""
        if browser in self._live:
            await asyncio.shield(self._end_soon(browser))

    async def _end_now(self, browser: PooledBrowser) -> None:
        try:
            gone = await browser.end()
        finally:
            self._live.discard(browser)
            self._ending.pop(browser, None)
        if browser.pid:
            self._guardian.unwatch(browser.pid)
        if not gone:
            self._notice_once(f"The browser process {browser.pid} could not be ended.")
        self._sink.emit(BrowserClosed(pid=browser.pid, live=self.live))

    def _notice_once(self, message: str) -> None:
        if message not in self._noticed:
            self._noticed.add(message)
            self._sink.emit(Notice(message=message, level="warning"))


def _cancel_once(task: asyncio.Task[Any]) -> None:
    """Cancel a task that cleans up when it is cancelled; a second time would break that off."""
    if not task.cancelling():
        task.cancel()


async def _user_agent(remote: Browser) -> str:
    """Its own user agent, as the same browser with a window would send it."""
    cdp = await remote.new_browser_cdp_session()
    version = await cdp.send("Browser.getVersion")
    await cdp.detach()
    return str(version["userAgent"]).replace("HeadlessChrome", "Chrome")
