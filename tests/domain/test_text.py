"""Words, sentences, numbers and languages, over scripts and over hostile text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.text import (
    detect_language,
    estimate_tokens,
    numbers,
    numbers_said,
    one_line,
    script_of,
    shorten,
    split_sentences,
    stem,
    terms,
    words,
)
from tests.domain.strategies import any_text


def test_words_are_folded_and_stop_words_are_out() -> None:
    assert words("What is the Café of ＡＢＣ?") == ["cafe", "abc"]


def test_cjk_words_are_bigrams() -> None:
    """S0-29 and W0-13: text without spaces can be ranked and counted."""
    assert words("深度学习 PostgreSQL 树") == ["深度", "度学", "学习", "postgresql", "树"]


def test_words_of_other_scripts_are_kept_whole() -> None:
    assert words("Привет, мир") == ["привет", "мир"]
    assert words("مرحبا بالعالم") == ["مرحبا", "بالعالم"]


def test_terms_bring_endings_together() -> None:
    assert terms("lighthouses building cities") == terms("lighthouse buildings city")
    assert stem("class") == "class"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Dr. J. R. Smith went to the U.S. in 2024. Then he paid $3.50. Was it? Yes!",
            ["Dr. J. R. Smith went to the U.S. in 2024.", "Then he paid $3.50.", "Was it?", "Yes!"],
        ),
        (
            "See Fig. 2 and no. 5. The answer is no. Right.",
            ["See Fig. 2 and no. 5.", "The answer is no.", "Right."],
        ),
        ("今天天气好。明天“很好！”后天？", ["今天天气好。", "明天“很好！”", "后天？"]),
        ("هل هذا؟ نعم. لا", ["هل هذا؟", "نعم.", "لا"]),
        ("One\n\nTwo\nstill two.", ["One", "Two\nstill two."]),
        ("1. First item.", ["1. First item."]),
        ("He said “Go.” Then he left.", ["He said “Go.”", "Then he left."]),
        ("The U.S. The end.", ["The U.S.", "The end."]),
        ("", []),
    ],
)  # fmt: skip
def test_sentences(text: str, expected: list[str]) -> None:
    assert split_sentences(text) == expected


@given(any_text)
def test_no_sentence_loses_or_adds_a_letter(text: str) -> None:
    def letters(value: str) -> str:
        return "".join(value.split())

    assert letters("".join(split_sentences(text))) == letters(text)


@pytest.mark.parametrize("piece", [".", "! ", "。", "“", "a. ", "\n", "[.", "1,", "٣", "…"])
def test_a_megabyte_of_anything_is_read_in_time(piece: str) -> None:
    """safety 47, 48: no input makes the reading slow; the test's time limit is the measure."""
    text = piece * (300_000 // len(piece))
    split_sentences(text)
    words(text)
    numbers(text)
    estimate_tokens(text)
    shorten(text, 100)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("比较 PostgreSQL 与 MySQL 的性能", "zh"),
        ("What does 深度学习 mean?", "en"),
        ("日本語のテストです", "ja"),
        ("한국어 문서", "ko"),
        ("Wie funktioniert das und warum ist es so?", "de"),
        ("Quels sont les avantages de la fusion ?", "fr"),
        ("¿Cuáles son las ventajas de la energía?", "es"),
        ("מה זה", "he"),
        ("ما هذا", "ar"),
        ("Привет мир", "ru"),
        ("Tidal ferries", "en"),
        ("12345 !!!", "en"),
        ("", "en"),
    ],
)
def test_languages(text: str, language: str) -> None:
    assert detect_language(text) == language


def test_script_of_a_text() -> None:
    assert script_of("深度学习") == "han"
    assert script_of("tower") == "latin"
    assert script_of("123") == ""


def test_tokens_follow_the_script() -> None:
    """W0-13: four characters a token is far off for Chinese."""
    assert estimate_tokens("abcd" * 100) == 100
    assert estimate_tokens("深" * 100) == 100
    assert estimate_tokens("") == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,500,000 people", "1.5 million people"),
        ("3.2亿", "320 million"),
        ("5 million", "500万"),
        ("12.50", "12.5"),
        ("007", "7"),
        ("٣٤", "34"),
        ("１２％", "12%"),
        ("1’234’567", "1,234,567"),
        ("1.234.567", "1234567"),
        ("3,5 km", "3.5 km"),
        ("1.234,5", "1,234.5"),
    ],
)
def test_numbers_written_in_different_ways_are_equal(one: str, other: str) -> None:
    assert numbers(one) == numbers(other) != set()


def test_digits_in_names_are_no_numbers_and_versions_stay() -> None:
    assert numbers("CO2 and H2O in Python 3.11.2") == {"3.11.2"}
    assert numbers("the 1990s, the 3rd, 5km") == {"1990", "3", "5"}


def test_what_a_passage_can_be_said_to_state() -> None:
    assert {"2", "3", "5", "2024"} <= numbers_said("Two towns in March 2024, fifth time")
    assert "2000000" in numbers_said("two million") & numbers_said("两百万")
    assert {"1234", "1.234"} <= numbers_said("1.234 Tonnen")
    assert "2" in numbers_said("两个城市")


def test_shorten_cuts_between_words_on_one_line() -> None:
    assert shorten("hello big\nwide world and more", 20) == "hello big wide…"
    assert shorten("short", 20) == "short"
    assert shorten("深度学习深度学习", 5) == "深度学习…"
    assert shorten("x" * 10, 1) == "…"
    assert shorten("x", 0) == ""


@given(any_text, st.integers(0, 50))
def test_shortened_text_fits_and_can_be_stored(text: str, chars: int) -> None:
    result = shorten(text, chars)
    assert len(result) <= chars
    assert "\n" not in result
    result.encode("utf-8")
    assert one_line(one_line(text)) == one_line(text)


@given(any_text)
def test_nothing_raises_for_any_text(text: str) -> None:
    """safety 48."""
    words(text)
    numbers(text)
    assert numbers(text) <= numbers_said(text)
    detect_language(text)
    assert estimate_tokens(text) >= 0
