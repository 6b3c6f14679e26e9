"""Opening one address in a tab of its own, within its time, whatever the page tries.

Invariant: it ends within the page's seconds with a result or a typed error, and the tab's context
is closed or its browser is named as suspect. Dialogs are dismissed by Playwright, downloads are
refused by the context, pop-ups are closed as they open.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from playwright.async_api import Browser, BrowserContext, Page, Request, Response, Route
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from leadline.browsing.charsets import looks_misread, put_right
from leadline.browsing.egress import EgressGuard
from leadline.browsing.egress_http import REFUSED_HEADER
from leadline.browsing.page_scripts import HAS_SCRIPTS, SETTLED, TAKE
from leadline.browsing.tabs import TabResult
from leadline.errors import BrowserFailed, EgressRefused, PageUnreadable

_PAGE_TYPES = frozenset(("text/html", "application/xhtml+xml", ""))
_NOT_LOADED = frozenset(("image", "media", "font"))
_OPEN_SECONDS = 20.0
"""For a tab to open: that is our browser's doing, so no page is charged for it."""
_TAKE_SECONDS = 4.0
_CLOSE_SECONDS = 3.0
_LOAD_SECONDS = 6.0
_QUIET_SECONDS = 2.5
_PAGES_MOST = 12
"""A page may lead on to another one, and that one to a third, this often."""
_WAITED_FOR_MOST = 3
"""So many of them are waited for until they rest; later ones are taken at once, as they are."""

_NET_ERRORS = (
    ("ERR_CERT", "has a certificate that cannot be trusted"),
    ("ERR_SSL", "has no working encryption"),
    ("ERR_TOO_MANY_REDIRECTS", "redirects in a circle"),
    ("ERR_UNSAFE_REDIRECT", "redirects to an address that no page may open"),
    ("ERR_NAME_NOT_RESOLVED", "is not known"),
    ("ERR_TUNNEL_CONNECTION_FAILED", "cannot be reached"),
    ("ERR_PROXY", "cannot be reached"),
    ("ERR_CONNECTION", "broke off the connection"),
    ("ERR_EMPTY_RESPONSE", "sent an empty answer"),
    ("ERR_INVALID_RESPONSE", "sent an answer that cannot be read"),
    ("ERR_RESPONSE_HEADERS", "sent an answer that cannot be read"),
    ("ERR_CONTENT", "sent an answer that cannot be read"),
    ("ERR_INCOMPLETE", "broke off its answer"),
    ("ERR_HTTP2", "broke off its answer"),
    ("ERR_TIMED_OUT", "did not answer in time"),
)
_PASSING = frozenset(
    ("ERR_PROXY", "ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE", "ERR_TIMED_OUT")
)
"""Faults that may be over in a while; the others are the site's own."""


class TabRead:
    """One reading of one address. Use it once."""

    def __init__(
        self,
        browser: Browser,
        url: str,
        *,
        guard: EgressGuard,
        seconds: float,
        max_chars: int,
        context_options: dict[str, Any],
        shared: BrowserContext | None = None,
        on_shown: Callable[[Page], Awaitable[None]] | None = None,
    ) -> None:
        self._browser = browser
        self._url = url
        self._guard = guard
        self._seconds = seconds
        self._max_chars = max_chars
        self._options = context_options
        self._shared = shared
        self._on_shown = on_shown
        self._answer: Response | None = None
        self._failed_url = ""
        self._charset = ""
        self._closing: set[asyncio.Task[None]] = set()
        self.left_over = False
        """The tab could not be closed: the browser should not be used again."""

    async def run(self) -> TabResult:
        """Open, wait until it is drawn, take the HTML, close. Raises as ``Tabs.read_tab`` does."""
        self._guard.rules.check_url(self._url)
        page: Page | None = None
        context = self._shared
        try:
            try:
                async with asyncio.timeout(_OPEN_SECONDS):
                    if context is None:
                        context = await self._browser.new_context(**self._options)
                        context.on("page", self._close_popup)
                    page = await context.new_page()
                    await page.route("**/*", _without_pictures)
            except TimeoutError:
                self.left_over = True
                raise PageUnreadable(
                    "The browser is too busy to open a tab.", transient=True
                ) from None
            async with asyncio.timeout(self._seconds):
                return await self._watched(page)
        except TimeoutError:
            raise PageUnreadable(
                f"The page did not come up within {self._seconds:g} seconds.", transient=True
            ) from None
        except PlaywrightError as error:
            raise self._typed(error) from None
        finally:
            await asyncio.shield(self._close(context, page))

    async def _watched(self, page: Page) -> TabResult:
        """Work on the page until it is done or its renderer dies."""
        crashed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def note_crash(_: Page) -> None:
            if not crashed.done():
                crashed.set_result(None)

        page.on("crash", note_crash)
        page.on("response", self._note_answer)
        page.on("requestfailed", self._note_failure)
        if self._shared is not None:
            page.on("popup", self._close_popup)
        work = asyncio.get_running_loop().create_task(self._steps(page))
        try:
            ends: set[asyncio.Future[Any]] = {work, crashed}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise PageUnreadable("The page crashed its tab.")
            return work.result()
        finally:
            crashed.cancel()
            work.cancel()
            with contextlib.suppress(asyncio.CancelledError, PlaywrightError):
                await work

    async def _steps(self, page: Page) -> TabResult:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._seconds - _TAKE_SECONDS
        try:
            await page.goto(self._url, wait_until="commit", timeout=self._seconds * 1000)
        except PlaywrightError:
            if (document := self._document()) is not None:
                return document  # a download, which the context refused
            raise
        result = await self._shown(page, deadline)
        if await self._mend_charset(page, result):
            result = await self._shown(page, deadline)
        return result

    async def _shown(self, page: Page, deadline: float) -> TabResult:
        """What the tab comes to rest on: pages that lead on by themselves are followed."""
        for number in range(_PAGES_MOST):
            self._check_answer()
            if (document := self._document()) is not None:
                return document
            try:
                if number < _WAITED_FOR_MOST:
                    await self._drawn(page, deadline)
                taken = await self._take(page)
            except PlaywrightError as error:
                if not _led_on(error):
                    raise
                await self._arrived(page, deadline)
                continue
            self._check_answer()  # the page may have led on while it was drawn
            return self._document() or taken
        raise PageUnreadable("The page leads on to other pages without end.")

    async def _mend_charset(self, page: Page, result: TabResult) -> bool:
        """Show the page anew in its true charset, when it declares a wrong one.

        It is drawn again from the same bytes: scripts and what is hidden count as ever.
        """
        answer = self._answer
        if answer is None or result.document or not looks_misread(result.html, self._charset):
            return False
        try:
            received = await answer.body()
        except PlaywrightError:
            return False  # the browser no longer has it
        mended = await asyncio.to_thread(put_right, received, result.html, self._charset)
        if mended is None:
            return False
        data, charset = mended
        url, status = answer.url, answer.status
        kind = f"text/html; charset={charset}"

        async def again(route: Route) -> None:
            with contextlib.suppress(PlaywrightError):  # the tab is gone
                await route.fulfill(status=status, content_type=kind, body=data)

        await page.route(lambda asked: asked == url, again, times=1)
        await page.goto(url, wait_until="commit", timeout=self._seconds * 1000)
        return True

    async def _arrived(self, page: Page, deadline: float) -> None:
        """Wait for the page that this one led on to."""
        left = deadline - asyncio.get_running_loop().time()
        await page.wait_for_load_state("domcontentloaded", timeout=max(1.0, left) * 1000)

    async def _drawn(self, page: Page, deadline: float) -> None:
        """Wait for load and a quiet moment; a page that never rests is taken as it is."""
        loop = asyncio.get_running_loop()

        def left() -> float:
            return deadline - loop.time()

        try:
            await page.wait_for_load_state("domcontentloaded", timeout=max(1.0, left()) * 1000)
            await page.wait_for_load_state("load", timeout=_within(_LOAD_SECONDS, left()))
            if not await page.evaluate(HAS_SCRIPTS):
                return
            await page.wait_for_load_state("networkidle", timeout=_within(_QUIET_SECONDS, left()))
        except PlaywrightTimeout:
            pass
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(2.0):
                await page.evaluate(SETTLED, [150, 1200])

    async def _take(self, page: Page) -> TabResult:
        try:
            async with asyncio.timeout(_TAKE_SECONDS):
                taken = await page.evaluate(TAKE, self._max_chars)
        except TimeoutError:
            raise PageUnreadable("The page keeps its tab so busy that it cannot be read.") from None
        self._charset = taken["charset"]
        if taken["size"] > self._max_chars:
            raise PageUnreadable(
                f"The page is larger than the {self._max_chars:,} characters a page may have."
            )
        if self._on_shown is not None:
            await self._on_shown(page)
        return TabResult(
            url=taken["url"],
            status=self._answer.status if self._answer else 0,
            html=taken["html"],
            title=taken["title"],
            content_type=self._content_type(),
        )

    def _note_answer(self, response: Response) -> None:
        with contextlib.suppress(PlaywrightError):  # its frame is gone already
            if response.request.is_navigation_request() and response.frame.parent_frame is None:
                self._answer = response

    def _note_failure(self, request: Request) -> None:
        if request.is_navigation_request():
            self._failed_url = request.url

    def _close_popup(self, page: Page) -> None:
        async def close() -> None:
            with contextlib.suppress(PlaywrightError, TimeoutError):
                if await page.opener() is not None:
                    async with asyncio.timeout(_CLOSE_SECONDS):
                        await page.close()

        task = asyncio.get_running_loop().create_task(close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    def _content_type(self) -> str:
        if self._answer is None:
            return ""
        return self._answer.headers.get("content-type", "").split(";")[0].strip().lower()

    def _document(self) -> TabResult | None:
        answer = self._answer
        if answer is None or 300 <= answer.status < 400:
            return None
        attached = answer.headers.get("content-disposition", "").lower().startswith("attachment")
        if not attached and self._content_type() in _PAGE_TYPES:
            return None
        return TabResult(
            answer.url, answer.status, content_type=self._content_type(), document=True
        )

    def _check_answer(self) -> None:
        """An answer of the guard itself, or one that is too large by its own word."""
        answer = self._answer
        if answer is None:
            return
        kind = answer.headers.get(REFUSED_HEADER) if answer.url.startswith("http:") else None
        if kind:
            raise self._guards_error(answer.url)
        length = answer.headers.get("content-length", "")
        if length.isdigit() and int(length) > self._max_chars and not self._document():
            raise PageUnreadable(f"The page is larger than the {self._max_chars:,} bytes allowed.")

    def _guards_error(self, url: str) -> EgressRefused | PageUnreadable:
        """The guard let no connection through to ``url``: it knows why."""
        try:
            target = self._guard.rules.check_url(url)
        except EgressRefused as error:
            return error
        problem = self._guard.problem(target.host, target.port)
        if isinstance(problem, EgressRefused):
            return problem
        sentence = str(problem or f"The host {target.host} cannot be reached.")
        return PageUnreadable(sentence, transient=True)

    def _typed(self, error: PlaywrightError) -> Exception:
        """Playwright's error as one of ours, told apart by Chromium's error codes."""
        text = error.message
        if not self._browser.is_connected():
            return BrowserFailed("The browser ended while a page was read.")
        url = self._failed_url or self._url
        if "ERR_TUNNEL_CONNECTION_FAILED" in text:
            return self._guards_error(url)
        for code, sentence in _NET_ERRORS:
            if code in text:
                with contextlib.suppress(EgressRefused):
                    return PageUnreadable(
                        f"The host {self._guard.rules.check_url(url).host} {sentence}.",
                        transient=code in _PASSING,
                    )
        if isinstance(error, PlaywrightTimeout):
            return PageUnreadable(
                f"The page did not come up within {self._seconds:g} seconds.", transient=True
            )
        if "ERR_ABORTED" in text or "ERR_BLOCKED" in text or "ERR_UNSAFE_PORT" in text:
            return PageUnreadable("The page leads nowhere that the browser may open.")
        return PageUnreadable("The page closed itself or crashed while it was read.")

    async def _close(self, context: BrowserContext | None, page: Page | None) -> None:
        for task in list(self._closing):
            task.cancel()
        closing = page.close() if self._shared is not None and page else None
        if self._shared is None and context is not None:
            closing = context.close()
        if closing is None:
            return
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await closing
        except (TimeoutError, PlaywrightError):
            self.left_over = True


def _led_on(error: PlaywrightError) -> bool:
    """Whether a script of ours was cut off because the page went on to another address."""
    text = error.message
    return "context was destroyed" in text or "Cannot find context" in text


async def _without_pictures(route: Route) -> None:
    with contextlib.suppress(PlaywrightError):  # the tab is gone: nothing waits for an answer
        if route.request.resource_type in _NOT_LOADED:
            await route.abort("blockedbyclient")
        else:
            await route.continue_()


def _within(most: float, left: float) -> float:
    """Milliseconds for one wait, from what is left of the page's time."""
    return max(0.2, min(most, left)) * 1000
