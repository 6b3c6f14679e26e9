"""Presets, prices and the factory: what is missing is said at once, by name."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from leadline.domain.config import ModelConfig, Provider
from leadline.domain.limits import Limits
from leadline.errors import InvalidSetting
from leadline.models.factory import create_model
from leadline.models.prices import price_usd
from leadline.models.providers import PRESETS, endpoint_of, host_of
from leadline.models.transport import proxy_for
from leadline.provider_keys import key_names


def config(provider: Provider, **fields: object) -> ModelConfig:
    return ModelConfig.model_validate({"provider": provider, "name": "m", **fields})


def test_every_provider_has_a_preset() -> None:
    assert set(PRESETS) == set(Provider)
    assert all(preset.label and preset.hint for preset in PRESETS.values())


def test_presets_look_at_the_same_keys_as_the_settings() -> None:
    for provider, preset in PRESETS.items():
        assert key_names(provider)[1:-1] == preset.key_variables


@pytest.mark.parametrize(
    ("provider", "given", "used"),
    [
        (Provider.OLLAMA, "", "http://127.0.0.1:11434/v1"),
        (Provider.OLLAMA, "http://box:11434", "http://box:11434/v1"),
        (Provider.OLLAMA, "http://box:11434/v1/", "http://box:11434/v1"),
        (Provider.OLLAMA, "box:11434", "http://box:11434/v1"),
        (Provider.LMSTUDIO, "http://box:1234", "http://box:1234"),
        (Provider.CUSTOM, "https://llm.example/api/", "https://llm.example/api"),
        (Provider.OPENAI, "", "https://api.openai.com/v1"),
    ],
)
def test_endpoints_s0_63(provider: Provider, given: str, used: str) -> None:
    assert endpoint_of(config(provider, base_url=given)) == used


@pytest.mark.parametrize("url", ["", "ftp://x/v1", "http://", "http://x:99999/v1", "http://[x"])
def test_an_unusable_address_is_a_setting_error(url: str) -> None:
    with pytest.raises(InvalidSetting, match=r"base URL|address"):
        endpoint_of(config(Provider.CUSTOM, base_url=url))


def test_user_info_is_no_part_of_a_host() -> None:
    assert host_of("http://me:secret@box:1/v1") == "box:1"


def make(given: ModelConfig, key: str | None = "k" * 20) -> object:
    secret = SecretStr(key) if key is not None else None
    return create_model(given, secret, limits=Limits(), on_call=lambda call: None)


def test_the_offline_model_needs_nothing() -> None:
    assert make(ModelConfig(), None).name == "offline"  # type: ignore[attr-defined]  # a Model


@pytest.mark.parametrize("key", [None, "", "  "])
def test_a_missing_key_names_where_it_was_looked_for(key: str | None) -> None:
    with pytest.raises(InvalidSetting, match=r"LEADLINE_MODEL_API_KEY, DEEPSEEK_API_KEY"):
        make(config(Provider.DEEPSEEK), key)


def test_a_missing_name_and_a_missing_package_are_said() -> None:
    with pytest.raises(InvalidSetting, match="name of a model"):
        make(ModelConfig(provider=Provider.OPENAI))
    with pytest.raises(InvalidSetting, match=r"install leadline\[anthropic\]"):
        make(config(Provider.ANTHROPIC))


@pytest.mark.parametrize("provider", [Provider.OPENAI, Provider.AZURE, Provider.OLLAMA])
async def test_clients_are_built_without_a_call(provider: Provider) -> None:
    url = "https://me.openai.azure.com" if provider is Provider.AZURE else ""
    model = make(config(provider, base_url=url), None if provider is Provider.OLLAMA else "k" * 20)
    await model.aclose()  # type: ignore[attr-defined]  # a Model


def test_w3_19_prices_are_the_models_own_and_unknown_ones_stay_unknown() -> None:
    known = price_usd(
        config(Provider.OPENAI, name="gpt-4o-mini"), input_tokens=1_000_000, output_tokens=0
    )
    assert known == pytest.approx(0.15)
    for unknown in (
        config(Provider.OPENAI, name="no-such-model"),
        config(Provider.OLLAMA, name="llama3"),
        config(Provider.CUSTOM, name="gpt-4o-mini", base_url="http://127.0.0.1:1/v1"),
    ):
        assert price_usd(unknown, input_tokens=10, output_tokens=10) is None


def test_a_proxy_stands_before_the_internet_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    assert proxy_for("https://api.openai.com/v1") == "http://proxy.example:3128"
    for near in (
        "http://127.0.0.1:1/v1",
        "http://localhost/v1",
        "http://10.0.0.3/v1",
        "http://box/v1",
    ):
        assert proxy_for(near) == ""
