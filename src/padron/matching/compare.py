"""Comparison of the name in a query with the names of companies: the features of each candidate."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from padron.index.document import ALTERNATIVE, DOUBTFUL, FORMER, KNOWN_AS, TICKER, TRADE, StoredName
from padron.index.spelling import (
    ABBREVIATED,
    EDITED,
    EQUIVALENT,
    UNFINISHED,
    Likeness,
    alike,
    glued,
    initials,
    is_acronym,
    numeral,
)
from padron.index.tags import stem
from padron.matching.features import (
    ABBREVIATION,
    ABBREVIATION_ALONE,
    ABOUT_ANOTHER,
    ABROAD,
    ACRONYM_AGREES,
    ACTIVITY_AGREES,
    ACTIVITY_DIFFERS,
    ALTERNATIVE_NAME,
    ANOTHERS_NAME,
    BEGINNING,
    BRIEF,
    BY_NAME,
    CARRIERS,
    COMMON_WORD,
    COMMON_WORDS,
    CONNECTIVES_DIFFER,
    CONNECTIVES_SWAPPED,
    DOCUMENT_WORDS,
    DOUBTFUL_NAME,
    EDIT_ALONE,
    EDIT_FORM,
    EDIT_KNOWN,
    EDIT_SHARE,
    EDITS,
    EQUIVALENCE,
    EQUIVALENCE_ALONE,
    EXTRA,
    EXTRA_ANY,
    EXTRA_DESCRIBING,
    EXTRA_OWN,
    EXTRA_VAGUE,
    FORM_AGREES,
    FORM_DIFFERS,
    FORMAL_QUERY,
    FORMAL_WORDS,
    FORMER_NAME,
    GENERIC_WORDS,
    GLUED,
    INEXACT,
    INITIALS,
    INSIDE,
    LABEL_WORDS,
    MATCHED,
    MATCHED_CARRIERS,
    MINOR_SYMBOL,
    MISSING_ANY,
    MISSING_DESCRIBING,
    MISSING_FIRST,
    MISSING_KNOWN,
    MISSING_UNKNOWN,
    NATIONAL,
    NUMBER_DIFFERS,
    NUMBER_OMITTED,
    OF_STAFF,
    OTHER_COUNTRY,
    OTHER_NAME_AGREES,
    OTHER_ORDER,
    OTHER_PLACE,
    PARTED,
    PLACE_AGREES,
    PRIOR,
    QUERY_WORDS,
    SAME_NAME,
    SCATTERED,
    SLIPS,
    TICKER_NAME,
    TRADE_NAME,
    TRADE_OF_NAME,
    UNFINISHED_ALONE,
    UNFINISHED_KNOWN,
    UNFINISHED_WORD,
    WITHIN,
    WITHIN_CARRIERS,
    Features,
)
from padron.matching.query import GENERIC, NameReading, Query
from padron.matching.trades import describes
from padron.text import CONNECTIVES

_STAFF: Final = frozenset(
    "empleados empregados funcionarios servidores trabajadores trabalhadores obreros jubilados pensionados aposentados"
    " profesores professores docentes maestros employees".split()
)
"""Words that name the staff of a company, not the company: `Fondo de Empleados de Ecopetrol`."""
_SHARE_COMPANIES: Final = frozenset({"inc", "corp", "pbc"})
"""Legal forms of the United States that people use for one another."""
_KIND_FEATURES: Final = {
    TRADE: TRADE_NAME,
    FORMER: FORMER_NAME,
    ALTERNATIVE: ALTERNATIVE_NAME,
    TICKER: TICKER_NAME,
    KNOWN_AS: BY_NAME,
    DOUBTFUL: DOUBTFUL_NAME,
}
_LIKENESS_FEATURES: Final = {EQUIVALENT: EQUIVALENCE, ABBREVIATED: ABBREVIATION, UNFINISHED: UNFINISHED_WORD}
_EXTRA_COST: Final = 0.35
"""Part of its IDF weight that an extra word costs in an estimate: extra words are less bad than missing ones are."""
_ALIKE_GAIN: Final = 0.7
"""Part of its IDF weight that a word in another spelling gains in an estimate."""
_BRIEF: Final = 4
"""Letters of a brief query, at most: so few are the beginning or the initials of too many names."""
_COMMON: Final = 0.61
"""IDF weight of a word that 200 companies have in their names."""
_FEW: Final = 3
"""Words of a query, at most, that tell nothing where very many names have each of them."""
_TELLING: Final = 0.7
"""IDF weight of a word from which on it tells a company by itself: common words tell it by their order."""
_VAGUE_EXTRA: Final = GENERIC | {"co", "cia"}
"""Words of a name that tell nothing where the query lacks them."""
_MANY: Final = 4
"""Words of a query that a name lacks and that describe no company: with so many, it is a text rather than a name."""
_LONG_ACRONYM: Final = 6
"""Letters of an acronym that is told by itself (`infonavit`); a shorter one fits too many names."""
_SISTER: Final = re.compile(r"[2-9]|[ivx]{2,5}")
"""The number of a sister company at the end of a text: `Unimed Belém Cooperativa de Trabalho Médico II`."""
_ARTICLES: Final = frozenset("el la los las o os as".split())
_LEFT_OUT: Final = _ARTICLES.union("de del da do dos das du of com".split())
"""Words that people leave out of a name: `prati` for `De Prati`, `amazon` for `AMAZON COM INC`."""
_DISTINCTIVE: Final = 0.9
"""IDF weight of a word that 8 companies have: rarer words name a company rather than its trade."""
_ANYWHERE_RARE: Final = 2.0
"""Weight of a rare word before `growth` of a small directory is added: it is still 1 there."""
_IDF_CAP: Final = 3.0
"""Total IDF weight that counts, at most: further rare words add no evidence after three."""


class ComparedCompany(NamedTuple):
    """A company as its names are compared.

    Attributes:
        country: The country of its register.
        places: The folded names of its municipality and region.
        activity: What its activity is called, as `tags.activity_words`.
        names: All of its names.
    """

    country: str
    places: str
    activity: str
    names: Sequence[StoredName]


class Comparer:
    """Comparison of one query with the names of its candidates.

    The words that are like a word of the query are looked up once for all names, and only among the names that lack
    that word.

    Attributes:
        everywhere: The query has no country filter and names no country.
        countries: The codes of the countries that the query names, covered or not.
    """

    def __init__(
        self,
        query: Query,
        names: Sequence[StoredName],
        idf: Callable[[str, float], float],
        frequency: Callable[[str], int],
        growth: float,
    ) -> None:
        """Prepare the comparison.

        Args:
            names: All the names that will be compared.
            idf: The IDF weight of a word, from 0 for a word of every company to 1; the second argument is the default.
            frequency: The number of companies that have a word in a name.
            growth: What weights lose because the directory is as large as it is: `vocabulary.growth`.
        """
        self._query = query
        self.everywhere = query.country is None and not query.pointed
        self.countries = frozenset(query.pointed.values()).union(*query.context.abroad.values())
        self._names = names
        self._idf = idf
        self._frequency = frequency
        self._growth = growth
        self._likenesses: dict[str, dict[str, Likeness]] = {}
        self._missing: dict[tuple[str, ...], Features] = {}
        self._readings = {reading.key: reading for reading in query.names.values()}
        self._weights = {word: idf(word, 1.0) for reading in self._readings.values() for word in reading.words}
        self.words = frozenset(self._weights)

    def estimates(self) -> list[float]:
        """Return a rough fit of each name; it only serves to choose the names to compare in full."""
        idf = self._idf
        gains = {part: -_EXTRA_COST * idf(part, 1.0) for part in self._other_words}
        for word in self._weights:
            for part in self._alike(word):
                gains[part] = _ALIKE_GAIN * idf(part, 1.0)
        gains |= self._weights
        gain = gains.__getitem__
        return [sum(map(gain, parts)) for parts in self._parts]

    def has_all(self, names: Sequence[StoredName]) -> bool:
        """Return whether one of the names has all words that tell of a reading of the query."""
        return any(words <= set(name.words.split()) for name in names for words in self._telling)

    @cached_property
    def _telling(self) -> list[AbstractSet[str]]:
        """The words of each reading that are no countries, legal forms or generic words."""
        vague = self._query.loose | self._query.formal
        return [words for reading in self._readings.values() if (words := reading.bag - vague)]

    @cached_property
    def _parts(self) -> list[list[str]]:
        """The words of each name."""
        return [name.words.split() for name in self._names]

    @cached_property
    def _other_words(self) -> set[str]:
        """The words of all names that are not in the query."""
        return set[str]().union(*self._parts).difference(self._weights)

    @cached_property
    def _last(self) -> set[str]:
        """The words of the query that may be unfinished."""
        return {reading.words[-1] for reading in self._readings.values() if reading.words}

    @cached_property
    def _totals(self) -> dict[str, float]:
        """The total IDF weight of each reading."""
        weights = self._weights
        return {key: sum([weights[word] for word in reading.words]) for key, reading in self._readings.items()}

    def _alike(self, word: str) -> dict[str, Likeness]:
        """Return the words that `word` may stand for, of the names that lack it."""
        known = self._likenesses.get(word)
        if known is None:
            lacking = [parts for parts in self._parts if word not in parts]
            others = self._other_words
            if len(lacking) < len(self._parts):
                others = set[str]().union(*lacking).difference(self._weights)
            known = self._likenesses[word] = alike(word, others, last=word in self._last) if others else {}
        return known

    def features(self, company: ComparedCompany, name: StoredName) -> Features:
        """Return the features of one name of a company.

        Returns:
            The features that do not depend on other candidates.
        """
        reading = self._query.names[company.country]
        features: Features = {PRIOR: 1.0}
        if len(reading.words) > 1:
            features[QUERY_WORDS] = min(3.0, len(reading.words) - 1)
        if reading.forms:
            features[FORMAL_QUERY] = 1.0
        if reading.forms and (feature := _forms_feature(reading.forms, company.names)):
            features[feature] = 1.0
        if self._query.famous and FORM_AGREES not in features:
            features[ANOTHERS_NAME] = 1.0
        if name.kind:
            features[_KIND_FEATURES[name.kind]] = 1.0
            if name.kind == TICKER and (reading.forms or CONNECTIVES.issuperset(reading.bag)):
                features[MINOR_SYMBOL] = 1.0
        if name.words == reading.key:
            features[SAME_NAME] = 1.0
            features[MATCHED] = min(_IDF_CAP, self._totals[reading.key])
            if (name.core or name.words) != reading.core:
                _set_connectives(reading, name.core or name.words, features)
        else:
            self._compare_words(reading, name, company, features)
        if FORM_AGREES not in features and not (SAME_NAME in features and len(reading.words) > 1):
            self._set_common(reading, company.places, features)
        return features

    @cached_property
    def _contrary(self) -> AbstractSet[str]:
        """The words that point to another company than the one named, wherever they stand."""
        query = self._query
        return query.pointed.keys() | query.context.abroad.keys() | self._another

    @cached_property
    def _another(self) -> AbstractSet[str]:
        """The words by which the query is about another company: for its country, it may ask for a branch."""
        another = self._query.context.another
        return another.keys() if self.everywhere else {word for word, kinds in another.items() if "another" in kinds}

    @cached_property
    def _counts(self) -> dict[str, int]:
        """The number of companies that have each word of the query."""
        return {word: self._frequency(word) for word in self._weights}

    @cached_property
    def _carriers(self) -> dict[str, float]:
        """The logarithm of the number of companies that have the rarest word of each reading."""
        loose = self._query.loose
        return {
            key: math.log1p(min([self._counts[word] for word in reading.words if word not in loose], default=0))
            for key, reading in self._readings.items()
        }

    @cached_property
    def _common(self) -> dict[str, tuple[AbstractSet[str], bool]]:
        """The words that tell of each reading of a few, and whether very many names have each of them."""
        telling = {key: reading.bag - self._query.loose for key, reading in self._readings.items()}
        return {
            key: (words, all(self._weights[word] < _COMMON for word in words))
            for key, words in telling.items()
            if 0 < len(words) <= _FEW
        }

    def _set_common(self, reading: NameReading, places: str, features: Features) -> None:
        """Set the feature of a query that is only a few words of very many names, or the place of the company."""
        words, common = self._common.get(reading.key, (frozenset(), False))
        if common or (words and places and words <= set(places.split())):
            features[COMMON_WORD if len(words) == 1 else COMMON_WORDS] = 1.0

    def _compare_words(
        self, reading: NameReading, name: StoredName, company: ComparedCompany, features: Features
    ) -> None:
        """Set the features of a name whose words are not exactly those of the query."""
        if len(reading.key) <= _BRIEF:
            features[BRIEF] = 1.0
        parts, bag = name.words.split(), reading.bag
        extra = [part for part in parts if part not in bag]
        missing = [word for word in reading.words if word not in parts]
        matched = self._totals[reading.key]
        if missing:
            if len(reading.words) == 1 and len(reading.key) <= len(parts) and reading.key == initials(parts):
                features[INITIALS] = 1.0
                return
            weights = self._weights
            matched -= sum([weights[word] for word in missing])
            if extra and name.kind != TICKER:
                exact = sum([self._weights[word] for word in bag.difference(missing, self._query.loose)])
                matched += self._align(reading, name, parts, missing, extra, features)
                _set_alone(exact, features)
        elif len(bag) > 1 and [part for part in parts if part in bag] != list(reading.words):
            self._set_order(bag, features)
        if matched:
            features[MATCHED] = min(_IDF_CAP, matched)
        if missing:
            parted = not extra and self._set_within(name, company, features)
            self._set_missing(reading, name, company, missing, parted, features)
        if extra:
            self._set_extra(reading, extra, missing, company.country, features)
            self._set_around(reading, name.core or name.words, features)
            if INEXACT.isdisjoint(features):
                features[CARRIERS] = self._carriers[reading.key]

    def _set_order(self, words: Iterable[str], features: Features) -> None:
        """Set the features of the same words in another order: if all are common ones, it is likely another name."""
        features[OTHER_ORDER] = 1.0
        if all(self._weights[word] < _TELLING for word in words):
            features[COMMON_WORD] = 1.0

    def _set_within(self, name: StoredName, company: ComparedCompany, features: Features) -> bool:
        """Set the features of a name that stands in the query in one piece, among other words.

        Return whether its legal form or separators part it from these: then they say little against it.
        """
        context, core = self._query.context, name.core or name.words
        if f" {core} " not in context.core:
            return False
        features[WITHIN] = 1.0
        features[WITHIN_CARRIERS] = math.log1p(min(map(self._frequency, name.words.split())))
        forms = context.before_forms.get(core.rpartition(" ")[2])
        if forms:
            features.pop(FORM_DIFFERS, None)
            if feature := _forms_feature(forms, company.names):
                features[feature] = 1.0
        parted = core in context.segments or bool(forms)
        if parted:
            features[PARTED] = 1.0
        return parted

    def _align(
        self,
        reading: NameReading,
        name: StoredName,
        parts: Sequence[str],
        missing: list[str],
        extra: list[str],
        features: Features,
    ) -> float:
        """Pair words that differ in spelling only, remove them from `missing` and `extra`, and return their weight."""
        if (name.core or name.words).replace(" ", "") == reading.letters:
            matched = sum([self._idf(part, 1.0) for part in extra])
            missing.clear()
            extra.clear()
            features[GLUED] = 1.0
            if len(reading.words) == 1:
                features[CARRIERS] = self._carriers[reading.key]
            return matched
        matched = self._unglue(reading.words, missing, extra, features) + self._unglue(parts, extra, missing, features)
        for word in tuple(missing):
            known = self._alike(word)
            if known and (pairs := [(known[part], part) for part in extra if part in known]):
                likeness, part = min(pairs)
                missing.remove(word)
                extra.remove(part)
                matched += self._pair(word, part, likeness, features)
        return matched

    def _unglue(self, words: Sequence[str], apart: list[str], joined: list[str], features: Features) -> float:
        """Pair two neighbours of `words`, at least one of them in `apart`, with the two glued together in `joined`."""
        matched = 0.0
        for first, second in pairwise(words):
            if first not in apart and second not in apart:
                continue
            if whole := next((word for word in glued(first, second) if word in joined), None):
                joined.remove(whole)
                for word in {first, second}.intersection(apart):
                    apart.remove(word)
                matched += self._idf(whole, 1.0)
                features[GLUED] = features.get(GLUED, 0.0) + 1.0
                if whole != first + second:
                    features[EQUIVALENCE] = features.get(EQUIVALENCE, 0.0) + 1.0
        return matched

    def _pair(self, word: str, part: str, likeness: Likeness, features: Features) -> float:
        """Set the features of `word` standing for `part`, and return the weight that agrees."""
        weight = self._idf(part, 1.0)
        if likeness.how == EDITED:
            features[SLIPS] = features.get(SLIPS, 0.0) + likeness.slips
            features[EDITS] = features.get(EDITS, 0.0) + likeness.edits
            features[EDIT_SHARE] = features.get(EDIT_SHARE, 0.0) + (likeness.slips + likeness.edits) / len(part)
            features[EDIT_KNOWN] = features.get(EDIT_KNOWN, 0.0) + math.log1p(self._frequency(word))
            if FORM_AGREES in features:
                features[EDIT_FORM] = 1.0
            return weight
        feature = _LIKENESS_FEATURES[likeness.how]
        features[feature] = features.get(feature, 0.0) + 1.0
        if feature == UNFINISHED_WORD:
            features[UNFINISHED_KNOWN] = math.log1p(self._frequency(word))
        return weight if likeness.how == EQUIVALENT else weight * min(1.0, len(word) / len(part))

    def _set_missing(
        self,
        reading: NameReading,
        name: StoredName,
        company: ComparedCompany,
        missing: Sequence[str],
        parted: bool,
        features: Features,
    ) -> None:
        """Set the features of the query's words that the name lacks: what they tell of the company, and the others.

        `parted`: a legal form or separators part the name from them.
        """
        if agreeing := reading.bag.intersection(name.words.split()) - self._query.loose:
            features[MATCHED_CARRIERS] = math.log1p(min(map(self._counts.__getitem__, agreeing)))
        lacking = [word for word in missing if not self._agrees(word, reading, name, company, features)]
        if parted:
            sister = _sister(reading.words, company.names)
            lacking = [word for word in lacking if word in self._contrary or word == sister]
        words = tuple(lacking)
        known = self._missing.get(words)
        if known is None:
            known = self._missing[words] = self._missing_features(words)
        features |= known
        if MISSING_ANY in known and lacking[0] == reading.words[0]:
            features[MISSING_FIRST] = 1.0
        if len(lacking) >= _MANY and WITHIN not in features and sum([not describes(word) for word in lacking]) >= _MANY:
            features[SCATTERED] = 1.0

    def _agrees(
        self, word: str, reading: NameReading, name: StoredName, company: ComparedCompany, features: Features
    ) -> bool:
        """Set the feature of a word that agrees with what is known of the company; return whether it does."""
        query, places = self._query, company.places
        if query.pointed.get(word) == company.country or (word in places and word in places.split()):
            features[PLACE_AGREES] = 1.0
            return True
        core = name.core or name.words
        if core[:1] == word[0] and (len(reading.words) > 1 or len(word) >= _LONG_ACRONYM) and is_acronym(word, core):
            features[ACRONYM_AGREES] = 1.0
            return True
        if known := query.context.places.get(word):
            if any(place in places for place in known):
                features[PLACE_AGREES] = 1.0
                return True
            if places:
                features[OTHER_PLACE] = 1.0
        if len(company.names) > 1 and any(
            word in other.words and other is not name and other.words != reading.key and word in other.words.split()
            for other in company.names
        ):
            features[OTHER_NAME_AGREES] = max(features.get(OTHER_NAME_AGREES, 0.0), self._weights.get(word, 1.0))
        else:
            self._set_activity(word, name, company.activity, features)
        return False

    def _set_activity(self, word: str, name: StoredName, activity: str, features: Features) -> None:
        """Set the features of a word that the name lacks, beside the activity of its company and the name's words."""
        terms = self._query.context.activities.get(word)
        if terms:
            if not terms.isdisjoint(map(stem, name.words.split())):
                features[TRADE_OF_NAME] = 1.0
            if activity:
                features[ACTIVITY_DIFFERS if terms.isdisjoint(activity.split()) else ACTIVITY_AGREES] = 1.0
        elif activity and stem(word) in activity.split():
            features[LABEL_WORDS] = max(features.get(LABEL_WORDS, 0.0), self._weights.get(word, 1.0))

    def _missing_features(self, words: Iterable[str]) -> Features:
        """Return the features of a name that lacks `words`, none of which is the place of the company."""
        query = self._query
        features: Features = {}
        for word in words:
            if word in query.context.abroad:
                features[ABROAD] = 1.0
            if word in self._another:
                features[ABOUT_ANOTHER] = 1.0
            if word in query.pointed:
                features[OTHER_COUNTRY] = 1.0
            elif word in query.loose:
                features[GENERIC_WORDS] = 1.0
            elif word in query.context.document:
                features[DOCUMENT_WORDS] = 1.0
            elif word in query.formal:
                features[FORMAL_WORDS] = 1.0
            else:
                features[MISSING_ANY] = 1.0
                kind = self._kind_of_missing(word)
                features[kind] = features.get(kind, 0.0) + 1.0
                if numeral(word):
                    features[NUMBER_DIFFERS] = 1.0
        return features

    def _kind_of_missing(self, word: str) -> str:
        """Return the feature that counts a word which a name lacks."""
        if word in self._query.context.activities or describes(word):
            return MISSING_DESCRIBING
        return MISSING_KNOWN if self._frequency(word) else MISSING_UNKNOWN

    def _set_extra(
        self, reading: NameReading, extra: Sequence[str], missing: Sequence[str], country: str, features: Features
    ) -> None:
        """Set the features of the name's words that the query lacks; `missing` are those that the name lacks."""
        query = self._query
        idf, growth = self._idf, self._growth
        weights = [min(1.0, max(0.0, idf(part, _ANYWHERE_RARE) + growth)) for part in extra]
        features[EXTRA] = min(_IDF_CAP, sum(weights))
        features[EXTRA_ANY] = 1.0
        if _VAGUE_EXTRA.issuperset(extra):
            features[EXTRA_VAGUE] = 1.0
        elif not query.country and MISSING_ANY not in features and query.own[country].issuperset(extra):
            features[NATIONAL] = 1.0
        elif query.own[country].issuperset(extra):
            features[EXTRA_OWN] = 1.0
        elif not describes(reading.key.partition(" ")[0]) and all(
            weight < _COMMON or describes(part) for part, weight in zip(extra, weights, strict=True)
        ):
            features[EXTRA_DESCRIBING] = 1.0
        if NUMBER_DIFFERS not in features and any(map(numeral, extra)):
            features[NUMBER_DIFFERS if any(map(numeral, missing)) else NUMBER_OMITTED] = 1.0

    def _set_around(self, reading: NameReading, core: str, features: Features) -> None:
        """Set the feature of the place that the query has in a longer name.

        At its beginning, behind words for the staff, or behind a distinctive word: `Urbanizadora Naciones Unidas`. A
        single word at the very end is not held to be inside: companies coin such by-names, `Prerio Predial Riachuelo`.
        """
        if core.startswith(reading.core):
            features[BEGINNING] = 1.0
            return
        before, stands, after = f"{core} ".partition(f" {reading.core} ")
        words = before.split()
        if stands and not _STAFF.isdisjoint(words[-3:]):
            features[OF_STAFF] = 1.0
        elif (
            stands and (after or len(reading.words) > 1) and any(self._idf(word, 1.0) >= _DISTINCTIVE for word in words)
        ):
            features[INSIDE] = 1.0


def _set_connectives(reading: NameReading, core: str, features: Features) -> None:
    """Set the features of a name that is the same except connectives: the shorter the name, the more they matter."""
    features[CONNECTIVES_DIFFER] = 1.0
    if len(reading.key) <= _BRIEF:
        features[BRIEF] = 1.0
    words, others = CONNECTIVES.intersection(reading.core.split()), CONNECTIVES.intersection(core.split())
    more, lacking = words - others, others - words
    if len(reading.words) == 1 and (more - _ARTICLES or lacking - _LEFT_OUT or (more and lacking)):
        features[CONNECTIVES_SWAPPED] = 1.0


def _set_alone(exact: float, features: Features) -> None:
    """Set the features of inexact words in a name of which only the IDF weight `exact` agrees letter by letter."""
    if exact < 1.0:
        if EDIT_SHARE in features:
            features[EDIT_ALONE] = features[EDIT_SHARE] * (1.0 - exact)
        if EQUIVALENCE in features:
            features[EQUIVALENCE_ALONE] = 1.0 - exact
        if ABBREVIATION in features:
            features[ABBREVIATION_ALONE] = 1.0 - exact
        if UNFINISHED_WORD in features:
            features[UNFINISHED_ALONE] = 1.0 - exact


def _forms_feature(wanted: frozenset[str], names: Iterable[StoredName]) -> str | None:
    """Return the feature of the legal forms of a query beside those of a company's names, if any."""
    features = {form_feature(wanted, name.forms) for name in names if name.forms}
    if FORM_AGREES in features:
        return FORM_AGREES
    return FORM_DIFFERS if features == {FORM_DIFFERS} else None


def _sister(words: Sequence[str], names: Iterable[StoredName]) -> str | None:
    """Return the number at the end of a query that follows a word of the company: it is of another company."""
    *_, before, last = ("", *words)
    return last if _SISTER.fullmatch(last) and any(before in name.words.split() for name in names) else None


@lru_cache(maxsize=4096)
def form_feature(wanted: frozenset[str], registered: str) -> str | None:
    """Return the feature of two sets of legal forms, if any.

    They differ when each has a form that the other lacks; they do not where one only has more (`sa bic`).
    """
    forms = set(registered.split())
    if any(not _has_kin(form, forms) for form in wanted) and any(not _has_kin(form, wanted) for form in forms):
        return FORM_DIFFERS
    return None if wanted.isdisjoint(forms) else FORM_AGREES


def _has_kin(form: str, others: AbstractSet[str]) -> bool:
    """Return whether one of `others` is `form`, or one of the two is the other with an addition (`sa`, `sa-de-cv`).

    The forms of `_SHARE_COMPANIES` count as one.
    """
    if form in _SHARE_COMPANIES and not _SHARE_COMPANIES.isdisjoint(others):
        return True
    return any(form == other or form.startswith(other + "-") or other.startswith(form + "-") for other in others)
