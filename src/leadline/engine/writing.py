"""The ``write`` node: sections from findings, checked in code, composed into ``report.md``.

The model sees the findings of one section and nothing else. Its draft is streamed into the log;
what ends up in the report is what ``reports.citations`` lets stand. A section whose model fails
falls back to its findings, so a report is never lost to a late error.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable

from leadline.domain.events import FindingRecorded, ReportDelta, ReportReady
from leadline.domain.evidence import Finding
from leadline.domain.plan import Plan
from leadline.domain.projection import RunView
from leadline.domain.run import RunStatus
from leadline.domain.text import detect_language
from leadline.engine.context import RunContext
from leadline.errors import LimitReached, ModelError
from leadline.models.requests import FindingView, SectionRequest
from leadline.reports.citations import CheckedText, check_section
from leadline.reports.compose import Report, SectionText, compose_report
from leadline.reports.outline import SectionPlan, outline
from leadline.reports.texts import texts_for
from leadline.runs.session import RunSession

PARALLEL_SECTIONS = 4
DELTA_SECONDS = 0.5
"""How often a section's new text goes into the log: it grows readably, not a line a token."""
SECTION_WORDS = 350
SUMMARY_WORDS = 150
SUMMARY_FINDINGS = 12


async def write_report(context: RunContext) -> bool:
    """Write the report of a finished run; False when nothing could be cited."""
    context.session.set_status(RunStatus.WRITING)
    language = context.language
    findings = tuple(context.session.view.findings.values())
    plans = outline(context.plan, findings, context.session.view, language=language)
    gate = asyncio.Semaphore(PARALLEL_SECTIONS)
    jobs = [_write_text(context, gate, n, plan) for n, plan in enumerate(plans, start=1)]
    if plans:
        jobs.append(_write_text(context, gate, 0, _summary_plan(context, plans), kind="summary"))
    texts = await asyncio.gather(*jobs)
    sections = [SectionText(plan, text) for plan, text in zip(plans, texts, strict=False)]
    report = compose_report(
        context.topic,
        sections,
        context.session.view,
        language=language,
        summary=texts[-1] if plans else None,
        model=context.model_for("writer").name,
        status=RunStatus.DONE if plans else RunStatus.EMPTY,
    )
    _save(context.session, report, partial=False)
    return report.resolved > 0


def write_partial_report(session: RunSession, status: RunStatus, reason: str) -> None:
    """Write a report of what a stopped or failed run found, by code alone.

    A full report of an earlier session is kept when nothing was found since: a session that was
    stopped early must not replace a good report by a lesser one.
    """
    if _has_full_report(session):
        return
    view = session.view
    record = session.run_record
    language = record.config.report_language or detect_language(record.topic)
    plans = outline(view.plan or Plan(), tuple(view.findings.values()), view, language=language)
    report = compose_report(
        record.topic,
        [SectionText(plan, CheckedText()) for plan in plans],
        view,
        language=language,
        partial=True,
        status=status,
        model=view.model,
        reason=reason,
    )
    _save(session, report, partial=True)


async def _write_text(
    context: RunContext,
    gate: asyncio.Semaphore,
    number: int,
    plan: SectionPlan,
    *,
    kind: str = "section",
) -> CheckedText:
    """One section (or the summary, number 0), streamed into the log and checked."""
    request = SectionRequest.model_validate(
        {
            "topic": context.topic,
            "language": context.language,
            "heading": plan.heading,
            "findings": _views(plan.findings, context.session.view),
            "kind": kind,
            "words": SUMMARY_WORDS if kind == "summary" else SECTION_WORDS,
        }
    )
    draft = _Draft(context, number, plan.heading)
    async with gate:
        try:
            context.budget.check()
            async for piece in context.model_for(request.role).write(request):
                draft.add(piece)
        except (ModelError, LimitReached) as error:
            context.notice(
                f"“{plan.heading}” could not be written, so its findings are listed: {error}",
                warning=True,
            )
            return CheckedText()
        finally:
            draft.flush()
    return check_section(draft.text, plan.findings, context.session.view.sources)


class _Draft:
    """Collects a streamed text and logs it in pieces."""

    def __init__(self, context: RunContext, section: int, heading: str) -> None:
        self._session = context.session
        self._section = section
        self._heading = heading
        self._pending = ""
        self._flushed = time.monotonic()
        self.text = ""

    def add(self, piece: str) -> None:
        self.text += piece
        self._pending += piece
        if time.monotonic() - self._flushed >= DELTA_SECONDS:
            self.flush()

    def flush(self) -> None:
        if self._pending:
            self._session.emit(
                ReportDelta(section=self._section, heading=self._heading, text=self._pending)
            )
        self._pending = ""
        self._flushed = time.monotonic()


def _summary_plan(context: RunContext, plans: list[SectionPlan]) -> SectionPlan:
    """The findings a summary is written from: the first ones of each section in turn."""
    longest = max(len(plan.findings) for plan in plans)
    turns: Iterable[Finding] = (
        plan.findings[turn]
        for turn in range(longest)
        for plan in plans
        if turn < len(plan.findings)
    )
    chosen = tuple(finding for finding, _ in zip(turns, range(SUMMARY_FINDINGS), strict=False))
    return SectionPlan(heading=texts_for(context.language).in_short, task_ids=(), findings=chosen)


def _has_full_report(session: RunSession) -> bool:
    """Whether the newest full report holds everything that was found."""
    if session.view.report_ready is None:
        return False
    full = False
    for entry in session.folder.read_events()[0]:
        if isinstance(entry.event, ReportReady):
            full = not entry.event.partial
        elif isinstance(entry.event, FindingRecorded):
            full = False
    return full


def _views(findings: Iterable[Finding], view: RunView) -> tuple[FindingView, ...]:
    result: list[FindingView] = []
    for finding in findings:
        source = view.sources[finding.passages[0].source]
        result.append(
            FindingView(
                id=finding.id,
                claim=finding.claim,
                quotes=finding.quotes,
                site=source.site,
                title=source.title,
                date=source.date,
            )
        )
    return tuple(result)


def _save(session: RunSession, report: Report, *, partial: bool) -> None:
    session.write_report(
        report.markdown,
        citations=report.citations,
        resolved=report.resolved,
        sources=report.sources,
        partial=partial,
    )
