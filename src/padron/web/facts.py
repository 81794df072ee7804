"""The facts of a company, collected once for its page in HTML, JSON and Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final, NamedTuple

from padron.companies import isic
from padron.companies.company import Record, Teaser
from padron.companies.fields import LISTED
from padron.companies.model import Statement, camel
from padron.countries import REGISTRY
from padron.countries.country import Country, Source
from padron.lookup.detail import Detail
from padron.web import glossary
from padron.web.plain import calm, plain
from padron.words import N_, Language, translate

_CALLED: Final = {
    "legal_name": N_("Name"),
    "trade_name": glossary.NAME["trade"],
    "status_raw": N_("Status"),
    "legal_form_raw": N_("Legal form"),
    "activity_code": N_("Activity"),
    "region": N_("Place"),
    "municipality": N_("Place"),
}
"""Column whose source is kept -> what the page calls its facts; any other is called as in `LISTED`."""
LONG_ACTIVITY: Final = 120
"""Letters beyond which the register's words for an activity are a definition, which nobody reads at first sight."""
_LABELS: Final = {column.name: label for column, label in LISTED}


class DisplayedIdentifier(NamedTuple):
    """An identifier as people write it, with the label and meaning of its scheme; `value` is canonical."""

    scheme: str
    value: str
    shown: str
    label: str
    meaning: str | None


class OfficialRecord(NamedTuple):
    """Page of a register about the company: at `address`, or there once its number or its name is typed."""

    register: str
    address: str
    number: str | None = None
    name: str | None = None


class DisplayedName(NamedTuple):
    """Another name; `kind` is a `model.NameKind`. A name of no register has the document that states it.

    `since` and `until` are days, or years as text.
    """

    kind: str
    name: str
    since: date | str | None = None
    until: date | str | None = None
    title: str | None = None
    address: str | None = None


class ShownActivity(NamedTuple):
    """An activity in the words that come first for a reader, and the code of their language."""

    text: str
    language: str
    of_isic: bool


class NamedSource(NamedTuple):
    """A source, and what the page calls the facts that it states of the company."""

    source: Source
    facts: tuple[str, ...]


class Fact(NamedTuple):
    """A column that the page lists: its label, the member that the API sends it as, and its value."""

    label: str
    member: str
    value: str | int | float | date | None


class Facts(NamedTuple):
    """The facts of a company in one language. Every text of a register is cleaned (`plain`)."""

    name: str
    country: Country
    number: DisplayedIdentifier
    others: tuple[DisplayedIdentifier, ...]
    names: tuple[DisplayedName, ...]
    status: tuple[str, str, str] | None
    """Code, name and explanation; None if the source publishes none."""
    status_official: str | None
    status_as_of: date | None
    """Day of the official status, None where it is of another source than `refreshed`."""
    form: str | None
    form_official: str | None
    activity: tuple[str | None, str | None]
    """Code and official wording."""
    isic: tuple[str, str] | None
    """Code and name in ISIC, None where the official code does not tell it."""
    shown_activity: ShownActivity | None
    region: str | None
    municipality: str | None
    incorporated: date | None
    ended: date | None
    listed: tuple[Fact, ...]
    home: str | None
    financials: bool
    years: tuple[int, ...]
    """Fiscal years of its statements, the latest first."""
    refreshed: date | None
    source: Source | None
    """The source of the name."""
    origins: tuple[NamedSource, ...]
    """Every source of a fact, that of the name first."""
    official: tuple[OfficialRecord, ...]
    name_alone: bool
    """True if nothing is known but the name and the number."""


def displayed_identifier(country: Country, scheme: str, value: str, language: Language) -> DisplayedIdentifier:
    """Return an identifier with the label and meaning of its scheme.

    Args:
        value: The canonical identifier.

    Returns:
        The identifier as a page shows it.
    """
    definition = country.scheme_by_code[scheme]
    meaning = definition.meaning and definition.meaning.of(language)
    return DisplayedIdentifier(scheme, value, definition.show(value), definition.label.of(language), meaning)


def shown_identifier(company: Teaser) -> str:
    """Return the identifier of a company as people write it."""
    return REGISTRY[company.country_code].scheme_by_code[company.scheme].show(company.identifier)


def status_as_of(detail: Detail) -> date | None:
    """Return the day of the official status: known where the source of the name states it too."""
    provenance, refreshed = detail.provenance, detail.record.refreshed_at
    dated = refreshed and provenance.get("status_raw") == provenance.get("legal_name")
    return refreshed.date() if refreshed and dated else None


def shown_activity(company: Teaser, language: Language) -> ShownActivity | None:
    """Return the words of the register, or those of ISIC where the former are long, none or in another language."""
    country = REGISTRY[company.country_code]
    official = calm(plain(company.classification_label or ""))
    named = _isic(company.classification_code, country, language)
    if named and (country.language != language or not 0 < len(official) <= LONG_ACTIVITY):
        return ShownActivity(named[1], language, True)
    return ShownActivity(official, country.language, False) if official else None


def facts(detail: Detail, language: Language, statements: Sequence[Statement] = ()) -> Facts:
    """Return the facts of a company.

    Args:
        statements: Its yearly statements, of which only the years are kept.
    """
    record = detail.record
    country = REGISTRY[record.country_code]
    state = record.status
    refreshed = record.refreshed_at.date() if record.refreshed_at else None
    origins = _origins(detail, language)
    return Facts(
        name=plain(record.legal_name),
        country=country,
        number=displayed_identifier(country, record.scheme, record.identifier, language),
        others=tuple(displayed_identifier(country, scheme, value, language) for scheme, _, value in detail.identifiers),
        names=_names(detail, record, country),
        status=state
        and (state, translate(glossary.STATUS[state], language), translate(glossary.STATUS_MEANING[state], language)),
        status_official=_maybe(detail.details.status_raw),
        status_as_of=status_as_of(detail),
        form=detail.form.label.of(language) if detail.form else None,
        form_official=_maybe(detail.details.legal_form_raw),
        activity=(_maybe(record.classification_code), _maybe(record.classification_label)),
        isic=_isic(record.classification_code, country, language),
        shown_activity=shown_activity(record, language),
        region=_maybe(detail.details.region),
        municipality=_maybe(detail.details.municipality),
        incorporated=detail.details.incorporated,
        ended=detail.details.ended,
        listed=tuple(
            Fact(label.of(language), camel(column.member or column.name), _plain(getattr(detail.details, column.name)))
            for column, label in LISTED
        ),
        home=detail.details.home,
        financials=record.financials_available,
        years=tuple(dict.fromkeys(statement.fiscal_year for statement in statements)),
        refreshed=refreshed,
        source=origins[0].source if origins else None,
        origins=origins,
        official=_official(detail, country),
        name_alone=detail.name_alone,
    )


def _names(detail: Detail, record: Record, country: Country) -> tuple[DisplayedName, ...]:
    """Every other name, each once: the trade name of the record first, and those of a kind together."""
    documents = {by_name.name: by_name for by_name in country.by_names_of(record.identifier)}
    names: dict[tuple[str, str], DisplayedName] = {}
    if record.trade_name:
        trade = plain(record.trade_name)
        names["trade", trade] = DisplayedName("trade", trade)
    for name in detail.names:
        text = plain(name.name)
        displayed = DisplayedName(name.kind, text, _date(name.since), _date(name.until))
        if name.kind == "byName" and (stated := documents.get(name.name)):
            dates = _day_or_year(stated.since), _day_or_year(stated.until)
            displayed = DisplayedName(name.kind, text, *dates, stated.title, stated.address)
        names.setdefault((name.kind, text), displayed)
    kinds = list(dict.fromkeys(kind for kind, _ in names))
    return tuple(sorted(names.values(), key=lambda name: kinds.index(name.kind)))


def _official(detail: Detail, country: Country) -> tuple[OfficialRecord, ...]:
    """The pages of registers by the numbers of the company, its own first and each page once."""
    numbers = [(detail.record.scheme, detail.record.identifier)]
    numbers += [(scheme, value) for scheme, _, value in detail.identifiers]
    records: dict[str, OfficialRecord] = {}
    for code, value in numbers:
        scheme = country.scheme_by_code[code]
        if scheme.official_page:
            register, address, typed = scheme.official_page
            shown = scheme.show(value)
            record = OfficialRecord(register, address.format(number=shown))
            if typed == "name":
                record = record._replace(name=plain(detail.record.legal_name))
            elif record.address == address:
                record = record._replace(number=shown)
            records.setdefault(register, record)
    return tuple(records.values())


def _origins(detail: Detail, language: Language) -> tuple[NamedSource, ...]:
    """Return the sources of a company in the order of its columns, of which the name is the first."""
    sources, facts = {source.key: source for source in detail.sources}, dict[str, list[str]]()
    for column, key in detail.provenance.items():
        if key in sources:
            facts.setdefault(key, []).append(_called(column, language))
    return tuple(NamedSource(sources[key], tuple(dict.fromkeys(called))) for key, called in facts.items())


def _called(column: str, language: Language) -> str:
    return translate(_CALLED[column], language) if column in _CALLED else _LABELS[column].of(language)


def _plain(value: str | int | float | date | None) -> str | int | float | date | None:
    return plain(value) if isinstance(value, str) else value


def _isic(official: str | None, country: Country, language: Language) -> tuple[str, str] | None:
    """Return the code and name of an activity in ISIC."""
    code = isic.isic_code(official, country.isic)
    return (code, isic.names()[code].of(language)) if code else None


def _maybe(text: str | None) -> str | None:
    return plain(text) if text else None


def _day_or_year(text: str) -> date | str | None:
    return text if text.isdigit() else _date(text)


def _date(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
