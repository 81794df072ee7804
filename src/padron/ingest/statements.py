"""Yearly statements: built by a country's statements.sql, balanced row by row, and read back from a release.

Contract of a country's `statements.sql`
----------------------------------------
It runs after companies.sql and merge.sql, on the same raw tables, macros and csv tables. A country whose registers
publish no figures has none. It creates

years — one row per company, period and scope: `company` (the merge key of companies.sql), `period_end`, `scope`,
    `fiscal_year`, `period_start`, `currency`, `employees`, `form`, `filing`, `filed`, `source`, `checks` (list)
figures — one row per figure of those: `company`, `period_end`, `scope`, `figure` (of `snapshot.FIGURES`), `amount` in
    whole units of the currency, `basis`, `first_reported` (the amount as first reported, or NULL). A figure that is
    not stated has no row, or a NULL amount; it is never zero.
outcomes — that of every row of every raw table it reads: `raw` (name of the table), `row_id`, `rule` (why it was not
    used), `fault` (why it was rejected). Both NULL: the row gave a figure of `years`.

It has one macro more than companies.sql: `differs(a, b)`, true if two amounts differ by more than rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb

from padron.countries.country import Country
from padron.errors import ReleaseError, SourceError
from padron.ingest.read import table_name
from padron.ingest.tables import run, tables
from padron.releases import snapshot

_SCRIPT = Path(__file__).with_suffix(".sql")
_FETCH = 10_000
_MACRO = "CREATE MACRO differs(a, b) AS abs(a - b) > greatest(abs(a), abs(b)) / 1000"
"""A change within a thousandth is rounding: NVIDIA's profit of 630,587,000 became 631,000,000 in the next report."""
_NONE = """
CREATE TABLE years (company VARCHAR, period_end DATE, scope VARCHAR, fiscal_year INTEGER, period_start DATE,
    currency VARCHAR, employees INTEGER, form VARCHAR, filing VARCHAR, filed DATE, source VARCHAR, checks VARCHAR[]);
CREATE TABLE figures (company VARCHAR, period_end DATE, scope VARCHAR, figure VARCHAR, amount DECIMAL(28, 2),
    basis VARCHAR, first_reported DECIMAL(28, 2));
CREATE TABLE outcomes (raw VARCHAR, row_id BIGINT, rule VARCHAR, fault VARCHAR);
"""


def make(db: duckdb.DuckDBPyConnection, country: Country) -> None:
    """Run the country's statements.sql and create the table `statements` from its tables."""
    db.execute(_MACRO)
    script = country.folder / "statements.sql"
    run(db, script.read_text(encoding="utf-8") if script.is_file() else _NONE)
    figures = ", ".join(f"any_value(amount) FILTER (figure = '{name}') AS {name}" for name in snapshot.FIGURES)
    run(db, _SCRIPT.read_text(encoding="utf-8").replace("{figures}", figures))
    sources = " ".join(
        f"WHEN '{table_name(source, layout)}' THEN '{source.key}'"
        for source in country.sources
        for layout in source.layouts
    )
    db.execute(f"CREATE VIEW sourced AS SELECT *, CASE raw {sources} END AS source FROM outcomes")
    duplicate = db.execute("SELECT raw, row_id FROM outcomes GROUP BY ALL HAVING count(*) > 1 LIMIT 1").fetchone()
    if duplicate:
        raise SourceError("rows-unaccounted", source=duplicate[0], rows=1, accounted=2)


def row_balance(db: duckdb.DuckDBPyConnection, country: Country) -> dict[str, dict[str, Any]]:
    """Return the balance of each source of figures: rows = used + passed_over + rejected.

    Each balance also counts `statements`, their `companies`, statements of an `unknown_company` that the directory does
    not have, and `checks`: failed check -> statements.
    Raises `SourceError("rows-unaccounted")` unless each row of the raw tables that statements.sql reads has an outcome.
    """
    balance: dict[str, dict[str, Any]] = {}
    for raw, source in db.execute("SELECT DISTINCT raw, source FROM sourced ORDER BY raw").fetchall():
        rows, placed, same = db.execute(
            f"""SELECT r.n, p.n, r.h IS NOT DISTINCT FROM p.h FROM
                (SELECT count(*) AS n, sum(hash(_row)::HUGEINT) AS h FROM "{raw}") r,
                (SELECT count(*) AS n, sum(hash(row_id)::HUGEINT) AS h FROM outcomes WHERE raw = $raw) p""",
            {"raw": raw},
        ).fetchall()[0]
        if not same:
            raise SourceError("rows-unaccounted", source=source, rows=rows, accounted=placed)
        balance.setdefault(source, {"rows": 0, "used": 0, "passed_over": {}, "rejected": {}})["rows"] += rows
    counts = "SELECT source, rule, fault, count(*) FROM sourced GROUP BY ALL ORDER BY ALL"
    for source, rule, fault, count in db.execute(counts).fetchall():
        if fault is not None:
            balance[source]["rejected"][fault] = count
        elif rule is not None:
            balance[source]["passed_over"][rule] = count
        else:
            balance[source]["used"] = count
    for source, counted in balance.items():
        kept, companies, made = db.execute(
            """SELECT count(*), count(DISTINCT identifier),
                      (SELECT count(*) FROM years SEMI JOIN (FROM figures WHERE amount IS NOT NULL) f
                       USING (company, period_end, scope) WHERE source = $source)
               FROM statements WHERE source = $source""",
            {"source": source},
        ).fetchall()[0]
        failed = """SELECT failed, count(*) FROM
                    (SELECT unnest(checks) AS failed FROM statements WHERE source = $source)
                    GROUP BY failed ORDER BY failed"""
        checks = dict(db.execute(failed, {"source": source}).fetchall())
        counted.update(statements=kept, companies=companies, unknown_company=made - kept, checks=checks)
    return balance


def borrowed_statements(
    folders: Mapping[str, Path], links: Mapping[tuple[str, str], tuple[str, bool]]
) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the companies that borrow the statements of their record in another register.

    A Mexican issuer borrows those that it files with the SEC. A company with statements in its own register keeps them:
    series of two registers are never mixed. A branch neither borrows nor lends: the figures that Delta Air Lines files
    in Colombia are those of its branch there.

    Returns:
        Company (country, identifier) -> the linked record whose statements it borrows.
    """
    groups: dict[str, list[tuple[str, str]]] = {}
    for company, (link, _) in sorted(links.items()):
        groups.setdefault(link, []).append(company)
    if not groups:
        return {}
    with duckdb.connect() as db:
        having, foreign = (
            {
                (country, identifier)
                for country, folder in folders.items()
                for (identifier,) in db.execute(query, [_parquet(folder, table)]).fetchall()
            }
            for table, query in (
                ("statements", "SELECT DISTINCT identifier FROM read_parquet(?)"),
                ("companies", "SELECT identifier FROM read_parquet(?) WHERE home IS NOT NULL"),
            )
        )
    branches = {company for company, (link, home) in links.items() if not (home or link.startswith("lei:"))} - foreign
    whole = [[company for company in group if company not in branches] for group in groups.values()]
    return {
        company: lenders[0]
        for group in whole
        if (lenders := [company for company in group if company in having])
        for company in group
        if company not in having
    }


def statements(data: Path, work: Path, release: snapshot.Release) -> Iterator[snapshot.StatementRow]:
    """Yield every yearly statement of a release, by country and identifier, the newest first, in flat memory.

    Args:
        work: Folder in which they are sorted.
        release: The release; `snapshot.companies` must have verified its snapshots before.

    Yields:
        The statements, borrowed ones also under the company that borrows them.
    """
    with tables(work) as db:
        own = (
            f"SELECT '{code}' AS register, * FROM read_parquet('{_parquet(data / 'snapshots' / name, 'statements')}')"
            for code, name in sorted(release.snapshots.items())
        )
        db.execute("CREATE VIEW own AS " + " UNION ALL ".join(own))
        db.execute("CREATE TABLE borrowed (country VARCHAR, identifier VARCHAR, register VARCHAR, lender VARCHAR)")
        if borrowed := [(*company, *lender) for company, lender in release.borrowed.items()]:
            db.executemany("INSERT INTO borrowed VALUES (?, ?, ?, ?)", borrowed)
        cursor = db.execute(
            """SELECT * REPLACE (period_start::VARCHAR AS period_start, period_end::VARCHAR AS period_end,
                                 filed::VARCHAR AS filed)
               FROM (SELECT register AS country, * FROM own
                     UNION ALL BY NAME
                     SELECT b.country, b.identifier, own.* EXCLUDE (identifier)
                     FROM own JOIN borrowed b ON b.register = own.register AND b.lender = own.identifier)
               ORDER BY country, identifier, period_end DESC, scope"""
        )
        names = [column[0] for column in cursor.description or ()]
        while rows := cursor.fetchmany(_FETCH):
            yield from (_statement(dict(zip(names, row, strict=True))) for row in rows)


def _parquet(folder: Path, table: str) -> str:
    path = folder / f"{table}.parquet"
    if not path.is_file():
        raise ReleaseError("release-damaged", folder=str(folder), file=path.name)
    return str(path)


def _statement(row: Mapping[str, Any]) -> snapshot.StatementRow:
    amounts = tuple(
        snapshot.Amount(figure, row[figure], row["basis"].get(figure), row["first_reported"].get(figure))
        for figure in snapshot.FIGURES
        if row[figure] is not None
    )
    kept = {name: row[name] for name in snapshot.StatementRow._fields if name not in {"amounts", "checks"}}
    return snapshot.StatementRow(**kept, amounts=amounts, checks=tuple(row["checks"]))
