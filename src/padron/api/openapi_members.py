"""What the OpenAPI 3.1 descriptions of v1 and of accounts share: an operation as data, and what it comes to."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from padron.accounts.keys import SCOPES
from padron.api import account_model as office
from padron.api import deprecation, v1_model
from padron.api.bodies import EXPECTED, MOST, Body
from padron.api.openapi_words import Json, refusal, spoken
from padron.errors import Denied, Invalid, Limited, PadronError, Unavailable
from padron.model import Language, Problem, Text
from padron.transport import problems

VERSION: Final = "1.0.0"

_REF = "#/components/schemas/{name}"
THEN = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
TEXT: Json = {"type": "string"}


class Operation(NamedTuple):
    """One operation: what it takes, what it gives, and what may go wrong with it, one error of each code."""

    method: str
    path: str
    id: str
    summary: str
    status: int
    answer: Struct | None
    errors: Sequence[PadronError] = ()
    parameters: Sequence[Json] = ()
    body: Body | None = None
    guard: str | None = "key"
    headers: Sequence[str] = ()


def document(
    base_url: str, language: Language, title: str, description: Text, operations: Sequence[Operation]
) -> bytes:
    """The description of some operations as JSON, for a service at `base_url`, in words of `language`."""
    models = {type(thing) for operation in operations for thing in (operation.answer, operation.body) if thing}
    _, schemas = msgspec.json.schema_components(
        [*sorted(models, key=lambda model: model.__name__), Problem], ref_template=_REF
    )
    paths: dict[str, Json] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method] = _operation(operation, language)
    components = {"schemas": _formatted(schemas), "headers": _HEADERS, "securitySchemes": _SECURITY}
    return msgspec.json.encode(
        {
            "openapi": "3.1.0",
            "info": {"title": title, "version": VERSION, "description": description.of(language)},
            "servers": [{"url": base_url}],
            "paths": spoken(paths, language),
            "components": spoken(components, language),
        }
    )


def _formatted(schemas: dict[str, Json]) -> dict[str, Json]:
    """Schemas with the format of times: msgspec states it only where it demands a time zone; ours always have one."""
    for schema in schemas.values():
        for name, member in schema.get("properties", {}).items():
            for option in (member, *member.get("anyOf", ())):
                if option.get("type") == "string" and name.endswith("At") and "format" not in option:
                    option["format"] = "date-time"
    deprecation.mark(schemas)
    return schemas


def _operation(operation: Operation, language: Language) -> Json:
    found: Json = {
        "operationId": operation.id,
        "summary": operation.summary,
        "parameters": [*operation.parameters, _LANGUAGE],
        "responses": _responses(operation, language),
        "security": {"key": [{"bearer": [], "apiKey": []}], "session": [{"session": []}], None: [{}]}[operation.guard],
    }
    if operation.body is not None:
        name = type(operation.body).__name__
        example = msgspec.to_builtins(operation.body)
        found["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": _REF.format(name=name)}, "example": example}},
        }
    return found


def _responses(operation: Operation, language: Language) -> Json:
    shared = {name: {"$ref": f"#/components/headers/{name}"} for name in ("X-Request-Id", *operation.headers)}
    good: Json = {"description": "Done", "headers": shared}
    if operation.answer is not None:
        name, example = type(operation.answer).__name__, msgspec.to_builtins(operation.answer)
        good["content"] = {"application/json": {"schema": {"$ref": _REF.format(name=name)}, "example": example}}
        if isinstance(operation.answer, v1_model.Financials):
            good["content"]["text/csv"] = {"schema": TEXT, "example": "countryCode,identifier,fiscalYear,…"}
    responses: Json = {str(operation.status): good}
    if "ETag" in operation.headers:
        responses["304"] = {"description": "The client's copy still holds", "headers": shared}
    errors = [*operation.errors, *_always(operation)]
    for status in sorted({problems.status(error) for error in errors}):
        extra = {"WWW-Authenticate": "401", "Retry-After": "429 503", "Allow": "405"}
        told = {name: {"$ref": f"#/components/headers/{name}"} for name, when in extra.items() if str(status) in when}
        if operation.guard != "key":
            told.pop("WWW-Authenticate", None)
        fields = {"X-Request-Id": shared["X-Request-Id"], **told}
        responses[str(status)] = refusal(errors, status, fields, language)
    return responses


def _always(operation: Operation) -> list[PadronError]:
    """What may go wrong with every operation of its kind."""
    errors: list[PadronError] = [
        Invalid("unknown-parameter", parameter="page", known="—"),
        Invalid("method-not-allowed", allowed="GET, HEAD, OPTIONS"),
        PadronError("internal-error"),
        Unavailable("accounts-unavailable"),
    ]
    if operation.body is not None:
        errors += (
            Invalid("malformed-json"),
            Invalid("unknown-field", parameter="plan"),
            Invalid("repeated-field", parameter="planId"),
            Invalid("missing-field", parameter="planId"),
            Invalid("invalid-field", parameter="planId"),
            Invalid("body-unfinished"),
            Invalid("body-too-large", maximum=MOST),
            Invalid("unsupported-media-type", expected=EXPECTED),
        )
    if operation.guard == "key":
        codes = "credentials-missing bearer-missing apikey-missing credentials-differ key-malformed key-unknown"
        errors += [Denied(code) for code in (*codes.split(), "key-revoked", "key-expired")]
        errors += (
            Invalid("key-in-url"),
            Denied("scope-missing", scope=SCOPES[0]),
            Limited("rate-limited", amount=60, window=60, retry_after=20),
            Limited("too-many-failures", retry_after=20),
        )
    else:
        errors.append(Limited("too-many-attempts", retry_after=600))
    if operation.guard == "session":
        errors.append(Denied("no-session"))
    if operation.method != "get" and operation.guard != "key":
        errors.append(Denied("cross-site-request"))
    return errors


def parameter(name: str, place: str, description: str, schema: Json, *, required: bool = True, **extra: object) -> Json:
    """A parameter of an operation."""
    return {"name": name, "in": place, "required": required, "description": description, "schema": schema, **extra}


_LANGUAGE = parameter(
    "Accept-Language",
    "header",
    "Spanish or English; anything else, and nothing at all, is Spanish.",
    {"type": "string"},
    required=False,
)

_HEADERS: Json = {
    name: {"description": description, "schema": {"type": "string"}, "required": required}
    for name, description, required in (
        ("X-Request-Id", "Names this request; one that is sent is kept.", True),
        ("RateLimit-Policy", 'The limits: "minute" of the plan, and "day", answers that succeeded.', False),
        ("RateLimit", "What is left of them: `r` requests, `t` seconds until there is more.", False),
        ("Retry-After", "Seconds to wait.", True),
        ("WWW-Authenticate", "How to authenticate (RFC 6750).", True),
        ("ETag", "Changes with the answer.", True),
        ("Content-Location", "The canonical address, where another form was asked.", False),
        ("Set-Cookie", "The session.", True),
        ("Allow", "The methods understood.", True),
    )
}
_SECURITY: Json = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "The API key; `apiKey` must carry the same one."},
    "apiKey": {"type": "apiKey", "in": "header", "name": "apiKey", "description": "The same key again."},
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "padron",
        "description": "Set by log-in; `__Host-padron` behind TLS.",
    },
}


IDEMPOTENCY = parameter(
    "Idempotency-Key",
    "header",
    "The same key gives the same checkout again.",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": r"^[\x21-\x7e]+$"},
    required=False,
)


def buying() -> list[PadronError]:
    """What may go wrong with buying a plan."""
    return [
        Invalid("unknown-plan", parameter="planId", known=("free", "pro", "business")),
        Invalid("plan-already-active", parameter="planId", plan="Pro"),
        Invalid("plan-lower", parameter="planId", plan="Pro"),
        Invalid("idempotency-conflict"),
        Unavailable("billing-off"),
        Unavailable("billing-unavailable"),
    ]


def checkout(base_url: str) -> office.CheckoutShown:
    """A checkout, by way of example."""
    return office.CheckoutShown(
        checkout_url=f"{base_url or 'https://padron.example'}/sandbox/checkout/sbx_chk_0123456789abcdef01234567",
        checkout_id="chk_0123456789abcdef01234567",
        plan_id="pro",
        expires_at=THEN,
    )
