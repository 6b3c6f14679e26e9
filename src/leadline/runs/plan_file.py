"""The plan file on the owner's side: written by Leadline, edited by anyone at any time.

Invariant: what a person saved is taken up before anything is written over it. ``PlanFile``
remembers the exact bytes that it wrote or took up last; whatever else is in the file is an edit.
Calls are made while ``lock`` is held, so that an edit saved through Leadline waits its turn.
"""

from __future__ import annotations

import time

from leadline.domain.plan import Plan
from leadline.domain.plan_edit import PlanEdit, reconcile
from leadline.domain.plan_markdown import parse_plan, render_plan
from leadline.errors import InvalidPlan
from leadline.runs.atomic import replace_bytes
from leadline.runs.event_log import back_up, unreadable
from leadline.runs.folder import PLAN_FILE, PLAN_MAX_BYTES, RunFolder
from leadline.runs.lock import FileLock

_Mark = tuple[int, int, int]

_SAVING_SECONDS = 0.2
"""An editor that writes in place empties the file first: so long it may take to fill it again."""
_QUIET_SECONDS = 0.05
"""A file changed less than this ago may be half written: one save must not become two edits."""


class PlanFile:
    """``research_plan.md`` of a run that this process owns."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._known: bytes | None = None
        self._mark: _Mark | None = None

    @property
    def lock(self) -> FileLock:
        """A fresh lock that keeps editors in other processes out; use it in a ``with``."""
        return FileLock(self._folder.control.plan_lock)

    def looks_unchanged(self) -> bool:
        """Whether its time, size and identity are as they were; costs one look."""
        return self._mark is not None and self._mark == self._stat()

    def exists(self) -> bool:
        """Whether there is a plan file."""
        return self._stat() is not None

    def write(self, plan: Plan) -> None:
        """Replace the file by ``plan``, unless it says just that."""
        content = render_plan(plan).encode("utf-8", "replace")
        if content != self._known or not self.exists():
            replace_bytes(self._folder.file(PLAN_FILE), content)
        self._known, self._mark = content, self._stat()

    def edit(self, written: Plan | None, *, first_free: int) -> PlanEdit | None:
        """What a person changed against ``written``, the plan as it was last written.

        Raises :class:`InvalidPlan` when no task is left in the file, though some were written: that
        is a file that was damaged or emptied, not a wish.
        """
        mark, content, edited = self._read(wait=has_task(written))
        if mark is None:
            return None
        if content == self._known:
            self._mark = mark
            return None
        if has_task(written) and not has_task(edited):
            self._known, self._mark = content, mark
            raise InvalidPlan("The plan file has no task.")
        if written is None:
            plan = edited.numbered(first_free)
            ids = tuple(task.id for task in plan.tasks())
            edit = PlanEdit(plan=plan, added=ids, changed=bool(ids))
        else:
            edit = reconcile(written, edited, first_free=first_free)
        self._known, self._mark = content, mark
        return None if edit.is_empty else edit

    def put_aside(self) -> str:
        """Copy what is in the file beside it; the name of the copy, empty for an empty file."""
        return back_up(self._folder.file(PLAN_FILE)).name if (self._known or b"").strip() else ""

    def _read(self, *, wait: bool) -> tuple[_Mark | None, bytes, Plan]:
        """The file whole: read again while somebody is writing it, or (``wait``) has emptied it."""
        until = time.monotonic() + _SAVING_SECONDS
        while True:
            mark = self._stat()
            if mark is None:
                return None, b"", Plan()
            is_plan = mark[1] <= PLAN_MAX_BYTES
            content = self._content() if is_plan else b"\0"
            edited = parse_plan(content.decode("utf-8", "replace"))
            is_quiet = not 0 <= time.time() - mark[0] / 1e9 < _QUIET_SECONDS
            settled = is_quiet and mark == self._stat() and (has_task(edited) or not wait)
            if settled or content == self._known or time.monotonic() >= until:
                return mark, content, edited
            time.sleep(_SAVING_SECONDS / 10)

    def _content(self) -> bytes:
        path = self._folder.file(PLAN_FILE)
        try:
            return path.read_bytes()
        except FileNotFoundError:  # gone since it was looked at: that is seen at the next look
            return b""
        except OSError as error:
            raise unreadable(path, error) from error

    def _stat(self) -> _Mark | None:
        try:
            status = self._folder.file(PLAN_FILE).stat()
        except FileNotFoundError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino


def has_task(plan: Plan | None) -> bool:
    """Whether there is anything to do in a plan."""
    return plan is not None and any(True for _ in plan.tasks())


def joined(first: PlanEdit | None, second: PlanEdit) -> PlanEdit:
    """Two edits as one, the second made after the first."""
    if first is None:
        return second

    def both(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*a, *b)))

    present = {task.id for task in second.plan.tasks()}
    return PlanEdit(
        plan=second.plan,
        added=tuple(i for i in both(first.added, second.added) if i in present),
        removed=tuple(i for i in both(first.removed, second.removed) if i not in present),
        reworded=both(first.reworded, second.reworded),
        ticked=tuple(i for i in both(first.ticked, second.ticked) if i not in second.unticked),
        unticked=tuple(i for i in both(first.unticked, second.unticked) if i not in second.ticked),
        moved=first.moved or second.moved,
        changed=True,
    )
