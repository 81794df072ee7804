"""Details of a company: the source of each of its fields."""

from __future__ import annotations

from pathlib import Path

import pytest

from padron.countries import REGISTRY
from padron.directory import Directory, run

TICKERS, STATEMENTS = "company-tickers", "financial-statement-data-sets"


@pytest.fixture(scope="module")
def directory(release: Path) -> Directory:
    return run(Directory.open(release, REGISTRY, "http://127.0.0.1:8000"))


@pytest.mark.parametrize(
    ("country", "identifier", "given"),
    [
        # One source, one company: all that is known is its own.
        ("AR", "30546689979", dict.fromkeys(("legal_name",), "compr-ar")),
        # The list of tickers has the name; place and activity stand only in the data sets of the statements.
        ("US", "1000045", {"legal_name": TICKERS, "activity_code": STATEMENTS, "region": STATEMENTS}),
        ("US", "1000184", {"legal_name": TICKERS, "activity_code": STATEMENTS}),
        # The supplier register names it, the register of emissions knows what it does.
        ("MX", "AME980128HP8", {"legal_name": "comprasmx", "activity_code": "retc"}),
        ("EC", "0190050858001", {"legal_name": "supercias-nombres", "activity_code": "supercias-balances"}),
    ],
)
def test_each_field_has_its_source(directory: Directory, country: str, identifier: str, given: dict[str, str]) -> None:
    detail = run(directory.details(country, identifier, "en")).detail
    assert detail.provenance == given
    assert set(given.values()) <= {source.key for source in detail.sources}
