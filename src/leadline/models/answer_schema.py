"""JSON schemas of answers in strict mode, and the small parts that reading them shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leadline.domain.text import estimate_tokens

STRING: dict[str, Any] = {"type": "string"}


def array(items: dict[str, Any]) -> dict[str, Any]:
    """A list of these."""
    return {"type": "array", "items": items}


def obj(**properties: dict[str, Any]) -> dict[str, Any]:
    """An object with exactly these properties: every one required, nothing additional."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def first_of(value: Mapping[Any, Any], *keys: str) -> Any:
    """What stands under the first of these keys that holds anything; None otherwise."""
    return next((value[key] for key in keys if value.get(key) is not None), None)


def counted(low: int, high: int) -> str:
    """A range of counts as a prompt says it."""
    return str(high) if low >= high else f"{low} to {high}"


def beginning(text: str, tokens: int) -> str:
    """The beginning of ``text``, of at most ``tokens`` tokens."""
    while text and (size := estimate_tokens(text)) > tokens:
        text = text[: max(0, min(len(text) - 1, len(text) * tokens // size))]
    return text
