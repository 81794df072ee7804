"""The engine on a real OpenSearch: the contract of engines, the answers of the embedded one, the life of its indexes.

The cluster is one process of the distribution, started here; where it cannot start, these tests fail.
"""

from __future__ import annotations

import random
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from evaluation.queries import read_queries
from starlette.testclient import TestClient

from engine_contract import CONTRACT, Clause
from opensearch import Cluster, opensearch
from padron.companies.company import Company
from padron.config import load
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.errors import NotFound, ReleaseError, Unavailable
from padron.index import release_index
from padron.index.engine import EVERYWHERE, AllWords, EngineKind
from padron.index.engines import engine_kind
from padron.index.release_index import COMPANIES, ReleaseIndex
from padron.lookup import statements
from padron.releases import snapshot
from padron.service.app import build_app

pytestmark = pytest.mark.cluster

BASE_URL = "https://padron.example"
TYPED = Path(__file__).parents[2] / "evaluation" / "typed" / "queries" / "dev.jsonl"
NAMES, NUMBERS = 400, 100
PATIENT = 30
"""Seconds for an answer, on a machine that does other work."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with opensearch() as started:
        yield started


@pytest.fixture(scope="module", params=[1, 3], ids=["one-shard", "three-shards"])
def opened(
    cluster: Cluster, companies: tuple[Company, ...], tmp_path_factory: pytest.TempPathFactory, request
) -> ReleaseIndex:
    """The small directory in OpenSearch."""
    kind = engine_kind(cluster.url(timeout=PATIENT, shards=request.param))
    folder = tmp_path_factory.mktemp("opensearch") / "index"
    release_index.build(companies, folder, REGISTRY, kind)
    return run(release_index.open_index(folder, kind))


@pytest.mark.parametrize("clause", CONTRACT, ids=lambda clause: clause.__name__)
def test_opensearch_keeps_the_contract(opened: ReleaseIndex, clause: Clause) -> None:
    assert run(clause(opened)) is None


def test_long_lists_and_parts_come_in_pages(
    opened: ReleaseIndex, monkeypatch: pytest.MonkeyPatch, companies: tuple[Company, ...]
) -> None:
    async def listed() -> tuple[list[int], list[int]]:
        count, hits = await opened.engine.among(EVERYWHERE, 5, 12)
        assert count == len(companies)
        part = [hit.key async for hits in opened.engine.part(3, 20) for hit in hits]
        return [hit.key for hit in hits], part

    whole = run(listed())
    monkeypatch.setattr("padron.index.opensearch_engine._PAGE", 4)
    monkeypatch.setattr("padron.index.opensearch_engine._PART_BATCH", 4)
    assert run(listed()) == whole
    assert (len(whole[0]), whole[1]) == (12, list(range(3, 20)))


@pytest.fixture(scope="module")
def bundled(cluster: Cluster, release: Path, tmp_path_factory: pytest.TempPathFactory) -> Directory:
    """The release of the bundled files, its index built anew in OpenSearch."""
    data = tmp_path_factory.mktemp("bundled") / "var"
    data.mkdir()
    for name in ("snapshots", "releases", "current"):
        (data / name).symlink_to(release / name)
    served = snapshot.read_release(release, snapshot.current(release))
    folder = snapshot.index_folder(data, served.id, release_index.FORMAT)
    url = cluster.url(timeout=PATIENT).replace("/padron", "/bundled")
    release_index.build(snapshot.companies(release, served), folder, REGISTRY, engine_kind(url))
    statements.build((), folder / "statements")
    return run(Directory.open(data, REGISTRY, BASE_URL, search_url=url))


def questions(release: Path) -> list[tuple[str, str | None]]:
    """Seeded queries that people typed, and numbers, with the country asked."""
    chance = random.Random(300)
    typed = read_queries(TYPED.read_text("utf-8").splitlines())
    served = snapshot.read_release(release, snapshot.current(release))
    numbers = chance.sample([company.identifier for company in snapshot.companies(release, served)], NUMBERS)
    names = [(query.q, query.filter) for query in chance.sample(typed, NAMES)]
    return names + [(number, None) for number in numbers]


async def answered(directory: Directory, q: str, country: str | None) -> object:
    """Companies, confidences, hints and the best match of a query."""
    try:
        answer = await directory.search(q, country=country, limit=8, language="es")
    except NotFound as error:
        return error.code
    shown = [(teaser.country_code, teaser.identifier, teaser.confidence) for teaser in answer.results]
    return shown, answer.match_hints, answer.best_match and answer.best_match.identifier


def test_answers_are_those_of_the_embedded_engine(directory: Directory, bundled: Directory, release: Path) -> None:
    async def differing() -> tuple[list[object], int]:
        different, matches = [], 0
        for q, country in questions(release):
            expected, given = await answered(directory, q, country), await answered(bundled, q, country)
            matches += bool(expected[2])
            if given != expected:
                different.append((q, expected, given))
        return different, matches

    different, matches = run(differing())
    assert different == []
    assert matches > (NAMES + NUMBERS) / 3


def indexes(cluster: Cluster, prefix: str) -> dict[str, dict]:
    """The indexes that begin with a prefix, with their settings."""
    with urllib.request.urlopen(f"http://{cluster.nodes[0].address}/{prefix}-*") as answer:
        return msgspec.json.decode(answer.read())


def change(cluster: Cluster, method: str, path: str, body: bytes | None = None) -> None:
    request = urllib.request.Request(f"http://{cluster.nodes[0].address}/{path}", body, method=method)
    request.add_header("Content-Type", "application/json")
    urllib.request.urlopen(request).close()


@pytest.fixture
def kind(cluster: Cluster, request) -> EngineKind:
    """An engine whose indexes are the test's own."""
    return engine_kind(cluster.url(timeout=PATIENT).replace("/padron", f"/{request.node.name.replace('_', '-')}"))


def name_of(folder: Path) -> str:
    return msgspec.json.decode((folder / COMPANIES / "opensearch.json").read_bytes())["index"]


def test_an_index_that_no_folder_names_is_removed(
    cluster: Cluster, kind: EngineKind, tmp_path: Path, companies: tuple[Company, ...], request
) -> None:
    prefix = request.node.name.replace("_", "-")
    for name in ("old", "new"):
        release_index.build(companies[:3], tmp_path / name, REGISTRY, kind)
    change(cluster, "PUT", f"{prefix}-0123456789abcdef")  # a build was killed
    change(cluster, "PUT", f"{prefix}-of-somebody-else")
    kind.remove_others([tmp_path / "new" / COMPANIES])
    left = indexes(cluster, prefix)
    assert left.keys() == {name_of(tmp_path / "new"), f"{prefix}-of-somebody-else"}
    settings = left[name_of(tmp_path / "new")]["settings"]["index"]
    assert (settings["auto_expand_replicas"], settings["blocks"]) == ("0-1", {"write": "true"})


def test_an_index_that_is_not_the_one_built_is_refused(
    cluster: Cluster, kind: EngineKind, tmp_path: Path, companies: tuple[Company, ...]
) -> None:
    folder = tmp_path / "index"
    release_index.build(companies[:3], folder, REGISTRY, kind)
    opened = run(release_index.open_index(folder, kind))
    path = name_of(folder)
    with pytest.raises(urllib.error.HTTPError, match="403"):
        change(cluster, "DELETE", f"{path}/_doc/1")
    change(cluster, "PUT", f"{path}/_settings", b'{"index.blocks.write": false}')
    change(cluster, "DELETE", f"{path}/_doc/1?refresh=true")
    with pytest.raises(ReleaseError, match="release-damaged"):
        run(release_index.open_index(folder, kind))
    change(cluster, "DELETE", path)
    with pytest.raises(ReleaseError, match="release-damaged"):
        run(release_index.open_index(folder, kind))
    with pytest.raises(Unavailable, match="engine-unavailable") as refused:
        run(opened.engine.look_up([AllWords(["apple"])], EVERYWHERE, 8, 8))
    assert refused.value.context == {"reason": 404}
    assert snapshot.verify(folder / COMPANIES) is None


def test_what_searches_nothing_denies_nothing(
    cluster: Cluster, kind: EngineKind, tmp_path: Path, companies: tuple[Company, ...], publish, monkeypatch, request
) -> None:
    """Every face says that the engine is gone; none says that there is no such company."""
    url = cluster.url(timeout=PATIENT).replace("/padron", f"/{request.node.name.replace('_', '-')}")
    publish(tmp_path, "one", companies, engine=kind)
    monkeypatch.setattr("padron.index.opensearch_engine._PAUSE", 0)
    faces = (
        "/api/public/empresas/search?q={name}",
        "/api/public/empresas/US/{cik}",
        "/en/search?q={name}",
        "/en/companies/us/{cik}",
        "/reconcile?queries=%7B%22a%22%3A%7B%22query%22%3A%22{name}%22%7D%7D",
    )
    settings = load({"PADRON_SEARCH__URL": url, "PADRON_LIMITS__ENABLED": "0"}, data=tmp_path)
    with TestClient(build_app(settings)) as client:
        for face in faces:
            answer = client.get(face.format(name="apple", cik="320193"))
            assert (answer.status_code, "Apple Inc." in answer.text) == (200, True), face
        change(cluster, "DELETE", name_of(snapshot.index_folder(tmp_path, "one", release_index.FORMAT)))
        for path in [face.format(name="microsoft", cik="789019") for face in faces]:
            answer = client.get(path)
            assert answer.status_code == 503, (path, answer.text)
            assert answer.headers["cache-control"] == "no-store"
        assert client.get("/api/public/empresas/US/320193").json()["entity"]["legalName"] == "Apple Inc.", "in memory"
        problem = client.get("/api/public/empresas/search?q=ecopetrol", headers={"Accept-Language": "en"}).json()
        assert (problem["code"], problem["title"]) == ("engine-unavailable", "Search engine not available")


def test_a_build_that_fails_leaves_no_index(
    cluster: Cluster, kind: EngineKind, tmp_path: Path, companies: tuple[Company, ...], request
) -> None:
    def broken() -> Iterator[Company]:
        yield from companies[:3]
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        release_index.build(broken(), tmp_path / "index", REGISTRY, kind)
    assert indexes(cluster, request.node.name.replace("_", "-")) == {}


def test_a_busy_cluster_is_given_time(
    cluster: Cluster, kind: EngineKind, tmp_path: Path, companies: tuple[Company, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents that the cluster refuses are sent again, and only those."""
    module = "padron.index.opensearch_engine"
    pauses: list[float] = []
    monkeypatch.setattr(f"{module}.sleep", pauses.append)
    monkeypatch.setattr(f"{module}._BULK", 4)
    builder = kind.builder(tmp_path / "index")
    bulk, calls = builder._client.bulk, []

    def refusing(body: bytes, index: str) -> object:
        calls.append(body.count(b'{"index"'))
        answer = bulk(body=body, index=index)
        if len(calls) in {1, 2}:
            answer["errors"] = True
            for item in answer["items"][:-1]:
                item["index"]["status"] = 429
        return answer

    monkeypatch.setattr(builder._client, "bulk", refusing)
    monkeypatch.setattr(f"{module}.OpenSearchBuilder", lambda *_: builder)
    release_index.build(companies[:6], tmp_path / "other", REGISTRY, kind._replace(builder=lambda _: builder))
    assert (calls, pauses) == ([4, 3, 2, 2], [0.5, 1.0])
    assert builder._count == 6


def test_a_full_cluster_ends_the_build(
    cluster: Cluster, kind: EngineKind, tmp_path: Path, companies: tuple[Company, ...], monkeypatch, request
) -> None:
    """OpenSearch forbids writing where its disk is nearly full; the build waits, says so and leaves nothing."""
    prefix = request.node.name.replace("_", "-")
    pauses: list[float] = []
    monkeypatch.setattr("padron.index.opensearch_engine.sleep", pauses.append)

    def companies_of_a_full_disk() -> Iterator[Company]:
        (index,) = indexes(cluster, prefix)
        change(cluster, "PUT", f"{index}/_settings", b'{"index.blocks.read_only_allow_delete": true}')
        yield from companies

    with pytest.raises(Unavailable, match="engine-unavailable") as refused:
        release_index.build(companies_of_a_full_disk(), tmp_path / "index", REGISTRY, kind)
    assert refused.value.context == {"reason": 429}
    assert sum(pauses) == 63.5
    assert indexes(cluster, prefix) == {}
