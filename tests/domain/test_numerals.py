"""Written-out numbers are the numbers that they say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.numerals import cjk_value, written_out
from leadline.domain.text import numbers_said

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_CJK = "零一二三四五六七八九"


def english(value: int) -> str:
    for size, name in (
        (10**9, "billion"),
        (10**6, "million"),
        (10**3, "thousand"),
        (100, "hundred"),
    ):
        if value >= size:
            rest = value % size
            return f"{english(value // size)} {name}" + (f" {english(rest)}" if rest else "")
    if value >= 20:
        return _TENS[value // 10 - 2] + (f"-{_ONES[value % 10]}" if value % 10 else "")
    return _ONES[value]


def chinese(value: int) -> str:
    for size, name in ((10**8, "亿"), (10**4, "万")):
        if value >= size:
            rest = value % size
            gap = "零" if rest and rest < size // 10 else ""
            return chinese(value // size) + name + (gap + chinese(rest) if rest else "")
    text, zero = "", False
    for size, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = value // size % 10
        if digit:
            text += ("零" if zero and text else "") + _CJK[digit] + name
            zero = False
        else:
            zero = bool(text)
    return text or "零"


@given(st.integers(0, 10**12 - 1))
def test_english_words_are_read_back(value: int) -> None:
    assert written_out(f"It saw {english(value)} ships.") == {str(value)}


@given(st.integers(10, 10**12 - 1))
def test_chinese_numerals_are_read_back(value: int) -> None:
    assert cjk_value(chinese(value)) == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("四十一万二千人次", {"412000"}),
        ("二〇二五年", {"2025"}),
        ("两百万", {"2000000"}),
        ("十二", {"12"}),
        ("four hundred and twelve thousand", {"412000"}),
        ("Twenty-one ships and two boats", {"21", "2"}),
        ("thousand islands", {"1000"}),
        ("万千", set()),
        ("nobody", set()),
    ],
)
def test_numbers_stand_in_sentences(text: str, expected: set[str]) -> None:
    assert written_out(text) == expected


def test_a_passage_that_writes_a_number_out_states_it() -> None:
    assert "412000" in numbers_said("共运送四十一万二千人次。")
    assert "412000" in numbers_said("It carried four hundred and twelve thousand people.")


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert all(value.isdigit() for value in written_out(text))
