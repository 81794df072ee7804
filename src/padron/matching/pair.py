"""Comparison of two names: how likely they are one company's, whichever of the two comes first.

Ranking asks which company of a directory a text means; two names have no directory beside them. Their log-odds are a
sum of parts set by judgment, each with its reason. What only one name has costs: a word, a number, a country. What
tells sister companies apart (another number, country, legal form or word) is a ceiling, however many words agree.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import reduce
from itertools import pairwise, product
from operator import attrgetter, or_
from typing import Final, NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA

from padron.countries.country import Country
from padron.index.document import telling_forms
from padron.index.spelling import ABBREVIATED, EDITED, Likeness, alike, glued, initials, numeral, written_numbers
from padron.matching.compare import form_feature
from padron.matching.features import (
    ABBREVIATION,
    ALTERNATIVE_NAME,
    CONNECTIVES_DIFFER,
    CONNECTIVES_SWAPPED,
    EDIT_SHARE,
    EDITS,
    EQUIVALENCE,
    EXTRA_ANY,
    EXTRA_VAGUE,
    FORM_AGREES,
    FORM_DIFFERS,
    FORMAL_WORDS,
    GLUED,
    INITIALS,
    MATCHED,
    MISSING_ANY,
    NUMBER_DIFFERS,
    NUMBER_OMITTED,
    OTHER_COUNTRY,
    OTHER_ORDER,
    PRIOR,
    SAME_NAME,
    Features,
)
from padron.matching.query import GENERIC
from padron.text import FormTable, fold, is_placeholder, name_core, name_key, split_folded

_PARTS: Final[Features] = {
    PRIOR: 2.0,
    SAME_NAME: 0.5,
    MATCHED: 1.7,
    FORM_AGREES: 0.4,
    GLUED: -0.4,
    EQUIVALENCE: -0.4,
    OTHER_ORDER: -0.5,
    CONNECTIVES_DIFFER: -0.3,
    CONNECTIVES_SWAPPED: -2.5,
    ALTERNATIVE_NAME: -0.5,
    FORMAL_WORDS: -1.0,
    EXTRA_VAGUE: -1.2,
    ABBREVIATION: -2.0,
    EXTRA_ANY: -3.0,
    EDIT_SHARE: -6.0,
    EDITS: -1.0,
}
"""Log-odds that a unit of each feature adds."""

_CEILINGS: Final[Features] = {
    INITIALS: 1.5,
    EXTRA_ANY: 1.5,
    NUMBER_OMITTED: 0.5,
    NUMBER_DIFFERS: -1.0,
    OTHER_COUNTRY: -0.5,
    FORM_DIFFERS: -1.5,
    MISSING_ANY: -2.0,
}
"""The most that the log-odds can be with each feature: initials and a number left out leave doubt at best."""

_ARTICLES: Final = frozenset({"el", "la", "los", "las", "the"})
_REPLACED: Final = -5.0
"""Log-odds added to the ceiling of `MISSING_ANY` where every word is another."""
_WEIGHT_CAP: Final = 3.0
"""Total IDF weight that counts, at most."""
_MOST_WORDS: Final = 24
"""Words of a name that are compared; no company's name has more."""
_LONGEST_FORM: Final = 8
"""Words of a legal form that is written out, at most."""
_LONG_FORM: Final = 9
"""Letters of a legal form from which on it may be misspelt."""


class Pair(NamedTuple):
    """Two names compared.

    Attributes:
        log_odds: The log-odds that they are one company's.
        parts: The part of the log-odds that each feature adds; the same for either order of the names.
        lacking: Whether the second name lacks a word of the first.
        surplus: Whether the second name has a word that the first lacks.
    """

    log_odds: float
    parts: Features
    lacking: bool = False
    surplus: bool = False

    def explanations(self) -> dict[str, float]:
        """Return the parts that are not 0, the largest first."""
        rounded = [(feature, round(part, 4)) for feature, part in self.parts.items()]
        return dict(sorted([item for item in rounded if item[1]], key=lambda item: (-abs(item[1]), item[0])))

    def sides(self) -> Features:
        """Return the features, with a word that only one name has as the sentence on the second name tells it."""
        features = {feature: part for feature, part in self.parts.items() if feature not in {MISSING_ANY, EXTRA_ANY}}
        return features | ({MISSING_ANY: 1.0} if self.lacking else {}) | ({EXTRA_ANY: 1.0} if self.surplus else {})


class _Reading(NamedTuple):
    """One way to tell the legal form from the name. `doubts` are the features that this way of reading costs."""

    words: tuple[str, ...]
    core: tuple[str, ...]
    forms: frozenset[str]
    doubts: tuple[str, ...] = ()


_UNLIKE: Final = Pair(-9.0, {MISSING_ANY: -9.0})


class PairComparer:
    """Comparer of two names by the legal forms and countries of a registry and the IDF weights of one index."""

    def __init__(self, registry: Mapping[str, Country], idf: Callable[[str, float], float]) -> None:
        self._idf = idf
        self._any_forms = reduce(or_, (country.forms for country in registry.values()))
        self._forms = {code: country.forms | self._any_forms for code, country in registry.items()}
        words = [word for country in registry.values() for word in (*country.name, *country.demonyms)]
        self._countries = {*map(fold, words)}
        self._long_forms = [spelling for spelling in self._any_forms.codes if len(spelling) >= _LONG_FORM]

    def compare(self, a: str, b: str, country: str | None = None) -> Pair:
        """Return how likely two names are one company's, by the readings that agree best.

        Args:
            country: The country whose legal forms apply first.
        """
        forms = self._forms[country] if country else self._any_forms
        first, second = sorted((a, b), key=fold)
        pairs = product(self._readings(first, forms), self._readings(second, forms))
        compared = (self._compare(a, b) for a, b in pairs if not ALTERNATIVE_NAME in a.doubts == b.doubts)
        pair = max(compared, key=attrgetter("log_odds"), default=_UNLIKE)
        return pair if first is a else pair._replace(lacking=pair.surplus, surplus=pair.lacking)

    def _readings(self, name: str, forms: FormTable) -> list[_Reading]:
        """Return the ways to read a name: its legal form at the end, in front, or before an acronym."""
        parts = written_numbers(fold(name).split())[:_MOST_WORDS]
        if is_placeholder(parts):
            return []
        front = _form_in_front(parts, forms)
        written_out = front > 1
        codes = (forms.codes["".join(parts[:front])],) if front else ()
        if written_out:
            parts = parts[front:]
        named = split_folded(self._with_form_spelt(parts), forms, acronyms=True)
        whole = named.core + named.acronym
        codes_of_name = named.forms + codes if written_out else named.forms
        readings = [_reading(whole, codes_of_name)]
        if named.acronym and not any(word in self._countries or numeral(word) for word in named.acronym):
            readings += [_reading(named.core, codes_of_name), _reading(named.acronym, (), (ALTERNATIVE_NAME,))]
        if front == 1 and len(whole) > 1:
            readings.append(_reading(whole[1:], named.forms + codes, (FORMAL_WORDS,)))
        return readings

    def _with_form_spelt(self, parts: list[str]) -> list[str]:
        """Return a name with the legal form at its end corrected if one letter is wrong: `Joint Stock Compan`."""
        for at in range(max(1, len(parts) - _LONGEST_FORM), len(parts)):
            compact = "".join(parts[at:])
            if (
                len(compact) >= _LONG_FORM
                and compact.isalpha()  # the number of a company is no wrong letter
                and (near := process.extractOne(compact, self._long_forms, scorer=OSA.distance, score_cutoff=1))
            ):
                return [*parts[:at], near[0]]
        return parts

    def _compare(self, a: _Reading, b: _Reading) -> Pair:
        weight = self._weight
        alignment = _Alignment(a, b, weight)
        features, lacking, surplus = alignment.features, alignment.left, alignment.right
        for doubt in (*a.doubts, *b.doubts):
            if doubt != FORMAL_WORDS or a.forms.isdisjoint(b.forms):
                features[doubt] = features.get(doubt, 0.0) + 1.0
        if a.forms and b.forms and (feature := form_feature(a.forms, " ".join(sorted(b.forms)))):
            features[feature] = 1.0
        self._set_left_over(lacking, surplus, features)
        features[MATCHED] = min(_WEIGHT_CAP, alignment.matched)
        whole = sum(map(weight, {*a.words, *b.words})) or 1.0
        replaced = sum(map(weight, (*lacking, *surplus))) / whole if MISSING_ANY in features else 0.0
        return _added_up(features, replaced, bool(lacking), bool(surplus))

    def _weight(self, word: str) -> float:
        """Return the IDF weight of a word; a legal form among the words is no evidence."""
        return 0.0 if word in self._any_forms.codes else self._idf(word, 1.0)

    def _set_left_over(self, lacking: Collection[str], surplus: Collection[str], features: Features) -> None:
        """Set the features of the words that only one of the names has."""
        ours, theirs = self._by_kind(lacking), self._by_kind(surplus)
        for feature, omitted in ((NUMBER_DIFFERS, NUMBER_OMITTED), (OTHER_COUNTRY, OTHER_COUNTRY)):
            sides = (feature in ours) + (feature in theirs)
            if sides:
                features[feature if sides == 2 else omitted] = 1.0
        if MISSING_ANY in ours and MISSING_ANY in theirs:
            features[MISSING_ANY] = 1.0
        elif others := ours.get(MISSING_ANY) or theirs.get(MISSING_ANY):
            features[EXTRA_ANY] = 0.5 + sum(map(self._weight, others))
        for feature in (FORMAL_WORDS, EXTRA_VAGUE):
            if feature in ours or feature in theirs:
                features[feature] = features.get(feature, 0.0) + 1.0

    def _by_kind(self, words: Iterable[str]) -> dict[str, list[str]]:
        """Group words that the other name lacks by the feature that this has."""
        groups: dict[str, list[str]] = {}
        for word in words:
            if any(map(str.isdigit, word)):
                feature = NUMBER_DIFFERS
            elif word in self._countries:
                feature = OTHER_COUNTRY
            elif word in self._any_forms.codes:
                feature = FORMAL_WORDS
            else:
                feature = EXTRA_VAGUE if word in GENERIC else MISSING_ANY
            groups.setdefault(feature, []).append(word)
        return groups


class _Alignment:
    """The words of two readings paired with one another; `left` and `right` are the words that have no partner."""

    def __init__(self, a: _Reading, b: _Reading, weight: Callable[[str], float]) -> None:
        self._weight = weight
        self.features: Features = {}
        self.left = [word for word in a.words if word not in b.words]
        self.right = [word for word in b.words if word not in a.words]
        self.matched = sum(map(weight, {*a.words}.intersection(b.words)))
        if a.words == b.words:
            self.features[SAME_NAME] = 1.0
            if a.core != b.core:
                self.features[_connectives(a, b)] = 1.0
        elif "".join(a.core) == "".join(b.core):
            self._pair_all(a, b, GLUED)
        elif _initials_of(a, b) or _initials_of(b, a):
            self._pair_all(a, b, INITIALS)
        elif self.left and self.right:
            self._unglue(a.words, self.left, self.right)
            self._unglue(b.words, self.right, self.left)
            self._pair_alike()
        elif not self.left and not self.right:
            self.features[OTHER_ORDER] = 1.0

    def _pair_all(self, a: _Reading, b: _Reading, feature: str) -> None:
        self.matched = max(sum(map(self._weight, a.words)), sum(map(self._weight, b.words)))
        self.left, self.right = [], []
        self.features[feature] = 1.0

    def _unglue(self, words: Sequence[str], apart: list[str], joined: list[str]) -> None:
        """Pair two neighbours of `words` with the two glued together."""
        for first, second in pairwise(words):
            whole = next(filter(joined.__contains__, glued(first, second)), None)
            if whole and first in apart and second in apart:
                joined.remove(whole)
                apart.remove(first)
                apart.remove(second)
                self.matched += self._weight(whole)
                self._add(GLUED, 1.0)

    def _pair_alike(self) -> None:
        """Pair words that differ in writing, the likest first."""
        pairs = [
            (likeness, sorted((word, other)), word, other)
            for word, other in product({*self.left}, {*self.right})
            if (likeness := _likeness(word, other))
        ]
        for likeness, _, word, other in sorted(pairs):
            if word in self.left and other in self.right:
                self.left.remove(word)
                self.right.remove(other)
                self._pair(word, other, likeness)

    def _pair(self, word: str, other: str, likeness: Likeness) -> None:
        """Add the features of a word that stands for another."""
        weight = min(self._weight(word), self._weight(other))
        if likeness.how == EDITED:
            edits = likeness.slips + likeness.edits
            self._add(EDIT_SHARE, edits / max(len(word), len(other)))
            self._add(EDITS, max(0.0, edits - 1.0))
        elif likeness.how == ABBREVIATED:
            weight *= min(len(word), len(other)) / max(len(word), len(other))
            self._add(ABBREVIATION, 1.0 + max(0.0, 1.0 - self.matched))
        else:
            self._add(EQUIVALENCE, 1.0)
        self.matched += weight

    def _add(self, feature: str, value: float) -> None:
        self.features[feature] = self.features.get(feature, 0.0) + value


def _reading(core: tuple[str, ...], codes: Iterable[str], doubts: tuple[str, ...] = ()) -> _Reading:
    core = tuple(name_core(core).split())
    words = name_key(core).split()
    numbers = [numeral(word) if len(word) > 1 or 0 < at == len(words) - 1 else None for at, word in enumerate(words)]
    return _Reading(
        tuple([number or word for word, number in zip(words, numbers, strict=True)]),
        core,
        frozenset(telling_forms(codes)),
        doubts,
    )


def _form_in_front(parts: Sequence[str], forms: FormTable) -> int:
    """Return the number of words in front that spell the longest legal form; never all words."""
    counts = range(min(_LONGEST_FORM, len(parts) - 1), 0, -1)
    return next((count for count in counts if "".join(parts[:count]) in forms.codes), 0)


def _initials_of(short: _Reading, long: _Reading) -> bool:
    return len(short.words) == 1 and short.words[0] == initials(long.words)


def _connectives(a: _Reading, b: _Reading) -> str:
    """Return the feature of different connectives: they tell much beside a single word, `El Tiempo` and `A Tiempo`."""
    return CONNECTIVES_SWAPPED if len(a.words) == 1 and not {*a.core} ^ {*b.core} <= _ARTICLES else CONNECTIVES_DIFFER


def _likeness(word: str, other: str) -> Likeness | None:
    """Return how alike two words are, whichever is the right one; one letter is no abbreviation."""
    both = [*alike(word, {other}, last=False).values(), *alike(other, {word}, last=False).values()]
    return min((likeness for likeness in both if len(word) > 1 < len(other)), default=None)


def _added_up(features: Features, replaced: float, lacking: bool, surplus: bool) -> Pair:
    """Return the sum of the parts, under the ceilings; what a ceiling takes is the part of its feature."""
    features[PRIOR] = 1.0
    parts = {feature: _PARTS[feature] * value for feature, value in features.items() if feature in _PARTS}
    log_odds = sum(parts.values())
    for feature in sorted(features.keys() & _CEILINGS.keys(), key=lambda feature: -_CEILINGS[feature]):
        ceiling = _CEILINGS[feature] + (_REPLACED * replaced if feature == MISSING_ANY else 0.0)
        excess = max(0.0, log_odds - ceiling)
        parts[feature] = parts.get(feature, 0.0) - excess
        log_odds -= excess
    return Pair(log_odds, parts, lacking, surplus)
