"""Output on a terminal: tables, JSON, progress, in the language of the person there."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from padron import config
from padron.countries import REGISTRY
from padron.countries.origin import Manual
from padron.errors import messages
from padron.lookup import hints
from padron.releases import snapshot
from padron.transport import inputs
from padron.words import N_, bilingual, translate

if TYPE_CHECKING:
    from padron.directory import Located
    from padron.ingest.fetch import FetchOutcome
    from padron.ingest.fetching.source_check import SourceCheck
    from padron.ingest.fetching.source_status import SourceStatus

_WORDS: Final = {
    "confidence": N_("Confidence"),
    "name": N_("Legal name"),
    "country": N_("Country"),
    "identifier": N_("Identifier"),
    "status": N_("Status"),
    "companies": N_("Companies"),
    "existing": N_("That exist"),
    "source": N_("Source"),
    "date": N_("Date"),
    "records": N_("Records"),
    "state": N_("State"),
    "rows": N_("Rows"),
    "found": N_("Found"),
    "ambiguous": N_("Ambiguous"),
    "possible": N_("Possible"),
    "not_found": N_("Not found"),
    "invalid_input": N_("Unreadable"),
    "conflicts": N_("In conflict"),
    "review": N_("To review"),
    "columns": N_("Columns"),
    "unread": N_("Columns not read"),
    "no names": N_("No column of names was read: numbers are not compared with names. --name says which it is."),
    "sheet": N_("Sheet"),
    "header row": N_("Header row"),
    "no header": N_("none"),
    "matching": N_("match"),
    "kept": N_("Kept"),
    "merged": N_("Merged"),
    "left_out": N_("Left out by rule"),
    "rejected": N_("Rejected"),
    "nothing": N_("Nothing found."),
    "published": N_("Published release"),
    "indexing": N_("index"),
    "files": N_("Files"),
    "bytes": N_("Bytes"),
    "reason": N_("Reason"),
    "age": N_("Days"),
    "licence": N_("Licence"),
    "completeness": N_("Completeness"),
    "new": N_("new"),
    "same": N_("nothing new"),
    "late": N_("late"),
    "failed": N_("failed"),
    "manual": N_("by hand"),
    "fresh": N_("up to date"),
    "whole": N_("complete"),
    "sample": N_("sample"),
    "by-hand": N_("by hand"),
    "none": N_("not fetched yet"),
    "expected": N_("as expected"),
    "changed": N_("changed"),
    "gone": N_("gone"),
    "login": N_("asks for a login"),
    "unreachable": N_("unreachable"),
    "release": N_("Release"),
    "change": N_("Kind of change"),
    "built": N_("Built"),
    "open": N_("Open"),
    "engine": N_("Engine"),
    "size": N_("Size"),
    "yes": N_("yes"),
    "current": N_("current"),
    "previous": N_("previous"),
    "unpublished": N_("not published"),
    "sound": N_("every file is as published"),
    "removed": N_("Removed"),
    "saved": N_("Saved"),
    "restored": N_("Restored"),
    "nothing_removed": N_("nothing"),
    "before": N_("Before"),
    "after": N_("After"),
    "cursor": N_("Cursor"),
    "account": N_("Account"),
    "address": N_("Mail address"),
    "plan": N_("Plan"),
    "keys": N_("Keys"),
    "actor": N_("Actor"),
    "event": N_("Event"),
    "subject": N_("Subject"),
    "day": N_("Day"),
    "period": N_("Period"),
    "price": N_("Price"),
    "stripe_price": N_("Price at Stripe"),
    "answers": N_("Answers"),
    "active": N_("in use"),
    "unconfirmed": N_("not confirmed"),
    "suspended": N_("suspended"),
    "deleted": N_("deleted"),
}
"""Headings, and states as they are printed in a cell."""


def word(key: str) -> str:
    """Return a heading or state in the language of the person at the terminal."""
    return translate(_WORDS[key], config.reader_language())


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; on a pipe it is as wide as it needs, so that nothing is cut."""
    console = Console(width=None if sys.stdout.isatty() else 400)
    grid = Table(*map(word, columns), box=None, pad_edge=False, header_style="bold")
    for row in rows:
        grid.add_row(*("" if cell is None else str(cell) for cell in row))
    console.print(grid)


def print_json(value: object) -> None:
    """Print a value as the API would send it, indented."""
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")


@contextmanager
def current_step() -> Iterator[Callable[[str, str], None]]:
    """Show the current step on a terminal."""
    with progress() as bar:
        task = bar.add_task("", total=None)
        yield lambda code, stage: bar.update(task, description=f"{code} {stage}".strip())


@contextmanager
def progress() -> Iterator[Progress]:
    """A progress bar on a terminal; nothing at all on a pipe."""
    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        yield bar


@contextmanager
def bytes_done() -> Iterator[Callable[[int, int], None]]:
    """Show how many of how many bytes have travelled, on a terminal."""
    with progress() as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(
            task, description=f"{done >> 20} / {total >> 20} MiB", completed=done, total=total
        )


def decoded(parameter: str, text: str) -> str:
    """Return an argument of the command line, read as strictly as the API does. Raises like `inputs.decoded`."""
    return inputs.decoded(parameter, os.fsencode(text))


def print_company(answer: Located) -> None:
    """Print a company as two columns, member and value, and the hints about the requested number."""
    rows = Table(box=None, show_header=False, pad_edge=False)
    for key, value in msgspec.to_builtins(answer.record).items():
        if value is not None:
            text = ", ".join(map(str, value.values())) if isinstance(value, dict) else str(value)
            rows.add_row(key, text)
    Console(width=None if sys.stdout.isatty() else 400).print(rows)
    requested, country = answer.requested, REGISTRY[answer.record.country_code]
    scheme = country.scheme_by_code[requested.scheme]
    tips = [hints.branch(country, scheme, requested.value)] if answer.branch else []
    tips += [hints.wrong_check_digit(scheme, None)] if answer.mistyped else []
    for tip in tips:
        print(f"· {tip.of(config.reader_language())}")  # noqa: T201


def print_outcomes(outcomes: Sequence[FetchOutcome], official: Path) -> None:
    """Print the outcome of fetching each source, and the commands that place files by hand below `official`."""
    rows = [
        (*outcome[:2], word(outcome.state), outcome.fetched, outcome.bytes, _reason(outcome)) for outcome in outcomes
    ]
    table(("country", "source", "state", "files", "bytes", "reason"), rows)
    commands = [line for outcome in outcomes if outcome.state == "manual" for line in _by_hand(outcome, official)]
    if commands:
        text = bilingual(
            "A file saved by hand is put in place like this, with its year for YYYY and, for DAY, the day on which it "
            "was published (2026-11-01); then `padron build`:"
        )
        print(text.of(config.reader_language()), *commands, sep="\n")  # noqa: T201


def _by_hand(outcome: FetchOutcome, official: Path) -> Iterator[str]:
    """Yield the page of a source, and the command that puts a file saved from there in its place."""
    country = REGISTRY[outcome.country]
    for origin in country.origins:
        if origin.source == outcome.source and isinstance(origin.way, Manual) and origin.way.saved_as:
            [page] = [source.url for source in country.sources if source.key == origin.source]
            target = official / country.code.lower() / origin.source / origin.way.saved_as
            command = [sys.executable, "-m", "padron.ingest.bundle", origin.way.saved_as, str(target)]
            command += ["--country", country.code, "--source", origin.source, "--published", "DAY"]
            yield f"{country.code} {origin.source}: {page}"
            yield f"  {shlex.join(command)}"


def _reason(outcome: FetchOutcome) -> str | None:
    """The error of a source, or the steps a person must take to update it."""
    language = config.reader_language()
    if outcome.error:
        return messages.detail(outcome.error, language)
    ways = (origin.way for origin in REGISTRY[outcome.country].origins if origin.source == outcome.source)
    return next((way.steps.of(language) for way in ways if isinstance(way, Manual)), None)


def print_sources(statuses: Sequence[SourceStatus]) -> None:
    """Print the state of each source, and the error of its last fetch."""
    rows = []
    for status in statuses:
        reason = ""
        if status.reason:
            reason = messages.detail_of(status.reason, status.context, config.reader_language())
        rows.append((*status[:2], word(status.state), *status[2:6], word(status.completeness), status.licence, reason))
    table("country source state date age rows rejected completeness licence reason".split(), rows)


def print_source_checks(checks: Sequence[SourceCheck]) -> None:
    """Print the answer of each source, and below it each file that is not as expected."""
    language = config.reader_language()
    rows: list[tuple[object, ...]] = []
    for check in checks:
        days = [file.date for file in check.files if file.date]
        size = sum(file.bytes or 0 for file in check.files) or None
        head = (check.country, check.source)
        rows.append((*head, word(check.state), len(check.files), max(days, default=None), size, ""))
        rows += (
            (*head, word(file.state), "", file.date, file.bytes, messages.detail(file.reason, language))
            for file in check.files
            if file.reason
        )
    table("country source state files date bytes reason".split(), rows)


def print_balance(manifests: Mapping[str, Mapping[str, Any]]) -> None:
    """Print the balance of rows of every source, by country."""
    rows = []
    for code, manifest in manifests.items():
        for key, account in manifest["sources"].items():
            if account["date"]:
                left, refused = (sum(account[part].values()) for part in ("left_out", "rejected"))
                rows.append((code, key, account["rows"], account["kept"], account["merged"], left, refused))
    table(("country", "source", "rows", "kept", "merged", "left_out", "rejected"), rows)


def print_release(data: Path, release: snapshot.Release) -> None:
    """Print the balance of rows of every source, and the published release."""
    print_balance({code: snapshot.manifest(data, name) for code, name in release.snapshots.items()})
    print(f"{word('published')} {release.id}: {release.coverage['total']}")  # noqa: T201
