"""Evidence bundles: what is in them, and what is not."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from leadline.domain import events as ev
from leadline.domain.config import (
    BrowserConfig,
    ModelConfig,
    Provider,
    RunConfig,
    SearchConfig,
)
from leadline.errors import LeadlineError, RunFolderDamaged, UserError
from leadline.reports.bundle import Manifest, write_bundle
from leadline.reports.bundle_check import check_bundle
from leadline.reports.shareable import Shareable, shareable_settings
from leadline.runs.folder import RunFolder
from leadline.runs.session import RunSession
from leadline.runs.store import RunStore
from tests.runs.evidence_by_hand import REPORT, whole_run

CANARY = "sk-canary-0123456789abcdef"


def bundle_of(folder: RunFolder) -> bytes:
    stream = io.BytesIO()
    write_bundle(folder, stream)
    return stream.getvalue()


def test_a_bundle_holds_all_that_a_check_needs(tmp_path: Path) -> None:
    folder = whole_run(tmp_path)
    stream = io.BytesIO()
    manifest = write_bundle(folder, stream)
    with zipfile.ZipFile(stream) as archive:
        assert archive.namelist() == [
            "report.md", "report.html", "evidence.json", "sources.json", "sources/1.md",
            "sources/2.md", "sources/3.md", "research_plan.md", "run.json", "audit.jsonl",
            "manifest.json",
        ]  # fmt: skip
        for name, mark in manifest.files.items():
            content = archive.read(name)
            assert (hashlib.sha256(content).hexdigest(), len(content)) == (mark.sha256, mark.size)
        assert archive.read("report.md").decode() == REPORT
        assert b"412,000 passengers" in archive.read("report.html")
        assert json.loads(archive.read("evidence.json")) == folder.evidence()
        assert archive.read("audit.jsonl") == folder.file("audit.jsonl").read_bytes()
        assert Manifest.model_validate_json(archive.read("manifest.json")) == manifest
    assert manifest.report_sha256 == hashlib.sha256(REPORT.encode()).hexdigest()
    assert manifest.run == "whole"


def test_the_bundle_of_a_run_is_always_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = whole_run(tmp_path)
    first = bundle_of(folder)
    os.utime(folder.file("report.md"), (1, 1))
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert bundle_of(RunFolder(folder.path)) == first


def test_secrets_and_paths_stay_here(tmp_path: Path) -> None:
    """safety 29: nothing in settings or messages tells a password or a path of this machine."""
    config = RunConfig(
        model=ModelConfig(
            provider=Provider.CUSTOM, name="m", base_url=f"https://me:{CANARY}@llm.example/v1"
        ),
        browser=BrowserConfig(
            executable="/opt/chromium/chrome",
            user_data_dir="C:\\Users\\me\\profile",
            proxy=f"http://me:{CANARY}@proxy.example:3128",
            cdp_url=f"wss://browsers.example/devtools?token={CANARY}",
            extra_args=(f"--proxy-auth=me:{CANARY}", "--disable-gpu"),
        ),
        search=SearchConfig(template_url=f"https://s.example/?q={{query}}&key={CANARY}"),
    )
    folder = whole_run(tmp_path / "private", config=config)
    with RunSession.acquire(folder) as session:
        session.emit(ev.Notice(message=f"{folder.path / 'report.md'} was written."))
        session.end(ev.RunFailed(reason=f"{folder.file('audit.jsonl')} could not be written."))
    content = bundle_of(folder)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            text = archive.read(name).decode()
            for private in (CANARY, str(tmp_path), "/opt/", "C:\\", str(Path.home()) + "/"):
                assert private not in text, name
        record = json.loads(archive.read("run.json"))
        evidence = json.loads(archive.read("evidence.json"))
    assert record["config"]["model"]["base_url"] == "https://llm.example/v1"
    assert record["config"]["browser"]["extra_args"] == ["--proxy-auth", "--disable-gpu"]
    assert record["config"]["search"]["template_url"] == "https://s.example/"
    assert evidence["run"]["reason"] == "./audit.jsonl could not be written."
    target = tmp_path / "b.zip"
    target.write_bytes(content)
    assert check_bundle(target).ok, "what was left out leaves the rest in agreement"


def test_only_messages_lose_paths() -> None:
    """An address that looks like a path of ours is no path of ours."""
    shareable = Shareable({"/root": "~", "/runs/x": ".", "/": "never"})
    line = b'{"seq":1,"data":{"url":"https://a.example/root/x","reason":"/root/y is full"}}\n'
    assert json.loads(shareable.line(line))["data"] == {
        "url": "https://a.example/root/x",
        "reason": "~/y is full",
    }
    assert shareable.text("/rooted /root, a/root") == "/rooted ~, a/root"
    assert Shareable({}).text("/root") == "/root"
    assert shareable_settings({"a": ["~/x", 3, None, "http://[bad"]}) == {"a": ["", 3, None, ""]}


def test_without_a_report_there_is_no_bundle(tmp_path: Path) -> None:
    folder = RunStore(tmp_path).create("Fast ferries", RunConfig())
    with pytest.raises(UserError, match="at work"):
        bundle_of(folder)
    with RunSession.acquire(folder) as session:
        session.emit(ev.RunStarted(session=1, pid=1, model="m"))
        session.end(ev.RunFailed(reason="No model."))
    with pytest.raises(UserError, match="has no report yet: it is failed"):
        bundle_of(folder)
    folder.file("report.md").write_text("# Made by hand\n", encoding="utf-8")
    with pytest.raises(RunFolderDamaged, match=r"log .* does not know"):
        bundle_of(folder)


def test_changed_files_are_not_handed_on(tmp_path: Path) -> None:
    folder = whole_run(tmp_path)
    report = folder.file("report.md")
    report.write_text(REPORT.replace("412,000", "512,000"), encoding="utf-8")
    with pytest.raises(RunFolderDamaged, match=r"report\.md was changed"):
        bundle_of(folder)
    report.write_bytes(REPORT.encode())
    source = folder.file("sources/2.md")
    whole = source.read_text("utf-8")
    source.write_text(whole.replace("38.5", "3.85"), encoding="utf-8")
    with pytest.raises(RunFolderDamaged, match=r"2\.md was changed"):
        bundle_of(folder)
    source.unlink()
    with pytest.raises(LeadlineError, match=r"2\.md cannot be read"):
        bundle_of(folder)


_PROGRAM = """
import resource, sys
from pathlib import Path
from leadline.reports.bundle import write_bundle
from leadline.reports.bundle_check import check_bundle
from leadline.runs.folder import RunFolder

before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
folder, target = RunFolder(Path(sys.argv[1])), Path(sys.argv[2])
with target.open("wb") as stream:
    write_bundle(folder, stream)
assert check_bundle(target).checks[2].looked_at == sys.argv[3]
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in other units elsewhere")
def test_a_large_run_takes_little_memory(tmp_path: Path) -> None:
    """Writing and checking go source by source: 30 MB of them take about what one takes."""
    from tests.runs.helpers import add_page

    folder = RunStore(tmp_path / "runs").create("Many pages", RunConfig(), task_id="many")
    with RunSession.acquire(folder) as session:
        session.emit(ev.RunStarted(session=1, pid=1, model="m"))
        for number in range(30):
            words = [f"Page {number} says thing {i}. " + "x y " * 240 for i in range(1000)]
            add_page(session, words, url=f"https://a.example/{number}", task="")
        session.write_report("# Report\n", citations=0, resolved=0, sources=0)
        session.end(ev.RunStopped())
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(folder.path), str(tmp_path / "b.zip"), "30 sources"],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 25, "megabytes beyond what the program itself takes"
