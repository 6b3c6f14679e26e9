"""A report's Markdown for other places than its folder: elsewhere, the passages it cites are in the
file itself; on the page of its run, the table of claims is the page's own.
"""

from __future__ import annotations

import re

from leadline.domain.text import one_line, shorten
from leadline.reports.escape import escape_text
from leadline.reports.plain import CITATION
from leadline.reports.render import Snapshots
from leadline.reports.texts import CHINESE, ENGLISH, texts_for

MAX_PASSAGE_CHARS = 1_200

_PASSAGE = re.compile(r"\[([^\]\[\n]*)\]\(sources/\d+\.md#p\d+\)", re.ASCII)
"""A link to a passage that is no citation, as the table of claims has them."""
_STORED = re.compile(r" · \[[^\]\n]*\]\(sources/\d+\.md\)", re.ASCII)


def portable_markdown(markdown: str, snapshots: Snapshots, *, language: str = "en") -> str:
    """The report with each citation leading to its passage, quoted at the end of the file.

    ``snapshots`` is ``RunFolder.snapshot``. A passage that is not stored any more keeps its
    number as plain text.
    """
    quotes: dict[str, str] = {}

    def moved(match: re.Match[str]) -> str:
        number, source, passage, states = match.groups()
        snapshot = snapshots(int(source))
        found = snapshot.passage(int(passage)) if snapshot else None
        if snapshot is None or found is None:
            return rf"\[{number}\]"
        anchor = f"quote-{source}-{passage}"
        text = escape_text(shorten(one_line(found.text), MAX_PASSAGE_CHARS))
        title = escape_text(shorten(one_line(snapshot.source.title), 200))
        quotes.setdefault(anchor, rf'- <a id="{anchor}"></a>\[{number}\] “{text}” — {title}')
        named = f' "{states}"' if states else ""
        return rf"[\[{number}\]](#{anchor}{named})"

    body = _PASSAGE.sub(r"\1", CITATION.sub(moved, markdown))
    body = _STORED.sub("", body).rstrip()
    if not quotes:
        return f"{body}\n"
    heading = texts_for(language).cited_passages
    return f"{body}\n\n## {heading}\n\n" + "\n".join(quotes.values()) + "\n"


def without_claims_table(markdown: str) -> str:
    """The report without its table of claims, and without a heading that has nothing else below.

    For the page of a run, which has a table of its own. Only the table that code writes is known
    by its columns; any other one stays.
    """
    heads = {f"| {' | '.join(texts.columns)} |" for texts in (ENGLISH, CHINESE)}
    lines = markdown.split("\n")
    start = next((n for n, line in enumerate(lines) if line.strip() in heads), None)
    if start is None:
        return markdown
    end = start
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    before, after = lines[:start], lines[end:]
    while before and not before[-1].strip():
        before.pop()
    next_said = next((line for line in after if line.strip()), "")
    if before and before[-1].startswith("#") and next_said[:1] in ("", "#", "-"):
        before.pop()
    return "\n".join((*before, *after))
