"""The tables of a build: as little memory as is enough, and nothing left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from padron.errors import Unavailable
from padron.ingest import tables as room
from padron.ingest.tables import run, tables

GROUPED = """
    CREATE TABLE grouped AS SELECT n % 2 AS part, list(repeat('name ', 10) || n) AS names FROM numbers GROUP BY part
"""
"""Lists of a group cannot wait on the disk: this takes from 48 to 80 MiB, depending on the cores."""


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_LIMITS", (16, 32, 64, 128))


def memory_limit(db: room.duckdb.DuckDBPyConnection) -> str:
    return str(db.execute("SELECT current_setting('memory_limit')").fetchall()[0][0])


@pytest.mark.usefixtures("limits")
def test_a_statement_takes_more_memory_only_where_it_must(tmp_path: Path) -> None:
    with tables(tmp_path) as db:
        run(db, f"CREATE TABLE numbers AS SELECT range AS n FROM range(600_000); {GROUPED}")
        assert memory_limit(db) == "16.0 MiB"
        assert db.execute("SELECT part FROM grouped ORDER BY part").fetchall() == [(0,), (1,)]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("limits")
def test_what_no_memory_is_enough_for_is_told_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_LIMITS", (16, 32))
    with tables(tmp_path) as db:
        run(db, "CREATE TABLE numbers AS SELECT range AS n FROM range(600_000)")
        with pytest.raises(Unavailable, match="memory-fault") as caught:
            run(db, GROUPED)
        assert caught.value.context == {"mebibytes": 32}
        assert db.execute("SHOW TABLES").fetchall() == [("numbers",)]
        assert db.execute("SELECT count(*) FROM numbers").fetchall() == [(600_000,)]


@pytest.mark.usefixtures("limits")
def test_tables_larger_than_memory_leave_nothing_of_themselves_in_it(tmp_path: Path) -> None:
    columns = ", ".join(f"nullif('{place} ' || n, '{place} 7') AS c{place}" for place in range(20))
    with tables(tmp_path) as db:
        run(db, f"CREATE TABLE wide AS SELECT {columns} FROM range(400_000) t(n)")
        db.execute("SET memory_limit = '2MiB'")
        held = db.execute("SELECT sum(memory_usage_bytes) >> 20 FROM duckdb_memory()").fetchall()[0][0]
        assert db.execute("SELECT count(*) FROM duckdb_tables()").fetchall() == [(1,)]
    assert held <= 2
