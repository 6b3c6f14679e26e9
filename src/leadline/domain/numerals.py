"""Numbers that are written out: ``four hundred and twelve thousand``, ``四十一万二千``.

Pure and linear. What is no number gives none; ordinals and fractions are left to ``text``.
"""

from __future__ import annotations

import re

_ONES = {
    word: value
    for value, word in enumerate(
        [
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
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
    )
}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_WORD = "|".join((*_ONES, *_TENS, "hundred", *_SCALES))
_RUN = re.compile(rf"\b(?:{_WORD})\b(?:(?:[\s-]+|\s+and\s+)(?:{_WORD})\b)*", re.IGNORECASE)

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_CJK_RUN = re.compile("[零〇一二三四五六七八九两兩十百千万萬亿億]{2,24}")


def written_out(text: str) -> set[str]:
    """Every number that a text writes out in English words or CJK numerals, in digits."""
    found = {str(_english(match[0])) for match in _RUN.finditer(text)}
    for match in _CJK_RUN.finditer(text):
        value = cjk_value(match[0])
        if value is not None:
            found.add(str(value))
    return found


def _english(run: str) -> int:
    total = current = 0
    for word in re.findall(r"[a-z]+", run.casefold()):
        if word in _ONES:
            current += _ONES[word]
        elif word in _TENS:
            current += _TENS[word]
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in _SCALES:
            total += max(current, 1) * _SCALES[word]
            current = 0
    return total + current


def cjk_value(run: str) -> int | None:
    """The value of a CJK numeral; None when it is none (``万千``, a list of digits is a number).

    Digits alone are read one by one, as years are written: 二〇二五 is 2025.
    """
    if all(char in _DIGITS for char in run):
        return int("".join(str(_DIGITS[char]) for char in run))
    total = section = 0
    digit: int | None = None
    for char in run:
        if char in _DIGITS:
            if digit not in (None, 0):
                return None
            digit = _DIGITS[char]
        elif char in _UNITS:
            if digit is None and (char != "十" or section):
                return None
            section += (1 if digit is None else digit) * _UNITS[char]
            digit = None
        else:
            section += digit or 0
            if not section and not total:
                return None
            total = (
                (total + section) * _MYRIADS[char]
                if _MYRIADS[char] == 10**8
                else (total + section * _MYRIADS[char])
            )
            section, digit = 0, None
    return total + section + (digit or 0)
