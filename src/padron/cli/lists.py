"""`padron match` and `dedupe`: lists of companies on the command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from padron import config
from padron.cli.terminal import progress, table, word
from padron.errors import Invalid
from padron.ingest.disk import disk_faults
from padron.list_files.duplicates import DuplicateSummary, find_duplicates
from padron.list_files.formats import READ, WRITTEN, format_of
from padron.list_files.job import ListTask, Summary, match_file

# `-` is a pipe.
File = Annotated[Path, Parameter(allow_leading_hyphen=True)]
Output = Annotated[Path, Parameter(name=["--output", "-o"], allow_leading_hyphen=True)]
_PIPE = Path("-")


def match(
    file: File,
    *,
    output: Output,
    name: str | None = None,
    identifier: str | None = None,
    country: str | None = None,
    city: str | None = None,
    region: str | None = None,
    activity: str | None = None,
    legal_form: str | None = None,
    former_name: str | None = None,
    format: str | None = None,  # noqa: A002 - the name of the option
    delimiter: str | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
    json: Annotated[bool, Parameter(name="--json", negative="")] = False,
    data: Path | None = None,
) -> int:
    """Match a list: find the company of each row of a CSV, workbook, Parquet or NDJSON file.

    Columns are recognised by their headers in Spanish, English or Portuguese, or by their cells; the options say them
    otherwise, by header or by number from 1 on. The output has the rows in their order with the columns `padron_…`
    added; rows that are not certain are also written to OUT.review. A run that was killed goes on when it is repeated.

    Args:
        file: The list; `-` is standard input.
        output: The file to write; `-` is standard output.
        name: Column of the names.
        identifier: Column of the official identifiers.
        country: Column of the countries.
        city: Column of the cities.
        region: Column of the provinces or states.
        activity: Column of the activities.
        legal_form: Column of the legal forms.
        former_name: Column of the former names.
        format: Format of standard input and output: csv, tsv, ndjson (default: csv; of input also xlsx and parquet).
        delimiter: Delimiter of a CSV file, by default recognised.
        sheet: Sheet of a workbook, by default the one whose header names most columns.
        header_row: Number of the header row, 0 for a list without one; by default recognised.
        json: Print the summary as JSON.
        data: Data folder (default: the PADRON_DATA setting).
    """
    chosen = {
        "name": name,
        "identifier": identifier,
        "country": country,
        "city": city,
        "region": region,
        "activity": activity,
        "legal_form": legal_form,
        "former_name": former_name,
    }
    task = _task(file, output, format, delimiter, sheet, header_row, chosen, data)
    with disk_faults(output.parent), progress() as bar:
        shown = bar.add_task(word("matching"), total=None)
        summary = match_file(task, lambda done, total: bar.update(shown, completed=done, total=total))
    _print(summary, json=json, quiet=output == _PIPE)
    return 0


def dedupe(
    file: File,
    *,
    output: Output,
    name: str | None = None,
    identifier: str | None = None,
    country: str | None = None,
    format: str | None = None,  # noqa: A002 - the name of the option
    delimiter: str | None = None,
    sheet: str | None = None,
    header_row: int | None = None,
    json: Annotated[bool, Parameter(name="--json", negative="")] = False,
    data: Path | None = None,
) -> int:
    """Tell which rows of a list are one company.

    Rows are one company if they are the same company of the directory, have the same official number, or have names
    that mean one company. The output has the rows in their order with `padron_group` (the first row of the company),
    `padron_group_rows` and `padron_group_reason` added. A run that was killed goes on when it is repeated.

    Args:
        file: The list; `-` is standard input.
        output: The file to write; `-` is standard output.
        name: Column of the names.
        identifier: Column of the official identifiers.
        country: Column of the countries.
        format: Format of standard input and output: csv, tsv, ndjson (default: csv; of input also xlsx and parquet).
        delimiter: Delimiter of a CSV file, by default recognised.
        sheet: Sheet of a workbook, by default the one whose header names most columns.
        header_row: Number of the header row, 0 for a list without one; by default recognised.
        json: Print the summary as JSON.
        data: Data folder (default: the PADRON_DATA setting).
    """
    chosen = {"name": name, "identifier": identifier, "country": country}
    task = _task(file, output, format, delimiter, sheet, header_row, chosen, data)
    with disk_faults(output.parent), progress() as bar:
        shown = bar.add_task(word("matching"), total=None)
        summary = find_duplicates(task, lambda done, total: bar.update(shown, completed=done, total=total))
    if json:
        _print_json(summary, quiet=output == _PIPE)
    else:
        _print_columns(summary)
        if output != _PIPE:
            table(("rows", "companies"), [(summary.rows, summary.companies)])
    return 0


def _task(
    file: Path,
    output: Path,
    ending: str | None,
    delimiter: str | None,
    sheet: str | None,
    header_row: int | None,
    chosen: dict[str, str | None],
    data: Path | None,
) -> ListTask:
    """Return the task. Raises `Invalid`: `output-is-list`, `path-is-folder`, `folder-missing`."""
    if output != _PIPE:
        if output.is_dir():
            raise Invalid("path-is-folder", parameter="output", file=output)
        if not output.parent.is_dir():
            raise Invalid("folder-missing", parameter="output", folder=output.parent.absolute())
        if file != _PIPE and file.exists() and output.exists() and output.samefile(file):
            raise Invalid("output-is-list", parameter="output", file=output)
    return ListTask(
        None if file == _PIPE else file,
        None if output == _PIPE else output,
        format_of(file, (ending or "csv") if file == _PIPE else None, READ),
        format_of(output, (ending or "csv") if output == _PIPE else None, WRITTEN),
        delimiter,
        {field: column for field, column in chosen.items() if column},
        data or config.load().data,
        config.reader_language(),
        sheet,
        header_row,
    )


def _print_json(summary: Summary | DuplicateSummary, *, quiet: bool) -> None:
    """Print a summary, on standard error if the list is on standard output."""
    text = msgspec.json.format(msgspec.json.encode(summary), indent=2) + b"\n"
    (sys.stderr if quiet else sys.stdout).buffer.write(text)


def _print(summary: Summary, *, json: bool, quiet: bool) -> None:
    """Print the summary; of a list on standard output only its columns, or as JSON, on standard error."""
    if json:
        _print_json(summary, quiet=quiet)
        return
    _print_columns(summary)
    if not quiet:
        counts = [*summary.verdicts.values(), summary.conflicts, summary.companies]
        table(("rows", *summary.verdicts, "conflicts", "companies"), [(summary.rows, *counts)])
        if summary.review:
            print(f"{word('review')}: {summary.review}")  # noqa: T201


def _print_columns(summary: Summary | DuplicateSummary) -> None:
    """Print on standard error the sheet and the header row, which columns were read as which fields, and which not."""
    if summary.sheet:
        print(f"{word('sheet')}: {summary.sheet}", file=sys.stderr)  # noqa: T201
    if summary.header_row != 1:
        print(f"{word('header row')}: {summary.header_row or word('no header')}", file=sys.stderr)  # noqa: T201
    read = ", ".join(f"{field} = {header}" for field, header in summary.columns.items())
    print(f"{word('columns')}: {read}", file=sys.stderr)  # noqa: T201
    if summary.unread:
        print(f"{word('unread')}: {', '.join(summary.unread)}", file=sys.stderr)  # noqa: T201
        if "name" not in summary.columns:
            print(word("no names"), file=sys.stderr)  # noqa: T201
