"""HTML → the text that a reader sees, headings and tables kept, and what the page says of itself.

The text is Markdown of a small kind: ``#`` headings, ``|`` table rows, ``-`` list items, plain
paragraphs. What the browser marked as hidden, and what hides itself in plain HTML, is left out:
instructions planted for machines sit there.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from typing import Any

import trafilatura
from lxml import etree, html  # type: ignore[import-untyped]  # lxml ships no types
from trafilatura.metadata import extract_metadata

from leadline.browsing.page_scripts import HIDDEN_MARK
from leadline.domain.text import detect_language

_THIN = 250
"""Fewer characters than this of main text, and the whole body is looked at as well."""

_MAX_CHARS = 2_000_000
_DROPPED = frozenset(
    ("script", "style", "noscript", "svg", "canvas", "iframe", "object", "embed", "video", "audio",
     "link", "meta", "button", "select", "input", "textarea", "dialog")
)  # fmt: skip
_FURNITURE = frozenset(("nav", "header", "footer", "aside", "form", "menu"))
_BLOCKS = frozenset(
    ("p", "div", "section", "article", "main", "li", "dt", "dd", "blockquote", "pre", "figcaption",
     "caption", "address", "details", "summary", "ul", "ol", "dl", "table", "br", "hr", "header",
     "footer", "nav", "aside", "form", "h1", "h2", "h3", "h4", "h5", "h6", "tr")
)  # fmt: skip
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|em|rem|%|pt)?\s*(?:;|!|$)"
    r"|(?:left|top|text-indent)\s*:\s*-\d{4,}px",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"[^\S\n]+")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_INVISIBLE = re.compile("[\u200b\u200e\u200f\u2060\ufeff\u00ad\U000e0000-\U000e007f]")


@dataclass(frozen=True, slots=True)
class Extracted:
    """A page as text, and what it says of itself; unknown fields are empty."""

    text: str
    title: str = ""
    site: str = ""
    author: str = ""
    date: str = ""
    language: str = ""


def extract_page(source: str, *, url: str) -> Extracted:
    """Main text and metadata of a page. Never raises for bad HTML: the text is then empty."""
    tree = _parsed(source)
    if tree is None:
        return Extracted("")
    language = _language(tree)
    meta = _metadata(tree, url)
    _drop_hidden(tree)
    text = _main_text(tree, url)
    if len(text) < _THIN or _lost_tables(tree, text):
        whole = body_text(tree)
        if len(whole) > max(len(text) * 1.5, len(text) + 40):
            text = whole
    text = _clean(text)[:_MAX_CHARS]
    return Extracted(
        text=text,
        title=_line(meta.get("title")) or _title(tree),
        site=_line(meta.get("sitename")),
        author=_line(meta.get("author")),
        date=_sane_date(_line(meta.get("date"))),
        language=language or (detect_language(text) if text else ""),
    )


def body_text(tree: html.HtmlElement) -> str:
    """The text of the whole body but its navigation, in the same small Markdown."""
    body = tree.find("body")
    lines: list[str] = []
    _walk(body if body is not None else tree, lines, [])
    return "\n".join(line for line in lines if line.strip())


def _parsed(source: str) -> html.HtmlElement | None:
    cleaned = source.replace("\x00", "").encode("utf-8", "replace")
    if not cleaned.strip():
        return None
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, huge_tree=True)
    try:
        tree = html.document_fromstring(cleaned, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError):
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


def _main_text(tree: html.HtmlElement, url: str) -> str:
    try:
        text = trafilatura.extract(
            html.tostring(tree, encoding="unicode"),
            url=url,
            output_format="markdown",
            include_tables=True,
            include_links=False,
            include_images=False,
            include_comments=False,
            include_formatting=True,
            with_metadata=False,
            favor_recall=True,
        )
    except (ValueError, TypeError, AttributeError, IndexError, etree.LxmlError, RecursionError):
        return ""  # trafilatura stumbles over some pages; the body's own text is used then
    return _without_emphasis(text or "")


def _metadata(tree: html.HtmlElement, url: str) -> dict[str, Any]:
    try:
        document = extract_metadata(
            html.tostring(tree, encoding="unicode"), default_url=url, extensive=False
        )
    except (ValueError, TypeError, AttributeError, etree.LxmlError, json.JSONDecodeError):
        return {}
    return document.as_dict() if document is not None else {}


_EMPHASIS = re.compile(r"(\*\*|__|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])|`)")


def _without_emphasis(markdown: str) -> str:
    """Bold, italics and code marks go: the passages are to read as the page does."""
    return _EMPHASIS.sub("", markdown)


def _lost_tables(tree: html.HtmlElement, text: str) -> bool:
    """Whether the page's largest data table is missing from the text."""
    best: list[str] = []
    for table in tree.iter("table"):
        if next(table.iterdescendants("table"), None) is not None:
            continue  # a layout, not data
        cells = [_line(cell.text_content()) for cell in table.iter("td")]
        cells = [cell for cell in cells if 1 < len(cell) < 80]
        if len(cells) > len(best):
            best = cells
    if len(best) < 6:
        return False
    flat = _BLANKS.sub(" ", text)
    return sum(cell in flat for cell in best[:40]) < len(best[:40]) / 2


def _walk(element: html.HtmlElement, lines: list[str], inline: list[str]) -> None:
    tag = element.tag if isinstance(element.tag, str) else ""
    if tag in _DROPPED or tag in _FURNITURE or not tag:
        return
    if tag == "table" and next(element.iterdescendants("table"), None) is None:
        _flush(lines, inline)
        lines.extend(_table_rows(element))
        return
    block = tag in _BLOCKS
    if block:
        _flush(lines, inline)
    inline.append(element.text or "")
    for child in element:
        _walk(child, lines, inline)
        inline.append(child.tail or "")
    if block:
        prefix = ""
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            prefix = "#" * int(tag[1]) + " "
        elif tag == "li":
            prefix = "- "
        _flush(lines, inline, prefix)


def _flush(lines: list[str], inline: list[str], prefix: str = "") -> None:
    text = _line("".join(inline))
    inline.clear()
    if text:
        lines.append(prefix + text)


def _table_rows(table: html.HtmlElement) -> list[str]:
    rows = []
    for index, row in enumerate(table.iter("tr")):
        cells = [_line(c.text_content()).replace("|", "/") for c in row if c.tag in ("td", "th")]
        if not any(cells):
            continue
        rows.append("| " + " | ".join(cells) + " |")
        if index == 0 and all(c.tag == "th" for c in row if c.tag in ("td", "th")):
            rows.append("|" + "---|" * len(cells))
    return rows


def _clean(text: str) -> str:
    lines = (_BLANKS.sub(" ", _INVISIBLE.sub("", line)).rstrip() for line in text.splitlines())
    return "\n".join(lines).strip()


def _line(value: object) -> str:
    return " ".join(_INVISIBLE.sub("", str(value or "")).split())


def _title(tree: html.HtmlElement) -> str:
    found = tree.find(".//title")
    return _line(found.text_content()) if found is not None else ""


def _language(tree: html.HtmlElement) -> str:
    declared = (tree.get("lang") or "").strip().lower()
    return declared.split("-")[0] if re.fullmatch(r"[a-z]{2,3}(?:-[a-z0-9]+)*", declared) else ""


def _sane_date(value: str) -> str:
    match = _ISO_DATE.match(value)
    if not match:
        return ""
    try:
        found = date.fromisoformat(match[0])
    except ValueError:
        return ""
    return match[0] if 1990 <= found.year <= date.today().year + 1 else ""
