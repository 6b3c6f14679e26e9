"""A session of a run: the owner's side of its folder, the only one that writes evidence.

Invariants: everything goes through ``emit``, which appends to the log before any view or file
changes; a result is on the disk before its box is ticked; a session has at most one last event,
and what comes after it is dropped. Any thread may call any method.

It is the ``EventSink`` and, by ``EvidenceShelf``, the ``SourceShelf`` and ``FindingBook`` of the
layers that do the work.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from types import TracebackType

from leadline.domain import events as ev
from leadline.domain.claims import ReportSentence
from leadline.domain.config import RunConfig
from leadline.domain.plan import Plan, TaskState
from leadline.domain.plan_edit import PlanEdit
from leadline.domain.projection import LastEvent
from leadline.domain.run import RunRecord, RunStatus
from leadline.errors import InvalidPlan, LeadlineError
from leadline.runs import projections
from leadline.runs.atomic import make_folder, replace_bytes, replace_json
from leadline.runs.event_log import EventLog
from leadline.runs.folder import RunFolder, check_log
from leadline.runs.lock import OwnerLock
from leadline.runs.plan_file import PlanFile, joined
from leadline.runs.plan_merge import add_to_plan
from leadline.runs.shelf import EvidenceShelf

_VIEWS_EVERY = 1.0
_SHOWN_IN_VIEWS = (
    ev.SearchDone, ev.PageRead, ev.PageFailed, ev.FindingRecorded, ev.TaskStarted,
    ev.ClaimsMerged, ev.ConflictFound, ev.ClaimChecked, ev.EvidenceScored,
    ev.TaskFinished, ev.PlanWritten, ev.ReportReady,
)  # fmt: skip
_SCREEN_MAX_BYTES = 2_000_000
_NEW_PLANS = frozenset({"model", "fallback", "given", "user"})


class RunSession(EvidenceShelf):
    """Owns a run folder from :meth:`acquire` to the end of its ``with`` block."""

    def __init__(
        self,
        folder: RunFolder,
        lock: OwnerLock,
        *,
        clock: Callable[[], datetime],
        monotonic: Callable[[], float],
    ) -> None:
        super().__init__(folder, clock=clock)
        self.task_id = folder.task_id
        self._owner = lock
        self._monotonic = monotonic
        self._began = monotonic()
        self._views_written = monotonic()
        self._views_stale = False
        self._ended = False
        self._edit: PlanEdit | None = None
        self.run_record = folder.record()
        """What ``run.json`` says."""
        self._seconds_before = self.run_record.seconds
        log_file = folder.file("audit.jsonl")
        if not log_file.exists():
            check_log(folder.path, self.run_record, self.view)
        opened = EventLog.open(log_file, clock=clock)
        self._log = opened.log
        for entry in opened.entries:
            self.view.apply(entry)
        try:
            check_log(folder.path, self.run_record, self.view)
        except BaseException:
            self._log.close()
            raise
        self._know_sources()
        self._plan_file = PlanFile(folder)
        self._torn = opened.torn_bytes

    @classmethod
    def acquire(
        cls,
        folder: RunFolder,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        monotonic: Callable[[], float] = time.monotonic,
    ) -> RunSession:
        """Become the owner of a run: replay its log, repair what a crash left, take up edits.

        Raises :class:`RunBusy` when another process owns it, :class:`RunFolderDamaged`.
        """
        lock = OwnerLock(folder.control.path)
        lock.acquire()
        try:
            session = cls(folder, lock, clock=clock, monotonic=monotonic)
            session._take_over()
        except BaseException:
            lock.release()
            raise
        return session

    def _take_over(self) -> None:
        self.folder.control.begin_session()
        self._views_stale = any(
            not self.folder.file(name).exists() for name in projections.VIEW_FILES
        )
        if self._torn:
            self._say(
                f"The last line of audit.jsonl was cut off by a crash ({self._torn} bytes); "
                "it was removed, what was recorded before it stands."
            )
        with self._plan_file.lock:
            self._take_edits()
            self._write_boxes()

    def __enter__(self) -> RunSession:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if isinstance(error, LeadlineError):
                self.end(ev.RunFailed(reason=str(error)))
            elif isinstance(error, Exception):
                self.end(
                    ev.RunFailed(
                        reason=f"An error in Leadline ended the run ({type(error).__name__}); "
                        "what was found is kept, and the run can be resumed."
                    )
                )
        finally:
            self.close()

    def close(self) -> None:
        """Write what is left to write and give the folder back; a second time does nothing."""
        with self._lock:
            try:
                if self._owner.held and not self._ended and self._views_stale:
                    self._write_views()
            finally:
                self._ended = True
                self._log.close()
                if self._owner.held:
                    self.folder.control.free_reserve()
                self._owner.release()

    # What is known

    @property
    def config(self) -> RunConfig:
        """How the run was asked to go."""
        return self.run_record.config

    @property
    def number(self) -> int:
        """The number for this session's ``run.started``."""
        return self.view.session + 1

    @property
    def seconds(self) -> float:
        """Seconds at work, over all sessions."""
        return self._seconds_before + self._monotonic() - self._began

    def stop_requested(self) -> bool:
        """Whether somebody asked this session to stop."""
        return self.folder.control.stop_requested()

    # Events

    def emit(self, event: ev.Event, *, task: str = "") -> None:
        """Append one event to the log; after the last event nothing is recorded any more.

        Raises :class:`LeadlineError` when the disk does not take it.
        """
        with self._lock:
            if self._ended:
                return
            self.view.apply(self._log.append(event, task=task))
            if isinstance(event, ev.RunStarted):
                started = self.run_record.started_at or self._clock()
                self._save_record(
                    status=self.view.status, reason="", started_at=started, ended_at=None
                )
            if isinstance(event, _SHOWN_IN_VIEWS):
                self._views_stale = True
                if self._monotonic() - self._views_written >= _VIEWS_EVERY:
                    self._write_views()

    def set_status(self, status: RunStatus, reason: str = "") -> None:
        """Say where the run stands now, in the log and in ``run.json``."""
        with self._lock:
            if self._ended or (status, reason) == (self.run_record.status, self.run_record.reason):
                return
            self.emit(ev.StatusChanged(status=status, reason=reason))
            self._save_record(status=status, reason=reason)

    def end(self, last_event: LastEvent) -> None:
        """End the session with its one last event; a second call does nothing."""
        with self._lock:
            if self._ended:
                return
            self.folder.control.free_reserve()
            self.emit(last_event)
            self._ended = True
            self._save_record(
                status=self.view.status, reason=self.view.reason, ended_at=self._clock()
            )
            self._write_views()
            self.folder.control.clear_stop()

    def _say(self, message: str) -> None:
        self.emit(ev.Notice(message=message, level="warning"))

    # The plan

    def write_plan(self, plan: Plan, origin: str) -> Plan:
        """Write a plan to the file and the log; returns it as written, every task with an id.

        A new plan (``model``, ``fallback``, ``given``, ``user``) replaces the one there is. Any
        other origin adds to the plan there is: new tasks, queries, failed tasks opened again. In
        both cases an edit that a person saved meanwhile is taken up first and is not undone.
        """
        with self._lock, self._plan_file.lock:
            base = self.view.plan
            known = {task.id: task.text for task in self.view.tasks.values()}
            edited = self._take_edits() is not None
            current = self.view.plan
            if current is not None and (edited or origin not in _NEW_PLANS):
                plan = add_to_plan(current, plan, base=base or Plan(), known_texts=known)
            plan = self._with_logged_boxes(plan.numbered(self._first_free_id()))
            self._write_plan(plan, origin)
            return plan

    def take_plan_edits(self) -> PlanEdit | None:
        """What a person changed in the plan file since the last call; None: nothing.

        The change is in the log and the view by then: removed tasks are gone from ``view.plan``,
        boxes ticked by hand are finished ``by_user``, opened ones are open again.
        """
        with self._lock:
            if not self._ended and not self._plan_file.looks_unchanged():
                with self._plan_file.lock:
                    self._take_edits()
                    self._write_boxes()
            edit, self._edit = self._edit, None
            return edit

    def finish_task(
        self,
        task_id: str,
        attempt: int,
        state: TaskState,
        reason: str = "",
        summary: str = "",
        findings: Sequence[str] = (),
    ) -> None:
        """Record how a task ended, synced, and then set its box. ``OPEN``: it was interrupted."""
        event = ev.TaskFinished(
            attempt=attempt, state=state, reason=reason, summary=summary, findings=tuple(findings)
        )
        with self._lock:
            if self._ended:
                return
            self.emit(event, task=task_id)
            with self._plan_file.lock:
                self._take_edits()
                self._write_boxes()
            self._write_views()
            self._save_record()

    def _take_edits(self) -> PlanEdit | None:
        """Take up what a person saved; the plan lock is held."""
        written = self.view.written_plan
        if not self._plan_file.exists():
            if written is not None:
                self._plan_file.write(written)
                self._say("research_plan.md was gone and has been written again.")
            return None
        try:
            edit = self._plan_file.edit(written, first_free=self._first_free_id())
        except InvalidPlan:
            self._restore_plan(written or Plan())
            return None
        if edit is None:
            return None
        states = {task.id: task.state for task in edit.plan.tasks()}
        boxes_set = edit.ticked if written else [i for i in states if states[i] != TaskState.OPEN]
        for task_id in boxes_set:
            known = self.view.tasks.get(task_id)
            if known is None or known.state is not states[task_id]:
                finished = ev.TaskFinished(
                    attempt=known.attempts if known else 0,
                    state=states[task_id],
                    reason="Set by hand.",
                    by_user=True,
                )
                self.emit(finished, task=task_id)
        self.emit(ev.PlanWritten(plan=edit.plan, origin="user"))
        self._save_record()
        self._edit = joined(self._edit, edit)
        return edit

    def _restore_plan(self, written: Plan) -> None:
        kept = self._plan_file.put_aside()
        self._plan_file.write(written)
        where = f"; what was in it is kept as {kept}" if kept else ""
        self._say(f"research_plan.md had no task left and has been written again{where}.")

    def _write_boxes(self) -> None:
        """Bring the file's boxes up to the log; the plan lock is held."""
        plan = self.view.plan
        if plan is not None and plan != self.view.written_plan:
            self._write_plan(plan, "progress")

    def _write_plan(self, plan: Plan, origin: str) -> None:
        # The file first: were it the other way round, a crash in between would leave a file that
        # looks as if its user had taken things back.
        self._plan_file.write(plan)
        self.emit(ev.PlanWritten.model_validate({"plan": plan, "origin": origin}))
        self._save_record()

    def _with_logged_boxes(self, plan: Plan) -> Plan:
        for task in list(plan.tasks()):
            known = self.view.tasks.get(task.id)
            logged = known.state if known else TaskState.OPEN
            if task.state is not logged and not (
                logged is TaskState.FAILED and task.state is TaskState.OPEN
            ):
                plan = plan.with_state(task.id, logged)
        return plan

    def _first_free_id(self) -> int:
        numbers = [int(i[1:]) for i in self.view.tasks if re.fullmatch(r"t\d{1,9}", i, re.ASCII)]
        return max(numbers, default=0) + 1

    # Files

    def write_report(
        self,
        markdown: str,
        *,
        citations: int,
        resolved: int,
        sources: int,
        partial: bool = False,
        template: str = "",
        sentences: Sequence[ReportSentence] = (),
    ) -> None:
        """Replace ``report.md`` and say so in the log, with its hash and its cited sentences."""
        content = markdown.encode("utf-8", "replace")
        with self._lock:
            if self._ended:
                return
            replace_bytes(self.folder.file("report.md"), content)
            self.emit(
                ev.ReportReady(
                    citations=citations,
                    resolved=resolved,
                    sources=sources,
                    partial=partial,
                    template=template,
                    sentences=tuple(sentences),
                    sha256=hashlib.sha256(content).hexdigest(),
                )
            )
            self._write_views()

    def write_screen(self, worker: str, jpeg: bytes) -> None:
        """Keep the newest screenshot of a worker; one that is too large is left out."""
        if self._ended or len(jpeg) > _SCREEN_MAX_BYTES:
            return
        name = re.sub(r"[^A-Za-z0-9_-]", "-", worker).lstrip("-_")[:64] or "worker"
        path = self.folder.file(f"screens/{name}.jpg")
        make_folder(path.parent)
        replace_bytes(path, jpeg, durable=False)

    def _write_views(self) -> None:
        self._views_stale = False
        self._views_written = self._monotonic()
        self._save_record()
        for name, content in projections.views(self.view, self.run_record).items():
            replace_json(self.folder.file(name), content, durable=False)

    def _save_record(self, **changes: object) -> None:
        counts = self.view.counts()
        known = {
            "seconds": round(self.seconds, 3),
            "usage": self.view.usage,
            "usage_by_role": dict(self.view.usage_by_role),
            "tasks_done": counts[TaskState.DONE],
            "tasks_failed": counts[TaskState.FAILED],
            "tasks_open": counts[TaskState.OPEN],
            "sources": len(self.view.sources),
            "findings": len(self.view.findings),
        }
        record: RunRecord = self.run_record.model_copy(update={**known, **changes})
        durable = "status" in changes
        content = record.model_dump(mode="json")
        replace_json(self.folder.file("run.json"), content, durable=durable)
        self.run_record = record
