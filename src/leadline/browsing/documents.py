"""Files from the web: fetched through the guard with a size cap, read in a child process.

The type is told by content, never by name. A PDF is parsed in a process of its own with an end in
time and, on POSIX, in memory: a hostile file fails alone.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import json
import re
import sys
from dataclasses import dataclass

import httpx

from leadline.browsing.egress import EgressGuard
from leadline.browsing.egress_http import REFUSED_HEADER
from leadline.browsing.process_tree import end_processes, tree_of
from leadline.browsing.walls import WALL_SENTENCES, wall_reason
from leadline.domain.evidence import SourceKind
from leadline.errors import EgressRefused, PageBlocked, PageUnreadable

PDF_SECONDS = 30.0
_MAX_REDIRECTS = 8
_TAGS = re.compile(r"(?s)<(script|style)\b.*?</\1\s*>|<!--.*?-->|<[^>]{1,2000}>")
_CHARSET = re.compile(r"charset=[\"']?([\w.-]+)", re.IGNORECASE)
_BINARY_TYPES = ("image/", "video/", "audio/", "font/")


@dataclass(frozen=True, slots=True)
class Document:
    """A file as text; ``pages`` has one entry for each page of a PDF, else exactly one."""

    url: str
    kind: SourceKind
    pages: tuple[str, ...]
    title: str = ""
    author: str = ""
    date: str = ""
    truncated: bool = False


async def fetch_document(
    url: str, *, guard: EgressGuard, max_bytes: int, seconds: float
) -> Document:
    """Fetch a file and read it. Raises ``EgressRefused``, ``PageBlocked`` or ``PageUnreadable``."""
    try:
        async with asyncio.timeout(seconds):
            final, content_type, data = await _fetch(url, guard, max_bytes)
    except TimeoutError:
        raise PageUnreadable(
            f"The file did not arrive within {seconds:g} seconds.", transient=True
        ) from None
    except httpx.InvalidURL:
        raise PageUnreadable("The address of the file is not a valid one.") from None
    except httpx.ProxyError as error:
        raise _guards_error(guard, url, error) from None
    except httpx.HTTPError:
        raise PageUnreadable(
            "The file could not be fetched; the connection broke off.", transient=True
        ) from None
    if data[:1024].lstrip().startswith(b"%PDF-"):
        return await read_pdf(data, url=final, seconds=PDF_SECONDS)
    return read_text(data, url=final, content_type=content_type)


async def _fetch(url: str, guard: EgressGuard, max_bytes: int) -> tuple[str, str, bytes]:
    async with httpx.AsyncClient(
        proxy=guard.proxy_url, trust_env=False, timeout=httpx.Timeout(20.0), follow_redirects=False
    ) as client:
        for _ in range(_MAX_REDIRECTS):
            guard.rules.check_url(url)
            async with client.stream("GET", url, headers={"Accept": "*/*"}) as answer:
                if answer.url.scheme == "http" and answer.headers.get(REFUSED_HEADER):
                    raise _guards_error(guard, url, None)
                if answer.is_redirect and answer.next_request is not None:
                    url = str(answer.next_request.url)
                    continue
                wall = wall_reason(answer.status_code, "", "", "", url)
                if answer.status_code >= 400 and wall:
                    raise PageBlocked(WALL_SENTENCES[wall], reason=wall)
                content_type = answer.headers.get("content-type", "")
                return url, content_type, await _body(answer, max_bytes)
    raise PageUnreadable("The address redirects in a circle.")


async def _body(answer: httpx.Response, max_bytes: int) -> bytes:
    too_large = PageUnreadable(f"The file is larger than the {max_bytes:,} bytes allowed.")
    length = answer.headers.get("content-length", "")
    if length.isdigit() and int(length) > max_bytes:
        raise too_large
    data = bytearray()
    async for chunk in answer.aiter_bytes():  # unpacked bytes: a zip bomb ends here too
        data += chunk
        if len(data) > max_bytes:
            raise too_large
    return bytes(data)


def _guards_error(
    guard: EgressGuard, url: str, error: Exception | None
) -> EgressRefused | PageUnreadable:
    try:
        target = guard.rules.check_url(url)
    except EgressRefused as refused:
        return refused
    problem = guard.problem(target.host, target.port)
    if isinstance(problem, EgressRefused):
        return problem
    sentence = str(problem or f"The host {target.host} cannot be reached.")
    return PageUnreadable(sentence, transient=True)


def read_text(data: bytes, *, url: str, content_type: str) -> Document:
    """Plain text, JSON, CSV or XML as one page of text; raises ``PageUnreadable`` for the rest."""
    kind = content_type.split(";")[0].strip().lower()
    if kind.startswith(_BINARY_TYPES) or _is_binary(data):
        raise PageUnreadable(f"The file is no text ({kind or 'unknown type'}).")
    text = _decoded(data, content_type)
    if kind.endswith("xml") or text.lstrip()[:5].lower() == "<?xml":
        text = _TAGS.sub("\n", text)
    elif kind.endswith("json"):
        with contextlib.suppress(ValueError, RecursionError):
            text = _json_lines(json.loads(text))
    elif kind.endswith(("csv", "tab-separated-values")):
        text = _csv_table(text, "\t" if kind.endswith("values") else "")
    if not text.strip():
        raise PageUnreadable("The file is empty.")
    return Document(url=url, kind=SourceKind.TEXT, pages=(text,))


async def read_pdf(data: bytes, *, url: str, seconds: float) -> Document:
    """The text of a PDF, page by page, read by a child process that cannot outlive its time."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        "-m",
        "leadline.browsing.pdf_child",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(seconds):
            out, _ = await process.communicate(data)
    except TimeoutError:
        raise PageUnreadable(f"The PDF could not be read within {seconds:g} seconds.") from None
    finally:
        if process.returncode is None:
            await asyncio.shield(_end(process))
    try:
        answer = json.loads(out)
        pages = tuple(str(page) for page in answer["pages"])
    except (ValueError, KeyError, TypeError):
        raise PageUnreadable("The PDF is damaged or needs more memory than it may have.") from None
    if answer.get("locked"):
        raise PageUnreadable("The PDF is protected by a password.")
    return Document(
        url=url,
        kind=SourceKind.PDF,
        pages=pages,
        title=str(answer.get("title") or ""),
        author=str(answer.get("author") or ""),
        date=str(answer.get("date") or ""),
        truncated=bool(answer.get("truncated")),
    )


async def _end(process: asyncio.subprocess.Process) -> None:
    await end_processes(tree_of(process.pid), grace=0)
    await process.wait()


def _is_binary(data: bytes) -> bool:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return False
    head = data[:4096]
    return b"\x00" in head or sum(c < 9 or 13 < c < 32 for c in head) > len(head) / 20


def _decoded(data: bytes, content_type: str) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    match = _CHARSET.search(content_type)
    for name in (*([match[1]] if match else []), "utf-8-sig", "gb18030"):
        try:
            return data.decode(name)
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode("latin-1")


def _json_lines(value: object, path: str = "", depth: int = 0) -> str:
    """JSON as lines of ``path: value``, so that each is a passage that says what it is about."""
    if depth > 30:
        return ""
    if isinstance(value, dict):
        children = [(f"{path}.{key}" if path else str(key), child) for key, child in value.items()]
    elif isinstance(value, list):
        children = [(path, child) for child in value]
    else:
        return f"{path}: {value}\n\n" if path else f"{value}\n\n"
    return "".join(_json_lines(child, name, depth + 1) for name, child in children)


def _csv_table(text: str, delimiter: str) -> str:
    """CSV as a table with its first line as head."""
    import csv
    import io

    try:
        dialect: type[csv.Dialect] | csv.Dialect = csv.Sniffer().sniff(text[:4000], ",;\t|")
    except csv.Error:
        dialect = csv.excel_tab if delimiter else csv.excel
    lines = []
    try:
        for number, row in enumerate(csv.reader(io.StringIO(text), dialect)):
            lines.append(
                "| " + " | ".join(" ".join(c.split()).replace("|", "\\|") for c in row) + " |"
            )
            if number == 0:
                lines.append("|" + "---|" * len(row))
    except csv.Error:
        return text
    return "\n".join(lines)
