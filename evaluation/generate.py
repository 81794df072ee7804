"""Generator of the seeded query set: every kind of change to real names and numbers, and absent companies.

The same companies and the same seed give the same queries. One more company in the directory changes little, because
the random source of each query is seeded by its own kind and company.

    python -m evaluation.generate --data var --split train > queries.jsonl
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from evaluation import absent_queries, distortions, identifiers
from evaluation.directory import Directory, Subject, in_order
from evaluation.names import bare, compact, meaning, plain, read
from evaluation.present_queries import KINDS, MISSPELT, Made, context, typed, wrong_number
from evaluation.queries import (
    HINTING,
    SPLITS,
    WRONG_DIGIT,
    Query,
    Split,
    chance,
    is_identifier,
    split_of,
    write_queries,
)
from evaluation.records import Company, read_release
from evaluation.vocabulary import COUNTRIES, LANGUAGE

SEED = "padron-golden-1"
PER_KIND = 300
"""Queries per country and kind, at most: enough for a percent of error in each figure, and minutes to run."""
_LONGEST = 256
"""Characters of a query, at most: the limit of public search."""
_BITS = (1 << 64) - 1


class Generator:
    """Generator of the queries of a directory. `outsiders` are names of other registers, used where they are absent."""

    def __init__(
        self, directory: Directory, *, seed: str = SEED, per_kind: int = PER_KIND, outsiders: Iterable[str] = ()
    ):
        self.directory = directory
        self.seed = seed
        self.per_kind = per_kind
        self.outsiders = sorted(set(outsiders))
        self._hashes = [chance(*company.key) for company in directory.companies]
        self._places: dict[str, list[int]] = {country: [] for country in COUNTRIES}
        for place, company in enumerate(directory.companies):
            self._places[company.country].append(place)

    def queries(self) -> list[Query]:
        """Return all queries, by country and kind; no text twice under one filter, and a third or more absent."""
        seen: set[tuple[str, str | None]] = set()
        queries: list[Query] = []
        for country in COUNTRIES:
            present = [
                query for kind in KINDS for query in self._take(self._present(kind, country), self.per_kind, seen)
            ]
            queries += present
            queries += self._take(self._wrong_numbers(country), self.per_kind, seen)
            missing = -(-len(present) // 2)
            for left, kind in zip(range(len(absent_queries.KINDS), 0, -1), absent_queries.KINDS, strict=True):
                most = -(-self.per_kind // 2) if kind in absent_queries.HINTS else -(-missing // left)
                some = self._take(self._absent(kind, country), most, seen)
                missing -= len(some)
                queries += some
        queries += self._take(self._of_outsiders(), len(self.outsiders), seen)
        return queries

    def _take(self, some: Iterator[Query], most: int, seen: set[tuple[str, str | None]]) -> list[Query]:
        taken: list[Query] = []
        while len(taken) < most and (query := next(some, None)):
            if (query.q, query.filter) not in seen:
                seen.add((query.q, query.filter))
                taken.append(query)
        return taken

    def _ordered(self, kind: str, country: str) -> list[int]:
        """Return the companies in the order in which a kind draws them."""
        salt = chance(self.seed, kind) | 1
        return sorted(self._places[country], key=lambda place: self._hashes[place] * salt & _BITS)

    def _random(self, kind: str, company: Company) -> Random:
        return Random(chance(self.seed, "chance", kind, *company.key))

    def _present(self, kind: str, country: str) -> Iterator[Query]:
        for place in self._ordered(kind, country):
            company = self.directory.companies[place]
            rng = self._random(kind, company)
            local = is_identifier(kind) and company.scheme in identifiers.LOCAL
            scope = country if local or rng.random() < 0.5 else None
            made = KINDS[kind](rng, Subject(self.directory, place, scope))
            if made and place in made.fits and self._plausible(made, kind, place, scope):
                yield self._query(made, kind, company, country, scope)

    def _plausible(self, made: Made, kind: str, place: int, scope: str | None) -> bool:
        """Return whether the text is a valid query that no other company fits better by accident.

        A company fits better with a name of exactly these words or letters, or (where words were misspelt) with a name
        that contains all of them.
        """
        if not 2 <= len(made.q) <= _LONGEST:
            return False
        if is_identifier(kind):
            return True
        words = read(made.q, self.directory.companies[place].country).words
        better = [self.directory.fits(in_order, words, scope), self.directory.fits(compact, words, scope)]
        if kind in MISSPELT:
            better.append(self.directory.containing(meaning(words), scope))
        return bool(words) and all(not companies or place in companies for companies in better)

    def _wrong_numbers(self, country: str) -> Iterator[Query]:
        for place in self._ordered(WRONG_DIGIT, country):
            company = self.directory.companies[place]
            if made := wrong_number(self._random(WRONG_DIGIT, company), Subject(self.directory, place)):
                yield self._query(made, WRONG_DIGIT, company, country, country)

    def _absent(self, kind: str, country: str) -> Iterator[Query]:
        """Yield queries of an absent kind, made from the companies of a country; asked elsewhere, they belong there."""
        for place in self._ordered(kind, country):
            subject = Subject(self.directory, place)
            rng = self._random(kind, subject.company)
            invented = absent_queries.KINDS[kind](rng, subject, self._places[country])
            if invented is None:
                continue
            words = invented.words
            if invented.slips and rng.random() < 0.15:
                words = distortions.slip(rng, words, context(subject)) or words
            text, _ = typed(rng, words, subject.legal, invented.form)
            scope = invented.scope or (country if rng.random() < 0.5 else None)
            query = self._query(Made(text, set()), kind, subject.company, invented.scope or country, scope)
            if 2 <= len(text) <= _LONGEST and not self.exists(query):
                yield query._replace(meant=())

    def _of_outsiders(self) -> Iterator[Query]:
        for number, name in enumerate(self.outsiders):
            country = COUNTRIES[number % len(COUNTRIES)]
            reading = read(name, "US")
            rng = Random(chance(self.seed, "absent-outsider", name))
            if not reading.words or not self.directory.is_absent(reading.words, None):
                continue
            text, _ = typed(rng, reading.raw, reading)
            company = Company(country, "lei", name, name, (), (), None, "gleif", f"outsider:{name}")
            made = Made(text, set())
            query = self._query(made, "absent-outsider", company, country, country if rng.random() < 0.5 else None)
            if 2 <= len(text) <= _LONGEST and not self.exists(query):
                yield query._replace(meant=(), language="en")

    def _query(self, made: Made, kind: str, company: Company, country: str, scope: str | None) -> Query:
        members = self.directory.group.get(company.group, [])
        return Query(
            f"{chance(kind, country, scope or '', made.q, *company.key):016x}",
            made.q,
            kind,
            country,
            scope,
            self.directory.records(members),
            self.directory.records(made.fits),
            len(self.directory.groups(made.fits)) == 1 and kind not in HINTING,
            LANGUAGE[company.country],
            split_of(company.group),
            company.source,
        )

    def exists(self, query: Query) -> bool:
        """Return whether an absent query can mean a company after all.

        It can when a company has exactly the name (in the legal form that is stated), by any country's rules; for a
        hint, when a company has these words or letters and no others; otherwise, unless the kind is close to real names
        on purpose, when `Directory.is_absent` is false.
        """
        readings = [read(query.q, code) for code in ((query.filter,) if query.filter else COUNTRIES)]
        if any(self.directory.fits(in_order, reading.words, query.filter, reading.form) for reading in readings):
            return True
        if query.kind in absent_queries.HINTS:
            return any(self.directory.fits(key, readings[0].words, query.filter) for key in (bare, compact))
        names = {reading.variants[0] for reading in readings}
        near = query.kind not in absent_queries.SLIGHT
        return near and not all(self.directory.is_absent(words, query.filter) for words in names)

    def check(self, queries: Iterable[Query]) -> None:
        """Raise `ValueError` for a query whose truth does not hold.

        That is an absent query that names a company, a present one that does not expect the company it means, or a
        company with queries in two parts of the set.
        """
        parts: dict[tuple[str, str], Split] = {}
        for query in queries:
            if query.absent and query.kind != WRONG_DIGIT and self.exists(query):
                raise ValueError(f"absent query names a company: {query.q!r} ({query.kind}, {query.filter})")
            if not query.absent and not set(query.meant) <= set(query.expected):
                raise ValueError(f"query does not expect the company it means: {query.q!r} ({query.kind})")
            for record in query.meant:
                if parts.setdefault(record, query.split) != query.split:
                    raise ValueError(f"company in two parts of the set: {record}")


def outsiders_of(folder: Path) -> list[str]:
    """Return the names in Latin letters of GLEIF's files under `folder`; most are in no register here."""
    names: list[str] = []
    for path in sorted(folder.glob("*.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            names += [record["Entity"]["LegalName"]["$"] for record in json.load(file)["records"]]
    return [name for name in names if plain(name).isascii()]


def main() -> None:
    """Write the queries of a part as JSON lines."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.generate", description=main.__doc__)
    parser.add_argument("--data", type=Path, default=Path("var"), help="folder of the built release")
    parser.add_argument("--outsiders", type=Path, default=Path("data/official/us/gleif"), help="folder of GLEIF files")
    parser.add_argument("--split", choices=SPLITS, required=True)
    parser.add_argument("--per-kind", type=int, default=PER_KIND)
    options = parser.parse_args()
    generator = Generator(
        Directory(read_release(options.data)), per_kind=options.per_kind, outsiders=outsiders_of(options.outsiders)
    )
    queries = generator.queries()
    generator.check(queries)
    for line in write_queries(query for query in queries if query.split == options.split):
        print(line)


if __name__ == "__main__":
    main()
