"""Queries for companies in the directory, by kind, each with the companies that it fits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import NamedTuple

from rapidfuzz.distance import OSA

from evaluation import absent_queries, distortions, identifiers
from evaluation.directory import Key, Subject, in_order
from evaluation.distortions import Context
from evaluation.forms import FORMS
from evaluation.names import Reading, Word, bag, compact, initials, plain, split

CARRIERS = 8
"""Companies that may share a beginning, a distinctive word or initials, at most: an answer shows eight."""


class Made(NamedTuple):
    """The text of a query, and the places of the companies that it fits."""

    q: str
    fits: set[int]


def typed(rng: Random, words: list[str], reading: Reading, form: str | None = None) -> tuple[str, str | None]:
    """Return words as people type them, and the code of the legal form among them.

    Args:
        rng: The random source.
        words: The words of the name.
        reading: The parsed name.
        form: The legal form as written; "" leaves it out, None leaves it to chance.

    Returns:
        The text, and the code of its legal form, if any.
    """
    code = reading.form
    if form is None:
        form = ""
        if code and rng.random() < 0.45:
            known = next(shape for shape in FORMS[reading.country] if shape.code == code)
            form = reading.written if rng.random() < 0.5 else rng.choice(known.short)
    return distortions.as_typed(rng, " ".join((*words, form)).strip()), code if form else None


Maker = Callable[[Random, Subject], Made | None]


def _variant(rng: Random, reading: Reading) -> tuple[Word, ...]:
    """Return the core of the name and, half the time, what stands behind the form."""
    return reading.core + (reading.tail if rng.random() < 0.5 else ())


def context(subject: Subject) -> Context:
    """Return the context of a company's name."""
    company = subject.company
    return Context(company.country, subject.directory.known[company.country], company.place)


def _whole(change: Callable[[Random, str], str], rng: Random, subject: Subject) -> Made | None:
    """Change the registered name as a text."""
    text = subject.company.legal_name
    reading = subject.legal
    changed = change(rng, text)
    if changed == text and change is not _same_text:
        return None
    return Made(changed, subject.fitting(in_order, reading.variants[0], reading.form))


def _same_text(_: Random, text: str) -> str:
    return text


def _no_accents(_: Random, text: str) -> str:
    return plain(text)


def _form(choose: Callable[[Reading], list[str]], rng: Random, subject: Subject) -> Made | None:
    """Write the legal form otherwise; `choose` returns the spellings, "" for none."""
    reading = subject.legal
    spellings = choose(reading) if reading.form else []
    if not spellings:
        return None
    spelling = rng.choice(spellings)
    words = reading.core if spelling else _variant(rng, reading)
    text, code = typed(rng, reading.written_as(words), reading, spelling)
    return Made(text, subject.fitting(in_order, _folded(words), code))


def _folded(words: tuple[Word, ...]) -> tuple[str, ...]:
    return tuple(word.text for word in words)


def _shapes(reading: Reading) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Return the short and the long spellings of the form, and whether the name has a long one."""
    form = next(form for form in FORMS[reading.country] if form.code == reading.form)
    letters = compact(tuple(word.text for word in split(reading.written)))
    written_out = any(compact(tuple(word.text for word in split(long))) == letters for long in form.long)
    return form.short, form.long, written_out


def _dropped(_: Reading) -> list[str]:
    return [""]


def _written_out(reading: Reading) -> list[str]:
    _, long, already = _shapes(reading)
    return [] if already else list(long)


def _cut_short(reading: Reading) -> list[str]:
    short, _, written_out = _shapes(reading)
    return list(short) if written_out else []


def _respelt(reading: Reading) -> list[str]:
    short, _, written_out = _shapes(reading)
    return [] if written_out else [spelling for spelling in short if spelling.lower() != reading.written.lower()]


def _changed(change: distortions.Change, key: Key | None, rng: Random, subject: Subject) -> Made | None:
    """Change the words of the name; it fits the companies of the same key, or without one the nearest companies."""
    reading = subject.legal
    name = _variant(rng, reading)
    words = change(rng, reading.written_as(name), context(subject))
    if words is None:
        return None
    text, code = typed(rng, words, reading)
    if key:
        return Made(text, subject.fitting(key, _folded(name), code))
    changed = _folded(tuple(split(" ".join(words))))
    distance = int(OSA.distance(compact(changed), compact(_folded(name))))
    if distance == 0:
        return None
    nearest = subject.directory.nearest(changed, subject.scope, distance)[1]
    if code and subject.place in nearest:
        nearest = {
            other for other in nearest if any(reading.form == code for _, reading in subject.directory.readings[other])
        }
    return Made(text, nearest)


def _other_name(kind: str, rng: Random, subject: Subject) -> Made | None:
    """Use a trade, former or alternative name, or a ticker, that does not merely repeat the registered name."""
    names = [
        reading
        for name_kind, reading in subject.directory.readings[subject.place]
        if name_kind == kind and bag(reading.words) != bag(subject.legal.words)
    ]
    if not names:
        return None
    reading = rng.choice(names)
    text, code = typed(rng, reading.raw, reading)
    return Made(text, subject.fitting(in_order, reading.words, code))


def _prefix(rng: Random, subject: Subject) -> Made | None:
    """Cut the name inside a word, where at most eight companies have the same beginning."""
    for _ in range(6):
        cut = distortions.beginning(rng, subject.legal.raw)
        words = in_order(_folded(tuple(split(cut or ""))))
        fits = subject.directory.with_prefix(words, subject.scope, CARRIERS) if words else None
        if cut and fits:
            return Made(distortions.as_typed(rng, cut), fits)
    return None


def _distinctive_word(rng: Random, subject: Subject) -> Made | None:
    """Use only the most distinctive word, where at most eight companies have it."""
    reading = subject.legal
    at = absent_queries.distinctive(subject.directory, reading, subject.company.country)
    if at is None or len(reading.core) < 2:
        return None
    fits = subject.directory.containing((reading.core[at].text,), subject.scope)
    named = subject.fitting(in_order, (reading.core[at].text,))
    few = len(subject.directory.groups(fits)) <= CARRIERS
    return Made(distortions.as_typed(rng, reading.raw[at]), named or fits) if few else None


def _acronym(rng: Random, subject: Subject) -> Made | None:
    """Use the initials, where at most eight companies have them; companies with the initials as a name come first."""
    reading = subject.legal
    acronym = initials(reading.words)
    if not 3 <= len(acronym) <= 8:
        return None
    fits = subject.directory.containing((acronym,), subject.scope) or subject.fitting(initials, reading.words)
    if len(subject.directory.groups(fits)) > CARRIERS:
        return None
    return Made(rng.choice((acronym, acronym.upper(), acronym.upper(), ".".join(acronym.upper()) + ".")), fits)


Write = Callable[[Random, str, str], str | None]


def _number(write: Write, rng: Random, subject: Subject) -> Made | None:
    """Write the official number as `write` does."""
    company = subject.company
    text = write(rng, company.scheme, company.identifier)
    return Made(text, subject.directory.with_identifier(company.identifier, subject.scope)) if text else None


def wrong_number(rng: Random, subject: Subject) -> Made | None:
    """Write the official number with one wrong digit, where no company has that number."""
    company = subject.company
    number = identifiers.wrong_digit(rng, company.scheme, company.identifier)
    if subject.directory.is_taken(number):
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
    "case": partial(_whole, distortions.other_case),
    "form-dropped": partial(_form, _dropped),
    "form-written-out": partial(_form, _written_out),
    "form-abbreviated": partial(_form, _cut_short),
    "form-respelt": partial(_form, _respelt),
    "reordered": partial(_changed, distortions.reordered, bag),
    "typo": partial(_changed, distortions.slip, None),
    "two-typos": partial(_changed, distortions.two_slips, None),
    "transposed": partial(_changed, distortions.transposed, None),
    "doubled": partial(_changed, distortions.doubled, None),
    "phonetic": partial(_changed, distortions.misheard, None),
    "hurried": partial(_changed, distortions.hurried, None),
    "glued": partial(_changed, distortions.glued, compact),
    "divided": partial(_changed, distortions.divided, compact),
    "joiners": partial(_changed, distortions.joiners, bag),
    "abbreviated": partial(_changed, distortions.abbreviated, bag),
    "translated": partial(_changed, distortions.translated, bag),
    "extra-word": partial(_changed, distortions.with_generic, in_order),
    "extra-place": partial(_changed, distortions.with_place, in_order),
    "trade-name": partial(_other_name, "trade"),
    "former-name": partial(_other_name, "former"),
    "alternative-name": partial(_other_name, "alternative"),
    "ticker": partial(_other_name, "ticker"),
    "prefix": _prefix,
    "telling-word": _distinctive_word,
    "acronym": _acronym,
    "identifier": partial(_number, _bare),
    "identifier-formatted": partial(_number, identifiers.formatted),
    "identifier-worded": partial(_number, identifiers.worded),
}
"""Kinds of queries for companies that are in the directory."""

MISSPELT = frozenset({"typo", "two-typos", "transposed", "doubled", "phonetic", "hurried"})
"""Kinds that fit the nearest companies."""
