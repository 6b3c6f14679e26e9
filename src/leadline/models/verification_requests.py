"""Questions about claims: what do their passages say, what speaks against them, who is right?

A checker is shown claims and passages by number and answers in the same numbers; who made a claim
is not said. Reading an answer fails closed (W3-3, W3-4): a claim that is not named, an unknown
word, a passage of another claim and a contradiction within the answer count for nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict
from typing_extensions import override

from leadline.domain.claims import Claim, Judgement, Verdict
from leadline.domain.evidence import PassageRef
from leadline.domain.finding_rules import parse_refs
from leadline.domain.text import one_line, shorten
from leadline.domain.verdicts import parse_verdict
from leadline.models.answer_schema import STRING, array, obj
from leadline.models.prompts import Data, Value
from leadline.models.requests import AnswerUnusable, ModelRequest, Role, language_name

REASON_CHARS = 300
_STRENGTH = (Verdict.SUPPORTS, Verdict.QUALIFIES, Verdict.SILENT, Verdict.CONTRADICTS)


class ShownPassage(BaseModel):
    """A stored passage as a checker sees it. ``context`` is what stands around it."""

    model_config = ConfigDict(frozen=True)

    ref: PassageRef
    text: str
    source: str = ""
    """Title and date of its source."""
    context: str = ""


class AtOdds(BaseModel):
    """Two claims that a checker holds to be at odds."""

    model_config = ConfigDict(frozen=True)

    claims: tuple[str, str]
    reason: str


class VerifyAnswer(BaseModel):
    """At most one judgement a claim, of claims that were asked about."""

    model_config = ConfigDict(frozen=True)

    judgements: tuple[Judgement, ...] = ()
    at_odds: tuple[AtOdds, ...] = ()


class VerifyRequest(ModelRequest[VerifyAnswer]):
    """Do the passages carry these claims?"""

    role: ClassVar[Role] = "verifier"
    prompt: ClassVar[str] = "verifier"
    answer_name: ClassVar[str] = "claim_verdicts"

    language: str = ""
    claims: tuple[Claim, ...]
    passages: tuple[ShownPassage, ...]

    @override
    def values(self) -> Mapping[str, Value]:
        return {
            "language": language_name(self.language),
            "passages": Data(passage_lines(self.passages)),
            "claims": Data("\n".join(claim_line(claim) for claim in self.claims)),
        }

    @classmethod
    @override
    def answer_schema(cls) -> dict[str, Any]:
        text, texts = STRING, array(STRING)
        verdict = obj(
            claim=text,
            verdict={
                "type": "string",
                "enum": ["supports", "qualifies", "contradicts", "does not address"],
            },
            reason=text,
            passages=texts,
        )
        conflict = obj(claims=texts, reason=text)
        return obj(
            verdicts=array(verdict),
            conflicts=array(conflict),
        )

    @override
    def parse(self, value: Any) -> VerifyAnswer:
        if isinstance(value, list):
            value = {"verdicts": value}
        if not isinstance(value, dict):
            raise AnswerUnusable("an object with verdicts is needed")
        rows = value.get("verdicts")
        if not isinstance(rows, list):
            rows = [value] if "verdict" in value else []
        judgements = read_judgements(rows, self.claims)
        if not judgements:
            raise AnswerUnusable(
                "no verdict names one of the claims "
                + ", ".join(claim.id for claim in self.claims[:20])
            )
        return VerifyAnswer(
            judgements=judgements, at_odds=read_at_odds(value.get("conflicts"), self.claims)
        )


def read_judgements(rows: Iterable[Any], claims: Sequence[Claim]) -> tuple[Judgement, ...]:
    """One judgement a claim: of several words on one claim the weakest counts (W3-4)."""
    known = {claim.id: claim for claim in claims}
    found: dict[str, Judgement] = {}
    for row in rows:
        if not isinstance(row, dict):
            continue
        claim = known.get(claim_id(row.get("claim", row.get("id"))))
        verdict = parse_verdict(row.get("verdict", row.get("status")))
        if claim is None or verdict is None:
            continue
        named, _ = parse_refs(texts_of(row.get("passages")))
        own = tuple(ref for ref in named if ref in claim.passages)
        if named and not own and verdict in (Verdict.SUPPORTS, Verdict.QUALIFIES):
            continue  # it speaks of other passages than the claim's own
        judgement = Judgement(
            claim=claim.id, verdict=verdict, reason=sentence(row.get("reason")), passages=own
        )
        before = found.get(claim.id)
        if before is None or _STRENGTH.index(verdict) > _STRENGTH.index(before.verdict):
            found[claim.id] = judgement
    return tuple(found[claim.id] for claim in claims if claim.id in found)


def read_at_odds(rows: Any, claims: Sequence[Claim]) -> tuple[AtOdds, ...]:
    """Pairs of different claims that were asked about, each pair once."""
    known = {claim.id for claim in claims}
    found: dict[frozenset[str], AtOdds] = {}
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, dict):
            continue
        pair = [i for i in map(claim_id, texts_of(row.get("claims"))) if i in known]
        if len(pair) == len(set(pair)) == 2:
            first, second = sorted(pair, key=lambda i: int(i[1:]))
            odds = AtOdds(claims=(first, second), reason=sentence(row.get("reason")))
            found.setdefault(frozenset(pair), odds)
    return tuple(found.values())


def claim_id(value: Any) -> str:
    """``c7`` out of ``c7``, ``C7``, ``[c7]`` or ``claim 7``; empty when it is no id."""
    text = one_line(str(value if value is not None else "")).casefold().strip("[]() .:#\"'")
    text = text.removeprefix("claim").strip(" #:")
    digits = text.removeprefix("c")
    return f"c{int(digits)}" if digits.isascii() and digits.isdigit() and len(digits) < 9 else ""


def claim_line(claim: Claim) -> str:
    """One claim as one JSON line: its text cannot fake another claim's start."""
    fields = {"id": claim.id, "claim": claim.text, "passages": [str(r) for r in claim.passages]}
    return json.dumps(fields, ensure_ascii=False)


def passage_lines(passages: Iterable[ShownPassage]) -> str:
    """Passages as JSON lines, those of one source together."""
    lines: list[str] = []
    for shown in sorted(passages, key=lambda p: (p.ref.source, p.ref.passage)):
        fields = {"passage": str(shown.ref), "source": shown.source, "text": shown.text}
        if shown.context:
            fields["around it"] = shown.context
        lines.append(json.dumps(fields, ensure_ascii=False))
    return "\n".join(lines) or "none"


def sentence(value: Any) -> str:
    """A reason that a model gave, on one line and not too long."""
    return shorten(value, REASON_CHARS) if isinstance(value, str) else ""


def texts_of(value: Any) -> list[str]:
    """The texts of a list, or the one text."""
    if isinstance(value, str):
        return [value]
    return [str(item) for item in value] if isinstance(value, list) else []
