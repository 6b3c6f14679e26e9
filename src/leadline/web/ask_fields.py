"""The fields of the Ask page, in Gradio's components."""

from __future__ import annotations

from typing import Any

import gradio as gr

from leadline.domain.choices import CHOICES, IN_CHINESE
from leadline.domain.config import ModelConfig, Provider, RunConfig, SearchEngine
from leadline.domain.limits import Depth
from leadline.settings import Settings
from leadline.web.samples import sample_questions
from leadline.web.texts import Texts
from leadline.web.views import ask as ask_views
from leadline.web.views import frame as frame_views

Components = dict[str, Any]
"""The components of the page by name."""

FORM_FIELDS = (
    "question", "depth", "browsers", "plan_first", "verification", "division", "report_template",
    "report_length", "report_language", "loops", "minutes", "tokens", "cost", "source", "engines",
    "searxng_url", "template_url", "only_domains", "without_domains", "provider", "model_name",
    "base_url", "api_key", "temperature", "vision", "headless", "browser_path", "profile",
    "cdp_url", "proxy", "own_plan",
)  # fmt: skip
"""Components of the Ask page in the order of ``AskForm``'s fields."""

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


QUESTION_BOX_CHARS = 100_000
"""What the box takes; far above what a question may have, so that a paste is refused, not cut."""


def html(value: str, **options: Any) -> gr.HTML:
    """HTML of ours, without Gradio's own typography."""
    return gr.HTML(value, apply_default_css=False, **options)


def ask_page(parts: Components, settings: Settings, config: RunConfig, texts: Texts) -> None:
    """Question, presets, banner, samples and the closed settings."""
    source = "demo" if settings.uses_demo_by_default else "web"
    html(ask_views.hero(texts))
    with gr.Column(elem_id="ll-ask-box"):
        parts["question"] = gr.Textbox(
            "",
            label=texts("question"),
            show_label=False,
            container=False,
            lines=2,
            max_lines=10,
            max_length=QUESTION_BOX_CHARS,
            autofocus=True,
            placeholder=texts("question_placeholder"),
            elem_id="ll-question",
        )
        parts["error_question"] = html("")
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
    parts["banner"] = html(ask_views.banner(config.model, source, texts), elem_id="ll-what")
    parts["samples"] = html(
        ask_views.samples(sample_questions(source, texts), demo=source == "demo", texts=texts)
    )
    with gr.Accordion(texts("advanced"), open=False, elem_id="ll-advanced") as parts["advanced"]:
        _report_fields(parts, settings, config, texts)
        _limit_fields(parts, texts)
        _source_fields(parts, config, source, texts)
        _model_fields(parts, settings, config.model, texts)
        _browser_fields(parts, config, texts)
        _plan_fields(parts, texts)


def _report_fields(parts: Components, settings: Settings, config: RunConfig, texts: Texts) -> None:
    """What each choice does and costs is said where it is made."""
    html(frame_views.group(texts("group_report")))
    for name, key in (("verification", "verification"), ("division", "profile")):
        parts[name] = gr.Radio(
            _choices(key, texts),
            value=str(getattr(config, key)),
            label=_label(key, settings, texts),
            elem_id=f"ll-{name}",
            elem_classes="ll-choices",
        )
    parts["report_template"] = gr.Dropdown(
        _choices("report_template", texts),
        value=config.report_template.value,
        label=_label("report_template", settings, texts),
        elem_id="ll-template",
    )
    with gr.Row():
        parts["report_length"] = gr.Dropdown(
            _choices("report_length", texts),
            value=config.report_length.value,
            label=_label("report_length", settings, texts),
            min_width=220,
            elem_id="ll-length",
        )
        language = config.report_language
        known = ("", *(code for _, code in LANGUAGES))
        own = () if language in known else ((language, language),)
        parts["report_language"] = gr.Dropdown(
            [(texts("language_auto"), ""), *LANGUAGES, *own],
            value=language,
            label=texts("report_language"),
            allow_custom_value=True,
            min_width=220,
        )


def _choices(key: str, texts: Texts) -> list[tuple[str, str]]:
    """The values of a setting, each with the sentence that the table of settings has of it."""
    at = 0 if texts.language == "en" else 1
    return [
        (texts("choice", name=choice.name[at], meaning=choice.meaning[at]), str(value))
        for value, choice in CHOICES[key].items()
    ]


def _label(key: str, settings: Settings, texts: Texts) -> str:
    """What a setting means: in English as the table of settings has it."""
    if texts.language == "en":
        return settings.table()[key].description.rstrip(".")
    return IN_CHINESE[key]


def _limit_fields(parts: Components, texts: Texts) -> None:
    html(frame_views.group(texts("group_limits")))
    with gr.Row():
        for name in ("loops", "minutes", "tokens", "cost"):
            parts[name] = gr.Textbox(
                "", label=texts(name), placeholder=texts("preset_value"), min_width=120
            )
    parts["error_limits"] = html("")


def _source_fields(parts: Components, config: RunConfig, source: str, texts: Texts) -> None:
    search = config.search
    web = [e for e in SearchEngine if e is not SearchEngine.DEMO]
    chosen = [e.value for e in search.engines if e is not SearchEngine.DEMO]
    html(frame_views.group(texts("group_sources")))
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
    parts["error_sources"] = html("")


def _model_fields(parts: Components, settings: Settings, model: ModelConfig, texts: Texts) -> None:
    offline = model.provider is Provider.OFFLINE
    key_set = settings.api_key() is not None and not offline
    html(frame_views.group(texts("group_model")))
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
    parts["error_model"] = html("")


def _browser_fields(parts: Components, config: RunConfig, texts: Texts) -> None:
    browser = config.browser
    html(frame_views.group(texts("group_browser")))
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
    parts["error_browser"] = html("")


def _plan_fields(parts: Components, texts: Texts) -> None:
    html(frame_views.group(texts("group_plan")))
    parts["own_plan"] = gr.Textbox(
        "",
        label=texts("own_plan"),
        info=texts("own_plan_info"),
        lines=5,
        max_lines=20,
        placeholder=texts("own_plan_placeholder"),
        elem_id="ll-own-plan",
    )
    html(ask_views.plan_file(texts))
    parts["error_plan"] = html("")
