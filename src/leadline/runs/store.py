"""All runs of a root folder: made, opened, listed, deleted.

Invariants: an id is checked before it becomes a path; a folder is only ever made new; a damaged
folder is listed with its reason and hides no other.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import threading
import unicodedata
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from leadline.domain.config import RunConfig
from leadline.domain.events import PlanWritten
from leadline.domain.plan import Plan, TaskState
from leadline.domain.plan_markdown import parse_plan, render_plan
from leadline.domain.run import RunRecord, RunStatus, check_task_id, check_topic
from leadline.errors import (
    InvalidPlan,
    InvalidTaskId,
    LeadlineError,
    RunBusy,
    RunFolderDamaged,
    UnknownRun,
)
from leadline.runs.atomic import replace_json, replace_text
from leadline.runs.event_log import EventLog
from leadline.runs.folder import PLAN_FILE, PLAN_MAX_BYTES, RunFolder, check_tasks
from leadline.runs.lock import OwnerLock

LAST = "last"
"""What a person calls the newest run."""
PREFIX_CHARS = 4
_SHOWN_IDS = 8
_KEPT_FOLDERS = 64
_SLUG_CHARS = 40


class RunSummary(BaseModel):
    """A line of the list of runs."""

    model_config = ConfigDict(frozen=True)

    task_id: str
    topic: str
    status: RunStatus
    reason: str = ""
    created_at: datetime
    seconds: float = 0
    done: int = 0
    failed: int = 0
    open: int = 0
    sources: int = 0
    foreign: bool = False
    """Only a plan, written by browser-use/web-ui or by hand: it can start a run of its own."""
    damaged: bool = False
    """It cannot be opened; ``reason`` says why."""


class RunStore:
    """The runs below ``root`` (``tmp/deep_research``), which is made when first needed."""

    def __init__(
        self, root: Path, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self.root = Path(root).resolve()
        self._clock = clock
        self._lock = threading.Lock()
        self._folders: dict[str, tuple[datetime, RunFolder]] = {}

    def create(
        self,
        topic: str,
        config: RunConfig,
        *,
        plan: Plan | None = None,
        task_id: str | None = None,
    ) -> RunFolder:
        """Make the folder of a new run, with a plan to start from if one is given.

        All boxes of the given plan are opened: a new run has no evidence for any of them. Raises
        :class:`InvalidTopic`, :class:`InvalidPlan` and :class:`InvalidTaskId` (also for an id
        that is taken).
        """
        topic = check_topic(topic)
        if plan is not None:
            check_tasks(plan)
        now = self._clock()
        path = self._make_folder(topic, now, task_id)
        folder = RunFolder(path)
        folder.control.path.mkdir()
        given = plan.reopened().numbered() if plan is not None else None
        record = RunRecord(
            task_id=path.name,
            topic=topic,
            created_at=now,
            config=config,
            tasks_open=len(list(given.tasks())) if given else 0,
        )
        replace_json(path / "run.json", record.model_dump(mode="json"))
        if given is not None:
            replace_text(path / PLAN_FILE, render_plan(given))
            log = EventLog.open(path / "audit.jsonl", clock=self._clock).log
            try:
                log.append(PlanWritten(plan=given, origin="given"))
            finally:
                log.close()
        return folder

    def open(self, task_id: str) -> RunFolder:
        """The folder of a run. Raises :class:`InvalidTaskId`, :class:`UnknownRun`,
        :class:`RunFolderDamaged`."""
        path = self._path(task_id)
        if not (path / "run.json").exists() and (path / "audit.jsonl").exists():
            raise _without_record(path)
        if not (path / "run.json").exists() and (path / PLAN_FILE).is_file():
            raise UnknownRun(
                f"{task_id} holds only a plan; start a new run from it instead of opening it."
            )
        folder = RunFolder(path)
        created = folder.record().created_at
        with self._lock:
            known = self._folders.pop(task_id, None)
            if known is not None and known[0] == created:
                folder = known[1]
            self._folders[task_id] = (created, folder)
            while len(self._folders) > _KEPT_FOLDERS:
                self._folders.pop(next(iter(self._folders)))
        return folder

    def find(self, named: str) -> str:
        """The id that a person means: an id, the beginning of one (4 characters or more), or
        ``last`` for the newest run.

        Raises :class:`InvalidTaskId`, and :class:`UnknownRun` for none or several.
        """
        if (self.root / check_task_id(named)).is_dir():
            return named
        if named == LAST:
            newest = next((row for row in self.history() if not row.foreign), None)
            if newest is None:
                raise UnknownRun("There is no run yet.")
            return newest.task_id
        if len(named) < PREFIX_CHARS:
            raise UnknownRun(
                f"There is no run {named!r} here; the beginning of an id has {PREFIX_CHARS} "
                "characters or more."
            )
        found = sorted(path.name for path in self._children() if path.name.startswith(named))
        if not found:
            raise UnknownRun(f"There is no run {named!r} here.")
        if len(found) > 1:
            shown = ", ".join(found[:_SHOWN_IDS])
            more = f" and {len(found) - _SHOWN_IDS} more" if len(found) > _SHOWN_IDS else ""
            raise UnknownRun(f"{named!r} could be {shown}{more}; type more of the id.")
        return found[0]

    def plan_of(self, task_id: str) -> Plan:
        """The plan of any folder here, of a run or of browser-use/web-ui, to start a run from.

        Raises :class:`InvalidPlan` when it has none with a task.
        """
        folder = RunFolder(self._path(task_id))
        plan = parse_plan(folder.plan_text())
        if not any(True for _ in plan.tasks()):
            raise InvalidPlan(f"{task_id} has no plan with a task in it.")
        return plan

    def task_ids(self) -> list[str]:
        """The ids of all folders that are runs, without opening them."""
        return [path.name for path in self._children() if (path / "run.json").is_file()]

    def history(self) -> list[RunSummary]:
        """All runs, newest first; reads ``run.json`` alone where that is enough."""
        rows = [row for path in self._children() if (row := self._summary(path)) is not None]
        return sorted(rows, key=lambda row: row.created_at, reverse=True)

    def delete(self, task_id: str) -> None:
        """Delete a run with all it found. Raises :class:`RunBusy` while it is active."""
        path = self._path(task_id)
        control = RunFolder(path).control
        ticket = control.ticket()
        if ticket is not None and (ticket.is_starting or ticket.is_waiting):
            raise RunBusy("The run is about to start; stop it before you delete it.")
        lock = OwnerLock(control.path)
        lock.acquire()
        trash = self.root / f".trash-{secrets.token_hex(6)}"
        try:
            if os.name == "nt":
                lock.release()  # Windows moves no folder in which a file is open
            path.rename(trash)
        except OSError as error:
            raise LeadlineError(
                f"{path} could not be deleted ({error.strerror}); close what has its files open."
            ) from error
        finally:
            lock.release()
        with self._lock:
            self._folders.pop(task_id, None)
        for left in self.root.glob(".trash-*"):
            shutil.rmtree(left, ignore_errors=True)

    def _path(self, task_id: str) -> Path:
        path = self.root / check_task_id(task_id)
        if path.is_symlink() or not path.is_dir():
            raise UnknownRun(f"There is no run {task_id!r} here.")
        return path

    def _children(self) -> Iterator[Path]:
        try:
            children = list(self.root.iterdir())
        except FileNotFoundError:
            return
        except OSError as error:
            raise LeadlineError(
                f"The runs in {self.root} cannot be listed ({error.strerror}); "
                "choose a folder that can be read."
            ) from error
        for path in children:
            with contextlib.suppress(InvalidTaskId):
                check_task_id(path.name)
                if path.is_dir() and not path.is_symlink():
                    yield path

    def _make_folder(self, topic: str, now: datetime, task_id: str | None) -> Path:
        if task_id is not None:
            check_task_id(task_id)
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            while True:
                path = self.root / (task_id or new_task_id(topic, now))
                try:
                    path.mkdir()
                except FileExistsError as error:
                    if task_id is not None:
                        raise InvalidTaskId(
                            f"A run {task_id!r} exists already; choose another id."
                        ) from error
                else:
                    return path
        except OSError as error:
            raise LeadlineError(
                f"No run can be made in {self.root} ({error.strerror}); "
                "choose a folder that can be written."
            ) from error

    def _summary(self, path: Path) -> RunSummary | None:
        folder = RunFolder(path)
        try:
            if not (path / "run.json").exists():
                if (path / "audit.jsonl").exists():
                    raise _without_record(path)
                return self._foreign(folder)
            record = folder.record()
            status = folder.status() if record.status.is_active else record.status
            reason = record.reason if status is record.status else ""
        except (LeadlineError, OSError) as error:
            return RunSummary(
                task_id=path.name,
                topic=path.name,
                status=RunStatus.FAILED,
                reason=str(error),
                created_at=_modified(path),
                damaged=True,
            )
        return RunSummary(
            task_id=path.name,
            topic=record.topic,
            status=status,
            reason=reason,
            created_at=record.created_at,
            seconds=record.seconds,
            done=record.tasks_done,
            failed=record.tasks_failed,
            open=record.tasks_open,
            sources=record.sources,
        )

    def _foreign(self, folder: RunFolder) -> RunSummary | None:
        path = folder.file(PLAN_FILE)
        if not path.is_file() or path.stat().st_size > PLAN_MAX_BYTES:
            return None
        plan = parse_plan(folder.plan_text())
        counts = plan.counts()
        if not sum(counts.values()):
            return None
        return RunSummary(
            task_id=folder.task_id,
            topic=", ".join(category.name for category in plan.categories)[:200],
            status=RunStatus.PLANNED,
            reason="Only a plan is here; a new run can be started from it.",
            created_at=_modified(path),
            done=counts[TaskState.DONE],
            failed=counts[TaskState.FAILED],
            open=counts[TaskState.OPEN],
            foreign=True,
        )


def new_task_id(topic: str, now: datetime) -> str:
    """An id that sorts by date and tells the topic: ``20261130-fast-ferries-3f9a``."""
    plain = unicodedata.normalize("NFKD", topic[:400]).encode("ascii", "ignore").decode()
    slug = ""
    for word in re.findall(r"[a-z0-9]+", plain.lower()):
        longer = f"{slug}-{word}" if slug else word[:_SLUG_CHARS]
        if len(longer) > _SLUG_CHARS:
            break
        slug = longer
    return f"{now:%Y%m%d}-{slug or 'run'}-{secrets.token_hex(2)}"


def _without_record(path: Path) -> RunFolderDamaged:
    return RunFolderDamaged(
        f"{path / 'run.json'} is gone, so the run cannot be opened; put back a good copy of the "
        "file, or start a new run from its plan."
    )


def _modified(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)
