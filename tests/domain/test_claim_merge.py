"""Findings of several tasks that say the same are one claim; what differs stays apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.claim_merge import MAX_PASSAGES, merge_findings, same_statement
from leadline.domain.claims import Confidence
from leadline.domain.statements import read_statement
from tests.claims_by_hand import finding, page


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The ferry carried 412,000 passengers in 2025.",
            "In 2025 the ferry carried 412,000 passengers.",
        ),
        ("It counted 188 seals in 2025, after 171 in 2023.", "2025年共有188头，2023年为171头。"),
        ("The change cost 68.4 million crowns.", "The whole change cost 68,400,000 crowns."),
        ("The harbour owns the charging quay.", "The charging quay is owned by the harbour"),
    ],
)
def test_the_same_in_other_words_is_one_claim(one: str, other: str) -> None:
    assert same_statement(read_statement(one), read_statement(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The ferry carried 412,000 passengers in 2025.",
            "The ferry carried 389,000 passengers in 2025.",
        ),
        ("The ferry runs at night.", "The ferry does not run at night."),
        ("Ridership rose in 2025.", "Ridership fell in 2025."),
        ("The boat carries 180 passengers.", "The boat carries 180 cars."),
        ("The Dunlin is quiet.", "The Redshank is quiet."),
        ("It costs 5 crowns.", "Es kostet 5 Kronen."),  # five alone tells nothing
    ],
)
def test_what_differs_is_never_merged(one: str, other: str) -> None:
    assert not same_statement(read_statement(one), read_statement(other))


def test_a_claim_carries_every_passage_and_counts_origins() -> None:
    """S3-32, W3-15: confirmation is counted by independent origins, not by cards."""
    text = "The ferry carried 412,000 passengers in 2025."
    pages = [
        page(1, text, date="2025-01-02"),
        page(2, text, date="2026-01-20"),
        page(3, text, origin=1),
    ]
    found = [
        finding(3, text, "1.1", task="t1"),
        finding(5, text, "2.1", "3.1", task="t2"),
        finding(9, "Something else was said here about seals.", "1.1", task="t1"),
    ]
    first, second = merge_findings(
        found, {p.source.id: p.source for p in pages}, {1: 1, 2: 2, 3: 1}
    )
    assert (first.id, first.findings, first.tasks) == ("c3", ("f3", "f5"), ("t1", "t2"))
    assert [str(ref) for ref in first.passages] == ["1.1", "2.1", "3.1"]
    assert first.quotes == (text,) * 3
    assert len(first.origins) == 2
    assert (first.date, first.confidence) == ("2026-01-20", Confidence.HIGH)
    assert (second.id, second.confidence) == ("c9", Confidence.MEDIUM)
    (copied,) = merge_findings(
        [finding(1, text, "1.1", task="t1"), finding(2, text, "3.1", task="t2")],
        {p.source.id: p.source for p in pages},
        {1: 1, 3: 1},
    )
    assert copied.sources == (1, 3)
    assert (copied.origins, copied.confidence) == ((1,), Confidence.MEDIUM), "one voice"


def test_ids_stay_while_a_run_goes_on_finding() -> None:
    before = [
        finding(1, "The quay delivers 4.2 MW to a boat."),
        finding(2, "The bridge was refused."),
    ]
    later = [*before, finding(3, "A boat gets 4.2 MW from the quay."), finding(4, "New.")]
    ids = [c.id for c in merge_findings(before, {}, {})]
    assert ids == ["c1", "c2"]
    assert [c.id for c in merge_findings(later, {}, {})][:2] == ids


def test_a_cut_of_passages_loses_no_source() -> None:
    text = "The same was said again and again by everybody."
    found = [finding(n, text, f"1.{n}") for n in range(1, 20)]
    found.append(finding(20, text, "2.1"))
    (claim,) = merge_findings(found, {}, {})
    assert len(claim.passages) == MAX_PASSAGES
    assert set(claim.sources) == {1, 2}


@given(st.lists(st.text(min_size=1, max_size=60), max_size=12))
def test_every_finding_is_in_exactly_one_claim(texts: list[str]) -> None:
    found = [finding(n, text) for n, text in enumerate(texts, start=1)]
    merged = merge_findings(found, {}, {})
    assert sorted(f for c in merged for f in c.findings) == sorted(f.id for f in found)
    assert len({c.id for c in merged}) == len(merged)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The ferry in Kiel carried 412,000 passengers in 2025.",
            "The ferry in Emden carried 412,000 passengers in 2025.",
        ),
        (
            "The ferry carried 412 passengers and 389 cars in 2025.",
            "The ferry carried 389 passengers and 412 cars in 2025.",
        ),
    ],
)
def test_the_same_numbers_of_other_things_are_two_claims(one: str, other: str) -> None:
    assert not same_statement(read_statement(one), read_statement(other))
