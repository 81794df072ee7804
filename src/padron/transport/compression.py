"""Compression of answers: zstd, br and gzip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

import cramjam

from padron.transport.call import Call
from padron.transport.headers import Header
from padron.transport.negotiation import content_coding

if TYPE_CHECKING:
    from cramjam import Buffer

VARY: Final[Header] = (b"vary", b"Accept-Encoding")

_WORTH: Final = 500
"""Bytes below which an answer fits into one network packet anyway."""

_QUICK: Final[dict[str, Callable[[bytes], Buffer]]] = {
    "zstd": lambda body: cramjam.zstd.compress(body, level=3),
    "br": lambda body: cramjam.brotli.compress(body, level=4),
    "gzip": lambda body: cramjam.gzip.compress(body, level=5),
}
"""Coding -> compression of the answer to one request."""
_KEPT: Final[dict[str, Callable[[bytes], Buffer]]] = {
    "zstd": lambda body: cramjam.zstd.compress(body, level=9),
    "br": lambda body: cramjam.brotli.compress(body, level=5),
    "gzip": lambda body: cramjam.gzip.compress(body, level=9),
}
"""Coding -> compression of a body that is kept once it was asked for."""
_SMALL: Final[dict[str, Callable[[bytes], Buffer]]] = {
    "zstd": lambda body: cramjam.zstd.compress(body, level=19),
    "br": lambda body: cramjam.brotli.compress(body, level=11),
    "gzip": lambda body: cramjam.gzip.compress(body, level=9),
}
CODINGS: Final = tuple(_QUICK)
"""Content codings that are offered, the preferred one first."""


def preferred_coding(call: Call, offered: Sequence[str] = CODINGS) -> str:
    """Return the coding that the reader of an answer prefers, empty for none."""
    return content_coding(call.given.get(b"accept-encoding", b""), offered)


def compressed(body: bytes, coding: str) -> bytes:
    """Return a `body` that is kept in a coding: smaller than an answer to one request, still in milliseconds."""
    return bytes(_KEPT[coding](body))


@cache
def compressed_variants(body: bytes) -> dict[str, bytes]:
    """Return a static `body` in every coding that makes it smaller, and uncompressed under the empty name. Kept."""
    variants = {coding: bytes(compress(body)) for coding, compress in _SMALL.items()}
    return {"": body} | {coding: variant for coding, variant in variants.items() if len(variant) < len(body)}


def compressed_for(call: Call, body: bytes) -> tuple[list[Header], bytes]:
    """Return the field of the coding that the reader of an answer prefers, and the body in it, if it saves a packet."""
    coding = preferred_coding(call) if len(body) > _WORTH else ""
    return ([(b"content-encoding", coding.encode())], bytes(_QUICK[coding](body))) if coding else ([], body)
