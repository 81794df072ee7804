"""The contract of a country: its schemes, statuses, legal forms, activities, words and official sources.

Values and pure functions only: a country does no input or output and knows no other country. The rows of its sources
become companies in `companies.sql` beside it (contract in `padron.ingest.build`).
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from padron.companies.isic import Depth
from padron.companies.model import CountryCode, Identifier
from padron.countries.origin import Manual, Origin
from padron.text import FormTable, bare_number, enumerated, fold, name_key
from padron.words import Text

FEW_REJECTS, _FEW_OF = 3, 20
"""Rejects that stop no source whatever their share, as long as they are at most one of twenty rows: one bad number is
more than a thousandth of a small register."""

_UNDATED_LISTS: Final = ("https://github.com/JerBouma/FinanceDatabase/",)
"""Addresses of lists whose rows state no date: they have symbols that were changed and brands that were sold."""

Row = Sequence[str | None]
ReadDocument = Callable[[Any], Iterable[Row]]


class Status(StrEnum):
    """States a company can be in; null in a record means that its source publishes none."""

    ACTIVE = "active"
    INACTIVE = "inactive"
    SUSPENDED = "suspended"
    IN_LIQUIDATION = "in_liquidation"
    DISSOLVED = "dissolved"
    ANNULLED = "annulled"
    UNKNOWN = "unknown"


class OfficialPage(NamedTuple):
    """A page of a register where a company is looked up by its number, or by its name.

    An `address` with `{number}` is that of the company's own record; on another page what `typed` says has to be typed.
    """

    register: str
    address: str
    typed: Literal["number", "name"] = "number"


@dataclass(frozen=True)
class Scheme:
    """One kind of official identifier.

    `rank`: `primary` answers bare numbers; `fallback` stands where no primary is known and `secondary` only points to a
    company: both match a bare number in a text only with a country or a scheme word (a LEI needs neither).
    `words` are folded words people write before the number. `show` gives the customary written form.
    `key` gives the part under which a company is filed (Brazil: the root of a CNPJ), the whole value by default.
    `check` is where the check digits stand in a number as it is written in full, None where it has none.
    `shape` is the pattern of its bare characters: what has it, and is none the register gives out, is nobody's number
    rather than a wrong one. Empty where every number of that length is given out, or may be a person's.
    `meaning` explains to readers what such a number is and who issues it; pages leave it out where it is None.
    `phrases` are folded names of the number that only questions use. `tax`: it is the tax number of a company.
    `official_page` is where an official register shows the company, None where none is known.
    """

    code: str
    label: Text
    rank: Literal["primary", "fallback", "secondary"]
    words: tuple[str, ...]
    show: Callable[[str], str] = str
    key: Callable[[str], str] = str
    check: slice | None = None
    shape: str = ""
    meaning: Text | None = None
    phrases: tuple[str, ...] = ()
    tax: bool = False
    official_page: OfficialPage | None = None

    @property
    def short_label(self) -> Text:
        """The label without its explanation: `NIT`, not `NIT (tax number)`."""
        return Text(self.label.es.partition(" (")[0], self.label.en.partition(" (")[0])


@dataclass(frozen=True)
class LegalFormEntry:
    """A legal form: `code` is our stable short code (`sa`), `spellings` are compact folded letters (`sadecv`)."""

    code: str
    short: str
    label: Text
    spellings: tuple[str, ...]

    @property
    def is_state(self) -> bool:
        """True for a state of the company that registers write behind its name, which is no legal form."""
        return is_state_of_company(self.code)


def is_state_of_company(code: str) -> bool:
    """Tell the codes of states (`en-liquidacion`, `em-falencia`) from those of legal forms."""
    return code.startswith(("en-", "em-"))


@dataclass(frozen=True)
class Expect:
    """Bounds for a source; the build stops and reports what changed when one is exceeded.

    `min_rows` per build; `max_rejected` and `max_drop` are shares from 0 to 1: of rows read (three rejects stop no
    source where they are one row in twenty at most); of the rows, and of the companies they named, in the last release
    (rows whose columns were swapped are all there, and left out by rule).
    """

    min_rows: int = 1
    max_rejected: float = 0.001
    max_drop: float = 0.2

    def rejectable(self, rows: int) -> int:
        """Return how many of so many rows may be rejected."""
        return max(int(rows * self.max_rejected), min(FEW_REJECTS, rows // _FEW_OF))


@dataclass(frozen=True)
class SourceColumn:
    """A column that is read: `name` in the raw table, `headers` its spellings in the files (folded when compared).

    `pattern` is that of an identifier which is not blank: a row with another one is rejected.
    """

    name: str
    headers: tuple[str, ...] = ()
    required: bool = True
    pattern: str = ""


@dataclass(frozen=True)
class Layout:
    """One shape the files of a source come in; its rows land in the raw table `<source>_<name>`, all text.

    `match`: glob on the file name, or on a zip member's name. `columns` is an allow-list: nothing else is read.
    `header`: `names` maps columns by their header spellings, the header row being the first that holds all required
    ones; `none` takes `columns` by position (an empty `SourceColumn.name` skips a place).
    `private`: header names (or 1-based positions, or JSON keys) of the cells that may never be bundled.
    `official` is False for files somebody re-made from official data: they are never called official format.
    `lookup` tables (domain codes) hold no companies and are not counted in the balance of rows.
    `newest`: of the members of a zip that have this layout only the last by name is read, the others are older months.
    `one_company`: a JSON document tells of one company; one that cannot be read is one reject, as in an archive.
    `read_document` turns a decoded JSON document (or element of a list) into rows in the order of `columns`.
    """

    name: str
    match: str
    format: Literal["csv", "xlsx", "json"]
    columns: tuple[SourceColumn, ...]
    encoding: Literal["utf-8", "cp1252", "utf-16", "mac-roman-mojibake"] | None = None
    delimiter: str = ","
    quote: str = '"'
    header: Literal["names", "none"] = "names"
    sheet: str | None = None
    private: tuple[str | int, ...] = ()
    official: bool = True
    read_document: ReadDocument | None = None
    lookup: bool = False
    newest: bool = False
    one_company: bool = False


@dataclass(frozen=True)
class Source:
    """An official source. `key` names its folder under `data/official/<cc>/` and is the prefix of its raw tables.

    `cadence` is how often the publisher renews it, in days. `parts` are the files that one table comes in: where one of
    them is there, all must be, each as that file or, unpacked, under the name of the same place in `unpacked` (globs).
    """

    key: str
    name: str
    publisher: str
    url: str
    licence: str
    attribution: str
    cadence: int
    layouts: tuple[Layout, ...]
    expect: Expect = field(default_factory=Expect)
    parts: tuple[str, ...] = ()
    unpacked: tuple[str, ...] = ()

    def due(self, day: date) -> date:
        """Return when newer data than that of `day` are expected."""
        return day + timedelta(days=self.cadence)

    def is_late(self, day: date, today: date) -> bool:
        """Compare the age of data of `day` with twice the cadence."""
        return (today - day).days > 2 * self.cadence


class Classification(NamedTuple):
    """A classification of activities and its edition, as it is called officially: `CIIU`, `4.0`."""

    system: str
    version: str


class ExampleSearch(NamedTuple):
    """A search that readers can try; `in_country` limits it to the country it belongs to."""

    text: str
    in_country: bool = False


class PlaceName(NamedTuple):
    """A place named in questions: its folded name, and the folded region or cities that registers write for it.

    `wider` is the name of that region where registers state no smaller place, and this one is only a part of it.
    """

    name: str
    region: str | None
    cities: tuple[str, ...]
    wider: str = ""


class ByName(NamedTuple):
    """A name that a company is known by and that no register states, with the public document that states it.

    `kind`: `brand`, `group`, `abbreviation`, `former` or `symbol`. `title` and `address` are those of the document;
    `read` is the date when it was read. `since` and `until` are the first and the last day or year of the name as a
    document states it, in ISO 8601, empty where none does. A name that several companies could mean stands with each of
    them.
    """

    identifier: str
    name: str
    kind: str
    title: str
    address: str
    read: date
    since: str = ""
    until: str = ""

    @property
    def undated(self) -> bool:
        """True where the document is a list that states no date, so that its names may have ended long ago."""
        return self.address.startswith(_UNDATED_LISTS)

    @property
    def doubtful(self) -> bool:
        """True where the name makes the company never sure: it has ended, or only an undated list has it."""
        return bool(self.until) or self.undated


class UncoveredKind(NamedTuple):
    """A kind of company that the sources lack, wholly or in part, and the official register to look it up in.

    `words` are folded words of the kind (`banco`): they tell it where the country is known. `names` are folded names of
    well-known companies of the kind, without connectives, read in the document of `title` and `address` on the day
    `read`.
    """

    kind: Text
    register: str
    register_url: str
    words: tuple[str, ...]
    names: tuple[str, ...]
    title: str
    address: str
    read: date


class OfficialCount(NamedTuple):
    """The number of companies that exist, according to a public document.

    `counted` says what it counts, `day` is that of the count. `title` and `address` are those of the document, and
    `read` is the date when it was read.
    """

    companies: int
    counted: Text
    day: date
    title: str
    address: str
    read: date


class Outline(NamedTuple):
    """The country on the map of the Americas: an SVG path, and where its code stands (`aside`: outside the path)."""

    path: str
    centre: tuple[float, float]
    aside: bool


@dataclass(frozen=True)
class Country:
    """One country: its registers, their words and their rules.

    `reads` is `identify` for a text in plain marks. `is_surely_person` tells of a text that it refuses as a person's
    number whether that is sure even where another country reads a company's in it. `status(raw)` maps the official
    wording. `classification` is that of every activity code, `isic` the deepest level that it shares with ISIC Rev. 4,
    None where that is not known; `no_statements` says why the registers have no yearly statements, where they have
    none.
    `official_count` is the number of companies that exist, None where no document with one was read.
    `sources` are in order of precedence for every field that `precedence` does not order otherwise (field name ->
    source keys). `examples` are (scheme, identifier) of well-known companies: a release that does not find them is not
    published. `origins` say where the files of `sources` are fetched, and those of `collected`: sources that are kept
    and hold no companies to read.

    Words: `demonyms` count in searches and questions, `phrases` (folded too) name the country in questions only, and
    `as_written` maps spellings that name it only in exactly these characters (`US`, not `us`) to one of these words.
    `in_lists` (folded) are the code of three letters (ISO 3166-1) and the official names, which name it in a cell.
    `article` stands before the English name inside a sentence (`the `). `language` (BCP 47) is that of the registers.
    `acronym_after_form`: its registers write one there (`PETRÓLEO BRASILEIRO S.A. -
    PETROBRAS`). `searches` are what the front page offers to try. `open_statements` is the identifier of the company
    whose yearly statements every account may read. `exchanges` (folded) are the stock exchanges of its companies, as
    they are written before a symbol: `NYSE: F`.
    """

    code: CountryCode
    name: Text
    demonyms: tuple[str, ...]
    schemes: tuple[Scheme, ...]
    sources: tuple[Source, ...]
    reads: Callable[[str], tuple[Identifier, ...]]
    status: Callable[[str], Status]
    classification: Classification
    folder: Path
    examples: tuple[tuple[str, str], ...]
    precedence: dict[str, tuple[str, ...]] = field(default_factory=dict)
    origins: tuple[Origin, ...] = ()
    collected: tuple[Source, ...] = ()
    no_statements: Text | None = None
    official_count: OfficialCount | None = None
    public: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    in_lists: tuple[str, ...] = ()
    as_written: Mapping[str, str] = field(default_factory=dict)
    article: str = ""
    language: str = "es"
    acronym_after_form: bool = False
    searches: tuple[ExampleSearch, ...] = ()
    open_statements: str = ""
    exchanges: tuple[str, ...] = ()
    isic: Depth | None = None
    is_surely_person: Callable[[str], bool] = lambda _: True

    def identify(self, raw: str) -> tuple[Identifier, ...]:
        """Return every reading of `raw` as an identifier of this country, preferred first, in any punctuation.

        Marks around it are no part of it: `"1790016919001"`, `#320193,`.

        Raises `Invalid("invalid-identifier")` when there is none, `NotFound("natural-person-not-covered")` for a
        person's number.
        """
        return self.reads(bare_number(raw))

    @cached_property
    def iso_codes(self) -> tuple[str, ...]:
        """The codes of ISO 3166-1, in capitals, longest first: `ECU`, `EC`."""
        return (*(name.upper() for name in self.in_lists if len(name) == 3), self.code)

    @cached_property
    def legal_forms(self) -> tuple[LegalFormEntry, ...]:
        """The rows of `forms.csv`: code, short, es, en, spellings (separated by `|`)."""
        with (self.folder / "forms.csv").open(encoding="utf-8", newline="") as file:
            return tuple(
                LegalFormEntry(
                    row["code"], row["short"], Text(row["es"], row["en"]), tuple(row["spellings"].split("|"))
                )
                for row in csv.DictReader(file)
            )

    @cached_property
    def places(self) -> tuple[PlaceName, ...]:
        """The rows of `places.csv`, if there is one: place, region, city (cities separated by `|`), maybe wider."""
        return tuple(
            PlaceName(
                row["place"],
                row["region"] or None,
                tuple(filter(None, row["city"].split("|"))),
                row.get("wider", ""),
            )
            for row in self._rows("places.csv")
        )

    @cached_property
    def activity_codes(self) -> dict[str, tuple[str, ...]]:
        """The rows of `activity_codes.csv`, if there is one: activity of questions -> codes or folded labels here."""
        return {row["activity"]: tuple(row["codes"].split("|")) for row in self._rows("activity_codes.csv")}

    @cached_property
    def activities_by_code(self) -> dict[str, tuple[str, ...]]:
        """The beginning of a code, without separators, or a folded label -> the activities of `activity_codes`."""
        activities: dict[str, tuple[str, ...]] = {}
        for activity, codes in self.activity_codes.items():
            for code in codes:
                known = code if code.islower() else code.replace(".", "")
                activities[known] = (*activities.get(known, ()), activity)
        return activities

    def by_names_of(self, identifier: str) -> tuple[ByName, ...]:
        """Return the names that public documents give to the company with `identifier`."""
        return self.by_names.get(identifier, ())

    @cached_property
    def by_names(self) -> dict[str, tuple[ByName, ...]]:
        """Identifier -> its rows of `by_names.csv`, if there is one; the columns `since` and `until` may be absent."""
        by_names: dict[str, tuple[ByName, ...]] = {}
        for row in self._rows("by_names.csv"):
            read, dates = date.fromisoformat(row["read"]), (row.get("since") or "", row.get("until") or "")
            by_name = ByName(row["identifier"], row["name"], row["kind"], row["title"], row["address"], read, *dates)
            by_names[by_name.identifier] = (*by_names.get(by_name.identifier, ()), by_name)
        return by_names

    @cached_property
    def uncovered(self) -> tuple[UncoveredKind, ...]:
        """The rows of `uncovered.csv`, if there is one: kinds of company that the sources lack."""
        return tuple(
            UncoveredKind(
                Text(row["kind_es"], row["kind_en"]),
                row["register"],
                row["register_url"],
                tuple(filter(None, row["words"].split("|"))),
                tuple(name_key(name.split()) for name in row["names"].split("|") if name),
                row["title"],
                row["address"],
                date.fromisoformat(row["read"]),
            )
            for row in self._rows("uncovered.csv")
        )

    def _rows(self, name: str) -> list[dict[str, str]]:
        path = self.folder / name
        return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines())) if path.exists() else []

    @cached_property
    def outline(self) -> Outline | None:
        """The content of `outline.json`, None where there is none: the map then leaves the country out."""
        path = self.folder / "outline.json"
        if not path.exists():
            return None
        drawn = json.loads(path.read_text(encoding="utf-8"))
        return Outline(drawn["path"], tuple(drawn["centre"]), drawn.get("aside", False))

    @property
    def name_in_sentence(self) -> Text:
        """The name as it stands inside a sentence: `Ecuador`, `the United States`."""
        return Text(self.name.es, self.article + self.name.en)

    @cached_property
    def forms(self) -> FormTable:
        """Compact spelling -> code of the legal form, as `text.split_form` wants it."""
        return FormTable({spelling: form.code for form in self.legal_forms for spelling in form.spellings})

    @cached_property
    def words(self) -> frozenset[str]:
        """One-word names of the country and its people, folded: `brasil`, `brazil`, `brasileira`."""
        return frozenset(word for word in map(fold, (*self.name, *self.demonyms)) if " " not in word)

    def has_as_its_own(self, form: str) -> bool:
        """Tell legal forms (by code) of this country's law from foreign ones, whose label ends in brackets."""
        return form in self._own_forms

    def legal_form_of(self, codes: Iterable[str], official: str | None) -> LegalFormEntry | None:
        """Return the legal form that the register calls `official`, else that of a name.

        Args:
            codes: The codes of the legal forms that the name ends in, from left to right. The first of this country's
                law counts, else the first: `TRANSILMEX INC SA DE CV` is an S.A. de C.V. A state of the company (`EN
                LIQUIDACIÓN`) is none.
            official: The legal form in the register's words, if it states one.

        Returns:
            The legal form, None where neither tells a known one.
        """
        stated = self.forms.codes.get(fold(official or "").replace(" ", ""))
        if stated and not self._form_by_code[stated].is_state:
            return self._form_by_code[stated]
        entries = [entry for code in codes if (entry := self._form_by_code.get(code)) and not entry.is_state]
        return next((entry for entry in entries if self.has_as_its_own(entry.code)), entries[0] if entries else None)

    @cached_property
    def _form_by_code(self) -> dict[str, LegalFormEntry]:
        return {form.code: form for form in self.legal_forms}

    @cached_property
    def _own_forms(self) -> frozenset[str]:
        return frozenset(form.code for form in self.legal_forms if not form.label.es.endswith(")"))

    def by_hand(self, source: Source) -> bool:
        """Check whether the files of `source` have to be downloaded by hand."""
        return any(origin.source == source.key and isinstance(origin.way, Manual) for origin in self.origins)

    @cached_property
    def scheme_by_code(self) -> dict[str, Scheme]:
        """The schemes of this country by code."""
        return {scheme.code: scheme for scheme in self.schemes}


def lei_check(value: str) -> bool:
    """Check an LEI by ISO 7064 MOD 97-10 (ISO 17442): letters as A=10 … Z=35, the number mod 97 is 1."""
    return int("".join(str(int(char, 36)) for char in value)) % 97 == 1


_LEI = re.compile(r"(?:lei\b[\s:]*)?((?:[0-9a-z]{4}[ \-]?){4}[0-9a-z]{2}[0-9]{2})", re.IGNORECASE)


def identify_lei(raw: str) -> Identifier | None:
    """Read `raw` as a Legal Entity Identifier, unbroken or in groups of four; None for another structure.

    18 letters or digits and two check digits (ISO 17442), at least one letter: twenty digits are never a real LEI.
    """
    match = _LEI.fullmatch(raw.strip())
    # Whatever the case, Python takes the signs for kelvin and the long s, and the i without dot, for letters of ASCII.
    value = re.sub(r"[ \-]", "", match[1]).upper() if match and match[1].isascii() else ""
    return Identifier("lei", value, lei_check(value)) if value and not value.isdigit() else None


LEI = Scheme(
    "lei",
    Text("LEI", "LEI"),
    "secondary",
    ("lei",),
    meaning=Text(
        "Legal Entity Identifier: código mundial de 20 caracteres para quien participa en mercados financieros "
        "(ISO 17442).",
        "Legal Entity Identifier: a worldwide code of 20 characters for those who take part in financial markets "
        "(ISO 17442).",
    ),
    phrases=("legal entity identifier", "codigo lei"),
    official_page=OfficialPage("GLEIF", "https://search.gleif.org/#/record/{number}"),
)
"""The Legal Entity Identifier (GLEIF), the one scheme all countries share."""


_REQUIRED_FILES: Final = {
    "companies.sql": "how raw rows become companies",
    "forms.csv": "legal forms",
    "activities.csv": "codes and labels of activities; the header alone where the registers publish none",
}


def registry(*countries: Country) -> dict[str, Country]:
    """The countries by code, in the order given.

    Raises `ValueError` with a sentence that names the country and its missing or inconsistent part.
    """
    for country in countries:
        if fault := next(_faults(country), None):
            raise ValueError(f"country {country.code!r} cannot be registered: {fault}")
    by_code = {country.code: country for country in countries}
    if len(by_code) < len(countries):
        raise ValueError(f"two countries have the same code: {', '.join(country.code for country in countries)}")
    return by_code


def _faults(country: Country) -> Iterator[str]:
    """Missing and inconsistent parts of a country, in words."""
    if not re.fullmatch("[A-Z]{2}", country.code):
        yield "its code is not two capital letters (ISO 3166-1 alpha-2)"
    for name, content in _REQUIRED_FILES.items():
        if not (country.folder / name).is_file():
            yield f"its folder has no {name} ({content})"
    for part in ("schemes", "sources", "examples"):
        if not getattr(country, part):
            yield f"it states no {part}"
    if not any(scheme.rank == "primary" for scheme in country.schemes):
        yield "none of its schemes is primary"
    known = {scheme.code for scheme in country.schemes}
    for unknown in {scheme for scheme, _ in country.examples} - known:
        yield f"its example of scheme {unknown!r} is of none of its schemes"
    sources = {source.key for source in (*country.sources, *country.collected)}
    for unknown in {origin.source for origin in country.origins} - sources:
        yield f"its origin of {unknown!r} is of none of its sources"
    for unknown in {key for keys in country.precedence.values() for key in keys} - sources:
        yield f"its precedence names {unknown!r}, which is none of its sources"


def by_cell(registry: Mapping[str, Country]) -> dict[str, str]:
    """Return all that a cell may call a country, folded -> its code."""
    return {
        fold(name): code
        for code, country in registry.items()
        for name in (code, *country.name, *country.demonyms, *country.words, *country.phrases, *country.in_lists)
    }


def names_in_words(countries: Iterable[Country]) -> Text:
    """Names of countries as a sentence lists them: `Ecuador, Mexico and the United States`."""
    names = [country.name_in_sentence for country in countries]
    return Text(enumerated([name.es for name in names], "y"), enumerated([name.en for name in names], "and"))


def scheme_labels(countries: Iterable[Country]) -> Text:
    """Primary schemes as a sentence lists them, each once: `RUC, RFC or CIK`."""
    labels = [scheme.short_label for country in countries for scheme in country.schemes if scheme.rank == "primary"]
    spanish, english = dict.fromkeys(label.es for label in labels), dict.fromkeys(label.en for label in labels)
    return Text(enumerated(list(spanish), "o"), enumerated(list(english), "or"))
