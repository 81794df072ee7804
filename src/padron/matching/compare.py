"""One name asked for against the names of companies: the features of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final

from padron.index.document import ALTERNATIVE, FORMER, TICKER, TRADE, StoredName
from padron.index.spelling import (
    ABBREVIATED,
    EDITED,
    EQUIVALENT,
    UNFINISHED,
    Likeness,
    alike,
    glued,
    initials,
    numeral,
)
from padron.matching.features import (
    ABBREVIATION,
    ABBREVIATION_ALONE,
    ALTERNATIVE_NAME,
    BEGINNING,
    BRIEF,
    COMMON_WORD,
    CONNECTIVES_DIFFER,
    CONNECTIVES_SWAPPED,
    EDIT_ALONE,
    EDIT_KNOWN,
    EDIT_SHARE,
    EDITS,
    EQUIVALENCE,
    EQUIVALENCE_ALONE,
    EXTRA,
    EXTRA_ANY,
    EXTRA_VAGUE,
    FORM_AGREES,
    FORM_DIFFERS,
    FORMAL_WORDS,
    FORMER_NAME,
    GENERIC_WORDS,
    GLUED,
    INITIALS,
    INSIDE,
    MATCHED,
    MINOR_SYMBOL,
    MISSING_ANY,
    MISSING_KNOWN,
    NATIONAL,
    NUMBER_DIFFERS,
    NUMBER_OMITTED,
    OF_STAFF,
    OTHER_COUNTRY,
    OTHER_ORDER,
    PLACE_AGREES,
    PRIOR,
    SAME_NAME,
    SLIPS,
    TICKER_NAME,
    TRADE_NAME,
    UNFINISHED_ALONE,
    UNFINISHED_KNOWN,
    UNFINISHED_WORD,
    Features,
)
from padron.matching.query import GENERIC, NameAsked, Query
from padron.text import CONNECTIVES

_STAFF: Final = frozenset(
    "empleados empregados funcionarios servidores trabajadores trabalhadores obreros jubilados pensionados aposentados"
    " profesores professores docentes maestros employees".split()
)
_SHARES: Final = frozenset({"inc", "corp", "pbc"})
_KIND: Final = {TRADE: TRADE_NAME, FORMER: FORMER_NAME, ALTERNATIVE: ALTERNATIVE_NAME, TICKER: TICKER_NAME}
_HOW: Final = {EQUIVALENT: EQUIVALENCE, ABBREVIATED: ABBREVIATION, UNFINISHED: UNFINISHED_WORD}
_EXTRA_COSTS: Final = 0.35
_ALIKE_GAINS: Final = 0.7
_BRIEF: Final = 4
_COMMON: Final = 0.61
"""Rarity of a word that 200 of 127,778 companies have in their names."""
_ARTICLES: Final = frozenset("el la los las o os as".split())
_LEFT_OUT: Final = _ARTICLES.union("de del da do dos das du of com".split())
"""What people do not type of a name: `prati` for `De Prati`, `amazon` for `AMAZON COM INC`."""
_TELLING: Final = 0.9
"""Rarity of a word that 8 of 127,778 companies have: rarer ones name a company rather than its kind."""
_MOST_MATTER: Final = 3.0
"""Beyond three rare words more of them say nothing new."""


class Comparer:
    """Compares names of companies with what one query asks for.

    `names` are all those names: which of their words are like a word asked is found out once, not name by name, and
    only among the names that lack that word. `weight(word, 1.0)` is the rarity of a word, `frequency(word)` the number
    of companies that have it in a name. `everywhere`: no country was asked for, nor named in the text.
    """

    def __init__(
        self,
        query: Query,
        names: Sequence[StoredName],
        weight: Callable[[str, float], float],
        frequency: Callable[[str], int],
    ) -> None:
        self._query = query
        self.everywhere = query.country is None and not query.pointed
        self._names = names
        self._weight = weight
        self._frequency = frequency
        self._likenesses: dict[str, dict[str, Likeness]] = {}
        self._lacks: dict[tuple[str, ...], Features] = {}
        self._readings = {name.key: name for name in query.names.values()}
        self._weights = {word: weight(word, 1.0) for name in self._readings.values() for word in name.words}

    def estimates(self) -> list[float]:
        """About how well each name fits; only good for choosing which names to compare in full."""
        weight = self._weight
        gains = {part: -_EXTRA_COSTS * weight(part, 1.0) for part in self._strange}
        for word in self._weights:
            for part in self._alike(word):
                gains[part] = _ALIKE_GAINS * weight(part, 1.0)
        gains |= self._weights
        gain = gains.__getitem__
        return [sum(map(gain, parts)) for parts in self._parts]

    @cached_property
    def _parts(self) -> list[list[str]]:
        """The words of each name."""
        return [name.words.split() for name in self._names]

    @cached_property
    def _strange(self) -> set[str]:
        """The words of all names that were not asked."""
        return set[str]().union(*self._parts).difference(self._weights)

    @cached_property
    def _last(self) -> set[str]:
        """The words asked that may be unfinished."""
        return {name.words[-1] for name in self._readings.values() if name.words}

    @cached_property
    def _totals(self) -> dict[str, float]:
        """What the words of each reading weigh."""
        weights = self._weights
        return {key: sum([weights[word] for word in name.words]) for key, name in self._readings.items()}

    def _alike(self, word: str) -> dict[str, Likeness]:
        """The words of names lacking a word asked that it may stand for."""
        known = self._likenesses.get(word)
        if known is None:
            lacking = [parts for parts in self._parts if word not in parts]
            strange = self._strange
            if len(lacking) < len(self._parts):
                strange = set[str]().union(*lacking).difference(self._weights)
            known = self._likenesses[word] = alike(word, strange, last=word in self._last) if strange else {}
        return known

    def features(self, country: str, name: StoredName, places: str, names: Iterable[StoredName]) -> Features:
        """The features of one name of a company of `country`.

        `places` are the folded names of its municipality and region, `names` all its names.
        """
        asked = self._query.names[country]
        found: Features = {PRIOR: 1.0}
        if asked.forms and (verdict := _forms_verdict(asked.forms, names)):
            found[verdict] = 1.0
        if name.kind:
            found[_KIND[name.kind]] = 1.0
            if name.kind == TICKER and asked.forms:
                found[MINOR_SYMBOL] = 1.0
        if name.words == asked.key:
            found[SAME_NAME] = 1.0
            found[MATCHED] = min(_MOST_MATTER, self._totals[asked.key])
            if (name.core or name.words) != asked.core:
                _set_connectives(asked, name.core or name.words, found)
        else:
            self._compare_words(asked, name, country, places, found)
        if FORM_AGREES not in found and not (SAME_NAME in found and len(asked.words) > 1):
            self._set_common(asked, places, found)
        return found

    def _set_common(self, asked: NameAsked, places: str, found: Features) -> None:
        """Put down that all that was asked is a word of very many names, or the place where the company is."""
        telling = asked.bag - self._query.loose
        if len(telling) == 1 and any(self._weights[word] < _COMMON or word in places.split() for word in telling):
            found[COMMON_WORD] = 1.0

    def _compare_words(self, asked: NameAsked, name: StoredName, country: str, places: str, found: Features) -> None:
        """Put down what agrees and what does not between two names that are not the same."""
        if len(asked.key) <= _BRIEF:
            found[BRIEF] = 1.0
        parts, bag = name.words.split(), asked.bag
        extra = [part for part in parts if part not in bag]
        left = [word for word in asked.words if word not in parts]
        matched = self._totals[asked.key]
        if left:
            if len(asked.words) == 1 and len(asked.key) <= len(parts) and asked.key == initials(parts):
                found[INITIALS] = 1.0
                return
            weights = self._weights
            matched -= sum([weights[word] for word in left])
            if extra:
                exact = sum([self._weights[word] for word in bag.difference(left, self._query.loose)])
                matched += self._align(asked, name, parts, left, extra, found)
                _set_alone(exact, found)
        elif len(bag) > 1 and [part for part in parts if part in bag] != list(asked.words):
            found[OTHER_ORDER] = 1.0
        if matched:
            found[MATCHED] = min(_MOST_MATTER, matched)
        if left:
            self._set_missing(country, places, left, found)
        if extra:
            self._set_extra(extra, country, found)
            self._set_around(asked, name.core or name.words, found)

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
        if (name.core or name.words).replace(" ", "") == asked.letters:
            matched = sum([self._weight(part, 1.0) for part in extra])
            left.clear()
            extra.clear()
            found[GLUED] = 1.0
            return matched
        matched = self._unglue(asked.words, left, extra, found) + self._unglue(parts, extra, left, found)
        for word in tuple(left):
            known = self._alike(word)
            if known and (pairs := [(known[part], part) for part in extra if part in known]):
                like, part = min(pairs)
                left.remove(word)
                extra.remove(part)
                matched += self._pair(word, part, like, found)
        return matched

    def _unglue(self, words: Sequence[str], apart: list[str], joined: list[str], found: Features) -> float:
        """Pair two neighbours of `words`, one of them in `apart`, with the one word of `joined` they are written as."""
        matched = 0.0
        for first, second in pairwise(words):
            if first not in apart and second not in apart:
                continue
            if whole := next((word for word in glued(first, second) if word in joined), None):
                joined.remove(whole)
                for word in {first, second}.intersection(apart):
                    apart.remove(word)
                matched += self._weight(whole, 1.0)
                found[GLUED] = found.get(GLUED, 0.0) + 1.0
                if whole != first + second:
                    found[EQUIVALENCE] = found.get(EQUIVALENCE, 0.0) + 1.0
        return matched

    def _pair(self, word: str, part: str, like: Likeness, found: Features) -> float:
        """Put down that `word` stands for `part`; the weight that matches."""
        weight = self._weight(part, 1.0)
        if like.how == EDITED:
            found[SLIPS] = found.get(SLIPS, 0.0) + like.slips
            found[EDITS] = found.get(EDITS, 0.0) + like.edits
            found[EDIT_SHARE] = found.get(EDIT_SHARE, 0.0) + (like.slips + like.edits) / len(part)
            found[EDIT_KNOWN] = found.get(EDIT_KNOWN, 0.0) + math.log1p(self._frequency(word))
            return weight
        feature = _HOW[like.how]
        found[feature] = found.get(feature, 0.0) + 1.0
        if feature == UNFINISHED_WORD:
            found[UNFINISHED_KNOWN] = math.log1p(self._frequency(word))
        return weight if like.how == EQUIVALENT else weight * min(1.0, len(word) / len(part))

    def _set_missing(self, country: str, places: str, left: Sequence[str], found: Features) -> None:
        """Put down the words asked that the name lacks: the company's place, or what they are to every company."""
        pointed = self._query.pointed
        lacking = []
        for word in left:
            if pointed.get(word) == country or (word in places and word in places.split()):
                found[PLACE_AGREES] = 1.0
            else:
                lacking.append(word)
        words = tuple(lacking)
        known = self._lacks.get(words)
        if known is None:
            known = self._lacks[words] = self._lacking(words)
        found |= known

    def _lacking(self, words: Iterable[str]) -> Features:
        """The features of a name that lacks `words`: another country, vague words, or a real lack."""
        query = self._query
        found: Features = {}
        for word in words:
            if word in query.pointed:
                found[OTHER_COUNTRY] = 1.0
            elif word in query.loose:
                found[GENERIC_WORDS] = 1.0
            elif word in query.formal:
                found[FORMAL_WORDS] = 1.0
            else:
                found[MISSING_ANY] = 1.0
                if self._frequency(word):
                    found[MISSING_KNOWN] = found.get(MISSING_KNOWN, 0.0) + 1.0
                if numeral(word):
                    found[NUMBER_DIFFERS] = 1.0
        return found

    def _set_extra(self, extra: Sequence[str], country: str, found: Features) -> None:
        """Put down the words of the name that were not asked for."""
        query = self._query
        weight = self._weight
        surplus = sum([weight(part, 1.0) for part in extra])
        found[EXTRA] = min(_MOST_MATTER, surplus)
        found[EXTRA_ANY] = 1.0
        if GENERIC.issuperset(extra):
            found[EXTRA_VAGUE] = 1.0
        elif not query.country and MISSING_ANY not in found and query.own[country].issuperset(extra):
            found[NATIONAL] = 1.0
        if NUMBER_DIFFERS not in found and any(map(numeral, extra)):
            found[NUMBER_OMITTED] = 1.0

    def _set_around(self, asked: NameAsked, core: str, found: Features) -> None:
        """Put down where in a longer name what was asked stands.

        At its beginning, behind the words for a staff, or behind a telling word: `Urbanizadora Naciones Unidas`. One
        word may stand last behind such, as the by-names that companies coin do: `Prerio Predial Riachuelo`.
        """
        if core.startswith(asked.core):
            found[BEGINNING] = 1.0
            return
        before, stands, after = f"{core} ".partition(f" {asked.core} ")
        words = before.split()
        if stands and not _STAFF.isdisjoint(words[-3:]):
            found[OF_STAFF] = 1.0
        elif stands and (after or len(asked.words) > 1) and any(self._weight(word, 1.0) >= _TELLING for word in words):
            found[INSIDE] = 1.0


def _set_connectives(asked: NameAsked, core: str, found: Features) -> None:
    """Put down that a name is the same but for words such as `de`: the fewer the others are, the more these tell."""
    found[CONNECTIVES_DIFFER] = 1.0
    if len(asked.key) <= _BRIEF:
        found[BRIEF] = 1.0
    words, others = CONNECTIVES.intersection(asked.core.split()), CONNECTIVES.intersection(core.split())
    more, lacking = words - others, others - words
    if len(asked.words) == 1 and (more - _ARTICLES or lacking - _LEFT_OUT or (more and lacking)):
        found[CONNECTIVES_SWAPPED] = 1.0


def _set_alone(exact: float, found: Features) -> None:
    """Put down what is not to the letter in a name of which only the weight `exact` is."""
    if exact < 1.0:
        if EDIT_SHARE in found:
            found[EDIT_ALONE] = found[EDIT_SHARE] * (1.0 - exact)
        if EQUIVALENCE in found:
            found[EQUIVALENCE_ALONE] = 1.0 - exact
        if ABBREVIATION in found:
            found[ABBREVIATION_ALONE] = 1.0 - exact
        if UNFINISHED_WORD in found:
            found[UNFINISHED_ALONE] = 1.0 - exact


def _forms_verdict(asked: frozenset[str], names: Iterable[StoredName]) -> str | None:
    """What the legal forms of a name asked show beside those of a company's names; None: nothing."""
    verdicts = {_form_verdict(asked, name.forms) for name in names if name.forms}
    if FORM_AGREES in verdicts:
        return FORM_AGREES
    return FORM_DIFFERS if verdicts == {FORM_DIFFERS} else None


@lru_cache(maxsize=4096)
def _form_verdict(asked: frozenset[str], stated: str) -> str | None:
    """Forms differ when each side has one that the other lacks; nothing differs where one only has more (`sa bic`)."""
    known = set(stated.split())
    if any(not _has_kin(form, known) for form in asked) and any(not _has_kin(form, asked) for form in known):
        return FORM_DIFFERS
    return None if asked.isdisjoint(known) else FORM_AGREES


def _has_kin(form: str, others: AbstractSet[str]) -> bool:
    """Whether one of `others` is `form`, or one of the two is the other with something added (`sa`, `sa-de-cv`).

    A share company of the United States is called by one of `_SHARES` as well as by another.
    """
    if form in _SHARES and not _SHARES.isdisjoint(others):
        return True
    return any(form == other or form.startswith(other + "-") or other.startswith(form + "-") for other in others)
