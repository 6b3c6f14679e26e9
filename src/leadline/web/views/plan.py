"""The plan as a list with boxes, drawn from the file as it stands. Pure."""

from __future__ import annotations

import time
from collections.abc import Mapping

from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.domain.projection import RunView, TaskView
from leadline.web.run_sentences import in_words
from leadline.web.texts import Texts
from leadline.web.views.html import esc

_SIGNS = {TaskState.OPEN: "", TaskState.DONE: "✓", TaskState.FAILED: "–"}


def plan_view(plan: Plan | None, view: RunView, texts: Texts) -> str:
    """Categories, tasks and their boxes; a task at work is marked."""
    if plan is None or not any(True for _ in plan.tasks()):
        return f'<p class="ll-empty">{esc(texts("plan_empty"))}</p>'
    parts = [_category(category, view.tasks, texts) for category in plan.categories]
    return f'<div class="ll-plan">{"".join(parts)}</div>'


def saved_mark(run: str) -> str:
    """Tells the page's script that the plan of a run was saved: what it kept of it may go."""
    return f'<i data-ll-saved="{esc(run)}" data-ll-at="{time.time_ns()}" hidden></i>'


def draft_offer(texts: Texts) -> str:
    """Asks what shall become of an edit that was not saved; the page's script shows it."""
    buttons = "".join(
        f'<button type="button" class="ll-button" data-ll-draft="{what}">'
        f"{esc(texts(f'draft_{what}'))}</button>"
        for what in ("restore", "discard")
    )
    return (
        f'<div class="ll-message ll-message-warning ll-draft-offer" role="status" hidden>'
        f"<span>{esc(texts('draft_kept'))}</span>{buttons}</div>"
    )


def _category(category: Category, known: Mapping[str, TaskView], texts: Texts) -> str:
    rows = "".join(_task(task, known.get(task.id), texts) for task in category.tasks)
    done = sum(task.state is TaskState.DONE for task in category.tasks)
    return (
        f'<section><h3 dir="auto">{esc(category.name)}'
        f'<span class="ll-count">{done}/{len(category.tasks)}</span></h3>'
        f"<ul>{rows}</ul></section>"
    )


def _task(task: Task, known: TaskView | None, texts: Texts) -> str:
    running = known is not None and known.running and task.state is TaskState.OPEN
    state = "running" if running else task.state.value
    notes: list[str] = []
    if known is not None:
        found = len(known.findings)
        if found:
            notes.append(texts("finding_one") if found == 1 else texts("findings_n", n=found))
        if task.state is not TaskState.DONE and known.reason:
            notes.append(in_words(known.reason, texts))
    note = f'<span class="ll-task-note">{esc(" · ".join(notes))}</span>' if notes else ""
    return (
        f'<li class="ll-task ll-task-{state}">'
        f'<span class="ll-box" role="img" aria-label="{esc(texts(f"task_{state}"))}">'
        f"{_SIGNS[task.state]}</span>"
        f'<span class="ll-task-text" dir="auto">{esc(task.text)}{note}</span></li>'
    )
