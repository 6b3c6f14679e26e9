"""In-memory doubles for the edges in ``leadline.domain.ports``, for tests that need no folder."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime

from leadline.domain.events import Event, FindingRecorded, PageRead
from leadline.domain.evidence import (
    Finding,
    PageContent,
    PassageRef,
    Snapshot,
    Source,
    page_address,
)


class MemoryRun:
    """``EventSink``, ``SourceShelf`` and ``FindingBook`` in one, as the run folder is."""

    def __init__(self) -> None:
        self.events: list[tuple[str, Event]] = []
        self.snapshots: dict[int, Snapshot] = {}
        self.findings: list[Finding] = []

    def emit(self, event: Event, *, task: str = "") -> None:
        self.events.append((task, event))

    def of(self, kind: type) -> list[Event]:
        """All events of one class, in order."""
        return [event for _, event in self.events if isinstance(event, kind)]

    def add(self, page: PageContent, *, task: str = "") -> Source:
        known = self.by_url(page.url)
        if known:
            return known.source
        text = "\n".join(p.text for p in page.passages)
        source = Source(
            id=len(self.snapshots) + 1,
            url=page.url,
            requested_url=page.requested_url,
            title=page.title,
            site=page.site,
            author=page.author,
            date=page.date,
            language=page.language,
            fetched_at=datetime.now(UTC),
            hash=hashlib.sha256(text.encode()).hexdigest(),
            kind=page.kind,
            passages=len(page.passages),
            truncated=page.truncated,
        )
        self.snapshots[source.id] = Snapshot(source=source, passages=page.passages)
        self.emit(PageRead(source=source), task=task)
        return source

    def by_url(self, url: str) -> Snapshot | None:
        return next(
            (s for s in self.snapshots.values() if page_address(url) in _addresses(s.source)),
            None,
        )

    def snapshot(self, source_id: int) -> Snapshot | None:
        return self.snapshots.get(source_id)

    def record(self, *, task: str, claim: str, passages: Sequence[PassageRef]) -> Finding:
        quotes = tuple(self.snapshots[r.source].passages[r.passage - 1].text for r in passages)
        finding = Finding(
            id=f"f{len(self.findings) + 1}",
            task=task,
            claim=claim,
            passages=tuple(passages),
            quotes=quotes,
        )
        self.findings.append(finding)
        self.emit(FindingRecorded(finding=finding), task=task)
        return finding


def _addresses(source: Source) -> set[str]:
    return {page_address(url) for url in (source.url, source.requested_url) if url}
