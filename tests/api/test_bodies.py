"""JSON bodies: everything that is wrong with one is told in one answer, each part by its pointer."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from threading import current_thread
from typing import Any
from urllib.parse import unquote

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from account_service import PASSWORD, Holder, account_service, both, enrol
from padron.api.v1_match import MOST_ROWS, ListBody
from padron.errors import Invalid
from padron.transport import bodies, problems
from padron.transport.inputs import MOST_FAULTS, Faults

JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def holder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Holder]:
    data = tmp_path_factory.mktemp("bodies")
    with account_service(data) as client:
        yield enrol(client, data)


@pytest.fixture(scope="module")
def client(holder: Holder) -> TestClient:
    return holder.client


def refusal(client: TestClient, path: str, body: object, language: str = "en", **headers: str) -> dict[str, Any]:
    """The problem document about a body; bytes are sent as they are."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = client.post(path, content=content, headers=JSON | {"accept-language": language} | headers)
    assert response.status_code == 400, response.text
    assert response.headers["content-language"] == language
    return response.json()


def pointers(problem: dict[str, Any]) -> list[str]:
    assert all(set(fault) == {"detail", "pointer"} for fault in problem["errors"])
    return [fault["pointer"] for fault in problem["errors"]]


WRONG = {"email": 7, "role": "admin", "language": "pt", "a/b~c d": 1}
KNOWN = "email, password, language"
ALL = ["#/email", "#/role", "#/language", "#/a~1b~0c%20d", "#/password"]


@pytest.mark.parametrize(
    ("language", "details"),
    [
        (
            "es",
            [
                "El campo «email» no es como se espera. Se espera: un texto.",
                f"El cuerpo no tiene ningún campo «role». Sus campos son: {KNOWN}.",
                "El campo «language» no es como se espera. Se espera: uno de en, es.",
                f"El cuerpo no tiene ningún campo «a/b~c d». Sus campos son: {KNOWN}.",
                "Falta el campo «password».",
            ],
        ),
        (
            "en",
            [
                "The field “email” is not as expected. Expected: a text.",
                f"The body has no field “role”. Its fields are: {KNOWN}.",
                "The field “language” is not as expected. Expected: one of en, es.",
                f"The body has no field “a/b~c d”. Its fields are: {KNOWN}.",
                "The field “password” is missing.",
            ],
        ),
    ],
)
def test_all_wrong_members_are_told_at_once(client: TestClient, language: str, details: list[str]) -> None:
    problem = refusal(client, "/api/account", WRONG, language)
    assert problem["code"] == "invalid-field"
    assert problem["detail"] == details[0]
    assert problem["errors"] == [
        {"detail": detail, "pointer": pointer} for detail, pointer in zip(details, ALL, strict=True)
    ]


def test_what_no_schema_can_say_is_told_at_once_too(client: TestClient) -> None:
    problem = refusal(client, "/api/account", {"email": "nobody", "password": "short"})
    assert problem["code"] == "bad-address"
    assert pointers(problem) == ["#/email", "#/password"]
    form = {"email": "nobody", "password": "short"}
    page = client.post("/es/account/sign-up", data=form, headers={"origin": "http://127.0.0.1:8000"})
    assert page.status_code == 400
    for fault in refusal(client, "/api/account", form, "es")["errors"]:
        assert fault["detail"] in page.text


def test_the_new_password_is_pointed_to_by_its_own_name(holder: Holder) -> None:
    body = {"old": PASSWORD, "new": "short"}
    response = holder.client.put("/api/account/password", json=body)
    assert (response.status_code, response.json()["code"]) == (400, "weak-password")
    assert pointers(response.json()) == ["#/new"]


def test_the_checkout_of_v1(holder: Holder) -> None:
    path, key = "/api/subscriptions/checkout", both(holder.key())
    problem = refusal(holder.client, path, {"plan": "pro", "planid": "pro"}, **key)
    assert (problem["code"], pointers(problem)) == ("unknown-field", ["#/plan", "#/planid", "#/planId"])
    assert pointers(refusal(holder.client, path, {"planId": ["pro"], "seats": 2}, **key)) == ["#/planId", "#/seats"]
    assert pointers(refusal(holder.client, path, {"planId": "gold"}, **key)) == ["#/planId"]


def test_the_members_of_a_key(client: TestClient) -> None:
    body = {"name": " ", "scopes": [], "expiresAt": "tomorrow", "admin": True}
    assert pointers(refusal(client, "/api/account/keys", body)) == ["#/name", "#/scopes", "#/expiresAt", "#/admin"]
    assert pointers(refusal(client, "/api/account/keys", {"scopes": ["all"]})) == ["#/scopes/0", "#/name"]


def test_a_member_given_twice_is_told(client: TestClient) -> None:
    twice = b'{"email":"ana@example.ec","password":"una frase larga","email":"eva@example.ec","x":1}'
    problem = refusal(client, "/api/account", twice, "es")
    assert problem["code"] == "repeated-field"
    assert problem["errors"] == [
        {"detail": "El campo «email» aparece más de una vez.", "pointer": "#/email"},
        {"detail": f"El cuerpo no tiene ningún campo «x». Sus campos son: {KNOWN}.", "pointer": "#/x"},
    ]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'"x"',
        b"null",
        b"{",
        b"\xef\xbb\xbf{}",
        b'{"email":"\xff"}',
        b'{"x":"\xff"}',
        b'{"x":NaN}',
        b'{"email":"\\ud800"}',
        b'{"\\ud800":1}',
        b'{"x":' + b"[" * 8000 + b"]" * 8000 + b"}",
        '{"email":"a"}'.encode("utf-16"),
    ],
)
def test_what_is_no_json_object_is_refused_whole(client: TestClient, body: bytes) -> None:
    problem = refusal(client, "/api/account", body)
    assert problem["code"] == "malformed-json"
    assert "errors" not in problem


def test_a_number_of_thousands_of_digits_is_no_email(client: TestClient) -> None:
    problem = refusal(client, "/api/account", b'{"email":' + b"9" * 5000 + b',"x":' + b"9" * 5000 + b"}")
    assert problem["code"] == "invalid-field"
    assert pointers(problem) == ["#/email", "#/x", "#/password"]


def test_long_bodies_are_parsed_one_at_a_time_beside_the_event_loop(
    client: TestClient, holder: Holder, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = both(holder.key("long"))
    parsed_in: list[str] = []
    parsed = bodies._parsed

    def noted(*given: Any) -> Any:
        parsed_in.append(current_thread().name)
        return parsed(*given)

    monkeypatch.setattr(bodies, "_parsed", noted)
    for name, length in (("x", bodies.MOST // 2), ("rows", bodies.MOST // 2), ("x", 10)):
        body = b'{"%s":[%s]}' % (name.encode(), b",".join([b"[]"] * length))
        problem = refusal(client, "/api/v1/match", body, **key)
        assert problem["code"] == ("unknown-field" if name == "x" else "invalid-field")
    assert parsed_in[:2] == ["bodies_0", "bodies_0"]
    assert not parsed_in[2].startswith("bodies")


@pytest.mark.parametrize(
    ("more", "refused"),
    [
        (b"", False),
        (b',{"name":"ACME"}', True),
        (b',{"name":"' + b"{" * 3000 + b'\\"{\\\\"}', True),
    ],
)
def test_a_list_of_too_many_objects_is_refused_before_any_is_made(more: bytes, refused: bool) -> None:
    rows = b'[{"name":"' + b"{[" * 3000 + b'\\"{\\\\"}' + b',{"name":"ACME"}' * (MOST_ROWS - 1) + more + b"]"
    json.loads(rows)
    assert bodies._has_more_objects(rows, MOST_ROWS) is refused
    assert bodies._most_elements(msgspec.structs.fields(ListBody)[0].type) == MOST_ROWS
    assert not bodies._has_more_objects(b"[" + b"{" * 2000, MOST_ROWS)


def test_a_list_of_nothing_but_empty_objects_is_too_long(client: TestClient, holder: Holder) -> None:
    rows = b'{"rows":[{"name":5},%s]}' % b",".join([b"{}"] * 690_000)  # the first would be named if any were made
    problem = refusal(client, "/api/v1/match", rows, **both(holder.key("many")))
    assert (problem["code"], pointers(problem)) == ("invalid-field", ["#/rows"])
    assert problem["detail"].endswith(f"Expected: a list of at most {MOST_ROWS} elements.")
    empty = refusal(client, "/api/v1/match", b'{"rows":[]}', **both(holder.key("few")))
    assert empty["detail"].endswith("Expected: a list of at least 1 element.")
    strange = refusal(client, "/api/v1/match", b'{"rows":[{"nombre":"x"}]}', **both(holder.key("strange")))
    assert "Expected: no member “nombre”; the members are " in strange["detail"]
    assert pointers(strange) == ["#/rows/0"]


@pytest.mark.parametrize(
    ("language", "detail"),
    [
        ("es", "Envíe el cuerpo como Content-Type: application/json, sin comprimir."),
        ("en", "Send the body as Content-Type: application/json, not compressed."),
    ],
)
def test_a_compressed_body_is_refused(client: TestClient, language: str, detail: str) -> None:
    headers = JSON | {"content-encoding": "gzip", "accept-language": language}
    response = client.post("/api/account", content=gzip.compress(b"{}"), headers=headers)
    assert (response.status_code, response.json()["detail"]) == (415, detail)
    assert (
        client.post("/api/account", content=b"{}", headers=JSON | {"content-encoding": "identity"}).status_code == 400
    )


def test_no_more_is_told_than_somebody_can_read(client: TestClient) -> None:
    many = {f"m{n}": n for n in range(MOST_FAULTS + 20)}
    assert pointers(refusal(client, "/api/account", many)) == [f"#/m{n}" for n in range(MOST_FAULTS)]
    long = refusal(client, "/api/account", {"x" * 9000: 1})
    assert pointers(long)[0] == "#/" + "x" * 64
    query = "&".join(f"p{n}=1" for n in range(MOST_FAULTS + 20))
    refused = client.get(f"/api/account/plans?{query}").json()
    assert [fault["parameter"] for fault in refused["errors"]] == [f"p{n}" for n in range(MOST_FAULTS)]


def test_of_what_is_wrong_again_and_again_little_is_looked_at(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    caught: list[object] = []
    keep = Faults.__exit__

    def keep_and_count(faults: Faults, kind: Any, error: Any, trace: Any) -> bool:
        caught.extend([error] if error else [])
        return keep(faults, kind, error, trace)

    monkeypatch.setattr(Faults, "__exit__", keep_and_count)
    assert client.get("/api/account/plans?" + "&".join(["p"] * 1_000)).json()["code"] == "unknown-parameter"
    body = "{" + ",".join(['"m":1'] * 1_000) + "}"
    assert client.post("/api/account", content=body, headers=JSON).json()["code"] == "unknown-field"
    assert len(caught) <= 2 * MOST_FAULTS + 2  # the two members that are missing


@given(st.text(max_size=20))
def test_a_pointer_leads_back_to_its_member(name: str) -> None:
    """Decode a JSON pointer as RFC 6901 §6 does: percent-decoded, then `~1` and `~0`."""
    error = Invalid("unknown-field", parameter=name, known=("email",))
    document = json.loads(problems.body(error, "en", "8d7cf6a4-2c0e-4a55-9d5f-0f6a3f2f4b11", (name,)))
    (fault,) = document["errors"]
    assert fault["pointer"].isascii()
    assert fault["pointer"].startswith("#/")
    assert "/" not in fault["pointer"][2:]
    assert unquote(fault["pointer"][2:]).replace("~1", "/").replace("~0", "~") == name
