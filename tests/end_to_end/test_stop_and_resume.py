"""Stopping at any moment, and going on: nothing lost, nothing done twice, nothing left running."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable, Iterator

import psutil
import pytest

from leadline.domain.events import StatusChanged
from leadline.domain.run import RunStatus
from leadline.runs.folder import RunFolder
from leadline.settings import Settings
from tests.end_to_end.conftest import MakeLab
from tests.end_to_end.lab import (
    Lab,
    assert_nothing_left,
    browser_pids,
    check_invariants,
    entries,
    kill_group,
    of_type,
    processes_of,
    tree_of,
    wait_for,
    wait_status,
    wait_until,
)
from tests.openai_server import OpenAIServer

TOPIC = "Quorrow ferry: ridership in 2025, cost, seals"
SMALL = (
    "--engine", "demo", "--loops", "0", "--browsers", "2",
    "--set", "max_categories=2", "--set", "max_tasks_per_category=1",
    "--set", "min_tasks_per_category=1",
)  # fmt: skip


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(latency=0.4) as server:
        yield server


@pytest.fixture
def lab(make_lab: MakeLab, server: OpenAIServer) -> Lab:
    return make_lab(
        LEADLINE_MODEL_PROVIDER="custom",
        LEADLINE_MODEL_NAME="scripted",
        LEADLINE_MODEL_BASE_URL=server.base_url,
        LEADLINE_MODEL_API_KEY="none",
    )


def snapshot_of(folder: RunFolder) -> list[psutil.Process]:
    """Everything that the run has started until now."""
    seen = {p.pid: p for p in processes_of(folder)}
    for process in tree_of(browser_pids(folder)):
        seen[process.pid] = process
    for process in list(seen.values()):
        try:
            seen |= {child.pid: child for child in process.children(recursive=True)}
        except psutil.NoSuchProcess:
            continue
    return list(seen.values())


def acknowledged(folder: RunFolder) -> Callable[[], bool]:
    """Whether the run said that it stops (or is over already)."""
    return lambda: any(
        (isinstance(e.event, StatusChanged) and e.event.status is RunStatus.STOPPING)
        or e.event.type in ("run.stopped", "run.finished")
        for e in entries(folder)
    )


MOMENTS = {
    "launch": lambda folder: wait_for(folder, "run.started"),
    "planning": lambda folder: wait_for(folder, "run.status"),
    "first browser": lambda folder: wait_for(folder, "browser.opened"),
    "reading": lambda folder: wait_for(folder, "page.read"),
    "second task": lambda folder: wait_for(folder, "task.finished"),
    "writing": lambda folder: wait_until(
        lambda: any(
            isinstance(e.event, StatusChanged) and e.event.status is RunStatus.WRITING
            for e in entries(folder)
        ),
        90,
        "writing",
    ),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_stop_at_any_moment_then_resume(lab: Lab, server: OpenAIServer, moment: str) -> None:
    """safety 40, S2-39, W2-10: acknowledged ≤ 1 s, over ≤ 10 s, then finished by a resume."""
    with lab.started("run", TOPIC, *SMALL) as process:
        folder = lab.only_run()
        MOMENTS[moment](folder)
        seen = snapshot_of(folder)
        folder.request_stop()
        said = wait_until(acknowledged(folder), 5, "the stop to be acknowledged")
        seen += snapshot_of(folder)
        over = wait_until(lambda: not folder.status().is_active, 10, "the run to be over")
        assert_nothing_left(folder, seen, timeout=10 - over)
        assert process.wait(10) == 3
    assert said <= 1
    assert folder.status() is RunStatus.STOPPED
    calls = server.calls
    found = len(folder.findings())
    check_invariants(folder)
    time.sleep(0.5)
    assert server.calls == calls, "a model was called after the stop"

    result = lab.json("resume", folder.task_id)

    assert result["status"] == "done"
    assert len(folder.findings()) >= found
    check_invariants(folder)
    assert_nothing_left(folder, [])


def test_stop_from_another_command_keeps_what_was_found(lab: Lab) -> None:
    """safety 40, users.md: a partial report is there at once, marked as partial."""
    with lab.started("run", TOPIC, *SMALL) as process:
        folder = lab.only_run()
        wait_for(folder, "finding.recorded")
        done = lab.cli("stop", folder.task_id)
        assert done.returncode == 0, done.stderr
        assert process.wait(10) == 3
    view = folder.view()
    assert view.report_ready is not None
    assert view.report_ready.partial
    report = folder.report()
    assert report is not None
    assert "(sources/" in report


def test_control_c_stops_and_a_second_one_insists(lab: Lab) -> None:
    """safety 40: Ctrl-C asks, exit code 3, no process left."""
    with lab.started("run", TOPIC, *SMALL) as process:
        folder = lab.only_run()
        wait_for(folder, "page.read")
        seen = snapshot_of(folder)
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        assert process.wait(12) == 3
        assert_nothing_left(folder, seen)
    assert folder.status() is RunStatus.STOPPED
    check_invariants(folder)


def test_closing_the_terminal_leaves_the_run_to_itself(lab: Lab) -> None:
    """safety 41: the run does not depend on who started it."""
    with lab.started("run", TOPIC, *SMALL) as process:
        folder = lab.only_run()
        wait_for(folder, "page.read")
        process.kill()
        process.wait(5)
        assert wait_status(folder, RunStatus.DONE) is RunStatus.DONE
    assert_nothing_left(folder, [])


def test_a_second_owner_is_refused_with_the_first_one_named(lab: Lab) -> None:
    """safety 39."""
    with lab.started("run", TOPIC, *SMALL):
        folder = lab.only_run()
        wait_for(folder, "task.started")
        owner = folder.owner()
        assert owner is not None
        refused = lab.cli("resume", folder.task_id)
        assert refused.returncode in (1, 2)
        assert str(owner.pid) in refused.stderr
        assert "Traceback" not in refused.stderr
        lab.cli("stop", folder.task_id)


@pytest.mark.timeout(420)
def test_kill_nine_at_twenty_random_moments(lab: Lab, server: OpenAIServer) -> None:
    """safety 35 (short form): no finished task lost or run twice, no browser left over."""
    server.latency = 0.2
    rolls = random.Random(20)
    folder = _new_run(lab)
    kills = 0
    while kills < 20:
        if folder.status() in (RunStatus.DONE, RunStatus.EMPTY):
            folder = _new_run(lab)
        sessions = len(of_type(folder, "run.started"))
        with lab.started("resume", folder.task_id) as process:
            wait_for(folder, "run.started", count=sessions + 1)
            time.sleep(rolls.uniform(0.0, 3.0))
            owner = folder.owner()
            seen = snapshot_of(folder)
            if owner is not None:
                kill_group(owner.pid)
                kills += 1
            process.wait(30)
        assert_nothing_left(folder, seen)
        assert not folder.status().is_active
        check_invariants(folder)
    if folder.status() is not RunStatus.DONE:
        assert lab.json("resume", folder.task_id)["status"] == "done"
    check_invariants(folder)
    assert_nothing_left(folder, [])


def _new_run(lab: Lab) -> RunFolder:
    """A run that waits for its first session."""
    config = Settings().run_config(
        provider="custom",
        model_name="scripted",
        base_url=lab.environment["LEADLINE_MODEL_BASE_URL"],
        engines=("demo",),
        loops=0,
        max_categories=2,
    )
    return lab.store.create(TOPIC, config)
