"""Synthetic files of Receita Federal through the real reader: every company as it must be, every row accounted for."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from stdnum.br import cnpj, cpf

from padron.countries.br import BR
from padron.errors import Invalid
from padron.ingest.build import Built, build_country
from padron.ingest.corpus import Kept, corpus, truth

ROWS, FEW_ROWS, SEED = 20_000, 6_000, 1
SYNTHETIC = Path("br") / "receita-federal"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    corpus(ROWS, folder, SEED)
    return folder


def build(folder: Path, to: Path, script: str | None = None) -> tuple[Built, set[Kept]]:
    """Brazil built from `folder`, with another companies.sql if given: its snapshot and its companies."""
    country, work = BR, to / "work"
    work.mkdir(parents=True)
    if script is not None:
        country = replace(BR, folder=to / "br")
        country.folder.mkdir()
        (country.folder / "companies.sql").write_text(script, encoding="utf-8")
        (country.folder / "activities.csv").write_bytes((BR.folder / "activities.csv").read_bytes())
    built = build_country(to / "data", work, country, [folder], None, lambda _code, _stage: None)
    path = to / "data" / "snapshots" / built.name / "companies.parquet"
    columns = ", ".join(f"{name}::VARCHAR" if name in {"incorporated", "ended"} else name for name in Kept._fields)
    return built, {Kept(*row) for row in duckdb.execute(f"SELECT {columns} FROM '{path}'").fetchall()}


@pytest.fixture(scope="module")
def built(written: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Built, set[Kept]]:
    return build(written, tmp_path_factory.mktemp("built"))


def records(folder: Path, names: str) -> Iterator[list[str]]:
    """The cells of every record of the zips `names`, one character a byte."""
    for path in sorted((folder / SYNTHETIC).glob(names)):
        with zipfile.ZipFile(path) as archive:
            text = archive.read(archive.namelist()[0]).decode("latin-1")
        for record in text.removesuffix('"\n').split('"\n"'):
            yield record.removeprefix('"').split('";"')


def test_every_company_comes_out_as_it_must(built: tuple[Built, set[Kept]]) -> None:
    expected = set(truth(ROWS, SEED))
    assert len(expected) == 5704
    assert built[1] == expected


def test_every_row_is_accounted_for(written: Path, built: tuple[Built, set[Kept]]) -> None:
    balance = built[0].manifest["sources"]["receita-federal"]
    counts = {"companies": built[0].manifest["companies"], "kept or merged": balance["kept"] + balance["merged"]}
    for outcome in ("left_out", "rejected"):
        counts |= {f"{outcome} {reason}": rows for reason, rows in balance[outcome].items()}
    assert counts == json.loads((written / "expected.json").read_text())
    assert counts["left_out natural-person"] > 0.6 * balance["rows"]
    assert balance["rows"] == sum(1 for _ in records(written, "E*.zip"))


BRANCHES = "AS branches FROM unit WHERE reason IS NULL AND NOT head"
MISTAKES = {
    "head office by its order": (
        "matriz_filial = '1' AS head",
        "cnpj_ordem = '0001' AS head",
    ),
    "branches of all rows": (BRANCHES, BRANCHES.removesuffix(" AND NOT head")),
    "MEI kept": ("OR mei.cnpj_basico IS NOT NULL", ""),
    "lawyers kept": ("code IN ('2135', '2321')", "code = '2135'"),
    "uninformed activity shown": ("WHERE code <> '8888888'", "WHERE true"),
    "special situation not read": ("coalesce(' - ' || situacao_especial, '')", "''"),
    "end of a company that goes on": (
        "CASE WHEN situacao = '08' THEN yyyymmdd(data_situacao) END",
        "yyyymmdd(data_situacao)",
    ),
}


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("few")
    corpus(FEW_ROWS, folder, SEED)
    return folder


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_comparison_finds_each_planted_mistake(few: Path, tmp_path: Path, mistake: str) -> None:
    script = (BR.folder / "companies.sql").read_text(encoding="utf-8")
    right, wrong = MISTAKES[mistake]
    assert right in script
    _, companies = build(few, tmp_path, script.replace(right, wrong))
    assert companies != set(truth(FEW_ROWS, SEED))


def test_without_a_mistake_the_comparison_finds_none(few: Path, tmp_path: Path) -> None:
    assert build(few, tmp_path)[1] == set(truth(FEW_ROWS, SEED))


def test_the_files_hold_every_trap(written: Path) -> None:
    traps: Counter[str] = Counter()
    roots, heads = Counter[str](), Counter[str]()
    for row in records(written, "Estabelecimentos*.zip"):
        assert len(row) == 30
        root, order, check, head, trade, situation, since, reason, _, country, begun, activity, *_ = row
        assert cnpj.is_valid(root + order + check) or root == "00000000"
        roots[root] += 1
        heads[root] += head == "1"
        traps["head office of another order"] += head == "1" and order != "0001"
        traps["letters in the root"] += not root.isdigit()
        traps["letters in the order only"] += root.isdigit() and not order.isdigit()
        traps["line feed"] += "\n" in trade
        traps["NUL"] += "\0" in trade
        traps["semicolon"] += ";" in trade
        traps["windows-1252"] += "\x93" in trade
        traps["undefined byte"] += "\x8f" in trade
        traps["Latin-1"] += "\xc9" in trade
        traps["number in a trade name"] += bool(re.search(r"\d{11}", trade))
        traps["zero for a date"] += since == "0"
        traps["no date"] += begun == "00000000"
        traps["absurd year"] += begun in {"02020315", "41000101"}
        traps["unknown reason"] += reason == "32"
        traps["unknown country"] += country == "150"
        traps["unknown activity"] += activity == "9999999"
        traps["lost zero of the postal code"] += len(row[18]) == 7
        traps["abroad"] += row[19] == "EX"
        traps["unknown municipality"] += row[20] == "9999"
        traps["special situation"] += row[28] == "EM LIQUIDACAO"
        traps["every situation " + situation] += 1
    for root, name, form, officer, capital, *_ in records(written, "Empresas*.zip"):
        traps["no row in Estabelecimentos"] += root not in roots
        traps["branches alone"] += root in roots and not heads[root]
        traps["individual"] += form == "2135"
        traps["number behind a name"] += bool(re.search(r" \d{11}$", name))
        traps["number inside a company's name"] += bool(re.search(r" \d{11} ", name))
        traps["root before a name"] += name.startswith(f"{root[:2]}.{root[2:5]}.{root[5:]} ")
        traps["double blank"] += "  " in name
        traps["no name"] += not name
        traps["capital nobody stated"] += capital == "999999999999,00"
        traps["unknown legal form"] += form == "2999"
        traps["unknown qualification"] += officer == "36"
        roots.pop(root, None)
    traps["no row in Empresas"] = len(roots)
    traps["MEI"] = sum(row[4] == "S" for row in records(written, "Simples.zip"))
    assert [trap for trap, count in traps.items() if not count] == []
    assert 0.66 < traps["individual"] / sum(1 for _ in records(written, "Empresas*.zip")) < 0.72


def test_parts_of_the_two_tables_do_not_correspond(written: Path) -> None:
    companies, offices = (
        [{row[0] for row in records(written, f"{name}{part}.zip")} for part in range(10)]
        for name in ("Empresas", "Estabelecimentos")
    )
    shared = [len(companies[part] & offices[part]) / len(companies[part]) for part in range(10)]
    assert 0.1 < max(shared) < 0.6


def test_nobody_real_is_in_the_files_and_nobody_at_all_comes_out(written: Path, built: tuple[Built, set[Kept]]) -> None:
    rows = list(records(written, "Empresas*.zip"))
    numbers = {number for row in rows for number in re.findall(r"\b\d{11}\b", row[1])}
    assert len(numbers) > 1_000
    assert not any(cpf.is_valid(number) for number in numbers)
    people = {row[1] for row in rows if row[2] in {"2135", "4120"}}
    kept = {name for company in built[1] for name in (company.legal_name, company.trade_name or "")}
    assert not kept & people
    assert not any(re.search(r"\d{9}", name) for name in kept)


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    digests = []
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        corpus(500, tmp_path / name, seed)
        files = sorted(path for path in (tmp_path / name).rglob("*") if path.is_file())
        digests.append([hashlib.sha256(path.read_bytes()).hexdigest() for path in files])
    assert digests[0] == digests[1]
    assert digests[0] != digests[2]


def test_member_names_are_the_official_ones(written: Path) -> None:
    names = []
    for path in sorted((written / SYNTHETIC).glob("*.zip")):
        with zipfile.ZipFile(path) as archive:
            names += [(path.name, info.filename, info.date_time[:3]) for info in archive.infolist()]
    assert {date for _, _, date in names} == {(2025, 12, 13)}
    assert [(zipped, member) for zipped, member, _ in names] == [
        ("Cnaes.zip", "F.K03200$Z.D51213.CNAECSV"),
        *((f"Empresas{part}.zip", f"K3241.K03200Y{part}.D51213.EMPRECSV") for part in range(10)),
        *((f"Estabelecimentos{part}.zip", f"K3241.K03200Y{part}.D51213.ESTABELE") for part in range(10)),
        ("Motivos.zip", "F.K03200$Z.D51213.MOTICSV"),
        ("Municipios.zip", "F.K03200$Z.D51213.MUNICCSV"),
        ("Naturezas.zip", "F.K03200$Z.D51213.NATJUCSV"),
        ("Paises.zip", "F.K03200$Z.D51213.PAISCSV"),
        ("Qualificacoes.zip", "F.K03200$Z.D51213.QUALSCSV"),
        ("Simples.zip", "F.K03200$W.SIMPLES.CSV.D51213"),
    ]


@pytest.mark.parametrize("rows", [0, -1, 10**8 + 1])
def test_impossible_sizes_are_refused(tmp_path: Path, rows: int) -> None:
    with pytest.raises(Invalid, match="invalid-rows"):
        corpus(rows, tmp_path / "none", 1)
    assert not (tmp_path / "none").exists()
