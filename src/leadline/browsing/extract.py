"""HTML → the text that a reader sees, headings and tables kept, and what the page says of itself.

The text is the small Markdown of ``flatten``. What the browser marked as hidden, and what hides
itself in plain HTML, is left out: instructions planted for machines sit there.
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import date

import trafilatura
from lxml import etree, html  # type: ignore[import-untyped]  # lxml ships no types
from trafilatura.settings import Document

from leadline.browsing.flatten import flatten, is_layout, one_line
from leadline.browsing.page_scripts import HIDDEN_MARK
from leadline.domain.text import detect_language

_THIN = 250
"""Fewer characters than this of main text, and the whole body is looked at as well."""

_MAX_CHARS = 2_000_000
_MAX_ELEMENTS = 9_000
_MAX_DEPTH = 400
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|em|rem|%|pt)?\s*(?:;|!|$)"
    r"|(?:left|top|text-indent)\s*:\s*-\d{4,}px",
    re.IGNORECASE,
)
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_PUBLISHER_NAMES = frozenset(
    {"publisher", "dc.publisher", "dcterms.publisher", "citation_publisher", "article:publisher"}
)
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]+)*")
# trafilatura and lxml raise these for pages that are broken in ways they did not foresee.
_STUMBLES = (
    ValueError, TypeError, AttributeError, LookupError, RecursionError, AssertionError,
    etree.LxmlError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Extracted:
    """A page as text, and what it says of itself; unknown fields are empty."""

    text: str
    title: str = ""
    site: str = ""
    publisher: str = ""
    """Who publishes the site, where the page names somebody."""
    author: str = ""
    date: str = ""
    language: str = ""


def extract_page(source: str, *, url: str) -> Extracted:
    """Main text and metadata of a page. Never raises for bad HTML: the text is then empty."""
    tree = _parsed(source)
    if tree is None:
        return Extracted("")
    _drop_hidden(tree)
    found = _main(tree, url)
    text = found.text
    if len(text) < _THIN or _lost_table(tree, text):
        whole = _body_text(tree)
        if len(whole) > max(len(text) * 1.5, len(text) + 40):
            text = whole
    text = text[:_MAX_CHARS]
    return replace(
        found,
        text=text,
        title=found.title or _title(tree),
        publisher=_publisher(tree),
        language=_language(tree) or (detect_language(text) if text else ""),
    )


def _body_text(tree: html.HtmlElement) -> str:
    """The text of the whole body; its navigation only when there is nothing else."""
    body = tree.find("body")
    root = tree if body is None else body
    return flatten(root, furniture=False) or flatten(root, furniture=True)


def _parsed(source: str) -> html.HtmlElement | None:
    cleaned = source.replace("\x00", "").encode("utf-8", "replace")
    if not cleaned.strip():
        return None
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, huge_tree=True)
    try:
        tree = html.document_fromstring(cleaned, parser=parser)
    except _STUMBLES:
        return None
    for template in tree.iter("template"):
        if template.get("shadowrootmode"):
            template.tag = "div"  # an open shadow root: its text is as visible as any
    return tree


def _drop_hidden(tree: html.HtmlElement) -> None:
    for element in list(tree.iter(etree.Element)):
        if element.tag in ("html", "head", "body", "title", "meta"):
            continue
        hidden = (
            element.get(HIDDEN_MARK) is not None
            or (element.get("hidden") is not None and element.get("hidden") != "until-found")
            or element.get("aria-hidden") == "true"
            or element.tag in ("template", "noscript")
            or bool(_HIDDEN_STYLE.search(element.get("style") or ""))
        )
        if hidden and element.getparent() is not None:
            element.drop_tree()


def _main(tree: html.HtmlElement, url: str) -> Extracted:
    """What trafilatura takes for the main text, and the metadata it finds.

    Its time grows with the square of the page, so of an outsized one it is given the head alone.
    """
    outsized = _is_outsized(tree)
    document = _taken(_head_of(tree) if outsized else deepcopy(tree), url)
    if document is None:
        return Extracted("")
    body = None if outsized else document.body
    return Extracted(
        text="" if body is None else flatten(body, furniture=True),
        title=one_line(document.title),
        site=one_line(document.sitename),
        author=one_line(document.author),
        date=_sane_date(one_line(document.date)),
    )


def _taken(tree: html.HtmlElement, url: str) -> Document | None:
    try:
        document = trafilatura.bare_extraction(
            tree,
            url=url,
            include_comments=False,
            include_tables=True,
            include_formatting=True,
            favor_recall=True,
            with_metadata=True,
            date_extraction_params={"extensive_search": False, "original_date": True},
        )
    except _STUMBLES:
        return None
    return document if isinstance(document, Document) else None


def _is_outsized(tree: html.HtmlElement) -> bool:
    elements = depth = 0
    for event, _ in etree.iterwalk(tree, events=("start", "end")):
        depth += 1 if event == "start" else -1
        elements += event == "start"
        if elements > _MAX_ELEMENTS or depth > _MAX_DEPTH:
            return True
    return False


def _head_of(tree: html.HtmlElement) -> html.HtmlElement:
    """The page with one empty paragraph for a body."""
    small = html.document_fromstring("<html><head></head><body><p>…</p></body></html>")
    head = tree.find("head")
    if head is not None:
        small.replace(small.find("head"), deepcopy(head))
    return small


def _lost_table(tree: html.HtmlElement, text: str) -> bool:
    """Whether most of the page's largest data table is missing from the text."""
    best: list[str] = []
    for table in tree.iter("table"):
        if not is_layout(table):
            cells = [one_line(cell.text_content()) for cell in table.iter("td")]
            cells = [cell for cell in cells if 1 < len(cell) < 80]
            best = max(best, cells, key=len)
    if len(best) < 6:
        return False
    return sum(cell in text for cell in best[:40]) < len(best[:40]) / 2


def _title(tree: html.HtmlElement) -> str:
    found = tree.find(".//title")
    return one_line(found.text_content()) if found is not None else ""


def _publisher(tree: html.HtmlElement) -> str:
    """The publisher that the head names, by the usual meta names."""
    for meta in tree.iter("meta"):
        name = (meta.get("name") or meta.get("property") or "").strip().lower()
        if name in _PUBLISHER_NAMES and (content := one_line(meta.get("content") or "")):
            return "" if content.startswith(("http:", "https:")) else content[:120]
    return ""


def _language(tree: html.HtmlElement) -> str:
    declared = (tree.get("lang") or "").strip().lower()
    return declared.split("-")[0] if _LANGUAGE.fullmatch(declared) else ""


def _sane_date(value: str) -> str:
    match = _ISO_DATE.match(value)
    if not match:
        return ""
    try:
        found = date.fromisoformat(match[0])
    except ValueError:
        return ""
    return match[0] if 1990 <= found.year <= date.today().year + 1 else ""
