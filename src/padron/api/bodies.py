"""Reading the JSON body of a request strictly: every refusal is an `Invalid` that names what is wrong and where."""

from __future__ import annotations

import json
import re
from typing import Final, TypeVar

import msgspec
from msgspec import Struct
from starlette.types import Receive

from padron.api.inputs import NAME_LENGTH, Faults
from padron.errors import Invalid
from padron.transport.call import Call
from padron.words import N_, bilingual

MOST: Final = 16_384
"""Bytes of a JSON body; 256 KiB for an event of a payment provider."""
MOST_OF_EVENT: Final = 262_144

_JSON = re.compile(rb"\s*application/json\s*(?:;\s*charset\s*=\s*\"?utf-8\"?\s*)?", re.IGNORECASE)
EXPECTED: Final = N_("application/json, not compressed")
"""The content type of a JSON body, as an error states it."""


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
    """The body as `kind`, all that is wrong with it told at once: in its own order, then what it lacks.

    Raises `Invalid`: `unsupported-media-type`, `body-too-large`, `body-unfinished`, `malformed-json`, and naming the
    member `unknown-field`, `repeated-field`, `missing-field` or `invalid-field`.
    """
    packed = call.given.get(b"content-encoding", b"identity").lower() != b"identity"
    if packed or not _JSON.fullmatch(call.given.get(b"content-type", b"")):
        raise Invalid("unsupported-media-type", expected=bilingual(EXPECTED))
    body = await raw(call, receive)
    try:
        values = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
        names = [name for name, _ in json.loads(body, object_pairs_hook=list)]  # a mapping has each name once
    except (ValueError, RecursionError) as error:
        raise Invalid("malformed-json") from error
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    call.members = {*fields, *(name[:NAME_LENGTH] for name in names)}
    found: dict[str, object] = {}
    faults = Faults()
    for name in names:
        with faults:
            if name not in fields:
                raise Invalid("unknown-field", parameter=name[:NAME_LENGTH])
            if fields[name].name in found:
                raise Invalid("repeated-field", parameter=name)
            found[fields[name].name] = _member(name, values[name], fields[name].type)
    for name, field in fields.items():
        with faults:
            if field.required and name not in values:
                raise Invalid("missing-field", parameter=name)
    faults.tell()
    return kind(**found)


def _member(name: str, value: msgspec.Raw, kind: object) -> object:
    """The value of a member. msgspec's own sentence is not passed on: it may quote what was sent."""
    try:
        return msgspec.json.decode(value, type=kind)
    except msgspec.ValidationError as error:
        raise Invalid("invalid-field", parameter=name) from error
