"""Conditional requests (RFC 9110 §13): entity tags, and 304 instead of an answer that the client holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b

from starlette.types import Send

from padron.transport.call import Call
from padron.transport.headers import JSON, Header
from padron.words import Language

_TAG = rb'(?:W/)?("[^"]*")'
_TAGS = re.compile(_TAG)
_LIST = re.compile(rb"[ \t]*(?:%b[ \t]*)?(?:,[ \t]*(?:%b[ \t]*)?)*" % (_TAG, _TAG))


def entity_tag(release: str, language: Language, request: bytes, edition: bytes) -> bytes:
    """Return the ETag of the answer that a release gives to a request in a language.

    It names the request too and is only ever sent with a 200, so a request that brings it back needs no search to be
    answered 304. Weak: proxies may compress the answer.

    Args:
        edition: What else shapes answers as long as the process lives, such as the version of the program.
    """
    return f'W/"{release}.{language}.{blake2b(request, digest_size=8, key=edition).hexdigest()}"'.encode()


def matches(if_none_match: bytes, tag: bytes) -> bool:
    """Return whether an If-None-Match header names `tag` (weak comparison); one that is malformed names nothing."""
    return tag.removeprefix(b"W/") in _TAGS.findall(if_none_match) and _LIST.fullmatch(if_none_match) is not None


def client_holds(call: Call, tag: bytes) -> bool:
    """Return whether the client of a request holds the answer with this tag."""
    return matches(call.given.get(b"if-none-match", b""), tag)


async def send_json(
    call: Call, send: Send, tag: bytes, fields: list[Header], body: bytes, coding: Sequence[Header] = ()
) -> None:
    """Send a JSON document, or 304 if the client holds it or sends `If-None-Match: *`.

    Args:
        coding: Header fields that say how the body is compressed.
    """
    if client_holds(call, tag) or call.given.get(b"if-none-match", b"").strip() == b"*":
        await call.answer(send, 304, fields, b"")
    else:
        await call.answer(send, 200, [JSON, *fields, *coding], body)
