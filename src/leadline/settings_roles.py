"""Models of single roles: what a role does not say for itself, it has from the main model.

Name and address go with the provider: a role with another provider takes neither of them over, and
a role that names another address alone means an OpenAI-compatible endpoint there. So no key and no
model name of one endpoint ever reaches another.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leadline.domain.config import ModelConfig, ModelRole, Provider, RunConfig
from leadline.errors import InvalidSetting
from leadline.provider_keys import UsualVariables
from leadline.settings_checks import checked_section
from leadline.settings_table import PREFIX, ROLE_SECTIONS

_PLACE = ("provider", "name", "base_url")


def role_models(
    sections: Mapping[str, Mapping[str, Any]],
    main: ModelConfig,
    usual: UsualVariables,
    *,
    check: bool,
) -> dict[ModelRole, ModelConfig]:
    """The models of the roles that have one of their own.

    ``sections`` holds the settings of each role by its name. With ``check``, raises
    :class:`InvalidSetting` for a role whose name or address is missing.
    """
    found: dict[ModelRole, ModelConfig] = {}
    for section, role in ROLE_SECTIONS.items():
        given = {k: v for k, v in sections.get(section, {}).items() if v != ""}
        if not given:
            continue
        model = _resolved(section, given, main, usual)
        if check:
            _check(section, model)
        if model != main:
            found[role] = model
    return found


def changed_roles(
    config: RunConfig,
    given: Mapping[str, Mapping[str, Any]],
    main: ModelConfig,
    usual: UsualVariables,
) -> dict[ModelRole, ModelConfig]:
    """The role models of a run that has begun, with some settings changed."""
    sections: dict[str, Mapping[str, Any]] = {}
    for section, role in ROLE_SECTIONS.items():
        now = config.roles[role].model_dump() if role in config.roles else {}
        wanted = given.get(section, {})
        if any(name in wanted for name in ("provider", "base_url")):
            now = {k: v for k, v in now.items() if k not in _PLACE}
        sections[section] = {**now, **wanted}
    return role_models(sections, main, usual, check=True)


def _resolved(
    section: str, given: Mapping[str, Any], main: ModelConfig, usual: UsualVariables
) -> ModelConfig:
    own = checked_section(ModelConfig, section, given)
    provider = own.provider if "provider" in given else _provider(own, main, usual)
    if provider is Provider.OFFLINE:
        place = {"provider": provider, "name": "", "base_url": ""}
    else:
        same = provider is main.provider and own.base_url in ("", main.base_url)
        place = {
            "provider": provider,
            "name": own.name or (main.name if same else ""),
            "base_url": own.base_url or (main.base_url if same else usual.base_url(provider)),
        }
    others = own.model_dump(include=given.keys() - set(_PLACE))
    return main.model_copy(update={**others, **place})


def _provider(own: ModelConfig, main: ModelConfig, usual: UsualVariables) -> Provider:
    """Whose model is meant when a role does not name its provider."""
    if own.base_url and own.base_url != main.base_url:
        return Provider.CUSTOM
    if main.provider is not Provider.OFFLINE or not own.name:
        return main.provider
    return usual.provider(name=own.name, base_url="")


def _check(section: str, model: ModelConfig) -> None:
    if model.provider is Provider.OFFLINE:
        return
    env = f"{PREFIX}{section.upper()}"
    if not model.name:
        raise InvalidSetting(
            f"Which model of {model.provider} should be the {section}? Set {section}.name "
            f"({env}_NAME), or leave its provider and address to the main model."
        )
    if model.provider is Provider.CUSTOM and not model.base_url:
        raise InvalidSetting(
            f"The {section}'s endpoint needs its address: set {section}.base_url ({env}_BASE_URL)."
        )
