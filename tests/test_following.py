"""Where a plan to start from may come from, and what is said when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.domain.config import RunConfig
from leadline.errors import InvalidPlan, LeadlineError, UnknownRun, UserError
from leadline.following import Launcher, StopRequest, plan_from
from leadline.runs.store import RunStore
from leadline.settings import Settings

WEBUI = "## 1. 1. Boats\n\n  - [x] How long\n\n## 2. 2. Seas\n\n  - [ ] How deep\n"


@pytest.fixture
def store(runs_root: Path) -> RunStore:
    return RunStore(runs_root)


def folder_with(path: Path, text: str = WEBUI) -> Path:
    path.mkdir()
    (path / "research_plan.md").write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("how", ["file", "folder", "id"])
def test_a_plan_comes_from_a_file_a_folder_or_an_id(store: RunStore, how: str) -> None:
    """S2-23, W2-7: web-ui's plan, wherever it is."""
    if how == "id":
        named = folder_with(store.root / "5f0a-web-ui").name
    else:
        folder = folder_with(Path("theirs"))
        named = str(folder if how == "folder" else folder / "research_plan.md")
    plan, topic = plan_from(store, named)
    assert [category.name for category in plan.categories] == ["Boats", "Seas"]
    assert topic == "Boats, Seas"


def test_an_id_of_a_run_comes_before_a_folder_of_that_name(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the folder of all runs an id is also a path; the run knows its topic."""
    plan, _ = plan_from(store, folder_with(store.root / "webui").name)
    folder = store.create("The real topic", RunConfig(), plan=plan)
    monkeypatch.chdir(store.root)
    assert plan_from(store, folder.task_id)[1] == "The real topic"


@pytest.mark.parametrize(
    ("named", "error", "words"),
    [
        ("missing.md", UserError, "no plan file"),
        ("no-such-run", UnknownRun, "no-such-run"),
        (".", UserError, "is a folder without a plan"),
        ("../escaped", UserError, "no plan file"),
        ("a" * 5000, LeadlineError, "a"),
        ("a/" * 3000 + "plan.md", UserError, "cannot be read"),
        ("\0.md", UserError, "no plan file"),
        ("", UserError, "is a folder without a plan"),
        ("words.md", InvalidPlan, "has no task"),
        ("huge.md", InvalidPlan, "longer than 300 KB"),
    ],
)
def test_there_is_no_plan(store: RunStore, named: str, error: type, words: str) -> None:
    Path("words.md").write_text("nothing to do", encoding="utf-8")
    Path("huge.md").write_text("- [ ] x\n" * 200_000, encoding="utf-8")
    with pytest.raises(error, match=words) as raised:
        plan_from(store, named)
    assert len(str(raised.value)) < 400
    assert list(store.root.iterdir()) == []


def test_a_run_that_could_not_even_begin_is_not_waited_for(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process ended, and the folder takes no word about it."""
    launcher = Launcher(Settings(), store.root)
    folder = store.create("x", RunConfig())
    monkeypatch.setattr("leadline.runs.supervisor.sys.executable", "false")
    monkeypatch.setattr("leadline.runs.supervisor._mark", _no_room)
    launcher.supervisor.start(folder.task_id)
    with pytest.raises(LeadlineError, match=r"could not begin; .*runner\.log has the details"):
        launcher.follow(folder, watch=lambda *_: None, stop=StopRequest())


def _no_room(*_: object) -> bool:
    raise LeadlineError("The disk is full.")
