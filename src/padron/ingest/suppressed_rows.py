"""Exclusion of suppressed companies from a build: their rows are left out by rule and counted as `suppressed`."""

from __future__ import annotations

import duckdb

from padron.countries.country import Country
from padron.releases.suppression import Suppressions


def leave_out_suppressed(db: duckdb.DuckDBPyConnection, country: Country, suppressions: Suppressions) -> None:
    """Move the rows of suppressed companies to `left_out`."""
    hidden = suppressed_companies(
        db,
        country,
        suppressions,
        "SELECT company, unnest(coalesce(aliases, []) || [ident(scheme, identifier)]) AS x FROM records",
    )
    if not hidden:
        return
    db.execute("CREATE TEMP TABLE hidden (company VARCHAR)")
    db.executemany("INSERT INTO hidden VALUES (?)", [(company,) for company in sorted(hidden)])
    for table in ("records", "joined"):
        db.execute(
            f"""INSERT INTO left_out SELECT source, row_id, 'suppressed' FROM {table} SEMI JOIN hidden USING (company);
                DELETE FROM {table} WHERE company IN (FROM hidden)"""
        )


def suppressed_companies(
    db: duckdb.DuckDBPyConnection, country: Country, suppressions: Suppressions, numbers: str
) -> set[str]:
    """Return the suppressed companies among those that a query yields.

    Args:
        numbers: SQL of `company` and `x`, one of its identifiers with `scheme` and `value`.

    Returns:
        Their values of `company`.
    """
    keys = [(entry.scheme, entry.key) for entry in suppressions.entries if entry.country == country.code]
    if not keys:
        return set()
    db.execute("CREATE TEMP TABLE suppressed (scheme VARCHAR, key VARCHAR)")
    db.executemany("INSERT INTO suppressed VALUES (?, ?)", keys)
    # A key is a prefix of the identifiers filed under it. The scheme decides which of the candidates match exactly.
    candidates = db.execute(
        f"""SELECT DISTINCT company, x.scheme, x.value FROM ({numbers})
            JOIN suppressed s ON s.scheme = x.scheme AND starts_with(x.value, s.key)"""
    ).fetchall()
    schemes = country.scheme_by_code
    return {
        company
        for company, scheme, value in candidates
        if suppressions.hides(country.code, [(scheme, schemes[scheme].key(value))])
    }
