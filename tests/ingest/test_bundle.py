"""The bundle tool: private cells go, every other byte stays, and what cannot be judged is refused aloud."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from padron.countries.country import Layout, Source, SourceColumn
from padron.errors import Invalid, SourceError
from padron.ingest.bundle import Blanked, LeaveOut, blank_file, bundle, main

ANS = Layout(
    name="operators",
    match="Relatorio_cadop*.csv*",
    format="csv",
    delimiter=";",
    columns=(SourceColumn("cnpj", ("CNPJ",)), SourceColumn("name", ("Razao_Social", "Razão Social"))),
    private=("Logradouro", "Endereco_eletronico", "Telefone"),
)
EMPRE = Layout(
    name="companies",
    match="*EMPRECSV*",
    format="csv",
    delimiter=";",
    header="none",
    columns=tuple(SourceColumn(name, ()) for name in ("root", "name", "form", "qualification")),
    private=(4,),
)
FILERS = Layout(
    name="filers", match="CIK*.json", format="json", columns=(), private=("phone", "addresses", "exchanges")
)
BOOK = Layout(
    name="book",
    match="*.xlsx",
    format="xlsx",
    columns=(SourceColumn("nit", ("NIT",)), SourceColumn("name", ("RAZON SOCIAL",))),
    private=("CALLE",),
)


def source(*layouts: Layout) -> Source:
    return Source("registry", "Registry", "Office", "https://example.org/", "open", "Office", 30, layouts)


def blank(layout: Layout, name: str, data: bytes, *leave_out: LeaveOut) -> Blanked:
    return blank_file(name, data, source(layout), leave_out)


def test_quoted_and_bare_cells_are_blanked_and_all_other_bytes_stay() -> None:
    data = (
        'Relação de Operadoras;\r\n\r\nCNPJ;Razão Social;"Logradouro";Endereço eletrônico;Telefone\r\n'
        '"1";"A ""B"" ; C\nSA";"RUA 1;\r\n""X""";a@b.br;\r\n'
        '"2";LTDA;;  ;"11"\n'
        '3;" S.A. ";RUA 3;"";0'
    ).encode("cp1252")
    done = blank(ANS, "Relatorio_cadop.csv", data)
    assert done.data == (
        'Relação de Operadoras;\r\n\r\nCNPJ;Razão Social;"Logradouro";Endereço eletrônico;Telefone\r\n'
        '"1";"A ""B"" ; C\nSA";"";;\r\n'
        '"2";LTDA;;  ;""\n'
        '3;" S.A. ";;"";'
    ).encode("cp1252")
    assert (done.rows, done.left_out) == (3, 0)
    assert done.cells == {"Logradouro": 2, "Endereco_eletronico": 1, "Telefone": 2}
    assert not done.absent


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-8"])
def test_byte_order_mark_and_encoding_stay(encoding: str) -> None:
    text = 'CNPJ;Razão Social;Logradouro;Telefone\n1;ÑANDÚ;"{}";{}\n'
    done = blank(ANS, "Relatorio_cadop.csv", text.format("Rua Ñ", "11").encode(encoding))
    assert done.data == text.format("", "").encode(encoding)
    assert done.absent == {"Endereco_eletronico"}


def test_bytes_that_no_encoding_explains_stay() -> None:
    layout = replace(ANS, encoding="utf-8")
    done = blank(layout, "Relatorio_cadop.csv", "CNPJ;Razão Social;Logradouro\n1;".encode() + b"\x81\xff\x00;RUA\n")
    assert done.data == "CNPJ;Razão Social;Logradouro\n1;".encode() + b"\x81\xff\x00;\n"


def test_headers_spoilt_by_a_wrong_encoding_are_understood() -> None:
    layout = replace(ANS, delimiter=",", encoding="mac-roman-mojibake", private=("Razón de calle",))
    spoilt = "Razón de calle".encode().decode("mac-roman")
    data = f"CNPJ,Razao_Social,{spoilt}\n1,A,CALLE 5\n".encode()
    assert blank(layout, "Relatorio_cadop.csv", data).data == f"CNPJ,Razao_Social,{spoilt}\n1,A,\n".encode()


def test_without_quoting_a_quote_is_a_letter() -> None:
    layout = replace(ANS, delimiter="\t", quote="")
    data = b'CNPJ\tRazao_Social\tLogradouro\n1\t"LA ROSA\t"CALLE"\n'
    assert blank(layout, "Relatorio_cadop.csv", data).data == b'CNPJ\tRazao_Social\tLogradouro\n1\t"LA ROSA\t\n'


def test_rows_of_individuals_are_left_out_and_counted() -> None:
    rows = b'"1";"A LTDA";"2062";"05"\n"2";"JOAO 1";"2135";"50"\n"3";"B SA";"2054";""\n"4";"MARIA 2";"4120";""\n'
    done = blank(EMPRE, "X.EMPRECSV", rows, LeaveOut(3, frozenset({"2135", "4120"})))
    assert done.data == b'"1";"A LTDA";"2062";""\n"3";"B SA";"2054";""\n'
    assert (done.rows, done.left_out, done.cells) == (2, 2, {"4": 1})
    by_name = blank(EMPRE, "X.EMPRECSV", rows, LeaveOut("form", frozenset({"2135", "4120"})))
    assert by_name.data == done.data


@given(st.lists(st.lists(st.text("aÑ\"'; \n\r\x00", max_size=6), min_size=4, max_size=4), min_size=1, max_size=6))
def test_a_csv_reader_sees_the_same_table_but_for_the_private_column(rows: list[list[str]]) -> None:
    text = io.StringIO()
    csv.writer(text, delimiter=";", quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    done = blank(EMPRE, "EMPRECSV", text.getvalue().encode())
    after = list(csv.reader(io.StringIO(done.data.decode(), newline=""), delimiter=";"))
    assert [row[:3] for row in after] == [row[:3] for row in rows]
    assert not any(row[3].strip().strip('"').strip() for row in after)
    assert blank(EMPRE, "EMPRECSV", done.data).data == done.data


def test_a_clean_file_keeps_its_very_bytes_packed_or_not() -> None:
    data = b"CNPJ;Razao_Social;Logradouro\n1;A;\n"
    packed = gzip.compress(data, mtime=1)
    assert blank(ANS, "Relatorio_cadop.csv", data).data is data
    assert blank(ANS, "Relatorio_cadop.csv.gz", packed).data is packed


def test_gzip_is_the_same_on_every_day() -> None:
    data = gzip.compress(b"CNPJ;Razao_Social;Logradouro\n1;A;RUA\n", mtime=1)
    done = blank(ANS, "Relatorio_cadop.csv.gz", data)
    assert done.data == gzip.compress(b"CNPJ;Razao_Social;Logradouro\n1;A;\n", mtime=0)


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2021, 6, 12, 0, 0, 0)), content)
    return out.getvalue()


def test_a_zip_keeps_every_member_but_the_private_cells() -> None:
    data = zipped({"readme.htm": b"\x00\xff", "K3241.EMPRECSV": b'"1";"A";"2062";"05"\n', "z/num.txt": b"1\t2\n"})
    done = blank(EMPRE, "Empresas0.zip", data)
    with zipfile.ZipFile(io.BytesIO(done.data)) as archive:
        assert [(item.filename, item.date_time[:3], item.compress_type) for item in archive.infolist()] == [
            (name, (2021, 6, 12), zipfile.ZIP_DEFLATED) for name in ("readme.htm", "K3241.EMPRECSV", "z/num.txt")
        ]
        assert archive.read("K3241.EMPRECSV") == b'"1";"A";"2062";""\n'
        assert archive.read("readme.htm") == b"\x00\xff"
    assert blank(EMPRE, "Empresas0.zip", done.data).data is done.data


def test_json_values_become_empty_by_type_and_the_rest_stays() -> None:
    text = (
        '{"name":"PHONE \\"phone\\": CO","phone" : "(1) 2", "addresses":{"a":{"phone":"3"}},\n'
        '"former":[{"phone":4,"ñ":"\\u00f1 \\/"},{"phone":null},{"phone":""}],"exchanges": ["X"] ,"x":"phone"}\n'
    )
    done = blank(FILERS, "CIK1.json", text.encode())
    assert done.data.decode() == (
        '{"name":"PHONE \\"phone\\": CO","phone" : "", "addresses":{},\n'
        '"former":[{"phone":null,"ñ":"\\u00f1 \\/"},{"phone":null},{"phone":""}],"exchanges": [] ,"x":"phone"}\n'
    )
    assert done.cells == {"phone": 2, "addresses": 1, "exchanges": 1}
    assert blank(FILERS, "CIK1.json", done.data).data == done.data


json_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ap\\"ñ{}[]:, ', max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["phone", 'a"', "b\\", "ñ"]), inner),
    max_leaves=12,
)


@given(json_value, st.booleans(), st.sampled_from([None, 1]))
def test_any_json_loses_only_its_private_values(value: object, ascii_only: bool, indent: int | None) -> None:
    def cleaned(part: object) -> object:
        if isinstance(part, list):
            return [cleaned(item) for item in part]
        if not isinstance(part, dict):
            return part
        empty = {
            key: {} if isinstance(item, dict) else [] if isinstance(item, list) else item for key, item in part.items()
        }
        return {
            key: ("" if isinstance(item, str) else None if not isinstance(item, dict | list) else empty[key])
            if key == "phone"
            else cleaned(item)
            for key, item in part.items()
        }

    data = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    assert json.loads(blank(FILERS, "CIK1.json", data).data) == cleaned(value)


def workbook(rows: list[list[str]]) -> bytes:
    """The smallest workbook a reader accepts, with inline texts."""
    body = "".join(
        "<row>" + "".join(f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in row) + "</row>" for row in rows
    )
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    return zipped(
        {
            "_rels/.rels": f'<Relationships xmlns="{package}"><Relationship Id="r1" Type="{office}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>'.encode(),
            "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets><sheet name="S" sheetId="1" '
            'r:id="r1"/></sheets></workbook>'.encode(),
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}"><Relationship Id="r1" '
            f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>'.encode(),
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>'.encode(),
        }
    )


def test_a_workbook_is_copied_only_when_its_private_columns_are_empty() -> None:
    clean = workbook([["TITLE"], ["NIT", "RAZON SOCIAL", "CALLE"], ["1", "A", ""]])
    assert blank(BOOK, "b.xlsx", clean).data is clean
    with pytest.raises(SourceError, match="private-cells-in-workbook") as refused:
        blank(BOOK, "b.xlsx", workbook([["NIT", "RAZON SOCIAL", "CALLE"], ["1", "A", "RUA 1"]]))
    assert refused.value.context["cells"] == {"CALLE": 1}


def test_the_layout_whose_header_is_there_is_taken() -> None:
    older = replace(ANS, name="older", columns=(SourceColumn("cnpj", ("Registro",)),), private=("CNPJ",))
    done = blank_file("Relatorio_cadop.csv", b"CNPJ;Razao_Social;Telefone\n1;A;2\n", source(older, ANS))
    assert [layout.name for layout in done.layouts] == ["operators"]
    assert done.data == b"CNPJ;Razao_Social;Telefone\n1;A;\n"


@pytest.mark.parametrize(
    ("layout", "name", "data", "code"),
    [
        (ANS, "other.csv", b"", "no-layout"),
        (EMPRE, "x.zip", zipped({"readme": b""}), "no-layout"),
        (ANS, "Relatorio_cadop.csv", b"", "header-not-found"),
        (ANS, "Relatorio_cadop.csv", b"CNPJ;Telefone\n1;2\n", "header-not-found"),
        (ANS, "Relatorio_cadop.csv", b"CNPJ;Razao_Social;Telefone\n1;A;B;C\n", "uneven-row"),
        (EMPRE, "EMPRECSV", b"1;2;3;4\n1;2;3\n", "uneven-row"),
        (ANS, "Relatorio_cadop.csv", b'CNPJ;Razao_Social;Telefone\n1;"A;B\n', "unclosed-quote"),
        (ANS, "Relatorio_cadop.csv.gz", b"no gzip", "file-unreadable"),
        (ANS, "Relatorio_cadop.csv.gz", gzip.compress(b"CNPJ", mtime=0)[:-4], "file-unreadable"),
        (EMPRE, "x.zip", zipped({"EMPRECSV": b"1;2;3;4\n"})[:-9], "file-unreadable"),
        (FILERS, "CIK1.json", b'{"name": ', "file-unreadable"),
        (FILERS, "CIK1.json", b'{"name": "\xff"}', "file-unreadable"),
        (BOOK, "b.xlsx", b"no workbook", "file-unreadable"),
    ],
)
def test_what_cannot_be_judged_is_refused(layout: Layout, name: str, data: bytes, code: str) -> None:
    with pytest.raises(SourceError) as refused:
        blank(layout, name, data)
    assert refused.value.code == code
    assert refused.value.context["file"] == name


def test_rules_that_fit_nothing_are_refused() -> None:
    data = b"CNPJ;Razao_Social\n1;A\n"
    with pytest.raises(Invalid, match="unknown-column"):
        blank(ANS, "Relatorio_cadop.csv", data, LeaveOut("FORMA", frozenset({"1"})))
    with pytest.raises(Invalid, match="unknown-column"):
        blank(ANS, "Relatorio_cadop.csv", data, LeaveOut(3, frozenset({"1"})))
    with pytest.raises(Invalid, match="no-rows-to-leave-out"):
        blank(FILERS, "CIK1.json", b"{}", LeaveOut(1, frozenset({"1"})))


def test_provenance_is_written_and_keeps_what_a_person_wrote(tmp_path: Path) -> None:
    src, dest = tmp_path / "raw.csv", tmp_path / "br" / "ans" / "Relatorio_cadop.csv.gz"
    src.write_bytes(b"CNPJ;Razao_Social;Telefone\n1;A;2\n")
    bundle(src, dest, source(ANS), "2026-01-04")
    path = dest.with_name("PROVENANCE.json")
    document = json.loads(path.read_text())
    assert document["source"] == "registry"
    (record,) = document["files"]
    assert record["file"] == "Relatorio_cadop.csv.gz"
    assert (record["layout"], record["blanked"], record["left_out"]) == ("official", {"Telefone": 1}, 0)
    assert (record["published"], record["retrieved"]) == ("2026-01-04", None)
    record |= {"retrieved": "2026-01-06", "copy": "a copy", "sha256": "old", "bytes": -1}
    path.write_text(json.dumps(document))

    bundle(src, dest, source(replace(ANS, official=False)), "2026-01-05")
    (record,) = json.loads(path.read_text())["files"]
    assert (record["published"], record["retrieved"]) == ("2026-01-05", "2026-01-06")
    assert (record["copy"], record["layout"]) == ("a copy", "derived")
    assert record["bytes"] == dest.stat().st_size
    assert record["sha256"] == hashlib.sha256(dest.read_bytes()).hexdigest()

    bundle(src, dest.with_name("Relatorio_cadop_2.csv"), source(ANS), "2026-01-05")
    names = [record["file"] for record in json.loads(path.read_text())["files"]]
    assert names == ["Relatorio_cadop.csv.gz", "Relatorio_cadop_2.csv"]


def test_the_command_bundles_by_the_rule_of_the_country(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    src, dest = tmp_path / "raw.csv", tmp_path / "EMPRECSV.csv"
    src.write_bytes(
        b'"41365855";"ATON LTDA";"2062";"05";"1000,00";"05";""\n"99000001";"ANA 1";"2135";"50";"0";"01";""\n'
    )
    where = ["--country", "br", "--source", "receita-federal", "--published", "2026-10-11"]
    where += ["--leave-out-where", "3=2135,4120"]
    main([str(src), str(dest), *where])
    assert dest.read_bytes().startswith(b'"41365855";"ATON LTDA";"2062"')
    assert dest.read_bytes().count(b"\n") == 1
    assert "1 rows kept, 1 left out" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--country", "XX", "--source", "ans"], "XX"),
        (["--country", "BR", "--source", "nobody"], "BR has no source nobody. The sources are: receita-federal, "),
        (["--country", "BR", "--source", "ans", "--leave-out-where", "3"], "leave-out-where is written like this: "),
        (
            ["--country", "BR", "--source", "ans", "--published", "1/11/2026"],
            "date of b is 1/11/2026. Write it like 2026",
        ),
        (["--country", "BR", "--source", "ans"], "a cannot be read: "),
    ],
)
def test_the_command_refuses_what_it_does_not_know(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.setenv("LANGUAGE", "en")
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path / "a"), str(tmp_path / "b"), "--published", "2026-11-01", *arguments])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_the_command_asks_for_the_day_of_publication(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path / "a"), str(tmp_path / "b"), "--country", "BR", "--source", "ans"])
    assert ended.value.code == 2
    assert "--published" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", ".DS_Store matches no known layout of the source. Give it the name that it has at the publisher: "),
        ("es", ".DS_Store no corresponde a ningún formato conocido de la fuente. Dele el nombre que tiene en el "),
    ],
)
def test_the_command_tells_a_file_of_no_layout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, language: str, sentence: str
) -> None:
    monkeypatch.setenv("LANGUAGE", language)
    (stray := tmp_path / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    where = ["--country", "EC", "--source", "sri-ruc", "--published", "2026-11-01"]
    with pytest.raises(SystemExit) as ended:
        main([str(stray), str(tmp_path / "out" / ".DS_Store"), *where])
    assert ended.value.code == 2
    shown = capsys.readouterr().err
    assert sentence in shown
    assert "SRI_RUC_*.csv" in shown
