"""One task from its queries to its box: workers side by side, then the outcome.

An error in one worker fails that query alone. Errors that no other task could escape (the model
is gone, a limit is used up) end the stage instead, and the task stays open for a resume.
"""

from __future__ import annotations

import asyncio
import logging

from leadline.browsing.worker import WorkerResult
from leadline.domain.events import TaskStarted
from leadline.domain.plan import Task
from leadline.engine.context import TASK, RunContext, WorkOrder
from leadline.engine.digest import digest
from leadline.engine.outcome import judge
from leadline.errors import BrowserFailed, LeadlineError

log = logging.getLogger(__name__)

DIGEST_TOKENS = 600


async def run_task(context: RunContext, task: Task) -> None:
    """Work on one task to its end and write its state.

    Raises the worker's fatal error (:class:`ModelUnavailable`, :class:`ModelRejected`,
    :class:`LimitReached`, :class:`BrowserMissing`); the task is then still open.
    """
    TASK.set(task.id)
    limits = context.config.limits
    queries = (task.queries or (task.text,))[: limits.queries_per_task]
    attempt = context.task_view(task.id).attempts + 1
    context.session.emit(
        TaskStarted(attempt=attempt, text=task.text, queries=queries), task=task.id
    )
    background = digest(
        context.session.view.findings.values(), max_tokens=DIGEST_TOKENS, query=task.text
    )
    orders = [
        WorkOrder(f"{task.id}-{number}", task, query, attempt, context.language, background)
        for number, query in enumerate(queries, start=1)
    ]
    results = await asyncio.gather(*(_run_contained(context, order) for order in orders))
    fatal = next((r.fatal for r in results if r.fatal), None)
    if fatal is not None:
        raise fatal
    outcome = judge(results)
    context.session.finish_task(
        task.id,
        attempt=attempt,
        state=outcome.state,
        reason=outcome.reason,
        summary=outcome.summary,
        findings=outcome.findings,
    )


async def _run_contained(context: RunContext, order: WorkOrder) -> WorkerResult:
    """Run one worker; whatever it raises becomes its result. A dead browser is tried once more."""
    for last_try in (False, True):
        try:
            return await context.run_worker(order)
        except BrowserFailed as error:
            if last_try:
                return WorkerResult(error=str(error))
            context.notice(f"{error} The worker is started again.", warning=True)
        except LeadlineError as error:
            return WorkerResult(error=str(error), fatal=error)
        except Exception:  # a fault of ours in one task must not take its siblings along
            log.exception("worker %s failed", order.worker)
            return WorkerResult(
                error="The worker failed unexpectedly; the log of the run has more."
            )
    raise AssertionError("unreachable")
