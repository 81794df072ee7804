"""Each kind of leak into a public answer is caught: street, phone, mail, officer, amount, number.

`tests/web/test_page_leaks.py` looks for every cell that no layout declares in what is served of its company; here such
cells are planted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from padron.countries.country import Country, Source, SourceColumn
from padron.directory import Directory, run
from padron.text import fold
from small_register import SCRIPT, layout, release_of, source
from undeclared import cells_of, public_leaks

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
    cells_of_company = cells_of(honest, root, tmp_path / "scratch")
    assert public_leaks("EC", cells_of_company, sound) == []

    (honest.folder / "companies.sql").write_text(
        SCRIPT.replace("_date AS recency", "leaked AS activity_label, _date AS recency"), encoding="utf-8"
    )
    declared = layout(columns=(*layout().columns, SourceColumn("leaked", (column,))))
    faulty = replace(honest, sources=(source(declared),))
    data = release_of({"EC": faulty}, root, tmp_path / "faulty")
    leaked = public_leaks("EC", cells_of_company, run(Directory.open(data, {"EC": honest}, "http://x.example")))
    assert leaked == [("1790016919001", fold(PRIVATE[column]))]
