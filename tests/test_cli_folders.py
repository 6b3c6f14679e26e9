"""The commands about runs that are there: looking, naming a run, damage, opening, deleting."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from leadline import cli_folders
from leadline.domain.config import RunConfig
from leadline.domain.run import RunStatus
from leadline.runs.session import RunSession
from leadline.runs.store import RunStore
from tests.cli_calls import Run

BINARY = b"\xff\xfe\x00\x80" * 50


def one_run() -> str:
    [row] = RunStore(Path("tmp/deep_research")).history()
    return row.task_id


@pytest.mark.usefixtures("stand_in_runner")
def test_list_cuts_no_id(leadline: Run) -> None:
    leadline("run", "How many passengers does the tidal ferry of Quorrow carry in a year?")
    assert one_run() in leadline("list").out.split()


@pytest.mark.usefixtures("stand_in_runner")
def test_list_and_show(leadline: Run) -> None:
    assert "There are no runs yet" in leadline("list").out
    leadline("run", "How deep?")
    listed = leadline("list")
    assert one_run() in listed.out
    assert "2/2" in listed.out
    [row] = leadline("list", "--json").json["runs"]
    assert (row["task_id"], row["status"], row["sources"]) == (one_run(), "done", 2)
    shown = leadline("show", one_run())
    assert "[x] How old" in shown.out
    assert "2 sources, 2 findings, 1 citations" in shown.out
    assert leadline("show", one_run(), "--json").json["topic"] == "How deep?"


@pytest.mark.usefixtures("stand_in_runner")
def test_export(leadline: Run) -> None:
    leadline("run", "How deep?")
    assert leadline("export", one_run()).out == "# Depths\n\nNine fathoms. [1]\n"
    assert leadline("export", one_run(), "--format", "html", "-o", "report.html").code == 0
    assert "Nine fathoms" in Path("report.html").read_text(encoding="utf-8")
    refused = leadline("export", one_run(), "--format", "docx")
    assert (refused.code, refused.out) == (2, "")


# Which run is meant


@pytest.fixture
def three_runs() -> RunStore:
    """Made on three days; the newest is not the last by name."""
    for day, task_id in ((3, "20260103-boats-aaaa"), (2, "20260103-boats-bbbb"), (1, "ferry-1")):
        clock = datetime(2026, 1, day, tzinfo=UTC)
        store = RunStore(Path("tmp/deep_research"), clock=lambda clock=clock: clock)
        store.create(f"About {task_id}", RunConfig(), task_id=task_id)
    return RunStore(Path("tmp/deep_research"))


@pytest.mark.parametrize(
    ("named", "topic"),
    [
        ("20260103-boats-aaaa", "About 20260103-boats-aaaa"),
        ("20260103-boats-b", "About 20260103-boats-bbbb"),
        ("ferr", "About ferry-1"),
        ("last", "About 20260103-boats-aaaa"),
    ],
)
@pytest.mark.usefixtures("three_runs")
def test_a_run_is_named_by_id_beginning_or_last(leadline: Run, named: str, topic: str) -> None:
    assert leadline("show", named, "--json").json["topic"] == topic


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("2026", "could be 20260103-boats-aaaa, 20260103-boats-bbbb; type more"),
        ("fer", "no run 'fer' here; the beginning of an id has 4"),
        ("boat", "no run 'boat' here"),
        ("../ferry-1", "not the id of a run"),
        ("fer*", "not the id of a run"),
    ],
)
@pytest.mark.parametrize("command", ["show", "stop", "resume", "export", "open", "delete"])
def test_what_names_no_run_is_refused(
    leadline: Run, three_runs: RunStore, command: str, named: str, words: str
) -> None:
    """Safety 11: what is typed matches the pattern, and never means a run by accident."""
    done = leadline(command, named)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert len(three_runs.history()) == 3


def test_an_exact_id_is_no_beginning(leadline: Run, three_runs: RunStore) -> None:
    three_runs.create("short", RunConfig(), task_id="ferry")
    three_runs.create("odd", RunConfig(), task_id="last")
    assert leadline("show", "ferry", "--json").json["topic"] == "short"
    assert leadline("show", "last", "--json").json["topic"] == "odd"


def test_there_is_no_last_run_yet(leadline: Run) -> None:
    done = leadline("show", "last")
    assert (done.code, done.err) == (2, "There is no run yet.\n")


@pytest.mark.usefixtures("stand_in_runner")
def test_the_beginning_of_an_id_gives_a_plan(leadline: Run) -> None:
    first = leadline("run", "How deep?", "--json").json["task_id"]
    again = leadline("run", "--plan", first[:-2], "--json")
    assert (again.code, again.json["status"]) == (0, "done")


# Damage: one sentence that names the file, nothing overwritten

FILES = (
    "run.json", "audit.jsonl", "research_plan.md", "report.md", "sources.json", "sources",
    "sources/1.md", "screens", "control", "control/owner.lock", "control/owner.json",
    "control/ticket.json", "control/plan.lock", "control/stop", "control/runner.log",
)  # fmt: skip
FOLDERS = {"sources", "screens", "control"}
NEEDED = {
    "list": set(),
    "show": {"run.json", "audit.jsonl", "research_plan.md", "report.md"},
    "export": {"run.json", "audit.jsonl", "report.md", "sources", "sources/1.md"},
    "stop": {"run.json"},
    "resume": {*FILES} - {"sources/1.md"},
}
"""What a command cannot do without. A binary plan is a plan without tasks; binary notes of
``control/`` are none, and a binary report is shown as the text that is left of it."""
HARMLESS_WHEN_BINARY = {"research_plan.md", "report.md", "sources.json"} | {
    name for name in FILES if name.startswith("control/")
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs with one that found something, made once."""
    from tests.runs.helpers import PLAN, add_page

    root = tmp_path_factory.mktemp("finished")
    folder = RunStore(root).create("How deep?", RunConfig(), plan=PLAN, task_id="the-run")
    with RunSession.acquire(folder) as session:
        add_page(session, ["It is nine fathoms deep."])
        session.write_report(
            "# Depths\n\nNine. [\\[1\\]](sources/1.md#p1)\n", citations=1, resolved=1, sources=1
        )
        session.set_status(RunStatus.STOPPED, "enough")
    return root


def put(path: Path, damage: str) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    if damage == "directory":
        path.mkdir()
        (path / "inner").write_text("mine", encoding="utf-8")
    elif damage == "symlink":
        path.symlink_to("/nowhere/at/all")
    else:
        path.write_bytes(BINARY)
        if damage == "unreadable":
            path.chmod(0)


def is_kept(path: Path, damage: str) -> bool:
    if damage == "directory":
        return (path / "inner").read_text(encoding="utf-8") == "mine"
    if damage == "symlink":
        return path.is_symlink()
    if damage == "unreadable":
        path.chmod(0o600)
    return path.read_bytes() == BINARY


@pytest.mark.parametrize("damage", ["directory", "symlink", "binary", "unreadable"])
@pytest.mark.parametrize("name", FILES)
def test_damage_is_named_and_left_alone(
    leadline: Run,
    finished: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    damage: str,
) -> None:
    """Safety 38."""
    if damage == "directory" and name in FOLDERS:
        return  # it is one
    if damage == "unreadable" and os.access("/", os.W_OK):
        pytest.skip("whoever may do everything can read every file")
    started: list[str] = []
    monkeypatch.setattr(
        "leadline.runs.supervisor.Supervisor._spawn", lambda _, folder: started.append(folder)
    )
    for command, needed in NEEDED.items():
        root = tmp_path / command
        shutil.copytree(finished, root)
        path = root / "the-run" / name
        put(path, damage)
        named = [] if command == "list" else ["the-run"]
        if command == "resume" and (
            name not in needed or (damage == "binary" and name in HARMLESS_WHEN_BINARY)
        ):
            continue  # it starts, which is not looked at here
        done = leadline(command, *named, "--root", str(root))
        said = f"{command} said: {done.err or done.out}"
        assert "unexpected" not in done.err, said
        assert is_kept(path, damage), said
        if command == "list":
            assert "the-run" in done.out, said
            assert (f"the-run/{name} " in done.out) == (name == "run.json"), said
        elif name not in needed or (damage == "binary" and name in HARMLESS_WHEN_BINARY):
            assert done.code == 0, said
        else:
            assert done.code == 1, said
            assert done.err.count("\n") == 1, said
            assert name in done.err, said
            assert done.out == "", said
    assert started == []


# Open and delete


@pytest.fixture
def other_server() -> Iterator[int]:
    """Something else than Leadline, on the port of the page."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def test_open_names_the_report_when_no_page_of_ours_is_served(
    leadline: Run, finished: Path, monkeypatch: pytest.MonkeyPatch, other_server: int
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(cli_folders.webbrowser, "open", opened.append)
    monkeypatch.setenv("LEADLINE_PORT", str(other_server))
    done = leadline("open", "last", "--root", str(finished), "--json")
    report = str(finished / "the-run" / "report.md")
    assert done.json == {"task_id": "the-run", "open": report}
    assert leadline("open", "last", "--root", str(finished)).out == f"{report}\n"
    assert opened == []  # this is no terminal


def test_open_without_a_report_says_so(
    leadline: Run,
    three_runs: RunStore,
    other_server: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LEADLINE_PORT", str(other_server))
    done = leadline("open", three_runs.history()[0].task_id)
    assert (done.code, "has no report yet: it is queued" in done.err) == (2, True)


def test_delete(leadline: Run, three_runs: RunStore) -> None:
    asked = leadline("delete", "ferr")
    assert (asked.code, "add --yes" in asked.err) == (2, True)
    assert leadline("delete", "ferr", "--yes").out == "Deleted ferry-1.\n"
    done = leadline("delete", "last", "-y", "--json")
    assert done.json == {"task_id": "20260103-boats-aaaa", "deleted": True}
    assert [row.task_id for row in three_runs.history()] == ["20260103-boats-bbbb"]


def test_a_run_at_work_is_not_deleted(leadline: Run, three_runs: RunStore) -> None:
    with RunSession.acquire(three_runs.open("ferry-1")):
        done = leadline("delete", "ferry-1", "--yes")
    assert (done.code, "at work in process" in done.err) == (1, True)
    assert len(three_runs.history()) == 3


def test_a_damaged_run_can_be_deleted(leadline: Run, three_runs: RunStore) -> None:
    (three_runs.root / "ferry-1" / "run.json").write_bytes(BINARY)
    assert leadline("delete", "ferry-1", "--yes").code == 0
