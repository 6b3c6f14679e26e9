"""The search of the demo web, read as the demo back end reads it."""

from __future__ import annotations

import pytest

from leadline.demo.facts import (
    CONSENT_FACT,
    CONTRADICTIONS,
    COPIES,
    FACTS,
    PDF_FACT,
    SCRIPT_FACT,
    SUPERSEDED,
)
from leadline.demo.questions import QUESTIONS
from leadline.sources.base import OpenPage, RenderedPage
from leadline.sources.engine_pages import demo_engine
from tests.demo.conftest import Visitor


def opener(visitor: Visitor) -> OpenPage:
    async def open_page(url: str) -> RenderedPage:
        response = await visitor.get(url)
        return RenderedPage(url=url, status=response.status_code, html=response.text)

    return open_page


async def found(visitor: Visitor, query: str) -> list[str]:
    engine = demo_engine(visitor.demo.search_url)
    hits = await engine.search(query, 10, open_page=opener(visitor))
    assert all(hit.title and hit.snippet and hit.date for hit in hits)
    return [hit.url for hit in hits]


@pytest.mark.parametrize(
    "fact", [*FACTS, SCRIPT_FACT, CONSENT_FACT, PDF_FACT], ids=lambda fact: fact.page
)
async def test_what_is_planted_is_found(visitor: Visitor, fact: object) -> None:
    assert hasattr(fact, "question")
    assert hasattr(fact, "page")
    urls = await found(visitor, f"{fact.question}")
    assert visitor.demo.page_url(fact.page) in urls


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("passengers 2025", CONTRADICTIONS[0].pages),
        ("cost of a bridge", CONTRADICTIONS[1].pages),
        ("timetable and fares", (SUPERSEDED.old_page, SUPERSEDED.new_page)),
        ("third electric ferry", COPIES),
        ("how expensive are the vessels", ("council/funding",)),
        ("wildlife", ("wildlife/seal-study-2025", "wildlife/seagrass")),
        ("渡轮对动物的影响", ("zh/haibao",)),
        ("票价", ("zh/feiyong",)),
    ],
)
async def test_a_query_in_any_words_finds_its_pages(
    visitor: Visitor, query: str, keys: tuple[str, ...]
) -> None:
    urls = await found(visitor, query)
    for key in keys:
        assert visitor.demo.page_url(key) in urls[:8], key


async def test_every_sample_question_finds_pages(visitor: Visitor) -> None:
    for question in QUESTIONS:
        urls = await found(visitor, question.text)
        assert len(urls) >= (3 if question.language == "zh" else 8)


async def test_nonsense_finds_nothing_and_says_so(visitor: Visitor) -> None:
    assert await found(visitor, "zxqv blorp wumpf") == []
    assert "No pages match" in (await visitor.search("zxqv blorp wumpf")).text


async def test_a_query_is_shown_as_text(visitor: Visitor) -> None:
    """safety 6"""
    answer = await visitor.search("<script>alert(1)</script> ferry")
    assert "<script>alert" not in answer.text
    assert (await visitor.search("x" * 5000)).status_code == 200
