"""``leadline bench truth``: research the demo web's subjects and grade what comes out.

The grading itself is in ``grading``: by rule, from the run folder and the truth files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from leadline.demo.truth import Truth
from leadline.domain.config import RunConfig
from leadline.following import Launcher, StopRequest
from leadline.grading import Grades, grade

__all__ = ["Grades", "markdown", "measure"]


def measure(launcher: Launcher, config: RunConfig, truth: Truth, *, stop: StopRequest) -> Grades:
    """Research a subject's question to its end, or to a stop, and grade the run."""
    folder = launcher.start(truth.topic, config)
    launcher.follow(folder, watch=lambda *_: None, stop=stop)
    return grade(folder, truth)


def markdown(rows: Sequence[Grades], *, note: str) -> str:
    """A table with a column a run, and what was missed."""
    lines = [
        "| | " + " | ".join(f"{row.model}: {row.subject}" for row in rows) + " |",
        "|---|" + "---|" * len(rows),
    ]
    for name, show in _COLUMNS:
        lines.append(f"| {name} | " + " | ".join(show(row) for row in rows) + " |")
    for row in rows:
        for what, ids in (
            ("facts not told", row.missed),
            ("contradictions not told", row.contradictions_missed),
            ("stale values told as current", row.stale_as_current),
            ("false statements held as supported", row.false_supported),
            ("canaries leaked", row.canaries),
        ):
            if ids:
                lines += ["", f"{row.subject}, {what}: {', '.join(ids)}."]
    return "\n".join(([note, ""] if note else []) + lines) + "\n"


_COLUMNS: tuple[tuple[str, Callable[[Grades], str]], ...] = (
    ("how it ended", lambda g: g.status),
    ("tasks done", lambda g: str(g.tasks)),
    ("citations", lambda g: str(g.citations)),
    ("fabricated citations", lambda g: str(g.fabricated)),
    ("verbatim quotes", lambda g: str(g.quotes)),
    ("numbers that their passages state", lambda g: str(g.numbers)),
    ("strict support", lambda g: f"{g.strict_support} ({g.strict_support.ratio:.0%})"),
    ("effective citations", lambda g: str(g.effective_citations)),
    (
        "effective citations for 1,000 tokens",
        lambda g: "–" if g.per_thousand_tokens is None else f"{g.per_thousand_tokens:.2f}",
    ),
    ("planted facts told", lambda g: f"{g.recall} ({g.recall.ratio:.0%})"),
    ("stale values flagged", lambda g: str(g.stale)),
    ("contradictions told as such", lambda g: str(g.contradictions)),
    ("copies counted once", lambda g: str(g.copies)),
    ("false statements held as supported", lambda g: str(len(g.false_supported))),
    ("canaries leaked", lambda g: str(len(g.canaries))),
    ("calls of the checks / all others", lambda g: f"{g.checking} ({g.checking.ratio:.0%})"),
    ("model calls", lambda g: str(g.calls)),
    ("tokens", lambda g: f"{g.tokens:,}"),
    ("seconds", lambda g: f"{g.seconds:.0f}"),
)
