"""Removal of the key from every text: of errors, whatever an upstream repeats, and of the logs of the HTTP library."""

from __future__ import annotations

import logging
import re
from base64 import b64encode
from contextvars import ContextVar
from typing import Final

sending: Final = ContextVar("sending", default=False)
"""True while this thread or task sends a request of this library."""

_SHORTEST = 8
"""A shorter text is no secret, and stands in ordinary words."""

_LOGGERS = ("httpx2", *(f"httpcore2.{part}" for part in ("connection", "http11", "http2", "proxy", "socks")))


class Scrubber:
    """Replaces a key in texts: as it is, percent-encoded in any part, or in base64 anywhere within a longer text."""

    def __init__(self, key: str) -> None:
        if len(key) < _SHORTEST:
            self._key = re.compile(r"(?!)")
            return
        plain = "".join(f"(?:{re.escape(letter)}|%{ord(letter):02x})" for letter in key)
        encoded = (_base64(key.encode(), offset) for offset in range(3))
        self._key = re.compile("|".join([plain, *encoded]), re.IGNORECASE)

    def clean(self, text: str) -> str:
        """The text with "…" in place of the key."""
        return self._key.sub("…", text)


def _base64(key: bytes, offset: int) -> str:
    """Pattern of the letters that only the key determines, where `offset` bytes of a group of three stand before it."""
    letters = b64encode(bytes(offset) + key).decode()
    whole = letters[offset + 1 if offset else 0 :]
    if whole.endswith("="):
        whole = whole.rstrip("=")[:-1]
    return re.escape(whole).replace(r"\+", "[+-]").replace("/", "[/_]")


def _not_ours(record: logging.LogRecord) -> bool:
    """True if a record may be logged: the library logs addresses, which hold queries, and fields that were echoed."""
    return not sending.get()


for _name in _LOGGERS:
    logging.getLogger(_name).addFilter(_not_ours)
