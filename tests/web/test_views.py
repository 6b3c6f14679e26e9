"""Views are pure: values in, safe HTML out."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from leadline.domain import events as ev
from leadline.domain.config import ModelConfig, Provider, RunConfig
from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.domain.projection import RunView
from leadline.domain.run import RunStatus
from leadline.runs.control import Ticket
from leadline.runs.lock import Owner
from leadline.runs.session import RunSession
from leadline.runs.store import RunSummary
from leadline.web.live import LiveRuns
from leadline.web.texts import Language, Texts
from leadline.web.views.ask import banner, samples
from leadline.web.views.feed import FEED_LENGTH, feed
from leadline.web.views.header import header
from leadline.web.views.html import ago, clock, compact, cut, web_link
from leadline.web.views.library import library
from leadline.web.views.plan import plan_view
from leadline.web.views.progress import counters, sources, workers
from leadline.web.views.report import report_view
from tests.web.runs_by_hand import ByHand

EN, ZH = Texts("en"), Texts("zh")
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOSTILE = (
    "\"><script>alert(1)</script><img src=x onerror=alert(2)><svg/onload=alert(3)>'{{7*7}}${7}"
)


def assert_harmless(html: str) -> None:
    tags = re.findall(r"<\s*([a-zA-Z]+)([^>]*)>", html)
    assert not {name for name, _ in tags} & {"script", "svg", "iframe", "object", "style", "form"}
    for _, attributes in tags:
        assert not re.search(r"(^|\s)on\w+\s*=", re.sub(r'"[^"]*"', '""', attributes))
    assert not re.search(r'(href|src)="\s*(?!https?://|/|\?|#)[^"]', html)


def summary(**values: object) -> RunSummary:
    base = {"task_id": "a", "topic": "A", "status": RunStatus.DONE, "created_at": NOW}
    return RunSummary.model_validate({**base, **values})


def test_hostile_text_stays_text_everywhere() -> None:
    """safety 6: topic, titles, URLs, task texts, reasons, queries, claims."""
    plan = Plan(categories=(Category(name=HOSTILE, tasks=(Task(id="t1", text=HOSTILE),)),))
    view = RunView()
    events: list[ev.Event] = [
        ev.RunStarted(session=1, pid=1, model=HOSTILE),
        ev.PlanWritten(plan=plan, origin="model"),
        ev.StatusChanged(status=RunStatus.RESEARCHING, reason=HOSTILE),
        ev.TaskStarted(attempt=1, text=HOSTILE, queries=(HOSTILE,)),
        ev.WorkerMoved(
            worker="w1",
            activity="reading",
            query=HOSTILE,
            url=f"javascript:alert(1)//{HOSTILE}",
            title=HOSTILE,
        ),
        ev.PageFailed(url=f"javascript:alert(1){HOSTILE}", reason=HOSTILE, blocked=True),
        ev.PageFailed(url=f"https://a.example/{HOSTILE}", reason=HOSTILE, blocked=False),
        ev.Notice(message=HOSTILE, level="warning"),
        ev.ModelCalled(role="x", usage=view.usage, seconds=1, ok=False, detail=HOSTILE),
    ]
    entries = [
        ev.Entry(seq=number, ts=NOW, task="t1", event=event)
        for number, event in enumerate(events, 1)
    ]
    for entry in entries:
        view.apply(entry)
    parts = [
        header(
            task_id="a", topic=HOSTILE, status=view.status, reason=HOSTILE, place=None, texts=EN
        ),
        plan_view(plan, view, EN),
        workers(view, "a", {"w1": 5}, EN),
        sources(view, "a", EN),
        feed(entries, view, EN),
        library([summary(topic=HOSTILE, reason=HOSTILE, damaged=True), summary(topic=HOSTILE)],
                search="", open_run="", now=NOW, texts=EN),
        banner(ModelConfig(provider=Provider.CUSTOM, name=HOSTILE), "web", EN),
        samples([HOSTILE], demo=True, texts=ZH),
    ]  # fmt: skip
    for part in parts:
        assert "&lt;script&gt;" in part
        assert_harmless(part)


def test_the_plan_shows_its_boxes_and_why_a_task_failed(at_work: RunSession) -> None:
    """W2-10: a running task is no done task."""
    tasks = list(at_work.view.plan.tasks()) if at_work.view.plan else []
    at_work.finish_task(tasks[2].id, 1, TaskState.FAILED, "The page is behind a captcha.")
    html = plan_view(at_work.view.plan, at_work.view, EN)
    assert html.count("ll-task-done") == 2
    assert html.count("ll-task-failed") == 1
    assert html.count("ll-task-running") == 1
    assert html.count("ll-task-open") == 1
    assert "behind a captcha" in html
    assert "1 finding" in html


def test_workers_show_task_page_step_and_a_fresh_picture(at_work: RunSession) -> None:
    html = workers(at_work.view, "at-work", {"w1": 77}, EN)
    assert "/runs/at-work/screens/w1.jpg?v=77" in html
    assert html.count("<img") == 1
    assert "reading · step 3" in html
    assert "waiting for the model" in html
    assert "gazette.quorrow.example" in html


def test_sources_lead_to_the_stored_text_and_walls_are_listed(at_work: RunSession) -> None:
    html = sources(at_work.view, "at-work", EN)
    assert 'href="/runs/at-work/sources/1"' in html
    assert "it asks for a captcha (blocked)" in html


def test_counters_stand_against_the_limits(at_work: RunSession) -> None:
    paid = RunConfig(model=ModelConfig(provider=Provider.OLLAMA, name="m"))
    html = counters(at_work.view, at_work.view.plan, paid, 95, EN)
    for part in ("1:35", "/ 60 min", "/ 5", "5,160", "/ 2M", "<dd>2<span>/ 2"):
        assert part in html, part
    assert "Cost" not in html
    assert "Tokens" not in counters(at_work.view, None, RunConfig(), 0, EN)


def test_the_feed_is_bounded_polite_and_newest_first(runs: ByHand) -> None:
    folder = runs.done()
    entries, _ = folder.read_events()
    view = folder.view()
    html = feed(entries, view, EN)
    assert 'role="log"' in html
    assert 'aria-live="polite"' in html
    assert html.index("Done") < html.index("The plan has 5 tasks.") < html.index("Work began")
    assert "Blocked by seals.quorrow.example: it asks for a captcha" in html
    note = ev.Notice(message="again")
    many = [ev.Entry(seq=n, ts=NOW, event=note) for n in range(1, 1000)]
    assert feed(many, view, EN).count("<li") == FEED_LENGTH


@pytest.mark.parametrize("status", list(RunStatus))
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_state_has_its_words(status: RunStatus, language: Language) -> None:
    texts = Texts(language)
    html = header(task_id="a", topic="A", status=status, reason="", place=3, texts=texts)
    assert f'data-ll-status="{status.value}"' in html
    assert texts(f"state_{status.value}") in html
    assert ("3" in html) == (status is RunStatus.QUEUED)


@pytest.mark.parametrize(
    ("status", "reason", "said"),
    [
        ("stopped", "Stopped. What was found is kept.",
         "Stopped Resume goes on with the open tasks. What was found is kept."),
        ("stopped", "Stopped before it began.",
         "Stopped Resume goes on with the open tasks. Stopped before it began."),
        ("empty", "Nothing was found that could be cited.",
         "Nothing found It ran to its end and found nothing that it could cite."),
        ("stopping", "", "Stopping What was found is kept."),
        ("failed", "The model refuses the key.",
         "Failed What was found is kept. The model refuses the key."),
        ("failed", "An error in Leadline ended the run (KeyError); what was found is kept, and the "
         "run can be resumed.",
         "Failed An error in Leadline ended the run (KeyError); what was found is kept, and the "
         "run can be resumed."),
        ("interrupted", "Its process ended without a word; resume the run to go on.",
         "Interrupted Its process ended without a word. Resume goes on from what was kept."),
    ],
)  # fmt: skip
def test_the_line_of_a_state_says_nothing_twice(status: str, reason: str, said: str) -> None:
    state = RunStatus(status)
    html = header(task_id="a", topic="A", status=state, reason=reason, place=None, texts=EN)
    line = html.split('role="status">')[1]
    assert " ".join(re.sub(r"<[^>]+>", " ", line).split()) == said


def test_the_line_of_a_state_says_nothing_twice_in_chinese() -> None:
    reason = "Leadline failed unexpectedly; what was found is kept and the run can be resumed."
    html = header(
        task_id="a", topic="A", status=RunStatus.FAILED, reason=reason, place=None, texts=ZH
    )
    assert html.count("已有发现会保留") == 1


def test_a_queued_run_with_a_slot_is_starting() -> None:
    html = header(task_id="a", topic="A", status=RunStatus.QUEUED, reason="", place=None, texts=EN)
    assert "Starting" in html
    assert "Waiting" not in html


def test_a_run_without_a_model_counts_steps_and_no_calls(at_work: RunSession) -> None:
    offline = counters(at_work.view, None, RunConfig(), 0, EN)
    assert "Steps by rule" in offline
    assert "Model calls" not in offline
    paid = RunConfig(model=ModelConfig(provider=Provider.OLLAMA, name="m"))
    assert "Model calls" in counters(at_work.view, None, paid, 0, EN)


def test_the_banner_says_what_will_answer() -> None:
    offline = banner(ModelConfig(), "demo", EN)
    assert "No model is configured: the offline model picks quotes by rule" in offline
    assert "Demo web: bundled invented pages, no internet" in offline
    assert "Demo web" not in banner(ModelConfig(), "web", EN)
    named = banner(ModelConfig(provider=Provider.OLLAMA, name="qwen3"), "web", EN)
    assert "qwen3 answers" in named
    assert "No model" not in named


def test_the_library_offers_what_fits_the_state() -> None:
    runs = [
        summary(task_id="done", topic="Ferry of Quorrow", done=3),
        summary(task_id="busy", topic="Seals", status=RunStatus.RESEARCHING, open=2),
        summary(task_id="stopped", topic="Quays", status=RunStatus.STOPPED, open=1),
        summary(task_id="foreign", topic="Plan", status=RunStatus.PLANNED, open=1, foreign=True),
        summary(task_id="broken", topic="Broken", damaged=True, reason="run.json is damaged"),
    ]
    html = library(runs, search="", open_run="done", now=NOW + timedelta(hours=3), texts=EN)
    rows = {row[1]: row[0] for row in re.finditer(r'<li data-ll-row="(\w+)".*?</li>', html)}

    def actions(task_id: str) -> list[str]:
        return re.findall(r'data-ll-action="(\w+)"', rows[task_id])

    assert actions("done") == ["again", "delete"]
    assert actions("busy") == []
    assert actions("stopped") == ["resume", "again", "delete"]
    assert actions("foreign") == ["again", "delete"]
    assert actions("broken") == []
    assert "href" not in rows["broken"]
    assert "run.json is damaged" in rows["broken"]
    assert 'aria-current="true"' in rows["done"]
    assert "3 h ago" in rows["done"]
    found = library(runs, search="QUORROW ferry", open_run="", now=NOW, texts=ZH)
    assert found.count("<li") == 1
    assert 'href="/zh/?run=done"' in found
    assert EN("no_match") in library(runs, search="zzz", open_run="", now=NOW, texts=EN)
    assert EN("no_runs") in library([], search="", open_run="", now=NOW, texts=EN)


def test_a_run_without_a_report_says_so() -> None:
    """W2-15: a failed run's missing report is explained, not shown as lost."""
    failed = report_view("", task_id="a", partial=False, status=RunStatus.FAILED, texts=EN)
    assert EN("report_none_final") in failed
    busy = report_view("", task_id="a", partial=False, status=RunStatus.WRITING, texts=EN)
    assert EN("report_none") in busy
    partial = report_view("<p>x</p>", task_id="a", partial=True, status=RunStatus.STOPPED, texts=EN)
    assert EN("report_partial") in partial
    assert "/runs/a/report.md" in partial


def test_a_queued_run_knows_its_place(runs: ByHand) -> None:
    for name in ("first", "second"):
        runs.store.create("Topic", RunConfig(), task_id=name)
    live = LiveRuns(runs.store)
    assert live.look("first").place == 1
    assert live.look("second").place == 2


def test_small_words() -> None:
    assert [clock(s) for s in (0, 59.9, 61, 3700)] == ["0:00", "0:59", "1:01", "1:01:40"]
    assert [compact(n) for n in (0, 9999, 12_345, 300_000, 2_000_000)] == [
        "0", "9,999", "12.35k", "300k", "2M",
    ]  # fmt: skip
    assert ago(NOW - timedelta(days=2), NOW, EN) == "2 d ago"
    assert ago(NOW + timedelta(days=2), NOW, EN) == "just now"
    assert cut("a  b\nc", 4) == "a b…"
    assert "href" not in web_link("javascript:alert(1)", "x")


def test_a_run_whose_process_comes_up_has_no_place_in_the_queue(runs: ByHand) -> None:
    """It has its slot; those behind it are counted without it."""
    for name in ("first", "second"):
        runs.store.create("Topic", RunConfig(), task_id=name)
    me = Owner.me()
    ticket = Ticket(by=me, child=me, asked_at=1.0)
    runs.store.open("first").control.write_ticket(ticket)
    live = LiveRuns(runs.store)
    assert live.look("first").place is None
    assert live.look("second").place == 1
