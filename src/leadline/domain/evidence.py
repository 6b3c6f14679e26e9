"""What was read and what was found: sources, passages, findings.

A model never retypes a quote or a URL. It names a passage by its reference (``3.12``: passage 12
of source 3) or a finding by its id (``f7``); text and address are looked up here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from urllib.parse import urldefrag

from pydantic import BaseModel, ConfigDict, Field

STATE_MARK = ":~:state="

_REF = re.compile(r"\[?\s*[sS]?(\d{1,6})\s*[.:]\s*[pP]?(\d{1,6})\s*\]?", re.ASCII)


class SourceKind(StrEnum):
    """What a source was stored from."""

    HTML = "html"
    PDF = "pdf"
    TEXT = "text"


class PassageRef(BaseModel):
    """Passage ``passage`` of source ``source``; written ``3.12``."""

    model_config = ConfigDict(frozen=True)

    source: int
    passage: int

    def __str__(self) -> str:
        return f"{self.source}.{self.passage}"

    @classmethod
    def parse(cls, text: str) -> PassageRef | None:
        """Read ``3.12``, ``[3.12]``, ``S3:P12``; None when it is no reference."""
        match = _REF.fullmatch(text.strip())
        return cls(source=int(match[1]), passage=int(match[2])) if match else None


class Passage(BaseModel):
    """A sentence or a table row of a source, as it stood there."""

    model_config = ConfigDict(frozen=True)

    number: int = Field(ge=1)
    text: str
    page: int | None = Field(None, description="Page of a PDF, from 1.")
    heading: str = Field("", description="The nearest heading above it.")


@dataclass(frozen=True, slots=True)
class PageContent:
    """A page or document that was read and is ready to be stored as a source."""

    url: str
    """The address after redirects."""
    passages: tuple[Passage, ...]
    requested_url: str = ""
    """The address that was asked for, if another."""
    title: str = ""
    site: str = ""
    publisher: str = ""
    """Who publishes the site, where the page names somebody."""
    author: str = ""
    date: str = ""
    """ISO date of publication, as far as the page tells."""
    language: str = ""
    kind: SourceKind = SourceKind.HTML
    truncated: bool = False
    """The page was longer than what is stored."""


def page_address(url: str) -> str:
    """What two addresses of one page have in common: the address without its fragment.

    A fragment that is the page (``#/path``, ``#!``), or that tells a state of it that clicks
    brought about (``#:~:state=2``), stays.
    """
    bare, fragment = urldefrag(url)
    return url if fragment.startswith(("/", "!")) or STATE_MARK in fragment else bare


def page_state(url: str, state: int) -> str:
    """The address that a page is stored under in its ``state``-th state, from 1.

    Browsers ignore what the fragment says, so the address still opens the page.
    """
    if state == 1:
        return url
    return f"{url}{'' if '#' in url else '#'}{STATE_MARK}{state}"


class Source(BaseModel):
    """A page or document that was read in this run; ``sources.json`` holds these."""

    model_config = ConfigDict(frozen=True)

    id: int = Field(ge=1)
    url: str = Field(description="The address after redirects.")
    requested_url: str = Field("", description="The address that was asked for, if another.")
    title: str = ""
    site: str = ""
    publisher: str = Field("", description="Who publishes the site, as far as the page tells.")
    author: str = ""
    date: str = Field("", description="ISO date of publication, as far as the page tells.")
    language: str = ""
    fetched_at: datetime
    hash: str = Field(description="SHA-256 of the passages' text, hexadecimal.")
    kind: SourceKind = SourceKind.HTML
    passages: int = Field(0, description="How many passages are stored.")
    origin: int | None = Field(
        None, description="An earlier source with the same text; counted as one origin."
    )
    truncated: bool = Field(False, description="The page was longer than what was stored.")


class Snapshot(BaseModel):
    """A source with its passages, as stored in ``sources/<n>.md``."""

    model_config = ConfigDict(frozen=True)

    source: Source
    passages: tuple[Passage, ...]

    def passage(self, number: int) -> Passage | None:
        """Passage ``number``, or None. Passages are numbered from 1 without gaps."""
        if 1 <= number <= len(self.passages):
            return self.passages[number - 1]
        return None


class Finding(BaseModel):
    """Something a task found: a statement and the passages that carry it."""

    model_config = ConfigDict(frozen=True)

    id: str = Field(pattern=r"^f\d+$")
    task: str
    claim: str
    passages: tuple[PassageRef, ...] = Field(min_length=1)
    quotes: tuple[str, ...] = Field(description="Text of the passages, looked up in code.")


class BlockedPage(BaseModel):
    """A page that gave nothing; listed in the report."""

    model_config = ConfigDict(frozen=True)

    url: str
    reason: str
    task: str = ""
    blocked: bool = Field(True, description="A wall refused us; False: it was unreadable.")
