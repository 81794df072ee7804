"""Colombia: NIT, legal forms and states, and the companies read from the bundled files and from small ones."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum.co import nit as oracle

from one_country import OFFICIAL, Query, build, place, provenance_faults, unexpecting, workbook
from padron.companies.model import Identifier
from padron.countries.co import CO
from padron.countries.co.identifiers import check_digit, show
from padron.countries.country import Status
from padron.errors import Invalid, NotFound, SourceError
from padron.ingest.build import Built
from padron.text import fold, split_form

NITS = (Path(__file__).parent / "ids" / "co-nit.txt").read_text().split()
NIT = st.from_regex(r"[89][0-9]{8}", fullmatch=True)


@pytest.mark.parametrize("nit", NITS)
def test_real_nits_in_every_written_form(nit: str) -> None:
    assert CO.identify(nit) == (Identifier("co-nit", nit, None),)
    grouped = f"{nit[:3]}.{nit[3:6]}.{nit[6:]}"
    for written in (f" {nit}", f"NIT {nit}", f"N.I.T. {nit}", f"nit: {grouped}", grouped, grouped.replace(".", ",")):
        assert CO.identify(written) == (Identifier("co-nit", nit, None),)
    digit = check_digit(nit)
    for written in (show(nit), f"{nit}{digit}", f"{nit}-{digit}", f"NIT {nit}-{digit}", f"{nit}\u2013{digit}"):
        assert CO.identify(written) == (Identifier("co-nit", nit, True),)


def test_there_are_enough_real_numbers() -> None:
    assert len(set(NITS)) == 100


@pytest.mark.parametrize(
    ("nit", "digit"),
    [
        *(("899999068", 1), ("890903938", 8), ("890100577", 6), ("890900266", 3), ("860025900", 2), ("900276962", 1)),
        ("800197268", 4),
    ],
)
def test_worked_examples_of_the_check_digit(nit: str, digit: int) -> None:
    assert check_digit(nit) == digit
    assert show(nit) == f"{nit[:3]}.{nit[3:6]}.{nit[6:]}-{digit}"
    assert CO.identify(f"{nit}{digit}") == (Identifier("co-nit", nit, True),)


@given(NIT, st.integers(0, 9))
def test_the_verdict_agrees_with_stdnum(nit: str, digit: int) -> None:
    assert CO.identify(f"{nit}{digit}") == (Identifier("co-nit", nit, oracle.is_valid(f"{nit}{digit}")),)
    assert oracle.format(f"{nit}{check_digit(nit)}") == show(nit)


PERSON = st.from_regex(r"1[0-9]{9}|[1-7][0-9]{8}|[1-9][0-9]{5,7}", fullmatch=True)


@given(PERSON)
def test_natural_persons_are_refused_without_an_echo(number: str) -> None:
    with pytest.raises(NotFound) as refused:
        CO.identify(number)
    assert (refused.value.code, refused.value.context) == ("natural-person-not-covered", {})


@pytest.mark.parametrize("number", ["79.123.456", "NIT 1.032.456.789", f"1032456789-{check_digit('1032456789')}"])
def test_persons_in_other_forms(number: str) -> None:
    with pytest.raises(NotFound, match="natural-person-not-covered"):
        CO.identify(number)


@pytest.mark.parametrize(
    "raw",
    [
        *("", " ", "-", "NIT", "0", "12345", "000899999", "0899999068", "2345678901", "89999906811", "8999990681a"),
        *(
            "NIT NIT 899999068",
            "NIT 12345678901234567",
            "899999068!",
            "899/999/068",
            "RUC 899999068",
            "٨٩٩٩٩٩٠٦٨",
            "ECOPETROL",
        ),
        f"1032456789-{(check_digit('1032456789') + 1) % 10}",
    ],
)
def test_garbage_is_refused(raw: str) -> None:
    with pytest.raises(Invalid) as refused:
        CO.identify(raw)
    assert refused.value.code == "invalid-identifier"
    assert refused.value.context == {"parameter": "identifier", "country": "CO"}


def test_a_lei_is_recognised() -> None:
    assert CO.identify("2549 00EW 1K5Q KUJS 4D72")[0][:2] == ("lei", "254900EW1K5QKUJS4D72")


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(raw: str) -> None:
    try:
        readings = CO.identify(raw)
    except (Invalid, NotFound):
        return
    for identifier in readings:
        assert CO.identify(CO.scheme_by_code[identifier.scheme].show(identifier.value))[0][:2] == identifier[:2]


def test_every_spelling_is_folded_compact_and_of_one_form() -> None:
    spellings = [spelling for form in CO.legal_forms for spelling in form.spellings]
    assert [spelling for spelling in spellings if fold(spelling) != spelling or " " in spelling] == []
    assert len(set(spellings)) == len(spellings)
    assert len({form.code for form in CO.legal_forms}) == len(CO.legal_forms)
    assert all(form.label.es and form.label.en and form.short for form in CO.legal_forms)


@pytest.mark.parametrize(
    ("name", "core", "form"),
    [
        ("D1 S A S", "d1", "sas"),
        ("CRINO S,A.S", "crino", "sas"),
        ("MOLINOS VESGA S.A.S. ZOMAC", "molinos vesga", "sas"),
        ("AES COLOMBIA Y CIA S C A E S P", "aes colombia y cia", "sca"),
        ("GRUPO RIVERA P. S. EN C.S.", "grupo rivera p", "sencs"),
        ("EMPRESAS MUNICIPALES DE CALI   E.I.C.E  E.S.P", "empresas municipales de cali", "eice"),
        ("FRONTERA ENERGY COLOMBIA CORP. SUCURSAL COLOMBIA", "frontera energy colombia", "corp"),
        ("SPECTRUM BRANDS CORP S.A.S.", "spectrum brands corp", "sas"),
        ("AGENCIA DE ADUANAS SIACO SAS NIVEL 1", "agencia de aduanas siaco", "sas"),
        ("AGROMILENIO SA TRAMITE DE NEGOCIACION DE EMERGENCIA - NEAR", "agromilenio", "sa"),
        ("NUEVA EPS S.A.", "nueva eps", "sa"),
        ("LTDA", "ltda", None),
    ],
)
def test_forms_come_off_and_never_empty_a_name(name: str, core: str, form: str | None) -> None:
    named = split_form(name, CO.forms)
    assert (" ".join(named.core), named.form) == (core, form)


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        ("EN LIQUIDACION", Status.IN_LIQUIDATION),
        ("EN LIQUIDACIÓN JUDICIAL", Status.IN_LIQUIDATION),
        ("EN REORGANIZACION", Status.ACTIVE),
        ("EN TRAMITE DE NEGOCIACIÓN DE EMERGENCIA", Status.ACTIVE),
        ("EN CONCORDATO", Status.ACTIVE),
        ("ACTIVA", Status.ACTIVE),
        ("INACTIVA", Status.INACTIVE),
        ("CANCELADA", Status.DISSOLVED),
        ("NO COMPETENCIA DE LA CAMARA", Status.UNKNOWN),
        ("NO ASIGNADO", Status.UNKNOWN),
        ("NO MATRICULADO", Status.UNKNOWN),
        ("MATRICULA NUEVA CONSTITUCION POR TRASLADO", Status.ACTIVE),
        ("CANCELADA POR TRASLADO DE DOMICILIO", Status.UNKNOWN),
        ("CANCELADA POR FUSION", Status.DISSOLVED),
        ("CANCELADA POR RECONSTITUCION", Status.DISSOLVED),
        ("SIN ESTADO", Status.UNKNOWN),
        ("CANCELADA LEY 1429", Status.DISSOLVED),
        ("INACTIVA POR PERDIDA DE CALIDAD DE COMERCIANTE", Status.INACTIVE),
    ],
)
def test_states(raw: str, status: Status) -> None:
    assert CO.status(raw) is status


def test_activities_form_a_tree_without_gaps() -> None:
    with (CO.folder / "activities.csv").open(encoding="utf-8", newline="") as file:
        labels = {row["code"]: row["label"] for row in csv.DictReader(file)}
    assert [code for code in labels if len(code) > 2 and code[:-1] not in labels] == []
    parents = {code[:-1] for code in labels}
    assert [code for code in labels if code.isdigit() and len(code) < 4 and code not in parents] == []
    assert labels["0610"] == "Extracción de petróleo crudo"
    assert len(labels) == 860


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Built, Query]:
    return build(CO, OFFICIAL, tmp_path_factory.mktemp("co"))


@pytest.fixture(scope="module")
def bundled(whole: tuple[Built, Query]) -> Query:
    return whole[1]


def test_bundled_files_are_what_their_provenance_says() -> None:
    assert provenance_faults(CO) == (4, [])


def test_every_row_is_accounted_for(whole: tuple[Built, Query]) -> None:
    manifest = whole[0].manifest
    assert manifest["by_scheme"] == {"co-nit": 10_142}
    read = {key: books for key, books in manifest["sources"].items() if books["rows"]}
    assert {key: (books["rows"], books["kept"], books["merged"]) for key, books in read.items()} == {
        "supersociedades-10000": (18_916, 9_995, 8_911),
        "supersociedades-6cat": (48, 8, 40),
        "supersociedades-1000-2018": (955, 138, 817),
        "gleif": (549, 1, 0),
    }
    assert manifest["sources"]["gleif"]["left_out"] == {"other-country": 548}
    assert manifest["sources"]["supersociedades-10000"]["left_out"] == {
        "no-name": 6,
        "natural-person": 2,
        "no-company-row": 2,
    }
    assert manifest["unmapped_status"] == {}


COLUMNS = "legal_name, status, activity_code, region, municipality, refreshed"
BOGOTA = "BOGOTÁ, D.C.|BOGOTÁ, D.C."


@pytest.mark.parametrize(
    ("nit", "row"),
    [
        ("899999068", f"ECOPETROL S.A||0610|{BOGOTA}|2026-06-30"),
        ("900276962", f"D1 S A S||4711|{BOGOTA}|2026-06-30"),
        ("800154771", "FLORES SAN JUAN S.A||0125|CUNDINAMARCA|FUNZA|2026-06-30"),  # in 6cat its name is the NIT
        ("900649261", "FURUKAWA INDUSTRIAL COLOMBIA S.A.S.||2731|VALLE DEL CAUCA|PALMIRA|2021-12-31"),
        ("890920656", "INTERVE S.A.S.||7112|ANTIOQUIA|MEDELLIN|2024-12-31"),
        (
            "801002376",
            "CALCULO Y CONSTRUCCIONES S.A EN TRAMITE DE NEGOCIACION DE EMERGENCIA|active|4111|ANTIOQUIA|MEDELLIN"
            "|2026-06-30",
        ),
        ("900112515", "REFINERIA DE CARTAGENA S.A.||1921|BOLÍVAR|CARTAGENA|2026-06-30"),
        ("860068182", "CREDICORP CAPITAL COLOMBIA S.A.|||||2024-05-05"),
    ],
)
def test_exact_rows(bundled: Query, nit: str, row: str) -> None:
    rows = bundled(f"SELECT {COLUMNS} FROM companies WHERE scheme = 'co-nit' AND identifier = '{nit}'")
    assert ["|".join("" if value is None else str(value) for value in values) for values in rows] == [row]


def test_a_company_whose_name_no_row_states_is_left_out(bundled: Query) -> None:
    """The list writes LTDA, a street address and NO RESGISTRADA for the names of three companies."""
    assert bundled("SELECT * FROM companies WHERE identifier IN ('900167855', '901192599', '901487018')") == []
    assert bundled("SELECT count(*) FROM companies WHERE legal_name LIKE 'NO RE%GISTRADA'") == [(0,)]


def test_a_company_that_only_gleif_knows_is_found_by_its_lei(bundled: Query) -> None:
    [(source, aliases)] = bundled("SELECT source, aliases FROM companies WHERE identifier = '860068182'")
    assert (source, aliases) == ("gleif", [{"scheme": "lei", "value": "5493003HDTFLTSC5OX63"}])


@pytest.mark.parametrize(
    ("nit", "names"),
    [
        ("900276962", ["former:KOBA COLOMBIA SAS", "byName:Tiendas D1"]),
        ("900480569", ["alternative:JERONIM MARTINS COLOMBIA", "byName:Ara"]),
        (
            "800249860",
            ["former:EMPRESA DE ENERGIA DEL PACIFICO S.A. E.S.P.- EPSA", "alternative:CELSIA COLOMBIA S.A. E.S.P."],
        ),
        (
            "890100577",
            [
                "trade:AVIANCA",
                "trade:AVIANCA S.A.",
                "alternative:AEROVIAS DEL CONTINENTE AMERICANO S.A. AVIANCA",
                "alternative:AEROVIAS DEL CONTINENTE AMERICANO S.A. - AVIANCA S.A.",
            ],
        ),
        ("800163515", ["alternative:FACELEC LTDA"]),
        ("819004712", ["alternative:TEQUENDAMA S.A.S."]),
        ("891408382", []),  # AMERICANA DE CURTIDOS LTDA Y CIA SCA: the LTDA is another company
        ("899999068", []),
    ],
)
def test_other_names(bundled: Query, nit: str, names: list[str]) -> None:
    assert bundled(f"SELECT [n.kind || ':' || n.name FOR n IN names] FROM companies WHERE identifier = '{nit}'") == [
        (names,)
    ]


def test_every_activity_has_its_words(bundled: Query) -> None:
    assert bundled(
        "SELECT legal_name, source FROM companies WHERE activity_label IS NULL OR length(activity_code) <> 4"
    ) == [("CREDICORP CAPITAL COLOMBIA S.A.", "gleif")]


def test_departments_and_municipalities_are_plain(bundled: Query) -> None:
    with (CO.folder / "departments.csv").open(encoding="utf-8", newline="") as file:
        known = {row["department"] for row in csv.DictReader(file)}
    assert {region for (region,) in bundled("SELECT DISTINCT region FROM companies WHERE source <> 'gleif'")} <= known
    odd = bundled("SELECT municipality FROM companies WHERE NOT regexp_full_match(municipality, '[A-ZÁÉÍÓÚÜÑ., ]+')")
    assert odd == []


def test_size_is_a_rank_from_0_to_1(bundled: Query) -> None:
    assert bundled("SELECT size FROM companies WHERE identifier = '899999068'") == [(1.0,)]
    assert bundled("SELECT min(size) > 0, max(size) FROM companies") == [(True, 1.0)]


def test_most_real_names_end_in_a_known_form(bundled: Query) -> None:
    split = [split_form(name, CO.forms) for (name,) in bundled("SELECT legal_name FROM companies")]
    assert sum(named.form is not None for named in split) > 0.97 * len(split)
    assert all(named.core for named in split)


HEADER = ["RANKING 2025", "NIT", "RAZON SOCIAL", "DEPARTAMENTO DOMICILIO", "CIUDAD DOMICILIO", "CIIU", "RANKING 2025"]
ROWS: list[list[str | int]] = [
    [1, 899999068, "UNO S.A.S. EN LIQUIDACION JUDICIAL  ", "SANTANDER CO", "GIRON-SANTANDER", "B0610 - x", 1],
    [2, 900276962, "CL 49 SUR NO 45A 300 OF 1604", "Cesar", "CESAR", "G4711 - x", 2],
    [3, 79123456, "PERSONA NATURAL", "META", "GRANADA-META", "G4711 - x", 3],
    [4, 12, "DOCE S.A.", "META", "#N/A", "G4711 - x", 4],
    [5, 900480569, "CINCO S A (ANTERIORMENTE SEIS LTDA )", "", "#N/A", "#N/A", 5],
    [6, 890903938, 890903938, "ANTIOQUIA", "11001 - BOGOTA-BOGOTA, D.C.", "G4711 - x", 6],
    # perhaps a person's name alone, which an older edition has with its form; an empresa unipersonal with its owner's
    # name in it
    [7, 900000001, "JUAN PERENGANEZ", "META", "GRANADA-META", "G4711 - x", 7],
    [8, 900000002, "TALLERES ROSA PERENGANEZ E U", "META", "GRANADA-META", "G4711 - x", 8],
    [9, 900000003, "JUAN PERENGANEZ SAS", "META", "GRANADA-META", "G4711 - x", 9],
    *([""] * 7,) * 4,
]
OPERATING: list[list[str | int]] = [
    ["", "", "BASE SUPERFINANCIERA"],
    ["", "", "Miles de pesos"],
    ["RANKING 2025", "", "NIT", "RAZON SOCIAL", "GANANCIA (PÉRDIDA) POR ACTIVIDAD DE OPERACIÓN 2025"],
    [2, 900276962, 900276962, "DOS S.A.", 77],
    [3, 79123456, 79123456, "PERSONA NATURAL", 1],
    [4, 12, 12, "DOCE S.A.", 1],
    [7, 900999999, 900999999, "NO ESTA EN LA OTRA HOJA S.A.", 1],
    [6, 890903938, 890903938, "SIN NOMBRE EN LA OTRA", "#N/A"],
]
API = """nit,raz_n_social,departamento_domicilio,ciudad_domicilio,ciiu,a_o_de_corte
"900,276,962","DOS S.A.  DOS S.A.",CESAR,"VALLEDUPAR",610,"2,024"
"900,276,962","OTRA COSA LTDA EN REORGANIZACION",CESAR,"VALLEDUPAR",610,"2,021"
"900,000,001","JUAN PERENGANEZ SAS EN LIQUIDACION JUDICIAL",CESAR,"VALLEDUPAR",610,"2,024"
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A root with a workbook and an API answer that hold every trap."""
    root = tmp_path / "official"
    sheets = workbook("10000", [HEADER, *ROWS], Supersociedades=OPERATING)
    place(root, CO, "supersociedades-10000", Base_10000_empresas_2026__xlsx=sheets)
    place(root, CO, "supersociedades-6cat", **{"10__000_Empresas_x__csv": API.encode()})
    return root


def test_traps_of_the_workbook_and_the_api(small: Path, tmp_path: Path) -> None:
    built, query = build(unexpecting(CO), small, tmp_path)
    fields = "identifier, legal_name, status, activity_code, region, municipality"
    assert query(f"SELECT {fields}, [n.kind || ':' || n.name FOR n IN names] FROM companies ORDER BY identifier") == [
        ("899999068", "UNO S.A.S. EN LIQUIDACION JUDICIAL", "in_liquidation", "0610", "SANTANDER", "GIRON", []),
        (
            *("900000001", "JUAN PERENGANEZ SAS EN LIQUIDACION JUDICIAL", "in_liquidation"),
            *("0610", "CESAR", "VALLEDUPAR", []),
        ),
        ("900000003", "JUAN PERENGANEZ SAS", None, "4711", "META", "GRANADA", []),
        (
            *("900276962", "DOS S.A.", None, "4711", "CESAR", "CESAR"),
            ["former:OTRA COSA LTDA EN REORGANIZACION", "byName:Tiendas D1"],
        ),
        (
            *("900480569", "CINCO S A (ANTERIORMENTE SEIS LTDA )", None, None, None, None),
            ["former:SEIS LTDA", "alternative:CINCO S A", "byName:Ara"],
        ),
    ]
    books = built.manifest["sources"]["supersociedades-10000"]
    assert (books["rows"], books["rejected"]) == (14, {"bad-identifier": 2})
    assert books["left_out"] == {"natural-person": 4, "no-company-row": 1, "no-name": 2}
    figures = built.manifest["statements"]["supersociedades-10000"]
    assert (figures["used"], figures["unknown_company"]) == (2, 1)
    assert figures["passed_over"] == {"natural-person": 2, "no-figures": 8}
    assert figures["rejected"] == {"bad-identifier": 2}


def test_a_workbook_without_its_second_sheet_stops_the_build(small: Path, tmp_path: Path) -> None:
    one_sheet = workbook("10000", [HEADER, *ROWS])
    place(small, CO, "supersociedades-10000", Base_10000_empresas_2026__xlsx=one_sheet)
    with pytest.raises(SourceError) as stopped:
        build(unexpecting(CO), small, tmp_path)
    assert stopped.value.code == "sheet-missing"
    assert (stopped.value.context["sheet"], stopped.value.context["sheets"]) == ("Supersociedades", "10000")


def test_a_missing_column_stops_the_build_and_is_named(small: Path, tmp_path: Path) -> None:
    place(small, CO, "supersociedades-6cat", **{"10__000_Empresas_x__csv": API.replace("ciiu", "act").encode()})
    with pytest.raises(SourceError) as stopped:
        build(unexpecting(CO), small, tmp_path)
    assert (stopped.value.code, stopped.value.context["column"]) == ("missing-column", "CIIU")
