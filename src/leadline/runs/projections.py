"""What ``search_info.json``, ``sources.json`` and ``evidence.json`` say: views of the log.

They are written for people and other programs; Leadline itself reads the log.
"""

from __future__ import annotations

from typing import Any

from leadline.domain.plan import TaskState
from leadline.domain.projection import RunView, TaskView


def search_info(view: RunView) -> dict[str, Any]:
    """Per task of the plan: queries, pages, findings, failures, attempts."""
    in_plan = [task.id for task in view.plan.tasks()] if view.plan else []
    others = [task_id for task_id in view.tasks if task_id not in in_plan]
    return {
        "tasks": [
            _task(view, view.tasks[task_id], in_plan=task_id in in_plan)
            for task_id in [*in_plan, *others]
            if task_id in view.tasks
        ],
        "hosts": dict(view.hosts),
    }


def _task(view: RunView, task: TaskView, *, in_plan: bool) -> dict[str, Any]:
    return {
        "id": task.id,
        "task": task.text,
        "state": task.state.value,
        "in_plan": in_plan,
        "attempts": task.attempts,
        "reason": task.reason,
        "summary": task.summary,
        "ticked_by_hand": task.by_user and task.state is TaskState.DONE,
        "queries": list(task.queries),
        "pages": [
            {"source": source.id, "title": source.title, "url": source.url}
            for number in task.pages
            if (source := view.sources.get(number))
        ],
        "findings": list(task.findings),
        "failures": [
            {"url": page.url, "reason": page.reason, "blocked": page.blocked}
            for page in task.failures
        ],
    }


def sources(view: RunView) -> list[dict[str, Any]]:
    """Every source without its text."""
    return [source.model_dump(mode="json") for source in view.sources.values()]


def evidence(view: RunView) -> dict[str, Any]:
    """Every finding with the words that carry it and where they stand."""
    rows: list[dict[str, Any]] = []
    for finding in view.findings.values():
        task = view.tasks.get(finding.task)
        rows.append(
            {
                "id": finding.id,
                "task": finding.task,
                "counts": task is not None and finding.id in task.findings,
                "claim": finding.claim,
                "passages": [
                    {
                        "ref": str(ref),
                        "quote": quote,
                        "url": source.url if (source := view.sources.get(ref.source)) else "",
                        "title": source.title if source else "",
                    }
                    for ref, quote in zip(finding.passages, finding.quotes, strict=False)
                ],
            }
        )
    return {"findings": rows}
