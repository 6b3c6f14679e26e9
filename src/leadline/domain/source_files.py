"""``sources/<n>.md``: the stored text of a source, readable by a person, exact for the program.

The text here is the authority for passages, ``Source`` (log, ``sources.json``) for all else.
Each passage stands below a line with its anchor, number, page and heading::

    <a id="p12"></a> **12** · p. 3 · § Results
    The text as it stood in the page, line ends included.

A line of text that could be taken for such a line, or begins with a backslash, is written with a
backslash before it. ``parse_source_markdown`` undoes exactly what ``render_source_markdown`` did.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from leadline.domain.evidence import Passage, Snapshot, Source

_ANCHOR = re.compile(
    r'<a id="p(\d+)"></a> \*\*\d+\*\*(?: · p\. (-?\d+))?(?: · § ([^\n]*))?', re.ASCII
)
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r"}
_UNESCAPE = re.compile(r"\\([\\nr])")


def text_hash(passages: Iterable[Passage]) -> str:
    """SHA-256 of the passages' text, hexadecimal."""
    text = "\n".join(passage.text for passage in passages)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def clean(text: str) -> str:
    """The text as UTF-8 can hold it: half surrogate pairs become ``?``."""
    return text.encode("utf-8", "replace").decode("utf-8")


def render_source_markdown(snapshot: Snapshot) -> str:
    """The file of a source."""
    source = snapshot.source
    told = [source.site, source.author, source.date]
    head = [
        f"# {_one_line(source.title) or 'Untitled'}",
        "",
        _one_line(source.url),
        " · ".join([_one_line(part) for part in told if part]),
        f"Read {source.fetched_at.isoformat(timespec='seconds')}",
    ]
    blocks = ["\n".join(_escape(line) for i, line in enumerate(head) if line or i == 1) + "\n"]
    blocks += [f"{_anchor(passage)}\n{_escape(passage.text)}\n" for passage in snapshot.passages]
    return clean("\n".join(blocks))


def parse_source_markdown(source: Source, text: str) -> Snapshot:
    """Read the file of ``source`` back, text and passages exactly as they were stored."""
    passages: list[Passage] = []
    current: re.Match[str] | None = None
    body: list[str] = []
    for line in [*text.split("\n"), None]:
        anchor = _ANCHOR.fullmatch(line) if line is not None else None
        if line is not None and anchor is None:
            body.append(line)
            continue
        if current is not None:
            # A passage ends in a newline; an empty line parts it from the next anchor.
            lines = body[:-1]
            passages.append(_passage(current, lines))
        current, body = anchor, []
    return Snapshot(source=source, passages=tuple(passages))


def _passage(anchor: re.Match[str], lines: list[str]) -> Passage:
    heading = _UNESCAPE.sub(lambda m: {"n": "\n", "r": "\r"}.get(m[1], m[1]), anchor[3] or "")
    return Passage(
        number=int(anchor[1]),
        text="\n".join(line.removeprefix("\\") for line in lines),
        page=int(anchor[2]) if anchor[2] else None,
        heading=heading,
    )


def _anchor(passage: Passage) -> str:
    line = f'<a id="p{passage.number}"></a> **{passage.number}**'
    if passage.page is not None:
        line += f" · p. {passage.page}"
    if passage.heading:
        line += " · § " + "".join(_ESCAPES.get(c, c) for c in passage.heading)
    return line


def _escape(text: str) -> str:
    return "\n".join(
        "\\" + line if line.startswith(("\\", "<a id=")) else line for line in text.split("\n")
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
