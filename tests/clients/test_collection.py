"""The collection for Postman is the one that the descriptions give, and its requests are answered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from tools.generate_collection import TARGET, collection

from account_service import account_service
from padron.api.operations import public_document, v1_document


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with account_service(tmp_path_factory.mktemp("collection")) as client:
        yield client


def requests() -> list[dict[str, Any]]:
    return [item["request"] for folder in json.loads(collection())["item"] for item in folder["item"]]


def test_the_file_is_not_stale() -> None:
    assert TARGET.read_text("utf-8") == collection(), "make generate"


def test_every_operation_is_there_once_and_no_key() -> None:
    described = [json.loads(document) for document in (public_document("", "en"), v1_document("", "en"))]
    operations = [(m.upper(), path) for each in described for path, item in each["paths"].items() for m in item]
    shown = [(request["method"], request["url"]["raw"].partition("?")[0]) for request in requests()]
    paths = [path.replace("{", ":").replace("}", "") for _, path in operations]
    assert shown == [(method, f"{{{{baseUrl}}}}{path}") for (method, _), path in zip(operations, paths, strict=True)]
    assert "pdr_" not in collection()
    assert json.loads(collection())["variable"][1] == {"key": "key", "value": "", "type": "secret"}


def test_its_requests_are_well_formed(client: TestClient) -> None:
    """Sent as they are, without a key, each is understood: found, or refused for the key alone."""
    for request in requests():
        url = request["url"]["raw"].replace("{{baseUrl}}", "")
        for variable in request["url"].get("variable", ()):
            url = url.replace(f":{variable['key']}", variable["value"] or "x")
        fields = {field["key"]: field["value"] for field in request["header"] if "{{" not in field["value"]}
        answer = client.request(request["method"], url, headers=fields, content=request.get("body", {}).get("raw"))
        keyed = any(field["key"] == "apiKey" for field in request["header"])
        assert answer.status_code == (401 if keyed else 200), (url, answer.text)
