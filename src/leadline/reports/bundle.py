"""The evidence bundle: one zip with all that is needed to check a report somewhere else.

Invariant: the bundle of a run is the same bytes whenever it is made (same order, times from the
log), holds no path of this machine and no secret, and is written piece by piece, so its size does
not matter. ``bundle_check`` reads it; ``docs/evidence.md`` explains it.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from leadline.domain.claims import ClaimCheck
from leadline.domain.evidence import Snapshot
from leadline.domain.evidence_file import evidence_of
from leadline.domain.projection import RunView
from leadline.domain.run import RunRecord, RunStatus
from leadline.domain.text import detect_language
from leadline.errors import LeadlineError, RunFolderDamaged, UserError
from leadline.reports.bundle_files import MANIFEST
from leadline.reports.bundle_log import UnreadableLog, entries_of, replay
from leadline.reports.render import Snapshots, standalone_html
from leadline.reports.shareable import Shareable
from leadline.version import __version__

BUNDLE_FORMAT: Literal[1] = 1
"""Version of the bundle's layout; that of evidence.json is its own."""

_CHUNK = 2**16


class FileMark(BaseModel):
    """What the manifest says of a file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    size: int = Field(ge=0)


class Manifest(BaseModel):
    """``manifest.json``: every other file of the bundle with its hash."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = BUNDLE_FORMAT
    run: str = Field(description="Id of the run.")
    created: datetime = Field(description="Time of the run's last entry; not of the export.")
    leadline: str = Field(description="Version that made the bundle.")
    report_sha256: str = Field(description="SHA-256 of report.md.")
    files: dict[str, FileMark]


class BundledRun(Protocol):
    """What a bundle is made of: the reader's side of a run's folder."""

    path: Path
    task_id: str

    def record(self) -> RunRecord:
        """``run.json``."""

    def status(self) -> RunStatus:
        """Where the run stands."""

    def file(self, name: str) -> Path:
        """The path of one of its files."""

    def snapshot(self, source_id: int) -> Snapshot | None:
        """A stored source; raises ``RunFolderDamaged`` when it was changed."""


def write_bundle(run: BundledRun, stream: IO[bytes]) -> Manifest:
    """Write the bundle of a run; returns its manifest.

    Raises :class:`UserError` when the run is at work or has no report, and
    :class:`RunFolderDamaged` when a file of it is not as it was written.
    """
    status = run.status()
    if status.is_active:
        raise UserError(f"{run.task_id} is at work; export its bundle when it has ended.")
    report_file = run.file("report.md")
    if not report_file.is_file():
        raise UserError(f"{run.task_id} has no report yet: it is {status.value}.")
    report = report_file.read_bytes()
    shareable = Shareable(_places(run.path))
    view = _view(run, shareable)
    _check_report(run, view, report)
    record = shareable.record(run.record().model_copy(update={"status": status}))
    created = view.updated_at or record.created_at
    with _Zip(stream, created) as archive:
        archive.add("report.md", [report])
        text = report.decode("utf-8", "replace")
        page = report_page(text, record.topic, run.snapshot, view.checks)
        archive.add("report.html", [page.encode()])
        archive.add_json("evidence.json", evidence_of(view, record))
        sources = [source.model_dump(mode="json") for source in view.sources.values()]
        archive.add("sources.json", [_json(sources)])
        for number in sorted(view.sources):
            run.snapshot(number)  # a text that was changed proves nothing and is not handed on
            archive.add(f"sources/{number}.md", _chunks(run.file(f"sources/{number}.md")))
        plan = run.file("research_plan.md")
        archive.add("research_plan.md", _chunks(plan) if plan.is_file() else [])
        archive.add_json("run.json", record)
        archive.add("audit.jsonl", _lines(run, shareable))
        manifest = Manifest(
            run=run.task_id,
            created=created,
            leadline=__version__,
            report_sha256=hashlib.sha256(report).hexdigest(),
            files=dict(archive.marks),
        )
        archive.add_json(MANIFEST, manifest)
    return manifest


def report_page(
    report: str, topic: str, snapshots: Snapshots, checks: Mapping[str, ClaimCheck]
) -> str:
    """The report as the one HTML file of a bundle."""
    language = detect_language(report) or "en"
    return standalone_html(report, snapshots, title=topic, language=language, checks=checks)


def _places(path: Path) -> dict[str, str]:
    """Paths that tell about this machine, and what stands for them."""
    places = {str(path.parent): "runs", str(path): "."}
    with suppress(RuntimeError):  # nobody's home
        places = {str(Path.home()): "~", **places}
    return places


def _view(run: BundledRun, shareable: Shareable) -> RunView:
    try:
        return replay(entries_of(_lines(run, shareable)))
    except UnreadableLog as error:
        raise RunFolderDamaged(f"{error} Put back a good copy of the file.") from error


def _check_report(run: BundledRun, view: RunView, report: bytes) -> None:
    ready = view.report_ready
    if ready is None:
        raise RunFolderDamaged(
            f"The log of {run.task_id} does not know its report.md, so a bundle would prove "
            "nothing; resume the run to have the report written."
        )
    if ready.sha256 and ready.sha256 != hashlib.sha256(report).hexdigest():
        raise RunFolderDamaged(
            f"{run.file('report.md')} was changed after it was written, so a bundle would prove "
            "nothing; put back the file as it was."
        )


def _lines(run: BundledRun, shareable: Shareable) -> Iterator[bytes]:
    with run.file("audit.jsonl").open("rb") as log:
        for line in log:
            if line.endswith(b"\n"):
                yield shareable.line(line)


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=2).encode() + b"\n"


class _Zip:
    """Writes a zip whose bytes depend on its content alone, and marks what it writes."""

    def __init__(self, stream: IO[bytes], created: datetime) -> None:
        self._zip = zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED)
        time = created.astimezone(UTC).timetuple()
        self._time = (max(time.tm_year, 1980), *time[1:6])
        self.marks: dict[str, FileMark] = {}

    def __enter__(self) -> _Zip:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def add(self, name: str, chunks: Iterable[bytes]) -> None:
        """Write a file and note its hash and size."""
        info = zipfile.ZipInfo(name, self._time)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.create_system = 3  # the same on every system
        info.external_attr = 0o644 << 16
        digest, size = hashlib.sha256(), 0
        try:
            with self._zip.open(info, "w") as file:
                for chunk in chunks:
                    file.write(chunk)
                    digest.update(chunk)
                    size += len(chunk)
        except FileNotFoundError as error:
            raise RunFolderDamaged(
                f"{name} of the run is gone; put back a good copy of the file."
            ) from error
        except RuntimeError as error:  # zipfile's word for a file beyond 2 GB
            raise LeadlineError(f"{name} is too large for a bundle.") from error
        self.marks[name] = FileMark(sha256=digest.hexdigest(), size=size)

    def add_json(self, name: str, value: BaseModel) -> None:
        """Write a model as JSON."""
        self.add(name, [_json(value.model_dump(mode="json"))])
