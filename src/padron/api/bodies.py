"""Reading the JSON body of a request strictly: every refusal is an `Invalid` that names what is wrong and where."""

from __future__ import annotations

import re
from typing import Final, TypeVar

import msgspec
from msgspec import Struct
from starlette.types import Receive

from padron.errors import Invalid
from padron.http.call import Call

MOST: Final = 16_384
"""Bytes of a JSON body; 256 KiB for an event of a payment provider."""
MOST_OF_EVENT: Final = 262_144

_JSON = re.compile(rb"\s*application/json\s*(?:;\s*charset\s*=\s*\"?utf-8\"?\s*)?", re.IGNORECASE)
_NAMED = re.compile(r"field `(?P<member>[^`]*)`|at `\$\.(?P<place>[^`.\[]*)")


class Body(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Base of what may be sent: no member is ignored."""


_Body = TypeVar("_Body", bound=Body)


async def raw(call: Call, receive: Receive, most: int = MOST) -> bytes:
    """The body's bytes. Raises `Invalid("body-too-large")` as soon as it is, `Invalid("body-unfinished")`."""
    stated = call.given.get(b"content-length", b"0")
    if stated.isdigit() and int(stated) > most:
        raise Invalid("body-too-large", maximum=most)
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Invalid("body-unfinished")
        body += bytes(message.get("body", b""))
        if len(body) > most:
            raise Invalid("body-too-large", maximum=most)
        if not message.get("more_body", False):
            return body


async def read(call: Call, receive: Receive, kind: type[_Body]) -> _Body:
    """The body as `kind`.

    Raises `Invalid`: `unsupported-media-type`, `body-too-large`, `malformed-json`, and naming the member
    `unknown-field`, `missing-field` or `invalid-field`.
    """
    if not _JSON.fullmatch(call.given.get(b"content-type", b"")):
        raise Invalid("unsupported-media-type", expected="application/json")
    body = await raw(call, receive)
    call.members = kind.__struct_encode_fields__
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        refusal, name = _told(str(error))
        call.members = (*call.members, name)
        raise refusal from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Invalid("malformed-json") from error


def _told(message: str) -> tuple[Invalid, str]:
    """What msgspec found, as one of our codes, and the member it is about: its own sentence may quote what was sent."""
    found = _NAMED.search(message)
    if found is None:
        return Invalid("malformed-json"), ""
    name = found[found.lastgroup or 0][:64]
    if message.startswith("Object contains unknown field"):
        return Invalid("unknown-field", parameter=name), name
    if message.startswith("Object missing required field"):
        return Invalid("missing-field", parameter=name), name
    return Invalid("invalid-field", parameter=name), name
