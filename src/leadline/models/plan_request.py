"""The planner's question: a plan as the run's profile wants it.

Which prompt is rendered, which schema is asked for and which counts are held follow from the
profile's data; an answer of any known shape is read, whatever was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, ClassVar, NamedTuple

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import override

from leadline.domain.config import Profile
from leadline.domain.limits import Limits
from leadline.domain.plan import Plan
from leadline.domain.profile_plans import draft_plan
from leadline.domain.profiles import PROFILES, AnswerShape
from leadline.models.answer_schema import STRING, array, counted, obj
from leadline.models.prompts import Message, Value, fresh_nonce, render_prompt
from leadline.models.requests import AnswerUnusable, ModelRequest, Role, language_name


class _PlanAnswer(NamedTuple):
    """What a plan's answer looks like, and which counts its prompt names."""

    schema: dict[str, Any]
    counts: tuple[str, ...]


_PLAN_ANSWERS: Mapping[AnswerShape, _PlanAnswer] = {
    "tasks": _PlanAnswer(
        obj(tasks=array(obj(title=STRING, intent=STRING, query=STRING))), ("tasks",)
    ),
    "categories": _PlanAnswer(
        obj(
            categories=array(obj(name=STRING, tasks=array(obj(text=STRING, queries=array(STRING)))))
        ),
        ("categories", "tasks", "queries"),
    ),
    "views": _PlanAnswer(
        obj(
            question_type=STRING,
            perspectives=array(
                obj(
                    name=STRING,
                    role=STRING,
                    sub_question=STRING,
                    keywords=array(STRING),
                    source_types=array(STRING),
                )
            ),
        ),
        ("categories",),
    ),
}


class PlanDraft(BaseModel):
    """A plan as a model drew it; ``notices`` say what was cut or skipped."""

    model_config = ConfigDict(frozen=True)

    plan: Plan
    notices: tuple[str, ...] = ()


class PlanRequest(ModelRequest[PlanDraft]):
    """Draw a plan for a topic, as the run's profile wants it."""

    role: ClassVar[Role] = "planner"
    prompt: ClassVar[str] = "planner"
    answer_name: ClassVar[str] = "research_plan"

    topic: str
    language: str = Field("", description="Code or name; empty: the topic's own.")
    today: date
    limits: Limits
    profile: Profile = Profile.HIERARCHICAL
    extra_note: str = Field("", description="What the user wants of the plan, in their words.")

    @override
    def render(self, *, make_nonce: Callable[[], str] = fresh_nonce) -> list[Message]:
        return render_prompt(PROFILES[self.profile].prompt, self.values(), make_nonce=make_nonce)

    @override
    def values(self) -> Mapping[str, Value]:
        spec = PROFILES[self.profile]
        limits = spec.narrowed(self.limits)
        counts = {
            "categories": counted(limits.min_categories, limits.max_categories),
            "tasks": counted(limits.min_tasks_per_category, limits.max_tasks_per_category),
            "queries": counted(1, limits.queries_per_task),
        }
        return {
            "topic": self.topic,
            "language": language_name(self.language),
            "today": f"{self.today:%B} {self.today.day}, {self.today.year}",
            "extra_note": f"The user adds: {self.extra_note}" if self.extra_note.strip() else "",
            **{name: counts[name] for name in _PLAN_ANSWERS[spec.answer].counts},
        }

    @override
    def answer_schema(self) -> dict[str, Any]:
        return _PLAN_ANSWERS[PROFILES[self.profile].answer].schema

    @override
    def parse(self, value: Any) -> PlanDraft:
        plan, notices = draft_plan(value, self.profile, self.limits, topic=self.topic)
        if next(plan.tasks(), None) is None:
            raise AnswerUnusable("the plan has no task")
        return PlanDraft(plan=plan, notices=tuple(notices))
