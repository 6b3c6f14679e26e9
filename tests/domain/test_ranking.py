"""Ranking: what fits a query comes first, what shares nothing is left out."""

from __future__ import annotations

from leadline.domain.ranking import rank

TEXTS = [
    "Cookies and privacy settings",
    "The lighthouse of Mol was built in 1703 by Ada Mol",
    "Building a lighthouse: a lighthouse guide for lighthouse builders",
    "Lamps",
    "这座灯塔建于1703年",
]


def test_the_best_text_is_first_and_strangers_are_left_out() -> None:
    order = [index for index, _ in rank("Who built the lighthouse of Mol?", TEXTS)]
    assert order[0] == 1
    assert 2 in order
    assert 0 not in order
    assert 3 not in order


def test_endings_and_scripts_are_matched() -> None:
    assert rank("lamp", TEXTS)[0][0] == 3
    assert rank("灯塔", TEXTS)[0][0] == 4


def test_scores_fall_and_equal_texts_keep_their_order() -> None:
    ranked = rank("red tower", ["tower", "tower", "red tower"])
    assert [index for index, _ in ranked] == [2, 0, 1]
    assert ranked[0][1] > ranked[1][1] == ranked[2][1] > 0


def test_nothing_to_rank() -> None:
    assert rank("", TEXTS) == []
    assert rank("the of and", TEXTS) == []
    assert rank("tower", []) == []
    assert rank("tower", ["", "\x00"]) == []
