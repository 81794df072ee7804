"""Lists in files: every format in and out, faults with their row, and runs that were killed."""

from __future__ import annotations

import codecs
import csv
import errno
import json
import os
import subprocess
import sys
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
import xlsxwriter
from python_calamine import CalamineWorkbook

from padron.directory import Directory
from padron.errors import Invalid, Unavailable, messages
from padron.index import process_pool
from padron.ingest.workbook import cell_text
from padron.list_files import formats, job
from padron.list_files.duplicates import find_duplicates
from padron.list_files.job import BATCH, ListTask, Summary, match_file
from padron.lists import faults
from padron.lists.added_columns import ADDED
from padron.lists.rows import ListRow, RowMatch
from padron.words import Language

HEADER = ["Empresa", "RUC", "Nota"]
ROWS = [
    ["Corporación Favorita", "1790016919001", 'la "grande"'],
    ["Ecopetrol", "", "línea\npartida"],
    ["Ecopetrol S.A.", "1790016919001", ""],
    ["qwertz", "", "=1+1"],
]
VERDICTS = ["found", "found", "possible", "not_found"]


def task(source: Path, target: Path, data: Path, **more: object) -> ListTask:
    """A task as the command line makes it."""
    plain = ListTask(
        source, target, source.suffix.lstrip("."), target.suffix.lstrip("."), None, {}, data, language="en"
    )
    return plain._replace(**more)


def matched(source: Path, target: Path, data: Path, **more: object) -> Summary:
    return match_file(task(source, target, data, **more), lambda done, total: None)


def as_csv(path: Path, rows: list[list[str]], encoding: str = "utf-8", delimiter: str = ",") -> Path:
    with path.open("w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    return path


def cells(path: Path, encoding: str = "utf-8", delimiter: str = ",") -> list[list[str]]:
    with path.open(encoding=encoding, newline="") as file:
        return list(csv.reader(file, delimiter=delimiter))


def texts(path: Path) -> list[list[str]]:
    """The rows of a copy of a list."""
    return [list(map(cell_text, row)) for row in formats.read_copy(path)]


def output(rows: list[list[str]]) -> formats.Output:
    """A list as an output that adds one column."""
    return formats.Output((), rows[0], ["added"], frozenset(), ((at, row, [""]) for at, row in enumerate(rows[1:])))


def test_a_damaged_byte_garbles_no_other_cell(tmp_path: Path) -> None:
    content = "Empresa,RUC\nPETRÓLEO ÑANDÚ,1\nPE?A,2\n".encode().replace(b"?", b"\xd1")
    (tmp_path / "in.csv").write_bytes(content)
    assert formats.copy(tmp_path / "in.csv", "csv", tmp_path / "copy", None)[:2] == (3, 0)
    assert texts(tmp_path / "copy") == [["Empresa", "RUC"], ["PETRÓLEO ÑANDÚ", "1"], ["PE\ufffdA", "2"]]


def test_a_cell_may_be_long(tmp_path: Path) -> None:
    for name, rest in (("in.ndjson", '{"Empresa": "%s"}\n'), ("in.csv", 'Empresa\n"%s"\n')):
        (tmp_path / name).write_text(rest % ("a" * 200_000))
        formats.copy(tmp_path / name, name[3:], tmp_path / "copy", None)
        assert texts(tmp_path / "copy") == [["Empresa"], ["a" * 200_000]]
        (tmp_path / name).write_text(rest % ("a" * (faults.LONGEST_CELL + 1)))
        with pytest.raises(Invalid, match="bad-list") as refused:
            formats.copy(tmp_path / name, name[3:], tmp_path / "copy", None)
        assert messages.detail(refused.value, "en").startswith("Row 2 ")


@pytest.mark.parametrize(
    ("encoding", "delimiter"), [("utf-8", ","), ("utf-8-sig", ";"), ("cp1252", ";"), ("utf-16", "\t"), ("utf-8", "|")]
)
def test_csv_of_any_encoding_and_delimiter(small_data: Path, tmp_path: Path, encoding: str, delimiter: str) -> None:
    source = as_csv(tmp_path / "in.csv", [HEADER, *ROWS], encoding, delimiter)
    summary = matched(source, tmp_path / "out.csv", small_data)
    header, *rows = cells(tmp_path / "out.csv", encoding, delimiter)
    assert header == [*HEADER, *ADDED]
    assert [row[:3] for row in rows] == ROWS
    assert [row[3] for row in rows] == VERDICTS
    assert rows[0][4:9] == ["1.0000", "EC", "ec-ruc", "1790016919001", "CORPORACION FAVORITA C.A."]
    assert summary.columns == {"name": "Empresa", "identifier": "RUC"}
    assert (summary.rows, summary.conflicts, summary.companies) == (4, 1, 2)
    assert cells(tmp_path / "out.review.csv", encoding, delimiter)[1:] == rows[2:]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "out.csv", "out.review.csv"]


def test_a_letter_that_the_encoding_of_the_list_lacks_makes_the_output_utf_8(small_data: Path, tmp_path: Path) -> None:
    source = as_csv(tmp_path / "in.csv", [["Compañía", "Nota"], ["Ecopetrol", "a"]], "cp1252", ";")
    (tmp_path / "in.csv").write_bytes(source.read_bytes())
    copied = formats.copy(source, "csv", tmp_path / "copy", None)
    assert copied.form == formats.Form(";", is_stated=False, encoding="cp1252", line_end="\r\n")
    formats.write(output([["Compañía"], ["Škoda"], ["Bogotá"]]), tmp_path / "out.csv", "csv", copied.form)
    assert cells(tmp_path / "out.csv", "cp1252", ";") == [["Compañía", "added"], ["Škoda", ""], ["Bogotá", ""]]
    formats.write(output([["Compañía"], ["Łódź"]]), tmp_path / "more.csv", "csv", copied.form)
    assert cells(tmp_path / "more.csv", "utf-8-sig", ";") == [["Compañía", "added"], ["Łódź", ""]]
    assert (tmp_path / "more.csv").read_bytes().startswith(codecs.BOM_UTF8)


def test_workbooks(small_data: Path, tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "in.xlsx") as book:
        sheet = book.add_worksheet()
        for at, row in enumerate([HEADER, *ROWS]):
            for place, cell in enumerate(row):
                sheet.write_string(at, place, cell)
        sheet.write_number(1, 1, 1790016919001)
    matched(tmp_path / "in.xlsx", tmp_path / "out.xlsx", small_data)
    header, *rows = CalamineWorkbook.from_path(tmp_path / "out.xlsx").get_sheet_by_index(0).to_python()
    assert header == [*HEADER, *ADDED]
    assert rows[0][1] == 1790016919001
    rows[0][1] = "1790016919001"
    assert [row[:3] for row in rows] == ROWS
    assert [row[3] for row in rows] == VERDICTS
    assert [row[4] for row in rows] == [1.0, 0.9991, 0.6, ""]


def kept_sheet(folder: Path) -> Path:
    """A workbook as people keep lists: a cover, a hidden sheet of codes, and the list, with numbers and days."""
    with xlsxwriter.Workbook(folder / "in.xlsx") as book:
        cover, codes, sheet = (book.add_worksheet(name) for name in ("Portada", "Códigos", "Proveedores"))
        cover.write_string(0, 0, "Proveedores de 2026")
        cover.write_string(2, 1, "Preparado por: compras")
        codes.hide()
        for at, row in enumerate([["Empresa", "RUC", "Ciudad", "País", "Actividad"], ["a", "b", "c", "d", "e"]]):
            codes.write_row(at, 0, row)
        sheet.write_row(0, 0, ["Lista de proveedores"])
        sheet.write_row(2, 0, ["Empresa", "RUC", "Saldo", "Activo", "Desde"])
        sheet.write_row(3, 0, ["Corporación Favorita", 1790016919001, 12.5, True])
        sheet.write_datetime(3, 4, datetime(2026, 1, 31), book.add_format({"num_format": "dd/mm/yyyy"}))  # noqa: DTZ001
        sheet.write_datetime(4, 4, datetime(2026, 1, 31, 8, 30), book.add_format({"num_format": "dd/mm/yyyy hh:mm"}))  # noqa: DTZ001
        sheet.write_row(4, 0, ["Ecopetrol", "0012", -3])
    return folder / "in.xlsx"


def test_the_sheet_with_the_list_keeps_its_name_and_the_types_of_its_cells(small_data: Path, tmp_path: Path) -> None:
    summary = matched(kept_sheet(tmp_path), tmp_path / "out.xlsx", small_data)
    assert (summary.sheet, summary.header_row, summary.rows) == ("Proveedores", 3, 2)
    assert (summary.columns, summary.unread) == ({"name": "Empresa", "identifier": "RUC"}, ["Saldo", "Activo", "Desde"])
    book = CalamineWorkbook.from_path(tmp_path / "out.xlsx")
    assert book.sheet_names == ["Proveedores"]
    title, _, header, first, second = book.get_sheet_by_index(0).to_python()
    assert (title[0], header[:5]) == ("Lista de proveedores", ["Empresa", "RUC", "Saldo", "Activo", "Desde"])
    assert first[:7] == ["Corporación Favorita", 1790016919001, 12.5, True, date(2026, 1, 31), "found", 1.0]
    assert second[:6] == ["Ecopetrol", "0012", -3, "", datetime(2026, 1, 31, 8, 30), "found"]  # noqa: DTZ001


def test_what_no_workbook_can_hold_is_text_there(small_data: Path, tmp_path: Path) -> None:
    duckdb.sql(
        "SELECT 'Ecopetrol' AS empresa, DATE '1850-01-31' AS desde, TIMESTAMPTZ '2026-01-31 08:00:00+00' AS al,"
        " 'nan'::DOUBLE AS saldo, TIME '08:30:00' AS hora, 12345678901234::BIGINT AS cuenta, 'x' AS padron_confidence"
    ).write_parquet(str(tmp_path / "in.parquet"))
    matched(tmp_path / "in.parquet", tmp_path / "out.xlsx", small_data)
    _, row = CalamineWorkbook.from_path(tmp_path / "out.xlsx").get_sheet_by_index(0).to_python()
    assert (row[1], str(row[2])[:10], row[3:7]) == ("1850-01-31", "2026-01-31", ["", "08:30:00", 12345678901234, "x"])
    matched(tmp_path / "in.parquet", tmp_path / "out.parquet", small_data)
    table = duckdb.read_parquet(str(tmp_path / "out.parquet"))
    types = dict(zip(table.columns, map(str, table.types), strict=True))
    assert (types["desde"], types["saldo"], types["padron_confidence_2"]) == ("DATE", "DOUBLE", "DOUBLE")


def test_a_sheet_of_a_chart_is_no_list(small_data: Path, tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "in.xlsx") as book:
        chart = book.add_chart({"type": "bar"})
        book.add_chartsheet("Gráfico").set_chart(chart)
        book.add_worksheet("Lista").write_column(0, 0, ["Empresa", "Ecopetrol"])
        chart.add_series({"values": "=Lista!$A$1:$A$2"})
    summary = matched(tmp_path / "in.xlsx", tmp_path / "out.xlsx", small_data)
    assert (summary.sheet, summary.verdicts["found"]) == ("Lista", 1)


def test_a_header_row_may_be_far_below(small_data: Path, tmp_path: Path) -> None:
    rows = [["nota", str(at)] for at in range(300)]
    source = as_csv(tmp_path / "in.csv", [*rows, ["Empresa", "NIT"], ["Ecopetrol", "899999068-1"]])
    summary = matched(source, tmp_path / "out.csv", small_data, header_row=301)
    assert (summary.rows, summary.columns) == (1, {"name": "Empresa", "identifier": "NIT"})


def test_the_caller_may_say_the_sheet_and_the_header_row(small_data: Path, tmp_path: Path) -> None:
    source = kept_sheet(tmp_path)
    summary = matched(source, tmp_path / "out.csv", small_data, sheet="Códigos")
    assert (summary.sheet, summary.rows) == ("Códigos", 1)
    with pytest.raises(Invalid) as refused:
        matched(source, tmp_path / "out.csv", small_data, sheet="Clientes")
    assert messages.detail(refused.value, "es") == (
        "in.xlsx no tiene una hoja «Clientes». Sus hojas son: Portada, Códigos, Proveedores."
    )
    rows = [["", ""], ["Empresa", "RUC"], ["Aliado", "Clave"], ["Ecopetrol S.A.", ""], ["Favorita", "1790016919001"]]
    source = as_csv(tmp_path / "in.csv", rows)
    summary = matched(source, tmp_path / "out.csv", small_data, header_row=3)
    assert (summary.header_row, summary.rows, summary.columns) == (3, 2, {"identifier": "Clave", "name": "Aliado"})
    assert [row[2] for row in cells(tmp_path / "out.csv")[2:]] == ["found", "found"]
    summary = matched(source, tmp_path / "out.csv", small_data, header_row=0)
    assert (summary.header_row, summary.rows) == (0, 4)
    assert cells(tmp_path / "out.csv")[0][:2] == ["1", "2"]
    for row in (1, 6):
        with pytest.raises(Invalid, match="bad-header-row"):
            matched(source, tmp_path / "out.csv", small_data, header_row=row)
    assert not (tmp_path / "out.csv.work").exists()


def test_parquet(small_data: Path, tmp_path: Path) -> None:
    as_csv(tmp_path / "in.csv", [HEADER, *ROWS])
    duckdb.read_csv(str(tmp_path / "in.csv"), all_varchar=True).write_parquet(str(tmp_path / "in.parquet"))
    matched(tmp_path / "in.parquet", tmp_path / "out.parquet", small_data)
    rows = duckdb.read_parquet(str(tmp_path / "out.parquet")).fetchall()
    assert [[cell or "" for cell in row[:3]] for row in rows] == ROWS
    assert [row[3] for row in rows] == VERDICTS
    assert [row[4] for row in rows] == [1.0, 0.9991, 0.6, None]


def test_a_parquet_file_keeps_the_types_of_its_columns(small_data: Path, tmp_path: Path) -> None:
    duckdb.sql(
        "SELECT * FROM (VALUES ('Ecopetrol', 12.50::DECIMAL(9, 2), DATE '2026-01-31', [1, 2]),"
        " ('qwertz', NULL, NULL, []), ('', 1, DATE '2026-02-01', NULL), ('Petrobras', -1, NULL, NULL))"
        ' AS v("Empresa", saldo, desde, lista)'
    ).write_parquet(str(tmp_path / "in.parquet"))
    matched(tmp_path / "in.parquet", tmp_path / "out.parquet", small_data)
    table = duckdb.read_parquet(str(tmp_path / "out.parquet"))
    assert list(map(str, table.types))[:6] == ["VARCHAR", "DECIMAL(12,2)", "DATE", "INTEGER[]", "VARCHAR", "DOUBLE"]
    assert [(row[0], row[1], row[2], row[3], row[4]) for row in table.fetchall()] == [
        ("Ecopetrol", Decimal("12.50"), date(2026, 1, 31), [1, 2], "found"),
        ("qwertz", None, None, [], "not_found"),
        ("", Decimal("1.00"), date(2026, 2, 1), None, "invalid_input"),
        ("Petrobras", Decimal("-1.00"), None, None, "found"),
    ]
    review = duckdb.read_parquet(str(tmp_path / "out.review.parquet"))
    assert [(row[0], row[1]) for row in review.fetchall()] == [("qwertz", None), ("", Decimal("1.00"))]
    assert str(review.types[1]) == "DECIMAL(12,2)"


def test_ndjson(small_data: Path, tmp_path: Path) -> None:
    objects = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
    del objects[1]["Nota"]
    lines = "".join(json.dumps(row) + "\n" for row in objects)
    (tmp_path / "in.ndjson").write_text(lines, encoding="utf-8")
    matched(tmp_path / "in.ndjson", tmp_path / "out.ndjson", small_data)
    answers = [json.loads(line) for line in (tmp_path / "out.ndjson").read_text(encoding="utf-8").splitlines()]
    assert [answer["padron_verdict"] for answer in answers] == VERDICTS
    assert list(answers[0]) == [*HEADER, *ADDED]
    assert [answer["padron_confidence"] for answer in answers] == [1.0, 0.9991, 0.6, None]


def test_objects_keep_the_types_of_their_members(small_data: Path, tmp_path: Path) -> None:
    rows = [
        {"name": "Ecopetrol", "id": 12, "saldo": 1.5, "activo": True, "nota": None},
        {"name": "qwertz", "id": 2**70, "saldo": 3.0, "activo": False, "nota": "x"},
    ]
    (tmp_path / "in.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    matched(tmp_path / "in.ndjson", tmp_path / "out.ndjson", small_data)
    answers = [json.loads(line) for line in (tmp_path / "out.ndjson").read_text(encoding="utf-8").splitlines()]
    rows[1]["id"] = str(2**70)  # which hardly a reader of JSON takes for the number that it is
    assert [{name: answer[name] for name in rows[0]} for answer in answers] == rows


def test_objects_need_not_have_the_same_members(small_data: Path, tmp_path: Path) -> None:
    lines = '{"Empresa": "Ecopetrol S.A."}\n{}\n{"Nota": null, "NIT": 899999068}\n'
    (tmp_path / "in.ndjson").write_text(lines, encoding="utf-8")
    matched(tmp_path / "in.ndjson", tmp_path / "out.ndjson", small_data)
    answers = [json.loads(line) for line in (tmp_path / "out.ndjson").read_text(encoding="utf-8").splitlines()]
    assert [answer["padron_verdict"] for answer in answers] == ["found", "invalid_input", "found"]
    assert list(answers[0]) == ["Empresa", "Nota", "NIT", *ADDED]


def test_blank_rows_keep_their_places(small_data: Path, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("\nEmpresa,Nota\nEcopetrol S.A.,\n,\n\nPetrobras,x\n,\n\n", encoding="utf-8")
    summary = matched(tmp_path / "in.csv", tmp_path / "out.csv", small_data)
    assert summary.rows == 4
    rows = cells(tmp_path / "out.csv")
    assert [row[0] for row in rows] == ["Empresa", "Ecopetrol S.A.", "", "", "Petrobras"]
    assert [row[2] for row in rows[1:]] == ["found", "invalid_input", "invalid_input", "found"]


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_rows_above_the_header_stand_above_it_in_the_output(small_data: Path, tmp_path: Path, ending: str) -> None:
    titles = [["Proveedores 2026", "", ""], ["", "", ""], ["Al 31 de enero", "", ""]]
    table = [["Empresa", "NIT", "Nota"], ["Ecopetrol S.A.", "1790016919001", "x"], ["Petrobras", "", "y"]]
    source = as_csv(tmp_path / "in.csv", [*titles, *table])
    target = tmp_path / f"out.{ending}"
    summary = matched(source, target, small_data)
    assert (summary.rows, summary.conflicts, summary.columns) == (2, 1, {"name": "Empresa", "identifier": "NIT"})
    formats.copy(target, ending, tmp_path / "copy", None)
    read = texts(tmp_path / "copy")
    assert [row[:3] for row in read] == titles + table
    assert read[3][3:] == list(ADDED)
    assert [row[3] for row in read[4:]] == ["possible", "found"]


def test_rows_above_the_header_count_where_rows_are_told_by_number(small_data: Path, tmp_path: Path) -> None:
    rows = [["Proveedores"], ["Empresa", "NIT"], ["Ecopetrol", ""], ["Petrobras", "x", "3"], ["ECOPETROL", ""]]
    source = as_csv(tmp_path / "in.csv", rows)
    find_duplicates(task(source, tmp_path / "groups.csv", small_data), lambda done, total: None)
    groups = cells(tmp_path / "groups.csv")
    assert groups[0] == ["Proveedores"]
    assert [row[2] for row in groups[2:]] == ["3", "4", "3"]
    assert groups[3][4].startswith("Row 4 of the file has 3 cells, the list 2 columns")
    find_duplicates(task(source, tmp_path / "groups.ndjson", small_data), lambda done, total: None)
    lines = (tmp_path / "groups.ndjson").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["padron_group"] for line in lines] == ["2", "3", "2"]


def test_a_first_line_may_state_the_delimiter(small_data: Path, tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("sep=;\nEmpresa;Nota, larga\nEcopetrol S.A.;a,b,c\n", encoding="utf-8")
    matched(source, tmp_path / "out.csv", small_data)
    stated, *rows = cells(tmp_path / "out.csv", delimiter=";")
    assert stated == ["sep=", ""]
    assert [row[:2] for row in rows] == [["Empresa", "Nota, larga"], ["Ecopetrol S.A.", "a,b,c"]]
    assert rows[1][2] == "found"


@pytest.mark.parametrize("title", ["Proveedores", "Proveedores, al 31 de marzo, de todas las sedes", 'Lista "A", 1'])
def test_the_delimiter_is_that_of_most_lines(small_data: Path, tmp_path: Path, title: str) -> None:
    source = tmp_path / "in.csv"
    source.write_text(f"{title}\n\nEmpresa;NIT\nEcopetrol, S.A.;899999068-1\nYPF;\n", encoding="utf-8")
    matched(source, tmp_path / "out.csv", small_data)
    rows = cells(tmp_path / "out.csv", delimiter=";")
    assert rows[-2][:3] == ["Ecopetrol, S.A.", "899999068-1", "found"]


def test_a_list_that_was_matched_before_keeps_its_columns(small_data: Path, tmp_path: Path) -> None:
    matched(as_csv(tmp_path / "a.csv", [HEADER, *ROWS]), tmp_path / "b.csv", small_data)
    matched(tmp_path / "b.csv", tmp_path / "c.csv", small_data)
    assert cells(tmp_path / "c.csv")[0] == [*HEADER, *ADDED, *(f"{name}_2" for name in ADDED)]


@pytest.mark.parametrize(
    ("name", "content", "row"),
    [
        ("in.csv", b'Empresa,RUC\na,1\n"b,2\n', 3),
        ("in.csv", b'Empresa,RUC\na,1\n,\n\n"b,2\n', 5),
        ("in.csv", b'\n \n,\nEmpresa,RUC\na,1\n"b,2\n', 6),
        ("in.csv", "Empresa\na\n".encode("utf-16") + b"\x00\xdcb\x00\n\x00", 3),
        ("in.ndjson", b'{"Empresa": "a"}\n\n{"Empresa": "b\xff"}\n', 3),
        ("in.ndjson", b'{"Empresa": "a"}\n{"Empresa": "\\ud800"}\n', 2),
        ("in.ndjson", b'{"Empresa": "a"}\nnothing\n', 2),
        ("in.ndjson", b'{"Empresa": "a"}\n\n[1]\n', 3),
        ("in.ndjson", b'{"Empresa": ["a"]}\n', 1),
    ],
)
def test_a_fault_names_its_row_and_nothing_is_written(
    small_data: Path, tmp_path: Path, name: str, content: bytes, row: int
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(Invalid) as caught:
        matched(tmp_path / name, tmp_path / "out.csv", small_data)
    assert (caught.value.code, caught.value.context["row"]) == ("bad-list", row)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("in.csv", b'Empresa\na\n"b\n', "unas comillas abren una celda y no se cierran; ciérrelas o quítelas"),
        (
            "in.csv",
            b'Empresa\n"a"b\n',
            "hay texto tras unas comillas de cierre; escriba dobles las comillas de una celda",
        ),
        ("in.ndjson", b"nada\n", "no es JSON; escriba un objeto por línea"),
        ("in.ndjson", b"[1]\n", 'no es un objeto de JSON, como {"name": "…"}'),
        ("in.ndjson", b'{"a": []}\n', "el miembro «a» contiene una lista o un objeto; escriba un texto"),
        (
            "in.ndjson",
            b'{"a": "\xff"}\n',
            "su texto está dañado o en otra codificación; guarde la lista de nuevo en UTF-8",
        ),
    ],
)
def test_a_fault_is_told_in_the_readers_words(
    small_data: Path, tmp_path: Path, name: str, content: bytes, sentence: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(Invalid) as caught:
        matched(tmp_path / name, tmp_path / "out.csv", small_data)
    row = caught.value.context["row"]
    assert messages.detail(caught.value, "es") == f"La fila {row} de la lista no se puede leer: {sentence}."


def test_a_disk_that_fails_is_told_without_the_words_of_the_system(
    small_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_file: object) -> str:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(formats, "detect_encoding", failing)
    with pytest.raises(Invalid) as caught:
        matched(as_csv(tmp_path / "in.csv", [HEADER, *ROWS]), tmp_path / "out.csv", small_data)
    assert "no se puede leer (EIO); revise su disco" in messages.detail(caught.value, "es")


@pytest.mark.parametrize("ending", ["xlsx", "parquet"])
@pytest.mark.parametrize("is_cut", [True, False])
def test_a_file_that_is_cut_is_called_damaged(small_data: Path, tmp_path: Path, ending: str, *, is_cut: bool) -> None:
    list_file = tmp_path / f"in.{ending}"
    formats.write(output([HEADER, *ROWS]), list_file, ending, formats.Form())
    whole = list_file.read_bytes()
    list_file.write_bytes(whole[: len(whole) // 2] if is_cut else b"another file")
    with pytest.raises(Invalid) as caught:
        matched(list_file, tmp_path / "out.csv", small_data)
    assert (caught.value.code, caught.value.context) == ("damaged-list", {"file": list_file.name, "format": ending})
    assert [path.name for path in tmp_path.iterdir()] == [list_file.name]


def test_a_row_with_a_cell_too_many_is_told_and_the_others_are_answered(small_data: Path, tmp_path: Path) -> None:
    rows = [["Empresa", "RUC"], ["Ecopetrol S.A.", ""], ["Petrobras", "x", "3"], ["Corporación Favorita", "", ""]]
    summary = matched(as_csv(tmp_path / "in.csv", rows), tmp_path / "out.csv", small_data)
    assert (summary.rows, summary.verdicts["found"], summary.verdicts["invalid_input"]) == (3, 2, 1)
    reason = (
        "Row 3 of the file has 3 cells, the list 2 columns; behind the last one stands: 3. Quote a cell that holds the "
        "separator."
    )
    header, *answers = cells(tmp_path / "out.csv")
    assert [answer[2] for answer in answers] == ["found", "invalid_input", "found"]
    assert answers[1][:2] == ["Petrobras", "x"]
    assert answers[1][header.index("padron_reason")] == reason
    assert len(cells(tmp_path / "out.review.csv")) == 2
    find_duplicates(task(tmp_path / "in.csv", tmp_path / "groups.csv", small_data), lambda done, total: None)
    assert cells(tmp_path / "groups.csv")[2] == ["Petrobras", "x", "3", "1", reason]


def test_a_row_is_told_by_its_number_in_the_file_and_a_group_by_that_in_the_output(
    small_data: Path, tmp_path: Path
) -> None:
    rows = [
        ["", ""],
        ["", ""],
        ["Empresa", "RUC"],
        ["", ""],
        ["Ecopetrol", ""],
        ["Petrobras", "x", "3"],
        ["ECOPETROL", ""],
    ]
    source = as_csv(tmp_path / "in.csv", rows)
    matched(source, tmp_path / "out.csv", small_data)
    header, *answers = cells(tmp_path / "out.csv")
    assert answers[2][header.index("padron_reason")].startswith("Row 6 of the file has 3 cells")
    find_duplicates(task(source, tmp_path / "groups.csv", small_data), lambda done, total: None)
    groups = cells(tmp_path / "groups.csv")
    assert [row[2] for row in groups[1:]] == ["2", "3", "4", "3"]
    assert groups[3][4].startswith("Row 6 of the file has 3 cells")


def test_a_list_is_matched_by_one_process_at_a_time(small_data: Path, tmp_path: Path) -> None:
    source = as_csv(tmp_path / "in.csv", [HEADER, *ROWS])
    second: list[str] = []

    def again(done: int, total: int) -> None:
        with pytest.raises(Unavailable) as caught:
            matched(source, tmp_path / "out.csv", small_data)
        second.append(caught.value.code)

    match_file(task(source, tmp_path / "out.csv", small_data), again)
    assert second == ["list-in-progress"] * 2


def test_an_unknown_ending_and_too_many_rows_for_a_workbook_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Invalid, match="unknown-format"):
        formats.format_of(Path("list.doc"), None, formats.READ)
    monkeypatch.setattr(formats, "_XLSX_ROWS", 2)
    with pytest.raises(Invalid, match="workbook-full"):
        formats.write(output([["a"], ["b"], ["c"]]), tmp_path / "out.xlsx", "xlsx", formats.Form())


LONG = [HEADER, *([f"Ecopetrol {at}", "", str(at)] for at in range(3 * BATCH))]


def test_a_run_goes_on_behind_the_last_whole_line(
    small_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = as_csv(tmp_path / "in.csv", LONG)
    matched(source, tmp_path / "whole.csv", small_data)
    batches: list[bytes] = []
    answer = job.match_batch

    def killed(batch: bytes) -> bytes:
        batches.append(batch)
        if len(batches) == 3:
            raise Unavailable("build-process-lost", status=-9)
        return answer(batch)

    monkeypatch.setattr(job, "match_batch", killed)
    with pytest.raises(Unavailable):
        matched(source, tmp_path / "out.csv", small_data)
    results = tmp_path / "out.csv.work" / "results.jsonl"
    assert results.read_bytes().count(b"\n") == 2 * BATCH
    results.write_bytes(results.read_bytes()[:-10])
    batches.clear()
    monkeypatch.setattr(job, "match_batch", lambda batch: batches.append(batch) or answer(batch))
    matched(source, tmp_path / "out.csv", small_data)
    assert len(batches) == 2
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_another_list_or_language_begins_anew(small_data: Path, tmp_path: Path) -> None:
    source = as_csv(tmp_path / "in.csv", [HEADER, *ROWS])
    work = tmp_path / "out.csv.work"
    work.mkdir()
    (work / "about.json").write_text("[]")
    (work / "results.jsonl").write_bytes(b"{}\n{}\n{}\n{}\n")
    matched(source, tmp_path / "out.csv", small_data)
    assert [row[3] for row in cells(tmp_path / "out.csv")[1:]] == VERDICTS


def test_equal_rows_are_matched_once_and_few_results_are_kept(
    small_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    match = Directory.match

    async def counted(directory: Directory, row: ListRow, language: Language) -> RowMatch:
        asked.append(row.name)
        return await match(directory, row, language)

    monkeypatch.setattr(Directory, "match", counted)
    monkeypatch.setattr(job, "_KEPT", 2)
    job._kept.cache_clear()
    names = ["Ecopetrol", "Corporación Favorita"] * BATCH + ["qwertz", "Corporación Favorita", "Ecopetrol"]
    source = as_csv(tmp_path / "in.csv", [HEADER, *[[name, "", ""] for name in names]])
    summary = matched(source, tmp_path / "out.csv", small_data)
    assert asked == ["Ecopetrol", "Corporación Favorita", "qwertz", "Ecopetrol"], "the first result goes first"
    assert (summary.rows, summary.verdicts["found"], summary.companies) == (2 * BATCH + 3, 2 * BATCH + 2, 2)
    assert [row[0] for row in cells(tmp_path / "out.review.csv")] == ["Empresa", "qwertz"]


def test_many_rows_go_to_other_processes_and_keep_their_order(
    small_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "BATCH", 2)
    pooled: list[int] = []
    apply = process_pool.apply
    monkeypatch.setattr(
        process_pool, "apply", lambda work, batches, count: pooled.append(count) or apply(work, batches, count)
    )
    source = as_csv(tmp_path / "in.csv", [HEADER, *ROWS * 5])
    matched(source, tmp_path / "out.csv", small_data)
    assert [row[:4] for row in cells(tmp_path / "out.csv")[1:]] == [
        [*row, verdict] for row, verdict in zip(ROWS, VERDICTS, strict=True)
    ] * 5
    assert len(pooled) == 1


def test_the_command_reads_and_writes_pipes(small_data: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "padron.cli.app", "match", "-", "-o", "-", "--json", "--data", str(small_data)],
        input="Proveedor\nEcopetrol S.A.\n",
        capture_output=True,
        text=True,
        check=True,
        env={"LC_ALL": "es_EC.UTF-8", "PATH": "/usr/bin:/bin"},
    )
    assert done.stdout.splitlines()[1].startswith("Ecopetrol S.A.,found,")
    assert json.loads(done.stderr)["verdicts"]["found"] == 1


@pytest.mark.parametrize("command", ["match", "dedupe"])
def test_the_command_tells_which_columns_it_read(small_data: Path, command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "padron.cli.app", command, "-", "-o", "-", "--data", str(small_data)],
        input="Proveedor,Monto,RUC,Nota\nEcopetrol S.A.,5,,a\n",
        capture_output=True,
        text=True,
        check=True,
        env={"LC_ALL": "es_EC.UTF-8", "PATH": "/usr/bin:/bin"},
    )
    assert done.stdout.splitlines()[1].startswith("Ecopetrol S.A.,5,,a,")
    assert done.stderr == "Columnas: name = Proveedor, identifier = RUC\nColumnas no leídas: Monto, Nota\n"


@pytest.mark.parametrize("command", ["match", "dedupe"])
def test_an_output_that_is_the_list_or_has_no_folder_is_refused(small_data: Path, tmp_path: Path, command: str) -> None:
    names = tmp_path / "names.csv"
    names.write_text("name\nBanco Pichincha\n", encoding="utf-8")
    (tmp_path / "same.csv").symlink_to(names)
    (tmp_path / "deep").mkdir()
    words = [sys.executable, "-m", "padron", command, str(names), "--data", str(small_data), "--output"]
    environment = {**os.environ, "LC_ALL": "en_US.UTF-8"}
    for output, sentence in (
        (names, "is the list that is read"),
        (tmp_path / "same.csv", "is the list that is read"),
        (tmp_path / "deep" / ".." / "names.csv", "is the list that is read"),
        (tmp_path / "none" / "out.csv", f"There is no folder {tmp_path / 'none'}."),
        (tmp_path / "deep", "is a folder. Name a file."),
    ):
        run = subprocess.run([*words, str(output)], env=environment, capture_output=True, text=True, check=False)
        assert (run.returncode, run.stdout) == (2, "")
        assert sentence in run.stderr
        assert run.stderr.count("\n") == 1, "a sentence, no traceback"
    assert names.read_text(encoding="utf-8") == "name\nBanco Pichincha\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deep", "names.csv", "same.csv"]


def test_a_folder_and_an_empty_list_are_named(small_data: Path, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "empty.csv").write_text("\n \n", encoding="utf-8")
    for name, code in (("folder.csv", "path-is-folder"), ("empty.csv", "list-empty")):
        with pytest.raises(Invalid, match=code):
            matched(tmp_path / name, tmp_path / "out.csv", small_data)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty.csv", "folder.csv"]


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_lines_end_as_those_of_the_list(small_data: Path, tmp_path: Path, line_end: str) -> None:
    (tmp_path / "in.csv").write_text(f"sep=;{line_end}Empresa;Nota{line_end}Ecopetrol;a{line_end}", "utf-8", newline="")
    matched(tmp_path / "in.csv", tmp_path / "out.csv", small_data)
    lines = (tmp_path / "out.csv").read_bytes().splitlines(keepends=True)
    assert {line[len(line.rstrip()) :].decode() for line in lines} == {line_end}


def test_a_list_that_is_not_there(small_data: Path, tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="list-missing"):
        matched(tmp_path / "in.csv", tmp_path / "out.csv", small_data)
    assert list(tmp_path.iterdir()) == []
