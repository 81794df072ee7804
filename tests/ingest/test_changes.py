"""The change log of a release: exact entries from two small snapshots, and pages by cursor."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from one_country import place as place_files
from padron import config
from padron.cli import builds, doctor
from padron.companies import fields
from padron.countries import REGISTRY
from padron.countries.country import Country, Source
from padron.errors import Invalid, ReleaseError
from padron.ingest import changes
from padron.ingest.suppressed_rows import leave_out_suppressed
from padron.releases import change_log, snapshot
from padron.releases.snapshot import Release
from padron.releases.suppression import Suppression, Suppressions
from small_register import release_of, source

Make = Callable[[Source], Country]
Write = Callable[..., Path]

HIDDEN = Suppressions((Suppression("EC", "ec-expediente", "7", "order", date(2026, 1, 1)),))


SECOND = 305 * 24
"""Hours from 2026-01-01 to the second release, on 2026-11-02."""


def place(data: Path, name: str, companies: list[tuple[str, ...]], years: list[tuple[str, int]] = []) -> None:  # noqa: B006
    """A snapshot: companies as (scheme, identifier, expediente, name, status), years as (identifier, year)."""
    folder = data / "snapshots" / name
    folder.mkdir(parents=True)
    with duckdb.connect() as db:
        for table, specs in (("companies", fields.FIELDS), ("statements", snapshot.STATEMENT_COLUMNS)):
            db.execute(f"CREATE TABLE {table} ({', '.join(f'{spec.name} {spec.type}' for spec in specs)})")
        for scheme, identifier, file, legal_name, status in companies:
            db.execute(
                "INSERT INTO companies BY NAME SELECT ? AS scheme, ? AS identifier, ? AS legal_name, ? AS status, "
                "[{'scheme': 'ec-expediente', 'value': ?}] AS aliases",
                [scheme, identifier, legal_name, status, file],
            )
        for identifier, year in years:
            db.execute(
                "INSERT INTO statements BY NAME SELECT 'ec-ruc' AS scheme, ? AS identifier, ? AS fiscal_year",
                [identifier, year],
            )
        for table in ("companies", "statements"):
            db.execute(f"COPY {table} TO '{folder / table}.parquet' (FORMAT parquet)")


def publish(data: Path, name: str, number: int) -> None:
    """Make a release of one snapshot the served one, as `padron.publishing.publish` does after it was proved."""
    work = data / "work"
    work.mkdir(exist_ok=True)
    release = Release(f"r{number}-{name[-1]}", f"2026-11-0{number}", {"EC": name}, {}, {}, {})
    snapshot.write_release(data, work, release)
    snapshot.publish(data, work, release.id)


OLD = [
    ("ec-ruc", "1790016919001", "384", "CORPORACION FAVORITA C.A.", "active"),
    ("ec-ruc", "0990004196001", "2", "LA VIEJA S.A.", "active"),
    ("ec-ruc", "0990000000001", "3", "SE FUE S.A.", "active"),
    ("ec-expediente", "4", "4", "SIN RUC S.A.", None),
    ("ec-ruc", "0990007777001", "7", "OCULTA S.A.", "active"),
]
NEW = [
    ("ec-ruc", "1790016919001", "384", "CORPORACION FAVORITA C.A.", "in_liquidation"),
    ("ec-ruc", "0990004196001", "2", "LA NUEVA S.A.", "active"),
    ("ec-ruc", "0990004444001", "4", "SIN RUC S.A.", None),
    ("ec-ruc", "0990005555001", "5", "RECIÉN LLEGADA S.A.", "active"),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    place(tmp_path, "ec/a", OLD, [("1790016919001", 2023)])
    place(tmp_path, "ec/b", NEW, [("1790016919001", 2023), ("1790016919001", 2024), ("1790016919001", 2025)])
    return tmp_path


def write(data: Path, suppressions: Suppressions = HIDDEN) -> Path | None:
    """Publish two releases and log what the second changed."""
    publish(data, "ec/a", 1)
    publish(data, "ec/b", 2)
    return changes.record(data, data / "work", REGISTRY, suppressions)


def brief(page: change_log.ChangePage) -> list[tuple[str, ...]]:
    return [(c["identifier"], c["change"], c["before"], c["after"]) for c in page.changes]


def test_each_kind_of_change_is_told_once(data: Path) -> None:
    path = write(data)
    assert path is not None
    assert path.name == f"{SECOND:06}-r2-b.jsonl"
    page = change_log.read(data, None, 100, REGISTRY, HIDDEN)
    assert brief(page) == [
        ("0990000000001", "gone", None, None),
        ("0990004196001", "renamed", "LA VIEJA S.A.", "LA NUEVA S.A."),
        ("0990004444001", "renumbered", "4", "0990004444001"),
        ("0990005555001", "new", None, None),
        ("1790016919001", "new-statements", None, "2024 2025"),
        ("1790016919001", "status-changed", "active", "in_liquidation"),
    ]
    assert page.changes[3] == {
        "country": "EC", "scheme": "ec-ruc", "identifier": "0990005555001", "name": "RECIÉN LLEGADA S.A.",
        "change": "new", "before": None, "after": None, "release": "r2-b", "at": "2026-11-02",
        "numbers": [("ec-ruc", "0990005555001"), ("ec-expediente", "5")],
    }  # fmt: skip


def test_a_suppressed_company_leaves_no_trace_even_later(data: Path) -> None:
    path = write(data)
    assert path is not None
    assert "OCULTA" not in path.read_text("utf-8"), "it did not 'go'"
    later = Suppressions((Suppression("EC", "ec-expediente", "5", "order", date(2026, 1, 1)),))
    assert "RECIÉN" not in json.dumps(change_log.read(data, None, 100, REGISTRY, later).changes, ensure_ascii=False)
    assert len(change_log.read(data, None, 100, REGISTRY, later).changes) == 5


def all_of(data: Path) -> list[dict[str, Any]]:
    """All changes, read page by page."""
    page = change_log.read(data, None, 100, REGISTRY, HIDDEN)
    changes = page.changes
    while page.more:
        page = change_log.read(data, page.cursor, 100, REGISTRY, HIDDEN)
        changes += page.changes
    return changes


@pytest.mark.parametrize(("damaged", "whole"), [(2, 6), (1, 1)])
def test_what_is_whole_before_a_damage_is_read(data: Path, damaged: int, whole: int) -> None:
    first = write(data)
    assert first is not None
    second = first.with_name("999999-r3-c.jsonl")
    second.write_bytes(b"" if damaged == 2 else first.read_bytes())
    if damaged == 1:
        first.write_bytes(first.read_bytes().replace(b'"renamed"', b"", 1))
    page = change_log.read(data, None, 100, REGISTRY, HIDDEN)
    assert (len(page.changes), page.more) == (whole, True)
    for _ in range(2):
        with pytest.raises(ReleaseError, match="changes-damaged"):
            change_log.read(data, page.cursor, 100, REGISTRY, HIDDEN)


@pytest.mark.parametrize("damage", ["emptied", "cut in the head", "cut in a line", "head changed", "member changed"])
def test_a_damaged_log_is_stated_and_written_again(data: Path, damage: str) -> None:
    path = write(data)
    assert path is not None
    whole, configured = path.read_bytes(), config.load({}, data=data)
    path.write_bytes(
        {
            "emptied": b"",
            "cut in the head": whole[:20],
            "cut in a line": whole[:-30],
            "head changed": whole.replace(b'"at"', b'"bt"', 1),
            "member changed": whole.replace(b'"aliases"', b'"bliases"', 1),
        }[damage]
    )
    with pytest.raises(ReleaseError, match="changes-damaged"):
        all_of(data)
    with pytest.raises(ReleaseError, match="changes-damaged"):
        change_log.latest(data, 100, REGISTRY, HIDDEN)
    (finding,) = doctor._changes(configured, REGISTRY)
    assert finding.fault
    assert "Remove it and run `padron build`" in finding.text.en
    path.unlink()
    assert write(data) == path
    assert path.read_bytes() == whole
    assert list(doctor._changes(configured, REGISTRY)) == []


def test_a_folder_in_the_place_of_a_log_and_a_log_without_permission_are_stated(data: Path) -> None:
    path = write(data)
    assert path is not None
    whole = path.read_bytes()
    path.unlink()
    path.mkdir()
    for reading in (all_of, change_log.check):
        with pytest.raises(ReleaseError, match=f"changes-damaged file='changes/{SECOND:06}-r2-b.jsonl'"):
            reading(data)
    (finding,) = doctor._changes(config.load({}, data=data), REGISTRY)
    assert finding.fault
    path.rmdir()
    path.symlink_to(path.name)  # a loop: root may read whatever there is
    for reading in (all_of, change_log.check, change_log.end):
        with pytest.raises(ReleaseError, match="release-unreadable"):
            reading(data)
    path.unlink()
    path.write_bytes(whole)
    change_log.check(data)


@pytest.mark.parametrize("cut", [0, 20, -30])
def test_a_log_that_breaks_off_is_noticed_by_its_ends(data: Path, cut: int) -> None:
    path = write(data)
    assert path is not None
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ReleaseError, match="changes-damaged"):
        change_log.check(data)


def test_without_suppression_it_is_told(data: Path) -> None:
    path = write(data, Suppressions())
    assert path is not None
    assert "OCULTA" in path.read_text("utf-8")


def test_a_log_is_written_once(data: Path) -> None:
    publish(data, "ec/a", 1)
    assert changes.record(data, data / "work", REGISTRY, HIDDEN) is None, (
        "the first release has nothing to be compared with"
    )
    assert write(data) is not None
    assert changes.record(data, data / "work", REGISTRY, HIDDEN) is None
    publish(data, "ec/b", 2)
    assert changes.record(data, data / "work", REGISTRY, HIDDEN) is None, "the same release again"
    publish(data, "ec/a", 3)
    again = changes.record(data, data / "work", REGISTRY, HIDDEN)
    assert again is not None
    assert again.name == f"{SECOND + 24:06}-r3-a.jsonl"


def test_a_build_killed_before_it_logged_loses_nothing(country: Make, official: Write, tmp_path: Path) -> None:
    register, data = {"EC": country(source())}, tmp_path / "var"
    for number, name in enumerate(("LA PRIMERA", "LA SEGUNDA", "LA TERCERA"), start=1):
        release_of(register, official(a__csv=f"RUC,NOMBRE\n1790016919001,{name} S.A.\n".encode()), data)
        if number == 2:  # as if it was killed right after publishing: the only thing it had not done yet
            [log] = (data / "changes").iterdir()
            log.unlink()
    page = change_log.read(data, None, 10, register, Suppressions())
    assert brief(page) == [
        ("1790016919001", "renamed", "LA PRIMERA S.A.", "LA SEGUNDA S.A."),
        ("1790016919001", "renamed", "LA SEGUNDA S.A.", "LA TERCERA S.A."),
    ]


@pytest.fixture(scope="module")
def two_logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("log")
    place(data, "ec/a", OLD)
    place(data, "ec/b", NEW)
    write(data)
    publish(data, "ec/a", 3)
    changes.record(data, data / "work", REGISTRY, HIDDEN)
    return data


@pytest.mark.parametrize("most", [1, 5, 6, 7, 100])
def test_the_last_changes_are_sought_in_so_many_lines_of_all_logs(
    two_logs: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    whole = change_log.latest(two_logs, 100, REGISTRY, HIDDEN)
    assert len({change["release"] for change in whole}) == 2
    monkeypatch.setattr(change_log, "SCANNED", most)
    assert change_log.latest(two_logs, 100, REGISTRY, HIDDEN) == whole[:most]


@settings(deadline=None)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=12))
def test_pages_of_any_size_give_every_change_once(two_logs: Path, sizes: list[int]) -> None:
    data = two_logs
    whole = change_log.read(data, None, 100, REGISTRY, HIDDEN)
    entries, cursor = [], None
    for size in [*sizes, 100]:
        page = change_log.read(data, cursor, size, REGISTRY, HIDDEN)
        entries += page.changes
        cursor = page.cursor
    assert (entries, cursor) == (whole.changes, whole.cursor)
    assert change_log.read(data, cursor, 5, REGISTRY, HIDDEN).changes == []


def test_logs_go_on_behind_every_cursor_after_the_data_folder_was_lost(two_logs: Path, data: Path) -> None:
    lost = change_log.end(two_logs)
    assert change_log.read(data, lost, 5, REGISTRY, HIDDEN) == ([], lost, False), "nothing is built yet"
    publish(data, "ec/a", 4)
    publish(data, "ec/b", 5)
    changes.record(data, data / "work", REGISTRY, HIDDEN)
    page = change_log.read(data, lost, 5, REGISTRY, HIDDEN)
    assert (len(page.changes), page.more) == (5, True)
    publish(data, "ec/a", 5)
    path = changes.record(data, data / "work", REGISTRY, HIDDEN)
    assert path is not None
    assert path.name == f"{SECOND + 3 * 24 + 1:06}-r5-a.jsonl", "the second release of an hour"


@pytest.mark.parametrize("cursor", ["x", "7320", "7320-3", "7320-99999", "-7320-2", "7320-0x", "999999-9"])
def test_a_cursor_we_never_gave_is_refused(data: Path, cursor: str) -> None:
    assert write(data) is not None
    with pytest.raises(Invalid, match="bad-cursor"):
        change_log.read(data, cursor, 5, REGISTRY, HIDDEN)


def test_rows_of_suppressed_companies_are_left_out_of_a_build() -> None:
    hidden = Suppressions((Suppression("BR", "br-cnpj", "33000167", "order", date(2026, 1, 1)),))
    with duckdb.connect() as db:
        db.execute("CREATE MACRO ident(s, v) AS struct_pack(scheme := s::VARCHAR, value := v::VARCHAR)")
        db.execute(
            f"""CREATE TABLE records AS SELECT *, NULL::{snapshot.IDS_TYPE} AS aliases FROM (VALUES
                ('rf', 1, '33000167', 'br-cnpj', '33000167000101'), ('rf', 2, '33000167', NULL, NULL),
                ('rf', 3, '33000168', 'br-cnpj', '33000168000101')) t(source, row_id, company, scheme, identifier);
                CREATE TABLE joined AS SELECT * FROM (VALUES ('rf', 4, '33000167'), ('rf', 5, '33000168'))
                t(source, row_id, company);
                CREATE TABLE left_out (source VARCHAR, row_id BIGINT, reason VARCHAR)"""
        )
        leave_out_suppressed(db, REGISTRY["BR"], hidden)
        assert db.execute("SELECT row_id FROM records").fetchall() == [(3,)]
        assert db.execute("SELECT row_id FROM joined").fetchall() == [(5,)]
        left = [("rf", row, "suppressed") for row in (1, 2, 4)]
        assert db.execute("FROM left_out ORDER BY ALL").fetchall() == left


def test_a_number_with_a_wholly_other_name_is_told_after_a_build(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row with the number of a known company takes its place; a shared legal form is no shared word."""
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    root, data = tmp_path / "in", tmp_path / "var"
    rows = [f"{number},179{number:07}001,EMPRESA {number} S.A.,,\n" for number in range(1_000, 2_000)]
    rows += ["384,1790016919001,FAVORITA C.A.,,\n", "385,0990004196001,ROSADO S.A.,,\n"]
    before = "1,0190000001001,TOSI S.A.,,\n2,0190000002001,CERO S.A.,,\n3,0190000003001,SUR CIA. LTDA.,,\n"
    after = before.replace("CERO", "CERO DEL NORTE").replace("SUR CIA. LTDA.", "SUR S.A.")
    taken_over = "999001,0190000001001,PIRATA S.A.,,\n"
    for renamed in (before, after + taken_over):
        file = "".join(["expediente,ruc,nombre,tipo,provincia\n", *rows, renamed])
        place_files(root, REGISTRY["EC"], "supercias-ranking", bi_compania__csv=file.encode())
        assert builds.build(source=[root], data=data, country=["EC"]) == 0
        warning = capsys.readouterr().err
        assert ("1 number has" in warning) is (taken_over in renamed), warning
    assert "EC 0190000001001, TOSI S.A. → PIRATA S.A." in warning
