"""The claims of a run as the page shows them: one row a claim, made from a look at the run. Pure.

Invariant: a run of a version without claims has none here; its report says all that it had.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from leadline.domain.claims import Claim, ClaimScore, ClaimState
from leadline.domain.evidence import PassageRef
from leadline.domain.projection import RunView
from leadline.reports.basis import SUPERSEDED, Basis
from leadline.reports.escape import host_of
from leadline.reports.render import RestingClaim
from leadline.web.run_sentences import in_words
from leadline.web.texts import Texts


@dataclass(frozen=True)
class ClaimRow:
    """A claim, what its checks came to, and what stands behind it."""

    claim: Claim
    state: ClaimState
    mark: str
    """Its state, or ``superseded``: what the badge says."""
    why: str
    usable: bool
    superseded_by: str
    against: tuple[str, ...]
    views: tuple[str, ...]
    """Parts of the plan whose tasks found it."""
    origins: int
    score: ClaimScore | None
    site: str
    date: str
    passages: tuple[tuple[PassageRef, str], ...]
    """Each stored passage with the host that it is from."""


def basis_of(view: RunView) -> Basis | None:
    """What the run's claims and checks are; None for a run that has none."""
    if not view.claims and not (view.report_ready and view.report_ready.template):
        return None
    basis = Basis.of(view)
    return basis if basis.claims else None


def rows_of(view: RunView, basis: Basis, texts: Texts) -> list[ClaimRow]:
    """One row for each claim, in the order of the claims."""
    parts = {
        task.id: c.name for c in (view.plan.categories if view.plan else ()) for task in c.tasks
    }
    return [_row(view, basis, claim, parts, texts) for claim in basis.claims.values()]


def _row(
    view: RunView, basis: Basis, claim: Claim, parts: Mapping[str, str], texts: Texts
) -> ClaimRow:
    check = basis.checks.get(claim.id)
    state = basis.state(claim.id)
    source = next((s for n in claim.sources if (s := view.sources.get(n))), None)
    return ClaimRow(
        claim=claim,
        state=state,
        mark=mark_of(basis, claim.id),
        why=in_words(check.reason, texts) if check else "",
        usable=basis.usable(claim.id),
        superseded_by=basis.superseded_by(claim.id),
        against=check.against if check else (),
        views=tuple(dict.fromkeys(parts[t] for t in claim.tasks if t in parts)),
        origins=len(claim.origins) or len({view.origins.get(n, n) for n in claim.sources}),
        score=view.scores.get(claim.id),
        site=(source.site or host_of(source.url)) if source else "",
        date=claim.date or (source.date if source else ""),
        passages=tuple(
            (ref, host_of(found.url))
            for ref in claim.passages
            if (found := view.sources.get(ref.source)) and ref.passage <= found.passages
        ),
    )


def mark_of(basis: Basis, claim_id: str) -> str:
    """What the badge of a claim says: its state, or that a newer value replaces it."""
    state = basis.state(claim_id)
    replaced = state is ClaimState.QUALIFIED and basis.superseded_by(claim_id)
    return SUPERSEDED if replaced else state.value


def resting_on(view: RunView, source: int, texts: Texts) -> list[RestingClaim]:
    """The claims that rest on a source, as its stored page lists them."""
    basis = basis_of(view)
    if basis is None:
        return []
    return [
        RestingClaim(
            id=claim.id,
            text=claim.text,
            state=mark_of(basis, claim.id),
            why=in_words(check.reason, texts) if (check := basis.checks.get(claim.id)) else "",
            passages=tuple(ref.passage for ref in claim.passages if ref.source == source),
        )
        for claim in basis.claims.values()
        if source in claim.sources
    ]
