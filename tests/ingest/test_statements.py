"""Statements are accounted for, kept with the release, lent to linked records, and found again in their store."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from padron.countries import REGISTRY
from padron.countries.country import Country, Source
from padron.errors import ReleaseError, SourceError
from padron.ingest import statements as ingest
from padron.ingest.build import build
from padron.lookup import statements as store
from padron.releases import snapshot
from padron.releases.snapshot import Amount, StatementRow
from small_register import source

Write = Callable[..., Path]
Make = Callable[[Source], Country]
ONE, TWO = "1790016919001", "1790010937001"
ROWS = f"RUC,NOMBRE\n{ONE},CORPORACIÓN FAVORITA C.A.\n{TWO},BANCO PICHINCHA C.A.\n".encode()
SCRIPT = f"""
CREATE TABLE years AS SELECT ruc AS company, DATE '2023-12-31' AS period_end,
    'individual' AS scope, 2023 AS fiscal_year, DATE '2023-01-01' AS period_start, 'USD' AS currency,
    7 AS employees, 'F' AS form, 'f1' AS filing, DATE '2024-04-30' AS filed, 'register' AS source, ['odd'] AS checks
    FROM (SELECT ruc FROM register_table WHERE ruc = '{ONE}' UNION ALL SELECT 'nobody');
CREATE TABLE figures AS SELECT company, period_end, scope, * FROM years,
    (VALUES ('revenue', 1000.5, 'r', NULL), ('assets', 2000, 'a', 1999.99), ('equity', 0, 'e', 5),
            ('cash', NULL, 'c', 1))
    AS t(figure, amount, basis, first_reported);
CREATE TABLE outcomes AS SELECT 'register_table' AS raw, _row AS row_id,
    CASE WHEN ruc <> '{ONE}' THEN 'other' END AS rule, NULL AS fault FROM register_table;
"""


def release_of(country: Country, root: Path, data: Path) -> snapshot.Release:
    with snapshot.building(data) as work:
        release = build(data, work, {"EC": country}, [root])
        snapshot.publish(data, work, release.id)
    return release


def test_figures_become_statements(country: Make, official: Write, tmp_path: Path) -> None:
    made = country(source())
    (made.folder / "statements.sql").write_text(SCRIPT)
    release = release_of(made, official(a__csv=ROWS), tmp_path / "var")
    (statement,) = ingest.statements(tmp_path / "var", tmp_path, release)
    assert statement == StatementRow(
        country="EC",
        identifier=ONE,
        register="EC",
        fiscal_year=2023,
        period_start="2023-01-01",
        period_end="2023-12-31",
        currency="USD",
        scope="individual",
        amounts=(
            Amount("revenue", Decimal("1000.50"), "r", None),
            Amount("assets", Decimal("2000.00"), "a", None),
            Amount("equity", Decimal("0.00"), "e", Decimal("5.00")),
        ),
        employees=7,
        restated=True,
        form="F",
        filing="f1",
        filed="2024-04-30",
        source="register",
        checks=("odd",),
    )
    assert snapshot.manifest(tmp_path / "var", release.snapshots["EC"])["statements"]["register"] == {
        "rows": 2,
        "used": 1,
        "passed_over": {"other": 1},
        "rejected": {},
        "statements": 1,
        "companies": 1,
        "unknown_company": 1,
        "checks": {"odd": 1},
    }
    financials = {company.identifier: company.financials for company in snapshot.companies(tmp_path / "var", release)}
    assert financials == {ONE: True, TWO: False}


@pytest.mark.parametrize(
    "fault",
    [
        "DELETE FROM outcomes WHERE rule = 'other'",
        "INSERT INTO outcomes SELECT raw, row_id, 'again', NULL FROM outcomes LIMIT 1",
        "UPDATE outcomes SET row_id = row_id + 100 WHERE rule = 'other'",
    ],
    ids=["forgotten", "twice", "another"],
)
def test_a_row_without_its_one_fate_stops_the_build(country: Make, official: Write, tmp_path: Path, fault: str) -> None:
    made = country(source())
    (made.folder / "statements.sql").write_text(SCRIPT + fault)
    with pytest.raises(SourceError, match="rows-unaccounted"):
        release_of(made, official(a__csv=ROWS), tmp_path / "var")


def test_a_source_of_figures_alone_is_accounted_for_by_its_figures(
    country: Make, official: Write, tmp_path: Path
) -> None:
    made = country(source())
    (made.folder / "companies.sql").write_text(
        (made.folder / "companies.sql").read_text() + "DELETE FROM records; DELETE FROM left_out; DELETE FROM rejected;"
    )
    with pytest.raises(SourceError, match="rows-unaccounted"):
        release_of(made, official(a__csv=ROWS), tmp_path / "var")
    (made.folder / "statements.sql").write_text(SCRIPT)
    release = release_of(made, official(a__csv=ROWS), tmp_path / "again")
    books = snapshot.manifest(tmp_path / "again", release.snapshots["EC"])["sources"]["register"]
    assert (books["rows"], books["kept"], books["left_out"]) == (2, 1, {"other": 1})


def test_a_snapshot_without_its_statements_is_damaged(country: Make, official: Write, tmp_path: Path) -> None:
    release = release_of(country(source()), official(a__csv=ROWS), tmp_path / "var")
    assert list(ingest.statements(tmp_path / "var", tmp_path, release)) == []
    (tmp_path / "var" / "snapshots" / release.snapshots["EC"] / "statements.parquet").unlink()
    with pytest.raises(ReleaseError, match="release-damaged"):
        list(ingest.statements(tmp_path / "var", tmp_path, release))


def test_a_company_without_statements_borrows_those_of_a_linked_record(tmp_path: Path) -> None:
    """And never those of a branch: the figures of Delta Air Lines in Colombia are not those of the company."""
    for code, identifiers, homes in (
        ("US", ["1", "2"], {"1": "MX", "2": "BR"}),
        ("MX", [], {}),
        ("BR", ["b", "b2"], {}),
        ("CO", ["branch", "same"], {}),
    ):
        (tmp_path / code).mkdir()
        for table, column, rows in (
            ("statements", "identifier", [(identifier,) for identifier in identifiers]),
            ("companies", "identifier, home", [(identifier, homes.get(identifier)) for identifier in identifiers]),
        ):
            with duckdb.connect() as db:
                db.execute(f"CREATE TABLE t ({', '.join(f'{name} VARCHAR' for name in column.split(', '))})")
                if rows:
                    db.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(rows[0]))})", rows)
                db.execute(f"COPY t TO '{tmp_path / code / table}.parquet' (FORMAT parquet)")
    links = {
        ("US", "1"): ("x", False),
        ("MX", "m"): ("x", True),
        ("US", "2"): ("y", False),
        ("BR", "b"): ("y", True),
        ("US", "3"): ("z", False),
        ("MX", "n"): ("z", True),
        ("CO", "branch"): ("w", False),
        ("US", "delta"): ("w", True),
        ("MX", "branch"): ("v", False),
        ("BR", "b2"): ("v", True),
        ("CO", "same"): ("lei:L", False),
        ("MX", "l"): ("lei:L", True),
    }
    folders = {code: tmp_path / code for code in ("US", "MX", "BR", "CO")}
    assert ingest.borrowed_statements(folders, links) == {("MX", "m"): ("US", "1"), ("MX", "l"): ("CO", "same")}
    assert ingest.borrowed_statements(folders, {}) == {}


def statement(country: str, identifier: str, year: int = 2023, amount: str = "10.50") -> StatementRow:
    amounts = (
        Amount("revenue", Decimal(amount), "tag", None),
        Amount("equity", Decimal("-3.00"), None, Decimal("2.00")),
    )
    return StatementRow(
        *(country, identifier, "US", year, None, f"{year}-12-31", "USD", "consolidated", amounts, 5, True),
        *("10-K", "0001", "2024-02-01", "companyfacts", ("odd",)),
    )


keys = st.lists(
    st.tuples(st.sampled_from(("AR", "BR", "US")), st.text("0123456789ABÑ&", min_size=1, max_size=14)), unique=True
)


@settings(max_examples=60, deadline=None)
@given(keys, keys)
def test_every_company_is_found_with_its_own_and_no_other_is(
    tmp_path_factory: pytest.TempPathFactory, held: list[tuple[str, str]], asked: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("store") / "statements"
    rows = [statement(*key, year) for key in sorted(held) for year in (2023, 2022)]
    assert store.build(rows, folder) == len(held)
    opened = store.Statements(folder)
    for key in {*held, *asked}:
        statements_ = opened.get(*key)
        assert [statement.fiscal_year for statement in statements_] == ([2023, 2022] if key in held else [])
    for key in held:
        first = opened.get(*key)[0]
        assert first.amounts == (("revenue", "10.50", "tag", None), ("equity", "-3", None, "2"))
        assert (first.register, first.source, first.checks) == ("US", "companyfacts", ("odd",))


def test_rows_out_of_order_are_refused(tmp_path: Path) -> None:
    rows = [statement("US", "2"), statement("US", "1")]
    with pytest.raises(ValueError, match="out of order"):
        store.build(rows, tmp_path / "statements")


def test_a_store_that_is_absent_or_cut_short_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="release-damaged"):
        store.Statements(tmp_path / "nowhere")
    store.build([statement("US", "1"), statement("US", "2")], tmp_path / "s")
    rows = tmp_path / "s" / "rows.bin"
    whole = rows.read_bytes()
    for kept in (0, 20, len(whole) // 2 + 3, len(whole) - 1):
        rows.write_bytes(whole[:kept])
        with pytest.raises(ReleaseError, match="release-damaged"):
            store.Statements(tmp_path / "s")


def test_a_statement_as_it_is_sent(tmp_path: Path) -> None:
    store.build([statement("MX", "AAA080808HL8", amount="416161000000.00")], tmp_path / "s")
    (stored,) = store.Statements(tmp_path / "s").get("MX", "AAA080808HL8")
    sent = store.present(stored, REGISTRY, "es")
    assert [(figure.key, figure.label, figure.amount, figure.first_reported) for figure in sent.figures] == [
        ("revenue", "Ingresos", "416161000000", None),
        ("equity", "Patrimonio", "-3", "2"),
    ]
    assert (sent.source.key, sent.filing.reference, str(sent.filing.filed_on)) == ("companyfacts", "0001", "2024-02-01")
    assert store.present(stored, REGISTRY, "en").figures[0].label == "Revenue"
    assert set(store.LABELS) == set(snapshot.FIGURES)


def test_the_whole_release_goes_into_a_store(release: Path, tmp_path: Path) -> None:
    read = snapshot.read_release(release, snapshot.current(release))
    rows = list(ingest.statements(release, tmp_path, read))
    assert store.build(rows, tmp_path / "s") == len({(row.country, row.identifier) for row in rows}) > 11_000
    apple = store.Statements(tmp_path / "s").get("US", "320193")
    assert [statement.fiscal_year for statement in apple] == list(range(2025, 2006, -1))
    assert ("revenue", "416161000000") in [amount[:2] for amount in apple[0].amounts]
