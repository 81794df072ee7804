"""The service over a small directory in memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from shelf import Shelf, service


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture(scope="module")
def shared_client() -> Iterator[TestClient]:
    """A service for all tests of a module that do not change its directory."""
    with service(Shelf()) as client:
        yield client


@pytest.fixture
def client(request: pytest.FixtureRequest) -> Iterator[TestClient]:
    """The shared service, or one of the test's own where it takes the directory too."""
    if "shelf" not in request.fixturenames:
        yield request.getfixturevalue("shared_client")
        return
    with service(request.getfixturevalue("shelf")) as client:
        yield client
