"""Claims at odds are seen by code: contradictions, superseded values, and what is neither."""

from __future__ import annotations

import pytest

from leadline.domain.claims import Conflict, ConflictKind
from leadline.domain.conflicts import find_conflicts, rival_values
from tests.claims_by_hand import claim, page

Side = tuple[str, str, str]
OTHERS = [
    "Seals left the ledges in 4 percent of all passages.",
    "The harbour owns both charging quays and the cable.",
    "The Town Council approved the funding in 2020.",
]


def conflicts(*sides: Side) -> tuple[Conflict, ...]:
    """Conflicts among statements of ``(text, date, site)``, with some others around them."""
    texts = [*sides, *((text, "2025-05-01", f"other{n}") for n, text in enumerate(OTHERS))]
    pages = [
        page(n, text, date=date, url=f"https://{site}.example/{n}")
        for n, (text, date, site) in enumerate(texts, start=1)
    ]
    claims = [claim(p.source.id, p.passages[0].text, p) for p in pages]
    return find_conflicts(claims, {p.source.id: p.source for p in pages})


def test_other_values_for_one_year_are_a_contradiction() -> None:
    (found,) = conflicts(
        (
            "The ferry carried 412,000 passengers in 2025, according to the bureau.",
            "2026-01-20",
            "stats",
        ),
        ("The audit counts 389,000 passengers on the ferry in 2025.", "2026-02-16", "council"),
    )
    assert found.kind is ConflictKind.CONTRADICTION
    assert found.is_open
    assert found.reason == "They give 412,000 and 389,000 for the same thing."


def test_estimates_of_two_sides_are_a_contradiction() -> None:
    (found,) = conflicts(
        ("A bridge would cost 326 million crowns.", "2025-05-14", "council"),
        ("A bridge is needed, and it would cost 214 million crowns.", "2025-04-03", "campaign"),
    )
    assert found.kind is ConflictKind.CONTRADICTION


@pytest.mark.parametrize("site", ["ferry", "guide"])
def test_a_newer_value_supersedes_the_older(site: str) -> None:
    (found,) = conflicts(
        ("The last boat leaves the port at 23:10 at the latest.", "2026-01-01", "ferry"),
        ("The last boat leaves the port at 20:40 at the latest.", "2023-01-01", site),
    )
    assert found.kind is ConflictKind.SUPERSEDED
    assert found.claims == ("c2", "c1")
    assert not found.is_open


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The ferry carried 377,000 passengers in 2024.",
            "The ferry carried 412,000 passengers in 2025.",
        ),
        ("Ticket: Adult | Price: 6.50 crowns", "Ticket: Resident | Price: 4.50 crowns"),
        ("The ferry carries 180 passengers.", "The ferry carried 412,000 passengers."),
        ("The second battery has 4 MWh at the quay.", "The first battery has 6 MWh at the quay."),
        (
            "The bridge would cost 326 million crowns.",
            "The bridge would cost about 330 million crowns.",
        ),
        ("The bridge would cost 326 million crowns.", "The bridge would cost 326,000,000 crowns."),
        ("The ferry cost 15 million crowns.", "The ferry cost 15.4 million crowns."),
        (
            "It costs 186 million crowns more than the ferry.",
            "The ferry cost 186.5 million crowns.",
        ),
        ("The harbour of Kiel has 40 cranes.", "The harbour of Emden has 60 cranes."),
        ("In May the harbour saw 40 ships.", "In June the harbour saw 60 ships."),
        ("The harbour saw 40 ships in Q1.", "The harbour saw 60 ships in Q2."),
        ("The harbour has at least 400 berths.", "The harbour has 450 berths."),
        ("The harbour has up to 500 berths.", "The harbour has 300 berths."),
    ],
)
def test_no_conflict_is_made_up(one: str, other: str) -> None:
    assert conflicts((one, "2025-05-01", "a"), (other, "2025-06-01", "b")) == ()


def test_one_page_is_never_at_odds_with_itself() -> None:
    both = page(1, "It makes 9 departures a day in each direction.")
    claims = [
        claim(1, "It makes 9 departures a day in each direction.", both),
        claim(2, "It makes 14 departures a day in each direction.", both),
    ]
    assert find_conflicts(claims, {1: both.source}) == ()


def test_claims_without_a_date_are_told_as_a_contradiction() -> None:
    (found,) = conflicts(
        ("It makes 9 departures a day in each direction.", "", "a"),
        ("It makes 14 departures a day in each direction.", "", "b"),
    )
    assert found.kind is ConflictKind.CONTRADICTION


def test_a_cell_of_a_table_row_is_compared_by_itself() -> None:
    (found,) = conflicts(
        (
            "Engine: Tarn 5.1 | Operations per second: 184,000 | Percentile in ms: 8.3",
            "2026-02-11",
            "council",
        ),
        ("In our test Tarn 5.1 reached 121,000 operations per second.", "2026-01-14", "blog"),
    )
    assert found.kind is ConflictKind.CONTRADICTION
    assert "184,000 and 121,000" in found.reason


def test_a_limit_that_grew_fourfold_is_superseded_where_all_else_is_the_same() -> None:
    (found,) = conflicts(
        ("Limit: Size of a database | Version 4.6: 64 TB", "2023-12-12", "manual"),
        ("Limit: Size of a database | Version 5: 256 TB | Note: tested", "2026-01-19", "manual"),
    )
    assert found.kind is ConflictKind.SUPERSEDED


def test_of_two_newest_releases_the_later_named_one_is() -> None:
    (found,) = conflicts(
        ("Newest release | 5.1, 18 November 2025", "2026-02-02", "wiki"),
        (
            "Tarn 5.2 came out on 24 February 2026 and is the newest release.",
            "2026-03-04",
            "vendor",
        ),
    )
    assert (found.kind, found.claims) == (ConflictKind.SUPERSEDED, ("c1", "c2"))


def test_a_current_of_water_and_a_time_at_the_latest_are_no_news() -> None:
    sides = (
        ("With the current a crossing takes 34 minutes, and against it 46.", "2025-12-08", "a"),
        ("A crossing with the current takes 390 kWh, and one against it 560.", "2025-06-20", "b"),
    )
    assert conflicts(*sides) == ()


@pytest.mark.parametrize(
    ("one", "other", "rivals"),
    [
        ("It carried 412,000 passengers in 2025.", "In 2025 it carried 389,000 passengers.", False),
        (
            "The ferry of Quorrow carried 412,000 passengers in 2025.",
            "The audit of the ferry counts 389,000 passengers to Quorrow in 2025.",
            True,
        ),
        (
            "The ferry of Quorrow carried 412,000 passengers in 2025.",
            "The ferry of Quorrow carried 377,000 passengers in 2024.",
            False,
        ),
        (
            "The ferry of Quorrow had 46 percent residents in 2025.",
            "The ferry of Quorrow had 37 percent visitors in 2025.",
            False,
        ),
    ],
)
def test_rival_values_share_subject_unit_and_year(one: str, other: str, rivals: bool) -> None:
    assert rival_values(one, other) is rivals


def test_a_mean_and_a_maximum_are_no_conflict() -> None:
    assert not conflicts(
        ("The mean depth of the lake is 40 metres.", "2025-01-01", "a"),
        ("The maximum depth of the lake is 60 metres.", "2025-02-01", "b"),
    )


def test_a_row_of_a_year_is_at_odds_with_a_sentence_of_that_year() -> None:
    """What is disputed in a sentence is not supported in a table: the page names the subject."""
    texts = (
        ("Year: 2025 | Passengers: 412,000 | Cars: 62,800", "stats", "Ridership of the ferry"),
        ("The audit counts 389,000 passengers on the ferry in 2025.", "council", "Audit"),
        ("Year: 2024 | Passengers: 377,000 | Cars: 63,100", "office", "Ridership of the ferry"),
    )
    pages = [
        page(n, text, title=title, date="2026-01-20", url=f"https://{site}.example/{n}")
        for n, (text, site, title) in enumerate(texts, start=1)
    ]
    claims = [claim(p.source.id, p.passages[0].text, p) for p in pages]
    found = find_conflicts(claims, {p.source.id: p.source for p in pages})
    assert [c.claims for c in found] == [("c1", "c2")]
