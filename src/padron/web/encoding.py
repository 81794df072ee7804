"""Compression of what is sent: the coding a client prefers among zstd, br and gzip."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import cramjam

if TYPE_CHECKING:
    from cramjam import Buffer

_QUALITY = re.compile(r";\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$")
_LONGEST: Final = 200
_WORTH: Final = 500
"""Bytes below which compressing saves nothing that a packet would not carry anyway."""

_QUICK: Final[dict[str, Callable[[bytes], Buffer]]] = {
    "zstd": lambda body: cramjam.zstd.compress(body, level=5),
    "br": lambda body: cramjam.brotli.compress(body, level=4),
    "gzip": lambda body: cramjam.gzip.compress(body, level=5),
}
_SMALL: Final[dict[str, Callable[[bytes], Buffer]]] = {
    "zstd": lambda body: cramjam.zstd.compress(body, level=19),
    "br": lambda body: cramjam.brotli.compress(body, level=11),
    "gzip": lambda body: cramjam.gzip.compress(body, level=9),
}
CODINGS: Final = tuple(_QUICK)
"""Content codings we speak, the preferred one first."""


def chosen(header: bytes) -> str:
    """The coding for an Accept-Encoding header (RFC 9110 §12.5.3), empty for none; of equal weights our own order."""
    return _chosen(header[:_LONGEST])


@lru_cache(maxsize=1024)
def _chosen(header: bytes) -> str:
    weights: dict[str, float] = {}
    for part in header.decode("latin-1").lower().split(","):
        found = _QUALITY.search(part)
        weights[part.partition(";")[0].strip()] = float(found[1]) if found else 1.0
    others = weights.get("*", 0.0)
    best = max(CODINGS, key=lambda coding: weights.get(coding, others))
    return best if weights.get(best, others) > 0 else ""


def compressed(body: bytes, coding: str) -> bytes:
    """`body` in a coding, made for one answer: in well under a millisecond for a page."""
    return bytes(_QUICK[coding](body))


def pressed(body: bytes) -> dict[str, bytes]:
    """`body` in every coding that makes it smaller, and plain under the empty name: made once, sent often."""
    found = {coding: bytes(press(body)) for coding, press in _SMALL.items()}
    return {"": body} | {coding: made for coding, made in found.items() if len(made) < len(body)}


def worthwhile(body: bytes) -> bool:
    """Whether compressing saves anything."""
    return len(body) > _WORTH
