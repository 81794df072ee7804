"""The data folder is lost: accounts and keys come back from a backup that was made while the service ran."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from account_service import account_service, both, enrol
from padron import config
from padron.accounts.store import Store, explained
from padron.cli import app as cli
from padron.cli import doctor
from padron.errors import Invalid, Unavailable
from padron.releases import snapshot
from ports import free_port
from waiting import until

ENTITY = "/api/v1/entities/EC/1790016919001"


def accounts(*words: object) -> int:
    code = cli.app(["accounts", *map(str, words)], exit_on_error=False, result_action="return_value")
    assert isinstance(code, int)
    return code


def test_a_lost_data_folder_is_restored(tmp_path: Path) -> None:
    data, backup = tmp_path / "var", tmp_path / "backup"
    with account_service(data) as client:
        key = enrol(client, data).key()
        assert accounts("backup", backup, "--data", data) == 0
    files = {path.name: stat.S_IMODE(path.stat().st_mode) & 0o077 for path in backup.iterdir()}
    assert files == {"accounts.sqlite": 0, "secret": 0, "SHA256SUMS.json": 0}
    assert stat.S_IMODE(backup.stat().st_mode) == 0o700
    assert accounts("verify", backup) == 0
    with pytest.raises(Invalid, match=r"backup-exists.*accounts\.sqlite"):
        accounts("restore", backup, "--data", data)
    with pytest.raises(Invalid, match=r"backup-exists.*backup"):
        accounts("backup", backup, "--data", data)
    shutil.rmtree(data)
    assert accounts("restore", backup, "--data", data) == 0
    with account_service(data) as client:
        assert client.get(ENTITY, headers=both(key)).status_code == 200
        assert client.get(ENTITY, headers=both(key[:-1] + ("1" if key.endswith("0") else "0"))).status_code == 401


def test_what_is_restored_is_never_readable_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, backup = tmp_path / "var", tmp_path / "backup"
    with account_service(data):
        assert accounts("backup", backup, "--data", data) == 0
    shutil.rmtree(data)
    data.mkdir()
    (data / ".secret.tmp").write_text("left by a restoration that was killed")
    (data / ".secret.tmp").chmod(0o666)
    monkeypatch.setattr(Path, "chmod", lambda *_: None)
    before = os.umask(0)
    try:
        assert accounts("restore", backup, "--data", data) == 0
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in data.iterdir()}
    assert modes == {"accounts.sqlite": 0o600, "secret": 0o600}
    assert (data / "secret").read_bytes() == (backup / "secret").read_bytes()


@pytest.mark.parametrize("name", ["accounts.sqlite", "secret", "SHA256SUMS.json"])
def test_a_damaged_backup_is_not_restored(tmp_path: Path, name: str) -> None:
    data, backup, other = tmp_path / "var", tmp_path / "backup", tmp_path / "other"
    with account_service(data):
        assert accounts("backup", backup, "--data", data) == 0
    (backup / name).write_bytes((backup / name).read_bytes()[:10])
    for command in (("verify", backup), ("restore", backup, "--data", other)):
        with pytest.raises(Invalid, match=rf"backup-damaged.*{name}"):
            accounts(*command)
    assert not other.exists()


@pytest.mark.parametrize(
    ("way", "code"), [("missing", "secret-damaged"), ("cut", "secret-damaged"), ("another", "secret-other")]
)
def test_accounts_without_their_secret_are_not_saved_and_such_a_backup_is_not_restored(
    tmp_path: Path, way: str, code: str
) -> None:
    data, backup, other = tmp_path / "var", tmp_path / "backup", tmp_path / "other"
    for folder in (data, other):
        with account_service(folder):
            pass
    assert accounts("backup", backup, "--data", data) == 0

    def spoil(secret: Path) -> None:
        made = secret.read_bytes()
        secret.unlink()
        if way != "missing":
            secret.write_bytes(made[:10] if way == "cut" else (other / "secret").read_bytes())

    spoil(data / "secret")
    with pytest.raises(Invalid, match=code):
        accounts("backup", tmp_path / "useless", "--data", data)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "other", "var"]
    if way != "missing":  # one without a secret may be of a service whose settings give it
        spoil(backup / "secret")
        snapshot.seal(backup)  # as it was saved at first
        for command in (("verify", backup), ("restore", backup, "--data", tmp_path / "new")):
            with pytest.raises(Invalid, match=r"backup-damaged.*secret"):
                accounts(*command)


def test_a_secret_of_the_settings_is_not_in_a_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, backup = tmp_path / "var", tmp_path / "backup"
    with account_service(data, PADRON_ACCOUNTS__SECRET="given " * 8):
        pass
    (data / "secret").write_text("an old one")
    monkeypatch.setenv("PADRON_ACCOUNTS__SECRET", "given " * 8)
    assert accounts("backup", backup, "--data", data) == 0
    assert {path.name for path in backup.iterdir()} == {"accounts.sqlite", "SHA256SUMS.json"}
    assert accounts("verify", backup) == 0
    monkeypatch.setenv("PADRON_ACCOUNTS__SECRET", "other " * 8)
    with pytest.raises(Invalid, match="secret-other"):
        accounts("backup", tmp_path / "useless", "--data", data)


def test_a_database_that_is_damaged_or_absent_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="accounts-unavailable"):
        accounts("backup", tmp_path / "backup", "--data", tmp_path / "var")
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "accounts.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(Unavailable, match="accounts-damaged"):
        accounts("backup", tmp_path / "backup", "--data", tmp_path / "var")
    assert [path.name for path in tmp_path.iterdir()] == ["var"]  # no half of it either


@pytest.mark.parametrize("way", ["emptied", "removed", "another"])
def test_lost_accounts_are_told_and_come_back(tmp_path: Path, way: str) -> None:
    data, backup, other = tmp_path / "var", tmp_path / "backup", tmp_path / "other"
    with account_service(data) as client:
        key = enrol(client, data).key()
        assert accounts("backup", backup, "--data", data) == 0
    with account_service(other):
        pass
    database = data / "accounts.sqlite"
    if way == "removed":
        database.unlink()
    else:
        database.write_bytes(b"" if way == "emptied" else (other / "accounts.sqlite").read_bytes())
    faults = [finding.text.en for finding in doctor._accounts(config.load({}, data=data)) if finding.fault]
    assert len(faults) == 1
    assert "not the one of before" in faults[0]
    with account_service(data) as client:
        assert client.get(ENTITY, headers=both(key)).json()["code"] == "accounts-unavailable"
        with pytest.raises(Invalid, match="accounts-lost"):
            accounts("list", "--data", data)
    for path in data.glob("accounts.sqlite*"):
        path.unlink()
    assert accounts("restore", backup, "--data", data) == 0
    with account_service(data) as client:
        assert client.get(ENTITY, headers=both(key)).status_code == 200
    assert not [finding for finding in doctor._accounts(config.load({}, data=data)) if finding.fault]


@pytest.mark.parametrize("way", ["moved", "restored", "another"])
def test_accounts_moved_away_while_served_take_no_write_until_they_are_back(tmp_path: Path, way: str) -> None:
    data, backup, other, aside = (tmp_path / name for name in ("var", "backup", "other", "aside"))
    aside.mkdir()
    with account_service(other):
        pass
    with account_service(data) as client:
        holder = enrol(client, data)
        key = holder.key("one")
        assert accounts("backup", backup, "--data", data) == 0

        def make() -> str | int:
            answer = client.post("/api/account/keys", json={"name": "two"})
            return answer.status_code if answer.status_code == 201 else str(answer.json()["code"])

        for path in data.glob("accounts.sqlite*"):
            path.rename(aside / path.name)
        assert {make() for _ in range(3)} == {"accounts-unavailable"}
        assert not list(data.glob("accounts.sqlite*"))
        if way == "moved":
            for path in aside.iterdir():
                path.rename(data / path.name)
        elif way == "restored":
            assert accounts("restore", backup, "--data", data) == 0
        else:
            shutil.copy(other / "accounts.sqlite", data)
            until(lambda: holder.services.store.foreign)
            assert make() == "accounts-unavailable"
            for path in data.glob("accounts.sqlite*"):
                path.unlink()
            for path in aside.iterdir():
                path.rename(data / path.name)
        until(lambda: make() == 201)
        assert client.get(ENTITY, headers=both(key)).status_code == 200
    with account_service(data) as client:
        assert client.get(ENTITY, headers=both(key)).status_code == 200


def test_accounts_begin_anew_where_their_mark_is_removed(tmp_path: Path) -> None:
    with account_service(tmp_path) as client:
        key = enrol(client, tmp_path).key()
    for path in (tmp_path / "accounts.birth", *tmp_path.glob("accounts.sqlite*")):
        path.unlink()
    with account_service(tmp_path) as client:
        assert client.get(ENTITY, headers=both(key)).json()["code"] == "key-unknown"
        assert client.get(ENTITY, headers=both(enrol(client, tmp_path).key())).status_code == 200


def test_another_address_is_another_database(tmp_path: Path) -> None:
    with account_service(tmp_path) as client:
        key = enrol(client, tmp_path).key()
    elsewhere = f"sqlite:///{tmp_path.parent / 'elsewhere.sqlite'}"
    with account_service(tmp_path, PADRON_ACCOUNTS__URL=elsewhere) as client:
        assert client.get(ENTITY, headers=both(key)).json()["code"] == "key-unknown"
    with account_service(tmp_path) as client:
        assert client.get(ENTITY, headers=both(key)).status_code == 200
    assert len(list(tmp_path.glob("*.birth"))) == 2


def test_a_backup_from_before_births_is_the_database_of_its_folder(tmp_path: Path) -> None:
    with account_service(tmp_path) as client:
        key = enrol(client, tmp_path).key()
    with closing(sqlite3.connect(tmp_path / "accounts.sqlite")) as database, database:
        database.execute("UPDATE revision SET birth = NULL")
    for _ in range(2):
        with account_service(tmp_path) as client:
            assert client.get(ENTITY, headers=both(key)).status_code == 200


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (lambda: sqlite_error("SQLITE_FULL"), "disk-fault"),
        (lambda: sqlite_error("SQLITE_READONLY_DBMOVED"), "disk-fault"),
        (lambda: sqlite_error("SQLITE_BUSY"), "accounts-locked"),
        (lambda: sqlite_error("SQLITE_NOTADB"), "accounts-damaged"),
        (lambda: sqlite_error("SQLITE_CORRUPT_INDEX"), "accounts-damaged"),
        (lambda: psycopg.errors.DiskFull("no space"), "disk-fault"),
        (lambda: psycopg.errors.ReadOnlySqlTransaction("a standby"), "disk-fault"),
        (lambda: psycopg.errors.UndefinedTable("alembic_version"), "accounts-damaged"),
        (lambda: psycopg.OperationalError("connection refused"), "accounts-unreachable"),
        (lambda: sqlite_error("SQLITE_NOMEM"), "accounts-unreachable"),
        (lambda: None, "accounts-unreachable"),
    ],
)
def test_each_state_of_a_database_has_its_own_sentence(error: Callable[[], object], code: str) -> None:
    assert explained(error(), "postgresql://example").code == code


def sqlite_error(name: str) -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError("as SQLite says it")
    error.sqlite_errorname = name
    return error


def test_a_database_that_does_not_answer_is_not_called_damaged() -> None:
    store = Store(f"postgresql+psycopg://padron@127.0.0.1:{free_port()}/padron")
    with pytest.raises(Unavailable, match="accounts-unreachable"):
        store.check()


def test_a_locked_database_is_not_called_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with account_service(tmp_path):
        pass
    with closing(sqlite3.connect(tmp_path / "accounts.sqlite", isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("BEGIN EXCLUSIVE")
        monkeypatch.setattr("padron.accounts.store._BUSY", 0.1)
        store = Store(f"sqlite:///{tmp_path / 'accounts.sqlite'}")
        with pytest.raises(Unavailable, match="accounts-locked"):
            store.check()


def test_a_backup_onto_a_full_disk_does_not_call_the_accounts_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite3.connect

    def small(path: Path) -> sqlite3.Connection:
        database = connect(path)
        if path.parent.name == "backup":
            database.execute("PRAGMA max_page_count = 2")  # SQLite says the same of a full disk
        return database

    with account_service(tmp_path / "var"):
        pass
    monkeypatch.setattr("padron.accounts.backup.sqlite3.connect", small)
    with pytest.raises(Unavailable, match=r"disk-fault.*/backup"):
        accounts("backup", tmp_path / "backup", "--data", tmp_path / "var")


@pytest.mark.verify
def test_postgresql_is_saved_and_restored(
    cluster: str, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, backup = tmp_path / "var", tmp_path / "backup"
    with account_service(data, PADRON_ACCOUNTS__URL=database) as client:
        key = enrol(client, data).key()
        monkeypatch.setenv("PADRON_ACCOUNTS__URL", database)
        assert accounts("backup", backup, "--data", data) == 0
    assert accounts("verify", backup) == 0
    with pytest.raises(Invalid, match="backup-exists"):
        accounts("restore", backup, "--data", data)
    monkeypatch.delenv("PADRON_ACCOUNTS__URL")
    with pytest.raises(Invalid, match="backup-of-another-kind"):
        accounts("restore", backup, "--data", tmp_path / "sqlite")
    # The database of the cluster itself is empty: every test has one of its own.
    monkeypatch.setenv("PADRON_ACCOUNTS__URL", cluster)
    shutil.rmtree(data)
    assert accounts("restore", backup, "--data", data) == 0
    with account_service(data, PADRON_ACCOUNTS__URL=cluster) as client:
        assert client.get(ENTITY, headers=both(key)).status_code == 200


def test_a_note_of_the_birth_that_cannot_be_read_keeps_the_accounts_closed_and_all_else_open(tmp_path: Path) -> None:
    data = tmp_path / "var"
    with account_service(data) as client:
        key = enrol(client, data).key()
    note = (data / "accounts.birth").read_bytes()
    (data / "accounts.birth").write_bytes(b"\xff")
    with account_service(data) as client:
        assert client.get("/healthz").status_code == 200
        assert client.get(ENTITY, headers=both(key)).json()["code"] == "accounts-unavailable"
        (data / "accounts.birth").write_bytes(note)
        until(lambda: client.get(ENTITY, headers=both(key)).status_code == 200)
