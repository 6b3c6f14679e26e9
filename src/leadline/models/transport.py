"""The HTTP side of a model endpoint: no answer is read past a cap, no proxy stands in by surprise.

A body is counted while it arrives, so an endless or enormous answer costs the cap and no more.
"""

from __future__ import annotations

import ipaddress
from collections.abc import AsyncIterator
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx
from typing_extensions import override

CONNECT_SECONDS = 10.0


class AnswerTooLong(Exception):
    """The body passed the cap; the rest was not read."""


class CappedTransport(httpx.AsyncBaseTransport):
    """Hands requests on to ``inner`` and stops reading a body after ``max_bytes``.

    Each token of an event stream comes in an envelope, so a stream may have eight times as many.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport, max_bytes: int) -> None:
        self._inner = inner
        self._max_bytes = max_bytes

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        # A compressed body could grow after it was counted.
        request.headers["accept-encoding"] = "identity"
        response = await self._inner.handle_async_request(request)
        if isinstance(response.stream, httpx.AsyncByteStream):
            streamed = response.headers.get("content-type", "").startswith("text/event-stream")
            cap = self._max_bytes * 8 if streamed else self._max_bytes
            response.stream = _CappedStream(response.stream, cap)
        return response

    @override
    async def aclose(self) -> None:
        await self._inner.aclose()


class _CappedStream(httpx.AsyncByteStream):
    def __init__(self, inner: httpx.AsyncByteStream, max_bytes: int) -> None:
        self._inner = inner
        self._left = max_bytes

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._inner:
            self._left -= len(chunk)
            if self._left < 0:
                raise AnswerTooLong
            yield chunk

    @override
    async def aclose(self) -> None:
        await self._inner.aclose()


def http_client(base_url: str, *, seconds: float, max_bytes: int) -> httpx.AsyncClient:
    """A client for one endpoint. The caller closes it."""
    inner = httpx.AsyncHTTPTransport(proxy=proxy_for(base_url) or None)
    timeout = httpx.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
    return httpx.AsyncClient(
        transport=CappedTransport(inner, max_bytes), timeout=timeout, trust_env=False
    )


def proxy_for(base_url: str) -> str:
    """The HTTP proxy of the environment for this address; none for this machine and its network."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    if _is_near(host) or proxy_bypass(host):
        return ""
    proxy = getproxies().get(parts.scheme, "")
    return proxy if urlsplit(proxy).scheme in ("http", "https") else ""


def _is_near(host: str) -> bool:
    if host == "localhost" or host.endswith((".local", ".localhost")) or "." not in host:
        return ":" not in host or _is_private(host)
    return _is_private(host)


def _is_private(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return False
