"""Composition of the answer to a question: verdict, sentence, companies, registers searched and follow-ups.

Texts are in both languages; links are left to the interface that has addresses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from padron.companies.model import CountryCode, CountryCoverage
from padron.countries.country import Country, Scheme
from padron.index.document import TICKER, decode_record
from padron.index.tags import NO_ACTIVITY, Filters, is_listed
from padron.lookup.detail import DetailedMatch
from padron.lookup.find import DISPUTED, SURE, fits_as_well, was_called_so
from padron.lookup.verdict import Verdict, as_good
from padron.matching.identifiers import is_one_slip
from padron.matching.score import Ranked
from padron.questions import sentences
from padron.questions.interpretation import Clue, ListRequest, TextReading
from padron.questions.lexicon import ActivityWords
from padron.questions.plan import is_itself
from padron.questions.results import CompanyResult, ListPage, Question, QuestionResult
from padron.questions.sentences import NamedCompany
from padron.words import Text, bilingual, joined

FollowUpAction = Literal[
    "getEntity",
    "getFinancials",
    "disambiguate",
    "mendIdentifier",
    "searchEverywhere",
    "dropFilters",
    "dropStatus",
    "seeCoverage",
]

_PART_RESULTS: Final = 3
_MOST_STEPS: Final = 6
_ORDER: Final[tuple[Verdict, ...]] = ("found", "ambiguous", "invalid_input", "possible", "not_found")


class FollowUp(NamedTuple):
    """A call that leads on: a search for `q` in `country`, or the company `identifier` of `country`; and its reason.

    `dropFilters` searches without the filters of the question, `dropStatus` without the one by status.
    """

    action: FollowUpAction
    why: Text
    country: str | None = None
    identifier: str | None = None
    q: str | None = None


class PartAnswer(NamedTuple):
    """The answer about one of several companies."""

    asked: str
    verdict: Verdict
    sentence: Text
    results: list[DetailedMatch]


class Searched(NamedTuple):
    """Registers that were searched. `complete` only if every source of the country is whole and up to date."""

    country: CountryCode
    records: int
    date: str | None
    sources: tuple[str, ...]
    complete: bool


class QuestionAnswer(NamedTuple):
    """The whole answer; `results` are one page, `more` is true unless it is the last one."""

    plan: QuestionResult
    understood: list[Clue]
    verdict: Verdict
    sentence: Text
    best: DetailedMatch | None
    results: list[DetailedMatch]
    more: bool
    total: int
    hints: list[Text]
    parts: list[PartAnswer]
    searched: list[Searched]
    next_steps: list[FollowUp]


class AnswerComposer:
    """Composer of answers from the outcome of plans, over one index."""

    def __init__(
        self,
        registry: Mapping[str, Country],
        texts: Sequence[str],
        coverage: Sequence[CountryCoverage],
        dates: Mapping[str, str | None],
        activities: Mapping[str, ActivityWords],
    ) -> None:
        self._registry = registry
        self._texts = texts
        self._coverage = coverage
        self._dates = dates
        self._activities = activities

    def compose(
        self, plan: QuestionResult, question: Question, seen: Callable[[Ranked], DetailedMatch]
    ) -> QuestionAnswer:
        """Compose the answer to a question from its plan.

        Args:
            plan: The interpretation of the question, the steps taken and their results.
        """
        parts, listed, country = plan.parts, plan.listed, question.country
        if listed:
            results, total = listed.results, listed.total
            more = question.start + len(results) < total
            verdict: Verdict = "possible" if total else "not_found"
            sentence, best = self._of_list(listed, question.filters), None
        else:
            every = _together(parts)
            results, total = every[question.start : question.start + question.limit], len(every)
            more = question.start + question.limit < total
            best = every[0] if every and every[0].confidence >= SURE else None
            verdict = "found" if best else _strongest(parts)
            sentence = self._of_part(parts[0], plan, question) if len(parts) == 1 else self._of_several(plan)
        return QuestionAnswer(
            plan,
            _understood(plan),
            verdict,
            sentence,
            seen(best) if best else None,
            [seen(ranked) for ranked in results],
            more,
            total,
            [*_hints_of(plan), *self._limits(listed), *self._hints(parts, question)],
            [self._part(part, plan, question, seen) for part in parts] if len(parts) > 1 else [],
            self._searched(country or (listed.listing.country if listed else None)),
            self._next_steps(plan, question)[:_MOST_STEPS],
        )

    # --- sentences --------------------------------------------------------------------------------------------------

    def _part(
        self, part: CompanyResult, plan: QuestionResult, question: Question, seen: Callable[[Ranked], DetailedMatch]
    ) -> PartAnswer:
        shown = [seen(ranked) for ranked in part.results[:_PART_RESULTS]]
        return PartAnswer(part.asked.text, part.verdict, self._of_part(part, plan, question), shown)

    def _of_part(self, part: CompanyResult, plan: QuestionResult, question: Question) -> Text:
        """State the result for one company."""
        if part.verdict == "found":
            return self._of_found(part, plan)
        if part.verdict == "invalid_input":
            return self._of_wrong_number(part) if part.wrong else sentences.no_words()
        if part.verdict == "not_found" and part.unfiltered:
            return self._outside(part, part.unfiltered, question.filters)
        return self._of_unsure(part, question.country)

    def _outside(self, part: CompanyResult, unfiltered: CompanyResult, filters: Filters) -> Text:
        """State what filters alone leave out."""
        companies = [self._named(ranked) for ranked in as_good(unfiltered.results) or unfiltered.results[:1]]
        if unfiltered.verdict == "found":
            return sentences.outside(_called(part), filters, self._named(unfiltered.results[0]))
        return sentences.only_outside(_called(part), filters, companies)

    def _of_unsure(self, part: CompanyResult, country: str | None) -> Text:
        """State what is known of a company that is not certain."""
        text, reading = _called(part), part.reading
        named = [self._named(ranked) for ranked in part.results]
        if part.verdict == "ambiguous":
            some = as_good(part.results)
            alike = all(fits_as_well(ranked.match, some[0].match) for ranked in some)
            return (sentences.ambiguous if alike else sentences.shared)(text, [self._named(ranked) for ranked in some])
        asked = country or (reading.country if reading else None) or self._country_of(part.asked.schemes)
        parts = [sentences.uncovered(reading.uncovered)] if reading and reading.uncovered and not country else []
        if part.verdict == "possible":
            if asked and named[0].country.code != asked:
                place = self._registry[asked]
                return sentences.elsewhere(text, place, self._dates.get(asked), named[0])
            return joined([*parts, sentences.possible(text, named[0])], " ")
        places = [asked] if asked else list(self._registry)
        searched = [(self._registry[code], self._dates.get(code)) for code in places]
        return joined([*parts, sentences.nothing(text, searched)], " ")

    def _of_found(self, part: CompanyResult, plan: QuestionResult) -> Text:
        first = part.results[0]
        company = self._named(first)
        parts = [self._number(part, first, company)]
        if was_called_so(first):
            parts.append(sentences.former(part.asked.text, company))
        aspects: set[str] = {understood.aspect for understood in _understood(plan)}
        if "status" in aspects or company.status not in {None, "active", "unknown"}:
            parts.append(sentences.status_of(company))
        if "listed" in aspects:
            parts.append(sentences.listed_or_not(company))
        if "hasFinancials" in aspects:
            parts.append(sentences.financials_or_not(company))
        if first.matched_on != "identifier":
            parts.append(sentences.sure(company))
        return joined(parts, " ")

    def _number(self, part: CompanyResult, first: Ranked, company: NamedCompany) -> Text:
        """State the number that was asked for, or where the company is registered."""
        asked = part.asked
        if asked.number and first.matched_on == "identifier":
            return sentences.by_number(company, asked.text)
        if not asked.schemes:
            return sentences.registered(company)
        if company.scheme.code in asked.schemes:
            return sentences.number_of(company, company.scheme, company.number)
        own = (scheme for scheme in company.country.schemes if scheme.code in asked.schemes)
        scheme = next(own, None) or self._scheme(asked.schemes[0])
        aliases = decode_record(first.match.company.record).aliases
        known = [value for key, value in aliases if self._texts[key] == scheme.code]
        return (
            sentences.number_of(company, scheme, scheme.show(known[0]))
            if known
            else sentences.other_number(company, scheme)
        )

    def _of_wrong_number(self, part: CompanyResult) -> Text:
        wrong = part.wrong or ""
        scheme = self._scheme(part.asked.schemes[0]) if part.asked.schemes else None
        if part.mistyped is None:
            return sentences.malformed(wrong, scheme)
        mended = [self._named(ranked) for ranked in part.results]
        slip = all(
            is_one_slip(part.mistyped.identifier.value, decode_record(ranked.match.company.record).identifier)
            for ranked in part.results
        )
        return sentences.wrong_digit(wrong, part.mistyped.scheme, mended, slip=slip)

    def _of_several(self, plan: QuestionResult) -> Text:
        companies = [self._named(part.results[0]) for part in plan.parts if part.verdict == "found"]
        missing = [part.asked.text for part in plan.parts if part.verdict != "found"]
        return sentences.several(companies, missing, plan.interpretation.left)

    def _of_list(self, listed: ListPage, given: Filters) -> Text:
        """State the number of companies of a list and its description."""
        listing = listed.listing
        if listing.uncovered and not listing.country:
            return sentences.uncovered(listing.uncovered)
        if listing.country and (unstated := [*_states(listed.unstated)]):
            return sentences.unstated(joined(unstated, ", "), self._registry[listing.country])
        beyond = given._replace(status=None, form=None, financials=None)
        limits = [sentences.filtered(beyond)] if beyond != Filters() else []
        described = joined([*self._described(listing), *limits], ", ")
        sentence = sentences.listing(listed.total, described, [self._named(ranked) for ranked in listed.results])
        if listing.country and listing.filters.activity == NO_ACTIVITY:
            return joined([sentence, sentences.no_code(self._registry[listing.country])], " ")
        return sentence

    def _described(self, listing: ListRequest) -> Iterator[Text]:
        """Yield the parts of the description of a list."""
        filters = listing.filters
        if listing.activity:
            yield self._activities[listing.activity].label
        if listing.words:
            yield sentences.quoted(" ".join(listing.words))
        if listing.place:
            yield Text(listing.place, listing.place)
        if listing.country:
            yield self._registry[listing.country].name
        yield from _states(filters)
        if filters.form:
            yield self._form(filters.form, listing.country)

    def _form(self, code: str, country: str | None) -> Text:
        """Return the label of a legal form."""
        countries = [self._registry[country]] if country else list(self._registry.values())
        forms = [form.label for law in countries for form in law.legal_forms if form.code == code]
        return forms[0] if forms else Text(code, code)

    def _named(self, ranked: Ranked) -> NamedCompany:
        country = self._registry[ranked.match.country]
        record = decode_record(ranked.match.company.record)
        scheme = country.scheme_by_code[self._texts[record.scheme]]
        status = self._texts[record.status] or None
        sources = self._texts[record.sources].split("|")
        ticker = any(name.kind == TICKER for name in ranked.match.company.names)
        return NamedCompany(
            record.legal_name,
            country,
            scheme,
            scheme.show(record.identifier),
            status,
            is_listed(country, status, sources, ticker),
            record.financials,
            ranked.confidence,
        )

    def _country_of(self, schemes: Sequence[str]) -> str | None:
        """Return the country that has any of the schemes, if only one has."""
        codes = [
            code for code, country in self._registry.items() if not country.scheme_by_code.keys().isdisjoint(schemes)
        ]
        return codes[0] if len(codes) == 1 else None

    def _scheme(self, code: str) -> Scheme:
        return next(
            country.scheme_by_code[code] for country in self._registry.values() if code in country.scheme_by_code
        )

    # --- hints ------------------------------------------------------------------------------------------------------

    def _limits(self, listed: ListPage | None) -> list[Text]:
        """Return the hints about what a list can hold, by what registers state."""
        if listed is None:
            return []
        listing, hints = listed.listing, list[Text]()
        country = self._registry[listing.country] if listing.country else None
        if listing.part and listing.place and country:
            hints.append(sentences.only_region(country, listing.place, listing.part))
        if listed.stated:
            hints.append(sentences.status_stated(country, listed.stated))
        return hints

    def _hints(self, parts: Sequence[CompanyResult], question: Question) -> list[Text]:
        """Return the hints about companies; that nothing is similar is not true of what filters alone leave out."""
        hints: dict[Text, None] = {}
        for part in parts:
            known = [] if part.unfiltered and part.verdict == "not_found" else part.hints
            outside = [self._outside(part, part.unfiltered, question.filters)] if part.unfiltered else []
            hints |= dict.fromkeys([*known, *outside])
        return list(hints)

    # --- where was looked, what comes next --------------------------------------------------------------------------

    def _searched(self, country: str | None) -> list[Searched]:
        return [
            Searched(
                covered.country_code,
                covered.companies,
                self._dates.get(covered.country_code),
                tuple(source.name for source in covered.sources),
                all(source.state == "fresh" for source in covered.sources),
            )
            for covered in self._coverage
            if country in {None, covered.country_code}
        ]

    def _next_steps(self, plan: QuestionResult, question: Question) -> list[FollowUp]:
        """List the calls that lead on, the most useful first."""
        if plan.listed:
            entity = [self._entity(ranked) for ranked in plan.listed.results[:1]]
            return [*entity, _without_status(plan, question)] if plan.listed.stated else entity
        steps: list[FollowUp] = []
        for part in plan.parts:
            steps += [_without_filters(question)] if part.unfiltered else []
            steps += self._of(part, question.country)
        return list(dict.fromkeys(steps))

    def _of(self, part: CompanyResult, country: str | None) -> list[FollowUp]:
        if part.verdict == "found":
            first = part.results[0]
            statements = [self._financials(first)] if decode_record(first.match.company.record).financials else []
            return [self._entity(first), *statements]
        if part.verdict == "ambiguous":
            some = as_good(part.results)
            name = part.reading.name if part.reading else part.asked.text
            codes = list(dict.fromkeys(ranked.match.country for ranked in some))
            if len(codes) == 1 or part.asked.number:
                return [self._entity(ranked) for ranked in some[:_PART_RESULTS]]
            return [self._in(name, code) for code in codes]
        if part.verdict == "invalid_input":
            return [self._mend(ranked) for ranked in part.results[:_PART_RESULTS] if ranked.matched_on == "identifier"]
        near = part.results[0] if part.verdict == "possible" else None
        steps = [self._entity(near)] if near and near.confidence >= DISPUTED else []
        if part.reading and part.reading.country and not country:
            why = bilingual("Search every country, taking the whole text as a name")
            steps.append(FollowUp("searchEverywhere", why, q=part.reading.name))
        coverage = bilingual("See which registers are covered, and the dates of their data")
        is_nowhere = part.verdict == "not_found" and not part.unfiltered
        return [*steps, FollowUp("seeCoverage", coverage)] if is_nowhere else steps

    def _entity(self, ranked: Ranked) -> FollowUp:
        record = decode_record(ranked.match.company.record)
        why = bilingual("Read the full record of {name}", name=record.legal_name)
        return FollowUp("getEntity", why, ranked.match.country, record.identifier)

    def _financials(self, ranked: Ranked) -> FollowUp:
        record = decode_record(ranked.match.company.record)
        why = bilingual("Read the financial statements of {name}", name=record.legal_name)
        return FollowUp("getFinancials", why, ranked.match.country, record.identifier)

    def _in(self, name: str, code: str) -> FollowUp:
        why = bilingual("Search only in {country}", country=self._registry[code].name_in_sentence)
        return FollowUp("disambiguate", why, code, q=name)

    def _mend(self, ranked: Ranked) -> FollowUp:
        named = self._named(ranked)
        why = bilingual(
            "Did you mean {scheme} {number}, of {name}?",
            scheme=named.scheme.label,
            number=named.number,
            name=named.name,
        )
        return FollowUp("mendIdentifier", why, ranked.match.country, q=named.number)


def _without_filters(question: Question) -> FollowUp:
    why = bilingual("Search again without the filters")
    return FollowUp("dropFilters", why, question.country, q=question.q)


def _without_status(plan: QuestionResult, question: Question) -> FollowUp:
    """Return the list of a question without its status."""
    q = question.q
    for clue in plan.interpretation.understood:
        if clue.aspect == "status":
            q = re.sub(rf"\s?\b{re.escape(clue.text)}\b", "", q)
    why = bilingual("List the companies of any status")
    return FollowUp("dropStatus", why, question.country, q=" ".join(q.split()))


def _understood(plan: QuestionResult) -> list[Clue]:
    """Collect the clues of the text and of the readings that hold."""
    clues = [
        clue
        for part in plan.parts
        for reading in part.asked.readings
        if _holds(reading, part)
        for clue in reading.clues
    ]
    return list(dict.fromkeys([*plan.interpretation.understood, *clues]))


def _holds(reading: TextReading, part: CompanyResult) -> bool:
    """Check that a reading holds: it was chosen, or the company is in its country."""
    country = part.results[0].match.country if part.results else None
    return reading == part.reading or (country is not None and reading.country == country)


def _called(part: CompanyResult) -> str:
    """Return the name in the question without the words around it."""
    if part.asked.number:
        return part.asked.text
    names = {reading.how: reading.name for reading in reversed(part.asked.readings)}
    if part.verdict == "not_found":
        return names.get("bare") or names.get("torn") or part.asked.text
    return part.reading.name if part.reading and part.reading.how != "whole" else part.asked.text


def _together(parts: Sequence[CompanyResult]) -> list[Ranked]:
    """Merge the results of all parts, each record once: certain ones first, in the order of the question."""
    if len(parts) == 1:
        return parts[0].results
    known: dict[int, Ranked] = {}
    for sure in (True, False):
        for part in parts:
            for ranked in part.results[: 1 if sure else _PART_RESULTS]:
                if (ranked.confidence >= SURE) is sure or not sure:
                    known.setdefault(ranked.match.key, ranked)
    return list(known.values())


def _strongest(parts: Sequence[CompanyResult]) -> Verdict:
    """Return the verdict on all parts: the most informative one."""
    return min((part.verdict for part in parts), key=_ORDER.index, default="not_found")


def _states(filters: Filters) -> Iterator[Text]:
    """Yield the conditions on the state of a company, in words."""
    if filters.status:
        yield sentences.status(filters.status)
    if filters.listed is not None:
        yield sentences.issuers(filters.listed)
    if filters.financials is not None:
        yield sentences.with_statements(filters.financials)


def _hints_of(plan: QuestionResult) -> list[Text]:
    """Return the hints about what the question names and does not ask for, or asks for in vain."""
    read = plan.interpretation
    if plan.listed:
        listed = plan.listed
        alike = len({ranked.match.company.size for ranked in listed.results}) == 1
        hints = [sentences.no_ranking(alike=alike)] if listed.listing.largest and listed.total > 1 else []
        hints += listed.lacking
        words = [*listed.listing.dropped, *filter(None, [read.ruled_out])]
        hints += [sentences.not_applied(words)] if words else []
        return hints
    hints = [sentences.ruled_out(read.ruled_out)] if read.ruled_out else []
    hints += [sentences.person(words) for words in read.persons]
    if read.denied:
        hints.append(sentences.denied(read.denied))
    elif not read.excluding and any(read.unasked(part.asked) for part in plan.parts):
        hints.append(sentences.relation(read.relation))
    elif read.owning and any(is_itself(part.results) for part in plan.parts):
        hints.append(sentences.owner())
    elif read.aside and any(part.results for part in plan.parts):
        hints.append(sentences.aside(plan.parts[0].asked.text))
    elif read.plural and plan.parts[0].results and plan.parts[0].results[0].confidence == DISPUTED:
        hints.append(sentences.plural(read.plural))
    return hints
