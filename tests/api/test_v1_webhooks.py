"""Webhooks: signed messages about what changed of a watchlist, to receivers that are down, slow, wrong or private.

The receiver is a real TLS server on this machine; the service resolves its name to the loopback address, which only
these tests let it send to.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import os
import re
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import trustme
import uvloop
from argon2 import PasswordHasher
from starlette.testclient import TestClient

import padron.api.account
import padron.api.webhook_worker
from account_service import DetailedDirectory, Holder, app_of, both, enrol, letters
from padron import threads
from padron.accounts import passwords, webhook_sender
from padron.accounts import webhooks as webhook_queue
from padron.accounts.cleanup import delete_expired
from padron.accounts.store import audit, count, messages, watchlists, webhooks
from padron.accounts.webhook_sender import Begin, Outcome, WebhookSender, is_public, sign
from padron.accounts.webhooks import DELAYS, LEASE, SHOWN, Delivery
from padron.api.webhook_worker import WebhookWorker
from padron.config import load
from padron.errors import Invalid, ReleaseError
from padron.releases.change_log import ChangeFilter, ChangePage
from padron.service import accounts as service_accounts
from padron.threads import Threads
from waiting import PATIENCE, until
from webhook_receiver import HOST, Receiver, here, receiving, trusting

SETTINGS = {"PADRON_LIMITS__ENABLED": "0", "PADRON_BASE_URL": "http://127.0.0.1:8000"}
HOOKS, LISTS = "/api/v1/webhooks", "/api/v1/watchlists"
FAVORITA = {"country": "EC", "identifier": "1790016919001"}


class LoggedDirectory(DetailedDirectory):
    """Companies with a change log: line `n` of `log` stands between the cursors `1-n` and `1-(n + 1)`.

    The first `damaged` lines cannot be read.
    """

    def __init__(self) -> None:
        super().__init__()
        self.log: list[dict[str, Any]] = []
        self.hidden: set[str] = set()
        self.damaged = 0

    async def changes(self, cursor: str | None, limit: int, wanted: ChangeFilter) -> ChangePage:
        place, page = int((cursor or "1-0").partition("-")[2]), []
        if place > len(self.log):
            raise Invalid("bad-cursor", parameter="since")
        if place < self.damaged:
            raise ReleaseError("changes-damaged", file="000001-r1.jsonl")
        while place < len(self.log) and len(page) < limit:
            change, place = self.log[place], place + 1
            page += [change] if wanted.accepts(change, change["numbers"]) else []
        return ChangePage(page, f"1-{place}", more=place < len(self.log))

    async def end_of_changes(self) -> str:
        return f"1-{len(self.log)}"

    def hides(self, country: str, numbers: list[tuple[str, str]]) -> bool:
        return any(value in self.hidden for _, value in numbers)

    def publish(self, after: str, identifier: str = "1790016919001") -> None:
        self.log.append({
            "country": "EC", "scheme": "ec-ruc", "identifier": identifier, "name": "CORPORACION FAVORITA C.A.",
            "change": "status-changed", "before": "active", "after": after, "release": "r1",
            "numbers": [("ec-ruc", identifier)], "at": "2026-11-01T00:00:00+00:00",
        })  # fmt: skip


async def nowhere(host: str, port: int, pool: Threads, begin: Begin) -> Sequence[str]:
    raise OSError("no such host")


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def receiver(authority: trustme.CA) -> Iterator[Receiver]:
    with receiving(authority) as receiver:
        yield receiver


@pytest.fixture
def companies() -> LoggedDirectory:
    return LoggedDirectory()


@pytest.fixture
def holder(
    tmp_path: Path, authority: trustme.CA, companies: LoggedDirectory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Holder]:
    """A holder whose service does the work of webhooks only when a test says `work`, at the second it says `later`."""
    settings = load(SETTINGS, data=tmp_path)
    monkeypatch.setattr(padron.api.account, "FLOOR", 0.0)
    monkeypatch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
    monkeypatch.setattr(WebhookWorker, "queue_changes", _nothing)
    monkeypatch.setattr(WebhookWorker, "send_due", _nothing)
    app = app_of(settings, companies)
    stopped = time.time()
    app.state.services.store._clock = lambda: stopped
    watching = app.state.services.watching
    watching.sender.resolve, watching.sender.is_allowed = here, lambda address: True
    watching.sender._context = trusting(authority)._context
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:
        enrolled = enrol(client, tmp_path)
        client.headers.update(both(enrolled.key()) | {"accept-language": "en"})
        yield enrolled


async def _nothing(_: WebhookWorker) -> None:
    pass


QUEUE, SEND = WebhookWorker.queue_changes, WebhookWorker.send_due


def work(holder: Holder, companies: LoggedDirectory) -> None:
    """Queue what is new and send what is due, until every try begun has ended."""
    watching = holder.services.watching

    async def both_steps() -> None:
        worker = WebhookWorker(watching.webhooks, watching.sender, lambda: companies)
        await QUEUE(worker)
        await SEND(worker)
        while worker._sending:
            await asyncio.wait(worker._sending)
            await SEND(worker)

    asyncio.run(both_steps())


def later(holder: Holder, seconds: int) -> None:
    """Turn the clock of the accounts."""
    clock = holder.services.store._clock
    holder.services.store._clock = lambda: clock() + seconds


def hooked(holder: Holder, url: str) -> tuple[str, str]:
    """A webhook for the watchlist with one company: its id and its secret."""
    listed = holder.client.post(LISTS, json={"name": "Proveedores"}).json()["id"]
    assert holder.client.patch(f"{LISTS}/{listed}", json={"addCompanies": [FAVORITA]}).json()["added"] == 1
    answer = holder.client.post(HOOKS, json={"url": url, "watchlist": listed})
    assert answer.status_code == 201, answer.text
    return answer.json()["webhook"]["id"], answer.json()["secret"]


def log_of(holder: Holder, hook: str) -> list[tuple[str, int | None, str | None, int]]:
    shown = holder.client.get(f"{HOOKS}/{hook}").json()
    return [(entry["state"], entry["status"], entry["fault"], entry["tries"]) for entry in shown["messages"]]


def is_signed(fields: dict[str, str], body: bytes, secret: str) -> bool:
    """Verify as a receiver does, by the text of Standard Webhooks."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{fields['webhook-id']}.{fields['webhook-timestamp']}.".encode() + body
    good = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return f"v1,{good}" in fields["webhook-signature"].split()


def test_a_change_arrives_once_and_signed(holder: Holder, companies: LoggedDirectory, receiver: Receiver) -> None:
    companies.publish("before the webhook")
    hook, secret = hooked(holder, receiver.url)
    work(holder, companies)
    assert receiver.received == []
    companies.publish("dissolved")
    companies.publish("of another company", "1790000000001")
    work(holder, companies)
    work(holder, companies)
    ((fields, body),) = receiver.received
    event = json.loads(body)
    assert event["type"] == "companies.changed"
    (change,) = event["data"]["changes"]
    assert (change["identifier"], change["after"], change["release"]) == ("1790016919001", "dissolved", "r1")
    assert sorted(change) == sorted(
        ("change", "countryCode", "scheme", "identifier", "legalName", "before", "after", "release", "releasedAt")
    )
    assert is_signed(fields, body, secret)
    assert not is_signed(fields, body + b" ", secret)
    assert not is_signed(fields | {"webhook-timestamp": "0"}, body, secret)
    assert fields["host"].startswith(f"{HOST}:")
    assert log_of(holder, hook) == [("delivered", 204, None, 1)]
    shown = holder.client.get(HOOKS).json()["webhooks"]
    assert [(entry["id"], entry["url"], entry["failedTries"]) for entry in shown] == [(hook, receiver.url, 0)]
    with holder.services.store.reading() as connection:
        seeds = connection.execute(webhooks.select()).one()
    assert secret.removeprefix("whsec_") not in str(seeds)


@pytest.mark.verify
def test_a_receiver_that_is_down_gets_everything_in_order_later(
    holder: Holder, companies: LoggedDirectory, authority: trustme.CA, receiver: Receiver
) -> None:
    hook, _ = hooked(holder, receiver.url)
    receiver.answers = [(500, {}), (503, {"retry-after": "3600"}), (204, {})]
    for after in ("one", "two"):
        companies.publish(after)
        work(holder, companies)
    assert receiver.changes() == ["one"], "the second message waits for the first"
    assert log_of(holder, hook) == [("waiting", None, None, 0), ("waiting", 500, "status", 1)]
    later(holder, 6)
    work(holder, companies)
    assert log_of(holder, hook)[1] == ("waiting", 503, "status", 2)
    later(holder, 3_599)
    work(holder, companies)
    assert len(receiver.received) == 2, "Retry-After is kept"
    later(holder, 61)
    work(holder, companies)
    assert receiver.changes() == ["one", "one", "one", "two"]
    ids = [fields["webhook-id"] for fields, _ in receiver.received]
    assert ids[0] == ids[1] == ids[2] != ids[3], "a message keeps its id, by which receivers know it"
    times = {fields["webhook-timestamp"] for fields, _ in receiver.received[:3]}
    assert len(times) == 3, "the time is that of the try"
    assert holder.client.get(f"{HOOKS}/{hook}").json()["webhook"]["failedTries"] == 0


def test_nothing_is_sent_to_where_it_must_not_go(
    holder: Holder, companies: LoggedDirectory, receiver: Receiver, authority: trustme.CA
) -> None:
    hook, _ = hooked(holder, receiver.url)
    sender = holder.services.watching.sender
    with receiving(authority) as other:
        receiver.answers = [(307, {"location": other.url})]
        companies.publish("redirected")
        work(holder, companies)
        assert log_of(holder, hook) == [("waiting", 307, "redirect", 1)]
        assert other.received == []
    sender.is_allowed = is_public
    for fault, resolve in (("not-public", here), ("unresolved", nowhere)):
        sender.resolve = resolve
        later(holder, 100_000)
        work(holder, companies)
        assert log_of(holder, hook)[0][1:3] == (None, fault)
    assert len(receiver.received) == 1

    sender.is_allowed, sender.resolve = lambda address: True, here
    sender._context = ssl.create_default_context()
    later(holder, 100_000)
    work(holder, companies)
    assert log_of(holder, hook)[0][1:3] == (None, "unreachable"), "nobody vouches for the certificate"
    assert len(receiver.received) == 1


@pytest.mark.verify
def test_a_receiver_that_is_slow_or_gone_stops_nobody(
    holder: Holder,
    companies: LoggedDirectory,
    receiver: Receiver,
    authority: trustme.CA,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plans = holder.services.plans.by_code
    monkeypatch.setitem(plans, "free", plans["free"]._replace(webhooks=2))
    slow, _ = hooked(holder, receiver.url)
    listed = holder.client.get(LISTS).json()["watchlists"][0]["id"]
    receiver.answering.clear()
    monkeypatch.setattr(holder.services.watching.sender, "timeout", 0.3)
    with receiving(authority) as other:
        fast = holder.client.post(HOOKS, json={"url": other.url, "watchlist": listed}).json()["webhook"]["id"]
        companies.publish("both")
        work(holder, companies)
        assert log_of(holder, slow) == [("waiting", None, "timeout", 1)]
        assert other.changes() == ["both"]
        other.answers = [(410, {})]
        companies.publish("gone")
        work(holder, companies)
    shown = holder.client.get(f"{HOOKS}/{fast}").json()
    assert shown["webhook"]["disabledAt"] is not None
    assert shown["messages"][0]["status"] == 410


@pytest.mark.verify
def test_after_long_failure_it_is_switched_off_and_its_owner_told(
    holder: Holder, companies: LoggedDirectory, receiver: Receiver
) -> None:
    hook, _ = hooked(holder, receiver.url)
    receiver.answers = [(500, {})]
    companies.publish("one")
    for delay in (*DELAYS, 0):
        work(holder, companies)
        later(holder, round(delay * 1.3) + 1)
    assert len(receiver.received) == len(DELAYS) + 1
    companies.publish("two")
    work(holder, companies)
    assert len(receiver.received) == len(DELAYS) + 1
    shown = holder.client.get(f"{HOOKS}/{hook}").json()["webhook"]
    assert (shown["failedTries"], shown["nextTryAt"]) == (len(DELAYS) + 1, None)
    refused = holder.client.post(f"{HOOKS}/{hook}/test")
    assert (refused.status_code, refused.json()["code"]) == (409, "webhook-disabled")
    holder.services.mail_sender.send_due()
    assert "Se apagó un webhook" in letters(holder.data, at_least=2)[-1]
    receiver.answers = [(200, {})]
    receiver.received.clear()
    assert holder.client.patch(f"{HOOKS}/{hook}", json={"enabled": True}).json()["disabledAt"] is None
    work(holder, companies)
    assert receiver.changes() == ["one", "two"], "no event is lost while it is off"


@pytest.mark.verify
def test_a_secret_is_rotated_without_a_lost_event(
    holder: Holder, companies: LoggedDirectory, receiver: Receiver
) -> None:
    hook, old = hooked(holder, receiver.url)
    rotated = holder.client.post(f"{HOOKS}/{hook}/rotate", json={"overlapSeconds": 3600})
    new = rotated.json()["secret"]
    assert new != old
    companies.publish("during")
    work(holder, companies)
    later(holder, 3_601)
    companies.publish("after")
    work(holder, companies)
    (during, first), (after, second) = receiver.received
    assert is_signed(during, first, old)
    assert is_signed(during, first, new)
    assert is_signed(after, second, new)
    assert not is_signed(after, second, old)


def test_a_second_rotation_does_not_cut_the_overlap_short(
    holder: Holder, companies: LoggedDirectory, receiver: Receiver
) -> None:
    hook, old = hooked(holder, receiver.url)
    new = holder.client.post(f"{HOOKS}/{hook}/rotate", json={"overlapSeconds": 3600}).json()["secret"]
    refused = holder.client.post(f"{HOOKS}/{hook}/rotate", json={"overlapSeconds": 60})
    assert (refused.status_code, refused.json()["code"]) == (409, "webhook-rotating")
    companies.publish("during")
    work(holder, companies)
    assert is_signed(*receiver.received[-1], old)
    assert is_signed(*receiver.received[-1], new)
    leaked = holder.client.post(f"{HOOKS}/{hook}/rotate", json={"overlapSeconds": 0}).json()["secret"]
    companies.publish("at once")
    work(holder, companies)
    assert [is_signed(*receiver.received[-1], secret) for secret in (old, new, leaked)] == [False, False, True]
    again = holder.client.post(f"{HOOKS}/{hook}/rotate", json={"overlapSeconds": 60})
    assert again.status_code == 200


@pytest.mark.verify
def test_workers_queue_and_send_each_change_once(
    holder: Holder, companies: LoggedDirectory, receiver: Receiver
) -> None:
    hook, _ = hooked(holder, receiver.url)
    companies.publish("once")
    watching = holder.services.watching

    async def several() -> None:
        workers = [WebhookWorker(watching.webhooks, watching.sender, lambda: companies) for _ in range(4)]
        await asyncio.gather(*(QUEUE(worker) for worker in workers))
        await asyncio.gather(*(SEND(worker) for worker in workers))
        await asyncio.gather(*(task for worker in workers for task in worker._sending))

    asyncio.run(several())
    assert receiver.changes() == ["once"]
    assert log_of(holder, hook) == [("delivered", 204, None, 1)]


SENDER = """
import asyncio, ssl, sys
from pathlib import Path
from starlette.testclient import TestClient
import test_v1_webhooks as own
companies = own.LoggedDirectory()
app = own.app_of(own.load(own.SETTINGS, data=Path(sys.argv[1])), companies)
own.WebhookWorker.queue_changes = own.WebhookWorker.send_due = own._nothing
with TestClient(app):
    watching = app.state.services.watching
    watching.sender.resolve, watching.sender.is_allowed = own.here, lambda address: True
    watching.sender._context = ssl.create_default_context(cafile=sys.argv[2])

    async def send():
        worker = own.WebhookWorker(watching.webhooks, watching.sender, lambda: companies)
        await own.SEND(worker)
        await asyncio.wait(worker._sending)

    asyncio.run(send())
"""


@pytest.mark.verify
def test_a_message_survives_the_kill_of_the_process_that_sends_it(
    holder: Holder, companies: LoggedDirectory, receiver: Receiver, authority: trustme.CA, tmp_path: Path
) -> None:
    hook, secret = hooked(holder, receiver.url)
    companies.publish("kept")
    watching = holder.services.watching
    asyncio.run(QUEUE(WebhookWorker(watching.webhooks, watching.sender, lambda: companies)))
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    receiver.answering.clear()
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    command = [sys.executable, "-c", SENDER, str(tmp_path), str(tmp_path / "authority.pem")]
    process = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": path}, stderr=subprocess.PIPE)
    until(lambda: receiver.received or process.poll() is not None)
    process.kill()
    _, errors = process.communicate()
    assert process.returncode == -signal.SIGKILL, errors.decode()
    receiver.answering.set()
    work(holder, companies)
    assert len(receiver.received) == 1, "the lease of the dead process runs"
    later(holder, 3_600)  # the lease began by the clock of the process, which had not stopped
    work(holder, companies)
    (first, body), (second, again) = receiver.received
    assert (first["webhook-id"], body) == (second["webhook-id"], again)
    assert is_signed(second, again, secret)
    assert receiver.changes() == ["kept", "kept"]
    assert log_of(holder, hook) == [("delivered", 204, None, 1)]


@pytest.mark.verify
def test_a_message_survives_a_worker_that_is_killed(
    holder: Holder, companies: LoggedDirectory, receiver: Receiver
) -> None:
    hook, _ = hooked(holder, receiver.url)
    companies.publish("kept")
    watching = holder.services.watching

    async def killed() -> None:
        worker = WebhookWorker(watching.webhooks, watching.sender, lambda: companies)
        await QUEUE(worker)
        taken = watching.webhooks.take()
        assert taken is not None
        await watching.sender.send(taken.url, taken.id, taken.taken_at, b"{}", taken.secrets)  # and no record of it

    asyncio.run(killed())
    work(holder, companies)
    assert len(receiver.received) == 1, "the lease of the dead worker runs"
    later(holder, 61)
    work(holder, companies)
    ids = [fields["webhook-id"] for fields, _ in receiver.received]
    assert len(ids) == 2
    assert ids[0] == ids[1], "sent twice rather than never, with the id that tells"
    assert log_of(holder, hook) == [("delivered", 204, None, 1)]


@pytest.mark.verify
def test_a_company_suppressed_in_between_is_not_sent(
    holder: Holder, companies: LoggedDirectory, receiver: Receiver
) -> None:
    hook, _ = hooked(holder, receiver.url)
    receiver.answers = [(500, {})]
    companies.publish("secret")
    work(holder, companies)
    companies.hidden.add("1790016919001")
    later(holder, 10)
    work(holder, companies)
    assert len(receiver.received) == 1
    assert log_of(holder, hook) == [("withdrawn", 500, "status", 1)]


@pytest.mark.verify
def test_the_test_message_and_the_end(holder: Holder, companies: LoggedDirectory, receiver: Receiver) -> None:
    hook, secret = hooked(holder, receiver.url)
    queued = holder.client.post(f"{HOOKS}/{hook}/test")
    assert (queued.status_code, queued.json()["state"]) == (202, "waiting")
    work(holder, companies)
    ((fields, body),) = receiver.received
    assert json.loads(body)["type"] == "webhook.test"
    assert is_signed(fields, body, secret)
    exported = holder.client.get("/api/account/export").json()
    assert [(row["url"], "seed" in row) for row in exported["webhooks"]] == [(receiver.url, False)]
    assert [(row["kind"], "content" in row) for row in exported["messages"]] == [("webhook.test", False)]
    later(holder, SHOWN + 1)
    delete_expired(holder.services.store)
    assert log_of(holder, hook) == []
    assert holder.client.delete(f"{HOOKS}/{hook}").status_code == 204
    for method, path in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/rotate"), ("POST", "/test")):
        answer = holder.client.request(method, f"{HOOKS}/{hook}{path}", json={} if method != "GET" else None)
        assert (answer.status_code, answer.json()["code"]) == (404, "webhook-not-found")


@pytest.mark.verify
def test_a_webhook_goes_with_its_watchlist(holder: Holder, companies: LoggedDirectory, receiver: Receiver) -> None:
    hooked(holder, receiver.url)
    companies.publish("x")
    listed = holder.client.get(LISTS).json()["watchlists"][0]["id"]
    too_many = holder.client.post(HOOKS, json={"url": receiver.url, "watchlist": listed})
    assert (too_many.status_code, too_many.json()["code"]) == (409, "too-many-webhooks")
    assert holder.client.delete(f"{LISTS}/{listed}").status_code == 204
    with holder.services.store.reading() as connection:
        assert [count(connection, table) for table in (watchlists, webhooks, messages)] == [0, 0, 0]
    stranger = holder.client.post(HOOKS, json={"url": receiver.url, "watchlist": listed})
    assert (stranger.status_code, stranger.json()["code"]) == (404, "watchlist-not-found")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://hooks.example.ec/", "not-https"),
        ("ftp://hooks.example.ec/", "not-https"),
        ("https://ana:secret@hooks.example.ec/", "bad-host"),
        ("https://hooks.example.ec/#here", "bad-host"),
        ("https://hooks.example.ec:99999/", "bad-host"),
        ("https:///path", "bad-host"),
        ("https://127.0.0.1/", "not-public"),
        ("https://10.1.2.3:8443/", "not-public"),
        ("https://169.254.169.254/latest/meta-data", "not-public"),
        ("https://[::1]/", "not-public"),
        ("https://[::ffff:192.168.0.1]/", "not-public"),
        ("https://[64:ff9b::a00:1]/", "not-public"),
        ("https://[64:ff9b:1::a00:1]/", "not-public"),
        ("https://[2002:a00:1::]/", "not-public"),
        ("https://[::10.0.0.1]/", "not-public"),
        ("https://[fec0::1]/", "not-public"),
        ("https://[ff0e::1]/", "not-public"),
        ("https://[2001:db8::1]/", "not-public"),
        ("https://[fe80::1]/", "not-public"),
        ("https://0.0.0.0/", "not-public"),
        ("https://100.64.0.1/", "not-public"),
        ("https://224.0.0.1/", "not-public"),
        ("https://192.0.0.8/", "not-public"),
        ("https://192.0.0.11/", "not-public"),
        ("https://192.0.0.192/", "not-public"),
        ("https://192.88.99.1/", "not-public"),
        ("https://168.63.129.16/", "not-public"),
        ("https://[::ffff:192.0.0.192]/", "not-public"),
        ("https://[2001:2::1]/", "not-public"),
        ("https://[3fff::1]/", "not-public"),
        ("https://[5f00::1]/", "not-public"),
        ("https://localhost/", "not-public"),
        ("https://2130706433/", "not-public"),
        ("https://a..b/", "unresolved"),
    ],
)
def test_addresses_that_are_refused(url: str, reason: str) -> None:
    with pytest.raises(Invalid) as refused:
        asyncio.run(WebhookSender().check("acc_1", url))
    assert (refused.value.code, refused.value.context["reason"]) == ("bad-webhook-url", reason)


@pytest.mark.parametrize("address", ["1.1.1.1", "192.0.0.9", "2606:4700::1111", "::ffff:1.1.1.1"])
def test_addresses_of_the_internet_are_taken(address: str) -> None:
    assert is_public(address)


class NameServers:
    """Name servers: all but that of `HOST` are silent until they are `answering`; `begun` has the names asked for."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.answering = threading.Event()

    def ask(self, host: str, *_: object, **__: object) -> list[tuple[object, ...]]:
        self.begun.append(host)
        if host != HOST:
            self.answering.wait(PATIENCE)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("1.1.1.1", 443))]

    async def are_asked(self, names: int) -> None:
        while len(self.begun) < names:
            await asyncio.sleep(0)


@pytest.fixture
def name_servers(monkeypatch: pytest.MonkeyPatch) -> Iterator[NameServers]:
    servers = NameServers()
    monkeypatch.setattr(socket, "getaddrinfo", servers.ask)
    yield servers
    servers.answering.set()


SILENT = "https://silent.example/"


def turn(seconds: float) -> None:
    """Turn the clock of the running event loop."""
    loop = asyncio.get_running_loop()
    before = loop.time
    loop.time = lambda: before() + seconds  # type: ignore[method-assign]


async def codes_of(checks: list[asyncio.Task[None]]) -> list[str | None]:
    outcomes = await asyncio.gather(*checks, return_exceptions=True)
    return [getattr(outcome, "code", None) for outcome in outcomes]


def test_name_servers_that_are_silent_hold_up_nothing_else(name_servers: NameServers) -> None:
    async def check_many() -> list[str | None]:
        sender = WebhookSender()
        sender.timeout = PATIENCE
        checks = [asyncio.create_task(sender.check(f"acc_{number}", SILENT)) for number in range(4)]
        await name_servers.are_asked(4)
        checks += [asyncio.create_task(sender.check(f"acc_{number}", SILENT)) for number in range(4, 44)]
        await asyncio.sleep(0)
        assert await asyncio.to_thread(int, "7") == 7
        assert await webhook_sender.resolve(HOST, 443, threads.RESOLVING, lambda: None) == ["1.1.1.1"]
        name_servers.answering.set()
        return await codes_of(checks)

    assert asyncio.run(check_many()) == [None] * 36 + ["busy"] * 8


def test_silent_name_servers_of_one_account_leave_room_for_the_others(name_servers: NameServers) -> None:
    async def check() -> list[str | None]:
        sender = WebhookSender()
        sender.timeout = PATIENCE
        first = asyncio.create_task(sender.check("acc_1", SILENT))
        await name_servers.are_asked(1)
        await asyncio.sleep(0)
        turn(2 * PATIENCE)
        assert await codes_of([first]) == ["bad-webhook-url"]
        more = [asyncio.create_task(sender.check("acc_1", SILENT)) for _ in range(40)]
        codes = await codes_of(more)
        await sender.check("acc_2", f"https://{HOST}/")
        name_servers.answering.set()
        while sender._checking:
            await asyncio.sleep(0)
        await sender.check("acc_1", SILENT)
        return codes

    assert asyncio.run(check()) == ["busy"] * 40
    assert name_servers.begun == ["silent.example", HOST, "silent.example"]


def test_a_name_that_nobody_asked_for_is_not_unresolved(name_servers: NameServers) -> None:
    async def check() -> list[str | None]:
        sender, hasty = WebhookSender(), WebhookSender()
        sender.timeout, hasty.timeout = PATIENCE, 0.05
        checks = [asyncio.create_task(sender.check(f"acc_{number}", SILENT)) for number in range(4)]
        await name_servers.are_asked(4)
        checks.append(asyncio.create_task(hasty.check("acc_4", f"https://{HOST}/")))
        await asyncio.wait(checks[-1:])
        name_servers.answering.set()
        return await codes_of(checks)

    assert asyncio.run(check()) == [None] * 4 + ["busy"]
    assert HOST not in name_servers.begun


def test_the_time_of_a_receiver_begins_when_its_name_is_asked_for() -> None:
    asked: list[str] = []

    async def check() -> None:
        sender = WebhookSender()
        sender.timeout = 2 * PATIENCE

        async def late(host: str, port: int, pool: Threads, begin: Begin) -> Sequence[str]:
            turn(PATIENCE)
            begin()
            turn(PATIENCE)
            await asyncio.to_thread(asked.append, host)
            return ["1.1.1.1"]

        sender.resolve = late
        await sender.check("acc_1", f"https://{HOST}/")

    asyncio.run(check())
    assert asked == [HOST]


@pytest.mark.parametrize("full", ["no place", "no turn"])
def test_what_the_service_has_no_room_for_is_no_fault_of_the_receiver(
    holder: Holder,
    companies: LoggedDirectory,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    full: str,
) -> None:
    hook, _ = hooked(holder, receiver.url)
    sender, answering = holder.services.watching.sender, threading.Event()
    pool = Threads("full", 1, 0 if full == "no place" else 1)
    monkeypatch.setattr(threads, "RESOLVING", pool)
    monkeypatch.setattr(sender, "resolve", webhook_sender.resolve)
    monkeypatch.setattr(sender, "timeout", 0.05)
    held = pool.submit(answering.wait, PATIENCE)
    companies.publish("kept")
    work(holder, companies)
    assert log_of(holder, hook) == [("waiting", None, None, 0)]
    assert holder.client.get(f"{HOOKS}/{hook}").json()["webhook"]["failedTries"] == 0
    answering.set()
    held.result()
    monkeypatch.setattr(sender, "resolve", here)
    monkeypatch.setattr(sender, "timeout", PATIENCE)
    work(holder, companies)
    assert receiver.received == [], "its lease has not ended"
    later(holder, LEASE)
    work(holder, companies)
    assert receiver.changes() == ["kept"]


def test_a_host_is_looked_up_only_for_a_webhook_that_can_be(
    holder: Holder, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook, _ = hooked(holder, receiver.url)
    listed = holder.client.get(LISTS).json()["watchlists"][0]["id"]
    asked: list[str] = []

    async def noted(host: str, *_: object) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"]

    monkeypatch.setattr(holder.services.watching.sender, "resolve", noted)
    refused = [
        holder.client.post(HOOKS, json={"url": receiver.url, "watchlist": listed}),
        holder.client.post(HOOKS, json={"url": receiver.url, "watchlist": "wl_" + "0" * 24}),
        holder.client.patch(f"{HOOKS}/whk_" + "0" * 24, json={"url": receiver.url}),
    ]
    codes = ["too-many-webhooks", "watchlist-not-found", "webhook-not-found"]
    assert ([answer.json()["code"] for answer in refused], asked) == (codes, [])
    assert holder.client.patch(f"{HOOKS}/{hook}", json={"url": receiver.url}).status_code == 200
    assert asked == [HOST]


def test_a_change_of_nothing_changes_nothing(holder: Holder, companies: LoggedDirectory, receiver: Receiver) -> None:
    hook, _ = hooked(holder, receiver.url)
    receiver.answers = [(500, {})]
    companies.publish("kept")
    work(holder, companies)
    before = holder.client.get(f"{HOOKS}/{hook}").json()["webhook"]
    assert before["failedTries"] == 1
    assert holder.client.patch(f"{HOOKS}/{hook}", json={}).json() == before
    assert holder.client.get(f"{HOOKS}/{hook}").json()["webhook"] == before
    with holder.services.store.reading() as connection:
        assert count(connection, audit, audit.c.event == "webhook-changed") == 0


def test_one_test_message_waits_at_a_time(holder: Holder, companies: LoggedDirectory, receiver: Receiver) -> None:
    hook, _ = hooked(holder, receiver.url)
    first = [holder.client.post(f"{HOOKS}/{hook}/test") for _ in range(3)]
    assert [answer.status_code for answer in first] == [202] * 3
    assert len({answer.json()["id"] for answer in first}) == 1
    work(holder, companies)
    again = holder.client.post(f"{HOOKS}/{hook}/test").json()["id"]
    assert again != first[0].json()["id"]
    work(holder, companies)
    assert log_of(holder, hook) == [("delivered", 204, None, 1)] * 2


def test_a_long_log_is_read_in_parts(
    holder: Holder, companies: LoggedDirectory, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(padron.api.webhook_worker, "PAGES", 2, raising=False)
    hook, _ = hooked(holder, receiver.url)
    for number in range(101):
        companies.publish(str(number))
    worker = WebhookWorker(holder.services.watching.webhooks, holder.services.watching.sender, lambda: companies)
    for queued in (2, 3, 3):
        asyncio.run(QUEUE(worker))
        assert len(log_of(holder, hook)) == queued
    work(holder, companies)
    assert receiver.changes() == [str(number) for number in range(101)]


def test_changes_stay_in_the_log_while_messages_are_not_taken(
    holder: Holder, companies: LoggedDirectory, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook_queue, "MOST_WAITING", 2)
    monkeypatch.setattr(padron.api.webhook_worker, "PAGES", 1)
    hook, _ = hooked(holder, receiver.url)
    for number in range(151):
        companies.publish(str(number))
    worker = WebhookWorker(holder.services.watching.webhooks, holder.services.watching.sender, lambda: companies)
    for _ in range(4):
        asyncio.run(QUEUE(worker))
    assert len(log_of(holder, hook)) == 2
    for _ in range(3):
        work(holder, companies)
    assert receiver.changes() == [str(number) for number in range(151)]


def test_a_damaged_log_stops_only_those_who_read_it(
    holder: Holder, companies: LoggedDirectory, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = holder.services.plans.by_code
    monkeypatch.setitem(plans, "free", plans["free"]._replace(webhooks=2))
    behind, _ = hooked(holder, receiver.url)
    companies.publish("damaged")
    listed = holder.client.get(LISTS).json()["watchlists"][0]["id"]
    ahead = holder.client.post(HOOKS, json={"url": receiver.url, "watchlist": listed}).json()["webhook"]["id"]
    companies.publish("whole")
    companies.damaged = 1
    with pytest.raises(ReleaseError, match="changes-damaged"):
        work(holder, companies)
    assert [len(log_of(holder, hook)) for hook in (behind, ahead)] == [0, 1]
    companies.damaged = 0
    work(holder, companies)
    assert sorted(receiver.changes()) == ["damaged", "whole", "whole"]


def taken(holder: Holder, companies: LoggedDirectory) -> Delivery:
    """Queue what was published, and take the first message of it, as a worker does."""
    watching = holder.services.watching
    asyncio.run(QUEUE(WebhookWorker(watching.webhooks, watching.sender, lambda: companies)))
    delivery = watching.webhooks.take()
    assert delivery is not None
    return delivery


def test_the_end_of_an_address_does_not_disable_the_next(
    holder: Holder, companies: LoggedDirectory, receiver: Receiver, authority: trustme.CA
) -> None:
    hook, _ = hooked(holder, receiver.url)
    companies.publish("moved")
    webhooks, first = holder.services.watching.webhooks, taken(holder, companies)
    with receiving(authority) as other:
        assert holder.client.patch(f"{HOOKS}/{hook}", json={"url": other.url}).status_code == 200
        webhooks.record(first, Outcome(410, "status"))
        shown = holder.client.get(f"{HOOKS}/{hook}").json()
        assert (shown["webhook"]["disabledAt"], shown["webhook"]["failedTries"]) == (None, 0)
        assert shown["messages"][0]["status"] == 410
        work(holder, companies)
        assert other.changes() == ["moved"]
    assert receiver.received == []


def test_the_success_of_an_address_is_none_of_the_next(
    holder: Holder, companies: LoggedDirectory, receiver: Receiver, authority: trustme.CA
) -> None:
    hook, _ = hooked(holder, receiver.url)
    companies.publish("moved")
    webhooks, first = holder.services.watching.webhooks, taken(holder, companies)
    with receiving(authority) as other:
        assert holder.client.patch(f"{HOOKS}/{hook}", json={"url": other.url}).status_code == 200
        second = webhooks.take()
        assert second is not None
        webhooks.record(first, Outcome(204, None))
        assert webhooks.take() is None, "the lease of the second try"
        assert log_of(holder, hook) == [("waiting", 204, None, 1)]
        webhooks.record(second, Outcome(500, "status"))
        assert log_of(holder, hook) == [("waiting", 500, "status", 2)]
        later(holder, 100)
        work(holder, companies)
        assert other.changes() == ["moved"]
    assert log_of(holder, hook) == [("delivered", 204, None, 3)]


def test_a_try_that_ends_late_changes_nothing_of_what_was_delivered(
    holder: Holder, companies: LoggedDirectory, receiver: Receiver
) -> None:
    hook, _ = hooked(holder, receiver.url)
    companies.publish("once")
    webhooks, late = holder.services.watching.webhooks, taken(holder, companies)
    later(holder, LEASE)
    work(holder, companies)
    assert log_of(holder, hook) == [("delivered", 204, None, 1)]
    webhooks.record(late, Outcome(None, "timeout"))
    assert log_of(holder, hook) == [("delivered", 204, None, 1)]
    assert holder.client.get(f"{HOOKS}/{hook}").json()["webhook"]["failedTries"] == 0


def test_slow_receivers_of_one_account_leave_room_for_the_others(
    holder: Holder,
    companies: LoggedDirectory,
    receiver: Receiver,
    authority: trustme.CA,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plans = holder.services.plans.by_code
    monkeypatch.setitem(plans, "free", plans["free"]._replace(webhooks=16))
    first, _ = hooked(holder, receiver.url)
    listed = holder.client.get(LISTS).json()["watchlists"][0]["id"]
    body = {"url": receiver.url, "watchlist": listed}
    hooks = [first, *(holder.client.post(HOOKS, json=body).json()["webhook"]["id"] for _ in range(15))]
    for hook in hooks:
        assert holder.client.post(f"{HOOKS}/{hook}/test").status_code == 202
    later(holder, 1)
    watching = holder.services.watching
    other = both(enrol(holder.client, holder.data, "otra@example.ec").key())
    listed = holder.client.post(LISTS, json={"name": "x"}, headers=other).json()["id"]
    receiver.answering.clear()
    with receiving(authority) as fast:
        body = {"url": fast.url, "watchlist": listed}
        hook = holder.client.post(HOOKS, json=body, headers=other).json()["webhook"]["id"]
        assert holder.client.post(f"{HOOKS}/{hook}/test", headers=other).status_code == 202

        async def send() -> list[str]:
            worker = WebhookWorker(watching.webhooks, watching.sender, lambda: companies)
            await SEND(worker)
            begun = list(worker._sending.values())
            await asyncio.to_thread(until, lambda: len(fast.received) == 1)
            receiver.answering.set()
            await asyncio.wait(worker._sending)
            return begun

        accounts = asyncio.run(send())
    assert sorted(accounts.count(account) for account in set(accounts)) == [1, 4]


@pytest.mark.verify
def test_the_refusal_of_an_address_says_why(holder: Holder, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = holder.client.post(LISTS, json={"name": "x"}).json()["id"]
    monkeypatch.setattr(holder.services.watching.sender, "resolve", webhook_sender.resolve)
    monkeypatch.setattr(holder.services.watching.sender, "is_allowed", is_public)
    refused = holder.client.post(HOOKS, json={"url": "https://127.0.0.1/x", "watchlist": listed})
    assert (refused.status_code, refused.json()["code"]) == (400, "bad-webhook-url")
    assert "(not-public)" in refused.json()["detail"]
    assert refused.json()["errors"][0]["pointer"] == "#/url"


def test_the_signature_is_that_of_the_specification() -> None:
    """The worked example of the libraries of Standard Webhooks."""
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    signature = sign(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.verify
def test_the_service_does_the_work_by_itself(
    tmp_path: Path, authority: trustme.CA, companies: LoggedDirectory, receiver: Receiver
) -> None:
    settings = load({"PADRON_LIMITS__ENABLED": "0", "PADRON_BASE_URL": "http://127.0.0.1:8000"}, data=tmp_path)
    app = app_of(settings, companies)
    sender = app.state.services.watching.sender
    sender.resolve, sender.is_allowed, sender._context = here, lambda address: True, trusting(authority)._context
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:
        holder = enrol(client, tmp_path)
        client.headers.update(both(holder.key()))
        hook, _ = hooked(holder, receiver.url)
        companies.publish("by itself")
        until(lambda: log_of(holder, hook) == [("delivered", 204, None, 1)])
    assert receiver.changes() == ["by itself"]


def test_the_next_message_does_not_wait_for_the_second_of_the_service(
    holder: Holder,
    companies: LoggedDirectory,
    receiver: Receiver,
    authority: trustme.CA,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hook, _ = hooked(holder, receiver.url)
    watching, afters = holder.services.watching, [str(number) for number in range(6)]
    for after in afters:
        companies.publish(after)
        asyncio.run(QUEUE(WebhookWorker(watching.webhooks, watching.sender, lambda: companies)))
    rounds: list[WebhookWorker] = []

    async def send(worker: WebhookWorker) -> None:
        rounds.append(worker)
        await SEND(worker)

    monkeypatch.setattr(WebhookWorker, "send_due", send)
    monkeypatch.setattr(service_accounts, "FLUSH_EVERY", 3_600)
    app = app_of(load(SETTINGS, data=holder.data), companies)
    sender = app.state.services.watching.sender
    sender.resolve, sender.is_allowed, sender._context = here, lambda address: True, trusting(authority)._context
    with TestClient(app):
        until(lambda: log_of(holder, hook) == [("delivered", 204, None, 1)] * len(afters))
    assert receiver.changes() == afters
    assert len(rounds) <= 1 + len(afters), "nothing is looked for while nothing ends"


@contextmanager
def scripted(script: Callable[[socket.socket], None]) -> Iterator[int]:
    """A receiver that does to its one connection what a test says; its end waits until the sender has closed it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE)

        def receive() -> None:
            channel, _ = listener.accept()
            channel.settimeout(PATIENCE)
            channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with channel, suppress(ConnectionError, ssl.SSLError):
                script(channel)

        with ThreadPoolExecutor(1) as pool:
            received = pool.submit(receive)
            yield listener.getsockname()[1]
            received.result()


def outcome_of(
    authority: trustme.CA,
    script: Callable[[ssl.SSLSocket], None],
    run: Callable[[Coroutine[Any, Any, Outcome]], Outcome] = uvloop.run,
    url: str = f"https://{HOST}:{{port}}/",
    body: bytes = b"{}",
) -> Outcome:
    """The end of a try at a receiver that does what a test says over TLS, and then reads until the sender has gone."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(HOST, "127.0.0.1", "::1").configure_cert(context)

    def receive(channel: socket.socket) -> None:
        with context.wrap_socket(channel, server_side=True) as secured:
            script(secured)
            while secured.recv(65_536):
                pass

    sender = trusting(authority)
    sender.timeout = PATIENCE
    with scripted(receive) as port:
        return run(sender.send(url.format(port=port), "msg_1", 1, body, [b"k"]))


CONTINUE = b"HTTP/1.1 100 \r\n\r\n"
DONE = b"HTTP/1.1 204 No Content\r\n"
LOST = Outcome(None, "unreachable")


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        pytest.param(b"HTTP/1.1 103 \r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", Outcome(200, None), id="hints"),
        pytest.param(CONTINUE * 960 + DONE + b"\r\n", Outcome(204, None), id="many within the limit"),
        pytest.param(CONTINUE * 964, LOST, id="many beyond it"),
        pytest.param(DONE + b"x: " + b"a" * 16_000 + b"\r\n\r\n", Outcome(204, None), id="a head within the limit"),
        pytest.param(DONE + b"x: " + b"a" * 16_400, LOST, id="a head beyond it"),
        pytest.param(DONE + b"x: " + b"a" * 16_400 + b"\r\n\r\n", LOST, id="a whole head beyond it"),
        pytest.param(b"HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\na", Outcome(200, None), id="half a body"),
        pytest.param(b"HTTP/1.1 101 \r\n\r\n", LOST, id="a switch of protocols"),
        pytest.param(b"220 mail.example.ec ESMTP\r\n\r\n", LOST, id="no HTTP"),
        pytest.param(b"HTTP/1.1 503 \r\nretry-after: 9\r\n\r\n", Outcome(503, "status", 9), id="later"),
        pytest.param(b"HTTP/1.1 503 \r\n" + b"retry-after: 9\r\n" * 2 + b"\r\n", Outcome(503, "status"), id="twice"),
    ],
)
def test_no_more_of_an_answer_is_read_than_a_head_of_16_kib(
    authority: trustme.CA, answer: bytes, outcome: Outcome, run: Callable[[Coroutine[Any, Any, Outcome]], Outcome]
) -> None:
    """The receiver sends no more: a sender that wanted more would wait."""
    assert outcome_of(authority, lambda channel: channel.sendall(answer), run) == outcome


def test_a_receiver_that_never_stops_answering_is_left(authority: trustme.CA) -> None:
    def flood(channel: ssl.SSLSocket) -> None:
        while True:
            channel.sendall(CONTINUE * 1_000)

    assert outcome_of(authority, flood) == LOST


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
@pytest.mark.parametrize(
    ("answer", "outcome"),
    [(b"", LOST), (DONE, LOST), (b"HTTP/1.1 413 \r\n\r\n", Outcome(413, "status"))],
    ids=["nothing", "half", "refused"],
)
def test_an_answer_counts_though_the_message_was_not_taken(
    authority: trustme.CA, answer: bytes, outcome: Outcome, run: Callable[[Coroutine[Any, Any, Outcome]], Outcome]
) -> None:
    """The receiver takes some of the message, and resets the connection."""

    def refuse(channel: ssl.SSLSocket) -> None:
        channel.recv(1)
        channel.sendall(answer)
        channel.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise ConnectionResetError

    assert outcome_of(authority, refuse, run, body=b" " * 50_000) == outcome


@pytest.mark.parametrize(
    ("url", "target", "host"),
    [
        (f"https://{HOST}:{{port}}", "/", f"{HOST}:{{port}}"),
        ("https://127.0.0.1:{port}/?a=b", "/?a=b", "127.0.0.1:{port}"),
        ("https://[::1]:{port}/a?b?c=/d", "/a?b?c=/d", "[::1]:{port}"),
        (
            'https://HOOKS.Example.ec:{port}/%20%zz/"<>`|^\\[]~?"<>`|\'%',
            "/%20%zz/%22%3C%3E%60|^\\[]~?%22%3C%3E`|'%",
            "HOOKS.Example.ec:{port}",
        ),
    ],
)
def test_a_message_asks_for_the_address_of_its_receiver(
    authority: trustme.CA, url: str, target: str, host: str
) -> None:
    heads: list[list[str]] = []

    def note(channel: ssl.SSLSocket) -> None:
        heads.append(channel.recv(65_536).decode().split("\r\n"))
        channel.sendall(DONE + b"\r\n")

    assert outcome_of(authority, note, url=url) == Outcome(204, None)
    ((asked, *fields),) = heads
    assert asked == f"POST {target} HTTP/1.1"
    assert re.sub(r":\d+$", ":{port}", fields[0]).lower() == f"host: {host}".lower()
    assert "content-length: 2" in map(str.lower, fields)


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def test_a_receiver_that_does_not_greet_is_left(
    authority: trustme.CA, run: Callable[[Coroutine[Any, Any, Outcome]], Outcome]
) -> None:
    def listen(channel: socket.socket) -> None:
        while channel.recv(65_536):
            pass

    sender = trusting(authority)
    sender.timeout = 0.3
    with scripted(listen) as port:
        assert run(sender.send(f"https://{HOST}:{port}/", "msg_1", 1, b"{}", [b"k"])) == Outcome(None, "timeout")


@pytest.mark.verify
def test_an_answer_that_never_ends_its_head_is_a_timeout(authority: trustme.CA) -> None:
    """Bytes that drip in keep every wait for one byte short: the try as a whole is limited."""
    sender = trusting(authority)
    sender.timeout = 0.3
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(HOST).configure_cert(context)

    async def drip(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                writer.write(b"H")
                await writer.drain()
                await asyncio.sleep(0.05)
        except OSError:
            pass

    async def ask() -> Outcome:
        server = await asyncio.start_server(drip, "127.0.0.1", 0, ssl=context)
        port = server.sockets[0].getsockname()[1]
        outcome = await sender.send(f"https://{HOST}:{port}/", "msg_1", 1, b"{}", [b"k"])
        server.close()
        return outcome

    assert asyncio.run(ask()).fault in {"timeout", "unreachable"}
