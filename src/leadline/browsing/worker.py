"""A browser worker: one query of one task, from the first search to its recorded findings.

It owns time and endings. Whatever a model or a page does, ``run`` comes back with what was
recorded and a reason: within its seconds and steps, at most two useless model answers after each
other, and soon after a stop. Only a cancelled worker and a dead browser raise.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

from browser_use.agent.views import AgentStepInfo
from browser_use.llm.base import BaseChatModel

from leadline.browsing.agent import MAX_FAILURES, ResearchAgent
from leadline.browsing.card import WorkerCard
from leadline.browsing.state import Lease, LeasePool, Reader, Router, WorkerState
from leadline.browsing.tools import action_seconds, build_tools
from leadline.browsing.watched_chat import WatchedChat
from leadline.domain.config import RunConfig
from leadline.domain.plan import Task
from leadline.domain.ports import EventSink, FindingBook, StopSignal
from leadline.errors import BrowserError, BrowserFailed, LeadlineError

log = logging.getLogger(__name__)

MakeChat = Callable[[WorkerState], BaseChatModel]
"""Makes the chat of one worker; the offline one decides by the worker's state."""

OnScreen = Callable[[str, bytes], None]
"""Takes a worker's newest screenshot (JPEG)."""

_POLL_SECONDS = 0.2
_SCREEN_SECONDS = 1.0
_CANCEL_SECONDS = 3.0
_IDLE_STEPS = 4
"""Steps after each other that bring nothing new before the worker is ended."""
_ASKS_A_STEP = 3
"""A model may be asked this often for one usable answer; see the ladder of the models layer."""
_PROMPT_TOKENS = 2500
"""What a prompt needs beside passages: rules, schema, rows, journal."""


@dataclass(frozen=True)
class WorkerResult:
    """How a worker ended. ``error`` is one sentence, empty when it ended by itself."""

    answered: bool = False
    summary: str = ""
    missing: str = ""
    findings: tuple[str, ...] = ()
    steps: int = 0
    error: str = ""
    fatal: LeadlineError | None = None
    """Set when no other worker could do better: the model is gone, a limit is used up."""


class BrowserUseAgent:
    """One worker. Made for one run; ``run`` is called once."""

    def __init__(
        self,
        task: Task,
        query: str,
        *,
        worker: str,
        topic: str,
        config: RunConfig,
        pool: LeasePool,
        router: Router,
        reader: Reader,
        book: FindingBook,
        sink: EventSink,
        make_chat: MakeChat,
        today: date,
        language: str = "",
        background: str = "",
        stop: StopSignal | None = None,
        on_screen: OnScreen | None = None,
    ) -> None:
        self._worker = worker
        self._config = config
        self._pool = pool
        self._router = router
        self._reader = reader
        self._book = book
        self._sink = sink
        self._today = today
        self._stop = stop
        self._on_screen = on_screen if config.browser.screens else None
        self.state = WorkerState(
            task_id=task.id,
            task=task.text,
            query=query.strip() or task.text,
            limits=config.limits,
            topic=topic,
            language=language,
            background=background,
        )
        self._card = WorkerCard(sink, worker=worker, task_id=task.id, query=self.state.query)
        self._chat = WatchedChat(
            make_chat(self.state), state=self.state, card=self._card, should_stop=self._stopping
        )

    async def run(self) -> WorkerResult:
        """Wait for a browser, work, and say how it ended.

        Raises ``BrowserError`` when there is no browser or it died, and ``CancelledError`` when it
        was cancelled or the run stops; what was recorded until then is in the book.
        """
        self._card.moved("waiting")
        try:
            async with self._pool.lease(self.state.task_id) as lease:
                ending = await self._guarded(lease)
        except asyncio.CancelledError:
            self._card.moved("failed", detail="Stopped.")
            raise
        except BrowserError as error:
            self._card.moved("failed", detail=str(error))
            raise
        result = self._result(ending)
        if result.error:
            self._card.moved("failed", detail=result.error)
        else:
            self._card.moved("finished", detail=result.summary or result.missing)
        return result

    def _stopping(self) -> bool:
        return self._stop is not None and self._stop.is_set()

    async def _guarded(self, lease: Lease) -> str:
        """Work in a task of its own, under the worker's deadline; returns why it ended early."""
        work = asyncio.create_task(self._work(lease), name=f"worker {self._worker}")
        screens = asyncio.create_task(self._screens(lease), name=f"screens {self._worker}")
        try:
            ending = await self._watch(work)
        finally:
            await _end(screens)
            await _end(work)
        if self._stopping():
            raise asyncio.CancelledError
        if isinstance(self.state.fatal, BrowserError):
            raise self.state.fatal
        return ending

    async def _watch(self, work: asyncio.Task[str]) -> str:
        seconds = self._config.limits.worker_seconds
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while not work.done():
            await asyncio.wait({work}, timeout=_POLL_SECONDS)
            if work.done() or self._stopping():
                break
            if loop.time() >= deadline:
                return f"The worker used its {seconds:g} seconds."
        return work.result() if work.done() else "Stopped."

    async def _work(self, lease: Lease) -> str:
        """Steps until the worker ends; the returned sentence is empty when it ended by itself."""
        agent = self._make_agent(lease)
        steps = self._config.limits.steps_per_worker
        step_seconds = self._model_seconds + action_seconds(self._config.limits) * 1.5 + 30
        idle, progress = 0, self.state.progress
        try:
            await agent.begin()
            for number in range(steps):
                if self.state.finished or self.state.fatal or self._stopping():
                    return ""
                if agent.failures >= MAX_FAILURES:
                    return f"The model gave no usable answer {MAX_FAILURES} times in a row."
                self.state.step = self._card.step = number + 1
                await self._step(agent, AgentStepInfo(number, steps), step_seconds)
                if agent.state.stopped and not self._stopping() and self.state.fatal is None:
                    raise BrowserFailed("The browser closed while a worker used it.")
                idle = idle + 1 if self.state.progress == progress else 0
                progress = self.state.progress
                if idle >= _IDLE_STEPS and not self.state.finished:
                    return f"The model went round in circles for {_IDLE_STEPS} steps."
        except InterruptedError:
            return "Stopped."
        except ConnectionError as error:
            raise BrowserFailed("The connection to the browser broke.") from error
        return "" if self.state.finished else f"The worker used its {steps} steps without an end."

    async def _step(self, agent: ResearchAgent, info: AgentStepInfo, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await agent.step(info)
        except TimeoutError:
            self.state.note(f"The last step took more than {seconds:.0f} seconds and was ended.")
            agent.state.consecutive_failures += 1

    @property
    def _model_seconds(self) -> float:
        return self._config.limits.model_seconds * _ASKS_A_STEP

    def _make_agent(self, lease: Lease) -> ResearchAgent:
        limits, model = self._config.limits, self._config.model
        tools = build_tools(
            self.state,
            router=self._router,
            reader=self._reader,
            lease=lease,
            book=self._book,
            sink=self._sink,
            card=self._card,
        )

        async def should_stop() -> bool:
            return self._stopping() or self.state.fatal is not None

        room = round(model.context_tokens * 0.6) - _PROMPT_TOKENS
        return ResearchAgent(
            state=self.state,
            session=lease.session,
            tools=tools,
            chat=self._chat,
            should_stop=should_stop,
            vision=model.vision,
            model_seconds=self._model_seconds,
            material_tokens=max(600, min(limits.pages_per_query * limits.tokens_per_source, room)),
            today=self._today,
        )

    async def _screens(self, lease: Lease) -> None:
        """Hand out a small picture whenever the worker moved, at most once a second."""
        if self._on_screen is None:
            return
        seen = 0
        while True:
            await asyncio.sleep(_SCREEN_SECONDS)
            if self._card.moves == seen:
                continue
            seen = self._card.moves
            picture = await lease.screenshot_jpeg()
            if picture:
                self._on_screen(self._worker, picture)

    def _result(self, ending: str) -> WorkerResult:
        state = self.state
        fatal = state.fatal
        error = str(fatal) if fatal else "" if state.finished else ending
        return WorkerResult(
            answered=state.answered and not error,
            summary=state.summary,
            missing=state.missing,
            findings=tuple(state.findings),
            steps=state.step,
            error=error,
            fatal=fatal,
        )


async def _end(task: asyncio.Task[Any]) -> None:
    """Cancel a task and wait a little; one that does not listen is left to the pool's teardown."""
    if not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=_CANCEL_SECONDS)
    if not task.done():
        log.warning("%s does not end; its browser will be closed under it", task.get_name())
        task.add_done_callback(_swallow)
        return
    _swallow(task)


def _swallow(task: asyncio.Task[Any]) -> None:
    """Take a finished task's error, so that it is not reported as never looked at."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.debug("%s ended with %r", task.get_name(), error)
