"""Which search results the offline model reads, and which links of a page it follows. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urljoin

from leadline.browsing.offline_aspect import Aspect, Context, Weights, fit
from leadline.browsing.offline_words import CONSENT, MORE, roots
from leadline.browsing.state import CurrentPage, Element, Row

Places = Mapping[str, Mapping[str, int]]
"""Address → query → place among its results, from 0."""

_OTHER_PAGE_OF_HOST = 0.85
_SAME_TITLE = 0.5
_SPEAKS = 0.6
_FEW = 3
_IN_TITLE = 0.4
"""What a title on the aspect counts beside a snippet that mentions it."""
_RANK = 0.5
"""What the first place in the search for a part is worth beside what title and snippet say."""


def choose_rows(
    rows: Iterable[Row],
    most: int,
    aspect: Aspect,
    *,
    places: Places | None = None,
    read: Sequence[Row] = (),
) -> list[Row]:
    """The results to read: for each part in turn the one whose title and snippet fit it best.

    Another page of a host that is chosen already, and a title that was seen already, weigh less;
    what was ``read`` already counts among them. ``places`` says how high an address came in each
    search. Of equals the newer one is taken, then the one that was found first.
    """
    left = list(rows)
    chosen: list[Row] = []
    contexts = {row.number: Context(roots(row.snippet), title=roots(row.title)) for row in left}
    weights = Weights([context.all for context in contexts.values()])
    found = places or {}
    parts = aspect.parts or (aspect.subject,)

    def value(row: Row, part: frozenset[str]) -> float:
        context = contexts[row.number]
        own = fit(part, Context(context.all), weights)
        score = own + _IN_TITLE * fit(part, Context(context.title), weights)
        score += 0.25 * fit(aspect.wanted, Context(context.all), weights)
        score += 0.15 * bool(aspect.names & context.all)
        score += 0.2 + _RANK * _by_engine(found.get(row.url, {}), part)
        for other in (*read, *chosen):
            score *= _OTHER_PAGE_OF_HOST if other.host == row.host else 1.0
            score *= _SAME_TITLE if _title(other) == _title(row) else 1.0
        return score

    while left and len(chosen) < most:
        part = parts[(len(read) + len(chosen)) % len(parts)]
        best = max(left, key=lambda row: (round(value(row, part), 6), row.date, -row.number))
        left.remove(best)
        chosen.append(best)
    return chosen


def is_found(rows: Iterable[Row], part: frozenset[str]) -> bool:
    """Whether the titles or snippets of a few results speak of most of one part."""
    contexts = [Context(roots(f"{row.title} {row.snippet}")) for row in rows]
    return sum(fit(part, context, Weights([])) >= _SPEAKS for context in contexts) >= _FEW


def button(elements: Iterable[Element]) -> Element | None:
    """A button that lets one in or shows more; consent first."""
    buttons = [e for e in elements if e.kind in ("button", "a", "input", "div", "span") and e.text]
    for pattern in (CONSENT, MORE):
        for element in buttons:
            if pattern.search(element.text) and len(element.text) <= 60:
                return element
    return None


def is_consent(element: Element) -> bool:
    """Whether the button opens a page rather than shows more of it."""
    return bool(CONSENT.search(element.text))


def links_in(page: CurrentPage, sentences: Sequence[str], known: set[str]) -> list[str]:
    """Addresses of the page's links whose text stands in one of these sentences, unread ones."""
    found: list[str] = []
    for element in page.elements:
        text = element.text.strip()
        if not element.href or len(text) < 4:
            continue
        url = urljoin(page.url, element.href)
        if url not in known and any(text.casefold() in s.casefold() for s in sentences):
            found.append(url)
    return list(dict.fromkeys(found))


def _by_engine(places: Mapping[str, int], part: frozenset[str]) -> float:
    """From 0 to 1: how high a page came in a search for this part."""
    best = 0.0
    for query, place in places.items():
        asked = len(part & roots(query)) / len(part) if part else 1.0
        best = max(best, asked / (1 + place / 2))
    return best


def _title(row: Row) -> str:
    return " ".join(row.title.casefold().split())
