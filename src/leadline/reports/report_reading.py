"""A report's Markdown taken apart again: its blocks, its citations, its list of references.

Invariant: it is read as it is shown (by the same Markdown rules), never by a pattern over its
source, so nothing that a reader sees as a citation or a reference is missed. Any text parses.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from leadline.domain.claims import Citation
from leadline.domain.evidence import PassageRef

_STORED = re.compile(r"(?:\./)?sources/(\d{1,6})\.md(?:#p(\d{1,6}))?", re.ASCII)
_NUMBER = re.compile(r"\[(\d{1,6})\]", re.ASCII)
_MARK = re.compile(r"\([^()\n]{1,60}\)")
_BARE_MARK = re.compile(r"\s*\*\([^()\n]{1,60}\)\*")
"""A mark right before a letter: Markdown takes its asterisks for characters."""
_IGNORED = re.compile(r"[\s|\x00-\x1f\x7f-\x9f\ufffd]+")


@dataclass(frozen=True)
class PassageLink:
    """A link to a stored passage; a citation when it is shown as ``[n]``."""

    passage: PassageRef
    shown: str
    title: str
    at: int
    """Where it stands: so many characters of the block's ``flat`` text are before it."""
    marked: bool = False
    """Whether a state in brackets, such as *(disputed)*, stands behind it."""

    @property
    def citation(self) -> Citation | None:
        """It as a citation, or None."""
        match = _NUMBER.fullmatch(self.shown)
        if match is None or not int(match[1]):
            return None
        return Citation(number=int(match[1]), passage=self.passage)


@dataclass(frozen=True)
class ShownBlock:
    """A paragraph, an item or the row of a table: what is shown of it, citations left out."""

    text: str
    links: tuple[PassageLink, ...]
    cells: tuple[str, ...] = ()
    """Of a table's row."""
    heading: str = ""
    """The heading above it."""
    flat: str = ""
    """``text`` without blanks: writers break lines and set blanks as they like."""
    places: tuple[int, ...] = ()
    """For each character of ``flat`` its place in ``text``."""

    def shown(self, start: int, end: int) -> str:
        """The text of a part of ``flat``."""
        return self.text[self.places[start] : self.places[end - 1] + 1] if start < end else ""

    def finds(self, flat: str) -> Iterator[int]:
        """Where ``flat`` stands in it, whole words and whole numbers alone."""
        start = self.flat.find(flat) if flat else -1
        while start >= 0:
            first, last = self.places[start], self.places[start + len(flat) - 1]
            before, after = self.text[max(first - 3, 0) : first], self.text[last + 1 : last + 4]
            if not (_runs_on(flat[-1], after) or _runs_on(flat[0], before[::-1])):
                yield start
            start = self.flat.find(flat, start + 1)


@dataclass(frozen=True)
class ShownReference:
    """An item of the list of references."""

    number: int
    text: str
    urls: tuple[tuple[str, str], ...]
    """Each address that it links to, with the words of the link."""
    sources: tuple[int, ...]
    """Ids of the stored sources that it links to."""


@dataclass
class ShownReport:
    """All of a report that can be held against its evidence."""

    blocks: list[ShownBlock] = field(default_factory=list)
    references: list[ShownReference] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)
    """Every address outside the run that it links to or shows as a picture."""
    beside_references: list[str] = field(default_factory=list)
    """What stands below the heading of the references and is none."""


def flat(text: str) -> str:
    """The text without blanks, control characters and the bars between a table's cells."""
    return _IGNORED.sub("", text)


def address(url: str) -> str:
    """An address in the form that Markdown gives it, for comparing two."""
    return _parser().normalizeLink(url)


def read_report(markdown: str) -> ShownReport:
    """Take a report apart."""
    return _Reader(_parser().parse(markdown.encode("utf-8", "replace").decode("utf-8"))).read()


def _runs_on(edge: str, beyond: str) -> bool:
    """Whether the word or number at an edge goes on beyond it."""
    if not beyond or not edge.isalnum():
        return False
    if edge.isdigit() and beyond[0] in ".,'’" and beyond[1:2].isdigit():
        return True
    return beyond[0].isalnum() and edge.isascii() and beyond[0].isascii()


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "typographer": False})
    return parser.enable("table").disable(["html_inline", "html_block"])


@dataclass
class _Inline:
    """What a run of inline tokens shows; a link's ``at`` counts in ``text`` here."""

    text: str = ""
    links: list[PassageLink] = field(default_factory=list)
    stored: list[int] = field(default_factory=list)
    urls: list[tuple[str, str]] = field(default_factory=list)

    def block(self, heading: str, cells: Sequence[str] = ()) -> ShownBlock:
        places = tuple(i for i, c in enumerate(self.text) if not _IGNORED.fullmatch(c))
        links = tuple(replace(link, at=bisect_left(places, link.at)) for link in self.links)
        text = "".join(self.text[i] for i in places)
        return ShownBlock(self.text, links, tuple(cells), heading, text, places)


def _read_inline(tokens: Sequence[Token]) -> _Inline:
    found = _Inline()
    cited_at = -1
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if token.type == "link_open":
            end = next(j for j in range(i, len(tokens)) if tokens[j].type == "link_close")
            if _take_link(found, token, "".join(_words(t) for t in tokens[i + 1 : end])):
                cited_at = len(found.text)
            i = end + 1
            continue
        if token.type == "em_open" and cited_at >= 0 and not found.text[cited_at:].strip():
            inner = tokens[i + 1 : i + 3]
            if [t.type for t in inner] == ["text", "em_close"] and _MARK.fullmatch(
                inner[0].content
            ):
                _mark(found)
                i += 3  # the state behind a citation is no part of the sentence
                continue
        words = _words(token)
        if token.type == "text" and cited_at >= 0 and not found.text[cited_at:].strip():
            bare = _BARE_MARK.match(words)
            if bare is not None:
                _mark(found)
                words = words[bare.end() :]
        if token.type == "image":
            found.urls.append((str(token.attrGet("src") or ""), token.content))
        found.text += words
        i += 1
    return found


def _mark(found: _Inline) -> None:
    """Mark the citations that stand together right before this place."""
    for i in range(len(found.links) - 1, -1, -1):
        link = found.links[i]
        if link.citation is None or found.text[link.at :].strip():
            return
        found.links[i] = replace(link, marked=True)


def _words(token: Token) -> str:
    return " " if token.type in ("softbreak", "hardbreak") else token.content


def _take_link(found: _Inline, token: Token, shown: str) -> bool:
    """Note a link; True when it is a citation, whose number is no part of the text."""
    href = str(token.attrGet("href") or "")
    stored = _STORED.fullmatch(unquote(href))
    if stored is None:
        found.urls.append((href, shown))
    elif stored[2] is None:
        found.stored.append(int(stored[1]))
    else:
        ref = PassageRef(source=int(stored[1]), passage=int(stored[2]))
        title = str(token.attrGet("title") or "")
        found.links.append(PassageLink(ref, shown, title, len(found.text)))
        if _NUMBER.fullmatch(shown):
            return True
    found.text += shown
    return False


class _Reader:
    """Walks the blocks of a parsed report."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._report = ShownReport()
        self._heading = ""
        self._lists: list[tuple[str, list[tuple[int, _Inline]]]] = []
        """Each ordered list of the first level: the heading above it and its items."""
        self._depth = 0
        self._row: list[_Inline] | None = None

    def read(self) -> ShownReport:
        for i, token in enumerate(self._tokens):
            match token.type:
                case "hr":
                    self._heading = ""
                case "ordered_list_open" | "bullet_list_open":
                    self._depth += 1
                    if token.type[0] == "o" and self._depth == 1:
                        self._lists.append((self._heading, []))
                case "ordered_list_close" | "bullet_list_close":
                    self._depth -= 1
                case "list_item_open" if token.info.isdigit() and self._depth == 1:
                    self._lists[-1][1].append((int(token.info[:9]), _Inline()))
                case "tr_open":
                    self._row = []
                case "tr_close":
                    self._end_row()
                case "inline":
                    self._take(self._tokens[i - 1], _read_inline(token.children or ()))
        self._sort_out_references()
        return self._report

    def _take(self, opener: Token, inline: _Inline) -> None:
        self._report.urls += [url for url, _ in inline.urls]
        if opener.type == "heading_open":
            self._heading = inline.text
        if self._row is not None:
            self._row.append(inline)
            return
        if self._depth and self._lists and self._lists[-1][1]:
            item = self._lists[-1][1][-1][1]
            item.text = f"{item.text} {inline.text}".strip()
            item.urls += inline.urls
            item.stored += inline.stored
        self._report.blocks.append(inline.block(self._heading))

    def _end_row(self) -> None:
        row = _Inline()
        for cell in self._row or ():
            start = len(row.text)
            row.text += f"{cell.text} | "
            row.links += [replace(link, at=start + link.at) for link in cell.links]
        cells = [cell.text for cell in self._row or ()]
        self._report.blocks.append(row.block(self._heading, cells))
        self._row = None

    def _sort_out_references(self) -> None:
        """The lists whose items lead to stored sources are the references."""
        report = self._report
        headings: set[str] = set()
        texts: set[str] = set()
        for heading, items in self._lists:
            if not any(item.stored for _, item in items):
                continue
            headings.add(heading)
            for number, item in items:
                texts.add(flat(item.text))
                report.references.append(
                    ShownReference(number, item.text, tuple(item.urls), tuple(item.stored))
                )
        report.beside_references = [
            block.text
            for block in report.blocks
            if block.heading in headings - {""}
            and flat(block.heading) != block.flat
            and block.flat not in texts
        ]
