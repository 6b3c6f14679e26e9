"""The demo web on a free port, and a way to ask it by host name without name resolution."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from urllib.parse import urlsplit

import httpx
import pytest

from leadline.demo.server import DemoWeb


class Visitor:
    """Asks for addresses of the demo web; cookies are kept by host, as a browser does."""

    def __init__(self, demo: DemoWeb) -> None:
        self.demo = demo
        self._client = httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{demo.port}",
            timeout=30,
            verify=False,  # plain http; loading certificates takes longer than a test
        )
        self._cookies: dict[str, str] = {}

    async def get(self, url: str) -> httpx.Response:
        return await self._send("GET", url)

    async def post(self, url: str, form: dict[str, str]) -> httpx.Response:
        return await self._send("POST", url, form)

    async def page(self, key: str) -> httpx.Response:
        return await self.get(self.demo.page_url(key))

    async def search(self, query: str) -> httpx.Response:
        address = self.demo.search_url.removesuffix("{query}")
        return await self.get(str(httpx.URL(address).copy_merge_params({"q": query})))

    async def _send(
        self, method: str, url: str, form: dict[str, str] | None = None
    ) -> httpx.Response:
        parts = urlsplit(url)
        headers = {"host": parts.netloc}
        if cookie := self._cookies.get(parts.netloc):
            headers["cookie"] = cookie
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        response = await self._client.request(method, target, headers=headers, data=form)
        if cookie := response.headers.get("set-cookie"):
            self._cookies[parts.netloc] = cookie.partition(";")[0]
        return response

    async def close(self) -> None:
        await self._client.aclose()


@pytest.fixture(scope="module")
def demo() -> Iterator[DemoWeb]:
    with DemoWeb.running(0) as running:
        yield running


@pytest.fixture
async def visitor(demo: DemoWeb) -> AsyncIterator[Visitor]:
    visitor = Visitor(demo)
    yield visitor
    await visitor.close()
