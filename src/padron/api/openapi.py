"""The OpenAPI 3.1 description of the public interface, generated from the wire models and the table of error codes.

What is documented is what is sent: schemas come from the structs that are encoded, limits from the constants that are
checked, examples of errors from the words that are shown.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import msgspec

from padron.accounts.limits import LOOKUP, SEARCH, Quota
from padron.api.inputs import COUNTRIES, IDENTIFIER_LENGTH, LIMIT, Q_LENGTH
from padron.errors import Invalid, Limited, NotFound, PadronError, Unavailable
from padron.http import problems
from padron.model import (
    Answer,
    CanonicalUrls,
    CountryCoverage,
    Coverage,
    Entity,
    Problem,
    Record,
    SourceRef,
    SourceState,
    Teaser,
)

VERSION = "1.0.0"

Json = dict[str, Any]

_DESCRIPTION = """\
Companies of Ecuador, Mexico, the United States, Brazil, Colombia and Argentina, from the official registers, by name or
by official identifier. The words of an answer are Spanish or English, by `Accept-Language`.

`confidence` is the calibrated probability that a result is the company that was meant; it is exactly 1 only when the
query is the primary identifier of exactly one company. Keys are ignored here, valid or not.
"""
_REF = "#/components/schemas/{name}"
_NAMES = {"Teaser": "CompanyTeaser", "Record": "CompanyRecord"}
"""Schemas that the specification names otherwise than the structs are named."""
_REQUEST_ID = "8d7cf6a4-2c0e-4a55-9d5f-0f6a3f2f4b11"
_PLAIN = r"[^\u0000-\u001f\u007f-\u009f]*"
_VISIBLE = r"[^\s\u0000-\u001f\u007f-\u009f]"


def document(base_url: str) -> bytes:
    """The description as JSON, for a service at `base_url`."""
    return msgspec.json.encode(
        {
            "openapi": "3.1.0",
            "info": {"title": "Padrón", "version": VERSION, "description": _DESCRIPTION},
            "servers": [{"url": base_url}],
            "paths": {
                "/api/public/empresas/search": {"get": _search(base_url)},
                "/api/public/empresas/{country}/{identifier}": {"get": _company(base_url)},
                "/api/public/empresas/stats": {"get": _coverage()},
            },
            "components": {"schemas": _schemas(), "headers": _HEADERS},
        }
    )


def _schemas() -> Json:
    """JSON Schema of everything that is sent, under the names of the specification."""
    _, schemas = msgspec.json.schema_components([Answer, Entity, Coverage, Problem], ref_template=_REF)
    # msgspec states the format of a datetime only where it demands a time zone; ours always have one.
    schemas["Coverage"]["properties"]["generatedAt"]["format"] = "date-time"
    schemas["Record"]["properties"]["refreshedAt"]["anyOf"][0]["format"] = "date-time"
    schemas["Problem"]["properties"]["code"]["enum"] = [code for code, row in problems.WORDS.items() if row.status]
    text = _json({_NAMES.get(name, name): schema for name, schema in schemas.items()})
    text = text.replace(_json(sorted(COUNTRIES)), _json(COUNTRIES))  # msgspec sorts what it enumerates
    for name, shown in _NAMES.items():
        text = text.replace(f'"{_REF.format(name=name)}"', f'"{_REF.format(name=shown)}"')
        text = text.replace(f'"title":"{name}"', f'"title":"{shown}"')
    renamed: Json = msgspec.json.decode(text)
    return renamed


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _search(base_url: str) -> Json:
    fewest, longest = Q_LENGTH
    least, most, default = LIMIT
    return {
        "operationId": "searchCompanies",
        "summary": "Find companies by name or official identifier, the best match first",
        "parameters": [
            _parameter(
                "q",
                "query",
                f"Name or identifier, in any punctuation; at least {fewest} characters besides the blanks at its ends.",
                {
                    "type": "string",
                    "minLength": fewest,
                    "maxLength": longest,
                    "pattern": f"^{_PLAIN}{_VISIBLE}{_PLAIN}{_VISIBLE}{_PLAIN}$",
                },
                "corporacion favorita",
            ),
            _parameter(
                "country",
                "query",
                "Search this country's registers only. Lower case is understood too.",
                {"type": "string", "enum": list(COUNTRIES)},
                required=False,
            ),
            _parameter(
                "limit",
                "query",
                "How many results at most.",
                {"type": "integer", "minimum": least, "maximum": most, "default": default},
                required=False,
            ),
            *_CONDITIONS,
        ],
        "responses": _responses(
            "The matches; none is an answer too",
            Answer,
            _answer(base_url),
            SEARCH,
            [
                Invalid("query-missing", parameter="q"),
                Invalid("query-too-short", parameter="q", minimum=fewest),
                Invalid("query-too-long", parameter="q", maximum=longest),
                Invalid("unknown-country", parameter="country", known=COUNTRIES),
                Invalid("limit-out-of-range", parameter="limit", minimum=least, maximum=most),
                Invalid("repeated-parameter", parameter="q"),
                Invalid("control-characters", parameter="q"),
                Invalid("not-utf8", parameter="q"),
                NotFound("natural-person-not-covered"),
            ],
        ),
    }


def _company(base_url: str) -> Json:
    responses = _responses(
        "The company",
        Entity,
        Entity(entity=_record(base_url)),
        LOOKUP,
        [
            Invalid("unknown-country", parameter="country", known=COUNTRIES),
            Invalid("invalid-identifier", parameter="identifier", country="EC"),
            Invalid("identifier-too-long", parameter="identifier", maximum=IDENTIFIER_LENGTH),
            NotFound(
                "company-not-found", hints="No company of Ecuador has the number 1790016919002 (data as of 2026-03-01)."
            ),
            NotFound("natural-person-not-covered"),
            NotFound("identifier-not-unique", country="US", candidates=["320193", "789019"]),
        ],
    )
    responses["200"]["headers"] |= {name: _header(name) for name in ("Content-Location", "Identifier-Match")}
    return {
        "operationId": "getCompanyByOfficialId",
        "summary": "One company by its official identifier",
        "parameters": [
            _parameter(
                "country",
                "path",
                "Country of the register. Lower case is understood too.",
                {"type": "string", "enum": list(COUNTRIES)},
                "EC",
            ),
            _parameter(
                "identifier",
                "path",
                "Official identifier, formatted or not, in either case; slashes need no escaping.",
                {"type": "string", "minLength": 1, "maxLength": IDENTIFIER_LENGTH, "pattern": f"^{_PLAIN}$"},
                "1790016919001",
            ),
            *_CONDITIONS,
        ],
        "responses": responses,
    }


def _coverage() -> Json:
    return {
        "operationId": "getCompanyCoverage",
        "summary": "How many companies of each country are covered, from which source and date",
        "parameters": _CONDITIONS,
        "responses": _responses("What the release being served holds", Coverage, _COVERAGE, LOOKUP, []),
    }


def _parameter(
    name: str, place: str, description: str, schema: Json, example: object = None, *, required: bool = True
) -> Json:
    parameter = {"name": name, "in": place, "required": required, "description": description, "schema": schema}
    return parameter | ({"example": example} if example else {})


def _responses(
    description: str, model: type[msgspec.Struct], example: object, quota: Quota, errors: list[PadronError]
) -> Json:
    """Every status of an operation; `errors` are those of its own, one of each code, by way of example."""
    limited = {name: _header(name) for name in ("RateLimit-Policy", "RateLimit")}
    cached = {name: _header(name) for name in ("ETag", "Cache-Control", "Content-Language", "Vary")}
    shared = {name: _header(name) for name in ("X-Request-Id", "Access-Control-Allow-Origin")}
    reference = _REF.format(name=_NAMES.get(model.__name__, model.__name__))
    responses: Json = {
        "200": {
            "description": description,
            "headers": shared | cached | limited,
            "content": {"application/json": {"schema": {"$ref": reference}, "example": msgspec.to_builtins(example)}},
        },
        "304": {"description": "The client's copy still holds", "headers": shared | cached | limited},
    }
    errors = [
        *errors,
        Invalid("unknown-parameter", parameter="page", known="q, country, limit"),
        Invalid("method-not-allowed", allowed="GET, HEAD, OPTIONS"),
        Limited("rate-limited", amount=quota.amount, window=quota.window, retry_after=20),
        PadronError("internal-error"),
        Unavailable("not-ready"),
    ]
    for status in sorted({problems.status(error) for error in errors}):
        extra = {405: {"Allow": _header("Allow")}}.get(status, limited)
        if status in {429, 503}:
            extra = extra | {"Retry-After": _header("Retry-After")}
        responses[str(status)] = {
            "description": _REASONS[status],
            "headers": shared | extra,
            "content": {
                problems.MEDIA_TYPE: {
                    "schema": {"$ref": _REF.format(name="Problem")},
                    "examples": {error.code: _example(error) for error in errors if problems.status(error) == status},
                }
            },
        }
    return responses


def _example(error: PadronError) -> Json:
    return {"value": msgspec.json.decode(problems.body(error, "en", _REQUEST_ID))}


def _header(name: str) -> Json:
    return {"$ref": f"#/components/headers/{name}"}


_REASONS = {
    400: "The input cannot be used; `errors` names the parameter",
    404: "Not found, or not covered",
    405: "Only GET, HEAD and OPTIONS are understood",
    429: "The client's quota is spent",
    500: "A fault of the service",
    503: "No release is being served yet",
}

_CONDITIONS = [
    _parameter(
        "Accept-Language",
        "header",
        "Spanish or English; anything else, and nothing at all, is Spanish.",
        {"type": "string", "default": "es"},
        required=False,
    ),
    _parameter(
        "If-None-Match",
        "header",
        "ETag of the copy held: 304 while it still holds.",
        {"type": "string"},
        required=False,
    ),
]

_HEADERS: Json = {
    name: {"description": description, "schema": {"type": "string"}, "required": required}
    for name, description, required in (
        ("X-Request-Id", "Names this request; one that is sent is kept.", True),
        ("Access-Control-Allow-Origin", "`*`: any page may read the answer.", True),
        ("ETag", "Changes with the release and the language.", True),
        ("Cache-Control", "Answers hold for a minute.", True),
        ("Content-Language", "`es` or `en`.", True),
        ("Vary", "`Accept-Language`.", True),
        ("RateLimit-Policy", "The client's quota: name, requests `q`, window of `w` seconds.", False),
        ("RateLimit", "What is left of it: requests `r`, full again in `t` seconds.", False),
        ("Retry-After", "Seconds to wait.", True),
        ("Content-Location", "The canonical address, where another form was asked.", False),
        (
            "Identifier-Match",
            "Whether the number asked is the company's `primary` one, an `alias` or a `branch`.",
            True,
        ),
        ("Allow", "The methods understood.", True),
    )
}


def _teaser(base_url: str) -> Json:
    """What teaser and record of the example company share."""
    return {
        "legal_name": "CORPORACION FAVORITA C.A.",
        "trade_name": None,
        "country_code": "EC",
        "scheme": "ec-ruc",
        "identifier": "1790016919001",
        "id_label": "RUC",
        "status": "active",
        "classification_code": "G4711",
        "classification_label": None,
        "financials_available": False,
        "canonical_urls": CanonicalUrls(
            es=f"{base_url}/es/empresas/ec/1790016919001", en=f"{base_url}/en/companies/ec/1790016919001"
        ),
    }


def _answer(base_url: str) -> Answer:
    teaser = Teaser(confidence=0.9871, **_teaser(base_url))
    return Answer(
        q="corporacion favorita",
        country=None,
        best_match=teaser,
        suggested_countries=[],
        match_hints=[],
        results=[teaser],
    )


def _record(base_url: str) -> Record:
    source = SourceRef(source_name="Superintendencia de Compañías, Valores y Seguros", source_url=None)
    refreshed = datetime(2026, 10, 1, tzinfo=UTC)
    return Record(confidence=None, source=source, refreshed_at=refreshed, **_teaser(base_url))


_COVERAGE = Coverage(
    countries=[
        CountryCoverage(
            country_code="EC",
            companies=95_424,
            by_scheme={"ec-ruc": 2_000, "ec-expediente": 93_424},
            sources=[
                SourceState(
                    name="Directorio de compañías",
                    url=None,
                    licence="CC BY 4.0",
                    attribution="Superintendencia de Compañías, Valores y Seguros",
                    date=date(2026, 10, 1),
                    records=95_424,
                    state="fresh",
                )
            ],
        )
    ],
    total=95_424,
    release="20261001-1a2b3c4d",
    generated_at=datetime(2026, 10, 2, 4, 0, tzinfo=UTC),
)
