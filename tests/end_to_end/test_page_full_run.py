"""A run from the page, by a person's clicks; server, runs and browsers are real processes."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from leadline.domain.run import RunStatus
from tests.end_to_end.lab import (
    Lab,
    assert_nothing_left,
    check_invariants,
    entries,
    of_type,
    wait_for,
    wait_until,
)
from tests.end_to_end.test_page_finished_run import SWITCHES
from tests.end_to_end.test_stop_and_resume import snapshot_of

QUESTION = "How many passengers did the Quorrow ferry carry in 2025?"
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/")


@contextmanager
def serving(lab: Lab, name: str = "server.log") -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """``webui.py`` on a free port, as a person starts it: its address and its process."""
    log = lab.root.parent / name
    with log.open("w") as output:
        server = subprocess.Popen(
            [sys.executable, "webui.py", "--port", "0"],
            env=lab.environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=Path(__file__).parents[2],
        )
    try:
        wait_until(lambda: bool(ADDRESS.search(log.read_text())), 40, "the server's address")
        found = ADDRESS.search(log.read_text())
        assert found is not None
        yield found[0], server
    finally:
        if server.poll() is None:
            server.send_signal(signal.SIGTERM)
        assert server.wait(15) in (0, -signal.SIGTERM, -signal.SIGKILL)
        assert "Traceback" not in log.read_text(), log.read_text()


@pytest.fixture
def address(lab: Lab) -> Iterator[str]:
    with serving(lab) as (where, _):
        yield where


@pytest.fixture
def page(chromium: Path) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser: Browser = playwright.chromium.launch(executable_path=str(chromium), args=SWITCHES)
        made = browser.new_page(viewport={"width": 1280, "height": 900}, locale="en-US")
        made.set_default_timeout(20_000)
        yield made
        browser.close()


def start(page: Page, address: str, *, depth: str = "Quick") -> None:
    page.goto(address)
    page.get_by_label(depth, exact=True).check()
    page.locator("#ll-question textarea").fill(QUESTION)
    page.locator("#ll-question textarea").press("Enter")


def test_from_the_question_to_an_opened_citation(page: Page, address: str, lab: Lab) -> None:
    """With no model configured: click, see the plan tick, read the report, open its proof."""
    start(page, address)
    page.wait_for_url(re.compile(r"\?run="))
    folder = lab.only_run(timeout=5)
    expect(page.locator("[data-ll-run]")).to_have_attribute("data-ll-run", folder.task_id)
    wait_for(folder, "run.finished")
    expect(page.locator(".ll-run-head[data-ll-status=done]")).to_be_visible()
    citation = page.locator(".ll-report a.cite").first
    expect(citation).to_be_visible()
    citation.click()
    passage = page.frame_locator(".ll-panel iframe").locator(".passage.marked")
    expect(passage).to_be_visible()
    assert passage.inner_text().strip()
    page.keyboard.press("Escape")
    with page.expect_download() as download:
        page.get_by_role("link", name="Markdown", exact=True).click()
    downloaded = Path(download.value.path()).read_text(encoding="utf-8")
    assert downloaded.startswith((folder.report() or "").splitlines()[0])
    assert "](#quote-" in downloaded
    check_invariants(folder)
    page.reload()
    expect(page.locator(".ll-report a.cite").first).to_be_visible()
    status = httpx.get(f"{address}healthz").status_code
    assert status == 200


def test_stop_reload_and_resume_from_the_page(page: Page, address: str, lab: Lab) -> None:
    """safety 40, 41, users.md: Stop acts at once, a reload shows the run, Resume finishes it."""
    start(page, address, depth="Standard")
    page.wait_for_url(re.compile(r"\?run="))
    folder = lab.only_run(timeout=5)
    wait_for(folder, "finding.recorded")
    page.reload()
    expect(page.locator("#ll-stop")).to_be_visible()
    seen = snapshot_of(folder)
    page.locator("#ll-stop").click()
    wait_until(lambda: folder.status() is RunStatus.STOPPED, 10, "the run to be stopped")
    assert_nothing_left(folder, seen)
    expect(page.locator("#ll-resume")).to_be_visible()
    done = {e.task for e in of_type(folder, "task.finished")}
    page.locator("#ll-resume").click()
    wait_for(folder, "run.finished", timeout=120)
    expect(page.locator(".ll-run-head[data-ll-status=done]")).to_be_visible()
    again = [e.task for e in of_type(folder, "task.started")]
    assert all(again.count(task) == 1 for task in done)
    check_invariants(folder)


def test_closing_the_tab_leaves_the_run_and_another_tab_shows_it(
    page: Page, address: str, lab: Lab
) -> None:
    """safety 41."""
    start(page, address)
    page.wait_for_url(re.compile(r"\?run="))
    folder = lab.only_run(timeout=5)
    wait_for(folder, "task.started")
    where = page.url
    page.goto("about:blank")
    wait_for(folder, "run.finished")
    page.goto(where)
    expect(page.locator(".ll-report a.cite").first).to_be_visible()


def test_the_server_ends_its_runs_in_order(lab: Lab, page: Page) -> None:
    """safety 42: SIGTERM ends server and runs within 15 s, and the run can be resumed."""
    with serving(lab) as (where, server):
        start(page, where, depth="Standard")
        folder = lab.only_run()
        wait_for(folder, "page.read")
        seen = snapshot_of(folder)
        server.send_signal(signal.SIGTERM)
        server.wait(15)
        assert_nothing_left(folder, seen)
    assert folder.status() is RunStatus.STOPPED
    assert lab.json("resume", folder.task_id)["status"] == "done"
    check_invariants(folder)


def test_a_run_outlives_its_server_and_another_one_stops_it(lab: Lab, page: Page) -> None:
    """safety 40, 41: ``kill -9`` of the server; another one shows the run and its Stop works."""
    with serving(lab, "other.log") as (other, _), serving(lab) as (where, server):
        start(page, where, depth="Deep")
        folder = lab.only_run()
        wait_for(folder, "task.started")
        server.kill()
        server.wait(5)
        before = len(entries(folder))
        page.goto(f"{other}?run={folder.task_id}")
        expect(page.locator("#ll-stop")).to_be_visible()
        wait_until(lambda: len(entries(folder)) > before, 10, "the run to go on")
        seen = snapshot_of(folder)
        page.locator("#ll-stop").click()
        wait_until(lambda: folder.status() is RunStatus.STOPPED, 10, "the run to be stopped")
        assert_nothing_left(folder, seen)
        expect(page.locator("#ll-resume")).to_be_visible()
    check_invariants(folder)
