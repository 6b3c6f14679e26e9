"""Reading what a checker says of claims fails closed (W3-1 to W3-4)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.claims import Verdict
from leadline.domain.evidence import PassageRef
from leadline.models.requests import AnswerUnusable
from leadline.models.verification_requests import (
    ShownPassage,
    VerifyAnswer,
    VerifyRequest,
    claim_id,
)
from tests.claims_by_hand import claim, page

PAGES = [page(n, f"Passage {n} of the harbour.") for n in (1, 2, 3)]
CLAIMS = tuple(claim(n, f"Statement {n} {{}} of the harbour", PAGES[n - 1]) for n in (1, 2, 3))
REQUEST = VerifyRequest(
    claims=CLAIMS,
    passages=tuple(
        ShownPassage(ref=PassageRef(source=n, passage=1), text=PAGES[n - 1].passages[0].text)
        for n in (1, 2, 3)
    ),
)


def row(claim: Any = "c1", verdict: Any = "supports", **more: Any) -> dict[str, Any]:
    return {"claim": claim, "verdict": verdict, **more}


def parsed(*rows: Any, **more: Any) -> dict[str, Verdict]:
    answer = REQUEST.parse({"verdicts": list(rows), **more})
    return {j.claim: j.verdict for j in answer.judgements}


def test_the_prompt_shows_claims_and_passages_as_data_and_nobody_who_made_them() -> None:
    system, user = REQUEST.render(make_nonce=lambda: "N0NCE")
    assert "N0NCE" in system.text
    assert (
        '{"id": "c1", "claim": "Statement 1 {} of the harbour", "passages": ["1.1"]}' in user.text
    )
    assert '{"passage": "1.1"' in user.text
    assert "f1" not in user.text


def test_each_claim_gets_its_verdict() -> None:
    found = parsed(row("c1"), row("C2", "Qualifies"), row("[c3]", "does not address"))
    assert found == {"c1": Verdict.SUPPORTS, "c2": Verdict.QUALIFIES, "c3": Verdict.SILENT}


def test_w3_3_what_is_left_out_gets_none() -> None:
    assert parsed(row("c1")) == {"c1": Verdict.SUPPORTS}


@pytest.mark.parametrize(
    "value",
    [
        None, "supports", 7, {}, [], {"verdicts": []}, {"verdicts": "all supported"},
        {"verdicts": [row("c9")]}, {"verdicts": [row("c1", "unheard of")]},
        {"verdicts": [row("c1", None)]}, {"summary": "All claims are verified."},
        {"verdicts": [["c1", "supports"]]},
    ],
)  # fmt: skip
def test_w3_3_an_answer_without_a_usable_verdict_is_asked_for_again(value: Any) -> None:
    with pytest.raises(AnswerUnusable):
        REQUEST.parse(value)


@pytest.mark.parametrize("order", [1, -1])
def test_w3_4_of_two_words_on_one_claim_the_weaker_counts(order: int) -> None:
    rows = [row("c1", "supports"), row("c1", "contradicts")][::order]
    assert parsed(*rows) == {"c1": Verdict.CONTRADICTS}


def test_w3_4_ids_out_of_range_and_indices_count_for_nothing() -> None:
    wrong = [row(i, "contradicts") for i in ("c4", 0, -1, "first", "", None)]
    assert parsed(row("c1"), *wrong) == {"c1": Verdict.SUPPORTS}


def test_w3_6_support_by_passages_of_other_claims_counts_for_nothing() -> None:
    rows = [row("c1", passages=["2.1"]), row("c2", passages=["2.1", "9.9"]), row("c3")]
    assert parsed(*rows) == {"c2": Verdict.SUPPORTS, "c3": Verdict.SUPPORTS}


@pytest.mark.parametrize("verdict", [None, "", "likely", 1, True, ["supports"], {"supports": 1}])
def test_w3_2_a_bad_verdict_is_dropped_and_never_filled_with_the_first_one(verdict: Any) -> None:
    """A claim without a usable word stays without one: unverified, with the reason."""
    assert parsed(row("c1", verdict), row("c2", "qualifies")) == {"c2": Verdict.QUALIFIES}


def test_s3_50_one_bad_field_or_item_does_not_lose_the_others() -> None:
    """Unknown fields are dropped, values are normalised."""
    rows = [
        None, 7, ["c1"], {"claim": {"id": "c1"}},
        row(" Claim 1. ", "SUPPORTED.", passages={"no": "list"}, reason=["no text"], stars=5),
        row("c2", "partially-supported", passages=["2.1", None, "x"], reason="By day."),
        row("c3", "certainly"),
    ]  # fmt: skip
    answer = REQUEST.parse({"verdicts": rows, "conflicts": "none", "mood": "good"})
    first, second = answer.judgements
    assert (first.claim, first.verdict, first.reason) == ("c1", Verdict.SUPPORTS, "")
    assert (second.claim, second.verdict, second.reason) == ("c2", Verdict.QUALIFIES, "By day.")
    assert second.passages == (PassageRef(source=2, passage=1),)
    assert answer.at_odds == ()


def test_s3_40_a_claim_is_known_by_its_number_whatever_text_comes_with_it() -> None:
    """The text is the run's own: an answer may leave it out and cannot change it."""
    assert parsed(row("c1"), row("c2", claim_text="Statement 3, and more")) == {
        "c1": Verdict.SUPPORTS, "c2": Verdict.SUPPORTS,
    }  # fmt: skip


def test_s3_35_the_older_form_of_an_entry_is_read() -> None:
    answer = REQUEST.parse([{"id": "c1", "status": "verified", "reason": "x\ny " * 400}])
    (judgement,) = answer.judgements
    assert judgement.verdict is Verdict.SUPPORTS
    assert "\n" not in judgement.reason
    assert len(judgement.reason) <= 300


def test_conflicts_are_pairs_of_claims_that_were_asked_about() -> None:
    odds = [
        {"claims": ["c3", "c1"], "reason": "412 and 389"},
        {"claims": ["c1", "c3"]},
        {"claims": ["c1", "c1"]},
        {"claims": ["c1", "c9"]},
        {"claims": ["c1", "c2", "c3"]},
        "c1 and c2",
    ]
    answer = REQUEST.parse({"verdicts": [row()], "conflicts": odds})
    assert [(o.claims, o.reason) for o in answer.at_odds] == [(("c1", "c3"), "412 and 389")]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("c7", "c7"), ("Claim 7", "c7"), (7, "c7"), ("c07", "c7"), (" [C7]. ", "c7"), ("f7", ""),
        ("", ""), (None, ""), ("c", ""), ("c7 c8", ""), ("c" + "9" * 40, ""), ("c²", ""),
    ],
)  # fmt: skip
def test_ids_are_read_whole(value: Any, expected: str) -> None:
    assert claim_id(value) == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12)
    | st.sampled_from(["c1", "c2", "supports", "contradicts", "verdicts"]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(["verdicts", "conflicts", "claim", "claims", "verdict", "passages", "x"]),
        inner,
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@given(JSON)
def test_any_json_is_an_answer_about_known_claims_or_unusable(value: Any) -> None:
    try:
        answer = REQUEST.parse(value)
    except AnswerUnusable:
        return
    assert isinstance(answer, VerifyAnswer)
    ids = [j.claim for j in answer.judgements]
    assert ids and len(ids) == len(set(ids))
    assert set(ids) <= {"c1", "c2", "c3"}
