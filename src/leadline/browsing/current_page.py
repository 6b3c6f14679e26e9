"""The tab in front of a worker, as its model may see it: address, text, what can be clicked."""

from __future__ import annotations

from browser_use.browser.views import BrowserStateSummary

from leadline.browsing.state import CurrentPage, Element
from leadline.domain.text import one_line, shorten

ATTRIBUTES = ["title", "type", "name", "role", "placeholder", "aria-label", "value", "alt"]
"""Attributes of elements that a model is shown; addresses are kept apart."""

_ELEMENTS_MOST = 300
_TEXT_CHARS = 8000


def observe(summary: BrowserStateSummary) -> CurrentPage:
    """The tab in front, from what browser-use says of it."""
    if not summary.url.lower().startswith(("http://", "https://")):
        return CurrentPage(summary.url or "about:blank", "")
    elements = tuple(
        Element(
            index=index,
            kind=node.tag_name.lower(),
            text=shorten(node.get_meaningful_text_for_llm(), 120),
            href=node.attributes.get("href", "")[:2000],
        )
        for index, node in list(summary.dom_state.selector_map.items())[:_ELEMENTS_MOST]
    )
    trouble = summary.state_error or " ".join(summary.browser_errors)
    if summary.closed_popup_messages:
        trouble = f"{trouble} Dialogs were closed: {'; '.join(summary.closed_popup_messages)}"
    return CurrentPage(
        url=summary.url,
        title=one_line(summary.title)[:200],
        text=summary.dom_state.llm_representation(include_attributes=ATTRIBUTES)[:_TEXT_CHARS],
        elements=elements,
        trouble=one_line(trouble)[:300],
    )
