"""The page: which component stands where, and which handler answers it.

``build_page`` is called once for each language. No research ever runs in a handler, every event
is unqueued and private, and the one timer rests while nothing can change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

import gradio as gr

from leadline.domain.config import ModelConfig, Provider, RunConfig, SearchEngine
from leadline.domain.limits import Depth
from leadline.settings import Settings
from leadline.web.commands import Commands
from leadline.web.handlers import Handlers, Updates
from leadline.web.live import LiveRuns
from leadline.web.samples import sample_questions
from leadline.web.texts import Texts
from leadline.web.views import ask as ask_views
from leadline.web.views import frame as frame_views

SEND_JS = "window.leadlineSend = (detail) => trigger('click', detail);"
RUN_FROM_ADDRESS = (
    "(run, search) => [new URLSearchParams(window.location.search).get('run') || '', search]"
)
LANGUAGES = (
    ("English", "en"),
    ("简体中文", "zh"),
    ("Español", "es"),
    ("Français", "fr"),
    ("Deutsch", "de"),
    ("日本語", "ja"),
    ("Português", "pt"),
    ("Русский", "ru"),
    ("العربية", "ar"),
)
Components = dict[str, Any]


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
        parts["bus"] = _html("", js_on_load=SEND_JS, elem_id="ll-bus")
        _html(frame_views.words(texts))
        _sidebar(parts, texts)
        with gr.Column(elem_id="ll-main"):
            parts["notice"] = _html("", elem_id="ll-notice")
            parts["head"] = _html("", elem_id="ll-head")
            with gr.Column(elem_id="ll-ask") as parts["ask"]:
                _ask(parts, settings, config, texts)
            with gr.Column(elem_id="ll-run", visible=False) as parts["run"]:
                _run(parts, texts)
        _wire(page, parts, Handlers(commands, live, texts))
    page.queue(default_concurrency_limit=16, api_open=False)
    return cast(gr.Blocks, page)


def _html(value: str, **options: Any) -> gr.HTML:
    """HTML of ours, without Gradio's own typography."""
    return gr.HTML(value, apply_default_css=False, **options)


def _sidebar(parts: Components, texts: Texts) -> None:
    with gr.Sidebar(width=300, elem_id="ll-side"):
        _html(frame_views.brand(texts))
        parts["new"] = gr.Button(texts("new_research"), elem_id="ll-new", size="md")
        parts["search"] = gr.Textbox(
            "",
            label=texts("search_runs"),
            show_label=False,
            container=False,
            placeholder=texts("search_runs"),
            elem_id="ll-search",
        )
        parts["library"] = _html("", elem_id="ll-library-box")
        _html(frame_views.language_switch(texts))


def _ask(parts: Components, settings: Settings, config: RunConfig, texts: Texts) -> None:
    source = "demo" if settings.uses_demo_by_default else "web"
    _html(ask_views.hero(texts))
    with gr.Column(elem_id="ll-ask-box"):
        parts["question"] = gr.Textbox(
            "",
            label=texts("question"),
            show_label=False,
            container=False,
            lines=2,
            max_lines=10,
            autofocus=True,
            placeholder=texts("question_placeholder"),
            elem_id="ll-question",
        )
        parts["error_question"] = _html("")
        with gr.Row(elem_id="ll-ask-row"):
            parts["depth"] = gr.Radio(
                [(texts(f"depth_{d.value}"), d.value) for d in Depth],
                value=settings.depth.value,
                label=texts("depth"),
                elem_id="ll-depth",
                scale=3,
                min_width=220,
            )
            parts["browsers"] = gr.Slider(
                1,
                16,
                value=config.limits.max_parallel_browsers,
                step=1,
                label=texts("browsers"),
                buttons=[],
                scale=2,
                min_width=180,
            )
        with gr.Row(elem_id="ll-go-row"):
            parts["plan_first"] = gr.Checkbox(
                config.plan_first, label=texts("plan_first"), container=False, min_width=160
            )
            parts["start"] = gr.Button(
                texts("start"), variant="primary", elem_id="ll-start", scale=0, min_width=180
            )
    parts["banner"] = _html(ask_views.banner(config.model, source, texts), elem_id="ll-what")
    parts["samples"] = _html(
        ask_views.samples(sample_questions(source, texts), demo=source == "demo", texts=texts)
    )
    with gr.Accordion(texts("advanced"), open=False, elem_id="ll-advanced") as parts["advanced"]:
        _limit_fields(parts, texts)
        _source_fields(parts, config, source, texts)
        _model_fields(parts, settings, config.model, texts)
        _browser_fields(parts, config, texts)
        _plan_fields(parts, texts)


def _limit_fields(parts: Components, texts: Texts) -> None:
    _html(frame_views.group(texts("group_limits")))
    with gr.Row():
        for name in ("loops", "minutes", "tokens", "cost"):
            parts[name] = gr.Textbox(
                "", label=texts(name), placeholder=texts("preset_value"), min_width=120
            )
    parts["report_language"] = gr.Dropdown(
        [(texts("language_auto"), ""), *LANGUAGES],
        value="",
        label=texts("report_language"),
        allow_custom_value=True,
    )
    parts["error_limits"] = _html("")


def _source_fields(parts: Components, config: RunConfig, source: str, texts: Texts) -> None:
    search = config.search
    web = [e for e in SearchEngine if e is not SearchEngine.DEMO]
    chosen = [e.value for e in search.engines if e is not SearchEngine.DEMO]
    _html(frame_views.group(texts("group_sources")))
    parts["source"] = gr.Radio(
        [(texts("source_web"), "web"), (texts("source_demo"), "demo")],
        value=source,
        label=texts("source"),
    )
    with gr.Column(visible=source != "demo") as parts["web_fields"]:
        parts["engines"] = gr.Dropdown(
            [e.value for e in web],
            value=chosen or [e.value for e in type(search)().engines],
            multiselect=True,
            label=texts("engines"),
        )
        with gr.Row():
            parts["searxng_url"] = gr.Textbox(
                search.searxng_url, label=texts("searxng_url"), placeholder="http://…"
            )
            parts["template_url"] = gr.Textbox(
                search.template_url, label=texts("template_url"), placeholder="https://…?q={query}"
            )
    with gr.Row():
        for name in ("only_domains", "without_domains"):
            parts[name] = gr.Textbox(
                ", ".join(getattr(search, name)),
                label=texts(name),
                placeholder=texts("domains_placeholder"),
            )
    parts["error_sources"] = _html("")


def _model_fields(parts: Components, settings: Settings, model: ModelConfig, texts: Texts) -> None:
    offline = model.provider is Provider.OFFLINE
    key_set = settings.api_key() is not None and not offline
    _html(frame_views.group(texts("group_model")))
    parts["provider"] = gr.Dropdown(
        [
            (texts("provider_offline") if p is Provider.OFFLINE else p.value, p.value)
            for p in Provider
        ],
        value=model.provider.value,
        label=texts("provider"),
    )
    with gr.Column(visible=not offline) as parts["model_fields"]:
        with gr.Row():
            parts["model_name"] = gr.Textbox(model.name, label=texts("model_name"))
            parts["base_url"] = gr.Textbox(
                model.base_url,
                label=texts("base_url"),
                placeholder=texts("base_url_placeholder"),
            )
        with gr.Row():
            parts["api_key"] = gr.Textbox(
                "",
                label=texts("api_key"),
                type="password",
                info=texts("key_set", origin=settings.key_origin())
                if key_set
                else texts("api_key_info"),
            )
            parts["temperature"] = gr.Number(
                model.temperature, label=texts("temperature"), step=0.1, min_width=120
            )
        parts["vision"] = gr.Checkbox(model.vision, label=texts("vision"), container=False)
    parts["error_model"] = _html("")


def _browser_fields(parts: Components, config: RunConfig, texts: Texts) -> None:
    browser = config.browser
    _html(frame_views.group(texts("group_browser")))
    parts["headless"] = gr.Checkbox(browser.headless, label=texts("headless"), container=False)
    fields = (
        (("browser_path", browser.executable, texts("found_by_itself")),
         ("profile", browser.user_data_dir, texts("clean_profile"))),
        (("cdp_url", browser.cdp_url, "http://127.0.0.1:9222"),
         ("proxy", browser.proxy, "http://…")),
    )  # fmt: skip
    for row in fields:
        with gr.Row():
            for name, value, hint in row:
                parts[name] = gr.Textbox(value, label=texts(name), placeholder=hint)
    parts["error_browser"] = _html("")


def _plan_fields(parts: Components, texts: Texts) -> None:
    _html(frame_views.group(texts("group_plan")))
    parts["own_plan"] = gr.Textbox(
        "",
        label=texts("own_plan"),
        info=texts("own_plan_info"),
        lines=5,
        max_lines=20,
        placeholder=texts("own_plan_placeholder"),
        elem_id="ll-own-plan",
    )
    _html(ask_views.plan_file(texts))
    parts["error_plan"] = _html("")


def _run(parts: Components, texts: Texts) -> None:
    with gr.Row(elem_id="ll-actions"):
        kinds: tuple[tuple[str, Literal["stop", "primary", "secondary"]], ...] = (
            ("stop", "stop"),
            ("start_plan", "primary"),
            ("resume", "primary"),
            ("again", "secondary"),
        )
        for name, variant in kinds:
            label = texts("run_again" if name == "again" else name)
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
            parts["plan"] = _html("", elem_id="ll-plan")
            with gr.Column(visible=False, elem_id="ll-editor-box") as parts["editor_box"]:
                parts["editor_note"] = _html("")
                parts["editor"] = gr.Textbox(
                    "",
                    label=texts("editor_label"),
                    info=texts("editor_info"),
                    lines=14,
                    max_lines=40,
                    elem_id="ll-editor",
                )
                parts["editing"] = gr.Textbox("", visible="hidden")
                with gr.Row():
                    parts["save"] = gr.Button(
                        texts("save_plan"), variant="primary", size="md", scale=0, min_width=110
                    )
                    parts["close"] = gr.Button(
                        texts("close_editor"), size="md", scale=0, min_width=110
                    )
        with gr.Tab(texts("step_run"), id="run"):
            parts["counters"] = _html("")
            with gr.Row(elem_id="ll-run-grid"):
                with gr.Column(scale=3, min_width=300):
                    parts["workers"] = _html("")
                    parts["run_plan"] = _html("")
                with gr.Column(scale=2, min_width=280):
                    parts["sources"] = _html("")
                    parts["feed"] = _html("")
        with gr.Tab(texts("step_report"), id="report"):
            parts["report"] = _html("", elem_id="ll-report-box")


FORM_FIELDS = (
    "question", "depth", "browsers", "plan_first", "loops", "minutes", "tokens", "cost",
    "report_language", "source", "engines", "searxng_url", "template_url", "only_domains",
    "without_domains", "provider", "model_name", "base_url", "api_key", "temperature", "vision",
    "headless", "browser_path", "profile", "cdp_url", "proxy", "own_plan",
)  # fmt: skip
"""Components of the Ask page in the order of ``AskForm``'s fields."""

RUN_OUTPUTS = (
    "open_run", "position", "timer", "notice", "head", "ask", "run", "library", "tabs", "stop",
    "start_plan", "resume", "again", "new_here", "edit", "plan", "run_plan", "counters", "workers",
    "sources", "feed", "report",
)  # fmt: skip
EDITOR_OUTPUTS = ("editor_box", "editor", "editing", "editor_note")
ERROR_OUTPUTS = (
    "error_question", "error_limits", "error_sources", "error_model", "error_browser",
    "error_plan", "advanced", "question", "own_plan",
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
        event(
            _named(handler, parts),
            inputs=[parts[name] for name in inputs],
            outputs=[parts[name] for name in outputs],
            queue=False,
            show_progress="hidden",
            api_visibility="private",
            **options,
        )

    on(page.load, handlers.load, ("open_run", "search"), everything, js=RUN_FROM_ADDRESS)
    # A tick closes the editor when its run is gone; else it writes nothing a person types into.
    on(parts["timer"].tick, handlers.tick, ("open_run", "position", "search"), everything)
    on(
        parts["start"].click, handlers.start, ("search", *FORM_FIELDS),
        (*everything, *ERROR_OUTPUTS),
        trigger_mode="once",
    )  # fmt: skip
    at_run = ("open_run", "search")
    on(parts["stop"].click, handlers.stop, at_run, RUN_OUTPUTS)
    on(parts["start_plan"].click, handlers.start_plan, (*at_run, "editor", "editing"), everything)
    on(parts["resume"].click, handlers.resume, at_run, everything)
    on(parts["again"].click, handlers.again, at_run, everything)
    on(parts["new"].click, handlers.new, ("search",), everything)
    on(parts["new_here"].click, handlers.new, ("search",), everything)
    on(parts["edit"].click, handlers.open_editor, ("open_run",), (*EDITOR_OUTPUTS, "notice"))
    on(
        parts["save"].click, handlers.save_editor, ("open_run", "editor", "editing"),
        (*EDITOR_OUTPUTS, "plan", "notice"),
    )  # fmt: skip
    on(parts["close"].click, handlers.close_editor, (), (*EDITOR_OUTPUTS, "notice"))
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
        updates = handlers.act(action, run, here, search)
        return {parts[name]: value for name, value in updates.items()}

    parts["bus"].click(
        act,
        inputs=[parts["open_run"], parts["search"]],
        outputs=[parts[name] for name in outputs],
        queue=False,
        show_progress="hidden",
        api_visibility="private",
        trigger_mode="multiple",
    )


def _named(handler: Callable[..., Updates], parts: Components) -> Callable[..., Components]:
    """The handler with the names in its answer replaced by the components."""

    def run(*values: Any) -> Components:
        return {parts[name]: value for name, value in handler(*values).items()}

    return run
