"""From what was said of a claim to its state, failing closed (W3-1 to W3-7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.claim_check import CodeCheck
from leadline.domain.claims import (
    Challenge,
    ClaimCheck,
    ClaimState,
    Conflict,
    ConflictKind,
    Judgement,
    Ruling,
    Severity,
    Verdict,
    Verification,
)
from leadline.domain.evidence import PassageRef
from leadline.domain.verdicts import conclude, parse_verdict
from tests.claims_by_hand import claim, page

CLAIM = claim(1, "The quay delivers 4.2 MW.")
FINE = CodeCheck(coverage=0.9)
REF = PassageRef(source=2, passage=3)


def judged(verdict: Verdict = Verdict.SUPPORTS, reason: str = "") -> Judgement:
    return Judgement(claim="c1", verdict=verdict, reason=reason)


def challenge(severity: Severity, ruling: Ruling, *refs: PassageRef) -> Challenge:
    return Challenge(
        claim="c1", challenge="A test says 3.9.", severity=severity, ruling=ruling, passages=refs
    )


def conflict(**changes: object) -> Conflict:
    values = {"kind": ConflictKind.CONTRADICTION, "claims": ("c1", "c2"), "reason": "They differ."}
    return Conflict.model_validate({**values, **changes})


def concluded(**given: object) -> ClaimCheck:
    values: dict[str, object] = {"level": Verification.CHECK, "judgements": [judged()], **given}
    return conclude(CLAIM, FINE, **values)  # type: ignore[arg-type]  # keyword values by name


@pytest.mark.parametrize(
    "word",
    [
        "unverified", "not verified", "Not Supported", "incorrect", "untrue", "unconfirmed",
        "不支持", "suspect", "false", "verified?!?", "supports not", "very supported indeed", "",
        "SUPPORTSX", None, 1, ["supports"],
    ],
)  # fmt: skip
def test_w3_1_no_negated_or_unknown_word_becomes_supported(word: object) -> None:
    assert parse_verdict(word) is not Verdict.SUPPORTS


@given(st.text(max_size=40))
def test_w3_1_only_whole_words_of_the_table_support(text: str) -> None:
    if parse_verdict(f"not {text}") is not None:
        assert parse_verdict(f"not {text}") is Verdict.SILENT


@pytest.mark.parametrize(
    ("word", "verdict"),
    [
        ("supports", Verdict.SUPPORTS), (" Supported. ", Verdict.SUPPORTS),
        ("属实", Verdict.SUPPORTS),
        ("qualifies", Verdict.QUALIFIES), ("partially supported", Verdict.QUALIFIES),
        ("contradicts", Verdict.CONTRADICTS), ("does not address", Verdict.SILENT),
    ],
)  # fmt: skip
def test_known_words_are_read(word: str, verdict: Verdict) -> None:
    assert parse_verdict(word) is verdict


def test_supported_needs_everything() -> None:
    found = concluded()
    assert (found.state, found.reason, found.usable, found.resolved) == (
        ClaimState.SUPPORTED, "", True, True,
    )  # fmt: skip


def test_w3_3_a_claim_that_nobody_judged_is_unverified() -> None:
    found = concluded(judgements=[], silence="The verifier was rate-limited.")
    assert (found.state, found.reason) == (ClaimState.UNVERIFIED, "The verifier was rate-limited.")
    assert found.usable
    assert not found.resolved
    other = Judgement(claim="c9", verdict=Verdict.SUPPORTS)
    assert concluded(judgements=[other]).state is ClaimState.UNVERIFIED


def test_code_outweighs_every_checker() -> None:
    bad = CodeCheck(problems=("It states 9, which its passages do not.",), coverage=1)
    found = conclude(CLAIM, bad, level=Verification.DEBATE, judgements=[judged()])
    assert (found.state, found.usable) == (ClaimState.UNVERIFIED, False)
    assert "states 9" in found.reason


def test_a_models_word_is_not_enough_for_a_claim_in_quite_other_words() -> None:
    found = conclude(
        CLAIM, CodeCheck(coverage=0.2), level=Verification.CHECK, judgements=[judged()]
    )
    assert (found.state, found.usable) == (ClaimState.UNVERIFIED, True)


@pytest.mark.parametrize(
    ("verdict", "state", "usable"),
    [
        (Verdict.QUALIFIES, ClaimState.QUALIFIED, True),
        (Verdict.CONTRADICTS, ClaimState.CONTRADICTED, False),
        (Verdict.SILENT, ClaimState.UNVERIFIED, False),
    ],
)
def test_qualifies_is_not_contradicts(verdict: Verdict, state: ClaimState, usable: bool) -> None:
    found = concluded(judgements=[judged(verdict, "Only in winter.")])
    assert (found.state, found.usable, found.reason) == (state, usable, "Only in winter.")


def test_the_last_judgement_weighs() -> None:
    assert concluded(judgements=[judged(), judged(Verdict.SILENT)]).state is ClaimState.UNVERIFIED


def test_without_verification_nothing_is_called_checked() -> None:
    found = concluded(level=Verification.OFF, judgements=[])
    assert (found.state, found.usable) == (ClaimState.NOT_CHECKED, True)


@pytest.mark.parametrize(
    ("raised", "state"),
    [
        (challenge(Severity.CRITICAL, Ruling.REJECTED, REF), ClaimState.SUPPORTED),
        (challenge(Severity.CRITICAL, Ruling.ACCEPTED, REF), ClaimState.CONTRADICTED),
        (challenge(Severity.CRITICAL, Ruling.ACCEPTED), ClaimState.DISPUTED),
        (challenge(Severity.CRITICAL, Ruling.OPEN, REF), ClaimState.DISPUTED),
        (challenge(Severity.CRITICAL, Ruling.DISPUTED, REF), ClaimState.DISPUTED),
        (challenge(Severity.MODERATE, Ruling.ACCEPTED), ClaimState.QUALIFIED),
        (challenge(Severity.MODERATE, Ruling.OPEN), ClaimState.DISPUTED),
        (challenge(Severity.MINOR, Ruling.OPEN), ClaimState.QUALIFIED),
    ],
)
def test_s3_38_challenges_lower_as_far_as_they_hold(raised: Challenge, state: ClaimState) -> None:
    found = concluded(challenges=[raised])
    assert found.state is state
    assert found.challenges == (raised,)


def test_an_open_contradiction_disputes_both_sides() -> None:
    found = concluded(conflicts=[conflict()])
    assert (found.state, found.against) == (ClaimState.DISPUTED, ("c2",))
    assert "c2" in found.reason
    assert not found.resolved


def test_a_settled_contradiction_counts_against_one_side() -> None:
    settled = {"settled_by": "The final count says so."}
    lost = concluded(conflicts=[conflict(settled_for="c2", **settled)])
    assert (lost.state, lost.reason) == (ClaimState.CONTRADICTED, "The final count says so.")
    won = concluded(conflicts=[conflict(settled_for="c1", **settled)])
    assert (won.state, won.against) == (ClaimState.SUPPORTED, ())


def test_a_superseded_value_is_never_plainly_supported() -> None:
    old = concluded(conflicts=[conflict(kind=ConflictKind.SUPERSEDED)])
    assert (old.state, old.superseded_by) == (ClaimState.QUALIFIED, "c2")
    new = concluded(conflicts=[conflict(kind=ConflictKind.SUPERSEDED, claims=("c2", "c1"))])
    assert (new.state, new.superseded_by) == (ClaimState.SUPPORTED, "")


def test_what_an_older_edition_says_is_qualified_and_names_the_newer_one() -> None:
    newer = page(2, "x", title="Timetable 2026", date="2026-01-01").source
    found = concluded(newer_edition=newer)
    assert (found.state, found.stale) == (ClaimState.QUALIFIED, True)
    assert "Timetable 2026" in found.reason
    disputed = concluded(newer_edition=newer, conflicts=[conflict()])
    assert (disputed.state, disputed.stale) == (ClaimState.DISPUTED, True)


@given(
    st.lists(st.sampled_from(Verdict), max_size=3),
    st.lists(st.tuples(st.sampled_from(Severity), st.sampled_from(Ruling)), max_size=3),
    st.booleans(),
    st.booleans(),
)
def test_nothing_more_said_ever_raises_a_state(
    verdicts: list[Verdict],
    raised: list[tuple[Severity, Ruling]],
    at_odds: bool,
    problem: bool,
) -> None:
    """Challenges, conflicts and problems only lower."""
    code = CodeCheck(problems=("Wrong.",), coverage=1) if problem else FINE
    found = conclude(
        CLAIM,
        code,
        level=Verification.DEBATE,
        judgements=[judged(v) for v in verdicts],
        challenges=[challenge(s, r, REF) for s, r in raised],
        conflicts=[conflict()] if at_odds else [],
    )
    if found.state is ClaimState.SUPPORTED:
        assert verdicts and verdicts[-1] is Verdict.SUPPORTS
        assert not problem and not at_odds
        assert all(ruling is Ruling.REJECTED for _, ruling in raised)
    else:
        assert found.reason
