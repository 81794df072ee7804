"""Verdicts on the companies of a question: one that is certain, several alike, a possible one, or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from padron.lookup.find import SURE, fits_as_well
from padron.matching.features import (
    ABBREVIATION,
    EDITS,
    EQUIVALENCE,
    GLUED,
    INITIALS,
    MATCHED,
    MISSING_ANY,
    SLIPS,
    UNFINISHED_WORD,
    WITHIN,
)
from padron.matching.score import IDENTIFIER, Match, Ranked

Verdict = Literal["found", "ambiguous", "possible", "not_found", "invalid_input"]

NEAR_MISS: Final = 0.1
"""Below this confidence a company is only a near miss: nine in ten such answers would be wrong."""

POSSIBLE: Final = 0.01
"""Below this confidence a company is not even possibly the one that is meant."""

_INEXACT: Final = frozenset(
    {ABBREVIATION, EDITS, EQUIVALENCE, GLUED, INITIALS, MISSING_ANY, SLIPS, UNFINISHED_WORD, WITHIN}
)
"""Features of a name that lacks words of the query as they are written, or that is only a part of the query."""

_MISSPELT: Final = frozenset({EDITS, SLIPS})
"""Features of a name that agrees with a misspelt query: another name may be meant as well, but is not the same."""


def verdict_of(results: Sequence[Ranked]) -> Verdict:
    """Judge results, the best first."""
    if not results:
        return "not_found"
    first = results[0]
    if first.confidence >= SURE:
        return "found"
    if len(as_good(results)) > 1:
        return "ambiguous"
    return "possible" if first.confidence >= NEAR_MISS else "not_found"


def as_good(results: Sequence[Ranked]) -> list[Ranked]:
    """Return the first record of each company that may as well be meant as the first one, if that fits well at all.

    These are the ones that fit alike, because prominence makes a company likelier to be meant, not a better fit; and
    where a name is shared (`Scania`), all whose names have its words and others, but near misses.
    """
    first = results[0]
    if first.matched_on != IDENTIFIER and first.match.utility <= 0 and not has_all_words(first.match):
        return []
    companies: dict[str | int, Ranked] = {}
    for ranked in results:
        numbered = ranked.matched_on == IDENTIFIER
        near = ranked.confidence == first.confidence if numbered else _is_near(ranked, first)
        if near and numbered == (first.matched_on == IDENTIFIER):
            companies.setdefault(ranked.match.company.link or ranked.match.key, ranked)
    return list(companies.values())


def _is_near(ranked: Ranked, first: Ranked) -> bool:
    if fits_as_well(ranked.match, first.match):
        return _MISSPELT.isdisjoint(first.match.features) or ranked.match.name.words == first.match.name.words
    return ranked.confidence >= NEAR_MISS and has_all_words(ranked.match) and has_all_words(first.match)


def has_all_words(match: Match) -> bool:
    """Check that a name has all words of the query, letter by letter."""
    return MATCHED in match.features and _INEXACT.isdisjoint(match.features)
