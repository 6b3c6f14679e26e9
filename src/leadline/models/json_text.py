"""Finds the JSON that an answer in text means. Pure; values come best first, the caller judges.

Order: the whole text; fenced blocks; every valid value in it, longest first; payloads of tool-call
text; and only then repaired text. Nothing is changed before plain parsing failed, so quotation
marks inside strings stay what they are. An answer that was cut off is repaired before the fragments
inside it are offered. Work is bounded by the length of the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import json_repair

from leadline.models.think import BracketScanner, clean

_FENCE = re.compile(r"```[A-Za-z0-9_-]*[ \t]*\r?\n?(.*?)```", re.DOTALL)
_TAG_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL | re.IGNORECASE)
_BRACKET_CALL = re.compile(r"\[TOOL_CALL:", re.IGNORECASE)
_PAIR = re.compile(r"(\w+)\s*=\s*(\"[^\"]*\"|'[^']*'|[^,]*)")
_JSON_LIKE = re.compile(r"\{|\[\s*[\[{\"']")
_OPENING = re.compile(r"[\[{]")
_DECODER = json.JSONDecoder()

_MAX_FAILED_STARTS = 400
_MAX_VALUES = 12
_MAX_REPAIR_CHARS = 24_000
_MAX_REPAIR_OPENINGS = 1_000
"""json-repair takes time in the square of either; an honest answer stays far below."""


def json_values(text: str) -> Iterator[Any]:
    """Objects and arrays that ``text`` may mean, best first, each one once."""
    seen: set[str] = set()
    for value in _all_values(text):
        for form in _unwrapped(value):
            key = json.dumps(form, ensure_ascii=False, sort_keys=True, default=str)
            if key not in seen:
                seen.add(key)
                yield form
        if len(seen) >= _MAX_VALUES:
            return


def _all_values(text: str) -> Iterator[Any]:
    visible = clean(text)
    fences = [match[1] for match in _FENCE.finditer(visible)]
    for candidate in (visible, *fences):
        yield from _plain(candidate)
    if cut := _cut_off(visible):
        yield from _repaired(cut)
    yield from balanced_values(visible)
    for payload in call_payloads(text):
        yield from _plain(payload)
        yield from balanced_values(payload)
        yield from _pairs(payload)
    if visible != text.strip():
        # An answer that stands inside an unclosed think section is still an answer.
        yield from balanced_values(text)
    for candidate in (*fences, visible):
        yield from _repaired(candidate)


def balanced_values(text: str) -> list[Any]:
    """Every valid object or array in ``text`` that lies in no other one, longest first."""
    found: list[tuple[int, Any]] = []
    at = failed = 0
    while failed < _MAX_FAILED_STARTS and (opening := _OPENING.search(text, at)):
        start = opening.start()
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            failed += 1
            at = start + 1
        else:
            found.append((end - start, value))
            at = end
    found.sort(key=lambda item: -item[0])
    return [value for _, value in found[:_MAX_VALUES] if value]


def call_payloads(text: str) -> Iterator[str]:
    """What tool-call text hands over: ``[TOOL_CALL:name:payload]`` and ``<tool_call>`` tags."""
    for tag in _TAG_CALL.finditer(text):
        yield tag[1].strip()
    at = 0
    while match := _BRACKET_CALL.search(text, at):
        scanner = BracketScanner()
        at = scanner.scan(text, match.end())
        body = text[match.end() : at - 1 if scanner.over else at]
        _, colon, payload = body.partition(":")
        yield (payload if colon else body).strip()


def _plain(text: str) -> Iterator[Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    if isinstance(value, str):
        # JSON inside a JSON string.
        yield from balanced_values(value)
    elif isinstance(value, dict | list):
        yield value


def _cut_off(text: str) -> str:
    """The end of ``text`` from the first object or array on, if it is never closed."""
    opening = re.search(r"\{\s*\"|\[\s*[{\"]", text)
    if opening is None:
        return ""
    depth, string, escaped = 0, False, False
    for char in text[opening.start() :]:
        if string:
            string = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            string = True
        elif char in "[{":
            depth += 1
        elif char in "]}":
            depth -= 1
            if depth == 0:
                return ""
    return text[opening.start() :]


def _pairs(payload: str) -> Iterator[dict[str, str]]:
    if "{" not in payload and (pairs := _PAIR.findall(payload)):
        yield {key: value.strip().strip("\"'") for key, value in pairs}


def _repaired(text: str) -> Iterator[Any]:
    opening = _JSON_LIKE.search(text)
    if opening is None:
        return
    body = text[opening.start() : opening.start() + _MAX_REPAIR_CHARS]
    if body.count("{") + body.count("[") > _MAX_REPAIR_OPENINGS:
        return
    try:
        value = json_repair.loads(body)
    except (ValueError, RecursionError):
        return
    if isinstance(value, dict | list) and value:
        yield value


def _unwrapped(value: Any) -> Iterator[Any]:
    """The value, and the arguments in it when it is a written-out tool call."""
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        yield from _unwrapped(value["function"])
    if isinstance(value, dict) and "name" in value:
        for key in ("arguments", "parameters", "input"):
            arguments = value.get(key)
            if isinstance(arguments, str):
                yield from balanced_values(arguments)
            elif isinstance(arguments, dict):
                yield arguments
    yield value
