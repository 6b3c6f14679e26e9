"""Loads ``leadline/prompts/*.md`` and puts values into them, in one pass.

A prompt file has two parts, ``<!-- system -->`` and ``<!-- user -->``. ``{{name}}`` stands for a
value. Values are never looked at again after they are put in, so braces in them survive. Text from
outside is given as :class:`Data` and stands in a block whose marks bear a random nonce that does
not occur in any of the data: nothing in the block can close it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

_PART = re.compile(r"^<!--\s*(system|user)\s*-->\s*$", re.MULTILINE)
_SLOT = re.compile(r"\{\{\s*([a-z_]+)\s*\}\}")


@dataclass(frozen=True)
class Message:
    """One message to a model: text, and images as ``data:`` addresses for models that see."""

    role: Literal["system", "user", "assistant"]
    text: str
    images: tuple[str, ...] = ()


@dataclass(frozen=True)
class Data:
    """Text from outside (a page, a model, a file): material to a model, never an instruction."""

    text: str


Value = str | int | Data


def fresh_nonce() -> str:
    """A nonce that nobody outside can foresee."""
    return secrets.token_hex(8)


def render_prompt(
    name: str, values: Mapping[str, Value], *, make_nonce: Callable[[], str] = fresh_nonce
) -> list[Message]:
    """The messages of prompt ``name`` (``planner`` for ``prompts/planner.md``).

    ``{{nonce}}`` is filled in by the loader. A slot without a value, or a value without a slot, is
    a fault of the program and raises ``KeyError``.
    """
    return render_text(load_prompt(name), values, make_nonce=make_nonce)


def render_text(
    parts: Mapping[str, str], values: Mapping[str, Value], *, make_nonce: Callable[[], str]
) -> list[Message]:
    """The messages of a loaded prompt; see :func:`render_prompt`."""
    slots = {slot for text in parts.values() for slot in _SLOT.findall(text)} - {"nonce"}
    if slots != set(values):
        raise KeyError(f"prompt slots {sorted(slots)} are given {sorted(values)}")
    nonce = make_nonce()
    while any(isinstance(v, Data) and nonce in v.text for v in values.values()):
        nonce = make_nonce()
    filled = {slot: _put(value, nonce) for slot, value in values.items()} | {"nonce": nonce}
    messages: list[Message] = []
    for role in ("system", "user"):
        if role in parts:
            text = _SLOT.sub(lambda match: filled[match[1]], parts[role])
            messages.append(Message("system" if role == "system" else "user", text.strip()))
    return messages


def data_block(text: str, nonce: str) -> str:
    """``text`` between marks that bear ``nonce``; the caller made sure that it is not in it."""
    return f'<data nonce="{nonce}">\n{text}\n</data nonce="{nonce}">'


@cache
def load_prompt(name: str) -> Mapping[str, str]:
    """The parts of a prompt file by role. Raises ``FileNotFoundError`` for an unknown name."""
    text = resources.files("leadline").joinpath("prompts", f"{name}.md").read_text("utf-8")
    return split_parts(text)


def split_parts(text: str) -> Mapping[str, str]:
    """Split the text of a prompt file at its part marks."""
    pieces = _PART.split(text)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def _put(value: Value, nonce: str) -> str:
    return data_block(value.text, nonce) if isinstance(value, Data) else str(value)
