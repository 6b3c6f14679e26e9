"""``leadline bench``: research the demo web with more and more browsers, and measure.

Everything is read from the run's own log and from its process tree, so any model can be measured.
The ideal schedule takes planning and writing as they were and packs the workers' own times, stage
by stage, on N browsers (longest first): what remains above it is what Leadline itself costs.
"""

from __future__ import annotations

import contextlib
import platform
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import psutil

from leadline.demo.questions import DEMO_TOPIC
from leadline.domain import events as ev
from leadline.domain.config import RunConfig
from leadline.domain.projection import RunView
from leadline.domain.run import RunRecord
from leadline.following import Launcher, StopRequest

MEMORY_SECONDS = 1.0
WORKER_ROLE = "worker"
_ENDED = ("finished", "failed")


@dataclass(frozen=True)
class Measured:
    """One run, measured. Times are seconds, memory MiB."""

    browsers: int
    status: str
    wall: float
    ideal: float
    tasks: int
    pages_a_minute: float
    worker_calls_a_task: float
    model_calls: int
    tokens_a_task: float
    first_event: float
    """From the call that starts the run to its first event."""
    first_browser: float
    """From the first task to the first browser that is up."""
    browsers_peak: int
    memory_peak: float
    """Of the run's process tree, browsers included."""

    @property
    def overhead(self) -> float:
        """Wall time over the ideal schedule."""
        return self.wall / self.ideal if self.ideal else 0.0

    def to_wire(self) -> dict[str, Any]:
        """The measurement as JSON."""
        return {**asdict(self), "overhead": round(self.overhead, 2)}


def measure(launcher: Launcher, config: RunConfig, *, stop: StopRequest) -> Measured:
    """Run the demo question once with this configuration, to its end or to a stop."""
    asked = datetime.now(UTC)
    folder = launcher.start(DEMO_TOPIC, config)
    memory = _MemoryWatch(lambda: owner.pid if (owner := folder.owner()) else None)

    def watch(record: RunRecord, view: RunView, entries: Sequence[ev.Entry]) -> None:
        memory.look()

    record = launcher.follow(folder, watch=watch, stop=stop)
    entries, _ = folder.read_events()
    return _measured(record, folder.view(), entries, asked, memory.peak)


def markdown(rows: Sequence[Measured], *, note: str) -> str:
    """A page with the measurements."""
    memory = psutil.virtual_memory().total / 2**30
    machine = (
        f"{psutil.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}, "
        f"Python {platform.python_version()}"
    )
    lines = [
        "# Benchmarks",
        "",
        f"`leadline bench` on {datetime.now(UTC):%Y-%m-%d}, {machine}. {note}".strip(),
        "",
        "The question of `leadline demo` is researched on the bundled demo web, once for each",
        "number of browsers. *Ideal* is the time of a perfect schedule: planning and writing as",
        "they were, and the workers' own times packed on N browsers, stage by stage. Memory is",
        "that of the run's whole process tree.",
        "",
        "| | " + " | ".join(f"N = {row.browsers}" for row in rows) + " |",
        "|---|" + "---|" * len(rows),
    ]
    for name, show in _COLUMNS:
        lines.append(f"| {name} | " + " | ".join(show(row) for row in rows) + " |")
    return "\n".join(lines) + "\n"


_COLUMNS: tuple[tuple[str, Callable[[Measured], str]], ...] = (
    ("how it ended", lambda r: r.status),
    ("wall time", lambda r: f"{r.wall:.1f} s"),
    ("ideal schedule", lambda r: f"{r.ideal:.1f} s"),
    ("wall / ideal", lambda r: f"{r.overhead:.2f}"),
    ("tasks", lambda r: str(r.tasks)),
    ("model calls of a task's workers", lambda r: f"{r.worker_calls_a_task:.1f}"),
    ("model calls in all", lambda r: str(r.model_calls)),
    ("tokens a task", lambda r: f"{r.tokens_a_task:,.0f}"),
    ("pages a minute", lambda r: f"{r.pages_a_minute:.0f}"),
    ("most browsers at once", lambda r: str(r.browsers_peak)),
    ("peak memory", lambda r: f"{r.memory_peak:,.0f} MiB"),
    ("first task to first browser", lambda r: f"{r.first_browser:.1f} s"),
    ("click to first event", lambda r: f"{r.first_event:.2f} s"),
)


def ideal_schedule(stages: Iterable[Sequence[float]], browsers: int) -> float:
    """The time that these pieces of work take on so many browsers, stage after stage."""
    total = 0.0
    for pieces in stages:
        loads = [0.0] * browsers
        for piece in sorted(pieces, reverse=True):
            loads[loads.index(min(loads))] += piece
        total += max(loads)
    return total


def _measured(
    record: RunRecord,
    view: RunView,
    entries: Sequence[ev.Entry],
    asked: datetime,
    memory_peak: float,
) -> Measured:
    browsers = record.config.limits.max_parallel_browsers
    started, ended = entries[0].ts, entries[-1].ts
    wall = (ended - started).total_seconds()
    tasks = sum(1 for e in entries if isinstance(e.event, ev.TaskFinished))
    first_task = _first(entries, ev.TaskStarted)
    last_task = _first(reversed(entries), ev.TaskFinished)
    first_browser = _first(entries, ev.BrowserOpened)
    around = 0.0
    if first_task and last_task:
        around = (first_task - started + (ended - last_task)).total_seconds()
    worker = view.usage_by_role.get(WORKER_ROLE)
    return Measured(
        browsers=browsers,
        status=record.status.value,
        wall=round(wall, 2),
        ideal=round(around + ideal_schedule(_stages(view, entries), browsers), 2),
        tasks=tasks,
        pages_a_minute=round(60 * view.pages / wall, 1) if wall else 0.0,
        worker_calls_a_task=round(worker.calls / tasks, 2) if worker and tasks else 0.0,
        model_calls=view.usage.calls,
        tokens_a_task=round(view.usage.tokens / tasks) if tasks else 0.0,
        first_event=round((started - asked).total_seconds(), 3),
        first_browser=round((first_browser - first_task).total_seconds(), 2)
        if first_browser and first_task
        else 0.0,
        browsers_peak=view.peak_browsers,
        memory_peak=round(memory_peak, 1),
    )


def _first(entries: Iterable[ev.Entry], kind: type[ev.EventBase]) -> datetime | None:
    return next((entry.ts for entry in entries if isinstance(entry.event, kind)), None)


def _stages(view: RunView, entries: Sequence[ev.Entry]) -> list[list[float]]:
    """How long each worker was at work, by the category of its task."""
    begun: dict[str, datetime] = {}
    seconds: dict[str, list[float]] = {}
    for entry in entries:
        if not isinstance(entry.event, ev.WorkerMoved):
            continue
        name = entry.event.worker
        if entry.event.activity in _ENDED:
            start = begun.pop(name, None)
            if start:
                seconds.setdefault(entry.task, []).append((entry.ts - start).total_seconds())
        elif entry.event.activity != "waiting":
            begun.setdefault(name, entry.ts)
    categories = view.plan.categories if view.plan else ()
    stages = [
        [s for task in category.tasks for s in seconds.get(task.id, ())] for category in categories
    ]
    return [stage for stage in stages if stage]


class _MemoryWatch:
    """The peak memory of a process tree, looked at once a second."""

    def __init__(self, root: Callable[[], int | None]) -> None:
        self._root = root
        self._next = 0.0
        self.peak = 0.0

    def look(self) -> None:
        """Look, if it is time again."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + MEMORY_SECONDS
        pid = self._root()
        if pid is None:
            return
        with contextlib.suppress(psutil.Error):
            tree = psutil.Process(pid)
            processes = [tree, *tree.children(recursive=True)]
            self.peak = max(self.peak, sum(_memory(p) for p in processes) / 2**20)


def _memory(process: psutil.Process) -> float:
    """Bytes of a process; what is shared counts once where the system tells (Linux)."""
    with contextlib.suppress(psutil.Error):
        full = process.memory_full_info()
        return float(getattr(full, "pss", full.rss))
    return 0.0
