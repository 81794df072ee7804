"""Matching of a list in a file, on every core, so that a killed run goes on where it was.

    OUT.work/rows.jsonl     the list, copied
    OUT.work/about.json     what the results belong to: the list, its columns, the release, the language
    OUT.work/results.jsonl  one line per row, its added cells, in order; the last may be torn

Results count only as whole lines in the order of the rows: those that are there are kept, and the rest is done. When
all are, the output is written beside its place and moved there, and the folder is removed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fcntl import LOCK_EX, LOCK_NB, flock
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Final, NamedTuple, TypeVar, get_args

import msgspec

from padron import config
from padron.companies.model import Wire
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.errors import Invalid, Unavailable
from padron.index import process_pool
from padron.ingest.workbook import Cell, cell_text
from padron.list_files import formats
from padron.lists.added_columns import ADDED, NUMBERS, Added, cells, free, given
from padron.lists.columns import Columns, recognise
from padron.lists.rows import ListRow, unanswered
from padron.lookup.verdict import Verdict
from padron.releases import snapshot
from padron.storage import move_into_place, replace_text, temporary_folder
from padron.words import Language

_T = TypeVar("_T")

BATCH: Final = 250
"""Rows that a process matches at a time."""
_FEW: Final = 4
"""Batches from which on other processes are started, which takes seconds."""
_KEPT: Final = 1 << 16
"""Rows whose results a process keeps, the last ones, for those of the next batches that are the same: some forty
megabytes."""


class ListTask(NamedTuple):
    """A list to match: the files (None: standard input and output), how to read them, and who reads the answer.

    `header_row`: the number of the header as a spreadsheet counts, 0 for none; None to recognise it, as all of them.
    """

    source: Path | None
    target: Path | None
    source_format: str
    target_format: str
    delimiter: str | None
    columns: Mapping[str, str]
    data: Path
    language: Language
    sheet: str | None = None
    header_row: int | None = None


class Summary(Wire, frozen=True, kw_only=True):
    """Outcome of a list.

    `sheet`: that of a workbook; `header_row`: the row of the header, as a spreadsheet counts, 0 without one; `columns`:
    field -> the header, or the number, of its column; `unread`: those of the others; `verdicts`: rows by verdict;
    `companies`: different ones among those found; `review`: the file with the rows that are not found or in conflict,
    None if there are none.
    """

    release: str
    sheet: str | None
    header_row: int
    columns: dict[str, str]
    unread: list[str]
    rows: int
    verdicts: dict[Verdict, int]
    conflicts: int
    companies: int
    review: str | None


class _Batch(msgspec.Struct, array_like=True):
    """Rows for a process, and the directory that answers them, in one language."""

    data: str
    release: str
    language: Language
    rows: list[ListRow]


_encode = msgspec.json.Encoder().encode
_decode_batch = msgspec.msgpack.Decoder(_Batch).decode
_decode_added = msgspec.json.Decoder(Added).decode


class MatchedList(NamedTuple):
    """A list whose rows all have results, in its work folder; `above`: its blank rows above the first that is not."""

    task: ListTask
    work: Path
    columns: Columns
    release: str
    above: int
    form: formats.Form

    @property
    def first_row(self) -> int:
        """Number of the first row with a company in the file, as a spreadsheet counts."""
        return self.above + self.columns.first_row

    @property
    def header_row(self) -> int:
        """Number of the row of the header in the file, as a spreadsheet counts, 0 without one."""
        return self.first_row - 1 if self.columns.header else 0

    @property
    def titles(self) -> Sequence[Sequence[str]]:
        """The rows above the header of the output; a format without a place for them has none."""
        return self.columns.above if self.task.target_format in formats.SHEETS else ()

    def rows(self) -> Iterator[tuple[list[str], Added]]:
        """Yield the cells of each row as texts, with those behind the last column, and the cells that are added."""
        for row, added in self._rows():
            yield list(map(cell_text, row)), added

    def _rows(self) -> Iterator[tuple[list[Cell], Added]]:
        rows = islice(formats.read_copy(self.work / "rows.jsonl"), self.columns.rows_before, None)
        with (self.work / "results.jsonl").open("rb") as results:
            for number, (row, line) in enumerate(zip(rows, results, strict=True), start=self.first_row):
                wide = len(row) > self.columns.width
                fault = self.columns.fault(list(map(cell_text, row)), number) if wide else None
                yield row, self._refused(fault) if fault else _decode_added(line)

    def _refused(self, fault: Invalid) -> Added:
        return cells(unanswered("invalid_input", fault, self.task.language))

    def output(self, added: Iterable[Sequence[str | float | None] | None], headers: Sequence[str]) -> formats.Output:
        """Return the output: what stood above the header of the list above it again, and its rows with their cells.

        Args:
            added: The cells that are added to each row, None for one that is left out.
            headers: The headers of those cells.
        """
        width, columns = self.columns.width, self.columns
        rows = (
            (place, [*row[:width], *[None] * (width - len(row))], more)
            for place, ((row, _), more) in enumerate(zip(self._rows(), added, strict=True))
            if more is not None
        )
        names = free(columns, headers)
        numbers = frozenset(name for name, header in zip(names, headers, strict=True) if header in NUMBERS)
        return formats.Output(self.titles, given(columns), names, numbers, rows)

    def write(self, output: formats.Output, name: str) -> Path | None:
        """Write an output to standard output, or to a new file of a name in the work folder, which is returned."""
        task = self.task
        if task.target is None:
            formats.write_text(output, sys.stdout, task.target_format, self.form)
            return None
        fresh = self.work / f"{name}.{task.target_format}"
        parquet = task.source if task.source_format == "parquet" else None
        formats.write(output, fresh, task.target_format, self.form, parquet)
        return fresh


def match_file(task: ListTask, progress: Callable[[int, int], None]) -> Summary:
    """Match a list; go on with an earlier run of the same list that was killed.

    Args:
        progress: Called with the rows done and the rows in all.

    Raises:
        Invalid: The list cannot be read, or its columns are not recognised.
        Unavailable: `list-in-progress`, another process matches it; `build-process-lost`, a process died.
        ReleaseError: The release cannot be searched.
    """
    return match_then(task, progress, _written)


def match_then(task: ListTask, progress: Callable[[int, int], None], finish: Callable[[MatchedList], _T]) -> _T:
    """Match a list as `match_file` does, and write another output.

    Args:
        progress: Called with the rows done and the rows in all.
        finish: Writes the output of a list whose rows all have results.

    Raises:
        PadronError: As `match_file`.

    Returns:
        The answer of `finish`.
    """
    if task.target is None:
        with temporary_folder() as folder:
            return finish(_match(task, folder, progress))
    work = task.target.with_name(f"{task.target.name}.work")
    work.mkdir(exist_ok=True)
    with (work / "lock").open("w") as lock:
        try:
            flock(lock, LOCK_EX | LOCK_NB)
        except BlockingIOError as error:
            raise Unavailable("list-in-progress", file=task.target) from error
        try:
            answer = finish(_match(task, work, progress))
        except Invalid:  # of a list that cannot be read there is nothing to go on with
            shutil.rmtree(work)
            raise
        shutil.rmtree(work)
    return answer


def _match(task: ListTask, work: Path, progress: Callable[[int, int], None]) -> MatchedList:
    rows = work / "rows.jsonl"
    count, above, form = formats.copy(task.source, task.source_format, rows, task.delimiter, task.sheet)
    titles = _titles(task, count, above)
    columns = recognise(islice(_texts(rows), 1_000 + max(0, titles or 0)), task.columns, REGISTRY, titles)
    total = count - columns.rows_before
    release = snapshot.current(task.data)
    results = work / "results.jsonl"
    done = _resumed(work, results, _about(task, rows, columns, release))
    progress(done, total)
    with results.open("ab") as file:
        for lines in _results(task, release, columns, islice(_texts(rows), columns.rows_before + done, None)):
            file.write(lines)
            file.flush()
            done += lines.count(b"\n")
            progress(done, total)
    return MatchedList(task, work, columns, release, above, form)


def _titles(task: ListTask, count: int, above: int) -> int | None:
    """Return how many rows of the copy stand above the header that the caller says, -1 where there is none.

    Raises `Invalid("bad-header-row")`.
    """
    if not task.header_row:
        return None if task.header_row is None else -1
    if not above < task.header_row < above + count:
        raise Invalid("bad-header-row", parameter="header-row", row=task.header_row)
    return task.header_row - above - 1


def _about(task: ListTask, rows: Path, columns: Columns, release: str) -> str:
    """Return what results belong to, as text."""
    with rows.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return _encode([digest, columns, release, task.language]).decode()


def _resumed(work: Path, results: Path, about: str) -> int:
    """Return how many rows have whole results of the same work; cut off a torn line, and all results of other work."""
    note = work / "about.json"
    if not note.exists() or note.read_text(encoding="utf-8") != about:
        results.write_bytes(b"")
        replace_text(note, about)
        return 0
    done, end = 0, 0
    with results.open("r+b") as file:
        for line in file:
            if line.endswith(b"\n"):
                done, end = done + 1, end + len(line)
        file.truncate(end)
    return done


def _texts(rows: Path) -> Iterator[list[str]]:
    """Yield the rows of a copy as texts."""
    return (list(map(cell_text, row)) for row in formats.read_copy(rows))


def _results(task: ListTask, release: str, columns: Columns, rows: Iterator[list[str]]) -> Iterable[bytes]:
    """Yield the lines of results of each batch."""
    data = str(task.data.resolve())
    batches = (
        msgspec.msgpack.encode(_Batch(data, release, task.language, batch))
        for batch in iter(lambda: [columns.row(row) for row in islice(rows, BATCH)], [])
    )
    first = list(islice(batches, _FEW))
    if len(first) < _FEW:
        return map(match_batch, first)
    return process_pool.apply(match_batch, chain(first, batches), os.cpu_count() or 1)


@lru_cache(maxsize=1)
def opened(data: str, release: str) -> Directory:
    """Return the directory of a release, opened once."""
    settings = config.load()
    return run(
        Directory.open(
            Path(data),
            REGISTRY,
            settings.base_url,
            settings.suppressions,
            search_url=settings.search.url,
            release=release,
        )
    )


def match_batch(request: bytes) -> bytes:
    """Return the results of a batch, a line per row: the work of a process. Equal rows are matched once."""
    batch = _decode_batch(request)
    directory = opened(batch.data, batch.release)
    known = _kept(batch.data, batch.release, batch.language)

    async def lines() -> list[bytes]:
        answers = []
        for row in batch.rows:
            line = known.get(row)
            if line is None:
                if len(known) == _KEPT:
                    del known[next(iter(known))]
                line = known[row] = _encode(cells(await directory.match(row, batch.language))) + b"\n"
            answers.append(line)
        return answers

    return b"".join(run(lines()))


@lru_cache(maxsize=1)
def _kept(_data: str, _release: str, _language: Language) -> dict[ListRow, bytes]:
    """Return the results that this process keeps, of one list at a time."""
    return {}


def _written(matched: MatchedList) -> Summary:
    """Write the output and the review file, and return the summary."""
    tally, task, review = _Tally(), matched.task, None
    output = matched.write(matched.output(map(tally.counted, _added(matched)), ADDED), "output")
    if output and task.target:
        review = task.target.with_name(f"{task.target.stem}.review{task.target.suffix}")
        review.unlink(missing_ok=True)
        if tally.unsure:
            unsure = (added if _is_unsure(added) else None for added in _added(matched))
            fresh = matched.write(matched.output(unsure, ADDED)._replace(above=()), "review")
            assert fresh is not None
            move_into_place(fresh, review)
        move_into_place(output, task.target)
    counts = tally.verdicts
    return Summary(
        release=matched.release,
        sheet=matched.form.sheet,
        header_row=matched.header_row,
        columns=matched.columns.read,
        unread=matched.columns.unread,
        rows=counts.total(),
        verdicts={verdict: counts[verdict] for verdict in get_args(Verdict)},
        conflicts=tally.conflicts,
        companies=len(tally.companies),
        review=str(review) if review and tally.unsure else None,
    )


def _added(matched: MatchedList) -> Iterator[Added]:
    return (added for _, added in matched.rows())


def _is_unsure(added: Added) -> bool:
    """Return whether a row is to be reviewed."""
    return added.verdict != "found" or bool(added.conflicts)


class _Tally:
    """Counts of a list; of the companies only digests are kept, eight bytes each."""

    def __init__(self) -> None:
        self.verdicts: Counter[str] = Counter()
        self.conflicts = 0
        self.unsure = 0
        self.companies: set[int] = set()

    def counted(self, added: Added) -> Added:
        """Count a row."""
        self.verdicts[added.verdict] += 1
        self.conflicts += bool(added.conflicts)
        if added.verdict == "found":
            self.companies.add(hash((added.country, added.identifier)))
        self.unsure += _is_unsure(added)
        return added
