"""The Ask page's own pieces: what will answer, sample questions, field messages. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from leadline.domain.config import ModelConfig, Provider
from leadline.web.texts import Texts
from leadline.web.views.html import esc


def hero(texts: Texts) -> str:
    """The question the page asks."""
    return (
        f'<div class="ll-hero"><h1>{esc(texts("ask_title"))}</h1>'
        f"<p>{esc(texts('ask_hint'))}</p></div>"
    )


def banner(model: ModelConfig, source: str, texts: Texts) -> str:
    """Says plainly what will answer, and from where, before anything starts."""
    notes: list[tuple[str, str]] = []
    demo = source == "demo"
    if model.provider is Provider.OFFLINE:
        notes.append((texts("banner_offline"), texts("banner_offline_more")))
    else:
        name = model.name or model.provider.value
        key = "banner_model_demo" if demo else "banner_model"
        notes.append((texts(key, model=name), ""))
    if demo:
        notes.append((texts("banner_demo"), texts("banner_demo_more")))
    plain = model.provider is not Provider.OFFLINE and not demo
    rows = "".join(
        f"<p><strong>{esc(what)}</strong>{f' <span>{esc(more)}</span>' if more else ''}</p>"
        for what, more in notes
    )
    return f'<div class="ll-banner{" ll-banner-plain" if plain else ""}" role="note">{rows}</div>'


def samples(questions: Iterable[str], *, demo: bool, texts: Texts) -> str:
    """Questions that fill the box when they are chosen."""
    mark = f'<span class="ll-mark">{esc(texts("demo_mark"))}</span>' if demo else ""
    buttons = "".join(
        f'<button type="button" class="ll-sample" data-ll-sample="{esc(q)}">{esc(q)}{mark}</button>'
        for q in questions
    )
    if not buttons:
        return ""
    return (
        f'<div class="ll-samples"><h2>{esc(texts("samples"))}</h2>'
        f'<div class="ll-sample-list">{buttons}</div></div>'
    )


def plan_file(texts: Texts) -> str:
    """A file chooser whose text the page's script puts into the plan field; nothing is uploaded."""
    return (
        '<div class="ll-file-row">'
        '<label class="ll-file"><input type="file" accept=".md,.markdown,.txt,text/markdown" '
        f"data-ll-plan-file><span>{esc(texts('open_plan_file'))}</span></label>"
        f'<p class="ll-field-error" role="alert" '
        f'data-too-large="{esc(texts("plan_file_too_large"))}"></p></div>'
    )


def field_error(message: str) -> str:
    """One sentence beside the field it is about."""
    return f'<p class="ll-field-error" role="alert">{esc(message)}</p>' if message else ""
