"""browser-use's session, cut down to what research needs and kept inside one browser context.

browser-use attaches a set of watchdogs to every session. Left out here: the blank-tab animation
(it loads an image from its maker), granting of clipboard and notification rights, downloads,
storage files, recordings, captcha services, and the dialog handler that says yes to every
question (Playwright, attached to the same browser, dismisses dialogs). The browser process is
ours, so browser-use cannot start or end one.

It sees the tabs of its own context alone: tabs that Leadline reads pages in stay out of its way,
and nothing of a task is left once its context is closed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from browser_use.browser.events import NavigateToUrlEvent
from browser_use.browser.session import BrowserSession
from browser_use.browser.watchdogs.default_action_watchdog import DefaultActionWatchdog
from browser_use.browser.watchdogs.dom_watchdog import DOMWatchdog
from browser_use.browser.watchdogs.screenshot_watchdog import ScreenshotWatchdog
from pydantic import PrivateAttr


class ResearchSession(BrowserSession):
    """A browser-use session that begins in the tab ``target_id`` of an existing context.

    ``context_id`` may be empty: then it sees every tab of the browser. ``check_url`` raises for
    addresses that must not be opened.
    """

    _context_id: str = PrivateAttr(default="")
    _first_target: str = PrivateAttr(default="")
    _check_url: Callable[[str], object] | None = PrivateAttr(default=None)

    def __init__(
        self,
        *,
        ws_url: str,
        context_id: str,
        target_id: str,
        check_url: Callable[[str], object],
        work_dir: Path,
        width: int,
        height: int,
    ) -> None:
        size: Any = {"width": width, "height": height}
        super().__init__(
            cdp_url=ws_url,
            keep_alive=True,
            headless=True,
            viewport=size,
            # Neither folder is used with a running browser. The name keeps browser-use from
            # copying "the Chrome profile", and both keep it from making folders in /tmp.
            user_data_dir=work_dir / "browser-use-user-data-dir-unused",
            downloads_path=work_dir / "downloads",
            accept_downloads=False,
            auto_download_pdfs=False,
            permissions=[],
            enable_default_extensions=False,
            captcha_solver=False,
            highlight_elements=False,
            minimum_wait_page_load_time=0.2,
            wait_for_network_idle_page_load_time=0.4,
        )
        self._context_id = context_id
        self._first_target = target_id
        self._check_url = check_url

    async def attach_all_watchdogs(self) -> None:
        """Attach the watchdogs that acting and looking need, and no others."""
        if self._watchdogs_attached:
            return
        for kind in (DefaultActionWatchdog, ScreenshotWatchdog, DOMWatchdog):
            kind.model_rebuild()
        self._default_action_watchdog = DefaultActionWatchdog(
            event_bus=self.event_bus, browser_session=self
        )
        self._screenshot_watchdog = ScreenshotWatchdog(
            event_bus=self.event_bus, browser_session=self
        )
        self._dom_watchdog = DOMWatchdog(event_bus=self.event_bus, browser_session=self)
        self._default_action_watchdog.attach_to_session()
        self._screenshot_watchdog.attach_to_session()
        self._dom_watchdog.attach_to_session()
        self._watchdogs_attached = True

    async def connect(self, cdp_url: str | None = None) -> ResearchSession:
        """Connect, put the focus on our own tab, and from then on see our own context alone."""
        await super().connect(cdp_url)
        if self._first_target and self.agent_focus_target_id != self._first_target:
            await self.get_or_create_cdp_session(self._first_target, focus=True)
        manager = self.session_manager
        context_id = self._context_id
        if manager is None or not context_id:
            return self
        attached = manager._handle_target_attached

        async def only_ours(event: Any) -> None:
            info = event.get("targetInfo", {})
            if info.get("type") in ("page", "tab") and info.get("browserContextId") != context_id:
                return
            await attached(event)

        # The manager looks its handler up at each event, so this takes effect for later tabs.
        manager._handle_target_attached = only_ours
        return self

    async def on_NavigateToUrlEvent(self, event: NavigateToUrlEvent) -> None:
        """Refuse addresses that pages may not reach before the browser is asked.

        The event bus finds the handler by its name.
        """
        if self._check_url is not None and event.url != "about:blank":
            self._check_url(event.url)
        await super().on_NavigateToUrlEvent(event)

    async def _cdp_create_new_page(
        self, url: str = "about:blank", background: bool = False, new_window: bool = False
    ) -> str:
        if self._check_url is not None and url != "about:blank":
            self._check_url(url)
        params: dict[str, Any] = {"url": url, "background": background}
        if self._context_id:
            params["browserContextId"] = self._context_id
        created: Any = await self.cdp_client.send.Target.createTarget(params=params)  # type: ignore[arg-type]  # a TypedDict whose optional keys are set by hand
        return str(created["targetId"])
