"""The reflector's question: tasks that close the gaps that code found, and others it sees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import override

from leadline.domain.gaps import Gap
from leadline.domain.text import one_line, shorten
from leadline.models.answer_schema import STRING, array, counted, first_of, obj
from leadline.models.claim_view import fit_digest
from leadline.models.prompts import Data, Value
from leadline.models.requests import (
    AnswerUnusable,
    ModelRequest,
    Role,
    TaskOutcome,
    language_name,
)


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
    gaps: tuple[Gap, ...] = Field((), description="What code found missing, the worst first.")
    digest: str = Field("", description="What was found so far, in short.")
    task_chars: int = Field(300, ge=1, description="How much of each task is shown.")
    max_new_tasks: int = Field(ge=0)
    queries_per_task: int = Field(1, ge=1)

    @override
    def values(self) -> Mapping[str, Value]:
        tasks = "\n".join(
            f"- [{task.state}] {shorten(task.text, self.task_chars)}"
            + (f" ({shorten(task.reason, self.task_chars * 2 // 3)})" if task.reason else "")
            for task in self.tasks
        )
        return {
            "topic": self.topic,
            "language": language_name(self.language),
            "max_new_tasks": self.max_new_tasks,
            "queries": counted(1, self.queries_per_task),
            "categories": ", ".join(self.categories) or "none yet",
            "tasks": Data(tasks or "none"),
            "gaps": Data("\n".join(map(_gap_line, self.gaps)) or "none"),
            "digest": Data(self.digest or "nothing"),
        }

    @override
    def fitted(self, tokens: int) -> Self:
        if self.tokens() <= tokens:
            return self
        request = self
        for chars in (self.task_chars, 120, 60):
            request = self.model_copy(update={"task_chars": chars, "digest": ""})
            if request.tokens() * 2 <= tokens:
                break
        while request.gaps and request.tokens() * 3 > tokens * 2:  # the worst come first
            request = request.model_copy(update={"gaps": request.gaps[:-1]})
        digest, note = fit_digest(self.digest, self.topic, tokens - request.tokens())
        if left := len(self.gaps) - len(request.gaps):
            note = f"{note} {left} of {len(self.gaps)} gaps found no room.".strip()
        return request.model_copy(update={"digest": digest, "cut_note": note})

    @classmethod
    @override
    def answer_schema(cls) -> dict[str, Any]:
        task = obj(category=STRING, text=STRING, queries=array(STRING))
        return obj(reason=STRING, new_tasks=array(task))

    @override
    def parse(self, value: Any) -> ReflectAnswer:
        if isinstance(value, list):
            value = {"new_tasks": value}
        if not isinstance(value, dict):
            raise AnswerUnusable("an object with new_tasks and reason is needed")
        raw = first_of(value, "new_tasks", "tasks", "gaps", "questions")
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
            reason=shorten(one_line(reason), 500) if isinstance(reason, str) else "",
        )

    def _task(self, item: Any) -> NewTask | None:
        if isinstance(item, str):
            item = {"text": item}
        if not isinstance(item, dict):
            return None
        text = first_of(item, "text", "task", "task_description", "question", "intent", "title")
        if not isinstance(text, str) or not one_line(text):
            return None
        category = first_of(item, "category", "category_name")
        queries = first_of(item, "queries", "query")
        queries = queries if isinstance(queries, list) else [queries]
        return NewTask(
            category=shorten(one_line(category), 120) if isinstance(category, str) else "",
            text=shorten(one_line(text), 500),
            queries=tuple(
                shorten(one_line(query), 300)
                for query in queries[: self.queries_per_task]
                if isinstance(query, str) and query.strip()
            ),
        )


def _gap_line(gap: Gap) -> str:
    """A gap on one line; its texts are on one line each already."""
    about = " / ".join(one_line(text) for text in gap.about)
    where = f" [{one_line(gap.category)}]" if gap.category else ""
    return f"- {gap.kind}{where}: {about}" + (f" ({one_line(gap.detail)})" if gap.detail else "")


def _fold(text: str) -> str:
    return one_line(text).casefold()
