"""One section of the settings, validated; whatever is wrong is an ``InvalidSetting`` naming it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from leadline.errors import InvalidSetting
from leadline.settings_sources import split_list
from leadline.settings_table import PREFIX, SettingInfo, nearest

M = TypeVar("M", bound=BaseModel)


def checked_section(model: type[M], section: str, values: Mapping[str, Any]) -> M:
    """One section, validated; the errors name its settings."""
    fields = model.model_fields
    for name in values.keys() - fields.keys():
        raise InvalidSetting(f"{section}.{name} is no setting.{nearest(name, list(fields))}")
    prepared: dict[str, Any] = {}
    for name, value in values.items():
        optional = type(None) in getattr(fields[name].annotation, "__args__", ())
        if isinstance(value, str) and value.lower() == "none" and optional:
            value = None
        prepared[name] = split_list(value) if isinstance(fields[name].default, tuple) else value
        if name in {"base_url", "proxy", "cdp_url", "template_url", "searxng_url"}:
            _refuse_credentials(f"{section}.{name}", str(value))
    try:
        return model.model_validate(prepared)
    except ValidationError as error:
        raise invalid_setting(error, {}, section=section, values=prepared) from None


def _refuse_credentials(key: str, url: str) -> None:
    """An address is stored with each run, so it may hold no password."""
    authority = url.partition("://")[2].partition("/")[0]
    if "@" in authority:
        raise InvalidSetting(
            f"{key} must not hold a user name or password, since it is stored with each run."
        )


def invalid_setting(
    error: ValidationError,
    known: Mapping[str, SettingInfo],
    *,
    section: str = "",
    values: Mapping[str, Any] | None = None,
) -> InvalidSetting:
    """The first thing that pydantic complains of, as a sentence that names the setting."""
    first = error.errors(include_input=True, include_url=False, include_context=False)[0]
    path = [str(part) for part in first["loc"] if not isinstance(part, int)]
    key = ".".join([section, *path] if section else path)
    info = known.get(key)
    value = first["input"]
    if values and path and isinstance(first["loc"][-1], str):
        value = values.get(path[0], value)
    shown = "what it is" if info and info.secret else repr(value)[:80]
    reason = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
    env = PREFIX + key.replace(".", "_").upper()
    return InvalidSetting(f"{key} ({env}) cannot be {shown}: it {reason}.")
