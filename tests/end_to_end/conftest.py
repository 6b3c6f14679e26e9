"""Every test here drives real Chromium, real processes and real files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.end_to_end.lab import Lab

MakeLab = Callable[..., Lab]

expect.set_options(timeout=20_000)  # a busy machine is slow, and a passing test waits for nothing


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "end_to_end" in item.path.parts:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.timeout(240))


@pytest.fixture
def make_lab(tmp_path: Path) -> MakeLab:
    def make(**environment: str) -> Lab:
        root = tmp_path / "runs"
        root.mkdir(exist_ok=True)
        return Lab(root, environment)

    return make


@pytest.fixture
def lab(make_lab: MakeLab) -> Lab:
    return make_lab()
