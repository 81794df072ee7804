"""From text to a query: the number in it, the name asked for as each country reads it, and the country it points to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, reduce
from operator import or_
from typing import NamedTuple

from padron.country import Country
from padron.index.document import ACRONYM_AFTER_FORM, telling_forms
from padron.matching.identifiers import Spotted, Spotter
from padron.text import FormTable, Named, fold, glue_letters, name_core, name_key, split_folded

GENERIC = frozenset(
    "business companhia compania company companies corporacao corporacion corporation empresa empresas enterprise"
    " enterprises entidad entidade entity firm firma group grupo negocio negocios oficial official organizacion"
    " organization register registro sociedad sociedade".split()
)
"""Words people add to a name to say that it is a company's."""


class NameAsked(NamedTuple):
    """The name asked, as one country reads it: meaning words, the same joined, all words joined, legal forms.

    `letters` are those of all words in one piece.
    """

    words: tuple[str, ...]
    bag: frozenset[str]
    key: str
    core: str
    letters: str
    forms: frozenset[str]


class Query(NamedTuple):
    """What a text asks for.

    `names`: the whole text as each country reads it; `around`: likewise the words around the number that was
    `spotted`, None where nothing but countries and generic words are left. `loose`: words that a company's names may
    lack; `formal`: words that are a legal form somewhere. `pointed`: folded word of a country (`brasil`, `peruana`) ->
    its code. `own`: by country, its own words and the generic ones.
    """

    country: str | None
    names: Mapping[str, NameAsked]
    spotted: Spotted | None
    around: Mapping[str, NameAsked] | None
    loose: frozenset[str]
    formal: frozenset[str]
    pointed: Mapping[str, str]
    own: Mapping[str, frozenset[str]]


class Reader:
    """Reads texts by the rules of every country in `registry`."""

    def __init__(self, registry: Mapping[str, Country]) -> None:
        self._registry = registry
        self._countries = list(registry)
        self._codes = {code: country.forms.codes for code, country in registry.items()}
        self._any_code = reduce(or_, (country.forms for country in registry.values())).codes
        self._spellings = FormTable({spelling: spelling for spelling in self._any_code})
        self._country_words = {
            tuple(fold(word).split()): code
            for code, country in registry.items()
            for word in (*country.name, *country.demonyms)
        }
        self._own = {code: country.words | GENERIC for code, country in registry.items()}
        vague = GENERIC.union(word for words in self._country_words for word in words)
        self._spotter = Spotter(registry, vague)
        self._vague = vague
        self._agreeing = lru_cache(maxsize=1024)(self._look_agreeing)

    def read(self, text: str, country: str | None = None) -> Query:
        """The query of `text`; `country` is the filter, if any."""
        parts = fold(text).split()
        names = self._names(parts, [country] if country else self._countries)
        pointed = {} if self._vague.isdisjoint(parts) else self._pointed(parts)
        spelt = self._any_code.keys()
        formal = frozenset([part for part in parts if part in spelt])
        readings = {name.words: name.bag for name in names.values()}
        if len(readings) > 1:
            formal |= frozenset[str]().union(*readings.values()) - readings[min(readings, key=len)]
        spotted = self._spotter.spot(text)
        around = fold(spotted.rest).split() if spotted else []
        if self._vague.issuperset(around):
            around = []
        return Query(
            country,
            names,
            spotted,
            self._names(around, self._countries) if around else None,
            GENERIC.intersection(parts).union(pointed),
            formal,
            pointed,
            self._own,
        )

    def _names(self, parts: Sequence[str], codes: Sequence[str]) -> dict[str, NameAsked]:
        """What each country takes for the name. `Company` and its like at the end tell no form."""
        parts, behind = self._without_place(parts)
        anywhere = split_folded(parts, self._spellings, acronyms=True)
        if not anywhere.forms:
            return dict.fromkeys(codes, _asked(anywhere.core, ()))
        together = anywhere.core + anywhere.acronym
        vague = GENERIC.issuperset(set(glue_letters(parts)).difference(together))
        agreeing = self._agreeing(anywhere.forms, bool(anywhere.acronym))
        names = {}
        made: dict[tuple[tuple[str, ...], tuple[str, ...]], NameAsked] = {}
        for code in codes:
            forms = agreeing.get(code)
            core, forms = (together, forms) if forms else self._split(parts, anywhere, code)
            reading = (core + behind, () if vague else forms)
            name = made.get(reading)
            if name is None:
                name = made[reading] = _asked(*reading)
            names[code] = name
        return names

    def _look_agreeing(self, spellings: tuple[str, ...], acronym: bool) -> Mapping[str, tuple[str, ...]]:
        """The countries that take the same words for forms as all of them together do, with their codes of the forms.

        `acronym`: whether words stand behind the forms.
        """
        return {
            code: tuple([known[spelling] for spelling in spellings])
            for code, known in self._codes.items()
            if known.keys() >= set(spellings) and (code in ACRONYM_AFTER_FORM or not acronym)
        }

    def _split(self, parts: Sequence[str], anywhere: Named, code: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """All words of the name and the codes of its forms, as one country takes them; `anywhere`: as all do."""
        named = split_folded(parts, self._registry[code].forms, acronyms=code in ACRONYM_AFTER_FORM)
        return named.core + named.acronym, named.forms or tuple([self._any_code[one] for one in anywhere.forms])

    def _without_place(self, parts: Sequence[str]) -> tuple[Sequence[str], tuple[str, ...]]:
        """`parts` up to a legal form, and the countries and vague words behind it; all of them where none are there."""
        end = len(parts)
        while end > 1 and parts[end - 1] in self._vague:
            end -= 1
        if end < len(parts) and self._spellings.at_end(parts[:end]):
            return parts[:end], tuple(parts[end:])
        return parts, ()

    def _pointed(self, parts: Sequence[str]) -> dict[str, str]:
        """The words that are a country's, with its code."""
        pointed: dict[str, str] = {}
        for words, code in self._country_words.items():
            for at, part in enumerate(parts):
                if part == words[0] and tuple(parts[at : at + len(words)]) == words:
                    pointed.update(dict.fromkeys(words, code))
        return pointed


def _asked(core: tuple[str, ...], forms: tuple[str, ...]) -> NameAsked:
    key = name_key(core)
    words = tuple(key.split())
    return NameAsked(words, frozenset(words), key, name_core(core), "".join(core), _telling(forms))


@lru_cache(maxsize=1024)
def _telling(forms: tuple[str, ...]) -> frozenset[str]:
    return frozenset(telling_forms(forms))
