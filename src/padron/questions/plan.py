"""Answering a question in steps, cheapest first, within a budget: what was tried, what it found, and what follows.

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
from time import perf_counter
from typing import Final, NamedTuple

from padron.country import Country
from padron.index.document import decode_company, decode_record
from padron.index.engine import Scope
from padron.index.release_index import ReleaseIndex
from padron.index.tags import Filters
from padron.lookup.by_identifier import Held, NumberSearch
from padron.lookup.find import SURE, Finder, Findings
from padron.matching.features import Features
from padron.matching.identifiers import Number, one_digit_off
from padron.matching.query import Reader
from padron.matching.score import IDENTIFIER, Match, Ranked
from padron.model import Text
from padron.questions import steps as told
from padron.questions.interpretation import Asked, Interpretation, Reading
from padron.questions.name_spans import holds_joining_word
from padron.questions.outcome import Action, Listed, Part, Plan, Question, Step
from padron.questions.reading import Understander
from padron.questions.verdict import NEAR_MISS, as_good, verdict_of

ACTIVITY: Final = "activity"
"""What of a company in a list agreed with the question: nothing of its name."""

BUDGET: Final = 24
"""Searches that one question may take."""

PAGE: Final = 50
"""Companies of one question by name that are looked at."""

_UNSURE: Final = 0.8499
"""The most confidence in a company that is not where it was asked for."""
_MISTYPED: Final = 0.5
_LIKELIER_NAME: Final = 0.5
"""From this confidence on a text that may be a list is a name."""


class Tools(NamedTuple):
    """What answering takes: the words of questions, and one index with all that searches it."""

    registry: Mapping[str, Country]
    understander: Understander
    reader: Reader
    release_index: ReleaseIndex
    finder: Finder
    numbers: NumberSearch


async def answer(tools: Tools, question: Question) -> Plan:
    """What a question comes to. Raises `NotFound("natural-person-not-covered")` for a natural person's number."""
    made = tools.understander.understand(question.q, question.ignored, question.country)
    return await _Run(tools, made, question).plan()


class _Run:
    """One question being answered."""

    def __init__(self, tools: Tools, made: Interpretation, question: Question) -> None:
        self._tools = tools
        self._made = made
        self._question = question
        self._q, self._country = question.q, question.country
        self._within = question.filters.within()
        self._steps: list[Step] = []
        self._left = BUDGET

    async def plan(self) -> Plan:
        """The whole answer."""
        listed = await self._list() if self._made.listing else None
        parts = [] if listed else await self._companies()
        return Plan(self._made, self._steps, parts, listed)

    # --- companies --------------------------------------------------------------------------------------------------

    async def _companies(self) -> list[Part]:
        """The parts: of several companies, where all were surely asked or all are found; else of the one text."""
        asked = self._made.companies
        if self._made.several:
            plain = not self._made.question and not any(one.number for one in asked)
            return (await self._joined() if plain else []) or [await self._company(one) for one in asked]
        single = await self._company(asked[0], patient=len(asked) == 1)
        if len(asked) == 1 or single.verdict == "found":
            return [single]
        several = [await self._company(one) for one in asked[1:]]
        return several if all(part.verdict == "found" for part in several) else [single]

    async def _joined(self) -> list[Part]:
        """The one company whose name holds the word between, as the whole text has it; none where it is of several."""
        whole = Reading("whole", self._q)
        named = await self._by_name(whole)
        if not _sure(named):
            return []
        name = named.results[0].match.name
        if not holds_joining_word((name.core or name.words).split(), self._tools.understander.lexicon):
            return []
        said, doubt = await self._tools.finder.comments(self._q, self._country, named.results)
        return [self._part(Asked(self._q, (whole,), (), number=False), whole, Findings(named.results, said, doubt))]

    async def _company(self, asked: Asked, *, patient: bool = True) -> Part:
        """What is found of one company; a `patient` search looks into other countries as well."""
        if asked.number:
            return await self._numbered(asked)
        best: tuple[Reading | None, Findings] = (None, _NOTHING_FOUND)
        whole = asked is self._made.companies[0] and asked.readings[0].how != "whole"
        exact = await self._exact() if whole else _NOTHING_FOUND
        if _sure(exact):
            return self._part(asked, Reading("whole", self._q), exact)
        for reading in asked.readings:
            found = await self._by_name(reading)
            if reading.confirming and not _confirms(found, best[1]):
                continue
            if best[0] is None or _confidence(found) > max(_confidence(best[1]), NEAR_MISS):
                best = (reading, found)
            if _sure(found) and (reading.how != "torn" or self._made.question):
                break
        chosen, found = best
        if patient and chosen and not _sure(found) and (elsewhere := await self._elsewhere(chosen, found)):
            found = found._replace(results=_merged(found.results, elsewhere))
        results = _merged(found.results, exact.results)
        said, doubt = await self._tools.finder.comments(chosen.name if chosen else self._q, self._country, results)
        return self._part(asked, chosen, Findings(results, said, doubt))

    async def _exact(self) -> Findings:
        """Companies that are called as the whole text is written."""
        return await self._step("exactName", told.exact(), lambda: self._exactly(self._q, self._country))

    async def _exactly(self, text: str, country: str | None) -> Findings:
        return await self._tools.finder.exactly(text, country, PAGE, self._within)

    async def _likeliest(self, text: str, country: str | None) -> Findings:
        return Findings(await self._tools.finder.likeliest(text, country, PAGE, self._within), [], None)

    async def _by_name(self, reading: Reading) -> Findings:
        """Companies that are called as a reading has it; in another country than was asked they are never sure."""
        country = self._country or reading.country
        action: Action = "broaderName" if reading.how == "torn" else "similarName"
        found = await self._step(
            action,
            told.name(reading.name, self._tools.registry[country] if country else None),
            lambda: self._likeliest(reading.name, country),
        )
        if reading.uncovered and not self._country:
            return found._replace(results=[self._capped(one, reading.uncovered) for one in found.results])
        if self._country and reading.how == "torn" and (reading.uncovered or reading.country not in {None, country}):
            return found._replace(results=[_doubted(one) for one in found.results])
        return found

    def _capped(self, one: Ranked, home: str) -> Ranked:
        """A company asked for in a country that is not covered: sure only if it is incorporated there."""
        texts = self._tools.release_index.tables.texts
        if texts[decode_record(one.match.company.record).home] == home:
            return one
        return _doubted(one)

    async def _elsewhere(self, reading: Reading, found: Findings) -> list[Ranked]:
        """Near misses in the other registers, for a country that was understood and not demanded."""
        if self._country or not reading.country or (found.results and _confidence(found) > _LIKELIER_NAME):
            return []
        country = self._tools.registry[reading.country]
        others = await self._step(
            "otherCountries",
            told.elsewhere(reading.name, country),
            lambda: self._likeliest(f"{reading.name} {country.name.es}", None),
        )
        return [one if one.match.country == reading.country else _doubted(one) for one in others.results]

    # --- numbers ----------------------------------------------------------------------------------------------------

    async def _numbered(self, asked: Asked) -> Part:
        """The company of a number; mended where its check digit is wrong, refused where it cannot be one."""
        reading = asked.readings[0]
        query = self._tools.reader.read(reading.name, self._country)
        spotted = query.spotted
        alone = spotted is not None and query.around is None
        found = await self._step(
            "identifier" if spotted else "similarName",
            told.identifier() if spotted else told.name(reading.name, None),
            lambda: (
                self._exactly(reading.name, self._country)
                if alone
                else self._tools.finder.find(reading.name, self._country, PAGE, self._within)
            ),
        )
        wrong = [number for number in spotted.numbers if number.identifier.valid_check is False] if spotted else []
        right = spotted is not None and any(number.identifier.valid_check is not False for number in spotted.numbers)
        if spotted is None and not _sure(found) and (asked.schemes or _is_number(asked.text)):
            return Part(asked, reading, "invalid_input", found.results, found.hints, asked.text)
        if wrong and not right and not self._is_registered(found, asked.text):
            mended = await self._mended(wrong[0], asked.text, found)
            number = wrong[0]
            return Part(asked, reading, "invalid_input", mended, found.hints, asked.text, number.scheme)
        return self._part(asked, reading, found)

    def _is_registered(self, found: Findings, text: str) -> bool:
        """Whether the first company has the number to the last digit: registers hold numbers with wrong digits too."""
        if not _sure(found):
            return False
        record = decode_record(found.results[0].match.company.record)
        scheme = self._tools.registry[found.results[0].match.country].scheme_by_code[
            self._tools.release_index.tables.texts[record.scheme]
        ]
        return _digits(scheme.show(record.identifier)) in _digits(text)

    async def _mended(self, wrong: Number, text: str, found: Findings) -> list[Ranked]:
        """Companies whose number is one slip away from a wrong one, none of them sure."""
        companies = {one.match.key: one for one in found.results if one.matched_on == IDENTIFIER}
        if not companies:
            repaired = await self._step("oneDigitRepair", told.repair(), lambda: self._repair(wrong, text))
            companies = {one.match.key: one for one in repaired.results}
        share = _MISTYPED / max(1, len({one.match.company.link or one.match.key for one in companies.values()}))
        return [one._replace(confidence=min(one.confidence, share)) for one in companies.values()]

    async def _repair(self, wrong: Number, text: str) -> Findings:
        country = self._tools.registry[wrong.country]
        numbers = [number for number in one_digit_off(country, text) if number.scheme.code == wrong.scheme.code]
        repaired = [
            Ranked(_as_held(held), _MISTYPED, 0.0, IDENTIFIER)
            for holders in await self._tools.numbers.holders(numbers, self._within)
            for held in holders
            if held.own and not held.part
        ]
        return Findings(repaired, [], None)

    # --- lists ------------------------------------------------------------------------------------------------------

    async def _list(self) -> Listed | None:
        """The list that the text describes; None where it is likelier the name of a company."""
        listing = self._made.listing
        assert listing
        if listing.country and self._country and listing.country != self._country:
            listing = listing._replace(country=self._country)
        country = self._country or listing.country
        exact = self._made.question or listing.many
        named = await self._step(
            "exactName" if exact else "similarName",
            told.exact() if exact else told.name(self._q, None),
            lambda: (
                self._exactly(self._q, self._country)
                if exact
                else self._tools.finder.find(self._q, self._country, PAGE, self._within)
            ),
        )
        if _confidence(named) >= _LIKELIER_NAME:
            return None
        filters = _over(listing.filters, self._question.filters)
        listing = listing._replace(country=country, filters=filters)
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
            found = []
            for hit in hits:
                company = decode_company(hit.stored)
                match = Match(hit.key, company, texts[company.country], company.names[0], _NO_FEATURES, 0.0)
                found.append(Ranked(match, 0.0, 0.0, ACTIVITY))
            return Findings(found, [], None)

        page = await self._step("activity", told.listing(), among, lambda: total)
        partly = exact and not (total and listing.sure) and not self._made.question
        if partly and _sure(await self._by_name(Reading("whole", self._q))):
            return None
        return Listed(listing, total, page.results) if total or listing.sure else None

    # --- steps ------------------------------------------------------------------------------------------------------

    async def _step(
        self,
        action: Action,
        detail: Text,
        search: Callable[[], Awaitable[Findings]],
        count: Callable[[], int] | None = None,
    ) -> Findings:
        """Take a step, unless the budget is spent; what it finds."""
        if not self._left:
            return _NOTHING_FOUND
        self._left -= 1
        began = perf_counter()
        found = await search()
        took = (perf_counter() - began) * 1000
        self._steps.append(Step(action, detail, count() if count else len(found.results), round(took, 3)))
        return found

    def _part(self, asked: Asked, reading: Reading | None, found: Findings) -> Part:
        verdict = verdict_of(found.results)
        if verdict == "not_found" and not any(map(str.isalnum, self._q)):
            verdict = "invalid_input"
        if verdict == "not_found" and asked.schemes and not asked.number and _is_code(asked.text):
            return Part(asked, reading, "invalid_input", found.results, found.hints, asked.text)
        place = reading and not self._country and (reading.uncovered or reading.country)
        if verdict == "ambiguous" and place and any(one.match.country != place for one in as_good(found.results)):
            verdict = "possible"
        return Part(asked, reading, verdict, found.results, found.hints)


def _as_held(held: Held) -> Match:
    """A company that has a number, as a match."""
    return Match(held.key, held.company, held.number.country, held.company.names[0], _NO_FEATURES, 0.0)


_NO_FEATURES: Final[Features] = {}
_NOTHING_FOUND: Final = Findings([], [], None)


def _confirms(found: Findings, before: Findings) -> bool:
    """Whether a reading finds first what was likeliest before."""
    likely = _confidence(before) >= _LIKELIER_NAME and found.results
    return bool(likely) and found.results[0].match.key == before.results[0].match.key


def _doubted(one: Ranked) -> Ranked:
    """A company that is not where it was asked for."""
    return one._replace(confidence=min(one.confidence, _UNSURE))


def _confidence(found: Findings) -> float:
    return found.results[0].confidence if found.results else 0.0


def _sure(found: Findings) -> bool:
    return _confidence(found) >= SURE


def _merged(results: Sequence[Ranked], more: Sequence[Ranked]) -> list[Ranked]:
    """Both, each company's record once, the surest first."""
    known = {one.match.key for one in results}
    return sorted([*results, *(one for one in more if one.match.key not in known)], key=lambda one: -one.confidence)


def _over(understood: Filters, given: Filters) -> Filters:
    """The filters that were understood, under those that were given."""
    return understood._replace(**{name: own for name, own in given._asdict().items() if own not in (None, ())})


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _is_code(text: str) -> bool:
    """Whether a text is one word with a digit, as numbers that miss some are."""
    return " " not in text and any(map(str.isdigit, text))


def _is_number(text: str) -> bool:
    """Whether a text is a number and nothing else."""
    return not any(map(str.isalpha, text))
