"""Workbooks that ask for more memory than there is: refused by name, the process that reads the rest none the worse."""

from __future__ import annotations

import io
import resource
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import duckdb
import pytest

from padron.errors import SourceError, messages
from padron.ingest import workbook
from padron.ingest.files import source_files
from padron.ingest.read import create_tables, read_file
from small_register import layout, source

Write = Callable[..., Path]
BOOK = layout(match="*.xlsx", format="xlsx")
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
PARTS = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" Type="{OFFICE}/officeDocument"'
    ' Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
    '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" Type="{OFFICE}/worksheet"'
    ' Target="sheet.xml"/>'
    f'<Relationship Id="r2" Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
}


def cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


HEADER = f'<row r="1">{cell("A1", "RUC")}{cell("B1", "NOMBRE")}</row>'
FIRST = f'<row r="2">{cell("A2", "1")}{cell("B2", "Uno")}</row>'


def book(rows: Iterable[str], before: str = "", shared: Iterable[str] = ()) -> bytes:
    """A workbook of one sheet: what stands before its rows, the rows, and the shared strings."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, text in PARTS.items():
            archive.writestr(name, text)
        with archive.open("xl/sheet.xml", "w") as part:
            part.write(f'<worksheet xmlns="{MAIN}">{before}<sheetData>'.encode())
            for row in rows:
                part.write(row.encode())
            part.write(b"</sheetData></worksheet>")
        with archive.open("xl/sharedStrings.xml", "w") as part:
            part.write(f'<sst xmlns="{MAIN}">'.encode())
            for text in shared:
                part.write(text.encode())
            part.write(b"</sst>")
    return packed.getvalue()


def read(root: Path, scratch: Path) -> list[tuple[object, ...]]:
    """Rows (ruc, nombre) of the register's files."""
    book = source(BOOK)
    with duckdb.connect() as db:
        create_tables(db, book)
        for number, file in enumerate(source_files(book, root / "ec" / "register"), start=1):
            assert read_file(db, file, number, scratch) == []
        return db.execute("SELECT ruc, nombre FROM register_table ORDER BY _row").fetchall()


def test_rows_are_read_from_the_corner_whatever_stands_around_them(official: Write, tmp_path: Path) -> None:
    wide = '<dimension ref="A1:XFD1048576"/>'
    low = f'<row r="4">{cell("C4", "RUC")}{cell("D4", "NOMBRE")}</row>'
    rows = [
        low,
        f'<row r="6">{cell("C6", "1")}{cell("D6", "Uno &amp;, ñ")}</row>',
        '<row r="900000"><c r="D900000"/></row>',
    ]
    assert read(official(a__xlsx=book(rows, wide)), tmp_path) == [(None, None), ("1", "Uno &, ñ")]


def test_nothing_is_left_of_the_copy(official: Write, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    assert read(official(a__xlsx=book([HEADER, FIRST])), scratch) == [("1", "Uno")]
    assert list(scratch.iterdir()) == []


BOMBS: dict[str, Callable[[], bytes]] = {
    "two cells in far corners": lambda: book([HEADER, FIRST, f'<row r="1048576">{cell("XFD1048576", "x")}</row>']),
    "a shared string without end": lambda: book([HEADER], shared=["<si><t>", *["a" * (1 << 20)] * 300, "</t></si>"]),
    "shared strings without end": lambda: book([HEADER], shared=["<si><t>a</t></si>" * 10_000] * 800),
    "a long string in every cell": lambda: book(
        [HEADER, *(f'<row r="{n}"><c r="A{n}" t="s"><v>0</v></c></row>' for n in range(2, 12_000))],
        shared=[f"<si><t>{'a' * 32_767}</t></si>"],
    ),
    "a comment without end": lambda: book([HEADER, "<!--", *["a" * (1 << 20)] * 300, "-->", FIRST]),
}
"""Each would take more than 256 MiB; none of them has more than 3 MB."""


@pytest.mark.parametrize("kind", BOMBS)
def test_what_does_not_fit_is_refused_by_name(
    official: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    bomb = BOMBS[kind]()
    assert len(bomb) < 3_000_000
    monkeypatch.setattr(workbook, "MEMORY", 256 << 20)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(SourceError, match="workbook-too-large") as refused:
        read(official(bomb__xlsx=bomb), tmp_path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10, "kilobytes, of this process"
    assert messages.detail(refused.value, "en").startswith("register: bomb.xlsx cannot be read with ")
    assert messages.detail(refused.value, "es").startswith("register: bomb.xlsx no se puede leer con ")


def test_within_the_bounds_that_hold_the_corners_are_refused_and_a_good_book_read(
    official: Write, tmp_path: Path
) -> None:
    with pytest.raises(SourceError, match="workbook-too-large"):
        read(official(a__xlsx=BOMBS["two cells in far corners"]()), tmp_path)
    assert read(official(a__xlsx=book([HEADER, FIRST])), tmp_path) == [("1", "Uno")]


def test_one_that_takes_too_long_is_refused(official: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "SECONDS", 1)
    endless = "from padron.ingest import workbook\nworkbook.as_cell = lambda value: [None for _ in iter(int, 1)]\n"
    reading = "from {module} import write_rows"
    assert reading in workbook._PROGRAM
    monkeypatch.setattr(workbook, "_PROGRAM", workbook._PROGRAM.replace(reading, endless + reading))
    with pytest.raises(SourceError, match="workbook-too-large"):
        read(official(a__xlsx=book([HEADER, FIRST])), tmp_path)


def test_a_reader_who_leaves_early_leaves_nothing_running(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(book([HEADER, *(f'<row r="{n}">{cell(f"A{n}", "x" * 200)}</row>' for n in range(2, 20_000))]))
    rows = workbook.rows(path, None, "register", "a.xlsx")
    assert [next(rows), next(rows)] == [["S"], ["RUC", "NOMBRE"]]
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    rows.close()
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime > children, "it has ended and was waited for"


@pytest.mark.parametrize("content", [b"no workbook", b"PK\x03\x04 no workbook", book([])[:-40]])
def test_a_damaged_one_says_what_is_wrong(official: Write, tmp_path: Path, content: bytes) -> None:
    with pytest.raises(SourceError, match="bad-workbook") as refused:
        read(official(a__xlsx=content), tmp_path)
    assert "Traceback" not in str(refused.value)
    assert str(refused.value.context["reason"]).strip()


def test_a_sheet_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(book([HEADER]))
    with pytest.raises(SourceError, match=r"sheet-missing.*10000.*sheets='S'"):
        list(workbook.rows(path, "10000", "register", "a.xlsx"))
