"""Verdicts on the companies of a question: one that is certain, several alike, a possible one, or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from padron.lookup.find import AS_GOOD, SURE
from padron.matching.features import JUDGED
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
        near = ranked.confidence == first.confidence if numbered else _fit(first) - _fit(ranked) <= AS_GOOD
        if near and numbered == (first.matched_on == IDENTIFIER):
            companies.setdefault(ranked.match.company.link or ranked.match.key, ranked)
    return list(companies.values())


def _fit(ranked: Ranked) -> float:
    """Return the fit of a company's name without the judged features."""
    features = ranked.match.features
    return ranked.match.utility - sum(weight * features.get(name, 0.0) for name, weight in JUDGED.items())
