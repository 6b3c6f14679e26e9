"""A newer edition of a page outdates what only the older one says, unless it names its year."""

from __future__ import annotations

import pytest

from leadline.domain.editions import newer_editions, outdated
from leadline.domain.evidence import Snapshot
from tests.claims_by_hand import claim, page

OLD = page(1, "x", title="Timetable and fares 2023", date="2023-01-01", url="https://a.example/1")
NEW = page(2, "x", title="Timetable and fares 2026", date="2026-01-01", url="https://a.example/2")


def editions(*pages: Snapshot) -> dict[int, int]:
    return {i: s.id for i, s in newer_editions(p.source for p in pages).items()}


def test_titles_that_differ_in_their_numbers_alone_are_editions() -> None:
    middle = page(
        3, "x", title="Timetable and fares 2024", date="2024-01-01", url="https://a.example/3"
    )
    assert editions(OLD, NEW, middle) == {1: 2, 3: 2}


@pytest.mark.parametrize(
    "other",
    [
        page(
            2, "x", title="Timetable and fares 2026", date="2026-01-01", url="https://b.example/2"
        ),
        page(2, "x", title="Timetable of buses 2026", date="2026-01-01", url="https://a.example/2"),
        page(2, "x", title="Timetable and fares 2026", date="", url="https://a.example/2"),
        page(
            2, "x", title="Timetable and fares 2023", date="2026-01-01", url="https://a.example/2"
        ),
    ],
)
def test_other_publishers_titles_and_undated_pages_are_not(other: Snapshot) -> None:
    assert editions(OLD, other) == {}


def test_a_short_title_says_too_little() -> None:
    pages = [
        page(n, "x", title=f"Report {n}", date=f"202{n}-01-01", url=f"https://a.example/{n}")
        for n in (1, 2)
    ]
    assert editions(*pages) == {}


def test_two_sites_of_one_named_publisher_count_as_one() -> None:
    moved = NEW.source.model_copy(update={"url": "https://b.example/2", "publisher": "The Co-op"})
    kept = OLD.source.model_copy(update={"publisher": "the co-op"})
    assert {i: s.id for i, s in newer_editions([kept, moved]).items()} == {1: 2}


def test_a_claim_is_outdated_only_when_all_it_stands_on_is() -> None:
    newer = newer_editions([OLD.source, NEW.source])
    undated = "The last boat leaves at 20:40."
    assert outdated(claim(1, undated, OLD), newer) == NEW.source
    assert outdated(claim(1, undated, OLD, NEW), newer) is None
    assert outdated(claim(1, "In 2023 it carried 341,000 passengers.", OLD), newer) is None
