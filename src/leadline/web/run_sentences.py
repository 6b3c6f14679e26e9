"""What a run wrote, in the language of the page. Pure.

Invariant: only sentences of ours change (``run_words``, ``page_words``); whatever is not known
stays as it is, and values in a sentence are taken over untouched. The log itself stays English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from leadline.domain.run import RunStatus
from leadline.web import page_words, run_words
from leadline.web.texts import Texts

_MOST_CHARS = 4000
_FIELD = re.compile(r"\{(\w+)(?::(said|list))?\}")
_VALUE = r"((?:(?![.?!。？！]\s).)+?)"
"""A value never reaches over the end of a sentence."""
_STOPPED = "Stopped."
_ECHOES = {
    RunStatus.EMPTY: ("Nothing was found that could be cited.",),
    RunStatus.INTERRUPTED: ("Its process ended without a word; resume the run to go on.",),
}
"""Reasons that say no more than the state's own sentence on the page."""
_RESTS = re.compile(r" \(rests for (\d+) s\)$")
_SENTENCE = re.compile(r".*?[.:?!。？！](?=\s|$)|.+", re.DOTALL)


class Part(NamedTuple):
    """A piece of what a run wrote; ``said`` is None for what is not known."""

    text: str
    said: str | None


@dataclass(frozen=True)
class _Row:
    pattern: re.Pattern[str]
    fields: tuple[tuple[str, str], ...]
    form: str

    def say(self, match: re.Match[str]) -> str:
        values: dict[str, str] = {}
        for (name, kind), value in zip(self.fields, match.groups(), strict=True):
            if kind == "list":
                value = _listed(value)
            elif kind == "said":
                value = _chinese(value).rstrip("。")
            values[name] = value
        return self.form.format(**values)


def in_words(text: str, texts: Texts) -> str:
    """A reason or notice of a run in the language of the page; the codes of pages too."""
    if text in run_words.PAGE_CODES:
        return run_words.PAGE_CODES[text][0 if texts.language == "en" else 1]
    return text if texts.language == "en" else _chinese(text)


def without_echo(status: RunStatus, reason: str) -> str:
    """What a run's reason, as it was logged, says beyond the state that stands beside it."""
    reason = reason.strip()
    if reason in _ECHOES.get(status, ()):
        return ""
    if status is RunStatus.STOPPED:
        return reason.removeprefix(_STOPPED).lstrip()
    return reason


def parts(text: str) -> Iterator[Part]:
    """``text`` in pieces, each with its Chinese form where it has one."""
    at = 0
    text = text[:_MOST_CHARS]
    while at < len(text):
        for row in _rows():
            if match := row.pattern.match(text, at):
                yield Part(match[0], row.say(match))
                break
        else:
            match = _SENTENCE.match(text, at)
            assert match is not None
            yield Part(match[0], None)
        at = match.end()
        blank = re.compile(r"\s*").match(text, at)
        at = blank.end() if blank else at


@lru_cache(maxsize=2048)
def _chinese(text: str) -> str:
    said = ""
    for part in parts(text):
        apart = said and not said.endswith(("。", "：", "？", "）"))
        said += (" " if apart else "") + (part.text if part.said is None else part.said)
    return said


def _listed(text: str) -> str:
    """Sentences that were joined by semicolons, their full stops gone, some with a pause behind."""
    pieces = text.split("; ")
    said: list[str] = []
    while pieces:
        counts = range(1, len(pieces) + 1)  # a semicolon may also stand in a sentence
        known = ((n, form) for n in counts if (form := _one("; ".join(pieces[:n]))))
        count, form = next(known, (1, pieces[0]))
        said.append(form)
        del pieces[:count]
    return "；".join(said)


def _one(text: str) -> str:
    """The Chinese form of one sentence without its full stop; empty when it is not known."""
    rests = _RESTS.search(text)
    bare = text[: rests.start()] if rests else text
    known = [part.said for part in parts(f"{bare}.")]
    if len(known) != 1 or known[0] is None:
        return ""
    return known[0].rstrip("。") + (f"（暂停 {rests[1]} 秒）" if rests else "")


@cache
def _rows() -> tuple[_Row, ...]:
    """Every row, those with the most fixed text first: what is meant exactly is found first."""
    rows = (*run_words.ROWS, *page_words.ROWS)
    ordered = sorted(rows, key=lambda row: (row[0].startswith("{"), -len(_FIELD.sub("", row[0]))))
    return tuple(_row(english, chinese) for english, chinese in ordered)


def _row(english: str, chinese: str) -> _Row:
    pattern, at = "", 0
    fields: list[tuple[str, str]] = []
    template = english.replace("{{", "\0").replace("}}", "\1")
    for field in _FIELD.finditer(template):
        pattern += re.escape(template[at : field.start()]) + _VALUE
        fields.append((field[1], field[2] or ""))
        at = field.end()
    pattern += re.escape(template[at:])
    pattern = pattern.replace("\0", r"\{").replace("\1", r"\}")
    return _Row(re.compile(pattern + r"(?=\s|$)"), tuple(fields), chinese)
