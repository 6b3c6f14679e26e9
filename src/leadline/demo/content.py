"""The pages of the demo web as they lie in ``pages/``: one folder a site, one Markdown file a page.

A file starts with ``key: value`` lines between two ``---``. ``demo://site/slug`` in a text becomes
the page's address once the port is known. Everything is read once; requests never touch the disk.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

PAGES = Path(__file__).parent / "pages"


class Kind(StrEnum):
    """How a page behaves."""

    ARTICLE = "article"
    COPY = "copy"  # word for word the text of another page
    SCRIPT = "script"  # drawn by JavaScript from JSON
    MORE = "more"  # shows the rest behind a button
    CONSENT = "consent"  # shows nothing before cookies are accepted
    LOGIN = "login"  # a form, with HTTP 403 or the page's own status
    FORBIDDEN = "forbidden"  # HTTP 403 and next to nothing
    GONE = "gone"  # HTTP 200 and the words "page not found"
    INJECTION = "injection"  # tells models what to do, visibly and hidden
    PDF = "pdf"  # the Markdown is what the PDF was made from


_REFUSING = (Kind.LOGIN, Kind.FORBIDDEN)


@dataclass(frozen=True, slots=True)
class Site:
    """A host name of the demo web, what it is about and how it looks."""

    id: str
    subject: str
    name: str
    tagline: str
    accent: str
    serif: bool
    language: str
    publisher: str = ""
    """Who is behind it, where that is another name than the site's."""

    @property
    def host(self) -> str:
        """The host name, without port."""
        return f"{self.id}.localhost"


@dataclass(frozen=True, slots=True)
class DemoPage:
    """One page. ``body`` is Markdown; ``data`` is what its script or button loads."""

    site: Site
    slug: str
    title: str
    date: str
    author: str
    kind: Kind
    body: str
    index: str = ""
    status: int = 200
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """The path on its host."""
        return f"/{self.slug}.pdf" if self.kind is Kind.PDF else f"/{self.slug}"

    @property
    def key(self) -> str:
        """``site/slug``, unique over the demo web."""
        return f"{self.site.id}/{self.slug}"


@dataclass(frozen=True, slots=True)
class DemoContent:
    """All sites and pages, by id and key."""

    sites: dict[str, Site]
    pages: dict[str, DemoPage]

    @property
    def subjects(self) -> tuple[str, ...]:
        """What there are pages about, by name."""
        return tuple(sorted({site.subject for site in self.sites.values()}))

    def of_subject(self, subject: str) -> list[DemoPage]:
        """The pages about one subject, in the order of their keys."""
        return [page for page in self.pages.values() if page.site.subject == subject]

    def of_site(self, site_id: str) -> list[DemoPage]:
        """The pages of one site, newest first."""
        pages = [page for page in self.pages.values() if page.site.id == site_id]
        return sorted(pages, key=lambda page: page.date, reverse=True)


@cache
def load_content() -> DemoContent:
    """Everything in ``pages/``; raises ``ValueError`` for a file that is not in form."""
    sites = {}
    pages = {}
    for folder in sorted(path for path in PAGES.iterdir() if path.is_dir()):
        site = _site(folder)
        sites[site.id] = site
        for file in sorted(folder.glob("*.md")):
            page = _page(site, file)
            pages[page.key] = page
    return DemoContent(sites=sites, pages=pages)


def pdf_bytes(page: DemoPage) -> bytes:
    """The stored PDF of a page of kind ``PDF``."""
    return (PAGES / page.site.id / f"{page.slug}.pdf").read_bytes()


def _site(folder: Path) -> Site:
    values = _values((folder / "_site.txt").read_text(encoding="utf-8"), folder)
    return Site(
        id=folder.name,
        subject=values["subject"],
        name=values["name"],
        tagline=values["tagline"],
        accent=values["accent"],
        serif=values["font"] == "serif",
        language=values["language"],
        publisher=values.get("publisher", ""),
    )


def _page(site: Site, file: Path) -> DemoPage:
    _, front, body = file.read_text(encoding="utf-8").split("---\n", 2)
    values = _values(front, file)
    if original := values.get("copy"):
        _, _, body = (PAGES / f"{original}.md").read_text(encoding="utf-8").split("---\n", 2)
    data = {}
    if "data" in values:
        data = json.loads((file.parent / values["data"]).read_text(encoding="utf-8"))
    kind = Kind(values.get("kind", Kind.ARTICLE))
    return DemoPage(
        site=site,
        slug=file.stem,
        title=values["title"],
        date=values["date"],
        author=values["author"],
        kind=kind,
        body=body.strip(),
        index=values.get("index", ""),
        status=int(values.get("status", 403 if kind in _REFUSING else 200)),
        data=data,
    )


def _values(text: str, where: Path) -> dict[str, str]:
    values = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        key, colon, value = line.partition(": ")
        if not colon:
            raise ValueError(f"{where} has a line that is not “key: value”: {line!r}")
        values[key] = value.strip()
    return values
