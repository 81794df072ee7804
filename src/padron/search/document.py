"""From a company to what an index holds: the terms it is found by, and its stored bytes.

Stored bytes are msgpack in two parts: the head, which ranking reads for every candidate, and the record, decoded only
for the companies that are shown. Texts that many companies share (activities, places, sources) are numbers into
`Tables.texts`. Nothing enters that is not a column of `snapshot.COMPANY_COLUMNS`; base address, confidence and
language are joined when serving.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec
from msgspec import Raw, Struct

from padron.country import Country
from padron.search.spelling import initials, name_terms
from padron.search.tags import tags
from padron.snapshot import Company
from padron.text import fold, name_key, split_form, tokens

PART: Final = 50_000
"""Companies of a part: the most addresses that a sitemap may hold."""

LEGAL, TRADE, FORMER, ALTERNATIVE, TICKER = range(5)
KINDS: Final = ("legalName", "tradeName", "formerName", "alternativeName", "ticker")
"""What a name is, as `matchedOn` says it; the number is what is stored."""

_KIND_OF = {"trade": TRADE, "former": FORMER, "alternative": ALTERNATIVE, "ticker": TICKER}
ACRONYM_AFTER_FORM: Final = frozenset({"EC", "BR", "CO"})
"""Registers that write an acronym after the legal form: `PETRÓLEO BRASILEIRO S.A. - PETROBRAS`."""

_SHORT_FORM: Final = 4
"""Letters of a legal form that is no word: `S.A.S.`, `LTDA`."""

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
    """What ranking needs. `country` and `places` are numbers into `Tables.texts`; `size`, 0 to 1,000, breaks ties."""

    names: tuple[StoredName, ...]
    country: int
    places: int
    size: int
    link: str | None
    link_home: bool
    record: Raw


class StoredRecord(Struct, array_like=True, frozen=True, gc=False):
    """The columns of a company, in the order of `Company`; shared texts as numbers into `Tables.texts`, 0 for null."""

    scheme: int
    identifier: str
    aliases: tuple[tuple[int, str], ...]
    legal_name: str
    trade_name: str | None
    names: tuple[tuple[int, str, str | None, str | None], ...]
    status: int
    status_raw: int
    legal_form_raw: int
    activity_code: int
    activity_label: int
    region: int
    municipality: int
    incorporated: str | None
    ended: str | None
    establishments: int | None
    home: int
    source: int
    sources: int
    given: int
    refreshed: int
    financials: bool


class Tables(Struct, frozen=True):
    """What is known of an index as a whole, and read into memory when it is opened.

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
    """Runs of companies of one country, as they are built: `found` is what `Tables.parts` holds."""

    def __init__(self) -> None:
        self.found: list[tuple[str, int]] = []
        self._room = 0

    def add(self, country: str, key: int) -> None:
        """The next company."""
        if not self._room or self.found[-1][0] != country:
            self.found.append((country, key))
            self._room = PART
        self._room -= 1


class Document(NamedTuple):
    """What an engine indexes: words of all names, whole-name keys, identifier terms, country, tags, and stored bytes.

    `size`, 0 to 1,000, puts companies in order where nothing else does.
    """

    words: set[str]
    keys: set[str]
    identifiers: set[str]
    country: str
    stored: bytes
    tags: set[str]
    size: int


class TextTable:
    """Numbers for shared texts, given in the order they are first met; 0 stands for null."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {"": 0}

    def number(self, text: str | None) -> int:
        """The number of `text`, new if need be."""
        return self.numbers.setdefault(text or "", len(self.numbers))

    def texts(self) -> list[str]:
        """The texts by number."""
        return list(self.numbers)


_encoder = msgspec.msgpack.Encoder()
decode_company = msgspec.msgpack.Decoder(StoredCompany).decode
decode_record = msgspec.msgpack.Decoder(StoredRecord).decode


def _identifier_term(country: Country, scheme: str, value: str) -> str:
    """What a company is filed under for an identifier: `br-cnpj:33000167`."""
    known = country.scheme_by_code.get(scheme)
    return f"{scheme}:{known.key(value) if known else value}"


def describe(company: Company, country: Country, texts: TextTable) -> Document:
    """What the index holds of `company`."""
    names = search_names(company, country)
    words: set[str] = set()
    keys: set[str] = set()
    for name in names:
        parts = name.words.split()
        keys |= name_terms(parts)
        keys.add((name.core or name.words).replace(" ", ""))
        if name.kind != TICKER:
            words.update(parts)
    keys |= {f"~{acronym}" for acronym in _acronyms(company, names, country)}
    identifiers = {
        _identifier_term(country, scheme, value)
        for scheme, value in ((company.scheme, company.identifier), *company.aliases)
    }
    if company.link:
        identifiers.add(f"link:{company.link}")
    size = round(1000 * (company.size or 0.0))
    head = StoredCompany(
        names,
        texts.number(company.country),
        texts.number(fold(f"{company.municipality or ''} {company.region or ''}")),
        size,
        company.link,
        company.link_home,
        Raw(_encoder.encode(_record(company, texts))),
    )
    stored = _encoder.encode(head)
    form = split_form(company.legal_name, country.forms, acronyms=country.code in ACRONYM_AFTER_FORM).form
    return Document(words, keys, identifiers, company.country, stored, tags(company, country, form), size)


def search_names(company: Company, country: Country) -> tuple[StoredName, ...]:
    """Every way the company is called, each once, what is in the legal name first."""
    found: dict[str, StoredName] = {}
    for kind, text in _names(company):
        for name in variants(kind, text, country):
            if name.words:
                found.setdefault(name.core or name.words, name)
    return tuple(found.values())


def _acronyms(company: Company, names: Iterable[StoredName], country: Country) -> set[str]:
    """The initials of each name, with and without the words of its legal form (`umco` of a cooperativa)."""
    parted = [name.words.split() for name in names if name.kind != TICKER]
    for kind, text in _names(company):
        if kind != TICKER:
            parts = fold(text).split()
            while len(parts) > 1 and len(parts[-1]) <= _SHORT_FORM and parts[-1] in country.forms.codes:
                parts.pop()
            parted.append(parts)
    return {acronym for parts in parted if (acronym := initials(parts))}


def _names(company: Company) -> Iterable[tuple[int, str]]:
    yield LEGAL, company.legal_name
    if company.trade_name:
        yield TRADE, company.trade_name
    yield from sorted((_KIND_OF[name.kind], name.name) for name in company.names)


def variants(kind: int, text: str, country: Country) -> Iterable[StoredName]:
    """`text` without its legal form; where an acronym follows the form also either part alone."""
    if kind == TICKER:
        yield StoredName("".join(tokens(text)), "", "", TICKER)
        return
    named = split_form(text, country.forms, acronyms=country.code in ACRONYM_AFTER_FORM)
    yield stored_name((*named.core, *named.acronym), named.forms, kind)
    if named.acronym:
        yield stored_name(named.core, named.forms, kind)
        yield stored_name(named.acronym, (), ALTERNATIVE)


def stored_name(core: tuple[str, ...], forms: tuple[str, ...], kind: int) -> StoredName:
    """A name as ranking compares it, from its words and the codes of its legal forms."""
    words = name_key(core)
    all_words = "" if len(core) == words.count(" ") + 1 else " ".join(core)
    return StoredName(words, all_words, " ".join(telling_forms(forms)), kind)


def telling_forms(codes: Iterable[str]) -> list[str]:
    """Those of `codes` that tell companies apart: neither a state (`en-liquidacion`) nor a branch nor `Cía.` alone."""
    return [code for code in codes if code not in _VAGUE_FORMS and not code.startswith(("en-", "em-"))]


def _record(company: Company, texts: TextTable) -> StoredRecord:
    number = texts.number
    return StoredRecord(
        number(company.scheme),
        company.identifier,
        tuple((number(scheme), value) for scheme, value in company.aliases),
        company.legal_name,
        company.trade_name,
        tuple((number(name.kind), name.name, name.since, name.until) for name in company.names),
        number(company.status),
        number(company.status_raw),
        number(company.legal_form_raw),
        number(company.activity_code),
        number(company.activity_label),
        number(company.region),
        number(company.municipality),
        company.incorporated,
        company.ended,
        company.establishments,
        number(company.home),
        number(company.source),
        number("|".join(company.sources)),
        number("|".join(key or "" for key in company.given)),
        number(company.refreshed),
        company.financials,
    )
