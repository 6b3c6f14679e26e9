"""The command line, against runs that are real processes with a pretended engine."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline import cli_folders
from leadline.cli_output import printable
from leadline.domain.config import ModelConfig, Provider, RunConfig
from leadline.domain.run import RunStatus
from leadline.errors import RunBusy
from leadline.runs.store import RunStore
from tests.cli_calls import Run
from tests.runs.evidence_by_hand import whole_run

CANARY = "sk-canary-0123456789abcdef"


def one_run() -> str:
    [row] = RunStore(Path("tmp/deep_research")).history()
    return row.task_id


# Runs


@pytest.mark.usefixtures("stand_in_runner")
def test_a_run_ends_with_its_report(leadline: Run) -> None:
    done = leadline("run", "How deep is the harbour?")
    assert done.code == 0
    report = Path("tmp/deep_research").resolve() / one_run() / "report.md"
    assert f"Report: {report}" in done.out
    assert "[x] How old (1 finding)" in done.err
    assert "Plan: 2 tasks in 1 part." in done.err


@pytest.mark.usefixtures("stand_in_runner")
def test_json_is_one_object_on_standard_output_and_all_else_is_not(leadline: Run) -> None:
    done = leadline("run", "How deep?", "--json")
    assert done.json == {
        "task_id": one_run(),
        "status": "done",
        "seconds": done.json["seconds"],
        "tasks": {"done": 2, "failed": 0, "open": 0},
        "pages": 2,
        "sources": 2,
        "findings": 2,
        "citations": {"total": 1, "resolved": 1, "sources": 1},
        "model_calls": 1,
        "browsers_peak": 1,
        "report": str(Path("tmp/deep_research").resolve() / one_run() / "report.md"),
    }
    assert one_run() in done.err


@pytest.mark.usefixtures("stand_in_runner")
def test_the_demo_is_offline_and_on_the_demo_web(
    leadline: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_MODEL_NAME", "gpt-5")
    monkeypatch.setenv("LEADLINE_SEARCH_ENGINES", "bing")
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    done = leadline("demo", "--json", "--browsers", "3")
    assert (done.code, done.json["status"]) == (0, "done")
    config = RunStore(Path("tmp/deep_research")).open(one_run()).record().config
    assert config.model.provider == "offline"
    assert config.search.engines == ("demo",)
    assert config.limits.max_parallel_browsers == 3


@pytest.mark.usefixtures("stand_in_runner")
def test_flags_reach_the_run(leadline: Run) -> None:
    leadline(
        "run", "x", "--depth", "quick", "--browsers", "5", "--loops", "2", "--provider", "vllm",
        "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--engine", "bing",
        "--engine", "ddgs", "--language", "Deutsch", "--set", "limits.minutes=3",
        "--set", "temperature=none",
    )  # fmt: skip
    config = RunStore(Path("tmp/deep_research")).open(one_run()).record().config
    assert config.limits.max_parallel_browsers == 5
    assert config.limits.max_research_loops == 2
    assert config.limits.minutes == 3
    assert config.limits.pages_per_query == 3  # of the quick preset
    assert (config.model.provider, config.model.name) == ("vllm", "m")
    assert config.model.temperature is None
    assert config.search.engines == ("bing", "ddgs")
    assert config.report_language == "Deutsch"


@pytest.mark.parametrize(
    ("mode", "code", "status"), [("failed", 1, "failed"), ("empty", 1, "empty")]
)
def test_exit_codes_tell_how_it_ended(
    leadline: Run, stand_in_runner: pytest.MonkeyPatch, mode: str, code: int, status: str
) -> None:
    stand_in_runner.setenv("STAND_IN_MODE", mode)
    done = leadline("run", "x", "--json")
    assert (done.code, done.json["status"]) == (code, status)
    assert done.json["reason"]


def test_a_crash_of_the_run_is_told_and_can_be_resumed(
    leadline: Run, stand_in_runner: pytest.MonkeyPatch
) -> None:
    stand_in_runner.setenv("STAND_IN_MODE", "crash")
    done = leadline("run", "x")
    assert done.code == 1
    assert f"leadline resume {one_run()}" in done.out
    stand_in_runner.setenv("STAND_IN_MODE", "")
    again = leadline("resume", one_run(), "--json")
    assert (again.code, again.json["status"]) == (0, "done")


@pytest.mark.usefixtures("stand_in_runner")
def test_a_plan_halts_and_resume_goes_on(leadline: Run) -> None:
    """What the research is to be like is said with the plan: a resume asks nothing."""
    planned = leadline("plan", "How deep?", "--engine", "bing", "--browsers", "3", "--loops", "2")
    assert planned.code == 0
    config = RunStore(Path("tmp/deep_research")).open(one_run()).record().config
    assert config.search.engines == ("bing",)
    assert (config.limits.max_parallel_browsers, config.limits.max_research_loops) == (3, 2)
    assert "[ ] How old" in planned.out
    assert f"leadline resume {one_run()}" in planned.out
    done = leadline("resume", one_run())
    assert done.code == 0
    assert "Report:" in done.out
    assert "Plan: 2 tasks" not in done.err  # only what is new is told


@pytest.mark.usefixtures("stand_in_runner")
def test_a_plan_file_of_web_ui_starts_a_run(leadline: Run) -> None:
    Path("plan.md").write_text(
        "# Research Plan\n\n## 1. 1. Depths\n\n  - [x] How deep\n  - [-] How old\n",
        encoding="utf-8",
    )
    done = leadline("run", "--plan", "plan.md", "--json")
    assert done.json["tasks"] == {"done": 2, "failed": 0, "open": 0}
    assert RunStore(Path("tmp/deep_research")).open(one_run()).record().topic == "Depths"


@pytest.mark.usefixtures("stand_in_runner")
def test_the_plan_of_a_finished_run_starts_a_new_one(leadline: Run) -> None:
    first = leadline("run", "How deep?", "--json").json["task_id"]
    again = leadline("run", "--plan", first, "--json")
    assert again.code == 0
    assert again.json["task_id"] != first
    store = RunStore(Path("tmp/deep_research"))
    assert store.open(again.json["task_id"]).record().topic == "How deep?"


@pytest.mark.usefixtures("stand_in_runner")
def test_a_topic_is_read_from_standard_input_or_a_file(leadline: Run) -> None:
    leadline("run", "-", stdin="Wie tief ist der Öresund?\n".encode())
    store = RunStore(Path("tmp/deep_research"))
    assert store.history()[0].topic == "Wie tief ist der Öresund?"
    Path("topic.txt").write_text("深さは?", encoding="utf-8")
    leadline("run", "--topic-file", "topic.txt")
    assert "深さは?" in {row.topic for row in store.history()}


def test_control_characters_of_pages_do_not_reach_the_terminal(
    leadline: Run, stand_in_runner: pytest.MonkeyPatch
) -> None:
    done = leadline("run", "x")
    shown = leadline("show", one_run())
    assert "\x1b" not in done.out + done.err + shown.out
    assert "How [31mdeep" in done.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_run_and_keeps_what_it_found(
    stand_in_runner: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """Safety 40."""
    stand_in_runner.setenv("STAND_IN_MODE", "wait")
    process = start_in_background("run", "x", "--json")
    task_id = wait_for(lambda: active_run())
    asked = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=15)
    assert time.monotonic() - asked < 10
    assert process.returncode == 3
    assert json.loads(out)["status"] == "stopped"
    assert "Stopping; what was found is kept." in err
    assert RunStore(Path("tmp/deep_research")).open(task_id).owner() is None


def test_stop_from_another_process(leadline: Run, stand_in_runner: pytest.MonkeyPatch) -> None:
    stand_in_runner.setenv("STAND_IN_MODE", "wait")
    process = start_in_background("run", "x")
    task_id = wait_for(lambda: active_run())
    done = leadline("stop", task_id, "--json")
    assert done.json == {"task_id": task_id, "stopped": True, "status": "stopped"}
    process.communicate(timeout=15)
    assert process.returncode == 3
    again = leadline("stop", task_id)
    assert again.code == 0
    assert "was not at work: it is stopped" in again.out


def start_in_background(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "leadline", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=dict(os.environ),
    )


def active_run() -> str:
    for row in RunStore(Path("tmp/deep_research")).history():
        if row.status is RunStatus.RESEARCHING:
            return row.task_id
    return ""


def wait_for(look: Callable[[], str], seconds: float = 20) -> str:
    pause = threading.Event()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        pause.wait(0.05)
    raise AssertionError("it did not happen in time")


@pytest.mark.usefixtures("stand_in_runner")
def test_another_root(leadline: Run) -> None:
    leadline("run", "x", "--root", "elsewhere")
    assert not Path("tmp").exists()
    assert len(RunStore(Path("elsewhere")).history()) == 1


# Bad input: one sentence, nothing done


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run"], "Type a question"),
        (["run", "  "], "Type a question"),
        (["run", "x" * 20_000], "20,000 characters"),
        (["run", "x", "--browsers", "99"], "limits.max_parallel_browsers"),
        (["run", "x", "--set", "nonsense"], "NAME=VALUE"),
        (["run", "x", "--set", "check_model="], "no setting"),
        (["run", "x", "--set", "port=1"], "port"),
        (["plan", "x", "--set", "depth=abyss"], "abyss"),
        (["run", "x", "--set", "minuts=3"], "Did you mean minutes"),
        (["run", "x", "--plan", "missing.md"], "missing.md"),
        (["run", "x", "--plan", "../../etc/passwd.md"], "no plan file"),
        (["run", "x", "--provider", "openai"], "LEADLINE_MODEL_NAME"),
        (["run", "x", "--topic-file", "y"], "once"),
        (["run", "--topic-file", "missing"], "missing cannot be read"),
        (["plan", ""], "Type a question"),
        (["show", "../x"], "not the id of a run"),
        (["show", "20260101-none"], "no run"),
        (["resume", "a/b"], "not the id of a run"),
        (["stop", "x" * 65], "not the id of a run"),
        (["export", ".."], "not the id of a run"),
    ],
)
def test_bad_input_is_one_sentence(leadline: Run, arguments: list[str], sentence: str) -> None:
    done = leadline(*arguments)
    assert done.code == 2
    assert sentence in done.err.splitlines()[-1]
    assert "Traceback" not in done.err
    assert done.out == ""
    assert RunStore(Path("tmp/deep_research")).history() == []


def test_a_plan_without_a_task_is_refused(leadline: Run) -> None:
    Path("plan.md").write_text("just words", encoding="utf-8")
    done = leadline("run", "x", "--plan", "plan.md")
    assert (done.code, "no task" in done.err) == (2, True)


def test_a_megabyte_of_topic_is_refused(leadline: Run) -> None:
    done = leadline("run", "-", stdin=b"x" * 1_200_000)
    assert done.code == 2
    assert "characters" in done.err


def test_an_unknown_option_is_a_usage_error(leadline: Run) -> None:
    done = leadline("run", "x", "--nonsense")
    assert done.code == 2
    assert "nonsense" in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show"], "Missing argument 'ID'"),
        (["run", "x", "--nonsense"], "--nonsense"),
        (["run", "x", "--browsers", "many"], "--browsers"),
        (["run", "x", "--provider", "nobody"], "--provider"),
        (["list", "--limit", "0"], "--limit"),
        (["nonsense"], "nonsense"),
    ],
)
def test_usage_errors_are_objects_too_with_json(
    leadline: Run, arguments: list[str], words: str
) -> None:
    done = leadline(*arguments, "--json")
    assert done.code == 2
    assert list(done.json) == ["error"]
    assert words in done.json["error"]["message"]
    assert done.json["error"]["message"] in done.err


@pytest.mark.parametrize("command", [["run", "x"], ["plan", "x"]])
def test_a_missing_key_is_said_before_there_is_a_run(leadline: Run, command: list[str]) -> None:
    done = leadline(*command, "--provider", "openai", "--model", "gpt-5")
    assert done.code == 2
    assert "set OPENAI_API_KEY or LEADLINE_MODEL_API_KEY" in done.err.splitlines()[-1]
    assert not Path("tmp").exists()


def test_a_missing_key_of_a_role_is_said_before_there_is_a_run(
    leadline: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    done = leadline(
        "run", "x", "--provider", "openai", "--model", "gpt-5",
        "--set", "verifier.provider=mistral", "--set", "verifier.name=m",
    )  # fmt: skip
    assert done.code == 2
    assert "set MISTRAL_API_KEY or LEADLINE_VERIFIER_API_KEY" in done.err.splitlines()[-1]
    assert not Path("tmp").exists()


def test_a_resume_without_the_key_changes_nothing(leadline: Run) -> None:
    config = RunConfig(model=ModelConfig(provider=Provider.MISTRAL, name="m"))
    folder = RunStore(Path("tmp/deep_research")).create("x", config)
    before = folder.file("run.json").read_bytes()
    done = leadline("resume", folder.task_id)
    assert (done.code, "set MISTRAL_API_KEY" in done.err) == (2, True)
    assert folder.file("run.json").read_bytes() == before
    assert folder.control.ticket() is None


def test_run_and_plan_take_the_same_options(leadline: Run) -> None:
    def options(command: str) -> set[str]:
        return set(re.findall(r"--[a-z-]+", leadline(command, "--help").out))

    assert options("run") - options("plan") == {"--plan", "--plan-first"}
    assert options("plan") <= options("run")


def test_errors_are_objects_too_with_json(leadline: Run) -> None:
    done = leadline("show", "../x", "--json")
    assert done.code == 2
    assert done.json["error"]["type"] == "InvalidTaskId"
    assert done.json["error"]["message"] in done.err


def test_what_is_unexpected_is_one_sentence_and_a_file_without_secrets(
    leadline: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Safety 29."""
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)

    def burst(*_: object) -> None:
        raise RuntimeError(f"oh no {CANARY}")

    monkeypatch.setattr(cli_folders, "RunStore", burst)
    done = leadline("list")
    assert done.code == 1
    [line] = done.err.splitlines()
    assert line.startswith("Something unexpected went wrong (RuntimeError)")
    [log] = Path("tmp").glob("leadline-error-*.log")
    text = log.read_text(encoding="utf-8")
    assert "oh no ***" in text
    assert CANARY not in text + done.err


@pytest.mark.usefixtures("stand_in_runner")
def test_a_key_is_in_no_file_of_a_run(leadline: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Safety 29."""
    monkeypatch.setenv("LEADLINE_MODEL_API_KEY", CANARY)
    done = leadline("run", "x", "--provider", "vllm", "--model", "m")
    assert CANARY not in done.out + done.err
    files = [p for p in Path("tmp").rglob("*") if p.is_file()]
    assert files
    assert not [p for p in files if CANARY.encode() in p.read_bytes()]


def test_without_a_command_the_help_is_shown(leadline: Run) -> None:
    done = leadline("--help")
    for command in (
        "run",
        "plan",
        "resume",
        "stop",
        "list",
        "show",
        "export",
        "open",
        "delete",
        "demo",
        "doctor",
    ):
        assert command in done.out


def test_printable() -> None:
    assert printable("a\x1b[31m\u202eb\nc\x00") == "a[31mb c"
    assert printable("x" * 300, 10) == "x" * 9 + "…"


@pytest.mark.skipif(os.name == "nt", reason="a shell closes streams")
@pytest.mark.parametrize(
    ("command", "code"),
    [("list >&-", 0), ("list 2>&-", 0), ("list >&- 2>&- <&-", 0), ("plan - <&-", 2)],
)
def test_closed_streams_are_empty_ones(tmp_path: Path, command: str, code: int) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m leadline {command}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert not (tmp_path / "tmp").exists(), "an unexpected error left its log"


def test_a_resume_takes_settings_and_failed_tasks(
    leadline: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """W2-7, safety 45: whoever is told to raise a limit can."""
    task_id = RunStore(Path("tmp/deep_research")).create("Harbours", RunConfig()).task_id
    asked: dict[str, Any] = {}

    def resume(_self: object, _task_id: str, _secrets: object, **more: Any) -> bool:
        asked.update(more)
        raise RunBusy("far enough")

    monkeypatch.setattr("leadline.runs.supervisor.Supervisor.resume", resume)
    done = leadline("resume", task_id, "--set", "minutes=90", "--retry-failed")
    assert "far enough" in done.err
    assert asked["config"].limits.minutes == 90
    assert asked["retry_failed"] is True
    assert leadline("resume", task_id, "--set", "minutes=-1").code == 2


# Evidence


def test_a_bundle_is_written_and_verified(leadline: Run, tmp_path: Path) -> None:
    """S3-47: what one machine wrote, another one checks without a model or a network."""
    folder = whole_run(tmp_path / "runs")
    root = ("--root", str(tmp_path / "runs"))
    done = leadline("export", "whole", "--bundle", *root)
    assert (done.code, done.out[:16]) == (0, "Wrote whole.zip.")
    assert leadline("export", "whole", "--bundle", "-o", "b.zip", *root).code == 0
    assert Path("b.zip").read_bytes() == Path("whole.zip").read_bytes()
    done = leadline("verify", "b.zip")
    assert (done.code, done.err) == (0, "")
    assert "Verified: every check" in done.out
    assert done.out.count("holds") == 10
    assert leadline("verify", "last", *root).code == 0
    assert leadline("verify", str(folder.path)).code == 0


def test_problems_are_told_in_words_and_by_the_exit_code(leadline: Run, tmp_path: Path) -> None:
    folder = whole_run(tmp_path / "runs")
    root = ("--root", str(tmp_path / "runs"))
    leadline("export", "whole", "--bundle", *root)
    source = folder.file("sources/1.md")
    source.write_text(source.read_text("utf-8").replace("97", "79"), "utf-8")
    done = leadline("verify", "whole", *root)
    assert done.code == 1
    assert "✗ sources/1.md was changed: its text does not have the hash" in done.out
    assert "Not verified: " in done.out
    done = leadline("verify", "whole", "--json", *root)
    assert (done.code, done.json["ok"], done.json["run"]) == (1, False, "whole")
    wrong = {check["name"] for check in done.json["checks"] if check["problems"]}
    assert {"snapshots", "quotes"} <= wrong
    refused = leadline("export", "whole", "--bundle", "-o", "whole.zip", *root)
    assert (refused.code, "was changed since it was read" in refused.err) == (1, True)
    assert leadline("verify", "whole.zip").code == 0, "the bundle made before stands"


def test_there_must_be_something_to_verify(leadline: Run, tmp_path: Path) -> None:
    root = ("--root", str(tmp_path / "runs"))
    store = RunStore(tmp_path / "runs")
    store.create("Fast ferries", RunConfig(), task_id="waits")
    Path("empty").mkdir()
    Path("notes.zip").write_text("no zip")
    for target, code, sentence in (
        ("nothing", 2, "no run"), ("waits", 2, "at work"), ("empty", 2, "neither a bundle"),
        ("notes.zip", 1, "no zip, or a damaged one"),
    ):  # fmt: skip
        done = leadline("verify", target, *root)
        assert (done.code, sentence in done.out + done.err) == (code, True), done
    done = leadline("export", "waits", "--bundle", *root)
    assert (done.code, Path("waits.zip").exists()) == (2, False)
    assert "at work" in done.err
