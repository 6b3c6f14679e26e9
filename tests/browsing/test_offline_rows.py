"""Which results the offline model reads, by what they say of the aspect."""

from __future__ import annotations

from leadline.browsing.offline_aspect import Aspect, aspect_of
from leadline.browsing.offline_rows import button, choose_rows, is_found, links_in
from leadline.browsing.offline_words import roots
from leadline.browsing.state import CurrentPage, Element, Row
from tests.browsing.worker_doubles import new_state


def aspect(task: str, query: str = "") -> Aspect:
    return aspect_of(new_state(task=task, query=query or task))


PLAIN = aspect("Mol: height")


def test_hosts_are_mixed_and_of_equals_the_newer_comes_first() -> None:
    rows = [
        Row(1, "q", "old", "https://a.example/1", date="2019-01-01"),
        Row(2, "q", "new", "https://a.example/2", date="2025-01-01"),
        Row(3, "q", "b", "https://b.example/1"),
        Row(4, "q", "c", "https://c.example/1"),
    ]
    assert [r.number for r in choose_rows(rows, 3, PLAIN)] == [2, 3, 4]
    assert [r.number for r in choose_rows(rows, 9, PLAIN)] == [2, 3, 4, 1]


def test_each_half_of_an_aspect_gets_a_page() -> None:
    rows = [
        Row(1, "q", "What the lighthouse cost", "https://a.example/"),
        Row(2, "q", "Price of the lighthouse", "https://b.example/"),
        Row(3, "q", "The keepers of the lighthouse", "https://c.example/"),
    ]
    chosen = choose_rows(rows, 2, aspect("Lighthouse of Mol: cost and keepers"))
    assert [row.number for row in chosen] == [1, 3]


def test_a_page_that_the_engine_puts_first_for_one_half_is_read_for_it() -> None:
    rows = [Row(n, "q", f"Page {n}", f"https://s{n}.example/") for n in (1, 2, 3)]
    places = {"https://s3.example/": {"Mol keepers": 0}}
    chosen = choose_rows(rows, 1, aspect("Mol: keepers"), places=places)
    assert [row.number for row in chosen] == [3]


def test_the_same_title_elsewhere_is_read_last() -> None:
    rows = [
        Row(1, "q", "Height of Mol measured", "https://a.example/"),
        Row(2, "q", "Height of Mol measured", "https://b.example/"),
        Row(3, "q", "Mol and its height", "https://c.example/"),
    ]
    assert [row.number for row in choose_rows(rows, 2, PLAIN)] == [1, 3]


def test_a_half_that_few_results_speak_of_is_searched_for() -> None:
    rows = [Row(n, "q", f"Cost of Mol {n}", f"https://s{n}.example/") for n in (1, 2, 3)]
    assert is_found(rows, roots("cost"))
    assert not is_found(rows, roots("keepers"))


def test_a_consent_button_comes_before_one_that_shows_more() -> None:
    more, accept = Element(1, "button", "Show more answers"), Element(2, "button", "Accept all")
    german = Element(3, "button", "Alle Cookies akzeptieren")
    assert button([more, accept]) == accept
    assert button([Element(4, "p", "Accept"), more]) == more
    assert button([german]) == german
    assert button([Element(5, "button", "Delete my account")]) is None


def test_only_unread_links_whose_words_stand_in_the_sentence_are_followed() -> None:
    page = CurrentPage(
        "https://a.example/new",
        "New",
        elements=(
            Element(1, "a", "prices of 2024", "/old"),
            Element(2, "a", "our shop", "/shop"),
            Element(3, "a", "prices", "/read"),
            Element(4, "a", "of", "/short"),
        ),
    )
    sentences = ["They replace the prices of 2024."]
    assert links_in(page, sentences, {"https://a.example/read"}) == ["https://a.example/old"]
