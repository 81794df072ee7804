"""The pages over the release of all bundled files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from starlette.testclient import TestClient

from browser import chromium
from holder_in_browser import Member, member
from padron.config import load
from padron.directory import Directory
from padron.service.app import build_app
from process import Server, link_release, serving

BASE_URL = "https://padron.example"


@pytest.fixture(scope="session")
def web(directory: Directory, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A reader without limits, who follows no redirect by itself."""
    data = tmp_path_factory.mktemp("web")
    settings = load({"PADRON_LIMITS__ENABLED": "0", "PADRON_BASE_URL": BASE_URL}, data=data)
    app = build_app(settings, directory)
    with TestClient(app, base_url=BASE_URL, client=("203.0.113.9", 50000), follow_redirects=False) as client:
        client.headers["accept-encoding"] = "identity"
        yield client


@pytest.fixture
def data(release: Path) -> Path:
    """The data folder of the release."""
    return release


@pytest.fixture(scope="session")
def service(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The same in a process of its own, for browsers; its accounts and mails are where its log is."""
    folder = tmp_path_factory.mktemp("service")
    link_release(release, folder)
    with serving(folder, folder) as server:
        yield server


@pytest.fixture(scope="session")
def holder(service: Server) -> Member:
    """An account holder of `service`."""
    return member(service)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, as long as a module's tests: its driver runs an event loop that other tests would trip over."""
    with chromium() as started:
        yield started
