"""Texts of the OpenAPI documents: translation of a document, the sentences to translate, descriptions of errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from padron.companies import fields as company_fields
from padron.errors import PadronError
from padron.transport import problems
from padron.words import Language, translate

Json = dict[str, Any]

REASONS: Final = {
    400: "The request is not valid; `errors` names each parameter or member",
    401: "The key or session is missing or not valid",
    403: "Not allowed for this client",
    404: "Not found, or not covered",
    405: "The allowed methods are in `Allow`",
    409: "The request conflicts with the current state",
    413: "The body is too large",
    414: "The address is too long",
    415: "The body is not `application/json`",
    429: "A limit is reached; wait for the seconds in `Retry-After`",
    500: "Internal error",
    503: "A part of the service is not available; try again after `Retry-After` seconds",
}
"""Status of an error -> its description."""

_EXAMPLES: Final = {"example", "value"}
"""Members of a document that hold data, not sentences."""
_REQUEST_ID: Final = "8d7cf6a4-2c0e-4a55-9d5f-0f6a3f2f4b11"


def translated(part: Any, language: Language) -> Any:
    """Return a part of a document with its summaries and descriptions in a language; examples stay as they are."""
    if language == "en":
        return part
    if isinstance(part, list):
        return [translated(item, language) for item in part]
    if not isinstance(part, dict):
        return part
    return {key: _translated(key, value, language) for key, value in part.items()}


def _translated(key: str, value: Any, language: Language) -> Any:
    if _is_sentence(key, value):
        return company_fields.SPANISH.get(value) or translate(value, language)
    if key == "properties":  # its keys are names of members, even one called `description`
        return {name: translated(schema, language) for name, schema in value.items()}
    return value if key in _EXAMPLES else translated(value, language)


def sentences(part: Any) -> Iterator[str]:
    """Yield the summaries and descriptions of an English document that the catalogue translates."""
    if isinstance(part, list):
        for item in part:
            yield from sentences(item)
    elif isinstance(part, dict):
        for key, value in part.items():
            if _is_sentence(key, value):
                yield from () if value in company_fields.SPANISH else (value,)
            elif key == "properties":
                yield from sentences(list(value.values()))
            elif key not in _EXAMPLES:
                yield from sentences(value)


def _is_sentence(key: str, value: Any) -> bool:
    return key in {"summary", "description"} and isinstance(value, str)


def refusal(errors: Sequence[PadronError], status: int, fields: Json, language: Language) -> Json:
    """Return the response of one status: its description, its headers, and an example of each error that has it.

    Args:
        errors: Errors of the operation, of any status.
    """
    examples = {
        error.code: {"value": msgspec.json.decode(problems.body(error, language, _REQUEST_ID))}
        for error in errors
        if problems.status(error) == status
    }
    schema = {"$ref": "#/components/schemas/Problem"}
    content = {problems.MEDIA_TYPE: {"schema": schema, "examples": examples}}
    return {"description": REASONS[status], "headers": fields, "content": content}


def with_countries(schemas: dict[str, Json], codes: Sequence[str]) -> dict[str, Json]:
    """Copy schemas with the format of `model.CountryCode` replaced by the codes of the registry."""
    return {name: _with_countries(schema, list(codes)) for name, schema in schemas.items()}


def _with_countries(schema: Any, codes: list[str]) -> Any:
    if isinstance(schema, list):
        return [_with_countries(item, codes) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("format") == "country":
        others = {key: value for key, value in schema.items() if key not in {"type", "format"}}
        return {**others, "enum": codes}
    return {key: _with_countries(value, codes) for key, value in schema.items()}
