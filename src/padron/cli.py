"""The command line: `padron fetch`, `build`, `serve`, `search`, `get`, `coverage`, `doctor` and the other commands.

Everything but `serve` works in process, no server needed. Words for people follow LC_ALL, LC_MESSAGES or LANG (Spanish
unless they say English); `--json` prints what the public API answers, and errors as problem documents. Exit codes: 0
done, 1 nothing found, 2 the input is wrong, 3 an official file or a release is broken, 4 not available now (another
build runs, the port is taken).
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from json import dumps
from pathlib import Path
from typing import Annotated

from cyclopts import App, CycloptsError, Parameter, validators

from padron import __version__, config
from padron.company import Teaser
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.errors import Invalid, NotFound, PadronError, ReleaseError, SourceError, Unavailable
from padron.ingest.changes import read as read_changes
from padron.ingest.corpus import corpus as write_corpus
from padron.ingest.disk import disk_faults
from padron.ingest.fetch import FetchOutcome
from padron.ingest.fetch import fetch as fetch_country
from padron.ingest.fetch import refresh as refresh_all
from padron.ingest.fetching.client import FetchSettings
from padron.ingest.fetching.source_status import sources as source_states
from padron.model import CountryCode
from padron.publishing import publish
from padron.suppression import load as load_suppressions
from padron.terminal import (
    current_step,
    decoded,
    print_company,
    print_json,
    print_outcomes,
    print_release,
    print_sources,
    progress,
    table,
    word,
)
from padron.transport import inputs
from padron.words import error_messages

NOTHING_FOUND, BAD_INPUT, BROKEN, UNAVAILABLE = 1, 2, 3, 4
BUNDLED = Path(__file__).resolve().parents[2] / "data" / "official"
"""The official files that come with the project."""

app = App(name="padron", version=__version__, help="Company search of the Americas, from the official registers.")
app.register_install_completion_command()
app.command("padron.account_commands:commands", name="accounts", help="Open, list and change accounts and their keys.")
app.command("padron.release_commands:commands", name="release", help="List, check, bring back and remove releases.")
app.command("padron.list_commands:match", name="match", help="Find the company of each row of a list in a file.")
Positive = Annotated[int, Parameter(validator=validators.Number(gte=1))]
Port = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=65535))]
AnyPort = Annotated[int, Parameter(validator=validators.Number(gte=0, lte=65535))]
Json = Annotated[bool, Parameter(name="--json", negative="")]


def _open(data: Path | None) -> Directory:
    settings = config.load()
    return run(
        Directory.open(
            data or settings.data, REGISTRY, settings.base_url, settings.suppressions, search_url=settings.search.url
        )
    )


def _country(code: str | None) -> CountryCode | None:
    return inputs.country_code(code) if code else None


@app.command
def search(
    text: str, *, country: str | None = None, limit: int = 8, json: Json = False, data: Path | None = None
) -> int:
    """Find companies by name or identifier, the best match first.

    Args:
        text: A name or an official identifier, in any punctuation.
        country: Search the registers of one country only: its ISO code, as `padron coverage` lists them.
        limit: How many results at most, 1 to 20.
        json: Print what the public API answers.
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code.
    """
    q, most = inputs.query({"q": decoded("q", text)}), inputs.limit({"limit": str(limit)})
    search = _open(data).search(q, country=_country(country), limit=most, language=config.reader_language())
    answer = run(search)
    if json:
        print_json(answer)
    elif answer.results:
        table(("confidence", "country", "identifier", "name", "status"), map(_result_row, answer.results))
    else:
        print(word("nothing"))  # noqa: T201
    for hint in () if json else answer.match_hints:
        print(f"· {hint}")  # noqa: T201
    return 0 if answer.results else NOTHING_FOUND


def _result_row(teaser: Teaser) -> tuple[object, ...]:
    confidence = "" if teaser.confidence is None else f"{teaser.confidence:.4f}"
    return confidence, teaser.country_code, f"{teaser.id_label} {teaser.identifier}", teaser.legal_name, teaser.status


@app.command
def get(country: str, identifier: str, *, json: Json = False, data: Path | None = None) -> int:
    """Get one company by its official identifier.

    Args:
        country: ISO code of the country, as `padron coverage` lists them.
        identifier: The official identifier, formatted or not.
        json: Print what the public API answers.
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code.
    """
    number = decoded("identifier", identifier)
    company = run(_open(data).get(inputs.country_code(country), number, config.reader_language()))
    if json:
        print_json({"entity": company.record})
    else:
        print_company(company)
    return 0


@app.command
def coverage(*, json: Json = False, data: Path | None = None) -> int:
    """Tell how many companies of each country are covered, from which source and date.

    Args:
        json: Print what the public API answers.
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code.
    """
    answer = _open(data).public_coverage(config.reader_language())
    if json:
        print_json(answer)
        return 0
    rows = [
        (
            country.country_code,
            country.companies,
            country.existing and country.existing.count,
            source.name,
            source.date,
            source.records,
            word(source.state),
        )
        for country in answer.countries
        for source in country.sources
    ]
    table(("country", "companies", "existing", "source", "date", "records", "state"), rows)
    return 0


@app.command
def compare(a: str, b: str, *, country: str | None = None, json: Json = False, data: Path | None = None) -> int:
    """Compare two names, in either order: the confidence that they mean one company.

    Args:
        a: A name.
        b: The other name.
        country: Whose legal forms apply first.
        json: Print confidence, what matched, explanations and the sentence as JSON.
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code.
    """
    result = _open(data).compare(decoded("a", a), decoded("b", b), _country(country))
    if json:
        print_json(result)
    else:
        print(f"{result.confidence:.4f}")  # noqa: T201
        print(result.sentence[config.reader_language()])  # noqa: T201
        for reason, score in result.explanations.items():
            print(f"{reason:24} {score:.4f}")  # noqa: T201
    return 0


@app.command
def build(*, source: list[Path] | None = None, data: Path | None = None, country: list[str] | None = None) -> int:
    """Build a release from official files and make it the one to serve.

    A build that fails or is killed leaves the served release as it was.

    Args:
        source: Root of official files (`<root>/<country>/<source>/`); may be given several times, the last that has a
            source wins. By default the files that come with the project, and the fetched ones where present.
        data: Data folder (default: the PADRON_DATA setting).
        country: Build only this country again; may be given several times.

    Returns:
        The exit code.
    """
    settings = config.load()
    data = data or settings.data
    roots = source or [BUNDLED, data / "official"]
    only = [code for wanted in country or [] if (code := _country(wanted))]
    with progress() as bar:
        task = bar.add_task("", total=None)
        release = publish(
            data,
            REGISTRY,
            roots,
            load_suppressions(settings.suppressions, REGISTRY),
            search_url=settings.search.url,
            only=only,
            progress=lambda code, stage: bar.update(task, description=f"{code} {stage}".strip()),
            indexed=lambda done, total: bar.update(task, description=word("indexing"), completed=done, total=total),
        )
    print_release(data, release)
    return 0


@app.command
def fetch(country: str, *, source: list[str] | None = None, data: Path | None = None) -> int:
    """Fetch the official files of a country that are new, into the data folder.

    Args:
        country: ISO code of the country, as `padron coverage` lists them.
        source: Fetch only this source; may be given several times.
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code.

    Raises:
        Invalid: `unknown-source`, `unknown-country`.
    """
    code = inputs.country_code(country)
    known = [origin.source for origin in REGISTRY[code].origins]
    if strangers := sorted(set(source or []) - set(known)):
        raise Invalid("unknown-source", parameter="source", source=strangers[0], country=code, known=", ".join(known))
    settings = config.load(data=data)
    with current_step() as tell:
        outcomes = fetch_country(
            REGISTRY[code], settings.data / "official", _means(settings), only=source or (), progress=tell
        )
    print_outcomes(outcomes)
    return _exit(outcomes)


@app.command
def refresh(*, data: Path | None = None) -> int:
    """Fetch what is new of all countries and build anew those that have news: the command for a timer.

    Args:
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code.
    """
    settings = config.load(data=data)
    served = (settings.data / "current").exists()
    with progress() as bar:
        task = bar.add_task("", total=None)

        def build_changed(codes: list[str]) -> None:
            bar.stop()
            build(data=settings.data, country=codes if served else None)

        outcomes = refresh_all(
            REGISTRY,
            settings.data / "official",
            _means(settings),
            build_changed,
            progress=lambda code, file: bar.update(task, description=f"{code} {file}"),
        )
    print_outcomes(outcomes)
    return _exit(outcomes)


@app.command
def sources(*, json: Json = False, data: Path | None = None) -> int:
    """Tell the date, age, rows, licence, completeness and state of every official source.

    Args:
        json: Print it as JSON.
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code.
    """
    rows = source_states(REGISTRY, data or config.load().data, BUNDLED, datetime.now(UTC).date())
    if json:
        print_json([row._asdict() for row in rows])
    else:
        print_sources(rows)
    return 0


def _means(settings: config.Settings) -> FetchSettings:
    return FetchSettings(settings.fetch.contact, settings.fetch.mirrors, settings.fetch.shares)


def _exit(outcomes: Sequence[FetchOutcome]) -> int:
    return BROKEN if any(outcome.state == "failed" for outcome in outcomes) else 0


@app.command
def changes(*, since: str | None = None, limit: Positive = 1000, json: Json = False, data: Path | None = None) -> int:
    """Tell what each published release changed: companies new, gone, renamed, renumbered and more.

    Args:
        since: The cursor that the last call gave: go on from there.
        limit: How many changes at most.
        json: Print `changes` and the `cursor` to go on from as JSON.
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code.
    """
    settings = config.load(data=data)
    hidden = load_suppressions(settings.suppressions, REGISTRY)
    page = read_changes(settings.data, since, limit, REGISTRY, hidden)
    if json:
        print_json(page._asdict())
    else:
        columns = "release country identifier name change before after".split()
        table(columns, ([change[column] for column in columns] for change in page.changes))
        print(f"{word('cursor')}: {page.cursor}")  # noqa: T201
    return 0 if page.changes else NOTHING_FOUND


@app.command
def serve(*, data: Path | None = None, host: str = "127.0.0.1", port: Port = 8000, workers: Positive = 1) -> int:
    """Serve the HTTP API.

    Args:
        data: Data folder (default: the PADRON_DATA setting).
        host: Address to listen on.
        port: Port to listen on.
        workers: Processes that answer.

    Returns:
        The exit code.
    """
    from padron import doctor  # noqa: PLC0415 - the other commands load neither accounts
    from padron.app import serve as run  # noqa: PLC0415 - nor the web framework

    settings = doctor.startable(data, host, port)

    run(settings, host=host, port=port, workers=workers)
    return 0


@app.command
def mcp(*, data: Path | None = None) -> int:
    """Offer the release to agents of this machine: the Model Context Protocol on standard input and output.

    Args:
        data: Data folder (default: the PADRON_DATA setting).

    Returns:
        The exit code.
    """
    from padron.mcp.server import serve_standard_input  # noqa: PLC0415 - the other commands never load the library

    run(serve_standard_input(_open(data), config.reader_language()))
    return 0


@app.command
def corpus(*, rows: int, to: Path, seed: int = 1) -> int:
    """Write synthetic files in the official format of Brazil's Receita Federal, for benchmarks at any size.

    Args:
        rows: How many establishments.
        to: Folder to write to.
        seed: The same seed gives the same bytes.

    Returns:
        The exit code.
    """
    with disk_faults(to):
        write_corpus(rows, to, seed)
    return 0


@app.command(name="doctor")
def examine(*, data: Path | None = None, host: str = "127.0.0.1", port: AnyPort = 8000) -> int:
    """Check settings, disk, release, index lock, port and clock; tell every fault at once.

    Args:
        data: Data folder (default: the PADRON_DATA setting).
        host: Address the service will listen on.
        port: Port the service will listen on; 0: any.

    Returns:
        The exit code.
    """
    from padron import doctor  # noqa: PLC0415 - as above

    findings = doctor.examine(data, host, port, REGISTRY)
    for finding in findings:
        mark = "✗" if finding.fault else "✓"
        print(f"{mark} {finding.text.of(config.reader_language())}")  # noqa: T201
    return BROKEN if any(finding.fault for finding in findings) else 0


def main() -> None:
    """Run a command; every error of ours becomes one sentence on standard error and an exit code."""
    try:
        code = app(exit_on_error=False, print_error=True, result_action="return_value")
        sys.stdout.flush()
    except CycloptsError:
        code = BAD_INPUT
    except PadronError as error:
        code = _state(error)
    except BrokenPipeError:
        code = 0
        _discard_output()
    except OSError as error:
        if error.filename or error.errno not in _UNWRITTEN:
            raise
        code = _state(Unavailable("output-fault", reason=error.strerror))
        _discard_output()
    except KeyboardInterrupt:
        code = 130
    sys.exit(code if isinstance(code, int) else 0)


_UNWRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


def _state(error: PadronError) -> int:
    """State an error on standard error, as a problem document where JSON was asked for; return the exit code."""
    language = config.reader_language()
    detail = error_messages.detail(error, language)
    if "--json" in sys.argv:
        names = ("type", "title", "detail", "code")
        values = (f"urn:padron:problem:{error.code}", error_messages.title(error.code, language), detail, error.code)
        detail = dumps(dict(zip(names, values, strict=True)), ensure_ascii=False)
    print(detail, file=sys.stderr)  # noqa: T201
    if isinstance(error, NotFound):
        return NOTHING_FOUND
    if isinstance(error, Invalid):
        return BAD_INPUT
    return BROKEN if isinstance(error, (SourceError, ReleaseError)) else UNAVAILABLE


def _discard_output() -> None:
    """Let the interpreter write what it still holds for standard output to nowhere, and not fail again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
