"""Claims, findings and stored pages for tests, made by hand in one line each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from leadline.domain.claims import Claim
from leadline.domain.evidence import Finding, Passage, PassageRef, Snapshot, Source
from leadline.domain.origins import find_origins, independent
from leadline.domain.source_files import text_hash

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def page(
    number: int,
    *passages: str,
    url: str = "",
    date: str = "",
    title: str = "",
    origin: int | None = None,
) -> Snapshot:
    """A stored page; without an address of its own it is on a site of its own."""
    stored = tuple(Passage(number=n, text=text) for n, text in enumerate(passages, start=1))
    source = Source(
        id=number,
        url=url or f"https://site{number}.example/page",
        title=title or f"Page {number}",
        site=f"Site {number}",
        date=date,
        fetched_at=NOW,
        hash=text_hash(stored),
        passages=len(stored),
        origin=origin,
    )
    return Snapshot(source=source, passages=stored)


def finding(
    number: int, claim: str, *refs: str, task: str = "t1", quotes: Sequence[str] = ()
) -> Finding:
    """A finding; its quotes are the claim itself unless they are given."""
    parsed = tuple(ref for text in refs or ("1.1",) if (ref := PassageRef.parse(text)))
    return Finding(
        id=f"f{number}",
        task=task,
        claim=claim,
        passages=parsed,
        quotes=tuple(quotes) or (claim,) * len(parsed),
    )


def claim(number: int, text: str, *snapshots: Snapshot, date: str = "") -> Claim:
    """A claim on the first passage of each of these pages."""
    sources = {s.source.id: s.source for s in snapshots}
    refs = tuple(PassageRef(source=s.source.id, passage=1) for s in snapshots)
    return Claim(
        id=f"c{number}",
        text=text,
        findings=(f"f{number}",),
        passages=refs or (PassageRef(source=1, passage=1),),
        quotes=tuple(s.passages[0].text for s in snapshots) or (text,),
        origins=independent(sources, sources, find_origins(snapshots)),
        date=date or max((s.source.date for s in snapshots), default=""),
    )
