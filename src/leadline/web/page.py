"""Gradio's index page, made ours: a script nonce, our style sheet and script, the language.

Invariant: the page that leaves here runs no inline script without this response's nonce, and
names no other host. Only ``/`` and ``/zh/`` are touched; everything else passes unread.
"""

from __future__ import annotations

import re
import secrets

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leadline.web.security import PAGE_POLICY
from leadline.web.texts import Language

PAGES = {"/": "en", "/zh/": "zh-Hans"}

LANGUAGE_COOKIE = "leadline_language"

_META = re.compile(r"<meta\s+(?:property=\"og:|name=\"twitter:)[^>]*>", re.IGNORECASE)
_SCRIPT = re.compile(r"<script(?=[\s>])", re.IGNORECASE)


def language_of(request: Request) -> Language:
    """The language that was chosen on the page, or else the browser's own."""
    chosen = request.cookies.get(LANGUAGE_COOKIE, "")
    if chosen in {"en", "zh"}:
        return "zh" if chosen == "zh" else "en"
    preferred = request.headers.get("accept-language", "").lower()
    return "zh" if preferred.startswith("zh") else "en"


def rewrite(html: str, *, nonce: str, language: str, version: str) -> str:
    """Gradio's page with the nonce on each script, our assets and the language in it."""
    html = _META.sub("", html)
    html = html.replace('lang="en"', f'lang="{language}"', 1)
    html = _SCRIPT.sub(f'<script nonce="{nonce}"', html)
    ours = (
        f'<link rel="stylesheet" href="/ui/leadline.css?v={version}">'
        f'<link rel="stylesheet" href="/ui/claims.css?v={version}">'
        '<link rel="icon" type="image/svg+xml" href="/ui/icon.svg">'
        f'<script nonce="{nonce}" defer src="/ui/leadline.js?v={version}"></script>'
        f'<script nonce="{nonce}" defer src="/ui/claims.js?v={version}"></script>'
    )
    return html.replace("</head>", ours + "</head>", 1)


class LanguageChoice:
    """The middleware that sends a visitor of ``/`` who reads Chinese to the Chinese page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Redirect, or pass on what needs no choice."""
        if scope["type"] == "http" and scope["path"] in {"/", "/zh"} and scope["method"] == "GET":
            request = Request(scope)
            if scope["path"] == "/zh" or language_of(request) == "zh":
                query = f"?{request.url.query}" if request.url.query else ""
                response = RedirectResponse(f"/zh/{query}", status_code=303)
                await response(scope, receive, send)
                return
        await self.app(scope, receive, send)


class PageRewriter:
    """The middleware that applies :func:`rewrite` to the two Gradio pages."""

    def __init__(self, app: ASGIApp, *, version: str) -> None:
        self.app = app
        self.version = version

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Buffer and rewrite the HTML of the pages; pass all else through."""
        if scope["type"] != "http" or scope["path"] not in PAGES:
            await self.app(scope, receive, send)
            return
        start: Message | None = None
        body = bytearray()

        async def collect(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            if message["type"] != "http.response.body" or start is None:
                return
            body.extend(message.get("body", b""))
            if not message.get("more_body", False):
                await self._finish(scope, start, bytes(body), send)

        await self.app(scope, receive, collect)

    async def _finish(self, scope: Scope, start: Message, body: bytes, send: Send) -> None:
        headers = MutableHeaders(scope=start)
        if headers.get("content-type", "").startswith("text/html"):
            nonce = secrets.token_urlsafe(16)
            headers["content-security-policy"] = PAGE_POLICY.format(nonce=nonce)
            headers["cache-control"] = "no-store"
            if scope["method"] == "GET":
                html = rewrite(
                    body.decode("utf-8"),
                    nonce=nonce,
                    language=PAGES[scope["path"]],
                    version=self.version,
                )
                body = html.encode("utf-8")
                headers["content-length"] = str(len(body))
        await send(start)
        await send({"type": "http.response.body", "body": body, "more_body": False})
