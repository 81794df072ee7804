"""A suppressed company answers as not found everywhere, without a rebuild; and it is left out of the next build."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from padron import snapshot
from padron.errors import NotFound
from padron.ingest.build import build
from padron.search.directory import Directory
from padron.suppression import NOBODY, load
from shelf import service
from small_register import release_of, source

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
    path.write_text("")
    return registry, data, path, Directory.open(data, registry, "http://x.example", path)


def test_a_running_service_hides_a_company_everywhere(served) -> None:
    _, _, path, directory = served
    address = "/api/public/empresas/EC/1790016919001"
    with service(directory) as client:
        before = client.get(address)
        assert before.status_code == 200
        path.write_text(HIDDEN)
        assert directory.swap(), "the next look takes the list"

        gone = client.get(address, headers={"if-none-match": before.headers["etag"]})
        assert (gone.status_code, gone.json()["code"]) == (404, "company-not-found"), "no 304 for the old answer"
        never = client.get(address.replace("1790016919001", "1790016918001")).json()
        assert {key: gone.json()[key] for key in ("code", "title")} == {key: never[key] for key in ("code", "title")}
        found = client.get("/api/public/empresas/search", params={"q": "corporacion favorita"})
        assert found.json()["results"] == []
        counts = client.get("/api/public/empresas/stats").json()
        assert (counts["total"], counts["countries"][0]["companies"], counts["countries"][0]["byScheme"]) == (
            1, 1, {"ec-ruc": 1},
        )  # fmt: skip
        assert client.get("/api/public/empresas/search", params={"q": "la rotonda"}).json()["results"]

        path.write_text("")
        assert directory.swap()
        assert client.get(address).status_code == 200
        assert not directory.swap(), "nothing changed since"


def test_the_next_build_leaves_it_out_and_says_how_many(served) -> None:
    registry, data, path, _ = served
    path.write_text(HIDDEN)
    with snapshot.building(data) as work:
        release = build(data, work, registry, [path.parent / "official"], load(path, registry))
        account = snapshot.manifest(data, release.snapshots["EC"])
    assert account["companies"] == 1
    assert account["sources"]["register"]["left_out"] == {"suppressed": 1}
    assert "FAVORITA" not in json.dumps(account)
    assert NOBODY.revision == ""


def test_a_list_that_breaks_keeps_what_was_hidden(served) -> None:
    _, _, path, directory = served
    path.write_text(HIDDEN)
    directory.swap()
    path.write_text("broken [")
    with pytest.raises(ValueError, match="bad-suppressions"):
        directory.swap()
    directory.swap()
    with pytest.raises(NotFound):
        directory.get("EC", "1790016919001", "es")
