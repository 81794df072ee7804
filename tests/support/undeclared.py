"""Cells of official files that no layout declares: they must not reach anything that is public."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import python_calamine

from padron.countries.country import Country, Layout
from padron.directory import Directory, run
from padron.ingest import build as ingest
from padron.ingest.files import SourceFile, detect_encoding, members, open_member, source_files, utf8_blocks
from padron.ingest.read import FILE_BITS, _choose, _records
from padron.ingest.tables import tables
from padron.ingest.workbook import as_text
from padron.text import fold

SAID_OF_A_COMPANY = ("legalName", "tradeName", "identifier", "status", "classificationCode", "classificationLabel")
"""The members of a public record whose text comes from a company's rows; the others are ours."""
SEPARATOR = " zzzz "
"""Stands between two members, so that no cell is read across them: a code and its label make a cell of RETC."""
SHORTEST = 6
"""Shorter cells (a house number, a flag, a year) say nothing alone and occur in any text by chance."""


def undeclared(file: SourceFile, number: int) -> Iterator[tuple[int, set[str], set[str]]]:
    """Yield for each record its `_row`, the cells that no layout declares, and the cells that a layout declares."""
    record = number << FILE_BITS
    for part in members(file):
        for cells, places in _rows(file, part.name, part.layouts):
            record += 1
            declared = {text for place in places if place < len(cells) and (text := fold(cells[place] or ""))}
            rest = {fold(cell or "") for place, cell in enumerate(cells) if place not in places}
            yield record, {cell for cell in rest if _telling(cell)}, declared


def _telling(cell: str) -> bool:
    """Several words or a number: a single word (a city, a sector) occurs in names by chance."""
    return len(cell) >= SHORTEST and (" " in cell or any(char.isdigit() for char in cell))


def _rows(file: SourceFile, member: str, layouts: tuple[Layout, ...]) -> Iterator[tuple[list[str | None], set[int]]]:
    """The records of a member with all their cells, and the places of the declared ones."""
    part = next(part for part in members(file) if part.name == member)
    if layouts[0].format == "json":
        yield from _elements(file, member, layouts[0])
        return
    if layouts[0].format == "xlsx":
        book = python_calamine.CalamineWorkbook.from_path(str(file.path))
        sheet = book.get_sheet_by_name(layouts[0].sheet or book.sheet_names[0]).to_python(skip_empty_area=False)
        table = [[as_text(cell) for cell in row] for row in sheet]
        while not any(table[-1]):
            table.pop()
        numbered = [([cell or "" for cell in row], place) for place, row in enumerate(table[:40], start=1)]
        _, skip, _, places = _choose(file, part, lambda _layout: numbered)
        yield from ((row, set(places.values())) for row in table[skip:])
        return
    with open_member(file, member) as stream:
        encoding = layouts[0].encoding or detect_encoding(stream)
    with open_member(file, member) as stream:
        lines = [line.decode() for line in b"".join(utf8_blocks(stream, encoding)).splitlines(keepends=True)]
    layout, skip, width, places = _choose(file, part, lambda layout: _records(lines[:40], layout))
    quoting = csv.QUOTE_MINIMAL if layout.quote else csv.QUOTE_NONE
    rows = csv.reader(
        lines[skip:],
        delimiter=layout.delimiter,
        quotechar=layout.quote or None,
        quoting=quoting,
    )
    yield from ((row, set(places.values())) for row in rows if len(row) == width)


def _elements(file: SourceFile, member: str, layout: Layout) -> Iterator[tuple[list[str | None], set[int]]]:
    """The elements of a JSON list: what `read_document` gives of each stands first, its other leaves after that."""
    assert layout.read_document is not None
    with open_member(file, member) as stream:
        document = json.load(stream)
    for element in document if isinstance(document, list) else [document]:
        leaves = [str(leaf) for leaf in _leaves(element)] if isinstance(document, list) else []
        for row in layout.read_document([element] if isinstance(document, list) else element):
            cells = [as_text(value) for value in row]
            yield [*cells, *leaves], set(range(len(cells)))


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)
    else:
        yield value


class Cells(NamedTuple):
    """The cells of one company's rows, folded: those that no layout declares, and those that one does."""

    secret: set[str]
    declared: set[str]

    def leaked(self, public: str) -> list[str]:
        """The secret cells that stand in `public` and that nothing said of the company holds."""
        folded, declared = f" {fold(public)} ", " ".join(sorted(self.declared))
        return [cell for cell in sorted(self.secret) if f" {cell} " in folded and cell not in declared]


def cells_of(country: Country, root: Path, scratch: Path) -> dict[str, Cells]:
    """The cells of every company built from the files under `root`, by identifier; official labels are no secret."""
    scratch.mkdir()
    files = [
        file for source in country.sources for file in source_files(source, root / country.code.lower() / source.key)
    ]
    with tables(scratch) as db:
        db.execute(ingest._sql("macros.sql"))
        rejects = ingest._read(db, country, files, scratch, lambda _code, _stage: None)
        ingest._transform(db, country, rejects)
        owner = dict(
            db.execute(
                "SELECT row_id, id.identifier FROM (SELECT row_id, company FROM records UNION ALL"
                " SELECT row_id, company FROM joined) JOIN merged USING (company) WHERE id IS NOT NULL"
                " AND legal_name IS NOT NULL"
            ).fetchall()
        )
    with (country.folder / "activities.csv").open(encoding="utf-8", newline="") as file:
        official = {fold(row["label"]) for row in csv.DictReader(file)}
    companies: dict[str, Cells] = defaultdict(lambda: Cells(set(), set()))
    for number, file in enumerate(files, start=1):
        for row_id, private, declared in undeclared(file, number):
            if identifier := owner.get(row_id):
                companies[identifier].secret.update(private - official)
                companies[identifier].declared.update(declared)
    return dict(companies)


def public_leaks(code: str, companies: dict[str, Cells], directory: Directory) -> list[tuple[str, str]]:
    """(identifier, cell) of every undeclared cell that stands in the public bytes of its own company."""
    leaked = []
    for identifier, cells in companies.items():
        members = msgspec.to_builtins(run(directory.get(code, identifier, "es")).record)
        public = SEPARATOR.join(str(members[name]) for name in SAID_OF_A_COMPANY)
        leaked += [(identifier, cell) for cell in cells.leaked(public)]
    return leaked
