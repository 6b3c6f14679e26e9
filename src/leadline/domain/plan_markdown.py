"""The plan as the Markdown file that people read and edit, both ways.

Invariants: any text parses; ``parse_plan(render_plan(p))`` changes nothing that a file can show
after one round; a line that is neither category nor task is a note, kept as it is, and never turns
into a category or a task by being written again. Ids and queries are not in the file.

    # Research Plan

    ## 1. Category
    - [ ] open task
    - [x] done task
    - [-] failed task
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.domain.text import one_line

TITLE = "# Research Plan"

_MARK = {TaskState.OPEN: " ", TaskState.DONE: "x", TaskState.FAILED: "-"}
_STATE = dict.fromkeys(" \u3000\t_", TaskState.OPEN)
_STATE.update(dict.fromkeys("xXｘＸ✓✔√☑", TaskState.DONE))
_STATE.update(dict.fromkeys("-－–—−~", TaskState.FAILED))

_NEWLINE = re.compile(r"\r\n|\r|\n")
_TITLE = re.compile(r"\s{0,3}#(?!#)\s*(?:research plan|研究计划)\s*", re.IGNORECASE)
_HEADING = re.compile(r"\s{0,3}##(?!#)(.*)", re.DOTALL)
# A box that is followed by "(" or "[" is a link, not a task.
_TASK = re.compile(r"\s*(?:[-*+•–]|\d{1,3}[.)、])\s*[\[［【](.?)[\]］】](?![(\[:])(.*)", re.DOTALL)
_NUMBER = re.compile(r"(?:\d{1,4}\s*(?:[.)．）](?!\d)|、)\s*)+")


def clean_task_text(text: str) -> str:
    """A task's text as a file can hold it: on one line."""
    return one_line(text)


def clean_category_name(name: str) -> str:
    """A category's name as a file can hold it: on one line, without numbers before it."""
    name = one_line(name)
    match = _NUMBER.match(name)
    return name[match.end() :] if match else name


_Kind = Literal["title", "heading", "task", "note"]


def _classify(line: str) -> tuple[_Kind, str, TaskState]:
    """What a line is by itself, with the text of a heading or task and a task's state."""
    if _TITLE.fullmatch(line):
        return "title", "", TaskState.OPEN
    heading = _HEADING.fullmatch(line)
    if heading:
        return "heading", clean_category_name(heading[1]), TaskState.OPEN
    task = _TASK.fullmatch(line)
    if task:
        state = _STATE.get(task[1] or " ")
        content = clean_task_text(task[2])
        if state is not None and content:
            return "task", content, state
    return "note", line, TaskState.OPEN


@dataclass
class _Draft:
    """A category while its lines are read; the lists of notes are filled later."""

    name: str
    notes: list[str] = field(default_factory=list)
    tasks: list[tuple[str, TaskState, list[str]]] = field(default_factory=list)

    def finished(self) -> Category | None:
        """The category, or None when there is nothing in it at all."""
        tasks = tuple(
            Task(text=text, state=state, notes=_trimmed(notes)) for text, state, notes in self.tasks
        )
        notes = _trimmed(self.notes)
        if not (self.name or tasks or notes):
            return None
        return Category(name=self.name, tasks=tasks, notes=notes)


def _trimmed(lines: list[str]) -> tuple[str, ...]:
    """Note lines without blank ones at either end; blank ones between them stay."""
    filled = [i for i, line in enumerate(lines) if line.strip()]
    if not filled:
        return ()
    return tuple(line if line.strip() else "" for line in lines[filled[0] : filled[-1] + 1])


def parse_plan(text: str) -> Plan:
    """Read a plan file. Never raises; a text without tasks gives a plan without tasks."""
    text = text.encode("utf-8", "replace").decode("utf-8").removeprefix("\ufeff")
    drafts: list[_Draft] = []
    plan_notes: list[str] = []
    notes = plan_notes
    title_seen = False
    for line in _NEWLINE.split(text):
        kind, content, state = _classify(line)
        if kind == "title" and not title_seen:
            title_seen = True
        elif kind == "heading":
            drafts.append(_Draft(content))
            notes = drafts[-1].notes
        elif kind == "task":
            if not drafts:
                drafts.append(_Draft(""))
            notes = []
            drafts[-1].tasks.append((content, state, notes))
        else:
            notes.append(line)
    categories = (draft.finished() for draft in drafts)
    return Plan(categories=tuple(c for c in categories if c), notes=_trimmed(plan_notes))


def _note_lines(notes: tuple[str, ...]) -> list[str]:
    """Notes as lines that a later parse takes for notes again, whoever made them."""
    lines: list[str] = []
    for note in notes:
        for line in _NEWLINE.split(note.encode("utf-8", "replace").decode("utf-8")):
            shown = f"\\{line.lstrip()}" if _classify(line)[0] in ("heading", "task") else line
            lines.append(shown if shown.strip() else "")
    return list(_trimmed(lines))


def render_plan(plan: Plan) -> str:
    """The plan file. Texts are put on one line; a task without text is left out."""
    blocks: list[list[str]] = [[TITLE]]
    notes = _note_lines(plan.notes)
    if notes:
        blocks.append(notes)
    number = 0
    for index, category in enumerate(plan.categories):
        name = clean_category_name(category.name)
        head = _note_lines(category.notes)
        tasks: list[str] = []
        for task in category.tasks:
            content = clean_task_text(task.text)
            if content:
                tasks.append(f"- [{_MARK[task.state]}] {content}")
                tasks.extend(_note_lines(task.notes))
        if not (name or head or tasks):
            continue
        # Tasks above the first heading stay there: their category has no name to show.
        if index or name or head:
            number += 1
            tasks = [f"## {number}. {name}".rstrip(), *head, *tasks]
        blocks.append(tasks)
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"
