"""The questions Leadline puts to a model: one type, one prompt file, one answer each.

A request knows how it is rendered and how its answer is read. Reading is tolerant about the shape
of an answer and strict about its amount: counts are clamped here, whatever the prompt asked for.
Text from outside is only ever rendered as data (``prompts.Data``).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import override

from leadline.domain.compression import also_line
from leadline.domain.plan import TaskState
from leadline.domain.text import estimate_tokens, shorten
from leadline.models.claim_view import ClaimView as ClaimView
from leadline.models.claim_view import claim_line, fit_claims
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
        """The same request, its material shortened to fit ``tokens``; ``cut_note`` tells of it."""
        del tokens
        return self

    def tokens(self) -> int:
        """About how many tokens its messages have."""
        return sum(estimate_tokens(message.text) for message in self.render())


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


class TaskOutcome(BaseModel):
    """A task of the plan and how it ended, for the model that looks for gaps."""

    model_config = ConfigDict(frozen=True)

    text: str
    state: TaskState
    reason: str = ""


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
    also: tuple[tuple[str, int], ...] = Field(
        (), description="Id and source of claims that there is no room to show."
    )
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
            "claims": Data("\n".join(self._lines()) or "none"),
            "conflicts": Data("\n".join(self.conflicts) or "none"),
            "tasks": Data("\n".join(map(_task_line, self.tasks)) or "none"),
        }

    @override
    def fitted(self, tokens: int) -> Self:
        if self.tokens() <= tokens:
            return self
        bare = self.model_copy(update={"claims": ()})
        if 2 * bare.tokens() > tokens:  # what is at odds and was asked has half of the room
            asked = (TaskOutcome(text=shorten(t.text, 60), state=t.state) for t in self.tasks)
            odds = (shorten(conflict, 160) for conflict in self.conflicts)
            bare = bare.model_copy(update={"tasks": tuple(asked), "conflicts": tuple(odds)})
        shown, named, chosen = fit_claims(
            self.claims, f"{self.heading} {self.topic}", tokens - bare.tokens()
        )
        note = chosen.note("claims")
        return bare.model_copy(
            update={
                "claims": shown,
                "also": (*self.also, *named),
                "cut_note": f"“{self.heading or self.topic}”: {note}" if note else "",
            }
        )

    def _lines(self) -> list[str]:
        also = also_line(self.also)
        return [*map(claim_line, self.claims), *([also] if also else [])]


def language_name(code: str) -> str:
    """A language as a model understands it: ``zh`` and ``zh-CN`` → Simplified Chinese."""
    code = code.strip()
    return _LANGUAGES.get(code.lower()) or _LANGUAGES.get(code.lower().split("-")[0]) or code


def _task_line(task: TaskOutcome) -> str:
    why = f" ({shorten(task.reason, 120)})" if task.reason else ""
    return f"- [{task.state}] {shorten(task.text, 160)}{why}"
