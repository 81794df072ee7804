"""Brazil from files that the tests write: what becomes of each row, both layouts of ANS, and files that are refused."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from one_country import build, place, unexpecting
from padron.countries.br import BR
from padron.countries.br.sources import RECEITA_FEDERAL
from padron.countries.country import Expect
from padron.countries.origin import Share
from padron.errors import SourceError
from padron.ingest.build import build_country
from padron.ingest.corpus import corpus
from padron.ingest.files import check_issue, source_files

OFFICIAL = Path(__file__).parents[2] / "data" / "official"


@pytest.fixture
def companies_of(tmp_path: Path) -> Callable[..., tuple[dict[str, Any], list[tuple[Any, ...]]]]:
    """Build Brazil from files of one source that the test writes; gives the source's account and the companies."""

    def build(key: str, **files: str) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
        folder = tmp_path / "official" / "br" / key
        folder.mkdir(parents=True)
        records = []
        for name, content in files.items():
            data = content.encode("latin-1")
            (folder / f"{name}.csv").write_bytes(data)
            digest = hashlib.sha256(data).hexdigest()
            records.append({"file": f"{name}.csv", "published": "2026-08-08", "sha256": digest})
        (folder / "PROVENANCE.json").write_text(json.dumps({"files": records}), encoding="utf-8")
        (tmp_path / "work").mkdir()
        sources = tuple(replace(source, expect=Expect(max_rejected=1)) for source in BR.sources)
        country = replace(BR, sources=sources)
        root = tmp_path / "official"
        built_country = build_country(
            tmp_path / "data", tmp_path / "work", country, [root], None, lambda _code, _stage: None
        )
        account = built_country.manifest["sources"][key]
        path = tmp_path / "data" / "snapshots" / built_country.name / "companies.parquet"
        return account, duckdb.execute(f"{COLUMNS} FROM '{path}' ORDER BY 1").fetchall()

    return build


COLUMNS = "SELECT identifier, legal_name, trade_name, status, activity_code, activity_label, establishments, ended"


CVM_COLUMNS = (
    "CNPJ_CIA DENOM_SOCIAL DENOM_COMERC DT_REG DT_CONST DT_CANCEL MOTIVO_CANCEL SIT CD_CVM SETOR_ATIV TP_MERC "
    "SIT_EMISSOR MUN UF"
).split()


def establishment(cnpj: str, kind: str, name: str = "", activity: str = "4618401", state: str = "02") -> str:
    cells = [cnpj[:8], cnpj[8:12], cnpj[12:], kind, name, state, "20200101", "00", "", "", "20200101", activity]
    cells += ["", "RUA", "DA PRAIA", "1", "", "CENTRO", "1001000", "SP", "7107", *[""] * 9]
    return '"' + '";"'.join(cells) + '"\n'


def company(root: str, name: str, form: str = "2062") -> str:
    return f'"{root}";"{name}";"{form}";"49";"1000,00";"05";""\n'


def test_what_becomes_of_each_row_of_the_register(companies_of: Callable[..., Any]) -> None:
    account, companies = companies_of(
        "receita-federal",
        EMPRECSV=company("11222333", "ALFA  COMERCIO LTDA")
        + company("11222334", "SEM ENDERECO LTDA")
        + company("11222335", "  ")
        + company("1122233", "RAIZ CURTA LTDA")
        + company("11222336", "FULANO DE TAL 00000000000", "2135")
        + company("11222337", "SICRANO SOCIEDADE INDIVIDUAL DE ADVOCACIA", "2321")
        + company("11222338", "SO FILIAL LTDA")
        + company("11222339", "AGORA MEI LTDA")
        + company("11222340", "PRODUTOR DE TAL", "4120")
        + company("11222341", "BELTRANO DE TAL 00000000000", "8885"),
        ESTABELE=establishment("11222333000181", "2")
        + establishment("11222333E08G99", "1", "ALFA; MATRIZ")
        + establishment("11222333000262", "3")
        + establishment("112223330003aa", "2")
        + establishment("11222336000100", "1", "FULANO")
        + establishment("11222338000200", "2")
        + establishment("11222399000100", "1"),
        SIMPLESCSV='"11222339";"S";"20200101";"00000000";"S";"20200101";"00000000"\n',
        CNAECSV="4618401;Representantes comerciais; agentes\n",
    )
    assert companies == [
        (
            *("11222333E08G99", "ALFA COMERCIO LTDA", "ALFA; MATRIZ", "active"),
            *("4618401", "Representantes comerciais; agentes", 2, None),
        )
    ]
    assert {field: account[field] for field in ("rows", "kept", "merged", "left_out", "rejected")} == {
        "rows": 17,
        "kept": 1,
        "merged": 2,
        "left_out": {"natural-person": 6, "no-establishment": 1, "no-head-office": 2, "no-company-row": 1},
        "rejected": {"bad-identifier": 3, "no-name": 1},
    }


def test_a_person_by_number_form_or_estate_is_left_out(companies_of: Callable[..., Any]) -> None:
    persons = (
        ("FULANO DE TAL 123.456.789-09", "2062"),
        ("FULANO DE TAL 123 456 789 09", "2062"),
        ("12345678909 FULANO DE TAL", "2062"),
        ("FULANO DE TAL12345678909", "2062"),
        ("FULANO DE TAL - CPF 12345678909 LTDA", "2062"),
        ("FULANO DE TAL", "213-5"),
        ("FULANO DE TAL", "2135 "),
        ("FULANO DE TAL", "02135"),
        ("FULANO PRODUTOR RURAL", "412-0"),
        ("ESPOLIO DE FULANO DE TAL", "2062"),
        ("FULANO DE TAL - ESPÓLIO", ""),
    )
    # Eleven digits that are no CPF are not shown either; a blank form tells nothing.
    firms = (
        ("ALFA 123 456 789 10 COMERCIO LTDA", "2062", "ALFA COMERCIO LTDA"),
        ("ALFA COMERCIO LTDA TEL 3333-4444", "2062", "ALFA COMERCIO LTDA"),
        ("ALFA 2024 COMERCIO LTDA", "", "ALFA 2024 COMERCIO LTDA"),
        ("12.345.678 COMERCIO LTDA", "206-2", "12.345.678 COMERCIO LTDA"),
        ("AVENIDA ALFA 2502 LTDA", "2062", "AVENIDA ALFA 2502 LTDA"),
        ("ESPOLIO BAR LTDA", "2062", "ESPOLIO BAR LTDA"),
    )
    given = [*persons, *((name, form) for name, form, _ in firms)]
    roots = [f"112223{at:02}" for at in range(len(given))]
    account, companies = companies_of(
        "receita-federal",
        EMPRECSV="".join(company(root, name, form) for root, (name, form) in zip(roots, given, strict=True)),
        ESTABELE="".join(establishment(f"{root}000100", "1") for root in roots),
    )
    assert [row[1] for row in companies] == [published for *_, published in firms]
    assert account["left_out"] == {"natural-person": 2 * len(persons)}


def test_a_trade_name_with_a_contact_is_dropped(companies_of: Callable[..., Any]) -> None:
    signs = {
        "FULANO TEL 11 99999-8888 RUA DAS FLORES 10 fulano@example.com": None,
        "BAR TEL 3333-4444": None,
        "BAR WhatsApp: (11) 9999-8888": None,
        "BAR DA RUA DAS FLORES, 10": None,
        "BAR ALFA 12345678909": None,  # a CPF whose check digits hold
        "BAR ALFA 12345678900": "BAR ALFA",
        "BAR DA RUA 10": "BAR DA RUA 10",
        "TELECOM 3000": "TELECOM 3000",
    }
    roots = [f"112223{at:02}" for at in range(len(signs))]
    _, companies = companies_of(
        "receita-federal",
        EMPRECSV="".join(company(root, "ALFA LTDA") for root in roots),
        ESTABELE="".join(establishment(f"{root}000100", "1", sign) for root, sign in zip(roots, signs, strict=True)),
    )
    assert [row[1:3] for row in companies] == [("ALFA LTDA", published) for published in signs.values()]


def test_who_is_a_person_in_one_source_is_none_of_the_others(tmp_path: Path) -> None:
    root = tmp_path / "official"
    register = (
        company("11222333", "FULANO DE TAL", "2135")
        + company("11222334", "BETA LTDA")
        # of two issues one shows the company that it became
        + company("11222335", "SICRANO DE TAL", "2135")
        + company("11222335", "GAMA LTDA"),
        "".join(establishment(f"{root}000100", "1") for root in ("11222333", "11222334", "11222335")),
    )
    place(root, BR, "receita-federal", EMPRECSV__csv=register[0].encode(), ESTABELE__csv=register[1].encode())
    operators = "REGISTRO_OPERADORA;CNPJ;Razao_Social;Nome_Fantasia;Modalidade;Cidade;UF\n" + "".join(
        f"1;{root}000100;{name};;M;C;SP\n"
        for root, name in (
            ("11222333", "PLANO DE FULANO"),
            ("11222334", "BETA LTDA"),
            ("11222335", "GAMA LTDA"),
            ("11222336", "FULANA DE TAL 123.456.789-09"),
        )
    )
    place(root, BR, "ans", Relatorio_cadop__csv=operators.encode())
    participants = "ISPB,Nome_Reduzido,Nome_Extenso\n" + "".join(
        f"{root},{name},{name}\n"
        for root, name in (("11222333", "FULANO"), ("11222334", "BETA"), ("11222336", "FULANA"), ("11222337", "X"))
    )
    place(root, BR, "bcb", ParticipantesSTRport__csv=participants.encode())
    listed = ";".join(CVM_COLUMNS) + "\n"
    for root_of_listed, name in (("11222333", "FULANO"), ("11222334", "BETA S.A."), ("11222336", "FULANA")):
        cells = {"CNPJ_CIA": f"{root_of_listed}000100", "DENOM_SOCIAL": name, "SIT": "ATIVO"}
        listed += ";".join(cells.get(column, "") for column in CVM_COLUMNS) + "\n"
    place(root, BR, "cvm", cad_cia_aberta__csv=listed.encode())
    built, query = build(unexpecting(BR), root, tmp_path)
    assert query("SELECT legal_name, sources FROM companies ORDER BY 1") == [
        ("BETA LTDA", ["receita-federal", "cvm", "ans", "bcb"]),
        ("GAMA LTDA", ["receita-federal", "ans"]),
    ]
    left_out = {key: book["left_out"] for key, book in built.manifest["sources"].items() if book["rows"]}
    assert left_out == {
        "receita-federal": {"natural-person": 3},
        "cvm": {"natural-person": 2},
        "ans": {"natural-person": 2},
        "bcb": {"natural-person": 2, "unknown-root": 1},
    }


def test_a_cancelled_registration_gives_the_name_where_nobody_names_the_company_later(tmp_path: Path) -> None:
    root = tmp_path / "official"
    listed = ";".join(CVM_COLUMNS) + "\n"
    for number, name in enumerate(("ALFA S.A.", "BETA S.A.", "GAMA S.A.", "DELTA S.A."), 3):
        cells = {
            "CNPJ_CIA": f"1122233{number}000100",
            "DENOM_SOCIAL": name,
            "SIT": "CANCELADA",
            "DT_CANCEL": "2005-01-31",
        }
        listed += ";".join(cells.get(column, "") for column in CVM_COLUMNS) + "\n"
    place(root, BR, "cvm", cad_cia_aberta__csv=listed.encode())
    operators = "REGISTRO_OPERADORA;CNPJ;Razao_Social;Nome_Fantasia;Modalidade;Cidade;UF\n"
    operators += "1;11222333000181;ALFA HOJE S.A.;;;;\n2;11222334000100;-;;;;\n"
    place(root, BR, "ans", Relatorio_cadop__csv=operators.encode())
    participants = "ISPB,Nome_Reduzido,Nome_Extenso\n11222335,GAMA, \n11222336,DELTA,123456789012\n"
    place(root, BR, "bcb", ParticipantesSTRport__csv=participants.encode())
    _, query = build(unexpecting(BR), root, tmp_path)
    assert query("SELECT legal_name FROM companies ORDER BY 1") == [
        ("ALFA HOJE S.A.",),
        ("BETA S.A.",),
        ("DELTA S.A.",),
        ("GAMA S.A.",),
    ]
    assert query("SELECT n.name FROM (SELECT unnest(names) AS n FROM companies) WHERE n.name LIKE 'ALFA%'") == [
        ("ALFA S.A.",)
    ]


def test_of_two_head_offices_the_active_one_speaks_and_a_raw_quote_is_part_of_a_name(
    companies_of: Callable[..., Any],
) -> None:
    account, companies = companies_of(
        "receita-federal",
        EMPRECSV=company("11222333", 'BAR "DO ZE" LTDA') + company("11222334", "DUAS SEDES LTDA"),
        ESTABELE=establishment("11222333000181", "1", 'O "ZE"')
        + establishment("11222334000126", "1", "SEDE VELHA", "4711301", "08")
        + establishment("11222334000207", "1", "SEDE NOVA", "4618401")
        + establishment("11222334000398", "2"),
    )
    assert [(*row[:5], *row[6:]) for row in companies] == [
        ("11222333000181", 'BAR "DO ZE" LTDA', 'O "ZE"', "active", "4618401", 1, None),
        ("11222334000207", "DUAS SEDES LTDA", "SEDE NOVA", "active", "4618401", 2, None),
    ]
    assert (account["rows"], account["rejected"], account["left_out"]) == (6, {}, {})


CADOP_2022 = """Relação de Operadoras Ativas ANS

"Registro ANS";"CNPJ";"Razão Social";"Nome Fantasia";"Modalidade";"Cidade";"UF"
"1";"11222333000181";" SAÚDE ALFA EIRELI";"ALFA";"Medicina de Grupo";"Cuiabá";"MT"
"""
CADOP_2026 = """REGISTRO_OPERADORA;CNPJ;Razao_Social;Nome_Fantasia;Modalidade;Cidade;UF
"1";"11222333000181";"SAUDE ALFA LTDA";;"Medicina";"CUIABA";"MT"
"2";"112";"BETA LTDA";;"Medicina";"CUIABA";"MT"
"""


def test_both_layouts_of_ans_and_numbers_that_are_none(companies_of: Callable[..., Any]) -> None:
    account, companies = companies_of(
        "ans",
        Relatorio_cadop_2022=CADOP_2022,
        Relatorio_cadop=CADOP_2026,
    )
    assert companies == [("11222333000181", "SAUDE ALFA LTDA", "ALFA", None, None, "Medicina", None, None)]
    assert (account["rows"], account["rejected"]) == (3, {"bad-identifier": 1})


def test_a_file_without_its_columns_is_refused(companies_of: Callable[..., Any]) -> None:
    with pytest.raises(SourceError) as refused:
        companies_of("cvm", cad_cia_aberta="CNPJ;DENOM_SOCIAL\n33.000.167/0001-01;PETROBRAS\n")
    assert (refused.value.code, refused.value.context["file"]) == ("missing-column", "cad_cia_aberta.csv")


@pytest.mark.parametrize("lost", ["Empresas0.zip", "Estabelecimentos9.zip"])
def test_nine_of_ten_parts_are_refused(tmp_path: Path, lost: str) -> None:
    """A copy by hand, whose provenance does not know of the part either, would lose a tenth of the companies."""
    corpus(60, tmp_path, 1)
    folder = tmp_path / "br" / "receita-federal"
    assert len(source_files(RECEITA_FEDERAL, folder)) == 27
    (folder / lost).unlink()
    record = json.loads((folder / "PROVENANCE.json").read_text("utf-8"))
    record["files"] = [entry for entry in record["files"] if entry["file"] != lost]
    (folder / "PROVENANCE.json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(SourceError) as refused:
        source_files(RECEITA_FEDERAL, folder)
    assert (refused.value.code, refused.value.context["file"]) == ("file-missing", lost)


def _unpacked(root: Path, suffix: str = "") -> Path:
    """Write a small register with every file of it unpacked, as a person may place it; return the folder."""
    corpus(60, root, 1)
    folder = root / "br" / "receita-federal"
    for path in sorted(folder.glob("*.zip")):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                (folder / f"{name}{suffix}").write_bytes(archive.read(name))
        path.unlink()
    _recorded(folder)
    return folder


def _recorded(folder: Path) -> None:
    """Write the provenance of what a folder has."""
    records = [
        {"file": path.name, "published": "2025-12-13", "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
        for path in folder.iterdir()
        if path.name != "PROVENANCE.json"
    ]
    (folder / "PROVENANCE.json").write_text(json.dumps({"files": records}), encoding="utf-8")


@pytest.mark.parametrize(
    ("lost", "named"),
    [
        ("K3241.K03200Y3.D51213.EMPRECSV", "K3241.K03200Y3.D*.EMPRECSV"),
        ("K3241.K03200Y9.D51213.ESTABELE", "K3241.K03200Y9.D*.ESTABELE"),
    ],
)
@pytest.mark.parametrize("suffix", ["", ".csv"])
def test_nine_of_ten_unpacked_parts_are_refused(tmp_path: Path, lost: str, named: str, suffix: str) -> None:
    folder = _unpacked(tmp_path, suffix)
    assert len(source_files(RECEITA_FEDERAL, folder)) == 27, "a whole set"
    (folder / f"{lost}{suffix}").unlink()
    _recorded(folder)
    with pytest.raises(SourceError) as refused:
        source_files(RECEITA_FEDERAL, folder)
    assert (refused.value.code, refused.value.context) == (
        "file-missing", {"source": "receita-federal", "file": named, "page": RECEITA_FEDERAL.url},
    )  # fmt: skip


def test_some_parts_may_be_unpacked(tmp_path: Path) -> None:
    corpus(60, tmp_path, 1)
    folder = tmp_path / "br" / "receita-federal"
    with zipfile.ZipFile(folder / "Empresas4.zip") as archive:
        archive.extractall(folder)
    (folder / "Empresas4.zip").unlink()
    _recorded(folder)
    assert len(source_files(RECEITA_FEDERAL, folder)) == 27
    (folder / "Empresas5.zip").unlink()
    _recorded(folder)
    with pytest.raises(SourceError, match="file-missing") as refused:
        source_files(RECEITA_FEDERAL, folder)
    assert refused.value.context["file"] == "Empresas5.zip"


def _renamed(path: Path, member: Callable[[str], str]) -> None:
    """Write a zip anew with its one member named otherwise."""
    with zipfile.ZipFile(path) as archive:
        (name,) = archive.namelist()
        data = archive.read(name)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member(name), data)


def test_parts_of_two_months_and_a_part_twice_are_refused(tmp_path: Path) -> None:
    corpus(60, tmp_path, 1)
    folder = tmp_path / "br" / "receita-federal"
    issue = next(origin.way.issue for origin in BR.origins if isinstance(origin.way, Share))
    files = source_files(RECEITA_FEDERAL, folder)
    check_issue(files, issue)
    path = folder / "Estabelecimentos3.zip"
    (of_part_3,) = zipfile.ZipFile(path).namelist()
    (of_part_4,) = zipfile.ZipFile(folder / "Estabelecimentos4.zip").namelist()
    _renamed(path, lambda _name: of_part_4)
    with pytest.raises(SourceError, match="part-twice") as refused:
        check_issue(files, issue)
    assert refused.value.context == {
        "source": "receita-federal",
        "member": of_part_4,
        "file": "Estabelecimentos3.zip",
        "other": "Estabelecimentos4.zip",
    }
    _renamed(path, lambda _name: re.sub(r"\.D\d{5}", ".D60711", of_part_3))
    with pytest.raises(SourceError, match="parts-mixed") as refused:
        check_issue(files, issue)
    assert "Estabelecimentos3.zip (D60711)" in str(refused.value.context["files"])
    (tmp_path / "work").mkdir()
    record = json.loads((folder / "PROVENANCE.json").read_text("utf-8"))
    for entry in record["files"]:
        entry["sha256"] = hashlib.sha256((folder / entry["file"]).read_bytes()).hexdigest()
    (folder / "PROVENANCE.json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(SourceError, match="parts-mixed"):
        build_country(tmp_path, tmp_path / "work", BR, [tmp_path], None, lambda _code, _stage: None)


def test_a_register_grown_too_small_stops_the_build(tmp_path: Path) -> None:
    folder = tmp_path / "official" / "br" / "bcb"
    folder.mkdir(parents=True)
    data = (OFFICIAL / "br/bcb/ParticipantesSTRport.csv").read_bytes()[:2000].rpartition(b"\n")[0]
    (folder / "ParticipantesSTRport.csv").write_bytes(data)
    record = {"file": "ParticipantesSTRport.csv", "published": "2026-08-08", "sha256": hashlib.sha256(data).hexdigest()}
    (folder / "PROVENANCE.json").write_text(json.dumps({"files": [record]}), encoding="utf-8")
    (tmp_path / "work").mkdir()
    with pytest.raises(SourceError) as refused:
        build_country(tmp_path, tmp_path / "work", BR, [tmp_path / "official"], None, lambda _code, _stage: None)
    assert (refused.value.code, refused.value.context["source"]) == ("too-few-rows", "bcb")
