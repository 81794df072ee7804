"""From text to a query: the number in it, the name asked for as each country reads it, and the country it points to."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import NamedTuple

from padron.country import Country
from padron.search.document import ACRONYM_AFTER_FORM
from padron.search.identifiers import Spotted, Spotter
from padron.text import fold, name_key, split_form, tokens

GENERIC = frozenset(
    "business companhia compania company companies corporation corporacion empresa empresas enterprise entidad entidade"
    " entity firm firma negocio oficial official organization register sociedad sociedade".split()
)
"""Words people add to a name to say that it is a company's."""

OTHER_FORM = "?"
"""The form of a name that ends in a legal form which the country does not know."""


class NameAsked(NamedTuple):
    """The name asked for, as one country reads it: meaning words, the same joined, all words joined, and the legal form."""

    words: tuple[str, ...]
    bag: frozenset[str]
    key: str
    core: str
    form: str | None


class Query(NamedTuple):
    """What a text asks for.

    `names`: the whole text as each country reads it; `around`: likewise the words around the number that was `spotted`, None
    where nothing but countries and generic words are left. `loose`: words that a company's names may lack. `pointed`: folded word of a
    country (`brasil`, `peruana`) -> its code.
    """

    country: str | None
    names: Mapping[str, NameAsked]
    spotted: Spotted | None
    around: Mapping[str, NameAsked] | None
    loose: frozenset[str]
    pointed: Mapping[str, str]


class Reader:
    """Reads texts by the rules of every country in `registry`."""

    def __init__(self, registry: Mapping[str, Country]) -> None:
        self._registry = registry
        self._spotter = Spotter(registry)
        self._forms = reduce(or_, (country.forms for country in registry.values()))
        self._country_words = {
            tuple(fold(word).split()): code
            for code, country in registry.items()
            for word in (*country.name, *country.demonyms)
        }
        self._longest = max((len(words) for words in self._country_words), default=0)

    def read(self, text: str, country: str | None = None) -> Query:
        """The query of `text`; `country` is the filter, if any."""
        names = self._names(text, country)
        words = fold(text).split()
        pointed = self._pointed(words)
        spotted = self._spotter.spot(text)
        around = None
        if spotted and not GENERIC.union(pointed).issuperset(fold(spotted.rest).split()):
            around = self._names(spotted.rest, None)
        shortest = min((name.words for name in names.values()), key=len)
        tails = {word for name in names.values() for word in name.words if word not in shortest}
        return Query(country, names, spotted, around, GENERIC.intersection(words).union(pointed, tails), pointed)

    def _names(self, text: str, country: str | None) -> dict[str, NameAsked]:
        """What each country takes for the name. `empresa` and its like at the end say no form, whatever they are elsewhere."""
        codes = [country] if country else list(self._registry)
        anywhere = split_form(text, self._forms, acronyms=True)
        if anywhere.form is None:
            return dict.fromkeys(codes, _asked(anywhere.core, None))
        vague = GENERIC.issuperset(set(tokens(text)).difference(anywhere.core, anywhere.acronym))
        names = {}
        for code in codes:
            named = split_form(text, self._registry[code].forms, acronyms=code in ACRONYM_AFTER_FORM)
            form = None if vague else named.form or OTHER_FORM
            names[code] = _asked((*named.core, *named.acronym), form)
        return names

    def _pointed(self, words: list[str]) -> dict[str, str]:
        pointed: dict[str, str] = {}
        for size in range(1, self._longest + 1):
            for at in range(len(words) - size + 1):
                part = tuple(words[at : at + size])
                if code := self._country_words.get(part):
                    pointed.update(dict.fromkeys(part, code))
        return pointed


def _asked(core: tuple[str, ...], form: str | None) -> NameAsked:
    key = name_key(core)
    words = tuple(key.split())
    return NameAsked(words, frozenset(words), key, " ".join(core), form)
