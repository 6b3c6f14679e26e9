"""The run at work: counters, worker cards, sources. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from leadline.domain.config import Provider, RunConfig
from leadline.domain.events import WorkerMoved
from leadline.domain.evidence import BlockedPage, Source
from leadline.domain.plan import Plan, TaskState
from leadline.domain.projection import RunView
from leadline.domain.run import RunStatus
from leadline.web.run_sentences import in_words
from leadline.web.texts import Texts
from leadline.web.views.checking import counter_subject
from leadline.web.views.html import clock, compact, cut, esc, host_of, web_link

_WITHOUT_BROWSERS = (RunStatus.VERIFYING, RunStatus.WRITING)
"""A run needs no browser here, so that none is at work is no news."""


def counters(
    view: RunView, plan: Plan | None, config: RunConfig, seconds: float, texts: Texts
) -> str:
    """What was used, against what may be used; an offline model uses neither tokens nor money."""
    limits = config.limits
    states = plan.counts() if plan else view.counts()
    total = sum(states.values())
    ended = states[TaskState.DONE] + states[TaskState.FAILED]
    usage = view.usage
    offline = config.model.provider is Provider.OFFLINE
    cells = [
        ("count_elapsed", clock(seconds), texts("minutes_n", n=f"{limits.minutes:g}")),
        ("count_tasks", str(ended), str(total) if total else "–"),
        ("count_pages", str(view.pages), ""),
        ("count_findings", str(len(view.findings)), ""),
        ("count_steps" if offline else "count_calls", str(usage.calls), ""),
        ("count_browsers", str(view.live_browsers), str(limits.max_parallel_browsers)),
    ]
    if view.claims:
        checked = sum(claim in view.checks for claim in view.claims)
        cells.insert(4, ("count_checked", str(checked), str(len(view.claims))))
    if not offline:
        cells.append(("count_tokens", compact(usage.tokens), compact(limits.tokens)))
    if not offline and usage.cost_usd is not None:
        cells.append(("count_cost", f"${usage.cost_usd:.2f}", f"${limits.cost_usd:.2f}"))
    items = "".join(
        f"<div><dt>{esc(texts(key))}</dt><dd>{esc(value)}"
        f"{f'<span>/ {esc(limit)}</span>' if limit else ''}</dd></div>"
        for key, value, limit in cells
    )
    return f'<dl class="ll-counters">{items}</dl>'


def workers(view: RunView, task_id: str, screens: Mapping[str, int], texts: Texts) -> str:
    """One card for each worker. ``screens`` maps a worker to the version of its screenshot."""
    cards = "".join(
        _card(view, worker, task_id, screens.get(worker.worker), texts)
        for worker in view.workers.values()
    )
    if not view.status.is_active or (view.status in _WITHOUT_BROWSERS and not cards):
        return ""
    body = cards or f'<p class="ll-empty">{esc(texts("no_workers"))}</p>'
    return f'<h2>{esc(texts("workers"))}</h2><div class="ll-cards">{body}</div>'


def _card(
    view: RunView, worker: WorkerMoved, task_id: str, screen: int | None, texts: Texts
) -> str:
    task = view.tasks.get(view.worker_tasks.get(worker.worker, ""))
    title = cut(worker.title or host_of(worker.url), 90)
    activity = texts(f"worker_{worker.activity}")
    step = f" · {texts('worker_step', n=worker.step)}" if worker.step else ""
    image = ""
    if screen is not None:
        source = f"/runs/{task_id}/screens/{worker.worker}.jpg?v={screen}"
        alt = texts("screen_of", title=title or worker.worker)
        picture = f'<img src="{esc(source)}" alt="{esc(alt)}" loading="lazy">'
        image = f'<div class="ll-shot">{picture}</div>'
    where = (
        f'<p class="ll-card-page" dir="auto">{esc(title)}'
        f"<span>{esc(host_of(worker.url))}</span></p>"
        if title
        else ""
    )
    against = counter_subject(task) if task else ""
    if against:
        activity = texts("counter_worker")
    subject = texts("counter_against", text=against) if against else ""
    subject = cut(subject or (task.text if task else worker.query), 140)
    query = f'<p class="ll-card-query" dir="auto">“{esc(cut(worker.query, 120))}”</p>'
    return (
        f'<article class="ll-card ll-card-{worker.activity}">'
        f'{image}<div class="ll-card-body">'
        f'<p class="ll-card-state">{esc(activity)}{esc(step)}</p>'
        f'<p class="ll-card-task" dir="auto">{esc(subject)}</p>'
        f"{query if worker.query and not where else ''}{where}</div></article>"
    )


def sources(view: RunView, task_id: str, texts: Texts) -> str:
    """The sources that were read, each with its stored passages, and the pages that gave none."""
    items = "".join(_source(s, task_id) for s in sorted(view.sources.values(), key=lambda s: s.id))
    body = f"<ol>{items}</ol>" if items else f'<p class="ll-empty">{esc(texts("no_sources"))}</p>'
    failed = ""
    if view.failed_pages:
        rows = "".join(_failed(page, texts) for page in view.failed_pages[-50:])
        failed = (
            f"<details><summary>{esc(texts('failed_pages'))} "
            f'<span class="ll-count">{len(view.failed_pages)}</span></summary>'
            f"<ul>{rows}</ul></details>"
        )
    return (
        f'<div class="ll-sources"><h2>{esc(texts("sources_found"))} '
        f'<span class="ll-count">{len(view.sources)}</span></h2>{body}{failed}</div>'
    )


def _source(source: Source, task_id: str) -> str:
    title = cut(source.title or source.url, 120)
    about = " · ".join(part for part in (source.site or host_of(source.url), source.date) if part)
    return (
        f'<li value="{source.id}"><a href="/runs/{esc(task_id)}/sources/{source.id}" '
        f'data-ll-source dir="auto">{esc(title)}</a><span>{esc(about)}</span></li>'
    )


def _failed(page: BlockedPage, texts: Texts) -> str:
    mark = f" ({texts('page_blocked')})" if page.blocked else ""
    label = cut(page.url, 90)
    why = in_words(page.reason, texts)
    return f"<li>{web_link(page.url, label)}<span>{esc(why)}{esc(mark)}</span></li>"
