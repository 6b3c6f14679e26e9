"""What a provider of models wants before it can be asked: a key, an address. Pure data.

Invariant: the page, the settings and the clients of the providers all read it here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from leadline.domain.config import Provider

KEY_VARIABLES: Mapping[Provider, tuple[str, ...]] = MappingProxyType(
    {
        Provider.OPENAI: ("OPENAI_API_KEY",),
        Provider.AZURE: ("AZURE_OPENAI_API_KEY",),
        Provider.OPENROUTER: ("OPENROUTER_API_KEY",),
        Provider.DEEPSEEK: ("DEEPSEEK_API_KEY",),
        Provider.ANTHROPIC: ("ANTHROPIC_API_KEY",),
        Provider.GOOGLE: ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        Provider.MISTRAL: ("MISTRAL_API_KEY",),
    }
)
"""The usual variables of each provider that needs a key, the strongest first."""

NEEDS_ADDRESS: frozenset[Provider] = frozenset({Provider.AZURE, Provider.CUSTOM})
"""Providers without an address of their own."""


def needs_key(provider: Provider) -> bool:
    """Whether a model of this provider answers nobody without a key."""
    return provider in KEY_VARIABLES
