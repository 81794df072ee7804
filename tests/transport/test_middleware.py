"""The edge: request ids, shared header fields, faults, and what the log and the metrics may hold."""

from __future__ import annotations

import asyncio
import gc
import json
import re
import uuid
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from memory_directory import PERSON, MemoryDirectory, service
from padron.errors import Invalid, ReleaseError
from padron.threads import pause
from padron.transport.call import Call
from padron.transport.conditional import entity_tag, matches
from padron.transport.headers import is_opaque, request_id
from padron.transport.middleware import Middleware
from padron.transport.observability import PARTS, Metrics, Observer, StructuredLog
from waiting import PATIENCE, until

SEARCH = "/api/public/empresas/search"
COMPANY = "/api/public/empresas/EC/1790016919001"


@pytest.mark.parametrize("path", [f"{SEARCH}?q=apple", f"{SEARCH}?q=a", COMPANY, "/nothing", "/healthz", "/robots.txt"])
def test_every_answer_has_the_shared_fields(client: TestClient, path: str) -> None:
    response = client.get(path)
    assert str(uuid.UUID(response.headers["x-request-id"])) == response.headers["x-request-id"]
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["referrer-policy"] == "no-referrer"
    if "json" in response.headers["content-type"] and path.startswith("/api/"):
        assert response.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"


def test_a_sane_request_id_is_kept(client: TestClient) -> None:
    for sane in ("abc-123", "8d7cf6a4-2c0e-4a55-9d5f-0f6a3f2f4b11", "a" * 128, "~._-"):
        response = client.get(f"{SEARCH}?q=a", headers={"x-request-id": sane})
        assert response.headers["x-request-id"] == response.json()["requestId"] == sane
        uuid.UUID(response.json()["instance"].removeprefix("urn:uuid:"))


@pytest.mark.parametrize("odd", [b"", b"a" * 129, b"a b", b"<b>", b"a\xff", b'a"'])
def test_an_odd_request_id_is_replaced(odd: bytes) -> None:
    assert uuid.UUID(request_id(odd)).version == 4
    assert uuid.UUID(request_id(None)).version == 4
    assert request_id(b"fine") == "fine"


def test_lines_of_one_header_field_are_one_list(client: TestClient) -> None:
    """RFC 9110 §5.2; cookies, which HTTP/2 may send one by one, are joined as RFC 9113 §8.2.3 says."""
    lines = [(b"accept-language", b"fr"), (b"accept-language", b"en"), (b"cookie", b"a=1"), (b"cookie", b"padron=x")]
    given = Call({"type": "http", "path": "/", "headers": lines}).given
    assert given == {b"accept-language": b"fr, en", b"cookie": b"a=1; padron=x"}
    for first, second, language in (("en", "es", "en"), ("es", "en", "es"), ("fr", "en", "en")):
        response = client.get(COMPANY, headers=[("accept-language", first), ("accept-language", second)])
        assert response.headers["content-language"] == language
    tag = client.get(COMPANY).headers["etag"]
    assert client.get(COMPANY, headers=[("if-none-match", tag), ("if-none-match", '"other"')]).status_code == 304


def test_only_opaque_request_ids_are_logged() -> None:
    assert is_opaque("8d7cf6a4-2c0e-4a55-9d5f-0f6a3f2f4b11")
    assert is_opaque("8d7cf6a42c0e4a559d5f0f6a3f2f4b11")
    assert not is_opaque("1790016919001")
    assert not is_opaque("favorita")


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize(
    "path",
    [
        *("/nothing", "/api", "/api/public/empresas", "/healthz/", f"{SEARCH}/?q=apple", "/api/public/empresas/stats/"),
        *("/api/public/empresas/EC/", "/api/v1/search/", "/%FF", "/a//b", "/x" * 9000),
    ],
)
def test_an_unknown_address_is_a_problem_in_the_readers_language(client: TestClient, path: str, language: str) -> None:
    response = client.get(path, headers={"accept-language": language})
    assert response.status_code == 404
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["code"] == "no-such-address"
    assert response.headers["content-language"] == language
    assert client.options(path).status_code == 404


def test_service_routes(client: TestClient, memory_directory: MemoryDirectory) -> None:
    assert client.get("/healthz").json() == {"status": "alive"}
    ready = client.get("/readyz").json()
    accounts = {"database", "revoked-keys", "usage", "mail", "changes", "webhooks", "payments", "plans", "expiry"}
    assert ready.pop("tasks").keys() <= {"release", "engine"} | accounts
    assert ready == {"status": "ready", "release": memory_directory.release, "parts": dict.fromkeys(PARTS, "ok")}
    for path in ("/healthz", "/readyz", "/metrics"):
        assert client.get(path).headers["cache-control"] == "no-store"
        assert client.post(path).status_code == 405
    robots = client.get("/robots.txt")
    assert robots.headers["content-type"] == "text/plain; charset=utf-8"
    assert "Disallow: /api/" in robots.text.splitlines()
    assert client.head("/robots.txt").content == b""


@pytest.mark.parametrize(
    ("base_url", "field"), [("https://padron.example", "max-age=31536000"), ("http://padron.example", None)]
)
def test_browsers_keep_to_https_where_the_service_has_it(base_url: str, field: str | None) -> None:
    with service(MemoryDirectory(base_url), PADRON_BASE_URL=base_url) as client:
        for path in ("/healthz", "/nowhere", f"{SEARCH}?q=favorita"):
            assert client.get(path).headers.get("strict-transport-security") == field


def test_an_answered_request_waits_for_no_garbage_collection(client: TestClient) -> None:
    gc.collect()
    gc.disable()
    try:
        assert client.get("/api/public/empresas/search", params={"q": "favorita"}).status_code == 200
        assert not [held for held in gc.get_objects() if isinstance(held, Call)]
    finally:
        gc.enable()


def test_metrics_count_by_template_and_status_only(client: TestClient) -> None:
    client.get(SEARCH, params={"q": "Secreto 1790016919001"})
    client.get(SEARCH, params={"q": "x"})
    client.get(COMPANY)
    client.get("/secreto")
    text = client.get("/metrics").text
    counted = dict(
        re.findall(r'^padron_http_request_seconds_count\{route="([^"]*)",status="(?:\d+)"\} (\S+)$', text, re.MULTILINE)
    )
    assert counted == {
        SEARCH: "1.0",
        "/api/public/empresas/{country}/{identifier}": "1.0",
        "unmatched": "1.0",
    }
    assert f'padron_http_request_seconds_count{{route="{SEARCH}",status="200"}} 1.0' in text
    assert f'padron_http_request_seconds_count{{route="{SEARCH}",status="400"}} 1.0' in text
    assert "1790016919001" not in text
    assert "secreto" not in text.lower()


def test_tags_compare_weakly() -> None:
    tag = entity_tag("r1", "es", b"/a?q=1", b"v1")
    assert tag == entity_tag("r1", "es", b"/a?q=1", b"v1")
    others = [
        ("r2", "es", b"/a?q=1", b"v1"),
        ("r1", "en", b"/a?q=1", b"v1"),
        ("r1", "es", b"/a?q=2", b"v1"),
        ("r1", "es", b"/a?q=1", b"v2"),
    ]
    assert tag not in {entity_tag(*other) for other in others}
    assert matches(b'"x", ' + tag, tag)
    assert matches(tag.removeprefix(b"W/"), tag)
    assert not matches(b'W/"r1.es"', tag)
    assert not matches(tag.strip(b'W/"'), tag)
    assert not matches(b"", tag)
    assert matches(b' ,"x" ,\t' + tag + b" ,", tag)


@pytest.mark.parametrize("junk", [b"x", b" x", b', "', b"; q=1", b"W/", b', W/"', b"*"])
def test_a_malformed_list_of_tags_matches_nothing(junk: bytes) -> None:
    tag = entity_tag("r1", "es", b"/a?q=1", b"v1")
    assert not matches(tag + junk, tag)
    assert not matches(junk + tag, tag)


SECRETS = ("Pérez Guerrero", "1790016919001", PERSON, "198.51.100.7", "corre0@secreto.example", "203.0.113.9")


def ask_with_secrets(memory_directory: MemoryDirectory) -> None:
    """Requests full of secrets, wherever a request can hold one."""
    headers = {
        "x-forwarded-for": "198.51.100.7",
        "user-agent": "corre0@secreto.example",
        "referer": "https://corre0@secreto.example/1790016919001",
        "x-request-id": "1790016919001",
    }
    trusting = {"PADRON_SERVER__TRUSTED_PROXIES": "203.0.113.0/24", "PADRON_LIMITS__ENABLED": "1"}
    with service(memory_directory, **trusting) as client:
        for secret in SECRETS:
            client.get(SEARCH, params={"q": secret, "country": "EC"}, headers=headers)
            client.get(SEARCH, params={"q": "ab", secret: "1"}, headers=headers)
            client.get(SEARCH, params={"q": "ab", "limit": secret}, headers=headers)
            client.get(f"/api/public/empresas/EC/{secret}", headers=headers)
            client.get(f"/api/public/empresas/{secret}/1", headers=headers)
            client.get(f"/{secret}", headers=headers)
        client.request("1790016919001", SEARCH, headers=headers)


def leaks(log: bytes) -> set[str]:
    """The secrets a log gives away, as written or as JSON may write them."""
    text = log.decode()
    return {secret for secret in SECRETS if secret in text or json.dumps(secret).strip('"') in text}


def events(log: bytes, name: str) -> list[dict[str, Any]]:
    """The lines of one event."""
    return [line for line in map(json.loads, log.splitlines()) if line["event"] == name]


def test_the_log_holds_no_query_identifier_or_address(
    memory_directory: MemoryDirectory, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    ask_with_secrets(memory_directory)
    log = capfdbinary.readouterr().out
    assert len(events(log, "request")) == len(SECRETS) * 6 + 1
    assert leaks(log) == set()


def test_a_fault_gives_nothing_away_either(
    memory_directory: MemoryDirectory, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_directory, "search", broken)
    ask_with_secrets(memory_directory)
    log = capfdbinary.readouterr().out
    assert len(events(log, "fault")) == len(SECRETS)
    assert leaks(log) == set()


def test_an_error_behind_the_beginning_of_an_answer_is_a_fault(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    async def breaks_off(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise Invalid("query-missing", parameter="q")

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message["type"])

    sent: list[str] = []
    observer = Observer(StructuredLog(), Metrics())
    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    asyncio.run(Middleware(breaks_off, observer)(scope, receive, send))
    observer.close()
    log = capfdbinary.readouterr().out
    assert sent == ["http.response.start"]
    assert [line["error"] for line in events(log, "fault")] == ["Invalid"]
    assert [line["status"] for line in events(log, "request")] == [200]


def test_a_planted_leak_is_caught(
    memory_directory: MemoryDirectory, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Call, "route", property(lambda call: call.scope["path"] + call.scope["query_string"].decode()))
    ask_with_secrets(memory_directory)
    assert leaks(capfdbinary.readouterr().out) >= {"1790016919001", PERSON, "198.51.100.7"}


def test_a_log_line_says_what_operators_need(
    memory_directory: MemoryDirectory, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    with service(memory_directory) as client:
        client.get(SEARCH, params={"q": "corporación favorita"})
        client.get(SEARCH, params={"q": "apple 7"})
        client.head("/api/public/empresas/BR/33.000.167%2F0001-01")
        client.get(SEARCH, params={"q": "ab", "limit": "21"})
        client.request("BREW", "/nothing")
        client.get(SEARCH, params={"q": "320193"}, headers={"x-request-id": "0" * 32})
    lines = events(capfdbinary.readouterr().out, "request")
    for line in lines:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", line.pop("at"))
        assert 0 < line.pop("ms") < 10_000
        assert line.pop("event") == "request"
    last = lines.pop()
    assert (last["kind"], last["request_id"]) == ("number", "0" * 32)
    for line in lines:
        uuid.UUID(line.pop("request_id"))
    assert lines == [
        {"route": SEARCH, "method": "GET", "status": 200, "kind": "name", "q_length": 20, "results": 1},
        {"route": SEARCH, "method": "GET", "status": 200, "kind": "mixed", "q_length": 7, "results": 0},
        {"route": "/api/public/empresas/{country}/{identifier}", "method": "HEAD", "status": 200},
        {"route": SEARCH, "method": "GET", "status": 400, "code": "limit-out-of-range"},
        {"route": "unmatched", "method": "OTHER", "status": 404, "code": "no-such-address"},
    ]


def broken(q: str, **_: object) -> None:
    """A search that fails and says of what."""
    raise RuntimeError(q)


@pytest.mark.parametrize(
    ("language", "words"), [("es", "El error es del servicio"), ("en", "The error is in the service")]
)
def test_a_fault_of_ours_is_told_without_its_message(
    memory_directory: MemoryDirectory,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    language: str,
    words: str,
) -> None:
    monkeypatch.setattr(memory_directory, "search", broken)
    written: list[bytes] = []

    def log() -> bytes:
        written.append(capfdbinary.readouterr().out)
        return b"".join(written)

    with service(memory_directory) as client:
        response = client.get(SEARCH, params={"q": "Pérez Guerrero"}, headers={"accept-language": language})
        assert response.status_code == 500
        assert response.headers["content-type"] == "application/problem+json"
        assert response.headers["cache-control"] == "no-store"
        assert response.headers["access-control-allow-origin"] == "*"
        assert response.json()["code"] == "internal-error"
        assert response.json()["detail"].startswith(words)
        (fault,) = until(lambda: events(log(), "fault"))  # at once, but in the thread of the log
    assert fault["error"] == "RuntimeError"
    assert fault["way"][-1].startswith("test_middleware.py:")
    assert fault["request_id"] == response.headers["x-request-id"]
    (request,) = events(log(), "request")
    assert (request["status"], request["code"]) == (500, "internal-error")


def test_a_broken_release_under_a_request_gives_no_path_away(
    client: TestClient, memory_directory: MemoryDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(q: str, **_: object) -> None:
        raise ReleaseError("release-damaged", folder="/srv/padron/releases", file="r.json")

    monkeypatch.setattr(memory_directory, "search", damaged)
    response = client.get(SEARCH, params={"q": "apple"})
    assert (response.status_code, response.json()["code"]) == (500, "internal-error")
    assert "/srv" not in response.text


def test_the_steps_of_long_requests_take_turns_with_those_of_other_clients() -> None:
    """A hundred requests of one client do not take a hundred steps in each round of the event loop."""
    steps: list[str] = []
    observer = Observer(StructuredLog(), Metrics())

    async def long_work(scope: Scope, _receive: Receive, send: Send) -> None:
        client = scope["client"][0]
        for _ in range(50 if client == "192.0.2.1" else 5):
            await pause()
            steps.append(client)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    async def ask_at_once() -> None:
        app = Middleware(long_work, observer)
        scope = {"type": "http", "method": "GET", "path": "/", "raw_path": b"/", "query_string": b"", "headers": []}

        async def ask(address: str) -> None:
            await app({**scope, "client": (address, 1)}, receive, send)

        async def receive() -> Message:
            return {"type": "http.request"}

        async def send(_message: Message) -> None:
            pass

        many = [asyncio.create_task(ask("192.0.2.1")) for _ in range(100)]
        while len(steps) < 100:
            await asyncio.sleep(0)
        begun = len(steps)
        await ask("192.0.2.2")
        waited.append(len(steps) - begun)
        await asyncio.gather(*many)

    waited: list[int] = []
    asyncio.run(asyncio.wait_for(ask_at_once(), PATIENCE))
    observer.close()
    assert waited[0] < 150, "some sixteen a round of the event loop"
    assert steps.count("192.0.2.1") == 5_000
