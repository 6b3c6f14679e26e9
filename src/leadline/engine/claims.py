"""The run's claims: merged from what counts, checked in code, shown to checkers.

Merging and code checks need no model and are done anew whenever claims are asked for; the log gets
a ``claims.merged`` only when they changed.
"""

from __future__ import annotations

from collections.abc import Iterable

from leadline.browsing.walls import wall_reason
from leadline.domain.claim_check import CodeCheck, check_in_code
from leadline.domain.claim_merge import merge_findings
from leadline.domain.claims import Claim, Conflict
from leadline.domain.conflicts import find_conflicts
from leadline.domain.events import ClaimsMerged
from leadline.domain.evidence import PassageRef, Snapshot
from leadline.domain.origins import find_origins
from leadline.domain.text import shorten
from leadline.errors import RunFolderDamaged
from leadline.models.verification_requests import ShownPassage
from leadline.runs.session import RunSession

CONTEXT_CHARS = 160
"""Of the passages before and after one that is shown: a condition often stands there."""


class Store:
    """The stored pages of a run, read once each; one that is gone or changed is None."""

    def __init__(self, session: RunSession) -> None:
        self._session = session
        self._known: dict[int, Snapshot | None] = {}

    def snapshot(self, number: int) -> Snapshot | None:
        """Source ``number`` as it is on disk now."""
        if number not in self._known:
            source = self._session.view.sources.get(number)
            try:
                loaded = self._session.folder.load_snapshot(source) if source else None
            except RunFolderDamaged:
                loaded = None  # said of each claim that rests on it
            self._known[number] = loaded
        return self._known[number]

    def shown(self, refs: Iterable[PassageRef]) -> tuple[ShownPassage, ...]:
        """Passages as a checker sees them, each once."""
        found = (self._shown(ref) for ref in dict.fromkeys(refs))
        return tuple(passage for passage in found if passage)

    def _shown(self, ref: PassageRef) -> ShownPassage | None:
        snapshot = self.snapshot(ref.source)
        passage = snapshot.passage(ref.passage) if snapshot else None
        if snapshot is None or passage is None:
            return None
        around = [snapshot.passage(ref.passage - 1), snapshot.passage(ref.passage + 1)]
        context = " … ".join(shorten(p.text, CONTEXT_CHARS) for p in around if p)
        about = ", ".join(filter(None, (snapshot.source.title, snapshot.source.date)))
        return ShownPassage(ref=ref, text=passage.text, source=shorten(about, 120), context=context)


def merged_claims(session: RunSession, store: Store) -> ClaimsMerged:
    """The claims that the run's findings come to now, with conflicts that code sees."""
    view = session.view
    findings = view.counted_findings()
    snapshots = [s for number in sorted(view.sources) if (s := store.snapshot(number))]
    origins = {number: number for number in sorted(view.sources)} | find_origins(snapshots)
    claims = merge_findings(findings, view.sources, origins)
    return ClaimsMerged(
        claims=claims, origins=origins, conflicts=find_conflicts(claims, view.sources)
    )


def take_claims(session: RunSession, store: Store) -> tuple[Claim, ...]:
    """Bring the log's claims up to date and return them.

    Conflicts that a checker found, and what was settled, stay as long as both claims are there.
    """
    now, view = merged_claims(session, store), session.view
    if (now.claims, now.origins) != (tuple(view.claims.values()), dict(view.origins)):
        ids = {claim.id for claim in now.claims}
        kept = {frozenset(c.claims): c for c in now.conflicts}
        for known in view.conflicts:
            told = known.found_by != "code" or known.settled_for
            if told and ids.issuperset(known.claims):
                kept[frozenset(known.claims)] = known
        session.emit(now.model_copy(update={"conflicts": tuple(kept.values())}))
    return tuple(session.view.claims.values())


def code_checks(claims: Iterable[Claim], store: Store) -> dict[str, CodeCheck]:
    """What code says of each claim, by id."""
    return {claim.id: check_in_code(claim, store.snapshot, wall=_wall) for claim in claims}


def conflicts_of(session: RunSession, claim_id: str) -> list[Conflict]:
    """The conflicts that a claim is in."""
    return [c for c in session.view.conflicts if claim_id in c.claims]


def _wall(snapshot: Snapshot) -> str | None:
    source = snapshot.source
    text = "\n".join(passage.text for passage in snapshot.passages)
    return wall_reason(0, source.title, text, "", source.url)
