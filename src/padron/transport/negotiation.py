"""Content negotiation (RFC 9110 §12): language, content coding and media type, by the weights a client states."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from padron.words import Language

_WEIGHT = re.compile(r";\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$")
_LONGEST: Final = 200
"""Bytes read of Accept-Language and Accept-Encoding: real ones are shorter, and the caches stay small."""
_LONGEST_ACCEPT: Final = 1_000
"""Bytes read of Accept: browsers and libraries send a third of that at most."""


def weights(header: str) -> dict[str, float]:
    """Return the values of a list with weights in lower case, each with its weight: 1 where none is stated.

    A value whose weight cannot be read keeps it in its name, so that it matches nothing.
    """
    stated: dict[str, float] = {}
    for item in header.lower().split(","):
        weight = _WEIGHT.search(item)
        value = (item[: weight.start()] if weight else item).strip()
        stated[value] = max(float(weight[1]) if weight else 1.0, stated.get(value, 0.0))
    return stated


def language(header: bytes) -> Language:
    """Return the language for an Accept-Language header, empty when there is none.

    Portuguese counts as Spanish, which its readers follow best of the two. Without a supported language, or with a
    header that cannot be read, it is Spanish unless Spanish is refused (`es;q=0`). Of equal weights the first one
    written counts, and a language before `*`.
    """
    return _language(header[:_LONGEST])


@lru_cache(maxsize=1024)
def _language(header: bytes) -> Language:
    preferred: dict[str, float] = {}
    for value, weight in weights(header.decode("latin-1")).items():
        primary = value.split("-")[0]
        supported = "es" if primary == "pt" else primary
        if supported in {"es", "en", "*"}:
            preferred[supported] = max(weight, preferred.get(supported, 0.0))
    others = preferred.pop("*", None)
    if others is not None:
        preferred.setdefault("es", others)
    best = max(preferred, key=preferred.__getitem__, default="es")
    if preferred.get(best) == 0:
        return "en" if "es" in preferred and "en" not in preferred else "es"
    return "en" if best == "en" else "es"


def content_coding(header: bytes, offered: Sequence[str]) -> str:
    """Return the coding for an Accept-Encoding header, empty for none; of equal weights the first one offered."""
    return _content_coding(header[:_LONGEST], tuple(offered))


@lru_cache(maxsize=1024)
def _content_coding(header: bytes, offered: tuple[str, ...]) -> str:
    preferred = weights(header.decode("latin-1"))
    others = preferred.get("*", 0.0)
    best = max(offered, key=lambda coding: preferred.get(coding, others))
    return best if preferred.get(best, others) > 0 else ""


def media_type(header: bytes, offered: Sequence[str]) -> str:
    """Return the media type for an Accept header; of equal weights, and without one named, the first one offered."""
    preferred: dict[str, float] = {}
    read = header if len(header) <= _LONGEST_ACCEPT else header[:_LONGEST_ACCEPT].rpartition(b",")[0]
    for value, weight in weights(read.decode("latin-1")).items():
        name = value.partition(";")[0].strip()
        preferred[name] = max(weight, preferred.get(name, 0.0))
    return max(offered, key=lambda name: preferred.get(name, 0.0))
