"""What the whole suite shares: the bundled official files, built once a session into a release."""

from __future__ import annotations

from pathlib import Path

import pytest

from padron import cli
from padron.countries import REGISTRY
from padron.search.directory import Directory

BASE_URL = "https://padron.example"


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the release of all bundled files, published. Read only."""
    data = tmp_path_factory.mktemp("release") / "var"
    assert cli.build(source=[cli.BUNDLED], data=data) == 0
    return data


@pytest.fixture(scope="session")
def directory(release: Path) -> Directory:
    """The directory over `release`."""
    return Directory.open(release, REGISTRY, BASE_URL)
