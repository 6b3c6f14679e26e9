"""Reading a page once: tab or document → text → passages → the run's shelf.

Invariant: within a run each address is opened once, however many workers ask for it at the same
time; a wall never reaches the shelf. A page that failed is not opened again; what failed for a
reason of the moment (a time-out, a 429, a 5xx) may be tried anew after ``RETRY_SECONDS``.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from leadline.browsing.documents import Document, fetch_document
from leadline.browsing.egress import EgressGuard
from leadline.browsing.extract import Extracted, extract_page
from leadline.browsing.passages import MAX_PASSAGES, split_passages
from leadline.browsing.tabs import TabResult, Tabs
from leadline.browsing.walls import WALL_SENTENCES, wall_reason
from leadline.domain.events import PageFailed, PageRead
from leadline.domain.evidence import PageContent, Passage, Snapshot, SourceKind, page_state
from leadline.domain.limits import Limits
from leadline.domain.ports import EventSink, SourceShelf
from leadline.domain.text import detect_language
from leadline.errors import BrowserError, EgressRefused, PageBlocked, PageError, PageUnreadable

PER_HOST = 2
"""Pages read from one host at a time."""

RETRY_SECONDS = 300.0
"""How long a failure of the moment is taken for the page's state."""

_RETRY_PAUSE = 0.7
_PASSING_WALLS = frozenset({"rate_limited", "server_error"})
_TRACKING = frozenset(
    ("fbclid", "gclid", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "mc_cid", "mc_eid",
     "igshid", "_hsenc", "_hsmi", "mkt_tok", "ref_src", "vero_id", "oly_enc_id", "oly_anon_id")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why a page could not be read, and until when that is not asked again."""

    error: PageError | EgressRefused
    until: float


class PageReader:
    """The reader of a run; all workers share one."""

    def __init__(
        self,
        *,
        shelf: SourceShelf,
        guard: EgressGuard,
        limits: Limits,
        sink: EventSink,
        only_domains: Sequence[str] = (),
        without_domains: Sequence[str] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._shelf = shelf
        self._guard = guard
        self._limits = limits
        self._sink = sink
        self._only = tuple(d for d in map(_plain_domain, only_domains) if d)
        self._without = tuple(d for d in map(_plain_domain, without_domains) if d)
        self._pending: dict[str, asyncio.Task[Snapshot]] = {}
        self._clock = clock
        self._failed: dict[str, _Failure] = {}
        self._reported: set[tuple[str, str]] = set()
        self._hosts: dict[str, asyncio.Semaphore] = {}

    def check_url(self, url: str) -> None:
        """Raise ``EgressRefused`` or ``PageBlocked`` if this address may not be opened at all."""
        host = self._guard.rules.check_url(url).host
        if any(_within(host, domain) for domain in self._without):
            raise PageBlocked(f"The settings leave {host} out.", reason="not_allowed")
        if self._only and not any(_within(host, domain) for domain in self._only):
            raise PageBlocked(f"The settings do not name {host}.", reason="not_allowed")

    async def read(self, url: str, lease: Tabs, *, task: str) -> Snapshot:
        """The page as a numbered source, from the run's store if it was read before.

        Raises ``PageBlocked``, ``PageUnreadable``, ``EgressRefused``, ``BrowserFailed``.
        """
        key = normalise_url(url)
        known = self._shelf.by_url(key) or self._shelf.by_url(url)
        if known is not None:
            self._sink.emit(PageRead(source=known.source, cached=True), task=task)
            return known
        try:
            failure = self._failed.get(key)
            if failure is not None and self._clock() < failure.until:
                raise failure.error
            self.check_url(key)
            pending = self._pending.get(key)
            if pending is not None:
                return await self._join(pending, key, lease, task)
            return await self._lead(key, lease, task)
        except (PageError, EgressRefused) as error:
            self._remember(key, error)
            self._report(key, error, task)
            raise

    def _remember(self, key: str, error: PageError | EgressRefused) -> None:
        """Keep a failure; one that is only told again keeps its time."""
        known = self._failed.get(key)
        if known is None or known.error is not error:
            until = self._clock() + RETRY_SECONDS if _passes(error) else math.inf
            self._failed[key] = _Failure(error, until)

    async def read_current(self, lease: Tabs, *, task: str) -> Snapshot:
        """The page that the worker's own tab shows now, with what clicks have added to it.

        A page that was stored before and shows more now becomes a source of its own, whose address
        carries a fragment that browsers ignore.
        """
        result = await lease.current_page()
        url = normalise_url(result.url)
        try:
            self.check_url(url)
            page = await self._page_of(result)
        except (PageError, EgressRefused) as error:
            self._report(url, error, task)
            raise
        for state in range(1, 50):
            address = page_state(page.url, state)
            known = self._shelf.by_url(address)
            if known is None:
                return self._store(page, address, result.url, task)
            if _texts(known.passages) == _texts(page.passages):
                self._sink.emit(PageRead(source=known.source, cached=True), task=task)
                return known
        endless = PageUnreadable("This page changes without end; it was stored often enough.")
        self._report(url, endless, task)
        raise endless

    async def _lead(self, key: str, lease: Tabs, task: str) -> Snapshot:
        work = asyncio.get_running_loop().create_task(self._read_new(key, lease, task))
        self._pending[key] = work
        try:
            return await work
        finally:
            work.cancel()
            self._pending.pop(key, None)

    async def _join(
        self, pending: asyncio.Task[Snapshot], key: str, lease: Tabs, task: str
    ) -> Snapshot:
        """Wait for another worker's reading; read anew if that worker or its browser ended."""
        await asyncio.wait([pending])
        if pending.cancelled() or isinstance(pending.exception(), BrowserError):
            return await self.read(key, lease, task=task)
        snapshot = pending.result()
        self._sink.emit(PageRead(source=snapshot.source, cached=True), task=task)
        return snapshot

    async def _read_new(self, key: str, lease: Tabs, task: str) -> Snapshot:
        host = urlsplit(key).hostname or ""
        async with self._hosts.setdefault(host, asyncio.Semaphore(PER_HOST)):
            try:
                page = await self._attempt(key, lease)
            except _Transient:
                await asyncio.sleep(_RETRY_PAUSE)
                try:
                    page = await self._attempt(key, lease)
                except _Transient as again:
                    raise PageUnreadable(str(again), transient=again.of_server) from None
        return self._store(page, page.url, key, task)

    async def _attempt(self, key: str, lease: Tabs) -> PageContent:
        result = await lease.read_tab(key)
        self.check_url(result.url)  # where redirects led
        if not result.document:
            page = await self._page_of(result)
            if not page.passages:
                raise _Transient("The page shows no text.")
            return page
        wall = wall_reason(result.status, "", "", "", result.url)
        if wall:
            raise PageBlocked(WALL_SENTENCES[wall], reason=wall)
        document = await fetch_document(
            result.url,
            guard=self._guard,
            max_bytes=self._limits.page_bytes,
            seconds=self._limits.page_seconds,
        )
        self.check_url(document.url)
        return _of_document(document)

    async def _page_of(self, result: TabResult) -> PageContent:
        # In a thread: a large page takes a while, and stops and screens must not wait for it.
        extracted = await asyncio.to_thread(extract_page, result.html, url=result.url)
        title = extracted.title or result.title
        wall = wall_reason(result.status, title, extracted.text, result.html, result.url)
        if wall == "server_error":
            raise _Transient(WALL_SENTENCES[wall], of_server=True)
        if wall:
            raise PageBlocked(WALL_SENTENCES[wall], reason=wall)
        return _of_html(result.url, title, extracted)

    def _store(self, page: PageContent, url: str, requested: str, task: str) -> Snapshot:
        asked = "" if requested == url else requested
        source = self._shelf.add(replace(page, url=url, requested_url=asked), task=task)
        snapshot = self._shelf.snapshot(source.id)
        if snapshot is None:
            raise PageUnreadable("The page could not be stored.")
        return snapshot

    def _report(self, url: str, error: PageError | EgressRefused, task: str) -> None:
        if (task, url) in self._reported:
            return
        self._reported.add((task, url))
        blocked = isinstance(error, PageBlocked)
        reason = error.reason if isinstance(error, PageBlocked) else str(error)
        self._sink.emit(PageFailed(url=url, reason=reason, blocked=blocked), task=task)


class _Transient(PageError):
    """Worth one more try: nothing came, or the server stumbled."""

    def __init__(self, message: str, *, of_server: bool = False) -> None:
        super().__init__(message)
        self.of_server = of_server


def _passes(error: PageError | EgressRefused) -> bool:
    """Whether the page may be there another time."""
    if isinstance(error, PageBlocked):
        return error.reason in _PASSING_WALLS
    return isinstance(error, PageUnreadable) and error.transient


def normalise_url(url: str) -> str:
    """One spelling for one page: no fragment, no tracking parameters, host in lower case."""
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").rstrip(".")
        port = parts.port
    except ValueError:
        return url.strip()
    if parts.scheme.lower() not in ("http", "https") or not host or "@" in parts.netloc:
        return url.strip()
    netloc = f"[{host}]" if ":" in host else host
    if port and (parts.scheme.lower(), port) not in (("http", 80), ("https", 443)):
        netloc += f":{port}"
    query = parts.query
    pairs = parse_qsl(query, keep_blank_values=True)
    kept = [(k, v) for k, v in pairs if k.lower() not in _TRACKING and not _is_utm(k)]
    if len(kept) != len(pairs):  # untouched queries keep their very spelling
        query = urlencode(kept)
    return urlunsplit((parts.scheme.lower(), netloc, parts.path or "/", query, ""))


def _is_utm(name: str) -> bool:
    return name.lower().startswith("utm_")


def _plain_domain(entry: str) -> str:
    text = entry.strip().lower()
    return (urlsplit(text if "//" in text else f"//{text}").hostname or "").removeprefix("*.")


def _within(host: str, domain: str) -> bool:
    return host == domain or host.endswith("." + domain)


def _texts(passages: Sequence[Passage]) -> list[str]:
    return [p.text for p in passages]


def _of_html(url: str, title: str, extracted: Extracted) -> PageContent:
    passages, truncated = split_passages(extracted.text, limit=MAX_PASSAGES)
    return PageContent(
        url=normalise_url(url),
        title=title or _name_of(url),
        site=extracted.site or (urlsplit(url).hostname or ""),
        publisher=extracted.publisher,
        author=extracted.author,
        date=extracted.date,
        language=extracted.language,
        kind=SourceKind.HTML,
        passages=tuple(passages),
        truncated=truncated,
    )


def _of_document(document: Document) -> PageContent:
    passages: list[Passage] = []
    truncated = document.truncated
    for number, text in enumerate(document.pages, 1):
        found, cut = split_passages(
            text,
            first=len(passages) + 1,
            limit=MAX_PASSAGES - len(passages),
            page=number if document.kind is SourceKind.PDF else None,
        )
        passages += found
        truncated = truncated or cut
        if cut:
            break
    if not passages:
        raise PageUnreadable("The document holds no text; it may be a scan.")
    return PageContent(
        url=normalise_url(document.url),
        title=document.title or _name_of(document.url),
        site=urlsplit(document.url).hostname or "",
        author=document.author,
        date=document.date,
        language=detect_language("\n".join(document.pages)[:20_000]),
        kind=document.kind,
        passages=tuple(passages),
        truncated=truncated,
    )


def _name_of(url: str) -> str:
    parts = urlsplit(url)
    return parts.path.rstrip("/").rsplit("/", 1)[-1] or (parts.hostname or url)
