"""Grade three models against the truth of the demo web; writes a section of docs/benchmarks.md.

The offline model, and the tests' scripted endpoint, once honest and once with every second claim,
sentence and verdict a lie (real HTTP, through langchain-openai).
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.openai_server import OpenAIServer  # noqa: E402

from leadline.bench_truth import markdown  # noqa: E402 - found by the line above
from leadline.grading import Grades  # noqa: E402

PAGE = ROOT / "docs" / "benchmarks.md"
HEADING = "## Truth"


def main() -> int:
    """Run all models on all subjects and put the table at the end of the page."""
    columns: list[Grades] = []
    sound = True
    for name, mode, level in (
        ("offline", "", "check"),
        ("honest endpoint", "competent", "check"),
        ("honest endpoint, debate", "competent", "debate"),
        ("endpoint that lies at 50 %", "lying", "check"),
    ):
        with ExitStack() as stack:
            model: list[str] = []
            if mode:
                server = stack.enter_context(OpenAIServer(mode=mode))
                model = ["--provider", "custom", "--model", mode, "--base-url", server.base_url]
            command = [
                sys.executable, "-m", "leadline", "bench", "truth", "--json",
                "--verification", level, *model, *sys.argv[1:],
            ]  # fmt: skip
            done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        if done.returncode not in (0, 1):
            return done.returncode
        sound = sound and done.returncode == 0
        runs = json.loads(done.stdout)["runs"]
        columns += [Grades.from_wire({**wire, "model": name}) for wire in runs]
    before = PAGE.read_text(encoding="utf-8").partition(f"\n{HEADING}")[0].rstrip()
    note = (
        f"`python scripts/bench_truth.py` on {datetime.now(UTC):%Y-%m-%d}: Standard runs on both "
        "subjects of the demo web, graded by rule against its truth files. No model judges."
    )
    text = f"{before}\n\n{HEADING}\n\n{markdown(columns, note=note)}"
    PAGE.write_text(text, encoding="utf-8", newline="\n")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
