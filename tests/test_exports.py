"""What ``import leadline`` gives, and what it does not cost."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import leadline

ROOT = Path(__file__).parent.parent


def test_the_public_names() -> None:
    assert leadline.__all__ == ["ResearchResult", "__version__", "aresearch", "research"]
    for name in leadline.__all__:
        assert getattr(leadline, name) is not None
        assert name in dir(leadline)
    with pytest.raises(AttributeError, match="nothing"):
        _ = leadline.nothing


def test_the_version_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert leadline.__version__ == project["project"]["version"]


def modules_after(statement: str) -> set[str]:
    script = f"import sys\n{statement}\nprint(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=True
    )
    return set(done.stdout.split())


def test_importing_leadline_loads_nothing_heavy() -> None:
    loaded = modules_after("import leadline")
    heavy = {m for m in loaded if m.startswith(("leadline.", "pydantic", "rich", "gradio"))}
    assert heavy <= {"leadline.version"}


def test_importing_the_guardian_stays_light() -> None:
    """It is a process of its own beside every run."""
    loaded = modules_after("import leadline.runs.guardian")
    heavy = ("gradio", "browser_use", "langchain", "langgraph", "playwright", "openai", "fastapi")
    assert not {m for m in loaded if m.startswith(heavy)}


@pytest.mark.parametrize("statement", ["import leadline.cli", "import leadline.api"])
def test_command_line_and_api_never_load_engine_browser_or_models(statement: str) -> None:
    loaded = modules_after(statement)
    layers = ("leadline.engine", "leadline.browsing", "leadline.models", "leadline.web")
    assert not {m for m in loaded if m.startswith((*layers, "gradio", "langchain", "browser_use"))}
