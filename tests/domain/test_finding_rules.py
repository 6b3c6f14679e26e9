"""A finding counts only when its passages can carry it; a refusal says how to mend it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.evidence import Passage, PassageRef
from leadline.domain.finding_rules import (
    MAX_CLAIM_CHARS,
    FindingRefused,
    check_finding,
    parse_refs,
)
from tests.domain.strategies import any_text

PASSAGES = {
    (3, n): text
    for n, text in enumerate(
        [
            "The tower was built in 1703.",
            "It is 45.5 metres high.",
            "Two million people saw it in March.",
            "Ada Mol drew the plans {} Error: none.",
            "The lamp burns oil.",
            "The keeper has three cats.",
            "这座灯塔高45米。",
        ],
        start=1,
    )
}


def lookup(ref: PassageRef) -> Passage | None:
    text = PASSAGES.get((ref.source, ref.passage))
    return Passage(number=ref.passage, text=text) if text else None


def refusal(claim: str, *refs: str) -> str:
    with pytest.raises(FindingRefused) as caught:
        check_finding(claim, refs, lookup)
    return str(caught.value)


def test_a_supported_claim_is_taken_on_one_line() -> None:
    checked = check_finding("The tower\nwas built in 1703.", ["3.1", "[3.1]", "S3:P2"], lookup)
    assert checked.claim == "The tower was built in 1703."
    assert [str(ref) for ref in checked.passages] == ["3.1", "3.2"]


@pytest.mark.parametrize(
    "refs", [["3.1-3.3"], ["3.1–3"], ["3.1, 3.2; 3.3"], ["[3.1][3.2][3.3]"], ["[3.1-3.3]"]]
)
def test_ranges_and_lists_are_read(refs: list[str]) -> None:
    assert [str(ref) for ref in parse_refs(refs)[0]] == ["3.1", "3.2", "3.3"]


def test_a_passage_that_nobody_read_is_named() -> None:
    """An invented id is refused."""
    message = refusal("The tower is old.", "3.1", "9.99")
    assert "9.99" in message
    assert "3.1," not in message


def test_no_passages_no_finding() -> None:
    assert "No passage" in refusal("The tower is old.")
    assert "https://evil.example/" in refusal("The tower is old.", "https://evil.example/")


def test_empty_and_overlong_claims_are_refused() -> None:
    assert "empty" in refusal(" \x00\n", "3.1")
    assert str(MAX_CLAIM_CHARS) in refusal("tower " * 200, "3.1")


def test_too_many_passages_are_refused_without_building_a_range() -> None:
    assert "More than 6" in refusal("The tower is old.", "3.1-3.999999")


def test_a_number_must_be_in_the_passages() -> None:
    """users, Citations: numbers of the sentence must be in its passage."""
    message = refusal("The tower was built in 1704.", "3.1", "3.2")
    assert "1704" in message
    assert "3.1, 3.2" in message


def test_numbers_may_be_written_otherwise() -> None:
    check_finding("2,000,000 people saw the tower in month 3.", ["3.3"], lookup)
    check_finding("The keeper has 3 cats.", ["3.6"], lookup)


def test_a_claim_on_something_else_is_refused() -> None:
    assert "shares no word" in refusal("Bananas grow quickly.", "3.5")


def test_a_claim_in_another_language_is_not_compared_by_words() -> None:
    check_finding("The lighthouse is 45 metres high.", ["3.7"], lookup)
    check_finding("灯塔烧油。", ["3.5"], lookup)


def test_braces_and_error_words_of_a_page_mean_nothing() -> None:
    """W2-4, W2-5."""
    assert check_finding("Ada Mol drew {plans}.", ["3.4"], lookup).passages


@given(any_text, st.lists(any_text, max_size=3))
def test_any_input_is_taken_or_refused_with_a_sentence(claim: str, refs: list[str]) -> None:
    try:
        checked = check_finding(claim, refs, lookup)
    except FindingRefused as refused:
        assert str(refused)
    else:
        assert checked.passages
