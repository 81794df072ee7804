"""The real service in a process of its own, over all bundled companies, and account holders who use it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from account_service import sign_up
from process import Server, serving


@pytest.fixture(scope="package")
def server(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Limits on, accounts in a database of these tests' own."""
    folder = tmp_path_factory.mktemp("clients")
    own = {
        "PADRON_LIMITS__ENABLED": "1",
        "PADRON_ACCOUNTS__URL": f"sqlite:///{folder / 'accounts.sqlite'}",
        "PADRON_ACCOUNTS__SECRET": "the secret of the tests of the clients",
    }
    with serving(release, folder, **own) as server:
        yield server


@pytest.fixture(scope="package")
def new_key(server: Server, release: Path) -> Callable[[str], str]:
    """A function that signs up an address on the Free plan and returns a key."""

    process = os.environ.get("PYTEST_XDIST_WORKER", "")  # the mails of all processes of a run stand in one folder

    def sign(address: str) -> str:
        with httpx2.Client(base_url=server.url) as browser:
            return sign_up(browser, release, f"{process}{address}")

    return sign
