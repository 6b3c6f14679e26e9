"""What a statement says, in a form that two statements can be compared in.

Its subject words, its quantities with their units, its years, its names, and whether it denies.
Everything is by rule and errs towards *different*: merging two statements that are not the same
would put words into a source's mouth.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from leadline.domain.statement_tables import (
    BOUNDS,
    CURRENCIES,
    NEGATIONS,
    NEGATIONS_CJK,
    OPPOSITES,
    UNIT_NAMES,
)
from leadline.domain.text import detect_language, numbers, stem, terms, words
from leadline.domain.text_tables import MONTHS, MULTIPLIERS, STOP_WORDS

_YEAR = re.compile(r"(?<![\d.,])(1[5-9]\d\d|20\d\d|21\d\d)(?!\d|[.,]\d)(?:年)?")
_CLOCK = re.compile(r"(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])")
_NUMBER = re.compile(r"(?<![A-Za-z_\d])\d+(?:[.,'’\u00a0\u202f]\d+)*")
_WORD = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)(?<!^[\"“‘'(])\b[A-ZÀ-ÖØ-ÞА-ЯΑ-Ω][\w'’-]+")
_DIFFERENCE = re.compile(
    r"\s*(?:[^\W\d_]+\s+){0,3}(?:more|less|fewer|higher|lower|longer|shorter|larger|smaller|faster"
    r"|slower|mehr|weniger|de plus|de moins)\b"
)
_ORDINAL = re.compile(
    r"(?<!per )\b(first|second|third|fourth|fifth|sixth|last|former|next|another)\b"
    r"|第[一二三四五六\d]",
    re.IGNORECASE,
)


class Quantity(NamedTuple):
    """A number with what it counts; ``unit`` is a stem (``passenger``, ``percent``) or empty.

    How much more or less something is (``9 percent more``) has a unit of its own.
    """

    value: str
    unit: str
    bound: str = ""
    """``least``, ``most`` or ``about``; empty for a plain value."""


@dataclass(frozen=True)
class Statement:
    """One statement, taken apart."""

    text: str
    language: str
    subject: frozenset[str]
    """Stems of its words that are neither numbers nor units nor months."""
    quantities: tuple[Quantity, ...]
    years: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    denies: bool
    """Whether it holds an odd number of negations."""
    ordinals: frozenset[str]
    """``first``, ``second``, ``another``: which of several things it speaks of."""
    opposites: frozenset[str]
    """Words of it that have an opposite (``rise``, ``below``), as stems."""


@lru_cache(maxsize=4096)
def read_statement(text: str) -> Statement:
    """Take a statement apart."""
    found = quantities(text)
    units = {q.unit for q in found}
    subject = {
        term
        for term in terms(text)
        if not term[0].isdigit() and term not in units and term not in _NOT_SUBJECT
    }
    stems = {stem(w) for w in _lower_words(text)}
    return Statement(
        text=text,
        language=detect_language(text),
        subject=frozenset(subject),
        quantities=found,
        years=frozenset(_YEAR.findall(text)),
        numbers=frozenset(numbers(text)),
        names=frozenset(names(text)),
        denies=negations(text) % 2 == 1,
        ordinals=frozenset(m.group().casefold() for m in _ORDINAL.finditer(text)),
        opposites=frozenset(stems & OPPOSITES.keys()),
    )


_NOT_SUBJECT = frozenset({stem(w) for w in (*MONTHS, *MULTIPLIERS, "per") if w.isascii()})


def _lower_words(text: str) -> list[str]:
    return [w.casefold() for w in _WORD.findall(text)]


def negations(text: str) -> int:
    """How many words of a text deny something."""
    folded = text.casefold().replace("’", "'")
    count = sum(word in NEGATIONS for word in re.findall(r"[^\W\d_]+(?:'t\b)?", folded))
    return count + sum(folded.count(word) for word in NEGATIONS_CJK)


def names(text: str) -> set[str]:
    """Proper names by their capital letter, folded; the first word of a sentence is not one."""
    found = {m.casefold().removesuffix("'s").removesuffix("’s") for m in _NAME.findall(text)}
    return {name for name in found if name not in STOP_WORDS and name not in MONTHS}


def quantities(text: str) -> tuple[Quantity, ...]:
    """The numbers of a text with their units, in order; years alone are none.

    ``34 to 46 minutes`` are two quantities of minutes. A clock time has the unit ``clock``.
    """
    text = re.sub(r"(?i)\bper cent\b", "percent", text)
    text = re.sub(r"(?i)\bpercentage points?\b", "points", text)
    found = [Quantity(f"{int(m[1]):02}:{m[2]}", "clock") for m in _CLOCK.finditer(text)]
    rest = _CLOCK.sub(" ", text)
    matches = list(_NUMBER.finditer(rest))
    pending: list[tuple[str, str]] = []
    for index, match in enumerate(matches):
        end = matches[index + 1].start() if index + 1 < len(matches) else len(rest)
        after, before = rest[match.end() : end], rest[: match.start()]
        if _YEAR.fullmatch(match[0]) and not after.lstrip().startswith(("%", "percent")):
            pending.clear()
            continue
        power = re.match(r"[\s\u00a0-]?([^\W\d_]+)", after)
        scaled = f"{match[0]} {power[1]}" if power and _is_multiplier(power[1]) else match[0]
        values = numbers(scaled)
        if not values or after.startswith(":"):  # the number of a label ("Version 5: 256 TB")
            continue
        value = min(values, key=len) if len(values) > 1 else next(iter(values))
        bound = _bound(before)
        if _DIFFERENCE.match(after):
            found.append(Quantity(value, f"{_unit(before, after)} difference", bound))
            continue
        own_sign = before.rstrip()[-1:] in CURRENCIES
        if not own_sign and re.match(r"\s*(?:to|bis|à|and|–|-|—|至|到)\s*$", after):
            pending.append((value, bound))
            continue
        unit = _unit(before, after)
        found += [Quantity(v, unit, b) for v, b in pending] + [Quantity(value, unit, bound)]
        pending.clear()
    found += [Quantity(v, "", b) for v, b in pending]
    return tuple(found)


def _is_multiplier(word: str) -> bool:
    folded = word.casefold()
    return folded in MULTIPLIERS or any(
        folded.startswith(m) for m in MULTIPLIERS if not m.isascii()
    )


def _bound(before: str) -> str:
    tail = before[-24:].casefold().rstrip(" \u00a0$€£¥₹")
    for bound, words_before in BOUNDS.items():
        if any(
            re.search(rf"(?:\b|^|(?<=[^\x00-\x7f])){re.escape(w)}$", tail) for w in words_before
        ):
            return bound
    return ""


def _unit(before: str, after: str) -> str:
    """What a number counts: the sign or the first word behind it, else a currency before it."""
    tail = before.rstrip()[-1:]
    if tail in CURRENCIES:
        return CURRENCIES[tail]
    behind = after.lstrip()
    if behind[:1] in ("%", "％"):
        return "percent"
    if behind[:1] in CURRENCIES:
        return CURRENCIES[behind[:1]]
    clause = re.split(r"[.;:,|()，。；：（）]", behind, maxsplit=1)[0]
    for word in _WORD.findall(clause)[:4]:
        folded = word.casefold()
        if folded in MULTIPLIERS:
            continue
        folded = folded.lstrip("百千万萬亿億十")
        if folded in MONTHS:
            return "date"
        for name, unit in UNIT_NAMES.items():
            if folded == name or (not name.isascii() and folded.startswith(name)):
                return stem(unit)
        if folded in STOP_WORDS:
            break
        terms_of = words(word)
        return stem(terms_of[0]) if terms_of else ""
    label = re.search(r"([^|:：]+)[:：]\s*$", before)
    return _unit_of_label(label[1]) if label else ""


def _unit_of_label(label: str) -> str:
    """``Price in crowns`` → crown, ``Operations per second`` → operation."""
    named = re.search(r"\bin\s+([^\W\d_]+)", label) or re.search(r"([^\W\d_]+)", label)
    return stem(named[1].casefold()) if named else ""
