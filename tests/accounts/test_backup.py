"""The data folder is lost: accounts and keys come back from a backup that was made while the service ran."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from bureau import both, bureau, enrol
from padron import cli
from padron.errors import Invalid, Unavailable

ENTITY = "/api/v1/entities/EC/1790016919001"


def accounts(*words: object) -> int:
    code = cli.app(["accounts", *map(str, words)], exit_on_error=False, result_action="return_value")
    assert isinstance(code, int)
    return code


def test_a_lost_data_folder_is_restored(tmp_path: Path) -> None:
    data, backup = tmp_path / "var", tmp_path / "backup"
    with bureau(data) as client:
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
    with bureau(data) as client:
        assert client.get(ENTITY, headers=both(key)).status_code == 200
        assert client.get(ENTITY, headers=both(key[:-1] + "0")).status_code == 401


@pytest.mark.parametrize("name", ["accounts.sqlite", "secret", "SHA256SUMS.json"])
def test_a_damaged_backup_is_not_restored(tmp_path: Path, name: str) -> None:
    data, backup, other = tmp_path / "var", tmp_path / "backup", tmp_path / "other"
    with bureau(data):
        assert accounts("backup", backup, "--data", data) == 0
    (backup / name).write_bytes((backup / name).read_bytes()[:10])
    for command in (("verify", backup), ("restore", backup, "--data", other)):
        with pytest.raises(Invalid, match=rf"backup-damaged.*{name}"):
            accounts(*command)
    assert not other.exists()


def test_a_database_that_is_damaged_or_absent_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="accounts-unavailable"):
        accounts("backup", tmp_path / "backup", "--data", tmp_path / "var")
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "accounts.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(Unavailable, match="accounts-damaged"):
        accounts("backup", tmp_path / "backup", "--data", tmp_path / "var")
    assert not (tmp_path / "backup").exists()


@pytest.mark.verify
def test_postgresql_is_saved_and_restored(
    cluster: str, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, backup = tmp_path / "var", tmp_path / "backup"
    with bureau(data, PADRON_ACCOUNTS__URL=database) as client:
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
    with bureau(data, PADRON_ACCOUNTS__URL=cluster) as client:
        assert client.get(ENTITY, headers=both(key)).status_code == 200
