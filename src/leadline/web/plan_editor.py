"""Editing the plan in the page.

Invariant: the editor is written when it is opened or saved, and at no other time. What a person
typed is never lost to a conflict: it stays in the editor, and the newer plan is shown beside it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import gradio as gr

from leadline.errors import PlanConflict, UserError
from leadline.web.commands import Commands
from leadline.web.live import LiveRuns
from leadline.web.run_sentences import in_words
from leadline.web.spoken import Updates, spoken
from leadline.web.texts import Texts
from leadline.web.views.html import message
from leadline.web.views.plan import plan_view, saved_mark


@dataclass
class Editing:
    """What the plan editor was opened with; held by the page beside the text."""

    version: str
    base: str

    def dump(self) -> str:
        """As the hidden field holds it."""
        return json.dumps([self.version, self.base], ensure_ascii=False)

    @classmethod
    def read(cls, text: str | None) -> Editing:
        """From the hidden field; what cannot be read conflicts with everything."""
        try:
            version, base = json.loads(text or "")
        except (ValueError, TypeError):
            return cls("", "")
        return cls(str(version), str(base))


def closed() -> Updates:
    """The editor, shut and empty."""
    return {
        "editor_box": gr.Column(visible=False),
        "editor": "",
        "editing": "",
        "editor_note": "",
    }


class PlanEditor:
    """The handlers of the editor."""

    def __init__(self, commands: Commands, live: LiveRuns, texts: Texts) -> None:
        self.commands = commands
        self.live = live
        self.texts = texts

    @spoken
    def open(self, run: str) -> Updates:
        """Open the editor with the plan as the file has it now."""
        folder = self.live.folder(run)
        version, text = folder.plan_version(), folder.plan_text()
        return {
            "editor_box": gr.Column(visible=True),
            "editor": text,
            "editing": Editing(version, text).dump(),
            "editor_note": "",
        }

    @spoken
    def save(self, run: str, text: str, editing: str) -> Updates:
        """Save the edit; a conflict keeps the text in the editor and says so."""
        saved = self.keep(run, text, Editing.read(editing))
        saved.pop("saved", None)
        return saved

    @spoken
    def close(self) -> Updates:
        """Close the editor; what was not saved is gone."""
        return closed()

    def keep(self, run: str, text: str, opened: Editing) -> Updates:
        """Save an edit; ``saved`` is in the answer when it was."""
        try:
            version, merged = self.commands.save_plan(
                run, text, base=opened.base, version=opened.version
            )
        except PlanConflict:
            # The next save replaces the plan as it is shown now, which the person has seen.
            folder = self.live.folder(run)
            newer = Editing(folder.plan_version(), folder.plan_text())
            return {
                "editor_note": message(self.texts("plan_conflict"), "error"),
                "editing": newer.dump(),
                "plan": plan_view(folder.plan(), folder.view(), self.texts),
            }
        except UserError as error:
            return {"editor_note": message(in_words(str(error), self.texts), "error")}
        now_text = self.live.folder(run).plan_text()
        key = "plan_merged" if merged else "plan_saved"
        look = self.live.look(run)
        return {
            "saved": True,
            "saved_mark": saved_mark(run),
            "editor": now_text,
            "editing": Editing(version, now_text).dump(),
            "editor_note": message(self.texts(key)),
            "plan": plan_view(look.plan, look.view, self.texts),
        }
