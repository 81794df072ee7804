"""All that is known of a company, for the authenticated interface: the public record and what stands behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from padron.country import GIVEN, Country, LegalForm, Source
from padron.index.document import ACRONYM_AFTER_FORM, StoredCompany, StoredRecord, decode_record
from padron.lookup.find import Doubt
from padron.model import Identifier, Record, Text
from padron.snapshot import Name
from padron.text import split_form


class Detail(NamedTuple):
    """A company in full. Dates are ISO texts; `form` is None where the legal name ends in none that is known.

    `sources` are by precedence. `provenance`: each column of `GIVEN` that is known -> key of the source that gave it.
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
    provenance: dict[str, str]


class Seen(NamedTuple):
    """A search result in full: its confidence is in `detail.record`; `sentence` says why it is one, to be quoted."""

    detail: Detail
    margin: float
    matched_on: str
    explanations: dict[str, float]
    sentence: Text


class Sight(NamedTuple):
    """A search in full: the likeliest companies, the likeliest first, what is said beside them, why none is sure."""

    results: Sequence[Seen]
    hints: Sequence[Text]
    doubt: Doubt | None


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
        provenance=_provenance(stored, texts),
    )


def _provenance(stored: StoredRecord, texts: list[str]) -> dict[str, str]:
    """The source of each column of `GIVEN` that one gave."""
    given = texts[stored.given].split("|") if stored.given else [texts[stored.source]] * len(GIVEN)
    return {name: key for name, key in zip(GIVEN, given, strict=True) if getattr(stored, name)}
