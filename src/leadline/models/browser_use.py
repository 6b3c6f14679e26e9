"""``BrowserUseChat``: browser-use's chat protocol over a ``LangChainModel``.

The actions of a step come down the same ladder as every other answer. One bad action does not lose
the others, and a model that only ever talks ends its worker: its text becomes a ``done`` that says
"not answered". Errors that no other call could mend stay ours (``ModelRejected``,
``ModelUnavailable``); an unreadable answer is browser-use's own error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from browser_use.llm.base import BaseChatModel
from browser_use.llm.exceptions import ModelProviderError
from browser_use.llm.messages import AssistantMessage, BaseMessage, SystemMessage, UserMessage
from browser_use.llm.schema import SchemaOptimizer
from browser_use.llm.views import ChatInvokeCompletion
from pydantic import BaseModel, ValidationError

from leadline.domain.text import shorten
from leadline.models.chat import LangChainModel
from leadline.models.ladder import Question, UnreadableAnswer
from leadline.models.prompts import Message
from leadline.models.requests import AnswerUnusable
from leadline.models.think import clean

T = TypeVar("T", bound=BaseModel)

ROLE = "worker"
_MAX_DONE_CHARS = 1_500
_MAX_ACTIONS = 20


class BrowserUseChat(BaseChatModel):
    """The chat of browser workers. It has no state of its own: one may serve many."""

    _verified_api_keys = True

    def __init__(self, model: LangChainModel, *, role: str = ROLE) -> None:
        self._model = model
        self._role = role
        self.model = model.name

    @property
    def provider(self) -> str:
        """The provider's name in the settings."""
        return self._model.provider

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model

    @property
    def model_name(self) -> str:
        """The model's name."""
        return self.model

    async def ainvoke(
        self, messages: list[BaseMessage], output_format: Any = None, **kwargs: Any
    ) -> ChatInvokeCompletion[Any]:
        """One answer: text, or an ``output_format``.

        Raises browser-use's ``ModelProviderError`` when no answer could be read, and Leadline's
        ``ModelUnavailable`` or ``ModelRejected`` when there was none. ``usage`` stays empty: each
        call is reported by ``ModelCalled``, and counted here again it would be doubled.
        """
        del kwargs
        converted = [to_message(message, vision=self._model.vision) for message in messages]
        if output_format is None:
            text = clean(await self._model.say(converted, self._role))
            return ChatInvokeCompletion[Any](completion=text, usage=None)
        try:
            answer = await self._model.answer(question_of(converted, output_format, self._role))
        except UnreadableAnswer as error:
            ending = done_with(output_format, error.text)
            if ending is None:
                raise ModelProviderError(str(error), status_code=502, model=self.name) from None
            answer = ending
        return ChatInvokeCompletion[Any](completion=answer, usage=None)


def question_of(messages: Sequence[Message], output_format: type[T], role: str) -> Question[T]:
    """The question whose answer is an ``output_format`` of browser-use."""
    schema = SchemaOptimizer.create_optimized_json_schema(output_format)
    return Question(
        messages=tuple(messages),
        name="agent_output",
        schema=schema,
        parse=lambda value: read_output(value, output_format),
        role=role,
    )


def to_message(message: BaseMessage, *, vision: bool) -> Message:
    """A message of browser-use; its images only when the model is shown any."""
    images: tuple[str, ...] = ()
    if vision and isinstance(message, UserMessage) and isinstance(message.content, list):
        images = tuple(p.image_url.url for p in message.content if p.type == "image_url")
    if isinstance(message, SystemMessage):
        return Message("system", message.text)
    if isinstance(message, AssistantMessage):
        return Message("assistant", message.text)
    return Message("user", message.text, images)


def read_output(value: Any, output_format: type[T]) -> T:
    """Read an ``output_format`` out of what a model gave. Raises :class:`AnswerUnusable`.

    For an agent's output: a bare action or list of actions is taken, fields that it does not have
    are left out, and so are actions that are none, unless nothing else is left.
    """
    if "action" not in output_format.model_fields:
        return _validated(output_format, value)
    fields = _as_output(value, set(output_format.model_fields))
    usable: list[Any] = []
    problem = "it names no action"
    for action in fields["action"][:_MAX_ACTIONS]:
        try:
            _validated(output_format, {"action": [action]})
        except AnswerUnusable as unusable:
            problem = str(unusable)
        else:
            usable.append(action)
    if not usable:
        raise AnswerUnusable(problem)
    notes = {k: v for k, v in fields.items() if k != "action" and isinstance(v, str)}
    return _validated(output_format, {**notes, "action": usable})


def done_with(output_format: type[T], text: str) -> T | None:
    """A ``done`` with ``text`` that says "not answered"; None where there is no such action."""
    text = shorten(text, _MAX_DONE_CHARS)
    if not text or "action" not in output_format.model_fields:
        return None
    for done in (
        {"answered": False, "summary": text, "missing": "The model gave no findings."},
        {"success": False, "text": text},
    ):
        try:
            return output_format.model_validate({"action": [{"done": done}]})
        except ValidationError:
            continue
    return None


def _as_output(value: Any, known: set[str]) -> dict[str, Any]:
    if isinstance(value, list):
        value = {"action": value}
    if not isinstance(value, Mapping):
        raise AnswerUnusable("it is no object with an action list")
    actions = next((value[k] for k in ("action", "actions") if value.get(k)), None)
    if actions is None:
        # The bare action: {"read": {"results": [1]}}, or a written-out tool call.
        actions = [{k: v for k, v in value.items() if k not in known}]
    if isinstance(actions, Mapping):
        actions = [{name: given} for name, given in actions.items()]
    if not isinstance(actions, list):
        raise AnswerUnusable("action is no list")
    return {
        **{key: given for key, given in value.items() if key in known},
        "action": [part for action in actions for part in _single(action)],
    }


def _single(action: Any) -> list[Any]:
    """One action of several keys is several actions; ``{"name", "arguments"}`` is one."""
    if not isinstance(action, Mapping):
        return []
    for key in ("arguments", "parameters", "params", "args"):
        if isinstance(action.get("name"), str) and isinstance(action.get(key), Mapping):
            return [{action["name"]: action[key]}]
    return [{name: given} for name, given in action.items() if given is not None]


def _validated(output_format: type[T], value: Any) -> T:
    try:
        return output_format.model_validate(value)
    except ValidationError as error:
        raise AnswerUnusable(_said(error)) from None


def _said(error: ValidationError) -> str:
    """The first complaints, without the values that a model gave.

    An action is held against every action there is: that it is not one of the others is no news.
    """
    complaints: list[str] = []
    strangers: list[str] = []
    for item in error.errors(include_url=False, include_input=False, include_context=False):
        loc = [str(part) for part in item["loc"]]
        place = ".".join(part for part in loc if not part.endswith("ActionModel"))
        if item["type"] == "extra_forbidden":
            strangers.append(f"there is no {shorten(loc[-1], 40)}")
        elif item["type"] != "missing" or len(place.split(".")) > 3:
            complaints.append(f"{place}: {item['msg']}")
    return shorten("; ".join(dict.fromkeys(complaints or strangers or ["it is incomplete"])), 300)
