"""Builds the real surroundings of a run and takes them down again, whatever happened.

Everything that is opened here is closed here, in reverse order and within seconds, so that no
browser, port or folder outlives the run.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from browser_use.llm.base import BaseChatModel

from leadline.browsing.egress import EgressGuard, EgressLimits
from leadline.browsing.egress_rules import AddressRules
from leadline.browsing.offline_policy import OfflineBrowserChat
from leadline.browsing.pages import PageReader
from leadline.browsing.pool import BrowserPool
from leadline.browsing.state import WorkerState
from leadline.browsing.worker import BrowserUseAgent, WorkerResult
from leadline.demo.server import DemoWeb
from leadline.domain.budget import Budget
from leadline.domain.config import RunConfig, SearchEngine
from leadline.domain.events import HostContacted, ModelCalled, Notice
from leadline.domain.ports import StopSignal
from leadline.engine.budgeted_chat import BudgetedChat
from leadline.engine.context import TASK, RunContext, WorkOrder
from leadline.models.base import Model
from leadline.models.browser_use import BrowserUseChat
from leadline.models.chat import LangChainModel
from leadline.models.roles import RoleModels, create_models
from leadline.runs.guardian import Guardian
from leadline.runs.session import RunSession
from leadline.runs.slots import MachineSlots
from leadline.settings import Settings
from leadline.sources.factory import create_router
from leadline.sources.router import SearchRouter

log = logging.getLogger(__name__)

CLOSE_SECONDS = 5.0


@asynccontextmanager
async def open_context(
    session: RunSession, *, stop: StopSignal, work_dir: Path, machine_dir: Path
) -> AsyncIterator[RunContext]:
    """The context of a run with everything in it that reads the web and asks the model.

    ``work_dir`` is the run's own scratch folder; ``machine_dir`` holds the browser slots that all
    runs of the machine share.
    """
    config, settings = session.config, Settings()
    async with AsyncExitStack() as stack:
        budget = Budget(
            config.limits,
            clock=time.monotonic,
            used=session.view.usage,
            seconds=session.seconds,
        )
        demo = await _demo_web(config, stack)
        guard = await _guard(session, config, demo, settings.port, stack)
        models = _models(session, config, settings, budget, stack)
        guardian = stack.enter_context(Guardian())
        pool = BrowserPool(
            config=config.browser,
            limits=config.limits,
            guard=guard,
            slots=MachineSlots(machine_dir / "browsers", settings.machine_browsers),
            sink=session,
            guardian=guardian,
            work_dir=work_dir,
        )
        _close_later(stack, "browsers", pool.close)
        reader = PageReader(
            shelf=session,
            guard=guard,
            limits=config.limits,
            sink=session,
            only_domains=config.search.only_domains,
            without_domains=config.search.without_domains,
        )
        router = create_router(
            config.search, sink=session, demo_url=demo.search_url if demo else None
        )
        yield RunContext(
            topic=session.run_record.topic,
            config=config,
            session=session,
            models=models,
            budget=budget,
            run_worker=_Workers(
                session, models.for_role("worker"), budget, pool, reader, router, stop
            ),
            today=datetime.now(UTC).date(),
        )


class _Workers:
    """Makes and runs the browser worker for an order."""

    def __init__(
        self,
        session: RunSession,
        model: Model,
        budget: Budget,
        pool: BrowserPool,
        reader: PageReader,
        router: SearchRouter,
        stop: StopSignal,
    ) -> None:
        self._session = session
        self._model = model
        self._budget = budget
        self._pool = pool
        self._reader = reader
        self._router = router
        self._stop = stop

    async def __call__(self, order: WorkOrder) -> WorkerResult:
        agent = BrowserUseAgent(
            order.task,
            order.query,
            worker=order.worker,
            topic=self._session.run_record.topic,
            config=self._session.config,
            pool=self._pool,
            router=self._router,
            reader=self._reader,
            book=self._session,
            sink=self._session,
            make_chat=self._make_chat,
            today=datetime.now(UTC).date(),
            language=order.language,
            background=order.background,
            stop=self._stop,
            on_screen=self._session.write_screen,
        )
        return await agent.run()

    def _make_chat(self, state: WorkerState) -> BaseChatModel:
        if isinstance(self._model, LangChainModel):
            return BudgetedChat(BrowserUseChat(self._model), self._budget)
        return OfflineBrowserChat(
            state,
            recorded=lambda: [f.claim for f in self._session.view.findings.values()],
            on_call=_on_call(self._session, self._budget),
        )


def _on_call(session: RunSession, budget: Budget) -> Callable[[ModelCalled], None]:
    def record(call: ModelCalled) -> None:
        budget.spend(call.usage)
        session.emit(call, task=TASK.get())

    return record


def _models(
    session: RunSession,
    config: RunConfig,
    settings: Settings,
    budget: Budget,
    stack: AsyncExitStack,
) -> RoleModels:
    models = create_models(
        config,
        lambda role: settings.role_key(role, config) if role else settings.api_key(config.model),
        on_call=_on_call(session, budget),
        on_notice=lambda note: session.emit(Notice(message=note), task=TASK.get()),
    )
    _close_later(stack, "models", models.aclose)
    for host in models.hosts:
        session.emit(HostContacted(host=host, purpose="model"))
    return models


async def _demo_web(config: RunConfig, stack: AsyncExitStack) -> DemoWeb | None:
    """The demo web, while it is a search engine of the run."""
    if SearchEngine.DEMO not in config.search.engines:
        return None
    demo = DemoWeb()
    await demo.start()
    _close_later(stack, "demo web", demo.stop)
    return demo


async def _guard(
    session: RunSession,
    config: RunConfig,
    demo: DemoWeb | None,
    own_port: int,
    stack: AsyncExitStack,
) -> EgressGuard:
    allowed = (*config.search.allow_private_hosts, *(demo.allow_hosts if demo else ()))
    guard = EgressGuard(
        AddressRules(allowed, denied_ports=[own_port]),
        on_host=lambda host: session.emit(HostContacted(host=host, purpose="page")),
        limits=EgressLimits.for_pages(config.limits.page_bytes),
        upstream=config.browser.proxy,
    )
    await guard.start()
    _close_later(stack, "egress guard", guard.stop)
    return guard


def _close_later(stack: AsyncExitStack, name: str, close: Callable[[], Awaitable[None]]) -> None:
    """Close it at the end, within its time; a failing close must not keep the others open."""

    async def contained() -> None:
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await close()
        except TimeoutError:
            log.warning("%s did not close in %g s", name, CLOSE_SECONDS)
        except Exception:
            log.exception("%s did not close cleanly", name)

    stack.push_async_callback(contained)
