"""Fetching what comes in sets: months of a share, tables by pages, catalogues; killed at any moment; and refreshing."""

from __future__ import annotations

import fcntl
import os
import random
import resource
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from one_country import build, unexpecting
from padron.countries import REGISTRY
from padron.countries.country import Layout, Source, SourceColumn
from padron.countries.origin import Index, Manners, Share, Table
from padron.errors import SourceError, Unavailable, messages
from padron.ingest.bundle import bundle
from padron.ingest.fetch import fetch, refresh
from padron.ingest.fetching import source_store
from padron.ingest.fetching import table as table_module
from padron.ingest.fetching.client import FetchSettings, Publisher
from padron.ingest.fetching.source_status import sources
from padron.ingest.files import PROVENANCE
from publisher import Site, held, publishing, status
from sites import CATALOGUE, NEWEST, RUES_ROWS, contents, month, put_month, run, stock, tree
from waiting import PATIENCE, until

SRC = Path(__file__).parents[2] / "src"
RECEITA = next(origin for origin in REGISTRY["BR"].origins if origin.source == "receita-federal")
assert isinstance(RECEITA.way, Share)
_COLUMNS = (SourceColumn("nit", ("nit",)), SourceColumn("nombre", ("nombre",)))
_ROWS = Layout("rows", "*.txt", "csv", _COLUMNS, delimiter="\t")
BY_HAND = Source("by-hand", "Register", "Office", "https://example.org/", "open", "Office", 365, (_ROWS,))
RUES = next(origin for origin in REGISTRY["CO"].origins if origin.source == "rues")


@pytest.fixture
def site() -> Iterator[Site]:
    with publishing() as site:
        yield site


def reissued(body: bytes) -> bytes:
    """A zip whose member names carry the issue of 2026-09-12."""
    return body.replace(b"D51213", b"D60912")


# --- Receita Federal: all members of one month, or the month before --------------------------------------------------


def test_the_newest_whole_month_is_taken_with_its_date(site: Site, tmp_path: Path) -> None:
    put_month(site, RECEITA.way, "2025-11", month())
    put_month(site, RECEITA.way, "2025-12", month())
    outcome = run(site, tmp_path, "BR", "receita-federal")
    assert (outcome.state, outcome.fetched) == ("new", len(month())) == ("new", 27)
    records = (tmp_path / "br" / "receita-federal" / PROVENANCE).read_text("utf-8")
    assert records.count('"published": "2025-12-13"') == 27, "the issue that the member names carry"
    assert "2025-11" not in records
    listings = site.requests(method="PROPFIND")
    assert {request.headers["depth"] for request in listings} == {"1"}
    assert listings[0].headers["authorization"].startswith("Basic ")


def test_a_partial_month_keeps_the_old_one_and_says_so(site: Site, tmp_path: Path) -> None:
    put_month(site, RECEITA.way, "2026-08", month())
    run(site, tmp_path, "BR", "receita-federal")
    before = contents(tmp_path, "BR", "receita-federal")
    put_month(site, RECEITA.way, "2026-09", {name: body for name, body in month().items() if name != "Motivos.zip"})

    outcome = run(site, tmp_path, "BR", "receita-federal")
    assert outcome.state == "late"
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.context["month"], outcome.error.context["missing"]) == (
        "month-incomplete", "2026-09", "Motivos.zip",
    )  # fmt: skip
    assert contents(tmp_path, "BR", "receita-federal") == before
    statuses = {row.source: row for row in sources(REGISTRY, tmp_path.parent / "x", tmp_path, date(2026, 11, 20))}
    assert statuses["receita-federal"].completeness == "sample"

    put_month(site, RECEITA.way, "2026-09", {name: reissued(body) for name, body in month().items()})
    outcome = run(site, tmp_path, "BR", "receita-federal")
    assert (outcome.state, outcome.error) == ("new", None)
    assert '"published": "2026-09-12"' in (tmp_path / "br" / "receita-federal" / PROVENANCE).read_text("utf-8")


def test_a_month_of_two_issues_is_refused(site: Site, tmp_path: Path) -> None:
    files = month() | {"Empresas3.zip": reissued(month()["Empresas3.zip"])}
    put_month(site, RECEITA.way, "2026-08", files)
    outcome = run(site, tmp_path, "BR", "receita-federal")
    assert (outcome.state, outcome.error and outcome.error.code) == ("failed", "issues-mixed")
    put_month(site, RECEITA.way, "2026-08", month())
    assert run(site, tmp_path, "BR", "receita-federal").state == "new", "the next run takes the mended month"


def test_no_month_at_all_is_told(site: Site, tmp_path: Path) -> None:
    put_month(site, RECEITA.way, "2026-08", {"Cnaes.zip": month()["Cnaes.zip"]})
    outcome = run(site, tmp_path, "BR", "receita-federal")
    assert (outcome.state, outcome.error and outcome.error.code) == ("failed", "month-incomplete")


def test_the_share_is_a_setting(site: Site, tmp_path: Path) -> None:
    put_month(site, RECEITA.way, "2026-08", month(), "gn672Ad4CF8N6TK")
    assert run(site, tmp_path, "BR", "receita-federal", share="gn672Ad4CF8N6TK").state == "new"
    assert all("/gn672Ad4CF8N6TK/" in request.path for request in site.requests("/dav/files/"))


def test_the_second_share_has_its_months_in_a_folder_and_no_table_of_activities(site: Site, tmp_path: Path) -> None:
    files = {name: body for name, body in month().items() if name != "Cnaes.zip"}
    put_month(site, RECEITA.way, "Dados/Cadastros/CNPJ/2026-08", files, "gn672Ad4CF8N6TK")
    outcome = run(site, tmp_path, "BR", "receita-federal", share="gn672Ad4CF8N6TK/Dados/Cadastros/CNPJ/")
    assert (outcome.state, outcome.fetched, outcome.error) == ("new", 26, None)
    assert site.requests("/dav/files/gn672Ad4CF8N6TK/Dados/Cadastros/CNPJ/2026-08/Empresas0.zip")
    _, query = build(unexpecting(REGISTRY["BR"]), tmp_path, tmp_path / "built")
    activities = query("SELECT DISTINCT activity_code, activity_label FROM companies WHERE activity_code IS NOT NULL")
    assert activities
    assert all(label for _, label in activities), "activities.csv stands in"

    put_month(site, RECEITA.way, "Dados/Cadastros/CNPJ/2026-08", month(), "gn672Ad4CF8N6TK")
    outcome = run(site, tmp_path, "BR", "receita-federal", share="gn672Ad4CF8N6TK/Dados/Cadastros/CNPJ")
    assert (outcome.state, outcome.fetched) == ("new", 1), "the file came later"


def test_a_server_that_refuses_connections_gets_fewer(site: Site, tmp_path: Path) -> None:
    urls = put_month(site, RECEITA.way, "2026-08", month())
    for url in urls[:3]:
        site.misbehave(url, *status(503, "0"))
    assert run(site, tmp_path, "BR", "receita-federal").state == "new"
    assert site.most_at_once["arquivos.receitafederal.gov.br"] <= 4


# --- Tables by pages -------------------------------------------------------------------------------------------------


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_module, "PAGE", 10)


@pytest.mark.usefixtures("pages")
def test_a_table_is_paged_in_one_order_and_only_companies_leave_the_publisher(site: Site, tmp_path: Path) -> None:
    person = {"codigo_clase_identificacion": "01", "razon_social": "PERSONA", "representante_legal": "ALGUIEN"}
    site.tables["c82u-588k"] = [*RUES_ROWS, person]
    assert run(site, tmp_path, "CO", "rues").state == "new"
    [body] = contents(tmp_path, "CO", "rues").values()
    assert body.count(b"\n") == 1 + 25
    assert b"PERSONA" not in body
    assert b"representante" not in body
    asked = [request.query for request in site.requests("c82u-588k.csv")]
    assert [query["$offset"] for query in asked] == [["0"], ["10"], ["20"]]
    assert all("representante" not in query["$select"][0] for query in asked)


@pytest.mark.usefixtures("pages")
def test_a_table_killed_between_pages_goes_on_with_the_next(site: Site, tmp_path: Path) -> None:
    stock(site, RUES)
    whole = tmp_path / "whole"
    run(site, whole, "CO", "rues")
    site.misbehave("https://www.datos.gov.co/resource/c82u-588k.csv", lambda _: False, *status(500, times=9))
    assert run(site, tmp_path, "CO", "rues").state == "failed"
    site.faults.clear()
    part = tmp_path / "co" / ".rues" / "part" / "rues_c82u-588k.csv"
    with part.open("ab") as torn:
        torn.write(b'"half a pa')
    asked = len(site.asked)
    assert run(site, tmp_path, "CO", "rues").state == "new"
    assert [request.query["$offset"] for request in site.asked[asked:] if "$offset" in request.query] == [
        ["10"],
        ["20"],
    ]
    assert contents(tmp_path, "CO", "rues") == contents(whole, "CO", "rues")


@pytest.mark.usefixtures("pages")
def test_a_table_renewed_meanwhile_is_fetched_anew(site: Site, tmp_path: Path) -> None:
    stock(site, RUES)

    def renew(handler: object) -> bool:
        site.renewed += 60
        site.tables["c82u-588k"] = [{**row, "razon_social": "OTRA S.A.S."} for row in RUES_ROWS]
        return False

    site.misbehave("https://www.datos.gov.co/resource/c82u-588k.csv", lambda _: False, renew)
    assert run(site, tmp_path, "CO", "rues").state == "new"
    [body] = contents(tmp_path, "CO", "rues").values()
    assert (body.count(b"OTRA S.A.S."), body.count(b"EMPRESA")) == (25, 0)


@pytest.mark.usefixtures("pages")
def test_a_page_with_other_columns_or_too_few_rows_is_refused(site: Site, tmp_path: Path) -> None:
    stock(site, RUES)
    url = "https://www.datos.gov.co/resource/c82u-588k.csv"
    way = RUES.way
    assert isinstance(way, Table)

    def answer(text: str):
        def fault(handler) -> bool:
            handler.send(200, {}, text.encode())
            return True

        return fault

    site.misbehave(url, answer('"nit"\n"900276962"\n'))
    outcome = run(site, tmp_path, "CO", "rues")
    assert outcome.error is not None
    assert outcome.error.code == "columns-changed"
    site.misbehave(url, lambda _: False, answer(",".join(way.select) + "\n"))
    outcome = run(site, tmp_path, "CO", "rues")
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.context["rows"], outcome.error.context["expected"]) == (
        "rows-missing",
        10,
        25,
    )


# --- Catalogues, groups, mirrors, old TLS ----------------------------------------------------------------------------


def test_the_catalogue_tells_the_newest_file(site: Site, tmp_path: Path) -> None:
    for code in ("rns", "igj"):
        [origin] = [origin for origin in REGISTRY["AR"].origins if origin.source == code]
        assert isinstance(origin.way, Index)
        stock(site, origin)
        run(site, tmp_path, "AR", code)
        assert sorted(contents(tmp_path, "AR", code)) == sorted(url.rsplit("/", 1)[-1] for url in NEWEST[code])
        document = b'{"result": {"resources": [{"url": "https://x/otra-cosa.zip"}]}}'
        package = next(name for name, urls in CATALOGUE.items() if NEWEST[code][0] in urls)
        site.put(f"https://datos.jus.gob.ar/api/3/action/package_show?id={package}", held(document, issue="2"))
        outcome = run(site, tmp_path, "AR", code)
        assert (outcome.state, outcome.error and outcome.error.code) == ("failed", "index-changed")


def test_a_state_may_come_whole_or_in_parts_but_must_come(site: Site, tmp_path: Path) -> None:
    [denue] = [origin for origin in REGISTRY["MX"].origins if origin.source == "denue"]
    urls = stock(site, denue)
    [whole] = [path for path in site.documents if path.endswith("denue_15_csv.zip")]
    body = site.documents.pop(whole)
    outcome = run(site, tmp_path, "MX", "denue")
    assert outcome.state == "failed"
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.context["file"]) == ("file-gone", "denue_15")
    assert "See on https://www.inegi.org.mx/" in messages.detail(outcome.error, "en")
    for part in ("15_1", "15_2"):
        site.put(urls[0].replace("denue_01", f"denue_{part}"), body)
    assert run(site, tmp_path, "MX", "denue").fetched == 33


def test_a_source_inside_a_country_comes_by_the_mirror(site: Site, tmp_path: Path) -> None:
    [origin] = [origin for origin in REGISTRY["EC"].origins if origin.source == "supercias-ranking"]
    assert origin.manners.inside
    assert origin.manners.old_tls
    stock(site, origin)
    run(site, tmp_path, "EC", "supercias-ranking")
    [request] = site.requests("bi_ranking.csv")
    assert request.path == "/appscvsmovil.supercias.gob.ec/ranking/recursos/bi_ranking.csv"
    assert request.headers["user-agent"].startswith("Mozilla/5.0 (compatible; Padron/")


def test_old_ciphers_are_offered_only_where_they_are_needed() -> None:
    contexts = []
    for manners in (Manners("new"), Manners("old", old_tls=True)):
        publisher = Publisher(manners, FetchSettings())
        contexts.append(publisher._client._transport._pool._ssl_context)
        publisher.close()
    new, old = contexts
    assert (new.security_level, old.security_level) == (2, 1)
    assert (old.verify_mode, old.check_hostname) == (ssl.CERT_REQUIRED, True)


# --- Killed at any moment --------------------------------------------------------------------------------------------

KILLED = """
import sys
from dataclasses import replace
from pathlib import Path
from padron.countries.country import Source
from padron.countries import REGISTRY
from padron.ingest.fetch import fetch
from padron.ingest.fetching.client import FetchSettings, RetryPolicy
from padron.countries.origin import Addresses, File, Manners, Origin
url, root = sys.argv[1], Path(sys.argv[2])
source = Source("big", "Big", "X", url, "CC0", "X", 1, ())
files = tuple(File(f"{n}.bin", f"https://big.example/{n}.bin") for n in range(3))
origin = Origin("big", Addresses(lambda _: files), Manners("big", rate=1000.0, connections=2))
country = replace(REGISTRY["EC"], sources=(), collected=(source,), origins=(origin,))
settings = FetchSettings(mirrors={"big.example": url}, retry=RetryPolicy(5, 0.001, 0.5))
[outcome] = fetch(country, root, settings)
sys.exit(0 if outcome.state in {"new", "same"} else 1)
"""


class Hold:
    """Cuts the first answer for each file; the answer to the request of a number breaks off and does not end."""

    def __init__(self, number: int) -> None:
        self.reached, self.over = threading.Event(), threading.Event()
        self._left = number
        self._lock = threading.Lock()

    def __call__(self, handler) -> bool:
        with self._lock:
            self._left -= 1
            held_up = self._left == 0
        if held_up or "Range" not in handler.headers:
            handler.cut = 0.4
        if held_up:
            handler.afterwards = self._hold
        return False

    def _hold(self) -> None:
        self.reached.set()
        self.over.wait(PATIENCE)


def killed_fetches(site: Site, folder: Path, kills: int, seed: int) -> int:
    """Kill at least `kills` fetches, each while it waits for the rest of a file, and repeat each until it ends whole.

    Returns how many fetches began anew.
    """
    draw = random.Random(seed)
    environment = os.environ | {"PYTHONPATH": str(SRC)}
    killed = rounds = 0
    while killed < kills:
        rounds += 1
        bodies = [draw.randbytes(3_000_000) for _ in range(3)]
        for number, body in enumerate(bodies):
            site.put(f"https://x/{number}.bin", body)
            site.documents[f"/{number}.bin"] = site.documents.pop(f"/x/{number}.bin")
        root = folder / f"{rounds}"
        command = [sys.executable, "-c", KILLED, site.url, str(root)]
        while True:
            hold = Hold(draw.randint(1, 5) if killed < kills else 0)
            site.faults = {f"/{number}.bin": [hold] * 4 for number in range(3)}
            process = subprocess.Popen(command, env=environment)
            until(lambda process=process, hold=hold: hold.reached.is_set() or process.poll() is not None)
            if not hold.reached.is_set():
                assert process.wait() == 0
                break
            with suppress(subprocess.TimeoutExpired):
                process.wait(draw.random() * 0.1)  # the other connection goes on
            process.kill()
            process.wait()
            hold.over.set()
            killed += 1
        assert list(contents(root, "EC", "big").values()) == bodies
        before = tree(root)
        assert subprocess.run(command, env=environment, check=False).returncode == 0
        assert tree(root) == before, "there is no news"
    return rounds


def test_a_fetch_killed_at_any_moment_ends_byte_identical(site: Site, tmp_path: Path) -> None:
    assert killed_fetches(site, tmp_path, kills=2, seed=7) >= 1
    assert [request for request in site.asked if "range" in request.headers], "it went on where it had been killed"


def test_a_full_disk_is_told_and_what_came_is_kept(site: Site, tmp_path: Path) -> None:
    bodies = [random.Random(3).randbytes(300_000) for _ in range(3)]
    for number, body in enumerate(bodies):
        site.documents[f"/{number}.bin"] = held(body)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    command = [sys.executable, "-c", KILLED, site.url, str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": str(SRC)}
    full = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard)),
    )  # fmt: skip
    assert "disk-fault" in full.stderr.splitlines()[-1]
    assert not (tmp_path / "ec" / "big").exists()
    assert subprocess.run(command, env=environment, check=False).returncode == 0
    assert list(contents(tmp_path, "EC", "big").values()) == bodies
    assert any("range" in request.headers for request in site.asked), "the rest of what had come"


@pytest.mark.endurance
def test_fetches_killed_twenty_times_end_byte_identical(site: Site, tmp_path: Path) -> None:
    rounds = killed_fetches(site, tmp_path, kills=20, seed=8)
    resumed = sum("range" in request.headers for request in site.asked)
    print(f"at least 20 fetches killed in {rounds} rounds, {resumed} requests resumed a file")
    assert resumed > 0


@pytest.mark.parametrize("point", ["next", "link", "parts"])
def test_a_publication_killed_half_way_is_taken_up(site: Site, tmp_path: Path, point: str, monkeypatch) -> None:
    stock(site, RUES)
    monkeypatch.setattr(table_module, "PAGE", 10)

    class Killed(BaseException):
        pass

    def die(first: object, *_: object, **__: object) -> None:
        if point != "parts" or str(first).endswith("/part"):
            raise Killed

    target, name = {
        "next": (source_store, "flush"),
        "link": (source_store.SourceStore, "_point"),
        "parts": (source_store.shutil, "rmtree"),
    }[point]
    with monkeypatch.context() as patch:
        patch.setattr(target, name, die)
        with pytest.raises(Killed):
            run(site, tmp_path, "CO", "rues")
    asked = len(site.requests("c82u-588k.csv"))
    assert run(site, tmp_path, "CO", "rues").state in {"new", "same"}
    assert len(site.requests("c82u-588k.csv")) == asked, "nothing is fetched twice"
    assert list(contents(tmp_path, "CO", "rues")) == ["rues_c82u-588k.csv"]


def test_one_fetch_at_a_time(tmp_path: Path) -> None:
    with (tmp_path / ".fetch.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Unavailable, match="fetch-running"):
            fetch(REGISTRY["MX"], tmp_path, FetchSettings(), only=["comprasmx"])


def test_files_somebody_put_there_by_hand_become_the_first_version(site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "co" / "rues"
    folder.mkdir(parents=True)
    (folder / PROVENANCE).write_text('{"source": "rues", "files": []}')
    stock(site, RUES)
    assert run(site, tmp_path, "CO", "rues").state == "new"
    assert folder.is_symlink()


# --- Refresh ---------------------------------------------------------------------------------------------------------


def registry_of_two(site: Site) -> dict[str, object]:
    """Brazil with BCB alone and Colombia with the RUES alone."""
    registry = {}
    for code, key in (("BR", "bcb"), ("CO", "rues")):
        [origin] = [origin for origin in REGISTRY[code].origins if origin.source == key]
        stock(site, origin)
        hasty = replace(origin, manners=replace(origin.manners, rate=1_000.0))
        registry[code] = replace(REGISTRY[code], origins=(hasty,))
    return registry


def test_refresh_builds_what_has_news_and_nothing_else(site: Site, tmp_path: Path) -> None:
    registry = registry_of_two(site)
    settings = site.settings(*registry.values())
    built: list[list[str]] = []

    first = refresh(registry, tmp_path, settings, built.append)
    assert ([outcome.state for outcome in first], built) == (["new", "new"], [["BR", "CO"]])

    before = tree(tmp_path)
    second = refresh(registry, tmp_path, settings, built.append)
    assert ([outcome.state for outcome in second], built) == (["same", "same"], [["BR", "CO"]])
    assert tree(tmp_path) == before, "two refreshes in a row without news change nothing"

    site.renewed += 60
    site.tables["c82u-588k"] = [*RUES_ROWS, {**RUES_ROWS[0], "numero_identificacion": "900999999"}]
    refresh(registry, tmp_path, settings, built.append)
    assert built[1:] == [["CO"]]


def test_refresh_builds_anew_for_a_file_placed_by_hand(site: Site, tmp_path: Path) -> None:
    registry = registry_of_two(site)
    settings = site.settings(*registry.values())
    built: list[list[str]] = []
    refresh(registry, tmp_path, settings, built.append)
    saved, rows = tmp_path / "saved.txt", "nit\tnombre\n"
    for text in (rows, rows + "1\tUno\n"):
        saved.write_text(text)
        for _ in range(2):
            bundle(saved, tmp_path / "co" / "by-hand" / "a.txt", BY_HAND, "2026-11-01")
            refresh(registry, tmp_path, settings, built.append)
    assert built == [["BR", "CO"], ["CO"], ["CO"]]


def test_a_file_that_was_removed_is_fetched_again(site: Site, tmp_path: Path) -> None:
    registry = registry_of_two(site)
    settings = site.settings(*registry.values())
    refresh(registry, tmp_path, settings, lambda _: None)
    [path] = (tmp_path / "co" / "rues").glob("*.csv")
    content = path.read_bytes()
    path.unlink()
    outcomes = fetch(registry["CO"], tmp_path, settings)
    assert ([outcome.state for outcome in outcomes], path.read_bytes()) == (["new"], content)
    [path] = (tmp_path / "br" / "bcb").glob("Participantes*")
    path.unlink()
    outcomes = fetch(registry["BR"], tmp_path, settings)
    assert ([outcome.state for outcome in outcomes], path.stat().st_size > 0) == (["new"], True)


def test_a_build_that_failed_is_tried_again_without_news(site: Site, tmp_path: Path) -> None:
    registry = registry_of_two(site)
    settings = site.settings(*registry.values())

    def broken(_: list[str]) -> None:
        raise SourceError("too-few-rows", source="rues", found=1, allowed=2)

    with pytest.raises(SourceError):
        refresh(registry, tmp_path, settings, broken)
    built: list[list[str]] = []
    refresh(registry, tmp_path, settings, built.append)
    assert built == [["BR", "CO"]]


def test_one_source_that_fails_does_not_stop_the_others(site: Site, tmp_path: Path) -> None:
    registry = registry_of_two(site)
    del site.tables["c82u-588k"]
    outcomes = refresh(registry, tmp_path, site.settings(*registry.values()), lambda _: None)
    assert [outcome.state for outcome in outcomes] == ["new", "failed"]
    rows = {row.source: row for row in sources(registry, tmp_path.parent, tmp_path, date(2026, 11, 20))}
    assert rows["rues"].state == "late"


def test_the_table_of_sources_tells_state_age_and_completeness(site: Site, tmp_path: Path) -> None:
    data = tmp_path / "var"
    registry = registry_of_two(site)
    del site.tables["c82u-588k"]
    refresh(registry, data / "official", site.settings(*registry.values()), lambda _: None)
    bundled = Path(__file__).parents[2] / "data" / "official"
    rows = {
        (row.country, row.source): row
        for row in sources(registry | {"MX": REGISTRY["MX"]}, data, bundled, date(2026, 5, 3))
    }

    bcb = rows["BR", "bcb"]
    assert (bcb.state, bcb.date, bcb.age, bcb.completeness, bcb.reason) == ("fresh", "2026-05-01", 2, "whole", None)
    assert rows["BR", "bcb"].licence == "ODbL 1.0"
    rues = rows["CO", "rues"]
    assert (rues.state, rues.completeness, rues.reason) == ("failed", "none", "publisher-refused")
    assert rows["MX", "comprasmx"].state == "manual"
    receita = rows["BR", "receita-federal"]
    assert (receita.state, receita.completeness, receita.date) == ("late", "sample", "2025-12-13")
    assert receita.rows is None, "no release is served"
