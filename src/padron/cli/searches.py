"""`padron search`, `get`, `coverage`, `compare` and `mcp`: the directory at a terminal, in process."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from padron import config
from padron.cli.terminal import decoded, print_company, print_json, table, word
from padron.companies.company import Teaser
from padron.companies.model import CountryCode
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.transport import inputs
from padron.words import Language

NOTHING_FOUND = 1
"""Exit code of a search without a result."""

Json = Annotated[bool, Parameter(name="--json", negative="")]


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
    """
    q, most = inputs.query({"q": decoded("q", text)}), inputs.limit({"limit": str(limit)})
    search = _open(data).search(q, country=_country(country), limit=most, language=_language(json))
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


def get(country: str, identifier: str, *, json: Json = False, data: Path | None = None) -> int:
    """Get one company by its official identifier.

    Args:
        country: ISO code of the country, as `padron coverage` lists them.
        identifier: The official identifier, formatted or not.
        json: Print what the public API answers.
        data: Data folder (default: the PADRON_DATA setting).
    """
    number = decoded("identifier", identifier)
    company = run(_open(data).get(inputs.country_code(country), number, _language(json)))
    if json:
        print_json({"entity": company.record})
    else:
        print_company(company)
    return 0


def coverage(*, json: Json = False, data: Path | None = None) -> int:
    """Tell how many companies of each country are covered, from which source and date.

    Args:
        json: Print what the public API answers.
        data: Data folder (default: the PADRON_DATA setting).
    """
    answer = _open(data).public_coverage(_language(json))
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


def compare(a: str, b: str, *, country: str | None = None, json: Json = False, data: Path | None = None) -> int:
    """Compare two names, in either order: the confidence that they mean one company.

    Args:
        a: A name.
        b: The other name.
        country: Whose legal forms apply first.
        json: Print confidence, what matched, explanations and the sentence as JSON.
        data: Data folder (default: the PADRON_DATA setting).
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


def mcp(*, data: Path | None = None) -> int:
    """Offer the release to agents of this machine: the Model Context Protocol on standard input and output.

    Companies have the addresses of their pages if PADRON_BASE_URL says where these are, else of their official records.

    Args:
        data: Data folder (default: the PADRON_DATA setting).
    """
    from padron.mcp.server import serve_standard_input  # noqa: PLC0415 - the other commands never load the library

    opened = _open(data, has_pages=config.is_given("BASE_URL"))
    run(serve_standard_input(opened, config.reader_language("es")))
    return 0


def _language(json: bool) -> Language:
    """Return the language of an answer; where the terminal names none, JSON is in that of the public API."""
    return config.reader_language("es" if json else "en")


def _open(data: Path | None, *, has_pages: bool = True) -> Directory:
    """Open the directory; without pages, companies have the addresses of their official records."""
    settings = config.load()
    base_url = settings.base_url if has_pages else None
    return run(
        Directory.open(data or settings.data, REGISTRY, base_url, settings.suppressions, search_url=settings.search.url)
    )


def _country(code: str | None) -> CountryCode | None:
    return inputs.country_code(code) if code else None
