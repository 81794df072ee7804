"""Agentic search over HTTP, on the release of the bundled files: what is asked for and what is refused."""

from __future__ import annotations

from asyncio import to_thread
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from account_service import Holder, app_of, both, enrol
from padron.api import v1_search
from padron.config import load
from padron.countries import REGISTRY
from padron.directory import Directory
from padron.mcp.endpoint import HttpCaller
from padron.transport.auth import KeyAuthenticator
from waiting import PATIENCE, until

SEARCH = "/api/v1/search"
FAVORITA = "1790016919001"


@pytest.fixture(scope="module")
def holder(directory: Directory, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Holder]:
    data = tmp_path_factory.mktemp("agentic")
    settings = load({"PADRON_LIMITS__ENABLED": "0", "PADRON_BASE_URL": "https://padron.example"}, data=data)
    with TestClient(app_of(settings, directory), base_url="https://padron.example") as client:
        yield enrol(client, data)


@pytest.fixture(scope="module")
def headers(holder: Holder) -> dict[str, str]:
    return both(holder.key())


@pytest.fixture(scope="module")
def ask(holder: Holder, headers: dict[str, str]):

    def asked(q: str, language: str = "en", expect: int = 200, **params: str):
        response = holder.client.get(SEARCH, params={"q": q} | params, headers=headers | {"accept-language": language})
        assert response.status_code == expect, response.text
        return response.json()

    return asked


def test_the_members_of_an_answer(ask) -> None:
    answer = ask("¿cuál es el RUC de Corporación Favorita?", "es")
    assert set(answer) == {
        "q", "country", "verdict", "sentence", "bestMatch", "suggestedCountries", "matchHints", "results", "total",
        "nextCursor", "interpretation", "steps", "companies", "searched", "nextSteps",
    }  # fmt: skip
    assert answer["verdict"] == "found"
    assert answer["sentence"].startswith(f"El RUC de CORPORACION FAVORITA C.A. (Ecuador) es {FAVORITA}. Confianza: 99,")
    best = answer["bestMatch"]
    assert best == answer["results"][0]
    assert (best["identifier"], best["matchedOn"]) == (FAVORITA, "legalName")
    assert best["explanations"]
    company = "«CORPORACION FAVORITA C.A.» (EC, RUC 1790016919001)"
    assert best["explanation"].startswith(f"{company} es muy probablemente la empresa buscada")
    (asked,) = answer["interpretation"]["companies"]
    assert asked == {
        "text": "Corporación Favorita",
        "scheme": "ec-ruc",
        "readings": [{"how": "bare", "name": "Corporación Favorita", "country": "EC", "chosen": True}],
    }
    assert answer["interpretation"]["understood"] == [{"aspect": "scheme", "text": "RUC", "value": "ec-ruc"}]
    assert [step["action"] for step in answer["steps"]] == ["similarName"]
    assert [entry["countryCode"] for entry in answer["searched"]] == list(REGISTRY)
    assert answer["searched"][0]["records"] > 90_000
    assert {entry["complete"] for entry in answer["searched"]} == {False}
    assert [(step["action"], step["method"], step["link"]) for step in answer["nextSteps"]] == [
        ("getEntity", "GET", f"https://padron.example/api/v1/entities/EC/{FAVORITA}"),
        ("getFinancials", "GET", f"https://padron.example/api/v1/entities/EC/{FAVORITA}/financials"),
    ]


@pytest.mark.parametrize(
    ("q", "verdict", "identifier", "sentence"),
    [
        ("Petrobras tax id", "found", "33000167000101", None),
        ("Apple (the US one), CIK", "found", "320193", "The CIK of Apple Inc. (United States) is 0000320193."),
        ("EIN of Apple Inc", "found", "320193", "The EIN of Apple Inc. (United States) is 94-2404110."),
        (
            "who is 33.000.167/0001-01",
            "found",
            "33000167000101",
            "CNPJ 33.000.167/0001-01 is that of PETRÓLEO BRASILEIRO S.A. - PETROBRAS (Brazil).",
        ),
        (
            "is MMX Mineração e Metálicos still active?",
            "found",
            "02762115000149",
            "MMX MINERACAO E METALICOS SA FALIDA is registered in Brazil under CNPJ 02.762.115/0001-49."
            " According to its register it is in liquidation.",
        ),
        ("Bayer tax id", "ambiguous", None, "3 companies match “Bayer” equally well:"),
        ("German food company Interbank Andino", "not_found", None, "Padrón does not cover Germany."),
        (
            "who is CNPJ 33.000.167/0001-02",
            "invalid_input",
            "33000167000101",
            "CNPJ 33.000.167/0001-02 cannot be correct: its check digit is wrong. With one digit changed, or two"
            " swapped: PETRÓLEO",
        ),
        ("company with RUC 179001691900", "invalid_input", None, "“179001691900” does not have the form of a RUC."),
    ],
)
def test_questions(ask, q: str, verdict: str, identifier: str | None, sentence: str | None) -> None:
    answer = ask(q)
    assert answer["verdict"] == verdict
    assert (answer["bestMatch"] is not None) == (verdict == "found")
    if identifier:
        assert answer["results"][0]["identifier"] == identifier
    if sentence:
        assert answer["sentence"].startswith(sentence)


def test_several_companies_in_one_question(ask) -> None:
    answer = ask("Grupo Argos or Cementos Argos, Colombia, active")
    assert answer["interpretation"]["intent"] == "companies"
    assert [(entry["asked"], entry["verdict"], entry["bestMatch"]["identifier"]) for entry in answer["companies"]] == [
        ("Grupo Argos", "found", "890900266"),
        ("Cementos Argos", "found", "890100251"),
    ]
    assert [(entry["aspect"], entry["value"]) for entry in answer["interpretation"]["understood"]] == [
        ("country", "CO"), ("status", "active"),
    ]  # fmt: skip
    assert [result["identifier"] for result in answer["results"][:2]] == ["890900266", "890100251"]


def test_a_list_and_its_pages(ask) -> None:
    answer = ask("empresas brasileiras de energia listadas", limit="50")
    assert (answer["verdict"], answer["bestMatch"]) == ("possible", None)
    assert answer["interpretation"]["intent"] == "list"
    assert answer["total"] == 108
    assert {result["countryCode"] for result in answer["results"]} == {"BR"}
    assert {result["matchedOn"] for result in answer["results"]} == {"activity"}
    assert {result["confidence"] for result in answer["results"]} == {None}
    seen, cursor = [], None
    while True:
        page = ask("empresas brasileiras de energia listadas", limit="40", **({"cursor": cursor} if cursor else {}))
        seen += [result["identifier"] for result in page["results"]]
        if (cursor := page["nextCursor"]) is None:
            break
    assert len(seen) == len(set(seen)) == 108
    assert seen[:50] == [result["identifier"] for result in answer["results"]]


def test_next_steps_lead_on(ask, holder: Holder, headers: dict[str, str]) -> None:
    for step in ask("Bayer tax id")["nextSteps"]:
        answer = holder.client.get(step["link"], headers=headers).json()
        assert (step["action"], answer["verdict"]) == ("disambiguate", "found")
    (mend,) = ask("who is CNPJ 33.000.167/0001-02")["nextSteps"]
    assert holder.client.get(mend["link"], headers=headers).json()["bestMatch"]["identifier"] == "33000167000101"
    everywhere = next(step for step in ask("RFC de Ecopetrol")["nextSteps"] if step["action"] == "searchEverywhere")
    assert holder.client.get(everywhere["link"], headers=headers).json()["bestMatch"]["identifier"] == "899999068"
    (coverage,) = ask("¿RUC, NIT o CNPJ de Zapatería Quimérica?")["nextSteps"]
    assert holder.client.get(coverage["link"]).status_code == 200


def test_what_a_filter_alone_leaves_out_is_a_step_away(ask, holder: Holder, headers: dict[str, str]) -> None:
    answer = ask("Apple Inc", country="US", region="Florida")
    assert (answer["verdict"], answer["bestMatch"]) == ("not_found", None)
    assert "is held as Apple Inc." in answer["sentence"]
    step = answer["nextSteps"][0]
    assert step["action"] == "dropFilters"
    assert holder.client.get(step["link"], headers=headers).json()["bestMatch"]["identifier"] == "320193"


def test_a_list_without_its_status_keeps_the_other_filters(ask, holder: Holder, headers: dict[str, str]) -> None:
    answer = ask("empresas", country="EC", activity="G47", status="active")
    step = answer["nextSteps"][-1]
    assert (answer["total"], step["action"]) == (0, "dropStatus")
    listed = holder.client.get(step["link"], headers=headers).json()
    assert listed["total"] == ask("empresas de Ecuador", activity="G47")["total"] > 0


@pytest.mark.parametrize(
    ("filters", "matches"),
    [
        ({"country": "EC"}, True),
        ({"country": "CO"}, False),
        ({"hasFinancials": "true"}, True),
        ({"hasFinancials": "false"}, False),
        ({"region": "PICHINCHA"}, True),
        ({"region": "Guayas"}, False),
        ({"legalForm": "sa"}, True),
        ({"legalForm": "ltda"}, False),
        ({"activity": "G47"}, True),
        ({"activity": "G4711.0"}, True),
        ({"activity": "G46"}, False),
        ({"activity": "isic:G47"}, True),
        ({"activity": "isic:4711"}, True),
        ({"activity": "isic:G46"}, False),
        ({"status": "active"}, False),
    ],
)
def test_a_filter_is_applied(ask, filters: dict[str, str], matches: bool) -> None:
    answer = ask("RUC de Corporación Favorita", **filters)
    assert (FAVORITA in {result["identifier"] for result in answer["results"]}) is matches
    assert (answer["bestMatch"] is not None) is matches


def test_one_filter_of_isic_holds_in_every_country_whose_codes_tell_it(ask) -> None:
    countries = {
        country: {result["countryCode"] for result in ask(name, activity="isic:G47", limit="50")["results"]}
        for country, name in (("EC", "favorita"), ("CO", "almacenes exito"), ("US", "apple"))
    }
    assert ("EC" in countries["EC"], "CO" in countries["CO"], countries["US"] - {"EC", "CO", "BR"}) == (
        True,
        True,
        set(),
    )


def test_an_activity_is_told_in_the_country_s_classification_and_in_isic(
    holder: Holder, headers: dict[str, str]
) -> None:
    def activities(path: str, language: str) -> list[dict[str, str | None]]:
        answer = holder.client.get(f"/api/v1/entities/{path}", headers=headers | {"accept-language": language})
        return answer.json()["entity"]["activities"]

    official, common = activities(f"EC/{FAVORITA}", "en")
    assert (official["system"], official["code"]) == ("CIIU", "G4711.01")
    assert (common["system"], common["version"], common["code"]) == ("ISIC", "Rev. 4", "G4711")
    assert common["label"].startswith("Retail sale in non-specialized stores with food")
    assert activities("CO/890900608", "es")[1]["code"] == "G47", "its classes are not those of ISIC"
    assert [activity["system"] for activity in activities("US/320193", "en")] == ["SIC"]
    # words of CVM, which are of no classification
    petrobras = activities("BR/33000167000101", "en")
    assert petrobras == [{"code": None, "label": "Petróleo e Gás", "system": None, "version": None}]


def test_a_filter_holds_over_the_whole_directory(ask) -> None:
    """More companies than are looked at have the word; those with statements are found all the same."""
    some = ask("inmobiliaria", hasFinancials="true", limit="50")["results"]
    assert len(some) > 20
    assert {result["financialsAvailable"] for result in some} == {True}


def test_what_is_understood_can_be_switched_off(ask) -> None:
    assert ask("Telconet in Ecuador")["verdict"] == "found"
    without = ask("Telconet in Ecuador", ignore="country")
    assert without["interpretation"]["understood"] == []
    assert without["interpretation"]["ignored"] == ["country"]
    assert ask("bancos en México", ignore="all")["interpretation"]["intent"] == "company"


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", "query-missing"),
        ("q=a", "query-too-short"),
        ("q=" + "a" * 1001, "query-too-long"),
        ("q=" + "1790016919001+" * 500, "query-too-long"),
        ("q=ab&limit=51", "limit-out-of-range"),
        ("q=ab&limit=0", "limit-out-of-range"),
        ("q=ab&country=ZZ", "unknown-country"),
        ("q=ab&status=closed", "bad-filter"),
        ("q=ab&hasFinancials=yes", "bad-filter"),
        ("q=ab&activity=%2A", "bad-filter"),
        ("q=ab&region=%21", "bad-filter"),
        ("q=ab&legalForm=", "bad-filter"),
        ("q=ab&ignore=name", "bad-filter"),
        ("q=ab&ignore=", "bad-filter"),
        ("q=ab&page=2", "unknown-parameter"),
        ("q=ab&q=cd", "repeated-parameter"),
        ("q=%FF%FE", "not-utf8"),
        ("q=ab&cursor=x", "bad-cursor"),
    ],
)
@pytest.mark.parametrize("language", ["es", "en"])
def test_bad_input(holder: Holder, headers: dict[str, str], query: str, code: str, language: str) -> None:
    response = holder.client.get(f"{SEARCH}?{query}", headers=headers | {"accept-language": language})
    assert (response.status_code, response.json()["code"]) == (400, code)
    assert response.headers["content-language"] == language
    assert response.headers["cache-control"] == "no-store"


def test_all_that_is_wrong_is_told_at_once(holder: Holder, headers: dict[str, str]) -> None:
    asked = f"{SEARCH}?q=a&limit=51&country=XX&cursor=AAAA&ignore=name&status=closed&colour=red"
    problem = holder.client.get(asked, headers=headers).json()
    assert problem["code"] == "unknown-parameter"
    named = [fault["parameter"] for fault in problem["errors"]]
    assert named == ["colour", "q", "limit", "country", "cursor", "ignore", "status"]


def test_a_cursor_belongs_to_its_question_and_release(ask, directory: Directory, monkeypatch) -> None:
    page = ask("bancos en México", limit="5")
    cursor = page["nextCursor"]
    assert cursor
    for other in ({"status": "active"}, {"country": "MX"}, {"ignore": "status"}):
        assert ask("bancos en México", expect=400, cursor=cursor, **other)["code"] == "bad-cursor"
    monkeypatch.setattr(directory, "_release", directory._release._replace(id="2099-01-01-00000000"))
    assert ask("bancos en México", expect=400, cursor=cursor)["code"] == "bad-cursor"


def test_a_cursor_at_the_end_is_an_empty_page_and_one_beyond_is_refused(
    ask, holder: Holder, directory: Directory
) -> None:
    total = ask("bancos en México", limit="5")["total"]
    ours = partial(v1_search._cursor, holder.services._sign_cursor, directory.edition, {"q": "bancos en México"})
    at_end, beyond = ours(total), ours(total + 1)
    assert ask("bancos en México", cursor=at_end)["results"] == [], "as where the last ones are suppressed"
    assert ask("bancos en México", expect=400, cursor=beyond)["code"] == "bad-cursor"


def forged(raw: bytes) -> st.SearchStrategy[str]:
    """Texts, bytes, and an opaque value of ours with another start, another end, or one more bit."""
    content = st.one_of(
        st.binary(max_size=30),
        st.integers(0, 2**32 - 1).map(lambda start: start.to_bytes(4) + raw[4:]),
        st.binary(min_size=len(raw) - 4, max_size=len(raw) - 4).map(lambda end: raw[:4] + end),
        st.integers(0, 8 * len(raw) - 1).map(lambda bit: (int.from_bytes(raw) ^ 1 << bit).to_bytes(len(raw))),
    )
    return st.text(max_size=40) | content.map(lambda sent: urlsafe_b64encode(sent).decode().rstrip("="))


@given(data=st.data())
def test_no_forged_cursor_is_searched_for(data: st.DataObject, holder: Holder, headers: dict[str, str]) -> None:
    asked = {"q": "bancos en México", "limit": "5"}
    cursor = holder.client.get(SEARCH, params=asked, headers=headers).json()["nextCursor"]
    raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    sent = data.draw(forged(raw).filter(lambda sent: sent != cursor))
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(Directory, "ask")
        answer = holder.client.get(SEARCH, params=asked | {"cursor": sent}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) in {(400, "bad-cursor"), (400, "control-characters")}


OPAQUE = (
    ("GET", "/api/v1/changes?since={}", {}, "bad-cursor"),
    ("GET", "/api/v1/watchlists/{}", {}, "watchlist-not-found"),
    ("GET", "/api/v1/watchlists/1?cursor={}", {}, "bad-cursor watchlist-not-found"),
    ("GET", "/api/v1/webhooks/{}", {}, "webhook-not-found"),
    ("DELETE", "/api/account/keys/{}", {}, "key-not-found"),
    ("DELETE", "/api/account/sessions/{}", {}, "session-not-found"),
    ("POST", "/api/account/verify", {"token": "{}", "password": "una clave muy larga"}, "bad-token"),
    ("POST", "/api/account/password/reset", {"token": "{}", "password": "una clave muy larga"}, "bad-token"),
    ("POST", "/api/account/email/confirm", {"token": "{}", "password": "una clave muy larga"}, "bad-token"),
)
"""Requests that send back a value that we handed out, and the codes that refuse a forged one."""
UNREADABLE = {"control-characters", "no-such-address"}
"""Codes of a value that can stand at no such place."""


@pytest.mark.parametrize(("method", "path", "body", "codes"), OPAQUE)
@given(sent=forged(bytes(12)).filter(bool))
def test_no_forged_value_is_a_fault(
    method: str, path: str, body: dict[str, str], codes: str, sent: str, holder: Holder, headers: dict[str, str]
) -> None:
    json = {name: value.replace("{}", sent) for name, value in body.items()} or None
    address = path.replace("{}", quote(sent, safe=""))
    answer = holder.client.request(method, address, headers=headers, json=json)
    assert 400 <= answer.status_code < 500
    assert answer.json()["code"] in {*codes.split(), *UNREADABLE}


TOOL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "search_companies", "arguments": {"query": "Ecopetrol"}},
}
Place = tuple[type, str]


@pytest.mark.parametrize(
    ("sent", "received", "worked"),
    [
        pytest.param({"method": "GET", "url": f"{SEARCH}?q=Ecopetrol"}, (KeyAuthenticator, "spend"),
                     (Directory, "ask"), id="questions"),
        pytest.param({"method": "POST", "url": "/mcp", "json": TOOL}, (HttpCaller, "identify"),
                     (Directory, "ask"), id="tools"),
    ],
)  # fmt: skip
def test_of_one_account_two_questions_are_answered_at_once(
    sent: dict[str, Any],
    received: Place,
    worked: Place,
    holder: Holder,
    headers: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Others wait for a step of two, however many one account has sent."""
    asked, begun, go_on = [], [], Event()
    receive, work = getattr(*received), getattr(*worked)

    async def receive_and_count(*arguments: Any, **more: Any) -> Any:
        asked.append(arguments)
        return await receive(*arguments, **more)

    async def work_later(*arguments: Any, **more: Any) -> Any:
        begun.append(arguments)
        await to_thread(go_on.wait, PATIENCE)
        return await work(*arguments, **more)

    monkeypatch.setattr(*received, receive_and_count)
    monkeypatch.setattr(*worked, work_later)
    other = both(enrol(holder.client, holder.data, f"{sent['method'].lower()}@example.ec").key())
    accept = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    with ThreadPoolExecutor(7) as pool:
        answers = [pool.submit(holder.client.request, **sent, headers=accept | headers) for _ in range(6)]
        try:
            until(lambda: len(asked) == 6 and len(begun) >= 2)
            answers.append(pool.submit(holder.client.request, **sent, headers=accept | other))
            until(lambda: len(begun) >= 3)
            assert len(begun) == 3
        finally:
            go_on.set()
    assert [answer.result().status_code for answer in answers] == [200] * 7


def test_the_same_question_has_the_same_tag_however_long_it_took(holder: Holder, headers: dict[str, str]) -> None:
    answers = [holder.client.get(f"{SEARCH}?q=RUC+de+Corporación+Favorita", headers=headers) for _ in range(3)]
    assert len({answer.headers["etag"] for answer in answers}) == 1
    again = holder.client.get(
        f"{SEARCH}?q=RUC+de+Corporación+Favorita", headers=headers | {"if-none-match": answers[0].headers["etag"]}
    )
    assert (again.status_code, again.content) == (304, b"")
    english = holder.client.get(f"{SEARCH}?q=RUC+de+Corporación+Favorita", headers=headers | {"accept-language": "en"})
    assert english.headers["etag"] != answers[0].headers["etag"]
    bodies = [answer.json() for answer in answers]
    for body in bodies:
        for step in body["steps"]:
            step["tookMs"] = 0
    assert bodies[0] == bodies[1] == bodies[2]


def test_a_question_may_have_lines_but_no_other_control_characters(ask) -> None:
    parts = ask("Ecopetrol\r\n\tCorporación Favorita\n")["companies"]
    assert [(part["asked"], part["verdict"]) for part in parts] == [
        ("Ecopetrol", "found"),
        ("Corporación Favorita", "found"),
    ]
    assert ask("Ecopetrol\x0b", expect=400)["code"] == "control-characters"


def test_a_natural_person_is_not_found(ask) -> None:
    assert ask("¿de quién es el RUC 1710034065001?", expect=404)["code"] == "natural-person-not-covered"


def test_nothing_of_a_question_is_logged(ask, capsys: pytest.CaptureFixture[str]) -> None:
    ask("RUC de Corporación Favorita")
    written = capsys.readouterr()
    assert "Favorita" not in written.out + written.err
