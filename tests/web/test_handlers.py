"""What clicks and ticks do: commands go to the supervisor, state comes from the folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from leadline.domain.config import RunConfig
from leadline.domain.plan import TaskState
from leadline.domain.plan_markdown import parse_plan
from leadline.domain.run import RunStatus
from leadline.errors import RunBusy
from leadline.runs.session import RunSession
from leadline.runs.supervisor import Supervisor
from leadline.settings import Settings
from leadline.web.ask_fields import FORM_FIELDS
from leadline.web.commands import SAME_CLICK_SECONDS, Commands
from leadline.web.form import AskForm
from leadline.web.handlers import Handlers
from leadline.web.live import LiveRuns
from leadline.web.position import Position
from leadline.web.spoken import Updates
from leadline.web.texts import Texts
from leadline.web.ui import EDITOR_OUTPUTS, RUN_OUTPUTS
from tests.web.conftest import Site
from tests.web.runs_by_hand import ByHand

CANARY = "sk-canary-5f2b"


@dataclass
class CalledSupervisor:
    """Writes down what it is asked."""

    calls: list[tuple[str, str]] = field(default_factory=list)
    secrets: dict[str, Mapping[str, str]] = field(default_factory=dict)
    configs: dict[str, RunConfig | None] = field(default_factory=dict)
    retried: set[str] = field(default_factory=set)
    busy: bool = False

    def start(self, task_id: str, secrets: Mapping[str, str] | None = None) -> bool:
        if self.busy:
            raise RunBusy("The run is at work in process 7; wait for its end.")
        self.calls.append(("start", task_id))
        self.secrets[task_id] = dict(secrets or {})
        return True

    def resume(
        self,
        task_id: str,
        secrets: Mapping[str, str] | None = None,
        *,
        config: RunConfig | None = None,
        retry_failed: bool = False,
    ) -> bool:
        self.start(task_id, secrets)
        self.configs[task_id] = config
        if retry_failed:
            self.retried.add(task_id)
        self.calls[-1] = ("resume", task_id)
        return True

    def request_stop(self, task_id: str, timeout: float = 10.0) -> None:
        self.calls.append(("stop", task_id))


@dataclass
class Desk:
    """Handlers and what is around them."""

    handlers: Handlers
    supervisor: CalledSupervisor
    runs: ByHand
    root: Path

    def position(self, run: str) -> str:
        return str(self.handlers.load(run, "")["position"])


@pytest.fixture
def desk(runs: ByHand) -> Desk:
    supervisor = CalledSupervisor()
    live = LiveRuns(runs.store)
    commands = Commands(Settings(), runs.store, cast(Supervisor, supervisor), live)
    return Desk(Handlers(commands, live, Texts()), supervisor, runs, runs.store.root)


def form(**changes: Any) -> list[Any]:
    values = {"question": "How deep is it?", "engines": ("bing",), **changes}
    made = AskForm(**values)
    return [getattr(made, name) for name in FORM_FIELDS]


def value(updates: Updates, name: str, prop: str) -> Any:
    return updates[name].constructor_args[prop] if name in updates else None


def test_an_empty_question_is_said_at_the_field_and_starts_nothing(desk: Desk) -> None:
    """S2-42"""
    updates = desk.handlers.start("", *form(question="  "))
    assert "Type a question or a topic first." in updates["error_question"]
    assert "position" not in updates
    assert desk.supervisor.calls == []
    assert desk.runs.store.history() == []


def test_a_wrong_advanced_field_opens_the_settings_and_keeps_the_question(desk: Desk) -> None:
    updates = desk.handlers.start("", *form(minutes="soon"))
    assert "Minutes" in updates["error_limits"]
    assert "advanced" in updates
    assert "question" not in updates
    assert updates["error_question"] == ""


def test_start_makes_a_run_and_shows_it(desk: Desk) -> None:
    updates = desk.handlers.start("", *form())
    position = Position.read(updates["position"])
    assert desk.supervisor.calls == [("start", position.run)]
    assert f'data-ll-run="{position.run}"' in updates["head"]
    assert "Waiting for its turn: number 1" in updates["head"]
    assert updates["question"] == ""


def test_a_typed_key_goes_to_the_run_alone(desk: Desk) -> None:
    """safety 10, 29, 30"""
    updates = desk.handlers.start(
        "", *form(provider="openai", model_name="gpt", api_key=f" {CANARY} ")
    )
    run = Position.read(updates["position"]).run
    assert desk.supervisor.secrets[run] == {"LEADLINE_MODEL_API_KEY": CANARY}
    assert CANARY not in repr(updates)
    again = desk.handlers.load(run, "")
    assert CANARY not in repr(again)
    files = [p for p in desk.root.rglob("*") if p.is_file()]
    assert files
    assert not [p for p in files if CANARY.encode() in p.read_bytes()]


def test_a_key_of_one_run_is_not_used_for_another(desk: Desk) -> None:
    """W2-12: settings are a run's own."""
    desk.handlers.start("", *form(provider="openai", model_name="gpt", api_key=CANARY))
    updates = desk.handlers.start("", *form())
    assert desk.supervisor.secrets[Position.read(updates["position"]).run] == {}


def test_a_link_to_a_run_opens_it_as_it_is(desk: Desk) -> None:
    """safety 41"""
    desk.runs.done()
    updates = desk.handlers.load("done", "")
    assert 'data-ll-status="done"' in updates["head"]
    assert 'href="/runs/done/sources/1#p2"' in updates["report"]
    assert "412,000 passengers, a third more" in updates["report"]
    assert value(updates, "tabs", "selected") == "report"
    assert value(updates, "stop", "visible") is False
    assert value(updates, "again", "visible") is True


@pytest.mark.parametrize("run", ["nobody", "../done", "a" * 300, "<script>", "\ud800"])
def test_a_link_to_nothing_shows_the_question_page_and_says_so(desk: Desk, run: str) -> None:
    """safety 11"""
    updates = desk.handlers.load(run, "")
    assert 'data-ll-run=""' in updates["head"]
    assert "ll-message-error" in updates["notice"]
    assert "<script>" not in updates["notice"]


def test_a_tick_sends_what_changed_and_nothing_that_is_typed_into(
    desk: Desk, at_work: RunSession
) -> None:
    """S2-41, W2-15"""
    position = desk.position("at-work")
    quiet = desk.handlers.tick("at-work", position, "")
    assert quiet.keys() == {"counters"}
    task = next(t for t in at_work.view.tasks.values() if t.running)
    at_work.finish_task(task.id, 1, TaskState.FAILED, "Nothing there.")
    busy = desk.handlers.tick("at-work", position, "")
    assert {"plan", "run_plan", "feed", "counters", "position"} <= busy.keys()
    assert not busy.keys() & {*EDITOR_OUTPUTS, *FORM_FIELDS, "sources", "report"}
    assert busy.keys() <= set(RUN_OUTPUTS)


def test_a_plan_that_waits_is_followed_on_disk(desk: Desk) -> None:
    """S2-41: a plan edited in the folder is seen before it is started."""
    folder = desk.runs.planned()
    position = desk.position("planned")
    quiet = desk.handlers.tick("planned", position, "")
    assert "timer" not in quiet
    folder.save_plan(folder.plan_text() + "- [ ] Who steers it?\n", folder.plan_version())
    assert "Who steers it?" in desk.handlers.tick("planned", position, "")["plan"]


def test_resume_in_a_tab_that_is_behind_shows_the_run_as_it_is(
    desk: Desk, at_work: RunSession
) -> None:
    desk.supervisor.busy = True
    run = at_work.folder.task_id
    updates = desk.handlers.resume(run, "")
    assert "at work in process" in updates["notice"]
    assert 'data-ll-status="researching"' in updates["head"]
    assert value(updates, "stop", "visible") is True


def test_a_run_deleted_twice_is_just_gone(desk: Desk) -> None:
    desk.runs.done()
    desk.handlers.act("delete", "done", "", "")
    assert "Deleted." in desk.handlers.act("delete", "done", "", "")["notice"]


def test_a_plan_for_more_than_a_run_may_do_is_not_saved(desk: Desk) -> None:
    desk.runs.planned()
    opened = desk.handlers.editor.open("planned")
    long = opened["editor"] + "- [ ] more\n" * 600
    saved = desk.handlers.editor.save("planned", long, opened["editing"])
    assert "500 at most" in saved["editor_note"]


def test_the_timer_rests_at_an_end(desk: Desk) -> None:
    desk.runs.done()
    updates = desk.handlers.tick("done", desk.position("done"), "")
    assert updates.keys() == {"timer"}
    assert value(updates, "timer", "active") is False


def test_two_pages_on_one_run_each_get_everything(desk: Desk, at_work: RunSession) -> None:
    first, second = desk.position("at-work"), desk.position("at-work")
    task = next(t for t in at_work.view.tasks.values() if t.running)
    at_work.finish_task(task.id, 1, TaskState.DONE)
    assert "plan" in desk.handlers.tick("at-work", first, "")
    assert "plan" in desk.handlers.tick("at-work", second, "")


def test_a_late_answer_of_another_run_is_put_right(desk: Desk, at_work: RunSession) -> None:
    desk.runs.done()
    late = desk.position("at-work")
    updates = desk.handlers.tick("done", late, "")
    assert 'data-ll-run="done"' in updates["head"]
    assert {"plan", "report", "feed"} <= updates.keys()
    left = desk.handlers.tick("", late, "")
    assert 'data-ll-run=""' in left["head"]


def test_a_run_that_was_deleted_elsewhere_closes(desk: Desk) -> None:
    desk.runs.done()
    position = desk.position("done")
    desk.runs.store.delete("done")
    updates = desk.handlers.tick("done", position, "")
    assert 'data-ll-run=""' in updates["head"]
    assert "ll-message-error" in updates["notice"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"run": 3}', '{"sent": {"a": "b"}}', "null"])
def test_a_damaged_position_is_the_beginning(desk: Desk, text: str) -> None:
    assert "notice" not in desk.handlers.tick("", text, "")


def test_stop_acts_at_once(desk: Desk, at_work: RunSession) -> None:
    """S2-39, safety 40"""
    updates = desk.handlers.stop("at-work", "")
    assert desk.supervisor.calls == [("stop", "at-work")]
    assert value(updates, "stop", "value") == "Stopping…"
    assert value(updates, "stop", "interactive") is False


def test_resume_is_offered_for_what_can_go_on(desk: Desk) -> None:
    desk.runs.stopped()
    desk.runs.failed()
    for run in ("stopped", "failed"):
        assert value(desk.handlers.load(run, ""), "resume", "visible") is True
        desk.handlers.resume(run, "")
        assert desk.supervisor.calls[-1] == ("resume", run)


def test_failed_tasks_are_tried_again_when_that_is_chosen(desk: Desk) -> None:
    desk.runs.done()
    shown = desk.handlers.load("done", "")
    assert value(shown, "retry", "visible") is True
    assert value(shown, "retry", "value") == "Try the failed task again"
    assert value(shown, "resume", "visible") is False
    desk.handlers.retry("done", "", "", "", "", "")
    assert desk.supervisor.calls == [("resume", "done")]
    assert desk.supervisor.retried == {"done"}
    desk.runs.stopped()
    assert value(desk.handlers.load("stopped", ""), "retry", "visible") is False
    desk.handlers.resume("stopped", "", "", "", "", "")
    assert desk.supervisor.retried == {"done"}


def test_a_failed_box_set_by_hand_can_be_tried_again(desk: Desk) -> None:
    folder = desk.runs.stopped()
    position = desk.position("stopped")
    text = folder.plan_text().replace("- [ ] Who paid", "- [-] Who paid")
    folder.save_plan(text, folder.plan_version())
    assert value(desk.handlers.tick("stopped", position, ""), "retry", "visible") is True


def test_a_limit_that_ended_the_run_is_raised_at_resume(desk: Desk) -> None:
    """safety 45: what was found goes on from where it stood."""
    desk.runs.spent()
    shown = desk.handlers.load("spent", "")
    assert value(shown, "resume_box", "visible") is True
    assert value(shown, "raise_tokens", "value") == "4,000"
    assert value(shown, "raise_minutes", "visible") is False
    assert value(shown, "resume_key", "visible") is False
    for wrong in ("", "2,000", "2580", "many", "nan", "1e99"):
        refused = desk.handlers.resume("spent", "", "", wrong, "", "")
        assert "Model tokens: enter a number above the 2,580 used so far" in refused["resume_error"]
        assert "position" not in refused
    assert desk.supervisor.calls == []
    desk.handlers.resume("spent", "", "7", "5,000", "", "sk-not-asked-for")
    config = desk.supervisor.configs["spent"]
    assert config is not None
    assert config.limits.tokens == 5000
    assert config.limits.minutes == 60, "a field that was not shown counts for nothing"
    assert desk.supervisor.secrets["spent"] == {}


def test_resume_in_the_list_asks_where_something_is_missing(desk: Desk) -> None:
    desk.runs.spent()
    desk.runs.stopped()
    updates = desk.handlers.act("resume", "spent", "", "")
    assert value(updates, "resume_box", "visible") is True
    assert desk.supervisor.calls == []
    desk.handlers.act("resume", "stopped", "", "")
    assert desk.supervisor.calls == [("resume", "stopped")]


def test_a_refused_key_is_typed_anew_at_resume(desk: Desk) -> None:
    """safety 10, 29, 30"""
    desk.runs.refused()
    shown = desk.handlers.load("refused", "")
    assert value(shown, "resume_key", "visible") is True
    assert "needs an API key" in shown["resume_note"]
    missing = desk.handlers.resume("refused", "", "", "", "", " ")
    assert "Enter the API key" in missing["resume_error"]
    assert desk.supervisor.calls == []
    updates = desk.handlers.resume("refused", "", "", "", "", f" {CANARY} ")
    assert desk.supervisor.secrets["refused"] == {"LEADLINE_MODEL_API_KEY": CANARY}
    assert value(updates, "resume_key", "value") == ""
    again = desk.handlers.load("refused", "")
    assert CANARY not in repr(updates) + repr(again)
    assert not [
        p for p in desk.root.rglob("*") if p.is_file() and CANARY.encode() in p.read_bytes()
    ]


def test_the_key_from_before_serves_when_no_other_is_typed(desk: Desk) -> None:
    desk.runs.refused()
    desk.handlers.resume("refused", "", "", "", "", CANARY)
    shown = desk.handlers.load("refused", "")
    assert "refused the request" in shown["resume_note"]
    desk.handlers.resume("refused", "", "", "", "", "")
    assert desk.supervisor.secrets["refused"] == {"LEADLINE_MODEL_API_KEY": CANARY}


def test_a_key_that_could_not_be_used_is_not_kept(desk: Desk) -> None:
    desk.runs.refused()
    desk.supervisor.busy = True
    desk.handlers.resume("refused", "", "", "", "", CANARY)
    assert "needs an API key" in desk.handlers.load("refused", "")["resume_note"]


def test_the_plan_is_reviewed_first_only_where_it_was_asked_for(desk: Desk) -> None:
    assert desk.handlers.start("", *form(plan_first=True))["plan_first"] is False
    assert "plan_first" not in desk.handlers.start("", *form(plan_first=True, question=""))


def test_a_reason_is_chinese_on_the_chinese_page(desk: Desk) -> None:
    desk.runs.spent()
    desk.runs.done()
    chinese = Handlers(desk.handlers.commands, desk.handlers.live, Texts("zh"))
    updates = chinese.load("spent", "")
    assert "已用完 2,000 个模型词元；请提高限额后继续。" in updates["head"]
    assert "The run used" not in updates["head"] + updates["feed"]
    assert "要求验证码" in chinese.load("done", "")["sources"]
    assert "这里没有记录" in chinese.load("nobody", "")["notice"]


def test_a_refusal_is_one_sentence_on_the_page(desk: Desk) -> None:
    """safety 39, 47"""
    desk.runs.stopped()
    desk.supervisor.busy = True
    updates = desk.handlers.resume("stopped", "")
    assert "at work in process 7" in updates["notice"]
    assert 'data-ll-status="stopped"' in updates["head"]


def test_a_fault_of_ours_shows_no_traceback(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """safety 47"""

    def broken(*_: object) -> None:
        raise ZeroDivisionError("inner detail")

    monkeypatch.setattr(desk.handlers.live, "look", broken)
    updates = desk.handlers.load("done", "")
    assert "Something went wrong" in updates["notice"]
    assert "inner detail" not in repr(updates)
    assert "inner detail" in caplog.text


def test_the_plan_runs_again_as_a_new_run(desk: Desk) -> None:
    desk.runs.done()
    updates = desk.handlers.again("done", "")
    run = Position.read(updates["position"]).run
    assert run != "done"
    assert desk.supervisor.calls == [("start", run)]
    plan = desk.runs.store.open(run).plan()
    assert plan is not None
    assert plan.counts()[TaskState.OPEN] == 5
    assert desk.runs.store.open("done").status() is RunStatus.DONE


def test_a_second_click_starts_no_second_run(runs: ByHand) -> None:
    """One click, one run: beside the report, in the list, and from two clicks at a time."""
    now = [100.0]
    supervisor = CalledSupervisor()
    live = LiveRuns(runs.store)
    commands = Commands(
        Settings(), runs.store, cast(Supervisor, supervisor), live, clock=lambda: now[0]
    )
    handlers = Handlers(commands, live, Texts())
    folder = runs.done()
    first = handlers.again("done", "")["open_run"]
    now[0] += 1
    assert handlers.again("done", "")["open_run"] == first
    assert handlers.act("again", "done", "", "")["open_run"] == first
    with ThreadPoolExecutor(2) as pool:
        assert set(pool.map(commands.again, ["done", "done"])) == {first}
    assert supervisor.calls == [("start", first)]
    folder.save_plan(folder.plan_text() + "- [ ] Who steers it?\n", folder.plan_version())
    changed = handlers.again("done", "")["open_run"]
    assert changed != first, "another plan is another wish"
    now[0] += SAME_CLICK_SECONDS
    later = handlers.again("done", "")["open_run"]
    assert len({first, changed, later}) == 3
    runs.store.delete(later)
    assert handlers.again("done", "")["open_run"] != later


def test_a_second_click_on_resume_says_nothing(desk: Desk) -> None:
    """A tab that comes later is told; the same click twice is not."""
    desk.runs.stopped()
    desk.handlers.resume("stopped", "")
    desk.supervisor.busy = True
    assert desk.handlers.resume("stopped", "")["notice"] == ""
    assert desk.handlers.act("resume", "stopped", "", "")["notice"] == ""
    assert desk.supervisor.calls == [("resume", "stopped")]


def test_a_plan_of_another_program_starts_a_run(desk: Desk) -> None:
    foreign = desk.root / "webui-run"
    foreign.mkdir(parents=True)
    (foreign / "research_plan.md").write_text(
        "# Research Plan\n\n## 1. 1. Ferries\n\n- [x] How deep?\n- [ ] How old?\n", "utf-8"
    )
    updates = desk.handlers.act("again", "webui-run", "", "")
    run = Position.read(updates["position"]).run
    plan = desk.runs.store.open(run).plan()
    assert plan is not None
    assert [t.text for t in plan.tasks()] == ["How deep?", "How old?"]


def test_delete_is_refused_while_a_run_is_at_work(desk: Desk, at_work: RunSession) -> None:
    updates = desk.handlers.act("delete", "at-work", "at-work", "")
    assert "ll-message-error" in updates["notice"]
    assert at_work.folder.path.is_dir()


def test_delete_takes_the_run_off_the_list(desk: Desk) -> None:
    desk.runs.done()
    desk.runs.stopped()
    updates = desk.handlers.act("delete", "done", "stopped", "")
    assert "head" not in updates
    assert 'data-ll-row="done"' not in updates["library"]
    assert not (desk.root / "done").exists()
    gone = desk.handlers.act("delete", "stopped", "stopped", "")
    assert 'data-ll-run=""' in gone["head"]


def open_editor(desk: Desk, run: str) -> tuple[str, str, str]:
    desk.position(run)
    opened = desk.handlers.editor.open(run)
    return run, opened["editor"], opened["editing"]


def test_the_plan_can_be_edited_before_it_starts(desk: Desk) -> None:
    desk.runs.planned()
    position, text, editing = open_editor(desk, "planned")
    assert "- [ ] How punctual is it?" in text
    mine = text + "- [ ] Who steers it?\n"
    saved = desk.handlers.editor.save(position, mine, editing)
    assert "Saved." in saved["editor_note"]
    assert 'data-ll-saved="planned"' in saved["saved_mark"], "the page's own copy may go"
    assert "Who steers it?" in saved["plan"]
    twice = desk.handlers.editor.save(position, mine + "\n- [ ] And why?\n", saved["editing"])
    assert "And why?" in twice["plan"]


def test_a_plan_without_tasks_is_not_saved(desk: Desk) -> None:
    desk.runs.planned()
    position, text, editing = open_editor(desk, "planned")
    updates = desk.handlers.editor.save(position, "nothing", editing)
    assert "no task" in updates["editor_note"]
    assert desk.runs.store.open("planned").plan_text() == text


def test_boxes_ticked_meanwhile_do_not_make_a_conflict(desk: Desk, at_work: RunSession) -> None:
    position, text, editing = open_editor(desk, "at-work")
    task = next(t for t in at_work.view.tasks.values() if t.running)
    at_work.finish_task(task.id, 1, TaskState.DONE)
    mine = text + "- [ ] Who steers it?\n"
    saved = desk.handlers.editor.save(position, mine, editing)
    assert "ticked meanwhile" in saved["editor_note"]
    now = at_work.folder.plan_text()
    assert f"- [x] {task.text}" in now
    assert "Who steers it?" in now


def test_a_conflict_loses_nothing_and_the_next_save_wins(desk: Desk) -> None:
    folder = desk.runs.planned()
    position, text, editing = open_editor(desk, "planned")
    theirs = text.replace("How punctual is it?", "How late is it?")
    folder.save_plan(theirs, folder.plan_version())
    mine = text + "- [ ] Who steers it?\n"
    conflict = desk.handlers.editor.save(position, mine, editing)
    assert "saved_mark" not in conflict
    assert "editor" not in conflict, "what was typed stays"
    assert "changed while you were editing" in conflict["editor_note"]
    assert "How late is it?" in conflict["plan"]
    assert folder.plan_text() == theirs
    desk.handlers.editor.save(position, mine, conflict["editing"])
    assert "Who steers it?" in folder.plan_text()


def test_start_saves_what_is_still_in_the_editor(desk: Desk) -> None:
    folder = desk.runs.planned()
    position, text, editing = open_editor(desk, "planned")
    started = desk.handlers.start_plan(position, "", text + "- [ ] Who steers it?\n", editing)
    assert 'data-ll-saved="planned"' in started["saved_mark"]
    assert desk.supervisor.calls == [("resume", "planned")]
    assert "Who steers it?" in folder.plan_text()


def test_start_does_not_start_over_a_conflict(desk: Desk) -> None:
    folder = desk.runs.planned()
    position, text, editing = open_editor(desk, "planned")
    folder.save_plan(text.replace("punctual", "late"), folder.plan_version())
    updates = desk.handlers.start_plan(position, "", text + "- [ ] More?\n", editing)
    assert desk.supervisor.calls == []
    assert "editor_note" in updates
    assert len(list(parse_plan(folder.plan_text()).tasks())) == 5


def test_start_without_the_editor_leaves_the_plan_alone(desk: Desk) -> None:
    folder = desk.runs.planned()
    before = folder.plan_text()
    desk.handlers.start_plan("planned", "", "", "")
    assert desk.supervisor.calls == [("resume", "planned")]
    assert folder.plan_text() == before


def test_the_banner_follows_the_choice(desk: Desk) -> None:
    updates = desk.handlers.say_what_answers("ollama", "qwen3", "demo")
    assert "qwen3 answers" in updates["banner"]
    assert "Demo web" in updates["banner"]
    assert "Quorrow" in updates["samples"]
    assert value(updates, "model_fields", "visible") is True
    assert value(updates, "web_fields", "visible") is False


def test_a_preset_brings_its_browsers(desk: Desk) -> None:
    assert desk.handlers.choose_depth("deep") == {"browsers": 4}
    assert desk.handlers.choose_depth("bottomless") == {}


def test_the_position_is_small(desk: Desk) -> None:
    desk.runs.done()
    assert len(json.dumps(desk.position("done"))) < 2000


def test_a_handler_with_nothing_to_say_is_no_fault(site: Site) -> None:
    """Gradio takes an empty answer for a missing one; a tick on a waiting plan has none."""
    client = site.client(origin="http://127.0.0.1:7788")
    events = client.get("/config").json()["dependencies"]
    tick = next(e for e in events if any(t[1] == "tick" for t in e["targets"]))

    def ask(position: str) -> Any:
        data = {"data": ["planned", position, ""], "fn_index": tick["id"], "session_hash": "x"}
        answer = client.post("/gradio_api/run/predict", json=data)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    drawn = ask("")
    assert any(isinstance(v, str) and "data-ll-run" in v for v in drawn)
    quiet = ask(drawn[1])
    assert not any(isinstance(v, str) for v in quiet)
