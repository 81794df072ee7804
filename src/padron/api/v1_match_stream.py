"""`POST /api/v1/match` with a list of any length, as NDJSON or CSV: rows are matched and answered while they arrive.

The answer has the format of the list. Memory does not grow with the list: what is received waits for its turn, up to
`MOST_OF_LIST` bytes, and up to `MOST_OF_LISTS` of all lists of a worker together; beyond that the client waits. So a
client may send a list of some megabytes before it reads the answer; for longer ones it reads while it sends. Rows are
read and answered a hundred at a time. What goes wrong after the first row is answered is the last line of the answer.
"""

from __future__ import annotations

import asyncio
import codecs
import csv
import io
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Annotated, Final, NamedTuple, Protocol

import msgspec
from msgspec import UNSET, Meta, UnsetType
from starlette.types import Receive, Send

from padron import threads
from padron.accounts.keys import Grant
from padron.api.v1_match import AnsweredRow, RowDirectory, answered
from padron.countries import REGISTRY
from padron.errors import Invalid, Limited, PadronError, messages
from padron.lists.added_columns import ADDED, cells, header, texts
from padron.lists.columns import (
    FIRST_LINES,
    Columns,
    delimiter_of,
    recognise,
    refuse_wide,
    row_end,
    stated_delimiter,
)
from padron.lists.rows import ListRow, RowId, RowMatch, SentRow, unanswered
from padron.text import no_formula
from padron.transport import headers, inputs, problems
from padron.transport.auth import KeyAuthenticator
from padron.transport.call import Call

MOST_AHEAD: Final = 128
"""Pieces of a list that wait to be matched, at most: the smallest take longer than their bytes tell."""
MOST_OF_LIST: Final = 8 << 20
"""Bytes of a list that wait to be matched: as much as a client may send before it reads the answer."""
MOST_OF_LISTS: Final = 32 << 20
"""Bytes that wait of all lists of a worker: a twelfth of its memory. Of each list one piece may wait beyond that."""
MOST_BYTES_OF_ROW: Final = 65_536
_SAMPLED: Final = 200
"""Rows of CSV by which its columns are recognised, beside its header, at most."""
_MOST_SAMPLED: Final = 2 * MOST_BYTES_OF_ROW
"""Bytes after which no more rows are looked at for that: those of all lists would not fit into memory."""
_OFFSET_DIGITS: Final = 9
_IN_A_TURN: Final = 100
"""Rows that are read and answered together, before others have their turn: a piece may hold 32,768, whose answers would
have megabytes."""
_MOST_BLANK: Final = 1_000
"""Lines that may be blank together; a longer piece without a row counts as one, since it costs as much."""

_encode = msgspec.json.Encoder().encode
_decode_row = msgspec.json.Decoder(SentRow).decode


class StreamedMatch(AnsweredRow, frozen=True, kw_only=True):
    """A line of an answer in NDJSON."""

    row: Annotated[int, Meta(description="Number of the row in the list, from 0 on.")]


class GivenRow(NamedTuple):
    """A row of a list: its cells in its columns, where it has any, what they say, and why they cannot be read.

    `id`: the key that its sender gave it.
    """

    cells: Sequence[str]
    row: ListRow
    fault: Invalid | None = None
    id: RowId | UnsetType | None = UNSET


class MatchedRow(NamedTuple):
    """A row of a list, `number` from 0 on, with its answer."""

    number: int
    given: GivenRow
    match: RowMatch


class Ending(NamedTuple):
    """The end of an answer before the row `number`, with its reason."""

    number: int
    error: PadronError
    call: Call


class ListFormat(Protocol):
    """A format of lists: reads the lines of a list, and writes those of its answer."""

    media: bytes

    def end(self, text: bytes, start: int) -> int:
        """Return where the lines end that are read next of a text of whole lines."""

    async def read(self, lines: bytes) -> list[GivenRow]:
        """Return the rows that are complete with these lines. Raises `ValueError`."""

    async def finish(self) -> list[GivenRow]:
        """Return the rows that waited for more lines. Raises `ValueError`, `Invalid("no-company-column")`."""

    def first(self) -> bytes:
        """Return what stands before the first row of an answer."""

    def answer(self, row: MatchedRow) -> bytes:
        """Return the answer to a row."""

    def fault(self, ending: Ending) -> bytes:
        """Return the last line of an answer that ends before the list does."""


class Ndjson:
    """A JSON object per line."""

    media = b"application/x-ndjson"

    def end(self, text: bytes, start: int) -> int:
        """Implement `ListFormat.end`: a line."""
        return text.find(b"\n", start) + 1 or len(text)

    async def read(self, lines: bytes) -> list[GivenRow]:
        if not lines.strip():
            return []
        sent = _decode_row(lines)
        return [GivenRow((), sent.in_texts(), id=sent.id)]

    async def finish(self) -> list[GivenRow]:
        return []

    def first(self) -> bytes:
        return b""

    def answer(self, row: MatchedRow) -> bytes:
        return _encode(StreamedMatch(**answered(row.given.id, row.match, row=row.number))) + b"\n"

    def fault(self, ending: Ending) -> bytes:
        problem = problems.body(ending.error, ending.call.language, ending.call.request_id)
        return _encode({"row": ending.number, "problem": msgspec.Raw(problem)}) + b"\n"


class Csv:
    """Cells with a comma, semicolon, tab or bar between them; quoted ones may have several lines."""

    media = b"text/csv; charset=utf-8"

    def __init__(self) -> None:
        self._open: list[str] = []
        self._size = self._sampled = 0
        self._is_open = False
        self._sign = ""
        self._head: list[tuple[int, str]] = []
        self._sample: list[tuple[int, list[str]]] = []
        self._columns: Columns | None = None
        self._number = 0

    def end(self, text: bytes, start: int) -> int:
        """Implement `ListFormat.end`: all that is there of a row."""
        has_mark = not self._sign and not self._open and text.startswith(codecs.BOM_UTF8, start)
        begin = start + len(codecs.BOM_UTF8) if has_mark else start
        end, self._is_open = row_end(text, begin, self._sign, is_open=self._is_open)
        return end

    async def read(self, lines: bytes) -> list[GivenRow]:
        if not self._open and not lines.strip():
            self._number += 1
            return []
        self._open.append(lines.decode("utf-8" if self._sign or self._open else "utf-8-sig"))
        self._size += len(lines)
        if self._size > MOST_BYTES_OF_ROW:
            raise ValueError
        if self._is_open:
            return []
        record, size = "".join(self._open), self._size
        self._open, self._size = [], 0
        if not self._sign and not self._number and (stated := stated_delimiter(record)):
            self._sign = stated
            return []
        self._number += 1
        if self._columns:
            return [self._row(self._columns, self._number, row) for row in self._parsed(record)]
        self._sampled += size
        if self._sign:
            self._keep(self._number, record)
        else:
            self._head.append((self._number, record))
            if len(self._head) == FIRST_LINES:
                self._begin()
        if len(self._sample) > _SAMPLED or self._sampled > _MOST_SAMPLED:
            return await self.finish()
        return []

    def _parsed(self, record: str) -> Iterator[list[str]]:
        return filter(any, csv.reader(io.StringIO(record), delimiter=self._sign, strict=True))

    def _keep(self, number: int, record: str) -> None:
        for row in self._parsed(record):
            refuse_wide(row)
            self._sample.append((number, row))

    def _begin(self) -> None:
        """Parse the first records, which tell the delimiter together: the title above a header may have another."""
        self._sign = delimiter_of(record for _, record in self._head) or ","
        for number, record in self._head:
            self._keep(number, record)
        self._head = []

    async def finish(self) -> list[GivenRow]:
        if self._open:
            raise ValueError
        if self._head:
            self._begin()
        if self._columns or not self._sample:
            return []
        sample, self._sample = self._sample, []
        columns = self._columns = await threads.COLUMNS.call(recognise, [row for _, row in sample], {}, REGISTRY)
        return [self._row(columns, number, row) for number, row in sample[columns.rows_before :]]

    @staticmethod
    def _row(columns: Columns, number: int, row: list[str]) -> GivenRow:
        return GivenRow(columns.cells(row), columns.row(row), columns.fault(row, number))

    def first(self) -> bytes:
        return b"".join(map(self._line, (*self._columns.above, header(self._columns)))) if self._columns else b""

    def answer(self, row: MatchedRow) -> bytes:
        return self._line([*row.given.cells, *map(no_formula, texts(cells(row.match)))])

    def fault(self, ending: Ending) -> bytes:
        stated = dict.fromkeys(ADDED, "") | {
            "padron_verdict": ending.error.code,
            "padron_reason": messages.detail(ending.error, ending.call.language),
        }
        return self._line([*[""] * (self._columns.width if self._columns else 0), *stated.values()])

    def _line(self, row: Sequence[str]) -> bytes:
        text = io.StringIO()
        csv.writer(text, delimiter=self._sign or ",").writerow(row)
        return text.getvalue().encode()


FORMATS: Final[dict[bytes, type[Ndjson | Csv]]] = {b"application/x-ndjson": Ndjson, b"text/csv": Csv}
"""Content type of a list -> its format."""


class Ahead:
    """Bytes that wait to be matched of all lists of a worker, and the lists that wait for them to be fewer."""

    def __init__(self) -> None:
        self.held = 0
        self.stopped: set[asyncio.Event] = set()

    def give_back(self, held: int) -> None:
        """Count bytes that wait no longer; where there is room again, all lists that waited for it go on."""
        self.held -= held
        if self.held < MOST_OF_LISTS:
            while self.stopped:
                self.stopped.pop().set()


AHEAD: Final = Ahead()


class Upload:
    """The body of a request, received ahead of the work on it; `gone`: the client closed the connection."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._pieces: asyncio.Queue[bytes] = asyncio.Queue()
        self._held = 0
        self._taken = asyncio.Event()
        self.gone = False

    async def fill(self) -> None:
        """Receive the body, waiting while too much of it waits; then notice when the client goes."""
        more = True
        while more:
            message = await self._receive()
            self.gone = message["type"] == "http.disconnect"
            more = not self.gone and message.get("more_body", False)
            if piece := bytes(message.get("body", b"")):
                self._held += len(piece)
                AHEAD.held += len(piece)
                self._pieces.put_nowait(piece)
                await self._room()
        self._pieces.put_nowait(b"")
        while not self.gone:
            self.gone = (await self._receive())["type"] == "http.disconnect"

    async def _room(self) -> None:
        """Wait while too much of this list waits, or some of it and too much of all lists."""
        while self._held:
            self._taken.clear()
            if self._held < MOST_OF_LIST and self._pieces.qsize() < MOST_AHEAD:
                if AHEAD.held < MOST_OF_LISTS:
                    return
                AHEAD.stopped.add(self._taken)
            await self._taken.wait()

    def _give_back(self, held: int) -> None:
        self._held -= held
        self._taken.set()
        AHEAD.give_back(held)

    def leave(self) -> None:
        """Give back what still waits; nothing is received any more."""
        AHEAD.stopped.discard(self._taken)
        self._give_back(self._held)

    async def texts(self) -> AsyncIterator[bytes]:
        """Yield the lines that each piece completes; the last is what is left, or a line that is too long."""
        rest = b""
        while not self.gone and (piece := await self._pieces.get()):
            self._give_back(len(piece))
            text = rest + piece
            end = text.rfind(b"\n") + 1
            rest = text[end:]
            yield text[:end]
            if len(rest) > MOST_BYTES_OF_ROW:
                break
        yield rest


class ListStream:
    """One list and its answer."""

    def __init__(
        self, companies: RowDirectory, authenticator: KeyAuthenticator, call: Call, grant: Grant, receive: Receive
    ) -> None:
        """Begin an answer.

        Raises:
            Invalid: `unsupported-media-type`, `bad-offset`.
        """
        self._companies = companies
        self._authenticator = authenticator
        self._call = call
        self._grant = grant
        self._upload = Upload(receive)
        self._format: ListFormat = FORMATS[media_type(call)]()
        self._offset = _offset(call.scope["query_string"])
        self._number = 0
        self._fields = len(call.headers)

    async def answer(self, send: Send) -> None:
        """Send the answer while the list arrives. Raises `Invalid` or `Limited` for a fault before its first row."""
        filling = asyncio.create_task(self._upload.fill())
        try:
            await self._answer_all(send)
        except (Invalid, Limited) as error:
            if not self._call.status:
                raise
            self._call.code = error.code
            await self._send(send, self._format.fault(Ending(self._number, error, self._call)))
        finally:
            filling.cancel()
            self._upload.leave()
        self._call.results = self._number
        await self._send(send, b"", more=False)

    async def _answer_all(self, send: Send) -> None:
        async for text in self._upload.texts():
            if text.count(b"\n") > _MOST_BLANK and not text.strip():
                await self._admitted(1)
            start = 0
            while start < len(text):
                await threads.pause()
                rows, start, is_whole = await self._parsed(text, start)
                if self._upload.gone:
                    return
                await self._answer(rows, send)
                if not is_whole:
                    raise Invalid("bad-row", row=self._number, maximum=MOST_BYTES_OF_ROW)
        await self._answer(await self._finished(), send)
        if self._number == 0:
            await self._send(send, self._format.first())

    async def _parsed(self, text: bytes, start: int) -> tuple[list[GivenRow], int, bool]:
        """Return the rows of a turn, up to the first that cannot be read, where they end, and whether all can be."""
        rows: list[GivenRow] = []
        try:
            for _ in range(_IN_A_TURN):
                end = self._format.end(text, start)
                if end - start > MOST_BYTES_OF_ROW:
                    return rows, start, False
                rows += await self._format.read(text[start:end])
                start = end
                if start == len(text):
                    break
        except Invalid:
            raise
        except (ValueError, csv.Error):
            return rows, start, False
        return rows, start, True

    async def _finished(self) -> list[GivenRow]:
        try:
            return await self._format.finish()
        except Invalid:
            raise
        except ValueError as error:
            raise Invalid("bad-row", row=self._number, maximum=MOST_BYTES_OF_ROW) from error

    async def _answer(self, rows: list[GivenRow], send: Send) -> None:
        """Answer rows, without those to skip, as far as the quota reaches. Raises `Limited`."""
        skipped = min(max(self._offset - self._number, 0), len(rows))
        self._number += skipped
        rows = rows[skipped:]
        while rows and not self._upload.gone:
            admitted = await self._admitted(len(rows))
            await self._send(send, await self._matched(rows[:admitted]))
            rows = rows[admitted:]

    async def _admitted(self, count: int) -> int:
        """Count rows, or as many of them as are left of the quota. Raises `Limited` if none is."""
        try:
            await self._authenticator.spend_rows(self._call, self._grant, count)
        except Limited as error:
            count = min(count, int(str(error.context["left"])))
            if not count:
                raise
            await self._authenticator.spend_rows(self._call, self._grant, count)
        return count

    async def _matched(self, rows: list[GivenRow]) -> bytes:
        """Return the answers to rows. Equal rows are matched once."""
        matches: dict[ListRow, RowMatch] = {}
        for row in dict.fromkeys(given.row for given in rows):
            await self._authenticator.take_row(self._grant)
            matches[row] = await self._companies.match(row, self._call.language)
        answers = [self._format.first()] if self._number == 0 else []
        for number, given in enumerate(rows, start=self._number):
            if number % _IN_A_TURN == 0:
                await threads.pause()
            fault = given.fault
            match = unanswered("invalid_input", fault, self._call.language) if fault else matches[given.row]
            answers.append(self._format.answer(MatchedRow(number, given, match)))
        self._number += len(rows)
        return b"".join(answers)

    async def _send(self, send: Send, body: bytes, *, more: bool = True) -> None:
        """Send a part of the answer; wait while the client does not take it."""
        if not self._call.status:
            fields = [
                (b"content-type", self._format.media),
                (b"content-language", self._call.language.encode()),
                (b"release", self._companies.release.encode()),
                *headers.API,
                headers.NO_STORE,
            ]
            await send({"type": "http.response.start", "status": 200, "headers": fields})
        del self._call.headers[self._fields :]  # each part adds the state of the quota, of which the first is sent
        await send({"type": "http.response.body", "body": body, "more_body": more})


def media_type(call: Call) -> bytes:
    """Return the content type of a body without its parameters."""
    return call.given.get(b"content-type", b"").partition(b";")[0].strip().lower()


def _offset(query_string: bytes) -> int:
    """Return the number of rows to skip. Raises `Invalid("bad-offset")`."""
    text = inputs.parameters(query_string, ("offset",)).get("offset", "0")
    if not text.isascii() or not text.isdigit() or len(text) > _OFFSET_DIGITS:
        raise Invalid("bad-offset", parameter="offset")
    return int(text)
