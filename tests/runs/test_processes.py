from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from leadline.runs import processes
from leadline.runs.guardian import Guardian, Watch

SLEEP = "import time; time.sleep(60)"
PARENT = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", {SLEEP!r}])
print(child.pid, flush=True)
time.sleep(60)
"""
STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("up", flush=True)
time.sleep(60)
"""


def eventually(check: Callable[[], bool], seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while not check():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def gone(pid: int) -> bool:
    return processes.find(pid) is None


@pytest.fixture
def family() -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        try:
            yield parent, child
        finally:
            parent.kill()
            if not gone(child):
                os.kill(child, signal.SIGKILL)


def test_a_tree_is_ended_with_its_children(family: tuple[subprocess.Popen[bytes], int]) -> None:
    parent, child = family
    assert {p.pid for p in processes.process_tree(parent.pid)} == {parent.pid, child}
    assert processes.end_tree(parent.pid, 1.0) == []
    assert gone(parent.pid)
    assert gone(child)
    assert parent.poll() is not None, "the exit code is still there for its Popen"


def test_children_alone_can_be_ended(family: tuple[subprocess.Popen[bytes], int]) -> None:
    parent, child = family
    assert processes.end_children(parent.pid, 0.5) == []
    assert gone(child)
    assert not gone(parent.pid)


def test_who_ignores_the_request_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert processes.end_tree(process.pid, 0.1) == []
        assert process.wait() != 0


def test_a_reused_pid_is_left_alone(family: tuple[subprocess.Popen[bytes], int]) -> None:
    parent, _ = family
    born = processes.create_time(parent.pid)
    assert born is not None
    assert processes.end_tree(parent.pid, 0.1, born=born - 5) == []
    assert not gone(parent.pid)


def test_a_session_is_swept_after_its_leader() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, start_new_session=True
    ) as leader:
        assert leader.stdout is not None
        child = int(leader.stdout.readline())
        born = processes.create_time(leader.pid)
        assert born is not None
        leader.kill()
        leader.wait()
        assert not gone(child)
        assert processes.end_session(leader.pid, born) == []
        assert gone(child)


def test_the_guardian_is_light() -> None:
    """It starts beside every run: nothing heavy may come along."""
    code = "import sys, leadline.runs.guardian; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"pydantic", "asyncio", "filelock", "gradio"} & set(done.stdout.split())


def test_the_guardian_ends_what_a_killed_run_leaves(tmp_path: Path) -> None:
    """safety 35, 40: kill -9 of a run leaves no process, not even one that lost its parent."""
    code = textwrap.dedent(f"""
        import subprocess, sys, time
        from leadline.runs.guardian import Guardian
        guardian = Guardian()
        tree = subprocess.Popen([sys.executable, "-c", {PARENT!r}], stdout=subprocess.PIPE)
        spared = subprocess.Popen([sys.executable, "-c", {SLEEP!r}])
        child = int(tree.stdout.readline())
        guardian.watch(spared.pid)
        guardian.watch(tree.pid)
        guardian.unwatch(spared.pid)
        print(guardian.pid, tree.pid, child, spared.pid, flush=True)
        time.sleep(60)
    """)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        guardian, tree, child, spared = (int(n) for n in run.stdout.readline().split())
        try:
            helper = psutil.Process(guardian)
            assert eventually(lambda: helper.num_threads() > 1), "it is up"
            os.kill(guardian, signal.SIGINT)
            os.kill(guardian, signal.SIGTERM)
            assert not gone(guardian)
            run.kill()
            run.wait()
            assert eventually(lambda: gone(tree) and gone(child) and gone(guardian))
            assert not gone(spared)
        finally:
            os.kill(spared, signal.SIGKILL)


def test_children_of_a_dead_browser_are_remembered(
    family: tuple[subprocess.Popen[bytes], int],
) -> None:
    """Chromium's children can outlive its main process."""
    parent, child = family
    watch = Watch()
    watch.obey(f"watch {parent.pid} {processes.create_time(parent.pid)!r}")
    watch.obey("nonsense")
    watch.look()
    parent.kill()
    parent.wait()
    watch.look()
    assert not gone(child)
    assert watch.end_all() == []
    assert gone(child)


def test_closing_the_guardian_ends_what_is_still_watched(
    family: tuple[subprocess.Popen[bytes], int],
) -> None:
    parent, child = family
    with Guardian() as guardian:
        guardian.watch(parent.pid)
        pid = guardian.pid
        assert pid is not None
    assert gone(pid)
    assert gone(parent.pid)
    assert gone(child)


def test_a_guardian_that_died_is_replaced(family: tuple[subprocess.Popen[bytes], int]) -> None:
    parent, child = family
    with Guardian() as guardian:
        guardian.watch(parent.pid)
        assert guardian.pid is not None
        psutil.Process(guardian.pid).kill()
        assert eventually(lambda: gone(guardian.pid or 0))
        guardian.watch(child)
        guardian.unwatch(child)
    assert gone(parent.pid)
