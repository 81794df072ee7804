"""A release in OpenSearch as those who run it see it: built into another and back, lost, mended."""

from __future__ import annotations

import json
import shutil
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from opensearch import Cluster, opensearch
from padron.cli import app as cli
from padron.companies.company import Company
from padron.config import load
from padron.countries import REGISTRY
from padron.countries.country import Country, Source
from padron.directory import Directory, run
from padron.errors import ReleaseError, Unavailable
from padron.index import release_index
from padron.index.engines import engine_kind
from padron.publishing.distribution import ReleaseStore, pull, push
from padron.publishing.publish import publish as build
from padron.releases import snapshot
from padron.service.app import build_app
from small_register import source
from waiting import until

pytestmark = pytest.mark.cluster

OFFICIAL = b"RUC,NOMBRE,NOMBRE COMERCIAL\n1790016919001,CORPORACION FAVORITA C.A.,Supermaxi\n"
BASE_URL = "https://padron.example"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with opensearch() as started:
        yield started


@pytest.fixture
def url(cluster: Cluster, request, monkeypatch: pytest.MonkeyPatch) -> str:
    """The engine, with indexes of the test's own, of which none is asked by another process."""
    monkeypatch.setattr("padron.index.opensearch_engine._UNASKED", 0)
    return cluster.url(timeout=30).replace("/padron", f"/{request.node.name.replace('_', '-')}")


@pytest.fixture
def registry(country: Callable[[Source], Country]) -> dict[str, Country]:
    return {"EC": country(source())}


@pytest.fixture
def release(registry: dict[str, Country], official: Callable[..., Path], tmp_path: Path):
    """Build a release of one company, always the same, with an engine; gives its id."""
    roots = [official(a__csv=OFFICIAL)]
    return lambda url: build(tmp_path / "var", registry, roots, search_url=url).id


@pytest.fixture
def command(capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch):
    """Run `padron release … --json` here, with the engine in the settings."""
    monkeypatch.setenv("PADRON_SEARCH__URL", url)

    def call(*words: str) -> Any:
        words = ("release", *words, "--json", "--data", str(tmp_path / "var"))
        cli.app(words, exit_on_error=False, result_action="return_value")
        return json.loads(capsysbinary.readouterr().out)

    return call


def ask(cluster: Cluster, method: str, path: str, body: bytes | None = None) -> Any:
    request = urllib.request.Request(f"http://{cluster.nodes[0].address}/{path}", body, method=method)
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def test_a_build_brings_an_unchanged_release_into_another_engine_and_back(
    cluster: Cluster, tmp_path: Path, url: str, release, command
) -> None:
    first = release(None)
    assert [(row["release"], row["engine"]) for row in command("list")] == [(first, "embedded")]
    with pytest.raises(ReleaseError, match="release-damaged"):
        run(release_index.open_index(folder_of(tmp_path / "var"), engine_kind(url)))
    assert release(url) == first
    (row,) = command("list")
    assert ask(cluster, "GET", f"{row['engine']}/_count")["count"] == 1
    assert run(release_index.open_index(folder_of(tmp_path / "var"), engine_kind(url)))
    assert release(url) == first
    assert command("list")[0]["engine"] == row["engine"], "one that is whole is not built again"
    assert command("prune")["indexes"] == []
    assert release(None) == first
    assert [row["engine"] for row in command("list")] == ["embedded"]
    assert run(release_index.open_index(folder_of(tmp_path / "var")))
    assert command("prune")["indexes"] == [row["engine"]]
    assert ask(cluster, "GET", row["engine"].rsplit("-", 1)[0] + "-*") == {}


def folder_of(data: Path) -> Path:
    return snapshot.index_folder(data, snapshot.current(data), release_index.FORMAT)


def test_a_build_mends_an_index_that_is_lost(cluster: Cluster, url: str, release, command) -> None:
    first = release(url)
    (row,) = command("list")
    assert [verdict["error"] for verdict in command("verify")] == [None]
    ask(cluster, "DELETE", row["engine"])
    (verdict,) = command("verify")
    assert verdict["error"] == "engine-index-lost"
    assert (row["engine"] in verdict["detail"], "`padron build`" in verdict["detail"]) == (True, True)
    assert release(url) == first
    assert [verdict["error"] for verdict in command("verify")] == [None]
    assert command("list")[0]["engine"] != row["engine"]


def test_an_index_that_a_build_loads_again_reaches_those_that_pull(
    cluster: Cluster, tmp_path: Path, url: str, registry: dict[str, Country], release, command
) -> None:
    node, store = tmp_path / "node", ReleaseStore(str(tmp_path / "store"))
    first = release(url)
    push(tmp_path / "var", first, store)
    assert pull(node, registry, store, search_url=url).release == first
    (row,) = command("list")
    ask(cluster, "DELETE", row["engine"])
    assert release(url) == first
    push(tmp_path / "var", first, store)
    again = pull(node, registry, store, search_url=url)
    assert 0 < again.sent < again.files
    assert files_below(folder_of(node)) == files_below(folder_of(tmp_path / "var"))
    assert run(release_index.open_index(folder_of(node), engine_kind(url)))
    assert pull(node, registry, store, search_url=url) == (first, 0, 0, 0)


def files_below(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def search_is(client: TestClient, state: str) -> bool:
    ready = client.get("/readyz")
    return bool((ready.status_code, ready.json()["parts"]["search"]) == (200, state))


def test_a_service_says_what_is_wrong_and_takes_the_index_that_a_build_loads(
    cluster: Cluster, tmp_path: Path, url: str, companies: tuple[Company, ...], publish
) -> None:
    """The public is told that the engine does not answer and no more; the release keeps its id."""
    kind, data = engine_kind(url), tmp_path / "var"

    def load_again() -> str:
        if (data / "current").exists():
            shutil.rmtree(folder_of(data))
        publish(data, "one", companies, engine=kind)
        return json.loads((folder_of(data) / "companies" / "opensearch.json").read_text())["index"]

    index = load_again()
    settings = load({"PADRON_SEARCH__URL": url, "PADRON_LIMITS__ENABLED": "0"}, data=data)
    with TestClient(build_app(settings)) as client:
        until(lambda: search_is(client, "ok"))
        ask(cluster, "DELETE", index)
        until(lambda: search_is(client, "engine-index-lost"))
        answer = client.get("/api/public/empresas/US/320193")
        assert (answer.status_code, answer.json()["code"]) == (503, "engine-unavailable")
        assert not any(secret in answer.text for secret in (index, "127.0.0.1"))
        load_again()
        until(lambda: search_is(client, "ok"))
        assert client.get("/api/public/empresas/US/320193").status_code == 200


def test_a_service_that_starts_without_its_index_says_so(
    cluster: Cluster, tmp_path: Path, url: str, companies: tuple[Company, ...], publish
) -> None:
    publish(tmp_path, "one", companies, engine=engine_kind(url))
    (named,) = tmp_path.glob("indexes/*/companies/opensearch.json")
    index = json.loads(named.read_text())["index"]
    ask(cluster, "DELETE", index)
    settings = load({"PADRON_SEARCH__URL": url, "PADRON_LIMITS__ENABLED": "0"}, data=tmp_path)
    app = build_app(settings)
    with TestClient(app) as client:
        answer = client.get("/api/public/empresas/US/320193")
        assert (answer.status_code, answer.json()["code"], index in answer.text) == (503, "not-ready", False)
    with pytest.raises(Unavailable, match="engine-unavailable"):
        run(Directory.open(tmp_path, REGISTRY, BASE_URL, search_url="http://127.0.0.1:1/padron"))
