"""From a query to ranked companies and hints: by number where the text holds one, by name otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from padron.country import Country
from padron.model import Text
from padron.search import hints
from padron.search.document import decode_company, decode_record
from padron.search.engine import Engine, Hit, Lookup
from padron.search.features import FORM_DIFFERS
from padron.search.numbers import NumberSearch
from padron.search.query import Query
from padron.search.rank import Match, Ranked, Ranker
from padron.search.tags import Within

SURE: Final = 0.85
"""From this confidence on the first result is the best match."""

MOST_CANDIDATES: Final = 50
_FEWEST_RANKED: Final = 12
AS_GOOD: Final = 0.1
"""Companies whose log-odds are this near to the first one's fit as well as it does."""


def lookup(query: Query) -> Lookup:
    """What to fetch candidates for."""
    readings = sorted({name.words for name in query.names.values()}, key=lambda words: (len(words), words))
    return Lookup(tuple(readings), query.loose | query.formal, query.country)


class Findings(NamedTuple):
    """The companies found, likeliest first, and what is said beside them."""

    results: list[Ranked]
    hints: list[Text]


class Finder:
    """Finds companies in one index. `dates`: the newest date of each country's data, for what is said of absence."""

    def __init__(
        self, registry: Mapping[str, Country], engine: Engine, ranker: Ranker, dates: Mapping[str, str | None]
    ) -> None:
        self._registry = registry
        self._engine = engine
        self._ranker = ranker
        self._numbers = NumberSearch(registry, engine, ranker)
        self._dates = dates
        self._texts = engine.tables.texts

    def find(self, query: Query, limit: int, within: Within = (), *, exact: bool = False) -> Findings:
        """At most `limit` companies with the tags; `exact`: only of the very name. Raises `NotFound("natural-person-not-covered")` for a natural person's number."""
        said: list[Text] = []
        results = self._numbers.find(query, query.spotted, said, within) if query.spotted else []
        if not results or results[0].confidence < SURE:
            known = {found.match.key for found in results}
            results += [found for found in self._by_name(query, limit, within, exact) if found.match.key not in known]
            results.sort(key=lambda found: -found.confidence)
        results = [found for found in results[:limit] if found.confidence > 0]
        return Findings(results, [*said, *self._comments(query, results)])

    def _by_name(self, query: Query, limit: int, within: Within, exact: bool) -> list[Ranked]:
        if not any(name.words for name in query.names.values()):
            return []
        hits = self._engine.candidates(lookup(query)._replace(within=within, exact=exact), MOST_CANDIDATES)
        ranked = self._ranker.rank(query, hits, max(limit, _FEWEST_RANKED))
        if ranked and not query.country and not ranked[0].match.company.link_home:
            known = {hit.key for hit in hits}
            siblings = [hit for hit in self._siblings(ranked[0].match, within) if hit.key not in known]
            if siblings:
                ranked = self._ranker.rank(query, [*siblings, *hits], max(limit, _FEWEST_RANKED))
        return ranked

    def _siblings(self, match: Match, within: Within = ()) -> Sequence[Hit]:
        """The records of a company in all registers, its own among them; those with the tags."""
        link = match.company.link
        return self._engine.by_identifier(None, "link", link, within) if link else []

    def _comments(self, query: Query, results: Sequence[Ranked]) -> list[Text]:
        """What helps to read the results, or their absence."""
        if not results:
            if not query.spotted and not any(name.words for name in query.names.values()):
                return [hints.no_words()]
            asked = [query.country] if query.country else list(self._dates)
            return [hints.nothing(asked, self._dates)]
        first = results[0]
        said = []
        countries = list(dict.fromkeys(found.match.country for found in results))
        if len(countries) > 1 and not query.country:
            said.append(hints.pass_country(countries))
        if first.confidence < SURE:
            said.append(self._doubt(results))
        else:
            said += self._about(first)
        return said

    def _doubt(self, results: Sequence[Ranked]) -> Text:
        """Why the first result is not sure: it has another form, others fit as well, or it does not fit well."""
        first = results[0].match
        if FORM_DIFFERS in first.features:
            return hints.other_form(decode_record(first.company.record).legal_name)
        as_good = {
            found.match.company.link or found.match.key
            for found in results
            if first.utility - found.match.utility <= AS_GOOD
        }
        return hints.ambiguous(len(as_good)) if len(as_good) > 1 and first.utility > 0 else hints.uncertain()

    def _about(self, first: Ranked) -> list[Text]:
        """What is worth knowing of a sure match."""
        match = first.match
        said = []
        if first.matched_on == "formerName":
            said.append(hints.called_now(decode_record(match.company.record).legal_name))
        return said + [self._linked(hit) for hit in self._siblings(match) if hit.key != match.key]

    def _linked(self, hit: Hit) -> Text:
        company = decode_company(hit.stored)
        record = decode_record(company.record)
        country = self._registry[self._texts[company.country]]
        scheme = country.scheme_by_code[self._texts[record.scheme]]
        return hints.linked(country, scheme, scheme.show(record.identifier))
