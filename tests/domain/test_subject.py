"""A question that lost its subject gets it back, and one that has it is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given

from leadline.domain.subject import (
    keywords,
    listed_aspects,
    named_subject,
    names_object,
    parts_of,
    query_subject,
    questions_in,
    research_object,
    with_object,
)
from tests.domain.strategies import any_text

FERRY = "How well does the electric tidal ferry of Quorrow work: ridership, cost and the debate?"


def test_the_research_object_is_the_topic_without_its_aspects() -> None:
    assert research_object(FERRY) == "Electric tidal ferry of Quorrow"
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
    assert mended == f"Electric tidal ferry of Quorrow: {question}"
    assert with_object(mended, FERRY) == mended


def test_s3_31_in_chinese() -> None:
    topic = "阔罗岛潮汐渡轮的客流量、票价和建设费用"
    assert with_object("电动汽车的价格", topic) == "阔罗岛潮汐渡轮：电动汽车的价格"
    assert with_object("潮汐渡轮的价格", topic) == "潮汐渡轮的价格"


@pytest.mark.parametrize(
    ("topic", "subject", "aspects"),
    [
        (
            "How good is the Mol engine: speed, size and the licence debate?",
            "Mol engine",
            ["speed", "size", "the licence debate"],
        ),
        (
            "What are the causes, symptoms and treatment of gout?",
            "Gout",
            ["causes", "symptoms", "treatment"],
        ),
        (
            "阔罗岛渡轮的客流量、票价和建设费用是多少，对海豹有什么影响？",
            "阔罗岛渡轮",
            ["客流量", "票价", "建设费用", "对海豹有什么影响"],
        ),
    ],
)
def test_the_aspects_of_a_topic_and_its_bare_subject(
    topic: str, subject: str, aspects: list[str]
) -> None:
    assert listed_aspects(topic) == (subject, aspects)


@pytest.mark.parametrize("topic", ["Tidal power", "Why did Rome fall?", "Ratio: 3", "a, b"])
def test_what_lists_nothing_has_no_aspects(topic: str) -> None:
    assert listed_aspects(topic) is None


def test_a_query_names_the_subject_in_short() -> None:
    assert query_subject("Electric tidal ferry of Quorrow") == "ferry Quorrow"
    assert query_subject("heat pumps") == "heat pumps"
    assert query_subject("How many people did the Mol ferry carry") == "people Mol ferry carry"
    assert query_subject("Wie schnell ist die Datenbank Mol") == "schnell Datenbank Mol"


def test_questions_one_after_the_other_and_what_they_are_about() -> None:
    topic = "What changed in the licence of Tarnstone, and who has to pay?"
    assert questions_in(topic) == ("What changed in the licence of Tarnstone", "who has to pay")
    assert named_subject(topic) == "Tarnstone"
    assert named_subject("How many people did the Mol ferry carry?") == "Mol ferry"
    assert named_subject("how does it work?") == "how does it work"


def test_the_halves_of_an_aspect() -> None:
    assert parts_of("cost and funding") == ["cost", "funding"]
    assert parts_of("票价和费用") == ["票价", "费用"]
    assert parts_of("noise") == []


@given(any_text)
def test_no_text_stops_it(text: str) -> None:
    assert isinstance(query_subject(text), str) and isinstance(named_subject(text), str)
    assert all(isinstance(part, str) for part in (*questions_in(text), *parts_of(text)))
    assert keywords(text) is not None


@given(any_text, any_text)
def test_s3_31_never_blocks(text: str, topic: str) -> None:
    mended = with_object(text, topic)
    assert text in mended
    assert names_object(mended, topic) or not names_object(text, topic)
    listed_aspects(topic)
