"""OpenAPI 3.1 documents, derived from operations (`api.operations`), wire models and the table of error codes.

What is documented is what is sent: schemas come from the structs that are encoded, limits from the constants that are
checked, examples of errors from the words that are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct
from starlette.types import Receive, Scope, Send

from padron.api.openapi_words import Json, refusal, translated, with_countries
from padron.api.parameters import CONDITION, LANGUAGE, Parameter
from padron.errors import Invalid, NotFound, PadronError
from padron.transport import conditional, headers, inputs, problems
from padron.transport.bodies import EXPECTED, MOST, Body
from padron.transport.call import Call
from padron.transport.compression import VARY, compressed, preferred_coding
from padron.transport.inputs import COUNTRIES
from padron.transport.problems import Problem
from padron.words import LANGUAGES, Language, Text, bilingual

VERSION: Final = "1.0.0"

_MESSAGES: Final = "webhooks"
"""The tag of the messages: under that of the operations, generators of clients take their place."""
LICENCE: Final = {"name": "Apache License 2.0", "identifier": "Apache-2.0"}
"""Licence of the service; each source states that of its data."""

HEADERS: Final = {
    "X-Request-Id": ("Identifier of the request; the client may send its own.", True),
    "Access-Control-Allow-Origin": ("`*`: pages of any site may read the answer.", True),
    "ETag": ("Changes with the answer.", True),
    "Cache-Control": ("Answers may be cached for one minute.", True),
    "Content-Language": ("`es` or `en`.", True),
    "Vary": ("Header fields that the answer depends on: `Accept-Language`.", True),
    "RateLimit-Policy": ("The quotas that count this request: name, `q` requests in `w` seconds.", False),
    "RateLimit": ("What remains of the quotas: `r` requests, `t` seconds until the next reset.", False),
    "Retry-After": ("Seconds to wait.", True),
    "Content-Location": ("The canonical URL, if the request used another form of the identifier.", False),
    "Release": ("The release that answers; of NDJSON and CSV only.", False),
    "Identifier-Match": (
        "How the requested number identifies the company: `primary`, `alias`, `branch`, or `wrong-check-digit` for one "
        "that cannot exist as it was written.",
        True,
    ),
    "WWW-Authenticate": ("How to authenticate (RFC 6750).", True),
    "Set-Cookie": ("The session.", True),
    "Allow": ("The allowed methods.", True),
}
"""Header field of an answer -> its description, and whether it is always there where it is listed."""

SECURITY: Final[Mapping[str, Json]] = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "The API key; `apiKey` must hold the same key."},
    "apiKey": {"type": "apiKey", "in": "header", "name": "apiKey", "description": "The same key again."},
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "padron",
        "description": "The cookie set by log-in; `__Host-padron` behind TLS.",
    },
}
"""Security schemes by name."""

_ACCESS: Final[Mapping[tuple[str, ...], str]] = {
    (): "Needs neither key nor session.",
    ("bearer", "apiKey"): "Needs an API key, the same in `Authorization: Bearer` and in `apiKey`.",
    ("session",): "Needs the cookie of a session.",
}
"""Security schemes of an operation -> the sentence about them, which readers of a generated client see."""

_REF = "#/components/schemas/{name}"
_BY_STATUS = {401: "WWW-Authenticate", 405: "Allow", 429: "Retry-After", 503: "Retry-After"}
"""Status of a refusal -> the header field it carries."""
_CONTENT_HEADERS = {"Content-Location", "Identifier-Match"}
"""Header fields that a 304 leaves out: they are about the content."""


class Guard(NamedTuple):
    """Protection of an operation: the security schemes it asks for together, and what they may refuse."""

    schemes: Sequence[str]
    errors: Sequence[PadronError]


class Operation(NamedTuple):
    """An operation: its input, an example of its answer, and one error of each code of its own.

    `headers` are those of the answer besides `Interface.headers`; `csv` is an example of the answer as CSV; `streams`
    are further formats of the body, each with an example of it and of the answer in the same format.
    """

    method: str
    path: str
    id: str
    summary: str
    status: int
    answer: Struct | None
    guard: Guard
    errors: Sequence[PadronError] = ()
    parameters: Sequence[Parameter] = ()
    body: Body | None = None
    headers: Sequence[str] = ()
    description: str = "Done"
    csv: str | None = None
    streams: Mapping[str, tuple[str, str]] = {}


class SentMessage(NamedTuple):
    """A request that the service sends to its users: its type, an example of its body, its header fields."""

    type: str
    id: str
    summary: str
    body: Struct
    parameters: Sequence[Parameter]


class Interface(NamedTuple):
    """A described interface. `headers` are on every answer, `refusal_headers` on refusals besides.

    `names` gives the schemas whose name is not that of their struct. Where `closed`, no other error code is ever sent
    than those described. `tag` groups the operations in generated clients.
    """

    title: str
    description: Text
    tag: str
    operations: Sequence[Operation]
    headers: Sequence[str] = ("X-Request-Id",)
    refusal_headers: Sequence[str] = ()
    names: Mapping[str, str] = {}
    closed: bool = False
    messages: Sequence[SentMessage] = ()


def document(interface: Interface, base_url: str, language: Language) -> bytes:
    """Derive the OpenAPI document of an interface.

    Returns:
        The document as JSON.
    """
    allowed: dict[str, set[str]] = {}
    for operation in interface.operations:
        methods = {"GET", "HEAD"} if operation.method == "get" else {operation.method.upper()}
        allowed.setdefault(operation.path, {"OPTIONS"}).update(methods)
    paths: dict[str, Json] = {}
    for operation in interface.operations:
        always = _common_errors(operation, ", ".join(sorted(allowed[operation.path])))
        paths.setdefault(operation.path, {})[operation.method] = _operation(interface, operation, always, language)
    used = msgspec.json.encode(paths).decode()
    schemes = {scheme for operation in interface.operations for scheme in operation.guard.schemes}
    components = {
        "schemas": _schemas(interface),
        "headers": {
            name: {"description": description, "schema": {"type": "string"}, "required": required}
            for name, (description, required) in HEADERS.items()
            if f'"#/components/headers/{name}"' in used
        },
        "securitySchemes": {name: scheme for name, scheme in SECURITY.items() if name in schemes},
    }
    info = {
        "title": interface.title,
        "version": VERSION,
        "description": interface.description.of(language),
        "contact": {"name": "Padrón", "url": base_url},
        "license": LICENCE,
    }
    tags = [{"name": interface.tag, "description": info["description"]}]
    if interface.messages:
        tags.append({"name": _MESSAGES, "description": bilingual("Messages that the service sends.").of(language)})
    described = {
        "openapi": "3.1.0",
        "info": info,
        "servers": [{"url": base_url}],
        "tags": tags,
        "paths": translated(paths, language),
    }
    if interface.messages:
        webhooks = {message.type: {"post": _message(interface, message)} for message in interface.messages}
        described["webhooks"] = translated(webhooks, language)
    return msgspec.json.encode({**described, "components": translated(components, language)})


def _message(interface: Interface, message: SentMessage) -> Json:
    """Return the OpenAPI operation object of a request that the service sends."""
    return {
        "operationId": message.id,
        "tags": [_MESSAGES],
        "summary": message.summary,
        "parameters": [parameter.described() for parameter in message.parameters],
        "requestBody": {"required": True, "content": _content(message.body, interface.names)},
        "responses": {
            "2XX": {"description": "The message has arrived"},
            "410": {"description": "The receiver wants no more messages: the webhook is switched off"},
            "default": {
                "description": "Any other answer, a redirect too, or none in 20 seconds: it is sent again later"
            },
        },
        "security": [],
    }


def _schemas(interface: Interface) -> Json:
    """JSON Schemas of everything that is read or sent, under the names of the interface."""
    models = {
        type(model) for operation in interface.operations for model in (operation.answer, operation.body) if model
    } | {type(message.body) for message in interface.messages}
    ordered = [*sorted(models, key=lambda model: model.__name__), Problem]
    _, schemas = msgspec.json.schema_components(ordered, ref_template=_REF)
    for schema in schemas.values():
        _add_time_format(schema.get("properties", {}))
        _leave_out_blank_defaults(schema.get("properties", {}))
    if interface.closed:
        errors = [error for operation in interface.operations for error in (*operation.errors, *operation.guard.errors)]
        errors += [*_common_errors(interface.operations[0], ""), NotFound("no-such-address")]
        schemas["Problem"]["properties"]["code"]["enum"] = sorted({error.code for error in errors})
    return _renamed(with_countries(schemas, COUNTRIES), interface.names)


def _add_time_format(members: Json) -> None:
    """Add the format of times: msgspec states it only where a time zone is demanded; ours always have one."""
    for name, member in members.items():
        for option in (member, *member.get("anyOf", ())):
            if option.get("type") == "string" and name.endswith("At") and "format" not in option:
                option["format"] = "date-time"


def _leave_out_blank_defaults(members: Json) -> None:
    """Leave out defaults that are blank texts: generators of types demand every member that has a default."""
    for member in members.values():
        if member.get("default") == "":
            del member["default"]


def _renamed(schemas: Json, names: Mapping[str, str]) -> Json:
    """Return schemas under other names, references to them included."""
    text = msgspec.json.encode({names.get(name, name): schema for name, schema in schemas.items()}).decode()
    for name, shown in names.items():
        text = text.replace(f'"{_REF.format(name=name)}"', f'"{_REF.format(name=shown)}"')
        text = text.replace(f'"title":"{name}"', f'"title":"{shown}"')
    renamed: Json = msgspec.json.decode(text)
    return renamed


def _operation(interface: Interface, operation: Operation, always: Sequence[PadronError], language: Language) -> Json:
    """Return the OpenAPI operation object."""
    conditions = [LANGUAGE, CONDITION] if "ETag" in operation.headers else [LANGUAGE]
    described: Json = {
        "operationId": operation.id,
        "tags": [interface.tag],
        "summary": operation.summary,
        "description": _ACCESS[tuple(operation.guard.schemes)],
        "parameters": [parameter.described() for parameter in (*operation.parameters, *conditions)],
        "responses": _answers(interface, operation)
        | _refusals(interface, operation, [*operation.errors, *operation.guard.errors, *always], language),
        "security": [{scheme: [] for scheme in operation.guard.schemes}] if operation.guard.schemes else [],
    }
    if operation.body is not None:
        content = _content(operation.body, interface.names) | _lines(operation, 0)
        described["requestBody"] = {"required": True, "content": content}
    return described


def _answers(interface: Interface, operation: Operation) -> Json:
    """Return the responses of success: the answer, and 304 where it has an ETag."""
    headers = _headers([*interface.headers, *operation.headers])
    done: Json = {"description": operation.description, "headers": headers}
    if operation.answer is not None:
        done["content"] = _content(operation.answer, interface.names) | _lines(operation, 1)
    if operation.csv is not None:
        plain = {"text/csv": {"schema": {"type": "string"}, "example": operation.csv}}
        done["content"] = done.get("content", {}) | plain
    answers: Json = {str(operation.status): done}
    if "ETag" in operation.headers:
        kept = {name: header for name, header in headers.items() if name not in _CONTENT_HEADERS}
        answers["304"] = {"description": "The cached answer is current", "headers": kept}
    return answers


def _refusals(interface: Interface, operation: Operation, errors: Sequence[PadronError], language: Language) -> Json:
    """Return the response of each status of `errors`."""
    refusals: Json = {}
    for status in sorted({problems.status(error) for error in errors}):
        names = [*interface.headers]
        if status != 405:
            names += interface.refusal_headers
        if status in _BY_STATUS and (status != 401 or "bearer" in operation.guard.schemes):
            names.append(_BY_STATUS[status])
        refusals[str(status)] = refusal(errors, status, _headers(names), language)
    return refusals


def _content(example: Struct, names: Mapping[str, str]) -> Json:
    name = type(example).__name__
    schema = {"$ref": _REF.format(name=names.get(name, name))}
    return {"application/json": {"schema": schema, "example": msgspec.to_builtins(example)}}


def _lines(operation: Operation, part: int) -> Json:
    """Return the bodies (0) or answers (1) in formats of lines."""
    return {
        media: {"schema": {"type": "string"}, "example": examples[part]}
        for media, examples in operation.streams.items()
    }


def _headers(names: Iterable[str]) -> Json:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _common_errors(operation: Operation, allowed: str) -> list[PadronError]:
    """Return the errors that every operation can answer with, and those of reading its body."""
    known = tuple(parameter.name for parameter in operation.parameters if parameter.place == "query")
    errors: list[PadronError] = [
        Invalid("unknown-parameter", parameter="page", known=known or "—"),
        Invalid("method-not-allowed", allowed=allowed),
        PadronError("internal-error"),
    ]
    if operation.body is not None:
        member = operation.body.__struct_encode_fields__[0]
        errors += [
            Invalid("malformed-json"),
            Invalid("unknown-field", parameter="comment", known=operation.body.__struct_encode_fields__),
            *(Invalid(code, parameter=member) for code in ("repeated-field", "missing-field", "invalid-field")),
            Invalid("body-unfinished"),
            Invalid("body-too-large", maximum=MOST),
            Invalid("unsupported-media-type", expected=bilingual(EXPECTED)),
        ]
    return errors


class DocumentEndpoint:
    """An OpenAPI document in each language: the same bytes for everybody, with or without a release."""

    def __init__(self, make: Callable[[Language], bytes]) -> None:
        self._bodies = {language: make(language) for language in LANGUAGES}
        self._tags = {of: conditional.entity_tag("openapi", of, body, b"") for of, body in self._bodies.items()}
        self._compressed: dict[tuple[Language, str], bytes] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the document, or 304 if the client holds it."""
        inputs.parameters(scope["query_string"])
        call = Call.of(scope)
        tag = self._tags[call.language]
        fields = [*headers.API, VARY, headers.FRESH, (b"etag", tag), (b"content-language", call.language.encode())]
        coding = preferred_coding(call)
        body = self._body(call.language, coding)
        await conditional.send_json(
            call, send, tag, fields, body, [(b"content-encoding", coding.encode())] if coding else []
        )

    def _body(self, language: Language, coding: str) -> bytes:
        plain = self._bodies[language]
        if coding and (language, coding) not in self._compressed:
            self._compressed[language, coding] = compressed(plain, coding)
        return self._compressed[language, coding] if coding else plain
