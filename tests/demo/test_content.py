"""The sites and pages of the demo web are in form and of every kind."""

from __future__ import annotations

from leadline.demo.content import Kind, load_content, pdf_bytes
from leadline.demo.pdf import write_pdf
from leadline.demo.questions import DEMO_TOPIC, QUESTIONS
from leadline.domain.text import detect_language, split_sentences

CONTENT = load_content()


def test_the_demo_web_has_its_size_and_kinds() -> None:
    assert len(CONTENT.pages) >= 50
    assert len(CONTENT.sites) >= 20
    assert {page.kind for page in CONTENT.pages.values()} == set(Kind)


def test_the_new_timetable_says_that_it_replaces_the_old_one() -> None:
    text = CONTENT.pages["ferry/timetable-2026"].body
    assert "replaces" in text
    assert "demo://ferry/timetable-2023" in text


def test_each_subject_has_hosts_of_its_own() -> None:
    for subject, languages in (("quorrow", {"en", "zh"}), ("tarnstone", {"de", "en", "es", "zh"})):
        pages = CONTENT.of_subject(subject)
        assert len(pages) >= 20
        assert {page.site.language for page in pages} == languages
    assert sum(len(CONTENT.of_subject(subject)) for subject in CONTENT.subjects) == len(
        CONTENT.pages
    )


def test_the_long_page_has_about_150_passages() -> None:
    body = CONTENT.pages["harbour/tidal-handbook"].body
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
        assert question.subject in CONTENT.subjects
    assert {question.subject for question in QUESTIONS} == set(CONTENT.subjects)
