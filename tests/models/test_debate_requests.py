"""Reading what a debate says: what is missing or malformed settles nothing (S3-37 to S3-41)."""

from __future__ import annotations

from typing import Any

import pytest

from leadline.domain.claims import Challenge, Conflict, ConflictKind, Ruling, Severity
from leadline.domain.evidence import PassageRef
from leadline.models.debate_requests import (
    AdjudicateRequest,
    ChallengeRequest,
    RebuttalRequest,
    RefuteRequest,
)
from leadline.models.requests import AnswerUnusable
from leadline.models.verification_requests import ShownPassage
from tests.claims_by_hand import claim, page

PAGES = [page(n, f"Passage {n} of the harbour.") for n in (1, 2)]
ABOUT: dict[str, Any] = {
    "claims": tuple(claim(n, f"Statement {n}", PAGES[n - 1]) for n in (1, 2)),
    "passages": tuple(ShownPassage(ref=PassageRef(source=n, passage=1), text="{}") for n in (1, 2)),
}
CHALLENGES = tuple(
    Challenge(claim=f"c{n}", challenge=f"Objection {n}", severity=Severity.CRITICAL) for n in (1, 2)
)
CONFLICT = Conflict(kind=ConflictKind.CONTRADICTION, claims=("c1", "c2"), reason="They differ.")
REFUTE = RefuteRequest(topic="The harbour", most=2, **ABOUT)
CHALLENGE = ChallengeRequest(**ABOUT)
REBUTTAL = RebuttalRequest(challenges=CHALLENGES, **ABOUT)
ADJUDICATE = AdjudicateRequest(conflict=CONFLICT, **ABOUT)


@pytest.mark.parametrize("request_", [REFUTE, CHALLENGE, REBUTTAL, ADJUDICATE])
def test_every_prompt_renders_with_its_material_as_data(request_: Any) -> None:
    _, user = request_.render(make_nonce=lambda: "N0NCE")
    assert user.text.count('<data nonce="N0NCE">') >= 2
    assert '"c1"' in user.text
    assert '"passage": "2.1"' in user.text


@pytest.mark.parametrize("request_", [REFUTE, CHALLENGE, REBUTTAL, ADJUDICATE])
@pytest.mark.parametrize("value", [None, "no", 3, {}, {"summary": "fine"}])
def test_an_answer_of_another_shape_is_asked_for_again(request_: Any, value: Any) -> None:
    with pytest.raises(AnswerUnusable):
        request_.parse(value)


def test_searches_are_for_claims_that_were_asked_about_and_clamped() -> None:
    rows = [
        {"claim": "c1", "query": "harbour official figures"},
        {"claim": "c1", "query": "Harbour OFFICIAL figures"},
        {"claim": "c9", "query": "something else"},
        {"claim": "c2", "query": ""},
        {"claim": "c2", "query": "harbour correction"},
        {"claim": "c2", "query": "one too many"},
    ]
    found = REFUTE.parse({"searches": rows})
    assert [(s.claim, s.query) for s in found] == [
        ("c1", "harbour official figures"), ("c2", "harbour correction"),
    ]  # fmt: skip
    assert REFUTE.parse({"searches": []}) == ()


def test_challenges_rest_on_passages_that_were_shown_or_on_none() -> None:
    rows = [
        {"claim": "C1", "challenge": "No.", "severity": "critical", "passages": ["2.1", "7.7"]},
        {"claim": "c2", "challenge": "Hm.", "severity": "enormous"},
        {"claim": "c3", "challenge": "Unknown claim.", "severity": "minor"},
        {"claim": "c2", "challenge": ""},
    ]
    first, second = CHALLENGE.parse(rows)
    assert [str(ref) for ref in first.passages] == ["2.1"]
    assert (second.severity, second.passages, second.ruling) == (
        Severity.MODERATE, (), Ruling.OPEN,
    )  # fmt: skip


@pytest.mark.parametrize("severity", [None, "", "enormous", 1, ["critical"], {"critical": 1}])
def test_w3_2_an_unknown_severity_neither_sinks_a_claim_nor_spares_it(severity: Any) -> None:
    (found,) = CHALLENGE.parse([{"claim": "c1", "challenge": "No.", "severity": severity}])
    assert found.severity is Severity.MODERATE


def test_a_challenge_that_nobody_rules_on_stays_open() -> None:
    first, second = REBUTTAL.parse({"rulings": [{"challenge": "2", "ruling": "Reject"}]})
    assert (first.ruling, second.ruling) == (Ruling.OPEN, Ruling.REJECTED)


def test_two_rulings_on_one_challenge_leave_it_disputed() -> None:
    rows = [{"challenge": 1, "ruling": "reject"}, {"challenge": 1, "ruling": "accept"}]
    assert REBUTTAL.parse(rows)[0].ruling is Ruling.DISPUTED


@pytest.mark.parametrize(
    "row", [{"challenge": 3, "ruling": "reject"}, {"challenge": 1, "ruling": "not reject"}]
)
def test_a_ruling_on_nothing_or_in_other_words_is_unusable(row: dict[str, Any]) -> None:
    with pytest.raises(AnswerUnusable):
        REBUTTAL.parse([row])


@pytest.mark.parametrize(
    "value",
    [
        {"for": "undecided", "reason": "Nothing settles it.", "passages": ["1.1"]},
        {"for": "c7", "reason": "It says so.", "passages": ["1.1"]},
        {"for": "c1", "reason": "", "passages": ["1.1"]},
        {"for": "c1", "reason": "Because.", "passages": []},
        {"for": "c1", "reason": "Because.", "passages": ["9.9"]},
    ],
)
def test_a_contradiction_is_settled_only_with_a_reason_and_a_passage(value: Any) -> None:
    assert ADJUDICATE.parse(value) == CONFLICT


def test_a_settled_contradiction_names_its_evidence() -> None:
    settled = ADJUDICATE.parse({"for": "c2", "reason": "The final count.", "passages": ["2.1"]})
    assert (settled.settled_for, settled.settled_by, settled.is_open) == (
        "c2", "The final count.", False,
    )  # fmt: skip
