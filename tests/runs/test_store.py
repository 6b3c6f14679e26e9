from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from leadline.domain.config import ModelConfig, Provider, RunConfig
from leadline.domain.events import PlanWritten, RunFinished, RunStarted
from leadline.domain.plan import TaskState
from leadline.domain.run import RunStatus, check_task_id
from leadline.errors import (
    InvalidPlan,
    InvalidTaskId,
    InvalidTopic,
    LeadlineError,
    PlanConflict,
    RunBusy,
    RunFolderDamaged,
    UnknownRun,
    UserError,
)
from leadline.runs.session import RunSession
from leadline.runs.store import RunStore, new_task_id
from tests.runs.helpers import PLAN, add_page

WEB_UI_PLAN = """# Research Plan

## 1. 1. History
  - [x] Early ferries
  - [ ] Steam

"""


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "runs")


def test_a_new_run_keeps_its_topic_and_settings(store: RunStore) -> None:
    """W2-7: the topic is stored; W2-12: settings are the run's own."""
    config = RunConfig(model=ModelConfig(provider=Provider.OLLAMA, name="m"))
    folder = store.create(" Fast ferries?\x00 ", config)
    assert folder.record().topic == "Fast ferries?"
    assert folder.record().config == config
    assert folder.status() is RunStatus.QUEUED
    assert (folder.plan_text(), folder.plan(), folder.report()) == ("", None, None)
    assert store.open(folder.task_id).task_id == folder.task_id


@pytest.mark.parametrize(
    ("topic", "slug"),
    [
        ("Fast ferries: Ünder 100 €?", "fast-ferries-under-100"),
        ("快速渡轮", "run"),
        ("x" * 900, "x" * 40),
        ("{} [TOOL_CALL] \U0001f6a2 مرحبا", "tool-call"),
    ],
)
def test_ids_tell_date_and_topic(topic: str, slug: str) -> None:
    """safety 48."""
    task_id = new_task_id(topic, datetime(2026, 11, 30, tzinfo=UTC))
    assert task_id.startswith(f"20261130-{slug}-")
    assert check_task_id(task_id) == task_id


def test_w3_17_runs_of_one_moment_on_one_topic_have_ids_of_their_own(tmp_path: Path) -> None:
    store = RunStore(tmp_path, clock=lambda: datetime(2026, 1, 2, tzinfo=UTC))
    ids = {store.create("The same", RunConfig()).task_id for _ in range(20)}
    assert len(ids) == 20 == len(store.history())


def test_a_plan_is_given_with_open_boxes(store: RunStore) -> None:
    """S2-23: the plan of a finished run starts a new one; no box is ticked without evidence."""
    done = PLAN.numbered().with_state("t1", TaskState.DONE)
    folder = store.create("x", RunConfig(), plan=done)
    plan = folder.view().plan
    assert plan is not None
    assert {task.state for task in plan.tasks()} == {TaskState.OPEN}
    assert "[x]" not in folder.plan_text()
    assert [task.queries for task in plan.tasks()][2] == ("wreck place",)
    (event,) = [e.event for e in folder.read_events()[0]]
    assert isinstance(event, PlanWritten)
    assert event.origin == "given"
    with pytest.raises(InvalidPlan):
        store.create("x", RunConfig(), plan=PLAN.model_copy(update={"categories": ()}))


def test_bad_ids_and_topics_make_nothing(store: RunStore, tmp_path: Path) -> None:
    """safety 11, W1-4, W2-8."""
    for task_id in ("../../escaped", "a/b", "", ".", "a" * 65, "ä", "a\n"):
        with pytest.raises(InvalidTaskId):
            store.create("x", RunConfig(), task_id=task_id)
        with pytest.raises(InvalidTaskId):
            store.open(task_id)
    for topic in ("", "  \n", "x" * 20_000):
        with pytest.raises(InvalidTopic):
            store.create(topic, RunConfig())
    store.create("x", RunConfig(), task_id="mine")
    with pytest.raises(InvalidTaskId, match="exists"):
        store.create("x", RunConfig(), task_id="mine")
    with pytest.raises(UnknownRun):
        store.open("other")
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]


def test_files_stay_inside_the_folder(store: RunStore, tmp_path: Path) -> None:
    """safety 12, 14, W1-3: an allow-list of names, no way out, no symbolic links."""
    folder = store.create("x", RunConfig())
    for name in ("run.json", "report.md", "sources/12.md", "screens/t1-q1.jpg", "audit.jsonl"):
        assert folder.file(name).is_relative_to(folder.path)
    for name in (
        "../other/report.md", "/etc/passwd", "sources/../run.json", "control/owner.json", ".env",
        "screens/../../x.jpg", "sources/1.md\n", "report.md/", "screens/.jpg", "sources/1.md\0",
    ):  # fmt: skip
        with pytest.raises(UserError):
            folder.file(name)
    secret = tmp_path / "secret.md"
    secret.write_text("secret")
    (folder.path / "report.md").symlink_to(secret)
    (folder.path / "sources").symlink_to(tmp_path)
    for name in ("report.md", "sources/1.md"):
        with pytest.raises(RunFolderDamaged, match="symbolic link"):
            folder.file(name)
    with pytest.raises(RunFolderDamaged):
        folder.report()
    (store.root / "linked").symlink_to(folder.path)
    with pytest.raises(UnknownRun):
        store.open("linked")
    assert [row.task_id for row in store.history()] == [folder.task_id]


def test_history_shows_every_folder_and_survives_damage(store: RunStore) -> None:
    """safety 38: a damaged folder is listed with its reason and hides no other."""
    good = store.create("Good", RunConfig())
    with RunSession.acquire(good) as session:
        session.emit(RunStarted(session=1, pid=1, model="x"))
        session.write_plan(PLAN, "model")
        add_page(session, ["One."])
        session.finish_task("t1", 1, TaskState.DONE)
        session.finish_task("t2", 1, TaskState.FAILED, reason="walls")
        session.end(RunFinished(status=RunStatus.DONE))
    damaged = store.create("Damaged", RunConfig())
    (damaged.path / "run.json").write_text('{"topic": ')
    newer = store.create("Newer", RunConfig())
    record = json.loads((newer.path / "run.json").read_text())
    (newer.path / "run.json").write_text(json.dumps({**record, "format": 9, "topic": 3}))
    foreign = store.root / "old-web-ui"
    foreign.mkdir()
    (foreign / "research_plan.md").write_text(WEB_UI_PLAN)
    (store.root / "empty").mkdir()
    (store.root / "not an id!").mkdir()
    (store.root / "file").write_text("")
    rows = {row.task_id: row for row in store.history()}
    assert set(rows) == {good.task_id, damaged.task_id, newer.task_id, "old-web-ui"}
    row = rows[good.task_id]
    assert (row.status, row.done, row.failed, row.open, row.sources) == (
        RunStatus.DONE, 1, 1, 1, 1,
    )  # fmt: skip
    assert rows[damaged.task_id].damaged
    assert "run.json" in rows[damaged.task_id].reason
    assert list(damaged.path.glob("run.json.damaged-*"))
    assert "newer version" in rows[newer.task_id].reason
    assert not list(newer.path.glob("run.json.damaged-*"))
    assert rows["old-web-ui"].foreign
    assert (rows["old-web-ui"].done, rows["old-web-ui"].open) == (1, 1)
    with pytest.raises(RunFolderDamaged):
        store.open(damaged.task_id)


def test_a_plan_of_web_ui_starts_a_run(store: RunStore) -> None:
    """S2-23, W2-7: its doubled numbers are read; it is no run by itself."""
    foreign = store.root / "old-web-ui"
    foreign.mkdir(parents=True)
    (foreign / "research_plan.md").write_text(WEB_UI_PLAN)
    with pytest.raises(UnknownRun, match="only a plan"):
        store.open("old-web-ui")
    folder = store.create("Ferries", RunConfig(), plan=store.plan_of("old-web-ui"))
    plan = folder.plan()
    assert plan is not None
    assert [category.name for category in plan.categories] == ["History"]
    assert [task.state for task in plan.tasks()] == [TaskState.OPEN] * 2
    with pytest.raises(InvalidPlan):
        store.plan_of(store.create("x", RunConfig()).task_id)


def test_a_file_where_the_runs_should_be_is_said(tmp_path: Path) -> None:
    root = tmp_path / "file"
    root.write_text("I am no folder", encoding="utf-8")
    with pytest.raises(LeadlineError, match="cannot be listed"):
        RunStore(root).history()
    with pytest.raises(LeadlineError, match="No run can be made"):
        RunStore(root).create("x", RunConfig())
    assert root.read_text(encoding="utf-8") == "I am no folder"


def test_history_of_many_runs_is_fast(store: RunStore) -> None:
    folder = store.create("x", RunConfig())
    content = (folder.path / "run.json").read_bytes()
    for number in range(200):
        path = store.root / f"run-{number}"
        path.mkdir()
        (path / "run.json").write_bytes(content)
    began = time.process_time()
    assert len(store.history()) == 201
    assert time.process_time() - began < 0.5


def test_newest_first(tmp_path: Path) -> None:
    times = iter(datetime(2026, 1, day, tzinfo=UTC) for day in (2, 3, 1))
    store = RunStore(tmp_path, clock=lambda: next(times))
    ids = [store.create(topic, RunConfig()).task_id for topic in ("b", "c", "a")]
    assert [row.task_id for row in store.history()] == [ids[1], ids[0], ids[2]]


def test_deleting(store: RunStore) -> None:
    folder = store.create("x", RunConfig())
    with RunSession.acquire(folder), pytest.raises(RunBusy):
        store.delete(folder.task_id)
    store.delete(folder.task_id)
    assert store.history() == []
    assert [path.name for path in store.root.iterdir()] == []
    with pytest.raises(UnknownRun):
        store.delete(folder.task_id)


def test_saving_an_edited_plan(store: RunStore) -> None:
    """S2-6, safety 36: an edit made on an old version is refused, nothing is lost."""
    folder = store.create("x", RunConfig(), plan=PLAN)
    text, version = folder.plan_text(), folder.plan_version()
    newer = folder.save_plan(text.replace("Who built it", "Who paid for it"), version)
    assert newer == folder.plan_version() != version
    with pytest.raises(PlanConflict):
        folder.save_plan(text, version)
    assert "Who paid for it" in folder.plan_text()
    for bad in ("", "# Research Plan\n", "x" * 2_000_000):
        with pytest.raises(InvalidPlan):
            folder.save_plan(bad, newer)
    plan = folder.plan()
    assert plan is not None
    assert [task.id for task in plan.tasks()] == ["t1", "t2", "t3"]
    folder.save_plan("- [ ] half \ud800 pair\r\n", newer)
    assert folder.plan_text() == "- [ ] half ? pair\n"


def test_no_room_for_runs(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(LeadlineError, match="No run can be made"):
        RunStore(tmp_path / "runs").create("x", RunConfig())


def test_an_open_folder_is_remembered_and_a_new_one_is_not_mistaken(store: RunStore) -> None:
    first = store.create("one", RunConfig(), task_id="same")
    assert store.open("same") is store.open("same")
    with RunSession.acquire(first) as session:
        session.write_plan(PLAN, "model")
    assert store.open("same").view().plan is not None
    store.delete("same")
    store.create("two", RunConfig(), task_id="same")
    assert store.open("same").view().plan is None


def test_runs_are_not_for_others(store: RunStore) -> None:
    """Nothing but the owner's own files appears in a new folder."""
    folder = store.create("x", RunConfig(), plan=PLAN)
    assert sorted(path.name for path in folder.path.iterdir()) == [
        "audit.jsonl", "control", "research_plan.md", "run.json",
    ]  # fmt: skip


def test_a_run_without_its_record_is_damaged_and_no_mere_plan(store: RunStore) -> None:
    """safety 38."""
    folder = store.create("x", RunConfig(), plan=PLAN)
    folder.file("run.json").unlink()
    with pytest.raises(RunFolderDamaged, match=r"run\.json is gone"):
        store.open(folder.task_id)
    row = store.history()[0]
    assert row.damaged
    assert not row.foreign
    assert store.plan_of(folder.task_id).counts()[TaskState.OPEN] == 3


def test_settings_that_there_are_no_more_do_not_spoil_a_run(store: RunStore) -> None:
    folder = store.create("x", RunConfig())
    content = json.loads(folder.file("run.json").read_bytes())
    content["config"]["retry_failed"] = True
    content["config"]["limits"]["max_horses"] = 4
    folder.file("run.json").write_text(json.dumps(content), encoding="utf-8")
    assert store.open(folder.task_id).record().config == RunConfig()
    content["config"]["limits"]["minutes"] = -1
    folder.file("run.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(RunFolderDamaged, match=r"run\.json cannot be read"):
        store.open(folder.task_id)
