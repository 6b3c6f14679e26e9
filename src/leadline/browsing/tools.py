"""The tools of a worker: search, read, record, end, and ordinary browsing.

There is no upload, no file, no script, and no tool that changes a plan, a limit or a setting. Only
what is registered here exists: the list is an allow-list, so a newer browser-use adds nothing.
A tool reports what went wrong as text that the model can act on, and never as an error that would
count against it; only errors that end the worker (``state.fatal``) are kept as errors.
"""

from __future__ import annotations

import asyncio
import functools
import re
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from math import ceil
from typing import Any, TypeVar

from browser_use import Tools
from browser_use.agent.views import ActionResult
from browser_use.tools.registry.views import RegisteredAction
from pydantic import BaseModel

from leadline.browsing import tool_params as p
from leadline.browsing.card import WorkerCard
from leadline.browsing.lease import TABS_AT_ONCE
from leadline.browsing.state import (
    MAX_FINDINGS,
    MAX_SEARCHES,
    Lease,
    Reader,
    Router,
    Shown,
    WorkerState,
)
from leadline.browsing.view import select_passages
from leadline.domain.evidence import PassageRef, Snapshot
from leadline.domain.finding_rules import FindingRefused, check_finding
from leadline.domain.limits import Limits
from leadline.domain.ports import EventSink, FindingBook
from leadline.domain.text import shorten
from leadline.errors import (
    BrowserError,
    EgressRefused,
    LimitReached,
    PageBlocked,
    PageError,
    SearchError,
)

P = TypeVar("P", bound=BaseModel)

_SECRET = re.compile(r"[A-Za-z0-9_+/=\-]{20,}")
_CODE = re.compile(r"(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{6,}|\d{7,}")

_BROWSING: dict[str, tuple[type[BaseModel], str]] = {
    "navigate": (p.NavigateParams, "Open a known address in the tab in front, to click through it"),
    "click": (p.ClickParams, "Click an element of the tab in front"),
    "input": (p.InputParams, "Type into a field of the tab in front"),
    "scroll": (p.ScrollParams, "Scroll the tab in front"),
    "send_keys": (p.KeysParams, "Press keys in the tab in front"),
    "dropdown_options": (p.ClickParams, "List the options of a dropdown"),
    "select_dropdown": (p.SelectParams, "Choose an option of a dropdown by its text"),
    "find_text": (p.FindTextParams, "Scroll to a text in the tab in front"),
    "go_back": (p.NoParams, "Go back in the tab in front"),
}
"""browser-use's own actions that a worker has, with parameters and descriptions of ours."""


class WorkerTools(Tools[None]):
    """browser-use's tools, with a time limit of ours and no coordinate clicking."""

    def __init__(self, *, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    def set_coordinate_clicking(self, enabled: bool) -> None:
        """Elements are clicked by their number; browser-use would register its own ``click``."""

    async def act(self, *args: Any, **kwargs: Any) -> ActionResult:
        """Carry out one action within the time limit."""
        return await super().act(*args, **{"action_timeout": self._seconds, **kwargs})


def action_seconds(limits: Limits) -> float:
    """What one action may take: reading as many pages as a worker may, some at a time."""
    rounds = ceil(limits.pages_per_query / TABS_AT_ONCE)
    return limits.page_seconds * (rounds + 1) + 30


def build_tools(
    state: WorkerState,
    *,
    router: Router,
    reader: Reader,
    lease: Lease,
    book: FindingBook,
    sink: EventSink,
    card: WorkerCard | None = None,
) -> WorkerTools:
    """The tools of one worker, working on its ``state``."""
    limits = state.limits
    tools = WorkerTools(seconds=action_seconds(limits))
    card = card or WorkerCard(sink, worker="", task_id=state.task_id, query=state.query)
    own = ResearchTools(state, router=router, reader=reader, lease=lease, book=book, card=card)
    registered = tools.registry.registry.actions
    browsing = {
        name: _browsing_action(registered[name], params, description, own)
        for name, (params, description) in _BROWSING.items()
    }
    registered.clear()
    for name, description, params, function in own.actions():
        registered[name] = RegisteredAction(
            name=name,
            description=description,
            function=_own_action(function, own),
            param_model=params,
        )
    registered.update(browsing)
    return tools


class ResearchTools:
    """What the worker's own actions do. Each takes its parameters and returns one sentence."""

    def __init__(
        self,
        state: WorkerState,
        *,
        router: Router,
        reader: Reader,
        lease: Lease,
        book: FindingBook,
        card: WorkerCard,
    ) -> None:
        self.state = state
        self.card = card
        self._router = router
        self._reader = reader
        self._lease = lease
        self._book = book

    def actions(
        self,
    ) -> Sequence[tuple[str, str, type[BaseModel], Callable[[Any], Awaitable[ActionResult]]]]:
        """Name, description, parameters and function of each."""
        return (
            ("search", "Search the web; results are shown as rows", p.SearchParams, self.search),
            ("read", "Read pages; their passages are shown", p.ReadParams, self.read),
            ("read_page", "Read the tab in front, after clicking", p.NoParams, self.read_page),
            ("record_findings", "Record findings", p.RecordParams, self.record_findings),
            ("wait", "Wait for the tab in front", p.WaitParams, self.wait),
            ("done", "End the work", p.DoneParams, self.done),
        )

    async def search(self, params: p.SearchParams) -> ActionResult:
        """Search, and add the results as rows."""
        state = self.state
        query = " ".join(params.query.split())
        if not query:
            return said("The search was empty; say what to look for.")
        if query.casefold() in (known.casefold() for known in state.queries):
            return said(f'"{shorten(query, 80)}" was searched already; its results are shown.')
        if len(state.queries) >= MAX_SEARCHES:
            return said(f"Not searched: a worker may search {MAX_SEARCHES} times.")
        if self.leaks(query):
            return said("Not searched: use ordinary words, no keys or codes that a page showed.")
        self.card.moved("searching", query=query)
        try:
            hits = await self._router.search(
                query,
                state.limits.results_per_search,
                open_page=self._lease.open_page,
                task=state.task_id,
            )
        except (SearchError, PageError, EgressRefused) as error:
            state.search_failure = str(error)
            state.add_rows(query, ())
            return said(f"The search failed: {error}")
        rows = state.add_rows(query, hits)
        if not rows:
            return said(f'"{shorten(query, 80)}" found nothing new.')
        return said(
            f'"{shorten(query, 80)}" found {len(rows)} results. Their texts are no evidence.'
        )

    async def read(self, params: p.ReadParams) -> ActionResult:
        """Read several pages side by side, and show their passages."""
        notes: list[str] = []
        urls = self._chosen(params, notes)
        room = self.state.pages_left
        if len(urls) > room:
            notes.append(f"{len(urls) - room} pages were left out: no more may be read.")
            urls = urls[:room]
        if urls:
            first = next((r.title for r in self.state.rows if r.url == urls[0]), "")
            more = f" and {len(urls) - 1} more" if len(urls) > 1 else ""
            self.card.moved("reading", url=urls[0], title=first, detail=f"{urls[0]}{more}")
            notes = await _side_by_side([self._read_one(url) for url in urls]) + notes
        elif not notes:
            notes.append("Nothing to read was named; give numbers of results, such as [1, 2].")
        return said(" ".join(notes))

    async def read_page(self, params: p.NoParams) -> ActionResult:
        """Read the tab in front as it stands now."""
        del params
        page = self.state.page
        again = page.url in self.state.addresses_read
        if not self.state.pages_left and not again:
            return said("Not read: no more pages may be read.")
        self.card.moved("reading", url=page.url, title=page.title)
        return said(
            await self._shown(
                page.url, lambda: self._reader.read_current(self._lease, task=self.state.task_id)
            )
        )

    async def record_findings(self, params: p.RecordParams) -> ActionResult:
        """Check each finding and record it, or say why not."""
        state = self.state
        recorded: list[str] = []
        refused: list[str] = []
        for number, item in enumerate(params.findings, start=1):
            if len(state.findings) >= MAX_FINDINGS:
                refused.append(f"{number}: a worker may record {MAX_FINDINGS} findings.")
                break
            try:
                recorded.append(self._record(item))
            except FindingRefused as error:
                state.refused += 1
                refused.append(f"{number}: {error}")
        notes = []
        if recorded:
            notes.append(f"Recorded {', '.join(recorded)}.")
        if refused:
            notes.append("Refused " + " ".join(refused))
        if not notes:
            notes.append("No finding was given: each needs a claim and its passages.")
        return said(" ".join(notes), refused=not recorded)

    async def wait(self, params: p.WaitParams) -> ActionResult:
        """Wait a little, for a page that is still loading."""
        await asyncio.sleep(params.seconds)
        return said(f"Waited {params.seconds} s.")

    async def done(self, params: p.DoneParams) -> ActionResult:
        """End the work."""
        self.state.finish(answered=params.answered, summary=params.summary, missing=params.missing)
        return ActionResult(
            is_done=True,
            success=self.state.answered,
            extracted_content=params.summary,
            long_term_memory="Done.",
        )

    def leaks(self, text: str) -> bool:
        """Whether a text carries something like a key that the task itself does not hold."""
        own = f"{self.state.topic} {self.state.task} {self.state.query}"
        return any(
            any(c.isdigit() for c in token) and any(c.isalpha() for c in token) and token not in own
            for token in _SECRET.findall(text)
        )

    def types_away(self, text: str) -> bool:
        """Whether a text holds a code that the task does not: a page's field may send it anywhere.

        Stricter than for searches, which go to the engine that the user chose.
        """
        own = f"{self.state.topic} {self.state.task} {self.state.query}".casefold()
        codes = _CODE.findall(text)
        return self.leaks(text) or any(code.casefold() not in own for code in codes)

    def _chosen(self, params: p.ReadParams, notes: list[str]) -> list[str]:
        """The addresses to read now, and a note for each that is not."""
        state = self.state
        urls: list[str] = []
        for number in params.results:
            row = state.row(number)
            if row is None:
                notes.append(f"There is no result {number}.")
            else:
                urls.append(row.url)
        for text in params.urls:
            known = state.known_url(text)
            if known is None:
                notes.append(refused_address(text))
            else:
                urls.append(known)
        chosen: list[str] = []
        for url in dict.fromkeys(urls):
            if url in state.opened:
                notes.append(f"{shorten(url, 80)} was read already: source {state.opened[url]}.")
            elif url in state.failed:
                notes.append(f"{shorten(url, 80)} was tried already: {state.failed[url][1]}")
            else:
                chosen.append(url)
        return chosen

    async def _read_one(self, url: str) -> str:
        return await self._shown(
            url, lambda: self._reader.read(url, self._lease, task=self.state.task_id)
        )

    async def _shown(self, url: str, read: Callable[[], Awaitable[Snapshot]]) -> str:
        """Read one page and show it; a page that fails is a sentence, its siblings go on."""
        state = self.state
        try:
            snapshot = await read()
        except PageBlocked as error:
            state.add_failure(url, error.reason, str(error))
            return f"Not readable ({error.reason}): {shorten(url, 80)}."
        except (PageError, EgressRefused) as error:
            state.add_failure(url, "unreadable", str(error))
            return f"Not readable: {shorten(url, 80)}: {error}"
        passages = select_passages(
            snapshot, f"{state.task} {state.query}", state.limits.tokens_per_source
        )
        state.add_source(url, Shown(snapshot, passages))
        return f"Source {snapshot.source.id} is shown: {shorten(snapshot.source.title, 80)}."

    def _record(self, item: p.FindingParams) -> str:
        state = self.state
        refs = [self._certain(ref) for ref in item.passages]
        checked = check_finding(item.claim, refs, state.lookup)
        finding = self._book.record(
            task=state.task_id, claim=checked.claim, passages=checked.passages
        )
        state.cited.update(checked.passages)
        if finding.id not in state.findings:
            state.findings.append(finding.id)
            state.claims.append(checked.claim)
        return finding.id

    def _certain(self, ref: str) -> str:
        """A reference that came as a number, when only one passage can be meant (3.1 or 3.10)."""
        if not ref.startswith("~"):
            return ref
        number = ref[1:]
        candidates = [c for c in (number, f"{number}0", f"{number}00") if self._exists(c)]
        if len(candidates) == 1:
            return candidates[0]
        raise FindingRefused(f'Write the passage as text in quotes, such as "{number}0".')

    def _exists(self, text: str) -> bool:
        ref = PassageRef.parse(text)
        return ref is not None and self.state.lookup(ref) is not None


def said(text: str, *, refused: bool = False) -> ActionResult:
    """The outcome of an action as one sentence for the model."""
    return ActionResult(long_term_memory=text, metadata={"refused": True} if refused else None)


def refused_address(url: str) -> str:
    """Why an address is not opened."""
    return (
        f"Not opened: {shorten(url, 80)} was no search result and no link of a page you saw; "
        "only those can be opened."
    )


def _own_action(
    function: Callable[[P], Awaitable[ActionResult]], own: ResearchTools
) -> Callable[..., Awaitable[ActionResult]]:
    """A research tool as browser-use calls it; an error that ends the worker is kept."""

    @functools.wraps(function)
    async def action(*, params: P, **special: Any) -> ActionResult:
        del special
        try:
            return await function(params)
        except (BrowserError, LimitReached) as error:
            own.state.fatal = error
            return ActionResult(error=str(error))

    return action


async def _side_by_side(reads: Sequence[Coroutine[Any, Any, str]]) -> list[str]:
    """The results in order; when one raises, the others are cancelled and its error is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(read) for read in reads]
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return [task.result() for task in tasks]


def _browsing_action(
    original: RegisteredAction,
    params_model: type[BaseModel],
    description: str,
    own: ResearchTools,
) -> RegisteredAction:
    """An action of browser-use behind our parameters and the address rule."""

    async def action(*, params: BaseModel, **special: Any) -> ActionResult:
        state = own.state
        given = params.model_dump()
        if isinstance(params, p.NavigateParams):
            known = state.known_url(params.url)
            if known is None:
                return said(refused_address(params.url))
            given["url"] = known
        elif isinstance(params, p.InputParams | p.SelectParams | p.KeysParams) and own.types_away(
            str(given.get("text") or given.get("keys") or "")
        ):
            return said("Not typed: use ordinary words, no keys or codes that a page showed.")
        own.card.moved("browsing", url=given.get("url", state.page.url), title=state.page.title)
        result: ActionResult = await original.function(
            params=original.param_model(**given), **special
        )
        return result

    return RegisteredAction(
        name=original.name,
        description=description,
        function=action,
        param_model=params_model,
        terminates_sequence=original.terminates_sequence,
    )
