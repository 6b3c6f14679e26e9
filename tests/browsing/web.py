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


def small_pdf(title: str, pages: list[str]) -> bytes:
    """A PDF with one line of text on each page."""
    kids = " ".join(f"{5 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        f"<</Title({title})>>".encode(),
    ]
    for n, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET".encode()
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {6 + 2 * n} 0 R"
            "/Resources<</Font<</F1 3 0 R>>>>>>".encode()
        )
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream))
    data, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return (
        data
        + b"xref\n0 %d\n0000000000 65535 f \n" % size
        + table
        + b"trailer<</Size %d/Root 1 0 R/Info 4 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, len(data))
    )
