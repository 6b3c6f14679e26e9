"""What a finding must be before it counts: a claim that its own passages can carry.

Fail closed: a reference that leads nowhere, a number that no named passage states, or a claim that
shares no word with its passages is refused. The refusal is a sentence that a model can act on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from leadline.domain.evidence import Passage, PassageRef
from leadline.domain.text import detect_language, numbers, numbers_said, one_line, shorten, terms

MAX_PASSAGES = 6
MAX_CLAIM_CHARS = 600

_RANGE = re.compile(
    r"\[?\s*[sS]?(\d{1,6})\s*[.:]\s*[pP]?(\d{1,6})\s*(?:-|–|—|\.\.+|to)\s*"
    r"(?:[sS]?(\d{1,6})\s*[.:]\s*)?[pP]?(\d{1,6})\s*\]?",
    re.ASCII,
)


class FindingRefused(ValueError):
    """A finding that was not recorded; ``str(error)`` tells the model how to mend it."""


class CheckedFinding(NamedTuple):
    """A claim on one line and the passages that carry it, each once, in the order named."""

    claim: str
    passages: tuple[PassageRef, ...]


def _expand(item: str) -> list[PassageRef] | None:
    """The passages that one reference or range names; None when it is neither."""
    single = PassageRef.parse(item)
    if single:
        return [single]
    match = _RANGE.fullmatch(item.strip())
    if not match:
        return None
    source, first = int(match[1]), int(match[2])
    last_source, last = int(match[3] or source), int(match[4])
    if last_source != source or last < first:
        return None
    # One more than allowed is enough to be refused; a huge range is never built.
    last = min(last, first + MAX_PASSAGES)
    return [PassageRef(source=source, passage=n) for n in range(first, last + 1)]


def parse_refs(refs: Sequence[str]) -> tuple[list[PassageRef], list[str]]:
    """References in order, each once, and the items that are none.

    Takes ``3.12``, ``[3.12]``, ``S3:P12``, ranges (``3.4-3.6``, ``3.4-6``) and several in one item.
    """
    found: dict[PassageRef, None] = {}
    unreadable: list[str] = []
    for raw in refs:
        parts = [part for part in re.split(r"[,;，；、]|\]\s*\[", str(raw)) if part.strip(" []")]
        for part in parts:
            expanded = _expand(part.strip(" []"))
            if expanded is None:
                unreadable.append(shorten(part, 30))
            else:
                found.update(dict.fromkeys(expanded))
    return list(found), unreadable


def check_finding(
    claim: str,
    refs: Sequence[str],
    lookup: Callable[[PassageRef], Passage | None],
) -> CheckedFinding:
    """The finding as it may be recorded, or :class:`FindingRefused`.

    ``lookup`` gives a stored passage of this run, or None. URLs and quotes are never taken from
    the caller.
    """
    claim = one_line(claim)
    if not claim:
        raise FindingRefused("The claim is empty: say in one sentence what the passages show.")
    if len(claim) > MAX_CLAIM_CHARS:
        raise FindingRefused(
            f"The claim has {len(claim)} characters; keep it under {MAX_CLAIM_CHARS}, "
            "one fact a finding, and record further facts as further findings."
        )
    named, unreadable = parse_refs(refs)
    if unreadable:
        raise FindingRefused(
            f"These are no passage numbers: {', '.join(unreadable[:5])}. "
            "Name passages by the numbers shown with them, such as 3.12."
        )
    if not named:
        raise FindingRefused(
            "No passage is named: give the numbers of the passages that show it, such as 3.12."
        )
    if len(named) > MAX_PASSAGES:
        raise FindingRefused(
            f"More than {MAX_PASSAGES} passages are named; name the few that show the claim best."
        )
    passages = [(ref, lookup(ref)) for ref in named]
    unknown = [str(ref) for ref, passage in passages if passage is None]
    if unknown:
        raise FindingRefused(
            f"There is no passage {', '.join(unknown)} in this run. "
            "Use only numbers of passages that you were shown."
        )
    _check_support(claim, "\n".join(p.text for _, p in passages if p is not None), named)
    return CheckedFinding(claim, tuple(named))


def _check_support(claim: str, quoted: str, named: Sequence[PassageRef]) -> None:
    """Refuse a claim that says what its passages cannot carry."""
    where = ", ".join(map(str, named))
    added = sorted(numbers(claim) - numbers_said(quoted))
    if added:
        raise FindingRefused(
            f"The claim states {', '.join(added[:5])}, which is not in passage {where}. "
            "Name the passage that states it, or leave the number out."
        )
    # Words can be compared within one language only; a shared number is a tie as well.
    if detect_language(claim) != detect_language(quoted) or numbers(claim):
        return
    own = terms(claim)
    if own and not own & terms(quoted):
        raise FindingRefused(
            f"The claim shares no word with passage {where}. "
            "Name the passages that show it, or state what these passages say."
        )
