"""The process that parses a PDF: bytes on its input, one JSON object on its output, nothing else.

It limits its own memory and processor time before it looks at the file.
"""

from __future__ import annotations

import io
import json
import logging
import re
import sys
from typing import Any

MEMORY_BYTES = 1_500_000_000
CPU_SECONDS = 40
MAX_PAGES = 800
MAX_CHARS = 2_000_000

_HYPHEN = re.compile(r"(\w)-\n(?=[a-zäöüß])")


def read(data: bytes) -> dict[str, Any]:
    """Pages and metadata of a PDF."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data), strict=False)
    if reader.is_encrypted and not reader.decrypt(""):
        return {"pages": [], "locked": True}
    pages: list[str] = []
    chars = 0
    truncated = len(reader.pages) > MAX_PAGES
    for page in reader.pages[:MAX_PAGES]:
        try:
            text = page.extract_text() or ""
        except Exception:  # noqa: BLE001 - pypdf raises anything for a broken page; the others count
            text = ""
        text = _HYPHEN.sub(r"\1", text.encode("utf-8", "replace").decode())
        pages.append(text)
        chars += len(text)
        if chars > MAX_CHARS:
            truncated = True
            break
    return {"pages": pages, "truncated": truncated, **_metadata(reader)}


def _metadata(reader: Any) -> dict[str, str]:
    try:
        meta = reader.metadata
        created = meta.creation_date if meta else None
        return {
            "title": _line(meta.title if meta else ""),
            "author": _line(meta.author if meta else ""),
            "date": created.date().isoformat() if created else "",
        }
    except Exception:  # noqa: BLE001 - metadata is a courtesy; a broken one is none
        return {}


def _line(value: object) -> str:
    return " ".join(str(value or "").encode("utf-8", "replace").decode().split())[:300]


def _limit_self() -> None:
    try:
        import resource
    except ImportError:  # not on Windows: the parent's time limit remains
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Read, parse, answer."""
    _limit_self()
    logging.disable(logging.CRITICAL)
    sys.setrecursionlimit(2000)
    answer = read(sys.stdin.buffer.read())
    sys.stdout.buffer.write(json.dumps(answer).encode("utf-8"))


if __name__ == "__main__":
    main()
