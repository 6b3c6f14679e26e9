"""What the run adds to a plan that a person may have edited meanwhile.

The person's plan stands: the run only adds tasks and queries to it, and opens failed tasks again.
It never removes, rewords or moves a task, and never opens one that is done.
"""

from __future__ import annotations

from collections.abc import Collection

from leadline.domain.plan import Category, Plan, Task, TaskState


def add_to_plan(current: Plan, proposed: Plan, *, known: Collection[str]) -> Plan:
    """``current`` with what is new in ``proposed``.

    ``known`` are the ids of all tasks there ever were: one of these that ``current`` lacks was
    removed and stays so; a task with another id, or none, is new. New tasks may lack their id.
    """
    plan = current
    for category in proposed.categories:
        fresh: list[Task] = []
        for task in category.tasks:
            present = plan.task(task.id) if task.id else None
            if present is not None:
                plan = plan.with_task(_updated(present, task))
            elif not task.id or task.id not in known:
                fresh.append(task)
        if fresh:
            plan = _appended(plan, category, fresh)
    return plan


def _updated(present: Task, proposed: Task) -> Task:
    update: dict[str, object] = {}
    if proposed.text == present.text and proposed.queries:
        update["queries"] = proposed.queries
    if present.state is TaskState.FAILED and proposed.state is TaskState.OPEN:
        update["state"] = TaskState.OPEN
    return present.model_copy(update=update)


def _appended(plan: Plan, category: Category, tasks: list[Task]) -> Plan:
    categories = list(plan.categories)
    for index, existing in enumerate(categories):
        if existing.name == category.name:
            categories[index] = existing.model_copy(update={"tasks": (*existing.tasks, *tasks)})
            break
    else:
        categories.append(category.model_copy(update={"tasks": tuple(tasks)}))
    return plan.model_copy(update={"categories": tuple(categories)})
