"""The questions Leadline puts to a model: one type, one prompt file, one answer each.

A request knows how it is rendered and how its answer is read. Reading is tolerant about the shape
of an answer and strict about its amount: counts are clamped here, whatever the prompt asked for.
Text from outside is only ever rendered as data (``prompts.Data``).
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import override

from leadline.domain.config import Profile
from leadline.domain.limits import Limits
from leadline.domain.plan import Plan, TaskState
from leadline.domain.profile_plans import draft_plan
from leadline.domain.profiles import PROFILES, AnswerShape
from leadline.domain.text import estimate_tokens, one_line, shorten
from leadline.models.prompts import Data, Message, Value, fresh_nonce, render_prompt

R = TypeVar("R")

Role = Literal["planner", "reflector", "writer", "worker", "verifier", "refuter", "adjudicator"]

_LANGUAGES = {
    "": "the language of the topic",
    "en": "English",
    "zh": "Simplified Chinese",
    "ja": "Japanese",
    "ko": "Korean",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "pt": "Portuguese",
    "it": "Italian",
    "ru": "Russian",
    "ar": "Arabic",
    "he": "Hebrew",
}


class AnswerUnusable(ValueError):
    """An answer that was read, and is not what was asked for; its text tells the model why."""


class _Rendered(BaseModel):
    """What requests of both kinds share: a role, a prompt file, and their values."""

    model_config = ConfigDict(frozen=True)

    role: ClassVar[Role]
    prompt: ClassVar[str]

    cut_note: str = Field("", description="A sentence on what was shortened to fit; often empty.")

    @abstractmethod
    def values(self) -> Mapping[str, Value]:
        """What is put into the slots of the prompt file."""

    def render(self, *, make_nonce: Callable[[], str] = fresh_nonce) -> list[Message]:
        """The messages, with a new nonce for the data blocks of each rendering."""
        return render_prompt(self.prompt, self.values(), make_nonce=make_nonce)

    def fitted(self, tokens: int) -> Self:
        """The same request, with its material cut so that it has about ``tokens`` tokens."""
        del tokens
        return self


class ModelRequest(_Rendered, Generic[R]):
    """A question whose answer is an object."""

    answer_name: ClassVar[str]
    """Name of the answer's schema, and of the tool that hands it in."""

    @abstractmethod
    def answer_schema(self) -> dict[str, Any]:
        """JSON schema of the answer; every field required, nothing additional (strict mode)."""

    @abstractmethod
    def parse(self, value: Any) -> R:
        """Read the JSON value that a model gave. Raises :class:`AnswerUnusable`."""


class TextRequest(_Rendered):
    """A question whose answer is Markdown prose."""


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
            "categories": _range(limits.min_categories, limits.max_categories),
            "tasks": _range(limits.min_tasks_per_category, limits.max_tasks_per_category),
            "queries": _range(1, limits.queries_per_task),
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


class TaskOutcome(BaseModel):
    """A task of the plan and how it ended, for the model that looks for gaps."""

    model_config = ConfigDict(frozen=True)

    text: str
    state: TaskState
    reason: str = ""


class NewTask(BaseModel):
    """A task that closes a gap. ``category`` may be one of the plan's or a new one."""

    model_config = ConfigDict(frozen=True)

    category: str
    text: str
    queries: tuple[str, ...] = ()


class ReflectAnswer(BaseModel):
    """What is still unanswered; no new task means that nothing is."""

    model_config = ConfigDict(frozen=True)

    new_tasks: tuple[NewTask, ...] = ()
    reason: str = ""


class ReflectRequest(ModelRequest[ReflectAnswer]):
    """Look for what is still unanswered."""

    role: ClassVar[Role] = "reflector"
    prompt: ClassVar[str] = "reflector"
    answer_name: ClassVar[str] = "research_gaps"

    topic: str
    language: str = ""
    tasks: tuple[TaskOutcome, ...]
    categories: tuple[str, ...] = Field((), description="Names of the plan's categories.")
    digest: str = Field("", description="What was found so far, in short.")
    max_new_tasks: int = Field(ge=0)
    queries_per_task: int = Field(1, ge=1)

    @override
    def values(self) -> Mapping[str, Value]:
        tasks = "\n".join(
            f"- [{task.state}] {shorten(task.text, 300)}"
            + (f" ({shorten(task.reason, 200)})" if task.reason else "")
            for task in self.tasks
        )
        return {
            "topic": self.topic,
            "language": language_name(self.language),
            "max_new_tasks": self.max_new_tasks,
            "queries": _range(1, self.queries_per_task),
            "categories": ", ".join(self.categories) or "none yet",
            "tasks": Data(tasks or "none"),
            "digest": Data(self.digest or "nothing"),
        }

    @override
    def fitted(self, tokens: int) -> Self:
        spare = max(tokens - 1_000 - estimate_tokens(self.topic), 200)
        digest = _cut(self.digest, spare)
        return self if digest == self.digest else self.model_copy(update={"digest": digest})

    @classmethod
    @override
    def answer_schema(cls) -> dict[str, Any]:
        task = _object(category=_STRING, text=_STRING, queries=_list(_STRING))
        return _object(reason=_STRING, new_tasks=_list(task))

    @override
    def parse(self, value: Any) -> ReflectAnswer:
        if isinstance(value, list):
            value = {"new_tasks": value}
        if not isinstance(value, dict):
            raise AnswerUnusable("an object with new_tasks and reason is needed")
        raw = _first(value, "new_tasks", "tasks", "gaps", "questions")
        if raw is None and "reason" not in value:
            raise AnswerUnusable("an object with new_tasks and reason is needed")
        items = raw if isinstance(raw, list) else [raw] if isinstance(raw, dict | str) else []
        known = {_fold(task.text) for task in self.tasks}
        found: list[NewTask] = []
        for item in items:
            task = self._task(item)
            if task and _fold(task.text) not in known:
                known.add(_fold(task.text))
                found.append(task)
        reason = value.get("reason")
        return ReflectAnswer(
            new_tasks=tuple(found[: self.max_new_tasks]),
            reason=shorten(_line(reason), 500) if isinstance(reason, str) else "",
        )

    def _task(self, item: Any) -> NewTask | None:
        if isinstance(item, str):
            item = {"text": item}
        if not isinstance(item, dict):
            return None
        text = _first(item, "text", "task", "task_description", "question", "intent", "title")
        if not isinstance(text, str) or not _line(text):
            return None
        category = _first(item, "category", "category_name")
        queries = _first(item, "queries", "query")
        queries = queries if isinstance(queries, list) else [queries]
        return NewTask(
            category=shorten(_line(category), 120) if isinstance(category, str) else "",
            text=shorten(_line(text), 500),
            queries=tuple(
                shorten(_line(query), 300)
                for query in queries[: self.queries_per_task]
                if isinstance(query, str) and query.strip()
            ),
        )


class ClaimView(BaseModel):
    """What a writer sees of a claim."""

    model_config = ConfigDict(frozen=True)

    id: str
    claim: str
    quotes: tuple[str, ...] = ()
    site: str = ""
    title: str = ""
    date: str = ""
    state: str = Field("", description="What the checks came to; empty: supported.")
    why: str = Field("", description="Why it is not supported.")
    against: tuple[str, ...] = Field((), description="Claims it contradicts.")
    superseded_by: str = Field("", description="A newer claim that replaces it.")


class SectionRequest(TextRequest):
    """Write one section of the report from claims alone.

    The answer is Markdown prose in which each sentence cites claim ids: ``[c3]``.
    """

    role: ClassVar[Role] = "writer"
    prompt: ClassVar[str] = "section"

    topic: str
    language: str = ""
    heading: str = Field(description="Empty: the writer sets the headings itself.")
    claims: tuple[ClaimView, ...]
    conflicts: tuple[str, ...] = Field((), description="What is at odds, a sentence each.")
    tasks: tuple[TaskOutcome, ...] = Field((), description="What was asked, and how it ended.")
    instruction: str = Field("", description="What this section is for, by the template.")
    style: str = Field("", description="What the template says of the whole report.")
    words: int = Field(250, ge=20)
    most: int = Field(0, ge=0, description="Most claims that it needs; 0: as many as fit.")
    judged: bool = Field(False, description="Needs judgement: quotes alone are no answer.")

    @override
    def values(self) -> Mapping[str, Value]:
        headings = (
            "No heading"
            if self.heading
            else "Start each part with a heading of your own (## Heading)"
        )
        return {
            "topic": self.topic,
            "language": language_name(self.language),
            "heading": f"Heading: {self.heading}" if self.heading else "The whole body.",
            "headings": headings,
            "words": self.words,
            "style": self.style,
            "task": self.instruction or "Write this section of the report.",
            "claims": Data("\n".join(_claim_line(c) for c in self.claims) or "none"),
            "conflicts": Data("\n".join(self.conflicts) or "none"),
            "tasks": Data("\n".join(map(_task_line, self.tasks)) or "none"),
        }

    @override
    def fitted(self, tokens: int) -> Self:
        around = (self.topic, self.style, self.instruction, *self.conflicts)
        spare = tokens - 1_000 - sum(estimate_tokens(text) + 1 for text in around)
        spare -= sum(estimate_tokens(_task_line(task)) + 1 for task in self.tasks)
        if sum(estimate_tokens(_claim_line(c)) + 1 for c in self.claims) <= spare:
            return self
        for quote_chars in (2_000, 600, 300, 120, 0):
            claims = tuple(_with_quotes(c, quote_chars) for c in self.claims)
            costs = [estimate_tokens(_claim_line(c)) + 1 for c in claims]
            if sum(costs) <= spare:
                break
        while len(claims) > 1 and sum(costs) > spare:
            claims, costs = claims[:-1], costs[:-1]
        return self.model_copy(update={"claims": claims})


def language_name(code: str) -> str:
    """A language as a model understands it: ``zh`` and ``zh-CN`` → Simplified Chinese."""
    code = code.strip()
    return _LANGUAGES.get(code.lower()) or _LANGUAGES.get(code.lower().split("-")[0]) or code


def _claim_line(claim: ClaimView) -> str:
    """One claim as one JSON line: its text cannot fake another claim's start."""
    fields = claim.model_dump(exclude_defaults=True)
    return json.dumps(fields, ensure_ascii=False)


def _task_line(task: TaskOutcome) -> str:
    why = f" ({shorten(task.reason, 120)})" if task.reason else ""
    return f"- [{task.state}] {shorten(task.text, 160)}{why}"


def _with_quotes(claim: ClaimView, chars: int) -> ClaimView:
    quotes = tuple(shorten(quote, chars) for quote in claim.quotes) if chars else ()
    text = shorten(claim.claim, max(chars, 300))
    return claim.model_copy(update={"quotes": quotes, "claim": text})


def _cut(text: str, tokens: int) -> str:
    """The beginning of ``text``, of about ``tokens`` tokens."""
    while (size := estimate_tokens(text)) > tokens:
        text = text[: min(len(text) - 1, len(text) * tokens // size)]
    return text


_STRING: dict[str, Any] = {"type": "string"}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


class _PlanAnswer(NamedTuple):
    """What a plan's answer looks like, and which counts its prompt names."""

    schema: dict[str, Any]
    counts: tuple[str, ...]


_PLAN_ANSWERS: Mapping[AnswerShape, _PlanAnswer] = {
    "tasks": _PlanAnswer(
        _object(tasks=_list(_object(title=_STRING, intent=_STRING, query=_STRING))), ("tasks",)
    ),
    "categories": _PlanAnswer(
        _object(
            categories=_list(
                _object(name=_STRING, tasks=_list(_object(text=_STRING, queries=_list(_STRING))))
            )
        ),
        ("categories", "tasks", "queries"),
    ),
    "views": _PlanAnswer(
        _object(
            question_type=_STRING,
            perspectives=_list(
                _object(
                    name=_STRING,
                    role=_STRING,
                    sub_question=_STRING,
                    keywords=_list(_STRING),
                    source_types=_list(_STRING),
                )
            ),
        ),
        ("categories",),
    ),
}


def _first(value: Mapping[Any, Any], *keys: str) -> Any:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def _line(text: str | None) -> str:
    return one_line(text or "")


def _fold(text: str) -> str:
    return _line(text).casefold()


def _range(low: int, high: int) -> str:
    return str(high) if low >= high else f"{low} to {high}"
