"""Bad input ends in one clear sentence and the right exit code; nothing is half-made or lost."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from leadline.domain.events import RunStarted
from tests.end_to_end.conftest import MakeLab
from tests.end_to_end.lab import Lab, assert_nothing_left, entries

TOPIC = "How many passengers did the Quorrow ferry carry in 2025?"
SMALL = (
    "--engine", "demo", "--depth", "quick",
    "--set", "max_categories=1", "--set", "max_tasks_per_category=1",
)  # fmt: skip


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port of this machine at which nothing answers."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


def refused(lab: Lab, *arguments: str, code: int = 2) -> str:
    """Run a command that is refused: one sentence, no traceback, nothing made. Returns it."""
    done = lab.cli(*arguments)
    assert done.returncode == code, done
    assert done.stdout == ""
    assert_a_sentence(done.stderr)
    assert not lab.root.is_dir() or list(lab.root.iterdir()) == []
    return done.stderr


def assert_a_sentence(text: str) -> None:
    lines = text.strip().splitlines()
    assert lines, "nothing was said"
    assert lines[-1].endswith(".") or lines[-1].endswith("…"), lines
    assert len(lines[-1]) < 400
    assert "Traceback" not in text
    assert "unexpected" not in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", ""], "Type a question"),
        (["run", " \t\n"], "Type a question"),
        (["run", "--topic-file", "big.txt"], "1,000,000 characters"),
        (["run", "x" * 20_000], "20,000 characters"),
        (["run", "--topic-file", "missing.txt"], "missing.txt cannot be read"),
        (["show", "../runs"], "not the id of a run"),
        (["resume", "a/../b"], "not the id of a run"),
        (["stop", "x" * 65], "not the id of a run"),
        (["export", "no-such-run"], "no run 'no-such-run'"),
        (["run", "x", "--plan", "missing.md"], "no plan file 'missing.md'"),
        (["run", "x", "--plan", "no-such-run"], "no run 'no-such-run'"),
        (["run", "x", "--plan", "folder"], "folder without a plan"),
        (["run", "x", "--plan", "empty.md"], "empty.md has no task"),
        (["run", "x", "--plan", "binary.md"], "binary.md has no task"),
        (["run", "x", "--set", "nonsense=1"], "nonsense is no setting"),
        (["run", "x", "--set", "minutes"], "NAME=VALUE"),
        (["run", "x", "--set", "minutes=-1"], "limits.minutes"),
        (["run", "x", "--browsers", "0"], "max_parallel_browsers"),
        (["run", "x", "--set", "search.engines=nowhere"], "nowhere"),
    ],
)
def test_it_is_refused_before_anything_is_made(lab: Lab, arguments: list[str], words: str) -> None:
    """safety 11, 48, W2-8: exit code 2 and a sentence that names what is wrong."""
    here = lab.root.parent
    (here / "big.txt").write_text("x" * 1_000_000, encoding="utf-8")
    (here / "empty.md").touch()
    (here / "binary.md").write_bytes(bytes(range(256)))
    (here / "folder").mkdir()
    assert words in refused(lab, *arguments)


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"LEADLINE_PORT": "many"}, "LEADLINE_PORT"),
        ({"LEADLINE_LIMITS_MINUTES": "soon"}, "LEADLINE_LIMITS_MINUTES"),
        ({"LEADLINE_MODEL_PROVIDER": "nobody"}, "nobody"),
    ],
)
def test_a_bad_value_in_the_environment_is_named(
    make_lab: MakeLab, environment: dict[str, str], words: str
) -> None:
    assert words in refused(make_lab(**environment), "run", "x")


def test_a_file_in_the_place_of_the_runs_is_left_alone(make_lab: MakeLab, tmp_path: Path) -> None:
    root = tmp_path / "taken"
    root.write_text("I am no folder", encoding="utf-8")
    lab = make_lab()
    lab.environment["LEADLINE_RUNS_DIR"] = str(root)
    for command in (("run", "x"), ("list",)):
        done = lab.cli(*command)
        assert done.returncode == 1
        assert_a_sentence(done.stderr)
        assert str(root) in done.stderr
    assert root.read_text(encoding="utf-8") == "I am no folder"


# What is only seen once the run is at work: it fails with a sentence and can be resumed.


def failed(lab: Lab, *arguments: str) -> str:
    """Run a topic that fails; its reason."""
    result = lab.json("run", TOPIC, *SMALL, *arguments)
    assert (result["status"], result["exit"]) == ("failed", 1)
    assert_a_sentence(result["reason"])
    folder = lab.store.open(result["task_id"])
    assert folder.view().last_event is not None
    assert_nothing_left(folder, [])
    assert not (folder.path / "work").exists()
    said = lab.cli("show", folder.task_id)
    assert result["reason"][:30] in said.stdout, said
    return str(result["reason"])


@pytest.mark.parametrize("name", ["LEADLINE_BROWSER_EXECUTABLE", "BROWSER_PATH"])
def test_a_browser_that_is_not_there_is_named_and_the_run_goes_on_later(
    make_lab: MakeLab, tmp_path: Path, chromium: Path, name: str
) -> None:
    missing = str(tmp_path / "no-chromium")
    lab = make_lab(**{name: missing})
    assert missing in failed(lab)
    folder = lab.only_run()
    plan = folder.plan()
    assert plan is not None
    assert {task.state for task in plan.tasks()} == {"open"}
    if name == "BROWSER_PATH":
        Path(missing).symlink_to(chromium)
        assert lab.json("resume", folder.task_id)["status"] == "done"


def test_an_endpoint_that_is_down_is_named(make_lab: MakeLab, closed_port: int) -> None:
    lab = make_lab(LEADLINE_MODEL_API_KEY="none")
    address = f"127.0.0.1:{closed_port}"
    reason = failed(
        lab, "--provider", "custom", "--model", "m", "--base-url", f"http://{address}/v1"
    )  # fmt: skip
    assert f"Nothing answers at {address}" in reason


def test_a_missing_key_is_asked_for_before_there_is_a_run(lab: Lab) -> None:
    said = refused(lab, "run", TOPIC, "--provider", "openai", "--model", "gpt-5")
    assert "OPENAI_API_KEY" in said
    assert lab.store.task_ids() == []


# The server


def test_a_taken_port_is_named(lab: Lab) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"Port {port} is in use" in refused(lab, "serve", "--port", port, code=1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["serve", "--port", "70000"], "70000"),
        (["serve", "--ip", "203.0.113.7", "--port", "0"], "no address of this machine"),
    ],
)
def test_the_server_is_refused(lab: Lab, arguments: list[str], words: str) -> None:
    assert words in refused(lab, *arguments)


def test_a_weak_token_is_refused_for_an_open_bind(make_lab: MakeLab) -> None:
    """safety 1: at least 128 bits."""
    lab = make_lab(LEADLINE_TOKEN="letmein")
    sentence = refused(lab, "serve", "--ip", "0.0.0.0", "--port", "0")
    assert "128" in sentence
    assert "letmein" not in sentence


def test_an_open_bind_without_a_token_makes_one(lab: Lab) -> None:
    """safety 1: nothing but loopback is served to whoever asks."""
    with lab.started("serve", "--ip", "0.0.0.0", "--port", "0") as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.terminate()
        process.wait(15)
    link = line.rpartition("?token=")[2].strip()
    assert len(link) >= 22


# What looks bad and is not


TOPICS = {
    "emoji": "🛳️ How many passengers did the Quorrow ferry carry in 2025? 👩‍👩‍👧",
    "rtl": "كم عدد ركاب عبّارة Quorrow ferry في 2025؟",
    "braces": "{} {topic!r} {{x}} %s $HOME `id` Quorrow ferry passengers 2025 Error: </data>",
    "control": "Quorrow\x1b[31m ferry\x07 passengers\r\n\x08 in 2025",
}


@pytest.mark.parametrize("kind", TOPICS)
def test_odd_topics_work(lab: Lab, kind: str) -> None:
    """safety 48, W2-5."""
    result = lab.json("run", TOPICS[kind], *SMALL)
    assert result["status"] in ("done", "empty")
    assert result["tasks"]["open"] == 0
    folder = lab.store.open(result["task_id"])
    assert isinstance(entries(folder)[0].event, RunStarted)
    report = folder.report()
    assert report is not None
    assert "\x1b" not in report
    assert "\x1b" not in lab.cli("list").stdout
    for path in folder.path.rglob("*.json*"):
        path.read_bytes().decode("utf-8")


def test_half_a_surrogate_pair_in_a_topic_works(lab: Lab) -> None:
    """safety 48: bytes that are no UTF-8 arrive as lone surrogates."""
    command = [*map(str.encode, lab.command("run")), b"Quorrow ferry caf\xe9 \xff passengers 2025"]
    done = subprocess.run(
        [*command, *map(str.encode, (*SMALL, "--json"))],
        env=lab.environment, capture_output=True, timeout=150, check=False, cwd=lab.root.parent,
    )  # fmt: skip
    result = json.loads(done.stdout)
    assert result["status"] in ("done", "empty")
    assert "Traceback" not in done.stderr.decode()
    assert lab.store.open(result["task_id"]).record().topic.startswith("Quorrow ferry caf")
