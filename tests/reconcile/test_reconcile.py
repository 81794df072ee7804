"""Reconciliation in both versions: answers validate against the specification's own schemas."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import jsonschema_rs
import pytest
from starlette.testclient import TestClient

from padron.config import load
from padron.directory import Directory
from padron.lookup import hints
from padron.matching.query import Reader
from padron.reconcile import entities
from padron.reconcile.entities import PROPERTIES
from padron.service.app import build_app
from padron.transport import middleware
from padron.transport.call import Call
from padron.transport.client_limits import ClientLimits
from padron.transport.turns import Turns
from small_directory import COMPANIES

SCHEMAS = Path(__file__).parent / "schemas"
SITE = "http://127.0.0.1:8000"
FAVORITA = "EC/1790016919001"


def loaded(version: str) -> dict[str, Any]:
    """The schemas of a version by name; `$schema` names no dialect that validators know."""
    schemas = {path.stem: json.loads(path.read_text("utf-8")) for path in (SCHEMAS / version).glob("*.json")}
    return {name: {k: v for k, v in schema.items() if k != "$schema"} for name, schema in schemas.items()}


def validators(version: str) -> dict[str, jsonschema_rs.Draft7Validator]:
    schemas = loaded(version)
    security = {"definitions": {"securityDefinitions": {"additionalProperties": {}}}}
    parts = [(schema["$id"], schema) for schema in schemas.values()] + [("http://swagger.io/v2/schema.json", security)]
    registry = jsonschema_rs.Registry(parts, draft=jsonschema_rs.Draft7)
    return {name: jsonschema_rs.Draft7Validator(schema, registry=registry) for name, schema in schemas.items()}


OLD, DRAFT = validators("0.2"), validators("draft")


@pytest.fixture(scope="module")
def client(small: Directory) -> Iterator[TestClient]:
    settings = load({"PADRON_LIMITS__ENABLED": "0", "PADRON_BASE_URL": SITE})
    with TestClient(build_app(settings, small), base_url=SITE, follow_redirects=False) as client:
        yield client


def valid(validator: jsonschema_rs.Draft7Validator, answer) -> Any:
    assert answer.status_code == 200, answer.text
    validator.validate(answer.json())
    return answer.json()


def post(client: TestClient, queries: object) -> dict:
    """A batch as OpenRefine sends it: a form with one field."""
    return valid(OLD["reconciliation-result-batch"], client.post("/reconcile", data={"queries": json.dumps(queries)}))


def match(client: TestClient, *queries: object) -> list[list[dict]]:
    answer = client.post("/reconcile/draft/match", json={"queries": queries})
    return [each["candidates"] for each in valid(DRAFT["reconciliation-result-batch"], answer)["results"]]


@pytest.mark.parametrize("language", ["es", "en"])
def test_manifests(client: TestClient, language: str) -> None:
    headers = {"accept-language": language}
    old = valid(OLD["manifest"], client.get("/reconcile", headers=headers))
    draft = valid(DRAFT["manifest"], client.get("/reconcile/draft", headers=headers))
    assert (old["versions"], draft["versions"]) == (["0.2"], ["1.0-draft"])
    assert draft["lang"] == language
    assert old["defaultTypes"][0]["name"] == {"es": "Empresa", "en": "Company"}[language]
    view = old["view"]["url"].removeprefix(SITE).replace("{{id}}", "EC%2F1790016919001")
    answer = client.get(view, headers=headers)
    assert answer.status_code == 303
    assert answer.headers["location"].endswith("/ec/1790016919001")


def test_the_shapes_that_openrefine_sends(client: TestClient) -> None:
    """`ReconQuery` with type, properties and limit; the bare queries by which it guesses types; data extension."""
    full = {
        "q0": {
            "query": "corporacion favorita",
            "type": "company-EC",
            "type_strict": "should",
            "properties": [{"pid": "city", "v": "Quito"}, {"pid": "country", "v": {"id": "EC", "name": "Ecuador"}}],
            "limit": 3,
        },
        "q1": {"query": "hotel plaza", "limit": 3},
    }
    answer = post(client, full)
    (best,) = answer["q0"]["result"]
    assert (best["id"], best["match"]) == (FAVORITA, True)
    assert best["score"] >= 85
    assert {feature["id"]: feature["value"] for feature in best["features"]} == {"city": True, "country": True}
    assert {each["id"] for each in answer["q1"]["result"]} == {"EC/1006", "CO/800000013"}
    assert not any(each["match"] for each in answer["q1"]["result"])
    by_get = client.get("/reconcile", params={"queries": json.dumps(full)})
    assert by_get.json() == answer
    extend = {"ids": [FAVORITA, "EC/9999"], "properties": [{"id": "country"}, {"id": "status", "settings": {}}]}
    rows = valid(
        OLD["data-extension-response"],
        client.post("/reconcile", data={"extend": json.dumps(extend)}, headers={"accept-language": "en"}),
    )
    assert rows["meta"] == [{"id": "country", "name": "Country"}, {"id": "status", "name": "Status"}]
    assert rows["rows"] == {
        FAVORITA: {"country": [{"str": "Ecuador"}], "status": [{"str": "active"}]},
        "EC/9999": {"country": [], "status": []},
    }


def test_no_company_is_of_a_type_that_is_not_covered(client: TestClient) -> None:
    types: list[object] = [
        "company-PE",
        ["company-PE", "company-CL"],
        ["company-PE", "company-EC"],
        "company",
        "Q783794",
        "company-Ecuador",
    ]
    answer = post(client, {f"q{at}": {"query": "favorita", "type": kind} for at, kind in enumerate(types)})
    ids = [[each["id"] for each in answer[f"q{at}"]["result"]] for at in range(len(types))]
    assert ids == [[], [], *[[FAVORITA]] * 4]
    condition = {"matchType": "name", "propertyValue": "favorita"}
    draft = {"queries": [{"type": kind, "conditions": [condition]} for kind in ("company-PE", "company-EC")]}
    results = client.post("/reconcile/draft/match", json=draft).json()["results"]
    assert [[each["id"] for each in result["candidates"]] for result in results] == [[], [FAVORITA]]


@pytest.mark.parametrize(
    ("name", "number", "entity", "match"),
    [
        ("Ecopetrol", "899999068-1", "CO/899999068", True),
        ("Ecopetrol", "NIT 899999068", "CO/899999068", True),
        ("Ecopetrol", "NIT 899.999.068-1", "CO/899999068", True),
        ("Ecopetrol", "899999068-3", "CO/899999068", False),
        ("Banco do Brasil", "00.000.000/0002-72", "BR/00000000000191", True),
        ("Apple", "94-2404110", "US/320193", True),
        ("Apple", "94-2404111", "US/320193", False),
    ],
)
def test_an_identifier_is_read_as_everywhere(
    client: TestClient, name: str, number: str, entity: str, match: bool
) -> None:
    query = {"query": name, "properties": [{"pid": "identifier", "v": number}]}
    first = post(client, {"q": query})["q"]["result"][0]
    assert (first["id"], first["match"]) == (entity, match)
    assert [feature["value"] for feature in first["features"]] == [match]
    assert (first["score"] > 99.9) or not match


@pytest.mark.parametrize(
    ("name", "number", "entity"),
    [
        ("Favorita", "1.790016919001E+12", FAVORITA),
        ("Favorita", "1790016919001.0", FAVORITA),
        ("Ecopetrol", "899999068.0", "CO/899999068"),
        ("", "1.790016919001E+12", FAVORITA),
    ],
)
def test_a_number_that_a_spreadsheet_damaged_is_read_as_it_was(
    client: TestClient, name: str, number: str, entity: str
) -> None:
    query = {"query": name, "properties": [{"pid": "identifier", "v": number}]}
    first = post(client, {"q": query})["q"]["result"][0]
    assert (first["id"], first["match"], first["score"]) == (entity, True, 100.0)
    assert [feature["value"] for feature in first["features"]] == [True]


@pytest.mark.parametrize("cell", ["N/A", "s/d", "#N/A", "#¡REF!"])
def test_a_sign_that_nothing_is_known_contradicts_no_company(client: TestClient, cell: str) -> None:
    for name in ("Favorita", "Ecopetrol", "Petrobras", "YPF", "Apple Inc."):
        query = {"query": name, "properties": [{"pid": "identifier", "v": cell}, {"pid": "city", "v": "N/A"}]}
        assert post(client, {"q": query})["q"]["result"] == post(client, {"q": {"query": name}})["q"]["result"]


def test_a_name_and_the_number_of_another_company_are_no_match(client: TestClient) -> None:
    query = {"query": "Almacenes Éxito", "properties": [{"pid": "identifier", "v": "899999068-1"}]}
    answer = post(client, {"q": query, "number": {**query, "query": ""}})
    candidates = [(each["id"], each["score"], each["match"]) for each in answer["q"]["result"]]
    assert candidates == [("CO/899999068", 60.0, False), ("CO/890900608", 40.0, False)]
    assert [(each["id"], each["match"]) for each in answer["number"]["result"]] == [("CO/899999068", True)]


def test_columns_that_agree_and_columns_that_conflict(client: TestClient) -> None:
    def asked(pid: str, value: object) -> list[dict]:
        query = {"query": "corporacion favorita", "properties": [{"pid": pid, "v": value}]}
        return post(client, {"q": query})["q"]["result"]

    assert asked("city", "QUITO")[0]["match"]
    assert not asked("city", ["Guayaquil", "Manta"])[0]["match"]
    assert asked("identifier", "1790016919-001")[0]["score"] > 99.9
    assert not asked("identifier", "890900608")[0]["match"]
    assert not asked("identifier", "1790016918001")[0]["match"]
    plaza = post(client, {"q": {"query": "hotel plaza", "properties": [{"pid": "country", "v": "Colombia"}]}})
    assert [(each["id"], each["match"]) for each in plaza["q"]["result"]] == [("CO/800000013", True)]


def agreements(client: TestClient, name: str, pid: str, values: Sequence[object]) -> dict[object, bool | None]:
    """The agreement of the first candidate with each value of a property, None where it is not told."""
    queries = {str(n): {"query": name, "properties": [{"pid": pid, "v": v}]} for n, v in enumerate(values)}
    answer = post(client, queries)
    features = [answer[str(n)]["result"][0]["features"] for n in range(len(values))]
    return {value: feature[0]["value"] if feature else None for value, feature in zip(values, features, strict=True)}


@pytest.mark.parametrize(
    ("name", "pid", "value", "agrees"),
    [
        ("Ecopetrol", "city", "Bogotá", True),
        ("Ecopetrol", "city", "Bogotá D.C.", True),
        ("Ecopetrol", "city", "Medellín", False),
        ("Ecopetrol", "city", "Zumbawe", False),
        ("Ecopetrol", "country", "Republica de Colombia", True),
        ("Ecopetrol", "country", "COL", True),
        ("Apple Inc.", "country", "EE.UU.", True),
        ("Apple Inc.", "country", "U.S.A.", True),
        ("Apple Inc.", "country", "Estados Unidos de América", True),
        ("Ecopetrol", "country", {"id": "Q739", "name": "Colombia"}, True),
        ("Ecopetrol", "country", {"id": "CO", "name": ""}, True),
        ("Ecopetrol", "city", {"id": "http://www.wikidata.org/entity/Q2900", "name": "Zumbawe"}, False),
    ],
)
def test_places_and_countries_are_read_as_in_lists(
    client: TestClient, name: str, pid: str, value: str | dict[str, str], agrees: bool
) -> None:
    asked = {"query": name, "properties": [{"pid": pid, "v": value}]}
    best = post(client, {"q": asked})["q"]["result"][0]
    assert [(each["id"], each["value"]) for each in best["features"]] == [(pid, agrees)]
    assert best["match"] is agrees
    conditions = [
        {"matchType": "name", "propertyValue": name},
        {"matchType": "property", "propertyId": pid, "propertyValue": value},
    ]
    assert match(client, {"conditions": conditions})[0][0]["match"] is best["match"]


def test_a_status_is_compared_in_any_words_for_it(client: TestClient) -> None:
    active = ("active", "ACTIVA", "Activo", "ativo", "ATIVA", "vigente", "en funcionamiento")
    other = ("inativa", "baixada", "cancelada", "dissolved", "EN LIQUIDACIÓN", "suspended", "in_liquidation")
    other += ("no activa", "não ativa", "not active")
    expected = {**dict.fromkeys(active, True), **dict.fromkeys(other, False), "no cancelada": True, "al día": None}
    assert agreements(client, "corporacion favorita", "status", list(expected)) == expected
    known = agreements(client, "ecopetrol", "status", ["activa"])
    assert known == {"activa": None}, "the register states none"


def test_an_activity_is_compared_by_its_code_or_the_words_of_its_label(client: TestClient) -> None:
    expected = {
        **dict.fromkeys(("G4711.01", "g471101", "G4711", "4711.01"), True),
        **dict.fromkeys(("Venta al por menor", "ventas menores", "VENTA AL POR MENOR DE ALIMENTOS"), True),
        **dict.fromkeys(("K6419", "6419.01"), False),
        **dict.fromkeys(("Supermercados", "retail", "-", "G"), None),
    }
    assert agreements(client, "corporacion favorita", "activity", list(expected)) == expected


def test_none_of_an_activity_leaves_out_those_that_say_it(client: TestClient) -> None:
    name = {"matchType": "name", "propertyValue": "corporacion favorita"}
    condition = {"matchType": "property", "propertyId": "activity", "required": True, "matchQuantifier": "none"}
    here, elsewhere = match(
        client,
        {"conditions": [name, {**condition, "propertyValue": "venta al por menor"}]},
        {"conditions": [name, {**condition, "propertyValue": "banca"}]},
    )
    assert ([each["id"] for each in here], [each["id"] for each in elsewhere]) == ([], [FAVORITA])


def test_conditions_of_the_draft(client: TestClient) -> None:
    name = {"matchType": "name", "propertyValue": "corporacion favorita"}

    def condition(value: object, quantifier: str = "any", *, required: bool = True) -> dict:
        stated = {"matchType": "property", "propertyId": "city", "propertyValue": value, "required": required}
        return {"conditions": [name, stated | {"matchQuantifier": quantifier}]}

    here, elsewhere, not_here, not_elsewhere, optional, by_id = match(
        client,
        condition("quito"),
        condition(["guayaquil"]),
        condition("quito", "none"),
        condition("guayaquil", "none"),
        condition("guayaquil", required=False),
        {"conditions": [{"matchType": "id", "propertyValue": "MX/CÑ&850101AB1"}]},
    )
    assert [[each["id"] for each in candidates] for candidates in (here, elsewhere, not_here, not_elsewhere)] == [
        [FAVORITA],
        [],
        [],
        [FAVORITA],
    ]
    assert not optional[0]["match"]
    assert (by_id[0]["id"], by_id[0]["score"], by_id[0]["match"]) == ("MX/CÑ&850101AB1", 100, True)
    extend = {"ids": [FAVORITA], "properties": [{"id": name} for name in PROPERTIES]}
    answer = valid(DRAFT["data-extension-response"], client.post("/reconcile/draft/extend", json=extend))
    values = {each["id"]: each["values"] for each in answer["rows"][0]["properties"]}
    assert values["identifier"] == [{"str": "1790016919001"}, {"str": "384"}]
    assert values["date"] == [{"date": "2024-12-31T00:00:00Z"}]


@pytest.mark.parametrize(("root", "schemas"), [("/reconcile", OLD), ("/reconcile/draft", DRAFT)])
def test_suggestions_and_proposals(client: TestClient, root: str, schemas: dict) -> None:
    def suggest(kind: str, schema: str, **parameters: object) -> list[str]:
        headers = {"accept-language": "en"}
        answer = client.get(f"{root}/suggest/{kind}", params=parameters, headers=headers)
        return [each["id"] for each in valid(schemas[f"suggest-{schema}-response"], answer)["result"]]

    assert suggest("entity", "entities", prefix="corporacion fav") == [FAVORITA]
    assert suggest("entity", "entities", prefix=FAVORITA)[0] == FAVORITA
    assert suggest("entity", "entities", prefix="x") == []
    assert suggest("property", "properties", prefix="mun") == ["city"]
    assert suggest("property", "properties", prefix="", limit=2) == ["country", "identifier"]
    assert suggest("property", "properties", prefix="", limit=1, cursor=1) == ["identifier"]
    assert suggest("type", "types", prefix="ecua") == ["company-EC"]
    answer = client.get(f"{root}/extend/propose", params={"type": "company", "limit": 3})
    assert len(valid(schemas["data-extension-property-proposal"], answer)["properties"]) == 3


def test_the_preview_may_be_framed_and_runs_nothing(client: TestClient) -> None:
    answer = client.get("/reconcile/preview", params={"id": FAVORITA}, headers={"accept-language": "en"})
    assert "CORPORACION FAVORITA C.A." in answer.text
    assert "https://padron.example/en/companies/ec/1790016919001" in answer.text
    assert "frame-ancestors" not in answer.headers["content-security-policy"]
    assert client.get("/reconcile/preview", params={"id": "EC/9999"}).json()["code"] == "company-not-found"


def test_pages_of_any_site_may_ask(client: TestClient) -> None:
    for path in ("/reconcile", "/reconcile/draft", "/reconcile/draft/match"):
        preflight = client.options(path, headers={"origin": "https://sheet.example"})
        assert preflight.status_code == 204
        assert preflight.headers["access-control-allow-origin"] == "*"
        assert "Content-Type" in preflight.headers["access-control-allow-headers"]
    assert client.get("/reconcile").headers["access-control-allow-origin"] == "*"
    assert "callback" not in client.get("/reconcile", params={"callback": "f"}).json()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"data": {"queries": "{"}}, "malformed-json"),
        ({"data": {"queries": "[]"}}, "invalid-field"),
        ({"data": {"queries": '{"q": {"query": "x", "limit": 0}}'}}, "invalid-field"),
        ({"data": {"queries": json.dumps({f"q{n}": {"query": "x"} for n in range(51)})}}, "invalid-field"),
        ({"data": {"extend": '{"ids": [], "properties": [{"id": "revenue"}]}'}}, "invalid-field"),
        ({"data": {"queries": '{"q": {"query": "apple"}, "q": {"query": "ecopetrol"}}'}}, "repeated-field"),
        ({"params": {"queries": "{}"}, "data": {"queries": "{}"}}, "repeated-parameter"),
        ({"data": {"queries": '{"q": {"limit": ' + "1" * 5_000 + "}}"}}, "invalid-field"),
        ({"data": {}}, "missing-field"),
        ({"content": b"x" * 300_000}, "body-too-large"),
    ],
)
def test_bad_requests_are_told(client: TestClient, body: dict, code: str) -> None:
    answer = client.post("/reconcile", **body)
    assert answer.status_code in {400, 413}
    assert answer.json()["code"] == code


@pytest.mark.parametrize(
    ("sent", "place", "expected"),
    [
        ({"queries": json.dumps({f"q{n}": {"query": "x"} for n in range(51)})}, "queries", "at most 50 elements"),
        (
            {"extend": '{"ids": [], "properties": [{"id": "city"}, {"id": "foo"}]}'},
            "properties[1].id",
            "one of country, identifier, city",
        ),
        ({"queries": '{"q": {"query": "x", "limit": 0}}'}, "queries[...].limit", "a number of at least 1"),
    ],
)
def test_a_bad_request_comes_with_its_bound(client: TestClient, sent: dict, place: str, expected: str) -> None:
    problem = client.post("/reconcile", data=sent, headers={"accept-language": "en"}).json()
    assert problem["errors"][0]["parameter"] == place
    assert expected in problem["errors"][0]["detail"]
    assert "foo" not in problem["errors"][0]["detail"]


def test_bytes_that_are_no_text_are_no_request(client: TestClient) -> None:
    answer = client.post("/reconcile/draft/extend", content=b'{"ids":["\xff"],"properties":[]}')
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed-json")


def test_bodies_are_parsed_in_turns_of_their_clients(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused ones too, of which none is counted."""
    turns: list[object] = []
    take_row = ClientLimits.take_row

    async def noted(limits: ClientLimits, call: Call) -> None:
        turns.append(call)
        await take_row(limits, call)

    monkeypatch.setattr(ClientLimits, "take_row", noted)
    assert client.post("/reconcile/draft/match", content=b"{").json()["code"] == "malformed-json"
    assert client.post("/reconcile", data={"queries": "{"}).json()["code"] == "malformed-json"
    assert len(turns) == 2


@pytest.mark.usefixtures("one_moment")
def test_a_batch_counts_as_many_searches_as_it_has_queries(small: Directory) -> None:
    settings = load({"PADRON_BASE_URL": SITE})
    with TestClient(build_app(settings, small), base_url=SITE) as client:
        batch = {f"q{number}": {"query": "zz"} for number in range(40)}
        assert client.post("/reconcile", data={"queries": json.dumps(batch)}).status_code == 200
        assert client.post("/reconcile", data={"queries": json.dumps(batch)}).json()["code"] == "rate-limited"


@pytest.mark.usefixtures("one_moment")
@pytest.mark.parametrize(
    ("method", "path", "sent"),
    [
        ("POST", "/reconcile", {"data": {"queries": "{"}}),
        ("POST", "/reconcile", {"data": {"unheard": "of"}}),
        ("GET", "/reconcile?queries=%7B", {}),
        ("POST", "/reconcile/draft/match", {"content": b"{"}),
        ("POST", "/reconcile/draft/extend", {"content": b"{"}),
    ],
)
def test_a_request_that_is_refused_counts_as_a_search(
    small: Directory, method: str, path: str, sent: dict[str, Any]
) -> None:
    with TestClient(build_app(load({"PADRON_BASE_URL": SITE}), small), base_url=SITE) as client:
        answers = [client.request(method, path, **sent) for _ in range(61)]
        assert [answer.status_code for answer in answers] == [400] * 60 + [429]
        assert client.get("/reconcile").status_code == 200


@pytest.mark.usefixtures("one_moment")
def test_a_batch_states_what_is_left_once(small: Directory) -> None:
    with TestClient(build_app(load({"PADRON_BASE_URL": SITE}), small), base_url=SITE) as client:
        batch = {f"q{number}": {"query": "zz"} for number in range(10)}
        answer = client.post("/reconcile", data={"queries": json.dumps(batch)})
        left = [field.rpartition(";")[0] for field in answer.headers.get_list("ratelimit")]
        assert left == ['"public";r=50']
        assert len(answer.headers.get_list("ratelimit-policy")) == 1


LONG = "x" * 1_000


def cell(**more: object) -> dict:
    return {"data": {"queries": json.dumps({"q": {"query": "corporacion favorita", **more}})}}


def conditions(*given: object, **more: object) -> dict:
    named = {"matchType": "name", "propertyValue": "corporacion favorita"}
    return {"json": {"queries": [{"conditions": [named, *given], **more}]}}


def stated(value: object, name: str = "city") -> dict:
    return {"matchType": "property", "propertyId": name, "propertyValue": value}


FULL = [
    ("/reconcile", cell(query=LONG, type=[LONG] * 10, properties=[{"pid": "city", "v": [LONG] * 10}] * 10)),
    ("/reconcile/draft/match", conditions(*[stated([LONG] * 10)] * 9, type=LONG)),
    ("/reconcile/draft/extend", {"json": {"ids": [LONG] * 100, "properties": [{"id": "city"}] * len(PROPERTIES)}}),
]
"""Requests with as much as they may hold."""
TOO_MUCH = [
    ("/reconcile", cell(type=["company"] * 11), "queries[...].type"),
    ("/reconcile", cell(type=f"{LONG}x"), "queries[...].type"),
    ("/reconcile", cell(properties=[{"pid": "city", "v": "Quito"}] * 11), "queries[...].properties"),
    ("/reconcile", cell(properties=[{"pid": "identifier", "v": [1] * 11}]), "queries[...].properties[0].v"),
    ("/reconcile", cell(properties=[{"pid": "city", "v": {"id": f"{LONG}x"}}]), "queries[...].properties[0].v.id"),
    ("/reconcile", {"data": {"queries": json.dumps({f"{LONG}x": {"query": "x"}})}}, "queries"),
    ("/reconcile/draft/match", conditions(*[stated("Quito")] * 10), "queries[0].conditions"),
    ("/reconcile/draft/match", conditions(stated([1] * 11, "identifier")), "queries[0].conditions[1].propertyValue"),
    ("/reconcile/draft/match", conditions(stated("", f"{LONG}x")), "queries[0].conditions[1].propertyId"),
    ("/reconcile/draft/match", conditions(type=f"{LONG}x"), "queries[0].type"),
    ("/reconcile/draft/extend", {"json": {"ids": [f"{LONG}x"], "properties": []}}, "ids[0]"),
    ("/reconcile/draft/extend", {"json": {"ids": [""] * 101, "properties": []}}, "ids"),
    ("/reconcile/draft/extend", {"json": {"ids": [], "properties": [{"id": "city"}] * 13}}, "properties"),
    ("/reconcile", {"data": {"extend": json.dumps({"ids": [], "properties": [{"id": "city"}] * 13})}}, "properties"),
]


@pytest.mark.parametrize(("path", "body"), FULL)
def test_what_a_request_may_hold(client: TestClient, path: str, body: dict) -> None:
    assert client.post(path, **body).status_code == 200


@pytest.mark.parametrize(("path", "body", "place"), TOO_MUCH)
def test_more_than_that_is_refused_with_its_place(client: TestClient, path: str, body: dict, place: str) -> None:
    answer = client.post(path, **body)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid-field")
    assert [error["parameter"] for error in answer.json()["errors"]] == [place]


def test_of_a_long_cell_the_start_is_read(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch is of several cells of somebody's sheet: one that is long must not cost the others their answers."""
    read = counted(monkeypatch, entities, "fold")
    long = {"query": LONG * 3, "properties": [{"pid": "city", "v": f"Quito {LONG}"}]}
    batch = {"long": long, "right": {"query": "corporacion favorita"}}
    answer = client.post("/reconcile", data={"queries": json.dumps(batch)}).json()
    assert [candidate["id"] for candidate in answer["right"]["result"]][:1] == ["EC/1790016919001"]
    assert max(len(str(text)) for text in read) <= 1_000


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[object]:
    """The first argument of every call of a function from now on."""
    calls: list[object] = []
    function: Callable[..., object] = getattr(owner, name)

    def noted(*given: Any, **more: Any) -> object:
        calls.append(given[0])
        return function(*given, **more)

    monkeypatch.setattr(owner, name, noted)
    return calls


def test_a_number_is_read_once_for_all_candidates(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = counted(monkeypatch, Reader, "read")
    query = {"query": "hotel plaza"}
    assert len(post(client, {"q": query})["q"]["result"]) == 2
    alone = len(reads)
    post(client, {"q": {**query, "properties": [{"pid": "identifier", "v": list(range(101, 111))}]}})
    assert len(reads) == alone + alone + 10


@pytest.mark.usefixtures("one_moment")
def test_no_query_is_read_before_the_quota_is_asked(small: Directory, monkeypatch: pytest.MonkeyPatch) -> None:
    types = counted(monkeypatch, entities, "country_of")
    body = {"json": {"queries": 40 * conditions(type="company-EC")["json"]["queries"]}}
    with TestClient(build_app(load({"PADRON_BASE_URL": SITE}), small), base_url=SITE) as client:
        answers = [client.post("/reconcile/draft/match", **body).status_code for _ in range(2)]
        more = client.post("/reconcile/draft/match", json={"queries": 51 * body["json"]["queries"][:1]})
    assert (answers, more.json()["code"]) == ([200, 429], "invalid-field")
    assert len(types) == 80, "two of each query: whether its type is covered, and of which country"


def test_of_a_company_that_is_not_there_only_that_is_looked_up(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = counted(monkeypatch, hints, "not_in")
    assert client.get("/reconcile/preview", params={"id": "EC/9999"}).status_code == 404
    assert len(asked) == 1
    extend = {"ids": ["EC/9999", "EC/", "x", "EC/0102030405"], "properties": [{"id": "city"}]}
    rows = client.post("/reconcile/draft/extend", json=extend).json()["rows"]
    assert rows == [{"id": each, "properties": [{"id": "city", "values": []}]} for each in extend["ids"]]
    assert len(asked) == 1


def turns(small: Directory, path: str, body: object) -> int:
    """Count how often others have their turn while a request is answered."""

    async def of_others() -> int:
        app = build_app(load({"PADRON_LIMITS__ENABLED": "0", "PADRON_BASE_URL": SITE}), small)
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=SITE) as http:
            answer, count = asyncio.ensure_future(http.post(path, json=body)), 0
            while not answer.done():
                count += 1
                await asyncio.sleep(0)
        assert answer.result().status_code == 200
        return count

    return asyncio.run(of_others())


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/reconcile/draft/match", lambda count: {"queries": count * conditions()["json"]["queries"]}),
        ("/reconcile/draft/match", lambda count: conditions(*count * [stated("Quito")])["json"]),
        ("/reconcile/draft/extend", lambda count: {"ids": count * [FAVORITA], "properties": [{"id": "city"}]}),
    ],
)
def test_others_have_their_turn_between_the_parts_of_a_request(
    small: Directory, monkeypatch: pytest.MonkeyPatch, path: str, body: Callable[[int], object]
) -> None:
    monkeypatch.setattr(middleware, "Turns", partial(Turns, 1))
    assert turns(small, path, body(9)) >= turns(small, path, body(1)) + 8


def test_the_queries_of_all_batches_take_turns(small: Directory, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: list[int] = []
    number, look = 0, Directory.look

    async def count_rounds() -> None:
        nonlocal number
        while True:
            await asyncio.sleep(0)
            number += 1

    def noted(directory: Directory, text: str, **more: Any) -> Any:
        rounds.append(number)
        return look(directory, text, **more)

    async def visit() -> None:
        app = build_app(load({"PADRON_LIMITS__ENABLED": "0", "PADRON_BASE_URL": SITE}), small)
        counting = asyncio.create_task(count_rounds())
        body = {"queries": 20 * conditions()["json"]["queries"]}
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=SITE) as http:
            batches = (http.post("/reconcile/draft/match", json=body) for _ in range(6))
            assert [answer.status_code for answer in await asyncio.gather(*batches)] == [200] * 6
        counting.cancel()

    monkeypatch.setattr(Directory, "look", noted)
    asyncio.run(visit())
    assert (len(rounds), max(Counter(rounds).values())) == (120, 1)


TEXTS = (
    *(company.legal_name for company in COMPANIES), *(company.identifier for company in COMPANIES),
    "", " ", "x", "!!", "\n\t", "petrobras ltda", "0102030405", "ñ" * 400, "\u202eabc", "EC/", "EC/1001", "ZZ/1",
)  # fmt: skip
VALUES = ("Quito", "EC", "Ecuador", "", 7, 1.5, True, {"id": FAVORITA}, ["Quito", "Lima"], [], [{"id": "CO"}, 3])


def generated(seed: int) -> tuple[dict, dict]:
    """The same query in both versions."""
    chance = random.Random(seed)
    text, kind, limit = chance.choice(TEXTS), chance.choice(("company", "company-CO", "Q5")), chance.randint(1, 30)
    stated = [(chance.choice([*PROPERTIES, "unknown"]), chance.choice(VALUES)) for _ in range(chance.randint(0, 3))]
    old = {"query": text, "type": kind, "limit": limit, "properties": [{"pid": p, "v": v} for p, v in stated]}
    draft = {
        "type": kind,
        "limit": limit,
        "conditions": [
            {"matchType": "name", "propertyValue": text},
            *({"matchType": "property", "propertyId": p, "propertyValue": v} for p, v in stated),
        ],
    }
    return old, draft


def compared(client: TestClient, seeds: range) -> None:
    """Send generated queries in both versions; the answers validate and are the same."""
    pairs = [generated(seed) for seed in seeds]
    OLD["reconciliation-query-batch"].validate({f"q{n}": old for n, (old, _) in enumerate(pairs) if old["query"]})
    old = post(client, {f"q{number}": old for number, (old, _) in enumerate(pairs)})
    drafts = match(client, *(draft for _, draft in pairs))
    assert [answer["result"] for answer in old.values()] == drafts
    for candidates in drafts:
        scores = [candidate["score"] for candidate in candidates]
        assert scores == sorted(scores, reverse=True)
        assert all(0 < score <= 100 for score in scores)
        assert sum(candidate["match"] for candidate in candidates) <= 1


def test_generated_queries_validate_and_both_versions_agree(client: TestClient) -> None:
    for start in range(0, 100, 25):
        compared(client, range(start, start + 25))


@pytest.mark.endurance
def test_a_thousand_generated_queries_validate(client: TestClient) -> None:
    for start in range(100, 1100, 50):
        compared(client, range(start, start + 50))


def test_a_wrong_answer_fails_the_schemas() -> None:
    assert not OLD["reconciliation-result-batch"].is_valid({"q0": {"result": [{"name": "no id"}]}})
    assert not DRAFT["reconciliation-result-batch"].is_valid({"results": [{"candidates": [{"id": 7, "name": "x"}]}]})
