"""What is known of each provider: address, key, and what to do when it does not answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import urlsplit, urlunsplit

from leadline.domain.config import ModelConfig, Provider
from leadline.domain.providers import KEY_VARIABLES, NEEDS_ADDRESS, needs_key
from leadline.errors import InvalidSetting


@dataclass(frozen=True)
class Preset:
    """Defaults of a provider. ``hint`` is one sentence for somebody who sets it up."""

    provider: Provider
    label: str
    hint: str
    base_url: str = ""
    stand_in_key: str = "not-needed"
    """Sent where the protocol wants a key and the endpoint wants none."""
    extra: str = ""
    """The optional extra of the package that brings its client; empty: OpenAI-compatible."""
    price_id: str = ""
    """Its id in genai-prices; empty: matched by the address."""

    @property
    def key_variables(self) -> tuple[str, ...]:
        """The usual variables of its key; none where it needs no key."""
        return KEY_VARIABLES.get(self.provider, ())

    @property
    def needs_key(self) -> bool:
        """Whether it answers nobody without a key."""
        return needs_key(self.provider)

    @property
    def needs_base_url(self) -> bool:
        """Whether it has no address of its own."""
        return self.provider in NEEDS_ADDRESS


_ALL = (
    Preset(
        Provider.OFFLINE, "Offline model",
        "Needs no key and no network: plans by rule and quotes what it finds.",
    ),
    Preset(
        Provider.OPENAI, "OpenAI", "Create a key at platform.openai.com and set OPENAI_API_KEY.",
        "https://api.openai.com/v1", price_id="openai",
    ),
    Preset(
        Provider.AZURE, "Azure OpenAI",
        "Set AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_API_KEY; the model is your deployment's name.",
        "", price_id="azure",
    ),
    Preset(
        Provider.OPENROUTER, "OpenRouter",
        "Create a key at openrouter.ai and set OPENROUTER_API_KEY.",
        "https://openrouter.ai/api/v1", price_id="openrouter",
    ),
    Preset(
        Provider.DEEPSEEK, "DeepSeek",
        "Create a key at platform.deepseek.com and set DEEPSEEK_API_KEY.",
        "https://api.deepseek.com/v1", price_id="deepseek",
    ),
    Preset(
        Provider.OLLAMA, "Ollama",
        "Start it with 'ollama serve', fetch the model with 'ollama pull', and give it a context "
        "of 16k tokens or more (OLLAMA_CONTEXT_LENGTH).",
        "http://127.0.0.1:11434/v1", stand_in_key="ollama",
    ),
    Preset(
        Provider.LMSTUDIO, "LM Studio", "Load a model in LM Studio and start its local server.",
        "http://127.0.0.1:1234/v1", stand_in_key="lm-studio",
    ),
    Preset(
        Provider.VLLM, "vLLM", "Start it with 'vllm serve MODEL'.",
        "http://127.0.0.1:8000/v1",
    ),
    Preset(
        Provider.CUSTOM, "OpenAI-compatible endpoint",
        "Give the base URL up to and including /v1, and a key if the endpoint wants one.",
    ),
    Preset(
        Provider.ANTHROPIC, "Anthropic",
        "Create a key at console.anthropic.com and set ANTHROPIC_API_KEY.",
        "https://api.anthropic.com", extra="anthropic", price_id="anthropic",
    ),
    Preset(
        Provider.GOOGLE, "Google Gemini",
        "Create a key at aistudio.google.com and set GOOGLE_API_KEY.",
        "https://generativelanguage.googleapis.com",
        extra="google", price_id="google",
    ),
    Preset(
        Provider.MISTRAL, "Mistral", "Create a key at console.mistral.ai and set MISTRAL_API_KEY.",
        "https://api.mistral.ai/v1", extra="mistral", price_id="mistral",
    ),
    Preset(
        Provider.OLLAMA_NATIVE, "Ollama (its own API)",
        "Start it with 'ollama serve' and fetch the model with 'ollama pull'; the context size is "
        "set by Leadline.",
        "http://127.0.0.1:11434", extra="ollama",
    ),
)  # fmt: skip

PRESETS: Mapping[Provider, Preset] = MappingProxyType({preset.provider: preset for preset in _ALL})


def endpoint_of(config: ModelConfig) -> str:
    """The address to call, without a slash at its end.

    Ollama's gets ``/v1`` when it lacks it; all others are used as they are given (S0-63). Raises
    :class:`InvalidSetting` when it is missing or no HTTP address.
    """
    preset = PRESETS[config.provider]
    url = (config.base_url or preset.base_url).strip()
    if not url:
        if not preset.needs_base_url:
            return ""
        raise InvalidSetting(f"{preset.label} needs its address: set the model's base URL.")
    if "://" not in url:
        url = f"http://{url}"
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        usable = usable and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise InvalidSetting(
            "The model's base URL is no http or https address; write it like "
            "http://127.0.0.1:11434/v1."
        )
    url = url.rstrip("/")
    if config.provider is Provider.OLLAMA and not parts.path.rstrip("/").endswith("/v1"):
        parts = parts._replace(path=parts.path.rstrip("/") + "/v1")
        url = urlunsplit(parts)
    return url


def host_of(url: str) -> str:
    """``host:port`` of an address, without user info, for messages and the log."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    return f"{host}:{parts.port}" if parts.port else host
