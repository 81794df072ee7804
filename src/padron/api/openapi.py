"""The OpenAPI 3.1 description of the public interface, generated from the wire models and the table of error codes.

What is documented is what is sent: schemas come from the structs that are encoded, limits from the constants that are
checked, examples of errors from the words that are shown.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from padron.api import examples
from padron.api.inputs import COUNTRIES, IDENTIFIER_LENGTH, LIMIT, Q_LENGTH
from padron.api.openapi_words import Json, refusal, spoken
from padron.errors import Invalid, Limited, NotFound, PadronError, Unavailable
from padron.model import Answer, Coverage, Entity, Language, Problem, Text
from padron.transport import problems

VERSION = "1.0.0"

_DESCRIPTION = Text(
    """\
Empresas de Ecuador, México, Estados Unidos, Brasil, Colombia y Argentina, de los registros oficiales, por nombre o por
identificador oficial. Las palabras de una respuesta, y las de esta descripción, están en español o en inglés, según
`Accept-Language`.

`confidence` es la probabilidad calibrada de que un resultado sea la empresa buscada; es exactamente 1 solo cuando la
consulta es el identificador principal de exactamente una empresa. Aquí las claves se ignoran, sean válidas o no.
""",
    """\
Companies of Ecuador, Mexico, the United States, Brazil, Colombia and Argentina, from the official registers, by name or
by official identifier. The words of an answer, and of this description, are Spanish or English, by `Accept-Language`.

`confidence` is the calibrated probability that a result is the company that was meant; it is exactly 1 only when the
query is the primary identifier of exactly one company. Keys are ignored here, valid or not.
""",
)
_REF = "#/components/schemas/{name}"
_NAMES = {"Teaser": "CompanyTeaser", "Record": "CompanyRecord"}
"""Schemas that the specification names otherwise than the structs are named."""
_FEWEST, _LONGEST = Q_LENGTH
_LEAST, _MOST, _DEFAULT = LIMIT

_UNKNOWN_COUNTRY = Invalid("unknown-country", parameter="country", known=COUNTRIES)
_PERSON = NotFound("natural-person-not-covered")
_NONE = Text(
    "Ninguna empresa de Ecuador tiene el número 1790016919002 (datos al 2025-12-31).",
    "No company of Ecuador has the number 1790016919002 (data as of 2025-12-31).",
)
_SEARCH_ERRORS: tuple[PadronError, ...] = (
    Invalid("query-missing", parameter="q"),
    Invalid("query-too-short", parameter="q", minimum=_FEWEST),
    Invalid("query-too-long", parameter="q", maximum=_LONGEST),
    _UNKNOWN_COUNTRY,
    Invalid("limit-out-of-range", parameter="limit", minimum=_LEAST, maximum=_MOST),
    Invalid("repeated-parameter", parameter="q"),
    Invalid("control-characters", parameter="q"),
    Invalid("not-utf8", parameter="q"),
    _PERSON,
)
_COMPANY_ERRORS: tuple[PadronError, ...] = (
    _UNKNOWN_COUNTRY,
    Invalid("invalid-identifier", parameter="identifier", country="EC"),
    Invalid("identifier-too-long", parameter="identifier", maximum=IDENTIFIER_LENGTH),
    Invalid("control-characters", parameter="identifier"),
    Invalid("not-utf8", parameter="identifier"),
    NotFound("company-not-found", hints=_NONE),
    NotFound("identifier-not-unique", country="US", candidates=("320193", "789019")),
    _PERSON,
)
_COMMON_ERRORS: tuple[PadronError, ...] = (
    Invalid("unknown-parameter", parameter="page", known="q, country, limit"),
    Invalid("method-not-allowed", allowed="GET, HEAD, OPTIONS"),
    Limited("rate-limited", amount=60, window=60, retry_after=20),
    PadronError("internal-error"),
    Unavailable("not-ready"),
)
"""Errors of an operation's own, and of all, one of each code, by way of example."""

_PLAIN = r"[^\u0000-\u001f\u007f-\u009f]*"
_VISIBLE = r"[^\s\u0000-\u001f\u007f-\u009f]"


def document(base_url: str, language: Language) -> bytes:
    """The description as JSON, for a service at `base_url`, in words of `language`."""
    paths = {
        "/api/public/empresas/search": {"get": _search(base_url, language)},
        "/api/public/empresas/{country}/{identifier}": {"get": _company(base_url, language)},
        "/api/public/empresas/stats": {"get": _coverage(language)},
    }
    return msgspec.json.encode(
        {
            "openapi": "3.1.0",
            "info": {"title": "Padrón", "version": VERSION, "description": _DESCRIPTION.of(language)},
            "servers": [{"url": base_url}],
            "paths": spoken(paths, language),
            "components": spoken({"schemas": _schemas(), "headers": _HEADERS}, language),
        }
    )


def _schemas() -> Json:
    """JSON Schema of everything that is sent, under the names of the specification."""
    _, schemas = msgspec.json.schema_components([Answer, Entity, Coverage, Problem], ref_template=_REF)
    # msgspec states the format of a datetime only where it demands a time zone; ours always have one.
    schemas["Coverage"]["properties"]["generatedAt"]["format"] = "date-time"
    schemas["Record"]["properties"]["refreshedAt"]["anyOf"][0]["format"] = "date-time"
    answered = (*_SEARCH_ERRORS, *_COMPANY_ERRORS, *_COMMON_ERRORS, NotFound("no-such-address"))
    schemas["Problem"]["properties"]["code"]["enum"] = list(dict.fromkeys(error.code for error in answered))
    text = _json({_NAMES.get(name, name): schema for name, schema in schemas.items()})
    text = text.replace(_json(sorted(COUNTRIES)), _json(COUNTRIES))  # msgspec sorts what it enumerates
    for name, shown in _NAMES.items():
        text = text.replace(f'"{_REF.format(name=name)}"', f'"{_REF.format(name=shown)}"')
        text = text.replace(f'"title":"{name}"', f'"title":"{shown}"')
    renamed: Json = msgspec.json.decode(text)
    return renamed


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _search(base_url: str, language: Language) -> Json:
    return {
        "operationId": "searchCompanies",
        "summary": "Find companies by name or official identifier, the best match first",
        "parameters": [
            _parameter(
                "q",
                "query",
                f"Name or identifier, in any punctuation; at least {_FEWEST} characters without the blanks around it.",
                {
                    "type": "string",
                    "minLength": _FEWEST,
                    "maxLength": _LONGEST,
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
                {"type": "integer", "minimum": _LEAST, "maximum": _MOST, "default": _DEFAULT},
                required=False,
            ),
            *_CONDITIONS,
        ],
        "responses": _responses(
            "The matches; none is an answer too",
            Answer,
            examples.answer(base_url),
            _SEARCH_ERRORS,
            language,
        ),
    }


def _company(base_url: str, language: Language) -> Json:
    responses = _responses(
        "The company",
        Entity,
        examples.entity(base_url),
        _COMPANY_ERRORS,
        language,
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
                "US",
            ),
            _parameter(
                "identifier",
                "path",
                "Official identifier, formatted or not, in either case; slashes need no escaping.",
                {"type": "string", "minLength": 1, "maxLength": IDENTIFIER_LENGTH, "pattern": f"^{_PLAIN}$"},
                "320193",
            ),
            *_CONDITIONS,
        ],
        "responses": responses,
    }


def _coverage(language: Language) -> Json:
    return {
        "operationId": "getCompanyCoverage",
        "summary": "How many companies of each country are covered, from which source and date",
        "parameters": _CONDITIONS,
        "responses": _responses("What the release being served holds", Coverage, examples.coverage(), (), language),
    }


def _parameter(
    name: str, place: str, description: str, schema: Json, example: object = None, *, required: bool = True
) -> Json:
    parameter = {"name": name, "in": place, "required": required, "description": description, "schema": schema}
    return parameter | ({"example": example} if example else {})


def _responses(
    description: str, model: type[msgspec.Struct], example: object, own: Sequence[PadronError], language: Language
) -> Json:
    """Every status of an operation; `own` are the errors that are its own."""
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
    errors = (*own, *_COMMON_ERRORS)
    for status in sorted({problems.status(error) for error in errors}):
        extra = {405: {"Allow": _header("Allow")}}.get(status, limited)
        if status in {429, 503}:
            extra = extra | {"Retry-After": _header("Retry-After")}
        responses[str(status)] = refusal(errors, status, shared | extra, language)
    return responses


def _header(name: str) -> Json:
    return {"$ref": f"#/components/headers/{name}"}


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
        ("Vary", "What the answer depends on besides the address: `Accept-Language`.", True),
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
