"""Finding a Chromium on this machine, and the switches it is started with."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from leadline.domain.config import BrowserConfig
from leadline.errors import BrowserMissing, InvalidSetting

_NAMES = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
    "microsoft-edge", "microsoft-edge-stable", "msedge",
)  # fmt: skip
_MAC = (
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Chromium.app/Contents/MacOS/Chromium",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
_WINDOWS = (
    r"Google\Chrome\Application\chrome.exe",
    r"Chromium\Application\chrome.exe",
    r"Microsoft\Edge\Application\msedge.exe",
)
_PLAYWRIGHT = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
    "chromium-*/chrome-win*/chrome.exe",
)

_FEATURES_OFF = (
    "AutofillServerCommunication", "CertificateTransparencyComponentUpdater",
    "DialMediaRouteProvider",
    "GlobalMediaControls", "HttpsUpgrades", "InterestFeedContentSuggestions", "MediaRouter",
    "NetworkTimeServiceQuerying", "OptimizationGuideModelDownloading", "OptimizationHints",
    "OptimizationHintsFetching", "Prerender2", "PrivacySandboxSettings4", "SegmentationPlatform",
    "SpeculationRulesPrefetchFuture", "Translate", "WebOTP",
)  # fmt: skip

_ALWAYS = (
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-blink-features=AutomationControlled",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-hang-monitor",
    "--disable-infobars",
    "--disable-notifications",
    "--disable-prompt-on-repost",
    "--disable-quic",
    "--disable-renderer-backgrounding",
    "--disable-search-engine-choice-screen",
    "--disable-speech-api",
    "--disable-sync",
    "--dns-prefetch-disable",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--log-level=2",
    "--metrics-recording-only",
    "--mute-audio",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--no-service-autorun",
    "--password-store=basic",
    "--safebrowsing-disable-auto-update",
    "--use-mock-keychain",
)

_OURS = ("--proxy-", "--remote-debugging", "--user-data-dir", "--host-resolver-rules", "--no-proxy",
         "--winhttp-proxy", "--force-webrtc", "--load-extension", "--disable-web-security",
         "--enable-quic", "--origin-to-force-quic-on")  # fmt: skip


def find_chromium(config: BrowserConfig) -> Path:
    """The browser to start: the setting, ``BROWSER_PATH``, Playwright's, then what is installed.

    Raises :class:`BrowserMissing` with what to do about it.
    """
    for name, wanted in (
        ("The browser of the settings", config.executable),
        ("The browser of BROWSER_PATH", os.environ.get("BROWSER_PATH", "")),
    ):
        if wanted:
            found = shutil.which(str(Path(wanted).expanduser()))
            if found is None:
                raise BrowserMissing(f"{name} ({wanted}) is not a program that can be started.")
            return Path(found)
    for candidate in _candidates():
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate
    raise BrowserMissing(
        "No Chromium or Chrome was found: run 'playwright install --with-deps chromium', install "
        "one, or name its path in BROWSER_PATH."
    )


def _candidates() -> Iterator[Path]:
    for pattern in _PLAYWRIGHT:
        yield from sorted(_playwright_home().glob(pattern), key=_revision, reverse=True)
    for name in _NAMES:
        found = shutil.which(name)
        if found:
            yield Path(found)
    if sys.platform == "darwin":
        for root in (Path("/Applications"), Path.home() / "Applications"):
            yield from (root / app for app in _MAC)
    if sys.platform == "win32":
        for variable in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
            base = os.environ.get(variable)
            if base:
                yield from (Path(base) / app for app in _WINDOWS)
    yield Path("/snap/bin/chromium")


def _playwright_home() -> Path:
    named = os.environ.get("PLAYWRIGHT_BROWSERS_PATH", "")
    if named and named != "0":
        return Path(named).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "ms-playwright"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "ms-playwright"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ms-playwright"


def _revision(path: Path) -> int:
    for part in path.parts:
        name, _, number = part.rpartition("-")
        if name == "chromium" and number.isdigit():
            return int(number)
    return 0


def needs_no_sandbox() -> bool:
    """Whether Chromium's sandbox cannot start here: as root on Linux, or in a container."""
    if not sys.platform.startswith("linux"):
        return False
    if os.geteuid() == 0:
        return True
    return Path("/.dockerenv").exists() or Path("/run/.containerenv").exists()


def launch_args(
    config: BrowserConfig, *, profile: Path, proxy_url: str, sandbox: bool, own_profile: bool
) -> list[str]:
    """All switches of one start. The debugging port is taken by Chromium itself.

    ``own_profile``: the profile folder is Leadline's; a user's own one keeps its extensions.
    Raises ``InvalidSetting`` for an extra switch that would open a way around the guard.
    """
    args = [a for a in _ALWAYS if own_profile or a != "--disable-extensions"]
    args += [
        f"--disable-features={','.join(_FEATURES_OFF)}",
        "--remote-debugging-port=0",
        f"--user-data-dir={profile}",
        f"--proxy-server={proxy_url}",
        "--proxy-bypass-list=<-loopback>",
        f"--window-size={config.window_width},{config.window_height}",
    ]
    if config.headless:
        args += ["--headless=new", "--hide-scrollbars"]
    if not sandbox:
        args.append("--no-sandbox")
    if own_profile:  # nobody is signed in there: nothing needs to ask Google who it is
        args += ["--no-startup-window", "--gaia-url=https://gaia.invalid"]
    for extra in config.extra_args:
        if not extra.startswith("--"):
            raise InvalidSetting(f"Browser switches start with two hyphens, unlike {extra!r}.")
        if extra.startswith(_OURS):
            name = extra.split("=", 1)[0]
            raise InvalidSetting(f"The browser switch {name} is Leadline's own; leave it out.")
        if extra.startswith("--disable-features="):
            continue
        args.append(extra)
    more = [e.split("=", 1)[1] for e in config.extra_args if e.startswith("--disable-features=")]
    if more:  # the last one would win, so they are joined
        index = next(i for i, a in enumerate(args) if a.startswith("--disable-features="))
        args[index] = ",".join([args[index], *more])
    return args
