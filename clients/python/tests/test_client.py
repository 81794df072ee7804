"""Behaviour beyond the shared cases: deadlines, pages, threads, transports, the shape of errors."""

from __future__ import annotations

import copy
import json
import pickle
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx2
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from both import KEY, TABLE, Kind, call, use
from padron_client import (
    APIConnectionError,
    APIResponseError,
    APITimeoutError,
    AsyncPadron,
    Attempt,
    BadRequestError,
    NotFoundError,
    Padron,
    Row,
    ServerError,
)
from padron_client.calls import Calls, Lost
from padron_client.secret import Scrubber
from scripted import Reply, Script

SEARCH, ENTITY = (json.dumps(TABLE["answers"][name]).encode() for name in ("search", "entity"))


def page(number: int, cursor: str | None) -> Reply:
    answer = TABLE["answers"]["search"]
    results = [answer["results"][0] | {"identifier": str(number)}]
    return Reply(body=json.dumps(answer | {"results": results, "nextCursor": cursor}).encode())


def test_all_pages_of_a_search(kind: Kind) -> None:
    with Script([page(1, "a="), page(2, "b"), page(3, None)]) as server:
        results = use(
            kind, {"base_url": server.url}, lambda client: client.iter_search("x y", country="BR", page_size=1)
        )
    assert [result.identifier for result in results] == ["1", "2", "3"]
    asked = [("q", "x y"), ("country", "BR"), ("limit", "1")]
    assert [request.query for request in server.asked] == [asked, [*asked, ("cursor", "a=")], [*asked, ("cursor", "b")]]


def test_a_page_is_asked_for_when_it_is_needed() -> None:
    with Script([page(1, "a")]) as server, Padron(api_key=KEY, base_url=server.url) as client:
        assert next(client.iter_search("x")).identifier == "1"
    assert [dict(request.query)["limit"] for request in server.asked] == ["50"]


def test_an_answer_that_drips_ends_with_the_timeout(kind: Kind) -> None:
    """Each byte comes in time, the whole never would."""
    options = {"timeout": 1.0, "max_retries": 0}
    reply = Reply(body=b"x" * 1000, failure="drip")
    with Script([reply]) as server, pytest.raises(APITimeoutError, match="did not end in time"):
        call(kind, options | {"base_url": server.url}, "coverage", {})


def test_header_fields_that_drip_end_with_the_timeout(kind: Kind) -> None:
    """A new connection is bounded, and one that is used again."""
    replies = [Reply(body=SEARCH), Reply(headers={"X-Slow": "x" * 1000}, failure="drip-head")]
    with Script(replies) as server, pytest.raises(APITimeoutError, match="did not end in time"):
        call(kind, {"timeout": 1.0, "max_retries": 0, "base_url": server.url}, "search", {"q": "x"}, repeat=2)
    with Script(replies[1:]) as server, pytest.raises(APITimeoutError, match="did not end in time"):
        call(kind, {"timeout": 1.0, "max_retries": 0, "base_url": server.url}, "search", {"q": "x"})


def test_no_server_at_all(kind: Kind, waits: list[float]) -> None:
    with Script([]) as server:
        url = server.url
    with pytest.raises(APIConnectionError) as raised:
        call(kind, {"base_url": url}, "coverage", {})
    assert type(raised.value) is APIConnectionError
    assert len(waits) == 2


def test_retry_after_as_a_date(kind: Kind, waits: list[float]) -> None:
    soon = formatdate(time.time() + 30, usegmt=True)
    with Script([Reply(503, {"Retry-After": soon}), Reply(body=SEARCH)]) as server:
        call(kind, {"base_url": server.url}, "search", {"q": "x"})
    assert 20 < waits[0] <= 33


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"results": None}, "results"),
        ({"results": [{}]}, "legalName"),
        ({"q": 5}, r"\$.q"),
    ],
)
def test_an_answer_of_another_shape_is_told(kind: Kind, change: dict[str, Any], named: str) -> None:
    body = json.dumps(TABLE["answers"]["search"] | change).encode()
    with Script([Reply(body=body)]) as server, pytest.raises(APIResponseError, match=named):
        call(kind, {"base_url": server.url}, "search", {"q": "x"})


def test_nesting_without_end_is_told(kind: Kind) -> None:
    endless = b'{"later": ' + b"[" * 100_000
    for reply, error in ((Reply(200, {}, endless), APIResponseError), (Reply(404, {}, endless), NotFoundError)):
        with Script([reply]) as server, pytest.raises(error):
            call(kind, {"base_url": server.url}, "search", {"q": "x"})


def test_what_makes_no_address_is_refused(kind: Kind) -> None:
    for options, q in (({}, "x" * 100_000), ({"base_url": "http://h:x/"}, "x")):
        with pytest.raises(ValueError, match=r"URL|port"):
            call(kind, options, "search", {"q": q})


def test_garbage_is_not_kept(kind: Kind) -> None:
    kept: dict[str, Any] = {}
    with Script([Reply(200, {"ETag": '"1"'}, b"garbage")]) as server, pytest.raises(APIResponseError):
        call(kind, {"base_url": server.url, "cache": kept}, "search", {"q": "x"})
    assert kept == {}


def test_any_number_of_retries() -> None:
    """The wait doubles no further than it may, however often."""
    coverage = Calls("http://h", 2_000, None, None, Scrubber(KEY)).coverage()
    waits = [coverage.take(Lost("refused", late=False)) or 0 for _ in range(2_000)]
    assert 4 <= min(waits[10:]) <= max(waits) <= 8
    with pytest.raises(APIConnectionError):
        coverage.take(Lost("refused", late=False))


def test_the_cache_is_any_mapping_and_knows_languages_apart(kind: Kind) -> None:
    kept: dict[str, Any] = {}
    replies = [Reply(200, {"ETag": '"1"'}, SEARCH), Reply(200, {"ETag": '"2"'}, SEARCH), Reply(304)]
    with Script(replies) as server:
        for language in ("es", "en", "en"):
            options = {"base_url": server.url, "cache": kept, "language": language}
            call(kind, options, "search", {"q": "x"})
    assert [request.headers.get("if-none-match") for request in server.asked] == [None, None, '"2"']
    assert len(kept) == 2


def test_one_client_serves_many_threads() -> None:
    with (
        Script([Reply(body=ENTITY)] * 64) as server,
        Padron(api_key=KEY, base_url=server.url) as client,
        ThreadPoolExecutor(8) as pool,
    ):
        identifiers = list(pool.map(lambda _: client.get("BR", "33000167000101").entity.identifier, range(64)))
    assert identifiers == ["33000167000101"] * 64


def test_an_own_transport_sends_the_requests() -> None:
    seen: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(200, content=ENTITY)

    with Padron(api_key=KEY, base_url="https://padron.example/x", transport=httpx2.MockTransport(answer)) as client:
        client.get("BR", "1/2")
    assert str(seen[0].url) == "https://padron.example/x/api/v1/entities/BR/1%2F2"
    with pytest.raises(RuntimeError, match="closed"):
        client.coverage()


def test_errors_can_be_copied_and_sent_between_processes() -> None:
    problem = TABLE["answers"]["problem-not-found"]
    with Script([Reply(404, {}, json.dumps(problem).encode())]) as server, pytest.raises(NotFoundError) as raised:
        call("threads", {"base_url": server.url}, "get", {"country": "BR", "id": "11222333000181"})
    for twin in (pickle.loads(pickle.dumps(raised.value)), copy.copy(raised.value)):
        assert type(twin) is NotFoundError
        assert (str(twin), twin.status, twin.code) == (str(raised.value), 404, "company-not-found")
        assert msgspec.to_builtins(twin.problem).items() >= problem.items()
    assert str(raised.value) == f"404 company-not-found: {problem['detail']} (request {problem['requestId']})"


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ({"code": "rate-limited"}, "404 rate-limited"),
        ({"title": "Too many", "detail": "Wait.", "code": "rate-limited", "status": 404}, "404 rate-limited: Wait."),
        ({"title": "Not found", "status": 404}, "404"),
        ({"code": 7}, "404"),
        (["code"], "404"),
    ],
)
def test_a_short_problem_document_keeps_its_code(document: object, text: str) -> None:
    """All members but the code may be left out (RFC 9457); another service in front of ours writes such ones."""
    with Script([Reply(404, {}, json.dumps(document).encode())]) as server, pytest.raises(NotFoundError) as raised:
        call("threads", {"base_url": server.url}, "get", {"country": "BR", "id": "11222333000181"})
    assert str(raised.value) == text
    assert raised.value.code == ("rate-limited" if "rate-limited" in text else None)
    if raised.value.problem:
        problem = raised.value.problem
        assert (problem.type, problem.status, problem.instance) == ("about:blank", 404, "")


def test_a_status_without_a_class_of_its_own() -> None:
    with Script([Reply(599)]) as server, pytest.raises(ServerError, match=r"^599$"):
        call("threads", {"base_url": server.url}, "coverage", {})


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: text not in {".", ".."}))
def test_any_identifier_arrives_whole(identifier: str) -> None:
    """One step of the path, nothing that an address gives a meaning to, and the same text when decoded."""
    url = Calls("http://h", 0, None, None, Scrubber(KEY)).get("MX", identifier).request.url
    sent = httpx2.URL(url).raw_path.decode("ascii")
    assert sent == urlsplit(url).path
    head, _, last = sent.rpartition("/")
    assert head == "/api/v1/entities/MX"
    assert unquote(last, errors="strict") == identifier
    assert urlsplit(url).query == urlsplit(url).fragment == ""


def test_a_cursor_gives_the_next_page(kind: Kind) -> None:
    with Script([page(2, None)]) as server:
        call(kind, {"base_url": server.url}, "search", {"q": "x", "cursor": "a="})
    assert server.asked[0].query == [("q", "x"), ("cursor", "a=")]


def test_key_and_address_come_from_the_environment(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    with Script([Reply(body=SEARCH)]) as server:
        monkeypatch.setenv("PADRON_API_KEY", KEY)
        monkeypatch.setenv("PADRON_BASE_URL", server.url)
        call(kind, {"api_key": None}, "search", {"q": "x"})
    assert server.asked[0].headers["apikey"] == KEY
    monkeypatch.delenv("PADRON_API_KEY")
    with pytest.raises(ValueError, match="PADRON_API_KEY"):
        (Padron if kind == "threads" else AsyncPadron)()


def test_options_of_one_call(kind: Kind, waits: list[float]) -> None:
    with Script([Reply(503), Reply(503)]) as server, pytest.raises(ServerError):
        use(kind, {"base_url": server.url}, lambda client: client.with_options(max_retries=1).coverage())
    assert len(waits) == 1
    quick = {"timeout": 0.2, "max_retries": 0}
    with Script([Reply(failure="timeout")]) as server, pytest.raises(APITimeoutError):
        use(kind, {"base_url": server.url}, lambda client: client.with_options(**quick).coverage())
    for wrong in ({"timeout": 0}, {"max_retries": -1}):
        with pytest.raises(ValueError, match="must be"):
            use(kind, {}, lambda client, wrong=wrong: client.with_options(**wrong))


def test_a_raw_response(kind: Kind) -> None:
    headers = {"RateLimit": '"minute";r=59;t=31, "day";r=998;t=4000', "X-Request-Id": "7"}
    with Script([Reply(200, headers, SEARCH)]) as server:
        raw = use(kind, {"base_url": server.url}, lambda client: client.with_raw_response(client.search, "x", limit=1))
    assert (raw.status, raw.request_id, raw.data.q) == (200, "7", TABLE["answers"]["search"]["q"])
    assert raw.quotas == [("minute", 59, 31), ("day", 998, 4000)]
    assert raw.headers["x-request-id"] == "7"


USAGE = {
    "plan": "free",
    "scopes": ["search"],
    "features": [],
    "minute": {"limit": 60, "remaining": 59, "resetsAt": "2026-11-23T12:00:00Z"},
    "day": None,
    "rows": None,
    "history": [{"date": "2026-11-22", "answers": 7, "rows": 0}],
}

CALLS: list[tuple[str, Callable[[Any], Any], str, list[tuple[str, str]], dict[str, Any]]] = [
    ("usage", lambda client: client.usage(), "GET /api/v1/usage", [], USAGE),
    (
        "changes",
        lambda client: client.changes(since="1-2", country="BR", kind="renamed", limit=5),
        "GET /api/v1/changes",
        [("since", "1-2"), ("country", "BR"), ("kind", "renamed"), ("limit", "5")],
        {"changes": [], "cursor": "1-3", "more": False},
    ),
    (
        "match",
        lambda client: client.match([{"name": "Arcor", "legal_form": "SAIC"}]),
        "POST /api/v1/match",
        [],
        {"release": "r", "matches": [{"verdict": "not_found", "conflicts": [], "reason": "none"}]},
    ),
]
"""Method, call, request line, its query, and the answer."""


@pytest.mark.parametrize(("name", "act", "line", "query", "answer"), CALLS, ids=[entry[0] for entry in CALLS])
def test_the_rest_of_the_interface(
    kind: Kind,
    name: str,
    act: Callable[[Any], Any],
    line: str,
    query: list[tuple[str, str]],
    answer: dict[str, Any],
) -> None:
    with Script([Reply(body=json.dumps(answer).encode())]) as server:
        result = use(kind, {"base_url": server.url}, act)
    (asked,) = server.asked
    assert (f"{asked.method} {asked.path}", asked.query) == (line, query)
    assert json.loads(msgspec.json.encode(result)).keys() >= answer.keys()
    if name == "match":
        assert asked.json() == {"rows": [{"name": "Arcor", "legalForm": "SAIC"}]}


def test_only_the_methods_and_the_options_are_public() -> None:
    methods = {"search", "get", "financials", "coverage", "checkout", "iter_search", "close"}
    methods |= {"with_options", "with_raw_response", "usage", "changes", "match", "iter_match"}
    methods |= {"financials_csv", "bulk_files"}
    for client, alone in ((Padron, {"local"}), (AsyncPadron, set[str]())):
        assert {name for name in vars(client) if not name.startswith("_")} == methods | alone


def test_a_hook_is_told_of_each_attempt_and_neither_of_query_nor_key(kind: Kind, waits: list[float]) -> None:
    attempts: list[Attempt] = []
    body = json.dumps(TABLE["answers"]["search"]).encode()
    replies = [Reply(failure="refused"), Reply(503), Reply(200, {"X-Request-Id": f"7 {KEY}"}, body)]
    with Script(replies) as server:
        options = {"base_url": server.url, "on_attempt": attempts.append}
        call(kind, options, "search", {"q": "planted query"})
    assert [attempt[:-1] for attempt in attempts] == [
        ("search", 1, None, None),
        ("search", 2, 503, None),
        ("search", 3, 200, "7 …"),
    ]
    assert all(attempt.seconds > 0 for attempt in attempts)


def test_what_a_hook_raises_the_call_raises(kind: Kind) -> None:
    def refuse(attempt: Attempt) -> None:
        raise LookupError(attempt.method)

    body = json.dumps(TABLE["answers"]["coverage"]).encode()
    with Script([Reply(200, {}, body)] * 2) as server:
        for max_retries in (0, 2):
            with pytest.raises(LookupError, match="coverage"):
                call(kind, {"base_url": server.url, "on_attempt": refuse, "max_retries": max_retries}, "coverage", {})


def test_a_list_of_any_length_goes_in_batches_when_its_rows_are_needed(kind: Kind) -> None:
    match = TABLE["answers"]["match"]["matches"][0]
    taken: list[int] = []

    def rows() -> Iterator[Row]:
        for number in range(1_200):
            taken.append(number)
            yield {"name": str(number)}

    replies = [
        Reply(200, {}, json.dumps({"release": "r", "matches": [match] * size}).encode()) for size in (500, 500, 200)
    ]
    with Script(replies) as server:
        matches = use(kind, {"base_url": server.url}, lambda client: client.iter_match(rows()))
        assert [len(asked.json()["rows"]) for asked in server.asked] == [500, 500, 200]
        assert server.asked[1].json()["rows"][0] == {"name": "500"}
        assert len(matches) == len(taken) == 1_200
        taken.clear()
        with Padron(api_key=KEY, base_url="http://127.0.0.1:9", max_retries=0) as client:
            with pytest.raises(APIConnectionError):
                next(client.iter_match(rows()))
            assert len(taken) == 500
            assert list(client.iter_match([])) == []


WRONG: list[tuple[str, Callable[[Any], Any]]] = [
    ("id must be text", lambda client: client.get("US", 320193)),
    ("country must be text", lambda client: client.financials(5, "320193")),
    ("id must be text", lambda client: client.get_watchlist(5)),
    ("rows must be", lambda client: client.match("abc")),
    ("rows must be", lambda client: client.match({"name": "Arcor"})),
    ("rows must be", lambda client: client.match(5)),
    ("a field of rows must be text", lambda client: client.match([{5: "Arcor"}])),
    ("rows must be", lambda client: client.iter_match({"name": "Arcor"})),
    ("rows must be", lambda client: client.iter_match(5)),
    ("cannot be sent as JSON", lambda client: client.match([{"name": object()}])),
    ("idempotency_key must be", lambda client: client.checkout(plan_id="pro", idempotency_key=5)),
    ("timeout must be", lambda client: client.with_options(timeout="5")),
    ("max_retries must be", lambda client: client.with_options(max_retries="5")),
]
"""Message of the error, and the call."""


@pytest.mark.parametrize(("message", "act"), WRONG)
def test_an_argument_of_another_type_is_refused_and_nothing_sent(
    kind: Kind, message: str, act: Callable[[Any], Any]
) -> None:
    with Script([]) as server, pytest.raises(ValueError, match=message):
        use(kind, {"base_url": server.url}, act)
    assert server.asked == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("api_key", 5),
        ("api_key", "k" * 201),
        ("base_url", 5),
        ("timeout", "5"),
        ("max_retries", "2"),
        ("max_retries", 0.5),
        ("language", "fr"),
    ],
)
def test_an_option_that_cannot_be_is_refused(kind: Kind, name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"^{name} ") as raised:
        use(kind, {name: value}, lambda client: client)
    assert "k" * 201 not in str(raised.value)


def test_a_bad_row_of_a_long_list_is_told_with_the_rows_of_its_batch(kind: Kind) -> None:
    matches = {"release": "r", "matches": [TABLE["answers"]["match"]["matches"][0]] * 500}
    problem = TABLE["answers"]["problem-not-found"] | {
        "code": "bad-request",
        "detail": "rows[50]: empty",
        "status": 400,
    }
    replies = [Reply(200, {}, json.dumps(matches).encode()), Reply(400, {}, json.dumps(problem).encode())]
    rows: list[Row] = [{"name": "x"}] * 600
    with Script(replies) as server, pytest.raises(BadRequestError) as raised:
        use(kind, {"base_url": server.url}, lambda client: client.iter_match(rows))
    start = "rows 500 to 599 of the list, counted from 0: 400 bad-request: rows[50]: empty"
    assert str(raised.value).startswith(start)
    assert raised.value.code == "bad-request"
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


def test_rows_that_arrive_one_by_one() -> None:
    match = TABLE["answers"]["match"]["matches"][0]

    async def rows() -> AsyncIterator[Row]:
        for number in range(501):
            yield {"name": str(number)}

    replies = [Reply(200, {}, json.dumps({"release": "r", "matches": [match] * size}).encode()) for size in (500, 1)]
    with Script(replies) as server:
        matches = use("asyncio", {"base_url": server.url}, lambda client: client.iter_match(rows()))
        assert [asked.json()["rows"][-1]["name"] for asked in server.asked] == ["499", "500"]
    assert len(matches) == 501


@pytest.mark.parametrize("name", ["search", "entity", "coverage", "changes", "match"])
def test_a_result_gives_back_what_came(name: str) -> None:
    method, arguments = {
        "search": ("search", {"q": "x"}),
        "entity": ("get", {"country": "BR", "id": "1"}),
        "match": ("match", {"rows": []}),
    }.get(name, (name, {}))
    with Script([Reply(200, {}, json.dumps(TABLE["answers"][name]).encode())]) as server:
        result = call("threads", {"base_url": server.url}, method, arguments)
    came, given = TABLE["answers"][name], result.to_dict()
    assert json.loads(result.to_json()) == given
    assert without_nulls(given) == without_nulls(came)


def without_nulls(value: Any) -> Any:
    """A value without members that are null: an optional one that did not come is null in the result."""
    if isinstance(value, dict):
        return {name: without_nulls(member) for name, member in value.items() if member is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value
