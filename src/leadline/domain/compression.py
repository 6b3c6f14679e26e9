"""Fits findings or claims into a budget of tokens by relevance; no id is ever lost.

Each one has several forms, the full one first. The ones that fit the query best stay in full
in half of the room; the rest of it goes to all others, everything in its short form before anything
in a longer one. What has no room at all is named by its id in one last line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leadline.domain.ranking import rank
from leadline.domain.text import estimate_tokens

ALSO = "also: "


@dataclass(frozen=True)
class Item:
    """One of them: its id, its source (0: unknown), what it is ranked by, its lines by length."""

    id: str
    source: int
    text: str
    forms: tuple[str, ...]


@dataclass(frozen=True)
class Compressed:
    """Which form each item was given, in the order they came; ``len(forms)`` is its id alone."""

    levels: tuple[int, ...]
    shortened: int = 0
    listed: int = 0

    def note(self, noun: str = "findings") -> str:
        """What was left out, as a sentence; empty when nothing was."""
        told = []
        if self.shortened:
            told.append(f"{self.shortened} of {len(self.levels)} {noun} were shortened")
        if self.listed:
            told.append(f"{self.listed} of {len(self.levels)} {noun} are named by their ids alone")
        return f"To fit the model's context, {' and '.join(told)}." if told else ""


def compress(items: Sequence[Item], query: str, tokens: int) -> Compressed:
    """Choose a form for each item so that lines and ids take at most ``tokens``.

    When not even the ids fit (:func:`ids_cost`), ids are all that is left.
    """
    costs = [[*(_cost(form) for form in item.forms), _cost(item.id)] for item in items]
    if sum(cost[0] for cost in costs) <= tokens:
        return Compressed((0,) * len(items))
    levels = _levels(costs, _order(items, query), tokens - ids_cost(items))
    alone = [level == len(item.forms) for level, item in zip(levels, items, strict=True)]
    listed = sum(alone)
    shortened = sum(level > 0 for level in levels) - listed
    return Compressed(tuple(levels), shortened, listed)


def ids_cost(items: Iterable[Item]) -> int:
    """At most this many tokens has the line that names all items."""
    items = list(items)
    sources = {item.source for item in items}
    groups = sum(_cost(f" [source {source}];") for source in sources)
    return _cost(ALSO) + groups + sum(_cost(item.id) for item in items)


def also_line(named: Iterable[tuple[str, int]]) -> str:
    """``also: f12 f13 [source 4]; f20 [source 7]`` for pairs of id and source; may be empty."""
    groups: dict[int, list[str]] = {}
    for name, source in named:
        groups.setdefault(source, []).append(name)
    told = [
        " ".join(ids) + (f" [source {source}]" if source else "") for source, ids in groups.items()
    ]
    return ALSO + "; ".join(told) if told else ""


def _order(items: Sequence[Item], query: str) -> list[int]:
    ranked = [index for index, _ in rank(query, [item.text for item in items])]
    return [*ranked, *(i for i in range(len(items)) if i not in set(ranked))]


def _levels(costs: Sequence[Sequence[int]], order: Sequence[int], room: int) -> list[int]:
    levels = [len(cost) - 1 for cost in costs]
    for_best = room // 2
    for index in order:
        extra = costs[index][0] - costs[index][-1]
        if extra > for_best:
            break
        levels[index] = 0
        for_best -= extra
        room -= extra
    for level in range(max(map(len, costs)) - 2, -1, -1):
        for index in order:
            if level < levels[index]:
                extra = costs[index][level] - costs[index][levels[index]]
                if extra <= room:
                    levels[index] = level
                    room -= extra
    return levels


def _cost(line: str) -> int:
    """Tokens of a line with its end: sums of these are never below the cost of the whole."""
    return estimate_tokens(line + "\n")
