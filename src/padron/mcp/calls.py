"""The work of each tool: a question to the directory, answered with citations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import quote, unquote

import msgspec
from msgspec.structs import replace

from padron.api.financials import financials
from padron.api.v1_model import requested
from padron.api.v1_search import cursor_of, start_of, unkeyed
from padron.api.v1_search_model import Understood, searched
from padron.companies.company import Record, Teaser
from padron.companies.model import CountryCode, OtherIdentifier, OtherName
from padron.countries import REGISTRY
from padron.countries.country import Scheme, names_in_words
from padron.directory import Directory, IdentifierReading
from padron.errors import Invalid, NotFound, PadronError, messages
from padron.index.listing import ListKey, stating_status
from padron.index.tags import Filters
from padron.lists.rows import ListRow
from padron.lookup import hints
from padron.lookup.detail import Detail, DetailedMatch, LocatedDetail
from padron.mcp import model
from padron.questions import sentences
from padron.questions.answer import FollowUp, FollowUpAction, PartAnswer, QuestionAnswer
from padron.questions.results import Question
from padron.transport import inputs
from padron.words import Language, Text, bilingual, joined

_CITED: Final = frozenset({"source", "sourceUrl", "date"})
"""Facts of a page that are its metadata too."""


_TOOL_OF: Final[Mapping[FollowUpAction, str]] = {
    "getEntity": "get_company",
    "getFinancials": "get_financials",
    "disambiguate": "search_companies",
    "mendIdentifier": "search_companies",
    "searchEverywhere": "search_companies",
    "dropFilters": "search_companies",
    "dropStatus": "search_companies",
    "seeCoverage": "get_coverage",
}


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
    """Answer a name, a number or a question."""
    country, text = _country(given.country), _question(given.query)
    filters = await _filters(visit, given, country)
    cursor = _cursors(visit, text, country, filters)
    start = _start(given, cursor)
    question = Question(text, country, filters, frozenset(), start, given.limit)
    response = await visit.directory.ask(question, visit.language)
    following = _following(cursor, start + len(response.results)) if response.more else None
    return model.CompanySearch(
        answer=_answer(visit, response, question, given, following),
        citation=_citation(response.best.detail.record, visit.language) if response.best else None,
    )


def _answer(
    visit: Visit, response: QuestionAnswer, question: Question, given: model.SearchArguments, cursor: str | None
) -> model.ToolAnswer:
    language = visit.language
    remarks = [*_about_place(visit, given, question.country), *response.hints]
    results = [_result(match, language) for match in response.results]
    countries = list(dict.fromkeys(company.country_code for company in results))
    return model.ToolAnswer(
        q=question.q,
        country=question.country,
        verdict=response.verdict,
        sentence=response.sentence.of(language),
        best_match=_result(response.best, language) if response.best else None,
        suggested_countries=countries if question.country is None and len(countries) > 1 else [],
        match_hints=[hint.of(language) for hint in remarks],
        results=results,
        total=response.total,
        next_cursor=cursor,
        understood=[Understood(aspect=clue.aspect, text=clue.text, value=clue.value) for clue in response.understood],
        companies=[_part(part, language) for part in response.parts],
        searched=[] if response.best else [searched(country) for country in response.searched],
        next_steps=[
            *_listing(visit, response, question),
            *(_next(step, given, language) for step in response.next_steps),
        ],
    )


def _result(match: DetailedMatch, language: Language) -> model.SearchResult:
    return model.SearchResult(
        **_placed(match.detail),
        matched_on=match.matched_on,  # type: ignore[arg-type]
        explanation=match.sentence.of(language),
    )


def _placed(company: Detail) -> dict[str, Any]:
    shared = {name: getattr(company.record, name) for name in Teaser.__struct_fields__}
    return {**shared, "region": company.details.region, "municipality": company.details.municipality}


def _part(part: PartAnswer, language: Language) -> model.CompanyPart:
    results = [_result(match, language) for match in part.results]
    is_sure = part.verdict == "found"
    return model.CompanyPart(
        asked=part.asked,
        verdict=part.verdict,
        sentence=part.sentence.of(language),
        best_match=results[0] if is_sure else None,
        results=results,
        citation=_citation(part.results[0].detail.record, language) if is_sure else None,
    )


def _about_place(visit: Visit, given: model.Conditions, country: CountryCode | None) -> list[Text]:
    """Return the hint that the registers state only the region around the place of a call."""
    if given.place is None:
        return []
    around = visit.directory.conditions.around(given.place, country)
    return [sentences.only_region(REGISTRY[around.country], around.region, given.place)] if around else []


def _next(step: FollowUp, given: model.SearchArguments, language: Language) -> model.NextCall:
    """Return the call of a tool that a step is."""
    identified = {"identifier": step.identifier} if step.identifier is not None else {}
    asked = {"query": step.q} if step.q is not None else {}
    country = {"country": step.country} if step.country else {}
    kept = {"place": given.place, "activity": given.activity} if step.action == "dropStatus" else {}
    conditions = {name: value for name, value in kept.items() if value is not None}
    return model.NextCall(
        tool=_TOOL_OF[step.action],
        arguments={**asked, **country, **conditions, **identified},
        why=step.why.of(language),
    )


def _listing(visit: Visit, response: QuestionAnswer, question: Question) -> list[model.NextCall]:
    """Return the list that a question may ask for which is not read as one: it states conditions, and names none."""
    clues = {clue.aspect: clue for clue in response.understood}
    is_list = "activity" in clues or {"region", "status"} <= clues.keys()
    if response.best or response.plan.listed or not is_list:
        return []
    country = question.country or (clues["country"].value if "country" in clues else None)
    if country is None and "region" in clues:
        country = visit.directory.conditions.country_of(clues["region"].text)
    if country not in REGISTRY:
        return []
    stated = [("activity", "activity"), ("place", "region")]
    conditions = {argument: clues[aspect].text for argument, aspect in stated if aspect in clues}
    conditions |= {"status": clues["status"].value} if "status" in clues else {}
    why = bilingual("List the companies that fit these conditions").of(visit.language)
    return [model.NextCall(tool="find_companies", arguments={"country": country, **conditions}, why=why)]


async def find_companies(visit: Visit, given: model.ListArguments) -> model.CompanyList:
    """List the companies that fit some conditions."""
    country = inputs.country_code(given.country)
    filters = (await _filters(visit, given, country))._replace(financials=given.financials)
    cursor = _cursors(visit, "", country, filters)
    start = _start(given, cursor)
    page = await visit.directory.browse(ListKey(country), filters, start, given.limit, visit.language)
    end = start + len(page.companies)
    hint = bilingual(
        "A company of {country} is missing from the list where its register does not state what a condition asks for, "
        "or is not held: `get_coverage` says which are.",
        country=REGISTRY[country].name_in_sentence,
    )
    remarks = [*_about_place(visit, given, country), *_about_status(visit, filters, country), hint]
    return model.CompanyList(
        companies=[
            model.ListedCompany(**_placed(company), citation=_citation(company.record, visit.language))
            for company in page.companies
        ],
        total=page.total,
        next_cursor=_following(cursor, end) if page.companies and end < page.total else None,
        hint=joined(remarks, " ").of(visit.language),
    )


def _about_status(visit: Visit, filters: Filters, country: CountryCode) -> list[Text]:
    """Return the hint that a country's sources do not state the status of every company, where a list is by it."""
    stated = stating_status([visit.directory.counted(ListKey(country))])
    if not filters.status or stated.stated == stated.companies:
        return []
    return [
        sentences.status_stated(REGISTRY[country], stated),
        bilingual("Call again without `status` for companies of any."),
    ]


async def _filters(visit: Visit, given: model.Conditions, country: CountryCode | None) -> Filters:
    """Read the conditions among some arguments, reporting all that are wrong together."""
    faults, filters = inputs.Faults(), Filters()
    with faults:
        if given.place is not None:
            there = await visit.directory.conditions.place(_plain("place", given.place), country)
            filters = filters._replace(region=there.region, cities=there.cities)
    with faults:
        if given.activity is not None:
            done = await visit.directory.conditions.activity(_plain("activity", given.activity), country)
            filters = filters._replace(activity=done.activity, words=done.words)
    with faults:
        if given.status is not None:
            state = visit.directory.conditions.status(_plain("status", given.status))
            filters = filters._replace(status=state.status)
    faults.raise_collected()
    return filters


def _cursors(visit: Visit, text: str, country: CountryCode | None, filters: Filters) -> Callable[[int], str]:
    """Return what gives the cursor of the page that begins at a number, for one question of one release.

    Not signed, so that no search needs the accounts: `_start` bounds what anybody may ask for.
    """
    return partial(cursor_of, unkeyed, ["tools", visit.directory.edition, text, country, *filters])


def _start(given: model.Conditions, cursor: Callable[[int], str]) -> int:
    """Return where the page asked for begins. Raises `Invalid("bad-cursor")`."""
    start = start_of(given.cursor, cursor) if given.cursor is not None else 0
    if start >= model.MOST_LISTED:
        raise Invalid("bad-cursor", parameter="cursor")
    return start


def _following(cursor: Callable[[int], str], start: int) -> str | None:
    return cursor(start) if start < model.MOST_LISTED else None


async def get_company(visit: Visit, given: model.CompanyArguments) -> model.CompanyFacts:
    """Look one company up by its identifier."""
    company = await visit.directory.details(
        inputs.country_code(given.country), _plain("identifier", given.identifier), visit.language
    )
    detail, asked = company.detail, requested(company)
    return model.CompanyFacts(
        entity=detail.record,
        region=detail.details.region,
        municipality=detail.details.municipality,
        names=[msgspec.convert(name._asdict(), OtherName) for name in detail.names],
        identifiers=[
            OtherIdentifier(scheme=scheme, identifier=value, id_label=label.of(visit.language))
            for scheme, label, value in detail.identifiers
        ],
        match=asked.match,
        requested_identifier=asked,
        hints=[hint.of(visit.language) for hint in _about_number(company)],
        citation=_citation(detail.record, visit.language),
    )


def _about_number(company: LocatedDetail) -> list[Text]:
    """Return hints about the number by which a company was asked for, where it is not simply one of the company's."""
    record, asked = company.detail.record, company.requested
    country = REGISTRY[record.country_code]
    scheme = country.scheme_by_code[asked.scheme]
    if company.mistyped:
        return _mistyped(scheme, record)
    return [hints.branch(country, scheme, asked.value)] if company.branch else []


def _mistyped(scheme: Scheme, record: Record) -> list[Text]:
    """Return hints about a number with a wrong check digit that begins as a company's."""
    own = REGISTRY[record.country_code].scheme_by_code[record.scheme]
    return [
        hints.wrong_check_digit(scheme, None),
        hints.same_beginning(own, record.identifier, record.legal_name),
    ]


async def get_financials(visit: Visit, given: model.FinancialsArguments) -> model.CompanyFinancials:
    """Read the yearly statements of a company, of some years or the latest."""
    country, number = inputs.country_code(given.country), _plain("identifier", given.identifier)
    await visit.caller.check_financials()
    company = await visit.directory.details(country, number, visit.language)
    record = company.detail.record
    yearly = await visit.directory.statements(country, number, visit.language)
    history = financials(record, yearly, REGISTRY[country].no_statements, visit.language)
    held = list(dict.fromkeys(statement.fiscal_year for statement in history.statements))
    years = given.years or held[: model.LATEST_YEARS]
    note = bilingual(
        "These are the latest {count} of {held} years; for others call again with `years`.",
        count=len(years),
        held=len(held),
    )
    return model.CompanyFinancials(
        financials=replace(
            history, statements=[statement for statement in history.statements if statement.fiscal_year in years]
        ),
        held=held,
        missing=[year for year in dict.fromkeys(years) if year not in held],
        note=note.of(visit.language) if given.years is None and len(years) < len(held) else None,
        hints=[hint.of(visit.language) for hint in _about_number(company)],
        citation=_citation(record, visit.language),
    )


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
        readings, hint = [], _refusal(error, country)
    valid = _valid(readings)
    if wrong := next((reading for reading in readings if reading.is_wrong and not valid), None):
        hint = _wrong(wrong)
    elif not readings and hint is None:
        hint = bilingual(
            "It does not have the form of an official identifier of any of these countries: {countries}. Check its "
            "digits, or call `search_companies` with the name.",
            countries=names_in_words(REGISTRY.values()),
        )
    return model.IdentifierCheck(
        identifier=number,
        valid=valid,
        readings=[_reading(reading, visit.language) for reading in readings],
        hint=hint.of(visit.language) if hint else None,
    )


def _refusal(error: PadronError, country: CountryCode | None) -> Text:
    """Return why a text is no identifier of a country, and what one looks like there."""
    reason = Text(messages.detail(error, "es"), messages.detail(error, "en"))
    if error.code != "invalid-identifier" or country is None:
        return reason
    meanings = [scheme.meaning for scheme in REGISTRY[country].schemes if scheme.rank == "primary"]
    return joined([reason, *filter(None, meanings)], " ")


def _wrong(reading: IdentifierReading) -> Text:
    """Return the hint at a wrong check digit."""
    scheme, record = reading.number.scheme, reading.record
    if record is None or reading.corrected == record.identifier:
        return hints.wrong_check_digit(scheme, reading.corrected)
    return joined(_mistyped(scheme, record), " ")


def _valid(readings: Sequence[IdentifierReading]) -> bool | None:
    """Return whether a number with these readings is an identifier, None where nothing but its form says so."""
    possible = [reading for reading in readings if not reading.is_wrong]
    if any(reading.number.identifier.valid_check or reading.record for reading in possible):
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
        corrected=number.scheme.show(reading.corrected) if reading.corrected else None,
        company=_citation(record, language) if record else None,
    )


async def get_coverage(visit: Visit, given: model.Arguments) -> model.CoverageFacts:
    """Return what the release holds and lacks, by country."""
    return model.CoverageFacts(coverage=visit.directory.public_coverage(visit.language))


async def search(visit: Visit, given: model.QueryArguments) -> model.PageResults:
    """Search for pages to fetch."""
    answer = await visit.directory.ask(Question(_question(given.query)), visit.language)
    companies = [match.detail.record for match in answer.results]
    return model.PageResults(
        results=[
            model.PageResult(id=_page_id(company), title=_title(company), url=_page(company, visit.language))
            for company in companies
        ]
    )


async def fetch(visit: Visit, given: model.FetchArguments) -> model.Page:
    """Return a company as a text."""
    code, _, identifier = _plain("id", given.id).partition("/")
    country = code.upper()
    if country not in REGISTRY:
        example = bilingual("an id of `search`, as {example}", example="EC/1790016919001")
        raise Invalid("invalid-field", parameter="id", expected=example)
    company = await visit.directory.details(country, unquote(identifier), visit.language)
    record, asked = company.detail.record, requested(company)
    cited = _citation(record, visit.language)
    notes = joined(_about_number(company), " ").of(visit.language)
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
        "requestedIdentifier": asked.identifier if notes else None,
        "hints": notes,
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


def _plain(name: str, text: str, *, lines: bool = False) -> str:
    """Return an argument if it is plain text. Raises `Invalid`: `not-utf8`, `control-characters`."""
    return inputs.decoded(name, text.encode(errors="surrogatepass"), lines=lines)


def _question(text: str) -> str:
    """Return a query if there is something to search for. Raises `Invalid`, as `_plain` and `query-too-short`."""
    fewest = inputs.Q_LENGTH[0]
    if len(text.strip()) < fewest:
        raise Invalid("query-too-short", parameter="query", minimum=fewest)
    return _plain("query", text, lines=True)


def _country(code: str | None) -> CountryCode | None:
    return inputs.country_code(code) if code else None
