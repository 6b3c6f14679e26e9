"""browser-use's agent, cut down to what a research worker needs.

Kept: the step (state of the tab, model call, actions with their page-change guards, failure
count). Replaced: what the model is shown (``view``), what a step leaves behind (nothing on disk, no
growing history, no events to anybody), and the end: the browser belongs to the pool, so closing the
agent closes nothing. Findings may be recorded and the work ended in one step, which browser-use
forbids for its own ``done``.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import date
from types import ModuleType
from typing import Any

from browser_use import Agent
from browser_use.agent.views import ActionResult, AgentOutput, AgentStepInfo
from browser_use.browser.views import BrowserStateSummary
from browser_use.llm.base import BaseChatModel
from browser_use.llm.messages import (
    ContentPartImageParam,
    ContentPartTextParam,
    ImageURL,
    SystemMessage,
    UserMessage,
)
from browser_use.tools.registry.views import ActionModel

from leadline.browsing.current_page import observe
from leadline.browsing.state import WorkerState
from leadline.browsing.tools import WorkerTools
from leadline.browsing.view import prompt_values
from leadline.domain.text import shorten
from leadline.models.prompts import render_prompt

MAX_FAILURES = 2
"""Model answers in a row that could not be used before the worker gives up."""

ACTIONS_A_STEP = 5

_WITHOUT_A_PAGE = ["search", "read", "record_findings", "navigate", "done"]
"""What can be done while the tab in front is blank. The others are left out of the schema then:
they would cost some 800 tokens a call for nothing."""


class ResearchAgent(Agent[None, Any]):
    """One worker's agent. ``work_step`` is driven by its owner; ``run`` is not used."""

    def __init__(
        self,
        *,
        state: WorkerState,
        session: Any,
        tools: WorkerTools,
        chat: BaseChatModel,
        should_stop: Callable[[], Awaitable[bool]],
        vision: bool,
        model_seconds: float,
        material_tokens: int,
        today: date,
    ) -> None:
        self._worker = state
        self._today = today
        self._material_tokens = material_tokens
        self._model_seconds = model_seconds
        with _without_anthropic():
            self._init_agent(chat, session, tools, should_stop, vision)

    def _init_agent(
        self,
        chat: BaseChatModel,
        session: Any,
        tools: WorkerTools,
        should_stop: Callable[[], Awaitable[bool]],
        vision: bool,
    ) -> None:
        state = self._worker
        seconds = max(1, round(self._model_seconds))
        super().__init__(
            task=state.task or state.query,
            llm=chat,
            browser_session=session,
            tools=tools,
            initial_actions=[{"search": {"query": state.query}}],
            register_should_stop_callback=should_stop,
            use_vision=vision,
            max_failures=MAX_FAILURES,
            final_response_after_failure=False,
            override_system_message="-",  # the real one is rendered for each step
            generate_gif=False,
            max_actions_per_step=ACTIONS_A_STEP,
            flash_mode=True,
            use_judge=False,
            calculate_cost=False,
            llm_timeout=seconds,
            step_timeout=seconds,
            directly_open_url=False,
            enable_planning=False,
            loop_detection_enabled=False,
            message_compaction=False,
            enable_signal_handler=False,
        )
        self._page_output = self.AgentOutput
        self._blank_output = AgentOutput.type_with_custom_actions_flash_mode(
            self.tools.registry.create_action_model(_WITHOUT_A_PAGE)
        )

    @property
    def failures(self) -> int:
        """Steps in a row whose model answer could not be used."""
        return int(self.state.consecutive_failures)

    async def begin(self) -> None:
        """The first search, without a model call; the first prompt shows its results."""
        results = await self.multi_act(self.initial_actions or [])
        self.state.last_result = results

    async def close(self) -> None:
        """Nothing: the browser is the pool's, and nothing else was opened."""

    def _set_file_system(self, file_system_path: str | None = None) -> None:
        """A worker has no files."""
        del file_system_path
        self.file_system = None  # type: ignore[assignment]  # it is optional wherever it is read
        self.file_system_path = None  # type: ignore[assignment]  # as above

    def _set_screenshot_service(self) -> None:
        """Screenshots of steps are not kept."""
        self.screenshot_service = None  # type: ignore[assignment]  # used by a step's end alone

    async def _prepare_context(self, step_info: AgentStepInfo | None = None) -> BrowserStateSummary:
        """Look at the tab in front and write the messages of this step."""
        assert step_info is not None
        vision = bool(self.settings.use_vision)
        summary = await self.browser_session.get_browser_state_summary(include_screenshot=vision)
        await self._check_stop_or_pause()
        worker = self._worker
        worker.look_at(observe(summary))
        self._remember()
        worker.last_step = step_info.is_last_step()
        self.AgentOutput = self._blank_output if worker.page.is_blank else self._page_output
        self._write_messages(summary.screenshot if vision and not worker.page.is_blank else None)
        return summary

    def _remember(self) -> None:
        """Put what the last step did into the worker's journal."""
        output, results = self.state.last_model_output, self.state.last_result or []
        if output is not None and output.memory:
            self._worker.note(f"You noted: {shorten(output.memory, 300)}")
        for result in results:
            text = result.long_term_memory or result.extracted_content or ""
            if result.error:
                text = f"{text} Your last answer could not be used: {result.error}"
            if text.strip():
                self._worker.note(shorten(text, 700))

    def _write_messages(self, screenshot: str | None) -> None:
        values = prompt_values(
            self._worker, today=self._today, material_tokens=self._material_tokens
        )
        system, user = render_prompt("worker", values)
        history = self._message_manager.state.history
        history.context_messages.clear()
        history.system_message = SystemMessage(content=system.text, cache=True)
        if screenshot is None:
            history.state_message = UserMessage(content=user.text)
            return
        image = ImageURL(url=f"data:image/png;base64,{screenshot}", media_type="image/png")
        history.state_message = UserMessage(
            content=[
                ContentPartTextParam(text=user.text),
                ContentPartImageParam(image_url=image),
            ]
        )

    async def multi_act(self, actions: list[ActionModel]) -> list[ActionResult]:
        """Carry out the actions of a step; ``done`` comes last and may follow others.

        It is held back when the findings recorded just before were all refused, so that the model
        can mend them, and when an earlier action changed the page or did not come to its end. In
        the last step nothing but recording and ending is carried out.
        """
        ending = [action for action in actions if _name(action) == "done"]
        others = [action for action in actions if _name(action) != "done"]
        if self._worker.last_step:
            others = [action for action in others if _name(action) == "record_findings"]
        results = await super().multi_act(others) if others else []
        refused = any((result.metadata or {}).get("refused") for result in results)
        complete = len(results) == len(others) and not any(result.error for result in results)
        if ending and self._worker.fatal is None:
            if (complete and not refused) or self._worker.last_step:
                results += await super().multi_act(ending[:1])
            else:
                results.append(
                    ActionResult(long_term_memory="Not ended yet: see what failed, then end.")
                )
        return [_softened(result) for result in results]

    async def _finalize(self, browser_state_summary: BrowserStateSummary | None) -> None:
        """End of a step: nothing is kept but its number."""
        del browser_state_summary
        self.state.n_steps += 1


@contextmanager
def _without_anthropic() -> Iterator[None]:
    """Spare the process two seconds and 40 MB while an agent is made.

    browser-use's constructor imports Anthropic's whole SDK to ask whether the chat is its own
    class for it. Ours never is, so a class that nothing is an instance of answers as well; the
    real module can still be imported afterwards.
    """
    name = "browser_use.llm.anthropic.chat"
    if name in sys.modules:
        yield
        return
    stand_in = ModuleType(name)
    stand_in.ChatAnthropic = type("ChatAnthropic", (), {})  # type: ignore[attr-defined]  # made here
    sys.modules[name] = stand_in
    try:
        yield
    finally:
        if sys.modules.get(name) is stand_in:
            del sys.modules[name]


def _name(action: ActionModel) -> str:
    return next(iter(action.model_dump(exclude_unset=True)), "")


def _softened(result: ActionResult) -> ActionResult:
    """A failed action is news for the model, not a failure of the model."""
    if not result.error:
        return result
    text = f"{result.long_term_memory or ''} That failed: {result.error}".strip()
    return ActionResult(long_term_memory=shorten(text, 500))
