"""The proxy itself, against servers on this machine (safety 17, 18, 21, 22)."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import httpx
import pytest

from leadline.browsing.egress import EgressGuard, EgressLimits, UpstreamProxy
from leadline.browsing.egress_rules import AddressRules
from leadline.errors import EgressRefused, InvalidSetting
from tests.browsing.web import Answer, Web, serving


def _site(path: str, sent: str) -> Answer:
    if path == "/to-private":
        return Answer(status=302, headers={"Location": "http://127.0.0.1:1/secret"})
    if path == "/big":
        return Answer("x" * 300_000)
    if path == "/echo":
        return Answer(f"got {sent}")
    if path == "/liar":
        return Answer("hello", headers={"x-leadline-egress": "refused"})
    if path == "/hang":
        return Answer(hang=True)
    return Answer(f"page {path}")


@pytest.fixture
async def web() -> AsyncIterator[Web]:
    async with serving(_site) as web:
        yield web


@asynccontextmanager
async def guarded(*allow: str, **options: object) -> AsyncIterator[tuple[EgressGuard, list[str]]]:
    hosts: list[str] = []
    guard = EgressGuard(AddressRules(allow), hosts.append, **options)  # type: ignore[arg-type]
    await guard.start()
    try:
        yield guard, hosts
    finally:
        await guard.stop()


def through(guard: EgressGuard) -> httpx.AsyncClient:
    return httpx.AsyncClient(proxy=guard.proxy_url, trust_env=False, timeout=10)


async def test_a_page_passes_and_its_host_is_told_once(web: Web) -> None:
    """safety 22: the log lists every host."""
    async with guarded(web.allow) as (guard, hosts), through(guard) as client:
        first = await client.get(web.url("/a?b=1"))
        second = await client.post(web.url("/echo"), content=b"form data")
        assert (first.status_code, first.text) == (200, "page /a?b=1")
        assert second.text == "got form data"
    assert hosts == ["site.localhost"]
    assert web.asked[0] == f"GET /a?b=1 HTTP/1.1 @site.localhost:{web.port}"


async def test_private_addresses_are_refused_with_a_marked_answer(web: Web) -> None:
    """safety 17, W3-10"""
    async with guarded() as (guard, hosts), through(guard) as client:
        answer = await client.get(f"http://127.0.0.1:{web.port}/")
        assert answer.status_code == 403
        assert answer.headers["x-leadline-egress"] == "refused"
        assert isinstance(guard.problem("127.0.0.1", web.port), type(None) | EgressRefused)
    assert web.asked == []
    assert hosts == []


async def test_a_redirect_to_a_private_address_is_refused(web: Web) -> None:
    """safety 18, W3-10"""
    async with guarded(web.allow) as (guard, _), through(guard) as client:
        answer = await client.get(web.url("/to-private"), follow_redirects=True)
        assert answer.status_code == 403
        assert answer.headers["x-leadline-egress"] == "refused"


async def test_a_tunnel_to_a_private_address_is_refused(web: Web) -> None:
    """safety 18: HTTPS and WebSockets come as CONNECT."""
    async with guarded() as (guard, _):
        for authority in (f"127.0.0.1:{web.port}", "169.254.169.254:443"):
            status, (_, writer) = await _connect(guard, authority)
            writer.close()
            assert status == 403
    assert web.asked == []


async def test_a_tunnel_carries_bytes_both_ways(web: Web) -> None:
    async with guarded(web.allow) as (guard, _):
        status, streams = await _connect(guard, f"site.localhost:{web.port}")
        assert status == 200
        reader, writer = streams
        writer.write(b"GET /in HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await reader.read()).endswith(b"page /in")
        writer.close()


async def test_a_name_that_changes_its_answer_reaches_nothing_private(web: Web) -> None:
    """safety 18, W3-10: what is connected to is what was judged, each time."""
    answers = iter([["127.0.0.1"], ["93.184.216.34", "127.0.0.1"], ["10.0.0.1"]])

    async def rebinding(_: str) -> Sequence[str]:
        return next(answers)

    async with guarded(resolver=rebinding) as (guard, _):
        for name in ("one.example", "two.example", "three.example"):
            with pytest.raises(EgressRefused):
                await guard.connect(name, web.port)
            assert isinstance(guard.problem(name, web.port), EgressRefused)
    assert web.asked == []


async def test_an_allow_listed_name_connects_to_the_address_it_was_given(web: Web) -> None:
    async def resolver(name: str) -> Sequence[str]:
        return ["127.0.0.1"]

    async with (
        guarded("intra.example", resolver=resolver) as (guard, _),
        through(guard) as client,
    ):
        assert (await client.get(f"http://intra.example:{web.port}/x")).text == "page /x"


async def test_own_ports_are_closed_even_to_allow_listed_hosts(web: Web) -> None:
    """safety 21"""
    async with guarded("*.localhost", "127.0.0.1") as (guard, _), through(guard) as client:
        guard.rules.deny_port(web.port)
        for host in ("site.localhost", "127.0.0.1"):
            assert (await client.get(web.url(host=host))).status_code == 403
        own = int(guard.proxy_url.rsplit(":", 1)[1])
        assert (await client.get(f"http://site.localhost:{own}/")).status_code == 403
    assert web.asked == []


async def test_unknown_and_silent_hosts_end_in_a_sentence() -> None:
    async def nothing(_: str) -> Sequence[str]:
        raise OSError

    async with guarded("*.localhost", resolver=nothing) as (guard, _), through(guard) as client:
        answer = await client.get("http://nowhere.example/")
        assert answer.status_code == 502
        assert answer.headers["x-leadline-egress"] == "failed"
        assert "nowhere.example" in answer.text
        assert (await client.get("http://site.localhost:1/")).status_code == 502


async def test_a_server_cannot_speak_in_the_guards_name(web: Web) -> None:
    async with guarded(web.allow) as (guard, _), through(guard) as client:
        answer = await client.get(web.url("/liar"))
        assert answer.text == "hello"
        assert "x-leadline-egress" not in answer.headers


async def test_answers_and_tunnels_have_a_byte_cap(web: Web) -> None:
    """safety 47, W3-10: cut while it comes, not once it is there."""
    limits = EgressLimits(response_bytes=100_000, tunnel_bytes=100_000)
    async with guarded(web.allow, limits=limits) as (guard, _):
        async with through(guard) as client:
            with pytest.raises(httpx.HTTPError):
                await client.get(web.url("/big"))
        _, (reader, writer) = await _connect(guard, f"site.localhost:{web.port}")
        writer.write(b"GET /big HTTP/1.1\r\nHost: x\r\n\r\n")
        with pytest.raises((OSError, asyncio.IncompleteReadError)):
            await reader.readexactly(300_000)
        writer.transport.abort()


@pytest.mark.parametrize(
    "head",
    [
        b"\x16\x03\x01\x02\x00garbage\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /origin-form HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET http://x/ HTTP/1.1\r\nBad Header\r\n\r\n",
        b"CONNECT noport HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT x:notaport HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET http://u:p@93.184.216.34/ HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET http://" + b"a" * 100_000,
    ],
)
async def test_malformed_requests_are_answered_or_cut(head: bytes) -> None:
    async def nothing(_: str) -> Sequence[str]:
        raise OSError

    async with guarded(resolver=nothing) as (guard, hosts):
        reader, writer = await _open(guard)
        writer.write(head)
        writer.write_eof()
        answer = await asyncio.wait_for(reader.read(), 5)
        assert answer == b"" or answer.split()[1] in (b"400", b"403", b"502")
        writer.close()
        assert hosts == []


async def test_slow_heads_and_silent_servers_time_out(web: Web) -> None:
    limits = EgressLimits(head_seconds=0.2, idle_seconds=0.2)
    async with guarded(web.allow, limits=limits) as (guard, _):
        reader, writer = await _open(guard)
        writer.write(b"GET http://")
        assert await asyncio.wait_for(reader.read(), 3) == b""
        writer.close()
        async with through(guard) as client:
            assert (await client.get(web.url("/hang"))).status_code == 502


async def test_stop_ends_open_connections_at_once(web: Web) -> None:
    async with guarded(web.allow) as (guard, _):
        _, (reader, writer) = await _connect(guard, f"site.localhost:{web.port}")
        _, idle_writer = await _open(guard)
        begun = asyncio.get_running_loop().time()
        await guard.stop()
        assert asyncio.get_running_loop().time() - begun < 1
        with pytest.raises(OSError):
            if await reader.read() == b"":
                raise ConnectionResetError
        for one in (writer, idle_writer):
            one.transport.abort()
        with pytest.raises(OSError):
            await asyncio.open_connection("127.0.0.1", int(guard.proxy_url.rsplit(":", 1)[1]))


async def test_an_upstream_proxy_gets_the_requests_and_its_credentials(web: Web) -> None:
    """The user's own proxy: asked for names, with its login, which shows nowhere."""
    seen: list[str] = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        seen.append(head)
        body = b"from the proxy"
        if head.startswith("CONNECT"):
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n" + body)
        else:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    async def nothing(_: str) -> Sequence[str]:
        raise OSError

    server = await asyncio.start_server(proxy, "127.0.0.1", 0)
    address = f"http://me:p%40ss@127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with guarded(upstream=address, resolver=nothing) as (guard, hosts):
        async with through(guard) as client:
            assert (await client.get("http://far.example/x")).text == "from the proxy"
        status, (reader, writer) = await _connect(guard, "far.example:443")
        assert status == 200
        assert await reader.read() == b"from the proxy"
        writer.close()
        async with through(guard) as client:
            assert (await client.get("http://10.0.0.1/")).status_code == 403
        assert "p@ss" not in repr(guard.upstream)
    server.close()
    login = base64.b64encode(b"me:p@ss").decode()
    assert seen[0].startswith("GET http://far.example/x HTTP/1.1")
    assert seen[1].startswith("CONNECT far.example:443 HTTP/1.1")
    assert all(f"Basic {login}" in head for head in seen)
    assert len(seen) == 2
    assert hosts == ["far.example"]


@pytest.mark.parametrize("address", ["socks5://x:1", "http://", "http://x:99999", "ftp://x"])
def test_a_proxy_that_cannot_be_used_is_named_as_a_setting(address: str) -> None:
    with pytest.raises(InvalidSetting):
        UpstreamProxy.parse(address)


Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _open(guard: EgressGuard) -> Streams:
    return await asyncio.open_connection("127.0.0.1", int(guard.proxy_url.rsplit(":", 1)[1]))


async def _connect(guard: EgressGuard, authority: str) -> tuple[int, Streams]:
    reader, writer = await _open(guard)
    writer.write(f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    return int(head.split()[1]), (reader, writer)
