"""What the page shows of a run, read from its folder in small steps.

Invariant: nothing here is an authority. Each look is a projection of the folder's files; the
cache only spares reading the same log twice, and losing it changes nothing.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from leadline.domain.events import Entry
from leadline.domain.plan import Plan
from leadline.domain.projection import RunView
from leadline.domain.run import RunRecord, RunStatus
from leadline.errors import UserError
from leadline.runs.folder import RunFolder
from leadline.runs.store import RunStore
from leadline.web.views.feed import FEED_LENGTH

KEPT_RUNS = 32
_FEED_ENTRIES = FEED_LENGTH * 4
"""Entries kept for the feed; most of them make no sentence."""


@dataclass(frozen=True)
class Look:
    """A run at one moment."""

    record: RunRecord
    view: RunView
    plan: Plan | None
    plan_version: str
    entries: tuple[Entry, ...]
    screens: dict[str, int]
    report_version: int
    """Modification time of ``report.md`` in nanoseconds; 0 when there is none."""
    saved_at: datetime
    """When ``run.json`` was written last; its seconds count up to then."""
    place: int | None = None
    """Its number in the queue, from 1; None when it does not wait or has a slot already."""

    @property
    def status(self) -> RunStatus:
        """Where the run stands, a dead process taken into account."""
        return self.view.status

    @property
    def mark(self) -> str:
        """Changes whenever something that is shown changed, the clock apart."""
        shots = ",".join(f"{k}:{v}" for k, v in sorted(self.screens.items()))
        return (
            f"{self.view.seq}|{self.status}|{self.plan_version}|{self.report_version}"
            f"|{self.place}|{shots}"
        )

    def seconds(self, now: datetime | None = None) -> float:
        """Time at work over all sessions; a session under way counts up to now."""
        seconds = self.record.seconds
        if self.status.is_active and self.status is not RunStatus.QUEUED:
            seconds += max(0.0, ((now or datetime.now(UTC)) - self.saved_at).total_seconds())
        return seconds


class _Followed:
    """One run that somebody looks at."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self.lock = threading.Lock()
        self._cursor = 0
        self._entries: deque[Entry] = deque(maxlen=_FEED_ENTRIES)
        self._plan: tuple[str, int, Plan | None] = ("", -1, None)

    def look(self) -> Look:
        folder = self.folder
        record = folder.record()
        view = folder.view()
        entries, self._cursor = folder.read_events(self._cursor)
        self._entries.extend(entries)
        version = folder.plan_version()
        if self._plan[:2] != (version, view.seq):
            self._plan = (version, view.seq, folder.plan())
        saved_at = datetime.fromtimestamp(_changed_at(folder, "run.json") / 1e9, UTC)
        return Look(
            record=record,
            saved_at=saved_at,
            view=view,
            plan=self._plan[2],
            plan_version=version,
            entries=tuple(self._entries),
            screens=self._screens(view),
            report_version=_changed_at(folder, "report.md"),
        )

    def _screens(self, view: RunView) -> dict[str, int]:
        versions = {
            worker: _changed_at(self.folder, f"screens/{worker}.jpg") for worker in view.workers
        }
        return {worker: version for worker, version in versions.items() if version}


def _changed_at(folder: RunFolder, name: str) -> int:
    try:
        return folder.file(name).stat().st_mtime_ns
    except (FileNotFoundError, UserError):  # no such file, or a name that no file can have
        return 0


def _has_slot(folder: RunFolder) -> bool:
    """Whether the process of a queued run is there already and has only to say so."""
    ticket = folder.control.ticket()
    return folder.owner() is not None or (ticket is not None and ticket.is_starting)


class LiveRuns:
    """Looks at runs; remembers the last few that were looked at."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._followed: OrderedDict[str, _Followed] = OrderedDict()

    def folder(self, task_id: str) -> RunFolder:
        """The folder of a run. Raises ``UnknownRun``, ``InvalidTaskId``, ``RunFolderDamaged``."""
        return self._follow(task_id).folder

    def look(self, task_id: str) -> Look:
        """The run as it stands now; raises like :meth:`folder`."""
        followed = self._follow(task_id)
        with followed.lock:
            look = followed.look()
        if look.status is not RunStatus.QUEUED:
            return look
        if _has_slot(followed.folder):
            return look
        queued = [r for r in self._store.history() if r.status is RunStatus.QUEUED]
        ahead = (r for r in queued if r.created_at <= look.record.created_at)
        place = sum(not _has_slot(RunFolder(self._store.root / r.task_id)) for r in ahead)
        return replace(look, place=place or None)

    def forget(self, task_id: str) -> None:
        """Drop what is remembered of a run (it was deleted)."""
        with self._lock:
            self._followed.pop(task_id, None)

    def _follow(self, task_id: str) -> _Followed:
        with self._lock:
            known = self._followed.get(task_id)
            if known is not None and known.folder.path.is_dir():
                self._followed.move_to_end(task_id)
                return known
            self._followed.pop(task_id, None)
        folder = self._store.open(task_id)
        with self._lock:
            known = self._followed.setdefault(task_id, _Followed(folder))
            while len(self._followed) > KEPT_RUNS:
                self._followed.popitem(last=False)
            return known
