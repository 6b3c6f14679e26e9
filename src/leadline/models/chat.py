"""``LangChainModel``: any chat model that LangChain reaches, behind the ``Model`` protocol.

Invariants: every call that reached an endpoint is reported once, with its tokens, well or not;
nothing it raises, logs or shows holds the key; all its calls share one limiter; a parameter that
was refused once is never sent again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from typing import Any, TypeVar

from langchain_core.messages import AIMessage
from pydantic import SecretStr

from leadline.domain.config import ModelConfig
from leadline.domain.events import ModelCalled
from leadline.domain.limits import Limits
from leadline.domain.run import Usage
from leadline.domain.text import estimate_tokens
from leadline.errors import ModelAnswerInvalid, ModelError, ModelUnavailable
from leadline.models.base import OnCall
from leadline.models.failures import Endpoint, ParameterRefused, RequestRejected, failure_of
from leadline.models.ladder import Question, Reply, Step, StepRefused, climb
from leadline.models.limiter import ATTEMPTS, Limiter, Retryable, with_retries
from leadline.models.prices import price_usd
from leadline.models.prompts import Message
from leadline.models.requests import ModelRequest, TextRequest
from leadline.models.runaway import RunawayGuard
from leadline.models.streaming import OpenStream
from leadline.models.transport import AnswerTooLong
from leadline.models.wire import Shape, Wire, build_wire, reply_of

R = TypeVar("R")

_IMAGE_TOKENS = 1_000
_TEXT_TRIES = 2


class LangChainModel:
    """A chat model at an endpoint.

    ``wire`` and ``limiter`` are built from the configuration unless they are given;
    ``on_notice`` is told in a sentence when a request had to be shortened. Raises
    :class:`~leadline.errors.InvalidSetting` when the configuration cannot work.
    """

    def __init__(
        self,
        config: ModelConfig,
        api_key: SecretStr | None,
        *,
        limits: Limits,
        on_call: OnCall,
        on_notice: Callable[[str], None] | None = None,
        wire: Wire | None = None,
        limiter: Limiter | None = None,
    ) -> None:
        self._config = config
        self._seconds = limits.model_seconds
        self._on_call = on_call
        self._on_notice = on_notice
        secret = api_key.get_secret_value() if api_key else ""
        self._endpoint = Endpoint.of(config, seconds=self._seconds, secret=secret)
        self._wire = wire or build_wire(config, api_key, seconds=self._seconds)
        self._limiter = limiter or Limiter()
        self._max_chars = max(20_000, 8 * config.max_output_tokens)
        self._closed = False

    def __repr__(self) -> str:
        return f"<LangChainModel {self.name} at {self.host}>"

    @property
    def name(self) -> str:
        """The model's name at its provider."""
        return self._config.name

    @property
    def host(self) -> str:
        """``host:port`` of the endpoint."""
        return self._endpoint.host

    @property
    def provider(self) -> str:
        """The provider's name in the settings."""
        return self._config.provider.value

    @property
    def vision(self) -> bool:
        """Whether it is shown images: switched on, and not refused so far."""
        return "images" not in self._wire.refused

    async def ask(self, request: ModelRequest[R]) -> R:
        """Put one question and return its parsed answer; see ``Model``."""
        request = request.fitted(self._input_tokens)
        self._say_cut(request.cut_note)
        question = Question(
            messages=tuple(request.render()),
            name=request.answer_name,
            schema=request.answer_schema(),
            parse=request.parse,
            role=request.role,
        )
        return await self.answer(question)

    async def answer(self, question: Question[R]) -> R:
        """Climb the ladder for a question that is no ``ModelRequest``; see ``ladder.climb``."""

        async def call(messages: tuple[Message, ...], step: Step) -> Reply:
            shape = Shape(step, question.name, question.schema)
            return await self._call(messages, shape, question.role)

        return await climb(question, self._wire.memory, call)

    async def reply_by(self, question: Question[Any], step: Step) -> Reply:
        """One call by this step of the ladder alone. Raises ``StepRefused`` or a ``ModelError``."""
        shape = Shape(step, question.name, question.schema)
        return await self._call(question.messages, shape, question.role, attempts=1)

    async def say(self, messages: Sequence[Message], role: str) -> str:
        """One plain answer, as it came."""
        return (await self._call(tuple(messages), Shape(), role)).text

    async def check(self) -> None:
        """One tiny call; see ``Model``."""
        await self._call(
            (Message("user", "Reply with the word OK."),), Shape(), "check", attempts=1
        )

    async def aclose(self) -> None:
        """Close the connections; see ``Model``."""
        self._closed = True
        await self._wire.aclose()

    async def write(self, request: TextRequest) -> AsyncIterator[str]:
        """Stream the text; see ``Model``."""
        request = request.fitted(self._input_tokens)
        self._say_cut(request.cut_note)
        messages = tuple(request.render())
        for _ in range(_TEXT_TRIES):
            shown = False
            async with aclosing(self._stream(messages, request.role)) as pieces:
                async for piece in pieces:
                    shown = True
                    yield piece
            if shown:
                return
        raise ModelAnswerInvalid(f"{self.name} wrote nothing in {_TEXT_TRIES} tries.")

    def _say_cut(self, note: str) -> None:
        if note and self._on_notice:
            self._on_notice(note)

    @property
    def _input_tokens(self) -> int:
        return max(1_000, self._config.context_tokens - self._config.max_output_tokens - 500)

    async def _call(
        self, messages: tuple[Message, ...], shape: Shape, role: str, *, attempts: int = ATTEMPTS
    ) -> Reply:
        """One answer, retried and reported. Raises ``StepRefused`` or a ``ModelError``."""
        report = _Report(self, role, messages)

        async def send() -> Reply:
            message = await self._invoke(messages, shape)
            report.count(message.usage_metadata, text=str(message.content))
            return reply_of(message, max_chars=self._max_chars)

        try:
            reply = await with_retries(
                send,
                self._limiter,
                seconds=self._seconds,
                attempts=attempts,
                on_attempt=report.attempt,
            )
        except AnswerTooLong:
            report.end(ok=False, detail="the answer was too long and was cut off")
            return Reply(problem="it was far too long", cut=True)
        except ModelError as error:
            report.end(ok=False, detail=str(error))
            raise
        except asyncio.CancelledError:
            report.end(ok=False, detail="cancelled")
            raise
        report.end(ok=True, detail=reply.problem)
        return reply

    async def _invoke(self, messages: tuple[Message, ...], shape: Shape) -> AIMessage:
        """One attempt; refused parameters are dropped and it is made again."""
        while True:
            self._check_open()
            sent = self._wire.sent(messages, shape, stream=False)
            client = self._wire.client(sent, shape)
            arguments = self._wire.arguments(sent, shape, stream=False)
            try:
                async with asyncio.timeout(self._seconds):
                    answer = await client.ainvoke(self._wire.messages(messages), **arguments)
            # The clients of the providers share no exception; failure_of() types them all.
            except Exception as error:  # noqa: BLE001
                failure = failure_of(error, self._endpoint, sent)
            else:
                return _checked(answer)
            # Raised outside the handler: the client's error may hold headers and is let go.
            self._raise_unless_dropped(failure, shape)

    def _raise_unless_dropped(self, failure: Exception, shape: Shape) -> None:
        if isinstance(failure, ParameterRefused):
            self._wire.refuse(failure.parameter)
            return
        if isinstance(failure, RequestRejected) and shape.step is not Step.TEXT:
            raise StepRefused
        raise failure

    async def _stream(self, messages: tuple[Message, ...], role: str) -> AsyncGenerator[str]:
        """One streamed answer; attempts are repeated only until something visible came."""
        report = _Report(self, role, messages)
        guard = RunawayGuard(self._max_chars)
        detail, ok = "cancelled", False
        opened: OpenStream | None = None

        async def send() -> OpenStream:
            return await self._open(messages)

        try:
            opened = await with_retries(
                send, self._limiter, seconds=self._seconds, on_attempt=report.attempt
            )
            if opened.first:
                yield guard.feed(opened.first)
            while not guard.reason and (piece := await self._next(opened)) is not None:
                if piece and (kept := guard.feed(piece)):
                    yield kept
            detail, ok = guard.reason or opened.ended_early, True
        except AnswerTooLong:
            detail, ok = "cut at the length limit", opened is not None
        except ModelError as error:
            detail = str(error)
            raise
        finally:
            if opened is not None:
                report.count(opened.usage, text=opened.seen)
                await opened.aclose()
            report.end(ok=ok, detail=detail)

    async def _open(self, messages: tuple[Message, ...]) -> OpenStream:
        """A stream that has shown something, or has ended without."""
        while True:
            self._check_open()
            shape = Shape()
            sent = self._wire.sent(messages, shape, stream=True)
            client = self._wire.client(sent, shape)
            arguments = self._wire.arguments(sent, shape, stream=True)
            opened = OpenStream(
                client.astream(self._wire.messages(messages), **arguments), self._seconds
            )
            try:
                await opened.start()
            # As in _invoke().
            except Exception as error:  # noqa: BLE001
                failure = failure_of(error, self._endpoint, sent)
            except asyncio.CancelledError:
                await opened.aclose()
                raise
            else:
                return opened
            await opened.aclose()
            self._raise_unless_dropped(failure, shape)

    async def _next(self, opened: OpenStream) -> str | None:
        try:
            return await opened.next()
        # As in _invoke().
        except Exception as error:  # noqa: BLE001
            failure = failure_of(error, self._endpoint, frozenset())
        if isinstance(failure, AnswerTooLong):
            raise failure
        raise ModelUnavailable(f"{self._endpoint.who} broke off in the middle of its answer.")

    def _check_open(self) -> None:
        if self._closed:
            raise ModelUnavailable("The connection to the model is closed.")


class _Report:
    """Adds up what one call used and reports it once."""

    def __init__(self, model: LangChainModel, role: str, messages: Sequence[Message]) -> None:
        self._model = model
        self._role = role
        self._messages = messages
        self._attempts = 0
        self._started = model._limiter.clock()
        self._usage = Usage(calls=1)

    def attempt(self, number: int) -> None:
        self._attempts = number

    def count(self, metadata: Any, *, text: str) -> None:
        """Take the endpoint's own count, or estimate it where there is none."""
        if metadata and (metadata.get("input_tokens") or metadata.get("output_tokens")):
            tokens_in, tokens_out = metadata["input_tokens"], metadata["output_tokens"]
            details = metadata.get("input_token_details") or {}
            cached = details.get("cache_read") or 0
        else:
            tokens_in = sum(
                estimate_tokens(m.text) + _IMAGE_TOKENS * len(m.images) for m in self._messages
            )
            tokens_out, cached = estimate_tokens(text), 0
        self._usage = Usage(
            calls=1,
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            cost_usd=price_usd(
                self._model._config,
                input_tokens=tokens_in,
                output_tokens=tokens_out,
                cached_tokens=cached,
            ),
        )

    def end(self, *, ok: bool, detail: str = "") -> None:
        self._model._on_call(
            ModelCalled(
                role=self._role,
                usage=self._usage,
                seconds=round(self._model._limiter.clock() - self._started, 3),
                ok=ok,
                attempts=max(1, self._attempts),
                detail=detail,
            )
        )


def _checked(answer: object) -> AIMessage:
    if not isinstance(answer, AIMessage):
        raise Retryable(ModelUnavailable("The endpoint sent something that is no chat answer."))
    return answer
