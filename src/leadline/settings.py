"""Settings: flags, then the environment, then ``.env``, then ``leadline.toml``, then defaults.

Settings are values: they are read when :class:`Settings` is made, never at import, and a run gets
its own copy (:meth:`Settings.run_config`) without a secret. Whatever is wrong with a setting is an
:class:`InvalidSetting` that names it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import psutil
from dotenv import dotenv_values
from pydantic import Field, PrivateAttr, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from leadline.domain.claims import Verification
from leadline.domain.config import (
    BrowserConfig,
    ModelConfig,
    ModelRole,
    Profile,
    Provider,
    ReportLength,
    ReportTemplate,
    RunConfig,
    SearchConfig,
    SearchEngine,
)
from leadline.domain.limits import PRESETS, Depth, Limits
from leadline.errors import InvalidSetting
from leadline.provider_keys import (
    BROWSER_NAMES,
    MODEL_NAMES,
    OWN_KEY,
    ROLE_KEYS,
    Found,
    UsualVariables,
    key_names,
    same_endpoint,
)
from leadline.settings_checks import checked_section, invalid_setting
from leadline.settings_roles import changed_roles, role_models
from leadline.settings_sources import (
    CHANGEABLE,
    WHOLE_RUN,
    Given,
    from_environment,
    from_file,
    nested,
    split_list,
)
from leadline.settings_table import (
    PREFIX,
    ROLE_SECTIONS,
    SECTIONS,
    SettingInfo,
    nearest,
    table,
)

SETTINGS_FILE = Path("leadline.toml")
ENV_FILE = Path(".env")
DEMO_ENGINES = (SearchEngine.DEMO,)


class Settings(BaseSettings):
    """All settings. The sections hold what was set explicitly, unknown names refused."""

    model_config = SettingsConfigDict(
        extra="ignore", hide_input_in_errors=True, protected_namespaces=()
    )

    depth: Depth = Field(Depth.STANDARD, description="How thorough a run is: a preset of limits.")
    profile: Profile = Field(
        Profile.HIERARCHICAL, description="How a question is divided into tasks."
    )
    verification: Verification = Field(
        Verification.CHECK, description="How far the claims of a report are checked."
    )
    report_template: ReportTemplate = Field(
        ReportTemplate.THEMATIC, description="How a report is laid out."
    )
    report_length: ReportLength = Field(
        ReportLength.STANDARD, description="How long a report may be."
    )
    report_language: str = Field("", description="Language of reports; empty: the topic's own.")
    plan_first: bool = Field(False, description="Halt after the plan, so that it can be edited.")
    runs_dir: Path = Field(
        Path("tmp/deep_research"),
        validate_default=True,
        description="Folder of the runs, under the working folder.",
    )
    host: str = Field(
        "127.0.0.1",
        description="Address the server listens on; any but a loopback one needs a token.",
    )
    port: int = Field(7788, ge=0, le=65535, description="Port of the server; 0: any free one.")
    token: SecretStr | None = Field(None, description="Token for the server, at least 128 bits.")
    allowed_hosts: tuple[str, ...] = Field((), description="Further host names of the server.")
    max_running: int = Field(2, ge=1, le=64, description="Runs at work at a time; others wait.")
    machine_browsers: int = Field(
        0,
        ge=0,
        le=256,
        validate_default=True,
        description="Browsers at a time over all runs; 0: what cores and memory carry.",
    )
    model: dict[str, Any] = Field(default_factory=dict)
    browser: dict[str, Any] = Field(default_factory=dict)
    search: dict[str, Any] = Field(default_factory=dict)
    limits: dict[str, Any] = Field(default_factory=dict)
    planner: dict[str, Any] = Field(default_factory=dict)
    worker: dict[str, Any] = Field(default_factory=dict)
    reflector: dict[str, Any] = Field(default_factory=dict)
    verifier: dict[str, Any] = Field(default_factory=dict)
    refuter: dict[str, Any] = Field(default_factory=dict)
    adjudicator: dict[str, Any] = Field(default_factory=dict)
    writer: dict[str, Any] = Field(default_factory=dict)

    _usual: UsualVariables = PrivateAttr(default_factory=UsualVariables)

    def __init__(self, **flags: Any) -> None:
        """Read all settings. Flags go by any name that :meth:`run_config` takes; None is unset."""
        known = table(type(self))
        dotenv = {k: v for k, v in dotenv_values(ENV_FILE, encoding="utf-8").items() if v}
        try:
            super().__init__(**nested(flags, known))
        except ValidationError as error:
            raise invalid_setting(error, known) from None
        self._usual = UsualVariables.read(os.environ, dotenv)
        self.run_config(check_model=False)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags, environment, ``.env``, ``leadline.toml``, in this order."""
        known = table(settings_cls)
        dotenv = {k: v for k, v in dotenv_values(ENV_FILE, encoding="utf-8").items() if v}
        return (
            init_settings,
            Given(settings_cls, from_environment(os.environ, known)),
            Given(settings_cls, from_environment(dotenv, known)),
            Given(settings_cls, from_file(SETTINGS_FILE, known)),
        )

    @field_validator("allowed_hosts", mode="before")
    @classmethod
    def _split_hosts(cls, value: Any) -> Any:
        return split_list(value)

    @field_validator("runs_dir")
    @classmethod
    def _make_absolute(cls, value: Path) -> Path:
        return (Path.cwd() / value.expanduser()).resolve()

    @field_validator("machine_browsers")
    @classmethod
    def _count_browsers(cls, value: int) -> int:
        return value or _browsers_of_machine()

    @classmethod
    def table(cls) -> dict[str, SettingInfo]:
        """Every setting by key, described: the source of help texts, UI and documentation."""
        return table(cls)

    @property
    def uses_demo_by_default(self) -> bool:
        """Whether a run reads the bundled demo web because nothing else is configured."""
        return self.run_config(check_model=False).search.engines == DEMO_ENGINES

    def run_config(self, *, check_model: bool = True, **overrides: Any) -> RunConfig:
        """The configuration of one run.

        Overrides are named like settings (``model_name``, ``search_engines``, ``minutes``,
        ``browsers``, ``depth``, ``report_language`` …) or give a whole section
        (``model=ModelConfig(…)``); None is ignored (S0-61). Raises :class:`InvalidSetting` for an
        unknown name, a bad value, or (unless ``check_model`` is off) a provider without a model.
        """
        known = self.table()
        given = nested(overrides, known)
        whole = {n: given.pop(n, getattr(self, n, None)) for n in WHOLE_RUN}
        for name in given.keys() - SECTIONS.keys() - ROLE_SECTIONS.keys():
            raise InvalidSetting(f"{name} belongs to the whole of Leadline, not to one run.")
        sections = {
            s: {**getattr(self, s), **given.get(s, {})} for s in (*SECTIONS, *ROLE_SECTIONS)
        }
        try:
            model = self._model(sections["model"], check=check_model)
            return RunConfig(
                limits=_limits(whole.pop("depth"), sections["limits"]),
                model=model,
                roles=role_models(sections, model, self._usual, check=check_model),
                browser=checked_section(
                    BrowserConfig, "browser", self._browser(sections["browser"])
                ),
                search=_search(sections["search"], model),
                **{name: value for name, value in whole.items() if value is not None},
            )
        except ValidationError as error:
            raise invalid_setting(error, known) from None

    def changed_config(self, config: RunConfig, **overrides: Any) -> RunConfig:
        """The configuration of a run that has begun, with some settings changed.

        Overrides are named as for :meth:`run_config`; all else stays as the run has it, whatever
        the settings are now. Raises :class:`InvalidSetting` also for ``depth``, ``profile`` and
        ``plan_first``, which are over once a run has begun.
        """
        known = self.table()
        given = nested(overrides, known)
        for name in given.keys() - SECTIONS.keys() - ROLE_SECTIONS.keys() - CHANGEABLE:
            raise InvalidSetting(f"{name} cannot be changed once a run has begun.")
        now = {name: getattr(config, name).model_dump() for name in SECTIONS}
        wanted = given.get("model", {})
        if wanted.get("provider", config.model.provider) != config.model.provider:
            now["model"] |= {"name": "", "base_url": ""}  # those of another provider
        sections = {name: {**now[name], **given.get(name, {})} for name in SECTIONS}
        try:
            model = self._model(sections["model"], check=True)
            return RunConfig(
                limits=_limits(Depth.STANDARD, sections["limits"]),
                model=model,
                roles=changed_roles(config, given, model, self._usual),
                browser=checked_section(BrowserConfig, "browser", sections["browser"]),
                search=checked_section(SearchConfig, "search", sections["search"]),
                **{name: given.get(name, getattr(config, name)) for name in CHANGEABLE},
                profile=config.profile,
                plan_first=config.plan_first,
            )
        except ValidationError as error:
            raise invalid_setting(error, known) from None

    def api_key(self, model: ModelConfig | None = None) -> SecretStr | None:
        """The key for this model (the configured one by default), or None."""
        found = self._key(model)
        return SecretStr(found.value) if found else None

    def role_key(self, role: ModelRole, config: RunConfig) -> SecretStr | None:
        """The key for the model that a run uses in this role, or None."""
        found = self._role_key(role, config)
        return SecretStr(found.value) if found else None

    def run_keys(self, config: RunConfig, main_key: SecretStr | None = None) -> dict[str, str]:
        """The keys of a run's models, as the environment variables of its process.

        ``main_key`` is a key that was typed in for this run; it is the main model's and, at the
        same address, that of the roles.
        """
        key = main_key or self.api_key(config.model)
        found = {OWN_KEY: key.get_secret_value()} if key else {}
        for role, model in config.roles.items():
            own = self._role_key(role, config)
            shares = same_endpoint(model, config.model) and not self._usual.first(ROLE_KEYS[role])
            if shares and main_key:
                found[ROLE_KEYS[role]] = main_key.get_secret_value()
            elif own:
                found[ROLE_KEYS[role]] = own.value
        return found

    def role_key_origin(self, role: ModelRole, config: RunConfig) -> str:
        """Where the key of a role comes from, or that there is none."""
        found = self._role_key(role, config)
        return found.origin if found else f"no key is set ({ROLE_KEYS[role]})"

    def key_origin(self, model: ModelConfig | None = None) -> str:
        """Where the key comes from (``OPENAI_API_KEY in the environment``), or what is missing."""
        model = model or self.run_config(check_model=False).model
        found = self._key(model)
        if found:
            return found.origin
        if model.provider is Provider.OFFLINE:
            return "no key is needed"
        return f"no key is set ({' or '.join(key_names(model.provider))})"

    def model_hint(self) -> str:
        """One sentence on what is missing before a real model can answer; empty: nothing."""
        if self.run_config(check_model=False).model.provider is not Provider.OFFLINE:
            return ""
        if self.model.get("provider"):
            return ""
        roles = set(ROLE_KEYS.values())
        keys = [n for n in sorted(self._usual.found) if n.endswith("_API_KEY") and n not in roles]
        if keys:
            return f"{keys[0]} is set: name a model in LEADLINE_MODEL_NAME to use it."
        return "No model is configured: set LEADLINE_MODEL_NAME and its key to use one."

    def unknown_variables(self) -> list[str]:
        """A sentence for each ``LEADLINE_*`` variable that is no setting."""
        names = [info.env for info in self.table().values()]
        return [
            f"{name} is set and is no setting of Leadline.{nearest(name, names)}"
            for name in sorted(os.environ)
            if name.startswith(PREFIX) and name not in names
        ]

    def save(self, path: Path = SETTINGS_FILE) -> None:
        """Write what was set explicitly to a settings file, secrets left out; replaced at once."""
        temporary = path.with_name(f"{path.name}.new")
        temporary.write_text(self.to_toml(), encoding="utf-8", newline="\n")
        temporary.replace(path)

    def to_toml(self) -> str:
        """What was set explicitly, as a settings file; no secret is ever in it."""
        sections = (*SECTIONS, *ROLE_SECTIONS)
        general = self.model_dump(mode="json", exclude_unset=True, exclude={*sections, "token"})
        if "runs_dir" in general and self.runs_dir.is_relative_to(Path.cwd()):
            general["runs_dir"] = self.runs_dir.relative_to(Path.cwd()).as_posix()
        run = self.run_config(check_model=False).model_dump(mode="json")
        lines = ["# Settings of Leadline. Keys belong in the environment or in .env.", ""]
        lines += [f"{name} = {_toml(value)}" for name, value in general.items()]
        run |= {role: run["roles"].get(role, run["model"]) for role in ROLE_SECTIONS}
        for section in sections:
            values = {name: run[section][name] for name in getattr(self, section)}
            if values:
                lines += ["", f"[{section}]"]
                lines += [f"{name} = {_toml(value)}" for name, value in values.items()]
        return "\n".join(lines) + "\n"

    def _key(self, model: ModelConfig | None) -> Found | None:
        model = model or self.run_config(check_model=False).model
        return self._usual.key(model.provider, model.base_url)

    def _role_key(self, role: ModelRole, config: RunConfig) -> Found | None:
        if role not in config.roles:
            return self._key(config.model)
        return self._usual.role_key(role, config.roles[role], config.model)

    def _model(self, values: dict[str, Any], *, check: bool) -> ModelConfig:
        usual = self._usual
        values = dict(values)
        name, base_url = str(values.get("name") or ""), str(values.get("base_url") or "")
        values["provider"] = values.get("provider") or usual.provider(name=name, base_url=base_url)
        model = checked_section(ModelConfig, "model", values)
        if model.provider is Provider.OFFLINE:
            return model.model_copy(update={"name": "", "base_url": ""})
        model = model.model_copy(
            update={
                "name": model.name or usual.value(*MODEL_NAMES),
                "base_url": model.base_url or usual.base_url(model.provider),
            }
        )
        if check and not model.name:
            raise InvalidSetting(
                f"Which model of {model.provider} should answer? Set model.name "
                "(LEADLINE_MODEL_NAME) or choose the offline model."
            )
        if check and model.provider is Provider.CUSTOM and not model.base_url:
            raise InvalidSetting(
                "A custom endpoint needs its address: set model.base_url (LEADLINE_MODEL_BASE_URL)."
            )
        return model

    def _browser(self, values: dict[str, Any]) -> dict[str, Any]:
        usual = {f: self._usual.value(n) for f, n in BROWSER_NAMES.items() if self._usual.value(n)}
        return {**usual, **values}


def _limits(depth: Any, values: Mapping[str, Any]) -> Limits:
    try:
        preset = PRESETS[Depth(depth)]
    except ValueError:
        raise InvalidSetting(
            f"depth cannot be {str(depth)[:40]!r}; use one of {', '.join(Depth)}."
        ) from None
    limits = checked_section(Limits, "limits", {**preset.model_dump(), **values})
    for few, many in (
        ("min_categories", "max_categories"),
        ("min_tasks_per_category", "max_tasks_per_category"),
    ):
        if getattr(limits, few) > getattr(limits, many):
            # Whoever lowers the upper number alone means both.
            changed = many if few in values and many not in values else few
            other = getattr(limits, few if changed == many else many)
            limits = limits.model_copy(update={changed: other})
    return limits


def _search(values: dict[str, Any], model: ModelConfig) -> SearchConfig:
    if not values.get("engines") and model.provider is Provider.OFFLINE:
        values = {**values, "engines": DEMO_ENGINES}
    return checked_section(SearchConfig, "search", values)


def _toml(value: Any) -> str:
    if value is None:
        return '"none"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml(v) for v in cast('list[Any]', value))}]"
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _browsers_of_machine() -> int:
    """At most four browsers a core and two a GiB of memory, within 2 to 16."""
    cores = os.cpu_count() or 1
    gib = psutil.virtual_memory().total / 2**30
    return max(2, min(16, 4 * cores, int(2 * gib)))
