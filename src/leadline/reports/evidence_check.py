"""Evidence held against what it was made from: stored texts and the log.

Pure comparisons; each problem is one sentence for a person.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from leadline.domain.evidence import PassageRef, Snapshot
from leadline.domain.evidence_file import EvidenceFile, QuotedPassage, evidence_of
from leadline.domain.projection import RunView
from leadline.domain.run import RunRecord
from leadline.domain.source_files import render_source_markdown, text_hash

_LATER = {"status", "reason", "ended_at", "seconds"}
"""What run.json may say anew after a run's own files were written, if its process died."""


def refs_of(evidence: EvidenceFile) -> dict[int, set[int]]:
    """The passages that anything names, by source."""
    named = [ref for _, row in _quoted(evidence) if (ref := PassageRef.parse(row.ref))]
    named += [ref for _, ref in _looked_at(evidence)]
    if evidence.report:
        named += [c.passage for s in evidence.report.sentences for c in s.citations]
    found: dict[int, set[int]] = {}
    for ref in named:
        found.setdefault(ref.source, set()).add(ref.passage)
    return found


def _quoted(evidence: EvidenceFile) -> Iterator[tuple[str, QuotedPassage]]:
    """Every quote with the id of what quotes it."""
    for finding in evidence.findings:
        yield from ((finding.id, row) for row in finding.passages)
    for claim in evidence.claims:
        yield from ((claim.id, row) for row in claim.passages)


def _looked_at(evidence: EvidenceFile) -> Iterator[tuple[str, PassageRef]]:
    """Every passage that a check rests on, with the claim that was checked."""
    for claim in evidence.claims:
        for judgement in claim.judgements:
            yield from ((claim.id, ref) for ref in judgement.passages)
        for challenge in claim.challenges:
            yield from ((claim.id, ref) for ref in challenge.passages)


def problems_of_text(snapshot: Snapshot, text: str) -> list[str]:
    """What is wrong with the stored text of a source."""
    source = snapshot.source
    name = f"sources/{source.id}.md"
    if text_hash(snapshot.passages) != source.hash:
        return [f"{name} was changed: its text does not have the hash of the page that was read."]
    numbered = all(p.number == i for i, p in enumerate(snapshot.passages, 1))
    if len(snapshot.passages) != source.passages or not numbered:
        return [f"{name} has its passages numbered otherwise than they were read."]
    if render_source_markdown(snapshot) != text:
        return [f"{name} was changed outside its passages: its head is not that of the source."]
    return []


def check_quotes(
    evidence: EvidenceFile, passages: Mapping[PassageRef, str]
) -> tuple[str, list[str]]:
    """How many quotes there are, and which are not the words of the passage they name."""
    problems: list[str] = []
    count = 0
    sources = {source.id: source for source in evidence.sources}
    for holder, row in _quoted(evidence):
        count += 1
        ref = PassageRef.parse(row.ref)
        stored = passages.get(ref) if ref else None
        source = sources.get(ref.source) if ref else None
        if stored is None or source is None:
            problems.append(f"{holder} names passage {row.ref}, which is not stored.")
        elif stored != row.quote:
            problems.append(f"{holder} quotes passage {row.ref} in other words than it has.")
        elif (row.url, row.title, row.date) != (source.url, source.title, source.date):
            problems.append(f"{holder} gives passage {row.ref} to another source.")
    problems += [
        f"A check of {claim_id} names passage {ref}, which is not stored."
        for claim_id, ref in _looked_at(evidence)
        if ref not in passages
    ]
    return f"{count} quotes", problems


def differences(
    evidence: EvidenceFile,
    raw: Any,
    view: RunView,
    record: RunRecord,
    report: bytes,
    *,
    is_bundle: bool,
) -> Iterator[str]:
    """Where the evidence says something else than the log does.

    ``raw`` is the evidence as plain JSON, as it stands in its file; ``report`` is ``report.md``.
    """
    told = evidence.model_dump(mode="json")
    if not _within(raw, told):
        yield "evidence.json has values that are worked out from others, and they are wrong."
    expected = evidence_of(view, record).model_dump(mode="json")
    later = set() if is_bundle else _LATER
    for part, value in expected.items():
        other = told.get(part)
        if part == "run":
            value, other = _without(value, later), _without(other, later)
        if value != other:
            yield f"The log tells otherwise of: {_where(part, value, other)}."
    ready = view.report_ready
    if ready is None or ready.sha256 != hashlib.sha256(report).hexdigest():
        yield "report.md is not the report that the log names (its hash)."
    if view.last_event is not None and is_bundle and view.status is not record.status:
        yield f"The log ends as {view.status.value}, run.json says {record.status.value}."


def _without(fields: Any, left_out: set[str]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key not in left_out}


def _where(part: str, value: Any, other: Any) -> str:
    """The part of the evidence that differs, as narrow as can be told in a few words."""
    if isinstance(value, dict) and isinstance(other, dict):
        keys = [key for key in value if value.get(key) != other.get(key)]
        return f"{part} ({', '.join(keys[:5])})" if keys else part
    if isinstance(value, list) and isinstance(other, list):
        if len(value) != len(other):
            return f"{part} ({len(value)} in the log, {len(other)} in the evidence)"
        rows = [v for v, o in zip(value, other, strict=True) if v != o]
        ids = [str(row.get("id", "")) if isinstance(row, dict) else "" for row in rows]
        named = ", ".join(i for i in ids[:5] if i)
        return f"{part} ({named})" if named else part
    return part


def _within(raw: Any, told: Any) -> bool:
    """Whether all that stands in the file is what was read from it."""
    if isinstance(raw, dict) and isinstance(told, dict):
        return all(key in told and _within(value, told[key]) for key, value in raw.items())
    if isinstance(raw, list) and isinstance(told, list):
        pairs = zip(raw, told, strict=False)
        return len(raw) == len(told) and all(_within(a, b) for a, b in pairs)
    return bool(raw == told)
