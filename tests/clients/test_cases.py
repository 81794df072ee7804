"""The service agrees with clients/cases.json: it takes what the clients send, and answers what the cases say."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx2
import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from padron.errors import messages
from padron.transport.inputs import IDENTIFIER_LENGTH, company_path
from padron.transport.problems import STATUS
from padron_client.calls import Calls
from padron_client.secret import Scrubber
from process import Server

BASE = "/api/v1"
TABLE = json.loads((Path(__file__).parents[2] / "clients/cases.json").read_text("utf-8"))
OPERATIONS = {
    "search": ("get", "/api/v1/search"),
    "entity": ("get", "/api/v1/entities/{country}/{identifier}"),
    "financials": ("get", "/api/v1/entities/{country}/{identifier}/financials"),
    "coverage": ("get", "/api/public/empresas/stats"),
    "checkout": ("post", "/api/subscriptions/checkout"),
    "usage": ("get", "/api/v1/usage"),
    "changes": ("get", "/api/v1/changes"),
    "match": ("post", "/api/v1/match"),
    "watchlists": ("get", "/api/v1/watchlists"),
    "watchlist": ("post", "/api/v1/watchlists"),
    "watchlist-content": ("get", "/api/v1/watchlists/{watchlist}"),
    "watchlist-changed": ("patch", "/api/v1/watchlists/{watchlist}"),
    "webhooks": ("get", "/api/v1/webhooks"),
    "webhook": ("patch", "/api/v1/webhooks/{webhook}"),
    "webhook-made": ("post", "/api/v1/webhooks"),
    "webhook-content": ("get", "/api/v1/webhooks/{webhook}"),
    "message": ("post", "/api/v1/webhooks/{webhook}/test"),
}
NOT_REAL = {
    "/MX/MU%C3%91850101AB1": (404, "company-not-found"),
    "/EC/1%202%252F3%3F4%235": (400, "invalid-identifier"),
    "/CO/a%21%24%27%28%29%2A%2B%2C%3B%3D%3A%40%5B%5Db": (400, "invalid-identifier"),
    "/US/A-b._~9": (400, "invalid-identifier"),
    "/B%2FR/1": (400, "unknown-country"),
}
"""Companies of the cases that there are not; the others are real."""


def requests() -> list[Any]:
    """Each request of the cases once, with the header fields that are spelt out there.

    Those of a base address with a path go to no real service.
    """
    seen: dict[str, Any] = {}
    for case in TABLE["cases"]:
        for exchange in case["exchanges"]:
            request = exchange["request"]
            if request["path"].startswith("/api/"):
                fields = {name: value for name, value in request.get("headers", {}).items() if isinstance(value, str)}
                asked = {**request, "headers": fields}
                seen.setdefault(json.dumps(asked, sort_keys=True), pytest.param(asked, id=case["name"]))
    return list(seen.values())


def send(base: str, key: str, request: Mapping[str, Any]) -> httpx2.Response:
    """The request as it stands in the cases, with `key`."""
    own = {name: value.replace("{apiKey}", key) for name, value in TABLE["headers"].items()}
    query = httpx2.QueryParams([tuple(pair) for pair in request.get("query", ())])
    url = httpx2.URL(f"{base}{request['path']}").copy_with(query=str(query).encode())
    assert url.raw_path.decode().partition("?")[0] == request["path"]
    return httpx2.request(request["method"], url, headers=own | request["headers"], json=request.get("body"))


def wanted(request: Mapping[str, Any]) -> tuple[int, str | None]:
    """Status and code that the Free plan gets for a request of the cases."""
    if "/watchlists" in request["path"] or "/webhooks" in request["path"]:
        return of_watchlists(request)
    path = request["path"].removeprefix(f"{BASE}/entities")
    if path.endswith("/financials"):
        return 403, "plan-required"
    if ["limit", "51"] in request.get("query", []):
        return 400, "limit-out-of-range"
    return NOT_REAL.get(path, (201 if request["path"].endswith("checkout") else 200, None))


def of_watchlists(request: Mapping[str, Any]) -> tuple[int, str | None]:
    """Status and code of a request about watchlists or webhooks: the account has none of those of the cases."""
    kind, _, item = request["path"].removeprefix(f"{BASE}/").partition("/")
    if not item and request["method"] == "GET":
        return 200, None
    if "%2F" in item:
        return 404, "no-such-address"
    if kind == "watchlists":
        return (404, "watchlist-not-found") if item else (201, None)
    return 404, "webhook-not-found" if item else "watchlist-not-found"


@pytest.fixture(scope="module")
def key(new_key: Callable[[str], str]) -> str:
    return new_key("cases@example.ec")


@pytest.mark.parametrize("request_", requests())
def test_the_service_takes_what_the_clients_send(request_: Mapping[str, Any], server: Server, key: str) -> None:
    answer = send(server.url, key, request_)
    body = answer.json()
    assert (answer.status_code, body.get("code")) == wanted(request_)
    query = dict(request_.get("query", ()))
    if "q" in query:
        assert body.get("q", "petrobras") == query["q"]


def test_the_key_of_the_cases_opens_nothing(server: Server) -> None:
    request = {"method": "GET", "path": f"{BASE}/entities/BR/33000167000101", "headers": {}}
    answer = send(server.url, TABLE["apiKey"], request)
    assert (answer.status_code, answer.json()["code"]) == (401, "key-malformed")


@pytest.fixture(scope="module")
def described(server: Server) -> Callable[[str], jsonschema_rs.Validator]:
    """Schema by which the service describes an answer of the cases: exactly its members."""
    v1, public = (httpx2.get(f"{server.url}/api/{name}/openapi.json").json() for name in ("v1", "public"))
    paths = public["paths"] | v1["paths"]
    components = public["components"]["schemas"] | v1["components"]["schemas"]
    for schema in components.values():
        schema["additionalProperties"] = False

    def validator(name: str) -> jsonschema_rs.Validator:
        schema = {"$ref": "#/components/schemas/Problem"}
        if not name.startswith("problem-"):
            method, path = OPERATIONS[name]
            success = min(paths[path][method]["responses"].items())[1]
            schema = success["content"]["application/json"]["schema"]
        return jsonschema_rs.validator_for({**schema, "components": {"schemas": components}})

    return validator


@pytest.mark.parametrize("name", TABLE["answers"])
def test_the_answers_of_the_cases_are_those_of_the_service(
    name: str, described: Callable[[str], jsonschema_rs.Validator]
) -> None:
    answer, validator = TABLE["answers"][name], described(name)
    validator.validate(answer)
    if name.startswith("problem-"):
        code = answer["code"]
        assert (STATUS[code], messages.title(code, "en")) == (answer["status"], answer["title"])
    needed = (
        "q",
        "entity",
        "total",
        "code",
        "planId",
        "plan",
        "more",
        "matches",
        "id",
        "watchlist",
        "watchlists",
        "webhook",
        "webhooks",
    )
    missing = {member: value for member, value in answer.items() if member not in needed}
    for wrong in (missing, answer | {"took": 3}):
        assert not validator.is_valid(wrong)


_plain = st.characters(exclude_categories=["Cs", "Cc"])


@given(
    st.sampled_from(["EC", "MX", "US", "BR", "CO", "AR"]),
    st.text(_plain, min_size=1, max_size=IDENTIFIER_LENGTH).filter(lambda text: text not in {".", ".."}),
)
def test_the_service_reads_the_identifier_that_was_meant(country: str, identifier: str) -> None:
    url = Calls("http://h", 0, None, None, Scrubber("")).get(country, identifier).request.url
    raw_path = httpx2.URL(url).raw_path
    assert company_path(raw_path, f"{BASE}/entities") == (country, identifier)
