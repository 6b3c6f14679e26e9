"""A report's Markdown read back: its citations, and its text without them.

``plain_text`` works piece by piece: the plain text of a sentence is part of the plain text of any
report that the sentence stands in. So a list of sentences can be held against a report.
"""

from __future__ import annotations

import re

from leadline.domain.claims import Citation
from leadline.domain.evidence import PassageRef

_LINK = r'\[\\\[\d+\\\]\]\(sources/\d+\.md#p\d+(?: "[^"\n]*")?\)'
CITATION = re.compile(
    r'\[\\\[(\d{1,6})\\\]\]\(sources/(\d{1,6})\.md#p(\d{1,6})(?: "([^"\n]*)")?\)', re.ASCII
)
"""A citation as reports have it: number, source, passage, and what its title says."""
_PIECES = re.compile(
    rf"(?P<cited>\s*(?:{_LINK}\s?)*{_LINK}(?: \*\([^()*\n]{{1,60}}\)\*)?)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])|(?P<and>&amp;)|(?P<dress>[*`])|(?P<cell>\|)",
    re.ASCII,
)


def plain_text(markdown: str) -> str:
    """The words on one line, without citations, their marks, emphasis and escapes."""
    return " ".join(_PIECES.sub(_piece, markdown).split())


def _piece(match: re.Match[str]) -> str:
    if match["escaped"]:
        return match["escaped"]
    if match["and"]:
        return "&"
    return " " if match["cell"] else ""


def citations_in(markdown: str) -> list[Citation]:
    """Every citation of a report, in the order in which they stand there."""
    return [
        Citation(
            number=int(found[1]), passage=PassageRef(source=int(found[2]), passage=int(found[3]))
        )
        for found in CITATION.finditer(markdown)
    ]
