"""Damaging official files at random and reading them: a typed error, or every record counted; never anything else.

    python tests/support/fuzz_readers.py FAMILY -runs=N      guided by coverage (atheris)

A family is a kind of file with one bundled or tiny official file as its seed. Behind the damage of a delimited text
stands one good record: when it is gone, something else must have been counted as rejected, or the loss was silent.
"""

from __future__ import annotations

import gzip
import io
import random
import sys
import zipfile
from collections.abc import Callable
from datetime import date
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp
from types import FunctionType
from typing import Any, NamedTuple

import duckdb

from padron.countries import REGISTRY
from padron.countries.country import Layout, Source
from padron.errors import SourceError
from padron.ingest import files
from padron.ingest import read as read_module
from padron.ingest.files import SourceFile, layouts_of
from padron.ingest.read import create_tables, read_file, table_name
from sites import DIRECTORIO, SRI_HEADER, bundled, sri

_FOLDER = Path(mkdtemp(prefix="padron-fuzz-"))
_SPECIAL = (
    *(b"\0", b'"', b"\n", b"\r", b"\xff", b"\x8f", b"\xef\xbb\xbf", b"\xff\xfe"),
    *(b",", b";", b"|", b"\t", b"{", b"[", b"\\", b"9" * 30),
)


class Family(NamedTuple):
    """A kind of file: its source and name, a small seed, and a good record to stand behind the damage (None: none)."""

    country: str
    source: str
    name: str
    seed: Callable[[], bytes]
    good: bytes | None = None
    mark: str = ""
    pack: Callable[[bytes], bytes] = bytes


def _zip(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("conjunto_de_datos/denue_inegi_09_.csv"), data)
    return out.getvalue()


def _utf16(lines: int) -> bytes:
    text = bundled("ec/supercias-balances/estados_financieros_2020_postal_subset.txt", lines).decode("cp1252")
    rows = ("\t".join(line.split("\t")[:12]) for line in text.splitlines())
    return ("\ufeff" + "\n".join(rows) + "\n").encode("utf-16-le")


_DENUE = "mx/denue/denue_inegi_21__2018_cut-legal-entities.csv"
_CVM = "br/cvm/cad_cia_aberta.csv.gz"
_TICKERS = (
    b'{"0":{"cik_str":320193,"ticker":"AAPL","title":"Apple Inc."},'
    b'"1":{"cik_str":789019,"ticker":"MSFT","title":"MICROSOFT CORP"}}'
)
_HEAD_OFFICE = b"\n" + b";".join([b'"99999999"', b'"0001"', b'"91"', b'"1"', b'"CENTINELA"', *[b'""'] * 25]) + b"\n"

FAMILIES: dict[str, Family] = {
    "comma-utf8": Family(
        "AR", "rns", "registro-nacional-sociedades-x.csv",
        lambda: bundled("ar/rns/registro-nacional-sociedades-muestreo.csv", 12),
    ),
    "pipe-quoted": Family(
        "EC", "sri-ruc", "SRI_RUC_X.csv",
        lambda: SRI_HEADER.encode() + sri("0190005070001", '"PASAMANERIA | TOSI"').encode() * 6,
        b"\n" + sri("0999999999001", "CENTINELA").encode(), "0999999999001",
    ),
    "semicolon-cp1252-no-header": Family(
        "BR", "receita-federal", "K3241.K03200Y0.D60808.ESTABELE.csv",
        lambda: bundled("br/receita-federal/ESTABELE.csv", 12), _HEAD_OFFICE, "CENTINELA",
    ),
    "semicolon-unquoted": Family("BR", "cvm", "cad_cia_aberta.csv", lambda: bundled(_CVM, 8)),
    "tab-utf16": Family("EC", "supercias-balances", "bal2020.txt", partial(_utf16, 8)),
    "zip": Family("MX", "denue", "denue_09_csv.zip", lambda: bundled(_DENUE, 6), pack=_zip),
    "damaged-zip": Family("MX", "denue", "denue_09_csv.zip", lambda: _zip(bundled(_DENUE, 6))),
    "damaged-gzip": Family("BR", "cvm", "cad_cia_aberta.csv.gz", lambda: gzip.compress(bundled(_CVM, 6), mtime=0)),
    "json-object": Family("US", "company-tickers", "company_tickers.json", lambda: _TICKERS),
    "json-filer": Family(
        "US", "submissions", "CIK0001940261.json", lambda: bundled("us/submissions/CIK0001940261.json")
    ),
    "workbook": Family("EC", "supercias-directorio", "directorio_companias.xlsx", lambda: DIRECTORIO),
}  # fmt: skip


@cache
def seed(family: str) -> bytes:
    """The good file of a family."""
    return FAMILIES[family].seed()


@cache
def _opened(family: str) -> tuple[duckdb.DuckDBPyConnection, Source, tuple[Layout, ...]]:
    kind = FAMILIES[family]
    [source] = [source for source in REGISTRY[kind.country].sources if source.key == kind.source]
    db = duckdb.connect()
    # What is read is a few rows: planning would take longer than reading.
    db.execute("SET threads = 1; PRAGMA disable_optimizer")
    create_tables(db, source)
    return db, source, layouts_of(source, kind.name)


def read(family: str, damaged: bytes) -> str:
    """Read damaged bytes; gives `read`, `rejected` or the code of the typed error. Anything else is raised."""
    kind = FAMILIES[family]
    db, source, layouts = _opened(family)
    content = damaged + kind.good if kind.good else damaged
    path = _FOLDER / kind.name
    path.write_bytes(kind.pack(content))
    db.begin()
    try:
        rejects = read_file(db, SourceFile(source, path, date(2026, 1, 1), layouts), 1, _FOLDER)
        read_rows = [
            row
            for layout in layouts or source.layouts
            for row in db.execute(f'SELECT _row, t::VARCHAR FROM "{table_name(source, layout)}" t').fetchall()
        ]
        numbers = sorted([*(row for row, _ in read_rows), *(reject.row_id for reject in rejects)])
        assert numbers == list(range((1 << 32) + 1, (1 << 32) + 1 + len(numbers))), "a record without its number"
        if kind.mark:
            assert rejects or any(kind.mark in text for _, text in read_rows), "a record was lost without a word"
    except SourceError as error:
        return error.code
    finally:
        db.rollback()
    return "rejected" if rejects else "read"


def mutate(draw: random.Random, data: bytes) -> bytes:
    """`data` with some damage of the kinds that networks, disks and people do."""
    damaged = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 4, 16))):
        place = draw.randrange(len(damaged) + 1)
        length = draw.choice((1, 1, 2, 8, 64, 512))
        kind = draw.randrange(6)
        if kind == 0:
            damaged[place : place + length] = draw.randbytes(length)
        elif kind == 1:
            del damaged[place : place + length]
        elif kind == 2:
            damaged[place:place] = draw.choice(_SPECIAL)
        elif kind == 3:
            damaged[place:place] = damaged[place : place + length]
        elif kind == 4:
            del damaged[place:]
        elif damaged:
            damaged[min(place, len(damaged) - 1)] ^= 1 << draw.randrange(8)
    return bytes(damaged)


def main(arguments: list[str]) -> None:
    """Fuzz one family, guided by what of the readers each input reaches."""
    import atheris  # noqa: PLC0415 - only the long suite needs it

    family = arguments[1]
    for module in (files, read_module):
        for value in list(vars(module).values()):
            if isinstance(value, FunctionType) and value.__module__ == module.__name__:
                atheris.instrument_func(value)
    corpus = Path(mkdtemp(prefix="padron-corpus-"))
    (corpus / "seed").write_bytes(seed(family))
    options: list[Any] = [arguments[0], *arguments[2:], "-max_len=65536", "-verbosity=0", str(corpus)]
    atheris.Setup(options, lambda data: read(family, data) and None)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv)
