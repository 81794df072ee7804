"""Ecuador: the companies read from the bundled files, and from small files in the official layouts."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from one_country import OFFICIAL, Query, build, place, provenance_faults, unexpecting, workbook
from padron.countries.ec import EC
from padron.errors import SourceError
from padron.ingest.build import Built
from padron.text import split_form


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Built, Query]:
    return build(EC, OFFICIAL, tmp_path_factory.mktemp("ec"))


@pytest.fixture(scope="module")
def bundled(whole: tuple[Built, Query]) -> Query:
    return whole[1]


def test_bundled_files_are_what_their_provenance_says() -> None:
    assert provenance_faults(EC) == (8, [])


def test_every_row_is_accounted_for(whole: tuple[Built, Query]) -> None:
    manifest = whole[0].manifest
    assert manifest["by_scheme"] == {"ec-expediente": 94_254, "ec-ruc": 1_292}
    read = {key: books for key, books in manifest["sources"].items() if books["rows"]}
    assert {key: (books["rows"], books["kept"], books["merged"]) for key, books in read.items()} == {
        "supercias-directorio": (62, 62, 0),
        "supercias-ranking": (1_044, 1_016, 28),
        "supercias-nombres": (95_424, 94_448, 975),
        "supercias-balances": (219, 20, 199),
    }
    assert not any(books["rejected"] for books in manifest["sources"].values())
    left_out = {key: books["left_out"] for key, books in manifest["sources"].items() if books["left_out"]}
    assert left_out == {"supercias-nombres": {"no-company": 1}}, "CONTRIBUCIONES NO IDENTIFICADAS QUITO"
    assert manifest["unmapped_status"] == {}


COLUMNS = "scheme, identifier, legal_name, activity_code, region, municipality, incorporated, source"


@pytest.mark.parametrize(
    ("expediente", "row"),
    [
        ("384", "ec-ruc|1790016919001|CORPORACION FAVORITA C.A.|G4711.01|PICHINCHA|QUITO||supercias-ranking"),
        ("385330", "ec-ruc|0993402030001|GCCONECT S.A.S.|N8220.01|GUAYAS|GUAYAQUIL|2025-08-29|supercias-directorio"),
        ("3705", "ec-ruc|1792239079001|VIAMOVIL CIA. LTDA.|H5320.00||||supercias-nombres"),
        (
            "49665",
            "ec-ruc|1791316347001|ABRODESIVOS DEL ECUADOR S.A.|G4719.00|PICHINCHA|SANGOLQUÍ|1996-05-31"
            "|supercias-ranking",
        ),
        (
            "760982",
            "ec-expediente|760982|AGENCIA PRISMATIK S.A.S.|G4799.02|GUAYAS|DAULE|2025-08-29|supercias-directorio",
        ),
        ("101399", "ec-expediente|101399|ELIBETH S.A.|||||supercias-nombres"),
    ],
)
def test_exact_rows(bundled: Query, expediente: str, row: str) -> None:
    rows = bundled(
        f"""SELECT {COLUMNS} FROM companies WHERE identifier = '{expediente}'
            OR list_contains(aliases, {{'scheme': 'ec-expediente', 'value': '{expediente}'}})"""
    )
    assert ["|".join("" if value is None else str(value) for value in values) for values in rows] == [row]


def test_a_list_of_names_tells_no_state(bundled: Query) -> None:
    assert bundled("SELECT aliases, status, sources FROM companies WHERE identifier = '101399'") == [
        ([], None, ["supercias-nombres"])
    ]


def test_the_activity_has_its_official_words(bundled: Query) -> None:
    ((label,),) = bundled("SELECT activity_label FROM companies WHERE identifier = '0993402030001'")
    assert label.startswith("ACTIVIDADES DE CENTROS QUE ATIENDEN A LLAMADAS DE CLIENTES UTILIZANDO OPERADORES HUMANOS")
    assert bundled("SELECT count(*) FROM companies WHERE (activity_code IS NULL) <> (activity_label IS NULL)") == [(0,)]


@pytest.mark.parametrize(
    ("legal_name", "names"),
    [
        ("INDURAMA ECUADOR S.A.", [("former", "INDUGLOB S. A.")]),
        ("SMURFIT WESTROCK ECUADOR S.A.", [("former", "SMURFIT KAPPA ECUADOR S.A.")]),
        ("COMPAÑIA ANONIMA EL UNIVERSO", [("alternative", "EL UNIVERSO")]),
        ("CONSTRAPE S.A. TRANSPORTE DE CARGA PESADA", [("alternative", "CONSTRAPE S.A.")]),
        (
            "ESMARFEL COMPAÑIA LIMITADA AGENCIA ASESORA PRODUCTORA DE SEGUROS",
            [("alternative", "ESMARFEL COMPAÑIA LIMITADA")],
        ),
        (
            "CORPORACION EL ROSADO S.A.",
            [
                ("byName", "Ferrisariato"),
                ("byName", "Mi Comisariato"),
                ("byName", "Mi Juguetería"),
                ("byName", "Río Store"),
            ],
        ),
    ],
)
def test_other_names(bundled: Query, legal_name: str, names: list[tuple[str, str]]) -> None:
    (others,) = bundled(f"SELECT [(n.kind, n.name) FOR n IN names] FROM companies WHERE legal_name = '{legal_name}'")
    assert others == (names,)


def test_size_is_a_rank_from_0_to_1(bundled: Query) -> None:
    assert bundled("SELECT size FROM companies WHERE identifier = '1790016919001'") == [(1.0,)]
    assert bundled("SELECT min(size) > 0, max(size) FROM companies") == [(True, 1.0)]


def test_nearly_every_real_name_ends_in_a_known_form(bundled: Query) -> None:
    names = [name for (name,) in bundled("SELECT legal_name FROM companies WHERE source = 'supercias-nombres'")]
    split = [split_form(name, EC.forms, acronyms=True) for name in names]
    assert sum(named.form is not None for named in split) > 0.99 * len(names)
    assert all(named.core for named in split)


DIRECTORY_HEADER = (
    "No. FILA|EXPEDIENTE|RUC|NOMBRE|SITUACIÓN LEGAL|FECHA_CONSTITUCION|TIPO|PAÍS|REGIÓN|PROVINCIA|CANTÓN|CIUDAD|CALLE|"
    "NÚMERO|INTERSECCIÓN|BARRIO|TELÉFONO|REPRESENTANTE|CARGO|CAPITAL SUSCRITO|CIIU NIVEL 1|CIIU NIVEL 6|ÚLTIMO BALANCE"
).split("|")


def company(expediente: str, ruc: str, nombre: str, situacion: str, constituted: str) -> list[str]:
    """A row of the directory, its private cells filled."""
    return (
        f"1|{expediente}|{ruc}|{nombre}|{situacion}|{constituted}|SUCURSAL  EXTRANJERA|ECUADOR|COSTA|GUAYAS|DAULE|"
        "LA AURORA|AV. FEBRES|12|Y CALLE B|LA JOYA|042222222|PÉREZ ANA|GERENTE|120.000,00|G|G4711.01|2024"
    ).split("|")


DIRECTORY = [
    *(["No. DE FILAS: 9"], ["FECHA DE ACTUALIZACION: 26/09/2026"], [""], [""], DIRECTORY_HEADER),
    company("000501", "0990004196001", "UNO S.A.", "ACTIVA", "31/05/1996"),
    company("502", "990004196001", "DOS S.A.", "CANCELADA", "31/05/2006"),  # the same RUC without its zero
    company("503", "1790016919001", "TRES S.A.", "EN LIQUIDACIÓN", "01/02/2001"),
    company("504", "1790016919001", "CUATRO S.A.", "INACTIVA", "01/02/2011"),
    company("505", "", "CINCO S.A.", "OTRA COSA", "99/99/9999"),
    company("506", "0912345678001", "SEIS", "ACTIVA", ""),
    company("507", "1790016919", "SIETE S.A.", "ACTIVA", ""),
    company("0", "1791316347001", "OCHO S.A.", "ACTIVA", ""),
    company("509", "1791282299001", "", "ACTIVA", ""),
]
COMPANIES = """expediente,ruc,nombre,tipo,pro_codigo,provincia
505,1791239415001,"CINCO, SOCIEDAD ANONIMA",ANÓNIMA,9,GUAYAS
505,1792239079001,CINCO S.A.,,9,GUAYAS
"""
RANKING = """anio,expediente,posicion_general,ciiu_n1,ciiu_n6,activos
2023,501,11,G,G4711.01,1.00
2024,501,1,G,G4690.00,2.00
2024,999999,5,G,G4690.00,2.00
2024,501,1,G,G4690.00,2,000.00
"""
BALANCES = """ANIO\tEXPEDIENTE\tRUC\tNOMBRE\tRAMA_ACTIVIDAD\tDESCRIPCION_RAMA\tCIIU\tACTIVO_1
2020\t601\t0190050858001\tSEISÑO S.A.\tH\tX\tH4923.01\t1,5\0
"""


@pytest.fixture
def official(tmp_path: Path) -> Path:
    """A root with files in the official layouts."""
    root = tmp_path / "official"
    place(root, EC, "supercias-directorio", directorio_companias__xlsx=workbook("Companias", DIRECTORY))
    place(root, EC, "supercias-ranking", bi_compania__csv=COMPANIES.encode(), bi_ranking__csv=RANKING.encode())
    place(root, EC, "supercias-balances", bal2020__txt=BALANCES.encode("utf-16"))
    return root


def test_the_official_layouts_are_read(official: Path, tmp_path: Path) -> None:
    built, query = build(unexpecting(EC), official, tmp_path)
    numbers = "identifier, [alias.value FOR alias IN aliases]"
    assert query(f"SELECT {numbers}, legal_name, status FROM companies ORDER BY legal_name") == [
        ("1792239079001", ["505", "1791239415001"], "CINCO S.A.", "unknown"),
        ("1790016919001", ["504"], "CUATRO S.A.", "inactive"),  # neither is active: the newer one has the RUC
        ("502", [], "DOS S.A.", "dissolved"),
        ("0190050858001", ["601"], "SEISÑO S.A.", None),
        ("503", [], "TRES S.A.", "in_liquidation"),
        ("0990004196001", ["501"], "UNO S.A.", "active"),  # older than 502, but active
    ]
    fields = "activity_code, region, municipality, incorporated, legal_form_raw, size"
    assert query(f"SELECT {fields} FROM companies WHERE identifier = '0990004196001'") == [
        ("G4711.01", "GUAYAS", "DAULE", date(1996, 5, 31), "SUCURSAL EXTRANJERA", 1.0)
    ]
    books = built.manifest["sources"]
    assert books["supercias-directorio"]["rejected"] == {"bad-identifier": 2}
    assert books["supercias-directorio"]["left_out"] == {"natural-person": 1, "no-name": 1}
    assert books["supercias-ranking"]["left_out"] == {"no-name": 1}
    assert books["supercias-ranking"]["rejected"] == {"too-many-columns": 1}
    assert built.manifest["unmapped_status"] == {"OTRA COSA": 1}


def test_a_person_in_one_list_is_left_out_of_all(tmp_path: Path) -> None:
    ranking = (
        "expediente,ruc,nombre,tipo,pro_codigo,provincia\n"
        "601,0102030405001,PEREZ LOPEZ JUAN,UNIPERSONAL,01,AZUAY\n"
        "602,,PEREZ LOPEZ MARIA 0102030407,UNIPERSONAL,01,AZUAY\n"
        "603,,CON TELEFONO S.A. CEL 099 123 456,ANONIMA,01,AZUAY\n"
        # a person's number for the file of a company, whose own another list has
        "604,0102030408001,CON DOS NUMEROS S.A.,ANONIMA,01,AZUAY\n"
    )
    extract = (
        "expediente,ruc,nombre,tipo,provincia,ciiu_n6,anio,ingresos_ventas\n"
        "601,,PEREZ LOPEZ JUAN,UNIPERSONAL,AZUAY,G4711.01,2024,100.00\n"
        "602,,PEREZ LOPEZ MARIA,UNIPERSONAL,AZUAY,G4711.01,2024,100.00\n"
        "604,0190005070001,CON DOS NUMEROS S.A.,ANONIMA,AZUAY,G4711.01,2024,100.00\n"
    )
    root = tmp_path / "official"
    place(
        root,
        EC,
        "supercias-ranking",
        bi_compania__csv=ranking.encode(),
        ranking_2025_derived__csv=extract.encode(),
    )
    built, query = build(unexpecting(EC), root, tmp_path)
    assert query("SELECT identifier, legal_name FROM companies ORDER BY 1") == [
        ("0190005070001", "CON DOS NUMEROS S.A."),
        ("603", "CON TELEFONO S.A."),
    ]
    account = built.manifest["sources"]["supercias-ranking"]
    assert (account["left_out"], account["rejected"]) == ({"natural-person": 5}, {})


def test_private_cells_and_amounts_reach_nothing(official: Path, tmp_path: Path) -> None:
    _, query = build(unexpecting(EC), official, tmp_path)
    stored = "\n".join(row for (row,) in query("SELECT companies::VARCHAR FROM companies"))
    private = ("FEBRES", "CALLE B", "LA JOYA", "042222222", "PÉREZ", "GERENTE", "120.000", "0912345678")
    assert [cell for cell in private if cell in stored] == []


def test_a_missing_column_stops_the_build_and_is_named(official: Path, tmp_path: Path) -> None:
    place(official, EC, "supercias-ranking", bi_compania__csv=COMPANIES.replace("expediente", "exp").encode())
    (official / "ec" / "supercias-ranking" / "bi_ranking.csv").unlink()
    with pytest.raises(SourceError) as stopped:
        build(unexpecting(EC), official, tmp_path)
    assert (stopped.value.code, stopped.value.context["column"]) == ("missing-column", "EXPEDIENTE")
