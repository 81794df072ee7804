"""The reconciliation service within the plan of an account: a key of its own kind in the path, and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from argon2 import PasswordHasher
from starlette.testclient import TestClient

import padron.api.account
from account_service import account_service, both, enrol, letters
from padron.accounts import passwords
from padron.accounts.keys import LINK_PREFIX, mint
from padron.config import load
from padron.directory import Directory
from padron.reconcile import service
from padron.service.app import build_app
from padron.transport.auth import FAILED
from waiting import until

SITE = "http://127.0.0.1:8000"
FAVORITA = "EC/1790016919001"
LIMITED = {"PADRON_LIMITS__ENABLED": "1", "PADRON_BASE_URL": SITE}
NEW_KEY = "/api/account/keys"


class Linked(NamedTuple):
    """The service, the session of an account on Free, its two keys, and where its letters are."""

    client: TestClient
    link: str
    live: str
    data: Path

    @property
    def base(self) -> str:
        return f"/reconcile/key/{self.link}"

    def usage(self) -> Any:
        return self.client.get("/api/account/usage").json()


@pytest.fixture
def linked(tmp_path: Path, small: Directory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Linked]:
    monkeypatch.setattr(padron.api.account, "FLOOR", 0.0)
    monkeypatch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
    with account_service(tmp_path, **LIMITED) as client:
        holder = enrol(client, tmp_path)
        link, live = holder.key("OpenRefine", scopes=["reconcile"]), holder.key("uno")
        session = client.cookies["padron"]
    with TestClient(build_app(load(LIMITED, data=tmp_path), small), base_url=SITE, follow_redirects=False) as client:
        client.cookies["padron"] = session
        client.headers["accept-language"] = "en"
        yield Linked(client, link, live, tmp_path)


def queries(count: int) -> dict[str, str]:
    return {"queries": json.dumps({f"q{number}": {"query": "corporacion favorita"} for number in range(count)})}


def conditions(count: int) -> dict[str, Any]:
    named = {"matchType": "name", "propertyValue": "corporacion favorita"}
    return {"queries": [{"conditions": [named]}] * count}


@pytest.mark.usefixtures("one_moment")
def test_batches_beyond_the_limit_of_an_address_are_answered_in_both_versions(linked: Linked) -> None:
    client, base = linked.client, linked.base
    assert linked.link.startswith(LINK_PREFIX)
    assert client.post("/reconcile", data=queries(50)).status_code == 200
    assert client.post("/reconcile", data=queries(50)).json()["code"] == "rate-limited"
    old = [client.post(base, data=queries(50)) for _ in range(2)]
    draft = client.post(f"{base}/draft/match", json=conditions(50))
    assert [answer.json()["q49"]["result"][0]["id"] for answer in old] == [FAVORITA] * 2
    assert draft.json()["results"][49]["candidates"][0]["id"] == FAVORITA
    assert draft.headers.get_list("ratelimit")[-1].startswith('"rows";r=1850')
    assert draft.headers["access-control-allow-origin"] == "*"
    assert draft.headers["cache-control"] == "no-store"
    assert client.get(base, params=queries(2)).status_code == 200

    usage = until(lambda: shown if (shown := linked.usage())["byKey"] else None)
    assert usage["rows"]["remaining"] == 1_848
    (line,) = usage["byKey"]
    assert (line["name"], line["operation"], line["answers"], line["rows"]) == ("OpenRefine", "reconcile", 0, 152)


def test_manifests_name_the_addresses_that_a_program_asks_with_the_key(linked: Linked) -> None:
    client, address = linked.client, f"{SITE}{linked.base}"
    old, draft = client.get(linked.base).json(), client.get(f"{linked.base}/draft").json()
    public, plain = client.get("/reconcile").json(), client.get("/reconcile/draft").json()
    assert {part["service_url"] for part in old["suggest"].values()} == {address}
    assert old["extend"]["propose_properties"]["service_url"] == address
    assert old["preview"]["url"] == f"{address}/preview?id={{{{id}}}}"
    assert (old["view"], old["identifierSpace"]) == (public["view"], public["identifierSpace"])
    assert draft == plain, "addresses of the draft are those below its own, and that of a company has no key"


def test_all_that_is_below_the_service_is_below_the_key(linked: Linked) -> None:
    client, base = linked.client, linked.base
    for root in (base, f"{base}/draft"):
        for kind, prefix in (("entity", "favorita"), ("property", "ci"), ("type", "comp")):
            assert client.get(f"{root}/suggest/{kind}", params={"prefix": prefix}).json()["result"]
        assert client.get(f"{root}/extend/propose").json()["properties"]
        preview = client.get(f"{root}/preview", params={"id": FAVORITA})
        assert "CORPORACION FAVORITA C.A." in preview.text
        assert preview.headers["referrer-policy"] == "no-referrer"
        assert linked.link not in preview.text
    view = client.get(f"{base}/view", params={"id": FAVORITA})
    assert (view.status_code, linked.link in view.headers["location"]) == (303, False)
    extend = {"ids": [FAVORITA], "properties": [{"id": "country"}]}
    assert client.post(base, data={"extend": json.dumps(extend)}).json()["rows"][FAVORITA]
    assert client.post(f"{base}/draft/extend", json=extend).json()["rows"][0]["id"] == FAVORITA
    assert client.options(base, headers={"origin": "https://sheet.example"}).status_code == 204
    assert linked.usage()["rows"]["remaining"] == 2_000, "only queries are rows"


@pytest.mark.usefixtures("one_moment")
def test_beyond_the_rows_of_the_day_a_batch_is_refused_as_beyond_the_searches_of_an_address(linked: Linked) -> None:
    client, base = linked.client, linked.base
    for _ in range(2):
        assert client.post(
            "/api/v1/match", json={"rows": [{"name": "ypf"}] * 995}, headers=both(linked.live)
        ).is_success
    refused = client.post(base, data=queries(20))
    assert (refused.status_code, refused.json()["code"], refused.json()["left"]) == (429, "rows-exceeded", 10)
    assert int(refused.headers["retry-after"]) > 0
    assert client.post(f"{base}/draft/match", json=conditions(10)).status_code == 200
    assert client.post(f"{base}/draft/match", json=conditions(1)).json()["code"] == "rows-exceeded"
    assert client.get(base).status_code == 200


@pytest.mark.usefixtures("one_moment")
def test_requests_count_towards_the_minute_of_the_plan(linked: Linked) -> None:
    answers = [linked.client.post(linked.base, data={"queries": "{"}) for _ in range(61)]
    assert [answer.status_code for answer in answers] == [400] * 60 + [429]
    assert answers[-1].json()["violated-policies"] == ["minute"]


def test_the_key_works_nowhere_else(linked: Linked) -> None:
    client, fields = linked.client, both(linked.link)
    for method, path in (("GET", "/api/v1/search?q=apple"), ("GET", "/api/v1/usage"), ("POST", "/api/v1/match")):
        refused = client.request(method, path, headers=fields)
        assert (refused.status_code, refused.json()["code"]) == (401, "link-key")
        assert "pdr_live_" in refused.json()["detail"]
    call = {"name": "get_financials", "arguments": {"country": "EC", "identifier": "1790016919001"}}
    meta = {"io.modelcontextprotocol/protocolVersion": "2025-06-18"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**call, "_meta": meta}}
    accepting = {"accept": "application/json, text/event-stream"}
    assert "link-key" in client.post("/mcp", json=message, headers={**fields, **accepting}).text
    assert client.get("/reconcile", headers=fields).status_code == 200, "as without a key"

    for path in (f"/nowhere/{linked.link}", f"{linked.base}/view?id={linked.link}", f"/reconcile?key={linked.link}"):
        refused = client.get(path)
        assert (refused.status_code, refused.json()["code"]) == (400, "key-in-url")
    shown = {key["name"]: key for key in client.get(NEW_KEY).json()["keys"]}
    assert (shown["OpenRefine"]["leakedAt"] is None, shown["uno"]["leakedAt"]) == (False, None)


def test_no_other_key_works_in_the_path(linked: Linked) -> None:
    client = linked.client
    refused = client.post(f"/reconcile/key/{linked.live}", data=queries(1))
    assert (refused.status_code, refused.json()["code"]) == (400, "key-in-url")
    shown = {key["name"]: key for key in client.get(NEW_KEY).json()["keys"]}
    assert (shown["uno"]["leakedAt"] is None, shown["OpenRefine"]["leakedAt"]) == (False, None)
    assert until(lambda: "dirección web" in letters(linked.data)[-1])


def test_a_key_that_is_wrong_or_revoked_is_refused_everywhere_below_it(linked: Linked) -> None:
    client = linked.client
    (key,) = (key["id"] for key in client.get(NEW_KEY).json()["keys"] if key["name"] == "OpenRefine")
    assert client.post(linked.base, data=queries(1)).status_code == 200
    assert client.delete(f"{NEW_KEY}/{key}").status_code == 204
    until(lambda: client.get(linked.base).status_code == 401)
    for text, code in ((linked.link, "key-revoked"), (mint(LINK_PREFIX), "key-unknown"), ("nonsense", "key-malformed")):
        base = f"/reconcile/key/{text}"
        answers = [
            client.get(base), client.get(f"{base}/draft"), client.post(base, data=queries(1)),
            client.get(f"{base}/preview", params={"id": FAVORITA}),
        ]  # fmt: skip
        assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(401, code)] * 4
        assert {answer.headers["access-control-allow-origin"] for answer in answers} == {"*"}
        assert not any(text in answer.text for answer in answers if text != "nonsense")
    assert "create another one in your account" in client.get(linked.base).json()["detail"]


@pytest.mark.usefixtures("one_moment")
def test_wrong_keys_count_as_in_the_header_fields(linked: Linked) -> None:
    answers = [linked.client.get(f"/reconcile/key/{mint(LINK_PREFIX)}") for _ in range(FAILED.amount + 1)]
    assert [answer.status_code for answer in answers] == [401] * FAILED.amount + [429]
    assert answers[-1].json()["code"] == "too-many-failures"
    assert linked.client.get(linked.base).status_code == 200, "a good one goes on"


def test_the_key_is_in_no_log_metric_or_error(
    linked: Linked, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, base = linked.client, linked.base

    async def fail(*_: object) -> object:
        raise RuntimeError(base)

    texts = [client.post(base, data=queries(2)).text, client.post(base, data={"queries": "{"}).text]
    for path in (f"{base}/nowhere", f"{base}/draft/nowhere", f"{base}/preview?id=EC/9999", f"{base}/draft/match"):
        texts += [client.get(path, headers={"accept": accept}).text for accept in ("application/json", "text/html")]
    with monkeypatch.context() as patch:
        patch.setattr(service, "match", fail)
        texts.append(client.post(base, data=queries(1)).text)
    texts.append(client.get("/metrics").text)
    client.app.state.operations._observer.close()
    log = capfd.readouterr().out
    lines = [json.loads(line) for line in log.splitlines()]
    assert "RuntimeError" in {line.get("error") for line in lines}
    assert "/reconcile/key/{key}" in {line.get("route") for line in lines}
    assert '/reconcile/key/{key}"' in texts[-1]
    assert not [text for text in (*texts, log) if linked.link in text or linked.link[9:] in text]
