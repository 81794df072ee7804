"""Answers that are files, or tell where they are: CSV, and the catalogue of the whole directory."""

from __future__ import annotations

from typing import Final

import msgspec

from padron_client.types import Result


class BulkFile(Result, frozen=True, kw_only=True, rename="camel"):
    """A file with the companies of a country; anybody may download it."""

    country_code: str
    """Code of the country."""
    url: str
    """Address, the same from release to release; its extension tells the format: Parquet, or NDJSON in gzip."""
    bytes: int
    """Size."""
    sha256: str
    """Checksum, in hexadecimal digits."""


class _Id(msgspec.Struct):
    id: str = msgspec.field(name="@id")


class _Value(msgspec.Struct):
    value: str = msgspec.field(name="@value")


class _Checksum(msgspec.Struct):
    value: _Value = msgspec.field(name="spdx:checksumValue")


class _Distribution(msgspec.Struct):
    address: _Id = msgspec.field(name="dcat:downloadURL")
    size: _Value = msgspec.field(name="dcat:byteSize")
    checksum: _Checksum = msgspec.field(name="spdx:checksum")


class _Place(msgspec.Struct):
    country: str = msgspec.field(name="dct:identifier")


class _Dataset(msgspec.Struct):
    place: _Place = msgspec.field(name="dct:spatial")
    files: list[_Distribution] = msgspec.field(name="dcat:distribution")


class _Catalogue(msgspec.Struct):
    datasets: list[_Dataset] = msgspec.field(name="dcat:dataset")


_decode = msgspec.json.Decoder(_Catalogue).decode


class CatalogueDecoder:
    """Decoder of the DCAT catalogue of the directory; addresses in it are relative to `folder`."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def decode(self, buf: bytes, /) -> list[BulkFile]:
        """Read a catalogue. Raises `msgspec.DecodeError`."""
        return [
            BulkFile(
                country_code=dataset.place.country,
                url=f"{self._folder}{file.address.id}",
                bytes=msgspec.convert(file.size.value, int, strict=False),
                sha256=file.checksum.value.value,
            )
            for dataset in _decode(buf).datasets
            for file in dataset.files
        ]


class CsvDecoder:
    """Decoder of a text in CSV."""

    _FIRST: Final = b"countryCode,"

    def decode(self, buf: bytes, /) -> str:
        """Read statements in CSV. Raises `msgspec.DecodeError` or `UnicodeDecodeError`."""
        if not buf.startswith(self._FIRST):
            raise msgspec.DecodeError("it is no CSV of statements")
        return buf.decode()
