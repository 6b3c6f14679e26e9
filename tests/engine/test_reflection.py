"""Gaps become tasks, never twice, never too often, and a reflection that fails is a notice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from leadline.browsing.worker import WorkerResult
from leadline.domain.config import Profile
from leadline.domain.evidence import PageContent, Passage, PassageRef
from leadline.domain.gaps import GapKind
from leadline.domain.limits import PRESETS, Depth
from leadline.domain.plan import Category, Plan, Task
from leadline.domain.run import RunStatus
from leadline.engine.context import WorkOrder
from leadline.engine.graph import run_graph
from leadline.engine.reflection import with_claims
from leadline.errors import LimitReached, ModelAnswerInvalid, ModelRejected, ModelUnavailable
from leadline.models.offline import OfflineModel
from leadline.models.reflect_request import NewTask, ReflectAnswer, ReflectRequest
from tests.engine.rig import Bench, Rig, a_config, a_plan, found

TWO = (
    "The ferry carried 412,000 passengers in 2025.",
    "The audit counts 389,000 passengers on the ferry in 2025.",
)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "runs")


class Thinker(OfflineModel):
    """Answers every reflection with the same tasks, or by raising; keeps what it was asked."""

    def __init__(self, *texts: str, error: Exception | None = None) -> None:
        super().__init__()
        self.texts, self.error = texts, error
        self.requests: list[ReflectRequest] = []

    async def ask(self, request: Any) -> Any:
        if not isinstance(request, ReflectRequest):
            return await super().ask(request)
        self.requests.append(request)
        if self.error:
            raise self.error
        tasks = tuple(NewTask(text=t, category="Part 1", queries=(t,)) for t in self.texts)
        return ReflectAnswer(new_tasks=tasks)


async def contradicts(rig: Rig, order: WorkOrder) -> WorkerResult:
    """A worker whose two pages give two numbers for one thing; other tasks find nothing."""
    if order.task.text != "Passengers":
        return WorkerResult(missing="No page says it.")
    ids = []
    for number, text in enumerate(TWO, start=1):
        page = PageContent(
            f"https://site{number}.example/", (Passage(number=1, text=text),), date="2026-01-01"
        )
        source = rig.session.add(page, task=order.task.id)
        ref = PassageRef(source=source.id, passage=1)
        ids.append(rig.session.record(task=order.task.id, claim=text, passages=[ref]).id)
    return WorkerResult(answered=True, findings=tuple(ids), steps=1)


async def test_the_gaps_that_code_finds_go_to_the_model(bench: Bench) -> None:
    model = Thinker()
    folder = bench.run(a_config(max_research_loops=1), a_plan(["Passengers", "Owner"]))
    with bench.session(folder, contradicts, model=model) as rig:
        assert (await run_graph(rig.context)).status is RunStatus.DONE
    (request,) = model.requests
    by_kind = {gap.kind: gap for gap in request.gaps}
    assert by_kind[GapKind.CONTRADICTION].about == TWO
    assert by_kind[GapKind.FAILED].about == ("Owner",)
    assert "Only 2 findings" in by_kind[GapKind.VIEW].detail
    shown = "".join(message.text for message in request.render())
    assert TWO[1] in shown
    assert "No page says it." in shown


async def test_claims_are_merged_in_memory_and_the_log_is_left_as_it_is(bench: Bench) -> None:
    folder = bench.run(a_config(), a_plan(["One"]))
    with bench.session(folder) as rig:
        await found(rig, WorkOrder("w", next(rig.context.sync_plan().tasks()), "q", 1, "en", ""))
        before = len(rig.log)
        assert set(with_claims(rig.session).claims) == {"c1"}
        assert not rig.session.view.claims
        assert len(rig.log) == before


async def test_the_offline_model_follows_a_contradiction_up_where_it_belongs(bench: Bench) -> None:
    folder = bench.run(a_config(max_research_loops=1), a_plan(["Passengers"], ["Owner"]))
    with bench.session(folder, contradicts) as rig:
        await run_graph(rig.context)
        plan = rig.context.plan
        first, second = plan.categories
        assert first.tasks[1].text.startswith("Which is right: The ferry carried 412,000")
        assert first.tasks[1].queries == ("ferry carried passengers 2025",)
        assert second.tasks[1].text == "In other words: Owner"
        assert len(list(plan.tasks())) == 4


async def test_no_question_is_asked_twice_over_all_rounds(bench: Bench) -> None:
    model = Thinker("How long is the quay", "The length of the quay", "Depth")
    folder = bench.run(a_config(max_research_loops=3), a_plan(["Depth of the harbour"]))
    with bench.session(folder, model=model) as rig:
        await run_graph(rig.context)
        asked = [order.task.text for order in rig.orders]
    assert len(asked) == len(set(asked))
    assert asked[0] == "Depth of the harbour"
    assert "How long is the quay" in asked
    assert len(model.requests) == 2, "the second round brought nothing new, so there is no third"


async def test_what_a_person_deleted_is_not_asked_again(bench: Bench) -> None:
    async def deletes(rig: Rig, order: WorkOrder) -> WorkerResult:
        if order.task.text == "One":
            rig.edit("- [ ] How deep is the harbour\n", "")
        return await found(rig, order)

    model = Thinker("How deep is the harbour", "The harbour: is it deep")
    config = a_config(max_research_loops=2, max_parallel_browsers=1)
    folder = bench.run(config, a_plan(["One", "How deep is the harbour"]))
    with bench.session(folder, deletes, model=model) as rig:
        await run_graph(rig.context)
        texts = [order.task.text for order in rig.orders]
    assert texts == ["One"]


@pytest.mark.parametrize(
    "error",
    [
        ModelAnswerInvalid("Nothing readable."),
        ModelUnavailable("The model does not answer."),
        ModelRejected("The key is not accepted."),
        LimitReached("The run used its 1000 tokens.", limit="tokens"),
    ],
)
async def test_a_reflection_that_fails_is_a_notice_and_the_report_is_written(
    bench: Bench, error: Exception
) -> None:
    folder = bench.run(a_config(max_research_loops=2), a_plan(["One"]))
    with bench.session(folder, model=Thinker(error=error)) as rig:
        assert (await run_graph(rig.context)).status is RunStatus.DONE
        (notice,) = rig.of("notice")
        assert "gaps could not be reviewed" in notice.event.message  # type: ignore[union-attr]
    assert folder.report()


async def test_s3_31_follow_ups_of_views_keep_the_subject(bench: Bench) -> None:
    view = Category(
        name="Part 1",
        notes=("> Role: Engineer",),
        tasks=(Task(text="The harbour of Quorrow: depth"),),
    )
    config = a_config(max_research_loops=1).model_copy(update={"profile": Profile.PERSPECTIVES})
    with bench.session(
        bench.run(config, Plan(categories=(view,))), model=Thinker("What do cars cost?")
    ) as rig:
        await run_graph(rig.context)
        (category,) = rig.context.plan.categories
    assert category.tasks[1].text == "The harbour of Quorrow: What do cars cost?"
    assert category.notes == view.notes


def test_w0_2_the_depth_says_how_many_rounds() -> None:
    """Waves up to the configured number: Quick 0, Standard 1, Deep 3."""
    assert [PRESETS[depth].max_research_loops for depth in Depth] == [0, 1, 3]
