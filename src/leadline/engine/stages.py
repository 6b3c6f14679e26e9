"""Which task is next: pure rules over a plan.

A category is a stage. Its open tasks run side by side; the next category begins when none of them
is open any more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from leadline.domain.plan import Category, Plan, Task, TaskState


def workable(plan: Plan, max_tasks: int) -> Iterator[Task]:
    """The open tasks among the first ``max_tasks`` of the plan, in its order."""
    return (t for t in islice(plan.tasks(), max_tasks) if t.state is TaskState.OPEN)


def next_stage(plan: Plan, max_tasks: int) -> Category | None:
    """The first category with a task to do, or None when the plan is worked off."""
    first = next(workable(plan, max_tasks), None)
    return plan.category_of(first.id) if first else None


def next_task(
    plan: Plan, stage: Collection[str], claimed: Collection[str], max_tasks: int
) -> Task | None:
    """The next open, unclaimed task of a stage.

    ``stage`` holds the ids that the stage began with: the categories that hold any of them now
    are the stage, so that it survives renaming, moving and added tasks.
    """
    members = {
        task.id
        for category in plan.categories
        if any(task.id in stage for task in category.tasks)
        for task in category.tasks
    }
    return next(
        (t for t in workable(plan, max_tasks) if t.id in members and t.id not in claimed), None
    )


def steps_needed(plan: Plan, max_tasks: int, loops: int) -> int:
    """Graph steps that a plan may take at most.

    Each visit of ``research`` works off one stage, and an edited plan can have as many stages as
    tasks; a reflection adds a further round of them.
    """
    stages = max(len(plan.categories), max_tasks)
    return 10 + (stages + 3) * (loops + 1)
