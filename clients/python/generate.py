"""Writes `src/padron_client/types.py` from the two OpenAPI documents that a service serves.

    python generate.py http://127.0.0.1:8000

Not a general generator: it knows the few words of JSON Schema that these documents use and stops at any other. What the
general ones make of them cannot be used: enumerations that refuse a value added later, dates as text, mutable objects.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import fill
from typing import Any
from urllib.request import Request, urlopen

TARGET = Path(__file__).parent / "src/padron_client/types.py"
DOCUMENTS = ("/api/v1/openapi.json", "/api/public/openapi.json")
OPERATIONS = (
    ("get", "/api/v1/search"),
    ("get", "/api/v1/entities/{country}/{identifier}"),
    ("get", "/api/v1/entities/{country}/{identifier}/financials"),
    ("get", "/api/public/empresas/stats"),
    ("post", "/api/subscriptions/checkout"),
)
"""Behind the five methods; their answers, and what these hold, are written."""

ENUMERATIONS = {
    "country": "CountryCode",
    "suggestedCountries": "CountryCode",
    "match": "IdentifierMatch",
    "kind": "NameKind",
    "scope": "StatementScope",
    "state": "Freshness",
    "NextStep.action": "NextAction",
    "NextStep.method": "NextMethod",
    "Interpretation.language": "QuestionLanguage",
}
"""Member of an answer, of one schema or of all -> name of the values it may have, where that is not its own."""

SCALARS = {
    ("string", None): "str",
    ("string", "uri"): "str",
    ("string", "uri-reference"): "str",
    ("string", "date"): "dt.date",
    ("string", "date-time"): "dt.datetime",
    ("integer", None): "int",
    ("number", None): "float",
    ("boolean", None): "bool",
    ("null", None): "None",
}

HEAD = '''"""What the service answers, as `/api/v1/openapi.json` and `/api/public/openapi.json` describe it.

Written by generate.py; a test fails when it is not what the service describes now. Names are those of the description,
members in snake_case. Members and values may be added to the service at any time: unknown members are left out; where
values are listed a text that is not in the list is let through.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct, field
'''

Json = dict[str, Any]


class Writer:
    """Collects the structs and enumerations that answers need."""

    def __init__(self, schemas: Mapping[str, Json]) -> None:
        self._schemas = schemas
        self._structs: dict[str, str] = {}
        self._enumerations: dict[str, list[str]] = {}

    def struct(self, name: str) -> None:
        """Write a schema, and before it those it refers to."""
        if name in self._structs:
            return
        schema = self._schemas[name]
        required = set(schema["required"])
        members = "".join(
            self._member(name, key, value, key in required) for key, value in schema["properties"].items()
        )
        base = 'Struct, frozen=True, kw_only=True, rename="camel"'
        text = _docstring(schema["description"], 4)
        self._structs[name] = f"class {name}({base}):\n{text}\n{members}"

    def _member(self, owner: str, key: str, schema: Json, required: bool) -> str:
        attribute = re.sub(r"(?<!^)(?=[A-Z])", "_", key).lower().replace("-", "_")
        hint, default = self._hint(owner, key, schema), ""
        if not required:
            hint = hint if hint.endswith("| None") else f"{hint} | None"
            default = f' = field(default=None, name="{key}")' if "-" in key else " = None"
        description = next(self._descriptions(schema), None)
        if description is None:
            raise ValueError(f"{owner}.{key} has no description: give it one where it is declared")
        return f"    {attribute}: {hint}{default}\n{_docstring(description, 4)}"

    def _hint(self, owner: str, key: str, schema: Json) -> str:
        match schema:
            case {"anyOf": options}:
                return " | ".join(self._hint(owner, key, option) for option in options)
            case {"$ref": reference}:
                name = reference.rpartition("/")[2]
                self.struct(name)
                return str(name)
            case {"enum": values}:
                name = ENUMERATIONS.get(f"{owner}.{key}") or ENUMERATIONS.get(key, key[0].upper() + key[1:])
                if name in self._schemas or self._enumerations.setdefault(name, sorted(values)) != sorted(values):
                    raise ValueError(f"{key}: {name} is something else already: give its values a name above")
                return name
            case {"type": "array", "items": items}:
                return f"list[{self._hint(owner, key, items)}]"
            case {"type": "object", "additionalProperties": values}:
                return f"dict[str, {self._hint(owner, key, values)}]"
            case {"type": kind}:
                return SCALARS[kind, schema.get("format")]
            case _:
                raise ValueError(f"{key}: nothing is known of {schema}")

    def _descriptions(self, schema: Json) -> Iterator[str]:
        """Of a member: its own, then that of what it is or holds."""
        if "description" in schema:
            yield schema["description"]
        for inner in (*schema.get("anyOf", ()), *filter(None, [schema.get("items")])):
            yield from self._descriptions(inner)
        if "$ref" in schema:
            yield self._schemas[schema["$ref"].rpartition("/")[2]]["description"]

    def text(self) -> str:
        """The whole module."""
        checked, running = "if TYPE_CHECKING:\n", "else:\n"
        for name, values in self._enumerations.items():
            listed = ", ".join(f'"{value}"' for value in values)
            line = f"    {name}: TypeAlias = Literal[{listed}] | str\n"
            if len(line) > 120:
                lines = "".join(f'            "{value}",\n' for value in values)
                line = f"    {name}: TypeAlias = (\n        Literal[\n{lines}        ]\n        | str\n    )\n"
            checked += line
            running += f"    {name} = str\n"
        return "\n\n".join([f"{HEAD}\n{checked}{running}", *self._structs.values()])


def _docstring(text: str, indent: int) -> str:
    pad = " " * indent
    return fill(f'"""{text}"""', 120, initial_indent=pad, subsequent_indent=pad, break_long_words=False) + "\n"


def module(documents: list[Json]) -> str:
    """The text of types.py for the documents of `DOCUMENTS`; the first rules where both describe a thing."""
    paths: Json = {}
    schemas: Json = {}
    for document in reversed(documents):
        paths |= document["paths"]
        schemas |= document["components"]["schemas"]
    writer = Writer(schemas)
    for method, path in OPERATIONS:
        answers = paths[path][method]["responses"]
        success = next(answers[status] for status in ("200", "201") if status in answers)
        writer.struct(success["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2])
    writer.struct("Problem")
    return writer.text()


def described(base_url: str) -> list[Json]:
    """The documents of `DOCUMENTS` as a service serves them, in English: the code that is written is."""
    documents = []
    for path in DOCUMENTS:
        asked = Request(base_url.rstrip("/") + path, headers={"Accept-Language": "en"})  # noqa: S310
        with urlopen(asked) as answer:  # noqa: S310
            documents.append(json.load(answer))
    return documents


def main(base_url: str) -> None:
    """Write the module."""
    TARGET.write_text(module(described(base_url)), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
