"""A local release answers the five methods as the service does, without a key or the network."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import msgspec
import pytest

from padron_client import BadRequestError, NotFoundError, Padron
from process import Server


@pytest.fixture
def local(release: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Padron]:
    """A client of the release that `server` serves, with the addresses of that."""
    monkeypatch.setenv("PADRON_BASE_URL", server.url)
    with Padron.local(release, language="en") as padron:
        yield padron


def test_answers_are_those_of_the_service(local: Padron, server: Server, new_key: Callable[[str], str]) -> None:
    with Padron(api_key=new_key("local@example.ec"), base_url=server.url, language="en") as remote:
        for padron in (local, remote):
            assert padron.get("BR", "33.000.167/0001-01").entity.legal_name == "PETRÓLEO BRASILEIRO S.A. - PETROBRAS"
        answers = [padron.search("petrobras", limit=3) for padron in (local, remote)]
        # Steps state how long they took; a cursor is signed by who gives it.
        ours, theirs = (msgspec.structs.replace(answer, steps=[], next_cursor=None) for answer in answers)
        assert ours == theirs
        assert all(answer.next_cursor for answer in answers)
        assert local.get("US", "CIK0000320193") == remote.get("US", "CIK0000320193")
        assert local.coverage() == remote.coverage()
        assert list(local.iter_search("petrobras", page_size=2)) == list(remote.iter_search("petrobras", page_size=2))


def test_statements_need_no_plan_and_nothing_can_be_bought(local: Padron) -> None:
    latest = local.financials("US", "320193").statements[0]
    revenue = next(figure.amount for figure in latest.figures if figure.key == "revenue")
    assert (latest.fiscal_year, revenue) == (2025, "416161000000")
    with pytest.raises(NotFoundError) as nothing:
        local.checkout(plan_id="pro")
    assert nothing.value.code == "no-such-address"


def test_errors_are_those_of_the_service(local: Padron) -> None:
    with pytest.raises(NotFoundError) as unknown:
        local.get("BR", "11.222.333/0001-81")
    assert (unknown.value.code, unknown.value.request_id is None) == ("company-not-found", False)
    with pytest.raises(BadRequestError) as bad:
        local.search("petrobras", limit=51)
    assert bad.value.problem is not None
    assert bad.value.problem.errors is not None
    assert bad.value.problem.errors[0].parameter == "limit"


def test_calls_come_from_any_thread_and_where_a_loop_runs(local: Padron) -> None:
    names: list[str] = []

    def ask() -> None:
        names.append(local.get("US", "320193").entity.legal_name)

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    async def inside() -> None:
        ask()

    asyncio.run(inside())
    assert names == ["Apple Inc."] * 5


def test_a_folder_without_a_release_is_refused_with_the_command_that_builds_one(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Build one with `padron build --data"):
        Padron.local(tmp_path)


def test_without_the_package_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "padron.service.local", None)
    with pytest.raises(ImportError, match="pip install PATH, the path of a checkout"):
        Padron.local()
