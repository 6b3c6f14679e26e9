"""Binding, the printed address, and the end of the server (safety 1, 42)."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from leadline.errors import InvalidSetting, PortTaken
from leadline.settings import Settings
from leadline.web.security import Access
from leadline.web.server import address, bind
from tests.web.conftest import TOKEN

WEBUI = Path(__file__).parents[2] / "webui.py"


def test_a_taken_port_is_one_sentence() -> None:
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortTaken, match=f"Port {port} is in use already; .* --port"):
            bind("127.0.0.1", port)


@pytest.mark.parametrize("host", ["203.0.113.7", "no such host", ""])
def test_an_address_of_another_machine_is_refused(host: str) -> None:
    if host == "":
        bind(host or "127.0.0.1", 0).close()
        return
    with pytest.raises((InvalidSetting, PortTaken)) as refused:
        bind(host, 0)
    assert "\n" not in str(refused.value)


def test_the_printed_address_holds_a_code_and_never_the_token() -> None:
    """safety 1"""
    with bind("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        assert address(Settings(), listener, Access()) == f"http://127.0.0.1:{port}/"
        link = address(Settings(host="0.0.0.0"), listener, Access(token=TOKEN))
    assert link.startswith(f"http://localhost:{port}/?token=")
    assert TOKEN not in link


def start(folder: Path, *options: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(WEBUI), *options],
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_webui_serves_and_ends_in_order(tmp_path: Path) -> None:
    """safety 42, with a connection still open"""
    server = start(tmp_path, "--ip", "127.0.0.1", "--port", "0")
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        where = re.fullmatch(r"Leadline is at (http://127\.0\.0\.1:\d+/)\n", line)
        assert where is not None, line or server.communicate(timeout=10)[1]
        with httpx.Client(base_url=where[1], trust_env=False) as client:
            assert client.get("/healthz").json() == {"status": "ok"}
            assert client.get("/").status_code == 200
            with socket.create_connection(("127.0.0.1", client.base_url.port or 0)):
                begun = time.monotonic()
                server.send_signal(signal.SIGTERM)
                server.wait(15)
        assert time.monotonic() - begun < 15
        assert server.stderr is not None
        assert "Traceback" not in server.stderr.read()
    finally:
        server.kill()
        server.communicate()


def test_webui_says_in_one_sentence_that_the_port_is_taken(tmp_path: Path) -> None:
    with bind("127.0.0.1", 0) as taken:
        server = start(tmp_path, "--port", str(taken.getsockname()[1]))
        _, said = server.communicate(timeout=50)
    assert server.returncode != 0
    assert re.fullmatch(r"Port \d+ is in use already; [^\n]*\n", said)


def test_a_weak_token_is_refused_before_anything_is_bound(tmp_path: Path) -> None:
    """safety 1"""
    server = start(tmp_path, "--ip", "0.0.0.0", "--port", "0", LEADLINE_TOKEN="letmein-please")
    out, said = server.communicate(timeout=50)
    assert server.returncode != 0
    assert "128" in said
    assert "letmein" not in out + said
