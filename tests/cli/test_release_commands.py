"""`padron release`: what is kept, checked, brought back and removed, in the process and as a service sees it."""

from __future__ import annotations

import json
import os
import shutil
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from padron.cli import app as cli
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.errors import Invalid, ReleaseError, Unavailable
from padron.index import opensearch_folder, release_index
from padron.index.opensearch_folder import LoadedIndex
from padron.releases import snapshot
from process import OWN, serving
from small_directory import COMPANIES
from waiting import PATIENCE, until

Publish = Callable[..., None]
Command = Callable[..., tuple[int, Any]]


@pytest.fixture
def command(capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    """Run `padron release …` here; gives exit code and what it printed, as JSON where it was asked for."""

    def call(*words: str, data: Path) -> tuple[int, Any]:
        code = cli.app(["release", *words, "--data", str(data)], exit_on_error=False, result_action="return_value")
        printed = capsysbinary.readouterr().out
        return code, json.loads(printed) if "--json" in words else printed.decode()

    return call


@pytest.fixture(scope="module")
def published(small_data: Path, publish: Publish, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Releases `small-1` and, current, `small-2`. Read only."""
    folder = tmp_path_factory.mktemp("releases") / "var"
    shutil.copytree(small_data, folder)
    publish(folder, "small-2", COMPANIES[:3])
    return folder


@pytest.fixture
def data(published: Path, tmp_path: Path) -> Path:
    """A copy of `published` to change."""
    return Path(shutil.copytree(published, tmp_path / "var"))


def test_the_kept_releases_are_listed_the_current_one_first(
    data: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = run(Directory.open(data, REGISTRY, "http://localhost", release="small-1"))
    code, rows = command("list", "--json", data=data)
    assert code == 0
    assert [(row["release"], row["state"], row["held"], row["companies"], row["error"]) for row in rows] == [
        ("small-2", "current", False, 3, None),
        ("small-1", "previous", True, len(COMPANIES), None),
    ]
    index = snapshot.index_folder(data, directory.release, release_index.FORMAT)
    assert rows[1]["bytes"] == sum(path.stat().st_size for path in index.rglob("*") if path.is_file())
    assert rows[1]["generated_at"] == "2026-03-02T00:00:00+00:00"
    (data / "releases" / "small-1.json").write_text("{")
    for language, state, reason in (("es_EC", "anterior", "Versión dañada"), ("en_US", "previous", "Damaged release")):
        monkeypatch.setenv("LC_ALL", f"{language}.UTF-8")
        (line,) = [line for line in command("list", data=data)[1].splitlines() if "small-1" in line]
        assert (state in line, reason in line) == (True, True)


def test_the_list_names_the_engine_without_asking_it(
    data: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = snapshot.index_folder(data, "small-1", release_index.FORMAT) / release_index.COMPANIES
    shutil.rmtree(engine)
    engine.mkdir()
    opensearch_folder.write(engine, LoadedIndex("padron-0123456789abcdef", 3, 7))
    monkeypatch.setenv("PADRON_SEARCH__URL", "http://127.0.0.1:1/padron")
    places = ["embedded", "padron-0123456789abcdef"]
    assert [row["engine"] for row in command("list", "--json", data=data)[1]] == places
    lines = command("list", data=data)[1].splitlines()
    assert [place in line for line, place in zip(lines[-2:], places, strict=True)] == [True, True]
    shutil.rmtree(engine.parent)
    assert [row["engine"] for row in command("list", "--json", data=data)[1]] == ["embedded", None]


def test_a_folder_that_pulls_removes_nothing_from_the_engine(
    data: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PADRON_SEARCH__URL", "http://127.0.0.1:1/padron")
    with pytest.raises(Unavailable, match="engine-unavailable"):
        command("prune", data=data)
    (data / snapshot.PULLED).touch()
    assert command("prune", "--json", data=data) == (0, {"removed": [], "bytes": 0, "indexes": []})


def test_every_file_is_compared_with_its_digest(data: Path, command: Command) -> None:
    code, verdicts = command("verify", "--json", data=data)
    assert (code, [verdict["error"] for verdict in verdicts]) == (0, [None, None])
    index = snapshot.index_folder(data, "small-1", release_index.FORMAT)
    for path in (index / "companies" / "rows.bin", data / "releases" / "small-1.json"):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        code, verdicts = command("verify", "--json", data=data)
        assert (code, [verdict["error"] for verdict in verdicts]) == (3, [None, "release-damaged"])
        assert path.name in verdicts[1]["detail"]
    assert command("verify", "small-2", data=data)[0] == 0
    assert command("verify", "small-1", data=data)[0] == 3


def test_an_index_of_an_older_program_is_not_called_damaged(data: Path, command: Command) -> None:
    index = snapshot.index_folder(data, "small-1", release_index.FORMAT)
    index.rename(index.with_name("8-small-1"))
    verdict = command("verify", "small-1", "--json", data=data)[1][0]
    assert verdict["error"] == "release-format"
    assert "8-small-1" in verdict["detail"]


def test_a_rollback_serves_the_one_before_until_the_next_build(data: Path, command: Command, publish: Publish) -> None:
    assert command("rollback", data=data)[0] == 0
    assert snapshot.published(data) == ["small-1", "small-2"]
    assert command("rollback", data=data)[0] == 0
    assert snapshot.published(data) == ["small-2", "small-1"]
    assert command("rollback", "small-1", data=data)[0] == 0
    publish(data, "small-3", COMPANIES[:2])
    assert snapshot.published(data) == ["small-3", "small-1"]
    assert command("prune", data=data)[0] == 0
    with pytest.raises(Invalid, match=r"no-such-release.*small-2.*small-3, small-1"):
        command("rollback", "small-2", data=data)


def test_a_damaged_release_is_not_rolled_back_to(data: Path, command: Command) -> None:
    (snapshot.index_folder(data, "small-1", release_index.FORMAT) / "tables.msgpack").write_bytes(b"damaged")
    with pytest.raises(ReleaseError, match="release-damaged"):
        command("rollback", data=data)
    assert snapshot.published(data) == ["small-2", "small-1"]


def test_a_rollback_does_not_wait_for_a_build(data: Path, command: Command) -> None:
    with snapshot.building(data):
        assert command("rollback", data=data)[0] == 0
    assert snapshot.current(data) == "small-1"


def test_without_a_release_before_there_is_nothing_to_roll_back_to(small_data: Path, command: Command) -> None:
    with pytest.raises(Invalid, match="no-such-release"):
        command("rollback", data=small_data)


def test_what_is_of_somebody_else_is_left_alone(small_data: Path, tmp_path: Path, command: Command) -> None:
    data = Path(shutil.copytree(small_data, tmp_path / "var"))
    files = ["indexes/notes.txt", "indexes/15-old.tar", "snapshots/notes.txt", "snapshots/ec/notes", "exports/notes"]
    folders = ["indexes/backup", "snapshots/backup/2026-01-01", "snapshots/ec/backup", "releases/old.json"]
    for name in [f"{folder}/in" for folder in folders] + files:
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_text("x")
    (data / "indexes" / "1-away").symlink_to(tmp_path)
    gone = [data / "indexes" / "1-gone", data / "snapshots" / "ec" / "2026-01-01-0a0b0c0d"]
    for folder in gone:
        folder.mkdir()
    code, pruned = command("prune", "--json", data=data)
    assert (code, pruned["removed"]) == (0, [])
    assert all((data / name).exists() for name in [*files, *folders, "indexes/1-away"])
    assert not any(folder.exists() for folder in gone)
    assert command("list", "--json", data=data)[0] == 0


def test_what_a_process_has_open_is_not_pruned(data: Path, command: Command, publish: Publish) -> None:
    directory = run(Directory.open(data, REGISTRY, "http://localhost", release="small-1"))
    with snapshot.building(data) as work:
        snapshot.write_release(data, work, snapshot.read_release(data, "small-2")._replace(id="small-3"))
        for name in ("small-2", "small-3"):
            snapshot.publish(data, work, name)
    code, pruned = command("prune", "--json", data=data)
    assert (code, pruned["removed"]) == (0, [])
    assert [row["state"] for row in command("list", "--json", data=data)[1]] == ["current", "previous", "unpublished"]
    assert run(Directory.open(data, REGISTRY, "http://localhost", release=directory.release)).release == "small-1"
    del directory  # the thread that opened a release may hold it for a moment still
    pruned = until(lambda: (made := command("prune", "--json", data=data)[1])["removed"] and made)
    assert (pruned["removed"], pruned["bytes"] > 10_000) == (["small-1"], True)
    assert not snapshot.index_folder(data, "small-1", release_index.FORMAT).exists()


@pytest.mark.verify
def test_a_service_follows_a_rollback(release: Path, tmp_path: Path, command: Command) -> None:
    """On the release of all bundled files; prints how long it took."""
    folder = tmp_path / "var"
    shutil.copytree(release, folder, ignore=OWN)
    with snapshot.building(folder) as work:
        served = snapshot.read_release(folder, snapshot.current(folder))
        snapshot.write_release(folder, work, served._replace(id="twin"))
        original, copy = (snapshot.index_folder(folder, name, release_index.FORMAT) for name in (served.id, "twin"))
        shutil.copytree(original, copy)
        snapshot.publish(folder, work, "twin")
    with serving(folder, tmp_path, workers=2) as server:

        def release_served() -> str:
            with urllib.request.urlopen(f"{server.url}/readyz", timeout=PATIENCE) as answer:
                return str(json.load(answer)["release"])

        assert release_served() == "twin"
        began = time.monotonic()
        assert command("rollback", data=folder)[0] == 0
        until(lambda: all(release_served() == served.id for _ in range(20)))
        print(f"rolled back, and every worker changed over, after {time.monotonic() - began:.1f} s")


@pytest.mark.parametrize("kind", ["pipe", "folder", "long", "zeros"])
def test_what_is_no_list_of_releases_is_not_read(tmp_path: Path, kind: str) -> None:
    pointer = tmp_path / "current"
    match kind:
        case "pipe":
            os.mkfifo(pointer)
        case "folder":
            pointer.mkdir()
        case "long":
            pointer.write_text("small-1\n" * 1_000)
        case "zeros":
            pointer.write_bytes(b"\0" * 50_000)
    with pytest.raises(ReleaseError) as raised:
        snapshot.published(tmp_path)
    assert str(raised.value) == f"release-damaged folder={str(tmp_path)!r} file='current'"
    assert snapshot.earlier(tmp_path) == []
    pointer.rmdir() if kind == "folder" else pointer.unlink()
    pointer.write_text("small-1\n")
    assert snapshot.published(tmp_path) == ["small-1"]
