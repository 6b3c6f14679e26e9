"""Runs started as a person starts them and watched from outside: processes, files, ids."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from leadline.domain.events import BrowserOpened, Entry
from leadline.domain.run import RunStatus
from leadline.runs.folder import RunFolder
from leadline.runs.store import RunStore

QUICK = ("--depth", "quick")


class Lab:
    """A folder of runs and the command line that works in it."""

    def __init__(self, root: Path, environment: Mapping[str, str] | None = None) -> None:
        self.root = root
        self.environment = {
            **os.environ,
            "LEADLINE_RUNS_DIR": str(root),
            "TMPDIR": str(root.parent),
            **(environment or {}),
        }
        self.store = RunStore(root)

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "leadline", *arguments]

    def cli(self, *arguments: str, timeout: float = 150) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            self.command(*arguments),
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            cwd=self.root.parent,
        )

    def json(self, *arguments: str, timeout: float = 150) -> dict[str, Any]:
        """Run a command with ``--json`` and return its one object."""
        done = self.cli(*arguments, "--json", timeout=timeout)
        assert done.stdout.count("\n") == 1, done.stdout + done.stderr
        value = json.loads(done.stdout)
        assert isinstance(value, dict)
        return value | {"exit": done.returncode}

    @contextmanager
    def started(self, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        """A command at work; whatever is left of it at the end is killed."""
        process = subprocess.Popen(
            self.command(*arguments),
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.root.parent,
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def only_run(self, timeout: float = 20) -> RunFolder:
        """The run of this lab, once it is there."""
        wait_until(lambda: len(self.store.task_ids()) == 1, timeout, "a run folder")
        return self.store.open(self.store.task_ids()[0])


def wait_until(true: Callable[[], bool], timeout: float, what: str) -> float:
    """Wait for a condition and return the seconds it took; fails with ``what`` when it does not."""
    started = time.monotonic()
    while not true():
        assert time.monotonic() - started < timeout, f"waited {timeout} s for {what}"
        time.sleep(0.03)
    return time.monotonic() - started


def entries(folder: RunFolder) -> list[Entry]:
    return folder.read_events()[0]


def of_type(folder: RunFolder, kind: str) -> list[Entry]:
    """The log's entries of one type (``task.finished``)."""
    return [e for e in entries(folder) if e.event.type == kind]


def wait_for(folder: RunFolder, kind: str, timeout: float = 60, count: int = 1) -> Entry:
    """Wait for the ``count``-th event of a type."""
    wait_until(lambda: len(of_type(folder, kind)) >= count, timeout, f"{kind} number {count}")
    return of_type(folder, kind)[count - 1]


def wait_status(folder: RunFolder, *wanted: RunStatus, timeout: float = 90) -> RunStatus:
    wait_until(lambda: folder.status() in wanted, timeout, f"{' or '.join(wanted)}")
    return folder.status()


def processes_of(folder: RunFolder) -> list[psutil.Process]:
    """Live processes of a run: its runner and whatever has its folder in a switch."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter(["cmdline"]):
        line = " ".join(process.info["cmdline"] or ())
        if str(folder.path) in line or f"leadline.runner {folder.task_id}" in line:
            found.append(process)
    return found


def browser_pids(folder: RunFolder) -> set[int]:
    """Ids of all browsers that the run opened."""
    return {e.event.pid for e in entries(folder) if isinstance(e.event, BrowserOpened)}


def tree_of(pids: set[int]) -> list[psutil.Process]:
    """Live processes of these ids with all their descendants."""
    found: list[psutil.Process] = []
    for pid in pids:
        try:
            process = psutil.Process(pid)
            found += [process, *process.children(recursive=True)]
        except psutil.NoSuchProcess:
            continue
    return found


def assert_nothing_left(folder: RunFolder, seen: list[psutil.Process], timeout: float = 10) -> None:
    """Neither the processes that were ``seen`` nor any other of the run live on."""

    def left() -> list[psutil.Process]:
        alive = [p for p in seen if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]
        return alive + processes_of(folder)

    def gone() -> bool:
        try:
            return not left()
        except psutil.NoSuchProcess:
            return False

    wait_until(gone, timeout, "the run's processes to be gone")


def kill_group(pid: int) -> None:
    """``kill -9`` of a process group."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def check_invariants(folder: RunFolder) -> None:
    """What holds of a run at rest: numbered log, boxes with evidence, no task done twice."""
    log = entries(folder)
    assert [e.seq for e in log] == list(range(1, len(log) + 1))
    done: set[str] = set()
    for entry in log:
        if entry.event.type == "task.started":
            assert entry.task not in done, f"{entry.task} was run again after it was done"
        if entry.event.type == "task.finished" and entry.event.state == "done":
            assert entry.event.findings or entry.event.by_user
            done.add(entry.task)
    view = folder.view()
    plan = folder.plan()
    assert plan is not None or view.plan is None
    known = {f.id for f in folder.findings()}
    for task in view.tasks.values():
        assert set(task.findings) <= known
        if task.state == "done" and not task.by_user:
            assert task.findings
    for finding in folder.findings():
        for ref, quote in zip(finding.passages, finding.quotes, strict=True):
            snapshot = folder.snapshot(ref.source)
            assert snapshot is not None
            passage = snapshot.passage(ref.passage)
            assert passage is not None
            assert passage.text == quote
