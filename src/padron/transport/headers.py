"""Header fields that answers share, and request ids. Names are lower case, as ASGI has them."""

from __future__ import annotations

import re
from random import getrandbits

Header = tuple[bytes, bytes]

SHARED: tuple[Header, ...] = (
    (b"server", b"padron"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
"""Header fields of every answer."""

HTTPS_ONLY: Header = (b"strict-transport-security", b"max-age=31536000")
"""Field of every answer if the base address is https: browsers do without http for a year (RFC 6797)."""

EXPOSED = (
    "RateLimit, RateLimit-Policy, Retry-After, ETag, Content-Location, Identifier-Match, X-Request-Id, "
    "WWW-Authenticate, Deprecation, Sunset, Link, Content-Range"
)

CORS: tuple[Header, ...] = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", EXPOSED.encode()),
)
"""Header fields of answers under `call.CROSS_ORIGIN`, errors included: any page may read them, without credentials."""

PREFLIGHT: tuple[Header, ...] = (
    (
        b"access-control-allow-headers",
        b"Authorization, apiKey, Content-Type, Idempotency-Key, If-None-Match, User-Agent",
    ),
    (b"access-control-max-age", b"600"),
)

API: tuple[Header, ...] = (
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"vary", b"Accept-Language"),
)
"""Header fields of every JSON document: a browser that opens it runs nothing; its words depend on the language."""

FRESH: Header = (b"cache-control", b"public, max-age=60")
"""An answer may be kept for a minute; after that its ETag asks whether it still holds."""

JSON: Header = (b"content-type", b"application/json")
CSV: Header = (b"content-type", b"text/csv; charset=utf-8; header=present")

NO_STORE: Header = (b"cache-control", b"no-store")

_GIVEN_ID = re.compile(rb"[A-Za-z0-9._~-]{1,128}")
_OPAQUE_ID = re.compile(r"[0-9a-fA-F-]{32,36}")


def request_id(given: bytes | None) -> str:
    """Return the caller's X-Request-Id if it is a plain word of at most 128 characters, else a new UUID."""
    if given and _GIVEN_ID.fullmatch(given):
        return given.decode()
    # Not uuid4: its system call gives up the interpreter's lock, and nothing here has to be secret.
    digits = f"{getrandbits(128):032x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:]}"


def is_opaque(identifier: str) -> bool:
    """Return whether a request id is a UUID or trace id; callers may put anything into theirs."""
    return _OPAQUE_ID.fullmatch(identifier) is not None
