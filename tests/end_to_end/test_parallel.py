"""Browsers side by side: as many as asked for, never more than the machine allows, none dropped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from leadline.domain.events import BrowserClosed, BrowserOpened, SearchDone, TaskStarted
from leadline.domain.plan import TaskState
from leadline.domain.run import RunStatus
from leadline.runs.folder import RunFolder
from tests import openai_brain as brain
from tests.end_to_end.conftest import MakeLab
from tests.end_to_end.lab import (
    assert_nothing_left,
    check_invariants,
    entries,
    wait_for,
    wait_until,
)
from tests.openai_server import Answer, ChatCall, OpenAIServer

TASKS = (
    "How many passengers did the Quorrow ferry carry in 2025?",
    "What does a ticket of the Quorrow ferry cost?",
    "How does the Quorrow ferry affect the seals?",
    "When was the Quorrow bridge planned?",
    "How are the Quorrow ferries charged?",
)
ON_DEMO = ("--engine", "demo", "--loops", "0")


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(latency=0.5) as server:
        yield server


def model(server: OpenAIServer) -> dict[str, str]:
    return {
        "LEADLINE_MODEL_PROVIDER": "custom",
        "LEADLINE_MODEL_NAME": "scripted",
        "LEADLINE_MODEL_BASE_URL": server.base_url,
        "LEADLINE_MODEL_API_KEY": "none",
    }


def plan_of(tmp_path: Path, tasks: tuple[str, ...] = TASKS) -> str:
    path = tmp_path / "plan.md"
    lines = ["## The Quorrow ferry", *(f"- [ ] {task}" for task in tasks)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def live_browsers(*folders: RunFolder) -> list[int]:
    """How many browsers are live over all runs after each change, in the order of time."""
    changes = sorted(
        (
            (entry.ts, 1 if isinstance(entry.event, BrowserOpened) else -1)
            for folder in folders
            for entry in entries(folder)
            if isinstance(entry.event, BrowserOpened | BrowserClosed)
        ),
    )
    live, counts = 0, []
    for _, change in changes:
        live += change
        counts.append(live)
    return counts


@pytest.mark.parametrize("browsers", [1, 2, 4])
def test_the_peak_of_live_browsers_is_the_setting(
    make_lab: MakeLab, server: OpenAIServer, tmp_path: Path, browsers: int
) -> None:
    """W2-9: surplus tasks wait and none is dropped; each browser is a process of its own."""
    lab = make_lab(**model(server), LEADLINE_MACHINE_BROWSERS="4")
    tasks = TASKS[: browsers + 1]
    result = lab.json(
        "run", "--plan", plan_of(tmp_path, tasks), *ON_DEMO, "--browsers", str(browsers)
    )  # fmt: skip
    assert result["browsers_peak"] == browsers
    assert result["tasks"]["open"] == 0
    folder = lab.store.open(result["task_id"])
    counts = live_browsers(folder)
    assert max(counts) == browsers
    assert counts[-1] == 0
    pids = [e.event.pid for e in entries(folder) if isinstance(e.event, BrowserOpened)]
    assert len(set(pids)) == len(pids)
    taken_up = [e.event.text for e in entries(folder) if isinstance(e.event, TaskStarted)]
    assert sorted(taken_up) == sorted(tasks)
    check_invariants(folder)
    assert_nothing_left(folder, [])


def with_two_queries(call: ChatCall) -> Answer:
    """A competent model whose plan has two queries a task."""
    value = brain.answer(call.kind, call.system, call.user)
    if call.kind == "planner":
        for category in value["categories"]:
            for task in category["tasks"]:
                task["queries"] = [*task["queries"][:1], f"Quorrow ferry {task['text']}"]
    return Answer(content=value if isinstance(value, str) else json.dumps(value))


def test_every_query_of_a_task_is_searched_for_with_one_browser(
    make_lab: MakeLab, server: OpenAIServer
) -> None:
    """W2-9, S2-29: queries beyond the number of browsers wait, they are not dropped."""
    server.behaviour, server.latency = with_two_queries, 0.0
    lab = make_lab(**model(server))
    result = lab.json(
        "run", "How many passengers did the Quorrow ferry carry in 2025?", *ON_DEMO,
        "--browsers", "1", "--set", "queries_per_task=2",
        "--set", "max_categories=1", "--set", "min_categories=1",
    )  # fmt: skip
    assert result["browsers_peak"] == 1
    folder = lab.store.open(result["task_id"])
    asked = [e.event.queries for e in entries(folder) if isinstance(e.event, TaskStarted)]
    assert {len(queries) for queries in asked} == {2}
    searched = {e.event.query for e in entries(folder) if isinstance(e.event, SearchDone)}
    assert {query for queries in asked for query in queries} <= searched


def test_two_runs_share_the_browsers_of_the_machine(
    make_lab: MakeLab, server: OpenAIServer, tmp_path: Path
) -> None:
    """safety 43: the limit holds over all runs; who waits is seen waiting and finishes too."""
    lab = make_lab(**model(server), LEADLINE_MACHINE_BROWSERS="2")
    command = ("run", "--plan", plan_of(tmp_path, TASKS[:3]), *ON_DEMO, "--browsers", "2")
    with lab.started(*command) as one, lab.started(*command) as two:
        assert one.wait(150) == 0
        assert two.wait(150) == 0
    folders = [lab.store.open(task_id) for task_id in lab.store.task_ids()]
    assert len(folders) == 2
    assert max(live_browsers(*folders)) == 2
    for folder in folders:
        assert folder.view().counts()[TaskState.OPEN] == 0
        check_invariants(folder)
        assert_nothing_left(folder, [])


def test_a_run_beyond_the_limit_waits_its_turn(
    make_lab: MakeLab, server: OpenAIServer, tmp_path: Path
) -> None:
    """A surplus run is queued, seen as such, stoppable, and starts by itself."""
    lab = make_lab(**model(server), LEADLINE_MAX_RUNNING="1")
    command = ("run", "--plan", plan_of(tmp_path, TASKS[:2]), *ON_DEMO)
    with lab.started(*command) as first:
        running = lab.only_run()
        wait_for(running, "run.started")
        with lab.started(*command) as second, lab.started(*command) as third:
            wait_until(lambda: len(lab.store.task_ids()) == 3, 20, "the other folders")
            others = [lab.store.open(i) for i in lab.store.task_ids() if i != running.task_id]
            wait_until(lambda: all(o.control.ticket() for o in others), 10, "their tickets")
            assert [o.status() for o in others] == [RunStatus.QUEUED] * 2
            stopped, waiting = others
            assert lab.cli("stop", stopped.task_id).returncode == 0
            assert stopped.status() is RunStatus.STOPPED
            assert first.wait(120) == 0
            assert running.status() is RunStatus.DONE
            codes = {second.wait(120), third.wait(120)}
    assert codes == {0, 3}
    assert waiting.status() is RunStatus.DONE
    ended, began = entries(running)[-1].ts, wait_for(waiting, "run.started").ts
    assert ended <= began
