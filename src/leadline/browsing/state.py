"""What one worker knows: its question, what it saw, what it recorded, how it ended.

Tools write it, the view shows it to the model, the offline policy decides by it. Nothing in it was
read back from a prompt. A page may add passages and links to it, never limits or instructions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urldefrag, urljoin, urlsplit

from leadline.domain.evidence import Passage, PassageRef, Snapshot
from leadline.domain.limits import Limits
from leadline.errors import LeadlineError
from leadline.sources.base import OpenPage, RenderedPage, SearchHit

MAX_SEARCHES = 4
MAX_FINDINGS = 20
FAILURES_A_PAGE = 2
"""A worker may try this many times as many pages as it may read, so that walls cost it nothing."""

_JOURNAL_LINES = 24
_LINKS_MOST = 2000


class Lease(Protocol):
    """A browser that is ours for one task."""

    @property
    def session(self) -> Any:
        """browser-use's ``BrowserSession``, started and kept alive by the pool."""

    async def open_page(self, url: str) -> RenderedPage:
        """Open an address in a tab of its own. Raises ``PageError``, ``BrowserError``."""

    async def screenshot_jpeg(self) -> bytes | None:
        """A small picture of the tab in front, or None when there is nothing to show."""


class LeasePool(Protocol):
    """Hands out browsers; waits while all are at work."""

    def lease(self, task: str) -> AbstractAsyncContextManager[Lease]:
        """A browser with a clean profile, for one task."""


class Router(Protocol):
    """Searches the web. Raises ``SearchError`` when no back end answers."""

    async def search(
        self, query: str, limit: int, *, open_page: OpenPage, task: str = ""
    ) -> list[SearchHit]:
        """Up to ``limit`` hits, best first."""


class Reader(Protocol):
    """Makes stored sources of pages. Raises ``PageError`` and ``EgressRefused``."""

    async def read(self, url: str, lease: Any, *, task: str) -> Snapshot:
        """Open, read and store a page, once a run."""

    async def read_current(self, lease: Any, *, task: str) -> Snapshot:
        """Store the page of the worker's own tab as it stands now, after clicks."""


@dataclass(frozen=True, slots=True)
class Row:
    """A search result as the worker saw it; ``number`` counts over all its searches."""

    number: int
    query: str
    title: str
    url: str
    snippet: str = ""
    date: str = ""

    @property
    def host(self) -> str:
        """Host of the address, without ``www.``."""
        return host_of(self.url)


@dataclass(frozen=True, slots=True)
class Shown:
    """A source that the worker was shown, and which of its passages."""

    snapshot: Snapshot
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Element:
    """Something on the current page that can be clicked or filled in."""

    index: int
    kind: str
    text: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class CurrentPage:
    """The tab in front, as it was at the beginning of the step."""

    url: str
    title: str
    text: str = ""
    """Its elements as browser-use writes them down, shortened."""
    elements: tuple[Element, ...] = ()
    trouble: str = ""

    @property
    def is_blank(self) -> bool:
        """Nothing was opened in it."""
        return not self.url.lower().startswith(("http://", "https://"))


BLANK = CurrentPage("about:blank", "")


@dataclass
class WorkerState:
    """All that one worker knows. Made by its owner, changed by its tools alone."""

    task_id: str
    task: str
    query: str
    limits: Limits
    topic: str = ""
    language: str = ""
    background: str = ""

    rows: list[Row] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)
    places: dict[str, dict[str, int]] = field(default_factory=dict)
    """Address → query → its place among the results, from 0: a page may answer several."""
    search_failure: str = ""
    shown: dict[int, Shown] = field(default_factory=dict)
    opened: dict[str, int] = field(default_factory=dict)
    """Address as asked for → source id."""
    failed: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Address → (reason, sentence)."""
    findings: list[str] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)
    cited: set[PassageRef] = field(default_factory=set)
    refused: int = 0
    page: CurrentPage = BLANK
    journal: list[str] = field(default_factory=list)
    step: int = 0
    last_step: bool = False

    finished: bool = False
    answered: bool = False
    summary: str = ""
    missing: str = ""
    fatal: LeadlineError | None = None

    _links: dict[str, str] = field(default_factory=dict)

    @property
    def pages_left(self) -> int:
        """How many pages may still be read."""
        tries = self.limits.pages_per_query * FAILURES_A_PAGE
        return max(
            0,
            min(
                self.limits.pages_per_query - len(self.opened),
                tries - len(self.opened) - len(self.failed),
            ),
        )

    @property
    def unread(self) -> list[Row]:
        """Search results that were neither read nor tried, in their order."""
        return [r for r in self.rows if r.url not in self.opened and r.url not in self.failed]

    @property
    def addresses_read(self) -> set[str]:
        """Addresses of the pages shown, as asked for and as they turned out."""
        return {*self.opened, *(s.snapshot.source.url for s in self.shown.values())}

    def row(self, number: int) -> Row | None:
        """Search result ``number``."""
        return self.rows[number - 1] if 1 <= number <= len(self.rows) else None

    def add_rows(self, query: str, hits: Iterable[SearchHit]) -> list[Row]:
        """Take over the hits of a search; an address that is known already is no new row."""
        self.queries.append(query)
        known = {row.url for row in self.rows}
        new: list[Row] = []
        for place, hit in enumerate(hits):
            self.places.setdefault(hit.url, {}).setdefault(query, place)
            if hit.url in known:
                continue
            known.add(hit.url)
            number = len(self.rows) + 1
            row = Row(number, query, hit.title, hit.url, hit.snippet, hit.date)
            self.rows.append(row)
            new.append(row)
            self.allow(hit.url)
        return new

    def add_source(self, url: str, shown: Shown) -> None:
        """A page was read and is shown."""
        source = shown.snapshot.source
        # A page that was read again after a click is a source of its own under the same address.
        self.opened[source.url if url in self.opened else url] = source.id
        self.failed.pop(url, None)
        self.shown[source.id] = shown
        self.allow(source.url)

    def add_failure(self, url: str, reason: str, sentence: str) -> None:
        """A page gave nothing."""
        if url not in self.opened:
            self.failed[url] = (reason, sentence)

    def look_at(self, page: CurrentPage) -> None:
        """The tab in front changed; its links may be opened from now on."""
        self.page = page
        if page.is_blank:
            return
        self.allow(page.url)
        for element in page.elements:
            if element.href:
                self.allow(urljoin(page.url, element.href))

    def allow(self, url: str) -> None:
        """``url`` was seen as a search result or a link: it may be opened."""
        if len(self._links) < _LINKS_MOST and is_web_url(url):
            self._links.setdefault(_link_key(url), url)

    def known_url(self, url: str) -> str | None:
        """The address as it was seen, or None when nothing showed it.

        A model that was talked into sending data away would have to write an address of its own.
        """
        return self._links.get(_link_key(url)) if is_web_url(url) else None

    def lookup(self, ref: PassageRef) -> Passage | None:
        """Passage of a source that this worker was shown."""
        shown = self.shown.get(ref.source)
        return shown.snapshot.passage(ref.passage) if shown else None

    @property
    def progress(self) -> tuple[object, ...]:
        """Changes whenever a step brought anything new."""
        page = (self.page.url, self.page.text)
        done = (len(self.rows), len(self.queries), len(self.opened), len(self.failed))
        return (*done, len(self.shown), len(self.findings), self.refused, page)

    def note(self, line: str) -> None:
        """Remember what happened, for the next prompt; old lines fall out."""
        self.journal.append(line)
        del self.journal[:-_JOURNAL_LINES]

    def finish(self, *, answered: bool, summary: str, missing: str) -> None:
        """The worker ends; with nothing recorded it has not answered, whatever it says."""
        self.finished = True
        self.answered = answered and bool(self.findings)
        self.summary = summary if self.findings else ""
        self.missing = missing
        if answered and not self.findings:
            self.missing = missing or "No finding with a passage was recorded."


def host_of(url: str) -> str:
    """Host of an address without ``www.``; empty when there is none."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def is_web_url(url: str) -> bool:
    """Whether it is a full http(s) address without user info."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc


def passage_refs(shown: Sequence[Shown]) -> list[tuple[PassageRef, Passage]]:
    """Every shown passage with its reference."""
    return [
        (PassageRef(source=s.snapshot.source.id, passage=p.number), p)
        for s in shown
        for p in s.passages
    ]


def _link_key(url: str) -> str:
    """Two spellings of one address; only what no server sees or tells apart is dropped."""
    address = urldefrag(url.strip()).url
    parts = urlsplit(address)
    path = parts.path or "/"
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{parts.netloc.lower()}{path}{query}"
