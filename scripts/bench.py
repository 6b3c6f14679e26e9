"""``make bench``: measure against a scripted endpoint that takes a second an answer.

The endpoint is the tests' own (real HTTP, through langchain-openai); it answers by rule, so what
is measured is Leadline and not a model. Writes ``docs/benchmarks.md``.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.openai_server import OpenAIServer  # noqa: E402 - tests are found by the line above

PAGE = ROOT / "docs" / "benchmarks.md"
LATENCY = 1.0
WIDE = [
    "--set", "max_tasks_per_category=6", "--set", "min_tasks_per_category=4",
    "--set", "max_research_loops=0",
]  # fmt: skip
"""Stages of several tasks each, so that four browsers have something to do side by side."""


def main(arguments: list[str]) -> int:
    """Run ``leadline bench`` with further arguments; returns its exit code."""
    note = f"The model is a scripted endpoint on this machine that takes {LATENCY:g} s an answer."
    with OpenAIServer(latency=LATENCY) as server:
        command = [
            sys.executable, "-m", "leadline", "bench", "--provider", "custom",
            "--model", "scripted", "--base-url", server.base_url, "--note", note,
            "--output", str(PAGE), *WIDE, *arguments,
        ]  # fmt: skip
        before = PAGE.read_text(encoding="utf-8")
        code = subprocess.run(command, cwd=ROOT).returncode
    # The section of bench_truth.py stays at the end of the page.
    _, mark, truth = before.partition("\n## Truth")
    speed = PAGE.read_text(encoding="utf-8").partition("\n## Truth")[0].rstrip()
    PAGE.write_text(f"{speed}\n{mark}{truth}", encoding="utf-8", newline="\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
