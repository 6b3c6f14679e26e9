"""From what the Ask page holds to a run's configuration, or to one sentence a field. Pure.

Invariant: a configuration comes out only when every field is right; the key is no part of it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import SplitResult, urlsplit

from leadline.domain.claims import Verification
from leadline.domain.config import (
    ModelConfig,
    Profile,
    Provider,
    ReportLength,
    ReportTemplate,
    RunConfig,
    SearchEngine,
)
from leadline.domain.limits import PLAN_MAX_TASKS, Depth
from leadline.domain.plan import Plan
from leadline.domain.plan_markdown import parse_plan
from leadline.domain.providers import NEEDS_ADDRESS, needs_key
from leadline.domain.run import check_topic
from leadline.errors import InvalidSetting, InvalidTopic
from leadline.web.texts import Texts

Group = Literal["question", "limits", "sources", "model", "browser", "plan"]
GROUPS: tuple[Group, ...] = ("question", "limits", "sources", "model", "browser", "plan")
PLAN_MAX_CHARS = 100_000

_DOMAIN = re.compile(r"(?:\*\.)?(?:[\w-]{1,63}\.)+[\w-]{2,63}|localhost", re.UNICODE)
_NUMBERS: dict[str, tuple[str, float, float]] = {
    "loops": ("max_research_loops", 0, 10),
    "minutes": ("minutes", 0.1, 24 * 60),
    "tokens": ("tokens", 1000, 1e12),
    "cost": ("cost_usd", 0.01, 1e6),
}


@dataclass(frozen=True)
class AskForm:
    """The fields of the Ask page, as Gradio hands them over."""

    question: str = ""
    depth: str = Depth.STANDARD.value
    browsers: float = 2
    plan_first: bool = False
    verification: str = Verification.CHECK.value
    division: str = Profile.HIERARCHICAL.value
    report_template: str = ReportTemplate.THEMATIC.value
    report_length: str = ReportLength.STANDARD.value
    report_language: str = ""
    loops: str = ""
    minutes: str = ""
    tokens: str = ""
    cost: str = ""
    source: str = "web"
    engines: tuple[str, ...] = ()
    searxng_url: str = ""
    template_url: str = ""
    only_domains: str = ""
    without_domains: str = ""
    provider: str = Provider.OFFLINE.value
    model_name: str = ""
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    temperature: float | None = None
    vision: bool = False
    headless: bool = True
    browser_path: str = ""
    profile: str = ""
    cdp_url: str = ""
    proxy: str = ""
    own_plan: str = ""


@dataclass
class Reading:
    """What a form says: a topic and a configuration, or messages by group of fields."""

    topic: str = ""
    config: RunConfig | None = None
    plan: Plan | None = None
    errors: dict[Group, str] = field(default_factory=dict)


def read_form(
    form: AskForm,
    texts: Texts,
    *,
    build: Callable[..., RunConfig],
    has_key: Callable[[ModelConfig], bool],
    path_exists: Callable[[str, str], bool],
) -> Reading:
    """Check every field, then let ``build`` (``Settings.run_config``) make the configuration.

    ``has_key`` tells whether the settings hold a key for such a model, ``path_exists(path,
    "file" | "folder")`` looks at the disk.
    """
    reading = Reading()
    check = _Check(reading.errors, texts)
    try:
        reading.topic = check_topic(form.question)
    except InvalidTopic as error:
        check.fail("question", str(error) if form.question.strip() else texts("need_question"))
    if len(form.own_plan) > PLAN_MAX_CHARS:
        check.fail("plan", texts("plan_too_long", n=PLAN_MAX_TASKS))
    elif form.own_plan.strip():
        reading.plan = parse_plan(form.own_plan).reopened()
        count = sum(1 for _ in reading.plan.tasks())
        if not count:
            check.fail("plan", texts("plan_without_tasks"))
        elif count > PLAN_MAX_TASKS:
            check.fail("plan", texts("plan_too_long", n=PLAN_MAX_TASKS))
    parts: dict[str, Any] = {
        "depth": _depth(form.depth),
        "limits": _limits(form, check),
        "model": _model(form, check, has_key),
        "search": _search(form, check),
        "browser": _browser(form, check, path_exists),
        "profile": form.division,
        "verification": form.verification,
        "report_template": form.report_template,
        "report_length": form.report_length,
        "report_language": form.report_language,
        "plan_first": form.plan_first,
    }
    if not reading.errors:
        try:
            reading.config = build(**parts)
        except InvalidSetting as error:
            check.fail("limits", str(error))
    return reading


def split_domains(text: str) -> list[str]:
    """The site names in a list that is separated by commas, blanks or lines."""
    names: list[str] = []
    for part in re.split(r"[\s,;，；、]+", text.strip()):
        if not part:
            continue
        name = part.partition("://")[2] or part
        name = name.split("/")[0]
        names.append(name.lower().removeprefix("www."))
    return names


class _Check:
    """Collects the first message of each group."""

    def __init__(self, errors: dict[Group, str], texts: Texts) -> None:
        self.errors = errors
        self.texts = texts

    def fail(self, group: Group, message: str) -> None:
        self.errors.setdefault(group, message)

    def number(
        self, group: Group, label: str, text: str | float, low: float, high: float
    ) -> float | None:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if low <= value <= high:
            return value
        message = self.texts("bad_number", field=label, low=f"{low:g}", high=f"{high:,.10g}")
        self.fail(group, message)
        return None

    def url(self, group: Group, label: str, value: str, schemes: tuple[str, ...]) -> str:
        value = value.strip()
        if value:
            try:
                parts = urlsplit(value)
            except ValueError:
                parts = urlsplit("")
            if parts.scheme.lower() not in schemes or not parts.hostname:
                shown = " / ".join(f"{s}://" for s in schemes)
                self.fail(group, self.texts("bad_url", field=label, schemes=shown))
            elif "@" in parts.netloc:
                self.fail(group, self.texts("url_with_password", field=label))
            elif not _port_exists(parts):
                self.fail(group, self.texts("bad_port", field=label))
        return value


def _port_exists(parts: SplitResult) -> bool:
    try:
        return parts.port != 0
    except ValueError:
        return False


def _depth(value: str) -> Depth:
    try:
        return Depth(value)
    except ValueError:
        return Depth.STANDARD


def _limits(form: AskForm, check: _Check) -> dict[str, Any]:
    changed: dict[str, Any] = {"max_parallel_browsers": max(1, min(16, int(form.browsers or 2)))}
    for name, (limit, low, high) in _NUMBERS.items():
        text = getattr(form, name).replace(",", "").replace("_", "").strip()
        if not text:
            continue
        number = check.number("limits", check.texts(name), text, low, high)
        if number is not None:
            changed[limit] = int(number) if limit in {"tokens", "max_research_loops"} else number
    return changed


def _model(form: AskForm, check: _Check, has_key: Callable[[ModelConfig], bool]) -> dict[str, Any]:
    try:
        provider = Provider(form.provider)
    except ValueError:
        provider = Provider.OFFLINE
    if provider is Provider.OFFLINE:
        return {"provider": provider, "name": "", "base_url": "", "vision": False}
    texts = check.texts
    values: dict[str, Any] = {"provider": provider, "vision": form.vision}
    values["name"] = form.model_name.strip()
    if not values["name"]:
        check.fail("model", texts("need_model_name"))
    values["base_url"] = check.url("model", texts("base_url"), form.base_url, ("http", "https"))
    if provider in NEEDS_ADDRESS and not values["base_url"]:
        check.fail("model", texts("need_base_url"))
    if form.temperature is not None:
        values["temperature"] = check.number("model", texts("temperature"), form.temperature, 0, 2)
    if "model" not in check.errors and needs_key(provider) and not form.api_key.strip():
        model = ModelConfig(provider=provider, name=values["name"], base_url=values["base_url"])
        if not has_key(model):
            check.fail("model", texts("need_key"))
    return values


def _search(form: AskForm, check: _Check) -> dict[str, Any]:
    texts = check.texts
    values: dict[str, Any] = {}
    if form.source == "demo":
        values["engines"] = (SearchEngine.DEMO,)
    else:
        known = {e.value for e in SearchEngine} - {SearchEngine.DEMO.value}
        engines = tuple(SearchEngine(e) for e in form.engines if e in known)
        values["engines"] = engines
        if not engines:
            check.fail("sources", texts("need_engine"))
        values["searxng_url"] = check.url(
            "sources", texts("searxng_url"), form.searxng_url, ("http", "https")
        )
        if SearchEngine.SEARXNG in engines and not values["searxng_url"]:
            check.fail("sources", texts("need_searxng"))
        values["template_url"] = check.url(
            "sources", texts("template_url"), form.template_url, ("http", "https")
        )
        if SearchEngine.TEMPLATE in engines and "{query}" not in values["template_url"]:
            check.fail("sources", texts("need_template"))
    for name, text in (
        ("only_domains", form.only_domains),
        ("without_domains", form.without_domains),
    ):
        domains = split_domains(text)
        wrong = next((d for d in domains if not _DOMAIN.fullmatch(d)), None)
        if wrong is not None:
            check.fail("sources", texts("bad_domain", value=wrong[:60]))
        values[name] = tuple(domains)
    return values


def _browser(
    form: AskForm, check: _Check, path_exists: Callable[[str, str], bool]
) -> dict[str, Any]:
    texts = check.texts
    values: dict[str, Any] = {"headless": form.headless}
    for name, text, kind, message in (
        ("executable", form.browser_path, "file", "no_such_file"),
        ("user_data_dir", form.profile, "folder", "no_such_folder"),
    ):
        values[name] = text.strip()
        if values[name] and not path_exists(values[name], kind):
            check.fail("browser", texts(message))
    values["cdp_url"] = check.url(
        "browser", texts("cdp_url"), form.cdp_url, ("http", "https", "ws", "wss")
    )
    values["proxy"] = check.url("browser", texts("proxy"), form.proxy, ("http", "https", "socks5"))
    return values
