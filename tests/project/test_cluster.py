"""The whole system of `make cluster` under load: what it loses and gets back costs no public answer."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster import System, whole
from padron.directory import run
from process import Traffic, add_twin, traffic
from waiting import PATIENCE, until

pytestmark = pytest.mark.cluster

PATHS = [
    "/api/public/empresas/search?q=corporacion+favorita",
    "/api/public/empresas/US/320193",
    "/api/public/empresas/search?q=33.000.167%2F0001-01",
    "/es/empresas/ec/1790016919001",
    "/api/public/empresas/search?q=ecopetrol&country=CO",
]
RATE = 20
"""Requests a second: the machine does other work, and all of the system stands on it."""
TWIN = "2026-01-01-7716e5ea"


@pytest.fixture(scope="module")
def system(release: Path) -> Iterator[System]:
    with whole(release, search_nodes=1, limits=False) as started:
        yield started


def port(url: str) -> int:
    return int(url.rpartition(":")[2])


def get(url: str) -> tuple[int, dict]:
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


async def under_load(system: System, *events) -> Traffic:
    """Traffic through the proxy, before, between and after some events, each of which takes as long as it does."""
    async with traffic(port(system.url), PATHS, RATE) as seen:
        for event in events:
            await asyncio.sleep(1)
            await asyncio.to_thread(event)
        await asyncio.sleep(2)
    return seen


def lost_nothing(seen: Traffic) -> bool:
    print(seen.statuses)
    assert (seen.failures, seen.statuses.keys()) == ([], {200})
    return True


def test_every_node_answers_alike(system: System) -> None:
    for path in (PATHS[0], PATHS[1], PATHS[2]):
        answers = [get(node.url + path) for node in system.nodes] + [get(system.url + path)]
        assert all(answer == answers[0] for answer in answers), path
        assert answers[0][0] == 200


def test_an_account_of_one_node_is_one_of_all(system: System) -> None:
    system.command("accounts", "create", "ana@ejemplo.ec", data=system.folders[0], entry="una clave larga y rara 71\n")
    listed = [system.command("accounts", "list", "--json", data=folder) for folder in system.folders]
    assert "ana@ejemplo.ec" in listed[0]
    assert listed[1:] == listed[:1] * 2


def test_a_release_that_is_pushed_is_served_by_all(system: System) -> None:
    def publish() -> None:
        add_twin(system.folders[0], TWIN)
        system.command("release", "push", data=system.folders[0])
        for folder in system.folders[1:]:
            system.command("release", "pull", data=folder)
        until(lambda: all(TWIN in system.release(node) for node in system.nodes))

    assert lost_nothing(run(under_load(system, publish)))
    assert all(TWIN in system.release(node) for node in system.nodes)


def test_a_node_killed_loses_no_answer(system: System) -> None:
    node = system.nodes[2]

    def kill() -> None:
        os.killpg(node.process.pid, signal.SIGKILL)
        node.process.wait()

    assert lost_nothing(run(under_load(system, kill)))


def test_search_lost_is_told_and_comes_back(system: System) -> None:
    """No company is denied, and all is answered as before once the only node of OpenSearch is back."""
    (search,) = system.search.nodes
    status, known = get(system.url + "/api/public/empresas/US/789019")
    assert (status, known["entity"]["identifier"]) == (200, "789019")
    search.kill()
    status, problem = get(system.url + "/api/public/empresas/US/21344")
    assert (status, problem["code"]) == (503, "engine-unavailable")
    search.start()
    until(lambda: get(system.url + "/api/public/empresas/US/21344")[0] == 200)
