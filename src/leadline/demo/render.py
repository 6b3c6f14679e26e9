"""Demo pages as HTML. Pure: a page and a port in, text out."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from leadline.demo.content import DemoContent, DemoPage, Kind, Site
from leadline.demo.truth import load_truth

SEARCH_SITE = Site(
    id="search",
    subject="",
    name="Sunder Search",
    tagline="Everything on the demo web",
    accent="#0b5d4a",
    serif=False,
    language="en",
)
FIRST_POSTS = 4
"""So many posts are in the page itself, and so many come with each click."""

COLLECT_PATH = "/collect"
"""Where an injected instruction wants data sent, on its own site."""

_FOOTERS = {
    "en": "Leadline demo web: everything here is invented."
    " Nothing on these pages is a fact about the world.",
    "de": "Leadline-Demo: Hier ist alles erfunden. Nichts auf diesen Seiten ist wahr.",
    "es": "Demostración de Leadline: todo es inventado. Nada de estas páginas es cierto.",
    "zh": "Leadline 演示网站：页面内容纯属虚构，并非事实。",
}
_CONSENT = {
    "en": (
        "We value your privacy",
        "We and our 214 partners use cookies. To continue to the article, please accept all"
        " cookies.",
        "Accept all cookies",
    ),
    "de": (
        "Ihre Privatsphäre ist uns wichtig",
        "Wir und unsere 187 Partner verwenden Cookies. Um weiterzulesen, müssen Sie allen Cookies"
        " zustimmen.",
        "Alle Cookies akzeptieren",
    ),
}
"""The cookie wall of a language: heading, words and button."""

_LINK = re.compile(r"demo://([a-z]+)/([A-Za-z0-9.-]*)")
_INLINE = re.compile(r"</?(?:a|em|strong|code)\b[^>]*>")
_TAG = re.compile(r"<[^>]+>")
_WALL_KINDS = (Kind.CONSENT, Kind.LOGIN, Kind.FORBIDDEN, Kind.GONE)
_TEMPLATES = {
    Kind.SCRIPT: "script.html",
    Kind.MORE: "more.html",
    Kind.CONSENT: "consent.html",
    Kind.LOGIN: "login.html",
    Kind.FORBIDDEN: "forbidden.html",
    Kind.GONE: "gone.html",
    Kind.INJECTION: "injection.html",
}


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A row of the result page."""

    title: str
    url: str
    snippet: str
    date: str


class Renderer:
    """Writes pages for one port, which their links carry."""

    def __init__(self, content: DemoContent, port: int) -> None:
        self._content = content
        self._port = port
        self._markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
        self._templates = Environment(
            loader=PackageLoader("leadline.demo"), autoescape=True, undefined=StrictUndefined
        )

    def address(self, site: str, path: str = "/") -> str:
        """The address of a path on a site."""
        return f"http://{site}.localhost:{self._port}{path}"

    def page(self, page: DemoPage, *, consented: bool = False) -> str:
        """A page as its visitor gets it; ``consented`` opens the cookie wall."""
        name = _TEMPLATES.get(page.kind, "article.html")
        if page.kind is Kind.CONSENT and consented:
            name = "article.html"
        values: dict[str, Any] = {"body": Markup(self._body(page))}
        if page.kind in (Kind.SCRIPT, Kind.MORE):
            values["data_path"] = f"{page.path}.json"
            values["posts"] = page.data.get("posts", [])[:FIRST_POSTS]
        if page.kind is Kind.INJECTION:
            values["collect"] = self.address(page.site.id, COLLECT_PATH)
            values["canary"] = load_truth(page.site.subject).canaries[0]
        title = page.title
        walled = page.kind in _WALL_KINDS and name != "article.html"
        if walled:
            # A wall gives nothing away, not even in its head.
            title = "Page not found" if page.kind is Kind.GONE else page.site.name
            values["back"] = page.path
            values["consent"] = _CONSENT.get(page.site.language, _CONSENT["en"])
        shown = None if walled else page
        return self._fill(name, site=page.site, title=title, page=shown, **values)

    def home(self, site: Site) -> str:
        """The front page of a site: its pages, newest first."""
        pages = self._content.of_site(site.id)
        return self._fill("home.html", site=site, title=site.name, page=None, entries=pages)

    def missing(self, site: Site) -> str:
        """An honest 404."""
        return self._fill("gone.html", site=site, title="Page not found", page=None)

    def results(self, query: str, rows: Sequence[ResultRow]) -> str:
        """The result page, or the front page of the search when there is no query."""
        sites = [
            {"name": site.name, "url": self.address(site.id)}
            for site in self._content.sites.values()
        ]
        return self._fill(
            "search.html",
            site=SEARCH_SITE,
            title=f"{query} – search" if query else "Search",
            page=None,
            query=query,
            rows=rows,
            sites=sites,
            count=len(self._content.pages),
        )

    def plain(self, page: DemoPage) -> str:
        """What the search knows of a page: its words, or those of its ``index`` line for a wall."""
        parts = [page.index]
        if page.kind not in _WALL_KINDS:
            marked = _INLINE.sub("", self._body(page))
            parts.append(html.unescape(_TAG.sub(" ", marked)))
            parts += page.data.get("intro", [])
            parts += [post["text"] for post in page.data.get("posts", [])]
        return "\n".join(filter(None, parts))

    def _body(self, page: DemoPage) -> str:
        text = _LINK.sub(lambda match: self.address(match[1], f"/{match[2]}"), page.body)
        return str(self._markdown.render(text))

    def _fill(self, name: str, **values: Any) -> str:
        footer = _FOOTERS[values["site"].language]
        return self._templates.get_template(name).render(footer=footer, **values)
