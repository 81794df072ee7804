"""The labelled list: what each row means is known by how it is made, and wrong verdicts lower the figures."""

from __future__ import annotations

from random import Random

from evaluation.records import Company
from evaluation.run_list import LabelledRow, Outcome, labelled, line

from padron.lists.rows import ListRow

COMPANIES = [
    Company(
        "EC", "ec-ruc", f"17900169{at:02}001", f"EMPRESA NUMERO {at}", (), (), "QUITO" if at else None, "s", str(at)
    )
    for at in range(100)
]


def test_rows_of_each_kind_have_their_label() -> None:
    rows = labelled([*COMPANIES, COMPANIES[1]._replace(group="x")], Random(1), 99)
    assert {row.kind for row in rows} == {
        "name",
        "misspelt",
        "misspelt, number",
        "number of another",
        "wrong number",
        "place",
    }
    assert all(row.row.name != "EMPRESA NUMERO 1" for row in rows), "two companies have that name"
    for row in rows:
        if row.kind == "number of another":
            assert row.company is None
            assert row.row.identifier not in {
                company.identifier for company in COMPANIES if company.legal_name == row.row.name
            }
        else:
            assert row.company is not None
    assert {row.row.name for row in rows if row.kind == "misspelt"}.isdisjoint(
        {company.legal_name for company in COMPANIES}
    )


def test_a_wrong_verdict_lowers_the_figures() -> None:
    row = LabelledRow("name", ListRow(name="x"), COMPANIES[0], conflicts=True)
    good, bad = Outcome(asserted=True, right=True, warned=True), Outcome(asserted=True, right=False, warned=False)
    assert line("name", [(row, good)]).split() == [
        "name", "1", "1.0000", "(0.207-1.000)", "1.0000", "(0.207-1.000)", "1.0000", "(0.207-1.000)"]  # fmt: skip
    assert line("name", [(row, good), (row, bad)]).split()[2::2] == ["0.5000", "0.5000", "0.5000"]
