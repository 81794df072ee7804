"""The official sources of the United States and the layouts of their files.

There is no federal register of companies: the states keep theirs, and five publish them as open data. EDGAR holds those
that file with the SEC, and a number that is not found proves nothing about the company.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from padron.countries import gleif
from padron.countries.country import Expect, Layout, Row, Source, SourceColumn
from padron.countries.us import companyfacts

_SEC = "U.S. Securities and Exchange Commission (SEC)"
_LICENCE = "Public domain (work of the U.S. Government, 17 U.S.C. 105)"
_ATTRIBUTION = "U.S. Securities and Exchange Commission, EDGAR"


def _filer(document: dict[str, Any]) -> Iterable[Row]:
    """The one row of a filer, in the order of `_FILER`; lists go as JSON text, forms without repetition.

    A member that is not stated may be missing, as the EIN of a filer without one.
    """
    business = (document.get("addresses") or {}).get("business") or {}
    yield (
        document["cik"],
        document["name"],
        document.get("entityType"),
        document.get("ein"),
        document.get("sic"),
        document.get("sicDescription"),
        document.get("stateOfIncorporation"),
        business.get("stateOrCountry"),
        json.dumps(document.get("tickers", [])),
        json.dumps(document.get("formerNames", [])),
        json.dumps(sorted(set(document["filings"]["recent"]["form"]))),
        document.get("insiderTransactionForOwnerExists"),
    )


_FILER = tuple(
    map(
        SourceColumn,
        (
            "cik",
            "name",
            "entity_type",
            "ein",
            "sic",
            "sic_description",
            "place",
            "seat",
            "tickers",
            "formers",
            "forms",
            "owner",
        ),
    )
)

SUBMISSIONS = Source(
    key="submissions",
    name="EDGAR submissions",
    publisher=_SEC,
    url="https://www.sec.gov/search-filings/edgar-application-programming-interfaces",
    licence=_LICENCE,
    attribution=_ATTRIBUTION,
    cadence=1,
    layouts=(
        Layout(
            "filers",
            "CIK[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].json",
            "json",
            _FILER,
            private=("mailing", "street1", "street2", "city", "zipCode", "phone"),
            read_document=_filer,
            one_company=True,
        ),
    ),
    expect=Expect(min_rows=20),
)
"""One document per filer, from the API or as a member of the nightly submissions.zip. Overflow pages
(`CIK…-submissions-001.json`) hold filings only and no filer."""


def _tickers(document: dict[str, Any]) -> Iterable[Row]:
    """Rows of the ticker files, in the order of `_TICKER`.

    Two shapes: an object of objects keyed "0", "1", … (company_tickers.json), and `fields` with `data`
    (company_tickers_exchange.json). Both are in order of market value, the largest first. A row with more or fewer
    cells than fields has none that can be told: it goes without any, to be rejected.
    """
    if "fields" in document:
        fields = document["fields"]
        rows = (dict(zip(fields, row, strict=True)) if len(row) == len(fields) else {} for row in document["data"])
        return ([row[name] for name in ("cik", "name", "ticker")] if row else [None] * 3 for row in rows)
    return ([row["cik_str"], row["title"], row["ticker"]] for row in document.values())


_TICKER = tuple(map(SourceColumn, ("cik", "name", "ticker")))

TICKERS = Source(
    key="company-tickers",
    name="EDGAR company tickers",
    publisher=_SEC,
    url="https://www.sec.gov/search-filings/edgar-search-assistance/accessing-edgar-data",
    licence=_LICENCE,
    attribution=_ATTRIBUTION,
    cadence=7,
    layouts=(
        Layout("tickers", "company_tickers*.json", "json", _TICKER, read_document=_tickers),
        Layout("reserialised", "reserialised_*.json", "json", _TICKER, official=False, read_document=_tickers),
    ),
    expect=Expect(min_rows=9_000),
)
"""One row per ticker: a company has as many as it has classes of securities. A delisted company is missing from the
next file. `reserialised` is a copy written anew by a third party, with the CIK as text."""

_SUB = tuple(
    SourceColumn(name, (name,))
    for name in (
        *("cik", "name", "sic", "countryba", "stprba", "countryinc"),
        *("ein", "former", "changed", "form", "filed"),
    )
)
_SUB_PRIVATE = ("bas1", "bas2", "baph", "cityba", "zipba", "mas1", "mas2", "cityma", "zipma")

STATEMENTS = Source(
    key="financial-statement-data-sets",
    name="Financial Statement Data Sets",
    publisher=_SEC,
    url="https://www.sec.gov/data-research/sec-markets-data/financial-statement-data-sets",
    licence=_LICENCE,
    attribution=_ATTRIBUTION,
    cadence=92,
    layouts=(
        Layout(
            "rebuilt", "rebuilt-*_sub.txt", "csv", _SUB, "utf-8", "\t", quote="", private=_SUB_PRIVATE, official=False
        ),
        Layout("sub", "*sub.txt", "csv", _SUB, "utf-8", "\t", quote="", private=_SUB_PRIVATE),
    ),
    expect=Expect(min_rows=900),
)
"""SUB, one row per filing, of the quarterly zips (2009q1 on); names and places are as of the filing. `rebuilt` was
written back as text from a Parquet copy."""

COMPANYFACTS = Source(
    key="companyfacts",
    name="EDGAR XBRL company facts",
    publisher=_SEC,
    url="https://www.sec.gov/search-filings/edgar-application-programming-interfaces",
    licence=_LICENCE,
    attribution=_ATTRIBUTION,
    cadence=1,
    layouts=(
        Layout(
            "facts",
            "CIK[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].json",
            "json",
            companyfacts.COLUMNS,
            read_document=companyfacts.read_facts,
            one_company=True,
        ),
        Layout(
            "reserialised",
            "reserialised_CIK*.json",
            "json",
            companyfacts.COLUMNS,
            official=False,
            read_document=companyfacts.read_facts,
            one_company=True,
        ),
    ),
    expect=Expect(min_rows=1_000),
)
"""One document per filer, from the API or as a member of the nightly companyfacts.zip; a row is a fact under one of the
tags of `companyfacts.TAGS`. `reserialised` documents were printed anew by a third party, one with its CIK as text."""


def _register(
    key: str, title: str, publisher: str, url: str, licence: str, *, pattern: str = "", **headers: str
) -> Source:
    """A register of companies that a state publishes as a Socrata table; `headers` are the columns that are read.

    `pattern` is that of its numbers, where the state has one of its own.
    """
    columns = tuple(
        SourceColumn(column, (header,), pattern=pattern if column == "number" else "")
        for column, header in headers.items()
    )
    return Source(
        key=key,
        name=title,
        publisher=publisher,
        url=url,
        licence=licence,
        attribution=publisher,
        cadence=31,
        layouts=(Layout("entities", f"{key}*.csv", "csv", columns, "utf-8"),),
        expect=Expect(min_rows=1, max_rejected=0.01),
    )


COLORADO = _register(
    "state-colorado",
    "Business Entities in Colorado (4ykn-tg5h)",
    "Colorado Secretary of State",
    "https://data.colorado.gov/Business/Business-Entities-in-Colorado/4ykn-tg5h",
    "Public domain",
    pattern="( *[0-9]){11}",
    number="entityid",
    name="entityname",
    kind="entitytype",
    status="entitystatus",
    formed="entityformdate",
    city="principalcity",
    seat="principalstate",
)
CONNECTICUT = _register(
    "state-connecticut",
    "Connecticut Business Registry, Business Master (n7gp-d28j)",
    "Connecticut Secretary of the State",
    "https://data.ct.gov/Business/Connecticut-Business-Registry-Business-Master/n7gp-d28j",
    "Public domain",
    number="accountnumber",
    name="name",
    kind="business_type",
    status="status",
    formed="date_registration",
)
NEW_YORK = _register(
    "state-new-york",
    "Active Corporations: Beginning 1800 (n9v6-gdp6)",
    "New York State Department of State",
    "https://data.ny.gov/Government-Finance/Active-Corporations-Beginning-1800/n9v6-gdp6",
    "Open data of the State of New York (terms of data.ny.gov)",
    number="dos_id",
    name="current_entity_name",
    kind="entity_type",
    formed="initial_dos_filing_date",
)
OREGON = _register(
    "state-oregon",
    "Active Businesses (tckn-sxa6)",
    "Oregon Secretary of State",
    "https://data.oregon.gov/Business/Active-Businesses-ALL/tckn-sxa6",
    "Public record",
    number="registry_number",
    name="business_name",
    kind="entity_type",
    formed="registry_date",
    city="city",
    seat="state",
)
TEXAS = _register(
    "state-texas",
    "Active Franchise Tax Permit Holders (9cir-efmm)",
    "Texas Comptroller of Public Accounts",
    "https://data.texas.gov/d/9cir-efmm",
    "Open data of the State of Texas (terms of data.texas.gov)",
    number="secretary_of_state_sos_or_coa_file_number",
    name="taxpayer_name",
    kind="taxpayer_organizational_type",
)
STATES = (COLORADO, CONNECTICUT, NEW_YORK, OREGON, TEXAS)
"""The registers that states publish as tables, their columns as public programs that read them name them: not yet seen
at the publishers, so `padron sources check US` compares them with each table's own list. Agents and officers are
persons, whose columns, as those of addresses, are never requested. Oregon has a row for each name of a business, of
which that of its place of business is asked for; New York, Oregon and Texas list active companies only. No copy of
their rows could be had."""

SOURCES = (SUBMISSIONS, TICKERS, STATEMENTS, *STATES, gleif.SOURCE, COMPANYFACTS)
"""Only GLEIF's number of the SEC (RA000665) is a CIK. Of the companies in registers of other states, those with an LEI
are known by it."""
