"""The whole way of an account holder through the pages, with forms alone: no JavaScript, no API call."""

from __future__ import annotations

import csv
import io
import shlex
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from python_calamine import CalamineWorkbook
from starlette.testclient import TestClient

from account_service import PASSWORD, letters, token_in
from padron.accounts import admin
from padron.accounts.keys import LINKED, SCOPES
from padron.accounts.plans import BUNDLED, read_plans
from padron.accounts.store import Store
from padron.config import load
from padron.countries import REGISTRY
from padron.directory import Directory
from padron.service.app import build_app
from padron.web import addresses as addresses_of
from padron.web import financials
from padron.web.charts import Series
from padron.web.workbook import workbook
from padron.words import Language
from parsed_page import Reading
from starving import no_file_beyond
from waiting import until

BASE_URL = "http://127.0.0.1:8000"
ADDRESS = "ana@example.ec"
APPLE = "/en/companies/us/320193/financials"


@pytest.fixture
def reader(directory: Directory, tmp_path: Path) -> Iterator[TestClient]:
    """A reader with a browser and no account; payments go to the sandbox."""
    settings = load({"PADRON_LIMITS__ENABLED": "0", "PADRON_BASE_URL": BASE_URL}, data=tmp_path)
    with TestClient(build_app(settings, directory), base_url=BASE_URL, follow_redirects=False) as client:
        yield client


def post(reader: TestClient, path: str, **form: str) -> tuple[int, str]:
    """Status, and where it leads or the page that says why not."""
    response = reader.post(path, data=form)
    assert response.headers["cache-control"] == "no-store"
    return response.status_code, response.headers.get("location") or Reading(response.text).text


def enter(reader: TestClient, data: Path) -> None:
    status, text = post(reader, "/en/account/sign-up", email=ADDRESS, password=PASSWORD)
    assert (status, "a message with the next step" in text) == (200, True)
    assert f"its messages are files in {data / 'mail'} on this machine" in text
    assert "valid for 24 hours" in text
    letter = letters(data, ADDRESS)[-1]
    assert f"{BASE_URL}/en/account/verify#token=" in letter
    form = {"token": f" {token_in(letter)} ", "password": PASSWORD}  # as it is pasted
    assert post(reader, "/en/account/verify", **form) == (303, "/en/account")


def test_from_signing_up_to_the_financial_history_and_out(
    reader: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert reader.get("/en/account").headers["location"] == "/en/account/log-in"
    enter(reader, tmp_path)
    page = Reading(reader.get("/en/account").text).text
    assert ADDRESS in page
    assert "Free" in page

    made = reader.post("/en/account/keys", data={"do": "create", "name": "mi programa"})
    key = next(word for word in Reading(made.text).text.split() if word.startswith("pdr_live_"))
    both = {"authorization": f"Bearer {key}", "apikey": key}
    assert reader.get("/api/v1/entities/US/320193", headers=both).status_code == 200
    assert key not in reader.get("/en/account/keys").text
    assert post(reader, "/en/account/keys", do="create", name="mi programa")[0] == 409
    limits = {"may-search": "1", "expires": "2999-01-01", "addresses": "192.0.2.1, 2001:db8::/48"}
    reader.post("/en/account/keys", data={"do": "create", "name": "limited", **limits})
    limited = next(key for key in reader.get("/api/account/keys").json()["keys"] if key["name"] == "limited")
    assert (limited["scopes"], limited["expiresAt"]) == (["search"], "2999-01-01T00:00:00Z")
    assert limited["allowedAddresses"] == ["192.0.2.1/32", "2001:db8::/48"]
    assert post(reader, "/en/account/keys", do="create", name="x", addresses="nowhere")[0] == 400

    assert "part of the plans" in Reading(reader.get(APPLE).text).text
    bought = Reading(reader.post("/en/account/plan", data={"do": "buy", "planId": "pro"}).text)
    checkout = next(link["href"] for link in bought.all("a") if "/sandbox/checkout/" in link["href"])
    assert [refresh["content"] for refresh in bought.all("meta") if "http-equiv" in refresh] == [f"0; url={checkout}"]
    assert "Waiting for payment." in Reading(reader.get(checkout).text).text
    assert "Paid." in Reading(reader.post(checkout, data={"move": "complete"}).text).text

    history = reader.get(APPLE)
    page = Reading(history.text)
    assert (history.headers["cache-control"], history.headers["x-robots-tag"]) == ("no-store", "noindex")
    assert "416,161,000,000" in page.text
    assert len(page.all("svg", role="group")) == 4
    assert "Figures by year, in billions of USD" in page.text
    assert "2025: 416.2 billions of USD" in {mark.get("aria-label") for mark in page.all("g")}
    rows = list(csv.DictReader(io.StringIO(reader.get(f"{APPLE}.csv").text)))
    assert ("2025", "revenue", "416161000000") in {(row["fiscalYear"], row["key"], row["value"]) for row in rows}
    writers: list[str] = []

    def written(every: list[Series], language: Language) -> bytes:
        writers.append(threading.current_thread().name.partition("_")[0])
        return workbook(every, language)

    monkeypatch.setattr(financials, "workbook", written)
    book = (
        CalamineWorkbook.from_filelike(io.BytesIO(reader.get(f"{APPLE}.xlsx").content))
        .get_sheet_by_index(0)
        .to_python()
    )
    assert writers == ["files"], "the requests of others go on"
    assert book[0][:3] == ["USD", 2025.0, 2024.0]
    assert ["Revenue", 416161000000.0, 391035000000.0] in [row[:3] for row in book]
    assert "Paid until" in Reading(reader.get("/en/account/plan").text).text

    managed = Reading(reader.post("/en/account/plan", data={"do": "manage"}).text)
    portal = next(link["href"] for link in managed.all("a") if "/sandbox/portal/" in link["href"])
    assert "Cancelled" in Reading(reader.post(portal, data={"move": "cancel"}).text).text
    assert post(reader, "/en/account", do="log-out") == (303, "/en")
    assert reader.get("/en/account/keys").headers["location"] == "/en/account/log-in?next=/en/account/keys"


def test_the_page_to_go_on_to_is_found_beside_any_other_cookie(reader: TestClient) -> None:
    kept = "padron-next=%2Fen%2Faccount%2Fkeys"
    for cookies in (kept, f'x="; {kept}', f"a=b; {kept}; c=d", f'{"=" * 2_000}"; {kept}'):
        page = Reading(reader.get("/en/account/log-in", headers={"cookie": cookies}).text)
        assert "/en/account/sign-up?next=/en/account/keys" in [link["href"] for link in page.all("a")], cookies


def test_a_chosen_plan_leads_through_the_mail_to_the_payment(reader: TestClient, tmp_path: Path) -> None:
    plans = Reading(reader.get("/en/plans").text)
    assert "50,000 answers per day 200,000 rows of lists per day" in plans.text
    assert "1.000 respuestas por día 2.000 filas de listas por día" in Reading(reader.get("/es/planes").text).text
    (way,) = [link["href"] for link in plans.all("a") if "chosen%3Dpro" in link["href"]]
    assert way == "/en/account/sign-up?next=/en/account/plan%3Fchosen%3Dpro"
    (log_in,) = [link["href"] for link in Reading(reader.get(way).text).all("a") if "log-in?" in link["href"]]
    assert log_in == way.replace("sign-up", "log-in")
    assert post(reader, way, email=ADDRESS, password=PASSWORD)[0] == 200
    form = {"token": token_in(letters(tmp_path, ADDRESS)[-1]), "password": PASSWORD}
    assert post(reader, "/en/account/verify", **form) == (303, "/en/account/plan?chosen=pro")
    assert "padron-next" not in reader.cookies
    page = Reading(reader.get("/en/account/plan?chosen=pro").text)
    assert "You chose Pro: 49 USD per month" in page.text.replace("\u00a0", " ")
    assert "or 490 USD per year" in page.text.replace("\u00a0", " ").partition("Free")[0], "before all plans"
    assert "You chose" not in Reading(reader.get("/en/account/plan?chosen=free").text).text
    assert reader.get(way).headers["location"] == "/en/account/plan?chosen=pro", "whoever is signed in goes on at once"
    assert [button["value"] for button in page.all("input", name="do")][:2] == ["log-out", "buy"]


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://other.example",
        "//other.example",
        "/es//other.example",
        "/es\\other",
        "/api/v1",
        "/es\r\nx: y",
        "/es/" + "a" * 300,
    ],
)
def test_nobody_is_led_to_another_site(reader: TestClient, tmp_path: Path, elsewhere: str) -> None:
    enter(reader, tmp_path)
    answer = reader.get("/en/account/log-in", params={"next": elsewhere})
    assert (answer.status_code, answer.headers["location"]) == (303, "/en/account")


def test_a_new_key_comes_with_a_first_call(reader: TestClient, tmp_path: Path) -> None:
    enter(reader, tmp_path)
    page = Reading(reader.post("/en/account/keys", data={"do": "create", "name": "uno"}).text).text
    key = next(word for word in page.split() if word.startswith("pdr_live_"))
    command = f"curl {BASE_URL}/api/v1/entities/US/320193 \\ -H 'Authorization: Bearer {key}' \\ -H 'apiKey: {key}'"
    assert command in page
    _, address, *fields = shlex.split(command)
    sent = dict(field.split(": ") for field in fields if ": " in field)
    assert reader.get(address, headers=sent).status_code == 200


def test_a_limit_that_is_no_limit_is_named_as_in_the_form(reader: TestClient, tmp_path: Path) -> None:
    enter(reader, tmp_path)
    reader.post("/en/account/keys", data={"do": "create", "name": "uno"})
    pages = {
        name: Reading(reader.post(f"/{of}/account/keys", data={"do": "create", "name": name, **limits}).text).text
        for of, name, limits in (
            ("en", "dos", {"addresses": "203.0.113.7/24"}),
            ("es", "tres", {"origins": "https://app.example/path"}),
            ("es", "cuatro", {"most": "many"}),
            ("es", "uno", {}),
        )
    }
    assert "“Works only from these addresses” accepts up to" in pages["dos"]
    assert "«Funciona solo en páginas de estos orígenes» acepta hasta" in pages["tres"]
    assert "El campo «Respuestas al día, como máximo» no tiene" in pages["cuatro"]
    assert "elija otro, o reemplace o revoque aquella" in pages["uno"]
    assert not any(member in page for page in pages.values() for member in ("allowed", "answersPerDay"))


def test_a_refused_key_keeps_its_limits_in_the_form(reader: TestClient, tmp_path: Path) -> None:
    enter(reader, tmp_path)
    limits = {"expires": "2999-01-01", "addresses": "203.0.113.7 198.51.100.0/24", "origins": "https://app.example/x"}
    form = {"do": "create", "name": "<uno>", "may-search": "1", "may-financials": "1", "most": "7", **limits}

    def entered(page: str) -> dict[str, str]:
        """Fields that the form for a new key sends when its button is pressed."""
        boxes = {"test", *(f"may-{scope}" for scope in (*SCOPES, LINKED))}
        fields = [field for field in Reading(page).all("input") if field["name"] not in {"q", "key"}]
        return {field["name"]: field["value"] for field in fields if field["name"] not in boxes or "checked" in field}

    refused = reader.post("/en/account/keys", data=form)
    assert (refused.status_code, entered(refused.text)) == (400, form)
    assert Reading(refused.text).all("details") == [{"open": ""}]
    made = reader.post("/en/account/keys", data=entered(refused.text) | {"origins": "https://app.example"})
    assert (made.status_code, Reading(made.text).all("details")) == (200, [{}])
    blank = {"do": "create", "name": "", "expires": "", "addresses": "", "origins": "", "most": ""}
    assert entered(made.text) == entered(reader.get("/en/account/keys").text) == blank
    (key,) = reader.get("/api/account/keys").json()["keys"]
    assert (key["scopes"], key["expiresAt"], key["answersPerDay"]) == (
        ["search", "financials"],
        "2999-01-01T00:00:00Z",
        7,
    )
    assert (key["allowedAddresses"], key["allowedOrigins"]) == (
        ["203.0.113.7/32", "198.51.100.0/24"],
        ["https://app.example"],
    )
    tested = reader.post("/en/account/keys", data=blank | {"name": "<uno>", "test": "1"})
    assert entered(tested.text) == blank | {"name": "<uno>", "test": "1"}
    assert Reading(tested.text).all("details") == [{}]


def test_a_day_in_the_past_is_named_as_in_the_form(reader: TestClient, tmp_path: Path) -> None:
    enter(reader, tmp_path)
    _, page = post(reader, "/en/account/keys", do="create", name="uno", expires="2020-01-01")
    assert "“Expires at the beginning of this day (UTC)” must be in the future." in page


def test_keys_are_replaced_and_revoked(reader: TestClient, tmp_path: Path) -> None:
    enter(reader, tmp_path)
    reader.post("/es/account/keys", data={"do": "create", "name": "uno"})
    (own,) = {field["value"] for field in Reading(reader.get("/es/account/keys").text).all("input", name="key")}
    replaced = Reading(reader.post("/es/account/keys", data={"do": "rotate", "key": own}).text)
    assert "Su clave nueva" in replaced.text
    assert post(reader, "/es/account/keys", do="revoke", key=own) == (303, "/es/account/keys")
    assert "revocada" in Reading(reader.get("/es/account/keys").text).text
    assert post(reader, "/es/account/keys", do="revoke", key="key_of_somebody_else")[0] == 404
    assert post(reader, "/es/account/keys", do="nothing")[0] == 400


def test_a_password_is_changed_and_an_account_deleted(reader: TestClient, tmp_path: Path) -> None:
    enter(reader, tmp_path)
    new = "otra frase bastante larga"
    assert post(reader, "/es/account/security", do="password", old="no es esta", new=new)[0] == 401
    assert post(reader, "/es/account/security", do="password", old=PASSWORD, new=new) == (303, "/es/account")
    assert post(reader, "/es/account/security", do="language", language="en") == (303, "/es/account/security")
    assert post(reader, "/es/account/security", do="everywhere") == (303, "/es/account/log-in")
    assert post(reader, "/es/account/log-in", email=ADDRESS, password=PASSWORD)[0] == 401
    assert post(reader, "/es/account/log-in", email=ADDRESS, password=new) == (303, "/es/account")
    assert post(reader, "/es/account/security", do="delete", password=new) == (303, "/es")
    assert post(reader, "/es/account/log-in", email=ADDRESS, password=new)[0] == 401


def test_a_forgotten_password_is_renewed_by_mail(reader: TestClient, tmp_path: Path) -> None:
    enter(reader, tmp_path)
    post(reader, "/es/account", do="log-out")
    status, text = post(reader, "/es/account/forgotten", email=ADDRESS)
    assert (status, "recibirá un mensaje" in text) == (200, True)
    mails = until(lambda: [mail for mail in letters(tmp_path, ADDRESS) if "/account/reset#token=" in mail])
    form = {"token": token_in(mails[-1]), "password": "una contraseña nueva"}
    assert post(reader, "/es/account/reset", **form) == (303, "/es/account")


@pytest.mark.parametrize(("page", "label"), [("es", "Token del enlace"), ("en", "Token of the link")])
@pytest.mark.parametrize("way", ["verify", "reset", "address"])
def test_a_refused_password_does_not_lose_the_token_of_the_link(
    reader: TestClient, tmp_path: Path, way: str, page: str, label: str
) -> None:
    path = f"/{page}/account/{way}"
    if way == "verify":
        post(reader, "/en/account/sign-up", email=ADDRESS, password=PASSWORD)
    else:
        enter(reader, tmp_path)
    if way == "reset":
        post(reader, "/en/account/forgotten", email=ADDRESS)
    if way == "address":
        post(reader, "/en/account/security", do="address", email="eva@example.ec", password=PASSWORD)
    token = token_in(until(lambda: [mail for mail in letters(tmp_path) if f"/account/{way}#token=" in mail])[-1])
    form = {"token": token, "password": "corta" if way == "reset" else "no es esta de verdad", "code": "123456"}
    refused = reader.post(path, data=form)
    read = Reading(refused.text)
    assert refused.status_code in {400, 401}
    assert (refused.headers["cache-control"], refused.headers["referrer-policy"]) == ("no-store", "no-referrer")
    assert [field["value"] for field in read.all("input", name="token", autocomplete="off")] == [token]
    assert len(read.all("div", **{"class": "field", "hidden": ""})) == 1
    assert not {"no es esta de verdad", "corta", "123456"} & {field.get("value") for field in read.all("input")}
    assert label in read.text
    good = "una contraseña nueva" if way == "reset" else PASSWORD
    assert post(reader, path, token=token, password=good)[0] == 303
    used = Reading(reader.post(path, data=form).text)
    assert [field["value"] for field in used.all("input", name="token")] == [""]
    assert not used.all("div", **{"class": "field", "hidden": ""})
    pasted = Reading(reader.post(path, data=form | {"token": f"{reader.base_url}{path}#token={'a' * 100}"}).text)
    assert [field["value"] for field in pasted.all("input", name="token")] == [""]


def test_accounts_are_lost_while_the_disk_takes_no_write(reader: TestClient, tmp_path: Path) -> None:
    def state() -> tuple[str, bool]:
        lost = 'padron_part_lost{part="accounts"} 1.0' in reader.get("/metrics").text
        return reader.get("/readyz").json()["parts"]["accounts"], lost

    enter(reader, tmp_path)
    assert state() == ("ok", False)
    with no_file_beyond(0):
        refused = reader.post("/api/account/keys", json={"name": "uno"}, headers={"origin": BASE_URL})
        assert (refused.status_code, refused.json()["code"]) == (503, "accounts-unavailable")
        assert reader.get("/api/account").status_code == 200
        until(lambda: state() == ("accounts-unavailable", True))
    until(lambda: state() == ("ok", False))
    assert reader.post("/api/account/keys", json={"name": "uno"}, headers={"origin": BASE_URL}).status_code == 201


@pytest.mark.parametrize("page", ["sign-up", "log-in", "forgotten", "verify", "reset"])
@pytest.mark.parametrize("language", ["es", "en"])
def test_what_is_wrong_with_a_form_is_said_on_its_page(reader: TestClient, page: str, language: str) -> None:
    path = f"/{language}/account/{page}"
    assert reader.get(path).status_code == 200
    response = reader.post(path, data={"email": "no", "password": "x" * 300, "token": "t"})
    read = Reading(response.text)
    assert response.status_code in {400, 401}
    assert read.all("p", role="alert")
    assert read.all("form", method="post")
    assert "x" * 300 not in response.text


@pytest.mark.parametrize("header", [{"sec-fetch-site": "cross-site"}, {"origin": "https://other.example"}])
def test_another_sites_form_is_refused(reader: TestClient, tmp_path: Path, header: dict[str, str]) -> None:
    enter(reader, tmp_path)
    response = reader.post("/es/account/security", data={"do": "everywhere"}, headers=header)
    assert response.status_code == 403
    assert reader.get("/es/account").status_code == 200


def test_nobody_sees_an_amount_without_a_plan(reader: TestClient) -> None:
    page = reader.get(APPLE)
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
    assert "416,161" not in page.text
    assert "416" not in Reading(page.text).text
    assert "2025" in Reading(page.text).text
    assert "Revenue, Gross profit" in Reading(page.text).text
    assert [reader.get(APPLE + ending).headers["location"] for ending in (".csv", ".xlsx")] == [APPLE, APPLE]
    moved = reader.get("/en/companies/us/0000320193/financials")
    assert (moved.status_code, moved.headers["location"]) == (308, APPLE)
    assert reader.get("/en/companies/us/9999999/financials").status_code == 404


def test_the_sample_of_a_country_is_open_to_every_account(reader: TestClient, tmp_path: Path) -> None:
    paths = {
        country.code: f"/en/companies/{country.code.lower()}/{country.open_statements}/financials"
        for country in REGISTRY.values()
        if country.open_statements
    }
    assert set(paths) == {code for code, country in REGISTRY.items() if country.no_statements is None}
    teaser = Reading(reader.get(APPLE).text)
    assert all(teaser.all("a", href=path) for path in paths.values())
    for path in paths.values():
        closed = Reading(reader.get(path).text)
        assert "every account may read them, also a free one" in closed.text
        assert closed.all("a", href=f"/en/account/sign-up?next={quote(path, safe='/')}")
        assert not closed.all("table")
        assert reader.get(path + ".csv").status_code == 303
    enter(reader, tmp_path)
    for path in paths.values():
        assert Reading(reader.get(path).text).all("table"), path
        assert reader.get(path + ".csv").text.startswith("country"), path
    assert "part of the plans that include" in Reading(reader.get(APPLE).text).text


def test_a_watchlist_is_made_filled_read_and_removed(reader: TestClient, tmp_path: Path) -> None:
    path = "/en/account/watchlists"
    wanted = f"{path}?country=BR&identifier=33000167000101"
    assert reader.get(wanted).headers["location"] == f"/en/account/log-in?next={quote(wanted, safe='/')}"
    enter(reader, tmp_path)
    assert post(reader, path, do="create", name="Rivals <b>") == (303, path)
    assert post(reader, path, do="create", name="Rivals <b>")[0] == 409
    page = reader.get(wanted)
    assert "Rivals &lt;b&gt;" in page.text
    assert Reading(page.text).all("input", name="identifier", value="33000167000101")
    (own,) = {field["value"] for field in Reading(page.text).all("input", name="list")}

    assert post(reader, path, do="company", list=own, country="BR", identifier="33.000.167/0001-01") == (303, path)
    assert post(reader, path, do="search", list=own, text="banco norte", country="") == (303, path)
    page = Reading(reader.get(path).text)
    assert "PETRÓLEO BRASILEIRO S.A. - PETROBRAS" in page.text
    assert "Names with banco norte" in page.text
    for form, status in (
        ({"do": "company", "country": "BR", "identifier": "99999999000191"}, 404),
        ({"do": "company", "country": "EC", "identifier": "1712345675"}, 404),
        ({"do": "search", "text": "1712345675"}, 400),
        ({"do": "search", "text": "banco", "country": "XX"}, 400),
        ({"do": "create", "name": ""}, 400),
        ({"do": "delete", "list": "wl_of_another"}, 404),
    ):
        assert post(reader, path, **{"list": own, **form})[0] == status, form
    crossed = reader.post(path, data={"do": "delete", "list": own}, headers={"sec-fetch-site": "cross-site"})
    assert crossed.status_code == 403

    (search,) = {field["value"] for field in Reading(reader.get(path).text).all("input", name="search")}
    assert post(reader, path, do="forget-search", list=own, search=search) == (303, path)
    assert post(reader, path, do="forget-company", list=own, country="BR", identifier="33000167000101") == (303, path)
    assert "Nothing is followed here yet." in reader.get(path).text
    assert post(reader, path, do="delete", list=own) == (303, path)
    assert "You have no watchlists yet." in reader.get(path).text


def test_a_refused_form_of_watchlists_leaves_the_others_as_they_were(reader: TestClient, tmp_path: Path) -> None:
    path = "/en/account/watchlists"
    enter(reader, tmp_path)
    for name in ("uno", "dos"):
        assert post(reader, path, do="create", name=name) == (303, path)
    _, own = sorted({field["value"] for field in Reading(reader.get(path).text).all("input", name="list")})
    shown: list[tuple[int, list[str], list[str], int]] = []
    for form in (
        {"do": "company", "country": "BR", "identifier": "abc"},
        {"do": "search", "country": "BR", "text": "1712345675"},
    ):
        answer = reader.post(path, data={"list": own, **form})
        page = Reading(answer.text)
        fields = [*page.all("input", name="identifier"), *page.all("input", name="text")]
        typed = [field["value"] for field in fields if field["type"] == "text"]
        chosen = [option["value"] for option in page.all("option") if "selected" in option]
        shown.append((answer.status_code, sorted(typed), chosen, answer.text.count("<details open>")))
    assert shown == [(400, ["", "", "", "abc"], ["BR"], 1), (400, ["", "", "", "1712345675"], ["BR"], 1)]
    linked = Reading(reader.get(f"{path}?country=BR&identifier=33000167000101").text)
    assert [option["value"] for option in linked.all("option") if "selected" in option] == ["BR", "BR"]


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("country=BR&identifier=33000167000101", "PETRÓLEO BRASILEIRO S.A. - PETROBRAS"),
        ("text=banco", "Names with banco"),
    ],
)
def test_the_first_watchlist_follows_what_led_to_it(reader: TestClient, tmp_path: Path, query: str, shown: str) -> None:
    path = "/en/account/watchlists"
    enter(reader, tmp_path)
    page = Reading(reader.get(f"{path}?{query}").text)
    hidden = {field["name"]: field["value"] for field in page.all("input", type="hidden")}
    assert post(reader, f"{path}?{query}", **{"name": "Rivals", **hidden}) == (303, path)
    assert shown in Reading(reader.get(path).text).text


@pytest.mark.parametrize(
    ("followed", "status"),
    [
        ({"country": "CO", "identifier": "890.900.608-1"}, 404),
        ({"country": "EC", "identifier": "1712345675"}, 404),
        ({"text": "1712345675"}, 400),
        ({"text": "banco", "country": "XX"}, 400),
    ],
)
def test_a_watchlist_that_cannot_follow_what_led_to_it_is_not_made(
    reader: TestClient, tmp_path: Path, followed: dict[str, str], status: int
) -> None:
    path = "/en/account/watchlists"
    enter(reader, tmp_path)
    assert post(reader, path, do="create", name="Rivals", **followed)[0] == status
    assert "You have no watchlists yet." in reader.get(path).text
    assert post(reader, path, do="create", name="Rivals") == (303, path)


def test_a_refused_identifier_is_explained_with_the_name_of_the_country(reader: TestClient, tmp_path: Path) -> None:
    enter(reader, tmp_path)
    path = addresses_of.path("watchlists", "es")
    assert post(reader, path, do="create", name="uno")[0] == 303
    (own,) = {field["value"] for field in Reading(reader.get(path).text).all("input", name="list")}
    status, page = post(reader, path, do="company", list=own, country="BR", identifier="abc")
    assert (status, "de ningún identificador oficial de Brasil." in page) == (400, True)


def test_the_audit_log_names_the_account_where_its_holder_changes_watchlists(
    reader: TestClient, tmp_path: Path
) -> None:
    path = "/en/account/watchlists"
    enter(reader, tmp_path)
    assert post(reader, path, do="create", name="uno")[0] == 303
    (own,) = {field["value"] for field in Reading(reader.get(path).text).all("input", name="list")}
    assert post(reader, path, do="search", list=own, text="banco")[0] == 303
    assert post(reader, path, do="delete", list=own)[0] == 303
    store = Store(f"sqlite:///{tmp_path}/accounts.sqlite")
    lines = admin.read_audit(store, ADDRESS, None, 100)
    store.close()
    assert {(line.actor, line.event) for line in lines if line.subject == own} == {
        ("account", f"watchlist-{done}") for done in ("created", "changed", "deleted")
    }


def test_refused_fields_are_explained_by_their_labels_and_lengths(reader: TestClient, tmp_path: Path) -> None:
    enter(reader, tmp_path)
    long = PASSWORD * 20
    for page, form, words in (
        ("keys", {"do": "create", "name": "x" * 61}, "“Name” takes 1 to 60 characters."),
        ("keys", {"do": "create"}, "The field “Name” is missing."),
        ("watchlists", {"do": "create", "name": "x" * 81}, "“Name” takes 1 to 80 characters."),
        ("watchlists", {"do": "search", "text": "x"}, "“Words of a name” takes 2 to 100 characters."),
        ("security", {"do": "password", "old": PASSWORD, "new": long}, "“New password” takes 10 to 256 characters."),
    ):
        status, text = post(reader, f"/en/account/{page}", **form)
        assert (status, words in text) == (400, True), text
    assert Reading(reader.get("/en/account/keys").text).all("input", name="name", maxlength="60")
    assert Reading(reader.get("/en/account/watchlists").text).all("input", name="name", maxlength="80")


def test_a_wrong_password_is_called_so_where_the_account_is_known(reader: TestClient, tmp_path: Path) -> None:
    address = "no confirmed account has the address"
    enter(reader, tmp_path)
    for do in ("password", "enrol", "delete"):
        form = {"old": "wrong password", "new": f"{PASSWORD} azul", "password": "wrong password"}
        status, text = post(reader, "/en/account/security", do=do, **form)
        assert (status, "The password is wrong." in text, address in text) == (401, True, False)
    assert post(reader, "/en/account", do="log-out")[0] == 303
    status, text = post(reader, "/en/account/log-in", email=ADDRESS, password="wrong password")
    assert (status, address in text) == (401, True)


def test_a_number_to_be_followed_as_a_search_is_explained_without_a_member_of_the_api(
    reader: TestClient, tmp_path: Path
) -> None:
    enter(reader, tmp_path)
    status, page = post(reader, "/en/account/watchlists", do="create", name="uno", text="cédula 1710034065")
    assert (status, "To watch a company by its number, add it as a company." in page) == (400, True)


@pytest.mark.usefixtures("one_moment")
def test_statements_on_pages_count_as_answers_and_are_closed_to_the_suspended(
    directory: Directory, tmp_path: Path
) -> None:
    amount, addresses = "416,161,000,000", [APPLE, f"{APPLE}.csv", f"{APPLE}.xlsx"]
    table = tmp_path / "plans.toml"
    bundled = BUNDLED.read_text(encoding="utf-8")
    table.write_text(bundled.replace("\nper_day = 50_000", "\nper_day = 4"), encoding="utf-8")
    settings = load({"PADRON_ACCOUNTS__PLANS": str(table), "PADRON_BASE_URL": BASE_URL}, data=tmp_path)
    store = Store(f"sqlite:///{tmp_path}/accounts.sqlite")
    with TestClient(build_app(settings, directory), base_url=BASE_URL, follow_redirects=False) as reader:
        enter(reader, tmp_path)
        key = reader.post("/api/account/keys", json={"name": "uno"}).json()["apiKey"]
        assert amount not in reader.get(APPLE).text  # the plan shows none, and nothing is counted
        admin.set_plan(store, read_plans(table), ADDRESS, "pro")
        assert amount in reader.get(APPLE).text
        assert [reader.get(address).status_code for address in addresses[1:]] == [200, 200]
        headers = {"authorization": f"Bearer {key}", "apikey": key}
        answers = [reader.get("/api/v1/entities/US/320193/financials", headers=headers).status_code for _ in range(2)]
        assert answers == [200, 429]
        refused = reader.get(APPLE)
        assert (refused.status_code, amount in refused.text) == (429, False)
        admin.suspend(store, ADDRESS)
        for address in addresses:
            refused = reader.get(address)
            assert (refused.status_code, amount in refused.text) == (403, False)
    store.close()
