"""The demo web's server: all host names ``*.localhost`` on one port of 127.0.0.1.

It runs in its caller's loop, or in a thread of its own, and leaves signals alone. A request is
answered from memory by Host header and path; nothing that is asked for reaches the disk.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from leadline.demo.content import DemoPage, Kind, load_content, pdf_bytes
from leadline.demo.index import DemoIndex
from leadline.demo.render import COLLECT_PATH, FIRST_POSTS, SEARCH_SITE, Renderer
from leadline.errors import PortTaken

DEFAULT_PORT = 7789

_QUERY_CHARS = 500
_FORM_BYTES = 2000
_COOKIE = "consent"
_THREAD_SECONDS = 10.0


class DemoWeb:
    """``async with DemoWeb() as demo`` in a loop, or ``with DemoWeb.running() as demo`` anywhere.

    When ``port`` is taken, a free one is used; ``port`` tells which. 0 asks for a free one.
    """

    def __init__(self, port: int = DEFAULT_PORT) -> None:
        self.port = port
        self.requested: Counter[str] = Counter()
        """How often each ``host/path`` was asked for, so that repeated reading shows."""
        self.collected: list[str] = []
        """Queries that reached the address of an injected instruction; to stay empty."""
        self._server: _QuietServer | None = None
        self._serving: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """The front page of the search."""
        return f"http://{SEARCH_SITE.host}:{self.port}/"

    @property
    def search_url(self) -> str:
        """The result page, with ``{query}``."""
        return f"{self.url}search?q={{query}}"

    @property
    def allow_hosts(self) -> tuple[str, ...]:
        """What pages may be read from, for ``SearchConfig.allow_private_hosts``."""
        return (f"*.localhost:{self.port}",)

    def page_url(self, key: str) -> str:
        """The address of page ``site/slug``; ``KeyError`` when there is none."""
        page = load_content().pages[key]
        return f"http://{page.site.host}:{self.port}{page.path}"

    async def start(self) -> None:
        """Listen; returns when pages can be asked for. ``PortTaken`` when no port is free."""
        listener = _listen(self.port)
        self.port = listener.getsockname()[1]
        config = uvicorn.Config(
            create_app(self),
            log_config=None,
            log_level="critical",
            access_log=False,
            lifespan="off",
            ws="none",
            http="h11",
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
        )
        self._server = _QuietServer(config)
        self._serving = asyncio.create_task(self._server.serve(sockets=[listener]))
        started = asyncio.create_task(self._server.listening.wait())
        await asyncio.wait((started, self._serving), return_when=asyncio.FIRST_COMPLETED)
        if not started.done():
            started.cancel()
            await self._serving  # raises what kept it from listening

    async def stop(self) -> None:
        """End it, within about a second; once more does no harm."""
        server, serving = self._server, self._serving
        self._server = self._serving = None
        if server and serving:
            server.should_exit = True
            await serving

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.stop()

    @classmethod
    @contextmanager
    def running(cls, port: int = DEFAULT_PORT) -> Iterator[Self]:
        """The demo web in a thread with a loop of its own, for callers without one."""
        demo = cls(port)
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="leadline-demo-web", daemon=True)
        thread.start()
        try:
            asyncio.run_coroutine_threadsafe(demo.start(), loop).result(_THREAD_SECONDS)
            try:
                yield demo
            finally:
                asyncio.run_coroutine_threadsafe(demo.stop(), loop).result(_THREAD_SECONDS)
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()


class _QuietServer(uvicorn.Server):
    """A uvicorn that leaves signals to its host program and says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.listening.set()


_BACKLOG = 128


def _listen(port: int) -> socket.socket:
    """A socket on 127.0.0.1, on ``port`` or else on a free one."""
    for wanted in dict.fromkeys((port, 0)):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if os.name == "posix":
            # On Windows this option would let us share a port that is in use.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", wanted))
            # At once: two that have only bound it both believe that the port is theirs.
            listener.listen(_BACKLOG)
        except OSError:
            listener.close()
            continue
        return listener
    raise PortTaken(
        "The demo web found no free port on 127.0.0.1; end a program that listens there."
    )


def create_app(demo: DemoWeb) -> Starlette:
    """The application; ``demo`` gives the port and takes what was asked for."""
    site = _SiteServer(demo)
    return Starlette(
        routes=[
            Route("/consent", site.consent, methods=["POST"]),
            Route("/{path:path}", site.serve, methods=["GET"]),
        ]
    )


class _SiteServer:
    """Answers by host name and path."""

    def __init__(self, demo: DemoWeb) -> None:
        self._demo = demo
        self._content = load_content()
        self._renderer = Renderer(self._content, demo.port)
        self._index = DemoIndex(self._content, self._renderer)
        self._by_path = {(page.site.id, page.path): page for page in self._content.pages.values()}
        self._data = {
            (page.site.id, f"{page.path}.json"): page
            for page in self._content.pages.values()
            if page.data
        }
        self._injecting = {
            page.site.id for page in self._content.pages.values() if page.kind is Kind.INJECTION
        }

    async def serve(self, request: Request) -> Response:
        """Any GET."""
        host = request.headers.get("host", "").partition(":")[0].lower()
        path = request.url.path
        self._demo.requested[f"{host}{path}"] += 1
        if host in ("localhost", "127.0.0.1"):
            return RedirectResponse(self._demo.url)
        if host == SEARCH_SITE.host:
            return await self._search(request)
        site = self._content.sites.get(host.removesuffix(".localhost"))
        if site is None:
            return Response("The demo web has no such host.", 404, media_type="text/plain")
        if path == "/":
            return HTMLResponse(self._renderer.home(site))
        if site.id in self._injecting and path == COLLECT_PATH:
            self._demo.collected.append(request.url.query)
            return Response("Thank you.", media_type="text/plain")
        if page := self._by_path.get((site.id, path)):
            return self._page(page, request)
        if page := self._data.get((site.id, path)):
            return self._page_data(page, request)
        return HTMLResponse(self._renderer.missing(site), 404)

    async def consent(self, request: Request) -> Response:
        """The button of the cookie wall: sets the cookie and goes back."""
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > _FORM_BYTES:
                return Response("Too large.", 413, media_type="text/plain")
        back = parse_qs(body.decode("utf-8", "replace")).get("back", ["/"])[0]
        known = any(back == path for _, path in self._by_path)
        response = RedirectResponse(back if known else "/", 303)
        response.set_cookie(_COOKIE, "all", max_age=3600, httponly=True, samesite="lax")
        return response

    async def _search(self, request: Request) -> Response:
        if request.url.path not in ("/", "/search"):
            return HTMLResponse(self._renderer.missing(SEARCH_SITE), 404)
        query = " ".join(request.query_params.get("q", "").split())[:_QUERY_CHARS]
        # In a thread: the loop may be the one of a run that is busy with pages.
        rows = await asyncio.to_thread(self._index.search, query) if query else []
        return HTMLResponse(self._renderer.results(query, rows))

    def _page(self, page: DemoPage, request: Request) -> Response:
        if page.kind is Kind.PDF:
            return Response(pdf_bytes(page), media_type="application/pdf")
        consented = request.cookies.get(_COOKIE) == "all"
        return HTMLResponse(self._renderer.page(page, consented=consented), page.status)

    def _page_data(self, page: DemoPage, request: Request) -> Response:
        posts = page.data.get("posts")
        if posts is None:
            return JSONResponse(page.data)
        start = request.query_params.get("from", "0")
        first = int(start) if start.isascii() and start.isdigit() and len(start) < 6 else 0
        last = first + FIRST_POSTS
        return JSONResponse({"posts": posts[first:last], "more": last < len(posts)})
