"""What ``search_info.json``, ``sources.json`` and ``evidence.json`` say: views of the log.

They are written for people and other programs; Leadline itself reads the log.
"""

from __future__ import annotations

from typing import Any

from leadline.domain.evidence_file import evidence_of
from leadline.domain.plan import TaskState
from leadline.domain.projection import RunView, TaskView
from leadline.domain.run import RunRecord


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


def evidence(view: RunView, record: RunRecord) -> dict[str, Any]:
    """The content of ``evidence.json``; what it holds is said in ``domain.evidence_file``."""
    return evidence_of(view, record).model_dump(mode="json")


def views(view: RunView, record: RunRecord) -> dict[str, Any]:
    """The files that are made from the log, by name."""
    return {
        "search_info.json": search_info(view),
        "sources.json": sources(view),
        "evidence.json": evidence(view, record),
    }


VIEW_FILES = ("search_info.json", "sources.json", "evidence.json")
"""The names of them all."""
