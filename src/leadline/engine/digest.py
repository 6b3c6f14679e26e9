"""A short account of what was found so far, for later stages and for the reflection.

It holds claims with their finding ids, never page text at length; the budget is in tokens, and what
fits the query best has the most of it. Every finding's id is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from leadline.domain.compression import Item, also_line, compress
from leadline.domain.evidence import Finding
from leadline.models.claim_view import digest_forms


def digest(
    findings: Iterable[Finding],
    *,
    max_tokens: int,
    query: str = "",
    report: Callable[[str], object] | None = None,
) -> str:
    """One line a finding in the order given, at most ``max_tokens`` of them; may be empty.

    Without a ``query`` the newest count most. ``report`` is told in a sentence what was shortened.
    Only when the ids alone take more than ``max_tokens`` is the text longer than that.
    """
    newest_first = [
        Item(f.id, f.passages[0].source, f.claim, digest_forms(f.claim, f.id))
        for f in reversed(list(findings))
    ]
    chosen = compress(newest_first, query, max_tokens)
    if report and (note := chosen.note()):
        report(note)
    pairs = list(zip(newest_first, chosen.levels, strict=True))[::-1]
    lines = [item.forms[level] for item, level in pairs if level < len(item.forms)]
    named = also_line((item.id, item.source) for item, level in pairs if level == len(item.forms))
    return "\n".join([*lines, *([named] if named else [])])
