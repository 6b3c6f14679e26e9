"""Claims that are at odds: found by code, before any model is asked.

Two claims conflict when they give another value for one quantity: the same unit, much the same
subject, values of one order, and the same period. Which kind of conflict it is follows from the
dates: another value for the same period is a contradiction; a newer value for a thing that changes
supersedes the older one. Numbers of different stated years are a series and no conflict at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from math import log

from leadline.domain.claims import Claim, Conflict, ConflictKind
from leadline.domain.evidence import Source
from leadline.domain.origins import publishers
from leadline.domain.statements import Quantity, Statement, read_statement
from leadline.domain.text import numbers, numbers_said, script_of, shorten, stem, terms
from leadline.domain.text_tables import MONTHS

SAME_SUBJECT = 0.3
"""Weighted Jaccard share of the words of two claims from which they speak of one quantity."""
SAME_ORDER = 2.0
"""Values further apart than this factor are taken to measure different things."""
SAME_ROW = 0.7
"""Share of words from which two statements are the same but for their value: it may have grown."""
SAME_KEY = 0.6
"""Share of the words of a row's first cell that a sentence must hold to speak of the same."""
A_YEAR = 330
"""Days between two sources from which an undated value is taken to have changed meanwhile."""
FEW_CLAIMS = 30
"""In a smaller set, what all claims hold still tells something."""
MAX_CONFLICTS = 200

_ATTRIBUTION = re.compile(
    r",?\s*\b(?:according to|as reported by|says|said|laut|selon|según)\b[^.;:。；：]*",
    re.IGNORECASE,
)
_LABEL = re.compile(r"([^:：.]{1,40})[:：]\s")
_NEWEST = re.compile(
    r"(?<!at the )\b(?:newest|latest|most recent|neueste[rns]?)\s+([^\W\d_]+)|最新的?(\w{2})",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:correct(?:s|ed|ion)|revis(?:es|ed|ion)|replac(?:es|ed)|supersed(?:es|ed)|no longer)\b"
    r"|更正|修订|取代|不再",
    re.IGNORECASE,
)
_MEASURES = terms(
    "mean average median maximum minimum maximal minimal peak durchschnittlich mittlere"
)
_GENERIC_UNITS = frozenset({"", "percent", "year", "date"})
"""Units that say little of what is measured: the subjects must agree better."""


def find_conflicts(claims: Sequence[Claim], sources: Mapping[int, Source]) -> tuple[Conflict, ...]:
    """Every pair of claims that is at odds, in the order of the claims."""
    read = [_aspects(claim, sources) for claim in claims]
    weight = _weights([aspect for aspects in read for aspect in aspects])
    found: list[Conflict] = []
    for index, ours in enumerate(read):
        for theirs in read[index + 1 :]:
            if len(found) >= MAX_CONFLICTS:
                return tuple(found)
            pairs = ((one, other) for one in ours for other in theirs)
            conflict = next((c for p in pairs if (c := _conflict(*p, weight))), None)
            if conflict:
                found.append(conflict)
    return tuple(found)


def rival_values(text: str, other: str) -> bool:
    """Whether two texts give other values for one quantity of one stated year."""
    one, two = read_statement(text), read_statement(other)
    if not one.years & two.years or one.ordinals != two.ordinals:
        return False
    if len(one.subject & two.subject) < 2:
        return False
    said, said_there = numbers_said(text), numbers_said(other)
    return any(
        ours.unit == theirs.unit
        and ours.unit not in _GENERIC_UNITS
        and ours.value not in said_there
        and theirs.value not in said
        and not _agree(ours, theirs)
        and _same_order(ours.value, theirs.value, SAME_ORDER)
        for ours in one.quantities
        for theirs in two.quantities
    )


def _aspects(claim: Claim, sources: Mapping[int, Source]) -> list[_Read]:
    """What a claim speaks of: a sentence of one thing, a table row of one thing a cell."""
    core = _ATTRIBUTION.sub("", claim.text)
    head, *cells = core.split(" | ")
    if not cells:
        return [_Read(claim, core, sources)]
    return [_Read(claim, f"{head} | {cell}", sources) for cell in cells]


class _Read:
    """One aspect of a claim, taken apart, and what its sources tell of its time."""

    def __init__(self, claim: Claim, text: str, sources: Mapping[int, Source]) -> None:
        self.claim = claim
        self.statement: Statement = read_statement(text)
        self.said = numbers_said(claim.text)
        units = {q.unit for q in self.statement.quantities} - {"", "clock"}
        self.words = self.statement.subject | units
        if " | " in text:  # a row names its subject nowhere: its page does
            titles = (sources[i].title for i in claim.sources if i in sources)
            self.words |= {t for title in titles for t in terms(title) if not t[0].isdigit()}
        self.units = frozenset(q.unit for q in self.statement.quantities)
        self.measures = frozenset(_MEASURES & self.statement.subject)
        """Which measure of a set of values it speaks of: a mean is no maximum."""
        self.sources = frozenset(claim.sources)
        self.publishers = frozenset(
            name for i in self.sources if i in sources for name in publishers(sources[i])
        )
        self.date = _as_date(claim.date)
        self.newest = frozenset(
            stem((m[1] or m[2]).casefold()) for m in _NEWEST.finditer(claim.text)
        )
        """Of what it names the newest one: ``newest release`` → release."""
        head, bar, _ = text.partition(" | ")
        self.row_key = frozenset(terms(head)) if bar else frozenset[str]()
        """Words of a table row's first cell: rows of other things are never at odds."""
        label = _LABEL.match(text)
        self.label = terms(label[1]) if label and not bar else frozenset[str]()
        """Words before a colon (``Depth: 12 metres``): other labels, other things."""
        value = head.partition(":")[2] if bar else ""
        self.row_value, self.row_numbers = terms(value), numbers(value)
        self.terms = terms(text)
        self.script = script_of(text)
        words_of = [w.casefold() for w in re.findall(r"[^\W_]+", text)]
        self.periods = {MONTHS[w] for w in words_of if w in MONTHS and w != "may"} | {
            m.casefold() for m in re.findall(r"\b[QH][1-4]\b|\bMay\b", text)
        }
        self.all_words = frozenset(words_of)
        self.names = {w for name in self.statement.names for w in re.findall(r"[^\W_]+", name)}

    @property
    def years(self) -> frozenset[str]:
        """The years it states, else none."""
        return self.statement.years


def _weights(read: Sequence[_Read]) -> Callable[[str], float]:
    """How much a word tells: what many claims hold tells little."""
    holders = Counter(word for one in read for word in one.words)
    count = max(len(read), FEW_CLAIMS)
    known = {w: log(1 + (count - n + 0.5) / (n + 0.5)) for w, n in holders.items()}
    return known.__getitem__


def _conflict(one: _Read, other: _Read, weight: Callable[[str], float]) -> Conflict | None:
    if one.sources & other.sources or one.script != other.script:
        return None
    shared = one.words & other.words
    if len(shared) < 2:
        return None
    if _both_newest(one, other):
        return _superseded(one, other, shared, "Each names what was newest at its time.")
    if not one.units & other.units or one.measures != other.measures:
        return None
    if one.years and other.years and not one.years & other.years:
        return None
    if one.statement.ordinals != other.statement.ordinals or _apart(one, other):
        return None
    if one.row_key and other.row_key and one.row_key != other.row_key:
        return None
    if one.label and other.label and one.label != other.label:
        return None
    union = one.words | other.words
    alike = sum(map(weight, shared)) / (sum(map(weight, union)) or 1.0)
    pair = _differing(one, other, SAME_ORDER if alike < SAME_ROW else 10 * SAME_ORDER)
    if pair is None:
        return None
    if not _fits_row(one, other) or not _fits_row(other, one):
        return None
    if alike < _needed(one, other, pair[0].unit):
        return None
    return _judged(one, other, pair, shared)


def _apart(one: _Read, other: _Read) -> bool:
    """Whether two claims speak of other months or quarters, or of other named things."""
    if one.periods and other.periods and not one.periods & other.periods:
        return True
    return bool(one.names - other.all_words and other.names - one.all_words)


def _fits_row(row: _Read, other: _Read) -> bool:
    """Whether a sentence speaks of what a table row is about: its first cell's value."""
    if not row.row_key or other.row_key:
        return True
    named = {term for term in row.row_value if not term[0].isdigit()}
    return row.row_numbers <= other.said and len(named & other.terms) >= SAME_KEY * len(named)


def _needed(one: _Read, other: _Read, unit: str) -> float:
    """How alike two claims must be: less where unit and stated period tell much, more where not."""
    if unit.removesuffix(" difference") in _GENERIC_UNITS:
        return SAME_SUBJECT * 1.6
    if bool(one.row_key) != bool(other.row_key):  # what the row is about was found in the sentence
        return SAME_SUBJECT * 0.5
    return SAME_SUBJECT * (0.4 if one.years & other.years else 1.0)


def _differing(one: _Read, other: _Read, order: float) -> tuple[Quantity, Quantity] | None:
    """The quantity that both give with another value within a factor of ``order``, or None."""
    ours, theirs = one.statement.quantities, other.statement.quantities
    for quantity in ours:
        rivals = [q for q in theirs if q.unit == quantity.unit]
        if not rivals or any(_agree(q, r) for q in ours for r in rivals if q.unit == r.unit):
            continue
        for rival in rivals:
            if quantity.value in other.said or rival.value in one.said:
                continue
            if quantity.unit == "clock" or _same_order(quantity.value, rival.value, order):
                return quantity, rival
    return None


def _agree(one: Quantity, other: Quantity) -> bool:
    """Whether two values can be one: equal, one the other's rounding, or within an *about*."""
    if one.value == other.value:
        return True
    a, b = _as_float(one.value), _as_float(other.value)
    if a is None or b is None:
        return False
    if _within(one.bound, a, b) or _within(other.bound, b, a):
        return True
    if "about" in (one.bound, other.bound):
        return abs(a - b) <= 0.1 * max(abs(a), abs(b))
    return _rounds_to(a, one.value, b) or _rounds_to(b, other.value, a)


def _within(bound: str, limit: float, value: float) -> bool:
    """Whether *at least* or *at most* a limit allows a value."""
    return (bound == "least" and value >= limit) or (bound == "most" and value <= limit)


def _rounds_to(value: float, written: str, other: float) -> bool:
    """Whether ``other``, rounded as coarsely as ``written`` looks, is ``value``."""
    whole, _, fraction = written.partition(".")
    if fraction:
        return round(other, len(fraction)) == value
    zeros = len(whole) - len(whole.rstrip("0"))
    return zeros > 0 and round(other, -zeros) == value


def _same_order(one: str, other: str, order: float) -> bool:
    a, b = _as_float(one), _as_float(other)
    if a is None or b is None or not a or not b:
        return False
    return max(a, b) / min(a, b) <= order


def _as_float(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _both_newest(one: _Read, other: _Read) -> bool:
    """Whether two claims of different dates both name what is newest, and name something else."""
    if not one.newest & other.newest or not one.date or not other.date or one.date == other.date:
        return False
    if not _fits_row(one, other) or not _fits_row(other, one):
        return False
    ours, theirs = one.statement.numbers, other.statement.numbers
    return bool(ours and theirs) and not ours & theirs - one.years - other.years


def _superseded(one: _Read, other: _Read, shared: frozenset[str], reason: str) -> Conflict:
    """The later claim replaces the earlier one."""
    old, new = sorted((one, other), key=lambda r: r.date or date.min)
    return Conflict(
        kind=ConflictKind.SUPERSEDED,
        claims=(old.claim.id, new.claim.id),
        about=shorten(" ".join(sorted(shared)), 80),
        reason=f"{reason} The second is of {new.claim.date}, the first of {old.claim.date}.",
    )


def _judged(
    one: _Read, other: _Read, pair: tuple[Quantity, Quantity], shared: frozenset[str]
) -> Conflict:
    """The conflict of two claims, its kind by period, date and publisher."""
    first, second = one.claim, other.claim
    values = f"{_readable(pair[0].value)} and {_readable(pair[1].value)}"
    about = shorten(" ".join(sorted(shared - {pair[0].unit})), 80)
    gap = (other.date - one.date).days if one.date and other.date else None
    same_publisher = bool(one.publishers & other.publishers)
    same_period = bool(one.years & other.years)
    newer = other if gap is not None and gap > 0 else one
    superseded = bool(gap) and (
        (same_publisher and (not same_period or bool(_CORRECTS.search(newer.claim.text))))
        or (not same_period and abs(gap or 0) >= A_YEAR)
    )
    if superseded:
        return _superseded(one, other, shared - {pair[0].unit}, f"They give {values}.")
    return Conflict(
        kind=ConflictKind.CONTRADICTION,
        claims=(first.id, second.id),
        about=about,
        reason=f"They give {values} for the same thing.",
    )


def _readable(value: str) -> str:
    """``326000000`` as a person reads it; the unit stands in the claims, here it is a stem."""
    return f"{int(value):,}" if value.isdigit() else value


def _as_date(text: str) -> date | None:
    match = re.match(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?", text)
    if not match:
        return None
    try:
        return date(int(match[1]), int(match[2] or 7), int(match[3] or 1))
    except ValueError:
        return None
