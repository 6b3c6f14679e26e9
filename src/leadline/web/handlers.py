"""What happens on a click, a key or a tick: read the folder, act, say what changed.

Each handler is short and returns ``{component name: value or update}``; what is not named stays
as it is. Invariants: nothing lives here between two calls, and no handler but the editor's own
ever writes into the plan editor.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import gradio as gr

from leadline.domain.config import ModelConfig, Provider
from leadline.domain.evidence import Snapshot
from leadline.domain.limits import Depth
from leadline.domain.run import RunStatus
from leadline.errors import RunBusy, RunFolderDamaged, UnknownRun, UserError
from leadline.reports.render import draft_html, report_html
from leadline.web.commands import Commands
from leadline.web.form import GROUPS, AskForm, read_form
from leadline.web.live import LiveRuns, Look
from leadline.web.plan_editor import Editing, PlanEditor, closed
from leadline.web.position import Position
from leadline.web.samples import sample_questions
from leadline.web.spoken import Updates, spoken
from leadline.web.texts import Texts
from leadline.web.views import ask as ask_views
from leadline.web.views import header as header_views
from leadline.web.views import report as report_views
from leadline.web.views.feed import feed
from leadline.web.views.html import message
from leadline.web.views.library import RESUMABLE, library
from leadline.web.views.plan import plan_view
from leadline.web.views.progress import counters, sources, workers


class Handlers:
    """The handlers of one language's page."""

    def __init__(self, commands: Commands, live: LiveRuns, texts: Texts) -> None:
        self.commands = commands
        self.live = live
        self.texts = texts
        self.editor = PlanEditor(commands, live, texts)

    # Looking

    @spoken
    def load(self, run: str, search: str) -> Updates:
        """The page was opened, perhaps with ``?run=``."""
        return self.show(run.strip(), search)

    @spoken
    def tick(self, run: str, position_text: str, search: str) -> Updates:
        """A second went by.

        An answer that comes after the page went elsewhere may leave a position of another run;
        that is seen here, and everything is drawn anew.
        """
        position = Position.read(position_text)
        if position.run != run:
            return self.show(run, search) if not run else self._tick_anew(run, search)
        if not run:
            return {"timer": gr.Timer(active=False)}
        try:
            look = self.live.look(run)
        except UnknownRun as error:  # deleted meanwhile
            return self.show("", search, message(str(error), "error"))
        if look.mark != position.mark:
            return self._draw(look, position, search)
        if look.status.is_active:
            return {"counters": self._counters(look)}
        if look.status is RunStatus.PLANNED:  # its plan may be edited in the folder
            return {}
        return {"timer": gr.Timer(active=False)}

    def _tick_anew(self, run: str, search: str) -> Updates:
        return self._draw(self.live.look(run), Position(run=run), search)

    @spoken
    def search(self, search: str, run: str) -> Updates:
        """The list of runs was filtered."""
        return {"library": self._library(search, run)}

    def show(self, run: str, search: str, notice: str = "") -> Updates:
        """Everything of a run, or the Ask page when ``run`` is empty or unknown."""
        if run:
            try:
                look = self.live.look(run)
            except UserError as error:
                run, notice = "", message(str(error), "error")
            else:
                return {
                    **self._draw(look, Position(run=run), search),
                    "open_run": run,
                    "notice": notice,
                    **closed(),
                }
        return {
            "open_run": "",
            "position": Position().model_dump_json(),
            "ask": gr.Column(visible=True),
            "run": gr.Column(visible=False),
            "head": header_views.no_run(self.texts),
            "timer": gr.Timer(active=True),
            "library": self._library(search, ""),
            "notice": notice,
            **closed(),
        }

    # Acting

    @spoken
    def start(self, search: str, *fields: Any) -> Updates:
        """Start research from the Ask page, or say what is missing at its field."""
        form = AskForm(*fields)
        settings = self.commands.settings
        reading = read_form(
            form,
            self.texts,
            build=settings.run_config,
            has_key=lambda model: settings.api_key(model) is not None,
            path_exists=_exists,
        )
        errors: Updates = {
            f"error_{group}": ask_views.field_error(reading.errors.get(group, ""))
            for group in GROUPS
        }
        if reading.config is None:
            if set(reading.errors) - {"question"}:
                errors["advanced"] = gr.Accordion(open=True)
            return {**errors, "notice": ""}
        run = self.commands.start(
            reading.topic, reading.config, plan=reading.plan, key=form.api_key.strip()
        )
        return {**errors, **self.show(run, search), "question": "", "own_plan": ""}

    @spoken
    def stop(self, run: str, search: str) -> Updates:
        """Stop the open run."""
        self.commands.stop(run)
        stopping = gr.Button(self.texts("stopping"), interactive=False)
        return {**self._draw(self.live.look(run), Position(run=run), search), "stop": stopping}

    @spoken
    def start_plan(self, run: str, search: str, text: str, editing: str) -> Updates:
        """Start the run that halts after its plan; an edit that is not saved is saved first."""
        opened = Editing.read(editing)
        if opened.version and text != opened.base:
            saved = self.editor.keep(run, text, opened)
            if "saved" not in saved:
                return saved
        return self._go_on(run, search)

    @spoken
    def resume(self, run: str, search: str) -> Updates:
        """Go on with the open run."""
        return self._go_on(run, search)

    def _go_on(self, run: str, search: str) -> Updates:
        try:
            self.commands.resume(run)
        except RunBusy as error:  # another tab was faster; the page shows what became of it
            return self.show(run, search, message(str(error), "warning"))
        return self.show(run, search)

    @spoken
    def again(self, run: str, search: str) -> Updates:
        """Run the plan of the open run again, as a new run."""
        return self.show(self.commands.again(run), search)

    @spoken
    def new(self, search: str) -> Updates:
        """Back to the Ask page."""
        return self.show("", search)

    @spoken
    def act(self, action: str, run: str, here: str, search: str) -> Updates:
        """A button of the list of runs, or a link to a run."""
        if action == "open":
            return self.show(run, search)
        if action == "resume":
            return self._go_on(run, search)
        if action == "again":
            return self.show(self.commands.again(run), search)
        if action == "delete":
            try:
                self.commands.delete(run)
            except UnknownRun:  # another tab was faster
                self.live.forget(run)
            notice = message(self.texts("deleted"))
            if run == here or not here:
                return self.show("", search, notice)
            return {"library": self._library(search, here), "notice": notice}
        return {}

    # The Ask page's own small reactions

    @spoken
    def say_what_answers(self, provider: str, name: str, source: str) -> Updates:
        """Model or source was chosen: the banner says what will answer, fields follow."""
        try:
            chosen = Provider(provider)
        except ValueError:
            chosen = Provider.OFFLINE
        model = ModelConfig(provider=chosen, name=name.strip())
        return {
            "banner": ask_views.banner(model, source, self.texts),
            "samples": ask_views.samples(
                sample_questions(source, self.texts), demo=source == "demo", texts=self.texts
            ),
            "model_fields": gr.Column(visible=chosen is not Provider.OFFLINE),
            "web_fields": gr.Column(visible=source != "demo"),
        }

    @spoken
    def choose_depth(self, depth: str) -> Updates:
        """A preset brings its number of browsers along."""
        try:
            config = self.commands.settings.run_config(check_model=False, depth=Depth(depth))
        except ValueError:
            return {}
        return {"browsers": config.limits.max_parallel_browsers}

    # Drawing

    def _draw(self, look: Look, position: Position, search: str) -> Updates:
        """What changed of a run since ``position``."""
        before, status = position.status, look.status
        views = self._views(look)
        report = self._report_mark(look)
        if report != position.report:
            position.report = report
            views["report"] = self._report(look)
        updates: Updates = dict(position.changed(views))
        if before != status.value:
            updates.update(self._buttons(look))
            updates.update(self._step(look, before))
            updates["library"] = self._library(search, position.run)
            updates["timer"] = gr.Timer(active=True)  # a tick that finds nothing new ends it
        if not before:
            updates["ask"] = gr.Column(visible=False)
            updates["run"] = gr.Column(visible=True)
        position.mark, position.status = look.mark, status.value
        updates["position"] = position.model_dump_json()
        updates["counters"] = self._counters(look)
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
                texts=texts,
            ),
            "plan": plan_view(look.plan, view, texts),
            "run_plan": plan_view(look.plan, view, texts),
            "workers": workers(view, run, look.screens, texts),
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
        return report_views.report_view(
            report_html(text, run, snapshot) if text else "",
            task_id=run,
            partial=bool(ready and ready.partial),
            status=look.status,
            texts=self.texts,
        )

    def _counters(self, look: Look) -> str:
        config = look.record.config
        return counters(look.view, look.plan, config, look.seconds(), self.texts)

    def _library(self, search: str, run: str) -> str:
        return library(
            self.commands.store.history(),
            search=search or "",
            open_run=run,
            now=datetime.now(UTC),
            texts=self.texts,
        )

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
            "resume": gr.Button(visible=status in RESUMABLE),
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


def _exists(path: str, kind: str) -> bool:
    try:
        where = Path(path).expanduser()
        return where.is_dir() if kind == "folder" else where.is_file()
    except (OSError, ValueError, RuntimeError):
        return False
