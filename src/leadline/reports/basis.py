"""What a report rests on: the claims of a run and what was checked about each.

Invariant (fail closed): a claim without a check of its present wording is *not checked*, and one
whose check does not allow it is never usable. Where a run was ended before its findings became
claims, they are merged here and count as not checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from leadline.domain.claim_merge import merge_findings
from leadline.domain.claims import Claim, ClaimCheck, ClaimState, Conflict, fingerprint
from leadline.domain.projection import RunView

WEAKNESS = (
    ClaimState.SUPPORTED,
    ClaimState.QUALIFIED,
    ClaimState.NOT_CHECKED,
    ClaimState.UNVERIFIED,
    ClaimState.DISPUTED,
    ClaimState.CONTRADICTED,
)
"""The states from the strongest to the weakest."""

SUPERSEDED = "superseded"
PARTLY_SUPERSEDED = "partly superseded"
"""The older value is told together with the one that replaces it."""


@dataclass(frozen=True)
class Basis:
    """Claims by id, their checks by claim id, and what is at odds among them."""

    claims: Mapping[str, Claim]
    checks: Mapping[str, ClaimCheck]
    conflicts: tuple[Conflict, ...] = ()

    @classmethod
    def of(cls, view: RunView) -> Basis:
        """The basis of a run's report, every finding that counts in one of the claims.

        What a debate found as counter-evidence counts for no task, and so is none of them.
        """
        covered = {finding for claim in view.claims.values() for finding in claim.findings}
        counted = view.counted_findings()
        if covered.issuperset(finding.id for finding in counted):
            return cls(view.claims, view.checks, view.conflicts)
        merged = merge_findings(counted, view.sources, view.origins)
        claims = {claim.id: claim for claim in merged}
        checks = {
            key: check
            for key, check in view.checks.items()
            if key in claims and check.fingerprint == fingerprint(claims[key])
        }
        known = tuple(c for c in view.conflicts if claims.keys() >= set(c.claims))
        return cls(claims, checks, known)

    def state(self, claim_id: str) -> ClaimState:
        """What the checks of a claim came to."""
        check = self.checks.get(claim_id)
        return check.state if check else ClaimState.NOT_CHECKED

    def usable(self, claim_id: str) -> bool:
        """Whether the report may state a claim."""
        check = self.checks.get(claim_id)
        return claim_id in self.claims and (check is None or check.usable)

    def superseded_by(self, claim_id: str) -> str:
        """Id of the newer claim that replaces this one, or nothing."""
        check = self.checks.get(claim_id)
        return check.superseded_by if check else ""

    def weakest(self, ids: Iterable[str]) -> ClaimState:
        """The weakest state of some claims; of none, *not checked*."""
        states = {self.state(claim_id) for claim_id in ids}
        return max(states, key=WEAKNESS.index) if states else ClaimState.NOT_CHECKED

    def mark(self, ids: Iterable[str]) -> str:
        """The word that a sentence on these claims carries; empty when all are supported."""
        ids = tuple(ids)
        weakest = self.weakest(ids)
        if weakest in (ClaimState.QUALIFIED, ClaimState.NOT_CHECKED):
            newer = {self.superseded_by(claim_id) for claim_id in ids} - {""}
            if newer:
                return PARTLY_SUPERSEDED if newer & set(ids) else SUPERSEDED
        return "" if weakest is ClaimState.SUPPORTED else weakest.value
