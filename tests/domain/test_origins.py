"""Copies and one publisher's pages are counted once (users.md: one wire story on five sites)."""

from __future__ import annotations

import time

import pytest

from leadline.domain.origins import find_origins, independent, publisher
from tests.claims_by_hand import page

STORY = (
    "A third electric ferry took up service between the mainland and the isle on Monday morning.",
    "The boat carries 180 passengers and 24 cars and left early on its first crossing of a strait.",
    "The cooperative said that the new boat would end the habit of leaving cars behind in summer.",
)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.bbc.co.uk/news/1", "bbc.co.uk"),
        ("https://news.bbc.co.uk/2", "bbc.co.uk"),
        ("https://alice.github.io/x", "alice.github.io"),
        ("https://github.com/alice/tool/blob/main/README.md", "github.com/alice"),
        ("https://arxiv.org/abs/2401.00001", "arxiv.org/abs/2401.00001"),
        ("http://ferry.localhost:7789/about", "ferry.localhost"),
        ("http://127.0.0.1/x", "127.0.0.1"),
        ("not an address", ""),
    ],
)
def test_who_publishes_follows_from_the_address(url: str, expected: str) -> None:
    assert publisher(url) == expected


def test_a_copy_in_a_frame_of_its_own_is_the_same_origin() -> None:
    wire = page(2, *STORY, date="2025-06-02")
    paper = page(1, "Local news", *STORY, "Subscribe to our letter for more.", date="2025-06-03")
    other = page(3, "The ferry carried more people than in any year since counting began long ago.")
    assert find_origins([paper, wire, other]) == {1: 2, 2: 2, 3: 3}


def test_a_few_changed_words_do_not_make_a_copy_independent() -> None:
    changed = [STORY[0].replace("Monday", "Tuesday"), STORY[1], STORY[2].replace("summer", "July")]
    assert len(set(find_origins([page(1, *STORY), page(2, *changed)]).values())) == 1


def test_short_texts_are_never_called_copies() -> None:
    assert find_origins([page(1, "Page not found"), page(2, "Page not found")]) == {1: 1, 2: 2}


def test_what_the_shelf_saw_as_the_same_text_is_one_origin() -> None:
    assert find_origins([page(1, "Short."), page(2, "Short.", origin=1)]) == {1: 1, 2: 1}


def test_pages_of_one_publisher_count_once_but_join_nobody_else() -> None:
    """Two papers that printed one wire story are still two papers for all else."""
    pages = [
        page(1, *STORY, url="https://gazette.example/wire"),
        page(2, *STORY, url="https://courier.example/wire"),
        page(
            3,
            "A poll of the gazette asked what the islanders want.",
            url="https://gazette.example/poll",
        ),
        page(4, "A report of the courier tells of noise.", url="https://courier.example/noise"),
    ]
    sources = {p.source.id: p.source for p in pages}
    origins = find_origins(pages)
    assert independent([1, 2], sources, origins) == (1,)
    assert independent([1, 3], sources, origins) == (1,)
    assert independent([3, 4], sources, origins) == (3, 4)
    assert independent([9], {}, {}) == (9,)


def test_two_sites_that_name_one_publisher_are_one_origin() -> None:
    pages = [page(1, "Text one."), page(2, "Text two.")]
    sources = {
        p.source.id: p.source.model_copy(update={"publisher": name})
        for p, name in zip(pages, ("Pebbleworks", "PEBBLEWORKS"), strict=True)
    }
    assert independent([1, 2], sources, {}) == (1,)


def test_three_hundred_long_pages_are_compared_in_little_time() -> None:
    """Whole pairs of texts are compared only where their rare words meet."""
    frame = " ".join(f"menu{n}" for n in range(300))
    own = [" ".join(f"word{page}x{n}" for n in range(1500)) for page in range(300)]
    pages = [page(n, frame, text) for n, text in enumerate(own, start=1)]
    pages.append(page(301, "Another frame here", own[7]))
    started = time.process_time()
    origins = find_origins(pages)
    assert time.process_time() - started < 10
    assert {a: b for a, b in origins.items() if a != b} == {301: 8}
