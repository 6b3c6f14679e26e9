"""From a look at a run to what the page shows of it: only what changed since it was drawn last."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime

import gradio as gr

from leadline.domain.claims import ClaimCheck
from leadline.domain.evidence import Snapshot
from leadline.domain.run import RunStatus
from leadline.errors import RunFolderDamaged
from leadline.reports.portable import without_claims_table
from leadline.reports.render import draft_html, report_html
from leadline.web.claim_rows import basis_of, rows_of
from leadline.web.commands import Commands
from leadline.web.live import LiveRuns, Look
from leadline.web.position import Position
from leadline.web.resuming import Offer, offer_of, resume_view
from leadline.web.spoken import Updates
from leadline.web.texts import Texts
from leadline.web.views import header as header_views
from leadline.web.views import report as report_views
from leadline.web.views.checking import checking, checking_sentence, counter_searches
from leadline.web.views.claims import claims_table, overview
from leadline.web.views.conflicts import conflicts_view, known_conflicts
from leadline.web.views.feed import feed
from leadline.web.views.library import library
from leadline.web.views.plan import plan_view
from leadline.web.views.progress import counters, sources, workers


class Drawing:
    """Draws the runs of one language's page."""

    def __init__(self, commands: Commands, live: LiveRuns, texts: Texts) -> None:
        self.commands = commands
        self.live = live
        self.texts = texts

    def draw(self, look: Look, position: Position, search: str) -> Updates:
        """What changed of a run since ``position``."""
        before, status = position.status, look.status
        views = self._views(look)
        report = self._report_mark(look)
        if report != position.report:
            position.report = report
            views["report"] = self._report(look)
        updates: Updates = dict(position.changed(views))
        offer = self.offer(look)
        if before != status.value or position.sent.get("offer") != _mark_of(offer):
            position.sent["offer"] = _mark_of(offer)
            updates.update(resume_view(offer, self.texts))
        if before != status.value:
            updates.update(self._buttons(look))
            updates.update(self._step(look, before))
            updates["library"] = self.library(search, position.run)
            updates["timer"] = gr.Timer(active=True)  # a tick that finds nothing new ends it
        if not before:
            updates["ask"] = gr.Column(visible=False)
            updates["run"] = gr.Column(visible=True)
        position.mark, position.status = look.mark, status.value
        updates["position"] = position.model_dump_json()
        updates["counters"] = self.counters(look)
        return updates

    def _views(self, look: Look) -> dict[str, str]:
        texts, run, view = self.texts, look.record.task_id, look.view
        return {
            "head": header_views.header(
                task_id=run,
                topic=look.record.topic,
                status=look.status,
                reason=view.reason,
                place=look.place,
                about=checking_sentence(view, look.record.config.verification, texts),
                texts=texts,
            ),
            "plan": plan_view(look.plan, view, texts),
            "run_plan": counter_searches(view, texts) + plan_view(look.plan, view, texts),
            "workers": checking(view, look.record.config.verification, texts)
            + workers(view, run, look.screens, texts),
            "sources": sources(view, run, texts),
            "feed": feed(look.entries, view, texts),
        }

    @staticmethod
    def _report_mark(look: Look) -> str:
        """Changes when the report tab does, so that the report is not rendered each second."""
        ready = look.view.report_ready
        is_draft = look.status is RunStatus.WRITING
        return "|".join(
            str(part)
            for part in (
                look.report_version,
                bool(ready and ready.partial),
                is_draft,
                look.status.is_final,
                len(look.view.claims),
                len(look.view.checks),
                len(look.view.conflicts),
                look.view.overall_score,
                sum(len(section.text) for section in look.view.draft.values()) if is_draft else 0,
            )
        )

    def _report(self, look: Look) -> str:
        run = look.record.task_id
        folder = self.live.folder(run)

        def snapshot(number: int) -> Snapshot | None:
            try:
                return folder.snapshot(number)
            except RunFolderDamaged:  # the report is still worth reading without this quote
                return None

        if look.status is RunStatus.WRITING and look.view.draft:
            draft = report_views.draft_markdown(look.view)
            return report_views.draft_view(draft_html(draft), self.texts)
        text = folder.report() if look.report_version else None
        ready = look.view.report_ready
        claims, checks = self._claims(look)
        if text and claims.table:
            text = without_claims_table(text)
        body = report_html(text or "", run, snapshot, checks=checks, language=self.texts.language)
        return report_views.report_view(
            body if text else "",
            task_id=run,
            partial=bool(ready and ready.partial),
            status=look.status,
            texts=self.texts,
            claims=claims,
        )

    def _claims(self, look: Look) -> tuple[report_views.ClaimsShown, dict[str, ClaimCheck]]:
        """What stands around the report, and the checks that its citations tell of."""
        basis = basis_of(look.view)
        if basis is None:
            return report_views.ClaimsShown(), {}
        texts, run = self.texts, look.record.task_id
        rows = rows_of(look.view, basis, texts)
        by_id = {row.claim.id: row for row in rows}
        conflicts = known_conflicts(basis.conflicts, by_id)
        shown = report_views.ClaimsShown(
            overview=overview(rows, look.view.overall_score, len(conflicts), texts),
            conflicts=conflicts_view(conflicts, by_id, run, texts),
            table=claims_table(rows, run, texts),
        )
        checks = {
            key: check.model_copy(update={"reason": by_id[key].why})
            for key, check in basis.checks.items()
            if key in by_id
        }
        return shown, checks

    def counters(self, look: Look) -> str:
        """What was used up to now."""
        config = look.record.config
        return counters(look.view, look.plan, config, look.seconds(), self.texts)

    def library(self, search: str, run: str) -> str:
        """The list of runs, ``run`` being the open one."""
        return library(
            self.commands.store.history(),
            search=search or "",
            open_run=run,
            now=datetime.now(UTC),
            texts=self.texts,
        )

    def offer(self, look: Look) -> Offer:
        """How the run may go on, and what it lacks for that."""
        return offer_of(look, has_key=self.commands.has_key(look.record))

    def _buttons(self, look: Look) -> Updates:
        status = look.status
        stopping = status is RunStatus.STOPPING
        has_plan = look.plan is not None
        return {
            "stop": gr.Button(
                self.texts("stopping" if stopping else "stop"),
                visible=status.is_active,
                interactive=not stopping,
            ),
            "start_plan": gr.Button(visible=status is RunStatus.PLANNED),
            "again": gr.Button(visible=has_plan and status.is_final),
            "new_here": gr.Button(visible=status.is_final),
            "edit": gr.Button(visible=has_plan and status is not RunStatus.STOPPING),
        }

    def _step(self, look: Look, before: str) -> Updates:
        """The step that the state belongs to; chosen when the state changes, never else."""
        status = look.status
        if status is RunStatus.PLANNED:
            return {"tabs": gr.Tabs(selected="plan")}
        if status.is_active:
            was_active = bool(before) and RunStatus(before).is_active
            return {} if was_active else {"tabs": gr.Tabs(selected="run")}
        has_report = bool(look.report_version)
        return {"tabs": gr.Tabs(selected="report" if has_report else "run")}


def _mark_of(offer: Offer) -> int:
    return zlib.crc32(repr(offer).encode())
