"""Claims on the page in a real browser: badges, table, passages, downloads, choices on Ask."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.end_to_end.test_page_finished_run import SWITCHES, serving
from tests.web.checked_runs import CheckedRuns

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> CheckedRuns:
    made = CheckedRuns(tmp_path_factory.mktemp("claims") / "runs")
    made.done()
    made.checked()
    return made


@pytest.fixture(scope="module")
def address(runs: CheckedRuns) -> Iterator[str]:
    with serving(runs.store.root) as where:
        yield where


@pytest.fixture(scope="module")
def browser(chromium: Path) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=str(chromium), args=SWITCHES)
        yield made
        made.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page that notes faults: errors, scripts refused by the policy, foreign requests."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
    made = context.new_page()
    faults: list[str] = []
    made.on("pageerror", lambda error: faults.append(str(error)))
    made.on(
        "console",
        lambda said: faults.append(said.text) if "Content Security" in said.text else None,
    )
    made.on(
        "request",
        lambda asked: (
            None
            if asked.url.startswith((address, "data:", "blob:"))
            else faults.append(f"request to {asked.url}")
        ),
    )
    yield made
    context.close()
    assert faults == []


def shown(page: Page) -> list[str]:
    rows = page.locator("[data-ll-claims] tbody tr:not([hidden]) td.ll-col-claim")
    return rows.all_text_contents()


def test_a_citation_tells_quote_and_state_to_mouse_and_keyboard(page: Page, address: str) -> None:
    page.goto(f"{address}/?run=checked")
    first = page.locator(".ll-report a.cite.is-disputed")
    sign = first.evaluate("e => getComputedStyle(e, '::after').content")
    assert sign == '"⇄"'
    expect(page.locator(".ll-report em.state").first).to_have_text("⇄ disputed")
    first.hover()
    tip = page.get_by_role("tooltip")
    expect(tip).to_contain_text("In 2025 the ferry carried 412,000 passengers")
    expect(tip).to_contain_text("⇄ c1 disputed: c4 says otherwise.")
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)
    page.locator("[data-ll-go='ll-claims']").focus()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('a.cite.is-supported')"):
            break
    expect(tip).to_contain_text("✓ c2 supported")
    supported = page.locator(".ll-report a.cite.is-supported")
    expect(supported).to_have_attribute("aria-describedby", "ll-tip")
    page.keyboard.press("Enter")
    expect(page.frame_locator(".ll-panel iframe").locator(".rests.here[open]")).to_contain_text(
        "c2"
    )
    page.keyboard.press("Escape")
    expect(supported).to_have_attribute("title", "“It left on time on 97 of 100 crossings.” — "
        "Quorrow Ferry: the year 2025\n✓ c2 supported")  # fmt: skip


def test_the_table_filters_and_sorts_without_the_server(page: Page, address: str) -> None:
    page.goto(f"{address}/?run=checked")
    expect(page.locator("[data-ll-claims] tbody tr")).to_have_count(7)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    chip = page.locator("[data-ll-show-state='disputed']")
    chip.click()
    assert shown(page) == ["c1", "c4"]
    expect(chip).to_have_attribute("aria-pressed", "true")
    chip.click()
    assert len(shown(page)) == 7
    expect(chip).to_have_attribute("aria-pressed", "false")
    chip.click()
    assert shown(page) == ["c1", "c4"]
    expect(page.locator("[data-ll-shown]")).to_have_text("2 of 7 shown")
    page.locator("[data-ll-filter='text']").fill("389,000 FERRY")
    assert shown(page) == ["c4"]
    page.locator("[data-ll-filter='text']").fill("nowhere")
    expect(page.locator("[data-ll-no-claim]")).to_be_visible()
    page.locator("[data-ll-filter-reset]").click()
    assert len(shown(page)) == 7
    page.get_by_label("2 or more independent sources").check()
    assert shown(page) == ["c2"]
    page.get_by_label("2 or more independent sources").uncheck()
    page.get_by_label("Grade").select_option("A")
    assert shown(page) == ["c2"]
    page.get_by_label("Grade").select_option("")
    page.get_by_label("Part of the plan").select_option(label="Cost and funding")
    assert shown(page) == ["c2", "c4", "c6"]
    page.get_by_label("Part of the plan").select_option("")
    grade = page.locator("th.ll-col-grade")
    grade.get_by_role("button").click()
    expect(grade).to_have_attribute("aria-sort", "descending")
    assert shown(page)[0] == "c2"
    grade.get_by_role("button").click()
    assert shown(page)[0] == "c7"
    grade.get_by_role("button").click()
    assert shown(page) == [f"c{n}" for n in range(1, 8)]
    assert [url for url in asked if "/queue/" in url or "/runs/" in url] == []


def test_a_row_opens_its_passage_with_all_that_rests_on_it(page: Page, address: str) -> None:
    page.goto(f"{address}/?run=checked")
    page.locator("#ll-c7 td.ll-col-state").click()
    panel = page.frame_locator(".ll-panel iframe")
    expect(panel.locator(".passage.marked")).to_contain_text("nineteen days")
    expect(panel.locator(".rests.here[open] li")).to_have_count(3)
    page.keyboard.press("Escape")
    expect(page.locator(".ll-conflict")).to_have_count(2)
    page.locator(".ll-conflict .ll-side").first.get_by_text("Open the passage").click()
    expect(panel.locator(".passage.marked")).to_contain_text("412,000")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_page_never_scrolls_sideways(browser: Browser, address: str, scheme: str) -> None:
    dark = scheme == "dark"
    context = browser.new_context(
        viewport={"width": 400, "height": 800},
        locale="zh-CN",
        color_scheme="dark" if dark else "light",
    )
    page = context.new_page()
    page.goto(f"{address}/zh/?run=checked")
    expect(page.locator("[data-ll-claims] tbody tr")).to_have_count(7)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    for place in (".ll-overview", ".ll-conflict", "#ll-c1", ".ll-filters"):
        box = page.locator(place).first.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 400, place
    context.close()


def test_bundle_and_evidence_are_downloads_and_a_failure_is_said(
    page: Page, address: str, runs: CheckedRuns
) -> None:
    page.goto(f"{address}/?run=checked")
    with page.expect_download() as got:
        page.get_by_text("Evidence bundle (ZIP)").click()
    assert got.value.suggested_filename == "checked.zip"
    assert "manifest.json" in zipfile.ZipFile(got.value.path()).namelist()
    with page.expect_download() as got:
        page.get_by_text("Evidence (JSON)").click()
    assert len(json.loads(Path(got.value.path()).read_text("utf-8"))["claims"]) == 7
    altered = runs.checked("altered").path / "report.md"
    page.goto(f"{address}/?run=altered")
    expect(page.locator(".ll-report")).to_be_visible()
    altered.write_text(altered.read_text("utf-8").replace("97 of", "99 of"), encoding="utf-8")
    page.get_by_text("Evidence bundle (ZIP)").click()
    expect(page.locator("[data-ll-download-error]")).to_contain_text("was changed after it was")
    expect(page.locator(".ll-report")).to_be_visible()


def test_a_run_of_before_claims_looks_as_it_did(page: Page, address: str) -> None:
    page.goto(f"{address}/?run=done")
    expect(page.locator(".ll-report")).to_contain_text("412,000")
    for gone in (".ll-overview", ".ll-claims", ".ll-conflicts"):
        expect(page.locator(gone)).to_have_count(0)


def test_the_checks_are_seen_on_the_run_tab(page: Page, address: str, runs: CheckedRuns) -> None:
    """S3-36: a debate's searches stand apart from the plan."""
    with runs.being_checked():
        page.goto(f"{address}/?run=being-checked")
        expect(page.locator(".ll-checking")).to_contain_text("Checking 2 of 7 claims")
        expect(page.locator(".ll-counter li")).to_have_count(2)
        expect(page.locator(".ll-plan:visible .ll-task")).to_have_count(5)


def test_what_each_choice_does_is_said_where_it_is_made(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#ll-advanced > button").click()
    page.get_by_label("Debate: The main claims are also challenged").check()
    page.get_by_label("Views: 3 to 6 views").check()
    expect(page.locator("#ll-verification input:checked")).to_have_value("debate")
    page.goto(f"{address}/language/zh")
    page.locator("#ll-advanced > button").click()
    expect(page.locator("#ll-verification")).to_contain_text("辩论：还会质疑主要论断")
