"""What the command line shows of a run: progress while it goes, one object when it ended.

Invariant: text from the web never reaches the terminal with control characters in it. With
``--json`` standard output holds exactly one JSON object; everything else goes to standard error.
"""

from __future__ import annotations

import json
import math
import sys
import time
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from leadline.domain import events as ev
from leadline.domain.plan import Plan, TaskState
from leadline.domain.projection import RunView
from leadline.domain.run import RunRecord, RunStatus
from leadline.errors import UserError
from leadline.runs.folder import RunFolder

if TYPE_CHECKING:
    from leadline.doctor import Check

BOXES = {TaskState.OPEN: "[ ]", TaskState.DONE: "[x]", TaskState.FAILED: "[-]"}
_COLOURS = {TaskState.OPEN: "", TaskState.DONE: "green", TaskState.FAILED: "red"}
QUEUED_SECONDS = 3.0
"""A start takes a moment; a run that is queued for longer waits for another one."""
_LINES = 40
"""Most lines of a live display; a longer plan shows the part that is at work."""


def printable(text: str, limit: int = 200) -> str:
    """One line without control or direction characters: safe to print, whoever wrote it."""
    plain = " ".join(text.split())
    safe = "".join(c for c in plain if unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co"})
    return safe if len(safe) <= limit else f"{safe[: limit - 1]}…"


def say(sentence: str) -> None:
    """A line on standard output."""
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()


def complain(sentence: str) -> None:
    """A line on standard error."""
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()


def print_json(value: dict[str, Any]) -> None:
    """The one object on standard output."""
    say(json.dumps(value, ensure_ascii=False))


def show_checks(checks: Sequence[Check], as_json: bool, wire: dict[str, Any]) -> None:
    """What the doctor saw, a line a check, or ``wire`` as the one object."""
    if as_json:
        print_json(wire)
        return
    console = Console()
    for check in checks:
        colour = "green" if check.ok else "red" if check.needed else "yellow"
        mark = Text("✓ " if check.ok else "✗ ", style=colour)
        sentence = printable(check.sentence, 600)
        console.print(mark + Text(f"{check.name}: {sentence}"), soft_wrap=True)


def write_file(path: Path, text: str) -> None:
    """Write a file that was asked for, or say why not."""
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror}).") from None


def result(record: RunRecord, folder: RunFolder) -> dict[str, Any]:
    """The object that ``--json`` prints when a run ended."""
    view = folder.view()
    counts = view.counts()
    ready = view.report_ready
    report = folder.file("report.md")
    return {
        "task_id": record.task_id,
        "status": record.status.value,
        "seconds": round(record.seconds, 1),
        "tasks": {
            "done": counts[TaskState.DONE],
            "failed": counts[TaskState.FAILED],
            "open": counts[TaskState.OPEN],
        },
        "pages": view.pages,
        "sources": len(view.sources),
        "findings": len(view.findings),
        "citations": {
            "total": ready.citations if ready else 0,
            "resolved": ready.resolved if ready else 0,
            "sources": ready.sources if ready else 0,
        },
        "model_calls": view.usage.calls,
        "browsers_peak": view.peak_browsers,
        "report": str(report) if report.is_file() else None,
    }


def plan_lines(plan: Plan) -> list[Text]:
    """The plan with its boxes, a line each."""
    lines: list[Text] = []
    for category in plan.categories:
        lines.append(Text(printable(category.name), style="bold"))
        for task in category.tasks:
            style = _COLOURS[task.state]
            lines.append(Text(f"  {BOXES[task.state]} {printable(task.text, 110)}", style=style))
    return lines


def counters(record: RunRecord, view: RunView, seconds: float) -> str:
    """``3 of 9 tasks, 12 pages, 20 findings, 2 browsers, 0:41``."""
    counts = view.counts()
    total = sum(counts.values())
    parts = [f"{total - counts[TaskState.OPEN]} of {total} tasks"] if total else []
    parts += [
        _count(len(view.sources), "source"),
        _count(len(view.findings), "finding"),
        _count(view.live_browsers, "browser"),
    ]
    if view.usage.tokens:
        parts.append(f"{view.usage.tokens:,} tokens")
    if view.usage.cost_usd:
        parts.append(f"${view.usage.cost_usd:.2f}")
    parts.append(f"{int(seconds) // 60}:{int(seconds) % 60:02}")
    return f"{record.status.value}: " + ", ".join(parts)


class Progress(Protocol):
    """Shows a run while it goes."""

    def show(self, record: RunRecord, view: RunView, entries: Sequence[ev.Entry]) -> None:
        """Called at each look at the run."""

    def say(self, sentence: str) -> None:
        """One line for the person, in between."""

    def close(self) -> None:
        """The run ended."""


class PlainProgress:
    """A line for each thing that happens; for files, pipes and ``--json``."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._queued_since: float | None = None

    def show(self, record: RunRecord, view: RunView, entries: Sequence[ev.Entry]) -> None:
        """Print what is new."""
        if record.status is RunStatus.QUEUED:
            self._wait()
        for entry in entries:
            line = describe(entry, view)
            if line:
                self.say(line)

    def _wait(self) -> None:
        now = time.monotonic()
        if self._queued_since is None:
            self._queued_since = now
        elif now - self._queued_since > QUEUED_SECONDS:
            self.say("Waiting for another run to end.")
            self._queued_since = math.inf

    def say(self, sentence: str) -> None:
        """Print one line."""
        self._console.print(Text(sentence), soft_wrap=True)

    def close(self) -> None:
        """Nothing is left open."""


class LiveProgress:
    """The plan with its boxes, the workers and the counters, redrawn in place."""

    def __init__(self, console: Console) -> None:
        self._started = time.monotonic()
        self._console = console
        self._live = Live(console=console, auto_refresh=False, vertical_overflow="crop")
        self._live.start()

    def show(self, record: RunRecord, view: RunView, entries: Sequence[ev.Entry]) -> None:
        """Draw the run as it stands."""
        for entry in entries:
            match entry.event:
                case ev.Notice() | ev.PlanWritten(origin="user"):
                    self.say(describe(entry, view))
        self._live.update(self._picture(record, view), refresh=True)

    def say(self, sentence: str) -> None:
        """Print a line above the picture."""
        self._console.print(Text(sentence))

    def close(self) -> None:
        """Leave the last picture standing."""
        self._live.stop()

    def _picture(self, record: RunRecord, view: RunView) -> RenderableType:
        lines = plan_lines(view.plan) if view.plan else [Text("Making a plan …")]
        workers = [_worker_line(worker) for worker in view.workers.values()]
        room = max(5, min(_LINES, self._console.height - len(workers) - 4))
        elapsed = time.monotonic() - self._started
        return Group(
            *_window(lines, room), *workers, Text(counters(record, view, elapsed), style="cyan")
        )


def progress_on(console: Console) -> Progress:
    """Live on a terminal, lines elsewhere."""
    return LiveProgress(console) if console.is_terminal else PlainProgress(console)


def describe(entry: ev.Entry, view: RunView) -> str:
    """One line about an event, or nothing for those that are no news."""
    match entry.event:
        case ev.RunStarted(session=session, model=model):
            again = f" (session {session})" if session > 1 else ""
            return f"Started with {printable(model) or 'the offline model'}{again}."
        case ev.PlanWritten(origin="user"):
            return "Your changes to the plan were taken over."
        case ev.PlanWritten(plan=plan, origin=origin) if origin not in ("progress", "given"):
            tasks = _count(sum(plan.counts().values()), "task")
            return f"Plan: {tasks} in {_count(len(plan.categories), 'part')}."
        case ev.TaskFinished(state=state, reason=reason, findings=findings):
            task = view.tasks.get(entry.task)
            text = printable(task.text, 110) if task else entry.task
            more = f": {printable(reason)}" if reason else f" ({_count(len(findings), 'finding')})"
            return f"{BOXES[state]} {text}{more}"
        case ev.PageRead(source=source, cached=False):
            return f"Read {printable(source.title or source.url, 90)}, {printable(source.site, 60)}"
        case ev.PageFailed(url=url, reason=reason):
            return f"Not read: {printable(url, 110)}: {printable(reason)}"
        case ev.StatusChanged(status=RunStatus.WRITING):
            return "Writing the report."
        case ev.Notice(message=message):
            return printable(message, 500)
        case _:
            return ""


def ending(record: RunRecord, folder: RunFolder) -> list[str]:
    """The last lines for a person: how it ended, where the report is, what to do next."""
    word = _ENDS.get(record.status, record.status.value)
    reason = printable(record.reason, 500)
    if not reason.lower().startswith(word.lower()):
        reason = f"{word}: {reason}" if reason else f"{word}."
    lines = [reason]
    report = folder.file("report.md")
    if record.status is RunStatus.PLANNED:
        lines.append(f"Plan: {folder.file('research_plan.md')}")
        lines.append(f"Edit it if you like, then go on with: leadline resume {record.task_id}")
    elif report.is_file():
        lines.append(f"Report: {report}")
    if record.status in (RunStatus.STOPPED, RunStatus.FAILED, RunStatus.INTERRUPTED):
        lines.append(f"Go on with: leadline resume {record.task_id}")
    return lines


_ENDS = {
    RunStatus.DONE: "Done",
    RunStatus.EMPTY: "Nothing was found that could be cited",
    RunStatus.PLANNED: "The plan is ready",
    RunStatus.STOPPED: "Stopped",
    RunStatus.FAILED: "Failed",
    RunStatus.INTERRUPTED: "Interrupted",
}


def _window(lines: list[Text], room: int) -> list[Text]:
    """The part of a long plan around its first open task."""
    if len(lines) <= room:
        return lines
    first = next((i for i, line in enumerate(lines) if BOXES[TaskState.OPEN] in line.plain), 0)
    start = max(0, min(first - room // 2, len(lines) - room))
    return lines[start : start + room]


def _worker_line(worker: ev.WorkerMoved) -> Text:
    where = printable(worker.title or worker.url or worker.query, 90)
    return Text(f"  > {worker.activity} {where}", style="dim")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
