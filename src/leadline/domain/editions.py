"""Pages that are an older edition of another page: last year's timetable, the limits of version 4.

Two pages of one publisher whose titles differ in their numbers alone are editions of one page, the
newer one by date. What an older edition says without naming its year held then and may not hold
now; a value with its year (``carried 377,000 passengers in 2024``) stays true for ever.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from leadline.domain.claims import Claim
from leadline.domain.evidence import Source
from leadline.domain.origins import publishers
from leadline.domain.statements import read_statement
from leadline.domain.text import words

MIN_TITLE_WORDS = 2
"""Shorter titles (``Report 2024``) say too little of what a page is an edition of."""

_NUMBER = re.compile(r"\d+(?:[.\-/]\d+)*")


def newer_editions(sources: Iterable[Source]) -> dict[int, Source]:
    """Source id → the newest edition of the same page, for each page that has a newer one."""
    families: dict[tuple[str, tuple[str, ...]], list[Source]] = {}
    for source in sources:
        title = tuple(w for w in words(_NUMBER.sub(" ", source.title)) if not w.isdigit())
        if len(title) < MIN_TITLE_WORDS or not _NUMBER.search(source.title) or not source.date:
            continue
        for name in publishers(source):
            families.setdefault((name, title), []).append(source)
    found: dict[int, Source] = {}
    for family in families.values():
        newest = max(family, key=lambda s: (s.date, s.id))
        for source in family:
            if source.date < newest.date and source.title != newest.title:
                found[source.id] = newest
    return found


def outdated(claim: Claim, newer: dict[int, Source]) -> Source | None:
    """The newer edition that outdates a claim, when all its sources are older editions.

    A claim that names its year is not outdated.
    """
    if read_statement(claim.text).years or not all(i in newer for i in claim.sources):
        return None
    return max((newer[i] for i in claim.sources), key=lambda s: s.date)
