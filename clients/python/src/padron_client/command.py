"""`padron-client`: the service at a terminal. The key comes from PADRON_API_KEY or `login`, never from the line."""

from __future__ import annotations

import argparse
import csv
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from getpass import getpass
from itertools import tee
from typing import TextIO

import msgspec

from padron_client import key_store, lists
from padron_client.calls import DEFAULT_BASE_URL, Language
from padron_client.client import Padron, __version__
from padron_client.errors import APIConnectionError, APIError, NotFoundError, RateLimitError, ServerError
from padron_client.frames import ADDED, added
from padron_client.types import RowMatch, UsageWindow

FOUND, NOTHING_FOUND, WRONG_INPUT, NOT_AVAILABLE = 0, 1, 2, 4
"""Exit codes, those of the command `padron`."""

_FORMULA = re.compile(r"^[=+\-@\t\r]")
"""Beginning of a text that a spreadsheet would compute."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit."""
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        if given.run is _login:
            sys.exit(_login(given))
        api_key = os.environ.get("PADRON_API_KEY") or key_store.read(given.base_url)
        if not api_key:
            parser.error("run `padron-client login`, or set PADRON_API_KEY to your key")
        with Padron(api_key=api_key, base_url=given.base_url, language=_language()) as padron:
            sys.exit(given.run(padron, given))
    except (APIError, ValueError, OSError) as error:
        print(f"padron-client: {error}", file=sys.stderr)  # noqa: T201
        if isinstance(error, APIConnectionError):
            print(f"{given.base_url} was asked: --base-url or PADRON_BASE_URL sets the address", file=sys.stderr)  # noqa: T201
        sys.exit(_exit_code(error))


def _exit_code(error: Exception) -> int:
    if isinstance(error, NotFoundError):
        return NOTHING_FOUND
    unavailable = isinstance(error, (APIConnectionError, RateLimitError, ServerError))
    return NOT_AVAILABLE if unavailable else WRONG_INPUT


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="padron-client", description="Find companies in the official registers.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, run: Callable[..., int], text: str) -> argparse.ArgumentParser:
        """Add a command with the option that all have."""
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(run=run)
        command.add_argument(
            "--base-url",
            metavar="URL",
            default=os.environ.get("PADRON_BASE_URL", DEFAULT_BASE_URL),
            help=f"address of the service (PADRON_BASE_URL, else {DEFAULT_BASE_URL})",
        )
        return command

    add("login", _login, "keep a key for this address in a file of yours; it is asked for without being shown")
    search = add("search", _search, "find companies by name or official identifier")
    search.add_argument("text", help="name or identifier")
    search.add_argument("--country", metavar="CC", help="ISO code of the country whose registers are searched")
    search.add_argument("--limit", type=int, metavar="N", help="how many results at most, 1 to 50")
    get = add("get", _get, "show one company")
    financials = add("financials", _financials, "show the yearly statements of a company")
    for command in (get, financials):
        command.add_argument("country", metavar="CC", help="ISO code of the country of the register")
        command.add_argument("id", help="official identifier, formatted or not")
    bulk = add("bulk", _bulk, "name the files of the whole directory: bytes, checksum, address")
    coverage = add("coverage", _coverage, "tell how many companies of each country are covered, and how fresh they are")
    usage = add("usage", _usage, "tell what is left of the plan")
    match = add("match", _match, "add the company of each row to a list in CSV, with the confidence of the match")
    match.add_argument(
        "file", help="the list, - for standard input; its first line names the columns, as in `name`, `RUC`, `País`"
    )
    for field in lists.FIELDS:
        match.add_argument(
            f"--{field.replace('_', '-')}",
            metavar="COLUMN",
            help=f"column of {field.replace('_', ' ')}, by header or by number from 1 on; by default recognised",
        )
    match.add_argument("--delimiter", metavar="SIGN", help="delimiter of the cells, by default recognised")
    forms = financials.add_mutually_exclusive_group()
    forms.add_argument("--csv", action="store_true", help="print them as CSV, a figure a line")
    for options in (search, get, forms, bulk, coverage, usage, match):
        options.add_argument("--json", action="store_true", help="print the whole answer as JSON")
    return parser


def _print(answer: object, lines: Iterable[str], as_json: bool) -> None:
    """Print an answer as JSON or as its lines."""
    if as_json:
        lines = [msgspec.json.format(msgspec.json.encode(answer), indent=2).decode()]
    for line in lines:
        print(line)  # noqa: T201


def _login(given: argparse.Namespace) -> int:
    """Ask for a key, try it, and keep it."""
    api_key = (getpass("API key: ") if sys.stdin.isatty() else sys.stdin.readline()).strip()
    with Padron(api_key=api_key, base_url=given.base_url, language=_language()) as padron:
        plan = padron.usage().plan
    path = key_store.write(given.base_url, api_key)
    print(f"{given.base_url}: {plan}; the key is kept in {path}")  # noqa: T201
    return FOUND


def _search(padron: Padron, given: argparse.Namespace) -> int:
    """Print the results, one a line: confidence, country, identifier, name; the hints go to standard error."""
    answer = padron.search(given.text, country=given.country, limit=given.limit)
    lines = (
        f"{'-' if result.confidence is None else format(result.confidence, '.4f'):<6}"
        f"  {result.country_code}  {result.identifier:<14}  {result.legal_name}"
        for result in answer.results
    )
    _print(answer, lines, given.json)
    for hint in () if given.json else answer.match_hints:
        print(hint, file=sys.stderr)  # noqa: T201
    return FOUND if answer.results else NOTHING_FOUND


def _get(padron: Padron, given: argparse.Namespace) -> int:
    answer = padron.get(given.country, given.id)
    company = answer.entity
    shown = {
        "": company.legal_name,
        company.id_label: company.identifier,
        "country": company.country_code,
        "status": company.status,
        "activity": company.classification_label,
        "incorporated": company.incorporated_on,
    }
    lines = (f"{name + ': ' if name else ''}{value}" for name, value in shown.items() if value is not None)
    _print(answer, lines, given.json)
    if answer.requested_identifier.valid_check is False and not given.json:
        shown_company = f"the company with {company.id_label} {company.identifier}"
        print(f"the check digit of {given.id} is wrong; shown is {shown_company}", file=sys.stderr)  # noqa: T201
    return FOUND


def _financials(padron: Padron, given: argparse.Namespace) -> int:
    """Print the figures, one a line: end of the period, figure, amount, currency.

    Why there are none goes to standard error.
    """
    if given.csv:
        text = padron.financials_csv(given.country, given.id).replace("\r\n", "\n")
        print(text, end="")  # noqa: T201
        return FOUND if text.count("\n") > 1 else NOTHING_FOUND
    answer = padron.financials(given.country, given.id)
    lines = (
        f"{statement.period_end}  {figure.key:<28}  {figure.amount:>20}  {statement.currency}"
        for statement in answer.statements
        for figure in statement.figures
    )
    _print(answer, lines, given.json)
    if answer.absence is not None and not given.json:
        print(getattr(answer.absence, _language()), file=sys.stderr)  # noqa: T201
    return FOUND if answer.statements else NOTHING_FOUND


def _bulk(padron: Padron, given: argparse.Namespace) -> int:
    """Print the files, one a line: bytes, checksum, address."""
    files = padron.bulk_files()
    _print(files, (f"{file.bytes:>12}  {file.sha256}  {file.url}" for file in files), given.json)
    return FOUND


def _coverage(padron: Padron, given: argparse.Namespace) -> int:
    answer = padron.coverage()
    lines = [f"{country.country_code}  {country.companies:>12,}" for country in answer.countries]
    _print(answer, [*lines, f"=   {answer.total:>12,}"], given.json)
    return FOUND


def _usage(padron: Padron, given: argparse.Namespace) -> int:
    answer = padron.usage()
    windows: dict[str, UsageWindow | None] = {"minute": answer.minute, "day": answer.day, "rows": answer.rows}
    left = (f"{name}: {window.remaining:,} of {window.limit:,} left" for name, window in windows.items() if window)
    _print(answer, [f"plan: {answer.plan}", *left], given.json)
    return FOUND


def _match(padron: Padron, given: argparse.Namespace) -> int:
    """Print the list with the company of each row; batch by batch, so that a long one is never held whole.

    How it was read goes to standard error.
    """
    chosen = {field: column for field in lists.FIELDS if (column := getattr(given, field)) is not None}
    if given.delimiter is not None and (len(given.delimiter) != 1 or given.delimiter in '"\r\n'):
        raise ValueError("--delimiter must be one character, and neither a quotation mark nor a line break")
    with ExitStack() as stack:
        file = lists.opened(stack, given.file, sys.stdin.buffer)
        companies = lists.read(stack, file, chosen, given.delimiter)
        _print_reading(companies)
        _write_matches(padron, companies, sys.stdout, given.json)
    return FOUND


def _print_reading(companies: lists.CompanyList) -> None:
    read = ", ".join(f"{field} = {companies.columns[place]}" for field, place in companies.at.items())
    lines = [f"columns: {read}"]
    if companies.unread:
        lines.append(f"not read: {', '.join(companies.unread)}")
    if companies.encoding == "cp1252":
        lines.append("read as Windows-1252, as it is not UTF-8; if letters are wrong, save the list again in UTF-8")
    for line in lines:
        print(line, file=sys.stderr)  # noqa: T201


def _write_matches(padron: Padron, companies: lists.CompanyList, to: TextIO, as_json: bool) -> None:
    writer = csv.writer(to, delimiter=companies.delimiter, lineterminator="\n")
    if not as_json:
        writer.writerow([*companies.columns, *(_free(name, companies.columns) for name in ADDED)])
    rows, again = tee(companies.rows)
    for row, match in zip(again, padron.iter_match(map(companies.asked, rows)), strict=True):
        if as_json:
            print(match.to_json(), file=to)
        else:
            writer.writerow([*row, *_cells(match)])


def _free(name: str, taken: Sequence[str]) -> str:
    """A header that the list does not have: it may be matched twice."""
    while name in taken:
        name += "_2"
    return name


def _cells(match: RowMatch) -> list[str]:
    return [_text(cell) for cell in added(match).values()]


def _text(cell: str | float | None) -> str:
    """A cell of a CSV: a confidence with four decimals, and nothing that a spreadsheet would compute."""
    if isinstance(cell, str):
        return _FORMULA.sub(r"'\g<0>", cell)
    return "" if cell is None else f"{cell:.4f}"


def _language() -> Language:
    """Language of the terminal, by the POSIX order of variables: Spanish unless they name English."""
    given = next((text for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (text := os.environ.get(name))), "")
    return "en" if given.startswith("en") else "es"


if __name__ == "__main__":
    main()
