"""Write `src/padron/companies/company.py`, the typed classes of a company, from the table in `padron.companies.fields`.

    make generate

The text is formatted by ruff; `tests/companies/test_company_fields.py` fails while it is not what the table gives.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from padron.companies.fields import COMPOSED, FIELDS, IDS_TYPE, NAMES_TYPE, ORDER, ComposedField, Field, Served

TARGET = Path(__file__).parents[1] / "src/padron/companies/company.py"

READ = {
    "VARCHAR": "str",
    "DATE": "str",
    "INTEGER": "int",
    "BIGINT": "int",
    "DOUBLE": "float",
    "BOOLEAN": "bool",
    "VARCHAR[]": "tuple[str, ...]",
    IDS_TYPE: "tuple[tuple[str, str], ...]",
    NAMES_TYPE: "tuple[Name, ...]",
}
"""DuckDB type -> Python type in a company read from a snapshot; dates are ISO texts."""

STORED = READ | {
    IDS_TYPE: "tuple[tuple[int, str], ...]",
    NAMES_TYPE: "tuple[tuple[int, str, str | None, str | None], ...]",
}
"""The same in a stored record; what is shared is a number."""

WIRE = READ | {"DATE": "date"}
"""The same on the wire."""

FROM_ROW = {
    "VARCHAR[]": "tuple({0})",
    IDS_TYPE: "tuple([(kind, value) for kind, value in {0}])",
    NAMES_TYPE: "tuple([Name(*name) for name in {0}])",
}
"""Conversion of a value of a row into that of a company, for types that need one."""

TO_STORED = {
    "VARCHAR[]": "texts[_joined(company.{0})]",
    IDS_TYPE: "tuple([(texts[scheme], value) for scheme, value in company.{0}])",
    NAMES_TYPE: "tuple([(texts[name.public_kind], name.name, name.since, name.until) for name in company.{0}])",
}
"""Conversion of a value of a company into a stored one, for types that need one."""

HEAD = '''"""A company in each of its forms: read from a snapshot, stored in an index, sent in an answer.

Generated from padron/companies/fields.py by `make generate`: edit that table, never this module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, NamedTuple

from msgspec import Meta, Struct

from padron.companies.model import (
    Activity,
    CanonicalUrls,
    CountryCode,
    EntitySource,
    LegalForm,
    Name,
    OtherIdentifier,
    OtherName,
    SourceRef,
    V1Links,
    Wire,
)

_CACHED: Final = 1 << 14
"""Lists of sources that many companies share, kept at hand."""
'''

TAIL = """
@lru_cache(maxsize=_CACHED)
def _joined(keys: tuple[str | None, ...]) -> str:
    return "|".join([key or "" for key in keys])


def _date(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _midnight(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None
"""

STORED_COLUMNS = [column for column in FIELDS if column.stored]
DETAILS = [column for column in FIELDS if column.served == "v1"]


def _read_type(column: Field) -> str:
    # A traced column that no source states has no key in `given`.
    return "tuple[str | None, ...]" if column.name == "given" else READ[column.type]


def _optional(kind: str, nullable: bool) -> str:
    return f"{kind} | None" if nullable else kind


def _members(*served: Served) -> list[Field | ComposedField]:
    """Members that are sent at these levels, in order; a column is one if it has a description of its own."""
    columns: Iterable[Field | ComposedField] = [column for column in FIELDS if column.description is not None]
    members = [member for member in (*columns, *COMPOSED) if member.served in served]
    return sorted(members, key=lambda member: ORDER.index(_name(member)) if _name(member) in ORDER else len(ORDER))


def _name(member: Field | ComposedField) -> str:
    return (member.member or member.name) if isinstance(member, Field) else member.name


def _wire_type(member: Field | ComposedField) -> tuple[str, bool]:
    """Python type on the wire, and whether it may be null."""
    if isinstance(member, Field):
        return member.wire or WIRE[member.type], member.nullable
    return member.wire.removesuffix(" | None"), member.wire.endswith(" | None")


def _annotation(member: Field | ComposedField) -> str:
    kind, nullable = _wire_type(member)
    if member.description is not None:
        limits = f"{member.limits}, " if member.limits else ""
        kind = f"Annotated[{kind}, Meta({limits}description={_quoted(member.description.en)})]"
    return _optional(kind, nullable)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _wire_class(name: str, base: str, docstring: str, members: Sequence[Field | ComposedField]) -> str:
    lines = [f"    {_name(member)}: {_annotation(member)}" for member in members]
    return "\n".join([f"class {name}({base}, frozen=True, kw_only=True):", f'    """{docstring}"""', "", *lines])


def _company() -> str:
    lines = [f"    {column.name}: {_optional(_read_type(column), column.nullable)}" for column in FIELDS]
    return "\n".join(
        [
            "class Company(NamedTuple):",
            '    """A company as it is read from a snapshot: its country, its columns, and its link.',
            "",
            "    Dates are ISO texts. `link` is the same text for the records of one company in several registers,",
            "    None where it stands in one; `link_home` marks the record of the home register among them, and",
            "    `linked_names` are the trade, former and by-names that the others state.",
            '    """',
            "",
            "    country: str",
            *lines,
            "    link: str | None = None",
            "    link_home: bool = True",
            "    linked_names: tuple[Name, ...] = ()",
        ]
    )


def _from_row() -> str:
    names = ", ".join(column.name for column in FIELDS)
    values = [f"{column.name}={FROM_ROW.get(column.type, '{0}').format(column.name)}," for column in FIELDS]
    return "\n".join(
        [
            "def from_row(country: str, row: tuple[Any, ...], link: str | None, link_home: bool) -> Company:",
            '    """Return the company of a row of companies.parquet, selected in the order of the columns.',
            "",
            "    Args:",
            "        row: The columns; dates as ISO texts, structs as lists.",
            "        link: Text shared by the records of one company in several registers.",
            "        link_home: Whether this is the record of the home register among them.",
            '    """',
            f"    {names} = row",
            "    return Company(country=country,",
            *values,
            "link=link, link_home=link_home)",
        ]
    )


def _stored_class() -> str:
    lines = [
        f"    {column.name}: {'int' if column.shared else _optional(STORED[column.type], column.nullable)}"
        for column in STORED_COLUMNS
    ]
    return "\n".join(
        [
            "class StoredRecord(Struct, array_like=True, frozen=True, gc=False):",
            '    """The columns of a company in an index; shared texts are numbers into `Tables.texts`, 0 for null."""',
            "",
            *lines,
        ]
    )


def _to_stored(column: Field) -> str:
    if column.type in TO_STORED:
        return TO_STORED[column.type].format(column.name)
    return f"texts[company.{column.name}]" if column.shared else f"company.{column.name}"


def _store() -> str:
    values = [f"{column.name}={_to_stored(column)}," for column in STORED_COLUMNS]
    return "\n".join(
        [
            "def stored_record(company: Company, texts: Mapping[str | None, int]) -> StoredRecord:",
            '    """Return what an index stores of a company; `texts` gives the number of a shared text."""',
            "    return StoredRecord(",
            *values,
            ")",
        ]
    )


def _served_value(column: Field) -> str:
    """Source of the value of a stored column as it is served."""
    value = f"stored.{column.name}"
    if column.shared:
        value = f"texts[{value}]" + (" or None" if column.nullable else "")
    if column.wire == "datetime":
        return f"_midnight({value})"
    return f"_date({value})" if column.type == "DATE" else value


def _served_argument(column: Field) -> str:
    ignore = "  # type: ignore[arg-type]" if column.wire.startswith("Literal") else ""
    return f"{_name(column)}={_served_value(column)},{ignore}"


def _present(function: str, result: str, meaning: str, served: Sequence[Served]) -> str:
    """The function that makes a public answer of a stored record and the members that are joined to it."""
    members = _members(*served)
    joined = [member for member in members if isinstance(member, ComposedField)]
    return "\n".join(
        [
            f"def {function}(stored: StoredRecord, texts: Sequence[str], *,",
            *[f"{member.name}: {member.wire}," for member in joined],
            f") -> {result}:",
            f'    """Return {meaning}; `texts` are the shared texts of the index."""',
            f"    return {result}(",
            *[
                _served_argument(member) if isinstance(member, Field) else f"{member.name}={member.name},"
                for member in members
            ],
            ")",
        ]
    )


def _details() -> str:
    lines = [f"    {column.name}: {_optional(WIRE[column.type], column.nullable)}" for column in DETAILS]
    values = [f"{column.name}={_served_value(column)}," for column in DETAILS]
    return "\n".join(
        [
            "class Details(NamedTuple):",
            '    """The columns of a company that are served beside its public record."""',
            "",
            *lines,
            "",
            "",
            "def details(stored: StoredRecord, texts: Sequence[str]) -> Details:",
            '    """Return the columns that are served beside the public record; `texts` are those of the index."""',
            "    return Details(",
            *values,
            ")",
        ]
    )


def _v1_record() -> str:
    own = _members("v1")
    public = [f"{_name(member)}=record.{_name(member)}," for member in _members("teaser", "record")]
    joined = [member for member in own if isinstance(member, ComposedField)]
    return "\n".join(
        [
            "def v1_record(record: Record, details: Details, *,",
            *[f"{member.name}: {member.wire}," for member in joined],
            ") -> V1Record:",
            '    """Return a company in full."""',
            "    return V1Record(",
            *public,
            *[
                f"{_name(member)}=details.{member.name},"
                if isinstance(member, Field)
                else f"{member.name}={member.name},"
                for member in own
            ],
            ")",
        ]
    )


def module() -> str:
    """Return the text of the module, formatted."""
    parts = [
        HEAD,
        _company(),
        _from_row(),
        _stored_class(),
        _store(),
        _wire_class("Teaser", "Wire", "A company in search results.", _members("teaser")),
        _present("teaser", "Teaser", "a company in search results", ["teaser"]),
        _wire_class("Record", "Teaser", "A company in the answer of a lookup.", _members("record")),
        _present("record", "Record", "a company in the answer of a lookup", ["teaser", "record"]),
        _details(),
        _wire_class("V1Record", "Record", "The full record of a company.", _members("v1")),
        _v1_record(),
        TAIL,
    ]
    ruff = [str(Path(sys.executable).with_name("ruff")), "format", "--stdin-filename", str(TARGET), "-"]
    formatted = subprocess.run(ruff, input="\n\n\n".join(parts), capture_output=True, text=True, check=True)
    return formatted.stdout


if __name__ == "__main__":
    TARGET.write_text(module(), encoding="utf-8")
