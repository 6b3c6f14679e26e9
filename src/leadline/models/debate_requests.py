"""Questions of a debate about claims: what could refute them, what does, and who is right?

The same rules as in ``verification_requests``: claims and passages by number, nobody named, and an
answer that is missing or malformed leaves things as uncertain as they were (S3-37, S3-38, S3-41).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import override

from leadline.domain.claims import Challenge, Claim, Conflict, Ruling, Severity
from leadline.domain.evidence import PassageRef
from leadline.domain.finding_rules import parse_refs
from leadline.domain.text import one_line, shorten
from leadline.models.answer_schema import STRING, array, obj
from leadline.models.prompts import Data, Value
from leadline.models.requests import AnswerUnusable, ModelRequest, Role, language_name
from leadline.models.verification_requests import (
    ShownPassage,
    claim_id,
    claim_line,
    passage_lines,
    sentence,
    texts_of,
)

QUERY_CHARS = 200
_RULINGS = {
    "accept": Ruling.ACCEPTED, "accepted": Ruling.ACCEPTED, "接受": Ruling.ACCEPTED,
    "reject": Ruling.REJECTED, "rejected": Ruling.REJECTED, "拒绝": Ruling.REJECTED,
    "disputed": Ruling.DISPUTED, "dispute": Ruling.DISPUTED, "争议": Ruling.DISPUTED,
}  # fmt: skip


class CounterSearch(BaseModel):
    """A search for what speaks against a claim."""

    model_config = ConfigDict(frozen=True)

    claim: str
    query: str


class _AboutClaims(BaseModel):
    """What all these questions show."""

    model_config = ConfigDict(frozen=True)

    language: str = ""
    claims: tuple[Claim, ...]
    passages: tuple[ShownPassage, ...]

    def shown(self) -> dict[str, Value]:
        """The values of the slots ``claims`` and ``passages``."""
        return {
            "passages": Data(passage_lines(self.passages)),
            "claims": Data("\n".join(claim_line(claim) for claim in self.claims)),
        }

    @property
    def known(self) -> dict[str, Claim]:
        """The claims by id."""
        return {claim.id: claim for claim in self.claims}

    def named(self, value: Any) -> tuple[PassageRef, ...]:
        """Passages that an answer names and that were shown."""
        refs, _ = parse_refs(texts_of(value))
        visible = {passage.ref for passage in self.passages}
        return tuple(ref for ref in refs if ref in visible)


class RefuteRequest(_AboutClaims, ModelRequest[tuple[CounterSearch, ...]]):
    """Which searches could refute these claims?"""

    role: ClassVar[Role] = "refuter"
    prompt: ClassVar[str] = "refuter"
    answer_name: ClassVar[str] = "counter_searches"

    topic: str
    most: int = Field(ge=1)

    @override
    def values(self) -> Mapping[str, Value]:
        return {**self.shown(), "topic": self.topic, "most": self.most}

    @classmethod
    @override
    def answer_schema(cls) -> dict[str, Any]:
        row = obj(claim=STRING, query=STRING)
        return obj(searches=array(row))

    @override
    def parse(self, value: Any) -> tuple[CounterSearch, ...]:
        found: dict[str, CounterSearch] = {}
        for row in _rows(value, "searches", "queries"):
            claim, query = claim_id(row.get("claim")), row.get("query")
            text = shorten(query, QUERY_CHARS) if isinstance(query, str) else ""
            if claim in self.known and text:
                found.setdefault(text.casefold(), CounterSearch(claim=claim, query=text))
        return tuple(found.values())[: self.most]


class ChallengeRequest(_AboutClaims, ModelRequest[tuple[Challenge, ...]]):
    """What speaks against these claims?"""

    role: ClassVar[Role] = "refuter"
    prompt: ClassVar[str] = "challenger"
    answer_name: ClassVar[str] = "challenges"

    @override
    def values(self) -> Mapping[str, Value]:
        return {**self.shown(), "language": language_name(self.language)}

    @classmethod
    @override
    def answer_schema(cls) -> dict[str, Any]:
        severity = {"type": "string", "enum": [s.value for s in Severity]}
        row = obj(claim=STRING, challenge=STRING, severity=severity, passages=array(STRING))
        return obj(challenges=array(row))

    @override
    def parse(self, value: Any) -> tuple[Challenge, ...]:
        found: list[Challenge] = []
        for row in _rows(value, "challenges", "refutations"):
            claim, text = claim_id(row.get("claim")), sentence(row.get("challenge"))
            if claim not in self.known or not text:
                continue
            found.append(
                Challenge(
                    claim=claim,
                    challenge=text,
                    severity=_severity(row.get("severity")),
                    passages=self.named(row.get("passages")),
                )
            )
        return tuple(found)


class RebuttalRequest(_AboutClaims, ModelRequest[tuple[Challenge, ...]]):
    """Which challenges hold? The answer is the same challenges, each with its ruling."""

    role: ClassVar[Role] = "verifier"
    prompt: ClassVar[str] = "rebuttal"
    answer_name: ClassVar[str] = "rulings"

    challenges: tuple[Challenge, ...]

    @override
    def values(self) -> Mapping[str, Value]:
        lines = [
            json.dumps(
                {
                    "challenge": number,
                    "claim": challenge.claim,
                    "text": challenge.challenge,
                    "passages": [str(ref) for ref in challenge.passages],
                },
                ensure_ascii=False,
            )
            for number, challenge in enumerate(self.challenges, start=1)
        ]
        return {
            **self.shown(),
            "language": language_name(self.language),
            "challenges": Data("\n".join(lines)),
        }

    @classmethod
    @override
    def answer_schema(cls) -> dict[str, Any]:
        ruling = {"type": "string", "enum": ["accept", "reject", "disputed"]}
        row = obj(challenge={"type": "integer"}, ruling=ruling, reason=STRING)
        return obj(rulings=array(row))

    @override
    def parse(self, value: Any) -> tuple[Challenge, ...]:
        rulings: dict[int, Challenge] = {}
        for row in _rows(value, "rulings", "rebuttals"):
            number = _number(row.get("challenge"))
            ruling = _RULINGS.get(one_line(str(row.get("ruling", ""))).casefold())
            if number is None or not 1 <= number <= len(self.challenges) or ruling is None:
                continue
            if number in rulings and rulings[number].ruling is not ruling:
                ruling = Ruling.DISPUTED  # two words on one challenge settle nothing
            challenge = self.challenges[number - 1]
            changed = {"ruling": ruling, "reason": sentence(row.get("reason"))}
            rulings[number] = challenge.model_copy(update=changed)
        if not rulings:
            raise AnswerUnusable("no ruling names one of the challenges by its number")
        return tuple(rulings.get(n, c) for n, c in enumerate(self.challenges, start=1))


class AdjudicateRequest(_AboutClaims, ModelRequest[Conflict]):
    """Which of two claims is right? The answer is the conflict, settled or as it was."""

    role: ClassVar[Role] = "adjudicator"
    prompt: ClassVar[str] = "adjudicator"
    answer_name: ClassVar[str] = "settlement"

    conflict: Conflict

    @override
    def values(self) -> Mapping[str, Value]:
        return {**self.shown(), "language": language_name(self.language)}

    @classmethod
    @override
    def answer_schema(cls) -> dict[str, Any]:
        return obj(**{"for": STRING}, reason=STRING, passages=array(STRING))

    @override
    def parse(self, value: Any) -> Conflict:
        if not isinstance(value, dict) or "for" not in value:
            raise AnswerUnusable("an object with for, reason and passages is needed")
        winner, reason = claim_id(value["for"]), sentence(value.get("reason"))
        rests_on = self.named(value.get("passages"))
        if winner not in self.conflict.claims or not reason or not rests_on:
            return self.conflict
        return self.conflict.model_copy(update={"settled_for": winner, "settled_by": reason})


def _rows(value: Any, *keys: str) -> Sequence[dict[str, Any]]:
    """The objects of a list that an answer is or holds. Raises :class:`AnswerUnusable`."""
    if isinstance(value, dict):
        value = next((value[key] for key in keys if isinstance(value.get(key), list)), None)
    if not isinstance(value, list):
        raise AnswerUnusable(f"an object with the list {keys[0]} is needed")
    return [row for row in value if isinstance(row, dict)]


def _severity(value: Any) -> Severity:
    """An unknown severity is *moderate*: it qualifies, and neither sinks a claim nor spares it."""
    try:
        return Severity(one_line(str(value)).casefold())
    except ValueError:
        return Severity.MODERATE


def _number(value: Any) -> int | None:
    text = one_line(str(value)).strip("[]#. ")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None
