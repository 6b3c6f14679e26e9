"""Doubles for a worker's edges: a search, a reader and a browser that exist in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from browser_use import BrowserSession
from browser_use.browser.views import BrowserStateSummary
from browser_use.dom.views import SerializedDOMState
from browser_use.llm.base import BaseChatModel
from browser_use.llm.views import ChatInvokeCompletion

from leadline.browsing.state import Shown, WorkerState
from leadline.domain.evidence import PageContent, Passage, Snapshot
from leadline.domain.limits import Limits
from leadline.domain.text import split_sentences
from leadline.errors import PageBlocked, PageUnreadable
from leadline.sources.base import RenderedPage, SearchHit
from tests.doubles import MemoryRun


class FakeRouter:
    """Answers every query with the hits given, or raises the error given."""

    def __init__(self, hits: list[SearchHit] | None = None, error: Exception | None = None) -> None:
        self.hits = hits or []
        self.error = error
        self.queries: list[str] = []

    async def search(
        self, query: str, limit: int, *, open_page: Any, task: str = ""
    ) -> list[SearchHit]:
        self.queries.append(query)
        if self.error:
            raise self.error
        return self.hits[:limit]


class FakeReader:
    """Stores the texts given by address in a :class:`MemoryRun`; an exception as text is raised."""

    def __init__(self, run: MemoryRun, pages: dict[str, str | Exception]) -> None:
        self.run = run
        self.pages = pages
        self.read_urls: list[str] = []
        self.at_once = 0
        self.peak = 0

    async def read(self, url: str, lease: Any, *, task: str) -> Snapshot:
        self.read_urls.append(url)
        self.at_once += 1
        self.peak = max(self.peak, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        text = self.pages.get(url, PageUnreadable("It does not answer."))
        if isinstance(text, Exception):
            raise text
        return self.store(url, text, task)

    async def read_current(self, lease: Any, *, task: str) -> Snapshot:
        return await self.read(lease.current, lease, task=task)

    def store(self, url: str, text: str, task: str = "t1") -> Snapshot:
        passages = tuple(
            Passage(number=n, text=sentence)
            for n, sentence in enumerate(split_sentences(text), start=1)
        )
        source = self.run.add(PageContent(url, passages, title=f"Page {url}"), task=task)
        return self.run.snapshots[source.id]


class BlankSession(BrowserSession):
    """A session of browser-use whose one tab stays blank: no browser is behind it."""

    async def get_browser_state_summary(self, *args: Any, **kwargs: Any) -> BrowserStateSummary:
        return BrowserStateSummary(
            dom_state=SerializedDOMState(_root=None, selector_map={}),
            url="about:blank",
            title="",
            tabs=[],
        )

    async def get_current_page_url(self) -> str:
        return "about:blank"

    @property
    def cdp_client(self) -> Any:
        return None


class PageSession(BlankSession):
    """The same with a page in its tab, and a picture of it when one is asked for."""

    async def get_browser_state_summary(self, *args: Any, **kwargs: Any) -> BrowserStateSummary:
        summary = await super().get_browser_state_summary()
        summary.url, summary.title = "https://a.example/", "A page"
        summary.screenshot = "iVBORw0KGgo=" if kwargs.get("include_screenshot") else None
        return summary


class FakeLease:
    def __init__(self) -> None:
        self.session: Any = BlankSession(cdp_url="ws://127.0.0.1:9/", keep_alive=True)
        self.current = "about:blank"

    async def open_page(self, url: str) -> RenderedPage:
        return RenderedPage(url, 200, "<p>x</p>")

    async def screenshot_jpeg(self) -> bytes | None:
        return b"jpeg"


class FakePool:
    """Hands out one lease to everyone."""

    def __init__(self, lease: Any, *, error: Exception | None = None) -> None:
        self.the_lease = lease
        self.error = error
        self.returned = 0

    @asynccontextmanager
    async def lease(self, task: str) -> AsyncIterator[Any]:
        if self.error:
            raise self.error
        try:
            yield self.the_lease
        finally:
            self.returned += 1


Script = Callable[[int, list[Any]], Any]


class ScriptedChat(BaseChatModel):
    """Answers call ``n`` with what ``script(n, messages)`` gives: actions, or an exception."""

    _verified_api_keys = True

    def __init__(self, script: Script) -> None:
        self.model = "scripted"
        self.script = script
        self.prompts: list[list[Any]] = []

    @property
    def provider(self) -> str:
        return "scripted"

    @property
    def name(self) -> str:
        return "scripted"

    @property
    def model_name(self) -> str:
        return self.model

    async def ainvoke(self, messages: Any, output_format: Any = None, **kwargs: Any) -> Any:
        self.prompts.append(list(messages))
        answer = self.script(len(self.prompts), messages)
        if asyncio.iscoroutine(answer):
            answer = await answer
        if isinstance(answer, Exception):
            raise answer
        value = answer if isinstance(answer, dict) else {"memory": "", "action": answer}
        return ChatInvokeCompletion(completion=output_format.model_validate(value), usage=None)


def prompt_text(messages: list[Any]) -> str:
    return "\n".join(message.text for message in messages)


def new_state(**changes: Any) -> WorkerState:
    values: dict[str, Any] = {
        "task_id": "t1",
        "task": "How many passengers does the Solund ferry carry?",
        "query": "Solund ferry passengers",
        "limits": Limits(),
    }
    return WorkerState(**{**values, **changes})


def hit(number: int, host: str = "", **more: Any) -> SearchHit:
    return SearchHit(
        title=f"Page {number}", url=f"https://{host or f'site{number}.example'}/p{number}", **more
    )


def show(state: WorkerState, snapshot: Snapshot) -> None:
    state.add_source(snapshot.source.url, Shown(snapshot, snapshot.passages))


def blocked(reason: str = "captcha") -> PageBlocked:
    return PageBlocked("The page is a wall.", reason=reason)
