"""``leadline doctor``: look at everything a run needs, and say in a sentence what to do.

Each check really does the thing (starts the browser, asks the endpoint, writes a file). What is
examined is imported when the check runs, so that a broken part fails its own check alone.
"""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from pydantic import SecretStr

from leadline.domain.config import ModelConfig, ModelRole, Provider, RunConfig, SearchEngine
from leadline.errors import InvalidSetting, LeadlineError
from leadline.provider_keys import mask
from leadline.settings import Settings

if TYPE_CHECKING:
    from leadline.models.grading import Grade

_PARTS = {
    "answers": "Answers",
    "json": "JSON",
    "passages": "Passages",
    "honest": "No answer",
    "worker": "Browsing step",
    "injection": "Planted order",
    "language": "Language",
    "cites": "Citations",
}

BROWSER_SECONDS = 20.0
NETWORK_SECONDS = 10.0
LOW_DISK_BYTES = 1_000_000_000
NO_DISK_BYTES = 100_000_000

_ADDRESSES = {
    SearchEngine.DUCKDUCKGO: "https://html.duckduckgo.com/html/?q={query}",
    SearchEngine.BING: "https://www.bing.com/search?q={query}",
    SearchEngine.DDGS: "https://duckduckgo.com/?q={query}",
}
_TRACING = ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "LANGSMITH_TRACING_V2")


@dataclass(frozen=True)
class Check:
    """What one look showed. ``needed``: nothing works while this is not ``ok``."""

    name: str
    ok: bool
    sentence: str
    needed: bool = True

    def to_wire(self) -> dict[str, Any]:
        """The check as JSON."""
        return {"name": self.name, "ok": self.ok, "needed": self.needed, "sentence": self.sentence}


def examine(root: Path | None = None) -> list[Check]:
    """All checks, in the order a person would mend things."""
    checks = [_python()]
    try:
        settings = Settings(runs_dir=root)
        config = settings.run_config(check_model=False)
    except InvalidSetting as error:
        return [*checks, Check("Settings", False, str(error))]
    checks += _settings(settings)
    for check in (
        lambda: _browser(config),
        lambda: _model(settings),
        lambda: _search(config),
        lambda: [_folder(settings.runs_dir), _disk(settings.runs_dir)],
        lambda: [_port(settings)],
        lambda: [_telemetry()],
    ):
        checks += _guarded(check)
    return checks


def _guarded(check: Callable[[], list[Check]]) -> list[Check]:
    """A part that cannot even be looked at is one failed check, not the end of the doctor."""
    try:
        return check()
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        return [Check("Leadline", False, f"A check could not be made: {type(error).__name__}.")]


def grade_model(settings: Settings, **overrides: Any) -> Grade:
    """Grade the model of the settings, or the one that the overrides name, in two minutes.

    Raises :class:`InvalidSetting` when there is none, or it lacks a name, an address or a key.
    """
    from leadline.models.factory import check_config
    from leadline.models.grading import grade

    model = settings.run_config(**overrides).model
    if model.provider is Provider.OFFLINE:
        raise InvalidSetting(
            "The offline model needs no grade: name another one with --model, or in "
            "LEADLINE_MODEL_NAME."
        )
    key = settings.api_key(model)
    check_config(model, key)
    return asyncio.run(grade(model, key))


def grade_checks(grade: Grade) -> list[Check]:
    """A grade as the doctor shows it: a line for each part, the measures, the verdict."""
    from leadline.models.grading import NEEDED, Fitness

    checks = [Check(_PARTS[m.part], m.passed, m.sentence, m.part in NEEDED) for m in grade.marks]
    speed = (
        f"{grade.seconds_an_answer:g} s and {grade.tokens_an_answer:g} tokens an answer, "
        f"{grade.calls} calls in {grade.seconds:g} s."
    )
    checks.append(Check("Speed", grade.calls > 0, speed, needed=False))
    fitness = grade.fitness
    needed = fitness is Fitness.OFFLINE
    return [*checks, Check("Verdict", fitness is Fitness.FIT, grade.verdict, needed)]


def _python() -> Check:
    version = platform.python_version()
    ok = (3, 11) <= sys.version_info[:2] <= (3, 14)
    return Check(
        "Python", ok, f"{version} runs." if ok else f"{version} is not supported: use 3.11 to 3.14."
    )


def _settings(settings: Settings) -> list[Check]:
    unknown = settings.unknown_variables()
    if unknown:
        return [Check("Settings", False, sentence, needed=False) for sentence in unknown]
    return [Check("Settings", True, "All settings can be read.")]


def _browser(config: RunConfig) -> list[Check]:
    from leadline.browsing.chromium import find_chromium

    browser = config.browser
    if browser.cdp_url:
        return [_reachable("Browser", browser.cdp_url.rstrip("/") + "/json/version")]
    try:
        path = find_chromium(browser)
    except LeadlineError as error:
        return [Check("Browser", False, str(error))]
    version = _version(path)
    if not version:
        sentence = f"{path} does not say its version: install it again, or set BROWSER_PATH."
        return [Check("Browser", False, sentence)]
    failure = _starts(path)
    if failure:
        sentence = f"{path} does not start ({failure}); try 'playwright install-deps chromium'."
        return [Check("Browser", False, sentence)]
    return [Check("Browser", True, f"{version} starts ({path}).")]


def _version(path: Path) -> str:
    command = [str(path), "--version"]
    if platform.system() == "Windows":
        return path.name  # there Chrome opens a window instead of answering
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=BROWSER_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip().split("\n")[0][:80] if done.returncode == 0 else ""


def _starts(path: Path) -> str:
    """Open a page in the browser and close it; what went wrong, or nothing."""
    from playwright.sync_api import Error, sync_playwright

    from leadline.browsing.chromium import needs_no_sandbox

    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=path,
                chromium_sandbox=not needs_no_sandbox(),
                timeout=BROWSER_SECONDS * 1000,
            )
            page = browser.new_page()
            page.set_content("<title>ready</title>")
            title = page.title()
            browser.close()
    except Error as error:
        return str(error).strip().split("\n")[0][:200]
    return "" if title == "ready" else "it shows no page"


def _model(settings: Settings) -> list[Check]:
    """The main model and those of roles, each endpoint and name asked once."""
    config = settings.run_config(check_model=False)
    try:
        run = settings.run_config()
    except InvalidSetting as error:
        return [Check("Model", False, str(error))]
    checks: list[Check] = []
    if config.model.provider is Provider.OFFLINE:
        hint = settings.model_hint()
        checks.append(Check("Model", True, f"The offline model needs nothing. {hint}".strip()))
    else:
        key, origin = settings.api_key(run.model), settings.key_origin(run.model)
        checks.append(_endpoint("Model", run.model, run, key, origin))
    asked: dict[tuple[str, str, str, str], list[ModelRole]] = {}
    for role, model in run.roles.items():
        key = settings.role_key(role, run)
        secret = key.get_secret_value() if key else ""
        asked.setdefault((model.provider, model.base_url, model.name, secret), []).append(role)
    for roles in asked.values():
        name, model = f"Model ({', '.join(roles)})", run.roles[roles[0]]
        if model.provider is Provider.OFFLINE:
            checks.append(Check(name, True, "The offline model needs nothing."))
            continue
        key, origin = settings.role_key(roles[0], run), settings.role_key_origin(roles[0], run)
        checks.append(_endpoint(name, model, run, key, origin))
    return checks


def _endpoint(
    name: str, model: ModelConfig, run: RunConfig, key: SecretStr | None, origin: str
) -> Check:
    origin = f"key {mask(key)} from {origin}" if key else "no key"
    try:
        asyncio.run(_ask(model, run, key))
    except LeadlineError as error:
        return Check(name, False, f"{error} ({model.provider}, {origin})")
    return Check(name, True, f"{model.name} of {model.provider} answers ({origin}).")


async def _ask(model_config: ModelConfig, run: RunConfig, key: SecretStr | None) -> None:
    from leadline.models.factory import create_model

    model = create_model(model_config, key, limits=run.limits, on_call=lambda _call: None)
    try:
        await model.check()
    finally:
        await model.aclose()


def _search(config: RunConfig) -> list[Check]:
    search = config.search
    checks = []
    for engine in search.engines:
        name = f"Search ({engine})"
        address = _address(engine, search.template_url, search.searxng_url)
        if engine is SearchEngine.DEMO:
            checks.append(_demo(name))
        elif not address:
            sentence = f"search.{engine}_url is not set: it is the address of the engine."
            checks.append(Check(name, False, sentence))
        else:
            checks.append(_reachable(name, address))
    if any(check.ok for check in checks):
        # One engine is enough: the others are only tried when it fails.
        return [Check(c.name, c.ok, c.sentence, needed=False) for c in checks]
    return checks


def _address(engine: SearchEngine, template_url: str, searxng_url: str) -> str:
    template = _ADDRESSES.get(engine, "")
    if engine is SearchEngine.TEMPLATE:
        template = template_url
    elif engine is SearchEngine.SEARXNG and searxng_url:
        template = searxng_url.rstrip("/") + "/search?format=json&q={query}"
    return template.replace("{query}", quote("leadline"))


def _demo(name: str) -> Check:
    from leadline.demo.server import DemoWeb

    with DemoWeb.running(port=0) as web:
        page = urlsplit(web.search_url.replace("{query}", "ferry"))
        # Its names need no DNS in the browser; here the address is asked with the name as Host.
        address = f"http://127.0.0.1:{page.port}{page.path}?{page.query}"
        check = _reachable(name, address, host=page.netloc)
    return Check(name, check.ok, "The demo web answers." if check.ok else check.sentence)


def _reachable(name: str, address: str, *, host: str = "") -> Check:
    """Whether an HTTP address answers and does not refuse us; ``host`` is another Host header."""
    import httpx

    headers = {"Host": host} if host else {}
    host = host or urlsplit(address).hostname or address
    try:
        with httpx.Client(timeout=NETWORK_SECONDS, follow_redirects=True) as client:
            status = client.get(address, headers=headers).status_code
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        sentence = f"{host} does not answer ({type(error).__name__}): check address and network."
        return Check(name, False, sentence)
    if status >= 400:
        return Check(name, False, f"{host} refuses us for now (HTTP {status}).")
    return Check(name, True, f"{host} answers.")


def _folder(folder: Path) -> Check:
    existing = next((p for p in (folder, *folder.parents) if p.exists()), folder)
    try:
        with tempfile.TemporaryFile(dir=existing) as handle:
            handle.write(b"leadline")
            handle.flush()
            os.fsync(handle.fileno())
    except OSError as error:
        sentence = f"{folder} cannot be written ({error.strerror}): choose another with runs_dir."
        return Check("Folder", False, sentence)
    return Check("Folder", True, f"{folder} can be written.")


def _disk(folder: Path) -> Check:
    existing = next((p for p in (folder, *folder.parents) if p.exists()), Path.cwd())
    free = shutil.disk_usage(existing).free
    shown = f"{free / 1e9:.1f} GB are free"
    if free < NO_DISK_BYTES:
        return Check("Disk", False, f"Only {shown}: make room before you start a run.")
    if free < LOW_DISK_BYTES:
        return Check("Disk", False, f"Only {shown}: long runs may need more.", needed=False)
    return Check("Disk", True, f"{shown}.")


def _port(settings: Settings) -> Check:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        if os.name != "nt":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError:
            sentence = (
                f"{settings.host}:{settings.port} is in use (perhaps by Leadline itself): "
                "the page needs it, or another one by --port."
            )
            return Check("Port", False, sentence, needed=False)
    return Check("Port", True, f"{settings.host}:{settings.port} is free.")


def _telemetry() -> Check:
    """Runs turn off browser-use's and Gradio's themselves; LangSmith would be the user's wish."""
    on = next(_set_to_true(_TRACING), "")
    if on:
        sentence = f"{on} is on: questions and pages would be sent to LangSmith; unset it."
        return Check("Telemetry", False, sentence, needed=False)
    return Check("Telemetry", True, "Nothing is sent to anybody but model, search and pages.")


def _set_to_true(names: tuple[str, ...]) -> Iterator[str]:
    return (name for name in names if os.environ.get(name, "").lower() in {"1", "true"})
