"""Replace a file as a whole: a reader sees the old one or the new one, never a part of either.

The new content goes to a temporary file in the same folder, is synced if it must survive a power
cut, and is renamed over the old one. If that fails (a full disk), the old file stands.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from leadline.errors import LeadlineError

_SHARING_RETRIES = 10
"""Windows refuses to replace a file while another process has it open to read."""


def replace_bytes(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Replace ``path`` by ``content``. ``durable`` files are on the disk when this returns.

    Raises :class:`LeadlineError` naming the file when it cannot be written; the old one stands.
    """
    with _taking_the_place_of(path, durable=durable) as temporary:
        _write(temporary, content, durable=durable)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to that takes the place of ``path`` when the block ends well.

    Raises as :func:`replace_bytes` does; after any error in the block the old file stands.
    """
    with _taking_the_place_of(path, durable=True) as temporary, temporary.open("xb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def _taking_the_place_of(path: Path, *, durable: bool) -> Iterator[Path]:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        try:
            yield temporary
            _rename(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        if durable:
            _sync_folder(path.parent)
    except OSError as error:
        raise LeadlineError(
            f"{path} could not be written ({error.strerror or type(error).__name__}); "
            "the earlier file is unchanged. Make room or allow writing there, then go on."
        ) from error


def make_folder(path: Path) -> None:
    """Make a folder unless it is there; raises :class:`LeadlineError` naming it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LeadlineError(
            f"The folder {path} could not be made ({error.strerror}). "
            "Make room or allow writing there, then go on."
        ) from error


def replace_text(path: Path, text: str, *, durable: bool = True) -> None:
    """Replace ``path`` by ``text`` in UTF-8, line ends as they are; see :func:`replace_bytes`."""
    replace_bytes(path, text.encode("utf-8", "replace"), durable=durable)


def replace_json(path: Path, value: Any, *, durable: bool = True) -> None:
    """Replace ``path`` by ``value`` as indented JSON in UTF-8; see :func:`replace_bytes`."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    replace_text(path, text + "\n", durable=durable)


def _write(path: Path, content: bytes, *, durable: bool) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        if durable:
            os.fsync(file.fileno())


def _rename(temporary: Path, path: Path) -> None:
    for attempt in range(_SHARING_RETRIES):
        try:
            temporary.replace(path)
        except PermissionError:
            if os.name != "nt" or attempt + 1 == _SHARING_RETRIES:
                raise
            time.sleep(0.01 * (attempt + 1))
        else:
            return


def _sync_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut, where the system lets folders be synced."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
