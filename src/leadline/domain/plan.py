"""The plan of a run: categories of tasks with states.

Pure values. ``plan_markdown`` reads and writes the file a person edits, ``plan_answer`` reads a
model's JSON, ``plan_edit`` works out what a person changed.

Invariant: a task keeps its ``id`` for the whole run, through rewording, moving and renaming; the
Markdown never shows it. Lines of the file that are no category and no task are kept as notes.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class TaskState(StrEnum):
    """``[ ]`` open, ``[x]`` done, ``[-]`` failed."""

    OPEN = "open"
    DONE = "done"
    FAILED = "failed"


class Task(BaseModel):
    """One question of the plan."""

    model_config = ConfigDict(frozen=True)

    id: str = Field("", description="``t1``, ``t2`` …; empty until the plan is numbered.")
    text: str
    state: TaskState = TaskState.OPEN
    queries: tuple[str, ...] = Field((), description="What to search for; empty: the text itself.")
    notes: tuple[str, ...] = Field((), description="Lines below it that are no task, kept as is.")


class Category(BaseModel):
    """A stage of the plan: its tasks run side by side."""

    model_config = ConfigDict(frozen=True)

    name: str
    tasks: tuple[Task, ...] = ()
    notes: tuple[str, ...] = Field((), description="Lines between its heading and its first task.")


class Plan(BaseModel):
    """A whole plan. ``notes`` are the lines above the first category."""

    model_config = ConfigDict(frozen=True)

    categories: tuple[Category, ...] = ()
    notes: tuple[str, ...] = ()

    def tasks(self) -> Iterator[Task]:
        """All tasks in the order of the file."""
        for category in self.categories:
            yield from category.tasks

    def task(self, task_id: str) -> Task | None:
        """The task with this id, or None."""
        return next((t for t in self.tasks() if t.id == task_id), None)

    def category_of(self, task_id: str) -> Category | None:
        """The category that holds the task, or None."""
        return next((c for c in self.categories if any(t.id == task_id for t in c.tasks)), None)

    def with_task(self, task: Task) -> Plan:
        """A plan in which the task of the same id is replaced."""
        categories = tuple(
            c.model_copy(update={"tasks": tuple(task if t.id == task.id else t for t in c.tasks)})
            for c in self.categories
        )
        return self.model_copy(update={"categories": categories})

    def with_state(self, task_id: str, state: TaskState) -> Plan:
        """A plan in which one task has another state; unchanged when there is no such task."""
        task = self.task(task_id)
        return self.with_task(task.model_copy(update={"state": state})) if task else self

    def numbered(self, first_free: int = 1) -> Plan:
        """A plan in which each task without an id has a fresh one, from ``t{first_free}`` on."""
        used = {t.id for t in self.tasks() if t.id}
        number = first_free
        categories: list[Category] = []
        for category in self.categories:
            tasks: list[Task] = []
            for task in category.tasks:
                if not task.id:
                    while f"t{number}" in used:
                        number += 1
                    used.add(f"t{number}")
                    task = task.model_copy(update={"id": f"t{number}"})
                tasks.append(task)
            categories.append(category.model_copy(update={"tasks": tuple(tasks)}))
        return self.model_copy(update={"categories": tuple(categories)})

    def reopened(self) -> Plan:
        """The same plan with every box open and no ids: a fresh start for a new run."""
        categories = tuple(
            c.model_copy(
                update={
                    "tasks": tuple(
                        t.model_copy(update={"id": "", "state": TaskState.OPEN}) for t in c.tasks
                    )
                }
            )
            for c in self.categories
        )
        return self.model_copy(update={"categories": categories})

    def reopened_failed(self) -> Plan:
        """The same plan with every failed task open again."""
        categories = tuple(
            c.model_copy(
                update={
                    "tasks": tuple(
                        t.model_copy(update={"state": TaskState.OPEN})
                        if t.state is TaskState.FAILED
                        else t
                        for t in c.tasks
                    )
                }
            )
            for c in self.categories
        )
        return self.model_copy(update={"categories": categories})

    def counts(self) -> dict[TaskState, int]:
        """How many tasks stand in each state; every state is a key."""
        counts = dict.fromkeys(TaskState, 0)
        for task in self.tasks():
            counts[task.state] += 1
        return counts
