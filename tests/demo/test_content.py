"""What is planted stands where ``facts.py`` says."""

from __future__ import annotations

import pytest

from leadline.demo import facts
from leadline.demo.content import Kind, load_content, pdf_bytes
from leadline.demo.pdf import write_pdf
from leadline.demo.questions import DEMO_TOPIC, QUESTIONS
from leadline.domain.text import detect_language, split_sentences

CONTENT = load_content()


def text_of(key: str) -> str:
    page = CONTENT.pages[key]
    return f"{page.body}\n{page.data}"


def test_the_demo_web_has_its_size_and_kinds() -> None:
    assert len(CONTENT.pages) >= 25
    assert len(CONTENT.sites) >= 8
    assert {page.kind for page in CONTENT.pages.values()} == set(Kind)


@pytest.mark.parametrize(
    "fact",
    [
        *facts.FACTS,
        facts.SCRIPT_FACT,
        facts.MORE_FACT,
        facts.CONSENT_FACT,
        facts.PDF_FACT,
        facts.BRACES_FACT,
    ],
    ids=lambda fact: fact.page,
)
def test_a_truth_stands_on_its_page(fact: facts.Fact) -> None:
    assert fact.answer in text_of(fact.page)


def test_contradictions_stand_on_their_pages() -> None:
    for contradiction in facts.CONTRADICTIONS:
        for value, key in zip(contradiction.values, contradiction.pages, strict=True):
            assert value in text_of(key)


def test_the_new_page_replaces_the_old_one() -> None:
    old, new = facts.SUPERSEDED.old_page, facts.SUPERSEDED.new_page
    assert CONTENT.pages[old].date < CONTENT.pages[new].date
    assert "replaces" in text_of(new)
    assert f"demo://{old}" in text_of(new)
    assert all(value in text_of(old) for value in facts.SUPERSEDED.old_values)
    assert all(value in text_of(new) for value in facts.SUPERSEDED.new_values)


def test_one_text_stands_on_three_sites() -> None:
    texts = {CONTENT.pages[key].body for key in facts.COPIES}
    assert len(texts) == 1
    assert len({CONTENT.pages[key].site.id for key in facts.COPIES}) == 3


def test_the_long_page_has_about_150_passages() -> None:
    body = CONTENT.pages[facts.LONG_PAGE].body
    assert 140 <= sum(len(split_sentences(line)) for line in body.splitlines() if line) <= 220


def test_the_stored_pdf_is_the_one_of_its_text() -> None:
    for page in CONTENT.pages.values():
        if page.kind is Kind.PDF:
            assert write_pdf(page) == pdf_bytes(page)


def test_the_sample_questions_are_in_their_languages() -> None:
    assert QUESTIONS[0].text == DEMO_TOPIC
    assert len({question.id for question in QUESTIONS}) == len(QUESTIONS)
    for question in QUESTIONS:
        assert detect_language(question.text) == question.language
