"""Which of some texts fit a query best: BM25 over ``text.words``, deterministic.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the
usual ``k1`` and ``b`` and an inverse document frequency that never falls below zero.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

from leadline.domain.text import stem, words

_K1 = 1.2
_B = 0.75


def rank(query: str, texts: Sequence[str]) -> list[tuple[int, float]]:
    """``(index, score)`` of the texts that share a word with the query, best first.

    Equal scores keep the order of ``texts``; texts that share no word are left out.
    """
    wanted = {stem(word) for word in words(query)}
    if not wanted or not texts:
        return []
    counts = [Counter(stem(word) for word in words(text)) for text in texts]
    lengths = [sum(count.values()) for count in counts]
    average = sum(lengths) / len(texts) or 1.0
    scores = [0.0] * len(texts)
    for term in sorted(wanted):
        holders = sum(term in count for count in counts)
        weight = log(1 + (len(texts) - holders + 0.5) / (holders + 0.5))
        for index, count in enumerate(counts):
            if frequency := count[term]:
                norm = frequency + _K1 * (1 - _B + _B * lengths[index] / average)
                scores[index] += weight * frequency * (_K1 + 1) / norm
    order = sorted(range(len(texts)), key=lambda i: (-scores[i], i))
    return [(i, scores[i]) for i in order if scores[i] > 0]
