"""The graph from plan to report, with everything real but the browsers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from leadline.browsing.worker import WorkerResult
from leadline.domain.events import RunFinished
from leadline.domain.plan import TaskState
from leadline.domain.run import RunStatus, Usage
from leadline.engine.context import WorkOrder
from leadline.engine.graph import run_graph
from leadline.errors import BrowserFailed, LimitReached, ModelUnavailable
from leadline.models.offline import OfflineModel
from leadline.models.plan_request import PlanDraft, PlanRequest
from leadline.models.reflect_request import NewTask, ReflectAnswer, ReflectRequest
from tests.engine.rig import TOPIC, Bench, Rig, a_config, a_plan, found


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "runs")


async def nothing(_rig: Rig, _order: WorkOrder) -> WorkerResult:
    return WorkerResult(missing="No page says it.")


class Restless(OfflineModel):
    """A model that always wants one more task, and counts how often it is asked."""

    plans = 0
    reflections = 0

    async def ask(self, request):  # type: ignore[no-untyped-def]  # as the protocol's
        if isinstance(request, PlanRequest):
            self.plans += 1
            return PlanDraft(plan=a_plan(["How long is it"], ["How deep is it"]))
        if not isinstance(request, ReflectRequest):
            return await super().ask(request)
        self.reflections += 1
        number = len(request.tasks) + 1
        return ReflectAnswer(new_tasks=(NewTask(text=f"Gap {number}", category="Part 1"),))


async def test_a_plan_of_sixty_tasks_finishes(bench: Bench) -> None:
    """W2-2: ten categories of six tasks are more steps than LangGraph's usual 25."""
    texts = [[f"Question {c}.{t} of the harbour" for t in range(6)] for c in range(10)]
    folder = bench.run(a_config(), a_plan(*texts))
    with bench.session(folder) as rig:
        last = await run_graph(rig.context)
        assert last == RunFinished(status=RunStatus.DONE)
        assert len(rig.orders) == 60
        assert rig.session.view.counts()[TaskState.DONE] == 60
    assert "(sources/" in (folder.report() or "")


async def test_sixty_categories_made_by_hand_finish_too(bench: Bench) -> None:
    """W2-2: the step limit follows from what the file holds, also after an edit in the middle."""
    folder = bench.run(a_config(), a_plan(["First"]))

    async def edited(rig: Rig, order: WorkOrder) -> WorkerResult:
        if len(rig.orders) == 1:
            more = "".join(f"\n## Part {n}\n- [ ] Question number {n}\n" for n in range(2, 62))
            path = rig.folder.file("research_plan.md")
            path.write_text(path.read_text("utf-8") + more, "utf-8")
        return await found(rig, order)

    with bench.session(folder, edited) as rig:
        await run_graph(rig.context)
        assert len(rig.orders) == 61


async def test_an_error_in_one_worker_fails_that_task_alone(bench: Bench) -> None:
    """W2-4, S2-22: the task fails with a reason, its siblings go on."""

    async def one_breaks(rig: Rig, order: WorkOrder) -> WorkerResult:
        if order.task.text == "Bad":
            raise ZeroDivisionError("secret detail")
        return await found(rig, order)

    with bench.session(bench.run(a_config(), a_plan(["Good", "Bad", "Fine"])), one_breaks) as rig:
        last = await run_graph(rig.context)
        assert last.status is RunStatus.DONE
        assert last.reason == "1 of 3 tasks are not answered."
        assert rig.reason_of("Bad").endswith(".")
        assert "secret detail" not in rig.reason_of("Bad")
        assert [t.state for t in rig.context.plan.tasks()] == ["done", "failed", "done"]


async def test_a_dead_browser_is_replaced_once(bench: Bench) -> None:
    async def dies(rig: Rig, order: WorkOrder) -> WorkerResult:
        tries = sum(1 for o in rig.orders if o.worker == order.worker)
        if order.task.text == "Never" or tries == 1:
            raise BrowserFailed("The browser was closed.")
        return await found(rig, order)

    with bench.session(bench.run(a_config(), a_plan(["Twice", "Never"])), dies) as rig:
        await run_graph(rig.context)
        assert sorted(o.task.text for o in rig.orders) == ["Never", "Never", "Twice", "Twice"]
        assert [t.state for t in rig.context.plan.tasks()] == ["done", "failed"]
        assert rig.reason_of("Never") == "The browser was closed."


@pytest.mark.parametrize("raised", [True, False])
async def test_a_model_that_is_gone_ends_the_run_and_leaves_its_tasks_open(
    bench: Bench, raised: bool
) -> None:
    """safety 45: whether the worker raises it or reports it, also with several at once."""
    gone = ModelUnavailable("The model does not answer.")
    all_there = asyncio.Barrier(2)

    async def alone(rig: Rig, order: WorkOrder) -> WorkerResult:
        if order.task.text == "Before":
            return await found(rig, order)
        await all_there.wait()
        if raised:
            raise gone
        return WorkerResult(error=str(gone), fatal=gone)

    folder = bench.run(a_config(), a_plan(["Before"], ["One", "Two"], ["Later"]))
    with bench.session(folder, alone) as rig:
        with pytest.raises(ModelUnavailable):
            await run_graph(rig.context)
        assert [t.state for t in rig.context.plan.tasks()] == ["done", "open", "open", "open"]
    with bench.session(folder) as rig:
        assert (await run_graph(rig.context)).status is RunStatus.DONE
        assert [o.task.text for o in rig.orders] == ["One", "Two", "Later"]
        assert [o.attempt for o in rig.orders] == [2, 2, 1]


async def test_a_run_halts_after_its_plan_and_is_never_planned_again(bench: Bench) -> None:
    """safety 36: an edit made while it halts is honoured, a resume does not plan."""
    model = Restless()
    folder = bench.run(a_config(plan_first=True))
    with bench.session(folder, model=model) as rig:
        last = await run_graph(rig.context)
        assert last.status is RunStatus.PLANNED
        assert rig.orders == []
        rig.session.end(last)
    path = folder.file("research_plan.md")
    path.write_text(path.read_text("utf-8").replace("How deep is it", "How old is it"), "utf-8")
    with bench.session(folder, model=model) as rig:
        assert (await run_graph(rig.context)).status is RunStatus.DONE
        assert [o.task.text for o in rig.orders] == ["How long is it", "How old is it"]
    assert model.plans == 1


async def test_a_given_plan_can_be_looked_at_first_too(bench: Bench) -> None:
    """``--plan FILE --plan-first`` halts once, without a model call."""
    model = Restless()
    folder = bench.run(a_config(plan_first=True), a_plan(["One"]))
    with bench.session(folder, model=model) as rig:
        last = await run_graph(rig.context)
        assert last.status is RunStatus.PLANNED
        rig.session.end(last)
    with bench.session(folder, model=model) as rig:
        assert (await run_graph(rig.context)).status is RunStatus.DONE
    assert model.plans == 0


async def test_a_plan_that_was_emptied_by_hand_is_not_made_again(bench: Bench) -> None:
    """safety 36, 38: a plan file without a task is put aside, never planned over."""
    model = Restless()
    folder = bench.run(a_config(), a_plan(["One"]))
    folder.file("research_plan.md").write_text("nothing to see\n", "utf-8")
    with bench.session(folder, model=model) as rig:
        await run_graph(rig.context)
        assert [o.task.text for o in rig.orders] == ["One"]
    assert model.plans == 0


@pytest.mark.parametrize("loops", [0, 1, 2])
async def test_gaps_are_looked_for_so_often_and_no_more(bench: Bench, loops: int) -> None:
    """The number of loops is the run's, resumes included."""
    model = Restless()
    folder = bench.run(a_config(max_research_loops=loops), a_plan(["One"]))
    for _ in range(3):
        with bench.session(folder, model=model) as rig:
            await run_graph(rig.context)
    assert model.reflections == loops
    assert sum(1 for t in (folder.plan() or a_plan()).tasks()) == 1 + loops


async def test_later_stages_hear_what_earlier_ones_found(bench: Bench) -> None:
    folder = bench.run(a_config(), a_plan(["One", "Two"], ["Three"]))
    with bench.session(folder) as rig:
        await run_graph(rig.context)
        background = {o.task.text: o.background for o in rig.orders}
    assert background["One"] == ""
    assert "One: the measured value is" in background["Three"]
    assert "Two: the measured value is" in background["Three"]


async def test_the_tasks_of_a_stage_run_side_by_side_and_stages_do_not(bench: Bench) -> None:
    """W2-9, S3-26: as many at a time as there are browsers; the surplus waits, none is dropped."""
    together = asyncio.Barrier(3)
    live: set[str] = set()
    peak = 0

    async def meets(rig: Rig, order: WorkOrder) -> WorkerResult:
        nonlocal peak
        live.add(order.task.text)
        peak = max(peak, len(live))
        if order.task.text != "Last":
            async with asyncio.timeout(10):
                await together.wait()
        else:
            assert live == {"Last"}
        result = await found(rig, order)
        live.discard(order.task.text)
        return result

    stage = [f"Task {n}" for n in range(6)]
    folder = bench.run(a_config(max_parallel_browsers=3), a_plan(stage, ["Last"]))
    with bench.session(folder, meets) as rig:
        await run_graph(rig.context)
        assert len(rig.orders) == 7
    assert peak == 3


async def test_every_query_of_a_task_is_a_worker(bench: Bench) -> None:
    """S2-29, W2-9: with one browser both queries run, and the task is done by either."""

    async def second_finds(rig: Rig, order: WorkOrder) -> WorkerResult:
        act = found if order.query == "second way" else nothing
        return await act(rig, order)

    plan = a_plan(["One"])
    task = next(plan.tasks()).model_copy(update={"queries": ("first way", "second way", "third")})
    category = plan.categories[0].model_copy(update={"tasks": (task,)})
    folder = bench.run(
        a_config(max_parallel_browsers=1, queries_per_task=2),
        plan.model_copy(update={"categories": (category,)}),
    )
    with bench.session(folder, second_finds) as rig:
        await run_graph(rig.context)
        assert [o.query for o in rig.orders] == ["first way", "second way"]
        assert len({o.worker for o in rig.orders}) == 2
        assert [t.state for t in rig.context.plan.tasks()] == ["done"]


@pytest.mark.parametrize("again", [True, False])
async def test_failed_tasks_are_tried_again_when_asked_for(bench: Bench, again: bool) -> None:
    """W2-7."""
    folder = bench.run(a_config(), a_plan(["One", "Two"]))

    async def one_only(rig: Rig, order: WorkOrder) -> WorkerResult:
        act = found if order.task.text == "One" else nothing
        return await act(rig, order)

    with bench.session(folder, one_only) as rig:
        await run_graph(rig.context)
    if again:
        assert folder.reopen_failed() == 1
    with bench.session(folder) as rig:
        last = await run_graph(rig.context)
        assert [o.task.text for o in rig.orders] == (["Two"] if again else [])
        assert [o.attempt for o in rig.orders] == ([2] if again else [])
        assert last.reason == ("" if again else "1 of 2 tasks are not answered.")


async def test_nothing_found_is_empty_and_not_done(bench: Bench) -> None:
    """S2-36, W0-1, S3-33: an evidence file without a claim, and no call for a report."""
    with bench.session(bench.run(a_config(), a_plan(["One", "Two"])), nothing) as rig:
        last = await run_graph(rig.context)
        assert last.status is RunStatus.EMPTY
        assert rig.reason_of("One") == "No page says it."
        assert not rig.of("report.delta"), "nobody was asked to write"
    evidence = rig.folder.evidence()
    assert (evidence["claims"], evidence["run"]["topic"]) == ([], TOPIC)
    assert "(sources/" not in (rig.folder.report() or "")


async def test_text_of_a_page_cannot_break_the_report(bench: Bench) -> None:
    """W2-4, W2-5, W3-11: braces and "Error:" in a task and its finding are nothing but text."""
    text = "What does {} mean in {topic!r} %s, and Error: 403, credit expired"
    folder = bench.run(a_config(), a_plan([text]))
    with bench.session(folder) as rig:
        assert (await run_graph(rig.context)).status is RunStatus.DONE
    assert "Error:" in (folder.report() or "")


async def test_used_up_tokens_end_the_run_before_new_work(bench: Bench) -> None:
    """safety 45 and architecture 6: the limit is in code, what was found stays."""
    folder = bench.run(a_config(tokens=1000, max_parallel_browsers=1), a_plan(["One", "Two"]))
    with bench.session(folder) as rig:
        context = rig.context

        async def costly(rig: Rig, order: WorkOrder) -> WorkerResult:
            context.budget.spend(Usage(calls=1, input_tokens=1000))
            return await found(rig, order)

        rig.work = costly
        with pytest.raises(LimitReached) as reached:
            await run_graph(context)
        assert reached.value.limit == "tokens"
        assert [t.state for t in context.plan.tasks()] == ["done", "open"]


async def test_used_up_minutes_end_the_run(bench: Bench) -> None:
    folder = bench.run(a_config(minutes=1), a_plan(["One"], ["Two"]))
    now = 0.0

    async def slow(rig: Rig, order: WorkOrder) -> WorkerResult:
        nonlocal now
        now += 61
        return await found(rig, order)

    with bench.session(folder, slow, clock=lambda: now) as rig:
        with pytest.raises(LimitReached) as reached:
            await run_graph(rig.context)
        assert reached.value.limit == "minutes"
        assert len(rig.orders) == 1


# Edits in the middle


async def test_edits_count_from_the_next_task_on(bench: Bench) -> None:
    """safety 36: added, removed, reworded, ticked and moved tasks, while a stage is at work."""

    async def edits(rig: Rig, order: WorkOrder) -> WorkerResult:
        if order.task.text == "One":
            rig.edit("- [ ] Two\n", "")
            rig.edit("- [ ] Three", "- [ ] How wide the third basin is")
            rig.edit("- [ ] Four", "- [x] Four\n- [ ] Added here")
            rig.edit("- [ ] Five", "- [ ] Six\n- [ ] Five\nA note of mine")
        return await found(rig, order)

    folder = bench.run(
        a_config(max_parallel_browsers=1), a_plan(["One", "Two", "Three", "Four"], ["Five"])
    )
    with bench.session(folder, edits) as rig:
        await run_graph(rig.context)
        assert [o.task.text for o in rig.orders] == [
            "One",
            "How wide the third basin is",
            "Added here",
            "Six",
            "Five",
        ]
        by_text = {t.text: t for t in rig.session.view.tasks.values()}
        assert by_text["Four"].by_user
        assert by_text["Two"].attempts == 0
    assert "A note of mine" in folder.plan_text()


async def test_an_unticked_task_is_worked_on_again(bench: Bench) -> None:
    async def unticks(rig: Rig, order: WorkOrder) -> WorkerResult:
        if order.task.text == "Three" and order.attempt == 1:
            rig.edit("- [x] One", "- [ ] One")
        return await found(rig, order)

    folder = bench.run(a_config(max_parallel_browsers=1), a_plan(["One", "Two"], ["Three"]))
    with bench.session(folder, unticks) as rig:
        await run_graph(rig.context)
        assert [(o.task.text, o.attempt) for o in rig.orders] == [
            ("One", 1), ("Two", 1), ("Three", 1), ("One", 2),
        ]  # fmt: skip
    assert "- [x] One" in folder.plan_text()


async def test_the_topic_names_the_report(bench: Bench) -> None:
    folder = bench.run(a_config(), a_plan(["One"]))
    with bench.session(folder) as rig:
        await run_graph(rig.context)
    assert TOPIC in (folder.report() or "")
