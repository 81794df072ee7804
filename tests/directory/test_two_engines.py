"""Two engines, one answer: the release of the bundled files in an engine in memory answers as the embedded one does.

The engine in memory is chosen by the setting, as an operator would, and computes its hits from the definitions of the
seam alone; its calls suspend, so that other requests run in between.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from memory_engine import MEMORY, MemoryEngine, documents_of
from padron.companies.company import Company
from padron.config import load
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.errors import Invalid, NotFound, Unavailable
from padron.index import engines, release_index
from padron.index.engine import EngineKind
from padron.lookup import statements
from padron.releases import snapshot
from padron.service import app
from padron.transport.observability import PARTS
from waiting import until
from written_queries import written

BASE_URL = "https://padron.example"
URL = "memory://here"
QUERIES = 500


@pytest.fixture
def memory_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(engines.ENGINES, "memory", lambda url: MEMORY)


@pytest.fixture(scope="module")
def in_memory(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Directory]:
    """The bundled release, its index built anew over the engine in memory."""
    data = tmp_path_factory.mktemp("memory") / "var"
    data.mkdir()
    for name in ("snapshots", "releases", "current"):
        (data / name).symlink_to(release / name)
    served = snapshot.read_release(release, snapshot.current(release))
    folder = snapshot.index_folder(data, served.id, release_index.FORMAT)
    release_index.build(snapshot.companies(release, served), folder, REGISTRY, MEMORY)
    statements.build((), folder / "statements")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(engines.ENGINES, "memory", lambda url: MEMORY)
        yield run(Directory.open(data, REGISTRY, BASE_URL, search_url=URL))


def queries(release: Path) -> list[tuple[str, str | None]]:
    """Seeded queries with the country asked."""
    served = snapshot.read_release(release, snapshot.current(release))
    chance = random.Random(500)
    companies = chance.sample(list(snapshot.companies(release, served)), QUERIES)
    return [(written(chance, company), chance.choice((None, None, company.country, "EC"))) for company in companies]


def answers(directory: Directory, asked: list[tuple[str, str | None]]) -> list[object]:
    """Identifiers, confidences and hints of each query."""

    async def answer(q: str, country: str | None) -> object:
        try:
            result = await directory.search(q[:256], country=country, limit=8, language="es")
        except NotFound as error:
            return error.code
        shown = [(teaser.country_code, teaser.identifier, teaser.confidence) for teaser in result.results]
        return shown, result.match_hints, result.suggested_countries

    async def every() -> list[object]:
        return [await answer(*question) for question in asked]

    return run(every())


@pytest.mark.endurance
def test_answers_are_identical(directory: Directory, in_memory: Directory, release: Path) -> None:
    asked = queries(release)
    expected, given = answers(directory, asked), answers(in_memory, asked)
    differing = [question for question, mine, other in zip(asked, expected, given, strict=True) if mine != other]
    assert differing == []
    assert sum(answer != ([], [], []) for answer in given) > QUERIES / 2


FEW = [
    ("apple", None),
    ("aple", None),
    ("hotel plaza quito", None),
    ("corporacion fav", "EC"),
    ("coporacion faborita cia", "CO"),
    ("apple inc", "BR"),
    ("inmobiliaria de los alpes andinos", "US"),
    ("RUC 1790016919001 la favorita", None),
    ("zzyzx nobody knows", "MX"),
]


def test_an_engine_on_the_network_is_asked_twice_for_a_search(
    tmp_path: Path,
    publish: Callable[..., None],
    companies: tuple[Company, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second request holds all that a search may look up after the first; the answers stay the same."""
    monkeypatch.setitem(engines.ENGINES, "memory", lambda url: MEMORY)
    for name, engine in (("embedded", engines.EMBEDDED), ("memory", MEMORY)):
        publish(tmp_path / name, "one", companies, engine=engine)
    embedded = run(Directory.open(tmp_path / "embedded", REGISTRY, BASE_URL))
    in_memory = run(Directory.open(tmp_path / "memory", REGISTRY, BASE_URL, search_url=URL))
    engine = in_memory._release.release_index.engine
    requests = []
    for asked in FEW:
        before = engine.requests
        assert answers(in_memory, [asked]) == answers(embedded, [asked])
        requests.append(engine.requests - before)
    assert max(requests) == 2, requests
    monkeypatch.setattr("padron.lookup.find.Finder._dry_runs", lambda *_: iter(()))
    before = engine.requests
    assert answers(in_memory, FEW) == answers(embedded, FEW)
    assert engine.requests - before > 2 * len(FEW)


@pytest.mark.endurance
def test_lists_and_parts_are_identical(directory: Directory, in_memory: Directory) -> None:
    async def identifiers(directory: Directory) -> list[str]:
        last = len(directory.parts()) - 1
        return [identifier async for batch in directory.part(last) for identifier in batch]

    assert directory.parts() == in_memory.parts()
    assert run(identifiers(directory)) == run(identifiers(in_memory))


@pytest.mark.usefixtures("memory_registered")
def test_an_url_chooses_the_engine(tmp_path: Path, companies: tuple[Company, ...]) -> None:
    settings = load({"PADRON_SEARCH__URL": URL}, data=tmp_path)
    assert engines.engine_kind(settings.search.url) is MEMORY
    assert engines.engine_kind(load({}, data=tmp_path).search.url) is engines.EMBEDDED


def test_an_url_that_no_engine_claims_is_told(tmp_path: Path) -> None:
    settings = load({"PADRON_SEARCH__URL": "solr://search.example"}, data=tmp_path)
    with pytest.raises(Invalid, match="bad-setting") as refused:
        run(Directory.open(tmp_path, REGISTRY, BASE_URL, search_url=settings.search.url))
    assert refused.value.context["setting"] == "PADRON_SEARCH__URL"
    with pytest.raises(Invalid, match="bad-settings"):
        load({"PADRON_SEARCH__URL": "elsewhere"}, data=tmp_path)


class Waiting(MemoryEngine):
    """Answers no look-up by identifier before `released`."""

    reached: asyncio.Event
    released: asyncio.Event

    async def by_identifier(self, identifiers, tags=()):
        self.reached.set()
        await self.released.wait()
        return await super().by_identifier(identifiers, tags)


def test_an_answer_under_way_comes_from_the_release_it_began_with(
    tmp_path: Path,
    publish: Callable[..., None],
    companies: tuple[Company, ...],
    company: Callable[..., Company],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A swap in the middle of a request changes nothing of it, and the next request sees the new release."""
    opened: list[Waiting] = []

    async def open_waiting(folder: Path) -> Waiting:
        engine = Waiting(documents_of(folder))
        engine.reached, engine.released = asyncio.Event(), asyncio.Event()
        opened.append(engine)
        return engine

    monkeypatch.setitem(engines.ENGINES, "memory", lambda url: EngineKind(MEMORY.builder, open_waiting))
    other = company("EC", "ec-expediente", "384", "OTRA COMPAÑIA S.A.")

    async def swap_while_asking() -> None:
        publish(tmp_path, "one", companies, engine=MEMORY)
        directory = await Directory.open(tmp_path, REGISTRY, BASE_URL, search_url=URL)
        yearly = asyncio.create_task(directory.statements("EC", "384", "es"))
        detailed = asyncio.create_task(directory.details("EC", "384", "es"))
        await opened[0].reached.wait()
        await asyncio.to_thread(publish, tmp_path, "two", (other,), engine=MEMORY)
        swapped = await directory.refreshed()
        assert swapped.release == "two"
        opened[0].released.set()
        opened[1].released.set()
        assert await yearly == []
        assert ((await detailed).release, (await detailed).detail.record.identifier) == ("one", "1790016919001")
        assert (await swapped.details("EC", "384", "es")).detail.record.legal_name == "OTRA COMPAÑIA S.A."
        with suppress(NotFound):
            await swapped.get("EC", "1790016919001", "es")
            raise AssertionError("the new release does not have it")

    run(swap_while_asking())


class Failing(MemoryEngine):
    """Fails while `reason` is set, as a cluster that is away does."""

    reason: str | None = None

    async def by_identifier(self, identifiers, tags=()):
        if self.reason:
            raise Unavailable("engine-unavailable", reason=self.reason)
        return await super().by_identifier(identifiers, tags)


def test_an_engine_that_goes_away_is_a_part_that_fails_alone_and_comes_back(
    tmp_path: Path,
    publish: Callable[..., None],
    companies: tuple[Company, ...],
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    opened: list[Failing] = []

    async def open_failing(folder: Path) -> Failing:
        opened.append(Failing(documents_of(folder)))
        return opened[-1]

    monkeypatch.setitem(engines.ENGINES, "memory", lambda url: EngineKind(MEMORY.builder, open_failing))
    monkeypatch.setattr(app, "POLL_EVERY", 0.01)
    publish(tmp_path, "one", companies, engine=MEMORY)
    settings = load({"PADRON_SEARCH__URL": URL, "PADRON_LIMITS__ENABLED": "0"}, data=tmp_path)
    company = "/api/public/empresas/EC/1790016919001"
    with TestClient(app.build_app(settings)) as client:

        def search_is(state: str) -> bool:
            parts = client.get("/readyz").json()["parts"]
            assert {part: parts[part] for part in parts if part != "search"}.keys() == set(PARTS) - {"search"}
            assert set(parts.values()) <= {"ok", state, "engine-unavailable"}
            return bool(parts["search"] == state)

        until(lambda: search_is("ok"))
        for reason, state, status in (("down", "engine-unavailable", 503), (None, "ok", 200)):
            opened[-1].reason = reason
            until(partial(search_is, state))
            assert client.get(company).status_code == status
            lost = 'padron_part_lost{part="search"} ' + ("1.0" if reason else "0.0")
            assert lost in client.get("/metrics").text
    lines = map(json.loads, capfdbinary.readouterr().out.splitlines())
    reported = [line["error"] for line in lines if line["event"] == "lost" and line["part"] == "search"]
    assert reported == ["engine-unavailable", None]
    assert len(opened) == 1
