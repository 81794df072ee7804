"""All that is known of a company, for the authenticated interface: the public record and what stands behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from padron.country import Country, LegalForm, Source
from padron.model import Identifier, Record, Text
from padron.search.document import ACRONYM_AFTER_FORM, StoredCompany, decode_record
from padron.snapshot import Name
from padron.text import split_form

FIELDS: Final = (
    "legal_name",
    "trade_name",
    "status_raw",
    "legal_form_raw",
    "activity_code",
    "region",
    "municipality",
    "incorporated",
    "ended",
    "establishments",
)
"""Columns (of `snapshot.COMPANY_COLUMNS`) whose source is told."""


class Detail(NamedTuple):
    """A company in full. Dates are ISO texts; `form` is None where the legal name ends in none that is known.

    `sources` are by precedence. `provenance`: column -> keys of the sources that are asked for it, in that order; the
    first that states it gave it.
    """

    record: Record
    status_raw: str | None
    form: LegalForm | None
    form_raw: str | None
    names: tuple[Name, ...]
    identifiers: tuple[tuple[str, Text, str], ...]
    region: str | None
    municipality: str | None
    incorporated: str | None
    ended: str | None
    establishments: int | None
    home: str | None
    sources: tuple[Source, ...]
    provenance: dict[str, tuple[str, ...]]


class Seen(NamedTuple):
    """A search result in full: its confidence is in `detail.record`; `sentence` says why it is one, to be quoted."""

    detail: Detail
    margin: float
    matched_on: str
    explanations: dict[str, float]
    sentence: Text


class Asked(NamedTuple):
    """A company by identifier, the identifier as asked, and how that relates to it (as `directory.Found`)."""

    release: str
    detail: Detail
    requested: Identifier
    alias: bool
    branch: bool


def detail(company: StoredCompany, record: Record, texts: list[str], registry: Mapping[str, Country]) -> Detail:
    """All that is stored of `company`, whose public record is `record`."""
    stored = decode_record(company.record)
    country = registry[record.country_code]
    code = split_form(stored.legal_name, country.forms, acronyms=country.code in ACRONYM_AFTER_FORM).form
    keys = tuple(filter(None, texts[stored.sources].split("|")))
    known = {source.key: source for source in country.sources}
    return Detail(
        record=record,
        status_raw=texts[stored.status_raw] or None,
        form=next((form for form in country.legal_forms if form.code == code), None),
        form_raw=texts[stored.legal_form_raw] or None,
        names=tuple(Name(texts[kind], name, since, until) for kind, name, since, until in stored.names),
        identifiers=tuple(
            (texts[scheme], country.scheme_by_code[texts[scheme]].label, value) for scheme, value in stored.aliases
        ),
        region=texts[stored.region] or None,
        municipality=texts[stored.municipality] or None,
        incorporated=stored.incorporated,
        ended=stored.ended,
        establishments=stored.establishments,
        home=texts[stored.home] or None,
        sources=tuple(known[key] for key in keys if key in known),
        provenance=_provenance(country, keys, texts[stored.source]),
    )


def _provenance(country: Country, keys: tuple[str, ...], of_name: str) -> dict[str, tuple[str, ...]]:
    """Each column's sources among `keys`; the one of the legal name is kept with the record."""
    found: dict[str, tuple[str, ...]] = {"legal_name": (of_name,)}
    for field in FIELDS[1:]:
        order = country.precedence.get(field, ())
        found[field] = (*(key for key in order if key in keys), *(key for key in keys if key not in order))
    return found
