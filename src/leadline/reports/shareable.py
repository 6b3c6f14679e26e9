"""What of a run's settings and messages may leave this machine.

Invariant (safety 29): no path of this machine, no password in an address and no query of a
configured address goes into a bundle. What pages said and what a person asked is left as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from leadline.domain.run import RunRecord

_SPOKEN = ("reason", "message", "detail", "summary")
"""Fields of events that Leadline itself words, and that may name a file."""
_PATH = re.compile(r"(?:[/~\\]|[A-Za-z]:[\\/])")
_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


class Shareable:
    """Takes the paths in ``places`` (path → what stands for it) and secrets out."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = {path: name for path, name in places.items() if len(path) > 1}
        longest = sorted(map(re.escape, self._places), key=len, reverse=True)
        self._pattern = re.compile(rf"(?<![\w/\\])(?:{'|'.join(longest)})(?![\w-])")
        self._marks = [json.dumps(path, ensure_ascii=False)[1:-1] for path in self._places]

    def text(self, text: str) -> str:
        """A sentence without the paths of this machine."""
        if not self._places:
            return text
        return self._pattern.sub(lambda match: self._places[match[0]], text)

    def line(self, line: bytes) -> bytes:
        """A line of the log, as it was unless a message in it names a path."""
        if not any(mark.encode() in line for mark in self._marks):
            return line
        wire = json.loads(line)
        data = wire["data"]
        for name in _SPOKEN:
            if isinstance(data.get(name), str):
                data[name] = self.text(data[name])
        return json.dumps(wire, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    def record(self, record: RunRecord) -> RunRecord:
        """``run.json`` without secrets and paths."""
        content = record.model_dump(mode="json")
        content["config"] = shareable_settings(content["config"])
        content["reason"] = self.text(record.reason)
        return RunRecord.model_validate(content)


def shareable_settings(value: Any) -> Any:
    """Settings without paths, user info and queries; what is left out is empty."""
    if isinstance(value, dict):
        return {key: shareable_settings(part) for key, part in value.items()}
    if isinstance(value, list):
        return [shareable_settings(part) for part in value]
    return _shareable_value(value) if isinstance(value, str) else value


def _shareable_value(value: str) -> str:
    if value.startswith("-"):  # a switch: its value may be anything
        return value.partition("=")[0]
    if _PATH.match(value):
        return ""
    if _URL.match(value):
        return _bare_url(value)
    return value


def _bare_url(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"
