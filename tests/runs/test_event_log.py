from __future__ import annotations

import errno
import json
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.domain.events import HostContacted, Notice, PageFailed, TaskFinished
from leadline.domain.plan import TaskState
from leadline.errors import LeadlineError, RunFolderDamaged
from leadline.runs.event_log import EventLog, read_log


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


def write(path: Path, *messages: str) -> None:
    log = EventLog.open(path).log
    for message in messages:
        log.append(Notice(message=message))
    log.close()


def messages(path: Path, offset: int = 0) -> list[str]:
    entries, _ = read_log(path, offset)
    return [e.event.message for e in entries if isinstance(e.event, Notice)]


def test_numbers_go_on_over_sessions_without_gaps(path: Path) -> None:
    write(path, "one", "zwei\nLinien", "三\u2028")
    write(path, "four")
    assert [e.seq for e in read_log(path)[0]] == [1, 2, 3, 4]
    assert messages(path) == ["one", "zwei\nLinien", "三\u2028", "four"]
    assert "三" in path.read_text("utf-8")


def test_a_reader_goes_on_from_its_cursor_and_leaves_half_a_line(path: Path) -> None:
    """W2-15, W3-18: a reader never sees half an event, and sees every one once."""
    assert read_log(path, 0) == ([], 0)
    write(path, "one")
    _, cursor = read_log(path)
    write(path, "two")
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    assert read_log(path, cursor) == ([], cursor)
    path.write_bytes(whole)
    assert messages(path, cursor) == ["two"]


@settings(max_examples=40, deadline=None)
@given(cut=st.integers(min_value=1, max_value=400))
def test_a_crash_at_any_byte_loses_at_most_the_last_line(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    """safety 35: wherever the file ends, it opens, and numbers have no gap."""
    path = tmp_path_factory.mktemp("log") / "audit.jsonl"
    write(path, "one", "two", "three", "four")
    content = path.read_bytes()[: -cut or None]
    path.write_bytes(content)
    opened = EventLog.open(path)
    assert [e.seq for e in opened.entries] == list(range(1, content.count(b"\n") + 1))
    entry = opened.log.append(Notice(message="on"))
    opened.log.close()
    assert entry.seq == content.count(b"\n") + 1
    assert messages(path)[-1] == "on"


@pytest.mark.parametrize(
    "damage",
    [
        b"{}\n",
        b"garbage\n",
        b"\n",
        b"\xff\xfe\n",
        b'{"seq":7,"ts":"2026-01-01T00:00:00Z","type":"notice","data":{"message":"x"}}\n',
        b'{"seq":2,"ts":"2026-01-01T00:00:00Z","type":"unheard-of","data":{}}\n',
        b"[]\n",
        b'"text"\n',
    ],
)
def test_a_damaged_line_is_never_skipped(path: Path, damage: bytes) -> None:
    """safety 38."""
    write(path, "one", "two")
    first, second = path.read_bytes().splitlines(keepends=True)
    content = first + damage + second
    path.write_bytes(content)
    for look in (EventLog.open, read_log):
        with pytest.raises(RunFolderDamaged, match=r"audit\.jsonl is damaged at entry 2"):
            look(path)
    assert path.read_bytes() == content
    (backup,) = path.parent.glob("*.damaged-*")
    assert backup.read_bytes() == content


def test_a_full_disk_leaves_whole_lines(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """safety 38: half a line that was written before the disk was full is taken back."""
    write(path, "one")
    log = EventLog.open(path).log
    real = os.write

    def half(handle: int, data: bytes) -> int:
        real(handle, bytes(data)[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", half)
        with pytest.raises(LeadlineError, match="No space left"):
            log.append(Notice(message="lost"))
    log.append(Notice(message="two"))
    log.close()
    assert messages(path) == ["one", "two"]
    with pytest.raises(LeadlineError):
        log.append(Notice(message="late"))


def test_results_are_synced_and_chatter_is_not(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """safety 35."""
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    log = EventLog.open(path).log
    log.append(HostContacted(host="a.example", purpose="page"))
    log.append(PageFailed(url="u", reason="r", blocked=True))
    assert not synced
    log.append(TaskFinished(attempt=1, state=TaskState.DONE), task="t1")
    assert len(synced) == 1
    log.close()


def test_many_threads_may_append(path: Path) -> None:
    log = EventLog.open(path).log

    def work(name: str) -> None:
        for number in range(50):
            log.append(Notice(message=f"{name}{number}"))

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.close()
    assert [e.seq for e in read_log(path)[0]] == list(range(1, 201))
    assert len(set(messages(path))) == 200


def test_what_is_stored_is_what_the_writer_sees(path: Path) -> None:
    """safety 48: half a surrogate pair."""
    log = EventLog.open(path).log
    entry = log.append(Notice(message="a\udc80b"))
    log.close()
    assert isinstance(entry.event, Notice)
    assert entry.event.message == messages(path)[0] == "a?b"
    json.loads(path.read_bytes())
