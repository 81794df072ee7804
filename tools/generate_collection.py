"""Write `clients/padron.postman_collection.json`: the public operations and those of v1, for Postman and Bruno.

    make generate

Derived from the OpenAPI descriptions, in English; `tests/clients/test_collection.py` fails while the file is another.
Address and key are variables of the collection: the file holds no key.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from padron.api.operations import public_document, v1_document

TARGET: Final = Path(__file__).parents[1] / "clients/padron.postman_collection.json"
SCHEMA: Final = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"

_ADDRESS: Final = "{{baseUrl}}"
_KEY: Final = [{"key": "Authorization", "value": "Bearer {{key}}"}, {"key": "apiKey", "value": "{{key}}"}]
_LEFT_OUT: Final = frozenset({"If-None-Match"})
"""Header fields that these programs send by themselves."""
_STATED: Final = {"q": "petrobras"}
"""Values of parameters that are required and have no example."""

Json = dict[str, Any]


def collection() -> str:
    """Return the collection as JSON."""
    folders = []
    for document in (public_document(_ADDRESS, "en"), v1_document(_ADDRESS, "en")):
        described = json.loads(document)
        requests = [
            _request(path, method, operation)
            for path, item in described["paths"].items()
            for method, operation in item.items()
        ]
        info = described["info"]
        folders.append({"name": info["title"], "description": info["description"], "item": requests})
    variables = [{"key": "baseUrl", "value": "http://127.0.0.1:8000"}, {"key": "key", "value": "", "type": "secret"}]
    whole = {"info": {"name": "Padrón", "schema": SCHEMA}, "item": folders, "variable": variables}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _request(path: str, method: str, operation: Json) -> Json:
    """Return a request; parameters that may be left out are there, switched off."""
    placed: dict[str, list[Json]] = {"path": [], "query": [], "header": []}
    for parameter in operation["parameters"]:
        if parameter["name"] not in _LEFT_OUT:
            placed[parameter["in"]].append(_value(parameter))
    fields = placed["header"] + (_KEY if operation["security"] else [])
    request: Json = {"method": method.upper(), "url": _url(path, placed), "header": fields}
    if body := operation.get("requestBody"):
        example = body["content"]["application/json"]["example"]
        request["header"] = [*fields, {"key": "Content-Type", "value": "application/json"}]
        request["body"] = {"mode": "raw", "raw": json.dumps(example, indent=1, ensure_ascii=False)}
    return {"name": operation["summary"], "request": request}


def _value(parameter: Json) -> Json:
    name, schema = parameter["name"], parameter["schema"]
    value = parameter.get("example", schema.get("default", _STATED.get(name, "")))
    off = {} if parameter["required"] else {"disabled": True}
    return {"key": name, "value": str(value), "description": parameter["description"], **off}


def _url(path: str, placed: Mapping[str, list[Json]]) -> Json:
    """Return an address with its variables, `/api/{country}` as `/api/:country`."""
    parts = [f":{part[1:-1]}" if part.startswith("{") else part for part in path.strip("/").split("/")]
    given = [f"{query['key']}={query['value']}" for query in placed["query"] if "disabled" not in query]
    raw = f"{_ADDRESS}/{'/'.join(parts)}" + (f"?{'&'.join(given)}" if given else "")
    url: Json = {"raw": raw, "host": [_ADDRESS], "path": parts}
    if placed["path"]:
        url["variable"] = placed["path"]
    if placed["query"]:
        url["query"] = placed["query"]
    return url


def main() -> None:
    """Write the file."""
    TARGET.write_text(collection(), encoding="utf-8")


if __name__ == "__main__":
    main()
