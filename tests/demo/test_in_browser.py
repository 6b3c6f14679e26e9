"""What only a browser sees: pages drawn by scripts, buttons, and the search as it is used."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Page, async_playwright

from leadline.demo.server import DemoWeb
from leadline.sources.base import RenderedPage
from leadline.sources.engine_pages import demo_engine

pytestmark = pytest.mark.browser


@pytest.fixture
async def tab(chromium: Path) -> AsyncIterator[Page]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=str(chromium), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield await browser.new_page()
        await browser.close()


async def test_scripts_and_buttons_do_their_work(demo: DemoWeb, tab: Page) -> None:
    await tab.goto(demo.page_url("ferry/punctuality"))
    await tab.get_by_text("98.4 percent").wait_for()
    assert await tab.locator("tbody tr").count() == 12

    await tab.goto(demo.page_url("forum/first-crossing"))
    await tab.get_by_text("Show more posts").click()
    await tab.locator(".post").nth(7).wait_for()
    await tab.get_by_text("Show more posts").click()
    await tab.get_by_text("1 in 14").wait_for()
    await tab.locator("#more").wait_for(state="detached")

    await tab.goto(demo.page_url("courier/noise-complaints"))
    await tab.get_by_role("button", name="Accept all cookies").click()
    await tab.get_by_text("63 complaints").wait_for()


async def test_the_second_subject_works_the_same_way(demo: DemoWeb, tab: Page) -> None:
    await tab.goto(demo.page_url("mirrors/downloads"))
    await tab.get_by_text("2.94 million").wait_for()
    assert await tab.locator("tbody tr").count() == 12

    await tab.goto(demo.page_url("rowbound/compaction-stalls"))
    await tab.get_by_text("Show more posts").click()
    await tab.locator(".post").nth(7).wait_for()
    await tab.get_by_text("Show more posts").click()
    await tab.get_by_text("merge_budget").wait_for()
    await tab.locator("#more").wait_for(state="detached")

    await tab.goto(demo.page_url("datenwerk/umstieg"))
    await tab.get_by_role("button", name="Alle Cookies akzeptieren").click()
    await tab.get_by_text("Statt 212 Servern").wait_for()


async def test_a_search_goes_through_the_result_page(demo: DemoWeb, tab: Page) -> None:
    async def open_page(url: str) -> RenderedPage:
        response = await tab.goto(url)
        return RenderedPage(
            url=tab.url, status=response.status if response else 0, html=await tab.content()
        )

    hits = await demo_engine(demo.search_url).search("seals & noise", 3, open_page=open_page)
    assert len(hits) == 3
    study = next(hit for hit in hits if hit.url == demo.page_url("wildlife/seal-study-2025"))
    await tab.goto(study.url)
    assert study.title in await tab.title()
