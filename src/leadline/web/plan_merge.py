"""Saving an edit of the plan while the run goes on ticking boxes in the same file. Pure.

Invariant: a merge happens only when nothing but boxes changed in the file since the editor was
opened; then the person's text wins everywhere, and the boxes follow the file. Anything else is a
conflict, for the person to decide.
"""

from __future__ import annotations

from leadline.domain.plan import Plan, Task, TaskState
from leadline.domain.plan_markdown import parse_plan, render_plan


def merge_progress(base: str, current: str, mine: str) -> str | None:
    """The text to save: ``mine`` with the boxes of ``current``; None when it is a conflict.

    ``base`` is what the editor was opened with, ``current`` what the file holds now.
    """
    before, now, edited = parse_plan(base), parse_plan(current), parse_plan(mine)
    if before.reopened() != now.reopened():
        return None
    moved: dict[str, tuple[TaskState, TaskState]] = {}
    for old, new in zip(before.tasks(), now.tasks(), strict=True):
        if old.state is not new.state:
            moved[old.text] = (old.state, new.state)
    if not moved:
        return mine
    return render_plan(_with_boxes(edited, moved))


def _with_boxes(plan: Plan, moved: dict[str, tuple[TaskState, TaskState]]) -> Plan:
    def ticked(task: Task) -> Task:
        old, new = moved.get(task.text, (task.state, task.state))
        return task.model_copy(update={"state": new}) if task.state is old else task

    categories = tuple(
        c.model_copy(update={"tasks": tuple(ticked(t) for t in c.tasks)}) for c in plan.categories
    )
    return plan.model_copy(update={"categories": categories})
