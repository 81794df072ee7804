"""A list of companies uploaded on the site: matched, reviewed by its owner, downloaded.

Nothing of it is kept or logged: the list and its answer are in the page that shows them, and that page sends them back
to be downloaded with what its reader accepted. Workbooks are read in a process of their own, with limits on memory and
time, that is given the file and no folder.
"""

from __future__ import annotations

import asyncio
import csv
import errno
import io
import re
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple, cast

from starlette.types import Receive, Scope, Send

from padron import threads
from padron.accounts.rate_limits import Quota
from padron.api.v1_match import RowDirectory
from padron.countries import REGISTRY
from padron.errors import Invalid, Unavailable, messages
from padron.lists import faults
from padron.lists.added_columns import ADDED, NUMBERS, cells, header, texts
from padron.lists.columns import (
    DELIMITERS,
    FIRST_LINES,
    MOST_COLUMNS,
    Columns,
    csv_rows,
    delimiter_of,
    recognise,
    refuse_wide,
    stated_delimiter,
)
from padron.lists.rows import ListRow, RowMatch, unanswered
from padron.text import no_formula
from padron.transport import headers, problems
from padron.transport.bodies import read_bytes
from padron.transport.call import Call
from padron.transport.client_limits import ClientLimits
from padron.web.page import document
from padron.web.site import PageResponse, Site, page_address
from padron.web.workbook import table
from padron.words import Language, bilingual

PAGE: Final = "match-list"
MOST_ROWS: Final = 500
"""Rows of an uploaded list, at most: a page that a person can review, matched in a second or two."""
MOST_BYTES: Final = 4 << 20
"""Bytes of a form, at most: the answer to a list, which is sent back, is longer than the list."""
UPLOADS: Final = Quota("uploads", 40, 3_600)
"""Lists and downloads of one network address."""
FORMS: Final = 12
"""Forms of a worker that are received, read or answered at once, each of up to 10 megabytes; more are refused."""
FORMS_OF_CLIENT: Final = 6
"""Forms of one client, who leaves places for others."""
REVIEWED: Final = "padron_reviewed"
"""Header of the column that states what the reader accepted."""

_PLACES: Final = Counter[str]()
"""Forms that are received, read or answered now, by client."""
_PART: Final = 1 << 16
"""Bytes of an answer that are sent at once: a form keeps its place until the client takes the last of them."""
_NUMBER: Final = re.compile(r"-?[0-9]{1,20}(?:\.[0-9]{1,20})?(?:e-[0-9]{1,3})?")
_HEAD: Final = 1 << 16
"""Characters at the beginning of a list in which its delimiter is looked for: millions of blank lines may follow."""
_MOST_FIELDS: Final = MOST_ROWS + 10
_SAMPLED: Final = 200
_BOUNDARY: Final = re.compile(r'multipart/form-data;.*\bboundary="?([^";,\s]{1,70})"?', re.IGNORECASE)
_NAME: Final = re.compile(rb'[;\s]name="([^"]*)"')
_ENCODINGS: Final = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_WORKBOOKS: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""Beginnings of workbooks: XLSX and ODS, XLS."""
_XLSX: Final = "xlsx"
_MEMORY: Final = 1 << 29
_SECONDS: Final = 10
_LONGEST_READING: Final = 30.0
"""Seconds, of which those of the processor are `_SECONDS` at most."""
_PROGRAM: Final = """\
import os, sys
os.nice(19)
sys.path[:] = {path}
from padron.list_files.workbooks import write_csv
write_csv({memory}, {seconds})
"""
_READING: Final = asyncio.Semaphore(2)
"""Workbooks that one worker reads at the same time."""
_EXHAUSTED: Final = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE})
"""Errors of a system that starts no other process now."""

_NumberedRow = tuple[int, list[str]]


class UploadedList(NamedTuple):
    """The rows of a list that are not blank, with their numbers as a spreadsheet counts, from 1 on.

    `form`: the form in which it comes back, its delimiter, or `xlsx` for a workbook; `numbers`: positions of the
    columns of numbers of a workbook.
    """

    rows: Sequence[_NumberedRow]
    form: str
    numbers: Sequence[int] = ()


class ReviewRow(NamedTuple):
    """A row as it is reviewed: its number from 1 on, what it says, and the answer."""

    number: int
    given: ListRow
    match: RowMatch


class ReviewedList(NamedTuple):
    """A matched list: its columns, its rows, how many there are of each verdict, and all of it as CSV.

    `form`, `numbers`: those of the uploaded list.
    """

    columns: Columns
    rows: Sequence[ReviewRow]
    counts: Counter[str]
    text: str
    form: str
    numbers: Sequence[int]

    @property
    def offered(self) -> str:
        """Numbers of the rows with a company."""
        return " ".join(str(row.number) for row in self.rows if row.match.company)


def values() -> dict[str, Any]:
    """Return the values of the page before a list is uploaded."""
    return {"most_rows": MOST_ROWS, "most_bytes": MOST_BYTES >> 20, "reviewed": None, "fault": None}


class UploadEndpoint:
    """The forms of the page in one language."""

    def __init__(
        self, site: Site, client_limits: ClientLimits, directory: Callable[[], Any], language: Language
    ) -> None:
        self._site = site
        self._client_limits = client_limits
        self._directory = directory
        self._language = language

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a form; nothing may be cached."""
        call = Call.of(scope)
        call.language = self._language
        scope["padron.only_reads"] = True
        with _place(self._client_limits.client(call)):
            await self._client_limits.admit(call, UPLOADS)
            await self._answer(call, receive, send)

    async def _answer(self, call: Call, receive: Receive, send: Send) -> None:
        directory = self._directory()
        try:
            form = read_form(call, await read_bytes(call, receive, MOST_BYTES))
            if b"offered" in form:
                made = await threads.LISTS.call(downloaded, form)
            else:
                made = await self._matched(call, directory, form)
        except Invalid as error:
            call.code = error.code
            fault = _explained(error, self._language)
            made = self._page(directory, problems.status(error), fault=fault)
        fields, body = await threads.LISTS.call(document, call, made, [headers.NO_STORE])
        fields.append((b"content-length", str(len(body)).encode()))
        await send({"type": "http.response.start", "status": made.status, "headers": fields})
        for start in range(0, len(body), _PART):  # each waits until the client took those before
            await send({"type": "http.response.body", "body": body[start : start + _PART], "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def _matched(self, call: Call, directory: Any, form: dict[bytes, list[bytes]]) -> PageResponse:
        uploaded = await read_rows(form.get(b"list", [b""])[0])
        reviewed = await match(directory, uploaded, self._language, partial(self._client_limits.take_row, call))
        return await threads.LISTS.call(self._page, directory, 200, reviewed=reviewed)

    def _page(self, directory: Any, status: int, **more: object) -> PageResponse:
        about = {**values(), "coverage": directory.coverage(), "bulk": directory.bulk, **more}
        return self._site.page(f"{PAGE}.html", self._language, page_address(PAGE), status=status, **about)


@contextmanager
def _place(client: str) -> Iterator[None]:
    """Have a place for a form of a client. Raises `Unavailable("busy")` where all are taken."""
    if _PLACES[client] >= FORMS_OF_CLIENT or _PLACES.total() >= FORMS:
        raise Unavailable("busy")
    _PLACES[client] += 1
    try:
        yield
    finally:
        _PLACES[client] -= 1
        if not _PLACES[client]:
            del _PLACES[client]


def _explained(error: Invalid, language: Language) -> str:
    """Return what is wrong with a list; here nobody can name its columns but in the list itself."""
    if error.code != "no-company-column":
        return messages.detail(error, language)
    return bilingual(
        "In no column of the list were names or official numbers of companies recognised. Its first row is: {columns}. "
        "Give their column a header such as Company, Name, Tax ID, RUC, CNPJ or NIT, and upload the list again.",
        **error.context,
    ).of(language)


def read_form(call: Call, body: bytes) -> dict[bytes, list[bytes]]:
    """Parse a form with files (RFC 7578).

    Returns:
        The values of each field.

    Raises:
        Invalid: `bad-upload`.
    """
    stated = _BOUNDARY.match(call.given.get(b"content-type", b"").decode("latin-1"))
    if stated is None:
        raise Invalid("bad-upload", reason=bilingual("the form that brought it is not complete"))
    form: dict[bytes, list[bytes]] = {}
    _, *parts = (b"\r\n" + body).split(b"\r\n--" + stated[1].encode("latin-1"), _MOST_FIELDS)
    for part in parts:
        if part.startswith(b"--"):
            return form
        head, _, content = part.partition(b"\r\n\r\n")
        if name := _NAME.search(head):
            form.setdefault(name[1], []).append(content)
    raise Invalid("bad-upload", reason=bilingual("the form that brought it is not complete"))


async def read_rows(content: bytes) -> UploadedList:
    """Return a list.

    Args:
        content: The file: CSV, or a workbook.

    Raises:
        Invalid: `bad-upload`, `list-too-long`, `too-many-columns`.
        Unavailable: `busy`.
    """
    if content.startswith(_WORKBOOKS):
        return await threads.LISTS.call(_read_book, await _sheet(content))
    return await threads.LISTS.call(_read_text, content)


def _read_book(text: str) -> UploadedList:
    """Read the sheet of a workbook: CSV in which all cells but numbers stand between quotes."""
    rows = _parsed(text, ",")
    numbers: dict[int, bool] = {}
    typed = cast("Iterator[list[str | float]]", csv.reader(io.StringIO(text, newline=""), quoting=csv.QUOTE_NONNUMERIC))
    for row in typed:
        for place, cell in enumerate(row):
            if isinstance(cell, float):
                numbers.setdefault(place, True)
            elif cell and place in numbers:
                numbers[place] = False
    return UploadedList(rows, _XLSX, [place for place, is_whole in numbers.items() if is_whole])


def _read_text(content: bytes) -> UploadedList:
    text = _decoded(content)
    first, _, others = text.partition("\n")
    if stated := stated_delimiter(first):
        return UploadedList(_parsed(others, stated), stated)
    lines = filter(str.strip, io.StringIO(text[:_HEAD], newline=""))
    sign = delimiter_of(islice(lines, FIRST_LINES)) or ","
    return UploadedList(_parsed(text, sign), sign)


def _parsed(text: str, sign: str) -> list[_NumberedRow]:
    rows: list[_NumberedRow] = []
    number = 1
    try:
        for row in csv_rows(io.StringIO(text, newline=""), sign):
            refuse_wide(row)
            if any(map(str.strip, row)):
                rows.append((number, row))
            number += 1
            if len(rows) > MOST_ROWS + 1:
                raise Invalid("list-too-long", maximum=MOST_ROWS)
    except csv.Error as error:
        raise Invalid(
            "bad-upload", reason=bilingual("row {row}: {fault}", row=number, fault=faults.of_csv(error))
        ) from error
    if not rows:
        raise Invalid("bad-upload", reason=bilingual("it is empty"))
    return rows


async def match(
    directory: RowDirectory, uploaded: UploadedList, language: Language, take_row: Callable[[], Awaitable[None]]
) -> ReviewedList:
    """Return the companies of a list; equal rows are matched once.

    Args:
        take_row: Waits until a row may be matched.

    Returns:
        The list with its answers.

    Raises:
        Invalid: `no-company-column`, `list-too-long`.
        Unavailable: `busy`.
    """
    rows = uploaded.rows
    columns = await threads.LISTS.call(recognise, [row for _, row in rows[: _SAMPLED + 1]], {}, REGISTRY)
    given = rows[columns.rows_before :]
    if len(given) > MOST_ROWS:
        raise Invalid("list-too-long", maximum=MOST_ROWS)
    matches: dict[ListRow, RowMatch] = {}
    reviewed = []
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerows([*columns.above, header(columns)])
    for place, (number, row) in enumerate(given, start=1):
        asked = columns.row(row)
        if fault := columns.fault(row, number):
            answer = unanswered("invalid_input", fault, language)
        elif asked in matches:
            answer = matches[asked]
        else:
            await take_row()
            answer = matches[asked] = await directory.match(asked, language)
        reviewed.append(ReviewRow(place, asked, answer))
        writer.writerow([*columns.cells(row), *map(no_formula, texts(cells(answer)))])
    counts = Counter[str](row.match.verdict for row in reviewed)
    return ReviewedList(columns, reviewed, counts, file.getvalue(), uploaded.form, uploaded.numbers)


def downloaded(form: dict[bytes, list[bytes]]) -> PageResponse:
    """Return the list, in its form, with what its reader accepted: `yes`, `no`, nothing where no company was offered.

    Raises:
        Invalid: `bad-upload`.
    """
    offered = {*b" ".join(form[b"offered"]).split(maxsplit=MOST_ROWS)}
    accepted = {*form.get(b"keep", ())}
    above = _count(form.get(b"above", [b"0"])[0])
    numbers = [*map(_count, form.get(b"numbers", [b""])[0].split(maxsplit=MOST_COLUMNS))]
    rows = []
    try:
        text = form.get(b"matched", [b""])[0].decode()
        for number, row in enumerate(csv_rows(io.StringIO(text, newline="")), start=-above):
            if len(row) > MOST_COLUMNS + len(ADDED):
                raise Invalid("bad-upload", reason=bilingual("the list in the page was changed"))
            name = str(number).encode()
            state = "" if name not in offered else "yes" if name in accepted else "no"
            rows.append(row if number < 0 else [*row, state if number else REVIEWED])
    except (csv.Error, UnicodeDecodeError) as error:
        raise Invalid("bad-upload", reason=bilingual("the list in the page was changed")) from error
    match form.get(b"form", [b","])[0].decode("latin-1"):
        case kind if kind == _XLSX:
            ending, media, body = (
                _XLSX,
                b"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
                _book(rows, above + 1, numbers),
            )
        case sign if sign in DELIMITERS:
            ending, media, body = "csv", b"text/csv; charset=utf-8; header=present", _csv(rows, sign)
        case _:
            raise Invalid("bad-upload", reason=bilingual("the list in the page was changed"))
    disposition = f'attachment; filename="padron.{ending}"'.encode()
    return PageResponse(media, body, 200, ((b"content-disposition", disposition), (b"x-robots-tag", b"noindex")))


def _csv(rows: Sequence[Sequence[str]], sign: str) -> bytes:
    """Return rows as CSV, with the mark by which spreadsheets recognise UTF-8."""
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=sign).writerows(rows)
    return file.getvalue().encode("utf-8-sig")


def _book(rows: Sequence[Sequence[str]], first: int, numbers: Sequence[int]) -> bytes:
    """Return rows as a workbook of texts; from the first row on, those of numbers and of a confidence are numbers."""
    own = [place for place, name in enumerate((*ADDED, REVIEWED), start=-len(ADDED) - 1) if name in NUMBERS]
    return table([*rows[:first], *(_with_numbers(row, (*numbers, *own)) for row in rows[first:])])


def _with_numbers(row: Sequence[str], places: Sequence[int]) -> list[str | float]:
    """Return a row whose cells at places, from its start or its end, are numbers where they can be."""
    cells: list[str | float] = [*row]
    for place in places:
        if -len(row) <= place < len(row) and _NUMBER.fullmatch(row[place]):
            cells[place] = float(row[place])
    return cells


def _count(text: bytes) -> int:
    """Return a number of rows or columns of a list that comes back. Raises `Invalid("bad-upload")`."""
    if not text.isdigit() or len(text) > len(str(MOST_ROWS)):
        raise Invalid("bad-upload", reason=bilingual("the list in the page was changed"))
    return int(text)


def _decoded(content: bytes) -> str:
    """Return a text file as text: UTF-16 by its mark, UTF-8, else what spreadsheets of the Americas write."""
    for mark, encoding in _ENCODINGS:
        if content.startswith(mark):
            try:
                return content.decode(encoding)
            except UnicodeDecodeError as error:
                raise Invalid("bad-upload", reason=bilingual("its text is damaged")) from error
    if b"\0" in content:
        raise Invalid("bad-upload", reason=bilingual("it is neither CSV nor a workbook"))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


async def _sheet(content: bytes) -> str:
    """Return the sheet of a workbook with the list as CSV.

    Raises:
        Invalid: `bad-upload`, `list-too-long`.
        Unavailable: `busy`.
    """
    async with _READING:
        program = _PROGRAM.format(path=sys.path, memory=_MEMORY, seconds=_SECONDS)
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                program,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,  # uvloop knows no `process_group`
            )
        except OSError as error:
            if error.errno in _EXHAUSTED:
                raise Unavailable("busy") from error
            raise
        text = b""
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(content)
            process.stdin.close()
            async with asyncio.timeout(_LONGEST_READING):
                while len(text) <= MOST_BYTES and (piece := await process.stdout.read(1 << 16)):
                    text += piece
                if len(text) > MOST_BYTES:
                    raise Invalid("list-too-long", maximum=MOST_ROWS)
                if await process.wait():
                    raise Invalid("bad-upload", reason=bilingual("the workbook is damaged or too large"))
        except TimeoutError as error:  # others had the processors
            raise Unavailable("busy") from error
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    return text.partition(b"\n")[2].decode()
