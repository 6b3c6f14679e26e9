"""Who may talk to the server (safety 1-5, 10, 14)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from leadline.errors import InvalidSetting
from leadline.settings import Settings
from leadline.web import security
from leadline.web.security import (
    Access,
    allowed_names,
    check_host,
    check_origin,
    is_strong_token,
    split_host,
)
from leadline.web.server import access_for
from tests.web.conftest import TOKEN, Site

OWN = {"origin": "http://127.0.0.1:7788"}
TICK = "/gradio_api/run/predict"


def headers(**values: str) -> Headers:
    return Headers(
        {"host": "127.0.0.1:7788", **{k.replace("_", "-"): v for k, v in values.items()}}
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("127.0.0.1:7788", ("127.0.0.1", "7788")),
        ("LOCALHOST", ("localhost", "")),
        ("[::1]:80", ("[::1]", "80")),
        ("localhost/evil", None),
        ("localhost?x", None),
        ("localhost#x", None),
        ("user@localhost", None),
        ("localhost:", None),
        ("localhost:99999", None),
        ("localhost:0", None),
        ("a..b", None),
        ("", None),
        ("127.0.0.1:80:80", None),
        ("localhost localhost", None),
    ],
)
def test_odd_hosts_are_refused(value: str, expected: tuple[str, str] | None) -> None:
    """safety 3"""
    assert split_host(value) == expected


@given(st.text(max_size=80))
def test_no_text_as_a_host_crashes_or_slips_through(value: str) -> None:
    """safety 3"""
    parts = split_host(value)
    if parts is not None:
        assert re.fullmatch(r"[a-z0-9.:\[\]-]+", parts[0])
        refused = check_host(headers(host=value), allowed_names(()))
        assert (refused is None) == (parts[0] in {"127.0.0.1", "localhost", "[::1]"})


def test_a_rebound_or_doubled_host_is_refused() -> None:
    """safety 3"""
    names = allowed_names(("ll.example:8443", "fd00::1"))
    assert check_host(headers(host="ll.example"), names) is None
    assert check_host(headers(host="[fd00::1]:80"), names) is None
    assert check_host(headers(host="evil.example"), names) is not None
    doubled = Headers(raw=[(b"host", b"localhost"), (b"host", b"localhost")])
    refused = check_host(doubled, names)
    assert refused is not None
    assert refused.status == 400


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "https://evil.example",
        "http://localhost:9999",
        "http://127.0.0.1:7789",
        "http://127.0.0.1",
        "file://",
        "http://127.0.0.1:7788.evil.example",
        "chrome-extension://abc",
    ],
)
def test_foreign_origins_are_refused_on_localhost_too(site: Site, origin: str) -> None:
    """safety 4, 5"""
    client = site.client(origin=origin)
    for method, path in (
        ("POST", TICK),
        ("POST", "/gradio_api/queue/join"),
        ("GET", "/runs/done/report.md"),
        ("GET", "/runs/checked/bundle.zip"),
        ("OPTIONS", TICK),
        ("DELETE", "/"),
    ):
        answer = client.request(method, path, json={} if method == "POST" else None)
        assert answer.status_code == 403, (method, path)
        assert answer.json()["error"]["code"] == "foreign_origin"
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_the_pages_own_origin_may_act(site: Site) -> None:
    answer = site.client(**OWN).post(TICK, json={"data": [], "fn_index": 9999, "session_hash": "x"})
    assert answer.status_code not in {401, 403}
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_hidden_cross_site_requests_are_refused_and_links_are_not() -> None:
    """safety 4"""
    cross = {"sec_fetch_site": "cross-site"}
    visit = {**cross, "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
    assert check_origin("GET", headers(**visit)) is None
    assert check_origin("POST", headers(**visit)) is not None
    assert check_origin("GET", headers(**cross, sec_fetch_mode="no-cors")) is not None
    assert check_origin("GET", headers(**{**visit, "sec_fetch_dest": "iframe"})) is not None
    assert check_origin("GET", headers(sec_fetch_site="same-site")) is not None
    assert check_origin("GET", headers(sec_fetch_site="same-origin")) is None


def test_a_websocket_of_another_origin_is_refused(site: Site) -> None:
    """safety 4"""
    for origin in ("null", "https://evil.example"):
        with (
            pytest.raises(WebSocketDisconnect) as refused,
            site.client().websocket_connect("/gradio_api/queue", headers={"origin": origin}),
        ):
            pass
        assert refused.value.code == 1008


def walk(routes: list[BaseRoute], prefix: str = "") -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for route in routes:
        if isinstance(route, Mount):
            found += walk(list(route.routes or []), prefix + route.path)
            found.append(("GET", prefix + route.path + "/"))
        elif isinstance(route, Route):
            path = prefix + re.sub(r"\{[^}]*\}", "x", route.path)
            found += [(method, path) for method in route.methods or {"GET"}]
        else:
            router: Any = getattr(route, "original_router", None)
            assert router is not None, f"unknown kind of route: {route!r}"
            found += walk(list(router.routes), prefix)
    return found


def test_no_route_answers_without_the_token(guarded: Site) -> None:
    """safety 2: our own routes, Gradio's, files, assets and sockets."""
    routes = walk(list(guarded.app.routes))
    assert len(routes) > 80
    assert {path for _, path in routes} >= {
        "/healthz",
        "/gradio_api/queue/join",
        "/zh/config",
        "/runs/x/bundle.zip",
    }
    client = guarded.client()
    for method, path in routes:
        answer = client.request(method, path)
        assert answer.status_code == 401, (method, path, answer.status_code)
    assert client.get("/", headers={"accept": "text/html"}).status_code == 401
    for wrong in ("", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x"):
        answer = client.get("/healthz", headers={"authorization": wrong})
        assert answer.status_code == 401
        assert TOKEN not in answer.text
    with (
        pytest.raises(WebSocketDisconnect),
        guarded.client().websocket_connect("/gradio_api/queue"),
    ):
        pass


def test_the_token_lets_in_by_bearer_and_by_link(guarded: Site) -> None:
    """safety 2"""
    bearer = {"authorization": f"Bearer {TOKEN}"}
    assert guarded.client(**bearer).get("/runs/done/report.md").status_code == 200
    client = guarded.client()
    answer = client.get(f"/?run=done&token={TOKEN}")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/?run=done"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie
    assert client.get("/runs/done/report.md").status_code == 200
    assert client.get("/gradio_api/startup-events").status_code == 200
    assert guarded.client().get("/?token=wrong").status_code == 401
    assert guarded.client().get(f"/healthz?token={TOKEN}").status_code == 401


def test_a_printed_link_signs_in_once(guarded: Site) -> None:
    code = guarded.access.new_link_code()
    assert guarded.client().get(f"/?token={code}").status_code == 303
    assert guarded.client().get(f"/?token={code}").status_code == 401


def test_only_loopback_is_bound_without_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """safety 1"""
    assert access_for(Settings(host="127.0.0.1")).token == ""
    made = access_for(Settings(host="0.0.0.0")).token
    assert is_strong_token(made)
    monkeypatch.setenv("LEADLINE_TOKEN", TOKEN)
    assert access_for(Settings(host="0.0.0.0")).token == TOKEN
    for weak in ("hunter2!", "a" * 64, "0123456789abcdef", "correct-horse"):
        monkeypatch.setenv("LEADLINE_TOKEN", weak)
        with pytest.raises(InvalidSetting, match="128") as refused:
            access_for(Settings(host="0.0.0.0"))
        assert weak not in str(refused.value)


@given(st.text(max_size=60))
def test_no_text_is_the_token(text: str) -> None:
    access = Access(token=TOKEN)
    assert not access.redeem(text)
    assert not access.admits(headers(authorization=f"Bearer {text}".encode().decode("latin-1")))


@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/file=/etc/passwd",
        "/gradio_api/file/etc/passwd",
        "/gradio_api/file=../.env",
        "/gradio_api/proxy=https://example.com",
        "/gradio_api/upload",
        "/gradio_api/runs",
        "/gradio_api/run-history/buckets",
        "/gradio_api/info",
        "/gradio_api/openapi.json",
        "/gradio_api/component_server",
        "/monitoring",
        "/zh/gradio_api/file=/etc/passwd",
        "/svelte/../../../etc/passwd",
    ],
)
def test_what_gradio_offers_beyond_the_page_is_shut(site: Site, path: str) -> None:
    """safety 10, 14"""
    for method in ("GET", "POST"):
        answer = site.client(**OWN).request(method, path)
        assert answer.status_code in {404, 405}, (method, path, answer.status_code)


@pytest.mark.parametrize(
    "path",
    [
        "//gradio_api/file=/etc/passwd",
        "/zh//gradio_api/upload",
        "/%67radio_api/info",
        "/openapi.json",
        "/zh/openapi.json",
        "/user",
        "/token",
        "/dev/reload",
        "/runs",
        "/runs/",
        "/ZH/",
    ],
)
def test_only_what_is_on_the_list_is_served(site: Site, path: str) -> None:
    """safety 10, 14: refused before any route is looked for, however the path is written."""
    answer = site.client().get(path)
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_without_end_is_refused_unread(site: Site, announced: bool) -> None:
    """ "Bad input": 50 MB in a request neither fill the memory nor reach Gradio."""
    sent = 0

    def body() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(50):
            sent += 1_000_000
            yield b"x" * 1_000_000

    length = {"content-length": "50000000"} if announced else {}
    answer = site.client(**OWN, **length).post(TICK, content=body())
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "too_large"


async def test_a_body_that_dribbles_in_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow sender holds a connection for a while, not for ever."""
    monkeypatch.setattr(security, "BODY_SECONDS", 0.05)
    reached: list[str] = []
    sent: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        reached.append(scope["path"])

    async def receive() -> Message:
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def send(message: Message) -> None:
        sent.append(message)

    guard = security.Guard(app, names=allowed_names(()), access=Access())
    scope = {
        "type": "http",
        "method": "POST",
        "path": TICK,
        "query_string": b"",
        "headers": [(b"host", b"localhost")],
    }
    await guard(scope, receive, send)
    assert reached == []
    assert sent[0]["status"] == 408


@pytest.mark.parametrize(
    "path", ["/.env", "/run.json", "/tmp/deep_research/done/run.json", "/static/../.env"]
)
def test_nothing_of_the_machine_is_served(site: Site, path: str) -> None:
    """safety 14"""
    assert site.client().get(path).status_code == 404


def test_every_answer_has_the_headers(site: Site) -> None:
    """safety 5, 7, 8"""
    for path in ("/", "/zh/", "/healthz", "/runs/done/report.md", "/runs/checked/bundle.zip",
                 "/nowhere", "/theme.css"):  # fmt: skip
        answer = site.client().get(path)
        assert answer.headers["x-content-type-options"] == "nosniff", path
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert "access-control-allow-origin" not in answer.headers


def test_the_page_runs_no_inline_script_without_its_nonce(site: Site) -> None:
    """safety 6, 7"""
    first, second = site.client().get("/"), site.client().get("/")
    policy = first.headers["content-security-policy"]
    assert policy != second.headers["content-security-policy"]
    scripts = re.search(r"script-src ([^;]*)", policy)
    assert scripts is not None
    assert "'unsafe-inline'" not in scripts[1]
    nonce = re.search(r"'nonce-([\w-]+)'", scripts[1])
    assert nonce is not None
    assert all(f'nonce="{nonce[1]}"' in tag for tag in re.findall(r"<script[^>]*>", first.text))
    hosts = set(re.findall(r"(?:src|href|content)=\"(https?://[^/\"]+)", first.text))
    assert hosts == set()
    assert "http" not in policy


def test_events_are_private_and_history_is_off(site: Site) -> None:
    """safety 10"""
    config = site.client().get("/config").json()
    assert config["run_history"] is False
    assert config["analytics_enabled"] is False
    assert config["dependencies"]
    assert {d["api_visibility"] for d in config["dependencies"]} == {"private"}
    assert not any(d["queue"] for d in config["dependencies"])
