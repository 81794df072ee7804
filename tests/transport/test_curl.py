"""Requests with curl: HEAD, 304, preflight and 429, against a real process."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from padron.accounts.plans import read_plans
from process import Server, serving

PATH = "/api/public/empresas/search?q=corporacion+favorita"


class Curled(NamedTuple):
    """An answer as curl shows it."""

    status: int
    fields: dict[str, str]
    body: str


@pytest.fixture(scope="module")
def server(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(release, tmp_path_factory.mktemp("curl"), PADRON_LIMITS__ENABLED="1") as server:
        yield server


def curl(*arguments: str) -> Curled:
    """Run curl and take its answer apart."""
    run = subprocess.run(["curl", "-sS", "-i", *arguments], capture_output=True, text=True, check=True)
    head, _, body = run.stdout.partition("\n\n")
    first, *lines = head.splitlines()
    return Curled(
        int(first.split()[1]),
        {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)},
        body,
    )


def test_head(server: Server) -> None:
    full, head = curl(server.url + PATH), curl("--head", server.url + PATH)
    assert (head.status, head.body) == (200, "")
    assert int(head.fields["content-length"]) == len(full.body.encode())
    assert head.fields["etag"] == full.fields["etag"]


def test_not_modified(server: Server) -> None:
    tag = curl(server.url + PATH).fields["etag"]
    again = curl("-H", f"If-None-Match: {tag}", server.url + PATH)
    assert (again.status, again.body) == (304, "")
    assert curl("-H", f"If-None-Match: {tag}", "-H", "Accept-Language: en", server.url + PATH).status == 200


def test_preflight(server: Server) -> None:
    asked = ["-H", "Origin: https://shop.example", "-H", "Access-Control-Request-Method: GET"]
    answer = curl("-X", "OPTIONS", *asked, server.url + PATH)
    assert answer.status == 204
    assert answer.fields["access-control-allow-origin"] == "*"
    assert answer.fields["access-control-allow-methods"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("method", ["OPTIONS", "GET"])
@pytest.mark.parametrize("accept", ["*/*", "text/html"])
def test_a_target_that_is_no_path(server: Server, method: str, accept: str) -> None:
    answer = curl("-X", method, "--request-target", "*", "-H", f"Accept: {accept}", server.url)
    assert answer.status == 404
    assert ("html" in answer.fields["content-type"]) is (accept == "text/html")


@pytest.mark.parametrize(("language", "word"), [("es", "solicitudes"), ("en", "requests")])
def test_too_many_requests(release: Path, tmp_path: Path, language: str, word: str) -> None:
    with serving(release, tmp_path, PADRON_LIMITS__ENABLED="1") as server:
        quota = read_plans().anonymous.public
        allowed = subprocess.run(
            [
                "curl",
                "-sS",
                "-o",
                "/dev/null",
                "-w",
                "%{http_code}\n",
                f"{server.url}{PATH}&limit=[1-10]#[1-{quota.amount // 10}]",
            ],
            capture_output=True,
            text=True,
            check=True,
        )
        assert allowed.stdout.split() == ["200"] * quota.amount
        refused = curl("-H", f"Accept-Language: {language}", server.url + PATH)
        while refused.status == 200:  # a minute passed meanwhile
            refused = curl("-H", f"Accept-Language: {language}", server.url + PATH)
        assert refused.status == 429
        assert refused.fields["content-type"] == "application/problem+json"
        assert 1 <= int(refused.fields["retry-after"]) <= quota.window + 1
        assert refused.fields["ratelimit"] == f'"public";r=0;t={refused.fields["retry-after"]}'
        assert refused.fields["ratelimit-policy"] == '"public";q=60;w=60'
        assert word in json.loads(refused.body)["detail"]
        assert curl(f"{server.url}/api/public/openapi.json").status == 200
