"""The report tab: downloads, what kind of report it is, the rendered text. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadline.domain.projection import RunView
from leadline.domain.run import RunStatus
from leadline.web.texts import Texts
from leadline.web.views.html import esc, message


@dataclass(frozen=True)
class ClaimsShown:
    """What stands around the report, as safe HTML; all empty for a run without claims."""

    overview: str = ""
    conflicts: str = ""
    table: str = ""


def report_view(
    body: str,
    *,
    task_id: str,
    partial: bool,
    status: RunStatus,
    texts: Texts,
    claims: ClaimsShown = ClaimsShown(),
) -> str:
    """``body`` is the safe HTML of the report (``reports.render``); empty: there is none yet."""
    around = f"{claims.conflicts}{claims.table}"
    if not body:
        key = "report_none_final" if status.is_final else "report_none"
        none = f'<p class="ll-empty">{esc(texts(key))}</p>'
        if not status.is_final:
            return none
        return f"{none}{downloads(task_id, _FILES_OF_ANY, texts)}{claims.overview}{around}"
    note = message(texts("report_partial"), "warning") if partial else ""
    # A bundle is of a run that has ended: one at work may still change.
    files = _FILES if status.is_final else tuple(f for f in _FILES if f not in _OF_THE_END)
    return (
        f"{downloads(task_id, files, texts)}{note}{claims.overview}"
        f'<article class="ll-report" dir="auto" data-ll-report="{esc(task_id)}">{body}</article>'
        f"{around}"
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


_OF_THE_END = (("bundle.zip", "download_bundle"),)
_FILES_OF_ANY = (("evidence.json", "download_evidence"), ("audit.jsonl", "download_log"))
_FILES = (
    ("report.md", "download_md"),
    ("report.html", "download_html"),
    *_OF_THE_END,
    *_FILES_OF_ANY,
)


def downloads(task_id: str, files: Sequence[tuple[str, str]], texts: Texts) -> str:
    """Links to the run's files, served by id; what goes wrong with one is said beside them."""
    base = f"/runs/{esc(task_id)}"
    items = "".join(
        f'<a class="ll-button" href="{base}/{name}" data-ll-download download>{esc(texts(key))}</a>'
        for name, key in files
    )
    copy = (
        f'<button type="button" class="ll-button" data-ll-copy="{base}/report.md" '
        f'data-ll-copied="{esc(texts("copied"))}">{esc(texts("copy_report"))}</button>'
        if any(name == "report.md" for name, _ in files)
        else ""
    )
    return (
        f'<div class="ll-downloads"><span>{esc(texts("downloads"))}</span>{items}{copy}'
        f'<p class="ll-field-error" role="alert" data-ll-download-error></p></div>'
    )
