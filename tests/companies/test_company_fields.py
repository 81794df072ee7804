"""The table of a company's fields, and what is derived from it."""

from __future__ import annotations

import runpy
from pathlib import Path

from padron.companies.fields import COMPOSED, FIELDS, ORDER

ROOT = Path(__file__).parents[2]


def test_the_classes_of_a_company_are_those_that_the_table_gives() -> None:
    script = runpy.run_path(str(ROOT / "tools" / "generate_company.py"))
    assert script["TARGET"].read_text("utf-8") == script["module"](), "stale: run `make generate`"


def test_every_row_of_the_table_is_whole() -> None:
    names = [column.name for column in FIELDS]
    assert len(names) == len(set(names))
    for column in FIELDS:
        assert column.meaning, column.name
        assert (column.description is not None) <= (column.served != "internal"), column.name
        assert column.label is None or column.served == "v1", column.name
        assert not column.shared or column.type in {"VARCHAR", "VARCHAR[]", "DATE"}, column.name
    texts = [row.description for row in (*FIELDS, *COMPOSED) if row.description]
    texts += [column.label for column in FIELDS if column.label]
    assert all(text.es.strip() and text.en.strip() and text.es != text.en for text in texts)


def test_the_order_of_members_names_members() -> None:
    served = {column.member or column.name for column in FIELDS if column.served != "internal"}
    assert set(ORDER) <= served | {member.name for member in COMPOSED}
