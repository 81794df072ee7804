"""The files of an export over HTTP: whole, by ranges, conditional, and only for the release and suppressions served."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from weakref import ref

import pytest
from starlette.testclient import TestClient

from padron.config import load
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.releases import snapshot
from padron.service.app import ServedDirectory, build_app
from padron.transport.observability import Metrics, Observer, StructuredLog
from padron.web import bulk
from padron.web.page import Entry
from waiting import PATIENCE, until

NAMES = {"catalogue.jsonld": "application/ld+json", "ec.parquet": "application/vnd.apache.parquet", "SHA256SUMS": ""}
HIDDEN = '[[suppressed]]\ncountry = "CO"\nidentifier = "899999068"\nreason = "order"\ndate = 2026-11-20\n'
CONTENT = bytes(range(256)) * 2000


def exported(data: Path, revision: str) -> None:
    """Put files in the place of an export."""
    folder = snapshot.export_folder(data, snapshot.current(data), revision)
    folder.mkdir(parents=True)
    sums = ""
    for name in ("catalogue.jsonld", "ec.parquet"):
        (folder / name).write_bytes(CONTENT)
        sums += f"{hashlib.sha256(CONTENT).hexdigest()}  {name}\n"
    (folder / "SHA256SUMS").write_text(sums)
    snapshot.seal(folder)
    (folder / "not-listed").write_text("x")


@pytest.fixture(scope="module")
def data(small_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with an export."""
    data = Path(shutil.copytree(small_data, tmp_path_factory.mktemp("bulk") / "var"))
    exported(data, "")
    (data / "suppressed.toml").write_text("suppressed = []\n")
    return data


@pytest.fixture(scope="module")
def client(data: Path) -> Iterator[TestClient]:
    """A reader of that release."""
    variables = {"PADRON_SUPPRESSIONS": str(data / "suppressed.toml"), "PADRON_LIMITS__ENABLED": "0"}
    with TestClient(build_app(load(variables, data=data)), follow_redirects=False) as client:
        yield client


def test_files_are_whole_with_type_and_tag(client: TestClient) -> None:
    for name, kind in NAMES.items():
        answer = client.get(f"/bulk/{name}", headers={"origin": "https://other.example"})
        assert (answer.status_code, int(answer.headers["content-length"])) == (200, len(answer.content))
        assert answer.headers["content-type"].startswith(kind)
        assert answer.headers["accept-ranges"] == "bytes"
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["cache-control"] == "public, max-age=60"
        again = client.get(f"/bulk/{name}", headers={"if-none-match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        head = client.head(f"/bulk/{name}")
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-length"] == answer.headers["content-length"]
    assert client.get("/bulk/ec.parquet").content == CONTENT


@pytest.mark.parametrize(
    ("wanted", "start", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=100-299999", 100, 300_000),
        ("bytes=511999-", 511_999, 512_000),
        ("bytes=-8", 511_992, 512_000),
        ("bytes=-600000", 0, 512_000),
        ("bytes=511990-999999999", 511_990, 512_000),
    ],
)
def test_a_range_is_sent_alone(client: TestClient, wanted: str, start: int, end: int) -> None:
    answer = client.get("/bulk/ec.parquet", headers={"range": wanted})
    assert (answer.status_code, answer.content) == (206, CONTENT[start:end])
    assert answer.headers["content-range"] == f"bytes {start}-{end - 1}/512000"
    assert answer.headers["content-length"] == str(end - start)


@pytest.mark.parametrize("wanted", ["bytes=0-1,4-5", "rows=0-1", "bytes=5-4", "bytes=-", "bytes=a-b"])
def test_what_is_no_single_range_gets_the_whole_file(client: TestClient, wanted: str) -> None:
    answer = client.get("/bulk/ec.parquet", headers={"range": wanted})
    assert (answer.status_code, answer.content) == (200, CONTENT)


@pytest.mark.parametrize("wanted", ["bytes=512000-", "bytes=-0"])
def test_a_range_behind_the_end_is_refused(client: TestClient, wanted: str) -> None:
    answer = client.get("/bulk/ec.parquet", headers={"range": wanted, "accept-language": "en"})
    assert (answer.status_code, answer.headers["content-range"]) == (416, "bytes */512000")
    assert "range-not-satisfiable" in answer.text


def test_a_range_of_another_edition_gets_the_whole_file(client: TestClient) -> None:
    tag = client.get("/bulk/ec.parquet").headers["etag"]
    for given, status in ((tag, 206), ('"other"', 200)):
        assert client.get("/bulk/ec.parquet", headers={"range": "bytes=0-9", "if-range": given}).status_code == status


@pytest.mark.parametrize("name", ["not-listed", "xx.parquet", "..%2f..%2fcurrent", "SHA256SUMS%00", ""])
def test_other_names_are_not_found(client: TestClient, name: str) -> None:
    assert client.get(f"/bulk/{name}").status_code == 404


@pytest.mark.parametrize("harm", ["flipped", "shorter", "removed", "folder"])
def test_a_file_that_is_not_what_was_exported_is_not_given(harm: str, small_data: Path, tmp_path: Path) -> None:
    data = Path(shutil.copytree(small_data, tmp_path / "var"))
    exported(data, "")
    path = snapshot.export_folder(data, snapshot.current(data), "") / "ec.parquet"
    served = ServedDirectory(load({}, data=data), None, Observer(StructuredLog(), Metrics()))
    run(served.watch())
    app = build_app(load({"PADRON_LIMITS__ENABLED": "0"}, data=data), served.directory())
    client = TestClient(app, headers={"accept-language": "en"})
    assert client.get("/bulk/ec.parquet").content == CONTENT
    state = path.stat()
    if harm == "flipped":  # in place, with the time of before: only who reads it can see it
        path.write_bytes(b"x" + CONTENT[1:])
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
        until(lambda: run(served.watch()) or served._unread == "export-damaged")
    elif harm == "shorter":
        path.write_bytes(CONTENT[1:])
    else:
        path.unlink()
        if harm == "folder":
            path.mkdir()
    for _ in range(2):
        answer = client.get("/bulk/ec.parquet")
        assert (answer.status_code, "export-damaged" in answer.text) == (503, True)
    assert client.get("/bulk/catalogue.jsonld").content == CONTENT
    shutil.rmtree(path.parent)
    exported(data, "")
    until(lambda: run(served.watch()) or served._unread is None)
    assert served.directory().bulk is not None


def test_a_suppression_ends_the_files_until_they_are_written_again(client: TestClient, data: Path) -> None:
    assert "/bulk/catalogue.jsonld" in client.get("/en/releases").text
    assert "/bulk/catalogue.jsonld" in client.get("/llms.txt").text
    (data / "suppressed.toml").write_text(HIDDEN)
    until(lambda: client.get("/bulk/ec.parquet").status_code == 404)
    assert "/bulk/" not in client.get("/en/releases").text
    assert "/bulk/" not in client.get("/llms.txt").text
    directory = run(Directory.open(data, REGISTRY, "http://x", data / "suppressed.toml"))
    exported(data, directory.edition.split(".")[1])
    until(lambda: client.get("/bulk/ec.parquet").status_code == 200)
    assert "/bulk/catalogue.jsonld" in client.get("/en/releases").text
    (data / "suppressed.toml").write_text("suppressed = []\n")
    until(lambda: "/bulk/" in client.get("/llms.txt").text)


def test_only_files_of_kept_releases_stay(data: Path) -> None:
    old = data / "exports" / "gone.abcd"
    old.mkdir()
    snapshot.prune(data)
    names = {path.name.partition(".")[0] for path in (data / "exports").iterdir()}
    assert names == {snapshot.current(data)}


def test_a_file_that_has_become_shorter_ends_its_answer(tmp_path: Path) -> None:
    path = tmp_path / "part"
    path.write_bytes(b"12345")
    sent: list[bytes] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message["body"])

    with path.open("rb") as file, pytest.raises(EOFError):
        asyncio.run(asyncio.wait_for(bulk._send_part(send, file, 0, 10), PATIENCE))
    assert sent == [b"12345"]


def test_many_downloads_of_one_client_leave_room_for_others(client: TestClient) -> None:
    async def visit() -> tuple[int, int]:
        begun: Counter[str] = Counter()
        free = asyncio.Event()

        async def download(peer: str, taken: asyncio.Event) -> bytes:
            content = b""

            async def send(message: dict[str, Any]) -> None:
                nonlocal content
                if message["type"] == "http.response.start":
                    begun[peer] += 1
                await taken.wait()
                content += message.get("body", b"")

            scope = {"type": "http", "method": "GET", "path": "/bulk/ec.parquet", "raw_path": b"/bulk/ec.parquet"}
            scope |= {"query_string": b"", "headers": [], "client": (peer, 1), "http_version": "1.1"}
            await client.app(scope, asyncio.Event().wait, send)
            return content

        many = [asyncio.create_task(download("192.0.2.1", free)) for _ in range(60)]
        while begun["192.0.2.1"] < 16:
            await asyncio.sleep(0)
        at_once = asyncio.Event()
        at_once.set()
        assert await download("192.0.2.2", at_once) == CONTENT
        most = begun["192.0.2.1"]
        free.set()
        assert await asyncio.gather(*many) == [CONTENT] * 60
        return most, begun["192.0.2.1"]

    assert client.portal is not None
    assert client.portal.call(lambda: asyncio.wait_for(visit(), PATIENCE)) == (16, 60)


def test_a_download_keeps_no_release(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    class Release:
        def __init__(self, served: Any) -> None:
            self.bulk = served.bulk

    admit, held = Entry.admit, []

    async def admitted(entry: Entry, *given: Any) -> Release:
        release = Release(await admit(entry, *given))
        held.append(ref(release))
        return release

    kept: list[bool] = []

    async def send(_message: dict[str, Any]) -> None:
        kept.append(held[0]() is not None)

    monkeypatch.setattr(Entry, "admit", admitted)
    scope = {"type": "http", "method": "GET", "path": "/bulk/ec.parquet", "raw_path": b"/bulk/ec.parquet"}
    scope |= {"query_string": b"", "headers": [], "client": ("192.0.2.1", 1), "http_version": "1.1"}
    assert client.portal is not None
    client.portal.call(client.app, scope, asyncio.Event().wait, send)
    assert len(kept) > 2
    assert not any(kept)
