"""Lists over HTTP: the company of each row, faults with their row, and the quota of rows."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest
from argon2 import PasswordHasher
from starlette.testclient import TestClient

import padron.api.account
from bureau import app_of, both, enrol
from padron.accounts import passwords
from padron.config import load
from padron.directory import Directory, run
from padron.lists.rows import ListRow

MATCH, BASE = "/api/v1/match", "http://127.0.0.1:8000"


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
    assert client.post(MATCH, json={"rows": [{"name": "ypf"}] * 997}).status_code == 200, "a refused list costs nothing"
    assert client.get("/api/v1/usage").json()["day"]["remaining"] == 1_000, "lists are not searches"
