"""The seeded query set: every kind of distortion of real names and numbers, and names of nobody.

Deterministic: the same companies and the same seed give the same queries; another company in the directory changes
little, because each query draws its chance from its own kind and company.

    python -m evaluation.generate --data var --split train > queries.jsonl
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from evaluation import absent, distort, identifiers
from evaluation.directory import Directory, Subject, said
from evaluation.kinds import KINDS, MISSPELT, Made, scene, typed, wrong_number
from evaluation.names import bare, compact, meaning, plain, read
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
_LONGEST = 256
_BITS = (1 << 64) - 1


class Generator:
    """Makes the queries of a directory. `outsiders`: real names from elsewhere, used where nobody here has them."""

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
        """All queries, by country and kind; no text twice under one filter, a third of them or more absent."""
        seen: set[tuple[str, str | None]] = set()
        queries: list[Query] = []
        for country in COUNTRIES:
            present = [
                query for kind in KINDS for query in self._take(self._present(kind, country), self.per_kind, seen)
            ]
            queries += present
            queries += self._take(self._wrong_numbers(country), self.per_kind, seen)
            missing = -(-len(present) // 2)
            for left, kind in zip(range(len(absent.KINDS), 0, -1), absent.KINDS, strict=True):
                most = -(-self.per_kind // 2) if kind in absent.HINTS else -(-missing // left)
                some = self._take(self._nobody(kind, country), most, seen)
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
        """Companies in the order in which a kind draws them."""
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
        """Whether the text can be asked, and no company fits it better by accident than the one that is meant.

        A better one has the very words for a name, or their letters, or (where words were misspelt) holds them all.
        """
        if not 2 <= len(made.q) <= _LONGEST:
            return False
        if is_identifier(kind):
            return True
        words = read(made.q, self.directory.companies[place].country).words
        better = [self.directory.fits(said, words, scope), self.directory.fits(compact, words, scope)]
        if kind in MISSPELT:
            better.append(self.directory.holding(meaning(words), scope))
        return bool(words) and all(not named or place in named for named in better)

    def _wrong_numbers(self, country: str) -> Iterator[Query]:
        for place in self._ordered(WRONG_DIGIT, country):
            company = self.directory.companies[place]
            if made := wrong_number(self._random(WRONG_DIGIT, company), Subject(self.directory, place)):
                yield self._query(made, WRONG_DIGIT, company, country, country)

    def _nobody(self, kind: str, country: str) -> Iterator[Query]:
        """Queries of one absent kind made from the companies of a country; asked elsewhere, they belong there."""
        for place in self._ordered(kind, country):
            subject = Subject(self.directory, place)
            rng = self._random(kind, subject.company)
            nobody = absent.KINDS[kind](rng, subject, self._places[country])
            if nobody is None:
                continue
            words = nobody.words
            if nobody.slips and rng.random() < 0.15:
                words = distort.slip(rng, words, scene(subject)) or words
            text, _ = typed(rng, words, subject.legal, nobody.form)
            scope = nobody.scope or (country if rng.random() < 0.5 else None)
            query = self._query(Made(text, set()), kind, subject.company, nobody.scope or country, scope)
            if 2 <= len(text) <= _LONGEST and not self.exists(query):
                yield query._replace(meant=())

    def _of_outsiders(self) -> Iterator[Query]:
        for number, name in enumerate(self.outsiders):
            country = COUNTRIES[number % len(COUNTRIES)]
            reading = read(name, "US")
            rng = Random(chance(self.seed, "absent-outsider", name))
            if not reading.words or not self.directory.nobody(reading.words, None):
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
        """Whether a company could be meant by an absent query.

        It could when it has the very name (in the legal form that is stated), read by any country's rules; for a hint,
        when it has these words or letters and no others; else, unless the query is near on purpose, as `nobody` says.
        """
        readings = [read(query.q, code) for code in ((query.filter,) if query.filter else COUNTRIES)]
        if any(self.directory.fits(said, known.words, query.filter, known.form) for known in readings):
            return True
        if query.kind in absent.HINTS:
            return any(self.directory.fits(way, readings[0].words, query.filter) for way in (bare, compact))
        spoken = {known.spoken[0] for known in readings}
        near = query.kind not in absent.SLIGHT
        return near and not all(self.directory.nobody(words, query.filter) for words in spoken)

    def check(self, queries: Iterable[Query]) -> None:
        """Raise `ValueError` for a query whose truth does not hold.

        That is: an absent one that names a company, a present one that does not expect the company it means, or a
        company whose queries are in two parts of the set.
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
    """Names in Latin letters of the entities in GLEIF's files under `folder`; most of them are in no register here."""
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
