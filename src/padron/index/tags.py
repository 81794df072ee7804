"""Tags: what a company can be filtered by, as terms of the index, and the filters that ask for them.

`status:active` · `form:sa` · `region:pichincha` · `city:quito` · `financials:true` · `listed:true` · `activity:G4711`
(every beginning of the code) ·
`isic:G4711` (likewise) · `sector:energia eletrica` (the whole label, where the register gives no code) ·
`label:carretera` (the stem of each word of the label) · `letter:b` (the first of the legal name; `letter:0`: none of
the alphabet).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from padron.companies import isic
from padron.companies.company import Company
from padron.countries.country import Country, Status
from padron.text import CONNECTIVES, fold, word_cache

Within = tuple[tuple[str, ...], ...]
"""Groups of tags: a company must have one of each group."""

NO_ACTIVITY: Final = ("activity:none",)
"""A tag that no company has: an activity for which a country's registers have no code."""

ACTIVITY_CODE: Final = re.compile(r"(isic:)?([A-Za-z]?[0-9][0-9./-]{0,11}|[A-Za-z])")
"""Pattern of the texts that `activity_filter` takes."""

_SEPARATORS = re.compile(r"[./-]")
_SHORTEST_STEM: Final = 4
_CACHED: Final = 1 << 14
"""Places and activities that many companies share, kept at hand."""


class Filters(NamedTuple):
    """Conditions on companies; None and empty where any will do.

    `activity`: tags, of which one is enough; `words`: stems of words of the activity's label, all of which it has.
    `region` and `cities` are folded; a company in any of `cities` will do.
    """

    status: str | None = None
    form: str | None = None
    region: str | None = None
    cities: tuple[str, ...] = ()
    financials: bool | None = None
    listed: bool | None = None
    activity: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    letter: str | None = None

    def within(self) -> Within:
        """The groups of tags of which a company must have one each."""
        return tuple(tuple(group) for group in self._groups() if group)

    def _groups(self) -> Iterator[list[str]]:
        yield [f"status:{self.status}"] if self.status else []
        yield [f"form:{self.form}"] if self.form else []
        yield [f"region:{self.region}"] if self.region else []
        yield [f"city:{city}" for city in self.cities]
        yield [f"financials:{self.financials}".lower()] if self.financials is not None else []
        yield [f"listed:{self.listed}".lower()] if self.listed is not None else []
        yield [f"letter:{self.letter}"] if self.letter else []
        yield list(self.activity)
        for word in self.words:
            yield [f"label:{word}"]


def tags(company: Company, country: Country, form: str | None) -> list[str]:
    """Return the tags of a company.

    Args:
        form: The code of the legal form that its legal name ends in.

    Returns:
        The tags, each once.
    """
    ticker = any(name.kind == "ticker" for name in company.names)
    listed = is_listed(country, company.status, company.sources, ticker)
    terms = [*_state(company.status, listed, company.financials)]
    terms += _activity(company.activity_code, company.activity_label)
    terms += _isic(company.activity_code, country.isic)
    terms.append(letter_tag(company.legal_name))
    if form:
        terms.append(f"form:{form}")
    if company.region:
        terms.append(place_tag("region", company.region))
    if company.municipality:
        terms.append(place_tag("city", company.municipality))
    return terms


def letter_tag(name: str) -> str:
    """Return the tag of the first letter of a name."""
    first = fold(name)[:1]
    return f"letter:{first}" if first.isalpha() else "letter:0"


@lru_cache(maxsize=_CACHED)
def _state(status: str | None, listed: bool, financials: bool) -> tuple[str, ...]:
    terms = (f"financials:{financials}".lower(), f"listed:{listed}".lower())
    return (*terms, f"status:{status}") if status else terms


@lru_cache(maxsize=_CACHED)
def place_tag(kind: str, value: str) -> str:
    """Return the tag of a place: `region:pichincha`; `kind` is `region` or `city`."""
    return f"{kind}:{fold(value)}"


@lru_cache(maxsize=_CACHED)
def activity_tag(official: str | None, wording: str | None) -> str:
    """Return the tag of an activity: its whole code, else its whole label; empty where neither is known."""
    if code := bare(official or ""):
        return f"activity:{code}"
    label = fold(wording or "")
    return f"sector:{label}" if label else ""


@lru_cache(maxsize=_CACHED)
def _activity(official: str | None, wording: str | None) -> tuple[str, ...]:
    """The tags of an activity, by its code and label."""
    code, label = bare(official or ""), fold(wording or "")
    terms = [f"activity:{code[:end]}" for end in range(1, len(code) + 1)]
    terms += [f"label:{word}" for word in _label_stems(label)]
    if label and not code:
        terms.append(f"sector:{label}")
    return tuple(terms)


@lru_cache(maxsize=_CACHED)
def _isic(official: str | None, depth: isic.Depth | None) -> tuple[str, ...]:
    """The tags of an activity, by its ISIC code."""
    code = isic.isic_code(official, depth) or ""
    return tuple(f"isic:{code[:end]}" for end in range(1, len(code) + 1))


def activity_filter(activity: str) -> str:
    """Return the tag that an activity is asked for by: a national code, or `isic:` and a code of ISIC."""
    system, _, code = activity.rpartition(":")
    return f"isic:{isic.with_section(bare(code))}" if system else f"activity:{bare(code)}"


def activity_words(company: Company, country: Country) -> str:
    """Return what the activity of a company is called: the stems of its label's words, and `#key` of each activity.

    The keys are those of `Country.activities_by_code`.
    """
    if not company.activity_code and not company.activity_label:
        return ""
    label = fold(company.activity_label or "")
    keys = code_keys(company.activity_code or "", country)
    keys += [f"#{key}" for key in country.activities_by_code.get(label, ())]
    return " ".join(dict.fromkeys((*_label_stems(label), *keys)))


def code_keys(code: str, country: Country) -> list[str]:
    """Return the `#key` of each activity that a code of a country means, or that it is part of."""
    bare_code, names = bare(code), country.activities_by_code
    return [f"#{key}" for end in range(1, len(bare_code) + 1) for key in names.get(bare_code[:end], ())]


@lru_cache(maxsize=_CACHED)
def _label_stems(label: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(stem(word) for word in label.split() if word not in CONNECTIVES))


def is_listed(country: Country, status: str | None, sources: Collection[str], ticker: bool) -> bool:
    """Return whether the public can buy a company's securities.

    Args:
        ticker: Whether it has a ticker.

    Returns:
        True if it has a ticker, or is active in a register of listed companies.
    """
    return ticker or (status == Status.ACTIVE and not set(country.public).isdisjoint(sources))


def bare(code: str) -> str:
    """An activity code without separators, in capitals."""
    return _SEPARATORS.sub("", code).upper()


@word_cache(_CACHED)
def stem(word: str) -> str:
    """A folded word without the ending of its number and gender: `hoteles`, `hotel` -> `hotel`."""
    for ending in ("es", "os", "as", "s", "o", "a"):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word
