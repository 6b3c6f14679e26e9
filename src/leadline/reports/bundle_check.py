"""Check an evidence bundle, or a run's folder, without a model and without a network.

Invariants: nothing that a file says about itself is believed where it can be worked out; what
cannot be checked is a problem, never passed over; a hostile file costs bounded memory and raises
nothing. ``docs/evidence.md`` says what each check is for and what none can see.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from leadline.domain.evidence import PassageRef, Snapshot, Source
from leadline.domain.evidence_file import EvidenceFile, read_evidence
from leadline.domain.projection import RunView
from leadline.domain.run import RunRecord
from leadline.domain.source_files import parse_source_markdown
from leadline.errors import UserError
from leadline.reports.bundle import Manifest, report_page
from leadline.reports.bundle_files import (
    FIXED_NAMES,
    LOG,
    MANIFEST,
    MAX_REPORT_BYTES,
    SOURCE_NAME,
    EvidenceFiles,
    FolderFiles,
    UnsafeBundle,
    ZipFiles,
    belongs,
    chunks_of,
    lines_of,
    read_whole,
)
from leadline.reports.bundle_log import UnreadableLog, entries_of, replay
from leadline.reports.bundle_report import TITLES, BundleReport, Check
from leadline.reports.evidence_check import check_quotes, differences, problems_of_text, refs_of
from leadline.reports.report_check import ReportProblems, check_report
from leadline.version import __version__

MAX_MANIFEST_BYTES = 8 * 2**20
MAX_PROBLEMS = 50
"""Problems of one check that are told; the rest is counted."""

_SOURCES = TypeAdapter(list[Source])


def check_bundle(path: Path) -> BundleReport:
    """Check a bundle (a zip, or a folder it was unpacked to) or the folder of a run."""
    try:
        files = FolderFiles(path) if path.is_dir() else ZipFiles(path)
    except UnsafeBundle as error:
        return _only("files", str(error))
    with closing(files):
        return _Checker(files).check()


def _only(name: str, problem: str) -> BundleReport:
    """A report in which one problem stood in the way of all else."""
    left = [Check(other, "not reached", made=False) for other in TITLES if other != name]
    return BundleReport((Check(name, "", (problem,)), *left))


@dataclass
class _Known:
    """What was read of a bundle so far."""

    evidence: EvidenceFile
    raw: Any
    """The same as plain JSON, as it stands in the file."""
    record: RunRecord
    report: bytes
    passages: dict[PassageRef, str] = field(default_factory=dict)
    view: RunView = field(default_factory=RunView)
    """The run as its log tells it."""


class _Checker:
    def __init__(self, files: EvidenceFiles) -> None:
        self._files = files
        self._checks: dict[str, Check] = {}

    def check(self) -> BundleReport:
        names = self._files.names()
        strange = [f"{n[:80]!r} belongs to no bundle." for n in names if not belongs(n)]
        self._note("files", f"{len(names)} files", strange)
        self._run("manifest", self._check_manifest)
        known = self._read_known()
        if known is None:
            return self._result()
        self._run("snapshots", lambda: self._check_snapshots(known))
        self._note("quotes", *check_quotes(known.evidence, known.passages))
        found = check_report(known.report.decode("utf-8", "replace"), known.evidence,
                             known.passages)  # fmt: skip
        self._note_report(known, found)
        self._run("log", lambda: self._check_log(known))
        self._run("page", lambda: self._check_page(known))
        return self._result(known)

    def _note(self, name: str, looked_at: str, problems: Iterable[str] = ()) -> None:
        told = list(problems)
        if len(told) > MAX_PROBLEMS:
            told = [*told[:MAX_PROBLEMS], f"And {len(told) - MAX_PROBLEMS} more of this kind."]
        before = self._checks.get(name)
        earlier = before.problems if before else ()
        self._checks[name] = Check(name, looked_at, (*earlier, *told))

    def _run(self, name: str, check: Callable[[], tuple[str, list[str]] | None]) -> None:
        try:
            found = check()
        except UnsafeBundle as error:
            found = ("not readable", [str(error)])
        if found is not None:
            self._note(name, *found)

    def _result(self, known: _Known | None = None) -> BundleReport:
        checks = (self._checks.get(n, Check(n, "not reached", made=False)) for n in TITLES)
        run = known.evidence.run if known else None
        return BundleReport(tuple(checks), run.id if run else "", run.topic if run else "")

    # What everything else needs

    def _read_known(self) -> _Known | None:
        """Evidence, run and report; None, with the problem noted, when one cannot be read."""
        try:
            content = read_whole(self._files, "evidence.json")
            evidence = read_evidence(content)
            record = _record(read_whole(self._files, "run.json"))
            report = read_whole(self._files, "report.md", MAX_REPORT_BYTES)
        except (UnsafeBundle, UserError) as error:
            self._note("files", self._checks["files"].looked_at, [str(error)])
            return None
        return _Known(evidence, json.loads(content), record, report)

    # The checks

    def _check_manifest(self) -> tuple[str, list[str]] | None:
        if not self._files.needs_manifest:
            self._checks["manifest"] = Check("manifest", "a run's folder has none", made=False)
            return None
        try:
            manifest = Manifest.model_validate_json(
                read_whole(self._files, MANIFEST, MAX_MANIFEST_BYTES)
            )
        except ValidationError:
            return "", ["manifest.json is no manifest of a bundle that this version can read."]
        there = {name for name in self._files.names() if name != MANIFEST}
        problems = [f"{n} is missing." for n in FIXED_NAMES if n not in there]
        problems += [f"{n} is named and missing." for n in sorted(set(manifest.files) - there)]
        problems += [f"{n} is not named." for n in sorted(there - set(manifest.files))]
        for name in sorted(there & set(manifest.files)):
            digest, size = hashlib.sha256(), 0
            for chunk in chunks_of(self._files, name):
                digest.update(chunk)
                size += len(chunk)
            mark = manifest.files[name]
            if (digest.hexdigest(), size) != (mark.sha256, mark.size):
                problems.append(f"{name} is not the file that the manifest names (its hash).")
        report = manifest.files.get("report.md")
        if report is None or report.sha256 != manifest.report_sha256:
            problems.append("The manifest names two different hashes for report.md.")
        return f"{len(manifest.files)} files", problems

    def _check_snapshots(self, known: _Known) -> tuple[str, list[str]]:
        problems: list[str] = []
        wanted = refs_of(known.evidence)
        for source in known.evidence.sources:
            try:
                text = read_whole(self._files, f"sources/{source.id}.md").decode("utf-8", "replace")
            except UnsafeBundle as error:
                problems.append(str(error))
                continue
            snapshot = parse_source_markdown(source, text)
            problems += problems_of_text(snapshot, text)
            for number in wanted.get(source.id, ()):
                passage = snapshot.passage(number)
                if passage is not None:
                    ref = PassageRef(source=source.id, passage=number)
                    known.passages[ref] = passage.text
        ids = {source.id for source in known.evidence.sources}
        stored = (SOURCE_NAME.fullmatch(name) for name in self._files.names())
        for match in stored:
            if match is not None and int(match[1]) not in ids:
                problems.append(f"{match[0]} is a text of no source.")
        problems += self._problems_of_list(known.evidence)
        return f"{len(ids)} sources", problems

    def _problems_of_list(self, evidence: EvidenceFile) -> list[str]:
        try:
            listed = _SOURCES.validate_json(read_whole(self._files, "sources.json"))
        except ValidationError:
            return ["sources.json is no list of sources."]
        names = Source.model_fields
        told = [{name: getattr(s, name) for name in names} for s in evidence.sources]
        return (
            []
            if [dict(source) for source in listed] == told
            else ["sources.json and evidence.json do not name the same sources."]
        )

    def _note_report(self, known: _Known, found: ReportProblems) -> None:
        problems = found.sentences
        report = known.evidence.report
        digest = hashlib.sha256(known.report).hexdigest()
        if report is None or report.sha256 != digest:
            problems = [
                "report.md is not the report that the evidence names (its hash).",
                *problems,
            ]
        counted = found.counted
        self._note("sentences", f"{counted['sentences']} sentences", problems)
        self._note("numbers", f"{counted['sentences']} sentences", found.numbers)
        self._note("references", f"{counted['references']} references", found.references)

    def _check_page(self, known: _Known) -> tuple[str, list[str]] | None:
        if "report.html" not in self._files.names():  # the manifest says so where it must be
            self._checks["page"] = Check("page", "there is no such file", made=False)
            return None
        if self._version() != __version__:
            why = "made by another version of Leadline"
            self._checks["page"] = Check("page", why, made=False)
            return None
        text = known.report.decode("utf-8", "replace")
        page = report_page(text, known.record.topic, self._snapshots(known), known.view.checks)
        if read_whole(self._files, "report.html") != page.encode():
            return "", ["report.html shows something else than report.md."]
        return "compared", []

    def _version(self) -> str:
        """The version that made the bundle; empty when nothing says so."""
        try:
            content = read_whole(self._files, MANIFEST, MAX_MANIFEST_BYTES)
            return Manifest.model_validate_json(content).leadline
        except ValidationError:
            return ""

    def _snapshots(self, known: _Known) -> Callable[[int], Snapshot | None]:
        sources = {source.id: source for source in known.evidence.sources}

        @lru_cache(maxsize=2)
        def snapshot(source_id: int) -> Snapshot | None:
            source = sources.get(source_id)
            if source is None:
                return None
            content = read_whole(self._files, f"sources/{source_id}.md")
            return parse_source_markdown(source, content.decode("utf-8", "replace"))

        return snapshot

    def _check_log(self, known: _Known) -> tuple[str, list[str]]:
        try:
            view = known.view = replay(entries_of(lines_of(self._files, LOG)))
        except UnreadableLog as error:
            return "", [str(error)]
        problems = differences(
            known.evidence,
            known.raw,
            view,
            known.record,
            known.report,
            is_bundle=self._files.needs_manifest,
        )
        return f"{view.seq:,} entries", list(problems)


def _record(content: bytes) -> RunRecord:
    try:
        return RunRecord.model_validate_json(content)
    except ValidationError as error:
        raise UnsafeBundle("run.json is not the record of a run.") from error
