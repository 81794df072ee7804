"""The work of each tool: a question to the directory, answered with citations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final, NamedTuple, Protocol
from urllib.parse import quote, unquote

import msgspec

from padron.api.financials import financials
from padron.companies.company import Record, Teaser
from padron.companies.model import CountryCode
from padron.countries import REGISTRY
from padron.directory import Directory, IdentifierReading
from padron.errors import Invalid, NotFound, messages
from padron.lists.rows import ListRow
from padron.lookup import hints
from padron.mcp import model
from padron.transport import inputs
from padron.words import Language

_CITED: Final = frozenset({"source", "sourceUrl", "date"})
"""Facts of a page that are its metadata too."""


class Caller(Protocol):
    """Whoever calls a tool, and what it may do."""

    @property
    def language(self) -> Language:
        """Language of answers, unless a call states another."""

    async def count_searches(self, count: int) -> None:
        """Count further searches of one call. Raises `Limited`."""

    async def take_row(self) -> None:
        """Wait until a row of a list may be matched: lists must not hold up the requests of others."""

    def answering(self, tool: str) -> AbstractAsyncContextManager[None]:
        """Count one answer of a tool if it succeeds. Raises `Limited`."""

    async def check_financials(self) -> None:
        """Permit financial values in the answer. Raises `Denied`."""


class Visit(NamedTuple):
    """The context of one call: the directory of one release, who calls, and the language of the answer."""

    directory: Directory
    caller: Caller
    language: Language


async def search_companies(visit: Visit, given: model.SearchArguments) -> model.CompanySearch:
    """Search by name or identifier."""
    answer = await visit.directory.search(
        _plain("query", given.query), country=_country(given.country), limit=given.limit, language=visit.language
    )
    return model.CompanySearch(answer=answer, citation=await _citation_of(visit, answer.best_match))


async def get_company(visit: Visit, given: model.CompanyArguments) -> model.CompanyFacts:
    """Look one company up by its identifier."""
    company = await visit.directory.get(
        inputs.country_code(given.country), _plain("identifier", given.identifier), visit.language
    )
    return model.CompanyFacts(
        entity=company.record,
        match="branch" if company.branch else "alias" if company.alias else "primary",
        citation=_citation(company.record, visit.language),
    )


async def get_financials(visit: Visit, given: model.CompanyArguments) -> model.CompanyFinancials:
    """Read the yearly statements of a company."""
    country, number = inputs.country_code(given.country), _plain("identifier", given.identifier)
    await visit.caller.check_financials()
    record = (await visit.directory.get(country, number, visit.language)).record
    yearly = await visit.directory.statements(country, number, visit.language)
    history = financials(record, yearly, REGISTRY[country].no_statements, visit.language)
    return model.CompanyFinancials(financials=history, citation=_citation(record, visit.language))


async def match_companies(visit: Visit, given: model.MatchArguments) -> model.CitedMatches:
    """Find the company of each row of a list."""
    for number, row in enumerate(given.rows):
        for field, cell in msgspec.structs.asdict(row).items():
            _plain(f"rows[{number}].{field}", cell)
    await visit.caller.count_searches(len(given.rows) - 1)
    matches = []
    for row in given.rows:
        await visit.caller.take_row()
        matches.append(await _match(visit, row))
    return model.CitedMatches(matches=matches, counts=Counter(match.verdict for match in matches))


async def _match(visit: Visit, row: ListRow) -> model.CitedMatch:
    match = await visit.directory.match(row, visit.language)
    citation = await _citation_of(visit, match.company if match.verdict == "found" else None)
    return model.CitedMatch(**msgspec.structs.asdict(match), citation=citation)


async def validate_identifier(visit: Visit, given: model.ValidateArguments) -> model.IdentifierCheck:
    """Check a number: its readings, its check digit, and the company that has it."""
    number, country, hint = _plain("identifier", given.identifier), _country(given.country), None
    try:
        readings = await visit.directory.identify(number, country, visit.language)
    except (Invalid, NotFound) as error:
        readings, hint = [], messages.detail(error, visit.language)
    checks = [reading.number.identifier.valid_check for reading in readings]
    if False in checks and True not in checks:
        wrong = readings[checks.index(False)]
        hint = hints.wrong_check_digit(wrong.number.scheme, wrong.corrected).of(visit.language)
    return model.IdentifierCheck(
        identifier=number,
        valid=_valid(readings),
        readings=[_reading(reading, visit.language) for reading in readings],
        hint=hint,
    )


def _valid(readings: Sequence[IdentifierReading]) -> bool | None:
    """Return whether a number with these readings is an identifier, None where nothing but its form says so."""
    checks = [reading.number.identifier.valid_check for reading in readings]
    possible = [reading for reading, check in zip(readings, checks, strict=True) if check is not False]
    if True in checks or any(reading.record for reading in possible):
        return True
    return None if possible else False


def _reading(reading: IdentifierReading, language: Language) -> model.NumberReading:
    number, record = reading.number, reading.record
    return model.NumberReading(
        country_code=number.country,
        scheme=number.scheme.code,
        id_label=number.scheme.label.of(language),
        identifier=number.identifier.value,
        shown=number.scheme.show(number.identifier.value),
        valid_check=number.identifier.valid_check,
        corrected=reading.corrected,
        company=_citation(record, language) if record else None,
    )


async def get_coverage(visit: Visit, given: model.Arguments) -> model.CoverageFacts:
    """Return what the release holds and lacks, by country."""
    return model.CoverageFacts(coverage=visit.directory.public_coverage(visit.language))


async def search(visit: Visit, given: model.QueryArguments) -> model.PageResults:
    """Search for pages to fetch."""
    query = _plain("query", given.query)
    answer = await visit.directory.search(query, country=None, limit=inputs.LIMIT[2], language=visit.language)
    return model.PageResults(
        results=[
            model.PageResult(id=_page_id(teaser), title=_title(teaser), url=_page(teaser, visit.language))
            for teaser in answer.results
        ]
    )


async def fetch(visit: Visit, given: model.FetchArguments) -> model.Page:
    """Return a company as a text."""
    country, _, identifier = _plain("id", given.id).partition("/")
    if country not in REGISTRY:
        raise Invalid("invalid-field", parameter="id")
    record = (await visit.directory.get(country, unquote(identifier), visit.language)).record
    cited = _citation(record, visit.language)
    facts = {
        "legalName": record.legal_name,
        "tradeName": record.trade_name,
        "country": REGISTRY[record.country_code].name.of(visit.language),
        "scheme": record.scheme,
        record.id_label: record.identifier,
        "status": record.status,
        "activity": record.classification_label or record.classification_code,
        "financialsAvailable": "true" if record.financials_available else "false",
        "source": cited.source,
        "sourceUrl": cited.source_url,
        "date": cited.date and cited.date.isoformat(),
    }
    stated = {name: _line(value) for name, value in facts.items() if value}
    metadata = {name: value for name, value in stated.items() if name in _CITED}
    return model.Page(
        id=_page_id(record),
        title=_title(record),
        url=cited.url,
        text="\n".join(f"{name}: {value}" for name, value in stated.items()),
        metadata={**metadata, "countryCode": record.country_code, "identifier": record.identifier},
    )


async def _citation_of(visit: Visit, teaser: Teaser | None) -> model.Citation | None:
    """Return the citation of a search result, whose source only its record states."""
    if teaser is None:
        return None
    company = await visit.directory.get(teaser.country_code, teaser.identifier, visit.language)
    return _citation(company.record, visit.language)


def _citation(record: Record, language: Language) -> model.Citation:
    page = _page(record, language)
    name, address = (record.source.source_name, record.source.source_url) if record.source else (None, None)
    day = record.refreshed_at.date() if record.refreshed_at else None
    parts = [_title(record), name, day and day.isoformat(), page]
    return model.Citation(
        text=", ".join(part for part in parts if part),
        url=page,
        source=name,
        source_url=address,
        date=day,
    )


def _title(company: Record | Teaser) -> str:
    label = company.id_label.partition(" (")[0]  # without its explanation, as `Scheme.short_label`
    return f"{_line(company.legal_name)} ({company.country_code}, {label} {company.identifier})"


def _page(company: Record | Teaser, language: Language) -> str:
    return company.canonical_urls.en if language == "en" else company.canonical_urls.es


def _page_id(company: Record | Teaser) -> str:
    return f"{company.country_code}/{quote(company.identifier, safe='')}"


def _line(text: str) -> str:
    """Return a text of a register on one line, so that it cannot pass for a fact of its own."""
    return " ".join(text.split())


def _plain(name: str, text: str) -> str:
    """Return an argument if it is plain text. Raises `Invalid`: `not-utf8`, `control-characters`."""
    return inputs.decoded(name, text.encode(errors="surrogatepass"))


def _country(code: str | None) -> CountryCode | None:
    return inputs.country_code(code) if code else None
