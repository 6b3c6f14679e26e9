"""Take the pictures of the README anew: ``python scripts/screenshots.py`` (needs a Chromium).

A server is started on a free port over an empty folder of runs, and the demo question is asked by
clicks, as a person would.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from leadline.browsing.chromium import find_chromium
from leadline.demo.questions import QUESTIONS
from leadline.domain.config import BrowserConfig

TOPIC = next(question.text for question in QUESTIONS if question.id == "bridge-or-ferry")
"""The pages of the demo web do not agree on what a bridge costs, which the pictures show."""

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
SWITCHES = ["--no-sandbox", "--disable-quic", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--no-first-run"]  # fmt: skip
_ADDRESS = re.compile(r"http://\S+")


def main() -> None:
    """Start a server, take the pictures, end the server."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "server.log"
        with log.open("w") as output:
            server = subprocess.Popen(
                [sys.executable, "webui.py", "--port", "0"],
                cwd=ROOT,
                env={**os.environ, "LEADLINE_RUNS_DIR": f"{folder}/runs"},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            take_all(_address(log))
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(20)


def take_all(address: str) -> None:
    """Ask, Plan, Run, Report, a passage and the claims, in this order, of one run."""
    chromium = find_chromium(BrowserConfig())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(chromium), args=SWITCHES)
        page = browser.new_page(viewport={"width": 1280, "height": 860}, locale="en-US")
        page.set_default_timeout(30_000)
        page.goto(address)
        page.locator("#ll-question textarea").fill(TOPIC)
        _shoot(page, "ask")
        page.get_by_label("Review the plan first").check()
        page.locator("#ll-start").click()
        expect(page.locator("#ll-start-plan")).to_be_visible(timeout=30_000)
        _shoot(page, "plan")
        page.locator("#ll-start-plan").click()
        page.mouse.move(0, 0)
        expect(page.locator(".ll-card").first).to_be_visible(timeout=60_000)
        page.wait_for_timeout(9_000)  # enough of the run to look at
        _shoot(page, "run")
        expect(page.locator(".ll-report a.cite").first).to_be_visible(timeout=180_000)
        _report(page)
        browser.close()


def _report(page: Page) -> None:
    """The report with what a citation tells, its claims at odds, and the passage behind one."""
    page.evaluate("scrollTo(0, 0)")
    page.locator(".ll-report a.cite").first.hover()
    expect(page.get_by_role("tooltip")).to_be_visible()
    _shoot(page, "report")
    page.mouse.move(0, 0)
    page.locator("th.ll-col-state button").click()  # the weakest states first
    page.evaluate("scrollTo(0, 0)")
    page.locator("[data-ll-go='ll-conflicts']").click()
    _shoot(page, "claims")
    page.locator("[data-ll-claims] tbody tr").first.locator("td").first.click()
    expect(page.frame_locator(".ll-panel iframe").locator(".passage.marked")).to_be_visible()
    _shoot(page, "passage")


def _shoot(page: Page, name: str) -> None:
    page.wait_for_timeout(700)  # Gradio's transitions
    page.screenshot(path=str(IMAGES / f"{name}.png"))


def _address(log: Path) -> str:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = _ADDRESS.search(log.read_text(encoding="utf-8"))
        if found:
            return found[0]
        time.sleep(0.1)
    raise SystemExit(f"The server did not start: {log.read_text(encoding='utf-8')}")


if __name__ == "__main__":
    main()
