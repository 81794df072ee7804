"""A row of a list, and the answer to it."""

from __future__ import annotations

from typing import Annotated, Final, NamedTuple

from msgspec import UNSET, Meta, UnsetType

from padron.companies.company import Teaser
from padron.companies.model import Wire
from padron.errors import PadronError, messages
from padron.lookup.verdict import Verdict
from padron.words import Language

CELL: Final = 1_000
"""Most characters of a cell that is read as part of a company's description."""


_Name = Annotated[str, Meta(description="Its name, with or without the legal form.")]
_Identifier = Annotated[str, Meta(description="An official identifier, formatted or not.")]
_Country = Annotated[str, Meta(description="The country of the register: its code or its name.")]
_City = Annotated[str, Meta(description="Municipality or city.")]
_Region = Annotated[str, Meta(description="Province, state or department.")]
_Activity = Annotated[str, Meta(description="What it does, in words.")]
_LegalForm = Annotated[str, Meta(description="The legal form, if the name lacks it.")]
_FormerName = Annotated[str, Meta(description="A name that it had.")]


class ListRow(Wire, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Description of a company in a row of a list; a name or an identifier at least."""

    name: _Name = ""
    identifier: _Identifier = ""
    country: _Country = ""
    city: _City = ""
    region: _Region = ""
    activity: _Activity = ""
    legal_form: _LegalForm = ""
    former_name: _FormerName = ""


RowId = Annotated[str, Meta(max_length=200)] | int
"""A key that whoever sends a list gives a row."""


class SentRow(Wire, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Description of a company in a row of a list; a name or an identifier at least."""

    name: _Name | None = ""
    identifier: _Identifier | int | None = ""
    country: _Country | None = ""
    city: _City | None = ""
    region: _Region | None = ""
    activity: _Activity | None = ""
    legal_form: _LegalForm | None = ""
    former_name: _FormerName | None = ""
    id: Annotated[RowId | UnsetType | None, Meta(description="Your own key of the row, which its answer repeats.")] = (
        UNSET
    )

    def in_texts(self) -> ListRow:
        """Return the row as texts: a number as its digits, null as a member that is not there."""
        cells = ((field, getattr(self, field)) for field in FIELDS)
        return ListRow(**{field: str(cell) for field, cell in cells if cell is not None})


FIELDS: Final = ListRow.__struct_fields__
"""Fields that a column of a list may hold."""


class RowKeys(NamedTuple):
    """Country and official number that a row states; equal `scheme` and `key` are one company's, if it is `sure`."""

    country: str
    scheme: str
    key: str
    sure: bool


class RowMatch(Wire, frozen=True, kw_only=True):
    """The company that a row means, and how sure that is."""

    verdict: Annotated[
        Verdict,
        Meta(
            description="`found`: with a confidence of 0.85 or higher. `ambiguous`: several fit alike. `possible`: one "
            "to review. `not_found`. `invalid_input`: the row cannot be read, `reason` says why."
        ),
    ]
    company: (
        Annotated[Teaser, Meta(description="The likeliest company, with its confidence; null if none is near.")] | None
    ) = None
    matched_on: (
        Annotated[str, Meta(description="What agrees: `identifier`, `legalName`, `tradeName`, `formerName` …")] | None
    ) = None
    second: Annotated[Teaser, Meta(description="The second likeliest company.")] | None = None
    conflicts: Annotated[
        list[str], Meta(description="What the columns of the row say against each other, or against the register.")
    ]
    reason: Annotated[str, Meta(description="Why, in one or more sentences in the reader's language.")]


def unanswered(verdict: Verdict, error: PadronError, language: Language) -> RowMatch:
    """Return the answer to a row that is not searched.

    Args:
        error: Why it is not.
    """
    return RowMatch(verdict=verdict, conflicts=[], reason=messages.detail(error, language))
