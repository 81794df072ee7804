"""Taking suppressed companies out of a build: their rows are left out by rule, counted as `suppressed`."""

from __future__ import annotations

import duckdb

from padron.country import Country
from padron.suppression import Suppressions


def withhold(db: duckdb.DuckDBPyConnection, country: Country, suppressions: Suppressions) -> None:
    """Move the rows of suppressed companies to `left_out`; the tables are as `companies.sql` left them."""
    wanted = [(entry.scheme, entry.key) for entry in suppressions.entries if entry.country == country.code]
    if not wanted:
        return
    db.execute("CREATE TEMP TABLE wanted (scheme VARCHAR, key VARCHAR)")
    db.executemany("INSERT INTO wanted VALUES (?, ?)", wanted)
    # A key is the beginning of the identifiers filed under it; what really is is told by the scheme.
    likely = db.execute(
        """SELECT DISTINCT company, x.scheme, x.value FROM (
               SELECT company, unnest(coalesce(aliases, []) || [ident(scheme, identifier)]) AS x FROM records)
           JOIN wanted w ON w.scheme = x.scheme AND starts_with(x.value, w.key)"""
    ).fetchall()
    schemes = country.scheme_by_code
    hidden = {
        company
        for company, scheme, value in likely
        if suppressions.hides(country.code, [(scheme, schemes[scheme].key(value))])
    }
    db.execute("CREATE TEMP TABLE hidden (company VARCHAR)")
    if hidden:
        db.executemany("INSERT INTO hidden VALUES (?)", [(company,) for company in sorted(hidden)])
    for table in ("records", "joined"):
        db.execute(
            f"""INSERT INTO left_out SELECT source, row_id, 'suppressed' FROM {table} SEMI JOIN hidden USING (company);
                DELETE FROM {table} WHERE company IN (FROM hidden)"""
        )
