"""The service over a small directory in memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from memory_directory import MemoryDirectory, service


@pytest.fixture
def memory_directory() -> MemoryDirectory:
    return MemoryDirectory()


@pytest.fixture
def client(memory_directory: MemoryDirectory) -> Iterator[TestClient]:
    with service(memory_directory) as client:
        yield client
