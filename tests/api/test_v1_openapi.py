"""The descriptions of v1 and of accounts: valid, complete, and what a service over real HTTP answers (schemathesis)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import jsonschema_rs
import pytest
import schemathesis
from hypothesis import HealthCheck, assume, given, settings, strategies
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.core import NotSet
from schemathesis.core.failures import FailureGroup
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance
from starlette.routing import Route
from starlette.testclient import TestClient

from account_service import PASSWORD, account_service, app_of, both, enrol, served
from full_size import of_full_size
from padron.config import load

DOCUMENTS = ("/api/v1/openapi.json", "/api/account/openapi.json")
OURS = ("/api/v1", "/api/account", "/api/subscriptions/checkout")
FEW = settings(max_examples=5, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
MANY = settings(FEW, max_examples=60)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with account_service(tmp_path_factory.mktemp("openapi")) as client:
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


def kinds(schema: dict[str, Any], member: str) -> list[str]:
    """The types that a member of a schema may have."""
    return [option["type"] for option in schema["properties"][member]["anyOf"]]


def test_generators_get_a_name_for_a_package_and_optional_members(described: dict[str, Any]) -> None:
    """They name a package after the title, and demand each member that has a default."""
    assert described["info"]["title"] in {"Padron API v1", "Padron account API"}
    members = [
        (name, member)
        for name, schema in described["components"]["schemas"].items()
        for member in schema.get("properties", {}).values()
    ]
    assert [name for name, member in members if member.get("default") == ""] == []
    if row := described["components"]["schemas"].get("ListRow"):
        assert (row.get("required", []), kinds(row, "name"), kinds(row, "identifier")) == (
            [],
            ["string", "null"],
            ["string", "integer", "null"],
        )


def test_generators_get_messages_apart_and_send_no_default_that_is_refused(described: dict[str, Any]) -> None:
    """They make a class per tag, in which messages take the place of operations, and send each default."""
    tags = {tag["name"] for tag in described["tags"]}
    used = {tag for _, _, operation in operations(described) for tag in operation["tags"]}
    sent = {tag for item in described.get("webhooks", {}).values() for tag in item["post"]["tags"]}
    assert (used & sent, used | sent) == (set(), tags)
    parameters = [each for _, _, operation in operations(described) for each in operation["parameters"]]
    assert {each["name"] for each in parameters if each["in"] == "query" and "default" in each["schema"]} <= {"limit"}


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


def test_messages_to_webhooks_are_described(client: TestClient) -> None:
    for language, summary in (("en", "The test message"), ("es", "El mensaje de prueba")):
        described = client.get(DOCUMENTS[0], headers={"accept-language": language}).json()
        assert described["webhooks"]["webhook.test"]["post"]["summary"] == summary
        assert [*described["webhooks"]] == ["companies.changed", "webhook.test"]
        for name, item in described["webhooks"].items():
            content = item["post"]["requestBody"]["content"]["application/json"]
            schema = {"components": described["components"], **content["schema"]}
            validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
            validator.validate(content["example"])
            assert content["example"]["type"] == name
            assert item["post"]["security"] == []  # no scheme of ours opens the receiver
            assert [parameter["name"] for parameter in item["post"]["parameters"]] == [
                "webhook-id",
                "webhook-timestamp",
                "webhook-signature",
            ]
            with pytest.raises(jsonschema_rs.ValidationError):
                validator.validate({**content["example"], "type": "companies.gone"})


def test_operations_of_a_key_may_refuse_a_long_address(client: TestClient) -> None:
    described = client.get(DOCUMENTS[0]).json()
    for path in ("/api/v1/search", "/api/v1/entities/{country}/{identifier}"):
        examples = described["paths"][path]["get"]["responses"]["414"]["content"]["application/problem+json"][
            "examples"
        ]
        assert examples["target-too-long"]["value"]["status"] == 414


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
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """A service of its own process: its address, the header fields of a Pro key."""
    data = tmp_path_factory.mktemp("schemathesis")
    with account_service(data) as client:
        holder = enrol(client, data)
        key = holder.key()
        url = client.post("/api/account/checkout", json={"planId": "pro"}).json()["checkoutUrl"]
        client.post(url.split("?")[0].replace("http://127.0.0.1:8000", ""), data={"move": "complete"})
    with served(data, PADRON_LIMITS__ENABLED="0") as (_, base):
        yield base, both(key)


ELSEWHERE = [ignored_auth, positive_data_acceptance]
"""Checks left out of v1: the authorisation matrix tests credentials, and what a schema cannot say (a cursor of another
question, a name that is taken) is refused all the same."""
RULES = {
    *("weak-password", "key-name-taken", "expiry-past", "bad-network", "test-key-quota", "link-key-alone"),
    "unknown-plan",
}
"""Refusals of accounts that no schema can say: a common password, a plan that this table does not have. Nor can one say
that an integer is written without a point."""


@pytest.mark.parametrize("limits", [FEW, pytest.param(MANY, marks=pytest.mark.endurance)], ids=["few", "many"])
def test_v1_answers_what_it_describes(service: tuple[str, dict[str, str]], limits: settings) -> None:
    base, headers = service
    operations = [result.ok() for result in schemathesis.openapi.from_url(base + DOCUMENTS[0]).get_all_operations()]
    assert len(operations) == 19
    for operation in operations:

        @limits
        @given(case=operation.as_strategy())
        def hold(case: schemathesis.Case) -> None:
            case.call_and_validate(base_url=base, headers=headers, excluded_checks=ELSEWHERE)

        hold()


def is_valid(described: dict[str, Any], operation: APIOperation, body: Any) -> bool:
    """Return whether a body is of the schema: to the tool `$` also stands before the last line break of a text."""
    if isinstance(body, NotSet):
        return True
    content = operation.definition.raw["requestBody"]["content"]["application/json"]
    return jsonschema_rs.is_valid({"components": described["components"], **content["schema"]}, body)


def differing(base: str, described: dict[str, Any], mode: GenerationMode) -> set[str]:
    """Ask every operation of accounts within a session; the names of those that answer otherwise than described.

    The session begins anew where an operation has ended it, and replaces the wrong ones of the tool: the authorisation
    matrix tests credentials. What nothing can be wrong of (no parameter, no body, no cookie) is not asked wrongly.
    """
    names = set()
    with httpx2.Client(base_url=base) as client:

        def session() -> str:
            if client.get("/api/account").status_code == 401:
                client.post("/api/account/session", json={"email": "ana@example.ec", "password": PASSWORD})
            return client.cookies["padron"]

        @settings(FEW, max_examples=of_full_size(8, small=3))
        @given(data=strategies.data())
        def hold(operation: APIOperation, data: strategies.DataObject) -> None:
            case = data.draw(operation.as_strategy(generation_mode=mode))
            assume(mode is GenerationMode.NEGATIVE or is_valid(described, operation, case.body))
            case.cookies = {"padron": session()}
            answer = case.call(base_url=base)
            fraction = isinstance(case.body, dict) and any(isinstance(value, float) for value in case.body.values())
            by_rule = answer.status_code == 400 and (fraction or answer.json()["code"] in RULES)
            case.validate_response(answer, excluded_checks=ELSEWHERE if by_rule else [ignored_auth])

        for result in schemathesis.openapi.from_dict(described).get_all_operations():
            operation = result.ok()
            try:
                hold(operation)
            except FailureGroup as group:
                names.add(operation.definition.raw["operationId"])
                print(operation.label, *group.exceptions, sep="\n")
            except Unsatisfiable:
                assert operation.definition.raw["operationId"] == "listPlans"
    return names


@pytest.mark.verify
@pytest.mark.endurance
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_accounts_answer_a_holder_as_described(service: tuple[str, dict[str, str]], mode: GenerationMode) -> None:
    base, _ = service
    assert differing(base, httpx2.get(base + DOCUMENTS[1]).json(), mode) == set()


@pytest.mark.verify
def test_a_description_of_accounts_that_lies_is_caught(service: tuple[str, dict[str, str]]) -> None:
    base, _ = service
    described = httpx2.get(base + DOCUMENTS[1]).json()
    lies = {path: described["paths"][path] for path in ("/api/account", "/api/account/keys", "/api/account/terms")}
    described["components"]["schemas"]["AccountShown"]["required"].append("street")
    del lies["/api/account/keys"]["post"]["responses"]["400"]
    changed = {"getAccount", "changeAccount", "createKey"}
    assert changed <= differing(base, described | {"paths": lies}, GenerationMode.POSITIVE)
