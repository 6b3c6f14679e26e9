"""The browsing steps of the offline model: a policy by rule, without a network or a key.

It reads the worker's state and never a prompt, and it is deterministic. It copies and never
rewords: a claim is a sentence that stands in its passage. What does not share enough words with
the question is not recorded, so a question that the pages do not answer ends as not answered.

An easy task is one reading and one recording. Only what is missing, hidden behind a click, or
said to stand on another page costs further steps, each of these once.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from browser_use.llm.base import BaseChatModel
from browser_use.llm.messages import BaseMessage
from browser_use.llm.views import ChatInvokeCompletion

from leadline.browsing.offline_aspect import Aspect, aspect_of
from leadline.browsing.offline_passages import (
    Candidate,
    answers,
    candidates,
    choose,
    claim_of,
)
from leadline.browsing.offline_rows import button, choose_rows, is_found, links_in
from leadline.browsing.offline_words import DOCUMENT, HIDES_MORE, REPLACES, REQUEST_WORDS, roots
from leadline.browsing.state import Shown, WorkerState
from leadline.domain.events import ModelCalled
from leadline.domain.evidence import PassageRef
from leadline.domain.run import Usage
from leadline.domain.text import shorten, words
from leadline.errors import ModelAnswerInvalid

Action = dict[str, dict[str, Any]]
Decision = tuple[str, list[Action]]
Recorded = Callable[[], Iterable[str]]
"""The claims that the run has recorded so far."""

_SEARCHES_AT_ONCE = 2
_KEPT_BACK = 3
"""One page in so many is kept back for what the first ones lead to."""
_LINKS_MOST = 2
"""So many pages are opened for their links."""
_STEPS_TO_LOOK = 4
"""Opening a page, clicking, reading and recording: with fewer steps left no page is opened."""
_CLICKS = 2
_WAIT_SECONDS = 1

_DIGEST_LINE = re.compile(r"^- (?P<claim>.+?)(?: \[f\d+\])?$", re.MULTILINE)


class OfflineBrowserChat(BaseChatModel):
    """browser-use's chat protocol, answered by rule from the state of one worker."""

    _verified_api_keys = True

    def __init__(
        self,
        state: WorkerState,
        *,
        recorded: Recorded | None = None,
        on_call: Callable[[ModelCalled], None] | None = None,
    ) -> None:
        self.model = "offline"
        self._policy = OfflinePolicy(state, recorded=recorded)
        self._on_call = on_call

    @property
    def provider(self) -> str:
        """Who answers."""
        return "offline"

    @property
    def name(self) -> str:
        """What a person calls it."""
        return "offline"

    @property
    def model_name(self) -> str:
        """The same."""
        return self.model

    async def ainvoke(
        self, messages: list[BaseMessage], output_format: Any = None, **kwargs: Any
    ) -> ChatInvokeCompletion[Any]:
        """The next actions, as an object of ``output_format``."""
        del messages, kwargs
        if output_format is None:
            raise ModelAnswerInvalid("The offline model only decides browsing steps.")
        started = time.monotonic()
        memory, actions = self._policy.decide()
        answer = output_format.model_validate({"memory": memory, "action": actions})
        if self._on_call is not None:
            seconds = time.monotonic() - started
            usage = Usage(calls=1, cost_usd=0.0)
            self._on_call(ModelCalled(role="worker", usage=usage, seconds=seconds, ok=True))
        return ChatInvokeCompletion(completion=answer, usage=None)


class OfflinePolicy:
    """Decides the next step of a worker from its state."""

    def __init__(self, state: WorkerState, *, recorded: Recorded | None = None) -> None:
        self._state = state
        self._aspect: Aspect = aspect_of(state)
        self._recorded = recorded or (lambda: claims_in(state.background))
        self._tried: set[PassageRef] = set()
        self._answering: set[str] = set()
        self._begun = False
        self._looked: set[str] = set()
        self._opened: Counter[str] = Counter()
        self._opening = ""
        """Why the page in front was opened: ``wall``, ``more`` or ``links``."""
        self._unread_click: int | None = None
        """How many sources were shown when something was clicked; None when nothing was."""

    def decide(self) -> Decision:
        """A note and the actions of the next step."""
        state = self._state
        if state.findings:
            return self._end()
        recorded = tuple(self._recorded())
        found = [c for c in candidates(state, self._aspect, recorded) if c.ref not in self._tried]
        if not state.last_step and (further := self._further(found)):
            return further
        picks = choose(found, self._aspect, recorded)
        return self._record(picks) if picks else self._end()

    def _further(self, found: list[Candidate]) -> Decision | None:
        """What is still to be seen before anything is recorded."""
        return (
            self._begin()
            or self._front()
            or self._open_for_pages(found)
            or self._read(self._state.pages_left)
            or self._open_for_more()
            or (None if found else self._search_again())
        )

    def _begin(self) -> Decision | None:
        """The best results, and searches of their own for parts that few results speak of."""
        state = self._state
        if self._begun:
            return None
        self._begun = True
        searches = self._searches_for_parts()
        most = state.pages_left - state.limits.pages_per_query // _KEPT_BACK
        reading = (
            self._read(max(1, min(most, len(self._aspect.parts)) if searches else most))
            if state.pages_left
            else None
        )
        actions = [*searches, *(reading[1] if reading else [])]
        return ("Reading the best results.", actions) if actions else None

    def _searches_for_parts(self) -> list[Action]:
        state, aspect = self._state, self._aspect
        if len(aspect.parts) < 2 or not state.rows:
            return []
        about = aspect.subject | aspect.names
        subject = " ".join(w for w in state.query.split() if roots(w) & about)
        queries = [
            f"{subject} {asked}".strip()
            for part, asked in zip(aspect.parts, aspect.asked, strict=True)
            if not is_found(state.rows, part)
        ]
        new = [shorten(query, 200) for query in queries if self._is_new(query)]
        return [{"search": {"query": query}} for query in new[:_SEARCHES_AT_ONCE]]

    def _search_again(self) -> Decision | None:
        query = self._keywords()
        if not query or len(self._state.queries) != 1:
            return None
        return "Searching with other words.", [{"search": {"query": query}}]

    def _read(self, most: int) -> Decision | None:
        state = self._state
        read = [row for row in state.rows if row.url in state.opened]
        rows = (
            choose_rows(state.unread, most, self._aspect, places=state.places, read=read)
            if most > 0
            else []
        )
        if not rows:
            return None
        return "Reading the best results.", [{"read": {"results": [row.number for row in rows]}}]

    def _open_for_pages(self, found: list[Candidate]) -> Decision | None:
        """A page behind a consent wall, or one that says that another page knows better."""
        state = self._state
        if not state.pages_left:
            return None
        walls = [url for url, (reason, _) in state.failed.items() if reason == "cookie_wall"]
        fitting = {candidate.ref.source for candidate in found}
        pages = [s for number, s in state.shown.items() if number in fitting and self._cues(s)]
        return self._open("wall", walls) or self._open("links", [_url(s) for s in pages])

    def _open_for_more(self) -> Decision | None:
        """A page that says that it has more than it shows at once."""
        shown = self._state.shown.values()
        return self._open("more", [_url(page) for page in shown if _hides_more(page)])

    def _open(self, opening: str, urls: list[str]) -> Decision | None:
        state = self._state
        if state.limits.steps_per_worker - state.step < _STEPS_TO_LOOK:
            return None
        for url in urls:
            if url not in self._looked and self._may_open(opening):
                self._looked.add(url)
                self._opening = opening
                return "Opening a page to click through.", [{"navigate": {"url": url}}]
        return None

    def _may_open(self, opening: str) -> bool:
        self._opened[opening] += 1
        return opening != "links" or self._opened[opening] <= _LINKS_MOST

    def _front(self) -> Decision | None:
        """What to do with the page that was opened in the tab in front."""
        state = self._state
        if self._unread_click is not None:
            unread, self._unread_click = self._unread_click == len(state.shown), None
            if unread:
                return "Reading what the click showed.", [{"read_page": {}}]
        opening, self._opening = self._opening, ""
        if not opening or state.page.is_blank:
            return None
        if opening == "links":
            shown = [s for s in state.shown.values() if _url(s) in self._looked]
            cues = [text for item in shown for text in self._cues(item)]
            known = {*state.addresses_read, *state.failed}
            urls = links_in(state.page, cues, known)[: state.pages_left]
            return ("Following a link.", [{"read": {"urls": urls}}]) if urls else None
        element = button(state.page.elements)
        if element is None:
            return None
        self._unread_click = len(state.shown)
        click: Action = {"click": {"index": element.index}}
        if opening == "wall":
            return "Clicking through.", [click]
        wait: Action = {"wait": {"seconds": _WAIT_SECONDS}}
        return "Showing more.", [*[click, wait] * _CLICKS, {"read_page": {}}]

    def _cues(self, shown: Shown) -> list[str]:
        """Sentences that send the reader on: to a newer or other value, or to a document."""
        wanted = self._aspect.wanted
        title = roots(shown.snapshot.source.title)
        read = [roots(s.snapshot.source.title) for s in self._state.shown.values() if s != shown]
        return [
            p.text
            for p in shown.snapshot.passages
            if (REPLACES.search(p.text) and wanted & (roots(p.text) | roots(p.heading) | title))
            or (DOCUMENT.search(p.text) and wanted & roots(p.text))
            if not any(other <= roots(p.text) for other in read)
        ]

    def _record(self, picks: list[Candidate]) -> Decision:
        self._tried.update(pick.ref for pick in picks)
        claims = [claim_of(pick.passage, self._aspect) for pick in picks]
        self._answering |= {
            claim for claim, pick in zip(claims, picks, strict=True) if answers(pick, self._aspect)
        }
        findings = [
            {"claim": claim, "passages": [str(pick.ref)]}
            for claim, pick in zip(claims, picks, strict=True)
        ]
        done = self._done(bool(self._answering), claims)
        return "Recording what the pages say.", [{"record_findings": {"findings": findings}}, done]

    def _end(self) -> Decision:
        claims = self._state.claims
        return "Ending.", [self._done(bool(self._answering.intersection(claims)), claims)]

    def _done(self, answered: bool, claims: list[str]) -> Action:
        summary = shorten(" ".join(claims[:2]), 500)
        missing = "" if answered else self._missing()
        return {"done": {"answered": answered, "summary": summary, "missing": missing}}

    def _missing(self) -> str:
        state = self._state
        if state.search_failure and not state.rows:
            return state.search_failure
        if not state.rows:
            return "The search found no pages."
        if not state.shown:
            return "None of the pages found could be read."
        return "No passage of the pages read speaks clearly of the question."

    def _keywords(self) -> str:
        """The question's own content words, when they make another query than the first."""
        wanted = [w for w in words(self._state.task) if not roots(w) & REQUEST_WORDS]
        query = " ".join(dict.fromkeys(wanted[:8]))
        return query if self._is_new(query) else ""

    def _is_new(self, query: str) -> bool:
        known = {" ".join(sorted(words(q))) for q in self._state.queries}
        return " ".join(sorted(words(query))) not in known


def claims_in(background: str) -> list[str]:
    """The claims that a digest of earlier findings lists."""
    return [match["claim"] for match in _DIGEST_LINE.finditer(background)]


def _url(shown: Shown) -> str:
    return shown.snapshot.source.url


def _hides_more(shown: Shown) -> bool:
    return any(HIDES_MORE.search(passage.text) for passage in shown.snapshot.passages)
