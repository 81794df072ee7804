"""Each file of a release damaged in each way: every command states it in one sentence, and `padron build` mends it."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from weakref import ref

import pytest

from padron.cli import doctor
from padron.config import load
from padron.countries.country import Country, Source
from padron.directory import run
from padron.errors import ReleaseError, Unavailable
from padron.index import release_index
from padron.publishing.publish import publish
from padron.releases import snapshot
from padron.service.app import ServedDirectory
from padron.transport.observability import Metrics, Observer, StructuredLog
from process import publish as make_current
from small_directory import COMPANIES
from small_register import source
from starving import no_file_beyond, no_file_to_open
from waiting import until

HEADER = "RUC,NOMBRE,NOMBRE COMERCIAL\n"
KNOWN = "1790016919001"
SUPPRESSED = """[[suppressed]]
country = "EC"
identifier = "1790016919001"
reason = "Court order"
date = 2026-11-20
"""


class Kit(NamedTuple):
    """A release of a small register, with the one before; what it was built from."""

    data: Path
    registry: dict[str, Country]
    roots: list[Path]

    def build(self) -> str:
        return publish(self.data, self.registry, self.roots).id

    def files(self) -> Iterator[Path]:
        """Every file of the current release, and the pointer to it."""
        release = snapshot.read_release(self.data, snapshot.current(self.data))
        yield self.data / "current"
        yield self.data / "releases" / f"{release.id}.json"
        folders = [self.data / "snapshots" / name for name in release.snapshots.values()]
        for folder in [*folders, snapshot.index_folder(self.data, release.id, release_index.FORMAT)]:
            yield from sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock")


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def flip_in_place(path: Path) -> None:
    """Change one bit of a file that may be mapped; size and time of change stay as they were."""
    state = path.stat()
    with path.open("r+b") as file:
        file.seek(state.st_size // 2)
        byte = file.read(1)[0]
        file.seek(state.st_size // 2)
        file.write(bytes([byte ^ 1]))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


def empty(path: Path) -> None:
    path.write_bytes(b"")


def bad_bytes(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00")


def point_nowhere(path: Path) -> None:
    path.write_text("2026-01-01-00000000\n")


WAYS: tuple[Callable[[Path], None], ...] = (truncate, flip, empty, Path.unlink)
POINTER = (empty, bad_bytes, point_nowhere, Path.unlink)
"""Cut in half, `current` still names the release to serve, which is no fault."""


@pytest.fixture
def kit(country: Callable[[Source], Country], official: Callable[..., Path], tmp_path: Path) -> Kit:
    """Two releases, the second of which is current."""
    registry = {"EC": country(source())}
    data = tmp_path / "var"
    for name in ("FAVORITA C.A.", "CORPORACION FAVORITA C.A."):
        root = official(a__csv=f"{HEADER}{KNOWN},{name},Supermaxi\n".encode())
        publish(data, registry, [root])
    return Kit(data, registry, [root])


def mended(kit: Kit, release: str) -> None:
    """Fail unless the damage is stated, in one sentence with its remedy, and the remedy mends it."""
    findings = doctor.examine(kit.data, "127.0.0.1", 0, kit.registry)
    (fault,) = [finding.text for finding in findings if finding.fault]
    for sentence in fault:
        assert "`padron build" in sentence
        assert "\n" not in sentence
    assert kit.build() == release
    assert [finding for finding in doctor.examine(kit.data, "127.0.0.1", 0, kit.registry) if finding.fault] == []


def test_a_build_mends_what_is_damaged_and_keeps_the_release_before(kit: Kit) -> None:
    current, before = snapshot.published(kit.data)
    manifest = kit.data / "snapshots" / snapshot.read_release(kit.data, current).snapshots["EC"] / "manifest.json"
    for path, damage in ((kit.data / "current", empty), (kit.data / "current", point_nowhere), (manifest, Path.unlink)):
        damage(path)
        mended(kit, current)
        assert set(snapshot.stored(kit.data)) == {current, before}
        snapshot.read_release(kit.data, before)


@pytest.fixture
def two_releases(small_data: Path, request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A data folder of its own: `small-2` is served, `small-1` is the release before."""
    data = Path(shutil.copytree(small_data, tmp_path / "var"))
    request.getfixturevalue("publish")(data, "small-2", COMPANIES[:3])
    return data


def test_a_refused_release_is_read_again_once_a_file_of_it_changes_and_suppressions_are_followed(
    two_releases: Path, tmp_path: Path
) -> None:
    data, hidden = two_releases, tmp_path / "suppressed.toml"
    hidden.write_text("suppressed = []\n")
    served = ServedDirectory(
        load({"PADRON_SUPPRESSIONS": str(hidden)}, data=data), None, Observer(StructuredLog(), Metrics())
    )

    def poll() -> tuple[str, str | None]:
        run(served.poll())
        return served.directory().release, served.refused

    path = snapshot.index_folder(data, "small-2", release_index.FORMAT) / "tables.msgpack"
    content, state = path.read_bytes(), path.stat()
    flip(path)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert [poll(), poll()] == [("small-1", "release-damaged")] * 2
    path.write_bytes(content)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    before = served.directory().edition
    hidden.write_text(SUPPRESSED)
    assert poll() == ("small-1", "release-damaged")
    assert served.directory().edition != before
    os.utime(path)
    assert poll() == ("small-2", None)


def test_damage_in_place_while_serving_falls_back_until_it_is_mended(two_releases: Path) -> None:
    data = two_releases
    served = ServedDirectory(load({}, data=data), None, Observer(StructuredLog(), Metrics()))

    def watch() -> tuple[str, str | None]:
        run(served.watch())
        return served.directory().release, served.refused

    files = [
        path
        for path in sorted(snapshot.index_folder(data, "small-2", release_index.FORMAT).rglob("*"))
        if path.is_file() and path.stat().st_size and path.suffix != ".lock"
    ]
    assert len(files) > 20
    assert [watch() for _ in files] == [("small-2", None)] * len(files)
    for path in files:
        flip_in_place(path)
        until(lambda: watch() == ("small-1", "release-damaged"))
        flip_in_place(path)
        os.utime(path)
        assert watch() == ("small-2", None)


@pytest.mark.parametrize("part", ["index", *snapshot._INDEX[1:], "snapshot", "parquet", "release"])
def test_what_is_removed_while_serving_is_told_until_it_is_there_again(
    part: str, two_releases: Path, tmp_path: Path
) -> None:
    data, folder = two_releases, two_releases / "snapshots" / "ec" / "2026-01-01-00000000"
    with snapshot.building(data) as work:
        folder.mkdir(parents=True)
        (folder / "companies.parquet").write_bytes(b"rows")
        snapshot.seal(folder)
        release = snapshot.read_release(data, "small-2")
        snapshot.write_release(data, work, release._replace(snapshots={"EC": "ec/2026-01-01-00000000"}))
    observer = Observer(StructuredLog(), Metrics())
    served = ServedDirectory(load({}, data=data), None, observer)

    def watch() -> tuple[str, str | None]:
        run(served.watch())
        return served.directory().release, observer.parts["search"]

    assert [watch() for _ in range(3)] == [("small-2", None)] * 3
    index = snapshot.index_folder(data, "small-2", release_index.FORMAT)
    kept = {
        "snapshot": folder.parent,
        "parquet": folder / "companies.parquet",
        "release": data / "releases" / "small-2.json",
    }
    lost = kept.get(part, index if part == "index" else index / part)
    lost.rename(tmp_path / "away")
    state = ("small-2" if part in kept else "small-1", "release-damaged")
    until(lambda: watch() == state)
    assert [watch() for _ in range(3)] == [state] * 3
    (tmp_path / "away").rename(lost)
    until(lambda: watch() == ("small-2", None))


def test_what_is_replaced_waits_for_no_garbage_collection(two_releases: Path) -> None:
    opened: list[str] = []
    served = ServedDirectory(
        load({}, data=two_releases),
        None,
        Observer(StructuredLog(), Metrics()),
        lambda: opened.append(served.directory().release),
    )
    run(served.poll())
    before = ref(served.directory())
    run(served.directory().search("favrita", country=None, limit=3, language="es"))
    gc.disable()
    try:
        make_current(two_releases, "small-1")
        run(served.poll())
        run(served.poll())
        assert before() is None
    finally:
        gc.enable()
    assert opened == ["small-2", "small-1"]


def test_a_damaged_release_is_left_with_the_last_good_list_of_suppressions(two_releases: Path, tmp_path: Path) -> None:
    data, hidden = two_releases, tmp_path / "suppressions.toml"
    hidden.write_text(SUPPRESSED)
    observer = Observer(StructuredLog(), Metrics())
    served = ServedDirectory(load({"PADRON_SUPPRESSIONS": str(hidden)}, data=data), None, observer)
    run(served.watch())
    assert served.directory().release == "small-2"
    edition = served.directory().edition.partition(".")[2]
    hidden.write_text("broken [")
    for _ in range(2):
        run(served.watch())
        assert observer.parts["search"] == "bad-suppressions"
    flip_in_place(snapshot.index_folder(data, "small-2", release_index.FORMAT) / "tables.msgpack")
    run(served.watch())
    assert served.directory().release == "small-1"
    assert served.directory().edition.partition(".")[2] == edition
    assert observer.parts["search"] == "release-damaged"


def test_a_bad_block_that_passes_is_read_again_in_time(
    small_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = Path(shutil.copytree(small_data, tmp_path / "var"))
    monkeypatch.setattr("padron.service.app._REFUSED_FOR", 9)
    served = ServedDirectory(load({}, data=data), None, Observer(StructuredLog(), Metrics()))
    part = snapshot.index_folder(data, "small-1", release_index.FORMAT) / "tables.msgpack"
    content, state = part.read_bytes(), part.stat()
    flip_in_place(part)
    os.utime(part, ns=(state.st_atime_ns, state.st_mtime_ns))
    for _ in range(3):
        run(served.poll())
    assert served.refused == "release-damaged"
    with part.open("r+b") as file:
        file.write(content)
    os.utime(part, ns=(state.st_atime_ns, state.st_mtime_ns))
    run(served.poll())
    assert served.refused == "release-damaged"
    for _ in range(9):
        run(served.poll())
    assert served.refused is None
    assert served.directory().release == "small-1"


def test_files_that_cannot_be_read_for_a_moment_leave_a_sound_release_served(
    small_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = Path(shutil.copytree(small_data, tmp_path / "var"))
    monkeypatch.setattr("padron.service.app._READ_AGAIN", 1)
    observer = Observer(StructuredLog(), Metrics())
    served = ServedDirectory(load({}, data=data), None, observer)

    def watch() -> str | None:
        run(served.watch())
        return observer.parts["search"]

    assert watch() is None
    release, interrupted = served.directory(), 0
    for before in range(20):  # the next step opens a list of digests, or a file of one, or reads on
        for _ in range(before):
            assert watch() is None
        with no_file_to_open():
            assert watch() == served.refused == "release-unreadable"
            assert served.directory() is release
        state = watch()
        assert (served.refused, served.directory()) == (None, release)
        interrupted += state == "release-unreadable"
        while state:  # until all of it has been read
            state = watch()
        assert served.directory() is release
    assert interrupted > 10


def test_what_cannot_be_read_is_neither_damaged_nor_free_to_be_removed(kit: Kit, tmp_path: Path) -> None:
    release, older = snapshot.published(kit.data)
    folder = kit.data / "snapshots" / snapshot.read_release(kit.data, release).snapshots["EC"]
    built = Path(shutil.copytree(folder, tmp_path / "built"))
    with no_file_to_open():
        for read in (
            lambda: snapshot.verify(folder),
            lambda: snapshot.place(built, folder),
            lambda: snapshot.published(kit.data),
            lambda: snapshot.read_release(kit.data, release),
            lambda: snapshot.hold(kit.data, release),
            lambda: snapshot.manifest(kit.data, folder.relative_to(kit.data / "snapshots").as_posix()),
        ):
            with pytest.raises(Unavailable, match=r"release-unreadable.*Too many open files"):
                read()
        assert snapshot.is_held(kit.data, older)
    snapshot.verify(folder)
    assert not snapshot.is_held(kit.data, older)


def test_a_bad_block_of_a_disk_is_damage(tmp_path: Path) -> None:
    part = tmp_path / "rows.bin"
    part.touch()
    snapshot.seal(tmp_path)
    snapshot.verify(tmp_path)
    part.unlink()
    part.symlink_to("/proc/self/mem")  # whose first byte is EIO
    with pytest.raises(ReleaseError, match="release-damaged"):
        snapshot.verify(tmp_path)


@pytest.mark.endurance
def test_a_build_mends_every_file_however_it_is_damaged(kit: Kit) -> None:
    release = snapshot.current(kit.data)
    whole = kit.data.with_name("whole")
    shutil.copytree(kit.data, whole)
    for path in list(kit.files()):
        for damage in POINTER if path.name == "current" else WAYS:
            if path.stat().st_size:
                damage(path)
                mended(kit, release)
                shutil.rmtree(kit.data)
                shutil.copytree(whole, kit.data)


@pytest.mark.parametrize("room", [0, 1 << 20])
def test_doctor_tells_that_no_worker_has_room_for_its_temporary_files(
    kit: Kit, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    monkeypatch.setattr("tempfile.tempdir", None)  # as in a new process, which looks for a folder it can write to
    with no_file_beyond(room):
        findings = doctor.examine(kit.data, "127.0.0.1", 0, kit.registry)
    fault = next(finding.text.en for finding in findings if finding.fault)
    assert fault.startswith("Cannot write to ")
    assert ("No usable temporary directory" in fault) == (room == 0)
    assert [finding for finding in doctor.examine(kit.data, "127.0.0.1", 0, kit.registry) if finding.fault] == []
