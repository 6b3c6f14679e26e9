"""The environment browser-use must find: no telemetry, no cloud, no files in the user's home.

Call :func:`prepare_browser_use` before the first ``import browser_use`` of a process. It reads
the variables at import, so a later call cannot undo what an earlier import did.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_SETTINGS = {
    "ANONYMIZED_TELEMETRY": "false",
    "BROWSER_USE_CLOUD_SYNC": "false",
    "BROWSER_USE_CLOUD_HINTS": "false",
    "BROWSER_USE_VERSION_CHECK": "false",
    "BROWSER_USE_SETUP_LOGGING": "false",
    "BROWSER_USE_LOGGING_LEVEL": "warning",
    "CDP_LOGGING_LEVEL": "ERROR",
    "BROWSER_USE_DISABLE_EXTENSIONS": "1",
}
_LOCAL = ("127.0.0.1", "localhost", "::1")


def prepare_browser_use(work_dir: Path) -> None:
    """Set browser-use's environment; its own files go below ``work_dir``. Safe to call twice.

    Telemetry and cloud sync stay off even when the caller's environment turns them on: a run
    contacts the model, the search engines and the pages alone.
    """
    os.environ.update(_SETTINGS)
    os.environ.setdefault("BROWSER_USE_CONFIG_DIR", str(work_dir / "browser-use"))
    # A proxy in the environment must not be asked for the browsers' own debugging ports.
    for name in ("NO_PROXY", "no_proxy"):
        entries = [e for e in os.environ.get(name, "").split(",") if e]
        os.environ[name] = ",".join([*entries, *(h for h in _LOCAL if h not in entries)])


def drop_default_folders() -> None:
    """Delete the empty folders that importing browser-use's session makes in the temp folder."""
    from browser_use.browser.session import DEFAULT_BROWSER_PROFILE

    for folder in (DEFAULT_BROWSER_PROFILE.downloads_path, DEFAULT_BROWSER_PROFILE.user_data_dir):
        if folder is not None:
            with contextlib.suppress(OSError):  # gone already, or not empty: then it is not ours
                Path(folder).rmdir()
