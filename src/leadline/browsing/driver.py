"""Playwright's driver: one process a run, started when it is first needed, gone when stopped.

A start is never cancelled, because that would leave its process behind with nobody to know it. A
driver that died (out of memory, ended by hand) is replaced when the next browser is started.
"""

from __future__ import annotations

import asyncio
import contextlib

import psutil
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Playwright, async_playwright

from leadline.browsing.process_tree import ProcessKey, alive, end_processes, tree_of
from leadline.errors import BrowserFailed

_START_SECONDS = 30.0
_STOP_SECONDS = 1.5


class Driver:
    """The driver of one pool."""

    def __init__(self) -> None:
        self._start: asyncio.Task[Playwright] | None = None
        self._others: set[ProcessKey] = set()
        self._stopped = False

    def start_soon(self) -> None:
        """Begin to start it, if that has not begun yet or it has died since."""
        if self._has_died():
            self._start = None
        if self._start is None and not self._stopped:
            self._others = _driver_processes()
            self._start = asyncio.get_running_loop().create_task(async_playwright().start())
            self._start.add_done_callback(_note_failure)

    async def get(self) -> Playwright:
        """The driver, ready for use; raises :class:`BrowserFailed`."""
        self.start_soon()
        if self._start is None:
            raise BrowserFailed("The run is ending; no browser is started any more.")
        try:
            async with asyncio.timeout(_START_SECONDS):
                return await asyncio.shield(self._start)
        except (PlaywrightError, TimeoutError, OSError) as error:
            raise BrowserFailed(
                "Playwright's driver does not start; 'leadline doctor' can tell more."
            ) from error

    def _has_died(self) -> bool:
        start = self._start
        if start is None or not start.done() or start.cancelled() or start.exception():
            return False
        return not alive(_driver_processes() - self._others)

    async def stop(self) -> None:
        """End it, whatever state it is in. Safe to call twice."""
        self._stopped = True
        start, self._start = self._start, None
        if start is None:
            return
        with contextlib.suppress(TimeoutError, PlaywrightError, OSError):
            async with asyncio.timeout(_STOP_SECONDS):
                await (await asyncio.shield(start)).stop()
        await end_processes(_driver_processes() - self._others, grace=0)
        start.cancel()
        await asyncio.gather(start, return_exceptions=True)


def _driver_processes() -> set[ProcessKey]:
    """Playwright's drivers among our own children."""
    keys: set[ProcessKey] = set()
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.Error):
            if "run-driver" in child.cmdline():
                keys |= tree_of(child.pid)
    return keys


def _note_failure(start: asyncio.Task[Playwright]) -> None:
    """Its error is told by ``get``; when nobody asks, it is of no interest."""
    if not start.cancelled():
        start.exception()
