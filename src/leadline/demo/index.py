"""The search of the demo web: BM25 over its pages, with a few words that mean the same.

A query in other words still finds something; a query of words that no page knows finds nothing.
"""

from __future__ import annotations

from leadline.demo.content import DemoContent, DemoPage
from leadline.demo.render import Renderer, ResultRow
from leadline.domain.ranking import rank
from leadline.domain.text import shorten, split_sentences, words

RESULTS_MOST = 10

_TITLE_WEIGHT = 3
_SNIPPET_CHARS = 260
_INDEXED_CHARS = 6000
"""Of a longer page only the beginning is searched, so that its tables do not slow every query."""

_SHORTEST_PREFIX = 5
_SYNONYMS = {
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
}


class DemoIndex:
    """Finds pages; built once a server."""

    def __init__(self, content: DemoContent, renderer: Renderer) -> None:
        self._renderer = renderer
        self._pages = list(content.pages.values())
        self._texts = [renderer.plain(page)[:_INDEXED_CHARS] for page in self._pages]
        self._documents = [
            "\n".join([page.title] * _TITLE_WEIGHT + [text])
            for page, text in zip(self._pages, self._texts, strict=True)
        ]
        self._known = {word for document in self._documents for word in words(document)}

    def search(self, query: str) -> list[ResultRow]:
        """Up to ten rows, best first."""
        ranked = rank(self._widened(query), self._documents)[:RESULTS_MOST]
        return [self._row(self._pages[index], self._texts[index], query) for index, _ in ranked]

    def _widened(self, query: str) -> str:
        """The query, with what the pages say for words that they do not have."""
        added = []
        for word in words(query):
            if synonym := _SYNONYMS.get(word):
                added.append(synonym)
            elif word not in self._known and len(word) >= _SHORTEST_PREFIX + 1:
                stem = word[:-2] if len(word) > _SHORTEST_PREFIX + 2 else word[:-1]
                added += sorted(known for known in self._known if known.startswith(stem))[:3]
        return " ".join([query, *added])

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
