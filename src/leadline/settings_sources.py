"""Where settings come from, each place read into ``{field: value, section: {field: value}}``.

A place that names something which is no setting, or holds a secret that it must not hold, is
refused here; what the values mean is checked in ``settings``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from leadline.errors import InvalidSetting
from leadline.settings_table import ROLE_SECTIONS, SECTIONS, SettingInfo, key_of, nearest

CHANGEABLE = frozenset({"verification", "report_template", "report_length", "report_language"})
"""Settings outside the sections that a run may have changed after it began."""

WHOLE_RUN = (*sorted(CHANGEABLE), "depth", "profile", "plan_first")
"""Settings outside the sections that a single run may have its own value of."""


class Given(PydanticBaseSettingsSource):
    """A source that holds its values already."""

    def __init__(self, settings_cls: type[BaseSettings], values: dict[str, Any]) -> None:
        super().__init__(settings_cls)
        self._values = values

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        """The value of one field (asked for by pydantic-settings' own sources alone)."""
        return self._values.get(field_name), field_name, False

    def __call__(self) -> dict[str, Any]:
        """All values of the place."""
        return self._values


def nested(flat: Mapping[str, Any], known: Mapping[str, SettingInfo]) -> dict[str, Any]:
    """Overrides by any of their names, as ``{field: value, section: {field: value}}``."""
    found: dict[str, Any] = {}
    for name, value in flat.items():
        if value is None:
            continue
        if name in SECTIONS or name in ROLE_SECTIONS:
            values = value.model_dump() if isinstance(value, BaseModel) else dict(value)
            found.setdefault(name, {}).update({k: v for k, v in values.items() if v is not None})
            continue
        key = name if name in WHOLE_RUN else key_of(name, known)
        if key in known and known[key].secret:
            raise InvalidSetting(f"{key} is read from {known[key].env} alone.")
        section, _, field = key.rpartition(".")
        (found.setdefault(section, {}) if section else found)[field] = value
    return found


def from_environment(
    variables: Mapping[str, str], known: Mapping[str, SettingInfo]
) -> dict[str, Any]:
    """Settings from ``LEADLINE_*`` variables; an empty one counts as unset."""
    found: dict[str, Any] = {}
    for info in known.values():
        value = variables.get(info.env, "").strip()
        section, _, field = info.key.rpartition(".")
        if value and not (section and info.secret):
            (found.setdefault(section, {}) if section else found)[field] = value
    return found


def from_file(path: Path, known: Mapping[str, SettingInfo]) -> dict[str, Any]:
    """Settings from a TOML file; nothing when there is none."""
    if not path.is_file():
        return {}
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidSetting(f"{path.name} cannot be read as a settings file: {error}.") from None
    for name, value in data.items():
        keys = [f"{name}.{k}" for k in value] if isinstance(value, dict) else [name]
        for key in keys:
            info = known.get(key)
            if info is None:
                raise InvalidSetting(
                    f"{key} in {path.name} is no setting.{nearest(key, list(known))}"
                )
            if info.secret:
                raise InvalidSetting(
                    f"{key} does not belong in {path.name}: set {info.env} in the environment "
                    "or in .env."
                )
    return data


def split_list(value: Any) -> Any:
    """``a, b`` as a tuple; anything but a string stays as it is."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value
