"""A query of the set with its truth, and its form as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Literal, NamedTuple

Split = Literal["train", "calibration", "test"]
SPLITS: tuple[Split, ...] = ("train", "calibration", "test")
WRONG_DIGIT = "identifier-wrong-digit"
HINTING = frozenset({"acronym", "telling-word"})
"""Kinds that only hint at a name: even where a single company has it, they do not determine the answer."""


def is_identifier(kind: str) -> bool:
    """Return whether queries of this kind are numbers, which are scored apart from names."""
    return kind.startswith("identifier")


class Query(NamedTuple):
    """A query with its truth. A record is its country and its identifier.

    Attributes:
        id: A hash of the query and its company.
        q: The text.
        kind: The change that was made to the name or number.
        country: The country to which the query belongs.
        filter: The country given with the query, if any.
        meant: The records of the company that the query was made from.
        expected: The records of all companies that the query fits equally well, `meant` included; empty where the
            directory has no such company.
        unique: Only one company is expected, and the text determines it.
        language: The language of the country's names.
        split: The part of the set.
        source: The key of the official source of the name.
    """

    id: str
    q: str
    kind: str
    country: str
    filter: str | None
    meant: tuple[tuple[str, str], ...]
    expected: tuple[tuple[str, str], ...]
    unique: bool
    language: str
    split: Split
    source: str

    @property
    def absent(self) -> bool:
        """The query names no company of the directory."""
        return not self.expected


def chance(*parts: str) -> int:
    """Return 64 pseudo-random bits that depend on `parts` alone."""
    return int.from_bytes(blake2b("\x1f".join(parts).encode(), digest_size=8).digest())


def split_of(group: str) -> Split:
    """Return the part of all queries about one company: 40 % train, 20 % calibration, 40 % test."""
    share = chance("split", group) % 100
    return "train" if share < 40 else "calibration" if share < 60 else "test"


def write_queries(queries: Iterable[Query]) -> Iterator[str]:
    """Return one JSON object per query."""
    return (json.dumps(query._asdict(), ensure_ascii=False) for query in queries)


def read_queries(lines: Iterable[str]) -> list[Query]:
    """Parse the lines of `write_queries`."""
    rows = (json.loads(line) for line in lines)
    return [
        Query(**{**row, "meant": tuple(map(tuple, row["meant"])), "expected": tuple(map(tuple, row["expected"]))})
        for row in rows
    ]
