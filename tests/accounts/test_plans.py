"""The table of plans that an operator writes."""

from __future__ import annotations

from pathlib import Path

from padron.accounts.plans import BUNDLED, read_plans


def test_a_table_may_leave_out_what_came_later(tmp_path: Path) -> None:
    lines = BUNDLED.read_text(encoding="utf-8").splitlines()
    table = tmp_path / "plans.toml"
    table.write_text("\n".join(line for line in lines if not line.startswith(("rows_per_day", "pages"))))
    plans = read_plans(table)
    assert [plan.rows_per_day for plan in plans.by_code.values()] == [1_000, 50_000, 500_000]
    assert plans.anonymous.pages == read_plans().anonymous.pages
