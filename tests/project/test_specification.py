"""The specification, statement by statement, asked of the whole service over the bundled release.

`docs/spec-coverage.md` names for every line of the specification the test that proves it, many of them here.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from starlette.testclient import TestClient

from memory_directory import service
from padron.countries import REGISTRY
from padron.directory import Directory

COUNTRIES = ["EC", "MX", "US", "BR", "CO", "AR"]
SEARCH, STATS = "/api/public/empresas/search", "/api/public/empresas/stats"
COMPANY = "/api/public/empresas/{country}/{identifier}"
QUERIES = (
    "corporacion favorita", "banco", "petrobras", "apple", "ecopetrol", "320193", "sa", "33.000.167/0001-01",
    "seguros del", "transportes", "comercial andina", "microsoft corp", "constructora", "zzzzqqqq xxyy", "!!",
    "energia", "minera",
)  # fmt: skip
"""Names, parts of names, identifiers, words of thousands of companies, and nothing at all."""
TEASER = {
    "legalName": ("string", False),
    "tradeName": ("string", True),
    "countryCode": ("enum", False),
    "scheme": ("string", False),
    "identifier": ("string", False),
    "idLabel": ("string", False),
    "confidence": ("number", True),
    "status": ("enum", True),
    "classificationCode": ("string", True),
    "classificationLabel": ("string", True),
    "financialsAvailable": ("boolean", False),
    "canonicalUrls": ("object", False),
}
"""Member -> type and whether it may be null."""


@pytest.fixture(scope="module")
def client(directory: Directory) -> Iterator[TestClient]:
    """The whole service over the release of all bundled files."""
    with service(directory) as client:  # type: ignore[arg-type]
        yield client


@pytest.fixture(scope="module")
def api(client: TestClient) -> dict[str, Any]:
    """The served description."""
    description: dict[str, Any] = client.get("/api/public/openapi.json").json()
    return description


@pytest.fixture(scope="module")
def answers(client: TestClient) -> list[dict[str, Any]]:
    """The answers to `QUERIES` without a country, and of the names within each country."""
    asked = [(q, country) for q in QUERIES for country in (None, *COUNTRIES) if country is None or not q.isdigit()]
    received = []
    for q, country in asked:
        response = client.get(SEARCH, params={"q": q} | ({"country": country} if country else {}))
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        assert (answer["q"], answer["country"]) == (q, country)
        received.append(answer)
    return received


def kind(api: dict[str, Any], schema: dict[str, Any]) -> tuple[str, bool]:
    """Type of a schema, and whether it may be null; `enum` and `object` stand for themselves."""
    if "$ref" in schema:
        return kind(api, api["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    choices = [kind(api, choice) for choice in schema.get("anyOf", [])]
    if choices:
        return next(name for name, _ in choices if name != "null"), ("null", False) in choices
    if "enum" in schema:
        return "enum", None in schema["enum"]
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return next(name for name in types if name != "null" or len(types) == 1), "null" in types[1:] or types[
        0
    ] == "null" != types[-1]


def members(api: dict[str, Any], name: str) -> dict[str, tuple[str, bool]]:
    """Members of a described object."""
    return {key: kind(api, schema) for key, schema in api["components"]["schemas"][name]["properties"].items()}


def test_country_codes(api: dict[str, Any], client: TestClient) -> None:
    assert api["components"]["schemas"]["CompanyTeaser"]["properties"]["countryCode"]["enum"] == COUNTRIES
    assert {country["countryCode"] for country in client.get(STATS).json()["countries"]} == set(COUNTRIES)


def test_the_teaser_is_described_member_by_member(api: dict[str, Any]) -> None:
    assert members(api, "CompanyTeaser") == TEASER
    schema = api["components"]["schemas"]["CompanyTeaser"]
    assert {"legalName", "countryCode", "scheme", "identifier", "financialsAvailable"} <= set(schema["required"])
    confidence = str(schema["properties"]["confidence"])
    assert "'minimum': 0" in confidence
    assert "'maximum': 1" in confidence
    urls = api["components"]["schemas"]["CanonicalUrls"]["properties"]
    assert {name: (url["type"], url["format"]) for name, url in urls.items()} == {
        "es": ("string", "uri"),
        "en": ("string", "uri"),
    }


def test_the_record_is_the_teaser_with_source_and_date(api: dict[str, Any]) -> None:
    assert members(api, "CompanyRecord") == TEASER | {"source": ("object", True), "refreshedAt": ("string", True)}
    assert members(api, "SourceRef") == {"sourceName": ("string", True), "sourceUrl": ("string", True)}
    assert "'format': 'date-time'" in str(api["components"]["schemas"]["CompanyRecord"]["properties"]["refreshedAt"])
    assert "'format': 'uri'" in str(api["components"]["schemas"]["SourceRef"]["properties"]["sourceUrl"])


def test_the_search_answer_is_described_member_by_member(api: dict[str, Any]) -> None:
    assert members(api, "Answer") == {
        "q": ("string", False),
        "country": ("enum", True),
        "bestMatch": ("object", True),
        "suggestedCountries": ("array", False),
        "matchHints": ("array", False),
        "results": ("array", False),
    }


def test_the_three_operations_and_their_inputs(api: dict[str, Any]) -> None:
    operations = {
        operation["operationId"]: (path, operation)
        for path, item in api["paths"].items()
        for operation in item.values()
    }
    assert {name: path for name, (path, _) in operations.items()} == {
        "searchCompanies": SEARCH,
        "getCompanyByOfficialId": COMPANY,
        "getCompanyCoverage": STATS,
    }
    inputs = {
        name: {
            item["name"]: (item["required"], item["schema"])
            for item in operation["parameters"]
            if item["in"] != "header"
        }
        for name, (_, operation) in operations.items()
    }
    q, country, limit = (inputs["searchCompanies"][name] for name in ("q", "country", "limit"))
    assert (q[0], q[1]["type"], q[1]["minLength"]) == (True, "string", 2)
    assert (country[0], country[1]["enum"]) == (False, COUNTRIES)
    assert (limit[0], limit[1]) == (False, {"type": "integer", "minimum": 1, "maximum": 20, "default": 8})
    assert inputs["getCompanyByOfficialId"]["country"][0] is True
    assert inputs["getCompanyByOfficialId"]["country"][1]["enum"] == COUNTRIES
    assert (inputs["getCompanyByOfficialId"]["identifier"][0], inputs["getCompanyCoverage"]) == (True, {})
    assert "404" in operations["getCompanyByOfficialId"][1]["responses"]


def test_the_description_carries_version_1(api: dict[str, Any]) -> None:
    assert api["info"]["version"] == "1.0.0"
    assert all(path.startswith("/api/public/") for path in api["paths"])


def test_best_match_is_the_first_result_from_085_on(answers: list[dict[str, Any]]) -> None:
    seen = set()
    for answer in answers:
        first = answer["results"][0] if answer["results"] else None
        sure = first is not None and first["confidence"] >= 0.85
        assert answer["bestMatch"] == (first if sure else None), answer["q"]
        seen.add(sure)
    assert seen == {True, False}


def test_results_are_ordered_and_confidence_is_a_probability(answers: list[dict[str, Any]]) -> None:
    for answer in answers:
        order = [result["confidence"] for result in answer["results"]]
        assert order == sorted(order, reverse=True), answer["q"]
        assert all(0 <= confidence <= 1 for confidence in order)
    assert any(len(answer["results"]) > 1 for answer in answers)


def test_suggested_countries_are_those_of_the_results(answers: list[dict[str, Any]]) -> None:
    for answer in answers:
        countries = list(dict.fromkeys(result["countryCode"] for result in answer["results"]))
        several = answer["country"] is None and len(countries) >= 2
        assert answer["suggestedCountries"] == (countries if several else []), answer["q"]
    assert any(len(answer["suggestedCountries"]) > 2 for answer in answers)


def test_the_country_filter_is_echoed_and_obeyed(answers: list[dict[str, Any]]) -> None:
    for answer in answers:
        if answer["country"] is not None:
            assert {result["countryCode"] for result in answer["results"]} <= {answer["country"]}
    assert {answer["country"] for answer in answers} == {None, *COUNTRIES}
    assert {answer["q"] for answer in answers} == set(QUERIES)


def test_hints_are_short_texts_and_tell_to_pass_the_country(client: TestClient, answers: list[dict[str, Any]]) -> None:
    hints = [hint for answer in answers for hint in answer["matchHints"]]
    assert all(0 < len(hint) <= 300 for hint in hints)
    spanish, english = (
        client.get(SEARCH, params={"q": "banco"}, headers={"accept-language": language}).json()["matchHints"]
        for language in ("es", "en")
    )
    assert any("país" in hint for hint in spanish)
    assert any("country" in hint for hint in english)


def test_limit_is_8_unless_said_and_at_most_20(client: TestClient) -> None:
    counts = {
        limit: len(client.get(SEARCH, params={"q": "banco"} | limit_of(limit)).json()["results"])
        for limit in (None, 1, 20)
    }
    assert counts == {None: 8, 1: 1, 20: 20}


def limit_of(limit: int | None) -> dict[str, str]:
    return {} if limit is None else {"limit": str(limit)}


@pytest.mark.parametrize(
    ("country", "identifier"), [(code, number) for code, country in REGISTRY.items() for _, number in country.examples]
)
def test_a_company_is_found_by_its_name_and_by_its_identifier(
    client: TestClient, country: str, identifier: str
) -> None:
    path = COMPANY.format(country=country, identifier=identifier)
    entity = client.get(path).json()["entity"]
    assert entity["countryCode"] == country
    by_number = client.get(SEARCH, params={"q": entity["identifier"], "country": country}).json()
    assert (by_number["bestMatch"]["identifier"], by_number["bestMatch"]["confidence"]) == (entity["identifier"], 1.0)
    by_name = client.get(SEARCH, params={"q": entity["legalName"], "country": country}).json()
    assert entity["identifier"] in [result["identifier"] for result in by_name["results"]]
    assert entity["source"]["sourceName"]
    assert datetime.fromisoformat(entity["refreshedAt"])


def test_a_company_that_does_not_exist_is_404(client: TestClient) -> None:
    response = client.get(COMPANY.format(country="US", identifier="9999999999"))
    assert (response.status_code, response.json()["code"]) == (404, "company-not-found")


def test_coverage_is_live_and_counts_every_country(client: TestClient, directory: Directory) -> None:
    stats = client.get(STATS).json()
    assert stats["release"] == directory.release
    assert stats["total"] == sum(country["companies"] for country in stats["countries"]) >= 110_000
    assert min(country["companies"] for country in stats["countries"] if country["countryCode"] in COUNTRIES) >= 2_000
    for country in stats["countries"]:
        assert sum(country["byScheme"].values()) == country["companies"]


def test_the_interface_speaks_both_languages(client: TestClient) -> None:
    texts = {}
    for language in ("es", "en"):
        headers = {"accept-language": language}
        label = client.get(COMPANY.format(country="US", identifier="320193"), headers=headers).json()["entity"][
            "idLabel"
        ]
        problem = client.get(SEARCH, headers=headers).json()["title"]
        texts[language] = (label, problem)
    assert texts["es"][1] != texts["en"][1]
    assert all(all(pair) for pair in texts.values())
