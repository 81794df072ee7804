"""The engine on a real OpenSearch: the contract of engines, the answers of the embedded one, the life of its indexes.

The cluster is one process of the distribution, started here; where it cannot start, these tests fail.
"""

from __future__ import annotations

import random
import re
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from evaluation.queries import read_queries
from opensearchpy.exceptions import ConnectionError as Unconnected
from opensearchpy.exceptions import ConnectionTimeout, SSLError, TransportError
from starlette.testclient import TestClient

from engine_contract import CONTRACT, Clause
from opensearch import Cluster, opensearch
from padron.cli import doctor, releases
from padron.companies.company import Company
from padron.config import load
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.errors import NotFound, ReleaseError, Unavailable
from padron.index import opensearch_folder, release_index
from padron.index.engine import EVERYWHERE, AllWords, EncodedDocument, EngineKind
from padron.index.engines import engine_kind
from padron.index.release_index import COMPANIES, ReleaseIndex
from padron.lists.rows import ListRow
from padron.lookup import statements
from padron.lookup.find import SURE
from padron.questions.results import Question
from padron.releases import snapshot
from padron.service.app import build_app
from waiting import until
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
            matches += any((confidence or 0) >= SURE for confidence in expected.shown.values())
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


def prefix_of(request) -> str:
    return re.sub("[^a-z0-9]+", "-", request.node.name.lower())


@pytest.fixture
def kind(cluster: Cluster, request) -> EngineKind:
    """An engine whose indexes are the test's own."""
    return engine_kind(cluster.url(timeout=PATIENT).replace("/padron", f"/{prefix_of(request)}"))


def name_of(folder: Path) -> str:
    return msgspec.json.decode((folder / COMPANIES / "opensearch.json").read_bytes())["index"]


def test_an_index_that_no_folder_names_is_removed(
    cluster: Cluster, kind: EngineKind, tmp_path: Path, companies: tuple[Company, ...], monkeypatch, request
) -> None:
    monkeypatch.setattr("padron.index.opensearch_engine._UNASKED", 0)
    prefix = prefix_of(request)
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
    with pytest.raises(ReleaseError, match="engine-index-lost"):
        run(release_index.open_index(folder, kind))
    change(cluster, "DELETE", path)
    with pytest.raises(ReleaseError, match="engine-index-lost"):
        run(release_index.open_index(folder, kind))
    with pytest.raises(ReleaseError, match="engine-index-lost"):
        run(opened.engine.check())
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
    monkeypatch.setattr("padron.index.opensearch_nodes._PAUSE", 0)
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


def test_an_index_with_as_many_other_companies_is_refused(
    kind: EngineKind, tmp_path: Path, companies: tuple[Company, ...], monkeypatch
) -> None:
    """The number of companies is right, and one of them is another."""
    monkeypatch.setattr("padron.index.opensearch_engine._UNASKED", 0)
    for name, first in (("one", 0), ("other", 1)):
        release_index.build(companies[first : first + 3], tmp_path / name, REGISTRY, kind)
    assert run(release_index.open_index(tmp_path / "one", kind))
    named, other = (opensearch_folder.read(tmp_path / name / COMPANIES) for name in ("one", "other"))
    assert (named.companies, named.sum != other.sum) == (other.companies, True)
    write(tmp_path / "one", msgspec.structs.replace(named, index=other.index))
    with pytest.raises(ReleaseError, match="engine-index-lost"):
        run(release_index.open_index(tmp_path / "one", kind))
    write(tmp_path / "one", named)
    assert run(release_index.open_index(tmp_path / "one", kind))
    write(tmp_path / "one", msgspec.structs.replace(named, sum=None))  # of before there were checksums
    with pytest.raises(ReleaseError, match="engine-index-lost"):
        run(release_index.open_index(tmp_path / "one", kind))
    assert kind.remove_others([tmp_path / "one" / COMPANIES]) == [other.index]


def write(folder: Path, loaded: opensearch_folder.LoadedIndex) -> None:
    opensearch_folder.write(folder / COMPANIES, loaded)
    snapshot.seal(folder / COMPANIES)


def test_a_build_that_lost_a_company_is_not_finished(
    cluster: Cluster, kind: EngineKind, tmp_path: Path, request
) -> None:
    """The number of documents is right, and one of them is another."""
    fields = b'{"words": "apple", "keys": [], "identifiers": [], "tags": [], "country": "US", "size": 1}'
    builder = kind.builder(tmp_path / "index")
    for _ in range(3):
        builder.add(EncodedDocument(fields, b"stored", "US"))
    builder._send()
    change(cluster, "PUT", f"{builder._index}/_doc/0", b'{"place": 0, "sum_low": 1, "sum_high": 1}')
    with pytest.raises(ReleaseError, match="engine-index-lost"):
        builder.finish()
    builder.close()
    assert indexes(cluster, prefix_of(request)) == {}


def test_an_index_that_is_asked_stays(
    cluster: Cluster, kind: EngineKind, tmp_path: Path, companies: tuple[Company, ...], monkeypatch, request
) -> None:
    """A node serves a release that the folder of the builder has no more; the next build removes it."""
    for name in ("asked", "idle", "named"):
        release_index.build(companies[:3], tmp_path / name, REGISTRY, kind)
    asked, idle, named = (name_of(tmp_path / name) for name in ("asked", "idle", "named"))
    opened = run(release_index.open_index(tmp_path / "asked", kind))
    pauses: list[float] = []

    def ask_meanwhile(seconds: float) -> None:
        pauses.append(seconds)
        run(opened.engine.check())

    monkeypatch.setattr("padron.index.opensearch_engine.sleep", ask_meanwhile)
    kept = [tmp_path / "named" / COMPANIES]
    assert kind.remove_others(kept) == [idle]
    assert indexes(cluster, prefix_of(request)).keys() == {asked, named}
    monkeypatch.setattr("padron.index.opensearch_engine.sleep", pauses.append)
    assert kind.remove_others(kept) == [asked]
    assert kind.remove_others(kept) == []
    assert pauses == [3.0, 3.0], "no wait without an index to remove"


FULL = {
    "index": ("{index}/_settings", b'{"index.blocks.read_only_allow_delete": %s}'),
    "cluster": ("_cluster/settings", b'{"persistent": {"cluster.blocks.create_index": %s}}'),
}


@pytest.mark.parametrize("blocked", FULL)
def test_a_full_disk_is_a_remark_and_no_fault_of_searches(
    cluster: Cluster, kind: EngineKind, tmp_path: Path, companies: tuple[Company, ...], publish, blocked: str, request
) -> None:
    url = cluster.url(timeout=PATIENT).replace("/padron", "/full")
    publish(tmp_path, "one", companies, engine=engine_kind(url))
    index = name_of(snapshot.index_folder(tmp_path, "one", release_index.FORMAT))
    directory = run(Directory.open(tmp_path, REGISTRY, BASE_URL, search_url=url))
    assert run(directory.reach_engine()) is None
    path, body = FULL[blocked]
    change(cluster, "PUT", path.format(index=index), body % b"true")
    try:
        settings = load({"PADRON_SEARCH__URL": url, "PADRON_LIMITS__ENABLED": "0"}, data=tmp_path)
        with TestClient(build_app(settings)) as client:
            until(lambda: client.get("/readyz").json()["parts"]["search"] == "engine-full")
            ready = client.get("/readyz")
            assert (ready.status_code, ready.json()["status"]) == (200, "ready")
            assert client.get("/api/public/empresas/US/320193").status_code == 200
        if blocked == "cluster":
            with pytest.raises(Unavailable, match="engine-full"):
                kind.builder(tmp_path / "index")
        assert verdicts(tmp_path, url) == [None]
        (fault,) = faults_of(tmp_path, url)
        assert path.partition("/")[2].removeprefix("_") in fault
    finally:
        change(cluster, "PUT", path.format(index=index), body % b"null")
    assert run(directory.reach_engine()) is None
    assert faults_of(tmp_path, url) == []


def verdicts(data: Path, url: str) -> list[str | None]:
    """The codes of `padron release verify`."""
    settings = load({"PADRON_SEARCH__URL": url}, data=data)
    return [releases._verdict(settings, release).error for release in snapshot.published(data)]


def faults_of(data: Path, url: str) -> list[str]:
    """Sentences of `padron doctor` on the engine, in English."""
    directory = run(Directory.open(data, REGISTRY, BASE_URL, search_url=url))
    finding = doctor._engine(directory)
    return [finding.text.en] if finding.fault else []


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

    def refusing(body: bytes, **given: object) -> object:
        calls.append(body.count(b'{"index"'))
        answer = bulk(body=body, **given)
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

    with pytest.raises(Unavailable, match="engine-full") as refused:
        release_index.build(companies_of_a_full_disk(), tmp_path / "index", REGISTRY, kind)
    assert refused.value.context == {"reason": 429}
    assert sum(pauses) == 63.5
    assert indexes(cluster, prefix) == {}


class Interrupted:
    """`bulk` of a client, which fails in each of these ways before and, once, after the documents were indexed."""

    def __init__(self, bulk: Callable[..., object], failures: list[Exception]) -> None:
        self.bulk, self.failures = bulk, failures

    def __call__(self, **given: object) -> object:
        if not self.failures:
            return self.bulk(**given)
        if len(self.failures) == 1:
            self.bulk(**given)
        raise self.failures.pop(0)


def test_a_load_survives_a_node_that_starts_again(
    cluster: Cluster, kind: EngineKind, tmp_path: Path, companies: tuple[Company, ...], monkeypatch
) -> None:
    """A node that is gone, in each way in which a client is told; the last documents were taken and come twice."""
    pauses: list[float] = []
    monkeypatch.setattr("padron.index.opensearch_engine.sleep", pauses.append)
    builder = kind.builder(tmp_path / "index")
    failures = [
        Unconnected("N/A", "refused", OSError("refused")),
        ConnectionTimeout("TIMEOUT", "late", OSError("late")),
        *(TransportError(status, "gone", {}) for status in (429, 502, 503, 504)),
        Unconnected("N/A", "reset", OSError("reset")),
    ]
    monkeypatch.setattr(builder._client, "bulk", Interrupted(builder._client.bulk, failures))
    release_index.build(companies, tmp_path / "other", REGISTRY, kind._replace(builder=lambda _: builder))
    assert (failures, pauses) == ([], [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    assert builder._count == len(companies)


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (SSLError("N/A", "certificate", OSError("certificate")), "engine-refused"),
        (TransportError(401, "login", {}), "engine-refused"),
        (TransportError(400, "mapping", {}), "engine-unavailable"),
    ],
    ids=str,
)
def test_a_load_that_is_refused_ends_at_once(
    kind: EngineKind, tmp_path: Path, companies: tuple[Company, ...], monkeypatch, failure: Exception, code: str
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("padron.index.opensearch_engine.sleep", pauses.append)
    builder = kind.builder(tmp_path / "index")
    monkeypatch.setattr(builder._client, "bulk", Interrupted(builder._client.bulk, [failure]))
    with pytest.raises(Unavailable, match=code):
        release_index.build(companies, tmp_path / "other", REGISTRY, kind._replace(builder=lambda _: builder))
    assert pauses == []


def test_a_node_that_starts_again_during_a_load_loses_nothing(
    cluster: Cluster, kind: EngineKind, tmp_path: Path, companies: tuple[Company, ...], monkeypatch
) -> None:
    """Documents that it had taken are there when it is back."""
    monkeypatch.setattr("padron.index.opensearch_engine._BULK", 4)
    (node,) = cluster.nodes
    builder = kind.builder(tmp_path / "index")
    bulk, batches = builder._client.bulk, []

    def loading(**given: object) -> object:
        batches.append(given)
        if len(batches) == 3:
            node.kill()
            node.start()
        return bulk(**given)

    monkeypatch.setattr(builder._client, "bulk", loading)
    release_index.build(companies, tmp_path / "other", REGISTRY, kind._replace(builder=lambda _: builder))
    assert len(batches) > 3
    assert run(kind.open(tmp_path / "index"))
