"""The tables of a build: a DuckDB database in a file of the work folder, with bounded memory.

An in-memory database keeps about a thirtieth of a spilled table in memory (its small segments): 10 MiB for each
million of Brazil's seventy million establishments. A database in a file keeps nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from padron.errors import Unavailable
from padron.storage import temporary_folder

CORES = min(os.cpu_count() or 1, 8)
_LEAST = 192 * max(2, CORES)
_MOST = 6144
_LIMITS = tuple(limit for doubled in range(5) if (limit := _LEAST << doubled) <= _MOST)
"""MiB that a statement may take. The first is what the cores need for joins and sorts, which spill to the disk; each
next is twice as much, for statements that fail with less: aggregates such as lists do not spill."""


@contextmanager
def tables(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a new database in a temporary folder inside `folder`. Do not rely on the order of its rows.

    Its blocks are not compressed: compression makes a build 50 % slower. No extension is fetched from the network.
    """
    with (
        temporary_folder(folder) as own,
        duckdb.connect(f"{own}/tables.duckdb", config={"temp_directory": f"{own}/spill"}) as db,
    ):
        db.execute(f"SET memory_limit = '{_LIMITS[0]}MiB'")
        db.execute(f"SET threads = {CORES}; SET preserve_insertion_order = false")
        db.execute("SET force_compression = 'uncompressed'")
        # Return freed memory early: otherwise it grew by 60 MiB with ten million establishments.
        db.execute("SET allocator_flush_threshold = '16MiB'; SET allocator_bulk_deallocation_flush_threshold = '32MiB'")
        db.execute("SET autoinstall_known_extensions = false; SET autoload_known_extensions = false")
        yield db


def run(db: duckdb.DuckDBPyConnection, script: str, values: Mapping[str, Any] | None = None) -> None:
    """Run the statements of a script, each with the smallest memory limit that is enough for it.

    Raises:
        Unavailable: `memory-fault`, where the largest limit is not enough; the statement then has changed nothing.
    """
    for statement in duckdb.extract_statements(script):
        for limit in _LIMITS:
            try:
                db.execute(f"SET memory_limit = '{limit}MiB'")
                db.execute(statement, values)
                break
            except duckdb.OutOfMemoryException as error:
                if limit == _LIMITS[-1]:
                    raise Unavailable("memory-fault", mebibytes=limit) from error
    db.execute(f"SET memory_limit = '{_LIMITS[0]}MiB'")
