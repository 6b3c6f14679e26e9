"""Addresses compared and filtered. Pure; a text that is no address gives an empty host."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import parse_qsl, urlencode, urlsplit

_TRACKING = frozenset({"gclid", "fbclid", "msclkid", "yclid", "igshid", "mc_cid", "mc_eid"})
_DEFAULT_PORTS = {"http": 80, "https": 443}


def host_of(url: str) -> str:
    """Lower-case host without port; empty when there is none."""
    try:
        return (urlsplit(url).hostname or "").rstrip(".").lower()
    except ValueError:
        return ""


def is_web_address(url: str) -> bool:
    """Whether ``url`` is http(s) with a host and without user info."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises ValueError for a port that is none
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc


def url_key(url: str) -> str:
    """What two spellings of one page share: no scheme, ``www.``, fragment, tracking parameters."""
    if not is_web_address(url):
        return url.strip()
    parts = urlsplit(url)
    host = host_of(url).removeprefix("www.")
    port = parts.port
    if port and port != _DEFAULT_PORTS[parts.scheme]:
        host = f"{host}:{port}"
    query = urlencode(
        [
            (name, value)
            for name, value in parse_qsl(parts.query, keep_blank_values=True)
            if name.lower() not in _TRACKING and not name.lower().startswith("utm_")
        ]
    )
    path = parts.path.rstrip("/")
    return f"{host}{path}?{query}" if query else f"{host}{path}"


def domain_of(entry: str) -> str:
    """The bare domain of what a person typed: ``https://www.a.org/x``, ``*.a.org``, ``a.org``."""
    text = entry.strip().lower()
    host = host_of(text if "://" in text else f"http://{text}")
    return host.removeprefix("*.").removeprefix("www.")


def in_domains(url: str, domains: Iterable[str]) -> bool:
    """Whether the host of ``url`` is one of ``domains`` (from ``domain_of``) or below one."""
    host = host_of(url).removeprefix("www.")
    return any(host == domain or host.endswith("." + domain) for domain in domains if domain)
