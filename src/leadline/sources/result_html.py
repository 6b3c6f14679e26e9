"""Result pages of search engines, HTML in and hits out. Pure.

Any text parses: a page that is no result page gives no rows. Links are the pages themselves, with
the engines' redirects undone; advertisements are left out.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

from lxml import etree  # type: ignore[import-untyped]  # lxml ships no types
from lxml import html as lxml_html

from leadline.sources.base import SearchHit
from leadline.sources.urls import host_of, is_web_address

Element = Any
"""An lxml element; lxml ships no types."""

_REDIRECT_PARAMETERS = ("uddg", "url", "u", "q", "target", "to", "imgrefurl")
_SNIPPET_CHARS = 400
_TITLE_CHARS = 200
_SHORTEST_TITLE = 8
_LINKS_MOST = 1000
_ROWS_MOST = 50
_CONTENT_LINKS = "//body//a[@href][not(ancestor::nav or ancestor::footer)]"
_ISO_DATE = re.compile(r"\b(\d{4}-\d{2}-\d{2})(?=T|\b)")
_WRITTEN_DATE = re.compile(r"\b([A-Z][a-z]{2} \d{1,2}, \d{4})\b")
_CHALLENGE = re.compile(
    r"captcha|unusual traffic|are you a robot|not a robot|verify (?:that )?you are (?:a )?human"
    r"|bots use duckduckgo|solve the challenge|confirm this search was made by a human"
    r"|checking your browser|人机验证|安全验证",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ResultPage:
    """What a result page says."""

    hits: tuple[SearchHit, ...] = ()
    challenge: bool = False
    """No hits, and the page asks whether we are a robot."""
    says_none: bool = False
    """No hits, and the page says that there are none."""


def parse_duckduckgo(page: str, url: str) -> ResultPage:
    """The page of html.duckduckgo.com."""
    tree = _tree(page)
    if tree is None:
        return ResultPage()
    hits = []
    for row in _having_class(tree, "result"):
        if "result--ad" in _classes(row):
            continue
        link = next(_having_class(row, "result__a"), None)
        target = _target(link, url)
        if link is None or not target or host_of(target).endswith("duckduckgo.com"):
            continue
        snippet = next(_having_class(row, "result__snippet"), None)
        extras = next(_having_class(row, "result__extras"), None)
        hits.append(
            SearchHit(
                title=_text(link, _TITLE_CHARS),
                url=target,
                snippet=_text(snippet, _SNIPPET_CHARS),
                date=_date(_text(extras, _SNIPPET_CHARS)),
            )
        )
    none = any(True for _ in _having_class(tree, "no-results")) or any(
        True for _ in _having_class(tree, "result--no-result")
    )
    return _finish(tree, hits, says_none=none)


def parse_bing(page: str, url: str) -> ResultPage:
    """The page of bing.com/search."""
    tree = _tree(page)
    if tree is None:
        return ResultPage()
    hits = []
    for row in _having_class(tree, "b_algo"):
        link = next(iter(row.xpath(".//h2//a[@href]")), None)
        target = _target(link, url)
        if link is None or not target or host_of(target).endswith("bing.com"):
            continue
        paragraph = next(iter(row.xpath(".//p")), None)
        date = next(_having_class(row, "news_dt"), None)
        shown = _text(date, _SNIPPET_CHARS)
        snippet = _text(paragraph, _SNIPPET_CHARS).removeprefix(shown).lstrip(" ·-")
        hits.append(
            SearchHit(
                title=_text(link, _TITLE_CHARS), url=target, snippet=snippet, date=_date(shown)
            )
        )
    none = any(True for _ in _having_class(tree, "b_no"))
    return _finish(tree, hits, says_none=none)


def parse_any(page: str, url: str) -> ResultPage:
    """A result page nobody described to us: titled links that leave the engine's own site.

    Links in headings are taken as the rows when there are some, since that is how nearly every
    engine writes them; else links with a title's length outside navigation and footer. A site's
    own search leads to the site itself, so its headings count when nothing leads out.
    """
    tree = _tree(page)
    if tree is None:
        return ResultPage()
    links = [
        (link, target)
        for link in tree.xpath(_CONTENT_LINKS)[:_LINKS_MOST]
        if (target := _target(link, url))
    ]
    titled = [(link, target) for link, target in links if _heading(link) is not None]
    out = [(link, target) for link, target in titled if not _same_site(target, url)]
    if not out:
        out = [
            (link, target)
            for link, target in links
            if not _same_site(target, url) and len(_text(link, _TITLE_CHARS)) >= _SHORTEST_TITLE
        ]
    rows = out or [(link, target) for link, target in titled if _further_in(target, url)]
    hits = [_row_hit(link, target, url) for link, target in rows[:_ROWS_MOST]]
    return _finish(tree, hits, says_none=False)


def unwrap(url: str) -> str:
    """The page behind an engine's redirect link, or ``url`` itself."""
    try:
        parts = urlsplit(url)
        values = parse_qs(parts.query)
    except ValueError:
        return url
    host = host_of(url)
    if host.endswith("bing.com") and parts.path.startswith("/ck/"):
        return _bing_target(values.get("u", [""])[0]) or url
    if not _is_redirect(host, parts.path):
        return url
    for name in _REDIRECT_PARAMETERS:
        for value in values.get(name, []):
            if is_web_address(value):
                return value
    return url


def _is_redirect(host: str, path: str) -> bool:
    if host.endswith("duckduckgo.com"):
        return path.startswith("/l/")
    return path.rstrip("/") in ("/url", "/l", "/link", "/redirect", "/go", "/out", "/r")


def _bing_target(value: str) -> str:
    """Bing writes ``a1`` and the address in unpadded URL-safe base64."""
    if not value.startswith("a1"):
        return ""
    text = value[2:]
    try:
        target = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeError, ValueError):
        return ""
    return target if is_web_address(target) else ""


def _finish(tree: Element, hits: list[SearchHit], *, says_none: bool) -> ResultPage:
    named = tuple(hit for hit in hits if hit.title)
    if named:
        return ResultPage(hits=named)
    body = next(iter(tree.xpath("//body")), tree)
    title = " ".join(tree.xpath("//title//text()"))
    marks = " ".join(tree.xpath("//form/@id | //form/@action | //iframe/@src | //div/@id"))
    # Only the beginning is looked at: the words may stand anywhere in a long list of results.
    seen = f"{title} {marks[:2000]} {_text(body, 3000)}"
    challenge = not says_none and bool(_CHALLENGE.search(seen))
    return ResultPage(challenge=challenge, says_none=says_none)


def _tree(page: str) -> Element | None:
    """The parsed page; None when there is nothing to parse."""
    data = page.replace("\x00", " ").encode("utf-8", "replace")
    parser = lxml_html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        tree = lxml_html.document_fromstring(data, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError):
        return None
    for dead in tree.xpath("//script | //style | //noscript | //template"):
        dead.drop_tree()
    return tree


def _classes(element: Element) -> list[str]:
    return str(element.get("class") or "").split()


def _having_class(tree: Element, name: str) -> Iterator[Element]:
    for element in tree.iterdescendants():
        if isinstance(element.tag, str) and name in _classes(element):
            yield element


def _text(element: Element | None, chars: int) -> str:
    if element is None:
        return ""
    joined = " ".join(" ".join(element.itertext()).split())
    return joined if len(joined) <= chars else joined[: chars - 1].rstrip() + "…"


def _target(link: Element | None, base: str) -> str:
    """The page that a link leads to; empty when it is not one."""
    if link is None:
        return ""
    try:
        absolute = urljoin(base, str(link.get("href") or "").strip())
    except ValueError:
        return ""
    target = unwrap(absolute)
    return target if is_web_address(target) else ""


def _same_site(target: str, page: str) -> bool:
    """Whether both lie under one registered name, roughly: the last two labels agree."""
    return host_of(target).split(".")[-2:] == host_of(page).split(".")[-2:]


def _further_in(target: str, page: str) -> bool:
    """Whether a link within the site leads to another page of it than the search itself."""
    path = urlsplit(target).path
    return _same_site(target, page) and path not in ("", "/", urlsplit(page).path)


def _heading(link: Element) -> Element | None:
    """The heading that the link stands in or holds."""
    inside = link.xpath(".//h1 | .//h2 | .//h3 | .//h4 | .//*[@role='heading']")
    around = link.xpath("ancestor::*[self::h2 or self::h3 or self::h4 or @role='heading'][1]")
    return next(iter([*inside, *around]), None)


def _row_hit(link: Element, target: str, page: str) -> SearchHit:
    row = _row_of(link, target, page)
    heading = _heading(link)
    title = _text(link, _TITLE_CHARS)
    if heading is not None and link in heading.iterancestors():
        title = _text(heading, _TITLE_CHARS)
    times = row.xpath(".//time/@datetime") or row.xpath(".//time//text()")
    return SearchHit(
        title=title,
        url=target,
        snippet=_snippet(row, link),
        date=_date(" ".join(map(str, times))),
    )


def _row_of(link: Element, target: str, page: str) -> Element:
    """The largest element around the link that holds no other page's heading or outside link."""
    row = link
    for around in link.iterancestors():
        if around.tag in ("body", "html", "main", "ol", "ul"):
            break
        if any(
            other != target and (_heading(element) is not None or not _same_site(other, page))
            for element in around.xpath(".//a[@href]")
            if (other := _target(element, page))
        ):
            break
        row = around
    return row


def _snippet(row: Element, link: Element) -> str:
    """The longest text block of the row beside its title."""
    blocks = [
        _text(block, _SNIPPET_CHARS)
        for block in row.iterdescendants("p", "div", "span", "td", "dd")
        if link not in block.iterdescendants() and block not in link.iterdescendants()
    ]
    return max(blocks, key=len, default="")


def _date(text: str) -> str:
    """The first date in ``text``, as ISO; empty when there is none."""
    if match := _ISO_DATE.search(text):
        try:
            return datetime.strptime(match[1], "%Y-%m-%d").date().isoformat()
        except ValueError:
            return ""
    if match := _WRITTEN_DATE.search(text):
        try:
            return datetime.strptime(match[1], "%b %d, %Y").date().isoformat()
        except ValueError:
            return ""
    return ""
