"""The ``write`` node: sections from claims, checked in code, composed into ``report.md``.

The model sees the claims of one section and nothing else. Its draft is streamed into the log; what
ends up in the report is what ``reports.citations`` lets stand. The best draft is kept: a second try
never replaces a better first one, a section without a usable text lists its claims, and a session
whose writer gave nothing leaves a full report as it is.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from leadline.domain.claims import Claim, ClaimState, Conflict, ConflictKind
from leadline.domain.config import ReportTemplate
from leadline.domain.events import ClaimChecked, FindingRecorded, ReportDelta, ReportReady
from leadline.domain.plan import Plan
from leadline.domain.projection import RunView
from leadline.domain.run import RunStatus
from leadline.domain.text import detect_language
from leadline.engine.context import RunContext
from leadline.errors import LimitReached, ModelError
from leadline.models.requests import ClaimView, SectionRequest, TaskOutcome
from leadline.reports.basis import Basis
from leadline.reports.citations import CheckedText, check_section
from leadline.reports.compose import Made, Report, SectionText, compose_report
from leadline.reports.outline import SectionPlan, outline
from leadline.reports.templates import Template, load_template
from leadline.runs.session import RunSession

PARALLEL_SECTIONS = 4
DELTA_SECONDS = 0.5
"""How often a section's new text goes into the log: it grows readably, not a line a token."""
TRIES = 2
"""How often a section is asked for whose text does not stand. Failed calls are not counted: the
model has tried those again by itself."""
MAX_TASKS_SHOWN = 30


async def write_report(context: RunContext) -> bool:
    """Write the report of a finished run; False when nothing could be cited."""
    session = context.session
    session.set_status(RunStatus.WRITING)
    basis = Basis.of(session.view)
    template, plans = _outline(session, basis, context.plan, context.language)
    gate = asyncio.Semaphore(PARALLEL_SECTIONS)
    writer = _Writer(context, basis, template, gate)
    texts = await asyncio.gather(*(writer.section(n, plan) for n, plan in enumerate(plans)))
    sections = [SectionText(plan, text) for plan, text in zip(plans, texts, strict=True)]
    if writer.failed and all(text.is_empty for text in texts) and _has_full_report(session):
        context.notice("Nothing could be written anew, so the earlier report is kept.")
        return True
    made = Made(model=context.model_for("writer").name)
    report = compose_report(
        context.topic,
        sections,
        session.view,
        basis,
        template,
        language=context.language,
        made=made,
    )
    _save(session, report, template, partial=False)
    return report.resolved > 0 and any(plan.claims for plan in plans)


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
    basis = Basis.of(view)
    template, plans = _outline(session, basis, view.plan or Plan(), language)
    report = compose_report(
        record.topic,
        [SectionText(plan) for plan in plans],
        view,
        basis,
        template,
        language=language,
        made=Made(model=view.model, partial=True, status=status, reason=reason),
    )
    _save(session, report, template, partial=True)


def _outline(
    session: RunSession, basis: Basis, plan: Plan, language: str
) -> tuple[Template, list[SectionPlan]]:
    config = session.config
    template = load_template(config.report_template.value)
    plans = outline(
        template, plan, basis, session.view, language=language, length=config.report_length
    )
    return template, plans


class _Writer:
    """Asks the model for each section and keeps the best of what stands."""

    def __init__(
        self, context: RunContext, basis: Basis, template: Template, gate: asyncio.Semaphore
    ) -> None:
        self._context = context
        self._basis = basis
        self._template = template
        self._gate = gate
        self.failed = False
        """Whether the model failed in one of the sections."""

    async def section(self, number: int, plan: SectionPlan) -> CheckedText:
        """One section, streamed into the log and checked; empty when nothing of it stands."""
        best = CheckedText()
        if not plan.asks_model:
            return best
        request = self._request(plan)
        sources = self._context.session.view.sources
        draft = _Draft(self._context, number, plan.heading or self._context.topic)
        async with self._gate:
            for _ in range(TRIES):
                whole = await self._written(request, plan, draft)
                text = draft.taken()
                checked = check_section(text, plan.claims, sources)
                best = max((best, checked), key=lambda kept: len(kept.cited))
                if not whole or not text.strip() or not best.is_empty:
                    break
        return best

    async def _written(self, request: SectionRequest, plan: SectionPlan, draft: _Draft) -> bool:
        """Stream one answer into the draft; False when it broke off."""
        try:
            self._context.budget.check()
            async for piece in self._context.model_for(request.role).write(request):
                draft.add(piece)
        except (ModelError, LimitReached) as error:
            self.failed = True
            self._context.notice(
                f"“{plan.heading or self._context.topic}” could not be written to its end, so "
                f"what stands of it is used, or its claims are listed: {error}",
                warning=True,
            )
            return False
        finally:
            draft.flush()
        return True

    def _request(self, plan: SectionPlan) -> SectionRequest:
        view = self._context.session.view
        return SectionRequest(
            topic=self._context.topic,
            language=self._context.language,
            heading=plan.heading,
            claims=tuple(claim_view(claim, self._basis, view) for claim in plan.claims),
            conflicts=_conflicts(plan.claims, self._basis),
            tasks=_tasks(plan, view),
            instruction=plan.spec.instruction,
            style=self._template.style,
            words=plan.words,
            most=plan.enough,
            judged=plan.spec.judged,
        )


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

    def taken(self) -> str:
        """What was written since the last call."""
        text, self.text = self.text, ""
        return text

    def flush(self) -> None:
        if self._pending:
            self._session.emit(
                ReportDelta(section=self._section, heading=self._heading, text=self._pending)
            )
        self._pending = ""
        self._flushed = time.monotonic()


def claim_view(claim: Claim, basis: Basis, view: RunView) -> ClaimView:
    """A claim as its writer sees it."""
    source = next((s for n in claim.sources if (s := view.sources.get(n))), None)
    check = basis.checks.get(claim.id)
    state = basis.state(claim.id)
    return ClaimView(
        id=claim.id,
        claim=claim.text,
        quotes=claim.quotes,
        site=source.site if source else "",
        title=source.title if source else "",
        date=claim.date or (source.date if source else ""),
        state="" if state is ClaimState.SUPPORTED else state.value,
        why=check.reason if check else "",
        against=check.against if check else (),
        superseded_by=basis.superseded_by(claim.id),
        source=source.id if source else 0,
    )


def _conflicts(claims: Sequence[Claim], basis: Basis) -> tuple[str, ...]:
    """What is at odds among the claims of a section, in words that name their ids."""
    known = {claim.id for claim in claims}
    return tuple(_conflict(c) for c in basis.conflicts if known.issuperset(c.claims))


def _conflict(conflict: Conflict) -> str:
    one, other = conflict.claims
    about = f" on {conflict.about}" if conflict.about else ""
    if conflict.kind is ConflictKind.SUPERSEDED:
        return f"{other} is newer and replaces {one}{about}. {conflict.reason}"
    if conflict.settled_for:
        return f"{one} and {other} disagree{about}; {conflict.settled_for} is right: " + (
            conflict.settled_by or conflict.reason
        )
    return f"{one} and {other} disagree{about}, and nothing settles it. {conflict.reason}"


def _tasks(plan: SectionPlan, view: RunView) -> tuple[TaskOutcome, ...]:
    """The plan's tasks with their marks, as far as they belong to a section."""
    wanted = set(plan.task_ids)
    tasks = [task for task in (view.plan or Plan()).tasks() if task.id in wanted]
    return tuple(
        TaskOutcome(
            text=task.text,
            state=task.state,
            reason=view.tasks[task.id].reason if task.id in view.tasks else "",
        )
        for task in tasks[:MAX_TASKS_SHOWN]
    )


def _has_full_report(session: RunSession) -> bool:
    """Whether the newest full report holds everything that was found and checked."""
    if session.view.report_ready is None:
        return False
    full = False
    for entry in session.folder.read_events()[0]:
        if isinstance(entry.event, ReportReady):
            full = not entry.event.partial
        elif isinstance(entry.event, FindingRecorded | ClaimChecked):
            full = False
    return full


def _save(session: RunSession, report: Report, template: Template, *, partial: bool) -> None:
    session.write_report(
        report.markdown,
        citations=report.citations,
        resolved=report.resolved,
        sources=report.sources,
        partial=partial,
        template=ReportTemplate(template.name),
        sentences=report.sentences,
    )
