"""The plan file is edited by hand, before, during and after a run; every edit is honoured."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from leadline.domain.events import SearchDone, TaskStarted
from leadline.domain.plan import TaskState
from leadline.runs.folder import RunFolder
from tests.end_to_end.conftest import MakeLab
from tests.end_to_end.lab import Lab, entries, wait_for, wait_until
from tests.openai_server import OpenAIServer

PLAN = """# Research Plan

## 1. Ridership
- [ ] How many passengers did the Quorrow ferry carry in 2025?
- [ ] How many passengers did the Quorrow ferry carry in 2024?
- [ ] What does a ticket of the Quorrow ferry cost?

## 2. Nature
- [ ] How does the Quorrow ferry affect the seals?
- [ ] When was the Quorrow bridge planned?
"""

WEBUI = """# Research Plan

## 1. 1. Ridership of the Quorrow ferry

  - [x] How many passengers did the Quorrow ferry carry in 2025?
  - [-] What does a ticket of the Quorrow ferry cost?

## 2. 2. Nature

  - [ ] How does the Quorrow ferry affect the seals?

"""

ONE_BY_ONE = ("--engine", "demo", "--loops", "0", "--browsers", "1")


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


@pytest.fixture
def plan_file(tmp_path: Path) -> Path:
    path = tmp_path / "plan.md"
    path.write_text(PLAN, encoding="utf-8")
    return path


def save(folder: RunFolder, *changes: tuple[str, str], in_place: bool = False) -> None:
    """Change the plan file as an editor does: whole, by rename or in place."""
    path = folder.path / "research_plan.md"
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, f"{old!r} is not in\n{text}"
        text = text.replace(old, new, 1)
    if in_place:
        path.write_text(text, encoding="utf-8")
    else:
        draft = path.with_name(".plan.swp")
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)


def started(folder: RunFolder) -> list[tuple[str, int]]:
    """Text and attempt of each task that was taken up, in order."""
    return [
        (e.event.text, e.event.attempt) for e in entries(folder) if isinstance(e.event, TaskStarted)
    ]


def searched(folder: RunFolder) -> str:
    return "\n".join(e.event.query for e in entries(folder) if isinstance(e.event, SearchDone))


def boxes(folder: RunFolder) -> dict[str, str]:
    plan = folder.plan()
    assert plan is not None
    return {task.text: task.state.value for task in plan.tasks()}


def test_edits_while_it_runs_are_honoured(lab: Lab, plan_file: Path) -> None:
    """safety 36: added, deleted, reworded, ticked, moved; unknown lines survive to the end."""
    with lab.started("run", "--plan", str(plan_file), *ONE_BY_ONE) as process:
        folder = lab.only_run()
        wait_for(folder, "task.started")
        save(
            folder,
            ("- [ ] How many passengers did the Quorrow ferry carry in 2024?\n", ""),
            (
                "- [ ] What does a ticket of the Quorrow ferry cost?",
                "- [ ] What does a monthly pass of the Quorrow ferry cost?\n"
                "A line that is no task\n"
                "- [ ] Who operates the Quorrow ferry?",
            ),
            ("- [ ] When was the Quorrow bridge planned?\n", ""),
            (
                "- [ ] How does the Quorrow ferry affect the seals?",
                "> a remark of mine\n"
                "- [ ] How are the Quorrow ferries charged?\n"
                "- [ ] When was the Quorrow bridge planned?\n"
                "- [x] How does the Quorrow ferry affect the seals?",
            ),
            in_place=True,
        )
        assert process.wait(90) == 0

    assert [text for text, _ in started(folder)] == [
        "How many passengers did the Quorrow ferry carry in 2025?",
        "What does a monthly pass of the Quorrow ferry cost?",
        "Who operates the Quorrow ferry?",
        "How are the Quorrow ferries charged?",
        "When was the Quorrow bridge planned?",
    ]
    assert "monthly" in searched(folder)
    assert "ticket" not in searched(folder)
    by_text = {task.text: task for task in folder.view().tasks.values()}
    seals = by_text["How does the Quorrow ferry affect the seals?"]
    assert (seals.state, seals.by_user, seals.attempts) == (TaskState.DONE, True, 0)
    text = folder.plan_text()
    assert "A line that is no task" in text
    assert "> a remark of mine" in text
    assert "2024" not in text
    assert "open" not in boxes(folder).values()


def test_an_unticked_task_is_run_again(lab: Lab, plan_file: Path) -> None:
    first = "How many passengers did the Quorrow ferry carry in 2025?"
    with lab.started("run", "--plan", str(plan_file), *ONE_BY_ONE) as process:
        folder = lab.only_run()
        wait_for(folder, "task.started", count=2)
        wait_until(lambda: f"- [x] {first}" in folder.plan_text(), 5, "the box")
        save(folder, (f"- [x] {first}", f"- [ ] {first}"))
        assert process.wait(90) == 0
    assert [attempt for text, attempt in started(folder) if text == first] == [1, 2]
    assert boxes(folder)[first] == "done"
    assert folder.view().tasks["t1"].findings


def test_edits_between_two_sessions_are_honoured_and_nothing_is_planned(
    lab: Lab, server: OpenAIServer, plan_file: Path
) -> None:
    """safety 36, S2-23, S2-26, W2-7: stop, edit, resume."""
    with lab.started("run", "--plan", str(plan_file), *ONE_BY_ONE) as process:
        folder = lab.only_run()
        wait_for(folder, "task.started", count=2)
        folder.request_stop()
        assert process.wait(15) == 3
    before = started(folder)
    save(
        folder,
        ("## 2. Nature", "## 2. The bridge"),
        ("- [ ] How does the Quorrow ferry affect the seals?\n", ""),
        ("- [ ] What does a ticket of the Quorrow ferry cost?\n", ""),
        ("bridge planned?", "bridge planned?\n- [ ] Who operates the Quorrow ferry?\n\nMy note"),
    )
    result = lab.json("resume", folder.task_id)
    assert result["status"] in ("done", "empty")
    assert server.of("planner") == []
    assert started(folder)[len(before) :] == [
        ("How many passengers did the Quorrow ferry carry in 2024?", 2),
        ("When was the Quorrow bridge planned?", 1),
        ("Who operates the Quorrow ferry?", 1),
    ]
    assert "## 2. The bridge" in folder.plan_text()
    assert "My note" in folder.plan_text()
    topic = folder.record().topic
    assert topic == "Ridership, Nature"


def test_a_deleted_or_damaged_plan_file_comes_back(lab: Lab, plan_file: Path) -> None:
    """safety 37, 38: no task is lost, none is planned anew; what was in the file is kept."""
    with lab.started("run", "--plan", str(plan_file), *ONE_BY_ONE) as process:
        folder = lab.only_run()
        path = folder.path / "research_plan.md"
        wait_for(folder, "task.started")
        path.unlink()
        wait_for(folder, "task.started", count=2)
        assert path.exists()
        garbage = b"\xff\xfe\x00\x01 not a plan \x00\x80"
        path.write_bytes(garbage)
        wait_for(folder, "task.started", count=3)
        path.write_bytes(path.read_bytes() + b"\n\xff\xfe caf\xe9 {} %s\n")
        assert process.wait(90) == 0
    assert len(started(folder)) == 5
    assert list(boxes(folder)) == [line[6:] for line in PLAN.splitlines() if line[:5] == "- [ ]"]
    assert "open" not in boxes(folder).values()
    assert [p.read_bytes() for p in path.parent.glob("research_plan.md.damaged-*")] == [garbage]
    assert "caf\ufffd {} %s" in folder.plan_text()
    said = " ".join(notice.message for notice in folder.view().notices)
    assert "was gone" in said
    assert "no task left" in said


def test_the_plan_is_shown_first_and_then_followed(lab: Lab, server: OpenAIServer) -> None:
    """safety 36: a halt after the plan, an edit, a resume that does not plan again."""
    topic = "How many passengers did the Quorrow ferry carry in 2025?"
    result = lab.json("run", topic, "--plan-first", *ONE_BY_ONE)
    assert (result["status"], result["exit"]) == ("planned", 0)
    folder = lab.store.open(result["task_id"])
    assert started(folder) == []
    assert len(server.of("planner")) == 1
    assert folder.report() is None

    (folder.path / "research_plan.md").write_text(
        "## My own part\n\n* [ ] Who operates the Quorrow ferry?\n", encoding="utf-8"
    )
    result = lab.json("resume", folder.task_id)
    assert result["status"] in ("done", "empty")
    assert started(folder) == [("Who operates the Quorrow ferry?", 1)]
    assert len(server.of("planner")) == 1
    assert "## 1. My own part" in folder.plan_text()


def test_the_plan_of_a_finished_run_starts_a_new_one(lab: Lab, server: OpenAIServer) -> None:
    """Everything is open again, under a new id, with the old topic and without planning."""
    topic = "How many passengers did the Quorrow ferry carry in 2025?"
    small = (*ONE_BY_ONE, "--set", "max_categories=1", "--set", "min_categories=1")
    first = lab.json("run", topic, *small)
    assert first["status"] == "done"
    old = lab.store.open(first["task_id"])
    logged, planned = old.read_events()[1], len(server.of("planner"))

    second = lab.json("run", "--plan", first["task_id"], *small)

    assert second["status"] == "done"
    assert second["task_id"] != first["task_id"]
    new = lab.store.open(second["task_id"])
    assert new.record().topic == topic
    assert list(boxes(new)) == list(boxes(old))
    assert [text for text, _ in started(new)] == list(boxes(old))
    assert {attempt for _, attempt in started(new)} == {1}
    assert len(server.of("planner")) == planned
    assert old.read_events()[1] == logged


@pytest.mark.parametrize("how", ["file", "id"])
def test_a_plan_of_web_ui_starts_a_run(lab: Lab, tmp_path: Path, how: str) -> None:
    """S2-23, W2-7: doubled numbers go, every box is open: this run has no evidence for any."""
    folder_of_webui = lab.root / "5f0a9c1e-aaaa-4bbb-8ccc-0123456789ab"
    folder_of_webui.mkdir()
    theirs = folder_of_webui / "research_plan.md"
    theirs.write_text(WEBUI, encoding="utf-8")
    named = (
        str(shutil.copy(theirs, tmp_path / "theirs.md")) if how == "file" else theirs.parent.name
    )

    listed = lab.json("list")["runs"]
    assert [(row["task_id"], row["foreign"]) for row in listed] == [(theirs.parent.name, True)]
    further = ("--plan-first",) if how == "file" else ()
    result = lab.json("run", "--plan", named, *ONE_BY_ONE, *further)

    assert result["status"] in (("planned",) if further else ("done", "empty"))
    folder = lab.store.open(result["task_id"])
    assert len(started(folder)) == (0 if further else 3)
    assert len(boxes(folder)) == 3
    assert not further or set(boxes(folder).values()) == {"open"}
    assert [line for line in folder.plan_text().splitlines() if line.startswith("##")] == [
        "## 1. Ridership of the Quorrow ferry",
        "## 2. Nature",
    ]
    assert folder.record().topic == "Ridership of the Quorrow ferry, Nature"
    assert theirs.read_text(encoding="utf-8") == WEBUI
    assert sorted(p.name for p in theirs.parent.iterdir()) == ["research_plan.md"]
    refused = lab.cli("resume", theirs.parent.name)
    assert refused.returncode == 2
    assert "holds only a plan" in refused.stderr
