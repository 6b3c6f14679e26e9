"""Documentation that is held against the code, and what the locks promise."""

from __future__ import annotations

import ast
import json
import re
import runpy
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from leadline.settings import Settings

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
IMPORT_NAMES = {
    "PIL": "pillow",
    "browser_use": "browser-use",
    "charset_normalizer": "charset-normalizer",
    "dotenv": "python-dotenv",
    "json_repair": "json-repair",
    "genai_prices": "genai-prices",
    "markdown_it": "markdown-it-py",
    "langchain_core": "langchain-core",
    "langchain_openai": "langchain-openai",
    "pydantic_core": "pydantic",
    "pydantic_settings": "pydantic-settings",
    "typing_extensions": "typing-extensions",
    "langchain_anthropic": "langchain-anthropic",
    "langchain_google_genai": "langchain-google-genai",
    "langchain_mistralai": "langchain-mistralai",
    "langchain_ollama": "langchain-ollama",
}


def name_of(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert match
    return match[0].lower()


def test_made_pages_are_up_to_date() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "write_docs.py"))
    pages = script["pages"]()
    assert {path.name for path in pages} == {"settings.md", "cli.md", "evidence.md"}
    for path, text in pages.items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run 'make docs'"


def test_the_schema_of_the_evidence_is_that_of_its_model() -> None:
    """S3-47: what docs/evidence.md prints is what is written and read, every field explained."""
    from leadline.domain.claims import ClaimState
    from leadline.domain.evidence_file import EVIDENCE_FORMAT, EvidenceFile

    text = (DOCS / "evidence.md").read_text(encoding="utf-8")
    printed = json.loads(text.split("```json\n")[1].split("```")[0])
    assert printed["properties"]["format"]["const"] == EVIDENCE_FORMAT
    assert f"`format` is {EVIDENCE_FORMAT}." in text
    assert set(printed["properties"]) == set(EvidenceFile.model_fields)
    by_hand = text.split("## evidence.json")[1].split("<!-- begin")[0]
    for name in EvidenceFile.model_fields:
        assert f"`{name}`" in by_hand, f"docs/evidence.md does not explain {name}"
    for state in ClaimState:
        assert f"| `{state.value}` |" in text


def test_every_setting_is_documented() -> None:
    text = (DOCS / "settings.md").read_text(encoding="utf-8")
    for info in Settings.table().values():
        assert f"`{info.key}`" in text
        assert f"`{info.env}`" in text


def test_the_env_example_holds_real_settings_and_no_value_of_a_key() -> None:
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    names = {info.env for info in Settings.table().values()}
    for name, value in re.findall(r"^#([A-Z_]+)=(.*)$", text, re.MULTILINE):
        assert name in names or not name.startswith("LEADLINE_")
        if name.endswith(("_KEY", "_TOKEN")):
            assert value == ""


def test_links_between_pages_lead_somewhere() -> None:
    for page in [*DOCS.glob("*.md"), ROOT / "README.md"]:
        text = re.sub(r"`[^`\n]*`", "", page.read_text("utf-8"))  # an example in code is no link
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", text):
            assert (page.parent / target).exists(), f"{page.name} → {target}"


def test_every_dependency_is_justified() -> None:
    text = (DOCS / "dependencies.md").read_text(encoding="utf-8")
    groups = PROJECT["dependency-groups"]
    declared = [
        *PROJECT["project"]["dependencies"],
        *(r for extra in PROJECT["project"]["optional-dependencies"].values() for r in extra),
        *(r for group in groups.values() for r in group if isinstance(r, str)),
    ]
    for requirement in declared:
        assert f"`{name_of(requirement)}`" in text, requirement


def test_every_import_is_declared() -> None:
    """A package that merely comes along with another one may leave with it."""
    declared = {name_of(r) for r in PROJECT["project"]["dependencies"]}
    declared |= {
        name_of(r) for extra in PROJECT["project"]["optional-dependencies"].values() for r in extra
    }
    for path in [*(ROOT / "src").rglob("*.py"), ROOT / "webui.py"]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                modules = [node.module]
            for top in {module.split(".")[0] for module in modules}:
                if top in sys.stdlib_module_names or top in {"leadline", "__future__"}:
                    continue
                assert IMPORT_NAMES.get(top, top) in declared, f"{path.name} imports {top}"


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_a_lock_pins_all_with_hashes_and_names_no_host_or_path(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^\s*(#|-)(?!-hash)", text, re.MULTILINE)
    assert not re.search(r"^torch\b", text, re.MULTILINE)
    for entry in re.split(r"\n(?=\S)", text.strip()):
        assert re.match(
            r"[a-z0-9-]+==\S+( ; .+)? \\\n( +--hash=sha256:[0-9a-f]{64}( \\)?\n?)+$", entry
        )


def test_the_locks_agree_and_hold_every_dependency() -> None:
    def pins(name: str) -> set[str]:
        text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
        return set(re.findall(r"^([a-z0-9-]+==\S+)", text, re.MULTILINE))

    runtime, dev, build = pins("runtime.txt"), pins("dev.txt"), pins("build.txt")
    assert runtime <= dev
    assert build <= dev
    names = {pin.split("==")[0] for pin in runtime}
    assert {name_of(r) for r in PROJECT["project"]["dependencies"]} <= names


def test_the_licence_is_whole() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text


def test_the_image_publishes_one_port_and_is_not_root() -> None:
    """Safety 9."""
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert re.findall(r"^EXPOSE (.+)$", dockerfile, re.MULTILINE) == ["7788"]
    assert re.findall(r"^USER (.+)$", dockerfile, re.MULTILINE) == ["leadline"]
    assert dockerfile.index("USER leadline") < dockerfile.index("CMD")
    compose = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    assert re.findall(r'^\s+- "(\S+)"$', compose, re.MULTILINE) == ["127.0.0.1:7788:7788"]
    for word in ("vnc", "9222", "password", "privileged: true"):
        assert word not in (dockerfile + compose).lower()


def test_files_that_the_image_needs_are_not_ignored() -> None:
    allowed = re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text("utf-8"), re.MULTILINE)
    copied = re.findall(r"^COPY (.+) \S+$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    assert sorted(allowed) == sorted(" ".join(copied).split())
    for name in allowed:
        assert (ROOT / name).exists()
