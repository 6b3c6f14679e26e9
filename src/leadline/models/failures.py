"""What a failed call means: another way of asking, another attempt, or the end.

The clients of the providers share no exceptions, so an error is read by what it carries: an HTTP
status, a body, a header, and the errors that it was raised from. The sentences made here name
provider, host and what to do; a key that an endpoint echoes is taken out of them.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from leadline.domain.config import ModelConfig
from leadline.domain.text import shorten
from leadline.errors import ModelRejected, ModelUnavailable
from leadline.models.limiter import Retryable, parse_retry_after
from leadline.models.providers import PRESETS, Preset, endpoint_of, host_of
from leadline.models.transport import AnswerTooLong

_NAMES: Mapping[str, tuple[str, ...]] = {
    "response_format": ("response_format", "json_schema", "response format", "structured output"),
    "tool_choice": ("tool_choice", "tool choice"),
    "tools": ("tools", "tool use", "function call", "functions", "tool"),
    "temperature": ("temperature",),
    "max_tokens": ("max_tokens",),
    "max_completion_tokens": ("max_completion_tokens",),
    "stream_options": ("stream_options", "include_usage"),
    "images": ("image", "vision", "multimodal"),
}
"""What an endpoint calls a parameter when it refuses it."""

_NOT_THE_REQUEST = ("context", "token limit", "too long", "maximum length")
_SPENT = frozenset({
    "insufficient_quota", "insufficient_balance", "insufficient_credits", "insufficient_funds",
    "billing_hard_limit_reached", "billing_not_active", "quota_exhausted",
})  # fmt: skip
"""Codes and types of an error that mean an empty account. Words of the message do not count: a mere
rate limit speaks of "plan and billing" or of credits as well, and passes by itself."""
_SHAPE = (400, 404, 415, 422, 501)
_AGAIN = (408, 409, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529)


class ParameterRefused(Exception):
    """The endpoint does not take a parameter that was sent (a key of ``_NAMES``)."""

    def __init__(self, parameter: str) -> None:
        super().__init__(parameter)
        self.parameter = parameter


class RequestRejected(ModelRejected):
    """The endpoint refuses a request and does not say what is wrong with it."""


@dataclass(frozen=True)
class Endpoint:
    """Whom a message names, and which secret it must never show."""

    preset: Preset
    model: str
    host: str
    address: str
    seconds: float
    secret: str = field(default="", repr=False)

    @classmethod
    def of(cls, config: ModelConfig, *, seconds: float, secret: str) -> Endpoint:
        """The endpoint of a configuration."""
        url = endpoint_of(config)
        return cls(PRESETS[config.provider], config.name, host_of(url), url, seconds, secret)

    def redact(self, text: str) -> str:
        """``text`` without the key."""
        if len(self.secret) >= 6:
            text = text.replace(self.secret, "***")
        return re.sub(r"\b(sk|key|pk)-[\w*-]{6,}", "***", text)

    @property
    def who(self) -> str:
        """Provider and host, for a sentence."""
        return f"{self.preset.label} at {self.host}" if self.host else self.preset.label


def failure_of(error: BaseException, endpoint: Endpoint, sent: frozenset[str]) -> Exception:
    """What to raise for ``error``: :class:`ParameterRefused`, :class:`Retryable`,
    :class:`AnswerTooLong` or a final ``ModelError``. ``sent`` names the parameters of the call.
    """
    chain = list(_chain(error))
    status = next((s for e in chain if (s := _status(e))), None)
    if status is not None:
        return _of_status(status, chain, endpoint, sent)
    if any(isinstance(e, AnswerTooLong) for e in chain):
        return AnswerTooLong()
    if any(isinstance(e, httpx.ConnectError | ConnectionRefusedError) for e in chain):
        return Retryable(
            ModelUnavailable(
                f"Nothing answers at {endpoint.host} ({endpoint.preset.label}): is it running? "
                f"{endpoint.preset.hint}"
            )
        )
    if any(isinstance(e, httpx.ConnectTimeout) for e in chain):
        return Retryable(ModelUnavailable(f"{endpoint.who} cannot be reached: no connection."))
    if any(isinstance(e, httpx.TimeoutException | TimeoutError | asyncio.TimeoutError)
           or type(e).__name__ == "APITimeoutError" for e in chain):  # fmt: skip
        return ModelUnavailable(
            f"{endpoint.who} gave no answer in {endpoint.seconds:g} seconds; raise model_seconds "
            "or use a faster model."
        )
    if any(isinstance(e, httpx.HTTPError | ConnectionError)
           or type(e).__name__ == "APIConnectionError" for e in chain):  # fmt: skip
        return Retryable(ModelUnavailable(f"The connection to {endpoint.who} broke off."))
    return Retryable(
        ModelUnavailable(
            f"{endpoint.who} sent something that is no chat answer; check the base URL."
        )
    )


def _of_status(
    status: int, chain: list[BaseException], endpoint: Endpoint, sent: frozenset[str]
) -> Exception:
    body = next((b for e in chain if (b := _body(e))), {})
    said = _message(body) or str(chain[0])
    lower = f"{said} {body.get('code', '')} {body.get('type', '')}".lower()
    about_length = any(word in lower for word in _NOT_THE_REQUEST)
    if status in _SHAPE and not about_length and (name := _refused(body, lower, sent)):
        return ParameterRefused(name)
    reason = shorten(endpoint.redact(said), 200)
    codes = {str(body.get(key) or "").lower() for key in ("code", "type")}
    if status == 402 or (status in (403, 429) and codes & _SPENT):
        return ModelRejected(
            f"{endpoint.who} says that the account has no credit left; add some, or choose "
            "another model."
        )
    if status == 429 or status in _AGAIN:
        return _try_again(status, chain, endpoint)
    if status in (401, 403):
        names = " or ".join(endpoint.preset.key_variables) or "LEADLINE_MODEL_API_KEY"
        return ModelRejected(
            f"{endpoint.who} refuses the key (HTTP {status}): check {names} or the key in the "
            "settings."
        )
    if status == 404:
        return ModelRejected(
            f"{endpoint.who} knows no model “{endpoint.model}” or no such address (HTTP 404): "
            f"check the model's name and the base URL. {endpoint.preset.hint}"
        )
    if status in (400, 413) and about_length:
        return ModelRejected(
            f"The question is too long for “{endpoint.model}”: lower context_tokens in the "
            f"settings or use a model with more context ({reason})."
        )
    return RequestRejected(f"{endpoint.who} refuses the request (HTTP {status}): {reason}")


def _try_again(status: int, chain: list[BaseException], endpoint: Endpoint) -> Retryable:
    busy = status in (429, 503, 529)
    wait = next((w for e in chain if (w := _retry_after(e)) is not None), None)
    sentence = (
        f"{endpoint.who} has too many requests (HTTP 429); wait a while and resume."
        if status == 429
        else f"{endpoint.who} has a fault of its own (HTTP {status}); wait a while and resume."
    )
    return Retryable(ModelUnavailable(sentence), retry_after=wait, busy=busy)


def _refused(body: Mapping[str, Any], text: str, sent: frozenset[str]) -> str:
    """The sent parameter that a refusal names, or nothing."""
    param = str(body.get("param") or "").lower()
    for name in _NAMES:
        if name in sent and (param == name or param.startswith((f"{name}.", f"{name}["))):
            return name
    places = {
        name: min(at)
        for name, aliases in _NAMES.items()
        if name in sent and (at := [text.find(alias) for alias in aliases if alias in text])
    }
    return min(places, key=lambda name: places[name]) if places else ""


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and those that it was raised from, the nearest first."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    for value in (
        getattr(error, "status_code", None),
        getattr(response, "status_code", None),
        getattr(error, "code", None),
    ):
        if isinstance(value, int) and 400 <= value < 600:
            return value
    return None


def _body(error: BaseException) -> Mapping[str, Any]:
    body = getattr(error, "body", None)
    if isinstance(body, Mapping):
        inner = body.get("error")
        return inner if isinstance(inner, Mapping) else body
    return {}


def _message(body: Mapping[str, Any]) -> str:
    for key in ("message", "error", "detail", "msg"):
        if isinstance(body.get(key), str):
            return str(body[key])
    return ""


def _retry_after(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None)
    if headers is None:
        return None
    milliseconds = headers.get("retry-after-ms")
    if milliseconds and milliseconds.isdigit():
        return int(milliseconds) / 1000
    return parse_retry_after(headers.get("retry-after"))
