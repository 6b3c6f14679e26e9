"""What the offline model can say of a claim: whether it stands in its passages in so many words.

It judges no paraphrase: of a claim in other words it says nothing, and the claim stays unverified.
"""

from __future__ import annotations

from leadline.domain.claims import Judgement, Verdict
from leadline.domain.text import numbers, numbers_said, terms
from leadline.models.verification_requests import VerifyAnswer, VerifyRequest


def verdicts_by_rule(request: VerifyRequest) -> VerifyAnswer:
    """*Supports* for each claim whose words and numbers all stand in one of its passages."""
    shown = {passage.ref: passage.text for passage in request.passages}
    found: list[Judgement] = []
    for claim in request.claims:
        carrying = tuple(
            ref for ref in claim.passages if ref in shown and _holds(shown[ref], claim.text)
        )
        if carrying:
            found.append(
                Judgement(
                    claim=claim.id, verdict=Verdict.SUPPORTS, passages=carrying, by="rule",
                    reason="It stands there in these words.",
                )
            )  # fmt: skip
    return VerifyAnswer(judgements=tuple(found))


def _holds(passage: str, claim: str) -> bool:
    return terms(claim) <= terms(passage) and numbers(claim) <= numbers_said(passage)
