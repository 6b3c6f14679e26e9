"""The browsing steps of the offline model: a policy by rule, without a network or a key.

It reads the worker's state and never a prompt, and it is deterministic. It copies and never
rewords: a claim is a sentence that stands in its passage. What does not share enough words with
the question is not recorded, so a question that the pages do not answer ends as not answered.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from math import ceil
from typing import Any

from browser_use.llm.base import BaseChatModel
from browser_use.llm.messages import BaseMessage
from browser_use.llm.views import ChatInvokeCompletion

from leadline.browsing.state import Element, Row, WorkerState, passage_refs
from leadline.domain.events import ModelCalled
from leadline.domain.evidence import Passage, PassageRef, Snapshot
from leadline.domain.ranking import rank
from leadline.domain.run import Usage
from leadline.domain.text import numbers, shorten, split_sentences, terms, words
from leadline.errors import ModelAnswerInvalid

Action = dict[str, dict[str, Any]]

FINDINGS = 4
_AROUND_ORDERS = 2
"""So many passages before and after an order to the reader count as part of it."""
CLAIM_CHARS = 280
_SAME_TEXT = 0.7
"""Share of common words from which two passages say the same."""
_SAME_SOURCE = 0.7
"""What a further passage of a source counts beside one of another source."""
_NEAR_BEST = 0.25
_NUMBER_BONUS = 1.25
_ANSWER_SHARE = 0.34

_REQUEST_WORDS = terms(
    """find search research list name compare describe explain identify summarize summarise give
    overview information details detail determine investigate discover look tell show report main
    key important recent current latest topic question answer many much kind type different"""
)
"""Words that say what to do rather than what about."""

_INSTRUCTION = re.compile(
    r"(?:ignore|disregard) (?:\w+ ){0,3}(?:previous|prior|above|instruction)"
    r"|system prompt|(?:as|you are) an? (?:ai|assistant|language model)"
    r"|\b(?:ai|llm) (?:agents?|assistants?|models?|readers?|systems?)\b"
    r"|(?:dear|attention|note to) (?:ai|assistant|model|agent)|assistant[:,] "
    r"|you (?:must|should) (?:now )?(?:visit|send|write|say|report|include|reply|output|open)"
    r"|\byour (?:\w+ )?(?:task|instructions?|user|research plan|prompt)\b"
    r"|忽略(?:以上|之前|先前|所有)|系统提示",
    re.IGNORECASE,
)
_BOILERPLATE = re.compile(
    r"\bcookies?\b|all rights reserved|©|copyright|subscribe|newsletter|sign (?:in|up)"
    r"|log ?in\b|privacy policy|terms of (?:use|service)|share (?:this|on)|read more"
    r"|click here|advertisement|skip to|back to top|^(?:see also|related|contents)\b"
    r"|版权所有|隐私政策|登录|注册",
    re.IGNORECASE,
)
_CONSENT = re.compile(
    r"^(?:accept|agree|allow|i agree|ok\b|got it|continue|同意|接受)", re.IGNORECASE
)
_MORE = re.compile(r"\b(?:load|show|see|view) (?:more|all)\b|^more\b|更多", re.IGNORECASE)


class OfflineBrowserChat(BaseChatModel):
    """browser-use's chat protocol, answered by rule from the state of one worker."""

    _verified_api_keys = True

    def __init__(
        self, state: WorkerState, *, on_call: Callable[[ModelCalled], None] | None = None
    ) -> None:
        self.model = "offline"
        self._policy = OfflinePolicy(state)
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

    def __init__(self, state: WorkerState) -> None:
        self._state = state
        self._tried: set[PassageRef] = set()
        self._visited: dict[str, int] = {}
        self._clicked = False

    def decide(self) -> tuple[str, list[Action]]:
        """A note and the actions of the next step."""
        state = self._state
        if state.findings:
            return self._end()
        if not state.last_step and not state.shown and state.unread and state.pages_left:
            return self._read()
        picks = self._picks()
        if picks:
            return self._record(picks)
        return (None if state.last_step else self._go_on()) or self._end()

    def _read(self) -> tuple[str, list[Action]]:
        rows = choose_rows(self._state.unread, self._state.pages_left)
        return "Reading the best results.", [{"read": {"results": [row.number for row in rows]}}]

    def _record(self, picks: list[tuple[PassageRef, str]]) -> tuple[str, list[Action]]:
        state = self._state
        self._tried.update(ref for ref, _ in picks)
        findings = [{"claim": claim, "passages": [str(ref)]} for ref, claim in picks]
        answered = answers(picks, state)
        done = self._done(answered, " ".join(claim for _, claim in picks[:2]))
        return "Recording what the pages say.", [{"record_findings": {"findings": findings}}, done]

    def _go_on(self) -> tuple[str, list[Action]] | None:
        """Nothing fits so far: click through a page, read on, or search with other words."""
        state = self._state
        through = self._click_through()
        if through is not None:
            return through
        if state.unread and state.pages_left:
            return self._read()
        keywords = self._keywords()
        if keywords and len(state.queries) == 1:
            return "Searching with other words.", [{"search": {"query": keywords}}]
        return None

    def _click_through(self) -> tuple[str, list[Action]] | None:
        """Past a cookie wall, or to the rest of a page that shows more on a click."""
        state = self._state
        if self._clicked:
            self._clicked = False
            return "Reading what the click showed.", [{"read_page": {}}]
        if state.page.url in self._visited:
            button = _button(state.page.elements)
            self._visited[state.page.url] += 1
            if button is not None and self._visited[state.page.url] == 1:
                self._clicked = True
                return "Clicking through.", [{"click": {"index": button.index}}]
        for url in self._behind_clicks():
            if url not in self._visited:
                self._visited[url] = 0
                return "Opening a page to click through.", [{"navigate": {"url": url}}]
        return None

    def _behind_clicks(self) -> list[str]:
        """Pages that may have more to say after a click: those behind a cookie wall, one other."""
        state = self._state
        walled = [url for url, (reason, _) in state.failed.items() if reason == "cookie_wall"]
        read = [shown.snapshot.source.url for shown in state.shown.values()]
        return (walled if state.pages_left else []) + read[:1]

    def _end(self) -> tuple[str, list[Action]]:
        state = self._state
        if state.findings:
            refs = sorted(state.cited, key=lambda r: (r.source, r.passage))
            picks = [(ref, claim) for ref, claim in zip(refs, state.claims, strict=False)]
            done = self._done(answers(picks, state), " ".join(state.claims[:2]))
        else:
            done = self._done(False, "")
        return "Ending.", [done]

    def _done(self, answered: bool, summary: str) -> Action:
        missing = "" if answered else self._missing()
        return {
            "done": {"answered": answered, "summary": shorten(summary, 500), "missing": missing}
        }

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
        state = self._state
        wanted = [w for w in words(state.task) if not terms(w) & _REQUEST_WORDS]
        query = " ".join(dict.fromkeys(wanted[:8]))
        return "" if query.casefold() in (q.casefold() for q in state.queries) else query

    def _picks(self) -> list[tuple[PassageRef, str]]:
        """The passages to record, with their claims: the best, from more than one source."""
        state = self._state
        question = subject(state)
        named = names(state)
        candidates = [
            (ref, passage)
            for ref, passage in passage_refs(list(state.shown.values()))
            if ref not in self._tried
            and _mentions(state.shown[ref.source].snapshot, named)
            and not _near_an_order(state.shown[ref.source].snapshot, ref.passage)
            and _speaks(passage)
            and _touches(passage.text, _context(state, ref), question)
        ]
        texts = [f"{p.heading} {p.text}" for _, p in candidates]
        scores = dict(rank(f"{state.query} {state.task}", texts))
        weighed = [
            (scores[index] * _weight(passage.text, question), ref, passage)
            for index, (ref, passage) in enumerate(candidates)
            if index in scores
        ]
        return [(ref, _claim(p.text, question)) for ref, p in _spread(weighed)]


def choose_rows(rows: Iterable[Row], most: int) -> list[Row]:
    """The results to read: one of each host in order of rank, its newest, then the next ones."""
    by_host: dict[str, list[Row]] = {}
    for row in rows:
        by_host.setdefault(row.host, []).append(row)
    for of_host in by_host.values():
        of_host.sort(key=lambda r: r.date, reverse=True)
    chosen: list[Row] = []
    while any(by_host.values()) and len(chosen) < most:
        for of_host in by_host.values():
            if of_host and len(chosen) < most:
                chosen.append(of_host.pop(0))
    return chosen


def subject(state: WorkerState) -> set[str]:
    """What the question is about: its content words, as stems."""
    return (terms(state.query) | terms(state.task)) - _REQUEST_WORDS


def names(state: WorkerState) -> set[str]:
    """Proper names in the question, as far as capitals tell: a page that has none is off it."""
    found: set[str] = set()
    for text in (state.topic, state.task):
        for sentence in split_sentences(text):
            for word in sentence.split()[1:]:
                bare = word.strip("\"'“”‘’()[],.:;!?…")
                if bare[:1].isupper() and bare[1:].islower():
                    found |= terms(bare)
    return found - _REQUEST_WORDS


def _mentions(snapshot: Snapshot, named: set[str]) -> bool:
    """Whether a source speaks of one of the names; without names every source does."""
    if not named or named & terms(snapshot.source.title):
        return True
    return any(named & terms(passage.text) for passage in snapshot.passages)


def answers(picks: Iterable[tuple[PassageRef, str]], state: WorkerState) -> bool:
    """Whether one of the findings shares enough words with the query or the task."""
    found = [terms(f"{claim} {_context(state, ref)}") for ref, claim in picks]
    for wanted in (terms(state.query) - _REQUEST_WORDS, terms(state.task) - _REQUEST_WORDS):
        if wanted and any(len(have & wanted) >= _enough(len(wanted)) for have in found):
            return True
    return False


def _enough(wanted: int) -> int:
    return min(wanted, max(2, ceil(wanted * _ANSWER_SHARE)))


def _context(state: WorkerState, ref: PassageRef) -> str:
    """What a passage stands under: a sentence of a page on the subject need not repeat it."""
    shown = state.shown.get(ref.source)
    passage = state.lookup(ref)
    if shown is None or passage is None:
        return ""
    return f"{passage.text} {passage.heading} {shown.snapshot.source.title}"


def _speaks(passage: Passage) -> bool:
    """Whether a passage is a statement: long enough, and no boilerplate."""
    text = passage.text.strip()
    dense = sum(ord(c) >= 0x2E80 for c in text)
    if len(text) + 2 * dense < 20 or text.endswith(("?", "？", ":", "：")):
        return False
    return not (_BOILERPLATE.search(text) and len(text) < 400)


def _near_an_order(snapshot: Snapshot, number: int) -> bool:
    """Whether a passage is an order to whoever reads the page, or stands next to one."""
    first = max(0, number - 1 - _AROUND_ORDERS)
    around = snapshot.passages[first : number + _AROUND_ORDERS]
    return any(_INSTRUCTION.search(passage.text) for passage in around)


def _weight(text: str, question: set[str]) -> float:
    """More for a passage that speaks of more of the question, and for one that states a number."""
    share = len(terms(text) & question) / (len(question) or 1)
    return (0.5 + share) * (_NUMBER_BONUS if numbers(text) else 1.0)


def _touches(text: str, context: str, question: set[str]) -> bool:
    """Whether a passage is about the question, by its own words and those it stands under."""
    enough = min(2, len(question))
    return bool(terms(text) & question) and len(terms(context) & question) >= enough


def _spread(
    weighed: list[tuple[float, PassageRef, Passage]],
) -> list[tuple[PassageRef, Passage]]:
    """Up to ``FINDINGS`` of them, best first; each one taken makes others of its source weigh
    less, and what says the same is left out."""
    picks: list[tuple[PassageRef, Passage]] = []
    taken: list[set[str]] = []
    counts: dict[int, int] = {}
    left = sorted(weighed, key=lambda w: (-w[0], w[1].source, w[1].passage))
    floor = left[0][0] * _NEAR_BEST if left else 0.0
    while left and len(picks) < FINDINGS:
        best = max(left, key=lambda w: w[0] * _SAME_SOURCE ** counts.get(w[1].source, 0))
        left.remove(best)
        score, ref, passage = best
        have = terms(passage.text)
        if score * _SAME_SOURCE ** counts.get(ref.source, 0) < floor:
            break
        if any(len(have & old) / (len(have | old) or 1) >= _SAME_TEXT for old in taken):
            continue
        counts[ref.source] = counts.get(ref.source, 0) + 1
        taken.append(have)
        picks.append((ref, passage))
    return picks


def _claim(text: str, question: set[str]) -> str:
    """The passage itself, or of a long one the sentence that speaks most of the question."""
    if len(text) <= CLAIM_CHARS:
        return shorten(text, CLAIM_CHARS)
    sentences = split_sentences(text) or [text]
    best = max(sentences, key=lambda s: len(terms(s) & question))
    return shorten(best, CLAIM_CHARS)


def _button(elements: Iterable[Element]) -> Element | None:
    """A button that lets one in or shows more; consent first."""
    buttons = [e for e in elements if e.kind in ("button", "a", "input", "div", "span") and e.text]
    for pattern in (_CONSENT, _MORE):
        for element in buttons:
            if pattern.search(element.text) and len(element.text) <= 60:
                return element
    return None
