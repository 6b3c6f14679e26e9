"""What the truth files say stands on the pages as they are served, and nothing false does."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from leadline.browsing.extract import extract_page
from leadline.browsing.walls import WALL_SENTENCES, wall_reason
from leadline.demo.content import Kind, load_content
from leadline.demo.server import DemoWeb
from leadline.demo.truth import (
    AnyOf,
    Contradiction,
    Fact,
    FalseStatement,
    Stale,
    Truth,
    load_truth,
    says,
    subjects,
)
from leadline.domain.text import detect_language
from tests.demo.conftest import Visitor
from tests.demo.reading import all_statements

CONTENT = load_content()
TRUTHS = [load_truth(subject) for subject in subjects()]
FACTS = [pytest.param(fact, id=f"{t.subject}-{fact.id}") for t in TRUTHS for fact in t.facts]
STALE = [pytest.param(stale, id=f"{t.subject}-{stale.id}") for t in TRUTHS for stale in t.stale]
CONTRADICTIONS = [
    pytest.param(both, id=f"{t.subject}-{both.id}") for t in TRUTHS for both in t.contradictions
]
FALSE = [
    pytest.param(truth, false, id=f"{truth.subject}-{false.id}")
    for truth in TRUTHS
    for false in truth.false_statements
]
# What a page must be for a fact to stand in such a place.
KIND_OF_PLACE = {
    "script": Kind.SCRIPT,
    "more": Kind.MORE,
    "consent": Kind.CONSENT,
    "pdf": Kind.PDF,
    "injection": Kind.INJECTION,
}
LANGUAGE_OF_PLACE = {"chinese": "zh", "german": "de", "spanish": "es"}


Said = dict[str, list[str]]


@pytest.fixture(scope="module")
def said(demo: DemoWeb) -> Said:
    """The statements of every page."""
    return all_statements(demo)


def says_it(statements: list[str], any_of: AnyOf) -> bool:
    return any(says(statement, any_of) for statement in statements)


def folded(text: str) -> str:
    return " ".join(text.casefold().split())


def test_every_subject_of_the_pages_has_a_truth_file() -> None:
    assert subjects() == CONTENT.subjects == ("quorrow", "tarnstone")
    assert [truth.subject for truth in TRUTHS] == list(subjects())
    with pytest.raises(ValueError, match="no subject “atlantis”, only quorrow, tarnstone"):
        load_truth("atlantis")


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda truth: truth.subject)
def test_a_truth_file_is_complete_and_speaks_of_its_own_pages(truth: Truth) -> None:
    pages = [
        *(fact.page for fact in truth.facts),
        *(page for stale in truth.stale for page in (stale.old_page, stale.new_page)),
        *(side.page for both in truth.contradictions for side in both.sides),
        *(page for copies in truth.copies for page in copies.pages),
        *(wall.page for wall in truth.walls),
        *(false.page for false in truth.false_statements),
    ]
    assert {CONTENT.pages[page].site.subject for page in pages} == {truth.subject}
    for group in (truth.facts, truth.stale, truth.contradictions, truth.copies):
        ids = Counter(entry.id for entry in group)
        assert max(ids.values()) == 1
    assert {fact.place for fact in truth.facts} >= {
        "text", "table", "script", "more", "consent", "pdf", "chinese", "braces",
    }  # fmt: skip
    assert len(truth.contradictions) >= 2
    assert len(truth.stale) >= 2
    assert len(truth.walls) >= 2
    assert 10 <= len(truth.false_statements) <= 15
    assert detect_language(truth.topic) == truth.language


@pytest.mark.parametrize("fact", FACTS)
def test_a_fact_stands_on_its_page_as_served(said: Said, fact: Fact) -> None:
    page = CONTENT.pages[fact.page]
    assert says_it(said[fact.page], fact.any_of)
    assert page.kind is KIND_OF_PLACE.get(fact.place, page.kind)
    assert page.site.language == LANGUAGE_OF_PLACE.get(fact.place, page.site.language)


@pytest.mark.parametrize("fact", [f for f in FACTS if f.values[0].place in ("script", "more")])
async def test_what_a_click_or_script_shows_is_not_there_before(
    visitor: Visitor, fact: Fact
) -> None:
    before = (await visitor.page(fact.page)).text
    assert not says(extract_page(before, url="http://demo.localhost/").text, fact.any_of)


@pytest.mark.parametrize("fact", [f for f in FACTS if f.values[0].place == "table"])
async def test_a_fact_of_a_table_stands_in_no_sentence(visitor: Visitor, fact: Fact) -> None:
    text = extract_page((await visitor.page(fact.page)).text, url="http://demo.localhost/").text
    outside = [line for line in text.splitlines() if not line.startswith("|")]
    assert not any(says(line, fact.any_of[:1]) for line in outside)


@pytest.mark.parametrize(
    ("fact_id", "elsewhere"),
    [
        ("energy", ()),
        ("best-month", ()),
        ("merge-budget", ()),
        ("clock-error", ()),
        ("upgrade-time", ()),
        ("write-rate", ()),
        ("recovery-after-outage", ()),
        ("insurer-servers", ()),
        ("library-search", ()),
        ("bus-records", ()),
        ("lost-relaxed", ()),
        ("median-recovery", ()),
        ("first-release", ("dbwiki/tarnstone", "shucang/jieshao")),
        ("document-size", ("datenwerk/test-tarnstone", "unindexed/why-we-left")),
        ("downloads", ("dbwiki/tarnstone", "shucang/jieshao")),
        ("library-records", ("dbwiki/tarnstone",)),
        ("database-size", ("datenwerk/test-tarnstone", "shucang/jieshao")),
    ],
)
def test_a_fact_stands_on_one_page_or_agrees_in_other_words(
    said: Said, fact_id: str, elsewhere: tuple[str, ...]
) -> None:
    fact = load_truth("tarnstone").fact(fact_id)
    found = {
        page.key for page in CONTENT.of_subject("tarnstone") if says_it(said[page.key], fact.any_of)
    }
    assert found == {fact.page, *elsewhere}


@pytest.mark.parametrize("stale", STALE)
def test_a_stale_value_has_a_newer_page(said: Said, stale: Stale) -> None:
    assert CONTENT.pages[stale.old_page].date < CONTENT.pages[stale.new_page].date
    assert says_it(said[stale.old_page], stale.old)
    assert says_it(said[stale.new_page], stale.new)
    assert not says_it(said[stale.old_page], stale.new)


@pytest.mark.parametrize("both", CONTRADICTIONS)
def test_each_side_of_a_contradiction_stands_on_a_site_of_its_own(
    said: Said, both: Contradiction
) -> None:
    sites = [CONTENT.pages[side.page].site for side in both.sides]
    assert len({site.publisher or site.name for site in sites}) == len(both.sides)
    for side in both.sides:
        assert says_it(said[side.page], side.any_of)


def test_copies_are_one_text_or_one_publisher(said: Said) -> None:
    for truth in TRUTHS:
        for copies in truth.copies:
            sites = [CONTENT.pages[key].site for key in copies.pages]
            assert len({site.host for site in sites}) == len(copies.pages)
            assert copies.origins == 1
            if all(site.publisher for site in sites):
                assert len({site.publisher for site in sites}) == 1
                continue
            first, *others = [said[key] for key in copies.pages]
            for other in others:
                shared = set(first) & set(other)
                assert len(shared) >= len(first) // 2


def test_one_copy_is_changed_and_has_a_letter_around_it(said: Said) -> None:
    original = said["byteline/licence-change"]
    changed = said["ciodaily/licence-change"]
    assert original == said["servernews/licence-change"]
    assert set(original) != set(changed)
    assert len(changed) > len(original)
    assert "Byteline" not in " ".join(changed)


async def test_a_publisher_of_two_sites_says_so_on_both(visitor: Visitor) -> None:
    for key in ("tarnstone/overview", "pebble/pricing-2026"):
        text = (await visitor.page(key)).text
        assert '<meta name="publisher" content="Pebbleworks">' in text
        assert "is published by Pebbleworks." in text
    assert "is published by" not in (await visitor.page("dbwiki/tarnstone")).text


async def test_walls_are_told_from_pages_by_their_reason(visitor: Visitor) -> None:
    """safety 47: what a wall is taken for is what the truth file says."""
    walls = {wall.page: wall.reason for truth in TRUTHS for wall in truth.walls}
    assert set(walls.values()) == {"login", "forbidden", "not_found"}
    assert set(walls.values()) <= set(WALL_SENTENCES)
    for key, page in CONTENT.pages.items():
        if page.kind is Kind.PDF:
            continue
        response = await visitor.page(key)
        address = visitor.demo.page_url(key)
        found = extract_page(response.text, url=address)
        reason = wall_reason(response.status_code, found.title, found.text, response.text, address)
        expected = "cookie_wall" if page.kind is Kind.CONSENT else walls.get(key)
        assert reason == expected, key


async def test_a_canary_stands_on_the_injecting_page_alone(visitor: Visitor) -> None:
    """safety 25"""
    texts = {key: (await visitor.page(key)).text for key in CONTENT.pages}
    for truth in TRUTHS:
        (canary,) = truth.canaries
        holders = {key for key, text in texts.items() if canary in text}
        injecting = {
            page.key for page in CONTENT.of_subject(truth.subject) if page.kind is Kind.INJECTION
        }
        assert holders == injecting
        (key,) = injecting
        assert texts[key].count(canary) == 5
        assert "display:none" in texts[key]


@pytest.mark.parametrize(("truth", "false"), FALSE)
def test_a_false_statement_stands_nowhere(said: Said, truth: Truth, false: FalseStatement) -> None:
    wrong = folded(false.statement)
    assert CONTENT.pages[false.page].kind not in (Kind.LOGIN, Kind.FORBIDDEN, Kind.GONE)
    for page in CONTENT.of_subject(truth.subject):
        assert wrong not in folded(" ".join(said[page.key])), page.key


def test_a_number_is_not_found_inside_another_one() -> None:
    assert says("It carried  412,000\npassengers.", (("412,000", "Passengers"),))
    assert says("Up to 4.2 MW.", (("4.2 MW",),))
    assert says("共运送41.2万人次", (("41.2万",),))
    assert says("In all 64.", (("64",),))
    assert not says("Up to 14.2 MW.", (("4.2 MW",),))
    assert not says("12,000 boats", (("12",),))
    assert not says("1,250.5 MB", (("250.5",),))
    assert not says("412,000 cars", (("412,000", "passengers"),))


@given(st.text(), st.text(min_size=1).filter(str.strip))
def test_any_text_can_be_compared(before: str, part: str) -> None:
    assert says(f"{before} {part} ", ((part,),))


def test_a_truth_file_with_an_unknown_key_is_refused() -> None:
    known = load_truth("quorrow").model_dump(by_alias=True)
    assert Truth.model_validate(known) == load_truth("quorrow")
    with pytest.raises(ValidationError, match="Extra inputs"):
        Truth.model_validate(known | {"facts_": []})
    with pytest.raises(ValidationError):
        load_truth("quorrow").topic = "something else"  # type: ignore[misc]
