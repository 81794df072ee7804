"""Which of the two languages a reader gets: Spanish, unless the request prefers English."""

from __future__ import annotations

import re
from functools import lru_cache

from padron.model import Language

_QUALITY = re.compile(r"\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*")

_LONGEST = 200
"""Bytes of an Accept-Language header that are read; real ones are far shorter, and the cache stays small."""


def negotiate(header: bytes) -> Language:
    """The language for an Accept-Language header (RFC 9110 §12.5.4), empty when there is none.

    Portuguese counts as Spanish, which its readers follow best of the two. Without a supported language, or with a
    header that cannot be read, the answer is Spanish unless Spanish is refused (`es;q=0`). Of equal weights the first
    one written counts, and a language before `*`.
    """
    return _negotiate(header[:_LONGEST])


@lru_cache(maxsize=1024)
def _negotiate(header: bytes) -> Language:
    weights: dict[str, float] = {}
    for part in header.decode("latin-1").lower().split(","):
        tag, _, parameters = part.partition(";")
        primary = tag.strip().split("-")[0]
        language = "es" if primary == "pt" else primary
        if language in {"es", "en", "*"}:
            weights[language] = max(_weight(parameters), weights.get(language, 0.0))
    others = weights.pop("*", None)
    if others is not None:
        weights.setdefault("es", others)
    best = max(weights, key=weights.__getitem__, default="es")
    if weights.get(best) == 0:
        return "en" if "es" in weights and "en" not in weights else "es"
    return "en" if best == "en" else "es"


def _weight(parameters: str) -> float:
    """The q of one language range: 1 when it is left out, 0 when it cannot be read."""
    if not parameters.strip():
        return 1.0
    quality = _QUALITY.fullmatch(parameters)
    return float(quality[1]) if quality else 0.0
