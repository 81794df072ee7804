"""The words of the OpenAPI descriptions: English where a thing is declared, Spanish in `openapi_words.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from padron import company_fields
from padron.errors import PadronError
from padron.model import Language
from padron.transport import problems

Json = dict[str, Any]

SPANISH: Final[Mapping[str, str]] = {
    **tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")),
    **company_fields.SPANISH,
}
"""English sentence -> the same in Spanish; those about the fields of a company stand in the table of fields."""

REASONS: Final = {
    400: "The input cannot be used; `errors` names each parameter or member",
    401: "No key or session was sent, or one that opens nothing",
    403: "Not allowed to this caller",
    404: "Not found, or not covered",
    405: "The methods understood are those of `Allow`",
    409: "It does not fit how things stand",
    413: "The body is too large",
    415: "The body is not `application/json`",
    429: "A limit is reached; `Retry-After` says how long to wait",
    500: "A fault of the service",
    503: "Something that the answer needs is not there; `Retry-After` says when to ask again",
}
"""Status of an error -> what it means."""

_REQUEST_ID: Final = "8d7cf6a4-2c0e-4a55-9d5f-0f6a3f2f4b11"


def spoken(part: Any, language: Language) -> Any:
    """A part of a description with its summaries and descriptions in a language; what is an example stays.

    Raises `KeyError` for a sentence that has no Spanish.
    """
    if language == "en":
        return part
    if isinstance(part, list):
        return [spoken(one, language) for one in part]
    if not isinstance(part, dict):
        return part
    told: Json = {}
    for key, value in part.items():
        if key in {"summary", "description"} and isinstance(value, str):
            told[key] = SPANISH[value]
        elif key == "properties":  # its keys are names of members, whatever they say
            told[key] = {name: spoken(schema, language) for name, schema in value.items()}
        else:
            told[key] = value if key in {"example", "value"} else spoken(value, language)
    return told


def refusal(errors: Sequence[PadronError], status: int, fields: Json, language: Language) -> Json:
    """The response of one status: what it means, its header `fields`, and the problem document of each error it has."""
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
