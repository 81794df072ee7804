"""No cell outside the allow-list of columns reaches a public answer: street, phone, mail, officer, amount, number.

For every company of the release, every cell of its raw rows that no layout declares is looked for in its public bytes.
The checker itself is proved by planting each kind of leak.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from padron import build_commands
from padron.countries import REGISTRY
from padron.country import Country, Source, SourceColumn
from padron.directory import Directory, run
from padron.text import fold
from small_register import SCRIPT, layout, release_of, source
from undeclared import cells_of

SAID_OF_A_COMPANY = ("legalName", "tradeName", "identifier", "status", "classificationCode", "classificationLabel")
"""The members of a public record whose text comes from a company's rows; the others are ours."""
SEPARATOR = " zzzz "
"""Stands between two members, so that no cell is read across them: a code and its label make a cell of RETC."""


def leaks(country: Country, root: Path, scratch: Path, directory: Directory) -> list[tuple[str, str]]:
    """(identifier, cell) of every undeclared cell that stands in the public bytes of its own company."""
    leaked = []
    for identifier, cells in cells_of(country, root, scratch).items():
        members = msgspec.to_builtins(run(directory.get(country.code, identifier, "es")).record)
        public = SEPARATOR.join(str(members[name]) for name in SAID_OF_A_COMPANY)
        leaked += [(identifier, cell) for cell in cells.leaked(public)]
    return leaked


@pytest.mark.verify
@pytest.mark.parametrize("code", list(REGISTRY))
def test_no_undeclared_cell_of_a_company_is_public(code: str, directory: Directory, tmp_path: Path) -> None:
    assert leaks(REGISTRY[code], build_commands.BUNDLED, tmp_path / "scratch", directory) == []


PRIVATE = {
    "CALLE": "AV. GENERAL ENRIQUEZ",
    "TELÉFONO": "022996500",
    "CORREO": "gerencia@favorita.example",
    "REPRESENTANTE": "QUIROGA PAZ MARIA",
    "CAPITAL": "305.000.000,00",
    "CÉDULA": "1712345678",
}


@pytest.mark.parametrize("column", PRIVATE)
def test_each_kind_of_leak_is_caught(
    column: str, country: Callable[[Source], Country], official: Callable[..., Path], tmp_path: Path
) -> None:
    header = ",".join(["RUC", "NOMBRE", *PRIVATE])
    cells = ",".join(["1790016919001", "CORPORACION FAVORITA C.A.", *(f'"{cell}"' for cell in PRIVATE.values())])
    root = official(a__csv=f"{header}\n{cells}\n".encode())
    honest = country(source(layout(private=tuple(PRIVATE))))
    sound = run(
        Directory.open(release_of({"EC": honest}, root, tmp_path / "sound"), {"EC": honest}, "http://x.example")
    )
    assert leaks(honest, root, tmp_path / "scratch", sound) == []

    (honest.folder / "companies.sql").write_text(
        SCRIPT.replace("_date AS recency", "leaked AS activity_label, _date AS recency"), encoding="utf-8"
    )
    declared = layout(columns=(*layout().columns, SourceColumn("leaked", (column,))))
    faulty = replace(honest, sources=(source(declared),))
    data = release_of({"EC": faulty}, root, tmp_path / "faulty")
    (honest.folder / "companies.sql").write_text(SCRIPT, encoding="utf-8")
    leaked = leaks(honest, root, tmp_path / "again", run(Directory.open(data, {"EC": honest}, "http://x.example")))
    assert leaked == [("1790016919001", fold(PRIVATE[column]))]
