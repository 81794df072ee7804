"""Lists over HTTP: the company of each row, faults with their row, and the quota of rows."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from argon2 import PasswordHasher
from starlette.testclient import TestClient

import padron.api.account
from account_service import app_of, both, enrol
from padron.accounts import passwords
from padron.accounts.store import Store
from padron.accounts.usage import Usage
from padron.api import v1_match
from padron.api.v1_match_stream import ListStream
from padron.config import load
from padron.directory import Directory, run
from padron.lists.rows import ListRow, RowMatch
from padron.mcp import calls
from padron.mcp.endpoint import HttpCaller
from padron.mcp.model import MatchArguments
from padron.transport.auth import KeyAuthenticator
from padron.transport.call import Call
from waiting import PATIENCE

MATCH, BASE = "/api/v1/match", "http://127.0.0.1:8000"
JSON = {"content-type": "application/json"}


@pytest.fixture
def client(tmp_path_factory: pytest.TempPathFactory, small: Directory) -> Iterator[TestClient]:
    """A service over the small directory that counts; its caller is on Free, reads English and holds a key."""
    data = tmp_path_factory.mktemp("match")
    settings = load({"PADRON_LIMITS__ENABLED": "1", "PADRON_BASE_URL": BASE}, data=data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(padron.api.account, "FLOOR", 0.0)
        patch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
        with TestClient(app_of(settings, small), base_url=BASE) as client:
            client.headers.update(both(enrol(client, data).key()) | {"accept-language": "en"})
            yield client


def test_lists(client: TestClient, small: Directory, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [ListRow(name="Ecopetrol"), ListRow(name="Favorita", identifier="1790016919001"), ListRow(name="Ecopetrol")]
    expected = [msgspec.json.decode(msgspec.json.encode(run(small.match(row, "en")))) for row in rows]
    asked: list[ListRow] = []
    match = Directory.match
    monkeypatch.setattr(Directory, "match", lambda self, row, language: asked.append(row) or match(self, row, language))
    response = client.post(MATCH, json={"rows": msgspec.to_builtins(rows)})
    assert response.status_code == 200, response.text
    assert response.json() == {"release": "small-1", "matches": expected}
    assert asked == rows[:2], "equal rows are matched once"
    assert response.headers["cache-control"] == "no-store"
    assert response.headers.get_list("ratelimit")[-1].startswith('"rows";r=1997')

    for body, where in (
        ({"rows": [{"name": "a"}, {"name": 5}]}, "#/rows/1/name"),
        ({"rows": [{"nombre": "a"}]}, "#/rows/0"),
        ({"rows": []}, "#/rows"),
        ({"rows": [{"name": "a"}] * 1_001}, "#/rows"),
        ({"rows": [{"name": "a"}], "list": 1}, "#/list"),
        ({}, "#/rows"),
    ):
        refused = client.post(MATCH, json=body)
        assert refused.status_code == 400, body
        assert [error["pointer"] for error in refused.json()["errors"]] == [where]

    assert client.post(MATCH, json={"rows": [{"name": "ypf"}] * 1_000}).status_code == 200
    refused = client.post(MATCH, json={"rows": [{"name": "ypf"}] * 1_000})
    assert (refused.status_code, refused.json()["code"]) == (429, "rows-exceeded")
    assert refused.json()["detail"].startswith(
        "The daily quota of rows of your plan (Free) is 2000, of which 997 are left; 1000 were asked for."
    )
    assert refused.json()["left"] == 997, "so many can still be sent"
    assert client.post(MATCH, json={"rows": [{"name": "ypf"}] * 997}).status_code == 200, "a refused list costs nothing"
    usage = client.get("/api/v1/usage").json()
    assert usage["day"]["remaining"] == 1_000, "lists are not searches"
    assert (usage["rows"]["limit"], usage["rows"]["remaining"]) == (2_000, 0)


def test_an_answer_has_the_key_of_its_row(client: TestClient) -> None:
    rows = [{"id": "a-1", "name": "Ecopetrol"}, {"id": 7, "name": "Ecopetrol"}, {"id": None, "name": "YPF"}]
    answers = client.post(MATCH, json={"rows": rows}).json()["matches"]
    assert [answer.get("id") for answer in answers] == ["a-1", 7, None]
    assert ["id" in answer for answer in answers] == [True, True, False]
    lines = b"\n".join(map(msgspec.json.encode, rows))
    streamed = client.post(MATCH, content=lines, headers={"content-type": "application/x-ndjson"}).text.splitlines()
    assert [msgspec.json.decode(line) for line in streamed] == [
        {"row": number, **answer} for number, answer in enumerate(answers)
    ]
    for wrong in (1.5, ["a"], "x" * 201):
        refused = client.post(MATCH, json={"rows": [{"id": wrong, "name": "Ecopetrol"}]})
        assert [error["pointer"] for error in refused.json()["errors"]] == ["#/rows/0/id"]


def test_a_null_cell_is_absent_and_a_number_is_its_digits(client: TestClient) -> None:
    written = [
        {"name": "Favorita", "identifier": "1790016919001"},
        {"name": "Ecopetrol", "country": "CO"},
        {"identifier": "320193", "country": "US"},
    ]
    sent = [
        {"name": "Favorita", "identifier": 1790016919001, "city": None, "legalForm": None},
        {"name": "Ecopetrol", "identifier": None, "country": "CO", "formerName": None},
        {"name": None, "identifier": 320193, "country": "US", "region": None, "activity": None},
    ]
    expected = client.post(MATCH, json={"rows": written}).json()
    assert [match["verdict"] for match in expected["matches"]] == ["found"] * 3
    assert client.post(MATCH, json={"rows": sent}).json() == expected
    lines = b"\n".join(map(msgspec.json.encode, sent))
    streamed = client.post(MATCH, content=lines, headers={"content-type": "application/x-ndjson"}).text.splitlines()
    assert [msgspec.json.decode(line) for line in streamed] == [
        {"row": number, **match} for number, match in enumerate(expected["matches"])
    ]
    for cell in (b"1.5", b"true"):
        refused = client.post(MATCH, content=b'{"rows": [{"identifier": %s}]}' % cell, headers=JSON)
        assert [error["pointer"] for error in refused.json()["errors"]] == ["#/rows/0/identifier"]


@pytest.mark.parametrize(
    ("media", "body", "most"),
    [
        ("application/json", b'{"rows": [{"name": "Ecopetrol"}]}', 2),
        ("application/x-ndjson", b'{"name": "Ecopetrol"}', 16),
        ("text/csv", b"name\nEcopetrol", 16),
    ],
)
def test_of_the_lists_of_an_account_from_one_network_few_are_in_memory(
    client: TestClient, media: str, body: bytes, most: int
) -> None:
    """Hundreds of them with a byte missing hold neither memory nor the lists of the account from elsewhere."""
    given = {**client.headers, "content-type": media}
    fields = [(name.lower().encode(), value.encode()) for name, value in given.items()]
    asked: list[str] = []
    statuses: list[int] = []

    async def post(address: str, receive: Callable[[], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
        scope: dict[str, Any] = {"type": "http", "http_version": "1.1", "method": "POST", "scheme": "http"}
        scope |= {"path": MATCH, "raw_path": MATCH.encode(), "query_string": b"", "headers": fields}
        scope["client"] = (address, 1)

        async def send(message: dict[str, Any]) -> None:
            statuses.append(message.get("status", 0))

        await client.app(scope, receive, send)
        return scope

    async def receive_nothing() -> Any:
        asked.append("slow")
        await asyncio.Event().wait()

    async def visit() -> int:
        slow_ones = [asyncio.create_task(post("192.0.2.1", receive_nothing)) for _ in range(40)]
        while len(asked) < most:
            await asyncio.sleep(0)
        answered = await post("192.0.2.2", channel(body, asyncio.Event()))
        assert answered["padron.only_reads"], "it ends with its connection"
        in_memory = len(asked)
        for task in slow_ones:
            task.cancel()
        await asyncio.wait(slow_ones)
        return in_memory

    in_time = partial(asyncio.wait_for, timeout=PATIENCE)
    assert (client.portal.call(lambda: in_time(visit())), statuses[0]) == (most, 200)


class Noted:
    """A directory that notes in which round of the event loop it matches a row."""

    release = "small-1"

    def __init__(self, directory: Directory) -> None:
        self.round = 0
        self.rounds: list[int] = []
        self._directory = directory

    async def count_rounds(self) -> None:
        while True:
            await asyncio.sleep(0)
            self.round += 1

    async def match(self, row: ListRow, language: Any) -> RowMatch:
        self.rounds.append(self.round)
        return await self._directory.match(row, language)


def sent(media: bytes) -> Call:
    fields = [(b"content-type", media)]
    return Call({"type": "http", "path": MATCH, "query_string": b"", "headers": fields})


def channel(body: bytes, gone: asyncio.Event) -> Any:
    """A client that sends a body, and is there until it is gone."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop()
        await gone.wait()
        return {"type": "http.disconnect"}

    return receive


ROWS = [{"name": f"petroleo {number}"} for number in range(30)]
GRANT = SimpleNamespace(account="a", key="k", test=True)


def test_the_rows_of_all_lists_take_turns(small: Directory) -> None:
    async def visit() -> Counter[int]:
        companies, stays = Noted(small), asyncio.Event()
        authenticator = KeyAuthenticator(None, None, None, Usage(Store("sqlite://")), None, (), BASE)
        lines = b"".join(msgspec.json.encode(row) + b"\n" for row in ROWS)

        async def send(_message: dict[str, Any]) -> None:
            pass

        async def called() -> None:
            caller = HttpCaller(sent(b"application/json"), None, authenticator)
            arguments = MatchArguments(rows=[ListRow(name="zzyzx")])
            await calls.match_companies(calls.Visit(companies, caller, "en"), arguments)

        counting = asyncio.create_task(companies.count_rounds())
        lists = [channel(msgspec.json.encode({"rows": ROWS}), stays) for _ in range(4)]
        await asyncio.gather(
            *(v1_match.match(companies, authenticator, sent(b"application/json"), GRANT, receive) for receive in lists),
            *(
                ListStream(
                    companies, authenticator, sent(b"application/x-ndjson"), GRANT, channel(lines, stays)
                ).answer(send)
                for _ in range(4)
            ),
            *(called() for _ in range(20)),
        )
        counting.cancel()
        return Counter(companies.rounds)

    rounds = run(visit())
    assert (rounds.total(), max(rounds.values()) <= 2) == (8 * len(ROWS) + 20, True)
