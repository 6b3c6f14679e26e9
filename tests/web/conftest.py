"""One application for the tests of the web layer, over a folder of runs written by hand."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from leadline.runs.session import RunSession
from leadline.runs.store import RunStore
from leadline.runs.supervisor import Supervisor
from leadline.settings import Settings
from leadline.web.app import create_app
from leadline.web.security import Access
from tests.web.checked_runs import CheckedRuns
from tests.web.runs_by_hand import ByHand

ADDRESS = "http://127.0.0.1:7788"
TOKEN = "kT7-2vQe9sXw4Lr1NfYb8GhZ0aJcUd5M"


@dataclass
class Site:
    """The application and what it stands on."""

    app: FastAPI
    store: RunStore
    settings: Settings
    access: Access

    def client(self, **headers: str) -> TestClient:
        """A client of the application; its life cycle is not run."""
        return TestClient(
            self.app,
            base_url=ADDRESS,
            headers=headers,
            follow_redirects=False,
            raise_server_exceptions=False,
        )


def _site(root: Path, *, token: str = "", **settings: object) -> Site:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        for name in list(os.environ):
            if name.startswith("LEADLINE_"):
                patch.delenv(name)
        if token:
            patch.setenv("LEADLINE_TOKEN", token)
        made = Settings(runs_dir=root / "runs", **settings)
    store = RunStore(made.runs_dir)
    access = Access(token=token)
    supervisor = Supervisor(store, max_running=1, environment={})
    return Site(create_app(made, store, supervisor, access=access), store, made, access)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A server on loopback without a token, with runs in several states."""
    made = _site(tmp_path_factory.mktemp("site"))
    runs = CheckedRuns(made.store.root)
    runs.failed()
    runs.stopped()
    runs.done()
    runs.planned()
    runs.checked()
    return made


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A server with a token."""
    made = _site(tmp_path_factory.mktemp("guarded"), token=TOKEN, allowed_hosts=("ll.example",))
    ByHand(made.store.root).done()
    return made


@pytest.fixture
def runs(tmp_path: Path) -> ByHand:
    """Runs of the test's own."""
    return ByHand(tmp_path / "runs")


@pytest.fixture
def at_work(runs: ByHand) -> Iterator[RunSession]:
    """A run under way."""
    with runs.at_work() as session:
        yield session


@pytest.fixture
def checked(tmp_path: Path) -> CheckedRuns:
    """Runs of the test's own, with claims."""
    return CheckedRuns(tmp_path / "runs")
