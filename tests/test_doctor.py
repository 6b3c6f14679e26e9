"""``leadline doctor``: every check tells what to do."""

from __future__ import annotations

import json
import shutil
import socket
import sys
from collections import namedtuple
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from leadline import cli, doctor
from leadline.doctor import Check, examine
from leadline.errors import InvalidSetting
from leadline.settings import Settings
from tests import openai_brain as brain
from tests.openai_server import Answer, ChatCall, OpenAIServer, as_asked

CANARY = "sk-canary-0123456789abcdef"


@pytest.fixture
def no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks of other things need not start one."""
    monkeypatch.setattr(doctor, "_browser", lambda _: [Check("Browser", True, "pretended")])


@pytest.fixture
def endpoint(request: pytest.FixtureRequest) -> Iterator[str]:
    """A server on this machine that answers everything with one HTTP status."""
    status: int = getattr(request, "param", 200)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Stay quiet."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def find(checks: list[Check], name: str) -> Check:
    [check] = [c for c in checks if c.name == name]
    return check


@pytest.mark.browser
@pytest.mark.usefixtures("chromium")
def test_everything_is_well_with_a_chromium_and_without_a_model() -> None:
    checks = examine()
    assert [c for c in checks if c.needed and not c.ok] == []
    assert "starts" in find(checks, "Browser").sentence
    assert find(checks, "Search (demo)").sentence == "The demo web answers."
    assert "offline model" in find(checks, "Model").sentence


def test_a_browser_that_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "nothing"))
    missing = find(examine(), "Browser")
    assert (missing.ok, missing.needed) == (False, True)
    assert "not a program" in missing.sentence
    monkeypatch.setenv("BROWSER_PATH", shutil.which("false") or "false")
    assert "version" in find(examine(), "Browser").sentence


@pytest.mark.usefixtures("no_browser")
def test_a_model_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        free = taken.getsockname()[1]
    monkeypatch.setenv("LEADLINE_MODEL_NAME", "m")
    monkeypatch.setenv("LEADLINE_MODEL_BASE_URL", f"http://127.0.0.1:{free}/v1")
    monkeypatch.setenv("LEADLINE_MODEL_API_KEY", CANARY)
    monkeypatch.setenv("LEADLINE_SEARCH_ENGINES", "demo")
    check = find(examine(), "Model")
    assert not check.ok
    assert "LEADLINE_MODEL_API_KEY in the environment" in check.sentence
    assert "sk-c...cdef" in check.sentence
    assert CANARY not in check.sentence


@pytest.mark.usefixtures("no_browser")
def test_a_provider_without_a_model_or_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_SEARCH_ENGINES", "demo")
    monkeypatch.setenv("LEADLINE_MODEL_PROVIDER", "openai")
    assert "LEADLINE_MODEL_NAME" in find(examine(), "Model").sentence
    monkeypatch.setenv("LEADLINE_MODEL_NAME", "gpt-5")
    assert "OPENAI_API_KEY" in find(examine(), "Model").sentence


@pytest.mark.usefixtures("no_browser")
def test_one_search_engine_that_answers_is_enough(
    monkeypatch: pytest.MonkeyPatch, endpoint: str
) -> None:
    monkeypatch.setenv("LEADLINE_SEARCH_ENGINES", "searxng,template")
    monkeypatch.setenv("LEADLINE_SEARCH_SEARXNG_URL", endpoint)
    checks = examine()
    assert find(checks, "Search (searxng)").ok
    template = find(checks, "Search (template)")
    assert (template.ok, template.needed) == (False, False)
    assert "template_url" in template.sentence


@pytest.mark.usefixtures("no_browser")
@pytest.mark.parametrize("endpoint", [429], indirect=True)
def test_a_search_engine_that_refuses(monkeypatch: pytest.MonkeyPatch, endpoint: str) -> None:
    monkeypatch.setenv("LEADLINE_SEARCH_ENGINES", "searxng")
    monkeypatch.setenv("LEADLINE_SEARCH_SEARXNG_URL", endpoint)
    check = find(examine(), "Search (searxng)")
    assert (check.ok, check.needed) == (False, True)
    assert "HTTP 429" in check.sentence


@pytest.mark.usefixtures("no_browser")
def test_a_port_that_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setenv("LEADLINE_PORT", str(taken.getsockname()[1]))
        check = find(examine(), "Port")
    assert (check.ok, check.needed) == (False, False)
    assert "--port" in check.sentence


@pytest.mark.usefixtures("no_browser")
def test_a_folder_that_cannot_be_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    check = find(examine(tmp_path / "file"), "Folder")
    assert not check.ok
    assert "runs_dir" in check.sentence


def test_a_disk_that_is_full(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: usage(1, 1, 5_000_000))
    assert doctor._disk(tmp_path).needed
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: usage(1, 1, 500_000_000))
    check = doctor._disk(tmp_path)
    assert (check.ok, check.needed) == (False, False)


def test_tracing_that_is_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Safety 22."""
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    assert "LANGSMITH_TRACING" in doctor._telemetry().sentence
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
    assert doctor._telemetry().ok


def test_settings_that_cannot_be_read_end_the_examination() -> None:
    Path("leadline.toml").write_text("port = 'x'", encoding="utf-8")
    checks = examine()
    assert [c.name for c in checks] == ["Python", "Settings"]
    assert not checks[-1].ok


def test_a_misspelt_variable_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_PROT", "1")
    [check] = doctor._settings(Settings())
    assert "LEADLINE_PORT" in check.sentence


@pytest.mark.parametrize(("needed", "code"), [(True, 1), (False, 0)])
def test_the_exit_code_tells_whether_something_needed_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], needed: bool, code: int
) -> None:
    checks = [Check("A", True, "Well."), Check("B", False, "Do this.", needed=needed)]
    monkeypatch.setattr(doctor, "examine", lambda _: checks)
    for arguments in (["doctor"], ["doctor", "--json"]):
        monkeypatch.setattr(sys, "argv", ["leadline", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert ended.value.code == code
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["✓ A: Well.", "✗ B: Do this."]
    assert json.loads(lines[2])["ok"] is not needed


@pytest.mark.usefixtures("no_browser")
def test_each_endpoint_of_a_role_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A role's model that does not answer is found before a run needs it."""
    monkeypatch.setenv("LEADLINE_SEARCH_ENGINES", "demo")
    with OpenAIServer() as main, OpenAIServer(mode="401") as other:
        monkeypatch.setenv("LEADLINE_MODEL_NAME", "big")
        monkeypatch.setenv("LEADLINE_MODEL_BASE_URL", main.base_url)
        for role in ("VERIFIER", "REFUTER"):
            monkeypatch.setenv(f"LEADLINE_{role}_NAME", "small")
            monkeypatch.setenv(f"LEADLINE_{role}_BASE_URL", other.base_url)
            monkeypatch.setenv(f"LEADLINE_{role}_API_KEY", CANARY)
        checks = examine()
        assert find(checks, "Model").ok
        wrong = find(checks, "Model (verifier, refuter)")
        assert (wrong.ok, wrong.needed) == (False, True)
        assert "LEADLINE_VERIFIER_API_KEY in the environment" in wrong.sentence
        assert CANARY not in wrong.sentence
        assert (main.calls, other.calls) == (1, 1)


def a_good_model(call: ChatCall) -> Answer:
    german = "in German" in call.system
    if call.kind == "writer":
        return Answer(
            "Die Linie fährt seit 1987 und hat in dem Jahr sehr viele Leute befördert [c1]."
            if german
            else "The line has run since 1987 and it carried a lot of people in the year [c1]."
        )
    return as_asked(call, brain.answer(call.kind, call.system, call.user))


def run_doctor(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as end:
        cli.app(["doctor", *arguments], standalone_mode=True)
    return int(str(end.value.code)), capsys.readouterr().out


def test_a_model_is_graded_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    with OpenAIServer(behaviour=a_good_model) as server:
        named = ("--model", "good", "--base-url", server.base_url)
        code, out = run_doctor(capsys, *named, "--json")
        wire = json.loads(out)
        assert (code, wire["fitness"], wire["model"]) == (0, "fit", "good")
        assert wire["json_steps"] == ["schema", "tool", "text"]
    with OpenAIServer(mode="inventing") as server:
        code, out = run_doctor(capsys, "--model", "liar", "--base-url", server.base_url)
    assert code == 1
    assert "Browsing step: It recorded a passage that does not exist" in out
    assert "Verdict: liar is not fit" in out
    assert "offline model" in out


def test_the_configured_model_is_graded_without_its_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with OpenAIServer(mode="401") as server:
        monkeypatch.setenv("LEADLINE_MODEL_NAME", "configured")
        monkeypatch.setenv("LEADLINE_MODEL_BASE_URL", server.base_url)
        monkeypatch.setenv("LEADLINE_MODEL_API_KEY", CANARY)
        code, out = run_doctor(capsys, "--model", "--json")
    assert code == 1
    assert json.loads(out)["model"] == "configured"
    assert CANARY not in out


def test_the_offline_model_is_not_graded() -> None:
    with pytest.raises(InvalidSetting, match="--model"):
        doctor.grade_model(Settings(), provider="offline")
    with pytest.raises(InvalidSetting, match="OPENAI_API_KEY"):
        doctor.grade_model(Settings(), provider="openai", model_name="gpt-5")
