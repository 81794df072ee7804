"""`padron fetch`, `build`, `refresh`, `changes` and `corpus`: from official files to releases."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, NoReturn

from cyclopts import Parameter, validators

from padron import config
from padron.cli.terminal import (
    current_step,
    print_balance,
    print_json,
    print_outcomes,
    print_release,
    progress,
    table,
    word,
)
from padron.countries import REGISTRY
from padron.countries.country import Country
from padron.errors import Invalid, SourceError, messages
from padron.ingest.build import with_files
from padron.ingest.corpus import corpus as write_corpus
from padron.ingest.disk import disk_faults
from padron.ingest.fetch import FetchOutcome
from padron.ingest.fetch import fetch as fetch_country
from padron.ingest.fetch import refresh as refresh_all
from padron.ingest.fetching.client import FetchSettings
from padron.ingest.sample import build_sample, fetch_sample
from padron.publishing.publish import publish
from padron.releases import change_log
from padron.releases.suppression import load as load_suppressions
from padron.transport import inputs
from padron.words import bilingual, bilingual_plural

NOTHING_NEW, BROKEN = 1, 3
"""Exit codes: no change to tell of, and a source that failed."""


def _bundled() -> Path:
    """Return the official files of a checkout, else those of padron-data; without both, a folder that is not there."""
    checkout = Path(__file__).resolve().parents[3] / "data" / "official"
    package = find_spec("padron_data")
    if checkout.is_dir() or package is None or package.origin is None:
        return checkout
    return Path(package.origin).with_name("official")


BUNDLED = _bundled()
"""The official files that come with the project."""

Positive = Annotated[int, Parameter(validator=validators.Number(gte=1))]
Flag = Annotated[bool, Parameter(negative="")]
Json = Annotated[bool, Parameter(name="--json", negative="")]


def build(*, source: list[Path] | None = None, data: Path | None = None, country: list[str] | None = None) -> int:
    """Build a release from official files and make it the one to serve.

    A build that fails or is killed leaves the served release as it was; a country whose files cannot be used stays as
    it was while the others are built, and the exit code is then 3. Without `source` and `country` it reads every
    country that has files, and names the others.

    Args:
        source: Root of official files (`<root>/<country>/<source>/`); may be given several times, the last that has a
            source wins. By default the files that come with the project (the package padron-data), and the fetched ones
            where present.
        data: Data folder (default: the PADRON_DATA setting).
        country: Build only this country again; may be given several times.

    Raises:
        SourceError: `no-official-files`, neither padron-data nor fetched files are there, or as `publish` does.
    """
    settings = config.load()
    data = data or settings.data
    roots = source or [BUNDLED, data / "official"]
    only = [inputs.country_code(code) for code in country or []]
    if not source and not only:
        only = _countries(roots)
    faults: dict[str, SourceError] = {}
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
            failed=faults.__setitem__,
        )
    print_release(data, release)
    _tell_wholly_renamed(data, release.id)
    if faults:
        _raise_faults(faults)
    return 0


def _tell_wholly_renamed(data: Path, release: str) -> None:
    """Print how many numbers have a name without a word of the one before, and the first of them."""
    renamed = change_log.wholly_renamed(data, release, REGISTRY)
    if first := next(renamed, None):
        count = 1 + sum(1 for _ in renamed)
        text = bilingual_plural(
            "{count} number has a legal name that shares no word with its last one: {country} {number}, {before} → "
            "{after}. `padron changes` lists what was renamed.",
            "{count} numbers have a legal name that shares no word with their last one; the first is {country} "
            "{number}, {before} → {after}. `padron changes` lists what was renamed.",
            count,
            country=first["country"],
            number=first["identifier"],
            before=first["before"],
            after=first["after"],
        )
        print(text.of(config.reader_language()), file=sys.stderr)  # noqa: T201


def _raise_faults(faults: Mapping[str, SourceError]) -> NoReturn:
    """Name the countries that were not built, with all faults but the first, and raise that one."""
    reader = config.reader_language()
    text = bilingual("Not built, and served as before: {countries}.", countries=", ".join(faults))
    first, *others = faults.values()
    for line in (text.of(reader), *(messages.detail(error, reader) for error in others)):
        print(line, file=sys.stderr)  # noqa: T201
    raise first


def _countries(roots: Sequence[Path]) -> list[str]:
    """Return the countries that have official files, and name the others on standard error."""
    codes = with_files(REGISTRY, roots)
    missing = [code for code in REGISTRY if code not in codes]
    if not codes:
        raise SourceError("no-official-files", countries=", ".join(missing), first=missing[0])
    if missing:
        text = bilingual(
            "Without official files, and so not built: {countries}. `padron fetch {first}` fetches those of a country.",
            countries=", ".join(missing),
            first=missing[0],
        )
        print(text.of(config.reader_language()), file=sys.stderr)  # noqa: T201
    return codes


def fetch(country: str, *, source: list[str] | None = None, sample: Flag = False, data: Path | None = None) -> int:
    """Fetch the official files of a country that are new, into the data folder.

    Args:
        country: ISO code of the country, as `padron coverage` lists them.
        source: Fetch only this source; may be given several times.
        sample: Fetch only the first records of each source into `samples` in the data folder, and build these apart:
            nothing is published.
        data: Data folder (default: the PADRON_DATA setting).

    Raises:
        Invalid: `unknown-source`, `unknown-country`.
    """
    code = inputs.country_code(country)
    known = [origin.source for origin in REGISTRY[code].origins]
    if strangers := sorted(set(source or []) - set(known)):
        raise Invalid("unknown-source", parameter="source", source=strangers[0], country=code, known=", ".join(known))
    settings = config.load(data=data)
    if sample:
        return _sample(REGISTRY[code], settings, source or ())
    with current_step() as tell:
        outcomes = fetch_country(
            REGISTRY[code], settings.data / "official", fetch_settings(settings), only=source or (), progress=tell
        )
    print_outcomes(outcomes, settings.data / "official")
    return _exit(outcomes)


def _sample(country: Country, settings: config.Settings, only: Sequence[str]) -> int:
    """Fetch and build a sample of a country."""
    folder = settings.data / "samples"
    root = folder / "official"
    with current_step() as tell:
        outcomes = fetch_sample(country, root, fetch_settings(settings), only=only, progress=tell)
        sampled = any(outcome.state == "new" for outcome in outcomes)
        manifest = build_sample(folder, root, country, tell) if sampled else None
    print_outcomes(outcomes, settings.data / "official")
    if manifest:
        print_balance({country.code: manifest})
    return _exit(outcomes)


def refresh(*, data: Path | None = None) -> int:
    """Fetch what is new of all countries and build anew those that have news: the command for a timer.

    Args:
        data: Data folder (default: the PADRON_DATA setting).
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
            fetch_settings(settings),
            build_changed,
            progress=lambda code, file: bar.update(task, description=f"{code} {file}"),
        )
    print_outcomes(outcomes, settings.data / "official")
    return _exit(outcomes)


def fetch_settings(settings: config.Settings) -> FetchSettings:
    """Return what requests to publishers take from the settings."""
    return FetchSettings(settings.fetch.contact, settings.fetch.mirrors, settings.fetch.shares)


def _exit(outcomes: Sequence[FetchOutcome]) -> int:
    return BROKEN if any(outcome.state == "failed" for outcome in outcomes) else 0


def changes(*, since: str | None = None, limit: Positive = 1000, json: Json = False, data: Path | None = None) -> int:
    """Tell what each published release changed: companies new, gone, renamed, renumbered and more.

    Args:
        since: The cursor that the last call gave: go on from there.
        limit: How many changes at most.
        json: Print `changes` and the `cursor` to go on from as JSON.
        data: Data folder (default: the PADRON_DATA setting).
    """
    settings = config.load(data=data)
    hidden = load_suppressions(settings.suppressions, REGISTRY)
    page = change_log.read(settings.data, since, limit, REGISTRY, hidden)
    if json:
        print_json({"changes": page.changes, "cursor": page.cursor})
    else:
        columns = "release country identifier name change before after".split()
        table(columns, ([change[column] for column in columns] for change in page.changes))
        print(f"{word('cursor')}: {page.cursor}")  # noqa: T201
    return 0 if page.changes else NOTHING_NEW


def corpus(*, rows: int, to: Path, seed: int = 1) -> int:
    """Write synthetic files in the official format of Brazil's Receita Federal, for benchmarks at any size.

    Args:
        rows: How many establishments.
        to: Folder to write to.
        seed: The same seed gives the same bytes.
    """
    with disk_faults(to):
        write_corpus(rows, to, seed)
    return 0
