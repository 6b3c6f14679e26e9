"""What the run adds to a plan that a person may have edited meanwhile.

The person's plan stands: the run only adds tasks and queries to it, and opens failed tasks again.
It never removes, rewords or moves a task, and never opens one that is done.
"""

from __future__ import annotations

from collections.abc import Mapping

from leadline.domain.plan import Category, Plan, Task, TaskState


def add_to_plan(
    current: Plan, proposed: Plan, *, base: Plan, known_texts: Mapping[str, str]
) -> Plan:
    """``current`` with what is new in ``proposed``; new tasks have no id yet.

    ``base`` is the plan that ``proposed`` was made from, before a person's latest edit;
    ``known_texts`` has the text of every task there ever was. A task of either that ``current``
    lacks was removed and stays so. An id alone is no proof: the run may have given its new task
    the id of one that was removed, or that a person added meanwhile.
    """
    plan = current
    for category in proposed.categories:
        fresh: list[Task] = []
        for task in category.tasks:
            if task.id and base.task(task.id):
                present = plan.task(task.id)
                if present is not None:
                    plan = plan.with_task(_updated(present, task))
            elif not task.id or known_texts.get(task.id) != task.text:
                fresh.append(task.model_copy(update={"id": "", "state": TaskState.OPEN}))
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
        if _key(existing.name) == _key(category.name):
            categories[index] = existing.model_copy(update={"tasks": (*existing.tasks, *tasks)})
            break
    else:
        categories.append(category.model_copy(update={"tasks": tuple(tasks)}))
    return plan.model_copy(update={"categories": tuple(categories)})


def _key(name: str) -> str:
    return "".join(name.casefold().split())
