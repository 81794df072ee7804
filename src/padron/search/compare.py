"""What agrees and what does not between the name asked for and one name of a company.

Rarity: a word weighs from 0 (every company has it) to 1 (hardly one has).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Final

from padron.search.document import ALTERNATIVE, FORMER, TICKER, TRADE, StoredName
from padron.search.query import NameAsked, Query
from padron.search.spelling import ABBREVIATED, EDITED, EQUIVALENT, UNFINISHED, Likeness, alike, numeral

FEATURES: Final = (
    "prior",
    "sameName",
    "matchedWords",
    "missingWords",
    "missingAny",
    "extraWords",
    "extraShare",
    "extraAny",
    "slips",
    "edits",
    "editShare",
    "editOfKnownWord",
    "editAlone",
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
"""What is looked at, by number.

`slips` are edits as fingers and ears make them (neighbouring keys, letters swapped or doubled, the same sound), `edits` all
others; `editShare` is their part of the word's letters, `editAlone` their number where no rare word agrees to the letter.
`extraShare`: the part of the name's weight that was not asked for.
"""

(
    PRIOR,
    SAME_NAME,
    MATCHED,
    MISSING,
    MISSING_ANY,
    EXTRA,
    EXTRA_SHARE,
    EXTRA_ANY,
    SLIPS,
    EDITS,
    EDIT_SHARE,
    EDIT_KNOWN,
    EDIT_ALONE,
    ABBREVIATION,
    EQUIVALENCE,
    GLUED,
    NUMBER_DIFFERS,
    NUMBER_OMITTED,
    FORM_DIFFERS,
    FORM_AGREES,
    OTHER_ORDER,
    FORMER_NAME,
    TRADE_NAME,
    ALTERNATIVE_NAME,
    TICKER_NAME,
    CONNECTIVES_DIFFER,
    OTHER_COUNTRY,
    PLACE_AGREES,
    GENERIC_WORDS,
    UNFINISHED_WORD,
) = range(len(FEATURES))

Features = dict[int, float]
"""Feature number -> value; those that are zero are left out."""

_KIND: Final = {TRADE: TRADE_NAME, FORMER: FORMER_NAME, ALTERNATIVE: ALTERNATIVE_NAME, TICKER: TICKER_NAME}
_HOW: Final = {EQUIVALENT: EQUIVALENCE, ABBREVIATED: ABBREVIATION, UNFINISHED: UNFINISHED_WORD}
_EXTRA_COSTS: Final = 0.35
_ALIKE_GAINS: Final = 0.7
_MOST_MATTER: Final = 3.0
"""Beyond three rare words more of them say nothing new."""


class Comparer:
    """Compares names of companies with what one query asks for.

    `vocabulary` are the words of all those names: which of them are like a word asked is found out once, not name by name.
    `weight(word, 1.0)` is the rarity of a word, `frequency(word)` the number of companies that have it in a name.
    """

    def __init__(
        self,
        query: Query,
        vocabulary: AbstractSet[str],
        weight: Callable[[str, float], float],
        frequency: Callable[[str], int],
    ) -> None:
        self._query = query
        self._weight = weight
        self._frequency = frequency
        readings = set(query.names.values())
        self._weights = {word: weight(word, 1.0) for name in readings for word in name.words}
        self._totals = {name: sum([self._weights[word] for word in name.words]) for name in readings}
        others = vocabulary - self._weights.keys()
        self._alike = {
            word: found
            for name in readings
            for word in name.words
            if (found := alike(word, others, last=word == name.words[-1]))
        }
        self._gains = {part: -_EXTRA_COSTS * weight(part, 1.0) for part in others} | self._weights
        for found in self._alike.values():
            self._gains |= {part: _ALIKE_GAINS * weight(part, 1.0) for part in found}

    def estimate(self, name: StoredName) -> float:
        """About how well a name fits; only good for choosing which names to compare in full."""
        return sum(map(self._gains.__getitem__, name.words.split()))

    def features(self, country: str, name: StoredName, places: str) -> Features:
        """The features of one name of a company of `country`; `places`: folded names of its municipality and region."""
        asked = self._query.names[country]
        found = {PRIOR: 1.0}
        if asked.form and name.form:
            _compare_forms(asked.form, name.form, found)
        if name.kind:
            found[_KIND[name.kind]] = 1.0
        if name.words == asked.key:
            found[SAME_NAME] = 1.0
            found[MATCHED] = min(_MOST_MATTER, self._totals[asked])
            if (name.core or name.words) != asked.core:
                found[CONNECTIVES_DIFFER] = 1.0
            return found
        parts = name.words.split()
        bag = asked.bag
        extra = [part for part in parts if part not in bag]
        left = [word for word in asked.words if word not in parts]
        matched = self._totals[asked] - sum([self._weights[word] for word in left]) if left else self._totals[asked]
        if left and extra:
            matched += self._align(asked, name, parts, left, extra, found)
            if EDIT_SHARE in found:
                self._edited_alone(asked, parts, found)
        elif not left and len(bag) > 1 and [part for part in parts if part in bag] != list(asked.words):
            found[OTHER_ORDER] = 1.0
        if matched:
            found[MATCHED] = min(_MOST_MATTER, matched)
        if left:
            self._missing(country, places, left, found)
        if extra:
            self._extra(extra, matched, found)
        return found

    def _extra(self, extra: Sequence[str], matched: float, found: Features) -> None:
        """Put down the words of the name that were not asked for."""
        surplus = sum([self._weight(part, 1.0) for part in extra])
        found[EXTRA] = min(_MOST_MATTER, surplus)
        found[EXTRA_ANY] = 1.0
        found[EXTRA_SHARE] = surplus / (surplus + matched) if matched else 1.0
        if NUMBER_DIFFERS not in found and any(map(numeral, extra)):
            found[NUMBER_OMITTED] = 1.0

    def _missing(self, country: str, places: str, left: Sequence[str], found: Features) -> None:
        """Put down the words asked that the name lacks: a country or place of the company, a vague word, or a real lack."""
        query = self._query
        missing = 0.0
        for word in left:
            if query.pointed.get(word) == country or word in places.split():
                found[PLACE_AGREES] = 1.0
            elif word in query.pointed:
                found[OTHER_COUNTRY] = 1.0
            elif word in query.loose:
                found[GENERIC_WORDS] = 1.0
            elif word not in query.formal:
                missing += self._weights[word]
                found[MISSING_ANY] = 1.0
                if numeral(word):
                    found[NUMBER_DIFFERS] = 1.0
        if missing:
            found[MISSING] = missing

    def _align(
        self,
        asked: NameAsked,
        name: StoredName,
        parts: Sequence[str],
        left: list[str],
        extra: list[str],
        found: Features,
    ) -> float:
        """Pair words that differ in writing only, taking them out of `left` and `extra`; the weight matched so."""
        if (name.core or name.words).replace(" ", "") == asked.core.replace(" ", ""):
            matched = sum([self._weight(part, 1.0) for part in extra])
            left.clear()
            extra.clear()
            found[GLUED] = 1.0
            return matched
        matched = 0.0
        if len(asked.words) > 1:
            matched += self._glue(asked.words, left, extra, found)
        if len(parts) > 1:
            matched += self._glue(parts, extra, left, found)
        for word in [word for word in left if word in self._alike]:
            found_alike = self._alike[word]
            pairs = [(found_alike[part], part) for part in extra if part in found_alike]
            if pairs:
                like, part = min(pairs)
                left.remove(word)
                extra.remove(part)
                matched += self._pair(word, part, like, found)
        return matched

    def _glue(self, words: Sequence[str], apart: list[str], joined: list[str], found: Features) -> float:
        """Pair two neighbours of `words`, one of them in `apart`, with the one word of `joined` they are written as."""
        matched = 0.0
        for first, second in pairwise(words):
            if first + second in joined and (first in apart or second in apart):
                joined.remove(first + second)
                for word in (first, second):
                    if word in apart:
                        apart.remove(word)
                matched += self._weight(first + second, 1.0)
                found[GLUED] = found.get(GLUED, 0.0) + 1.0
        return matched

    def _pair(self, word: str, part: str, like: Likeness, found: Features) -> float:
        """Put down that `word` stands for `part`; the weight that matches."""
        weight = self._weight(part, 1.0)
        if like.how != EDITED:
            feature = _HOW[like.how]
            found[feature] = found.get(feature, 0.0) + 1.0
            return weight if like.how == EQUIVALENT else weight * min(1.0, len(word) / len(part))
        found[SLIPS] = found.get(SLIPS, 0.0) + like.slips
        found[EDITS] = found.get(EDITS, 0.0) + like.edits
        found[EDIT_SHARE] = found.get(EDIT_SHARE, 0.0) + (like.slips + like.edits) / len(part)
        found[EDIT_KNOWN] = found.get(EDIT_KNOWN, 0.0) + math.log1p(self._frequency(word))
        return weight

    def _edited_alone(self, asked: NameAsked, parts: Sequence[str], found: Features) -> None:
        """Put down the edits of a name whose other words are none, or common ones."""
        exact = sum([self._weights[word] for word in asked.words if word in parts])
        if exact < 1.0:
            found[EDIT_ALONE] = (found[SLIPS] + found[EDITS]) * (1.0 - exact)


def _compare_forms(asked: str, known: str, found: Features) -> None:
    """Put down whether two legal forms agree; neither where one is the other with something added (`sa`, `sa-de-cv`)."""
    if asked == known:
        found[FORM_AGREES] = 1.0
    elif not (asked.startswith(known + "-") or known.startswith(asked + "-")):
        found[FORM_DIFFERS] = 1.0
