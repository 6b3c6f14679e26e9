"""Mounting the Gradio pages; the one module besides ``ui`` that knows how Gradio is served."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import gradio as gr
from fastapi import FastAPI

from leadline.settings import Settings
from leadline.web.commands import Commands
from leadline.web.live import LiveRuns
from leadline.web.texts import Texts
from leadline.web.theme import build_theme
from leadline.web.ui import build_page


def mount_pages(
    app: FastAPI,
    settings: Settings,
    commands: Commands,
    live: LiveRuns,
    languages: Iterable[Texts],
) -> None:
    """Mount one page for each language; the one at ``/`` must come last."""

    def mount() -> None:
        for texts in languages:
            _mount(app, build_page(settings, commands, live, texts), texts)

    async def mount_in_loop() -> None:
        mount()

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        # With no loop running, Gradio would make one for each of its locks and never close it.
        asyncio.run(mount_in_loop())
    else:
        mount()


def _mount(app: FastAPI, page: gr.Blocks, texts: Texts) -> None:
    gr.mount_gradio_app(
        app,
        page,
        path=texts.root.rstrip("/") or "/",
        theme=build_theme(),
        footer_links=[],
        run_history=False,
        show_error=False,
        ssr_mode=False,
        enable_monitoring=False,
        pwa=False,
        mcp_server=False,
        max_file_size="1mb",
    )
