"""Which passages the offline model takes for findings."""

from __future__ import annotations

from typing import Any

import pytest

from leadline.browsing.offline_aspect import aspect_of
from leadline.browsing.offline_passages import (
    FINDINGS_MOST,
    answers,
    candidates,
    choose,
    speaks,
    worth,
)
from leadline.browsing.state import WorkerState
from leadline.domain.evidence import PageContent, Passage
from tests.browsing.worker_doubles import FakeReader, new_state, show
from tests.doubles import MemoryRun


def worker(*texts: str, **changes: Any) -> WorkerState:
    """A worker that was shown pages with these texts."""
    state = new_state(**changes)
    reader = FakeReader(MemoryRun(), {})
    for number, text in enumerate(texts, start=1):
        show(state, reader.store(f"https://s{number}.example/", text))
    return state


def chosen(state: WorkerState, *recorded: str) -> list[str]:
    aspect = aspect_of(state)
    return [c.passage.text for c in choose(candidates(state, aspect), aspect, recorded)]


@pytest.mark.parametrize(
    "text",
    [
        "This page gives the timetable of the ferry from 2026.",
        "See also the fleet, the fares and the timetable of the ferry.",
        "How many boats does the ferry have, and since when?",
        "Question by sam: We want to take the ferry with 12 children.",
        "Faults are listed in the inspection report of the harbour.",
        "Institute for Durable Storage, 30 January 2026.",
        "Prices of the ferry in our magazine",
        "We use cookies to count the passengers of the ferry.",
        "Timetable",
    ],
)
def test_what_states_nothing_is_no_finding(text: str) -> None:
    assert not speaks(Passage(number=1, text=text))


@pytest.mark.parametrize(
    "text",
    [
        "The ferry carried 412,000 passengers in 2025.",
        "Ticket: Adult | Price in crowns: 7.20",
        "14 departures a day in each direction",
        "渡轮每天运送乘客三百五十人。",
        "It replaces the timetable of 2023, which is no longer valid.",
    ],
)
def test_statements_rows_and_items_with_numbers_are(text: str) -> None:
    assert speaks(Passage(number=1, text=text))


def test_numbers_dates_and_sides_are_worth_more_and_leaning_sentences_less() -> None:
    plain = worth("The ferry is a boat that many people like.")
    assert worth("The ferry carries 350 people.") > plain
    assert worth("Critics say, however, that the ferry is a boat.") > plain
    assert worth("It is a boat that many people like to take.") < plain
    assert worth("It costs 40 crowns.") < worth("The ferry costs 40 crowns a day.")


def test_both_sides_of_a_disagreement_are_taken_from_their_sources() -> None:
    filler = " ".join(f"The Mol ferry has passengers on deck {n}." for n in range(3))
    state = worker(
        f"The Mol ferry carried 412,000 passengers in 2025. {filler}",
        "The Mol ferry carried 389,000 passengers in 2025.",
        task="Ferry of Mol: passengers",
        query="ferry Mol passengers",
    )
    first_two = chosen(state)[:2]
    assert sorted(first_two) == [
        "The Mol ferry carried 389,000 passengers in 2025.",
        "The Mol ferry carried 412,000 passengers in 2025.",
    ]


def test_what_contradicts_a_recorded_claim_comes_first() -> None:
    state = worker(
        "In Mol there are 350 seats for passengers. The Mol ferry carried 389,000 passengers.",
        task="Ferry of Mol: passengers",
        query="ferry Mol passengers",
    )
    assert chosen(state, "The Mol ferry carried 412,000 passengers.")[0].endswith(
        "389,000 passengers."
    )


def test_findings_come_from_several_pages_and_stay_few() -> None:
    many = " ".join(f"The Mol ferry paid {n} crowns for its funding." for n in range(20, 60))
    state = worker(
        many,
        "A bank gave 7 million crowns of funding to the Mol ferry.",
        task="Ferry of Mol: funding",
        query="ferry Mol funding",
    )
    found = chosen(state)
    assert len(found) <= FINDINGS_MOST
    assert any("bank" in text for text in found)


def test_a_nameless_page_of_a_known_site_is_on_the_subject() -> None:
    """A study of the noise of electric tidal ferries need not name the island."""
    study = "Electric tidal ferries make 112 decibels of noise at Gull Point."
    asked = {"task": "Electric tidal ferry of Mol: noise", "query": "ferry Mol noise"}
    alone = worker(study, "Bread is baked in Mol.", **asked)
    assert study not in chosen(alone)
    known = worker(study, "The electric tidal ferry of Mol passes near Gull Point.", **asked)
    assert study in chosen(known)


def test_a_page_in_another_language_is_read_by_akin_words() -> None:
    state = new_state(
        task="Ferry Mol: cost and recovery", query="ferry Mol cost recovery", language="en"
    )
    run = MemoryRun()
    texts = ("Der Umbau von Mol kostete 1,35 Millionen Florin.", "Das Wetter in Mol war gut.")
    passages = tuple(Passage(number=n, text=text) for n, text in enumerate(texts, start=1))
    source = run.add(PageContent("https://d.example/", passages, language="de"))
    show(state, run.snapshots[source.id])
    assert chosen(state) == [texts[0]]


def test_words_before_a_colon_are_the_subject_only_if_the_topic_is_about_them() -> None:
    again = new_state(
        topic="How good is the ferry of Mol: cost, noise?",
        task="In other words: Ferry of Mol: cost",
        query="ferry Mol cost",
    )
    aspect = aspect_of(again)
    assert aspect.asked == ("cost",)
    assert {"ferry", "mol"} <= aspect.subject


def test_a_title_alone_answers_nothing() -> None:
    state = worker("The Mol ferry is 40 metres long.", task="Mol ferry: funding", query="Mol ferry")
    aspect = aspect_of(state)
    assert not any(answers(c, aspect) for c in candidates(state, aspect))
