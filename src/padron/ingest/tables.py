"""The tables of a build: a DuckDB database in a file of the work folder, in memory that does not grow with them.

Tables that DuckDB itself holds in memory leave a thirtieth of their bytes there when they are spilled, the small
segments: 10 MiB a million establishments of Brazil, of which there are seventy. In a file they leave nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from padron.errors import Unavailable

CORES = min(os.cpu_count() or 1, 8)
_LEAST = 192 * max(2, CORES)
_MOST = 6144
_LIMITS = tuple(limit for doubled in range(5) if (limit := _LEAST << doubled) <= _MOST)
"""MiB that a statement may take: what every core needs to join or sort, while the rest waits on the disk; and twice as
much, again and again, for one that cannot do with it: what is kept of a group (a list, the best of its names) does not
wait on the disk."""


@contextmanager
def tables(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A new database, in a folder inside `folder` that is gone with it. Nothing relies on the order of its rows.

    Its blocks are as they are in memory: packing them costs half as much again as all else. No extension is ever
    fetched from the network.
    """
    with TemporaryDirectory(dir=folder) as own, duckdb.connect(f"{own}/tables.duckdb") as db:
        db.execute(f"SET memory_limit = '{_LIMITS[0]}MiB'; SET temp_directory = '{own}/spill'")
        db.execute(f"SET threads = {CORES}; SET preserve_insertion_order = false")
        db.execute("SET force_compression = 'uncompressed'")
        # What is freed goes back to the system soon: kept back, it came to 60 MiB more at ten million establishments.
        db.execute("SET allocator_flush_threshold = '16MiB'; SET allocator_bulk_deallocation_flush_threshold = '32MiB'")
        db.execute("SET autoinstall_known_extensions = false; SET autoload_known_extensions = false")
        yield db


def run(db: duckdb.DuckDBPyConnection, script: str, values: Mapping[str, Any] | None = None) -> None:
    """Run the statements of `script`, each in the least memory that is enough for it; `values` of its parameters.

    Raises `Unavailable("memory-fault")` where the most is not; what its statement would have changed is as it was.
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
