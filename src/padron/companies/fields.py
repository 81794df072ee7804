"""The fields of a company: one table, from which every form that a company takes is derived.

`FIELDS` are the columns of a snapshot. `COMPOSED` are the members of an answer that are no single column: they are
joined or composed when a company is served. From the two come

- when running: the tables and the merge of a build, the columns of companies.parquet, the Spanish of the OpenAPI
  descriptions, the facts on a company's page, the table of fields in the documentation;
- by `make generate`: `companies/company.py`, the typed classes of a company (read from a snapshot, stored in an index,
  sent in an answer) and the functions between them. The types of the clients follow from the OpenAPI description.

To add a field, see "How to add a field" in CONTRIBUTING.md.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final, Literal, NamedTuple

from padron.companies.model import camel
from padron.words import Text

NAMES_TYPE: Final = "STRUCT(kind VARCHAR, name VARCHAR, since DATE, until DATE)[]"
IDS_TYPE: Final = "STRUCT(scheme VARCHAR, value VARCHAR)[]"
UNKNOWN_HOME: Final = "XX"
"""`home` of a filer that is foreign by its forms, whose country no file states: it links records, it is not served."""

Merge = Literal["best", "largest", "key", "all", "computed"]
"""Rules for merging the records of one company.

`best`: from the best record that has it, by precedence of sources, then the newest, then the first in its file.
`largest`: the largest. `key`: with its scheme, the identifier of the best scheme. `all`: of all records together.
`computed`: by the build; a country's SQL does not state it.
"""

Served = Literal["teaser", "record", "v1", "internal"]
"""Interfaces that send a member.

`teaser`: all. `record`: the public lookup of one company, and v1. `v1`: v1 only. `internal`: none. What the public
interface sends is specified: a new field is `v1` or `internal`.
"""


class Field(NamedTuple):
    """A column of a snapshot. Every text for readers is (Spanish, English).

    Attributes:
        name: Name in a country's SQL, in the snapshot, in an index.
        type: DuckDB type.
        meaning: What it holds, for whoever reads a snapshot.
        nullable: Whether it may be null.
        merge: How the records of one company become its value.
        traced: Whether a snapshot says which source gave it (`given`).
        shared: Whether many companies share its texts: an index then stores each text once.
        stored: Whether an index stores it in the record of a company.
        served: Where it is sent; a column that only a member of `COMPOSED` is composed of has no `description`.
        member: Name on the wire in snake_case, where it is another.
        wire: Python type on the wire, where it is not that of the column.
        limits: Further arguments of its `msgspec.Meta`.
        description: What the member holds, for whoever calls the API.
        example: A value as it is sent.
        label: What a company's page calls it; the page lists every `v1` column that has one, in this order.
    """

    name: str
    type: str
    meaning: str
    nullable: bool = True
    merge: Merge = "best"
    traced: bool = False
    shared: bool = False
    stored: bool = True
    served: Served = "internal"
    member: str = ""
    wire: str = ""
    limits: str = ""
    description: Text | None = None
    example: Any = None
    label: Text | None = None


class ComposedField(NamedTuple):
    """A member of an answer that is joined or composed when a company is served: name in snake_case, Python type.

    One without a `description` is described by its type.
    """

    name: str
    wire: str
    served: Served
    description: Text | None = None
    limits: str = ""
    example: Any = None


FIELDS: Final[tuple[Field, ...]] = (
    Field(
        "scheme",
        "VARCHAR",
        "scheme of `identifier`",
        nullable=False,
        merge="key",
        shared=True,
        served="teaser",
        description=Text(
            "Esquema de `identifier`, por ejemplo `br-cnpj`.", "Scheme of `identifier`, for example `br-cnpj`."
        ),
        example="br-cnpj",
    ),
    Field(
        "identifier",
        "VARCHAR",
        "canonical official identifier, unique with `scheme` in the country",
        nullable=False,
        merge="key",
        served="teaser",
        description=Text(
            "Identificador oficial en su forma canónica: sin separadores.",
            "Official identifier in canonical form: no separators.",
        ),
        example="33000167000101",
    ),
    Field("aliases", IDS_TYPE, "every other identifier that resolves to this company", nullable=False, merge="all"),
    Field(
        "legal_name",
        "VARCHAR",
        "as published, blanks collapsed, register tails kept",
        nullable=False,
        traced=True,
        served="teaser",
        description=Text("Nombre en el registro.", "Name in the register."),
        example="PETROLEO BRASILEIRO S A PETROBRAS",
    ),
    Field(
        "trade_name",
        "VARCHAR",
        "main trade name",
        traced=True,
        served="teaser",
        description=Text(
            "Nombre comercial, cuando el registro indica uno.", "Name it trades under, where the register states one."
        ),
        example="PETROBRAS",
    ),
    Field(
        "names",
        NAMES_TYPE,
        "other names; kind is trade, former, alternative, ticker, byName (in a public document, not in a register)"
        " or doubtfulByName (one that has ended, or that only an undated list states)",
        nullable=False,
        merge="all",
    ),
    Field(
        "status",
        "VARCHAR",
        "a `Status`, null where the sources publish none",
        merge="computed",
        shared=True,
        served="teaser",
        wire='Literal["active", "inactive", "suspended", "in_liquidation", "dissolved", "annulled", "unknown"]',
        description=Text(
            "Nulo: la fuente no publica ninguno. `unknown`: publica uno que no sabemos traducir.",
            "Null: the source publishes none. `unknown`: it publishes one we cannot map.",
        ),
        example="active",
    ),
    Field(
        "status_raw",
        "VARCHAR",
        "the official wording",
        traced=True,
        shared=True,
        served="v1",
        member="official_status",
        description=Text(
            "El estado (`status`) con las palabras del registro.", "The register's own wording of `status`."
        ),
        example="ATIVA",
    ),
    Field(
        "legal_form_raw",
        "VARCHAR",
        "legal form as the register words it, where it is a field",
        traced=True,
        shared=True,
        served="v1",
        member="legal_form",
    ),
    Field(
        "activity_code",
        "VARCHAR",
        "classification code of the country",
        traced=True,
        shared=True,
        served="teaser",
        member="classification_code",
        description=Text(
            "Código de la actividad principal, en la clasificación propia del país.",
            "Code of the main activity, in the country's own classification.",
        ),
        example="1921700",
    ),
    Field(
        "activity_label",
        "VARCHAR",
        "its official wording",
        shared=True,
        served="teaser",
        member="classification_label",
        description=Text("Texto oficial, en el idioma oficial.", "Official wording, in the official language."),
        example="Fabricação de produtos do refino de petróleo",
    ),
    Field(
        "region",
        "VARCHAR",
        "province, state or department",
        traced=True,
        shared=True,
        served="v1",
        description=Text(
            "Provincia, estado o departamento; nunca una calle.", "Province, state or department; never a street."
        ),
        example="RJ",
    ),
    Field(
        "municipality",
        "VARCHAR",
        "city or municipality",
        traced=True,
        shared=True,
        served="v1",
        description=Text("Municipio o cantón.", "Municipality or canton."),
        example="RIO DE JANEIRO",
    ),
    Field(
        "incorporated",
        "DATE",
        "date of constitution",
        traced=True,
        served="v1",
        member="incorporated_on",
        description=Text(
            "Día de la constitución, o de la inscripción en el registro.",
            "Day of incorporation, or of entry into the register.",
        ),
        example="1953-10-03",
        label=Text("Constitución", "Incorporated"),
    ),
    Field(
        "ended",
        "DATE",
        "date the company ended",
        traced=True,
        served="v1",
        member="ended_on",
        description=Text("Día en que terminó.", "Day it ended."),
        label=Text("Fin", "Ended"),
    ),
    Field(
        "establishments",
        "INTEGER",
        "establishments known to the source",
        traced=True,
        served="v1",
        limits="ge=0",
        description=Text("Establecimientos que cuenta el registro.", "Establishments the register counts."),
        example=220,
        label=Text("Establecimientos", "Establishments"),
    ),
    Field(
        "home",
        "VARCHAR",
        "country of incorporation of a foreign filer, ISO 3166, `XX` where no file states it; null for a home company",
        shared=True,
        served="v1",
        member="country_of_incorporation",
        description=Text(
            "ISO 3166-1 alfa-2, de una empresa extranjera en este registro.",
            "ISO 3166-1 alpha-2, of a foreign company in this register.",
        ),
    ),
    Field(
        "size",
        "DOUBLE",
        "0 to 1, how prominent the source makes it; only breaks ties; never served",
        merge="largest",
        stored=False,
    ),
    Field("source", "VARCHAR", "key of the source of `legal_name`", nullable=False, merge="computed", shared=True),
    Field("sources", "VARCHAR[]", "keys of all sources, by precedence", nullable=False, merge="computed", shared=True),
    Field(
        "given",
        "VARCHAR[]",
        "key of the source of each traced column (`fields.TRACED`); empty: all from `source`",
        nullable=False,
        merge="computed",
        shared=True,
    ),
    Field(
        "refreshed",
        "DATE",
        "date the publisher states for the data of `source`, or the day its file was retrieved",
        merge="computed",
        shared=True,
        served="record",
        member="refreshed_at",
        wire="datetime",
        description=Text(
            "Fecha que indica el publicador o, si no, día en que se obtuvo el archivo; nunca la de construcción.",
            "Date the publisher states, or else the day the file was retrieved; never our build time.",
        ),
        example="2026-10-01T00:00:00Z",
    ),
    Field(
        "financials",
        "BOOLEAN",
        "the release holds a yearly statement of this company",
        nullable=False,
        merge="computed",
        served="teaser",
        member="financials_available",
        description=Text(
            "Si hay algún estado anual en esta versión.", "Whether there is a yearly statement in this release."
        ),
        example=True,
    ),
)
"""The columns of companies.parquet, in its order: the allow-list of what can ever be served."""

COMPOSED: Final[tuple[ComposedField, ...]] = (
    ComposedField(
        "country_code",
        "CountryCode",
        "teaser",
        Text("País del registro, no de la sede.", "Country of the register, not of the seat."),
        example="BR",
    ),
    ComposedField(
        "id_label",
        "str",
        "teaser",
        Text(
            "Cómo se llama el identificador, en el idioma del lector.",
            "What the identifier is called, in the reader's language.",
        ),
        example="CNPJ",
    ),
    ComposedField(
        "confidence",
        "float | None",
        "teaser",
        Text(
            "Probabilidad calibrada de que esta sea la empresa buscada.",
            "Calibrated probability that this is the company meant.",
        ),
        limits="ge=0, le=1",
        example=0.9934,
    ),
    ComposedField("canonical_urls", "CanonicalUrls", "teaser"),
    ComposedField("source", "SourceRef | None", "record"),
    ComposedField("legal_form", "LegalForm | None", "v1"),
    ComposedField("names", "list[OtherName]", "v1"),
    ComposedField("identifiers", "list[OtherIdentifier]", "v1"),
    ComposedField("activities", "list[Activity]", "v1"),
    ComposedField("sources", "list[EntitySource]", "v1", Text("Por orden de precedencia.", "By precedence.")),
    ComposedField(
        "provenance",
        "dict[str, str]",
        "v1",
        Text(
            "Miembro que indicó una fuente -> clave, en `sources`, de la que lo dio.",
            "Member that a source stated -> key, in `sources`, of the one that gave it.",
        ),
        example={"legalName": "receita-federal", "officialStatus": "receita-federal"},
    ),
    ComposedField(
        "completeness",
        "float",
        "v1",
        Text("Proporción de los miembros anteriores que se conocen.", "Share of the members above that are known."),
        limits="ge=0, le=1",
        example=0.9,
    ),
    ComposedField("links", "V1Links", "v1"),
)
"""Members of an answer that are no column."""

ORDER: Final = (
    *("legal_name", "trade_name", "country_code", "scheme", "identifier", "id_label", "confidence", "status"),
    *("classification_code", "classification_label", "financials_available", "canonical_urls", "source"),
    *("refreshed_at", "official_status", "legal_form", "names", "identifiers", "activities", "region"),
    *("municipality", "incorporated_on", "ended_on", "establishments", "country_of_incorporation"),
)
"""Members of an answer in the order that readers are used to; any other follows these."""

TRACED: Final = tuple(column.name for column in FIELDS if column.traced)
"""Columns whose source is kept, in the order of the column `given`."""

LAYOUT: Final = sha256(
    "\n".join(f"{column.name} {column.type} {column.shared} {column.stored}" for column in FIELDS).encode()
).hexdigest()[:8]
"""Digest of the columns as they are stored. A release written with other columns is refused and must be built again."""

STATED: Final = tuple(column for column in FIELDS if column.merge != "computed")
"""Columns that a country's SQL states of each record; one that it does not name is null."""

CHOSEN: Final = tuple(column for column in STATED if column.merge in {"best", "largest"})
"""Columns for which one of the values of a company's records is chosen."""

LISTED: Final = tuple((column, column.label) for column in FIELDS if column.label is not None)
"""Columns that a company's page lists, each with its label."""

EXAMPLES: Final = {
    camel(column.member or column.name): column.example for column in FIELDS if column.description is not None
} | {camel(member.name): member.example for member in COMPOSED if member.example is not None}
"""Member -> an example of it as it is sent: all of one company."""

SPANISH: Final = {
    text.en: text.es
    for text in (*(column.description for column in FIELDS), *(member.description for member in COMPOSED))
    if text is not None
}
"""English description of a member -> the Spanish one."""
