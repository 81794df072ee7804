"""The seeded query set: every kind of distortion of real names and numbers, and names of nobody.

Deterministic: the same companies and the same seed give the same queries; another company in the directory changes
little, because each query draws its chance from its own kind and company.

    python -m evaluation.generate --data var --split train > queries.jsonl
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

from rapidfuzz.distance import OSA

from evaluation import absent, distort, identifiers
from evaluation.directory import Directory, Same, said
from evaluation.distort import Scene
from evaluation.names import Reading, bag, compact, initials, plain, read, split
from evaluation.records import Company, read_release
from evaluation.vocabulary import COUNTRIES, FORMS, LANGUAGE

Split = Literal["train", "calibration", "test"]
SPLITS: tuple[Split, ...] = ("train", "calibration", "test")
SEED = "padron-golden-1"
PER_KIND = 300
CARRIERS = 8
"""Most companies that may share a beginning, a telling word or initials: an answer shows eight."""

_LONGEST = 256


class Query(NamedTuple):
    """A query and the truth about it.

    `country` is where it belongs, `filter` the country given with it. `meant`: the records of the company it was made
    from. `expected`: the records of every company it fits equally well, the meant one among them; empty when the
    directory has no such company. `source`: the key of the official source of the name. Records are (country, identifier).
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


class Made(NamedTuple):
    """The text of a query and the places of the companies it fits (empty: nobody)."""

    q: str
    fits: set[int]


def _hash(*parts: str) -> int:
    return int.from_bytes(blake2b("\x1f".join(parts).encode(), digest_size=8).digest())


def split_of(group: str) -> Split:
    """The part of the set to which all queries about one company belong: 40 % train, 20 % calibration, 40 % test."""
    share = _hash("split", group) % 100
    return "train" if share < 40 else "calibration" if share < 60 else "test"


def _typed(rng: Random, words: list[str], reading: Reading, form: str | None = None) -> tuple[str, str | None]:
    """Words as a hand types them, with a legal form (`form`: given; "" none; None: half the time) and the form's code."""
    code = reading.form
    if form is None:
        form = ""
        if code and rng.random() < 0.45:
            known = [shape for shapes in FORMS.values() for shape in shapes if shape.code == code][0]
            form = reading.written if rng.random() < 0.5 else rng.choice(known.short)
    return distort.as_typed(rng, " ".join((*words, form)).strip()), code if form else None


Maker = Callable[[Random, Directory, int, str | None], Made | None]


def _legal(directory: Directory, place: int) -> Reading:
    return directory.readings[place][0][1]


def _scene(directory: Directory, place: int) -> Scene:
    company = directory.companies[place]
    return Scene(company.country, directory.known[company.country], company.place)


def _whole(change: Callable[[Random, str], str], rng: Random, directory: Directory, place: int, scope: str | None) -> Made | None:
    """The registered name with everything it has, changed as a text."""
    text = directory.companies[place].legal_name
    reading = _legal(directory, place)
    changed = change(rng, text)
    if changed == text and change is not _same_text:
        return None
    return Made(changed, directory.fits(said, reading.spoken[0], scope, reading.form))


def _same_text(_: Random, text: str) -> str:
    return text


def _no_accents(_: Random, text: str) -> str:
    return plain(text)


def _form(choose: Callable[[Reading, str], list[str]], rng: Random, directory: Directory, place: int, scope: str | None) -> Made | None:
    """The name with its legal form written otherwise; `choose` gives the ways to write it, "" for none."""
    reading = _legal(directory, place)
    ways = choose(reading, directory.companies[place].country) if reading.form else []
    if not ways:
        return None
    text, code = _typed(rng, reading.raw, reading, rng.choice(ways))
    return Made(text, directory.fits(said, reading.words, scope, code))


def _shapes(reading: Reading, country: str) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Short ways, long ways, and whether the name has the form written out."""
    form = next(form for form in FORMS[country] if form.code == reading.form)
    letters = compact(tuple(word.text for word in split(reading.written)))
    written_out = any(compact(tuple(word.text for word in split(long))) == letters for long in form.long)
    return form.short, form.long, written_out


def _dropped(_: Reading, __: str) -> list[str]:
    return [""]


def _written_out(reading: Reading, country: str) -> list[str]:
    _, long, already = _shapes(reading, country)
    return [] if already else list(long)


def _cut_short(reading: Reading, country: str) -> list[str]:
    short, _, written_out = _shapes(reading, country)
    return list(short) if written_out else []


def _respelt(reading: Reading, country: str) -> list[str]:
    short, _, written_out = _shapes(reading, country)
    return [] if written_out else [way for way in short if way.lower() != reading.written.lower()]


def _changed(change: distort.Change, way: Same | None, rng: Random, directory: Directory, place: int, scope: str | None) -> Made | None:
    """The name with its words changed; it fits whom it would have fitted before (`way`), or whom it is nearest to."""
    reading = _legal(directory, place)
    words = change(rng, reading.raw, _scene(directory, place))
    if words is None:
        return None
    text, code = _typed(rng, words, reading)
    asked = tuple(word.text for word in split(" ".join(words)))
    if way:
        return Made(text, directory.fits(way, reading.words, scope, code))
    distance = int(OSA.distance(compact(asked), compact(reading.words)))
    if distance == 0:
        return None
    nearest = directory.nearest(asked, scope, distance)[1]
    if code and place in nearest:
        nearest = {other for other in nearest if any(known.form == code for _, known in directory.readings[other])}
    return Made(text, nearest)


def _other_name(kind: str, rng: Random, directory: Directory, place: int, scope: str | None) -> Made | None:
    """A trade, former or alternative name, or a ticker, that does not merely repeat the registered name."""
    legal = _legal(directory, place)
    names = [known for named, known in directory.readings[place] if named == kind and bag(known.words) != bag(legal.words)]
    if not names:
        return None
    reading = rng.choice(names)
    text, code = _typed(rng, reading.raw, reading)
    return Made(text, directory.fits(said, reading.words, scope, code))


def _prefix(rng: Random, directory: Directory, place: int, scope: str | None) -> Made | None:
    """The beginning of the name, cut inside a word, where at most eight companies begin like that."""
    whole = " ".join(_legal(directory, place).raw)
    least = max(5, len(whole) // 3)
    if least >= len(whole):
        return None
    for _ in range(6):
        cut = whole[: rng.randrange(least, len(whole))].rstrip()
        words = tuple(word.text for word in split(cut))
        if cut[-1].isalpha() and words and (fits := directory.beginning(" ".join(words), scope, CARRIERS)):
            return Made(distort.as_typed(rng, cut), fits)
    return None


def _telling_word(rng: Random, directory: Directory, place: int, scope: str | None) -> Made | None:
    """Only the most telling word, where at most eight companies have it."""
    reading = _legal(directory, place)
    at = absent.distinctive(directory, reading, directory.companies[place].country)
    if at is None or len(reading.core) < 2:
        return None
    fits = directory.holding((reading.core[at].text,), scope)
    called = directory.fits(said, (reading.core[at].text,), scope)
    few = len(directory.groups(fits)) <= CARRIERS
    return Made(distort.as_typed(rng, reading.raw[at]), called or fits) if few else None


def _acronym(rng: Random, directory: Directory, place: int, scope: str | None) -> Made | None:
    """The initials, where at most eight companies have them; companies that call themselves so come first."""
    reading = _legal(directory, place)
    acronym = initials(reading.words)
    if not 3 <= len(acronym) <= 8:
        return None
    fits = directory.holding((acronym,), scope) or directory.fits(initials, reading.words, scope)
    if len(directory.groups(fits)) > CARRIERS:
        return None
    return Made(rng.choice((acronym, acronym.upper(), acronym.upper(), ".".join(acronym.upper()) + ".")), fits)


Write = Callable[[Random, str, str], str | None]


def _number(write: Write, rng: Random, directory: Directory, place: int, scope: str | None) -> Made | None:
    """The official number, written as `write` does."""
    company = directory.companies[place]
    text = write(rng, company.scheme, company.identifier)
    return Made(text, directory.numbered(company.identifier, scope)) if text else None


def _wrong_number(rng: Random, directory: Directory, place: int, scope: str | None) -> Made | None:
    """The official number with one digit wrong, where nobody has that number."""
    company = directory.companies[place]
    number = identifiers.wrong_digit(rng, company.scheme, company.identifier)
    if directory.numbered(number, None):
        return None
    shown = number
    if company.scheme == "co-nit":
        shown = number + "-" + identifiers.nit_check_digit(company.identifier)
    return Made(shown, set())


def _bare(_: Random, __: str, number: str) -> str:
    return number


KINDS: dict[str, Maker] = {
    "exact": partial(_whole, _same_text),
    "no-accents": partial(_whole, _no_accents),
    "case": partial(_whole, distort.other_case),
    "form-dropped": partial(_form, _dropped),
    "form-written-out": partial(_form, _written_out),
    "form-abbreviated": partial(_form, _cut_short),
    "form-respelt": partial(_form, _respelt),
    "reordered": partial(_changed, distort.reordered, bag),
    "typo": partial(_changed, distort.slip, None),
    "two-typos": partial(_changed, distort.two_slips, None),
    "transposed": partial(_changed, distort.transposed, None),
    "doubled": partial(_changed, distort.doubled, None),
    "phonetic": partial(_changed, distort.misheard, None),
    "hurried": partial(_changed, distort.hurried, None),
    "glued": partial(_changed, distort.glued, compact),
    "divided": partial(_changed, distort.divided, compact),
    "joiners": partial(_changed, distort.joiners, bag),
    "abbreviated": partial(_changed, distort.abbreviated, bag),
    "translated": partial(_changed, distort.translated, bag),
    "extra-word": partial(_changed, distort.with_generic, said),
    "extra-place": partial(_changed, distort.with_place, said),
    "trade-name": partial(_other_name, "trade"),
    "former-name": partial(_other_name, "former"),
    "alternative-name": partial(_other_name, "alternative"),
    "ticker": partial(_other_name, "ticker"),
    "prefix": _prefix,
    "telling-word": _telling_word,
    "acronym": _acronym,
    "identifier": partial(_number, _bare),
    "identifier-formatted": partial(_number, identifiers.formatted),
    "identifier-worded": partial(_number, identifiers.worded),
}
"""Kinds of queries for companies that are in the directory."""

WRONG_DIGIT = "identifier-wrong-digit"


def is_identifier(kind: str) -> bool:
    """Whether queries of this kind are numbers: they are scored apart from names."""
    return kind.startswith("identifier")


class Generator:
    """Makes the queries of a directory. `foreign`: real names of companies that none of the six registers holds."""

    def __init__(self, directory: Directory, *, seed: str = SEED, per_kind: int = PER_KIND, foreign: Iterable[str] = ()):
        self.directory = directory
        self.seed = seed
        self.per_kind = per_kind
        self.foreign = sorted(set(foreign))
        self._places: dict[str, list[int]] = {country: [] for country in COUNTRIES}
        for place, company in enumerate(directory.companies):
            self._places[company.country].append(place)

    def queries(self) -> list[Query]:
        """All queries, by country and kind; no text twice under one filter, a third of them or more absent."""
        seen: set[tuple[str, str | None]] = set()
        queries: list[Query] = []
        for country in COUNTRIES:
            present = [query for kind in KINDS for query in self._take(self._present(kind, country), self.per_kind, seen)]
            queries += present
            queries += self._take(self._wrong_numbers(country), self.per_kind, seen)
            missing = -(-len(present) // 2)
            for left, kind in zip(range(len(absent.KINDS), 0, -1), absent.KINDS, strict=True):
                some = self._take(self._nobody(kind, country), -(-missing // left), seen)
                missing -= len(some)
                queries += some
        queries += self._take(self._strangers(), len(self.foreign), seen)
        return queries

    def _take(self, some: Iterator[Query], most: int, seen: set[tuple[str, str | None]]) -> list[Query]:
        taken: list[Query] = []
        while len(taken) < most and (query := next(some, None)):
            key = (query.q.casefold() if not is_identifier(query.kind) else query.kind + query.q, query.filter)
            if query.kind in {"case", "exact", "no-accents"}:
                key = (query.kind + query.q, query.filter)
            if key not in seen:
                seen.add(key)
                taken.append(query)
        return taken

    def _ordered(self, kind: str, country: str) -> list[int]:
        """Companies in the order in which a kind draws them."""
        companies = self.directory.companies
        return sorted(self._places[country], key=lambda place: _hash(self.seed, kind, *companies[place].key))

    def _random(self, kind: str, company: Company) -> Random:
        return Random(_hash(self.seed, "chance", kind, *company.key))

    def _present(self, kind: str, country: str) -> Iterator[Query]:
        for place in self._ordered(kind, country):
            company = self.directory.companies[place]
            rng = self._random(kind, company)
            local = is_identifier(kind) and company.scheme in identifiers.LOCAL
            scope = country if local or rng.random() < 0.5 else None
            made = KINDS[kind](rng, self.directory, place, scope)
            if made and place in made.fits and self._plausible(made, kind, company, scope):
                yield self._query(made, kind, company, country, scope)

    def _plausible(self, made: Made, kind: str, company: Company, scope: str | None) -> bool:
        """Whether the text can be asked, and is not, by accident, the very name of companies it should not fit."""
        if not 2 <= len(made.q) <= _LONGEST or len(made.q.encode()) > 2 * _LONGEST:
            return False
        if is_identifier(kind):
            return True
        words = read(made.q, company.country).words
        named = self.directory.fits(said, words, scope)
        return bool(words) and (not named or bool(named & made.fits))

    def _wrong_numbers(self, country: str) -> Iterator[Query]:
        for place in self._ordered(WRONG_DIGIT, country):
            company = self.directory.companies[place]
            if made := _wrong_number(self._random(WRONG_DIGIT, company), self.directory, place, None):
                yield self._query(made, WRONG_DIGIT, company, country, country)

    def _nobody(self, kind: str, country: str) -> Iterator[Query]:
        """Queries of one absent kind made from the companies of a country; asked elsewhere, they belong there."""
        for place in self._ordered(kind, country):
            company = self.directory.companies[place]
            rng = self._random(kind, company)
            nobody = absent.KINDS[kind](rng, self.directory, place, self._places[country])
            if nobody is None:
                continue
            words = nobody.words
            if nobody.slips and rng.random() < 0.15:
                words = distort.slip(rng, words, _scene(self.directory, place)) or words
            text, _ = _typed(rng, words, _legal(self.directory, place), nobody.form)
            scope = nobody.scope or (country if rng.random() < 0.5 else None)
            query = self._query(Made(text, set()), kind, company, nobody.scope or country, scope)
            if 2 <= len(text) <= _LONGEST and not self.named(query):
                yield query._replace(meant=())

    def _strangers(self) -> Iterator[Query]:
        for number, name in enumerate(self.foreign):
            country = COUNTRIES[number % len(COUNTRIES)]
            reading = read(name, "US")
            rng = Random(_hash(self.seed, "absent-foreign", name))
            if not reading.words or not self.directory.nobody(reading.words, None):
                continue
            text, _ = _typed(rng, reading.raw, reading)
            company = Company(country, "lei", name, name, (), None, "gleif", f"foreign:{name}")
            made = Made(text, set())
            query = self._query(made, "absent-foreign", company, country, country if rng.random() < 0.5 else None)
            if 2 <= len(text) <= _LONGEST and not self.named(query):
                yield query._replace(meant=(), language="en")

    def _query(self, made: Made, kind: str, company: Company, country: str, scope: str | None) -> Query:
        members = self.directory.group.get(company.group, [])
        return Query(
            f"{_hash(kind, country, scope or '', made.q, *company.key):016x}",
            made.q,
            kind,
            country,
            scope,
            self.directory.records(members),
            self.directory.records(made.fits),
            len(self.directory.groups(made.fits)) == 1,
            LANGUAGE[company.country],
            split_of(company.group),
            company.source,
        )

    def named(self, query: Query) -> bool:
        """Whether a company has the very name of the query (in the legal form it states), read by any country's rules."""
        codes = (query.filter,) if query.filter else COUNTRIES
        readings = [read(query.q, code) for code in codes]
        return any(absent.exists(self.directory, r.words, r.form, query.filter) for r in readings)

    def check(self, queries: Iterable[Query]) -> None:
        """Raise `ValueError` for a query whose truth does not hold: an absent one that names a company, a present one
        that does not expect the company it means, or a company whose queries are in two parts.
        """  # noqa: D205
        parts: dict[tuple[str, str], Split] = {}
        for query in queries:
            if query.absent and query.kind != WRONG_DIGIT and self.named(query):
                raise ValueError(f"absent query names a company: {query.q!r} ({query.kind}, {query.filter})")
            if not query.absent and not set(query.meant) <= set(query.expected):
                raise ValueError(f"query does not expect the company it means: {query.q!r} ({query.kind})")
            for record in query.meant:
                if parts.setdefault(record, query.split) != query.split:
                    raise ValueError(f"company in two parts of the set: {record}")


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


def foreign_names(folder: Path) -> list[str]:
    """Names of the entities outside the six countries in GLEIF's files under `folder` (gzipped JSON)."""
    import gzip  # noqa: PLC0415

    names: list[str] = []
    for path in sorted(folder.glob("*.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            records = json.load(file)["records"]
        for record in records:
            entity = record["Entity"]
            name = entity["LegalName"]["$"]
            if entity["LegalAddress"]["Country"]["$"] not in COUNTRIES and len(plain(name).encode("ascii", "ignore")) > len(name) * 0.9:
                names.append(name)
    return names


def main() -> None:
    """Write the queries of a part as JSON lines."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.generate", description=main.__doc__)
    parser.add_argument("--data", type=Path, default=Path("var"), help="folder of the built release")
    parser.add_argument("--foreign", type=Path, default=Path("data/official/us/gleif"), help="folder of GLEIF files")
    parser.add_argument("--split", choices=SPLITS, required=True)
    parser.add_argument("--per-kind", type=int, default=PER_KIND)
    options = parser.parse_args()
    generator = Generator(Directory(read_release(options.data)), per_kind=options.per_kind, foreign=foreign_names(options.foreign))
    queries = generator.queries()
    generator.check(queries)
    for line in write_queries(query for query in queries if query.split == options.split):
        print(line)


if __name__ == "__main__":
    main()
