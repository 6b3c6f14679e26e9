"""The files of an evidence bundle, from a zip or a folder that nobody vouches for.

Invariant: nothing is ever unpacked to a disk, no name leads out of the bundle, no link is
followed, and no file or sum of files is read beyond its limit, whatever its head says. All that is
wrong is told as one :class:`UnsafeBundle` with a sentence.
"""

from __future__ import annotations

import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Protocol

MANIFEST = "manifest.json"
FIXED_NAMES = (
    "report.md", "report.html", "evidence.json", "sources.json", "research_plan.md", "run.json",
    "audit.jsonl",
)  # fmt: skip
SOURCE_NAME = re.compile(r"sources/([1-9]\d{0,5})\.md", re.ASCII)
MAX_FILES = 10_000
MAX_FILE_BYTES = 64 * 2**20
MAX_REPORT_BYTES = 4 * 2**20
MAX_TOTAL_BYTES = 2**30
MAX_RATIO = 200
"""How many times its packed size a bundle may be, once it is large."""
LARGE_BYTES = 64 * 2**20
LOG = "audit.jsonl"
MAX_LOG_BYTES = 512 * 2**20

_MAX_DIRECTORY_BYTES = MAX_FILES * 200
_END = struct.Struct("<4s4H2LH")
_READ_ERRORS = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError,
    ValueError, struct.error,
)  # fmt: skip


class UnsafeBundle(Exception):
    """The files cannot be read, or must not be; the sentence says why."""


class EvidenceFiles(Protocol):
    """Where the files are read from."""

    needs_manifest: bool
    """Whether a manifest must be there: a run's own folder has none."""

    def names(self) -> list[str]:
        """Every file, sorted; what belongs to no bundle included."""

    def open(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """A file, open to be read; raises :class:`UnsafeBundle` when it cannot be."""


def read_whole(files: EvidenceFiles, name: str, limit: int = MAX_FILE_BYTES) -> bytes:
    """The content of a file; raises :class:`UnsafeBundle` when it is missing or too large."""
    with files.open(name) as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise UnsafeBundle(f"{name} is larger than {limit // 2**20} MB, so it was not read.")
    return content


def chunks_of(files: EvidenceFiles, name: str) -> Iterator[bytes]:
    """A file in pieces, in little memory."""
    with files.open(name) as stream:
        while chunk := stream.read(2**16):
            yield chunk


def lines_of(files: EvidenceFiles, name: str) -> Iterator[bytes]:
    """The lines of a file, each with its end; raises for a line beyond all measure."""
    with files.open(name) as stream:
        while line := stream.readline(MAX_FILE_BYTES):
            if len(line) == MAX_FILE_BYTES:
                raise UnsafeBundle(f"{name} has a line of more than {MAX_FILE_BYTES // 2**20} MB.")
            yield line


def belongs(name: str) -> bool:
    """Whether a bundle may hold a file of this name."""
    return name == MANIFEST or name in FIXED_NAMES or SOURCE_NAME.fullmatch(name) is not None


class ZipFiles:
    """A bundle as one zip. Close it when done."""

    needs_manifest = True

    def __init__(self, path: Path) -> None:
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise UnsafeBundle(f"The file cannot be opened ({error.strerror}).") from error
        try:
            size = path.stat().st_size
            _check_directory(self._file, size)
            self._zip = zipfile.ZipFile(self._file)
            self._infos = _checked(self._zip.infolist(), size)
        except UnsafeBundle:
            self._file.close()
            raise
        except _READ_ERRORS as error:
            self._file.close()
            raise UnsafeBundle("The file is no zip, or a damaged one.") from error

    def close(self) -> None:
        """Give the file back."""
        self._zip.close()
        self._file.close()

    def names(self) -> list[str]:
        """Every file in it."""
        return sorted(self._infos)

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """See :class:`EvidenceFiles`."""
        info = self._infos.get(name)
        if info is None:
            raise UnsafeBundle(f"{name} is missing.")
        try:
            with self._zip.open(info) as stream:
                yield stream
        except _READ_ERRORS as error:
            raise UnsafeBundle(f"{name} is damaged and cannot be unpacked.") from error


class FolderFiles:
    """A run's folder, or a bundle that somebody unpacked."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.needs_manifest = (path / MANIFEST).exists()

    def close(self) -> None:
        """Nothing is held open."""

    def names(self) -> list[str]:
        """The files of it that belong to a bundle; a run's folder has more."""
        found = [name for name in (MANIFEST, *FIXED_NAMES) if (self._path / name).exists()]
        sources = self._path / "sources"
        if sources.is_dir() and not sources.is_symlink():
            found += [f"sources/{path.name}" for path in sources.iterdir()]
        return sorted(name for name in found if belongs(name))

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """See :class:`EvidenceFiles`."""
        path = self._path
        for part in name.split("/"):
            path = path / part
            if path.is_symlink():
                raise UnsafeBundle(f"{name} is a symbolic link; Leadline does not follow it.")
        if not path.is_file():
            raise UnsafeBundle(f"{name} is missing.")
        try:
            with path.open("rb") as stream:
                yield stream
        except OSError as error:
            raise UnsafeBundle(f"{name} cannot be read ({error.strerror}).") from error


def _check_directory(file: IO[bytes], size: int) -> None:
    """Refuse a list of files that would fill the memory before it can be counted."""
    start = max(0, size - 2**16 - _END.size)
    file.seek(start)
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        raise UnsafeBundle("The file is no zip, or a damaged one.")
    _, _, _, _, count, length, _, _ = _END.unpack_from(tail, at)
    if tail[max(0, at - 20) : at].startswith(b"PK\x06\x07") or count > MAX_FILES:
        raise UnsafeBundle(f"The zip says that it has more than {MAX_FILES:,} files.")
    if length > _MAX_DIRECTORY_BYTES:
        raise UnsafeBundle("The zip's list of files is too long to be that of a bundle.")


def _checked(infos: list[zipfile.ZipInfo], packed: int) -> dict[str, zipfile.ZipInfo]:
    """The files by name, when the zip as a whole is safe to read."""
    if len(infos) > MAX_FILES:
        raise UnsafeBundle(f"The zip has more than {MAX_FILES:,} files.")
    found: dict[str, zipfile.ZipInfo] = {}
    known: set[str] = set()
    for info in infos:
        _check_entry(info)
        if info.filename.casefold() in known:  # some systems take them for one
            raise UnsafeBundle(f"The zip has two files named {info.filename[:80]!r}.")
        known.add(info.filename.casefold())
        found[info.filename] = info
    total = sum(info.file_size for info in infos)
    if total > MAX_TOTAL_BYTES:
        raise UnsafeBundle(f"Unpacked it would be more than {MAX_TOTAL_BYTES // 2**20:,} MB.")
    if sum(info.compress_size for info in infos) > packed:
        raise UnsafeBundle("Files of the zip share their bytes, as those of a zip bomb do.")
    if total > LARGE_BYTES and total > MAX_RATIO * packed:
        raise UnsafeBundle(
            f"Unpacked it would be more than {MAX_RATIO} times its size, as a zip bomb is."
        )
    return found


def _check_entry(info: zipfile.ZipInfo) -> None:
    name = info.orig_filename
    parts = name.replace("\\", "/").split("/")
    if name.startswith(("/", "\\")) or ".." in parts or ":" in name or "\0" in name:
        raise UnsafeBundle(f"The zip has a file that leads out of it: {name[:80]!r}.")
    if stat.S_ISLNK(info.external_attr >> 16) or info.is_dir():
        raise UnsafeBundle(f"The zip has a link or a folder where a file must be: {name[:80]!r}.")
    if info.flag_bits & 0x1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UnsafeBundle(f"{name[:80]} is locked, or packed in a way that is not read here.")
    limit = MAX_LOG_BYTES if name == LOG else MAX_FILE_BYTES
    if info.file_size > limit:
        raise UnsafeBundle(f"{name[:80]} is larger than {limit // 2**20} MB.")
