"""S3-48, W3-14: the log tells the whole state of a run, at every one of its entries."""

from __future__ import annotations

import copy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from leadline.domain import events as ev
from leadline.domain.config import RunConfig
from leadline.domain.projection import RunView
from leadline.runs.event_log import read_log
from leadline.runs.session import RunSession
from leadline.runs.store import RunStore
from tests.runs.evidence_by_hand import whole_run


def watched() -> tuple[type[RunSession], dict[int, dict[str, Any]]]:
    """A kind of session, and what its view was after each entry, by the entry's number."""
    seen: dict[int, dict[str, Any]] = {}

    class Watched(RunSession):
        def emit(self, event: ev.Event, *, task: str = "") -> None:
            super().emit(event, task=task)
            seen[self.view.seq] = copy.deepcopy(vars(self.view))

    return Watched, seen


def test_the_state_at_every_entry_is_rebuilt_from_the_log(tmp_path: Path) -> None:
    """S3-48, W3-14: what the owner saw after entry n is what the first n lines say."""
    session_type, seen_at = watched()
    folder = whole_run(tmp_path, session_type=session_type)
    entries, _ = read_log(folder.file("audit.jsonl"))
    assert [entry.seq for entry in entries] == list(seen_at)
    for count in range(1, len(entries) + 1):
        view = RunView()
        for entry in entries[:count]:
            view.apply(entry)
        seen, rebuilt = seen_at[count], vars(view)
        for name, value in seen.items():
            assert rebuilt[name] == value, f"{name} after entry {count} ({entries[count - 1]})"
        assert rebuilt.keys() == seen.keys()
    kinds = {entry.event.type for entry in entries}
    every = {member.model_fields["type"].default for member in ev.EventBase.__subclasses__()}
    assert every - kinds == {"run.failed"}, "a run that fails cannot also end well"


def test_w3_14_each_event_is_on_the_disk_with_number_and_time_when_it_has_happened(
    tmp_path: Path,
) -> None:
    """A process that is gone the next moment leaves all that it had done."""
    folder = RunStore(tmp_path).create("Ferries", RunConfig())
    told: list[ev.Event] = [
        ev.RunStarted(session=1, pid=1, model="m"),
        ev.Notice(message="One."),
        ev.SearchDone(query="ferry", engine="demo", results=3),
        ev.TaskStarted(attempt=1, text="Who?", queries=("ferry",)),
    ]
    with RunSession.acquire(folder) as session:
        for number, event in enumerate(told, start=1):
            before = datetime.now(UTC).replace(microsecond=0)
            session.emit(event)
            entries, _ = read_log(folder.file("audit.jsonl"))
            assert [entry.event for entry in entries] == told[:number]
            assert entries[-1].seq == number
            assert before <= entries[-1].ts <= datetime.now(UTC)


def test_a_failed_run_is_rebuilt_too(tmp_path: Path) -> None:
    """S3-48: with the sentence that says why, and what was found before."""
    session_type, seen_at = watched()
    folder = whole_run(tmp_path)
    with session_type.acquire(folder) as session:
        session.emit(ev.RunStarted(session=session.number, pid=2, model="m"))
        session.end(ev.RunFailed(reason="The model does not answer; check its address."))
    view = RunView()
    for entry in read_log(folder.file("audit.jsonl"))[0]:
        view.apply(entry)
    assert vars(view) == seen_at[view.seq]
    assert (len(view.claims), view.reason[:9]) == (5, "The model")
