"""What the findings come to: claims, what was checked about them, and what contradicts what.

A claim is one statement with every passage that carries it, however many tasks found it. What a
report may say of it is a ``ClaimCheck``: exactly one a claim, made by ``verdicts.conclude``.

Invariant (fail closed): a state is *supported* only when the claim's own stored passages carry its
numbers and names and a check said so; whatever is missing or malformed lowers a state.
"""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, computed_field

from leadline.domain.evidence import PassageRef


class Verification(StrEnum):
    """How far claims are checked beyond what code checks always."""

    OFF = "off"
    CHECK = "check"
    DEBATE = "debate"


class ClaimState(StrEnum):
    """What the checks came to."""

    SUPPORTED = "supported"
    QUALIFIED = "qualified"
    """True with a condition that the reason names; superseded values are among these."""
    DISPUTED = "disputed"
    """Sources contradict each other and nothing settles it."""
    CONTRADICTED = "contradicted"
    """Its own passages, or better ones, say otherwise."""
    UNVERIFIED = "unverified"
    """No check could say; the reason tells why."""
    NOT_CHECKED = "not checked"
    """The run was asked not to check."""


class Verdict(StrEnum):
    """What a checker says of a claim and the passages it was shown."""

    SUPPORTS = "supports"
    QUALIFIES = "qualifies"
    CONTRADICTS = "contradicts"
    SILENT = "silent"
    """The passages do not address the claim."""


class Confidence(StrEnum):
    """How much stands behind a claim, counted in code: see ``claim_merge.confidence``."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Claim(BaseModel):
    """One statement and all the passages that carry it."""

    model_config = ConfigDict(frozen=True)

    id: str = Field(pattern=r"^c\d+$", description="The number of its first finding: f7 → c7.")
    text: str
    findings: tuple[str, ...] = Field(min_length=1)
    tasks: tuple[str, ...] = Field((), description="Tasks that found it.")
    passages: tuple[PassageRef, ...] = Field(min_length=1)
    quotes: tuple[str, ...] = Field(description="Text of the passages, looked up in code.")
    origins: tuple[int, ...] = Field((), description="Independent origins of its sources, by id.")
    date: str = Field("", description="ISO date of its newest dated source.")
    confidence: Confidence = Confidence.LOW

    @property
    def sources(self) -> tuple[int, ...]:
        """Ids of the sources its passages stand in, each once."""
        return tuple(dict.fromkeys(ref.source for ref in self.passages))


def fingerprint(claim: Claim) -> str:
    """What a check is a check of: the statement, its passages and their words."""
    parts = (claim.text, *map(str, claim.passages), *claim.quotes)
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


class ConflictKind(StrEnum):
    """How two claims are at odds."""

    CONTRADICTION = "contradiction"
    SUPERSEDED = "superseded"
    """The second is newer and replaces the first."""


class Conflict(BaseModel):
    """Two claims that cannot both stand as they are."""

    model_config = ConfigDict(frozen=True)

    kind: ConflictKind
    claims: tuple[str, str] = Field(description="Ids; for SUPERSEDED the older one first.")
    about: str = Field("", description="What both speak of, in a few words.")
    reason: str = Field(description="Why they are at odds, in one sentence.")
    found_by: Literal["code", "verifier", "refuter"] = "code"
    settled_for: str = Field("", description="Id of the claim that the adjudicator found for.")
    settled_by: str = Field("", description="The deciding evidence, in one sentence.")

    @property
    def is_open(self) -> bool:
        """A contradiction that nothing has settled."""
        return self.kind is ConflictKind.CONTRADICTION and not self.settled_for

    def other(self, claim_id: str) -> str:
        """The other one of the two."""
        return self.claims[1] if self.claims[0] == claim_id else self.claims[0]


class Judgement(BaseModel):
    """What one checker said of one claim. A checker that said nothing leaves none."""

    model_config = ConfigDict(frozen=True)

    claim: str
    verdict: Verdict
    reason: str = ""
    passages: tuple[PassageRef, ...] = Field((), description="Stored passages it rests on.")
    by: Literal["rule", "verifier", "rebuttal", "adjudicator"] = "verifier"


class Severity(StrEnum):
    """How much a challenge would change."""

    CRITICAL = "critical"
    MODERATE = "moderate"
    MINOR = "minor"


class Ruling(StrEnum):
    """What became of a challenge in the rebuttal."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DISPUTED = "disputed"
    OPEN = "open"
    """Nobody answered it, so it stands."""


class Challenge(BaseModel):
    """A refuter's objection to a claim. Counter-evidence is stored passages or nothing."""

    model_config = ConfigDict(frozen=True)

    claim: str
    challenge: str
    severity: Severity
    passages: tuple[PassageRef, ...] = ()
    ruling: Ruling = Ruling.OPEN
    reason: str = Field("", description="The rebuttal, in a sentence.")


class ClaimCheck(BaseModel):
    """What was checked about a claim and what it came to: exactly one a claim."""

    model_config = ConfigDict(frozen=True)

    claim: str
    state: ClaimState
    reason: str = Field("", description="Empty only when supported: why it is not.")
    usable: bool = Field(
        description="Whether the report may state it (its passages carry it, as far as is known)."
    )
    judgements: tuple[Judgement, ...] = ()
    challenges: tuple[Challenge, ...] = ()
    against: tuple[str, ...] = Field((), description="Claims it is in open conflict with.")
    superseded_by: str = Field("", description="A newer claim that replaces it.")
    debated: bool = Field(False, description="A debate looked at it, or saw no need to.")
    stale: bool = Field(False, description="A newer claim or a newer edition of its page exists.")
    fingerprint: str = Field("", description="Of claim and passages; a changed claim is stale.")

    @computed_field  # type: ignore[prop-decorator]  # mypy cannot see through the decorator
    @property
    def resolved(self) -> bool:
        """Whether a check came to a result; computed, never taken from a model (W3-4)."""
        return self.state in (
            ClaimState.SUPPORTED, ClaimState.QUALIFIED, ClaimState.CONTRADICTED,
        )  # fmt: skip


class Gate(BaseModel):
    """The quality gate of a card, decided in code (S3-33)."""

    model_config = ConfigDict(frozen=True)

    score: int = Field(ge=0, le=100)
    findings: int
    accepted: bool
    round: int = Field(0, description="How many follow-up rounds it had before.")
    feedback: tuple[str, ...] = Field((), description="What is missing, for the follow-up.")


class Card(BaseModel):
    """What one view (a category of the plan) came to."""

    model_config = ConfigDict(frozen=True)

    perspective: str
    role: str = ""
    question: str = ""
    claims: tuple[str, ...] = ()
    counterpoints: tuple[str, ...] = Field((), description="Claims at odds with one of its own.")
    gaps: tuple[str, ...] = ()
    gate: Gate | None = None


class Grade(StrEnum):
    """A claim's grade from its three scores: A 13-15, B 10-12, C 7-9, D below (S3-43)."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"


class ClaimScore(BaseModel):
    """Three scores of 1 to 5; sum and grade are arithmetic (W3-16)."""

    model_config = ConfigDict(frozen=True)

    claim: str
    reliability: int = Field(ge=1, le=5, description="Class of its best source.")
    verification: int = Field(ge=1, le=5, description="What the checks came to.")
    coverage: int = Field(ge=1, le=5, description="Independent origins and views.")
    reasons: tuple[str, ...] = ()

    @computed_field  # type: ignore[prop-decorator]  # mypy cannot see through the decorator
    @property
    def total(self) -> int:
        """The sum, 3 to 15."""
        return self.reliability + self.verification + self.coverage

    @computed_field  # type: ignore[prop-decorator]  # mypy cannot see through the decorator
    @property
    def grade(self) -> Grade:
        """The grade of the sum."""
        bounds = ((13, Grade.A), (10, Grade.B), (7, Grade.C))
        return next((grade for least, grade in bounds if self.total >= least), Grade.D)


class Insights(BaseModel):
    """What the claims show together (S3-44)."""

    model_config = ConfigDict(frozen=True)

    consensus: tuple[str, ...] = Field((), description="Claims of two or more independent views.")
    contradictions: tuple[Conflict, ...] = ()
    blind_spots: tuple[str, ...] = Field((), description="Questions that stayed open.")
    time_sensitive: tuple[str, ...] = Field((), description="Claims whose value changes in time.")


class Citation(BaseModel):
    """``[n]`` in the report: the number of a reference and the passage that it opens."""

    model_config = ConfigDict(frozen=True)

    number: int = Field(ge=1)
    passage: PassageRef


class ReportSentence(BaseModel):
    """A cited sentence of the report as it stands there, and what it rests on."""

    model_config = ConfigDict(frozen=True)

    section: str
    text: str = Field(description="Plain text, citations left out.")
    claims: tuple[str, ...]
    citations: tuple[Citation, ...]
    state: ClaimState = Field(description="The weakest state of its claims.")
