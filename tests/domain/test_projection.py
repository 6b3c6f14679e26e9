from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.domain import events as ev
from leadline.domain.evidence import Finding, PassageRef, Source
from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.domain.projection import NOTICES_KEPT, RunView
from leadline.domain.run import RunStatus, Usage

START = datetime(2026, 1, 1, tzinfo=UTC)
PLAN = Plan(categories=(Category(name="A", tasks=(Task(text="one"), Task(text="two"))),)).numbered()
DONE = TaskState.DONE
OPEN = TaskState.OPEN
FAILED = TaskState.FAILED


class Log:
    """Feeds a view with numbered entries."""

    def __init__(self) -> None:
        self.view = RunView()

    def __call__(self, *events: ev.Event, task: str = "") -> RunView:
        for event in events:
            seq = self.view.seq + 1
            ts = START + timedelta(seconds=seq)
            self.view.apply(ev.Entry(seq=seq, ts=ts, task=task, event=event))
        return self.view


def started(session: int = 1) -> ev.RunStarted:
    return ev.RunStarted(session=session, pid=1, model="m", engines=("demo",))


def plan(origin: str = "model", **states: TaskState) -> ev.PlanWritten:
    changed = PLAN
    for task_id, state in states.items():
        changed = changed.with_state(task_id, state)
    return ev.PlanWritten.model_validate({"plan": changed, "origin": origin})


def finding(number: int, task: str = "t1") -> ev.FindingRecorded:
    return ev.FindingRecorded(
        finding=Finding(
            id=f"f{number}", task=task, claim="c",
            passages=(PassageRef(source=1, passage=1),), quotes=("q",),
        )
    )  # fmt: skip


def page(number: int, *, cached: bool = False) -> ev.PageRead:
    source = Source(id=number, url=f"https://a.example/{number}", fetched_at=START, hash="")
    return ev.PageRead(source=source, cached=cached)


def begin(attempt: int = 1) -> ev.TaskStarted:
    return ev.TaskStarted(attempt=attempt, text="one", queries=("q",))


def finish(state: TaskState, *findings: str, by_user: bool = False) -> ev.TaskFinished:
    return ev.TaskFinished(attempt=1, state=state, findings=findings, by_user=by_user)


def test_a_task_from_start_to_end() -> None:
    log = Log()
    log(started(), plan())
    log(begin(), ev.SearchDone(query="q", engine="demo", results=3), page(1), task="t1")
    log(page(1, cached=True), ev.PageFailed(url="u", reason="captcha", blocked=True), task="t1")
    view = log(finding(1), finding(2), task="t1")
    task = view.tasks["t1"]
    assert (task.running, task.state, task.attempts) == (True, OPEN, 1)
    assert (task.queries, task.pages, task.findings) == (("q",), (1,), ("f1", "f2"))
    assert (view.pages, view.searches) == (1, 1)
    assert [p.blocked for p in view.failed_pages] == [True]
    task = log(finish(DONE, "f1"), task="t1").tasks["t1"]
    assert (task.running, task.state, task.findings) == (False, DONE, ("f1",))
    assert [f.id for f in view.findings_of("t1")] == ["f1"]
    assert set(view.findings) == {"f1", "f2"}, "what does not count is kept"
    assert view.plan is not None
    assert view.plan.task("t1") == PLAN.with_state("t1", DONE).task("t1")
    assert view.written_plan == PLAN


def test_a_written_plan_alone_never_makes_a_task_done() -> None:
    """safety 35: a ticked box never lacks its evidence."""
    view = Log()(started(), plan("user", t1=DONE))
    assert view.tasks["t1"].state is OPEN
    assert view.plan is not None
    assert view.plan.counts()[DONE] == 0


def test_only_its_user_opens_a_done_task_again() -> None:
    log = Log()
    log(started(), plan(), finding(1))
    log(finish(DONE, "f1"), task="t1")
    assert log(plan("user", t2=OPEN)).tasks["t1"].state is DONE, "the box was never ticked"
    log(plan("progress", t1=DONE))
    assert log(plan("reflection")).tasks["t1"].state is DONE
    log(plan("progress", t1=DONE))
    view = log(plan("user"))
    assert (view.tasks["t1"].state, view.tasks["t1"].findings) == (OPEN, ("f1",))


def test_a_failed_task_is_opened_for_another_try() -> None:
    log = Log()
    log(started(), plan())
    log(finish(FAILED), task="t1")
    log(plan("progress", t1=FAILED))
    assert log(plan("progress")).tasks["t1"].state is OPEN
    assert log.view.reflections == 0


def test_each_reflection_counts_once() -> None:
    log = Log()
    log(started(), plan())
    assert log(plan("reflection")).reflections == 1
    assert log(plan("user"), plan("reflection")).reflections == 2


def test_a_session_that_died_leaves_nothing_running() -> None:
    """W2-10: an unfinished task is open again, its findings are kept."""
    log = Log()
    log(started(), plan())
    log(begin(), finding(1), task="t1")
    log(ev.BrowserOpened(pid=5, live=1), ev.BrowserOpened(pid=6, live=2))
    log(ev.WorkerMoved(worker="t1-1", activity="reading"), task="t1")
    assert log.view.worker_tasks == {"t1-1": "t1"}
    view = log(started(2))
    assert (view.session, view.live_browsers, view.peak_browsers) == (2, 0, 2)
    assert not view.workers
    task = view.tasks["t1"]
    assert (task.running, task.state, task.findings) == (False, OPEN, ("f1",))
    assert view.status is RunStatus.RESEARCHING


def test_an_interrupted_task_goes_back_to_open_with_its_findings() -> None:
    log = Log()
    log(started(), plan())
    log(begin(), finding(1), finish(OPEN), task="t1")
    task = log.view.tasks["t1"]
    assert (task.state, task.running, task.findings) == (OPEN, False, ("f1",))


def test_worker_cards_come_and_go() -> None:
    log = Log()
    log(ev.WorkerMoved(worker="a", activity="waiting"), task="t1")
    log(ev.WorkerMoved(worker="b", activity="waiting"), task="t2")
    log(ev.WorkerMoved(worker="a", activity="reading", url="u"), task="t1")
    assert log.view.workers["a"].url == "u"
    log(ev.WorkerMoved(worker="a", activity="finished"), task="t1")
    assert set(log.view.workers) == {"b"}
    log(finish(FAILED), task="t2")
    assert not log.view.workers


def test_use_is_added_up_by_role() -> None:
    log = Log()
    for role, cost in (("plan", None), ("write", 0.5), ("write", 0.25)):
        usage = Usage(calls=1, input_tokens=10, output_tokens=1, cost_usd=cost)
        log(ev.ModelCalled(role=role, usage=usage, seconds=1, ok=True))
    assert (log.view.usage.calls, log.view.usage.tokens) == (3, 33)
    assert log.view.usage.cost_usd == 0.75
    assert log.view.usage_by_role["write"].calls == 2


def test_the_draft_grows_and_begins_anew() -> None:
    log = Log()
    writing = ev.StatusChanged(status=RunStatus.WRITING)
    log(started(), writing, ev.ReportDelta(section=0, heading="H", text="a"))
    log(ev.ReportDelta(section=0, heading="H", text="b"))
    assert log.view.draft[0] == ("H", "ab")
    log(ev.ReportReady(citations=1, resolved=1, sources=1, partial=True), started(2))
    assert not log.view.draft
    assert log.view.report_ready is not None


def test_the_last_event_tells_how_it_ended() -> None:
    ends = [
        (ev.RunFinished(status=RunStatus.EMPTY, reason="r"), RunStatus.EMPTY),
        (ev.RunStopped(reason="r"), RunStatus.STOPPED),
        (ev.RunFailed(reason="r"), RunStatus.FAILED),
    ]
    for event, status in ends:
        log = Log()
        view = log(started(), event)
        assert (view.status, view.reason, view.last_event) == (status, "r", event)
        assert log(started(2)).last_event is None


def test_notices_are_the_newest_ones_and_hosts_are_named_once() -> None:
    log = Log()
    for number in range(NOTICES_KEPT + 5):
        log(ev.Notice(message=str(number)))
    assert len(log.view.notices) == NOTICES_KEPT
    assert log.view.notices[-1].message == str(NOTICES_KEPT + 4)
    log(ev.HostContacted(host="h", purpose="search"), ev.HostContacted(host="h", purpose="page"))
    assert dict(log.view.hosts) == {"h": "search"}


EVENTS = st.sampled_from(
    [
        (started(), ""), (plan(), ""), (plan("user", t1=DONE), ""),
        (plan("progress", t2=FAILED), ""),
        (begin(), "t1"), (finish(DONE, "f1"), "t1"), (finish(FAILED), "t2"), (finish(OPEN), "t1"),
        (finding(1), "t1"), (finding(2, "t2"), "t2"), (page(1), "t1"), (page(2), "t9"),
        (ev.WorkerMoved(worker="w", activity="reading"), "t1"), (ev.RunStopped(), ""),
        (ev.ReportDelta(section=1, heading="", text="x"), ""),
    ]
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(EVENTS, max_size=30))
def test_in_any_order_boxes_and_log_agree(events: list[tuple[ev.Event, str]]) -> None:
    """safety 35: a box is done exactly when a task.finished said so last; copies do not change."""
    log = Log()
    for event, task in events:
        before = log.view.copy()
        seen = dict(before.tasks), dict(before.findings), before.plan
        log(event, task=task)
        assert (dict(before.tasks), dict(before.findings), before.plan) == seen
    view = log.view
    finished = {task for event, task in events if isinstance(event, ev.TaskFinished)}
    for task in view.plan.tasks() if view.plan else ():
        assert task.state is view.tasks[task.id].state
        assert task.state is OPEN or task.id in finished
