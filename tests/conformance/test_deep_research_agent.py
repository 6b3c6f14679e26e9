"""S2 and W2 on the engine: what users of the plan-file agent find again, and its faults gone.

Everything is real but the browsers (``tests/engine/rig.py``).
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from leadline.browsing.worker import WorkerResult
from leadline.domain.events import PageFailed
from leadline.domain.run import RunStatus
from leadline.engine.context import WorkOrder
from leadline.engine.graph import run_graph
from leadline.models.offline import OfflineModel
from leadline.models.plan_request import PlanRequest
from leadline.models.requests import SectionRequest, TextRequest
from tests.engine.rig import Bench, Rig, a_config, a_plan, found


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "runs")


class Listening(OfflineModel):
    """The offline model, keeping what it was asked to write."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[SectionRequest] = []

    def write(self, request: TextRequest) -> AsyncIterator[str]:
        assert isinstance(request, SectionRequest)
        self.written.append(request)
        return super().write(request)


async def test_stages_run_in_order_and_what_is_done_is_skipped(bench: Bench) -> None:
    """S2-11, S2-13, S2-14: category after category, finished tasks passed over, then the report."""
    folder = bench.run(a_config(max_parallel_browsers=1), a_plan(["A", "B"], ["C"]))
    with bench.session(folder) as rig:
        rig.edit("- [ ] B", "- [x] B")
        last = await run_graph(rig.context)
        assert [order.task.text for order in rig.orders] == ["A", "C"]
        assert last.status is RunStatus.DONE
        types = [entry.event.type for entry in rig.log]
        assert types.index("report.ready") > max(
            i for i, kind in enumerate(types) if kind == "task.finished"
        )


async def test_a_worker_gets_its_task_its_query_and_what_was_found_before(bench: Bench) -> None:
    """S2-16, W2-14: one task at a time, with a short account of the earlier stages."""
    folder = bench.run(a_config(), a_plan(["How deep is it"], ["How wide is it"]))
    with bench.session(folder) as rig:
        await run_graph(rig.context)
        first, second = rig.orders
        assert (first.task.text, first.query, first.background) == (
            "How deep is it",
            "How deep is it",
            "",
        )
        assert "How deep is it: the measured value is 1 metres." in second.background


async def test_every_query_is_a_worker_of_its_own_and_none_is_dropped(bench: Bench) -> None:
    """S2-28, W2-9: each query of a task is worked on, and its results are one outcome."""
    plan = a_plan(["Depth"])
    task = next(plan.tasks()).model_copy(update={"queries": ("depth north", "depth south")})
    plan = plan.model_copy(
        update={"categories": (plan.categories[0].model_copy(update={"tasks": (task,)}),)}
    )
    folder = bench.run(a_config(queries_per_task=2, max_parallel_browsers=1), plan)
    with bench.session(folder) as rig:
        await run_graph(rig.context)
        assert sorted(order.query for order in rig.orders) == ["depth north", "depth south"]
        assert len({order.worker for order in rig.orders}) == 2
        done = rig.session.view.tasks["t1"]
        assert done.state == "done"
        assert len(done.findings) == 2


async def test_plan_and_results_are_on_disk_after_every_task(bench: Bench) -> None:
    """S2-18, S2-20, S2-31: queries, pages, findings, failures and attempts of each task."""
    seen: list[tuple[int, int]] = []

    async def looks_back(rig: Rig, order: WorkOrder) -> WorkerResult:
        plan = rig.folder.file("research_plan.md").read_text("utf-8")
        tasks = rig.folder.search_info().get("tasks", [])
        seen.append((plan.count("[x]"), sum(task["state"] == "done" for task in tasks)))
        return await found(rig, order)

    folder = bench.run(a_config(max_parallel_browsers=1), a_plan(["A", "B", "C"]))
    with bench.session(folder, looks_back) as rig:
        await run_graph(rig.context)
    assert seen == [(0, 0), (1, 1), (2, 2)]
    saved = json.loads(folder.file("search_info.json").read_text("utf-8"))
    task = saved["tasks"][0]
    assert {"queries", "pages", "findings", "failures", "attempts"} <= task.keys()


async def test_the_writer_gets_findings_and_the_report_names_what_failed(bench: Bench) -> None:
    """S2-35, S0-36, W2-1: findings reach the writer, failures and blocked sites the report."""

    async def one_blocked(rig: Rig, order: WorkOrder) -> WorkerResult:
        if order.task.text == "Secret depth":
            rig.session.emit(
                PageFailed(url="https://wall.example/x", reason="captcha", blocked=True),
                task=order.task.id,
            )
            return WorkerResult(missing="The only source shows a captcha.")
        return await found(rig, order)

    model = Listening()
    folder = bench.run(a_config(), a_plan(["Depth of the harbour", "Secret depth"]))
    with bench.session(folder, one_blocked, model=model) as rig:
        last = await run_graph(rig.context)
    claims = [view.claim for request in model.written for view in request.claims]
    assert "Depth of the harbour: the measured value is 1 metres." in claims
    report = folder.report() or ""
    assert "1 metres" in report
    assert "The only source shows a captcha." in report
    assert "wall.example" in report
    assert last.reason == "1 of 2 tasks are not answered."


async def test_a_section_is_written_from_its_own_findings_alone(bench: Bench) -> None:
    """S2-37: only from the findings, and from those of the section alone."""
    model = Listening()
    folder = bench.run(a_config(), a_plan(["Depth"], ["Width"]))
    with bench.session(folder, model=model) as rig:
        await run_graph(rig.context)
    sections = {r.heading: r for r in model.written}
    assert [v.claim for v in sections["Part 1"].claims] == [
        "Depth: the measured value is 1 metres."
    ]
    assert [v.claim for v in sections["Part 2"].claims] == [
        "Width: the measured value is 2 metres."
    ]


async def test_two_topics_never_influence_each_other(bench: Bench) -> None:
    """S0-12: a plan is asked for anew, from its own topic alone."""
    asked: list[PlanRequest] = []

    class Planner(OfflineModel):
        async def ask(self, request):  # type: ignore[no-untyped-def]  # as the protocol's
            if isinstance(request, PlanRequest):
                asked.append(request)
            return await super().ask(request)

    model = Planner()
    for topic in ("Tidal harbours", "Mountain railways"):
        folder = bench.store.create(topic, a_config())
        with bench.session(folder, model=model) as rig:
            await run_graph(rig.context)
    rendered = [" ".join(m.text for m in request.render()) for request in asked]
    assert "Tidal" in rendered[0]
    assert "Tidal" not in rendered[1]


async def test_states_follow_their_order_and_end_once(bench: Bench) -> None:
    """S0-15: pending, in progress, then done or failed; nothing is left in between at the end."""

    async def every_second(rig: Rig, order: WorkOrder) -> WorkerResult:
        return await found(rig, order) if len(rig.orders) % 2 else WorkerResult(missing="No.")

    folder = bench.run(a_config(), a_plan(["A", "B", "C", "D"]))
    with bench.session(folder, every_second) as rig:
        await run_graph(rig.context)
        for task in rig.context.plan.tasks():
            own = [e.event.type for e in rig.log if e.task == task.id]
            assert own[0] == "task.started"
            assert own.count("task.finished") == 1
            assert rig.session.view.tasks[task.id].state in ("done", "failed")
