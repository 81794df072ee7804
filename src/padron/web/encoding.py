"""Compression of answers: zstd, br and gzip."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import cramjam

if TYPE_CHECKING:
    from cramjam import Buffer

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
"""Content codings that are offered, the preferred one first."""


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
