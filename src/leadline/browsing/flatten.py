"""A tree of HTML, or of trafilatura's own tags, as lines of a small Markdown.

``#`` headings, ``- `` items, ``|`` table rows (a ``|`` inside a cell is written ``\\|``), and every
other block a paragraph of one line. Nothing else of Markdown is used, so the words stand as they
do in the page.
"""

from __future__ import annotations

import re

from lxml import etree  # type: ignore[import-untyped]  # lxml ships no types

_DROPPED = frozenset(
    ("script", "style", "noscript", "svg", "canvas", "iframe", "object", "embed", "video", "audio",
     "link", "meta", "button", "select", "input", "textarea", "dialog", "head-of-html", "graphic")
)  # fmt: skip
_FURNITURE = frozenset(("nav", "header", "footer", "aside", "form", "menu"))
_BLOCKS = frozenset(
    ("p", "div", "section", "article", "main", "li", "dt", "dd", "blockquote", "pre", "figcaption",
     "caption", "address", "details", "summary", "ul", "ol", "dl", "table", "br", "hr", "header",
     "footer", "nav", "aside", "form", "h1", "h2", "h3", "h4", "h5", "h6", "tr",
     "head", "list", "item", "quote", "lb", "ab", "row")
)  # fmt: skip
_ROWS = ("tr", "row")
_CELLS = frozenset(("td", "th", "cell"))
_INVISIBLE = re.compile("[\u200b\u200e\u200f\u2060\ufeff\u00ad\U000e0000-\U000e007f]")
_DEPTH = 150


def flatten(root: etree._Element, *, furniture: bool) -> str:
    """The tree as text; ``furniture`` keeps navigation, headers, footers and forms."""
    walker = _Walker(furniture)
    walker.walk(root, 0)
    walker.end_line()
    return "\n".join(walker.lines).strip()


def one_line(value: object) -> str:
    """Text without line breaks, double blanks and signs that nobody sees."""
    return " ".join(_INVISIBLE.sub("", str(value or "")).split())


def is_layout(table: etree._Element) -> bool:
    """Whether a table only arranges the page: it holds tables or long texts."""
    return next(table.iterdescendants("table"), None) is not None


class _Walker:
    def __init__(self, furniture: bool) -> None:
        self.lines: list[str] = []
        self._inline: list[str] = []
        self._skipped = _DROPPED if furniture else _DROPPED | _FURNITURE

    def walk(self, element: etree._Element, depth: int) -> None:
        tag = element.tag if isinstance(element.tag, str) else ""
        if not tag or tag in self._skipped:
            return
        if tag == "table" and not is_layout(element):
            self.end_line()
            self.lines += [*_table_rows(element), ""]
            return
        if depth > _DEPTH:  # nested beyond reason: its words are kept, its shape is not
            self._inline.append(" ".join(element.itertext()))
            return
        block = tag in _BLOCKS
        if block:
            self.end_line()
        self._inline.append(element.text or "")
        for child in element:
            self.walk(child, depth + 1)
            self._inline.append(child.tail or "")
        if block:
            self.end_line(_prefix(tag, element))

    def end_line(self, prefix: str = "") -> None:
        text = one_line("".join(self._inline))
        self._inline.clear()
        if text:
            self.lines += [prefix + text, ""]


def _prefix(tag: str, element: etree._Element) -> str:
    if tag in ("li", "item"):
        return "- "
    level = tag if tag != "head" else str(element.get("rend") or "h2")
    if len(level) == 2 and level[0] == "h" and level[1] in "123456":
        return "#" * int(level[1]) + " "
    return ""


def _table_rows(table: etree._Element) -> list[str]:
    rows = []
    for row in table.iter(*_ROWS):
        cells = [cell for cell in row if cell.tag in _CELLS]
        texts = [one_line(" ".join(cell.itertext())).replace("|", "\\|") for cell in cells]
        if not any(texts):
            continue
        rows.append("| " + " | ".join(texts) + " |")
        if len(rows) == 1 and all(c.tag == "th" or c.get("role") == "head" for c in cells):
            rows.append("|" + "---|" * len(cells))
    return rows
