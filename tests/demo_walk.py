"""Research on the demo web in memory: the real plan, tools and policy, and no browser.

Pages go the way they go in a run: their HTML, its main text, its passages. What Chromium would add
(a script that draws a table, a button that shows more, a cookie wall that opens) is played here.
Tasks run one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from lxml import html as lxml_html

from leadline.browsing.card import WorkerCard
from leadline.browsing.extract import extract_page
from leadline.browsing.offline_policy import OfflinePolicy
from leadline.browsing.passages import split_passages
from leadline.browsing.state import CurrentPage, Element, WorkerState
from leadline.browsing.tool_params import (
    DoneParams,
    NoParams,
    ReadParams,
    RecordParams,
    SearchParams,
)
from leadline.browsing.tools import ResearchTools
from leadline.demo.content import DemoContent, DemoPage, load_content
from leadline.demo.index import DemoIndex
from leadline.demo.render import FIRST_POSTS, Renderer
from leadline.domain.evidence import Finding, PageContent, Passage, Snapshot
from leadline.domain.limits import Limits
from leadline.domain.plan import Plan, Task
from leadline.domain.text import detect_language
from leadline.engine.digest import digest
from leadline.engine.task_runner import DIGEST_TOKENS
from leadline.errors import PageBlocked, PageUnreadable
from leadline.models.offline_plan import offline_plan
from leadline.sources.base import SearchHit
from tests.doubles import MemoryRun

PORT = 7789
TODAY = date(2026, 3, 1)
_WALLS = {"CONSENT": "cookie_wall", "LOGIN": "login", "FORBIDDEN": "forbidden", "GONE": "not_found"}


@dataclass
class Worked:
    """One worker and how it ended."""

    task: Task
    state: WorkerState
    steps: int
    actions: list[str]

    @property
    def read_addresses(self) -> set[str]:
        """The pages read, each once however often it was clicked."""
        return {url.partition("#")[0] for url in self.state.opened}


@dataclass
class Walk:
    """A run and what it found."""

    plan: Plan
    run: MemoryRun
    subject: str = ""
    workers: list[Worked] = field(default_factory=list)

    @property
    def findings(self) -> list[Finding]:
        """Everything recorded."""
        return self.run.findings

    def key(self, finding: Finding) -> str:
        """``site/slug`` of the page that a finding stands on."""
        parts = urlsplit(self.run.snapshots[finding.passages[0].source].source.url)
        site = (parts.hostname or "").removesuffix(".localhost")
        return f"{site}{parts.path.removesuffix('.pdf')}"

    @property
    def said(self) -> list[str]:
        """The claims, in their order."""
        return [finding.claim for finding in self.findings]


async def walk(topic: str, limits: Limits | None = None, *, subject: str = "") -> Walk:
    """Plan a topic and work on each task of the plan."""
    limits = limits or Limits()
    plan = offline_plan(topic, limits, language="", today=TODAY)
    web = DemoWalker()
    done = Walk(plan.numbered(), web.run, subject)
    for task in done.plan.tasks():
        background = digest(web.run.findings, max_tokens=DIGEST_TOKENS)
        for query in (task.queries or (task.text,))[: limits.queries_per_task]:
            state = WorkerState(
                task_id=task.id,
                task=task.text,
                query=query,
                limits=limits,
                topic=topic,
                language=detect_language(topic),
                background=background,
            )
            done.workers.append(await web.work(task, state))
    return done


class DemoWalker:
    """Search, reader and the tab in front, on the pages of the demo web."""

    def __init__(self) -> None:
        self.run = MemoryRun()
        self._content: DemoContent = load_content()
        self._renderer = Renderer(self._content, PORT)
        self._index = DemoIndex(self._content, self._renderer)
        self._pages = {
            self._renderer.address(page.site.id, page.path): page
            for page in self._content.pages.values()
        }
        self._front = ""
        self._posts = FIRST_POSTS
        self._consented: set[str] = set()

    async def work(self, task: Task, state: WorkerState) -> Worked:
        """One worker, from its first search to its end."""
        self._front, self._consented = "", set()
        card = WorkerCard(self.run, worker="w", task_id=task.id, query=state.query)
        tools = ResearchTools(state, router=self, reader=self, lease=self, book=self.run, card=card)  # type: ignore[arg-type]  # plays the edges
        policy = OfflinePolicy(state, recorded=lambda: [f.claim for f in self.run.findings])
        await tools.search(SearchParams(query=state.query))
        worked = Worked(task, state, 0, [])
        for step in range(1, state.limits.steps_per_worker + 1):
            state.step, state.last_step = step, step == state.limits.steps_per_worker
            state.look_at(self._current())
            _, actions = policy.decide()
            worked.steps = step
            await self._act(tools, actions, worked.actions)
            if state.finished:
                break
        return worked

    async def _act(
        self, tools: ResearchTools, actions: list[dict[str, Any]], names: list[str]
    ) -> None:
        refused = False
        for action in actions:
            (name, given), *_ = action.items()
            names.append(name)
            if name == "navigate":
                self._front, self._posts = given["url"], FIRST_POSTS
                return
            if name == "click":
                if self._click(given["index"]):
                    return
            elif name == "search":
                await tools.search(SearchParams(**given))
            elif name == "read":
                await tools.read(ReadParams(**given))
            elif name == "read_page":
                await tools.read_page(NoParams())
            elif name == "record_findings":
                result = await tools.record_findings(RecordParams(**given))
                refused = bool((result.metadata or {}).get("refused"))
            elif name == "done" and not refused:
                await tools.done(DoneParams(**given))

    async def search(
        self, query: str, limit: int, *, open_page: Any, task: str = ""
    ) -> list[SearchHit]:
        """The demo web's own search."""
        rows = self._index.search(query)[:limit]
        return [SearchHit(r.title, r.url, r.snippet, r.date) for r in rows]

    async def open_page(self, url: str) -> Any:
        """Not needed: the search is asked directly."""
        raise NotImplementedError

    async def read(self, url: str, lease: Any, *, task: str) -> Snapshot:
        """A page in a tab of its own."""
        known = self.run.by_url(url)
        return known or self._store(self._page(url), url, task, FIRST_POSTS)

    async def read_current(self, lease: Any, *, task: str) -> Snapshot:
        """The tab in front, a source of its own where it shows more than before."""
        url, known = self._front, self.run.by_url(self._front)
        if known and self._posts > FIRST_POSTS:
            url = f"{url}#:~:state={self._posts}"
        return self.run.by_url(url) or self._store(self._page(self._front), url, task, self._posts)

    def _page(self, url: str) -> DemoPage:
        page = self._pages.get(url)
        if page is None:
            raise PageUnreadable("There is no such page.")
        reason = _WALLS.get(page.kind.name)
        if reason and not (reason == "cookie_wall" and page.site.id in self._consented):
            raise PageBlocked("A wall.", reason=reason)
        return page

    def _store(self, page: DemoPage, url: str, task: str, posts: int) -> Snapshot:
        found = extract_page(self._html(page, posts), url=url)
        passages: list[Passage] = []
        if page.kind.name == "PDF":
            for number, text in enumerate(page.body.split("\n---\n"), start=1):
                plain = "\n".join(line.lstrip("#* ") for line in text.splitlines())
                passages += split_passages(plain, first=len(passages) + 1, page=number)[0]
        else:
            passages = split_passages(found.text)[0]
        content = PageContent(
            url,
            tuple(passages),
            title=found.title or page.title,
            date=page.date,
            language=found.language,
        )
        source = self.run.add(content, task=task)
        return self.run.snapshots[source.id]

    def _html(self, page: DemoPage, posts: int) -> str:
        source = self._renderer.page(page, consented=page.site.id in self._consented)
        data = page.data
        if "rows" in data:
            head = "".join(f"<th>{column}</th>" for column in data["columns"])
            rows = "".join(
                "<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>"
                for row in data["rows"]
            )
            board = "".join(f"<p>{line}</p>" for line in data["intro"])
            board += f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
            source = source.replace('<div id="board" aria-live="polite">', f"<div>{board}")
        more = "".join(
            f'<section class="post"><h2>{post["by"]}, {post["date"]}</h2><p>{post["text"]}</p>'
            "</section>"
            for post in data.get("posts", [])[FIRST_POSTS:posts]
        )
        if posts >= len(data.get("posts", [])):
            source = source.replace('<button id="more"', "<button hidden")
        return source.replace("</div>\n<p><button", f"{more}</div>\n<p><button")

    def _current(self) -> CurrentPage:
        page = self._pages.get(self._front)
        if page is None or page.kind.name == "PDF":
            return CurrentPage(self._front or "about:blank", "")
        tree = lxml_html.fromstring(self._html(page, self._posts))
        elements = [
            Element(number, e.tag, " ".join(e.text_content().split()), e.get("href") or "")
            for number, e in enumerate(tree.xpath("//a[@href] | //button[not(@hidden)]"), start=1)
        ]
        return CurrentPage(self._front, page.title, elements=tuple(elements))

    def _click(self, index: int) -> bool:
        """Whether the click led to another page."""
        element = next(e for e in self._current().elements if e.index == index)
        page = self._pages[self._front]
        if element.kind == "a":
            self._front = element.href
            return True
        if page.kind.name == "CONSENT":
            self._consented.add(page.site.id)
            return True
        self._posts += FIRST_POSTS
        return False
