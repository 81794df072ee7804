"""How likely each candidate is the company that was meant: one function for every engine, so that 0.85 means one thing.

The weighted sum `u` of a candidate's features is its log-odds against "none of these is meant". One candidate at most
is meant, so

    confidence = exp(u) / (1 + sum of exp(u) over the companies)

a conditional logit with an outside option: two companies that fit equally well share what there is, and neither reaches
0.85. Records of one company in several registers (`link`) count once. The weights are calibration.json's, fitted by
`evaluation.fit_weights`.

Two ceilings are set by judgment, because no queries at hand can tell them. A namesake that is not in the directory
explains a name asked under another legal form as well as any agreement of words does: people are taken to be wrong
about the form one time in five or six. And initials are carried by companies of every other directory too: they find a
company, and never make it sure.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import mul
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct

from padron.index.document import (
    ALTERNATIVE,
    KINDS,
    LEGAL,
    TICKER,
    TRADE,
    StoredCompany,
    StoredName,
    Tables,
    decode_company,
)
from padron.index.engine import Hit
from padron.matching.compare import Comparer
from padron.matching.features import (
    BEGINNING,
    CONTESTED,
    EXTRA_ANY,
    FEATURES,
    FORM_AGREES,
    FORM_DIFFERS,
    GLUED,
    INEXACT,
    INSIDE,
    MINOR_SYMBOL,
    NATIONAL,
    OUTDONE,
    PRIOR,
    PROMINENCE,
    SAME_NAME,
    SOLE,
    SUPERSEDED,
    TICKER_NAME,
    VAGUE,
    VAGUE_ALONE,
    Features,
)
from padron.matching.query import Query

CALIBRATION: Final = Path(__file__).with_name("calibration.json")

IDENTIFIER: Final = "identifier"
"""What matched where a number did; else it is one of `KINDS`."""

OTHER_FORM_CEILING: Final = -1.5
VAGUE_CEILING: Final = 1.5

_BY_NAMES: Final = frozenset({ALTERNATIVE, TICKER, TRADE})
_FAR_MORE_PROMINENT: Final = 0.2
_LARGE: Final = 1 / 3
_LARGEST: Final = 2 / 3
_FOR_SYMBOLS: Final = frozenset({EXTRA_ANY})
_FOR_BY_NAMES: Final = frozenset({BEGINNING, GLUED})

_PROMINENCE: Final = [-math.log10(1.001 - size / 1000) / 3 for size in range(1001)]
"""By `StoredCompany.size`, mostly a rank: what tells the largest from the large."""

RANKED: Final = 12
"""Names among which confidence is shared out: those that look best."""
_ENGINE_FIRST: Final = 4
"""Candidates compared in full whatever they look like: glued and parted names look like nothing."""


def load_coefficients() -> dict[str, float]:
    """The weight of each feature, as last fitted."""
    fitted = json.loads(CALIBRATION.read_text(encoding="utf-8"))["coefficients"]
    return {feature: fitted[feature] for feature in FEATURES}


class Match(Struct, gc=False):
    """A candidate, the name of it that fits best, and why; `utility` is the weighted sum of the features."""

    key: int
    company: StoredCompany
    country: str
    name: StoredName
    features: Features
    utility: float


class _Field(NamedTuple):
    """Candidates, and their names beside the place of the company: the likeliest, then the others as they look."""

    hits: Sequence[Hit]
    companies: Sequence[StoredCompany]
    comparer: Comparer
    likely: list[tuple[int, StoredName]]
    others: list[tuple[int, StoredName]]


class Ranked(NamedTuple):
    """A match, its confidence, how far the next company is behind it, and what matched: `KINDS` or `IDENTIFIER`."""

    match: Match
    confidence: float
    margin: float
    matched_on: str


class Ranker:
    """Compares names by the rarity of words in one index, and weighs what it finds by `coefficients`."""

    def __init__(self, tables: Tables, frequency: Callable[[str], int], coefficients: Mapping[str, float]) -> None:
        self._weight = tables.weights.get
        self._texts = tables.texts
        self._frequency = frequency
        self._coefficients = coefficients
        self._coefficient = coefficients.__getitem__

    def rank(self, query: Query, hits: Sequence[Hit], most: int) -> list[Ranked]:
        """About `most` of the candidates, likeliest first; of one company's records the home register's first.

        Who is first, and how surely, does not depend on `most`: beyond `RANKED`, companies are only added behind.
        """
        field = self._field(query, hits, most - RANKED)
        first = self._among_others(self._compared(field, field.likely), [])
        behind = self._among_others(self._compared(field, field.others), first) if field.others else []
        return share_out(first, behind)

    def matches(self, query: Query, hits: Sequence[Hit]) -> list[Match]:
        """How the likeliest of the candidates fit."""
        field = self._field(query, hits, 0)
        return self._among_others(self._compared(field, field.likely), [])

    def _field(self, query: Query, hits: Sequence[Hit], more: int) -> _Field:
        """All names are looked over; the likeliest are those that look best, and those the engine puts first.

        At most `more` of the others are told.
        """
        companies = [decode_company(hit.stored) for hit in hits]
        names = [(at, name) for at, company in enumerate(companies) for name in company.names]
        comparer = self.comparer(query, [name for _, name in names])
        if len(names) <= RANKED + _ENGINE_FIRST:
            return _Field(hits, companies, comparer, names, [])
        order = sorted(range(len(names)), key=comparer.estimates().__getitem__, reverse=True)
        first = range(sum([len(company.names) for company in companies[:_ENGINE_FIRST]]))
        likely = [names[place] for place in dict.fromkeys((*order[:RANKED], *first))]
        others = []
        if more > 0:
            seen = {at for at, _ in likely}
            others = [names[place] for place in order[RANKED:] if names[place][0] not in seen][:more]
        return _Field(hits, companies, comparer, likely, others)

    def _compared(self, field: _Field, names: Sequence[tuple[int, StoredName]]) -> list[Match]:
        """How companies fit, each by the one of `names` that fits best."""
        found: dict[int, Match] = {}
        hits, companies, comparer = field.hits, field.companies, field.comparer
        for at, name in names:
            match = self._match(comparer, hits[at].key, companies[at], name)
            other = found.get(at)
            if other is None or other.utility < match.utility:
                found[at] = match
        return list(found.values())

    def match(self, query: Query, key: int, company: StoredCompany) -> Match:
        """How one company fits, by the name of it that fits best."""
        comparer = self.comparer(query, company.names)
        best = max([self._match(comparer, key, company, name) for name in company.names], key=lambda one: one.utility)
        _hold_down([best])
        return best

    def comparer(self, query: Query, names: Sequence[StoredName]) -> Comparer:
        """What compares `names` with a query."""
        return Comparer(query, names, self._weight, self._frequency)

    def utility(self, features: Features) -> float:
        """The log-odds of a candidate that stands alone."""
        total = self._sum(features)
        return min(total, OTHER_FORM_CEILING) if FORM_DIFFERS in features else total

    def explain(self, features: Features, utility: float) -> dict[str, float]:
        """What each feature adds to the log-odds, the weightiest first; what adds nothing is left out."""
        shares = {feature: self._coefficients[feature] * value for feature, value in features.items()}
        held = min(features.keys() & {FORM_DIFFERS, *VAGUE}, default=PRIOR)
        shares[held] = shares.get(held, 0.0) + utility - sum(shares.values())
        told = [(feature, round(share, 4)) for feature, share in shares.items() if share]
        return dict(sorted(told, key=lambda one: -abs(one[1])))

    def _sum(self, features: Features) -> float:
        total: float = sum(map(mul, map(self._coefficient, features), features.values()))
        return total if VAGUE_ALONE.isdisjoint(features) else min(total, VAGUE_CEILING)

    def _match(self, comparer: Comparer, key: int, company: StoredCompany, name: StoredName) -> Match:
        country = self._texts[company.country]
        features = comparer.features(country, name, self._texts[company.places], company.names)
        if company.size:
            features[PROMINENCE] = _PROMINENCE[company.size]
        if features.get(PROMINENCE, 0.0) >= _LARGE:
            features.pop(NATIONAL, None)
            if features[PROMINENCE] >= _LARGEST:
                features.pop(INSIDE, None)
        elif comparer.everywhere and TICKER_NAME in features and not _is_called(company, name):
            features[MINOR_SYMBOL] = 1.0
        return Match(key, company, country, name, features, self._sum(features))

    def _among_others(self, matches: list[Match], before: list[Match]) -> list[Match]:
        """`matches` with what seeing all and those `before` tells: `outdone`, `sole`, `contested`, `superseded`."""
        named = [match for match in matches if SAME_NAME in match.features]
        contested = [match for match in named if match.name.kind in _BY_NAMES and _is_contested(match, matches)]
        superseded = [match for match in named if _is_superseded(match, named)]
        if named or any(SAME_NAME in match.features for match in before):
            self._add(OUTDONE, [match for match in matches if SAME_NAME not in match.features])
        if not before:
            exact = [match for match in matches if INEXACT.isdisjoint(match.features)]
            self._add(SOLE, exact if len({match.company.link or match.key for match in exact}) == 1 else ())
        self._add(CONTESTED, contested)
        self._add(SUPERSEDED, superseded)
        _hold_down(matches)
        return matches

    def _add(self, feature: str, matches: Iterable[Match]) -> None:
        """Put down what holds of `matches`."""
        for match in matches:
            match.features[feature] = 1.0
            match.utility = self._sum(match.features)


def _is_called(company: StoredCompany, symbol: StoredName) -> bool:
    """Whether the legal name of a company begins with its symbol (`AMC Entertainment Holdings`): it is called so."""
    return company.names[0].words.startswith(f"{symbol.words} ")


def _is_contested(match: Match, matches: Iterable[Match]) -> bool:
    """Whether the name of a far more prominent company holds what is but the symbol or by-name of this one.

    The name has to begin with a by-name.
    """
    symbol = match.name.kind == TICKER
    if symbol and _is_called(match.company, match.name):
        return False
    least = match.features.get(PROMINENCE, 0.0) + _FAR_MORE_PROMINENT
    return any(
        not rival.features.keys().isdisjoint(_FOR_SYMBOLS if symbol else _FOR_BY_NAMES)
        and rival.features.get(PROMINENCE, 0.0) >= least
        and INEXACT.isdisjoint(rival.features)
        and (not match.company.link or rival.company.link != match.company.link)
        for rival in matches
    )


def _is_superseded(match: Match, namesakes: Iterable[Match]) -> bool:
    """Whether a company is likely the former bearer of its legal name: another one of its register is listed.

    That one has a stock exchange symbol, and this one neither that nor any size. Who types the legal form too may have
    it from the former one's papers.
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


def _hold_down(matches: Sequence[Match]) -> None:
    """Leave the best of those under another legal form `OTHER_FORM_CEILING` at most, and the others less.

    Leave all of them `VAGUE_CEILING` at most where the best is vague: those that fit less are no likelier for that.
    """
    others = [match for match in matches if FORM_DIFFERS in match.features]
    if others and (price := max([match.utility for match in others]) - OTHER_FORM_CEILING) > 0:
        for match in others:
            match.utility -= price
    best = max(matches, key=lambda match: match.utility, default=None)
    if best and best.utility > VAGUE_CEILING and not VAGUE.isdisjoint(best.features):
        price = best.utility - VAGUE_CEILING
        for match in matches:
            match.utility -= price


def share_out(matches: Iterable[Match], behind: Iterable[Match] = ()) -> list[Ranked]:
    """`matches` with their confidence, from how well all of them fit, likeliest first.

    Those `behind` follow, none surer than the last; they take nothing from the others.
    """
    order, others = _by_company(matches), _by_company(behind)
    top = max(0.0, -order[0][0]) if order else 0.0
    odds = [math.exp(-fit - top) for fit, *_ in order]
    total = math.exp(-top) + sum(odds)
    odds += [min(odds[-1], math.exp(-fit - top)) for fit, *_ in others]
    shares = [one / total for one in odds]
    ranked = []
    for (*_, records), share, after in zip(order + others, shares, [*shares, 0.0][1:], strict=True):
        confidence, margin = emitted(share), share - after
        ranked += [Ranked(match, confidence, margin, KINDS[match.name.kind]) for match in records]
    return ranked


def _by_company(matches: Iterable[Match]) -> list[tuple[float, int, int, list[Match]]]:
    """The records of each company, home first, the company that fits best first, then the most prominent."""
    companies: dict[str | int, list[Match]] = {}
    for match in matches:
        companies.setdefault(match.company.link or match.key, []).append(match)
    order = []
    for records in companies.values():
        if len(records) == 1:
            (match,) = records
            order.append((-match.utility, -match.company.size, match.key, records))
        else:
            records.sort(key=lambda one: (not one.company.link_home, -one.utility, one.key))
            fit, size = max([one.utility for one in records]), max([one.company.size for one in records])
            order.append((-fit, -size, min([one.key for one in records]), records))
    order.sort()
    return order


def emitted(confidence: float) -> float:
    """The number that is shown: four decimals, rounded down, and never 1 for a name."""
    return min(0.9999, math.floor(confidence * 10_000) / 10_000)
