"""The kinds of queries for companies that are in the directory, each with the companies it fits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import NamedTuple

from rapidfuzz.distance import OSA

from evaluation import absent, distort, identifiers
from evaluation.directory import Same, Subject, said
from evaluation.distort import Scene
from evaluation.forms import FORMS
from evaluation.names import Reading, Word, bag, compact, initials, plain, split

CARRIERS = 8
"""Most companies that may share a beginning, a telling word or initials: an answer shows eight."""


class Made(NamedTuple):
    """The text of a query and the places of the companies it fits (empty: nobody)."""

    q: str
    fits: set[int]


def typed(rng: Random, words: list[str], reading: Reading, form: str | None = None) -> tuple[str, str | None]:
    """Words as a hand types them, and the code of the legal form among them.

    `form` is how the legal form is written; "" leaves it out, None leaves it to chance.
    """
    code = reading.form
    if form is None:
        form = ""
        if code and rng.random() < 0.45:
            known = next(shape for shape in FORMS[reading.country] if shape.code == code)
            form = reading.written if rng.random() < 0.5 else rng.choice(known.short)
    return distort.as_typed(rng, " ".join((*words, form)).strip()), code if form else None


Maker = Callable[[Random, Subject], Made | None]


def _said(rng: Random, reading: Reading) -> tuple[Word, ...]:
    """The name as it is said: the core, and half the time what stands behind the form."""
    return reading.core + (reading.tail if rng.random() < 0.5 else ())


def scene(subject: Subject) -> Scene:
    """Where the name of a company is typed."""
    company = subject.company
    return Scene(company.country, subject.directory.known[company.country], company.place)


def _whole(change: Callable[[Random, str], str], rng: Random, subject: Subject) -> Made | None:
    """The registered name with everything it has, changed as a text."""
    text = subject.company.legal_name
    reading = subject.legal
    changed = change(rng, text)
    if changed == text and change is not _same_text:
        return None
    return Made(changed, subject.alike(said, reading.spoken[0], reading.form))


def _same_text(_: Random, text: str) -> str:
    return text


def _no_accents(_: Random, text: str) -> str:
    return plain(text)


def _form(choose: Callable[[Reading], list[str]], rng: Random, subject: Subject) -> Made | None:
    """The name with its legal form written otherwise; `choose` gives the ways to write it, "" for none."""
    reading = subject.legal
    ways = choose(reading) if reading.form else []
    if not ways:
        return None
    way = rng.choice(ways)
    words = reading.core if way else _said(rng, reading)
    text, code = typed(rng, reading.written_as(words), reading, way)
    return Made(text, subject.alike(said, _folded(words), code))


def _folded(words: tuple[Word, ...]) -> tuple[str, ...]:
    return tuple(word.text for word in words)


def _shapes(reading: Reading) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Short ways, long ways, and whether the name has the form written out."""
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
    return [] if written_out else [way for way in short if way.lower() != reading.written.lower()]


def _changed(change: distort.Change, way: Same | None, rng: Random, subject: Subject) -> Made | None:
    """The name with its words changed; it fits whom it would have fitted before (`way`), or whom it is nearest to."""
    reading = subject.legal
    name = _said(rng, reading)
    words = change(rng, reading.written_as(name), scene(subject))
    if words is None:
        return None
    text, code = typed(rng, words, reading)
    if way:
        return Made(text, subject.alike(way, _folded(name), code))
    asked = _folded(tuple(split(" ".join(words))))
    distance = int(OSA.distance(compact(asked), compact(_folded(name))))
    if distance == 0:
        return None
    nearest = subject.directory.nearest(asked, subject.scope, distance)[1]
    if code and subject.place in nearest:
        nearest = {
            other for other in nearest if any(known.form == code for _, known in subject.directory.readings[other])
        }
    return Made(text, nearest)


def _other_name(kind: str, rng: Random, subject: Subject) -> Made | None:
    """A trade, former or alternative name, or a ticker, that does not merely repeat the registered name."""
    names = [
        known
        for named, known in subject.directory.readings[subject.place]
        if named == kind and bag(known.words) != bag(subject.legal.words)
    ]
    if not names:
        return None
    reading = rng.choice(names)
    text, code = typed(rng, reading.raw, reading)
    return Made(text, subject.alike(said, reading.words, code))


def _prefix(rng: Random, subject: Subject) -> Made | None:
    """The beginning of the name, cut inside a word, where at most eight companies begin like that."""
    for _ in range(6):
        cut = distort.beginning(rng, subject.legal.raw)
        words = said(_folded(tuple(split(cut or ""))))
        fits = subject.directory.beginning(words, subject.scope, CARRIERS) if words else None
        if cut and fits:
            return Made(distort.as_typed(rng, cut), fits)
    return None


def _telling_word(rng: Random, subject: Subject) -> Made | None:
    """Only the most telling word, where at most eight companies have it."""
    reading = subject.legal
    at = absent.distinctive(subject.directory, reading, subject.company.country)
    if at is None or len(reading.core) < 2:
        return None
    fits = subject.directory.holding((reading.core[at].text,), subject.scope)
    called = subject.alike(said, (reading.core[at].text,))
    few = len(subject.directory.groups(fits)) <= CARRIERS
    return Made(distort.as_typed(rng, reading.raw[at]), called or fits) if few else None


def _acronym(rng: Random, subject: Subject) -> Made | None:
    """The initials, where at most eight companies have them; companies that call themselves so come first."""
    reading = subject.legal
    acronym = initials(reading.words)
    if not 3 <= len(acronym) <= 8:
        return None
    fits = subject.directory.holding((acronym,), subject.scope) or subject.alike(initials, reading.words)
    if len(subject.directory.groups(fits)) > CARRIERS:
        return None
    return Made(rng.choice((acronym, acronym.upper(), acronym.upper(), ".".join(acronym.upper()) + ".")), fits)


Write = Callable[[Random, str, str], str | None]


def _number(write: Write, rng: Random, subject: Subject) -> Made | None:
    """The official number, written as `write` does."""
    company = subject.company
    text = write(rng, company.scheme, company.identifier)
    return Made(text, subject.directory.numbered(company.identifier, subject.scope)) if text else None


def wrong_number(rng: Random, subject: Subject) -> Made | None:
    """The official number with one digit wrong, where nobody has that number."""
    company = subject.company
    number = identifiers.wrong_digit(rng, company.scheme, company.identifier)
    if subject.directory.taken(number):
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

MISSPELT = frozenset({"typo", "two-typos", "transposed", "doubled", "phonetic", "hurried"})
"""Kinds that fit whom they are nearest to."""
