"""Quotas: spent, told, full again; memory that does not grow."""

from __future__ import annotations

import ipaddress
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from padron.accounts.limits import LOOKUP, SEARCH, Counters, Limiter, Quota, Spent
from padron.http.admission import client_key, origin
from shelf import Shelf, service

SEARCHES = "/api/public/empresas/search?q=apple"
COMPANY = "/api/public/empresas/US/320193"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in seconds, in its one cell."""
    now = [1_000_000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    return now


def test_a_quota_is_spent_and_full_again_after_its_window(clock: list[float]) -> None:
    limiter, quota = Limiter(), Quota("test", 3, 60)
    assert limiter.spend(quota, "a") == Spent(True, 2, 60)
    clock[0] += 10
    assert limiter.spend(quota, "a") == Spent(True, 1, 50)
    assert limiter.spend(quota, "a") == Spent(True, 0, 50)
    assert limiter.spend(quota, "a") == Spent(False, 0, 50)
    assert limiter.spend(quota, "b") == Spent(True, 2, 60)
    assert limiter.spend(Quota("other", 3, 60), "a") == Spent(True, 2, 60)
    clock[0] += 49.5
    assert limiter.spend(quota, "a") == Spent(False, 0, 1)
    clock[0] += 0.5
    assert limiter.spend(quota, "a") == Spent(True, 2, 60)


def test_counters_hold_no_more_than_they_may() -> None:
    counters = Counters(most=1000)
    limiter, quota = Limiter(counters), Quota("test", 5, 60)
    limiter.spend(quota, "regular")
    for number in range(5000):
        limiter.spend(quota, f"passer-by {number}")
        if number % 900 == 0:
            limiter.spend(quota, "regular")
    assert counters.reset() == 1000
    assert counters.check()


def test_counters_keep_the_contract_of_the_library(clock: list[float]) -> None:
    counters = Counters()
    assert (counters.get("k"), counters.get_expiry("k")) == (0, clock[0])
    assert counters.incr("k", 10) == 1
    assert counters.incr("k", 10, amount=4) == 5
    assert (counters.get("k"), counters.get_expiry("k")) == (5, clock[0] + 10)
    clock[0] += 10
    assert counters.get("k") == 0
    assert counters.incr("k", 10) == 1
    counters.clear("k")
    assert counters.get("k") == 0


def test_spending_costs_little_with_every_place_taken() -> None:
    limiter = Limiter(Counters(most=20_000))
    for number in range(20_000):
        limiter.spend(SEARCH, str(number))
    best = min(timed(limiter) for _ in range(5))
    assert best < 20e-6, f"{best * 1e6:.1f} µs a request"


def timed(limiter: Limiter) -> float:
    """Seconds a request, over 1,000 requests of 50 clients."""
    started = time.perf_counter()
    for number in range(1000):
        limiter.spend(SEARCH, str(number % 50))
    return (time.perf_counter() - started) / 1000


@pytest.mark.usefixtures("clock")
def test_every_limited_answer_tells_what_is_left() -> None:
    with service(Shelf(), PADRON_LIMITS__ENABLED="1") as client:
        paths = [
            (SEARCHES, 200),
            ("/api/public/empresas/search?q=a", 400),
            ("/api/public/empresas/search?q=0102030405", 404),
        ]
        for spent, (path, status) in enumerate(paths, start=1):
            response = client.get(path)
            assert response.status_code == status
            assert response.headers["ratelimit-policy"] == '"search";q=120;w=60'
            assert response.headers["ratelimit"] == f'"search";r={120 - spent};t=60'
        tag = client.get(SEARCHES).headers["etag"]
        assert client.get(SEARCHES, headers={"if-none-match": tag}).headers["ratelimit"] == '"search";r=115;t=60'
        assert client.get(COMPANY).headers["ratelimit"] == '"lookup";r=299;t=60'
        assert client.head("/api/public/empresas/stats").headers["ratelimit"] == '"lookup";r=298;t=60'


@pytest.mark.parametrize(("language", "word"), [("es", "solicitudes"), ("en", "requests")])
def test_a_spent_quota_is_429_until_its_window_ends(clock: list[float], language: str, word: str) -> None:
    with service(Shelf(), PADRON_LIMITS__ENABLED="1") as client:
        statuses = [client.get(SEARCHES).status_code for _ in range(SEARCH.amount)]
        assert set(statuses) == {200}
        refused = client.get(SEARCHES, headers={"accept-language": language})
        assert refused.status_code == 429
        assert refused.json()["code"] == "rate-limited"
        assert word in refused.json()["detail"]
        assert refused.headers["retry-after"] == "60"
        assert refused.headers["ratelimit"] == '"search";r=0;t=60'
        assert refused.headers["cache-control"] == "no-store"
        assert refused.headers["access-control-allow-origin"] == "*"
        assert client.get(COMPANY).status_code == 200
        assert client.options(SEARCHES).status_code == 204
        clock[0] += SEARCH.window
        assert client.get(SEARCHES).status_code == 200


def test_limits_can_be_switched_off() -> None:
    with service(Shelf(), PADRON_LIMITS__ENABLED="0") as client:
        responses = [client.get(SEARCHES) for _ in range(SEARCH.amount + 5)]
    assert {response.status_code for response in responses} == {200}
    assert not any("ratelimit" in response.headers for response in responses)


def left(response) -> int:
    """What a `lookup` answer says is left."""
    return int(response.headers["ratelimit"].split(";r=")[1].split(";")[0])


def test_only_a_trusted_proxy_is_believed_about_the_client() -> None:
    forwarded = {"x-forwarded-for": "198.51.100.1"}
    with service(Shelf(), PADRON_LIMITS__ENABLED="1") as client:
        assert left(client.get(COMPANY)) == LOOKUP.amount - 1
        assert left(client.get(COMPANY, headers=forwarded)) == LOOKUP.amount - 2
    trusting = {"PADRON_LIMITS__ENABLED": "1", "PADRON_SERVER__TRUSTED_PROXIES": "203.0.113.0/24"}
    with service(Shelf(), **trusting) as client:
        assert left(client.get(COMPANY, headers=forwarded)) == LOOKUP.amount - 1
        assert left(client.get(COMPANY, headers={"x-forwarded-for": "198.51.100.2"})) == LOOKUP.amount - 1
        spoofed = [("x-forwarded-for", "9.9.9.9"), ("x-forwarded-for", "198.51.100.1, 203.0.113.77")]
        assert left(client.get(COMPANY, headers=spoofed)) == LOOKUP.amount - 2
    with service(Shelf(), peer="192.0.2.1", **trusting) as client:
        assert left(client.get(COMPANY, headers=forwarded)) == LOOKUP.amount - 1
        assert left(client.get(COMPANY, headers={"x-forwarded-for": "198.51.100.2"})) == LOOKUP.amount - 2


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
    found = origin(peer, forwarded, TRUSTED)
    assert found == str(ipaddress.ip_address(found))


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
