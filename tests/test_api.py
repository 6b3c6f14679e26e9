"""``from leadline import research``."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from leadline import aresearch, research
from leadline.domain.config import ModelConfig, Provider
from leadline.domain.events import Entry, RunFinished, RunStarted, StatusChanged
from leadline.domain.run import RunStatus
from leadline.errors import InvalidPlan, InvalidSetting, InvalidTopic
from leadline.runs.store import RunStore


@pytest.mark.usefixtures("stand_in_runner")
def test_research_returns_report_sources_and_findings() -> None:
    events: list[Entry] = []
    result = research("How deep?", browsers=1, depth="quick", on_event=events.append)
    assert result.status is RunStatus.DONE
    assert result.report.startswith("# Depths")
    assert result.citations == 1
    assert [s.url for s in result.sources] == ["https://a.example/t1", "https://a.example/t2"]
    assert [f.claim for f in result.findings] == ["Nine fathoms.", "Nine fathoms."]
    assert result.folder == Path.cwd() / "tmp" / "deep_research" / result.task_id
    assert isinstance(events[0].event, RunStarted)
    assert isinstance(events[-1].event, RunFinished)
    assert [e.seq for e in events] == list(range(1, len(events) + 1))


@pytest.mark.usefixtures("stand_in_runner")
def test_root_model_plan_and_further_settings(tmp_path: Path) -> None:
    model = ModelConfig(provider=Provider.VLLM, name="m")
    result = research(
        "x", root=tmp_path / "r", model=model, plan="## A\n- [ ] one\n- [x] two", minutes=3
    )
    record = RunStore(tmp_path / "r").open(result.task_id).record()
    assert record.config.model == model
    assert record.config.limits.minutes == 3
    assert len(result.findings) == 2


def test_a_timeout_stops_the_run_and_returns_what_there_is(
    stand_in_runner: pytest.MonkeyPatch,
) -> None:
    stand_in_runner.setenv("STAND_IN_MODE", "wait")
    result = research("x", timeout=0.1)
    assert result.status is RunStatus.STOPPED
    assert result.report == ""


def test_an_interrupt_stops_the_run_and_is_raised_on(stand_in_runner: pytest.MonkeyPatch) -> None:
    stand_in_runner.setenv("STAND_IN_MODE", "wait")

    def interrupt(entry: Entry) -> None:
        if isinstance(entry.event, StatusChanged):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        research("x", on_event=interrupt)
    [row] = RunStore(Path("tmp/deep_research")).history()
    assert row.status is RunStatus.STOPPED


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"topic": " "}, InvalidTopic),
        ({"topic": "x", "browsers": 0}, InvalidSetting),
        ({"topic": "x", "nonsense": 1}, InvalidSetting),
        ({"topic": "x", "plan": "no tasks"}, InvalidPlan),
        ({"topic": "x", "model": "gpt-5", "provider": "nobody"}, InvalidSetting),
        ({"topic": "x", "model": "claude-1"}, InvalidSetting),  # its key is missing
    ],
)
def test_wrong_input_is_refused_before_anything_starts(
    arguments: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        research(**arguments)  # type: ignore[arg-type]  # wrong on purpose
    assert RunStore(Path("tmp/deep_research")).history() == []


@pytest.mark.usefixtures("stand_in_runner")
async def test_aresearch_leaves_the_loop_free() -> None:
    threads: set[int] = set()
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            beats += 1
            await asyncio.sleep(0.01)

    beating = asyncio.create_task(beat())
    result = await aresearch("x", on_event=lambda _: threads.add(threading.get_ident()))
    beating.cancel()
    assert result.status is RunStatus.DONE
    assert threads == {threading.get_ident()}
    assert beats > 10


async def test_cancelling_aresearch_stops_the_run(stand_in_runner: pytest.MonkeyPatch) -> None:
    stand_in_runner.setenv("STAND_IN_MODE", "wait")
    started = asyncio.Event()
    work = asyncio.create_task(aresearch("x", on_event=lambda _: started.set()))
    await started.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    [row] = RunStore(Path("tmp/deep_research")).history()
    assert row.status is RunStatus.STOPPED
