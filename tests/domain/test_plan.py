"""The plan as values: ids stay, states change one at a time."""

from __future__ import annotations

from leadline.domain.plan import Category, Plan, Task, TaskState


def plan() -> Plan:
    return Plan(
        categories=(
            Category(name="A", tasks=(Task(text="one"), Task(text="two", id="t2"))),
            Category(name="B", tasks=(Task(text="three", queries=("q",)),)),
        )
    )


def test_numbering_keeps_ids_and_skips_used_ones() -> None:
    assert [t.id for t in plan().numbered().tasks()] == ["t1", "t2", "t3"]
    assert [t.id for t in plan().numbered(9).tasks()] == ["t9", "t2", "t10"]
    assert plan().numbered().numbered() == plan().numbered()


def test_a_state_changes_for_one_task_alone() -> None:
    changed = plan().numbered().with_state("t3", TaskState.DONE)
    assert [t.state for t in changed.tasks()] == [TaskState.OPEN, TaskState.OPEN, TaskState.DONE]
    assert changed.with_state("t99", TaskState.DONE) == changed
    assert changed.counts() == {TaskState.OPEN: 2, TaskState.DONE: 1, TaskState.FAILED: 0}


def test_tasks_are_found_by_id() -> None:
    numbered = plan().numbered()
    task, category = numbered.task("t3"), numbered.category_of("t3")
    assert task
    assert category
    assert (task.text, category.name) == ("three", "B")
    assert numbered.task("t99") is None
    assert numbered.category_of("t99") is None


def test_a_finished_plan_starts_a_new_run_with_every_box_open() -> None:
    fresh = plan().numbered().with_state("t3", TaskState.FAILED).reopened()
    assert {(t.id, t.state) for t in fresh.tasks()} == {("", TaskState.OPEN)}
    assert [t.queries for t in fresh.tasks()][2] == ("q",)


def test_only_failed_tasks_are_opened_again() -> None:
    mixed = plan().numbered().with_state("t1", TaskState.DONE).with_state("t3", TaskState.FAILED)
    states = [t.state for t in mixed.reopened_failed().tasks()]
    assert states == [TaskState.DONE, TaskState.OPEN, TaskState.OPEN]
