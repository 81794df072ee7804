"""How likely each candidate is the company that was meant: one function for every engine, so that 0.85 means one thing.

Each name of a candidate is compared with the name asked; what agrees and what does not are features, and their weighted
sum `u` is the candidate's log-odds against "none of these is meant". Of all candidates one at most is meant, so

    confidence = exp(u) / (1 + sum of exp(u) over the companies)

a conditional logit with an outside option: two companies that fit equally well share what they have, and neither reaches
0.85. Records of one company in several registers (`link`) count once. Coefficients: `calibration.json`, fitted by
`padron.search.calibrate`. Rarity: a word weighs from 0 (every company has it) to 1 (hardly one has).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from padron.search.document import (
    ALTERNATIVE,
    FORMER,
    KINDS,
    TICKER,
    TRADE,
    StoredCompany,
    StoredName,
    Tables,
    decode_company,
)
from padron.search.engine import Hit
from padron.search.query import OTHER_FORM, NameAsked, Query
from padron.search.spelling import ABBREVIATED, EDITED, EQUIVALENT, UNFINISHED, Likeness, likeness, numeral

FEATURES: Final = (
    "prior",
    "sameName",
    "matchedWords",
    "missingWords",
    "missingAny",
    "extraWords",
    "extraShare",
    "edits",
    "editShare",
    "editOfKnownWord",
    "abbreviated",
    "equivalent",
    "glued",
    "numberDiffers",
    "numberOmitted",
    "formDiffers",
    "formAgrees",
    "otherOrder",
    "formerName",
    "tradeName",
    "alternativeName",
    "ticker",
    "connectivesDiffer",
    "otherCountry",
    "placeAgrees",
    "genericWords",
    "unfinished",
)
"""What is looked at, in the order of the numbers below."""

(
    _PRIOR,
    _SAME_NAME,
    _MATCHED,
    _MISSING,
    _MISSING_ANY,
    _EXTRA,
    _EXTRA_SHARE,
    _EDITS,
    _EDIT_SHARE,
    _EDIT_KNOWN,
    _ABBREVIATED,
    _EQUIVALENT,
    _GLUED,
    _NUMBER_DIFFERS,
    _NUMBER_OMITTED,
    FORM_DIFFERS,
    _FORM_AGREES,
    _OTHER_ORDER,
    _FORMER,
    _TRADE,
    _ALTERNATIVE,
    _TICKER,
    _CONNECTIVES,
    _OTHER_COUNTRY,
    _PLACE,
    _GENERIC,
    _UNFINISHED,
) = range(len(FEATURES))

_KIND_FEATURE: Final = {TRADE: _TRADE, FORMER: _FORMER, ALTERNATIVE: _ALTERNATIVE, TICKER: _TICKER}
CALIBRATION: Final = Path(__file__).with_name("calibration.json")

_MOST_MATTER: Final = 3.0
"""Beyond three rare words more of them say nothing new."""


class Model(NamedTuple):
    """The coefficient of each feature, in the order of `FEATURES`."""

    coefficients: tuple[float, ...]

    @classmethod
    def load(cls) -> Model:
        """The fitted model."""
        fitted = json.loads(CALIBRATION.read_text(encoding="utf-8"))["coefficients"]
        return cls(tuple(fitted[feature] for feature in FEATURES))


class Match(NamedTuple):
    """A candidate, the name of it that fits best, and why: feature number -> value; `utility` is their weighted sum."""

    key: int
    company: StoredCompany
    country: str
    name: StoredName
    features: dict[int, float]
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

    def rank(self, query: Query, hits: Sequence[Hit]) -> list[Ranked]:
        """The candidates, likeliest first; of one company's records the home register's first."""
        return share_out([self.match(query, hit.key, decode_company(hit.stored)) for hit in hits])

    def match(self, query: Query, key: int, company: StoredCompany) -> Match:
        """How a candidate fits, by the name of it that fits best."""
        country = self._texts[company.country]
        asked = query.names[country]
        best: Match | None = None
        for name in company.names:
            features = self.features(query, asked, name, country, self._texts[company.places])
            utility = self.utility(features)
            if best is None or utility > best.utility:
                best = Match(key, company, country, name, features, utility)
        assert best is not None
        return best

    def utility(self, features: dict[int, float]) -> float:
        """The log-odds that features add up to."""
        return sum([self._coefficients[number] * value for number, value in features.items()])

    def explain(self, features: dict[int, float]) -> dict[str, float]:
        """What each feature adds to the log-odds, the weightiest first."""
        shares = {FEATURES[number]: round(self._coefficients[number] * value, 4) for number, value in features.items()}
        return dict(sorted(shares.items(), key=lambda item: -abs(item[1])))

    def features(self, query: Query, asked: NameAsked, name: StoredName, country: str, places: str) -> dict[int, float]:
        """What agrees and what does not between the name asked and one name of a company of `country`; zeros left out.

        `places` are the folded names of the company's municipality and region.
        """
        found = {_PRIOR: 1.0}
        if asked.form and name.form and (verdict := _form_verdict(asked.form, name.form)):
            found[verdict] = 1.0
        if name.kind:
            found[_KIND_FEATURE[name.kind]] = 1.0
        weight = self._weight
        if name.words == asked.key:
            found[_SAME_NAME] = 1.0
            found[_MATCHED] = min(_MOST_MATTER, sum([weight(word, 1.0) for word in asked.words]))
            if (name.core or name.words) != asked.core:
                found[_CONNECTIVES] = 1.0
            return found
        parts = name.words.split()
        extra = [part for part in parts if part not in asked.bag]
        left = [word for word in asked.words if word not in parts]
        matched = sum([weight(word, 1.0) for word in asked.words if word not in left])
        if left and extra:
            matched += self._align(asked, name, parts, left, extra, found)
        elif len(parts) > 1 and not left and [part for part in parts if part in asked.bag] != list(asked.words):
            found[_OTHER_ORDER] = 1.0
        if matched:
            found[_MATCHED] = min(_MOST_MATTER, matched)
        if left:
            _missing(query, country, places, left, weight, found)
        if extra:
            surplus = sum([weight(part, 1.0) for part in extra])
            found[_EXTRA] = min(_MOST_MATTER, surplus)
            found[_EXTRA_SHARE] = surplus / (surplus + matched) if matched else 1.0
            if _NUMBER_DIFFERS not in found and any(map(numeral, extra)):
                found[_NUMBER_OMITTED] = 1.0
        return found

    def _align(
        self,
        asked: NameAsked,
        name: StoredName,
        parts: list[str],
        left: list[str],
        extra: list[str],
        found: dict[int, float],
    ) -> float:
        """Pair words that differ in writing only, taking them out of `left` and `extra`; the weight matched so."""
        if (name.core or name.words).replace(" ", "") == asked.core.replace(" ", ""):
            matched = sum([self._weight(part, 1.0) for part in extra])
            left.clear()
            extra.clear()
            found[_GLUED] = 1.0
            return matched
        matched = self._glue(asked.words, left, extra, found) + self._glue(parts, extra, left, found)
        for word in sorted(left, key=len, reverse=True):
            last = word == asked.words[-1]
            pairs = [(like, part) for part in extra if (like := likeness(word, part, last=last))]
            if pairs:
                like, part = min(pairs)
                left.remove(word)
                extra.remove(part)
                matched += self._count(word, part, like, found)
        return matched

    def _glue(self, words: Sequence[str], apart: list[str], joined: list[str], found: dict[int, float]) -> float:
        """Pair two neighbours of `words` that stand in `apart` with the one word of `joined` they are written as."""
        matched = 0.0
        for first, second in zip(words, words[1:], strict=False):
            if first + second in joined and (first in apart or second in apart):
                joined.remove(first + second)
                for word in (first, second):
                    if word in apart:
                        apart.remove(word)
                matched += self._weight(first + second, 1.0)
                found[_GLUED] = found.get(_GLUED, 0.0) + 1.0
        return matched

    def _count(self, word: str, part: str, like: Likeness, found: dict[int, float]) -> float:
        """Put down that `word` stands for `part`; the weight that matches."""
        weight = self._weight(part, 1.0)
        if like.how == EDITED:
            found[_EDITS] = found.get(_EDITS, 0.0) + like.cost
            found[_EDIT_SHARE] = found.get(_EDIT_SHARE, 0.0) + like.cost / len(part)
            found[_EDIT_KNOWN] = found.get(_EDIT_KNOWN, 0.0) + math.log1p(self._frequency(word))
            return weight
        feature = {EQUIVALENT: _EQUIVALENT, ABBREVIATED: _ABBREVIATED, UNFINISHED: _UNFINISHED}[like.how]
        found[feature] = found.get(feature, 0.0) + 1.0
        return weight if like.how == EQUIVALENT else weight * min(1.0, len(word) / len(part))


def _missing(
    query: Query,
    country: str,
    places: str,
    left: Sequence[str],
    weight: Callable[[str, float], float],
    found: dict[int, float],
) -> None:
    """Put down the words asked that the name lacks: a country or place of the company, a generic word, or a real lack."""
    missing = 0.0
    for word in left:
        if query.pointed.get(word) == country or word in places.split():
            found[_PLACE] = 1.0
        elif word in query.pointed:
            found[_OTHER_COUNTRY] = 1.0
        elif word in query.loose:
            found[_GENERIC] = 1.0
        else:
            missing += weight(word, 1.0)
            found[_MISSING_ANY] = 1.0
            if numeral(word):
                found[_NUMBER_DIFFERS] = 1.0
    if missing:
        found[_MISSING] = missing


def _form_verdict(asked: str, known: str) -> int | None:
    """The feature two legal forms show; none where one is the other with something added (`sa`, `sa-de-cv`)."""
    if asked == known:
        return _FORM_AGREES
    related = asked != OTHER_FORM and (asked.startswith(known + "-") or known.startswith(asked + "-"))
    return None if related else FORM_DIFFERS


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
