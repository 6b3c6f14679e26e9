"""What a worker of the offline model looks for, and how well a text speaks of it.

Pure. An aspect is what a task asks beside the subject that all tasks share; one of two halves
(``cost and funding``) is looked for half by half. Only words count, by root and by kinship.
"""

from __future__ import annotations

import re
from calendar import day_name, month_name
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log

from leadline.browsing.offline_words import REQUEST_WORDS, akin, root, roots
from leadline.browsing.state import WorkerState
from leadline.domain.text import split_sentences, terms

_HEAD_CHARS = 200
_AKIN = 0.55
_AKIN_FOREIGN = 0.8
_HEADING = 0.7
_TITLE = 0.6
"""What a word counts that is said otherwise, or only by the heading or title above."""

_NAME = re.compile(r"(?<=[a-z,0-9] )[A-Z][a-z]{3,}\b")
_CALENDAR = frozenset(
    (*(name.casefold() for name in month_name), *(name.casefold() for name in day_name))
)
_COLON = re.compile(r"^(?P<head>[^:：]{2,200})[:：]\s*(?P<tail>.+)$")
_ASKING_ZH = re.compile(
    r"(?:有|是)?(?:多少|什么|哪些|哪个|如何|怎么样|怎么|怎样|是否|为何|为什么)|[吗呢]$|^对"
)
"""Words that ask, taken out before Chinese is cut into pairs of signs."""
_AND = re.compile(r"\s+(?:and|or|und|oder|y|et)\s+|[,;，；、]|以及|和|与|及")


@dataclass(frozen=True)
class Aspect:
    """All sets are roots of words. ``parts`` is empty when a task asks of its subject alone."""

    subject: frozenset[str]
    names: frozenset[str]
    parts: tuple[frozenset[str], ...]
    asked: tuple[str, ...] = ()
    """The words of each part, for a query of its own."""

    @property
    def wanted(self) -> frozenset[str]:
        """The words of all parts, or of the subject where there are none."""
        return frozenset().union(*self.parts) or self.subject


def aspect_of(state: WorkerState) -> Aspect:
    """What this worker looks for."""
    task = " ".join(state.task.split())
    head, tail = _subject_and_rest(task, state.topic)
    tail = _ASKING_ZH.sub(" ", tail)
    named = names(state.topic, state.task)
    if head:  # names that only the aspect has are looked for, not asked of every page
        named &= roots(head)
    subject = (roots(head) if head else named) - REQUEST_WORDS
    found: dict[frozenset[str], str] = {}
    for text in _AND.split(tail):
        part = roots(text) - REQUEST_WORDS - subject - named
        if part and not any(part <= known for known in found):
            found[part] = " ".join(word for word in text.split() if roots(word) - subject - named)
    if not head:  # a question that is a sentence: its halves make no sense by themselves
        whole = roots(tail) - REQUEST_WORDS - named
        found = {whole: tail} if whole else {}
    if len(found) < 2:  # what the query says more is wanted as well
        more = roots(_ASKING_ZH.sub(" ", state.query)) - REQUEST_WORDS - subject - named
        part = frozenset().union(more, *found)
        found = {part: tail} if part else {}
    return Aspect(
        subject=subject or named or roots(state.query) - REQUEST_WORDS,
        names=named,
        parts=tuple(found),
        asked=tuple(found.values()),
    )


def _subject_and_rest(task: str, topic: str) -> tuple[str, str]:
    """What stands before the colon, if it is what the topic is about, and what follows it.

    Other words before a colon (``In other words:``) say nothing about either.
    """
    rest = task
    while match := _COLON.match(rest):
        head, rest = match["head"], match["tail"]
        if not topic or roots(head) & roots(topic):
            return head, rest
    return "", rest


def names(*texts: str) -> frozenset[str]:
    """Proper names in a question, as far as capitals tell: a page that has none is off it."""
    found: set[str] = set()
    for text in texts:
        for sentence in split_sentences(text):
            for word in sentence.split()[1:]:
                bare = word.strip("\"'“”‘’()[],.:;!?…")
                if bare[:1].isupper() and bare[1:].islower():
                    found |= {root(term) for term in terms(bare)}
    return frozenset(found) - REQUEST_WORDS


def names_in(texts: Iterable[str]) -> set[str]:
    """Proper names in running text: capitals within a sentence, months and days left out."""
    found: set[str] = set()
    for text in texts:
        for match in _NAME.finditer(text):
            word = match[0].casefold()
            if word not in _CALENDAR:
                found.add(word)
    return found


@dataclass(frozen=True)
class Context:
    """A text and what it stands under, as roots."""

    text: frozenset[str]
    heading: frozenset[str] = frozenset()
    title: frozenset[str] = frozenset()
    foreign: bool = False
    """In another language than the question, so that its words can only be akin."""

    @property
    def all(self) -> frozenset[str]:
        """Everything together."""
        return self.text | self.heading | self.title


class Weights:
    """How much each word tells: the rarer in the texts at hand, the more."""

    def __init__(self, texts: Sequence[frozenset[str]]) -> None:
        self._count = len(texts)
        self._texts = texts
        self._known: dict[str, float] = {}

    def of(self, word: str) -> float:
        """The weight of one word, between about 0.3 and 4."""
        if word not in self._known:
            near = akin(word)
            holders = sum(word in text or not near.isdisjoint(text) for text in self._texts)
            rarity = log(1 + (self._count - holders + 0.5) / (holders + 0.5))
            self._known[word] = 0.3 + rarity
        return self._known[word]


def fit(part: Iterable[str], context: Context, weights: Weights) -> float:
    """From 0 to 1: how much of a part a text speaks of, by its own words and those above it."""
    total = gained = 0.0
    for word in part:
        weight = weights.of(word)
        total += weight
        gained += weight * _found(word, context)
    return gained / total if total else 0.0


def _found(word: str, context: Context) -> float:
    if word in context.text:
        return 1.0
    near = akin(word)
    kin = _AKIN_FOREIGN if context.foreign else _AKIN
    best = kin if not near.isdisjoint(context.text) else 0.0
    for words, worth in ((context.heading, _HEADING), (context.title, _TITLE)):
        if word in words:
            best = max(best, worth)
        elif not near.isdisjoint(words):
            best = max(best, worth * kin)
    return best
