"""Download addresses of the files of the United States.

SEC, "Accessing EDGAR data": at most ten requests per second over all machines, and a User-Agent with a contact;
without one the answer is 403, and too many requests are blocked for ten minutes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from padron.countries.country import Source
from padron.countries.origin import GLEIF, Addresses, File, Manners, Origin, Table, TableQuery, fixed
from padron.countries.us.sources import (
    COLORADO,
    COMPANYFACTS,
    CONNECTICUT,
    NEW_YORK,
    OREGON,
    STATEMENTS,
    SUBMISSIONS,
    TEXAS,
    TICKERS,
)

_SEC = Manners("sec", rate=8.0, connections=2, contact=True)
_QUARTERS = 8
_DAYS = 7

DAILY_INDEX = Source(
    key="daily-index",
    name="EDGAR daily index",
    publisher=SUBMISSIONS.publisher,
    url="https://www.sec.gov/Archives/edgar/daily-index/",
    licence=SUBMISSIONS.licence,
    attribution=SUBMISSIONS.attribution,
    cadence=1,
    layouts=(),
)


def _quarters(today: date) -> Sequence[File]:
    """Return the quarterly zips of two years, in which every filer files; the two newest may not exist yet."""
    last = today.year * 4 + (today.month - 1) // 3
    names = [f"{number // 4}q{number % 4 + 1}.zip" for number in range(last - _QUARTERS, last + 1)]
    base = "https://www.sec.gov/files/dera/data/financial-statement-data-sets"
    return [File(name, f"{base}/{name}", optional=name in names[-2:]) for name in names]


def _days(today: date) -> Sequence[File]:
    """Return the indexes of last week's working days; a holiday has none, and its address answers 403."""
    days = [today - timedelta(days=back) for back in range(_DAYS, 0, -1)]
    return [
        File(
            f"master.{day:%Y%m%d}.idx",
            f"{DAILY_INDEX.url}{day.year}/QTR{(day.month + 2) // 3}/master.{day:%Y%m%d}.idx",
            optional=True,
        )
        for day in days
        if day.weekday() < 5
    ]


def _state(source: Source, host: str, dataset: str, where: str = "") -> Origin:
    """The table of a state's register, of which only the columns that are read are requested."""
    columns = tuple(column.headers[0] for column in source.layouts[0].columns)
    query = TableQuery(f"{source.key}_{dataset}.csv", where)
    return Origin(source.key, Table(f"https://{host}", dataset, columns, lambda _today: [query]), Manners(host))


COLLECTED = (DAILY_INDEX,)
ORIGINS = (
    Origin(SUBMISSIONS.key, fixed("https://www.sec.gov/Archives/edgar/daily-index/bulkdata/submissions.zip"), _SEC),
    Origin(
        TICKERS.key,
        fixed(
            "https://www.sec.gov/files/company_tickers.json",
            "https://www.sec.gov/files/company_tickers_exchange.json",
        ),
        _SEC,
    ),
    Origin(STATEMENTS.key, Addresses(_quarters), _SEC),
    Origin(COMPANYFACTS.key, fixed("https://www.sec.gov/Archives/edgar/daily-index/xbrl/companyfacts.zip"), _SEC),
    Origin(DAILY_INDEX.key, Addresses(_days), _SEC),
    _state(COLORADO, "data.colorado.gov", "4ykn-tg5h"),
    _state(CONNECTICUT, "data.ct.gov", "n7gp-d28j"),
    _state(NEW_YORK, "data.ny.gov", "n9v6-gdp6"),
    _state(OREGON, "data.oregon.gov", "tckn-sxa6", "associated_name_type='PRINCIPAL PLACE OF BUSINESS'"),
    _state(TEXAS, "data.texas.gov", "9cir-efmm"),
    GLEIF,
)
