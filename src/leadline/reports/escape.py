"""Text from outside made safe inside Markdown, for our own renderer and any other.

Invariant: what comes out of here shows the same characters when rendered, and makes no link, no
image, no HTML, no table, no heading and no list.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from leadline.domain.text import one_line

CITE_OPEN, CITE_CLOSE = "\ue000", "\ue001"
"""Private-use marks around a claim id inside checked text; outside text never has them."""

# Marks that turn the direction of what follows: a page could make a number read backwards.
_HIDDEN = re.compile("[\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\ue000\ue001\ufeff]")
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~])")
_INLINE_SPECIAL = re.compile(r"([\\\[\]<>|~`])")
_ENTITY = re.compile(r"&(?=#|[A-Za-z][A-Za-z0-9]{1,31};)")
_AUTOLINK = re.compile(r"(?<=[A-Za-z])://|\bwww\.", re.IGNORECASE)
_BLOCK_START = re.compile(r"(?:[-+*=#>]|\d{1,9}(?=[.)]))")
CODE_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_URL_UNSAFE = re.compile(r"[\x00-\x20\x7f<>\"`\\^{}|]")


_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://\S*", re.IGNORECASE)


def without_addresses(text: str) -> str:
    """The text without the addresses in it: a report's addresses are those of its sources."""
    return _ADDRESS.sub("", text)


def visible(text: str) -> str:
    """The text on one line, without marks that nobody sees."""
    return one_line(_HIDDEN.sub("", text))


def _unlinked(text: str) -> str:
    """The same text, which no viewer turns into a link of its own accord."""
    return _AUTOLINK.sub(lambda m: m[0].replace("/", "\\/").replace(".", "\\."), text)


def escape_text(text: str) -> str:
    """Plain text (a title, a quote, a question) as Markdown that shows just that."""
    escaped = _SPECIAL.sub(r"\\\1", visible(text))
    return guard_start(_unlinked(_ENTITY.sub("&amp;", escaped)))


def guard_start(markdown: str) -> str:
    """The same Markdown, not taken for a heading, list, quote or rule when it starts a line."""
    match = _BLOCK_START.match(markdown)
    if not match:
        return markdown
    if match[0].isdigit():
        return f"{match[0]}\\{markdown[match.end() :]}"
    strong = markdown.startswith(("**", "*")) and not markdown.startswith(("* ", "***"))
    return markdown if strong else f"\\{markdown}"


def escape_inline(text: str) -> str:
    """A model's sentence as Markdown: emphasis and code spans stay, everything else is text."""
    parts: list[str] = []
    start = 0
    for span in CODE_SPAN.finditer(text):
        parts += [_escape_plain(text[start : span.start()]), f"`{span[1]}`"]
        start = span.end()
    parts.append(_escape_plain(text[start:]))
    escaped = "".join(parts)
    # Half of an emphasis that another sentence closed would show as stray asterisks.
    if escaped.count("**") % 2:
        escaped = escaped.replace("**", "")
    if escaped.replace("**", "").count("*") % 2:
        escaped = escaped.replace("*", "")
    return escaped


def _escape_plain(text: str) -> str:
    return _unlinked(_ENTITY.sub("&amp;", _INLINE_SPECIAL.sub(r"\\\1", text)))


def safe_url(url: str) -> str:
    """An http(s) address that can stand in a Markdown or HTML link, or an empty string."""
    url = url.encode("utf-8", "replace").decode("utf-8").strip()
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if parts.scheme.lower() not in ("http", "https") or not parts.netloc or "@" in parts.netloc:
        return ""
    return _URL_UNSAFE.sub(lambda m: quote(m[0], safe=""), _HIDDEN.sub("", url))


def host_of(url: str) -> str:
    """The host name of an address, for display; the address itself when it has none."""
    try:
        return urlsplit(url).hostname or visible(url)[:80]
    except ValueError:
        return visible(url)[:80]
