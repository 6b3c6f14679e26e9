"""How a session of a run ends, whatever happens in it: one last event, and what was found."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from leadline import runner
from leadline.browsing.worker import WorkerResult
from leadline.domain.events import RunFailed, RunFinished, RunStopped
from leadline.domain.run import RunStatus
from leadline.engine import assembly, graph
from leadline.engine.context import RunContext, WorkOrder
from leadline.errors import BrowserMissing, LimitReached, ModelRejected
from leadline.models.offline import OfflineModel
from leadline.runs.folder import RunFolder
from leadline.runs.session import RunSession
from tests.engine.rig import Bench, Rig, Work, a_config, a_plan, found


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """The runner takes the signals of its process; here they are given back."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    config = a_config(max_parallel_browsers=1)
    return Bench(tmp_path / "runs").run(config, a_plan(["One", "Two"]))


def in_surroundings(folder: RunFolder, work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the runner a pretended worker."""

    @asynccontextmanager
    async def surroundings(session: RunSession, **_: Any) -> AsyncIterator[RunContext]:
        yield Rig(folder, session, work, OfflineModel()).context

    monkeypatch.setattr(assembly, "open_context", surroundings)


def work_on(folder: RunFolder, work: Work, monkeypatch: pytest.MonkeyPatch) -> runner.LastEvent:
    """One session of the run with a pretended worker."""
    in_surroundings(folder, work, monkeypatch)
    with RunSession.acquire(folder) as session:
        last = runner.work(session)
        session.end(last)
    return last


@pytest.mark.parametrize(
    ("error", "kind", "status"),
    [
        (LimitReached("The run used its 5 tokens.", limit="tokens"), RunStopped, RunStatus.STOPPED),
        (ModelRejected("The key is not accepted."), RunFailed, RunStatus.FAILED),
        (BrowserMissing("No Chromium was found."), RunFailed, RunStatus.FAILED),
    ],
)
def test_what_was_found_before_the_end_is_in_a_partial_report(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch, error: Any, kind: type, status: RunStatus
) -> None:
    """safety 45, W3-17: the reason is the error's sentence; a resume does the open task."""

    async def second_ends(rig: Rig, order: WorkOrder) -> WorkerResult:
        if order.task.text == "Two":
            raise error
        return await found(rig, order)

    last = work_on(folder, second_ends, monkeypatch)

    assert isinstance(last, kind)
    assert last.reason == str(error)
    assert getattr(last, "model_refused", False) is isinstance(error, ModelRejected)
    assert folder.status() is status
    ready = folder.view().report_ready
    assert ready is not None
    assert ready.partial
    assert "(sources/1.md#p1" in (folder.report() or "")

    assert work_on(folder, found, monkeypatch) == RunFinished(status=RunStatus.DONE)
    ready = folder.view().report_ready
    assert ready is not None
    assert not ready.partial


async def _fails(_rig: Rig, _order: WorkOrder) -> WorkerResult:
    raise ModelRejected("The key is not accepted.")


async def _spends(_rig: Rig, _order: WorkOrder) -> WorkerResult:
    raise LimitReached("The run used its 5 tokens.", limit="tokens")


async def _finds_nothing(_rig: Rig, _order: WorkOrder) -> WorkerResult:
    return WorkerResult(missing="No page says it.")


async def _is_stopped(rig: Rig, _order: WorkOrder) -> WorkerResult:
    rig.folder.request_stop()
    await asyncio.Event().wait()
    raise AssertionError("unreachable")


@pytest.mark.parametrize(
    ("work", "plan_first", "status"),
    [
        (found, False, RunStatus.DONE),
        (found, True, RunStatus.PLANNED),
        (_finds_nothing, False, RunStatus.EMPTY),
        (_spends, False, RunStatus.STOPPED),
        (_is_stopped, False, RunStatus.STOPPED),
        (_fails, False, RunStatus.FAILED),
        (None, False, RunStatus.FAILED),
    ],
)
def test_w3_18_every_way_a_run_ends_is_one_last_event_that_every_reader_gets(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    work: Work | None,
    plan_first: bool,
    status: RunStatus,
) -> None:
    """None: a fault of Leadline's own. Who comes late reads the same events as who was there."""
    config = a_config(plan_first=plan_first)
    folder = Bench(tmp_path / "runs").run(config, a_plan(["One"]))

    async def breaks(_context: RunContext) -> RunFinished:
        raise ZeroDivisionError

    if work is None:
        monkeypatch.setattr(graph, "run_graph", breaks)
    in_surroundings(folder, work or found, monkeypatch)
    with RunSession.acquire(folder) as session:
        last = runner.work(session)
        entries, end = folder.read_events()
    ends = [e.event for e in entries if isinstance(e.event, RunFinished | RunStopped | RunFailed)]
    assert ends == [entries[-1].event] == [last]
    assert (folder.status(), folder.record().reason) == (status, last.reason)
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    assert folder.read_events(end) == ([], end)
    if status is RunStatus.DONE:
        assert folder.view().overall_score


def test_a_fault_of_ours_is_a_sentence_and_not_a_traceback(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def breaks(_context: RunContext) -> RunFinished:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(graph, "run_graph", breaks)
    last = work_on(folder, found, monkeypatch)
    assert isinstance(last, RunFailed)
    assert "secret detail" not in last.reason
    assert "runner.log" in last.reason
    assert folder.status() is RunStatus.FAILED


def test_the_time_limit_also_ends_a_worker_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """safety 45: minutes are enforced from outside, whatever a worker waits for."""
    folder = Bench(tmp_path / "runs").run(a_config(minutes=0.003), a_plan(["One"]))

    async def hangs(_rig: Rig, _order: WorkOrder) -> WorkerResult:
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    last = work_on(folder, hangs, monkeypatch)
    assert isinstance(last, RunStopped)
    assert "minutes" in last.reason


def test_a_stop_that_was_asked_for_is_a_stop(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """safety 40: also when the work ends in an error because of it."""

    async def stops(rig: Rig, order: WorkOrder) -> WorkerResult:
        if order.task.text == "One":
            return await found(rig, order)
        rig.folder.request_stop()
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    last = work_on(folder, stops, monkeypatch)
    assert last == RunStopped(reason="Stopped. What was found is kept.")
    view = folder.view()
    assert [t.state for t in (folder.plan() or a_plan()).tasks()] == ["done", "open"]
    assert view.report_ready is not None
    assert view.report_ready.partial


def test_an_unknown_run_is_refused(tmp_path: Path) -> None:
    assert runner.main(["no-such-run", "--root", str(tmp_path)]) == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("stopped", [True, False])
def test_a_thread_that_hangs_keeps_no_run_from_ending(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch, stopped: bool
) -> None:
    """safety 40: nobody but the run itself may be there to end it."""
    hanging, codes = threading.Event(), []

    def leave(code: int) -> None:
        codes.append((code, folder.record().status))
        hanging.set()

    async def begins_a_thread(rig: Rig, order: WorkOrder) -> WorkerResult:
        asyncio.get_running_loop().run_in_executor(None, hanging.wait, 20)
        if stopped:
            rig.folder.request_stop()
            await asyncio.Event().wait()
        return await found(rig, order)

    monkeypatch.setattr(runner, "STOP_SECONDS", 0.5)
    monkeypatch.setattr(runner, "EXIT_SECONDS", 0.5)
    monkeypatch.setattr("leadline.runner.os._exit", leave)
    work_on(folder, begins_a_thread, monkeypatch)
    assert codes == [(3, RunStatus.STOPPED) if stopped else (0, RunStatus.DONE)]


def test_a_traceback_in_the_log_shows_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """safety 29: control/runner.log is a file, and an error may hold the request it came from."""
    monkeypatch.setenv("LEADLINE_MODEL_API_KEY", "sk-canary-0123456789")
    try:
        raise ValueError("Authorization: Bearer sk-canary-0123456789")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "x", 1, "failed", (), sys.exc_info())
    text = runner._WithoutSecrets("%(message)s").format(record)
    assert "canary" not in text
    assert "Authorization: Bearer ***" in text
