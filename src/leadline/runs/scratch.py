"""Folders for what a run needs only while it is at work, and for what all runs of a user share."""

from __future__ import annotations

import getpass
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def scratch_folder(folder: Path) -> Iterator[Path]:
    """An empty folder that is gone afterwards; what a killed session left in it goes first.

    It is the temporary folder of this process meanwhile: libraries that never clean up after
    themselves (browser-use makes folders when it is imported) leave nothing behind on the machine.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        yield folder
    finally:
        tempfile.tempdir = before
        shutil.rmtree(folder, ignore_errors=True)


def machine_folder() -> Path:
    """This user's folder on this machine for what all runs share, such as the browser slots."""
    folder = Path(tempfile.gettempdir()) / f"leadline-{getpass.getuser()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder
