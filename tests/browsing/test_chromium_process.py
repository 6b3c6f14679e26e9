"""How a browser process is started, without one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from leadline.browsing.chromium_process import _environment


@pytest.mark.skipif(os.name != "posix", reason="sockets in folders are a matter of POSIX")
def test_the_socket_folder_is_never_too_deep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chromium ends right after its start when its socket's path has more than 107 bytes."""
    deep = tmp_path / ("deep" * 30)
    deep.mkdir()
    monkeypatch.setenv("TMPDIR", str(deep))
    environment = _environment(deep / "browser-1")
    assert environment is not None
    assert len(os.fsencode(environment["TMPDIR"])) <= 57
    assert environment["PATH"] == os.environ["PATH"]


def test_a_short_run_folder_keeps_its_browsers_socket(tmp_path: Path) -> None:
    """Then nothing is left in the system's temporary folder, not even after a crash."""
    short = Path("/tmp") if len(os.fsencode(tmp_path)) > 57 else tmp_path
    environment = _environment(short / "browser-1")
    assert environment is None or environment["TMPDIR"] == str(short)
