"""A query of the set, the truth about it, and how queries are written down."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Literal, NamedTuple

Split = Literal["train", "calibration", "test"]
SPLITS: tuple[Split, ...] = ("train", "calibration", "test")
WRONG_DIGIT = "identifier-wrong-digit"
HINTING = frozenset({"acronym", "telling-word"})
"""Kinds that only hint at a name. Even where one company alone carries it, the answer is not determined by it."""


def is_identifier(kind: str) -> bool:
    """Whether queries of this kind are numbers: they are scored apart from names."""
    return kind.startswith("identifier")


class Query(NamedTuple):
    """A query and the truth about it.

    `country` is where it belongs, `filter` the country given with it. `meant`: the records of the company it was made
    from. `expected`: the records of every company it fits equally well, the meant one among them; empty when the
    directory has no such company. `source`: the key of the official source of the name. A record is its country and
    its identifier.
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
        """Whether it names no company of the directory."""
        return not self.expected


def chance(*parts: str) -> int:
    """64 bits that depend on `parts` alone."""
    return int.from_bytes(blake2b("\x1f".join(parts).encode(), digest_size=8).digest())


def split_of(group: str) -> Split:
    """The part of the set to which all queries about one company belong: 40 % train, 20 % calibration, 40 % test."""
    share = chance("split", group) % 100
    return "train" if share < 40 else "calibration" if share < 60 else "test"


def write_queries(queries: Iterable[Query]) -> Iterator[str]:
    """One JSON object a line."""
    return (json.dumps(query._asdict(), ensure_ascii=False) for query in queries)


def read_queries(lines: Iterable[str]) -> list[Query]:
    """What `write_queries` wrote."""
    rows = (json.loads(line) for line in lines)
    return [
        Query(**{**row, "meant": tuple(map(tuple, row["meant"])), "expected": tuple(map(tuple, row["expected"]))})
        for row in rows
    ]
