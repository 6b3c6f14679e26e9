"""Which sources are independent of each other.

One wire story on five sites is one origin, and so are several pages of one publisher. Copies are
found by shingles (Broder, "On the resemblance and containment of documents", 1997): the share of
the smaller text's word sequences that also stand in the other, so that a copy with a frame around
it is still a copy. Exact sets, not sketches: a run has a few hundred sources at most.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from urllib.parse import urlsplit

from tld import get_fld

from leadline.domain.evidence import Snapshot, Source
from leadline.domain.text import words

SHINGLE_WORDS = 4
MIN_SHINGLES = 12
"""A text with fewer says too little to be called a copy."""
COPIED = 0.6
"""Share of the smaller text's shingles from which it counts as a copy."""

# Sites on which each author publishes: the publisher is the first part of the path as well.
_AUTHORS_BY_PATH = frozenset({
    "github.com", "gitlab.com", "codeberg.org", "medium.com", "youtube.com", "x.com",
    "twitter.com", "reddit.com", "facebook.com", "linkedin.com", "google.com",
})  # fmt: skip
# Archives of works by many hands: each document is a publisher of its own.
_ARCHIVES = frozenset({
    "arxiv.org", "ssrn.com", "doi.org", "biorxiv.org", "medrxiv.org", "nih.gov", "archive.org",
    "researchgate.net", "zenodo.org", "jstor.org", "semanticscholar.org",
})  # fmt: skip


def publisher(url: str) -> str:
    """Who publishes at an address, as far as the address tells: usually the registrable domain."""
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    domain = get_fld(url, fail_silently=True, search_private=True) or host
    if domain in _ARCHIVES:
        return f"{host}{parts.path}"
    if domain in _AUTHORS_BY_PATH:
        first = parts.path.strip("/").partition("/")[0]
        return f"{domain}/{first}".rstrip("/")
    return domain


def publishers(source: Source) -> list[str]:
    """Names that a source's publisher goes by: its domain, and the name that the page gives."""
    return [name for name in (publisher(source.url), source.publisher.casefold()) if name]


def find_origins(snapshots: Iterable[Snapshot]) -> dict[int, int]:
    """Source id → id of the source that its text comes from: itself, unless it is a copy.

    Of copies the earliest published one stands for all.
    """
    known = sorted(snapshots, key=lambda s: s.source.id)
    groups = _Groups([s.source.id for s in known])
    for snapshot in known:
        if snapshot.source.origin is not None:
            groups.join(snapshot.source.id, snapshot.source.origin)
    for one, other in _copies([(s.source.id, shingles(_text(s))) for s in known]):
        groups.join(one, other)
    sources = {s.source.id: s.source for s in known}
    return {
        member: min(group, key=lambda i: _seniority(sources[i]))
        for group in groups.all()
        for member in group
    }


def independent(
    source_ids: Iterable[int], sources: Mapping[int, Source], origins: Mapping[int, int]
) -> tuple[int, ...]:
    """How many independent origins some sources are, as one source id each.

    Copies of one text are one, and so are pages of one publisher. Joined only among these sources:
    two papers that printed one wire story are still two papers for all else.
    """
    ids = list(dict.fromkeys(source_ids))
    groups = _Groups(ids)
    seen: dict[object, int] = {}
    for number in ids:
        marks: list[object] = [origins.get(number, number)]
        if number in sources:
            marks += publishers(sources[number])
        for mark in marks:
            groups.join(number, seen.setdefault(mark, number))
    return tuple(min(group) for group in groups.all())


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """The sequences of ``SHINGLE_WORDS`` words that a text has."""
    terms = words(text)
    return frozenset(zip(*(terms[i:] for i in range(SHINGLE_WORDS)), strict=False))


def _copies(texts: Sequence[tuple[int, frozenset[tuple[str, ...]]]]) -> Iterable[tuple[int, int]]:
    """Pairs that share enough. Two texts that do share one of the smaller one's rarest shingles
    (prefix filtering), so that only few pairs are compared whole."""
    holders = Counter(shingle for _, own in texts for shingle in own)
    rarity = {s: place for place, s in enumerate(sorted(holders, key=holders.__getitem__))}
    order = sorted((t for t in texts if len(t[1]) >= MIN_SHINGLES), key=lambda t: -len(t[1]))
    having: dict[tuple[str, ...], list[int]] = {}
    for index, (one, own) in enumerate(order):
        rarest = sorted(own, key=rarity.__getitem__)
        prefix = rarest[: len(own) - ceil(COPIED * len(own)) + 1]
        for place in sorted({i for shingle in prefix for i in having.get(shingle, ())}):
            other, theirs = order[place]
            if len(own & theirs) >= COPIED * len(own):
                yield one, other
        for shingle in own:
            if holders[shingle] > 1:
                having.setdefault(shingle, []).append(index)


def _text(snapshot: Snapshot) -> str:
    return "\n".join(passage.text for passage in snapshot.passages)


def _seniority(source: Source) -> tuple[str, int]:
    dated = re.match(r"\d{4}(-\d{2}){0,2}", source.date)
    return (dated[0] if dated else "9999", source.id)


class _Groups:
    """Sets that are joined pairwise."""

    def __init__(self, members: Sequence[int]) -> None:
        self._parent = {member: member for member in members}

    def _root(self, member: int) -> int:
        while self._parent[member] != member:
            member = self._parent[member]
        return member

    def join(self, one: int, other: int) -> None:
        """Put both into one group; an unknown one is left out."""
        if one in self._parent and other in self._parent:
            first, second = sorted((self._root(one), self._root(other)))
            self._parent[second] = first

    def all(self) -> list[list[int]]:
        """Every group with its members."""
        groups: dict[int, list[int]] = {}
        for member in self._parent:
            groups.setdefault(self._root(member), []).append(member)
        return list(groups.values())
