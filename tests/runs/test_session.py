from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from leadline.domain import events as ev
from leadline.domain.config import RunConfig
from leadline.domain.evidence import PassageRef, page_state
from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.domain.run import RunStatus, Usage
from leadline.errors import LeadlineError, RunBusy, RunFolderDamaged
from leadline.runs import atomic
from leadline.runs.folder import RunFolder
from leadline.runs.session import RunSession
from leadline.runs.store import RunStore
from tests.runs.helpers import PLAN, add_page


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunStore(tmp_path / "runs").create("Fast ferries", RunConfig())


def started(folder: RunFolder) -> RunSession:
    session = RunSession.acquire(folder)
    session.emit(ev.RunStarted(session=session.number, pid=1, model="offline"))
    return session


def planned(folder: RunFolder) -> RunSession:
    session = started(folder)
    session.write_plan(PLAN, "model")
    return session


def edit(folder: RunFolder, old: str, new: str) -> None:
    text = folder.plan_text()
    assert old in text
    folder.file("research_plan.md").write_bytes(text.replace(old, new).encode())


def boxes(folder: RunFolder) -> dict[str, str]:
    plan = folder.plan()
    assert plan is not None
    return {task.text: task.state.value for task in plan.tasks()}


def kinds(folder: RunFolder) -> list[str]:
    return [entry.event.type for entry in folder.read_events()[0]]


def test_a_run_as_seen_from_outside(folder: RunFolder) -> None:
    """The reader's view has plan, sources, findings, counts and usage of the owner's session."""
    with planned(folder) as session:
        session.set_status(RunStatus.RESEARCHING)
        session.emit(ev.TaskStarted(attempt=1, text="Who built it", queries=("q",)), task="t1")
        add_page(session, ["It was built by Ada.", "In 1850."])
        finding = session.record(
            task="t1", claim="Ada built it.", passages=[PassageRef(source=1, passage=1)]
        )
        usage = Usage(calls=1, input_tokens=10, output_tokens=5)
        session.emit(ev.ModelCalled(role="plan", usage=usage, seconds=1, ok=True))
        assert folder.status() is RunStatus.RESEARCHING
        assert folder.view().tasks["t1"].running
        session.finish_task("t1", 1, TaskState.DONE, summary="Ada", findings=[finding.id])
        session.write_report("# Report\n", citations=1, resolved=1, sources=1)
        session.end(ev.RunFinished(status=RunStatus.DONE))
    view = folder.view()
    assert view.status is RunStatus.DONE
    assert view.tasks["t1"].findings == ("f1",)
    assert not view.tasks["t1"].running
    assert view.findings["f1"].quotes == ("It was built by Ada.",)
    assert boxes(folder)["Who built it"] == "done"
    assert folder.report() == "# Report\n"
    record = folder.record()
    assert (record.tasks_done, record.tasks_open, record.sources) == (1, 2, 1)
    assert record.usage.tokens == 15
    assert record.ended_at is not None
    info = json.loads(folder.file("search_info.json").read_text("utf-8"))
    assert info["tasks"][0]["pages"][0]["url"] == "https://a.example/x"
    evidence = json.loads(folder.file("evidence.json").read_text("utf-8"))
    assert evidence["findings"][0]["passages"][0]["quote"] == "It was built by Ada."
    assert json.loads(folder.file("sources.json").read_text("utf-8"))[0]["id"] == 1


def test_the_result_is_logged_before_its_box_is_ticked(folder: RunFolder) -> None:
    """safety 35, W2-15: task.finished stands before the plan that shows its tick."""
    with planned(folder) as session:
        session.finish_task("t1", 1, TaskState.DONE, findings=[])
    entries = folder.read_events()[0]
    finished = next(e.seq for e in entries if isinstance(e.event, ev.TaskFinished))
    ticked = next(
        e.seq
        for e in entries
        if isinstance(e.event, ev.PlanWritten)
        and any(t.state is TaskState.DONE for t in e.event.plan.tasks())
    )
    assert finished < ticked


def test_a_crash_between_result_and_tick_is_repaired(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """safety 35: the finished task stays finished and gets its tick at the next session."""
    session = planned(folder)
    monkeypatch.setattr(session, "_write_boxes", lambda: None)
    session.finish_task("t1", 1, TaskState.DONE)
    session.close()
    assert boxes(folder)["Who built it"] == "open"
    with started(folder) as again:
        assert again.view.tasks["t1"].state is TaskState.DONE
        assert again.take_plan_edits() is None
    assert boxes(folder)["Who built it"] == "done"


def test_a_crash_between_plan_file_and_its_event_changes_nothing(folder: RunFolder) -> None:
    """safety 36: a plan that was written but not logged is adopted, not made again."""
    session = started(folder)
    session._plan_file.write(PLAN.numbered())
    session.close()
    with started(folder) as again:
        assert again.view.plan is not None
        assert [t.text for t in again.view.plan.tasks()] == [t.text for t in PLAN.tasks()]


def test_edits_of_the_plan_are_taken_up(folder: RunFolder) -> None:
    """safety 36: added, removed, reworded, ticked tasks, in the middle of a run."""
    with planned(folder) as session:
        assert session.take_plan_edits() is None
        edit(folder, "- [ ] Who built it", "- [x] Who built it")
        edit(folder, "- [ ] When it sailed", "- [ ] When it first sailed\n  - [ ] Why it sank")
        changed = session.take_plan_edits()
        assert changed is not None
        assert (changed.ticked, changed.added, changed.reworded) == (("t1",), ("t4",), ("t2",))
        task = session.view.tasks["t1"]
        assert (task.state, task.by_user) == (TaskState.DONE, True)
        assert session.take_plan_edits() is None
        edit(folder, "- [x] Who built it", "- [ ] Who built it")
        changed = session.take_plan_edits()
        assert changed is not None
        assert changed.unticked == ("t1",)
        assert session.view.tasks["t1"].state is TaskState.OPEN
        edit(folder, "- [ ] Why it sank", "A note of mine")
        assert (removed := session.take_plan_edits()) is not None
        assert removed.removed == ("t4",)
        session.finish_task("t2", 1, TaskState.FAILED, reason="nothing")
    assert "A note of mine" in folder.plan_text()
    assert boxes(folder)["When it first sailed"] == "failed"


def test_progress_never_tramples_an_edit(folder: RunFolder) -> None:
    """An edit saved just before a box is set survives, and is still reported afterwards."""
    with planned(folder) as session:
        edit(folder, "- [ ] Where it lies", "- [ ] Where it lies\n- [ ] Who owns it\nMy note")
        session.finish_task("t1", 1, TaskState.DONE)
        assert boxes(folder) == {
            "Who built it": "done",
            "When it sailed": "open",
            "Where it lies": "open",
            "Who owns it": "open",
        }
        assert "My note" in folder.plan_text()
        changed = session.take_plan_edits()
        assert changed is not None
        assert changed.added == ("t4",)
        assert session.view.tasks["t1"].state is TaskState.DONE


def test_a_box_not_ticked_yet_is_no_wish_to_open_it(folder: RunFolder) -> None:
    """An edit that was made on the file from before a task's end does not reopen the task."""
    with planned(folder) as session:
        before = folder.plan_text()
        session.emit(ev.TaskFinished(attempt=1, state=TaskState.DONE), task="t1")
        folder.file("research_plan.md").write_text(before + "\n- [ ] More\n", "utf-8")
        assert session.take_plan_edits() is not None
        assert session.view.tasks["t1"].state is TaskState.DONE
        assert boxes(folder)["Who built it"] == "done"
    with started(folder) as again:
        assert again.view.tasks["t1"].state is TaskState.DONE


def test_edits_between_two_sessions(folder: RunFolder) -> None:
    """W2-7: what was changed while nothing ran is honoured by the resume; ids stay."""
    with planned(folder) as session:
        session.finish_task("t1", 1, TaskState.DONE)
        session.end(ev.RunStopped())
    edit(folder, "- [ ] When it sailed", "- [ ] Its last voyage, in detail")
    edit(folder, "## 2. Now", "## 2. Today")
    with started(folder) as again:
        assert again.view.session == 2
        assert again.take_plan_edits() is not None
        plan = again.view.plan
        assert plan is not None
        assert [c.name for c in plan.categories] == ["Past", "Today"]
        task = plan.task("t3")
        assert task is not None
        assert task.queries == ("wreck place",)
        assert again.view.tasks["t1"].state is TaskState.DONE


def test_reflection_adds_to_an_edited_plan(folder: RunFolder) -> None:
    """Tasks the run adds get fresh ids; removed ones stay removed; done ones stay done."""
    with planned(folder) as session:
        stale = session.view.plan
        assert stale is not None
        session.finish_task("t1", 1, TaskState.DONE)
        edit(folder, "- [ ] When it sailed\n", "")
        more = Category(name="Now", tasks=(Task(text="Its cargo"),))
        proposed = stale.model_copy(update={"categories": (*stale.categories, more)})
        written = session.write_plan(proposed, "reflection")
        assert [(t.id, t.text) for t in written.tasks()] == [
            ("t1", "Who built it"),
            ("t3", "Where it lies"),
            ("t4", "Its cargo"),
        ]
        assert session.view.tasks["t1"].state is TaskState.DONE
    assert boxes(folder)["Who built it"] == "done"


def test_a_failed_task_can_be_opened_again(folder: RunFolder) -> None:
    with planned(folder) as session:
        session.finish_task("t1", 1, TaskState.FAILED, reason="blocked")
        assert session.view.plan is not None
        session.write_plan(session.view.plan.with_state("t1", TaskState.OPEN), "progress")
        assert session.view.tasks["t1"].state is TaskState.OPEN
    assert boxes(folder)["Who built it"] == "open"


def test_a_deleted_plan_file_comes_back(folder: RunFolder) -> None:
    with planned(folder) as session:
        folder.file("research_plan.md").unlink()
        assert session.take_plan_edits() is None
        assert "Who built it" in folder.plan_text()
        assert "research_plan.md" in session.view.notices[-1].message


def test_a_plan_of_any_bytes_is_read(folder: RunFolder) -> None:
    """safety 37."""
    with planned(folder) as session:
        path = folder.file("research_plan.md")
        path.write_bytes(path.read_bytes() + b"\n- [ ] caf\xe9 \xff\n")
        changed = session.take_plan_edits()
        assert changed is not None
        assert len(changed.added) == 1


@pytest.mark.parametrize("content", [b"", b" \n", b"\xff\xfe\x00garbage\x00", b"Nothing here"])
def test_a_plan_file_without_a_task_is_put_aside(folder: RunFolder, content: bytes) -> None:
    """safety 36, 38: damage is no wish to drop every task; what was in the file is kept."""
    with planned(folder) as session:
        session.finish_task("t1", 1, TaskState.DONE)
        folder.file("research_plan.md").write_bytes(content)
        session.finish_task("t2", 1, TaskState.DONE)
        assert session.take_plan_edits() is None
        assert "written again" in session.view.notices[-1].message
    assert boxes(folder) == {
        "Who built it": "done",
        "When it sailed": "done",
        "Where it lies": "open",
    }
    kept = [path.read_bytes() for path in folder.path.glob("research_plan.md.damaged-*")]
    assert kept == ([content] if content.strip() else [])


def test_a_huge_plan_file_is_put_aside(folder: RunFolder) -> None:
    with planned(folder) as session:
        path = folder.file("research_plan.md")
        path.write_bytes(b"- [ ] more\n" + b"x" * 1_000_001)
        assert session.take_plan_edits() is None
    assert "Who built it" in folder.plan_text()


def test_an_editor_that_writes_in_place_is_waited_for(folder: RunFolder) -> None:
    """safety 36: it empties the file before it fills it; no task is lost in between."""
    with planned(folder) as session:
        path = folder.file("research_plan.md")
        edited = path.read_text("utf-8") + "- [ ] Who owns it\n"
        with path.open("w", encoding="utf-8") as file:
            timer = threading.Timer(0.05, print, [edited], {"end": "", "file": file, "flush": True})
            timer.start()
            changed = session.take_plan_edits()
            timer.join()
        assert changed is not None
        assert (changed.added, changed.removed) == (("t4",), ())


def test_a_plan_saved_in_two_pieces_is_one_edit(folder: RunFolder) -> None:
    """safety 36: half of it is a plan already, and no wish to delete the rest."""
    with planned(folder) as session:
        path = folder.file("research_plan.md")
        edited = path.read_text("utf-8") + "- [ ] Who owns it\n"
        cut = edited.index("- [ ] When")
        with path.open("w", encoding="utf-8") as file:
            file.write(edited[:cut])
            file.flush()
            rest = (edited[cut:],)
            timer = threading.Timer(0.01, print, rest, {"end": "", "file": file, "flush": True})
            timer.start()
            changed = session.take_plan_edits()
            timer.join()
        assert changed is not None
        assert (changed.added, changed.removed) == (("t4",), ())
        assert session.take_plan_edits() is None
    entries, _ = folder.read_events()
    origins = [e.event.origin for e in entries if isinstance(e.event, ev.PlanWritten)]
    assert origins.count("user") == 1


def test_a_second_owner_is_refused_by_name(folder: RunFolder) -> None:
    """safety 39."""
    with started(folder):
        with pytest.raises(RunBusy, match=r"process \d+ on"):
            RunSession.acquire(folder)
        assert folder.owner() is not None
    assert folder.owner() is None
    RunSession.acquire(folder).close()


def test_one_last_event_and_nothing_after_it(folder: RunFolder) -> None:
    """W3-18"""
    with planned(folder) as session:
        session.end(ev.RunStopped(reason="by hand"))
        session.end(ev.RunFailed(reason="late"))
        session.emit(ev.BrowserClosed(pid=1, live=0))
        session.finish_task("t1", 1, TaskState.DONE)
    assert kinds(folder)[-1] == "run.stopped"
    assert (folder.status(), folder.record().reason) == (RunStatus.STOPPED, "by hand")


def test_an_error_ends_the_session_as_failed(folder: RunFolder) -> None:
    """W3-18"""
    with pytest.raises(ZeroDivisionError), planned(folder):
        _ = 1 / 0
    assert folder.status() is RunStatus.FAILED
    assert "ZeroDivisionError" in folder.record().reason
    assert folder.owner() is None


def test_a_killed_owner_leaves_an_interrupted_run(folder: RunFolder) -> None:
    """safety 35, 39: kill -9 frees the lock, the run is seen as interrupted and can go on."""
    code = """
import sys, time
from pathlib import Path
from leadline.domain import events as ev
from leadline.domain.run import RunStatus
from leadline.runs.store import RunStore
from leadline.runs.session import RunSession
folder = RunStore(Path(sys.argv[1])).open(sys.argv[2])
session = RunSession.acquire(folder)
session.emit(ev.RunStarted(session=1, pid=1, model="offline"))
session.set_status(RunStatus.RESEARCHING)
print("up", flush=True)
time.sleep(60)
"""
    arguments = [sys.executable, "-c", code, str(folder.path.parent), folder.task_id]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == b"up"
        owner = folder.owner()
        assert owner is not None
        assert owner.pid == child.pid
        assert folder.status() is RunStatus.RESEARCHING
        child.kill()
        child.wait()
    assert folder.owner() is None
    assert folder.status() is RunStatus.INTERRUPTED
    assert folder.view().status is RunStatus.INTERRUPTED
    with started(folder) as session:
        assert session.view.session == 2
        session.end(ev.RunFinished(status=RunStatus.EMPTY))
    assert folder.status() is RunStatus.EMPTY


def test_a_torn_last_line_is_removed_and_said(folder: RunFolder) -> None:
    with planned(folder) as session:
        session.end(ev.RunStopped())
    path = folder.file("audit.jsonl")
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"seq": 99, "ts": "20')
    assert folder.view().seq == whole.count(b"\n")
    with started(folder) as again:
        assert "cut off" in again.view.notices[-1].message
    numbers = [json.loads(line)["seq"] for line in path.read_bytes().splitlines()]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_damaged_log_is_named_and_left_alone(folder: RunFolder) -> None:
    """safety 38."""
    planned(folder).close()
    path = folder.file("audit.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    damaged = lines[0] + b"garbage\n" + b"".join(lines[2:])
    path.write_bytes(damaged)
    with pytest.raises(RunFolderDamaged, match=r"audit\.jsonl.*damaged"):
        RunSession.acquire(folder)
    assert path.read_bytes() == damaged
    backups = list(folder.path.glob("audit.jsonl.damaged-*"))
    assert [backup.read_bytes() for backup in backups] == [damaged]
    assert folder.owner() is None


def test_a_stop_is_for_the_session_that_it_finds(folder: RunFolder) -> None:
    folder.request_stop()
    with started(folder) as session:
        assert not session.stop_requested()
        folder.request_stop()
        assert session.stop_requested()
        session.end(ev.RunStopped())
    with started(folder) as again:
        assert not again.stop_requested()


def test_sources_are_numbered_once_and_found_by_both_addresses(folder: RunFolder) -> None:
    with planned(folder) as session:
        asked, final = "https://a.example/go", "https://a.example/x"
        first = add_page(session, ["One.", "Two."], url=final, requested_url=asked)
        again = add_page(session, ["Other."], url=final + "#part", task="t2")
        copied = add_page(session, ["One.", "Two."], url="https://b.example/copy")
        assert again.id == first.id == 1
        assert (copied.id, copied.origin) == (2, 1)
        for url in (asked, final, final + "#top"):
            found = session.by_url(url)
            assert found is not None
            assert found.source.id == 1
        assert session.by_url("https://c.example/") is None
    with started(folder) as later:
        found = later.by_url(asked)
        assert found is not None
        assert [p.text for p in found.passages] == ["One.", "Two."]
        assert add_page(later, ["New."], url="https://d.example/").id == 3
    assert folder.snapshot(9) is None


def test_what_a_click_added_to_a_page_is_a_source_of_its_own(folder: RunFolder) -> None:
    """A page read again after "show more" must not be answered with what it showed before."""
    url = "https://a.example/list"
    with planned(folder) as session:
        first = add_page(session, ["One."], url=url)
        more = add_page(session, ["One.", "Two."], url=page_state(url, 2), requested_url=url)
        assert (first.id, more.id) == (1, 2)
        for address, number in ((url, 1), (page_state(url, 2), 2)):
            found = session.by_url(address)
            assert found is not None
            assert found.source.id == number


def test_the_same_finding_twice_is_one(folder: RunFolder) -> None:
    with planned(folder) as session:
        add_page(session, ["One.", "Two."])
        refs = [PassageRef(source=1, passage=2)]
        first = session.record(task="t1", claim="Two", passages=refs)
        assert session.record(task="t1", claim="Two", passages=refs) == first
        assert session.record(task="t2", claim="Two", passages=refs).id == "f2"
        with pytest.raises(LeadlineError, match=r"1\.7"):
            session.record(task="t1", claim="x", passages=[PassageRef(source=1, passage=7)])


def test_a_changed_source_proves_nothing(folder: RunFolder) -> None:
    with planned(folder) as session:
        add_page(session, ["It was 5 metres long."])
    path = folder.file("sources/1.md")
    path.write_text(path.read_text("utf-8").replace("5 metres", "9 metres"), "utf-8")
    with pytest.raises(RunFolderDamaged, match=r"1\.md was changed"):
        folder.snapshot(1)


def test_half_a_surrogate_pair_breaks_nothing(folder: RunFolder) -> None:
    """safety 48."""
    bad = "bad \ud800 text"
    with planned(folder) as session:
        session.emit(ev.Notice(message=bad))
        assert session.view.notices[-1].message == "bad ? text"
        add_page(session, [bad])
        session.record(task="t1", claim=bad, passages=[PassageRef(source=1, passage=1)])
        session.write_plan(Plan(categories=(Category(name=bad, tasks=(Task(text=bad),)),)), "model")
        session.write_report(bad, citations=0, resolved=0, sources=0)
    assert folder.findings()[0].quotes == ("bad ? text",)
    assert folder.report() == "bad ? text"


def test_a_full_disk_keeps_the_old_file_and_the_run(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """safety 38: a clear error, the old file intact, and the run goes on once there is room."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with planned(folder) as session:
        session.write_report("first", citations=0, resolved=0, sources=0)
        with monkeypatch.context() as patch:
            patch.setattr(atomic, "_write", full)
            with pytest.raises(LeadlineError, match=r"report\.md.*No space left"):
                session.write_report("second", citations=0, resolved=0, sources=0)
            with pytest.raises(LeadlineError, match=r"No space left"):
                session.finish_task("t1", 1, TaskState.DONE)
        assert folder.report() == "first"
        assert not list(folder.path.glob(".*.tmp"))
        session.write_report("third", citations=0, resolved=0, sources=0)
        session.finish_task("t2", 1, TaskState.DONE)
    assert boxes(folder)["Who built it"] == "done"


def test_screens_are_kept_by_worker_under_safe_names(folder: RunFolder) -> None:
    with started(folder) as session:
        session.write_screen("t1-q1", b"old")
        session.write_screen("t1-q1", b"new")
        session.write_screen("../../evil", b"x")
        session.write_screen("big", b"x" * 3_000_000)
    names = sorted(path.name for path in (folder.path / "screens").iterdir())
    assert names == ["evil.jpg", "t1-q1.jpg"]
    assert folder.file("screens/t1-q1.jpg").read_bytes() == b"new"


def with_a_finding(folder: RunFolder) -> None:
    with planned(folder) as session:
        add_page(session, ["It was built in 1901."])
        ref = PassageRef(source=1, passage=1)
        session.record(task="t1", claim="Built in 1901.", passages=[ref])
        session.finish_task("t1", 1, TaskState.DONE, findings=["f1"])
        session.end(ev.RunStopped(reason="asked"))


@pytest.mark.parametrize("lines", [None, 0, 3])
def test_a_lost_log_is_no_fresh_start(folder: RunFolder, lines: int | None) -> None:
    """safety 38: a log that is gone or was cut between two lines is named; nothing is touched."""
    with_a_finding(folder)
    log = folder.file("audit.jsonl")
    whole, plan = log.read_bytes(), folder.plan_text()
    assert len(folder.view().findings) == 1
    if lines is None:
        log.unlink()
    else:
        log.write_bytes(b"".join(whole.splitlines(keepends=True)[:lines]))
    for look in (folder.view, lambda: RunSession.acquire(folder)):
        with pytest.raises(RunFolderDamaged, match=r"audit\.jsonl is gone or lacks"):
            look()
    assert folder.plan_text() == plan
    assert folder.owner() is None
    log.write_bytes(whole)
    assert len(folder.view().findings) == 1
    RunSession.acquire(folder).close()


def test_views_that_were_deleted_or_spoilt_are_written_again(folder: RunFolder) -> None:
    with_a_finding(folder)
    folder.file("sources.json").unlink()
    RunSession.acquire(folder).close()
    assert json.loads(folder.file("sources.json").read_bytes())[0]["id"] == 1
    folder.file("evidence.json").write_text("\0", encoding="utf-8")
    with started(folder) as session:
        session.end(ev.RunStopped(reason="asked"))
    assert json.loads(folder.file("evidence.json").read_bytes())["findings"]


@pytest.mark.parametrize("name", ["run.json", "audit.jsonl", "research_plan.md"])
def test_a_file_that_cannot_be_opened_is_named(folder: RunFolder, name: str) -> None:
    with_a_finding(folder)
    folder.file(name).unlink()
    folder.file(name).mkdir()
    with pytest.raises(RunFolderDamaged, match=rf"{name} cannot be opened"):
        RunSession.acquire(folder)
    assert folder.owner() is None


def test_room_is_kept_for_the_last_event(folder: RunFolder) -> None:
    """safety 38: a run that filled the disk can say so."""
    reserve = folder.control.path / "reserve"
    with planned(folder) as session:
        assert reserve.stat().st_size > 10_000
        session.end(ev.RunFailed(reason="No space left."))
    assert not reserve.exists()
    with planned(folder):
        assert reserve.exists()
    assert not reserve.exists(), "a session without a last event keeps none either"


def test_failed_tasks_are_opened_by_an_edit_of_the_plan(folder: RunFolder) -> None:
    """W2-7: what a resume shall try again, a person could open with an editor as well."""
    with planned(folder) as session:
        session.finish_task("t1", 1, TaskState.DONE, findings=[])
        session.finish_task("t2", 1, TaskState.FAILED, "No page says it.")
        session.end(ev.RunFinished(status=RunStatus.DONE))
    edit(folder, "## 2. Now", "## 2. Now\nA note of mine")
    assert folder.reopen_failed() == 1
    assert folder.reopen_failed() == 0
    with RunSession.acquire(folder) as session:
        change = session.take_plan_edits()
        assert change is not None
        assert change.unticked == ("t2",)
        assert session.view.tasks["t2"].state is TaskState.OPEN
    assert list(boxes(folder).values()) == ["done", "open", "open"]
    assert "A note of mine" in folder.plan_text()


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be deleted there")
def test_a_log_deleted_under_a_run_ends_it(folder: RunFolder) -> None:
    """Else it would work on for an hour and keep nothing."""
    with planned(folder) as session:
        folder.file("audit.jsonl").unlink()
        with pytest.raises(LeadlineError, match=r"audit\.jsonl was deleted"):
            session.emit(ev.Notice(message="x"))
    assert folder.owner() is None
    with pytest.raises(RunFolderDamaged, match=r"audit\.jsonl is gone"):
        folder.view()
