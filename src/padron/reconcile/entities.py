"""Entities, types and properties of the service: companies, the countries of their registers, facts about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from string import ascii_lowercase
from typing import Final, NamedTuple

from padron.companies.model import CountryCode
from padron.countries import REGISTRY
from padron.countries.country import Status, by_cell
from padron.directory import Directory
from padron.index.tags import stem
from padron.lists.matcher import is_at
from padron.lookup.detail import Detail
from padron.reconcile.model import Thing, Wanted
from padron.text import CONNECTIVES, fold
from padron.words import Language, Text, bilingual

ROOT: Final = "company"
"""The type of every entity; below it there is one per country."""


IDENTIFIER: Final = "identifier"
"""The property of official numbers."""
STATUS: Final = "status"
"""The property of the state, in any words for it."""
ACTIVITY: Final = "activity"
"""The property of the activity, by its code or in words."""
_PLACES: Final = ("city", "region")
"""The properties of places."""


class Property(NamedTuple):
    """A property: its name, and the texts by which a company has it, the first being the one to show."""

    name: Text
    values: Callable[[Detail], Iterable[str | None]]


def _country(detail: Detail) -> tuple[str, ...]:
    name = REGISTRY[detail.record.country_code].name
    return detail.record.country_code, name.es, name.en


def _identifiers(detail: Detail) -> tuple[str, ...]:
    return (detail.record.identifier, *(value for _, _, value in detail.identifiers))


def _source(detail: Detail) -> tuple[str | None]:
    source = detail.record.source
    return (source.source_name if source else None,)


def _date(detail: Detail) -> tuple[str | None]:
    day = detail.record.refreshed_at
    return (day.date().isoformat() if day else None,)


PROPERTIES: Final[Mapping[str, Property]] = {
    "country": Property(bilingual("Country"), _country),
    IDENTIFIER: Property(bilingual("Official identifier"), _identifiers),
    "city": Property(bilingual("City or municipality"), lambda detail: (detail.details.municipality,)),
    "region": Property(bilingual("Province, state or department"), lambda detail: (detail.details.region,)),
    STATUS: Property(bilingual("Status"), lambda detail: (detail.record.status, detail.details.status_raw)),
    ACTIVITY: Property(
        bilingual("Activity"),
        lambda detail: (detail.record.classification_label, detail.record.classification_code),
    ),
    "legalName": Property(bilingual("Legal name"), lambda detail: (detail.record.legal_name,)),
    "tradeName": Property(bilingual("Trade name"), lambda detail: (detail.record.trade_name,)),
    "scheme": Property(bilingual("Kind of identifier"), lambda detail: (detail.record.scheme,)),
    "source": Property(
        bilingual("Official source"),
        lambda detail: (detail.record.source.source_name if detail.record.source else None,),
    ),
    "date": Property(
        bilingual("Date of the data"),
        lambda detail: (detail.record.refreshed_at.date().isoformat() if detail.record.refreshed_at else None,),
    ),
}
"""The properties by id; financial values are none of them."""


_DENYING: Final = frozenset("no nao not non".split())
"""Words before a status that deny it."""

_BY_CELL: Final = by_cell(REGISTRY)
"""The countries by all that a cell may call them, folded."""


def types(language: Language) -> list[Thing]:
    """Return the types: all companies, and those of each country."""
    root = Thing(id=ROOT, name=bilingual("Company").of(language))
    return [root, *(type_of(code, language) for code in REGISTRY)]


def type_of(country: CountryCode, language: Language) -> Thing:
    """Return the type of the companies of a country."""
    name = bilingual("Company of {country}", country=REGISTRY[country].name).of(language)
    return Thing(id=f"{ROOT}-{country}", name=name, broader=[Thing(id=ROOT, name=bilingual("Company").of(language))])


def properties(language: Language) -> list[Thing]:
    """Return the properties."""
    return [Thing(id=key, name=entry.name.of(language)) for key, entry in PROPERTIES.items()]


def country_of(text: str) -> CountryCode | None:
    """Return the country with a code, a type or a name as in a cell of a list, None if there is none."""
    return _BY_CELL.get(fold(text.removeprefix(f"{ROOT}-")))


def is_uncovered(kind: str) -> bool:
    """Return whether a text is the type of the companies of a country that is not covered."""
    return kind.startswith(f"{ROOT}-") and country_of(kind) is None


def entity_id(detail: Detail) -> str:
    """Return the identifier of a company as an entity: country and identifier."""
    return f"{detail.record.country_code}/{detail.record.identifier}"


def located(entity: str) -> tuple[CountryCode, str] | None:
    """Return country and identifier of an entity's identifier, None for any other text."""
    country, slash, identifier = entity.partition("/")
    return (country, identifier) if slash and country in REGISTRY and identifier else None


class PropertyComparison:
    """A property that is asked for, read once to be compared with every candidate."""

    def __init__(self, directory: Directory, wanted: Wanted) -> None:
        self.wanted = wanted
        self._directory = directory
        self._values = [_compact(value) for value in wanted.values]
        self._numbers = [directory.numbers(value) for value in wanted.values if wanted.property == IDENTIFIER]
        self._states = [directory.states(value) for value in wanted.values if wanted.property == STATUS]
        self._denied = [directory.states(_affirmed(value)) for value in wanted.values if wanted.property == STATUS]
        self._places = [
            (fold(value), directory.context(value)) for value in wanted.values if wanted.property in _PLACES
        ]
        self._stems = [_stems(value) for value in wanted.values if wanted.property == ACTIVITY]

    def agrees(self, detail: Detail) -> bool | None:
        """Return whether a company has the property, None if that is not known."""
        values = {_compact(value) for value in PROPERTIES[self.wanted.property].values(detail) if value}
        known = [value in values or self._is_alike(detail, place) for place, value in enumerate(self._values)]
        given = [hit for hit in known if hit is not None]
        if not values or not given:
            return None
        if self.wanted.quantifier == "none":
            return not any(given)
        return all(given) if self.wanted.quantifier == "all" else any(given)

    def _is_alike(self, detail: Detail, place: int) -> bool | None:
        """Return whether a value that is written otherwise is the company's, None if that cannot be told."""
        match self.wanted.property:
            case "identifier":
                return self._directory.agrees(detail, self._numbers[place])
            case "status":
                return self._is_status(detail, place)
            case "activity":
                return self._is_activity(detail, place)
            case "country":
                return country_of(self.wanted.values[place]) == detail.record.country_code
            case "city" | "region":
                return self._is_place(detail, place)
        return False

    def _is_status(self, detail: Detail, place: int) -> bool | None:
        """Return whether a company has a status, in the words of its register or in any of the lexicon."""
        if detail.record.status == "unknown":
            return None
        if denied := self._denied[place]:
            return detail.record.status not in denied
        own = REGISTRY[detail.record.country_code].status(self.wanted.values[place])
        states = self._states[place] if own is Status.UNKNOWN else frozenset([own])
        return detail.record.status in states if states else None

    def _is_place(self, detail: Detail, place: int) -> bool:
        """Return whether a company is at a place as rows of lists have them.

        Its region stands for a city that is not known, and the other way around.
        """
        name, known = self._places[place]
        either = (detail.details.municipality, detail.details.region)
        city, region = either[0] or either[1], either[1] or either[0]
        registered = fold((city if self.wanted.property == "city" else region) or "")
        return bool(name) and is_at(name, registered, known) is True

    def _is_activity(self, detail: Detail, place: int) -> bool | None:
        """Return whether a value is the company's code or the beginning of it, or has the words of its label.

        A section's letter before a code does not count. Other words may tell of the same activity.
        """
        value, code = self._values[place], _compact(detail.record.classification_code or "")
        if len(self.wanted.values[place].split()) == 1 and any(map(str.isdigit, value)):
            return code.startswith(value) or code.lstrip(ascii_lowercase).startswith(value) if code else None
        stated, own = self._stems[place], _stems(detail.record.classification_label or "")
        if stated and own and (own <= stated or stated <= own):
            return True
        return False if self.wanted.quantifier == "none" else None


def _affirmed(text: str) -> str:
    """Return what a text denies (`no activa`), empty where it denies nothing."""
    first, _, rest = fold(text).partition(" ")
    return rest if first in _DENYING else ""


def _stems(text: str) -> frozenset[str]:
    """Return the words of a text without connectives and endings."""
    return frozenset(map(stem, set(fold(text).split()) - CONNECTIVES))


def _compact(text: str) -> str:
    """Return a text for comparison: neither case, accents nor separators count."""
    return fold(text).replace(" ", "")
