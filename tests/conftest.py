"""What every test stands on: no network but this machine, a clean environment, a folder of its own.

The network is cut by pytest-socket (``--allow-hosts`` in ``pyproject.toml``). Keys, ``LEADLINE_*``
and settings files of whoever runs the tests never reach them.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from tests.cli_calls import Done, Run

# A busy machine makes no property false: pytest-timeout is the limit, not a deadline an example.
settings.register_profile("leadline", deadline=None)
settings.load_profile("leadline")

# Before anything imports them: no test talks to a telemetry host, none even tries.
os.environ.update(
    ANONYMIZED_TELEMETRY="false",
    BROWSER_USE_CLOUD_SYNC="false",
    GRADIO_ANALYTICS_ENABLED="False",
    HF_HUB_OFFLINE="1",
    LANGSMITH_TRACING="false",
    LANGCHAIN_TRACING_V2="false",
)

_PREFIXES = ("LEADLINE_", "BROWSER_")
_KEPT = {"BROWSER_USE_CLOUD_SYNC"}
_NAMES = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "AZURE_OPENAI_API_KEY",
    "AZURE_OPENAI_ENDPOINT",
    "OPENROUTER_API_KEY",
    "DEEPSEEK_API_KEY",
    "ANTHROPIC_API_KEY",
    "GOOGLE_API_KEY",
    "GEMINI_API_KEY",
    "MISTRAL_API_KEY",
    "LLM_API_KEY",
    "LLM_BASE_URL",
    "LLM_MODEL_ID",
    "LLM_PROVIDER",
    "LOCAL_LLM",
    "OLLAMA_BASE_URL",
    "LMSTUDIO_BASE_URL",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
)
_BROWSER_PATH = os.environ.get("BROWSER_PATH", "")


@pytest.fixture(autouse=True)
def _clean_surroundings(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No settings of the person who runs the tests; the working folder is the test's own."""
    for name in list(os.environ):
        if name in _NAMES or (name.startswith(_PREFIXES) and name not in _KEPT):
            monkeypatch.delenv(name)
    if _BROWSER_PATH and request.node.get_closest_marker("browser"):
        monkeypatch.setenv("BROWSER_PATH", _BROWSER_PATH)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def runs_root(tmp_path: Path) -> Path:
    """An empty folder for runs, where a default one would be."""
    root = tmp_path / "tmp" / "deep_research"
    root.mkdir(parents=True)
    return root


@pytest.fixture(scope="session")
def chromium() -> Path:
    """The Chromium that browser tests use. Its absence is a failure, never a skip."""
    from leadline.browsing.chromium import find_chromium
    from leadline.domain.config import BrowserConfig
    from leadline.errors import BrowserMissing

    try:
        return find_chromium(BrowserConfig(executable=_BROWSER_PATH))
    except BrowserMissing as error:
        pytest.fail(f"Browser tests need a Chromium: {error} 'make setup' installs one.")


@pytest.fixture
def leadline(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Call the command line in this process."""
    from leadline import cli

    def call(*arguments: str, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "argv", ["leadline", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        monkeypatch.setenv("COLUMNS", "200")
        with pytest.raises(SystemExit) as ended:
            cli.main()
        captured = capsys.readouterr()
        return Done(int(ended.value.code or 0), captured.out, captured.err)

    return call


STAND_IN_SITE = """
import sys
if sys.orig_argv[1:3] == ["-m", "leadline.runner"]:
    import os, runpy, traceback
    sys.argv = ["runner", *sys.orig_argv[3:]]
    try:
        runpy.run_path(os.environ["STAND_IN"], run_name="__main__")
    except BaseException:  # without this the real runner would go on instead
        traceback.print_exc()
        os._exit(70)
    os._exit(0)
"""

STAND_IN_RUNNER = """
import os, sys, time
from pathlib import Path
from leadline.domain import events as ev
from leadline.domain.evidence import PageContent, Passage, PassageRef
from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.domain.run import RunStatus, Usage
from leadline.runs.session import RunSession
from leadline.runs.store import RunStore

mode = os.environ.get("STAND_IN_MODE", "")
folder = RunStore(Path(sys.argv[3])).open(sys.argv[1])
with RunSession.acquire(folder) as session:
    number = session.number
    session.emit(ev.RunStarted(session=number, pid=os.getpid(), model="stand-in"))
    session.set_status(RunStatus.PLANNING)
    if session.view.plan is None:
        tasks = (Task(text="How \\x1b[31mdeep"), Task(text="How old"))
        session.write_plan(Plan(categories=(Category(name="Basics", tasks=tasks),)), "model")
    if folder.record().config.plan_first and number == 1:
        session.end(ev.RunFinished(status=RunStatus.PLANNED))
        os._exit(0)
    session.set_status(RunStatus.RESEARCHING)
    if mode == "crash":
        os._exit(9)
    while mode == "wait" and not session.stop_requested():
        time.sleep(0.02)
    if session.stop_requested():
        session.set_status(RunStatus.STOPPING)
        session.end(ev.RunStopped(reason="Its user stopped it."))
        os._exit(3)
    if mode == "failed":
        session.end(ev.RunFailed(reason="The model is down."))
        os._exit(1)
    session.emit(ev.ModelCalled(role="planner", usage=Usage(calls=1), seconds=0.1, ok=True))
    session.emit(ev.BrowserOpened(pid=1, live=1))
    for task in session.view.plan.tasks():
        if task.state is not TaskState.OPEN:
            continue
        if mode == "empty":
            session.finish_task(task.id, 1, TaskState.FAILED, "No page says so.")
            continue
        page = PageContent(
            "https://a.example/" + task.id,
            (Passage(number=1, text="It is nine fathoms " + task.id),),
            title="Depths \\x1b[2J", site="a.example", language="en",
        )
        source = session.add(page, task=task.id)
        found = session.record(
            task=task.id, claim="Nine fathoms.", passages=[PassageRef(source=source.id, passage=1)]
        )
        session.finish_task(task.id, 1, TaskState.DONE, findings=[found.id])
    session.emit(ev.BrowserClosed(pid=1, live=0))
    if mode == "empty":
        session.end(ev.RunFinished(status=RunStatus.EMPTY, reason="No source could be cited."))
        os._exit(0)
    session.write_report("# Depths\\n\\nNine fathoms. [1]\\n", citations=1, resolved=1, sources=1)
    session.end(ev.RunFinished(status=RunStatus.DONE))
"""


@pytest.fixture
def stand_in_runner(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """Runs are real child processes that pretend to research; ``STAND_IN_MODE`` says how.

    Modes: nothing (done), ``wait`` (until a stop), ``failed``, ``empty``, ``crash``.
    """
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(STAND_IN_SITE, encoding="utf-8")
    (site / "stand_in.py").write_text(STAND_IN_RUNNER, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(site), prepend=os.pathsep)
    monkeypatch.setenv("STAND_IN", str(site / "stand_in.py"))
    return monkeypatch
