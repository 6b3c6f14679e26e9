"""The one description of all settings: what each is called, what it means, what it is by default.

The sections ``model``, ``browser``, ``search`` and ``limits`` are the fields of the domain's own
configuration, so a setting is described exactly once, where it is used. Command line, UI, settings
file, environment and ``docs/settings.md`` are all fed from here.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from leadline.domain.choices import meanings
from leadline.domain.config import BrowserConfig, ModelConfig, ModelRole, SearchConfig
from leadline.domain.limits import Limits
from leadline.errors import InvalidSetting

PREFIX = "LEADLINE_"

SECTIONS: Mapping[str, type[BaseModel]] = MappingProxyType(
    {"model": ModelConfig, "browser": BrowserConfig, "search": SearchConfig, "limits": Limits}
)

ROLE_SECTIONS: Mapping[str, ModelRole] = MappingProxyType({role.value: role for role in ModelRole})
"""Sections of models that answer in one role: fields as in ``model``, all of them optional."""

SHORT_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "provider": "model.provider",
        "base_url": "model.base_url",
        "temperature": "model.temperature",
        "vision": "model.vision",
        "headless": "browser.headless",
        "engine": "search.engines",
        "engines": "search.engines",
        "browsers": "limits.max_parallel_browsers",
        "loops": "limits.max_research_loops",
        "language": "report_language",
        **{name: f"limits.{name}" for name in Limits.model_fields},
    }
)
"""What a setting may also be called as an override or a flag."""


ROLE_NOTE = (
    "The sections from here on give single roles a model of their own. What is unset is taken from "
    "`[model]`; with another provider, name and address must be given, and an address alone means "
    "an OpenAI-compatible endpoint there."
)


@dataclass(frozen=True)
class SettingInfo:
    """One setting, described."""

    key: str
    """``section.field`` or ``field``, as in ``leadline.toml``."""
    env: str
    description: str
    default: Any
    choices: tuple[str, ...] = ()
    is_list: bool = False
    secret: bool = False
    meanings: Mapping[str, str] = field(default_factory=dict)
    """What single choices do and cost, where they do not speak for themselves."""


def table(own: type[BaseModel]) -> dict[str, SettingInfo]:
    """All settings by key: those of the settings class ``own``, then the sections' fields."""
    return {info.key: info for info in _walk(own)}


def key_of(name: str, known: Mapping[str, SettingInfo]) -> str:
    """The key meant by a key, a ``section_field`` name or a short name.

    Raises :class:`InvalidSetting` with the nearest name when there is none.
    """
    section, _, rest = name.partition("_")
    for key in (name, SHORT_NAMES.get(name, ""), f"{section}.{rest}"):
        if key in known:
            return key
    names = [*SHORT_NAMES, *known, *(key.replace(".", "_") for key in known)]
    raise InvalidSetting(f"{name[:80]} is no setting.{nearest(name, names)}")


def nearest(name: str, names: list[str]) -> str:
    """`` Did you mean X?`` for a misspelt name, or nothing."""
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.75)
    return f" Did you mean {close[0]}?" if close else ""


def settings_markdown(known: Mapping[str, SettingInfo]) -> str:
    """The tables of ``docs/settings.md``."""
    groups: dict[str, list[SettingInfo]] = {}
    for info in known.values():
        groups.setdefault(info.key.rpartition(".")[0], []).append(info)
    lines: list[str] = []
    for group, infos in groups.items():
        if group == next(iter(ROLE_SECTIONS)):
            lines += [ROLE_NOTE, ""]
        lines += [f"## `[{group}]`" if group else "## General", ""]
        lines += ["| Setting | Environment | Default | What it means |", "|---|---|---|---|"]
        lines += [
            f"| `{i.key}` | `{i.env}` | {_shown_default(i)} | {_shown_meaning(i)} |" for i in infos
        ]
        lines.append("")
    return "\n".join(lines)


def _walk(own: type[BaseModel]) -> Iterator[SettingInfo]:
    for name, info in own.model_fields.items():
        if name not in SECTIONS and name not in ROLE_SECTIONS:
            yield _describe(name, info)
    yield SettingInfo(
        "model.api_key",
        f"{PREFIX}MODEL_API_KEY",
        "Key of the model's endpoint; only from the environment or `.env`, never stored.",
        "",
        secret=True,
    )
    for section, model in SECTIONS.items():
        for name, info in model.model_fields.items():
            yield _describe(f"{section}.{name}", info)
    for section in ROLE_SECTIONS:
        yield from _walk_role(section)


def _walk_role(section: str) -> Iterator[SettingInfo]:
    yield SettingInfo(
        f"{section}.api_key",
        f"{PREFIX}{section.upper()}_API_KEY",
        "Its key; unset: the provider's usual one, or the main model's at the same address.",
        "",
        secret=True,
    )
    for name, info in ModelConfig.model_fields.items():
        described = _describe(f"{section}.{name}", info)
        yield replace(described, default=None)


def _describe(key: str, info: FieldInfo) -> SettingInfo:
    annotations = [info.annotation, *get_args(info.annotation)]
    enums = [a for a in annotations if isinstance(a, type) and issubclass(a, StrEnum)]
    default = info.get_default(call_default_factory=True, validated_data={})
    description = info.description or ""
    if key == "model.provider":
        default, description = None, f"{description} Unset: worked out from the other settings."
    if key == "search.engines":
        default = None
        description += " Unset: the demo web while no model is configured, else "
        description += ", ".join(SearchConfig().engines) + "."
    return SettingInfo(
        key=key,
        env=PREFIX + key.replace(".", "_").upper(),
        description=description,
        default=default,
        choices=tuple(str(member) for member in enums[0]) if enums else (),
        is_list=any(a is tuple or getattr(a, "__origin__", None) is tuple for a in annotations),
        secret=SecretStr in annotations,
        meanings=meanings(key),
    )


def _shown_default(info: SettingInfo) -> str:
    value = info.default
    if value is None or value == "" or value == ():
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`{', '.join(str(v) for v in value)}`"
    if isinstance(value, Path):
        return f"`{value.as_posix()}`"
    return f"`{value}`"


def _shown_meaning(info: SettingInfo) -> str:
    text = info.description.replace("|", r"\|")
    if info.meanings:
        return "<br>".join((text, *(f"`{c}`: {info.meanings[c]}" for c in info.choices)))
    return f"{text} One of {', '.join(f'`{c}`' for c in info.choices)}." if info.choices else text
