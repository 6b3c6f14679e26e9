"""A question that lost its subject gets it back, and one that has it is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given

from leadline.domain.subject import listed_aspects, names_object, research_object, with_object
from tests.domain.strategies import any_text

FERRY = "How well does the electric tidal ferry of Quorrow work: ridership, cost and the debate?"


def test_the_research_object_is_the_topic_without_its_aspects() -> None:
    assert research_object(FERRY) == "How well does the electric tidal ferry of Quorrow work"
    assert research_object("阔罗岛潮汐渡轮的客流量、票价和建设费用") == "阔罗岛潮汐渡轮"
    assert research_object("Explain tidal power") == "tidal power"


@pytest.mark.parametrize(
    "question",
    [
        "Who lives on Quorrow?",
        "How often does a tidal ferry fail?",
        "Wie viele Leute fahren mit der Fähre und was kostet das?",
    ],
)
def test_s3_31_a_question_on_the_object_is_left_alone(question: str) -> None:
    """A name is enough, or two words; another language cannot be compared."""
    assert with_object(question, FERRY) == question


@pytest.mark.parametrize("question", ["What do electric cars cost?", "Is ridership growing?"])
def test_s3_31_a_question_on_something_else_gets_the_object_back(question: str) -> None:
    mended = with_object(question, FERRY)
    assert mended == f"How well does the electric tidal ferry of Quorrow work: {question}"
    assert with_object(mended, FERRY) == mended


def test_s3_31_in_chinese() -> None:
    topic = "阔罗岛潮汐渡轮的客流量、票价和建设费用"
    assert with_object("电动汽车的价格", topic) == "阔罗岛潮汐渡轮：电动汽车的价格"
    assert with_object("潮汐渡轮的价格", topic) == "潮汐渡轮的价格"


@given(any_text, any_text)
def test_s3_31_never_blocks(text: str, topic: str) -> None:
    mended = with_object(text, topic)
    assert text in mended
    assert names_object(mended, topic) or not names_object(text, topic)
    listed_aspects(topic)
