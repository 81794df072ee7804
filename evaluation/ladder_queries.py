"""The queries of the ladder: the same at every size, made from companies of the smallest one or from nobody.

A name is typed in lower case and without its legal form; half of the queries name the country.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Final, Literal, NamedTuple

from evaluation import distortions
from evaluation.carriers import Asked, Carriers
from evaluation.names import split
from evaluation.population import SEED, Invented, Population, Words
from evaluation.queries import Query, chance
from evaluation.vocabulary import CONNECTIVES, COUNTRIES, COUNTRY_NAMES, LANGUAGE

Carried = Literal["by one", "by several", "by none"]

_NOBODY: Final = 100_000_000
"""Number from which on companies are in no population: their names are asked for as absent ones."""
_TRIALS: Final = 6
"""Candidates drawn for each query that is kept: many do not have the truth that their kind must have."""
_MANY_TRIALS: Final = 60
_LONGEST: Final = 100
_SISTERS: Final = ("ii", "iii", "2", "3")


class _Making(NamedTuple):
    """Context of a query: the population, a company, how many companies of the smallest size have each word, others."""

    population: Population
    company: Invented
    bearers: Counter[str]
    others: Sequence[Invented]

    @property
    def words(self) -> Words:
        """The words of the company's name."""
        return self.company.names[0]

    def rarest(self, words: Words) -> int | None:
        """Return the place of the rarest word of at least four letters."""
        places = [at for at, word in enumerate(words) if len(word) > 3 and word not in CONNECTIVES]
        return min(places, key=lambda at: (self.bearers[words[at]], at), default=None)


Make = Callable[[Random, _Making], Words | None]


def _whole(_: Random, making: _Making) -> Words:
    return making.words


def _typo(rng: Random, making: _Making) -> Words | None:
    context = distortions.Context(making.company.country, making.bearers, None)
    words = distortions.slip(rng, list(making.words), context)
    return tuple(words) if words else None


def _half(_: Random, making: _Making) -> Words | None:
    words = making.words[: (len(making.words) + 1) // 2]
    return words if len(words) < len(making.words) and words[-1] not in CONNECTIVES else None


def _of_nobody(rng: Random, making: _Making) -> tuple[int, Words]:
    number = _NOBODY + rng.randrange(_NOBODY)
    return number, making.population.words(making.company.country, number)


def _coined(rng: Random, making: _Making) -> Words | None:
    number, words = _of_nobody(rng, making)
    coined = making.population.coined(making.company.country, number)
    return words if coined in words and coined not in making.bearers else None


def _common(rng: Random, making: _Making) -> Words | None:
    _, words = _of_nobody(rng, making)
    return words if len(words) > 1 and all(making.bearers[word] > 1 for word in words) else None


def _other_word(rng: Random, making: _Making) -> Words | None:
    at, other = making.rarest(making.words), rng.choice(making.others).names[0]
    where = making.rarest(other)
    if at is None or where is None or len(making.words) == 1:
        return None
    return (*making.words[:at], other[where], *making.words[at + 1 :])


def _sister(rng: Random, making: _Making) -> Words | None:
    words = making.words
    return None if any(word.isdigit() for word in words) else (*words, rng.choice(_SISTERS))


class _Kind(NamedTuple):
    """A kind of query, and who carries it in the smallest population. `near`: also names one typo away carry it."""

    make: Make
    carried: Carried
    near: bool = True
    trials: int = _TRIALS


KINDS: Final = {
    "exact": _Kind(_whole, "by one"),
    "typo": _Kind(_typo, "by one"),
    "half": _Kind(_half, "by one"),
    "namesake": _Kind(_whole, "by several", trials=_MANY_TRIALS),
    "beginning": _Kind(_half, "by several"),
    "absent-coined": _Kind(_coined, "by none"),
    "absent-common": _Kind(_common, "by none", trials=_MANY_TRIALS),
    "near-word": _Kind(_other_word, "by none"),
    "near-sister": _Kind(_sister, "by none", near=False),
}
NAMES: Final = frozenset({"exact", "typo", "half"})
"""Kinds whose recall counts: they name one company."""


def queries(population: Population, smallest: int, per_kind: int) -> list[Asked]:
    """Return at most `per_kind` queries of each kind, of which each has the truth of its kind at the smallest size."""
    companies = list(population.companies(smallest))
    candidates = list(_candidates(population, companies, per_kind))
    carriers = Carriers(candidates)
    for _ in carriers.counted(companies):
        pass
    kept: dict[str, list[Asked]] = defaultdict(list)
    for asked, truth in zip(candidates, carriers.truths(), strict=True):
        some = kept[truth.kind]
        if _carried(truth) == KINDS[truth.kind].carried and len(some) < per_kind:
            some.append(asked)
    return [asked for kind in KINDS for asked in kept[kind]]


def _carried(query: Query) -> Carried:
    return "by one" if query.unique else "by several" if query.expected else "by none"


def _candidates(population: Population, companies: Sequence[Invented], per_kind: int) -> Iterator[Asked]:
    bearers = Counter(word for company in companies for words in company.names for word in set(words))
    places = {word.text for names in COUNTRY_NAMES.values() for name in names for word in split(name)}
    places |= {
        word.text
        for company in companies
        for place in (company.facts.municipality, company.facts.region)
        for word in split(place or "")
    }
    by_country = {country: [company for company in companies if company.country == country] for country in COUNTRIES}
    for kind, (make, carried, near, trials) in KINDS.items():
        rng = Random(chance(SEED, "queries", kind))
        seen: set[Words] = set()
        for number in range(per_kind * trials):
            some = by_country[COUNTRIES[number % len(COUNTRIES)]]
            company = rng.choice(some)
            words = make(rng, _Making(population, company, bearers, some))
            if not words or words in seen or not 2 < len(" ".join(words)) <= _LONGEST:
                continue
            if carried == "by none" and not places.isdisjoint(words):
                continue  # a company without this word in its name may still be in that place
            seen.add(words)
            scope = company.country if rng.random() < 0.5 else None
            yield Asked(_query(kind, words, company, scope), words, None if carried == "by none" else company.key, near)


def _query(kind: str, words: Words, company: Invented, scope: str | None) -> Query:
    text = " ".join(words)
    return Query(
        f"{chance(kind, scope or '', text, *company.key):016x}",
        text,
        kind,
        company.country,
        scope,
        (),
        (),
        unique=False,
        language=LANGUAGE[company.country],
        split="test",
        source=company.source,
    )
