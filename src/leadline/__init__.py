"""Leadline: local deep research whose every sentence leads to the passage that proves it.

``from leadline import research`` is the Python API (``leadline.api``). It is loaded when it is
asked for, so that ``import leadline`` costs nothing: small helper processes import this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadline.version import __version__

if TYPE_CHECKING:
    from leadline.api import ResearchResult, aresearch, research

__all__ = ["ResearchResult", "__version__", "aresearch", "research"]


def __getattr__(name: str) -> object:
    """Load the API at its first use."""
    if name in __all__:
        from leadline import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Names for completion, those not loaded yet included."""
    return sorted({*globals(), *__all__})
