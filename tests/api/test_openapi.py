"""The description served: valid OpenAPI 3.1, true to the specification and to what is really answered."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
import schemathesis
from starlette.testclient import TestClient

from padron.api.operations import public_document
from padron.transport import problems
from padron.transport.inputs import COUNTRIES

SEARCH = "/api/public/empresas/search"
COMPANY = "/api/public/empresas/{country}/{identifier}"
STATS = "/api/public/empresas/stats"


@pytest.fixture
def described(client: TestClient) -> dict[str, Any]:
    response = client.get("/api/public/openapi.json", headers={"accept-language": "en"})
    assert response.headers["content-type"] == "application/json"
    assert response.headers["content-language"] == "en"
    return response.json()


def operation(described: dict[str, Any], path: str) -> dict[str, Any]:
    return described["paths"][path]["get"]


def resolver(described: dict[str, Any], schema: dict[str, Any]) -> jsonschema_rs.Validator:
    """A validator of `schema` inside the document, formats checked."""
    return jsonschema_rs.Draft202012Validator({"components": described["components"], **schema}, validate_formats=True)


def test_it_is_valid_openapi(described: dict[str, Any]) -> None:
    assert described["openapi"] == "3.1.0"
    assert described["info"]["version"] == "1.0.0"
    schemathesis.openapi.from_dict(described).validate()
    del described["info"]["version"]
    with pytest.raises(jsonschema_rs.ValidationError):
        schemathesis.openapi.from_dict(described).validate()


def test_the_operations_are_those_of_the_specification(described: dict[str, Any]) -> None:
    assert {path: item["get"]["operationId"] for path, item in described["paths"].items()} == {
        SEARCH: "searchCompanies",
        COMPANY: "getCompanyByOfficialId",
        STATS: "getCompanyCoverage",
    }
    assert all(set(item) == {"get"} for item in described["paths"].values())


def test_what_generators_read_is_there(described: dict[str, Any]) -> None:
    assert described["info"]["title"] == "Padron API", "a package is named after it"
    assert described["info"]["license"] == {"name": "Apache License 2.0", "identifier": "Apache-2.0"}
    assert described["tags"] == [{"name": "public", "description": described["info"]["description"]}]
    for item in described["paths"].values():
        assert (item["get"]["tags"], item["get"]["security"]) == (["public"], [])


def test_every_parameter_states_its_limits(described: dict[str, Any]) -> None:
    query = {
        parameter["name"]: parameter
        for parameter in operation(described, SEARCH)["parameters"]
        if parameter["in"] == "query"
    }
    assert set(query) == {"q", "country", "limit"}
    assert query["q"]["required"]
    assert {key: query["q"]["schema"][key] for key in ("minLength", "maxLength")} == {"minLength": 2, "maxLength": 256}
    assert not query["country"]["required"]
    assert query["country"]["schema"]["enum"] == list(COUNTRIES)
    assert query["limit"]["schema"] == {"type": "integer", "minimum": 1, "maximum": 20, "default": 8}
    path = {
        parameter["name"]: parameter
        for parameter in operation(described, COMPANY)["parameters"]
        if parameter["in"] == "path"
    }
    assert set(path) == {"country", "identifier"}
    assert all(parameter["required"] for parameter in path.values())
    assert path["identifier"]["schema"]["maxLength"] == 64


@pytest.mark.parametrize(
    ("q", "valid"),
    [("ab", True), (" a b ", True), ("a ", False), ("  ", False), ("a\tb", False), ("!!", True), ("ñú", True)],
)
def test_the_pattern_of_q_says_what_is_checked(
    described: dict[str, Any], q: str, valid: bool, client: TestClient
) -> None:
    schema = next(parameter for parameter in operation(described, SEARCH)["parameters"] if parameter["name"] == "q")[
        "schema"
    ]
    assert resolver(described, schema).is_valid(q) is valid
    assert (client.get(SEARCH, params={"q": q}).status_code == 200) is valid


@pytest.mark.parametrize(
    ("path", "statuses"),
    [
        (SEARCH, {"200", "304", "400", "404", "405", "429", "500", "503"}),
        (COMPANY, {"200", "304", "400", "404", "405", "429", "500", "503"}),
        (STATS, {"200", "304", "400", "405", "429", "500", "503"}),
    ],
)
def test_every_status_is_documented_with_fields_and_examples(
    described: dict[str, Any], path: str, statuses: set[str]
) -> None:
    responses = operation(described, path)["responses"]
    assert set(responses) == statuses
    for status, response in responses.items():
        assert response["description"]
        assert {"X-Request-Id", "Access-Control-Allow-Origin"} <= set(response["headers"])
        if status == "304":
            assert "content" not in response
            continue
        (media_type,) = response["content"]
        assert media_type == ("application/json" if status == "200" else "application/problem+json")
    assert {"ETag", "Cache-Control", "RateLimit", "RateLimit-Policy"} <= set(responses["200"]["headers"])
    assert "Retry-After" in responses["429"]["headers"]
    assert "Retry-After" in responses["503"]["headers"]
    assert "Allow" in responses["405"]["headers"]


def test_every_example_is_valid(described: dict[str, Any]) -> None:
    count = 0
    for item in described["paths"].values():
        for response in item["get"]["responses"].values():
            for content in response.get("content", {}).values():
                validator = resolver(described, content["schema"])
                examples = (
                    [content["example"]]
                    if "example" in content
                    else [example["value"] for example in content["examples"].values()]
                )
                for example in examples:
                    validator.validate(example)
                    count += 1
        for parameter in item["get"]["parameters"]:
            if "example" in parameter:
                resolver(described, parameter["schema"]).validate(parameter["example"])
    assert count >= 30


def test_examples_of_errors_stand_under_their_code_and_status(described: dict[str, Any]) -> None:
    for item in described["paths"].values():
        for status, response in item["get"]["responses"].items():
            for code, example in response.get("content", {}).get(problems.MEDIA_TYPE, {}).get("examples", {}).items():
                assert example["value"]["code"] == code
                assert str(example["value"]["status"]) == status


def test_schemas_bear_the_names_and_members_of_the_specification(described: dict[str, Any]) -> None:
    schemas = described["components"]["schemas"]
    teaser, record = schemas["CompanyTeaser"], schemas["CompanyRecord"]
    assert teaser["title"] == "CompanyTeaser"
    assert set(record["properties"]) == set(teaser["properties"]) | {"source", "refreshedAt"}
    assert teaser["properties"]["canonicalUrls"] == {"$ref": "#/components/schemas/CanonicalUrls"}
    assert schemas["CanonicalUrls"]["properties"]["es"]["format"] == "uri"
    assert record["properties"]["refreshedAt"]["anyOf"][0]["format"] == "date-time"
    assert schemas["Coverage"]["properties"]["generatedAt"]["format"] == "date-time"
    assert "Teaser" not in schemas
    codes = schemas["Problem"]["properties"]["code"]["enum"]
    assert {"query-too-short", "company-not-found", "rate-limited", "not-ready", "no-such-address"} <= set(codes)
    assert set(codes) <= set(problems.STATUS)
    assert len(codes) == len(set(codes))


def test_answers_are_what_is_described(described: dict[str, Any], client: TestClient) -> None:
    for path, template in (
        (f"{SEARCH}?q=s+a", SEARCH),
        (f"{SEARCH}?q=nothing+at+all", SEARCH),
        (f"{SEARCH}?q=a", SEARCH),
        ("/api/public/empresas/MX/C%C3%91%26850101AB1", COMPANY),
        ("/api/public/empresas/EC/9", COMPANY),
        (STATS, STATS),
    ):
        response = client.get(path)
        documented = operation(described, template)["responses"][str(response.status_code)]
        content = documented["content"][response.headers["content-type"]]
        resolver(described, content["schema"]).validate(response.json())
        promised = {
            name
            for name, header in documented["headers"].items()
            if described["components"]["headers"][header["$ref"].rsplit("/", 1)[1]]["required"]
        }
        assert promised <= {name for name in promised if name in response.headers}


def test_what_is_served_is_what_is_written(client: TestClient, described: dict[str, Any]) -> None:
    assert json.loads(public_document("http://127.0.0.1:8000", "en")) == described
    spanish = client.get("/api/public/openapi.json").json()
    assert json.loads(public_document("http://127.0.0.1:8000", "es")) == spanish
