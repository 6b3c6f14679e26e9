"""The search of the demo web, read as the demo back end reads it."""

from __future__ import annotations

import pytest

from leadline.demo.content import DemoContent, load_content
from leadline.demo.index import DemoIndex
from leadline.demo.questions import QUESTIONS
from leadline.demo.render import Renderer
from leadline.demo.truth import Fact, load_truth, subjects
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
    "fact",
    [
        pytest.param(fact, id=f"{subject}-{fact.id}")
        for subject in subjects()
        for fact in load_truth(subject).facts
    ],
)
async def test_what_is_planted_is_found(visitor: Visitor, fact: Fact) -> None:
    urls = await found(visitor, fact.question)
    assert visitor.demo.page_url(fact.page) in urls


@pytest.mark.parametrize("subject", subjects())
async def test_the_search_lists_what_is_never_evidence(visitor: Visitor, subject: str) -> None:
    for wall in load_truth(subject).walls:
        page = load_content().pages[wall.page]
        assert visitor.demo.page_url(wall.page) in await found(visitor, page.title)


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("passengers 2025", ("stats/ridership", "council/audit-2025")),
        ("cost of a bridge", ("council/bridge-study", "bridge/why-a-bridge")),
        ("timetable and fares", ("ferry/timetable-2023", "ferry/timetable-2026")),
        (
            "third electric ferry",
            ("wire/third-ferry", "gazette/third-ferry", "courier/third-ferry"),
        ),
        ("how expensive are the vessels", ("council/funding",)),
        ("wildlife", ("wildlife/seal-study-2025", "wildlife/seagrass")),
        ("渡轮对动物的影响", ("zh/haibao",)),
        ("票价", ("zh/feiyong",)),
        (
            "Tarnstone licence",
            ("byteline/licence-change", "servernews/licence-change", "ciodaily/licence-change"),
        ),
        ("how fast is the database engine", ("benchcouncil/ob-three-2025",)),
        ("Tarnstone limits", ("manual/limits-4", "manual/limits-5")),
        ("people who contributed in 2025", ("tarnstone/overview", "dbwiki/tarnstone")),
        ("Stromausfall Datenbank", ("datenwerk/test-tarnstone",)),
        ("migración de la biblioteca", ("bitacora/biblioteca",)),
        ("塔恩石 刷卡记录", ("shucang/anli",)),
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
        assert len(urls) >= (8 if question.language == "en" else 2)
        subject_urls = {
            visitor.demo.page_url(page.key) for page in load_content().of_subject(question.subject)
        }
        assert set(urls) <= subject_urls


BEFORE = {
    "How many passengers did the Quorrow ferry carry in 2025?": (
        "stats/ridership",
        "ferry/about",
        "courier/third-ferry",
        "gazette/third-ferry",
        "wire/third-ferry",
        "ferry/fleet",
        "council/audit-2025",
        "harbour/charging-quays",
        "gazette/ticket-machines",
        "forum/first-crossing",
    ),
    "well electric tidal ferry Quorrow work cost funding": (
        "council/funding",
        "harbour/charging-quays",
        "courier/commuters",
        "forum/first-crossing",
        "ferry/timetable-2026",
        "harbour/reports",
        "ferry/about",
        "courier/third-ferry",
        "gazette/third-ferry",
        "wire/third-ferry",
    ),
    "cost of a bridge": (
        "bridge/members",
        "council/bridge-study",
        "bridge/why-a-bridge",
        "gazette/storm-2024",
        "gazette/bridge-poll",
        "forum/charging-question",
        "council/funding",
        "harbour/charging-quays",
        "forum/first-crossing",
        "ferry/timetable-2023",
    ),
    "票价": (
        "zh/feiyong",
        "zh/gaikuang",
    ),
    "wildlife": (
        "wildlife/seagrass",
        "wildlife/seal-study-2025",
        "forum/first-crossing",
        "harbour/tidal-handbook",
    ),
    "How many noise complaints?": ("courier/noise-complaints",),
    "How many travelled free?": (
        "gazette/ticket-machines",
        "ferry/timetable-2026",
        "forum/first-crossing",
        "council/audit-2025",
    ),
    "2025": (
        "courier/ferry-strike-2025",
        "harbour/reports",
        "ferry/punctuality",
        "council/audit-2025",
        "wildlife/seal-study-2025",
        "harbour/quay-report-2025",
        "stats/energy",
        "stats/ridership",
        "gazette/ticket-machines",
        "council/funding",
    ),
    "storm": (
        "gazette/storm-2024",
        "harbour/charging-quays",
    ),
}
"""What these queries found while there was one subject only."""


@pytest.mark.parametrize("query", BEFORE)
async def test_the_first_subject_is_found_as_if_it_were_alone(visitor: Visitor, query: str) -> None:
    """Another subject changes neither which pages are found nor their order and words."""
    everything = load_content()
    alone = DemoContent(
        sites={k: v for k, v in everything.sites.items() if v.subject == "quorrow"},
        pages={page.key: page for page in everything.of_subject("quorrow")},
    )
    port = visitor.demo.port
    rows = DemoIndex(alone, Renderer(alone, port)).search(query)
    assert [row.url for row in rows] == [visitor.demo.page_url(key) for key in BEFORE[query]]
    assert DemoIndex(everything, Renderer(everything, port)).search(query) == rows
    assert await found(visitor, query) == [row.url for row in rows]


async def test_nonsense_finds_nothing_and_says_so(visitor: Visitor) -> None:
    assert await found(visitor, "zxqv blorp wumpf") == []
    assert "No pages match" in (await visitor.search("zxqv blorp wumpf")).text


async def test_a_query_is_shown_as_text(visitor: Visitor) -> None:
    """safety 6"""
    answer = await visitor.search("<script>alert(1)</script> ferry")
    assert "<script>alert" not in answer.text
    assert (await visitor.search("x" * 5000)).status_code == 200
