"""Recognition of the columns of a list: by headers in three languages, by cells, and as the caller says."""

from __future__ import annotations

import csv
import io
from textwrap import shorten

import pytest
from hypothesis import given
from hypothesis import strategies as st

from padron.countries import REGISTRY
from padron.errors import Invalid
from padron.lists import columns
from padron.lists.columns import MOST_COLUMNS, delimiter_of, recognise, row_end
from padron.lists.rows import ListRow
from padron.text import fold


@pytest.mark.parametrize(
    ("header", "fields"),
    [
        (["Proveedor", "RUC", "Ciudad", "Monto"], {"name": 0, "identifier": 1, "city": 2}),
        (["CNPJ", "Razão Social", "UF", "País"], {"identifier": 0, "name": 1, "region": 2, "country": 3}),
        (["companyName", "tax_id", "country_code"], {"name": 0, "identifier": 1, "country": 2}),
        (["Razón social", "Nombre anterior", "Forma jurídica"], {"name": 0, "former_name": 1, "legal_form": 2}),
        (["Nombre del proveedor", "NIT", "Ciudad"], {"name": 0, "identifier": 1, "city": 2}),
        (["Nombre comercial", "Razón social", "Dirección de la empresa"], {"name": 1}),
        (["Contact name", "Vendor legal name", "Vendor number"], {"name": 1}),
        (["Nombre del contacto", "NIT"], {"identifier": 1}),
        (["Código del país", "Número de la identificación", "Empresa"], {"country": 0, "identifier": 1, "name": 2}),
        (["Nombre", "Apellido", "Cédula", "Empresa"], {"name": 3}),
        (["Name", "Last name", "Company"], {"name": 2}),
        (["Nombre", "Apellido paterno", "Apellido materno", "Razón social"], {"name": 3}),
        (["Nombre", "Apellidos", "NIT"], {"name": 0, "identifier": 2}),
        (["Nombre", "Apellido paterno"], {"name": 0}),
        (["Nombre", "Apellidos y nombre del contacto", "Empresa"], {"name": 0}),
        (["LEI", "Activity"], {"identifier": 0, "activity": 1}),
        (["No. Proveedor", "Nombre comercial", "RFC", "Giro"], {"name": 1, "identifier": 2, "activity": 3}),
        (["#", "País", "Contratista (como aparece)", "Identificación"], {"country": 1, "name": 2, "identifier": 3}),
        (["Account Name *", "Billing City", "Billing State/Province"], {"name": 0, "city": 1, "region": 2}),
    ],
)
def test_headers_in_three_languages(header: list[str], fields: dict[str, int]) -> None:
    columns = recognise([header, ["x"] * len(header)], {}, REGISTRY)
    assert (columns.header, columns.at) == (tuple(header), fields)


@pytest.mark.parametrize(
    ("header", "field"),
    [
        *dict.fromkeys(
            (
                *("RUC / NIT / RFC", "NIT proveedor", "Nro. CUIT", "CUIT N°", "CNPJ/CPF", "CUIT/CUIL", "RFC proveedor"),
                *("Company Registration No", "Tax ID / EIN", "Tax Identification Number", "Vendor EIN", "RUC o cédula"),
                *("No. de identificación tributaria", "N.º de RUC", "CNPJ do fornecedor", "número de documento"),
                *("NIT sin DV", "NIT sin dígito de verificación", "NIT/RUT", "RUT"),
            ),
            "identifier",
        ).items(),
        *dict.fromkeys(
            (
                *("Supplier Country", "Country of Incorporation", "País / Country", "País del proveedor"),
                *("Pais de origen", "countryCode"),
            ),
            "country",
        ).items(),
        *dict.fromkeys(("Mpio.", "Municipio", "Alcaldía", "Ciudad / Depto.", "Municipio, UF"), "city").items(),
        *dict.fromkeys(("Depto.", "Dpto", "Pcia.", "Edo.", "Entidad federativa"), "region").items(),
        *dict.fromkeys(("CIIU", "CNAE", "SCIAN", "Código CIIU", "Giro comercial"), "activity").items(),
        *dict.fromkeys(
            (
                *("CPF", "DNI / Cédula", "Cédula del representante", "NIT del representante legal", "Vendor number"),
                *("Nro. de proveedor", "Dirección / RUC", "Customer ID", "Phone number", "Tax", "Company / contact"),
                *("Dirección del proveedor", "Ciudad / País", "N/A", ""),
            )
        ).items(),
    ],
)
def test_words_beside_the_name_of_a_field_make_no_difference(header: str, field: str | None) -> None:
    columns = recognise([["Razón social", header]], {}, REGISTRY)
    assert columns.at == {"name": 0} | ({field: 1} if field else {})


@pytest.mark.parametrize(
    ("rows", "fields"),
    [
        (["RUC|Nombre o razón social del contribuyente", "1790016919001|PRONACA"], {"identifier": 0, "name": 1}),
        (["CUIT|Apellido y nombre o denominación del vendedor", "30546689979|YPF"], {"identifier": 0, "name": 1}),
        (["RUC|Razón social / apellidos y nombres del proveedor", "1|x"], {"identifier": 0, "name": 1}),
        (["RUC_EMISOR|RAZON_SOCIAL_EMISOR|TOTAL", "1790016919001|x|5"], {"identifier": 0, "name": 1}),
        (["Nro. Doc. Emisor|Denominación Emisor", "30546689979|YPF"], {"identifier": 0, "name": 1}),
        (["Tercero|Nombre tercero|Saldo", "899999068|BAVARIA|10"], {"name": 1}),
        (["Vendor #|Vendor Name|City", "V100200|FedEx Corp|Memphis"], {"name": 1, "city": 2}),
        (["Vendor|Vendor Name", "V100200|FedEx Corp"], {"name": 1}),
        (["Supplier|Supplier Name", "S-01|Walmart", "S-02|Apple"], {"name": 1}),
        (["Proveedor|Nombre", "P001|Walmart", "P002|Apple"], {"name": 1}),
        (["Acreedor|Nombre 1|NIF", "100012|Terpel|830095213"], {"name": 1}),
        (["Cliente|Nombre del cliente|NIT", "345|Terpel|830095213"], {"name": 1, "identifier": 2}),
        (["Fornecedor|Razão Social", "000123|Petrobras"], {"name": 1}),
        (["Name 1|Tax Number 1|Ctry", "Walmart|71-0415188|US"], {"name": 0, "identifier": 1, "country": 2}),
        (["Customer account|Customer", "17|Apple"], {"name": 1}),
        (["Empresa|NIT", "|830095213"], {"name": 0, "identifier": 1}),
        (["Empresa|NIT", "17|830095213"], {"identifier": 1}),
        (["Company Name|Company ID", "FedEx Corp|100203"], {"name": 0}),
    ],
)
def test_headers_of_exports(rows: list[str], fields: dict[str, int]) -> None:
    columns = recognise([row.split("|") for row in rows], {}, REGISTRY)
    assert (columns.at, columns.rows_before, columns.more) == (fields, 1, ())


@pytest.mark.parametrize(
    ("header", "places"),
    [
        ("RFC Emisor|Nombre Emisor|RFC Receptor|Nombre Receptor", {"identifier": 0, "name": 1}),
        ("Receptor|RUC receptor|Emisor|RUC emisor", {"identifier": 3, "name": 2}),
    ],
)
def test_the_number_is_that_of_the_party_of_the_name(header: str, places: dict[str, int]) -> None:
    names, own = ["Ecopetrol", "Terpel", "Bavaria"], "Zumbawe"
    rows = [[own if "eceptor" in cell else name for cell in header.split("|")] for name in names]
    columns = recognise([header.split("|"), *rows], {}, REGISTRY)
    assert (columns.at, columns.more) == (places, ())


def test_a_row_of_words_above_numbers_is_a_header() -> None:
    rows = [["Clave fiscal", "Quien"], ["1790016919001", "Favorita"], ["1790010937001", "Pichincha"]]
    columns = recognise(rows, {}, REGISTRY)
    assert (columns.header, columns.at) == (("Clave fiscal", "Quien"), {"identifier": 0, "name": 1})
    assert recognise(rows[1:], {}, REGISTRY).header is None


def test_a_plain_header_goes_before_one_with_words_beside_it() -> None:
    assert recognise([["Empresa", "País del proveedor", "País"]], {}, REGISTRY).at == {"name": 0, "country": 2}


def test_the_first_of_two_columns_with_one_meaning_counts() -> None:
    assert recognise([["Empresa", "Cliente"]], {}, REGISTRY).at == {"name": 0}


@pytest.mark.parametrize(
    ("header", "place"),
    [(["Entidad", "RFC", "Razón social"], 2), (["Entidad", "Contratista"], 1), (["NIT", "Entidad"], 1)],
)
def test_a_state_or_who_buys_goes_behind_other_names(header: list[str], place: int) -> None:
    assert recognise([header, ["Jalisco", "Zumbawe", "Ecopetrol"]], {}, REGISTRY).at["name"] == place


def test_a_column_of_names_that_is_the_same_in_all_rows_is_whoever_keeps_the_list() -> None:
    header = ["Empresa", "Beneficiario", "Monto"]
    rows = [["Zumbawe S.A.", name, "1"] for name in ("Ecopetrol", "Petrobras", "Ecopetrol")]
    assert recognise([header, *rows], {}, REGISTRY).at == {"name": 1}
    assert recognise([header, *rows[:2]], {}, REGISTRY).at == {"name": 0}
    assert recognise([header, *[["Zumbawe", "Ecopetrol", ""]] * 3], {}, REGISTRY).at == {"name": 0}


def test_numbers_of_several_columns_stand_together_each_behind_its_scheme() -> None:
    columns = recognise([["Proveedor", "RUC", "NIT", "Tax ID"], ["a", "1", "2", "3"]], {}, REGISTRY)
    assert (columns.at, columns.more) == ({"name": 0, "identifier": 1}, (2, 3))
    assert columns.read == {"name": "Proveedor", "identifier": "RUC, NIT, Tax ID"}
    assert columns.row(["Ecopetrol", "", "899999068-1", ""]).identifier == "nit 899999068-1"
    assert columns.row(["Ecopetrol", "n/a", "NIT: 899999068-1", "7"]).identifier == "NIT: 899999068-1\n7"
    assert columns.row(["Ecopetrol"]).identifier == ""
    assert recognise([["Empresa", "RUC / NIT"], ["a", "1"]], {}, REGISTRY).schemes == {}


def test_a_check_digit_of_its_own_column_stands_behind_the_number() -> None:
    columns = recognise([["NIT", "DV", "Nombre tercero"], ["890900608", "9", "Éxito"]], {}, REGISTRY)
    assert (columns.read, columns.unread) == ({"identifier": "NIT, DV", "name": "Nombre tercero"}, [])
    for number, digit, read in (
        ("890.903.939", "5", "nit 890.903.939-5"),
        ("890903939-5", "5", "nit 890903939-5"),
        ("890903939", "", "nit 890903939"),
        ("890903939", "?", "nit 890903939"),
        ("", "5", ""),
    ):
        assert columns.row([number, digit, "Postobón"]).identifier == read


def test_names_beside_numbers_are_recognised_by_their_legal_forms() -> None:
    rows = [["Bogotá", "Ecopetrol S.A.", "899999068-1"], ["Quito", "Favorita", "1790016919001"]]
    assert recognise([["Lugar", "Aliado", "NIT"], *rows], {}, REGISTRY).at == {"identifier": 2, "name": 1}
    rows[0][1] = "Ecopetrol"
    assert recognise([["Lugar", "Aliado", "NIT"], *rows], {}, REGISTRY).at == {"identifier": 2}


def test_the_caller_may_say_how_many_rows_stand_above_the_header() -> None:
    rows = [["Empresa", "NIT"], ["Aliado", "Clave"], ["Ecopetrol S.A.", "899999068-1"]]
    columns = recognise(rows, {}, REGISTRY, 1)
    assert (columns.header, columns.at) == (("Aliado", "Clave"), {"identifier": 1, "name": 0})
    assert recognise(rows, {}, REGISTRY, -1).header is None


@pytest.mark.parametrize(
    ("lines", "sign"),
    [
        (["Proveedores, al 31 de marzo", "Empresa;NIT", "Ecopetrol;1"], ";"),
        (["Empresa;Monto", "Ecopetrol, S.A.;1.234,50", "YPF, S.A.;2,00"], ";"),
        (["Empresa,NIT", "Ecopetrol;Bogotá,1"], ","),
        (["Empresa", "Ecopetrol"], ""),
        ([], ""),
    ],
)
def test_the_delimiter_is_the_one_of_most_lines(lines: list[str], sign: str) -> None:
    assert delimiter_of(lines) == sign


ROWS = [
    ["7", "CORPORACION FAVORITA C.A.", "1790016919001", "active"],
    ["8", "ECOPETROL S.A.", "899.999.068-1", "active"],
    ["9", "PETROBRAS", "33.000.167/0001-01", "active"],
]


def test_cells_recognise_names_and_numbers_where_there_is_no_header() -> None:
    columns = recognise(ROWS, {}, REGISTRY)
    assert (columns.header, columns.at) == (None, {"identifier": 2, "name": 1})
    assert columns.row(ROWS[0]) == ListRow(name="CORPORACION FAVORITA C.A.", identifier="1790016919001")


def test_numbers_are_recognised_beside_a_known_header_of_names() -> None:
    columns = recognise([["No.", "Empresa", "Código", "Estatus"], *ROWS], {}, REGISTRY)
    assert columns.at == {"name": 1, "identifier": 2}


TITLES = [["Proveedores 2026", "", "", ""], ["", "", "", ""], ["Empresa:", "ACME", "", ""]]


@pytest.mark.parametrize("above", [TITLES[:1], TITLES[:2], TITLES, [["Proveedores", "2026-01-31"]]])
def test_rows_above_the_header_are_no_companies(above: list[list[str]]) -> None:
    columns = recognise([*above, ["No.", "Empresa", "NIT", "Estatus"], *ROWS], {}, REGISTRY)
    assert (columns.header, columns.at) == (("No.", "Empresa", "NIT", "Estatus"), {"name": 1, "identifier": 2})
    assert columns.above == tuple(map(tuple, above))
    assert (columns.width, columns.first_row) == (4, len(above) + 2)


def test_a_row_of_kinds_of_numbers_is_no_header() -> None:
    rows = [["Empresa", "", "", ""], ["Bavaria", "CO", "NIT", "Cliente"], ["Nutresa", "CO", "NIT", "Cliente"]]
    columns = recognise(rows, {}, REGISTRY)
    assert (columns.header, columns.at, columns.above) == (("Empresa", "", "", ""), {"name": 0}, ())


def test_a_header_below_others_may_be_the_callers() -> None:
    rows = [["Reporte", "", ""], ["Aliado", "Clave", "Lugar"], ["Ecopetrol", "1", "CO"]]
    columns = recognise(rows, {"name": "aliado", "country": "Lugar"}, REGISTRY)
    assert (columns.at, columns.above) == ({"name": 0, "country": 2}, (("Reporte", "", ""),))


@pytest.mark.parametrize(
    "rows",
    [
        [["Ecopetrol", "", ""], ["Cliente", "x", ""], ["Petrobras", "NIT", "CO"]],
        [["Ecopetrol", "", "", ""], ["Petrobras", "Cliente", "NIT", "899999068"]],
        [["Ecopetrol"], ["Empresa"]],
        [["Ecopetrol", "x", "y"], ["Empresa", "NIT", "País"]],
    ],
)
def test_a_row_of_a_list_without_headers_is_none_for_a_cell(rows: list[list[str]]) -> None:
    columns = recognise(rows, {}, REGISTRY)
    assert (columns.header, columns.above, columns.at) == (None, (), {"name": 0})


def test_what_the_caller_says_counts_first() -> None:
    rows = [["Empresa", "Grupo"], ["Ecopetrol", "Estado"]]
    assert recognise(rows, {"name": "grupo"}, REGISTRY).at == {"name": 1}
    assert recognise(ROWS, {"name": "4"}, REGISTRY).at == {"name": 3, "identifier": 2}


@pytest.mark.parametrize(
    ("rows", "chosen", "code"),
    [
        ([["Empresa"]], {"name": "Firma"}, "column-not-in-list"),
        ([["Empresa"]], {"city": "2"}, "column-not-in-list"),
        ([["1", "2"], ["3", "4"]], {}, "no-company-column"),
        ([], {}, "no-company-column"),
    ],
)
def test_columns_that_cannot_be_recognised_are_refused(
    rows: list[list[str]], chosen: dict[str, str], code: str
) -> None:
    with pytest.raises(Invalid) as caught:
        recognise(rows, chosen, REGISTRY)
    assert caught.value.code == code


def test_a_list_of_more_columns_than_anybody_has_is_refused() -> None:
    assert recognise([["name", *["x"] * (MOST_COLUMNS - 1)]], {}, REGISTRY).width == MOST_COLUMNS
    with pytest.raises(Invalid, match="too-many-columns"):
        recognise([["name", *["x"] * MOST_COLUMNS]], {}, REGISTRY)


def test_a_column_is_recognised_by_the_start_of_its_cells_and_keeps_all_of_its_header(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folded: list[str] = []
    monkeypatch.setattr(columns, "fold", lambda text: folded.append(text) or fold(text))
    long = '"' * 1_000_000
    made = recognise([["name", long], ["Petrobras", long]], {}, REGISTRY)
    assert made.unread == [long]
    assert max(map(len, folded)) <= columns._LOOKED_AT


def test_few_cells_of_a_wide_list_are_read_as_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(columns, "restored", lambda cell, _: read.append(cell) or cell)
    rows = [[str(10**12 + 200 * row + place) for place in range(200)] for row in range(200)]
    with pytest.raises(Invalid, match="no-company-column") as error:
        recognise(rows, {}, REGISTRY)
    assert len(read) <= columns._CELLS
    assert len(str(error.value.context["columns"])) <= columns._SHOWN


def test_a_header_longer_than_any_names_no_field(monkeypatch: pytest.MonkeyPatch) -> None:
    folded: list[str] = []
    monkeypatch.setattr(columns, "fold", lambda text: folded.append(text) or fold(text))
    assert recognise([["Empresa", "pais," * 25, " " * 100 + "NIT" + " " * 100]], {}, REGISTRY).at == {
        "name": 0,
        "identifier": 2,
    }
    assert folded.count("pais") < 25


def test_the_first_row_is_shown_without_reading_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(
        columns, "shorten", lambda text, *given, **more: read.append(text) or shorten(text, *given, **more)
    )
    for first in (["1  2", "3\n4"], ["1 " * 5_000] * 2, ["9" * 5_000]):
        with pytest.raises(Invalid, match="no-company-column") as error:
            recognise([first], {}, REGISTRY)
        assert error.value.context["columns"] == shorten(", ".join(first), columns._SHOWN, placeholder=" …")
    assert max(map(len, read)) <= columns._LOOKED_AT


def test_a_second_header_makes_no_titles_of_the_companies_above_it() -> None:
    rows = [
        ["Empresa", "Ciudad", ""],
        ["NIRSA S.A.", "Guayaquil", ""],
        ["Empresa", "Ciudad", "RUC"],
        ["La Fabril", "", ""],
    ]
    columns = recognise(rows, {}, REGISTRY)
    assert (columns.header, columns.above) == (("Empresa", "Ciudad", ""), ())


def test_cells_below_a_header_are_not_folded_for_each_row_that_may_be_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten rows may be the header, each a cell wider; a cell of each stands again in the last row of all."""
    folded: list[str] = []
    monkeypatch.setattr(columns, "fold", lambda text: folded.append(text) or fold(text))

    def folds(below: int) -> int:
        folded.clear()
        above = [["Empresa", "NIT", *[f"{row} {at}" for at in range(50 + row)]] for row in range(10)]
        rows = [["Lista"], *above, *[[f"x{row} {at}" for at in range(62)] for row in range(below)], ["Empresa"] * 62]
        with pytest.raises(Invalid, match="no-company-column"):
            recognise(rows, {}, REGISTRY)
        return len(folded)

    assert folds(100) == folds(10)


@given(st.text(alphabet='a",; \n', max_size=40))
def test_a_row_ends_where_the_csv_module_ends_it(text: str) -> None:
    try:
        rows, fault = list(csv.reader(io.StringIO(text + "\n", newline=""), strict=True)), ""
    except csv.Error as error:
        rows, fault = [], str(error)
    if fault not in {"", "unexpected end of data"}:  # the text is no CSV
        return
    given = (text + "\n").encode()
    start, is_open, chunks = 0, False, list[str]()
    while start < len(given):
        end, is_open = row_end(given, start, ",")
        chunks.append(given[start:end].decode())
        start = end
    assert is_open is bool(fault)
    if not is_open:
        assert [next(csv.reader(io.StringIO(row, newline=""), strict=True)) for row in chunks] == rows


@given(st.text(alphabet='a",;\n', max_size=40), st.sampled_from(["", ",", ";"]))
def test_a_row_that_comes_line_by_line_ends_at_the_same_place(text: str, delimiter: str) -> None:
    given = (text + "\n").encode()
    start, is_open, ends = 0, False, list[int]()
    while start < len(given):
        line_end = given.index(b"\n", start) + 1
        start, is_open = row_end(given[:line_end], start, delimiter, is_open=is_open)
        ends += [] if is_open else [start]
    at_once, start, is_open = list[int](), 0, False
    while start < len(given):
        start, is_open = row_end(given, start, delimiter)
        at_once += [] if is_open else [start]
    assert at_once == ends
