"""Lists in CSV as spreadsheets write them: their encoding, their delimiter, and which column holds what."""

from __future__ import annotations

import csv
import re
import shutil
import tempfile
import unicodedata
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, cast

from padron_client.calls import Row
from padron_client.headers import HEADERS, SMALL_WORDS

FIELDS: Final = tuple(Row.__annotations__)
"""Fields that are read of a row."""

_BLOCK: Final = 1 << 20
_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
_UNDEFINED: Final = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
"""Bytes that are no letter of Windows-1252."""
_DELIMITERS: Final = ",;\t|"
"""The delimiters of CSV; where two are as frequent, the first."""
_FIRST_LINES: Final = 21
_STATED: Final = re.compile(r'"?sep=([,;|\t])"?\s*', re.IGNORECASE)
"""A first line by which spreadsheets are told the delimiter; it is no row of the list."""
_SAVE_AGAIN: Final = "save the list again as CSV in UTF-8"


class CompanyList(NamedTuple):
    """A list: `columns` its header, `at` the field -> the position of its column, `rows` behind the header, whole."""

    encoding: str
    delimiter: str
    columns: list[str]
    at: Mapping[str, int]
    rows: Iterator[list[str]]

    def asked(self, row: Sequence[str]) -> Row:
        """The description of a company in a row."""
        return cast(Row, {field: row[place].strip() for field, place in self.at.items()})

    @property
    def unread(self) -> list[str]:
        """The columns of no field."""
        return [name for place, name in enumerate(self.columns) if place not in self.at.values() and name.strip()]


def read(stack: ExitStack, file: BinaryIO, chosen: Mapping[str, str], delimiter: str | None) -> CompanyList:
    """Read the header of a list.

    Args:
        stack: What closes the copy of a file that cannot be read twice.
        file: The list.
        chosen: Field -> the header, or the number from 1 on, of its column, where the caller says it.
        delimiter: The delimiter; None: it is recognised.

    Raises:
        ValueError: Its text cannot be read, or it has no column of names or identifiers; the message says what helps.
    """
    if not file.seekable():
        copy = stack.enter_context(tempfile.SpooledTemporaryFile(_BLOCK))  # noqa: SIM115 - the stack closes it
        shutil.copyfileobj(file, copy)
        file = cast(BinaryIO, copy)
        file.seek(0)
    encoding = encoding_of(file)
    file.seek(0)
    with closing(_lines(file, encoding)) as lines:
        head = [*islice(filter(str.strip, lines), _FIRST_LINES)]
    stated = _STATED.fullmatch(head[0]) if head else None
    sign = delimiter or (stated[1] if stated else _delimiter(head))
    file.seek(0)
    lines = stack.enter_context(closing(_lines(file, encoding)))
    rows = _rows(islice(lines, 1 if stated else 0, None), sign)
    columns = next(rows, list[str]())
    return CompanyList(encoding, sign, columns, columns_of(columns, chosen), _whole(rows, len(columns), sign))


def encoding_of(file: BinaryIO) -> str:
    """The encoding of a text: by its mark UTF-16 or UTF-8, else UTF-8 where all of it is, else Windows-1252.

    Raises:
        ValueError: It is none of these.
    """
    block = file.read(_BLOCK) + file.readline()
    if block.startswith(_MARKS):
        return "utf-16"
    intact = damaged = 0
    undefined = False
    while block:
        if b"\0" in block:
            raise ValueError(f"the file is no CSV, or in an encoding that cannot be recognised: {_SAVE_AGAIN}")
        if not block.isascii():
            text = block.decode("utf-8", "ignore")
            intact += sum(not character.isascii() for character in text)
            damaged += len(block) - len(text.encode())
            undefined = undefined or _UNDEFINED.search(block) is not None
        block = file.read(_BLOCK) + file.readline()
    if not damaged:
        return "utf-8-sig"
    if undefined or intact >= damaged:
        raise ValueError(f"the text is damaged, or in an encoding that cannot be recognised: {_SAVE_AGAIN}")
    return "cp1252"


def columns_of(header: Sequence[str], chosen: Mapping[str, str]) -> dict[str, int]:
    """Field -> the position of its column: as the caller says, else by its header in Spanish, English or Portuguese.

    Raises:
        ValueError: There is no such column, or none of names or identifiers.
    """
    at = {field: _position(column, header) for field, column in chosen.items()}
    for place, column in enumerate(header):
        field = HEADERS.get(_glued(column))
        if field is not None and field not in at and place not in at.values():
            at[field] = place
    if not {"name", "identifier"} & at.keys():
        raise ValueError(
            "the list has no column `name` or `identifier`: say which it is with --name COLUMN or --identifier COLUMN, "
            f"by header or by number from 1 on. The columns of its first line: {_shown(header)}"
        )
    return at


def _position(column: str, header: Sequence[str]) -> int:
    plain = [_plain(name) for name in header]
    if _plain(column) in plain:
        return plain.index(_plain(column))
    if column.isdecimal() and 1 <= int(column) <= len(header):
        return int(column) - 1
    raise ValueError(f"the list has no column {column}. The columns of its first line: {_shown(header)}")


def _shown(header: Sequence[str]) -> str:
    return ", ".join(name.strip() for name in header) or "none"


def _plain(header: str) -> str:
    """A header in small letters without accents and marks: its words, with blanks between them."""
    letters = unicodedata.normalize("NFKD", header.replace(".", "").replace("_", " ")).casefold()
    return " ".join(re.findall("[a-z0-9]+", re.sub("[\u0300-\u036f]", "", letters)))


def _glued(header: str) -> str:
    words = _plain(header).split()
    return "".join([word for word in words if word not in SMALL_WORDS] or words)


def _delimiter(lines: Sequence[str]) -> str:
    """The delimiter that most lines have, of several the commonest; a comma where none has any."""
    counts = {sign: [count for line in lines if (count := line.count(sign))] for sign in _DELIMITERS}
    return max(counts, key=lambda sign: (len(counts[sign]), sum(counts[sign])))


def _lines(file: BinaryIO, encoding: str) -> Generator[str, None, None]:
    """Lines of a text; the file stays open."""
    text = TextIOWrapper(file, encoding, newline="")
    try:
        for line in text:  # noqa: UP028 - `yield from` would close the file with the generator
            yield line
    except UnicodeDecodeError as error:
        raise ValueError(f"the text is damaged: {_SAVE_AGAIN}") from error
    finally:
        text.detach()


def _rows(lines: Iterator[str], delimiter: str) -> Iterator[list[str]]:
    """The header and the rows below it. Raises `ValueError` for one that is no CSV."""
    number = 0
    try:
        for number, row in enumerate(csv.reader(lines, delimiter=delimiter, strict=True), 1):  # noqa: B007
            yield row
    except csv.Error as error:
        place = f"row {number} below the header" if number else "the header"
        raise ValueError(f"{place}: {_fault(error)}") from error


def _fault(error: csv.Error) -> str:
    """The fault of a row, and the remedy."""
    message = str(error)
    if message == "unexpected end of data":
        return "a quotation mark opens a cell and none closes it: close it, or remove it"
    if "larger than field limit" in message:
        longest = f"{csv.field_size_limit():,}"
        return f"a cell has more than {longest} characters: close the quotation mark that opens it, or shorten the cell"
    if "expected after" in message:
        return "text follows a closing quotation mark: write a quotation mark inside a cell twice"
    return f"it is no CSV: {_SAVE_AGAIN}"


def _whole(rows: Iterator[list[str]], width: int, delimiter: str) -> Iterator[list[str]]:
    """Rows that are not empty, each as wide as the header. Raises `ValueError` for one with more cells."""
    for number, row in enumerate(rows, 1):
        if "".join(row[width:]).strip():
            sign = "a tab" if delimiter == "\t" else f"`{delimiter}`"
            raise ValueError(
                f"row {number} below the header has more cells than that: put cells that hold {sign} between quotes, "
                "or name the right delimiter with --delimiter"
            )
        if row:
            yield [*row[:width], *[""] * (width - len(row))]


def opened(stack: ExitStack, path: str, standard_input: BinaryIO) -> BinaryIO:
    """The file of a path, `-` is standard input."""
    return standard_input if path == "-" else stack.enter_context(Path(path).open("rb"))
