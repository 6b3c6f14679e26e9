"""Which browser is started, and with which switches."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.browsing.chromium import find_chromium, launch_args
from leadline.domain.config import BrowserConfig
from leadline.errors import BrowserMissing, InvalidSetting


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without any browser."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "pw"))
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    return tmp_path


def args(config: BrowserConfig | None = None, **options: bool) -> list[str]:
    return launch_args(
        config or BrowserConfig(),
        profile=Path("/p"),
        proxy_url="http://127.0.0.1:9",
        sandbox=options.get("sandbox", True),
        own_profile=options.get("own_profile", True),
    )


def test_the_setting_wins_then_the_variable_then_playwrights_newest_then_the_path(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if Path("/snap/bin/chromium").exists():
        pytest.skip("this machine has Chromium at a fixed place")
    with pytest.raises(BrowserMissing, match="playwright install"):
        find_chromium(BrowserConfig())
    installed = program(bare / "bin" / "google-chrome")
    assert find_chromium(BrowserConfig()) == installed
    program(bare / "pw" / "chromium-999" / "chrome-linux" / "chrome")
    newest = program(bare / "pw" / "chromium-1200" / "chrome-linux64" / "chrome")
    assert find_chromium(BrowserConfig()) == newest
    named = program(bare / "mine")
    monkeypatch.setenv("BROWSER_PATH", str(named))
    assert find_chromium(BrowserConfig()) == named
    chosen = program(bare / "chosen")
    assert find_chromium(BrowserConfig(executable=str(chosen))) == chosen
    with pytest.raises(BrowserMissing, match="/nowhere"):
        find_chromium(BrowserConfig(executable="/nowhere"))


def test_all_traffic_goes_through_the_guard() -> None:
    """safety 18: also loopback, WebRTC and QUIC."""
    found = args()
    for switch in (
        "--proxy-server=http://127.0.0.1:9",
        "--proxy-bypass-list=<-loopback>",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-quic",
        "--remote-debugging-port=0",
        "--user-data-dir=/p",
        "--headless=new",
    ):
        assert switch in found
    assert "--disable-popup-blocking" not in found
    assert "--no-sandbox" not in found
    assert "--no-sandbox" in args(sandbox=False)
    assert "--headless=new" not in args(BrowserConfig(headless=False))
    assert "--disable-extensions" not in args(own_profile=False)


@pytest.mark.parametrize(
    "switch",
    [
        "--proxy-server=http://evil:1",
        "--proxy-bypass-list=*",
        "--no-proxy-server",
        "--host-resolver-rules=MAP * 127.0.0.1",
        "--remote-debugging-port=9222",
        "--user-data-dir=/home",
        "--load-extension=/x",
        "headless",
    ],
)
def test_extra_switches_cannot_open_a_way_around_it(switch: str) -> None:
    with pytest.raises(InvalidSetting):
        args(BrowserConfig(extra_args=(switch,)))


def test_extra_switches_are_added_and_disabled_features_joined() -> None:
    found = args(BrowserConfig(extra_args=("--lang=de", "--disable-features=Foo,Bar")))
    assert "--lang=de" in found
    features = [a for a in found if a.startswith("--disable-features=")]
    assert len(features) == 1
    assert features[0].endswith(",Foo,Bar")


def test_browser_use_stays_silent_and_out_of_the_home_folder(tmp_path: Path) -> None:
    """safety 22: telemetry and cloud sync are off before the import, whatever the caller set."""
    home = tmp_path / "home"
    home.mkdir()
    code = (
        "import pathlib, sys\n"
        "from leadline.browsing.browser_use_env import prepare_browser_use\n"
        f"prepare_browser_use(pathlib.Path({str(tmp_path / 'work')!r}))\n"
        "import browser_use.browser.session\n"
        "from browser_use.config import CONFIG\n"
        "assert not CONFIG.ANONYMIZED_TELEMETRY and not CONFIG.BROWSER_USE_CLOUD_SYNC\n"
        "from leadline.browsing.browser_use_env import drop_default_folders\n"
        "drop_default_folders()\n"
    )
    temp = tmp_path / "temp"
    temp.mkdir()
    environment = {
        **os.environ,
        "HOME": str(home),
        "TMPDIR": str(temp),
        "ANONYMIZED_TELEMETRY": "true",
        "BROWSER_USE_CLOUD_SYNC": "true",
        "XDG_CONFIG_HOME": str(home / ".config"),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert list(home.rglob("*")) == []
    assert list(temp.iterdir()) == []
