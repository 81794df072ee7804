"""The service over a small directory in memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from memory_directory import MemoryDirectory, service


@pytest.fixture
def memory_directory() -> MemoryDirectory:
    return MemoryDirectory()


@pytest.fixture(scope="module")
def shared_client() -> Iterator[TestClient]:
    """A service for all tests of a module that do not change its directory."""
    with service(MemoryDirectory()) as client:
        yield client


@pytest.fixture
def client(request: pytest.FixtureRequest) -> Iterator[TestClient]:
    """The shared service, or one of the test's own where it takes the directory too."""
    if "memory_directory" not in request.fixturenames:
        yield request.getfixturevalue("shared_client")
        return
    with service(request.getfixturevalue("memory_directory")) as client:
        yield client
