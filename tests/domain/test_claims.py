"""Values of what was claimed and checked: nothing missing or unreadable becomes the best value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

import leadline
from leadline.domain.claims import (
    Challenge,
    Claim,
    ClaimCheck,
    ClaimState,
    Confidence,
    Judgement,
    Ruling,
    Severity,
)

CLAIM: dict[str, Any] = {
    "id": "c1", "text": "It has 3 berths.", "findings": ["f1"],
    "passages": [{"source": 1, "passage": 1}], "quotes": ["It has 3 berths."],
}  # fmt: skip


def test_w3_2_what_is_not_said_is_the_weakest() -> None:
    assert Claim.model_validate(CLAIM).confidence is Confidence.LOW
    raised = Challenge(claim="c1", challenge="No.", severity=Severity.MINOR)
    assert raised.ruling is Ruling.OPEN


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (Claim, {**CLAIM, "confidence": "very high"}),
        (Judgement, {"claim": "c1", "verdict": "verified?"}),
        (Judgement, {"claim": "c1"}),
        (Challenge, {"claim": "c1", "challenge": "No.", "severity": "grave"}),
        (ClaimCheck, {"claim": "c1", "state": "true", "usable": True}),
        (ClaimCheck, {"claim": "c1", "usable": True}),
    ],
)
def test_w3_2_a_bad_or_missing_word_is_refused_and_not_filled_in(kind: Any, values: Any) -> None:
    with pytest.raises(ValidationError):
        kind.model_validate(values)


def test_w3_2_no_value_is_made_past_its_validation() -> None:
    """Else texts stand where enums are expected."""
    sources = Path(leadline.__file__).parent.rglob("*.py")
    assert not [p.name for p in sources if "model_construct" in p.read_text("utf-8")]


@pytest.mark.parametrize("state", ClaimState)
@pytest.mark.parametrize("claimed", [True, False])
def test_w3_4_resolved_is_computed_and_never_taken_from_anybody(
    state: ClaimState, claimed: bool
) -> None:
    values = {"claim": "c1", "state": state, "usable": True, "resolved": claimed}
    settled = {ClaimState.SUPPORTED, ClaimState.QUALIFIED, ClaimState.CONTRADICTED}
    assert ClaimCheck.model_validate(values).resolved is (state in settled)
