"""The Ask page's fields become a configuration, or one sentence at the field."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.claims import Verification
from leadline.domain.config import (
    ModelConfig,
    Profile,
    Provider,
    ReportLength,
    ReportTemplate,
    SearchEngine,
)
from leadline.settings import Settings
from leadline.web.form import AskForm, Reading, read_form, split_domains
from leadline.web.texts import Texts

GOOD = AskForm(question="How deep is the Sunder?", engines=("bing", "duckduckgo"))


def read(form: AskForm, *, key: bool = False, paths: bool = False, language: str = "en") -> Reading:
    def has_key(_: ModelConfig) -> bool:
        return key

    def exists(_: str, __: str) -> bool:
        return paths

    texts = Texts("zh" if language == "zh" else "en")
    return read_form(form, texts, build=Settings().run_config, has_key=has_key, path_exists=exists)


def test_a_question_alone_is_enough() -> None:
    reading = read(GOOD)
    assert reading.errors == {}
    assert reading.config is not None
    assert reading.config.model.provider is Provider.OFFLINE
    assert reading.config.search.engines == (SearchEngine.BING, SearchEngine.DUCKDUCKGO)
    assert reading.config.limits.max_parallel_browsers == 2


def test_every_field_reaches_the_configuration() -> None:
    form = replace(
        GOOD,
        depth="quick",
        browsers=7,
        plan_first=True,
        loops="3",
        minutes="12.5",
        tokens="90,000",
        cost="0.5",
        report_language="zh",
        source="demo",
        only_domains="https://www.Example.org/x, example.com",
        without_domains="spam.example",
        provider="custom",
        model_name="tiny",
        base_url="http://127.0.0.1:8000/v1",
        api_key="sk-canary",
        temperature=0.7,
        vision=True,
        headless=False,
        browser_path="/usr/bin/chromium",
        profile="/home/me/profile",
        cdp_url="http://127.0.0.1:9222",
        proxy="http://127.0.0.1:3128",
    )
    config = read(form, paths=True).config
    assert config is not None
    limits = config.limits
    assert (limits.max_parallel_browsers, limits.max_research_loops) == (7, 3)
    assert (limits.minutes, limits.tokens, limits.cost_usd) == (12.5, 90_000, 0.5)
    assert limits.max_categories == 3
    assert config.plan_first
    assert config.report_language == "zh"
    assert config.search.engines == (SearchEngine.DEMO,)
    assert config.search.only_domains == ("example.org", "example.com")
    assert config.search.without_domains == ("spam.example",)
    assert config.model.name == "tiny"
    assert config.model.base_url == "http://127.0.0.1:8000/v1"
    assert (config.model.temperature, config.model.vision) == (0.7, True)
    assert not config.browser.headless
    assert config.browser.executable == "/usr/bin/chromium"
    assert config.browser.user_data_dir == "/home/me/profile"
    assert config.browser.cdp_url == "http://127.0.0.1:9222"
    assert config.browser.proxy == "http://127.0.0.1:3128"
    assert "sk-canary" not in config.model_dump_json()
    assert "sk-canary" not in repr(form)


@pytest.mark.parametrize(
    ("changes", "group"),
    [
        ({"question": ""}, "question"),
        ({"question": " \n\t "}, "question"),
        ({"question": "x" * 1_000_000}, "question"),
        ({"minutes": "many"}, "limits"),
        ({"minutes": "-1"}, "limits"),
        ({"tokens": "nan"}, "limits"),
        ({"cost": "inf"}, "limits"),
        ({"loops": "11"}, "limits"),
        ({"engines": ()}, "sources"),
        ({"engines": ("searxng",)}, "sources"),
        ({"engines": ("searxng",), "searxng_url": "searx"}, "sources"),
        ({"engines": ("template",), "template_url": "https://a.example/?q="}, "sources"),
        ({"only_domains": "not a domain!"}, "sources"),
        ({"provider": "openai"}, "model"),
        ({"provider": "openai", "model_name": "gpt"}, "model"),
        ({"provider": "custom", "model_name": "m"}, "model"),
        ({"provider": "custom", "model_name": "m", "base_url": "file:///etc"}, "model"),
        ({"provider": "custom", "model_name": "m", "base_url": "http://u:p@h/v1"}, "model"),
        ({"provider": "ollama", "model_name": "m", "temperature": 9}, "model"),
        ({"browser_path": "/nowhere"}, "browser"),
        ({"profile": "/nowhere"}, "browser"),
        ({"cdp_url": "9222"}, "browser"),
        ({"proxy": "http://user:secret@proxy:1"}, "browser"),
        ({"proxy": "http://["}, "browser"),
        ({"own_plan": "just words"}, "plan"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(changes: dict[str, Any], group: str) -> None:
    """S2-42, safety 48"""
    for language in ("en", "zh"):
        reading = read(replace(GOOD, **changes), language=language)
        assert list(reading.errors) == [group]
        assert reading.config is None
        sentence = reading.errors[group]  # type: ignore[index]  # the group names are literals
        assert 5 < len(sentence) < 200
        assert "secret" not in sentence


def test_a_key_of_the_settings_is_enough() -> None:
    form = replace(GOOD, provider="openai", model_name="gpt")
    assert read(form, key=True).config is not None
    assert read(replace(form, api_key="sk-typed")).config is not None


def test_an_own_plan_starts_with_open_boxes() -> None:
    """A plan of web-ui's, with its doubled numbering, is taken as well."""
    reading = read(replace(GOOD, own_plan="# Research Plan\n\n## 1. 1. Depth\n\n- [x] How deep?\n"))
    assert reading.plan is not None
    (task,) = reading.plan.tasks()
    assert (task.text, task.state.value) == ("How deep?", "open")
    assert reading.plan.categories[0].name == "Depth"


@given(st.text(max_size=200))
def test_domains_of_any_text_never_crash(text: str) -> None:
    for name in split_domains(text):
        assert name == name.lower()
        assert not any(c.isspace() or c == "," for c in name)


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_no_text_in_a_field_crashes(question: str, address: str, number: str) -> None:
    """safety 48"""
    reading = read(
        replace(
            GOOD, question=question, proxy=address, minutes=number, depth=number, provider=address
        )
    )
    assert (reading.config is None) == bool(reading.errors)


@pytest.mark.parametrize("url", ["http://h:99999/v1", "http://h:0/v1", "http://h:port/v1"])
def test_a_port_that_does_not_exist_is_said_before_the_run(url: str) -> None:
    """ "Bad input": at the field, not in the middle of a run."""
    form = replace(GOOD, provider="custom", model_name="tiny", base_url=url)
    assert "ports go from 1 to 65535" in read(form).errors["model"]


@pytest.mark.parametrize("url", ["http://[::1", "http://", "http://:80", "nonsense", "file:///etc"])
def test_half_an_address_is_said(url: str) -> None:
    form = replace(GOOD, provider="custom", model_name="tiny", base_url=url)
    assert "must start with http" in read(form).errors["model"]


@pytest.mark.parametrize("plan", ["- [ ] x\n" * 501, "- [ ] x\n" * 70_000, "y" * 5_000_000])
def test_an_endless_plan_is_refused_at_once(plan: str) -> None:
    started = time.monotonic()
    reading = read(replace(GOOD, own_plan=plan))
    assert "at most" in reading.errors["plan"]
    assert time.monotonic() - started < 2


def test_how_the_report_is_made_reaches_the_configuration() -> None:
    """S2-37, S3-24: profile, checks, layout, length and language of one run."""
    form = replace(
        GOOD,
        verification="debate",
        division="perspectives",
        report_template="evidence",
        report_length="long",
        report_language="zh",
        profile="",
    )
    config = read(form).config
    assert config is not None
    assert config.verification is Verification.DEBATE
    assert config.profile is Profile.PERSPECTIVES
    assert config.report_template is ReportTemplate.EVIDENCE
    assert config.report_length is ReportLength.LONG
    assert config.report_language == "zh"
    wrong = read(replace(GOOD, verification="magic"))
    assert wrong.config is None
    assert "verification" in wrong.errors["limits"]
