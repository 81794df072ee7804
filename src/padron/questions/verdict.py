"""Verdicts on the companies of a question: one that is certain, several alike, a possible one, or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from padron.lookup.find import SURE, fits_as_well
from padron.matching.score import IDENTIFIER, Ranked
from padron.questions.results import Verdict

NEAR_MISS: Final = 0.1
"""Below this confidence a company is only a near miss: nine in ten such answers would be wrong."""


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
    """Return the first record of each company that fits as well as the first one, if that fits well at all.

    Prominence makes a company likelier to be meant, not a better fit.
    """
    first = results[0]
    if first.matched_on != IDENTIFIER and first.match.utility <= 0:
        return []
    companies: dict[str | int, Ranked] = {}
    for ranked in results:
        numbered = ranked.matched_on == IDENTIFIER
        near = ranked.confidence == first.confidence if numbered else fits_as_well(ranked.match, first.match)
        if near and numbered == (first.matched_on == IDENTIFIER):
            companies.setdefault(ranked.match.company.link or ranked.match.key, ranked)
    return list(companies.values())
