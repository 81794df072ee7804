"""Ranked companies and hints for a query: by number where the text holds one, by name otherwise."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Final, Literal, NamedTuple

from padron.countries.country import Country, UncoveredKind
from padron.index.document import KNOWN_AS, decode_company, decode_record, variants
from padron.index.engine import Hit, IdentifierKey
from padron.index.prefetch import DryRun, prefetching
from padron.index.release_index import ReleaseIndex
from padron.index.retrieval import Lookup, Retrieval
from padron.index.tags import Within, stem
from padron.lookup import hints
from padron.lookup.by_identifier import ASSERTED, LIKELIER, NumberSearch
from padron.lookup.gaps import uncovered_kinds
from padron.matching.context import sides
from padron.matching.features import (
    DOUBTFUL_NAME,
    EDIT_SHARE,
    EXTRA_ANY,
    FORM_DIFFERS,
    GLUED,
    INEXACT,
    MISSING_ANY,
    NUMBER_DIFFERS,
    OF_SIZE,
    ONE_OF_SEVERAL,
    OTHER_COUNTRY,
    OTHER_ORDER,
    SAME_NAME,
    TICKER_NAME,
    WITHIN,
)
from padron.matching.identifiers import Spotted, is_telling
from padron.matching.query import Query, Reader
from padron.matching.score import IDENTIFIER, OTHER_FORM_CEILING, Match, Ranked, Ranker, emitted
from padron.text import fold
from padron.threads import pause
from padron.words import Text

SURE: Final = ASSERTED
"""Confidence of a best match, at least."""

MOST_CANDIDATES: Final = 50
AS_GOOD: Final = 0.1
"""Companies whose log-odds are this near to the first one's fit as well as it does."""

DISPUTED: Final = LIKELIER
"""Confidence of a name, at most, beside which the text has the number of another company, or that is a legal form."""

_SHORTEST_NAME: Final = 3
"""Letters of a part of a query, at least, that may name another company beside the first."""
_NO_NAME: Final = INEXACT | {EXTRA_ANY, TICKER_NAME}
"""Features of a part of a query that is not the name of another company."""
_SITES: Final = frozenset("facebook instagram linkedin tiktok twitter whatsapp youtube".split())
"""Sites that stand beside the name of a company in signatures and titles of pages."""
_MOST_PARTS: Final = 6
"""Parts of a query, at most, that are searched beside its first company: each costs a search."""
_PARTIAL: Final = frozenset({MISSING_ANY, WITHIN})
"""Features of a name that lacks words of the query."""
_MISSPELT: Final = frozenset({EDIT_SHARE, GLUED})
_FAR: Final = frozenset({MISSING_ANY, EXTRA_ANY, OTHER_COUNTRY, NUMBER_DIFFERS})
_OTHER_WORDS: Final = frozenset({EXTRA_ANY, MISSING_ANY, OTHER_ORDER})
_OTHERWISE: Final = INEXACT | {EXTRA_ANY}
"""Features of names that are not just the words asked."""


def lookup(query: Query, within: Within = (), *, exact: bool = False) -> Lookup:
    """Return the retrieval of a query's candidates.

    Args:
        exact: Whether only companies of the same name are wanted.
    """
    readings = sorted({name.words for name in query.names.values()}, key=lambda words: (len(words), words))
    letters = frozenset(name.letters for name in query.names.values())
    return Lookup(tuple(readings), query.loose | query.formal, query.country, letters, within, exact, query.text)


class Doubt(NamedTuple):
    """Reason why there is no best match: the `code`, and the same as a hint.

    `nothing` was found; several companies fit equally (`ambiguous`); the first has another legal form than was asked
    (`otherForm`), or is in another country (`wrongCountry`); or nothing fits well enough (`weak`).
    """

    code: Literal["nothing", "ambiguous", "otherForm", "wrongCountry", "weak"]
    text: Text


class Findings(NamedTuple):
    """Ranked companies, likeliest first, hints, and the reason why none is sure (None: the first is)."""

    results: list[Ranked]
    hints: list[Text]
    doubt: Doubt | None


Searched = Callable[[float, float, int], None]
"""Called after each search by name: seconds to retrieve candidates, seconds to score them, how many there are."""


def unmeasured(*_: float) -> None:
    """Ignore the figures of a search: a `Searched` for directories that nobody operates."""


class Finder:
    """Search in one index. `dates`: the newest date of each country's data, for hints about absence."""

    def __init__(
        self,
        registry: Mapping[str, Country],
        reader: Reader,
        index: ReleaseIndex,
        ranker: Ranker,
        dates: Mapping[str, str | None],
        searched: Searched = unmeasured,
    ) -> None:
        self._registry = registry
        self._reader = reader
        self._engine = index.engine
        self._frequencies = index.vocabulary.frequencies
        self._retrieval = Retrieval(index, reader.forms)
        self._ranker = ranker
        self._numbers = NumberSearch(registry, index, ranker)
        self._dates = dates
        self._searched = searched
        self._texts = index.tables.texts
        self._no_company = _SITES.union(*(country.exchanges for country in registry.values()))

    async def find(self, text: str, country: str | None, limit: int, within: Within = ()) -> Findings:
        """Find companies by number or name.

        Args:
            country: The country to search, None for all.

        Raises:
            NotFound: `natural-person-not-covered`, the text holds a natural person's number.
        """
        query = self._reader.read(text, country)
        remarks: list[Text] = []
        with prefetching(self._dry_runs(text, query, within)):
            results = await self._ranked(query, remarks, limit, within, exact=False)
            more, doubt = await self._comments(text, query, results, remarks)
        if doubt:
            more += self._lacking(query)
        return Findings(results, list(dict.fromkeys([*remarks, *more])), doubt)

    async def comments(
        self, text: str, country: str | None, results: Sequence[Ranked]
    ) -> tuple[list[Text], Doubt | None]:
        """Explain the results for a text.

        Args:
            country: The country searched, None for all.

        Returns:
            Hints, and the reason why no result is sure.
        """
        return await self._comments(text, self._reader.read(text, country), results, ())

    async def _comments(
        self, text: str, query: Query, results: Sequence[Ranked], remarks: Sequence[Text]
    ) -> tuple[list[Text], Doubt | None]:
        """Explain the results for a text; `remarks` are the hints about a number."""
        doubt = None
        if not results or results[0].confidence < SURE:
            doubt = await self._doubt(text, query, results, remarks)
        countries = list(dict.fromkeys([result.match.country for result in results]))
        more = [hints.pass_country(countries)] if len(countries) > 1 and not query.country else []
        more += [doubt.text] if doubt else await self._about(results[0])
        return more, doubt

    def lacking(self, text: str, country: str | None) -> list[Text]:
        """Return the hints about kinds of company that `text` may mean in `country` and that the sources lack."""
        return self._lacking(self._reader.read(text, country))

    def uncovered(self, text: str, country: str | None) -> list[tuple[Country, UncoveredKind]]:
        """Return the kinds of company of which `lacking` hints, with their countries."""
        return list(uncovered_kinds(self._reader.read(text, country), self._registry))

    def _lacking(self, query: Query) -> list[Text]:
        return [hints.not_covered(*lacking) for lacking in uncovered_kinds(query, self._registry)]

    async def likeliest(self, text: str, country: str | None, limit: int, within: Within) -> list[Ranked]:
        """Find companies without hints.

        Args:
            country: The country to search, None for all.

        Returns:
            The companies, likeliest first.
        """
        query = self._reader.read(text, country)
        with prefetching(self._dry_runs(text, query, within)):
            return await self._ranked(query, [], limit, within, exact=False)

    def _dry_runs(self, text: str, query: Query, within: Within) -> Iterator[DryRun]:
        """Yield what a search by name is likely to look up first, then all that it may, in other countries too."""
        names = [] if query.spotted and query.spotted.is_all else [lookup(query, within)]
        yield partial(self._look_up, self._retrieval.begin, names)
        if query.country:
            names = [*names, lookup(self._reader.read(text))]
        yield partial(self._look_up, self._retrieval.candidates, names)

    @staticmethod
    async def _look_up(retrieve: Callable[[Lookup, int], Awaitable[object]], names: Sequence[Lookup]) -> None:
        for name in names:
            if any(name.readings):
                await retrieve(name, MOST_CANDIDATES)

    async def by_number(self, number: str, name: str, country: str | None) -> Findings:
        """Find companies by a number alone that stands beside a name, as `find` does where both are in one text.

        A label before the number says what it is, not that the name belongs to it.

        Args:
            number: A text that may be a number.
            name: The name, empty if there is none.
            country: The country to search, None for all.

        Raises:
            NotFound: `natural-person-not-covered`.
        """
        query, remarks = self._reader.read(number, country), list[Text]()
        if (spotted := query.spotted) is None:
            return Findings([], [], None)
        query = query._replace(around=self._reader.read(name).names if name else None)
        by_name = partial(self._of_words, name)
        return Findings(await self._numbers.find(query, spotted, remarks, by_name, label_vouches=False), remarks, None)

    async def exactly(self, text: str, country: str | None, limit: int, within: Within) -> Findings:
        """Find companies by the number in a text, or else by exactly its name.

        Args:
            country: The country to search, None for all.
        """
        remarks: list[Text] = []
        results = await self._ranked(self._reader.read(text, country), remarks, limit, within, exact=True)
        return Findings(results, remarks, None)

    async def _ranked(
        self, query: Query, remarks: list[Text], limit: int, within: Within, *, exact: bool
    ) -> list[Ranked]:
        spotted, results = query.spotted, list[Ranked]()
        if spotted:
            by_name = partial(self._of_words, spotted.rest)
            results = await self._numbers.find(query, spotted, remarks, by_name, within, repair=not exact)
        if not (spotted and spotted.is_all) and (not results or results[0].confidence < SURE):
            named = await self._by_name(query, limit, within, exact)
            other = self._other_number(named[0].match, spotted) if spotted and named and not results else None
            if other:
                if named[0].confidence >= SURE:
                    remarks.append(other)
                named = [result._replace(confidence=min(result.confidence, DISPUTED)) for result in named]
            results = merged(results, named, DISPUTED if results else 1.0)
        if query.is_form:
            results = [result._replace(confidence=min(result.confidence, DISPUTED)) for result in results]
        return [result for result in results[:limit] if result.confidence > 0]

    def _other_number(self, match: Match, spotted: Spotted) -> Text | None:
        """Return the hint that the register gives a company another number of the kind that a text surely has."""
        record = decode_record(match.company.record)
        own = [(record.scheme, record.identifier), *record.aliases]
        for number in spotted.numbers:
            key = number.scheme.key
            known = {key(value) for scheme, value in own if self._texts[scheme] == number.scheme.code}
            if known and is_telling(number) and key(number.identifier.value) not in known:
                return hints.other_number(record.legal_name, number.scheme)
        return None

    async def _of_words(self, words: str, country: str | None) -> list[Ranked]:
        """Find the company of the words around a number by themselves."""
        return await self._by_name(self._reader.read(words, country), 1)

    async def _by_name(self, query: Query, limit: int, within: Within = (), exact: bool = False) -> list[Ranked]:
        ranked = await self._of_one_name(query, limit, within, exact)
        if ranked and (others := await self._beside(query, ranked[0], within)):
            first = [result for result in ranked if same_company(result.match, ranked[0].match)]
            named = {result.match.key for result in (*first, *others)}
            rest = [result for result in ranked if result.match.key not in named]
            return self._ranker.of_several([*first, *others], rest)
        return ranked

    async def _of_one_name(self, query: Query, limit: int, within: Within, exact: bool) -> list[Ranked]:
        if not any(name.words for name in query.names.values()):
            return []
        started = perf_counter()
        hits = await self._retrieval.candidates(lookup(query, within, exact=exact), MOST_CANDIDATES)
        retrieved = perf_counter()
        ranked = self._ranker.rank(query, hits, limit)
        self._searched(retrieved - started, perf_counter() - retrieved, len(hits))
        if ranked and not query.country and not ranked[0].match.company.link_home:
            known = {hit.key for hit in hits}
            siblings = [hit for hit in await self._siblings(ranked[0].match, within) if hit.key not in known]
            if siblings:
                ranked = self._ranker.rank(query, [*siblings, *hits], limit)
        return ranked

    async def _beside(self, query: Query, first: Ranked, within: Within) -> list[Ranked]:
        """Return the other companies that a query names beside its first: `Pfizer S.A. / Novartis S.A.`."""
        if first.match.utility <= 0 or _PARTIAL.isdisjoint(first.match.features):
            return []
        others: dict[int, Ranked] = {}
        left = _MOST_PARTS
        for side in sides(query.text):
            for part in side[:left]:
                left -= 1
                await pause()  # the embedded engine never waits
                if named := await self._other_named(part, query, first.match, within):
                    others = {result.match.key: result for result in named} | others
                    break
        return list(others.values())

    async def _other_named(self, part: str, query: Query, first: Match, within: Within) -> list[Ranked]:
        """Return the records of another company whose whole name a part of a query surely is, none without one.

        A part that is in a name of the first, or only says where it is and what it does, names no other; nor does one
        with a word of documents (`Pago Visa`), a site or an exchange.
        """
        words = fold(part).split()
        if len("".join(words)) < _SHORTEST_NAME or f" {first.name.core or first.name.words} " in f" {' '.join(words)} ":
            return []
        read = self._reader.read(part, query.country)
        meaning = min((name.bag for name in read.names.values()), key=len)
        places, activity = self._texts[first.company.places].split(), self._texts[first.company.activity].split()
        meaning -= read.loose | read.formal | read.context.places.keys() | set(places)
        if (
            read.is_form
            or read.context.document
            or meaning <= self._no_company
            or all(stem(word) in activity for word in meaning)
        ):
            return []
        if any(meaning <= set(name.words.split()) for name in first.company.names):
            return []
        ranked = await self._of_one_name(read, 1, within, exact=False)
        named = [result for result in ranked if same_company(result.match, ranked[0].match)]
        if not named or named[0].confidence < SURE or same_company(named[0].match, first):
            return []
        return named if any(_NO_NAME.isdisjoint(result.match.features) for result in named) else []

    async def _siblings(self, match: Match, within: Within = ()) -> Sequence[Hit]:
        """Return the records of a company in all registers, itself included; those with the tags."""
        link = match.company.link
        return await self.linked(link, within) if link else ()

    async def linked(self, link: str, within: Within = ()) -> Sequence[Hit]:
        """Return the records of one company in all registers, by what links them; those with the tags."""
        (hits,) = await self._engine.by_identifier([IdentifierKey(None, "link", link)], within)
        return hits

    async def _doubt(self, text: str, query: Query, results: Sequence[Ranked], remarks: Sequence[Text]) -> Doubt:
        """Return why the first result is not sure: others fit as well, other form or country, or a bad fit.

        `remarks` are the hints about a number.
        """
        if remarks and results and results[0].matched_on == IDENTIFIER:
            return Doubt("weak", remarks[0])
        if query.is_form or query.famous:
            reason = hints.not_held(query.famous) if query.famous else hints.only_form(" ".join(text.split()))
            return Doubt("weak" if results else "nothing", reason)
        if results and (several := self._several(query, results)):
            return Doubt("ambiguous", several)
        elsewhere = None if self._lacking(query) else await self._elsewhere(text, query, results)
        if elsewhere:
            name = decode_record(elsewhere.company.record).legal_name
            return Doubt("wrongCountry", hints.wrong_country(name, self._registry[elsewhere.country]))
        if not results:
            return Doubt("nothing", self._nothing(query, remarks))
        return self._unlike(query, results[0])

    def _several(self, query: Query, results: Sequence[Ranked]) -> Text | None:
        """Return the hint that the query names several companies, or fits them alike."""
        if named := [result for result in results if ONE_OF_SEVERAL in result.match.features]:
            return hints.several_named(_names(named))
        as_good = self._as_good(results)
        return (self._generic(query) or hints.ambiguous(len(as_good))) if len(as_good) > 1 else None

    def _unlike(self, query: Query, nearest: Ranked) -> Doubt:
        """Return why the nearest company does not fit well.

        It is named if it is likelier meant than not, or has all words and another legal form took it to the ceiling.
        """
        first = nearest.match
        name = decode_record(first.company.record).legal_name
        has_all = MISSING_ANY not in first.features
        if has_all and FORM_DIFFERS in first.features and first.utility > OTHER_FORM_CEILING - AS_GOOD:
            return Doubt("otherForm", hints.other_form(name))
        if nearest.confidence < DISPUTED:
            return Doubt("weak", self._generic(query) or hints.uncertain())
        if DOUBTFUL_NAME in first.features and SAME_NAME in first.features and (stated := self._documents(first)):
            return Doubt("weak", stated[0])
        if _MISSPELT & first.features.keys() and _FAR.isdisjoint(first.features):
            return Doubt("weak", hints.did_you_mean(name))
        return Doubt("weak", self._generic(query) or self._differing(query, first, name))

    @staticmethod
    def _differing(query: Query, first: Match, name: str) -> Text:
        """Return the hint at the words that the query and the nearest company do not share."""
        words = min((reading.words for reading in query.names.values()), key=len)
        known = {word for own in first.company.names for word in own.words.split()}
        placed = bool(query.country or query.pointed)
        if lacking := [word for word in words if word not in known]:
            return hints.lacking(name, lacking, placed=placed)
        if surplus := [word for word in first.name.words.split() if word not in words]:
            return hints.surplus(name, surplus, placed=placed)
        return hints.uncertain()

    def _generic(self, query: Query) -> Text | None:
        """Return the hint that the words are in more names than are ranked."""
        words = min((name.words for name in query.names.values()), key=len)
        count = min(self._frequencies(words), default=0)
        return hints.too_generic(words, count) if count > MOST_CANDIDATES and len(words) == 1 else None

    @staticmethod
    def _as_good(results: Sequence[Ranked]) -> set[str | int]:
        """Return the companies that fit as well as the first, if that fits well."""
        first = results[0].match
        return {
            result.match.company.link or result.match.key
            for result in results
            if first.utility > 0 and fits_as_well(result.match, first)
        }

    async def _elsewhere(self, text: str, query: Query, results: Sequence[Ranked]) -> Match | None:
        """Return the company that is surely meant, but is in another country than the query asks for."""
        if query.country:
            namesakes = await self._by_name(self._reader.read(text), 1)
            surely = namesakes[0] if namesakes and namesakes[0].confidence >= SURE else None
            return surely.match if surely and surely.match.country != query.country else None
        if not results or results[0].confidence < DISPUTED:
            return None
        first = results[0].match
        return first if OTHER_COUNTRY in first.features and _OTHERWISE.isdisjoint(first.features) else None

    def _nothing(self, query: Query, remarks: Sequence[Text]) -> Text:
        """Return the hint about no results; those about a number, where the text is nothing else, say it all."""
        if remarks and query.spotted and query.spotted.is_all:
            return remarks[0]
        if not query.spotted and not any(name.words for name in query.names.values()):
            return hints.no_words()
        return hints.nothing(
            [self._registry[code] for code in ([query.country] if query.country else self._dates)], self._dates
        )

    async def _about(self, first: Ranked) -> list[Text]:
        """Return the hints about a sure match."""
        match = first.match
        remarks = []
        if was_called_so(first):
            remarks.append(hints.called_now(decode_record(match.company.record).legal_name))
        if first.matched_on == "byName":
            remarks += self._documents(match)
        return remarks + [self._linked(hit) for hit in await self._siblings(match) if hit.key != match.key]

    def _documents(self, match: Match) -> list[Text]:
        """Return the hint about the document that states the name of a match."""
        record = decode_record(match.company.record)
        country = self._registry[match.country]
        return [
            hints.known_as(record.legal_name, by_name)
            for by_name in country.by_names_of(record.identifier)
            if any(variant.words == match.name.words for variant in variants(KNOWN_AS, by_name.name, country))
        ]

    def _linked(self, hit: Hit) -> Text:
        company = decode_company(hit.stored)
        record = decode_record(company.record)
        country = self._registry[self._texts[company.country]]
        scheme = country.scheme_by_code[self._texts[record.scheme]]
        return hints.linked(country, scheme, scheme.show(record.identifier))


def _names(results: Sequence[Ranked]) -> list[str]:
    """Return the legal name of each company, by its first record; one that several companies have is there once."""
    companies: dict[str | int, str] = {}
    for result in results:
        company = result.match.company
        companies.setdefault(company.link or result.match.key, decode_record(company.record).legal_name)
    return list(dict.fromkeys(companies.values()))


def same_company(match: Match, other: Match) -> bool:
    """Return whether two records are of one company."""
    return (match.company.link or match.key) == (other.company.link or other.key)


def merged(numbered: Sequence[Ranked], named: Sequence[Ranked], most: float) -> list[Ranked]:
    """Return the companies of a number and those of a name, likeliest first; together not surer than of one company.

    Other records of a company of the number are as sure as that, at most.

    Args:
        most: Confidence of these, at most.

    Returns:
        The companies, each once.
    """
    known = {result.match.key for result in numbered}
    sure = {_identity(result): result.confidence for result in reversed(numbered)}
    capped = [
        result._replace(confidence=min(result.confidence, most, sure.get(_identity(result), most))) for result in named
    ]
    others = [result for result in capped if result.match.key not in known]
    left, together = 1.0 - _together(numbered), _together(others)
    if together > left:
        others = [result._replace(confidence=emitted(result.confidence * left / together)) for result in others]
    return sorted([*numbered, *others], key=lambda result: -result.confidence)


def _identity(ranked: Ranked) -> str | int:
    """Return what the records of one company have in common."""
    return ranked.match.company.link or ranked.match.key


def _together(results: Sequence[Ranked]) -> float:
    """Return the sum of the confidence in all companies; records of one company count once."""
    return sum({_identity(result): result.confidence for result in results}.values())


def was_called_so(ranked: Ranked) -> bool:
    """Check whether the query is a former name of a company, no word more or fewer and in its order."""
    return ranked.matched_on == "formerName" and _OTHER_WORDS.isdisjoint(ranked.match.features)


def fits_as_well(match: Match, first: Match) -> bool:
    """Check whether the names of two companies fit a query alike, whatever the size of the companies."""
    return first.utility - match.utility <= AS_GOOD or _of_text(match) == _of_text(first)


def _of_text(match: Match) -> dict[str, float]:
    """Return the features of a match that do not depend on the size of its company."""
    return {feature: value for feature, value in match.features.items() if feature not in OF_SIZE}
