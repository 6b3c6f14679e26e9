"""A browser for one task: a session for the worker, tabs for reading, nothing of it left after."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from typing import TYPE_CHECKING, Any

from playwright.async_api import BrowserContext, Page
from playwright.async_api import Error as PlaywrightError

from leadline.browsing.page_scripts import TAKE
from leadline.browsing.tab_reading import TabRead
from leadline.browsing.tabs import TabResult
from leadline.errors import BrowserFailed, PageUnreadable
from leadline.sources.base import RenderedPage

if TYPE_CHECKING:
    from leadline.browsing.browser import PooledBrowser
    from leadline.browsing.research_session import ResearchSession

TABS_AT_ONCE = 4
_SCREEN_QUALITY = 45
_SCREEN_SCALE = 0.5
_SCREEN_SECONDS = 3.0
_SCREEN_PAUSE = 2.0
_TABS_KEPT = 8


class Lease:
    """A browser, lent to ``task``. ``BrowserPool.lease`` makes and ends it."""

    def __init__(self, task: str, browser: PooledBrowser, session: ResearchSession) -> None:
        self.task = task
        self.session = session
        """browser-use's session for the worker's agent."""
        self._browser = browser
        self._tabs = asyncio.Semaphore(TABS_AT_ONCE)
        self._screen = b""
        self._screen_at = 0.0

    @property
    def pid(self) -> int:
        """Process id of the browser; 0 when it is the user's own."""
        return self._browser.pid

    async def open_page(self, url: str) -> RenderedPage:
        """Open an address and return its HTML, as search back ends need it.

        Raises ``EgressRefused``, ``PageUnreadable`` or ``BrowserFailed``.
        """
        result = await self.read_tab(url)
        if result.document:
            raise PageUnreadable("That address leads to a file, not to a page.")
        return RenderedPage(url=result.url, status=result.status, html=result.html)

    async def read_tab(self, url: str) -> TabResult:
        """Read an address in a tab of its own; up to ``TABS_AT_ONCE`` run side by side."""
        browser = self._browser
        async with self._tabs:
            browser.check_alive()
            reading = TabRead(
                browser.remote,
                url,
                guard=browser.guard,
                seconds=browser.limits.page_seconds,
                max_chars=browser.limits.page_bytes,
                context_options=browser.context_options,
                shared=browser.shared_context,
                on_shown=self._photograph if browser.config.screens else None,
            )
            try:
                return await reading.run()
            finally:
                browser.suspect = browser.suspect or reading.left_over

    async def current_page(self) -> TabResult:
        """What the worker's own tab shows now. Its HTTP status is not known (0)."""
        script = f"({TAKE})({self._browser.limits.page_bytes})"
        taken = await self._evaluate(script)
        if not isinstance(taken, dict) or not taken.get("html"):
            raise PageUnreadable("The page of this tab is empty or too large.")
        return TabResult(
            url=str(taken["url"]), status=0, html=str(taken["html"]), title=str(taken["title"])
        )

    async def screenshot_jpeg(self) -> bytes:
        """A small picture of what the worker sees; empty when there is none to be had.

        While the worker's own tab is blank it is the page that was read last.
        """
        try:
            url = await self.session.get_current_page_url()
            if url.startswith("http"):
                return await self._picture_of_worker()
        except (TimeoutError, RuntimeError, ValueError, AssertionError, OSError):
            pass  # a tab that cannot be photographed is no reason to stop
        return self._screen

    async def _picture_of_worker(self) -> bytes:
        config = self._browser.config
        async with asyncio.timeout(_SCREEN_SECONDS):
            cdp = await self.session.get_or_create_cdp_session(None, focus=False)
            shot: Any = await cdp.cdp_client.send.Page.captureScreenshot(
                params={  # type: ignore[arg-type]  # the stub wants an optional key of the clip
                    "format": "jpeg",
                    "quality": _SCREEN_QUALITY,
                    "clip": _clip(config.window_width, config.window_height),
                },
                session_id=cdp.session_id,
            )
        return base64.b64decode(shot["data"])

    async def _photograph(self, page: Page) -> None:
        """Keep a picture of a page that was read, at most one every few seconds."""
        now = asyncio.get_running_loop().time()
        if now - self._screen_at < _SCREEN_PAUSE:
            return
        self._screen_at = now
        config = self._browser.config
        with contextlib.suppress(PlaywrightError, TimeoutError):
            async with asyncio.timeout(_SCREEN_SECONDS):
                cdp = await page.context.new_cdp_session(page)
                shot = await cdp.send(
                    "Page.captureScreenshot",
                    {
                        "format": "jpeg",
                        "quality": _SCREEN_QUALITY,
                        "clip": _clip(config.window_width, config.window_height),
                    },
                )
                self._screen = base64.b64decode(shot["data"])

    async def _evaluate(self, script: str) -> Any:
        self._browser.check_alive()
        try:
            async with asyncio.timeout(8):
                cdp = await self.session.get_or_create_cdp_session(None, focus=False)
                answer: Any = await cdp.cdp_client.send.Runtime.evaluate(
                    params={"expression": script, "returnByValue": True},
                    session_id=cdp.session_id,
                )
        except TimeoutError:
            raise PageUnreadable("The page keeps its tab so busy that it cannot be read.") from None
        except (RuntimeError, ValueError, AssertionError, OSError) as error:
            if not self._browser.alive:
                raise BrowserFailed("The browser ended while a page was read.") from error
            raise PageUnreadable("The worker's tab is gone.") from error
        return answer.get("result", {}).get("value")


def keep_tabs_few(context: BrowserContext) -> None:
    """Close tabs that a page opens beyond what a worker can use."""
    closing: set[asyncio.Task[None]] = set()

    async def close(page: Page) -> None:
        with contextlib.suppress(PlaywrightError, TimeoutError):
            async with asyncio.timeout(3):
                await page.close()

    def opened(page: Page) -> None:
        if len(context.pages) > _TABS_KEPT:
            task = asyncio.get_running_loop().create_task(close(page))
            closing.add(task)
            task.add_done_callback(closing.discard)

    context.on("page", opened)


def _clip(width: int, height: int) -> dict[str, float]:
    return {"x": 0, "y": 0, "width": width, "height": height, "scale": _SCREEN_SCALE}
