"""A build keeps account of every row, merges by identifier, keeps every name, and leaves nothing half done."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from one_country import place
from padron.cli import builds
from padron.companies.company import Company
from padron.companies.fields import LAYOUT
from padron.companies.model import Name
from padron.countries import REGISTRY
from padron.countries.country import Country, Expect, Source
from padron.countries.origin import Addresses, File, Manners, Origin
from padron.directory import Directory, run
from padron.errors import ReleaseError, SourceError, Unavailable, messages
from padron.index import release_index
from padron.ingest.build import build
from padron.publishing.publish import publish
from padron.releases import snapshot
from sites import zipped
from small_register import SCRIPT, source
from starving import no_file_beyond

Write = Callable[..., Path]
Make = Callable[[Source], Country]
HEADER = "RUC,NOMBRE,NOMBRE COMERCIAL,NOMBRE ANTERIOR,SITUACIÓN,FECHA,LEI,TELÉFONO\n"
ONE, TWO, THREE = "1790016919001", "1790010937001", "1760013210001"
GOOD = HEADER + (
    f"{ONE},CORPORACIÓN  FAVORITA C.A.,Supermaxi,LA FAVORITA C.A.,ACTIVA,26/11/1957,529900T8BM49AURSDO55,022222222\n"
    f"{TWO},BANCO PICHINCHA C.A.,,,EXTRAÑA,1906-04-11,,\n"
    "1700000000001,PEREZ JUAN,,,ACTIVA,,,\n"
    "17,SIN RUC S.A.,,,ACTIVA,,,\n"
)


def make_release(country: Country, root: Path, data: Path, now: datetime | None = None) -> snapshot.Release:
    with snapshot.building(data) as work:
        release = build(data, work, {"EC": country}, [root], now=now)
        snapshot.publish(data, work, release.id)
    return release


def ruc(at: int) -> str:
    """The number of the company at a place."""
    return f"1790{at:06}001"


def companies(data: Path, release: snapshot.Release) -> dict[str, Company]:
    return {company.identifier: company for company in snapshot.companies(data, release)}


def test_rows_become_companies_and_every_row_is_accounted_for(country: Make, official: Write, tmp_path: Path) -> None:
    release = make_release(country(source()), official(a__csv=GOOD.encode()), tmp_path / "var")
    built = companies(tmp_path / "var", release)
    stated = Company(**dict.fromkeys(Company._fields))._replace(
        country="EC",
        scheme="ec-ruc",
        identifier=ONE,
        aliases=(("lei", "529900T8BM49AURSDO55"),),
        legal_name="CORPORACIÓN FAVORITA C.A.",
        trade_name="Supermaxi",
        names=(
            Name("former", "LA FAVORITA C.A.", None, None),
            Name("trade", "Supermaxi", None, None),
        ),
        status="active",
        status_raw="ACTIVA",
        incorporated="1957-11-26",
        source="register",
        sources=("register",),
        given=(),
        refreshed="2026-03-01",
        financials=False,
        link_home=True,
        linked_names=(),
    )
    assert built[ONE] == stated
    assert built[TWO].status == "unknown"
    manifest = snapshot.manifest(tmp_path / "var", release.snapshots["EC"])
    assert manifest["sources"]["register"] == {
        "rows": 4,
        "kept": 2,
        "merged": 0,
        "left_out": {"natural-person": 1},
        "rejected": {"bad-identifier": 1},
        "records": 2,
        "date": "2026-03-01",
    }
    assert manifest["unmapped_status"] == {"EXTRAÑA": 1}
    assert release.coverage["total"] == 2


def test_rows_of_one_company_merge_and_every_name_is_kept(country: Make, official: Write, tmp_path: Path) -> None:
    root = official(
        a__csv=(HEADER + f"{ONE},NUEVA S.A.,,,,,,\n").encode(),
        b__csv=(HEADER + f"{ONE},VIEJA S.A.,Tienda,,ACTIVA,,,\n{ONE},Nueva S. A.,,,,,,\n").encode(),
    )
    record = root / "ec" / "register" / "PROVENANCE.json"
    old_second = record.read_text().replace("2026-03-01", "2020-01-01").replace("2020-01-01", "2026-03-01", 1)
    record.write_text(old_second)
    release = make_release(country(source()), root, tmp_path / "var")
    company = companies(tmp_path / "var", release)[ONE]
    assert (company.legal_name, company.trade_name, company.status) == ("NUEVA S.A.", "Tienda", "active")
    assert [(name.kind, name.name) for name in company.names] == [("former", "VIEJA S.A."), ("trade", "Tienda")]
    account = snapshot.manifest(tmp_path / "var", release.snapshots["EC"])["sources"]["register"]
    assert (account["rows"], account["kept"], account["merged"]) == (3, 1, 2)


NAMES = {
    "JOSE PEREZ 12345678901": "JOSE PEREZ",
    "TIENDA 170123456-7 S.A.": "TIENDA S.A.",
    "VENTAS ventas@correo.ec LTDA": "VENTAS LTDA",
    "GOMEZ PEGJ800101AB1": "GOMEZ",
    "GOMEZ PEGJ800101HDFRRN09": "GOMEZ",
    "GOMEZ PEGJ-800101-AB1": "GOMEZ",
    "GOMEZ pegj 800101 ab1": "GOMEZ",
    "GOMEZ PEGJ.80/01/01–AB1": "GOMEZ",
    "GOMEZ PEGJ 800101 HDFRRN09": "GOMEZ",
    "LOTE 100101 SAS": "LOTE 100101 SAS",
    "OBRA 2012-2015 A": "OBRA 2012-2015 A",
    "GRUPO ALFA 801399 SUR": "GRUPO ALFA 801399 SUR",
    "GOMEZ PEGJ800101XDFRRN09": "GOMEZ",
    "GOMEZ PEGJ800101": "GOMEZ",
    "GOMEZ RFCPEGJ800101AB1": "GOMEZ",
    "GOMEZ RFC: PEGJ 800101 AB1": "GOMEZ",
    "LOTE 800101 SAS": "LOTE 800101 SAS",
    "TORRE800101 SAS": "TORRE800101 SAS",
    "OBRA801301 SAS": "OBRA801301 SAS",
    "CONSORCIO VIAL 2020-2024": "CONSORCIO VIAL 2020-2024",
    "3M DEL ECUADOR 100": "3M DEL ECUADOR 100",
}


def test_no_personal_number_stays_inside_a_name(country: Make, official: Write, tmp_path: Path) -> None:
    rows = {name: ruc(at) for at, name in enumerate(NAMES)}
    text = "".join(f"{number},{name},{name},,,,,\n" for name, number in rows.items())
    root = official(a__csv=(HEADER + text).encode())
    built = companies(tmp_path / "var", make_release(country(source()), root, tmp_path / "var"))
    assert {name: built[number].legal_name for name, number in rows.items()} == NAMES


SIGNS = {
    # The number of a natural person: the name is that person's.
    "JOAO DA SILVA 52998224725": None,
    "JOSE SOUZA 529.982.247-25": None,
    "JUAN PEREZ LOPEZ PELJ800101HDFRPN09": None,
    "MARIA PEREZ PELM800101AB1": None,
    "IÑIGO ÑAÑEZ ÑAÑI800101AB1": None,
    "COMERCIAL PEREZ 1710034065": None,
    "COMERCIAL PEREZ 171003406-5": None,
    "COMERCIAL PEREZ 1710034065001": None,
    # A telephone is taken out, and so is what only looks like the number of a person.
    "PIZZERIA ZYX 0987654321": "PIZZERIA ZYX",
    "PIZZERIA ZYX 1710034066": "PIZZERIA ZYX",
    "LANCHES ZYX 52998224726": "LANCHES ZYX",
    "DISK GAS 3222-4444": "DISK GAS",
    "3222-4444 / 3222-5555 DISK GAS": "DISK GAS",
    "DISK GAS (3222 4444)": "DISK GAS",
    "PEDIDOS 1234-5678": "PEDIDOS",
    "PIZZERIA ZYX 2456-789": "PIZZERIA ZYX",
    "DOMICILIOS 3112233 BOGOTA": "DOMICILIOS BOGOTA",
    "DISK ENTULHO (11) 3222-4444": "DISK ENTULHO",
    "DISK ENTULHO (11) 98765-4321 SAO PAULO": "DISK ENTULHO SAO PAULO",
    "TACOS ZYX (55)1234-5678": "TACOS ZYX",
    "LOJA ZYX @ GMAIL.COM": None,
    # An address.
    "R AUGUSTA 1234": None,
    "R 25 DE MARCO 120": None,
    "PRACA DA SE 100": None,
    "ROD BR 116 KM 20": None,
    "ESTRADA DO COCO 500": None,
    "CRA 7 No. 72-41": None,
    "CL 10 5 20": None,
    "KR 7 72 41": None,
    "DG 45 20-31": None,
    "TV 12 3-4": None,
    "CL 49 SUR NO 45A 300": None,
    "PASEO DE LA REFORMA 222": None,
    "PROLONGACION JUAREZ 10": None,
    "LOCAL AMAZONAS N34-120 Y AV REPUBLICA": None,
    # Names.
    **{
        name: name
        for name in (
            "R 13 CONSTRUTORA",
            "R MOTOS 2000",
            "R VARIEDADES 10",
            "PASEO SHOPPING",
            "ROD SERVICE",
            "ROD SERVICE 24",
            "CONSORCIO (2019-2020)",
            "CONSORCIO 2019-2020",
            "CONSORCIO 2019/2020",
            "LOTE 100101",
            "AL 100",
            "3M",
            "24-7",
            "FONDO 1000000",
            "CALLE 13",
            "TV 5 NOTICIAS",
            "CR7 SPORTS",
            "CAFE@NET",
            "F@RMACIA",
            "CAFE @ HOTEL",
            "NORMA ISO 9001-2015",
            "PCA ENGENHARIA 100",
            "1847432 ALBERTA ULC",
            "9123-4567 Québec inc.",
        )
    },
}


def test_a_trade_name_holds_no_person_and_no_contact(country: Make, official: Write, tmp_path: Path) -> None:
    small = country(source())
    of_branch = SCRIPT.replace("[name('former', anterior, NULL, NULL)]", "[name('trade', anterior, NULL, NULL)]")
    (small.folder / "companies.sql").write_text(of_branch, encoding="utf-8")
    rows = {sign: (ruc(2 * at), ruc(2 * at + 1)) for at, sign in enumerate(SIGNS)}
    text = "".join(
        f"{head},UNO S.A.,{sign},,,,,\n{branch},DOS S.A.,,{sign},,,,\n" for sign, (head, branch) in rows.items()
    )
    root = official(a__csv=(HEADER + text).encode())
    built = companies(tmp_path / "var", make_release(small, root, tmp_path / "var"))
    assert {sign: built[head].trade_name for sign, (head, _) in rows.items()} == SIGNS
    for sign, published in SIGNS.items():
        names = () if published is None else (Name("trade", published, None, None),)
        assert [built[number].names for number in rows[sign]] == [names, names], sign


DATES = {
    "2015-01-02": "2015-01-02",
    "2015-01-02T00:00:00.000": "2015-01-02",
    "20150102": "2015-01-02",
    "02/01/2015": "2015-01-02",
    "2/1/2015": "2015-01-02",
    "2/1/2015 0:00": "2015-01-02",
    "02-01-2015": "2015-01-02",
    "2-1-2015": "2015-01-02",
    "2015-1-2": "2015-01-02",
    "2015/1/2": "2015-01-02",
    "02/01/15": None,
    "15-01-02": None,
    "2/1/20155": None,
    "12/25/2009": None,
    "31/2/2015": None,
}


def test_dates_as_registers_write_them(country: Make, official: Write, tmp_path: Path) -> None:
    rows = {written: ruc(at) for at, written in enumerate(DATES)}
    text = "".join(f"{number},UNO S.A.,,,,{written},,\n" for written, number in rows.items())
    root = official(a__csv=(HEADER + text).encode())
    built = companies(tmp_path / "var", make_release(country(source()), root, tmp_path / "var"))
    assert {written: built[number].incorporated for written, number in rows.items()} == DATES


def test_private_columns_never_reach_the_snapshot(country: Make, official: Write, tmp_path: Path) -> None:
    release = make_release(country(source()), official(a__csv=GOOD.encode()), tmp_path / "var")
    folder = tmp_path / "var" / "snapshots" / release.snapshots["EC"]
    rows = duckdb.sql(f"SELECT * FROM read_parquet('{folder}/*.parquet', union_by_name = true)").fetchall()
    assert "022222222" not in str(rows)
    assert "PEREZ JUAN" not in str(rows)


@pytest.mark.parametrize(
    ("expect", "code"),
    [(Expect(min_rows=5, max_rejected=1), "too-few-rows"), (Expect(max_rejected=0.1), "too-many-rejected")],
)
def test_a_source_that_is_not_as_expected_stops_the_build(
    country: Make, official: Write, tmp_path: Path, expect: Expect, code: str
) -> None:
    with pytest.raises(SourceError, match=code):
        make_release(country(source(expect=expect)), official(a__csv=GOOD.encode()), tmp_path / "var")
    with pytest.raises(ReleaseError, match="no-release"):
        snapshot.current(tmp_path / "var")
    assert not (tmp_path / "var" / ".building").exists()


@pytest.mark.parametrize(("rows", "bad", "allowed"), [(19, 1, 0), (20, 1, 1), (59, 3, 2), (60, 3, 3), (970, 4, 3)])
def test_a_few_bad_rows_stop_no_small_register(
    country: Make, official: Write, tmp_path: Path, rows: int, bad: int, allowed: int
) -> None:
    good = "".join(f"17{90000000001 + number},EMPRESA {number} S.A.,,,,,,\n" for number in range(rows - bad))
    root = official(a__csv=(HEADER + good + "17900,MAL NUMERO S.A.,,,,,,\n" * bad).encode())
    small = country(source(expect=Expect()))
    if bad > allowed:
        with pytest.raises(SourceError) as caught:
            make_release(small, root, tmp_path / "var")
        assert caught.value.code == "too-many-rejected"
        counted = {"source": "register", "found": bad, "rows": rows, "allowed": allowed}
        first = {"file": "a.csv", "row": rows - bad + 1, "reason": "bad-identifier"}
        assert caught.value.context == counted | first
        sentence = f"La primera es la fila {first['row']} de a.csv (bad-identifier)."
        assert sentence in messages.detail(caught.value, "es")
    else:
        assert make_release(small, root, tmp_path / "var").coverage["total"] == rows - bad


def test_thousands_of_broken_rows_are_counted_with_their_lines(country: Make, official: Write, tmp_path: Path) -> None:
    """Two lines that leave a quote open make one record, which cannot be read; a cell too long has no line."""
    root = official(a__csv=(HEADER + _ROWS + f"{ONE},{'A' * 10_001},,,,,,\n" + '17900,"ABC\n' * 4_000).encode())
    release = make_release(country(source(expect=Expect(max_rejected=1))), root, tmp_path / "var")
    balance = snapshot.manifest(tmp_path / "var", release.snapshots["EC"])["sources"]["register"]
    assert (balance["rows"], balance["rejected"]) == (2_021, {"cell-too-long": 1, "missing-columns": 2_000})
    path = tmp_path / "var" / "snapshots" / release.snapshots["EC"] / "rejected.parquet"
    rejected = duckdb.sql(f"SELECT record, line, reason FROM '{path}' ORDER BY record").fetchall()
    assert rejected[:2] == [(21, None, "cell-too-long"), (22, 23, "missing-columns")]
    assert len(rejected) == 2_001


@pytest.mark.parametrize("bad", [1, 4])
def test_rows_with_a_damaged_byte_are_counted(country: Make, official: Write, tmp_path: Path, bad: int) -> None:
    rows = [f"17{90000000001 + number},COMPAÑÍA {number} S.A.,,,,,,\n".encode() for number in range(40)]
    for number in range(10, 10 + bad):
        rows[number] = rows[number].replace("Ñ".encode(), b"\xd1")
    small, root = country(source(expect=Expect())), official(a__csv=HEADER.encode() + b"".join(rows))
    if bad == 1:
        release = make_release(small, root, tmp_path / "var")
        balance = snapshot.manifest(tmp_path / "var", release.snapshots["EC"])["sources"]["register"]
        assert {key: balance[key] for key in ("rows", "kept", "merged", "left_out", "rejected")} == {
            "rows": 40, "kept": 39, "merged": 0, "left_out": {}, "rejected": {"bad-encoding": 1},
        }  # fmt: skip
        assert companies(tmp_path / "var", release)["1790000000040"].legal_name == "COMPAÑÍA 39 S.A."
        return
    with pytest.raises(SourceError, match="too-many-rejected") as caught:
        make_release(small, root, tmp_path / "var")
    first = {"file": "a.csv", "row": 11, "reason": "bad-encoding"}
    assert caught.value.context == {"source": "register", "found": 4, "rows": 40, "allowed": 2} | first


def test_a_country_that_cannot_be_built_leaves_the_others(country: Make, official: Write, tmp_path: Path) -> None:
    sound = country(source())
    other = replace(sound, code="MX")
    data, root = tmp_path / "var", official(a__csv=GOOD.encode())
    (root / "mx").symlink_to(root / "ec")
    registry = {"EC": sound, "MX": other}
    with snapshot.building(data) as work:
        first = build(data, work, registry, [root])
        snapshot.publish(data, work, first.id)
    faults: dict[str, str] = {}
    (root / "mx").unlink()
    shutil.copytree(root / "ec", root / "mx")
    (root / "mx" / "register" / "a.csv").write_bytes(b"")
    with snapshot.building(data) as work:
        again = build(data, work, registry, [root], failed=lambda code, error: faults.update({code: error.code}))
    assert (again.snapshots, faults) == (first.snapshots, {"MX": "empty-file"})
    with snapshot.building(data) as work, pytest.raises(SourceError, match="empty-file"):
        build(data, work, registry, [root], only=["MX"], failed=lambda _code, _error: None)
    with snapshot.building(data) as work, pytest.raises(SourceError, match="empty-file"):
        build(data, work, registry, [root])


def test_the_command_publishes_the_countries_that_can_be_built_and_names_the_one_that_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    root, data = tmp_path / "in", tmp_path / "var"
    rows = [f"{number},179{number:07}001,EMPRESA {number} S.A.,,\n" for number in range(1_000, 2_000)]
    rows += ["384,1790016919001,FAVORITA C.A.,,\n", "385,0990004196001,ROSADO S.A.,,\n"]
    ranking = "".join(["expediente,ruc,nombre,tipo,provincia\n", *rows])
    place(root, REGISTRY["EC"], "supercias-ranking", bi_compania__csv=ranking.encode())
    place(root, REGISTRY["MX"], "denue", denue_inegi_21__csv=b"")
    with pytest.raises(SourceError, match="empty-file") as caught:
        builds.build(source=[root], data=data, country=["EC", "MX"])
    assert caught.value.context == {"source": "denue", "file": "denue_inegi_21.csv"}
    release = snapshot.read_release(data, snapshot.current(data))
    assert (list(release.snapshots), release.coverage["total"]) == (["EC"], 1_002)
    assert capsys.readouterr().err == "Not built, and served as before: MX.\n"


def test_a_source_that_shrank_stops_the_build_and_the_old_release_stays(
    country: Make, official: Write, tmp_path: Path
) -> None:
    first = make_release(country(source()), official(a__csv=GOOD.encode()), tmp_path / "var")
    with pytest.raises(SourceError) as caught:
        make_release(country(source()), official(a__csv="\n".join(GOOD.split("\n")[:3]).encode()), tmp_path / "var")
    assert caught.value.code == "rows-lost"
    assert caught.value.context == {"source": "register", "found": 2, "before": 4, "allowed": 4}
    assert "rows read: 2; in the last release: 4; at least 4" in messages.detail(caught.value, "en")
    assert "filas leídas: 2; en la última versión: 4; se esperan" in messages.detail(caught.value, "es")
    assert snapshot.current(tmp_path / "var") == first.id


@pytest.mark.parametrize(("rows", "is_lost"), [(48, False), (47, True)])
def test_a_loss_of_a_fifth_of_the_rows_is_refused(
    country: Make, official: Write, tmp_path: Path, rows: int, is_lost: bool
) -> None:
    lines = [f"17{90000000001 + number},EMPRESA {number} S.A.,,,,,,\n" for number in range(59)]
    make_release(country(source()), official(a__csv=(HEADER + "".join(lines)).encode()), tmp_path / "var")
    root = official(a__csv=(HEADER + "".join(lines[:rows])).encode())
    if is_lost:
        with pytest.raises(SourceError, match="rows-lost") as caught:
            make_release(country(source()), root, tmp_path / "var")
        assert caught.value.context == {"source": "register", "found": 47, "before": 59, "allowed": 48}
    else:
        assert make_release(country(source()), root, tmp_path / "var").coverage["total"] == 48


def test_a_source_whose_files_are_gone_stops_the_build(country: Make, official: Write, tmp_path: Path) -> None:
    small = country(source())
    two = replace(small, sources=(small.sources[0], replace(small.sources[0], key="other")))
    root = official(a__csv=GOOD.encode())
    other = shutil.copytree(root / "ec" / "register", root / "ec" / "other")
    read_other = "INSERT INTO left_out SELECT 'other', _row, 'test' FROM other_table;"
    (two.folder / "companies.sql").write_text(SCRIPT + read_other, encoding="utf-8")
    first = make_release(two, root, tmp_path / "var")
    shutil.rmtree(other)
    with pytest.raises(SourceError, match="source-lost") as caught:
        make_release(two, root, tmp_path / "var")
    assert caught.value.context == {"source": "other", "country": "EC", "date": "2026-03-01"}
    assert snapshot.current(tmp_path / "var") == first.id
    assert make_release(two, root, tmp_path / "new").coverage["total"] == first.coverage["total"]


_SWAPPED = HEADER.replace("RUC,NOMBRE,", "NOMBRE,RUC,", 1)


@pytest.mark.parametrize("rows", [4, 10])
def test_a_file_of_which_every_row_is_rejected_stops_the_build(
    country: Make, official: Write, tmp_path: Path, rows: int
) -> None:
    """A header whose labels are swapped passes as a small file beside a large one: 4 of 404 rows are few."""
    swapped = "".join(f"17{90000000001 + number},EMPRESA {number} S.A.,,,,,,\n" for number in range(rows))
    root = official(a__csv=(HEADER + _ROWS * 20).encode(), b__csv=(_SWAPPED + swapped).encode())
    with pytest.raises(SourceError, match="file-rejected") as caught:
        make_release(country(source()), root, tmp_path / "var")
    place = {"source": "register", "file": "b.csv", "reason": "bad-identifier"}
    assert caught.value.context == {**place, "found": rows, "rows": rows}
    assert "b.csv" in messages.detail(caught.value, "es")


def test_a_large_file_of_which_every_row_is_left_out_stops_the_build(
    country: Make, official: Write, tmp_path: Path
) -> None:
    root = official(
        a__csv=(HEADER + _ROWS).encode(), b__csv=(HEADER + "1700000000001,PEREZ JUAN,,,,,,\n" * 100).encode()
    )
    with pytest.raises(SourceError, match="file-rejected") as caught:
        make_release(country(source()), root, tmp_path / "var")
    place = {"source": "register", "file": "b.csv", "reason": "natural-person"}
    assert caught.value.context == {**place, "found": 100, "rows": 100}


@pytest.mark.parametrize(("rejected", "persons", "kept"), [(3, 0, 0), (30, 50, 0), (40, 0, 1), (0, 99, 0), (0, 100, 1)])
def test_a_file_with_few_rejected_rows_or_a_company_is_read(
    country: Make, official: Write, tmp_path: Path, rejected: int, persons: int, kept: int
) -> None:
    rows = "17,SIN RUC,,,,,,\n" * rejected + "1700000000001,PEREZ JUAN,,,,,,\n" * persons + f"{TWO},DOS,,,,,,\n" * kept
    root = official(a__csv=(HEADER + _ROWS * 20).encode(), b__csv=(HEADER + rows).encode())
    small = country(source(expect=Expect(max_rejected=0.1)))
    assert make_release(small, root, tmp_path / "var").coverage["total"] == 20 + kept


_ROWS = "".join(f"17{90000000001 + number},EMPRESA {number} S.A.,,,,,,\n" for number in range(20))
_PROVINCES = {
    "r_azuay__csv": (HEADER + _ROWS).encode(),
    "r_loja__csv": f"{HEADER}{TWO},DEL SUR S.A.,,,,,,\n".encode(),
    "r_napo__csv": f"{HEADER}{THREE},DEL ORIENTE S.A.,,,,,,\n".encode(),
}


def _by_province(small: Country, *files: File) -> Country:
    return replace(small, origins=(Origin("register", Addresses(lambda _today: files), Manners("x")),))


@pytest.mark.parametrize(
    ("now", "lost"),
    [
        (["r_azuay__csv"], "r_loja.csv, r_napo.csv"),
        (["r_azuay__csv", "r_napo__csv"], "r_loja.csv"),
        (["r_azuay__csv", "r_2027__csv"], "r_loja.csv, r_napo.csv"),  # one file takes the place of one
        (["r_azuay__csv", "r_loja__csv", "r_napo__csv"], None),
    ],
)
def test_a_file_of_a_source_that_the_last_release_has_stops_the_build(
    country: Make, official: Write, tmp_path: Path, now: list[str], lost: str | None
) -> None:
    """Rows of a small file are too few to miss: twenty of twenty-two are there."""
    names = [File(f"r_{name}.csv", "https://x/") for name in ("azuay", "loja", "napo", "pastaza")]
    small = _by_province(country(source()), *names)
    first = make_release(small, official(**_PROVINCES), tmp_path / "var")
    assert first.coverage["total"] == 22
    shutil.rmtree(tmp_path / "official")
    root = official(**{name: _PROVINCES.get(name, HEADER.encode()) for name in now})
    if lost is None:
        assert make_release(small, root, tmp_path / "var").id == first.id
        return
    with pytest.raises(SourceError, match="file-lost") as caught:
        make_release(small, root, tmp_path / "var")
    assert caught.value.context == {"source": "register", "country": "EC", "date": "2026-03-01", "files": lost}
    assert lost in messages.detail(caught.value, "es")
    assert snapshot.current(tmp_path / "var") == first.id
    assert make_release(small, root, tmp_path / "new").coverage["total"] < first.coverage["total"]


@pytest.mark.parametrize(
    ("before", "now", "lost"),
    [
        ("r_loja", "r_loja_2026", None),  # another edition
        ("r_loja", "member_of_a_zip", None),
        ("r_2025", "r_2026", None),  # undeclared, as a name with a date
        ("r_2025", "", None),
        ("r_year", "", None),  # optional: the publisher may have none
        ("r_loja", "r_napo", "r_loja.csv"),  # a file with a name of its own replaces no other
        ("r_whole", "r_1", None),  # parts of a group replace the whole
        ("r_1", "", "r_1.csv"),
    ],
)
def test_a_file_of_another_edition_is_no_lost_one(
    country: Make, official: Write, tmp_path: Path, before: str, now: str, lost: str | None
) -> None:
    names = [File(f"r_{name}.csv", "https://x/") for name in ("azuay", "loja", "napo")]
    names += [File(f"r_{name}.csv", "https://x/", group="g") for name in ("whole", "1", "2")]
    small = _by_province(country(source()), *names, File("r_year.csv", "https://x/", optional=True))
    few, others = _PROVINCES["r_loja__csv"], {"r_azuay__csv": _PROVINCES["r_azuay__csv"], "r_2__csv": HEADER.encode()}
    make_release(small, official(**others, **{f"{before}__csv": few}), tmp_path / "var")
    shutil.rmtree(tmp_path / "official")
    root = official(**others, **({f"{now}__csv": few} if now else {}))
    if lost:
        with pytest.raises(SourceError, match="file-lost") as caught:
            make_release(small, root, tmp_path / "var")
        assert caught.value.context["files"] == lost
    else:
        make_release(small, root, tmp_path / "var")


def test_the_member_of_a_zip_takes_its_place(country: Make, official: Write, tmp_path: Path) -> None:
    names = [File(f"r_{name}.zip", "https://x/") for name in ("azuay", "loja")]
    small, azuay = _by_province(country(source()), *names), _PROVINCES["r_azuay__csv"]
    root = official(r_azuay__csv=azuay, r_loja__zip=zipped(member__csv=_PROVINCES["r_loja__csv"]))
    first = make_release(small, root, tmp_path / "var")
    shutil.rmtree(tmp_path / "official")
    root = official(r_azuay__csv=azuay, member__csv=_PROVINCES["r_loja__csv"])
    assert first.coverage["total"] == make_release(small, root, tmp_path / "var").coverage["total"] == 21


@pytest.mark.parametrize(("folder", "meant"), [("EC", "ec"), ("ec/registe", "register"), ("ec/Register", "register")])
def test_a_misspelt_folder_is_told(country: Make, official: Write, tmp_path: Path, folder: str, meant: str) -> None:
    root = official(a__csv=GOOD.encode())
    for free in ("pe", "notes", "ec/ciiu", "ec/.register"):
        (root / free).mkdir()
    make_release(country(source()), root, tmp_path / "free")
    (root / folder).mkdir()
    with pytest.raises(SourceError, match="misspelt-folder") as caught:
        make_release(country(source()), root, tmp_path / "var")
    assert caught.value.context == {"folder": str(root / folder), "meant": meant}


def test_rows_that_are_there_but_tell_of_no_company_stop_the_build(
    country: Make, official: Write, tmp_path: Path
) -> None:
    first = make_release(country(source()), official(a__csv=GOOD.encode()), tmp_path / "var")
    changed = GOOD.replace(TWO, "1710010937001")
    with pytest.raises(SourceError) as caught:
        make_release(country(source()), official(a__csv=changed.encode()), tmp_path / "var")
    assert (caught.value.code, caught.value.context["found"]) == ("companies-lost", 1)
    assert snapshot.current(tmp_path / "var") == first.id


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("WHERE regexp_full_match(ruc, '[0-9]{2}[0-5][0-9]{10}')", "WHERE false", "rows-unaccounted"),
        ("_row AS row_id, ruc AS company", "_row + 1 AS row_id, ruc AS company", "rows-unaccounted"),
        ("ruc AS identifier", "'x' || ruc AS identifier", "identifier-not-canonical"),
        ("ruc AS company", "ruc || nombre AS company", "identifier-twice"),
    ],
)
def test_a_faulty_script_is_caught(
    country: Make, official: Write, tmp_path: Path, old: str, new: str, code: str
) -> None:
    faulty = country(source(expect=Expect(max_rejected=1)))
    assert old in SCRIPT
    (faulty.folder / "companies.sql").write_text(SCRIPT.replace(old, new), encoding="utf-8")
    content = GOOD + f"{ONE},OTRO NOMBRE S.A.,,,,,,\n"
    with pytest.raises((SourceError, ValueError)) as caught:
        make_release(faulty, official(a__csv=content.encode()), tmp_path / "var")
    assert getattr(caught.value, "code", code) == code


def test_the_same_files_give_the_same_snapshot_byte_by_byte(country: Make, official: Write, tmp_path: Path) -> None:
    root, small = official(a__csv=GOOD.encode()), country(source())
    first, second = (make_release(small, root, tmp_path / name) for name in ("one", "two"))
    assert (first.id, first.snapshots) == (second.id, second.snapshots)
    again = make_release(small, root, tmp_path / "one")
    assert again.id == first.id


@pytest.mark.parametrize(("today", "latest"), [("2026-04-01", "2026-04-01"), ("2017-07-14", "2026-03-01")])
def test_a_date_after_the_build_is_none_but_no_file_comes_from_the_future(
    country: Make, official: Write, tmp_path: Path, today: str, latest: str
) -> None:
    """The files are of 2026-03-01: a clock before that is wrong."""
    now = datetime.fromisoformat(today).replace(tzinfo=UTC)
    row = f"{ONE},CORPORACIÓN FAVORITA C.A.,,,ACTIVA,{{}},,\n"
    small = country(source())
    kept = {}
    for day in ("2026-03-01", "2026-03-02", "2026-04-01", "2026-04-02"):
        root = official(a__csv=(HEADER + row.format(day)).encode())
        data = tmp_path / day
        kept[day] = companies(data, make_release(small, root, data, now))[ONE].incorporated
    assert kept == {day: day if day <= latest else None for day in kept}


def test_a_fetched_source_wins_over_the_bundled_one(country: Make, official: Write, tmp_path: Path) -> None:
    bundled = official(a__csv=GOOD.encode()).rename(tmp_path / "bundled")
    fetched = official(a__csv=GOOD.replace("FAVORITA C.A.", "FAVORITA S.A.").encode())
    data = tmp_path / "var"
    with snapshot.building(data) as work:
        release = build(data, work, {"EC": country(source())}, [bundled, fetched, tmp_path / "none"])
    assert companies(data, release)[ONE].legal_name == "CORPORACIÓN FAVORITA S.A."


def test_no_files_at_all_is_told(country: Make, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no-source-files"):
        make_release(country(source()), tmp_path / "nowhere", tmp_path / "var")


def test_one_build_at_a_time(tmp_path: Path) -> None:
    with snapshot.building(tmp_path), pytest.raises(Unavailable, match="build-running"), snapshot.building(tmp_path):
        pass


def test_what_a_killed_build_left_is_swept(country: Make, official: Write, tmp_path: Path) -> None:
    data = tmp_path / "var"
    release = make_release(country(source()), official(a__csv=GOOD.encode()), data)
    for leftover in (".building/ec", "snapshots/ec/2020-01-01-00000000", "indexes/1-2020-01-01-00000000"):
        (data / leftover).mkdir(parents=True)
    (data / "releases" / "2020-01-01-00000000.json").write_text("{}")
    with snapshot.building(data) as work:
        assert list(work.iterdir()) == []
    assert [path.name for path in (data / "releases").iterdir()] == [f"{release.id}.json"]
    assert [path.name for path in (data / "snapshots" / "ec").iterdir()] == [release.snapshots["EC"].split("/")[1]]
    assert list((data / "indexes").iterdir()) == []


def _damage(path: Path, how: str) -> None:
    if how == "gone":
        path.unlink()
    elif how == "cut":
        path.write_bytes(path.read_bytes()[:-1])
    else:
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(bytes(content))


@pytest.mark.parametrize("how", ["gone", "cut", "flipped"])
@pytest.mark.parametrize("name", ["companies.parquet", "manifest.json", "rejected.parquet"])
def test_a_damaged_snapshot_is_refused(country: Make, official: Write, tmp_path: Path, name: str, how: str) -> None:
    release = make_release(country(source()), official(a__csv=GOOD.encode()), tmp_path / "var")
    _damage(tmp_path / "var" / "snapshots" / release.snapshots["EC"] / name, how)
    with pytest.raises(ReleaseError, match="release-damaged") as caught:
        companies(tmp_path / "var", release)
    assert caught.value.context["file"] == name


def test_a_release_of_another_format_or_cut_is_refused(country: Make, official: Write, tmp_path: Path) -> None:
    data = tmp_path / "var"
    release = make_release(country(source()), official(a__csv=GOOD.encode()), data)
    path = data / "releases" / f"{release.id}.json"
    whole = path.read_text()
    path.write_text(whole.replace('"format": 1', '"format": 99'))
    with pytest.raises(ReleaseError, match="release-format"):
        snapshot.read_release(data, release.id)
    path.write_text(whole.replace(LAYOUT, "00000000"))
    with pytest.raises(ReleaseError, match="release-format") as caught:
        snapshot.read_release(data, release.id)
    assert caught.value.context["expected"] == LAYOUT, "a release with other columns"
    path.write_text(whole[:-10])
    with pytest.raises(ReleaseError, match="release-damaged"):
        snapshot.read_release(data, release.id)


def two_countries(country: Make, home: str | None) -> dict[str, Country]:
    """The small register as Ecuador, and as the United States with `home` in its records."""
    first = country(source())
    folder = first.folder.with_name("other")
    folder.mkdir()
    home_value = f"'{home}'" if home else "NULL"
    (folder / "companies.sql").write_text(
        SCRIPT.replace("_date AS recency", f"{home_value} AS home, _date AS recency"), encoding="utf-8"
    )
    (folder / "forms.csv").write_bytes((first.folder / "forms.csv").read_bytes())
    return {"EC": first, "US": replace(first, code="US", folder=folder)}


@pytest.mark.parametrize(
    ("original", "planted"), [('"format": 1', '"format": 0'), (LAYOUT, "00000000"), ('"links"', '"bonds"')]
)
def test_over_a_release_of_another_format_or_damaged_all_countries_are_built_and_served(
    country: Make, official: Write, tmp_path: Path, original: str, planted: str
) -> None:
    data, registry = tmp_path / "var", two_countries(country, None)
    root = official(a__csv=GOOD.encode())
    shutil.copytree(root / "ec", root / "us")
    old = publish(data, registry, [root])
    path = data / "releases" / f"{old.id}.json"
    path.write_text(path.read_text().replace(original, planted))
    provenance = root / "us" / "register" / "PROVENANCE.json"
    provenance.write_text(provenance.read_text().replace("2026-03-01", "2026-03-02"))

    new = publish(data, registry, [root], only=["US"])

    served = run(Directory.open(data, registry, "https://padron.example"))
    assert (served.release, run(served.get("EC", ONE, "es")).record.identifier) == (new.id, ONE), "no country is lost"
    assert set(new.snapshots) == {"EC", "US"}
    assert (data / "snapshots" / old.snapshots["US"]).is_dir(), "somebody may serve the release before"
    assert not list(data.glob("changes/*.jsonl"))
    publish(data, registry, [root])
    assert publish(data, registry, [root]).id == new.id, "and so it goes on"


def test_a_country_whose_snapshot_is_damaged_is_built_beside_another(
    country: Make, official: Write, tmp_path: Path
) -> None:
    registry, root, data = two_countries(country, None), official(a__csv=GOOD.encode()), tmp_path / "var"
    shutil.copytree(root / "ec", root / "us")
    old = publish(data, registry, [root])
    (data / "snapshots" / old.snapshots["US"] / "companies.parquet").write_bytes(b"damaged")
    assert publish(data, registry, [root], only=["EC"]).id == old.id
    snapshot.verify(data / "snapshots" / old.snapshots["US"])


def test_a_build_without_the_pointer_keeps_what_was_published(country: Make, official: Write, tmp_path: Path) -> None:
    data = tmp_path / "var"
    release = make_release(country(source()), official(a__csv=GOOD.encode()), data)
    (data / "current").unlink()
    with snapshot.building(data):
        assert snapshot.stored(data) == [], "a first one that was never published may not be proved"
    other = release._replace(id="2099-01-01-00000000")
    with snapshot.building(data) as work:
        for each in (release, other):
            snapshot.write_release(data, work, each)
    with snapshot.building(data):
        assert snapshot.published(data) == [other.id, release.id]
        assert snapshot.stored(data) == [other.id, release.id]


@pytest.mark.parametrize("damaged", ["index", "statements", "snapshot", "release", "current"])
def test_a_build_mends_what_is_damaged(country: Make, official: Write, tmp_path: Path, damaged: str) -> None:
    registry, root, data = two_countries(country, None), official(a__csv=GOOD.encode()), tmp_path / "var"
    shutil.copytree(root / "ec", root / "us")
    old = publish(data, registry, [root])
    index = snapshot.index_folder(data, old.id, release_index.FORMAT)
    path = {
        "index": index / "tables.msgpack",
        "statements": index / "statements" / snapshot.SEAL,
        "snapshot": data / "snapshots" / old.snapshots["US"] / "companies.parquet",
        "release": data / "releases" / f"{old.id}.json",
        "current": data / "current",
    }[damaged]
    path.write_bytes(b"\xff damaged")
    assert publish(data, registry, [root]).id == old.id
    assert run(Directory.open(data, registry, "http://localhost")).release == old.id


@pytest.mark.parametrize("size", [100, 10 << 10, 300 << 10], ids=["python", "duckdb", "later"])
def test_a_full_disk_is_told_and_the_old_release_stays(
    country: Make, official: Write, tmp_path: Path, size: int
) -> None:
    data, registry = tmp_path / "var", {"EC": country(source())}
    rows = "".join(f"179{number:06}0001,COMPAÑIA {number} S.A.,,,ACTIVA,,,\n" for number in range(1, 9_000))
    old = publish(data, registry, [official(a__csv=GOOD.encode())])
    root = official(a__csv=(GOOD + rows).encode())
    with pytest.raises(Unavailable, match="disk-fault") as caught, no_file_beyond(size):
        publish(data, registry, [root])
    assert "File too large" in messages.detail(caught.value, "en")
    assert run(Directory.open(data, registry, "https://padron.example")).release == old.id
    assert publish(data, registry, [root]).id != old.id, "once there is room"


def test_a_data_folder_that_cannot_be_is_told(country: Make, official: Write, tmp_path: Path) -> None:
    root, registry = official(a__csv=GOOD.encode()), {"EC": country(source())}
    (tmp_path / "file").write_text("")
    for data in (tmp_path / "file", tmp_path / "file" / "var"):
        with pytest.raises(Unavailable, match="disk-fault"):
            publish(data, registry, [root])


def _links(country: Make, official: Write, tmp_path: Path, home: str | None, name: str, lei: str = "") -> Any:
    registry = two_countries(country, home)
    root = official(a__csv=(HEADER + f"{ONE},CORPORACION FAVORITA S.A.,,,,,{lei},\n").encode())
    other = official(a__csv=(HEADER + f"{TWO},{name},,,,,{lei},\n").encode())
    (other / "ec").rename(other / "us")
    official(a__csv=(HEADER + f"{ONE},CORPORACION FAVORITA S.A.,,,,,{lei},\n").encode())
    with snapshot.building(tmp_path / "var") as work:
        return build(tmp_path / "var", work, registry, [root]).links


def test_a_foreign_filer_with_the_name_of_a_home_company_is_linked(
    country: Make, official: Write, tmp_path: Path
) -> None:
    links = _links(country, official, tmp_path, "EC", "FAVORITA CORPORACION SA")
    assert links == {("EC", ONE): (f"EC:{ONE}", True), ("US", TWO): (f"EC:{ONE}", False)}


@pytest.mark.parametrize(
    ("home", "name"),
    [(None, "CORPORACION FAVORITA S.A."), ("EC", "CORPORACION FAVORITA ANDINA S.A."), ("BR", "FAVORITA")],
)
def test_others_are_not_linked(country: Make, official: Write, tmp_path: Path, home: str | None, name: str) -> None:
    assert _links(country, official, tmp_path, home, name) == {}


def test_a_branch_is_linked_to_the_company_it_is_of(country: Make, official: Write, tmp_path: Path) -> None:
    links = _links(country, official, tmp_path, None, "CORPORACION FAVORITA S.A. SUCURSAL NORTE")
    assert links == {("EC", ONE): (f"EC:{ONE}", True), ("US", TWO): (f"EC:{ONE}", False)}


@pytest.mark.parametrize(
    "name",
    ["FAVORITA CORPORACION S.A. SUCURSAL", "CORPORACION FAVORITA LTDA SUCURSAL", "CORPORACION FAVORITA SUCURSAL"],
)
def test_a_branch_of_another_name_or_form_is_not_linked(
    country: Make, official: Write, tmp_path: Path, name: str
) -> None:
    assert _links(country, official, tmp_path, None, name) == {}


def test_linked_records_share_trade_and_former_names(country: Make, official: Write, tmp_path: Path) -> None:
    lei = "529900T8BM49AURSDO55"
    home = official(a__csv=(HEADER + f"{ONE},CORPORACION FAVORITA S.A.,Supermaxi,LA FAVORITA C.A.,,,{lei},\n").encode())
    other = official(a__csv=(HEADER + f"{TWO},FAVORITA CORPORATION INC,,FAVORITA FOODS,,,{lei},\n").encode())
    (other / "ec").rename(other / "us")
    official(a__csv=(HEADER + f"{ONE},CORPORACION FAVORITA S.A.,Supermaxi,LA FAVORITA C.A.,,,{lei},\n").encode())
    with snapshot.building(tmp_path / "var") as work:
        release = build(tmp_path / "var", work, two_countries(country, "EC"), [home])
        snapshot.publish(tmp_path / "var", work, release.id)
    shared = {
        number: [(name.kind, name.name) for name in company.linked_names]
        for number, company in companies(tmp_path / "var", release).items()
    }
    assert shared == {
        ONE: [("former", "FAVORITA FOODS")],
        TWO: [("former", "LA FAVORITA C.A."), ("trade", "Supermaxi")],
    }


def test_one_lei_links_whatever_the_names(country: Make, official: Write, tmp_path: Path) -> None:
    links = _links(country, official, tmp_path, "EC", "OTHER NAME INC", "529900T8BM49AURSDO55")
    assert links == {
        ("EC", ONE): ("lei:529900T8BM49AURSDO55", True),
        ("US", TWO): ("lei:529900T8BM49AURSDO55", False),
    }
