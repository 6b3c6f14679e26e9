from __future__ import annotations

import os
import signal

import pytest

from leadline.browsing.driver import Driver, _driver_processes
from leadline.errors import BrowserFailed


@pytest.mark.browser
async def test_a_driver_that_died_is_replaced() -> None:
    """Else every later browser of the run would fail."""
    others, driver = _driver_processes(), Driver()
    try:
        first = await driver.get()
        assert await driver.get() is first
        for process in _driver_processes() - others:
            os.kill(process.pid, signal.SIGKILL)
            process.wait(5)
        second = await driver.get()
        assert second is not first
        assert second.chromium.name == "chromium"
    finally:
        await driver.stop()
    assert not _driver_processes() - others
    with pytest.raises(BrowserFailed, match="is ending"):
        await driver.get()
