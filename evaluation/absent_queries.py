"""Queries for companies that do not exist: near misses of real names, recombined names, companies of other registers.

Each kind makes the words of a name from a real company, or returns None where it does not apply. The indexes of the
directory prove that no company in the scope of the query can be meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from rapidfuzz.distance import OSA

from evaluation import distortions
from evaluation.directory import Directory, Subject
from evaluation.forms import FORMS, OTHER_OWNERS
from evaluation.names import Reading, compact, initials, split
from evaluation.vocabulary import CITIES, COUNTRIES, NATIONS

ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X")


class Absent(NamedTuple):
    """The words of an invented query; `form` is the legal form as written, None leaves it to chance."""

    words: list[str]
    scope: str | None
    form: str | None = None
    slips: bool = True


Make = Callable[[Random, Subject, list[int]], Absent | None]


def _folded(words: list[str]) -> tuple[str, ...]:
    return tuple(word.text for word in split(" ".join(words)))


def distinctive(directory: Directory, reading: Reading, country: str) -> int | None:
    """Return the place of the rarest word that can name a company: at least four letters, not a common word."""
    known, raw = directory.known[country], reading.raw
    able = [
        (known[word.text], place)
        for place, word in enumerate(reading.core)
        if len(word.text) > 3 and raw[place].isalpha() and not distortions.is_common(word.text)
    ]
    return min(able)[1] if able else None


def near_word(rng: Random, subject: Subject, peers: list[int]) -> Absent | None:
    """Replace the most distinctive word by another one of the country, often with the same first letter."""
    directory, company, reading = subject.directory, subject.company, subject.legal
    at = distinctive(directory, reading, company.country)
    if at is None:
        return None
    old = reading.core[at].text
    for _ in range(12):
        other = Subject(directory, rng.choice(peers)).legal
        where = distinctive(directory, other, company.country)
        if where is None or (new := other.core[where].text) == old:
            continue
        alike = new[0] == old[0]
        if OSA.distance(old, new) > max(2, len(old) // 2) and (alike or rng.random() < 0.3):
            words = [*reading.raw[:at], other.raw[where], *reading.raw[at + 1 :]]
            return Absent(words, None) if directory.is_absent(_folded(words), None) else None
    return None


def near_place(rng: Random, subject: Subject, _: list[int]) -> Absent | None:
    """Replace a city, region or country in the name."""
    directory, company, reading = subject.directory, subject.company, subject.legal
    words = distortions.another_place(rng, reading.raw, CITIES[company.country])
    words = words or distortions.another_place(rng, reading.raw, NATIONS)
    return Absent(words, None) if words and directory.is_absent(_folded(words), None) else None


def near_form(rng: Random, subject: Subject, _: list[int]) -> Absent | None:
    """Write the name with a legal form that none of its bearers has, where all bearers state theirs.

    Cooperatives are left out: the word in the name says more than the form does.
    """
    directory, company, reading = subject.directory, subject.company, subject.legal
    owners = OTHER_OWNERS[company.country]
    if reading.form not in owners or any(word.startswith("coop") for word in reading.words):
        return None
    taken: set[str | None] = set()
    for bearer in directory.fits(compact, reading.words, None):
        taken |= directory.forms(bearer, compact, compact(reading.words))
    free = [code for code in owners if code not in taken]
    if None in taken or not free:
        return None
    code = rng.choice(free)
    form = next(form for form in FORMS[company.country] if form.code == code)
    return Absent(reading.raw, None, rng.choice((*form.short, *form.long)), slips=False)


def near_sister(rng: Random, subject: Subject, _: list[int]) -> Absent | None:
    """Name a sister company (I, II, III …) that does not exist."""
    directory, reading = subject.directory, subject.legal
    words = reading.raw
    at = next((at for at, word in enumerate(words) if at and word.upper() in ROMAN), None)
    if at is not None:
        other = rng.choice([number for number in ROMAN[:5] if number != words[at].upper()])
        words = [*words[:at], other, *words[at + 1 :]]
    elif any(word.text.isdigit() for word in reading.core):
        return None
    else:
        words = [*words, rng.choice(("II", "III", "2", "IV"))]
    return Absent(words, None, slips=False) if directory.is_absent(_folded(words), None, near=False) else None


def near_number(rng: Random, subject: Subject, _: list[int]) -> Absent | None:
    """Replace the number in the name."""
    directory, words = subject.directory, subject.legal.raw
    at = next((at for at, word in enumerate(words) if re.fullmatch(r"\d{1,6}", word)), None)
    if at is None:
        return None
    number = int(words[at])
    step = rng.choice([step for step in (-2, -1, 1, 2, 3, 10, 100) if number + step > 0])
    words = [*words[:at], str(number + step).zfill(len(words[at])), *words[at + 1 :]]
    return Absent(words, None, slips=False) if directory.is_absent(_folded(words), None, near=False) else None


def recombined(rng: Random, subject: Subject, peers: list[int]) -> Absent | None:
    """Join the beginning of one company's name and the end of another's."""
    directory, first = subject.directory, subject.legal.raw
    last = Subject(directory, rng.choice(peers)).legal.raw
    if len(first) < 2 or len(last) < 2:
        return None
    words = [*first[: max(1, len(first) // 2)], *last[-max(1, len(last) // 2) :]]
    return Absent(words, None) if directory.is_absent(_folded(words), None) else None


def other_country(rng: Random, subject: Subject, _: list[int]) -> Absent | None:
    """Ask for a real company in a country where it is not."""
    directory, reading = subject.directory, subject.legal
    scope = _absent_from(rng, subject)
    words = reading.raw + (reading.written_as(reading.tail) if rng.random() < 0.5 else [])
    if scope is None:
        return None
    return Absent(words, scope) if directory.is_absent(_folded(words), scope) else None


def other_country_word(rng: Random, subject: Subject, _: list[int]) -> Absent | None:
    """Ask for the distinctive word of a real company in a country where it is not.

    Companies there may have the word, but it must not be their distinctive one: then one of them could be meant.
    """
    directory, reading = subject.directory, subject.legal
    at = distinctive(directory, reading, subject.company.country)
    scope = _absent_from(rng, subject)
    if at is None or scope is None:
        return None
    for holder in directory.containing((reading.core[at].text,), scope):
        other = Subject(directory, holder).legal
        if distinctive(directory, other, scope) in {None, _place_of(other, reading.core[at].text)}:
            return None
    return Absent([reading.raw[at]], scope, "", slips=False)


def other_country_acronym(rng: Random, subject: Subject, _: list[int]) -> Absent | None:
    """Ask for the initials of a real company in a country where it is not; companies there may have the same."""
    acronym = initials(subject.legal.words)
    scope = _absent_from(rng, subject)
    return Absent([acronym.upper()], scope, "", slips=False) if 3 <= len(acronym) <= 8 and scope else None


def other_country_prefix(rng: Random, subject: Subject, _: list[int]) -> Absent | None:
    """Ask for the beginning of a real name in a country with neither that company nor its distinctive word.

    Names there may begin in the same way.
    """
    directory, reading = subject.directory, subject.legal
    cut = distortions.beginning(rng, reading.raw)
    scope = _absent_from(rng, subject)
    at = distinctive(directory, reading, subject.company.country)
    if cut is None or scope is None or at is None or directory.containing((reading.core[at].text,), scope):
        return None
    return Absent(cut.split(), scope, "", slips=False)


def _place_of(reading: Reading, word: str) -> int | None:
    return reading.words.index(word) if word in reading.words else None


def _absent_from(rng: Random, subject: Subject) -> str | None:
    """Return a country with no record of the company and no company of its name."""
    scope = _elsewhere(rng, subject)
    return scope if scope and subject.directory.is_absent(subject.legal.words, scope) else None


def _elsewhere(rng: Random, subject: Subject) -> str | None:
    """Return a country with no record of the company."""
    directory, company = subject.directory, subject.company
    here = {directory.companies[member].country for member in directory.group[company.group]}
    held = [code for code in COUNTRIES if code not in here and directory.known[code]]
    return rng.choice(held) if held else None


KINDS: dict[str, Make] = {
    "absent-other-number": near_number,
    "absent-other-place": near_place,
    "absent-sister": near_sister,
    "absent-other-form": near_form,
    "absent-other-country-acronym": other_country_acronym,
    "absent-other-country-word": other_country_word,
    "absent-other-country-prefix": other_country_prefix,
    "absent-other-word": near_word,
    "absent-recombined": recombined,
    "absent-other-country": other_country,
}
"""Kinds of absent companies, the scarce ones first."""

HINTS = frozenset({"absent-other-country-acronym", "absent-other-country-word", "absent-other-country-prefix"})
"""Kinds with so little of a name that other companies may have it too; the set has half as many of these."""
SLIGHT = frozenset({"absent-other-number", "absent-sister", "absent-other-form"})
"""Kinds that are close to real names on purpose."""
