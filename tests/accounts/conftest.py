"""The authenticated service with its data in a fresh folder; in the long suites on PostgreSQL too."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from sqlalchemy import create_engine
from starlette.testclient import TestClient

import padron.api.account
import servers
from account_service import Holder, account_service, enrol
from padron.accounts import passwords
from padron.accounts.store import Store


@pytest.fixture(autouse=True)
def no_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers as soon as they can be, and cheap hashes; the floor has a test of its own."""
    monkeypatch.setattr(padron.api.account, "FLOOR", 0.0)
    monkeypatch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    with servers.postgres() as url:
        yield url


@pytest.fixture
def database(cluster: str) -> str:
    """An empty PostgreSQL database."""
    name = f"padron_{uuid.uuid4().hex[:12]}"
    engine = create_engine(cluster, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    engine.dispose()
    return cluster.replace("/postgres", f"/{name}")


IN_THE_GATE = {"test_store", "test_keys", "test_former_faults"}
"""Modules that `make verify` runs on PostgreSQL: what is stored, how, and what once went wrong. `make endurance` runs
all of them."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every test that uses a database, directly or not, runs on both kinds."""
    if "store_url" in metafunc.fixturenames:
        gate = metafunc.module.__name__.rpartition(".")[2] in IN_THE_GATE
        suites = [pytest.mark.endurance, *([pytest.mark.verify] if gate else [])]
        metafunc.parametrize("store_url", ["sqlite", pytest.param("postgresql", marks=suites)], indirect=True)


@pytest.fixture
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database, of the kind that the test is run on."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/accounts.sqlite"
    return request.getfixturevalue("database")


@pytest.fixture
def open_store(store_url: str) -> Iterator[Callable[..., Store]]:
    """Open the store, closed at the end."""
    opened: list[Store] = []

    def open_(url: str = store_url) -> Store:
        opened.append(Store(url))
        return opened[-1]

    yield open_
    for store in opened:
        store.close()


@pytest.fixture
def client(tmp_path: Path, store_url: str) -> Iterator[TestClient]:
    with account_service(tmp_path, PADRON_ACCOUNTS__URL=store_url) as client:
        yield client


@pytest.fixture
def holder(client: TestClient, tmp_path: Path) -> Holder:
    return enrol(client, tmp_path)


@pytest.fixture
def enrolled(client: TestClient, tmp_path: Path) -> Callable[[str], Holder]:
    """Enrols another holder on the same client, which has that one's session then."""
    return lambda address: enrol(client, tmp_path, address)
