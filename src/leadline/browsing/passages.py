"""Text → numbered passages: sentences, and table rows with the names of their columns.

Invariant: passages are numbered from 1 without gaps, and the text of each stands in the page
(for a table row: each of its cells and column names does).
"""

from __future__ import annotations

import re

from leadline.domain.evidence import Passage
from leadline.domain.text import split_sentences

MAX_PASSAGES = 2000
MAX_CHARS = 600
"""A longer sentence is cut at a comma or a blank."""

_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+(.*)")
_RULE = re.compile(r"\|?(?:\s*:?-{2,}:?\s*\|)+\s*(?::?-{2,}:?)?\s*|[-*_=\s]{3,}")
_COLUMN = re.compile(r"(?<!\\)\|")
_WORD = re.compile(r"\w")
_BREAKS = (
    re.compile(r"(?<=[;:；：])\s*"),
    re.compile(r"(?<=[,，、])\s*"),
    re.compile(r"\s+"),
)


def split_passages(
    text: str, *, first: int = 1, limit: int = MAX_PASSAGES, page: int | None = None
) -> tuple[list[Passage], bool]:
    """The passages of a text, numbered from ``first``, and whether some were left out."""
    passages: list[Passage] = []
    seen: set[str] = set()
    for heading, piece in _pieces(text):
        if not _WORD.search(piece):
            continue
        if piece in seen and len(piece) < 60:
            continue  # the same label again and again: menus, "Read more"
        seen.add(piece)
        if len(passages) >= limit:
            return passages, True
        number = first + len(passages)
        passages.append(Passage(number=number, text=piece, page=page, heading=heading))
    return passages, False


def _pieces(text: str) -> list[tuple[str, str]]:
    """``(heading, passage)`` in the order of the text."""
    pieces: list[tuple[str, str]] = []
    heading = ""
    paragraph: list[str] = []
    table: list[str] = []

    def end_paragraph() -> None:
        pieces.extend((heading, s) for s in _sentences(" ".join(paragraph)))
        paragraph.clear()

    def end_table() -> None:
        pieces.extend((heading, row) for row in _rows(table))
        table.clear()

    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("|") and line.endswith("|") and len(line) > 1:
            end_paragraph()
            table.append(line)
            continue
        if table:
            end_table()
        if not line or _RULE.fullmatch(line):
            end_paragraph()
        elif match := _HEADING.fullmatch(line):
            end_paragraph()
            heading = match[2].strip()[:200]
        elif match := _ITEM.fullmatch(line):
            end_paragraph()
            paragraph.append(match[1])
        else:
            paragraph.append(line)
    end_paragraph()
    if table:
        end_table()
    return pieces


def _sentences(paragraph: str) -> list[str]:
    found: list[str] = []
    for sentence in split_sentences(paragraph):
        found += _shortened(" ".join(sentence.split()))
    return [s for s in found if s]


def _shortened(sentence: str) -> list[str]:
    parts: list[str] = []
    rest = sentence
    while len(rest) > MAX_CHARS:
        cut = _cut(rest)
        parts.append(rest[:cut].strip())
        rest = rest[cut:].strip()
    return [*parts, rest]


def _cut(text: str) -> int:
    """Where to cut: the last good break in the second half of what fits, else right there."""
    for pattern in _BREAKS:
        ends = [m.end() for m in pattern.finditer(text, MAX_CHARS // 2, MAX_CHARS)]
        ends = [end for end in ends if MAX_CHARS // 2 < end <= MAX_CHARS]
        if ends:
            return ends[-1]
    return MAX_CHARS


def _rows(table: list[str]) -> list[str]:
    """Rows as ``Year: 2024 | Boats: 7``; a table without a head as ``2024 | 7``."""
    rows = [_cells(line) for line in table if not _RULE.fullmatch(line)]
    has_rule = len(table) > 1 and bool(_RULE.fullmatch(table[1]))
    head: list[str] = []
    if len(rows) > 1 and (has_rule or _looks_like_head(rows)):
        head, *rows = rows
    found = []
    for cells in rows:
        named = [
            f"{head[i]}: {cell}" if i < len(head) and head[i] and head[i] != cell else cell
            for i, cell in enumerate(cells)
            if cell
        ]
        if named:
            found.append(" | ".join(named)[: MAX_CHARS * 2])
    return found


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [" ".join(cell.replace("\\|", "|").split()) for cell in _COLUMN.split(inner)]


def _looks_like_head(rows: list[list[str]]) -> bool:
    """No digit in the first row, and digits below it."""
    first = [cell for cell in rows[0] if cell]
    if len(first) < 2 or any(c.isdigit() for cell in first for c in cell):
        return False
    return any(c.isdigit() for row in rows[1:] for cell in row for c in cell)
