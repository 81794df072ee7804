"""Argentina: CUIT and IGJ numbers, legal forms, states, and the companies read from the bundled and our own files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum.ar import cuit as oracle

from padron.companies.model import Identifier
from padron.countries.ar import AR
from padron.countries.ar.identifiers import valid_cuit
from padron.countries.country import Expect, Status
from padron.errors import Invalid, NotFound
from padron.ingest.build import Built, build_country
from padron.text import fold, split_form

OFFICIAL = Path(__file__).parents[2] / "data" / "official"
IDS = Path(__file__).parent / "ids"
CUITS = (IDS / "ar-cuit.txt").read_text().split()
CORRELATIVES = (IDS / "ar-igj.txt").read_text().splitlines()[1:]

Query = Callable[[str], list[tuple[Any, ...]]]


# --- identifiers


@pytest.mark.parametrize("cuit", CUITS)
def test_real_cuits_in_every_written_form(cuit: str) -> None:
    readings = AR.identify(cuit)
    assert readings == (Identifier("ar-cuit", cuit, True),)
    shown = AR.scheme_by_code["ar-cuit"].show(cuit)
    for written in (
        shown,
        f" {cuit} ",
        f"CUIT {shown}",
        f"cuit: {cuit}",
        f"C.U.I.T. N° {shown}",
        f"CUIT No. {cuit}",
        f"{cuit[:2]} {cuit[2:10]} {cuit[10]}",
        f"{cuit[:2]}.{cuit[2:10]}/{cuit[10]}",
    ):
        assert AR.identify(written) == readings


@pytest.mark.parametrize("number", CORRELATIVES)
def test_real_correlative_numbers_in_every_written_form(number: str) -> None:
    readings = (Identifier("ar-igj", number),)
    for written in (number, f"IGJ {number}", f"I.G.J. N° {number}", number.zfill(7), f"correlativo {number}"):
        assert AR.identify(written) == readings
    assert AR.scheme_by_code["ar-igj"].show(number) == number


def test_there_are_enough_real_numbers() -> None:
    assert (len(set(CUITS)), len(set(CORRELATIVES))) == (100, 40)


@pytest.mark.parametrize(
    ("written", "value"),
    [("1.567.441", "1567441"), ("IGJ número correlativo 1567441", "1567441"), ("igj: 00044", "44"), ("44", "44")],
)
def test_correlative_numbers_in_other_forms(written: str, value: str) -> None:
    assert AR.identify(written) == (Identifier("ar-igj", value),)


@pytest.mark.parametrize(
    "cuit", ["30500000127", "34520358279", "30711544581"], ids=["sura", "republica-de-barracas", "trigemios"]
)
def test_worked_examples_of_the_check_digit(cuit: str) -> None:
    assert valid_cuit(cuit)
    assert AR.identify(cuit) == (Identifier("ar-cuit", cuit, True),)


@given(st.from_regex(r"(30|33|34|50|51|55)[0-9]{9}", fullmatch=True))
def test_the_verdict_agrees_with_stdnum(cuit: str) -> None:
    (identifier,) = AR.identify(cuit)
    if identifier.valid_check:
        assert oracle.is_valid(cuit)
    elif oracle.is_valid(cuit):  # it reads a remainder of 10, which no number has, as 9
        weighted = sum(w * int(d) for w, d in zip((5, 4, 3, 2, 7, 6, 5, 4, 3, 2), cuit, strict=False))
        assert (11 - weighted % 11, cuit[10]) == (10, "9")


@pytest.mark.parametrize("cuit", ["30711544582", "33000000000"])
def test_a_wrong_check_digit_is_told_and_still_read(cuit: str) -> None:
    assert AR.identify(cuit) == (Identifier("ar-cuit", cuit, False),)


@given(st.from_regex(r"(20|23|24|25|26|27)[0-9]{9}", fullmatch=True))
def test_natural_persons_are_refused_without_an_echo(number: str) -> None:
    for written in (number, f"CUIT {number[:2]}-{number[2:10]}-{number[10]}", f"CUIL {number}"):
        with pytest.raises(NotFound) as refused:
            AR.identify(written)
        assert refused.value.code == "natural-person-not-covered"
        assert not refused.value.context


@pytest.mark.parametrize(
    "raw",
    [
        *("", " ", "-", "0", "00000000", "123456789", "1234567890", "307115445811", "30-716203367-7", "CUIT", "IGJ"),
        *(
            "CUIT 44",
            "IGJ 30711544581x",
            "40711544581",
            "99711544581",
            "1.56.441",
            "12-34",
            "YPF SA",
            "٣٠٧١١٥٤٤٥٨١",
        ),
    ],
)
def test_garbage_is_refused(raw: str) -> None:
    with pytest.raises(Invalid) as refused:
        AR.identify(raw)
    assert refused.value.code == "invalid-identifier"
    assert refused.value.context == {"parameter": "identifier", "country": "AR"}


def test_a_lei_is_recognised() -> None:
    assert AR.identify("5493000CSKBLWMZURA04") == (Identifier("lei", "5493000CSKBLWMZURA04", True),)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(raw: str) -> None:
    try:
        readings = AR.identify(raw)
    except (Invalid, NotFound):
        return
    for identifier in readings:
        assert AR.identify(AR.scheme_by_code[identifier.scheme].show(identifier.value))[0][:2] == identifier[:2]


def test_the_examples_are_identifiers() -> None:
    for scheme, value in AR.examples:
        assert AR.identify(value)[0][:2] == (scheme, value)


# --- legal forms, states


def test_every_spelling_is_folded_compact_and_of_one_form() -> None:
    spellings = [spelling for form in AR.legal_forms for spelling in form.spellings]
    assert [spelling for spelling in spellings if fold(spelling) != spelling or " " in spelling] == []
    assert len(set(spellings)) == len(spellings)
    assert len({form.code for form in AR.legal_forms}) == len(AR.legal_forms)
    assert all(form.label.es and form.label.en and form.short for form in AR.legal_forms)


@pytest.mark.parametrize(
    ("name", "core", "form"),
    [
        ("FARADIO S A", "faradio", "sa"),
        ("M. B. G. COMERCIAL S. R. L.", "mbg comercial", "srl"),
        ("Trigemios S.R.L", "trigemios", "srl"),
        ("TECHELEX SOCIEDAD POR ACCIONES SIMPLIFICADA", "techelex", "sas"),
        ("SINTORGAN S.A.C.I. Y F.", "sintorgan", "sa"),
        ("INDUSTRIAS FRIGORIFICAS SAN PEDRO SAICFIA", "industrias frigorificas san pedro", "sa"),
        ("PALACE HOTEL RONDEAU S C A", "palace hotel rondeau", "sca"),
        ("COOP DE TRABAJO DE CONSTRUCCION 6 DE AGOSTO LTDA", "coop de trabajo de construccion 6 de agosto", "ltda"),
        ("INDUSTRIAS MECANICAS DEL ESTADO S A EN LIQUIDACION", "industrias mecanicas del estado", "sa"),
        ("GRALIAS S R L E F", "gralias", "srl"),
        ("CEAMUL  ASOCIACION CIVIL", "ceamul", "ac"),
        ("LOPSZYC Y CIA", "lopszyc y cia", None),
        ("BANCO DE LA NACIÓN ARGENTINA", "banco de la nacion argentina", None),
    ],
)
def test_legal_forms_are_taken_off_the_end(name: str, core: str, form: str | None) -> None:
    named = split_form(name, AR.forms)
    assert (" ".join(named.core), named.form) == (core, form)


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        ("AC", Status.ACTIVE),
        ("BD", Status.INACTIVE),
        ("PERTENECE A REGISTRO ENTIDADES INACTIVAS", Status.INACTIVE),
        ("CANCELACION TRAM. PRECALIFICADO", Status.DISSOLVED),
        ("CAMBIO DE JURISDICCION", Status.UNKNOWN),
        ("", Status.UNKNOWN),
    ],
)
def test_the_official_wording_as_a_status(raw: str, status: Status) -> None:
    assert AR.status(raw) is status


# --- the companies


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Built, Path]:
    """The snapshot of the bundled files, and its companies."""
    data, work = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("work")
    country = build_country(data, work, AR, [OFFICIAL], None, lambda _code, _stage: None)
    return country, data / "snapshots" / country.name / "companies.parquet"


@pytest.fixture(scope="module")
def query(built: tuple[Built, Path]) -> Query:
    return lambda sql: duckdb.execute(sql.replace("companies", f"'{built[1]}'")).fetchall()


def test_every_row_is_accounted_for(built: tuple[Built, Path]) -> None:
    manifest = built[0].manifest
    assert (manifest["companies"], manifest["by_scheme"]) == (3063, {"ar-cuit": 3039, "ar-igj": 24})
    books = {
        key: {field: book[field] for field in ("rows", "kept", "merged", "left_out", "rejected")}
        for key, book in manifest["sources"].items()
    }
    assert books == {
        "rns": {"rows": 970, "kept": 969, "merged": 0, "left_out": {"natural-person": 1}, "rejected": {}},
        "igj": {
            "rows": 41,
            "kept": 27,
            "merged": 0,
            "left_out": {"natural-person": 13, "no-name": 1},
            "rejected": {},
        },
        "compr-ar": {
            "rows": 7239,
            "kept": 2066,
            "merged": 5169,
            "left_out": {"foreign-tax-number": 3, "no-name": 1},
            "rejected": {},
        },
        "gleif": {"rows": 549, "kept": 1, "merged": 0, "left_out": {"other-register": 548}, "rejected": {}},
    }
    assert manifest["unmapped_status"] == {}


def test_the_rows_of_known_companies(query: Query) -> None:
    rows = query(
        """SELECT identifier, legal_name, status, legal_form_raw, region, municipality, incorporated, source, refreshed
           FROM companies WHERE identifier IN
               ('30711544581', '34520358279', '30716203367', '30673320569', '34', '34999032089', '30530259176')
           ORDER BY 1"""
    )
    caba = "CIUDAD AUTONOMA BUENOS AIRES"
    assert rows == [
        (
            *("30530259176", "ALDAZABAL Y CIA", "dissolved", "SOCIEDAD COLECTIVA", caba, None, None, "igj"),
            date(2024, 8, 1),
        ),
        (
            *("30673320569", "CAJA PREVISIONAL PARA PROFESIONALES EN CIENCIAS ECONOMICAS", None, None, None),
            *(None, None, "gleif", date(2024, 5, 5)),
        ),
        ("30711544581", "Trigemios S.R.L", *[None] * 5, "compr-ar", date(2021, 2, 23)),
        ("30716203367", "ORELION PROVISION Y SERVICIOS S.R.L.", *[None] * 5, "compr-ar", date(2021, 2, 23)),
        ("34", "AGROCONSULT", "inactive", "SOCIEDAD COLECTIVA", caba, None, None, "igj", date(2024, 8, 1)),
        (
            *("34520358279", "REPUBLICA DE BARRACAS SRL", None, "SOCIEDAD DE RESPONSABILIDAD LIMITADA", caba),
            *("CAPITAL FEDERAL", date(1992, 8, 10), "rns", date(2021, 6, 15)),
        ),
        ("34999032089", "GOBIERNO DE LA CIUDAD AUTÓNOMA DE BUENOS AIRES", *[None] * 5, "compr-ar", date(2021, 2, 23)),
    ]


def test_other_names_and_numbers_are_kept(query: Query) -> None:
    rows = query(
        """SELECT identifier, legal_name, list_transform(names, lambda x: x.kind || ': ' || x.name), aliases
           FROM companies WHERE identifier IN ('30707590900', '30657277467', '30530259176', '30673320569') ORDER BY 1"""
    )
    assert rows == [
        ("30530259176", "ALDAZABAL Y CIA", [], [{"scheme": "ar-igj", "value": "44"}]),
        ("30657277467", "ABBOTT RAPID DIAGNOSTICS ARGENTINA S.A.", ["alternative: ALERE S.A."], []),
        (
            *("30673320569", "CAJA PREVISIONAL PARA PROFESIONALES EN CIENCIAS ECONOMICAS", []),
            [{"scheme": "lei", "value": "5493000CSKBLWMZURA04"}],
        ),
        ("30707590900", "BMZ OPERACION Y MANTENIMIENTO EDILICIO S.A.", ["alternative: BEBANATO S.A."], []),
    ]


def test_a_filler_among_the_cuits_of_igj_is_not_believed(query: Query) -> None:
    """IGJ has the CUIT of the city's government for a partnership of persons."""
    assert query(
        """SELECT scheme, legal_name, aliases FROM companies
           WHERE list_contains([identifier] || list_transform(aliases, lambda x: x.value), '34999032089')"""
    ) == [("ar-cuit", "GOBIERNO DE LA CIUDAD AUTÓNOMA DE BUENOS AIRES", [])]


def test_a_partnership_named_in_full_by_its_partners_is_left_out(query: Query) -> None:
    """The 40 names of the official file: surnames alone, trades and coined words are kept."""
    assert [name for (name,) in query("SELECT legal_name FROM companies WHERE source = 'igj' ORDER BY 1")] == [
        *("A C I C A", "ABA DIESEL", "ABATE Y MACIAS", "ACAPULCO TEXTIL", "ACCORINTI HNOS", "ACEBAL Y COMPAÑIA"),
        *("ACQUAGAS", "ACUNA Y HUERRES", "ADMINISTRACION SAGAFE", "ADMINISTRADORA LOS CORRALES"),
        *("AEK INGENIERIA ELECTRONICA", "AFER", "AGENCIA ANNY", "AGENCIA COMAS Y MUSI", "AGENCIA EL DUENDE"),
        *("AGENCIA LUCINES", "AGENTE DE BOLSA MOLINARI Y CIA", "AGROCONSULT", "AGROQUIMICA SAN DIEGO", "ALAMBIQUE"),
        *("ALAMO EL", "ALBA Y BONELLI", "ALDAZABAL Y CIA", "ALIMA", "ALLIEVI Y CIA", "ALMANN PROPAGANDA", "ALMEN"),
    ]


def test_a_lost_ene_is_mended(query: Query) -> None:
    assert query("SELECT count(*) FROM companies WHERE legal_name LIKE '%#%'") == [(0,)]
    assert query("SELECT identifier FROM companies WHERE legal_name LIKE 'BELIÑA INTERNATIONAL%'") != []


def test_no_name_is_emptied_by_its_form(query: Query) -> None:
    names = [name for (name,) in query("SELECT legal_name FROM companies")]
    cores = [split_form(name, AR.forms) for name in names]
    assert all(named.core for named in cores)
    assert sum(named.form is not None for named in cores) > 0.85 * len(names)


# --- files of the tests' own, fault by fault


@pytest.fixture
def companies_of(tmp_path: Path) -> Callable[..., Any]:
    """Build Argentina from files that the test writes (source key -> file name, content); accounts and companies."""

    def build(columns: str, **files: tuple[str, str]) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
        for key, (name, content) in files.items():
            folder = tmp_path / "official" / "ar" / key.replace("_", "-")
            folder.mkdir(parents=True)
            data = content.encode()
            (folder / name).write_bytes(data)
            record = {"file": name, "published": "2026-02-23", "sha256": hashlib.sha256(data).hexdigest()}
            (folder / "PROVENANCE.json").write_text(json.dumps({"files": [record]}), encoding="utf-8")
        (tmp_path / "work").mkdir()
        sources = tuple(replace(source, expect=Expect(max_rejected=1)) for source in AR.sources)
        country, root = replace(AR, sources=sources), tmp_path / "official"
        built_country = build_country(
            tmp_path / "data", tmp_path / "work", country, [root], None, lambda _code, _stage: None
        )
        accounts = {
            key: {field: book[field] for field in ("kept", "merged", "left_out", "rejected")}
            for key, book in built_country.manifest["sources"].items()
            if book["rows"]
        }
        path = tmp_path / "data" / "snapshots" / built_country.name / "companies.parquet"
        return accounts, duckdb.execute(f"SELECT {columns} FROM '{path}' ORDER BY 1").fetchall()

    return build


RNS_2026 = """\ufeffcuit, razon_social,fecha_contrato_social,tipo_societario,fecha_actualizacion,numero_inscripcion,\
dom_fiscal_provincia,dom_fiscal_localidad,dom_legal_provincia,dom_legal_localidad,\
actividad_codigo,actividad_descripcion,actividad_orden,actividad_estado\r
30711544581,TRIGEMIOS,1901-01-01-00:00,SRL,,,SALTA,SALTA,JUJUY,PALPALA,464999,VENTA N.C.P.,2,AC\r
30711544581,TRIGEMIOS,1901-01-01-00:00,SRL,,,SALTA,SALTA,JUJUY,PALPALA,011111,CULTIVO DE ARROZ,1,BD\r
30711544581,TRIGEMIOS,1901-01-01-00:00,SRL,,,SALTA,SALTA,JUJUY,PALPALA,475110,VENTA DE HILADOS,1,AC\r
30500000127,SURA SEGUROS,1998-02-03-00:00,SOCIEDAD ANONIMA,,,SALTA,SALTA,,,651210,SEGUROS,1,BD\r
,SURA SEGUROS,1998-02-03-00:00,SOCIEDAD ANONIMA,,,,,,,,,,\r
,NADIE LA CONOCE,1998-02-03-00:00,SOCIEDAD ANONIMA,,,,,,,,,,\r
30716203367,PEREZ JUAN Y PEREZ ANA,2001-01-01-00:00,SOCIEDAD LEY 19550 CAPITULO I SECCION IV,,,,,,,,,,\r
20123456786,PEREZ JUAN,,,,,,,,,,,,\r
30700001061,JUAN & OSCAR PERENGANO,2021-05-05,SOCIEDAD POR ACCION SIMPLIFICADA,,,,,,,,,,\r
40123456786,PREFIJO RARO,,,,,,,,,,,,"""


def test_what_becomes_of_each_row_of_the_national_register(companies_of: Callable[..., Any]) -> None:
    award = ",".join(["1", "2", "3", "4", "2020", "05/11/2020 12:24:00 p.m.", "X$", "{}", "{}", *["9"] * 5]) + "\r\n"
    accounts, companies = companies_of(
        "identifier, legal_name, status_raw, status, activity_code, activity_label, region, municipality, incorporated",
        rns=("registro-nacional-sociedades-202602.csv", RNS_2026),
        compr_ar=(
            "adjudicaciones-2026.csv",
            award.format("30-716203367-7", "PEREZ JUAN Y PEREZ ANA")
            + award.format("30-711544581-1", "Trigemios S.R.L.")
            + award.format("30-61267749-9", "MUSA ANA Y SAAVEDRA OSVALDO S. de H.")
            # without a legal form: perhaps a person's name; how a supplier stands with the tax is no name
            + award.format("30-70000001-5", "OSCAR PERENGANO")
            + award.format("30-70000101-1", "Perengano Oscar Alberto")
            + award.format("30-70000102-9", '"PERENGANO, Ana"')
            + award.format("30-70000103-8", "ROMINA PERENGANO")
            + award.format("30-70000104-6", "PEREZ JUAN CARLOS SRL")
            + award.format("30-70000105-4", "LIBRERIA SAN MARTIN")
            + award.format("30-70000002-3", "Oscar Perengano S. R. L.")
            + award.format("33-70751936-9", "exento")
            + award.format("33-0174996", "Viasat")
            + award.format("30-123", "CORTO SA"),
        ),
    )
    assert accounts == {
        "rns": {
            "kept": 2,
            "merged": 3,
            "left_out": {"natural-person": 3, "no-register-identifier": 1},
            "rejected": {"bad-identifier": 1},
        },
        "compr-ar": {
            "kept": 3,
            "merged": 1,
            "left_out": {"natural-person": 6, "foreign-tax-number": 1, "no-name": 1},
            "rejected": {"bad-identifier": 1},
        },
    }
    assert companies == [
        ("30500000127", "SURA SEGUROS", "BD", "inactive", "651210", "SEGUROS", "SALTA", "SALTA", date(1998, 2, 3)),
        ("30700000023", "Oscar Perengano S. R. L.", *[None] * 7),
        ("30700001046", "PEREZ JUAN CARLOS SRL", *[None] * 7),
        ("30700001054", "LIBRERIA SAN MARTIN", *[None] * 7),
        ("30711544581", "TRIGEMIOS", "AC", "active", "475110", "VENTA DE HILADOS", "JUJUY", "PALPALA", None),
    ]


def test_a_locality_has_no_street_and_no_marks(companies_of: Callable[..., Any]) -> None:
    head = RNS_2026.split("\r\n", maxsplit=1)[0] + "\r\n"
    row = "{},{},1998-02-03-00:00,SRL,,,,,BUENOS AIRES,{},464999,VENTA N.C.P.,1,AC\r\n"
    localities = (
        ("30500000127", "LA PLATA NOROESTE CALLE 50"),
        ("30616774908", "LA PLATA SUDESTE CALLE 50 AMBAS VEREDAS"),
        ("30700000023", "BARRIO BETANIA                *"),
        ("30700001046", "VILLANUEVA  -  (DEP 631)"),
        ("30700001054", "25 DE MAYO"),
        ("30711544581", "PARADOR RUTA 20"),
    )
    rows = "".join(row.format(cuit, f"NUMERO {at} SRL", name) for at, (cuit, name) in enumerate(localities))
    _, companies = companies_of(
        "identifier, municipality", rns=("registro-nacional-sociedades-202602.csv", head + rows)
    )
    assert [municipality for _, municipality in companies] == [
        *("LA PLATA NOROESTE", "LA PLATA SUDESTE", "BARRIO BETANIA", "VILLANUEVA", "25 DE MAYO", "PARADOR RUTA 20")
    ]


def test_a_partnership_of_persons_is_left_out_of_every_source(companies_of: Callable[..., Any]) -> None:
    """A company that has its CUIT under another name is kept."""
    head = "numero_correlativo,tipo_societario,descripcion_tipo_societario,razon_social,dada_de_baja,codigo_baja,"
    row = "{},{},{},{},N,,,{}\n"
    award = ",".join(["1", "2", "3", "4", "2020", "05/11/2020 12:24:00 p.m.", "X$", "{}", "{}", *["9"] * 5]) + "\r\n"
    simple, general = (20, "SOCIEDAD EN COMANDITA SIMPLE"), (10, "SOCIEDAD COLECTIVA")
    accounts, companies = companies_of(
        "identifier, legal_name, legal_form_raw",
        igj=(
            "igj-entidades-202602.csv",
            f"{head}detalle_baja,cuit\n"
            + row.format(1, *general, "PERENGANO OSCAR Y CIA", "30711544581")
            + row.format(2, *general, "PERENGANO OSCAR E HIJO", "30700001046")
            + row.format(3, *simple, "FARMACIA SAN JOSE Y SANTA ROSA S. C. S.", "")
            + row.format(4, *simple, "PERENGANO Y FULANEZ S.C.S.", "")
            + row.format(5, 60, "SOCIEDAD DE RESPONSABILIDAD LIMITADA", "OSCAR PERENGANO E HIJOS", ""),
        ),
        compr_ar=(
            "adjudicaciones-2026.csv",
            award.format("30-711544581-1", "OSCAR PERENGANO Y COMPANIA")
            + award.format("30-70000104-6", "LIBRERIA SAN MARTIN"),
        ),
    )
    assert accounts == {
        "igj": {"kept": 3, "merged": 0, "left_out": {"natural-person": 2}, "rejected": {}},
        "compr-ar": {"kept": 1, "merged": 0, "left_out": {"natural-person": 1}, "rejected": {}},
    }
    assert companies == [
        ("3", "FARMACIA SAN JOSE Y SANTA ROSA S. C. S.", simple[1]),
        ("30700001046", "LIBRERIA SAN MARTIN", None),
        ("4", "PERENGANO Y FULANEZ S.C.S.", simple[1]),
        ("5", "OSCAR PERENGANO E HIJOS", "SOCIEDAD DE RESPONSABILIDAD LIMITADA"),
    ]


def test_a_cuit_that_several_igj_entities_have_is_not_believed(companies_of: Callable[..., Any]) -> None:
    head = "numero_correlativo,tipo_societario,descripcion_tipo_societario,razon_social,dada_de_baja,codigo_baja,"
    row = "{},60,SOCIEDAD DE RESPONSABILIDAD LIMITADA,{},{},,{},{}\n"
    accounts, companies = companies_of(
        "identifier, legal_name, aliases, status_raw, status",
        igj=(
            "igj-entidades-202602.csv",
            f"{head}detalle_baja,cuit\n"
            + row.format(1, "UNO SRL", "N", "", "30711544581")
            + row.format(2, "DOS SRL", "S", "CAMBIO DE JURISDICCION", "30711544581")
            + row.format(3, "TRES SRL", "N", "", "30500000127") * 2
            + row.format(4, "1567441", "N", "", ""),
        ),
    )
    assert accounts == {"igj": {"kept": 3, "merged": 1, "left_out": {"no-name": 1}, "rejected": {}}}
    assert companies == [
        ("1", "UNO SRL", [], None, None),
        ("2", "DOS SRL", [], "CAMBIO DE JURISDICCION", "unknown"),
        ("30500000127", "TRES SRL", [{"scheme": "ar-igj", "value": "3"}], None, None),
    ]
