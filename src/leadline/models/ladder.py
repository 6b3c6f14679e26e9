"""Structured output by a ladder, without more calls than needed.

JSON schema → tool call → JSON in text; each answer is read in every way that its text allows
(``json_text``, repair included) before the model is asked again, at most twice, with the reason.
A step that an endpoint refused is never tried again; a step that gave nothing is left behind once
a lower one worked. So a model that puts JSON in its first answer costs one call.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, Generic, TypeVar

from leadline.domain.text import shorten
from leadline.errors import ModelAnswerInvalid
from leadline.models.json_text import json_values
from leadline.models.prompts import Message
from leadline.models.requests import AnswerUnusable
from leadline.models.think import clean

R = TypeVar("R")

MAX_ASKS = 3
_MAX_TOOL_CALLS = 8
_MAX_SCHEMA_CHARS = 12_000


class Step(IntEnum):
    """How a model is made to answer with JSON, the strictest way first."""

    SCHEMA = 1
    TOOL = 2
    TEXT = 3


@dataclass(frozen=True)
class Reply:
    """What came back of one call."""

    text: str = ""
    tool_args: tuple[Any, ...] = ()
    """Arguments of tool calls, parsed or as text, whatever name the model gave the tool."""
    cut: bool = False
    """It ended at a length limit."""
    problem: str = ""
    """Why there is nothing in it, if that is known."""


@dataclass(frozen=True)
class Question(Generic[R]):
    """A question whose answer is an object; ``parse`` raises :class:`AnswerUnusable`."""

    messages: tuple[Message, ...]
    name: str
    schema: dict[str, Any]
    parse: Callable[[Any], R]
    role: str
    explained: bool = True
    """The messages describe the shape of the answer themselves."""


class StepRefused(Exception):
    """The endpoint refuses this way of asking for JSON."""


class UnreadableAnswer(ModelAnswerInvalid):
    """The ladder's end. ``text`` is the last answer, for a caller who can use plain text."""

    def __init__(self, message: str, *, text: str) -> None:
        super().__init__(message)
        self.text = text


@dataclass
class LadderMemory:
    """What a model was found to be unable to do, for the life of its object."""

    without: set[Step] = field(default_factory=set)

    def steps_from(self, step: Step) -> list[Step]:
        """The steps that may be tried from ``step`` down; TEXT is always one."""
        return [s for s in Step if s >= step and (s is Step.TEXT or s not in self.without)]


Call = Callable[[tuple[Message, ...], Step], Awaitable[Reply]]


async def climb(question: Question[R], memory: LadderMemory, call: Call) -> R:
    """Ask until an answer is usable. Raises :class:`UnreadableAnswer` after ``MAX_ASKS``."""
    step, messages = Step.SCHEMA, question.messages
    problem, last_text = "it was empty", ""
    gave_nothing: set[Step] = set()
    for _ in range(MAX_ASKS):
        step, reply = await _call_allowed(question, memory, call, messages, step)
        last_text = clean(reply.text) or last_text
        try:
            answer = read_answer(question, reply)
        except AnswerUnusable as unusable:
            problem = str(unusable)
        else:
            memory.without |= gave_nothing
            return answer
        if not reply.text.strip() and not reply.tool_args and not reply.problem:
            gave_nothing.add(step)
        messages = (*question.messages, *_ask_again(question, reply, problem))
        step = memory.steps_from(min(Step(step + 1), Step.TEXT) if step < Step.TEXT else step)[0]
    raise UnreadableAnswer(
        f"The model gave no usable answer in {MAX_ASKS} tries: {shorten(problem, 200)}.",
        text=last_text,
    )


async def _call_allowed(
    question: Question[Any],
    memory: LadderMemory,
    call: Call,
    messages: tuple[Message, ...],
    step: Step,
) -> tuple[Step, Reply]:
    """The first step from ``step`` down that the endpoint takes, and its reply."""
    for allowed in memory.steps_from(step):
        asked = messages
        if allowed is Step.TEXT and not question.explained and messages is question.messages:
            asked = (*messages, Message("user", _shape(question)))
        try:
            return allowed, await call(asked, allowed)
        except StepRefused:
            memory.without.add(allowed)
    raise AssertionError("a call in plain text has nothing to refuse")


def read_answer(question: Question[R], reply: Reply) -> R:
    """The first reading of the reply that ``parse`` takes. Raises :class:`AnswerUnusable`."""
    problem = reply.problem
    for value in _readings(reply):
        try:
            return question.parse(value)
        except AnswerUnusable as unusable:
            problem = problem or str(unusable)
    if not problem:
        problem = "it held no JSON" if reply.text.strip() else "it was empty"
    if reply.cut:
        problem += "; it was cut off at the length limit, so be shorter"
    raise AnswerUnusable(problem)


def _readings(reply: Reply) -> Iterator[Any]:
    for arguments in reply.tool_args[:_MAX_TOOL_CALLS]:
        if isinstance(arguments, str):
            yield from json_values(arguments)
        elif arguments:
            yield arguments
    if reply.text.strip():
        yield from json_values(reply.text)


def _ask_again(question: Question[Any], reply: Reply, problem: str) -> tuple[Message, ...]:
    said = shorten(clean(reply.text), 2_000) or "(no answer)"
    return (
        Message("assistant", said),
        Message("user", f"That answer cannot be used: {problem}.\n{_shape(question)}"),
    )


def _shape(question: Question[Any]) -> str:
    schema = json.dumps(question.schema, ensure_ascii=False, separators=(",", ":"))
    if len(schema) > _MAX_SCHEMA_CHARS:
        return "Answer with one JSON object of the shape described above, and nothing else."
    return f"Answer with one JSON object and nothing else. Its JSON schema:\n{schema}"


def without_images(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The same messages as text alone."""
    return tuple(replace(m, images=()) if m.images else m for m in messages)
