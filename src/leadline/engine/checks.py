"""What was said of a run's claims so far, on its way to one ``ClaimCheck`` a claim."""

from __future__ import annotations

from dataclasses import dataclass, field

from leadline.domain.claim_check import CodeCheck
from leadline.domain.claims import Challenge, Claim, Judgement


@dataclass
class Checks:
    """By claim id: what code says, what checkers said, and why there is no judgement."""

    code: dict[str, CodeCheck]
    judgements: dict[str, list[Judgement]] = field(default_factory=dict)
    challenges: dict[str, list[Challenge]] = field(default_factory=dict)
    silences: dict[str, str] = field(default_factory=dict)
    debated: set[str] = field(default_factory=set)
    """Ids of the claims whose debate is over."""

    def is_open(self, claim: Claim) -> bool:
        """Whether a checker is still to be asked about it."""
        return not self.code[claim.id].problems and not self.judgements.get(claim.id)
