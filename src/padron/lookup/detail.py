"""The full view of a company for v1 and its page: the public record, its details and their sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from padron.companies.company import Details, Record, StoredRecord, details
from padron.companies.fields import TRACED, UNKNOWN_HOME
from padron.companies.model import Identifier, Name
from padron.countries.country import Country, LegalFormEntry, Source, UncoveredKind
from padron.index.document import StoredCompany, decode_record
from padron.lookup.find import Doubt
from padron.text import split_form
from padron.words import Text

_NAMED_BY: Final = {"scheme", "identifier", "legal_name", "source", "sources", "given", "refreshed"}
_BESIDE_NAME: Final = tuple(column for column in StoredRecord.__struct_fields__ if column not in _NAMED_BY)


class Detail(NamedTuple):
    """A company in full; `form` is None where the legal name ends in none that is known.

    `sources` are by precedence. `provenance`: each column of `TRACED` that is known -> key of the source that gave it.
    `name_alone`: nothing is known but name and number. `link` is what the records of one company in several registers
    have in common; None where there is one record.
    """

    record: Record
    details: Details
    form: LegalFormEntry | None
    names: tuple[Name, ...]
    identifiers: tuple[tuple[str, Text, str], ...]
    sources: tuple[Source, ...]
    provenance: dict[str, str]
    name_alone: bool
    link: str | None


class DetailedMatch(NamedTuple):
    """A search result in full: its confidence is in `detail.record`; `sentence` says why it is one, to be quoted.

    `reason` is what of the query matches it and what does not, within the sentence. `mistyped`: it is matched on an
    identifier that differs from its own.
    """

    detail: Detail
    margin: float
    matched_on: str
    explanations: dict[str, float]
    reason: Text
    sentence: Text
    mistyped: bool


class DetailedMatches(NamedTuple):
    """A search in full: a page of the `total` companies, the likeliest first, hints, and why none is sure.

    `uncovered` are kinds of company that may be meant where none is sure, and that the sources of their country lack;
    there is a hint about each too.
    """

    results: Sequence[DetailedMatch]
    total: int
    hints: Sequence[Text]
    doubt: Doubt | None
    uncovered: Sequence[tuple[Country, UncoveredKind]] = ()


class LocatedDetail(NamedTuple):
    """A company by identifier, the identifier as asked, and how that relates to it (as `directory.Located`).

    `mistyped`: the check digit asked for is wrong, and not that of a number which the register gives.
    """

    release: str
    detail: Detail
    requested: Identifier
    alias: bool
    branch: bool
    mistyped: bool


def detail(company: StoredCompany, record: Record, texts: list[str], registry: Mapping[str, Country]) -> Detail:
    """Return the full view of a company."""
    stored = decode_record(company.record)
    own = details(stored, texts)
    country = registry[record.country_code]
    forms = split_form(stored.legal_name, country.forms, acronyms=country.acronym_after_form).forms
    keys = tuple(filter(None, texts[stored.sources].split("|")))
    known = {source.key: source for source in country.sources}
    return Detail(
        record=record,
        details=own if own.home != UNKNOWN_HOME else own._replace(home=None),
        form=country.legal_form_of(forms, own.legal_form_raw),
        names=tuple(Name(texts[kind], name, since, until) for kind, name, since, until in stored.names),
        identifiers=tuple(
            (texts[scheme], country.scheme_by_code[texts[scheme]].label, value) for scheme, value in stored.aliases
        ),
        sources=tuple(known[key] for key in keys if key in known),
        provenance=_provenance(stored, texts),
        name_alone=is_name_alone(stored),
        link=company.link,
    )


def is_name_alone(stored: StoredRecord) -> bool:
    """Check whether nothing is known of a company but its name and its number."""
    return not any(getattr(stored, column) for column in _BESIDE_NAME)


def _provenance(stored: StoredRecord, texts: list[str]) -> dict[str, str]:
    """Return the source of each column of `TRACED` that one gave."""
    given = texts[stored.given].split("|") if stored.given else [texts[stored.source]] * len(TRACED)
    return {name: key for name, key in zip(TRACED, given, strict=True) if getattr(stored, name)}
