"""Answers to questions in steps, the cheapest first, within a budget.

    identifier        the number in the text
    exactName         the very name, legal, trade or former, as the whole text has it
    similarName       a name as read: other order, abbreviations, trade and former names, typos
    broaderName       the name without the words that describe the company
    otherCountries    the same in all other registers, where the country that was understood has it not
    oneDigitRepair    numbers one slip away from one whose check digit is wrong
    activity          companies by activity, place, status and the rest: a list

Steps end as soon as one is sure. Their number is bounded, whatever the text: `BUDGET` searches a question.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Final, NamedTuple

from padron.countries.country import Country
from padron.errors import NotFound
from padron.index.document import decode_company, decode_record
from padron.index.engine import Scope
from padron.index.listing import ListKey, Stated, stating_status
from padron.index.release_index import ReleaseIndex
from padron.index.spans import SpanFinder
from padron.index.tags import Filters
from padron.lookup.by_identifier import NumberSearch
from padron.lookup.find import DISPUTED, SURE, Finder, Findings
from padron.lookup.hints import persons
from padron.lookup.verdict import NEAR_MISS, POSSIBLE, Verdict, as_good, has_all_words, verdict_of
from padron.matching.features import Features
from padron.matching.identifiers import Number, Spotted
from padron.matching.query import Reader
from padron.matching.score import IDENTIFIER, Match, Ranked
from padron.questions import step_descriptions as describe
from padron.questions.interpretation import ListRequest, QuestionInterpretation, RequestedCompany, TextReading
from padron.questions.interpreter import Interpreter
from padron.questions.names import holds_joining_word
from padron.questions.results import Action, CompanyResult, ListPage, Question, QuestionResult, SearchStep
from padron.text import fold
from padron.threads import pause
from padron.words import Text

ACTIVITY: Final = "activity"
"""Value of `matched_on` for the companies of a list: no part of their name was asked for."""

BUDGET: Final = 24
"""Searches per question, so that no text can cause unbounded work."""

PAGE: Final = 50
"""Companies fetched per search by name: the most that a page of v1 can show."""

_UNSURE: Final = 0.8499
"""Highest confidence in a company outside the country asked for: just below that of a certain match."""
_TELLING: Final = 0.7
"""Weight of a word from which on a company that has it in a name may be the one that is asked for."""
_LIKELIER_NAME: Final = 0.5
"""Confidence from which a text that may describe a list is read as a name."""


class Tools(NamedTuple):
    """The interpreter of questions, and one index with everything that searches it."""

    registry: Mapping[str, Country]
    interpreter: Interpreter
    reader: Reader
    release_index: ReleaseIndex
    finder: Finder
    numbers: NumberSearch
    spans: SpanFinder


async def answer(tools: Tools, question: Question) -> QuestionResult:
    """Answer a question. Raises `NotFound("natural-person-not-covered")` for a natural person's number alone."""
    spans = await tools.spans.find(question.q)
    filtered = question.filters != Filters()
    interpretation = tools.interpreter.interpret(
        question.q, question.ignored, question.country, spans, filtered=filtered
    )
    return await _QuestionRun(tools, interpretation, question).plan()


class _QuestionRun:
    """The run of one question, with its steps and the rest of its budget."""

    def __init__(self, tools: Tools, interpretation: QuestionInterpretation, question: Question) -> None:
        self._tools = tools
        self._interpretation = interpretation
        self._question = question
        self._q, self._country = interpretation.text, question.country
        self._within = question.filters.within()
        self._steps: list[SearchStep] = []
        self._left = BUDGET

    async def plan(self) -> QuestionResult:
        """Return the whole result."""
        listed = await self._list() if self._interpretation.listing else None
        parts = [] if listed else await self._companies()
        if self._within and any(part.verdict != "found" for part in parts):
            parts = await self._unfiltered(parts)
        return QuestionResult(self._interpretation, self._steps, parts, listed)

    # --- companies --------------------------------------------------------------------------------------------------

    async def _companies(self) -> list[CompanyResult]:
        """Search the companies that the rules read, and where none of them is certain those of the model."""
        parts = await self._by_rules()
        read = self._interpretation
        if _names(read.likely) - _names(read.companies) and not any(
            part.verdict == "found" or read.unasked(part.asked) for part in parts
        ):
            others = await self._together(read.likely, patient=False)
            verdicts = {part.verdict for part in others}
            denied = all(part.verdict == "not_found" for part in parts)
            if "found" in verdicts or (denied and verdicts != {"not_found"}):
                return others
        return parts

    async def _unfiltered(self, parts: Sequence[CompanyResult]) -> list[CompanyResult]:
        """Search again without the filters, for the companies that are not sure within them."""
        self._within = ()
        others = {part.asked.text: part for part in await self._companies() if part.verdict in _SIMILAR}
        likeliest = max(others.values(), key=lambda part: part.results[0].confidence) if others else None
        fallback = likeliest if len(parts) == 1 else None
        return [_beside(part, others.get(part.asked.text, fallback)) for part in parts]

    async def _by_rules(self) -> list[CompanyResult]:
        """Search the companies: several if all were certainly requested, or enough are found, else the text as one."""
        asked = self._interpretation.companies
        read = self._interpretation
        if read.ruled_out or read.relation or read.persons or read.denied or read.aside:
            exact = await self._exact(self._question.q)
            if _sure(exact) and exact.results[0].matched_on != IDENTIFIER:
                whole = TextReading("whole", self._question.q)
                self._interpretation = self._interpretation._replace(
                    ruled_out="", excluding="", relation="", persons=(), denied="", aside=False
                )
                return [self._part(RequestedCompany(whole.name, (whole,), (), number=False), whole, exact)]
        if self._interpretation.several:
            known = any(company.number or company.readings[0].held for company in asked)
            plain = not self._interpretation.question and not known
            return (await self._joined() if plain else []) or await self._together(asked)
        try:
            single = await self._company(asked[0], patient=len(asked) == 1)
        except NotFound:
            if not asked[0].beside:
                raise
            return [_of_person(asked[0]), *await self._together([*map(_named, asked[0].beside)])]
        if len(asked) == 1 or (single.verdict == "found" and not asked[0].readings[0].held):
            return [single]
        several: list[CompanyResult] = []
        for company in asked[1:]:
            several.append(await self._company(company, patient=False))
            unsure = sum(part.verdict != "found" for part in several)
            if unsure > (0 if single.verdict == "found" else len(asked) - 3):
                return [single]
        return await self._in_one_country(several)

    async def _together(self, asked: Sequence[RequestedCompany], *, patient: bool = True) -> list[CompanyResult]:
        """Search several companies; the number of a natural person among them is said to be none of a company."""
        parts = []
        for company in asked:
            try:
                parts.append(await self._company(company, patient=patient))
            except NotFound:
                if len(asked) == 1:
                    raise
                parts.append(_of_person(company))
        return await self._in_one_country(parts)

    async def _in_one_country(self, parts: list[CompanyResult]) -> list[CompanyResult]:
        """Search the companies of a list that are not sure again, in the country of all that are."""
        countries = {part.results[0].match.country for part in parts if part.verdict == "found"}
        if len(countries) != 1 or self._country:
            return parts
        country = countries.pop()
        for at, part in enumerate(parts):
            if part.verdict != "found" and not part.asked.number and _is_placeless(part.asked):
                there = tuple(reading._replace(country=country) for reading in part.asked.readings)
                again = await self._company(part.asked._replace(readings=there), patient=False)
                parts[at] = again if again.verdict == "found" else part
        return parts

    async def _joined(self) -> list[CompanyResult]:
        """Search one company whose name holds the joining word; empty where the text names several companies."""
        whole = TextReading("whole", self._q)
        named = await self._by_name(whole)
        if not _sure(named):
            return []
        name = named.results[0].match.name
        if not holds_joining_word((name.core or name.words).split(), self._tools.interpreter.lexicon):
            return []
        hints, doubt = await self._tools.finder.comments(self._q, self._country, named.results)
        return [
            self._part(
                RequestedCompany(self._q, (whole,), (), number=False), whole, Findings(named.results, hints, doubt)
            )
        ]

    async def _company(self, asked: RequestedCompany, *, patient: bool = True) -> CompanyResult:
        """Search one company; a `patient` search tries other countries as well."""
        if asked.number:
            return await self._numbered(asked)
        best: tuple[TextReading | None, Findings] = (None, _NOTHING_FOUND)
        first = asked.readings[0]
        whole = asked is self._interpretation.companies[0] and first.how != "whole" and not first.held
        exact = await self._exact(self._q) if whole else _NOTHING_FOUND
        if _sure(exact):
            return self._part(asked, TextReading("whole", self._q), exact)
        for reading in asked.readings:
            findings = await self._by_name(reading)
            if reading.confirming and not _confirms(findings, best[1]):
                continue
            if best[0] is None or _confidence(findings) > max(_confidence(best[1]), NEAR_MISS):
                best = (reading, findings)
            if _sure(findings) and (reading.how != "torn" or self._interpretation.question):
                break
        chosen, findings = best
        if patient and chosen and not _sure(findings) and (elsewhere := await self._elsewhere(chosen, findings)):
            findings = findings._replace(results=_merged(findings.results, elsewhere))
        results = _merged(findings.results, exact.results)
        hints, doubt = await self._tools.finder.comments(chosen.name if chosen else self._q, self._country, results)
        if doubt:  # the words of a kind (`banco`) may be outside the name that was read
            hints += self._tools.finder.lacking(asked.text, self._country or (chosen.country if chosen else None))
        return self._part(asked, chosen, Findings(results, hints, doubt))

    async def _exact(self, text: str) -> Findings:
        """Search companies with a whole text as their exact name."""
        return await self._step("exactName", describe.exact(), lambda: self._exactly(text, self._country))

    async def _exactly(self, text: str, country: str | None) -> Findings:
        return await self._tools.finder.exactly(text, country, PAGE, self._within)

    async def _likeliest(self, text: str, country: str | None) -> Findings:
        return Findings(await self._tools.finder.likeliest(text, country, PAGE, self._within), [], None)

    async def _by_name(self, reading: TextReading) -> Findings:
        """Search companies by the name of a reading; those of another country than requested are never certain."""
        country = self._country or reading.country
        action: Action = "broaderName" if reading.how == "torn" else "similarName"
        findings = await self._step(
            action,
            describe.name(reading.name, self._tools.registry[country] if country else None),
            lambda: self._likeliest(reading.name, country),
        )
        if reading.uncovered and not self._country:
            return findings._replace(results=[self._capped(ranked, reading.uncovered) for ranked in findings.results])
        apart = reading.held or reading.how == "torn"
        if self._country and apart and (reading.uncovered or reading.country not in {None, country}):
            return findings._replace(results=[_doubted(ranked) for ranked in findings.results])
        return findings

    def _capped(self, ranked: Ranked, home: str) -> Ranked:
        """Cap the confidence in a company requested in an uncovered country, unless it is incorporated there."""
        texts = self._tools.release_index.tables.texts
        if texts[decode_record(ranked.match.company.record).home] == home:
            return ranked
        return _doubted(ranked)

    async def _elsewhere(self, reading: TextReading, findings: Findings) -> list[Ranked]:
        """Search near misses in other registers, if the country was only inferred from the text."""
        if self._country or not reading.country:
            return []
        if findings.results and (_confidence(findings) > _LIKELIER_NAME or has_all_words(findings.results[0].match)):
            return []
        country = self._tools.registry[reading.country]
        others = await self._step(
            "otherCountries",
            describe.elsewhere(reading.name, country),
            lambda: self._likeliest(f"{reading.name} {country.name.es}", None),
        )
        return [ranked if ranked.match.country == reading.country else _doubted(ranked) for ranked in others.results]

    # --- numbers ----------------------------------------------------------------------------------------------------

    async def _numbered(self, asked: RequestedCompany) -> CompanyResult:
        """Search the company of a number; repair a wrong check digit, refuse what cannot be a number."""
        reading = asked.readings[0]
        query = self._tools.reader.read(reading.name, self._country)
        spotted = query.spotted
        alone = spotted is not None and query.around is None
        findings = await self._step(
            "identifier" if spotted else "similarName",
            describe.identifier() if spotted else describe.name(reading.name, None),
            lambda: (
                self._exactly(reading.name, self._country)
                if alone
                else self._tools.finder.find(reading.name, self._country, PAGE, self._within)
            ),
        )
        wrong = [number for number in spotted.numbers if number.identifier.valid_check is False] if spotted else []
        right = spotted is not None and any(number.identifier.valid_check is not False for number in spotted.numbers)
        if spotted is None and not self._is_named(findings) and (asked.schemes or _is_number(reading.name)):
            near = [] if _sure(findings) else findings.results
            return CompanyResult(asked, reading, "invalid_input", near, findings.hints, asked.text)
        if spotted and not findings.results and _is_of_other_scheme(spotted, asked.schemes):
            return CompanyResult(asked, reading, "invalid_input", [], findings.hints, asked.text)
        if wrong and not right and not self._is_registered(findings, asked.text):
            mended = await self._mended(wrong[0], asked.text, findings)
            return CompanyResult(asked, reading, "invalid_input", mended, findings.hints, asked.text, wrong[0])
        return self._part(asked, reading, await self._beside_names(asked, reading, findings))

    async def _beside_names(self, asked: RequestedCompany, reading: TextReading, findings: Findings) -> Findings:
        """Doubt the company of a number that stands beside names, none of which is its own."""
        if not (_sure(findings) and findings.results[0].matched_on == IDENTIFIER):
            return findings
        doubted = findings
        for name in asked.beside:
            by_name = await self._step(
                "similarName", describe.name(name, None), partial(self._by_number, reading.name, name)
            )
            if _sure(by_name):
                return findings
            doubted = by_name if by_name.results else doubted
        return doubted

    async def _by_number(self, number: str, name: str) -> Findings:
        return await self._tools.finder.by_number(number, name, self._country)

    def _is_named(self, findings: Findings) -> bool:
        """Check for a sure company that is not just called like the word for the number: `RFC`."""
        if not _sure(findings):
            return False
        name = findings.results[0].match.name
        return not self._tools.interpreter.lexicon.values((name.core or name.words).split(), "scheme")

    def _is_registered(self, findings: Findings, text: str) -> bool:
        """Check that the first company has exactly this number: registers also hold numbers with wrong check digits."""
        if not _sure(findings):
            return False
        record = decode_record(findings.results[0].match.company.record)
        scheme = self._tools.registry[findings.results[0].match.country].scheme_by_code[
            self._tools.release_index.tables.texts[record.scheme]
        ]
        return _digits(scheme.show(record.identifier)) in _digits(text)

    async def _mended(self, wrong: Number, text: str, findings: Findings) -> list[Ranked]:
        """Return companies whose number differs in one digit from a wrong one, none of them certain."""
        if near := [ranked for ranked in findings.results if ranked.matched_on == IDENTIFIER]:
            return near
        repaired = await self._step("oneDigitRepair", describe.repair(), lambda: self._repair(wrong, text))
        return repaired.results

    async def _repair(self, wrong: Number, text: str) -> Findings:
        return Findings(await self._tools.numbers.repaired(wrong, text, self._within), [], None)

    # --- lists ------------------------------------------------------------------------------------------------------

    async def _list(self) -> ListPage | None:
        """Search the list that the text describes; None where the text is likelier the name of a company."""
        listing = self._interpretation.listing
        assert listing
        if listing.country and self._country and listing.country != self._country:
            listing = listing._replace(country=self._country)
        country = self._country or listing.country
        exact = self._interpretation.question or listing.many
        named = await self._step(
            "exactName" if exact else "similarName",
            describe.exact() if exact else describe.name(self._q, None),
            lambda: (
                self._exactly(self._q, self._country)
                if exact
                else self._tools.finder.find(self._q, self._country, PAGE, self._within)
            ),
        )
        if _confidence(named) >= _LIKELIER_NAME:
            return None
        listing = _over(listing, self._question.filters)._replace(country=country)
        filters = listing.filters
        total = 0

        async def among() -> Findings:
            nonlocal total
            if listing.uncovered and not country:
                return _NOTHING_FOUND
            scope = Scope(country, filters.within())
            total, hits = await self._tools.release_index.engine.among(
                scope, self._question.start, self._question.limit
            )
            texts = self._tools.release_index.tables.texts
            matches = []
            for hit in hits:
                company = decode_company(hit.stored)
                match = Match(hit.key, company, texts[company.country], company.names[0], _NO_FEATURES, 0.0)
                matches.append(Ranked(match, 0.0, 0.0, ACTIVITY))
            return Findings(matches, [], None)

        page = await self._step("activity", describe.listing(), among, lambda: total)
        partly = exact and not (total and listing.sure) and not self._interpretation.question
        if partly and _sure(await self._by_name(TextReading("whole", self._q))):
            return None
        is_name = not total and any(reading.held for reading in self._interpretation.companies[0].readings)
        if is_name or not (total or listing.sure):
            return None
        unstated = await self._unstated(filters, country) if country and not total else Filters()
        lacking = self._tools.finder.lacking(self._q, country)
        return ListPage(listing, total, page.results, unstated, lacking, self._stated(listing))

    def _stated(self, listing: ListRequest) -> Stated | None:
        """Count the companies that state a status, where a list is by status and some state none."""
        if not listing.filters.status or (listing.uncovered and not listing.country):
            return None
        countries = [listing.country] if listing.country else self._tools.registry
        stated = stating_status(self._tools.release_index.lists.get(ListKey(code)) for code in countries)
        return stated if stated.stated < stated.companies else None

    async def _unstated(self, filters: Filters, country: str) -> Filters:
        """Return the conditions on a state that no company of a country fulfils: its sources may not tell it."""
        unstated = Filters()
        for field in ("status", "listed", "financials"):
            condition = {field: getattr(filters, field)}
            scope = Scope(country, Filters(**condition).within())
            if scope.tags and not (await self._tools.release_index.engine.among(scope, 0, 1))[0]:
                unstated = unstated._replace(**condition)
        return unstated

    # --- steps ------------------------------------------------------------------------------------------------------

    async def _step(
        self,
        action: Action,
        detail: Text,
        search: Callable[[], Awaitable[Findings]],
        count: Callable[[], int] | None = None,
    ) -> Findings:
        """Take a step and return its findings, empty if the budget is spent."""
        if not self._left:
            return _NOTHING_FOUND
        self._left -= 1
        await pause()  # the embedded engine never waits
        began = perf_counter()
        findings = await search()
        took = (perf_counter() - began) * 1000
        self._steps.append(SearchStep(action, detail, count() if count else len(findings.results), round(took, 3)))
        return findings

    def _part(self, asked: RequestedCompany, reading: TextReading | None, findings: Findings) -> CompanyResult:
        if phrase := self._interpretation.unasked(asked) or self._plural(findings.results):
            findings = findings._replace(results=[_unasked(ranked, phrase) for ranked in findings.results])
        elif self._interpretation.aside or (self._interpretation.owning and is_itself(findings.results)):
            findings = findings._replace(results=[_disputed(ranked) for ranked in findings.results])
        verdict = verdict_of(findings.results)
        if verdict == "not_found" and not any(map(str.isalnum, self._q)):
            verdict = "invalid_input"
        if verdict != "found" and asked.schemes and not asked.number and _is_code(asked.text):
            return CompanyResult(asked, reading, "invalid_input", findings.results, findings.hints, asked.text)
        if verdict == "not_found" and self._shares_a_name(asked, reading, findings):
            verdict = "possible"
        place = reading and not self._country and (reading.uncovered or reading.country)
        if (
            verdict == "ambiguous"
            and place
            and any(ranked.match.country != place for ranked in as_good(findings.results))
        ):
            verdict = "possible"
        return CompanyResult(asked, reading, verdict, findings.results, findings.hints)

    def _plural(self, results: Sequence[Ranked]) -> str:
        """Return the word that asks for several companies; empty where it may describe the only one that fits."""
        called = self._interpretation.listing is None
        near = (ranked.match for ranked in results if ranked.confidence >= NEAR_MISS)
        several = len({match.company.link or match.key for match in near}) > 1
        return self._interpretation.plural if called or several else ""

    def _shares_a_name(self, asked: RequestedCompany, reading: TextReading | None, findings: Findings) -> bool:
        """Check that a name of the text is held, or a candidate has a telling word of it, and the first is possible."""
        impossible = _confidence(findings) < POSSIBLE
        if reading is None or impossible or (reading.uncovered and not self._country):
            return False
        if any(way.held for way in asked.readings):
            return True
        weights = self._tools.release_index.tables.weights
        query = self._tools.reader.read(reading.name)
        own = set(fold(reading.name).split()) - query.loose - query.formal - query.context.document
        telling = {word for word in own if len(word) > 1 and weights.get(word, 1.0) >= _TELLING}
        names = (name for ranked in findings.results for name in ranked.match.company.names)
        return any(not telling.isdisjoint(name.words.split()) for name in names)


_SIMILAR: Final[frozenset[Verdict]] = frozenset(("found", "ambiguous", "possible"))
_NO_FEATURES: Final[Features] = {}
_NOTHING_FOUND: Final = Findings([], [], None)


def _confirms(findings: Findings, before: Findings) -> bool:
    """Check that a reading finds first the company that was likeliest before."""
    likely = _confidence(before) >= _LIKELIER_NAME and findings.results
    return bool(likely) and findings.results[0].match.key == before.results[0].match.key


def _beside(part: CompanyResult, unfiltered: CompanyResult | None) -> CompanyResult:
    """Put the result without the filters beside the one within them, where it is surer or the only one."""
    if part.verdict == "found" or unfiltered is None:
        return part
    if part.verdict == "invalid_input":  # a number with a wrong check digit that a register has nevertheless
        part = part._replace(verdict="not_found", results=[])
    says_more = part.verdict == "not_found" or unfiltered.verdict == "found"
    return part._replace(unfiltered=unfiltered) if says_more else part


def _doubted(ranked: Ranked) -> Ranked:
    """Cap the confidence in a company that is not where it was requested."""
    return ranked._replace(confidence=min(ranked.confidence, _UNSURE))


def _unasked(ranked: Ranked, phrase: str) -> Ranked:
    """Cap the confidence in a company that is not asked for, unless the phrase that says so is part of its name."""
    name, legal_name = ranked.match.name, decode_record(ranked.match.company.record).legal_name
    if f" {fold(phrase)} " in f" {name.core or name.words} {fold(legal_name)} ":
        return ranked
    return _disputed(ranked)


def _of_person(asked: RequestedCompany) -> CompanyResult:
    return CompanyResult(asked, None, "not_found", [], [persons()])


def _named(name: str) -> RequestedCompany:
    """Return the company that a text names beside the number of a natural person."""
    return RequestedCompany(name, (TextReading("bare", name, held=True),), (), number=False)


def _names(companies: Sequence[RequestedCompany]) -> set[tuple[str, str | None]]:
    """Return the names that companies are searched by, each with its country."""
    return {(reading.name, reading.country) for company in companies for reading in company.readings}


def is_itself(results: Sequence[Ranked]) -> bool:
    """Check that a company likelier meant than not is the one named, not the one that owns a brand or has a number."""
    likely = bool(results) and results[0].confidence >= DISPUTED
    return likely and results[0].matched_on in {"legalName", "alternativeName", "formerName"}


def _disputed(ranked: Ranked) -> Ranked:
    return ranked._replace(confidence=min(ranked.confidence, DISPUTED))


def _confidence(findings: Findings) -> float:
    return findings.results[0].confidence if findings.results else 0.0


def _sure(findings: Findings) -> bool:
    return _confidence(findings) >= SURE


def _merged(results: Sequence[Ranked], more: Sequence[Ranked]) -> list[Ranked]:
    """Merge both, each record once, the most certain first."""
    known = {ranked.match.key for ranked in results}
    return sorted(
        [*results, *(ranked for ranked in more if ranked.match.key not in known)], key=lambda ranked: -ranked.confidence
    )


def _over(listing: ListRequest, given: Filters) -> ListRequest:
    """Merge the filters of a list with those given, which take precedence: another place, another activity."""
    filters = listing.filters
    if given.region or given.cities:
        listing, filters = listing._replace(place=None, part=""), filters._replace(region=None, cities=())
    if given.activity or given.words:
        listing, filters = listing._replace(activity=None), filters._replace(activity=())
    own = {name: value for name, value in given._asdict().items() if value not in (None, ())}
    return listing._replace(filters=filters._replace(**own))


def _is_of_other_scheme(spotted: Spotted, schemes: Sequence[str]) -> bool:
    """Check that a number has the form of none of the schemes asked for."""
    return bool(schemes) and not any(number.scheme.code in schemes for number in spotted.numbers)


def _is_placeless(asked: RequestedCompany) -> bool:
    """Check that nothing says which country a company is in."""
    return not any(reading.country or reading.uncovered for reading in asked.readings)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _is_code(text: str) -> bool:
    """Check that a text is one word with a digit, as incomplete numbers are."""
    return " " not in text and any(map(str.isdigit, text))


def _is_number(text: str) -> bool:
    """Check that a text holds no letter."""
    return not any(map(str.isalpha, text))
