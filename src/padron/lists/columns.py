"""Columns of a list: which of them hold a company's name, identifier, country and the rest.

A column is recognised by its header in Spanish, English or Portuguese; without a known header, by its cells. What the
caller says counts first.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from textwrap import shorten
from typing import Final, NamedTuple

from padron.countries.country import Country
from padron.errors import Invalid, NotFound
from padron.lists import faults
from padron.lists.numbers import labelled, restored
from padron.lists.rows import FIELDS, ListRow
from padron.matching.identifiers import readings
from padron.text import CONNECTIVES, fold, is_given

_HEADERS: Final[Mapping[str, str]] = {
    "name": "name|names|company|companies|company name|legal name|business name|organization|organisation|firm|supplier"
    "|supplier name|vendor|vendor name|customer|customer name|client|client name|account name|nombre|nombres"
    "|razon social"
    "|nombre o razon social|nombre de la empresa|nombre empresa|nombre legal|denominacion|denominacion social|empresa"
    "|empresas|compania|sociedad|proveedor|nombre proveedor|cliente|nombre cliente|entidad|nome|razao social"
    "|nome empresarial|nome da empresa|denominacao social|fornecedor|beneficiario|titular|tercero|acreedor|deudor"
    "|contratista|contraparte|counterparty|payee|creditor|debtor|merchant|entity|emisor|receptor",
    "identifier": "identifier|company identifier|tax id|tax number|tax identification|taxpayer id"
    "|taxpayer identification|registration number|company number|vat|vat number|identificador|identificacion"
    "|identificacion fiscal|identificacion tributaria|id fiscal|numero fiscal|numero de identificacion"
    "|numero de documento|numero de doc|documento|registro|cadastro|inscricao|identificacao|rut|padron identifier",
    "country": "country|ctry|country code|pais|codigo pais|codigo de pais|pais codigo|iso pais|country of incorporation"
    "|country of registration|country of origin|pais de constitucion|pais de registro|pais de origen",
    "city": "city|town|municipality|ciudad|municipio|mpio|alcaldia|canton|localidad|poblacion|cidade",
    "region": "region|state|province|department|provincia|prov|pcia|departamento|depto|dpto|estado|edo"
    "|entidad federativa|uf",
    "activity": "activity|industry|sector|business activity|main activity|actividad|actividad economica"
    "|actividad principal|objeto social|giro|giro comercial|rubro|industria|ramo|ramo de atividade|atividade"
    "|atividade economica|atividade principal|setor|ciiu|cnae|scian|naics|sic|codigo ciiu|codigo cnae|codigo scian"
    "|sic code|naics code",
    "legal_form": "legal form|legal type|company type|entity type|forma juridica|forma legal|tipo de sociedad"
    "|tipo societario|natureza juridica",
    "former_name": "former name|previous name|old name|formerly|nombre anterior|razon social anterior|antes"
    "|nome anterior"
    "|razao social anterior",
}
"""Headers of each field, folded; words such as `de` and `of` make no difference."""

_ABOUT_NAMES: Final = frozenset(
    "social empresarial legal full registered official trade business completo completa oficial registrado registrada"
    " comercial fantasia corporativo".split()
)
"""Words that stand in a header of names beside others: `Vendor legal name`, `Nombre comercial del proveedor`."""
_NAME_WORDS: Final = frozenset(
    {"razon", "razao"}.union(header for header in _HEADERS["name"].split("|") if " " not in header)
)
"""Words of which a header of names has one at least."""

_SAY_NAME: Final = frozenset("name names nombre nombres nome nomes razon razao denominacion denominacao".split())
"""Words of which a header of names that says whose they are has one: `Nombre tercero`."""
_OF_COMPANIES: Final = frozenset({"razon", "razao", "denominacion", "denominacao"})
"""Words that say that not only persons are meant: `Apellido y nombre o denominación`."""
_ROLES: Final = frozenset(
    "emisor receptor vendedor comprador emitente destinatario adquirente adquiriente prestador tomador issuer recipient"
    " seller buyer".split()
)
"""Parties of one transaction: the number of one stands beside the name of the other."""
_PARTIES: Final = _ROLES.union(
    "proveedor proveedores supplier vendor cliente clientes customer client fornecedor empresa company tercero"
    " contratista contribuyente acreedor deudor beneficiario entity account billing headquarters hq facturacion"
    " cobranca".split()
)
"""Words that say in a header whose field stands below it: `NIT proveedor`, `Billing Country`."""
_FIRST: Final = "1"
"""A number behind the header of the first of several columns, which are not there: `Name 1`."""
_REMARK: Final = re.compile(
    r"[([{][^()\[\]{}]*[)\]}]|\*|\b(?:sin|con|sem|com)\s+(?:d\.?v\b\.?|d[ií]gito\b)(?:\s+(?:de\s+)?verifica\w+)?",
    re.IGNORECASE,
)
"""A remark in a header: `Contratista (como aparece)`, `Empresa *`, `NIT sin DV`."""
_CHECK_DIGITS: Final = frozenset({"dv", "digito", "digito verificacion", "digito verificador", "check digit"})
"""Headers, folded and without connectives, of the check digit of the number in a column of its own."""
_NUMBER_WORDS: Final = frozenset("number numero num nro nr no n".split())
"""Words for "number", `N°` among them: `Nro. CUIT` is `CUIT`, `Registration No` is `Registration number`."""
_EITHER: Final = re.compile(r"[/|,;]|\b(?:o|or|ou|y|and|e)\b", re.IGNORECASE)
"""Separators of two names of a field in one header: `RUC / NIT`, `País / Country`."""
_PLACES: Final = frozenset({"city", "region"})
"""Fields that one column has together: `Ciudad / Depto.`."""
_OTHER_MEANINGS: Final = frozenset({"entidad"})
"""Headers of names, folded, which beside others of names have another meaning: a state of Mexico, who buys."""
_PERSONS_NUMBERS: Final = frozenset("cpf cuil dni cedula cc ci curp ssn".split())
"""Numbers of persons, which a column may hold beside those of companies, `CNPJ/CPF`; alone they are not read."""

_SURNAMES: Final = frozenset("apellido apellidos sobrenome sobrenomes surname surnames".split())
"""Words of which a header of a person's surname has one: `Apellido paterno`, `Segundo apellido`."""
_LAST_NAMES: Final = frozenset({"last name", "family name"})
"""Headers, folded, of a person's surname without such a word."""
_GIVEN_NAMES: Final = frozenset("nombre nombres nome nomes name names".split())
"""Headers, folded, that mean a person's given name beside one of a surname."""

_LONGEST_HEADER: Final = 100
"""Characters of a header, at most, that names a field."""
_SAMPLED: Final = 200
"""Rows whose cells are read to recognise a column."""
_CELLS: Final = 2_000
_FEWEST_SAMPLED: Final = 10
"""Cells of all columns together that are read to recognise identifiers and legal forms, and rows of each at least: a
number takes a quarter of a millisecond."""
_LOOKED_AT: Final = 1_000
"""Characters of a cell, at most, by which its column is recognised."""
MOST_COLUMNS: Final = 256
"""Columns of a list, at most: rows are kept until its columns are recognised."""
_SHARE: Final = 0.6
"""Share of the cells of a column, at least, that are identifiers or names."""
_FORMAL: Final = 0.2
"""Share of cells, at least, that end with a legal form, in a column of names under a header that is not known."""
_MOST_ABOVE: Final = 20
"""Rows above the header, at most: the title of a report, its day, who made it."""
_FEWEST_FIELDS: Final = 2
"""Fields, at least, of a header below other rows: one alone may be a kind in a row, `NIT`, `Cliente`."""
_DIGITS_OF_NUMBER: Final = 5
"""Digits of a cell that is no header, at least: it is a number, no year."""
_HAS_CHECK_DIGIT: Final = re.compile(r"-\s?[0-9]$")
"""A number with its check digit behind it."""
_IDENTIFIER_LENGTH: Final = 8
"""Characters of an identifier, at least, in a column that only its cells recognise."""

_LONGEST_NUMBER: Final = 64
"""Characters of an identifier, at most, in a column that only its cells recognise, however it is written."""

_SHOWN: Final = 200
"""Characters of a row, at most, that a message repeats."""

_FEWEST_ALIKE: Final = 3
"""Rows, at least, that say in a column of names the same company, which is not the one they are about."""

DELIMITERS: Final = dict.fromkeys(",;\t|").keys()
"""The delimiters of CSV; where two are as frequent, the first."""
FIRST_LINES: Final = _MOST_ABOVE + 1
"""Lines of a list that tell the delimiter; without any it is a comma."""
_STATED: Final = re.compile(r'"?sep=([,;|\t])"?\s*', re.IGNORECASE)
"""A first line by which spreadsheets are told the delimiter; it is no row of the list."""

_Rows = Sequence[Sequence[str]]


class Columns(NamedTuple):
    """The columns of a list: `header`, None where the first row is a company; `at`: field -> position.

    `above`: the rows above the header, which hold no companies; `more`: the positions of further columns of
    identifiers; `schemes`: position -> the word for a scheme in the header of a column of identifiers; `check_digit`:
    the position of its check digit, where that stands in a column of its own.
    """

    header: tuple[str, ...] | None
    width: int
    at: Mapping[str, int]
    above: tuple[tuple[str, ...], ...] = ()
    more: tuple[int, ...] = ()
    schemes: Mapping[int, str] = {}
    check_digit: int | None = None

    @property
    def read(self) -> dict[str, str]:
        """Field -> the header, or the number, of its column; of several with identifiers, all."""
        return {
            field: ", ".join(map(self._name, (place, *(self._further if field == "identifier" else ()))))
            for field, place in self.at.items()
        }

    @property
    def _further(self) -> tuple[int, ...]:
        return self.more if self.check_digit is None else (self.check_digit, *self.more)

    @property
    def unread(self) -> list[str]:
        """The headers, or the numbers, of the columns of no field."""
        read = {*self.at.values(), *self._further}
        names = [self._name(place) for place in range(self.width) if place not in read]
        return [name for name in names if name.strip()]

    def _name(self, place: int) -> str:
        return self.header[place] if self.header else str(place + 1)

    def cells(self, row: Sequence[str]) -> list[str]:
        """Return the cells of a row in these columns, empty where it ends before."""
        return [*row[: self.width], *[""] * (self.width - len(row))]

    def row(self, cells: Sequence[str]) -> ListRow:
        """Return what the cells of a row say; nothing if there are more than columns, since none is sure.

        Identifiers of several columns stand on lines of one text, each behind the word for its scheme if the header
        has one.
        """
        if self._behind(cells):
            return ListRow()
        given = self.cells(cells)
        row = {field: given[at].strip() for field, at in self.at.items()}
        if self.check_digit is not None and (digit := given[self.check_digit].strip()).isdigit() and len(digit) == 1:
            given[self.at["identifier"]] = _with_check_digit(row["identifier"], digit)
            row["identifier"] = given[self.at["identifier"]]
        if self.more or self.schemes:
            places = [at for at in (self.at["identifier"], *self.more) if fold(given[at]) and is_given(given[at])]
            row["identifier"] = "\n".join(self._with_scheme(at, given[at].strip()) for at in places)
        return ListRow(**row)

    def _with_scheme(self, place: int, cell: str) -> str:
        scheme = self.schemes.get(place, "")
        return f"{scheme} {cell}" if scheme and f" {scheme} " not in f" {fold(cell)} " else cell

    @property
    def first_row(self) -> int:
        """Number of the first row with a company as a spreadsheet counts, header included."""
        return 1 + self.rows_before

    @property
    def rows_before(self) -> int:
        """Number of the rows before the first one with a company: the header, and those above it."""
        return len(self.above) + (self.header is not None)

    def fault(self, cells: Sequence[str], row: int) -> Invalid | None:
        """Return why the row of a number, as a spreadsheet counts, cannot be read; None if it can."""
        if not (behind := self._behind(cells)):
            return None
        return Invalid("row-too-wide", row=row, cells=len(cells), columns=self.width, behind=behind[:_SHOWN])

    def _behind(self, cells: Sequence[str]) -> str:
        """Return the cells of a row behind the last column, joined."""
        return ", ".join(filter(None, map(str.strip, cells[self.width :])))


def recognise(
    rows: Iterable[Sequence[str]],
    chosen: Mapping[str, str],
    registry: Mapping[str, Country],
    above_header: int | None = None,
) -> Columns:
    """Recognise the columns of a list.

    Args:
        rows: The first rows of the list, header included.
        chosen: Field -> the header, or the number from 1 on, of its column, where the caller says it.
        above_header: How many rows stand above the header, -1 if there is none; None to recognise it.

    Raises:
        Invalid: `too-many-columns`; `column-not-in-list`; `no-company-column`, neither a name nor an identifier is
            recognised.
    """
    first, *others = [*rows][: max(0, above_header or 0) + _SAMPLED + 1] or [()]
    refuse_wide(first)
    starts, *sample = [[cell[:_LOOKED_AT] for cell in row] for row in (first, *others)]
    above: tuple[tuple[str, ...], ...] = ()
    if (titles := above_header) is None:
        titles = _titles([starts, *sample], chosen, registry)
    if titles > 0:
        above = tuple(map(tuple, [first, *others][:titles]))
        first = others[titles - 1]
        refuse_wide(first)
        starts, *sample = sample[titles - 1 :]
    headers = _settled(_by_header(starts, registry), starts, sample) if titles >= 0 else {}
    by_header = {field: places[0] for field, places in headers.items()}
    folded = [fold(cell) for cell in starts] if chosen else []
    at = {field: _position(field, column, first, folded) for field, column in chosen.items()}
    named = any(not column.isdigit() for column in chosen.values())
    has_header = bool(by_header) or named if above_header is None else titles >= 0
    header = tuple(first) if has_header else None
    taken = set(at.values())
    at |= {field: place for field, place in by_header.items() if field not in at and place not in taken}
    more: tuple[int, ...] = ()
    if "identifier" in headers and at["identifier"] == headers["identifier"][0]:
        more = tuple(place for place in headers["identifier"][1:] if place not in at.values())
    cells = sample if header else [starts, *sample]
    free = [place for place in range(len(first)) if place not in at.values()]
    looked_at = cells[: max(_FEWEST_SAMPLED, _CELLS // max(1, len(free)))]
    if "identifier" not in at:
        numbered = (place for place in free if _are_identifiers(_column(place, looked_at), registry))
        at |= dict(zip(("identifier",), numbered, strict=False))
        free = [place for place in free if place not in at.values()]
        if not header and not chosen and above_header is None and _is_above_numbers(starts, at):
            header, cells = tuple(first), sample
    if has_header and "name" not in at and "name" not in headers:
        at |= _with_legal_forms(free, looked_at, registry)
    if not at.keys() & {"name", "identifier"} or (not has_header and "name" not in at):
        at |= _most_wordy(free, cells)
    if not at.keys() & {"name", "identifier"}:
        shown = shorten(" ".join(", ".join(starts).split())[:_LOOKED_AT], _SHOWN, placeholder=" …")
        raise Invalid("no-company-column", columns=shown, known=", ".join(FIELDS))
    if not header or "identifier" not in at:
        return Columns(header, len(first), at, above)
    schemes = _schemes(header, (at["identifier"], *more), registry)
    digits = (place for place, cell in enumerate(header) if " ".join(_plain_words(cell)) in _CHECK_DIGITS)
    return Columns(header, len(first), at, above, more, schemes, next(digits, None))


def _with_check_digit(number: str, digit: str) -> str:
    """Return a number with its check digit behind it, unless it has one there: `890.903.939` and `5`."""
    return f"{number}-{digit}" if number and not _HAS_CHECK_DIGIT.search(number) else number


def header_fields(rows: _Rows, registry: Mapping[str, Country]) -> int:
    """Return how many fields the header of a list names, 0 where it has none."""
    titles = _titles(rows, {}, registry)
    fields = _stated(rows[titles], {}, registry) if rows else set()
    return len(fields) if fields & {"name", "identifier"} else 0


def stated_delimiter(line: str) -> str | None:
    """Return the delimiter that the first line of a list in CSV states, None for any other line.

    >>> stated_delimiter("sep=;"), stated_delimiter("Empresa;NIT")
    (';', None)
    """
    stated = _STATED.fullmatch(line)
    return stated[1] if stated else None


def delimiter_of(lines: Iterable[str]) -> str:
    """Return the delimiter that most of the first lines of a list in CSV have, or nothing; of several the commonest.

    The title above a header may have others.

    >>> delimiter_of(["Proveedores, al 31 de marzo", "Empresa;NIT", "Ecopetrol;899999068-1"])
    ';'
    """
    head = list(lines)
    counts = {sign: [count for line in head if (count := line.count(sign))] for sign in DELIMITERS}
    frequent = max(counts, key=lambda sign: (len(counts[sign]), sum(counts[sign])))
    return frequent if counts[frequent] else ""


def row_end(text: bytes, start: int, delimiter: str, *, is_open: bool = False) -> tuple[int, bool]:
    r"""Return where a row of CSV ends in a text of whole lines, and whether a quoted cell is open there.

    A quote within a cell that does not begin with one is text, as for the `csv` module. Linear in the row, whatever
    lines its cells have: no group gives back what it took.

    Args:
        start: Where the row begins in it, or goes on.
        delimiter: The delimiter, or "" if none is known: any may be.
        is_open: Whether a quoted cell is open there.

    Returns:
        The place behind the row, or the end of the text if the row goes on behind it.

    >>> row_end(b'Tubos de 3" S.A.,"Corporacion\nFavorita",EC\nYPF', 0, ",")
    (43, False)
    >>> row_end(b'Tubos de 3" S.A.,"Corporacion\n', 0, ",")
    (30, True)
    """
    cells = _row_pattern(delimiter or "".join(DELIMITERS), is_open).match(text, start)
    if cells is None:
        return len(text), True
    end = cells.end()
    is_whole = end == len(text) or text[end : end + 1] == b"\n"
    return (min(end + 1, len(text)), False) if is_whole else (len(text), True)


@cache
def _row_pattern(delimiters: str, is_open: bool) -> re.Pattern[bytes]:
    """Return the pattern of a row's cells up to its end, or to a quoted one that is open at the end of the text."""
    between = re.escape(delimiters)
    rest = f'(?:[^"]++|"")*+"[^{between}\n]*+'
    cell = f'(?:"{rest}|(?!")[^{between}\n]*+)'
    return re.compile(f"{rest if is_open else cell}(?:[{between}]{cell})*+".encode())


def csv_rows(lines: Iterable[str], delimiter: str = ",") -> Iterator[list[str]]:
    """Yield the rows of a list in CSV. Raises `csv.Error`, as for a cell of more than `faults.LONGEST_CELL`."""
    csv.field_size_limit(faults.LONGEST_CELL)
    return csv.reader(lines, delimiter=delimiter, strict=True)


def refuse_wide(row: Sequence[str]) -> None:
    """Raise `Invalid("too-many-columns")` for a row of a list that nobody has."""
    if len(row) > MOST_COLUMNS:
        raise Invalid("too-many-columns", most=MOST_COLUMNS)


def _by_header(first: Sequence[str], registry: Mapping[str, Country]) -> dict[str, list[int]]:
    """Return field -> positions of the columns with a header for it; scheme names are headers of identifiers.

    A header that is nothing but the name of a field goes before those with words beside it.
    """
    known = known_headers(registry)
    first = [
        _REMARK.sub(" ", cell).replace("#", " number ") if len(cell.strip()) <= _LONGEST_HEADER else ""
        for cell in first
    ]
    if any(map(_is_of_surnames, first)):
        without_given = [cell if fold(cell) not in _GIVEN_NAMES else "" for cell in first]
        if "name" in (at := _placed(without_given, known)):
            return at
    return _placed(first, known)


def known_headers(registry: Mapping[str, Country]) -> dict[str, str]:
    """Return header -> the field it names; folded, without blanks and connectives, as `_glued` returns them."""
    headers = {header: field for field, headers in _HEADERS.items() for header in headers.split("|")}
    for country in registry.values():
        for scheme in country.schemes:
            headers |= dict.fromkeys((*scheme.words, scheme.code, *scheme.label), "identifier")
    known = {"".join(_plain_words(header)): field for header, field in headers.items()}
    return known | {_glued(header): field for header, field in headers.items()}


def _titles(rows: _Rows, chosen: Mapping[str, str], registry: Mapping[str, Country]) -> int:
    """Return how many rows stand above the header: the first row with the headers of a company, wider than those above.

    Below the first, one of which a cell stands again below it is no header: `NIT` is the kind of number in each row.
    """
    last = {cell: place for place, row in enumerate(rows) for cell in _cells(row)}
    widest = 0
    for place, row in enumerate(rows[: _MOST_ABOVE + 1]):
        if (filled := len(_cells(row))) <= widest:
            continue
        widest = filled
        if place and any(sum(map(str.isdigit, cell)) >= _DIGITS_OF_NUMBER for cell in row):
            break
        fields = _stated(row, chosen, registry)
        if len(fields) < _FEWEST_FIELDS or not fields & {"name", "identifier"}:
            continue
        if not place or all(last[cell] == place for cell in _cells(row)):
            return place
    return 0


def _cells(row: Sequence[str]) -> set[tuple[int, str]]:
    """Return the filled cells of a row, in small letters, with their columns."""
    return {(at, cell.strip().casefold()) for at, cell in enumerate(row) if cell.strip()}


def _stated(row: Sequence[str], chosen: Mapping[str, str], registry: Mapping[str, Country]) -> set[str]:
    """Return the fields of which a row holds the header, the caller's included."""
    folded = {fold(cell) for cell in row} if chosen else set()
    return {*_by_header(row, registry), *(field for field, column in chosen.items() if fold(column) in folded)}


def _placed(first: Sequence[str], known: Mapping[str, str]) -> dict[str, list[int]]:
    """Return field -> positions of the columns with a header for it, by the known headers without blanks."""
    at: dict[str, list[int]] = {}
    plain = {place: field for place, cell in enumerate(first) if (field := known.get(_glued(cell)))}
    others = {
        place: field
        for place, cell in enumerate(first)
        if place not in plain and (field := _qualified(cell, known) or _either(cell, known))
    }
    for place, field in (plain | others).items():
        at.setdefault(field, []).append(place)
    if names := [place for place, cell in enumerate(first) if place not in plain | others and _is_of_names(cell)]:
        at["name"] = at.get("name", []) + names
    if "name" in at:
        at["name"].sort(key=lambda place: fold(first[place]) in _OTHER_MEANINGS)
    return at


def _settled(headers: Mapping[str, list[int]], first: Sequence[str], rows: _Rows) -> dict[str, list[int]]:
    """Return the same with one column of names at most, and the columns of identifiers of that party.

    Codes are no names: `Vendor` may be the list's own number beside `Vendor name`.
    """
    if "name" not in headers:
        return {**headers}
    names = headers["name"]
    words = [place for place in names if _are_words(_column(place, rows))]
    if not words and "identifier" in headers and all(_column(place, rows) for place in names):
        return {field: places for field, places in headers.items() if field != "name"}
    name = _of_several_names(words or names, rows)
    settled = {**headers, "name": [name]}
    if "identifier" in headers:
        own = [place for place in headers["identifier"] if _roles(first[place]) == _roles(first[name])]
        settled["identifier"] = own or headers["identifier"]
    return settled


def _roles(header: str) -> frozenset[str]:
    return _ROLES.intersection(fold(header).split())


def _is_above_numbers(first: Sequence[str], at: Mapping[str, int]) -> bool:
    """Return whether the first row is a header of unknown words: it has no digits above a column of numbers."""
    return "identifier" in at and bool(first[at["identifier"]].strip()) and not any(map(str.isdigit, "".join(first)))


def _of_several_names(places: Sequence[int], rows: _Rows) -> int:
    """Return the first column of names of which not all rows say the same: the list is not about who keeps it."""
    for place in places:
        cells = [fold(cell) for cell in _column(place, rows)]
        if len(cells) < _FEWEST_ALIKE or len(set(cells)) > 1:
            return place
    return places[0]


def _schemes(header: Sequence[str], places: Iterable[int], registry: Mapping[str, Country]) -> dict[int, str]:
    """Return position -> the word for a scheme in a header that names no other scheme."""
    words = {word: scheme.code for country in registry.values() for scheme in country.schemes for word in scheme.words}
    schemes = {}
    for place in places:
        stated = [word for word in words if f" {word} " in f" {fold(header[place])} "]
        if len({words[word] for word in stated}) == 1:
            schemes[place] = stated[0]
    return schemes


def _glued(header: str) -> str:
    """Return a header without blanks and connectives: `companyName` is `Company name`."""
    words = fold(header).split()
    return "".join([word for word in words if word not in CONNECTIVES or word in _NUMBER_WORDS] or words)


def _plain_words(header: str) -> list[str]:
    """Return the words of a header without connectives, with one word for "number"."""
    words = ["number" if word in _NUMBER_WORDS else word for word in fold(header).split()]
    return [word for word in words if word not in CONNECTIVES]


def _qualified(header: str, known: Mapping[str, str]) -> str | None:
    """Return the field of a header that says whose it is beside, or that it is a number."""
    words = _plain_words(header)
    own = [word for word in words if word not in _PARTIES and word != _FIRST]
    bare = [word for word in own if word != "number"]
    return next((field for part in (words, own, bare) if (field := known.get("".join(part)))), None)


def _either(header: str, known: Mapping[str, str]) -> str | None:
    """Return the field that a header names more than once, in other words or languages; a whole place is a city's."""
    parts = [fold(part) for part in _EITHER.split(header) if fold(part)]
    fields = {"identifier" if part in _PERSONS_NUMBERS else _qualified(part, known) for part in parts}
    if fields == _PLACES:
        return "city"
    return fields.pop() if len(fields) == 1 and not _PERSONS_NUMBERS.issuperset(parts) else None


def _is_of_surnames(header: str) -> bool:
    """Return whether a header says that surnames stand below it, and not whole names."""
    words = frozenset(fold(header).split())
    return fold(header) in _LAST_NAMES or not (words.isdisjoint(_SURNAMES) or words & _GIVEN_NAMES)


def _is_of_names(header: str) -> bool:
    """Return whether an unknown header says nothing but that a name of a company stands below it."""
    words = {*_plain_words(header)} - {_FIRST}
    if words.isdisjoint(_SAY_NAME):
        return not words.isdisjoint(_NAME_WORDS) and words <= _NAME_WORDS | _ABOUT_NAMES
    persons = frozenset() if words.isdisjoint(_OF_COMPANIES) else _SURNAMES
    return words <= _NAME_WORDS | _ABOUT_NAMES | _PARTIES | persons


def _position(field: str, column: str, first: Sequence[str], folded: Sequence[str]) -> int:
    """Return the position of the column that the caller says. Raises `Invalid("column-not-in-list")`."""
    if column in first:
        return first.index(column)
    if fold(column) in folded:
        return folded.index(fold(column))
    if column.isdecimal() and 1 <= int(column) <= len(first):
        return int(column) - 1
    raise Invalid("column-not-in-list", parameter=field.replace("_", "-"), column=column, columns=", ".join(first))


def _column(place: int, rows: _Rows) -> list[str]:
    return [cell for row in rows if place < len(row) and (cell := row[place].strip())]


def _are_identifiers(cells: Sequence[str], registry: Mapping[str, Country]) -> bool:
    """Return whether most cells are long identifiers with a right check digit."""
    good = 0
    for left, cell in zip(range(len(cells), 0, -1), cells, strict=True):
        if good + left < _SHARE * len(cells):
            return False
        number = labelled(cell, registry.values())[1] if len(cell) <= _LONGEST_NUMBER else ""
        number = restored(number, registry.values())
        good += len(number) >= _IDENTIFIER_LENGTH and any(_checked(number, registry))
    return good > 0 and good >= _SHARE * len(cells)


def _checked(cell: str, registry: Mapping[str, Country]) -> Iterator[bool]:
    for country in registry.values():
        try:
            yield any(reading.identifier.valid_check for reading in readings(country, cell))
        except (Invalid, NotFound):
            yield False


def _with_legal_forms(places: Sequence[int], rows: _Rows, registry: Mapping[str, Country]) -> dict[str, int]:
    """Return the column of names beside numbers under a header that is not known: that with most legal forms."""
    shares: dict[int, float] = {}
    for place in places:
        parts = [fold(cell).split() for cell in _column(place, rows)]
        formal = sum(any(country.forms.at_end(words) for country in registry.values()) for words in parts)
        if formal and formal >= _FORMAL * len(parts):
            shares[place] = formal / len(parts)
    return {"name": max(shares, key=shares.__getitem__)} if shares else {}


def _most_wordy(places: Sequence[int], rows: _Rows) -> dict[str, int]:
    """Return the column of names: the one with the most different cells, if most of them have letters."""
    wordy = {place: len(set(cells)) for place in places if _are_words(cells := _column(place, rows))}
    return {"name": max(wordy, key=wordy.__getitem__)} if wordy else {}


def _are_words(cells: Sequence[str]) -> bool:
    return bool(cells) and sum(map(_has_letters, cells)) >= _SHARE * len(cells)


def _has_letters(cell: str) -> bool:
    return sum(map(str.isalpha, cell)) > len(cell) / 2
