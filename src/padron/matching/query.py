"""Parser of queries: the number in a text, the name as each country reads it, and the country that it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache, reduce
from operator import or_
from typing import Final, NamedTuple

from padron.countries.country import Country, is_state_of_company
from padron.index.document import telling_forms
from padron.matching.context import Context, ContextReader
from padron.matching.famous import FAMOUS, FamousName
from padron.matching.identifiers import Spotted, Spotter
from padron.matching.symbols import SymbolReader
from padron.text import FormTable, SplitName, fold, glue_letters, is_given, name_core, name_key, split_folded

GENERIC = frozenset(
    "business companhia compania company companies corporacao corporacion corporation empresa empresas enterprise"
    " enterprises entidad entidade entity firm firma group grupo negocio negocios oficial official organizacion"
    " organization register registro sociedad sociedade".split()
)
"""Words that people add to a name to make clear that it is a company."""


MOST_WORDS: Final = 48
"""Words of a text that are read as a name, and around a number: each is compared with every candidate. The longest
name of the bundled registers has 21."""


class NameReading(NamedTuple):
    """The name in a query, as one country reads it.

    Attributes:
        words: The words without connectives.
        bag: The same words as a set.
        key: The same words, joined.
        core: All words, connectives included, joined.
        letters: The letters of all words, without blanks.
        forms: The codes of the legal forms.
    """

    words: tuple[str, ...]
    bag: frozenset[str]
    key: str
    core: str
    letters: str
    forms: frozenset[str]


class Query(NamedTuple):
    """A parsed query.

    Attributes:
        country: The country filter.
        names: The whole text, as each country reads it.
        spotted: The number in the text.
        around: The words around the number, as each country reads them; None where only countries and generic words
            are left.
        loose: Words that a company's names may lack.
        formal: Words that are a legal form in some country.
        is_form: The whole text is a legal form of a country searched, and not the symbol of an exchange.
        pointed: The country's code by each folded word of the text that names a country (`brasil`, `peruana`).
        own: The words that each country has for itself, with the generic ones.
        context: What stands around a name in the text.
        text: The text.
        famous: The well-known company that the whole text names and that no register here has.
    """

    country: str | None
    names: Mapping[str, NameReading]
    spotted: Spotted | None
    around: Mapping[str, NameReading] | None
    loose: frozenset[str]
    formal: frozenset[str]
    is_form: bool
    pointed: Mapping[str, str]
    own: Mapping[str, frozenset[str]]
    context: Context
    text: str
    famous: FamousName | None = None


_ITEM: Final = re.compile(r"^\s*0*[1-9]\d?(?:\.-?|\))\s+(?=\S*[^\W\d_])(?=\S\S)")
"""Number of an item before a name; before another number or a letter it may be a part of that."""


class Reader:
    """Parser of queries by the rules of every country in `registry`."""

    def __init__(self, registry: Mapping[str, Country]) -> None:
        self._registry = registry
        self._countries = list(registry)
        self._codes = {code: country.forms.codes for code, country in registry.items()}
        self._forms = {
            code: frozenset(spelling for spelling, form in known.items() if not is_state_of_company(form))
            for code, known in self._codes.items()
        }
        self._any_code = reduce(or_, (country.forms for country in registry.values())).codes
        self._context = ContextReader(registry)
        self._symbols = SymbolReader(registry)
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

    @property
    def forms(self) -> FormTable:
        """The legal forms of every country."""
        return self._spellings

    def read(self, text: str, country: str | None = None) -> Query:
        """Parse `text`; `country` is the filter, if any. A text that is the symbol of an exchange is read as that.

        The number of an item before a name (`1. Ecopetrol`) is left out.
        """
        text = _ITEM.sub("", text)
        symbol = self._symbols.read(text)
        if symbol and symbol.alone and country in {None, symbol.country}:
            text, country = symbol.symbol, symbol.country
        parts = fold(text).split()[:MOST_WORDS] if is_given(text) else []
        names = self._names(parts, [country] if country else self._countries)
        pointed = {} if self._vague.isdisjoint(parts) else self._pointed(parts)
        spelt = self._any_code.keys()
        formal = frozenset([part for part in parts if part in spelt])
        readings = {name.words: name.bag for name in names.values()}
        if len(readings) > 1:
            formal |= frozenset[str]().union(*readings.values()) - readings[min(readings, key=len)]
        spotted = self._spotter.spot(text)
        around = fold(spotted.rest).split()[:MOST_WORDS] if spotted else []
        if self._vague.issuperset(around):
            around = []
        return Query(
            country,
            names,
            spotted,
            self._names(around, self._countries) if around else None,
            GENERIC.intersection(parts).union(pointed),
            formal,
            symbol is None and any("".join(parts) in self._forms[code] for code in names),
            pointed,
            self._own,
            self._context.read(text, parts),
            text,
            _famous(names.values(), GENERIC.union(pointed), {country} if country else set(pointed.values())),
        )

    def _names(self, parts: Sequence[str], codes: Sequence[str]) -> dict[str, NameReading]:
        """Return the name as each country reads it. Words like `company` at the end are no legal form."""
        parts, behind = self._without_place(parts)
        anywhere = split_folded(parts, self._spellings, acronyms=True)
        if not anywhere.forms:
            return dict.fromkeys(codes, _reading(anywhere.core, ()))
        together = anywhere.core + anywhere.acronym
        vague = GENERIC.issuperset(set(glue_letters(parts)).difference(together))
        agreeing = self._agreeing(anywhere.forms, bool(anywhere.acronym))
        names = {}
        readings: dict[tuple[tuple[str, ...], tuple[str, ...]], NameReading] = {}
        for code in codes:
            forms = agreeing.get(code)
            core, forms = (together, forms) if forms else self._split(parts, anywhere, code)
            key = (core + behind, () if vague else forms)
            reading = readings.get(key)
            if reading is None:
                reading = readings[key] = _reading(*key)
            names[code] = reading
        return names

    def _look_agreeing(self, spellings: tuple[str, ...], acronym: bool) -> Mapping[str, tuple[str, ...]]:
        """Return the countries that know all of `spellings` as legal forms, each with its codes of the forms.

        With `acronym`, words stand behind the forms, and only countries whose names have such words count.
        """
        return {
            code: tuple([known[spelling] for spelling in spellings])
            for code, known in self._codes.items()
            if known.keys() >= set(spellings) and (self._registry[code].acronym_after_form or not acronym)
        }

    def _split(self, parts: Sequence[str], anywhere: SplitName, code: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Split a name into words and codes of forms, as one country does; `anywhere`: as any country does."""
        country = self._registry[code]
        named = split_folded(parts, country.forms, acronyms=country.acronym_after_form)
        return named.core + named.acronym, named.forms or tuple(
            [self._any_code[spelling] for spelling in anywhere.forms]
        )

    def _without_place(self, parts: Sequence[str]) -> tuple[Sequence[str], tuple[str, ...]]:
        """Split off the countries and generic words that stand behind a legal form, if any do."""
        end = len(parts)
        while end > 1 and parts[end - 1] in self._vague:
            end -= 1
        if end < len(parts) and self._spellings.at_end(parts[:end]):
            return parts[:end], tuple(parts[end:])
        return parts, ()

    def _pointed(self, parts: Sequence[str]) -> dict[str, str]:
        """Return the words that name a country, each with the country's code."""
        pointed: dict[str, str] = {}
        for words, code in self._country_words.items():
            for at, part in enumerate(parts):
                if part == words[0] and tuple(parts[at : at + len(words)]) == words:
                    pointed.update(dict.fromkeys(words, code))
        return pointed


def _famous(names: Iterable[NameReading], loose: AbstractSet[str], asked: AbstractSet[str]) -> FamousName | None:
    """Return the well-known company that the text names, whole or else without the words in `loose`."""
    words = [name.words for name in names]
    rest = [tuple([word for word in name if word not in loose]) for name in words]
    known = [FAMOUS[text] for text in map(" ".join, [*words, *rest]) if text in FAMOUS]
    return next((famous for famous in known if not asked or famous.country in asked), None)


def _reading(core: tuple[str, ...], forms: tuple[str, ...]) -> NameReading:
    key = name_key(core)
    words = tuple(key.split())
    return NameReading(words, frozenset(words), key, name_core(core), "".join(core), _telling(forms))


@lru_cache(maxsize=1024)
def _telling(forms: tuple[str, ...]) -> frozenset[str]:
    return frozenset(telling_forms(forms))
