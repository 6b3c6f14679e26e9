"""Makes the model of a run from its configuration; whatever is missing is said here, at once."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import SecretStr

from leadline.domain.config import ModelConfig, Provider
from leadline.domain.limits import Limits
from leadline.errors import InvalidSetting
from leadline.models.base import Model, OnCall
from leadline.models.limiter import Limiter
from leadline.models.offline import OfflineModel
from leadline.models.providers import PRESETS

_ANY_KEY = ("LEADLINE_MODEL_API_KEY", "LLM_API_KEY")


def create_model(
    config: ModelConfig,
    api_key: SecretStr | None,
    *,
    limits: Limits,
    on_call: OnCall,
    on_notice: Callable[[str], None] | None = None,
    limiter: Limiter | None = None,
) -> Model:
    """The model of ``config``; see :class:`~leadline.models.chat.LangChainModel`.

    Raises :class:`InvalidSetting` when a name, an address, a key or an optional package is missing.
    """
    if config.provider is Provider.OFFLINE:
        return OfflineModel(on_call=on_call)
    check_config(config, api_key)
    # Importing LangChain's client takes two seconds, which the offline model need not pay.
    from leadline.models.chat import LangChainModel

    return LangChainModel(
        config, api_key, limits=limits, on_call=on_call, on_notice=on_notice, limiter=limiter
    )


def check_config(config: ModelConfig, api_key: SecretStr | None) -> None:
    """Raise :class:`InvalidSetting` when the model cannot be asked for want of a name or a key."""
    preset = PRESETS[config.provider]
    if config.provider is Provider.OFFLINE:
        return
    if not config.name.strip():
        raise InvalidSetting(f"{preset.label} needs the name of a model: set model.name.")
    if preset.needs_key and not (api_key and api_key.get_secret_value().strip()):
        names = ", ".join((_ANY_KEY[0], *preset.key_variables, _ANY_KEY[1]))
        raise InvalidSetting(
            f"{preset.label} needs an API key, and none was found (looked at {names}). "
            f"{preset.hint}"
        )
