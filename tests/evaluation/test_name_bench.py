from pathlib import Path

import pytest
from evaluation.name_bench import figures, read_rows

CASES = """\
case_group,schema,name1,name2,is_match,quality,category,notes
g,Company,Deere Co,DEERE & CO,true,STRONG,,
g,LegalEntity,Andes,Andina,false,,,
g,Organization,Uno,Dos,false,WEAK,,
g,Company,Grupo Dos,Grupo II,true,,,
g,Person,Ana,Anna,true,,,
"""


def test_company_rows_are_read_with_the_identifiers_of_the_publisher(tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_text(CASES, encoding="utf-8")
    rows = read_rows(tmp_path / "cases.csv")
    assert [(row.a, row.match, row.quality) for row in rows] == [
        ("Deere Co", True, "STRONG"),
        ("Andes", False, "MEDIUM"),
        ("Uno", False, "WEAK"),
        ("Grupo Dos", True, "MEDIUM"),
    ]
    assert rows[0].id == "0969a030"


def test_figures_of_a_comparer(tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_text(CASES, encoding="utf-8")
    rows = read_rows(tmp_path / "cases.csv")
    made = figures(rows, [0.99, 0.9, 0.1, 0.84])
    assert (made.precision, made.recall, made.f1, made.auc) == pytest.approx((0.5, 0.5, 0.5, 0.75))
    assert made.wrong == {rows[1].id: 0.9, rows[3].id: 0.84}
    assert figures(rows, [0.9, 0.1, 0.1, 0.85])[:4] == (1.0, 1.0, 1.0, 1.0)
