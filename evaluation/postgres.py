"""PostgreSQL's pg_trgm as a baseline: a temporary server with every name in one table and a GIN index."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import glob
from pathlib import Path

import psycopg

from evaluation.baselines import CANDIDATES, Candidate
from evaluation.names import plain
from evaluation.records import Company

_ROWS_PER_COMPANY = 4
"""Rows fetched for each company wanted: most companies have fewer names."""


class TrigramIndex:
    """An index of the names of `companies` in the database behind `connection`."""

    def __init__(self, connection: psycopg.Connection, companies: Sequence[Company]) -> None:
        self._connection = connection
        self._companies = companies
        connection.execute("CREATE EXTENSION pg_trgm")
        connection.execute("CREATE TABLE names (company int, country text, name text, folded text)")
        with connection.cursor().copy("COPY names FROM STDIN") as copy:
            for place, company in enumerate(companies):
                for name in dict.fromkeys((company.legal_name, *(name for _, name in company.names))):
                    copy.write_row((place, company.country, name, plain(name)))
        connection.execute("CREATE INDEX ON names USING gin (folded gin_trgm_ops)")
        connection.execute("ANALYZE names")

    def nearest(self, text: str, country: str | None) -> list[Candidate]:
        """Return the companies nearest to `text`, accents ignored: `%` at its threshold of 0.3, by `similarity`."""
        rows = self._connection.execute(
            "SELECT company, name, similarity(folded, %(text)s) AS near FROM names"
            " WHERE folded %% %(text)s AND (%(country)s::text IS NULL OR country = %(country)s)"
            " ORDER BY near DESC, company LIMIT %(most)s",
            {"text": plain(text), "country": country, "most": CANDIDATES * _ROWS_PER_COMPANY},
        )
        best: dict[int, Candidate] = {}
        for place, name, near in rows:
            best.setdefault(place, Candidate(self._companies[place], name, near))
        return list(best.values())[:CANDIDATES]


@contextmanager
def server() -> Iterator[psycopg.Connection]:
    """Start a temporary PostgreSQL and yield a connection to it. Root runs it as the user `postgres`."""
    binaries = Path(max(glob("/usr/lib/postgresql/*/bin")))
    prefix = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    folder = Path(tempfile.mkdtemp(prefix="trgm"))
    if prefix:
        shutil.chown(folder, "postgres")
    data = folder / "data"

    def run(program: str, *words: str) -> None:
        command = [*prefix, str(binaries / program), "-D", str(data), *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)  # noqa: S603 - PostgreSQL's own

    try:
        run("initdb", "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8")
        options = f"-c listen_addresses= -c unix_socket_directories={folder} -c shared_buffers=512MB"
        run("pg_ctl", "-l", str(folder / "log"), "-w", "-o", options, "start")
        try:
            with psycopg.connect(f"host={folder} user=postgres", autocommit=True) as connection:
                yield connection
        finally:
            run("pg_ctl", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)
