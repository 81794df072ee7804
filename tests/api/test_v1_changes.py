"""The change log over HTTP: pages, filters, suppressed companies, and the feed."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from starlette.testclient import TestClient

import padron.api.account
from account_service import app_of, both, enrol
from padron.accounts import passwords
from padron.config import load
from padron.countries import REGISTRY
from padron.directory import Directory, run
from padron.service.app import build_app
from parsed_page import Reading
from process import link_release
from waiting import until

CHANGES, BASE = "/api/v1/changes", "http://127.0.0.1:8000"
FAVORITA, HIDDEN = ("EC", "ec-ruc", "1790016919001"), ("CO", "co-nit", "800000013")
ATOM = "{http://www.w3.org/2005/Atom}"


def line(company: tuple[str, str, str], change: str, before: str | None, after: str | None) -> dict[str, Any]:
    country, scheme, identifier = company
    return {
        "country": country, "scheme": scheme, "identifier": identifier, "name": "CORPORACION & <FAVORITA>",
        "change": change, "before": before, "after": after, "aliases": [],
    }  # fmt: skip


LINES = (
    [line(FAVORITA, "renamed", "LA VIEJA", "CORPORACION & <FAVORITA>"), line(HIDDEN, "new", None, None)],
    [line(("CO", "co-nit", "899999068"), "gone", None, None), line(FAVORITA, "status-changed", "active", "dissolved")],
)
"""The lines of two logs."""


@pytest.fixture
def client(tmp_path: Path, small_data: Path) -> Iterator[TestClient]:
    """A service over the small release with a change log and one suppressed company; its caller reads English."""
    link_release(small_data, tmp_path)
    (tmp_path / "changes").mkdir()
    for number, changes in enumerate(LINES, start=1):
        head = {"from": f"r{number - 1}", "to": f"r{number}", "at": f"2026-11-0{number}T00:00:00+00:00"}
        text = "".join(json.dumps(entry) + "\n" for entry in (head, *changes))
        (tmp_path / "changes" / f"00000{number}-r{number}.jsonl").write_text(text)
    hidden = tmp_path / "hidden.toml"
    hidden.write_text('[[suppressed]]\ncountry = "CO"\nidentifier = "800000013"\nreason = "order"\ndate = 2026-01-01\n')
    settings = load({"PADRON_BASE_URL": BASE, "PADRON_SUPPRESSIONS": str(hidden)}, data=tmp_path)
    directory = run(Directory.open(tmp_path, REGISTRY, BASE, hidden))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(padron.api.account, "FLOOR", 0.0)
        patch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
        with TestClient(app_of(settings, directory), base_url=BASE) as client:
            client.headers.update(both(enrol(client, tmp_path).key()) | {"accept-language": "en"})
            yield client


def brief(answer: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(change["release"], change["identifier"], change["change"]) for change in answer["changes"]]


def test_pages_filters_and_faults(client: TestClient) -> None:
    whole = client.get(CHANGES).json()
    assert brief(whole) == [
        ("r1", "1790016919001", "renamed"),
        ("r2", "899999068", "gone"),
        ("r2", "1790016919001", "status-changed"),
    ]
    assert whole["changes"][0] == {
        "change": "renamed", "countryCode": "EC", "scheme": "ec-ruc", "identifier": "1790016919001",
        "legalName": "CORPORACION & <FAVORITA>", "before": "LA VIEJA", "after": "CORPORACION & <FAVORITA>",
        "release": "r1", "releasedAt": "2026-11-01T00:00:00+00:00",
    }  # fmt: skip
    assert not whole["more"]
    assert "800000013" not in json.dumps(whole), "a suppressed company leaves no trace"

    pages, since, more = [], None, True
    while more:
        page = client.get(CHANGES, params={"limit": 1} | ({"since": since} if since else {})).json()
        pages += brief(page)
        since, more = page["cursor"], page["more"]
    assert pages == brief(whole)
    assert since == whole["cursor"]
    assert brief(client.get(CHANGES, params={"since": since}).json()) == []

    assert brief(client.get(CHANGES, params={"country": "co"}).json()) == [("r2", "899999068", "gone")]
    assert brief(client.get(CHANGES, params={"kind": "renamed"}).json()) == [("r1", "1790016919001", "renamed")]
    for wrong, code in (
        ({"since": "1-5"}, "bad-cursor"),
        ({"since": "1-999999999999999999"}, "bad-cursor"),
        ({"since": "x"}, "bad-cursor"),
        ({"kind": "merged"}, "bad-filter"),
        ({"country": "XX"}, "unknown-country"),
        ({"limit": "1001"}, "limit-out-of-range"),
        ({"page": "2"}, "unknown-parameter"),
    ):
        refused = client.get(CHANGES, params=wrong)
        assert (refused.status_code, refused.json()["code"]) == (400, code)


def test_the_feed_has_the_last_changes(client: TestClient) -> None:
    for path, renamed in (("/es/versiones/changes.atom", "otro nombre"), ("/en/releases/changes.atom", "renamed")):
        response = client.get(path)
        assert response.headers["content-type"] == "application/atom+xml; charset=utf-8"
        feed = ET.fromstring(response.text)
        titles = [entry.findtext(f"{ATOM}title") for entry in feed.iter(f"{ATOM}entry")]
        assert len(titles) == 3
        assert titles[-1] == f"CORPORACION & <FAVORITA> (EC): {renamed}"
        assert len({entry.findtext(f"{ATOM}id") for entry in feed.iter(f"{ATOM}entry")}) == 3
        assert "800000013" not in response.text


def test_a_page_says_what_each_release_changed(client: TestClient) -> None:
    page = Reading(client.get("/en/releases/changes").text)
    r2, r1 = page.text.index("r2 "), page.text.index("r1 ")
    assert r2 < r1
    assert "another status: 1 · no longer in the directory: 1" in page.text[r2:r1]
    assert "renamed: LA VIEJA → CORPORACION & <FAVORITA>" in page.text[r1:]
    assert page.all("a", href="/en/companies/ec/1790016919001")
    assert not page.all("a", href="/en/companies/co/899999068"), "a company that is gone has no page"
    assert "otro nombre: LA VIEJA → " in Reading(client.get("/es/versiones/cambios").text).text
    assert "800000013" not in page.text


def test_a_damaged_log_is_told_and_named_in_the_readiness(client: TestClient, tmp_path: Path) -> None:
    log = tmp_path / "changes" / "000002-r2.jsonl"
    log.unlink()
    log.mkdir()
    since = client.get(CHANGES).json()["cursor"]
    for path in (f"{CHANGES}?since={since}", "/en/releases/changes.atom"):
        refused = client.get(path, headers={"accept": "application/json"})
        assert refused.status_code == 503, path
        assert str(tmp_path) not in refused.text
    assert client.get(CHANGES, params={"since": since}).json()["code"] == "changes-damaged"
    with TestClient(build_app(load({}, data=tmp_path))) as service:
        until(lambda: service.get("/readyz").json()["parts"]["webhooks"] == "changes-damaged")
        log.rmdir()
        until(lambda: service.get("/readyz").json()["parts"]["webhooks"] == "ok")


def test_a_search_is_followed_by_feed_without_an_account(client: TestClient) -> None:
    for query, count in (("q=favorita", 3), ("q=vieja", 1), ("q=favorita&country=BR", 0), ("q=favorita+norte", 0)):
        response = client.get(f"/en/search.atom?{query}")
        assert response.headers["content-type"] == "application/atom+xml; charset=utf-8"
        entries = list(ET.fromstring(response.text).iter(f"{ATOM}entry"))
        assert len(entries) == count, query
        assert not entries or entries[-1].findtext(f"{ATOM}title") == "CORPORACION & <FAVORITA> (EC): renamed"
    feed = ET.fromstring(client.get("/es/buscar.atom?q=%3Cb%3E+%26+favorita").text)
    assert feed.findtext(f"{ATOM}title") == "Cambios de empresas cuyo nombre tiene: <b> & favorita"
    assert client.get("/es/buscar.atom?q=1712345675").status_code == 400
    assert client.get("/es/buscar.atom").status_code == 400
