"""Strict parsing of JSON bodies: every refusal is an `Invalid` that names the member."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, TypeVar

import msgspec
from msgspec import Struct
from starlette.types import Receive

from padron import threads
from padron.errors import Invalid
from padron.transport.call import Call
from padron.transport.expectations import at_most, expected
from padron.transport.inputs import NAME_LENGTH, Faults
from padron.words import N_, bilingual

MOST: Final = 16_384
"""Most bytes of a JSON body: all that are read have fewer than 2,000."""
MOST_OF_EVENT: Final = 262_144
"""Most bytes of an event of a payment provider, which sends whole objects."""

_JSON = re.compile(rb"\s*application/json\s*(?:;\s*charset\s*=\s*\"?utf-8\"?\s*)?", re.IGNORECASE)
_PLACE = re.compile(r" - at `\$(\[\d+\](?:\.\w+)?)`$")
"""The end of a message of msgspec about an element of a list."""
TEXT: Final = rb'"(?:[^"\\]++|\\.)*+"'
"""The pattern of a text in JSON."""
_SIGN = re.compile(TEXT + rb"|[\[\]{}]", re.DOTALL)
"""A text, or a bracket outside of texts."""
EXPECTED: Final = N_("application/json, not compressed")
"""The content type of a JSON body, as an error states it."""


class Body(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Base of request bodies: no member is ignored."""


class MemberName:
    """The name of a member of a JSON object: equal to no other, so that a mapping has one as often as it is given."""

    def __init__(self, text: str) -> None:
        self.text = text

    @classmethod
    def decoded(cls, _: type, text: str) -> MemberName:
        """Make one, as `dec_hook` of msgspec."""
        return cls(text)


_Body = TypeVar("_Body", bound=Body)


async def read_bytes(call: Call, receive: Receive, most: int = MOST) -> bytes:
    """Read the body of a request.

    Args:
        most: Most bytes to accept.

    Returns:
        The bytes.

    Raises:
        Invalid: `body-too-large` as soon as it is, `body-unfinished`.
    """
    stated = call.given.get(b"content-length", b"0").lstrip(b"0")
    if stated.isdigit() and (len(stated) > len(str(most)) or int(stated) > most):
        raise Invalid("body-too-large", maximum=most)
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Invalid("body-unfinished")
        body += message.get("body", b"")
        if len(body) > most:
            raise Invalid("body-too-large", maximum=most)
        if not message.get("more_body", False):
            return bytes(body)


async def read_json(call: Call, receive: Receive, kind: type[_Body], most: int = MOST) -> _Body:
    """Parse the JSON body of a request, reporting all faults together: in its own order, then missing members.

    Args:
        most: Most bytes to accept.

    Raises:
        Invalid: `unsupported-media-type`, `body-too-large`, `body-unfinished`, `malformed-json`; with the name of the
            member `unknown-field`, `repeated-field`, `missing-field`, `invalid-field` or `control-characters`.
    """
    packed = call.given.get(b"content-encoding", b"identity").lower() != b"identity"
    if packed or not _JSON.fullmatch(call.given.get(b"content-type", b"")):
        raise Invalid("unsupported-media-type", expected=bilingual(EXPECTED))
    body = await read_bytes(call, receive, most)
    if len(body) <= MOST:
        return _parsed(call, body, kind)
    return await threads.BODIES.call(_parsed, call, body, kind)


def _parsed(call: Call, body: bytes, kind: type[_Body]) -> _Body:
    try:
        body.decode()  # values that are no text are not looked at below
        values = msgspec.json.decode(body, type=dict[MemberName, msgspec.Raw], dec_hook=MemberName.decoded)
    except (ValueError, RecursionError) as error:
        raise Invalid("malformed-json") from error
    given = [(name.text, value) for name, value in values.items()]
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    call.members = {*fields, *(name[:NAME_LENGTH] for name, _ in given)}
    members: dict[str, object] = {}
    faults = Faults()
    for name, value in given:
        if faults.is_full:
            break
        with faults:
            if name not in fields:
                raise Invalid("unknown-field", parameter=name[:NAME_LENGTH], known=tuple(fields))
            if fields[name].name in members:
                raise Invalid("repeated-field", parameter=name)
            members[fields[name].name] = _member(name, value, fields[name].type)
    names = {name for name, _ in given}
    for name, field in fields.items():
        with faults:
            if field.required and name not in names:
                raise Invalid("missing-field", parameter=name)
    faults.raise_collected()
    return kind(**members)


def _member(name: str, value: msgspec.Raw, kind: object) -> object:
    """Parse the value of a member. Of a message of msgspec nothing is passed on that may quote a value."""
    most = _most_elements(kind)
    if most is not None and _has_more_objects(bytes(value), most):
        raise Invalid("invalid-field", parameter=name, expected=at_most(most))
    try:
        member = msgspec.json.decode(value, type=kind)
    except msgspec.DecodeError as error:  # or a number of thousands of digits
        raise Invalid("invalid-field", parameter=name + place_of(error), expected=expected(error, kind)) from error
    refuse_nul(name, member)
    return member


@cache
def _most_elements(kind: object) -> int | None:
    """Return how many elements a member may have, None if it is no list or they are not limited."""
    described = msgspec.inspect.type_info(kind)
    if isinstance(described, msgspec.inspect.Metadata):
        described = described.type
    return described.max_length if isinstance(described, msgspec.inspect.ListType) else None


def _has_more_objects(value: bytes, most: int) -> bool:
    """Return whether a list has more than so many objects, of which none is made.

    The library makes all of a list before it refuses it as too long: for hundreds of thousands of empty objects it
    takes a tenth of a second, in which no other thread runs.
    """
    if value.count(b"{") <= most:
        return False
    depth = objects = 0
    for place in _SIGN.finditer(value):
        sign = value[place.start() : place.start() + 1]
        if sign == b'"':
            continue
        objects += depth == 1 and sign == b"{"
        if objects > most:
            return True
        depth += 1 if sign in b"[{" else -1
    return False


def place_of(error: msgspec.DecodeError) -> str:
    """Return where in a list a value is wrong, `[3].name`; empty in a value that is no list."""
    place = _PLACE.search(str(error))
    return place[1] if place else ""


def refuse_nul(name: str, value: object) -> None:
    """Raise `Invalid("control-characters")` for a text with a NUL, which PostgreSQL cannot hold."""
    if isinstance(value, str) and "\0" in value:
        raise Invalid("control-characters", parameter=name)
