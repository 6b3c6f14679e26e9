"""The checking of claims while it goes on, and a debate's searches for counter-evidence. Pure.

A refuter's searches are tasks ``x1``, ``x2`` … in the log and none of the plan; here they are told
as what they are.
"""

from __future__ import annotations

import re

from leadline.domain.claims import Verification
from leadline.domain.projection import RunView, TaskView
from leadline.domain.run import RunStatus
from leadline.web.texts import Texts
from leadline.web.views.html import cut, esc

_COUNTER_TASK = re.compile(r"x\d+", re.ASCII)
_SAID_BEFORE = "What speaks against this: "
"""What a search's text begins with in the log; the claim follows."""


def checking_sentence(view: RunView, level: Verification, texts: Texts) -> str:
    """How far the checks are; empty when the run is at something else."""
    if view.status is not RunStatus.VERIFYING:
        return ""
    total = len(view.claims)
    if not total:
        return texts("checking_soon")
    done = sum(claim in view.checks for claim in view.claims)
    key = "checking_debate" if level is Verification.DEBATE else "checking"
    return texts(key, n=done, total=total)


def checking(view: RunView, level: Verification, texts: Texts) -> str:
    """The checks as a bar with its sentence; empty when the run is at something else."""
    sentence = checking_sentence(view, level, texts)
    if not sentence:
        return ""
    total = len(view.claims)
    done = sum(claim in view.checks for claim in view.claims)
    bar = f'<progress max="{total}" value="{done}" aria-label="{esc(sentence)}"></progress>'
    usage = view.usage_by_role.get("verifier")
    calls = usage.calls if usage else 0
    more = texts("checking_answer_one") if calls == 1 else texts("checking_answers", n=calls)
    answers = f'<p class="ll-checking-more">{esc(more)}</p>' if calls else ""
    return (
        f'<div class="ll-checking"><h2>{esc(texts("state_verifying"))}</h2>'
        f"<p>{esc(sentence)}</p>{bar if total else ''}"
        f"{answers}</div>"
    )


def is_counter_task(task_id: str) -> bool:
    """Whether a task is a search for counter-evidence."""
    return _COUNTER_TASK.fullmatch(task_id) is not None


def counter_subject(task: TaskView) -> str:
    """The claim that a search for counter-evidence is about; empty for a task of the plan."""
    return task.text.removeprefix(_SAID_BEFORE) if is_counter_task(task.id) else ""


def counter_searches(view: RunView, texts: Texts) -> str:
    """The searches for counter-evidence that were begun; empty when there are none."""
    found = [task for task in view.tasks.values() if is_counter_task(task.id)]
    if not found:
        return ""
    rows = "".join(_search(task, texts) for task in found)
    return (
        f'<section class="ll-counter"><h3>{esc(texts("counter_searches"))} '
        f'<span class="ll-count">{len(found)}</span></h3>'
        f"<p>{esc(texts('counter_about'))}</p><ul>{rows}</ul></section>"
    )


def _search(task: TaskView, texts: Texts) -> str:
    count = len(task.findings)
    if task.running:
        state = texts("counter_running")
    elif task.finished_at is None:
        state = texts("counter_open")
    elif count:
        state = texts("counter_one") if count == 1 else texts("counter_n", n=count)
    else:
        state = texts("counter_none")
    text = cut(counter_subject(task), 240)
    return (
        f'<li><span aria-hidden="true">⇄</span> <span dir="auto">{esc(text)}'
        f'<span class="ll-task-note">{esc(state)}</span></span></li>'
    )
