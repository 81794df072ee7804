"""Independent derivation of names and statement figures from the bundled official files, by the standard library.

It shares no code with the readers, the SQL of the countries or the build: csv, json, gzip, zipfile and ElementTree.
A choice between several statements of one fact (which filing holds, which rows are persons) is not repeated here; it
is compared that a figure or name of the release is the one that its official row states.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import unicodedata
import xml.etree.ElementTree as ET
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

OFFICIAL = Path(__file__).parents[2] / "data" / "official"
_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


class Figure(NamedTuple):
    """A figure of a company and year, in whole units of its currency."""

    country: str
    identifier: str
    year: int
    name: str


def text_of(path: str, encoding: str = "utf-8") -> str:
    """A bundled file, unpacked and decoded."""
    data = (OFFICIAL / path).read_bytes()
    return (gzip.decompress(data) if path.endswith(".gz") else data).decode(encoding)


# --- Colombia --------------------------------------------------------------------------------------------------------


def sheet(path: Path, name: str) -> Iterator[dict[str, str]]:
    """The rows of a sheet below its header, the first row with a cell NIT, by header."""
    with zipfile.ZipFile(path) as book:
        texts = [
            "".join(part.text or "" for part in item.iter(f"{_SHEET}t"))
            for item in ET.fromstring(book.read("xl/sharedStrings.xml"))
        ]
        links = {link.get("Id"): link.get("Target") for link in ET.fromstring(book.read("xl/_rels/workbook.xml.rels"))}
        sheets = {
            node.get("name", "").strip(): links[node.get(_LINK)]
            for node in ET.fromstring(book.read("xl/workbook.xml")).iter(f"{_SHEET}sheet")
        }
        grid = ET.fromstring(book.read(f"xl/{sheets[name]}"))
    header: dict[str, str] = {}
    for row in grid.iter(f"{_SHEET}row"):
        cells = {}
        for cell in row:
            value = cell.find(f"{_SHEET}v")
            if value is not None and value.text is not None and cell.get("t") != "e":
                column = re.sub(r"\d", "", cell.get("r", ""))
                cells[column] = texts[int(value.text)] if cell.get("t") == "s" else value.text
        if header:
            yield {header[column]: cell for column, cell in cells.items() if column in header}
        elif "NIT" in (cell.strip() for cell in cells.values()):
            header = {column: plain(cell) for column, cell in cells.items()}


def plain(header: str) -> str:
    """A header without accents, brackets and repeated blanks."""
    letters = unicodedata.normalize("NFD", header)
    return " ".join("".join(sign for sign in letters if sign.isalnum() or sign in " *").split())


WORKBOOK = OFFICIAL / "co/supersociedades-10000/Base_10000_empresas_2026.xlsx"
_CO = {
    "INGRESOS OPERACIONALES": "revenue",
    "GANANCIA PERDIDA": "net_profit",
    "TOTAL ACTIVOS": "assets",
    "TOTAL PASIVOS": "liabilities",
    "TOTAL PATRIMONIO": "equity",
    "GANANCIA PERDIDA POR ACTIVIDAD DE OPERACION": "operating_profit",
}


def colombia() -> Iterator[tuple[Figure, Decimal]]:
    """The lists of Supersociedades, in thousands of pesos."""
    for name in ("10000", "Supersociedades"):
        for row in sheet(WORKBOOK, name):
            for header, cell in row.items():
                amount = re.fullmatch(r"(.*\D) (20\d\d)\*?", header)
                if not amount or amount[1] not in _CO or not re.fullmatch(r"[-+\d.eE]+", cell):
                    continue
                if (_CO[amount[1]] == "operating_profit") == (name == "Supersociedades"):
                    yield Figure("co", nit(row["NIT"]), int(amount[2]), _CO[amount[1]]), Decimal(cell) * 1000
    columns = {
        "ingresos_operacionales": "revenue", "ganancia_perdida": "net_profit", "total_activos": "assets",
        "total_pasivos": "liabilities", "total_patrimonio": "equity",
    }  # fmt: skip
    for row in csv.DictReader(text_of("co/supersociedades-1000-2018/empresas_2018_2017_derived.csv").splitlines()):
        for column, name in columns.items():
            for year in (2018, 2017):
                if row[f"{column}_{year}"]:
                    yield Figure("co", nit(row["nit"]), year, name), Decimal(row[f"{column}_{year}"]) * 1000


def nit(cell: str) -> str:
    """A NIT as digits; a number in a sheet may end in `.0`."""
    return re.sub(r"\D", "", cell.removesuffix(".0"))


def colombian_names() -> Iterator[tuple[str, str, str]]:
    """Country, NIT and name of the 10,000."""
    for row in sheet(WORKBOOK, "10000"):
        if "NIT" in row:
            yield "co", nit(row["NIT"]), row["RAZON SOCIAL"]


# --- Ecuador ---------------------------------------------------------------------------------------------------------


def _top() -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(
        text_of("ec/supercias-ranking/top1000_2024_derived.json"), parse_float=Decimal, parse_int=Decimal
    )
    return rows


def ecuador() -> Iterator[tuple[Figure, Decimal]]:
    """The thousand largest of the ranking, in dollars."""
    names = {"sales": "revenue", "profitBeforeTax": "pretax_profit", "netProfit": "net_profit", "assets": "assets",
             "equity": "equity"}  # fmt: skip
    for row in _top():
        for key, name in names.items():
            if isinstance(value := row.get(key), Decimal):
                yield Figure("ec", str(row["ruc"]), int(str(row["year"])), name), value
        if isinstance(assets := row["assets"], Decimal) and isinstance(equity := row["equity"], Decimal):
            yield Figure("ec", str(row["ruc"]), int(str(row["year"])), "liabilities"), assets - equity


def ecuadorian_names() -> Iterator[tuple[str, str, str]]:
    """Country, RUC and name of the thousand largest."""
    for row in _top():
        yield "ec", str(row["ruc"]), str(row["name"])


# --- Brazil ----------------------------------------------------------------------------------------------------------


class Account(NamedTuple):
    """An account of a yearly form of the CVM."""

    cnpj: str
    end: date
    code: str


def brazilian_accounts() -> dict[Account, set[Decimal]]:
    """Every amount that the bundled forms state for an account, in reais."""
    stated: dict[Account, set[Decimal]] = defaultdict(set)
    for path in sorted((OFFICIAL / "br/cvm-dfp").glob("*.csv.gz")):
        rows = csv.DictReader(
            text_of(f"br/cvm-dfp/{path.name}", "cp1252").splitlines(), delimiter=";", quoting=csv.QUOTE_NONE
        )
        for row in rows:
            scale = {"MIL": 1000, "UNIDADE": 1}[row["ESCALA_MOEDA"]]
            account = Account(
                re.sub(r"\D", "", row["CNPJ_CIA"]), date.fromisoformat(row["DT_FIM_EXERC"]), row["CD_CONTA"]
            )
            stated[account].add(Decimal(row["VL_CONTA"]) * scale)
    return stated


def brazilian_names() -> Iterator[tuple[str, str, str]]:
    """Country, CNPJ and name of the listed companies whose registration is active."""
    rows = csv.DictReader(
        text_of("br/cvm/cad_cia_aberta.csv.gz", "cp1252").splitlines(), delimiter=";", quoting=csv.QUOTE_NONE
    )
    for row in rows:
        if row["SIT"] == "ATIVO":
            yield "br", re.sub(r"\D", "", row["CNPJ_CIA"]), row["DENOM_SOCIAL"]


# --- United States ---------------------------------------------------------------------------------------------------


class Fact(NamedTuple):
    """A fact of a yearly report."""

    cik: str
    tag: str
    unit: str
    end: date


def american_facts() -> dict[Fact, list[tuple[str, Decimal]]]:
    """The day of filing and value of every fact of a year, or of a day, in yearly reports."""
    stated: dict[Fact, list[tuple[str, Decimal]]] = defaultdict(list)
    for path in sorted((OFFICIAL / "us/companyfacts").glob("*.json.gz")):
        document = json.loads(text_of(f"us/companyfacts/{path.name}"), parse_float=Decimal, parse_int=Decimal)
        cik = str(int(str(document["cik"])))
        for taxonomy, tags in document["facts"].items():
            for tag, content in tags.items():
                for unit, facts in content["units"].items():
                    for fact in facts:
                        end = date.fromisoformat(fact["end"])
                        span = (end - date.fromisoformat(fact["start"])).days if "start" in fact else 365
                        if fact["form"][:4] in {"10-K", "20-F", "40-F"} and 350 <= span <= 380:
                            key = Fact(cik, f"{taxonomy}:{tag}", unit, end)
                            stated[key].append((fact["filed"], Decimal(fact["val"])))
    return stated


# --- Argentina -------------------------------------------------------------------------------------------------------


def argentine_names() -> Iterator[tuple[str, str, str]]:
    """Country, CUIT and name of the register's sample."""
    rows = csv.DictReader(text_of("ar/rns/registro-nacional-sociedades-muestreo.csv", "utf-8-sig").splitlines())
    for row in rows:
        yield "ar", row["cuit"], row["razon_social"]
