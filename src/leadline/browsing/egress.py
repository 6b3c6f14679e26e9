"""The one way out for pages: an HTTP proxy on loopback that checks where it connects.

Invariant: a name is resolved once, every answer is judged by ``AddressRules``, and the connection
goes to the very address that was judged. So redirects, scripts, frames, WebSockets (which a
browser sends through CONNECT) and names that change their answer meet the same check.

The proxy asks for no password: any local process could use it as it could use the network itself.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ipaddress
import socket
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

import psutil

from leadline.browsing import egress_http
from leadline.browsing.egress_http import Unreachable
from leadline.browsing.egress_rules import AddressRules, IPAddress, is_local_name, parse_ip
from leadline.errors import EgressRefused, InvalidSetting

Resolver = Callable[[str], Awaitable[Sequence[str]]]
"""Gives the addresses of a name; raises ``OSError`` when it has none."""

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

_CACHE_SECONDS = 20.0
_PROBLEMS_KEPT = 500


@dataclass(frozen=True, slots=True)
class EgressLimits:
    """Seconds and bytes that one connection may take."""

    connect_seconds: float = 10.0
    resolve_seconds: float = 8.0
    idle_seconds: float = 90.0
    head_seconds: float = 30.0
    response_bytes: int = 40_000_000
    """Of one plain response."""
    tunnel_bytes: int = 200_000_000
    """Of one tunnel, which carries many responses that cannot be told apart."""
    upload_bytes: int = 10_000_000
    connections: int = 1000

    @classmethod
    def for_pages(cls, page_bytes: int) -> EgressLimits:
        """Caps that follow from the size a page may have, its images and scripts included."""
        return cls(response_bytes=page_bytes * 4, tunnel_bytes=page_bytes * 20)


@dataclass(frozen=True, slots=True)
class UpstreamProxy:
    """The user's own proxy, which then makes the connections. Its credentials are never shown."""

    host: str
    port: int
    authorization: str = ""

    @classmethod
    def parse(cls, url: str) -> UpstreamProxy | None:
        """Read ``http://[user:password@]host:port``; None when it is empty."""
        if not url:
            return None
        try:
            parts = urlsplit(url if "//" in url else f"//{url}", scheme="http")
            port = parts.port or 8080
        except ValueError:
            parts, port = urlsplit(""), 0
        if parts.scheme != "http" or not parts.hostname or not port:
            raise InvalidSetting("The browser proxy must be written as http://host:port.")
        login = ""
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            login = "Basic " + base64.b64encode(pair.encode()).decode("ascii")
        return cls(parts.hostname, port, login)

    def __repr__(self) -> str:
        return f"UpstreamProxy({self.host}:{self.port})"


class EgressGuard:
    """Checks and carries all page traffic of a run.

    ``on_host`` is called once for each host, just before it is first connected to.
    """

    def __init__(
        self,
        rules: AddressRules,
        on_host: Callable[[str], None] | None = None,
        *,
        limits: EgressLimits | None = None,
        upstream: str = "",
        resolver: Resolver | None = None,
    ) -> None:
        self.rules = rules
        self.limits = limits or EgressLimits()
        self.upstream = UpstreamProxy.parse(upstream)
        self._on_host = on_host
        self._resolver = resolver or _system_resolver
        self._resolving = asyncio.Semaphore(16)
        self._resolved: dict[str, tuple[float, tuple[str, ...]]] = {}
        self._contacted: set[str] = set()
        self._problems: OrderedDict[tuple[str, int], EgressRefused | Unreachable] = OrderedDict()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._port = 0

    @property
    def proxy_url(self) -> str:
        """``http://127.0.0.1:port`` for Chromium and httpx."""
        if not self._port:
            raise RuntimeError("The egress guard is not started.")
        return f"http://127.0.0.1:{self._port}"

    async def start(self) -> None:
        """Listen on a free port of 127.0.0.1, and close that port itself to pages."""
        if self._server is not None:
            return
        self.rules.add_own_addresses(_own_addresses())
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=256 * 1024)
        self._port = self._server.sockets[0].getsockname()[1]
        self.rules.deny_port(self._port)

    async def stop(self) -> None:
        """Close the port and every connection. Safe to call twice."""
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()
        self.rules.permit_port(self._port)

    def problem(self, host: str, port: int) -> EgressRefused | Unreachable | None:
        """Why the newest connection to this host failed; None if it did not."""
        return self._problems.get((host, port))

    def note_problem(self, host: str, port: int, error: EgressRefused | Unreachable) -> None:
        """Remember why a connection failed, for who has only the browser's error code."""
        self._problems[(host, port)] = error
        self._problems.move_to_end((host, port))
        if len(self._problems) > _PROBLEMS_KEPT:
            self._problems.popitem(last=False)

    async def connect(self, host: str, port: int) -> Streams:
        """Connect to ``host`` as a page may; raises ``EgressRefused`` or :class:`Unreachable`.

        ``host`` has passed ``AddressRules.check_host``.
        """
        try:
            addresses = await self._judged(host, port)
            self._tell(host)
            streams = await self._open(host, port, addresses)
        except (EgressRefused, Unreachable) as error:
            self.note_problem(host, port, error)
            raise
        self._problems.pop((host, port), None)
        return streams

    async def connect_upstream(self, host: str, port: int) -> Streams:
        """Connect to the user's proxy on behalf of a page that asks for ``host``."""
        assert self.upstream is not None
        try:
            with contextlib.suppress(Unreachable):  # names that only the proxy can resolve
                await self._judged(host, port)
            self._tell(host)
            return await self._dial(self.upstream.host, self.upstream.port)
        except (OSError, TimeoutError):
            error = Unreachable("The proxy from the settings does not answer; check its address.")
            self.note_problem(host, port, error)
            raise error from None
        except EgressRefused as refused:
            self.note_problem(host, port, refused)
            raise

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._server is None or len(self._tasks) >= self.limits.connections:
            writer.transport.abort()
            return
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await egress_http.serve(self, reader, writer)
        except (OSError, TimeoutError, EOFError):
            pass  # one side went away: nothing is left to tell it
        finally:
            writer.transport.abort() if writer.transport.is_closing() else writer.close()

    def _tell(self, host: str) -> None:
        if host not in self._contacted:
            self._contacted.add(host)
            if self._on_host is not None:
                self._on_host(host)

    async def _judged(self, host: str, port: int) -> list[IPAddress]:
        addresses = [ipaddress.ip_address(a.split("%")[0]) for a in await self._addresses(host)]
        for address in addresses:
            self.rules.check_address(host, port, address)
        return addresses

    async def _addresses(self, host: str) -> tuple[str, ...]:
        if parse_ip(host) is not None:
            return (host,)
        if is_local_name(host):
            return ("127.0.0.1",)
        if host.endswith(".invalid"):  # by RFC 6761 there is none, so nobody is asked
            raise Unreachable(f"The host {host} is not known.")
        now = asyncio.get_running_loop().time()
        known = self._resolved.get(host)
        if known and known[0] > now:
            return known[1]
        try:
            async with self._resolving, asyncio.timeout(self.limits.resolve_seconds):
                answers = tuple(dict.fromkeys(await self._resolver(host)))
        except (OSError, TimeoutError, UnicodeError):
            answers = ()
        if not answers:
            raise Unreachable(f"The host {host} is not known.")
        if len(self._resolved) > 5000:
            self._resolved.clear()
        self._resolved[host] = (now + _CACHE_SECONDS, answers)
        return answers

    async def _open(self, host: str, port: int, addresses: Sequence[IPAddress]) -> Streams:
        ordered = sorted(addresses, key=lambda a: a.version)[:6]
        for address in ordered:
            try:
                return await self._dial(str(address), port, share=len(ordered))
            except (OSError, TimeoutError):
                continue
        raise Unreachable(f"The host {host} does not answer on port {port}.")

    async def _dial(self, address: str, port: int, share: int = 1) -> Streams:
        seconds = max(2.0, self.limits.connect_seconds / share)
        async with asyncio.timeout(seconds):
            return await asyncio.open_connection(address, port, limit=256 * 1024)


async def _system_resolver(host: str) -> Sequence[str]:
    """Ask the system in a daemon thread: a resolver that hangs must not hold up the run's end."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[list[str]] = loop.create_future()

    def settle(answers: list[str], error: OSError | UnicodeError | None) -> None:
        if not future.done():
            future.set_exception(error) if error else future.set_result(answers)

    def ask() -> None:
        answers: list[str] = []
        failure: OSError | UnicodeError | None = None
        try:
            infos = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
            answers = [str(info[4][0]) for info in infos]
        except (OSError, UnicodeError) as error:
            failure = error
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle, answers, failure)

    threading.Thread(target=ask, name="leadline-resolver", daemon=True).start()
    return await future


def _own_addresses() -> list[str]:
    families = (socket.AF_INET, socket.AF_INET6)
    return [
        entry.address
        for entries in psutil.net_if_addrs().values()
        for entry in entries
        if entry.family in families
    ]
