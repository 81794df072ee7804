"""Answers of v1: search with filters and pages, entities, statements, usage, limits; and every bad input refused."""

from __future__ import annotations

import asyncio
import csv
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import httpx2
import pytest
from argon2 import PasswordHasher
from msgspec.structs import replace
from starlette.testclient import TestClient

import padron.api.account
from account_service import DetailedDirectory, Holder, account_service, both, enrol
from padron.accounts import admin, passwords
from padron.accounts.keys import GrantCache, mint
from padron.api.financials import COLUMNS
from padron.companies.model import Statement
from padron.threads import ACCOUNTS
from padron.transport.auth import FAILED
from padron.words import Language
from waiting import PATIENCE

SEARCH, ENTITY = "/api/v1/search", "/api/v1/entities/BR/33000167000101"


@pytest.fixture(scope="module")
def holder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Holder]:
    """A holder on Pro."""
    data = tmp_path_factory.mktemp("v1")
    with pytest.MonkeyPatch.context() as patch, account_service(data) as client:
        patch.setattr(padron.api.account, "FLOOR", 0.0)
        patch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
        holder = enrol(client, data)
        admin.set_plan(holder.services.store, holder.services.plans, "ana@example.ec", "pro")
        yield holder


@pytest.fixture(scope="module")
def headers(holder: Holder) -> dict[str, str]:
    return both(holder.key())


@pytest.fixture
def client(holder: Holder) -> TestClient:
    return holder.client


def test_an_entity_in_full(client: TestClient, headers: dict[str, str]) -> None:
    response = client.get(ENTITY, headers=headers | {"accept-language": "en"})
    entity = response.json()["entity"]
    public = client.get("/api/public/empresas/BR/33000167000101", headers={"accept-language": "en"}).json()["entity"]
    assert {name: entity[name] for name in public} == public
    assert entity["officialStatus"] == "ACTIVA"
    assert entity["legalForm"]["code"] == "sa"
    assert entity["names"] == [{"kind": "former", "name": "ANTES S.A.", "since": "1990-01-01", "until": "2001-12-31"}]
    assert (entity["region"], entity["incorporatedOn"], entity["establishments"]) == ("Pichincha", "1957-11-26", 3)
    assert entity["provenance"] == {"legalName": entity["sources"][0]["key"]}
    assert entity["links"]["financials"].endswith(f"{ENTITY}/financials")
    assert 0 < entity["completeness"] <= 1
    assert response.json()["requestedIdentifier"]["match"] == "primary"
    assert "content-location" not in response.headers


def test_conditional_requests(client: TestClient, headers: dict[str, str]) -> None:
    first = client.get(ENTITY, headers=headers)
    assert first.headers["cache-control"] == "private, no-cache"
    for held in (first.headers["etag"], "*"):
        again = client.get(ENTITY, headers=headers | {"if-none-match": held})
        assert (again.status_code, again.content) == (304, b"")
    english = client.get(ENTITY, headers=headers | {"accept-language": "en", "if-none-match": first.headers["etag"]})
    assert english.status_code == 200
    assert client.head(ENTITY, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/api/v1/entities/BR/99999999999999", 404, "company-not-found"),
        ("/api/v1/entities/BR/x", 400, "invalid-identifier"),
        ("/api/v1/entities/ZZ/1", 400, "unknown-country"),
        ("/api/v1/entities/EC/0102030405", 404, "natural-person-not-covered"),
        ("/api/v1/entities/EC/1?x=1", 400, "unknown-parameter"),
        ("/api/v1/entities/BR/99999999999999/financials", 404, "company-not-found"),
    ],
)
def test_entities_that_are_not_there(
    client: TestClient, headers: dict[str, str], path: str, status: int, code: str
) -> None:
    response = client.get(path, headers=headers)
    assert (response.status_code, response.json()["code"]) == (status, code)


def test_statements_as_json_and_csv(client: TestClient, headers: dict[str, str]) -> None:
    answer = client.get(f"{ENTITY}/financials", headers=headers)
    assert answer.headers["cache-control"] == "private, no-store"
    first, second = answer.json()["statements"]
    assert (first["fiscalYear"], first["currency"], first["unit"]) == (2023, "BRL", 1)
    figure = {"key": "revenue", "label": "Ingresos", "amount": "511994000000", "basis": "3.01", "firstReported": None}
    assert first["figures"] == [figure]
    assert (first["restated"], second["restated"]) == (False, True)
    table = client.get(f"{ENTITY}/financials", headers=headers | {"accept": "application/json;q=0.5, text/csv"})
    assert table.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(table.text)))
    assert [(row["fiscalYear"], row["measure"], row["key"], row["value"], row["currency"]) for row in rows] == [
        ("2023", "amount", "revenue", "511994000000", "BRL"),
        ("2023", "growth", "revenue", "-0.2016", ""),
        ("2022", "amount", "revenue", "641256000000", "BRL"),
    ]
    assert list(rows[0]) == list(COLUMNS)
    assert first["growth"] == [{"key": "revenue", "label": "Ingresos", "value": -0.2016}]
    assert (second["growth"], second["ratios"], answer.json()["absence"]) == ([], [], None)
    for accept in ("", "*/*", "text/csv;q=0.5, application/json", "text/html"):
        answer = client.get(f"{ENTITY}/financials", headers=headers | {"accept": accept})
        assert answer.headers["content-type"] == "application/json"


def test_no_label_of_a_statement_is_a_formula(
    client: TestClient, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    statements = DetailedDirectory.statements

    async def attacking(
        account_service: DetailedDirectory, country: str, raw: str, language: Language
    ) -> list[Statement]:
        return [
            replace(statement, figures=[replace(figure, label="=1+1") for figure in statement.figures])
            for statement in await statements(account_service, country, raw, language)
        ]

    monkeypatch.setattr(DetailedDirectory, "statements", attacking)
    table = client.get(f"{ENTITY}/financials", headers=headers | {"accept": "text/csv"})
    assert [row["label"] for row in csv.DictReader(io.StringIO(table.text))] == ["'=1+1"] * 3


@pytest.mark.parametrize(
    ("company", "reason", "words"),
    [
        ("US/320193", "none-held", "none of this company"),
        ("AR/30546689979", "not-published", "Argentina publishes no financial statements"),
        ("MX/C%C3%91%26850101AB1", "not-published", "Mexico publishes no financial statements"),
    ],
)
def test_no_statements_are_told_with_the_reason(
    client: TestClient, headers: dict[str, str], company: str, reason: str, words: str
) -> None:
    answer = client.get(f"/api/v1/entities/{company}/financials", headers=headers).json()
    assert (answer["statements"], answer["entity"]["financialsAvailable"]) == ([], False)
    assert answer["absence"]["reason"] == reason
    assert words in answer["absence"]["en"]
    assert answer["absence"]["es"] != answer["absence"]["en"]
    table = client.get(f"/api/v1/entities/{company}/financials", headers=headers | {"accept": "text/csv"})
    assert table.text.splitlines() == [",".join(COLUMNS)]


@pytest.mark.usefixtures("one_moment")
def test_only_successful_answers_count(tmp_path: Path) -> None:
    with account_service(tmp_path, PADRON_LIMITS__ENABLED="1") as client:
        holder = enrol(client, tmp_path)
        headers = both(holder.key())
        assert client.get(ENTITY, headers=headers).headers["ratelimit"].startswith('"minute";r=59;t=')
        tag = client.get(ENTITY, headers=headers).headers["etag"]
        for path, extra, status in (
            ("/api/v1/entities/BR/99999999999999", {}, 404),
            (f"{ENTITY}/financials", {}, 403),
            (f"{SEARCH}?q=a", {}, 400),
            (ENTITY, {"if-none-match": tag}, 304),
        ):
            assert client.get(path, headers=headers | extra).status_code == status
        usage = client.get("/api/v1/usage", headers=headers).json()
        assert (usage["plan"], usage["day"]["limit"], usage["day"]["remaining"]) == ("free", 1000, 998)
        assert usage["minute"]["remaining"] == 60 - 7
        holder.services.usage.flush()
        assert client.get("/api/v1/usage", headers=headers).json()["history"][0]["answers"] == 2
        policy = client.get(ENTITY, headers=headers).headers["ratelimit-policy"]
        assert policy == '"minute";q=60;w=60, "day";q=1000;w=86400'
        statuses = [client.get(ENTITY, headers=headers).status_code for _ in range(60)]
        refused = client.get(ENTITY, headers=headers)
        assert statuses[-1] == refused.status_code == 429
        assert refused.json()["code"] == "rate-limited"
        assert int(refused.headers["retry-after"]) <= 61


def test_usage_survives_a_restart(tmp_path: Path) -> None:
    with account_service(tmp_path, PADRON_LIMITS__ENABLED="1") as client:
        headers = both(enrol(client, tmp_path).key())
        assert client.get(ENTITY, headers=headers).status_code == 200
    with account_service(tmp_path, PADRON_LIMITS__ENABLED="1") as client:
        assert client.get("/api/v1/usage", headers=headers).json()["day"]["remaining"] == 999
        assert '"day";r=998' in client.get(ENTITY, headers=headers).headers["ratelimit"]


@pytest.mark.usefixtures("one_moment")
def test_wrong_credentials_are_slowed_down(tmp_path: Path) -> None:
    with account_service(tmp_path, PADRON_LIMITS__ENABLED="1") as client:
        statuses = [client.get(SEARCH, headers=both("nonsense")).status_code for _ in range(21)]
        assert statuses == [401] * 20 + [429]
        assert client.get(SEARCH).json()["code"] == "too-many-failures"


@pytest.mark.usefixtures("one_moment")
def test_unknown_keys_of_one_address_are_looked_up_a_few_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free, working, begun = Event(), 8, []
    look_up = GrantCache.look_up

    def look_up_when_free(*given: Any) -> Any:
        begun.append(given)
        free.wait(PATIENCE)
        return look_up(*given)

    monkeypatch.setattr(GrantCache, "look_up", look_up_when_free)

    with account_service(tmp_path, PADRON_LIMITS__ENABLED="1") as client:

        async def ask_at_once() -> tuple[int, Counter[int]]:
            transport = httpx2.ASGITransport(client.app)
            async with httpx2.AsyncClient(transport=transport, base_url=str(client.base_url)) as http:
                asking = [asyncio.create_task(http.get(SEARCH, headers=both(mint()))) for _ in range(60)]
                while len(begun) < working or ACCOUNTS.waiting() < FAILED.amount - working:
                    await asyncio.sleep(0)
                for _ in range(1_000):
                    await asyncio.sleep(0)
                waiting = ACCOUNTS.waiting()
                free.set()
                return waiting, Counter([(await task).status_code for task in asking])

        waiting, statuses = client.portal.call(lambda: asyncio.wait_for(ask_at_once(), PATIENCE))
    assert waiting <= FAILED.amount - working + 1, "and one of those beyond"
    assert statuses == {401: FAILED.amount, 429: 60 - FAILED.amount}
