"""Tables and transactions, on both databases: migrations forward and back, durability, the store being gone."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, inspect, select, text, update
from starlette.testclient import TestClient

from account_service import PASSWORD, DetailedDirectory, account_service, app_of, both, enrol
from next_migration import plant_next_migration
from padron import config, threads
from padron.accounts.audit import note
from padron.accounts.keys import mint
from padron.accounts.secret import Secret, read_secret, secret_of
from padron.accounts.store import Store, _embedded, audit, count, increment_revision, metadata, revision
from padron.cli import doctor
from padron.errors import Invalid, Unavailable, messages
from padron.service import accounts as service_accounts
from padron.service import background
from padron.service.accounts import Services
from starving import no_file_beyond
from waiting import PATIENCE, until


def tables(store: Store) -> set[str]:
    with store.reading() as connection:
        return set(inspect(connection).get_table_names())


def test_migrations_make_the_tables_of_the_program_once(open_store: Callable[..., Store]) -> None:
    store = open_store()
    store.migrate()
    assert tables(store) == {*metadata.tables, "alembic_version"}
    with store.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        assert connection.execute(select(revision.c.number)).all() == [(0,)]
    with store.writing() as connection:
        increment_revision(connection)
    store.migrate()
    with store.reading() as connection:
        assert connection.execute(select(revision.c.number)).all() == [(1,)]


def test_workers_that_start_together_migrate_once(open_store: Callable[..., Store]) -> None:
    stores = [open_store() for _ in range(6)]
    errors: list[BaseException] = []

    def migrate(store: Store) -> None:
        try:
            store.migrate()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=migrate, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with stores[0].reading() as connection:
        assert connection.execute(select(revision.c.number)).all() == [(0,)]


def test_a_start_waits_for_another_one_that_changes_the_journal(tmp_path: Path) -> None:
    """SQLite tells a connection at once that another one is changing the journal of a new database."""
    path = tmp_path / "accounts.sqlite"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    threading.Timer(0.05, other.execute, ["COMMIT"]).start()
    connection = sqlite3.connect(path, timeout=0)
    _embedded(connection, None)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()
    other.close()


def test_a_transaction_is_whole_or_not_at_all(open_store: Callable[..., Store]) -> None:
    store = open_store()
    store.migrate()
    with pytest.raises(ZeroDivisionError), store.writing() as connection:
        assert note(connection, 1, "account", "signed-up", account="a") or 1 // 0
    with store.writing() as connection:
        note(connection, 1, "account", "verified", account="a")
    with store.reading() as connection:
        assert count(connection, audit) == 1


def test_writers_wait_for_each_other(open_store: Callable[..., Store]) -> None:
    store = open_store()
    store.migrate()

    def raise_it() -> None:
        for _ in range(25):
            with store.writing() as connection:
                increment_revision(connection)

    threads = [threading.Thread(target=raise_it) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.reading() as connection:
        assert connection.execute(select(revision.c.number)).all() == [(200,)]


@pytest.mark.parametrize("url", ["postgresql+psycopg://x@127.0.0.1:1/x", "sqlite:////nowhere/at/all.sqlite"])
def test_a_store_that_is_gone_is_unavailable(url: str) -> None:
    store = Store(url)
    with pytest.raises(Unavailable) as caught, store.reading():
        pass
    assert caught.value.code == "accounts-unavailable"


def test_a_locked_store_is_unavailable_and_not_a_fault(
    tmp_path: Path, open_store: Callable[..., Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("padron.accounts.store._BUSY", 0.05)
    url = f"sqlite:///{tmp_path}/locked.sqlite"
    first, second = open_store(url), open_store(url)
    first.migrate()
    with first.writing(), pytest.raises(Unavailable), second.writing():
        pass
    with first.writing(), second.reading() as connection:
        assert connection.execute(select(revision.c.number)).all() == [(0,)]


def test_the_secret_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    first, second = secret_of(tmp_path / "data"), secret_of(tmp_path / "data")
    assert first.digest("key", "x") == second.digest("key", "x")
    assert (tmp_path / "data" / "secret").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["secret"]
    assert secret_of(tmp_path / "other").digest("key", "x") != first.digest("key", "x")
    assert first.digest("key", "x") != first.digest("session", "x")
    with pytest.raises(Unavailable, match="accounts-unavailable"):
        Secret().digest("key", "x")
    with pytest.raises(Invalid, match="secret-too-short"):
        Secret("x" * 31)


def test_a_secret_that_cannot_be_written_is_a_fault_of_its_own_and_leaves_nothing(tmp_path: Path) -> None:
    with no_file_beyond(0), pytest.raises(Unavailable, match="secret-unwritten") as unwritten:
        secret_of(tmp_path)
    assert "a service that runs then writes it within seconds" in messages.detail(unwritten.value, "en")
    assert not list(tmp_path.iterdir())
    assert secret_of(tmp_path).deployment == read_secret(tmp_path / "secret").deployment


def test_a_secret_that_is_cut_or_changed_anywhere_is_refused(tmp_path: Path) -> None:
    made, path = secret_of(tmp_path).deployment, tmp_path / "secret"
    whole = path.read_bytes()
    cut = [whole[:end] for end in range(len(whole))]
    changed = [whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :] for place in range(len(whole))]
    accepted = []
    for content in (whole, *cut, *changed):
        path.write_bytes(content)
        with suppress(Invalid):
            assert read_secret(path).deployment == made
            accepted.append(content)
    line_end, checksum = whole[:-1], whole[64:]
    assert (len(whole), checksum[:1]) == (82, b" ")
    assert accepted == [whole, whole[:64], whole[:65], line_end, line_end + b"\x0b"]


def test_no_new_secret_is_made_beside_accounts_that_another_one_opens(tmp_path: Path) -> None:
    with account_service(tmp_path):
        pass
    (tmp_path / "secret").unlink()
    with account_service(tmp_path) as client:
        assert client.get("/api/public/empresas/search?q=apple").status_code == 200
        assert client.get("/api/v1/usage", headers=both(mint())).json()["code"] == "accounts-unavailable"
    assert not (tmp_path / "secret").exists()
    faults = [finding.text.en for finding in doctor._accounts(config.load({}, data=tmp_path)) if finding.fault]
    assert len(faults) == 1
    assert "Put the file `secret` of a backup in its place" in faults[0]


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda path: path.unlink(), "secret-damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:40]), "secret-damaged"),
        (lambda path: shutil.copyfile(path.with_name("other") / "secret", path), "secret-other"),
    ],
    ids=["lost", "cut", "another"],
)
def test_a_secret_that_is_put_back_is_taken_up_by_a_service_that_runs(
    tmp_path: Path, spoil: Callable[[Path], object], code: str
) -> None:
    path, saved = tmp_path / "secret", tmp_path / "saved"
    with account_service(tmp_path) as client:
        key = enrol(client, tmp_path).key()
    secret_of(tmp_path / "other")
    shutil.copyfile(path, saved)
    spoil(path)
    with account_service(tmp_path) as client:

        def state() -> str:
            return str(client.get("/readyz").json()["parts"]["accounts"])

        def answer() -> tuple[int, str | None]:
            usage = client.get("/api/v1/usage", headers=both(key))
            return usage.status_code, usage.json().get("code")

        assert (state(), answer()) == (code, (503, "accounts-unavailable"))
        shutil.copyfile(saved, path)
        until(lambda: state() == "ok")
        assert answer() == (200, None)


def test_a_service_on_a_full_disk_writes_its_secret_once_there_is_room(tmp_path: Path) -> None:
    with ExitStack() as stack:
        with no_file_beyond(0):
            client = stack.enter_context(account_service(tmp_path))
            assert client.get("/readyz").json()["parts"]["accounts"] == "secret-unwritten"
        until(lambda: client.get("/readyz").json()["parts"]["accounts"] == "ok")
        assert enrol(client, tmp_path).key()


def test_a_database_that_is_back_beside_another_secret_takes_no_write(tmp_path: Path) -> None:
    path, saved = tmp_path / "secret", tmp_path / "saved"
    with account_service(tmp_path) as client:
        holder = enrol(client, tmp_path)
        secret_of(tmp_path / "other")
        shutil.copyfile(path, saved)
        shutil.copyfile(tmp_path / "other" / "secret", path)
        beside = Store(f"sqlite:///{tmp_path}/accounts.sqlite")
        with beside.writing() as connection:
            birth = connection.execute(select(revision.c.birth)).scalar_one()
            connection.execute(update(revision).values(birth="that of another one"))
        until(lambda: holder.services.store.foreign)
        with beside.writing() as connection:
            connection.execute(update(revision).values(birth=birth))
        beside.close()
        until(lambda: client.get("/readyz").json()["parts"]["accounts"] == "secret-other")
        assert client.post("/api/account/keys", json={"name": "two"}).status_code == 503
        shutil.copyfile(saved, path)
        until(lambda: client.get("/readyz").json()["parts"]["accounts"] == "ok")
        assert holder.key("two")


def test_another_secret_than_that_of_the_database_is_told(store_url: str, tmp_path: Path) -> None:
    def settings(secret: str) -> config.Settings:
        return config.load({"PADRON_ACCOUNTS__URL": store_url, "PADRON_ACCOUNTS__SECRET": secret}, data=tmp_path)

    async def start(secret: str, at_least: int) -> list[tuple[str, str | None]]:
        reports: list[tuple[str, str | None]] = []
        services = Services(settings(secret), lambda part, fault: reports.append((part, fault)))
        async with services.running(lambda: DetailedDirectory("http://127.0.0.1:8000")):
            await asyncio.to_thread(until, lambda: len(reports) >= at_least)
        return reports

    first, other = "first " * 8, "other " * 8
    assert asyncio.run(start(first, 0)) == []
    assert asyncio.run(start(other, 1))[0] == ("accounts", "secret-other")
    assert asyncio.run(start(first, 0)) == []
    for secret, faults in ((first, 0), (other, 1)):
        texts = [finding.text.en for finding in doctor._accounts(settings(secret)) if finding.fault]
        assert len(texts) == faults
        assert all("was filled with another secret" in text for text in texts)


def test_the_database_is_readable_to_its_owner_only(tmp_path: Path) -> None:
    with account_service(tmp_path):
        files = {path.name: path.stat().st_mode & 0o077 for path in tmp_path.glob("accounts.sqlite*")}
    assert files == {"accounts.sqlite": 0, "accounts.sqlite-wal": 0, "accounts.sqlite-shm": 0}


def test_a_service_starts_without_its_database_and_finds_it_later(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/later/accounts.sqlite"
    with account_service(tmp_path, PADRON_ACCOUNTS__URL=url) as client:
        assert client.get("/api/public/empresas/search?q=apple").status_code == 200
        key = mint()
        refused = client.get("/api/v1/usage", headers=both(key))
        assert (refused.status_code, refused.json()["code"]) == (503, "accounts-unavailable")
        assert refused.headers["cache-control"] == "no-store"
        (tmp_path / "later").mkdir()
        until(lambda: client.get("/api/v1/usage", headers=both(key)).status_code == 401)
        assert client.get("/api/v1/usage", headers=both(key)).json()["code"] == "key-unknown"


def test_a_database_with_another_birth_takes_no_write_while_served(tmp_path: Path, store_url: str) -> None:
    with account_service(tmp_path, PADRON_ACCOUNTS__URL=store_url) as client:
        store = enrol(client, tmp_path).services.store

        def make() -> int:
            return client.post("/api/account/keys", json={"name": "two"}).status_code

        other = Store(store_url)
        with other.writing() as connection:
            birth = connection.execute(select(revision.c.birth)).scalar_one()
            connection.execute(update(revision).values(birth="that of another one"))
        until(lambda: store.foreign)
        assert make() == 503
        with other.writing() as connection:
            connection.execute(update(revision).values(birth=birth))
        other.close()
        until(lambda: make() == 201)


@pytest.mark.verify
def test_a_new_connection_to_another_database_is_refused(
    tmp_path: Path, cluster: str, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the next look at the database, and though that is older: it is not brought up to date either."""
    monkeypatch.setattr(service_accounts, "FLUSH_EVERY", 3_600)
    monkeypatch.setattr(service_accounts, "REFRESH_EVERY", 3_600)
    version = text("SELECT version_num FROM alembic_version")
    name = database.rpartition("/")[2]
    server = create_engine(cluster, isolation_level="AUTOCOMMIT")

    def run(statement: str) -> None:
        with server.connect() as connection:
            connection.exec_driver_sql(statement)

    run(f"CREATE DATABASE {name}_other")
    other = Store(f"{database}_other")
    other.migrate()
    with other.writing() as connection:
        connection.execute(update(revision).values(birth="that of another one"))
        older = connection.execute(version).scalar_one()
    other.close()
    plant_next_migration(tmp_path, monkeypatch)
    with account_service(tmp_path, PADRON_ACCOUNTS__URL=database) as client:
        services = enrol(client, tmp_path).services
        run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE '{name}%%'")
        run(f"ALTER DATABASE {name} RENAME TO {name}_before")
        run(f"ALTER DATABASE {name}_other RENAME TO {name}")
        assert client.post("/api/account/keys", json={"name": "two"}).status_code == 503
        assert services.store.foreign
        with pytest.raises(Invalid, match="accounts-lost"):
            asyncio.run(services._follow_database())
    server.dispose()
    other = Store(database)
    with other.reading() as connection:
        assert connection.execute(version).scalar_one() == older
        assert count(connection, metadata.tables["accounts"]) == 0
    other.close()


def test_lost_tables_are_told_and_no_internal_error(tmp_path: Path, store_url: str) -> None:
    with account_service(tmp_path, PADRON_ACCOUNTS__URL=store_url) as client:
        enrol(client, tmp_path)
        other = Store(store_url)
        with other.writing() as connection:
            connection.execute(text("ALTER TABLE keys RENAME TO aside"))
        until(lambda: accounts_state(client) == "accounts-damaged")
        refused = client.post("/api/account/keys", json={"name": "two"})
        assert (refused.status_code, refused.json()["code"]) == (503, "accounts-unavailable")
        settings = config.load({"PADRON_ACCOUNTS__URL": store_url}, data=tmp_path)
        faults = [finding.text.en for finding in doctor._accounts(settings) if finding.fault]
        assert len(faults) == 1
        assert "is damaged or of a newer program" in faults[0]
        with other.writing() as connection:
            connection.execute(text("ALTER TABLE aside RENAME TO keys"))
        other.close()
        until(lambda: accounts_state(client) == "ok")
        assert client.post("/api/account/keys", json={"name": "two"}).status_code == 201


@pytest.mark.verify
@pytest.mark.parametrize("left", ["", "SELECT"])
def test_lost_rights_are_told_and_no_internal_error(tmp_path: Path, database: str, left: str) -> None:
    name = database.rpartition("/")[2]
    url = database.replace("padron@", f"{name}@")
    owner = create_engine(database, isolation_level="AUTOCOMMIT")

    def run(*statements: str) -> None:
        with owner.connect() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)

    store = Store(database)
    store.migrate()
    store.close()
    grants = [f"GRANT ALL ON ALL {kind} IN SCHEMA public TO {name}" for kind in ("TABLES", "SEQUENCES")]
    run(f"CREATE ROLE {name} LOGIN", *grants)
    with account_service(tmp_path, PADRON_ACCOUNTS__URL=url) as client:
        enrol(client, tmp_path)
        run(f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {name}")
        if left:
            run(f"GRANT {left} ON ALL TABLES IN SCHEMA public TO {name}")
        refused = client.post("/api/account/keys", json={"name": "two"})
        assert (refused.status_code, refused.json()["code"]) == (503, "accounts-unavailable")
        until(lambda: accounts_state(client) == "accounts-forbidden")
        if not left:
            settings = config.load({"PADRON_ACCOUNTS__URL": url}, data=tmp_path)
            faults = [finding.text.en for finding in doctor._accounts(settings) if finding.fault]
            assert len(faults) == 1
            assert "does not let its role do what the service does: permission denied" in faults[0]
        run(*grants)
        until(lambda: accounts_state(client) == "ok")
        assert client.post("/api/account/keys", json={"name": "two"}).status_code == 201
    owner.dispose()


def accounts_state(client: TestClient) -> str:
    return str(client.get("/readyz").json()["parts"].get("accounts", "ok"))


@pytest.mark.verify
def test_a_server_that_only_reads_cannot_be_written(database: str) -> None:
    """A failover may lead to a standby of PostgreSQL."""
    store = Store(database)
    store.migrate()
    store.close()
    standby = Store(f"{database}?options=-c%20default_transaction_read_only%3Don")
    with pytest.raises(Unavailable) as refused, standby.writing() as connection:
        increment_revision(connection)
    assert (refused.value.code, standby.write_failed) == ("accounts-unavailable", True)
    with standby.reading() as connection:
        assert connection.execute(select(revision.c.number)).scalar_one() == 0
    standby.close()


def test_remembered_keys_outlive_the_database(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    with account_service(tmp_path, PADRON_ACCOUNTS__URL=f"sqlite:///{tmp_path}/kept/accounts.sqlite") as client:
        holder = enrol(client, tmp_path)
        known, unknown = holder.key("uno"), holder.key("dos")
        assert client.get("/api/v1/search?q=apple", headers=both(known)).status_code == 200
        (tmp_path / "kept").rename(tmp_path / "gone")
        holder.services.store.close()
        with pytest.raises(Unavailable):
            holder.services.grants.refresh()
        assert client.get("/api/v1/search?q=apple", headers=both(known)).status_code == 200
        assert client.get("/api/v1/search?q=apple", headers=both(unknown)).status_code == 503
        assert client.get("/api/account").status_code == 503
        with pytest.raises(Unavailable):
            holder.services.usage.flush()
        (tmp_path / "gone").rename(tmp_path / "kept")
        assert client.get("/api/v1/search?q=apple", headers=both(unknown)).status_code == 200
        holder.services.usage.flush()
        usage = client.get("/api/v1/usage", headers=both(known)).json()
        assert usage["history"][0]["answers"] == 3


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("accounts.sqlite", b"no database" * 1000, "accounts-damaged"),
        ("accounts.sqlite", b"", "accounts-damaged"),
        ("secret", b"", "secret-damaged"),
        ("secret", b"\xff" * 50, "secret-damaged"),
    ],
)
def test_broken_accounts_leave_the_public_interface_alone(tmp_path: Path, name: str, content: bytes, code: str) -> None:
    secret_of(tmp_path)
    (tmp_path / name).write_bytes(content)
    texts = [finding.text.en for finding in doctor._accounts(config.load({}, data=tmp_path)) if finding.fault]
    with account_service(tmp_path) as client:
        assert client.get("/api/public/empresas/search?q=apple").status_code == 200
        answer = client.get("/api/v1/usage", headers=both(mint()))
        assert answer.json()["code"] == (
            "key-unknown" if content == b"" and name != "secret" else "accounts-unavailable"
        )
    assert len(texts) == 1
    assert messages.MESSAGES[code].detail.split("{")[0] in texts[0]


def test_a_part_is_in_order_when_none_of_its_tasks_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_accounts, "FLUSH_EVERY", 0.01)
    monkeypatch.setattr(service_accounts, "REFRESH_EVERY", 0.01)
    reported: list[tuple[str, str | None]] = []

    def report(part: str, error: str | None) -> None:
        if part == "accounts":
            reported.append((part, error))

    services = Services(config.load({}, data=tmp_path), report)
    faults: dict[str, str] = {}
    turns: Counter[tuple[str, str | None]] = Counter()

    def task(name: str) -> Callable[[], None]:
        def act() -> None:
            fault = faults.get(name)
            turns[name, fault] += 1
            if fault:
                raise Unavailable(fault)

        return act

    monkeypatch.setattr(services.usage, "flush", task("usage"))
    monkeypatch.setattr(services.grants, "refresh", task("keys"))

    async def wait(condition: Callable[[], bool]) -> None:
        await asyncio.to_thread(until, condition)

    async def serve() -> None:
        async with services.running(DetailedDirectory):
            faults["usage"] = "accounts-locked"
            await wait(lambda: reported == [("accounts", "accounts-locked")])
            faults["keys"] = "accounts-unavailable"
            await wait(lambda: turns["keys", "accounts-unavailable"] > 1)
            del faults["keys"]
            before = turns["keys", None]
            await wait(lambda: turns["keys", None] > before + 1)
            assert reported == [("accounts", "accounts-locked")]
            del faults["usage"]
            await wait(lambda: reported == [("accounts", "accounts-locked"), ("accounts", None)])

    asyncio.run(serve())


def test_a_thread_that_cannot_be_started_ends_no_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refusals = iter([True] * 20)
    reported: list[str | None] = []

    class Exhausted(ThreadPoolExecutor):
        def submit(self, *given: Any, **more: Any) -> Any:
            if next(refusals, False):
                raise RuntimeError("can't start new thread")
            return super().submit(*given, **more)

    monkeypatch.setattr(background, "ThreadPoolExecutor", Exhausted)
    monkeypatch.setattr(service_accounts, "FLUSH_EVERY", 0.01)
    monkeypatch.setattr(service_accounts, "REFRESH_EVERY", 0.01)
    monkeypatch.setattr(background, "AGAIN", 0.01)

    def report(part: str, error: str | None) -> None:
        if part == "accounts":
            reported.append(error)

    services = Services(config.load({}, data=tmp_path), report)

    async def serve() -> None:
        async with services.running(DetailedDirectory):
            await asyncio.to_thread(until, lambda: len(reported) == 2)

    asyncio.run(serve())
    assert reported == ["RuntimeError", None]


def test_a_task_that_may_take_long_is_no_lost_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_accounts, "FLUSH_EVERY", 0.01)
    failing: set[str] = set()
    free = threading.Event()
    services = Services(config.load({}, data=tmp_path), lambda *_: None)
    monkeypatch.setattr(service_accounts, "delete_expired", lambda _: free.wait(PATIENCE))

    async def serve() -> None:
        async with services.running(DetailedDirectory):
            monkeypatch.setattr(background, "PATIENCE", 0.01)
            monkeypatch.setattr(services.usage, "flush", lambda: free.wait(PATIENCE))
            await asyncio.to_thread(until, lambda: "usage" in services._background.failing.get("accounts", ()))
            failing.update(services._background.failing["accounts"])
            free.set()

    asyncio.run(serve())
    assert "usage" in failing
    assert failing <= background._SHORT


def test_what_was_counted_is_written_although_the_mail_server_is_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The supervisor kills a worker that takes its time at the end."""
    monkeypatch.setattr(service_accounts, "FLUSH_EVERY", 3_600)
    services = Services(config.load({}, data=tmp_path), lambda *_: None)
    flushed: list[int] = []
    sending, sent = threading.Event(), threading.Event()

    def send() -> None:
        sending.set()
        sent.wait(PATIENCE)

    monkeypatch.setattr(services.usage, "flush", lambda: flushed.append(1))
    monkeypatch.setattr(services.mail_sender, "send_due", send)

    async def serve() -> None:
        async with services.running(DetailedDirectory):
            await asyncio.to_thread(until, lambda: sending.is_set() and len(flushed) == 1)

    serving = threading.Thread(target=lambda: asyncio.run(serve()))
    serving.start()
    try:
        until(lambda: len(flushed) == 2)
        assert serving.is_alive()
    finally:
        sent.set()
        serving.join(PATIENCE)
    assert not serving.is_alive()


def test_doctor_vouches_for_a_whole_database(tmp_path: Path) -> None:
    with account_service(tmp_path):
        pass
    findings = list(doctor._accounts(config.load({}, data=tmp_path)))
    assert [(finding.fault, finding.text.en) for finding in findings] == [(False, "accounts: correct")]


def test_doctor_tells_a_database_that_takes_no_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with account_service(tmp_path):
        pass
    file = tmp_path / "accounts.sqlite"
    monkeypatch.setattr("padron.accounts.store._BUSY", 0.1)

    def faults(url: str) -> list[str]:
        settings = config.load({"PADRON_ACCOUNTS__URL": url}, data=tmp_path)
        return [finding.text.en for finding in doctor._accounts(settings) if finding.fault]

    (fault,) = faults(f"sqlite:///file:{file}?mode=ro&uri=true")
    assert "attempt to write a readonly database" in fault
    with closing(sqlite3.connect(file, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        (fault,) = faults(f"sqlite:///{file}")
        assert "Another program has the database" in fault
    assert faults(f"sqlite:///{file}") == []


def test_doctor_writes_to_no_database_that_a_start_has_yet_to_bring_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with account_service(tmp_path):
        pass
    plant_next_migration(tmp_path, monkeypatch)
    assert [finding for finding in doctor._accounts(config.load({}, data=tmp_path)) if finding.fault] == []
    with closing(sqlite3.connect(tmp_path / "accounts.sqlite")) as database:
        assert database.execute("SELECT number FROM revision").fetchall() == [(0,)]


def test_a_database_that_stands_still_holds_up_nobody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = threading.Event()
    with account_service(tmp_path) as client:
        holder = enrol(client, tmp_path)
        known = holder.key()
        assert client.get("/api/v1/search?q=apple", headers=both(known)).status_code == 200
        monkeypatch.setattr(threads.ACCOUNTS, "_seconds", 0.05)
        monkeypatch.setattr(holder.services.grants, "look_up", lambda _: free.wait(PATIENCE))
        try:
            for _ in range(20):
                refused = client.get("/api/v1/search?q=apple", headers=both(mint()))
                assert (refused.status_code, refused.json()["code"]) == (503, "accounts-unavailable")
            assert client.get("/api/v1/search?q=apple", headers=both(known)).status_code == 200
            assert client.get("/api/public/empresas/search?q=apple").status_code == 200
        finally:
            free.set()


def test_the_many_passwords_of_one_client_keep_no_other_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held, free = [], threading.Event()
    base = "http://127.0.0.1:8000"
    trusting = {"PADRON_SERVER__TRUSTED_PROXIES": "203.0.113.0/24", "PADRON_LIMITS__ENABLED": "0"}
    app = app_of(config.load(trusting | {"PADRON_BASE_URL": base}, data=tmp_path))
    with TestClient(app, base_url=base, client=("203.0.113.9", 1)) as client:
        holder = enrol(client, tmp_path)
        log_in = holder.services.holders.log_in

        def log_in_later(address: str, *arguments: Any, **more: Any) -> Any:
            if address == "eva@example.com":
                held.append(address)
                free.wait(PATIENCE)
            return log_in(address, *arguments, **more)

        def status(address: str, origin: str) -> int:
            body = {"email": address, "password": PASSWORD}
            return client.post("/api/account/session", json=body, headers={"x-forwarded-for": origin}).status_code

        monkeypatch.setattr(holder.services.holders, "log_in", log_in_later)
        with ThreadPoolExecutor(30) as senders:
            many = [senders.submit(status, "eva@example.com", f"2001:db8::{number}") for number in range(30)]
            try:
                until(lambda: held)
                assert status("ana@example.ec", "2001:db8:0:1::1") == 200
                assert (len(held), threads.HASHING.waiting()) == (1, 0)
            finally:
                free.set()
            assert {answer.result() for answer in many} == {401}


def test_too_many_passwords_at_once_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads.HASHING, "most_waiting", 0)
    with account_service(tmp_path) as client:
        body = {"email": "ana@example.com", "password": "una frase larga y rara"}
        refused = client.post("/api/account/session", json=body, headers={"origin": str(client.base_url)})
        assert (refused.status_code, refused.json()["code"]) == (503, "accounts-busy")
        assert client.get("/api/public/empresas/search?q=apple").status_code == 200
