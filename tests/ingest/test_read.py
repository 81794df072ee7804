"""Reading official files: every trap that the sources set, one by one, and every fault told with its place."""

from __future__ import annotations

import gzip
import io
import json
import os
import zipfile
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from padron.countries.country import Expect, Layout, Source, SourceColumn
from padron.errors import SourceError, messages
from padron.ingest import files
from padron.ingest.files import source_files
from padron.ingest.read import FILE_BITS, Reject, create_tables, read_file
from small_register import layout, source

Write = Callable[..., Path]
zipfile_class = zipfile.ZipFile
HEADER = "RUC,NOMBRE\n"


def read(register: Source, root: Path, scratch: Path) -> tuple[list[tuple[object, ...]], list[Reject]]:
    """Rows (ruc, nombre) in file order, and the rejects."""
    with duckdb.connect() as db:
        create_tables(db, register)
        rejects = []
        for number, file in enumerate(source_files(register, root / "ec" / "register"), start=1):
            rejects += read_file(db, file, number, scratch)
        tables = [f"register_{layout.name}" for layout in register.layouts]
        rows = " UNION ALL ".join(f'SELECT ruc, nombre, _row FROM "{table}"' for table in tables)
        return [row[:2] for row in db.execute(f"SELECT * FROM ({rows}) ORDER BY _row").fetchall()], rejects


@pytest.mark.parametrize(
    ("content", "changes", "expected"),
    [
        pytest.param("RUC,NOMBRE\n1,Uno\n2,Dos\n", {}, [("1", "Uno"), ("2", "Dos")], id="plain"),
        pytest.param("\ufeffRUC,NOMBRE\r\n1,Uno\r\n2,Dos", {}, [("1", "Uno"), ("2", "Dos")], id="bom-crlf-no-last-end"),
        pytest.param(" numero_ruc ,Razón  Social\n1,Uno\n", {}, [("1", "Uno")], id="header-variant"),
        pytest.param("No. DE FILAS: 1\n\nNOMBRE,X,RUC\nUno,z,1\n", {}, [("1", "Uno")], id="title-rows-other-order"),
        pytest.param(
            'RUC,NOMBRE\n1,"Uno\nmás"\n2,Dos\n', {}, [("1", "Uno\nmás"), ("2", "Dos")], id="line-feed-in-quotes"
        ),
        pytest.param('"RUC","RAZÓN\nSOCIAL"\n1,Uno\n', {}, [("1", "Uno")], id="line-feed-in-header"),
        pytest.param('RUC,NOMBRE\n1,"Uno ""SA"", Ltda"\n', {}, [("1", 'Uno "SA", Ltda')], id="quotes-doubled"),
        pytest.param("RUC,NOMBRE\n1,U\0no\n", {}, [("1", "Uno")], id="nul-bytes"),
        pytest.param("RUC,NOMBRE\n  1 , Uno \n2,\n", {}, [("1", "Uno"), ("2", None)], id="blanks"),
        pytest.param('RUC\tNOMBRE\n1\t"Uno\n', {"delimiter": "\t", "quote": ""}, [("1", '"Uno')], id="no-quoting"),
    ],
)
def test_text_traps(
    official: Write, tmp_path: Path, content: str, changes: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    root = official(a__csv=content.encode())
    assert read(source(layout(**changes)), root, tmp_path) == (expected, [])


def test_long_records_across_the_blocks_of_a_file_are_whole(official: Write, tmp_path: Path) -> None:
    """A block is 32 MiB: the third record begins in the first one and ends in the second."""
    rows = [(str(number), f"Empresa {number}") for number in range(1, 5)]
    notes = ["a\nb;" * (15 << 18) + ruc for ruc, _ in rows[:3]] + [""]
    content = "RUC,NOTA,NOMBRE\n" + "".join(
        f'{ruc},"{note}",{name}\n' for (ruc, name), note in zip(rows, notes, strict=True)
    )
    read_rows, rejects = read(source(layout()), official(a__csv=content.encode()), tmp_path)
    assert (read_rows == rows, rejects) == (True, [])


@pytest.mark.parametrize(("size", "is_read"), [(10_000, True), (10_001, False), (200_000, False)])
def test_a_row_with_a_cell_longer_than_any_real_one_is_a_reject(
    official: Write, tmp_path: Path, size: int, is_read: bool
) -> None:
    content = f"{HEADER}1,Uno\n2,{'A' * size}\n3,Tres\n4\n"
    rows, rejects = read(source(), official(a__csv=content.encode()), tmp_path)
    assert [ruc for ruc, _ in rows] == ["1", "2", "3"] if is_read else ["1", "3"]
    first = 1 << FILE_BITS
    too_long = [] if is_read else [Reject("register", first + 2, "cell-too-long", None)]
    assert rejects == [*too_long, Reject("register", first + 4, "missing-columns", 5)]


def test_windows_1252_and_its_holes_are_read_byte_by_byte(official: Write, tmp_path: Path) -> None:
    root = official(a__csv=b"RUC,NOMBRE\n1,A\xc7\xda\x93CAR\x94\x8f\n")
    assert read(source(), root, tmp_path)[0] == [("1", "AÇÚ“CAR”\x8f")]


def test_utf16_is_detected(official: Write, tmp_path: Path) -> None:
    root = official(a__csv="RUC,NOMBRE\n1,Ñandú\0\n".encode("utf-16"))
    assert read(source(), root, tmp_path)[0] == [("1", "Ñandú")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_publisher_that_changes_its_encoding_garbles_no_name(official: Write, tmp_path: Path, encoding: str) -> None:
    root = official(a__csv="RUC,NOMBRE\n1,PETRÓLEO ÑANDÚ\n".encode(encoding))
    assert read(source(layout(encoding="cp1252")), root, tmp_path)[0] == [("1", "PETRÓLEO ÑANDÚ")]


@pytest.mark.parametrize("declared", [None, "utf-8", "cp1252"])
@pytest.mark.parametrize("damaged", [b"DA\xd1ADO", b"DA\xc3ADO", b"\x91A\xff\xfe\x80"])
def test_a_damaged_byte_costs_its_row_alone(
    official: Write, tmp_path: Path, declared: str | None, damaged: bytes
) -> None:
    """Read as windows-1252, every name of the file would be another: `PETRÃ“LEO Ã‘ANDÃš`."""
    good = "RUC,NOMBRE,X\n1,PETRÓLEO ÑANDÚ,x\n2,ÁÉÍÓÚÑ,x\n".encode()
    after = b',x\n4,\xef\xbf\xbd SUYO,x\n5,CINCO,\xd1\n6,"SEIS\nY\xd1",x\n7,SIETE,x\n'
    root = official(a__csv=good + b"3," + damaged + after)
    rows, rejects = read(source(layout(encoding=declared)), root, tmp_path)
    kept = [("1", "PETRÓLEO ÑANDÚ"), ("2", "ÁÉÍÓÚÑ"), ("4", "\ufffd SUYO"), ("5", "CINCO"), ("7", "SIETE")]
    assert rows == kept, "a sign that the publisher wrote, and a byte in a column that is not read, cost none"
    first = 1 << FILE_BITS
    assert rejects == [Reject("register", first + row, "bad-encoding", None) for row in (3, 6)]


@pytest.mark.parametrize("good", ["PEÑA", "PENA"])
def test_a_file_is_not_in_utf8_where_more_rows_are_not_than_are(official: Write, tmp_path: Path, good: str) -> None:
    content = (
        "RUC,NOMBRE\n"
        + "".join(f"{number},{good}\n" for number in range(200))
        + "".join(f"{number},{'NIÑO' if number < 208 else 'NINO'}\n" for number in range(200, 210))
    )
    lines = content.encode().replace("NIÑO".encode(), b"NI\xd1O")
    register = source(layout(encoding="utf-8"), expect=Expect(max_rejected=0.03))
    if good == "PEÑA":
        assert len(read(register, official(a__csv=lines), tmp_path)[1]) == 8, "that is for the balance to judge"
        return
    with pytest.raises(SourceError, match="bad-encoding") as caught:
        read(register, official(a__csv=lines), tmp_path)
    assert caught.value.context == {"source": "register", "file": "a.csv", "encoding": "UTF-8", "line": 202}
    assert messages.detail(caught.value, "en") == (
        "register: a.csv is not in UTF-8; line 202 is the first with other bytes. Download it again, or save it in "
        "UTF-8."
    )
    assert messages.detail(caught.value, "es") == (
        "register: a.csv no está en UTF-8; la línea 202 es la primera con otros bytes. Vuelva a descargarlo o "
        "guárdelo en UTF-8."
    )


def test_one_row_that_is_not_in_utf8_stops_no_file_in_ascii(official: Write, tmp_path: Path) -> None:
    rows = "".join(f"{number},EMPRESA {number}\n" for number in range(100)).encode()
    root = official(a__csv=HEADER.encode() + rows + b"100,DISE\xd1A\n")
    kept, rejects = read(source(layout(encoding="utf-8"), expect=Expect()), root, tmp_path)
    assert (len(kept), rejects) == (100, [Reject("register", (1 << FILE_BITS) + 101, "bad-encoding", None)])


@pytest.mark.parametrize(
    ("declared", "content", "encoding", "line"),
    [
        ("utf-8", "RUC,RAZÓN SOCIAL\n1,Uno\n".encode("cp1252"), "UTF-8", 1),
        ("utf-8", "RUC,NOMBRE\n1,Ñ\n".encode("utf-16")[:-1], "UTF-16", 2),
        ("utf-16", b"RUC,NOMBRE\n1,Uno\n", "UTF-16", 1),
    ],
)
def test_what_is_damaged_beyond_rows_is_told_with_its_line(
    official: Write, tmp_path: Path, declared: str, content: bytes, encoding: str, line: int
) -> None:
    with pytest.raises(SourceError, match="bad-encoding") as caught:
        read(source(layout(encoding=declared)), official(a__csv__gz=gzip.compress(content, mtime=0)), tmp_path)
    assert caught.value.context == {"source": "register", "file": "a.csv.gz", "encoding": encoding, "line": line}


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_file_begins_with_blocks_of_ascii(
    official: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.setattr(files, "_BLOCK", 64)
    ascii_rows = [(str(number), f"EMPRESA {number} S.A.") for number in range(100)]
    rows = [*ascii_rows, ("100", "AÇÃO ÉTICA LTDA"), ("101", "Z")]
    content = HEADER + "".join(f"{ruc},{name}\n" for ruc, name in rows)
    root = official(a__csv=content.encode(encoding))
    assert read(source(layout(encoding="cp1252")), root, tmp_path) == (rows, [])


def test_a_number_of_another_pattern_is_a_reject(official: Write, tmp_path: Path) -> None:
    columns = (SourceColumn("ruc", ("RUC",), pattern="[0-9]{2}"), SourceColumn("nombre", ("NOMBRE",)))
    root = official(a__csv=b"RUC,NOMBRE\n11,Uno\n1,Dos\n,Tres\n")
    rows, rejects = read(source(layout(columns=columns)), root, tmp_path)
    assert rows == [("11", "Uno"), (None, "Tres")]
    assert rejects == [Reject("register", (1 << FILE_BITS) + 2, "bad-identifier", None)]


def test_mac_roman_mojibake_is_mended(official: Write, tmp_path: Path) -> None:
    root = official(a__csv="RUC,RAZ√ìN SOCIAL\n1,Miner√≠a tamaño\n".encode())
    assert read(source(layout(encoding="mac-roman-mojibake")), root, tmp_path)[0] == [("1", "Minería tamaño")]


def test_records_that_cannot_be_parsed_are_counted_with_their_line(official: Write, tmp_path: Path) -> None:
    root = official(a__csv=b"RUC,NOMBRE\n1,Uno\n2\n3,Tres\n4,Cuatro,de mas\n")
    rows, rejects = read(source(), root, tmp_path)
    assert rows == [("1", "Uno"), ("3", "Tres")]
    first = 1 << FILE_BITS
    assert rejects == [
        Reject("register", first + 3, "missing-columns", 3),
        Reject("register", first + 4, "too-many-columns", 5),
    ]


@pytest.mark.parametrize("stray", ["", '3,"Tres" y medio\n', '3,Tres pulgadas"\n'])
@pytest.mark.parametrize("end", ["\n", ""])
def test_a_quote_left_open_takes_no_record_with_it_in_silence(
    official: Write, tmp_path: Path, stray: str, end: str
) -> None:
    good, rejected = read(source(), official(a__csv=f"RUC,NOMBRE\n1,Uno\n{stray}4,Cuatro{end}".encode()), tmp_path)
    assert ("4", "Cuatro") in good
    assert len(good) + len(rejected) == 2 + bool(stray)
    lost = official(a__csv=f'RUC,NOMBRE\n1,Uno\n{stray}"4,Cuatro\n5,Cinco{end}'.encode())
    kept, counted = read(source(), lost, tmp_path)
    assert ("5", "Cinco") in kept
    assert len(kept) + len(counted) == 3 + bool(stray)
    assert ("unclosed-quote", 3 + bool(stray)) in [(reject.reason, reject.line) for reject in counted]


PIPED = layout(delimiter="|", columns=(SourceColumn("ruc", ("RUC",)), SourceColumn("nombre", ("NOMBRE",))))
OF_THREE = "RUC|NOMBRE|X\n"


@pytest.mark.parametrize(
    ("lines", "lost"),
    [
        pytest.param({3: '3|"TRES S.A.|x', 7: '7|SIETE S.A."|x'}, {3}, id="closed-four-rows-below"),
        pytest.param({3: '3|"TRES S.A.|x', 8: '8|"OCHO S.A.|x'}, {3, 8}, id="opened-twice"),
        pytest.param({3: '3|"TRES S.A.|x', 8: '8|OCHO S.A.|"x'}, {3, 8}, id="opened-twice-in-two-columns"),
        pytest.param({3: '3|PULGADA" S.A.|"x'}, {3}, id="with-a-stray-one"),
        pytest.param({3: '"3"|"TRES "X" S.A."|"x'}, {3}, id="behind-quotes-that-are-not-doubled"),
        pytest.param({3: '"3"|"TRES|"|"x"'}, set(), id="closed-behind-a-delimiter"),
        pytest.param({10: '10|"DIEZ S.A.|x'}, {10}, id="in-the-last-row"),
        pytest.param({3: '3|"TRES\nS.A."|x'}, set(), id="a-line-feed-in-a-field"),
        pytest.param({3: '3|"TRES\nY\n""MÁS"" \nS.A."|x'}, set(), id="line-feeds-and-doubled-quotes"),
        pytest.param({3: '3|"TRES\nS.A."|x', 4: '4|"CUATRO S.A.|x'}, {4}, id="one-behind-a-line-feed"),
    ],
)
def test_a_quote_left_open_loses_its_own_row_alone(
    official: Write, tmp_path: Path, lines: dict[int, str], lost: set[int]
) -> None:
    rows = [lines.get(number, f"{number}|EMPRESA {number} S.A.|x") for number in range(1, 11)]
    kept, counted = read(source(PIPED), official(a__csv=(OF_THREE + "\n".join(rows) + "\n").encode()), tmp_path)
    further = sum(row.count("\n") for row in rows)
    assert {int(reject.line) - 1 - further for reject in counted if reject.reason == "unclosed-quote"} == lost
    assert sorted(int(str(ruc)) for ruc, _ in kept) == sorted(
        set(range(1, 11)) - {reject.line - 1 - further for reject in counted}
    )
    assert [name for _, name in kept if "\n" in str(name)] == [
        row.split("|")[1].strip('"').replace('""', '"') for row in rows if "\n" in row
    ]


def test_an_open_quote_is_found_across_blocks(official: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_BLOCK", 64)
    rows = [f"{number}|EMPRESA {number} S.A.|x" for number in range(1, 101)]
    rows[9] = '10|"DIEZ S.A.|x'
    rows[44] = '45|"CUARENTA\nY CINCO S.A."|x'
    kept, counted = read(source(PIPED), official(a__csv=(OF_THREE + "\n".join(rows)).encode()), tmp_path)
    assert counted == [Reject("register", (1 << FILE_BITS) + 100, "unclosed-quote", 11)]
    assert len(kept) == 99
    assert ("45", "CUARENTA\nY CINCO S.A.") in kept


def test_a_quote_that_is_not_doubled_is_kept_where_every_cell_is_quoted(official: Write, tmp_path: Path) -> None:
    rows = ['"1";"UNO"', '"2";"BAR "DO ZE" LTDA"', '"3";"TRES ""SA"""', '"4";"A "B""', '"5";"CINCO;"', '"6"; "S"I"']
    by_place = layout(header="none", delimiter=";", columns=(SourceColumn("ruc"), SourceColumn("nombre")))
    root = official(a__csv=("\n".join(rows) + "\n").encode())
    read_rows, rejects = read(source(by_place), root, tmp_path)
    assert read_rows == [("1", "UNO"), ("3", 'TRES "SA"'), ("5", "CINCO;"), ("2", 'BAR "DO ZE" LTDA'), ("4", 'A "B"')]
    assert rejects == [Reject("register", (1 << FILE_BITS) + 6, "unquoted-value", 6)]


def test_rows_are_numbered_over_files_and_members(official: Write, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("part1.csv", HEADER + "1,Uno\n")
        archive.writestr("readme.txt", "not a table")
        archive.writestr("folder/part2.csv", HEADER + "2,Dos\n")
    root = official(a__zip=packed.getvalue(), b__csv__gz=gzip.compress(b"RUC,NOMBRE\n3,Tres\n", mtime=0))
    assert read(source(), root, tmp_path)[0] == [("1", "Uno"), ("2", "Dos"), ("3", "Tres")]


def test_what_a_desktop_leaves_beside_official_files_is_not_read(official: Write, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("part1.csv", HEADER + "1,Uno\n")
        archive.writestr("__MACOSX/._part1.csv", "\0\5\26\7")
        archive.writestr("nameless", "")
        archive.filelist[-1].filename = ""  # as in an archive whose directory is damaged
    root = official(a__zip=packed.getvalue())
    (root / "ec" / "register" / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    assert read(source(), root, tmp_path) == ([("1", "Uno")], [])


def test_two_layouts_under_one_name_are_told_apart_by_their_header(official: Write, tmp_path: Path) -> None:
    other = Layout(
        "other",
        "*.csv",
        "csv",
        (SourceColumn("ruc", ("CNPJ",)), SourceColumn("nombre", ("Razao_Social",))),
        delimiter=";",
    )
    root = official(a__csv=b"RUC,NOMBRE\n1,Uno\n", b__csv=b"CNPJ;Razao_Social;X\n2;Dos;x\n")
    assert read(source(layout(), other), root, tmp_path)[0] == [("1", "Uno"), ("2", "Dos")]


def test_positions_where_there_is_no_header(official: Write, tmp_path: Path) -> None:
    by_place = layout(
        header="none", delimiter=";", columns=(SourceColumn("ruc"), SourceColumn(""), SourceColumn("nombre"))
    )
    root = official(a__csv=b'"1";"street";"Uno"\n"2";"";"Dos; y mas"\n')
    assert read(source(by_place), root, tmp_path)[0] == [("1", "Uno"), ("2", "Dos; y mas")]


def test_documents_become_rows(official: Write, tmp_path: Path) -> None:
    documents = layout(
        match="*.json",
        format="json",
        columns=(SourceColumn("ruc"), SourceColumn("nombre")),
        read_document=lambda document: [(entry["id"], entry["name"]) for entry in document],
    )
    root = official(a__json=b'[{"id": 7, "name": "Uno, \\"SA\\""}, {"id": 8, "name": null}]')
    assert read(source(documents), root, tmp_path)[0] == [("7", 'Uno, "SA"'), ("8", None)]


def test_a_document_that_cannot_be_read_is_a_reject_and_the_others_are_kept(
    official: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = layout(
        match="*.json",
        format="json",
        columns=(SourceColumn("ruc"), SourceColumn("nombre")),
        read_document=lambda document: [(entry["id"], entry["name"]) for entry in document["rows"]],
    )
    bodies = [b'{"rows": [{"id": 1, "name": "Uno"}]}', b"{}", b'{"rows": [{"id": 2, "name": "Dos"}, {"id": 3}]}', b"{"]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number, body in enumerate([*bodies, b'{"rows": []}', b"[]", bodies[0]]):
            archive.writestr(f"{number}.json", body)
    opened = []
    monkeypatch.setattr(files.zipfile, "ZipFile", lambda path: opened.append(path) or zipfile_class(path))
    rows, rejects = read(source(documents), official(a__zip=packed.getvalue()), tmp_path)
    assert rows == [("1", "Uno"), ("1", "Uno")], "no row of a document that is not read to its end"
    first = 1 << FILE_BITS
    assert rejects == [
        Reject("register", first + 3, "missing-rows", 2),
        Reject("register", first + 4, "missing-name", 3),
        Reject("register", first + 5, "bad-json", 4),
        Reject("register", first + 6, "bad-json", 6),
    ]
    assert len(opened) == 2, "for the names of the members, and for their bytes"


ZIPPED = io.BytesIO()
with zipfile.ZipFile(ZIPPED, "w", zipfile.ZIP_DEFLATED) as _archive:
    _archive.writestr("a.csv", HEADER + "1,Uno\n" * 5000)


@pytest.mark.parametrize(
    ("name", "content", "code", "context"),
    [
        ("a__csv", b"", "empty-file", {"file": "a.csv"}),
        ("a__csv", b"\n\n", "missing-column", {"column": "RUC, NOMBRE"}),
        ("a__csv", b"RUC,OTRO\n1,2\n", "missing-column", {"column": "NOMBRE"}),
        ("a__csv", b'RUC,NOMBRE,"OTRO\n1,2,3\n4,5,6\n', "missing-column", {"file": "a.csv"}),
        ("a__csv", b"\n <html><body>Access denied</body></html>", "page-instead-of-table", {"file": "a.csv"}),
        ("a__csv", b"No. 1\nRUC;NOMBRE\n1;Uno\n", "other-delimiter", {"found": ";", "expected": ","}),
        ("a__csv", b"RUC\tNOMBRE\n1\tUno\n", "other-delimiter", {"found": "TAB", "expected": ","}),
        ("a__csv", b"RUC;OTRO\n1;Uno\n", "missing-column", {"column": "RUC, NOMBRE"}),
        ("a__zip", ZIPPED.getvalue()[:-30], "truncated-archive", {"file": "a.zip"}),
        ("a__zip", ZIPPED.getvalue()[:60] + b"xxxx" + ZIPPED.getvalue()[64:], "truncated-archive", {"member": "a.csv"}),
        ("a__csv__gz", gzip.compress(b"RUC,NOMBRE\n1,2\n", mtime=0)[:-9], "truncated-archive", {"file": "a.csv.gz"}),
        ("a__txt", b"RUC,NOMBRE\n", "unknown-file", {"file": "a.txt", "known": ["*.csv"]}),
    ],
)
def test_a_broken_file_is_told_with_its_place(
    official: Write, tmp_path: Path, name: str, content: bytes, code: str, context: dict[str, str]
) -> None:
    root = official(**{name: content})
    with pytest.raises(SourceError) as caught:
        read(source(), root, tmp_path)
    assert caught.value.code == code
    assert caught.value.context["source"] == "register"
    assert {key: caught.value.context[key] for key in context} == context


@pytest.mark.parametrize(
    ("content", "code"), [(b"{", "bad-json"), (b'{"no": "list"}', "bad-json"), (b"[" * 99_999, "bad-json")]
)
def test_bad_documents_are_refused(official: Write, tmp_path: Path, content: bytes, code: str) -> None:
    documents = layout(match="*.json", format="json", read_document=lambda document: [document["rows"]])
    with pytest.raises(SourceError, match="bad-json"):
        read(source(documents), official(a__json=content), tmp_path)


def test_a_line_that_never_ends_and_an_archive_without_end_are_refused(official: Write, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a.csv", "w") as member:
        member.write(HEADER.encode() + b"1,Uno\n")
        for _ in range(65):
            member.write(b"0" * (1 << 20))
    with pytest.raises(SourceError, match="line-too-long"):
        read(source(), official(a__zip=packed.getvalue()), tmp_path)
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as archive, archive.open("readme.txt", "w") as member:
        for _ in range(60):
            member.write(b"0" * (1 << 20))
    with pytest.raises(SourceError, match="archive-too-large"):
        read(source(), official(a__zip=packed.getvalue()), tmp_path)


def test_a_gzip_without_end_and_a_json_document_without_end_are_refused(official: Write, tmp_path: Path) -> None:
    lines = b"1,Uno\n" * (1 << 18)
    with pytest.raises(SourceError, match="archive-too-large"):
        read(source(), official(a__csv__gz=gzip.compress(HEADER.encode() + lines * 90, 9)), tmp_path)
    documents = layout(match="*.json*", format="json", read_document=lambda rows: rows)
    for name, pack in (("b__json", bytes), ("c__json__gz", lambda raw: gzip.compress(raw + os.urandom(1 << 20)))):
        (tmp_path / "official").rename(tmp_path / f"before {name}")
        content = pack(b"[" + b" " * (128 << 20) + b"]")
        with pytest.raises(SourceError, match="json-too-long") as refused:
            read(source(documents), official(**{name: content}), tmp_path)
        assert refused.value.context["megabytes"] == 128


def test_a_bad_workbook_is_refused(official: Write, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="bad-workbook"):
        read(source(layout(match="*.xlsx", format="xlsx")), official(a__xlsx=b"PK\x03\x04 no workbook"), tmp_path)


@pytest.mark.parametrize(
    ("field", "stated"),
    [
        *(("published", stated) for stated in ("01/11/2026", 20261101, "9999-12-31", "0202-01-01", "1989-12-31")),
        ("retrieved", "ayer"),
    ],
)
def test_a_date_that_cannot_be_is_told(official: Write, tmp_path: Path, field: str, stated: object) -> None:
    root = official(a__csv=b"RUC,NOMBRE\n1,Uno\n")
    path = root / "ec" / "register" / "PROVENANCE.json"
    path.write_text(path.read_text().replace('"published": "2026-03-01"', f'"{field}": {json.dumps(stated)}'))
    with pytest.raises(SourceError, match="bad-date") as caught:
        read(source(), root, tmp_path)
    assert caught.value.context == {"source": "register", "file": "a.csv", "field": field, "found": stated}


def test_a_file_whose_record_has_no_date_is_as_of_its_own(official: Write, tmp_path: Path) -> None:
    root = official(a__csv=b"RUC,NOMBRE\n1,Uno\n") / "ec" / "register"
    path = root / "PROVENANCE.json"
    path.write_text(path.read_text().replace('"published": "2026-03-01"', '"published": null, "retrieved": null'))
    os.utime(root / "a.csv", (1_772_000_000, 1_772_000_000))
    assert [file.published for file in source_files(source(), root)] == [date(2026, 2, 25)]
    path.write_text(path.read_text().replace('"retrieved": null', '"retrieved": "2026-03-02"'))
    assert [file.published for file in source_files(source(), root)] == [date(2026, 3, 2)]


def test_a_date_of_tomorrow_is_that_of_another_time_zone(official: Write, tmp_path: Path) -> None:
    root = official(a__csv=b"RUC,NOMBRE\n1,Uno\n")
    path = root / "ec" / "register" / "PROVENANCE.json"
    tomorrow = datetime.now(UTC).date() + timedelta(days=1)
    path.write_text(path.read_text().replace("2026-03-01", tomorrow.isoformat()))
    assert read(source(), root, tmp_path) == ([("1", "Uno")], [])


def test_changed_bytes_and_missing_records_are_refused(official: Write, tmp_path: Path) -> None:
    root = official(a__csv=b"RUC,NOMBRE\n1,Uno\n")
    folder = root / "ec" / "register"
    (folder / "a.csv").write_bytes(b"RUC,NOMBRE\n1,Otro\n")
    with pytest.raises(SourceError, match="checksum-mismatch"):
        read(source(), root, tmp_path)
    (folder / "b.csv").write_bytes(b"RUC,NOMBRE\n")
    (folder / "a.csv").unlink()
    with pytest.raises(SourceError, match="file-missing") as absent:
        read(source(), root, tmp_path)
    assert f"prints how to place it by hand; its page is {source().url}." in messages.detail(absent.value, "en")
    (folder / "PROVENANCE.json").write_text("{}")
    with pytest.raises(SourceError, match="provenance-missing"):
        read(source(), root, tmp_path)
