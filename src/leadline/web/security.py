"""Who may talk to the server: one ASGI middleware around every route, Gradio's included.

Invariant: a request reaches a route only with a Host of the allow-list, without a foreign or
``null`` Origin, not as a hidden cross-site subresource, with the token if one is set, with a
bounded body, and only at a path of the list of what is served. What a response says about other
origins (CORS) is removed, whoever wrote it.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import secrets
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "leadline_session"
TOKEN_BITS = 128
_LOCAL_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})
_HOST = re.compile(r"(\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?)(:\d{1,5})?")
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

MAX_BODY_BYTES = 8_000_000
"""More than the longest question and the longest plan together, however they are written."""
BODY_SECONDS = 30.0
"""How long a request may take to send its body."""

# All that can be reached. Of Gradio the pages use these; the rest (uploads, file serving, its
# proxy, its run history, monitoring, recordings, code editing, its documents) is shut.
_OPEN = re.compile(
    r"/(?:zh/)?(?:config/?|theme\.css|manifest\.json|(?:static|assets)/.+)?"
    r"|/zh|/(?:robots\.txt|favicon\.ico)"
    r"|/(?:zh/)?gradio_api/(?:run/predict|queue/(?:join|data)|heartbeat/[a-z0-9]+|reset|cancel"
    r"|startup-events|app_id|theme\.css)/?"
    r"|/(?:healthz|ui/[a-z.]+|language/[a-z]+|runs/[^/]+/.+)",
    re.DOTALL,
)

STRICT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors {ancestors}"
)
"""For our own documents: no script at all, no request to anywhere else."""

PAGE_POLICY = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; manifest-src 'self'; worker-src 'self' blob:; "
    "media-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; "
    "frame-ancestors 'none'"
)
"""For the Gradio page. Gradio compiles its templates, hence ``unsafe-eval``; inline scripts need
the nonce, so neither ``<script>`` nor ``onerror=`` in text from the web would run."""

_ALWAYS = (
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), microphone=(), geolocation=()"),
)
_CORS = (
    "access-control-allow-origin",
    "access-control-allow-credentials",
    "access-control-allow-methods",
    "access-control-allow-headers",
    "access-control-expose-headers",
    "access-control-max-age",
)


def error_response(status: int, code: str, message: str) -> JSONResponse:
    """The one shape of an error: ``{"error": {"code", "message"}}``."""
    return JSONResponse({"error": {"code": code, "message": message}}, status_code=status)


def split_host(value: str) -> tuple[str, str] | None:
    """Name and port (may be empty) of a ``Host`` header, in lower case; None when it is odd."""
    match = _HOST.fullmatch(value.lower())
    if not match or ".." in match[1]:
        return None
    port = (match[2] or "")[1:]
    if port and not 0 < int(port) < 65536:
        return None
    return match[1], port


def allowed_names(extra: Iterable[str]) -> frozenset[str]:
    """The names a ``Host`` may have: this machine's own, and those of the settings."""
    names = set(_LOCAL_NAMES)
    for entry in extra:
        text = entry.strip().lower()
        if text.count(":") > 1 and not text.startswith("["):
            text = f"[{text}]"
        parts = split_host(text)
        if parts:
            names.add(parts[0])
    return frozenset(names)


def is_loopback(host: str) -> bool:
    """Whether a bind address is reachable from this machine alone."""
    return host in {"127.0.0.1", "localhost", "::1", "[::1]"}


def is_strong_token(token: str) -> bool:
    """Whether a token can hold 128 bits, judged by its length and its alphabet."""
    hexadecimal = all(c in "0123456789abcdefABCDEF-" for c in token)
    return len(set(token)) >= 8 and len(token) * (4.0 if hexadecimal else 5.9) >= TOKEN_BITS


@dataclass
class Access:
    """The token of the server, and the one-time codes of the links that were printed.

    Without a token everyone who reaches the (loopback) port is let in.
    """

    token: str = ""
    _codes: set[str] = field(default_factory=set)

    def new_link_code(self) -> str:
        """A code that signs in one browser, once."""
        code = secrets.token_urlsafe(32)
        self._codes.add(code)
        return code

    def redeem(self, value: str) -> bool:
        """Whether ``?token=value`` signs in; a one-time code is used up by it."""
        if not value:
            return False
        for code in tuple(self._codes):
            if _same(code, value):
                self._codes.discard(code)
                return True
        return bool(self.token) and _same(self.token, value)

    def cookie_value(self) -> str:
        """What the session cookie holds: derived from the token, never the token itself."""
        return hmac.new(self.token.encode(), b"leadline session", hashlib.sha256).hexdigest()

    def admits(self, headers: Headers) -> bool:
        """Whether a request carries the token, as a bearer or by its cookie."""
        if not self.token:
            return True
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and _same(self.token, bearer.strip()):
            return True
        return _same(self.cookie_value(), _cookie(headers))


def _same(expected: str, given: str) -> bool:
    return hmac.compare_digest(expected.encode(), given.encode("utf-8", "replace"))


def _cookie(headers: Headers) -> str:
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return morsel.value if morsel else ""


@dataclass(frozen=True)
class Refusal:
    """Why a request goes no further."""

    status: int
    code: str
    message: str


TOO_LARGE = Refusal(413, "too_large", "What was sent is too long.")


def check_host(headers: Headers, names: frozenset[str]) -> Refusal | None:
    """Refuse a missing, doubled, odd or unknown Host (DNS rebinding ends here)."""
    values = headers.getlist("host")
    parts = split_host(values[0]) if len(values) == 1 else None
    if parts is None:
        return Refusal(400, "bad_host", "The Host header of the request is missing or malformed.")
    if parts[0] not in names:
        return Refusal(
            403,
            "host_not_allowed",
            "This address is not on the list of allowed hosts; add it to LEADLINE_ALLOWED_HOSTS.",
        )
    return None


def check_origin(method: str, headers: Headers, *, websocket: bool = False) -> Refusal | None:
    """Refuse what a page of another origin sends, loads or embeds.

    A plain link from elsewhere (a navigation of the whole tab) is let in.
    """
    refusal = Refusal(403, "foreign_origin", "A page of another origin may not use Leadline.")
    origins = headers.getlist("origin")
    if len(origins) > 1:
        return refusal
    if origins:
        scheme, separator, rest = origins[0].lower().partition("://")
        if scheme not in {"http", "https"} or not separator:
            return refusal
        if rest != headers.get("host", "").lower():
            return refusal
    site = headers.get("sec-fetch-site", "")
    if site in {"", "same-origin", "none"}:
        return None
    is_visit = (
        method in {"GET", "HEAD"}
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest", "document") == "document"
    )
    return None if is_visit and not websocket else refusal


class Guard:
    """The middleware. ``names`` are the allowed hosts, ``access`` holds the token."""

    def __init__(self, app: ASGIApp, *, names: frozenset[str], access: Access) -> None:
        self.app = app
        self.names = names
        self.access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the request, then pass it on with a ``send`` that sets the headers."""
        if scope["type"] not in {"http", "websocket"}:
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is None and not self.access.admits(headers):
            link = self._sign_in(scope)
            if link is not None:
                await link(scope, receive, _with_headers(send))
                return
            refusal = Refusal(401, "token_needed", "This server needs its token.")
        if refusal is None and not _OPEN.fullmatch(scope["path"]):
            refusal = Refusal(404, "not_found", "There is nothing at this address.")
        if refusal is None and _announced_bytes(headers) > MAX_BODY_BYTES:
            refusal = TOO_LARGE
        if refusal is None:
            await self._pass_on(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": refusal.code})
        else:
            await _answer(refusal, headers)(scope, receive, _with_headers(send))

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" or scope["method"] in _SAFE_METHODS:
            await self.app(scope, receive, _with_headers(send))
            return
        try:
            body = await asyncio.wait_for(_whole_body(receive), BODY_SECONDS)
        except TimeoutError:
            refusal = Refusal(408, "too_slow", "The request took too long to arrive.")
        else:
            if body is not None:
                await self.app(scope, _replayed(body, receive), _with_headers(send))
                return
            refusal = TOO_LARGE
        answer = _answer(refusal, Headers(scope=scope))
        answer.headers["connection"] = "close"  # the rest of the body is not waited for
        await answer(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope, headers: Headers) -> Refusal | None:
        websocket = scope["type"] == "websocket"
        method = "GET" if websocket else scope["method"]
        return check_host(headers, self.names) or check_origin(method, headers, websocket=websocket)

    def _sign_in(self, scope: Scope) -> Response | None:
        """Turn ``/?token=…`` into a cookie and the same address without the token."""
        if scope["type"] != "http" or scope["method"] != "GET":
            return None
        if scope["path"] not in {"/", "/zh/"}:
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = next((value for name, value in query if name == "token"), "")
        if not self.access.redeem(given):
            return None
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        response = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), status_code=303)
        response.set_cookie(
            COOKIE,
            self.access.cookie_value(),
            httponly=True,
            samesite="strict",
            secure=scope.get("scheme") == "https",
            max_age=30 * 24 * 3600,
        )
        response.headers["cache-control"] = "no-store"
        return response


def _announced_bytes(headers: Headers) -> int:
    length = headers.get("content-length", "")
    return int(length) if length.isdecimal() and len(length) < 19 else 0


async def _whole_body(receive: Receive) -> list[Message] | None:
    """The messages of a request's body; None when it is longer than it may be."""
    messages: list[Message] = []
    size = 0
    while True:
        message = await receive()
        messages.append(message)
        size += len(message.get("body", b""))
        if size > MAX_BODY_BYTES:
            return None
        if message["type"] != "http.request" or not message.get("more_body", False):
            return messages


def _replayed(messages: list[Message], receive: Receive) -> Receive:
    """A ``receive`` that gives what was read already, and then what comes."""
    waiting = deque(messages)

    async def replay() -> Message:
        return waiting.popleft() if waiting else await receive()

    return replay


def _answer(refusal: Refusal, headers: Headers) -> Response:
    if refusal.status == 401 and "text/html" in headers.get("accept", ""):
        page = (
            "<!doctype html><meta charset=utf-8><title>Leadline</title>"
            "<p style='font:16px system-ui;margin:15vh auto;max-width:30em'>This Leadline server "
            "needs its token. Open the link that it printed when it started, or add "
            "<code>?token=…</code> with your token to the address.</p>"
        )
        return HTMLResponse(page, status_code=401)
    return error_response(refusal.status, refusal.code, refusal.message)


def _with_headers(send: Send) -> Send:
    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name in _CORS:
                if name in headers:
                    del headers[name]
            for name, value in _ALWAYS:
                headers[name] = value
            if "content-security-policy" not in headers:
                headers["content-security-policy"] = STRICT_POLICY.format(ancestors="'none'")
            if "frame-ancestors 'self'" not in headers["content-security-policy"]:
                headers["x-frame-options"] = "DENY"
        await send(message)

    return wrapped
