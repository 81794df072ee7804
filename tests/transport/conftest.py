"""The service over a small directory in memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from shelf import Shelf, service


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def client(shelf: Shelf) -> Iterator[TestClient]:
    with service(shelf) as client:
        yield client
