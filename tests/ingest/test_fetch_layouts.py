"""The full layouts that only fetched files have, read by the real countries: one planted row for each trap."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from one_country import build, place, unexpecting
from padron.countries import REGISTRY
from padron.countries.co.sources import RUES
from padron.countries.country import Country
from padron.errors import SourceError
from padron.ingest.build import build_country
from sites import GLEIF_HEADER, SRI_HEADER, sri, zipped

BOM = b"\xef\xbb\xbf"


def alone(code: str) -> Country:
    """A country content with little."""
    return unexpecting(REGISTRY[code])


def registered(number: str, name: str, **cells: str) -> dict[str, str]:
    """A row of the RUES; what is not said is that of a living S.A.S."""
    return {
        "numero_identificacion": number, "razon_social": name,
        "codigo_camara": "04", "matricula": "1", "codigo_clase_identificacion": "02",
        "codigo_organizacion_juridica": "16",
        "organizacion_juridica": "SOCIEDADES POR ACCIONES SIMPLIFICADAS SAS", "codigo_categoria_matricula": "01",
        "estado_matricula": "ACTIVA", "ultimo_ano_renovado": "2026", "cod_ciiu_act_econ_pri": "4711",
        "fecha_cancelacion": "99991231", "fecha_renovacion": "20260301", "fecha_matricula": "20100101", **cells,
    }  # fmt: skip


def rues(*rows: dict[str, str]) -> bytes:
    """A RUES file as Socrata gives it."""
    columns = [column.name for column in RUES.layouts[0].columns]
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        assert row.keys() <= set(columns), row
        writer.writerow([row.get(column, "") for column in columns])
    return out.getvalue().encode()


def test_rues_traps(tmp_path: Path) -> None:
    file = rues(
        # Several rows a NIT: an old chamber, cancelled because the seat moved; a former name; the living row.
        registered(
            "900276962",
            "KOBA COLOMBIA S.A.S.",
            fecha_renovacion="20150101",
            ultimo_ano_renovado="2015",
            estado_matricula="CANCELADA POR TRASLADO DE DOMICILIO",
            fecha_cancelacion="20160505",
        ),
        registered("900276962", "D1 S.A.S.", sigla="TIENDAS D1"),
        # A branch never names the company and is none.
        registered("900276962", "D1 SUCURSAL CALI", codigo_categoria_matricula="02"),
        # Zero-padded; with its check digit; a date of cancellation beats the status.
        registered("0000890903938", "BANCOLOMBIA S.A.", codigo_organizacion_juridica="04"),
        registered("8909002663", "GRUPO ARGOS S.A.", cod_ciiu_act_econ_pri="", fecha_cancelacion="0"),
        registered("800197268", "SE ACABO LTDA", fecha_cancelacion="20200229"),
        registered("860025900", "ALPINA S.A. EN LIQUIDACION"),
        # Natural persons, whichever way they come; bodies without a number; rows without a name.
        registered("1020304050", "PERSONA UNO", codigo_clase_identificacion="01"),
        registered("52123456", "PERSONA DOS", codigo_organizacion_juridica="01"),
        registered("52123457", "PERSONA TRES"),
        registered("900111222", "MARIA LOPEZ PEREZ", codigo_organizacion_juridica="10"),
        registered("900111223", "ASEO TOTAL E.U.", codigo_organizacion_juridica="10"),
        # An empresa unipersonal without the mark in its name is a legal person; its owner's name is not published.
        registered("900111225", "TRANSPORTE LA ESMERALDA", codigo_organizacion_juridica="10"),
        # With the mark, too, a name with its owner's in it is not.
        registered("900111227", "TALLERES ROSA PERENGANEZ E.U.", codigo_organizacion_juridica="10"),
        # A foreign company is registered by its branch alone.
        registered("900111226", "ACME INC SUCURSAL COLOMBIA", codigo_categoria_matricula="02"),
        registered("900111226", "ACME INC SUCURSAL CALI", codigo_categoria_matricula="03"),
        registered("0000000000000", "SIN NUMERO"),
        registered("900111224", ""),
        registered("700", "NUMERO ROTO"),
    )
    place(tmp_path / "in", REGISTRY["CO"], "rues", rues_c82u__csv=file)
    built, query = build(alone("CO"), tmp_path / "in", tmp_path)
    account = built.manifest["sources"]["rues"]
    assert account["rows"] == 19
    assert account["left_out"] == {"branch": 2, "natural-person": 5, "no-name": 1, "no-register-identifier": 1}
    assert account["rejected"] == {"bad-identifier": 1}
    assert (account["kept"], account["merged"]) == (8, 1)
    rows = query(
        "SELECT identifier, legal_name, status, trade_name, activity_code, ended::VARCHAR FROM companies ORDER BY 1"
    )
    assert rows == [
        ("800197268", "SE ACABO LTDA", "dissolved", None, "4711", "2020-02-29"),
        ("860025900", "ALPINA S.A. EN LIQUIDACION", "in_liquidation", None, "4711", None),
        ("890900266", "GRUPO ARGOS S.A.", "active", None, None, None),
        ("890903938", "BANCOLOMBIA S.A.", "active", None, "4711", None),
        ("900111223", "ASEO TOTAL E.U.", "active", None, "4711", None),
        ("900111225", "TRANSPORTE LA ESMERALDA", "active", None, "4711", None),
        ("900111226", "ACME INC SUCURSAL COLOMBIA", "active", None, "4711", None),
        ("900276962", "D1 S.A.S.", "active", "TIENDAS D1", "4711", None),
    ]
    [(names,)] = query(
        "SELECT list_transform(names, lambda n: n.kind || ' ' || n.name) FROM companies WHERE identifier = '900276962'"
    )
    assert names == ["former KOBA COLOMBIA S.A.S.", "trade TIENDAS D1"]


def test_a_natural_person_of_the_rues_by_the_words_of_its_form(tmp_path: Path) -> None:
    words = {"organizacion_juridica": "Persona  Natural"}
    persons = [
        registered(f"90011123{at}", "MARIA LOPEZ PEREZ", codigo_organizacion_juridica=code, **words)
        for at, code in enumerate(("01", "1", "", "16"))
    ]
    place(
        tmp_path / "in",
        REGISTRY["CO"],
        "rues",
        rues_c82u__csv=rues(*persons, registered("900276962", "D1 S.A.S.")),
    )
    built, query = build(alone("CO"), tmp_path / "in", tmp_path)
    assert built.manifest["sources"]["rues"]["left_out"] == {"natural-person": 4}
    assert query("SELECT legal_name FROM companies") == [("D1 S.A.S.",)]


def test_the_state_and_the_sigla_of_the_rues_as_chambers_write_them(tmp_path: Path) -> None:
    file = rues(
        registered("900276962", "KOBA COLOMBIA S.A.S.", estado_matricula="CANCELADA", ultimo_ano_renovado="2027"),
        registered("900276962", "D1 S.A.S.", estado_matricula=" Activa ", sigla="CRA 7 No. 72-41"),
        registered("860025900", "ALPINA S.A. EN LIQUIDACION", estado_matricula="activa", sigla="24-7"),
        registered("800197268", "SE ACABO LTDA", estado_matricula=" Cancelada", fecha_cancelacion="2020-2-9"),
    )
    place(tmp_path / "in", REGISTRY["CO"], "rues", rues_c82u__csv=file)
    _, query = build(alone("CO"), tmp_path / "in", tmp_path)
    assert query("SELECT legal_name, status, status_raw, trade_name, ended::VARCHAR FROM companies ORDER BY 1") == [
        ("ALPINA S.A. EN LIQUIDACION", "in_liquidation", "EN LIQUIDACION", "24-7", None),
        ("D1 S.A.S.", "active", "Activa", None, None),
        ("SE ACABO LTDA", "dissolved", "Cancelada", None, "2020-02-09"),
    ]


def test_sri_traps(tmp_path: Path) -> None:
    azuay = (
        SRI_HEADER
        + sri(
            "0190005070001",
            '"PASAMANERIA | TOSI S.A."',
            province="AZUAY",
            canton="CUENCA",
            ciiu="C139201",
            trade="TOSI",
        )
        + sri("0190005070001", '"PASAMANERIA | TOSI S.A."', number="002", trade="TOSI MALL", province="AZUAY")
        + sri("0190005070001", '"PASAMANERIA | TOSI S.A."', number="003", open="CER", province="AZUAY")
        + sri("190411214001", "CERO PERDIDO S.A.", number="1", state="SUSPENDIDO")
        + sri("0102030400001", "VINTIMILLA ORDOÑEZ MARIA", kind="PERSONA NATURAL")
        + sri("0102030400001", "PERSONA SIN TIPO", kind="SOCIEDAD")
        + sri("0190999991001", "PEREZ ANA", kind="PERSONAS NATURALES")
        + sri("0190999991001", "PEREZ ANA", kind="", number="002")
        + sri("0190999990001", "PEREZ ANA", kind="Persona  Natural")
        + sri("0190999989001", "PEREZ ANA 010203040-7")
        + sri("0102030400001", "PEREZ ANA", kind="")
        + sri("0190999999001", "SUCESION INDIVISA DE JUAN PEREZ")
        + sri("0190999998001", "SOCIEDAD DE HECHO PEREZ Y GOMEZ")
        + sri("0190999997001", "PEREZ JUAN Y OTROS")
        + sri("0190999996001", "PEREZ ANA Y OTRA.")
        + sri("0190999995001", "CUENTA ELECTORAL LISTA 0 ALCALDE JUAN PEREZ")
        + sri("0190999994001", "CAMPAÑA ELECTORAL JUAN PEREZ")
        + sri("0190999993001", "RESPONSABLE DEL MANEJO ECONÓMICO LISTA 0")
        + sri("0190999992001", "TURISMO Y OTROS SERVICIOS S.A.")
        + sri("9990000000", "NUMERO ROTO")
        + sri("0160001240001", "UNIVERSIDAD DE CUENCA", ciiu="P853001")
        + "0190005070001|CAMPOS DE MENOS\n"
    )
    place(tmp_path / "in", REGISTRY["EC"], "sri-ruc", SRI_RUC_Azuay__csv=BOM + azuay.encode())
    built, query = build(alone("EC"), tmp_path / "in", tmp_path)
    account = built.manifest["sources"]["sri-ruc"]
    assert account["rows"] == 22
    assert account["left_out"] == {"natural-person": 14}
    assert account["rejected"] == {"bad-identifier": 1, "missing-columns": 1}
    rows = query(
        "SELECT identifier, legal_name, trade_name, status, region, municipality, activity_code, establishments "
        "FROM companies ORDER BY 1"
    )
    assert rows == [
        ("0160001240001", "UNIVERSIDAD DE CUENCA", None, "active", "PICHINCHA", "QUITO", "P8530.01", 1),
        ("0190005070001", "PASAMANERIA | TOSI S.A.", "TOSI", "active", "AZUAY", "CUENCA", "C1392.01", 2),
        ("0190411214001", "CERO PERDIDO S.A.", None, "suspended", "PICHINCHA", "QUITO", "G4711.01", 1),
        ("0190999992001", "TURISMO Y OTROS SERVICIOS S.A.", None, "active", "PICHINCHA", "QUITO", "G4711.01", 1),
    ]


def test_a_province_of_the_sri_that_the_last_release_has_is_missed(tmp_path: Path) -> None:
    azuay = SRI_HEADER + sri("0190005070001", "TOSI S.A.", province="AZUAY") * 40
    files = {
        "SRI_RUC_Azuay__csv": azuay.encode(),
        "SRI_RUC_Loja__csv": (SRI_HEADER + sri("1190005070001", "LOJA S.A.", province="LOJA")).encode(),
    }
    ec, root = alone("EC"), tmp_path / "in"
    place(root, ec, "sri-ruc", **files)
    built, _ = build(ec, root, tmp_path)
    (root / "ec" / "sri-ruc" / "SRI_RUC_Loja.csv").unlink()
    place(root, ec, "sri-ruc", SRI_RUC_Azuay__csv=azuay.encode())
    (tmp_path / "again").mkdir()
    with pytest.raises(SourceError, match="file-lost") as caught:
        build_country(tmp_path / "var", tmp_path / "again", ec, [root], built.manifest, lambda _code, _stage: None)
    assert caught.value.context["files"] == "SRI_RUC_Loja.csv"


def test_sri_rows_join_the_company_that_supercias_knows(tmp_path: Path) -> None:
    ranking = b"expediente,ruc,nombre,tipo,provincia\n384,1790016919001,CORPORACION FAVORITA C.A.,ANONIMA,PICHINCHA\n"
    place(tmp_path / "in", REGISTRY["EC"], "supercias-ranking", bi_compania__csv=ranking)
    taxes = SRI_HEADER + sri("1790016919001", "CORPORACION FAVORITA CA", trade="SUPERMAXI")
    place(tmp_path / "in", REGISTRY["EC"], "sri-ruc", SRI_RUC_Pichincha__csv=taxes.encode())
    _, query = build(alone("EC"), tmp_path / "in", tmp_path)
    assert query("SELECT identifier, legal_name, trade_name, status, sources FROM companies") == [
        ("1790016919001", "CORPORACION FAVORITA C.A.", "SUPERMAXI", "active", ["supercias-ranking", "sri-ruc"])
    ]


ENTITIES = (
    # LEI, name, jurisdiction, category, authority, number, other names behind the letter of their type
    ("HWUPKR0MPOU8FGXBT394", "APPLE INC.", "US-CA", "GENERAL", "RA000665", "0000320193", "P Apple Computer, Inc."),
    ("254900JKDG51K23FBB29", "ACME LLC", "US-DE", "GENERAL", "RA000602", "7777", ""),
    ("549300IRQUV0F9MJ5A65", "JUAN PEREZ", "US-TX", "SOLE_PROPRIETOR", "RA000665", "0000320193", "T Tienda Perez"),
    ("529900T8BM49AURSDO55", "PETROBRAS", "BR", "GENERAL", "RA000681", "33.000.167/0001-01", "T BR|A Brazilian Oil"),
    ("5493000EWDOZFEJT8R83", "MARIA SOUZA", "BR", "SOLE_PROPRIETOR", "RA000681", "11.222.333/0001-81", "T Maria"),
    ("2549006K6F2O8GSMT143", "ANA SOUZA", "BR", "GENERAL", "RA000681", "22.333.444/0001-81", "T Loja da Ana"),
    ("5493008E4R1LCS7VMP86", "YPF", "AR", "GENERAL", "RA000009", "30-54668997-9", "P YPF SE|P PEREZ Y GOMEZ S.H."),
    ("5493001234567890AB12", "PEREZ", "AR", "SOLE_PROPRIETOR", "RA000009", "30-11111111-8", ""),
    ("549300ZZPI7ZZDA7NT05", "ECOPETROL S.A.", "CO", "GENERAL", "RA000093", "899999068 - 1", "P EMPRESA DE PETROLEOS"),
    ("549300AAPI7ZZDA7NT06", "PEREZ", "CO", "SOLE_PROPRIETOR", "RA000093", "900276962-1", "T Perez"),
    ("549300BBPI7ZZDA7NT07", "FONDO", "CO", "FUND", "RA888888", "12", ""),
    ("549300CCPI7ZZDA7NT08", "CORPORACION FAVORITA CA", "EC", "GENERAL", "RA000178", "1790016919001", "T SUPERMAXI"),
    ("549300DDPI7ZZDA7NT09", "NO ESTA", "EC", "GENERAL", "RA000178", "1790010937001", ""),
    ("549300EEPI7ZZDA7NT10", "ALGUIEN", "EC", "SOLE_PROPRIETOR", "RA000178", "1710034065001", ""),
    ("549300FFPI7ZZDA7NT11", "LUXEM SA DE CV", "MX", "GENERAL", "RA000449", "LEM170208SB6", "P JUAN GAAA800101AA1"),
)
NOT_RENEWED = {
    "549300DDPI7ZZDA7NT09": ("ACTIVE", "LAPSED"),
    "254900JKDG51K23FBB29": ("INACTIVE", "RETIRED"),
}
"""LEI -> status of the entity and of its registration; of the others: ACTIVE and ISSUED."""
TYPES = {"P": "PREVIOUS_LEGAL_NAME", "T": "TRADING_OR_OPERATING_NAME", "A": "ALTERNATIVE_LANGUAGE_LEGAL_NAME"}


def others(text: str) -> list[tuple[str, str]]:
    """Type and name of the other names of an entity above."""
    return [(TYPES[entry[0]], entry[2:]) for entry in text.split("|") if entry]


def golden_csv() -> bytes:
    """The entities as the golden copy in CSV, which has room for five other names."""
    columns = [f"Entity.OtherEntityNames.OtherEntityName.{place}" for place in range(1, 6)]
    header = GLEIF_HEADER.strip().split(",") + [
        f'"{name}{end}"' for name in columns for end in ("", ".xmllang", ".type")
    ]
    lines = [",".join(header)]
    for lei, name, seat, category, authority, number, names in ENTITIES:
        statuses = NOT_RENEWED.get(lei, ("ACTIVE", "ISSUED"))
        cells = [lei, name, "STREET 1", seat, category, *statuses, authority, number]
        cells += [cell for kind, other in others(names) for cell in (other, "es", kind)]
        lines.append(",".join(f'"{cell}"' for cell in [*cells, *[""] * (len(header) - len(cells))]))
    return "\n".join([*lines, ""]).encode()


def golden_json() -> bytes:
    """The same in JSON."""
    records = []
    for lei, name, seat, category, authority, number, names in ENTITIES:
        status, registration = NOT_RENEWED.get(lei, ("ACTIVE", "ISSUED"))
        entity = {
            "LegalName": {"$": name},
            "LegalJurisdiction": {"$": seat},
            "EntityCategory": {"$": category},
            "EntityStatus": {"$": status},
            "OtherEntityNames": {"OtherEntityName": [{"@type": kind, "$": entry} for kind, entry in others(names)]},
            "RegistrationAuthority": {
                "RegistrationAuthorityID": {"$": authority},
                "RegistrationAuthorityEntityID": {"$": number},
            },
        }
        registered = {"RegistrationStatus": {"$": registration}}
        records.append({"LEI": {"$": lei}, "Entity": entity, "Registration": registered})
    return json.dumps({"records": records}).encode()


TICKERS = b'{"0":{"cik_str":320193,"ticker":"AAPL","title":"Apple Inc."}}'
COMPANIA = b"expediente,ruc,nombre,tipo,provincia\n384,1790016919001,CORPORACION FAVORITA C.A.,X,Y\n"
CONTRACTS = "Institución,Proveedor o contratista,rfc\nX,LUXEM,LEM170208SB6\n".encode("latin-1")
ANA = b'"22333444";"ANA SOUZA";"2135";"50";"1,00";"01";""\n'
REGISTERS: dict[str, tuple[str, dict[str, bytes]]] = {
    "US": ("company-tickers", {"company_tickers__json": TICKERS}),
    "BR": ("receita-federal", {"EMPRECSV__csv": ANA}),
    "CO": ("rues", {"rues_x__csv": rues(registered("899999068", "ECOPETROL S A"))}),
    "EC": ("supercias-ranking", {"bi_compania__csv": COMPANIA}),
    "MX": ("comprasmx", {"Contratos_ComprasMX_2026__csv": CONTRACTS}),
}
JOINED = {
    "US": [
        ("254900JKDG51K23FBB29", "ACME LLC", None, []),
        ("320193", "Apple Inc.", "HWUPKR0MPOU8FGXBT394", ["former Apple Computer, Inc."]),
    ],
    "BR": [("33000167000101", "PETROBRAS", "529900T8BM49AURSDO55", ["alternative Brazilian Oil", "trade BR"])],
    "AR": [("30546689979", "YPF", "5493008E4R1LCS7VMP86", ["former YPF SE"])],
    "CO": [("899999068", "ECOPETROL S A", "549300ZZPI7ZZDA7NT05", ["former EMPRESA DE PETROLEOS"])],
    "EC": [
        ("1790010937001", "NO ESTA", "549300DDPI7ZZDA7NT09", []),
        ("1790016919001", "CORPORACION FAVORITA C.A.", "549300CCPI7ZZDA7NT08", ["trade SUPERMAXI"]),
    ],
    "MX": [("LEM170208SB6", "LUXEM", "549300FFPI7ZZDA7NT11", ["alternative LUXEM SA DE CV"])],
}
LEFT_OUT = {
    "US": {"natural-person": 1, "other-country": 12},
    "BR": {"natural-person": 2, "other-register": 12},
    "AR": {"natural-person": 5, "other-register": 9},
    "CO": {"natural-person": 1, "no-register-identifier": 1, "other-country": 12},
    "EC": {"natural-person": 1, "other-country": 12},
    "MX": {"other-country": 14},
}


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize("code", sorted(JOINED))
def test_the_golden_copy_gives_leis_and_other_names_in_every_country(tmp_path: Path, code: str, form: str) -> None:
    """Its sole proprietors, those whom the register knows as persons, and names of persons stay out."""
    copy = golden_csv() if form == "csv" else golden_json()
    place(tmp_path / "in", REGISTRY[code], "gleif", **{f"20261119-gleif-goldencopy-lei2__{form}": copy})
    if code in REGISTERS:
        source, files = REGISTERS[code]
        place(tmp_path / "in", REGISTRY[code], source, **files)
    built, query = build(alone(code), tmp_path / "in", tmp_path)
    assert JOINED[code] == query(
        """SELECT identifier, legal_name, list_filter(aliases, lambda a: a.scheme = 'lei')[1].value,
                  list_sort([n.kind || ' ' || n.name FOR n IN names IF n.kind NOT IN ('ticker', 'byName')])
           FROM companies ORDER BY 1"""
    )
    assert built.manifest["sources"]["gleif"]["left_out"] == LEFT_OUT[code]


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize(
    ("code", "statuses"),
    [
        ("EC", [("1790010937001", None), ("1790016919001", "ACTIVE")]),
        ("US", [("254900JKDG51K23FBB29", "INACTIVE"), ("320193", "ACTIVE")]),
    ],
)
def test_that_an_entity_is_active_is_believed_while_its_registration_is_renewed(
    tmp_path: Path, code: str, statuses: list[tuple[str, str | None]], form: str
) -> None:
    copy = golden_csv() if form == "csv" else golden_json()
    place(tmp_path / "in", REGISTRY[code], "gleif", **{f"20261119-gleif-goldencopy-lei2__{form}": copy})
    source, files = REGISTERS[code]
    place(tmp_path / "in", REGISTRY[code], source, **files)
    _, query = build(alone(code), tmp_path / "in", tmp_path)
    assert query("SELECT identifier, status_raw FROM companies ORDER BY 1") == statuses


def test_of_the_months_in_an_argentine_zip_only_the_newest_counts(tmp_path: Path) -> None:
    def month(name: str) -> bytes:
        header = "cuit,razon_social,fecha_contrato_social,tipo_societario,dom_fiscal_provincia,dom_fiscal_localidad,"
        return (
            BOM
            + (
                f"{header}dom_legal_provincia,dom_legal_localidad\r\n"
                f"30711544581,{name},1992-08-10-00:00,SOCIEDAD ANONIMA,SALTA,SALTA,SALTA,SALTA"
            ).encode()
        )

    months = zipped(
        **{
            "registro-nacional-sociedades-202602__csv": month("NUEVA SA"),
            "registro-nacional-sociedades-202601__csv": month("VIEJA SA"),
        }
    )
    place(tmp_path / "in", REGISTRY["AR"], "rns", **{"registro-nacional-sociedades-2026__zip": months})
    built, query = build(alone("AR"), tmp_path / "in", tmp_path)
    assert query("SELECT legal_name, names FROM companies") == [("NUEVA SA", [])]
    assert built.manifest["sources"]["rns"]["rows"] == 1
