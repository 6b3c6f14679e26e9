"""What code finds wrong with a claim, whoever vouches for it (W3-6, users.md: check support)."""

from __future__ import annotations

import pytest

from leadline.domain.claim_check import CodeCheck, check_in_code
from leadline.domain.claims import Claim
from leadline.domain.evidence import PassageRef, Snapshot
from tests.claims_by_hand import claim, page

PASSAGE = "The Dunlin carried 412,000 passengers in 2025, and ridership rose by 9.3 percent."


def check(
    text: str,
    passage: str = PASSAGE,
    *,
    wall: str | None = None,
    stored: bool = True,
    changed: Claim | None = None,
) -> CodeCheck:
    shown = page(1, passage, title="Ridership by year", date="2026-01-20")
    store: dict[int, Snapshot] = {1: shown} if stored else {}
    return check_in_code(changed or claim(1, text, shown), store.get, wall=lambda _: wall)


def test_a_verbatim_claim_stands_fully_in_its_passage() -> None:
    assert check("ridership rose by 9.3 percent") == CodeCheck(coverage=1.0, verbatim=True)


def test_a_paraphrase_is_no_problem_and_is_measured() -> None:
    found = check("In 2025 the Dunlin carried 412,000 passengers in total.")
    assert found.problems == ()
    assert 0.5 < found.coverage < 1
    far = check("Travellers loved the vessel's remarkable comfort and scenery.")
    assert far.coverage < 0.3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The Dunlin carried 421,000 passengers in 2025.", "421000"),
        ("The Dunlin carried 412,000 passengers in 2024.", "2024"),
        ("The boat Redshank carried 412,000 passengers in 2025.", "redshank"),
        ("In 2025 ridership fell by 9.3 percent.", "opposite"),
        ("The Dunlin did not carry 412,000 passengers in 2025.", "denies"),
    ],
)
def test_what_passages_do_not_carry_is_named(text: str, said: str) -> None:
    (problem,) = check(text).problems
    assert said in problem


def test_an_affirmed_denial_is_seen() -> None:
    found = check(
        "The ferry runs at night in winter.", "The ferry does not run at night in winter."
    )
    assert found.problems
    assert not check(
        "The ferry runs in winter.", "The ferry runs in winter, but not at night."
    ).problems


def test_title_and_heading_of_a_source_count_as_said() -> None:
    assert check("Ridership by year: 412,000 passengers in 2025.").problems == ()


def test_numbers_in_other_forms_are_the_same() -> None:
    passage = "2025年客流量为41.2万人次，3月14日开始运营。"
    assert check("412,000 passengers travelled in 2025.", passage).problems == ()
    assert check("Service began on 14 March.", passage).problems == ()
    assert check("420,000 passengers travelled in 2025.", passage).problems


def test_words_are_not_compared_across_languages() -> None:
    found = check("412,000 passengers travelled in 2025.", "2025年客流量为41.2万人次。")
    assert (found.coverage, found.comparable) == (1.0, False)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (check("x", stored=False), "gone or was changed"),
        (check("ridership rose", wall="captcha"), "captcha"),
    ],
)
def test_a_store_that_does_not_hold_is_named(found: CodeCheck, said: str) -> None:
    assert any(said in problem for problem in found.problems)
    assert found.coverage == 0


def test_a_moved_quote_is_seen() -> None:
    moved = claim(1, "ridership rose").model_copy(update={"quotes": ("Something else.",)})
    assert check("", changed=moved).problems == (
        "The quote of passage 1.1 is not what is stored there.",
    )
    beyond = moved.model_copy(update={"passages": (PassageRef(source=1, passage=9),)})
    assert check("", changed=beyond).problems == ("Passage 1.9 is not stored.",)


@pytest.mark.parametrize(
    ("claim_text", "passage"),
    [
        ("It is 12 metres deep", "It is 1.2 metres deep."),
        ("The harbour holds 400", "The harbour holds 4000 boats."),
        ("The bridge cost $40 million in 2019.", "The bridge cost €40 million in 2019."),
        ("The bridge is 40 km long.", "The bridge is 40 m long."),
        ("The crossing takes 4 days in winter.", "The crossing takes 4 hours in winter."),
        ("Turnout rose by 5 percentage points.", "Turnout rose by 5 percent."),
        ("Der Anteil stieg um 5 Prozentpunkte.", "Der Anteil stieg um 5 Prozent."),
        ("价格上升了5%。", "价格上升了5个百分点。"),
        ("价格下降了5个百分点。", "价格上升了5个百分点。"),
        ("港口至多容纳40艘船。", "港口至少容纳40艘船。"),
        ("该港口已经开放。", "该港口尚未开放。"),
        ("Der Hafen fasst höchstens 40 Boote.", "Der Hafen fasst mindestens 40 Boote."),
        ("The maximum load is 40 tonnes.", "The minimum load is 40 tonnes."),
        ("The harbour holds 40 boats", "No report says the harbour holds 40 boats."),
        ("The mayor resigned in 2020.", "The mayor denied that he resigned in 2020."),
        ("The wall is visible from space.", "It is a myth that the wall is visible from space."),
        (
            "The capacity in 2021 was 40 boats.",
            "The capacity in 2019 was 40 boats; in 2021 it was 60 boats.",
        ),
    ],
)
def test_another_number_unit_year_or_sense_is_a_problem(claim_text: str, passage: str) -> None:
    assert check(claim_text, passage).problems


@pytest.mark.parametrize(
    ("claim_text", "passage"),
    [
        ("The road is 40 kilometres long.", "The road is 40 km (25 miles) long."),
        ("The bridge cost 40 million euros.", "The bridge cost €40 million."),
        ("价格上升了5个百分点。", "与去年相比，价格上升了5个百分点。"),
        ("In 2021 it held 60 boats.", "It held 40 boats in 2019; in 2021 it held 60 boats."),
        ("It held 40 boats in 2019.", "Boats: 40. That was in 2019, and it had 60 in 2021."),
        ("It carries 40 passengers per trip.", "It carries 20 to 40 passengers per trip."),
    ],
)
def test_the_same_in_another_form_is_no_problem(claim_text: str, passage: str) -> None:
    assert check(claim_text, passage).problems == ()


def test_a_short_sentence_that_looks_foreign_is_compared_all_the_same() -> None:
    assert check("It carries 40 cars per trip.", "It carries 40 cars per trip each day.").comparable
