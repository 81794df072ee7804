"""The key stands in two header fields of each request and nowhere else."""

from __future__ import annotations

import base64
import json
import logging
import traceback
from pathlib import Path
from urllib.parse import quote

import httpx2
import pytest

import padron_client
from both import TABLE, Kind, call
from padron_client import APIError, AsyncPadron, Padron
from padron_client.secret import Scrubber
from scripted import Reply, Script

PACKAGE = str(Path(padron_client.__file__).parent)
SECRET = "pdr_live_planted0planted0planted0planted0000"
FAILURES = [Reply(failure="refused"), Reply(failure="cut"), Reply(failure="stall"), Reply(401), Reply(body=b"garbage")]


def visible_text(error: BaseException) -> str:
    """Every text that an error shows: its texts and members, those of its causes, and the variables of our frames."""
    ours = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if PACKAGE in frame.f_code.co_filename]
    lines = [repr(error), str(error), repr(vars(error)), *(repr(frame.f_locals) for frame in ours)]
    causes = [cause for cause in (error.__cause__, error.__context__) if cause is not None]
    return "\n".join(lines + [visible_text(cause) for cause in causes])


@pytest.mark.parametrize("reply", FAILURES, ids=lambda reply: reply.failure or str(reply.status))
def test_no_failure_tells_the_key(
    reply: Reply, kind: Kind, waits: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with Script([reply] * 3) as server, pytest.raises(APIError) as raised:
        call(kind, {"api_key": SECRET, "base_url": server.url, "timeout": 0.2}, "coverage", {})
    assert server.asked[0].headers["apikey"] == SECRET
    seen = visible_text(raised.value)
    assert "<Padron " in seen or "<AsyncPadron " in seen
    assert SECRET not in seen
    assert caplog.records
    assert SECRET not in caplog.text


def encoded(key: str) -> list[str]:
    """The key as an upstream may repeat it."""
    basic = [base64.b64encode(f"{pad}{key}".encode()).decode() for pad in ("", "u", "u:", "user:")]
    return [key, key.upper(), quote(key.replace("0", "~", 1)), "".join(f"%{ord(c):02X}" for c in key), *basic]


ECHOES = encoded(SECRET)
KERNELS = [SECRET.lower(), *(text[4:-4] for text in encoded(SECRET)[3:])]
"""The key and the middle of each form of it, which must not stand in any text."""


@pytest.mark.parametrize("status", [200, 400, 404, 500])
def test_no_upstream_that_repeats_the_header_fields_makes_the_key_seen(
    status: int, kind: Kind, waits: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    text = " ".join([SECRET, f"Bearer {SECRET}", *ECHOES])
    problem = json.dumps({"type": "about:blank", "title": text, "status": status, "code": text, "detail": text})
    for body in (problem, f"<html>{text}", f'{{"results": "{text}"}}'):
        reply = Reply(status, {"X-Request-Id": SECRET, "X-Echo": text}, body.encode())
        with Script([reply] * 3) as server, pytest.raises(APIError) as raised:
            call(kind, {"api_key": SECRET, "base_url": server.url}, "search", {"q": "planted query"})
        seen = (visible_text(raised.value) + caplog.text).lower()
        assert [kernel for kernel in KERNELS if kernel.lower() in seen] == []
        assert "…" in seen


def test_no_log_of_a_library_holds_the_query(kind: Kind, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with Script([Reply(503), Reply(body=json.dumps(TABLE["answers"]["search"]).encode())]) as server:
        call(kind, {"base_url": server.url}, "search", {"q": "planted query"})
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.INFO] == [
        "ServerError; retry 1 of 2"
    ]
    with Script([Reply(body=b"")]) as server:
        httpx2.get(f"{server.url}/?q=planted")
    assert "planted" in caplog.text


def test_a_short_text_is_no_secret() -> None:
    assert Scrubber("k").clean("ok") == "ok"


@pytest.mark.parametrize("key", [f"{SECRET}\n", f" {SECRET}", f"{SECRET}ñ"])
def test_a_key_that_is_refused_is_not_repeated(key: str) -> None:
    for client in (Padron, AsyncPadron):
        with pytest.raises(ValueError, match="api_key") as raised:
            client(api_key=key)
        assert SECRET not in str(raised.value)


def test_no_repr_tells_the_key() -> None:
    with Padron(api_key=SECRET) as client:
        assert repr(client) == f"<Padron {TABLE['defaultBaseUrl']}>"
        shown = [repr(value) for value in vars(client).values()] + [
            repr(value) for value in vars(client._http).values()
        ]
    assert not any(SECRET in text for text in shown)
    assert repr(AsyncPadron(api_key=SECRET)) == f"<AsyncPadron {TABLE['defaultBaseUrl']}>"


def test_a_planted_leak_is_seen() -> None:
    """Plant the secret in the cause of an error, in its members, and in a variable."""
    error = APIError("lost")
    error.__cause__ = ValueError(f"header {SECRET}")
    assert SECRET in visible_text(error)
    for leak in (APIError("lost", request_id=SECRET), APIError(SECRET)):
        assert SECRET in visible_text(leak)
