"""The search of the demo web: BM25 over its pages, with a few words that mean the same.

A query in other words still finds something; a query of words that no page knows finds nothing.
A query is answered from the pages of one subject, and each subject is ranked by itself: pages
about another one change none of its results.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from leadline.demo.content import DemoContent, DemoPage
from leadline.demo.render import Renderer, ResultRow
from leadline.domain.ranking import rank
from leadline.domain.text import shorten, split_sentences, terms, words

RESULTS_MOST = 10

_TITLE_WEIGHT = 3
_SNIPPET_CHARS = 260
_INDEXED_CHARS = 6000
"""Of a longer page only the beginning is searched, so that its tables do not slow every query."""

_SHORTEST_PREFIX = 5
_UNSEEN = 0.01
"""The share of its pages that a subject may have a word on that stands on none of them."""

_ASKING = frozenset(
    {"many", "much", "often", "long", "large", "big", "good", "well", "best", "newest"}
    | {"year", "month", "day", "explain", "describe"}
)
"""Words of questions on any subject."""

_SYNONYMS = {
    "quorrow": {
        "boat": "ferry",
        "ship": "ferry",
        "vessel": "ferry",
        "passengers": "ridership",
        "travellers": "passengers ridership",
        "riders": "passengers ridership",
        "people": "passengers",
        "leave": "timetable departures",
        "ticket": "fare",
        "tickets": "fares",
        "price": "fare cost",
        "prices": "fares cost",
        "expensive": "cost",
        "money": "cost crowns",
        "budget": "cost",
        "spending": "cost",
        "schedule": "timetable departures",
        "animals": "seals seagrass",
        "wildlife": "seals seagrass",
        "environment": "seals seagrass carbon",
        "environmental": "seals seagrass carbon",
        "climate": "carbon dioxide emissions",
        "pollution": "carbon dioxide emissions",
        "noisy": "noise",
        "loud": "noise",
        "delays": "punctuality",
        "reliable": "punctuality cancelled",
        "outage": "storm faults",
        "crossing": "ferry",
        "link": "bridge",
        "vote": "poll",
        "opinion": "poll",
        "recharge": "charging",
        "大桥": "建桥",
        "动物": "海豹",
        "环境": "海豹 噪声",
        "价格": "票价 费用",
        "成本": "费用",
        "轮船": "渡轮",
        "乘客": "客流量",
        "班次": "时刻表",
    },
    "tarnstone": {
        "fast": "throughput operations",
        "speed": "throughput operations",
        "performance": "throughput operations benchmark",
        "throughput": "operations",
        "electricity": "energy watt",
        "consumption": "energy",
        "capacity": "limits size",
        "maximum": "most limits",
        "durability": "crash lost",
        "outage": "power crash",
        "reliability": "crash lost recovery",
        "license": "licence",
        "licensing": "licence",
        "fee": "price",
        "fees": "prices",
        "cost": "price florins",
        "costs": "prices florins",
        "pricing": "price florins",
        "hosting": "managed hosted",
        "version": "release",
        "popular": "downloads",
        "popularity": "downloads",
        "community": "contributed",
        "developers": "contributed",
        "contributors": "contributed",
        "hang": "stall",
        "freeze": "stall",
        "slow": "stall",
        "message": "error",
        "support": "fixes end",
        "customers": "users",
        "criticism": "grumpy left leave",
        "下载": "下载量",
        "价格": "弗罗林",
        "性能": "写入 记录",
        "限制": "容量上限",
        "授权": "许可证",
    },
}
"""For each subject, what its pages say for a word of a query."""


class DemoIndex:
    """Finds pages; built once a server."""

    def __init__(self, content: DemoContent, renderer: Renderer) -> None:
        self._subjects = [
            _SubjectIndex(subject, content.of_subject(subject), renderer)
            for subject in content.subjects
        ]

    def search(self, query: str) -> list[ResultRow]:
        """Up to ten rows of the subject that fits the query best, best first."""
        shares = [
            [subject.share(word) for subject in self._subjects]
            for word in dict.fromkeys(words(query))
            if word not in _ASKING
        ]
        # Naive Bayes: how likely these words are on a page of each subject. A word that stands
        # nowhere says nothing; of equals the first subject is taken.
        known = [of_word for of_word in shares if any(of_word)]
        fits = [
            sum(log(max(of_word[number], _UNSEEN)) for of_word in known)
            for number in range(len(self._subjects))
        ]
        return self._subjects[fits.index(max(fits))].search(query)


class _SubjectIndex:
    """The pages of one subject."""

    def __init__(self, subject: str, pages: Sequence[DemoPage], renderer: Renderer) -> None:
        self._renderer = renderer
        self._synonyms = _SYNONYMS.get(subject, {})
        self._pages = pages
        self._texts = [renderer.plain(page)[:_INDEXED_CHARS] for page in pages]
        self._documents = [
            "\n".join([page.title] * _TITLE_WEIGHT + [text])
            for page, text in zip(pages, self._texts, strict=True)
        ]
        self._known = {word for document in self._documents for word in words(document)}
        self._terms = [terms(document) for document in self._documents]

    def share(self, word: str) -> float:
        """The share of the pages that have a word, or one that is looked for in its place."""
        wanted = terms(" ".join([word, *self._instead(word)]))
        return sum(not wanted.isdisjoint(page) for page in self._terms) / len(self._terms)

    def search(self, query: str) -> list[ResultRow]:
        """Up to ten rows, best first."""
        ranked = rank(self._widened(query), self._documents)[:RESULTS_MOST]
        return [self._row(self._pages[index], self._texts[index], query) for index, _ in ranked]

    def _widened(self, query: str) -> str:
        """The query, with what the pages say for words that they do not have."""
        added = [other for word in words(query) for other in self._instead(word)]
        return " ".join([query, *added])

    def _instead(self, word: str) -> list[str]:
        if synonym := self._synonyms.get(word):
            return [synonym]
        if word in self._known or len(word) <= _SHORTEST_PREFIX:
            return []
        stem = word[:-2] if len(word) > _SHORTEST_PREFIX + 2 else word[:-1]
        return sorted(known for known in self._known if known.startswith(stem))[:3]

    def _row(self, page: DemoPage, text: str, query: str) -> ResultRow:
        sentences = [line for line in split_sentences(text) if len(line) > 1]
        best = rank(query, sentences)
        start = best[0][0] if best else 0
        snippet = " ".join(sentences[start : start + 2])
        return ResultRow(
            title=page.title,
            url=self._renderer.address(page.site.id, page.path),
            snippet=shorten(" ".join(snippet.split()), _SNIPPET_CHARS),
            date=page.date,
        )
