"""Mexico: RFC and CLEE, legal forms, activities, the homoclave, and the companies read from the bundled files."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum.mx import rfc as oracle

from padron.companies.model import Identifier
from padron.countries.country import Expect, Status
from padron.countries.mx import MX
from padron.countries.mx.identifiers import check_digit
from padron.errors import Invalid, NotFound
from padron.ingest.build import Built, build_country
from padron.text import fold, split_form

OFFICIAL = Path(__file__).parents[2] / "data" / "official"
INGEST = Path(__file__).parents[2] / "src" / "padron" / "ingest"
IDS = Path(__file__).parent / "ids"
RFCS, CLEES, NRAS = (
    (IDS / f"{scheme}.txt").read_text(encoding="utf-8").split() for scheme in ("mx-rfc", "mx-clee", "mx-nra")
)

Query = Callable[[str], list[tuple[Any, ...]]]


# --- identifiers


@pytest.mark.parametrize("rfc", RFCS)
def test_real_rfcs_in_every_written_form(rfc: str) -> None:
    reading = Identifier("mx-rfc", rfc, oracle.calc_check_digit(rfc[:-1]) == rfc[-1])
    assert MX.scheme_by_code["mx-rfc"].show(rfc) == rfc
    parted = f"{rfc[:3]}-{rfc[3:9]}-{rfc[9:]}"
    for written in (rfc, rfc.lower(), f" {rfc} ", parted, parted.replace("-", " ")):
        first, *others = MX.identify(written)
        assert first == reading
        assert others in ([], [Identifier("mx-nra", rfc)]), "one with digits alone behind the date may be an NRA"
    assert MX.identify(f"RFC {rfc}") == MX.identify(f"R.F.C.: {parted}") == (reading,)


@pytest.mark.parametrize("clee", CLEES)
def test_real_clees_and_ids_in_every_written_form(clee: str) -> None:
    readings = (Identifier("mx-clee", clee),)
    assert MX.scheme_by_code["mx-clee"].show(clee) == clee
    for written in (clee, clee.lower(), f" {clee} ", f"CLEE {clee}", f"denue: {clee}", f"ID DENUE {clee}"):
        assert MX.identify(written) == readings


@pytest.mark.parametrize("nra", NRAS)
def test_real_nras_in_every_written_form(nra: str) -> None:
    reading = Identifier("mx-nra", nra)
    assert MX.scheme_by_code["mx-nra"].show(nra) == nra
    for written in (nra, nra.lower(), f" {nra} ", f"NRA {nra}", f"N.R.A.: {nra}"):
        assert reading in MX.identify(written)
    assert MX.identify(f"NRA {nra}") == (reading,), "the label decides where it has the shape of an RFC too"


def test_there_are_enough_real_numbers() -> None:
    assert (len(set(RFCS)), len(set(CLEES)), len(set(NRAS))) == (100, 100, 100)
    assert {len(clee) for clee in CLEES} == {7, 28}


@pytest.mark.parametrize(
    ("rfc", "digit"),
    [
        ("AAA080808HL8", "8"),
        ("GMS971110BTA", "A"),
        ("&BC040317UN0", "0"),
        ("ÑEX121116KM4", "4"),
        ("WMT970714R10", "0"),
        ("ACC071123LL9", "7"),
        ("TEX070403TC9", "A"),
        ("VHO970117952", "3"),
    ],
)
def test_worked_examples_of_the_check_digit(rfc: str, digit: str) -> None:
    assert check_digit(rfc) == digit
    assert MX.identify(rfc)[0] == Identifier("mx-rfc", rfc, digit == rfc[11])


@given(st.from_regex(r"[A-ZÑ&]{3}[0-9]{6}[0-9A-Z]{2}", fullmatch=True))
def test_the_check_digit_agrees_with_stdnum(base: str) -> None:
    assert check_digit(base) == oracle.calc_check_digit(base)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("n\u0303ex121116km4", "ÑEX121116KM4"),
        ("RFC090101AB1", "RFC090101AB1"),
        ("rfc RFC-090101-AB1", "RFC090101AB1"),
        ("BBB000229AB1", "BBB000229AB1"),
        ("0011785378", "11785378"),
    ],
)
def test_letters_leap_days_and_zeros(written: str, value: str) -> None:
    assert [identifier.value for identifier in MX.identify(written)] == [value]


@pytest.mark.parametrize(
    "number", ["GODE561231GR8", "RFC GODE-561231-GR8", "gode561231", "GODE561231HDFABC09", "ÑUÑE800101AB1"]
)
def test_natural_persons_are_refused_without_an_echo(number: str) -> None:
    with pytest.raises(NotFound) as refused:
        MX.identify(number)
    assert refused.value.code == "natural-person-not-covered"
    assert not refused.value.context


@pytest.mark.parametrize(
    "raw",
    [
        *("", " ", "-", "RFC", "XAXX010101000", "XEXX010101000", "XXXXXXXXXXXX", "EXT190501US001", "0", "0000000000"),
        *(
            "AAB241319NQ6",
            "AAB240230NQ6",
            "AAB240819NQZ",
            "AAB240819NQ",
            "BBB010229AB1",
            "GODE561331GR8",
            "12345678901",
        ),
        *("RFC 11785378", "CLEE AAB240819NQ6", "33010213111000097000000000U4", "09010213111000097000000000UU", "CEMEX"),
    ],
)
def test_garbage_is_refused(raw: str) -> None:
    with pytest.raises(Invalid) as refused:
        MX.identify(raw)
    assert refused.value.code == "invalid-identifier"
    assert refused.value.context == {"parameter": "identifier", "country": "MX"}


def test_a_lei_is_recognised() -> None:
    assert MX.identify("LEI 254900JKDG51K23FBB29") == (Identifier("lei", "254900JKDG51K23FBB29", True),)


@given(
    st.one_of(st.text(max_size=30), st.from_regex(r"(rfc |CLEE)?[A-ZÑ&]{0,4}[0-9]{0,10}[A-Z0-9]{0,3}", fullmatch=True))
)
def test_any_text_is_read_or_refused(raw: str) -> None:
    try:
        readings = MX.identify(raw)
    except (Invalid, NotFound):
        return
    for identifier in readings:
        assert MX.identify(MX.scheme_by_code[identifier.scheme].show(identifier.value)) == (identifier,)


def test_the_examples_are_identifiers() -> None:
    for scheme, value in MX.examples:
        assert MX.identify(value)[0][:2] == (scheme, value)


# --- legal forms, states, activities


def test_every_spelling_is_folded_compact_and_of_one_form() -> None:
    spellings = [spelling for form in MX.legal_forms for spelling in form.spellings]
    assert [spelling for spelling in spellings if fold(spelling) != spelling or " " in spelling] == []
    assert len(set(spellings)) == len(spellings)
    assert len({form.code for form in MX.legal_forms}) == len(MX.legal_forms)
    assert all(form.label.es and form.label.en and form.short for form in MX.legal_forms)


@pytest.mark.parametrize(
    ("name", "core", "form"),
    [
        ("AGUILA DE BCS SA DE CV", "aguila de bcs", "sa-de-cv"),
        ("Augen Opticos S.A de C.V.", "augen opticos", "sa-de-cv"),
        ("BSN MEDICAL S. A. DE C. V.", "bsn medical", "sa-de-cv"),
        ("GRUPO NORTHAIR DE MEXICO SA CV", "grupo northair de mexico", "sa-de-cv"),
        ("BLUE TISSUE SAPI DECV", "blue tissue", "sapi-de-cv"),
        ("TREND HARDWARE, S DE TL, DE C.V.", "trend hardware", "s-de-rl-de-cv"),
        ("WEISER LOCK MEXICO R. DE R. L. DE C. V.", "weiser lock mexico", "s-de-rl-de-cv"),
        ("GRUPO INDUSTRIAL GAMO, S. DE R.L.M.I.", "grupo industrial gamo", "s-de-rl-mi"),
        ("COOPERATIVA LA CRUZ AZUL S.C.L.", "cooperativa la cruz azul", "sc-de-rl"),
        ("SIHUNCHEN NUMERO UNO S.P.R. DE R.L.", "sihunchen numero uno", "spr-de-rl"),
        ("KIMBERLY CLARK DE MÉXICO S.A.B. DE C.V.", "kimberly clark de mexico", "sab-de-cv"),
        ("NACIONAL FINANCIERA SNC", "nacional financiera", "snc"),
        ("BANCO AZTECA INSTITUCION DE BANCA MULTIPLE SA", "banco azteca", "ibm"),
        ("EJIDO SAN PEDRO ECATEPEC", "ejido san pedro ecatepec", None),
        ("INSTITUTO POLITECNICO NACIONAL", "instituto politecnico nacional", None),
    ],
)
def test_legal_forms_are_taken_off_the_end(name: str, core: str, form: str | None) -> None:
    named = split_form(name, MX.forms)
    assert (" ".join(named.core), named.form) == (core, form)


def test_no_source_publishes_a_state() -> None:
    assert [MX.status(raw) for raw in ("Habilitado", "ACTIVE", "INACTIVE")] == [
        *(Status.UNKNOWN, Status.ACTIVE, Status.INACTIVE),
    ]


def test_activities_are_six_digits_with_official_wording() -> None:
    lines = (MX.folder / "activities.csv").read_text(encoding="utf-8").splitlines()
    own = {row["code"]: row["label"] for row in csv.DictReader(lines)}
    assert (len(own), own["622112"]) == (552, "Hospitales generales del sector público")
    assert all(len(code) == 6 and code.isdigit() and label for code, label in own.items())
    with (OFFICIAL / "mx/denue/denue_inegi_21__2018_cut-legal-entities.csv").open(encoding="utf-8", newline="") as file:
        assert {(row["codigo_act"], row["nombre_act"]) for row in csv.DictReader(file)} <= own.items()


# --- names and homoclave, in SQL


def macros_of_mexico() -> duckdb.DuckDBPyConnection:
    db = duckdb.connect()
    db.execute((INGEST / "macros.sql").read_text(encoding="utf-8"))
    script = (MX.folder / "companies.sql").read_text(encoding="utf-8")
    db.execute(script[: script.index("CREATE TABLE contracts")])
    return db


@pytest.fixture(scope="module")
def macros() -> Callable[[str, str], Any]:
    """Calls a macro of companies.sql with one text."""
    db = macros_of_mexico()
    return lambda macro, text: db.execute(f"SELECT {macro}(?)", [text]).fetchall()[0][0]


@pytest.mark.parametrize(
    ("name", "rfc"),
    [
        ("ASESORES EN AVALUOS Y ACTIVOS", "AAA080808HL8"),
        ("AUTOTRANSPORTES AGUILA DE BCS SA DE CV", "AAB240819NQ6"),  # without its legal form
        ("LICONSA SA DE CV", "LIC950821M84"),  # before 2006: with it
        ("COMPAÑIA MEDICA X SA DE CV", None),
    ],
)
def test_the_homoclave_of_a_name(macros: Callable[[str, str], Any], name: str, rfc: str | None) -> None:
    assert (rfc is None) or rfc[9:11] in macros("homoclaves", name)
    assert len(macros("homoclaves", name)) == 5


def test_the_homoclave_of_a_name_without_end_is_that_of_its_beginning(macros: Callable[[str, str], Any]) -> None:
    assert macros("homoclave_digits", "A" * 200_000) == "0" + "11" * 255
    assert macros("homoclaves", "A" * 200_000) == macros("homoclaves", "A" * 255)


@pytest.mark.parametrize(
    ("macro", "name", "expected"),
    [
        ("denomination", "Compañía Minera «La Dura», S. A. de C. V.", "COMPANIA MINERA LA DURA"),
        ("denomination", "COMPA&IA MEXICANA DE RADIOLOGIA CGR SA DE CV", "COMPANIA MEXICANA DE RADIOLOGIA CGR"),
        ("denomination", "PROFUTURO AFORE SA DE CV SA DE CV", "PROFUTURO AFORE"),
        ("denomination", "CASA DE CV", "CASA DE CV"),
        ("family", "PRAXAIR MEXICO S DE RL DE CV", "mercantil"),
        ("family", "COROMINAS Y CASTILLO SC", "SC"),
        ("family", "INSTITUTO POLITECNICO NACIONAL", ""),
        ("ungrouped", "MINERA RARAMURI, S.A. DE C.V. (CERRO BLANCO)", "MINERA RARAMURI, S.A. DE C.V."),
        ("ungrouped", "SEGUROS INBURSA, S.A., GRUPO FINANCIERO INBURSA", "SEGUROS INBURSA, S.A."),
        ("ungrouped", "GRUPO FINANCIERO BANORTE SAB DE CV", "GRUPO FINANCIERO BANORTE SAB DE CV"),
        ("owner", "BIMBO, S. A. DE C. V.,BIMBO S.A. DE C.V. (MARINELA)", "BIMBO, S. A. DE C. V."),
        ("owner", "AEROPUERTO DE ACAPULCO, S.A. DE C.V.", "AEROPUERTO DE ACAPULCO, S.A. DE C.V."),
        ("owner", "CFE GENERACIÓN IV,CCC SAMALAYUCA II", "CFE GENERACIÓN IV"),
        ("owner", "PEMEX REFINACIÓN, TERMINAL DE ALMACENAMIENTO Y REPARTO XALAPA", "PEMEX REFINACIÓN"),
        ("owner", "DEACERO S.A. DE C.V. PLANTA ALAMBRES CELAYA", "DEACERO S.A. DE C.V."),
        ("owner", "FORD MOTOR COMPANY, S.A. DE C.V. - PLANTA MOTORES DE CHIHUAHUA", "FORD MOTOR COMPANY, S.A. DE C.V."),
        ("owner", "CONDUMEX S.A DE C.V. PLANTA IEM,CONDUMEX S.A. DE C.V.", "CONDUMEX S.A DE C.V."),
        (
            "owner",
            "TERNIUM MEXICO S.A. DE C.V. (PLANTA PESQUERÍA),TERNIUM MÉXICO SA DE CV",
            "TERNIUM MEXICO S.A. DE C.V.",
        ),
        (
            "owner",
            "NSK BEARINGS MANUFACTURING, MÉXICO, S.A. DE .CV.,NSK NBMX",
            "NSK BEARINGS MANUFACTURING, MÉXICO, S.A. DE .CV.",
        ),
        ("owner", "ANA DE MEXICO,S.A. DE C.V.,", "ANA DE MEXICO,S.A. DE C.V."),
        ("owner", "SAKAIYA DE MEXICO, S,A. DE C,V,,SAKAIYA PLANTA 3", "SAKAIYA DE MEXICO, S,A. DE C,V"),
        ("owner", "GCC CEMENTO,, S.A. DE C.V.", "GCC CEMENTO,, S.A. DE C.V."),
        ("owner", "JUAN PEREZ GOMEZ,OTRA PIEZA, S.A. DE C.V.", "JUAN PEREZ GOMEZ"),
        ("denomination", "ANA DE MEXICO,S.A. DE C.V.", "ANA DE MEXICO"),
    ],
)
def test_names_are_taken_apart(macros: Callable[[str, str], Any], macro: str, name: str, expected: str) -> None:
    assert macros(macro, name) == expected


# --- the companies


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Built, Path]:
    """The snapshot of the bundled files, and its companies."""
    data, work = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("work")
    country = build_country(data, work, MX, [OFFICIAL], None, lambda _code, _stage: None)
    return country, data / "snapshots" / country.name / "companies.parquet"


@pytest.fixture(scope="module")
def query(built: tuple[Built, Path]) -> Query:
    return lambda sql: duckdb.sql(sql.replace("companies", f"'{built[1]}'")).fetchall()


def test_every_row_is_accounted_for(built: tuple[Built, Path]) -> None:
    manifest = built[0].manifest
    assert (manifest["companies"], manifest["by_scheme"]) == (
        *(6565,),
        {"mx-clee": 2327, "mx-nra": 3063, "mx-rfc": 1175},
    )
    books = {
        key: {field: book[field] for field in ("rows", "kept", "merged", "left_out", "rejected")}
        for key, book in manifest["sources"].items()
    }
    unknown, elsewhere = "no-register-identifier", "other-country"
    assert books == {
        "comprasmx": {"rows": 3417, "kept": 1182, "merged": 2002, "left_out": {unknown: 233}, "rejected": {}},
        "denue": {"rows": 2854, "kept": 2318, "merged": 536, "left_out": {}, "rejected": {}},
        "retc": {
            "rows": 6248,
            "kept": 3063,
            "merged": 2573,
            "left_out": {unknown: 596, "ambiguous-name": 16},
            "rejected": {},
        },
        "gleif": {"rows": 549, "kept": 2, "merged": 0, "left_out": {elsewhere: 547}, "rejected": {}},
    }


def test_plants_are_of_the_company_before_them(query: Query) -> None:
    rows = query(
        """SELECT nra, legal_name
           FROM (SELECT legal_name, unnest([identifier] || list_transform(aliases, lambda x: x.value)) AS nra
                 FROM companies)
           WHERE nra IN ('MAU171303411', 'PMO1301000030', 'TEM2201600396', 'TME7I1904111') ORDER BY nra"""
    )
    assert rows == [
        ("MAU171303411", "COMPAÑIA MINERA AUTLAN SAB DE CV"),
        ("PMO1301000030", "ZINKPOWER MONTERREY S.A. DE C.V."),
        ("TEM2201600396", "CONDUMEX SA"),
        ("TME7I1904111", "TERNIUM MEXICO S.A. DE C.V."),
    ]


PUBLIC_OR_COMPANY = re.compile(
    r"PEMEX|CFE|COMISI.N|INSTITUT|AEROPUERTO|MUNICIPIO|PETR.LEOS|SECRETAR|HOSPITAL|FUNDACI.N|CENTRAL TERMO|TENEXTEPEC"
    r"|COMPA..A|DE M.XICO|COCA COLA|I\. ?A\. ?P|SOCIEDAD|S\. ?A|S\.? ?DE ?R\.? ?L|\bSA DE",
    re.IGNORECASE,
)


def test_no_bundled_plant_is_of_a_person() -> None:
    """Every bundled row of RETC begins with a legal form, or with a body that is no person."""
    db = macros_of_mexico()
    plants = f"read_csv('{OFFICIAL}/mx/retc/*.tsv.gz', delim = '\t', all_varchar = true, union_by_name = true)"
    name = "array_to_string(regexp_extract_all(NOMBRE, '\\S+'), ' ')"
    db.execute(f"CREATE TABLE owners AS SELECT DISTINCT owner({name}) AS name FROM {plants}")
    formless = {name for (name,) in db.sql("SELECT name FROM owners WHERE form_of(counted(name)) = ''").fetchall()}
    assert len(formless) > 100
    assert not [len(name) for name in formless if not PUBLIC_OR_COMPANY.search(name)]
    assert db.sql("SELECT owner('JUAN PEREZ GOMEZ,OTRA PIEZA, S.A. DE C.V.')").fetchall() == [("JUAN PEREZ GOMEZ",)]
    assert not PUBLIC_OR_COMPANY.search("JUAN PEREZ GOMEZ")


def test_the_rows_of_known_companies(query: Query) -> None:
    rows = query(
        """SELECT identifier, legal_name, trade_name, activity_code, region, municipality, establishments, sources,
                  refreshed
           FROM companies WHERE legal_name IN ('AUTOTRANSPORTES AGUILA DE BCS SA DE CV', 'SANDOZ SA DE CV',
               'BAKER HUGUES DE MEXICO S DE RL DE CV', 'OMNIBUS DE MEXICO SA DE CV', 'GRUPSA, S.A. DE C.V.')
           ORDER BY 1"""
    )
    assert rows == [
        (
            *("09010213111000097000000000U4", "BAKER HUGUES DE MEXICO S DE RL DE CV", None, "213111"),
            *("CIUDAD DE MÉXICO", "Álvaro Obregón", 1, ["denue"], date(2025, 8, 4)),
        ),
        (
            *("6186306", "GRUPSA, S.A. DE C.V.", None, "212110", "COAHUILA DE ZARAGOZA", "Sabinas", 2),
            *(["denue"], date(2018, 11, 27)),
        ),
        (
            *("AAB240819NQ6", "AUTOTRANSPORTES AGUILA DE BCS SA DE CV", None, None, None, None, None),
            *(["comprasmx"], date(2026, 3, 17)),
        ),
        (
            *("OME561118AA8", "OMNIBUS DE MEXICO SA DE CV", None, "485210", "CIUDAD DE MÉXICO", "Cuauhtémoc", 1),
            *(["comprasmx", "denue"], date(2026, 3, 17)),
        ),
        (
            *("SAN641110MK7", "SANDOZ SA DE CV", None, "433110", "CIUDAD DE MÉXICO", "Álvaro Obregón", 1),
            *(["comprasmx", "denue", "retc"], date(2026, 3, 17)),
        ),
    ]


def test_the_units_of_a_firm_are_folded(query: Query) -> None:
    """Head unit in the capital, five mines and offices: the CLEE of the head unit stands, all else points to it."""
    rows = query(
        """SELECT identifier, establishments, list_transform(aliases, lambda x: x.value),
                  list_transform(names, lambda x: (x.kind, x.name))
           FROM companies WHERE legal_name = 'BARAMIN SA DE CV'"""
    )
    assert rows == [
        (
            *("09010212393000013000009044M6", 5, ["6186362", "6189290", "6228525", "6228531", "6733846"]),
            [("trade", "BARAMIN LINARES"), ("trade", "MINA GRECIA"), ("trade", "MINA LA HUICHE")],
        )
    ]
    folded = query(
        "SELECT establishments, len(aliases) FROM companies WHERE legal_name LIKE 'INSTITUTO POLITECNICO NAC%'"
    )
    assert folded == [(30, 59)]
    spellings = query("""SELECT list_transform(names, lambda x: x.name) FROM companies
                         WHERE identifier = '09003324110000027000004438M4' OR legal_name = 'GASTRONOMICA LCBDC SA DE CV'
                            OR legal_name = 'GASTRONOMICA LCBDC S DE RL DE CV'""")
    assert len(spellings) == 1
    assert any(name.startswith("GASTRONOMICA LCBDC S") for name in spellings[0][0])


def test_a_company_without_a_known_head_is_where_all_its_units_are_and_does_what_most_do(query: Query) -> None:
    rows = query(
        """SELECT identifier, legal_name, trade_name, activity_code, region, municipality FROM companies
           WHERE identifier IN ('09005611162000177000064492S5', '09007611162000277000000000U2', '6188702', '6188703',
               '6186236', '09016611312000116000000000U1', '09013462210000076000010705S0',
               '09016541610003066000002410S7',
               '09007722513017674000003471S8', '09010212393000013000009044M6') ORDER BY 2"""
    )
    city = "CIUDAD DE MÉXICO"
    assert rows == [
        # the head unit (M) stands for the firm
        ("09010212393000013000009044M6", "BARAMIN SA DE CV", None, "212393", city, "Miguel Hidalgo"),
        # one branch is held
        ("09013462210000076000010705S0", "COPPEL SA DE CV", None, "462210", city, "Miguel Hidalgo"),
        # schools, hospitals and institutes: more of higher education than of anything else
        ("09007611162000277000000000U2", "INSTITUTO POLITECNICO NACIONAL", None, "611312", city, None),
        # two sites of one activity in two municipalities of one state; twelve in two states; two of two activities
        ("6188703", "MEXICANA DE COBRE, S.A. DE C.V.", None, "212231", "SONORA", None),
        ("6186236", "MINERA DEL NORTE, S.A. DE C.V.", *[None] * 4),
        ("6188702", "MINERA MARIA, S.A. DE C.V.", None, None, "SONORA", None),
        # two branches of one activity
        ("09007722513017674000003471S8", "OPERADORA RESTAURANTERA MAK SA DE CV", None, "722513", city, None),
        # the activity is that of its plant in RETC, not that of the branch
        ("09016541610003066000002410S7", "ROTOPLAS SA DE CV", None, "326193", city, "Miguel Hidalgo"),
        ("09016611312000116000000000U1", "SECRETARIA DE LA DEFENSA NACIONAL", None, None, city, None),
        ("09005611162000177000064492S5", "UNIVERSIDAD NACIONAL AUTONOMA DE MEXICO", None, "611312", city, None),
    ]


def test_a_site_of_its_own_name_is_a_part_of_its_company(query: Query) -> None:
    """The edition of 2018 has no CLEE: one held unit may be all of its company, or one pit of it."""
    rows = query(
        """SELECT identifier, legal_name, trade_name, activity_code, municipality FROM companies WHERE identifier IN
               ('6189108', '6187268', '6186164', '6732843')
               OR legal_name IN ('MINERALES COMERCIALES MEXICANOS, S.A. DE C.V.', 'SANTO TOBIAS SA DE CV',
                   'MATERIALES Y EXCAVACIONES FIME, S.A. DE C.V.')
           ORDER BY 2"""
    )
    assert rows == [
        ("6189108", "CEMEX, S.A. DE C.V.", None, "327310", None),  # cement, of its plants in RETC
        ("6186164", "COMALTITLAN GRUPO CONSTRUCTOR, S.A. DE C. V.", *[None] * 3),
        ("6187268", "HONORABLE AYUNTAMIENTO LA BARCA", *[None] * 3),
        # its sign has the company's name in it, or an abbreviation of it, or says that it is its office
        ("6187033", "MATERIALES Y EXCAVACIONES FIME, S.A. DE C.V.", "BANCO DE TEPETATE FIME", "212322", "León"),
        ("6188277", "MINERALES COMERCIALES MEXICANOS, S.A. DE C.V.", "MICOMEX", "212325", "Tequisquiapan"),
        ("6799672", "SANTO TOBIAS SA DE CV", "QUEBRADORA SANTO TOBIAS", "212321", "Jojutla"),
        ("6732843", "SERVICIOS PETROLEROS EL AGUILA SA DE CV", None, "213119", "Pánuco"),
    ]


def test_what_an_office_is_called_is_no_trade_name(query: Query) -> None:
    offices = query(
        """SELECT name FROM (SELECT legal_name, unnest([trade_name] || list_transform(names, lambda x: x.name)) AS name
                             FROM companies) WHERE name <> legal_name
           AND (name ILIKE '%INSURGENTES 553%' OR name = 'CORPORATIVO' OR name ILIKE 'OFICINA%')"""
    )
    assert offices == []


def test_an_rfc_is_joined_only_where_the_homoclave_proves_it(query: Query) -> None:
    both = query("SELECT count(*) FROM companies WHERE scheme = 'mx-rfc' AND list_contains(sources, 'denue')")
    assert both == [(26,)]
    # equal names, but the homoclave does not come from this one: two companies
    unproved = query("SELECT scheme FROM companies WHERE legal_name = 'MICROSOFT MEXICO S DE RL DE CV' ORDER BY 1")
    assert unproved == [("mx-clee",), ("mx-rfc",)]
    # the old legal form is in the homoclave: S.A. de C.V. became S. de R.L.
    assert query("""SELECT legal_name, names[1].name FROM companies WHERE legal_name LIKE 'PRAXAIR%'""") == [
        ("PRAXAIR MEXICO S DE RL DE CV", "PRAXAIR MEXICO SA DE CV")
    ]


def test_broken_letters_are_mended(query: Query) -> None:
    assert query("SELECT legal_name, names[1].name FROM companies WHERE identifier = 'MRC750717CT5'") == [
        ("COMPA&IA MEXICANA DE RADIOLOGIA CGR SA DE CV", "COMPAÑIA MEXICANA DE RADIOLOGIA CGR SA DE CV")
    ]
    assert query("SELECT count(*) FROM companies WHERE concat(legal_name, trade_name, activity_label) LIKE '%√%'") == [
        (0,)
    ]


def test_no_name_is_emptied_by_its_form(query: Query) -> None:
    names = [name for (name,) in query("SELECT legal_name FROM companies")]
    cores = [split_form(name, MX.forms) for name in names]
    assert all(named.core for named in cores)
    assert sum(named.form is not None for named in cores) > 0.93 * len(names)


# --- files of the tests' own, fault by fault

UNIT = (
    "id clee nom_estab raz_social codigo_act nombre_act nom_vial cve_ent entidad municipio telefono fecha_alta".split()
)


def unit(**cells: str) -> str:
    """A row of DENUE in the layout of today, as far as it is read, with private cells."""
    private = {
        "nom_vial": "CALLE DE LA ROSA 7",
        "telefono": "5555555555",
        "cve_ent": "09",
        "entidad": "CIUDAD DE MÉXICO",
    }
    values = {"codigo_act": "722511", "nombre_act": "Restaurantes", "municipio": "Tlalpan", **private, **cells}
    return ",".join(f'"{value}"' if (value := values.get(column, "")) else "" for column in UNIT) + "\n"


@pytest.fixture
def companies_of(tmp_path: Path) -> Callable[..., tuple[dict[str, Any], dict[str, tuple[Any, ...]]]]:
    """Build the country from Latin-1 files that the test writes (key -> file -> content); accounts, and companies."""

    def build(files: dict[str, dict[str, str]]) -> tuple[dict[str, Any], dict[str, tuple[Any, ...]]]:
        root = tmp_path / "official"
        for key, contents in files.items():
            folder = root / "mx" / key
            folder.mkdir(parents=True)
            records = []
            for name, content in contents.items():
                data = content.encode("utf-8" if name.endswith((".json", ".tsv")) else "latin-1")
                (folder / name).write_bytes(data)
                published = "2026-05-20" if "2026" in name else "2025-05-20"
                records.append({"file": name, "published": published, "sha256": hashlib.sha256(data).hexdigest()})
            (folder / "PROVENANCE.json").write_text(json.dumps({"files": records}), encoding="utf-8")
        (tmp_path / "work").mkdir()
        country = replace(MX, sources=tuple(replace(source, expect=Expect(max_rejected=1)) for source in MX.sources))
        built_country = build_country(
            tmp_path / "data", tmp_path / "work", country, [root], None, lambda _code, _stage: None
        )
        path = tmp_path / "data" / "snapshots" / built_country.name / "companies.parquet"
        rows = duckdb.sql(
            f"""SELECT identifier, legal_name, trade_name, activity_code, establishments,
                       list_transform(aliases, lambda x: x.value), list_transform(names, lambda x: (x.kind, x.name))
                FROM '{path}'"""
        ).fetchall()
        return built_country.manifest["sources"], {row[0]: row[1:] for row in rows}

    return build


def test_what_becomes_of_each_supplier(companies_of: Callable[..., Any]) -> None:
    contracts = "Institución,Proveedor o contratista,rfc,Importe DRC\n" + "".join(
        f"IMSS,{name},{rfc},1\n"
        for name, rfc in (
            ("ALFA MÉDICA SA DE CV", "AME200101AB1"),
            ("ALFA MÉDICA SA DE CV", "ame-200101-ab1"),
            ("DISEÑOS ÑU SC", "ÑDI200101AB1"),
            ("JUANA DE TAL", "TAJU800101AB1"),
            ("FOREIGN INC", "EXT190501US001"),
            ("SIN FECHA SA DE CV", "SFE201301AB1"),
            ("", "BBB200101AB1"),
        )
    )
    retc = "NRA\tNOMBRE\tSCIAN\tDESCRIPCIÓN SCIAN\tCALLE\n" + "".join(
        f"{nra}\t{name}\t325412\tFabricación de preparaciones farmacéuticas\tMADERO\n"
        for nra, name in (
            ("AME1510411011", "ALFA MEDICA S.A. de C.V.,PLANTA TOLUCA"),
            ("X", "ALFA MEDICA SC,"),
            ("X", "NADIE SA DE CV,"),
            ("X", ""),
            # Companies that RETC alone knows: two plants of one; a plant without a legal form may be a person's.
            ("OPI5T0901211", "OTRA PIEZA, S.A. DE C.V..,PLANTA NORTE"),
            ("OPI5T0901212", "OTRA PIEZA S DE RL,"),
            ("CIA1510411012", "COMPA¿ÍA DEL SUR S.P.R. DE R.L.,"),
            ("PEGJ51041101", "JUAN PEREZ GOMEZ,GASOLINERA"),
            ("PEG1510411013", "JUAN PEREZ GOMEZ,OTRA PIEZA, S.A. DE C.V."),
        )
    )
    register = {"RegistrationAuthorityID": {"$": "RA000449"}, "RegistrationAuthorityEntityID": {"$": "AME200101AB1"}}
    others = {"OtherEntityName": [{"@type": "PREVIOUS_LEGAL_NAME", "$": "Beta Médica, S.A."}]}
    entity = {
        "LegalName": {"$": "Alfa Médica, S.A. de C.V."},
        "OtherEntityNames": others,
        "LegalJurisdiction": {"$": "MX"},
        "EntityCategory": {"$": "GENERAL"},
        "RegistrationAuthority": register,
    }
    person = entity | {"EntityCategory": {"$": "SOLE_PROPRIETOR"}}
    abroad = entity | {"LegalJurisdiction": {"$": "US-DE"}}
    records = [{"LEI": {"$": "254900JKDG51K23FBB29"}, "Entity": record} for record in (entity, person, abroad)]
    books, companies = companies_of(
        {
            "comprasmx": {"Contratos_ComprasMX_2026.csv": contracts},
            "retc": {"es_2025.tsv": retc},
            "gleif": {"20250520-gleif-goldencopy-lei2.json": json.dumps({"records": records})},
        }
    )
    assert books["comprasmx"]["left_out"] == {"natural-person": 1, "foreign-supplier": 1}
    assert books["comprasmx"]["rejected"] == {"bad-identifier": 1, "no-name": 1}
    assert books["retc"]["left_out"] == {"no-register-identifier": 4}
    assert books["retc"]["rejected"] == {"no-name": 1}
    assert books["gleif"]["left_out"] == {"natural-person": 1, "other-country": 1}
    assert companies == {
        "AME200101AB1": (
            *("ALFA MÉDICA SA DE CV", None, "325412", None, ["254900JKDG51K23FBB29", "AME1510411011"]),
            [("former", "Beta Médica, S.A.")],
        ),
        "ÑDI200101AB1": ("DISEÑOS ÑU SC", None, None, None, [], []),
        "OPI5T0901211": (
            *("OTRA PIEZA, S.A. DE C.V.", None, "325412", None, ["OPI5T0901212"]),
            [("alternative", "OTRA PIEZA S DE RL")],
        ),
        "CIA1510411012": ("COMPAÑÍA DEL SUR S.P.R. DE R.L.", None, "325412", None, [], []),
    }


def test_persons_and_contacts_of_an_establishment(companies_of: Callable[..., Any]) -> None:
    persons = (
        "PELJ800101AB1 JUAN PEREZ LOPEZ",
        "JUAN PEREZ PELJ 800101 AB1",
        "JUAN PEREZ LOPEZ (PELJ-800101-AB1)",
        "JUAN PEREZ PELJ800101HDFRPN09",
        "C. JUAN PEREZ LOPEZ",
        "C JUAN PEREZ LOPEZ",
        "PEREZ LOPEZ JUAN PELJ800101",
        "JUAN PEREZ RFCPELJ800101AB1",
        "SUCESIÓN DE JUAN PEREZ",
        "HEREDEROS DE JUAN PEREZ",
    )
    signs = (
        ("HEREDEROS DE JUAN PEREZ SA DE CV", "TALLER", "TALLER"),
        ("ABC800101AB1 ALFA SA DE CV", "ALFA 2000", "ALFA 2000"),
        ("ALFA SA DE CV", "CALLE REFORMA 10 TEL 222 123 4567", None),
        ("BETA SA DE CV", "TIENDA AV. REFORMA No. 10", None),
        ("GAMA SA DE CV", "Tel. 55-1234-5678", None),
        ("DELTA SA DE CV", "TIENDA ana@example.com", "TIENDA"),
        ("EPSILON SA DE CV", "CONFECCIONES CALLE 5", "CONFECCIONES CALLE 5"),
        ("ZETA SA DE CV", "JUAN PEREZ LOPEZ PELJ800101HDFRPN09", None),
        ("ETA SA DE CV", "PASEO DE LA REFORMA 222", None),
        ("TETA SA DE CV", "PEDIDOS 1234-5678", "PEDIDOS"),
    )
    given = [*((name, "TALLER") for name in persons), *((name, sign) for name, sign, _ in signs)]
    rows = (
        unit(id=str(at), clee=f"09012722511{at:06}000000000U1", raz_social=name, nom_estab=sign)
        for at, (name, sign) in enumerate(given, start=1)
    )
    books, companies = companies_of({"denue": {"denue_inegi_09_2026.csv": ",".join(UNIT) + "\n" + "".join(rows)}})
    assert {name: sign for name, sign, *_ in companies.values()} == {name: sign for name, _, sign in signs}
    assert books["denue"]["left_out"] == {"natural-person": len(persons)}


def test_what_becomes_of_each_establishment(companies_of: Callable[..., Any]) -> None:
    today = (
        ",".join(UNIT)
        + "\n"
        + "".join(
            (
                unit(
                    id="1",
                    clee="09012722511000001000123456S1",
                    nom_estab="TACOS CENTRO",
                    raz_social="TACOS Ñ, S.A. DE C.V.",
                ),
                unit(id="2", clee="09012722511000002000123456M2", nom_estab="TACOS Ñ", raz_social="TACOS Ñ SA"),
                unit(id="3", clee="09012722511000003000000000U3", nom_estab="TACOS SUR", raz_social="TACOS N SA"),
                unit(id="4", clee="09012722511000004000123456S4", nom_estab="OTRO", raz_social="ALGO MÁS SA"),
                unit(id="5", clee="09012722511000005000000000U5", nom_estab="ANA DE TAL", raz_social=""),
                unit(id="6", clee="no", nom_estab="X", raz_social="SIN CLEE SA"),
                unit(
                    id="7",
                    clee="15012722511000007000000000U7",
                    raz_social="EJIDO SAN JUAN",
                    cve_ent="15",
                    nom_estab="MINA",
                ),
                unit(
                    id="8", clee="09012722511000008000000000U8", raz_social="EJIDO SAN JUAN", nom_estab="Restaurantes"
                ),
            )
        )
    )
    old = '"{}","VIEJO","VIEJA RAZÓN SA","722511",,,"09",,,,\n'
    before = today.split("\n")[0].replace("clee,", "") + "\n" + old.format(4) + old.format(9)
    books, companies = companies_of({"denue": {"denue_inegi_09_2026.csv": today, "denue_inegi_09_2025.csv": before}})
    # the unit with the id 4 has another owner today
    assert books["denue"]["left_out"] == {"natural-person": 1, "superseded": 1}
    assert books["denue"]["rejected"] == {"bad-identifier": 1}
    assert companies == {
        "09012722511000002000123456M2": (
            *("TACOS Ñ SA", None, "722511", 3),
            ["09012722511000001000123456S1", "09012722511000003000000000U3", "1", "2", "3"],
            [("trade", "TACOS CENTRO"), ("trade", "TACOS SUR"), ("alternative", "TACOS Ñ, S.A. DE C.V.")],
        ),
        # the link alone is not believed; a branch gives no trade name
        "09012722511000004000123456S4": ("ALGO MÁS SA", None, "722511", 1, ["4"], [("trade", "OTRO")]),
        "9": ("VIEJA RAZÓN SA", "VIEJO", "722511", 1, [], [("trade", "VIEJO")]),
        # without a legal form: one in each state; a sign that is the activity is none
        "15012722511000007000000000U7": ("EJIDO SAN JUAN", "MINA", "722511", 1, ["7"], [("trade", "MINA")]),
        "09012722511000008000000000U8": ("EJIDO SAN JUAN", None, "722511", 1, ["8"], []),
    }
