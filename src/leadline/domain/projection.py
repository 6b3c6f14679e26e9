"""A run as its log tells it: ``RunView`` is fed entry by entry and never looks at a file.

Invariants: a task is done or failed only by its ``task.finished``; a written plan alone never
raises a box, and only its user lowers one that is done (by opening a box that was written as
ticked; a box not ticked yet is not a wish). A finished task counts the findings that
its ``task.finished`` lists; an open one keeps all that were recorded for it (salvage).

Containers are replaced, never changed in place: a reader in another thread may hold one, and a
copy of the view costs nothing.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from leadline.domain import events as ev
from leadline.domain.claims import (
    Card,
    Claim,
    ClaimCheck,
    ClaimScore,
    Conflict,
    Insights,
    fingerprint,
)
from leadline.domain.evidence import BlockedPage, Finding, Source
from leadline.domain.plan import Plan, TaskState
from leadline.domain.run import RunStatus, Usage

NOTICES_KEPT = 200

LastEvent = ev.RunFinished | ev.RunStopped | ev.RunFailed


class TaskView(NamedTuple):
    """One task as the log tells it."""

    id: str
    text: str = ""
    state: TaskState = TaskState.OPEN
    attempts: int = 0
    reason: str = ""
    summary: str = ""
    findings: tuple[str, ...] = ()
    by_user: bool = False
    started_at: datetime | None = None
    finished_at: datetime | None = None
    running: bool = False
    queries: tuple[str, ...] = ()
    """Every query that was asked for it, once."""
    pages: tuple[int, ...] = ()
    """Ids of the sources that were read for it, once."""
    failures: tuple[BlockedPage, ...] = ()


class DraftSection(NamedTuple):
    """A section of the report as far as it is written."""

    heading: str
    text: str


class RunView:
    """Projection of a run's log; ``apply`` the entries in order.

    Attributes are read by anyone and written here alone.
    """

    def __init__(self) -> None:
        self.seq = 0
        self.updated_at: datetime | None = None
        self.status = RunStatus.QUEUED
        self.reason = ""
        self.session = 0
        self.model = ""
        self.engines: tuple[str, ...] = ()
        self.plan: Plan | None = None
        """The last written plan, its boxes as the log has them since."""
        self.written_plan: Plan | None = None
        """The plan exactly as it was last written to the file."""
        self.reflections = 0
        """How often the run looked for gaps and added tasks, over all sessions."""
        self.tasks: Mapping[str, TaskView] = {}
        """Every task there ever was, by id; ``plan`` says which are in the plan now."""
        self.findings: Mapping[str, Finding] = {}
        self.sources: Mapping[int, Source] = {}
        self.claims: Mapping[str, Claim] = {}
        """The findings merged into claims, by claim id, as of the last ``claims.merged``."""
        self.origins: Mapping[int, int] = {}
        """Source id → id of the origin that it is counted as."""
        self.checks: Mapping[str, ClaimCheck] = {}
        """What was checked, by claim id; only of claims that are still the same."""
        self.conflicts: tuple[Conflict, ...] = ()
        self.cards: tuple[Card, ...] = ()
        self.scores: Mapping[str, ClaimScore] = {}
        self.overall_score: int | None = None
        self.insights = Insights()
        self.failed_pages: list[BlockedPage] = []
        self.workers: Mapping[str, ev.WorkerMoved] = {}
        self.worker_tasks: Mapping[str, str] = {}
        self.usage = Usage()
        self.usage_by_role: Mapping[str, Usage] = {}
        self.live_browsers = 0
        self.peak_browsers = 0
        self.notices: list[ev.Notice] = []
        self.hosts: Mapping[str, str] = {}
        """Host → what it was contacted for."""
        self.searches = 0
        self.pages = 0
        """Pages that were read, pages served from the store not counted again."""
        self.draft: Mapping[int, DraftSection] = {}
        self.report_ready: ev.ReportReady | None = None
        self.last_event: LastEvent | None = None

    def copy(self) -> RunView:
        """A view that further entries do not change."""
        return copy.copy(self)

    def counts(self) -> dict[TaskState, int]:
        """How many tasks of the plan stand in each state."""
        return self.plan.counts() if self.plan else dict.fromkeys(TaskState, 0)

    def findings_of(self, task_id: str) -> list[Finding]:
        """The findings that count for a task, in the order they were found."""
        task = self.tasks.get(task_id)
        ids = set(task.findings) if task else set()
        return [finding for finding in self.findings.values() if finding.id in ids]

    def counted_findings(self) -> tuple[Finding, ...]:
        """What the report may rest on: findings that count for a task that is in the plan now,
        and whose sources are stored."""
        return tuple(
            finding
            for task in (self.plan or Plan()).tasks()
            for finding in self.findings_of(task.id)
            if all(
                (source := self.sources.get(ref.source)) is not None
                and ref.passage <= source.passages
                for ref in finding.passages
            )
        )

    def apply(self, entry: ev.Entry) -> None:
        """Take the next entry of the log."""
        self.seq = entry.seq
        self.updated_at = entry.ts
        event = entry.event
        match event:
            case ev.RunStarted():
                self._start(event)
            case ev.StatusChanged():
                self._change_status(event)
            case ev.PlanWritten():
                self._write_plan(event)
            case ev.TaskStarted() | ev.TaskFinished():
                self._move_task(entry.task, event, entry.ts)
            case ev.WorkerMoved():
                self._move_worker(entry.task, event)
            case ev.SearchDone() | ev.PageRead() | ev.PageFailed() | ev.FindingRecorded():
                self._collect(entry.task, event)
            case ev.ClaimsMerged() | ev.ConflictFound() | ev.ClaimChecked() | ev.EvidenceScored():
                self._check(event)
            case ev.BrowserOpened() | ev.BrowserClosed():
                self.live_browsers = event.live
                self.peak_browsers = max(self.peak_browsers, event.live)
            case ev.ModelCalled():
                self._spend(event)
            case ev.HostContacted():
                self.hosts = {event.host: event.purpose, **self.hosts}
            case ev.Notice():
                self.notices = [*self.notices, event][-NOTICES_KEPT:]
            case ev.ReportDelta() | ev.ReportReady():
                self._report(event)
            case ev.RunFinished() | ev.RunStopped() | ev.RunFailed():
                self._end(event)

    def _start(self, event: ev.RunStarted) -> None:
        self.session = event.session
        self.model, self.engines = event.model, event.engines
        self.status = RunStatus.RESEARCHING if self.plan else RunStatus.PLANNING
        self.reason = ""
        self.last_event = None
        self.draft = {}
        self._rest()

    def _end(self, event: LastEvent) -> None:
        match event:
            case ev.RunFinished():
                self.status = RunStatus(event.status)
            case ev.RunStopped():
                self.status = RunStatus.STOPPED
            case ev.RunFailed():
                self.status = RunStatus.FAILED
        self.reason = event.reason
        self.last_event = event
        self._rest()

    def _rest(self) -> None:
        """Between two sessions nothing is at work."""
        self.workers, self.worker_tasks = {}, {}
        self.live_browsers = 0
        self.tasks = {key: task._replace(running=False) for key, task in self.tasks.items()}

    def _change_status(self, event: ev.StatusChanged) -> None:
        if event.status is RunStatus.WRITING and self.status is not RunStatus.WRITING:
            self.draft = {}
        self.status, self.reason = event.status, event.reason

    def _write_plan(self, event: ev.PlanWritten) -> None:
        self.reflections += event.origin == "reflection"
        boxes = {task.id: task.state for task in (self.written_plan or Plan()).tasks()}
        tasks = dict(self.tasks)
        for task in event.plan.tasks():
            known = tasks.get(task.id, TaskView(task.id))._replace(text=task.text)
            unticked = boxes.get(task.id, TaskState.OPEN) is not task.state is TaskState.OPEN
            if unticked and (event.origin == "user" or known.state is TaskState.FAILED):
                known = known._replace(
                    state=TaskState.OPEN, reason="", by_user=False, findings=self._recorded(task.id)
                )
            tasks[task.id] = known
        self.tasks = tasks
        self.written_plan = self.plan = event.plan
        for task in event.plan.tasks():
            if tasks[task.id].state is not task.state:
                self.plan = self.plan.with_state(task.id, tasks[task.id].state)

    def _recorded(self, task_id: str) -> tuple[str, ...]:
        return tuple(f.id for f in self.findings.values() if f.task == task_id)

    def _move_task(
        self, task_id: str, event: ev.TaskStarted | ev.TaskFinished, ts: datetime
    ) -> None:
        task = self.tasks.get(task_id, TaskView(task_id))
        if isinstance(event, ev.TaskStarted):
            task = task._replace(
                text=event.text, state=TaskState.OPEN, attempts=event.attempt, reason="",
                by_user=False, started_at=ts, finished_at=None, running=True,
            )  # fmt: skip
        else:
            open_again = event.state is TaskState.OPEN
            task = task._replace(
                state=event.state, attempts=max(task.attempts, event.attempt), reason=event.reason,
                summary=event.summary or task.summary, by_user=event.by_user,
                findings=self._recorded(task_id) if open_again else event.findings,
                finished_at=ts, running=False,
            )  # fmt: skip
            gone = {worker for worker, of in self.worker_tasks.items() if of == task_id}
            self._drop_workers(gone)
        self.tasks = {**self.tasks, task_id: task}
        if self.plan:
            self.plan = self.plan.with_state(task_id, task.state)

    def _move_worker(self, task_id: str, event: ev.WorkerMoved) -> None:
        if event.activity in ("finished", "failed"):
            self._drop_workers({event.worker})
        else:
            self.workers = {**self.workers, event.worker: event}
            self.worker_tasks = {**self.worker_tasks, event.worker: task_id}

    def _drop_workers(self, gone: set[str]) -> None:
        self.workers = {k: w for k, w in self.workers.items() if k not in gone}
        self.worker_tasks = {k: t for k, t in self.worker_tasks.items() if k not in gone}

    def _collect(
        self,
        task_id: str,
        event: ev.SearchDone | ev.PageRead | ev.PageFailed | ev.FindingRecorded,
    ) -> None:
        if isinstance(event, ev.FindingRecorded):
            task_id = event.finding.task
        task = self.tasks.get(task_id, TaskView(task_id))
        match event:
            case ev.SearchDone():
                self.searches += not event.cached
                if event.query not in task.queries:
                    task = task._replace(queries=(*task.queries, event.query))
            case ev.PageRead():
                self.pages += not event.cached
                self.sources = {**self.sources, event.source.id: event.source}
                if event.source.id not in task.pages:
                    task = task._replace(pages=(*task.pages, event.source.id))
            case ev.PageFailed():
                page = BlockedPage(
                    url=event.url, reason=event.reason, task=task_id, blocked=event.blocked
                )
                self.failed_pages = [*self.failed_pages, page]
                task = task._replace(failures=(*task.failures, page))
            case ev.FindingRecorded():
                self.findings = {**self.findings, event.finding.id: event.finding}
                if task.state is TaskState.OPEN and event.finding.id not in task.findings:
                    task = task._replace(findings=(*task.findings, event.finding.id))
        if task_id:
            self.tasks = {**self.tasks, task_id: task}

    def _check(
        self, event: ev.ClaimsMerged | ev.ConflictFound | ev.ClaimChecked | ev.EvidenceScored
    ) -> None:
        match event:
            case ev.ClaimsMerged():
                self.claims = {claim.id: claim for claim in event.claims}
                self.origins, self.conflicts = dict(event.origins), event.conflicts
                self.checks = {
                    key: check
                    for key, check in self.checks.items()
                    if key in self.claims and check.fingerprint == fingerprint(self.claims[key])
                }
                self.cards, self.scores, self.overall_score = (), {}, None
                self.insights = Insights()
            case ev.ConflictFound():
                pair = set(event.conflict.claims)
                others = (c for c in self.conflicts if set(c.claims) != pair)
                self.conflicts = (*others, event.conflict)
            case ev.ClaimChecked():
                self.checks = {**self.checks, event.check.claim: event.check}
            case ev.EvidenceScored():
                self.cards, self.insights = event.cards, event.insights
                self.scores = {score.claim: score for score in event.scores}
                self.overall_score = event.overall

    def _spend(self, event: ev.ModelCalled) -> None:
        self.usage = self.usage + event.usage
        of_role = self.usage_by_role.get(event.role, Usage())
        self.usage_by_role = {**self.usage_by_role, event.role: of_role + event.usage}

    def _report(self, event: ev.ReportDelta | ev.ReportReady) -> None:
        if isinstance(event, ev.ReportReady):
            self.report_ready = event
            return
        before = self.draft.get(event.section, DraftSection("", ""))
        section = DraftSection(event.heading or before.heading, before.text + event.text)
        self.draft = {**self.draft, event.section: section}
