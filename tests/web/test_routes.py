"""The run's files by id (safety 6-8, 11-14)."""

from __future__ import annotations

import asyncio
import io
import json
import re
import threading
import zipfile
from typing import IO

import httpx
import pytest

from leadline.domain.plan_markdown import parse_plan
from leadline.web import routes
from tests.web.checked_runs import CheckedRuns
from tests.web.conftest import ADDRESS, Site
from tests.web.runs_by_hand import REPORT, ByHand

FILES = {
    "report.md": "text/markdown",
    "report.html": "text/html",
    "plan.md": "text/markdown",
    "evidence.json": "application/json",
    "audit.jsonl": "application/x-ndjson",
}


@pytest.mark.parametrize(("name", "kind"), FILES.items())
def test_files_are_downloads(site: Site, name: str, kind: str) -> None:
    """safety 8"""
    answer = site.client().get(f"/runs/done/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith("attachment; filename=")
    assert answer.headers["content-type"].startswith(kind)
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_downloads_hold_what_the_run_found(site: Site) -> None:
    client = site.client()
    downloaded = client.get("/runs/done/report.md").text
    assert downloaded.startswith(REPORT.splitlines()[0])
    assert "sources/" not in downloaded
    assert "](#quote-" in downloaded
    assert len(list(parse_plan(client.get("/runs/done/plan.md").text).tasks())) == 5
    assert json.loads(client.get("/runs/done/evidence.json").text)
    first = client.get("/runs/done/audit.jsonl").text.splitlines()[0]
    assert json.loads(first)["seq"] == 1
    page = client.get("/runs/done/report.html").text
    assert "412,000 passengers" in page
    assert "<script" not in page


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/runs/nobody/report.md", 404, "unknown_run"),
        ("/runs/failed/report.md", 404, "not_found"),
        ("/runs/done/sources/99", 404, "not_found"),
        ("/runs/nobody/bundle.zip", 404, "unknown_run"),
        ("/runs/failed/bundle.zip", 400, "bad_request"),
        ("/runs/planned/bundle.zip", 400, "bad_request"),
        ("/runs/done/sources/x", 400, "bad_request"),
        ("/runs/a.b/report.md", 400, "bad_id"),
        ("/runs/-/report.md", 400, "bad_id"),
        ("/runs/" + "a" * 65 + "/report.md", 400, "bad_id"),
        ("/runs/%2e%2e/report.md", 400, "bad_id"),
        ("/runs/..%2f..%2fetc/report.md", 404, "not_found"),
        ("/runs/done/run.json", 404, "not_found"),
        ("/runs/done/control/owner.json", 404, "not_found"),
        ("/runs/done/screens/..%2f..%2frun.jpg", 404, "not_found"),
        ("/runs/done/screens/w 1.jpg", 400, "bad_request"),
        ("/ui/../app.py", 404, "not_found"),
        ("/ui/app.py", 404, "not_found"),
        ("/language/xx", 404, "not_found"),
    ],
)
def test_errors_have_one_shape(site: Site, path: str, status: int, code: str) -> None:
    """safety 11-14"""
    answer = site.client().get(path)
    assert answer.status_code == status
    if path.startswith("/runs/..%2f") or "screens/..%2f" in path or path == "/ui/../app.py":
        return  # another path by the time it is routed; that nothing is served is what counts
    assert answer.json().keys() == {"error"}
    assert answer.json()["error"].keys() == {"code", "message"}
    assert answer.json()["error"]["code"] == code


def test_a_stored_page_is_shown_as_text_with_its_passage_marked(site: Site) -> None:
    """safety 6-8"""
    answer = site.client().get("/runs/done/sources/1?p=2")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "frame-ancestors 'self'" in policy
    assert "x-frame-options" not in answer.headers
    marked = re.findall(r'<p class="passage marked" id="(p\d+)"', answer.text)
    assert marked == ["p2"]
    assert "412,000 passengers" in answer.text
    assert site.client().get("/runs/done/sources/1?p=x,,2a,999999999").status_code == 200


@pytest.mark.parametrize(
    "path", ["/runs/nobody/sources/1", "/runs/done/sources/99", "/runs/done/sources/x"]
)
def test_the_passage_panel_can_say_what_is_wrong(site: Site, path: str) -> None:
    """A run that another tab deleted: a sentence in the panel, not a browser's empty frame."""
    answer = site.client(accept="text/html,*/*").get(path)
    assert answer.status_code in {400, 404}
    assert "role=alert" in answer.text
    assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]
    assert "x-frame-options" not in answer.headers
    hostile = site.client(accept="text/html").get("/runs/<script>alert(1)<%2Fscript>/sources/1")
    assert "<script" not in hostile.text


def test_a_file_that_cannot_be_read_is_said(site: Site) -> None:
    path = ByHand(site.store.root).done("unreadable").path / "report.md"
    path.unlink()
    path.mkdir()
    answer = site.client().get("/runs/unreadable/report.md")
    assert answer.json()["error"]["code"] == "run_damaged"


def test_a_stored_page_follows_the_language_of_the_page(site: Site) -> None:
    chinese = site.client(**{"accept-language": "zh-CN,zh;q=0.9"}).get("/runs/done/sources/1")
    assert 'lang="zh' in chinese.text


def test_the_page_comes_in_the_language_of_the_browser(site: Site) -> None:
    chinese = site.client(**{"accept-language": "zh-CN"})
    answer = chinese.get("/?run=done")
    assert (answer.status_code, answer.headers["location"]) == (303, "/zh/?run=done")
    switched = chinese.get("/language/en?run=done")
    assert switched.headers["location"] == "/?run=done"
    assert chinese.get("/?run=done").status_code == 200
    evil = site.client().get("/language/en?run=//evil.example")
    assert evil.headers["location"] == "/"


def test_hostile_report_and_sources_run_nothing(site: Site) -> None:
    """safety 6, 7, 26"""
    hostile = (
        "# <script>alert(1)</script>\n\n<img src=x onerror=alert(2)>\n\n"
        "![pixel](https://evil.example/p.png) [x](javascript:alert(3)) "
        "[y](data:text/html,<script>alert(4)</script>) <iframe src=//evil.example></iframe>\n"
    )
    name = "hostile"
    if name not in site.store.task_ids():
        ByHand(site.store.root).done(name, topic="<script>alert(0)</script>", report=hostile)
    for path in ("report.html", "sources/1"):
        text = site.client().get(f"/runs/{name}/{path}").text
        assert not re.search(r"<(script|iframe|img|svg|object|embed)\b", text)
        assert not re.search(r'(href|src)="(javascript|data):', text)
        assert not re.search(r"<[^>]*\son\w+=", text)


def test_assets_and_health(site: Site) -> None:
    client = site.client()
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/ui/leadline.js").headers["content-type"].startswith("text/javascript")
    css = client.get("/ui/leadline.css").text
    assert "http" not in css.replace("http://www.w3.org", "")
    assert "@import" not in css


def test_a_bundle_is_made_when_it_is_asked_for_and_holds_up(site: Site) -> None:
    """safety 8, 14: a download with nothing of the machine in it, which can be checked."""
    answer = site.client().get("/runs/checked/bundle.zip")
    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["content-disposition"] == 'attachment; filename="checked.zip"'
    assert int(answer.headers["content-length"]) == len(answer.content)
    packed = zipfile.ZipFile(io.BytesIO(answer.content))
    names = set(packed.namelist())
    assert {"report.md", "evidence.json", "manifest.json", "sources/1.md"} <= names
    assert not any(str(site.store.root).encode() in packed.read(name) for name in names)
    assert site.client().get("/runs/checked/bundle.zip").content == answer.content


def test_a_run_without_a_report_gives_a_sentence_for_a_bundle(site: Site) -> None:
    answer = site.client().get("/runs/failed/bundle.zip")
    assert answer.json()["error"]["message"] == "failed has no report yet: it is failed."
    chinese = site.client().get("/runs/failed/bundle.zip?lang=zh")
    assert "还没有报告" in chinese.json()["error"]["message"]


def test_a_bundle_of_a_changed_report_is_refused(site: Site) -> None:
    """Fail closed: what would prove nothing is not handed out."""
    folder = CheckedRuns(site.store.root).checked("altered")
    report = folder.path / "report.md"
    report.write_text(report.read_text("utf-8").replace("97 of", "99 of"), encoding="utf-8")
    answer = site.client().get("/runs/altered/bundle.zip")
    assert answer.json()["error"]["code"] == "run_damaged"
    assert "PK" not in answer.text


async def test_packing_a_bundle_keeps_nobody_waiting(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server answers others while a large bundle is being written."""
    begun, may_end = threading.Event(), threading.Event()

    def slow(run: object, stream: IO[bytes]) -> None:
        begun.set()
        assert may_end.wait(20)
        stream.write(b"PK")

    monkeypatch.setattr(routes, "write_bundle", slow)
    transport = httpx.ASGITransport(site.app)
    async with httpx.AsyncClient(transport=transport, base_url=ADDRESS) as client:
        packing = asyncio.create_task(client.get("/runs/checked/bundle.zip"))
        try:
            assert await asyncio.to_thread(begun.wait, 20)
            assert (await client.get("/healthz")).json() == {"status": "ok"}
            assert not packing.done()
        finally:
            may_end.set()
        assert (await packing).content == b"PK"


def test_a_stored_page_tells_which_claims_rest_on_it(site: Site) -> None:
    """safety 6: as text; those of the cited passage stand open below it."""
    text = site.client().get("/runs/checked/sources/2?p=2&lang=en").text
    assert "5 claims rest on this source" in text
    assert "3 claims rest on this passage" in text
    opened = text.split('<details class="rests here" open>')[1].split("</details>")[0]
    for said in ("c2", "✓ supported", "c4", "⇄ disputed", "c7", "? unverified"):
        assert said in opened
    assert "The verifier gave no answer about it." in opened
    assert "↻ superseded" in text
    first = site.client().get("/runs/checked/sources/1?p=4&lang=zh").text
    assert "&lt;b&gt;The board&lt;/b&gt; thanks the crews &amp; the people." in first
    assert "✗ 被反驳" in first
    assert "其自身段落的说法不同。" in first


def test_a_stored_page_of_a_run_without_claims_lists_none(site: Site) -> None:
    assert 'class="rests' not in site.client().get("/runs/done/sources/1?p=2").text
