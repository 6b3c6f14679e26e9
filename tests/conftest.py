"""What every test stands on: no network but this machine, a clean environment, a folder of its own.

The network is cut by pytest-socket (``--allow-hosts`` in ``pyproject.toml``). Keys, ``LEADLINE_*``
and settings files of whoever runs the tests never reach them.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

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
