"""The engine on a real OpenSearch: the contract of engines, the answers of the embedded one, the life of its indexes.

The cluster is one process of the distribution, started here; where it cannot start, these tests fail.
"""

from __future__ import annotations

import random
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

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
from padron.lists.rows import ListRow
from padron.lookup import statements
from padron.questions.results import Question
from padron.releases import snapshot
from padron.service.app import build_app
from written_queries import written

pytestmark = pytest.mark.cluster

BASE_URL = "https://padron.example"
TYPED = Path(__file__).parents[2] / "evaluation" / "typed" / "queries" / "dev.jsonl"
LABELLED = Path(__file__).parents[2] / "evaluation" / "questions" / "dev.jsonl"
TYPED_NAMES, WRITTEN_NAMES, NUMBERS, QUESTIONS, ROWS = 900, 500, 200, 200, 200
SAME = 0.001
"""Difference of two confidences that comes from rounding scores."""
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


class Answered(NamedTuple):
    """The best match of a query, if any, and the companies with their confidences."""

    best: str | None
    shown: Mapping[str, float | None]


async def searched(directory: Directory, q: str, country: str | None = None) -> Answered:
    try:
        answer = await directory.search(q[:256], country=country, limit=8, language="es")
    except NotFound as error:
        return Answered(error.code, {})
    shown = {f"{teaser.country_code} {teaser.identifier}": teaser.confidence for teaser in answer.results}
    return Answered(answer.best_match and answer.best_match.identifier, shown)


async def questioned(directory: Directory, q: str) -> Answered:
    try:
        answer = await directory.ask(Question(q), "es")
    except NotFound as error:
        return Answered(error.code, {})
    records = [seen.detail.record for seen in answer.results]
    shown = {f"{record.country_code} {record.identifier}": record.confidence for record in records}
    return Answered(f"{answer.verdict} {answer.best and answer.best.detail.record.identifier}", shown)


async def matched(directory: Directory, row: ListRow) -> Answered:
    match = await directory.match(row, "es")
    company = match.company
    shown = {f"{company.country_code} {company.identifier}": company.confidence} if company else {}
    return Answered(f"{match.verdict} {company and company.identifier}", shown)


def everything_asked(release: Path) -> list[Callable[[Directory], Awaitable[Answered]]]:
    """Seeded queries: what people typed, what they may write for a company, numbers, questions, rows of lists."""
    chance = random.Random(300)
    served = snapshot.read_release(release, snapshot.current(release))
    companies = chance.sample(list(snapshot.companies(release, served)), WRITTEN_NAMES + NUMBERS + ROWS)
    typed = chance.sample(read_queries(TYPED.read_text("utf-8").splitlines()), TYPED_NAMES)
    labelled = [msgspec.json.decode(line)["q"] for line in LABELLED.read_text("utf-8").splitlines()]
    names, numbers, rows = companies[:WRITTEN_NAMES], companies[WRITTEN_NAMES:-ROWS], companies[-ROWS:]
    return [
        *(partial(searched, q=query.q, country=query.filter) for query in typed),
        *(
            partial(searched, q=written(chance, company), country=chance.choice((None, None, company.country, "EC")))
            for company in names
        ),
        *(partial(searched, q=company.identifier) for company in numbers),
        *(partial(questioned, q=q) for q in chance.sample(labelled, QUESTIONS)),
        *(
            partial(
                matched,
                row=ListRow(
                    name=written(chance, company)[:256],
                    identifier=chance.choice(("", company.identifier)),
                    country=chance.choice(("", company.country)),
                ),
            )
            for company in rows
        ),
    ]


def is_same(given: Answered, expected: Answered) -> bool:
    if given.best != expected.best or given.shown.keys() != expected.shown.keys():
        return False
    return all(abs((given.shown[company] or 0) - (expected.shown[company] or 0)) <= SAME for company in given.shown)


def test_answers_are_those_of_the_embedded_engine(directory: Directory, bundled: Directory, release: Path) -> None:
    """Best match and confidences of 2,000 queries; nine of ten searches ask the cluster twice at most."""
    requests: list[int] = []
    engine = bundled._release.release_index.engine
    together = engine._ask_together

    async def counted(searches: Sequence[bytes]) -> object:
        requests[-1] += 1
        return await together(searches)

    async def differing() -> tuple[list[object], int]:
        different, matches = [], 0
        for ask in asked:
            requests.append(0)
            expected, given = await ask(directory), await ask(bundled)
            matches += bool(expected.best)
            if not is_same(given, expected):
                different.append((ask, expected, given))
        return different, matches

    asked = everything_asked(release)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "_ask_together", counted)
        different, matches = run(differing())
    searches = requests[: TYPED_NAMES + WRITTEN_NAMES + NUMBERS]
    share = sum(number <= 2 for number in searches) / len(searches)
    print(f"{len(asked)} queries, {matches} with a match; {share:.3f} of searches by two requests at most")
    assert different == []
    assert len(asked) == 2_000
    assert matches > len(asked) / 3
    assert share > 0.9


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
