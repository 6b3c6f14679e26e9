"""Findings of all tasks, merged into claims.

Two findings are one claim when they state the same numbers, dates and names in much the same words
(in another language the numbers alone must be telling), and neither denies what the other says.
Each finding is compared with the first one of a claim, never along a chain, so a claim cannot drift
from what its first finding says; its id is that finding's number, so it stays the same while a
run goes on finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from leadline.domain.claims import Claim, Confidence
from leadline.domain.evidence import Finding, PassageRef, Source
from leadline.domain.origins import independent
from leadline.domain.statement_tables import OPPOSITES
from leadline.domain.statements import Statement, read_statement
from leadline.domain.text import one_line

MAX_PASSAGES = 12
SAME_WORDS = 0.6
"""Jaccard share of subject words from which two statements without numbers are one."""
SAME_WORDS_AND_NUMBERS = 0.4
"""The same where both state the same numbers."""
CONTAINED = 0.85


def merge_findings(
    findings: Iterable[Finding], sources: Mapping[int, Source], origins: Mapping[int, int]
) -> tuple[Claim, ...]:
    """The claims of some findings, in the order of their first finding.

    ``origins`` maps a source to the origin it is counted as; an unknown source is its own.
    """
    groups: list[list[Finding]] = []
    firsts: list[Statement] = []
    by_numbers: dict[frozenset[str], list[int]] = {}
    by_text: dict[str, int] = {}
    for finding in sorted(findings, key=lambda f: int(f.id[1:])):
        statement = read_statement(finding.claim)
        key = one_line(finding.claim).casefold()
        place = by_text.get(key)
        if place is None:
            candidates = by_numbers.setdefault(statement.numbers, [])
            place = next((i for i in candidates if same_statement(statement, firsts[i])), None)
        if place is None:
            place = len(groups)
            groups.append([])
            firsts.append(statement)
            candidates.append(place)
        by_text.setdefault(key, place)
        groups[place].append(finding)
    return tuple(_claim(group, sources, origins) for group in groups)


def same_statement(one: Statement, other: Statement) -> bool:
    """Whether two statements say the same."""
    least = min(len(one.subject), len(other.subject))
    if one.language == other.language and (  # what rules out most, before all else
        len(one.subject & other.subject) < SAME_WORDS_AND_NUMBERS * least
    ):
        return False
    if one.numbers != other.numbers or one.denies != other.denies or _opposed(one, other):
        return False
    if one.language != other.language:
        return _telling(one.numbers)
    if not one.subject or not other.subject:
        return one.subject == other.subject and bool(one.numbers)
    shared = len(one.subject & other.subject)
    jaccard = shared / len(one.subject | other.subject)
    contained = shared / min(len(one.subject), len(other.subject))
    if _units(one) != _units(other) or _of_other_things(one, other):
        return False
    if _telling(one.numbers):
        return jaccard >= SAME_WORDS_AND_NUMBERS or contained >= CONTAINED
    return jaccard >= SAME_WORDS and _names_agree(one, other)


def confidence(origins: int, dated: bool) -> Confidence:
    """High from two independent origins, medium for a dated one, low otherwise."""
    if origins >= 2:
        return Confidence.HIGH
    return Confidence.MEDIUM if dated else Confidence.LOW


def _opposed(one: Statement, other: Statement) -> bool:
    return any(OPPOSITES[word] & other.opposites for word in one.opposites - other.opposites)


def _units(statement: Statement) -> frozenset[str]:
    return frozenset(q.unit for q in statement.quantities if q.unit)


def _of_other_things(one: Statement, other: Statement) -> bool:
    """Whether one number counts something else in each, or each names what the other does not."""
    counted = {(q.value, q.unit) for q in one.quantities}
    there = {(q.value, q.unit) for q in other.quantities}
    if all(unit for _, unit in counted | there) and counted != there:
        return True
    ours, theirs = one.names - other.names, other.names - one.names
    return (
        bool(ours and theirs) and ours.isdisjoint(other.subject) and theirs.isdisjoint(one.subject)
    )


def _telling(values: frozenset[str]) -> bool:
    """Whether numbers alone tell what is spoken of: one is long, or there are several."""
    long = [v for v in values if len(re.sub(r"\D", "", v)) >= 3 and not _is_year(v)]
    return bool(long) and len(values) >= 2


def _is_year(value: str) -> bool:
    return bool(re.fullmatch(r"1[5-9]\d\d|20\d\d|21\d\d", value))


def _names_agree(one: Statement, other: Statement) -> bool:
    return one.names <= other.names or other.names <= one.names


def _claim(
    group: list[Finding], sources: Mapping[int, Source], origins: Mapping[int, int]
) -> Claim:
    carried: dict[PassageRef, str] = {}
    for finding in group:
        carried.update(zip(finding.passages, finding.quotes, strict=False))
    kept = dict(list(_spread(carried).items())[:MAX_PASSAGES])
    used = tuple(dict.fromkeys(ref.source for ref in kept))
    dates = [sources[i].date for i in used if i in sources and sources[i].date]
    apart = independent(used, sources, origins)
    return Claim(
        id=f"c{group[0].id[1:]}",
        text=group[0].claim,
        findings=tuple(f.id for f in group),
        tasks=tuple(dict.fromkeys(f.task for f in group)),
        passages=tuple(kept),
        quotes=tuple(kept.values()),
        origins=apart,
        date=max(dates, default=""),
        confidence=confidence(len(apart), bool(dates)),
    )


def _spread(carried: Mapping[PassageRef, str]) -> dict[PassageRef, str]:
    """The passages, the first of each source before any second one: a cut loses no source."""
    seen: dict[int, int] = {}
    turns: list[tuple[int, int, PassageRef]] = []
    for index, ref in enumerate(carried):
        turns.append((seen.setdefault(ref.source, 0), index, ref))
        seen[ref.source] += 1
    return {ref: carried[ref] for _, _, ref in sorted(turns, key=lambda t: (t[0], t[1]))}
