"""A run as any process sees it: the reader's side of its folder.

Nothing here needs the run's own process. What a reader may do to a run is to ask it to stop and to
edit its plan; everything else is written by the owner (``session``). Paths go through ``file``:
an allow-list of names, inside the folder, no symbolic links.
"""

from __future__ import annotations

import hashlib
import re
import threading
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from leadline.domain.events import Entry
from leadline.domain.evidence import Finding, Snapshot, Source
from leadline.domain.limits import PLAN_MAX_TASKS
from leadline.domain.plan import Plan, TaskState
from leadline.domain.plan_edit import reconcile
from leadline.domain.plan_markdown import parse_plan, render_plan
from leadline.domain.projection import RunView
from leadline.domain.run import RUN_FORMAT, RunRecord, RunStatus
from leadline.domain.source_files import clean, parse_source_markdown, text_hash
from leadline.errors import InvalidPlan, PlanConflict, RunFolderDamaged, UnknownRun, UserError
from leadline.runs import projections
from leadline.runs.atomic import replace_text
from leadline.runs.control import Control, check_kind
from leadline.runs.event_log import back_up, read_log, unreadable
from leadline.runs.lock import FileLock, Owner, current_owner

PLAN_FILE = "research_plan.md"
PLAN_MAX_BYTES = 300_000

_FILES = re.compile(
    r"run\.json|report\.md|research_plan\.md|evidence\.json|sources\.json|search_info\.json"
    r"|audit\.jsonl|sources/\d{1,6}\.md|screens/[A-Za-z0-9][A-Za-z0-9_-]{0,63}\.jpg",
    re.ASCII,
)
_WRITTEN = (
    "run.json", "audit.jsonl", PLAN_FILE, "report.md",
    "search_info.json", "sources.json", "evidence.json",
)  # fmt: skip
_SUBFOLDERS = ("sources", "screens")
_INTERRUPTED = "Its process ended without a word; resume the run to go on."


def check_log(path: Path, record: RunRecord, view: RunView) -> None:
    """Raise :class:`RunFolderDamaged` if the log lacks what ``run.json`` counted in it.

    The log is always written first, so a log with less is one that was lost or cut.
    """
    if (
        (record.started_at is not None and not view.session)
        or record.sources > len(view.sources)
        or record.findings > len(view.findings)
    ):
        raise RunFolderDamaged(
            f"{path / 'audit.jsonl'} is gone or lacks its last entries; nothing was changed. "
            "Put back a good copy of the file, or start a new run from its plan."
        )


def check_tasks(plan: Plan) -> None:
    """Raise :class:`InvalidPlan` for a plan without a task, or with more than a run may have."""
    count = sum(1 for _ in plan.tasks())
    if not count:
        raise InvalidPlan('The plan has no task; write at least one line "- [ ] …".')
    if count > PLAN_MAX_TASKS:
        raise InvalidPlan(f"The plan has {count:,} tasks; a run may have {PLAN_MAX_TASKS} at most.")


class RunFolder:
    """One run folder. Safe to use from several threads; cheap to ask again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.task_id = path.name
        self.control = Control(path / "control")
        self._lock = threading.Lock()
        self._view = RunView()
        self._cursor = 0

    # What it is

    def record(self) -> RunRecord:
        """``run.json``. Raises :class:`RunFolderDamaged` if it is damaged or of a newer version."""
        path = self.file("run.json")
        try:
            content = path.read_bytes()
        except FileNotFoundError as error:
            raise UnknownRun(f"There is no run {self.task_id!r} here.") from error
        except OSError as error:
            raise unreadable(path, error) from error
        try:
            record = RunRecord.model_validate_json(content)
        except ValidationError as error:
            if self._format_of(content) > RUN_FORMAT:
                raise self._newer() from error
            raise RunFolderDamaged(
                f"{path} cannot be read; a copy is at {back_up(path).name}. Put back a good copy, "
                "or start a new run from its plan."
            ) from error
        if record.format > RUN_FORMAT:
            raise self._newer()
        return record

    def status(self) -> RunStatus:
        """Where the run stands, a process that died without a word taken into account."""
        return self._status(self.record())[0]

    def owner(self) -> Owner | None:
        """The process that runs it now, or None."""
        return current_owner(self.control.path)

    def view(self) -> RunView:
        """The run as its log tells it up to now; later events do not change what is returned."""
        record = self.record()
        view = self._replay()  # after the record, so that the log has all that it speaks of
        check_log(self.path, record, view)
        view.status, view.reason = self._status(record)
        if not view.status.is_active or view.status is RunStatus.QUEUED:
            view.workers, view.worker_tasks, view.live_browsers = {}, {}, 0
            view.tasks = {k: t._replace(running=False) for k, t in view.tasks.items()}
        return view

    def read_events(self, cursor: int = 0) -> tuple[list[Entry], int]:
        """Events from ``cursor`` on, and the cursor to go on from; 0 is the beginning."""
        return read_log(self.file("audit.jsonl"), cursor)

    # The plan

    def plan_text(self) -> str:
        """The plan file as it is; empty when there is none yet."""
        return self._plan_bytes().decode("utf-8", "replace")

    def plan_version(self) -> str:
        """Changes when the plan file's content does; empty when there is none."""
        content = self._plan_bytes()
        return hashlib.sha256(content).hexdigest()[:16] if content else ""

    def plan(self) -> Plan | None:
        """The plan as the file has it now, with the ids of the tasks that are known."""
        text = self.plan_text()
        if not text.strip():
            return None
        written = self._replay().written_plan
        edited = parse_plan(text)
        return reconcile(written, edited).plan if written else edited.numbered()

    def save_plan(self, text: str, version: str) -> str:
        """Replace the plan file by an edited text; returns its new version.

        ``version`` is what :meth:`plan_version` said when the text was read. Raises
        :class:`PlanConflict` when the file changed since, :class:`InvalidPlan` when the text has
        no task or is too long. A run at work takes the edit up by itself.
        """
        text = clean(text.replace("\r\n", "\n"))
        if len(text.encode()) > PLAN_MAX_BYTES:
            raise InvalidPlan(
                f"The plan is longer than {PLAN_MAX_BYTES // 1000} KB; keep it shorter."
            )
        check_tasks(parse_plan(text))
        with FileLock(self.control.plan_lock):
            if self.plan_version() != version:
                raise PlanConflict(
                    "The plan changed while you edited it; load it again and repeat your edit."
                )
            replace_text(self.file(PLAN_FILE), text)
            return self.plan_version()

    def reopen_failed(self) -> int:
        """Open every failed box in the plan file; returns how many there were.

        It is an edit like a person's own: the run takes it up, at work or when it is resumed.
        """
        with FileLock(self.control.plan_lock):
            plan = parse_plan(self.plan_text())
            failed = plan.counts()[TaskState.FAILED]
            if failed:
                replace_text(self.file(PLAN_FILE), render_plan(plan.reopened_failed()))
        return failed

    # What was found

    def check(self) -> None:
        """Whether a session can work here; raises :class:`RunFolderDamaged` naming the file.

        Asked before a run is started, so that nothing is changed in a folder in which it would
        fail at once.
        """
        for name in _WRITTEN:
            check_kind(self.file(name), is_folder=False)
        for name in _SUBFOLDERS:
            check_kind(self.path / name, is_folder=True)
        self.control.check()
        self.view()
        self.plan_text()

    def report(self) -> str | None:
        """``report.md``, or None when there is none yet."""
        try:
            return self.file("report.md").read_bytes().decode("utf-8", "replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise unreadable(self.file("report.md"), error) from error

    def sources(self) -> list[Source]:
        """Every source, in the order they were read."""
        return list(self._replay().sources.values())

    def findings(self) -> list[Finding]:
        """Every finding, in the order they were found."""
        return list(self._replay().findings.values())

    def snapshot(self, source_id: int) -> Snapshot | None:
        """Source ``source_id`` with its passages, or None when there is no such source."""
        source = self._replay().sources.get(source_id)
        return self.load_snapshot(source) if source else None

    def load_snapshot(self, source: Source) -> Snapshot:
        """Read the passages of a source; raises :class:`RunFolderDamaged` if they are not whole."""
        path = self.file(f"sources/{source.id}.md")
        try:
            text = path.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise RunFolderDamaged(
                f"{path} cannot be read, so what source {source.id} said cannot be shown; "
                "put back a good copy of the file."
            ) from error
        snapshot = parse_source_markdown(source, text)
        if text_hash(snapshot.passages) != source.hash:
            raise RunFolderDamaged(
                f"{path} was changed since it was read, so it proves nothing any more; "
                f"a copy is at {back_up(path).name}. Put back the file as it was."
            )
        return snapshot

    def search_info(self) -> dict[str, Any]:
        """Per task: queries, pages, findings, failures, attempts."""
        return projections.search_info(self.view())

    def evidence(self) -> dict[str, Any]:
        """``evidence.json``, made anew from the log; see ``domain.evidence_file``."""
        view = self.view()
        record = self.record().model_copy(update={"status": view.status, "reason": view.reason})
        return projections.evidence(view, record)

    # What may be asked of it

    def request_stop(self) -> None:
        """Ask the run to stop. Whoever must be sure that it did asks the supervisor."""
        self.control.request_stop()

    def file(self, name: str) -> Path:
        """The path of one of the run's files, which need not exist.

        Raises :class:`UserError` for a name that is none of a run's, :class:`RunFolderDamaged` for
        a symbolic link, which may lead out of the folder.
        """
        if not _FILES.fullmatch(name):
            raise UserError(f"A run has no file {name[:80]!r}.")
        path = self.path
        for part in name.split("/"):
            path = path / part
            if path.is_symlink():
                raise RunFolderDamaged(
                    f"{path} is a symbolic link, which Leadline does not follow; put the file "
                    "itself in its place."
                )
        return path

    def _plan_bytes(self) -> bytes:
        try:
            return self.file(PLAN_FILE).read_bytes()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise unreadable(self.file(PLAN_FILE), error) from error

    def _replay(self) -> RunView:
        with self._lock:
            path = self.file("audit.jsonl")
            if self._cursor and (not path.exists() or path.stat().st_size < self._cursor):
                self._view, self._cursor = RunView(), 0  # an earlier copy was put back
            entries, self._cursor = read_log(path, self._cursor)
            for entry in entries:
                self._view.apply(entry)
            return self._view.copy()

    def _status(self, record: RunRecord) -> tuple[RunStatus, str]:
        if not record.status.is_active or record.status is RunStatus.QUEUED:
            return record.status, record.reason
        if self.owner() is not None:
            return record.status, record.reason
        record = self.record()  # it may have come to its end between the two looks
        if not record.status.is_active or record.status is RunStatus.QUEUED:
            return record.status, record.reason
        log = self._replay()
        if log.last_event is not None:  # it ended well and died before run.json said so
            return log.status, log.reason
        return RunStatus.INTERRUPTED, _INTERRUPTED

    def _newer(self) -> RunFolderDamaged:
        return RunFolderDamaged(
            f"{self.path} was written by a newer version of Leadline; update Leadline to open it."
        )

    @staticmethod
    def _format_of(content: bytes) -> int:
        match = re.search(rb'"format"\s*:\s*(\d{1,9})', content)
        return int(match[1]) if match else 0
