"""Keys: their form, what is kept of them, and how soon a change holds."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from account_service import PASSWORD, Holder, account_service, both, enrol
from padron.accounts.keys import LINK_PREFIX, PREFIX, Grant, GrantCache, Keys, checksum, is_key, mint
from padron.accounts.store import keys as table
from padron.errors import Denied

SEARCH = "/api/v1/search?q=apple"


def test_the_checksum_is_crc32_in_base_62() -> None:
    body = PREFIX + "0" * 30
    digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    number = 0
    for char in checksum(body):
        number = number * 62 + digits.index(char)
    assert number == zlib.crc32(body.encode())
    assert is_key(body + checksum(body))


def test_keys_are_alike_in_form_only() -> None:
    made = {mint() for _ in range(1000)}
    assert len(made) == 1000
    assert all(is_key(key) and len(key) == 45 for key in made)


@given(st.integers(9, 44), st.sampled_from("0aZ9"))
def test_one_wrong_character_shows(place: int, char: str) -> None:
    key = mint()
    changed = key[:place] + char + key[place + 1 :]
    assert is_key(changed) is (changed == key)


@given(st.text(max_size=60))
def test_nothing_else_is_a_key(text: str) -> None:
    assert not is_key(text)


def test_a_key_is_shown_once_and_kept_as_a_digest(holder: Holder) -> None:
    made = holder.client.post("/api/account/keys", json={"name": "uno"}).json()
    assert set(made) == {"key", "apiKey"}
    key = made["apiKey"]
    assert made["key"]["scopes"] == ["search", "entities", "financials", "watchlists", "checkout"]
    assert made["key"]["ending"] == key[-4:]
    assert key not in holder.client.get("/api/account/keys").text
    with holder.services.store.reading() as connection:
        (row,) = connection.execute(table.select()).mappings()
    assert key not in str(dict(row))
    assert row["digest"] == holder.services.keys.digest(key)


def test_last_used_is_told_after_a_flush(holder: Holder) -> None:
    key = holder.key()
    assert holder.client.get(SEARCH, headers=both(key)).status_code == 200
    holder.services.usage.flush()
    (shown,) = holder.client.get("/api/account/keys").json()["keys"]
    assert shown["lastUsedAt"] is not None


def test_usage_of_an_account_that_is_gone_does_not_hold_up_the_others(
    holder: Holder, enrolled: Callable[[str], Holder]
) -> None:
    kept = holder.key()
    other = enrolled("eva@example.ec")
    gone = other.key()
    for key in (kept, gone, gone):
        assert holder.client.get(SEARCH, headers=both(key)).status_code == 200
    assert other.client.request("DELETE", "/api/account", json={"password": PASSWORD}).status_code == 204
    holder.services.usage.flush()
    assert holder.client.get("/api/v1/usage", headers=both(kept)).json()["history"][0]["answers"] == 1


def test_a_rotated_key_works_beside_the_new_one_for_a_while(holder: Holder) -> None:
    old = holder.key()
    (shown,) = holder.client.get("/api/account/keys").json()["keys"]
    address = f"/api/account/keys/{shown['id']}/rotate"
    rotated = holder.client.post(address, json={"overlapSeconds": 60})
    assert rotated.status_code == 201
    new, store = rotated.json()["apiKey"], holder.services.store
    holder.services.grants.refresh()
    assert [holder.client.get(SEARCH, headers=both(key)).status_code for key in (old, new)] == [200, 200]
    assert holder.client.post(address, json={"overlapSeconds": 60}).json()["code"] == "key-not-in-use"
    later = store.now() + 61
    store._clock = lambda: later
    refused = holder.client.get(SEARCH, headers=both(old))
    assert (refused.status_code, refused.json()["code"]) == (401, "key-expired")
    assert holder.client.get(SEARCH, headers=both(new)).status_code == 200
    listed = {key["name"]: key["state"] for key in holder.client.get("/api/account/keys").json()["keys"]}
    assert listed == {"uno": "active", f"uno ({shown['id'][-6:]})": "expired"}


def test_a_key_that_expires_within_the_overlap_is_rotated_until_then(holder: Holder) -> None:
    store = holder.services.store
    now = store.now()
    store._clock = lambda: now
    ends = datetime.fromtimestamp(now + 3_600, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    old = holder.key(expiresAt=ends)
    (shown,) = holder.client.get("/api/account/keys").json()["keys"]
    address = f"/api/account/keys/{shown['id']}/rotate"
    rotated = holder.client.post(address, json={})
    assert (rotated.status_code, rotated.json()["key"]["expiresAt"]) == (201, ends)
    assert [key["expiresAt"] for key in holder.client.get("/api/account/keys").json()["keys"]] == [ends, ends]
    keys = (old, rotated.json()["apiKey"])
    assert [holder.client.get(SEARCH, headers=both(key)).status_code for key in keys] == [200, 200]
    for overlap in (0, 60, 86_400):
        again = holder.client.post(address, json={"overlapSeconds": overlap})
        assert (again.status_code, again.json()["code"]) == (409, "key-not-in-use")
        assert again.json()["detail"] == "Esa clave fue revocada, venció o ya fue reemplazada: no se puede rotar."
    store._clock = lambda: now + 3_600
    for key in keys:
        assert holder.client.get(SEARCH, headers=both(key)).json()["code"] == "key-expired"
    expired = f"/api/account/keys/{rotated.json()['key']['id']}/rotate"
    assert holder.client.post(expired, json={}).json()["code"] == "key-not-in-use"


def test_a_revoked_key_dies_in_every_memory(holder: Holder) -> None:
    key = holder.key()
    memories = [GrantCache(holder.services.keys, holder.services.store) for _ in range(2)]
    digest = holder.services.keys.digest(key)
    for memory in memories:
        memory.refresh()
        memory.look_up(digest)
        assert memory.cached(digest) is not None
    (shown,) = holder.client.get("/api/account/keys").json()["keys"]
    assert holder.client.delete(f"/api/account/keys/{shown['id']}").status_code == 204
    assert holder.client.delete(f"/api/account/keys/{shown['id']}").status_code == 204
    for memory in memories:
        memory.refresh()
        assert memory.cached(digest) is None
        with pytest.raises(Denied, match="key-revoked"):
            memory.look_up(digest)
    events = [line["event"] for line in holder.client.get("/api/account/export").json()["audit"]]
    assert events.count("key-revoked") == 1


def test_a_look_up_that_a_revocation_overtakes_is_not_remembered(holder: Holder) -> None:
    digest = holder.services.keys.digest(holder.key())
    memory, real = GrantCache(holder.services.keys, holder.services.store), Keys.look_up

    def overtaken(self: Keys, digest: str):
        result = real(self, digest)
        (shown,) = self.of(result.account)
        self.revoke(result.account, shown.id)
        memory.refresh()
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Keys, "look_up", overtaken)
        memory.look_up(digest)
    assert memory.cached(digest) is None


def test_a_revocation_at_the_last_moment_of_a_look_up_is_not_missed(holder: Holder) -> None:
    keys, digest = holder.services.keys, holder.services.keys.digest(holder.key())
    memory = GrantCache(keys, holder.services.store)
    account = holder.services.holders.holder_of(holder.client.cookies["padron"]).id

    class Overtaken(dict[str, Grant]):
        """A cache that is looked at in the moment in which the key is revoked."""

        def __len__(self) -> int:
            keys.revoke(account, keys.of(account)[0].id)
            memory.refresh()
            return super().__len__()

    memory.refresh()
    memory._grants = Overtaken()
    memory.look_up(digest)
    assert memory.cached(digest) is None


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"name": "uno"}, 409, "key-name-taken"),
        ({"name": ""}, 400, "invalid-field"),
        ({"name": "  "}, 400, "invalid-field"),
        ({"name": "a\nb"}, 400, "invalid-field"),
        ({"name": "x" * 61}, 400, "invalid-field"),
        ({"name": "dos", "scopes": ["everything"]}, 400, "invalid-field"),
        ({"name": "dos", "scopes": []}, 400, "invalid-field"),
        ({"name": "dos", "expiresAt": "2020-01-01T00:00:00Z"}, 400, "expiry-past"),
        ({"name": "dos", "expiresAt": "2030-01-01T00:00:00"}, 400, "invalid-field"),
        ({"name": "dos", "allowedAddresses": ["192.0.2.1/24"]}, 400, "bad-network"),
        ({"name": "dos", "allowedAddresses": ["everywhere"]}, 400, "bad-network"),
        ({"name": "dos", "allowedAddresses": ["192.0.2.1"] * 21}, 400, "invalid-field"),
        ({"name": "dos", "allowedOrigins": ["app.example"]}, 400, "bad-origin"),
        ({"name": "dos", "allowedOrigins": ["https://app.example/page"]}, 400, "bad-origin"),
        ({"name": "dos", "allowedOrigins": ["https://app.example https://b.example"]}, 400, "bad-origin"),
        ({"name": "dos", "allowedOrigins": ["null"]}, 400, "bad-origin"),
        ({"name": "dos", "allowedOrigins": ["https://a.example"] * 21}, 400, "invalid-field"),
        ({"name": "dos", "answersPerDay": 0}, 400, "invalid-field"),
        ({"name": "dos", "answersPerDay": 2.5}, 400, "invalid-field"),
        ({"name": "dos", "answersPerDay": 5, "test": True}, 400, "test-key-quota"),
        ({"scopes": ["search"]}, 400, "missing-field"),
        ({"name": "dos", "admin": True}, 400, "unknown-field"),
    ],
)
def test_a_key_that_cannot_be_made(holder: Holder, body: dict[str, object], status: int, code: str) -> None:
    holder.key()
    response = holder.client.post("/api/account/keys", json=body)
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert response.headers["content-type"] == "application/problem+json"


def test_a_key_may_end_at_the_last_moment_that_there_is(holder: Holder) -> None:
    given = {"name": "uno", "expiresAt": "9999-12-31T23:59:59.999999Z"}
    assert holder.client.post("/api/account/keys", json=given).json()["key"]["expiresAt"] == "9999-12-31T23:59:59Z"
    assert holder.client.get("/api/account/keys").status_code == 200


def test_a_plan_has_so_many_keys(holder: Holder) -> None:
    for number in range(5):
        holder.key(f"k{number}")
    refused = holder.client.post("/api/account/keys", json={"name": "one more"})
    assert (refused.status_code, refused.json()["code"]) == (409, "too-many-keys")
    first, second, *_ = (key["id"] for key in holder.client.get("/api/account/keys").json()["keys"])
    rotated = [holder.client.post(f"/api/account/keys/{key}/rotate", json={}) for key in (first, first, second)]
    assert [answer.status_code for answer in rotated] == [201, 409, 409]
    assert [answer.json()["code"] for answer in rotated[1:]] == ["key-not-in-use", "too-many-keys"]


def test_a_key_works_only_from_its_addresses(holder: Holder) -> None:
    def status(address: str) -> tuple[int, str | None]:
        caller = TestClient(holder.client.app, client=(address, 1), base_url=str(holder.client.base_url))
        response = caller.get(SEARCH, headers=both(key))
        return response.status_code, response.json().get("code")

    made = holder.client.post(
        "/api/account/keys", json={"name": "uno", "allowedAddresses": ["192.0.2.0/24", "2001:DB8::1"]}
    )
    key = made.json()["apiKey"]
    assert made.json()["key"]["allowedAddresses"] == ["192.0.2.0/24", "2001:db8::1/128"]
    for address in ("192.0.2.9", "::ffff:192.0.2.9", "2001:db8::1"):
        assert status(address) == (200, None)
    for address in ("192.0.3.9", "2001:db8::2"):
        assert status(address) == (403, "address-not-allowed")
    rotated = holder.client.post(f"/api/account/keys/{made.json()['key']['id']}/rotate", json={}).json()
    assert rotated["key"]["allowedAddresses"] == ["192.0.2.0/24", "2001:db8::1/128"]
    key = rotated["apiKey"]
    assert status("192.0.3.9") == (403, "address-not-allowed")


def test_addresses_of_a_key_are_those_that_a_caller_can_have(holder: Holder) -> None:
    mapped = {"name": "uno", "allowedAddresses": ["::ffff:192.0.2.7", "::ffff:192.0.2.0/120"]}
    made = holder.client.post("/api/account/keys", json=mapped).json()
    assert made["key"]["allowedAddresses"] == ["192.0.2.7/32", "192.0.2.0/24"]
    caller = TestClient(holder.client.app, client=("192.0.2.7", 1), base_url=str(holder.client.base_url))
    assert caller.get(SEARCH, headers=both(made["apiKey"])).status_code == 200
    for wrong in ("fe80::1%eth0", "fe80::%1/64", "::ffff:0:0/90"):
        refused = holder.client.post("/api/account/keys", json={"name": "dos", "allowedAddresses": [wrong]})
        assert (wrong, refused.status_code, refused.json()["code"]) == (wrong, 400, "bad-network")


@pytest.mark.parametrize("port", ["0", "00080", "65536", "99999"])
def test_an_origin_has_a_port_that_there_is(holder: Holder, port: str) -> None:
    body = {"name": "uno", "allowedOrigins": [f"https://app.example:{port}"]}
    refused = holder.client.post("/api/account/keys", json=body)
    assert (refused.status_code, refused.json()["code"]) == (400, "bad-origin")


def test_a_key_works_only_in_pages_of_its_origins(holder: Holder) -> None:
    def status(origin: str | None) -> tuple[int, str | None, str | None]:
        caller = TestClient(holder.client.app, base_url=str(holder.client.base_url))
        response = caller.get(SEARCH, headers=both(key) | ({"origin": origin} if origin else {}))
        return response.status_code, response.json().get("code"), response.headers["access-control-allow-origin"]

    origins = ["https://App.Example:443", "http://localhost:3000"]
    made = holder.client.post("/api/account/keys", json={"name": "uno", "allowedOrigins": origins}).json()
    key = made["apiKey"]
    assert made["key"]["allowedOrigins"] == ["https://app.example", "http://localhost:3000"]
    for origin in made["key"]["allowedOrigins"]:
        assert status(origin) == (200, None, "*")
    for other in (None, "null", "http://app.example", "https://app.example:8443", "https://app.example.evil.example"):
        assert status(other) == (403, "origin-not-allowed", "*")
    rotated = holder.client.post(f"/api/account/keys/{made['key']['id']}/rotate", json={}).json()
    assert rotated["key"]["allowedOrigins"] == made["key"]["allowedOrigins"]


@pytest.mark.usefixtures("one_moment")
def test_a_key_has_a_daily_quota_of_its_own(tmp_path: Path, store_url: str) -> None:
    with account_service(tmp_path, PADRON_ACCOUNTS__URL=store_url, PADRON_LIMITS__ENABLED="1") as client:
        holder = enrol(client, tmp_path)
        made = client.post("/api/account/keys", json={"name": "uno", "answersPerDay": 3}).json()
        small, other = made["apiKey"], holder.key("dos")
        assert made["key"]["answersPerDay"] == 3
        before = left(holder)
        assert client.get("/api/v1/entities/EC/9", headers=both(small)).status_code == 404, "takes nothing"
        answers = [client.get(SEARCH, headers=both(small)) for _ in range(5)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
        assert '"key-day";r=2;' in answers[0].headers["ratelimit"]
        assert '"key-day";q=3;w=86400' in answers[0].headers["ratelimit-policy"]
        refused = answers[-1].json()
        assert (refused["code"], refused["violated-policies"]) == ("key-quota-exceeded", ["key-day"])
        assert client.get(SEARCH, headers=both(other)).status_code == 200
        assert before - left(holder) == 4, "what the key was refused was not counted for the account"
        number = made["key"]["id"]
        for _ in range(2):
            rotated = client.post(f"/api/account/keys/{number}/rotate", json={}).json()
            assert rotated["key"]["answersPerDay"] == 3
            number, small = rotated["key"]["id"], rotated["apiKey"]
            refused = client.get(SEARCH, headers=both(small))
            assert (refused.status_code, refused.json()["code"]) == (429, "key-quota-exceeded")
        holder.services.usage.flush()
        digest = holder.services.keys.digest(small)
        assert holder.services.keys.look_up(digest).key_used == 3, "read again after a restart"


@pytest.mark.usefixtures("one_moment")
def test_what_the_account_is_refused_is_not_counted_for_the_key(tmp_path: Path, store_url: str) -> None:
    plans = tmp_path / "plans.toml"
    bundled = Path("src/padron/accounts/plans.toml").read_text()
    plans.write_text(bundled.replace("per_day = 1_000", "per_day = 2"))
    variables = {"PADRON_ACCOUNTS__URL": store_url, "PADRON_ACCOUNTS__PLANS": str(plans)}
    with account_service(tmp_path, **variables, PADRON_LIMITS__ENABLED="1") as client:
        key = enrol(client, tmp_path).key(answersPerDay=3)
        answers = [client.get(SEARCH, headers=both(key)) for _ in range(4)]
        codes = [answer.json().get("code") for answer in answers]
        assert codes == [None, None, "quota-exceeded", "quota-exceeded"]


def left(holder: Holder) -> int:
    """Return the rest of the daily quota of the account."""
    return holder.client.get("/api/account/usage").json()["day"]["remaining"]


def test_keys_of_others_are_not_there(holder: Holder, enrolled: Callable[[str], Holder]) -> None:
    holder.key()
    (shown,) = holder.client.get("/api/account/keys").json()["keys"]
    other = enrolled("eva@example.ec")
    for method, path in (("DELETE", ""), ("POST", "/rotate")):
        body = {"json": {}} if method == "POST" else {}
        response = other.client.request(method, f"/api/account/keys/{shown['id']}{path}", **body)
        assert (response.status_code, response.json()["code"]) == (404, "key-not-found")
    other.client.post("/api/account/session", json={"email": "ana@example.ec", "password": PASSWORD})
    assert other.client.get("/api/account/keys").json()["keys"][0]["state"] == "active"


@pytest.mark.usefixtures("one_moment")
def test_making_and_replacing_keys_is_limited_and_revoking_is_not(tmp_path: Path) -> None:
    with account_service(tmp_path, PADRON_LIMITS__ENABLED="1") as client:
        holder = enrol(client, tmp_path)
        holder.key()
        (shown,) = client.get("/api/account/keys").json()["keys"]
        again = {"name": "uno"}  # the name is taken
        assert {client.post("/api/account/keys", json=again).status_code for _ in range(199)} == {409}
        for path in ("", f"/{shown['id']}/rotate"):
            refused = client.post(f"/api/account/keys{path}", json={} if path else again)
            assert (refused.status_code, refused.json()["code"]) == (429, "too-many-attempts")
        assert client.delete(f"/api/account/keys/{shown['id']}").status_code == 204


@pytest.mark.parametrize(
    "more",
    [{"scopes": ["reconcile", "search"]}, {"test": True}, {"answersPerDay": 5}],
    ids=lambda more: next(iter(more)),
)
def test_a_key_for_an_address_does_nothing_else(holder: Holder, more: dict[str, Any]) -> None:
    refused = holder.client.post("/api/account/keys", json={"name": "uno", "scopes": ["reconcile"], **more})
    assert (refused.status_code, refused.json()["code"]) == (400, "link-key-alone")


def test_a_key_for_an_address_is_made_shown_once_and_replaced(holder: Holder) -> None:
    page = "/en/account/keys"
    made = holder.client.post(page, data={"do": "create", "name": "OpenRefine", "may-reconcile": "1"}).text
    key = made.split('id="new-key">')[1].split("<")[0]
    assert key.startswith(LINK_PREFIX)
    assert f"http://127.0.0.1:8000/reconcile/key/{key}</code>" in made
    assert "Authorization" not in made
    shown = holder.client.get(page).text
    assert (key in shown, "reconcile</span>" in shown) == (False, True)
    (listed,) = holder.client.get("/api/account/keys").json()["keys"]
    assert listed["scopes"] == ["reconcile"]
    rotated = holder.client.post(f"/api/account/keys/{listed['id']}/rotate", json={})
    assert rotated.json()["apiKey"].startswith(LINK_PREFIX)
    assert "Solo para OpenRefine" in holder.client.get("/es/account/keys").text
    assert "reconcile" not in holder.client.post("/api/account/keys", json={"name": "dos"}).json()["key"]["scopes"]
