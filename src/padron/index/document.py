"""Documents: the terms that a company is found by, and its stored bytes.

Stored bytes are msgpack in two parts: the head, which ranking reads for every candidate, and the record, decoded only
for the companies that are shown. Texts that many companies share (activities, places, sources) are numbers into
`Tables.texts`. Nothing enters that is not a column of `companies.fields.FIELDS`; base address, confidence and
language are joined when serving.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec
from msgspec import Raw, Struct

from padron.companies.company import Company, StoredRecord, stored_record
from padron.countries.country import Country, is_state_of_company
from padron.index import listing
from padron.index.spelling import initials, name_terms
from padron.index.tags import activity_words, tags
from padron.text import CONNECTIVES, SplitName, fold, glue_letters, is_placeholder, name_core, name_key, split_folded

PART: Final = 50_000
"""Companies of a part: the most addresses that a sitemap may hold."""

LEGAL, TRADE, FORMER, ALTERNATIVE, TICKER, KNOWN_AS, DOUBTFUL = range(7)
KINDS: Final = ("legalName", "tradeName", "formerName", "alternativeName", "ticker", "byName", "byName")
"""Kinds of names as `matchedOn` has them; the position is stored."""

_KIND_OF = {
    "trade": TRADE,
    "former": FORMER,
    "alternative": ALTERNATIVE,
    "ticker": TICKER,
    "byName": KNOWN_AS,
    "doubtfulByName": DOUBTFUL,
}

_SHORT_FORM: Final = 4
"""Letters of a legal form that is no word: `S.A.S.`, `LTDA`."""

_CACHED: Final = 1 << 14
"""Places and lists of legal forms that many companies share, kept at hand."""

_VAGUE_FORMS: Final = frozenset({"co", "cia", "sucursal"})


class StoredName(Struct, array_like=True, frozen=True, gc=False):
    """A name as ranking compares it.

    `words` are the meaning words joined with blanks; `core` all words, empty when they are the same; `forms` the codes
    of the legal forms it ends with, joined with blanks; `kind` an index into `KINDS`.
    """

    words: str
    core: str
    forms: str
    kind: int


class StoredCompany(Struct, array_like=True, frozen=True, gc=False):
    """The part of a company that ranking reads.

    `country`, `places` and `activity` (`tags.activity_words`) are numbers into `Tables.texts`; `size`: 0 to 1,000.
    """

    names: tuple[StoredName, ...]
    country: int
    places: int
    activity: int
    size: int
    link: str | None
    link_home: bool
    record: Raw


class Tables(Struct, frozen=True):
    """Tables of an index, read into memory when it is opened.

    `format` is the index's, `companies` their number. `texts`: shared texts, 0 is null. `weights`: rarity of the common
    words, from 0 (every company has it) to 1 (hardly one has); a word that is not there weighs 1. `parts`: country and
    first key of each run of at most `PART` companies, in build order.
    """

    format: int
    companies: int
    texts: list[str]
    weights: dict[str, float]
    parts: list[tuple[str, int]]


class Parts:
    """Parts of an index while it is built, runs of companies of one country: `runs` is what `Tables.parts` holds."""

    def __init__(self) -> None:
        self.runs: list[tuple[str, int]] = []
        self._room = 0

    def add(self, country: str, key: int) -> None:
        """The next company."""
        if not self._room or self.runs[-1][0] != country:
            self.runs.append((country, key))
            self._room = PART
        self._room -= 1


class IndexDocument(NamedTuple):
    """A company as it is indexed: words of its names, whole-name keys, identifier terms, country, tags, stored bytes.

    `size`, 0 to 1,000, puts companies in order where nothing else does; `lists` are what it is counted under.
    """

    words: set[str]
    keys: set[str]
    identifiers: set[str]
    country: str
    stored: bytes
    tags: list[str]
    size: int
    lists: list[str]


class TextTable(dict[str | None, int]):
    """Shared text -> its number, given when it is first asked for; 0 stands for null and for an empty text."""

    def __init__(self) -> None:
        self[""] = self[None] = 0
        self._texts = [""]

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self._texts)
        self._texts.append(text)
        return number

    def texts(self) -> list[str]:
        """The texts by number."""
        return self._texts


_encoder = msgspec.msgpack.Encoder()
decode_company = msgspec.msgpack.Decoder(StoredCompany).decode
decode_record = msgspec.msgpack.Decoder(StoredRecord).decode


def _identifier_term(country: Country, scheme: str, value: str) -> str:
    """Return the term of an identifier: `br-cnpj:33000167`."""
    known = country.scheme_by_code.get(scheme)
    return f"{scheme}:{known.key(value) if known else value}"


class Numbered(NamedTuple):
    """The part of a company that refers to shared texts by number, and its encoded record."""

    country: int
    places: int
    activity: int
    record: bytes


def numbered(company: Company, country: Country, texts: TextTable) -> Numbered:
    """Number the shared texts of a company, in build order: a text gets its number when it is first met.

    Returns:
        The part of the document that refers to them.
    """
    return Numbered(
        texts[company.country],
        texts[_places(company.municipality, company.region)],
        texts[activity_words(company, country)],
        _encoder.encode(stored_record(company, texts)),
    )


def describe(company: Company, country: Country, known: Numbered) -> IndexDocument:
    """Return the document of a company."""
    names, acronyms, form = _called(company, country)
    words: set[str] = set()
    keys = {f"~{acronym}" for acronym in acronyms}
    for name in names:
        parts = name.words.split()
        keys |= name_terms(parts)
        if name.core:
            keys.add(name.core.replace(" ", ""))
        if name.kind != TICKER:
            words.update(parts)
            if acronym := initials(parts):
                keys.add(f"~{acronym}")
    identifiers = {_identifier_term(country, company.scheme, company.identifier)}
    for scheme, value in company.aliases:
        identifiers.add(_identifier_term(country, scheme, value))
    if company.link:
        identifiers.add(f"link:{company.link}")
    size = round(1000 * (company.size or 0.0))
    link, home = company.link, company.link_home
    stored = _encoder.encode(
        StoredCompany(names, known.country, known.places, known.activity, size, link, home, Raw(known.record))
    )
    listed = listing.Listed(
        company.country,
        company.legal_name,
        company.region,
        company.municipality,
        company.activity_code,
        company.activity_label,
        company.status,
        form,
        company.financials,
    )
    terms, lists = tags(company, country, form), list(listing.keys(listed))
    return IndexDocument(words, keys, identifiers, company.country, stored, terms, size, lists)


def _called(company: Company, country: Country) -> tuple[tuple[StoredName, ...], set[str], str | None]:
    """Every way the company is called, each once, what is in the legal name first; acronyms; the legal form.

    The acronyms are those of names with the words of their legal form (`umco` of a cooperativa).
    """
    names_by_words: dict[str, StoredName] = {}
    acronyms: set[str] = set()
    form = None
    for kind, text in _names(company):
        parts = fold(text).split()
        if kind == TICKER:
            names = [] if is_placeholder(parts) else _as_ticker(parts)
        else:
            named = _split(parts, country)
            names = _variants(kind, named, country)
            if kind == LEGAL:
                entry = country.legal_form_of(named.forms, company.legal_form_raw)
                form = entry.code if entry else None
            if acronym := initials(_without_short_forms(parts, country)):
                acronyms.add(acronym)
        for name in names:
            if name.words:
                names_by_words.setdefault(name.core or name.words, name)
    return tuple(names_by_words.values()), acronyms, form


def _names(company: Company) -> list[tuple[int, str]]:
    """Every name and its kind, the legal name first, those of linked records last."""
    names = [(LEGAL, company.legal_name)]
    if company.trade_name:
        names.append((TRADE, company.trade_name))
    for others in (company.names, company.linked_names):
        names += sorted([(_KIND_OF[name.kind], name.name) for name in others])
    return names


def _without_short_forms(parts: list[str], country: Country) -> list[str]:
    """A name without the legal forms at its end that are no words: initials are made with the others (`umco`)."""
    end = len(parts)
    while end > 1 and len(parts[end - 1]) <= _SHORT_FORM and parts[end - 1] in country.forms.codes:
        end -= 1
    return parts[:end]


@lru_cache(maxsize=_CACHED)
def _places(municipality: str | None, region: str | None) -> str:
    """Return the place of a company as ranking compares it."""
    return fold(f"{municipality or ''} {region or ''}")


def variants(kind: int, text: str, country: Country) -> list[StoredName]:
    """Return a name without its legal form; where an acronym follows the form also either part alone.

    Args:
        kind: An index into `KINDS`.

    Returns:
        The variants, the whole name first.
    """
    parts = fold(text).split()
    return _as_ticker(parts) if kind == TICKER else _variants(kind, _split(parts, country), country)


def _split(parts: list[str], country: Country) -> SplitName:
    return split_folded(parts, country.forms, acronyms=country.acronym_after_form)


def _as_ticker(parts: list[str]) -> list[StoredName]:
    return [StoredName("".join(glue_letters(parts)), "", "", TICKER)]


def _variants(kind: int, named: SplitName, country: Country) -> list[StoredName]:
    """The country behind a legal form is no acronym: `MCKINSEY & COMPANY, INC. ECUADOR` is one of several McKinseys."""
    if country.words.issuperset(set(named.acronym) - CONNECTIVES):
        return [stored_name((*named.core, *named.acronym), named.forms, kind)]
    return [
        stored_name((*named.core, *named.acronym), named.forms, kind),
        stored_name(named.core, named.forms, kind),
        stored_name(named.acronym, (), ALTERNATIVE),
    ]


def stored_name(core: tuple[str, ...], forms: tuple[str, ...], kind: int) -> StoredName:
    """Return a name as ranking compares it.

    Args:
        kind: An index into `KINDS`.
    """
    words, all_words = name_key(core), name_core(core)
    return StoredName(words, "" if all_words == words else all_words, _telling(forms), kind)


@lru_cache(maxsize=_CACHED)
def _telling(codes: tuple[str, ...]) -> str:
    return " ".join(telling_forms(codes))


def telling_forms(codes: Iterable[str]) -> list[str]:
    """Return the `codes` that tell companies apart: no state (`en-liquidacion`), no branch, no `Cía.` alone."""
    return [code for code in codes if code not in _VAGUE_FORMS and not is_state_of_company(code)]
