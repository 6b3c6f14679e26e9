"""The server's one application: our routes first, Gradio mounted last, the guard around both."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncIterator

from fastapi import FastAPI

from leadline.errors import LeadlineError
from leadline.runs.store import RunStore
from leadline.runs.supervisor import Supervisor
from leadline.settings import Settings
from leadline.web.commands import Commands
from leadline.web.live import LiveRuns
from leadline.web.page import LanguageChoice, PageRewriter
from leadline.web.routes import assets_version, install_errors, page_routes, run_routes
from leadline.web.security import Access, Guard, allowed_names, is_loopback
from leadline.web.texts import Texts

log = logging.getLogger("leadline.web")

POLL_SECONDS = 1.0
STOP_SECONDS = 11.0

QUIET = {
    "GRADIO_ANALYTICS_ENABLED": "False",
    "GRADIO_RUN_HISTORY": "False",
    "GRADIO_MCP_SERVER": "False",
    "GRADIO_SHARE": "False",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
}
"""What keeps Gradio from calling home; read when it is imported."""


def create_app(
    settings: Settings,
    store: RunStore,
    supervisor: Supervisor,
    *,
    access: Access | None = None,
) -> FastAPI:
    """The whole web application.

    ``access`` is given by a server that printed a one-time link; by default the settings' token
    decides.
    """
    os.environ.update(QUIET)
    from leadline.web.mount import mount_pages  # imports Gradio, which reads the environment

    token = settings.token.get_secret_value() if settings.token else ""
    access = access or Access(token=token)
    live = LiveRuns(store)
    version = assets_version()

    app = FastAPI(
        title="Leadline",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=lambda _: _supervised(supervisor),
    )
    install_errors(app)
    app.include_router(page_routes(version))
    app.include_router(run_routes(live))
    commands = Commands(settings, store, supervisor, live)
    mount_pages(app, settings, commands, live, (Texts("zh"), Texts("en")))
    app.add_middleware(PageRewriter, version=version)
    app.add_middleware(LanguageChoice)
    extra = () if is_loopback(settings.host) else (settings.host,)
    app.add_middleware(Guard, names=allowed_names((*settings.allowed_hosts, *extra)), access=access)
    return app


@contextlib.asynccontextmanager
async def _supervised(supervisor: Supervisor) -> AsyncIterator[None]:
    """Look after the runs while the server is up, and end them in order when it goes."""
    over = asyncio.Event()

    async def poll() -> None:
        while not over.is_set():
            try:
                await asyncio.to_thread(supervisor.poll)
            except (LeadlineError, OSError):
                log.exception("looking after the runs failed; it is tried again")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), POLL_SECONDS)

    task = asyncio.create_task(poll())
    try:
        yield
    finally:
        over.set()
        await task
        await asyncio.to_thread(supervisor.stop_all, STOP_SECONDS)
