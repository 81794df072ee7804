"""The table of plans that an operator writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from padron.accounts.plans import BUNDLED, TERMS, read_plans
from padron.errors import Invalid


def test_a_table_may_leave_out_what_came_later(tmp_path: Path) -> None:
    lines = BUNDLED.read_text(encoding="utf-8").splitlines()
    table = tmp_path / "plans.toml"
    table.write_text("\n".join(line for line in lines if not line.startswith(("rows_per_day", "pages"))))
    plans = read_plans(table)
    assert [plan.rows_per_day for plan in plans.by_code.values()] == [1_000, 50_000, 500_000]
    assert plans.anonymous.pages == read_plans().anonymous.pages


@pytest.mark.parametrize("version", ["2030-02-31", '"2030-01-31"', "2030"])
def test_the_version_of_the_terms_is_a_day(tmp_path: Path, version: str) -> None:
    table, text = tmp_path / "plans.toml", BUNDLED.read_text(encoding="utf-8")
    table.write_text(text.replace(TERMS, "2030-01-31"), encoding="utf-8")
    assert read_plans(table).terms_version == "2030-01-31"
    table.write_text(text.replace(TERMS, version), encoding="utf-8")
    with pytest.raises(Invalid, match="bad-plans"):
        read_plans(table)
