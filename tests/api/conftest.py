"""The service over a small directory in memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from shelf import Shelf, service
from starlette.testclient import TestClient


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def client(shelf: Shelf) -> Iterator[TestClient]:
    with service(shelf) as client:
        yield client
