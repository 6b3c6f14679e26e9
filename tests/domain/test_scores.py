"""Scores and insights are arithmetic: W3-16, S3-42 to S3-44, W3-15."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.claims import (
    Card,
    Claim,
    ClaimCheck,
    ClaimScore,
    ClaimState,
    Conflict,
    ConflictKind,
    Grade,
)
from leadline.domain.evidence import Source
from leadline.domain.scores import (
    SourceClass,
    insights,
    is_time_sensitive,
    overall,
    score_claims,
)
from tests.claims_by_hand import claim, page


def stars(number: int) -> SourceClass:
    return SourceClass(f"class {number}", number, "Because.")


def a_check(
    claim_id: str, state: ClaimState = ClaimState.SUPPORTED, **fields: object
) -> ClaimCheck:
    return ClaimCheck.model_validate(
        {"claim": claim_id, "state": state, "reason": "r", "usable": True, **fields}
    )


def scored(
    made: Claim,
    *pages: object,
    check: ClaimCheck | None = None,
    cards: tuple[Card, ...] = (),
    rank: int = 4,
) -> ClaimScore:
    sources = {p.source.id: p.source for p in pages}  # type: ignore[attr-defined]
    checks = {made.id: check} if check else {}
    (score,) = score_claims([made], checks, sources, {}, cards, lambda _: stars(rank))
    return score


ONE = page(1, "It has 3 berths.", date="2025-01-01")
TWO = page(2, "It has 3 berths.", date="2025-02-01")
CLAIM = claim(1, "It has 3 berths.", ONE)


def test_s3_43_the_three_numbers_their_sum_and_its_grade() -> None:
    cards = (Card(perspective="A", claims=("c1",)), Card(perspective="B", claims=("c1",)))
    made = claim(1, "It has 3 berths.", ONE, TWO).model_copy(update={"origins": (1, 2)})
    score = scored(made, ONE, TWO, check=a_check("c1"), cards=cards)
    assert (score.reliability, score.verification, score.coverage) == (5, 5, 4)
    assert (score.total, score.grade) == (14, Grade.A)
    assert len(score.reasons) == 3
    assert "class 4. Because." in score.reasons[0]
    assert score.reasons[2] == "2 independent origins, 2 views."


@pytest.mark.parametrize(("rank", "reliability"), [(4, 5), (3, 4), (2, 3), (1, 2)])
def test_s3_18_reliability_follows_the_class_of_the_best_source(
    rank: int, reliability: int
) -> None:
    assert scored(CLAIM, ONE, rank=rank).reliability == reliability
    unsigned = page(1, "It has 3 berths.")
    score = scored(claim(1, "It has 3 berths.", unsigned), unsigned, rank=rank)
    assert score.reliability == reliability - 1
    assert "neither author nor date" in score.reasons[0]


def test_the_best_source_counts_not_the_first() -> None:
    def of(source: Source) -> SourceClass:
        return stars(1 if source.id == 1 else 4)

    made = claim(1, "It has 3 berths.", ONE, TWO)
    sources = {1: ONE.source, 2: TWO.source}
    assert score_claims([made], {}, sources, {}, (), of)[0].reliability == 5


@pytest.mark.parametrize(
    ("check", "points"),
    [
        (a_check("c1"), 5),
        (a_check("c1", ClaimState.QUALIFIED), 4),
        (a_check("c1", superseded_by="c2"), 3),
        (a_check("c1", ClaimState.DISPUTED), 2),
        (a_check("c1", ClaimState.UNVERIFIED), 2),
        (a_check("c1", ClaimState.NOT_CHECKED), 2),
        (a_check("c1", ClaimState.CONTRADICTED), 1),
        (a_check("c1", ClaimState.UNVERIFIED, usable=False), 1),
        (None, 1),
    ],
)
def test_s3_43_verification_never_rises_by_a_missing_check(
    check: ClaimCheck | None, points: int
) -> None:
    assert scored(CLAIM, ONE, check=check).verification == points


def test_w3_15_views_that_share_one_origin_are_one_voice() -> None:
    many = tuple(Card(perspective=f"V{n}", claims=("c1",)) for n in range(4))
    copies = claim(1, "It has 3 berths.", ONE, TWO).model_copy(update={"origins": (1,)})
    assert scored(copies, ONE, TWO, cards=many).coverage == 1
    apart = copies.model_copy(update={"origins": (1, 2)})
    assert scored(apart, ONE, TWO, cards=many[:1]).coverage == 3
    assert scored(apart, ONE, TWO, cards=many).coverage == 4
    wide = copies.model_copy(update={"origins": (1, 2, 3, 4)})
    assert scored(wide, ONE, TWO, cards=many).coverage == 5


@given(st.lists(st.tuples(*[st.integers(1, 5)] * 3), max_size=20))
def test_w3_16_overall_is_the_mean_on_0_to_100(numbers: list[tuple[int, int, int]]) -> None:
    scores = [
        ClaimScore(claim=f"c{n}", reliability=r, verification=v, coverage=c)
        for n, (r, v, c) in enumerate(numbers)
    ]
    assert 0 <= overall(scores) <= 100
    assert overall([]) == 0
    if scores:
        least, most = min(s.total for s in scores), max(s.total for s in scores)
        assert overall([scores[0]] * 9) == overall([scores[0]])
        assert round(100 * (least - 3) / 12) <= overall(scores) <= round(100 * (most - 3) / 12)


@pytest.mark.parametrize(
    ("points", "total", "grade"),
    [
        ((5, 5, 5), 15, Grade.A), ((5, 4, 4), 13, Grade.A),
        ((4, 4, 4), 12, Grade.B), ((4, 3, 3), 10, Grade.B),
        ((3, 3, 3), 9, Grade.C), ((3, 2, 2), 7, Grade.C),
        ((2, 2, 2), 6, Grade.D), ((1, 1, 1), 3, Grade.D),
    ],
)  # fmt: skip
def test_w3_16_s3_43_sum_and_grade_are_computed_whatever_is_claimed(
    points: tuple[int, int, int], total: int, grade: Grade
) -> None:
    names = ("reliability", "verification", "coverage")
    given = {"claim": "c1", **dict(zip(names, points, strict=True)), "total": 14, "grade": "A"}
    score = ClaimScore.model_validate(given)
    assert (score.total, score.grade) == (total, grade)
    assert score.model_dump(mode="json")["grade"] == grade


def test_w3_16_s3_43_the_ends_of_the_overall_score() -> None:
    def of(points: int) -> ClaimScore:
        return ClaimScore(claim="c1", reliability=points, verification=points, coverage=points)

    assert [overall([of(n)]) for n in (1, 3, 5)] == [0, 50, 100]


def claims(*origins: int) -> list[Claim]:
    """A claim for each number, with so many independent origins."""
    return [
        CLAIM.model_copy(update={"id": f"c{n}", "origins": tuple(range(1, count + 1))})
        for n, count in enumerate(origins, start=1)
    ]


def test_s3_44_consensus_needs_two_independent_origins_and_no_contradiction() -> None:
    made = claims(2, 1, 2, 2, 2, 2)
    checks = {c.id: a_check(c.id) for c in made}
    checks["c4"] = a_check("c4", ClaimState.CONTRADICTED)
    del checks["c5"]
    conflicts = [Conflict(kind=ConflictKind.CONTRADICTION, claims=("c3", "c6"), reason="r")]
    assert insights(made, checks, conflicts, ()).consensus == ("c1",)
    settled = [conflicts[0].model_copy(update={"settled_for": "c6"})]
    assert insights(made, checks, settled, ()).consensus == ("c1", "c6")


def test_s3_44_contradictions_blind_spots_and_stale_values() -> None:
    contradiction = Conflict(kind=ConflictKind.CONTRADICTION, claims=("c1", "c2"), reason="r")
    stale = Conflict(kind=ConflictKind.SUPERSEDED, claims=("c3", "c1"), reason="r")
    cards = (
        Card(perspective="A", claims=("c1",), gaps=("Who pays? (No page says it.)",)),
        Card(perspective="B", question="What is criticised?"),
        Card(perspective="C", claims=("c2",)),
    )
    priced = CLAIM.model_copy(update={"id": "c4", "text": "A crossing costs 7.20 crowns."})
    found = insights([*claims(1, 1, 1), priced], {}, [contradiction, stale], cards)
    assert found.contradictions == (contradiction,)
    assert found.blind_spots == ("Who pays? (No page says it.)", "What is criticised?")
    assert found.time_sensitive == ("c3", "c4")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A crossing costs 7.20 crowns.", True),
        ("The licence costs $12 a month.", True),
        ("票价为7.2元。", True),
        ("The ferry carried 412,000 passengers in 2025.", True),
        ("It currently has 14 departures a day.", True),
        ("目前共有14个班次。", True),
        ("Electric service began on 14 March 2022.", False),
        ("电动服务于2022年3月14日开始。", False),
        ("The ramp has a slope of 1 in 14.", False),
        ("The ferry is now electric.", False),
        ("", False),
    ],
)
def test_s3_44_what_changes_in_time(text: str, expected: bool) -> None:
    assert is_time_sensitive(text) is expected
