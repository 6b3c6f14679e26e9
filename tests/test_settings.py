"""Settings: where they come from, what they refuse, and that no key leaves them."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.config import BrowserConfig, ModelConfig, Provider, SearchEngine
from leadline.domain.limits import PRESETS, Depth
from leadline.errors import InvalidSetting
from leadline.provider_keys import mask
from leadline.settings import Settings

CANARY = "sk-canary-0123456789abcdef"


def put_file(text: str) -> None:
    Path("leadline.toml").write_text(text, encoding="utf-8")


def put_dotenv(text: str) -> None:
    Path(".env").write_text(text, encoding="utf-8")


def test_without_any_setting_the_offline_model_reads_the_demo_web() -> None:
    settings = Settings()
    config = settings.run_config()
    assert config.model.provider is Provider.OFFLINE
    assert config.search.engines == (SearchEngine.DEMO,)
    assert settings.uses_demo_by_default
    assert settings.api_key() is None
    assert settings.key_origin() == "no key is needed"


def test_defaults_of_the_server_and_the_folder_of_runs() -> None:
    settings = Settings()
    assert (settings.host, settings.port, settings.max_running) == ("127.0.0.1", 7788, 2)
    assert settings.runs_dir == Path.cwd() / "tmp" / "deep_research"
    assert 2 <= settings.machine_browsers <= 16
    assert settings.token is None


def test_engines_that_are_set_are_used_without_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_SEARCH_ENGINES", "searxng, ddgs")
    settings = Settings()
    assert settings.run_config().search.engines == (SearchEngine.SEARXNG, SearchEngine.DDGS)
    assert not settings.uses_demo_by_default


def test_with_a_model_the_web_is_searched() -> None:
    settings = Settings(provider="ollama", model_name="llama3.2")
    assert SearchEngine.DEMO not in settings.run_config().search.engines
    assert not settings.uses_demo_by_default


def test_flags_beat_environment_beats_dotenv_beats_file(monkeypatch: pytest.MonkeyPatch) -> None:
    put_file("port = 1001\nmax_running = 3\n[limits]\nminutes = 5\n")
    assert (Settings().port, Settings().max_running) == (1001, 3)
    put_dotenv("LEADLINE_PORT=1002\n")
    assert Settings().port == 1002
    monkeypatch.setenv("LEADLINE_PORT", "1003")
    assert Settings().port == 1003
    assert Settings(port=1004).port == 1004
    assert Settings().run_config().limits.minutes == 5
    assert Settings().run_config(minutes=7).limits.minutes == 7


def test_sections_are_merged_field_by_field(monkeypatch: pytest.MonkeyPatch) -> None:
    put_file('[model]\nprovider = "ollama"\nname = "a"\n')
    monkeypatch.setenv("LEADLINE_MODEL_NAME", "b")
    model = Settings(temperature=0.7).run_config().model
    assert (model.provider, model.name, model.temperature) == (Provider.OLLAMA, "b", 0.7)


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_PORT", "")
    monkeypatch.setenv("OPENAI_API_KEY", " ")
    assert Settings().port == 7788
    assert Settings(model_name="gpt-5").api_key() is None


def test_settings_are_read_anew_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings().port == 7788
    monkeypatch.setenv("LEADLINE_PORT", "9000")
    assert Settings().port == 9000


def test_an_override_of_none_is_ignored() -> None:
    """S0-61."""
    settings = Settings(browsers=3)
    assert settings.run_config(browsers=None, model=None).limits.max_parallel_browsers == 3


@pytest.mark.parametrize("depth", list(Depth))
def test_a_depth_is_a_preset_of_limits(depth: Depth) -> None:
    assert Settings().run_config(depth=depth.value).limits == PRESETS[depth]


def test_single_limits_win_over_the_preset() -> None:
    limits = Settings(minutes=3).run_config(depth="deep", loops=0).limits
    assert (limits.minutes, limits.max_research_loops, limits.max_categories) == (3, 0, 8)


def test_lowering_the_most_lowers_the_fewest_with_it() -> None:
    limits = Settings().run_config(max_categories=2, min_tasks_per_category=4).limits
    assert (limits.min_categories, limits.max_categories) == (2, 2)
    assert (limits.min_tasks_per_category, limits.max_tasks_per_category) == (4, 4)


def test_whole_sections_can_be_given() -> None:
    model = ModelConfig(provider=Provider.VLLM, name="m", base_url="http://127.0.0.1:1/v1")
    config = Settings().run_config(model=model, browser=BrowserConfig(headless=False))
    assert config.model == model
    assert config.browser.headless is False


@pytest.mark.parametrize(
    ("override", "named"),
    [
        ({"browsers": 99}, "limits.max_parallel_browsers"),
        ({"depth": "abyss"}, "abyss"),
        ({"engines": "bing,goo"}, "'goo'"),
        ({"provider": "skynet"}, "skynet"),
        ({"minutes": "soon"}, "soon"),
        ({"browser_window_width": 1}, "browser.window_width"),
        ({"minuts": 3}, "Did you mean minutes"),
        ({"port": 1}, "port"),
        ({"model": {"names": "x"}}, "model.names"),
    ],
)
def test_a_wrong_override_is_one_sentence_naming_it(
    override: dict[str, object], named: str
) -> None:
    with pytest.raises(InvalidSetting) as caught:
        Settings().run_config(**override)
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("port = 'x'", "port"),
        ("prot = 1", "Did you mean port"),
        ("[model]\nnmae = 'x'", "model.nmae"),
        ("[limits]\nminutes = -1", "limits.minutes"),
        ("port = ", "leadline.toml"),
    ],
)
def test_a_wrong_settings_file_is_refused_with_a_sentence(text: str, named: str) -> None:
    put_file(text)
    with pytest.raises(InvalidSetting) as caught:
        Settings()
    assert named in str(caught.value)


@pytest.mark.parametrize("text", ["token = '{}'", "[model]\napi_key = '{}'"])
def test_a_secret_in_the_settings_file_is_refused_and_not_repeated(text: str) -> None:
    """Safety 30."""
    put_file(text.format(CANARY))
    with pytest.raises(InvalidSetting) as caught:
        Settings()
    assert CANARY not in str(caught.value)
    assert "environment" in str(caught.value)


@pytest.mark.parametrize("name", ["base_url", "browser_proxy", "browser_cdp_url"])
def test_an_address_with_a_password_is_refused_and_not_repeated(name: str) -> None:
    """Safety 29: addresses are stored with each run."""
    with pytest.raises(InvalidSetting) as caught:
        Settings().run_config(**{name: f"http://me:{CANARY}@host/v1"})
    assert CANARY not in str(caught.value)


def test_a_misspelt_variable_is_pointed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_MODLE_NAME", "x")
    [sentence] = Settings().unknown_variables()
    assert "LEADLINE_MODEL_NAME" in sentence


# Providers and keys


@pytest.mark.parametrize(
    ("variables", "provider", "name", "base_url"),
    [
        ({"OPENAI_API_KEY": "k"}, Provider.OFFLINE, "", ""),
        ({"LEADLINE_MODEL_NAME": "gpt-5"}, Provider.OPENAI, "gpt-5", ""),
        ({"LEADLINE_MODEL_NAME": "claude-x"}, Provider.ANTHROPIC, "claude-x", ""),
        (
            {"LEADLINE_MODEL_NAME": "a/b", "OPENROUTER_API_KEY": "k"},
            Provider.OPENROUTER,
            "a/b",
            "",
        ),
        (
            {"LEADLINE_MODEL_NAME": "m", "LEADLINE_MODEL_BASE_URL": "http://h/v1"},
            Provider.CUSTOM,
            "m",
            "http://h/v1",
        ),
        (
            {"LLM_PROVIDER": "ollama", "LOCAL_LLM": "llama3.2", "OLLAMA_BASE_URL": "http://h:1"},
            Provider.OLLAMA,
            "llama3.2",
            "http://h:1",
        ),
        (
            {"LOCAL_LLM": "q", "LMSTUDIO_BASE_URL": "http://h:2/v1"},
            Provider.LMSTUDIO,
            "q",
            "http://h:2/v1",
        ),
        (
            {"LLM_MODEL_ID": "m", "LOCAL_LLM": "other", "LLM_BASE_URL": "http://h/v1"},
            Provider.CUSTOM,
            "m",
            "http://h/v1",
        ),
        (
            {"LEADLINE_MODEL_PROVIDER": "azure", "LEADLINE_MODEL_NAME": "d",
             "AZURE_OPENAI_ENDPOINT": "https://h"},
            Provider.AZURE,
            "d",
            "https://h",
        ),
    ],
)  # fmt: skip
def test_the_usual_variables_are_understood(
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    provider: Provider,
    name: str,
    base_url: str,
) -> None:
    """S0-60, S0-64."""
    for key, value in variables.items():
        monkeypatch.setenv(key, value)
    model = Settings().run_config().model
    assert (model.provider, model.name, model.base_url) == (provider, name, base_url)


def test_leadlines_own_names_win_over_the_aliases(monkeypatch: pytest.MonkeyPatch) -> None:
    """S0-61: an alias only fills what was left unset."""
    monkeypatch.setenv("LLM_MODEL_ID", "alias")
    monkeypatch.setenv("LLM_BASE_URL", "http://alias/v1")
    monkeypatch.setenv("LEADLINE_MODEL_NAME", "own")
    monkeypatch.setenv("LEADLINE_MODEL_BASE_URL", "http://own/v1")
    model = Settings().run_config().model
    assert (model.name, model.base_url) == ("own", "http://own/v1")


@pytest.mark.parametrize(
    ("provider", "variable"),
    [
        ("openai", "OPENAI_API_KEY"),
        ("azure", "AZURE_OPENAI_API_KEY"),
        ("openrouter", "OPENROUTER_API_KEY"),
        ("deepseek", "DEEPSEEK_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("google", "GOOGLE_API_KEY"),
        ("google", "GEMINI_API_KEY"),
        ("mistral", "MISTRAL_API_KEY"),
        ("vllm", "LLM_API_KEY"),
        ("openai", "LEADLINE_MODEL_API_KEY"),
    ],
)
def test_each_provider_gets_its_own_key(
    monkeypatch: pytest.MonkeyPatch, provider: str, variable: str
) -> None:
    monkeypatch.setenv(variable, CANARY)
    settings = Settings(provider=provider, model_name="m")
    key = settings.api_key()
    assert key is not None
    assert key.get_secret_value() == CANARY
    assert settings.key_origin() == f"{variable} in the environment"


def test_leadlines_own_key_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "usual")
    put_dotenv("LEADLINE_MODEL_API_KEY=own\n")
    settings = Settings(provider="openai", model_name="m")
    assert settings.key_origin() == "LEADLINE_MODEL_API_KEY in .env"


def test_no_key_goes_to_another_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    elsewhere = Settings(base_url="http://elsewhere/v1", model_name="m")
    assert elsewhere.run_config().model.provider is Provider.CUSTOM
    assert elsewhere.api_key() is None
    assert Settings(provider="anthropic", model_name="m").api_key() is None
    assert "ANTHROPIC_API_KEY" in Settings(provider="anthropic", model_name="m").key_origin()
    assert Settings(provider="offline").api_key() is None


def test_the_key_of_another_model_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", CANARY)
    settings = Settings()
    model = settings.run_config(provider="mistral", model_name="m").model
    assert settings.api_key() is None
    assert settings.api_key(model) is not None


def test_a_key_alone_spends_nothing_and_is_pointed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    settings = Settings()
    assert settings.run_config().model.provider is Provider.OFFLINE
    assert "OPENAI_API_KEY" in settings.model_hint()
    assert CANARY not in settings.model_hint()
    assert Settings(provider="offline").model_hint() == ""


def test_a_provider_without_a_model_is_refused() -> None:
    with pytest.raises(InvalidSetting, match="LEADLINE_MODEL_NAME"):
        Settings(provider="openai").run_config()
    with pytest.raises(InvalidSetting, match="LEADLINE_MODEL_BASE_URL"):
        Settings(provider="custom", model_name="m").run_config()


def test_the_browser_variables_of_web_ui(monkeypatch: pytest.MonkeyPatch) -> None:
    """S2-33."""
    monkeypatch.setenv("BROWSER_PATH", "/opt/chrome")
    monkeypatch.setenv("BROWSER_CDP", "http://127.0.0.1:9222")
    put_dotenv("BROWSER_USER_DATA=/home/me/profile\n")
    browser = Settings().run_config().browser
    assert browser.executable == "/opt/chrome"
    assert browser.user_data_dir == "/home/me/profile"
    assert browser.cdp_url == "http://127.0.0.1:9222"
    assert Settings(browser_executable="/mine").run_config().browser.executable == "/mine"


# Secrets and saving


def test_a_secret_shows_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Safety 29."""
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    monkeypatch.setenv("LEADLINE_TOKEN", CANARY)
    monkeypatch.setenv("LEADLINE_MODEL_API_KEY", CANARY)
    settings = Settings(model_name="gpt-5")
    for text in (
        repr(settings),
        str(settings),
        repr(settings._usual),
        settings.model_dump_json(),
        settings.run_config().model_dump_json(),
        settings.to_toml(),
        settings.key_origin(),
    ):
        assert CANARY not in text


def test_saved_settings_are_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_TOKEN", CANARY)
    settings = Settings(
        port=9001, depth="deep", provider="vllm", model_name='a "b" ü', engines="bing",
        search_without_domains="a.com,b.org", temperature="none", browsers=4,
        runs_dir="tmp/elsewhere",
    )  # fmt: skip
    before = settings.run_config()
    settings.save()
    monkeypatch.delenv("LEADLINE_TOKEN")
    again = Settings()
    assert again.run_config() == before
    assert (again.port, again.runs_dir) == (9001, settings.runs_dir)
    assert CANARY not in Path("leadline.toml").read_text(encoding="utf-8")
    assert [p.name for p in Path.cwd().iterdir()] == ["leadline.toml"]


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30))
def test_any_model_name_survives_saving(name: str) -> None:
    name = name.strip()
    settings = Settings(provider="vllm", model_name=name)
    assert tomllib.loads(settings.to_toml())["model"]["name"] == name


@pytest.mark.parametrize(
    ("secret", "shown"),
    [
        ("", "unset"),
        (None, "unset"),
        ("12345678", "********"),
        ("abcdefghijkl", "abcd...ijkl"),
    ],
)
def test_the_mask_of_a_key(secret: str | None, shown: str) -> None:
    """S0-65."""
    assert mask(secret) == shown


def test_importing_settings_reads_nothing() -> None:
    """Values are read when asked for: importing under a broken environment is no error."""
    script = "import os; os.environ['LEADLINE_PORT'] = 'x'; import leadline.settings"
    assert subprocess.run([sys.executable, "-c", script], timeout=30).returncode == 0


def test_every_setting_is_described() -> None:
    table = Settings.table()
    assert all(info.description for info in table.values())
    assert len({info.env for info in table.values()}) == len(table)
    assert table["model.api_key"].secret
    assert table["token"].secret
    assert table["search.engines"].is_list
    assert "demo" in table["search.engines"].choices


def test_a_run_that_has_begun_takes_changed_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is named changes; all else stays as the run has it, whatever is configured now."""
    config = Settings().run_config(depth="quick", engines="bing", pages_per_query=7)
    monkeypatch.setenv("LEADLINE_LIMITS_PAGES_PER_QUERY", "2")
    changed = Settings().changed_config(config, **{"limits.minutes": "30", "loops": 2})
    assert changed.limits == config.limits.model_copy(
        update={"minutes": 30.0, "max_research_loops": 2}
    )
    assert changed.search == config.search
    for refused in ({"depth": "deep"}, {"plan_first": "true"}, {"port": "1"}):
        with pytest.raises(InvalidSetting, match="once a run has begun"):
            Settings().changed_config(config, **refused)
    with pytest.raises(InvalidSetting, match=r"limits\.minutes"):
        Settings().changed_config(config, minutes="-1")


def test_another_provider_brings_its_own_address() -> None:
    config = Settings().run_config(
        provider="custom", model_name="m", base_url="http://127.0.0.1:1/v1"
    )
    with pytest.raises(InvalidSetting, match="Which model"):
        Settings().changed_config(config, provider="openai")
    model = Settings().changed_config(config, provider="openai", model_name="gpt-x").model
    assert (model.name, model.base_url) == ("gpt-x", "")
    assert (
        Settings().changed_config(config, temperature="0").model.base_url == config.model.base_url
    )
