"""The supervisor with a stand-in for the runner: a module of the same name, first on the path."""

from __future__ import annotations

import os
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from leadline.domain import events as ev
from leadline.domain.config import RunConfig
from leadline.domain.limits import Limits
from leadline.domain.run import RunStatus
from leadline.errors import RunBusy, UserError
from leadline.runs import processes
from leadline.runs.folder import RunFolder
from leadline.runs.session import RunSession
from leadline.runs.store import RunStore
from leadline.runs.supervisor import Supervisor
from tests.runs.helpers import PLAN
from tests.runs.test_processes import eventually, gone

SITE = """
import runpy, sys
if sys.orig_argv[1:3] == ["-m", "leadline.runner"]:
    import os
    sys.argv = ["runner", *sys.orig_argv[3:]]
    runpy.run_path(os.environ["STAND_IN"], run_name="__main__")
    os._exit(0)
"""

RUNNER = """
import os, subprocess, sys, time
from pathlib import Path
from leadline.domain import events as ev
from leadline.domain.limits import Limits
from leadline.domain.run import RunStatus
from leadline.runs.session import RunSession
from leadline.runs.store import RunStore

mode = os.environ.get("MODE", "")
if mode == "broken":
    print("no such module", file=sys.stderr, flush=True)
    os._exit(7)
if mode == "slow":
    time.sleep(60)
folder = RunStore(Path(sys.argv[3])).open(sys.argv[1])
with RunSession.acquire(folder) as session:
    session.emit(ev.RunStarted(session=session.number, pid=os.getpid(), model="x"))
    session.set_status(RunStatus.RESEARCHING)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    (folder.path / "child.pid").write_text(str(child.pid))
    (folder.path / "key.txt").write_text(str(len(os.environ.get("LEADLINE_MODEL_API_KEY", ""))))
    while mode == "deaf" or not session.stop_requested():
        if (folder.path / "finish").exists():
            child.kill()
            session.end(ev.RunFinished(status=RunStatus.DONE))
            os._exit(0)
        time.sleep(0.02)
    session.set_status(RunStatus.STOPPING)
    child.kill()
    session.end(ev.RunStopped(reason="asked"))
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(SITE)
    (site / "stand_in.py").write_text(textwrap.dedent(RUNNER))
    return {
        **os.environ,
        "PYTHONPATH": str(site),
        "STAND_IN": str(site / "stand_in.py"),
    }


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "runs")


Make = Callable[..., Supervisor]


@pytest.fixture
def make(store: RunStore, environment: dict[str, str]) -> Iterator[Make]:
    made: list[Supervisor] = []

    def build(max_running: int = 2, **more: str) -> Supervisor:
        supervisor = Supervisor(store, max_running=max_running, environment={**environment, **more})
        made.append(supervisor)
        return supervisor

    yield build
    for supervisor in made:
        supervisor.stop_all(timeout=2.0)


def new(store: RunStore) -> RunFolder:
    return store.create("Ferries", RunConfig())


def at_work(folder: RunFolder) -> bool:
    return folder.status() is RunStatus.RESEARCHING and (folder.path / "key.txt").exists()


def started(supervisor: Supervisor, folder: RunFolder) -> int:
    assert supervisor.start(folder.task_id)
    assert eventually(lambda: at_work(folder))
    owner = folder.owner()
    assert owner is not None
    return owner.pid


def test_a_run_is_a_process_of_its_own(store: RunStore, make: Make) -> None:
    folder = new(store)
    supervisor = make()
    pid = started(supervisor, folder)
    assert os.getsid(pid) == pid
    with pytest.raises(RunBusy, match=str(pid)):
        supervisor.start(folder.task_id)
    with pytest.raises(RunBusy):
        store.delete(folder.task_id)
    (folder.path / "finish").touch()
    assert eventually(lambda: gone(pid))
    supervisor.poll()
    assert folder.status() is RunStatus.DONE
    assert supervisor.resume(folder.task_id)


def test_the_key_reaches_the_process_and_no_file(store: RunStore, make: Make) -> None:
    """safety 29."""
    folder = new(store)
    supervisor = make()
    supervisor.start(folder.task_id, {"LEADLINE_MODEL_API_KEY": "canary-7f3e"})
    assert eventually(lambda: at_work(folder))
    assert (folder.path / "key.txt").read_text() == "11"
    supervisor.stop(folder.task_id)
    files = [path for path in store.root.rglob("*") if path.is_file()]
    assert not [path for path in files if b"canary-7f3e" in path.read_bytes()]


def test_a_stop_is_obeyed_from_another_process_too(store: RunStore, make: Make) -> None:
    """safety 40: a supervisor that did not start the run stops it."""
    folder = new(store)
    pid = started(make(), folder)
    assert make().stop(folder.task_id) is RunStatus.STOPPED
    assert folder.record().reason == "asked"
    assert folder.owner() is None
    assert gone(pid)


def test_a_deaf_run_is_ended_with_its_children(store: RunStore, make: Make) -> None:
    """safety 40: a stop is enforced."""
    folder = new(store)
    pid = started(make(MODE="deaf"), folder)
    child = int((folder.path / "child.pid").read_text())
    began = time.monotonic()
    assert make().stop(folder.task_id, timeout=2.5) is RunStatus.STOPPED
    assert time.monotonic() - began < 4
    assert "by force" in folder.record().reason
    assert gone(pid)
    assert gone(child)
    assert not folder.control.stop_requested()


def test_a_request_is_enforced_by_poll(store: RunStore, make: Make) -> None:
    folder = new(store)
    supervisor = make(MODE="deaf")
    pid = started(supervisor, folder)
    supervisor.request_stop(folder.task_id, timeout=2.0)
    supervisor.poll()
    assert eventually(lambda: gone(pid))
    assert folder.status() is RunStatus.STOPPED


def test_a_stop_is_for_the_session_that_was_asked(store: RunStore, make: Make) -> None:
    """A run that is resumed before its stop's deadline is not ended when that comes."""
    supervisor, folder = make(), new(store)
    started(supervisor, folder)
    supervisor.request_stop(folder.task_id, timeout=0.0)
    assert eventually(lambda: folder.status() is RunStatus.STOPPED and folder.owner() is None)
    started(supervisor, folder)
    supervisor.poll()
    assert at_work(folder)
    assert folder.owner() is not None


def test_a_stop_during_the_launch(store: RunStore, make: Make) -> None:
    """safety 40: acknowledged at any moment, the launch included."""
    folder = new(store)
    supervisor = make(MODE="slow")
    supervisor.start(folder.task_id)
    ticket = folder.control.ticket()
    assert ticket is not None
    assert ticket.child is not None
    supervisor.request_stop(folder.task_id)
    assert folder.status() is RunStatus.STOPPED
    assert gone(ticket.child.pid)


def test_surplus_runs_wait_their_turn(store: RunStore, make: Make) -> None:
    """safety 43: no more than max_running at once, over several supervisors; oldest first."""
    first, second, third = new(store), new(store), new(store)
    one, other = make(max_running=1), make(max_running=1)
    started(one, first)
    assert not other.start(second.task_id)
    assert not one.start(third.task_id)
    with pytest.raises(RunBusy, match="queued already"):
        one.start(second.task_id)
    for supervisor in (one, other):
        supervisor.poll()
    assert [f.status() for f in (second, third)] == [RunStatus.QUEUED] * 2
    assert one.stop(third.task_id) is RunStatus.STOPPED
    assert one.stop(first.task_id) is RunStatus.STOPPED
    one.poll()
    assert second.status() is RunStatus.QUEUED, "only its own supervisor has its key"
    other.poll()
    assert eventually(lambda: at_work(second))
    assert third.status() is RunStatus.STOPPED


def test_a_run_that_was_never_started_does_not_start_by_itself(store: RunStore, make: Make) -> None:
    folder = new(store)
    supervisor = make()
    supervisor.poll()
    assert folder.status() is RunStatus.QUEUED
    assert folder.control.ticket() is None
    assert supervisor.stop(folder.task_id) is RunStatus.STOPPED


def test_a_killed_run_is_swept_and_seen(store: RunStore, make: Make) -> None:
    """safety 35, 46: kill -9 leaves an interrupted run and no process, and it can be resumed."""
    folder = new(store)
    supervisor = make()
    pid = started(supervisor, folder)
    child = int((folder.path / "child.pid").read_text())
    process = processes.find(pid)
    assert process is not None
    process.kill()
    assert eventually(lambda: gone(pid))
    supervisor.poll()
    assert folder.status() is RunStatus.INTERRUPTED
    assert gone(child)
    assert supervisor.resume(folder.task_id)
    assert eventually(lambda: folder.view().session == 2)


def test_w3_17_a_run_that_ended_in_whatever_way_can_be_resumed(store: RunStore, make: Make) -> None:
    """What a session found is never out of reach, least of all after a failure."""
    ends = (
        ev.RunFailed(reason="A crash."),
        ev.RunStopped(reason="By hand."),
        ev.RunFinished(status=RunStatus.EMPTY),
        ev.RunFinished(status=RunStatus.PLANNED),
        None,
    )
    folders = [new(store) for _ in ends]
    for folder, last in zip(folders, ends, strict=True):
        with RunSession.acquire(folder) as session:
            session.emit(ev.RunStarted(session=1, pid=1, model="x"))
            session.set_status(RunStatus.RESEARCHING)
            if last is not None:
                session.end(last)
    statuses = ["failed", "stopped", "empty", "planned", "interrupted"]
    assert [folder.status() for folder in folders] == statuses
    supervisor = make(max_running=len(ends))
    for folder in folders:
        assert supervisor.resume(folder.task_id)
    assert eventually(lambda: all(folder.view().session == 2 for folder in folders))


def test_a_process_that_dies_at_once_is_a_failure(store: RunStore, make: Make) -> None:
    folder = new(store)
    supervisor = make(MODE="broken")
    supervisor.start(folder.task_id)

    def failed() -> bool:
        supervisor.poll()
        return folder.status() is RunStatus.FAILED

    assert eventually(failed)
    assert "exit code 7" in folder.record().reason
    assert "no such module" in folder.control.runner_log.read_text("utf-8")


def test_unknown_ids_are_refused(make: Make) -> None:
    """safety 11."""
    supervisor = make()
    for task_id in ("../x", "", "a" * 65, "no-such-run"):
        with pytest.raises(UserError):
            supervisor.stop(task_id)
        with pytest.raises(UserError):
            supervisor.start(task_id)


def test_stop_all_ends_runs_and_queue(store: RunStore, make: Make) -> None:
    """safety 42."""
    first, second = new(store), new(store)
    supervisor = make(max_running=1)
    pid = started(supervisor, first)
    supervisor.start(second.task_id)
    supervisor.stop_all(timeout=10)
    assert [f.status() for f in (first, second)] == [RunStatus.STOPPED] * 2
    assert gone(pid)


def test_a_resume_may_change_settings_and_open_failed_tasks(store: RunStore, make: Make) -> None:
    """W2-7; a resume that is refused changes nothing."""
    folder = store.create("Ferries", RunConfig(), plan=PLAN)
    supervisor = make()
    started(supervisor, folder)
    (folder.path / "finish").touch()
    assert eventually(lambda: folder.status() is RunStatus.DONE)
    assert supervisor.wait_over(folder.task_id, 5)
    (folder.path / "finish").unlink()
    failed = folder.plan_text().replace("- [ ]", "- [-]")
    folder.file("research_plan.md").write_text(failed, encoding="utf-8")
    more = RunConfig(limits=Limits(minutes=90))

    supervisor.resume(folder.task_id, config=more, retry_failed=True)

    assert folder.record().config == more
    assert "- [-]" not in folder.plan_text()
    assert eventually(lambda: at_work(folder))
    with pytest.raises(RunBusy):
        supervisor.resume(folder.task_id, config=RunConfig())
    assert folder.record().config == more
