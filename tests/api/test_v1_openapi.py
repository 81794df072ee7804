"""The descriptions of v1 and of accounts: valid, complete, and what a service over real HTTP answers (schemathesis)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import jsonschema_rs
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance
from starlette.routing import Route
from starlette.testclient import TestClient

from bureau import app_of, both, bureau, enrol, served
from padron.config import load

DOCUMENTS = ("/api/v1/openapi.json", "/api/account/openapi.json")
OURS = ("/api/v1", "/api/account", "/api/subscriptions/checkout")
FEW = settings(max_examples=5, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
MANY = settings(FEW, max_examples=60)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with bureau(tmp_path_factory.mktemp("openapi")) as client:
        yield client


@pytest.fixture(params=DOCUMENTS)
def described(request: pytest.FixtureRequest, client: TestClient) -> dict[str, Any]:
    return client.get(request.param).json()


def operations(described: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in described["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def test_they_are_valid_openapi(described: dict[str, Any]) -> None:
    assert described["openapi"] == "3.1.0"
    assert described["info"]["version"] == "1.0.0"
    schemathesis.openapi.from_dict(described).validate()
    del described["info"]["version"]
    with pytest.raises(jsonschema_rs.ValidationError):
        schemathesis.openapi.from_dict(described).validate()


def test_every_example_is_valid_and_every_operation_has_one(described: dict[str, Any]) -> None:
    def check(content: dict[str, Any]) -> int:
        schema = {"components": described["components"], **content["schema"]}
        validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
        examples = [example["value"] for example in content.get("examples", {}).values()] or [content["example"]]
        for example in examples:
            validator.validate(example)
        return len(examples)

    for _, _, operation in operations(described):
        contents = [response.get("content", {}).values() for response in operation["responses"].values()]
        counted = sum(check(content) for content in contents for content in content)
        assert counted >= 5
        if "requestBody" in operation:
            assert check(operation["requestBody"]["content"]["application/json"]) == 1


def test_both_header_fields_are_required_together(client: TestClient) -> None:
    described = client.get(DOCUMENTS[0]).json()
    for _, _, operation in operations(described):
        assert operation["security"] == [{"bearer": [], "apiKey": []}]


def test_every_route_is_described(client: TestClient, tmp_path: Path) -> None:
    described_routes = {
        (method.upper(), path) for document in DOCUMENTS for path, method, _ in operations(client.get(document).json())
    }
    routed = {
        (method, route.path_format)
        for route in app_of(load({}, data=tmp_path)).routes
        if isinstance(route, Route) and route.path.startswith(OURS)
        for method in route.methods or ()
        if method != "HEAD" and not route.path.endswith("openapi.json")
    }
    assert described_routes == routed


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str], str]]:
    """A service of its own process: its address, the header fields of a Pro key, the cookie of a session."""
    data = tmp_path_factory.mktemp("schemathesis")
    with bureau(data) as client:
        holder = enrol(client, data)
        key = holder.key()
        url = client.post("/api/account/checkout", json={"planId": "pro"}).json()["checkoutUrl"]
        client.post(url.split("?")[0].replace("http://127.0.0.1:8000", ""), data={"move": "complete"})
        cookie = client.cookies["padron"]
    with served(data, PADRON_LIMITS__ENABLED="0") as (_, base):
        yield base, both(key), cookie


ELSEWHERE = [ignored_auth, positive_data_acceptance]
"""Checks left out here: the authorisation matrix tests credentials, and what a schema cannot say (a weak password, a
name that is taken, a cursor of another question) is refused all the same."""
ENDING = {"deleteAccount", "logOut", "logOutEverywhere", "changePassword"}
"""Operations that end the session the others need."""


def conform(service: tuple[str, dict[str, str], str], document: str, limits: settings) -> int:
    """Ask every operation of a description all sorts of things, and hold the answers against it."""
    base, headers, cookie = service
    described = schemathesis.openapi.from_dict(httpx2.get(base + document).json())
    count = 0
    for result in described.get_all_operations():
        operation = result.ok()
        if operation.definition.raw["operationId"] in ENDING:
            continue

        @limits
        @given(case=operation.as_strategy())
        def hold(case: schemathesis.Case) -> None:
            if document == DOCUMENTS[0]:
                case.call_and_validate(base_url=base, headers=headers, excluded_checks=ELSEWHERE)
            else:
                case.call_and_validate(base_url=base, cookies={"padron": cookie}, excluded_checks=ELSEWHERE)

        hold()
        count += 1
    return count


def test_v1_answers_what_it_describes(service) -> None:
    assert conform(service, DOCUMENTS[0], FEW) == 7


@pytest.mark.verify
@pytest.mark.parametrize("document", DOCUMENTS)
def test_at_length(service, document: str) -> None:
    assert conform(service, document, MANY) >= 5
