"""The Python API: ``research`` runs a question to its end and returns what was found.

A run is a process of its own here too, so it works the same in a script, a notebook and a thread,
and an exception in the caller never leaves a browser behind.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.domain.config import ModelConfig
from leadline.domain.events import Entry
from leadline.domain.evidence import Finding, Source
from leadline.domain.limits import Depth
from leadline.domain.plan import Plan
from leadline.domain.plan_markdown import parse_plan
from leadline.domain.projection import RunView
from leadline.domain.run import RunRecord, RunStatus
from leadline.errors import InvalidPlan
from leadline.following import Launcher, StopRequest
from leadline.settings import Settings

OnEvent = Callable[[Entry], None]


@dataclass(frozen=True)
class ResearchResult:
    """What a run came to. A run that failed or was stopped has one too, with what it found."""

    task_id: str
    status: RunStatus
    """Done, empty, planned, stopped, failed or interrupted."""
    reason: str
    """Why it ended so, in a sentence; empty when obvious."""
    report: str
    """The report in Markdown; empty when there is none."""
    citations: int
    """Citations in the report, each resolved to a stored passage."""
    sources: tuple[Source, ...]
    findings: tuple[Finding, ...]
    folder: Path
    """The run's folder, with everything that was read."""


def research(
    topic: str,
    *,
    depth: Depth | str | None = None,
    browsers: int | None = None,
    model: ModelConfig | str | None = None,
    on_event: OnEvent | None = None,
    timeout: float | None = None,
    root: Path | str | None = None,
    plan: Plan | str | None = None,
    **settings: Any,
) -> ResearchResult:
    """Research a topic and return its report with sources and findings.

    Args:
        topic: The question, in any language.
        depth: ``quick``, ``standard`` or ``deep``.
        browsers: How many browsers work at a time.
        model: A model's name, or a whole configuration; without one the configured model.
        on_event: Called with each event of the run, in order, from this thread.
        timeout: Seconds after which the run is stopped; what was found by then is returned.
        root: Folder of the runs; by default that of the settings.
        plan: A plan (or its Markdown) to work on instead of making one.
        settings: Any other setting by its name, such as ``minutes=10`` or ``engines="bing"``.

    Raises:
        UserError: The topic, the plan or a setting is wrong; nothing was started.

    ``KeyboardInterrupt`` and an exception of ``on_event`` stop the run and are raised on.
    """
    launcher, start = _prepare(
        topic, root=root, plan=plan, depth=depth, browsers=browsers, model=model, **settings
    )
    return _run(launcher, start, on_event, timeout, StopRequest())


async def aresearch(topic: str, **arguments: Any) -> ResearchResult:
    """:func:`research` for asyncio: the loop stays free, cancelling stops the run.

    Takes the same arguments; ``on_event`` is called in the loop's thread.
    """
    on_event: OnEvent | None = arguments.pop("on_event", None)
    timeout: float | None = arguments.pop("timeout", None)
    launcher, start = _prepare(topic, **arguments)
    loop = asyncio.get_running_loop()
    stop = StopRequest()

    def forward(entry: Entry) -> None:
        if on_event:
            loop.call_soon_threadsafe(on_event, entry)

    work = asyncio.create_task(asyncio.to_thread(_run, launcher, start, forward, timeout, stop))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        stop.ask()
        await asyncio.wait([work])
        raise


_Start = tuple[str, Any, Plan | None]


def _prepare(
    topic: str,
    *,
    root: Path | str | None = None,
    plan: Plan | str | None = None,
    model: ModelConfig | str | None = None,
    **overrides: Any,
) -> tuple[Launcher, _Start]:
    settings = Settings()
    if isinstance(model, str):
        overrides["model_name"] = model
    else:
        overrides["model"] = model
    config = settings.run_config(**overrides)
    if isinstance(plan, str):
        plan = parse_plan(plan)
    if plan is not None and not any(True for _ in plan.tasks()):
        raise InvalidPlan('The plan has no task; a task is a line like "- [ ] …".')
    return Launcher(settings, Path(root) if root else None), (topic, config, plan)


def _run(
    launcher: Launcher,
    start: _Start,
    on_event: OnEvent | None,
    timeout: float | None,
    stop: StopRequest,
) -> ResearchResult:
    topic, config, plan = start
    folder = launcher.start(topic, config, plan=plan)
    deadline = time.monotonic() + timeout if timeout is not None else None

    def watch(record: RunRecord, view: RunView, entries: Sequence[Entry]) -> None:
        if deadline is not None and time.monotonic() >= deadline and not stop.times:
            stop.ask()
        if on_event:
            for entry in entries:
                on_event(entry)

    try:
        record = launcher.follow(folder, watch=watch, stop=stop)
    except BaseException:
        launcher.stop(folder.task_id)
        raise
    view = folder.view()
    return ResearchResult(
        task_id=folder.task_id,
        status=record.status,
        reason=record.reason,
        report=folder.report() or "",
        citations=view.report_ready.citations if view.report_ready else 0,
        sources=tuple(view.sources.values()),
        findings=tuple(view.findings.values()),
        folder=folder.path,
    )
