"""The activity feed: one sentence for each event worth one. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from leadline.domain import events as ev
from leadline.domain.claims import Conflict
from leadline.domain.plan import TaskState
from leadline.domain.projection import RunView
from leadline.domain.run import RunStatus
from leadline.web.run_sentences import in_words, without_echo
from leadline.web.texts import Texts
from leadline.web.views.checking import counter_subject, is_counter_task
from leadline.web.views.html import cut, esc, host_of

FEED_LENGTH = 200


def feed(entries: Iterable[ev.Entry], view: RunView, texts: Texts) -> str:
    """The last ``FEED_LENGTH`` sentences, newest first, as a polite live region."""
    rows: list[str] = []
    for entry in entries:
        sentence, kind = describe(entry, view, texts)
        if sentence:
            rows.append(_row(entry.ts, sentence, kind))
    shown = "".join(reversed(rows[-FEED_LENGTH:]))
    body = shown or f'<li class="ll-empty">{esc(texts("no_activity"))}</li>'
    return (
        f'<div class="ll-feed"><h2>{esc(texts("activity"))}</h2>'
        f'<ul role="log" aria-live="polite" tabindex="0" aria-label="{esc(texts("activity"))}">'
        f"{body}</ul></div>"
    )


def _row(ts: datetime, sentence: str, kind: str) -> str:
    at = ts.astimezone().strftime("%H:%M:%S")
    return (
        f'<li class="ll-feed-{kind}"><time datetime="{esc(ts.isoformat())}">{at}</time>'
        f'<span dir="auto">{esc(cut(sentence, 300))}</span></li>'
    )


def describe(entry: ev.Entry, view: RunView, texts: Texts) -> tuple[str, str]:
    """The sentence of an entry and its kind (plain, good, note, bad); empty when it needs none."""
    event = entry.event
    match event:
        case ev.TaskStarted() | ev.TaskFinished():
            return _task(entry, event, view, texts)
        case ev.SearchDone() | ev.PageRead() | ev.PageFailed() | ev.FindingRecorded():
            return _reading(event, texts)
        case ev.ClaimsMerged():
            return texts("feed_claims", n=len(event.claims)) if event.claims else "", "plain"
        case ev.ConflictFound(conflict=Conflict(is_open=True, reason=reason)):
            return texts("feed_conflict", reason=in_words(reason, texts)), "note"
        case ev.RunFinished() | ev.RunStopped() | ev.RunFailed():
            return _end(event, texts)
        case ev.RunStarted():
            key = "feed_started" if event.session == 1 else "feed_resumed"
            return texts(key, model=event.model), "plain"
        case ev.PlanWritten(origin="user"):
            return texts("feed_plan_user"), "plain"
        case ev.PlanWritten(origin="model" | "fallback" | "given" | "reflection"):
            return texts("feed_plan", n=sum(1 for _ in event.plan.tasks())), "plain"
        case ev.ModelCalled(ok=False):
            return texts("feed_model_failed", detail=in_words(event.detail, texts)), "bad"
        case ev.Notice():
            return in_words(event.message, texts), "note" if event.level == "warning" else "plain"
        case ev.ReportReady():
            key = "feed_report_partial" if event.partial else "feed_report"
            return texts(key, n=event.citations), "good"
        case _:
            return "", ""


def _task(
    entry: ev.Entry, event: ev.TaskStarted | ev.TaskFinished, view: RunView, texts: Texts
) -> tuple[str, str]:
    known = view.tasks.get(entry.task)
    if known and (against := counter_subject(known)):
        began = isinstance(event, ev.TaskStarted)
        key = "feed_counter_started" if began else "feed_counter_done"
        return texts(key, text=against), "plain"
    if isinstance(event, ev.TaskStarted):
        if event.attempt > 1:
            return texts("feed_task_again", n=event.attempt, text=event.text), "plain"
        return texts("feed_task_started", text=event.text), "plain"
    text = known.text if known else entry.task
    sentence = texts(f"feed_task_{event.state.value}", text=text)
    if event.reason and event.state is not TaskState.DONE:
        sentence = f"{sentence} ({in_words(event.reason, texts)})"
    kinds = {TaskState.DONE: "good", TaskState.FAILED: "bad", TaskState.OPEN: "plain"}
    return sentence, kinds[event.state]


def _reading(
    event: ev.SearchDone | ev.PageRead | ev.PageFailed | ev.FindingRecorded,
    texts: Texts,
) -> tuple[str, str]:
    match event:
        case ev.SearchDone():
            values = {"engine": event.engine, "query": event.query, "n": event.results}
            return ("", "") if event.cached else (texts("feed_search", **values), "plain")
        case ev.PageRead():
            title = event.source.title or event.source.url
            return ("", "") if event.cached else (texts("feed_page", title=title), "plain")
        case ev.PageFailed():
            key = "feed_page_blocked" if event.blocked else "feed_page_failed"
            site, why = host_of(event.url) or event.url, in_words(event.reason, texts)
            return texts(key, site=site, reason=why), "bad"
        case ev.FindingRecorded():
            if is_counter_task(event.finding.task):
                return texts("feed_counter_found", claim=event.finding.claim), "plain"
            return texts("feed_finding", claim=event.finding.claim), "good"


def _end(event: ev.RunFinished | ev.RunStopped | ev.RunFailed, texts: Texts) -> tuple[str, str]:
    match event:
        case ev.RunFinished():
            status, kind = RunStatus(event.status), "good"
        case ev.RunStopped():
            status, kind = RunStatus.STOPPED, "plain"
        case ev.RunFailed():
            status, kind = RunStatus.FAILED, "bad"
    state = texts(f"state_{status.value}")
    reason = in_words(without_echo(status, event.reason), texts)
    if reason.startswith(state):
        return reason, kind
    return (texts("feed_end", state=state, reason=reason) if reason else state), kind
