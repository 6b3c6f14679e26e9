"""Takes think sections and tool-call text out of a model's answer, in streams too.

Invariants: what comes out does not depend on how the text was cut into chunks; an unclosed section
is never shown; each character is looked at a bounded number of times. A section ends at its first
closing tag (models double the opening one, not the closing one); unmatched tags are dropped.

Tool-call text is ``<tool_call>…</tool_call>`` and ``[TOOL_CALL:name:payload]``, whose payload may
hold brackets and strings of its own.
"""

from __future__ import annotations

import re
from enum import Enum

_MARK = re.compile(r"<(?P<close>/?)(?P<name>think(?:ing)?|tool_call)>|\[TOOL_CALL:", re.IGNORECASE)
_MARKS = ("<thinking>", "</thinking>", "<think>", "</think>", "<tool_call>", "</tool_call>",
          "[tool_call:")  # fmt: skip
_LONGEST = max(len(mark) for mark in _MARKS)
_THINK_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_TAG_CALL_END = re.compile(r"</tool_call>", re.IGNORECASE)


class _In(Enum):
    TEXT = 0
    THINK = 1
    TAG_CALL = 2
    BRACKET_CALL = 3


_ENDS = {_In.THINK: _THINK_END, _In.TAG_CALL: _TAG_CALL_END}


class ThinkFilter:
    """Feed it a stream; it gives back what a reader may see. Leading blanks are dropped."""

    def __init__(self) -> None:
        self._where = _In.TEXT
        self._held = ""
        self._call = BracketScanner()
        self._started = False

    def feed(self, chunk: str) -> str:
        """Take the next piece and return the visible text that is now certain."""
        text = self._held + chunk
        self._held = ""
        at = 0
        shown: list[str] = []
        while at < len(text):
            if self._where is _In.TEXT:
                at = self._text(text, at, shown)
            elif self._where is _In.BRACKET_CALL:
                at = self._call.scan(text, at)
                if self._call.over:
                    self._where = _In.TEXT
            else:
                at = self._section(text, at)
        return self._started_text("".join(shown))

    def close(self) -> str:
        """Return what was held back; the filter is then as new."""
        rest = self._started_text(self._held) if self._where is _In.TEXT else ""
        self._where, self._held, self._started = _In.TEXT, "", False
        return rest

    def _text(self, text: str, at: int, shown: list[str]) -> int:
        mark = _MARK.search(text, at)
        if mark is None:
            end = _could_start(text, at)
            shown.append(text[at:end])
            self._held = text[end:]
            return len(text)
        shown.append(text[at : mark.start()])
        if mark["name"] is None:
            self._call = BracketScanner()
            self._where = _In.BRACKET_CALL
        elif not mark["close"]:
            is_call = mark["name"].lower() == "tool_call"
            self._where = _In.TAG_CALL if is_call else _In.THINK
        return mark.end()

    def _section(self, text: str, at: int) -> int:
        end = _ENDS[self._where].search(text, at)
        if end is None:
            self._held = text[_could_start(text, at) :]
            return len(text)
        self._where = _In.TEXT
        return end.end()

    def _started_text(self, text: str) -> str:
        if not self._started:
            text = text.lstrip()
            self._started = bool(text)
        return text


class BracketScanner:
    """Finds the end of a ``[TOOL_CALL:…`` whose start was read; knows nesting and JSON strings.

    Strings count only in a payload that opens a brace: in ``key=value`` text a quotation mark is a
    character like any other.
    """

    def __init__(self) -> None:
        self.over = False
        self._brackets = 1
        self._json = False
        self._string = False
        self._escaped = False

    def scan(self, text: str, at: int) -> int:
        """Read on; returns the position after the call's end, or the length of ``text``."""
        for position in range(at, len(text)):
            self._step(text[position])
            if self.over:
                return position + 1
        return len(text)

    def _step(self, char: str) -> None:
        if self._string:
            if self._escaped:
                self._escaped = False
            elif char == "\\":
                self._escaped = True
            elif char == '"':
                self._string = False
        elif char == '"':
            self._string = self._json
        elif char == "{":
            self._json = True
        elif char == "[":
            self._brackets += 1
        elif char == "]":
            self._brackets -= 1
            self.over = self._brackets == 0


def clean(text: str) -> str:
    """A whole answer without think sections, tool-call text and outer blanks."""
    filter_ = ThinkFilter()
    return (filter_.feed(text) + filter_.close()).strip()


def _could_start(text: str, at: int) -> int:
    """Where the longest end of ``text[at:]`` begins that could become a mark."""
    for start in range(max(at, len(text) - _LONGEST + 1), len(text)):
        if text[start] in "<[":
            tail = text[start:].lower()
            if any(mark.startswith(tail) for mark in _MARKS):
                return start
    return len(text)
