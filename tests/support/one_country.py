"""Building one country alone: from the bundled files, or from small files that the tests write in official layouts."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import duckdb

from padron.countries.country import Country, Expect
from padron.ingest.build import Built, build_country

OFFICIAL = Path(__file__).parents[2] / "data" / "official"

Query = Callable[[str], list[tuple[Any, ...]]]

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def build(country: Country, root: Path, tmp: Path) -> tuple[Built, Query]:
    """The country built from the files under `root`, and a query over its table `companies`."""
    work = tmp / "work"
    work.mkdir(parents=True)
    (tmp / "var" / "snapshots").mkdir(parents=True)
    built = build_country(tmp / "var", work, country, [root], None, lambda _code, _stage: None)
    db = duckdb.connect()
    db.execute(f"CREATE TABLE companies AS FROM '{tmp / 'var' / 'snapshots' / built.name}/companies.parquet'")
    return built, lambda query: db.execute(query).fetchall()


def unexpecting(country: Country) -> Country:
    """`country` content with few rows and many rejected ones."""
    return replace(country, sources=tuple(replace(source, expect=Expect(1, 1.0)) for source in country.sources))


def place(root: Path, country: Country, source: str, **files: bytes) -> None:
    """Put files (`name__ending`) of a source under `root`, with their provenance."""
    folder = root / country.code.lower() / source
    folder.mkdir(parents=True, exist_ok=True)
    records = []
    for key, data in files.items():
        name = key.replace("__", ".")
        (folder / name).write_bytes(data)
        records.append({"file": name, "published": "2026-09-26", "sha256": hashlib.sha256(data).hexdigest()})
    (folder / "PROVENANCE.json").write_text(json.dumps({"source": source, "files": records}))


def provenance_faults(country: Country) -> tuple[int, list[str]]:
    """Count the bundled files of `country`, and list those that differ from their provenance record."""
    checked, wrong = 0, []
    for source in country.sources:
        folder = OFFICIAL / country.code.lower() / source.key
        if not folder.is_dir():  # a source without bundled files
            continue
        for entry in json.loads((folder / "PROVENANCE.json").read_text("utf-8"))["files"]:
            data = (folder / entry["file"]).read_bytes()
            checked += 1
            if (hashlib.sha256(data).hexdigest(), len(data)) != (entry["sha256"], entry["bytes"]):
                wrong.append(entry["file"])
    return checked, wrong


def workbook(sheet: str, rows: Sequence[Sequence[str | int]], **more: Sequence[Sequence[str | int]]) -> bytes:
    """An xlsx of a sheet and `more` of them, with the defect of the Ecuadorian directory: the dimension says A1."""
    sheets = dict(enumerate([(sheet, rows), *more.items()], start=1))
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
        "_rels/.rels": _links("officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
        + "".join(f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"/>' for n, (name, _) in sheets.items())
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": _links("worksheet", *(f"worksheets/sheet{n}.xml" for n in sheets)),
    }
    for n, (_, rows) in sheets.items():
        cells = "".join("<row>" + "".join(map(_cell, row)) + "</row>" for row in rows)
        parts[f"xl/worksheets/sheet{n}.xml"] = (
            f'<worksheet xmlns="{_MAIN}"><dimension ref="A1"/><sheetData>{cells}</sheetData></worksheet>'
        )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


def _cell(value: str | int) -> str:
    """A number, an error (`#N/A`) or an inline text."""
    if isinstance(value, int):
        return f"<c><v>{value}</v></c>"
    if value.startswith("#"):
        return f'<c t="e"><v>{value}</v></c>'
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'


def _links(kind: str, *targets: str) -> str:
    links = (
        f'<Relationship Id="r{n}" Type="{_OFFICE}/{kind}" Target="{to}"/>' for n, to in enumerate(targets, start=1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{"".join(links)}</Relationships>'
