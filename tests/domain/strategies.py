"""Hypothesis strategies shared by the tests of the plan and the text."""

from __future__ import annotations

from hypothesis import strategies as st

from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.domain.plan_markdown import parse_plan

# Any text a file or model can hold: control characters, line separators, lone surrogates.
any_text = st.text(st.characters(exclude_categories=()), max_size=60)

_piece = st.sampled_from(
    [
        "# Research Plan", "## ", "### ", "## 1. 1. Name", "## 2.", "##", "- [ ] ", "- [x] a",
        "  - [-] b", "* [X] c", "1. [ ] d", "【 】", "［x］", "- [ ]", "\\- [ ] e", "- [x](u)",
        "\r\n", "\n", "\r", "\n\n", " ", "\t", "\x0b", "\x85", "\u2028", "\x00", "\ud800",
        "\ufeff", "note", "1. ", "3、", "{}", "```", "#",
    ]
)  # fmt: skip
plan_files = st.lists(_piece | any_text, max_size=25).map("".join)

_tasks = st.builds(
    Task, text=any_text, state=st.sampled_from(TaskState), notes=st.lists(plan_files, max_size=2)
)
wild_plans = st.builds(
    Plan,
    categories=st.lists(
        st.builds(
            Category,
            name=any_text,
            tasks=st.lists(_tasks, max_size=4),
            notes=st.lists(plan_files, max_size=2),
        ),
        max_size=4,
    ),
    notes=st.lists(plan_files, max_size=2),
)
"""Plans as a program could build them, with nothing cleaned."""

_words = st.lists(
    st.sampled_from(["alpha", "beta", "gamma", "price", "of", "the", "tide", "2024"]),
    min_size=1,
    max_size=4,
)
_lines = st.builds(
    lambda mark, words: f"- [{mark}] {' '.join(words)}", st.sampled_from(" x-"), _words
)
_heads = _words.map(lambda words: f"## {' '.join(words)}")
edited_plans = st.lists(_lines | _lines | _heads | st.just("a note"), max_size=12).map(
    lambda lines: parse_plan("\n".join(lines))
)
"""Plans as people write them, with many texts in common."""
