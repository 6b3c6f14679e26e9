"""One shape for what models give as content: a string, a list of parts, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SILENT = frozenset({"thinking", "reasoning", "redacted_thinking", "tool_use", "tool_call"})


def text_of(content: Any) -> str:
    """The visible text of ``content``; parts that are no text (images, reasoning) give nothing."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return _text_of_part(content)
    if isinstance(content, list | tuple):
        return "".join(text_of(part) for part in content)
    return ""


def _text_of_part(part: Mapping[Any, Any]) -> str:
    if part.get("type") in _SILENT:
        return ""
    for key in ("text", "content", "refusal"):
        value = part.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, Mapping) and isinstance(value.get("value"), str):
            return str(value["value"])
    return ""
