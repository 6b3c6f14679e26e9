"""The page in a real browser, over runs written by hand."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, expect, sync_playwright

from leadline.domain.plan import TaskState
from leadline.domain.run import RunStatus
from leadline.runs.store import RunStore
from leadline.runs.supervisor import Supervisor
from leadline.settings import Settings
from leadline.web.app import create_app
from leadline.web.server import bind
from tests.web.runs_by_hand import ByHand

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

SWITCHES = [
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@contextmanager
def serving(root: Path) -> Iterator[str]:
    """A server on a free port; its address."""
    store = RunStore(root)
    app = create_app(Settings(runs_dir=root), store, Supervisor(store, max_running=1))
    listener = bind("127.0.0.1", 0)
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> ByHand:
    made = ByHand(tmp_path_factory.mktemp("page") / "runs")
    made.stopped()
    made.done()
    return made


@pytest.fixture(scope="module")
def address(runs: ByHand) -> Iterator[str]:
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
    context.grant_permissions(["clipboard-read", "clipboard-write"])
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
    made.on("dialog", lambda dialog: faults.append(f"dialog {dialog.message}"))
    yield made
    context.close()
    assert faults == []


def test_a_citation_opens_its_passage_highlighted(page: Page, address: str) -> None:
    page.goto(f"{address}/?run=done")
    citation = page.locator(".ll-report a.cite").first
    expect(citation).to_have_attribute("title", "“In 2025 the ferry carried 412,000 passengers, "
        "a third more than the diesel boat before it.” — Quorrow Ferry: the year 2025")  # fmt: skip
    assert page.title().startswith("Done · How well does")
    citation.click()
    panel = page.frame_locator(".ll-panel iframe")
    expect(panel.locator(".passage.marked")).to_contain_text("412,000 passengers")
    expect(panel.locator(".passage.marked")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".ll-panel")).to_have_count(0)
    expect(citation).to_be_focused()
    with page.context.expect_page() as opened:
        citation.click(modifiers=["Control"])
    assert opened.value.url.startswith(f"{address}/runs/done/sources/1")


@pytest.mark.parametrize("width", [400, 1280])
def test_back_closes_the_passage_and_stays_at_the_report(
    browser: Browser, address: str, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800}, locale="en-US")
    page.goto(address)
    page.locator("[data-ll-run]").first.wait_for(state="attached")
    page.goto(f"{address}/?run=stopped")
    expect(page.locator("#ll-resume")).to_be_visible()
    page.evaluate("document.querySelector('[data-ll-open=done]').click()")
    page.wait_for_url(f"{address}/?run=done")
    citation = page.locator(".ll-report a.cite").first
    panel = page.locator(".ll-panel")
    inside = page.frame_locator(".ll-panel iframe")
    citation.click()
    expect(inside.locator(".passage.marked")).to_be_visible()
    expect(panel.locator("header strong")).to_have_text("Quorrow Ferry: the year 2025")
    inside.locator("#p3 a.n").click()
    expect(page.frame_locator(".ll-panel iframe").locator("#p3:target")).to_be_visible()
    page.go_back()
    expect(panel).to_have_count(0)
    expect(citation).to_be_visible()
    page.go_forward()
    expect(inside.locator(".passage.marked")).to_be_visible()
    panel.locator("header button").click()
    expect(panel).to_have_count(0)
    citation.click()
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(page).to_have_url(f"{address}/?run=done")
    page.go_back()
    expect(page.locator('[data-ll-run="stopped"]')).to_be_attached()
    expect(page).to_have_url(f"{address}/?run=stopped")
    page.close()


def test_a_passage_asked_for_while_another_closes_is_opened(page: Page, address: str) -> None:
    """Closing goes back in the browser's history, which takes its time."""
    page.goto(f"{address}/?run=done")
    expect(page.locator(".ll-report a.cite").first).to_be_visible()
    page.evaluate(
        """() => {
          const [one, , three] = document.querySelectorAll(".ll-report a.cite");
          one.click();
          document.querySelector(".ll-panel header button").click();
        }"""
    )
    page.evaluate("document.querySelectorAll('.ll-report a.cite')[2].click()")
    expect(page.locator(".ll-panel header strong")).to_have_text("What the quays cost")
    page.go_back()
    expect(page.locator(".ll-panel")).to_have_count(0)
    expect(page).to_have_url(f"{address}/?run=done")


def test_a_double_click_starts_one_run_and_stops_nothing(
    tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second click meets neither the button again nor the one that came in its place."""
    made = ByHand(tmp_path / "runs")
    made.done()
    started: list[str] = []
    stopped: list[str] = []
    monkeypatch.setattr(Supervisor, "start", lambda self, run, *_, **__: started.append(run))
    monkeypatch.setattr(Supervisor, "request_stop", lambda self, run, *_: stopped.append(run))
    with serving(made.store.root) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 900}, locale="en-US")
        for button in ("#ll-again", '[data-ll-row="done"] [data-ll-action="again"]'):
            before = len(started)
            page.goto(f"{address}/?run=done")
            expect(page.locator(".ll-report")).to_be_visible()
            page.locator(button).dblclick(force=True)
            expect(page.locator("[data-ll-status='queued']").first).to_be_attached()
            page.wait_for_timeout(500)
            assert len(started) <= before + 1
        assert len(started) == 1, "within a few seconds it is the same wish"
        assert len(made.store.task_ids()) == 2
        page.goto(f"{address}/?run=done")
        expect(page.locator("#ll-again")).to_be_visible()
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        page.close()
    assert stopped == []


def test_a_reload_shows_the_same_run(page: Page, address: str) -> None:
    """safety 41"""
    page.goto(address)
    page.locator('[data-ll-open="done"]').click()
    expect(page.locator(".ll-report")).to_contain_text("412,000")
    expect(page).to_have_url(f"{address}/?run=done")
    page.reload()
    expect(page.locator(".ll-report")).to_contain_text("412,000")
    page.locator("#ll-new").click()
    expect(page.locator("#ll-question")).to_be_visible()
    expect(page).to_have_url(f"{address}/")
    page.go_back()
    expect(page.locator(".ll-report")).to_contain_text("412,000")


def test_downloads_and_copy_give_the_report(page: Page, address: str) -> None:
    page.goto(f"{address}/?run=done")
    with page.expect_download() as download:
        page.get_by_role("link", name="Markdown", exact=True).click()
    assert "412,000" in download.value.path().read_text("utf-8")
    page.get_by_role("button", name="Copy as Markdown").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert "412,000" in page.evaluate("navigator.clipboard.readText()")


def test_the_page_follows_a_run_at_work_and_leaves_the_editor_alone(
    page: Page, address: str, runs: ByHand
) -> None:
    """S2-41, W2-15"""
    with runs.at_work("live") as session:
        page.goto(f"{address}/?run=live")
        expect(page.locator(".ll-card")).to_have_count(2)
        image = page.locator(".ll-card img")
        assert image.evaluate("i => i.decode().then(() => i.naturalWidth)") == 320
        page.get_by_role("tab", name="Plan").click()
        page.locator("#ll-edit").click()
        box = page.locator("#ll-editor textarea")
        expect(box).not_to_have_value("")
        typed = box.input_value() + "- [ ] Who steers it?\n"
        box.fill(typed)
        task = next(t for t in session.view.tasks.values() if t.running)
        session.finish_task(task.id, 1, TaskState.DONE)
        expect(page.locator("#ll-plan .ll-task-done")).to_have_count(3)
        expect(box).to_have_value(typed)
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.locator("#ll-plan")).to_contain_text("Who steers it?")
        assert "Who steers it?" in session.folder.plan_text()
        assert f"- [x] {task.text}" in session.folder.plan_text()


def test_stop_shows_at_once_and_the_end_follows(page: Page, address: str, runs: ByHand) -> None:
    """S2-39, safety 40"""
    from leadline.domain.events import RunStopped

    with runs.at_work("to-stop") as session:
        page.goto(f"{address}/?run=to-stop")
        page.locator("#ll-stop").click()
        expect(page.locator("#ll-stop")).to_have_text("Stopping…", timeout=1000)
        deadline = time.monotonic() + 5
        while not session.stop_requested() and time.monotonic() < deadline:
            page.wait_for_timeout(50)
        assert session.stop_requested()
        session.set_status(RunStatus.STOPPING)
        session.end(RunStopped())
        expect(page.locator("[data-ll-status='stopped']").first).to_be_attached()
        expect(page.locator("#ll-resume")).to_be_visible()
        expect(page.locator("#ll-stop")).to_have_count(0)


def test_the_list_searches_and_deletes_after_asking(page: Page, address: str, runs: ByHand) -> None:
    runs.failed("to-delete")
    page.goto(address)
    expect(page.locator('[data-ll-row="to-delete"]')).to_be_visible()
    page.locator("#ll-search input, #ll-search textarea").click()
    page.keyboard.insert_text("diesel")
    expect(page.locator("[data-ll-row]")).to_have_count(1)
    row = page.locator('[data-ll-row="to-delete"]')
    row.hover()
    row.get_by_role("button", name="Delete").click()
    expect(page.locator(".ll-confirm")).to_contain_text("“What became of the diesel boat?”")
    page.get_by_role("button", name="Cancel").click()
    expect(row).to_have_count(1)
    row.get_by_role("button", name="Delete").click()
    page.locator(".ll-confirm .ll-danger").click()
    expect(row).to_have_count(0)
    assert not (runs.store.root / "to-delete").exists()


def test_keys_on_the_question_box(page: Page, address: str) -> None:
    """Enter sends, Shift+Enter breaks the line, a composed Enter (IME) does neither."""
    page.goto(address)
    page.locator("[data-ll-run]").first.wait_for(state="attached")
    box = page.locator("#ll-question textarea")
    box.evaluate("box => box.blur()")
    page.keyboard.press("/")
    expect(box).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".ll-field-error").first).to_have_text("Type a question or a topic first.")
    box.fill("one")
    box.press("Shift+Enter")
    box.type("two")
    assert box.input_value() == "one\ntwo"
    box.evaluate(
        "box => box.dispatchEvent(new KeyboardEvent('keydown',"
        " {key: 'Enter', isComposing: true, bubbles: true, cancelable: true}))"
    )
    page.wait_for_timeout(400)
    expect(box).to_be_visible()
    page.reload()
    expect(box).to_have_value("one\ntwo")


def test_hostile_runs_run_nothing(page: Page, address: str, runs: ByHand) -> None:
    """safety 6, 7: the page fixture fails on a dialog, an error or a foreign request."""
    hostile = "<img src=x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)>"
    report = f"# {hostile}\n\n{hostile}\n\n![p](https://evil.example/p.png)[x](javascript:alert(4))"
    runs.done("hostile", topic=hostile, report=report)
    page.goto(f"{address}/?run=hostile")
    expect(page.locator(".ll-run-head h1")).to_have_text(hostile)
    expect(page.locator(".ll-report")).to_be_visible()
    assert page.locator(".ll-report img, .ll-report script, .ll-report svg").count() == 0


def test_the_policy_would_stop_markup_that_slipped_through(browser: Browser, address: str) -> None:
    """safety 6"""
    page = browser.new_page()
    page.goto(address)
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend',"
        ' \'<img src="data:," onerror="window.ran = 1">\')'
    )
    page.wait_for_timeout(300)
    assert page.evaluate("window.ran") is None
    page.close()


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("path", ["/", "/zh/", "/?run=done", "/zh/?run=stopped"])
def test_nothing_is_wider_than_the_screen(
    browser: Browser, address: str, width: int, path: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, locale="en-US")
    page = context.new_page()
    page.goto(address + path)
    page.locator("[data-ll-run]").first.wait_for(state="attached")
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if width == 400:
        visible = page.locator("#ll-main h1:visible").first.bounding_box()
        assert visible is not None
        covering = page.evaluate(
            "([x, y]) => !!document.elementFromPoint(x, y)?.closest('#ll-main')",
            [visible["x"] + 20, visible["y"] + 10],
        )
        assert covering, "the list of runs lies over the page"
    context.close()


def test_back_and_forward_go_where_they_went(page: Page, address: str, runs: ByHand) -> None:
    """Redrawing the page while an answer is awaited adds nothing to the browser's history."""
    page.goto(address)
    page.locator('[data-ll-open="done"]').click()
    page.wait_for_url(f"{address}/?run=done")
    page.locator('[data-ll-open="stopped"]').click()
    page.wait_for_url(f"{address}/?run=stopped")
    for go, run in (
        (page.go_back, "done"),
        (page.go_back, ""),
        (page.go_forward, "done"),
        (page.go_forward, "stopped"),
    ):
        go()
        expect(page.locator(f'[data-ll-run="{run}"]')).to_be_attached()
        page.wait_for_timeout(150)
        expect(page).to_have_url(f"{address}/" + (f"?run={run}" if run else ""))


def test_a_report_left_open_says_that_its_run_is_gone(
    browser: Browser, address: str, runs: ByHand
) -> None:
    """Another tab deleted the run: the passage panel says so, and so does the list."""
    runs.done("gone")
    page = browser.new_page(locale="en-US")
    page.goto(f"{address}/?run=gone")
    citation = page.locator(".ll-report a.cite").first
    expect(citation).to_be_visible()
    runs.store.delete("gone")
    citation.click()
    said = page.frame_locator(".ll-panel iframe").get_by_role("alert")
    expect(said).to_have_text("There is no run 'gone' here.")
    page.keyboard.press("Escape")
    page.locator('[data-ll-open="gone"]').click()
    expect(page.locator("#ll-notice [role=alert]")).to_have_text("There is no run 'gone' here.")
    expect(page.locator("#ll-question")).to_be_visible()
    page.close()


def test_a_plan_file_that_is_too_large_is_refused_with_a_sentence(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#ll-advanced button").first.click()
    chooser = page.locator("[data-ll-plan-file]")
    big = b"- [ ] task\n" * 40_000
    chooser.set_input_files({"name": "big.md", "mimeType": "text/markdown", "buffer": big})
    expect(page.get_by_text("larger than 300 KB")).to_be_visible()
    small = b"- [ ] Who steers it?\n"
    chooser.set_input_files({"name": "s.md", "mimeType": "text/markdown", "buffer": small})
    expect(page.locator("#ll-own-plan textarea")).to_have_value("- [ ] Who steers it?\n")
    expect(page.get_by_text("larger than 300 KB")).to_have_count(0)


def test_the_keyboard_goes_past_the_list_of_runs(page: Page, address: str) -> None:
    page.goto(f"{address}/?run=done")
    expect(page.locator(".ll-report")).to_be_visible()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator("#ll-retry")).to_be_focused()
    expect(page).to_have_url(f"{address}/?run=done")


def test_a_plan_edited_in_its_folder_is_shown_before_it_starts(
    page: Page, address: str, runs: ByHand
) -> None:
    """S2-41"""
    folder = runs.planned("to-edit")
    page.goto(f"{address}/?run=to-edit")
    expect(page.locator("#ll-plan .ll-task")).to_have_count(5)
    page.wait_for_timeout(2500)
    folder.save_plan(folder.plan_text() + "- [ ] Who steers it?\n", folder.plan_version())
    expect(page.locator("#ll-plan .ll-task")).to_have_count(6)


def test_an_edit_that_was_not_saved_outlives_a_reload(
    page: Page, address: str, runs: ByHand
) -> None:
    """Restored, it is saved over what changed meanwhile only by choice; saved, it is forgotten."""
    folder = runs.planned("draft")
    offer = page.locator(".ll-draft-offer")
    box = page.locator("#ll-editor textarea")
    page.goto(f"{address}/?run=draft")
    page.locator("#ll-edit").click()
    expect(box).not_to_have_value("")
    typed = box.input_value() + "- [ ] Who steers it?\n"
    box.fill(typed)
    expect(offer).to_be_hidden()
    folder.save_plan(folder.plan_text() + "- [ ] How old is it?\n", folder.plan_version())
    page.reload()
    expect(offer).to_be_visible()
    offer.get_by_role("button", name="Restore").click()
    expect(box).to_have_value(typed)
    expect(offer).to_be_hidden()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("The plan changed while you were editing.")).to_be_visible()
    expect(box).to_have_value(typed)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#ll-plan")).to_contain_text("Who steers it?")
    page.reload()
    expect(page.locator("#ll-plan")).to_contain_text("Who steers it?")
    expect(offer).to_be_hidden()
    assert folder.plan_text() == typed


def test_an_edit_that_was_not_saved_can_be_discarded(
    page: Page, address: str, runs: ByHand
) -> None:
    folder = runs.planned("discard")
    runs.planned("another")
    before = folder.plan_text()
    offer = page.locator(".ll-draft-offer")
    page.goto(f"{address}/?run=discard")
    page.locator("#ll-edit").click()
    box = page.locator("#ll-editor textarea")
    expect(box).not_to_have_value("")
    box.fill(before + "- [ ] Who steers it?\n")
    page.locator("#ll-editor-box").get_by_role("button", name="Close").click()
    expect(offer).to_be_visible()
    page.locator('[data-ll-open="another"]').click()
    page.wait_for_url(f"{address}/?run=another")
    expect(offer).to_be_hidden()
    page.locator('[data-ll-open="discard"]').click()
    expect(offer).to_be_visible()
    offer.get_by_role("button", name="Discard").click()
    expect(offer).to_be_hidden()
    page.reload()
    expect(page.locator("#ll-edit")).to_be_visible()
    expect(offer).to_be_hidden()
    assert folder.plan_text() == before


def test_the_page_says_when_the_server_does_not_answer(page: Page, address: str) -> None:
    page.goto(f"{address}/?run=done")
    expect(page.locator(".ll-report")).to_be_visible()
    expect(page.locator(".ll-down")).to_have_count(0)
    page.route("**/healthz", lambda route: route.abort())
    banner = page.locator(".ll-down")
    expect(banner).to_contain_text("does not answer", timeout=20_000)
    page.unroute("**/healthz")
    expect(banner).to_have_count(0, timeout=20_000)


def test_resume_asks_for_what_the_run_lacks(page: Page, address: str, runs: ByHand) -> None:
    runs.spent("to-raise")
    page.goto(f"{address}/?run=to-raise")
    tokens = page.locator("#ll-raise-tokens input, #ll-raise-tokens textarea")
    expect(tokens).to_have_value("4,000")
    expect(page.locator("#ll-raise-minutes")).to_have_count(0)
    expect(page.locator("#ll-resume-key")).to_have_count(0)
    tokens.fill("12")
    page.locator("#ll-resume").click()
    expect(page.locator("#ll-resume-box [role=alert]")).to_contain_text("above the 2,580")
    expect(tokens).to_have_value("12")
    page.locator('[data-ll-open="done"]').click()
    expect(page.locator("#ll-retry")).to_have_text("Try the failed task again")
    expect(page.locator("#ll-resume-box")).to_have_count(0)
    runs.refused("to-key")
    page.goto(f"{address}/?run=to-key")
    expect(page.locator("#ll-resume-key input")).to_have_attribute("type", "password")


def test_no_field_of_the_question_scrolls_by_itself(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 400, "height": 800}, locale="en-US")
    page.goto(address)
    expect(page.locator("#ll-depth")).to_be_visible()
    assert (
        page.evaluate(
            """() => [...document.querySelectorAll("#ll-ask-row *")].filter((e) =>
          e.scrollHeight > e.clientHeight && getComputedStyle(e).overflowY === "auto").length"""
        )
        == 0
    )
    page.close()


def test_the_list_of_runs_closes_with_a_whole_button(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 400, "height": 800}, locale="en-US")
    page.goto(address)
    page.locator("[data-ll-run]").first.wait_for(state="attached")
    toggle = page.locator(".sidebar .toggle-button")
    expect(page.locator(".sidebar:not(.open)")).to_have_count(1)
    toggle.click()
    expect(page.locator(".sidebar.open")).to_have_count(1)
    page.wait_for_function(
        "(() => { const at = document.querySelector('.sidebar .toggle-button')"
        ".getBoundingClientRect(); return at.left > 300 && at.right <= 392 && at.width >= 36; })()"
    )
    toggle.click()
    expect(page.locator(".sidebar:not(.open)")).to_have_count(1)
    page.close()
