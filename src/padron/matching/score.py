"""Confidence of candidates: one function for every engine, so that 0.85 has one meaning.

The log-odds `u` of a candidate compare it with "none of the candidates is meant". A `Scorer` computes them from the
features of the candidate; `LinearScorer` is the weighted sum with the weights of calibration.json, which
`evaluation.fit_weights` fits. At most one candidate is meant, so

    confidence = exp(u) / (1 + sum of exp(u) over the companies)

This is a conditional logit with an outside option: two companies that fit equally well share the probability, and
neither reaches 0.85. Records of one company in several registers (`link`) count once.

Two ceilings on the log-odds are set by judgment, because the training queries cannot give them. A company outside the
directory explains a query with another legal form as well as any agreement of words does: people are taken to be wrong
about the form one time in five or six. And initials, common words, symbols of small companies and names of national
subsidiaries fit companies of every other directory too, and a brand that was sold is another's: they find a company and
never make it sure.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from operator import mul
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from msgspec import Struct

from padron.countries.country import Scheme
from padron.index.document import (
    ALTERNATIVE,
    KINDS,
    LEGAL,
    TICKER,
    TRADE,
    StoredCompany,
    StoredName,
    decode_company,
    decode_record,
)
from padron.index.engine import Hit
from padron.index.release_index import ReleaseIndex
from padron.index.vocabulary import growth
from padron.matching.compare import ComparedCompany, Comparer
from padron.matching.features import (
    ABROAD,
    ANOTHERS_NAME,
    BEGINNING,
    CONTESTED,
    DOUBTFUL_NAME,
    EDIT_SHARE,
    EXTRA_ANY,
    FORM_AGREES,
    FORM_DIFFERS,
    FORMAL_QUERY,
    GLUED,
    INEXACT,
    INSIDE,
    JOINTS,
    MINOR_SYMBOL,
    NATIONAL,
    ONE_OF_SEVERAL,
    ONE_UNIT,
    OTHER_COUNTRY,
    OUTDONE,
    PLACE_AGREES,
    PRIOR,
    PROMINENCE,
    PROMINENCE_LEADS,
    PROMINENCE_MISSPELT,
    PROMINENCE_PARTIAL,
    PROMINENCE_WITHIN,
    QUERY_WORDS,
    SAME_NAME,
    SOLE,
    SUPERSEDED,
    TERMS,
    TICKER_NAME,
    VAGUE,
    WITHIN,
    Features,
)
from padron.matching.query import Query

CALIBRATION: Final = Path(__file__).with_name("calibration.json")

IDENTIFIER: Final = "identifier"
"""Value of `matched_on` where a number matched; otherwise it is one of `KINDS`."""

OTHER_FORM_CEILING: Final = -1.5
"""Log-odds of a company under another legal form, or with the name of another, at most: a probability of 0.18."""

_KNOWN_BY_NAME: Final = 5.0
"""Times `PROMINENCE` that the ceiling gains where the name is one word and no other company has it."""

VAGUE_CEILING: Final = 1.5
"""Log-odds of a company found by a vague query, at most: a probability of 0.82, below the threshold of 0.85."""

RANKED: Final = 12
"""Names among which confidence is shared: the most promising ones. More cost time and change no confidence."""

_ENGINE_FIRST: Final = 4
"""Candidates of the engine that are always compared in full: words glued or split defeat the estimate of promise."""

_FAR_MORE_PROMINENT: Final = 0.2
"""Difference of `PROMINENCE` that makes a company far more prominent: its rank is four times as high."""

_OF_ANOTHER: Final = frozenset({ANOTHERS_NAME, FORM_DIFFERS})
"""Features of a company whose name in the query is rather that of another, which is not among the candidates."""

_ELSEWHERE: Final = frozenset({ABROAD, OTHER_COUNTRY})
"""Features of a company in another country than the query names, unless it is incorporated there."""

_BY_NAMES: Final = frozenset({ALTERNATIVE, TICKER, TRADE})
"""Kinds of names that a more prominent company can contest."""

_UNITS: Final = 3
"""Trade names from which on they are those of single units."""

_HOLDS_SYMBOL: Final = frozenset({EXTRA_ANY})
"""A rival with one of these features has a stock exchange symbol among the words of its name."""

_HOLDS_BY_NAME: Final = frozenset({BEGINNING, GLUED})
"""A rival with one of these features has a name that begins with the by-name."""

_PROMINENCE: Final = [-math.log10(1.001 - size / 1000) / 3 for size in range(1001)]
"""`PROMINENCE` by `StoredCompany.size`, a rank in thousandths: logarithmic, to separate the largest from the large."""

_LARGE: Final = _PROMINENCE[900]
"""`PROMINENCE` of the largest tenth of companies."""


class Scorer(Protocol):
    """A model from the features of a candidate to its log-odds."""

    def log_odds(self, features: Features) -> float:
        """Return the log-odds of a candidate against "none of the candidates is meant"."""

    def shares(self, features: Features) -> dict[str, float]:
        """Return the part of the log-odds that each feature explains; the parts add up to the log-odds."""


class LinearScorer:
    """The weighted sum of the features and of the products of `JOINTS`."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        """Prepare the sum; `weights` by `TERMS`."""
        self._weight = weights.__getitem__
        self._joints = [(joint.first, joint.second, weights[joint.name]) for joint in JOINTS]

    def log_odds(self, features: Features) -> float:
        """Return the weighted sum."""
        log_odds = sum(map(mul, map(self._weight, features), features.values()), 0.0)
        for first, second, weight in self._joints:
            if first in features and second in features:
                log_odds += weight * features[first] * features[second]
        return log_odds

    def shares(self, features: Features) -> dict[str, float]:
        """Return each feature's term of the sum; of each product, either feature has half."""
        shares = {feature: self._weight(feature) * value for feature, value in features.items()}
        for first, second, weight in self._joints:
            if first in features and second in features:
                half = weight * features[first] * features[second] / 2
                shares[first] += half
                shares[second] += half
        return shares


def load_weights() -> dict[str, float]:
    """Return the weights from calibration.json, by `TERMS`."""
    weights = json.loads(CALIBRATION.read_text(encoding="utf-8"))["coefficients"]
    return {term: weights[term] for term in TERMS}


class Match(Struct, gc=False):
    """A candidate with the name of it that fits best. `utility` are its log-odds after the ceilings."""

    key: int
    company: StoredCompany
    country: str
    name: StoredName
    features: Features
    utility: float


class _Selection(NamedTuple):
    """Candidates and the names to compare, each name with the position of its company: most promising first."""

    hits: Sequence[Hit]
    companies: Sequence[StoredCompany]
    comparer: Comparer
    likely: list[tuple[int, StoredName]]
    others: list[tuple[int, StoredName]]

    def unlikely(self) -> set[str | int]:
        """Return the companies that have all words of the query and no likely name: their names are long."""
        compared = {position for position, _ in self.likely}
        return {
            self.companies[position].link or hit.key
            for position, hit in enumerate(self.hits)
            if position not in compared and self.comparer.has_all(self.companies[position].names)
        }


class Ranked(NamedTuple):
    """A match with its confidence, its lead over the next company, and what matched: `KINDS` or `IDENTIFIER`.

    `mistyped`: the identifier differs from the company's own. `scheme` is that of the identifier, if one matched.
    """

    match: Match
    confidence: float
    margin: float
    matched_on: str
    mistyped: bool = False
    scheme: Scheme | None = None


class Ranker:
    """Ranks the candidates of a query by the IDF weights of one index and the log-odds of a scorer."""

    def __init__(self, index: ReleaseIndex, scorer: Scorer) -> None:
        self._idf = index.tables.weights.get
        self._texts = index.tables.texts
        self._frequency = index.vocabulary.frequency
        self._growth = growth(index.tables.companies)
        self._scorer = scorer
        self._log_odds = scorer.log_odds

    def rank(self, query: Query, hits: Sequence[Hit], limit: int) -> list[Ranked]:
        """Rank about `limit` candidates, likeliest first.

        Of one company's records that of the country named comes first, else that of its home register.

        The first results and their confidence do not depend on `limit`: beyond `RANKED` names, companies are only
        appended.

        Args:
            hits: The candidates of the engine, in its order.
        """
        selection = self._select(query, hits, limit - RANKED)
        first = self._relate(self._best_matches(selection, selection.likely), [], selection.unlikely)
        behind = self._relate(self._best_matches(selection, selection.others), first) if selection.others else []
        return assign_confidence(first, behind)

    def with_evidence(
        self, ranked: Iterable[Ranked], evidence: Callable[[Match], Iterable[tuple[str, float]]]
    ) -> list[Ranked]:
        """Rank companies again by what is known beside their names, with the weights of the same words in a query.

        What stands beside a name is no part of it, as it may be in a query that has a legal form.

        Args:
            ranked: The companies, ranked by name.
            evidence: Features of a company, with their values.
        """
        matches = [result.match for result in ranked]
        for match in matches:
            beside = dict(evidence(match))
            plain = {feature: value for feature, value in match.features.items() if feature != FORMAL_QUERY}
            match.utility += self._log_odds({**plain, **beside}) - self._log_odds(plain)
            match.features.update(beside)
            if not VAGUE.isdisjoint(match.features):
                match.utility = min(match.utility, VAGUE_CEILING)
        _apply_ceiling(matches)
        return assign_confidence(matches)

    def of_several(self, ranked: Iterable[Ranked], others: Iterable[Ranked]) -> list[Ranked]:
        """Rank the companies that a query names beside one another: none of them is surely the one meant.

        Args:
            ranked: The records of each company, as ranked by its own name; none is likelier than the first.
            others: The records of other companies, as ranked by the whole query; none gets likelier than those named.
        """
        matches = [result.match for result in ranked]
        self._add(ONE_OF_SEVERAL, matches)
        rest = [result.match for result in others]
        for match in [*matches, *rest]:
            match.utility = min(match.utility, matches[0].utility)
        return assign_confidence([*matches, *rest])

    def matches(self, query: Query, hits: Sequence[Hit]) -> list[Match]:
        """Return the matches of the most promising candidates, unordered."""
        selection = self._select(query, hits, 0)
        return self._relate(self._best_matches(selection, selection.likely), [], selection.unlikely)

    def match(self, query: Query, key: int, company: StoredCompany) -> Match:
        """Return the match of one company, by the name of it that fits best.

        Args:
            company: The company as stored.

        Returns:
            The match, as if the company were the only candidate.
        """
        comparer = self.comparer(query, company.names)
        best = max(
            [self._match(comparer, key, company, name) for name in company.names], key=lambda match: match.utility
        )
        _apply_ceiling([best])
        return best

    def comparer(self, query: Query, names: Sequence[StoredName]) -> Comparer:
        """Return a comparer of `names` with a query."""
        return Comparer(query, names, self._idf, self._frequency, self._growth)

    def explain(self, features: Features, utility: float) -> dict[str, float]:
        """Return each feature's part of `utility`, the largest first; parts of 0 are left out.

        What the ceilings took away is attributed to the feature that caused it.
        """
        shares = self._scorer.shares(features)
        cause = min(features.keys() & {*_OF_ANOTHER, *VAGUE}, default=PRIOR)
        shares[cause] = shares.get(cause, 0.0) + utility - sum(shares.values())
        rounded = [(feature, round(share, 4)) for feature, share in shares.items() if share]
        return dict(sorted(rounded, key=lambda item: -abs(item[1])))

    def _select(self, query: Query, hits: Sequence[Hit], more: int) -> _Selection:
        """Estimate every name; the likely ones are the most promising and those of the engine's first candidates.

        At most `more` names of other companies follow.
        """
        companies = [decode_company(hit.stored) for hit in hits]
        names = [(position, name) for position, company in enumerate(companies) for name in company.names]
        comparer = self.comparer(query, [name for _, name in names])
        if len(names) <= RANKED + _ENGINE_FIRST:
            return _Selection(hits, companies, comparer, names, [])
        order = sorted(range(len(names)), key=comparer.estimates().__getitem__, reverse=True)
        first = range(sum([len(company.names) for company in companies[:_ENGINE_FIRST]]))
        likely = [names[index] for index in dict.fromkeys((*order[:RANKED], *first))]
        others = []
        if more > 0:
            compared = {position for position, _ in likely}
            others = [names[index] for index in order[RANKED:] if names[index][0] not in compared][:more]
        return _Selection(hits, companies, comparer, likely, others)

    def _best_matches(self, selection: _Selection, names: Sequence[tuple[int, StoredName]]) -> list[Match]:
        """Return a match for each company of `names`, by the name that fits best."""
        matches: dict[int, Match] = {}
        hits, companies, comparer = selection.hits, selection.companies, selection.comparer
        for position, name in names:
            match = self._match(comparer, hits[position].key, companies[position], name)
            other = matches.get(position)
            if other is None or _fits_better(match, other):
                matches[position] = match
        return list(matches.values())

    def _match(self, comparer: Comparer, key: int, company: StoredCompany, name: StoredName) -> Match:
        texts = self._texts
        country = texts[company.country]
        compared = ComparedCompany(country, texts[company.places], texts[company.activity], company.names)
        features = comparer.features(compared, name)
        if company.size:
            _set_prominence(_PROMINENCE[company.size], features)
        if TICKER_NAME in features and _is_named_by(company, name):
            del features[TICKER_NAME]
        elif TICKER_NAME in features and comparer.everywhere and features.get(PROMINENCE, 0.0) < _LARGE:
            features[MINOR_SYMBOL] = 1.0
        if not _ELSEWHERE.isdisjoint(features) and texts[decode_record(company.record).home] in comparer.countries:
            features[PLACE_AGREES] = 1.0
            for feature in _ELSEWHERE.intersection(features):
                del features[feature]
        if EXTRA_ANY in features and name.kind == TRADE and _is_of_one_unit(company, name, comparer.words):
            features[ONE_UNIT] = 1.0
        return Match(key, company, country, name, features, self._capped(features))

    def _capped(self, features: Features) -> float:
        """Return the log-odds of the scorer, under the ceiling of features that are vague on their own."""
        log_odds = self._log_odds(features)
        return log_odds if VAGUE.isdisjoint(features) else min(log_odds, VAGUE_CEILING)

    def _relate(
        self,
        matches: list[Match],
        before: list[Match],
        unlikely: Callable[[], AbstractSet[str | int]] = frozenset[str | int],
    ) -> list[Match]:
        """Add the features that depend on the other candidates, `before` included, and apply the ceilings.

        `unlikely` returns the companies that have all words of the query and are not among the matches.
        """
        exact_name = [match for match in matches if SAME_NAME in match.features]
        contested = [match for match in exact_name if match.name.kind in _BY_NAMES and _is_contested(match, matches)]
        superseded = [match for match in exact_name if _is_superseded(match, exact_name)]
        if len(exact_name) > len(contested) or any(
            SAME_NAME in match.features and CONTESTED not in match.features for match in before
        ):
            self._add(OUTDONE, [match for match in matches if SAME_NAME not in match.features])
        if not before:
            exact = [match for match in matches if INEXACT.isdisjoint(match.features)]
            having = {match.company.link or match.key for match in exact}
            self._add(SOLE, exact if len(having) == 1 and having.issuperset(unlikely()) else ())
            self._add_lead(matches)
        self._add(CONTESTED, contested)
        self._add(SUPERSEDED, superseded)
        _apply_ceiling(matches)
        return matches

    def _add_lead(self, matches: Iterable[Match]) -> None:
        """Set `PROMINENCE_LEADS` of the most prominent company that has all words of the query, if several have."""
        fitting: dict[str | int, float] = {}
        for match in matches:
            if INEXACT.isdisjoint(match.features):
                company = match.company.link or match.key
                fitting[company] = max(fitting.get(company, 0.0), match.features.get(PROMINENCE, 0.0))
        if len(fitting) > 1:
            second, first = sorted(fitting.values())[-2:]
            leading = [
                match
                for match in matches
                if INEXACT.isdisjoint(match.features) and fitting[match.company.link or match.key] == first
            ]
            self._add(PROMINENCE_LEADS, leading if first > second else (), first - second)

    def _add(self, feature: str, matches: Iterable[Match], value: float = 1.0) -> None:
        """Set a feature of `matches` and compute their log-odds again."""
        for match in matches:
            match.features[feature] = value
            match.utility = self._capped(match.features)


def _set_prominence(prominence: float, features: Features) -> None:
    """Set the features of a company's prominence, which counts otherwise where its name fits otherwise."""
    features[PROMINENCE] = prominence
    if prominence >= _LARGE:
        features.pop(NATIONAL, None)
    if WITHIN in features:
        features[PROMINENCE_WITHIN] = prominence
    elif EDIT_SHARE in features:
        features[PROMINENCE_MISSPELT] = prominence
    elif EXTRA_ANY in features and INSIDE not in features and INEXACT.isdisjoint(features):
        features[PROMINENCE_PARTIAL] = prominence


def _fits_better(match: Match, other: Match) -> bool:
    """Return whether a name of a company fits better than `other` of it; a doubtful one is not sure by a likeness."""
    exact, other_exact = SAME_NAME in match.features, SAME_NAME in other.features
    if exact != other_exact and DOUBTFUL_NAME in (match if exact else other).features:
        return exact
    return match.utility > other.utility


def _is_named_by(company: StoredCompany, symbol: StoredName) -> bool:
    """Return whether the legal name of a company begins with its symbol: `AMC Entertainment Holdings`."""
    return company.names[0].words.startswith(f"{symbol.words} ")


def _is_of_one_unit(company: StoredCompany, name: StoredName, words: frozenset[str]) -> bool:
    """Return whether a company has several trade names, and the words of the query are in none but this one.

    A query that has no word of it as it is written (`7eleven`) is of its first word.
    """
    own = name.words.split()
    shared = words.intersection(own) or own[:1]
    others = [other for other in company.names if other.words != name.words]
    units = sum(other.kind == TRADE for other in others)
    return units + 1 >= _UNITS and all(set(other.words.split()).isdisjoint(shared) for other in others)


def _is_contested(match: Match, matches: Iterable[Match]) -> bool:
    """Return whether the name of a far more prominent company holds the symbol or by-name of this one.

    A by-name has to stand at the beginning of the other name.
    """
    symbol = match.name.kind == TICKER
    if symbol and _is_named_by(match.company, match.name):
        return False
    least = match.features.get(PROMINENCE, 0.0) + _FAR_MORE_PROMINENT
    return any(
        not rival.features.keys().isdisjoint(_HOLDS_SYMBOL if symbol else _HOLDS_BY_NAME)
        and rival.features.get(PROMINENCE, 0.0) >= least
        and INEXACT.isdisjoint(rival.features)
        and (not match.company.link or rival.company.link != match.company.link)
        for rival in matches
    )


def _is_superseded(match: Match, namesakes: Iterable[Match]) -> bool:
    """Return whether a company is probably the former bearer of its legal name, now a listed company's.

    The listed company is in the same register and has a stock exchange symbol; this one has neither a symbol nor a
    size. A query with the legal form is left alone: the form may come from the papers of the former bearer.
    """
    return (
        not match.company.size
        and match.name.kind == LEGAL
        and FORM_AGREES not in match.features
        and any(
            rival.company.size
            and rival.name.kind == LEGAL
            and rival.country == match.country
            and any(name.kind == TICKER for name in rival.company.names)
            for rival in namesakes
        )
    )


def _apply_ceiling(matches: Sequence[Match]) -> None:
    """Lower the companies under another form, or with another's name, by one amount: none is above its ceiling."""
    others = [match for match in matches if not _OF_ANOTHER.isdisjoint(match.features)]
    if others and (excess := max([match.utility - _form_ceiling(match.features) for match in others])) > 0:
        for match in others:
            match.utility -= excess


def _form_ceiling(features: Features) -> float:
    """Return the log-odds of a company under another legal form, at most.

    A name that could be many companies' is another's under another form. One word that only one company has is not, the
    less the larger the company: people write `MEGADATOS CIA LTDA` for the S.A. that everybody knows.
    """
    if ANOTHERS_NAME not in features and SAME_NAME in features and SOLE in features and QUERY_WORDS not in features:
        return OTHER_FORM_CEILING + _KNOWN_BY_NAME * features.get(PROMINENCE, 0.0)
    return OTHER_FORM_CEILING


def assign_confidence(matches: Iterable[Match], behind: Iterable[Match] = ()) -> list[Ranked]:
    """Share the probability among `matches`, likeliest first.

    Args:
        matches: The matches that compete.
        behind: Matches to append. None is surer than the last of `matches`, and they take nothing from them.

    Returns:
        The ranked records with their confidence.
    """
    order, appended = _by_company(matches), _by_company(behind)
    top = max(0.0, -order[0][0]) if order else 0.0
    odds = [math.exp(-fit - top) for fit, *_ in order]
    total = math.exp(-top) + sum(odds)
    odds += [min(odds[-1], math.exp(-fit - top)) for fit, *_ in appended]
    shares = [value / total for value in odds]
    ranked = []
    for (*_, records), share, after in zip(order + appended, shares, [*shares, 0.0][1:], strict=True):
        confidence, margin = emitted(share), share - after
        ranked += [Ranked(match, confidence, margin, KINDS[match.name.kind]) for match in records]
    return ranked


def _by_company(matches: Iterable[Match]) -> list[tuple[float, int, int, list[Match]]]:
    """Group the records of each company; order companies by fit, then by prominence."""
    companies: dict[str | int, list[Match]] = {}
    for match in matches:
        companies.setdefault(match.company.link or match.key, []).append(match)
    order = []
    for records in companies.values():
        if len(records) == 1:
            (match,) = records
            order.append((-match.utility, -match.company.size, match.key, records))
        else:
            records.sort(key=_order_of_record)
            fit, size = max([record.utility for record in records]), max([record.company.size for record in records])
            order.append((-fit, -size, min([record.key for record in records]), records))
    order.sort()
    return order


def _order_of_record(record: Match) -> tuple[bool, bool, float, int]:
    """Return the place of a record among those of its company: that of the country asked for, then the home's."""
    return OTHER_COUNTRY in record.features, not record.company.link_home, -record.utility, record.key


def emitted(confidence: float) -> float:
    """Return the number that answers state: four decimals, rounded down, and below 1 for a name."""
    return min(0.9999, math.floor(confidence * 10_000) / 10_000)
