"""Which model is meant by the usual environment variables, and which key belongs to it.

Invariant: a key is only ever offered to the provider that it is for. Nothing here writes, logs or
shows one; ``mask`` is the one way to print a key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import SecretStr

from leadline.domain.config import ModelConfig, ModelRole, Provider, RunConfig
from leadline.domain.providers import KEY_VARIABLES, needs_key
from leadline.errors import InvalidSetting

OWN_KEY = "LEADLINE_MODEL_API_KEY"
ROLE_KEYS: Mapping[ModelRole, str] = {r: f"LEADLINE_{r.value.upper()}_API_KEY" for r in ModelRole}
ANY_KEY = "LLM_API_KEY"

URL_NAMES: Mapping[Provider, tuple[str, ...]] = {
    Provider.OPENAI: ("OPENAI_BASE_URL", "LLM_BASE_URL"),
    Provider.AZURE: ("AZURE_OPENAI_ENDPOINT",),
    Provider.OLLAMA: ("OLLAMA_BASE_URL",),
    Provider.OLLAMA_NATIVE: ("OLLAMA_BASE_URL",),
    Provider.LMSTUDIO: ("LMSTUDIO_BASE_URL",),
    Provider.VLLM: ("LLM_BASE_URL",),
    Provider.CUSTOM: ("LLM_BASE_URL", "OPENAI_BASE_URL"),
}

MODEL_NAMES = ("LLM_MODEL_ID", "LOCAL_LLM")

BROWSER_NAMES: Mapping[str, str] = {
    "executable": "BROWSER_PATH",
    "user_data_dir": "BROWSER_USER_DATA",
    "cdp_url": "BROWSER_CDP",
}

USUAL_NAMES: frozenset[str] = frozenset(
    {OWN_KEY, ANY_KEY, "LLM_PROVIDER", *ROLE_KEYS.values(), *MODEL_NAMES, *BROWSER_NAMES.values()}
    | {name for names in (*KEY_VARIABLES.values(), *URL_NAMES.values()) for name in names}
)
"""Every variable without a ``LEADLINE_`` setting behind it that is read."""

_SECRET_ENDS = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD")

_BY_MODEL_NAME = (
    ("claude", Provider.ANTHROPIC),
    ("gemini", Provider.GOOGLE),
    ("gpt-", Provider.OPENAI),
    ("deepseek-", Provider.DEEPSEEK),
    ("mistral-", Provider.MISTRAL),
)


@dataclass(frozen=True)
class Found:
    """A value and where it came from, in words (``OPENAI_API_KEY in the environment``)."""

    value: str = field(repr=False)
    origin: str


@dataclass(frozen=True)
class UsualVariables:
    """The variables of :data:`USUAL_NAMES`, those of the environment before those of ``.env``."""

    found: Mapping[str, Found] = field(default_factory=dict, repr=False)

    @classmethod
    def read(cls, environment: Mapping[str, str], dotenv: Mapping[str, str]) -> UsualVariables:
        """Pick the known names out of both; an empty value counts as unset."""
        found: dict[str, Found] = {}
        for values, place in ((dotenv, ".env"), (environment, "the environment")):
            for name in USUAL_NAMES & values.keys():
                if values[name].strip():
                    found[name] = Found(values[name].strip(), f"{name} in {place}")
        return cls(found)

    def first(self, *names: str) -> Found | None:
        """The first of the names that is set."""
        return next((self.found[n] for n in names if n in self.found), None)

    def value(self, *names: str) -> str:
        """The value of the first of the names that is set, or nothing."""
        found = self.first(*names)
        return found.value if found else ""

    def provider(self, *, name: str, base_url: str) -> Provider:
        """Whose model is meant when no provider is named.

        ``name`` and ``base_url`` are Leadline's own settings, empty when unset. Nothing set means
        :attr:`Provider.OFFLINE`: a key alone never makes a run spend money.
        """
        named = self.value("LLM_PROVIDER")
        if named:
            try:
                return Provider(named.lower())
            except ValueError:
                raise InvalidSetting(
                    f"LLM_PROVIDER cannot be {named!r}; use one of {', '.join(Provider)}."
                ) from None
        if base_url or self.first("LLM_BASE_URL"):
            return Provider.CUSTOM
        name = name or self.value(*MODEL_NAMES)
        if not name:
            return Provider.OFFLINE
        return self._provider_of(name)

    def _provider_of(self, name: str) -> Provider:
        for start, provider in _BY_MODEL_NAME:
            if name.lower().startswith(start):
                return provider
        for provider, names in KEY_VARIABLES.items():
            if self.first(*names):
                return provider
        if self.first("OPENAI_BASE_URL"):
            return Provider.OPENAI
        if self.first("LMSTUDIO_BASE_URL") and not self.first("OLLAMA_BASE_URL"):
            return Provider.LMSTUDIO
        if self.first("OLLAMA_BASE_URL", "LOCAL_LLM"):
            return Provider.OLLAMA
        return Provider.OPENAI

    def base_url(self, provider: Provider) -> str:
        """The address that the usual variables give for this provider, or nothing."""
        return self.value(*URL_NAMES.get(provider, ()))

    def key(self, provider: Provider, base_url: str) -> Found | None:
        """The key for a provider, or None.

        A custom endpoint is given OpenAI's key only when its address came from
        ``OPENAI_BASE_URL``: a key goes to no address that it was not set for.
        """
        if provider is Provider.OFFLINE:
            return None
        return self.first(OWN_KEY, *self._usual_keys(provider, base_url), ANY_KEY)

    def role_key(self, role: ModelRole, model: ModelConfig, main: ModelConfig) -> Found | None:
        """The key for a role's model, or None.

        Its own variable, else that of its provider; the main model's key only where provider and
        address are the main model's too.
        """
        if model.provider is Provider.OFFLINE:
            return None
        found = self.first(ROLE_KEYS[role])
        if found is None and same_endpoint(model, main):
            return self.key(main.provider, main.base_url)
        return found or self.first(*self._usual_keys(model.provider, model.base_url))

    def _usual_keys(self, provider: Provider, base_url: str) -> tuple[str, ...]:
        if provider is Provider.CUSTOM and base_url and base_url == self.value("OPENAI_BASE_URL"):
            return ("OPENAI_API_KEY",)
        return KEY_VARIABLES.get(provider, ())


def same_endpoint(one: ModelConfig, other: ModelConfig) -> bool:
    """Whether both models are asked at the same address of the same provider."""
    return (one.provider, one.base_url) == (other.provider, other.base_url)


def key_names(provider: Provider) -> tuple[str, ...]:
    """The variables that may hold the key of this provider, the strongest first."""
    return (OWN_KEY, *KEY_VARIABLES.get(provider, ()), ANY_KEY)


def check_keys(config: RunConfig, keys: Mapping[str, str]) -> None:
    """Raise :class:`InvalidSetting` naming the variable when a model of a run lacks its key.

    ``keys`` are those of the run (``Settings.run_keys``).
    """
    wanted = {"": (config.model, OWN_KEY)}
    wanted |= {role.value: (model, ROLE_KEYS[role]) for role, model in config.roles.items()}
    for role, (model, variable) in wanted.items():
        if needs_key(model.provider) and variable not in keys:
            names = " or ".join((*KEY_VARIABLES[model.provider], variable))
            whose = f"{role}'s model" if role else "model"
            raise InvalidSetting(
                f"The key of the {whose} is missing: set {names} in the environment or in .env, "
                f"or choose another provider (--{'set ' + role + '.' if role else ''}provider)."
            )


def mask(secret: SecretStr | str | None) -> str:
    """A secret as it may be printed: ``unset``, only stars, or its first and last four (S0-65)."""
    value = secret.get_secret_value() if isinstance(secret, SecretStr) else secret or ""
    if not value:
        return "unset"
    return "*" * len(value) if len(value) <= 8 else f"{value[:4]}...{value[-4:]}"


def without_secrets(text: str, variables: Mapping[str, str | None]) -> str:
    """The text without the values of all variables that are named like keys and tokens."""
    for name, value in variables.items():
        if value and len(value) >= 6 and name.endswith(_SECRET_ENDS):
            text = text.replace(value, "***")
    return text
