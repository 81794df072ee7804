"""Score the lists written by hand in `evaluation/lists`, whose truth stands beside each.

    python -m evaluation.written_lists --data var [--show] [dev | held-out]

A row is right where the company that the truth states is found, or none is found where it states none. Rows are
matched as `padron match` matches them.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from padron.list_files.formats import READ, format_of
from padron.list_files.job import ListTask, MatchedList, match_then
from padron.lists.added_columns import Added, texts

LISTS: Final = Path(__file__).parent / "lists"
HALVES: Final = ("dev", "held-out")
_TRUTH: Final = ".truth.csv"


class Truth(NamedTuple):
    """Meaning of a row: the records of its company (`CC:identifier`), and whether a conflict is to be told.

    `conflict`: `yes`, `no` or `any`.
    """

    expected: tuple[str, ...]
    conflict: str
    note: str


class JudgedRow(NamedTuple):
    """A row of a list, as a spreadsheet counts it, with its answer."""

    file: str
    row: int
    cells: tuple[str, ...]
    added: Added
    truth: Truth

    @property
    def company(self) -> str:
        """The company that is asserted, or nothing."""
        return f"{self.added.country}:{self.added.identifier}" if self.added.verdict == "found" else ""

    @property
    def outcome(self) -> str:
        """`right` and `wrong` companies, `missed` ones, and rows for which rightly `nobody` is asserted."""
        if self.company:
            return "right" if self.company in self.truth.expected else "wrong"
        return "missed" if self.truth.expected else "nobody"

    @property
    def warning(self) -> str:
        """`told`, `untold` and `invented` conflicts; nothing where none is due."""
        if self.truth.conflict == "yes":
            return "told" if self.added.conflicts else "untold"
        return "invented" if self.truth.conflict == "no" and self.added.conflicts else ""


class Score(NamedTuple):
    """Score of lists: counts of outcomes and warnings."""

    outcomes: Counter[str]
    warnings: Counter[str]

    @property
    def precision(self) -> float:
        """Share of right companies among those asserted."""
        return self.outcomes["right"] / (self.outcomes["right"] + self.outcomes["wrong"])

    @property
    def recall(self) -> float:
        """Share of the rows with a company for which it is asserted."""
        return self.outcomes["right"] / sum(self.outcomes[kind] for kind in ("right", "missed", "wrong"))


def judged(folder: Path, data: Path) -> Iterator[JudgedRow]:
    """Yield the rows of the lists in a folder that have a truth."""
    for file in sorted(path for path in folder.iterdir() if not path.name.endswith(_TRUTH)):
        with (folder / f"{file.name}{_TRUTH}").open(encoding="utf-8", newline="") as text:
            truths = {
                int(row["row"]): Truth(tuple(row["expected"].split()), row["conflict"], row["note"])
                for row in csv.DictReader(text)
            }
        with tempfile.TemporaryDirectory() as work:
            target = Path(work) / "out.ndjson"
            task = ListTask(file, target, format_of(file, None, READ), "ndjson", None, {}, data, language="en")
            rows = match_then(task, lambda _done, _total: None, _numbered)
        for row, (cells, added) in rows.items():
            if truth := truths.pop(row, None):
                yield JudgedRow(file.name, row, cells, added, truth)
        if truths:
            raise ValueError(f"{file.name}: no rows {sorted(truths)}")


def _numbered(matched: MatchedList) -> dict[int, tuple[tuple[str, ...], Added]]:
    has_lines = matched.task.source_format == "ndjson"  # objects, below no header
    rows = enumerate(matched.rows(), start=1 if has_lines else matched.first_row)
    return {number: (tuple(cells), added) for number, (cells, added) in rows}


def score(rows: list[JudgedRow]) -> Score:
    """Return the score of rows."""
    return Score(Counter(row.outcome for row in rows), Counter(row.warning for row in rows))


def main() -> None:
    """Print the score of each list, and of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("half", nargs="?", choices=HALVES)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--show", action="store_true", help="print the rows that are not right")
    arguments = parser.parse_args()
    halves = [arguments.half] if arguments.half else HALVES
    rows = [row for half in halves for row in judged(LISTS / half, arguments.data)]
    for file in dict.fromkeys(row.file for row in rows):
        of_file = score([row for row in rows if row.file == file])
        print(f"{file:36} {dict(of_file.outcomes)} {dict(+of_file.warnings)}")
    every = score(rows)
    print(f"rows {len(rows)}  precision {every.precision:.4f}  recall {every.recall:.4f}  {dict(every.warnings)}")
    for row in rows if arguments.show else ():
        if row.outcome in {"wrong", "missed"} or row.warning in {"untold", "invented"}:
            print(f"{row.file} {row.row} {row.outcome} {row.warning} {row.truth} {' | '.join(filter(None, row.cells))}")
            print(f"    {' | '.join(filter(None, texts(row.added)))}")


if __name__ == "__main__":
    main()
