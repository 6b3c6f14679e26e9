"""What the terminal says of a run."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
from rich.console import Console

from leadline.cli_output import LiveProgress, PlainProgress
from leadline.domain.config import RunConfig
from leadline.domain.events import Entry, Notice, PlanWritten
from leadline.domain.plan import Category, Plan, Task
from leadline.domain.projection import RunView
from leadline.domain.run import RunRecord

NOW = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize("kind", [PlainProgress, LiveProgress])
def test_an_edit_of_the_plan_is_said_once(kind: type[PlainProgress] | type[LiveProgress]) -> None:
    plan = Plan(categories=(Category(name="A", tasks=(Task(id="t1", text="How deep"),)),))
    console = Console(
        file=io.StringIO(), force_terminal=kind is LiveProgress, width=100, color_system=None
    )
    progress = kind(console)
    view = RunView()
    entries = [
        Entry(seq=1, ts=NOW, event=PlanWritten(plan=plan, origin="user")),
        Entry(seq=2, ts=NOW, event=Notice(message="Bing is given a rest.")),
    ]
    for entry in entries:
        view.apply(entry)
    record = RunRecord(task_id="x", topic="x", created_at=NOW, config=RunConfig())
    progress.show(record, view, entries)
    progress.show(record, view, [])
    progress.close()
    said = console.file.getvalue()  # type: ignore[attr-defined]  # it is a StringIO
    assert said.count("Your changes to the plan were taken over.") == 1
    assert said.count("Bing is given a rest.") == 1
