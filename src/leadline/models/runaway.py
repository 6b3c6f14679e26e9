"""Tells when a stream will never end: too long, or the same words over and over."""

from __future__ import annotations

_LOOK_EVERY = 1_000
_TAIL = 3_000
_LONGEST_PERIOD = _TAIL // 4


class RunawayGuard:
    """Fed with visible text; ``reason`` is set once the text should be cut."""

    def __init__(self, max_chars: int) -> None:
        self._max_chars = max_chars
        self._length = 0
        self._looked = 0
        self._tail = ""
        self.reason = ""

    def feed(self, text: str) -> str:
        """Take the next piece; returns what of it is still within the length."""
        kept = text[: max(0, self._max_chars - self._length)]
        self._length += len(text)
        self._tail = (self._tail + text)[-_TAIL:]
        if self._length > self._max_chars:
            self.reason = "cut at the length limit"
        elif self._length >= self._looked + _LOOK_EVERY:
            self._looked = self._length
            if len(self._tail) == _TAIL and period(self._tail) <= _LONGEST_PERIOD:
                self.reason = "cut: it repeated itself"
        return kept


def period(text: str) -> int:
    """The smallest shift under which ``text`` lies on itself; its length when there is none."""
    borders = [0] * len(text)
    matched = 0
    for at in range(1, len(text)):
        while matched and text[at] != text[matched]:
            matched = borders[matched - 1]
        if text[at] == text[matched]:
            matched += 1
        borders[at] = matched
    return len(text) - (borders[-1] if text else 0)
