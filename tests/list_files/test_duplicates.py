"""Duplicates in hand-written lists: what joins rows, what keeps them apart, and why, in every format."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from itertools import combinations, pairwise, product
from pathlib import Path

import duckdb
import pytest

from padron.cli import app as cli
from padron.directory import Comparison, Directory
from padron.errors import Unavailable
from padron.list_files import duplicates, job
from padron.list_files.duplicates import ADDED, DuplicateSummary, Groups, find_duplicates
from padron.list_files.job import BATCH, ListTask

HEADER = ["Empresa", "RUC", "País"]
Pairs = Iterable[tuple[int, int]]


def deduped(
    data: Path, folder: Path, rows: list[list[str]], language: str = "en", ending: str = "csv"
) -> tuple[DuplicateSummary, list[list[str]]]:
    """The summary of a list, and the cells added to each row."""
    source, target = folder / "in.csv", folder / f"out.{ending}"
    with source.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])
    task = ListTask(source, target, "csv", ending, None, {}, data, language=language)  # type: ignore[arg-type]
    summary = find_duplicates(task, lambda done, total: None)
    assert sorted(path.name for path in folder.iterdir()) == sorted([source.name, target.name])
    if ending == "parquet":
        with duckdb.connect() as db:
            return summary, [list(row[3:]) for row in db.execute("FROM read_parquet(?)", [str(target)]).fetchall()]
    if ending == "ndjson":
        lines = target.read_text(encoding="utf-8").splitlines()
        return summary, [[json.loads(line)[name] for name in ADDED] for line in lines]
    with target.open(encoding="utf-8", newline="") as file:
        header, *cells = csv.reader(file)
    assert header == [*HEADER, *ADDED]
    assert [row[:3] for row in cells] == [row[:3] for row in rows]
    return summary, [row[3:] for row in cells]


def groups_of(data: Path, folder: Path, rows: list[list[str]]) -> list[str]:
    """The group of each row."""
    return [row[0] for row in deduped(data, folder, rows)[1]]


SUPPLIERS = [
    ["Corporación Favorita C.A.", "", "Ecuador"],
    ["Zumbawe Widgets S.A.", "", "Colombia"],
    ["CORPORACION FAVORITA", "1790016919001", ""],
    ["Qwertz Industrial", "0990004196001", ""],
    ["Zumbawe Widget SA", "", ""],
    ["Ecopetrol", "", ""],
    ["Otra Razón Social", "0990004196001", ""],
    ["zumbawe  widgets s.a.", "", "CO"],
]


@pytest.mark.parametrize("ending", ["csv", "ndjson", "parquet"])
def test_rows_are_joined_by_company_number_and_name(small_data: Path, tmp_path: Path, ending: str) -> None:
    summary, cells = deduped(small_data, tmp_path, SUPPLIERS, ending=ending)
    assert [[cell or "" for cell in row] for row in cells] == [
        ["2", "2", ""],
        ["3", "3", ""],
        ["2", "2", "Company of rows 2 and 4: CORPORACION FAVORITA C.A."],
        ["5", "2", ""],
        ["3", "3", "The names of rows 3 and 6 agree (0.9929)."],
        ["7", "1", ""],
        ["5", "2", "Rows 5 and 8 have the same number."],
        ["3", "3", "The names of rows 3 and 9 agree (0.9981)."],
    ]
    assert (summary.rows, summary.companies) == (8, 4)
    assert summary.duplicates == {"company": 1, "number": 1, "name": 2}
    assert summary.columns == {"name": "Empresa", "identifier": "RUC", "country": "País"}


@pytest.mark.parametrize(
    ("rows", "groups"),
    [
        ([["Apple Inc", "1790016919001", "EC"], ["Corporación Favorita", "1790016919001", "EC"]], ["2", "3"]),
        ([["Apple Inc", "899999068-1", "CO"], ["Microsoft", "899999068-1", "CO"]], ["2", "3"]),
        ([["Zumbawe Widgets", "", "EC"], ["Zumbawe Widgets", "", "CO"], ["Zumbawe Widgets", "", ""]], ["2", "3", "4"]),
        ([["Zumbawe Widgets", "", "EC"], ["Zumbawe Widgets", "", ""]], ["2", "2"]),
        ([["N/A", "", ""], ["n/a", "", ""], ["s/d", "", "CO"], ["", "", "CO"]], ["2", "3", "4", "5"]),
    ],
)
def test_doubtful_rows_are_not_joined(
    small_data: Path, tmp_path: Path, rows: list[list[str]], groups: list[str]
) -> None:
    assert groups_of(small_data, tmp_path, rows) == groups


def test_the_reasons_are_in_the_readers_language(small_data: Path, tmp_path: Path) -> None:
    _, cells = deduped(small_data, tmp_path, SUPPLIERS, "es")
    assert [row[2] for row in cells if row[2]] == [
        "Empresa de las filas 2 y 4: CORPORACION FAVORITA C.A.",
        "Los nombres de las filas 3 y 6 concuerdan (0.9929).",
        "Las filas 5 y 8 tienen el mismo número.",
        "Los nombres de las filas 3 y 9 concuerdan (0.9981).",
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (["Zumbawe Ltda.", "", "Colombia"], ["Zumbawe Ltda.", "", "México"]),
        (["Zumbawe Ltda.", "899999068", "Colombia"], ["Zumbawe Ltda.", "890903938", "Colombia"]),
        (["Hotel Plaza", "", "Ecuador"], ["Hotel Plaza", "", "Colombia"]),
        (["Inmobiliaria Los Alpes", "", "Ecuador"], ["Inmobiliaria Los Alpes II", "", "Ecuador"]),
        (["Constructora Zumbawe 1", "", ""], ["Constructora Zumbawe 2", "", ""]),
        (["", "", "x"], ["", "", "x"]),
        (["Ecopetrol", "12", ""], ["Zumbawe", "12", ""]),
        (["Ecopetrol", "TME840315KT6", ""], ["Ecopetrol", "CCO8605231N4", ""]),
        (["Ecopetrol", "TME840315KT6", ""], ["Ecopetrol S.A.", "899999068", "CO"]),
    ],
    ids=[
        "country",
        "number",
        "company",
        "sister",
        "digit",
        "blank",
        "own number",
        "unheld numbers",
        "unheld number",
    ],
)
def test_rows_that_differ_stay_apart(small_data: Path, tmp_path: Path, first: list[str], second: list[str]) -> None:
    assert groups_of(small_data, tmp_path, [["Zzyzx", "", "x"], first, second]) == ["2", "3", "4"]


@pytest.mark.parametrize(
    ("first", "second", "country"),
    [
        ("1712345675", "0912345675", "EC"),
        ("1712345675001", "0912345675001", "EC"),
        ("529.982.247-25", "11144477735", "BR"),
        ("GOCA900101AB1", "GOCA910101AB2", "MX"),
        ("20-12345678-6", "20-23456789-4", "AR"),
        ("52123456", "79123456", "CO"),
    ],
)
def test_numbers_of_two_persons_keep_rows_of_one_name_apart(
    small_data: Path, tmp_path: Path, first: str, second: str, country: str
) -> None:
    rows = [["Zumbawe Perez", first, country], ["ZUMBAWE PEREZ", second, country], ["zumbawe perez", first, country]]
    assert groups_of(small_data, tmp_path, rows) == ["2", "3", "2"]


def test_a_number_of_the_lists_own_does_not_keep_rows_apart(small_data: Path, tmp_path: Path) -> None:
    rows = [["Zumbawe Qwertz", "100123", ""], ["Zumbawe Qwertz", "100124", ""], ["Zumbawe Qwertz", "600413485", ""]]
    assert groups_of(small_data, tmp_path, rows) == ["2", "2", "2"]


def test_two_kinds_of_a_persons_number_do_not_keep_rows_apart(small_data: Path, tmp_path: Path) -> None:
    rows = [["Zumbawe Perez", "1712345675", "EC"], ["Zumbawe Perez", "1712345675001", "EC"]]
    assert groups_of(small_data, tmp_path, rows) == ["2", "2"]


def test_the_number_of_a_person_joins_no_rows_and_is_not_left_behind(small_data: Path, tmp_path: Path) -> None:
    rows = [["Zumbawe", "1712345675", "EC"], ["Qwertz", "1712345675", "EC"]]
    _, cells = deduped(small_data, tmp_path, rows)  # which looks that nothing but the output is left
    assert cells == [["2", "1", ""], ["3", "1", ""]]


def test_names_that_are_nobodys_are_not_joined(small_data: Path, tmp_path: Path) -> None:
    rows = [["Consumidor Final", "", "EC"], ["CONSUMIDOR FINAL", "", "EC"], ["Total", "", ""], ["Total", "", ""]]
    summary, cells = deduped(small_data, tmp_path, rows)
    assert [row[0] for row in cells] == ["2", "3", "4", "5"]
    assert (summary.rows, summary.companies) == (4, 0)


def test_a_name_that_fits_two_companies_of_the_list_stays_alone(small_data: Path, tmp_path: Path) -> None:
    rows = [
        ["Zumbawe Ltda.", "899999068", "Colombia"],
        ["Zumbawe Ltda.", "890903938", "Colombia"],
        ["Zumbawe", "", ""],
        ["ZUMBAWE", "", ""],
    ]
    assert groups_of(small_data, tmp_path, rows) == ["2", "3", "4", "4"]
    assert groups_of(small_data, tmp_path, rows[1:]) == ["2", "2", "2"]


@pytest.mark.parametrize(
    ("rows", "groups"),
    [
        (["Calzados Lozada Cia. Ltda.", "Calzados Lozada", "Calzados Lozada S.A."], ["2", "3", "4"]),
        (["Calzados Lozada Cia. Ltda.", "Calzados Lozada", "Calzdos Lozada"], ["2", "2", "2"]),
        (["Calzados Lozada|800197268-4", "Calzados Lozada S.A.", "Calzados Lozada Ltda."], ["2", "3", "4"]),
        (
            ["Calzados Lozada|800197268-4", "Calzados Lozada S.A.|800197268-4", "Calzados Lozada Ltda."],
            ["2", "2", "4"],
        ),
        (["Zumbawe Norte|EC1790019610001", "Zumbawe Norte|EC1790019620001", "Zumbawe Norte"], ["2", "3", "4"]),
        (["Zumbawe Norte|1790019610001", "Zumbawe Norte|1790019620001"], ["2", "3"]),
        (["Zumbawe Norte|1790019610001", "Zumbawe Norte|1790019610001", "Zumbawe Norte"], ["2", "2", "2"]),
        (["Zumbawe Norte|800197268-2", "Zumbawe Norte|800197268-4"], ["2", "2"]),
    ],
)
def test_no_group_holds_rows_that_contradict_each_other(
    small_data: Path, tmp_path: Path, rows: list[str], groups: list[str]
) -> None:
    assert groups_of(small_data, tmp_path, [[*f"{row}|".split("|")[:2], ""] for row in rows]) == groups


def test_names_that_agree_one_after_another_stay_apart_where_the_ends_contradict(
    small_data: Path, tmp_path: Path
) -> None:
    names = ["Calzados Lozada S.A.", "Calzados Lozada", "Calzados Lozade", "Calzado Lozade Cia. Ltda."]
    rows = [[name, "", ""] for name in names]
    groups = groups_of(small_data, tmp_path, rows)
    assert groups == ["2", "2", "4", "4"]


def test_branches_of_a_company_have_one_number(small_data: Path, tmp_path: Path) -> None:
    rows = [["Zumbawe Norte", "60.746.948/0001-12", ""], ["Qwertz", "60746948000201", "Brasil"]]
    assert groups_of(small_data, tmp_path, rows) == ["2", "2"]


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_a_number_with_a_wrong_check_digit_joins_no_rows_wherever_it_stands(
    small_data: Path, tmp_path: Path, order: tuple[int, ...]
) -> None:
    rows = [
        ["Zumbawe Norte", "60.746.948/0001-13", ""],
        ["Qwertz", "60746948000112", ""],
        ["Xyzzy", "60746948000201", ""],
    ]
    groups = dict(zip(order, groups_of(small_data, tmp_path, [rows[row] for row in order]), strict=True))
    assert (groups[0] == groups[1], groups[1] == groups[2]) == (False, True)


def test_a_wrong_number_of_a_row_does_not_count_as_sure_through_its_company() -> None:
    groups = Groups([(0, 1, 1, 0, 0), (2, 1, 1, 0, 0), (2, 3, 1, 0, 1), (0, 4, 1, 0, 1), (0, 3, 1, 0, 1)])
    groups.join(1, 3, "name", 0.9)
    assert [groups.first(row) for row in range(5)] == [0, 1, 1, 3, 1]


def joined_by_name(directory: Directory, ids: list[tuple[int, ...]], names: list[str], pairs: Pairs) -> list[int]:
    """The group of each row after rows of names were joined by likeness, in the order of the pairs."""
    groups = Groups(ids)
    edges = [(a, b, 0.9, False, (names[a], "", ""), (names[b], "", "")) for a, b in pairs]
    duplicates._join_names(groups, edges, directory)
    return [groups.first(row) for row in range(len(ids))]


ALONE = (0, 0, 0, 0, 0)


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The names that the directory compares."""
    names: list[tuple[str, str]] = []
    compare = Directory.compare

    def noted(directory: Directory, first: str, second: str, country: str | None = None) -> Comparison:
        names.append((first, second))
        return compare(directory, first, second, country)

    monkeypatch.setattr(Directory, "compare", noted)
    return names


def test_names_that_are_all_alike_are_compared_once_each(small: Directory, compared: list[tuple[str, str]]) -> None:
    names = [f"Zumbawe{' ' * number}Norte" for number in range(1, 21)]
    pairs = [*combinations(range(20), 2)]
    assert joined_by_name(small, [ALONE] * 20, names, pairs) == [0] * 20
    assert len(compared) == len(set(compared)) <= len(pairs)


def test_groups_that_contradict_each_other_are_compared_once(small: Directory, compared: list[tuple[str, str]]) -> None:
    names = [f"Zumbawe{' ' * number}Norte {form}" for form in ("S.A.", "Ltda.") for number in range(1, 4)]
    pairs = [(0, 1), (0, 2), (3, 4), (3, 5), *product(range(3), range(3, 6))]
    assert joined_by_name(small, [ALONE] * 6, names, pairs) == [0, 0, 0, 3, 3, 3]
    assert len(compared) == len(set(compared)) <= len(pairs)


def test_likeness_joins_a_bounded_number_of_names(small: Directory, compared: list[tuple[str, str]]) -> None:
    names = [f"Zumbawe{' ' * number}Norte" for number in range(1, 61)]
    groups = joined_by_name(small, [ALONE] * 60, names, [*pairwise(range(60))])
    assert groups == [0] * 20 + [20] * 20 + [40] * 20
    assert len(compared) <= 3 * 20 * 19 / 2


def test_a_row_that_a_number_joined_contradicts_names_as_the_others_do(small: Directory) -> None:
    names = ["Zumbawe Norte", "Zumbawe Norte S.A.", "Zumbawe  Norte", "Zumbawe   Norte", "Zumbawe Norte Ltda."]
    ids = [(0, 1, 1, 0, 1), (0, 1, 1, 0, 1), ALONE, ALONE, ALONE]
    assert joined_by_name(small, ids, names, [(0, 2), (1, 3), (2, 4)]) == [0, 0, 0, 0, 4]


def test_rows_that_state_nothing_are_no_companies(small_data: Path, tmp_path: Path) -> None:
    rows = [
        ["Ecopetrol", "", ""],
        ["", "", ""],
        ["", "", "CO"],
        ["N/A", "", ""],
        ["ECOPETROL S.A.", "", ""],
        ["Qwertz", "", ""],
        ["Garcos", "", "", "more cells than columns"],
    ]
    summary, cells = deduped(small_data, tmp_path, rows)
    assert [row[0] for row in cells] == ["2", "3", "4", "5", "2", "7", "8"]
    assert (summary.rows, summary.companies, summary.duplicates["company"]) == (7, 3, 1)


def test_a_part_that_many_names_share_compares_none(
    small_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [["Zumbawe Norte", "", ""], ["Zumbave Norte", "", ""]]
    assert groups_of(small_data, tmp_path, rows) == ["2", "2"]
    monkeypatch.setattr(duplicates, "_NAMES_IN_PARTS", duplicates._NAMES_IN_PARTS.replace("AND 20", "AND 1"))
    assert groups_of(small_data, tmp_path, rows) == ["2", "3"]


def test_groups_hold_one_company_one_number_of_a_scheme_and_one_country() -> None:
    # row:        0             1             2             3             4
    ids = [(0, 0, 0, 1, 0), (2, 0, 0, 0, 0), (0, 3, 2, 0, 1), (0, 4, 2, 0, 1), (0, 0, 0, 2, 0)]
    groups = Groups(ids)
    for first, second in ((0, 1), (1, 2), (2, 3), (0, 4)):
        groups.join(first, second, "name", 0.9)
    assert [groups.first(row) for row in range(5)] == [0, 0, 0, 3, 4]
    assert groups.joined(2) is not None
    assert groups.joined(0) is groups.joined(3) is None
    assert [groups.settled(row) for row in range(5)] == [1, 1, 1, 4, 0]


def test_a_killed_run_goes_on(small_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [[f"Zumbawe {at}", "", ""] for at in range(BATCH + 1)] + [["Zumbawe 0", "", ""]]
    whole = deduped(small_data, tmp_path, rows)[1]
    answer, batches = job.match_batch, []

    def killed(batch: bytes) -> bytes:
        batches.append(batch)
        if len(batches) == 2:
            raise Unavailable("build-process-lost", status=-9)
        return answer(batch)

    monkeypatch.setattr(job, "match_batch", killed)
    with pytest.raises(Unavailable):
        deduped(small_data, tmp_path, rows)
    assert deduped(small_data, tmp_path, rows)[1] == whole
    assert len(batches) == 3
    assert whole[-1][:2] == ["2", "2"]


def test_the_command_prints_a_list_and_its_summary(
    small_data: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    source = tmp_path / "in.csv"
    source.write_text("a,b\nX,Zumbawe\nY,Zumbawe Ltda.\n", encoding="utf-8")
    words = ["dedupe", str(source), "-o", "-", "--name", "b", "--json", "--data", str(small_data)]
    assert cli.app(words, exit_on_error=False, result_action="return_value") == 0
    printed = capsysbinary.readouterr()
    assert printed.out.decode().splitlines()[1:] == [
        "X,Zumbawe,2,2,",
        "Y,Zumbawe Ltda.,2,2,The names of rows 2 and 3 agree (0.9852).",
    ]
    assert json.loads(printed.err)["duplicates"] == {"company": 0, "number": 0, "name": 1}
