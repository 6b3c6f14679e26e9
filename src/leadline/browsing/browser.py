"""One browser of the pool, with the driver connection to it and the contexts of its lease."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.async_api import Browser, BrowserContext
from playwright.async_api import Error as PlaywrightError

from leadline.browsing.browser_use_env import drop_default_folders
from leadline.browsing.chromium_process import ChromiumProcess, remove_profile
from leadline.browsing.egress import EgressGuard
from leadline.browsing.lease import Lease, keep_tabs_few
from leadline.domain.config import BrowserConfig
from leadline.domain.limits import Limits
from leadline.errors import BrowserFailed

if TYPE_CHECKING:
    from leadline.browsing.research_session import ResearchSession

_STEP_SECONDS = 3.0


@dataclass(slots=True, eq=False)
class PooledBrowser:
    """A live browser. ``process`` is None for a browser that the user started."""

    remote: Browser
    ws_url: str
    process: ChromiumProcess | None
    profile: Path | None
    """The folder to delete at its end; None for a user's own profile."""
    config: BrowserConfig
    limits: Limits
    guard: EgressGuard
    work_dir: Path
    user_agent: str
    shared_context: BrowserContext | None = None
    """The default context, for browsers whose profile is the user's."""
    suspect: bool = False
    release: Callable[[], None] | None = None
    """Gives the machine slot back; called once, when the browser is gone."""
    _context: BrowserContext | None = field(default=None, init=False)
    _session: ResearchSession | None = field(default=None, init=False)

    @property
    def pid(self) -> int:
        """Process id, or 0 for a browser that the user started."""
        return self.process.pid if self.process else 0

    @property
    def alive(self) -> bool:
        """Whether it can be used."""
        return self.remote.is_connected() and (self.process is None or self.process.running)

    def check_alive(self) -> None:
        """Raise :class:`BrowserFailed` when the browser has ended."""
        if not self.alive:
            self.suspect = True
            raise BrowserFailed("The browser ended while it was in use.")

    @property
    def context_options(self) -> dict[str, Any]:
        """Options of each new context: nothing is downloaded, no worker outlives its page."""
        size = {"width": self.config.window_width, "height": self.config.window_height}
        return {
            "accept_downloads": False,
            "service_workers": "block",
            "user_agent": self.user_agent,
            "viewport": size,
        }

    async def open_lease(self, task: str) -> Lease:
        """A clean context with one blank tab, and browser-use's session on it."""
        from leadline.browsing.research_session import ResearchSession

        drop_default_folders()
        try:
            async with asyncio.timeout(15):
                context = self.shared_context
                if context is None:
                    context = self._context = await self.remote.new_context(**self.context_options)
                keep_tabs_few(context)
                page = await context.new_page()
                cdp = await context.new_cdp_session(page)
                info = (await cdp.send("Target.getTargetInfo"))["targetInfo"]
                await cdp.detach()
                session = self._session = ResearchSession(
                    ws_url=self.ws_url,
                    context_id="" if self.shared_context else info["browserContextId"],
                    target_id=info["targetId"],
                    check_url=self.guard.rules.check_url,
                    work_dir=self.work_dir,
                    width=self.config.window_width,
                    height=self.config.window_height,
                )
                await session.start()
        except (TimeoutError, PlaywrightError, RuntimeError, OSError, KeyError) as error:
            self.suspect = True
            raise BrowserFailed("The browser does not take orders after its start.") from error
        return Lease(task, self, session)

    async def close_lease(self) -> None:
        """Close all that the lease opened; a browser that does not obey becomes suspect."""
        session, self._session = self._session, None
        context, self._context = self._context, None
        if session is not None:
            await self._obeys(session.kill())
        if context is not None:
            await self._obeys(context.close())
        if self.shared_context is None and not self.suspect:
            contexts = self.remote.contexts  # the first one is the browser's own: it stays
            for page in [p for context in contexts[:1] for p in context.pages]:
                await self._obeys(page.close())
            for stray in contexts[1:]:
                await self._obeys(stray.close())
        if not self.suspect:
            await self._obeys(_answers(self.remote))
        if self.process is not None:
            self.process.look()

    async def end(self) -> bool:
        """End all its processes, disconnect, delete its profile. True when nothing is left."""
        session, self._session = self._session, None
        if session is not None:
            await self._obeys(session.kill(), 1.0)
        gone = True
        if self.process is not None:
            gone = await self.process.end(grace=0 if self.profile else 2.5)
            self.guard.rules.permit_port(self.process.port)
        await self._obeys(self.remote.close(), 1.0)
        if self.profile is not None:
            await asyncio.to_thread(remove_profile, self.profile)
        if self.release is not None:
            release, self.release = self.release, None
            release()
        return gone

    async def _obeys(self, order: Coroutine[Any, Any, Any], seconds: float = _STEP_SECONDS) -> None:
        try:
            async with asyncio.timeout(seconds):
                await order
        except (TimeoutError, PlaywrightError, RuntimeError, OSError, ValueError):
            self.suspect = True


async def _answers(remote: Browser) -> None:
    cdp = await remote.new_browser_cdp_session()
    await cdp.send("Browser.getVersion")
    await cdp.detach()
