"""`POST /api/v1/match`: the companies of a list."""

from __future__ import annotations

from typing import Annotated, Any, Final, Protocol

import msgspec
from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import asdict
from starlette.types import Receive

from padron.accounts.keys import Grant
from padron.companies.model import Wire
from padron.lists.rows import ListRow, RowId, RowMatch, SentRow
from padron.transport import inputs
from padron.transport.auth import KeyAuthenticator
from padron.transport.bodies import Body, read_json
from padron.transport.call import Call
from padron.words import Language

MOST_ROWS: Final = 1_000
"""Rows of a request, at most: matching them takes less than a second."""
MOST_BYTES: Final = 2 << 20
"""Bytes of a request, at most: two kilobytes a row."""

_encode = msgspec.json.Encoder().encode


class RowDirectory(Protocol):
    """The part of the directory that the matching of lists needs."""

    @property
    def release(self) -> str:
        """Id of the release that answers."""

    async def match(self, row: ListRow, language: Language) -> RowMatch:
        """Return the company that a row means, or why none."""


class ListBody(Body, frozen=True, kw_only=True):
    """A list to match."""

    rows: Annotated[
        list[SentRow],
        Meta(min_length=1, max_length=MOST_ROWS, description="The rows; each has a name or an identifier at least."),
    ]


class AnsweredRow(RowMatch, frozen=True, kw_only=True):
    """The company that a row means, and how sure that is."""

    id: Annotated[RowId | UnsetType, Meta(description="The `id` of the row, if it has one.")] = UNSET


def answered(row_id: RowId | UnsetType | None, match: RowMatch, **more: Any) -> dict[str, Any]:
    """Return the members of an answer to a row, and some more."""
    return {**asdict(match), "id": UNSET if row_id is None else row_id, **more}


class ListMatches(Wire, frozen=True, kw_only=True):
    """The companies of a list."""

    release: Annotated[str, Meta(description="The release that answers.")]
    matches: Annotated[list[AnsweredRow], Meta(description="One for each row, in the order of the rows.")]


async def match(
    companies: RowDirectory, authenticator: KeyAuthenticator, call: Call, grant: Grant, receive: Receive
) -> bytes:
    """Return the `ListMatches` of a list, whose rows count against their own daily quota. Equal rows are matched once.

    Raises:
        Invalid: The body is wrong.
        Limited: `rows-exceeded`.
    """
    inputs.parameters(call.scope["query_string"])
    body = await read_json(call, receive, ListBody, MOST_BYTES)
    await authenticator.spend_rows(call, grant, len(body.rows))
    rows = [row.in_texts() for row in body.rows]
    matches: dict[ListRow, RowMatch] = {}
    for row in dict.fromkeys(rows):
        await authenticator.take_row(grant)
        matches[row] = await companies.match(row, call.language)
    call.results = len(body.rows)
    answers = [AnsweredRow(**answered(sent.id, matches[row])) for sent, row in zip(body.rows, rows, strict=True)]
    return _encode(ListMatches(release=companies.release, matches=answers))
