"""`padron sources check` against publishers that changed: every change is named, and no register is downloaded."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from one_country import workbook
from padron.cli import sources
from padron.countries import REGISTRY
from padron.countries.country import Country
from padron.countries.origin import Manners, Share
from padron.countries.us.sources import STATES
from padron.errors import messages
from padron.ingest.fetching.source_check import SourceCheck, check_sources
from publisher import Fault, Site, held, no_ranges, page_instead, publishing, status
from sites import BODIES, RUES_ROWS, SRI_HEADER, TODAY, bundled, month, put_month, run, stock, zipped

SRI_AZUAY = "https://descargas.sri.gob.ec/download/datosAbiertos/SRI_RUC_Azuay.csv"
CVM = "https://dados.cvm.gov.br/dados/CIA_ABERTA/CAD/DADOS/cad_cia_aberta.csv"
DENUE = "https://www.inegi.org.mx/contenidos/masiva/denue/denue_09_csv.zip"
RNS = "https://datos.jus.gob.ar/dataset/x/registro-nacional-sociedades-2026.zip"
TICKERS = "https://www.sec.gov/files/company_tickers.json"
SUBMISSIONS = "https://www.sec.gov/Archives/edgar/daily-index/bulkdata/submissions.zip"
GLEIF = "https://goldencopy.gleif.org/api/v2/golden-copies/publishes/lei2/latest.csv"
DIRECTORIO = "https://mercadodevalores.supercias.gob.ec/reportes/excel/directorio_companias.xlsx"
LOGIN = b'<!DOCTYPE html><html><form action="/login"><input name="p" type="password"></form></html>'


@pytest.fixture
def site() -> Iterator[Site]:
    with publishing() as site:
        yield site


def hasty(code: str) -> Country:
    """A country whose publishers ask for no patience."""
    country = REGISTRY[code]
    return replace(
        country, origins=tuple(replace(o, manners=replace(o.manners, rate=1_000.0)) for o in country.origins)
    )


def only(country: Country, source: str) -> Country:
    """The country with one origin."""
    return replace(country, origins=tuple(origin for origin in country.origins if origin.source == source))


def checked(site: Site, code: str, source: str, root: Path, **settings: object) -> SourceCheck:
    """The answer for one source."""
    country = only(hasty(code), source)
    [row] = check_sources([country], replace(site.settings(country), **settings), root, TODAY)
    return row


def faults(row: SourceCheck) -> list[tuple[str, str, str]]:
    """File, state and error of what is not as expected."""
    return [(file.file, file.state, file.reason.code) for file in row.files if file.reason]


@pytest.mark.parametrize("code", list(REGISTRY))
@pytest.mark.verify
def test_publishers_as_they_are_known_are_as_expected(site: Site, tmp_path: Path, code: str) -> None:
    country = hasty(code)
    for origin in country.origins:
        if not country.by_hand(next(s for s in (*country.sources, *country.collected) if s.key == origin.source)):
            stock(site, origin)
    rows = check_sources([country], site.settings(country), tmp_path, TODAY)
    assert [row.source for row in rows] == [origin.source for origin in country.origins]
    assert {row.source: faults(row) for row in rows if row.state not in {"expected", "manual"}} == {}
    assert all(request.headers["user-agent"].count("tests@padron.example") for request in site.asked)
    assert all(request.headers.get("range") for request in site.requests(".zip"))
    dates = {file.date for row in rows for file in row.files if file.url.startswith("https") and file.bytes}
    assert dates <= {"2026-05-01"}, "the day of Last-Modified"


def renamed(body: bytes, old: bytes, new: bytes) -> bytes:
    assert old in body
    return body.replace(old, new, 1)


PLANTED: list[tuple[str, str, str, Callable[[], bytes], tuple[str, str, str], str]] = [
    ("EC", "sri-ruc", SRI_AZUAY, lambda: SRI_HEADER.replace("RAZON_SOCIAL", "NOMBRE").encode(),
     ("SRI_RUC_Azuay.csv", "changed", "missing-column"), "RAZON_SOCIAL"),
    ("BR", "cvm", CVM, lambda: renamed(bundled("br/cvm/cad_cia_aberta.csv.gz", 40), b"CNPJ_CIA", b"CNPJ"),
     ("cad_cia_aberta.csv", "changed", "missing-column"), "CNPJ_CIA"),
    ("MX", "denue", DENUE, lambda: zipped(conjunto_de_datos__csv=b"id,clee\n1,2\n"),
     ("denue_09_csv.zip", "changed", "members-changed"), "conjunto_de_datos.csv"),
    ("AR", "rns", RNS, lambda: BODIES["rns"]("")[:-100],
     ("registro-nacional-sociedades-2026.zip", "changed", "truncated-archive"), "truncated"),
    ("AR", "rns", RNS, lambda: zipped(**{"registro-nacional-sociedades-202610__csv": b"cuit;razon\n1;2\n"}),
     ("registro-nacional-sociedades-2026.zip", "changed", "missing-column"), "202610.csv"),
    ("US", "company-tickers", TICKERS, lambda: b'{"0": {"cik": 320193, "ticker": "AAPL"}}',
     ("company_tickers.json", "changed", "bad-json"), "cik_str"),
    ("US", "submissions", SUBMISSIONS, lambda: zipped(CIK0000320193__json=b'{"number": 320193}'),
     ("submissions.zip", "changed", "bad-json"), "cik"),
    ("MX", "gleif", GLEIF, lambda: zipped(**{"20261119-gleif-goldencopy-lei2__csv": b'"LEI","Name"\n"5","A"\n'}),
     ("gleif-goldencopy-lei2.csv.zip", "changed", "missing-column"), "Entity.LegalName"),
    ("EC", "supercias-directorio", DIRECTORIO, lambda: workbook("Companias", [["EXPEDIENTE", "NOMBRE"], [1, "A"]]),
     ("directorio_companias.xlsx", "changed", "missing-column"), "RUC"),
    ("EC", "sri-ruc", SRI_AZUAY, lambda: LOGIN, ("SRI_RUC_Azuay.csv", "login", "login-asked"), "captcha"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "source", "url", "body", "fault", "named"), PLANTED)
@pytest.mark.verify
def test_a_planted_change_is_named(
    site: Site, tmp_path: Path, code: str, source: str, url: str, body: Callable[[], bytes],
    fault: tuple[str, str, str], named: str,
) -> None:  # fmt: skip
    country = only(hasty(code), source)
    stock(site, country.origins[0])
    site.put(url, held(body(), issue="2"))
    row = checked(site, code, source, tmp_path)
    assert (row.state, faults(row)) == (fault[1], [fault])
    [reason] = [file.reason for file in row.files if file.reason]
    assert named in messages.detail(reason, "en")


@pytest.mark.parametrize(
    ("answer", "state", "code"),
    [
        (status(404), "gone", "publisher-refused"),
        (status(410), "gone", "publisher-refused"),
        (status(401), "login", "publisher-refused"),
        (status(403), "login", "publisher-refused"),
        (status(503, times=9), "unreachable", "publisher-unreachable"),
        (status(429, "9999"), "unreachable", "publisher-asks-to-wait"),
        ([page_instead], "changed", "html-instead-of-data"),
    ],
)
@pytest.mark.verify
def test_an_address_that_does_not_answer_with_its_file(
    site: Site, tmp_path: Path, answer: list[Fault], state: str, code: str
) -> None:
    stock(site, next(origin for origin in REGISTRY["BR"].origins if origin.source == "cvm"))
    site.misbehave(CVM, *answer)
    row = checked(site, "BR", "cvm", tmp_path)
    assert (row.state, faults(row)) == (state, [("cad_cia_aberta.csv", state, code)])


@pytest.mark.verify
def test_nothing_is_downloaded_whole(site: Site, tmp_path: Path) -> None:
    filler = Random(1).randbytes(30 << 20)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("metadatos/mapa.bin", filler)
        archive.writestr(
            "conjunto_de_datos/denue_inegi_09_.csv", bundled("mx/denue/denue_inegi_21__2018_cut-legal-entities.csv", 30)
        )
    country = only(hasty("MX"), "denue")
    stock(site, country.origins[0])
    site.put(DENUE, held(out.getvalue()))
    row = checked(site, "MX", "denue", tmp_path)
    assert (row.state, len(row.files)) == ("expected", 32)
    [large] = [file for file in row.files if file.url == DENUE]
    assert large.bytes == len(out.getvalue())
    ranges = [request.headers["range"] for request in site.requests("denue_09_csv.zip")]
    assert ranges == ["bytes=-65536"], "the directory and the start of the table are in the last bytes"
    assert site.most_at_once["www.inegi.org.mx"] == 1


@pytest.mark.verify
def test_a_server_that_ignores_ranges_is_read_from_the_start(site: Site, tmp_path: Path) -> None:
    country = only(hasty("AR"), "rns")
    stock(site, country.origins[0])
    site.misbehave(RNS, no_ranges)
    assert checked(site, "AR", "rns", tmp_path).state == "expected"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("registro-nacional-sociedades-202610.csv", b"cuit;razon\n1;2\n")
        archive.writestr("more.bin", Random(1).randbytes(5 << 20))
    site.put(RNS, held(out.getvalue(), issue="2"))
    site.misbehave(RNS, no_ranges)
    row = checked(site, "AR", "rns", tmp_path)
    assert [fault[1:] for fault in faults(row)] == [("changed", "missing-column")]


@pytest.mark.verify
def test_a_month_that_lacks_a_file_and_a_share_without_months(site: Site, tmp_path: Path) -> None:
    origin = next(origin for origin in REGISTRY["BR"].origins if origin.source == "receita-federal")
    assert isinstance(origin.way, Share)
    put_month(site, origin.way, "2026-08", month())
    put_month(site, origin.way, "2026-09", {name: body for name, body in month().items() if name != "Motivos.zip"})
    row = checked(site, "BR", "receita-federal", tmp_path)
    assert (row.state, faults(row)) == ("changed", [("receita-federal", "changed", "month-incomplete")])
    assert len(row.files) == 28, "the month before is asked"
    assert checked(site, "BR", "receita-federal", tmp_path, shares={"receita-federal": "other"}).state == "changed"


def test_a_table_without_one_of_its_columns(site: Site, tmp_path: Path) -> None:
    country = only(hasty("CO"), "rues")
    stock(site, country.origins[0])
    site.columns["c82u-588k"] = [name for name in RUES_ROWS[0] if name != "razon_social"]
    row = checked(site, "CO", "rues", tmp_path)
    [file] = row.files
    assert file.reason is not None
    assert (file.state, file.reason.code) == ("changed", "missing-column")
    assert "razon_social" in str(file.reason.context["column"])
    site.columns.clear()
    site.tables["c82u-588k"] = []
    assert faults(checked(site, "CO", "rues", tmp_path)) == [("rues_c82u-588k.csv", "changed", "rows-missing")]


@pytest.mark.verify
def test_a_catalogue_of_another_kind_and_a_state_without_file(site: Site, tmp_path: Path) -> None:
    site.put("https://datos.jus.gob.ar/api/3/action/package_show?id=registro-nacional-de-sociedades", held(b"{}"))
    assert faults(checked(site, "AR", "rns", tmp_path)) == [("rns", "changed", "index-changed")]
    country = only(hasty("MX"), "denue")
    stock(site, country.origins[0])
    site.documents.pop("/www.inegi.org.mx/contenidos/masiva/denue/denue_15_csv.zip")
    assert faults(checked(site, "MX", "denue", tmp_path)) == [("denue_15_csv.zip", "gone", "file-gone")]


def test_a_publisher_that_demands_a_contact_is_named_and_stops_nobody(site: Site, tmp_path: Path) -> None:
    country = hasty("US")
    for origin in country.origins:
        if origin.source == "gleif" or origin.source.startswith("state-"):
            stock(site, origin)
    rows = check_sources([country], site.settings(country, contact=None), tmp_path, TODAY)
    assert {row.source: row.state for row in rows} == {
        "submissions": "login", "company-tickers": "login", "financial-statement-data-sets": "login",
        "companyfacts": "login", "daily-index": "login", "gleif": "expected",
        **{source.key: "expected" for source in STATES},
    }  # fmt: skip
    assert {file.reason.code for row in rows for file in row.files if file.reason} == {"contact-missing"}


@pytest.mark.verify
def test_a_file_that_shrank_below_the_one_held(site: Site, tmp_path: Path) -> None:
    stock(site, next(origin for origin in REGISTRY["BR"].origins if origin.source == "cvm"))
    assert run(site, tmp_path, "BR", "cvm").state == "new"
    site.put(CVM, held(bundled("br/cvm/cad_cia_aberta.csv.gz", 40), issue="2"))
    assert faults(checked(site, "BR", "cvm", tmp_path)) == [("cad_cia_aberta.csv", "changed", "file-shrank")]


@pytest.mark.verify
def test_a_source_that_countries_share_is_asked_once(site: Site, tmp_path: Path) -> None:
    countries = [only(hasty(code), "gleif") for code in ("MX", "CO")]
    stock(site, countries[0].origins[0])
    rows = check_sources(countries, site.settings(*countries), tmp_path, TODAY)
    assert [(row.country, row.state) for row in rows] == [("MX", "expected"), ("CO", "expected")]
    assert len(site.requests("latest.csv")) == 1


@pytest.mark.verify
def test_the_rate_of_a_publisher_holds(site: Site, tmp_path: Path) -> None:
    """Requests of one publisher have the interval that it asks for, whatever the number of its sources."""
    manners = Manners("test", rate=50.0)
    country = replace(
        REGISTRY["BR"],
        origins=tuple(replace(o, manners=manners) for o in REGISTRY["BR"].origins if o.source in {"cvm", "ans", "bcb"}),
    )
    for origin in country.origins:
        if origin.source != "bcb":
            stock(site, origin)
    rows = check_sources([country], site.settings(country), tmp_path, TODAY)
    assert {row.source: row.state for row in rows} == {"cvm": "expected", "ans": "expected", "bcb": "gone"}
    assert max(site.most_at_once.values()) == 1


def test_the_answer_at_a_terminal(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    country = only(hasty("BR"), "cvm")
    monkeypatch.setitem(sources.REGISTRY, "BR", country)
    monkeypatch.setattr(sources, "fetch_settings", lambda _settings: site.settings(country))
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    stock(site, country.origins[0])
    assert sources.check("br", json=True, data=tmp_path) == 0
    [row] = json.loads(capsysbinary.readouterr().out)
    assert (row["country"], row["source"], row["state"]) == ("BR", "cvm", "expected")
    assert (row["files"][0]["url"], row["files"][0]["date"], row["files"][0]["reason"]) == (CVM, "2026-05-01", None)
    site.documents.clear()
    for language, words in (
        ("en_US.UTF-8", (b"gone", b"answered 404")),
        ("es_EC.UTF-8", ("ya no está".encode(), "respondió 404".encode())),
    ):
        monkeypatch.setenv("LC_ALL", language)
        assert sources.check("BR", data=tmp_path) == 3
        shown = capsysbinary.readouterr().out
        assert [word for word in words if word not in shown] == []
    site.misbehave(CVM, *status(503, times=9))
    assert sources.check("BR", data=tmp_path) == 4
