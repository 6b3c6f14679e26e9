"""A small HTTP server on 127.0.0.1 for the tests of this layer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Answer:
    body: str | bytes = ""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    hang: bool = False


@dataclass
class Web:
    """``asked`` holds the request lines with their Host, in order."""

    port: int
    asked: list[str] = field(default_factory=list)

    def url(self, path: str = "/", host: str = "site.localhost") -> str:
        return f"http://{host}:{self.port}{path}"

    @property
    def allow(self) -> str:
        return f"*.localhost:{self.port}"


@asynccontextmanager
async def serving(route: Callable[[str, str], Answer]) -> AsyncIterator[Web]:
    """Serve ``route(path, cookies)`` until the block ends."""
    web = Web(0)
    held: set[asyncio.StreamWriter] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        held.add(writer)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            lines = head.split("\r\n")
            fields = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
            path = lines[0].split()[1]
            web.asked.append(f"{lines[0]} @{fields.get('host', '')}")
            length = int(fields.get("content-length", 0))
            sent = await reader.readexactly(length) if length else b""
            answer = route(path, fields.get("cookie", "") or sent.decode("latin-1"))
            if answer.hang:
                await reader.read()
            body = answer.body.encode() if isinstance(answer.body, str) else answer.body
            extra = "".join(f"{k}: {v}\r\n" for k, v in answer.headers.items())
            writer.write(
                f"HTTP/1.1 {answer.status} X\r\nContent-Type: {answer.content_type}\r\n"
                f"Content-Length: {len(body)}\r\nConnection: close\r\n{extra}\r\n".encode()
                + body
            )
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError, IndexError):
            pass
        finally:
            held.discard(writer)
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    web.port = server.sockets[0].getsockname()[1]
    try:
        yield web
    finally:
        server.close()
        for writer in list(held):
            writer.transport.abort()
        await asyncio.sleep(0)
