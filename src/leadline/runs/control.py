"""``control/``: what others ask of a run, and who is about to run it.

Requests are files: they need no connection, outlive their sender and cannot be missed. A stop
belongs to the session that it finds. A ticket says that a run was asked to start and which
process answers for it until the run's own process owns the folder.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from leadline.errors import RunFolderDamaged
from leadline.runs.atomic import make_folder, replace_bytes, replace_json, replace_text
from leadline.runs.lock import Owner

_FILES = (
    "owner.lock", "owner.json", "ticket.json", "plan.lock", "stop", "reserve", "runner.log",
)  # fmt: skip
_RESERVE_BYTES = 32_768
"""Kept while a session works, so that on a full disk it can still say how it ended."""


class Ticket(BaseModel):
    """A start that was asked for: by whom, and the child process once there is one."""

    model_config = ConfigDict(frozen=True)

    by: Owner
    child: Owner | None = None
    asked_at: float
    """Seconds since the epoch; the oldest is started first."""

    @property
    def is_starting(self) -> bool:
        """Whether its child process lives."""
        return self.child is not None and self.child.is_alive()

    @property
    def is_waiting(self) -> bool:
        """Whether somebody who lives will start it."""
        return self.child is None and self.by.is_alive()


def check_kind(path: Path, *, is_folder: bool) -> None:
    """Raise :class:`RunFolderDamaged` if something else than a file (or folder) is at ``path``,
    or one that may not be written. Nothing at all is fine."""
    wrong = ""
    if path.is_symlink():
        wrong = "is a symbolic link, which Leadline does not follow"
    elif is_folder and path.exists() and not path.is_dir():
        wrong = "is no folder"
    elif not is_folder and path.exists() and not path.is_file():
        wrong = "is no file"
    elif path.exists() and not os.access(path, os.R_OK | os.W_OK):
        wrong = "may not be read and written"
    if wrong:
        raise RunFolderDamaged(
            f"{path} {wrong}; move it away, allow access to it or put back a good copy, then try "
            "again."
        )


class Control:
    """The control folder of a run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stop = path / "stop"
        self._ticket = path / "ticket.json"
        self._reserve = path / "reserve"

    @property
    def runner_log(self) -> Path:
        """Where the run's process writes what goes wrong."""
        return self.path / "runner.log"

    @property
    def plan_lock(self) -> Path:
        """Locked while the plan file is compared and replaced."""
        return self.path / "plan.lock"

    def check(self) -> None:
        """Raise :class:`RunFolderDamaged` unless a session can work with this folder."""
        check_kind(self.path, is_folder=True)
        for name in _FILES:
            check_kind(self.path / name, is_folder=False)

    def request_stop(self) -> None:
        """Ask the run to stop; a second time changes nothing."""
        make_folder(self.path)
        replace_text(self._stop, "stop\n", durable=False)

    def stop_requested(self) -> bool:
        """Whether a stop was asked for; one look at the folder."""
        return self._stop.exists()

    def clear_stop(self) -> None:
        """Forget a stop that was obeyed or is of an earlier session."""
        self._stop.unlink(missing_ok=True)

    def ticket(self) -> Ticket | None:
        """The start that was asked for, if any."""
        try:
            return Ticket.model_validate(json.loads(self._ticket.read_bytes()))
        except (OSError, ValueError, ValidationError):
            return None

    def write_ticket(self, ticket: Ticket) -> None:
        """Say that the run is to start."""
        make_folder(self.path)
        replace_json(self._ticket, ticket.model_dump(), durable=False)

    def clear_ticket(self) -> None:
        """The run has started, or will not."""
        self._ticket.unlink(missing_ok=True)

    def begin_session(self) -> None:
        """Called by a new owner: a stop from before its start was asked for is forgotten.

        Who starts a run with a ticket forgets old stops first, so that a stop beside a ticket is
        meant for this very start.
        """
        if self.ticket() is None:
            self.clear_stop()
        self.clear_ticket()
        replace_bytes(self._reserve, bytes(_RESERVE_BYTES), durable=False)

    def free_reserve(self) -> None:
        """Give back the room that was kept for the last event of a session."""
        self._reserve.unlink(missing_ok=True)
