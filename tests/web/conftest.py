"""The pages over the release of all bundled files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from padron.app import build_app
from padron.config import load
from padron.search.directory import Directory

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
