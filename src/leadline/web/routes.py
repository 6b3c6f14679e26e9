"""The run's own files, by id. Invariant: a file is found through ``RunFolder`` alone, is sent as a
download, and what a page said is shown only as text under a policy that runs nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from importlib import resources
from typing import IO, Annotated

from fastapi import APIRouter, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import (
    HTMLResponse,
    JSONResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.exceptions import HTTPException

from leadline.domain.text import detect_language
from leadline.errors import InvalidTaskId, LeadlineError, RunFolderDamaged, UnknownRun, UserError
from leadline.reports.bundle import write_bundle
from leadline.reports.portable import portable_markdown
from leadline.reports.render import source_html, standalone_html
from leadline.runs.folder import RunFolder
from leadline.web.claim_rows import resting_on
from leadline.web.live import LiveRuns
from leadline.web.page import LANGUAGE_COOKIE, language_of
from leadline.web.run_sentences import in_words
from leadline.web.security import STRICT_POLICY, error_response
from leadline.web.texts import Language, Texts
from leadline.web.views.html import esc

_ASSETS = {
    "leadline.css": "text/css; charset=utf-8",
    "claims.css": "text/css; charset=utf-8",
    "leadline.js": "text/javascript; charset=utf-8",
    "claims.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_PIECE = 2**16
"""Bytes of a file that are sent at a time."""
_LANGUAGE_PAGES = {"en": "/", "zh": "/zh/"}


def asset(name: str) -> bytes:
    """The content of one of the page's own files."""
    return resources.files("leadline.web").joinpath("static", name).read_bytes()


def assets_version() -> str:
    """Changes when any of the page's own files does."""
    return hashlib.sha256(b"".join(asset(name) for name in _ASSETS)).hexdigest()[:12]


def _download(content: bytes | str, name: str, kind: str) -> Response:
    return Response(
        content,
        media_type=f"{kind}; charset=utf-8",
        headers={
            "content-disposition": f'attachment; filename="{name}"',
            "cache-control": "no-store",
        },
    )


def _file(folder: RunFolder, name: str) -> bytes:
    try:
        return folder.file(name).read_bytes()
    except FileNotFoundError:
        raise HTTPException(404, "This run has no such file yet.") from None
    except OSError as error:
        raise RunFolderDamaged(
            f"{name} of this run cannot be read ({error.strerror}); put back a good copy."
        ) from error


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(_PIECE):
            yield piece


def _language(asked: str, request: Request) -> Language:
    if asked in {"en", "zh"}:
        return "zh" if asked == "zh" else "en"
    return language_of(request)


def run_routes(live: LiveRuns) -> APIRouter:
    """Everything below ``/runs/{task_id}``."""
    router = APIRouter(prefix="/runs/{task_id}")

    @router.get("/report.md")
    def report_markdown(task_id: str) -> Response:
        folder = live.folder(task_id)
        text = _file(folder, "report.md").decode("utf-8", "replace")
        content = portable_markdown(text, folder.snapshot, language=detect_language(text))
        return _download(content, f"{task_id}.md", "text/markdown")

    @router.get("/report.html")
    def report_page(task_id: str) -> Response:
        folder = live.folder(task_id)
        text = _file(folder, "report.md").decode("utf-8", "replace")
        page = standalone_html(
            text,
            folder.snapshot,
            title=folder.record().topic,
            language=detect_language(text) or "en",
        )
        return _download(page, f"{task_id}.html", "text/html")

    @router.get("/plan.md")
    def plan(task_id: str) -> Response:
        content = _file(live.folder(task_id), "research_plan.md")
        return _download(content, f"{task_id}-plan.md", "text/markdown")

    @router.get("/evidence.json")
    def evidence(task_id: str) -> Response:
        content = JSONResponse(live.folder(task_id).evidence()).body
        return _download(bytes(content), f"{task_id}-evidence.json", "application/json")

    @router.get("/bundle.zip")
    def bundle(task_id: str) -> Response:
        # A plain function: it runs in a thread, so that packing keeps nobody waiting.
        folder = live.folder(task_id)
        with contextlib.ExitStack() as stack:
            packed = stack.enter_context(tempfile.TemporaryFile())
            write_bundle(folder, packed)
            size = packed.seek(0, os.SEEK_END)
            packed.seek(0)
            stack.pop_all()  # from here on what sends it closes it
        return StreamingResponse(
            _pieces(packed),
            media_type="application/zip",
            headers={
                "content-disposition": f'attachment; filename="{task_id}.zip"',
                "content-length": str(size),
                "cache-control": "no-store",
            },
        )

    @router.get("/audit.jsonl")
    def log(task_id: str) -> Response:
        content = _file(live.folder(task_id), "audit.jsonl")
        return _download(content, f"{task_id}-log.jsonl", "application/x-ndjson")

    @router.get("/sources/{number}")
    def source(
        request: Request,
        task_id: str,
        number: int,
        p: Annotated[str, Query(max_length=200)] = "",
        lang: Annotated[str, Query(max_length=20)] = "",
    ) -> HTMLResponse:
        folder = live.folder(task_id)
        snapshot = folder.snapshot(number)
        if snapshot is None:
            raise HTTPException(404, "This run has no such source.")
        wanted = [int(part) for part in p.split(",") if part.isdecimal() and len(part) < 7]
        language = _language(lang, request)
        claims = resting_on(folder.view(), number, Texts(language))
        return HTMLResponse(
            source_html(snapshot, wanted, language=language, claims=claims),
            headers={"content-security-policy": STRICT_POLICY.format(ancestors="'self'")},
        )

    @router.get("/screens/{worker}.jpg")
    def screen(task_id: str, worker: str) -> Response:
        content = _file(live.folder(task_id), f"screens/{worker}.jpg")
        return Response(
            content, media_type="image/jpeg", headers={"cache-control": "private, max-age=60"}
        )

    @router.get("/{rest:path}")
    def nothing(rest: str) -> Response:
        raise HTTPException(404, "There is nothing at this address.")

    return router


def page_routes(version: str) -> APIRouter:
    """The page's own assets, the language switch, and whether the server is well."""
    router = APIRouter()

    @router.get("/healthz")
    def health() -> dict[str, str]:
        return {"status": "ok"}

    @router.get("/ui/{name}")
    def page_asset(name: str) -> Response:
        if name not in _ASSETS:
            raise HTTPException(404, "There is nothing at this address.")
        return Response(
            asset(name),
            media_type=_ASSETS[name],
            headers={"cache-control": "private, max-age=3600"},
        )

    @router.get("/language/{language}")
    def language(language: str, request: Request) -> Response:
        page = _LANGUAGE_PAGES.get(language)
        if page is None:
            raise HTTPException(404, "There is nothing at this address.")
        run = request.query_params.get("run", "")
        ours = all(c.isascii() and (c.isalnum() or c == "-") for c in run)
        response = RedirectResponse(page + (f"?run={run}" if run and ours else ""), status_code=303)
        response.set_cookie(
            LANGUAGE_COOKIE, language, httponly=True, samesite="strict", max_age=365 * 24 * 3600
        )
        return response

    return router


_CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large"}


def install_errors(app: FastAPI) -> None:
    """Give every error of our own routes the one JSON shape, or a sentence for a browser's tab."""

    async def on_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        code = _CODES.get(error.status_code, "refused")
        detail = (
            error.detail if error.detail != "Not Found" else "There is nothing at this address."
        )
        return _said(request, error.status_code, code, str(detail))

    async def on_invalid(request: Request, __: Exception) -> Response:
        message = "The address or its parameters are malformed."
        return _said(request, 400, "bad_request", message)

    async def on_ours(request: Request, error: Exception) -> Response:
        return _said(request, *_status_of(error), str(error))

    handlers: tuple[tuple[type[Exception], Callable[..., Awaitable[Response]]], ...] = (
        (HTTPException, on_http),
        (RequestValidationError, on_invalid),
        (LeadlineError, on_ours),
    )
    for kind, handler in handlers:
        app.add_exception_handler(kind, handler)


def _said(request: Request, status: int, code: str, message: str) -> Response:
    """An error as JSON, or as a page where a person reads it: in a tab or the passage panel.

    It is said in the language of the page that asked.
    """
    texts = Texts(_language(request.query_params.get("lang", ""), request))
    message = in_words(message, texts)
    if "text/html" not in request.headers.get("accept", ""):
        return error_response(status, code, message)
    page = (
        "<!doctype html><meta charset=utf-8><title>Leadline</title>"
        "<style>:root{color-scheme:light dark}</style>"
        f"<p style='font:16px system-ui;margin:3em auto;padding:0 1em;max-width:30em' role=alert>"
        f"{esc(message)}</p>"
    )
    policy = STRICT_POLICY.format(ancestors="'self'")
    return HTMLResponse(page, status_code=status, headers={"content-security-policy": policy})


def _status_of(error: Exception) -> tuple[int, str]:
    match error:
        case UnknownRun():
            return 404, "unknown_run"
        case InvalidTaskId():
            return 400, "bad_id"
        case RunFolderDamaged():
            return 500, "run_damaged"
        case UserError():
            return 400, "bad_request"
        case _:
            return 500, "failed"
