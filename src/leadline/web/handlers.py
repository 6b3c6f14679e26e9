"""What happens on a click, a key or a tick: read the folder, act, say what changed.

Each handler is short and returns ``{component name: value or update}``; what is not named stays
as it is. Invariants: nothing lives here between two calls, and no handler but the editor's own
ever writes into the plan editor.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr

from leadline.domain.config import ModelConfig, Provider
from leadline.domain.limits import Depth
from leadline.domain.run import RunStatus
from leadline.errors import InvalidSetting, RunBusy, UnknownRun, UserError
from leadline.web.commands import Commands
from leadline.web.drawing import Drawing
from leadline.web.form import GROUPS, AskForm, read_form
from leadline.web.live import LiveRuns
from leadline.web.plan_editor import Editing, PlanEditor, closed
from leadline.web.position import Position
from leadline.web.resuming import Said, read_answer, resume_error
from leadline.web.run_sentences import in_words
from leadline.web.samples import sample_questions
from leadline.web.spoken import Updates, spoken
from leadline.web.texts import Texts
from leadline.web.views import ask as ask_views
from leadline.web.views import header as header_views
from leadline.web.views.html import message


class Handlers:
    """The handlers of one language's page."""

    def __init__(self, commands: Commands, live: LiveRuns, texts: Texts) -> None:
        self.commands = commands
        self.live = live
        self.texts = texts
        self.editor = PlanEditor(commands, live, texts)
        self.drawing = Drawing(commands, live, texts)

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
            return self.show("", search, message(in_words(str(error), self.texts), "error"))
        if look.mark != position.mark:
            return self.drawing.draw(look, position, search)
        if look.status.is_active:
            return {"counters": self.drawing.counters(look)}
        if look.status is RunStatus.PLANNED:  # its plan may be edited in the folder
            return {}
        return {"timer": gr.Timer(active=False)}

    def _tick_anew(self, run: str, search: str) -> Updates:
        return self.drawing.draw(self.live.look(run), Position(run=run), search)

    @spoken
    def search(self, search: str, run: str) -> Updates:
        """The list of runs was filtered."""
        return {"library": self.drawing.library(search, run)}

    def show(self, run: str, search: str, notice: str = "") -> Updates:
        """Everything of a run, or the Ask page when ``run`` is empty or unknown."""
        if run:
            try:
                look = self.live.look(run)
            except UserError as error:
                run, notice = "", message(in_words(str(error), self.texts), "error")
            else:
                return {
                    **self.drawing.draw(look, Position(run=run), search),
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
            "library": self.drawing.library(search, ""),
            "notice": notice,
            "resume_key": "",
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
        # To review the plan first was meant for this question; the next one starts as set.
        plan_first = settings.run_config(check_model=False).plan_first
        emptied: Updates = {"question": "", "own_plan": "", "plan_first": plan_first}
        return {**errors, **self.show(run, search), **emptied}

    @spoken
    def stop(self, run: str, search: str) -> Updates:
        """Stop the open run."""
        self.commands.stop(run)
        stopping = gr.Button(self.texts("stopping"), interactive=False)
        return {
            **self.drawing.draw(self.live.look(run), Position(run=run), search),
            "stop": stopping,
        }

    @spoken
    def start_plan(self, run: str, search: str, text: str, editing: str, *fields: str) -> Updates:
        """Start the run that halts after its plan; an edit that is not saved is saved first."""
        opened = Editing.read(editing)
        saved: Updates = {}
        if opened.version and text != opened.base:
            saved = self.editor.keep(run, text, opened)
            if "saved" not in saved:
                return saved
        went_on = self._go_on(run, search, Said(*fields))
        return {**went_on, "saved_mark": saved["saved_mark"]} if saved else went_on

    @spoken
    def resume(self, run: str, search: str, *fields: str) -> Updates:
        """Go on with the open run, with what was said beside the button."""
        return self._go_on(run, search, Said(*fields))

    @spoken
    def retry(self, run: str, search: str, *fields: str) -> Updates:
        """Go on with the open run and try its failed tasks again."""
        return self._go_on(run, search, Said(*fields), retry_failed=True)

    def _go_on(self, run: str, search: str, said: Said, *, retry_failed: bool = False) -> Updates:
        offer = self.drawing.offer(self.live.look(run))
        try:
            answer = read_answer(said, offer, self.texts)
        except InvalidSetting as error:
            return resume_error(error)
        try:
            self.commands.resume(
                run, limits=answer.limits, key=answer.key, retry_failed=retry_failed
            )
        except RunBusy as error:  # another tab was faster; the page shows what became of it
            if self.commands.just_went_on(run):
                return self.show(run, search)
            return self.show(run, search, message(in_words(str(error), self.texts), "warning"))
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
            if self.drawing.offer(self.live.look(run)).asks:  # beside the button there
                return self.show(run, search)
            return self._go_on(run, search, Said())
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
            return {"library": self.drawing.library(search, here), "notice": notice}
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


def _exists(path: str, kind: str) -> bool:
    try:
        where = Path(path).expanduser()
        return where.is_dir() if kind == "folder" else where.is_file()
    except (OSError, ValueError, RuntimeError):
        return False
