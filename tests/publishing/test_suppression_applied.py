"""A suppressed company answers as not found everywhere, without a rebuild; and it is left out of the next build."""

from __future__ import annotations

import json
import time
from contextlib import closing
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path

import pytest

from memory_directory import service
from padron.directory import Directory, run
from padron.errors import NotFound, ReleaseError
from padron.ingest.build import build
from padron.publishing.publish import prove, publish
from padron.releases import snapshot
from padron.releases.suppression import NO_SUPPRESSIONS, load
from process import Server, serving
from small_register import layout, release_of, source
from waiting import PATIENCE, until

ROWS = b"RUC,NOMBRE\n1790016919001,CORPORACION FAVORITA C.A.\n0990004196001,LA ROTONDA S.A.\n"
HIDDEN = """
[[suppressed]]
country = "EC"
identifier = "1790016919001"
reason = "Orden judicial"
date = 2026-11-20
"""


@pytest.fixture
def served(country, official, tmp_path: Path):
    registry = {"EC": country(source())}
    data = release_of(registry, official(list__csv=ROWS), tmp_path / "var")
    path = tmp_path / "suppressions.toml"
    path.write_text("suppressed = []\n")
    return registry, data, path, run(Directory.open(data, registry, "http://x.example", path))


def test_a_running_service_hides_a_company_everywhere(served) -> None:
    _, _, path, directory = served
    address = "/api/public/empresas/EC/1790016919001"
    with service(directory) as client:
        before = client.get(address)
        assert before.status_code == 200
        path.write_text(HIDDEN)
        until(lambda: client.get(address).status_code == 404)

        gone = client.get(address, headers={"if-none-match": before.headers["etag"]})
        assert (gone.status_code, gone.json()["code"]) == (404, "company-not-found"), "no 304 for the old answer"
        never = client.get(address.replace("1790016919001", "1790016918001")).json()
        assert {key: gone.json()[key] for key in ("code", "title")} == {key: never[key] for key in ("code", "title")}
        response = client.get("/api/public/empresas/search", params={"q": "corporacion favorita"})
        assert response.json()["results"] == []
        counts = client.get("/api/public/empresas/stats").json()
        assert (counts["total"], counts["countries"][0]["companies"], counts["countries"][0]["byScheme"]) == (
            1, 1, {"ec-ruc": 1},
        )  # fmt: skip
        assert client.get("/api/public/empresas/search", params={"q": "la rotonda"}).json()["results"]

        path.write_text("suppressed = []\n")
        until(lambda: client.get(address).status_code == 200)


def test_every_worker_of_a_served_release_hides_a_company_within_seconds(release: Path, tmp_path: Path) -> None:
    listed = tmp_path / "suppressions.toml"
    listed.write_text("suppressed = []\n")
    address = "/api/public/empresas/EC/1790016919001"

    def ask(port: int, tag: str = "") -> tuple[int, str]:
        """Status and ETag that a connection of its own, so any of the workers, gets for the company."""
        with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as caller:
            caller.request("GET", address, headers={"if-none-match": tag} if tag else {})
            answer = caller.getresponse()
            return answer.status, answer.headers["etag"] or ""

    with serving(release, tmp_path, workers=2, PADRON_SUPPRESSIONS=str(listed)) as server:
        until(lambda: taken(server) == 2)
        status, tag = ask(server.port)
        assert (status, ask(server.port, tag)[0]) == (200, 304)
        listed.write_text(HIDDEN)
        began = time.monotonic()
        until(lambda: taken(server) == 4)
        print(f"a suppression reached both workers within {time.monotonic() - began:.2f} s")
        answers = [ask(server.port, old) for _ in range(20) for old in ("", tag)]
        assert {status for status, _ in answers} == {404}, "no worker says 304 to the tag of the old answer"
        hidden_tags = {tag for _, tag in answers}
        assert tag not in hidden_tags
        listed.write_text("suppressed = []\n")
        until(lambda: taken(server) == 6)
        assert [ask(server.port)[0] for _ in range(20)] == [200] * 20


def taken(server: Server) -> int:
    """Number of times that a worker switched to another release or list."""
    return sum(json.loads(line)["event"] == "release" for line in server.log.read_bytes().splitlines())


def test_the_edition_changes_with_the_answers_and_never_before(served) -> None:
    _, _, path, directory = served
    before = directory.edition
    path.write_text(HIDDEN)
    hiding = run(directory.refreshed())
    assert hiding.edition != before
    assert directory.edition == before, "and what it hides still answers from the older directory"
    assert run(directory.get("EC", "1790016919001", "es")).record.identifier == "1790016919001"
    path.write_text(HIDDEN.replace("1790016919001", "0990004196001"))
    assert run(hiding.refreshed()).edition not in {before, hiding.edition}


def test_the_next_build_leaves_it_out_and_says_how_many(served) -> None:
    registry, data, path, _ = served
    path.write_text(HIDDEN)
    with snapshot.building(data) as work:
        release = build(data, work, registry, [path.parent / "official"], load(path, registry))
        account = snapshot.manifest(data, release.snapshots["EC"])
    assert account["companies"] == 1
    assert account["sources"]["register"]["left_out"] == {"suppressed": 1}
    assert "FAVORITA" not in json.dumps(account)
    assert NO_SUPPRESSIONS.revision == ""


def test_a_company_that_every_release_is_proved_by_can_be_hidden(country, official, tmp_path: Path) -> None:
    examples = (("ec-ruc", "1790016919001"), ("ec-ruc", "0990004196001"))
    registry = {"EC": replace(country(source()), examples=examples)}
    root, data, listed = official(list__csv=ROWS), tmp_path / "var", tmp_path / "suppressions.toml"
    listed.write_text(HIDDEN)
    hidden = load(listed, registry)
    release = publish(data, registry, [root], hidden)
    assert snapshot.current(data) == release.id
    with pytest.raises(ReleaseError, match="1790016919001"):
        prove(data, release, registry)
    listed.write_text(HIDDEN + HIDDEN.replace("1790016919001", "0990004196001"))
    with pytest.raises(ReleaseError, match="release-unproved"):
        publish(data, registry, [root], load(listed, registry))


def test_examples_of_a_source_without_a_file_are_not_asked_for(country, official, tmp_path: Path) -> None:
    examples = (("ec-ruc", "1790016919001"), ("ec-ruc", "1790010937001"))
    whole = country(source())
    registry = {"EC": replace(whole, examples=examples)}
    root, data = official(list__csv=ROWS), tmp_path / "var"
    with pytest.raises(ReleaseError, match="1790010937001"):
        publish(data, registry, [root])
    other = replace(source(), key="other", layouts=(replace(layout(), match="other*.csv"),))
    registry = {"EC": replace(whole, examples=examples, sources=(*whole.sources, other))}
    assert publish(data, registry, [root]).id == snapshot.current(data)
    registry = {"EC": replace(registry["EC"], examples=examples[1:])}
    with pytest.raises(ReleaseError, match="1790010937001"):
        publish(data, registry, [root])


def test_a_list_that_breaks_keeps_what_was_hidden(served) -> None:
    _, _, path, directory = served
    path.write_text(HIDDEN)
    directory = run(directory.refreshed())
    path.write_text("broken [")
    assert run(directory.refreshed()) is directory
    assert str(directory.suppressions_fault).startswith("bad-suppressions")
    with pytest.raises(NotFound):
        run(directory.get("EC", "1790016919001", "es"))
