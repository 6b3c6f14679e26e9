"""``leadline bench``: numbers that mean what they say."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline import cli
from leadline.bench import ideal_schedule


def test_the_ideal_schedule_packs_each_stage() -> None:
    stages = [[3.0, 3.0, 2.0], [4.0]]
    assert ideal_schedule(stages, 1) == 12
    assert ideal_schedule(stages, 2) == 9
    assert ideal_schedule(stages, 4) == 7
    assert ideal_schedule([], 2) == 0


@given(st.lists(st.lists(st.floats(0.1, 100), min_size=1, max_size=6), max_size=4))
def test_more_browsers_are_never_slower_and_one_is_the_sum(stages: list[list[float]]) -> None:
    assert ideal_schedule(stages, 1) == pytest.approx(sum(map(sum, stages)))
    longest = sum(max(stage) for stage in stages)
    assert ideal_schedule(stages, 16) == pytest.approx(longest)


@pytest.mark.usefixtures("stand_in_runner")
def test_each_number_of_browsers_is_a_column(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["bench", "-b", "1,2", "-o", "page.md", "--json", "--note", "A pretended engine."]
    monkeypatch.setattr(sys, "argv", ["leadline", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [run["browsers"] for run in runs] == [1, 2]
    assert [run["status"] for run in runs] == ["done", "done"]
    assert all(run["tasks"] == 2 and run["model_calls"] == 1 for run in runs)
    assert all(0 < run["first_event"] < 30 for run in runs)
    page = Path("page.md").read_text(encoding="utf-8")
    assert "| | N = 1 | N = 2 |" in page
    assert "| how it ended | done | done |" in page
    assert "A pretended engine." in page


def test_a_number_that_is_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["leadline", "bench", "-b", "1,many"])
    monkeypatch.setattr("leadline.bench.measure", lambda *_, **__: pytest.fail("nothing to do"))
    with pytest.raises((SystemExit, pytest.fail.Exception)) as ended:
        cli.main()
    assert isinstance(ended.value, SystemExit)
    assert ended.value.code == 2
    assert "max_parallel_browsers" in capsys.readouterr().err
