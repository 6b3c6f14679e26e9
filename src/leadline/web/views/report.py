"""The report tab: downloads, what kind of report it is, the rendered text. Pure."""

from __future__ import annotations

from leadline.domain.projection import RunView
from leadline.domain.run import RunStatus
from leadline.web.texts import Texts
from leadline.web.views.html import esc, message


def report_view(body: str, *, task_id: str, partial: bool, status: RunStatus, texts: Texts) -> str:
    """``body`` is the safe HTML of the report (``reports.render``); empty: there is none yet."""
    if not body:
        key = "report_none_final" if status.is_final else "report_none"
        return f'<p class="ll-empty">{esc(texts(key))}</p>'
    note = message(texts("report_partial"), "warning") if partial else ""
    return (
        f"{downloads(task_id, texts)}{note}"
        f'<article class="ll-report" dir="auto" data-ll-report="{esc(task_id)}">{body}</article>'
    )


def draft_view(body: str, texts: Texts) -> str:
    """The report while it is being written."""
    note = message(texts("report_draft"))
    return f'{note}<article class="ll-report ll-draft" dir="auto">{body}</article>'


def draft_markdown(view: RunView) -> str:
    """The sections that were written so far, in order."""
    return "\n\n".join(
        f"## {section.heading}\n\n{section.text}" for _, section in sorted(view.draft.items())
    )


def downloads(task_id: str, texts: Texts) -> str:
    """Links to the run's files, served by id."""
    base = f"/runs/{esc(task_id)}"
    links = (
        ("report.md", "download_md"),
        ("report.html", "download_html"),
        ("evidence.json", "download_evidence"),
        ("audit.jsonl", "download_log"),
    )
    items = "".join(
        f'<a class="ll-button" href="{base}/{name}" download>{esc(texts(key))}</a>'
        for name, key in links
    )
    copy = (
        f'<button type="button" class="ll-button" data-ll-copy="{base}/report.md" '
        f'data-ll-copied="{esc(texts("copied"))}">{esc(texts("copy_report"))}</button>'
    )
    return f'<div class="ll-downloads"><span>{esc(texts("downloads"))}</span>{items}{copy}</div>'
