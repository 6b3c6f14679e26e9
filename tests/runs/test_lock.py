from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import psutil
import pytest

from leadline.errors import LeadlineError, RunBusy
from leadline.runs.control import Control, Ticket
from leadline.runs.lock import Owner, OwnerLock, current_owner


def test_an_owner_is_believed_only_while_it_holds_the_lock(tmp_path: Path) -> None:
    """safety 39."""
    lock = OwnerLock(tmp_path)
    assert current_owner(tmp_path) is None
    lock.acquire()
    note = (tmp_path / "owner.json").read_text()
    assert current_owner(tmp_path) == Owner.me()
    lock.release()
    lock.release()
    assert current_owner(tmp_path) is None
    (tmp_path / "owner.json").write_text(note)
    assert current_owner(tmp_path) is None, "a note that was left behind"
    (tmp_path / "owner.json").write_text("{")
    assert current_owner(tmp_path) is None


def test_a_dead_owner_of_the_same_pid_is_none(tmp_path: Path) -> None:
    with_lock = OwnerLock(tmp_path)
    with_lock.acquire()
    other = {**Owner.me().model_dump(), "create_time": 1.0}
    (tmp_path / "owner.json").write_text(json.dumps(other))
    assert current_owner(tmp_path) is None
    with_lock.release()


def test_an_owner_on_another_machine_is_named(tmp_path: Path) -> None:
    lock = OwnerLock(tmp_path)
    lock.acquire()
    other = Owner(pid=1, create_time=1.0, host="elsewhere")
    (tmp_path / "owner.json").write_text(other.model_dump_json())
    assert current_owner(tmp_path) == other
    with pytest.raises(RunBusy, match="process 1 on elsewhere"):
        OwnerLock(tmp_path).acquire()
    lock.release()


def test_looking_never_makes_an_acquisition_fail(tmp_path: Path) -> None:
    (tmp_path / "owner.json").write_text(Owner.me().model_dump_json())
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            current_owner(tmp_path)

    lookers = [threading.Thread(target=look) for _ in range(3)]
    for thread in lookers:
        thread.start()
    try:
        until = time.monotonic() + 0.5
        while time.monotonic() < until:
            lock = OwnerLock(tmp_path)
            lock.acquire()
            assert lock.held
            lock.release()
    finally:
        over.set()
        for thread in lookers:
            thread.join()


def test_a_stop_beside_a_ticket_is_meant_for_this_start(tmp_path: Path) -> None:
    """safety 40: a stop during the launch is not lost; one from before is."""
    control = Control(tmp_path / "control")
    control.request_stop()
    control.begin_session()
    assert not control.stop_requested()
    control.write_ticket(Ticket(by=Owner.me(), asked_at=1.0))
    control.request_stop()
    control.begin_session()
    assert control.stop_requested()
    assert control.ticket() is None


def test_an_owner_is_seen_where_nothing_may_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = OwnerLock(tmp_path)
    lock.acquire()

    def refused(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr("leadline.runs.lock.os.open", refused)
        assert current_owner(tmp_path) == Owner.me()
        with pytest.raises(LeadlineError, match=r"owner\.lock cannot be opened \(Permission"):
            OwnerLock(tmp_path).acquire()
    lock.release()


@pytest.mark.skipif(not psutil.LINUX, reason="elsewhere only the system's clock tells")
def test_a_clock_that_is_set_anew_makes_nobody_a_stranger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """safety 39, 40: else a run at work would be "interrupted", and a stop could not end it."""
    lock = OwnerLock(tmp_path)
    lock.acquire()
    boot = psutil.boot_time()
    monkeypatch.setattr("psutil._pslinux.boot_time", lambda: boot - 7200)
    assert current_owner(tmp_path) == Owner.me()
    lock.release()
