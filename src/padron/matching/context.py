"""The context of a name in a query: what the words around it tell about the company, and where separators part them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import reduce
from operator import or_
from typing import Final, NamedTuple

from padron.countries.country import Country
from padron.index.spelling import numeral
from padron.index.tags import stem
from padron.matching.activities import ACTIVITIES
from padron.matching.cues import ABROAD, ANOTHER, BRANCH
from padron.matching.trades import TRADES
from padron.text import CONNECTIVES, FormTable, fold, name_core, split_folded

_SEPARATOR: Final = re.compile(r"[\n\r\t,;|()\[\]]|\s[-–—]\s|/(?<!\b[sS]/)|/(?![aA]\b)")
"""Marks between a name and what stands around it; that of `S/A` is none."""
_BESIDE: Final = re.compile(r"[\n\r\t;|]|(?<=\s)/|/(?=\s)|(?<=\w\w)/(?=\w\w)")
"""Marks between the names of a list, which `S/A` has not. Behind a comma or a dash a place stands as often."""
_AND: Final = re.compile(r"\s(?:y|e|and|&|\+)\s", re.IGNORECASE)
_DOCUMENT: Final = frozenset(
    "account amount att atte attn balance beneficiario cargo client cliente cliente compra compras concepto conta"
    " contract contrato cuenta customer depto email factura fatura fecha fiscal fornecedor hq headquarters"
    " importe invoice mail matriz monto nf nota nro num number numero oficina oficinas orden order pagamento pago"
    " payment pedido po pos proveedor purchase receipt recibo ref referencia remitente remito rg saldo sede senores"
    " sr sres srs supplier tel telefono total transfer transferencia vendor ventas www"
    " cnpj cik cuit ein lei nit rfc rif ruc usd mxn cop ars brl ie".split()
)
"""Words of invoices, transfers, spreadsheets and signatures, in Spanish, English and Portuguese."""
_LONG_NUMBER: Final = 4
"""Digits of a number that is hardly part of a name."""
_LONGEST_FORM: Final = 8
"""Words of a legal form: `sociedad por acciones simplificada de beneficio e interes colectivo`."""
_LONGEST_PHRASE: Final = 4
"""Words of the name of a place or an activity."""


class Context(NamedTuple):
    """The context of the name in a query.

    Attributes:
        core: All folded words of the query, with a blank before and behind each.
        places: Word that may name a place -> the places, as registers write them, folded.
        activities: Word that may name an activity -> its terms, as `tags.activity_words`.
        segments: The parts of the query between separators, without their legal forms.
        before_forms: Word right before a legal form -> the codes of that form. Not of one that ends the text, where all
            words before it may be one name, nor with only a number behind it.
        document: The words that belong to a document rather than to a name, and the numbers among them.
        abroad: Word that may name a country that is not covered -> the codes of such countries.
        another: Word of a phrase by which a text is about another company than it names -> `another`, or `branch` where
            that is a part of the one named.
    """

    core: str
    places: Mapping[str, frozenset[str]]
    activities: Mapping[str, frozenset[str]]
    segments: frozenset[str]
    before_forms: Mapping[str, frozenset[str]]
    document: frozenset[str]
    abroad: Mapping[str, frozenset[str]]
    another: Mapping[str, frozenset[str]]


class ContextReader:
    """Reader of contexts, with the places and legal forms of every country in `registry`."""

    def __init__(self, registry: Mapping[str, Country]) -> None:
        self._forms = reduce(or_, (country.forms for country in registry.values()), FormTable({}))
        self._codes = {
            spelling: frozenset(
                country.forms.codes[spelling] for country in registry.values() if spelling in country.forms.codes
            )
            for spelling in self._forms.codes
        }
        self._places: dict[str, set[str]] = {}
        for country in registry.values():
            for place in country.places:
                written = {place.region, *place.cities} - {None}
                for phrase in {place.name, *written}:
                    self._places.setdefault(str(phrase), set()).update(map(str, written))
        self._activities = {word: set(terms) for word, terms in TRADES.items()}
        for activity in ACTIVITIES:
            for phrase in (*activity.plural, *activity.topic):
                self._activities.setdefault(" ".join(map(stem, phrase.split())), set()).add(f"#{activity.key}")
        self._abroad = {
            phrase: {code} for code, phrases in ABROAD.items() if code not in registry for phrase in phrases
        }
        self._another = {phrase: {"another"} for phrase in ANOTHER} | {phrase: {"branch"} for phrase in BRANCH}
        self._abroad_beginnings = _beginnings(self._abroad)
        self._another_beginnings = _beginnings(self._another)
        self._place_beginnings = _beginnings(self._places)
        self._activity_beginnings = _beginnings(self._activities)
        self._form_beginnings = frozenset(
            spelling[:end] for spelling in self._codes for end in range(1, len(spelling) + 1)
        )

    def read(self, text: str, parts: Sequence[str]) -> Context:
        """Return the context of a query.

        Args:
            parts: Its folded words.
        """
        segments = _SEPARATOR.split(text)
        return Context(
            f" {' '.join(parts)} ",
            _words_of(parts, parts, self._places, self._place_beginnings),
            _words_of(parts, [*map(stem, parts)], self._activities, self._activity_beginnings),
            frozenset(filter(None, map(self._segment, segments))) if len(segments) > 1 else frozenset(),
            {
                parts[at - 1]: forms
                for at in range(1, len(parts))
                if parts[at] in self._form_beginnings and (forms := self._forms_at(parts, at))
            },
            _document(parts, separated=len(segments) > 1),
            _words_of(parts, parts, self._abroad, self._abroad_beginnings),
            _words_of(parts, parts, self._another, self._another_beginnings),
        )

    def _segment(self, text: str) -> str:
        parts = fold(text).split()
        return name_core(split_folded(parts, self._forms).core) if parts else ""

    def _forms_at(self, parts: Sequence[str], at: int) -> frozenset[str]:
        """Return the codes of the longest legal form that begins at `at`, if more than a last number follows it."""
        compact, codes, behind = "", frozenset[str](), at
        for index, part in enumerate(parts[at : at + _LONGEST_FORM], start=at):
            compact += part
            if compact not in self._form_beginnings:
                break
            if len(compact) > 1 and compact in self._forms.codes and compact not in CONNECTIVES:
                codes, behind = self._codes[compact], index + 1
        rest = parts[behind:]
        return codes if len(rest) > 1 or (rest and not numeral(rest[0])) else frozenset()


def sides(text: str) -> list[list[str]]:
    """Return the parts of a text between the marks of a list; each of two is followed by its own parts between `and`.

    A text without such marks has the parts between `and`; one without those has none. More than two may be the cells of
    a row, in which `and` stands between things that a company makes.

    >>> sides("Ecopetrol / Cenit y Reficar")
    [['Ecopetrol'], ['Cenit y Reficar', 'Cenit', 'Reficar']]
    """
    parts = [part for side in _BESIDE.split(text) if (part := side.strip())]
    if len(parts) < 2:
        return [[part] for part in pieces] if len(pieces := _AND.split(text)) > 1 else []
    if len(parts) > 2:
        return [[part] for part in parts]
    return [[part, *(pieces if len(pieces := _AND.split(part)) > 1 else ())] for part in parts]


def _document(parts: Sequence[str], *, separated: bool) -> frozenset[str]:
    """Return the words of documents, and the numbers that are long, or stand beside such words or separators."""
    words = _DOCUMENT.intersection(parts)
    numbers = [part for part in parts if any(map(str.isdigit, part))]
    return words.union(numbers if words or separated else [part for part in numbers if len(part) >= _LONG_NUMBER])


def _beginnings(table: Iterable[str]) -> frozenset[str]:
    """Return the first words of phrases."""
    return frozenset(phrase.partition(" ")[0] for phrase in table)


def _words_of(
    parts: Sequence[str], keys: Sequence[str], table: Mapping[str, set[str]], beginnings: AbstractSet[str]
) -> dict[str, frozenset[str]]:
    """Return the words of the phrases that are in a table, with what the table has for them.

    Args:
        keys: The same words, as the table has them.
        beginnings: First words of the phrases of the table.

    Returns:
        Word -> all that there is for the phrases that it is in.
    """
    words: dict[str, frozenset[str]] = {}
    if beginnings.isdisjoint(keys):
        return words
    for start, first in enumerate(keys):
        if first not in beginnings:
            continue
        for end in range(start + 1, min(len(keys), start + _LONGEST_PHRASE) + 1):
            if known := table.get(" ".join(keys[start:end])):
                words |= {word: words.get(word, frozenset()) | known for word in parts[start:end]}
    return words
