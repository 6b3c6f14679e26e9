"""The ``research`` node: one visit works off one stage of the plan.

The plan file is read again before each task is taken up, so a person's edits count at once: a
deleted or ticked task is not begun, an added one is.
"""

from __future__ import annotations

import asyncio

from leadline.domain.run import RunStatus
from leadline.engine.context import RunContext
from leadline.engine.stages import next_stage, next_task
from leadline.engine.task_runner import run_task
from leadline.errors import LeadlineError


async def research_stage(context: RunContext) -> bool:
    """Work off the next stage; False when no task is left.

    Raises the first fatal error of its tasks, after their siblings were cancelled.
    """
    max_tasks = context.config.limits.max_tasks
    stage = next_stage(context.sync_plan(), max_tasks)
    if stage is None:
        return False
    context.session.set_status(RunStatus.RESEARCHING)
    members = {task.id for task in stage.tasks}
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(context.config.limits.max_parallel_browsers):
                group.create_task(_take_tasks(context, members))
    except* LeadlineError as failed:
        raise failed.exceptions[0] from None
    return True


async def _take_tasks(context: RunContext, stage: set[str]) -> None:
    """Take tasks of the stage, one after the other, until none is left."""
    while True:
        context.budget.check()
        plan = context.sync_plan()
        task = next_task(plan, stage, context.claimed, context.config.limits.max_tasks)
        if task is None:
            return
        context.claimed.add(task.id)
        try:
            await run_task(context, task)
        finally:
            context.claimed.discard(task.id)
