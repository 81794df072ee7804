"""What of the official files may never be public, and where it is: cells that no layout declares, in what is said."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import python_calamine

from padron.country import Country, Layout
from padron.ingest import build as ingest
from padron.ingest.files import SourceFile, detect_encoding, members, mend_mojibake, open_member, source_files, text_of
from padron.ingest.read import FILE_BITS, _cell, _choose, _records
from padron.search.directory import Directory
from padron.text import fold

SHORTEST = 6
"""Shorter cells (a house number, a flag, a year) say nothing alone and occur in any text by chance."""

SAID_OF_A_COMPANY = ("legalName", "tradeName", "identifier", "status", "classificationCode", "classificationLabel")
"""The members of a public record whose text comes from a company's rows; the others are ours."""


def undeclared(file: SourceFile, number: int) -> Iterator[tuple[int, set[str], set[str]]]:
    """Of each record: its `_row`, the cells that no layout declares, and those that one does."""
    record = number << FILE_BITS
    for part in members(file):
        for cells, declared in _rows(file, part.name, part.layouts):
            record += 1
            said = {text for place in declared if place < len(cells) and (text := fold(cells[place] or ""))}
            rest = {fold(cell or "") for place, cell in enumerate(cells) if place not in declared}
            yield record, {cell for cell in rest if _telling(cell)}, said


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
        table = [[_cell(cell) for cell in row] for row in sheet]
        while not any(table[-1]):
            table.pop()
        numbered = [([cell or "" for cell in row], place) for place, row in enumerate(table[:40], start=1)]
        _, skip, _, places = _choose(file, part, lambda _layout: numbered)
        yield from ((row, set(places.values())) for row in table[skip:])
        return
    with open_member(file, member) as stream:
        encoding = layouts[0].encoding or detect_encoding(stream)
    with open_member(file, member) as stream, text_of(stream, encoding) as text:
        lines = [mend_mojibake(line) if "mojibake" in encoding else line for line in text]
    layout, skip, width, places = _choose(file, part, lambda layout: _records(lines[:40], layout))
    quoting = csv.QUOTE_MINIMAL if layout.quote else csv.QUOTE_NONE
    rows = csv.reader(
        (line.replace("\0", "") for line in lines[skip:]),
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
            cells = [_cell(value) for value in row]
            yield [*cells, *leaves], set(range(len(cells)))


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)
    else:
        yield value


def record_of(directory: Directory, country: str) -> Callable[[str], str]:
    """What the public record of a company of `country` says, by identifier."""

    def public(identifier: str) -> str:
        members = msgspec.to_builtins(directory.get(country, identifier, "es").record)
        return " | ".join(str(members[name]) for name in SAID_OF_A_COMPANY)

    return public


def leaks(country: Country, root: Path, scratch: Path, public: Callable[[str], str]) -> list[tuple[str, str]]:
    """(identifier, cell) of every undeclared cell that stands in what `public` says of its own company."""
    scratch.mkdir()
    files = [
        file for source in country.sources for file in source_files(source, root / country.code.lower() / source.key)
    ]
    with duckdb.connect() as db:
        ingest._prepare(db, scratch)
        rejects = ingest._read(db, country, files, scratch, lambda _code, _stage: None)
        ingest._transform(db, country, rejects)
        owner = dict(
            db.execute(
                "SELECT row_id, id.identifier FROM ranked JOIN merged USING (company) WHERE id IS NOT NULL"
                " AND merged.legal_name IS NOT NULL"
            ).fetchall()
        )
    secret: dict[str, set[str]] = defaultdict(set)
    spoken: dict[str, set[str]] = defaultdict(set)
    for number, file in enumerate(files, start=1):
        for row_id, private, said in undeclared(file, number):
            if identifier := owner.get(row_id):
                secret[identifier] |= private
                spoken[identifier] |= said
    with (country.folder / "activities.csv").open(encoding="utf-8", newline="") as file:
        official = {fold(row["label"]) for row in csv.DictReader(file)}
    found = []
    for identifier, cells in secret.items():
        shown = f" {fold(public(identifier))} "
        said_by = " ".join(sorted(spoken[identifier]))
        found += [(identifier, cell) for cell in cells - official if f" {cell} " in shown and cell not in said_by]
    return found
