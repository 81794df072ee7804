"""Releases that travel: pushed to a folder, an HTTP server or S3, pulled from there, signed, damaged, interrupted."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
import urllib.request
import warnings
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import boto3
import msgspec
import pytest
from moto.server import ThreadedMotoServer

from padron import config
from padron.cli import app as cli
from padron.cli import releases
from padron.countries import REGISTRY
from padron.errors import Invalid, ReleaseError, Unavailable
from padron.index.tantivy_engine import EMBEDDED
from padron.publishing import distribution
from padron.publishing.distribution import FORMATS, Manifest, ReleaseStore, StoredFile
from padron.releases import snapshot
from process import OWN, Traffic, add_twin, serving, traffic
from small_directory import COMPANIES
from starving import no_file_beyond
from waiting import PATIENCE, until

Publish = Callable[..., None]
Command = Callable[..., tuple[int, Any]]


@pytest.fixture
def origin(small_data: Path, publish: Publish, tmp_path: Path) -> Path:
    """A data folder with the releases `small-1` and, current, `small-2`."""
    data = Path(shutil.copytree(small_data, tmp_path / "origin"))
    publish(data, "small-2", COMPANIES[:3])
    return data


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """The data folder of another machine, which is not there yet."""
    return tmp_path / "node"


@pytest.fixture
def shelf(origin: Path, tmp_path: Path) -> Path:
    """A folder to which `small-1` and then `small-2` were pushed."""
    folder = tmp_path / "store"
    for release in ("small-1", "small-2"):
        distribution.push(origin, release, ReleaseStore(str(folder)))
    return folder


@pytest.fixture
def command(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run `padron release …` as `main` does; gives exit code and what it printed, as JSON where it was asked for."""

    monkeypatch.setattr(releases, "REGISTRY", UNPROVED)

    def call(*words: object) -> tuple[int, Any]:
        monkeypatch.setattr(sys, "argv", ["padron", "release", *map(str, words)])
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Cyclopts application invoked without tokens")
            with pytest.raises(SystemExit) as ended:
                cli.main()
        printed = capsysbinary.readouterr()
        text = (printed.out or printed.err).decode()
        return int(str(ended.value.code or 0)), json.loads(text) if "--json" in words else text

    return call


UNPROVED = {code: replace(country, examples=()) for code, country in REGISTRY.items()}
"""The countries without the companies by which a release is proved: the small directory has few of them."""


def pull(node: Path, store: object, release: str | None = None, **more: Any) -> distribution.Transfer:
    return distribution.pull(node, UNPROVED, ReleaseStore(str(store)), release, **more)


def blobs(shelf: Path, release: str, kind: str = "") -> list[tuple[StoredFile, Path]]:
    manifest = msgspec.json.decode((shelf / "releases" / release / "manifest.json").read_bytes(), type=Manifest)
    return [(file, shelf / "files" / file.sha256) for file in manifest.files if kind in file.path]


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_machine_that_pulls_has_every_file_of_the_release(origin: Path, shelf: Path, node: Path) -> None:
    assert pull(node, shelf).release == "small-2"
    assert snapshot.published(node) == ["small-2"]
    for folder in ("releases/small-2.json", "indexes"):
        ours = {
            name: text for name, text in files_below(origin).items() if name.startswith(folder) and "small-2" in name
        }
        assert ours == {name: text for name, text in files_below(node).items() if name.startswith(folder)}
    assert not (node / "incoming").exists()
    assert pull(node, shelf) == ("small-2", 0, 0, 0)


def test_only_what_is_not_there_travels(release: Path, tmp_path: Path, node: Path) -> None:
    store = ReleaseStore(str(tmp_path / "store"))
    current = snapshot.current(release)
    first = distribution.push(release, current, store)
    again = distribution.push(release, current, store)
    assert (again.files, again.sent, again.bytes) == (first.files, 0, 0)
    assert first.bytes > 50 * 2**20
    pulled = pull(node, tmp_path / "store")
    assert pulled.files == pulled.sent == first.files
    companies = node / "snapshots" / snapshot.read_release(node, current).snapshots["EC"] / "companies.parquet"
    size = companies.stat().st_size
    companies.write_bytes(b"damaged")
    assert pull(node, tmp_path / "store", current) == (current, first.files, 1, size)
    snapshot.verify(companies.parent)


def test_an_older_release_pushed_again_is_served_again(origin: Path, shelf: Path, node: Path) -> None:
    pull(node, shelf)
    assert distribution.push(origin, "small-1", ReleaseStore(str(shelf))).sent == 0
    assert (shelf / "current").read_text() == "small-1\nsmall-2\n"
    pull(node, shelf)
    assert snapshot.published(node) == ["small-1", "small-2"]
    pull(node, shelf, "small-2")
    assert snapshot.published(node) == ["small-2", "small-1"]


def test_a_pull_mends_what_is_damaged_of_the_served_release(shelf: Path, node: Path) -> None:
    pull(node, shelf)
    index = snapshot.index_folder(node, "small-2", distribution.release_index.FORMAT)
    assert {path.parent for path in index.rglob(snapshot.SEAL)} == {index / name for name in snapshot._INDEX}
    whole = files_below(node)
    harmed = [next(path for path in sorted((index / name).iterdir()) if path.is_file()) for name in snapshot._INDEX]
    harmed += [index / "statements" / "rows.bin", index / "vocabulary" / snapshot.SEAL]
    for path in [*harmed, index / "vocabulary" / "near", index, node / "releases" / "small-2.json", node / "current"]:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.write_bytes(b"damaged")
        assert pull(node, shelf).release == "small-2"
        assert files_below(node) == whole, path
        assert pull(node, shelf).files == 0
    (index / "statements" / "rows.bin").write_bytes(b"damaged")
    assert pull(node, shelf, "small-2").sent
    assert files_below(node) == whole


@pytest.mark.parametrize("harm", ["flipped", "shorter", "longer", "removed"])
def test_a_release_damaged_in_the_store_is_refused_and_mended_as_the_message_says(
    harm: str, origin: Path, shelf: Path, node: Path
) -> None:
    pull(node, shelf, "small-1")
    file, path = blobs(shelf, "small-2", "rows.bin")[0]
    content = path.read_bytes()
    harmed = {"flipped": bytes([content[0] ^ 1]) + content[1:], "shorter": content[:-1], "longer": content + b"x"}
    path.unlink()
    if harm in harmed:
        path.write_bytes(harmed[harm])
    with pytest.raises(ReleaseError, match="stored-release-damaged") as error:
        pull(node, shelf)
    assert error.value.context["file"] == f"files/{file.sha256}"
    assert snapshot.published(node) == ["small-1"]
    path.unlink(missing_ok=True)
    distribution.push(origin, "small-2", ReleaseStore(str(shelf)))
    pull(node, shelf)
    assert snapshot.current(node) == "small-2"


def test_a_damaged_release_is_not_pushed(origin: Path, tmp_path: Path, command: Command) -> None:
    index = snapshot.index_folder(origin, "small-2", distribution.release_index.FORMAT)
    (index / "tables.msgpack").write_bytes(b"damaged")
    code, problem = command("push", tmp_path / "store", "--data", origin, "--json")
    assert (code, problem["code"]) == (3, "release-damaged")
    assert not (tmp_path / "store" / "current").exists()


def test_a_pull_that_was_cut_goes_on_where_it_was(shelf: Path, node: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch = ReleaseStore.append
    seen: list[tuple[str, int]] = []

    def cut(self: ReleaseStore, path: str, target: Path, most: int) -> None:
        seen.append((path, target.stat().st_size if target.exists() else 0))
        fetch(self, path, target, most)
        if len(seen) == 3:
            os.truncate(target, 1)
            raise KeyboardInterrupt

    monkeypatch.setattr(ReleaseStore, "append", cut)
    with pytest.raises(KeyboardInterrupt):
        pull(node, shelf)
    assert len(list((node / "incoming").iterdir())) == 3
    pull(node, shelf)
    assert seen[3] == (seen[2][0], 1)
    assert len({path for path, _ in seen}) == len(seen) - 1
    assert snapshot.current(node) == "small-2"


def test_a_trusted_key_refuses_what_it_did_not_sign(
    origin: Path, shelf: Path, node: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = tmp_path / "ours.key", tmp_path / "theirs.key"
    code, line = command("keys", ours)
    name, _, trusted = line.strip().partition("=")
    assert (code, name, ours.stat().st_mode & 0o777) == (0, "PADRON_RELEASES__TRUSTED_KEY", 0o600)
    assert command("keys", ours)[0] == 2
    distribution.make_key(theirs)
    store = ReleaseStore(str(shelf))
    for key in (None, theirs):
        distribution.push(origin, "small-2", store, key)
        with pytest.raises(ReleaseError, match="release-unsigned"):
            pull(node, shelf, trusted=trusted)
    assert not node.exists()
    monkeypatch.setenv(name, trusted)
    monkeypatch.setenv("PADRON_RELEASES__SIGNING_KEY", str(ours))
    monkeypatch.setenv("PADRON_RELEASES__STORE", str(shelf))
    assert command("push", "--data", origin)[0] == 0
    assert command("pull", "--data", node)[0] == 0
    assert snapshot.current(node) == "small-2"
    manifest = shelf / "releases" / "small-2" / "manifest.json"
    manifest.write_bytes(manifest.read_bytes() + b"\n")
    code, verdicts = command("verify", "--store", shelf, "--json", "--data", node)
    assert (code, [verdict["error"] for verdict in verdicts]) == (3, ["release-unsigned", "release-unsigned"])
    code, problem = command("push", "--data", origin, "--json")
    monkeypatch.setenv("PADRON_RELEASES__SIGNING_KEY", str(shelf / "current"))
    code, problem = command("push", "--data", origin, "--json")
    assert (code, problem["code"]) == (2, "bad-signing-key")


ROOT = Path(__file__).parents[2]
PATHS = ("/api/public/empresas/search?q=petrobras", "/api/public/empresas/US/320193", "/es/empresas/ec/1790016919001")
HARMLESS = "0" * 64
HARMLESS_SUM = hashlib.sha256(b"harmless").hexdigest()


@pytest.mark.parametrize(
    "path",
    [
        *("../outside", "/etc/outside", "releases/../../outside", "current", "accounts.sqlite", "indexes/a/./b", "x/y"),
        *("snapshots/ar", "snapshots/ar/2026-01-01-00000000", "indexes/8-small-2", "releases/small-2"),
        *("releases/small-1.json", "indexes/8-small-1/tables.msgpack"),
        *(f"snapshots/ec/{'a' * 300}/x", "snapshots/ec/" + "a/" * 3000 + "x"),
    ],
)
def test_a_manifest_cannot_write_elsewhere(path: str, shelf: Path, node: Path) -> None:
    manifest = {"release": "small-2", "formats": FORMATS, "files": [{"path": path, "bytes": 0, "sha256": HARMLESS}]}
    (shelf / "releases" / "small-2" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ReleaseError, match="stored-release-damaged"):
        pull(node, shelf)
    assert not node.exists()


@pytest.mark.parametrize("paths", [["snapshots/ec/z/a"] * 2, ["snapshots/ec/z/a", "snapshots/ec/z/a/b"]])
def test_a_manifest_names_no_file_in_the_place_of_another(paths: list[str], shelf: Path, node: Path) -> None:
    files = [{"path": path, "bytes": 0, "sha256": HARMLESS} for path in paths]
    manifest = {"release": "small-2", "formats": FORMATS, "files": files}
    (shelf / "releases" / "small-2" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ReleaseError, match="stored-release-damaged"):
        pull(node, shelf)
    assert not node.exists()


def test_what_stands_where_a_pull_writes_is_replaced_or_named(shelf: Path, node: Path) -> None:
    file, _ = blobs(shelf, "small-2", "rows.bin")[0]
    index = snapshot.index_folder(node, "small-2", distribution.release_index.FORMAT)
    for folder in ("stale", file.sha256):
        (node / "incoming" / folder / "in").mkdir(parents=True)
    index.parent.mkdir()
    index.write_text("no folder")
    (node / "current").mkdir()
    pull(node, shelf)
    assert snapshot.current(node) == "small-2"
    (node / "current").unlink()
    (node / "current" / "in").mkdir(parents=True)
    with pytest.raises(Unavailable, match=r"disk-fault.*current.*Directory not empty"):
        pull(node, shelf, "small-2")
    assert (node / "current" / "in").is_dir()


@pytest.mark.parametrize("whole", [True, False])
def test_a_manifest_replaces_nothing_that_is_whole(node: Path, tmp_path: Path, whole: bool) -> None:
    name = "snapshots/ec/2026-01-01-00000000/companies.parquet"
    file = StoredFile(name, 8, HARMLESS_SUM)
    (node / name).parent.mkdir(parents=True)
    (node / name).write_bytes(b"whole")
    snapshot.seal((node / name).parent)
    if not whole:
        (node / name).write_bytes(b"damaged")
    (node / "incoming").mkdir()
    (node / "incoming" / HARMLESS_SUM).write_bytes(b"harmless")
    distribution._place(node, tmp_path / "work", Manifest("small-2", FORMATS, (file,)), {name}, EMBEDDED)
    assert (node / name).read_bytes() == (b"whole" if whole else b"harmless")


def test_a_download_ends_behind_its_stated_bytes(shelf: Path, tmp_path: Path) -> None:
    (shelf / "files" / HARMLESS_SUM).write_bytes(b"harmless" + bytes(1 << 20))
    file = StoredFile("releases/small-2.json", 8, HARMLESS_SUM)
    with no_file_beyond(1 << 16), pytest.raises(ReleaseError, match="stored-release-damaged"):
        distribution._fetch(ReleaseStore(str(shelf)), file, tmp_path / "part")
    assert not (tmp_path / "part").exists()


def test_a_manifest_of_the_served_release_replaces_nothing_of_it(shelf: Path, node: Path) -> None:
    pull(node, shelf)
    served = files_below(node)
    document = json.loads((node / "releases" / "small-2.json").read_text())
    del document["sha256"]
    content = json.dumps(document | {"links": [], "coverage": {"total": 1}}).encode()
    digest = hashlib.sha256(content).hexdigest()
    (shelf / "files" / digest).write_bytes(content)
    path = shelf / "releases" / "small-2" / "manifest.json"
    manifest = json.loads(path.read_text())
    (entry,) = [file for file in manifest["files"] if file["path"] == "releases/small-2.json"]
    entry |= {"bytes": len(content), "sha256": digest}
    path.write_text(json.dumps(manifest))
    with suppress(ReleaseError):
        pull(node, shelf, "small-2")
    assert files_below(node) == served


def test_a_release_that_no_disk_holds_is_not_begun(shelf: Path, node: Path) -> None:
    path = shelf / "releases" / "small-2" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["files"][0]["bytes"] = 1 << 60
    path.write_text(json.dumps(manifest))
    with pytest.raises(Unavailable, match="disk-fault"):
        pull(node, shelf)
    assert list((node / "incoming").iterdir()) == []


@pytest.mark.parametrize("content", ["", "{", "[]", '{"release": "small-1", "formats": "1", "files": []}'])
def test_a_manifest_that_is_none_is_told(content: str, shelf: Path, node: Path) -> None:
    (shelf / "releases" / "small-2" / "manifest.json").write_text(content)
    with pytest.raises(ReleaseError, match="stored-release-damaged"):
        pull(node, shelf)


def test_a_release_of_another_program_is_left_there(shelf: Path, node: Path) -> None:
    path = shelf / "releases" / "small-2" / "manifest.json"
    path.write_text(path.read_text().replace(FORMATS, "0-old-1"))
    with pytest.raises(ReleaseError, match="release-format"):
        pull(node, shelf)
    assert pull(node, shelf, "small-1").release == "small-1"


def test_what_is_missing_is_a_sentence(
    origin: Path, node: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "es_EC.UTF-8")
    empty = tmp_path / "empty"
    assert command("pull", "--data", node) == (2, command("push", "--data", origin)[1])
    assert "padron release push" in command("pull", empty, "--data", node)[1]
    assert "small-9" in command("pull", empty, "small-9", "--data", node)[1]
    assert command("push", empty, "small-9", "--data", origin)[0] == 2
    blocked = tmp_path / "file"
    blocked.write_text("")
    for address in (blocked, "ftp://host/x", "s3://", "http://127.0.0.1:9/x"):
        monkeypatch.setattr(distribution, "_RETRIES", {"max_retries": 0})
        code, text = command("push", address, "--data", origin)
        assert code == 4, text
        assert text.startswith("El depósito "), text


def test_a_password_in_an_address_is_not_shown() -> None:
    assert ReleaseStore("https://user:secret@host.example/x").shown == "https://host.example/x"
    with pytest.raises(Invalid, match="bad-settings"):
        config.load({"PADRON_RELEASES__STORE": "https://user:secret@host.example/x"})


@pytest.fixture
def web(shelf: Path) -> Iterator[str]:
    """The store behind an HTTP server of files, which knows no ranges and lists nothing a program can read."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(shelf))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_any_server_of_files_can_be_pulled_from(
    web: str, shelf: Path, node: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    incoming = node / "incoming"
    incoming.mkdir(parents=True)
    file, path = next((file, path) for file, path in blobs(shelf, "small-2") if file.bytes > 1)
    (incoming / file.sha256).write_bytes(path.read_bytes()[:1])
    (incoming / "stale").write_bytes(b"of another release")
    pull(node, web)
    assert snapshot.current(node) == "small-2"
    monkeypatch.setattr(distribution, "_RETRIES", {"max_retries": 0})
    with pytest.raises(Unavailable, match="store-fault"):
        ReleaseStore(web).releases()


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a folder in a bucket of a real S3 server."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1"}
    for name, text in (keys | {"AWS_ENDPOINT": f"http://{host}:{port}", "AWS_ALLOW_HTTP": "true"}).items():
        monkeypatch.setenv(name, text)
    boto3.client("s3", endpoint_url=f"http://{host}:{port}", region_name="us-east-1").create_bucket(Bucket="padron")
    yield "s3://padron/releases-of-ours"
    server.stop()


def test_storage_that_speaks_s3(origin: Path, node: Path, bucket: str, command: Command) -> None:
    for release in ("small-1", "small-2"):
        distribution.push(origin, release, ReleaseStore(bucket))
    code, rows = command("list", "--store", bucket, "--json")
    assert (code, [tuple(row.values()) for row in rows]) == (0, [("small-2", "current"), ("small-1", "previous")])
    pull(node, bucket)
    assert snapshot.current(node) == "small-2"
    code, verdicts = command("verify", "--store", bucket, "--json", "--data", node)
    assert (code, [verdict["error"] for verdict in verdicts]) == (0, [None, None])


def run_pull(node: Path, store: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "padron.cli.app", "release", "pull", store, "--data", str(node)]
    return subprocess.run(command, env=os.environ | {"PYTHONPATH": str(ROOT / "src")}, check=False, **options)


@pytest.mark.endurance
def test_a_pull_killed_at_any_moment_is_continued(release: Path, node: Path, tmp_path: Path) -> None:
    shelf = tmp_path / "store"
    distribution.push(release, snapshot.current(release), ReleaseStore(str(shelf)))
    for tenths in range(5, 25, 2):
        with suppress(subprocess.TimeoutExpired):
            run_pull(node, str(shelf), timeout=tenths / 10)  # which kills it
    assert run_pull(node, str(shelf)).returncode == 0
    assert snapshot.current(node) == snapshot.current(release)
    kept = {path.name for path in node.iterdir()}
    assert kept == {".build.lock", "current", "indexes", "pulled", "releases", "snapshots"}
    assert cli.app(["release", "verify", "--data", str(node)], exit_on_error=False, result_action="return_value") == 0


@pytest.mark.endurance
def test_three_machines_follow_what_is_pushed_without_a_failed_request(
    release: Path, tmp_path: Path, bucket: str
) -> None:
    origin = Path(shutil.copytree(release, tmp_path / "origin", ignore=OWN, copy_function=os.link))
    first = snapshot.current(origin)
    distribution.push(origin, first, ReleaseStore(bucket))
    nodes = [tmp_path / f"node-{number}" for number in range(3)]
    assert [run_pull(node, bucket).returncode for node in nodes] == [0, 0, 0]

    async def follow() -> list[Traffic]:
        async with AsyncExitStack() as stack:
            servers = [stack.enter_context(serving(node, tmp_path)) for node in nodes]
            seen = [await stack.enter_async_context(traffic(server.port, PATHS, rate=20)) for server in servers]
            for number in range(10):
                await asyncio.to_thread(_next_release, origin, bucket, f"{first}-{number}", damaged=number == 4)
                codes = await asyncio.gather(*(asyncio.to_thread(run_pull, node, bucket) for node in nodes))
                assert [code.returncode for code in codes] == [3 if number == 4 else 0] * 3
            distribution.push(origin, f"{first}-8", ReleaseStore(bucket))
            for node, server in zip(nodes, servers, strict=True):
                await asyncio.to_thread(run_pull, node, bucket)
                await asyncio.to_thread(until, lambda server=server: f"{first}-8" in _etag(server.port))
            return seen

    for traffic_seen in asyncio.run(follow()):
        assert traffic_seen.failures == []
        assert set(traffic_seen.statuses) == {200}
        assert len(traffic_seen.releases) >= 3
    assert {snapshot.current(node) for node in nodes} == {f"{first}-8"}


def _next_release(origin: Path, bucket: str, name: str, *, damaged: bool) -> None:
    """Push a new release, of which a file is damaged on the way."""
    add_twin(origin, name)
    store = ReleaseStore(bucket)
    distribution.push(origin, name, store)
    if damaged:
        content = store.read(f"releases/{name}/manifest.json") or b""
        manifest = msgspec.json.decode(content, type=Manifest)
        (file,) = (file for file in manifest.files if file.path.startswith("releases/"))
        store.write(f"files/{file.sha256}", b"x" * file.bytes)


def _etag(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{PATHS[0]}", timeout=PATIENCE) as answer:
        return str(answer.headers["etag"])
