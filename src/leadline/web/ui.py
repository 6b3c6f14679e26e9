"""The page: which component stands where, and which handler answers it.

``build_page`` is called once for each language. No research ever runs in a handler, every event
is unqueued and private, and the one timer rests while nothing can change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

import gradio as gr

from leadline.settings import Settings
from leadline.web.ask_fields import FORM_FIELDS, Components, ask_page, html
from leadline.web.commands import Commands
from leadline.web.handlers import Handlers
from leadline.web.live import LiveRuns
from leadline.web.resuming import RESUME_FIELDS, RESUME_OUTPUTS
from leadline.web.spoken import Updates
from leadline.web.texts import Texts
from leadline.web.views import frame as frame_views
from leadline.web.views.plan import draft_offer

ANSWERED_JS = "() => window.leadlineAnswered?.()"
"""The page's script frees the button that was clicked."""
SEND_JS = "window.leadlineSend = (detail) => trigger('click', detail);"
RUN_FROM_ADDRESS = (
    "(run, search) => [new URLSearchParams(window.location.search).get('run') || '', search]"
)


def build_page(
    settings: Settings,
    commands: Commands,
    live: LiveRuns,
    texts: Texts,
) -> gr.Blocks:
    """The page in one language."""
    config = settings.run_config(check_model=False)
    parts: Components = {}
    with gr.Blocks(title="Leadline", analytics_enabled=False, fill_width=True) as page:
        parts["position"] = gr.Textbox("", visible="hidden", elem_id="ll-position")
        parts["open_run"] = gr.Textbox("", visible="hidden", elem_id="ll-open-run")
        parts["timer"] = gr.Timer(1.0, active=False)
        parts["bus"] = html("", js_on_load=SEND_JS, elem_id="ll-bus")
        html(frame_views.words(texts))
        html(frame_views.skip_link(texts))
        _sidebar(parts, texts)
        with gr.Column(elem_id="ll-main"):
            parts["notice"] = html("", elem_id="ll-notice")
            parts["head"] = html("", elem_id="ll-head")
            with gr.Column(elem_id="ll-ask") as parts["ask"]:
                ask_page(parts, settings, config, texts)
            with gr.Column(elem_id="ll-run", visible=False) as parts["run"]:
                _run(parts, texts)
        _wire(page, parts, Handlers(commands, live, texts))
    page.queue(default_concurrency_limit=16, api_open=False)
    return cast(gr.Blocks, page)


def _sidebar(parts: Components, texts: Texts) -> None:
    with gr.Sidebar(width=300, elem_id="ll-side"):
        html(frame_views.brand(texts))
        parts["new"] = gr.Button(texts("new_research"), elem_id="ll-new", size="md")
        parts["search"] = gr.Textbox(
            "",
            label=texts("search_runs"),
            show_label=False,
            container=False,
            placeholder=texts("search_runs"),
            elem_id="ll-search",
        )
        parts["library"] = html("", elem_id="ll-library-box")
        html(frame_views.language_switch(texts))


def _resume_fields(parts: Components, texts: Texts) -> None:
    """What a run lacks before it can go on; each field is seen only when it is needed."""
    with gr.Column(visible=False, elem_id="ll-resume-box") as parts["resume_box"]:
        parts["resume_note"] = html("")
        with gr.Row():
            for name, label in (("minutes", "minutes"), ("tokens", "tokens"), ("cost_usd", "cost")):
                parts[f"raise_{name}"] = gr.Textbox(
                    "",
                    label=texts(label),
                    visible=False,
                    min_width=150,
                    elem_id=f"ll-raise-{name.replace('_', '-')}",
                )
            parts["resume_key"] = gr.Textbox(
                "",
                label=texts("api_key"),
                type="password",
                visible=False,
                min_width=220,
                elem_id="ll-resume-key",
            )
        parts["resume_error"] = html("")


def _run(parts: Components, texts: Texts) -> None:
    _resume_fields(parts, texts)
    with gr.Row(elem_id="ll-actions"):
        kinds: tuple[tuple[str, Literal["stop", "primary", "secondary"]], ...] = (
            ("stop", "stop"),
            ("start_plan", "primary"),
            ("resume", "primary"),
            ("retry", "secondary"),
            ("again", "secondary"),
        )
        for name, variant in kinds:
            key = {"again": "run_again", "retry": "retry_one"}.get(name, name)
            label = texts(key)
            parts[name] = gr.Button(
                label,
                variant=variant,
                visible=False,
                size="md",
                scale=0,
                min_width=90,
                elem_id=f"ll-{name.replace('_', '-')}",
            )
        parts["new_here"] = gr.Button(
            texts("new_research"), visible=False, size="md", scale=0, min_width=90
        )
    with gr.Tabs(elem_id="ll-steps", selected="plan") as parts["tabs"]:
        with gr.Tab(texts("step_plan"), id="plan"):
            parts["edit"] = gr.Button(
                texts("edit_plan"), visible=False, size="sm", elem_id="ll-edit", scale=0
            )
            html(draft_offer(texts))
            parts["saved_mark"] = html("")
            parts["plan"] = html("", elem_id="ll-plan")
            with gr.Column(visible=False, elem_id="ll-editor-box") as parts["editor_box"]:
                parts["editor_note"] = html("")
                parts["editor"] = gr.Textbox(
                    "",
                    label=texts("editor_label"),
                    info=texts("editor_info"),
                    lines=14,
                    max_lines=40,
                    elem_id="ll-editor",
                )
                parts["editing"] = gr.Textbox("", visible="hidden", elem_id="ll-editing")
                with gr.Row():
                    parts["save"] = gr.Button(
                        texts("save_plan"), variant="primary", size="md", scale=0, min_width=110
                    )
                    parts["close"] = gr.Button(
                        texts("close_editor"), size="md", scale=0, min_width=110
                    )
        with gr.Tab(texts("step_run"), id="run"):
            parts["counters"] = html("")
            with gr.Row(elem_id="ll-run-grid"):
                with gr.Column(scale=3, min_width=300):
                    parts["workers"] = html("")
                    parts["run_plan"] = html("")
                with gr.Column(scale=2, min_width=280):
                    parts["sources"] = html("")
                    parts["feed"] = html("")
        with gr.Tab(texts("step_report"), id="report"):
            parts["report"] = html("", elem_id="ll-report-box")


RUN_OUTPUTS = (
    "open_run", "position", "timer", "notice", "head", "ask", "run", "library", "tabs", "stop",
    "start_plan", "again", "new_here", "edit", "plan", "run_plan", "counters", "workers", "sources",
    "feed", "report", *RESUME_OUTPUTS,
)  # fmt: skip
EDITOR_OUTPUTS = ("editor_box", "editor", "editing", "editor_note", "saved_mark")
ERROR_OUTPUTS = (
    "error_question", "error_limits", "error_sources", "error_model", "error_browser",
    "error_plan", "advanced", "question", "own_plan", "plan_first",
)  # fmt: skip


def _wire(page: gr.Blocks, parts: Components, handlers: Handlers) -> None:
    everything = (*RUN_OUTPUTS, *EDITOR_OUTPUTS)

    def on(
        event: Callable[..., Any],
        handler: Callable[..., Updates],
        inputs: Sequence[str],
        outputs: Sequence[str],
        **options: Any,
    ) -> None:
        answered = event(
            _named(handler, parts, outputs[0]),
            inputs=[parts[name] for name in inputs],
            outputs=[parts[name] for name in outputs],
            queue=False,
            show_progress="hidden",
            api_visibility="private",
            **options,
        )
        if options.get("trigger_mode") == "once":
            answered.then(None, js=ANSWERED_JS, queue=False, api_visibility="private")

    def on_click(
        name: str, handler: Callable[..., Updates], inputs: Sequence[str], outputs: Sequence[str]
    ) -> None:
        """A click that changes runs: none is taken while one is being answered."""
        on(parts[name].click, handler, inputs, outputs, trigger_mode="once")

    on(page.load, handlers.load, ("open_run", "search"), everything, js=RUN_FROM_ADDRESS)
    # A tick closes the editor when its run is gone; else it writes nothing a person types into.
    on(parts["timer"].tick, handlers.tick, ("open_run", "position", "search"), everything)
    on_click(
        "start", handlers.start, ("search", *FORM_FIELDS), (*everything, *ERROR_OUTPUTS)
    )  # fmt: skip
    at_run = ("open_run", "search")
    on(parts["stop"].click, handlers.stop, at_run, RUN_OUTPUTS)
    on_click(
        "start_plan", handlers.start_plan, (*at_run, "editor", "editing", *RESUME_FIELDS),
        everything,
    )  # fmt: skip
    on_click("resume", handlers.resume, (*at_run, *RESUME_FIELDS), everything)
    on_click("retry", handlers.retry, (*at_run, *RESUME_FIELDS), everything)
    on_click("again", handlers.again, at_run, everything)
    on(parts["new"].click, handlers.new, ("search",), everything)
    on(parts["new_here"].click, handlers.new, ("search",), everything)
    on(parts["edit"].click, handlers.editor.open, ("open_run",), (*EDITOR_OUTPUTS, "notice"))
    on(
        parts["save"].click, handlers.editor.save, ("open_run", "editor", "editing"),
        (*EDITOR_OUTPUTS, "plan", "notice"),
    )  # fmt: skip
    on(parts["close"].click, handlers.editor.close, (), (*EDITOR_OUTPUTS, "notice"))
    # ``change``, since Gradio's ``input`` of a text box misses pasted and composed text.
    on(
        parts["search"].change, handlers.search, ("search", "open_run"), ("library", "notice"),
        trigger_mode="always_last",
    )  # fmt: skip
    for name in ("provider", "source"):
        on(
            parts[name].change, handlers.say_what_answers, ("provider", "model_name", "source"),
            ("banner", "samples", "model_fields", "web_fields", "notice"),
        )  # fmt: skip
    on(
        parts["model_name"].blur, handlers.say_what_answers, ("provider", "model_name", "source"),
        ("banner", "samples", "model_fields", "web_fields", "notice"),
    )  # fmt: skip
    on(parts["depth"].input, handlers.choose_depth, ("depth",), ("browsers", "notice"))
    _wire_bus(parts, handlers, everything)


def _wire_bus(parts: Components, handlers: Handlers, outputs: Sequence[str]) -> None:
    """Links and buttons that are drawn as HTML reach the handlers through one hidden element."""

    def act(event: gr.EventData, here: str, search: str) -> Components:
        action = str(getattr(event, "action", ""))[:20]
        run = str(getattr(event, "run", ""))[:200]
        return _by_component(handlers.act(action, run, here, search), parts, outputs[0])

    parts["bus"].click(
        act,
        inputs=[parts["open_run"], parts["search"]],
        outputs=[parts[name] for name in outputs],
        queue=False,
        show_progress="hidden",
        api_visibility="private",
        trigger_mode="multiple",
    ).then(None, js=ANSWERED_JS, queue=False, api_visibility="private")


def _named(
    handler: Callable[..., Updates], parts: Components, first: str
) -> Callable[..., Components]:
    """The handler with the names in its answer replaced by the components."""

    def run(*values: Any) -> Components:
        return _by_component(handler(*values), parts, first)

    return run


def _by_component(updates: Updates, parts: Components, first: str) -> Components:
    """Gradio takes an empty answer for a missing one, so "nothing changed" is said of ``first``."""
    named = {parts[name]: value for name, value in updates.items()}
    return named or {parts[first]: gr.skip()}
