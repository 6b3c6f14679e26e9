"""The list of runs at the side. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from leadline.domain.run import RunStatus
from leadline.runs.store import RunSummary
from leadline.web.run_sentences import in_words
from leadline.web.texts import Texts
from leadline.web.views.html import ago, badge, cut, esc

SHOWN = 200
RESUMABLE = frozenset({RunStatus.STOPPED, RunStatus.FAILED, RunStatus.INTERRUPTED})


def library(
    runs: Iterable[RunSummary], *, search: str, open_run: str, now: datetime, texts: Texts
) -> str:
    """The runs whose topic or id holds every word of ``search``, newest first."""
    every = list(runs)
    wanted = search.casefold().split()
    rows = [
        _row(run, open_run=run.task_id == open_run, now=now, texts=texts)
        for run in every
        if all(word in f"{run.topic} {run.task_id}".casefold() for word in wanted)
    ][:SHOWN]
    if rows:
        return f'<ul class="ll-library">{"".join(rows)}</ul>'
    key = "no_match" if every else "no_runs"
    return f'<p class="ll-empty">{esc(texts(key))}</p>'


def _row(run: RunSummary, *, open_run: bool, now: datetime, texts: Texts) -> str:
    topic = cut(run.topic or run.task_id, 110)
    total = run.done + run.failed + run.open
    about = [ago(run.created_at, now, texts)]
    if total and not run.foreign:
        about.append(texts("tasks_of", done=run.done, all=total))
    can_open = not (run.foreign or run.damaged)
    current = ' aria-current="true"' if open_run else ""
    state = badge(run.status, texts) if can_open else _odd(run, texts)
    inside = (
        f'<span class="ll-row-topic" dir="auto">{esc(topic)}</span>'
        f'<span class="ll-row-about">{state} {esc(" · ".join(about))}</span>'
    )
    if can_open:
        address = f"{texts.root}?run={esc(run.task_id)}"
        inside = f'<a href="{address}" data-ll-open="{esc(run.task_id)}">{inside}</a>'
    else:
        inside = (
            f'<div class="ll-row-closed" title="{esc(in_words(run.reason, texts))}">{inside}</div>'
        )
    buttons = "".join(
        f'<button type="button" data-ll-action="{action}" data-ll-for="{esc(run.task_id)}" '
        f'title="{esc(label)}" aria-label="{esc(label)}: {esc(topic)}">{sign}</button>'
        for action, sign, label in _actions(run, total, texts)
    )
    return (
        f'<li data-ll-row="{esc(run.task_id)}"{current}>{inside}'
        f'<span class="ll-row-actions">{buttons}</span></li>'
    )


def _odd(run: RunSummary, texts: Texts) -> str:
    word = texts("state_damaged" if run.damaged else "state_plan_only")
    return f'<span class="ll-badge ll-badge-{"failed" if run.damaged else "planned"}">{word}</span>'


def _actions(run: RunSummary, total: int, texts: Texts) -> list[tuple[str, str, str]]:
    actions: list[tuple[str, str, str]] = []
    if run.damaged or run.status.is_active:
        return actions
    if run.status in RESUMABLE:
        actions.append(("resume", "▶", texts("resume")))
    if total:
        actions.append(("again", "↻", texts("run_again")))
    actions.append(("delete", "×", texts("delete")))
    return actions
