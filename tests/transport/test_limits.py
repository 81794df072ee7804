"""Quotas of callers without a key: spent, told, granted again, by address; and over two workers, one quota."""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

import servers
from account_service import served
from memory_directory import MemoryDirectory, service
from padron.accounts.plans import read_plans
from padron.accounts.rate_limits import DAY, LocalRateLimiter, Quota
from padron.transport.call import Call
from padron.transport.client_limits import ClientLimits, client_key, origin

SEARCH = "/api/public/empresas/search?q=apple"
COMPANY = "/api/public/empresas/US/320193"
PUBLIC, _, TYPE_AHEAD = read_plans().anonymous


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in seconds, in its one cell; a minute begins."""
    now = [20_000.0 * DAY]
    monkeypatch.setattr(time, "time", lambda: now[0])
    return now


def test_what_the_bundled_table_grants() -> None:
    assert Quota("public", 60, 60) == PUBLIC
    assert Quota("type-ahead", 300, 60) == TYPE_AHEAD


@pytest.mark.usefixtures("clock")
def test_every_limited_answer_tells_what_is_left() -> None:
    with service(MemoryDirectory(), PADRON_LIMITS__ENABLED="1") as client:
        tag = client.get(SEARCH).headers["etag"]
        asked = [
            (COMPANY, {}, 200),
            ("/api/public/empresas/stats", {}, 200),
            ("/api/public/empresas/search?q=a", {}, 400),
            ("/api/public/empresas/search?q=0102030405", {}, 404),
            (SEARCH, {"if-none-match": tag}, 304),
        ]
        for spent, (path, headers, status) in enumerate(asked, start=2):
            response = client.get(path, headers=headers)
            assert response.status_code == status
            assert response.headers["ratelimit-policy"] == '"public";q=60;w=60'
            assert response.headers["ratelimit"] == f'"public";r={60 - spent};t=61'
        assert client.head(COMPANY).headers["ratelimit"] == '"public";r=53;t=61'


@pytest.mark.parametrize(("language", "word"), [("es", "solicitudes"), ("en", "requests")])
def test_a_spent_quota_is_429_until_its_window_ends(clock: list[float], language: str, word: str) -> None:
    with service(MemoryDirectory(), PADRON_LIMITS__ENABLED="1") as client:
        clock[0] += 45
        assert {client.get(SEARCH).status_code for _ in range(PUBLIC.amount)} == {200}
        refused = client.get(COMPANY, headers={"accept-language": language})
        assert refused.status_code == 429
        assert refused.json()["code"] == "rate-limited"
        assert refused.json()["violated-policies"] == ["public"]
        assert word in refused.json()["detail"]
        assert refused.headers["retry-after"] == "16"
        assert refused.headers["ratelimit"] == '"public";r=0;t=16'
        assert refused.headers["cache-control"] == "no-store"
        assert refused.headers["access-control-allow-origin"] == "*"
        assert client.options(SEARCH).status_code == 204
        clock[0] += 16  # a second of the next minute: 59/60 of what was asked in the last one still weighs
        assert [client.get(SEARCH).status_code for _ in range(2)] == [200, 429]
        clock[0] += 30
        assert [client.get(SEARCH).status_code for _ in range(31)] == [200] * 30 + [429]


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("path", [SEARCH, COMPANY, "/api/v1/search?q=apple"])
def test_limits_can_be_switched_off(path: str) -> None:
    with service(MemoryDirectory(), PADRON_LIMITS__ENABLED="0") as client:
        responses = [client.get(path) for _ in range(PUBLIC.amount + 5)]
    assert {response.status_code for response in responses} == {401 if "v1" in path else 200}
    assert not any("ratelimit" in response.headers for response in responses)


@pytest.mark.usefixtures("clock")
def test_a_sitemap_counts_as_the_pages_that_it_takes_as_long_as() -> None:
    with service(MemoryDirectory(), PADRON_LIMITS__ENABLED="1") as client:
        names = ("pages", "ec-99", "lists-zz")
        assert [left(client.get(f"/sitemaps/es/{name}.xml")) for name in names] == [5_999, 5_899, 5_799]


@pytest.mark.usefixtures("clock")
def test_a_list_as_a_file_counts_as_the_pages_that_hold_its_companies() -> None:
    with service(MemoryDirectory(), PADRON_LIMITS__ENABLED="1") as client:
        names = ("zz", "zz.csv", "zz/a.csv", "zz/a/b.csv", "zz/a/b")
        asked = [left(client.get(f"/es/directorio/{name}")) for name in names]
    assert asked == [5_999, 5_979, 5_959, 5_939, 5_938]


@pytest.mark.usefixtures("clock")
def test_pages_and_typing_have_quotas_of_their_own() -> None:
    client_limits = ClientLimits(LocalRateLimiter(slots=64), read_plans().anonymous, ())
    scope = {"headers": [], "path": "/", "client": ("198.51.100.1", 1), "method": "GET"}
    left = []
    for quota in client_limits.quotas:
        call = Call(scope)
        asyncio.run(client_limits.admit(call, quota))
        left.append(dict(call.headers)[b"ratelimit"])
    assert left == [b'"public";r=59;t=61', b'"pages";r=5999;t=61', b'"type-ahead";r=299;t=61']


def left(response) -> int:
    """The state of a quota that an answer reports."""
    return int(response.headers["ratelimit"].split(";r=")[1].split(";")[0])


@pytest.mark.usefixtures("clock")
def test_only_a_trusted_proxy_is_believed_about_the_client() -> None:
    forwarded = {"x-forwarded-for": "198.51.100.1"}
    with service(MemoryDirectory(), PADRON_LIMITS__ENABLED="1") as client:
        assert left(client.get(COMPANY)) == 59
        assert left(client.get(COMPANY, headers=forwarded)) == 58
    trusting = {"PADRON_LIMITS__ENABLED": "1", "PADRON_SERVER__TRUSTED_PROXIES": "203.0.113.0/24"}
    with service(MemoryDirectory(), **trusting) as client:
        assert left(client.get(COMPANY, headers=forwarded)) == 59
        assert left(client.get(COMPANY, headers={"x-forwarded-for": "198.51.100.2"})) == 59
        spoofed = [("x-forwarded-for", "9.9.9.9"), ("x-forwarded-for", "198.51.100.1, 203.0.113.77")]
        assert left(client.get(COMPANY, headers=spoofed)) == 58
        for number, address in enumerate(("2001:db8:1:2::1", "2001:db8:1:2:ffff::9")):
            assert left(client.get(COMPANY, headers={"x-forwarded-for": address})) == 59 - number
    with service(MemoryDirectory(), peer="192.0.2.1", **trusting) as client:
        assert left(client.get(COMPANY, headers=forwarded)) == 59
        assert left(client.get(COMPANY, headers={"x-forwarded-for": "198.51.100.2"})) == 58


@pytest.fixture(params=["memory", "redis"])
def counted(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """Settings by which workers count together."""
    environment = {"PADRON_LIMITS__ENABLED": "1", "PADRON_SERVER__TRUSTED_PROXIES": "127.0.0.0/8"}
    if request.param == "memory":
        yield environment
        return
    with servers.redis() as (url, _):
        yield environment | {"PADRON_LIMITS__URL": url}


@pytest.mark.verify
def test_two_workers_hold_one_quota_to_a_request(tmp_path: Path, counted: dict[str, str]) -> None:
    with served(tmp_path, 2, **counted) as (_, base), ThreadPoolExecutor(16) as crowd:

        def statuses(address: str) -> list[int]:
            def ask(_: int) -> int:
                return httpx2.get(base + SEARCH, headers={"x-forwarded-for": address}, timeout=30).status_code

            return list(crowd.map(ask, range(150)))

        for number in range(9):  # until one burst lies within one minute: only then no window slides under it
            began = time.time() // 60
            answered = statuses(f"198.51.100.{number}")
            if time.time() // 60 == began:
                break
        assert (answered.count(200), answered.count(429)) == (60, 90)


TRUSTED = tuple(map(ipaddress.ip_network, ("10.0.0.0/8", "2001:db8:ffff::/48")))


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("198.51.100.1", "", "198.51.100.1"),
        ("198.51.100.1", "9.9.9.9", "198.51.100.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "9.9.9.9, 198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1, 10.2.3.4", "198.51.100.1"),
        ("10.0.0.1", "10.2.3.4, 10.0.0.9", "10.2.3.4"),
        ("10.0.0.1", "unknown", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1, nonsense, 10.0.0.9", "10.0.0.9"),
        ("10.0.0.1", "198.51.100.1:4711", "198.51.100.1"),
        ("2001:db8:ffff::1", "[2001:db8:1::5]:4711", "2001:db8:1::5"),
        ("::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("", "198.51.100.1", ""),
    ],
)
def test_the_origin_of_a_request(peer: str, forwarded: str, address: str) -> None:
    assert origin(peer, forwarded, TRUSTED) == address


@given(st.text(), st.sampled_from(["10.0.0.1", "198.51.100.1", "2001:db8:ffff::1"]))
def test_no_header_breaks_the_origin(forwarded: str, peer: str) -> None:
    address = origin(peer, forwarded, TRUSTED)
    assert address == str(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("198.51.100.1", "198.51.100.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("::ffff:198.51.100.1", "198.51.100.1"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", "unknown"),
    ],
)
def test_what_stands_for_a_client(address: str, key: str) -> None:
    assert client_key(address) == key
