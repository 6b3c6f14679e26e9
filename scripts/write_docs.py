"""Fill the parts of docs/ that come from the code, or say which pages are out of date.

A page is written by hand but for what stands between ``<!-- begin NAME (make docs) -->`` and
``<!-- end NAME -->``.

    python scripts/write_docs.py            # write
    python scripts/write_docs.py --check    # exit code 1 when a page is out of date
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import typer

from leadline.cli import app
from leadline.domain.evidence_file import EvidenceFile
from leadline.domain.providers import KEY_VARIABLES
from leadline.provider_keys import URL_NAMES
from leadline.settings import Settings
from leadline.settings_table import settings_markdown

DOCS = Path(__file__).resolve().parent.parent / "docs"
HELP_WIDTH = 100


def main(arguments: list[str]) -> int:
    """Write or check all pages."""
    stale = {path: text for path, text in pages().items() if path.read_text("utf-8") != text}
    for path, text in stale.items():
        if "--check" in arguments:
            say(f"docs/{path.name} is out of date: run 'make docs'.")
        else:
            path.write_text(text, encoding="utf-8", newline="\n")
            say(f"Wrote docs/{path.name}")
    return 1 if stale and "--check" in arguments else 0


def pages() -> Mapping[Path, str]:
    """Every page with a made part, as it should be."""
    found = {path: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md"))}
    return {path: filled(text) for path, text in found.items() if "<!-- begin " in text}


def filled(text: str) -> str:
    """The page with its made parts made anew. Raises ``KeyError`` for a part nobody makes."""
    return re.sub(
        r"(<!-- begin (\S+) \(make docs\) -->\n).*?(<!-- end \2 -->)",
        lambda match: f"{match[1]}\n{PARTS[match[2]]().strip()}\n\n{match[3]}",
        text,
        flags=re.DOTALL,
    )


def settings_part() -> str:
    """A table for each section."""
    return settings_markdown(Settings.table())


def providers_part() -> str:
    """Which variables belong to which provider."""
    lines = ["| Provider | Its key | Its address |", "|---|---|---|"]
    for provider in dict.fromkeys([*KEY_VARIABLES, *URL_NAMES]):
        keys = ", ".join(f"`{name}`" for name in KEY_VARIABLES.get(provider, ()))
        urls = ", ".join(f"`{name}`" for name in URL_NAMES.get(provider, ()))
        lines.append(f"| `{provider}` | {keys} | {urls} |")
    return "\n".join(lines)


def commands_part() -> str:
    """The help of each command."""
    group = typer.main.get_command(app)
    width = {"max_content_width": HELP_WIDTH, "terminal_width": HELP_WIDTH}
    parts: list[str] = []
    with group.make_context("leadline", [], resilient_parsing=True) as context:
        for name, command in group.commands.items():  # type: ignore[attr-defined]  # it is a group
            with command.make_context(
                name, [], parent=context, resilient_parsing=True, **width
            ) as inner:
                text = command.get_help(inner).strip()
            parts.append(f"## leadline {name}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def evidence_schema_part() -> str:
    """The JSON schema of evidence.json, without the titles that pydantic makes up."""
    schema = without_titles(EvidenceFile.model_json_schema(mode="serialization"))
    text = json.dumps(schema, ensure_ascii=False, indent=1)
    return f"<details><summary>JSON schema</summary>\n\n```json\n{text}\n```\n\n</details>"


def without_titles(value: Any) -> Any:
    """A schema without ``title``, which only says the name of a field again."""
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if k != "title" or not isinstance(v, str)}
        return {key: without_titles(part) for key, part in kept.items()}
    return [without_titles(part) for part in value] if isinstance(value, list) else value


PARTS: Mapping[str, Callable[[], str]] = {
    "settings": settings_part,
    "providers": providers_part,
    "commands": commands_part,
    "evidence-schema": evidence_schema_part,
}


def say(sentence: str) -> None:
    """One line for the person who waits."""
    print(sentence, file=sys.stderr)  # noqa: T201 - a script talks to its user


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
