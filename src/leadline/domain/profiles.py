"""How a question is divided: each profile is a prompt, an answer's shape and numbers. Data.

The counts are held in code (``profile_plans``), whatever a prompt asked for, and never exceed
what the run's limits allow altogether. Nothing else in Leadline asks which profile a run has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from leadline.domain.config import Profile
from leadline.domain.limits import Limits
from leadline.domain.views import DEFAULT_VIEWS, EN, ZH, View

AnswerShape = Literal["tasks", "categories", "views"]


@dataclass(frozen=True)
class Range:
    """Both ends belong to it."""

    low: int
    high: int


@dataclass(frozen=True)
class GateRule:
    """When a card is good enough, and how often it may be followed up (S3-33, S3-32)."""

    score: int = 60
    findings: int = 3
    rounds: int = 2
    """Follow-up rounds for cards that were not accepted."""
    weak_rounds: int = 1
    """Follow-up rounds for claims with little behind them."""


@dataclass(frozen=True)
class ProfileSpec:
    """What a profile is."""

    prompt: str
    """Name of the planner's prompt file."""
    answer: AnswerShape
    """The shape of JSON that the prompt asks for; every known shape is read."""
    fallback: Mapping[str, tuple[View, ...]]
    """The plan when no answer can be read, by language (``en``, ``zh``)."""
    counts: tuple[Range, Range] | None = None
    """Categories, and tasks in each; None: as the depth of the run says."""
    keeps_subject: bool = False
    """Whether a question that lost the subject of the topic gets it back."""
    gate: GateRule = field(default_factory=GateRule)

    def narrowed(self, limits: Limits) -> Limits:
        """The limits of a run with this profile's counts: never more tasks than they allow."""
        if self.counts is None:
            return limits
        categories, tasks = self.counts
        most = min(limits.max_tasks, limits.max_categories * limits.max_tasks_per_category)
        wide = min(categories.high, limits.max_categories, most)
        deep = max(1, min(tasks.high, most // wide))
        return limits.model_copy(
            update={
                "min_categories": min(categories.low, wide),
                "max_categories": wide,
                "min_tasks_per_category": min(tasks.low, deep),
                "max_tasks_per_category": deep,
            }
        )


_BACKGROUND = {
    "en": (
        View(
            "Background",
            "Core background and latest developments: {s}",
            ("latest developments",),
        ),
    ),
    "zh": (View("基础背景梳理", "收集主题的核心背景与最新动态：{s}", ("最新进展",)),),
}
"""One task on the background of the topic (S0-13)."""

PROFILES: Mapping[Profile, ProfileSpec] = MappingProxyType(
    {
        Profile.TODO: ProfileSpec(
            prompt="planner_todo",
            answer="tasks",
            fallback=_BACKGROUND,
            counts=(Range(1, 1), Range(3, 5)),
        ),
        Profile.HIERARCHICAL: ProfileSpec(
            prompt="planner", answer="categories", fallback=_BACKGROUND
        ),
        Profile.PERSPECTIVES: ProfileSpec(
            prompt="planner_perspectives",
            answer="views",
            fallback={
                "en": tuple(EN[key] for key in DEFAULT_VIEWS),
                "zh": tuple(ZH[key] for key in DEFAULT_VIEWS),
            },
            counts=(Range(3, 6), Range(1, 2)),
            keeps_subject=True,
        ),
    }
)
