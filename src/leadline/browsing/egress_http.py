"""What the egress guard speaks: HTTP/1.1 as a proxy, parsed by h11 on both sides.

A CONNECT becomes a tunnel; any other request is carried over a connection of its own, so that
nothing of one exchange can reach the next. Every wait has an end and every direction a byte cap.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import h11

from leadline.errors import EgressRefused

if TYPE_CHECKING:
    from leadline.browsing.egress import EgressGuard, EgressLimits

REFUSED_HEADER = "x-leadline-egress"
"""Marks an answer of the guard itself: ``refused`` or ``failed``. Servers cannot send it."""

_CHUNK = 64 * 1024
_HEAD_BYTES = 64 * 1024
_HOP_BY_HOP = frozenset(
    (b"connection", b"keep-alive", b"proxy-connection", b"proxy-authorization", b"te", b"upgrade",
     b"proxy-authenticate", b"trailer", REFUSED_HEADER.encode())
)  # fmt: skip

Headers = list[tuple[bytes, bytes]]


class Unreachable(Exception):
    """The other side cannot be reached; the message is one sentence."""


class TooLarge(Exception):
    """One side sent more than it may; the connection is cut."""


@dataclass(slots=True)
class _Peer:
    """One side of a connection: its h11 state and its streams."""

    http: h11.Connection
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def event(self, seconds: float) -> h11.Event | type[h11.PAUSED]:
        """The next event, read within ``seconds``."""
        while True:
            event = self.http.next_event()
            if event is h11.NEED_DATA:
                if self.http.they_are_waiting_for_100_continue:
                    await self.send(h11.InformationalResponse(status_code=100, headers=[]), seconds)
                async with asyncio.timeout(seconds):
                    self.http.receive_data(await self.reader.read(_CHUNK))
                continue
            return event  # type: ignore[return-value]  # NEED_DATA, the third case, is handled above

    async def send(self, event: h11.Event, seconds: float) -> None:
        """Write one event out."""
        data = self.http.send(event)
        if data:
            self.writer.write(data)
            async with asyncio.timeout(seconds):
                await self.writer.drain()


async def serve(
    guard: EgressGuard, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Answer the requests of one client connection until it ends."""
    limits = guard.limits
    client = _Peer(
        h11.Connection(h11.SERVER, max_incomplete_event_size=_HEAD_BYTES), reader, writer
    )
    try:
        while True:
            event = await client.event(limits.head_seconds)
            if not isinstance(event, h11.Request):
                return  # closed, or nothing we understand
            if event.method == b"CONNECT":
                await _tunnel(guard, client, event)
                return
            await _forward(guard, client, event)
            if client.http.our_state is not h11.DONE or client.http.their_state is not h11.DONE:
                return
            client.http.start_next_cycle()
    except h11.RemoteProtocolError:
        await _answer(client, 400, "failed", "That is not a request that a proxy can carry.")
    except h11.LocalProtocolError:
        return  # the answer was under way already; cutting it is all that is left


async def _forward(guard: EgressGuard, client: _Peer, request: h11.Request) -> None:
    limits = guard.limits
    url = request.target.decode("ascii", "replace")
    host, port = "", 0
    try:
        target = guard.rules.check_url(url)
        host, port = target.host, target.port
        via = guard.upstream
        streams = await (guard.connect_upstream if via else guard.connect)(host, port)
    except EgressRefused as refused:
        await _answer(client, 403, "refused", str(refused))
        return
    except Unreachable as error:
        await _answer(client, 502, "failed", str(error))
        return
    server = _Peer(h11.Connection(h11.CLIENT, max_incomplete_event_size=_HEAD_BYTES), *streams)
    try:
        origin = request.target if via else _origin_form(request.target)
        headers = _forwarded(request.headers, keep_chunked=True)
        headers = [(b"Host", _authority(request.target)), *(h for h in headers if h[0] != b"host")]
        if via and via.authorization:
            headers.append((b"Proxy-Authorization", via.authorization.encode()))
        headers.append((b"Connection", b"close"))
        head = h11.Request(method=request.method, target=origin, headers=headers)
        await server.send(head, limits.idle_seconds)
        await _copy_body(client, server, limits.idle_seconds, limits.upload_bytes)
        await _copy_response(client, server, limits)
    except (h11.RemoteProtocolError, OSError, TimeoutError):
        broken = Unreachable(f"The host {host} broke off its answer.")
        guard.note_problem(host, port, broken)
        await _answer(client, 502, "failed", str(broken))
    except TooLarge:
        too_large = Unreachable(f"The answer of {host} is larger than a page may be.")
        guard.note_problem(host, port, too_large)
        client.writer.transport.abort()
    finally:
        server.writer.transport.abort()


async def _copy_response(client: _Peer, server: _Peer, limits: EgressLimits) -> None:
    event = await server.event(limits.idle_seconds)
    while isinstance(event, h11.InformationalResponse):
        event = await server.event(limits.idle_seconds)
    if not isinstance(event, h11.Response):
        raise h11.RemoteProtocolError("no response")
    response = h11.Response(
        status_code=event.status_code, reason=event.reason, headers=_forwarded(event.headers)
    )
    await client.send(response, limits.idle_seconds)
    await _copy_body(server, client, limits.idle_seconds, limits.response_bytes)


async def _copy_body(source: _Peer, sink: _Peer, seconds: float, most: int) -> None:
    total = 0
    while True:
        event = await source.event(seconds)
        if isinstance(event, h11.Data):
            total += len(event.data)
            if total > most:
                raise TooLarge
            await sink.send(h11.Data(data=event.data), seconds)
        elif isinstance(event, h11.EndOfMessage):
            await sink.send(h11.EndOfMessage(), seconds)
            return
        else:
            raise h11.RemoteProtocolError("the message ended early")


async def _tunnel(guard: EgressGuard, client: _Peer, request: h11.Request) -> None:
    limits = guard.limits
    while await client.event(limits.head_seconds) is not h11.PAUSED:
        pass  # the end of the CONNECT message itself
    authority = request.target.decode("ascii", "replace")
    try:
        target = guard.rules.check_url(f"http://{authority}")
        early = b""
        if guard.upstream:
            reader, writer = await guard.connect_upstream(target.host, target.port)
            early = await _upstream_tunnel(guard, reader, writer, target.host, target.port)
        else:
            reader, writer = await guard.connect(target.host, target.port)
    except EgressRefused as refused:
        await _answer(client, 403, "refused", str(refused))
        return
    except Unreachable as error:
        await _answer(client, 502, "failed", str(error))
        return
    try:
        await client.send(h11.Response(status_code=200, headers=[]), limits.idle_seconds)
        writer.write(client.http.trailing_data[0])
        client.writer.write(early)
        pipe = _Pipe(limits.idle_seconds)
        async with asyncio.TaskGroup() as group:
            group.create_task(pipe.run(client.reader, writer, limits.upload_bytes))
            group.create_task(pipe.run(reader, client.writer, limits.tunnel_bytes))
    except* (OSError, TimeoutError, TooLarge):
        pass  # either side may end a tunnel at any time; both are cut below
    finally:
        writer.transport.abort()
        client.writer.transport.abort()


async def _upstream_tunnel(
    guard: EgressGuard,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    host: str,
    port: int,
) -> bytes:
    """Ask the user's proxy for a tunnel; returns what it sent beyond its answer."""
    assert guard.upstream is not None
    authority = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    headers = [("Host", authority)]
    if guard.upstream.authorization:
        headers.append(("Proxy-Authorization", guard.upstream.authorization))
    proxy = _Peer(h11.Connection(h11.CLIENT), reader, writer)
    seconds = guard.limits.connect_seconds
    try:
        await proxy.send(h11.Request(method="CONNECT", target=authority, headers=headers), seconds)
        await proxy.send(h11.EndOfMessage(), seconds)
        event = await proxy.event(seconds)
        if isinstance(event, h11.Response) and 200 <= event.status_code < 300:
            return proxy.http.trailing_data[0]
        status = event.status_code if isinstance(event, h11.Response) else "no answer"
        sentence = f"The proxy from the settings did not connect to {host} ({status})."
    except (h11.RemoteProtocolError, OSError, TimeoutError):
        sentence = f"The proxy from the settings broke off while connecting to {host}."
    writer.transport.abort()
    guard.note_problem(host, port, Unreachable(sentence))
    raise Unreachable(sentence)


class _Pipe:
    """The two directions of a tunnel; it is idle only when both are."""

    def __init__(self, idle_seconds: float) -> None:
        self._idle = idle_seconds
        self._loop = asyncio.get_running_loop()
        self._last = self._loop.time()

    async def run(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, most: int
    ) -> None:
        """Copy until the end of input, then hand the half-close on."""
        total = 0
        while data := await self._read(reader):
            total += len(data)
            if total > most:
                raise TooLarge
            writer.write(data)
            async with asyncio.timeout(self._idle):
                await writer.drain()
        if writer.can_write_eof():
            with contextlib.suppress(OSError):
                writer.write_eof()

    async def _read(self, reader: asyncio.StreamReader) -> bytes:
        while True:
            try:
                async with asyncio.timeout(self._idle):
                    data = await reader.read(_CHUNK)
            except TimeoutError:
                if self._loop.time() - self._last < self._idle:
                    continue  # the other direction is at work
                raise
            self._last = self._loop.time()
            return data


async def _answer(client: _Peer, status: int, kind: str, sentence: str) -> None:
    """A small page of the guard's own, if the client can still be told."""
    if client.http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
        client.writer.transport.abort()
        return
    body = sentence.encode()
    headers = [
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Content-Length", str(len(body))),
        ("Connection", "close"),
        (REFUSED_HEADER, kind),
    ]
    with contextlib.suppress(OSError, TimeoutError, h11.LocalProtocolError):
        await client.send(h11.Response(status_code=status, headers=headers), 5)
        await client.send(h11.Data(data=body), 5)
        await client.send(h11.EndOfMessage(), 5)


def _forwarded(headers: Iterable[tuple[bytes, bytes]], *, keep_chunked: bool = False) -> Headers:
    """The headers that travel on; those of the connection itself stay behind."""
    named = {
        token.strip().lower()
        for name, value in headers
        if name == b"connection"
        for token in value.split(b",")
    }
    drop = _HOP_BY_HOP | named
    if not keep_chunked:
        drop = drop | {b"transfer-encoding"}
    return [(bytes(name), bytes(value)) for name, value in headers if name not in drop]


def _authority(target: bytes) -> bytes:
    return target.split(b"//", 1)[1].split(b"/", 1)[0].split(b"?", 1)[0].split(b"#", 1)[0]


def _origin_form(target: bytes) -> bytes:
    rest = target.split(b"//", 1)[1][len(_authority(target)) :].split(b"#", 1)[0]
    return rest if rest.startswith(b"/") else b"/" + rest
