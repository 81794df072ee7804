"""How likely each candidate is the company that was meant: one function for every engine, so that 0.85 means one thing.

The weighted sum `u` of a candidate's features (`compare`) is its log-odds against "none of these is meant". One
candidate at most is meant, so

    confidence = exp(u) / (1 + sum of exp(u) over the companies)

a conditional logit with an outside option: two companies that fit equally well share what they have, and neither reaches
0.85. Records of one company in several registers (`link`) count once. Coefficients: `calibration.json`, fitted by
`padron.search.calibrate`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from padron.search.compare import FEATURES, Comparer, Features
from padron.search.document import KINDS, StoredCompany, StoredName, Tables, decode_company
from padron.search.engine import Hit
from padron.search.query import Query

_ENGINE_FIRST: Final = 4
"""Candidates compared in full whatever they look like: glued and parted names look like nothing."""

CALIBRATION: Final = Path(__file__).with_name("calibration.json")


class Model(NamedTuple):
    """The coefficient of each feature, in the order of `FEATURES`."""

    coefficients: tuple[float, ...]

    @classmethod
    def load(cls) -> Model:
        """The fitted model."""
        fitted = json.loads(CALIBRATION.read_text(encoding="utf-8"))["coefficients"]
        return cls(tuple(fitted[feature] for feature in FEATURES))


class Match(NamedTuple):
    """A candidate, the name of it that fits best, and why; `utility` is the weighted sum of the features."""

    key: int
    company: StoredCompany
    country: str
    name: StoredName
    features: Features
    utility: float


class Ranked(NamedTuple):
    """A match with its confidence, how far the next company is behind it, and what matched (`KINDS`, or `identifier`)."""

    match: Match
    confidence: float
    margin: float
    matched_on: str


class Ranker:
    """Compares names by the rarity of words in one index."""

    def __init__(self, tables: Tables, frequency: Callable[[str], int], model: Model) -> None:
        self._weight = tables.weights.get
        self._texts = tables.texts
        self._frequency = frequency
        self._coefficients = model.coefficients

    def rank(self, query: Query, hits: Sequence[Hit], most: int) -> list[Ranked]:
        """About `most` of the candidates, likeliest first; of one company's records the home register's first.

        All names are looked over, and the names that fit best, with those the engine puts first, compared in full.
        """
        companies = [decode_company(hit.stored) for hit in hits]
        comparer = self.comparer(query, [name for company in companies for name in company.names])
        names = [(name, at) for at, company in enumerate(companies) for name in company.names]
        if len(names) > most + _ENGINE_FIRST:
            best = sorted(names, key=lambda pair: (-comparer.estimate(pair[0]), pair[1]))[:most]
            names = best + [pair for pair in names if pair[1] < _ENGINE_FIRST and pair not in best]
        matches: dict[int, Match] = {}
        for name, at in names:
            match = self._match(comparer, hits[at].key, companies[at], name)
            if at not in matches or matches[at].utility < match.utility:
                matches[at] = match
        return share_out(list(matches.values()))

    def match(self, query: Query, key: int, company: StoredCompany) -> Match:
        """How one company fits, by the name of it that fits best."""
        comparer = self.comparer(query, company.names)
        found = [self._match(comparer, key, company, name) for name in company.names]
        return max(found, key=lambda match: match.utility)

    def comparer(self, query: Query, names: Iterable[StoredName]) -> Comparer:
        """What compares `names` with a query, by the rarity of words in this index."""
        vocabulary = {word for name in names for word in name.words.split()}
        return Comparer(query, vocabulary, self._weight, self._frequency)

    def utility(self, features: Features) -> float:
        """The log-odds that features add up to."""
        coefficients = self._coefficients
        return sum([coefficients[number] * value for number, value in features.items()])

    def explain(self, features: Features) -> dict[str, float]:
        """What each feature adds to the log-odds, the weightiest first."""
        shares = {FEATURES[number]: round(self._coefficients[number] * value, 4) for number, value in features.items()}
        return dict(sorted(shares.items(), key=lambda item: -abs(item[1])))

    def _match(self, comparer: Comparer, key: int, company: StoredCompany, name: StoredName) -> Match:
        country = self._texts[company.country]
        features = comparer.features(country, name, self._texts[company.places])
        return Match(key, company, country, name, features, self.utility(features))


def share_out(matches: Sequence[Match]) -> list[Ranked]:
    """Confidence for each match, from how well all of them fit."""
    groups: dict[str | int, float] = {}
    for match in matches:
        group = match.company.link or match.key
        groups[group] = max(match.utility, groups.get(group, -math.inf))
    if not groups:
        return []
    top = max(0.0, *groups.values())
    total = math.exp(-top) + sum([math.exp(utility - top) for utility in groups.values()])
    confidence = {group: math.exp(utility - top) / total for group, utility in groups.items()}
    ordered = sorted(
        matches,
        key=lambda match: (
            -groups[match.company.link or match.key],
            -match.company.size,
            match.company.link or "",
            not match.company.link_home,
            match.key,
        ),
    )
    ranked = []
    standing = sorted(confidence.values(), reverse=True)
    for match in ordered:
        sure = confidence[match.company.link or match.key]
        behind = (
            standing[1] if sure == standing[0] and len(standing) > 1 else standing[0] if sure != standing[0] else 0.0
        )
        ranked.append(Ranked(match, emitted(sure), round(sure - behind, 4), KINDS[match.name.kind]))
    return ranked


def emitted(confidence: float) -> float:
    """The number that is shown: four decimals, rounded down, and never 1 for a name."""
    return min(0.9999, math.floor(confidence * 10_000) / 10_000)
