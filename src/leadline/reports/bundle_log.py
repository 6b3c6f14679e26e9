"""The log of a run, read line by line from wherever it lies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from leadline.domain.events import Entry
from leadline.domain.projection import RunView


class UnreadableLog(Exception):
    """A line is no entry, or its number is not the next one; the sentence names it."""


def entries_of(lines: Iterable[bytes]) -> Iterator[Entry]:
    """The entries of whole lines, numbered from 1 without gaps; a torn last line is left out."""
    for number, line in enumerate(lines, 1):
        if not line.endswith(b"\n"):
            return
        try:
            entry = Entry.from_wire(json.loads(line))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UnreadableLog(f"Line {number} of audit.jsonl is no entry of a log.") from error
        if entry.seq != number:
            raise UnreadableLog(
                f"Line {number} of audit.jsonl is numbered {entry.seq}: entries are missing, "
                "doubled or out of order."
            )
        yield entry


def replay(entries: Iterable[Entry]) -> RunView:
    """The run as the entries tell it."""
    view = RunView()
    for entry in entries:
        view.apply(entry)
    return view
