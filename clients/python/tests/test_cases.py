"""The cases that all client libraries share, over real sockets."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

import padron_client
from both import TABLE, Kind, call
from padron_client import calls
from padron_client.pace import LONGEST_WAIT
from scripted import Asked, Reply, Script

OPTIONS = {
    "apiKey": "api_key",
    "baseUrl": "base_url",
    "language": "language",
    "timeoutSeconds": "timeout",
    "maxRetries": "max_retries",
    "cache": "cache",
}


def named(text: str) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in TABLE["cases"] if text in case["name"]]


@pytest.mark.parametrize("case", named(""))
def test_case(case: Mapping[str, Any], kind: Kind, waits: list[float]) -> None:
    exchanges, expect = case["exchanges"], case["expect"]
    with Script([reply(exchange) for exchange in exchanges]) as server:
        given = {"apiKey": TABLE["apiKey"], "baseUrl": server.url} | case.get("client", {})
        given["baseUrl"] = given["baseUrl"].replace(TABLE["defaultBaseUrl"], server.url)
        options = {OPTIONS[name]: {} if name == "cache" else value for name, value in given.items()}
        result = error = None
        try:
            result = call(kind, options, case["call"]["method"], case["call"]["args"], case.get("repeat", 1))
        except (padron_client.APIError, ValueError) as raised:
            error = raised
    assert len(server.asked) == len(exchanges)
    for asked, exchange in zip(server.asked, exchanges, strict=True):
        check_request(asked, exchange["request"], server.asked, given["apiKey"])
    if "error" in expect:
        check_error(error, expect["error"], given["apiKey"])
    else:
        assert error is None, error
        wanted = TABLE["answers"][expect["answer"]] if "answer" in expect else expect["result"]
        check_within(wanted, msgspec.to_builtins(result))
    if "waits" in expect:
        assert len(waits) == len(expect["waits"])
        assert all(low <= wait <= high for wait, (low, high) in zip(waits, expect["waits"], strict=True)), waits


def reply(exchange: Mapping[str, Any]) -> Reply:
    if "failure" in exchange:
        return Reply(failure=exchange["failure"])
    response = exchange["response"]
    if "bytesBase64" in response:
        body = base64.b64decode(response["bytesBase64"])
    elif "text" in response:
        body = response["text"].encode()
    else:
        content = TABLE["answers"][response["answer"]] if "answer" in response else response["json"]
        body = json.dumps(content, ensure_ascii=False).encode()
    return Reply(response["status"], response["headers"], body)


def check_request(asked: Asked, request: Mapping[str, Any], before: list[Asked], key: str) -> None:
    assert (asked.method, asked.path) == (request["method"], request["path"])
    assert asked.query == [tuple(pair) for pair in request.get("query", [])]
    language = {"language": "python", "version": padron_client.__version__}
    assert asked.headers["user-agent"] == TABLE["userAgent"].format(**language)
    for name, wanted in (TABLE["headers"] | request.get("headers", {})).items():
        actual = asked.headers.get(name.lower())
        match wanted:
            case {"pattern": pattern}:
                assert re.search(pattern, actual or ""), name
            case {"sameAsExchange": number}:
                assert actual == before[number].headers[name.lower()]
            case {"differsFromExchange": number}:
                assert actual != before[number].headers[name.lower()]
            case None:
                assert actual is None, name
            case _:
                assert actual == wanted.replace("{apiKey}", key)
    if "body" in request:
        assert asked.json() == request["body"]
    else:
        assert asked.body == b""


def check_error(error: Exception | None, wanted: Mapping[str, Any], key: str) -> None:
    if wanted["name"] == "ArgumentError":
        assert type(error) is ValueError
    else:
        assert isinstance(error, padron_client.APIError)
        assert type(error) is getattr(padron_client, wanted["name"]), repr(error)
        assert (error.status, error.code, error.request_id) == (wanted["status"], wanted["code"], wanted["requestId"])
        if wanted["name"] == "RateLimitError":
            assert error.retry_after == wanted["retryAfter"]
    assert not key.strip() or key not in str(error)


def check_within(wanted: Any, actual: Any) -> None:
    """Every member of `wanted` stands in `found` with its value."""
    if isinstance(wanted, dict):
        assert wanted.keys() <= actual.keys()
        for name, value in wanted.items():
            if value is not None or actual[name] is not None:
                check_within(value, actual[name])
    elif isinstance(wanted, list):
        assert len(wanted) == len(actual)
        for expected, other in zip(wanted, actual, strict=True):
            check_within(expected, other)
    else:
        assert wanted == actual


def test_defaults_and_errors_are_those_of_the_table() -> None:
    retry = TABLE["retry"]
    assert TABLE["defaultBaseUrl"] == padron_client.DEFAULT_BASE_URL
    assert TABLE["timeoutSeconds"] == padron_client.DEFAULT_TIMEOUT
    assert retry["maxRetries"] == padron_client.DEFAULT_MAX_RETRIES
    assert set(calls._RETRIED) == set(retry["retryStatuses"])
    assert [
        retry["initialSeconds"],
        retry["maxSeconds"],
        retry["retryAfterCapSeconds"],
    ] == [calls._FIRST_WAIT, calls._LONGEST_WAIT, LONGEST_WAIT]
    for row in TABLE["errors"]:
        (parent,) = getattr(padron_client, row["name"]).__bases__
        assert parent.__name__ == (row["extends"] or "Exception")


@pytest.mark.parametrize("case", named("search: the query alone"))
def test_a_planted_difference_fails(case: Mapping[str, Any], waits: list[float]) -> None:
    """The runner can fail: in the request, in the result, in an error, in the number of requests."""
    exchange = case["exchanges"][0]
    planted = [
        case | {"exchanges": [exchange | {"request": exchange["request"] | {"path": "/api/v1/other"}}]},
        case | {"exchanges": [exchange | {"request": exchange["request"] | {"headers": {"apiKey": "another"}}}]},
        case | {"expect": {"result": {"q": "other"}}},
        case | {"expect": {"error": {"name": "NotFoundError"}}},
        case | {"exchanges": [exchange, exchange]},
    ]
    for wrong in planted:
        with pytest.raises(AssertionError):
            test_case(wrong, "threads", waits)
