"""Models of single roles: what they take over, and that no key reaches another endpoint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from leadline.domain.config import ModelConfig, ModelRole, Provider, RunConfig
from leadline.errors import InvalidSetting
from leadline.models.requests import Role
from leadline.settings import Settings

CANARY = "sk-canary-0123456789abcdef"
MAIN: dict[str, Any] = {
    "provider": "custom",
    "model_name": "big",
    "base_url": "http://a.example/v1",
}


def config(**overrides: Any) -> RunConfig:
    return Settings().run_config(**{**MAIN, **overrides})


def test_without_a_setting_one_model_has_all_roles() -> None:
    assert config().roles == {}
    assert {config().model_of(role) for role in ModelRole} == {config().model}


def test_a_role_takes_over_what_it_does_not_say() -> None:
    run = config(temperature=0.7, verifier_name="small", writer_context_tokens=64_000)
    verifier, writer = run.roles[ModelRole.VERIFIER], run.roles[ModelRole.WRITER]
    assert verifier == run.model.model_copy(update={"name": "small"})
    assert writer == run.model.model_copy(update={"context_tokens": 64_000})
    assert set(run.roles) == {ModelRole.VERIFIER, ModelRole.WRITER}


def test_all_places_of_settings_know_roles(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("leadline.toml").write_text('[verifier]\nname = "file"\ntemperature = 0.9\n', "utf-8")
    monkeypatch.setenv("LEADLINE_REFUTER_NAME", "environment")
    monkeypatch.setenv("LEADLINE_REFUTER_PROVIDER", "ollama")
    roles = config(adjudicator=ModelConfig(provider=Provider.LMSTUDIO, name="whole")).roles
    assert (roles[ModelRole.VERIFIER].name, roles[ModelRole.VERIFIER].temperature) == ("file", 0.9)
    assert roles[ModelRole.REFUTER].name == "environment"
    assert roles[ModelRole.REFUTER].provider is Provider.OLLAMA
    assert roles[ModelRole.ADJUDICATOR].name == "whole"
    assert config(verifier_name="flag").roles[ModelRole.VERIFIER].name == "flag"


def test_an_address_alone_is_an_endpoint_of_its_own() -> None:
    """Neither provider nor model name of the main model go to another address."""
    run = config(
        provider="openai", base_url=None, verifier_name="m", verifier_base_url="http://b.example/v1"
    )
    verifier = run.roles[ModelRole.VERIFIER]
    assert (verifier.provider, verifier.base_url) == (Provider.CUSTOM, "http://b.example/v1")
    with pytest.raises(InvalidSetting, match="LEADLINE_VERIFIER_NAME"):
        config(verifier_base_url="http://b.example/v1")


def test_another_provider_takes_over_no_name_and_no_address() -> None:
    with pytest.raises(InvalidSetting, match=r"Set writer.name"):
        config(writer_provider="ollama")
    writer = config(writer_provider="ollama", writer_name="q").roles[ModelRole.WRITER]
    assert writer.base_url == ""
    with pytest.raises(InvalidSetting, match=r"writer.base_url"):
        config(provider="ollama", base_url=None, writer_provider="custom", writer_name="q")


def test_a_role_may_be_offline_and_a_role_may_be_the_only_model() -> None:
    offline = config(writer_provider="offline").roles[ModelRole.WRITER]
    assert (offline.provider, offline.name, offline.base_url) == (Provider.OFFLINE, "", "")
    run = Settings().run_config(verifier_name="claude-x")
    assert run.model.provider is Provider.OFFLINE
    assert run.roles[ModelRole.VERIFIER].provider is Provider.ANTHROPIC


def test_a_wrong_value_names_its_setting() -> None:
    with pytest.raises(InvalidSetting, match=r"verifier.temperature \(LEADLINE_VERIFIER_TEMP"):
        config(verifier_temperature=9)
    with pytest.raises(InvalidSetting, match=r"verifier.nmae is no setting"):
        config(verifier={"nmae": "x"})
    with pytest.raises(InvalidSetting, match="password"):
        config(verifier_base_url=f"http://u:{CANARY}@b.example/v1")


def test_a_roles_key_is_found_and_goes_to_its_endpoint_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Own key, else the provider's, else the main one at the very same address."""
    monkeypatch.setenv("LEADLINE_MODEL_API_KEY", "main-key-123")
    monkeypatch.setenv("LLM_API_KEY", "any-key-123")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "claude-key-123")
    monkeypatch.setenv("LEADLINE_REFUTER_API_KEY", "refuter-key-123")
    settings = Settings()
    run = config(
        verifier_name="small",
        refuter_name="other",
        writer_provider="anthropic",
        writer_name="claude-x",
        planner_base_url="http://b.example/v1",
        planner_name="x",
        reflector_provider="offline",
    )
    assert settings.run_keys(run) == {
        "LEADLINE_MODEL_API_KEY": "main-key-123",
        "LEADLINE_VERIFIER_API_KEY": "main-key-123",
        "LEADLINE_REFUTER_API_KEY": "refuter-key-123",
        "LEADLINE_WRITER_API_KEY": "claude-key-123",
    }
    assert settings.role_key(ModelRole.PLANNER, run) is None
    assert settings.role_key(ModelRole.REFLECTOR, run) is None
    assert settings.role_key_origin(ModelRole.REFUTER, run).startswith("LEADLINE_REFUTER_API_KEY")
    main = settings.role_key(ModelRole.ADJUDICATOR, run)
    assert main is not None
    assert main.get_secret_value() == "main-key-123"


def test_a_typed_key_is_that_of_roles_at_the_same_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_MODEL_API_KEY", "main-key-123")
    run = config(verifier_name="small")
    keys = Settings().run_keys(run, SecretStr("typed-key-123"))
    assert set(keys) == {"LEADLINE_MODEL_API_KEY", "LEADLINE_VERIFIER_API_KEY"}
    assert set(keys.values()) == {"typed-key-123"}
    for name, value in keys.items():
        monkeypatch.setenv(name, value)
    found = Settings().role_key(ModelRole.VERIFIER, run)
    assert found is not None
    assert found.get_secret_value() == "typed-key-123"


def test_a_key_of_a_role_is_stored_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_VERIFIER_API_KEY", CANARY)
    settings = Settings(**MAIN, verifier_name="small")
    assert CANARY not in settings.to_toml() + repr(settings)
    assert CANARY not in settings.run_config().model_dump_json()
    Path("leadline.toml").write_text(f'[verifier]\napi_key = "{CANARY}"\n', "utf-8")
    with pytest.raises(InvalidSetting, match="LEADLINE_VERIFIER_API_KEY") as error:
        Settings()
    assert CANARY not in str(error.value)


def test_saved_roles_are_read_back() -> None:
    settings = Settings(**MAIN, verifier_name="small", verifier_vision=True)
    settings.save()
    assert Settings().run_config() == settings.run_config()


def test_a_stored_run_keeps_its_roles() -> None:
    run = config(verifier_name="small")
    assert RunConfig.model_validate_json(run.model_dump_json()) == run
    assert RunConfig.model_validate({}).roles == {}


def test_a_run_that_has_begun_takes_changed_roles() -> None:
    settings = Settings()
    run = config(verifier_name="small", verifier_temperature=1.0)
    changed = settings.changed_config(run, minutes=7)
    assert changed.roles == run.roles
    other = settings.changed_config(run, verifier_provider="ollama", verifier_name="q")
    verifier = other.roles[ModelRole.VERIFIER]
    assert (verifier.provider, verifier.name, verifier.base_url) == (Provider.OLLAMA, "q", "")
    assert verifier.temperature == 1.0


def test_requests_and_settings_know_the_same_roles() -> None:
    assert set(Role.__args__) == {role.value for role in ModelRole}  # type: ignore[attr-defined]
