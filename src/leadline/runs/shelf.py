"""Sources and findings of a run: stored before they are logged, numbered, never twice.

Invariant: a source's text is on the disk before its ``page.read`` is in the log, so a source that
is known can be read. A file without its event (a crash in between) is written over by the next
source. A finding's quotes are looked up here, never handed in.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import datetime

from leadline.domain import events as ev
from leadline.domain.evidence import (
    Finding,
    PageContent,
    PassageRef,
    Snapshot,
    Source,
    page_address,
)
from leadline.domain.projection import RunView
from leadline.domain.source_files import clean, render_source_markdown, text_hash
from leadline.errors import LeadlineError
from leadline.runs.atomic import make_folder, replace_text
from leadline.runs.folder import RunFolder

_SNAPSHOTS_KEPT = 64


class EvidenceShelf(ABC):
    """``SourceShelf`` and ``FindingBook`` on a run folder, for the session that owns it."""

    def __init__(self, folder: RunFolder, *, clock: Callable[[], datetime]) -> None:
        self.folder = folder
        self.view = RunView()
        """The run as logged so far; it goes on changing."""
        self._clock = clock
        self._lock = threading.RLock()
        self._snapshots: dict[int, Snapshot] = {}
        self._by_url: dict[str, int] = {}

    @abstractmethod
    def emit(self, event: ev.Event, *, task: str = "") -> None:
        """Append one event to the log and apply it to the view."""

    def add(self, page: PageContent, *, task: str) -> Source:
        """Store a page as the next source and emit ``page.read``; see ``SourceShelf``."""
        with self._lock:
            known = self._source_at(page.url)
            if known is not None:
                self._know_address(known.id, page.requested_url)
                return known
            stored = tuple(
                p.model_copy(update={"text": clean(p.text), "heading": clean(p.heading)})
                for p in page.passages
            )
            digest = text_hash(stored)
            same = (s for s in self.view.sources.values() if stored and s.hash == digest)
            origin = next((s.origin or s.id for s in same), None)
            source = Source(
                id=max(self.view.sources, default=0) + 1,
                url=clean(page.url),
                requested_url=clean(page.requested_url) if page.requested_url != page.url else "",
                title=clean(page.title),
                site=clean(page.site),
                publisher=clean(page.publisher),
                author=clean(page.author),
                date=clean(page.date),
                language=clean(page.language),
                fetched_at=self._clock(),
                hash=digest,
                kind=page.kind,
                passages=len(stored),
                origin=origin,
                truncated=page.truncated,
            )
            snapshot = Snapshot(source=source, passages=stored)
            path = self.folder.file(f"sources/{source.id}.md")
            make_folder(path.parent)
            replace_text(path, render_source_markdown(snapshot))
            self.emit(ev.PageRead(source=source), task=task)
            self._know_address(source.id, page.url, page.requested_url)
            self._keep(snapshot)
            return source

    def by_url(self, url: str) -> Snapshot | None:
        """The source that was stored for this address (asked for or final), or None."""
        with self._lock:
            source = self._source_at(url)
            return self.snapshot(source.id) if source else None

    def snapshot(self, source_id: int) -> Snapshot | None:
        """Source ``source_id`` with its passages, or None."""
        with self._lock:
            kept = self._snapshots.get(source_id)
            source = self.view.sources.get(source_id)
            if kept is not None or source is None:
                return kept
            return self._keep(self.folder.load_snapshot(source))

    def record(self, *, task: str, claim: str, passages: Sequence[PassageRef]) -> Finding:
        """Number and store a finding that was checked; the same one twice is one."""
        with self._lock:
            claim, refs = clean(claim), tuple(passages)
            for finding in self.view.findings.values():
                if (finding.task, finding.claim, finding.passages) == (task, claim, refs):
                    return finding
            number = max((int(i[1:]) for i in self.view.findings), default=0) + 1
            finding = Finding(
                id=f"f{number}",
                task=task,
                claim=claim,
                passages=refs,
                quotes=tuple(self._quote(ref) for ref in refs),
            )
            self.emit(ev.FindingRecorded(finding=finding), task=task)
            return finding

    def _quote(self, ref: PassageRef) -> str:
        snapshot = self.snapshot(ref.source)
        passage = snapshot.passage(ref.passage) if snapshot else None
        if passage is None:
            raise LeadlineError(f"There is no passage {ref} in this run.")
        return passage.text

    def _source_at(self, url: str) -> Source | None:
        number = self._by_url.get(page_address(url))
        return self.view.sources.get(number) if number is not None else None

    def _know_sources(self) -> None:
        """Learn the addresses of the sources in the view, after a replay."""
        for source in self.view.sources.values():
            self._know_address(source.id, source.url, source.requested_url)

    def _know_address(self, source_id: int, *urls: str) -> None:
        for url in urls:
            if url:
                self._by_url.setdefault(page_address(url), source_id)

    def _keep(self, snapshot: Snapshot) -> Snapshot:
        self._snapshots[snapshot.source.id] = snapshot
        while len(self._snapshots) > _SNAPSHOTS_KEPT:
            self._snapshots.pop(next(iter(self._snapshots)))
        return snapshot
